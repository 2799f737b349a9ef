//! Places in the texts of a record, in bytes and in characters.

use std::collections::HashMap;

use serde::Serialize;

use super::{Fallible, refused};
use crate::domain::record::Record;
use crate::domain::span::Span;

/// A span in characters and in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Place {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) start_byte: i64,
    pub(super) end_byte: i64,
}

/// The texts of a record, ready to turn byte offsets into character offsets without walking a
/// megabyte for every span.
pub(super) struct Texts<'r> {
    record: &'r Record,
    marks: HashMap<Option<&'r str>, Vec<usize>>,
}

const STRIDE: usize = 4096;

impl<'r> Texts<'r> {
    pub(super) fn new(record: &'r Record) -> Self {
        Self { record, marks: HashMap::new() }
    }

    pub(super) fn in_answer(&mut self, span: Span) -> Fallible<Place> {
        self.place(None, &self.record.answer, span)
    }

    pub(super) fn in_passage(&mut self, id: &str, span: Span) -> Fallible<Place> {
        match self.record.passages.iter().find(|passage| passage.passage_id.as_str() == id) {
            Some(passage) => self.place(Some(passage.passage_id.as_str()), &passage.content, span),
            None => refused(format!("{} has no passage `{id}` to cite", self.record.audit_id)),
        }
    }

    fn place(&mut self, name: Option<&'r str>, text: &'r str, span: Span) -> Fallible<Place> {
        if span.of(text).is_none() {
            return refused(format!(
                "{}: bytes {}–{} do not exist in {}",
                self.record.audit_id,
                span.start(),
                span.end(),
                name.map_or_else(|| "the answer".to_owned(), |name| format!("passage `{name}`")),
            ));
        }
        let marks = self.marks.entry(name).or_insert_with(|| {
            let blocks = text.as_bytes().chunks(STRIDE);
            blocks
                .scan(0, |seen, block| {
                    let before = *seen;
                    *seen += characters(block);
                    Some(before)
                })
                .collect()
        });
        let at = |byte: usize| {
            let block = byte / STRIDE;
            let before = marks.get(block).copied();
            // Exactly at the end of a text of whole blocks there is no block any more.
            let (block, before) = match before {
                Some(before) => (block, before),
                None => (block.saturating_sub(1), marks.last().copied().unwrap_or(0)),
            };
            (before + characters(&text.as_bytes()[(block * STRIDE).min(byte)..byte])) as i64
        };
        Ok(Place {
            start: at(span.start()),
            end: at(span.end()),
            start_byte: span.start() as i64,
            end_byte: span.end() as i64,
        })
    }
}

/// How many characters begin in `bytes` of UTF-8.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::ids::AuditId;

    fn record(answer: String) -> Record {
        Record {
            audit_id: AuditId::new("rx-1"),
            answer,
            passages: Vec::new(),
            question: None,
            risk_level: None,
            given_claims: Vec::new(),
            metadata: serde_json::Map::new(),
        }
    }

    proptest! {
        #[test]
        fn r01_places_in_long_texts_count_as_a_span_does(unit in "\\PC{1,9}", times in 1_usize..2500, a in 0_usize..20_000, b in 0_usize..20_000) {
            let record = record(unit.repeat(times));
            let border = |mut at: usize| {
                at = at.min(record.answer.len());
                while !record.answer.is_char_boundary(at) {
                    at -= 1;
                }
                at
            };
            let span = Span::new(&record.answer, border(a.min(b))..border(a.max(b))).unwrap();
            let place = Texts::new(&record).in_answer(span).unwrap();
            let chars = span.to_chars(&record.answer).unwrap();
            prop_assert_eq!((place.start, place.end), (chars.start as i64, chars.end as i64));
        }
    }

    #[test]
    fn the_very_end_of_whole_blocks_is_a_place() {
        let record = record("x".repeat(2 * STRIDE));
        let span = Span::new(&record.answer, STRIDE..2 * STRIDE).unwrap();
        let place = Texts::new(&record).in_answer(span).unwrap();
        assert_eq!((place.start, place.end), (STRIDE as i64, 2 * STRIDE as i64));
    }
}
