//! What looks odd about a record that is good enough to go in: mostly retrieval gone wrong.

use std::collections::HashMap;

use crate::domain::record::Record;

/// Machines cut text at multiples of these, counted in characters or bytes, from [`SHORTEST_CUT`] on.
const ROUND: [usize; 2] = [500, 512];
const SHORTEST_CUT: usize = 500;

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
        if looks_cut(&passage.content) {
            warnings.push(format!("passage `{id}` looks cut off at its end"));
        }
    }
    warnings
}

/// Whether a passage was visibly cut. Many whole passages end without a full stop (a table, an
/// address, a registry number, Thai), so that alone says nothing. It says something
///
/// - after a mark of shortening,
/// - in the middle of a word (`medi-`), and
/// - where the length is one at which machines cut: a multiple of 500 or of 512.
fn looks_cut(passage: &str) -> bool {
    let content = passage.trim_end();
    let tail: String = content.chars().rev().take(12).collect::<Vec<_>>().into_iter().rev().collect();
    let tail = tail.to_lowercase();
    if CUT_MARKS.iter().any(|mark| tail.ends_with(mark)) {
        return true;
    }
    if content
        .strip_suffix(['-', '\u{2010}', '\u{ad}'])
        .is_some_and(|word| word.ends_with(char::is_alphabetic))
    {
        return true;
    }
    let ends_open = content.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ',' | ';' | '-' | '('));
    ends_open && [passage.chars().count(), passage.len()].into_iter().any(is_round)
}

fn is_round(length: usize) -> bool {
    length >= SHORTEST_CUT && ROUND.iter().any(|step| length.is_multiple_of(*step))
}
