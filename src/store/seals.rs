//! Seals: one SHA-256 over everything that belongs to a record, a run, an exchange, a calibration, or a claim with its verdict,
//! so that a change to any column of it shows.
//!
//! Each is the hash of a compact JSON text with the fields in the order in which they stand here. They
//! are made when the rows are written and again by `verify`.

use serde::Serialize;

use super::Fallible;
use super::offsets::{Place, Texts};
use super::records::to_json;
use crate::domain::event::sha256_hex;
use crate::domain::finding::{Finding, JudgeIdentity, Outcome};
use crate::domain::verdict::{HallucinationType, Severity};

/// What came in: `record.sha256`.
#[derive(Debug, Serialize)]
pub(super) struct RecordSeal<'a> {
    pub(super) audit_id: &'a str,
    pub(super) risk_level: Option<&'a str>,
    pub(super) source: &'a str,
    pub(super) imported_at: &'a str,
    pub(super) raw_sha256: &'a str,
    pub(super) answer_sha256: &'a str,
    pub(super) question: Option<&'a str>,
    /// JSON, as it stands in the column.
    pub(super) given_claims: &'a str,
    pub(super) metadata: &'a str,
    pub(super) passages: Vec<PassageSeal<'a>>,
}

#[derive(Debug, Serialize)]
pub(super) struct PassageSeal<'a> {
    pub(super) n: i64,
    pub(super) passage_id: &'a str,
    pub(super) content_sha256: &'a str,
    pub(super) metadata: &'a str,
}

impl RecordSeal<'_> {
    pub(super) fn sha256(&self) -> String {
        sha256_hex([to_json(self).as_str()])
    }
}

/// A claim and its verdict, as a person sees them: `verdict.sha256`, which every event on it names.
#[derive(Debug, Serialize)]
pub(super) struct VerdictSeal<'a> {
    pub(super) claim_id: &'a str,
    pub(super) claim_text: &'a str,
    pub(super) given_id: Option<&'a str>,
    pub(super) answer: Option<Place>,
    pub(super) judge: &'a str,
    pub(super) model: &'a str,
    pub(super) prompt_version: &'a str,
    pub(super) prompt_sha256: &'a str,
    pub(super) settings: &'a str,
    pub(super) state: &'a str,
    pub(super) verdict: Option<&'a str>,
    pub(super) severity: Option<&'a str>,
    pub(super) hallucination_type: Option<&'a str>,
    pub(super) confidence: Option<f64>,
    pub(super) support: Option<i64>,
    pub(super) rationale: &'a str,
    pub(super) citations: Vec<CitationSeal>,
}

#[derive(Debug, Serialize)]
pub(super) struct CitationSeal {
    pub(super) n: i64,
    pub(super) passage_id: String,
    pub(super) place: Option<Place>,
    pub(super) quote: String,
    pub(super) role: String,
    #[serde(rename = "match")]
    pub(super) level: String,
}

impl<'a> VerdictSeal<'a> {
    /// `settings` is the JSON text of the judge's settings. Refused when a span lies outside its text.
    pub(super) fn of(
        claim_id: &'a str,
        finding: &'a Finding,
        identity: &'a JudgeIdentity,
        settings: &'a str,
        texts: &mut Texts<'_>,
    ) -> Fallible<Self> {
        let judged = finding.outcome.judged();
        let mut citations = Vec::new();
        for citation in judged.map(|judged| judged.citations.as_slice()).unwrap_or_default() {
            let place =
                citation.span.map(|span| texts.in_passage(citation.passage_id.as_str(), span)).transpose()?;
            citations.push(CitationSeal {
                n: citations.len() as i64 + 1,
                passage_id: citation.passage_id.as_str().into(),
                place,
                quote: citation.quote.as_str().into(),
                role: citation.role.label().into(),
                level: citation.level.label().into(),
            });
        }
        Ok(Self {
            claim_id,
            claim_text: &finding.claim_text,
            given_id: finding.given_id.as_deref(),
            answer: finding.answer_span.map(|span| texts.in_answer(span)).transpose()?,
            judge: &identity.judge,
            model: &identity.model,
            prompt_version: &identity.prompt_version,
            prompt_sha256: &identity.prompt_sha256,
            settings,
            state: finding.outcome.state().label(),
            verdict: judged.map(|judged| judged.verdict.label()),
            severity: judged.and_then(|judged| judged.severity).map(Severity::label),
            hallucination_type: judged
                .and_then(|judged| judged.hallucination_type)
                .map(HallucinationType::label),
            // SQLite does not tell −0 from 0.
            confidence: judged.map(|judged| judged.confidence.get() + 0.0),
            support: judged.and_then(|judged| judged.support).map(|score| score.get().into()),
            rationale: match &finding.outcome {
                Outcome::NotJudged { reason, .. } => reason,
                Outcome::Judged(judged) | Outcome::Ungrounded(judged) => &judged.rationale,
            },
            citations,
        })
    }

    pub(super) fn sha256(&self) -> String {
        sha256_hex([to_json(self).as_str()])
    }
}

