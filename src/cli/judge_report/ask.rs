//! Asks the judge, about several rows at once, and sets what it says beside what is known.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::clock::CoreTime;
use crate::domain::finding::{Finding, Judged, Outcome, RunResult};
use crate::domain::span::Span;
use crate::domain::verdict::{MatchLevel, NoVerdict};
use crate::format::labelled::{Labelled, LabelledAnswer, LabelledClaim};
use crate::instrument::faithfulness::audit;
use crate::judge::{FaithfulnessSettings, Judge, JudgeFailure};
use crate::measure::evidence::{Places, characters, merged, word_f1};
use crate::measure::floors::floor;
use crate::measure::sheet::Row;

/// The judge that is measured.
pub(super) struct Bench<'a> {
    judge: &'a dyn Judge,
    settings: &'a FaithfulnessSettings,
    /// Rows in hand at once.
    at_once: usize,
    /// One for all rows: a model's connections live in it.
    runtime: tokio::runtime::Runtime,
}

/// What the judge said of one row.
pub(super) enum Judgement {
    Claim(Box<JudgedClaim>),
    Answer(Box<JudgedAnswer>),
    Failed(JudgeFailure),
}

pub(super) struct JudgedClaim {
    pub(super) labelled: LabelledClaim,
    pub(super) row: Row,
    /// What decided, or why there is no verdict.
    pub(super) reason: String,
    /// Time on a core.
    pub(super) core: Duration,
}

pub(super) struct JudgedAnswer {
    pub(super) labelled: LabelledAnswer,
    /// Where the claims stand that the judge found.
    pub(super) produced: Vec<Span>,
    pub(super) no_claims: usize,
}

impl<'a> Bench<'a> {
    pub(super) fn new(
        judge: &'a dyn Judge,
        settings: &'a FaithfulnessSettings,
        at_once: usize,
    ) -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        Ok(Self { judge, settings, at_once, runtime })
    }

    /// Judges all rows; the answers come in their order.
    pub(super) fn judge(&self, rows: &[Labelled]) -> anyhow::Result<Vec<Judgement>> {
        let workers = self.at_once.min(rows.len());
        let next = AtomicUsize::new(0);
        let mut judged: Vec<(usize, Judgement)> = std::thread::scope(|scope| {
            let work = || self.work(rows, &next);
            let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().map_err(|_| anyhow::anyhow!("the judge broke")))
                .try_fold(Vec::new(), |mut all, some: anyhow::Result<Vec<_>>| {
                    all.extend(some?);
                    anyhow::Ok(all)
                })
        })?;
        judged.sort_by_key(|(at, _)| *at);
        Ok(judged.into_iter().map(|(_, judgement)| judgement).collect())
    }

    /// Takes one row after the other until none is left.
    fn work(&self, rows: &[Labelled], next: &AtomicUsize) -> Vec<(usize, Judgement)> {
        let mut judged = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(row) = rows.get(at) else { return judged };
            judged.push((at, self.runtime.handle().block_on(self.ask(row))));
        }
    }

    async fn ask(&self, row: &Labelled) -> Judgement {
        let record = match row {
            Labelled::Claim(claim) => &claim.record,
            Labelled::Answer(answer) => &answer.record,
        };
        let watch = CoreTime::start();
        let said = audit(self.judge, record, self.settings).await;
        let core = watch.elapsed();
        match (said, row) {
            (Err(failure), _) => Judgement::Failed(failure),
            (Ok(result), Labelled::Claim(labelled)) => {
                Judgement::Claim(Box::new(judged_claim(labelled.clone(), result, core)))
            }
            (Ok(result), Labelled::Answer(labelled)) => {
                Judgement::Answer(Box::new(judged_answer(labelled.clone(), &result)))
            }
        }
    }
}

fn judged_claim(labelled: LabelledClaim, result: RunResult, core: Duration) -> JudgedClaim {
    let outcome = result.findings.into_iter().next().map(|finding| finding.outcome);
    let texts: Vec<&str> = labelled.record.passages.iter().map(|passage| passage.content.as_str()).collect();
    let claim = labelled.record.given_claims.first().map_or("", |given| given.claim_text.as_str());
    let floor = floor(claim, &texts);
    let cited = match &outcome {
        Some(Outcome::Judged(judged)) => cited(&labelled, judged, &texts),
        _ => Places::new(),
    };
    let best = |cited: &Places| {
        labelled.marked.iter().map(|marked| word_f1(cited, marked, &texts)).fold(0.0, f64::max)
    };
    let sentence: Places = floor.sentence.into_iter().collect();
    let row = Row {
        label: labelled.label,
        label_is_own: labelled.label_is_own,
        said: match &outcome {
            Some(Outcome::Judged(judged)) => Some((judged.verdict, judged.confidence.get())),
            _ => None,
        },
        overlap: floor.overlap,
        span_f1: (!labelled.marked.is_empty()).then(|| (best(&cited), best(&sentence))),
        cited: (!cited.is_empty()).then(|| characters(&cited, &texts)),
        marked: labelled.marked.iter().map(|marked| characters(marked, &texts)).min(),
    };
    let reason = match outcome {
        Some(Outcome::Judged(judged)) => judged.rationale,
        Some(Outcome::Ungrounded(judged)) => format!("UNGROUNDED: {}", judged.rationale),
        Some(Outcome::NotJudged { state, reason }) => format!("{state}: {reason}"),
        None => "the judge said nothing".to_owned(),
    };
    JudgedClaim { labelled, row, reason, core }
}

/// The cited words that do stand in the evidence.
fn cited(labelled: &LabelledClaim, judged: &Judged, texts: &[&str]) -> Places {
    let place = |citation: &crate::domain::verdict::Citation| {
        let passages = &labelled.record.passages;
        let number = passages.iter().position(|passage| passage.passage_id == citation.passage_id)?;
        Some((number, citation.span?))
    };
    // What comes closest to an unsupported claim is located evidence too, though it grounds nothing.
    let stands = |level| matches!(level, MatchLevel::Exact | MatchLevel::Normalized);
    let grounded = judged.citations.iter().filter(|citation| stands(citation.level));
    merged(grounded.filter_map(place).collect(), texts)
}

fn judged_answer(labelled: LabelledAnswer, result: &RunResult) -> JudgedAnswer {
    // A sentence of which the judge said nothing is no claim that it found.
    let is_found = |finding: &&Finding| {
        !matches!(finding.outcome, Outcome::NotJudged { state: NoVerdict::Incomplete, .. })
    };
    let produced =
        result.findings.iter().filter(is_found).filter_map(|finding| finding.answer_span).collect();
    JudgedAnswer { labelled, produced, no_claims: result.no_claims.len() }
}
