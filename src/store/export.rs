//! Everything out again, row by row, whatever the size of the file.
//!
//! Each reader hands one item after the other to a callback, whose error ends the reading and comes
//! back. What is read is one unchanging view of the file. A row that cannot be read never ends it.

use rusqlite::{Connection, Row, params};

use super::{
    Damaged, Fallible, Fault, Store, StoreError, blind, detail, earlier, events, projection, rows, shaping,
};
use crate::domain::blind::Blind;
use crate::domain::decision::Decided;
use crate::domain::event::Event;
use crate::domain::finding::{AuditState, JudgeIdentity};
use crate::domain::ids::{Annotator, ClaimId, ClaimKey, PassageId, RecordKey};
use crate::domain::queue::{EarlierDecision, Flagged, Given, Note};
use crate::domain::record::RiskLevel;
use crate::domain::routing::Why;
use crate::domain::span::CharSpan;
use crate::domain::time::Timestamp;
use crate::domain::verdict::{HallucinationType, MatchLevel, Probability, Role, Score, Severity, Verdict};
use crate::domain::word::{Graded, Word, worst};

/// A claim for readers outside: the judge's layer and the people's layer, each by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimExport {
    pub id: ClaimId,
    pub given_id: Option<String>,
    pub claim_text: String,
    /// Where the claim stands in the answer, in characters.
    pub answer: Option<CharSpan>,
    /// `faithfulness`; `support`: a claim–source pair, whose verdict follows from its score; or `comparison`.
    pub instrument: String,
    /// Whether its answer came in to be audited, not as a pair to be scored or out of a comparison.
    pub is_audited: bool,
    pub risk_level: Option<RiskLevel>,
    pub state: AuditState,
    pub verdict: Option<Verdict>,
    pub severity: Option<Severity>,
    pub hallucination_type: Option<HallucinationType>,
    pub confidence: Option<Probability>,
    pub support: Option<Score>,
    /// What decided, or why there is no verdict.
    pub rationale: String,
    pub evidence: Vec<EvidenceExport>,
    pub judge: JudgeIdentity,
    pub audited_at: Timestamp,
    /// Why a person is asked; empty when none is.
    pub why: Vec<Why>,
    /// Standing decisions of everybody, oldest first.
    pub decisions: Vec<(Annotator, Decided)>,
    /// What people said before they were shown the judge, oldest first.
    pub blind: Vec<(Annotator, Blind)>,
    /// Standing decisions on the same claim of earlier runs, oldest first.
    pub earlier: Vec<EarlierDecision>,
    pub notes: Vec<Note>,
    /// Flags that stand, oldest first.
    pub flags: Vec<Flagged>,
    /// What was decided about the whole answer on this audit of it.
    pub disposition: Option<Given>,
    /// The claims that people put in its place; empty where it stands.
    pub replaced_by: Vec<String>,
}

impl ClaimExport {
    /// What the people say of the claim together.
    pub fn word(&self) -> Word<'_> {
        Word::of(&self.decisions, &self.blind)
    }

    /// Verdict and severity that hold, and whether a person gave them: as gates count them.
    pub fn in_force(&self) -> (Graded, bool) {
        let is_judged = self.state == AuditState::Judged;
        let judge = if is_judged { (self.verdict, self.severity) } else { (None, None) };
        match self.word() {
            Word::Of((_, decided)) | Word::Adjudicated((_, decided)) => {
                ((decided.ruling.verdict.as_verdict(), decided.ruling.severity), true)
            }
            Word::Disputed => worst(judge, &self.decisions),
            Word::Open => (judge, false),
        }
    }

    /// Whether nobody is asked about the claim, and nobody said anything of it.
    pub fn is_unrouted(&self) -> bool {
        self.why.is_empty() && self.decisions.is_empty() && self.blind.is_empty()
    }

    /// Whether acceptance waits for the claim: it is routed, of a HIGH or CRITICAL record, and people have not
    /// decided it together; a disagreement that nobody settled is no decision.
    pub fn is_undecided_at_risk(&self) -> bool {
        self.replaced_by.is_empty()
            && self.risk_level >= Some(RiskLevel::High)
            && !self.why.is_empty()
            && self.word().decision().is_none()
    }
}

