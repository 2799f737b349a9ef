//! Replies as models write them.

use serde_json::json;

use super::*;

pub(super) fn schema() -> Schema {
    Schema::new("faithfulness", include_str!("faithfulness.json")).unwrap()
}

/// One whole answer, written as `serde_json` writes it.
pub(super) fn answer() -> Value {
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

pub(super) fn read_whole(text: &str) -> Read {
    read(text, &schema()).unwrap_or_else(|unread| panic!("{text}\n{unread:#?}"))
}

pub(super) fn unread(text: &str) -> Unread {
    read(text, &schema()).expect_err(text)
}

#[test]
fn a_plain_answer_is_read_without_a_note() {
    let read = read_whole(&answer().to_string());
    assert_eq!(read, Read { value: answer(), notes: vec![] });
}

#[test]
fn prose_alone_is_unreadable_and_another_shape_is_misshapen() {
    assert_eq!(unread("I cannot say.").ending, Ending::Unreadable);
    assert_eq!(unread(r#"{"claims": []}"#).ending, Ending::Misshapen);
}

#[test]
fn j01_a_fence_is_passed_over_and_noted() {
    let read = read_whole(&format!("```json\n{}\n```", answer()));
    assert_eq!(read.value, answer());
    assert_eq!(read.notes, ["A code fence round the answer was passed over."]);
}
