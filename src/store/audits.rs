//! Audits: records leased to auditors, finished runs taken from them, records put back to be audited again.

use std::time::Duration;

use rusqlite::{OptionalExtension, params};

use super::records::COURTESY;
use super::runs::Keeper;
use super::{LeaseLost, LeasedRecord, Store, StoreError, rows};
use crate::domain::finding::RunResult;
use crate::domain::ids::{AuditId, RecordKey};
use crate::domain::routing::Policy;
use crate::domain::time::Timestamp;

/// A run to be stored.
#[derive(Debug, Clone, Copy)]
pub struct FinishedRun<'a> {
    pub lease: &'a LeasedRecord,
    pub result: &'a RunResult,
    pub started: Timestamp,
}

/// What one auditor has in hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordLeases {
    pub holder: String,
    pub records: u64,
    /// When the last of them runs out, unless it is renewed.
    pub until: Timestamp,
}

/// Which records are to be audited again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequeueFilter<'a> {
    /// Everything that was audited, with or without success.
    All,
    /// What failed, and what a model judged with a part left without a verdict: FAILED, REFUSED, EMPTY,
    /// INCOMPLETE, `NOT_CHECKED`. What the local judge cannot judge stays so and is no failure.
    Failed,
    One(&'a AuditId),
}

/// Holds of a row of `work` whose current run left something without a verdict that another run may give.
const WITHOUT_VERDICT: &str = "(state = 'failed' OR EXISTS (
    SELECT 1 FROM run JOIN judge ON judge.id = run.judge_id JOIN claim ON claim.run_id = run.id
      JOIN verdict ON verdict.claim_id = claim.id
    WHERE run.id = work.run_id AND claim.record_id = work.record_id AND judge.judge <> 'local'
      AND verdict.state IN ('FAILED', 'REFUSED', 'EMPTY', 'INCOMPLETE', 'NOT_CHECKED')))";

/// Holds of a row of `work` that is no claim–source pair: those are scored, never audited.
const NO_PAIR: &str =
    "NOT EXISTS (SELECT 1 FROM run WHERE run.id = work.run_id AND run.instrument = 'support')";

/// Records put back to wait in one transaction.
const BACK_AT_ONCE: i64 = 500;

/// The next record that nobody has in hand and that is no suspect: an index walk.
pub(super) const NEXT: &str = "SELECT record_id FROM work
  WHERE state = 'waiting' AND attempts < 2 AND (leased_by IS NULL OR leased_until_ms <= ?1)
  ORDER BY risk_rank DESC, record_id DESC LIMIT 1";
/// The next suspect: two auditors died with it in hand, among others; it may be what killed them.
pub(super) const NEXT_SUSPECT: &str = "SELECT record_id FROM work
  WHERE state = 'waiting' AND attempts >= 2 AND (leased_by IS NULL OR leased_until_ms <= ?1)
  ORDER BY record_id LIMIT 1";

impl Store {
    /// Leases the next unaudited record (highest risk, then newest) to `holder`; one atomic statement.
    /// Passes over suspects.
    pub fn lease_next_record(
        &mut self,
        holder: &str,
        now: Timestamp,
        ttl: Duration,
    ) -> Result<Option<LeasedRecord>, StoreError> {
        Ok(self.lease_next_records(holder, now, ttl, 1)?.pop())
    }

    /// Leases the next `most` such records, in order, or as many as there are; in one transaction.
    pub fn lease_next_records(
        &mut self,
        holder: &str,
        now: Timestamp,
        ttl: Duration,
        most: usize,
    ) -> Result<Vec<LeasedRecord>, StoreError> {
        self.lease(NEXT, holder, now, ttl, most)
    }

