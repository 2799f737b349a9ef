//! The present state that follows from the events: written with every event, recomputed by `verify`.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use serde::{Deserialize, Serialize};

use super::records::to_json;
use super::rows::{parsed, parsed_opt};
use super::{Fallible, events, rows, word};
use crate::domain::decision::{DecisionKind, Disposition, ReasonCode, Ruling, Standing};
use crate::domain::event::Event;
use crate::domain::ids::{Annotator, AuditId, ClaimKey, RecordKey};
use crate::domain::queue::Given;
use crate::domain::time::Timestamp;
use crate::domain::verdict::{HallucinationType, Score, Severity, Verdict};

/// The value of a `DISPOSE` event: what was decided, on which run of the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Disposed {
    pub(super) disposition: Disposition,
    pub(super) run: i64,
    /// The claims over which it was released, although people had ruled against them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) over: Vec<String>,
    /// How many claims of it nobody had decided then: it was blocked at once.
    #[serde(default, skip_serializing_if = "is_none")]
    pub(super) undecided: i64,
    /// It was released although nobody had decided on any claim of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) unlooked: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference over")]
const fn is_none(count: &i64) -> bool {
    *count == 0
}

/// A disposition that stands.
pub(super) struct StandingDisposition {
    pub(super) disposition: Disposition,
    pub(super) annotator: Annotator,
    pub(super) seq: i64,
    pub(super) at: Timestamp,
    /// Why, in the person's own words; `None` also where that was erased.
    pub(super) note: Option<String>,
    pub(super) reason: Option<ReasonCode>,
}

impl From<StandingDisposition> for Given {
    fn from(standing: StandingDisposition) -> Self {
        let StandingDisposition { disposition, annotator, at, note, reason, .. } = standing;
        Self { annotator, disposition, at, note, reason }
    }
}

/// Where `annotator` stands on the claim, from the events.
pub(super) fn standing(connection: &Connection, claim: ClaimKey, annotator: &str) -> Fallible<Standing> {
    let events = events::on_claim(connection, claim, annotator)?;
    Ok(Standing::project(&events))
}

/// Recomputes and writes where `annotator` stands on the claim, and whether the claim is open.
pub(super) fn write_standing(tx: &Transaction<'_>, claim: ClaimKey, annotator: &str) -> Fallible<Standing> {
    let standing = standing(tx, claim, annotator)?;
    let key = params![claim.0, annotator];
    tx.prepare_cached("DELETE FROM decision WHERE claim_id = ?1 AND annotator = ?2")?.execute(key)?;
    if let Some(decided) = &standing.decided {
        tx.prepare_cached(
            "INSERT INTO decision (claim_id, annotator, kind, verdict, severity, hallucination_type, reason,
               seq, decided_at, evidence, score)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            claim.0,
            annotator,
            DecisionKind::label(decided.kind),
            decided.ruling.verdict.label(),
            decided.ruling.severity.map(Severity::label),
            decided.ruling.hallucination_type.map(HallucinationType::label),
            decided.reason.map(ReasonCode::label),
            decided.seq,
            decided.at.to_string(),
            decided.ruling.evidence.as_ref().map(to_json),
            decided.ruling.score.map(Score::get),
        ])?;
    }
    tx.prepare_cached("DELETE FROM opinion WHERE claim_id = ?1 AND annotator = ?2")?.execute(key)?;
    if let Some(blind) = &standing.blind {
        tx.prepare_cached(
            "INSERT INTO opinion (claim_id, annotator, verdict, severity, hallucination_type, evidence, independent,
               seq, committed_at, score, fills)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            claim.0,
            annotator,
            blind.ruling.verdict.label(),
            blind.ruling.severity.map(Severity::label),
            blind.ruling.hallucination_type.map(HallucinationType::label),
            blind.ruling.evidence.as_ref().map(to_json),
            blind.independent,
            blind.seq,
            blind.at.to_string(),
            blind.ruling.score.map(Score::get),
            blind.fills,
        ])?;
    }
    let skip = if standing.skipped {
        "INSERT OR IGNORE INTO skip (claim_id, annotator) VALUES (?1, ?2)"
    } else {
        "DELETE FROM skip WHERE claim_id = ?1 AND annotator = ?2"
    };
    tx.prepare_cached(skip)?.execute(key)?;
    tx.prepare_cached("DELETE FROM flag WHERE claim_id = ?1 AND annotator = ?2")?.execute(key)?;
    if let Some(flag) = &standing.flag {
        tx.prepare_cached("INSERT INTO flag (claim_id, annotator, seq, addressee) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![claim.0, annotator, flag.seq, flag.to])?;
    }
    tx.prepare_cached("DELETE FROM deferral WHERE claim_id = ?1 AND annotator = ?2")?.execute(key)?;
    if let Some(until) = standing.deferred {
        tx.prepare_cached("INSERT INTO deferral (claim_id, annotator, until_ms) VALUES (?1, ?2, ?3)")?
            .execute(params![claim.0, annotator, until.millis()])?;
    }
    for (table, seq) in [("made", standing.made), ("replaced", standing.replaced)] {
        tx.prepare_cached(&format!("DELETE FROM {table} WHERE claim_id = ?1 AND annotator = ?2"))?
            .execute(key)?;
        if let Some(seq) = seq {
            tx.prepare_cached(&format!(
                "INSERT INTO {table} (claim_id, annotator, seq) VALUES (?1, ?2, ?3)"
            ))?
            .execute(params![claim.0, annotator, seq])?;
        }
    }
    word::write(tx, claim)?;
    write_place(tx, "c.id = ?1", claim.0)?;
    let record = tx
        .prepare_cached("SELECT record_id FROM claim WHERE id = ?1")?
        .query_row([claim.0], |row| row.get(0).map(RecordKey))?;
    write_to_dispose(tx, record)?;
    Ok(standing)
}

