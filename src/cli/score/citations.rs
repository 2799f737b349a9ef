//! `juror score --citations`: whether answers cite what bears them out, by two published definitions.

use std::sync::{Arc, OnceLock};

use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use serde::Serialize;
use tokio::sync::Semaphore;

use super::super::audit::counted;
use super::super::output::one_line;
use super::super::{Context, Exit, Interrupt};
use super::reading::{Heard, Lines, Taken};
use super::{AHEAD, LOOK_EVERY};
use crate::domain::finding::JudgeIdentity;
use crate::domain::record::Record;
use crate::domain::verdict::NoVerdict;
use crate::format::source::Input;
use crate::instrument::citations::{Bears, CitedStatement, WeighedStatement, statements, weigh};
use crate::judge::{Judge, Reach};
use crate::measure::bootstrap::Resampling;
use crate::measure::citation::{Bearing, CitationQuality, Cited, Statement, alce, liu};
use crate::measure::estimate::Estimate;
use crate::prompt::PromptId;
use crate::store::NewRecord;
use crate::text::sanitize::visible;

/// Statements and citations printed; the rest are counted.
const PRINTED: usize = 20;
/// Of a kind, so many are kept for `--json`.
const MOST_NAMED: usize = 10_000;

/// What all answers come to, as `--json` prints it.
#[derive(Serialize)]
struct Report<'a> {
    answers: u64,
    /// Sentences that say something which evidence could decide.
    statements: u64,
    /// Those that cite something.
    cited_statements: u64,
    citations: u64,
    /// Citations whose name no passage has; they bear nothing out.
    citations_of_nothing: u64,
    /// Statements of which the judge could not say; they are in no figure.
    not_judged: u64,
    liu_2023: CitationQuality,
    alce_2023: CitationQuality,
    /// Statements that what they cite does not bear out fully: how many there are, and the first of them.
    statements_not_borne_out: u64,
    not_borne_out: &'a [NotBorneOut],
    /// Citations that do nothing for their statement, by ALCE's definition.
    citations_idle: u64,
    idle_citations: &'a [Idle],
    judge: &'a str,
    model: &'a str,
    prompt_version: &'a str,
    prompt_sha256: &'a str,
}

#[derive(Serialize)]
struct NotBorneOut {
    audit_id: String,
    statement: String,
    cites: Vec<String>,
    /// FULLY, PARTLY or NOT.
    together: &'static str,
}

#[derive(Serialize)]
struct Idle {
    audit_id: String,
    statement: String,
    cites: String,
    alone: &'static str,
}

/// What came of one answer.
struct Weighed {
    record: Record,
    statements: Vec<(CitedStatement, Result<WeighedStatement, Silence>)>,
}

/// Why nothing is known of a statement.
struct Silence {
    /// Whether something went wrong, rather than that the judge could not say.
    is_failure: bool,
    reason: String,
}

/// Who is asked, and why nothing more is.
#[derive(Clone)]
struct Asked {
    judge: Arc<dyn Judge>,
    permits: Arc<Semaphore>,
    over: Arc<OnceLock<String>>,
}

#[derive(Default)]
struct Sum {
    answers: Vec<Vec<Statement>>,
    statements: u64,
    cited: u64,
    citations: u64,
    of_nothing: u64,
    not_judged: u64,
    failed: u64,
    first_reason: Option<String>,
    not_borne_out_in_all: u64,
    not_borne_out: Vec<NotBorneOut>,
    idle_in_all: u64,
    idle: Vec<Idle>,
}

