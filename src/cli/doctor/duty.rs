//! Who audits and who is called: what `juror doctor` says of it.

use serde::Serialize;

use super::super::Context;
use super::super::queue::arriving;
use crate::domain::time::Timestamp;
use crate::duty::{Other, State, alone, others, try_hook};
use crate::store::{Store, StoreError};

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
    #[serde(skip)]
    arriving: Vec<String>,
}

impl Duties {
    pub(super) fn look(store: &Store, context: &Context) -> Result<Self, StoreError> {
        let others = others(store, None)?;
        let missing = alone(&others, context.config.hook().is_some(), store.waiting()?);
        let last_import = store.last_import()?;
        let (rejected, last_rejected) = store.rejected_lines()?;
        let arriving = arriving(last_import, rejected, last_rejected.as_ref(), context.clock.now());
        Ok(Self {
            on_duty: others.into_iter().map(OnDuty::from).collect(),
            missing,
            last_import,
            rejected,
            arriving,
        })
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
