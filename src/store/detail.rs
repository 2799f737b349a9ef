//! One claim with everything a person needs to judge it.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::offsets::Texts;
use super::records::to_json;
use super::rows::{self, decided_columns};
use super::seals::VerdictSeal;
use super::word::ruled;
use super::{
    Fallible, Fault, Shown, Store, StoreError, blind, earlier, inherited, projection, queue, refused, shaping,
};
use crate::domain::blind::Sight;
use crate::domain::decision::{Decided, Standing};
use crate::domain::draft::DraftKind;
use crate::domain::event::{Seen, passages_sha256, sha256_hex};
use crate::domain::finding::{AuditState, Finding, NoClaim};
use crate::domain::ids::{Annotator, ClaimId, ClaimKey, RecordKey};
use crate::domain::queue::{ClaimDetail, Flagged, Note, Sibling};
use crate::domain::record::Record;
use crate::domain::time::Timestamp;
use crate::domain::verdict::NoVerdict;
use crate::domain::word::Word;

impl Store {
    pub fn claim_detail(
        &self,
        key: ClaimKey,
        annotator: &Annotator,
        now: Timestamp,
    ) -> Result<ClaimDetail, StoreError> {
        self.read(|connection| rows::named(connection, key, self.detail(connection, key, annotator, now)))
    }

    fn detail(
        &self,
        connection: &Connection,
        key: ClaimKey,
        annotator: &Annotator,
        now: Timestamp,
    ) -> Fallible<ClaimDetail> {
        let claim = rows::claim(connection, key)?;
        let Shown { record, seen, .. } = self.shown_record(connection, claim.record)?;
        let head = Head::read(connection, key, &record)?;
        let judge = rows::identity(connection, claim.run)?;
        let finding = Finding {
            claim_text: head.claim_text,
            given_id: head.given_id,
            answer_span: head.answer_span,
            outcome: rows::outcome(connection, key, &record)?,
        };
        let (name, settings) = (claim.id.to_string(), to_json(&judge.settings));
        let (notes_begun, begun): (Vec<_>, Vec<_>) = drafts(connection, key, claim.record, annotator)?
            .into_iter()
            .partition(|(kind, _)| *kind == DraftKind::Note);
        let draft = notes_begun.into_iter().next().map(|(_, text)| text);
        let (decisions, committed) = (decisions(connection, key)?, blind::of_claim(connection, key)?);
        let word = Word::of(&decisions, &committed);
        let counts = word.decision().map(|(who, _)| who.clone());
        let is_settled = word.adjudicator().is_some();
        let seal = VerdictSeal::of(&name, &finding, &judge, &settings, &mut Texts::new(&record))?.sha256();
        let inherited = inherited::of(connection, &claim, &finding.claim_text, &record)?;
        Ok(ClaimDetail {
            key,
            record_key: claim.record,
            claim_text: finding.claim_text,
            given_id: finding.given_id,
            answer_span: finding.answer_span,
            outcome: finding.outcome,
            inherited,
            sight: Sight::Open,
            why: head.why,
            judge,
            audited_at: head.audited_at,
            exchanges: exchanges(connection, claim.run)?,
            arrived: head.arrived,
            siblings: siblings(connection, claim.record, claim.run, &record)?,
            no_claims: no_claims(connection, claim.run, &record)?,
            standing: present(projection::standing(connection, key, annotator.as_str())?, now),
            decisions,
            counts,
            is_settled,
            flags: flags(connection, key)?,
            earlier: earlier::on(connection, key)?,
            is_pair: claim.is_pair,
            gone: shaping::gone(connection, &claim)?,
            notes: notes(connection, key)?,
            disposition: projection::disposition(connection, claim.run)?.map(Into::into),
            held_by: queue::hold(connection, key, annotator, now)?,
            draft,
            begun,
            id: claim.id,
            record,
            seen: Seen { verdict_sha256: Some(seal), ..seen },
        })
    }

