//! Two answers to one question, compared by what the same documents say of their claims.
//!
//! All counts and rates are computed here from the claims, whatever a judge says they are. A claim counts once; one
//! without a verdict, or whose quotation stands nowhere, counts in no rate.

use std::collections::HashMap;
use std::fmt::Write;

use serde::Serialize;
use serde_json::{Value, json};

use super::finding::AuditState;
use super::ids::ExchangeKey;
use super::record::{Passage, RiskLevel};
use super::span::Span;
use super::verdict::{Citation, HallucinationType, NoVerdict, Probability, Severity, labels};

labels! {
    /// What the documents say of a claim.
    Status: "status" {
        Supported = "SUPPORTED" | "FULLY_SUPPORTED",
        /// The documents do not bear it out, or not all of it.
        Unsupported = "UNSUPPORTED" | "NOT_SUPPORTED",
        Contradicted = "CONTRADICTED" | "REFUTED",
        /// About something that the documents do not set out to cover.
        OutOfScope = "OUT_OF_SCOPE",
    }
}

impl Status {
    /// Whether the claim is a hallucination.
    pub const fn is_wrong(self) -> bool {
        matches!(self, Self::Unsupported | Self::Contradicted)
    }
}

/// What stands in `source_citation` where nothing is quoted.
pub const NO_EVIDENCE: &str = "No supporting evidence found.";

/// The share of an answer's claims that must have a verdict before its rate is held against another's.
pub const ENOUGH_JUDGED: f64 = 0.5;

/// A baseline answer and a candidate that may replace it.
#[derive(Debug, Clone, PartialEq)]
pub struct Rivals {
    pub id: String,
    pub question: Option<String>,
    pub documents: Vec<Passage>,
    pub baseline: String,
    pub candidate: String,
    pub risk_level: Option<RiskLevel>,
}

/// One claim of one of the answers.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedClaim {
    pub claim_id: String,
    pub claim_text: String,
    /// Where it stands in its answer; `None` where the judge does not say.
    pub answer_span: Option<Span>,
    /// The label, grounded or not; `None` where there is no verdict.
    pub status: Option<Status>,
    /// Only `Judged` counts.
    pub state: AuditState,
    pub hallucination_type: Option<HallucinationType>,
    pub severity: Option<Severity>,
    /// Probability that the status is right, where the judge gives one.
    pub confidence: Option<Probability>,
    /// The words that decide; `None` where there are none.
    pub citation: Option<Citation>,
    /// Why there is no verdict, or what else a person should know; empty when nothing.
    pub remark: String,
}

impl ComparedClaim {
    /// The status that rates count.
    pub fn counted(&self) -> Option<Status> {
        self.status.filter(|_| self.state == AuditState::Judged)
    }

    /// As it is written down.
    pub fn to_json(&self) -> Value {
        let citation = self.citation.as_ref();
        json!({
            "claim_id": self.claim_id,
            "claim_text": self.claim_text,
            "status": self.status,
            "state": self.state.label(),
            "hallucination_type": self.hallucination_type,
            "source_document": citation.map(|citation| citation.passage_id.as_str()),
            "source_citation": citation.map_or(NO_EVIDENCE, |citation| citation.quote.as_str()),
            "match": citation.map(|citation| citation.level),
            "severity": self.severity,
            "confidence": self.confidence,
            "remark": self.remark,
        })
    }
}

/// One answer's claims and what they come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// Each claim once.
    pub claims: Vec<ComparedClaim>,
    pub supported: usize,
    pub unsupported: usize,
    pub contradicted: usize,
    pub out_of_scope: usize,
}

impl Analysis {
    /// Counts `claims`. Of claims with the same words the one that is worst off stays.
    pub fn of(claims: Vec<ComparedClaim>) -> Self {
        let mut each: Vec<ComparedClaim> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for claim in claims {
            let words = claim.claim_text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
            match places.get(&words) {
                None => {
                    places.insert(words, each.len());
                    each.push(claim);
                }
                Some(at) if badness(&claim) > badness(&each[*at]) => each[*at] = claim,
                Some(_) => {}
            }
        }
        let count = |status| each.iter().filter(|claim| claim.counted() == Some(status)).count();
        Self {
            supported: count(Status::Supported),
            unsupported: count(Status::Unsupported),
            contradicted: count(Status::Contradicted),
            out_of_scope: count(Status::OutOfScope),
            claims: each,
        }
    }

    /// Claims with a verdict.
    pub fn judged(&self) -> usize {
        self.supported + self.unsupported + self.contradicted + self.out_of_scope
    }

    /// (unsupported + contradicted) / claims with a verdict, 0 to 1; `None` when no claim has one.
    pub fn hallucination_rate(&self) -> Option<f64> {
        let judged = self.judged();
        (judged > 0).then(|| (self.unsupported + self.contradicted) as f64 / judged as f64)
    }

    /// Share of the claims that have a verdict, 0 to 1; `None` when there are no claims.
    pub fn coverage(&self) -> Option<f64> {
        (!self.claims.is_empty()).then(|| self.judged() as f64 / self.claims.len() as f64)
    }

