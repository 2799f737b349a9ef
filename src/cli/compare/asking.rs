//! Makes the answers that are to be made and asks the judge, about several items at once.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use tokio::sync::Semaphore;

use super::super::progress::Progress;
use super::super::{Context, Interrupt};
use super::LeftOut;
use super::command::Maker;
use super::reading::{Pairing, Side};
use crate::domain::comparison::{Comparison, Rivals};
use crate::domain::finding::AuditState;
use crate::domain::verdict::NoVerdict;
use crate::instrument::comparison::compare;
use crate::judge::{FaithfulnessSettings, Judge, JudgeFailure, Reach};
use crate::measure::likeness::Words;
use crate::report::comparison::Item;

const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Items that wait for the judge while commands make answers, beside those in its hand.
const AHEAD: usize = 64;

/// An item with what the judge said of it.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) rivals: Rivals,
    pub(super) comparison: Comparison,
    pub(super) likeness: Option<f64>,
}

impl Judged {
    /// As the report wants it.
    pub(super) fn item(&self) -> Item<'_> {
        Item { id: &self.rivals.id, comparison: &self.comparison, likeness: self.likeness, meaning: None }
    }
}

/// What became of an item.
#[derive(Debug)]
pub(super) enum Outcome {
    /// It counts in the rates.
    Scored(Box<Judged>),
    /// It does not; what the judge said of its claims all the same must not get lost.
    LeftOut(LeftOut, Option<Box<Judged>>),
}

/// An item that was asked about.
#[derive(Debug)]
pub(super) struct Asked {
    /// SHA-256 of the item with both answers, as far as they were made.
    pub(super) digest: String,
    pub(super) outcome: Outcome,
}

/// Everything that it takes to ask.
pub(super) struct Asker {
    judge: Arc<dyn Judge>,
    settings: Arc<FaithfulnessSettings>,
    maker: Maker,
    permits: Semaphore,
    at_once: usize,
    /// Why nothing more is asked.
    over: OnceLock<String>,
}

impl Asker {
    pub(super) fn new(
        judge: Arc<dyn Judge>,
        settings: FaithfulnessSettings,
        maker: Maker,
        at_once: usize,
    ) -> Self {
        let settings = Arc::new(settings);
        Self { judge, settings, maker, permits: Semaphore::new(at_once), at_once, over: OnceLock::new() }
    }

    /// Compares the items; the answer is in their order, and ends early when interrupted.
    pub(super) async fn compare(
        &self,
        items: Vec<Pairing>,
        interrupt: &Interrupt,
        mut progress: Progress,
        context: &mut Context,
    ) -> Vec<Asked> {
        let work = items.into_iter().enumerate().map(|(at, item)| async move { (at, self.one(item).await) });
        let mut in_hand = stream::iter(work).buffer_unordered(self.at_once + AHEAD);
        let mut done: Vec<(usize, Asked)> = Vec::new();
        while !interrupt.is_raised() {
            tokio::select! {
                next = in_hand.next() => match next {
                    Some(one) => done.push(one),
                    None => break,
                },
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            let count = done.len() as u64;
            if let Some(line) = progress.line(count, count, context.clock.now()) {
                context.out.progress(&line);
            }
        }
        // What commands are in hand end here, with all that they started.
        drop(in_hand);
        done.sort_by_key(|(at, _)| *at);
        done.into_iter().map(|(_, asked)| asked).collect()
    }

    async fn one(&self, mut item: Pairing) -> Asked {
        let made = self.answered(&mut item).await;
        let digest = item.digest();
        let id = item.id.clone();
        let failed = |reason: String| {
            let left = LeftOut { id: id.clone(), failed: true, reason };
            Asked { digest: digest.clone(), outcome: Outcome::LeftOut(left, None) }
        };
        let [baseline, candidate] = match made {
            Ok(answers) => answers,
            Err(reason) => return failed(reason),
        };
        let Pairing { id: _, question, documents, risk_level, .. } = item;
        let rivals = Rivals { id: id.clone(), question, documents, baseline, candidate, risk_level };
        let likeness = Words::of(&rivals.baseline).likeness(&Words::of(&rivals.candidate));
        let rivals = Arc::new(rivals);
        let comparison = match self.judged(&rivals).await {
            Ok(comparison) => comparison,
            Err(reason) => return failed(reason),
        };
        let left = left_out(&comparison).map(|(failed, reason)| LeftOut { id, failed, reason });
        let judged = Box::new(Judged { rivals: Arc::unwrap_or_clone(rivals), comparison, likeness });
        let outcome = match left {
            Some(left) => Outcome::LeftOut(left, Some(judged)),
            None => Outcome::Scored(judged),
        };
        Asked { digest, outcome }
    }

    /// Makes the answers that are to be made, and puts them into the item.
    async fn answered(&self, item: &mut Pairing) -> Result<[String; 2], String> {
        let mut answers = [String::new(), String::new()];
        for (at, answer) in answers.iter_mut().enumerate() {
            *answer = match item.sides.get(at) {
                Some(Side::Answer(given)) => given.clone(),
                _ => self.maker.make(at, item).await?,
            };
            if let Some(side) = item.sides.get_mut(at) {
                *side = Side::Answer(answer.clone());
            }
        }
        Ok(answers)
    }

    /// What the judge says, in a task of its own, so that items are judged on all cores and a panic costs one item.
    async fn judged(&self, rivals: &Arc<Rivals>) -> Result<Comparison, String> {
        let Ok(_permit) = self.permits.acquire().await else { return Err("the program ended".to_owned()) };
        if let Some(reason) = self.over.get() {
            return Err(format!("not asked: {reason}"));
        }
        let (judge, settings, rivals) =
            (Arc::clone(&self.judge), Arc::clone(&self.settings), Arc::clone(rivals));
        let task = tokio::spawn(async move { compare(&*judge, &rivals, &settings).await });
        match task.await {
            Ok(Ok(comparison)) => Ok(comparison),
            Ok(Err(JudgeFailure { reach: Reach::Record(state), reason, .. })) => {
                Err(format!("{state}: {reason}"))
            }
            Ok(Err(failure)) => Err(self.over.get_or_init(|| failure.reason).clone()),
            Err(_) => Err("the judge broke on this item; please report it".to_owned()),
        }
    }
}

/// Why a comparison counts in no rate, and whether that is because something failed.
fn left_out(comparison: &Comparison) -> Option<(bool, String)> {
    let sides = [("baseline", &comparison.baseline), ("candidate", &comparison.candidate)];
    for (name, side) in sides {
        let failed = side.claims.iter().find(|claim| claim.state == AuditState::NoVerdict(NoVerdict::Failed));
        if let Some(failed) = failed {
            return Some((true, format!("a claim of the {name} could not be judged: {}", failed.remark)));
        }
    }
    for (name, side) in sides {
        if side.claims.is_empty() {
            return Some((false, format!("the {name} makes no claim")));
        }
    }
    let details = comparison.summary.regression_details.trim_end_matches('.');
    comparison.summary.rate_change.is_none().then(|| (false, details.to_owned()))
}
