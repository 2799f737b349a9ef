//! Review leases: who has a claim in hand. And drafts: what is being typed or chosen.

use std::time::Duration;

use rusqlite::{Transaction, params};

use super::{Fallible, Store, StoreError, queue, rows};
use crate::domain::decision::{Request, Ruling};
use crate::domain::draft::DraftKind;
use crate::domain::ids::{Annotator, ClaimId, ClaimKey, RecordKey};
use crate::domain::queue::Hold;
use crate::domain::time::Timestamp;

/// How many people may have one claim in hand at a time: one, so that nobody's work is done twice.
const PERMITS: i64 = 1;

const TAKE: &str = "INSERT INTO lease (claim_id, holder, until_ms)
  SELECT ?1, ?2, ?4 WHERE
    EXISTS (SELECT 1 FROM lease WHERE claim_id = ?1 AND holder = ?2 AND until_ms > ?3)
    OR (SELECT count(*) FROM lease WHERE claim_id = ?1 AND holder <> ?2 AND until_ms > ?3) < ?5
  ON CONFLICT (claim_id, holder) DO UPDATE SET until_ms = excluded.until_ms";

/// Who has judged the claim, or has it in hand, counts once.
const TAKE_BLIND: &str = "INSERT INTO lease (claim_id, holder, until_ms)
  SELECT ?1, ?2, ?4 WHERE
    EXISTS (SELECT 1 FROM lease WHERE claim_id = ?1 AND holder = ?2 AND until_ms > ?3)
    OR (SELECT count(*) FROM
         (SELECT holder FROM lease WHERE claim_id = ?1 AND holder <> ?2 AND until_ms > ?3
          UNION SELECT annotator FROM opinion WHERE claim_id = ?1 AND annotator <> ?2)) < ?5
  ON CONFLICT (claim_id, holder) DO UPDATE SET until_ms = excluded.until_ms";

impl Store {
    /// Takes (or renews) a claim for review; `Err(Held)` when another annotator has it.
    ///
    /// One atomic statement. Who holds it already is asked before how many may hold it, and a lease
    /// that ran out is taken anew like any other: it does not come back to life.
    pub fn hold_claim(
        &mut self,
        claim: ClaimKey,
        annotator: &Annotator,
        now: Timestamp,
        ttl: Duration,
    ) -> Result<(), StoreError> {
        self.hold(claim, annotator, None, now, ttl)
    }

    /// The same in a blind review: as many may have a claim in hand as are still to judge it, so that together with
    /// those who have, they are never more than `overlap`.
    pub fn hold_claim_blind(
        &mut self,
        claim: ClaimKey,
        annotator: &Annotator,
        overlap: u8,
        now: Timestamp,
        ttl: Duration,
    ) -> Result<(), StoreError> {
        self.hold(claim, annotator, Some(overlap), now, ttl)
    }

    fn hold(
        &mut self,
        claim: ClaimKey,
        annotator: &Annotator,
        overlap: Option<u8>,
        now: Timestamp,
        ttl: Duration,
    ) -> Result<(), StoreError> {
        let until = now.plus(ttl);
        let take = if overlap.is_some() { TAKE_BLIND } else { TAKE };
        let permits = overlap.map_or(PERMITS, i64::from);
        self.write_normal(|tx| {
            let taken = tx.prepare_cached(take)?.execute(params![
                claim.0,
                annotator.as_str(),
                now.millis(),
                until.millis(),
                permits
            ])?;
            if taken == 1 {
                // Permits that ran out are of no use to anyone.
                tx.prepare_cached("DELETE FROM lease WHERE claim_id = ?1 AND until_ms <= ?2")?
                    .execute(params![claim.0, now.millis()])?;
                return Ok(());
            }
            let hold = queue::hold(tx, claim, annotator, now)?
                .unwrap_or_else(|| Hold { holder: annotator.clone(), until: now });
            Err(StoreError::Held { claim: rows::claim(tx, claim)?.id, hold }.into())
        })
    }

    /// Gives back all claims that `annotator` holds, but for `except`.
    pub fn release_claims(
        &mut self,
        annotator: &Annotator,
        except: Option<ClaimKey>,
    ) -> Result<(), StoreError> {
        self.write_normal(|tx| {
            tx.prepare_cached("DELETE FROM lease WHERE holder = ?1 AND claim_id IS NOT ?2")?
                .execute(params![annotator.as_str(), except.map(|key| key.0)])?;
            Ok(())
        })
    }

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

    /// Keeps what is being typed or chosen; `None` forgets it.
    pub fn save_draft(
        &mut self,
        claim: ClaimKey,
        annotator: &Annotator,
        kind: DraftKind,
        text: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write_normal(|tx| {
            match text {
                Some(text) => tx
                    .prepare_cached(
                        "INSERT INTO draft (claim_id, annotator, kind, saved_at, text) VALUES (?1, ?2, ?3, ?4, ?5)
                         ON CONFLICT (claim_id, annotator, kind) DO UPDATE
                           SET text = excluded.text, saved_at = excluded.saved_at",
                    )?
                    .execute(params![claim.0, annotator.as_str(), kind.label(), now.to_string(), text])?,
                None => return forget_draft(tx, claim, annotator.as_str(), kind),
            };
            Ok(())
        })
    }
}

/// What of it was begun is finished by `request`.
pub(super) fn forget_finished(
    tx: &Transaction<'_>,
    claim: ClaimKey,
    annotator: &str,
    request: &Request,
) -> Fallible<()> {
    let kind = match request {
        Request::Annotate { .. } => DraftKind::Note,
        Request::Escalate { .. } => DraftKind::Escalation,
        Request::Defer { .. } | Request::Resume => DraftKind::Deferral,
        Request::Override(Ruling { evidence: Some(_), .. }) => DraftKind::Evidence,
        _ => return Ok(()),
    };
    forget_draft(tx, claim, annotator, kind)
}

/// What was begun about the answer itself is finished, on whichever of its claims that was.
pub(super) fn forget_disposition(tx: &Transaction<'_>, record: RecordKey, annotator: &str) -> Fallible<()> {
    tx.prepare_cached(
        "DELETE FROM draft WHERE annotator = ?2 AND kind = ?3
           AND claim_id IN (SELECT id FROM claim WHERE record_id = ?1)",
    )?
    .execute(params![record.0, annotator, DraftKind::Disposition.label()])?;
    Ok(())
}

fn forget_draft(tx: &Transaction<'_>, claim: ClaimKey, annotator: &str, kind: DraftKind) -> Fallible<()> {
    tx.prepare_cached("DELETE FROM draft WHERE claim_id = ?1 AND annotator = ?2 AND kind = ?3")?
        .execute(params![claim.0, annotator, kind.label()])?;
    Ok(())
}
