//! What comes in: records, the inbox of other programs, and records read back as they came.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde_json::Value;

use super::seals::{PassageSeal, RecordSeal};
use super::{Fallible, Imported, InboxLine, NewRecord, Store, StoreError, rows};
use crate::clock::Stopwatch;
use crate::domain::event::{passages_sha256_of, sha256_hex};
use crate::domain::ids::{AuditId, RecordKey};
use crate::domain::record::RiskLevel;
use crate::domain::time::Timestamp;

/// Pause after a batch, so that a waiting decision of another process gets the write lock: without it
/// an importer takes the lock again before anyone else has looked.
pub(super) const COURTESY: Duration = Duration::from_millis(2);

/// After this time an import commits what it has stored and goes on in another transaction. The search
/// index is written at the commit and takes about as long again.
pub(super) const LONGEST_HOLD: Duration = Duration::from_millis(20);

/// How many bytes of raw lines an import should hand over at once.
///
/// The pace grows while batches are quick and halves when one took long: so a batch is one transaction
/// as a rule, whatever the disk.
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
pub(super) struct Prepared<'a> {
    new: &'a NewRecord,
    raw_sha256: String,
    answer_sha256: String,
    content_sha256: Vec<String>,
    passages_sha256: String,
    given_claims: String,
    metadata: String,
    passage_metadata: Vec<String>,
}

impl<'a> Prepared<'a> {
    pub(super) fn of(new: &'a NewRecord) -> Self {
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
            given_claims: to_json(&record.given_claims),
            metadata: to_json(&record.metadata),
            passage_metadata: record.passages.iter().map(|passage| to_json(&passage.metadata)).collect(),
        }
    }

    pub(super) fn seal(&self, imported_at: &str) -> String {
        let record = &self.new.record;
        let passages = record.passages.iter().zip(&self.content_sha256).zip(&self.passage_metadata);
        let seal = RecordSeal {
            audit_id: record.audit_id.as_str(),
            risk_level: record.risk_level.map(RiskLevel::label),
            source: &self.new.source,
            imported_at,
            raw_sha256: &self.raw_sha256,
            answer_sha256: &self.answer_sha256,
            question: record.question.as_deref(),
            given_claims: &self.given_claims,
            metadata: &self.metadata,
            passages: passages
                .zip(1..)
                .map(|(((passage, content_sha256), metadata), n)| PassageSeal {
                    n,
                    passage_id: passage.passage_id.as_str(),
                    content_sha256,
                    metadata,
                })
                .collect(),
        };
        seal.sha256()
    }
}

impl Store {
    /// Stores a batch; the answer has one entry a record, in order.
    ///
    /// Hashes are computed, and records that are there already are compared, without the write lock.
    /// The rest is one transaction (see [`ImportPace`]), or several when it takes long: after a crash a
    /// first part of the batch may be stored. Only a single record is never divided, so that the largest
    /// one (8 MiB) holds the lock as long as it takes to write.
    pub fn import(&mut self, batch: &[NewRecord], now: Timestamp) -> Result<Vec<Imported>, StoreError> {
        let imported_at = now.to_string();
        let prepared: Vec<Prepared<'_>> = batch.iter().map(Prepared::of).collect();
        let mut became = self.read(|connection| {
            prepared.iter().map(|record| present(connection, record)).collect::<Fallible<Vec<_>>>()
        })?;
        let seals: Vec<Option<String>> = prepared
            .iter()
            .zip(&became)
            .map(|(record, became)| became.is_none().then(|| record.seal(&imported_at)))
            .collect();
        let mut done = 0;
        while let Some(waits) = became[done..].iter().position(Option::is_none) {
            done += waits;
            done = self.write_normal(|tx| {
                let since = Stopwatch::start();
                let mut at = done;
                let next = |table: &str| {
                    tx.prepare_cached(&format!("SELECT coalesce(max(id), 0) + 1 FROM {table}"))?
                        .query_row([], |row| row.get::<_, i64>(0))
                };
                let (mut record_id, mut passage_id) = (next("record")?, next("passage")?);
                while at < prepared.len() && since.elapsed() < LONGEST_HOLD {
                    if let (None, Some(seal)) = (&became[at], &seals[at])
                        && !is_taken(tx, &prepared[at])?
                    {
                        insert(tx, &prepared[at], seal, record_id, &mut passage_id, &imported_at)?;
                        record_id += 1;
                        became[at] = Some(Imported::New);
                    }
                    at += 1;
                }
                Ok(at)
            })?;
            if batch.len() >= 16 {
                std::thread::sleep(COURTESY);
            }
        }
        // Twice in the batch, or stored by another process in the meantime.
        self.read(|connection| {
            let resolve = |(became, record): (Option<Imported>, &Prepared<'_>)| match became {
                Some(became) => Ok(became),
                None => Ok(present(connection, record)?.unwrap_or(Imported::Unchanged)),
            };
            became.into_iter().zip(&prepared).map(resolve).collect()
        })
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

    /// Lines that other programs put into the inbox, oldest first, byte for byte: whatever they hold,
    /// reading them does not fail. At most `limit` lines and about `longest` bytes at once; of a line of
    /// more than `longest` bytes only that it is there.
    pub fn inbox_take(&self, limit: usize, longest: usize) -> Result<Vec<InboxLine>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, octet_length(line), CASE WHEN octet_length(line) <= ?2 THEN line END
                 FROM inbox WHERE error IS NULL ORDER BY id LIMIT ?1",
            )?;
            let mut found = statement.query([limit as i64, longest as i64])?;
            let (mut lines, mut bytes) = (Vec::new(), 0);
            while bytes < longest
                && let Some(row) = found.next()?
            {
                let length = row.get::<_, i64>(1)? as usize;
                let line = row.get_ref(2)?.as_bytes_or_null().map_err(rusqlite::Error::from)?;
                bytes += line.map_or(0, <[u8]>::len);
                lines.push(InboxLine { id: row.get(0)?, bytes: line.map(<[u8]>::to_vec).ok_or(length) });
            }
            Ok(lines)
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

/// Whether the record's id is in the store.
fn is_taken(connection: &Connection, record: &Prepared<'_>) -> Fallible<bool> {
    Ok(connection.prepare_cached("SELECT 1 FROM record WHERE audit_id = ?1")?.exists([record
        .new
        .record
        .audit_id
        .as_str()])?)
}

/// What to say of a record whose id is taken; `None` when it is free.
pub(super) fn present(connection: &Connection, record: &Prepared<'_>) -> Fallible<Option<Imported>> {
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

pub(super) fn insert(
    tx: &Transaction<'_>,
    prepared: &Prepared<'_>,
    seal: &str,
    id: i64,
    passage_id: &mut i64,
    imported_at: &str,
) -> Fallible<()> {
    let record = &prepared.new.record;
    tx.prepare_cached(
        "INSERT INTO record (id, audit_id, risk_level, source, imported_at, raw_sha256, answer_sha256,
           passages_sha256, sha256, question, given_claims, metadata, answer, raw)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
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
        seal,
        record.question,
        prepared.given_claims,
        prepared.metadata,
        record.answer,
        prepared.new.raw,
    ])?;
    let mut statement = tx.prepare_cached(
        "INSERT INTO passage (id, record_id, n, passage_id, content_sha256, metadata, content)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    let passages = record.passages.iter().zip(&prepared.content_sha256).zip(&prepared.passage_metadata);
    for (n, ((passage, content_sha256), metadata)) in passages.enumerate() {
        statement.execute(params![
            *passage_id,
            id,
            n as i64 + 1,
            passage.passage_id.as_str(),
            content_sha256,
            metadata,
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
