//! While nothing can be judged for now: how long to rest, when to try one record again, and which failures are the
//! server's and not the record's.

use std::time::Duration;

use tokio::time::sleep;

use crate::clock::Clock;
use crate::domain::exchange::Ending;
use crate::domain::time::Timestamp;

/// The first rest; doubles each time.
const FIRST_REST: Duration = Duration::from_secs(30);
const LONGEST_REST: Duration = Duration::from_mins(5);
/// So many records in a row that the server left without an answer are an outage, and not their own fault.
const MOST_UNSERVED: u32 = 8;
/// How often the clock is read during a rest.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A rest during an outage, after which one record is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rest {
    /// When the outage began.
    pub since: Timestamp,
    pub wait: Duration,
    began: Timestamp,
}

impl Rest {
    fn left(&self, now: Timestamp) -> Duration {
        // A clock that was set back ends the rest, or it might last for ever.
        if now < self.began { Duration::ZERO } else { self.wait.saturating_sub(now.since(self.began)) }
    }

    /// Returns when the rest is over.
    pub(super) async fn over(self, clock: &dyn Clock) {
        loop {
            let left = self.left(clock.now());
            if left.is_zero() {
                return;
            }
            sleep(left.min(LOOK_EVERY)).await;
        }
    }
}

/// What is known of the server by what became of the last records.
#[derive(Debug, Default)]
pub(super) struct Weather {
    /// Records in a row without an answer.
    unserved: u32,
    /// When the outage began, and how long the next rest is.
    outage: Option<(Timestamp, Duration)>,
}

impl Weather {
    /// Whether one record is to show that the server answers again, before others are begun.
    pub(super) fn is_out(&self) -> bool {
        self.outage.is_some()
    }

    /// The server answered.
    pub(super) fn clears(&mut self) {
        *self = Self::default();
    }

    /// A record was left without an answer; says whether that is an outage.
    pub(super) fn unserved(&mut self) -> bool {
        self.unserved += 1;
        self.unserved >= MOST_UNSERVED || self.is_out()
    }

    /// How long to rest now.
    pub(super) fn rest(&mut self, now: Timestamp) -> Rest {
        let (since, wait) = self.outage.unwrap_or((now, FIRST_REST));
        self.outage = Some((since, (wait * 2).min(LONGEST_REST)));
        Rest { since, wait, began: now }
    }
}

/// Whether a request that ended so was left without an answer by the server, or by what stands before it.
pub(super) fn is_unserved(ending: Ending) -> bool {
    matches!(ending, Ending::Faulty | Ending::Broken | Ending::TimedOut | Ending::Limited)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_grow_to_five_minutes_and_begin_anew_after_an_answer() {
        let (mut weather, now) = (Weather::default(), Timestamp::from_millis(1_000_000));
        let waits = |weather: &mut Weather| -> Vec<u64> {
            (0..6).map(|_| weather.rest(now).wait.as_secs()).collect()
        };
        assert_eq!(waits(&mut weather), [30, 60, 120, 240, 300, 300]);
        weather.clears();
        assert_eq!(weather.rest(now).wait, FIRST_REST);
        let rest = weather.rest(now);
        assert_eq!(rest.left(now.plus(Duration::from_secs(59))), Duration::from_secs(1));
        assert_eq!(rest.left(Timestamp::from_millis(0)), Duration::ZERO, "the clock was set back");
    }
}
