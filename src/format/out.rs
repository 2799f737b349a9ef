//! What goes out: one row type for each thing that is exported, the same for JSON and for CSV.
//!
//! Offsets count characters, end exclusive, and the quoted text stands beside them. What the judge
//! said and what people said stand in fields of their own.

mod csv_cells;

use serde::Serialize;

use crate::domain::blind::Blind;
use crate::domain::decision::{Decided, Disposition, HumanVerdict, ReasonCode};
use crate::domain::event::Event;
use crate::domain::evidence::ChosenSpan;
use crate::domain::ids::{Annotator, AuditId, ClaimId, PassageId};
use crate::domain::queue::{Flagged, Given};
use crate::domain::record::RiskLevel;
use crate::domain::routing::Why;
use crate::domain::time::Timestamp;
use crate::domain::verdict::{HallucinationType, MatchLevel, Probability, Role, Score, Severity, Verdict};
use crate::domain::word::Word;
use crate::store::{ClaimExport, EvidenceExport};

pub use csv_cells::CsvRows;

/// A cited span.
#[derive(Debug, Serialize)]
pub struct EvidenceRow {
    passage_id: PassageId,
    start: Option<usize>,
    end: Option<usize>,
    quote: String,
    role: Role,
    r#match: MatchLevel,
}

impl From<EvidenceExport> for EvidenceRow {
    fn from(evidence: EvidenceExport) -> Self {
        Self {
            passage_id: evidence.passage_id,
            start: evidence.span.map(|span| span.start),
            end: evidence.span.map(|span| span.end),
            quote: evidence.quote,
            role: evidence.role,
            r#match: evidence.level,
        }
    }
}

/// One person's standing decision.
#[derive(Debug, Serialize)]
pub struct DecisionRow {
    annotator: String,
    review: &'static str,
    verdict: HumanVerdict,
    severity: Option<Severity>,
    hallucination_type: Option<HallucinationType>,
    /// Of a claim with its source: the score that the person gives.
    score: Option<Score>,
    reason: Option<ReasonCode>,
    /// The evidence that the person chose in place of the judge's; `null` where they chose none.
    evidence: Option<Vec<ChosenSpan>>,
    at: Timestamp,
    seq: i64,
}

impl DecisionRow {
    fn new(annotator: &str, decided: &Decided) -> Self {
        Self {
            annotator: annotator.to_owned(),
            review: decided.kind.label(),
            verdict: decided.ruling.verdict,
            severity: decided.ruling.severity,
            hallucination_type: decided.ruling.hallucination_type,
            score: decided.ruling.score,
            reason: decided.reason,
            evidence: decided.ruling.evidence.clone(),
            at: decided.at,
            seq: decided.seq,
        }
    }
}

/// What one person said before they were shown the judge.
#[derive(Debug, Serialize)]
pub struct BlindRow {
    annotator: String,
    verdict: HumanVerdict,
    severity: Option<Severity>,
    hallucination_type: Option<HallucinationType>,
    /// Of a claim with its source.
    score: Option<Score>,
    evidence: Option<Vec<ChosenSpan>>,
    /// Whether no earlier act of theirs names the judge's verdict on the claim.
    independent: bool,
    at: Timestamp,
    seq: i64,
}

impl BlindRow {
    fn new(annotator: &Annotator, blind: Blind) -> Self {
        Self {
            annotator: annotator.as_str().to_owned(),
            verdict: blind.ruling.verdict,
            severity: blind.ruling.severity,
            hallucination_type: blind.ruling.hallucination_type,
            score: blind.ruling.score,
            evidence: blind.ruling.evidence,
            independent: blind.independent,
            at: blind.at,
            seq: blind.seq,
        }
    }
}

/// A standing decision on the same claim of an earlier audit.
#[derive(Debug, Serialize)]
pub struct EarlierRow {
    /// The claim's id in that audit.
    id: ClaimId,
    #[serde(flatten)]
    decision: DecisionRow,
}

/// One note on a claim; `text` is `null` when it was erased.
#[derive(Debug, Serialize)]
pub struct NoteRow {
    annotator: String,
    at: Timestamp,
    seq: i64,
    text: Option<String>,
}

