//! How long one record may take, all its requests and waits together.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// Runs from when it was made. Standing in the queue for a server that is worked as hard as it allows, or for a budget
/// that others have set aside, is not held against a record, so that [`Deadline::remaining`] may grow again; but no more than ten times the time allowed.
/// The bound for a record is therefore eleven times the time allowed, whatever the server does: everything that
/// waits, waits for it no longer than until then, and a request is given no more than what remains.
#[derive(Debug)]
pub struct Deadline {
    began: Instant,
    within: Duration,
    /// Time in the queue that does not count, in milliseconds.
    queued: AtomicU64,
}

/// How often the time allowed may be spent in the queue.
const QUEUE: u32 = 10;

impl Deadline {
    pub fn after(within: Duration) -> Self {
        Self { began: Instant::now(), within, queued: AtomicU64::new(0) }
    }

    /// The instant at which it runs out, as things stand.
    pub(super) fn at(&self) -> Instant {
        self.began + self.within + self.queued()
    }

    /// What is left; nothing once it has run out.
    pub fn remaining(&self) -> Duration {
        self.at().saturating_duration_since(Instant::now())
    }

    /// All the time that was allowed, the queue aside.
    pub(super) fn allowed(&self) -> Duration {
        self.within
    }

    /// The time in the queue so far that does not count.
    pub(super) fn queued(&self) -> Duration {
        Duration::from_millis(self.queued.load(Ordering::Relaxed))
    }

    /// When it runs out if all further time is spent in the queue.
    pub(super) fn at_the_latest(&self) -> Instant {
        self.began + self.within * (QUEUE + 1)
    }

    /// Time in the queue.
    pub(super) fn was_queued(&self, time: Duration) {
        let time = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let most = u64::try_from((self.within * QUEUE).as_millis()).unwrap_or(u64::MAX);
        let _ = self.queued.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |before| {
            Some(before.saturating_add(time).min(most))
        });
    }
}