/// A run with all that it brought: `run.sha256`.
#[derive(Debug, Serialize)]
pub(super) struct RunSeal<'a> {
    pub(super) audit_id: &'a str,
    pub(super) run: i64,
    pub(super) judge: &'a str,
    pub(super) model: &'a str,
    pub(super) prompt_version: &'a str,
    pub(super) prompt_sha256: &'a str,
    pub(super) settings: &'a str,
    pub(super) instrument: &'a str,
    pub(super) started_at: &'a str,
    pub(super) finished_at: &'a str,
    pub(super) claims: Vec<ClaimSeal>,
    pub(super) no_claims: Vec<NoClaimSeal>,
    pub(super) exchanges: Vec<RunExchangeSeal>,
}

/// An exchange that a run rests on.
#[derive(Debug, Clone, Serialize)]
pub(super) struct RunExchangeSeal {
    pub(super) n: i64,
    /// The exchange's own.
    pub(super) sha256: String,
}

#[derive(Debug, Serialize)]
pub(super) struct ClaimSeal {
    pub(super) n: u32,
    /// The claim's and its verdict's own.
    pub(super) sha256: String,
    /// Why it is in the queue, as it stands in the column; `None` when it is not.
    pub(super) why: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct NoClaimSeal {
    pub(super) n: i64,
    pub(super) answer: Place,
    pub(super) reason: String,
}

impl RunSeal<'_> {
    pub(super) fn sha256(&self) -> String {
        sha256_hex([to_json(self).as_str()])
    }
}

/// One exchange with a model: `exchange.sha256`.
#[derive(Debug, Serialize)]
pub(super) struct ExchangeSeal<'a> {
    pub(super) sent_at: &'a str,
    pub(super) audit_id: Option<&'a str>,
    pub(super) instrument: &'a str,
    pub(super) purpose: &'a str,
    /// The exchange that it mends.
    pub(super) mends: Option<i64>,
    pub(super) part: i64,
    pub(super) attempt: i64,
    pub(super) judge: &'a str,
    pub(super) endpoint: &'a str,
    pub(super) prompt_version: &'a str,
    pub(super) prompt_sha256: &'a str,
    pub(super) question_sha256: &'a str,
    pub(super) request_sha256: &'a str,
    pub(super) model_asked: &'a str,
    pub(super) model_answered: Option<&'a str>,
    /// JSON, as it stands in the column.
    pub(super) parameters: &'a str,
    pub(super) status: Option<i64>,
    pub(super) request_id: Option<&'a str>,
    pub(super) latency_us: i64,
    /// Input, cached, output, reasoning.
    pub(super) tokens: [Option<i64>; 4],
    pub(super) cost_micros: Option<i64>,
    pub(super) ending: &'a str,
    pub(super) detail: &'a str,
    pub(super) raw_reply: &'a str,
}

impl ExchangeSeal<'_> {
    pub(super) fn sha256(&self) -> String {
        sha256_hex([to_json(self).as_str()])
    }
}

/// One measurement of a judge against people: `calibration.sha256`.
#[derive(Debug, Serialize)]
pub(super) struct CalibrationSeal<'a> {
    pub(super) made_at: &'a str,
    pub(super) instrument: &'a str,
    pub(super) judge: &'a str,
    pub(super) model: &'a str,
    pub(super) prompt_version: &'a str,
    pub(super) prompt_sha256: &'a str,
    pub(super) settings: &'a str,
    pub(super) data_name: &'a str,
    pub(super) data_sha256: &'a str,
    pub(super) retrieval: &'a str,
    pub(super) state: &'a str,
    pub(super) items: i64,
    pub(super) asked: i64,
    pub(super) trusts_labels: bool,
    pub(super) kappa: Option<f64>,
    pub(super) report: &'a str,
}

impl CalibrationSeal<'_> {
    pub(super) fn sha256(&self) -> String {
        sha256_hex([to_json(self).as_str()])
    }
}

/// A comparison of two versions: `comparison.sha256`.
#[derive(Debug, Serialize)]
pub(super) struct ComparisonSeal<'a> {
    pub(super) made_at: &'a str,
    pub(super) judge: &'a str,
    pub(super) model: &'a str,
    pub(super) prompt_version: &'a str,
    pub(super) prompt_sha256: &'a str,
    pub(super) baseline: &'a str,
    pub(super) candidate: &'a str,
    pub(super) data_sha256: &'a str,
    pub(super) items: i64,
    pub(super) compared: i64,
    /// Baseline, candidate, change.
    pub(super) rates: [Option<f64>; 3],
    pub(super) claims_sha256: &'a str,
    pub(super) sent: &'a str,
    pub(super) report: &'a str,
}

impl ComparisonSeal<'_> {
    pub(super) fn sha256(&self) -> String {
        sha256_hex([to_json(self).as_str()])
    }
}

/// What a gate said of a comparison: `comparison_gate.sha256`.
#[derive(Debug, Serialize)]
pub(super) struct GateSeal<'a> {
    /// The comparison's own seal.
    pub(super) comparison: &'a str,
    pub(super) n: i64,
    pub(super) made_at: &'a str,
    pub(super) says: &'a str,
    pub(super) told: &'a str,
}

impl GateSeal<'_> {
    pub(super) fn sha256(&self) -> String {
        sha256_hex([to_json(self).as_str()])
    }
}
