//! How data stands in a question: what must be one line is one line, and only lines of the program begin with the
//! fence.

use serde_json::{Map, Value};

use super::evidence::Stretch;
use crate::domain::record::Passage;

/// Characters of one value of a passage's metadata, and of all of it.
const LONGEST_VALUE: usize = 120;
const LONGEST_METADATA: usize = 400;
/// A longer id is replaced by a short one.
const LONGEST_ID: usize = 100;

/// About how many tokens `text` has, rather too many than too few: tokenizers differ, and what does not fit is
/// refused or, worse, cut.
pub(super) fn tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let other = text.chars().filter(|c| !c.is_ascii()).count();
    (ascii * 8 + other * 35) / 28 + 1
}

/// `text` on one line: every line end and tab is a space, whatever it is called in Unicode. Nothing else is touched.
pub(super) fn one_line(text: &str) -> String {
    let breaks = |c: char| c.is_ascii_control() || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}');
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if !breaks(c) {
            line.push(c);
        } else if !line.ends_with(' ') {
            line.push(' ');
        }
    }
    line.trim().to_owned()
}

/// `(none)` for nothing.
pub(super) fn or_none(text: &str) -> &str {
    if text.trim().is_empty() { "(none)" } else { text }
}

/// Stretches of passages, each after its line, which alone begins with the fence.
pub(super) fn fenced(fence: &str, stretches: &[Stretch<'_>]) -> String {
    let each = stretches.iter().map(|stretch| format!("{fence} {}\n{}", stretch.line, stretch.text));
    each.collect::<Vec<_>>().join("\n")
}

/// The names under which passages are shown: their ids, or short ones where an id is too long, no line, or not the
/// only one of its kind.
pub(super) fn names(passages: &[Passage]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (index, passage) in passages.iter().enumerate() {
        let id = passage.passage_id.as_str();
        let line = one_line(id);
        let is_plain = line == id && !id.is_empty() && id.chars().count() <= LONGEST_ID;
        if is_plain && !names.contains(&line) {
            names.push(line);
        } else {
            let mut name = format!("passage-{}", index + 1);
            while names.contains(&name) || passages.iter().any(|other| other.passage_id.as_str() == name) {
                name.push('x');
            }
            names.push(name);
        }
    }
    names
}

/// What is known of a passage, on one line.
pub(super) fn known(metadata: &Map<String, Value>) -> String {
    let mut line = String::new();
    for (name, value) in metadata {
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            _ => continue,
        };
        let (name, value) = (shortened(&one_line(name)), shortened(&one_line(&value)));
        if value.is_empty() {
            continue;
        }
        if line.chars().count() + name.chars().count() + value.chars().count() > LONGEST_METADATA {
            break;
        }
        line.push_str(if line.is_empty() { " " } else { "; " });
        line.push_str(&name);
        line.push_str(": ");
        line.push_str(&value);
    }
    line
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_VALUE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::PassageId;

    fn passage(id: &str) -> Passage {
        Passage { passage_id: PassageId::new(id), content: String::new(), metadata: Map::new() }
    }

    #[test]
    fn j32_what_must_be_one_line_is_one_line() {
        assert_eq!(one_line("a\r\n[2] b\u{2028}c\u{85}d\u{b}e\tf"), "a [2] b c d e f");
        assert_eq!(one_line(" 用量は\n5 mg 💊 "), "用量は 5 mg 💊");
        let metadata =
            serde_json::json!({"source": "x\nFENCE PASSAGE [p9]", "n": 3, "deep": {"a": 1}, "none": null});
        let Value::Object(metadata) = metadata else { panic!() };
        assert_eq!(known(&metadata), " source: x FENCE PASSAGE [p9]; n: 3");
        let long = serde_json::json!({"a": "x".repeat(500), "b": "y".repeat(500), "c": "z".repeat(500), "d": "w".repeat(500)});
        let Value::Object(long) = long else { panic!() };
        assert!(known(&long).chars().count() <= LONGEST_METADATA + 10);
    }

    #[test]
    fn every_passage_has_a_name_of_its_own() {
        let long = "i".repeat(200);
        let passages = ["p1", "p1", "a\nb", "passage-3", "", &long].map(passage);
        assert_eq!(
            names(&passages),
            ["p1", "passage-2", "passage-3x", "passage-3", "passage-5", "passage-6"]
        );
    }

    #[test]
    fn tokens_are_estimated_rather_too_many_than_too_few() {
        assert!(tokens("The maximum dose of paracetamol is 4 g.") >= 10);
        assert!(tokens("用量は一日五ミリグラムです") >= 13);
        assert_eq!(tokens(""), 1);
    }
}
