//! Who audits and who is called: what `juror doctor` says of it.

use serde::Serialize;

use super::super::Context;
use super::super::queue::arriving;
use crate::domain::time::Timestamp;
use crate::duty::{Heard, Other, State, alone, claims, others, told, try_hook};
use crate::store::told::Calls;
use crate::store::{Durability, Store, StoreError};

/// A program that works with the store now.
#[derive(Serialize)]
pub(super) struct OnDuty {
    command: &'static str,
    /// `null` where it cannot be seen from here.
    pid: Option<u32>,
    stopped: bool,
    audits: bool,
    /// Whether it runs the hook.
    pages: bool,
    since: Timestamp,
    #[serde(skip)]
    name: String,
}

impl From<Other> for OnDuty {
    fn from(other: Other) -> Self {
        let name = other.name();
        let (pid, stopped) = match other.state {
            State::Runs { pid } => (Some(pid), false),
            State::Stopped { pid } => (Some(pid), true),
            State::Unseen { .. } => (None, false),
        };
        let present = &other.present;
        Self {
            command: present.work.command(),
            pid,
            stopped,
            audits: present.audits,
            pages: present.pages,
            since: present.since(),
            name,
        }
    }
}

impl OnDuty {
    fn in_words(&self) -> String {
        let does = match (self.audits, self.pages) {
            (true, true) => ": audits, and calls by the hook",
            (true, false) => ": audits",
            (false, true) => ": calls by the hook",
            (false, false) => "",
        };
        format!("{}{does}", self.name)
    }
}

/// Everybody who works with the store, and what nobody does though somebody would miss it.
#[derive(Default, Serialize)]
pub(super) struct Duties {
    on_duty: Vec<OnDuty>,
    /// What nobody does.
    missing: Option<&'static str>,
    /// When the last record came in.
    last_import: Option<Timestamp>,
    /// Lines of followed files that stayed out.
    rejected: u64,
    /// `null` where nobody has a hook.
    calls: Option<CallsStand>,
    #[serde(skip)]
    arriving: Vec<String>,
    /// Why somebody who relies on being called is not.
    #[serde(skip)]
    problems: Vec<String>,
}

/// How the calls of the hook stand.
#[derive(Serialize)]
struct CallsStand {
    last: Option<LastCall>,
    failing: Option<Failing>,
    /// Open claims that nobody was told of.
    untold_critical: u64,
    untold_high: u64,
    #[serde(skip)]
    line: String,
}

/// The last call that went well.
#[derive(Serialize)]
struct LastCall {
    at: Timestamp,
    critical: u64,
    high: u64,
    repeats: u64,
    /// The first claims that it named.
    first: Vec<String>,
}

/// Calls that failed, one after the other.
#[derive(Serialize)]
struct Failing {
    since: Timestamp,
    last: Timestamp,
    times: u32,
    why: String,
}

impl CallsStand {
    fn of(calls: &Calls, (untold_critical, untold_high): (u64, u64)) -> Self {
        let last = calls.last.as_ref().map(|page| LastCall {
            at: page.at(),
            critical: page.critical,
            high: page.high,
            repeats: page.repeats,
            first: page.first.clone(),
        });
        let failing = calls.failing.as_ref().map(|failing| Failing {
            since: failing.since(),
            last: failing.last(),
            times: failing.times,
            why: failing.why.clone(),
        });
        let line = calls.last.as_ref().map_or_else(|| "nobody was called yet".to_owned(), told);
        Self { last, failing, untold_critical, untold_high, line }
    }
}

impl Duties {
    pub(super) fn look(store: &Store, context: &Context) -> Result<Self, StoreError> {
        let others = others(store, None)?;
        let missing = alone(&others, context.config.hook().is_some(), store.waiting()?);
        let (calls, untold) = (store.calls()?, store.untold()?);
        let has_hook = context.config.hook().is_some() || others.iter().any(|other| other.present.pages);
        let problems =
            if has_hook { problems(&calls, untold, &others, store.waiting()?) } else { Vec::new() };
        let last_import = store.last_import()?;
        let (rejected, last_rejected) = store.rejected_lines()?;
        let arriving = arriving(last_import, rejected, last_rejected.as_ref(), context.clock.now());
        Ok(Self {
            on_duty: others.into_iter().map(OnDuty::from).collect(),
            missing,
            last_import,
            rejected,
            calls: has_hook.then(|| CallsStand::of(&calls, untold)),
            arriving,
            problems,
        })
    }

    /// Why nobody is called though somebody should be.
    pub(super) fn problems(&self) -> &[String] {
        &self.problems
    }

    /// When somebody was called last.
    pub(super) fn called(&self) -> Option<&str> {
        self.calls.as_ref().map(|calls| calls.line.as_str())
    }

    /// When something came in last, and what stayed out.
    pub(super) fn arriving(&self) -> &[String] {
        &self.arriving
    }

    pub(super) fn in_words(&self) -> String {
        let mut parts: Vec<String> = self.on_duty.iter().map(OnDuty::in_words).collect();
        parts.extend(self.missing.map(|missing| format!("{missing} now: `juror audit --watch` does")));
        if parts.is_empty() { "nobody, and nothing waits".to_owned() } else { parts.join("; ") }
    }
}

fn problems(calls: &Calls, untold: (u64, u64), others: &[Other], waiting: u64) -> Vec<String> {
    let mut problems = Vec::new();
    if let Some(failing) = calls.failing.clone() {
        let heard = Heard::Fails { failing, untold };
        problems.push(format!(
            "{heard}; whoever is on duty tries it again, and `juror doctor --hook-test` tries it now"
        ));
    }
    let (audits, pages) = (others.iter().any(Other::audits), others.iter().any(Other::pages));
    if waiting > 0 && !audits {
        let (records, them) = if waiting == 1 {
            ("1 record waits".to_owned(), "it")
        } else {
            (format!("{waiting} records wait"), "them")
        };
        problems.push(format!(
            "{records} and nobody audits {them}, so nobody is called: `juror audit --watch` does both"
        ));
    } else if untold != (0, 0) && !pages && calls.failing.is_none() {
        problems.push(format!(
            "nobody was told of {}, and nobody is there to call: `juror audit --watch` does it",
            claims(untold.0, untold.1)
        ));
    }
    problems
}

/// What came of running the hook once.
#[derive(Serialize)]
pub(super) struct HookTest {
    pub(super) works: bool,
    took_ms: Option<u64>,
    pub(super) problem: Option<String>,
}

/// Runs the hook once, with an event that says that it is a test.
pub(super) fn hook_test(context: &Context) -> HookTest {
    let tried = match context.config.hook() {
        Some(hook) => try_hook(&hook),
        None => Err("there is none: review.hook names a program and its arguments".to_owned()),
    };
    if tried.is_ok()
        && let Ok(mut store) = Store::open(&context.config.db.value, Durability::Normal)
        && let Err(error) = store.hook_works()
    {
        tracing::warn!(%error, "that the hook works is not in the store");
    }
    match tried {
        Ok(took) => HookTest {
            works: true,
            took_ms: Some(u64::try_from(took.as_millis()).unwrap_or(u64::MAX)),
            problem: None,
        },
        Err(why) => HookTest {
            works: false,
            took_ms: None,
            problem: Some(format!("the hook was run and does not work: {why}")),
        },
    }
}

impl HookTest {
    pub(super) fn in_words(&self) -> String {
        match self.took_ms {
            Some(took) => {
                format!("ran, and ended well after {took} ms; it was told {{\"event\":\"test\", …}}")
            }
            None => "does not work".to_owned(),
        }
    }
}
