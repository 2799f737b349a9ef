//! Which claims a person must look at, why, and in which order.

use serde::{Deserialize, Serialize};

use super::decision::{HumanVerdict, Ruling};
use super::finding::{AuditState, Outcome};
use super::record::RiskLevel;
use super::verdict::{NoVerdict, Probability, Score, Severity, Verdict};

/// The settings of routing. Shares and probabilities are from 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// A verdict with less confidence than this is looked at.
    pub low_confidence: f64,
    /// A claim with this support score or less is looked at.
    pub low_support: u8,
    /// Share of the otherwise unrouted claims that is looked at all the same.
    pub spot_check: f64,
    /// The least share while a prompt or model is new, in the first three records that it audits. It never lowers the
    /// other: who asks for every claim gets every claim.
    pub spot_check_new: f64,
}

impl Default for Policy {
    fn default() -> Self {
        Self { low_confidence: 0.6, low_support: 3, spot_check: 0.05, spot_check_new: 0.20 }
    }
}

/// One reason why a claim is in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Why {
    Contradicted,
    Unsupported,
    Ungrounded,
    NoVerdict {
        state: NoVerdict,
    },
    LowSupport {
        score: u8,
    },
    LowConfidence {
        confidence: f64,
    },
    HighRisk {
        risk_level: RiskLevel,
    },
    /// A person ruled worse on the same claim in an earlier audit.
    DecidedOtherwise {
        verdict: HumanVerdict,
        severity: Option<Severity>,
    },
    /// It stands in place of a claim of this severity, which a person split or merged.
    Replaces {
        severity: Severity,
    },
    SpotCheck {
        share: f64,
    },
}

impl Why {
    /// The reason in words, short enough for one line.
    pub fn sentence(self) -> String {
        match self {
            Self::Contradicted => "contradicted".into(),
            Self::Unsupported => "unsupported".into(),
            Self::Ungrounded => "the judge's quote does not stand in the evidence".into(),
            Self::NoVerdict { state } => match state {
                NoVerdict::InsufficientEvidence => "the evidence does not suffice".into(),
                NoVerdict::NotChecked => "the judge could not check it".into(),
                NoVerdict::NoClaims => "no claim was found in the answer".into(),
                NoVerdict::Incomplete => "the judge left it out".into(),
                NoVerdict::Refused => "the judge declined".into(),
                NoVerdict::Empty => "the judge answered with nothing".into(),
                NoVerdict::Failed => "the audit failed".into(),
                NoVerdict::Added => "a person made it".into(),
            },
            Self::LowSupport { score } => format!("support {score}/5"),
            Self::LowConfidence { confidence } => format!("low confidence {confidence:.2}"),
            Self::HighRisk { risk_level } => format!("{risk_level} risk record"),
            Self::DecidedOtherwise { verdict, severity } => {
                let severity = severity.map_or(String::new(), |severity| format!(" {severity}"));
                format!("decided otherwise in an earlier run: {verdict}{severity}")
            }
            Self::Replaces { severity } => format!("in place of a {severity} claim"),
            Self::SpotCheck { share } => format!("spot check ({:.0} %)", share * 100.0),
        }
    }
}

/// Why `outcome` goes to a person; empty when it does not.
///
/// `draw` is this claim's lot for the spot check, uniform from 0 to 1; `is_new` says that the prompt
/// or model is new: its first three runs, and a run is the audit of one record. `earlier` is the latest
/// standing ruling of people on the same claim in earlier audits.
pub fn route(
    outcome: &Outcome,
    risk: Option<RiskLevel>,
    policy: &Policy,
    is_new: bool,
    draw: f64,
    earlier: Option<&Ruling>,
) -> Vec<Why> {
    let mut why = Vec::new();
    match outcome {
        Outcome::NotJudged { state, .. } => why.push(Why::NoVerdict { state: *state }),
        Outcome::Ungrounded(_) => why.push(Why::Ungrounded),
        Outcome::Judged(_) => {}
    }
    if let Some(judged) = outcome.judged() {
        match judged.verdict {
            Verdict::Contradicted => why.push(Why::Contradicted),
            Verdict::Unsupported => why.push(Why::Unsupported),
            Verdict::FullySupported | Verdict::PartiallySupported => {}
        }
        if let Some(score) = judged.support.map(Score::get).filter(|score| *score <= policy.low_support) {
            why.push(Why::LowSupport { score });
        }
        if judged.confidence.get() < policy.low_confidence {
            why.push(Why::LowConfidence { confidence: judged.confidence.get() });
        }
    }
    if let Some(risk_level) = risk.filter(|risk| *risk >= RiskLevel::High) {
        why.push(Why::HighRisk { risk_level });
    }
    if let Some(ruling) = earlier.filter(|ruling| is_worse(ruling, in_force(outcome))) {
        why.push(Why::DecidedOtherwise { verdict: ruling.verdict, severity: ruling.severity });
    }
    let share = if is_new { policy.spot_check.max(policy.spot_check_new) } else { policy.spot_check };
    if why.is_empty() && draw < share {
        why.push(Why::SpotCheck { share });
    }
    why
}

