//! The menu that overrides a verdict, as part of the screen's state: plain data, changed only by `update`.

use crate::domain::decision::{HumanVerdict, Ruling};
use crate::domain::evidence::ChosenSpan;
use crate::domain::ids::{ClaimId, ClaimKey};
use crate::domain::verdict::{HallucinationType, Score, Severity};

/// The menu that overrides a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverrideMenu {
    pub claim: ClaimKey,
    pub id: ClaimId,
    pub field: OverrideField,
    pub verdict: HumanVerdict,
    /// Whether the person chose it or it stood; `false` while nothing does because the judge is hidden.
    pub is_chosen: bool,
    pub severity: Option<Severity>,
    pub hallucination_type: Option<HallucinationType>,
    /// Of a claim with its source.
    pub score: Option<Score>,
    /// The evidence that the person chose, on which the ruling rests.
    pub evidence: Option<Vec<ChosenSpan>>,
    /// What can be chosen, a verdict or a score each, and what it stands for until the person says otherwise.
    pub proposals: Vec<Ruling>,
}

impl OverrideMenu {
    /// The severities that can be chosen, the worst first as in the queue.
    pub const SEVERITIES: [Option<Severity>; 5] =
        [Some(Severity::Critical), Some(Severity::High), Some(Severity::Medium), Some(Severity::Low), None];

    /// Whether `ruling` has the verdict or the score that is chosen.
    pub fn has_chosen(&self, ruling: &Ruling) -> bool {
        self.is_chosen && (ruling.verdict, ruling.score) == (self.verdict, self.score)
    }

    /// Takes verdict or score, severity and type from `ruling`.
    pub fn choose(&mut self, ruling: &Ruling) {
        self.verdict = ruling.verdict;
        self.is_chosen = true;
        self.score = ruling.score;
        self.severity = ruling.severity;
        self.hallucination_type = ruling.hallucination_type;
    }

    /// What the menu shows, as it would be recorded.
    pub fn ruling(&self) -> Ruling {
        Ruling {
            verdict: self.verdict,
            severity: self.severity,
            hallucination_type: self.hallucination_type,
            score: self.score,
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
