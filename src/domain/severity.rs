//! How bad a wrong claim is, by a table: what a judge that says nothing of it gets, what is proposed to a
//! person who rules otherwise than the judge, and what everybody can read.
//!
//! | verdict | severity |
//! |---|---|
//! | `FULLY_SUPPORTED` | none |
//! | `CONTRADICTED`, and the claim is about health, law or money at stake, or the record is CRITICAL | CRITICAL |
//! | `CONTRADICTED` in a number, date or name | HIGH |
//! | `CONTRADICTED` otherwise | MEDIUM |
//! | `UNSUPPORTED` with a number, date or name that no passage has | HIGH |
//! | `UNSUPPORTED` otherwise | MEDIUM |
//! | `PARTIALLY_SUPPORTED` with a number, date or name that no passage has | MEDIUM |
//! | `PARTIALLY_SUPPORTED` otherwise | LOW |
//!
//! A record of HIGH or CRITICAL risk raises LOW and MEDIUM by one step.

use super::record::RiskLevel;
use super::verdict::{HallucinationType, Severity, Verdict};

/// What the table needs to know of a claim beside its verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stakes {
    /// The claim is about health, law or money at stake.
    pub can_harm: bool,
    /// A number, date or name of the claim stands in no passage, or differs from the cited one.
    pub invented_detail: bool,
    pub risk: Option<RiskLevel>,
}

/// The table.
pub fn severity(verdict: Verdict, stakes: Stakes) -> Option<Severity> {
    let base = match verdict {
        Verdict::FullySupported => return None,
        Verdict::Contradicted if stakes.can_harm || stakes.risk == Some(RiskLevel::Critical) => {
            Severity::Critical
        }
        Verdict::Contradicted | Verdict::Unsupported if stakes.invented_detail => Severity::High,
        Verdict::Contradicted | Verdict::Unsupported => Severity::Medium,
        Verdict::PartiallySupported if stakes.invented_detail => Severity::Medium,
        Verdict::PartiallySupported => Severity::Low,
    };
    let raised = stakes.risk >= Some(RiskLevel::High);
    Some(match base {
        Severity::Low if raised => Severity::Medium,
        Severity::Medium if raised => Severity::High,
        other => other,
    })
}

/// In which way a claim with this verdict departs from its evidence, when nobody says more.
pub const fn hallucination_type(verdict: Verdict) -> Option<HallucinationType> {
    match verdict {
        Verdict::FullySupported => None,
        Verdict::Unsupported => Some(HallucinationType::Fabrication),
        Verdict::PartiallySupported | Verdict::Contradicted => Some(HallucinationType::Distortion),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table() {
        use Severity::{Critical, High, Low, Medium};
        use Verdict::{Contradicted, FullySupported, PartiallySupported, Unsupported};
        for (verdict, can_harm, invented_detail, risk, expected) in [
            (FullySupported, true, true, Some(RiskLevel::Critical), None),
            (Contradicted, true, false, None, Some(Critical)),
            (Contradicted, true, false, Some(RiskLevel::Low), Some(Critical)),
            (Contradicted, false, false, Some(RiskLevel::Critical), Some(Critical)),
            (Contradicted, false, true, None, Some(High)),
            (Contradicted, false, false, None, Some(Medium)),
            (Contradicted, false, false, Some(RiskLevel::High), Some(High)),
            (Unsupported, true, true, None, Some(High)),
            (Unsupported, true, false, None, Some(Medium)),
            (Unsupported, false, false, Some(RiskLevel::Critical), Some(High)),
            (PartiallySupported, false, true, None, Some(Medium)),
            (PartiallySupported, false, false, None, Some(Low)),
            (PartiallySupported, false, false, Some(RiskLevel::High), Some(Medium)),
        ] {
            let stakes = Stakes { can_harm, invented_detail, risk };
            assert_eq!(severity(verdict, stakes), expected, "{verdict} {stakes:?}");
        }
    }
}