/// A claim with the judge's word and the people's.
#[derive(Debug, Serialize)]
pub struct ClaimRow {
    pub audit_id: AuditId,
    pub id: ClaimId,
    /// The id that the claim came with.
    claim_id: Option<String>,
    claim_text: String,
    answer_start: Option<usize>,
    answer_end: Option<usize>,
    /// `support`: a claim with its source, whose verdict follows from its score.
    instrument: String,
    risk_level: Option<RiskLevel>,
    verdict: Option<Verdict>,
    /// `DAMAGED` when the claim cannot be read: `rationale` says why, and most of the rest is missing.
    state: &'static str,
    confidence: Option<Probability>,
    severity: Option<Severity>,
    hallucination_type: Option<HallucinationType>,
    rationale: String,
    support: Option<Score>,
    evidence: Vec<EvidenceRow>,
    judge: String,
    model: String,
    prompt_version: String,
    prompt_sha256: String,
    audited_at: Option<Timestamp>,
    /// Why a person is asked; empty when none is.
    why: Vec<Why>,
    /// `UNROUTED` where the audit sent it to nobody; else `OPEN` until a person's decision stands, and while people disagree.
    review: &'static str,
    /// Whether people disagree, and nobody has settled it.
    disputed: bool,
    /// Who settled a disagreement: the verdict is theirs.
    adjudicator: Option<String>,
    /// Of the decision that counts.
    human_verdict: Option<HumanVerdict>,
    human_severity: Option<Severity>,
    human_hallucination_type: Option<HallucinationType>,
    /// Of a claim with its source, in place of the judge's `support`.
    human_score: Option<Score>,
    human_reason: Option<ReasonCode>,
    /// The words on which it rests, as people chose them: of the decision that counts, else of one with its verdict.
    human_evidence: Option<Vec<ChosenSpan>>,
    annotator: Option<String>,
    decided_at: Option<Timestamp>,
    /// Everybody's standing decisions, oldest first.
    decisions: Vec<DecisionRow>,
    /// What people said before they were shown the judge, oldest first: what they kept or changed stands in
    /// `decisions`.
    blind: Vec<BlindRow>,
    /// What people ruled on the same claim when it stood in an earlier audit, oldest first: the present
    /// claim has another id, and these do not count for it.
    earlier: Vec<EarlierRow>,
    notes: Vec<NoteRow>,
    /// The flags that stand, oldest first; one that was escalated has a note, and often a name it is for.
    flags: Vec<Flagged>,
    /// What was decided about the whole answer; the same for all its claims.
    disposition: Option<DispositionRow>,
    /// The claims that people put in its place, by splitting or merging; empty where it stands.
    replaced_by: Vec<String>,
}

/// What is to happen to an answer.
#[derive(Debug, Serialize)]
pub struct DispositionRow {
    value: Disposition,
    annotator: String,
    at: Timestamp,
    /// Why, in the person's own words; `null` where they wrote none, or it was erased.
    note: Option<String>,
}

impl From<Given> for DispositionRow {
    fn from(given: Given) -> Self {
        let Given { annotator, disposition, at, note, .. } = given;
        Self { value: disposition, annotator: annotator.as_str().to_owned(), at, note }
    }
}

/// In the place of a review: nobody is asked about the claim.
pub const UNROUTED: &str = "UNROUTED";

/// The state of a row that cannot be read, for programs.
pub const DAMAGED: &str = "DAMAGED";

impl ClaimRow {
    /// The names of its fields, in order.
    #[rustfmt::skip]
    pub const COLUMNS: &'static [&'static str] = &[
        "audit_id", "id", "claim_id", "claim_text", "answer_start", "answer_end", "instrument", "risk_level",
        "verdict", "state", "confidence", "severity", "hallucination_type", "rationale", "support",
        "evidence", "judge", "model", "prompt_version", "prompt_sha256", "audited_at", "why", "review",
        "disputed", "adjudicator", "human_verdict", "human_severity", "human_hallucination_type",
        "human_score", "human_reason", "human_evidence", "annotator", "decided_at", "decisions", "blind",
        "earlier", "notes", "flags", "disposition", "replaced_by",
    ];

    /// What stands in the place of the claim `id`, which cannot be read.
    pub fn damaged(id: ClaimId, sentence: String) -> Self {
        Self {
            audit_id: id.audit_id().clone(),
            id,
            claim_id: None,
            claim_text: String::new(),
            answer_start: None,
            answer_end: None,
            instrument: String::new(),
            risk_level: None,
            verdict: None,
            state: DAMAGED,
            confidence: None,
            severity: None,
            hallucination_type: None,
            rationale: sentence,
            support: None,
            evidence: Vec::new(),
            judge: String::new(),
            model: String::new(),
            prompt_version: String::new(),
            prompt_sha256: String::new(),
            audited_at: None,
            why: Vec::new(),
            review: "OPEN",
            disputed: false,
            adjudicator: None,
            human_verdict: None,
            human_severity: None,
            human_hallucination_type: None,
            human_score: None,
            human_reason: None,
            human_evidence: None,
            annotator: None,
            decided_at: None,
            decisions: Vec::new(),
            blind: Vec::new(),
            earlier: Vec::new(),
            notes: Vec::new(),
            flags: Vec::new(),
            disposition: None,
            replaced_by: Vec::new(),
        }
    }
}