/// Whether the claim `c` with its verdict `v` stands now, where `w` is the work on its record: it is of the current
/// run, nothing stands in its place, and if a person made it, nobody took it back.
pub(super) const IS_CURRENT: &str = "(c.run_id IS w.run_id
   AND NOT EXISTS (SELECT 1 FROM replaced p WHERE p.claim_id = c.id)
   AND (v.state <> 'ADDED' OR EXISTS (SELECT 1 FROM made m WHERE m.claim_id = c.id)))";

/// The [`QueueState`](crate::domain::queue::QueueState) of the claim `c`, as it is kept; names as in [`IS_CURRENT`].
pub(super) fn queue_state() -> String {
    format!(
        "CASE WHEN NOT {IS_CURRENT} OR EXISTS (SELECT 1 FROM decision d WHERE d.claim_id = c.id AND d.counts = 1) THEN 0
           WHEN EXISTS (SELECT 1 FROM disposition b WHERE b.run_id = c.run_id AND b.disposition = 'BLOCK') THEN 2
           ELSE 1 END"
    )
}

/// By which severity the claim `c` is ranked, of which `q` is the row of the queue: while people disagree, by the worst
/// that they or the judge say.
pub(super) const RANK: &str = "CASE
   WHEN EXISTS (SELECT 1 FROM decision d WHERE d.claim_id = c.id AND d.counts = 1) THEN q.judged_rank
   ELSE max(q.judged_rank, coalesce((SELECT max(CASE d.severity WHEN 'CRITICAL' THEN 4 WHEN 'HIGH' THEN 3
                                                WHEN 'MEDIUM' THEN 2 WHEN 'LOW' THEN 1 ELSE 0 END)
                                     FROM decision d WHERE d.claim_id = c.id), 0)) END";

/// Recomputes and writes, of the claims `which`, whether they stand, whether they are open, and where in the queue.
fn write_place(tx: &Transaction<'_>, which: &str, key: i64) -> Fallible<()> {
    tx.prepare_cached(&format!(
        "UPDATE queue SET current = present.stands, open = present.open, severity_rank = present.rank,
           place = (4 - present.rank) * 100000 + (6 - verdict_rank) * 10000 + 1000 - doubt
         FROM (SELECT c.id, {IS_CURRENT} AS stands, {} AS open, {RANK} AS rank
               FROM claim c JOIN work w ON w.record_id = c.record_id JOIN verdict v ON v.claim_id = c.id
               JOIN queue q ON q.claim_id = c.id WHERE {which}) present
         WHERE queue.claim_id = present.id
           AND (queue.current, queue.open, queue.severity_rank) <> (present.stands, present.open, present.rank)",
        queue_state()
    ))?
    .execute([key])?;
    Ok(())
}

/// Runs that wait for a disposition: current ones with a decision, nothing open and no disposition.
pub(super) const TO_DISPOSE: &str = "SELECT w.run_id FROM work w
  WHERE EXISTS (SELECT 1 FROM claim c JOIN decision d ON d.claim_id = c.id
                WHERE c.record_id = w.record_id AND c.run_id = w.run_id)
    AND NOT EXISTS (SELECT 1 FROM disposition p WHERE p.run_id = w.run_id)
    AND NOT EXISTS (SELECT 1 FROM claim c JOIN queue q ON q.claim_id = c.id
                    WHERE c.record_id = w.record_id AND c.run_id = w.run_id AND q.open <> 0)";

