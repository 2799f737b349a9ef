//! Finding claims by a filter: pages in the order of the queue, and how many there are.
//!
//! What stands in the index of the queue is asked of it row by row; words, notes and people's acts are
//! looked up once and kept as sets of claims until the file changes. When a set is small, its claims are
//! looked at instead of the queue. Every reading here can be stopped: see [`Store::stop_when`].

mod conditions;
mod sets;
mod threads;

use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::types::Value;

pub(super) use sets::Sets;

use self::conditions::Conditions;
use self::sets::Set;
use super::pages::{LIMIT, List, Part, Sieve};
use super::{Fallible, PageAt, Store, StoreError};
use crate::domain::filter::{Filter, Review};
use crate::domain::ids::{Annotator, ClaimKey};
use crate::domain::queue::{QueueRow, Side};
use crate::domain::time::Timestamp;

/// So many claims are looked at one by one rather than met on a walk along the queue.
const FEW: u64 = 10_000;
/// Steps of SQLite's machine between two looks whether to stop: well under a millisecond.
const STEPS: i32 = 20_000;
/// News of a kind is not counted further.
const MOST_NEWS: i64 = 1000;

/// A filter made ready for one state of the file.
struct Plan {
    conditions: Conditions,
    /// All claims of these, and none of those that are negated.
    sets: Vec<(bool, Arc<Set>)>,
    keeps: Option<Box<dyn Fn(i64) -> bool>>,
    few: Option<Vec<i64>>,
    parts: Vec<Part>,
}

impl Sieve for Plan {
    fn conditions(&self, part: Part) -> (String, Vec<Value>) {
        self.conditions.of(part)
    }

    fn keeps(&self) -> Option<&dyn Fn(i64) -> bool> {
        self.keeps.as_deref()
    }

    fn few(&self) -> Option<&[i64]> {
        self.few.as_deref()
    }
}

impl Store {
    /// Claims that `filter` lets through, in the order of the queue: open ones first, those that `annotator`
    /// skipped or deferred at their end, then decided ones, then those that were never routed, as far as it asks for them.
    pub fn found_page(
        &self,
        filter: &Filter,
        annotator: &Annotator,
        at: PageAt,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<QueueRow>, StoreError> {
        self.read(|connection| {
            let plan = self.plan(connection, filter, now)?;
            let list = List { connection, annotator, parts: &plan.parts, sieve: &plan, now };
            let keys = list.page(at, limit)?;
            keys.into_iter().map(|key| super::queue::row(connection, key, annotator, now)).collect()
        })
    }

    /// Whether `filter` lets this claim through.
    pub fn found_is(&self, filter: &Filter, key: ClaimKey, now: Timestamp) -> Result<bool, StoreError> {
        self.read(|connection| {
            let plan = self.plan(connection, filter, now)?;
            let nobody = Annotator::new("");
            let list = List { connection, annotator: &nobody, parts: &[], sieve: &plan, now };
            // Nobody skipped or deferred anything: the open ones are all in one part.
            for part in plan.parts.iter().filter(|part| !matches!(part, Part::Skipped | Part::Deferred)) {
                if !list.places(*part, &[key.0])?.is_empty() {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// How many claims `filter` lets through.
    pub fn found_count(&self, filter: &Filter, now: Timestamp) -> Result<u64, StoreError> {
        self.read(|connection| {
            let plan = self.plan(connection, filter, now)?;
            let mut count = 0;
            for review in filter.reviews() {
                count += plan.count(connection, review, now)?;
            }
            Ok(count)
        })
    }

    /// How many of the open CRITICAL and HIGH claims that came on that side of `key` since then the filter does not
    /// let through: see [`Store::arrived_beside`].
    pub fn arrived_outside(
        &self,
        filter: &Filter,
        side: Side,
        key: ClaimKey,
        since: (ClaimKey, ClaimKey),
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        self.read(|connection| {
            let news = super::queue::news_beside(connection, side, key, since, MOST_NEWS)?;
            if news.is_empty() {
                return Ok(0);
            }
            let plan = self.plan(connection, filter, now)?;
            let nobody = Annotator::new("");
            let list = List { connection, annotator: &nobody, parts: &[], sieve: &plan, now };
            let inside = if plan.parts.contains(&Part::NotSkipped) {
                list.places(Part::NotSkipped, &news)?.len()
            } else {
                0
            };
            Ok((news.len() - inside) as u64)
        })
    }

    /// Every reading from now on ends with [`StoreError::Stopped`] as soon as `stop` says so, which is asked
    /// about a thousand times a second.
    pub fn stop_when(&mut self, stop: impl FnMut() -> bool + Send + 'static) -> Result<(), StoreError> {
        let set = self.reader.progress_handler(STEPS, Some(stop));
        set.map_err(|source| self.told(source.into()))
    }

    fn plan(&self, connection: &Connection, filter: &Filter, now: Timestamp) -> Fallible<Plan> {
        let conditions = Conditions::of_filter(connection, filter, now)?;
        let mut sets = Vec::new();
        let mut cache = self.sets.borrow_mut();
        cache.refresh(connection)?;
        for term in filter.terms() {
            if let Some(set) = cache.of(connection, &term.test, now)? {
                sets.push((term.negated, set));
            }
        }
        let smallest =
            sets.iter().filter(|(negated, _)| !negated).map(|(_, set)| set).min_by_key(|set| set.count());
        let few = smallest.filter(|set| set.count() <= FEW).map(|set| set.keys());
        let keeps = (!sets.is_empty()).then(|| {
            let sets = sets.clone();
            let keeps = move |key| sets.iter().all(|(negated, set)| set.contains(key) != *negated);
            Box::new(keeps) as Box<dyn Fn(i64) -> bool>
        });
        let parts = filter.reviews().iter().flat_map(|review| Part::of(*review)).copied().collect();
        Ok(Plan { conditions, sets, keeps, few, parts })
    }
}

impl Plan {
    fn count(&self, connection: &Connection, review: Review, now: Timestamp) -> Fallible<u64> {
        // Who asks does not matter to a count.
        let nobody = Annotator::new("");
        let part = match review {
            Review::Open | Review::Any => Part::NotSkipped,
            Review::Blocked => Part::SetAside,
            Review::Decided => Part::Decided,
            Review::Unrouted => Part::Unrouted,
        };
        if let Some(few) = &self.few {
            let list = List { connection, annotator: &nobody, parts: &[], sieve: self, now };
            return Ok(list.places(part, few)?.len() as u64);
        }
        let (conditions, more) = self.conditions.of(part);
        let rows = if part == Part::NotSkipped { "FROM queue q WHERE q.open = 1" } else { part.rows() };
        let key = if part.is_queued() { "q.claim_id" } else { "c.id" };
        let what = if self.sets.is_empty() { "count(*)" } else { key };
        let sql = format!("SELECT {what} {rows}{conditions} {LIMIT}");
        let mut values: Vec<Value> =
            vec![Value::Null, Value::Null, Value::Null, Value::Null, (-1).into(), now.millis().into()];
        values.extend(more);
        let mut statement = connection.prepare_cached(&sql)?;
        let mut found = statement.query(rusqlite::params_from_iter(values))?;
        let mut count = 0;
        while let Some(row) = found.next()? {
            let value: i64 = row.get(0)?;
            match &self.keeps {
                None => return Ok(u64::try_from(value).unwrap_or(0)),
                Some(keeps) => count += u64::from(keeps(value)),
            }
        }
        Ok(count)
    }
}
