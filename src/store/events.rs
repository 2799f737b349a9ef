//! The chain of events: append at the end, read back as they were.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use serde_json::Value;

use super::records::to_json;
use super::rows::{self, parsed, parsed_opt};
use super::{Fallible, Store, StoreError};
use crate::domain::decision::{Actor, ReasonCode};
use crate::domain::event::{Act, Event, GENESIS, Seen, payload_sha256};
use crate::domain::ids::ClaimKey;
use crate::domain::time::Timestamp;

/// What is to be recorded; the chain adds number, hashes and payload.
pub(super) struct Draft<'a> {
    pub(super) act: Act,
    pub(super) subject: String,
    /// The row of the claim; `None` when the subject is a whole answer.
    pub(super) claim: Option<ClaimKey>,
    pub(super) old: Value,
    pub(super) new: Value,
    pub(super) reason: Option<ReasonCode>,
    pub(super) undoes: Option<i64>,
    pub(super) seen: Seen,
    /// The first event of those that are asked for at once.
    pub(super) batch: Option<i64>,
    /// Free text, kept apart from the chain.
    pub(super) payload: Option<&'a str>,
}

/// The columns that [`event`] reads, in its order.
pub(super) const COLUMNS: &str =
    "seq, at, annotator, os_user, host, program, act, subject, old, new, reason, undoes,
  answer_sha256, passages_sha256, verdict_sha256, payload_sha256, claim_id, prev_hash, hash, batch";

/// Holds of the events about the record ?1 or a claim of it; ?2 is its audit id.
pub(super) const OF_RECORD: &str = "seq IN (SELECT e.seq FROM claim c JOIN event e ON e.claim_id = c.id
   WHERE c.record_id = ?1
   UNION SELECT e.seq FROM event e WHERE e.claim_id IS NULL AND e.subject = ?2)";

pub(super) fn event(row: &Row<'_>) -> rusqlite::Result<Event> {
    Ok(Event {
        seq: row.get(0)?,
        at: parsed(row, 1)?,
        annotator: row.get(2)?,
        os_user: row.get(3)?,
        host: row.get(4)?,
        program: row.get(5)?,
        act: parsed(row, 6)?,
        subject: row.get(7)?,
        old: rows::json(row, 8)?,
        new: rows::json(row, 9)?,
        reason: parsed_opt(row, 10)?,
        undoes: row.get(11)?,
        seen: Seen {
            answer_sha256: row.get(12)?,
            passages_sha256: row.get(13)?,
            verdict_sha256: row.get(14)?,
        },
        payload_sha256: row.get(15)?,
        batch: row.get(19)?,
    })
}

/// Number and hash of the last event; 0 and the genesis hash when there is none.
pub(super) fn head(connection: &Connection) -> Fallible<(i64, String)> {
    Ok(connection
        .prepare_cached("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?
        .unwrap_or_else(|| (0, GENESIS.to_owned())))
}

/// Appends an event, with its payload where it has one.
pub(super) fn append(
    tx: &Transaction<'_>,
    draft: Draft<'_>,
    actor: &Actor,
    now: Timestamp,
) -> Fallible<Event> {
    let (last, prev_hash) = head(tx)?;
    let payload = match draft.payload {
        Some(text) => {
            // Salted, so that a short note cannot be guessed from its hash once it is erased.
            let salt: String =
                tx.prepare_cached("SELECT lower(hex(randomblob(16)))")?.query_row([], |row| row.get(0))?;
            Some((payload_sha256(&salt, text), salt, text))
        }
        None => None,
    };
    let event = Event {
        seq: last + 1,
        at: now,
        annotator: actor.annotator.as_str().to_owned(),
        os_user: actor.os_user.clone(),
        host: actor.host.clone(),
        program: actor.program.clone(),
        act: draft.act,
        subject: draft.subject,
        old: draft.old,
        new: draft.new,
        reason: draft.reason,
        undoes: draft.undoes,
        seen: draft.seen,
        payload_sha256: payload.as_ref().and_then(|(hash, ..)| hash.clone()),
        batch: draft.batch,
    };
    tx.prepare_cached(&format!(
        "INSERT INTO event ({COLUMNS})
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)"
    ))?
    .execute(params![
        event.seq,
        event.at.to_string(),
        event.annotator,
        event.os_user,
        event.host,
        event.program,
        event.act.label(),
        event.subject,
        to_json(&event.old),
        to_json(&event.new),
        event.reason.map(ReasonCode::label),
        event.undoes,
        event.seen.answer_sha256,
        event.seen.passages_sha256,
        event.seen.verdict_sha256,
        event.payload_sha256,
        draft.claim.map(|key| key.0),
        prev_hash,
        event.hash(&prev_hash),
        event.batch,
    ])?;
    if let Some((_, salt, text)) = payload {
        tx.prepare_cached("INSERT INTO event_payload (seq, salt, text) VALUES (?1, ?2, ?3)")?
            .execute(params![event.seq, salt, text])?;
    }
    Ok(event)
}

/// All events of `annotator` on a claim, in order.
pub(super) fn on_claim(connection: &Connection, claim: ClaimKey, annotator: &str) -> Fallible<Vec<Event>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM event WHERE claim_id = ?1 AND annotator = ?2 ORDER BY seq"
    ))?;
    let events = statement.query_map(params![claim.0, annotator], event)?;
    Ok(events.collect::<rusqlite::Result<_>>()?)
}

impl Store {
    /// Number and hash of the last event: kept elsewhere, they show whether the end was cut off.
    pub fn head(&self) -> Result<(i64, String), StoreError> {
        self.read(head)
    }

    /// Whether an event has this hash, or it is the one before the first.
    pub fn has_head(&self, hash: &str) -> Result<bool, StoreError> {
        let hash = hash.to_ascii_lowercase();
        self.read(|connection| {
            let mut statement = connection.prepare("SELECT 1 FROM event WHERE lower(hash) = ?1")?;
            Ok(hash == GENESIS || statement.exists([&hash])?)
        })
    }
}
