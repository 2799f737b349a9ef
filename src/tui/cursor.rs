//! The cursor with which words of a text are chosen by keyboard: by word and by sentence, with a stretch that grows.
//!
//! Part of the screen's state: plain data. Whatever it takes lies between what a person sees as characters. Must not
//! know what the words are chosen for, nor how they are drawn.

use std::ops::Range;

use crate::text::steps;

/// A place in a text, and what is taken from there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordCursor {
    /// The word or sentence under the cursor, in bytes; empty where there is none.
    pub head: Range<usize>,
    /// Where a stretch was begun.
    pub anchor: Option<Range<usize>>,
}

/// How far a step goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Word,
    Sentence,
}

impl WordCursor {
    /// On the word at `at` of `text`.
    pub fn at(text: &str, at: usize) -> Self {
        Self { head: steps::word_at(text, at).unwrap_or(0..0), anchor: None }
    }

    /// What is taken: the stretch, else what is under the cursor.
    pub fn selection(&self) -> Range<usize> {
        match &self.anchor {
            Some(anchor) => anchor.start.min(self.head.start)..anchor.end.max(self.head.end),
            None => self.head.clone(),
        }
    }

    /// Moves the cursor; with `extend` what was under it before stays taken.
    pub fn step(&mut self, text: &str, unit: Unit, forward: bool, extend: bool) {
        if extend && self.anchor.is_none() {
            self.anchor = Some(self.head.clone());
        }
        let head = &self.head;
        let next = match (unit, forward) {
            // From a sentence with no word beyond it into it: else no word of it could be reached.
            (Unit::Word, true) => {
                steps::next_word(text, head.end).or_else(|| steps::previous_word(text, head.end))
            }
            (Unit::Word, false) => {
                steps::previous_word(text, head.start).or_else(|| steps::next_word(text, head.start))
            }
            (Unit::Sentence, true) => {
                steps::next_sentence(text, head.end.max(head.start + 1)).or_else(|| self.own_sentence(text))
            }
            (Unit::Sentence, false) => self.sentence_behind(text),
        };
        if let Some(next) = next {
            self.head = next;
        }
    }

    /// From within a sentence to its whole, from a whole one to the one before.
    fn sentence_behind(&self, text: &str) -> Option<Range<usize>> {
        self.own_sentence(text).or_else(|| {
            let own = steps::sentence_at(text, self.head.start)?;
            steps::previous_sentence(text, own.start)
        })
    }

    /// The sentence in which the cursor stands on less than the whole.
    fn own_sentence(&self, text: &str) -> Option<Range<usize>> {
        let own = steps::sentence_at(text, self.head.start)?;
        let is_within = own.start <= self.head.start && self.head.end <= own.end;
        (is_within && own.len() > self.head.len()).then_some(own)
    }

    /// Takes the sentence under the cursor.
    pub fn take_sentence(&mut self, text: &str) {
        if let Some(sentence) = steps::sentence_at(text, self.head.start) {
            self.head = sentence;
        }
    }

    /// Begins a stretch at the cursor, or lets go of it.
    pub fn toggle_stretch(&mut self) {
        self.anchor = match self.anchor.take() {
            Some(_) => None,
            None => Some(self.head.clone()),
        };
    }

    /// To the word at `at`, and all from where the cursor was is taken.
    pub fn drag_to(&mut self, text: &str, at: usize) {
        if self.anchor.is_none() {
            self.anchor = Some(self.head.clone());
        }
        self.go_to(text, at);
    }

    /// To the word at `at`; a stretch that was begun goes on.
    pub fn go_to(&mut self, text: &str, at: usize) {
        if let Some(word) = steps::word_at(text, at) {
            self.head = word;
        }
    }
}
