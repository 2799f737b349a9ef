//! How the calls of the hook stand: the last one that went well, and since when they fail. It stands in the store, so
//! that everybody knows it, and whoever is on duty next goes on with it.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};

use super::News;
use crate::domain::queue::Arrivals;
use crate::domain::time::Timestamp;
use crate::store::{Fallible, Store, StoreError};

/// The row of `meta` with all of this.
const CALLS: &str = "calls";
/// After a failure it is tried again when so long has passed at least, and each time the double of that.
const LEAST_REST: Duration = Duration::from_secs(1);
/// Nobody waits longer than that, or than the pause where that is longer.
const MOST_REST: Duration = Duration::from_mins(5);
/// Ids of a page that are kept.
const KEPT: usize = 3;

/// How the calls stand.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Calls {
    /// The last one that went well.
    pub last: Option<Page>,
    /// `None` while they go well.
    pub failing: Option<Failing>,
}

/// A call that went well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    pub at_ms: i64,
    pub critical: u64,
    pub high: u64,
    pub repeats: u64,
    /// The first claims that it named.
    pub first: Vec<String>,
}

/// Calls that failed, one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failing {
    pub since_ms: i64,
    pub last_ms: i64,
    pub times: u32,
    /// Why the last one failed, with what the hook said of it.
    pub why: String,
    /// What the last one should have told of.
    pub critical: u64,
    pub high: u64,
}

impl Page {
    pub fn at(&self) -> Timestamp {
        Timestamp::from_millis(self.at_ms)
    }

    fn of(news: &News, now: Timestamp) -> Self {
        Self {
            at_ms: now.millis(),
            critical: news.critical,
            high: news.high,
            repeats: news.repeats,
            first: news.first.iter().take(KEPT).map(|claim| claim.id.to_string()).collect(),
        }
    }
}

impl Failing {
    pub fn since(&self) -> Timestamp {
        Timestamp::from_millis(self.since_ms)
    }

    pub fn last(&self) -> Timestamp {
        Timestamp::from_millis(self.last_ms)
    }

    /// How long after the last failure it is tried again, when nothing new arrives.
    pub fn rest(&self, pause: Duration) -> Duration {
        let least = pause.max(LEAST_REST);
        let doubled = 1_u32.checked_shl(self.times.saturating_sub(1)).unwrap_or(u32::MAX);
        least.saturating_mul(doubled).min(MOST_REST.max(least))
    }

    /// Whether something arrived since, which is tried to be told after the pause.
    pub(super) fn has_more(&self, arrivals: &Arrivals) -> bool {
        arrivals.critical > self.critical || arrivals.high > self.high
    }
}

impl Store {
    pub fn calls(&self) -> Result<Calls, StoreError> {
        self.read(read)
    }

    /// The hook was run for another reason and went well: what is untold is told at the next look.
    pub fn hook_works(&mut self) -> Result<(), StoreError> {
        self.write_normal(|tx| {
            let calls = read(tx)?;
            if calls.failing.is_none() {
                return Ok(());
            }
            write(tx, CALLS, &Calls { failing: None, ..calls })
        })
    }
}

pub(super) fn read(connection: &Connection) -> Fallible<Calls> {
    let said: Option<String> = connection
        .prepare_cached("SELECT value FROM meta WHERE name = ?1")?
        .query_row([CALLS], |row| row.get(0))
        .optional()?;
    // What another version wrote and this one cannot read says nothing.
    Ok(said.and_then(|said| serde_json::from_str(&said).ok()).unwrap_or_default())
}

pub(super) fn went_well(tx: &Transaction<'_>, news: &News, now: Timestamp) -> Fallible<()> {
    write(tx, CALLS, &Calls { last: Some(Page::of(news, now)), failing: None })
}

pub(super) fn failed(tx: &Transaction<'_>, news: &News, why: &str, now: Timestamp) -> Fallible<()> {
    let calls = read(tx)?;
    let (since_ms, times) = match &calls.failing {
        Some(before) => (before.since_ms, before.times.saturating_add(1)),
        None => (now.millis(), 1),
    };
    let failing = Failing {
        since_ms,
        last_ms: now.millis(),
        times,
        why: why.to_owned(),
        critical: news.critical,
        high: news.high,
    };
    write(tx, CALLS, &Calls { failing: Some(failing), ..calls })
}

pub(super) fn write(tx: &Transaction<'_>, name: &str, value: &impl Serialize) -> Fallible<()> {
    tx.prepare_cached("INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)")?
        .execute(params![name, serde_json::to_string(value).unwrap_or_default()])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_each_failure_it_waits_twice_as_long_up_to_some_minutes() {
        let rest = |times, pause| {
            let why = String::new();
            let failing = Failing { since_ms: 0, last_ms: 0, times, why, critical: 0, high: 0 };
            failing.rest(Duration::from_secs(pause)).as_secs()
        };
        let of = |pause| [1, 2, 3, 4, 5, 99].map(|times| rest(times, pause));
        assert_eq!(of(60), [60, 120, 240, 300, 300, 300]);
        assert_eq!(of(0), [1, 2, 4, 8, 16, 300]);
        assert_eq!(of(3600), [3600; 6], "never sooner than the pause");
    }
}
