//! A claim and a source, for scoring how directly the one bears out the other: one line in, one pair out, or the
//! reason why not.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::native::{Holds, MAX_INNER_ID, json_reason, kind, name, no_nul, not_utf8, wrong_field};
use crate::domain::ids::PassageId;
use crate::domain::record::Passage;

/// A claim and the source that is to bear it out.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    pub claim_id: String,
    pub claim: String,
    pub source: Passage,
}

#[derive(Deserialize)]
struct Form {
    claim_id: String,
    claim: String,
    source_id: String,
    source: String,
    source_metadata: Option<Map<String, Value>>,
}

const PAIR: &[(&str, Holds)] = &[
    ("claim_id", Holds::Text),
    ("claim", Holds::Text),
    ("source_id", Holds::Text),
    ("source", Holds::Text),
    ("source_metadata", Holds::OptionalObject),
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
    let form: Form = serde_json::from_str(raw).map_err(|error| json_reason(&error))?;
    name("claim_id", &form.claim_id, MAX_INNER_ID)?;
    name("source_id", &form.source_id, MAX_INNER_ID)?;
    for (what, text) in [("`claim`", &form.claim), ("`source`", &form.source)] {
        no_nul(what, text)?;
        if !text.chars().any(char::is_alphanumeric) {
            return Err(format!("{what} holds nothing that could be scored"));
        }
    }
    Ok(Pair {
        claim_id: form.claim_id,
        claim: form.claim,
        source: Passage {
            passage_id: PassageId::new(form.source_id),
            content: form.source,
            metadata: form.source_metadata.unwrap_or_default(),
        },
    })
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
