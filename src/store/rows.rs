//! Between rows and the nouns of the domain: labels, times, JSON, spans.

use std::fmt::Display;
use std::str::FromStr;

use rusqlite::types::{Type, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::de::DeserializeOwned;

use super::damaged::MISSING;
use super::{Damaged, Fallible, Fault, StoreError};
use crate::domain::decision::{Decided, DecisionKind, HumanVerdict, Ruling};
use crate::domain::finding::{AuditState, JudgeIdentity, Judged, Outcome};
use crate::domain::ids::{AuditId, ClaimId, ClaimKey, PassageId, RecordKey};
use crate::domain::queue::QueueState;
use crate::domain::record::{Passage, Record};
use crate::domain::span::Span;
use crate::domain::time::Timestamp;
use crate::domain::verdict::{Citation, Probability, Score};

/// A value that is not what the program writes: somebody changed the file, or it is damaged.
fn odd(column: usize, what: impl Display) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, what.to_string().into())
}

/// Begins a text that is shown although it is damaged.
const DAMAGED: &str = "⟨damaged: run juror verify⟩ ";

/// A text for people to read: one that is not UTF-8 is marked and shown as far as it goes, so that it
/// does not keep everything else from being read.
pub(super) fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    Ok(text_opt(row, column)?.unwrap_or_default())
}

pub(super) fn text_opt(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<String>> {
    let Some(bytes) = row.get_ref(column)?.as_bytes_or_null()? else { return Ok(None) };
    Ok(Some(match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => format!("{DAMAGED}{}", String::from_utf8_lossy(bytes)),
    }))
}

/// Reads a column whose text is a label, a time or an id.
pub(super) fn parsed<T: FromStr<Err: Display>>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    row.get_ref(column)?.as_str()?.parse().map_err(|error| odd(column, error))
}

pub(super) fn parsed_opt<T: FromStr<Err: Display>>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<Option<T>> {
    match row.get_ref(column)?.as_str_or_null()? {
        Some(text) => text.parse().map(Some).map_err(|error| odd(column, error)),
        None => Ok(None),
    }
}

pub(super) fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    serde_json::from_str(row.get_ref(column)?.as_str()?).map_err(|error| odd(column, error))
}

/// An error where nothing stands: the row that it comes from is gone.
pub(super) fn present(row: &Row<'_>, column: usize) -> rusqlite::Result<()> {
    if row.get_ref(column)? == ValueRef::Null { Err(odd(column, MISSING)) } else { Ok(()) }
}

pub(super) fn state(row: &Row<'_>, column: usize) -> rusqlite::Result<AuditState> {
    present(row, column)?;
    let label = row.get_ref(column)?.as_str()?;
    AuditState::from_label(label).ok_or_else(|| odd(column, format!("`{label}` is not a state")))
}

/// Whether a claim of the queue waits for somebody.
pub(super) fn queue_state(row: &Row<'_>, column: usize) -> rusqlite::Result<QueueState> {
    let number: i64 = row.get(column)?;
    QueueState::of(number).ok_or_else(|| odd(column, format!("`{number}` is no state of the queue")))
}

pub(super) fn millis(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    row.get(column).map(Timestamp::from_millis)
}

/// The span in two byte columns, as far as it fits `text`; none in a damaged one, whose bytes are others.
pub(super) fn span(row: &Row<'_>, start: usize, text: &str) -> rusqlite::Result<Option<Span>> {
    let bytes: (Option<u32>, Option<u32>) = (row.get(start)?, row.get(start + 1)?);
    Ok(match bytes {
        (Some(start), Some(end)) if !text.starts_with(DAMAGED) => {
            Span::new(text, start as usize..end as usize)
        }
        _ => None,
    })
}

/// Nine columns from `first`: kind, verdict, severity, type, reason, seq, `decided_at`, evidence, score.
pub(super) fn decided(row: &Row<'_>, first: usize) -> rusqlite::Result<Decided> {
    let kind = match row.get_ref(first)?.as_str()? {
        "CONFIRMED" => DecisionKind::Confirmed,
        "OVERRIDDEN" => DecisionKind::Overridden,
        other => return Err(odd(first, format!("`{other}` is not a kind of decision"))),
    };
    Ok(Decided {
        kind,
        ruling: Ruling {
            verdict: parsed(row, first + 1)?,
            severity: parsed_opt(row, first + 2)?,
            hallucination_type: parsed_opt(row, first + 3)?,
            score: ruled_score(row, first + 8)?,
            evidence: match row.get_ref(first + 7)? {
                ValueRef::Null => None,
                _ => Some(json(row, first + 7)?),
            },
        },
        reason: parsed_opt(row, first + 4)?,
        seq: row.get(first + 5)?,
        at: parsed(row, first + 6)?,
    })
}

