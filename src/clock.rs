//! The only place that reads the time. Everything else is handed a [`Clock`] or an instant.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use crate::domain::time::Timestamp;

/// Says what time it is.
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;
}

/// The computer's time zone, in which people name times of the day.
pub fn zone() -> jiff::tz::TimeZone {
    jiff::tz::TimeZone::system()
}

/// The computer's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the time")]
    fn now(&self) -> Timestamp {
        let millis = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
        Timestamp::from_millis(millis)
    }
}

/// Measures how long something takes, whatever happens to the computer's clock meanwhile.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the time")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

/// Measures how much of one core the calling thread takes. Unlike the time on the wall it does not grow when others
/// use the machine.
#[derive(Debug, Clone, Copy)]
pub struct CoreTime(Duration);

impl CoreTime {
    pub fn start() -> Self {
        Self(Self::now())
    }

    /// The time since the start; meaningless in another thread than the one that started it.
    pub fn elapsed(self) -> Duration {
        Self::now().saturating_sub(self.0)
    }

    fn now() -> Duration {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
    }
}

/// A clock that stands still until it is moved.
#[derive(Debug)]
pub struct FixedClock(std::sync::atomic::AtomicI64);

impl FixedClock {
    pub fn at(instant: Timestamp) -> Arc<Self> {
        Arc::new(Self(instant.millis().into()))
    }

    pub fn advance(&self, by: Duration) {
        let millis = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        self.0.fetch_add(millis, std::sync::atomic::Ordering::SeqCst);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(std::sync::atomic::Ordering::SeqCst))
    }
}
