//! The menu that overrides a verdict, as part of the screen's state: plain data, changed only by `update`.

use crate::domain::decision::{HumanVerdict, Ruling};
use crate::domain::evidence::ChosenSpan;
use crate::domain::ids::{ClaimId, ClaimKey};
use crate::domain::verdict::{HallucinationType, Severity};

/// The menu that overrides a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverrideMenu {
    pub claim: ClaimKey,
    pub id: ClaimId,
    pub field: OverrideField,
    pub verdict: HumanVerdict,
    pub severity: Option<Severity>,
    pub hallucination_type: Option<HallucinationType>,
    /// The evidence that the person chose, on which the ruling rests.
    pub evidence: Option<Vec<ChosenSpan>>,
    /// What each verdict stands for until the person says otherwise.
    pub proposals: Vec<Ruling>,
}

impl OverrideMenu {
    /// What the menu shows, as it would be recorded.
    pub fn ruling(&self) -> Ruling {
        Ruling {
            verdict: self.verdict,
            severity: self.severity,
            hallucination_type: self.hallucination_type,
            evidence: self.evidence.clone(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverrideField {
    Verdict,
    Severity,
    Type,
}
