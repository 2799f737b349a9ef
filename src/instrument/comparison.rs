//! Comparison: two answers to one question and the documents in, the claims of both with what the documents say of
//! them, and what changes, out.

use super::faithfulness;
use super::grounds::Grounds;
use crate::domain::comparison::{ComparedClaim, Comparison, Rivals, Status};
use crate::domain::finding::{AuditState, Finding, Outcome, RunResult};
use crate::domain::ids::{AuditId, ExchangeKey};
use crate::domain::record::Record;
use crate::domain::severity;
use crate::domain::verdict::{Citation, NoVerdict, Role, Severity, Verdict};
use crate::judge::{FaithfulnessSettings, Judge, JudgeFailure};

/// Compares the answers of `rivals`.
///
/// A judge that compares in one look is asked to, and every citation is located again: SUPPORTED and CONTRADICTED
/// without one that stands in its document count in no rate. Any other judge, and any answers or documents too long
/// for one look, are audited for faithfulness one by one; a claim of which only a part is borne out is then UNSUPPORTED.
///
/// # Errors
/// Only when the judge itself fails.
pub async fn compare(
    judge: &dyn Judge,
    rivals: &Rivals,
    settings: &FaithfulnessSettings,
) -> Result<Comparison, JudgeFailure> {
    let sides = [side(rivals, &rivals.baseline), side(rivals, &rivals.candidate)];
    let texts = rivals.documents.iter().map(|document| document.content.as_str());
    let is_worth_asking =
        texts.clone().any(has_content) && sides.iter().all(|side| has_content(&side.answer));
    if is_worth_asking && let Some(reply) = judge.comparison(rivals, settings).await? {
        let [baseline, candidate] = &sides;
        return Ok(Comparison::of(
            grounded(reply.baseline, baseline),
            grounded(reply.candidate, candidate),
            Some(reply.arithmetic),
            reply.exchanges,
        ));
    }
    let mut exchanges: Vec<ExchangeKey> = Vec::new();
    let mut claims = Vec::new();
    for (record, mark) in sides.iter().zip(["b", "c"]) {
        let audited = faithfulness::audit(judge, record, settings).await?;
        exchanges.extend(&audited.exchanges);
        claims.push(of_audit(audited, mark));
    }
    let candidate = claims.pop().unwrap_or_default();
    let baseline = claims.pop().unwrap_or_default();
    Ok(Comparison::of(baseline, candidate, None, exchanges))
}

fn has_content(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// One of the answers as a record of its own.
fn side(rivals: &Rivals, answer: &str) -> Record {
    Record {
        audit_id: AuditId::new(&*rivals.id),
        answer: answer.to_owned(),
        passages: rivals.documents.clone(),
        question: rivals.question.clone(),
        risk_level: rivals.risk_level,
        given_claims: Vec::new(),
        metadata: serde_json::Map::new(),
    }
}

/// The claims with their citations located, their gaps filled, and their labels only as good as their grounds.
fn grounded(claims: Vec<ComparedClaim>, side: &Record) -> Vec<ComparedClaim> {
    let grounds = Grounds::new(&side.passages);
    claims
        .into_iter()
        .map(|mut claim| {
            claim.citation = claim.citation.map(|citation| grounds.located(&citation));
            let Some(status) = claim.status else { return claim };
            let needs_ground = matches!(status, Status::Supported | Status::Contradicted);
            if needs_ground && !claim.citation.as_ref().is_some_and(Citation::is_grounded) {
                claim.state = AuditState::Ungrounded;
            }
            let verdict = match status {
                Status::Supported => Some(Verdict::FullySupported),
                Status::Unsupported => Some(Verdict::Unsupported),
                Status::Contradicted => Some(Verdict::Contradicted),
                Status::OutOfScope => None,
            };
            let Some(verdict) = verdict else {
                claim.hallucination_type = None;
                claim.severity = Some(Severity::Low);
                return claim;
            };
            if verdict == Verdict::FullySupported {
                claim.hallucination_type = None;
                claim.severity = None;
            } else {
                claim.hallucination_type =
                    claim.hallucination_type.or_else(|| severity::hallucination_type(verdict));
                claim.severity = claim.severity.or_else(|| {
                    let cited = claim.citation.as_slice();
                    let stakes = faithfulness::weigh(cited, &claim.claim_text, side, &grounds);
                    severity::severity(verdict, stakes)
                });
            }
            claim
        })
        .collect()
}

/// The claims of an answer that was audited by itself.
fn of_audit(audited: RunResult, mark: &str) -> Vec<ComparedClaim> {
    let no_claims = AuditState::NoVerdict(NoVerdict::NoClaims);
    let findings = audited.findings.into_iter().filter(|finding| finding.outcome.state() != no_claims);
    findings.enumerate().map(|(at, finding)| of_finding(finding, format!("{mark}{}", at + 1))).collect()
}

fn of_finding(finding: Finding, claim_id: String) -> ComparedClaim {
    let state = finding.outcome.state();
    let claim_text = finding.claim_text;
    match finding.outcome {
        Outcome::NotJudged { reason, .. } => ComparedClaim {
            claim_id,
            claim_text,
            status: None,
            state,
            hallucination_type: None,
            severity: None,
            citation: None,
            remark: reason,
        },
        Outcome::Judged(judged) | Outcome::Ungrounded(judged) => {
            let bearing = |citation: &&Citation| citation.role != Role::Closest;
            ComparedClaim {
                claim_id,
                claim_text,
                status: Some(match judged.verdict {
                    Verdict::FullySupported => Status::Supported,
                    Verdict::PartiallySupported | Verdict::Unsupported => Status::Unsupported,
                    Verdict::Contradicted => Status::Contradicted,
                }),
                state,
                hallucination_type: judged.hallucination_type,
                severity: judged.severity,
                citation: judged
                    .citations
                    .iter()
                    .filter(bearing)
                    .max_by_key(|citation| citation.is_grounded())
                    .cloned(),
                remark: judged.rationale,
            }
        }
    }
}

#[cfg(test)]
#[path = "comparison_tests.rs"]
mod tests;
