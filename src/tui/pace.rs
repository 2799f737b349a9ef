//! How fast a session goes, and so how long the rest will take.
//!
//! Must not know what is decided, only when.

use std::time::Duration;

use crate::domain::time::Timestamp;

/// How fast this session goes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pace {
    /// When the last decision was made, or the session began.
    pub last: Option<Timestamp>,
    /// Time taken for each of the latest decisions.
    pub taken: Vec<Duration>,
}

impl Pace {
    /// How many of the latest decisions count.
    pub const WINDOW: usize = 50;
    /// A longer pause was no thinking about a claim.
    pub const LONGEST: Duration = Duration::from_mins(5);

    /// Notes a decision made at `now`.
    pub fn decided(&mut self, now: Timestamp) {
        if let Some(last) = self.last.replace(now) {
            let took = now.since(last);
            if took <= Self::LONGEST {
                if self.taken.len() == Self::WINDOW {
                    self.taken.remove(0);
                }
                self.taken.push(took);
            }
        }
    }

    /// The median time of a decision; `None` before three of them.
    pub fn median(&self) -> Option<Duration> {
        let mut sorted = self.taken.clone();
        sorted.sort_unstable();
        (sorted.len() >= 3).then(|| sorted[sorted.len() / 2])
    }
}
