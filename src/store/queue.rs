//! What is open and in which order: pages, counts, news. Every read here stays quick when the file holds a
//! million claims.

use rusqlite::{Connection, OptionalExtension, params};

use super::pages::{Everything, List, Part, Place};
use super::rows::{self, decided_columns};
use super::word::{disputed, ruled};
use super::{Fallible, PageAt, Store, StoreError};
use crate::domain::blind::Sight;
use crate::domain::finding::AuditState;
use crate::domain::ids::{Annotator, ClaimId, ClaimKey};
use crate::domain::queue::{Arrivals, Hold, QueueCounts, QueueRow, Side};
use crate::domain::routing::severity_rank;
use crate::domain::time::Timestamp;
use crate::domain::verdict::{NoVerdict, Severity};

/// Answered from the index `queue_news`: keys are given out in the order of the commits. What people made is no news of a
/// judge, and what a comparison sent to people did not arrive.
macro_rules! news {
    () => {
        "FROM queue WHERE open = 1 AND severity_rank >= 3 AND severity_rank = ?1
    AND claim_id > ?2 AND claim_id <> ?5 AND ((place, arrived_ms, claim_id) < (?3, ?4, ?5)) = ?6
    AND NOT EXISTS (SELECT 1 FROM made m WHERE m.claim_id = queue.claim_id)
    AND NOT EXISTS (SELECT 1 FROM claim c JOIN run o ON o.record_id = c.record_id
                    WHERE c.id = queue.claim_id AND o.instrument = 'comparison') LIMIT"
    };
}
const NEWS: &str = concat!("SELECT count(*) FROM (SELECT 1 ", news!(), " 1000)");
const NEWS_IDS: &str = concat!("SELECT claim_id ", news!(), " ?7");

/// What came between two keys, counted: walks the new rows alone.
const ARRIVED: &str =
    "SELECT coalesce(sum(severity_rank = 4), 0), coalesce(sum(severity_rank = 3), 0) FROM queue INDEXED BY queue_news
  WHERE claim_id > ?1 AND claim_id <= ?2 AND open = 1 AND severity_rank >= 3 AND severity_rank IN (3, 4)
    AND NOT EXISTS (SELECT 1 FROM made m WHERE m.claim_id = queue.claim_id)
    AND NOT EXISTS (SELECT 1 FROM claim c JOIN run o ON o.record_id = c.record_id
                    WHERE c.id = queue.claim_id AND o.instrument = 'comparison')";

/// The most dangerous of these, by their ids.
const ARRIVED_IDS: &str = "SELECT r.audit_id, c.n, q.severity_rank, q.claim_id FROM queue q INDEXED BY queue_news
  JOIN claim c ON c.id = q.claim_id JOIN record r ON r.id = c.record_id
  WHERE q.claim_id > ?1 AND q.claim_id <= ?2 AND q.open = 1 AND q.severity_rank >= 3 AND q.severity_rank IN (3, 4)
    AND NOT EXISTS (SELECT 1 FROM made m WHERE m.claim_id = q.claim_id)
    AND NOT EXISTS (SELECT 1 FROM run o WHERE o.record_id = c.record_id AND o.instrument = 'comparison')
  ORDER BY q.severity_rank DESC, q.claim_id LIMIT ?3";

