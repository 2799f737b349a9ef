//! A claim and a source, for scoring how directly the one bears out the other: one line in, one pair out, or the
//! reason why not.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::native::{Holds, MAX_INNER_ID, json_reason, kind, name, no_nul, not_utf8, wrong_field};
use crate::domain::event::sha256_hex;
use crate::domain::ids::{AuditId, ClaimId, PassageId};
use crate::domain::record::{GivenClaim, Passage, Record, RiskLevel};
use crate::store::NewRecord;

/// A claim and the source that is to bear it out.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    pub claim_id: String,
    pub claim: String,
    pub source: Passage,
    pub risk_level: Option<RiskLevel>,
    /// The answer that the claim is of; where the line says nothing of it, as the claim's id tells: `rx-1042` of the
    /// claim `rx-1042#3`.
    pub answer_id: Option<String>,
    /// How the source was found: `bm25-v2`.
    pub retrieval: Option<String>,
    /// What wrote the answer.
    pub model_version: Option<String>,
    /// Everything else of the line.
    pub more: Map<String, Value>,
}

#[derive(Deserialize)]
struct Form {
    claim_id: String,
    claim: String,
    source_id: String,
    source: String,
    source_metadata: Option<Map<String, Value>>,
    risk_level: Option<String>,
    #[serde(flatten)]
    more: Map<String, Value>,
}

const PAIR: &[(&str, Holds)] = &[
    ("claim_id", Holds::Text),
    ("claim", Holds::Text),
    ("source_id", Holds::Text),
    ("source", Holds::Text),
    ("source_metadata", Holds::OptionalObject),
    ("metadata", Holds::OptionalObject),
    ("risk_level", Holds::OptionalRisk),
    ("answer_id", Holds::OptionalText),
    ("retrieval", Holds::OptionalText),
    ("model_version", Holds::OptionalText),
];

