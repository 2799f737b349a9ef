//! What of a comparison goes into the store: itself, and the claims of the candidate that a person should see.

use serde_json::json;

use super::super::Context;
use super::super::audit::counted;
use super::super::report::People;
use super::asking::Judged as Item;
use crate::domain::comparison::{ComparedClaim, Status};
use crate::domain::event::sha256_hex;
use crate::domain::finding::{AuditState, Finding, JudgeIdentity, Judged, Outcome, RunResult};
use crate::domain::record::RiskLevel;
use crate::domain::verdict::{NoVerdict, Probability, Severity, Verdict};
use crate::format::native::parse;
use crate::report::comparison::Compared;
use crate::report::{Report, Says};
use crate::store::{ComparedRecord, Durability, NewComparison, NewRecord};

/// A comparison as it stands in the store.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) name: String,
    /// The claims that it sent to the queue.
    pub(super) people: People,
}

impl Kept {
    /// What became of it, in words.
    pub(super) fn sentence(&self) -> String {
        match self.people.sent() {
            0 => format!("kept as {}", self.name),
            sent => format!(
                "kept as {}: {} for the review queue, {} undecided",
                self.name,
                counted(sent, "claim"),
                self.people.undecided().len()
            ),
        }
    }
}

/// Keeps the comparison and sends the claims of the candidate that are wrong, or that nobody can judge, where much is at
/// stake to the queue. Done again, it does nothing twice.
pub(super) fn keep(
    compared: &Compared<'_>,
    report: &mut Report,
    judged: &[&Item],
    context: &mut Context,
) -> anyhow::Result<Kept> {
    let grave: Vec<(&Item, Vec<&ComparedClaim>)> = judged
        .iter()
        .map(|one| {
            let claims = one.comparison.candidate.claims.iter();
            (*one, claims.filter(|claim| is_grave(claim, one)).collect::<Vec<_>>())
        })
        .filter(|(_, claims)| !claims.is_empty())
        .collect();
    let sent: Vec<(String, usize)> =
        grave.iter().map(|(one, claims)| (one.rivals.id.clone(), claims.len())).collect();
    let whole = std::mem::replace(&mut report.data, compared.kept_data());
    let brief = serde_json::to_string(report);
    report.data = whole;
    let rates = &compared.versions.rates;
    let new = NewComparison {
        judge: compared.judge,
        baseline: compared.baseline,
        candidate: compared.candidate,
        data_sha256: compared.data_sha256,
        items: (compared.items.len() + compared.left_out.len()) as u64,
        compared: compared.versions.items,
        baseline_rate: rates.baseline.value(),
        candidate_rate: rates.candidate.value(),
        rate_change: rates.change.value(),
        claims_sha256: &claims_sha256(judged),
        sent: &sent,
        says: report.gate.as_ref().map_or(Says::Yes, |gate| gate.says).label(),
        told: &json!({"gate": report.gate, "facts": report.facts}).to_string(),
        report: &brief?,
    };
    let mut store = context.open_or_create(Durability::Normal)?;
    let now = context.clock.now();
    let name = store.keep_comparison(&new, now)?;
    let mut records = Vec::with_capacity(grave.len());
    for (one, claims) in &grave {
        let record = record(&name, one, claims, compared.candidate).map_err(anyhow::Error::msg)?;
        records.push(ComparedRecord { new: record, result: run_result(compared.judge, one, claims) });
    }
    store.keep_compared(&records, &context.config.policy(), now)?;
    let people = People::of(&store, &name)?;
    Ok(Kept { name, people })
}

