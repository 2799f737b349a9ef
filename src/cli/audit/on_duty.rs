//! Who audits, said in the store, and whoever is to be called about it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use super::Arguments;
use crate::cli::{Context, Output};
use crate::duty::{Duty, Task};
use crate::store::told::Work;

pub(super) struct OnDuty {
    duty: Duty,
    /// Why calls failed.
    failed: Receiver<String>,
}

impl OnDuty {
    pub(super) fn begin(arguments: &Arguments, context: &Context) -> Self {
        let (tell, failed) = channel();
        let work = if arguments.watch { Work::Watch } else { Work::Audit };
        let hook = context.config.hook().filter(|_| !arguments.no_hook);
        let (db, clock) = (context.config.db.value.clone(), Arc::clone(&context.clock));
        let duty = Duty::begin(Task { db, work, audits: true, hook, clock }, move |why| {
            let _ = tell.send(why);
        });
        Self { duty, failed }
    }

    /// Ends it, with a last call if there is anything to call for. Says it when a call failed.
    pub(super) fn end(self, out: &mut Output) {
        self.duty.end();
        if let Some(why) = self.failed.try_iter().last() {
            out.error(&format!("review.hook called nobody: {why}; `juror doctor --hook-test` tries it"));
        }
    }
}