/// Reads one line, without its line feed. The error is the reason in words.
pub fn parse(line: &[u8]) -> Result<Pair, String> {
    let raw = std::str::from_utf8(line).map_err(|error| not_utf8(line, error))?;
    match serde_json::from_str::<Value>(raw).map_err(|error| json_reason(&error))? {
        Value::Object(fields) => {
            if let Some(reason) = wrong_field(&fields, PAIR) {
                return Err(reason);
            }
        }
        other => return Err(format!("a pair is a JSON object on a line of its own, found {}", kind(&other))),
    }
    let mut form: Form = serde_json::from_str(raw).map_err(|error| json_reason(&error))?;
    name("claim_id", &form.claim_id, MAX_INNER_ID)?;
    name("source_id", &form.source_id, MAX_INNER_ID)?;
    for (what, text) in [("`claim`", &form.claim), ("`source`", &form.source)] {
        no_nul(what, text)?;
        if !text.chars().any(char::is_alphanumeric) {
            return Err(format!("{what} holds nothing that could be scored"));
        }
    }
    let risk_level = form.risk_level.map(|risk| risk.parse::<RiskLevel>()).transpose();
    let risk_level = risk_level.map_err(|error| format!("`risk_level`: {error}"))?;
    if let Some(Value::Object(metadata)) = form.more.remove("metadata") {
        for (field, value) in metadata {
            form.more.entry(field).or_insert(value);
        }
    }
    let metadata = form.source_metadata.unwrap_or_default();
    // What is said of the pair goes before what is said of its source.
    let mut grouped = |field: &str| {
        let own = form.more.remove(field).or_else(|| metadata.get(field).cloned())?;
        own.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let of_claim = || Some(form.claim_id.parse::<ClaimId>().ok()?.audit_id().as_str().to_owned());
    let (answer_id, retrieval, model_version) =
        (grouped("answer_id"), grouped("retrieval"), grouped("model_version"));
    Ok(Pair {
        answer_id: answer_id.or_else(of_claim),
        retrieval,
        model_version,
        risk_level,
        more: form.more,
        claim: form.claim,
        source: Passage { passage_id: PassageId::new(form.source_id), content: form.source, metadata },
        claim_id: form.claim_id,
    })
}

/// Of an id as much as fits into the name of a record.
const LONGEST_PART: usize = 80;

impl Pair {
    /// The pair as a record: the claim is the answer, and its one given claim; the source is the one passage. Its id,
    /// `CLAIM@SOURCE~HASH`, differs as soon as anything of the pair does, and only then.
    pub fn record(&self, source: String) -> NewRecord {
        let mut metadata = self.more.clone();
        let grouped = [
            ("answer_id", &self.answer_id),
            ("retrieval", &self.retrieval),
            ("model_version", &self.model_version),
        ];
        for (field, value) in grouped {
            if let Some(value) = value {
                metadata.insert(field.to_owned(), Value::from(value.as_str()));
            }
        }
        let mut line = json!({
            "generated_answer": self.claim,
            "evidence_passages": [self.source],
            "claims": [{ "claim_id": self.claim_id, "claim_text": self.claim }],
            "metadata": metadata,
        });
        if let Some(risk) = self.risk_level {
            line["risk_level"] = Value::from(risk.label());
        }
        let part = |id: &str| id.chars().take(LONGEST_PART).collect::<String>();
        let hash = sha256_hex([line.to_string().as_str()]);
        let (claim, passage) = (part(&self.claim_id), part(self.source.passage_id.as_str()));
        let audit_id = format!("{claim}@{passage}~{}", &hash[..8]);
        line["audit_id"] = Value::from(audit_id.as_str());
        let claim = GivenClaim { claim_id: Some(self.claim_id.clone()), claim_text: self.claim.clone() };
        NewRecord {
            record: Record {
                audit_id: AuditId::new(audit_id),
                answer: self.claim.clone(),
                passages: vec![self.source.clone()],
                question: None,
                risk_level: self.risk_level,
                given_claims: vec![claim],
                metadata,
            },
            raw: line.to_string(),
            source,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_read_with_what_is_known_of_its_source() {
        let line = r#"{"claim_id":"c1","claim":"It is 4 g.","source_id":"s","source":"4 g","source_metadata":{"date":"2024"},"more":1}"#;
        let pair = parse(line.as_bytes()).unwrap();
        assert_eq!((pair.claim_id.as_str(), pair.source.passage_id.as_str()), ("c1", "s"));
        assert_eq!(pair.source.metadata["date"], "2024");
    }

    #[test]
    fn what_a_pair_is_grouped_by_stands_in_it_or_in_what_is_known_of_its_source() {
        let line = r#"{"claim_id":"rx-7#2","claim":"It is 4 g.","source_id":"s","source":"4 g","model_version":"m-1",
            "source_metadata":{"retrieval":"bm25","model_version":"other"},"metadata":{"team":"a"}}"#;
        let pair = parse(line.replace('\n', "").as_bytes()).unwrap();
        let grouped = [&pair.answer_id, &pair.retrieval, &pair.model_version].map(|name| name.as_deref());
        assert_eq!(grouped, [Some("rx-7"), Some("bm25"), Some("m-1")]);
        assert_eq!(pair.more["team"], "a");
        assert!(
            parse(br#"{"claim_id":"c","claim":"x","source_id":"s","source":"y","answer_id":3}"#).is_err()
        );
    }

    #[test]
    fn a_pair_as_a_record_is_read_again_as_the_same_record() {
        let line = r#"{"claim_id":"c1","claim":"It is 4 g.","source_id":"s","source":"4 g","answer_id":"a","risk_level":"high","more":1}"#;
        let pair = parse(line.as_bytes()).unwrap();
        let new = pair.record("pairs.jsonl:1".to_owned());
        let again = crate::format::native::parse(new.raw.as_bytes(), "pairs.jsonl:1".to_owned()).unwrap();
        assert_eq!(again.record, new);
        assert!(new.record.audit_id.as_str().starts_with("c1@s~"), "{}", new.record.audit_id);
        let other = Pair { claim: "It is 5 g.".to_owned(), ..pair.clone() };
        assert_ne!(other.record(String::new()).record.audit_id, new.record.audit_id);
        let long = Pair { claim_id: "ö".repeat(2000), ..pair };
        assert!(long.record(String::new()).record.audit_id.as_str().chars().count() <= 200);
    }

    #[test]
    fn what_is_no_pair_is_told_by_its_fields() {
        for (line, reason) in [
            (r#"{"claim_id":"c","claim":"x"}"#, "missing `source_id` (a text) and `source` (a text)"),
            (r#"{"claim_id":1,"claim":"x","source_id":"s","source":"y"}"#, "`claim_id` must be a text"),
            (r#"{"claim_id":"c","claim":" ! ","source_id":"s","source":"y"}"#, "`claim` holds nothing"),
            (r#"{"claim_id":"c","claim":"x","source_id":"s","source":""}"#, "`source` holds nothing"),
            (r#"{"claim_id":"","claim":"x","source_id":"s","source":"y"}"#, "claim_id is empty"),
            (r#"{"claim_id":"c","claim_id":"d","claim":"x","source_id":"s","source":"y"}"#, "stands twice"),
            (r#"["c"]"#, "found a list"),
            (r#"{"claim_id":"#, "the line ends early"),
        ] {
            let said = parse(line.as_bytes()).unwrap_err();
            assert!(said.contains(reason), "{line}: {said}");
        }
        assert!(parse(b"{\"claim\":\"\xff\"}").unwrap_err().starts_with("not UTF-8"));
    }
}
