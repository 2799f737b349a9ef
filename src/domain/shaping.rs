//! Claims that a person makes: one that the judge left out, two out of one, one out of several.
//!
//! The judge's claims are never altered: what a person makes stands beside them or in their place. Must not know
//! how it is recorded.

use std::ops::Range;

use super::decision::Ruling;
use super::ids::{Annotator, ClaimId, ClaimKey, RecordKey};
use super::span::Span;
use super::word::ruled;

/// The longest claim, in bytes: a claim is a sentence or two.
pub const LONGEST_CLAIM: usize = 4096;

/// A claim that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewClaim {
    pub claim_text: String,
    /// Where in the answer it stands, if it stands there.
    pub answer_span: Option<Span>,
}

/// What a person makes of the claims of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// A claim that is missing.
    Add { record: RecordKey, claim: NewClaim },
    /// Two claims in place of one.
    Split { claim: ClaimKey, parts: [NewClaim; 2] },
    /// One claim in place of several of the same answer.
    Merge { claims: Vec<ClaimKey>, into: NewClaim },
}

/// What somebody said of a claim and what does not count any more when others stand in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct SetAside {
    pub claim: ClaimId,
    pub annotator: Annotator,
    /// Whether it is the word of the person who asks.
    pub own: bool,
    /// The event that recorded it.
    pub seq: i64,
    /// What they ruled; `None` of a blind verdict that they have yet to keep or change.
    pub ruling: Option<Ruling>,
}

impl SetAside {
    /// `ben ruled CONTRADICTED CRITICAL on rx-1#2`, of all of them.
    pub fn said(all: &[Self]) -> String {
        let said = |one: &Self| {
            let who = if one.own { "you" } else { one.annotator.as_str() };
            match &one.ruling {
                Some(ruling) => format!("{} on {}", ruled(who, ruling), one.claim),
                None => format!("{who} judged {} blind", one.claim),
            }
        };
        all.iter().map(said).collect::<Vec<_>>().join(" and ")
    }
}

/// Why claims cannot be made so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    #[error("there are no words in it: choose some")]
    Empty,
    #[error("a claim has at most {LONGEST_CLAIM} bytes: choose the words that say one thing")]
    TooLong,
    #[error("there is no word on one side of the cut: choose another place")]
    NothingToCut,
}

impl NewClaim {
    /// The words of `answer` at `span`, without the blanks around them.
    pub fn of_answer(answer: &str, span: Span) -> Result<Self, ShapeError> {
        let range = trimmed(answer, span.range());
        let span = Span::new(answer, range).ok_or(ShapeError::Empty)?;
        Self { claim_text: span.of(answer).unwrap_or_default().to_owned(), answer_span: Some(span) }.sound()
    }

    /// A claim that stands: at `span`, else where `answer` says it in the same words and no second time.
    pub fn standing(claim_text: &str, answer: &str, span: Option<Span>) -> Self {
        let words = claim_text.trim();
        let once = || {
            let at = answer.find(words).filter(|_| !words.is_empty())?;
            (answer.rfind(words) == Some(at)).then(|| Span::new(answer, at..at + words.len())).flatten()
        };
        Self { claim_text: claim_text.to_owned(), answer_span: span.or_else(once) }
    }

    /// The same claim in other words.
    pub fn worded(self, words: &str) -> Result<Self, ShapeError> {
        Self { claim_text: words.trim().to_owned(), ..self }.sound()
    }

    fn sound(self) -> Result<Self, ShapeError> {
        match self.claim_text.len() {
            0 => Err(ShapeError::Empty),
            long if long > LONGEST_CLAIM => Err(ShapeError::TooLong),
            _ => Ok(self),
        }
    }

    /// Both sides of this claim when it is cut before the byte `at` of its text. Each has its own place in
    /// `answer` where the answer says it in the same words, else both have the whole place.
    pub fn cut(&self, answer: &str, at: usize) -> Result<[Self; 2], ShapeError> {
        let (first, second) = self.claim_text.split_at_checked(at).ok_or(ShapeError::NothingToCut)?;
        if ![first, second].iter().all(|side| side.contains(char::is_alphanumeric)) {
            return Err(ShapeError::NothingToCut);
        }
        // The words are the answer's own, perhaps without its full stop.
        let begins = self.answer_span.and_then(|span| {
            let offset = span.of(answer)?.find(self.claim_text.as_str())?;
            Some(span.start() + offset)
        });
        let side = |range: Range<usize>| {
            let range = trimmed(&self.claim_text, range);
            let place = begins.and_then(|begins| Span::new(answer, begins + range.start..begins + range.end));
            Self {
                claim_text: self.claim_text.get(range).unwrap_or_default().to_owned(),
                answer_span: place.or(self.answer_span),
            }
        };
        Ok([side(0..at), side(at..self.claim_text.len())])
    }

