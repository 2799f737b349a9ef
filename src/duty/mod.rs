//! Who is on duty for a store: who audits what comes in, and who calls people when it is dangerous.
//!
//! Whatever audits or calls says in the store that it is there, so that others can say when nobody is. The calling
//! goes on a thread of its own, beside a screen and beside `juror audit` alike. Must not know how the screen looks.

mod call;
mod group;
mod others;
mod post;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use crate::auditor::new_name;
use crate::clock::{Clock, Stopwatch};
use crate::config::Hook;
use crate::domain::time::Timestamp;
use crate::store::told::{Failing, News, Page, Present, Work};
use post::Post;

pub use call::call;
pub use group::Group;
pub use others::{Other, State, alone, others};

/// How long the last call may take, which keeps a person from their shell.
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
    /// Begins on a thread of its own. `tell` hears how the calls get on, those of other programs too.
    pub fn begin(task: Task, tell: impl Fn(Heard) + Send + 'static) -> Self {
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
            if let Err(error) = (Post { task, present, stopped, tell, heard: None }).keep() {
                tracing::warn!(%error, "nobody is on duty");
            }
        });
        Self { holder, stop, thread }
    }

    /// The name under which it stands in the store.
    pub fn holder(&self) -> &str {
        &self.holder
    }

    /// Tells what was not told yet, whatever pause is to be kept, unless another program is there to do so, and goes.
    /// Waits for that.
    pub fn end(self) {
        let _ = self.stop.send(());
        let _ = self.thread.join();
    }
}

/// How the calls of the hook get on, whichever program makes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// The last one failed.
    Fails {
        failing: Failing,
        /// CRITICAL and HIGH claims that nobody was told of.
        untold: (u64, u64),
    },
    /// It was run and went well after that; what it told last.
    Works(Option<Page>),
}

impl fmt::Display for Heard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fails { failing, untold: (critical, high) } => {
                let times = match failing.times {
                    1 => format!("the hook failed at {}", second(failing.last())),
                    times => format!(
                        "the hook failed {times} times in a row since {}, last at {}",
                        second(failing.since()),
                        second(failing.last())
                    ),
                };
                write!(f, "{times}: {}; nobody was told of {}", failing.why, claims(*critical, *high))
            }
            Self::Works(None) => f.write_str("the hook works again"),
            Self::Works(Some(page)) => write!(f, "the hook works again: {}", told(page)),
        }
    }
}

/// What a call told, and when: `told at 2026-11-30T22:53:44Z of 3 CRITICAL and 1 HIGH claims, rx-1#2 first`
pub fn told(page: &Page) -> String {
    let first = page.first.first().map_or(String::new(), |first| format!(", {first} first"));
    format!("told at {} of {}{first}", second(page.at()), claims(page.critical, page.high))
}

/// `3 CRITICAL and 1 HIGH claims`
pub fn claims(critical: u64, high: u64) -> String {
    match (critical, high) {
        (0, 0) => "no open claim".to_owned(),
        (0, 1) => "1 HIGH claim".to_owned(),
        (1, 0) => "1 CRITICAL claim".to_owned(),
        (0, high) => format!("{high} HIGH claims"),
        (critical, 0) => format!("{critical} CRITICAL claims"),
        (critical, high) => format!("{critical} CRITICAL and {high} HIGH claims"),
    }
}

/// To the second.
pub fn second(at: Timestamp) -> String {
    let text = at.to_string();
    format!("{}Z", text.get(..19).unwrap_or(&text))
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
                "arrived": claim.arrived,
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
    let mut payload = payload(&News::NONE);
    payload["event"] = "test".into();
    let tried = call(&hook.argv, &payload.to_string(), LONGEST_AT_END * 2).map(|()| watch.elapsed());
    match &tried {
        Ok(_) => tracing::info!("the hook was tried, and works"),
        Err(why) => tracing::warn!("the hook was tried, and does not work: {why}"),
    }
    tried
}
