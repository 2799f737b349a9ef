//! Evidence that is being chosen: the cursor in a passage, the stretch taken so far, and the spans that are marked.
//!
//! Part of the screen's state: plain data, changed only by `update`. Whatever is chosen lies between what a person
//! sees as characters. Must not know how it is drawn or recorded.

use std::ops::Range;
use std::sync::Arc;

use crate::domain::decision::{HumanVerdict, Ruling};
use crate::domain::evidence::{ChosenSpan, LONGEST_SPAN, MOST_SPANS};
use crate::domain::queue::ClaimDetail;
use crate::domain::record::Passage;
use crate::domain::span::Span;
use crate::domain::verdict::{Citation, Role};
use crate::text::steps;

use super::app::OverrideMenu;
use super::cursor::WordCursor;
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

/// What got a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    /// What was selected, and no more.
    Selection,
    /// All of the marked span, of which a word was under the cursor.
    All,
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
    /// Where in the passage the person is, and what the next mark would take.
    pub cursor: WordCursor,
    /// Whether the cursor was moved since it was put there.
    is_moved: bool,
    /// In order of passage and place; no two overlap.
    pub spans: Vec<Marked>,
    /// What was marked before each change, the latest last.
    earlier: Vec<Vec<Marked>>,
    pub scroll: Scroll,
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
            cursor: WordCursor { head: 0..0, anchor: None },
            is_moved: false,
            spans,
            earlier: Vec::new(),
            scroll: Scroll::Auto,
        };
        let at = current.map_or(0, |range| range.start);
        editor.cursor = WordCursor::at(editor.text(), at);
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
        self.cursor.selection()
    }

    /// Changes the cursor, which is told the passage in view.
    pub fn move_cursor(&mut self, change: impl FnOnce(&mut WordCursor, &str)) {
        let text = self.detail.record.passages.get(self.passage).map_or("", |passage| &passage.content);
        change(&mut self.cursor, text);
        self.is_moved = true;
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

    /// The marked span in which the cursor stands.
    fn within(&self) -> Option<usize> {
        let at = self.selection();
        self.spans.iter().position(|span| {
            span.passage == self.passage && span.range.start <= at.start && at.end <= span.range.end
        })
    }

    /// To another passage, round and round, at its first marked span or its beginning.
    pub fn turn_to_passage(&mut self, by: isize) {
        let count = self.detail.record.passages.len();
        if count == 0 {
            return;
        }
        self.passage = (self.passage + count).saturating_add_signed(by) % count;
        self.scroll = Scroll::Auto;
        let first = self.spans.iter().find(|span| span.passage == self.passage);
        self.cursor = WordCursor::at(self.text(), first.map_or(0, |span| span.range.start));
        self.is_moved = false;
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
        self.cursor = WordCursor { head: range, anchor: None };
        self.is_moved = true;
        true
    }

    /// Marks the selection. What it overlaps gives way to it; of a marked span that it stands in, what is before and
    /// behind it stays as it is. Where only a word of a marked span is under the cursor, all of that span gets the role.
    /// Refused with the reason.
    pub fn mark(&mut self, role: Role) -> Result<Marks, String> {
        let within = self.within();
        if let Some(at) = within
            && (self.is_one_word() || self.spans.get(at).is_some_and(|span| span.role == role))
        {
            let mut spans = self.spans.clone();
            let is_more = self.spans.get(at).is_some_and(|span| span.range != self.selection());
            if let Some(span) = spans.get_mut(at) {
                if span.role == role {
                    return Err(format!("marked as it is: {}", role.label().to_lowercase()));
                }
                span.role = role;
                self.cursor = WordCursor { head: span.range.clone(), anchor: None };
            }
            self.change(spans);
            return Ok(if is_more { Marks::All } else { Marks::Selection });
        }
        // Whoever has not chosen a word means the sentence that begins there.
        if within.is_none() && !self.is_moved && self.cursor.anchor.is_none() {
            self.move_cursor(WordCursor::take_sentence);
        }
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
        if let Some(around) = within.and_then(|at| self.spans.get(at)) {
            for rest in [around.range.start..start, end..around.range.end] {
                let words = self.text().get(rest.clone()).unwrap_or_default();
                if words.contains(char::is_alphanumeric) {
                    let from = rest.end - words.trim_start().len();
                    let range = from..rest.start + words.trim_end().len();
                    place_span(&mut spans, Marked { range, ..around.clone() });
                }
            }
        }
        if spans.len() > MOST_SPANS {
            return Err(format!("{MOST_SPANS} spans are marked: remove one first"));
        }
        self.change(spans);
        self.cursor = WordCursor { head: start..end, anchor: None };
        Ok(Marks::Selection)
    }

    /// Whether no more than a word is under the cursor, and no stretch was begun.
    fn is_one_word(&self) -> bool {
        let Range { start, end } = self.selection();
        self.cursor.anchor.is_none()
            && steps::next_word(self.text(), start).is_none_or(|first| first.end >= end)
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

    /// Goes on with what was begun earlier, as far as it stands in the record; one step takes it off again.
    pub fn restore(&mut self, text: &str) -> bool {
        let Ok(ruling) = serde_json::from_str::<Ruling>(text) else { return false };
        let passages = &self.detail.record.passages;
        let mut spans = Vec::new();
        for one in ruling.evidence.iter().flatten() {
            let place = passages.iter().position(|passage| passage.passage_id == one.passage_id);
            if let (Some(passage), Ok(span)) = (place, one.place(&self.detail.record)) {
                place_span(&mut spans, Marked { passage, range: span.range(), role: one.role });
            }
        }
        if spans == self.spans {
            return false;
        }
        self.change(spans);
        let was_chosen = self.menu.is_chosen;
        self.menu.choose(&ruling);
        // What is kept has a verdict always; this one may be nobody's choice.
        self.menu.is_chosen = was_chosen || ruling.verdict != HumanVerdict::CannotJudge;
        true
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
