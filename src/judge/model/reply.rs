//! A faithfulness reply as data, and what of it contradicts itself.

use serde::Deserialize;
use serde_json::Value;

use super::show::one_line;
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
    #[serde(deserialize_with = "probability")]
    pub(super) confidence: Probability,
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

pub(super) fn probability<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Probability, D::Error> {
    let number = f64::deserialize(deserializer)?;
    Probability::new(number).ok_or_else(|| {
        serde::de::Error::custom(format!("`confidence` is {number}, but a probability lies between 0 and 1"))
    })
}

/// The reply that `value` holds, to a question about these claims where some were `given`.
///
/// # Errors
/// When a number is out of its range, or a claim that was given is judged twice and otherwise, or is another one under
/// its id.
pub(super) fn read(value: &Value, given: Option<&[&str]>) -> Result<Reply, Vec<String>> {
    let reply = Reply::deserialize(value).map_err(|error| vec![error.to_string()])?;
    let Some(given) = given else { return Ok(reply) };
    let mut errors = Vec::new();
    for (at, claim) in reply.claims.iter().enumerate() {
        let other =
            reply.claims[..at].iter().find(|other| other.id == claim.id && other.verdict != claim.verdict);
        if other.is_some() {
            errors.push(format!("the claim `{}` is judged twice, and not alike", claim.id));
        }
        let own = place(&claim.id).and_then(|at| given.get(at));
        if let Some(own) = own.filter(|own| bare(own) != bare(&claim.text)) {
            let (id, own) = (&claim.id, one_line(own));
            errors.push(format!(
                "`claim_text` of `{id}` is another one than the claim given under that id: {own}"
            ));
        }
    }
    if errors.is_empty() { Ok(reply) } else { Err(errors) }
}

/// Which of the given claims has that id: `k1` is the first.
pub(super) fn place(id: &str) -> Option<usize> {
    let id = id.trim().trim_start_matches('[').trim_end_matches(']');
    id.strip_prefix('k')?.parse::<usize>().ok()?.checked_sub(1)
}

/// What of a claim must come back: its letters and digits, and the signs that change a number.
fn bare(text: &str) -> String {
    let folded = normalise(text.trim().trim_start_matches("- "));
    let bare: String =
        folded.chars().filter(|c| c.is_alphanumeric() || "-.,%<>=+/$€£".contains(*c)).collect();
    bare.trim_matches(['.', ',']).to_owned()
}