    /// Leases a record that two auditors or more had in hand when they died. It is to be judged with
    /// nothing beside it, so that its next loss says something about it.
    pub fn lease_next_suspect(
        &mut self,
        holder: &str,
        now: Timestamp,
        ttl: Duration,
    ) -> Result<Option<LeasedRecord>, StoreError> {
        Ok(self.lease(NEXT_SUSPECT, holder, now, ttl, 1)?.pop())
    }

    /// Leases this record, if it waits, nobody has it in hand, and it is no suspect.
    pub fn lease_record(
        &mut self,
        key: RecordKey,
        holder: &str,
        now: Timestamp,
        ttl: Duration,
    ) -> Result<Option<LeasedRecord>, StoreError> {
        let this = format!(
            "SELECT record_id FROM work WHERE record_id = {} AND state = 'waiting' AND attempts < 2
             AND (leased_by IS NULL OR leased_until_ms <= ?1)",
            key.0
        );
        Ok(self.lease(&this, holder, now, ttl, 1)?.pop())
    }

    fn lease(
        &mut self,
        next: &str,
        holder: &str,
        now: Timestamp,
        ttl: Duration,
        most: usize,
    ) -> Result<Vec<LeasedRecord>, StoreError> {
        // A look without the write lock first: an idle auditor writes nothing.
        let waiting =
            self.read(|connection| Ok(connection.prepare_cached(next)?.exists([now.millis()])?))?;
        if !waiting {
            return Ok(Vec::new());
        }
        let until = now.plus(ttl);
        self.write_normal(|tx| {
            let mut statement = tx.prepare_cached(&format!(
                "UPDATE work SET leased_by = ?2, leased_until_ms = ?3, attempts = attempts + 1
                 WHERE record_id = ({next}) RETURNING record_id, attempts - 1"
            ))?;
            let mut leased = Vec::new();
            while leased.len() < most {
                let found = statement
                    .query_row(params![now.millis(), holder, until.millis()], |row| {
                        Ok((row.get(0).map(RecordKey)?, row.get(1)?))
                    })
                    .optional()?;
                let Some((key, lost)) = found else { break };
                match rows::record(tx, key)? {
                    Some(record) => leased.push(LeasedRecord { key, record, until, lost }),
                    None => {
                        return super::refused(format!(
                            "record row {} is missing: run `juror verify`",
                            key.0
                        ));
                    }
                }
            }
            Ok(leased)
        })
    }

    /// Extends a lease; `Ok(false)` when it was lost. A lease that ran out is lost.
    pub fn renew_record(
        &mut self,
        key: RecordKey,
        holder: &str,
        now: Timestamp,
        ttl: Duration,
    ) -> Result<bool, StoreError> {
        let until = now.plus(ttl).millis();
        self.write_normal(|tx| {
            let changed = tx
                .prepare_cached(
                    "UPDATE work SET leased_until_ms = ?4
                     WHERE record_id = ?1 AND leased_by = ?2 AND leased_until_ms > ?3 AND state = 'waiting'",
                )?
                .execute(params![key.0, holder, now.millis(), until])?;
            Ok(changed == 1)
        })
    }

    /// Gives back one record as if `holder` had never had it in hand. Nothing happens when the lease was lost.
    pub fn release_record(&mut self, key: RecordKey, holder: &str) -> Result<(), StoreError> {
        self.write_normal(|tx| {
            tx.prepare_cached(
                "UPDATE work SET leased_by = NULL, leased_until_ms = NULL, attempts = max(attempts - 1, 0)
                 WHERE record_id = ?1 AND leased_by = ?2",
            )?
            .execute(params![key.0, holder])?;
            Ok(())
        })
    }

    /// Gives back what `holder` has leased and not finished.
    pub fn release_records(&mut self, holder: &str) -> Result<usize, StoreError> {
        self.write_normal(|tx| {
            Ok(tx
                .prepare_cached(
                    "UPDATE work SET leased_by = NULL, leased_until_ms = NULL, attempts = max(attempts - 1, 0)
                     WHERE leased_by = ?1",
                )?
                .execute([holder])?)
        })
    }