    /// How many answers have decisions on their current run, no open claim and no disposition; more
    /// than 1,000 are not told apart from 1,000.
    pub fn answers_to_dispose(&self) -> Result<u64, StoreError> {
        self.read(|connection| {
            Ok(connection.prepare_cached(WAITING)?.query_row([], |row| row.get::<_, u32>(0))?.into())
        })
    }

    /// A decided claim of the answer that has waited longest for its disposition, with all around it.
    pub fn answer_to_dispose(
        &self,
        annotator: &Annotator,
        now: Timestamp,
    ) -> Result<Option<ClaimDetail>, StoreError> {
        let key = self.read(|connection| {
            Ok(connection
                .prepare_cached(WAITS_LONGEST)?
                .query_row([], |row| row.get(0).map(ClaimKey))
                .optional()?)
        })?;
        key.map(|key| self.claim_detail(key, annotator, now)).transpose()
    }

    /// The record, kept for the next claim of the same answer.
    fn shown_record(&self, connection: &Connection, key: RecordKey) -> Fallible<Shown> {
        if let Some(shown) = &*self.last_record.borrow()
            && shown.key == key
        {
            return Ok(shown.clone());
        }
        let Some(record) = rows::record(connection, key)? else {
            return refused(format!("no record in row {} of this store", key.0));
        };
        let passages = record.passages.iter().map(|p| (p.passage_id.as_str(), p.content.as_str()));
        let seen = Seen {
            answer_sha256: sha256_hex([record.answer.as_str()]),
            passages_sha256: passages_sha256(passages),
            verdict_sha256: None,
        };
        let shown = Shown { key, record: Arc::new(record), seen };
        *self.last_record.borrow_mut() = Some(shown.clone());
        Ok(shown)
    }
}

pub(super) const WAITING: &str = "SELECT count(*) FROM (SELECT 1 FROM to_dispose LIMIT 1000)";

/// A decided claim of the oldest run that waits.
pub(super) const WAITS_LONGEST: &str = "SELECT c.id FROM run
  JOIN claim c ON c.record_id = run.record_id AND c.run_id = run.id
  WHERE run.id = (SELECT run_id FROM to_dispose ORDER BY run_id LIMIT 1)
    AND EXISTS (SELECT 1 FROM decision d WHERE d.claim_id = c.id) ORDER BY c.n LIMIT 1";

struct Head {
    claim_text: String,
    given_id: Option<String>,
    answer_span: Option<crate::domain::span::Span>,
    why: Vec<crate::domain::routing::Why>,
    audited_at: Timestamp,
    arrived: Timestamp,
}

impl Head {
    fn read(connection: &Connection, key: ClaimKey, record: &Record) -> Fallible<Self> {
        Ok(connection
            .prepare_cached(
                "SELECT c.claim_text, c.given_id, c.answer_start_byte, c.answer_end_byte,
                   coalesce(q.why, '[]'), run.finished_at, q.arrived_ms,
                   r.imported_at
                 FROM claim c JOIN run ON run.id = c.run_id JOIN record r ON r.id = c.record_id LEFT JOIN queue q ON q.claim_id = c.id
                 WHERE c.id = ?1",
            )?
            .query_row([key.0], |row| {
                Ok(Self {
                    claim_text: rows::text(row, 0)?,
                    given_id: rows::text_opt(row, 1)?,
                    answer_span: rows::span(row, 2, &record.answer)?,
                    why: rows::json(row, 4)?,
                    audited_at: rows::parsed(row, 5)?,
                    arrived: match row.get::<_, Option<i64>>(6)? {
                        Some(millis) => Timestamp::from_millis(millis),
                        None => rows::parsed(row, 7)?,
                    },
                })
            })?)
    }
}

/// How many exchanges with a model the run rests on.
fn exchanges(connection: &Connection, run: i64) -> Fallible<u64> {
    let count: u32 = connection
        .prepare_cached("SELECT count(*) FROM run_exchange WHERE run_id = ?1")?
        .query_row([run], |row| row.get(0))?;
    Ok(count.into())
}

