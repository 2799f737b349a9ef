//! How hard one account may be worked: requests at once, and requests a second. Learned from what the server
//! accepts and refuses.
//!
//! It begins with everything allowed at once, so that a server without limits is never held up. What is refused is
//! answered in two ways. Many refusals together mean that the server is full: nothing is sent for a while, then as
//! fast as it lately accepted. Few refusals mean that the pace is slightly too high: it falls to what is accepted,
//! and later feels its way up again. If slowing down changes nothing, the refusals have another cause, and the
//! pace is set free.
//!
//! Pure: it is told the time, as a duration since some beginning, and waits for nothing. Must not know requests.

mod recent;

use std::time::Duration;

use recent::Recent;

/// What became of a request, as far as the pace is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Accepted,
    /// Too many requests, or too busy; with how long to wait where the server says it.
    Refused {
        after: Option<Duration>,
    },
    /// No reply in time.
    Slow,
    /// Nothing that says anything about the pace.
    Neither,
}

/// Whether a request may be sent now.
#[derive(Debug, PartialEq, Eq)]
pub enum Start {
    Now(Ticket),
    /// Not before.
    At(Duration),
    /// When another ends.
    AfterAnother,
}

/// A request that was let go; to be handed back by [`Pace::end`].
#[derive(Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Refusals from before the pace was cut are one burst, and not the fault of the new pace.
    epoch: u32,
    probe: bool,
}

/// A wait of this length or longer is a limit by the minute or the day, whatever else is accepted meanwhile.
const LONG_WAIT: Duration = Duration::from_secs(5);
/// How long nothing is sent when the server does not say: this, then twice as long, up to the second.
const FIRST_REST: Duration = Duration::from_millis(100);
const LONGEST_REST: Duration = Duration::from_secs(30);
/// How far a learned pace may be ahead of itself, to make up for timers that are late. Seconds.
const SLACK: f64 = 0.025;
/// No pace is slower, requests a second.
const SLOWEST: f64 = 1.0 / 60.0;
/// Of what was accepted lately, this share is what will surely be accepted.
const SURE: f64 = 0.98;
/// So small a share of refusals is no reason to change anything.
const TOLERATED: f64 = 0.01;

/// A smaller share of refusals is few.
const FEW: f64 = 0.2;
/// What few refusals leave of a pace that was proven.
const KEPT: f64 = 0.75;
/// So often in a row it is slowed down to no effect before it is set free.
const IN_VAIN: u32 = 3;
/// So many windows in a row without trouble prove that a cut was of use.
const PROOF: u32 = 3;

/// What was observed since the pace was last looked at.
#[derive(Debug, Default)]
struct Window {
    since: Duration,
    accepted: u32,
    refused: u32,
    slow: u32,
    /// Whether the pace, and not the judge's own speed, decided when something was sent.
    rate_bound: bool,
    /// The same of the number at once.
    limit_bound: bool,
}

/// How things were before a cut whose use is not proven yet.
#[derive(Debug)]
struct Trial {
    rate: f64,
    searching: bool,
    share: f64,
    /// How often it was cut since, and as much refused as before.
    in_vain: u32,
    /// Windows in a row without trouble.
    clean: u32,
}

#[derive(Debug)]
pub struct Pace {
    most: usize,
    limit: usize,
    in_flight: usize,
    /// Requests a second.
    rate: f64,
    /// No limit has been seen near this rate: it may grow fast.
    searching: bool,
    /// A rate at which too much was refused; nothing is known above it.
    too_fast: f64,
    /// The most that was accepted in a second since the server was last full. Few refusals never slow the pace far
    /// below it.
    proven: f64,
    /// When the next request is due, in seconds.
    due: f64,
    rest_until: Duration,
    next_rest: Duration,
    /// After a rest one request goes first, alone.
    half_open: bool,
    probing: bool,
    epoch: u32,
    epoch_since: Duration,
    epoch_accepted: u32,
    window: Window,
    recent: Recent,
    trial: Option<Trial>,
    /// The share of refusals that has nothing to do with the pace.
    background: f64,
}

