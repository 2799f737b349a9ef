//! Why a claim stands where it stands in the queue, in words.
//!
//! Says what [`Rank`] and the routing did; must not decide anything itself.

use serde::Serialize;

use super::finding::{AuditState, Outcome};
use super::queue::ClaimDetail;
use super::routing::{Rank, Why, ranked_severity};
use super::time::Timestamp;
use super::until;
use super::verdict::Severity;

/// One thing that counts, those that count first before others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Factor {
    /// What it is: `severity`, `verdict`, …
    pub name: &'static str,
    /// How it stands with this claim, and what that does.
    pub words: String,
}

/// What brought the claim of `detail` to its place, in the order in which it counts.
pub fn factors(detail: &ClaimDetail, now: Timestamp) -> Vec<Factor> {
    let factor = |name, words: String| Factor { name, words };
    let why: Vec<String> = detail.why.iter().map(|why| why.sentence()).collect();
    let mut factors = if why.is_empty() {
        vec![factor(
            "policy",
            "no rule of the policy sends it to a person: it was opened by its id".to_owned(),
        )]
    } else {
        vec![
            factor("severity", severity(detail)),
            factor("verdict", verdict(detail)),
            factor("confidence", confidence(&detail.outcome)),
            factor("age", age(detail, now)),
            factor("risk", risk(detail)),
            factor("policy", format!("asked because of: {}", why.join(", "))),
        ]
    };
    let mut own = Vec::new();
    if detail.standing.decided.is_some() {
        own.push("you decided it: it is in the queue no more".to_owned());
    }
    if let Some(until) = detail.standing.deferred {
        own.push(format!("you deferred it: it comes back {}", until::left(until, now)));
    }
    if detail.standing.skipped {
        own.push("you skipped it: it stands at the end of your queue".to_owned());
    }
    if !own.is_empty() {
        factors.push(factor("yours", own.join("; ")));
    }
    factors
}

fn severity(detail: &ClaimDetail) -> String {
    let given = detail.outcome.judged().and_then(|judged| judged.severity);
    let state = detail.outcome.state();
    let risk = detail.record.risk_level;
    let ranked = ranked_severity(state, given, risk, &detail.why);
    let present = ranked_severity(state, given, risk, &[]);
    let is_part =
        detail.why.iter().any(|why| matches!(why, Why::Replaces { severity } if Some(*severity) == ranked));
    let origin = if ranked > present && is_part {
        "the claim had it in whose place it stands"
    } else if ranked > present {
        "a person gave it in an earlier audit"
    } else if state == AuditState::Judged {
        "the judge gave it"
    } else if given.is_some() && ranked == given && given > Some(risk_severity(detail)) {
        "the judge gave it, though nothing grounds its verdict"
    } else if risk.is_some() {
        "the risk of its record, as no grounded verdict gives one"
    } else {
        "its record's risk is unknown and counts as MEDIUM, as no grounded verdict gives one"
    };
    match ranked {
        Some(severity) => format!("{severity} ({origin}): the greater first, whatever else"),
        None => "none, as nothing is wrong: after all that have one".to_owned(),
    }
}

fn risk_severity(detail: &ClaimDetail) -> Severity {
    detail.record.risk_level.unwrap_or(super::record::RiskLevel::Medium).as_severity()
}

fn verdict(detail: &ClaimDetail) -> String {
    let rank = Rank::of(&detail.outcome, detail.record.risk_level, &detail.why).verdict;
    let label = match (detail.outcome.state(), detail.outcome.judged()) {
        (AuditState::Judged, Some(judged)) => judged.verdict.label(),
        (state, _) => state.label(),
    };
    let place = match rank {
        6 => "first",
        5 => "second, after contradicted",
        4 => "third, after contradicted and unsupported",
        3 => "fourth, after what is wrong or ungrounded",
        2 => "fifth, before supported only",
        _ => "last",
    };
    format!("{label}: of one severity {place}")
}

fn confidence(outcome: &Outcome) -> String {
    match outcome.judged() {
        Some(judged) => {
            format!("{:.2}: then the less sure first", judged.confidence.get())
        }
        None => "none: then the less sure first, and it counts as not sure at all".to_owned(),
    }
}

fn age(detail: &ClaimDetail, now: Timestamp) -> String {
    let since = until::left(now, detail.arrived);
    let since = since.strip_prefix("in ").unwrap_or(&since);
    format!("{since} in the queue: then the oldest first")
}

fn risk(detail: &ClaimDetail) -> String {
    let is_routed_by_it = detail.why.iter().any(|why| matches!(why, Why::HighRisk { .. }));
    match detail.record.risk_level {
        Some(risk) if is_routed_by_it => format!("{risk}: every claim of such a record goes to a person"),
        Some(risk) => format!("{risk}: counts where no grounded verdict gives a severity"),
        None => "unknown: counts as MEDIUM where no grounded verdict gives a severity".to_owned(),
    }
}
