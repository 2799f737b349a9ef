//! What the last replies were, and how many were accepted in the last second.

use std::collections::VecDeque;
use std::time::Duration;

/// Older instants are of no use to anybody.
const KEPT: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub(super) struct Recent {
    /// The last replies, the newest in the lowest bit; set where refused.
    bits: u16,
    known: u32,
    accepted: VecDeque<Duration>,
}

impl Recent {
    /// How many replies are looked back on.
    pub(super) const SPAN: u32 = u16::BITS;

    pub(super) fn push(&mut self, refused: bool) {
        self.bits = self.bits << 1 | u16::from(refused);
        self.known = (self.known + 1).min(Self::SPAN);
    }

    pub(super) fn refused(&self) -> u32 {
        self.bits.count_ones()
    }

    /// How many of the last were refused without one between them that was not.
    pub(super) fn refused_in_a_row(&self) -> u32 {
        self.bits.trailing_ones()
    }

    /// The share of refusals among them.
    pub(super) fn share(&self) -> f64 {
        f64::from(self.refused()) / f64::from(self.known.max(1))
    }

    /// Forgets what the last replies were, not when they were accepted.
    pub(super) fn forget(&mut self) {
        (self.bits, self.known) = (0, 0);
    }

    pub(super) fn accepted(&mut self, now: Duration) {
        self.accepted.push_back(now);
        while self.accepted.front().is_some_and(|first| now.saturating_sub(*first) > KEPT) {
            self.accepted.pop_front();
        }
    }

    /// How many were accepted in that time before `now`; at most a second is known.
    pub(super) fn accepted_within(&self, time: Duration, now: Duration) -> u32 {
        let count = self.accepted.iter().rev().take_while(|at| now.saturating_sub(**at) <= time).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }
}