/// SHA-256 over what the judge said of every claim of both sides, whatever the order of the items.
fn claims_sha256(judged: &[&Item]) -> String {
    let mut items: Vec<String> = judged
        .iter()
        .map(|one| {
            let sides = [("baseline", &one.comparison.baseline), ("candidate", &one.comparison.candidate)];
            let claims = sides.into_iter().flat_map(|(side, analysis)| {
                analysis.claims.iter().flat_map(move |claim| {
                    let status = claim.status.map_or("", Status::label);
                    let severity = claim.severity.map_or("", Severity::label);
                    [side, &claim.claim_id, &claim.claim_text, status, claim.state.label(), severity]
                })
            });
            sha256_hex(std::iter::once(one.rivals.id.as_str()).chain(claims))
        })
        .collect();
    items.sort_unstable();
    sha256_hex(items.iter().map(String::as_str))
}

/// Whether a person should see the claim: it is wrong, or nobody can say, and it or its record is of HIGH risk or more.
fn is_grave(claim: &ComparedClaim, one: &Item) -> bool {
    let is_open = claim.counted().is_none_or(Status::is_wrong);
    is_open && (claim.severity >= Some(Severity::High) || one.rivals.risk_level >= Some(RiskLevel::High))
}

/// The candidate's answer with the claims as they were judged, as a record that could have been imported.
fn record(name: &str, one: &Item, grave: &[&ComparedClaim], candidate: &str) -> Result<NewRecord, String> {
    let rivals = &one.rivals;
    let claims: Vec<_> = grave
        .iter()
        .map(|claim| json!({"claim_id": claim.claim_id, "claim_text": claim.claim_text}))
        .collect();
    let line = json!({
        "audit_id": format!("{name}/{}", rivals.id),
        "generated_answer": rivals.candidate,
        "evidence_passages": rivals.documents,
        "question": rivals.question,
        "risk_level": rivals.risk_level,
        "claims": claims,
        "metadata": {"comparison": name, "item": rivals.id, "model_version": candidate},
    });
    parse(line.to_string().as_bytes(), format!("comparison {name}")).map(|parsed| parsed.record)
}

/// What the judge said of the claims, as an audit of that record.
fn run_result(judge: &JudgeIdentity, one: &Item, grave: &[&ComparedClaim]) -> RunResult {
    let finding = |claim: &&ComparedClaim| Finding {
        claim_text: claim.claim_text.clone(),
        given_id: Some(claim.claim_id.clone()),
        answer_span: claim.answer_span,
        outcome: outcome(claim),
    };
    RunResult {
        identity: judge.clone(),
        instrument: "comparison",
        findings: grave.iter().map(finding).collect(),
        no_claims: Vec::new(),
        exchanges: one.comparison.exchanges.clone(),
    }
}

/// What the judge said of a claim, in the words of an audit.
fn outcome(claim: &ComparedClaim) -> Outcome {
    let not_judged = |state| Outcome::NotJudged { state, reason: claim.remark.clone() };
    let verdict = match (claim.state, claim.status) {
        (AuditState::NoVerdict(state), _) => return not_judged(state),
        (_, Some(Status::Supported)) => Verdict::FullySupported,
        (_, Some(Status::Unsupported)) => Verdict::Unsupported,
        (_, Some(Status::Contradicted)) => Verdict::Contradicted,
        // An audit has no such verdict.
        (_, Some(Status::OutOfScope) | None) => return not_judged(NoVerdict::NotChecked),
    };
    // Where a judge does not say how sure it is, it may as well be wrong as right.
    let confidence = claim.confidence.unwrap_or_else(|| Probability::clamped(0.5));
    let unsure = if claim.confidence.is_none() {
        " (The judge does not say how sure it is: 0.50 stands for that.)"
    } else {
        ""
    };
    let judged = Judged {
        verdict,
        confidence,
        severity: claim.severity,
        hallucination_type: claim.hallucination_type,
        citations: claim.citation.iter().cloned().collect(),
        rationale: format!("{}{unsure}", claim.remark),
        support: None,
    };
    match claim.state {
        AuditState::Ungrounded => Outcome::Ungrounded(judged),
        AuditState::Judged | AuditState::NoVerdict(_) => Outcome::Judged(judged),
    }
}
