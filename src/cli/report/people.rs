//! What people ruled on the claims that a comparison sent to them, and what their word does to its gate.
//!
//! It can close the gate and never opens it: the judge's word counts where it is the worse one, for nobody looked at the
//! baseline's claims, or at what the judge found right.

use std::cmp::Reverse;

use serde_json::Value;

use super::super::audit::counted;
use super::super::compare::severe;
use crate::domain::comparison::Status;
use crate::domain::decision::HumanVerdict;
use crate::domain::finding::AuditState;
use crate::domain::ids::{AuditId, ClaimId};
use crate::domain::verdict::Severity;
use crate::report::{Condition, Gate, Report, Says};
use crate::store::{SentClaim, Store, StoreError};

/// Rulings against a claim, the worst first.
const DANGER: [HumanVerdict; 4] = [
    HumanVerdict::Contradicted,
    HumanVerdict::Unsupported,
    HumanVerdict::PartiallySupported,
    HumanVerdict::CannotJudge,
];

/// The claims that a comparison sent to the queue, and what people say of them.
#[derive(Debug)]
pub(in crate::cli) struct People {
    sent: Vec<SentClaim>,
    /// Answers of the candidate that people blocked or returned, in order.
    kept_back: Vec<AuditId>,
}

impl People {
    pub(in crate::cli) fn of(store: &Store, comparison: &str) -> Result<Self, StoreError> {
        let sent = store.claims_of_comparison(comparison)?;
        let all = store.kept_back()?;
        let mut kept_back: Vec<AuditId> = sent.iter().map(|claim| claim.id.audit_id().clone()).collect();
        kept_back.dedup();
        kept_back.retain(|id| all.contains(id));
        Ok(Self { sent, kept_back })
    }

    pub(in crate::cli) fn sent(&self) -> u64 {
        self.sent.len() as u64
    }

    /// Those that people have not decided together.
    pub(in crate::cli) fn undecided(&self) -> Vec<ClaimId> {
        self.sent.iter().filter(|claim| !claim.is_decided).map(|claim| claim.id.clone()).collect()
    }

    /// Puts what they say into the report, and lets it count in the gate.
    pub(in crate::cli) fn tell(&self, report: &mut Report) {
        report.provisional =
            crate::report::comparison::provisional(self.sent(), self.undecided().len() as u64);
        if let Some(against) = self.against() {
            report.sentences.insert(0, format!("People {against}."));
        }
        if let Some(gate) = report.gate.take() {
            let conditions = gate.conditions.into_iter().map(|one| self.counted_in(one, &report.data));
            report.gate = Some(Gate::of(conditions.collect()));
        }
    }

    /// Whether they have decided, and accepted, what was sent to them.
    pub(in crate::cli) fn accepted(&self, provisional: Option<&str>) -> Condition {
        let condition = super::accepted(&self.undecided(), provisional);
        match self.against() {
            Some(against) => Condition::new(condition.asked, Says::No, format!("people {against}")),
            None => condition,
        }
    }

    /// Claims that they ruled against, the worst first.
    fn ruled_against(&self) -> Vec<&SentClaim> {
        let mut against: Vec<&SentClaim> = self.sent.iter().filter(|claim| claim.lacks_support()).collect();
        let mildness = |claim: &SentClaim| DANGER.iter().position(|verdict| claim.rulings.contains(verdict));
        against.sort_by_key(|claim| (Reverse(claim.ruled_severity), mildness(claim)));
        against
    }

    /// What they did, in words: `ruled against 2 claims of the candidate, the worst cmp-1/q1#1: CONTRADICTED CRITICAL`.
    fn against(&self) -> Option<String> {
        let (claims, mut parts) = (self.ruled_against(), Vec::new());
        if let Some(first) = claims.first() {
            let worst = DANGER.iter().find(|verdict| first.rulings.contains(verdict));
            let verdict = worst.map_or(String::new(), |verdict| format!(": {verdict}"));
            let severity = first.ruled_severity.map_or(String::new(), |severity| format!(" {severity}"));
            parts.push(format!(
                "ruled against {} of the candidate, the worst {}{verdict}{severity}",
                counted(claims.len() as u64, "claim"),
                first.id
            ));
        }
        if let Some(first) = self.kept_back.first() {
            let answers = counted(self.kept_back.len() as u64, "answer");
            parts.push(format!("blocked or returned {answers} of the candidate, {first} first"));
        }
        (!parts.is_empty()).then(|| parts.join(", and "))
    }

    /// The condition with the claims that count by their word and did not by the judge's.
    fn counted_in(&self, condition: Condition, data: &Value) -> Condition {
        let Some((least, most)) = severe(&condition.asked) else { return condition };
        let judged = wrong(data, least);
        let is_judged = |claim: &SentClaim| {
            claim.stored.as_ref().is_some_and(|(_, text)| judged.contains(&(&*claim.item, &**text)))
        };
        let mut more = self.ruled_against();
        more.retain(|claim| claim.ruled_severity >= Some(least) && !is_judged(claim));
        let Some(first) = more.first() else { return condition };
        let says = if (judged.len() + more.len()) as u64 > most { Says::No } else { condition.says };
        let sentence =
            format!("{}; people ruled so on {} more, {} first", condition.sentence, more.len(), first.id);
        Condition::new(condition.asked, says, sentence)
    }
}

/// The candidate's claims, each with its item, that the judge found wrong and at least so severe; those of items that
/// are left out too.
fn wrong(data: &Value, least: Severity) -> Vec<(&str, &str)> {
    let compared = list(&data["items"]).map(|item| (item, &item["candidate_analysis"]["claims"]));
    let left_out = list(&data["left_out"]).map(|item| (item, &item["candidate_wrong"]));
    let claims =
        compared.chain(left_out).flat_map(|(item, claims)| list(claims).map(move |claim| (item, claim)));
    let is_wrong =
        |status: &str| [Status::Unsupported, Status::Contradicted].iter().any(|it| it.label() == status);
    let found = claims.filter_map(|(item, claim)| {
        let label = |field: &str| claim[field].as_str();
        let severity: Severity = label("severity")?.parse().ok()?;
        let counts = is_wrong(label("status")?) && label("state")? == AuditState::Judged.label();
        (counts && severity >= least).then_some((item["id"].as_str()?, label("claim_text")?))
    });
    found.collect()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