/// Verdicts of people, with commas between them; none where the column is empty.
pub(super) fn verdicts(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<HumanVerdict>> {
    let labels: Option<String> = row.get(column)?;
    let labels = labels.as_deref().into_iter().flat_map(|labels| labels.split(','));
    Ok(labels.filter_map(|label| label.parse().ok()).collect())
}

/// The columns that [`decided`] reads.
macro_rules! decided_columns {
    () => {
        "d.kind, d.verdict, d.severity, d.hallucination_type, d.reason, d.seq, d.decided_at, d.evidence, d.score"
    };
}
pub(super) use decided_columns;

/// Reads a record with its passages; `None` when there is none.
pub(super) fn record(connection: &Connection, key: RecordKey) -> Fallible<Option<Record>> {
    let head = connection
        .prepare_cached(
            "SELECT audit_id, risk_level, question, given_claims, metadata, answer FROM record WHERE id = ?1",
        )?
        .query_row([key.0], |row| {
            Ok(Record {
                audit_id: AuditId::new(row.get::<_, String>(0)?),
                risk_level: parsed_opt(row, 1)?,
                question: text_opt(row, 2)?,
                given_claims: json(row, 3)?,
                metadata: json(row, 4)?,
                answer: text(row, 5)?,
                passages: Vec::new(),
            })
        })
        .optional()?;
    let Some(mut record) = head else { return Ok(None) };
    let mut statement = connection.prepare_cached(
        "SELECT passage_id, metadata, content FROM passage WHERE record_id = ?1 ORDER BY n",
    )?;
    let passages = statement.query_map([key.0], |row| {
        Ok(Passage {
            passage_id: PassageId::new(row.get::<_, String>(0)?),
            metadata: json(row, 1)?,
            content: text(row, 2)?,
        })
    })?;
    record.passages = passages.collect::<rusqlite::Result<_>>()?;
    Ok(Some(record))
}

/// What stands in the row of a claim itself.
pub(super) struct ClaimRow {
    pub(super) key: ClaimKey,
    pub(super) record: RecordKey,
    pub(super) run: i64,
    pub(super) id: ClaimId,
    pub(super) state: AuditState,
    /// Whether it is a claim–source pair, which is judged and ruled by a score.
    pub(super) is_pair: bool,
    /// Whether its run is the current one of its record.
    pub(super) current: bool,
}

pub(super) fn claim(connection: &Connection, key: ClaimKey) -> Fallible<ClaimRow> {
    connection
        .prepare_cached(
            "SELECT c.record_id, c.run_id, r.audit_id, c.n, v.state, c.run_id = w.run_id, run.instrument = 'support'
             FROM claim c JOIN record r ON r.id = c.record_id LEFT JOIN verdict v ON v.claim_id = c.id
             LEFT JOIN run ON run.id = c.run_id LEFT JOIN work w ON w.record_id = c.record_id WHERE c.id = ?1",
        )?
        .query_row([key.0], |row| {
            present(row, 5)?;
            Ok(ClaimRow {
                key,
                record: RecordKey(row.get(0)?),
                run: row.get(1)?,
                id: claim_id(row, 2)?,
                state: state(row, 4)?,
                is_pair: row.get::<_, Option<bool>>(6)?.unwrap_or(false),
                current: row.get(5)?,
            })
        })
        .optional()?
        .ok_or_else(|| StoreError::Refused(format!("no claim in row {} of this store", key.0)).into())
}

/// Two columns from `first`: `audit_id`, n.
pub(super) fn claim_id(row: &Row<'_>, first: usize) -> rusqlite::Result<ClaimId> {
    Ok(ClaimId::new(AuditId::new(row.get::<_, String>(first)?), row.get(first + 1)?))
}

/// A claim that cannot be read, as far as it can be named.
pub(super) struct DamagedClaim {
    pub(super) id: ClaimId,
    pub(super) damage: Damaged,
    /// What stands in the place of its text.
    pub(super) shown: String,
}

pub(super) fn damaged_claim(
    connection: &Connection,
    key: ClaimKey,
    reason: String,
) -> Fallible<DamagedClaim> {
    let named = connection
        .prepare_cached(
            "SELECT r.audit_id, c.n FROM claim c LEFT JOIN record r ON r.id = c.record_id WHERE c.id = ?1",
        )?
        .query_row([key.0], |row| Ok((shown(row, 0)?, row.get(1).unwrap_or(0))))
        .optional()?;
    let (audit_id, n) = named.unwrap_or_else(|| (format!("row {}", key.0), 0));
    let id = ClaimId::new(AuditId::new(audit_id), n);
    let damage = Damaged { what: format!("claim {id}"), claim: Some(id.clone()), reason };
    Ok(DamagedClaim { shown: format!("{DAMAGED}{}", damage.reason), id, damage })
}

/// What was read of a claim; one that cannot be read is told apart from a file that cannot.
pub(super) fn sound<T>(
    connection: &Connection,
    key: ClaimKey,
    read: Fallible<T>,
) -> Fallible<Result<T, Damaged>> {
    match read {
        Ok(found) => Ok(Ok(found)),
        Err(fault) => Ok(Err(damaged_claim(connection, key, fault.of_a_row()?)?.damage)),
    }
}

/// What was read of a claim; an error about one of its rows names the claim.
pub(super) fn named<T>(connection: &Connection, key: ClaimKey, read: Fallible<T>) -> Fallible<T> {
    read.or_else(|fault| {
        let claim = damaged_claim(connection, key, fault.of_a_row()?)?;
        Err(Fault::Sqlite(odd(0, format!("{}: {}", claim.damage.what, claim.damage.reason))))
    })
}

/// A text to name a row by, whatever it holds.
pub(super) fn shown(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        ValueRef::Null => "a row that belongs to nothing".to_owned(),
        ValueRef::Integer(n) => n.to_string(),
        ValueRef::Real(x) => x.to_string(),
    })
}

