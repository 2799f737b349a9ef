//! `juror audit --dry-run`: what a model would be asked and what that may cost, without asking.

use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;

use super::super::judges::{faithfulness, prompts};
use super::super::{Context, Exit, Failure};
use super::counted;
use crate::domain::record::Record;
use crate::domain::verdict::NoVerdict;
use crate::format::native;
use crate::judge::harness::{Deadline, Unanswered, Why, dollars, estimate, highest_estimate};
use crate::judge::model::{Asked, Asker, MOST_WINDOWS, Meaning, ModelJudge, ModelOptions, Reply};
use crate::judge::settings::ModelSettings;
use crate::judge::wire::Ask;
use crate::judge::{FaithfulnessSettings, Judge, JudgeFailure, Reach};
use crate::prompt::{FenceSecret, PromptId, Prompts};

/// What the records that wait would take.
#[derive(Debug, Default, Serialize)]
struct Plan {
    judge: String,
    model: String,
    /// Where it is asked; `null` for the local judge, which is asked nowhere.
    endpoint: Option<String>,
    records: u64,
    /// Records that cannot be read, or of which nothing can be asked.
    unreadable: u64,
    /// Calls when the first window of evidence speaks against everything: only that ends the search.
    calls: u64,
    /// Calls when nothing speaks against anything, so that all evidence is shown: the usual case.
    calls_at_most: u64,
    input_tokens_at_most: u64,
    output_tokens_at_most: u64,
    /// In US dollars; `null` where the price is unknown.
    cost_usd_at_most: Option<f64>,
}

pub(super) fn run(context: &mut Context) -> anyhow::Result<Exit> {
    let settings = faithfulness(&context.config)?;
    let plan = match context.config.model_judge() {
        None => Plan {
            judge: crate::config::LOCAL.to_owned(),
            records: waiting(context, |_| Ok(()))?.0,
            cost_usd_at_most: Some(0.0),
            ..Plan::default()
        },
        Some(judge) => {
            let model = judge.settings().clone();
            rehearse(context, model, &settings)?
        }
    };
    if context.out.wants_json() {
        context.out.json(&plan)?;
    } else {
        context.out.text(&plan.in_words())?;
    }
    Ok(Exit::Fine)
}

/// Goes through the records as an audit would, with somebody to ask who only counts.
fn rehearse(
    context: &mut Context,
    model: ModelSettings,
    settings: &FaithfulnessSettings,
) -> anyhow::Result<Plan> {
    let prompts = prompts(&context.config)?;
    let rehearsal = Rehearsal::new(&model, &prompts);
    let options = ModelOptions { prompts, secret: FenceSecret::random(), rubric: None };
    let judge = ModelJudge::new(rehearsal.clone(), model.clone(), options)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut unheard = 0;
    let (records, damaged) = waiting(context, |record| {
        let windows = rehearsal.windows(&record);
        rehearsal.count(|counts| counts.windows = windows);
        match runtime.block_on(judge.faithfulness(&record, settings)) {
            Err(failure) if failure.reach == Reach::Everything => Err(Failure::bad_input(failure.reason)),
            _ => {
                unheard += u64::from(rehearsal.count(|counts| std::mem::take(&mut counts.of_record)) == 0);
                Ok(())
            }
        }
    })?;
    let counts = rehearsal.count(|counts| *counts);
    Ok(Plan {
        judge: model.name,
        model: model.endpoint.model,
        endpoint: model.endpoint.base_url.split('?').next().map(str::to_owned),
        records,
        unreadable: damaged + unheard,
        calls: counts.calls,
        calls_at_most: counts.most_calls,
        input_tokens_at_most: counts.input,
        output_tokens_at_most: counts.output,
        cost_usd_at_most: counts.cost.filter(|_| model.prices.is_some()).map(|micros| micros as f64 / 1e6),
    })
}

/// Hands each record that waits to `each`; says how many there are, and how many more cannot be read.
fn waiting(
    context: &mut Context,
    mut each: impl FnMut(Record) -> Result<(), Failure>,
) -> anyhow::Result<(u64, u64)> {
    let store = context.read_store()?;
    let (mut records, mut damaged) = (0, 0);
    store.for_each_waiting_record(|line| {
        let parsed = line.ok().and_then(|line| native::parse(line.as_bytes(), String::new()).ok());
        match parsed {
            Some(parsed) => {
                records += 1;
                each(parsed.record.record)?;
            }
            None => damaged += 1,
        }
        anyhow::Ok(())
    })?;
    Ok((records, damaged))
}

/// Nobody: notes what it is asked, and has no answer.
#[derive(Clone)]
struct Rehearsal {
    model: ModelSettings,
    /// Tokens that one call has for evidence.
    room: u64,
    counts: Arc<Mutex<Counts>>,
}

