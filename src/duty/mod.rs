//! Who is on duty for a store: who audits what comes in, and who calls people when it is dangerous.
//!
//! Whatever audits or calls says in the store that it is there, so that others can say when nobody is. The calling
//! goes on a thread of its own, beside a screen and beside `juror audit` alike. Must not know how the screen looks.

mod call;
mod others;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use crate::auditor::{Fate, fate, new_name};
use crate::clock::{Clock, Stopwatch};
use crate::config::Hook;
use crate::store::told::{News, Present, Telling, Untold, Work};
use crate::store::{Durability, Store, StoreError};

pub use call::call;
pub use others::{Other, State, alone, others};

/// How often it is looked whether something arrived.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// After an error of the store.
const REST: Duration = Duration::from_secs(5);
/// Ids that a call names.
const NAMED: usize = 20;
/// A program that takes longer is ended: what arrives meanwhile waits for it.
const LONGEST: Duration = Duration::from_mins(1);
/// The same for the last one, which keeps a person from their shell.
const LONGEST_AT_END: Duration = Duration::from_secs(5);

/// What a program does for a store.
pub struct Task {
    pub db: PathBuf,
    pub work: Work,
    pub audits: bool,
    /// Whom to call when something dangerous arrives.
    pub hook: Option<Hook>,
    pub clock: Arc<dyn Clock>,
}

/// A program on duty. [`Duty::end`] ends it; dropping it lets it end by itself, without a last call.
pub struct Duty {
    holder: String,
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl Duty {
    /// Begins on a thread of its own. `tell` hears why a call failed.
    pub fn begin(task: Task, tell: impl Fn(String) + Send + 'static) -> Self {
        let (stop, stopped) = channel();
        let holder = new_name();
        let present = Present {
            holder: holder.clone(),
            work: task.work,
            audits: task.audits,
            pages: task.hook.is_some(),
            since_ms: task.clock.now().millis(),
        };
        let thread = std::thread::spawn(move || {
            if let Err(error) = (Post { task, present, stopped, tell }).keep() {
                tracing::warn!(%error, "nobody is on duty");
            }
        });
        Self { holder, stop, thread }
    }

    /// The name under which it stands in the store.
    pub fn holder(&self) -> &str {
        &self.holder
    }

    /// Tells what was not told yet, whatever pause is to be kept, and goes. Waits for that.
    pub fn end(self) {
        let _ = self.stop.send(());
        let _ = self.thread.join();
    }
}

struct Post<F> {
    task: Task,
    present: Present,
    stopped: Receiver<()>,
    tell: F,
}

impl<F: Fn(String)> Post<F> {
    fn keep(&self) -> Result<(), StoreError> {
        let mut store = Store::open(&self.task.db, Durability::Normal)?;
        if self.task.hook.is_some() {
            store.begin_telling(self.present.since())?;
        }
        // Whoever cannot be registered is on duty all the same.
        if let Err(error) = self.enter(&mut store) {
            tracing::warn!(%error, "the store does not know who is on duty");
        }
        let mut wait = LOOK_EVERY;
        let is_last = loop {
            match self.stopped.recv_timeout(wait) {
                Ok(()) => break true,
                Err(RecvTimeoutError::Disconnected) => break false,
                Err(RecvTimeoutError::Timeout) => wait = self.look(&mut store, false),
            }
        };
        if is_last {
            self.look(&mut store, true);
        }
        store.leave(&[&self.present.holder])
    }

    fn enter(&self, store: &mut Store) -> Result<(), StoreError> {
        let present = store.present()?;
        let dead = present.iter().map(|one| one.holder.as_str()).filter(|name| fate(name) == Fate::Dead);
        store.leave(&dead.collect::<Vec<_>>())?;
        store.enter(&self.present)
    }

    /// Calls, if there is something to call for. Gives how long to wait until the next look.
    fn look(&self, store: &mut Store, last: bool) -> Duration {
        let Some(hook) = &self.task.hook else { return REST };
        let telling = Telling { high_too: hook.high_too, pause: hook.pause, most: NAMED };
        match store.take_untold(telling, last, self.task.clock.now()) {
            Ok(Untold::Nothing) => LOOK_EVERY,
            // Not all of it at once: somebody may be called by another program, and the clock may be set.
            Ok(Untold::Later(left)) => left.clamp(LOOK_EVERY, REST),
            Ok(Untold::Tell(news)) => {
                let longest = if last { LONGEST_AT_END } else { LONGEST };
                if let Err(why) = call(&hook.argv, &payload(&news).to_string(), longest) {
                    tracing::warn!("the hook failed: {why}");
                    (self.tell)(why);
                }
                LOOK_EVERY
            }
            Err(error) => {
                tracing::warn!(%error, "whether somebody is to be called could not be found out");
                REST
            }
        }
    }
}

/// What a hook reads: numbers and ids, never a text.
fn payload(news: &News) -> Value {
    let arrived = news.critical + news.high;
    let claims: Vec<Value> = news
        .first
        .iter()
        .map(|claim| {
            let repeat_of = claim.repeat_of.as_ref().map(ToString::to_string);
            json!({
                "id": claim.id.to_string(),
                "audit_id": claim.id.audit_id(),
                "severity": claim.severity,
                "repeat_of": repeat_of,
            })
        })
        .collect();
    json!({
        "event": "arrived",
        "critical": news.critical,
        "high": news.high,
        "new": arrived.saturating_sub(news.repeats),
        "repeats": news.repeats,
        "more": arrived.saturating_sub(claims.len() as u64),
        "claims": claims,
        "open_critical": news.open_critical,
        "open_high": news.open_high,
    })
}

/// Calls once, to see whether the hook works: says so, and how long it took.
///
/// # Errors
/// Says what went wrong.
pub fn try_hook(hook: &Hook) -> Result<Duration, String> {
    let watch = Stopwatch::start();
    let nothing =
        News { critical: 0, high: 0, repeats: 0, first: Vec::new(), open_critical: 0, open_high: 0 };
    let mut payload = payload(&nothing);
    payload["event"] = "test".into();
    call(&hook.argv, &payload.to_string(), LONGEST_AT_END * 2).map(|()| watch.elapsed())
}
