//! Which claims wait for a person in a blind review, and in which order: one that says nothing about the claims and
//! is another for everybody.
//!
//! First those that the person has committed a verdict on and not had their last word; then all others in an order
//! that follows from the person's name and the claims' numbers; those that they skipped at the end. The numbers are
//! scattered over a range (the index `queue_blind`), the range is cut into blocks, and each person goes through the
//! blocks in an order of their own: so a page is read from the index, also among a million claims.

use rusqlite::{Connection, OptionalExtension, params};

use super::super::{Fallible, PageAt, Store, StoreError, rows};
use super::veil;
use crate::domain::event::sha256_hex;
use crate::domain::ids::{Annotator, ClaimKey};
use crate::domain::queue::{QueueCounts, QueueRow};
use crate::domain::time::Timestamp;

/// As in the index `queue_blind`.
const SCATTERED: &str = "q.claim_id * 2654435761 % 4294967296";
const RANGE: i64 = 4_294_967_296;
const BLOCKS: usize = 256;
const BLOCK: i64 = RANGE / BLOCKS as i64;

/// The sections of the list: what waits for the last word, the blocks, what was skipped.
const AWAITS_WORD: usize = 0;
const SKIPPED: usize = BLOCKS + 1;
const SECTIONS: usize = BLOCKS + 2;

/// Holds of a claim of a current audit that the person has not decided and that can be decided: `?1` is who asks,
/// `?2` the time.
const WAITS: &str = "q.current = 1
  AND NOT EXISTS (SELECT 1 FROM decision d WHERE d.claim_id = q.claim_id AND d.annotator = ?1)
  AND NOT EXISTS (SELECT 1 FROM deferral f WHERE f.annotator = ?1 AND f.claim_id = q.claim_id AND f.until_ms > ?2)
  AND NOT EXISTS (SELECT 1 FROM claim c JOIN disposition p ON p.run_id = c.run_id AND p.disposition <> 'RETURN'
                  WHERE c.id = q.claim_id)";

/// Holds while fewer than `?3` others have given the claim a blind verdict that counts for that, and the person has
/// given none.
const WANTED: &str = "(SELECT count(*) FROM opinion o
    WHERE o.claim_id = q.claim_id AND o.fills = 1 AND o.annotator <> ?1) < ?3
  AND NOT EXISTS (SELECT 1 FROM opinion o WHERE o.annotator = ?1 AND o.claim_id = q.claim_id)";

/// Claims of which nothing more is asked of the person, and how many of them they have decided.
const DONE: &str = "SELECT count(*), coalesce(sum(mine), 0) FROM (
    SELECT done.claim_id, max(done.mine) AS mine FROM (
      SELECT d.claim_id, 1 AS mine FROM decision d WHERE d.annotator = ?1
      UNION ALL SELECT o.claim_id, 0 FROM opinion o WHERE o.annotator <> ?1 AND o.fills = 1
        AND NOT EXISTS (SELECT 1 FROM opinion m WHERE m.annotator = ?1 AND m.claim_id = o.claim_id)
        GROUP BY o.claim_id HAVING count(*) >= ?2
      UNION ALL SELECT c.id, 0 FROM disposition p JOIN run ON run.id = p.run_id
        JOIN claim c ON c.record_id = run.record_id AND c.run_id = run.id WHERE p.disposition <> 'RETURN'
    ) done CROSS JOIN queue q ON q.claim_id = done.claim_id AND q.current = 1 GROUP BY done.claim_id)";