pub(super) fn claim_key(connection: &Connection, id: &ClaimId) -> Fallible<ClaimKey> {
    connection
        .prepare_cached(
            "SELECT c.id FROM record r JOIN claim c ON c.record_id = r.id WHERE r.audit_id = ?1 AND c.n = ?2",
        )?
        .query_row(params![id.audit_id().as_str(), id.n()], |row| row.get(0).map(ClaimKey))
        .optional()?
        .ok_or_else(|| StoreError::NoSuchClaim(id.clone()).into())
}

pub(super) fn record_key(connection: &Connection, id: &AuditId) -> Fallible<RecordKey> {
    connection
        .prepare_cached("SELECT id FROM record WHERE audit_id = ?1")?
        .query_row([id.as_str()], |row| row.get(0).map(RecordKey))
        .optional()?
        .ok_or_else(|| StoreError::NoSuchRecord(id.clone()).into())
}

/// Who judged in a run.
pub(super) fn identity(connection: &Connection, run: i64) -> Fallible<JudgeIdentity> {
    Ok(connection
        .prepare_cached(
            "SELECT j.judge, j.model, j.prompt_version, j.prompt_sha256, j.settings
             FROM run JOIN judge j ON j.id = run.judge_id WHERE run.id = ?1",
        )?
        .query_row([run], |row| {
            Ok(JudgeIdentity {
                judge: row.get(0)?,
                model: row.get(1)?,
                prompt_version: row.get(2)?,
                prompt_sha256: row.get(3)?,
                settings: json(row, 4)?,
            })
        })?)
}

/// The outcome of a claim, its citations with spans in the passages of `record`.
pub(super) fn outcome(connection: &Connection, key: ClaimKey, record: &Record) -> Fallible<Outcome> {
    let mut statement = connection.prepare_cached(
        "SELECT start_byte, end_byte, passage_id, role, match, quote FROM citation WHERE claim_id = ?1 ORDER BY n",
    )?;
    let citations: Vec<Citation> = statement
        .query_map([key.0], |row| {
            let passage_id = PassageId::new(row.get::<_, String>(2)?);
            let span = match record.passage(&passage_id) {
                Some(passage) => span(row, 0, &passage.content)?,
                None => None,
            };
            Ok(Citation {
                passage_id,
                span,
                role: parsed(row, 3)?,
                level: parsed(row, 4)?,
                quote: text(row, 5)?,
            })
        })?
        .collect::<rusqlite::Result<_>>()?;
    Ok(connection
        .prepare_cached(
            "SELECT state, verdict, severity, hallucination_type, confidence, support, rationale
             FROM verdict WHERE claim_id = ?1",
        )?
        .query_row([key.0], |row| {
            let state = state(row, 0)?;
            let rationale = text(row, 6)?;
            if let AuditState::NoVerdict(state) = state {
                return Ok(Outcome::NotJudged { state, reason: rationale });
            }
            let judged = Judged {
                verdict: parsed(row, 1)?,
                severity: parsed_opt(row, 2)?,
                hallucination_type: parsed_opt(row, 3)?,
                confidence: confidence(row, 4)?.ok_or_else(|| odd(4, "a verdict without confidence"))?,
                support: score(row, 5)?,
                rationale,
                citations,
            };
            Ok(if state == AuditState::Judged {
                Outcome::Judged(judged)
            } else {
                Outcome::Ungrounded(judged)
            })
        })?)
}

pub(super) fn confidence(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Probability>> {
    Ok(row.get::<_, Option<f64>>(column)?.map(Probability::clamped))
}

/// A score that a person gave.
pub(super) fn ruled_score(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Score>> {
    let given = row.get::<_, Option<u8>>(column)?.map(Score::try_from);
    given.transpose().map_err(|error| odd(column, error))
}

/// A score where there must be one.
pub(super) fn a_score(row: &Row<'_>, column: usize) -> rusqlite::Result<Score> {
    ruled_score(row, column)?.ok_or_else(|| odd(column, MISSING))
}

pub(super) fn score(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Score>> {
    Ok(row.get::<_, Option<u8>>(column)?.and_then(Score::new))
}