impl Store {
    /// Open claims in queue order for `annotator`: rows this person skipped come last, those that they deferred
    /// are left out until their time comes.
    pub fn queue_page(
        &self,
        annotator: &Annotator,
        at: PageAt,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<QueueRow>, StoreError> {
        self.read(|connection| {
            let list = List { connection, annotator, parts: Part::IN_HAND, sieve: &Everything, now };
            let keys = list.page(at, limit)?;
            keys.into_iter().map(|key| row(connection, key, annotator, now)).collect()
        })
    }

    pub fn queue_counts(&self, annotator: &Annotator, now: Timestamp) -> Result<QueueCounts, StoreError> {
        self.read(|connection| {
            let auditing: u64 = connection
                .prepare_cached(
                    "SELECT count(*) FROM work WHERE leased_by IS NOT NULL AND leased_until_ms > ?1",
                )?
                .query_row([now.millis()], |row| row.get::<_, u32>(0))?
                .into();
            let decided_by_me = connection
                .prepare_cached("SELECT n FROM decided WHERE annotator = ?1")?
                .query_row([annotator.as_str()], |row| count(row, 0))
                .optional()?
                .unwrap_or(0);
            let today = now.to_string();
            let decided_today = connection
                .prepare_cached("SELECT n FROM decided_day WHERE annotator = ?1 AND day = substr(?2, 1, 10)")?
                .query_row(params![annotator.as_str(), today], |row| count(row, 0))
                .optional()?
                .unwrap_or(0);
            let (deferred, back_at) = connection
                .prepare_cached(
                    "SELECT count(*), min(f.until_ms) FROM deferral f CROSS JOIN queue q ON q.claim_id = f.claim_id
                     WHERE f.annotator = ?1 AND f.until_ms > ?2 AND q.open = 1",
                )?
                .query_row(params![annotator.as_str(), now.millis()], |row| {
                    Ok((count(row, 0)?, row.get::<_, Option<i64>>(1)?.map(Timestamp::from_millis)))
                })?;
            let is_shared = is_shared(connection, annotator)?;
            let calibration = super::calibrations::in_use(connection)?;
            Ok(connection
                .prepare_cached(
                    "SELECT routed, open, open_critical, open_high, waiting, done, failed, set_aside FROM counts",
                )?
                .query_row([], |row| {
                    Ok(QueueCounts {
                        routed: count(row, 0)?,
                        open: count(row, 1)?,
                        open_critical: count(row, 2)?,
                        open_high: count(row, 3)?,
                        set_aside: count(row, 7)?,
                        waiting: count(row, 4)?.saturating_sub(auditing),
                        auditing,
                        audited: count(row, 5)?,
                        failed: count(row, 6)?,
                        decided_by_me,
                        decided_today,
                        deferred,
                        back_at,
                        unkept: 0,
                        is_shared,
                        calibration,
                    })
                })?)
        })
    }

    /// How many open claims stand before `key` in the order that holds for everybody; more than 10,000 are not
    /// told apart from 10,000. `None` when it is not open.
    pub fn open_before(&self, key: ClaimKey) -> Result<Option<u64>, StoreError> {
        self.read(|connection| {
            let place = connection
                .prepare_cached(
                    "SELECT place, arrived_ms, claim_id FROM queue WHERE claim_id = ?1 AND open = 1",
                )?
                .query_row([key.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                .optional()?;
            let Some((place, arrived, id)): Option<Place> = place else { return Ok(None) };
            let before = connection
                .prepare_cached(
                    "SELECT count(*) FROM (SELECT 1 FROM queue q WHERE q.open = 1
                       AND (q.place, q.arrived_ms, q.claim_id) < (?1, ?2, ?3) LIMIT 10000)",
                )?
                .query_row([place, arrived, id], |row| count(row, 0))?;
            Ok(Some(before))
        })
    }

    pub fn claim_key(&self, id: &ClaimId) -> Result<ClaimKey, StoreError> {
        self.read(|connection| rows::claim_key(connection, id))
    }

    /// How many open CRITICAL claims came after `since.0` and stand on that side of `key`, and how many HIGH ones
    /// after `since.1`; more than 1,000 of a kind are not told apart from 1,000. What is in the queue stands below a
    /// claim that is not.
    pub fn arrived_beside(
        &self,
        side: Side,
        key: ClaimKey,
        since: (ClaimKey, ClaimKey),
    ) -> Result<(u64, u64), StoreError> {
        self.read(|connection| {
            let (place, arrived, id) = place_or_top(connection, key)?;
            let mut statement = connection.prepare_cached(NEWS)?;
            let mut arrived = |severity: u8, since: ClaimKey| {
                let values = params![severity, since.0, place, arrived, id, side == Side::Above];
                statement.query_row(values, |row| count(row, 0))
            };
            Ok((arrived(4, since.0)?, arrived(3, since.1)?))
        })
    }

    /// What came into the queue after `since` and repeats no claim of it, wherever it stands, with at most `most` ids; of
    /// more than 300 of a kind the rest counts as new. Without `since` nothing counts as new, and only the key is read after which to ask the next time.
    pub fn arrived(&self, since: Option<ClaimKey>, most: usize) -> Result<Arrivals, StoreError> {
        self.read(|connection| {
            let mut arrivals = arrivals(connection, since)?;
            if arrivals.critical + arrivals.high > 0 {
                leave_out_repeats(connection, since, most, &mut arrivals)?;
            }
            Ok(arrivals)
        })
    }
}

/// Whether decisions of other people stand beside those of `annotator`.
pub(super) fn is_shared(connection: &Connection, annotator: &Annotator) -> Fallible<bool> {
    let mut others = connection.prepare_cached("SELECT 1 FROM decided WHERE annotator <> ?1 AND n > 0")?;
    Ok(others.exists([annotator.as_str()])?)
}

/// What came into the queue after `since`, what repeats others too, without ids.
pub(super) fn arrivals(connection: &Connection, since: Option<ClaimKey>) -> Fallible<Arrivals> {
    let last: i64 = connection
        .prepare_cached("SELECT coalesce(max(claim_id), 0) FROM queue")?
        .query_row([], |row| row.get(0))?;
    let mut arrivals = Arrivals { last: ClaimKey(last), critical: 0, high: 0, first: Vec::new() };
    let Some(since) = since.filter(|since| since.0 < last) else { return Ok(arrivals) };
    (arrivals.critical, arrivals.high) = connection
        .prepare_cached(ARRIVED)?
        .query_row([since.0, last], |row| Ok((count(row, 0)?, count(row, 1)?)))?;
    Ok(arrivals)
}

/// A flood of the same would hide what is new.
fn leave_out_repeats(
    connection: &Connection,
    since: Option<ClaimKey>,
    most: usize,
    arrivals: &mut Arrivals,
) -> Fallible<()> {
    let mut statement = connection.prepare_cached(ARRIVED_IDS)?;
    let mut found =
        statement.query([since.map_or(0, |since| since.0), arrivals.last.0, super::same::MOST_TOLD])?;
    while let Some(row) = found.next()? {
        let is_critical = row.get::<_, i64>(2)? == 4;
        if super::same::repeats(connection, row.get(3)?)? {
            let count = if is_critical { &mut arrivals.critical } else { &mut arrivals.high };
            *count = count.saturating_sub(1);
        } else if arrivals.first.len() < most {
            let severity = if is_critical { Severity::Critical } else { Severity::High };
            arrivals.first.push((rows::claim_id(row, 0)?, severity));
        }
    }
    Ok(())
}

pub(super) fn count(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or(0))
}

/// The open CRITICAL and HIGH claims on that side of `key` that came after `since`, at most `most` of each kind.
pub(super) fn news_beside(
    connection: &Connection,
    side: Side,
    key: ClaimKey,
    since: (ClaimKey, ClaimKey),
    most: i64,
) -> Fallible<Vec<i64>> {
    let (place, arrived, id) = place_or_top(connection, key)?;
    let mut statement = connection.prepare_cached(NEWS_IDS)?;
    let mut news = Vec::new();
    for (severity, since) in [(4, since.0), (3, since.1)] {
        let found = statement
            .query_map(params![severity, since.0, place, arrived, id, side == Side::Above, most], |row| {
                row.get::<_, i64>(0)
            })?;
        for key in found {
            news.push(key?);
        }
    }
    Ok(news)
}

/// The place of the claim; before everything where it is not in the queue.
fn place_or_top(connection: &Connection, key: ClaimKey) -> Fallible<Place> {
    let place = connection
        .prepare_cached("SELECT place, arrived_ms, claim_id FROM queue WHERE claim_id = ?1")?
        .query_row([key.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    Ok(place.unwrap_or((-1, 0, key.0)))
}

/// A row of the queue; one that cannot be read says so in its place, as a failed one.
pub(super) fn row(
    connection: &Connection,
    key: ClaimKey,
    annotator: &Annotator,
    now: Timestamp,
) -> Fallible<QueueRow> {
    match sound_row(connection, key, annotator, now) {
        Ok(row) => Ok(row),
        Err(fault) => damaged_row(connection, key, fault.of_a_row()?, now),
    }
}

fn sound_row(
    connection: &Connection,
    key: ClaimKey,
    annotator: &Annotator,
    now: Timestamp,
) -> Fallible<QueueRow> {
    let row = connection
        .prepare_cached(concat!(
            "SELECT r.audit_id, c.n, c.claim_text, v.state, v.verdict, v.severity, v.confidence,
               q.judged_rank, q.arrived_ms, r.imported_at,
               EXISTS (SELECT 1 FROM skip s WHERE s.annotator = ?2 AND s.claim_id = c.id),
               EXISTS (SELECT 1 FROM flag f WHERE f.claim_id = c.id),
               EXISTS (SELECT 1 FROM flag f JOIN event e ON e.seq = f.seq
                       WHERE f.claim_id = c.id AND e.payload_sha256 IS NOT NULL),
               (SELECT f.until_ms FROM deferral f
                WHERE f.annotator = ?2 AND f.claim_id = c.id AND f.until_ms > ?3), ",
            decided_columns!(),
            ", ",
            disputed!(),
            ", ",
            ruled!(),
            ", EXISTS (SELECT 1 FROM draft t WHERE t.annotator = ?2 AND t.claim_id = c.id),
               EXISTS (SELECT 1 FROM disposition b WHERE b.run_id = c.run_id AND b.disposition = 'BLOCK')
              FROM claim c JOIN record r ON r.id = c.record_id JOIN verdict v ON v.claim_id = c.id
             JOIN run ON run.id = c.run_id LEFT JOIN queue q ON q.claim_id = c.id
             LEFT JOIN decision d ON d.claim_id = c.id AND d.annotator = ?2 WHERE c.id = ?1"
        ))?
        .query_row(params![key.0, annotator.as_str(), now.millis()], |row| {
            let severity: Option<Severity> = rows::parsed_opt(row, 5)?;
            let rank: Option<u8> = row.get(7)?;
            Ok(QueueRow {
                key,
                id: rows::claim_id(row, 0)?,
                claim_text: rows::text(row, 2)?,
                state: rows::state(row, 3)?,
                verdict: rows::parsed_opt(row, 4)?,
                severity: rank.map_or(severity, of_rank),
                confidence: rows::confidence(row, 6)?,
                arrived: match row.get::<_, Option<i64>>(8)? {
                    Some(millis) => Timestamp::from_millis(millis),
                    None => rows::parsed(row, 9)?,
                },
                skipped: row.get(10)?,
                flagged: row.get(11)?,
                escalated: row.get(12)?,
                deferred: row.get::<_, Option<i64>>(13)?.map(Timestamp::from_millis),
                decided: if row.get_ref(14)? == rusqlite::types::ValueRef::Null {
                    None
                } else {
                    Some(rows::decided(row, 14)?)
                },
                held_by: None,
                begun: row.get(26)?,
                blocked: row.get(27)?,
                sight: Sight::Open,
                disputed: row.get(23)?,
                rulings: rows::verdicts(row, 24)?,
                ruled_severity: rows::parsed_opt(row, 25)?,
                damage: None,
            })
        })?;
    Ok(QueueRow { held_by: hold(connection, key, annotator, now)?, ..row })
}

/// The severity with this rank.
pub(super) fn of_rank(rank: u8) -> Option<Severity> {
    Severity::ALL.iter().copied().find(|known| severity_rank(Some(*known)) == rank)
}

/// What is shown in the place of a claim that cannot be read.
fn damaged_row(connection: &Connection, key: ClaimKey, reason: String, now: Timestamp) -> Fallible<QueueRow> {
    let claim = rows::damaged_claim(connection, key, reason)?;
    let (rank, arrived): (Option<u8>, Option<i64>) = connection
        .prepare_cached(
            "SELECT CASE WHEN severity_rank BETWEEN 0 AND 4 THEN severity_rank END,
               CASE WHEN typeof(arrived_ms) = 'integer' THEN arrived_ms END FROM queue WHERE claim_id = ?1",
        )?
        .query_row([key.0], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?
        .unwrap_or_default();
    Ok(QueueRow {
        key,
        id: claim.id,
        claim_text: claim.shown,
        state: AuditState::NoVerdict(NoVerdict::Failed),
        verdict: None,
        severity: rank.and_then(of_rank),
        confidence: None,
        arrived: arrived.map_or(now, Timestamp::from_millis),
        skipped: false,
        flagged: false,
        escalated: false,
        deferred: None,
        decided: None,
        held_by: None,
        begun: false,
        blocked: false,
        sight: Sight::Open,
        disputed: false,
        rulings: Vec::new(),
        ruled_severity: None,
        damage: Some(claim.damage.to_string()),
    })
}

/// The live lease of someone other than `annotator`.
pub(super) fn hold(
    connection: &Connection,
    key: ClaimKey,
    annotator: &Annotator,
    now: Timestamp,
) -> Fallible<Option<Hold>> {
    Ok(connection
        .prepare_cached(
            "SELECT holder, until_ms FROM lease
             WHERE claim_id = ?1 AND holder <> ?2 AND until_ms > ?3 ORDER BY until_ms DESC LIMIT 1",
        )?
        .query_row(params![key.0, annotator.as_str(), now.millis()], |row| {
            Ok(Hold { holder: Annotator::new(row.get::<_, String>(0)?), until: rows::millis(row, 1)? })
        })
        .optional()?)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::store::{audits, detail, migrate, same};

    fn plan(sql: &str) -> String {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate::run(&mut connection, Path::new("memory"), migrate::STEPS).unwrap();
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let blanks = vec![rusqlite::types::Value::Null; statement.parameter_count()];
        let steps = statement
            .query_map(rusqlite::params_from_iter(blanks), |row| row.get::<_, String>(3))
            .unwrap()
            .collect::<rusqlite::Result<Vec<_>>>()
            .unwrap();
        steps.join("; ")
    }

    #[test]
    fn pages_leases_and_news_walk_an_index_and_sort_nothing() {
        for down in [true, false] {
            for (part, index) in [(Part::NotSkipped, "queue_order"), (Part::Decided, "queue_decided")] {
                let plan = plan(&part.page(down, ""));
                assert!(
                    plan.contains(&format!("USING COVERING INDEX {index}")) && !plan.contains("TEMP B-TREE"),
                    "{plan}"
                );
            }
            let set_aside = plan(&Part::SetAside.page(down, ""));
            assert!(
                set_aside.contains("USING COVERING INDEX queue_set_aside")
                    && !set_aside.contains("TEMP B-TREE"),
                "{set_aside}"
            );
            let plan = plan(&Part::Unrouted.page(down, ""));
            assert!(
                plan.contains("SEARCH c USING INTEGER PRIMARY KEY") && !plan.contains("TEMP B-TREE"),
                "{plan}"
            );
        }
        let next = plan(audits::NEXT);
        assert!(next.contains("USING INDEX work_order") && !next.contains("TEMP B-TREE"), "{next}");
        for news in [plan(NEWS), plan(NEWS_IDS)] {
            assert!(
                news.contains("USING COVERING INDEX queue_news (severity_rank=? AND claim_id>?)"),
                "{news}"
            );
        }
        for arrived in [plan(ARRIVED), plan(ARRIVED_IDS)] {
            assert!(
                arrived.contains(
                    "USING COVERING INDEX queue_news (severity_rank=? AND claim_id>? AND claim_id<?)"
                ) && !arrived.contains("SCAN"),
                "{arrived}"
            );
        }
        let newest = plan(same::NEWEST_CRITICAL);
        assert!(
            newest.contains("USING COVERING INDEX queue_news (severity_rank=?)")
                && !newest.contains("TEMP B-TREE"),
            "{newest}"
        );
        for answers in [plan(detail::WAITING), plan(detail::WAITS_LONGEST)] {
            // Of `to_dispose` both read no further than their LIMIT.
            let scans = answers.matches("SCAN").count() - answers.matches("SCAN (subquery").count();
            assert_eq!(scans, answers.matches("SCAN to_dispose").count(), "{answers}");
            assert!(!answers.contains("TEMP B-TREE"), "{answers}");
        }
    }
}
