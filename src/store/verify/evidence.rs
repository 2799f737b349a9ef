//! What came in against its line, its hashes and its seal; what judges said against theirs.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use super::line::{Columns, PassageColumns};
use super::mark::Rolled;
use super::{Problems, VerifyReport, exchanges, texts};
use crate::domain::event::{passages_sha256_of, sha256_hex};
use crate::domain::ids::{ClaimId, RecordKey};
use crate::store::offsets::Place;
use crate::store::seals::{
    CitationSeal, ClaimSeal, NoClaimSeal, PassageSeal, RecordSeal, RunSeal, VerdictSeal,
};
use crate::store::{Fallible, rows};

/// What [`record`] reads.
const RECORD: &str =
    "SELECT id, audit_id, risk_level, source, imported_at, raw_sha256, answer_sha256, passages_sha256,
   sha256, question, given_claims, metadata, answer, raw
 FROM record";

/// What [`verdict`] reads.
const VERDICT: &str =
    "SELECT c.id, r.audit_id, c.n, c.claim_text, c.answer_start, c.answer_end, c.answer_start_byte,
   c.answer_end_byte, j.judge, j.model, j.prompt_version, j.prompt_sha256, j.settings, v.state, v.verdict,
   v.severity, v.hallucination_type, v.confidence, v.support, v.rationale, v.sha256, c.given_id
 FROM claim c JOIN record r ON r.id = c.record_id JOIN run ON run.id = c.run_id
 JOIN judge j ON j.id = run.judge_id LEFT JOIN verdict v ON v.claim_id = c.id";

/// What [`run`] reads.
const RUN: &str =
    "SELECT run.id, r.audit_id, run.n, j.judge, j.model, j.prompt_version, j.prompt_sha256, j.settings,
   run.instrument, run.started_at, run.finished_at, run.sha256, run.record_id
 FROM run JOIN record r ON r.id = run.record_id JOIN judge j ON j.id = run.judge_id";

/// The same of one record, without its exchanges.
pub(super) fn of_record(connection: &Connection, key: RecordKey, problems: &mut Problems) -> Fallible<()> {
    let read = each(connection, &format!("{RECORD} WHERE id = ?1"), key, problems, record);
    problems.part("the records", read)?;
    let read = each(connection, &format!("{VERDICT} WHERE c.record_id = ?1"), key, problems, verdict);
    problems.part("the verdicts", read)?;
    let read = each(connection, &format!("{RUN} WHERE run.record_id = ?1"), key, problems, run);
    problems.part("the audits", read)
}

fn each(
    connection: &Connection,
    sql: &str,
    key: RecordKey,
    problems: &mut Problems,
    check: impl Fn(&Connection, &Row<'_>, &mut Problems) -> Fallible<()>,
) -> Fallible<()> {
    let mut statement = connection.prepare(sql)?;
    let mut found = statement.query([key.0])?;
    while let Some(row) = found.next()? {
        let name = texts::shown(row, 0)?;
        let read = check(connection, row, problems);
        problems.go_on(read, "unreadable row", || format!("row {name}"))?;
    }
    Ok(())
}

pub(super) fn check(
    connection: &Connection,
    report: &mut VerifyReport,
    rolled: &mut Rolled,
    problems: &mut Problems,
) -> Fallible<()> {
    let read = records(connection, report, rolled, problems);
    problems.part("the records", read)?;
    let read = verdicts(connection, report, problems);
    problems.part("the verdicts", read)?;
    let read = runs(connection, rolled, problems);
    problems.part("the audits", read)?;
    let read = exchanges::check(connection, report, rolled, problems);
    problems.part("the exchanges", read)
}

fn records(
    connection: &Connection,
    report: &mut VerifyReport,
    rolled: &mut Rolled,
    problems: &mut Problems,
) -> Fallible<()> {
    let mut statement = connection.prepare(&format!("{RECORD} ORDER BY id"))?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        report.records += 1;
        rolled.records.add(&texts::shown(row, 8)?);
        let name = texts::shown(row, 1)?;
        let read = record(connection, row, problems);
        problems.go_on(read, "unreadable record", || format!("record {name}"))?;
    }
    Ok(())
}

