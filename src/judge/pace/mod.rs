//! How hard one account may be worked: requests at once, and requests a second. Learned from what the server
//! accepts and refuses.
//!
//! It begins with everything allowed at once, so that a server without limits is never held up. What is refused is
//! answered in two ways. Many refusals together mean that the server is full: nothing is sent for a while. Few
//! refusals mean that the pace is too high: it falls. In both cases to what the server was seen to grant: whatever
//! the limit is made of, between two moments at which nothing was left of it exactly as much was granted as it
//! allows, and only the very first time is what it had in store among it. From there the pace feels its way up
//! again, slowly where a refusal came before. If slowing down changes nothing, the refusals have another cause, and
//! the pace is set free.
//!
//! Refusals to requests that were sent before the pace was cut are one burst: they count once. What has no reply
//! yet counts as granted, because refusals come fast; those that come late are taken off while the pace rests.
//!
//! Pure: it is told the time, as a duration since some beginning, and waits for nothing. Must not know requests.

mod finding;
mod recent;

use std::time::Duration;

use finding::{Background, Trial};
use recent::{Recent, Window};

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
    sent: Duration,
    probe: bool,
}

/// A wait of this length or longer is a limit by the minute or the day, whatever else is accepted meanwhile.
const LONG_WAIT: Duration = Duration::from_secs(5);
/// How long nothing is sent when the server does not say: this, then half as long again each time, up to the second.
const FIRST_REST: Duration = Duration::from_millis(100);
const LONGEST_REST: Duration = Duration::from_secs(30);
/// The longest rest that a server is given because it asks for it. One that asks for a month is wrong more often than
/// right, and one request finds out.
const LONGEST_ASKED: Duration = Duration::from_hours(1);
/// A rest is no shorter than refusals take to come, but not for the sake of one that took longer than this.
const LATEST_REFUSAL: Duration = Duration::from_secs(1);
/// How far a learned pace may be ahead of itself, to make up for timers that are late. Seconds.
const SLACK: f64 = 0.025;

/// The server had nothing left, and the pace rests.
#[derive(Debug, Clone, Copy)]
struct Full {
    at: Duration,
    /// Whether it asked for a long wait.
    long: bool,
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
    /// A rate at which too much was refused; nothing is known above it. Infinite until anything was.
    too_fast: f64,
    /// So much must have been granted before a search takes its next step: a server that had as much in store may
    /// have it again.
    step: u32,
    /// When the next request is due, in seconds.
    due: f64,
    rest_until: Duration,
    next_rest: Duration,
    full: Option<Full>,
    /// After a rest one request goes first, alone, unless the rate is known.
    half_open: bool,
    probing: bool,
    epoch: u32,
    epoch_accepted: u32,
    /// When the server last had nothing left, and what it has granted since.
    empty_at: Duration,
    granted: u32,
    /// When the last rest ended.
    resumed_at: Duration,
    window: Window,
    recent: Recent,
    trial: Option<Trial>,
    background: Background,
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
            step: 0,
            due: 0.0,
            rest_until: Duration::ZERO,
            next_rest: FIRST_REST,
            full: None,
            half_open: false,
            probing: false,
            epoch: 0,
            epoch_accepted: 0,
            empty_at: Duration::ZERO,
            granted: 0,
            resumed_at: Duration::ZERO,
            window: Window::default(),
            recent: Recent::default(),
            trial: None,
            background: Background::default(),
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
        if let Some(full) = self.full.take() {
            // Only now has every refusal of the burst come in.
            self.learn(full);
            self.resumed_at = now;
            self.window = Window::since(now);
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
        self.window.sent += 1;
        self.granted = self.granted.saturating_add(1);
        self.probing = self.half_open;
        Start::Now(Ticket { epoch: self.epoch, sent: now, probe: self.half_open })
    }

    /// A request has ended.
    #[expect(clippy::needless_pass_by_value, reason = "a ticket is handed back once")]
    pub fn end(&mut self, ticket: Ticket, outcome: Outcome, now: Duration) {
        self.in_flight = self.in_flight.saturating_sub(1);
        let refused = matches!(outcome, Outcome::Refused { .. });
        if refused && ticket.sent >= self.empty_at {
            self.granted = self.granted.saturating_sub(1);
        }
        if ticket.epoch != self.epoch {
            // The same burst: it may still ask for a longer rest.
            if let Outcome::Refused { after: Some(after) } = outcome
                && now < self.rest_until
            {
                self.rest_until = self.rest_until.max(now + after.min(LONGEST_ASKED));
            }
            return;
        }
        self.probing &= !ticket.probe;
        self.window.ended(outcome, ticket.sent);
        match outcome {
            Outcome::Accepted => {
                self.half_open = false;
                self.next_rest = FIRST_REST;
                self.epoch_accepted = self.epoch_accepted.saturating_add(1);
                self.recent.push(false);
            }
            Outcome::Refused { after } => {
                self.recent.push(true);
                if self.is_full(after) {
                    self.rest(after, now.saturating_sub(ticket.sent), now);
                    return;
                }
            }
            Outcome::Slow | Outcome::Neither => {}
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
        let usual = self.background.of(Recent::SPAN);
        self.rest_was_too_short()
            || after.is_some_and(|after| after >= LONG_WAIT)
            || self.recent.refused_in_a_row() >= in_a_row + usual
            || self.recent.refused() >= 3 * Recent::SPAN / 4 + usual
    }

    /// The one that went first after a rest is the first to end.
    fn rest_was_too_short(&self) -> bool {
        self.half_open && self.epoch_accepted == 0
    }

    /// Nothing is sent for as long as the server asks, or longer where that was not enough before. `took`: how long
    /// the refusal took to come.
    fn rest(&mut self, after: Option<Duration>, took: Duration, now: Duration) {
        let long = after.is_some_and(|after| after >= LONG_WAIT);
        self.full.get_or_insert(Full { at: now, long }).long |= long;
        let rest = match after {
            Some(after) if self.rest_was_too_short() => after.min(LONGEST_ASKED).max(self.next_rest),
            Some(after) => after.min(LONGEST_ASKED),
            None => self.next_rest,
        };
        self.next_rest = (self.next_rest * 3 / 2).min(LONGEST_REST);
        self.rest_until = self.rest_until.max(now + rest.max(took.min(LATEST_REFUSAL)));
        self.due = self.rest_until.as_secs_f64();
        self.begin_epoch(now);
    }

    fn begin_epoch(&mut self, now: Duration) {
        self.epoch = self.epoch.wrapping_add(1);
        self.epoch_accepted = 0;
        self.probing = false;
        self.recent = Recent::default();
        self.window = Window::since(now);
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
