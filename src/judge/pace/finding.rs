//! Finding the rate that a server allows: what to make of a full server, of few refusals, and of none.

use std::time::Duration;

use super::recent::Window;
use super::{Full, Pace};

/// No pace is slower, requests a second.
const SLOWEST: f64 = 1.0 / 60.0;
/// Of what was granted lately, this share is what will surely be granted.
const SURE: f64 = 0.98;
/// So small a share of refusals is no reason to change anything.
const TOLERATED: f64 = 0.01;
/// The same in a search, which is coarse.
const TOLERATED_IN_SEARCH: f64 = 0.1;
/// From this share of refusals on the limit is left behind, and what was granted since the server was last empty
/// tells it.
const MANY: f64 = 0.2;
/// In less time, in seconds, what was granted says nothing of a rate.
const SHORTEST: f64 = 0.2;
/// Of the rate at which a search has gone too far, this share counts when it steps back.
const STEP_BACK: f64 = 0.6;
/// So often in a row it is slowed down to no effect before it is set free.
const IN_VAIN: u32 = 3;
/// So many windows in a row without trouble prove that a cut was of use.
const PROOF: u32 = 3;

/// How things were before a cut whose use is not proven yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trial {
    rate: f64,
    searching: bool,
    share: f64,
    /// How often it was cut since, and as much refused as before.
    in_vain: u32,
    /// Windows in a row without trouble.
    clean: u32,
}

/// The share of refusals that has nothing to do with the pace: none, until slowing down was found to be in vain.
#[derive(Debug, Default)]
pub(super) struct Background(f64);

impl Background {
    /// Of so many replies so many are refused anyway.
    pub(super) fn of(&self, replies: u32) -> u32 {
        (f64::from(replies) * self.0).ceil() as u32
    }

    /// The share of refusals that is not worth a change.
    fn tolerated(&self) -> f64 {
        1.5 * self.0 + TOLERATED
    }

    fn seen(&mut self, share: f64) {
        if share < self.0 {
            self.0 = 0.8 * self.0 + 0.2 * share;
        }
    }
}

/// A rate by counting is uncertain by one or two requests: the highest that it may be.
fn at_most(rate: f64, granted: f64) -> f64 {
    rate * (1.0 + 2.0 / granted.max(4.0))
}

impl Pace {
    /// What a full server has shown, once the rest is over.
    pub(super) fn learn(&mut self, full: Full) {
        let count = std::mem::take(&mut self.granted);
        let empty_at = std::mem::replace(&mut self.empty_at, full.at);
        self.half_open = true;
        if count == 0 {
            return;
        }
        self.trial = Some(self.trial(1.0));
        self.step = count;
        let granted = f64::from(count);
        let lasted = full.at.saturating_sub(empty_at).as_secs_f64();
        if full.long {
            let allowed = granted / lasted.max(1.0);
            self.too_fast = at_most(allowed, granted);
            self.rate = (SURE * allowed).min(self.rate).max(SLOWEST);
            self.searching = false;
        } else if self.too_fast.is_infinite() {
            // Just what the limit allows in a second, or more because of what a bucket held. Where not even one
            // round went through, it says nothing, and a search begins.
            self.rate = (granted / lasted.max(1.0)).max(self.most as f64 / 2.0);
            self.too_fast = at_most(self.rate, granted);
            self.searching = (count as usize) < self.most;
        } else if self.searching {
            self.end_search(granted / lasted.max(0.01));
            self.half_open = false;
        } else {
            let allowed = if lasted >= SHORTEST {
                self.allowed(granted, empty_at, full.at)
            } else {
                self.too_fast.min(0.75 * self.rate)
            };
            let least = if lasted >= 1.0 { SLOWEST } else { 0.25 * self.rate };
            self.too_fast = at_most(allowed, granted).min(self.rate);
            self.rate = (SURE * allowed).min(self.rate).max(least);
            self.half_open = false;
        }
    }

