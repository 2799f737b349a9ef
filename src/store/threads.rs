//! The queue by answers: each answer with open claims once, where its worst one stands.
//!
//! An answer is met at its head, the first of its open claims in the order of the queue. So a page of answers is a page
//! of the queue that keeps heads alone, and costs as little.

use rusqlite::types::Value;
use rusqlite::{Connection, params};

use super::pages::{List, Part, Sieve};
use super::rows;
use super::{Fallible, PageAt, Store, StoreError, projection, queue};
use crate::domain::ids::{Annotator, ClaimKey};
use crate::domain::queue::{QueueRow, Thread};
use crate::domain::time::Timestamp;

/// Keeps the first open claim of each answer: of those that the person did not put off, else of those that they
/// skipped.
struct Heads;

const FIRST: &str = " AND NOT EXISTS (SELECT 1 FROM claim m
  CROSS JOIN claim n ON n.record_id = m.record_id
  CROSS JOIN queue o ON o.claim_id = n.id AND o.open = 1
  WHERE m.id = q.claim_id AND (o.place, o.arrived_ms, o.claim_id) < (q.place, q.arrived_ms, q.claim_id)
    AND NOT EXISTS (SELECT 1 FROM skip x WHERE x.annotator = ?1 AND x.claim_id = o.claim_id)
    AND NOT EXISTS (SELECT 1 FROM deferral y WHERE y.annotator = ?1 AND y.claim_id = o.claim_id AND y.until_ms > ?6))";

/// Also where nothing else of the answer is in hand.
const FIRST_SKIPPED: &str = " AND NOT EXISTS (SELECT 1 FROM claim m
  CROSS JOIN claim n ON n.record_id = m.record_id
  CROSS JOIN queue o ON o.claim_id = n.id AND o.open = 1
  WHERE m.id = q.claim_id AND o.claim_id <> q.claim_id
    AND NOT EXISTS (SELECT 1 FROM deferral y WHERE y.annotator = ?1 AND y.claim_id = o.claim_id AND y.until_ms > ?6)
    AND (NOT EXISTS (SELECT 1 FROM skip x WHERE x.annotator = ?1 AND x.claim_id = o.claim_id)
         OR (o.place, o.arrived_ms, o.claim_id) < (q.place, q.arrived_ms, q.claim_id)))";

impl Sieve for Heads {
    fn conditions(&self, part: Part) -> (String, Vec<Value>) {
        let first = if part == Part::Skipped { FIRST_SKIPPED } else { FIRST };
        (first.to_owned(), Vec::new())
    }

    fn keeps(&self) -> Option<&dyn Fn(i64) -> bool> {
        None
    }

    fn few(&self) -> Option<&[i64]> {
        None
    }
}

impl Store {
    /// Answers with claims in hand for `annotator`, in the order of their worst one; `at` names heads.
    pub fn threads_page(
        &self,
        annotator: &Annotator,
        at: PageAt,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Thread>, StoreError> {
        self.read(|connection| {
            let list = List { connection, annotator, parts: Part::IN_HAND, sieve: &Heads, now };
            let heads = list.page(at, limit)?;
            heads.into_iter().map(|head| thread(connection, head, annotator, now)).collect()
        })
    }

    /// The claims of the answer that `head` is of which were sent to a person, in the order of the queue, open ones
    /// before decided ones.
    pub fn thread_claims(
        &self,
        head: ClaimKey,
        annotator: &Annotator,
        now: Timestamp,
    ) -> Result<Vec<QueueRow>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT q.claim_id FROM claim m CROSS JOIN claim c ON c.record_id = m.record_id
                 CROSS JOIN queue q ON q.claim_id = c.id AND q.current = 1
                 WHERE m.id = ?1 ORDER BY q.open DESC, q.place, q.arrived_ms, q.claim_id",
            )?;
            let keys = statement.query_map([head.0], |row| row.get(0).map(ClaimKey))?;
            let keys = keys.collect::<rusqlite::Result<Vec<_>>>()?;
            keys.into_iter().map(|key| queue::row(connection, key, annotator, now)).collect()
        })
    }
}

pub(super) fn thread(
    connection: &Connection,
    head: ClaimKey,
    annotator: &Annotator,
    now: Timestamp,
) -> Fallible<Thread> {
    let claim = rows::claim(connection, head)?;
    let (open, decided, worst): (u32, u32, u8) = connection
        .prepare_cached(
            "SELECT coalesce(sum(q.open <> 0), 0), coalesce(sum(q.current AND q.open = 0), 0),
               coalesce(max(CASE WHEN q.open <> 0 THEN q.severity_rank
                 WHEN q.current THEN (SELECT CASE d.severity WHEN 'CRITICAL' THEN 4 WHEN 'HIGH' THEN 3 WHEN 'MEDIUM' THEN 2
                                        WHEN 'LOW' THEN 1 END FROM decision d WHERE d.claim_id = c.id AND d.counts = 1)
                 END), 0)
             FROM claim c CROSS JOIN queue q ON q.claim_id = c.id WHERE c.record_id = ?1",
        )?
        .query_row(params![claim.record.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(Thread {
        worst: queue::of_rank(worst),
        open: open.into(),
        decided: decided.into(),
        disposition: projection::disposition(connection, claim.run)?.map(Into::into),
        head: queue::row(connection, head, annotator, now)?,
    })
}