impl Store {
    /// Claims that wait for `annotator` in a blind review, in their own order, without what is hidden from them.
    /// `overlap` is how many blind verdicts a claim gets.
    pub fn blind_page(
        &self,
        annotator: &Annotator,
        overlap: u8,
        at: PageAt,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<QueueRow>, StoreError> {
        self.read(|connection| {
            let list = List { connection, annotator, overlap, now, blocks: blocks(annotator) };
            let keys = list.page(at, limit)?;
            keys.into_iter().map(|key| veil::row(connection, key, annotator, overlap, now)).collect()
        })
    }

    /// How much there is to do for `annotator` in a blind review: nothing by severity, and nothing of what is open for
    /// others. Of `routed`, what is neither open nor decided by them was judged by as many others as may do so.
    pub fn blind_counts(
        &self,
        annotator: &Annotator,
        overlap: u8,
        now: Timestamp,
    ) -> Result<QueueCounts, StoreError> {
        let counts = self.queue_counts(annotator, now)?;
        self.read(|connection| {
            let (done, mine): (u32, u32) = connection
                .prepare_cached(DONE)?
                .query_row(params![annotator.as_str(), overlap], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let (deferred, back_at) = connection
                .prepare_cached(
                    "SELECT count(*), min(f.until_ms) FROM deferral f CROSS JOIN queue q ON q.claim_id = f.claim_id
                     WHERE f.annotator = ?1 AND f.until_ms > ?2 AND q.current = 1",
                )?
                .query_row(params![annotator.as_str(), now.millis()], |row| {
                    Ok((row.get::<_, u32>(0)?, row.get::<_, Option<i64>>(1)?.map(Timestamp::from_millis)))
                })?;
            let unkept: u32 = connection
                .prepare_cached(&format!(
                    "SELECT count(*) FROM opinion o CROSS JOIN queue q ON q.claim_id = o.claim_id
                     WHERE o.annotator = ?1 AND {WAITS}"
                ))?
                .query_row(params![annotator.as_str(), now.millis()], |row| row.get(0))?;
            let open = counts.routed.saturating_sub(done.into());
            Ok(QueueCounts {
                routed: open + u64::from(mine),
                open,
                open_critical: 0,
                open_high: 0,
                set_aside: 0,
                deferred: deferred.into(),
                back_at,
                unkept,
                ..counts
            })
        })
    }
}

/// The blocks in the person's order.
fn blocks(annotator: &Annotator) -> Vec<i64> {
    let mut blocks: Vec<(String, i64)> = (0_i64..)
        .take(BLOCKS)
        .map(|block| (sha256_hex([annotator.as_str(), "\n", &block.to_string()]), block))
        .collect();
    blocks.sort_unstable();
    blocks.into_iter().map(|(_, block)| block).collect()
}

struct List<'a> {
    connection: &'a Connection,
    annotator: &'a Annotator,
    overlap: u8,
    now: Timestamp,
    blocks: Vec<i64>,
}

impl List<'_> {
    fn page(&self, at: PageAt, limit: usize) -> Fallible<Vec<ClaimKey>> {
        match at {
            PageAt::Top => self.down(0, -1, limit),
            PageAt::Bottom => self.up(SECTIONS - 1, i64::MAX, limit),
            PageAt::After(key) => {
                self.seat(key).and_then(|(section, place)| self.down(section, place, limit))
            }
            PageAt::Before(key) => self.seat(key).and_then(|(section, place)| self.up(section, place, limit)),
            PageAt::From(key) => {
                let (section, place) = self.seat(key)?;
                let mut keys = vec![key];
                keys.extend(self.down(section, place, limit.saturating_sub(1))?);
                keys.truncate(limit);
                Ok(keys)
            }
        }
    }

    fn down(&self, first: usize, from: i64, limit: usize) -> Fallible<Vec<ClaimKey>> {
        let mut keys = Vec::new();
        for section in first..SECTIONS {
            if keys.len() == limit {
                break;
            }
            let from = if section == first { from } else { -1 };
            keys.extend(self.walk(section, from, true, limit - keys.len())?);
        }
        Ok(keys)
    }

    fn up(&self, last: usize, from: i64, limit: usize) -> Fallible<Vec<ClaimKey>> {
        let mut keys = Vec::new();
        for section in (0..=last).rev() {
            if keys.len() == limit {
                break;
            }
            let from = if section == last { from } else { i64::MAX };
            keys.extend(self.walk(section, from, false, limit - keys.len())?);
        }
        keys.reverse();
        Ok(keys)
    }