/// The judge's word as far as it counts: what is not grounded is no verdict.
fn in_force(outcome: &Outcome) -> (Option<Verdict>, Option<Severity>) {
    match outcome {
        Outcome::Judged(judged) => (Some(judged.verdict), judged.severity),
        Outcome::Ungrounded(_) | Outcome::NotJudged { .. } => (None, None),
    }
}

/// Whether a person's `ruling` of an earlier audit is worse than what the judge says now, in verdict or in
/// severity. Nobody took it back: it keeps a gate closed, and brings the claim to a person, until someone
/// decides anew.
pub fn is_worse(ruling: &Ruling, (verdict, severity): (Option<Verdict>, Option<Severity>)) -> bool {
    let danger = |verdict: Option<Verdict>| match verdict {
        Some(Verdict::FullySupported) => 0,
        Some(Verdict::PartiallySupported) => 1,
        None => 2,
        Some(Verdict::Unsupported) => 3,
        Some(Verdict::Contradicted) => 4,
    };
    danger(ruling.verdict.as_verdict()) > danger(verdict) || ruling.severity > severity
}

/// Place in the queue: greater is shown earlier; among equals the oldest claim comes first.
///
/// Severity decides, then the verdict, then low confidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    /// 4 CRITICAL, 3 HIGH, 2 MEDIUM, 1 LOW, 0 nothing wrong.
    pub severity: u8,
    /// 6 CONTRADICTED, 5 UNSUPPORTED, 4 ungrounded, 3 no verdict, 2 PARTIALLY, 1 FULLY.
    pub verdict: u8,
    /// Doubt in thousandths: 1000 × (1 − confidence).
    pub doubt: u16,
}

impl Rank {
    /// Of a claim that is in the queue because of `why`.
    pub fn of(outcome: &Outcome, risk: Option<RiskLevel>, why: &[Why]) -> Self {
        let judged = outcome.judged();
        let severity = ranked_severity(outcome.state(), judged.and_then(|judged| judged.severity), risk, why);
        let doubt = judged.map_or(1000, |judged| doubt(judged.confidence));
        let verdict = match (outcome.state(), outcome.judged().map(|judged| judged.verdict)) {
            (AuditState::Judged, Some(Verdict::Contradicted)) => 6,
            (AuditState::Judged, Some(Verdict::Unsupported)) => 5,
            (AuditState::Judged, Some(Verdict::PartiallySupported)) => 2,
            (AuditState::Judged, _) => 1,
            (AuditState::Ungrounded, _) => 4,
            (AuditState::NoVerdict(_), _) => 3,
        };
        Self { severity: severity_rank(severity), verdict, doubt }
    }
}

/// The severity by which a claim is ranked and shown.
///
/// `given` is the judge's. Where nothing grounded stands behind it, the record's risk counts at least
/// (MEDIUM where it is unknown). What people ruled on it in an earlier audit, and the
/// severity of a claim in whose place it stands (both in `why`), count at least too.
pub fn ranked_severity(
    state: AuditState,
    given: Option<Severity>,
    risk: Option<RiskLevel>,
    why: &[Why],
) -> Option<Severity> {
    let risk = risk.unwrap_or(RiskLevel::Medium).as_severity();
    let present = match state {
        AuditState::Judged => given,
        AuditState::Ungrounded => given.max(Some(risk)),
        AuditState::NoVerdict(_) => Some(risk),
    };
    let earlier = why.iter().filter_map(|why| match why {
        Why::DecidedOtherwise { severity, .. } => *severity,
        Why::Replaces { severity } => Some(*severity),
        _ => None,
    });
    earlier.fold(present, |worst, severity| worst.max(Some(severity)))
}

/// The severity of a [`severity_rank`].
pub fn severity_of_rank(rank: u8) -> Option<Severity> {
    Severity::ALL.iter().copied().find(|severity| severity_rank(Some(*severity)) == rank)
}

/// 4 CRITICAL … 1 LOW, 0 none.
pub const fn severity_rank(severity: Option<Severity>) -> u8 {
    match severity {
        None => 0,
        Some(Severity::Low) => 1,
        Some(Severity::Medium) => 2,
        Some(Severity::High) => 3,
        Some(Severity::Critical) => 4,
    }
}