    /// Whether so many claims have a verdict that their rate may be held against another.
    fn is_enough(&self) -> bool {
        self.coverage().is_some_and(|coverage| coverage >= ENOUGH_JUDGED)
    }

    /// The claims that are hallucinations.
    pub fn wrong(&self) -> impl Iterator<Item = &ComparedClaim> {
        self.claims.iter().filter(|claim| claim.counted().is_some_and(Status::is_wrong))
    }

    fn wrong_of(&self, severity: Severity) -> usize {
        self.wrong().filter(|claim| claim.severity == Some(severity)).count()
    }

    fn shows(&self, kind: HallucinationType) -> bool {
        self.wrong().any(|claim| claim.hallucination_type == Some(kind))
    }

    /// As it is written down.
    pub fn to_json(&self) -> Value {
        self.with_claims(|_| true)
    }

    /// The same without the claims that the documents bear out: of these the counts tell enough.
    pub fn to_brief_json(&self) -> Value {
        self.with_claims(|claim| claim.counted() != Some(Status::Supported))
    }

    fn with_claims(&self, is_told: impl Fn(&&ComparedClaim) -> bool) -> Value {
        let claims = self.claims.iter().filter(is_told).map(ComparedClaim::to_json).collect();
        let counts = json!({
            "total_claims": self.claims.len(),
            "supported_claims": self.supported,
            "unsupported_claims": self.unsupported,
            "contradicted_claims": self.contradicted,
            "out_of_scope_claims": self.out_of_scope,
            "without_verdict": self.claims.len() - self.judged(),
            "coverage": self.coverage(),
            "hallucination_rate": self.hallucination_rate(),
        });
        with(counts, "claims", claims)
    }
}

/// `object` with one more field, which is moved there: `json!` would copy it, at every level again.
pub(crate) fn with(mut object: Value, name: &str, value: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
    object
}

/// Of the same claim said twice, which one must not be lost: a wrong one, then one that is not judged.
fn badness(claim: &ComparedClaim) -> u8 {
    match claim.counted() {
        Some(Status::Contradicted) => 4,
        Some(Status::Unsupported) => 3,
        None => 2,
        Some(Status::OutOfScope) => 1,
        Some(Status::Supported) => 0,
    }
}

/// What changes with the candidate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    pub baseline_hallucination_rate: Option<f64>,
    pub candidate_hallucination_rate: Option<f64>,
    /// Share of the claims that have a verdict, 0 to 1, of each side; `None` where there are no claims.
    pub baseline_coverage: Option<f64>,
    pub candidate_coverage: Option<f64>,
    /// Candidate minus baseline: plus means worse. `None` when either has no rate, or too few of its claims a verdict
    /// ([`ENOUGH_JUDGED`]).
    pub rate_change: Option<f64>,
    /// Types that only the candidate shows.
    pub new_hallucination_types: Vec<HallucinationType>,
    /// For each severity the wrong claims of the candidate minus those of the baseline.
    pub severity_shift: SeverityShift,
    /// The candidate's rate is higher, or it has more CRITICAL or HIGH wrong claims. `None` when that cannot be
    /// said, because a side has no rate, or one that rests on too few of its claims.
    pub regression_detected: Option<bool>,
    /// What makes the difference, in sentences.
    pub regression_details: String,
}

/// Plus means more wrong claims in the candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub struct SeverityShift {
    pub low: i64,
    pub medium: i64,
    pub high: i64,
    pub critical: i64,
}

impl Summary {
    /// What the two analyses come to.
    pub fn of(baseline: &Analysis, candidate: &Analysis) -> Self {
        let shift = |severity| candidate.wrong_of(severity) as i64 - baseline.wrong_of(severity) as i64;
        let severity_shift = SeverityShift {
            low: shift(Severity::Low),
            medium: shift(Severity::Medium),
            high: shift(Severity::High),
            critical: shift(Severity::Critical),
        };
        let rates = (baseline.hallucination_rate(), candidate.hallucination_rate());
        let is_enough = [baseline, candidate].iter().all(|side| side.is_enough());
        let rate_change = rates.0.zip(rates.1).filter(|_| is_enough).map(|(before, after)| after - before);
        let is_graver = severity_shift.critical > 0 || severity_shift.high > 0;
        let regression_detected = rate_change.map(|change| change > 0.0 || is_graver);
        Self {
            baseline_hallucination_rate: rates.0,
            candidate_hallucination_rate: rates.1,
            baseline_coverage: baseline.coverage(),
            candidate_coverage: candidate.coverage(),
            rate_change,
            new_hallucination_types: HallucinationType::ALL
                .iter()
                .copied()
                .filter(|kind| candidate.shows(*kind) && !baseline.shows(*kind))
                .collect(),
            severity_shift,
            regression_detected,
            regression_details: details(baseline, candidate, rate_change, severity_shift),
        }
    }
}

