//! Evidence that is being chosen: the cursor in a passage, the stretch taken so far, and the spans that are marked.
//!
//! Part of the screen's state: plain data, changed only by `update`. Whatever is chosen lies between what a person
//! sees as characters. Must not know how it is drawn or recorded.

use std::ops::Range;
use std::sync::Arc;

use crate::domain::evidence::{ChosenSpan, LONGEST_SPAN, MOST_SPANS};
use crate::domain::queue::ClaimDetail;
use crate::domain::record::Passage;
use crate::domain::span::Span;
use crate::domain::verdict::{Citation, Role};
use crate::text::steps;

use super::app::OverrideMenu;
use super::widget::passage::Scroll;

/// A marked span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    /// Index into the record's passages.
    pub passage: usize,
    /// Bytes of its content.
    pub range: Range<usize>,
    /// Supports or contradicts.
    pub role: Role,
}

/// What has the keyboard while a person chooses evidence.
#[derive(Debug, Clone)]
pub struct SpanEditor {
    /// The claim as it was when the choosing began.
    pub detail: Arc<ClaimDetail>,
    /// The ruling that is recorded with the spans.
    pub menu: OverrideMenu,
    /// Whether it was opened from the override menu, to which it goes back.
    pub from_menu: bool,
    /// Index of the passage in view.
    pub passage: usize,
    /// The word or sentence under the cursor, in bytes of the passage; empty where there is none.
    pub head: Range<usize>,
    /// Where a stretch was begun.
    pub anchor: Option<Range<usize>>,
    /// In order of passage and place; no two overlap.
    pub spans: Vec<Marked>,
    /// What was marked before each change, the latest last.
    earlier: Vec<Vec<Marked>>,
    pub scroll: Scroll,
}

/// How far a step goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Word,
    Sentence,
}

impl SpanEditor {
    /// Begins with `citations` marked, as far as they stand in the record and say something for or against the
    /// claim, and with the cursor on `current`.
    pub fn new(
        detail: Arc<ClaimDetail>,
        menu: OverrideMenu,
        from_menu: bool,
        citations: &[Citation],
        (passage, current): (usize, Option<Range<usize>>),
    ) -> Self {
        let passages = &detail.record.passages;
        let mut spans = Vec::new();
        for citation in citations.iter().filter(|citation| citation.role != Role::Closest) {
            let place = passages.iter().position(|passage| passage.passage_id == citation.passage_id);
            if let (Some(passage), Some(span)) = (place, citation.span) {
                place_span(&mut spans, Marked { passage, range: span.range(), role: citation.role });
            }
        }
        let mut editor = Self {
            detail,
            menu,
            from_menu,
            passage,
            head: 0..0,
            anchor: None,
            spans,
            earlier: Vec::new(),
            scroll: Scroll::Auto,
        };
        let at = current.map_or(0, |range| range.start);
        editor.head = steps::word_at(editor.text(), at).unwrap_or(0..0);
        editor
    }

    /// The passage in view.
    pub fn shown(&self) -> Option<&Passage> {
        self.detail.record.passages.get(self.passage)
    }

    pub fn text(&self) -> &str {
        self.shown().map_or("", |passage| &passage.content)
    }

    /// What the next mark would take.
    pub fn selection(&self) -> Range<usize> {
        match &self.anchor {
            Some(anchor) => anchor.start.min(self.head.start)..anchor.end.max(self.head.end),
            None => self.head.clone(),
        }
    }

    /// Whether anything was marked or unmarked.
    pub fn is_changed(&self) -> bool {
        self.earlier.first().is_some_and(|first| *first != self.spans)
    }

    /// The marked span under the cursor.
    pub fn under_cursor(&self) -> Option<usize> {
        let at = self.selection();
        self.spans.iter().position(|span| {
            span.passage == self.passage && span.range.start < at.end && at.start < span.range.end
        })
    }

    /// Moves the cursor; with `extend` what was under it before stays taken.
    pub fn step(&mut self, unit: Unit, forward: bool, extend: bool) {
        if extend && self.anchor.is_none() {
            self.anchor = Some(self.head.clone());
        }
        let (text, head) = (self.text(), &self.head);
        let next = match (unit, forward) {
            (Unit::Word, true) => steps::next_word(text, head.end),
            (Unit::Word, false) => steps::previous_word(text, head.start),
            (Unit::Sentence, true) => self.sentence_ahead(),
            (Unit::Sentence, false) => self.sentence_behind(),
        };
        if let Some(next) = next {
            self.head = next;
        }
    }

    /// From within a sentence to its whole, from a whole one to the next.
    fn sentence_ahead(&self) -> Option<Range<usize>> {
        steps::next_sentence(self.text(), self.head.end.max(self.head.start + 1))
    }

