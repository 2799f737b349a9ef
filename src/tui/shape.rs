//! Claims that a person is about to make: the words of a new one, the cut through one, or those that become one.
//!
//! Part of the screen's state: plain data, changed only by `update`. Must not know how it is drawn or recorded.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tui_textarea::TextArea;

use crate::domain::draft::DraftKind;
use crate::domain::ids::ClaimKey;
use crate::domain::queue::{ClaimDetail, Sibling};
use crate::domain::shaping::{NewClaim, Shape, ShapeError};
use crate::domain::span::Span;
use crate::text::locate::locate;
use crate::text::sentences::sentences;
use crate::text::stem::Stem;
use crate::text::steps;
use crate::text::tokens::tokens;

use super::command::Place;
use super::cursor::WordCursor;
use super::widget::passage::Scroll;

/// What has the keyboard while a person makes claims.
#[derive(Debug, Clone)]
pub struct ShapeEditor {
    /// The claim from which it began, with its answer.
    pub detail: Arc<ClaimDetail>,
    pub work: Work,
    /// What the person has typed in place of the text's own words, one for each claim that is made.
    pub words: Option<Vec<TextArea<'static>>>,
    /// Which of these has the keyboard; none while places are chosen.
    pub typing: Option<usize>,
    /// Why the store would not take it.
    pub error: Option<String>,
    /// The store was asked, and has not answered yet.
    pub sent: bool,
    /// It was said where it would stand; the same key again makes it.
    pub warned: bool,
    /// The events of the rulings that were told to count no more then; the same key again makes it.
    pub over: Vec<i64>,
    /// The person went to the place of a new claim themselves.
    pub is_placed: bool,
}

/// What is being made.
#[derive(Debug, Clone)]
pub enum Work {
    /// A claim that is missing: these words of the answer.
    Add { cursor: WordCursor, scroll: Scroll },
    /// Two claims out of one, cut at one of these places.
    Split { cuts: Vec<Cut>, at: usize },
    /// One claim out of several: which siblings are taken, and the line in hand.
    Merge { taken: Vec<bool>, at: usize },
}

/// A place between two words of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The byte of the claim's text with which the second claim begins.
    pub at: usize,
    /// How well it divides two statements; 0 is any place between two words.
    pub rank: u8,
}

/// Words between two statements: cutting before them leaves both whole.
const CONNECTIVES: [&str; 13] =
    ["and", "but", "while", "whereas", "und", "aber", "während", "et", "mais", "pero", "و", "اما", "ولی"];

/// Marks between two statements, and weaker ones.
const DIVIDERS: [char; 4] = [';', '；', '؛', '。'];
const COMMAS: [char; 4] = [',', '，', '、', '،'];

/// Every place between two words of `text`, in order.
pub fn cuts(text: &str) -> Vec<Cut> {
    let mut cuts = Vec::new();
    let Some(mut before) = steps::next_word(text, 0) else { return cuts };
    let sentences = sentences(text);
    while let Some(word) = steps::next_word(text, before.end) {
        let between = text.get(before.end..word.start).unwrap_or_default();
        let is_connective = text.get(word.clone()).is_some_and(is_connective);
        let ends = |sentence: &Span| before.end <= sentence.start() && sentence.start() <= word.start;
        let rank = if between.contains(DIVIDERS) || sentences.iter().any(ends) {
            3
        } else if is_connective {
            2
        } else {
            u8::from(between.contains(COMMAS))
        };
        // An opening quote or bracket goes with the word behind it.
        let opens = between.trim_end().len();
        let blank = between.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let at = if blank < opens && blank > 0 { before.end + blank } else { word.start };
        cuts.push(Cut { at: text.ceil_char_boundary(at), rank });
        before = word;
    }
    cuts
}

fn is_connective(word: &str) -> bool {
    CONNECTIVES.contains(&word.to_lowercase().as_str())
}

/// The best place to cut: where two statements meet, nearest to the middle.
pub fn best(cuts: &[Cut], length: usize) -> usize {
    let far = |cut: &Cut| cut.at.abs_diff(length / 2);
    let best = cuts.iter().enumerate().max_by_key(|(_, cut)| (cut.rank, std::cmp::Reverse(far(cut))));
    best.map_or(0, |(at, _)| at)
}