fn details(
    baseline: &Analysis,
    candidate: &Analysis,
    rate_change: Option<f64>,
    shift: SeverityShift,
) -> String {
    let of = |analysis: &Analysis| {
        format!("{} of {}", analysis.unsupported + analysis.contradicted, analysis.judged())
    };
    let mut text = match rate_change {
        None => {
            let named = [("baseline", baseline), ("candidate", candidate)];
            let Some((side, thin)) = named.into_iter().find(|(_, side)| !side.is_enough()) else {
                return String::new();
            };
            return match (thin.judged(), thin.claims.len()) {
                (0, _) => format!("No claim of the {side} has a verdict, so there is no rate to compare."),
                (judged, all) => format!(
                    "Only {judged} of {all} claims of the {side} have a verdict, too few to compare its rate."
                ),
            };
        }
        Some(change) => {
            let what = match change {
                more if more > 0.0 => "more",
                less if less < 0.0 => "less",
                _ => "as much",
            };
            let (after, before) = (of(candidate), of(baseline));
            format!("The candidate hallucinates {what}: {after} claims, against {before} in the baseline.")
        }
    };
    for (name, change) in [("CRITICAL", shift.critical), ("HIGH", shift.high)] {
        if change > 0 {
            // Writing to a string cannot fail.
            let _ = write!(text, " It has {change} more of severity {name}.");
        }
    }
    text
}

/// A figure that a judge gave and that its own claims do not bear out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mismatch {
    /// `baseline_analysis.total_claims`.
    pub field: String,
    pub judge: Value,
    pub recomputed: Value,
}

/// A comparison, complete.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    pub baseline: Analysis,
    pub candidate: Analysis,
    pub summary: Summary,
    /// The judge's own figures, as it gave them; `None` for a judge that gives none.
    pub judge_arithmetic: Option<Value>,
    /// Where they differ from ours.
    pub mismatches: Vec<Mismatch>,
    /// The exchanges that it rests on, in order.
    pub exchanges: Vec<ExchangeKey>,
}

/// Why a comparison counts in no rate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Whether something failed.
    pub failed: bool,
    /// In words, without a full stop.
    pub reason: String,
}

/// Rates that differ by less were rounded.
const ROUNDED: f64 = 0.005;

impl Comparison {
    /// Computes everything from the claims and holds the judge's own figures against it.
    pub fn of(
        baseline: Vec<ComparedClaim>,
        candidate: Vec<ComparedClaim>,
        judge_arithmetic: Option<Value>,
        exchanges: Vec<ExchangeKey>,
    ) -> Self {
        let (baseline, candidate) = (Analysis::of(baseline), Analysis::of(candidate));
        let summary = Summary::of(&baseline, &candidate);
        let mut done =
            Self { baseline, candidate, summary, judge_arithmetic, mismatches: Vec::new(), exchanges };
        if let Some(said) = &done.judge_arithmetic {
            let mut found = Vec::new();
            mismatches("", said, &done.figures(), &mut found);
            done.mismatches = found;
        }
        done
    }

    /// Why it counts in no rate; `None` where it counts.
    pub fn left_out(&self) -> Option<LeftOut> {
        let sides = [("baseline", &self.baseline), ("candidate", &self.candidate)];
        for (name, side) in sides {
            let failed = AuditState::NoVerdict(NoVerdict::Failed);
            if let Some(claim) = side.claims.iter().find(|claim| claim.state == failed) {
                let reason = format!("a claim of the {name} could not be judged: {}", claim.remark);
                return Some(LeftOut { failed: true, reason });
            }
        }
        let reason = match sides.iter().find(|(_, side)| side.claims.is_empty()) {
            Some((name, _)) => format!("the {name} makes no claim"),
            None if self.summary.rate_change.is_some() => return None,
            None => self.summary.regression_details.trim_end_matches('.').to_owned(),
        };
        Some(LeftOut { failed: false, reason })
    }

    fn figures(&self) -> Value {
        let both = with(json!({}), "baseline_analysis", self.baseline.to_json());
        let both = with(both, "candidate_analysis", self.candidate.to_json());
        with(both, "comparison_summary", json!(self.summary))
    }

    /// As it is written down.
    pub fn to_json(&self) -> Value {
        let all = with(self.figures(), "judge_arithmetic", json!(self.judge_arithmetic));
        with(all, "mismatches", json!(self.mismatches))
    }
}

/// Where the leaves of `said` differ from ours of the same name. What only one side has is no mismatch, and
/// neither are claims and words.
fn mismatches(at: &str, said: &Value, ours: &Value, found: &mut Vec<Mismatch>) {
    let is_same = match (said, ours) {
        (Value::Object(said), Value::Object(ours)) => {
            for (name, value) in said {
                let Some(own) = ours.get(name).filter(|_| name != "claims" && name != "regression_details")
                else {
                    continue;
                };
                let at = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
                mismatches(&at, value, own, found);
            }
            true
        }
        (Value::Number(one), Value::Number(other)) => match (one.as_f64(), other.as_f64()) {
            (Some(one), Some(other)) => (one - other).abs() < ROUNDED,
            _ => one == other,
        },
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().all(|value| other.contains(value))
        }
        (one, other) => one == other,
    };
    if !is_same {
        found.push(Mismatch { field: at.to_owned(), judge: said.clone(), recomputed: ours.clone() });
    }
}

#[cfg(test)]
#[path = "comparison_tests.rs"]
mod tests;
