//! Evidence that a person chooses: places in a record's passages, with what they say about the claim.
//!
//! A chosen place is exact by construction: it names characters of a passage and repeats their words, and
//! whoever records it compares the two.

use serde::{Deserialize, Serialize};

use super::decision::HumanVerdict;
use super::ids::PassageId;
use super::record::{Passage, Record};
use super::span::{CharSpan, Span};
use super::verdict::{Citation, MatchLevel, Role};

/// The most places that one decision names.
pub const MOST_SPANS: usize = 50;

/// The longest of them, in bytes: evidence is a sentence or a paragraph, not a document.
pub const LONGEST_SPAN: usize = 16 * 1024;

/// A place in a passage that a person cites. Its JSON is the same in events, on the command line and in exports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChosenSpan {
    pub passage_id: PassageId,
    /// Characters of the passage's content, end exclusive.
    pub start: usize,
    pub end: usize,
    /// The words that stand there.
    pub quote: String,
    /// Whether they support or contradict the claim; never `closest`.
    pub role: Role,
}

/// Why a chosen place cannot be evidence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceError {
    #[error("the record has no passage `{0}`: name one of {1}")]
    NoPassage(PassageId, String),
    #[error(
        "{0}:{1}-{2} is no place in the passage, which has {3} characters: offsets count characters from 0, end exclusive"
    )]
    NoPlace(PassageId, usize, usize, usize),
    #[error("{0}:{1}-{2} holds no words: choose some")]
    Empty(PassageId, usize, usize),
    #[error("{0}:{1}-{2} does not say what is quoted: look again")]
    OtherWords(PassageId, usize, usize),
    #[error("{0}:{1}-{2} is longer than {LONGEST_SPAN} bytes: choose the words that decide")]
    TooLong(PassageId, usize, usize),
    #[error("evidence that a person chooses supports or contradicts: name one of the two")]
    Closest,
    #[error("{0}:{1}-{2} overlaps another chosen place of the same passage: choose each word once")]
    Overlap(PassageId, usize, usize),
    #[error("{0} places are chosen, at most {MOST_SPANS} are kept: choose those that decide")]
    TooMany(usize),
}

impl ChosenSpan {
    /// The words of `passage` at `span`; `None` when the span does not fit its content.
    pub fn new(passage: &Passage, span: Span, role: Role) -> Option<Self> {
        let CharSpan { start, end } = span.to_chars(&passage.content)?;
        let quote = span.of(&passage.content)?.to_owned();
        Some(Self { passage_id: passage.passage_id.clone(), start, end, quote, role })
    }

    /// Where it stands in the passage's content, in bytes; refused when it does not stand there.
    pub fn place(&self, record: &Record) -> Result<Span, ChoiceError> {
        let (id, start, end) = (|| self.passage_id.clone(), self.start, self.end);
        let passage = record.passage(&self.passage_id).ok_or_else(|| {
            let known: Vec<&str> =
                record.passages.iter().map(|passage| passage.passage_id.as_str()).take(12).collect();
            ChoiceError::NoPassage(id(), known.join(", "))
        })?;
        if self.role == Role::Closest {
            return Err(ChoiceError::Closest);
        }
        let span = Span::from_chars(&passage.content, CharSpan { start, end })
            .ok_or_else(|| ChoiceError::NoPlace(id(), start, end, passage.content.chars().count()))?;
        let words = span.of(&passage.content).unwrap_or_default();
        if words.trim().is_empty() {
            return Err(ChoiceError::Empty(id(), start, end));
        }
        if words != self.quote {
            return Err(ChoiceError::OtherWords(id(), start, end));
        }
        if words.len() > LONGEST_SPAN {
            return Err(ChoiceError::TooLong(id(), start, end));
        }
        Ok(span)
    }

    /// The same as a citation of the record; `None` when it does not stand there.
    pub fn citation(&self, record: &Record) -> Option<Citation> {
        let span = self.place(record).ok()?;
        Some(Citation {
            passage_id: self.passage_id.clone(),
            span: Some(span),
            quote: self.quote.clone(),
            role: self.role,
            level: MatchLevel::Exact,
        })
    }
}