    fn sentence_behind(&self) -> Option<Range<usize>> {
        let own = steps::sentence_at(self.text(), self.head.start)?;
        if own.start < self.head.start && own.end >= self.head.end {
            return Some(own);
        }
        steps::previous_sentence(self.text(), own.start)
    }

    /// Takes the sentence under the cursor.
    pub fn take_sentence(&mut self) {
        if let Some(sentence) = steps::sentence_at(self.text(), self.head.start) {
            self.head = sentence;
        }
    }

    /// Begins a stretch at the cursor, or lets go of it.
    pub fn toggle_extend(&mut self) {
        self.anchor = match self.anchor.take() {
            Some(_) => None,
            None => Some(self.head.clone()),
        };
    }

    /// The cursor to the word at `at`; a stretch that was begun goes on.
    pub fn go_to(&mut self, at: usize) {
        if let Some(word) = steps::word_at(self.text(), at) {
            self.head = word;
        }
    }

    /// To another passage, round and round, at its first marked span or its beginning.
    pub fn turn_to_passage(&mut self, by: isize) {
        let count = self.detail.record.passages.len();
        if count == 0 {
            return;
        }
        self.passage = (self.passage + count).saturating_add_signed(by) % count;
        self.anchor = None;
        self.scroll = Scroll::Auto;
        let first = self.spans.iter().find(|span| span.passage == self.passage);
        self.go_to(first.map_or(0, |span| span.range.start));
    }

    /// To the next or previous marked span, round and round; `false` where nothing is marked.
    pub fn turn_to_span(&mut self, forward: bool) -> bool {
        let here = (self.passage, self.selection().start);
        let place = |span: &Marked| (span.passage, span.range.start);
        let own = self.under_cursor();
        let found = if forward {
            let ahead =
                self.spans.iter().enumerate().find(|(at, span)| place(span) > here && Some(*at) != own);
            ahead.map(|(_, span)| span).or(self.spans.first())
        } else {
            let behind =
                self.spans.iter().enumerate().rfind(|(at, span)| place(span) < here && Some(*at) != own);
            behind.map(|(_, span)| span).or(self.spans.last())
        };
        let Some(Marked { passage, range, .. }) = found.cloned() else { return false };
        if passage != self.passage {
            self.scroll = Scroll::Auto;
        }
        self.passage = passage;
        self.anchor = None;
        self.head = range;
        true
    }

    /// Marks the selection. What it overlaps gives way to it. Refused with the reason.
    pub fn mark(&mut self, role: Role) -> Result<(), String> {
        let selected = self.selection();
        let words = self.text().get(selected.clone()).unwrap_or_default();
        let start = selected.end - words.trim_start().len();
        let end = selected.start + words.trim_end().len();
        if start >= end {
            return Err("there is no word here to mark".to_owned());
        }
        if end - start > LONGEST_SPAN {
            return Err(format!("longer than {} KiB: mark the words that decide", LONGEST_SPAN / 1024));
        }
        let mut spans = self.spans.clone();
        place_span(&mut spans, Marked { passage: self.passage, range: start..end, role });
        if spans.len() > MOST_SPANS {
            return Err(format!("{MOST_SPANS} spans are marked: remove one first"));
        }
        self.change(spans);
        self.anchor = None;
        self.head = start..end;
        Ok(())
    }

    /// Takes the mark off the span under the cursor; `false` where there is none.
    pub fn unmark(&mut self) -> bool {
        let Some(at) = self.under_cursor() else { return false };
        let mut spans = self.spans.clone();
        spans.remove(at);
        self.change(spans);
        true
    }

    /// Undoes the latest change; `false` where there was none.
    pub fn take_back(&mut self) -> bool {
        match self.earlier.pop() {
            Some(spans) => {
                self.spans = spans;
                true
            }
            None => false,
        }
    }

    fn change(&mut self, spans: Vec<Marked>) {
        self.earlier.push(std::mem::replace(&mut self.spans, spans));
    }

    /// What is marked, as it is recorded.
    pub fn chosen(&self) -> Vec<ChosenSpan> {
        let passages = &self.detail.record.passages;
        let chosen = self.spans.iter().filter_map(|span| {
            let passage = passages.get(span.passage)?;
            ChosenSpan::new(passage, Span::new(&passage.content, span.range.clone())?, span.role)
        });
        chosen.collect()
    }
}

/// Puts `span` in its place; what it overlaps goes.
fn place_span(spans: &mut Vec<Marked>, span: Marked) {
    spans.retain(|other| {
        other.passage != span.passage
            || other.range.end <= span.range.start
            || span.range.end <= other.range.start
    });
    let at =
        spans.partition_point(|other| (other.passage, other.range.start) < (span.passage, span.range.start));
    spans.insert(at, span);
}
