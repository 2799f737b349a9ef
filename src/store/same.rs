//! The same claim in other answers: what one decision may stand for.
//!
//! Two claims are the same when nothing that a person rules by differs: the words of the claim (but for blanks), the
//! question, every passage of the evidence, the judge's verdict, severity and type, each cited span, and the risk
//! of the record. Whatever differs keeps them apart.

use rusqlite::{Connection, params};

use super::{Fallible, Store, StoreError, queue, rows};
use crate::domain::ids::{Annotator, ClaimKey};
use crate::domain::queue::{QueueRow, Side};
use crate::domain::time::Timestamp;

/// So many claims with the same words are looked at: more would make nobody's decision better.
const CANDIDATES: i64 = 20_000;

const SAME: &str = "SELECT c.id, c.claim_text
  FROM claim m
  JOIN record mr ON mr.id = m.record_id
  JOIN verdict mv ON mv.claim_id = m.id
  JOIN queue mq ON mq.claim_id = m.id
  CROSS JOIN (SELECT rowid AS id FROM claim_search WHERE claim_search MATCH ?2 LIMIT ?3) s
  CROSS JOIN claim c ON c.id = s.id
  CROSS JOIN queue q ON q.claim_id = c.id AND q.open = 1 AND q.judged_rank = mq.judged_rank
  CROSS JOIN record r ON r.id = c.record_id AND r.passages_sha256 = mr.passages_sha256
    AND r.question IS mr.question AND r.risk_level IS mr.risk_level
  CROSS JOIN verdict v ON v.claim_id = c.id AND v.state = mv.state AND v.verdict IS mv.verdict
    AND v.severity IS mv.severity AND v.hallucination_type IS mv.hallucination_type
  WHERE m.id = ?1 AND c.id <> m.id
  ORDER BY c.id";

const CITED: &str =
    "SELECT coalesce(json_group_array(json_array(passage_id, role, match, start_byte, end_byte, quote)), '')
  FROM (SELECT * FROM citation WHERE claim_id = ?1 ORDER BY n)";

impl Store {
    /// So many claims at most are told to be the same, and can be decided at once.
    pub const MOST_SAME: usize = 500;

    /// The claim, then the open claims that are the same in other answers, at most [`Store::MOST_SAME`] in all.
    pub fn same_claims(
        &self,
        key: ClaimKey,
        annotator: &Annotator,
        now: Timestamp,
    ) -> Result<Vec<QueueRow>, StoreError> {
        self.read(|connection| {
            let text: String = connection
                .prepare_cached("SELECT claim_text FROM claim WHERE id = ?1")?
                .query_row([key.0], |row| rows::text(row, 0))?;
            let mut same = vec![queue::row(connection, key, annotator, now)?];
            if !text.contains(char::is_alphanumeric) {
                return Ok(same);
            }
            let cited = cited(connection, key.0)?;
            // Nothing in it can be taken for search syntax.
            let phrase = format!("\"{}\"", text.replace(['"', '\0'], " "));
            let mut statement = connection.prepare_cached(SAME)?;
            let mut found = statement.query(params![key.0, phrase, CANDIDATES])?;
            while let Some(row) = found.next()? {
                let (other, words): (i64, String) = (row.get(0)?, rows::text(row, 1)?);
                if text.split_whitespace().eq(words.split_whitespace())
                    && self::cited(connection, other)? == cited
                {
                    same.push(queue::row(connection, ClaimKey(other), annotator, now)?);
                    if same.len() == Self::MOST_SAME {
                        break;
                    }
                }
            }
            Ok(same)
        })
    }
}

/// So many records on the same evidence, the first of them, are looked through for an earlier claim with the same words:
/// where a claim floods in, they have it.
const FIRST_RECORDS: i64 = 200;

/// So many arrivals of a kind are told apart from repeats.
pub(super) const MOST_TOLD: i64 = 300;

/// Whether the claim says what a claim of the queue said before it, decided or not: the same words, with the same verdict
/// and severity, on the same evidence, in another answer.
const REPEATS: &str = "SELECT 1 FROM claim n
  CROSS JOIN verdict nv ON nv.claim_id = n.id
  CROSS JOIN (SELECT id FROM record
    WHERE passages_sha256 = (SELECT passages_sha256 FROM record
                             WHERE id = (SELECT record_id FROM claim WHERE id = ?1))
    ORDER BY id LIMIT ?2) o
  CROSS JOIN claim c ON c.record_id = o.id AND c.claim_text = n.claim_text AND c.id < n.id
  CROSS JOIN queue q ON q.claim_id = c.id AND o.id <> n.record_id
  CROSS JOIN verdict v ON v.claim_id = c.id AND v.verdict IS nv.verdict AND v.severity IS nv.severity
  WHERE n.id = ?1 LIMIT 1";

/// See [`REPEATS`].
pub(super) fn repeats(connection: &Connection, claim: i64) -> Fallible<bool> {
    Ok(connection.prepare_cached(REPEATS)?.exists(params![claim, FIRST_RECORDS])?)
}

/// The index `queue_news` from its end.
pub(super) const NEWEST_CRITICAL: &str =
    "SELECT q.claim_id, c.run_id, q.place FROM queue q JOIN claim c ON c.id = q.claim_id
  WHERE q.open = 1 AND q.severity_rank >= 3 AND q.severity_rank = 4
  ORDER BY q.claim_id DESC LIMIT 1000";

impl Store {
    /// The open CRITICAL claim that came into the queue last and repeats none of it; of several of one audit the one that
    /// stands highest. Where the newest thousand are all repeats, the newest of them.
    pub fn newest_critical(&self) -> Result<Option<ClaimKey>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(NEWEST_CRITICAL)?;
            let mut found = statement.query([])?;
            let (mut newest, mut best): (Option<i64>, Option<(i64, i64, i64)>) = (None, None);
            while let Some(row) = found.next()? {
                let (claim, run, place): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
                newest = newest.or(Some(claim));
                if best.is_some_and(|(_, of, _)| of != run) {
                    break;
                }
                // Of the same place the earlier claim stands before.
                let is_higher = best.is_none_or(|(highest, ..)| place <= highest);
                if is_higher && !repeats(connection, claim)? {
                    best = Some((place, run, claim));
                }
            }
            Ok(best.map(|(.., claim)| claim).or(newest).map(ClaimKey))
        })
    }

    /// How many of the CRITICAL and HIGH claims of [`Store::arrived_beside`] only repeat a claim that was in the queue
    /// before them, open or decided; of more than 300 of a kind the rest counts as new.
    pub fn repeated_beside(
        &self,
        side: Side,
        key: ClaimKey,
        since: (ClaimKey, ClaimKey),
    ) -> Result<(u64, u64), StoreError> {
        self.read(|connection| {
            let of = |since: (ClaimKey, ClaimKey)| -> Fallible<u64> {
                let mut count = 0;
                for claim in queue::news_beside(connection, side, key, since, MOST_TOLD)? {
                    count += u64::from(repeats(connection, claim)?);
                }
                Ok(count)
            };
            // Nothing is after the last key: each kind by itself.
            let none = ClaimKey(i64::MAX);
            Ok((of((since.0, none))?, of((none, since.1))?))
        })
    }
}

fn cited(connection: &Connection, claim: i64) -> Fallible<String> {
    Ok(connection.prepare_cached(CITED)?.query_row([claim], |row| rows::text(row, 0))?)
}
