//! A former calibration: what it said of each item.

use serde::Deserialize;

use super::super::{Context, Failure};
use super::Instrument;
use crate::domain::finding::JudgeIdentity;
use crate::measure::against_people::Item;

/// What is needed of it.
pub(super) struct Former {
    /// As people call it.
    pub(super) name: String,
    pub(super) items: Vec<Item>,
}

#[derive(Deserialize)]
struct ReportForm {
    data: DataForm,
}

#[derive(Deserialize)]
struct DataForm {
    instrument: String,
    judge: JudgeForm,
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct JudgeForm {
    judge: String,
    model: String,
    prompt_sha256: String,
}

/// The calibration of that name: its number in the store, the latest of this judge, or a file that `--json` wrote.
pub(super) fn find(
    name: &str,
    instrument: Instrument,
    identity: &JudgeIdentity,
    context: &mut Context,
) -> anyhow::Result<Former> {
    let wrong = |why: String| Failure::bad_input(format!("--against {name}: {why}"));
    let (title, text) = match name.parse::<i64>() {
        Ok(id) => {
            let found = context.read_store()?.calibration(id)?;
            let found =
                found.ok_or_else(|| wrong("no calibration of that number in the store".to_owned()))?;
            (format!("calibration {id}"), found.report)
        }
        Err(_) if name == "last" => {
            let found = context.read_store()?.latest_calibration(instrument.label(), &identity.judge)?;
            let (id, found) = found.ok_or_else(|| {
                let judge = &identity.judge;
                wrong(format!("the judge {judge} has no calibration for {} in the store", instrument.label()))
            })?;
            (format!("calibration {id}"), found.report)
        }
        Err(_) => (name.to_owned(), std::fs::read_to_string(name).map_err(|error| wrong(error.to_string()))?),
    };
    let report: ReportForm = serde_json::from_str(&text)
        .map_err(|error| wrong(format!("not a report of `juror calibrate --json` ({error})")))?;
    let DataForm { instrument: was, judge, items } = report.data;
    if was != instrument.label() {
        return Err(wrong(format!("it is of {was}, not of {}", instrument.label())).into());
    }
    let prompt = judge.prompt_sha256.get(..4).unwrap_or_default();
    Ok(Former { name: format!("{title} ({} {}, prompt {prompt})", judge.judge, judge.model), items })
}
