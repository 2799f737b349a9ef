//! Of what a person said, what others have said otherwise since: told on the screen, and found by a filter.
//!
//! All of it is read from the events of others and what stands now, so nothing is kept but up to which event the person
//! was told. That is a convenience, no work: it stands beside what is sealed.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::rows::{parsed, parsed_opt};
use super::{Fallible, Store, StoreError, events, rows};
use crate::domain::decision::Disposition;
use crate::domain::ids::Annotator;
use crate::domain::overruled::{How, Overruled};
use crate::domain::queue::Given;

/// Rulings that count in place of theirs, or beside which none does.
const RULED: &str = "SELECT e.seq, e.at, e.annotator, e.subject, e.claim_id, d.verdict, d.severity, x.verdict, x.severity, x.counts
  FROM event e
  CROSS JOIN decision d ON d.claim_id = e.claim_id AND d.annotator = ?1 AND d.counts = 0 AND d.seq < e.seq
  CROSS JOIN decision x ON x.claim_id = e.claim_id AND x.annotator = e.annotator AND x.seq = e.seq
  WHERE e.seq > ?2 AND e.annotator <> ?1 AND e.act IN ('CONFIRM', 'OVERRIDE')
    AND (x.counts = 1 AND (x.verdict <> d.verdict OR x.severity IS NOT d.severity)
      OR x.verdict <> d.verdict AND NOT EXISTS (SELECT 1 FROM decision y WHERE y.claim_id = e.claim_id AND y.counts = 1))
    AND NOT EXISTS (SELECT 1 FROM replaced p WHERE p.claim_id = e.claim_id)
  ORDER BY e.seq";

/// Dispositions that stand, with the last of theirs on the same audit that they did not take back themselves.
const DISPOSED: &str = "SELECT e.seq, e.at, e.annotator, e.subject, p.run_id, p.disposition,
    (SELECT m.new ->> '$.disposition' FROM event m
      WHERE m.claim_id IS NULL AND m.subject = e.subject AND m.act = 'DISPOSE' AND m.annotator = ?1 AND m.seq < e.seq
        AND m.new ->> '$.run' = e.new ->> '$.run' AND NOT EXISTS (SELECT 1 FROM event u WHERE u.undoes = m.seq)
      ORDER BY m.seq DESC LIMIT 1)
  FROM event e CROSS JOIN record r ON r.audit_id = e.subject CROSS JOIN work w ON w.record_id = r.id
  CROSS JOIN disposition p ON p.run_id = w.run_id AND p.seq = e.seq
  WHERE e.seq > ?2 AND e.annotator <> ?1 AND e.act = 'DISPOSE' AND e.claim_id IS NULL ORDER BY e.seq";

/// Claims on which they ruled and in whose place others stand.
const REPLACED: &str = "SELECT e.seq, e.at, e.annotator, e.subject, e.claim_id, d.verdict, d.severity
  FROM event e CROSS JOIN replaced p ON p.claim_id = e.claim_id AND p.seq = e.seq
  CROSS JOIN decision d ON d.claim_id = e.claim_id AND d.annotator = ?1
  WHERE e.seq > ?2 AND e.annotator <> ?1 AND e.act IN ('SPLIT', 'MERGE') ORDER BY e.seq";

/// The last disposition of everybody on the audit that stands, where another person's that differs came after it.
const OVERTURNED: &str = "SELECT e.subject, e.annotator, e.new ->> '$.disposition', e.at, t.text, e.reason
  FROM disposition p CROSS JOIN work w ON w.run_id = p.run_id CROSS JOIN run ON run.id = p.run_id
  CROSS JOIN record r ON r.id = w.record_id
  CROSS JOIN event e ON e.claim_id IS NULL AND e.subject = r.audit_id AND e.act = 'DISPOSE' AND e.seq < p.seq
    AND e.annotator <> p.annotator AND e.new ->> '$.disposition' <> p.disposition AND e.new ->> '$.run' = run.n
    AND NOT EXISTS (SELECT 1 FROM event u WHERE u.undoes = e.seq)
    AND NOT EXISTS (SELECT 1 FROM event m WHERE m.claim_id IS NULL AND m.subject = e.subject AND m.act = 'DISPOSE'
      AND m.annotator = e.annotator AND m.seq > e.seq AND m.new ->> '$.run' = e.new ->> '$.run'
      AND NOT EXISTS (SELECT 1 FROM event u WHERE u.undoes = m.seq))
  LEFT JOIN event_payload t ON t.seq = e.seq ORDER BY p.run_id, e.seq";

