//! Comparison: two answers to one question and the documents in, the claims of both with what the documents say of
//! them, and what changes, out.

use super::check::{Check, Said};
use super::faithfulness;
use super::grounds::has_content;
use crate::domain::comparison::{ComparedClaim, Comparison, Rivals, Status};
use crate::domain::finding::{AuditState, Finding, Outcome, RunResult};
use crate::domain::ids::{AuditId, ExchangeKey};
use crate::domain::record::Record;
use crate::domain::verdict::{Citation, NoVerdict, Role, Severity, Verdict};
use crate::judge::{Compared, FaithfulnessSettings, Judge, JudgeFailure};

/// Compares the answers of `rivals`.
///
/// A judge that compares in one look is asked to, and what it says is checked as an audit's findings are: SUPPORTED and
/// CONTRADICTED without words that stand in the document and bear the label, and claims that do not say what their
/// answer says, count in no rate. Any other judge, and any answers or documents too long
/// for one look, are audited for faithfulness one by one; a claim of which only a part is borne out is then UNSUPPORTED.
///
/// # Errors
/// Only when the judge itself fails.
pub async fn compare(
    judge: &dyn Judge,
    rivals: &Rivals,
    settings: &FaithfulnessSettings,
) -> Result<Comparison, JudgeFailure> {
    let looked = if is_worth_asking(rivals) {
        judge.comparison(rivals, settings).await?
    } else {
        Compared::Apart(Vec::new())
    };
    told(judge, rivals, settings, looked).await
}

/// Compares the answers of each of `items`, as [`compare`] does, and asks about several of them at once where the judge
/// takes them. An answer for each, in their order.
pub async fn compare_each(
    judge: &dyn Judge,
    items: &[&Rivals],
    settings: &FaithfulnessSettings,
) -> Vec<Result<Comparison, JudgeFailure>> {
    let asked: Vec<&Rivals> = items.iter().copied().filter(|rivals| is_worth_asking(rivals)).collect();
    let mut looked = judge.comparisons(&asked, settings).await.into_iter();
    let mut each = Vec::with_capacity(items.len());
    for rivals in items {
        let one = if is_worth_asking(rivals) { looked.next() } else { None };
        each.push(match one {
            Some(Err(failure)) => Err(failure),
            Some(Ok(looked)) => told(judge, rivals, settings, looked).await,
            None => told(judge, rivals, settings, Compared::Apart(Vec::new())).await,
        });
    }
    each
}

/// Whether there is anything to compare.
fn is_worth_asking(rivals: &Rivals) -> bool {
    let mut texts = rivals.documents.iter().map(|document| document.content.as_str());
    texts.any(has_content) && has_content(&rivals.baseline) && has_content(&rivals.candidate)
}

/// What comes of a look at both answers, or where there was none, of one at each.
async fn told(
    judge: &dyn Judge,
    rivals: &Rivals,
    settings: &FaithfulnessSettings,
    looked: Compared,
) -> Result<Comparison, JudgeFailure> {
    let sides = [side(rivals, &rivals.baseline), side(rivals, &rivals.candidate)];
    let mut exchanges: Vec<ExchangeKey> = match looked {
        Compared::AtOnce(reply) => {
            let [baseline, candidate] = &sides;
            return Ok(Comparison::of(
                checked(reply.baseline, baseline),
                checked(reply.candidate, candidate),
                reply.arithmetic,
                reply.exchanges,
            ));
        }
        Compared::Apart(tried) => tried,
    };
    let mut claims = Vec::new();
    for (record, mark) in sides.iter().zip(["b", "c"]) {
        match faithfulness::audit(judge, record, settings).await {
            Ok(audited) => {
                exchanges.extend(&audited.exchanges);
                claims.push(of_audit(audited, mark));
            }
            Err(failure) => {
                exchanges.extend(&failure.exchanges);
                return Err(JudgeFailure { exchanges, ..failure });
            }
        }
    }
    let candidate = claims.pop().unwrap_or_default();
    let baseline = claims.pop().unwrap_or_default();
    Ok(Comparison::of(baseline, candidate, None, exchanges))
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
fn checked(claims: Vec<ComparedClaim>, side: &Record) -> Vec<ComparedClaim> {
    let check = Check::new(side);
    claims.into_iter().map(|claim| checked_claim(claim, &check)).collect()
}

fn checked_claim(mut claim: ComparedClaim, check: &Check<'_>) -> ComparedClaim {
    let Some(status) = claim.status else { return claim };
    let verdict = match status {
        Status::Supported => Some(Verdict::FullySupported),
        Status::Unsupported => Some(Verdict::Unsupported),
        Status::Contradicted => Some(Verdict::Contradicted),
        Status::OutOfScope => None,
    };
    let checked = check.checked(Said {
        claim: &claim.claim_text,
        span: claim.answer_span,
        citations: claim.citation.as_slice(),
        verdict,
        rationale: claim.remark,
    });
    if !checked.is_grounded {
        claim.state = AuditState::Ungrounded;
    }
    let said = (claim.hallucination_type, claim.severity);
    (claim.hallucination_type, claim.severity) = match verdict {
        Some(verdict) => check.weighed(verdict, said, &claim.claim_text, &checked.citations),
        None => (None, Some(Severity::Low)),
    };
    claim.remark = checked.rationale;
    claim.citation = checked.citations.into_iter().next();
    claim
}

/// The claims of an answer that was audited by itself.
fn of_audit(audited: RunResult, mark: &str) -> Vec<ComparedClaim> {
    let no_claims = AuditState::NoVerdict(NoVerdict::NoClaims);
    let findings = audited.findings.into_iter().filter(|finding| finding.outcome.state() != no_claims);
    findings.enumerate().map(|(at, finding)| of_finding(finding, format!("{mark}{}", at + 1))).collect()
}

fn of_finding(finding: Finding, claim_id: String) -> ComparedClaim {
    let state = finding.outcome.state();
    let (claim_text, answer_span) = (finding.claim_text, finding.answer_span);
    match finding.outcome {
        Outcome::NotJudged { reason, .. } => ComparedClaim {
            claim_id,
            claim_text,
            answer_span,
            status: None,
            state,
            hallucination_type: None,
            severity: None,
            confidence: None,
            citation: None,
            remark: reason,
        },
        Outcome::Judged(judged) | Outcome::Ungrounded(judged) => {
            let bearing = |citation: &&Citation| citation.role != Role::Closest;
            ComparedClaim {
                claim_id,
                claim_text,
                answer_span,
                status: Some(match judged.verdict {
                    Verdict::FullySupported => Status::Supported,
                    Verdict::PartiallySupported | Verdict::Unsupported => Status::Unsupported,
                    Verdict::Contradicted => Status::Contradicted,
                }),
                state,
                hallucination_type: judged.hallucination_type,
                severity: judged.severity,
                confidence: Some(judged.confidence),
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
