//! What a record's columns must hold, going by the line it came from.
//!
//! Knows the two shapes of a line that are read (see `format::native`), as bare JSON: a line in any
//! other shape has nothing to compare with, and its record is under its seal alone.

use serde_json::{Map, Value};

use crate::domain::record::{GivenClaim, RiskLevel};
use crate::store::records::to_json;

/// The columns of a record and its passages; absent in the line means NULL, `[]` or `{}`.
#[derive(Debug, PartialEq)]
pub(super) struct Columns {
    pub(super) audit_id: String,
    pub(super) answer: String,
    pub(super) question: Option<String>,
    pub(super) risk_level: Option<String>,
    /// JSON, as in the column.
    pub(super) given_claims: String,
    pub(super) metadata: String,
    pub(super) passages: Vec<PassageColumns>,
}

#[derive(Debug, PartialEq)]
pub(super) struct PassageColumns {
    pub(super) passage_id: String,
    pub(super) content: String,
    pub(super) metadata: String,
}

impl Columns {
    /// Reads a line; `None` when it has neither shape.
    pub(super) fn of(raw: &str) -> Option<Self> {
        let line: Value = serde_json::from_str(raw).ok()?;
        let is_claim = line.get("generated_answer").is_none();
        let (answer, given, evidence) = if is_claim {
            let claim = text(&line, "claim")?;
            let given = GivenClaim { claim_id: None, claim_text: claim.clone() };
            (claim, vec![given], "evidence")
        } else {
            (text(&line, "generated_answer")?, given_claims(line.get("claims"))?, "evidence_passages")
        };
        let audit_id = match (is_claim, text(&line, "dataset")) {
            (true, Some(dataset)) => format!("{dataset}:{}", text(&line, "id")?),
            (true, None) => text(&line, "id")?,
            (false, _) => text(&line, "audit_id")?,
        };
        let passages = line.get(evidence)?.as_array()?.iter().map(|passage| {
            Some(PassageColumns {
                passage_id: text(passage, "passage_id")?,
                content: text(passage, "content")?,
                metadata: object(passage),
            })
        });
        Some(Self {
            audit_id,
            answer,
            question: text(&line, "question"),
            risk_level: match text(&line, "risk_level") {
                Some(risk) => Some(risk.parse::<RiskLevel>().ok()?.label().to_owned()),
                None => None,
            },
            given_claims: to_json(&given),
            metadata: object(&line),
            passages: passages.collect::<Option<_>>()?,
        })
    }

    /// The first column that differs, in words.
    pub(super) fn difference(&self, stored: &Self) -> Option<&'static str> {
        let parts = [
            (self.audit_id == stored.audit_id, "its id"),
            (self.answer == stored.answer, "the answer"),
            (self.question == stored.question, "the question"),
            (self.risk_level == stored.risk_level, "the risk level"),
            (self.given_claims == stored.given_claims, "the list of given claims"),
            (self.metadata == stored.metadata, "its metadata"),
            (self.passages == stored.passages, "the evidence"),
        ];
        parts.into_iter().find(|(same, _)| !same).map(|(_, name)| name)
    }
}

fn text(value: &Value, field: &str) -> Option<String> {
    value.get(field)?.as_str().map(str::to_owned)
}

/// The metadata as it stands in a column.
fn object(value: &Value) -> String {
    match value.get("metadata") {
        Some(Value::Object(fields)) => to_json(fields),
        _ => to_json(&Map::new()),
    }
}

fn given_claims(claims: Option<&Value>) -> Option<Vec<GivenClaim>> {
    let Some(Value::Array(claims)) = claims else { return Some(Vec::new()) };
    let claim = |claim: &Value| {
        let claim_text = text(claim, "claim_text").or_else(|| text(claim, "claim"))?;
        Some(GivenClaim { claim_id: text(claim, "claim_id"), claim_text })
    };
    claims.iter().map(claim).collect()
}
