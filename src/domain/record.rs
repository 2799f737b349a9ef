//! One generated answer with its evidence, as it came in.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ids::{AuditId, PassageId};
use super::verdict::{Severity, labels};

labels! {
    /// What is at stake when the answer is wrong. Unknown counts as MEDIUM.
    RiskLevel: "risk level" {
        Low = "LOW",
        Medium = "MEDIUM" | "MED",
        High = "HIGH",
        Critical = "CRITICAL" | "CRIT",
    }
}

impl RiskLevel {
    /// The severity that stands in for a missing one at this risk.
    pub fn as_severity(self) -> Severity {
        match self {
            Self::Low => Severity::Low,
            Self::Medium => Severity::Medium,
            Self::High => Severity::High,
            Self::Critical => Severity::Critical,
        }
    }
}

/// A generated answer with its evidence. Texts are exactly as given.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub audit_id: AuditId,
    pub answer: String,
    pub passages: Vec<Passage>,
    pub question: Option<String>,
    pub risk_level: Option<RiskLevel>,
    /// Claims that are to be judged exactly as they are; empty when the judge is to find them.
    pub given_claims: Vec<GivenClaim>,
    pub metadata: Map<String, Value>,
}

impl Record {
    /// What made the answer, as the metadata name it: the model, and the version of its prompt.
    pub fn bot(&self) -> Vec<String> {
        let mut bot: Vec<String> = Vec::new();
        for key in ["model", "model_version", "prompt_version"] {
            let named = match self.metadata.get(key) {
                Some(Value::String(name)) => name.trim().to_owned(),
                Some(Value::Number(number)) => number.to_string(),
                _ => continue,
            };
            if !named.is_empty() && !bot.contains(&named) {
                bot.push(named);
            }
        }
        bot
    }

    pub fn passage(&self, id: &PassageId) -> Option<&Passage> {
        self.passages.iter().find(|passage| passage.passage_id == *id)
    }
}

/// One piece of evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Passage {
    pub passage_id: PassageId,
    pub content: String,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

/// A claim that came with the record: a golden set's, or somebody else's decomposition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenClaim {
    #[serde(default)]
    pub claim_id: Option<String>,
    pub claim_text: String,
}
