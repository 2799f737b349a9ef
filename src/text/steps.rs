//! Words and sentences as a person steps through them, found near a place of a text.
//!
//! Only the neighbourhood is looked at, so that a step costs the same in a megabyte as in a line. What is
//! returned never cuts what a person sees as one character. Knows nothing of screens or spans of judges.

use std::ops::Range;

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

use super::sentences::sentences;

/// So much is looked at in one go, in bytes.
const WINDOW: usize = 1024;

/// The longest stretch without a word that a step goes over, in windows.
const MOST_WINDOWS: usize = 256;

/// A sentence is looked for in so many bytes before and after a place.
const AROUND: usize = 4096;

/// The word that holds `at`, else the next one, else the last one.
pub fn word_at(text: &str, at: usize) -> Option<Range<usize>> {
    let at = text.floor_char_boundary(at.min(text.len()));
    // A word that holds the place ends behind it.
    let holds = next_word(text, word_start(text, at)).filter(|word| word.start <= at && at < word.end);
    holds.or_else(|| next_word(text, at)).or_else(|| previous_word(text, text.len()))
}

/// The first word that begins at `from` or behind it.
pub fn next_word(text: &str, from: usize) -> Option<Range<usize>> {
    let mut from = text.ceil_char_boundary(from.min(text.len()));
    for _ in 0..MOST_WINDOWS {
        let end = text.ceil_char_boundary((from + WINDOW).min(text.len()));
        let window = text.get(from..end).filter(|window| !window.is_empty())?;
        let mut rest = end;
        for (at, piece) in window.split_word_bound_indices() {
            // What the window cuts is read again from its beginning.
            if at > 0 && from + at + piece.len() == end && end < text.len() {
                rest = from + at;
                break;
            }
            if is_word(piece) {
                return Some(whole(text, from + at..from + at + piece.len()));
            }
        }
        from = rest;
    }
    None
}

/// The last word that ends at `before` or ahead of it.
pub fn previous_word(text: &str, before: usize) -> Option<Range<usize>> {
    let mut before = text.floor_char_boundary(before.min(text.len()));
    for _ in 0..MOST_WINDOWS {
        let start = text.floor_char_boundary(before.saturating_sub(WINDOW));
        let window = text.get(start..before).filter(|window| !window.is_empty())?;
        let mut first = 0;
        let mut found = None;
        for (at, piece) in window.split_word_bound_indices() {
            if at == 0 && piece.len() < window.len() && start > 0 {
                // It may have begun before the window.
                first = piece.len();
            } else if is_word(piece) {
                found = Some(start + at..start + at + piece.len());
            }
        }
        if let Some(found) = found {
            return Some(whole(text, found));
        }
        before = start + first;
    }
    None
}

/// Where the word that may hold `at` begins.
fn word_start(text: &str, at: usize) -> usize {
    let start = text.floor_char_boundary(at.saturating_sub(WINDOW));
    let end = text.ceil_char_boundary((at + WINDOW).min(text.len()));
    let window = text.get(start..end).unwrap_or_default();
    window
        .split_word_bound_indices()
        .map(|(begins, _)| start + begins)
        .take_while(|begins| *begins <= at)
        .last()
        .unwrap_or(at)
}

/// The sentence that holds `at`, else the next one, else the last one before it.
pub fn sentence_at(text: &str, at: usize) -> Option<Range<usize>> {
    let near = near(text, at);
    near.iter()
        .find(|one| at < one.end)
        .or(near.last())
        .cloned()
        .or_else(|| next_sentence(text, at))
        .or_else(|| previous_sentence(text, at))
}

/// The first sentence that begins at `from` or behind it.
pub fn next_sentence(text: &str, from: usize) -> Option<Range<usize>> {
    let mut at = from;
    for _ in 0..MOST_WINDOWS / 4 {
        if let Some(found) = near(text, at).into_iter().find(|one| one.start >= from) {
            // The end of the window may have cut it.
            return Some(near(text, found.start).into_iter().find(|one| one.start >= from).unwrap_or(found));
        }
        if at >= text.len() {
            return None;
        }
        at += AROUND;
    }
    None
}

/// The last sentence that ends at `before` or ahead of it.
pub fn previous_sentence(text: &str, before: usize) -> Option<Range<usize>> {
    let mut at = before;
    for _ in 0..MOST_WINDOWS / 4 {
        if let Some(found) = near(text, at).into_iter().rfind(|one| one.end <= before) {
            // Its beginning may lie before the window.
            return near(text, found.start).into_iter().rfind(|one| one.end <= before).or(Some(found));
        }
        at = at.checked_sub(AROUND)?;
    }
    None
}

/// The sentences around `at`. The first and the last may be cut where the text goes on.
fn near(text: &str, at: usize) -> Vec<Range<usize>> {
    let at = at.min(text.len());
    let start = text.floor_char_boundary(at.saturating_sub(AROUND));
    let end = text.ceil_char_boundary((at + AROUND).min(text.len()));
    let window = text.get(start..end).unwrap_or_default();
    sentences(window).into_iter().map(|one| whole(text, start + one.start()..start + one.end())).collect()
}

/// `range` with what is cut of the characters that a person sees.
fn whole(text: &str, range: Range<usize>) -> Range<usize> {
    let is_border = |at: usize| {
        let mut cursor = GraphemeCursor::new(at, text.len(), true);
        cursor.is_boundary(text, 0).unwrap_or(true)
    };
    let mut start = range.start;
    while start > 0 && !is_border(start) {
        start = text.floor_char_boundary(start - 1);
    }
    let mut end = range.end;
    while end < text.len() && !is_border(end) {
        end = text.ceil_char_boundary(end + 1);
    }
    start..end
}

