//! What the *Support* screen holds: how the scores of pairs are spread, and the lowest pairs around the one in hand.

use std::sync::Arc;

use crate::store::{self, Store, StoreError, WorstPair};
use crate::tui::exchanges::Reading;

/// Pairs that are read on each side of the one in hand.
const MARGIN: u64 = 100;

/// The state of the screen.
#[derive(Debug, Clone)]
pub struct Support {
    pub read: Reading<Arc<Reply>>,
    /// Which of the lowest pairs is in hand, from 0; of the pairs that have a score, the lowest comes first.
    pub at: u64,
}

impl Default for Support {
    fn default() -> Self {
        Self { read: Reading::Loading, at: 0 }
    }
}

impl Support {
    /// How many pairs can be in hand.
    pub fn pairs(&self) -> u64 {
        self.read.ready().map_or(0, |read| read.support.all.n())
    }

    /// The pair on that place, as far as it is read.
    pub fn pair(&self, at: u64) -> Option<&WorstPair> {
        let read = self.read.ready()?;
        read.pairs.get(usize::try_from(at.checked_sub(read.from)?).ok()?)
    }

    /// Whether the place of the pair in hand is among those that were read, whether or not a pair stood there.
    pub fn is_covered(&self) -> bool {
        self.read.ready().is_some_and(|read| (read.from..read.from + 2 * MARGIN).contains(&self.at))
    }

    /// Whether pairs that would be shown soon are not read yet.
    pub fn wants_more(&self) -> bool {
        let Some(read) = self.read.ready() else { return false };
        let (from, to) = (read.from, read.from + read.pairs.len() as u64);
        let close = MARGIN / 2;
        (from > 0 && self.at < from + close) || (to < self.pairs() && self.at + close >= to)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The place of the pair in hand.
    pub around: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    pub support: store::Support,
    /// The place of the first of [`Reply::pairs`].
    pub from: u64,
    pub pairs: Vec<WorstPair>,
}

pub(super) fn read(store: &Store, question: &Question) -> Result<Arc<Reply>, StoreError> {
    store.snapshot(|| {
        let support = store.support()?;
        let around = question.around.min(support.all.n());
        let from = around.saturating_sub(MARGIN);
        let pairs = store.worst_pairs(from, 2 * MARGIN as usize)?;
        Ok(Arc::new(Reply { support, from, pairs }))
    })
}
