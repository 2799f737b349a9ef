//! A faithfulness reply as data, and what of it cannot count.

use serde::Deserialize;
use serde_json::Value;

use crate::domain::verdict::{HallucinationType, Probability, Role, Severity, Verdict};
use crate::text::fold::normalise;

/// A reply that fits the schema.
#[derive(Debug, Deserialize)]
pub(super) struct Reply {
    pub(super) claims: Vec<Claim>,
    #[serde(rename = "no_claim")]
    pub(super) no_claims: Vec<i64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Claim {
    #[serde(rename = "claim_id")]
    pub(super) id: String,
    pub(super) sentence: Option<i64>,
    pub(super) answer_quote: String,
    #[serde(rename = "claim_text")]
    pub(super) text: String,
    #[serde(rename = "evidence_citation")]
    pub(super) citations: Vec<Quote>,
    pub(super) rationale: String,
    #[serde(deserialize_with = "label")]
    pub(super) verdict: Label,
    pub(super) severity: Option<Severity>,
    pub(super) hallucination_type: Option<HallucinationType>,
    pub(super) confidence: f64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Quote {
    #[serde(rename = "passage_id")]
    pub(super) passage: String,
    #[serde(rename = "quote")]
    pub(super) words: String,
    pub(super) role: Role,
}

/// What a model may say of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Verdict(Verdict),
    /// The evidence has nothing to do with what is judged.
    Insufficient,
}

fn label<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Label, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text == "INSUFFICIENT_EVIDENCE" {
        return Ok(Label::Insufficient);
    }
    text.parse().map(Label::Verdict).map_err(serde::de::Error::custom)
}

impl Reply {
    /// The reply that `value` holds.
    ///
    /// # Errors
    /// When it does not fit the schema.
    pub(super) fn read(value: &Value) -> Result<Self, Vec<String>> {
        Self::deserialize(value).map_err(|error| vec![error.to_string()])
    }
}

impl Claim {
    /// `None` where the number is no probability.
    pub(super) fn probability(&self) -> Option<Probability> {
        Probability::new(self.confidence)
    }

    /// Whether it is the claim that was given, in its own words.
    pub(super) fn is_of(&self, given: &str) -> bool {
        bare(given) == bare(&self.text)
    }
}

/// Which of the given claims has that id: `k1` is the first.
pub(super) fn place(id: &str) -> Option<usize> {
    let id = id.trim().trim_start_matches('[').trim_end_matches(']');
    id.strip_prefix('k')?.parse::<usize>().ok()?.checked_sub(1)
}

/// What of a claim must come back: everything but white space, quotation marks, brackets and the stop at its end. Any
/// other sign may say something: `≥ 5` is not `≤ 5`, and `5 ± 1` not `5`.
fn bare(text: &str) -> String {
    let folded = normalise(text.trim().trim_start_matches("- "));
    // A claim is shown on one line, without the signs that steer a terminal.
    let is_kept =
        |c: &char| !c.is_whitespace() && !c.is_control() && !"\"'`“”„‟‘’‚‛«»‹›「」『』()[]{}".contains(*c);
    let bare: String = folded.chars().filter(is_kept).collect();
    bare.trim_end_matches(['.', ',', '。']).to_owned()
}