/// Whether a piece between word borders is something to choose: not blank, and more than punctuation.
fn is_word(piece: &str) -> bool {
    piece.chars().any(|c| !c.is_whitespace() && !c.is_control() && !is_punctuation(c))
}

/// Marks that stand between words. Signs that say something (`%`, `<`, `+`, `€`) are words.
fn is_punctuation(c: char) -> bool {
    matches!(
        c,
        '.' | ',' | ';' | ':' | '!' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '"' | '\'' | '`' | '/' | '\\' | '|'
            | '-' | '_' | '*' | '#'
            | '¡' | '¿' | '·' | '•' | '«' | '»' | '‹' | '›' | '\u{2010}'..='\u{2027}' | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
            | '،' | '؛' | '؟' | '۔' | '।' | '॥' | '\u{3001}' | '\u{3002}' | '\u{3008}'..='\u{3011}'
            | '\u{3014}'..='\u{301b}' | '！' | '（' | '）' | '，' | '．' | '：' | '；' | '？' | '｡' | '・'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn forward(text: &str) -> Vec<&str> {
        let mut words = Vec::new();
        let mut at = 0;
        while let Some(word) = next_word(text, at) {
            at = word.end;
            words.push(&text[word]);
        }
        words
    }

    fn backward(text: &str) -> Vec<&str> {
        let mut words = Vec::new();
        let mut at = text.len();
        while let Some(word) = previous_word(text, at) {
            at = word.start;
            words.push(&text[word]);
        }
        words.reverse();
        words
    }

    #[test]
    fn words_are_what_people_choose() {
        for (text, words) in [
            (
                "At most 4 g (in 24 h), p < 0.05.",
                &["At", "most", "4", "g", "in", "24", "h", "p", "<", "0.05"][..],
            ),
            ("最大4克。", &["最", "大", "4", "克"]),
            ("او می‌رود، بله", &["او", "می‌رود", "بله"]),
            ("👩‍👩‍👧 and 🇩🇪🇫🇷", &["👩‍👩‍👧", "and", "🇩🇪", "🇫🇷"]),
            ("e\u{301}te\u{301} x\u{308}", &["e\u{301}te\u{301}", "x\u{308}"]),
            (" … — ", &[]),
            ("", &[]),
        ] {
            assert_eq!(forward(text), words, "{text}");
            assert_eq!(backward(text), words, "{text}");
        }
    }

    #[test]
    fn the_word_at_a_place_is_the_one_that_holds_it_or_the_next() {
        let text = "one, two";
        assert_eq!(word_at(text, 1), Some(0..3));
        assert_eq!(word_at(text, 3), Some(5..8), "on the comma: the next");
        assert_eq!(word_at(text, 99), Some(5..8), "behind the end: the last");
        assert_eq!(word_at("", 0), None);
    }

    #[test]
    fn sentences_are_stepped_through_both_ways() {
        let text = "Dr. Hale took 4 g. She slept. 最大4克。最小1克。";
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(one) = next_sentence(text, at) {
            at = one.end;
            found.push(text[one].to_owned());
        }
        assert_eq!(found, ["Dr. Hale took 4 g.", "She slept.", "最大4克。", "最小1克。"]);
        let mut back = Vec::new();
        let mut at = text.len();
        while let Some(one) = previous_sentence(text, at) {
            at = one.start;
            back.insert(0, text[one].to_owned());
        }
        assert_eq!(back, found);
        assert_eq!(sentence_at(text, 20).map(|one| &text[one]), Some("She slept."));
        assert_eq!(sentence_at("", 0), None);
    }

    #[test]
    fn a_long_text_is_stepped_through_like_a_short_one() {
        let text = "The dose is 4 g per day. ".repeat(2000);
        assert_eq!(forward(&text).len(), 14_000);
        assert_eq!(backward(&text).len(), 14_000);
        let mut at = 0;
        let mut count = 0;
        while let Some(one) = next_sentence(&text, at) {
            assert_eq!(&text[one.clone()], "The dose is 4 g per day.");
            at = one.end;
            count += 1;
        }
        assert_eq!(count, 2000);
        let solid = "字".repeat(3000);
        assert_eq!(forward(&solid).len(), 3000);
        let endless = "x".repeat(5000);
        assert!(next_word(&endless, 0).is_some() && previous_word(&endless, 5000).is_some());
    }

    proptest! {
        #[test]
        fn no_step_cuts_a_character(text in "[a-z .,。字مى\u{200c}\u{301}👩\u{200d}🇩🇪]{0,60}", at in 0usize..200) {
            let borders: Vec<usize> =
                text.grapheme_indices(true).map(|(at, _)| at).chain([text.len()]).collect();
            for found in [word_at(&text, at), sentence_at(&text, at), next_sentence(&text, text.ceil_char_boundary(at.min(text.len())))]
                .into_iter()
                .flatten()
            {
                prop_assert!(borders.contains(&found.start) && borders.contains(&found.end), "{:?}", found);
                prop_assert!(found.start < found.end);
            }
            // Of half flags what is one word and what is one character differ, and a step takes the longer.
            if !text.contains('🇩') && !text.contains('🇪') {
                prop_assert_eq!(forward(&text).len(), backward(&text).len());
            }
        }
    }
}
