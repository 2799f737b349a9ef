//! The thread that is on duty: it looks whether there is something to tell, and calls.

use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;

use super::call::call_within;
use super::others::{State, others};
use super::{Heard, LONGEST_AT_END, Task, claims, payload};
use crate::auditor::{Fate, fate};
use crate::store::told::{Asks, Failing, News, Present, Telling, Untold};
use crate::store::{Durability, Store, StoreError};

/// How often it is looked whether something arrived.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// After an error of the store.
const REST: Duration = Duration::from_secs(5);
/// Where another program calls, it is looked so often whether that fails.
const LISTEN_EVERY: Duration = Duration::from_secs(2);
/// Ids that a call names.
const NAMED: usize = 20;
/// A program that takes longer is ended: what arrives meanwhile waits for it.
const LONGEST: Duration = Duration::from_mins(1);

pub(super) struct Post<F> {
    pub(super) task: Task,
    pub(super) present: Present,
    pub(super) stopped: Receiver<()>,
    pub(super) tell: F,
    /// The failure that was told.
    pub(super) heard: Option<Failing>,
}

/// What came of a look.
enum Looked {
    /// There is nothing to tell until something changes in the store.
    Nothing,
    /// Look again so much later.
    In(Duration),
    /// The program was to end while it called; whether the call went well.
    Stopped { well: bool },
}

impl<F: Fn(Heard)> Post<F> {
    pub(super) fn keep(&mut self) -> Result<(), StoreError> {
        let mut store = Store::open(&self.task.db, Durability::Normal)?;
        if self.task.hook.is_some() {
            store.begin_telling(self.present.since())?;
        }
        // Whoever cannot be registered is on duty all the same.
        if let Err(error) = self.enter(&mut store) {
            tracing::warn!(%error, "the store does not know who is on duty");
        }
        let (mut wait, mut asks) = (LOOK_EVERY, Asks::First);
        // As of which state of the store there was nothing to tell.
        let mut quiet = None;
        self.listen(&store);
        let is_last = loop {
            match self.stopped.recv_timeout(wait) {
                Ok(()) => break true,
                Err(RecvTimeoutError::Disconnected) => break false,
                Err(RecvTimeoutError::Timeout) => {}
            }
            let state = store.data_version().ok();
            if state.is_some() && state == quiet {
                continue;
            }
            quiet = None;
            match self.look(&mut store, asks) {
                Looked::Nothing => (wait, quiet) = (LOOK_EVERY, state),
                Looked::In(later) => wait = later,
                // One that does not work will not work within the seconds that are left.
                Looked::Stopped { well } => break well,
            }
            asks = Asks::Again;
            self.listen(&store);
        };
        // Before the last call, so that of two that end at once one sees that nobody is left.
        if let Err(error) = store.leave(&[&self.present.holder]) {
            tracing::warn!(%error, "the store does not know who goes off duty");
        }
        if is_last && !self.is_another_there(&store) {
            self.look(&mut store, Asks::Last);
            self.listen(&store);
        }
        Ok(())
    }

    fn enter(&self, store: &mut Store) -> Result<(), StoreError> {
        let present = store.present()?;
        let dead = present.iter().map(|one| one.holder.as_str()).filter(|name| fate(name) == Fate::Dead);
        store.leave(&dead.collect::<Vec<_>>())?;
        store.enter(&self.present)
    }

    /// Whether somebody else calls, and is seen to live: then what is left is theirs to tell.
    fn is_another_there(&self, store: &Store) -> bool {
        let others = others(store, Some(&self.present.holder)).unwrap_or_default();
        others.iter().any(|other| other.present.pages && matches!(other.state, State::Runs { .. }))
    }

    /// Calls, if there is something to call for.
    fn look(&self, store: &mut Store, asks: Asks) -> Looked {
        let Some(hook) = &self.task.hook else { return Looked::In(LISTEN_EVERY) };
        let longest = if asks == Asks::Last { LONGEST_AT_END } else { LONGEST };
        let telling = Telling {
            holder: &self.present.holder,
            high_too: hook.high_too,
            pause: hook.pause,
            most: NAMED,
            longest,
        };
        match store.take_untold(telling, asks, self.task.clock.now()) {
            Ok(Untold::Nothing) => Looked::Nothing,
            // Not all of it at once: somebody may be called by another program, and the clock may be set.
            Ok(Untold::Later(left)) => Looked::In(left.clamp(LOOK_EVERY, REST)),
            Ok(Untold::InHand { holder, left }) => {
                if fate(&holder) == Fate::Dead && store.tells_no_more(&holder).is_ok() {
                    return self.look(store, asks);
                }
                Looked::In(left.clamp(LOOK_EVERY, REST))
            }
            Ok(Untold::Tell(news)) => self.call(store, &hook.argv, &news, longest),
            Err(error) => {
                tracing::warn!(%error, "whether somebody is to be called could not be found out");
                Looked::In(REST)
            }
        }
    }

    fn call(&self, store: &mut Store, argv: &[String], news: &News, longest: Duration) -> Looked {
        let mut stopped = None;
        let outcome = call_within(argv, &payload(news).to_string(), |taken| {
            if stopped.is_none() && self.stopped.try_recv() != Err(TryRecvError::Empty) {
                stopped = Some(taken);
            }
            stopped.map_or(longest, |at| longest.min(at + LONGEST_AT_END))
        });
        let (holder, now) = (&self.present.holder, self.task.clock.now());
        let kept = match &outcome {
            Ok(()) => {
                tracing::info!("the hook was told: {}", in_words(news));
                store.keep_told(holder, news, now)
            }
            Err(why) => {
                tracing::warn!("the hook failed: {why}; not told: {}", in_words(news));
                store.keep_not_told(holder, news, why, now)
            }
        };
        if let Err(error) = kept {
            tracing::warn!(%error, "what came of the call is not in the store, and it is told again");
        }
        match stopped {
            Some(_) => Looked::Stopped { well: outcome.is_ok() },
            None => Looked::In(LOOK_EVERY),
        }
    }

    /// Tells when the hook begins to fail, fails again, or works again, whoever runs it.
    fn listen(&mut self, store: &Store) {
        let Ok(calls) = store.calls() else { return };
        if calls.failing == self.heard {
            return;
        }
        if calls.failing.is_some() {
            // A hook that nobody has any more is nobody's trouble.
            let is_run = self.task.hook.is_some()
                || others(store, None).is_ok_and(|others| others.iter().any(|other| other.present.pages));
            if !is_run {
                return;
            }
        }
        self.heard.clone_from(&calls.failing);
        (self.tell)(match calls.failing {
            Some(failing) => Heard::Fails { untold: store.untold().unwrap_or_default(), failing },
            None => Heard::Works(calls.last),
        });
    }
}

/// `3 CRITICAL and 1 HIGH claims, 2 of them repeats: rx-1#2, rx-9#1 …`
fn in_words(news: &News) -> String {
    let ids: Vec<String> = news.first.iter().map(|claim| claim.id.to_string()).collect();
    let more = if news.critical + news.high > ids.len() as u64 { " …" } else { "" };
    let told = claims(news.critical, news.high);
    format!("{told}, {} of them repeats: {}{more}", news.repeats, ids.join(", "))
}
