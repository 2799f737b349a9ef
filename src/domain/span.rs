//! Places in a text that cannot be wrong: a span is checked against its text when it is made.
//!
//! Inside the program a span counts bytes; in JSON it counts Unicode scalar values, as a Python
//! string index does, end exclusive ([`CharSpan`]).

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A byte range on character borders of the text it was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    start: usize,
    end: usize,
}

impl Span {
    /// The span `range` of `text`; `None` when it is out of bounds, reversed, or cuts a character.
    pub fn new(text: &str, range: Range<usize>) -> Option<Self> {
        text.get(range.clone())?;
        Some(Self { start: range.start, end: range.end })
    }

    /// The span from character `start` to character `end` (exclusive) of `text`.
    pub fn from_chars(text: &str, chars: CharSpan) -> Option<Self> {
        if chars.end < chars.start {
            return None;
        }
        let mut borders = text.char_indices().map(|(at, _)| at).chain(std::iter::once(text.len()));
        let start = borders.nth(chars.start)?;
        let end = match chars.end - chars.start {
            0 => start,
            more => borders.nth(more - 1)?,
        };
        Some(Self { start, end })
    }

    pub fn start(self) -> usize {
        self.start
    }

    pub fn end(self) -> usize {
        self.end
    }

    pub fn len(self) -> usize {
        self.end - self.start
    }

    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// The words of `text` that the span covers; `None` when `text` is not the text it was made from
    /// and the span does not fit it.
    pub fn of(self, text: &str) -> Option<&str> {
        text.get(self.range())
    }

    /// The same place counted in characters.
    pub fn to_chars(self, text: &str) -> Option<CharSpan> {
        let before = text.get(..self.start)?.chars().count();
        let inside = self.of(text)?.chars().count();
        Some(CharSpan { start: before, end: before + inside })
    }

    pub fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// A range counted in Unicode scalar values, end exclusive: the form offsets have in all JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CharSpan {
    pub start: usize,
    pub end: usize,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn r05_a_span_never_cuts_a_character() {
        let text = "a💩b";
        assert_eq!(Span::new(text, 1..5).and_then(|s| s.of(text)), Some("💩"));
        assert_eq!(Span::new(text, 1..3), None);
        assert_eq!(Span::new(text, 0..7), None);
        #[expect(clippy::reversed_empty_ranges, reason = "a reversed range is the case under test")]
        let reversed = 5..1;
        assert_eq!(Span::new(text, reversed), None);
    }

    #[test]
    fn r03_an_end_beyond_a_text_of_two_directions_is_no_span_and_within_it_the_words_are_right() {
        let text = "دوز aspirin روزانه ۴ g است";
        let count = text.chars().count();
        let from = |start, end| Span::from_chars(text, CharSpan { start, end });
        assert_eq!(from(0, count).and_then(|span| span.of(text)), Some(text));
        assert_eq!(from(0, count + 1), None);
        assert_eq!(from(count, count + 2), None);
        // What bytes and UTF-16 units would count as an end.
        assert_eq!(from(4, text.len()), None);
        assert_eq!(from(4, 11).and_then(|span| span.of(text)), Some("aspirin"));
        assert_eq!(from(19, 22).and_then(|span| span.of(text)), Some("۴ g"));
    }

    proptest! {
        #[test]
        fn r01_chars_and_bytes_round_trip(text in "\\PC{0,40}", a in 0usize..50, b in 0usize..50) {
            let count = text.chars().count();
            let (start, end) = (a.min(b).min(count), a.max(b).min(count));
            let span = Span::from_chars(&text, CharSpan { start, end }).expect("in bounds");
            let expected: String = text.chars().skip(start).take(end - start).collect();
            prop_assert_eq!(span.of(&text), Some(expected.as_str()));
            prop_assert_eq!(span.to_chars(&text), Some(CharSpan { start, end }));
        }

        #[test]
        fn out_of_bounds_is_none(text in "\\PC{0,10}", past in 1usize..5) {
            let count = text.chars().count();
            let beyond = CharSpan { start: 0, end: count + past };
            prop_assert_eq!(Span::from_chars(&text, beyond), None);
        }
    }
}