/// Whether what a place of `role` says bears `verdict` out.
pub fn agrees(role: Role, verdict: HumanVerdict) -> bool {
    match role {
        Role::Supports => {
            matches!(verdict, HumanVerdict::FullySupported | HumanVerdict::PartiallySupported)
        }
        Role::Contradicts => verdict == HumanVerdict::Contradicted,
        Role::Closest => false,
    }
}

/// Whether a place in the evidence can show that `verdict` is right.
pub fn can_be_shown(verdict: HumanVerdict) -> bool {
    Role::ALL.iter().any(|role| agrees(*role, verdict))
}

/// Refuses a choice of which any place does not stand in `record`, or which names words twice.
pub fn check(chosen: &[ChosenSpan], record: &Record) -> Result<(), ChoiceError> {
    if chosen.len() > MOST_SPANS {
        return Err(ChoiceError::TooMany(chosen.len()));
    }
    for (at, one) in chosen.iter().enumerate() {
        one.place(record)?;
        let before = chosen.get(..at).unwrap_or_default();
        if before
            .iter()
            .any(|other| other.passage_id == one.passage_id && other.start < one.end && one.start < other.end)
        {
            return Err(ChoiceError::Overlap(one.passage_id.clone(), one.start, one.end));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::ids::AuditId;

    fn record(content: &str) -> Record {
        Record {
            audit_id: AuditId::new("a"),
            answer: "x".into(),
            passages: vec![Passage {
                passage_id: PassageId::new("p1"),
                content: content.into(),
                metadata: serde_json::Map::new(),
            }],
            question: None,
            risk_level: None,
            given_claims: Vec::new(),
            metadata: serde_json::Map::new(),
        }
    }

    fn chosen(start: usize, end: usize, quote: &str) -> ChosenSpan {
        ChosenSpan { passage_id: PassageId::new("p1"), start, end, quote: quote.into(), role: Role::Supports }
    }

    #[test]
    fn only_what_stands_in_the_passage_can_be_chosen() {
        let record = record("最大 4 g 💊 daily");
        assert_eq!(chosen(3, 6, "4 g").place(&record).map(Span::range), Ok(7..10));
        assert!(matches!(chosen(3, 6, "8 g").place(&record), Err(ChoiceError::OtherWords(..))));
        assert!(matches!(chosen(3, 99, "4 g").place(&record), Err(ChoiceError::NoPlace(.., 14))));
        assert!(matches!(chosen(2, 3, " ").place(&record), Err(ChoiceError::Empty(..))));
        let closest = ChosenSpan { role: Role::Closest, ..chosen(3, 6, "4 g") };
        assert_eq!(closest.place(&record), Err(ChoiceError::Closest));
        let elsewhere = ChosenSpan { passage_id: PassageId::new("p9"), ..chosen(3, 6, "4 g") };
        assert_eq!(
            elsewhere.place(&record).map_err(|error| error.to_string()),
            Err("the record has no passage `p9`: name one of p1".to_owned())
        );
        assert!(check(&[chosen(3, 6, "4 g"), chosen(7, 8, "💊")], &record).is_ok());
        assert!(matches!(
            check(&[chosen(3, 6, "4 g"), chosen(5, 6, "g")], &record),
            Err(ChoiceError::Overlap(..))
        ));
    }

    proptest! {
        #[test]
        fn r01_what_is_chosen_by_bytes_is_found_again_by_characters(text in "\\PC{1,40}", a in 0usize..40, b in 0usize..40) {
            let borders: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let (a, b) = (borders[a % borders.len()], borders[b % borders.len()]);
            let record = record(&text);
            let span = Span::new(&text, a.min(b)..a.max(b)).expect("on borders");
            let one = ChosenSpan::new(&record.passages[0], span, Role::Contradicts).expect("fits");
            match one.place(&record) {
                Ok(found) => prop_assert_eq!(found, span),
                Err(error) => prop_assert!(matches!(error, ChoiceError::Empty(..)), "{}", error),
            }
        }
    }
}