/// The words of one side of a cut without the mark or the connective that joined it to the other.
fn alone(words: &str, is_first: bool) -> &str {
    let bare = if is_first {
        words.trim_end().trim_end_matches([COMMAS, DIVIDERS].as_flattened()).trim_end()
    } else {
        let first = steps::next_word(words, 0).filter(|first| first.start == 0);
        let rest = first.filter(|first| words.get(first.clone()).is_some_and(is_connective));
        rest.and_then(|first| words.get(first.end..)).unwrap_or(words).trim_start()
    };
    if bare.contains(char::is_alphanumeric) { bare } else { words }
}

impl ShapeEditor {
    pub fn new(detail: Arc<ClaimDetail>, work: Work) -> Self {
        Self {
            detail,
            work,
            words: None,
            typing: None,
            error: None,
            sent: false,
            warned: false,
            over: Vec::new(),
            is_placed: false,
        }
    }

    /// A new claim: the cursor is on the first sentence of the answer that no claim has.
    pub fn add(detail: Arc<ClaimDetail>) -> Self {
        let answer = &detail.record.answer;
        let is_free = |range: &Range<usize>| {
            let mut taken = detail.siblings.iter().filter_map(|sibling| sibling.answer_span);
            Span::new(answer, range.clone()).is_some_and(|span| !taken.any(|other| span.overlaps(other)))
        };
        let mut sentence = steps::next_sentence(answer, 0);
        while let Some(range) = sentence.clone().filter(|range| !is_free(range)) {
            sentence = steps::next_sentence(answer, range.end.max(range.start + 1));
        }
        let here = detail.answer_span.map_or(0, Span::start);
        let cursor = match sentence {
            Some(head) => WordCursor { head, anchor: None },
            None => WordCursor::at(answer, here),
        };
        Self::new(detail, Work::Add { cursor, scroll: Scroll::Auto })
    }

    /// The claim in two; `None` where it is one word.
    pub fn split(detail: Arc<ClaimDetail>) -> Option<Self> {
        let cuts = cuts(&detail.claim_text);
        let at = best(&cuts, detail.claim_text.len());
        (!cuts.is_empty()).then(|| Self::new(detail, Work::Split { cuts, at }))
    }

    /// The claim with those of `marked`, else with the next open one of the answer; `None` where it is the only one.
    /// A decided one is never taken by itself: its decision would go.
    pub fn merge(detail: Arc<ClaimDetail>, marked: &[ClaimKey]) -> Option<Self> {
        let siblings = &detail.siblings;
        let own = siblings.iter().position(|sibling| sibling.key == detail.key)?;
        let mut taken: Vec<bool> = siblings.iter().map(|sibling| marked.contains(&sibling.key)).collect();
        let others = taken.iter().filter(|taken| **taken).count();
        let mut at = own;
        if others < 2 {
            taken[own] = true;
            if others == 0 || marked.contains(&detail.key) {
                let is_open = |at: &usize| !siblings[*at].decided;
                let open = (own + 1..siblings.len()).find(is_open).or_else(|| (0..own).rev().find(is_open));
                at = match open {
                    Some(open) => open,
                    None if own + 1 < siblings.len() => own + 1,
                    None => own.checked_sub(1)?,
                };
                if let Some(open) = open {
                    taken[open] = true;
                }
            }
        }
        Some(Self::new(detail, Work::Merge { taken, at }))
    }

    /// What is kept of it.
    pub const fn kind(&self) -> DraftKind {
        match self.work {
            Work::Add { .. } => DraftKind::Add,
            Work::Split { .. } => DraftKind::Split,
            Work::Merge { .. } => DraftKind::Merge,
        }
    }

    /// What has the keyboard.
    pub fn place(&self) -> Place {
        match (self.typing, &self.work) {
            (Some(_), _) => Place::Words,
            (None, Work::Add { .. }) => Place::NewClaim,
            (None, Work::Split { .. }) => Place::Split,
            (None, Work::Merge { .. }) => Place::Merge,
        }
    }

    /// The siblings that become one.
    pub fn taken(&self) -> Vec<&Sibling> {
        let Work::Merge { taken, .. } = &self.work else { return Vec::new() };
        let siblings = self.detail.siblings.iter().zip(taken);
        siblings.filter(|(_, taken)| **taken).map(|(sibling, _)| sibling).collect()
    }