/// An event with what binds it into the chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Chained {
    pub event: Event,
    /// The hash of the event before it, as it is stored.
    pub prev_hash: String,
    pub hash: String,
    /// The text of a note; `None` when there is none, or when it was erased.
    pub note: Option<String>,
}

/// A cited span, in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceExport {
    pub passage_id: PassageId,
    /// `None` exactly when the quote was not found.
    pub span: Option<CharSpan>,
    /// The words of the passage at `span`; without one, the words that the judge gave.
    pub quote: String,
    pub role: Role,
    pub level: MatchLevel,
}

const CLAIM: &str = "SELECT c.id, r.audit_id, c.n, c.given_id, c.claim_text, c.answer_start, c.answer_end,
   r.risk_level, v.state, v.verdict, v.severity, v.hallucination_type, v.confidence, v.support, v.rationale,
   run.finished_at, coalesce(q.why, '[]'), c.run_id, w.run_id, run.instrument,
   NOT EXISTS (SELECT 1 FROM run o WHERE o.record_id = c.record_id AND o.instrument IN ('support', 'comparison'))
 FROM claim c LEFT JOIN record r ON r.id = c.record_id LEFT JOIN work w ON w.record_id = c.record_id
 LEFT JOIN verdict v ON v.claim_id = c.id LEFT JOIN run ON run.id = c.run_id
 LEFT JOIN queue q ON q.claim_id = c.id";

/// The claims that are not of an earlier run and stand, record by record: none that was split, merged or taken back.
/// What has lost a row is among them.
pub(super) const PRESENT: &str = "(w.run_id IS NULL OR c.run_id = w.run_id)
   AND NOT EXISTS (SELECT 1 FROM replaced p WHERE p.claim_id = c.id)
   AND (v.state IS NOT 'ADDED' OR EXISTS (SELECT 1 FROM made m WHERE m.claim_id = c.id))
 ORDER BY c.record_id, c.n";

/// The same with those that stood until somebody split or merged them, where people had said something of them.
const PRESENT_OR_SAID: &str = "(w.run_id IS NULL OR c.run_id = w.run_id)
   AND (v.state IS NOT 'ADDED' OR EXISTS (SELECT 1 FROM made m WHERE m.claim_id = c.id))
   AND (NOT EXISTS (SELECT 1 FROM replaced p WHERE p.claim_id = c.id)
     OR EXISTS (SELECT 1 FROM opinion o WHERE o.claim_id = c.id)
     OR EXISTS (SELECT 1 FROM decision d WHERE d.claim_id = c.id))
 ORDER BY c.record_id, c.n";

