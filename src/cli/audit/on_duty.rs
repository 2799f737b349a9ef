//! Who audits, said in the store, and whoever is to be called about it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use super::Arguments;
use crate::cli::{Context, Output};
use crate::domain::time::Timestamp;
use crate::duty::{Duty, Heard, Task, second};
use crate::store::Store;
use crate::store::told::Work;

pub(in crate::cli) struct OnDuty {
    duty: Duty,
    heard: Receiver<Heard>,
}

impl OnDuty {
    pub(super) fn begin(arguments: &Arguments, context: &Context) -> Self {
        let (tell, heard) = channel();
        let work = if arguments.watch { Work::Watch } else { Work::Audit };
        let hook = context.config.hook().filter(|_| !arguments.no_hook);
        let (db, clock) = (context.config.db.value.clone(), Arc::clone(&context.clock));
        let duty = Duty::begin(Task { db, work, audits: true, hook, clock }, move |heard| {
            let _ = tell.send(heard);
        });
        Self { duty, heard }
    }

    /// Says how the calls get on, where that changed.
    pub(super) fn say(&self, out: &mut Output) {
        for heard in self.heard.try_iter() {
            say(&heard, out);
        }
    }

    /// Ends it, with a last call if there is anything to call for. Says it when a call failed.
    pub(super) fn end(self, out: &mut Output) {
        self.duty.end();
        for heard in self.heard.try_iter() {
            say(&heard, out);
        }
    }
}

/// A line of the watch with the time, and with what somebody on call wants to know.
pub(super) fn with_state(line: &str, store: &Store, open_critical: u64, now: Timestamp) -> String {
    let calls = store.calls().unwrap_or_default();
    let called = match (&calls.failing, &calls.last) {
        (Some(_), _) => "; the hook fails".to_owned(),
        (None, Some(last)) => format!("; called last at {}", second(last.at())),
        (None, None) => String::new(),
    };
    format!("{} {line}; {open_critical} CRITICAL open{called}", second(now))
}

fn say(heard: &Heard, out: &mut Output) {
    match heard {
        Heard::Fails { .. } => out.error(&format!(
            "{heard}; it is tried again while somebody is on duty, and `juror doctor --hook-test` tries it now"
        )),
        Heard::Works(_) => out.error(&heard.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::ClaimKey;
    use crate::store::Durability;
    use crate::store::told::News;

    #[test]
    fn a_line_of_the_watch_has_the_time_what_is_open_and_the_last_call() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("a.db"), Durability::Normal).unwrap();
        let at = |seconds: i64| Timestamp::from_millis(1_780_000_000_000 + seconds * 1000);
        let line = |store: &Store, second| with_state("24 audited, 15 a minute", store, 41, at(second));
        assert_eq!(line(&store, 0), "2026-05-28T20:26:40Z 24 audited, 15 a minute; 41 CRITICAL open");
        let news = News { critical: 3, last: ClaimKey(9), ..News::NONE };
        store.keep_told("one", &news, at(1)).unwrap();
        assert!(line(&store, 2).ends_with("; 41 CRITICAL open; called last at 2026-05-28T20:26:41Z"));
        store.keep_not_told("one", &news, "503", at(3)).unwrap();
        assert!(line(&store, 4).ends_with("; 41 CRITICAL open; the hook fails"));
    }
}
