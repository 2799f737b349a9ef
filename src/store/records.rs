//! What comes in: records, the inbox of other programs, and records read back as they came.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde_json::Value;

use super::{Fallible, Imported, NewRecord, Store, StoreError, rows};
use crate::domain::event::{passages_sha256_of, sha256_hex};
use crate::domain::ids::{AuditId, RecordKey};
use crate::domain::record::{Record, RiskLevel};
use crate::domain::time::Timestamp;

/// Pause after a batch, so that a waiting decision of another process gets the write lock: without it
/// an importer takes the lock again before anyone else has looked.
const COURTESY: Duration = Duration::from_millis(2);

/// How many bytes of raw lines an import should hand over at once.
///
/// A batch is one transaction and holds the write lock while it is stored. The pace grows while
/// batches are quick and halves when one took long, so that the lock is held for a few tens of
/// milliseconds at most whatever the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportPace {
    bytes: usize,
}

impl Default for ImportPace {
    fn default() -> Self {
        Self { bytes: 128 << 10 }
    }
}

impl ImportPace {
    /// A batch is never longer than this many records.
    pub const MAX_RECORDS: usize = 2000;

    /// Whether a batch with so many records and bytes of raw lines is to be stored now.
    pub fn is_full(&self, records: usize, bytes: usize) -> bool {
        records >= Self::MAX_RECORDS || bytes >= self.bytes
    }

    /// Learns from the last full batch.
    pub fn took(&mut self, time: Duration) {
        if time > Duration::from_millis(25) {
            self.bytes = (self.bytes / 2).max(8 << 10);
        } else if time < Duration::from_millis(12) {
            self.bytes = (self.bytes + self.bytes / 4).min(4 << 20);
        }
    }
}

/// A record with all that can be computed before the lock is taken.
struct Prepared<'a> {
    new: &'a NewRecord,
    raw_sha256: String,
    answer_sha256: String,
    content_sha256: Vec<String>,
    passages_sha256: String,
}

impl<'a> Prepared<'a> {
    fn of(new: &'a NewRecord) -> Self {
        let record = &new.record;
        let content_sha256: Vec<String> =
            record.passages.iter().map(|passage| sha256_hex([passage.content.as_str()])).collect();
        let passages_sha256 = passages_sha256_of(
            record
                .passages
                .iter()
                .zip(&content_sha256)
                .map(|(p, hash)| (p.passage_id.as_str(), hash.as_str())),
        );
        Self {
            new,
            raw_sha256: sha256_hex([new.raw.as_str()]),
            answer_sha256: sha256_hex([record.answer.as_str()]),
            content_sha256,
            passages_sha256,
        }
    }
}

impl Store {
    /// Stores a batch in one transaction; the answer has one entry a record, in order.
    ///
    /// The write lock is held for the whole batch: see [`ImportPace`] for its size.
    pub fn import(&mut self, batch: &[NewRecord], now: Timestamp) -> Result<Vec<Imported>, StoreError> {
        let prepared: Vec<Prepared<'_>> = batch.iter().map(Prepared::of).collect();
        let imported_at = now.to_string();
        let imported = self.write_normal(|tx| {
            let next = |table: &str| {
                tx.prepare_cached(&format!("SELECT coalesce(max(id), 0) + 1 FROM {table}"))?
                    .query_row([], |row| row.get::<_, i64>(0))
            };
            let (mut record_id, mut passage_id) = (next("record")?, next("passage")?);
            let mut imported = Vec::with_capacity(prepared.len());
            for record in &prepared {
                let outcome = if let Some(outcome) = present(tx, record)? {
                    outcome
                } else {
                    insert(tx, record, record_id, &mut passage_id, &imported_at)?;
                    record_id += 1;
                    Imported::New
                };
                imported.push(outcome);
            }
            Ok(imported)
        })?;
        if batch.len() >= 16 {
            std::thread::sleep(COURTESY);
        }
        Ok(imported)
    }

    /// What importing this record would come to.
    pub fn would_import(&self, new: &NewRecord) -> Result<Imported, StoreError> {
        let prepared = Prepared::of(new);
        self.read(|connection| Ok(present(connection, &prepared)?.unwrap_or(Imported::New)))
    }

    /// The row of the record with this id.
    pub fn record_key(&self, id: &AuditId) -> Result<RecordKey, StoreError> {
        self.read(|connection| rows::record_key(connection, id))
    }

