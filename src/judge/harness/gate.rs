//! Lets requests go: with a key that works, at the pace of its account, never more at once than is allowed.
//!
//! A permit is for one request, and nobody who holds one waits for another. Who waits stands in a line; only the
//! first in it looks at the gate.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::deadline::Deadline;
use crate::judge::keys::{KeyPlace, Keys};
use crate::judge::pace::{Outcome, Pace, Start, Ticket};
use crate::judge::settings::Secret;

pub(super) struct Gate {
    began: Instant,
    most: usize,
    state: Mutex<State>,
    /// The line; the first in it holds this.
    line: tokio::sync::Mutex<()>,
    /// Tells the first in the line to look again.
    look: Notify,
}

struct State {
    keys: Keys,
    paces: Vec<Pace>,
}

/// Why no request can be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shut {
    /// No key can be used any more.
    NoKeys(Vec<String>),
    /// No account may be asked for longer than any record may take.
    Rests(Duration),
    /// Because of the record's own refusals, not within its time.
    TooLate,
    /// Its turn did not come, however long it stood in the line.
    Queue,
}

/// Accounts that one record had better leave alone, each until an instant.
#[derive(Debug, Default, Clone)]
pub(super) struct Avoid(Vec<(usize, Instant)>);

impl Avoid {
    pub(super) fn until(&mut self, account: usize, until: Instant) {
        self.0.retain(|(known, _)| *known != account);
        self.0.push((account, until));
    }

    fn at(&self, account: usize, now: Instant) -> Option<Instant> {
        self.0.iter().find(|(known, until)| *known == account && *until > now).map(|(_, until)| *until)
    }
}

/// Leave to send one request. Dropped without an outcome, it says nothing about the pace.
pub(super) struct Permit<'a> {
    gate: &'a Gate,
    place: KeyPlace,
    ticket: Option<Ticket>,
}

enum Look<'a> {
    Go(Permit<'a>),
    Wait(Option<Instant>),
}

impl Gate {
    pub(super) fn new(keys: Keys, concurrency: usize) -> Self {
        let most = concurrency.max(1);
        let paces = (0..keys.accounts()).map(|_| Pace::new(most)).collect();
        let state = Mutex::new(State { keys, paces });
        Self { began: Instant::now(), most, state, line: tokio::sync::Mutex::new(()), look: Notify::new() }
    }

    /// Uses all keys again, also those that were set aside.
    pub(super) fn revive(&self) {
        self.state().keys.revive();
        self.look.notify_one();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn since(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.began)
    }