    /// The rate that the limit allows, when so much was granted from one moment with nothing left to another.
    /// Exact where all the time was used; what a bucket could not hold during a rest in between was lost, so that
    /// the truth then lies between the rate with and the rate without the rest.
    fn allowed(&self, granted: f64, empty_at: Duration, now: Duration) -> f64 {
        let since = |then: Duration| granted / now.saturating_sub(then).as_secs_f64().max(0.05);
        (since(empty_at) * since(self.resumed_at.max(empty_at))).sqrt()
    }

    /// Looks back over the window once it is long enough to say something.
    pub(super) fn look(&mut self, now: Duration) {
        let is_enough =
            if self.searching { self.window.is_step(self.step, now) } else { self.window.is_telling(now) };
        if !is_enough {
            return;
        }
        self.mind_the_slow();
        self.background.seen(self.window.share());
        let tolerated = if self.searching { TOLERATED_IN_SEARCH } else { self.background.tolerated() };
        if self.window.sure_share() <= tolerated {
            if let Some(trial) = &mut self.trial {
                trial.clean += 1;
            }
            self.trial.take_if(|trial| trial.clean >= PROOF);
            if self.window.rate_bound {
                self.grow();
            }
        } else {
            self.slow_down(now);
        }
        self.window = Window::since(now);
    }

    /// Slower, down to what is granted; or as fast as before, when slowing down was of no use.
    fn slow_down(&mut self, now: Duration) {
        let share = self.window.share();
        // What was of use before is where the next trial begins.
        let before = self.trial.take().filter(|trial| share >= 0.5 * trial.share);
        let mut trial = before.unwrap_or_else(|| self.trial(share));
        trial.clean = 0;
        trial.in_vain += 1;
        if trial.in_vain > IN_VAIN {
            self.set_free(&trial, share);
            return;
        }
        let since_empty = now.saturating_sub(self.empty_at).as_secs_f64();
        let count = f64::from(std::mem::take(&mut self.granted));
        let empty_at = std::mem::replace(&mut self.empty_at, now);
        if self.searching {
            self.end_search(count / since_empty.max(0.01));
        } else {
            let (allowed, granted) = if share >= MANY && since_empty >= SHORTEST {
                (self.allowed(count, empty_at, now), count)
            } else {
                let granted = f64::from(self.window.granted());
                (granted / self.window.lasted(now), granted)
            };
            self.too_fast = at_most(allowed, granted).min(self.rate);
            self.rate = (SURE * allowed).min(self.rate).max(SLOWEST);
        }
        self.trial = Some(trial);
        self.begin_epoch(now);
    }

    /// The last step of a search was too large. The limit lies between what was granted on the average, while the
    /// steps before asked for less than it, and this rate.
    fn end_search(&mut self, average: f64) {
        self.too_fast = self.rate;
        self.searching = false;
        self.rate = (STEP_BACK * average * self.rate).sqrt().min(self.rate).max(SLOWEST);
    }

    fn trial(&self, share: f64) -> Trial {
        Trial { rate: self.rate, searching: self.searching, share, in_vain: 0, clean: 0 }
    }

    /// The pace is not what matters here: so much is refused at any.
    fn set_free(&mut self, before: &Trial, share: f64) {
        self.rate = before.rate;
        self.searching = before.searching;
        self.too_fast = 2.0 * before.rate;
        self.background = Background(share);
    }

    fn grow(&mut self) {
        if self.searching {
            self.rate *= 2.0;
        } else if self.rate < 0.9 * self.too_fast {
            self.rate += (0.15 * (0.9 * self.too_fast - self.rate)).clamp(0.01 * self.rate, 0.2 * self.rate);
        } else if self.rate < 1.1 * self.too_fast {
            self.rate *= 1.01;
        } else {
            // What was too much once is not any more.
            self.rate *= 1.1;
            self.searching = self.rate > 1.5 * self.too_fast;
        }
    }
}