    /// How many claims are made.
    pub fn count(&self) -> usize {
        if matches!(self.work, Work::Split { .. }) { 2 } else { 1 }
    }

    /// The claims in the text's own words.
    pub fn own(&self) -> Result<Vec<NewClaim>, ShapeError> {
        let detail = &self.detail;
        let answer = detail.record.answer.as_str();
        match &self.work {
            Work::Add { cursor, .. } => {
                let span = Span::new(answer, cursor.selection()).ok_or(ShapeError::Empty)?;
                Ok(vec![NewClaim::of_answer(answer, span)?])
            }
            Work::Split { cuts, at } => {
                let cut = cuts.get(*at).ok_or(ShapeError::NothingToCut)?;
                let whole = NewClaim::standing(&detail.claim_text, answer, detail.answer_span);
                let sides = whole.cut(answer, cut.at)?.into_iter().zip([true, false]);
                let bare = |(side, is_first): (NewClaim, bool)| {
                    let words = alone(&side.claim_text, is_first).to_owned();
                    side.worded(&words)
                };
                sides.map(bare).collect()
            }
            Work::Merge { .. } => {
                let parts: Vec<NewClaim> = self
                    .taken()
                    .into_iter()
                    .map(|one| NewClaim::standing(&one.claim_text, answer, one.answer_span))
                    .collect();
                Ok(vec![NewClaim::merged(answer, &parts)?])
            }
        }
    }

    /// What is typed for the claim `at`.
    pub fn typed(&self, at: usize) -> Option<String> {
        self.words.as_ref()?.get(at).map(|words| words.lines().join(" "))
    }

    /// Where in the answer a new claim in typed words stands: where the person went, else where the answer says it, else
    /// the sentence that has the most of its words, if that is half of them; `None` is the answer as a whole. Words of
    /// the text itself stand where they stand.
    pub fn typed_place(&self) -> Option<Option<Span>> {
        let Work::Add { cursor, .. } = &self.work else { return None };
        let typed = self.typed(0)?;
        let answer = self.detail.record.answer.as_str();
        if self.is_placed {
            return Some(Span::new(answer, cursor.selection()));
        }
        Some(locate(answer, &typed).span.or_else(|| nearest(answer, &typed)))
    }

    /// Whether that is only the sentence that has the most of the typed words.
    pub fn is_guessed(&self) -> bool {
        let answer = self.detail.record.answer.as_str();
        let is_said = |typed: String| locate(answer, &typed).span.is_some();
        !self.is_placed && self.typed_place().flatten().is_some() && !self.typed(0).is_some_and(is_said)
    }

    /// The claims as they would be made; the sentence says why they cannot be.
    pub fn made(&self) -> Result<Vec<NewClaim>, String> {
        if matches!(self.work, Work::Merge { .. }) && self.taken().len() < 2 {
            return Err("one claim alone cannot be merged: take another one in".to_owned());
        }
        let own = self.own().map_err(|error| error.to_string())?;
        let worded = own.into_iter().enumerate().map(|(at, claim)| match self.typed(at) {
            Some(words) => {
                let answer_span = self.typed_place().unwrap_or(claim.answer_span);
                NewClaim { answer_span, ..claim }.worded(&words)
            }
            None => Ok(claim),
        });
        worded.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())
    }

    /// What is typed, with its place, as the store keeps it; `None` where nothing is typed.
    pub fn kept(&self) -> Option<String> {
        let words: Vec<String> = (0..self.count()).filter_map(|at| self.typed(at)).collect();
        let kept = Kept { place: self.place_kept(), words };
        if kept.words.is_empty() { None } else { serde_json::to_string(&kept).ok() }
    }

    fn place_kept(&self) -> KeptPlace {
        match &self.work {
            Work::Add { cursor, .. } => {
                let Range { start, end } = cursor.selection();
                KeptPlace::Add { start, end, is_placed: self.is_placed }
            }
            Work::Split { cuts, at } => KeptPlace::Split { at: cuts.get(*at).map_or(0, |cut| cut.at) },
            Work::Merge { .. } => {
                KeptPlace::Merge { claims: self.taken().iter().map(|one| one.id.n()).collect() }
            }
        }
    }

    /// Goes back to where what was kept was typed, if that place is still there; returns the words.
    pub fn restore(&mut self, text: &str) -> Option<Vec<String>> {
        let Kept { place, words } = serde_json::from_str(text).ok()?;
        if words.len() != self.count() {
            return None;
        }
        match (&mut self.work, place) {
            (Work::Add { cursor, .. }, KeptPlace::Add { start, end, is_placed }) => {
                if let Some(span) = Span::new(&self.detail.record.answer, start..end) {
                    self.is_placed = is_placed;
                    *cursor = WordCursor { head: span.range(), anchor: None };
                }
            }
            (Work::Split { cuts, at }, KeptPlace::Split { at: cut }) => {
                *at = cuts.iter().position(|one| one.at == cut).unwrap_or(*at);
            }
            (Work::Merge { taken, .. }, KeptPlace::Merge { claims }) => {
                *taken =
                    self.detail.siblings.iter().map(|sibling| claims.contains(&sibling.id.n())).collect();
            }
            _ => return None,
        }
        Some(words)
    }

    /// What the store is asked for.
    pub fn shape(&self) -> Result<Shape, String> {
        let mut made = self.made()?.into_iter();
        let (Some(first), second) = (made.next(), made.next()) else {
            return Err(ShapeError::Empty.to_string());
        };
        Ok(match (&self.work, second) {
            (Work::Split { .. }, Some(second)) => {
                Shape::Split { claim: self.detail.key, parts: [first, second] }
            }
            (Work::Merge { .. }, _) => {
                Shape::Merge { claims: self.taken().iter().map(|one| one.key).collect(), into: first }
            }
            _ => Shape::Add { record: self.detail.record_key, claim: first },
        })
    }
}