impl Pace {
    /// `most`: requests at once, at most.
    pub fn new(most: usize) -> Self {
        let most = most.max(1);
        Self {
            most,
            limit: most,
            in_flight: 0,
            rate: (8.0 * most as f64).max(128.0),
            searching: true,
            too_fast: f64::INFINITY,
            proven: 0.0,
            due: 0.0,
            rest_until: Duration::ZERO,
            next_rest: FIRST_REST,
            half_open: false,
            probing: false,
            epoch: 0,
            epoch_since: Duration::ZERO,
            epoch_accepted: 0,
            window: Window::default(),
            recent: Recent::default(),
            trial: None,
            background: 0.0,
        }
    }

    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Until when nothing is sent because the server asked for it; in the past when it did not.
    pub fn rests_until(&self) -> Duration {
        self.rest_until
    }

    /// Whether a request may be sent at `now`; it then counts as sent.
    pub fn start(&mut self, now: Duration) -> Start {
        if self.in_flight >= self.limit {
            self.window.limit_bound = true;
            return Start::AfterAnother;
        }
        if now < self.rest_until {
            return Start::At(self.rest_until);
        }
        if self.half_open && self.probing {
            return Start::AfterAnother;
        }
        let (interval, now_s) = (1.0 / self.rate, now.as_secs_f64());
        // Before a limit is known, a whole round may go at once: replies come in rounds.
        let ahead = if self.too_fast.is_infinite() { interval * (self.most - 1) as f64 } else { SLACK };
        // Floating point is not exact: without a little grace a request would wait for itself.
        if self.due > now_s + ahead + 1e-6 {
            self.window.rate_bound = true;
            return Start::At(Duration::from_secs_f64(self.due - ahead));
        }
        self.due = self.due.max(now_s) + interval;
        self.in_flight += 1;
        self.probing = self.half_open;
        Start::Now(Ticket { epoch: self.epoch, probe: self.half_open })
    }

    /// A request has ended.
    #[expect(clippy::needless_pass_by_value, reason = "a ticket is handed back once")]
    pub fn end(&mut self, ticket: Ticket, outcome: Outcome, now: Duration) {
        self.in_flight = self.in_flight.saturating_sub(1);
        let current = ticket.epoch == self.epoch;
        if ticket.probe && current {
            self.probing = false;
        }
        match outcome {
            Outcome::Accepted => {
                self.recent.accepted(now);
                if current {
                    self.half_open = false;
                    self.next_rest = FIRST_REST;
                    self.epoch_accepted += 1;
                    self.window.accepted += 1;
                    self.recent.push(false);
                }
            }
            Outcome::Refused { after } => {
                if !current {
                    // The same burst: it may still ask for a longer rest.
                    if let Some(after) = after.filter(|_| now < self.rest_until) {
                        self.rest_until = self.rest_until.max(now + after);
                    }
                    return;
                }
                self.window.refused += 1;
                self.recent.push(true);
                if self.is_full(after) {
                    self.rest(after, now);
                    return;
                }
            }
            Outcome::Slow => self.window.slow += 1,
            Outcome::Neither => {}
        }
        self.look(now);
    }

    /// Whether so much is refused that nothing more should be sent for now.
    fn is_full(&self, after: Option<Duration>) -> bool {
        let in_a_row = match self.limit {
            ..=4 => 2,
            5..=16 => 3,
            17..=32 => 4,
            _ => 5,
        };
        let usual = (f64::from(Recent::SPAN) * self.background).ceil() as u32;
        // Nothing but refusals, at the very beginning or right after a rest.
        let from_the_start = (self.half_open || self.epoch == 0) && self.epoch_accepted == 0;
        from_the_start
            || after.is_some_and(|after| after >= LONG_WAIT)
            || self.recent.refused_in_a_row() >= in_a_row + usual
            || self.recent.refused() >= 3 * Recent::SPAN / 8 + usual
    }