impl Store {
    /// The lines of all records as they came, byte for byte, in order of import; a line that is damaged
    /// says so instead.
    pub fn for_each_record<E: From<StoreError>>(
        &self,
        each: impl FnMut(Result<&str, Damaged>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.lines_of("SELECT raw, audit_id FROM record ORDER BY id", each)
    }

    /// The line that the record of `claim` came as, byte for byte.
    ///
    /// # Errors
    /// When there is no such claim, or its record cannot be read.
    pub fn line_of_claim(&self, claim: ClaimKey) -> Result<String, StoreError> {
        self.read(|connection| {
            let record = rows::claim(connection, claim)?.record;
            let mut statement = connection.prepare_cached("SELECT raw FROM record WHERE id = ?1")?;
            // Text that is none is an error here: what is copied is what came.
            Ok(statement.query_row([record.0], |row| row.get(0))?)
        })
    }

    /// The same of the records that wait for an audit, or are in the hand of an auditor.
    pub fn for_each_waiting_record<E: From<StoreError>>(
        &self,
        each: impl FnMut(Result<&str, Damaged>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.lines_of(
            "SELECT raw, audit_id FROM record JOIN work ON work.record_id = record.id
             WHERE work.state = 'waiting' ORDER BY record.id",
            each,
        )
    }

    fn lines_of<E: From<StoreError>>(
        &self,
        sql: &str,
        each: impl FnMut(Result<&str, Damaged>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut each = each;
        self.stream(|connection, failed| {
            let mut statement = connection.prepare(sql)?;
            let mut found = statement.query([])?;
            while let Some(row) = found.next()? {
                let given = match row.get_ref(0)?.as_str() {
                    Ok(raw) => each(Ok(raw)),
                    Err(error) => {
                        let reason = Fault::from(rusqlite::Error::from(error)).of_a_row()?;
                        let what = format!("record {}", rows::shown(row, 1)?);
                        each(Err(Damaged { what, claim: None, reason }))
                    }
                };
                if let Err(error) = given {
                    *failed = Some(error);
                    break;
                }
            }
            Ok(())
        })
    }

    /// All claims of current runs, record by record in order of import; one that is damaged says so in
    /// its place.
    pub fn for_each_claim<E: From<StoreError>>(
        &self,
        each: impl FnMut(Result<ClaimExport, Damaged>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.claims_where(PRESENT, each)
    }

    /// The same with those that were split or merged after people had said something of them.
    pub fn for_each_claim_and_replaced<E: From<StoreError>>(
        &self,
        each: impl FnMut(Result<ClaimExport, Damaged>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.claims_where(PRESENT_OR_SAID, each)
    }

    fn claims_where<E: From<StoreError>>(
        &self,
        condition: &str,
        each: impl FnMut(Result<ClaimExport, Damaged>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut each = each;
        self.stream(|connection, failed| {
            let mut statement = connection.prepare(&format!("{CLAIM} WHERE {condition}"))?;
            let mut found = statement.query([])?;
            while let Some(row) = found.next()? {
                let read = rows::sound(connection, ClaimKey(row.get(0)?), claim(connection, row))?;
                if let Err(error) = each(read) {
                    *failed = Some(error);
                    break;
                }
            }
            Ok(())
        })
    }

    /// One claim as it is exported.
    pub fn claim_export(&self, key: ClaimKey) -> Result<ClaimExport, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!("{CLAIM} WHERE c.id = ?1"))?;
            let mut found = statement.query([key.0])?;
            match found.next()? {
                Some(row) => claim(connection, row),
                None => super::refused(format!("no claim in row {} of this store", key.0)),
            }
        })
    }

    /// All events in order; one that is damaged says so in its place.
    pub fn for_each_event<E: From<StoreError>>(
        &self,
        each: impl FnMut(Result<Chained, Damaged>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut each = each;
        self.stream(|connection, failed| {
            let mut statement = connection.prepare(&format!(
                "SELECT {}, (SELECT text FROM event_payload p WHERE p.seq = event.seq) FROM event ORDER BY seq",
                events::COLUMNS
            ))?;
            let mut found = statement.query([])?;
            while let Some(row) = found.next()? {
                let read = match chained(row) {
                    Ok(event) => Ok(event),
                    Err(error) => {
                        let reason = Fault::from(error).of_a_row()?;
                        Err(Damaged { what: format!("event {}", rows::shown(row, 0)?), claim: None, reason })
                    }
                };
                if let Err(error) = each(read) {
                    *failed = Some(error);
                    break;
                }
            }
            Ok(())
        })
    }

    /// Reads with a callback that may fail in its own way.
    pub(super) fn stream<E: From<StoreError>>(
        &self,
        work: impl FnOnce(&Connection, &mut Option<E>) -> Fallible<()>,
    ) -> Result<(), E> {
        let mut failed = None;
        self.read(|connection| work(connection, &mut failed)).map_err(E::from)?;
        failed.map_or(Ok(()), Err)
    }
}

pub(super) fn chained(row: &Row<'_>) -> rusqlite::Result<Chained> {
    Ok(Chained {
        event: events::event(row)?,
        prev_hash: row.get(17)?,
        hash: row.get(18)?,
        note: rows::text_opt(row, 20)?,
    })
}

fn claim(connection: &Connection, row: &Row<'_>) -> Fallible<ClaimExport> {
    let key = ClaimKey(row.get(0)?);
    let state = rows::state(row, 8)?;
    if state == AuditState::Judged {
        rows::present(row, 9)?;
    }
    rows::present(row, 18)?;
    Ok(ClaimExport {
        id: rows::claim_id(row, 1)?,
        given_id: rows::text_opt(row, 3)?,
        claim_text: rows::text(row, 4)?,
        answer: chars(row, 5)?,
        instrument: rows::text(row, 19)?,
        is_audited: row.get(20)?,
        risk_level: rows::parsed_opt(row, 7)?,
        state,
        verdict: rows::parsed_opt(row, 9)?,
        severity: rows::parsed_opt(row, 10)?,
        hallucination_type: rows::parsed_opt(row, 11)?,
        confidence: rows::confidence(row, 12)?,
        support: rows::score(row, 13)?,
        rationale: rows::text(row, 14)?,
        audited_at: rows::parsed(row, 15)?,
        why: rows::json(row, 16)?,
        judge: rows::identity(connection, row.get(17)?)?,
        evidence: evidence(connection, key)?,
        decisions: detail::decisions(connection, key)?,
        blind: blind::of_claim(connection, key)?,
        earlier: earlier::on(connection, key)?,
        notes: detail::notes(connection, key)?,
        flags: detail::flags(connection, key)?,
        disposition: projection::disposition(connection, row.get(17)?)?.map(Into::into),
        replaced_by: shaping::replaced_by(connection, key)?.map_or_else(Vec::new, |(_, _, into)| into),
    })
}

/// The claims of one run in order; one that is damaged says so in its place.
pub(super) fn claims_of_run(
    connection: &Connection,
    record: RecordKey,
    run: i64,
) -> Fallible<Vec<Result<ClaimExport, Damaged>>> {
    let mut statement = connection
        .prepare_cached(&format!("{CLAIM} WHERE c.record_id = ?1 AND c.run_id = ?2 ORDER BY c.n"))?;
    let mut found = statement.query([record.0, run])?;
    let mut claims = Vec::new();
    while let Some(row) = found.next()? {
        claims.push(rows::sound(connection, ClaimKey(row.get(0)?), claim(connection, row))?);
    }
    Ok(claims)
}

fn evidence(connection: &Connection, key: ClaimKey) -> Fallible<Vec<EvidenceExport>> {
    let mut statement = connection.prepare_cached(
        // Cut out in bytes, for which a long passage is not walked.
        "SELECT ci.passage_id, ci.start, ci.\"end\",
           coalesce(
             (SELECT CAST(substr(CAST(p.content AS BLOB), ci.start_byte + 1, ci.end_byte - ci.start_byte) AS TEXT)
              FROM claim c JOIN passage p ON p.record_id = c.record_id
              WHERE c.id = ci.claim_id AND p.passage_id = ci.passage_id AND ci.start_byte IS NOT NULL),
             ci.quote),
           ci.role, ci.match
         FROM citation ci WHERE ci.claim_id = ?1 ORDER BY ci.n",
    )?;
    let evidence = statement.query_map(params![key.0], |row| {
        Ok(EvidenceExport {
            passage_id: PassageId::new(row.get::<_, String>(0)?),
            span: chars(row, 1)?,
            quote: rows::text(row, 3)?,
            role: rows::parsed(row, 4)?,
            level: rows::parsed(row, 5)?,
        })
    })?;
    Ok(evidence.collect::<rusqlite::Result<_>>()?)
}

/// A span in characters, in two columns from `first`.
fn chars(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<CharSpan>> {
    let ends: (Option<u32>, Option<u32>) = (row.get(first)?, row.get(first + 1)?);
    Ok(match ends {
        (Some(start), Some(end)) => Some(CharSpan { start: start as usize, end: end as usize }),
        _ => None,
    })
}
