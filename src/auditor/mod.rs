//! The background auditor: leases the next record, runs the instrument, stores the result, announces it.
//!
//! The database is the truth. News are sent only when there is room and say no more than "look
//! again"; whoever needs exact numbers reads [`Auditor::progress`] or the store. Several auditors
//! may work on one store: leases keep them apart. This layer must not know how records are
//! written down, nor who is told the news.

pub mod batch;
mod desk;
mod entry;
mod halt;
mod holder;
mod ledger;
mod outage;
mod storing;
mod work;

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use crate::clock::Clock;
use crate::domain::ids::{AuditId, RecordKey};
use crate::domain::routing::Policy;
use crate::domain::tally::Tally;
use crate::domain::verdict::Severity;
use crate::judge::{FaithfulnessSettings, Judge};
use crate::store::{Store, StoreError};

pub use holder::{Fate, fate, is_stopped, new_name};
pub use ledger::StoreLedger;
pub use outage::Rest;

/// Wait before the loop is started again after it broke; doubles each time.
const FIRST_BACK_OFF: Duration = Duration::from_millis(250);
const LONGEST_BACK_OFF: Duration = Duration::from_secs(30);

/// What happened in the background. May be lost when nobody reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuditNews {
    Started {
        audit_id: AuditId,
    },
    /// The record's claims are stored. `worst` is the gravest severity among them.
    Finished {
        audit_id: AuditId,
        worst: Option<Severity>,
        claims: usize,
    },
    /// The judge could not audit the record; an entry that says so waits for a person.
    Failed {
        audit_id: AuditId,
        reason: String,
    },
    /// Records finished since the start, and in hand now.
    Progress {
        finished: u64,
        in_flight: usize,
    },
    Paused,
    Resumed,
    /// Nothing waits and nothing is in hand.
    Idle,
    /// Nothing can be judged, as the judge says: nothing new is begun. What was in hand is finished or waits
    /// on.
    Halted {
        reason: String,
        /// After which time one record is tried again; `None` when a person has to mend something first.
        again_in: Option<Duration>,
    },
    /// The loop broke and is started again after a while.
    Crashed {
        reason: String,
    },
}

/// Turns what other programs left in the store's inbox into records. Reading lines is not the
/// auditor's business, so it is told how.
pub type TakeInbox = fn(&mut Store, &dyn Clock) -> Result<(), StoreError>;

/// How the auditor works.
#[derive(Clone)]
pub struct AuditorSettings {
    pub db: PathBuf,
    pub judge: Arc<dyn Judge>,
    pub faithfulness: FaithfulnessSettings,
    pub policy: Policy,
    /// Records in hand at once; more than 256 are not taken. Of a judge that sends no more questions than that at
    /// once ([`Judge::at_once`]) a quarter more are in hand, 16 at most: prepared, or being stored.
    pub concurrency: NonZeroUsize,
    /// How long a record is leased; renewed at a third of it.
    pub lease: Duration,
    pub clock: Arc<dyn Clock>,
    pub take_inbox: TakeInbox,
}

/// What the auditor is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Activity {
    #[default]
    Working,
    Paused,
    /// Nothing waits and nothing is in hand.
    Idle,
    /// Nothing can be judged, and nothing is in hand: until a person mends something, or during a
    /// [`Rest`].
    Halted,
    /// The loop broke and waits to be started again.
    Broken,
    Stopped,
}

/// Where the auditor stands; never lost, unlike news.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Progress {
    pub activity: Activity,
    /// Why nothing can be judged, as the judge says; also while the last records are in hand.
    pub halted: Option<Arc<str>>,
    /// The rest after which one record is tried again; `None` while it is not halted, and when a person has
    /// to mend something first.
    pub rest: Option<Rest>,
    /// Records in hand.
    pub in_flight: usize,
    /// What this auditor stored since it started.
    pub tally: Tally,
}

#[derive(Debug, Clone, Copy, Default)]
struct Control {
    paused: bool,
    /// Grows whenever it is told to go on: then a halted one tries again.
    tries: u64,
    /// Set once: finish what is in hand within this time, then stop.
    stop_within: Option<Duration>,
}

