//! What came in against its line and its hashes, what judges said against theirs.

use rusqlite::{Connection, Row};
use serde_json::Value;

use super::{Problems, VerifyReport};
use crate::domain::event::{passages_sha256_of, sha256_hex};
use crate::domain::ids::ClaimId;
use crate::domain::record::RiskLevel;
use crate::store::offsets::Place;
use crate::store::runs::{SeenCitation, SeenVerdict};
use crate::store::{Fallible, rows};

pub(super) fn check(
    connection: &Connection,
    report: &mut VerifyReport,
    problems: &mut Problems,
) -> Fallible<()> {
    records(connection, report, problems)?;
    verdicts(connection, report, problems)
}

fn records(connection: &Connection, report: &mut VerifyReport, problems: &mut Problems) -> Fallible<()> {
    let mut statement = connection.prepare(
        "SELECT id, audit_id, raw_sha256, answer_sha256, passages_sha256, answer, raw, question, risk_level
         FROM record ORDER BY id",
    )?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        report.records += 1;
        let (id, audit_id): (i64, String) = (row.get(0)?, row.get(1)?);
        let (answer, raw): (String, String) = (row.get(5)?, row.get(6)?);
        problems.same("raw line", &sha256_hex([raw.as_str()]), &row.get(2)?, || {
            format!("record {audit_id}: the line it came from was changed")
        });
        problems.same("answer", &sha256_hex([answer.as_str()]), &row.get(3)?, || {
            format!("record {audit_id}: the answer was changed")
        });
        let passages = passages(connection, id, &audit_id, problems)?;
        let together = passages_sha256_of(passages.iter().map(|p| (p.id.as_str(), p.sha256.as_str())));
        problems.same("passages", &together, &row.get(4)?, || {
            format!("record {audit_id}: its passages are not the ones it came with")
        });
        if let Ok(line) = serde_json::from_str(&raw)
            && let Some(field) = differs(&line, row, &audit_id, &answer, &passages)?
        {
            problems.note("record field", || {
                format!("record {audit_id}: {field} is not the one of the line it came from")
            });
        }
    }
    Ok(())
}

struct StoredPassage {
    id: String,
    sha256: String,
    content: String,
}

fn passages(
    connection: &Connection,
    record: i64,
    audit_id: &str,
    problems: &mut Problems,
) -> Fallible<Vec<StoredPassage>> {
    let mut statement = connection.prepare_cached(
        "SELECT passage_id, content_sha256, content FROM passage WHERE record_id = ?1 ORDER BY n",
    )?;
    let found = statement.query_map([record], |row| {
        Ok(StoredPassage { id: row.get(0)?, sha256: row.get(1)?, content: row.get(2)? })
    })?;
    let passages = found.collect::<rusqlite::Result<Vec<_>>>()?;
    for passage in &passages {
        problems.same("passage", &sha256_hex([passage.content.as_str()]), &passage.sha256, || {
            format!("record {audit_id}: passage {} was changed", passage.id)
        });
    }
    Ok(passages)
}

/// The first field of a line in the native format that the columns do not repeat.
fn differs(
    line: &Value,
    row: &Row<'_>,
    audit_id: &str,
    answer: &str,
    passages: &[StoredPassage],
) -> Fallible<Option<&'static str>> {
    let other =
        |field: &str, stored: &str| line.get(field).and_then(Value::as_str).is_some_and(|v| v != stored);
    if other("audit_id", audit_id) {
        return Ok(Some("its id"));
    }
    if other("generated_answer", answer) {
        return Ok(Some("the answer"));
    }
    let question: Option<String> = row.get(7)?;
    if other("question", question.as_deref().unwrap_or_default()) {
        return Ok(Some("the question"));
    }
    let given: Option<RiskLevel> =
        line.get("risk_level").and_then(Value::as_str).and_then(|risk| risk.parse().ok());
    if given.is_some() && given != rows::parsed_opt(row, 8)? {
        return Ok(Some("the risk level"));
    }
    if let Some(given) = line.get("evidence_passages").and_then(Value::as_array) {
        let given: Option<Vec<&str>> =
            given.iter().map(|passage| passage.get("content").and_then(Value::as_str)).collect();
        // Passages in another shape than the native one are read by an importer of their own.
        if given.is_some_and(|given| !given.into_iter().eq(passages.iter().map(|p| p.content.as_str()))) {
            return Ok(Some("the evidence"));
        }
    }
    Ok(None)
}

fn verdicts(connection: &Connection, report: &mut VerifyReport, problems: &mut Problems) -> Fallible<()> {
    let mut statement = connection.prepare(
        "SELECT c.id, r.audit_id, c.n, c.claim_text, c.answer_start, c.answer_end, c.answer_start_byte,
           c.answer_end_byte, j.judge, j.model, j.prompt_version, j.prompt_sha256, j.settings, v.state, v.verdict,
           v.severity, v.hallucination_type, v.confidence, v.support, v.rationale, v.sha256
         FROM claim c JOIN record r ON r.id = c.record_id JOIN run ON run.id = c.run_id
         JOIN judge j ON j.id = run.judge_id LEFT JOIN verdict v ON v.claim_id = c.id ORDER BY c.id",
    )?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        report.claims += 1;
        let id: ClaimId = rows::claim_id(row, 1)?;
        let Some(expected) = row.get::<_, Option<String>>(20)? else {
            problems.note("verdict missing", || format!("claim {id}: its verdict is missing"));
            continue;
        };
        let (name, text) =
            (id.to_string(), |column: usize| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from));
        let label = |column: usize| row.get_ref(column)?.as_str_or_null().map_err(rusqlite::Error::from);
        let seen = SeenVerdict {
            claim_id: &name,
            claim_text: text(3)?,
            answer: place(row, 4)?,
            judge: text(8)?,
            model: text(9)?,
            prompt_version: text(10)?,
            prompt_sha256: text(11)?,
            settings: text(12)?,
            state: text(13)?,
            verdict: label(14)?,
            severity: label(15)?,
            hallucination_type: label(16)?,
            confidence: row.get(17)?,
            support: row.get(18)?,
            rationale: text(19)?,
            citations: citations(connection, row.get(0)?)?,
        };
        problems.same("verdict", &seen.sha256(), &expected, || {
            format!("claim {id}: the claim, its verdict or its citations were changed")
        });
    }
    Ok(())
}

fn citations(connection: &Connection, claim: i64) -> Fallible<Vec<SeenCitation>> {
    let mut statement = connection.prepare_cached(
        "SELECT passage_id, start, \"end\", start_byte, end_byte, quote, role, match FROM citation
         WHERE claim_id = ?1 ORDER BY n",
    )?;
    let citations = statement.query_map([claim], |row| {
        Ok(SeenCitation {
            passage_id: row.get(0)?,
            place: place(row, 1)?,
            quote: row.get(5)?,
            role: row.get(6)?,
            level: row.get(7)?,
        })
    })?;
    Ok(citations.collect::<rusqlite::Result<_>>()?)
}

/// Four columns from `first`: start and end in characters, start and end in bytes.
fn place(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Place>> {
    let column = |n: usize| row.get::<_, Option<i64>>(first + n);
    Ok(match (column(0)?, column(1)?, column(2)?, column(3)?) {
        (Some(start), Some(end), Some(start_byte), Some(end_byte)) => {
            Some(Place { start, end, start_byte, end_byte })
        }
        _ => None,
    })
}