fn record(connection: &Connection, row: &Row<'_>, problems: &mut Problems) -> Fallible<()> {
    let text = |column: usize| row.get::<_, String>(column);
    let (id, audit_id): (i64, String) = (row.get(0)?, text(1)?);
    let (passages, numbers, hashes) = passages(connection, id, &audit_id, problems)?;
    let stored = Columns {
        audit_id,
        risk_level: row.get(2)?,
        question: row.get(9)?,
        given_claims: text(10)?,
        metadata: text(11)?,
        answer: text(12)?,
        passages,
    };
    let (audit_id, raw) = (&stored.audit_id, text(13)?);
    problems.same("raw line", &sha256_hex([raw.as_str()]), &text(5)?, || {
        format!("record {audit_id}: the line it came from was changed")
    });
    problems.same("answer", &sha256_hex([stored.answer.as_str()]), &text(6)?, || {
        format!("record {audit_id}: the answer was changed")
    });
    let together = passages_sha256_of(
        stored.passages.iter().zip(&hashes).map(|(p, sha256)| (p.passage_id.as_str(), sha256.as_str())),
    );
    problems.same("passages", &together, &text(7)?, || {
        format!("record {audit_id}: its passages are not the ones it came with")
    });
    if let Some(field) = Columns::of(&raw).and_then(|line| line.difference(&stored)) {
        problems.note("record field", || {
            format!("record {audit_id}: {field} is not the one of the line it came from")
        });
    }
    let passages = stored.passages.iter().zip(&hashes).zip(&numbers);
    let seal = RecordSeal {
        audit_id,
        risk_level: stored.risk_level.as_deref(),
        source: &text(3)?,
        imported_at: &text(4)?,
        raw_sha256: &text(5)?,
        answer_sha256: &text(6)?,
        question: stored.question.as_deref(),
        given_claims: &stored.given_claims,
        metadata: &stored.metadata,
        passages: passages
            .map(|((passage, content_sha256), n)| PassageSeal {
                n: *n,
                passage_id: &passage.passage_id,
                content_sha256,
                metadata: &passage.metadata,
            })
            .collect(),
    };
    problems.same("record seal", &seal.sha256(), &text(8)?, || {
        format!("record {audit_id}: what came with it, or where and when it came from, was changed")
    });
    Ok(())
}

/// The passages of a record with their numbers and stored hashes.
type Passages = (Vec<PassageColumns>, Vec<i64>, Vec<String>);

fn passages(
    connection: &Connection,
    record: i64,
    audit_id: &str,
    problems: &mut Problems,
) -> Fallible<Passages> {
    let mut statement = connection.prepare_cached(
        "SELECT passage_id, content, metadata, n, content_sha256 FROM passage WHERE record_id = ?1 ORDER BY n",
    )?;
    let mut found = statement.query([record])?;
    let (mut passages, mut numbers, mut hashes) = Passages::default();
    while let Some(row) = found.next()? {
        let passage = PassageColumns { passage_id: row.get(0)?, content: row.get(1)?, metadata: row.get(2)? };
        let sha256: String = row.get(4)?;
        problems.same("passage", &sha256_hex([passage.content.as_str()]), &sha256, || {
            format!("record {audit_id}: passage {} was changed", passage.passage_id)
        });
        passages.push(passage);
        numbers.push(row.get(3)?);
        hashes.push(sha256);
    }
    Ok((passages, numbers, hashes))
}

fn verdicts(connection: &Connection, report: &mut VerifyReport, problems: &mut Problems) -> Fallible<()> {
    let mut statement = connection.prepare(&format!("{VERDICT} ORDER BY c.id"))?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        report.claims += 1;
        let name = format!("claim {}#{}", texts::shown(row, 1)?, texts::shown(row, 2)?);
        let read = verdict(connection, row, problems);
        problems.go_on(read, "unreadable claim", || name)?;
    }
    Ok(())
}

fn verdict(connection: &Connection, row: &Row<'_>, problems: &mut Problems) -> Fallible<()> {
    let id: ClaimId = rows::claim_id(row, 1)?;
    let Some(expected) = row.get::<_, Option<String>>(20)? else {
        problems.note("verdict missing", || format!("claim {id}: its verdict is missing"));
        return Ok(());
    };
    let (name, text) =
        (id.to_string(), |column: usize| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from));
    let label = |column: usize| row.get_ref(column)?.as_str_or_null().map_err(rusqlite::Error::from);
    let seal = VerdictSeal {
        claim_id: &name,
        claim_text: text(3)?,
        given_id: label(21)?,
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
    problems.same("verdict", &seal.sha256(), &expected, || {
        format!("claim {id}: the claim, its verdict or its citations were changed")
    });
    Ok(())
}