    /// Who has records in hand at present, and how many; those whose leases end last come last.
    pub fn record_leases(&self, now: Timestamp) -> Result<Vec<RecordLeases>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT leased_by, count(*), max(leased_until_ms) FROM work
                 WHERE leased_by IS NOT NULL AND leased_until_ms > ?1 GROUP BY leased_by ORDER BY 3, 1",
            )?;
            let leases = statement.query_map([now.millis()], |row| {
                Ok(RecordLeases {
                    holder: rows::text(row, 0)?,
                    records: row.get::<_, u32>(1)?.into(),
                    until: rows::millis(row, 2)?,
                })
            })?;
            Ok(leases.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Takes away what `holder`, who is dead, has leased. Each record counts it as an auditor that never
    /// came back.
    pub fn free_records_of(&mut self, holder: &str) -> Result<usize, StoreError> {
        self.write_normal(|tx| {
            Ok(tx
                .prepare_cached(
                    "UPDATE work SET leased_by = NULL, leased_until_ms = NULL WHERE leased_by = ?1",
                )?
                .execute([holder])?)
        })
    }

    /// Stores a finished run with its claims, verdicts, citations and queue rows in one transaction.
    pub fn finish_run(
        &mut self,
        lease: &LeasedRecord,
        holder: &str,
        result: &RunResult,
        policy: &Policy,
        started: Timestamp,
        now: Timestamp,
    ) -> Result<Result<(), LeaseLost>, StoreError> {
        let run = FinishedRun { lease, result, started };
        self.write_normal(|tx| Keeper::new(tx, policy, now)?.finish(&run, holder))
    }

    /// The same for several, in one transaction: all that are still held are stored, or, where one cannot be, none.
    /// The answer has one entry each, in order.
    pub fn finish_runs(
        &mut self,
        runs: &[FinishedRun<'_>],
        holder: &str,
        policy: &Policy,
        now: Timestamp,
    ) -> Result<Vec<Result<(), LeaseLost>>, StoreError> {
        self.write_normal(|tx| {
            let mut keeper = Keeper::new(tx, policy, now)?;
            runs.iter().map(|run| keeper.finish(run, holder)).collect()
        })
    }

    /// Puts audited records back to wait for another run; says how many. Decisions stay with the run
    /// they were made on. The records keep their current run until the new one is stored.
    ///
    /// All records are many short transactions: when one fails, the records before it wait already, and
    /// asking again goes on with the rest.
    pub fn requeue_records(&mut self, which: RequeueFilter<'_>) -> Result<usize, StoreError> {
        const BACK: &str =
            "UPDATE work SET state = 'waiting', attempts = 0, leased_by = NULL, leased_until_ms = NULL";
        if let RequeueFilter::One(id) = which {
            return self.write_normal(|tx| {
                let key = rows::record_key(tx, id)?;
                let sql = format!("{BACK} WHERE state <> 'waiting' AND record_id = ?1 AND {NO_PAIR}");
                Ok(tx.execute(&sql, [key.0])?)
            });
        }
        let of_these = if which == RequeueFilter::Failed { WITHOUT_VERDICT } else { "1" };
        let of_these = format!("{of_these} AND {NO_PAIR}");
        let last: i64 = self.read(|connection| {
            Ok(connection.query_row("SELECT coalesce(max(record_id), 0) FROM work", [], |row| row.get(0))?)
        })?;
        let (mut changed, mut from) = (0, 0);
        while from <= last {
            let to = from + BACK_AT_ONCE;
            changed += self.write_normal(|tx| {
                Ok(tx
                    .prepare_cached(&format!(
                        "{BACK} WHERE record_id >= ?1 AND record_id < ?2 AND state <> 'waiting' AND {of_these}"
                    ))?
                    .execute([from, to])?)
            })?;
            from = to;
            std::thread::sleep(COURTESY);
        }
        Ok(changed)
    }
}
