//! What people said of the claims that one judge judged: what the judge is measured by.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::calibrations::identity;
use super::records::to_json;
use super::{Fallible, Store, StoreError, blind, detail, rows};
use crate::domain::annotation::Rating;
use crate::domain::finding::{AuditState, JudgeIdentity};
use crate::domain::ids::{Annotator, ClaimId, ClaimKey};
use crate::domain::verdict::{NoVerdict, Probability, Verdict};
use crate::domain::word::Word;

/// Which of people's verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// What they said before they were shown the judge, and had never been.
    Blind,
    /// The decisions that stand.
    Decisions,
}

/// A claim that a judge judged and people rated.
#[derive(Debug, Clone, PartialEq)]
pub struct Rated {
    /// The first claim with these words at this place of the answer: the same one whatever was audited again.
    pub id: ClaimId,
    pub text: String,
    /// What the record's metadata say of how the evidence was found.
    pub retrieval: Option<String>,
    /// The judge's grounded verdict, or the score of a claim–source pair; `None` where it has none.
    pub judge: Option<Rating>,
    pub confidence: Option<Probability>,
    /// One of each person, without those who had been shown the judge where blind verdicts are asked for.
    pub people: Vec<(Annotator, Rating)>,
    /// Who judged it blind and had been shown the judge's word on it before.
    pub dependent: Vec<Annotator>,
    /// Who settled what people disagreed on, and how.
    pub settled: Option<(Annotator, Rating)>,
    /// Not where the judge found no claim in the answer, nor where a person made the claim.
    pub was_asked: bool,
}

/// What is said of the same words at the same place holds for every audit of the record. In the order of the claims, and
/// of what was said: `?1` is the judge, `?2` the instrument.
macro_rules! rated {
    ($people:literal) => {
        concat!(
            "SELECT r.audit_id,
               (SELECT min(f.n) FROM claim f WHERE f.record_id = c.record_id AND f.claim_text = c.claim_text
                  AND f.answer_start_byte IS c.answer_start_byte AND f.answer_end_byte IS c.answer_end_byte) AS first,
               c.claim_text, CAST(json_extract(r.metadata, '$.retrieval') AS TEXT), v.state, v.verdict, v.confidence,
               v.support, x.annotator, x.verdict, x.score, said.id, x.independent
             FROM ",
            $people,
            " x CROSS JOIN claim said ON said.id = x.claim_id
             JOIN claim c ON c.record_id = said.record_id AND c.claim_text = said.claim_text
               AND c.answer_start_byte IS said.answer_start_byte AND c.answer_end_byte IS said.answer_end_byte
             JOIN run ON run.id = c.run_id AND run.judge_id = ?1 AND run.instrument = ?2
             JOIN verdict v ON v.claim_id = c.id
               AND (v.state <> 'ADDED' OR EXISTS (SELECT 1 FROM made m WHERE m.claim_id = c.id))
             JOIN record r ON r.id = c.record_id
             WHERE NOT EXISTS (SELECT 1 FROM run later WHERE later.record_id = run.record_id
               AND later.judge_id = ?1 AND later.instrument = ?2 AND later.id > run.id)
             ORDER BY r.audit_id, first, x.seq"
        )
    };
}

impl Store {
    /// The judge of that name as it was when it last audited by that instrument; `None` when it never did.
    pub fn last_judge(&self, instrument: &str, judge: &str) -> Result<Option<JudgeIdentity>, StoreError> {
        self.read(|connection| {
            Ok(connection
                .prepare_cached(
                    "SELECT j.judge, j.model, j.prompt_version, j.prompt_sha256, j.settings
                     FROM run JOIN judge j ON j.id = run.judge_id
                     WHERE run.instrument = ?1 AND j.judge = ?2 ORDER BY run.id DESC LIMIT 1",
                )?
                .query_row(params![instrument, judge], |row| identity(row, 0))
                .optional()?)
        })
    }

