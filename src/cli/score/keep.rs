//! Scored pairs on their way into the store: a few at a time, or only the lowest of all into the queue.

use std::collections::BinaryHeap;
use std::str::FromStr;

use super::super::Context;
use crate::domain::finding::Outcome;
use crate::domain::routing::Policy;
use crate::domain::verdict::Score;
use crate::store::{KeptScore, Routed, ScoredPair, Store};

/// Which pairs go to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Queue {
    /// Those that the routing policy names.
    ByPolicy,
    /// The lowest, so many.
    Lowest(usize),
}

/// More would be held in memory until the last pair is scored.
const MOST: usize = 10_000;

impl FromStr for Queue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == BY_POLICY {
            return Ok(Self::ByPolicy);
        }
        let count = text.parse::<usize>().ok().filter(|count| *count <= MOST);
        let count = count
            .ok_or_else(|| format!("use a number up to {MOST}; the files of pairs stand before --queue"))?;
        Ok(Self::Lowest(count))
    }
}

/// What `--queue` without a number stands for.
pub(super) const BY_POLICY: &str = "by-policy";

/// So many pairs are handed over at once.
const AT_ONCE: usize = 64;
/// Pairs of which a conflict is told; the rest are counted.
const CONFLICTS_TOLD: u64 = 20;

/// Takes scored pairs to the store.
pub(super) struct Keeper {
    store: Store,
    policy: Policy,
    queue: Queue,
    waiting: Vec<ScoredPair>,
    lowest: BinaryHeap<Low>,
    order: u64,
    pub(super) kept: Kept,
}

/// What became of the pairs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Kept {
    pub(super) new: u64,
    pub(super) queued: u64,
    pub(super) unchanged: u64,
    pub(super) conflicts: u64,
}

/// A pair that is among the lowest so far; the greatest is the first to give way.
struct Low {
    /// Score, doubt, order of arrival.
    rank: (Score, u16, u64),
    pair: ScoredPair,
}

impl PartialEq for Low {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank
    }
}

impl Eq for Low {}

impl PartialOrd for Low {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Low {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}

impl Keeper {
    pub(super) fn new(store: Store, policy: Policy, queue: Queue) -> Self {
        Self {
            store,
            policy,
            queue,
            waiting: Vec::new(),
            lowest: BinaryHeap::new(),
            order: 0,
            kept: Kept::default(),
        }
    }

    /// Takes a pair, and stores some when there are enough.
    pub(super) fn add(&mut self, mut pair: ScoredPair, context: &mut Context) -> anyhow::Result<()> {
        let Queue::Lowest(most) = self.queue else { return self.hand_over(pair, context) };
        let rank = pair.result.findings.first().and_then(|finding| match &finding.outcome {
            Outcome::Judged(judged) => {
                Some((judged.support?, ((1.0 - judged.confidence.get()) * 1000.0) as u16))
            }
            _ => None,
        });
        // What has no score that stands is for a person, whatever else is.
        let Some((score, doubt)) = rank else { return self.hand_over(pair, context) };
        pair.routed = Routed::Always;
        self.order += 1;
        self.lowest.push(Low { rank: (score, doubt, self.order), pair });
        if self.lowest.len() > most
            && let Some(Low { mut pair, .. }) = self.lowest.pop()
        {
            pair.routed = Routed::Never;
            self.hand_over(pair, context)?;
        }
        Ok(())
    }

    fn hand_over(&mut self, pair: ScoredPair, context: &mut Context) -> anyhow::Result<()> {
        self.waiting.push(pair);
        if self.waiting.len() >= AT_ONCE { self.store(context) } else { Ok(()) }
    }

    /// Stores what waits, but not what is still among the lowest.
    pub(super) fn store(&mut self, context: &mut Context) -> anyhow::Result<()> {
        let pairs = std::mem::take(&mut self.waiting);
        if pairs.is_empty() {
            return Ok(());
        }
        let became = self.store.keep_scores(&pairs, &self.policy, context.clock.now())?;
        for (pair, became) in pairs.iter().zip(became) {
            match became {
                KeptScore::Kept { queued } => {
                    self.kept.new += 1;
                    self.kept.queued += u64::from(queued);
                }
                KeptScore::Unchanged => self.kept.unchanged += 1,
                KeptScore::Conflict { first_source } => {
                    self.kept.conflicts += 1;
                    if self.kept.conflicts <= CONFLICTS_TOLD {
                        let (id, source) = (&pair.new.record.audit_id, &pair.new.source);
                        let why =
                            format!("{source}: the id `{id}` is that of another record, of {first_source}");
                        context.out.error(&why);
                    }
                }
            }
        }
        Ok(())
    }

    /// Stores all that is left, the lowest of all too.
    pub(super) fn finish(&mut self, context: &mut Context) -> anyhow::Result<()> {
        let mut lowest = std::mem::take(&mut self.lowest).into_sorted_vec();
        lowest.reverse();
        while let Some(Low { pair, .. }) = lowest.pop() {
            self.hand_over(pair, context)?;
        }
        self.store(context)
    }
}