    /// A record as it was imported.
    pub fn record(&self, key: RecordKey) -> Result<Record, StoreError> {
        self.read(|connection| match rows::record(connection, key)? {
            Some(record) => Ok(record),
            None => super::refused(format!("no record in row {} of this store", key.0)),
        })
    }

    /// Lines that other programs put into the inbox, oldest first, as `(id, line)`.
    pub fn inbox_take(&self, limit: usize) -> Result<Vec<(i64, String)>, StoreError> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT id, line FROM inbox WHERE error IS NULL ORDER BY id LIMIT ?1")?;
            let lines = statement.query_map([limit as i64], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(lines.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Removes lines that are imported now.
    pub fn inbox_done(&mut self, ids: &[i64]) -> Result<(), StoreError> {
        self.write_normal(|tx| {
            let mut statement = tx.prepare_cached("DELETE FROM inbox WHERE id = ?1")?;
            for id in ids {
                statement.execute([id])?;
            }
            Ok(())
        })
    }

    /// Leaves a line in the inbox with the reason why it is not a record.
    pub fn inbox_reject(&mut self, id: i64, reason: &str) -> Result<(), StoreError> {
        self.write_normal(|tx| {
            tx.prepare_cached("UPDATE inbox SET error = ?2 WHERE id = ?1")?.execute(params![id, reason])?;
            Ok(())
        })
    }
}

/// What to say of a record whose id is taken; `None` when it is free.
fn present(connection: &Connection, record: &Prepared<'_>) -> Fallible<Option<Imported>> {
    let taken = connection
        .prepare_cached("SELECT id, raw_sha256, source FROM record WHERE audit_id = ?1")?
        .query_row([record.new.record.audit_id.as_str()], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        })
        .optional()?;
    let Some((id, raw_sha256, first_source)) = taken else { return Ok(None) };
    if raw_sha256 == record.raw_sha256 {
        return Ok(Some(Imported::Unchanged));
    }
    // Other bytes may still say the same: spaces, escapes, order of the fields.
    let stored: String = connection
        .prepare_cached("SELECT raw FROM record WHERE id = ?1")?
        .query_row([id], |row| row.get(0))?;
    let same = match (serde_json::from_str::<Value>(&stored), serde_json::from_str::<Value>(&record.new.raw))
    {
        (Ok(stored), Ok(new)) => stored == new,
        _ => false,
    };
    Ok(Some(if same { Imported::Unchanged } else { Imported::Conflict { first_source } }))
}

fn insert(
    tx: &Transaction<'_>,
    prepared: &Prepared<'_>,
    id: i64,
    passage_id: &mut i64,
    imported_at: &str,
) -> Fallible<()> {
    let record = &prepared.new.record;
    tx.prepare_cached(
        "INSERT INTO record (id, audit_id, risk_level, source, imported_at, raw_sha256, answer_sha256,
           passages_sha256, question, given_claims, metadata, answer, raw)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
    )?
    .execute(params![
        id,
        record.audit_id.as_str(),
        record.risk_level.map(RiskLevel::label),
        prepared.new.source,
        imported_at,
        prepared.raw_sha256,
        prepared.answer_sha256,
        prepared.passages_sha256,
        record.question,
        to_json(&record.given_claims),
        to_json(&record.metadata),
        record.answer,
        prepared.new.raw,
    ])?;
    let mut statement = tx.prepare_cached(
        "INSERT INTO passage (id, record_id, n, passage_id, content_sha256, metadata, content)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for (n, (passage, content_sha256)) in record.passages.iter().zip(&prepared.content_sha256).enumerate() {
        statement.execute(params![
            *passage_id,
            id,
            n as i64 + 1,
            passage.passage_id.as_str(),
            content_sha256,
            to_json(&passage.metadata),
            passage.content,
        ])?;
        *passage_id += 1;
    }
    Ok(())
}

/// Plain data of ours as JSON; it always has a JSON form.
pub(super) fn to_json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_follows_the_disk() {
        let mut pace = ImportPace::default();
        assert!(!pace.is_full(10, 1000) && pace.is_full(ImportPace::MAX_RECORDS, 0));
        for _ in 0..100 {
            pace.took(Duration::from_millis(1));
        }
        assert!(!pace.is_full(1, 3 << 20), "quick batches grow");
        for _ in 0..100 {
            pace.took(Duration::from_millis(100));
        }
        assert!(pace.is_full(1, 8 << 10), "slow batches shrink, to a floor");
    }
}
