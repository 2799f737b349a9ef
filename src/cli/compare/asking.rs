//! Makes the answers that are to be made and asks the judge, about several items at once.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::{StreamExt, stream};
use tokio::sync::Semaphore;

use super::super::progress::Progress;
use super::super::{Context, Interrupt};
use super::LeftOut;
use super::command::Maker;
use super::reading::{Pairing, Side};
use crate::domain::comparison::{Comparison, Rivals};
use crate::instrument::comparison::compare_each;
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
        let size = self.judge.items_at_once().max(1);
        let mut items = items.into_iter().peekable();
        let parts =
            std::iter::from_fn(|| items.peek().is_some().then(|| items.by_ref().take(size).collect()));
        let parts: Vec<Vec<Pairing>> = parts.collect();
        let work = parts.into_iter().enumerate();
        let work = work.map(|(at, part)| async move { (at, self.several(part).await) });
        let mut in_hand = stream::iter(work).buffer_unordered(self.at_once + AHEAD.div_ceil(size));
        let mut done: Vec<(usize, Vec<Asked>)> = Vec::new();
        let mut count = 0;
        while !interrupt.is_raised() {
            tokio::select! {
                next = in_hand.next() => match next {
                    Some(part) => {
                        count += part.1.len() as u64;
                        done.push(part);
                    }
                    None => break,
                },
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            if let Some(line) = progress.line(count, count, context.clock.now()) {
                context.out.progress(&line);
            }
        }
        // What commands are in hand end here, with all that they started.
        drop(in_hand);
        done.sort_by_key(|(at, _)| *at);
        done.into_iter().flat_map(|(_, asked)| asked).collect()
    }

    /// Items that the judge takes in one look.
    async fn several(&self, items: Vec<Pairing>) -> Vec<Asked> {
        let made = items.into_iter().map(|mut item| async move {
            let made = self.answered(&mut item).await;
            (item, made)
        });
        let (mut asked, mut ready) = (Vec::new(), Vec::new());
        for (item, made) in join_all(made).await {
            let digest = item.digest();
            match made {
                Ok([baseline, candidate]) => {
                    let Pairing { id, question, documents, risk_level, .. } = item;
                    ready.push(Rivals { id, question, documents, baseline, candidate, risk_level });
                    asked.push((digest, None));
                }
                Err(reason) => {
                    let left = LeftOut { id: item.id, failed: true, reason };
                    asked.push((digest, Some(Outcome::LeftOut(left, None))));
                }
            }
        }
        let ready = Arc::new(ready);
        let compared = self.judged(&ready).await;
        let mut told = Arc::unwrap_or_clone(ready).into_iter().zip(compared);
        let settled = asked.into_iter().filter_map(|(digest, outcome)| {
            let outcome = match outcome {
                Some(outcome) => outcome,
                None => told.next().map(|(rivals, compared)| outcome_of(rivals, compared))?,
            };
            Some(Asked { digest, outcome })
        });
        settled.collect()
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

    /// What the judge says of each, in a task of its own, so that items are judged on all cores and a panic costs no
    /// others.
    async fn judged(&self, items: &Arc<Vec<Rivals>>) -> Vec<Result<Comparison, String>> {
        let all = |reason: String| vec![Err(reason); items.len()];
        let Ok(_permit) = self.permits.acquire().await else { return all("the program ended".to_owned()) };
        if let Some(reason) = self.over.get() {
            return all(format!("not asked: {reason}"));
        }
        let (judge, settings, items) =
            (Arc::clone(&self.judge), Arc::clone(&self.settings), Arc::clone(items));
        let task = tokio::spawn(async move {
            let each: Vec<&Rivals> = items.iter().collect();
            compare_each(&*judge, &each, &settings).await
        });
        match task.await {
            Ok(each) => each.into_iter().map(|one| one.map_err(|failure| self.told(failure))).collect(),
            Err(_) => all("the judge broke on this item; please report it".to_owned()),
        }
    }

    /// Nothing more is asked where every question would fail.
    fn told(&self, failure: JudgeFailure) -> String {
        match failure.reach {
            Reach::Record(state) => format!("{state}: {}", failure.reason),
            Reach::ForNow | Reach::Everything => self.over.get_or_init(|| failure.reason).clone(),
        }
    }
}

/// What becomes of an item.
fn outcome_of(rivals: Rivals, compared: Result<Comparison, String>) -> Outcome {
    let id = rivals.id.clone();
    let comparison = match compared {
        Ok(comparison) => comparison,
        Err(reason) => return Outcome::LeftOut(LeftOut { id, failed: true, reason }, None),
    };
    let likeness = Words::of(&rivals.baseline).likeness(&Words::of(&rivals.candidate));
    let left = comparison.left_out().map(|left| LeftOut { id, failed: left.failed, reason: left.reason });
    let judged = Box::new(Judged { rivals, comparison, likeness });
    match left {
        Some(left) => Outcome::LeftOut(left, Some(judged)),
        None => Outcome::Scored(judged),
    }
}