    /// Up to `limit` claims of one section next to `from`, going on down or up.
    fn walk(&self, section: usize, from: i64, down: bool, limit: usize) -> Fallible<Vec<ClaimKey>> {
        let (than, way) = if down { (">", "ASC") } else { ("<", "DESC") };
        let sql = match section {
            AWAITS_WORD => format!(
                "SELECT q.claim_id FROM opinion o CROSS JOIN queue q ON q.claim_id = o.claim_id
                 WHERE o.annotator = ?1 AND {WAITS} AND o.seq {than} ?4 AND ?3 + ?5 IS NOT NULL
                 ORDER BY o.seq {way} LIMIT ?6"
            ),
            SKIPPED => format!(
                "SELECT q.claim_id FROM skip s CROSS JOIN queue q ON q.claim_id = s.claim_id
                 WHERE s.annotator = ?1 AND {WAITS} AND {WANTED} AND {SCATTERED} {than} ?4
                   AND ?5 IS NOT NULL
                 ORDER BY {SCATTERED} {way} LIMIT ?6"
            ),
            _ => format!(
                "SELECT q.claim_id FROM queue q WHERE {WAITS} AND {WANTED}
                   AND NOT EXISTS (SELECT 1 FROM skip s WHERE s.annotator = ?1 AND s.claim_id = q.claim_id)
                   AND {SCATTERED} > ?4 AND {SCATTERED} < ?5
                 ORDER BY {SCATTERED} {way} LIMIT ?6"
            ),
        };
        // One bound on either side: of two the index takes the wider one and walks to the other.
        let block = section.checked_sub(1).and_then(|at| self.blocks.get(at)).copied();
        let (from, end) = match block.map(|block| (block * BLOCK - 1, (block + 1) * BLOCK)) {
            Some((first, end)) if down => (from.max(first), end),
            Some((first, end)) => (first, from.min(end)),
            None => (from, 0),
        };
        let values = params![
            self.annotator.as_str(),
            self.now.millis(),
            self.overlap,
            from,
            end,
            i64::try_from(limit).unwrap_or(i64::MAX),
        ];
        let mut statement = self.connection.prepare_cached(&sql)?;
        let keys = statement.query_map(values, |row| row.get(0).map(ClaimKey))?;
        Ok(keys.collect::<rusqlite::Result<_>>()?)
    }

    /// In which section a claim stands, and where. One that was decided meanwhile stands where it would stand else.
    fn seat(&self, key: ClaimKey) -> Fallible<(usize, i64)> {
        let seat = self
            .connection
            .prepare_cached(&format!(
                "SELECT {SCATTERED},
                   (SELECT seq FROM opinion o WHERE o.annotator = ?1 AND o.claim_id = q.claim_id
                      AND NOT EXISTS (SELECT 1 FROM decision d WHERE d.claim_id = q.claim_id AND d.annotator = ?1)),
                   EXISTS (SELECT 1 FROM skip s WHERE s.annotator = ?1 AND s.claim_id = q.claim_id)
                 FROM queue q WHERE q.claim_id = ?2"
            ))?
            .query_row(params![self.annotator.as_str(), key.0], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?, row.get::<_, bool>(2)?))
            })
            .optional()?;
        Ok(match seat {
            None => {
                let id = rows::claim(self.connection, key)?.id;
                return super::super::refused(format!("{id} is not in the queue"));
            }
            Some((_, Some(seq), _)) => (AWAITS_WORD, seq),
            Some((scattered, None, true)) => (SKIPPED, scattered),
            Some((scattered, None, false)) => {
                let block = self.blocks.iter().position(|block| *block == scattered / BLOCK);
                (1 + block.unwrap_or_default(), scattered)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::store::migrate;

    #[test]
    fn a_block_is_read_from_the_index_and_nothing_is_sorted() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate::run(&mut connection, Path::new("memory"), migrate::STEPS).unwrap();
        for way in ["ASC", "DESC"] {
            let sql = format!(
                "EXPLAIN QUERY PLAN SELECT q.claim_id FROM queue q WHERE {WAITS} AND {WANTED}
                   AND {SCATTERED} > ?4 AND {SCATTERED} < ?5 ORDER BY {SCATTERED} {way} LIMIT ?6"
            );
            let plan: Vec<String> = connection
                .prepare(&sql)
                .unwrap()
                .query_map(params!["", 0, 0, 0, 0, 0], |row| row.get(3))
                .unwrap()
                .map(Result::unwrap)
                .collect();
            let plan = plan.join("; ");
            assert!(plan.contains("INDEX queue_blind (<expr>>? AND <expr><?)"), "{plan}");
            assert!(!plan.contains("TEMP B-TREE FOR ORDER BY"), "{plan}");
        }
    }

    #[test]
    fn everybody_goes_through_all_blocks_in_an_order_of_their_own() {
        let (ana, bo) = (blocks(&Annotator::new("ana")), blocks(&Annotator::new("bo")));
        assert_ne!(ana, bo);
        let mut sorted = ana;
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..256));
    }
}