    /// The claims of the latest audits by this very judge that people said something about, in the order of their ids.
    pub fn rated(
        &self,
        instrument: &str,
        identity: &JudgeIdentity,
        whose: Whose,
    ) -> Result<Vec<Rated>, StoreError> {
        self.read(|connection| {
            let Some(judge) = key(connection, identity)? else { return Ok(Vec::new()) };
            let mut statement = connection.prepare_cached(match whose {
                Whose::Blind => rated!("opinion"),
                Whose::Decisions => rated!("(SELECT *, 1 AS independent FROM decision)"),
            })?;
            let mut rated: Vec<Rated> = Vec::new();
            let mut found = statement.query(params![judge, instrument])?;
            while let Some(row) = found.next()? {
                let Some((annotator, rating)) = said(row, instrument)? else { continue };
                let id = rows::claim_id(row, 0)?;
                if rated.last().is_none_or(|last| last.id != id) {
                    rated.push(claim(row, id, instrument)?);
                }
                let Some(last) = rated.last_mut() else { continue };
                last.settled =
                    settled(connection, ClaimKey(row.get(11)?), instrument)?.or(last.settled.take());
                let said_before = last.people.iter().position(|(who, _)| *who == annotator);
                match (row.get::<_, bool>(12)?, said_before) {
                    (true, before) => {
                        before.map(|at| last.people.remove(at));
                        last.dependent.retain(|who| *who != annotator);
                        last.people.push((annotator, rating));
                    }
                    (false, None) if !last.dependent.contains(&annotator) => last.dependent.push(annotator),
                    (false, _) => {}
                }
            }
            Ok(rated)
        })
    }
}

fn key(connection: &Connection, of: &JudgeIdentity) -> Fallible<Option<i64>> {
    Ok(connection
        .prepare_cached(
            "SELECT id FROM judge WHERE judge = ?1 AND model = ?2 AND prompt_version = ?3 AND prompt_sha256 = ?4
               AND settings = ?5",
        )?
        .query_row(
            params![of.judge, of.model, of.prompt_version, of.prompt_sha256, to_json(&of.settings)],
            |row| row.get(0),
        )
        .optional()?)
}

/// What a person said; `None` where it is no score, and scores are asked for.
fn said(row: &Row<'_>, instrument: &str) -> rusqlite::Result<Option<(Annotator, Rating)>> {
    let rating = match instrument {
        "support" => rows::ruled_score(row, 10)?.map(Rating::Score),
        _ => Some(Rating::Verdict(rows::parsed(row, 9)?)),
    };
    let annotator = Annotator::new(row.get::<_, String>(8)?);
    Ok(rating.map(|rating| (annotator, rating)))
}

/// What an adjudicator made of the claim.
fn settled(
    connection: &Connection,
    claim: ClaimKey,
    instrument: &str,
) -> Fallible<Option<(Annotator, Rating)>> {
    let (decisions, blind) = (detail::decisions(connection, claim)?, blind::of_claim(connection, claim)?);
    let Word::Adjudicated((adjudicator, decided)) = Word::of(&decisions, &blind) else { return Ok(None) };
    let rating = match instrument {
        "support" => decided.ruling.score.map(Rating::Score),
        _ => Some(Rating::Verdict(decided.ruling.verdict)),
    };
    Ok(rating.map(|rating| (adjudicator.clone(), rating)))
}

/// The claim with what the judge said, and nobody yet beside it.
fn claim(row: &Row<'_>, id: ClaimId, instrument: &str) -> rusqlite::Result<Rated> {
    let state = rows::state(row, 4)?;
    let is_judged = state == AuditState::Judged;
    let is_placeholder = |state| matches!(state, NoVerdict::Added | NoVerdict::NoClaims);
    let judge = match instrument {
        "support" => rows::score(row, 7)?.map(Rating::Score),
        _ => rows::parsed_opt::<Verdict>(row, 5)?.map(|verdict| Rating::Verdict(verdict.into())),
    };
    Ok(Rated {
        id,
        text: rows::text(row, 2)?,
        retrieval: row.get(3)?,
        judge: judge.filter(|_| is_judged),
        confidence: row.get::<_, Option<f64>>(6)?.and_then(Probability::new).filter(|_| is_judged),
        people: Vec::new(),
        dependent: Vec::new(),
        settled: None,
        was_asked: !matches!(state, AuditState::NoVerdict(state) if is_placeholder(state)),
    })
}