fn citations(connection: &Connection, claim: i64) -> Fallible<Vec<CitationSeal>> {
    let mut statement = connection.prepare_cached(
        "SELECT passage_id, start, \"end\", start_byte, end_byte, quote, role, match, n FROM citation
         WHERE claim_id = ?1 ORDER BY n",
    )?;
    let citations = statement.query_map([claim], |row| {
        Ok(CitationSeal {
            n: row.get(8)?,
            passage_id: row.get(0)?,
            place: place(row, 1)?,
            quote: row.get(5)?,
            role: row.get(6)?,
            level: row.get(7)?,
        })
    })?;
    Ok(citations.collect::<rusqlite::Result<_>>()?)
}

/// Every run with its judge, its claims, why they are in the queue, and its sentences without a claim.
fn runs(connection: &Connection, rolled: &mut Rolled, problems: &mut Problems) -> Fallible<()> {
    let mut statement = connection.prepare(&format!("{RUN} ORDER BY run.id"))?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        rolled.runs.add(&texts::shown(row, 11)?);
        let name = format!("record {}, audit {}", texts::shown(row, 1)?, texts::shown(row, 2)?);
        let read = run(connection, row, problems);
        problems.go_on(read, "unreadable run", || name)?;
    }
    Ok(())
}

fn run(connection: &Connection, row: &Row<'_>, problems: &mut Problems) -> Fallible<()> {
    let text = |column: usize| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
    let (id, audit_id, n): (i64, &str, i64) = (row.get(0)?, text(1)?, row.get(2)?);
    let seal = RunSeal {
        audit_id,
        run: n,
        judge: text(3)?,
        model: text(4)?,
        prompt_version: text(5)?,
        prompt_sha256: text(6)?,
        settings: text(7)?,
        instrument: text(8)?,
        started_at: text(9)?,
        finished_at: text(10)?,
        claims: claims_of(connection, row.get(12)?, id)?,
        no_claims: no_claims_of(connection, id)?,
        exchanges: exchanges::of_run(connection, id)?,
    };
    problems.same("run", &seal.sha256().as_str(), &text(11)?, || {
        format!(
            "record {audit_id}: audit {n}, its judge, its claims, why they are in the queue, its \
                 sentences without a claim, or the exchanges it rests on were changed"
        )
    });
    Ok(())
}

fn claims_of(connection: &Connection, record: i64, run: i64) -> Fallible<Vec<ClaimSeal>> {
    let mut statement = connection.prepare_cached(
        "SELECT c.n, coalesce(v.sha256, ''), q.why FROM claim c LEFT JOIN verdict v ON v.claim_id = c.id
         LEFT JOIN queue q ON q.claim_id = c.id WHERE c.record_id = ?1 AND c.run_id = ?2
           AND NOT EXISTS (SELECT 1 FROM event e WHERE e.claim_id = c.id AND e.act = 'ADD_CLAIM') ORDER BY c.n",
    )?;
    let claims = statement.query_map([record, run], |row| {
        Ok(ClaimSeal { n: row.get(0)?, sha256: row.get(1)?, why: row.get(2)? })
    })?;
    Ok(claims.collect::<rusqlite::Result<_>>()?)
}

fn no_claims_of(connection: &Connection, run: i64) -> Fallible<Vec<NoClaimSeal>> {
    let mut statement = connection.prepare_cached(
        "SELECT n, answer_start, answer_end, answer_start_byte, answer_end_byte, reason FROM no_claim
         WHERE run_id = ?1 ORDER BY n",
    )?;
    let no_claims = statement.query_map([run], |row| {
        Ok(NoClaimSeal {
            n: row.get(0)?,
            answer: Place {
                start: row.get(1)?,
                end: row.get(2)?,
                start_byte: row.get(3)?,
                end_byte: row.get(4)?,
            },
            reason: row.get(5)?,
        })
    })?;
    Ok(no_claims.collect::<rusqlite::Result<_>>()?)
}

/// Four columns from `first`: start and end in characters, start and end in bytes. All are NULL or
/// none is: a place with holes is not any place.
fn place(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Place>> {
    let mut columns = (first..first + 4).map(|column| row.get_ref(column));
    if columns.all(|value| matches!(value, Ok(ValueRef::Null))) {
        return Ok(None);
    }
    let column = |n: usize| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(first + n)?.unwrap_or(-1));
    Ok(Some(Place { start: column(0)?, end: column(1)?, start_byte: column(2)?, end_byte: column(3)? }))
}
