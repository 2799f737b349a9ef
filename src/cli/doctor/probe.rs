//! `juror doctor --judge NAME`: one tiny real call, and what it says of the endpoint.

use std::sync::Arc;

use serde::Serialize;

use super::super::Context;
use super::super::judges::{harness, prompts};
use crate::config::{NamedJudge, Origin};
use crate::domain::exchange::{Ending, Exchange};
use crate::judge::harness::Deadline;
use crate::judge::ledger::{Ledger, MemoryLedger};
use crate::judge::model::ModelOptions;
use crate::judge::wire::Shape;
use crate::prompt::FenceSecret;

/// What the endpoint can do.
#[derive(Debug, Default, Serialize)]
pub(super) struct Probe {
    judge: String,
    /// `null` for the local judge, which is asked nowhere.
    endpoint: Option<String>,
    /// Whether it can be used as it is set up.
    pub(super) works: bool,
    /// `null` where nobody can say.
    reachable: Option<bool>,
    key_accepted: Option<bool>,
    answered: Option<bool>,
    /// The model that answered, as the server names it.
    model_answered: Option<String>,
    /// How the shape of a reply can be asked for: `schema`, `object` or `words`.
    structured_output: Option<&'static str>,
    latency_ms: Option<u64>,
    requests: usize,
    /// What was noteworthy.
    notes: Vec<String>,
    /// What goes out with every question.
    leaves: String,
    /// Why it does not work, and what to do.
    pub(super) problem: Option<String>,
}

/// Asks the judge that `--judge` names; nobody where no flag does.
pub(super) fn probe(context: &Context) -> Option<Probe> {
    if !matches!(context.config.judge.origin, Origin::Flag(_)) {
        return None;
    }
    let Some(judge) = context.config.model_judge() else {
        return Some(Probe {
            judge: context.config.judge.value.clone(),
            works: true,
            leaves: "nothing leaves this host".to_owned(),
            ..Probe::default()
        });
    };
    let mut probe = Probe {
        judge: judge.name().to_owned(),
        endpoint: judge.settings().endpoint.base_url.split('?').next().map(str::to_owned),
        leaves: leaves(judge),
        ..Probe::default()
    };
    let ledger = Arc::new(MemoryLedger::default());
    let outcome = ask(context, judge, &ledger, &mut probe);
    probe.learn(&ledger.exchanges());
    match outcome {
        Ok(()) => probe.works = true,
        Err(error) => probe.problem = Some(error.to_string()),
    }
    Some(probe)
}

fn ask(
    context: &Context,
    judge: &NamedJudge,
    ledger: &Arc<MemoryLedger>,
    probe: &mut Probe,
) -> anyhow::Result<()> {
    let Some(model) = context.config.open_model(&super::super::variable)? else { return Ok(()) };
    let prompts = prompts(&context.config)?;
    let options = ModelOptions { prompts, secret: FenceSecret::random(), rubric: None };
    let kept = Arc::clone(ledger) as Arc<dyn Ledger>;
    let harness = harness(context, model, kept, None, false, &options)?;
    let deadline = Deadline::after(judge.settings().timeout);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let probed = runtime.block_on(harness.probe(&deadline)).map_err(|unanswered| {
        anyhow::anyhow!("the judge `{}` does not work: {}", judge.name(), unanswered.failure.reason)
    })?;
    probe.structured_output = Some(match probed.manner.shape {
        Shape::Schema => "schema",
        Shape::Object => "object",
        Shape::Words => "words",
    });
    probe.latency_ms = u64::try_from(probed.latency().as_millis()).ok();
    probe.notes = probed.notes;
    Ok(())
}

/// What goes out with every question.
fn leaves(judge: &NamedJudge) -> String {
    let place = judge.settings().endpoint.base_url.split('?').next().unwrap_or_default();
    let what = "questions, answers, claims, passages with their metadata, and your constraints";
    if judge.is_on_this_host() {
        return format!("{what} go to {place}, on this host; what that server passes on, juror cannot see");
    }
    let clear = if judge.is_in_the_clear() { ", in clear text: anyone on the way can read it" } else { "" };
    format!("{what} go to {place}{clear}")
}

impl Probe {
    /// What the exchanges show, also where they came to nothing.
    fn learn(&mut self, exchanges: &[Exchange]) {
        self.requests = exchanges.len();
        if exchanges.is_empty() {
            return;
        }
        let any = |which: fn(&Exchange) -> bool| exchanges.iter().any(which);
        self.reachable = Some(any(|exchange| exchange.status.is_some()));
        self.answered = Some(any(|exchange| exchange.ending == Ending::Valid));
        self.key_accepted = if any(|exchange| exchange.ending == Ending::Denied) {
            Some(false)
        } else {
            any(|exchange| exchange.status == Some(200)).then_some(true)
        };
        self.model_answered = exchanges.iter().rev().find_map(|exchange| exchange.model_answered.clone());
    }

    /// For people, one fact a line.
    pub(super) fn lines(&self) -> Vec<(&'static str, String)> {
        let Some(endpoint) = &self.endpoint else {
            return vec![("call", format!("none: {} is asked nowhere, and {}", self.judge, self.leaves))];
        };
        let said = |fact: Option<bool>, yes: &str, no: &str| match fact {
            Some(true) => yes.to_owned(),
            Some(false) => no.to_owned(),
            None => "unknown".to_owned(),
        };
        let state = [
            said(self.reachable, "reachable", "not reachable"),
            format!("key {}", said(self.key_accepted, "accepted (or not needed)", "refused")),
            said(self.answered, "it answered", "no answer"),
        ];
        let mut lines = vec![("call", format!("{endpoint}: {}", state.join(", ")))];
        if let Some(model) = &self.model_answered {
            lines.push(("model", format!("{model} answered")));
        }
        if let Some(shape) = self.structured_output {
            let shape = match shape {
                "schema" => "by schema: the server holds replies to it",
                "object" => "JSON only: the schema stands in the prompt, juror checks replies",
                _ => "none: the prompt alone says it, juror checks replies",
            };
            lines.push(("structured", shape.to_owned()));
        }
        if let Some(latency) = self.latency_ms {
            lines.push((
                "latency",
                format!("{latency} ms for a tiny question, {} in all", requests(self.requests)),
            ));
        }
        lines.push(("goes out", self.leaves.clone()));
        lines.extend(self.notes.iter().map(|note| ("note", note.clone())));
        lines
    }
}

fn requests(number: usize) -> String {
    super::super::audit::counted(number as u64, "request")
}