    fn rest(&mut self, after: Option<Duration>, now: Duration) {
        let share = self.recent.share();
        if self.epoch_accepted > 0 {
            // What is still out may be accepted or not.
            let second = f64::from(self.recent.accepted_within(Duration::from_secs(1), now))
                + 0.5 * self.in_flight as f64;
            let long = after.is_some_and(|after| after >= LONG_WAIT);
            let lasted = now.saturating_sub(self.epoch_since).as_secs_f64().max(1.0);
            // Between two moments at which nothing was left, exactly what the limit allows was accepted.
            let accepted = if long { f64::from(self.epoch_accepted) / lasted } else { second };
            let first = self.too_fast.is_infinite() && !long;
            let slowest = if first { (self.most as f64 / 8.0).max(SLOWEST) } else { SLOWEST };
            self.trial =
                Some(Trial { rate: self.rate, searching: self.searching, share, in_vain: 0, clean: 0 });
            // How far above it the limit may lie: little, once a whole round and more was accepted.
            let whole = self.epoch_accepted as usize >= self.most;
            self.too_fast = match (long, whole) {
                (true, _) => accepted * 1.05,
                (false, true) => self.rate.min(1.4 * accepted),
                (false, false) => self.rate,
            };
            // A first round that was mostly refused says little of the rate.
            self.searching = first && !whole;
            // What is known already is not forgotten over one bad moment.
            let slowest = if first { slowest } else { slowest.max(0.5 * self.rate) };
            self.rate = (SURE * accepted).min(self.rate).max(slowest);
            self.proven = self.rate;
        }
        let rest = after.unwrap_or(self.next_rest);
        self.half_open = true;
        if after.is_none() {
            self.next_rest = (self.next_rest * 2).min(LONGEST_REST);
        }
        self.rest_until = self.rest_until.max(now + rest);
        self.due = self.rest_until.as_secs_f64();
        self.begin_epoch(now);
    }

    fn begin_epoch(&mut self, now: Duration) {
        self.epoch = self.epoch.wrapping_add(1);
        self.epoch_since = now;
        self.epoch_accepted = 0;
        self.probing = false;
        self.recent.forget();
        self.window = Window { since: now, ..Window::default() };
    }

    /// The share of refusals that is not worth a change.
    fn tolerated(&self) -> f64 {
        1.5 * self.background + TOLERATED
    }

    /// Looks back over the window once it is long enough to say something.
    fn look(&mut self, now: Duration) {
        let window = &self.window;
        let lasted = now.saturating_sub(window.since).as_secs_f64();
        let replies = window.accepted + window.refused;
        let enough = if self.searching && window.refused == 0 {
            lasted >= 0.1 && replies + window.slow >= 1
        } else {
            lasted >= 1.0 && replies + window.slow >= 20 || lasted >= 10.0 && replies + window.slow >= 4
        };
        if !enough {
            return;
        }
        self.mind_the_slow();
        let share = f64::from(self.window.refused) / f64::from(replies.max(1));
        if share <= self.tolerated() {
            self.background = if self.window.refused > 0 {
                0.8 * self.background + 0.2 * share
            } else {
                0.9 * self.background
            };
            if let Some(trial) = &mut self.trial {
                trial.clean += 1;
            }
            self.trial.take_if(|trial| trial.clean >= PROOF);
            if self.window.rate_bound {
                self.grow();
            }
        } else {
            self.slow_down(share, lasted, now);
        }
        self.window = Window { since: now, ..Window::default() };
    }

    /// Slower, down to what is accepted; or as fast as before, when slowing down was of no use twice.
    fn slow_down(&mut self, share: f64, lasted: f64, now: Duration) {
        let before = Trial { rate: self.rate, searching: self.searching, share, in_vain: 0, clean: 0 };
        let useful = |trial: &Trial| share < 0.5 * trial.share;
        // What was of use before is where the next trial begins.
        let mut trial = self.trial.take().filter(|trial| !useful(trial)).unwrap_or(before);
        trial.clean = 0;
        trial.in_vain += 1;
        if trial.in_vain > IN_VAIN {
            self.set_free(&trial, share);
            return;
        }
        let accepted = f64::from(self.window.accepted) / lasted;
        self.proven = if share < FEW { self.proven.max(accepted) } else { accepted };
        self.too_fast = self.rate;
        self.searching = false;
        self.rate = (SURE * accepted).max(KEPT * self.proven).min(self.rate).max(SLOWEST);
        self.trial = Some(trial);
        self.begin_epoch(now);
    }

    /// The pace is not what matters here: so much is refused at any.
    fn set_free(&mut self, before: &Trial, share: f64) {
        self.rate = before.rate;
        self.searching = before.searching;
        self.too_fast = 2.0 * before.rate;
        self.background = share;
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

    /// A server that answers hardly anything in time has too much in hand.
    fn mind_the_slow(&mut self) {
        let Window { accepted, refused, slow, limit_bound, .. } = self.window;
        if slow >= 2 && slow >= accepted + refused {
            self.limit = (self.limit / 2).max(1);
        } else if slow == 0 && limit_bound && self.limit < self.most {
            self.limit += (self.limit / 8).max(1);
            self.limit = self.limit.min(self.most);
        }
    }
}

#[cfg(test)]
mod tests;