    /// Waits for leave to send one request. What is waited for others does not count against the record, what is
    /// waited because of its own refusals (`avoid`) does.
    pub(super) async fn enter(&self, avoid: &Avoid, deadline: &Deadline) -> Result<Permit<'_>, Shut> {
        if let Some(until) = self.all_avoided(avoid)? {
            if until > deadline.at() {
                let rest = self.shortest_rest()?;
                return Err(if rest > deadline.allowed() { Shut::Rests(rest) } else { Shut::TooLate });
            }
            sleep_until(until).await;
        }
        let queued = Instant::now();
        let entered = timeout_at(deadline.at_the_latest(), self.first_in_line(avoid, deadline)).await;
        deadline.was_queued(queued.elapsed());
        entered.unwrap_or(Err(Shut::Queue))
    }

    /// Until when every account that can be used is to be left alone by this record.
    fn all_avoided(&self, avoid: &Avoid) -> Result<Option<Instant>, Shut> {
        let state = self.state();
        let now = Instant::now();
        let mut first: Option<Instant> = None;
        for account in state.usable()? {
            match avoid.at(account, now) {
                None => return Ok(None),
                Some(until) => first = Some(first.map_or(until, |first| first.min(until))),
            }
        }
        Ok(first)
    }

    /// How long the account that is asked again first still rests.
    fn shortest_rest(&self) -> Result<Duration, Shut> {
        let state = self.state();
        let now = self.since(Instant::now());
        let rests = state.usable()?.into_iter().map(|account| state.paces[account].rests_until());
        Ok(rests.min().unwrap_or_default().saturating_sub(now))
    }

    /// How long nothing is sent because the server asked for it, whatever account is asked; zero while it goes on.
    pub(super) fn rest(&self) -> Duration {
        self.shortest_rest().unwrap_or_default()
    }

    async fn first_in_line(&self, avoid: &Avoid, deadline: &Deadline) -> Result<Permit<'_>, Shut> {
        let _first = self.line.lock().await;
        loop {
            match self.look(avoid, deadline)? {
                Look::Go(permit) => return Ok(permit),
                Look::Wait(None) => self.look.notified().await,
                Look::Wait(Some(until)) => {
                    tokio::select! {
                        () = self.look.notified() => {}
                        () = sleep_until(until) => {}
                    }
                }
            }
        }
    }

    /// Of the accounts that may be asked, the one with the least in hand.
    fn look(&self, avoid: &Avoid, deadline: &Deadline) -> Result<Look<'_>, Shut> {
        let mut state = self.state();
        let now = Instant::now();
        let mut usable = state.usable()?;
        usable.sort_by_key(|account| state.paces[*account].in_flight());
        let full = state.paces.iter().map(Pace::in_flight).sum::<usize>() >= self.most;
        let mut wake: Option<Instant> = None;
        let mut rests: Option<Duration> = None;
        for account in usable {
            let resting = state.paces[account].rests_until().saturating_sub(self.since(now));
            rests = Some(rests.map_or(resting, |least| least.min(resting)));
            if full {
                continue;
            }
            let mut sooner = |at: Instant| wake = Some(wake.map_or(at, |first| first.min(at)));
            if let Some(until) = avoid.at(account, now) {
                sooner(until);
                continue;
            }
            match state.paces[account].start(self.since(now)) {
                Start::Now(ticket) => {
                    let Some(place) = state.keys.usable(account) else { continue };
                    return Ok(Look::Go(Permit { gate: self, place, ticket: Some(ticket) }));
                }
                Start::At(at) => sooner(self.began + at),
                Start::AfterAnother => {}
            }
        }
        match rests {
            Some(rest) if rest > deadline.allowed() => Err(Shut::Rests(rest)),
            _ => Ok(Look::Wait(wake)),
        }
    }

    pub(super) fn blotted(&self, text: String) -> String {
        self.state().keys.blotted(text)
    }

    /// The same for a text that may end within a key.
    pub(super) fn blotted_to_the_end(&self, text: String) -> String {
        self.state().keys.blotted_to_the_end(text)
    }

    pub(super) fn accounts(&self) -> usize {
        self.state().keys.accounts()
    }
}

impl State {
    /// The accounts of which a key can be used.
    fn usable(&self) -> Result<Vec<usize>, Shut> {
        let usable: Vec<usize> =
            (0..self.paces.len()).filter(|account| self.keys.usable(*account).is_some()).collect();
        if usable.is_empty() { Err(Shut::NoKeys(self.keys.trouble())) } else { Ok(usable) }
    }
}

impl Permit<'_> {
    pub(super) fn account(&self) -> usize {
        self.place.account
    }

    pub(super) fn secret(&self) -> Option<Secret> {
        self.gate.state().keys.secret(self.place).cloned()
    }

    /// The server does not accept the key.
    pub(super) fn denied(mut self, why: &str) {
        self.gate.state().keys.deny(self.place, why);
        self.hand_back(Outcome::Neither);
    }

    /// The account is used up.
    pub(super) fn exhausted(mut self, why: &str) {
        self.gate.state().keys.exhaust(self.place.account, why);
        self.hand_back(Outcome::Neither);
    }

    pub(super) fn end(mut self, outcome: Outcome) {
        self.hand_back(outcome);
    }

    fn hand_back(&mut self, outcome: Outcome) {
        if let Some(ticket) = self.ticket.take() {
            let now = self.gate.since(Instant::now());
            self.gate.state().paces[self.place.account].end(ticket, outcome, now);
            self.gate.look.notify_one();
        }
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.hand_back(Outcome::Neither);
    }
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;