/// Recomputes and writes whether the answer waits for its disposition. Kept, so that the queue can be
/// drawn anew at every change without going through all decisions.
pub(super) fn write_to_dispose(tx: &Transaction<'_>, record: RecordKey) -> Fallible<()> {
    tx.prepare_cached("DELETE FROM to_dispose WHERE run_id IN (SELECT id FROM run WHERE record_id = ?1)")?
        .execute([record.0])?;
    tx.prepare_cached(&format!("INSERT INTO to_dispose (run_id) {TO_DISPOSE} AND w.record_id = ?1"))?
        .execute([record.0])?;
    Ok(())
}

/// Recomputes and writes the disposition of every run of an answer.
pub(super) fn write_dispositions(tx: &Transaction<'_>, audit_id: &AuditId) -> Fallible<()> {
    tx.prepare_cached(
        "DELETE FROM disposition WHERE run_id IN
           (SELECT run.id FROM record r JOIN run ON run.record_id = r.id WHERE r.audit_id = ?1)",
    )?
    .execute([audit_id.as_str()])?;
    for (event, disposed) in standing_dispositions(tx, audit_id)? {
        tx.prepare_cached(
            "INSERT OR REPLACE INTO disposition (run_id, disposition, annotator, seq, disposed_at)
             SELECT run.id, ?3, ?4, ?5, ?6 FROM record r JOIN run ON run.record_id = r.id
             WHERE r.audit_id = ?1 AND run.n = ?2",
        )?
        .execute(params![
            audit_id.as_str(),
            disposed.run,
            disposed.disposition.label(),
            event.annotator,
            event.seq,
            event.at.to_string(),
        ])?;
    }
    let record = tx
        .prepare_cached("SELECT id FROM record WHERE audit_id = ?1")?
        .query_row([audit_id.as_str()], |row| row.get(0).map(RecordKey))?;
    write_place(tx, "c.record_id = ?1", record.0)?;
    write_to_dispose(tx, record)
}

/// The dispositions of an answer that nobody took back, oldest first; of one run the last one counts.
pub(super) fn standing_dispositions(
    connection: &Connection,
    audit_id: &AuditId,
) -> Fallible<Vec<(Event, Disposed)>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {} FROM event WHERE claim_id IS NULL AND subject = ?1 AND act = 'DISPOSE'
           AND NOT EXISTS (SELECT 1 FROM event u WHERE u.undoes = event.seq) ORDER BY seq",
        events::COLUMNS
    ))?;
    let events = statement.query_map([audit_id.as_str()], events::event)?;
    let mut standing = Vec::new();
    for event in events {
        let event = event?;
        if let Ok(disposed) = serde_json::from_value(event.new.clone()) {
            standing.push((event, disposed));
        }
    }
    Ok(standing)
}

/// The disposition of a run, if there is one.
pub(super) fn disposition(connection: &Connection, run: i64) -> Fallible<Option<StandingDisposition>> {
    Ok(connection
        .prepare_cached(
            "SELECT d.disposition, d.annotator, d.seq, d.disposed_at, p.text, e.reason
             FROM disposition d JOIN event e ON e.seq = d.seq
             LEFT JOIN event_payload p ON p.seq = d.seq WHERE d.run_id = ?1",
        )?
        .query_row([run], |row| {
            Ok(StandingDisposition {
                disposition: parsed(row, 0)?,
                annotator: Annotator::new(row.get::<_, String>(1)?),
                seq: row.get(2)?,
                at: parsed(row, 3)?,
                note: rows::text_opt(row, 4)?,
                reason: parsed_opt(row, 5)?,
            })
        })
        .optional()?)
}

/// What the judge ruled: verdict, severity, type, and the score of a claim–source pair, in four columns from `first`.
pub(super) fn judges_ruling(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Ruling>> {
    let verdict: Option<Verdict> = parsed_opt(row, first)?;
    Ok(match verdict {
        Some(verdict) => Some(Ruling {
            verdict: verdict.into(),
            severity: parsed_opt(row, first + 1)?,
            hallucination_type: parsed_opt(row, first + 2)?,
            score: rows::score(row, first + 3)?,
            evidence: None,
        }),
        None => None,
    })
}