/// A running auditor. Dropping it stops it without waiting for what is in hand.
pub struct Auditor {
    control: watch::Sender<Control>,
    progress: watch::Receiver<Progress>,
    task: JoinHandle<()>,
}

impl Auditor {
    /// Starts the auditor on the current tokio runtime.
    pub fn spawn(settings: AuditorSettings, news: mpsc::Sender<AuditNews>) -> Self {
        Self::start(settings, news, None, Control::default())
    }

    /// The same, paused from the start.
    pub fn spawn_paused(settings: AuditorSettings, news: mpsc::Sender<AuditNews>) -> Self {
        Self::start(settings, news, None, Control { paused: true, ..Control::default() })
    }

    /// Audits these records alone, in this order; it is idle when all are done.
    pub fn spawn_for(
        settings: AuditorSettings,
        news: mpsc::Sender<AuditNews>,
        records: impl IntoIterator<Item = RecordKey>,
    ) -> Self {
        let only = Arc::new(Mutex::new(records.into_iter().collect()));
        Self::start(settings, news, Some(only), Control::default())
    }

    fn start(
        settings: AuditorSettings,
        news: mpsc::Sender<AuditNews>,
        only: Option<Arc<Mutex<VecDeque<RecordKey>>>>,
        control: Control,
    ) -> Self {
        let (control, control_seen) = watch::channel(control);
        let (progress_said, progress) = watch::channel(Progress::default());
        let shift = work::Shift {
            holder: holder::new_name(),
            settings,
            control: control_seen,
            news,
            progress: progress_said,
            only,
        };
        Self { control, progress, task: tokio::spawn(supervise(shift)) }
    }

    /// Audits no new records while paused; what is in hand is finished, and the inbox is taken in. Told to go
    /// on, it also tries again after it halted.
    pub fn pause(&self, paused: bool) {
        self.control.send_if_modified(|control| {
            let was_paused = std::mem::replace(&mut control.paused, paused);
            control.tries += u64::from(!paused);
            was_paused != paused || !paused
        });
    }

    /// Follows what the auditor is doing.
    pub fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.clone()
    }

    /// Takes nothing new, stores what is finished within `grace`, gives the rest back, and stops.
    pub async fn shutdown(self, grace: Duration) -> Tally {
        self.control.send_modify(|control| control.stop_within = Some(grace));
        // The supervisor keeps the same deadline; the margin is for the last commit.
        let margin = Duration::from_millis(500);
        let mut task = self.task;
        if tokio::time::timeout(grace + margin, &mut task).await.is_err() {
            task.abort();
        }
        self.progress.borrow().tally
    }
}

/// Keeps the loop running: a loop that broke is started again, later each time.
async fn supervise(mut shift: work::Shift) {
    let mut back_off = FIRST_BACK_OFF;
    loop {
        let stored_before = shift.progress.borrow().tally.audited;
        let (returned, outcome) = run_guarded(shift).await;
        shift = returned;
        let Err(reason) = outcome else { break };
        tracing::error!(reason, "the auditor broke and is started again");
        shift.announce(AuditNews::Crashed { reason });
        shift.progress.send_modify(|progress| {
            progress.activity = Activity::Broken;
            progress.in_flight = 0;
        });
        if shift.progress.borrow().tally.audited > stored_before {
            back_off = FIRST_BACK_OFF;
        }
        if shift.stopped_during(back_off).await {
            break;
        }
        back_off = (back_off * 2).min(LONGEST_BACK_OFF);
    }
    shift.progress.send_modify(|progress| {
        progress.activity = Activity::Stopped;
        progress.in_flight = 0;
    });
}

/// One run of the loop, in a task of its own so that a panic ends only that task.
async fn run_guarded(shift: work::Shift) -> (work::Shift, Result<(), String>) {
    let spare = shift.clone();
    match tokio::spawn(async move { shift.run().await }).await {
        Ok(outcome) => (spare, outcome.map_err(|error| error.to_string())),
        Err(broken) => (spare, Err(work::panic_reason(broken))),
    }
}
