//! Replies as models write them.

mod changed;
mod hostile;
mod properties;
mod shapes;

use serde_json::json;

use super::*;

fn schema() -> Schema {
    Schema::new("faithfulness", include_str!("faithfulness.json")).unwrap()
}

/// One whole answer, written as `serde_json` writes it.
fn answer() -> Value {
    json!({
        "claims": [{
            "claim_id": "1",
            "sentence": 1,
            "claim_text": "The dose is 8 g.",
            "verdict": "CONTRADICTED",
            "evidence_citation": [{"passage_id": "p1", "quote": "at most 4 g", "role": "contradicts"}],
            "rationale": "The claim says 8 g, the evidence says 4 g.",
            "severity": "CRITICAL",
            "hallucination_type": null,
            "confidence": 0.9,
        }],
        "no_claim": [2],
    })
}

/// The answer with `change` made to its claim.
fn with(field: &str, value: impl Into<Value>) -> Value {
    let mut answer = answer();
    answer["claims"][0][field] = value.into();
    answer
}

fn read_whole(text: impl ToString) -> Read {
    let text = text.to_string();
    read(&text, &schema()).unwrap_or_else(|unread| panic!("{text}\n{unread:#?}"))
}

fn unread(text: impl ToString) -> Unread {
    let text = text.to_string();
    let unread = read(&text, &schema()).expect_err(&text);
    assert!(!unread.errors.is_empty() && unread.errors.len() <= MOST_TOLD, "{unread:?}");
    assert!(unread.errors.iter().all(|error| error.chars().count() <= LONGEST_TOLD + 1), "{unread:?}");
    unread
}

fn unreadable(text: impl ToString) -> String {
    let unread = unread(text);
    assert_eq!(unread.ending, Ending::Unreadable, "{unread:?}");
    unread.errors.join(" ")
}

fn misshapen(text: impl ToString) -> String {
    let unread = unread(text);
    assert_eq!(unread.ending, Ending::Misshapen, "{unread:?}");
    unread.errors.join(" ")
}