impl From<ClaimExport> for ClaimRow {
    fn from(claim: ClaimExport) -> Self {
        let word = claim.word();
        let counts =
            word.decision().map(|(annotator, decided)| DecisionRow::new(annotator.as_str(), decided));
        let adjudicator = match word {
            Word::Adjudicated((annotator, _)) => Some(annotator.as_str().to_owned()),
            _ => None,
        };
        let disputed = word == Word::Disputed;
        let is_unrouted = claim.is_unrouted();
        let chosen = |decided: &Decided| decided.ruling.evidence.clone();
        let human_evidence = word.decision().and_then(|(_, counts)| {
            let alike = claim.decisions.iter().rev().map(|(_, decided)| decided);
            let mut alike = alike.filter(|decided| decided.ruling.verdict == counts.ruling.verdict);
            chosen(counts).or_else(|| alike.find_map(chosen))
        });
        Self {
            audit_id: claim.id.audit_id().clone(),
            claim_id: claim.given_id,
            claim_text: claim.claim_text,
            answer_start: claim.answer.map(|span| span.start),
            answer_end: claim.answer.map(|span| span.end),
            instrument: claim.instrument,
            risk_level: claim.risk_level,
            verdict: claim.verdict,
            state: claim.state.label(),
            confidence: claim.confidence,
            severity: claim.severity,
            hallucination_type: claim.hallucination_type,
            rationale: claim.rationale,
            support: claim.support,
            evidence: claim.evidence.into_iter().map(Into::into).collect(),
            judge: claim.judge.judge,
            model: claim.judge.model,
            prompt_version: claim.judge.prompt_version,
            prompt_sha256: claim.judge.prompt_sha256,
            audited_at: Some(claim.audited_at),
            review: match &counts {
                Some(counts) => counts.review,
                None if is_unrouted => UNROUTED,
                None => "OPEN",
            },
            why: claim.why,
            disputed,
            adjudicator,
            human_verdict: counts.as_ref().map(|counts| counts.verdict),
            human_severity: counts.as_ref().and_then(|counts| counts.severity),
            human_hallucination_type: counts.as_ref().and_then(|counts| counts.hallucination_type),
            human_score: counts.as_ref().and_then(|counts| counts.score),
            human_reason: counts.as_ref().and_then(|counts| counts.reason),
            human_evidence,
            decided_at: counts.as_ref().map(|counts| counts.at),
            annotator: counts.map(|counts| counts.annotator),
            decisions: claim
                .decisions
                .iter()
                .map(|(annotator, decided)| DecisionRow::new(annotator.as_str(), decided))
                .collect(),
            blind: claim
                .blind
                .into_iter()
                .map(|(annotator, blind)| BlindRow::new(&annotator, blind))
                .collect(),
            earlier: claim
                .earlier
                .into_iter()
                .map(|earlier| EarlierRow {
                    decision: DecisionRow::new(earlier.annotator.as_str(), &earlier.decided),
                    id: earlier.id,
                })
                .collect(),
            notes: claim
                .notes
                .into_iter()
                .map(|note| NoteRow {
                    annotator: note.annotator.as_str().to_owned(),
                    at: note.at,
                    seq: note.seq,
                    text: note.text,
                })
                .collect(),
            flags: claim.flags,
            disposition: claim.disposition.map(Into::into),
            replaced_by: claim.replaced_by,
            id: claim.id,
        }
    }
}

/// One event of the chain: the fields that are hashed, in their order, then what binds them.
#[derive(Debug, Serialize)]
pub struct EventRow<'a> {
    #[serde(flatten)]
    pub event: &'a Event,
    pub prev_hash: &'a str,
    pub hash: &'a str,
    /// The text of a note; `null` when there is none, or when it was erased.
    pub note: Option<&'a str>,
}

impl EventRow<'_> {
    /// The names of all fields that one may have, in order; only acts that were asked for at once have a `batch`.
    #[rustfmt::skip]
    pub const COLUMNS: &'static [&'static str] = &[
        "seq", "at", "annotator", "os_user", "host", "program", "act", "subject", "old", "new", "reason",
        "undoes", "seen", "payload_sha256", "batch", "prev_hash", "hash", "note",
    ];
}

#[cfg(test)]
mod tests;