/// What the annotator began on the claim, or about its answer, and has not finished.
fn drafts(
    connection: &Connection,
    key: ClaimKey,
    record: RecordKey,
    annotator: &Annotator,
) -> Fallible<Vec<(DraftKind, String)>> {
    Ok(connection
        .prepare_cached(
            "SELECT kind, text, saved_at FROM draft WHERE claim_id = ?1 AND annotator = ?2 AND kind <> ?4
             UNION ALL
             SELECT d.kind, d.text, d.saved_at FROM claim c
             CROSS JOIN draft d ON d.claim_id = c.id AND d.annotator = ?2 AND d.kind = ?4
             WHERE c.record_id = ?3
             ORDER BY kind, saved_at DESC",
        )?
        .query_map(params![key.0, annotator.as_str(), record.0, DraftKind::Disposition.label()], |row| {
            Ok((rows::parsed(row, 0)?, rows::text(row, 1)?))
        })?
        .collect::<rusqlite::Result<_>>()?)
}

fn siblings(
    connection: &Connection,
    record_key: RecordKey,
    run: i64,
    record: &Record,
) -> Fallible<Vec<Sibling>> {
    let mut statement = connection.prepare_cached(concat!(
        "SELECT c.id, c.n, c.claim_text, c.answer_start_byte, c.answer_end_byte, v.state, v.verdict, v.severity,
           EXISTS (SELECT 1 FROM queue q WHERE q.claim_id = c.id), ",
        ruled!(),
        ", EXISTS (SELECT 1 FROM decision d WHERE d.claim_id = c.id AND d.counts = 1)
         FROM claim c JOIN verdict v ON v.claim_id = c.id
         WHERE c.record_id = ?1 AND c.run_id = ?2
           AND NOT EXISTS (SELECT 1 FROM replaced p WHERE p.claim_id = c.id)
           AND (v.state <> 'ADDED' OR EXISTS (SELECT 1 FROM made m WHERE m.claim_id = c.id))
         ORDER BY c.answer_start_byte IS NULL, c.answer_start_byte, c.n"
    ))?;
    let sibling = |row: &Row<'_>| -> rusqlite::Result<Sibling> {
        Ok(Sibling {
            key: ClaimKey(row.get(0)?),
            id: ClaimId::new(record.audit_id.clone(), row.get(1)?),
            claim_text: rows::text(row, 2)?,
            answer_span: rows::span(row, 3, &record.answer)?,
            state: rows::state(row, 5)?,
            verdict: rows::parsed_opt(row, 6)?,
            severity: rows::parsed_opt(row, 7)?,
            hidden: false,
            routed: row.get(8)?,
            decided: row.get(11)?,
            rulings: rows::verdicts(row, 9)?,
            ruled_severity: rows::parsed_opt(row, 10)?,
        })
    };
    let mut found = statement.query([record_key.0, run])?;
    let mut siblings = Vec::new();
    while let Some(row) = found.next()? {
        siblings.push(match sibling(row) {
            Ok(sibling) => sibling,
            // One that cannot be read must not hide the others.
            Err(error) => damaged_sibling(connection, ClaimKey(row.get(0)?), Fault::from(error).of_a_row()?)?,
        });
    }
    Ok(siblings)
}

fn damaged_sibling(connection: &Connection, key: ClaimKey, reason: String) -> Fallible<Sibling> {
    let claim = rows::damaged_claim(connection, key, reason)?;
    Ok(Sibling {
        key,
        id: claim.id,
        claim_text: claim.shown,
        answer_span: None,
        state: AuditState::NoVerdict(NoVerdict::Failed),
        verdict: None,
        severity: None,
        hidden: false,
        routed: true,
        decided: false,
        rulings: Vec::new(),
        ruled_severity: None,
    })
}