pub(super) async fn run(
    judge: Arc<dyn Judge>,
    at_once: usize,
    inputs: Vec<Input>,
    interrupt: &Interrupt,
    context: &mut Context,
) -> anyhow::Result<Exit> {
    let identity = judge.identity_of(PromptId::Support);
    let asked = Asked { judge, permits: Arc::new(Semaphore::new(at_once)), over: Arc::default() };
    let mut lines = Lines::of(inputs, at_once, |line, place| {
        crate::format::native::parse(line, place).map(|parsed| parsed.record)
    });
    let mut in_hand = FuturesOrdered::new();
    let (mut sum, mut taken, mut is_read) = (Sum::default(), Taken::default(), false);
    while !(interrupt.is_raised() || is_read && in_hand.is_empty()) {
        tokio::select! {
            Some(weighed) = in_hand.next(), if !in_hand.is_empty() => {
                let weighed: Result<Weighed, tokio::task::JoinError> = weighed;
                sum.add(weighed?);
            }
            line = lines.next(), if !is_read && in_hand.len() < at_once * AHEAD => match line {
                Some(Heard::Item(new)) => {
                    if taken.is_first(format!("the record `{}`", new.record.audit_id), &new.source, context) {
                        in_hand.push_back(tokio::spawn(weigh_answer(asked.clone(), *new)));
                    }
                }
                Some(Heard::Bad(problem)) => taken.bad(&problem, context),
                None => is_read = true,
            },
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
    let bad = taken.finish(context);
    sum.tell(&identity, interrupt.is_raised(), bad, context)
}

async fn weigh_answer(asked: Asked, new: NewRecord) -> Weighed {
    let record = new.record;
    let mut done = Vec::new();
    for statement in statements(&record) {
        let result = asked.about(&record, &statement).await;
        done.push((statement, result));
    }
    Weighed { record, statements: done }
}

impl Asked {
    async fn about(&self, record: &Record, statement: &CitedStatement) -> Result<WeighedStatement, Silence> {
        let failed = |reason| Silence { is_failure: true, reason };
        let Ok(_permit) = self.permits.acquire().await else {
            return Err(failed("the program ended".to_owned()));
        };
        if let Some(reason) = self.over.get() {
            return Err(failed(format!("not asked: {reason}")));
        }
        weigh(&*self.judge, record, statement).await.map_err(|failure| match failure.reach {
            Reach::Record(state) => {
                Silence { is_failure: state == NoVerdict::Failed, reason: failure.reason }
            }
            Reach::Everything | Reach::ForNow => failed(self.over.get_or_init(|| failure.reason).clone()),
        })
    }
}

const fn bearing(bears: Bears) -> Bearing {
    match bears {
        Bears::Not => Bearing::Not,
        Bears::Partly => Bearing::Partly,
        Bears::Fully => Bearing::Fully,
    }
}

const fn label(bears: Bears) -> &'static str {
    match bears {
        Bears::Not => "NOT",
        Bears::Partly => "PARTLY",
        Bears::Fully => "FULLY",
    }
}

impl Sum {
    fn add(&mut self, answer: Weighed) {
        let id = answer.record.audit_id.as_str();
        let mut measured = Vec::new();
        for (statement, result) in answer.statements {
            self.statements += 1;
            self.cited += u64::from(!statement.cites.is_empty());
            let weighed = match result {
                Ok(weighed) => weighed,
                Err(silence) => {
                    self.not_judged += 1;
                    self.failed += u64::from(silence.is_failure);
                    self.first_reason.get_or_insert(silence.reason);
                    continue;
                }
            };
            if weighed.together != Bears::Fully {
                self.not_borne_out_in_all += 1;
                keep(&mut self.not_borne_out, || NotBorneOut {
                    audit_id: id.to_owned(),
                    statement: statement.text.clone(),
                    cites: statement.cites.iter().map(|(name, _)| name.clone()).collect(),
                    together: label(weighed.together),
                });
            }
            for citation in &weighed.citations {
                self.citations += 1;
                self.of_nothing += u64::from(citation.passage_id.is_none());
                let is_idle = citation.alone != Bears::Fully
                    && (citation.rest_suffice || weighed.together != Bears::Fully);
                if is_idle {
                    self.idle_in_all += 1;
                    keep(&mut self.idle, || Idle {
                        audit_id: id.to_owned(),
                        statement: statement.text.clone(),
                        cites: citation.name.clone(),
                        alone: label(citation.alone),
                    });
                }
            }
            measured.push(Statement {
                is_borne_out: weighed.together == Bears::Fully,
                cites_nothing: weighed.citations.iter().any(|one| one.passage_id.is_none()),
                citations: weighed
                    .citations
                    .iter()
                    .map(|one| Cited { alone: bearing(one.alone), rest_suffice: one.rest_suffice })
                    .collect(),
            });
        }
        self.answers.push(measured);
    }

    fn report<'a>(&'a self, identity: &'a JudgeIdentity) -> Report<'a> {
        Report {
            answers: self.answers.len() as u64,
            statements: self.statements,
            cited_statements: self.cited,
            citations: self.citations,
            citations_of_nothing: self.of_nothing,
            not_judged: self.not_judged,
            liu_2023: liu(self.answers.iter().flatten()),
            alce_2023: alce(&self.answers, Resampling::default()),
            statements_not_borne_out: self.not_borne_out_in_all,
            not_borne_out: &self.not_borne_out,
            citations_idle: self.idle_in_all,
            idle_citations: &self.idle,
            judge: &identity.judge,
            model: &identity.model,
            prompt_version: &identity.prompt_version,
            prompt_sha256: &identity.prompt_sha256,
        }
    }

    fn tell(
        &self,
        identity: &JudgeIdentity,
        interrupted: bool,
        bad: u64,
        context: &mut Context,
    ) -> anyhow::Result<Exit> {
        context.out.found(&self.report(identity), lines)?;
        if let Some(reason) = &self.first_reason {
            let statements = counted(self.not_judged, "statement");
            context.out.error(&format!("{statements} could not be judged; the first: {reason}"));
        }
        let is_enough = self.not_judged == 0 && self.statements > 0;
        let measured = if is_enough { Exit::Fine } else { Exit::NotEnough };
        Ok(Exit::before_all(interrupted, self.failed, bad).unwrap_or(measured))
    }
}

/// Keeps one more, as long as there is room.
fn keep<T>(kept: &mut Vec<T>, make: impl FnOnce() -> T) {
    if kept.len() < MOST_NAMED {
        kept.push(make());
    }
}

fn lines(report: &Report<'_>) -> Vec<String> {
    let of_nothing = match report.citations_of_nothing {
        0 => String::new(),
        some => format!(", {some} of them of no passage"),
    };
    let mut lines = vec![
        format!(
            "{}, {} to verify, {} of them cite; {}{of_nothing}",
            counted(report.answers, "answer"),
            counted(report.statements, "statement"),
            report.cited_statements,
            counted(report.citations, "citation"),
        ),
        String::new(),
        "                                      recall              precision".to_owned(),
        figures("Liu et al. 2023, over all statements", &report.liu_2023),
        figures("ALCE (Gao et al. 2023), per answer", &report.alce_2023),
    ];
    if !report.not_borne_out.is_empty() {
        lines.push(String::new());
        lines.push("Not borne out by what they cite:".to_owned());
    }
    for one in report.not_borne_out.iter().take(PRINTED) {
        let cites =
            if one.cites.is_empty() { "nothing".to_owned() } else { format!("[{}]", one.cites.join("][")) };
        let line = format!("  {}: {} cites {cites}: {}", one.audit_id, quoted(&one.statement), one.together);
        lines.push(one_line(&visible(&line)));
    }
    lines.extend(more(report.statements_not_borne_out));
    if !report.idle_citations.is_empty() {
        lines.push(String::new());
        lines.push("Citations that do nothing for their statement:".to_owned());
    }
    for one in report.idle_citations.iter().take(PRINTED) {
        lines.push(one_line(&visible(&format!(
            "  {}: [{}] of {}",
            one.audit_id,
            one.cites,
            quoted(&one.statement)
        ))));
    }
    lines.extend(more(report.citations_idle));
    lines
}

fn more(count: u64) -> Option<String> {
    let more = count.checked_sub(PRINTED as u64).filter(|more| *more > 0)?;
    let which =
        if count > MOST_NAMED as u64 { format!("the first {MOST_NAMED} of all") } else { "them".to_owned() };
    Some(format!("  {more} more: --json lists {which}"))
}

fn quoted(text: &str) -> String {
    const LONGEST: usize = 80;
    let short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() { format!("“{short}…”") } else { format!("“{short}”") }
}

fn figures(name: &str, quality: &CitationQuality) -> String {
    format!("{name:<38}{:<20}{}", figure(&quality.recall), figure(&quality.precision))
}

fn figure(estimate: &Estimate) -> String {
    let Some(value) = estimate.value() else {
        return format!("–, {}", estimate.undefined_because().unwrap_or_default());
    };
    match estimate.interval() {
        Some(interval) => format!("{value:.3} ({:.2}–{:.2})", interval.low, interval.high),
        None => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::span::Span;
    use crate::instrument::citations::WeighedCitation;

    #[test]
    fn what_is_not_listed_is_counted() {
        const ALL: usize = MOST_NAMED + 10;
        let line = br#"{"audit_id":"a","generated_answer":"It rains.","evidence_passages":[{"passage_id":"p","content":"-"}]}"#;
        let record = crate::format::native::parse(line, String::new()).unwrap().record.record;
        let span = Span::new(&record.answer, 0..record.answer.len()).unwrap();
        let statement = |n: usize| {
            let (name, text) = ("9".to_owned(), format!("It rains {n} times."));
            let weighed = WeighedCitation {
                name: name.clone(),
                passage_id: None,
                alone: Bears::Not,
                rest_suffice: false,
            };
            let weighed = WeighedStatement { together: Bears::Not, citations: vec![weighed] };
            (CitedStatement { span, text, cites: vec![(name, None)] }, Ok(weighed))
        };
        let mut sum = Sum::default();
        sum.add(Weighed { record, statements: (0..ALL).map(statement).collect() });
        let identity = JudgeIdentity {
            judge: "local".into(),
            model: "m".into(),
            prompt_version: "1".into(),
            prompt_sha256: "ab".into(),
            settings: serde_json::Value::Null,
        };
        let report = sum.report(&identity);
        let json = serde_json::to_value(&report).unwrap();
        for (all, listed) in
            [("statements_not_borne_out", "not_borne_out"), ("citations_idle", "idle_citations")]
        {
            assert_eq!(
                (json[all].as_u64(), json[listed].as_array().map(Vec::len)),
                (Some(ALL as u64), Some(MOST_NAMED))
            );
        }
        let more = "  9990 more: --json lists the first 10000 of all";
        assert_eq!(lines(&report).iter().filter(|line| *line == more).count(), 2);
    }
}
