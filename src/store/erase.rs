//! Taking the words of a note out of the file. The event that they came with stays, and another one says who took them
//! out and why.

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::json;

use super::events::{self, Draft};
use super::{Fallible, Fault, Store, StoreError, refused, rows, seen};
use crate::domain::decision::Actor;
use crate::domain::event::{Act, ERASED, Event, Seen};
use crate::domain::ids::{AuditId, ClaimKey};
use crate::domain::time::Timestamp;

/// The longest reason for an erasure, in bytes.
const LONGEST_WHY: usize = 500;

/// What an erasure did.
#[derive(Debug, Clone, PartialEq)]
pub struct Erased {
    /// The event that says who erased the note, and why.
    pub event: Event,
    /// Who wrote what was erased.
    pub author: String,
    /// Other events that hold the very same words: a note that was taken back and written again is two.
    pub copies: Vec<i64>,
    /// Whether the words have left the log beside the file as well; not as long as another program reads there.
    pub is_folded: bool,
}

impl Store {
    /// Erases the note of event `seq`: its words leave the file and the search index, and an event says who did that
    /// and why. It cannot be undone.
    ///
    /// Refused where there is no such event, no note with it or none any more, and where `why` is empty, longer than
    /// 500 bytes, not one line, or holds the note itself: it stands in the chain for ever.
    pub fn erase(
        &mut self,
        seq: i64,
        why: &str,
        actor: &Actor,
        now: Timestamp,
    ) -> Result<Erased, StoreError> {
        let why = why.trim();
        let (event, author, copies) = self.write_full(|tx| {
            let (of, claim) = named(tx, seq)?;
            let Some(text) = words(tx, &of)? else {
                return match erasure_of(tx, seq)? {
                    Some(by) => refused(format!("the note of event {seq} was erased already, by event {by}")),
                    None if of.payload_sha256.is_some() => refused(format!(
                        "the note of event {seq} is not there, and no event says who erased it: see `juror verify`"
                    )),
                    None => refused(format!("event {seq} ({} on {}) has no note", of.act, of.subject)),
                };
            };
            refuse_why(why, &text)?;
            let copies = tx
                .prepare("SELECT seq FROM event_payload WHERE text = ?1 AND seq <> ?2 ORDER BY seq")?
                .query_map(params![text, seq], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            let record = match claim {
                Some(claim) => rows::claim(tx, claim)?.record,
                None => rows::record_key(tx, &AuditId::new(of.subject.as_str()))?,
            };
            let draft = Draft {
                act: Act::Erase,
                subject: of.subject.clone(),
                claim,
                old: serde_json::Value::Null,
                new: json!({ ERASED: seq, "why": why }),
                reason: None,
                undoes: None,
                // Nobody judges by it.
                seen: Seen { verdict_sha256: None, ..seen::of(tx, record, None)? },
                batch: None,
                payload: None,
            };
            let event = events::append(tx, draft, actor, now)?;
            tx.prepare_cached("DELETE FROM event_payload WHERE seq = ?1")?.execute([seq])?;
            Ok((event, of.annotator, copies))
        })?;
        Ok(Erased { event, author, copies, is_folded: self.fold()? })
    }

    /// Folds the log beside the file into it, so that nothing stands there any more; `false` when another program
    /// still reads it.
    fn fold(&self) -> Result<bool, StoreError> {
        let Some(writer) = &self.writer else { return Ok(false) };
        writer
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
            .map(|is_busy| is_busy == 0)
            .map_err(|source| self.told(source.into()))
    }
}

/// The event that erased the note of event `seq`.
pub(super) fn erasure_of(connection: &Connection, seq: i64) -> Fallible<Option<i64>> {
    Ok(connection
        .prepare_cached(
            "SELECT seq FROM event WHERE act = 'ERASE' AND new ->> '$.event' = ?1 ORDER BY seq LIMIT 1",
        )?
        .query_row([seq], |row| row.get(0))
        .optional()?)
}

fn named(connection: &Connection, seq: i64) -> Fallible<(Event, Option<ClaimKey>)> {
    connection
        .prepare_cached(&format!("SELECT {} FROM event WHERE seq = ?1", events::COLUMNS))?
        .query_row([seq], |row| Ok((events::event(row)?, row.get::<_, Option<i64>>(16)?.map(ClaimKey))))
        .optional()?
        .ok_or_else(|| {
            Fault::Store(StoreError::Refused(format!(
                "no event {seq} in this store: `juror export --what decisions` lists them by their seq"
            )))
        })
}

fn words(connection: &Connection, of: &Event) -> Fallible<Option<String>> {
    Ok(connection
        .prepare_cached("SELECT text FROM event_payload WHERE seq = ?1")?
        .query_row([of.seq], |row| rows::text(row, 0))
        .optional()?)
}

fn refuse_why(why: &str, text: &str) -> Fallible<()> {
    if why.is_empty() {
        return refused("say why it is erased: that stands in its place");
    }
    if why.len() > LONGEST_WHY || why.chars().any(char::is_control) {
        return refused(format!("the reason is longer than {LONGEST_WHY} bytes, or not one line"));
    }
    let text = text.trim();
    if !text.is_empty() && why.contains(text) {
        return refused(
            "the reason holds the note itself, and stands in the chain for ever: say it without its words",
        );
    }
    Ok(())
}
