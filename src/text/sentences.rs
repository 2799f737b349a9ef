//! Where the sentences of a text stand. Knows punctuation and layout, not meaning: what is a claim
//! and what is not is for the judge.

use crate::domain::span::Span;

/// The sentences of `text` in order, trimmed of white space, not overlapping.
pub fn sentences(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        if matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '؟' | '۔' | '।') || end == text.len() {
            let part = &text[start..end];
            let from = start + (part.len() - part.trim_start().len());
            let to = from + part.trim().len();
            found.extend(Span::new(text, from..to).filter(|span| !span.is_empty()));
            start = end;
        }
    }
    found
}