#[derive(Debug, Clone, Copy)]
struct Counts {
    /// How often the evidence of this record must be shown in pieces, at most.
    windows: u64,
    /// Calls for this record.
    of_record: u64,
    calls: u64,
    most_calls: u64,
    input: u64,
    output: u64,
    /// In millionths of a US dollar.
    cost: Option<u64>,
}

impl Rehearsal {
    fn new(model: &ModelSettings, prompts: &Prompts) -> Self {
        let prompt = prompts.get(PromptId::Faithfulness);
        let schema = PromptId::Faithfulness.schema().unwrap_or_default();
        let frame = estimate(prompt.text(), schema, model.max_output, None);
        let counts =
            Counts { windows: 1, of_record: 0, calls: 0, most_calls: 0, input: 0, output: 0, cost: Some(0) };
        Self {
            // Nobody is asked: the keys stay where they are.
            model: ModelSettings { keys: Vec::new(), ..model.clone() },
            room: u64::from(model.context).saturating_sub(frame.input + frame.output).max(1),
            counts: Arc::new(Mutex::new(counts)),
        }
    }

    fn windows(&self, record: &Record) -> u64 {
        let evidence: u64 =
            record.passages.iter().map(|passage| estimate("", &passage.content, 0, None).input).sum();
        evidence.div_ceil(self.room).clamp(1, MOST_WINDOWS as u64)
    }

    fn count<T>(&self, change: impl FnOnce(&mut Counts) -> T) -> T {
        change(&mut self.counts.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Asker for Rehearsal {
    fn deadline(&self) -> Deadline {
        Deadline::after(std::time::Duration::from_hours(1))
    }

    fn ask<'a>(&'a self, asked: Asked<'a>, _: &'a Deadline, _: Meaning<'a>) -> Reply<'a> {
        let ask = Ask {
            system: &asked.filled.system,
            user: &asked.filled.user,
            schema_name: asked.schema.name(),
            schema: asked.schema.value(),
            max_output: asked.max_output,
            temperature: self.model.temperature,
            seed: self.model.seed,
        };
        let call = highest_estimate(&self.model, &ask);
        self.count(|counts| {
            counts.of_record += 1;
            counts.calls += 1;
            counts.most_calls += counts.windows;
            counts.input += call.input * counts.windows;
            counts.output += call.output * counts.windows;
            counts.cost = counts.cost.zip(call.cost_micros).map(|(sum, one)| sum + one * counts.windows);
        });
        let failure = JudgeFailure {
            judge: self.model.name.clone(),
            reach: Reach::Record(NoVerdict::NotChecked),
            reason: "nobody was asked".to_owned(),
            exchanges: Vec::new(),
        };
        Box::pin(async move { Err(Unanswered { why: Why::Other, failure }) })
    }
}

impl Plan {
    /// All evidence is shown unless something speaks against the claim before.
    fn calls_in_words(&self) -> String {
        let (calls, usual) = (self.calls, self.calls_at_most);
        if calls == usual {
            return format!("  calls          {usual}");
        }
        format!(
            "  calls          {usual} to show all evidence; fewer where a part of it contradicts a claim, {calls} at least"
        )
    }

    fn in_words(&self) -> String {
        let records = counted(self.records, "record");
        let Some(endpoint) = &self.endpoint else {
            return format!(
                "{records} would be audited by the local judge: no call, no cost, nothing is sent"
            );
        };
        let mut lines = vec![
            format!("{records} would be sent to {} at {endpoint} by the judge {}", self.model, self.judge),
            self.calls_in_words(),
            format!("  tokens read    at most about {}", self.input_tokens_at_most),
            format!("  tokens written at most {}", self.output_tokens_at_most),
            match self.cost_usd_at_most {
                Some(cost) => {
                    format!("  cost           at most about {}", dollars((cost * 1e6).ceil() as u64))
                }
                None => format!(
                    "  cost           unknown: set `prices` in [judge.{}] to be told, and to use --budget",
                    self.judge
                ),
            },
        ];
        if self.unreadable > 0 {
            lines.push(format!("  {} can be asked nothing about", counted(self.unreadable, "record")));
        }
        lines.push(
            "nothing was sent. What was answered before is not asked again; replies that must be asked for again \
             come on top"
                .to_owned(),
        );
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calls_that_are_to_be_expected_are_those_that_show_all_evidence() {
        let words = |calls, calls_at_most| Plan { calls, calls_at_most, ..Plan::default() }.calls_in_words();
        assert_eq!(words(5, 5).trim_start(), "calls          5");
        let long = words(5, 40);
        assert!(long.trim_start().starts_with("calls          40 to show all evidence;"), "{long}");
        assert!(long.ends_with("5 at least"), "{long}");
    }
}
