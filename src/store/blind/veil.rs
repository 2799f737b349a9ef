//! Reading for a person who reviews blind: what the judge and other people say is left out until they have committed
//! a verdict of their own, and what other people say until they have had their last word.

use rusqlite::{Connection, params};

use super::super::{Fallible, Store, StoreError, queue};
use super::{HIDDEN, hidden};
use crate::domain::blind::Sight;
use crate::domain::ids::{Annotator, ClaimKey};
use crate::domain::queue::{ClaimDetail, QueueRow, Sibling};
use crate::domain::time::Timestamp;

impl Store {
    /// A claim as [`Store::claim_detail`] reads it, without what the person may not see in a blind review. In place
    /// of a hidden outcome stands one that says nothing; `sight` tells that it is hidden. The other claims of the
    /// answer are hidden until the person has decided them too.
    pub fn blind_detail(
        &self,
        key: ClaimKey,
        annotator: &Annotator,
        overlap: u8,
        now: Timestamp,
    ) -> Result<ClaimDetail, StoreError> {
        let mut detail = self.claim_detail(key, annotator, now)?;
        detail.sight = detail.standing.sight();
        let (held_by, own) = self.read(|connection| {
            let mut own = Vec::new();
            for sibling in &detail.siblings {
                own.push(decides(connection, sibling.key, annotator)?);
            }
            Ok((super::hold(connection, key, annotator, overlap, now)?, own))
        })?;
        detail.held_by = held_by;
        for (sibling, _) in detail.siblings.iter_mut().zip(own).filter(|(_, own)| !own) {
            veil(sibling);
        }
        if detail.sight != Sight::Open {
            detail.decisions.clear();
            detail.flags.retain(|flag| flag.annotator == *annotator);
            detail.notes.retain(|note| note.annotator == *annotator);
            detail.earlier.clear();
            detail.disposition = None;
            detail.counts = None;
            detail.is_settled = false;
        }
        if detail.sight == Sight::Hidden {
            detail.outcome = hidden();
            detail.inherited = None;
            detail.why.clear();
            detail.exchanges = 0;
            detail.seen.verdict_sha256 = None;
        }
        Ok(detail)
    }
}

fn veil(sibling: &mut Sibling) {
    sibling.hidden = true;
    sibling.state = HIDDEN;
    sibling.verdict = None;
    sibling.severity = None;
    sibling.routed = true;
    sibling.decided = false;
    sibling.rulings.clear();
    sibling.ruled_severity = None;
}

fn decides(connection: &Connection, claim: ClaimKey, annotator: &Annotator) -> Fallible<bool> {
    Ok(connection
        .prepare_cached("SELECT 1 FROM decision WHERE claim_id = ?1 AND annotator = ?2")?
        .exists(params![claim.0, annotator.as_str()])?)
}

/// A row of the queue without what the person may not see.
pub(super) fn row(
    connection: &Connection,
    key: ClaimKey,
    annotator: &Annotator,
    overlap: u8,
    now: Timestamp,
) -> Fallible<QueueRow> {
    let mut row = queue::row(connection, key, annotator, now)?;
    row.held_by = super::hold(connection, key, annotator, overlap, now)?;
    let is_revealed = super::opinion_of(connection, key, annotator.as_str())?.is_some();
    row.sight = match (is_revealed, &row.decided) {
        (_, Some(_)) => return Ok(row),
        (true, None) => Sight::Revealed,
        (false, None) => Sight::Hidden,
    };
    row.disputed = false;
    row.rulings.clear();
    row.ruled_severity = None;
    (row.flagged, row.escalated) = connection
        .prepare_cached(
            "SELECT count(*) > 0, coalesce(max(e.payload_sha256 IS NOT NULL), 0)
             FROM flag f JOIN event e ON e.seq = f.seq WHERE f.claim_id = ?1 AND f.annotator = ?2",
        )?
        .query_row(params![key.0, annotator.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if row.sight == Sight::Hidden {
        row.state = HIDDEN;
        row.verdict = None;
        row.severity = None;
        row.confidence = None;
    }
    Ok(row)
}