fn no_claims(connection: &Connection, run: i64, record: &Record) -> Fallible<Vec<NoClaim>> {
    let mut statement = connection.prepare_cached(
        "SELECT answer_start_byte, answer_end_byte, reason FROM no_claim WHERE run_id = ?1 ORDER BY n",
    )?;
    let no_claims = statement.query_map([run], |row| {
        let reason = rows::parsed(row, 2)?;
        Ok(rows::span(row, 0, &record.answer)?.map(|answer_span| NoClaim { answer_span, reason }))
    })?;
    Ok(no_claims.filter_map(Result::transpose).collect::<rusqlite::Result<_>>()?)
}

/// Standing decisions of everybody on a claim, oldest first.
pub(super) fn decisions(connection: &Connection, key: ClaimKey) -> Fallible<Vec<(Annotator, Decided)>> {
    let mut statement = connection.prepare_cached(concat!(
        "SELECT d.annotator, ",
        decided_columns!(),
        " FROM decision d WHERE d.claim_id = ?1 ORDER BY d.seq"
    ))?;
    let decisions = statement
        .query_map([key.0], |row| Ok((Annotator::new(row.get::<_, String>(0)?), rows::decided(row, 1)?)))?;
    Ok(decisions.collect::<rusqlite::Result<_>>()?)
}

/// Without a deferral that is over.
fn present(standing: Standing, now: Timestamp) -> Standing {
    Standing { deferred: standing.deferred.filter(|until| *until > now), ..standing }
}

/// The flags that stand on a claim, oldest first.
pub(super) fn flags(connection: &Connection, key: ClaimKey) -> Fallible<Vec<Flagged>> {
    let mut statement = connection.prepare_cached(
        "SELECT f.annotator, e.at, f.addressee, e.payload_sha256 IS NOT NULL, p.text
         FROM flag f JOIN event e ON e.seq = f.seq LEFT JOIN event_payload p ON p.seq = f.seq
         WHERE f.claim_id = ?1 ORDER BY f.seq",
    )?;
    let flags = statement.query_map([key.0], |row| {
        Ok(Flagged {
            annotator: Annotator::new(row.get::<_, String>(0)?),
            at: rows::parsed(row, 1)?,
            to: rows::text_opt(row, 2)?,
            escalated: row.get(3)?,
            note: rows::text_opt(row, 4)?,
        })
    })?;
    Ok(flags.collect::<rusqlite::Result<_>>()?)
}

/// The same claim in earlier runs: same words, same place in the answer.
macro_rules! same_claim {
    () => {
        "FROM claim this JOIN claim c ON c.record_id = this.record_id AND c.run_id < this.run_id
           AND c.claim_text = this.claim_text AND c.answer_start_byte IS this.answer_start_byte
           AND c.answer_end_byte IS this.answer_end_byte"
    };
}

/// Notes on the claim and on the same claim of earlier runs, oldest first.
pub(super) fn notes(connection: &Connection, key: ClaimKey) -> Fallible<Vec<Note>> {
    let mut statement = connection.prepare_cached(concat!(
        "SELECT e.seq, e.annotator, e.at, p.text FROM event e LEFT JOIN event_payload p ON p.seq = e.seq
         WHERE e.claim_id IN (SELECT ?1 UNION SELECT c.id ",
        same_claim!(),
        " WHERE this.id = ?1)
           AND e.act = 'ANNOTATE' AND NOT EXISTS (SELECT 1 FROM event u WHERE u.undoes = e.seq)
         ORDER BY e.seq"
    ))?;
    let notes = statement.query_map([key.0], |row| {
        Ok(Note {
            seq: row.get(0)?,
            annotator: Annotator::new(row.get::<_, String>(1)?),
            at: rows::parsed(row, 2)?,
            text: rows::text_opt(row, 3)?,
        })
    })?;
    Ok(notes.collect::<rusqlite::Result<_>>()?)
}