fn doubt(confidence: Probability) -> u16 {
    ((1.0 - confidence.get()) * 1000.0).round() as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::Judged;

    fn judged(verdict: Verdict, severity: Option<Severity>, confidence: f64) -> Outcome {
        Outcome::Judged(Judged {
            verdict,
            confidence: Probability::clamped(confidence),
            severity,
            hallucination_type: None,
            citations: Vec::new(),
            rationale: String::new(),
            support: Score::new(5),
        })
    }

    #[test]
    fn dangerous_verdicts_always_go_to_a_person() {
        let policy = Policy::default();
        for verdict in [Verdict::Contradicted, Verdict::Unsupported] {
            assert!(!route(&judged(verdict, None, 1.0), None, &policy, false, 0.99, None).is_empty());
        }
        for state in NoVerdict::ALL {
            let outcome = Outcome::NotJudged { state: *state, reason: String::new() };
            assert_eq!(route(&outcome, None, &policy, false, 0.99, None), [Why::NoVerdict { state: *state }]);
        }
    }

    #[test]
    fn a_sure_supported_claim_is_only_spot_checked() {
        let policy = Policy::default();
        let sure = judged(Verdict::FullySupported, None, 0.9);
        assert!(route(&sure, None, &policy, false, 0.06, None).is_empty());
        assert_eq!(route(&sure, None, &policy, false, 0.04, None), [Why::SpotCheck { share: 0.05 }]);
        assert_eq!(route(&sure, None, &policy, true, 0.19, None), [Why::SpotCheck { share: 0.20 }]);
        let all = Policy { spot_check: 1.0, ..policy };
        let every = route(&sure, None, &all, true, 0.999, None);
        assert_eq!(every, [Why::SpotCheck { share: 1.0 }], "a new judge never lowers the share");
        let policy = Policy::default();
        let risky = route(&sure, Some(RiskLevel::High), &policy, false, 0.99, None);
        assert_eq!(risky, [Why::HighRisk { risk_level: RiskLevel::High }]);
    }

    #[test]
    fn order_is_severity_then_verdict_then_doubt() {
        let rank =
            |verdict, severity, confidence| Rank::of(&judged(verdict, severity, confidence), None, &[]);
        let critical = rank(Verdict::Contradicted, Some(Severity::Critical), 0.9);
        let high = rank(Verdict::Contradicted, Some(Severity::High), 0.1);
        let high_unsupported = rank(Verdict::Unsupported, Some(Severity::High), 0.1);
        let doubtful = rank(Verdict::Contradicted, Some(Severity::Critical), 0.5);
        assert!(critical > high && high > high_unsupported && doubtful > critical);
        let unknown = Outcome::NotJudged { state: NoVerdict::Failed, reason: String::new() };
        assert_eq!(Rank::of(&unknown, None, &[]).severity, 2, "unknown risk counts as MEDIUM");
        assert_eq!(Rank::of(&unknown, Some(RiskLevel::Critical), &[]).severity, 4);
    }

    #[test]
    fn what_people_ruled_worse_before_comes_to_a_person_and_ranks_by_it() {
        let policy = Policy::default();
        let ruling = |verdict, severity| Ruling { severity, ..Ruling::only(verdict) };
        let fine = judged(Verdict::FullySupported, None, 0.9);
        let wrong = ruling(HumanVerdict::Contradicted, Some(Severity::Critical));
        let why = route(&fine, None, &policy, true, 0.0, Some(&wrong));
        let expected =
            Why::DecidedOtherwise { verdict: HumanVerdict::Contradicted, severity: Some(Severity::Critical) };
        assert_eq!(why, [expected]);
        assert_eq!(why[0].sentence(), "decided otherwise in an earlier run: CONTRADICTED CRITICAL");
        assert_eq!(Rank::of(&fine, None, &why).severity, 4);
        for (earlier, expected) in [
            (ruling(HumanVerdict::FullySupported, None), false),
            (ruling(HumanVerdict::CannotJudge, None), true),
            (ruling(HumanVerdict::PartiallySupported, Some(Severity::Low)), true),
        ] {
            assert_eq!(is_worse(&earlier, (Some(Verdict::FullySupported), None)), expected, "{earlier:?}");
        }
        let contradicted = (Some(Verdict::Contradicted), Some(Severity::High));
        assert!(is_worse(&wrong, contradicted), "the same verdict with a worse severity is worse");
        assert!(!is_worse(&ruling(HumanVerdict::Unsupported, Some(Severity::Medium)), contradicted));
        assert!(is_worse(&ruling(HumanVerdict::Unsupported, None), (None, None)));
    }
}