    /// One claim for all of `claims`, in the order of the answer. Where they stand there in their own words with
    /// nothing but marks and blanks between, it is that stretch of the answer, else their words one after the other.
    pub fn merged(answer: &str, claims: &[Self]) -> Result<Self, ShapeError> {
        let mut claims: Vec<&Self> = claims.iter().collect();
        claims.sort_by_key(|claim| claim.answer_span.map_or(usize::MAX, Span::start));
        let words = claims.iter().map(|claim| claim.claim_text.trim()).collect::<Vec<_>>().join(" ");
        let is_quoted = |claim: &&Self| {
            let words = claim.answer_span.and_then(|span| span.of(answer)).unwrap_or_default();
            words
                .split_once(claim.claim_text.as_str())
                .is_some_and(|(before, after)| only_joins(before) && only_joins(after))
        };
        let follows = |pair: &[&Self]| match pair {
            [one, next] => one
                .answer_span
                .zip(next.answer_span)
                .is_some_and(|(one, next)| answer.get(one.end()..next.start()).is_some_and(only_joins)),
            _ => false,
        };
        let ends = claims.first().zip(claims.last());
        let hull = ends
            .and_then(|(first, last)| Span::new(answer, first.answer_span?.start()..last.answer_span?.end()));
        let hull = hull.filter(|_| claims.windows(2).all(follows));
        match hull {
            Some(span) if claims.iter().all(is_quoted) => Self::of_answer(answer, span),
            hull => Self { claim_text: words, answer_span: hull }.sound(),
        }
    }
}

/// Words that join two statements and say nothing themselves.
const JOINING: [&str; 8] = ["and", "und", "et", "y", "e", "og", "och", "و"];

/// Whether nothing is said in `between`, so that the text can be quoted over it.
fn only_joins(between: &str) -> bool {
    between
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .all(|word| JOINING.contains(&word.to_lowercase().as_str()))
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let words = text.get(range.clone()).unwrap_or_default();
    let start = range.start + (words.len() - words.trim_start().len());
    start..start + words.trim().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = "Take 8 g per day, and rest. Call a doctor.";

    fn claim(words: &str) -> NewClaim {
        let start = ANSWER.find(words).expect("it stands in the answer");
        NewClaim::of_answer(ANSWER, Span::new(ANSWER, start..start + words.len()).expect("borders"))
            .expect("sound")
    }

    fn places(claims: &[NewClaim]) -> Vec<(&str, Option<&str>)> {
        let place = |claim: &NewClaim| claim.answer_span.map(|span| &ANSWER[span.range()]);
        claims.iter().map(|claim| (claim.claim_text.as_str(), place(claim))).collect()
    }

    #[test]
    fn a_cut_gives_each_side_its_own_place_in_the_answer() {
        let whole = claim("Take 8 g per day, and rest.");
        let parts = whole.cut(ANSWER, 18).expect("two sides");
        assert_eq!(
            places(&parts),
            [("Take 8 g per day,", Some("Take 8 g per day,")), ("and rest.", Some("and rest."))]
        );
        let worded = whole.worded("One takes 8 g and rests").expect("sound");
        let parts = worded.cut(ANSWER, 14).expect("two sides");
        assert_eq!(parts[1].claim_text, "and rests");
        assert_eq!(parts[0].answer_span, parts[1].answer_span, "in other words both have the whole place");
        for at in [0, 23, 99] {
            assert_eq!(worded.cut(ANSWER, at), Err(ShapeError::NothingToCut), "{at}");
        }
    }

    #[test]
    fn neighbours_merge_into_the_stretch_and_others_into_their_words() {
        let parts = claim("Take 8 g per day, and rest.").cut(ANSWER, 18).expect("two sides");
        let back = NewClaim::merged(ANSWER, &[parts[1].clone(), parts[0].clone()]).expect("sound");
        assert_eq!(places(&[back]), [("Take 8 g per day, and rest.", Some("Take 8 g per day, and rest."))]);
        // Split by a person, the second half lost the word that joined it; put together again it is there.
        let bare = parts[1].clone().worded("rest.").expect("sound");
        let whole = NewClaim::merged(ANSWER, &[parts[0].clone(), bare]).expect("sound");
        assert_eq!(whole.claim_text, "Take 8 g per day, and rest.");
        let apart = NewClaim::merged(ANSWER, &[parts[0].clone(), claim("Call a doctor.")]).expect("sound");
        assert_eq!(places(&[apart]), [("Take 8 g per day, Call a doctor.", None)]);
    }

    #[test]
    fn what_says_nothing_or_too_much_is_no_claim() {
        let blank = Span::new(ANSWER, 4..5).expect("borders");
        assert_eq!(NewClaim::of_answer(ANSWER, blank), Err(ShapeError::Empty));
        assert_eq!(claim("Take").worded(&"x".repeat(5000)), Err(ShapeError::TooLong));
    }
}
