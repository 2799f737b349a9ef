//! A judge by rule, for runs in which it only matters that every reply is one: it reads the numbered sentences or
//! claims of a prompt and finds nothing of them in the evidence.

use serde_json::{Value, json};

use super::shapes::{Shape, prompt};
use super::{Reply, Seen};

/// A valid reply to the question that was asked, in the protocol that it was asked in.
pub(crate) fn unsupported(seen: &Seen) -> Reply {
    Shape::of(seen).said(&reply_to(&prompt(seen)).to_string())
}

/// What such a judge says to this prompt. Which instrument asks shows in the names of its sections.
pub(crate) fn reply_to(prompt: &str) -> Value {
    if section(prompt, "PASSAGE").is_some() { support() } else { faithfulness(prompt) }
}

fn support() -> Value {
    json!({
        "key_evidence": [],
        "rationale": "The passage says nothing of it.",
        "missing_information": "The claim itself.",
        "score": 1,
        "support_level": "No Support / Contradicts",
        "confidence": 0.9,
    })
}

fn faithfulness(prompt: &str) -> Value {
    let sentences = labelled(section(prompt, "ANSWER").unwrap_or_default());
    let given = labelled(section(prompt, "CLAIMS").unwrap_or_default());
    let scope = scope(prompt);
    let entry = |id: &str, sentence: Option<u64>, quote: &str, text: &str| {
        json!({
            "claim_id": id,
            "sentence": sentence,
            "answer_quote": quote,
            "claim_text": text,
            "evidence_citation": [],
            "rationale": "Nothing of it stands in the passages.",
            "verdict": "UNSUPPORTED",
            "severity": "LOW",
            "hallucination_type": "FABRICATION",
            "confidence": 0.9,
        })
    };
    let claims: Vec<Value> = if given.is_empty() {
        let numbered = sentences.iter().filter_map(|(number, text)| Some((number.parse().ok()?, *text)));
        let asked = numbered.filter(|(number, _)| scope.as_ref().is_none_or(|scope| scope.contains(number)));
        asked.map(|(number, text)| entry(&format!("c{number}"), Some(number), text, text)).collect()
    } else {
        given.iter().map(|(id, text)| entry(id, None, "", text)).collect()
    };
    json!({"claims": claims, "no_claim": []})
}

/// What stands between the line `FENCE NAME` and the next line that begins with the fence. The fence itself is
/// found at the end: the last line that is `FENCE END`.
fn section<'a>(prompt: &'a str, name: &str) -> Option<&'a str> {
    let fence = prompt.lines().rev().find_map(|line| line.trim().strip_suffix(" END"))?;
    let begin = format!("{fence} {name}\n");
    let from = prompt.rfind(&begin)? + begin.len();
    let rest = &prompt[from..];
    Some(&rest[..rest.find(fence)?])
}

/// The lines `[LABEL] text` as label and text.
fn labelled(section: &str) -> Vec<(&str, &str)> {
    section.lines().filter_map(|line| line.strip_prefix('[')?.split_once("] ")).collect()
}

/// The numbers of the sentences to judge; `None` for all of them.
fn scope(prompt: &str) -> Option<Vec<u64>> {
    let line = prompt.lines().rev().find_map(|line| line.strip_prefix("To judge: "))?;
    let numbers: Vec<u64> =
        line.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect();
    (!numbers.is_empty()).then_some(numbers)
}