impl Store {
    /// By answer, each disposition in whose place another person set one that differs, and that nobody took back.
    pub fn overruled_dispositions(&self) -> Result<Vec<(String, Given)>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(OVERTURNED)?;
            let found = statement.query_map([], |row| {
                let given = Given {
                    annotator: Annotator::new(row.get::<_, String>(1)?),
                    disposition: parsed(row, 2)?,
                    at: parsed(row, 3)?,
                    note: rows::text_opt(row, 4)?,
                    reason: parsed_opt(row, 5)?,
                };
                Ok((row.get(0)?, given))
            })?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// What others have said otherwise than `annotator` since they were told last, or after that event where it is later,
    /// in order, and up to which event that is known.
    pub fn overruled(
        &self,
        annotator: &Annotator,
        after: Option<i64>,
    ) -> Result<(Vec<Overruled>, i64), StoreError> {
        self.read(|connection| {
            let told: Option<String> = connection
                .prepare_cached("SELECT value FROM meta WHERE name = ?1")?
                .query_row([name(annotator)], |row| row.get(0))
                .optional()?;
            // What is no number was never written here.
            let told = told.and_then(|told| told.parse().ok()).unwrap_or(0);
            let after = first_act(connection, annotator.as_str())?.max(told).max(after.unwrap_or(0));
            let mut all: Vec<Overruled> =
                since(connection, annotator.as_str(), after)?.into_iter().map(|(one, _)| one).collect();
            all.sort_by_key(|one| one.seq);
            Ok((all, events::head(connection)?.0))
        })
    }

    /// They were told of everything up to `event`.
    pub fn set_told(&mut self, annotator: &Annotator, event: i64) -> Result<(), StoreError> {
        self.write_normal(|tx| {
            tx.prepare_cached(
                "INSERT INTO meta (name, value) VALUES (?1, ?2)
                 ON CONFLICT (name) DO UPDATE SET value = excluded.value
                 WHERE CAST(value AS INTEGER) < CAST(excluded.value AS INTEGER)",
            )?
            .execute(params![name(annotator), event.to_string()])?;
            Ok(())
        })
    }
}

fn name(annotator: &Annotator) -> String {
    format!("told to {}", annotator.as_str())
}

/// Nothing of theirs is overruled before.
fn first_act(connection: &Connection, annotator: &str) -> Fallible<i64> {
    let first: Option<i64> = connection
        .prepare_cached("SELECT min(seq) FROM event WHERE annotator = ?1")?
        .query_row([annotator], |row| row.get(0))?;
    Ok(first.unwrap_or(i64::MAX))
}

/// The claims of all that others have said otherwise than `annotator`.
pub(super) fn claims(connection: &Connection, annotator: &str) -> Fallible<Vec<i64>> {
    let mut claims = Vec::new();
    for (one, at) in since(connection, annotator, first_act(connection, annotator)?)? {
        let (sql, key) = match one.how {
            How::Ruled { .. } => {
                claims.push(at);
                continue;
            }
            How::Disposed { .. } => ("SELECT id FROM claim WHERE run_id = ?1", at),
            How::Replaced { .. } => (
                "SELECT made.claim_id FROM event e JOIN event made ON made.batch = e.batch AND made.act = 'ADD_CLAIM'
                 WHERE e.seq = ?1",
                one.seq,
            ),
        };
        let mut statement = connection.prepare_cached(sql)?;
        let found = statement.query_map([key], |row| row.get::<_, i64>(0))?;
        claims.extend(found.collect::<rusqlite::Result<Vec<_>>>()?);
    }
    Ok(claims)
}

/// All of it after that event, with the claim, or the audit of the answer.
fn since(connection: &Connection, annotator: &str, after: i64) -> Fallible<Vec<(Overruled, i64)>> {
    let mut all = Vec::new();
    let mut read = |sql: &str, how: &dyn Fn(&Row<'_>) -> rusqlite::Result<Option<How>>| -> Fallible<()> {
        let mut statement = connection.prepare_cached(sql)?;
        let mut found = statement.query(params![annotator, after])?;
        while let Some(row) = found.next()? {
            let Some(how) = how(row)? else { continue };
            let by = Annotator::new(row.get::<_, String>(2)?);
            all.push((
                Overruled { seq: row.get(0)?, at: parsed(row, 1)?, by, subject: row.get(3)?, how },
                row.get(4)?,
            ));
        }
        Ok(())
    };
    read(RULED, &|row| {
        let was = (parsed(row, 5)?, parsed_opt(row, 6)?);
        let is = (parsed(row, 7)?, parsed_opt(row, 8)?);
        Ok(Some(How::Ruled { was, is, counts: row.get(9)? }))
    })?;
    read(DISPOSED, &|row| {
        let (is, was): (Disposition, Option<Disposition>) = (parsed(row, 5)?, parsed_opt(row, 6)?);
        Ok(was.filter(|was| *was != is).map(|was| How::Disposed { was, is }))
    })?;
    read(REPLACED, &|row| Ok(Some(How::Replaced { was: (parsed(row, 5)?, parsed_opt(row, 6)?) })))?;
    Ok(all)
}
