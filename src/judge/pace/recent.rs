//! What was observed lately: the last replies, and everything since the pace was last looked at.

use std::time::Duration;

use super::Outcome;

/// The last replies.
#[derive(Debug, Default)]
pub(super) struct Recent {
    /// The newest in the lowest bit; set where refused.
    bits: u16,
}

impl Recent {
    /// How many replies are looked back on.
    pub(super) const SPAN: u32 = u16::BITS;

    pub(super) fn push(&mut self, refused: bool) {
        self.bits = self.bits << 1 | u16::from(refused);
    }

    pub(super) fn refused(&self) -> u32 {
        self.bits.count_ones()
    }

    /// How many of the last were refused without one between them that was not.
    pub(super) fn refused_in_a_row(&self) -> u32 {
        self.bits.trailing_ones()
    }
}

/// What was observed since the pace was last looked at.
#[derive(Debug, Default)]
pub(super) struct Window {
    pub(super) since: Duration,
    pub(super) sent: u32,
    pub(super) accepted: u32,
    pub(super) refused: u32,
    pub(super) slow: u32,
    /// Whether a reply came to what was sent in it.
    heard: bool,
    /// Whether the pace, and not the judge's own speed, decided when something was sent.
    pub(super) rate_bound: bool,
    /// The same of the number at once.
    pub(super) limit_bound: bool,
}

impl Window {
    pub(super) fn since(now: Duration) -> Self {
        Self { since: now, ..Self::default() }
    }

    pub(super) fn ended(&mut self, outcome: Outcome, sent: Duration) {
        self.heard |= sent >= self.since;
        match outcome {
            Outcome::Accepted => self.accepted += 1,
            Outcome::Refused { .. } => self.refused += 1,
            Outcome::Slow => self.slow += 1,
            Outcome::Neither => {}
        }
    }

    pub(super) fn lasted(&self, now: Duration) -> f64 {
        now.saturating_sub(self.since).as_secs_f64()
    }

    /// Those that have a reply may have been sent before it began.
    fn requests(&self) -> f64 {
        f64::from(self.sent.max(self.accepted + self.refused).max(1))
    }

    /// The share of refusals.
    pub(super) fn share(&self) -> f64 {
        f64::from(self.refused) / self.requests()
    }

    /// The share of refusals, less what chance may have made of it: one alone says nothing.
    pub(super) fn sure_share(&self) -> f64 {
        let refused = f64::from(self.refused);
        (refused - refused.sqrt()) / self.requests()
    }

    /// What was sent in it and not refused.
    pub(super) fn granted(&self) -> u32 {
        self.sent.saturating_sub(self.refused)
    }

    /// Whether it says enough to take the next step of a search; `step` requests at least.
    pub(super) fn is_step(&self, step: u32, now: Duration) -> bool {
        self.lasted(now) >= 0.1 && self.heard && self.sent >= step
    }

    /// Whether it says enough to change a pace that is known: soon where much is refused, else in about a second.
    pub(super) fn is_telling(&self, now: Duration) -> bool {
        let (lasted, share) = (self.lasted(now), self.share());
        let ended = self.accepted + self.refused + self.slow;
        let much = self.refused >= 5 && share >= 0.2 || self.refused >= 10 && share >= 0.1;
        lasted >= 0.1 && much || lasted >= 1.0 && ended >= 50 || lasted >= 10.0 && ended >= 4
    }
}
