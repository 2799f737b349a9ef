//! How bad a wrong claim is, by a table: what a judge that says nothing of it gets, and what everybody
//! can read.
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

use crate::domain::record::RiskLevel;
use crate::domain::verdict::{HallucinationType, Severity, Verdict};
use crate::text::lexicon::{Field, LEXICON};
use crate::text::tokens::tokens;

/// What the table needs to know of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stakes {
    pub verdict: Verdict,
    /// The claim is about health, law or money at stake.
    pub field: Option<Field>,
    /// A number, date or name of the claim stands in no passage, or differs from the cited one.
    pub invented_detail: bool,
    pub risk: Option<RiskLevel>,
}

/// The table.
pub fn severity(stakes: Stakes) -> Option<Severity> {
    let base = match stakes.verdict {
        Verdict::FullySupported => return None,
        Verdict::Contradicted if stakes.field.is_some() || stakes.risk == Some(RiskLevel::Critical) => {
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

/// The field of harm that a text speaks of: one strong word decides, of the others two are needed.
pub fn field(text: &str) -> Option<Field> {
    let mut found: Vec<(Field, u32)> = Vec::new();
    let mut seen = Vec::new();
    for token in tokens(text) {
        if seen.contains(&token.stem) {
            continue;
        }
        seen.push(token.stem);
        for (field, strong) in LEXICON.fields.get(&token.stem).into_iter().flatten() {
            let weight = if *strong { 2 } else { 1 };
            match found.iter_mut().find(|(other, _)| other == field) {
                Some((_, sum)) => *sum += weight,
                None => found.push((*field, weight)),
            }
        }
    }
    found.into_iter().filter(|(_, sum)| *sum >= 2).max_by_key(|(_, sum)| *sum).map(|(field, _)| field)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAKES: Stakes =
        Stakes { verdict: Verdict::Contradicted, field: None, invented_detail: false, risk: None };

    #[test]
    fn the_table() {
        use Severity::{Critical, High, Low, Medium};
        use Verdict::{Contradicted, FullySupported, PartiallySupported, Unsupported};
        for (verdict, field, invented_detail, risk, expected) in [
            (FullySupported, Some(Field::Health), true, Some(RiskLevel::Critical), None),
            (Contradicted, Some(Field::Health), false, None, Some(Critical)),
            (Contradicted, Some(Field::Legal), false, Some(RiskLevel::Low), Some(Critical)),
            (Contradicted, None, false, Some(RiskLevel::Critical), Some(Critical)),
            (Contradicted, None, true, None, Some(High)),
            (Contradicted, None, false, None, Some(Medium)),
            (Contradicted, None, false, Some(RiskLevel::High), Some(High)),
            (Unsupported, Some(Field::Health), true, None, Some(High)),
            (Unsupported, Some(Field::Health), false, None, Some(Medium)),
            (Unsupported, None, false, Some(RiskLevel::Critical), Some(High)),
            (PartiallySupported, None, true, None, Some(Medium)),
            (PartiallySupported, None, false, None, Some(Low)),
            (PartiallySupported, None, false, Some(RiskLevel::High), Some(Medium)),
        ] {
            let stakes = Stakes { verdict, field, invented_detail, risk };
            assert_eq!(severity(stakes), expected, "{stakes:?}");
        }
        assert_eq!(severity(STAKES), Some(Medium));
    }

    #[test]
    fn one_strong_word_or_two_others_show_the_field() {
        assert_eq!(field("Adults may take 8 g of paracetamol per day."), Some(Field::Health));
        assert_eq!(field("The drug works in patients."), Some(Field::Health));
        assert_eq!(field("The Supplier shall indemnify the Customer."), Some(Field::Legal));
        assert_eq!(field("The loan carries no interest."), Some(Field::Finance));
        assert_eq!(field("The film was directed by James Cameron."), None);
        assert_eq!(field("A heart of gold."), None);
    }
}