/// The sentence of `answer` that has the most of the words of `typed` that say something, if that is half of them.
fn nearest(answer: &str, typed: &str) -> Option<Span> {
    let stems = |text: &str| -> HashSet<Stem> {
        tokens(text).into_iter().filter(|token| !token.stop).map(|token| token.stem).collect()
    };
    let wanted = stems(typed);
    let shared =
        |sentence: &Span| sentence.of(answer).map_or(0, |words| stems(words).intersection(&wanted).count());
    // Among equals the first.
    let best = sentences(answer).into_iter().rev().max_by_key(shared)?;
    let most = shared(&best);
    (most > 0 && most * 2 >= wanted.len()).then_some(best)
}

/// What was typed for claims that are not made yet.
#[derive(Serialize, Deserialize)]
struct Kept {
    place: KeptPlace,
    words: Vec<String>,
}

#[derive(Serialize, Deserialize)]
enum KeptPlace {
    Add {
        start: usize,
        end: usize,
        #[serde(default)]
        is_placed: bool,
    },
    Split {
        at: usize,
    },
    Merge {
        claims: Vec<u32>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best_cut(text: &str) -> (&str, &str) {
        let cuts = cuts(text);
        let (first, second) = text.split_at(cuts[best(&cuts, text.len())].at);
        (alone(first, true), alone(second, false))
    }

    #[test]
    fn a_claim_is_cut_where_two_statements_meet() {
        for (text, first, second) in [
            ("Take 8 g per day, and rest.", "Take 8 g per day", "rest."),
            ("It helps; it is safe and cheap.", "It helps", "it is safe and cheap."),
            ("Red, round (and big)", "Red, round", "(and big)"),
            ("最大4克，最小1克", "最大4克", "最小1克"),
            ("او رفت و ما ماندیم", "او رفت", "ما ماندیم"),
            ("one two three", "one two", "three"),
            (
                "They occur in Xhosa and Zulu. They occur nowhere else.",
                "They occur in Xhosa and Zulu.",
                "They occur nowhere else.",
            ),
        ] {
            assert_eq!(best_cut(text), (first, second), "{text}");
        }
        assert_eq!(cuts("word"), []);
    }

    #[test]
    fn r05_no_cut_goes_through_what_a_person_sees_as_one_character() {
        let text = "cafe\u{301} au lait 👩‍👩‍👧 نمی‌رود 最大";
        let borders: Vec<usize> = unicode_segmentation::UnicodeSegmentation::grapheme_indices(text, true)
            .map(|(at, _)| at)
            .collect();
        let cuts = cuts(text);
        assert!(cuts.len() >= 5, "{cuts:?}");
        assert!(cuts.iter().all(|cut| borders.contains(&cut.at)), "{cuts:?}");
    }
}
