//! Who has a claim in hand, and what a person put off until a time.

use std::time::Duration;

use rusqlite::{OptionalExtension, params};

use super::{Store, StoreError, queue, rows};
use crate::domain::ids::{Annotator, ClaimKey};
use crate::domain::queue::Hold;
use crate::domain::time::Timestamp;

/// How many people may have one claim in hand at a time: one, so that nobody's work is done twice.
const PERMITS: i64 = 1;

const TAKE: &str = "INSERT INTO lease (claim_id, holder, hand, until_ms)
  SELECT ?1, ?2, ?6, ?4 WHERE
    EXISTS (SELECT 1 FROM lease WHERE claim_id = ?1 AND holder = ?2 AND until_ms > ?3)
    OR (SELECT count(DISTINCT holder) FROM lease WHERE claim_id = ?1 AND holder <> ?2 AND until_ms > ?3) < ?5
  ON CONFLICT (claim_id, holder, hand) DO UPDATE SET until_ms = excluded.until_ms";

/// Who has judged the claim, or has it in hand, counts once.
const TAKE_BLIND: &str = "INSERT INTO lease (claim_id, holder, hand, until_ms)
  SELECT ?1, ?2, ?6, ?4 WHERE
    EXISTS (SELECT 1 FROM lease WHERE claim_id = ?1 AND holder = ?2 AND until_ms > ?3)
    OR (SELECT count(*) FROM
         (SELECT holder FROM lease WHERE claim_id = ?1 AND holder <> ?2 AND until_ms > ?3
          UNION SELECT annotator FROM opinion WHERE claim_id = ?1 AND fills = 1 AND annotator <> ?2)) < ?5
  ON CONFLICT (claim_id, holder, hand) DO UPDATE SET until_ms = excluded.until_ms";

impl Store {
    /// The claim that comes back first of those that `annotator` deferred and has not decided.
    pub fn first_deferred(
        &self,
        annotator: &Annotator,
        now: Timestamp,
    ) -> Result<Option<ClaimKey>, StoreError> {
        self.read(|connection| {
            Ok(connection
                .prepare_cached(
                    "SELECT f.claim_id FROM deferral f CROSS JOIN queue q ON q.claim_id = f.claim_id
                     WHERE f.annotator = ?1 AND f.until_ms > ?2 AND q.current = 1
                       AND NOT EXISTS (SELECT 1 FROM decision d WHERE d.claim_id = f.claim_id AND d.annotator = ?1)
                     ORDER BY f.until_ms, f.claim_id LIMIT 1",
                )?
                .query_row(params![annotator.as_str(), now.millis()], |row| row.get(0).map(ClaimKey))
                .optional()?)
        })
    }

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
        let hand = self.hand.clone();
        self.write_normal(|tx| {
            let taken = tx.prepare_cached(take)?.execute(params![
                claim.0,
                annotator.as_str(),
                now.millis(),
                until.millis(),
                permits,
                hand
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

    /// Gives back all claims that were taken in hand through this open store, but for `except`. What the same person has
    /// in hand in another window stays there.
    pub fn release_claims(&mut self, except: Option<ClaimKey>) -> Result<(), StoreError> {
        let hand = self.hand.clone();
        self.write_normal(|tx| {
            tx.prepare_cached("DELETE FROM lease WHERE hand = ?1 AND claim_id IS NOT ?2")?
                .execute(params![hand, except.map(|key| key.0)])?;
            Ok(())
        })
    }
}
