//! What looks odd about a record that is good enough to go in: mostly retrieval gone wrong.

use std::collections::HashMap;

use crate::domain::record::Record;

/// A passage of at least so many characters that ends in mid-sentence was probably cut.
const LONG_PASSAGE: usize = 300;

/// How a text ends that somebody shortened.
const CUT_MARKS: &[&str] =
    &["...", "…", "[truncated]", "(truncated)", "<truncated>", "[…]", "[...]", "[cut]"];

/// Everything odd about `record`, each in a sentence.
pub(super) fn warnings(record: &Record) -> Vec<String> {
    let mut warnings = Vec::new();
    if record.answer.trim().is_empty() {
        warnings.push("the answer is empty".to_owned());
    }
    if record.passages.is_empty() {
        warnings.push("no evidence passages: nothing can be checked".to_owned());
    }
    let mut first_with: HashMap<&str, &str> = HashMap::with_capacity(record.passages.len());
    for passage in &record.passages {
        let id = passage.passage_id.as_str();
        let content = passage.content.trim();
        if content.is_empty() {
            warnings.push(format!("passage `{id}` is empty"));
            continue;
        }
        if let Some(first) = first_with.get(content) {
            warnings.push(format!("passage `{id}` is the same as `{first}`"));
            continue;
        }
        first_with.insert(content, id);
        if looks_cut(content) {
            warnings.push(format!("passage `{id}` looks cut off at its end"));
        }
    }
    warnings
}

fn looks_cut(content: &str) -> bool {
    let tail: String = content.chars().rev().take(12).collect::<Vec<_>>().into_iter().rev().collect();
    let tail = tail.to_lowercase();
    if CUT_MARKS.iter().any(|mark| tail.ends_with(mark)) {
        return true;
    }
    let in_mid_sentence = content
        .chars()
        .next_back()
        .is_some_and(|c| c.is_alphanumeric() || matches!(c, ',' | ';' | '-' | '('));
    // A text without any stop (a table, Thai) says nothing by not ending in one.
    in_mid_sentence
        && content.chars().nth(LONG_PASSAGE - 1).is_some()
        && content.contains(['.', '!', '?', '。', '！', '？', '؟', '۔', '।'])
}
