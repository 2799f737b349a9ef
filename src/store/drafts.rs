//! Drafts: what is being typed or chosen and is not recorded yet.
//!
//! A draft goes when it is taken back where it was written, or when the act is recorded that it was the draft of. What
//! the same person does elsewhere, on the command line or in another window, leaves it alone.

use rusqlite::{OptionalExtension, Transaction, params};

use super::decisions::{self, Links};
use super::dispositions::{self, Disposing};
use super::shaping::{self, Shaped};
use super::{Fallible, Store, StoreError, refused, rows};
use crate::domain::decision::{Actor, Basis, Request};
use crate::domain::draft::Draft;
use crate::domain::event::Event;
use crate::domain::ids::{Annotator, ClaimId, ClaimKey, RecordKey};
use crate::domain::shaping::Shape;
use crate::domain::time::Timestamp;

impl Store {
    /// The claims on which `annotator` began something and has not finished it, the latest first.
    pub fn drafts_of(&self, annotator: &Annotator) -> Result<Vec<ClaimId>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT r.audit_id, c.n FROM draft d CROSS JOIN claim c ON c.id = d.claim_id
                 JOIN record r ON r.id = c.record_id WHERE d.annotator = ?1
                 GROUP BY d.claim_id ORDER BY max(d.saved_at) DESC, d.claim_id",
            )?;
            let found = statement.query_map([annotator.as_str()], |row| rows::claim_id(row, 0))?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Keeps `text` as what is being typed or chosen; `None` forgets it.
    ///
    /// Only what `draft` knows is written over or forgotten. Where another text stands, keeping is refused, and
    /// forgetting leaves it as it is.
    pub fn save_draft(
        &mut self,
        draft: &Draft,
        annotator: &Annotator,
        text: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write_normal(|tx| {
            let Some(text) = text else { return forget(tx, draft, annotator) };
            if !is_known(tx, draft, annotator, Some(text))? {
                return refused(
                    "another window of yours keeps other words here: they stay, and so these are not kept",
                );
            }
            tx.prepare_cached(
                "INSERT INTO draft (claim_id, annotator, kind, saved_at, text) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (claim_id, annotator, kind) DO UPDATE
                   SET text = excluded.text, saved_at = excluded.saved_at",
            )?
            .execute(params![
                draft.claim.0,
                annotator.as_str(),
                draft.kind.label(),
                now.to_string(),
                text
            ])?;
            Ok(())
        })
    }

    /// Records what [`Store::decide`] does, and forgets the draft that is finished by it.
    pub fn decide_begun(
        &mut self,
        claim: ClaimKey,
        request: &Request,
        basis: Basis<'_>,
        finished: &Draft,
        actor: &Actor,
        now: Timestamp,
    ) -> Result<Event, StoreError> {
        self.write_full(|tx| {
            let event = decisions::decided(tx, claim, request, basis, Links::default(), actor, now);
            let event = rows::named(tx, claim, event)?;
            forget(tx, finished, &actor.annotator)?;
            Ok(event)
        })
    }

    /// Gives a disposition as [`Store::dispose`] does, and forgets the draft of its note.
    pub fn dispose_begun(
        &mut self,
        record: RecordKey,
        asked: &Disposing,
        basis: Basis<'_>,
        finished: &Draft,
        actor: &Actor,
        now: Timestamp,
    ) -> Result<Event, StoreError> {
        self.write_full(|tx| {
            let event = dispositions::disposed(tx, record, asked, basis, Links::default(), actor, now)?;
            forget(tx, finished, &actor.annotator)?;
            Ok(event)
        })
    }

    /// Makes claims as [`Store::shape`] does, and forgets the draft that is finished by it.
    pub fn shape_begun(
        &mut self,
        shape: &Shape,
        basis: Basis<'_>,
        finished: &Draft,
        actor: &Actor,
        now: Timestamp,
    ) -> Result<Shaped, StoreError> {
        self.write_full(|tx| {
            let shaped = shaping::shaped(tx, shape, basis, actor, now)?;
            forget(tx, finished, &actor.annotator)?;
            Ok(shaped)
        })
    }
}

/// Whether nothing stands where `draft` is kept, or one of its texts, or `same`.
fn is_known(
    tx: &Transaction<'_>,
    draft: &Draft,
    annotator: &Annotator,
    same: Option<&str>,
) -> Fallible<bool> {
    // As bytes: what somebody damaged there must not keep a decision from being recorded.
    let stands: Option<Vec<u8>> = tx
        .prepare_cached(
            "SELECT CAST(text AS BLOB) FROM draft WHERE claim_id = ?1 AND annotator = ?2 AND kind = ?3",
        )?
        .query_row(params![draft.claim.0, annotator.as_str(), draft.kind.label()], |row| row.get(0))
        .optional()?;
    let mut known = draft.texts.iter().map(String::as_str).chain(same);
    Ok(stands.is_none_or(|stands| known.any(|text| text.as_bytes() == stands)))
}

/// Forgets the draft, where it says what `draft` knows of it.
fn forget(tx: &Transaction<'_>, draft: &Draft, annotator: &Annotator) -> Fallible<()> {
    if is_known(tx, draft, annotator, None)? {
        tx.prepare_cached("DELETE FROM draft WHERE claim_id = ?1 AND annotator = ?2 AND kind = ?3")?
            .execute(params![draft.claim.0, annotator.as_str(), draft.kind.label()])?;
    }
    Ok(())
}
