//! A former calibration: of which judge it was, and what it said of each item.

use serde::Deserialize;
use serde_json::Value;

use super::super::{Context, Failure};
use super::{Arguments, Golden, Instrument};
use crate::domain::calibration::{Calibration, CalibrationState, difference};
use crate::domain::finding::JudgeIdentity;
use crate::domain::time::Timestamp;
use crate::measure::against_people::Item;

/// What `--against` names.
pub(super) struct Named {
    /// As people call it.
    pub(super) name: String,
    /// Why nothing can be held to it, where nothing can.
    pub(super) former: Result<Former, String>,
}

/// What is needed of it.
pub(super) struct Former {
    pub(super) items: Vec<Item>,
    /// Of the lines of its golden set.
    pub(super) sha256: String,
    /// How the judge was another one; `None` where it was the same.
    pub(super) difference: Option<String>,
}

#[derive(Deserialize)]
struct ReportForm {
    made_at: Timestamp,
    data: DataForm,
}

#[derive(Deserialize)]
struct DataForm {
    state: String,
    instrument: String,
    judge: JudgeForm,
    golden: GoldenForm,
    items: Vec<Item>,
    change: Option<ChangeForm>,
}

#[derive(Deserialize)]
struct JudgeForm {
    judge: String,
    model: String,
    prompt_version: String,
    prompt_sha256: String,
    settings: Value,
}

#[derive(Deserialize)]
struct GoldenForm {
    sha256: String,
    retrieval: Vec<String>,
}

#[derive(Deserialize)]
struct ChangeForm {
    worse: Option<bool>,
}

/// What is measured now.
struct Now<'a> {
    instrument: Instrument,
    identity: &'a JudgeIdentity,
    golden: &'a Golden,
}

/// What `--against` names, where it was given: a calibration by its number in the store, `last`, or a file that `--json` wrote.
///
/// # Errors
/// When there is no such calibration, or it is of something else.
pub(super) fn asked(
    arguments: &Arguments,
    golden: &Golden,
    identity: &JudgeIdentity,
    context: &mut Context,
) -> anyhow::Result<Option<Named>> {
    let Some(name) = arguments.against.as_deref() else { return Ok(None) };
    let now = Now { instrument: arguments.instrument, identity, golden };
    let wrong = |why: String| Failure::bad_input(format!("--against {name}: {why}"));
    let form = |text: &str| {
        serde_json::from_str::<ReportForm>(text)
            .map_err(|error| wrong(format!("not a report of `juror calibrate --json` ({error})")))
    };
    let (title, report) = match name.parse::<i64>() {
        Ok(id) => {
            let found = context.read_store()?.calibration(id)?;
            let found =
                found.ok_or_else(|| wrong("no calibration of that number in the store".to_owned()))?;
            (format!("calibration {id}"), form(&found.report)?)
        }
        Err(_) if name == "last" => match last(&now, context)? {
            Some((id, report)) => (format!("calibration {id}"), report),
            None => return Ok(Some(Named { name: name.to_owned(), former: Err(now.has_none()) })),
        },
        Err(_) => {
            let text = std::fs::read_to_string(name).map_err(|error| wrong(error.to_string()))?;
            (name.to_owned(), form(&text)?)
        }
    };
    let label = now.instrument.label();
    if report.data.instrument != label {
        return Err(wrong(format!("it is of {}, not of {label}", report.data.instrument)).into());
    }
    Ok(Some(report.named(&title, &now)))
}

/// The newest calibration that `now` can be held to; one that was found worse itself is no measure for the next.
fn last(now: &Now<'_>, context: &mut Context) -> anyhow::Result<Option<(i64, ReportForm)>> {
    if !context.config.db.value.exists() {
        return Ok(None);
    }
    let store = context.read_store()?;
    for (id, of) in store.calibrations()? {
        if !now.follows(&of) {
            continue;
        }
        let Some(kept) = store.calibration(id)? else { continue };
        let report: ReportForm = serde_json::from_str(&kept.report).map_err(|error| {
            anyhow::anyhow!("the report of calibration {id} cannot be read ({error}): run `juror verify`")
        })?;
        if report.data.change.as_ref().and_then(|change| change.worse) != Some(true) {
            return Ok(Some((id, report)));
        }
    }
    Ok(None)
}

impl Now<'_> {
    /// Whether `former` measured the same judge on the same golden set when it was another one.
    fn follows(&self, former: &Calibration) -> bool {
        let is_same_set = former.data_sha256 == self.golden.sha256 || former.data_name == self.golden.name;
        former.instrument == self.instrument.label()
            && former.identity.judge == self.identity.judge
            && is_same_set
            && former.state != CalibrationState::NotMeasured
            && self.difference(&former.identity, &former.retrieval).is_some()
    }

    fn difference(&self, was: &JudgeIdentity, retrieval: &[String]) -> Option<String> {
        difference((was, retrieval), (self.identity, &self.golden.retrieval))
    }

    /// That there is no former calibration.
    fn has_none(&self) -> String {
        format!(
            "no calibration of {} on {} is kept that was made with another model, prompt, settings or retrieval, that is \
             not NOT_MEASURED, and that was not found worse itself: measure the judge as it was first, or name a number",
            self.identity.judge, self.golden.name
        )
    }
}

impl ReportForm {
    fn named(self, title: &str, now: &Now<'_>) -> Named {
        let DataForm { state, judge, golden, items, .. } = self.data;
        let prompt = judge.prompt_sha256.get(..4).unwrap_or_default();
        let day: String = self.made_at.to_string().chars().take(10).collect();
        let name = format!("{title} ({} {}, prompt {prompt}, {day})", judge.judge, judge.model);
        if state == CalibrationState::NotMeasured.label() {
            let why =
                "it is NOT_MEASURED: what the judge failed on then, or said nothing of, may be what is hard";
            return Named { name, former: Err(why.to_owned()) };
        }
        let was = JudgeIdentity {
            judge: judge.judge,
            model: judge.model,
            prompt_version: judge.prompt_version,
            prompt_sha256: judge.prompt_sha256,
            settings: judge.settings,
        };
        let difference = now.difference(&was, &golden.retrieval);
        Named { name, former: Ok(Former { items, sha256: golden.sha256, difference }) }
    }
}
