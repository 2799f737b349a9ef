//! A text panel with layers of marks: an answer with its claims, a passage with its evidence spans.
//!
//! Only the neighbourhood of the visible lines is laid out, so a megabyte with thousands of spans
//! costs no more than a page. Positions are byte offsets of the stored text all the way to the cell,
//! so what is highlighted is exactly what the span says. Signs around marked text are inserted for
//! display only. This module must not know claims or judges: it is handed text and [`Mark`]s.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;

use super::glyph::{self, Glyph};
use crate::text::width::cells;
use crate::text::wrap::breaks_between;
use crate::tui::theme::{Role, Theme};

/// A stretch of the text that means something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Bytes of the text, on character borders.
    pub range: Range<usize>,
    pub role: Role,
    /// Put before the stretch instead of the theme's brackets: the state of a sibling claim.
    pub sign: Option<(&'static str, Role)>,
}

impl Mark {
    pub fn new(range: Range<usize>, role: Role) -> Self {
        Self { range, role, sign: None }
    }
}

/// Which lines are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scroll {
    /// The focus in the middle, or the beginning where there is none or the text fits.
    #[default]
    Auto,
    /// From the line that holds this byte of the text on: where a person scrolled to.
    From(usize),
}

/// A text with its marks, laid out for one width.
#[derive(Debug)]
pub struct Passage<'a> {
    text: &'a str,
    marks: &'a [Mark],
    theme: &'a Theme,
    width: usize,
    /// Blocks that were wrapped already, by where they begin: one frame asks for the same ones several
    /// times.
    wrapped: RefCell<HashMap<usize, Rc<[Line]>>>,
}

/// About how much is wrapped in one go, in bytes. A longer paragraph is cut at a blank.
const BLOCK: usize = 2048;

/// One line of the layout: bytes of the text.
type Line = Range<usize>;

/// What is shown and whether there is more.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shown {
    pub lines: Vec<Line>,
    pub above: bool,
    pub below: bool,
}

impl<'a> Passage<'a> {
    pub fn new(text: &'a str, marks: &'a [Mark], theme: &'a Theme, width: u16) -> Self {
        Self { text, marks, theme, width: usize::from(width).max(1), wrapped: RefCell::default() }
    }

    /// How many lines the whole text takes, counted no further than `limit`.
    pub fn height(&self, limit: u16) -> u16 {
        let limit = usize::from(limit);
        // So long a text need not be wrapped to know that it is longer.
        if self.text.len() > limit * self.width * 16 {
            return limit as u16;
        }
        let mut lines = 0;
        let mut at = 0;
        while let Some(block) = self.block_from(at) {
            at = block.end;
            lines += self.wrap(block).len();
            if lines >= limit {
                return limit as u16;
            }
        }
        lines as u16
    }

    /// The lines to show in `height` rows; `focus` is what must be seen.
    pub fn window(&self, focus: Option<&Range<usize>>, scroll: Scroll, height: u16) -> Shown {
        match (scroll, focus) {
            (Scroll::From(top), _) => self.place(top, 0, height),
            // Empty lines at the beginning say nothing.
            (Scroll::Auto, None) => self.place(self.text.len() - self.text.trim_start().len(), 0, height),
            (Scroll::Auto, Some(focus)) => self.around(focus, height),
        }
    }

    /// The focus in the middle. Where it is longer than the window, what differs in it decides: all of
    /// that if it fits, else the first of it.
    fn around(&self, focus: &Range<usize>, height: u16) -> Shown {
        let height = usize::from(height);
        let first_page = |place: &Range<usize>| self.place_unfilled(place.start, 0, height as u16);
        let taken = |place: &Range<usize>| {
            first_page(place).lines.iter().filter(|line| line.start < place.end).count().max(1)
        };
        let is_cut = first_page(focus).lines.last().is_some_and(|line| line.end < focus.end);
        let mut inner = self.marks.iter().filter(|mark| {
            mark.role == Role::Difference && focus.start <= mark.range.start && mark.range.end <= focus.end
        });
        let middle = match inner.next().filter(|_| is_cut) {
            None => focus.clone(),
            Some(first) => {
                let end = inner.map(|mark| mark.range.end).fold(first.range.end, usize::max);
                let all = first.range.start..end;
                if first_page(&all).lines.last().is_some_and(|line| line.end < all.end) {
                    first.range.clone()
                } else {
                    all
                }
            }
        };
        let lead = height.saturating_sub(taken(&middle)) / 2;
        self.place(middle.start, -(lead as i64), height as u16)
    }

    /// Where `scroll` comes to when it is moved by `lines`; never past either end.
    pub fn scrolled(&self, focus: Option<&Range<usize>>, scroll: Scroll, height: u16, lines: i64) -> Scroll {
        let shown = self.window(focus, scroll, height);
        let Some(top) = shown.lines.first() else { return Scroll::Auto };
        match self.place(top.start, lines, height).lines.first() {
            Some(line) if line.start != top.start => Scroll::From(line.start),
            _ => scroll,
        }
    }

    /// Where `scroll` comes to so that `place` is in view: nowhere else while it is, else to it with lines around.
    pub fn following(&self, place: &Range<usize>, scroll: Scroll, height: u16) -> Scroll {
        let shown = self.window(Some(place), scroll, height);
        let Some((first, last)) = shown.lines.first().zip(shown.lines.last()) else { return Scroll::Auto };
        if first.start <= place.start && place.end <= last.end {
            return Scroll::From(first.start);
        }
        let lead = i64::from(height / 3);
        self.place(place.start, -lead, height)
            .lines
            .first()
            .map_or(Scroll::Auto, |line| Scroll::From(line.start))
    }

    /// `height` lines, the first of them `offset` lines from the one that holds `start`; the last page
    /// is filled up from above.
    fn place(&self, start: usize, offset: i64, height: u16) -> Shown {
        self.lay(start, offset, height, true)
    }

    fn place_unfilled(&self, start: usize, offset: i64, height: u16) -> Shown {
        self.lay(start, offset, height, false)
    }

    fn lay(&self, start: usize, offset: i64, height: u16, fill: bool) -> Shown {
        let height = usize::from(height);
        let start = self.border(start);
        let Some(first) = self.block_around(start) else { return Shown::default() };
        let (mut before, mut after) = (first.start, first.end);
        let mut lines: VecDeque<Line> = self.wrap(first).iter().cloned().collect();
        let mut at = lines.iter().rposition(|line| line.start <= start).unwrap_or(0);
        let forward = usize::try_from(offset).unwrap_or(0);
        while lines.len() < at + forward + height + 1
            && let Some(block) = self.block_from(after)
        {
            after = block.end;
            lines.extend(self.wrap(block).iter().cloned());
        }
        let mut backward = usize::try_from(-offset).unwrap_or(0);
        if fill && after == self.text.len() {
            backward += height;
        }
        while at < backward
            && let Some(block) = self.block_before(before)
        {
            before = block.start;
            let wrapped = self.wrap(block);
            at += wrapped.len();
            for line in wrapped.iter().rev() {
                lines.push_front(line.clone());
            }
        }
        let wanted = usize::try_from(at as i64 + offset).unwrap_or(0);
        let top = if fill { wanted.min(lines.len().saturating_sub(height)) } else { wanted };
        Shown {
            above: top > 0 || before > 0,
            below: top + height < lines.len() || after < self.text.len(),
            lines: lines.into_iter().skip(top).take(height).collect(),
        }
    }

    /// Draws the window; returns what was shown.
    pub fn draw(&self, focus: Option<&Range<usize>>, scroll: Scroll, area: Rect, buf: &mut Buffer) -> Shown {
        let shown = self.window(focus, scroll, area.height);
        let Some(visible) = shown.lines.first().zip(shown.lines.last()).map(|(a, b)| a.start..b.end) else {
            return shown;
        };
        let marks = self.marks_in(&visible);
        for (row, line) in (area.y..area.bottom()).zip(&shown.lines) {
            self.draw_line(line, &marks, Rect { y: row, height: 1, ..area }, buf);
        }
        shown
    }

    /// Which byte of the text is drawn at `at`, or nearest to it, in a window as [`Passage::draw`] shows it.
    pub fn byte_at(
        &self,
        focus: Option<&Range<usize>>,
        scroll: Scroll,
        area: Rect,
        at: Position,
    ) -> Option<usize> {
        let shown = self.window(focus, scroll, area.height);
        let row = usize::from(at.y.saturating_sub(area.y)).min(shown.lines.len().checked_sub(1)?);
        let line = shown.lines.get(row)?;
        let marks = self.marks_in(line);
        let mut found = line.start;
        let mut x = area.x;
        self.walk(line, &marks, |place, glyph, _| {
            if let Some(place) = place.filter(|_| x <= at.x) {
                found = place;
            }
            x = x.saturating_add(glyph::width(glyph) as u16);
        });
        Some(found)
    }

    fn draw_line(&self, line: &Line, marks: &[&Mark], area: Rect, buf: &mut Buffer) {
        let mut x = area.x;
        self.walk(line, marks, |_, text, style| {
            for grapheme in text.graphemes(true) {
                let width = glyph::width(grapheme) as u16;
                if x + width <= area.right() {
                    glyph::put(buf, x, area.y, grapheme, width, style);
                    x += width;
                }
            }
        });
    }

    /// Goes through what is drawn of a line: the text's graphemes with the byte where each stands, and between them
    /// the signs, which stand nowhere in it.
    fn walk(&self, line: &Line, marks: &[&Mark], mut visit: impl FnMut(Option<usize>, &str, Style)) {
        let signs = self.signs(line, marks);
        let mut signs = signs.iter().peekable();
        let marks: Vec<&Mark> = marks
            .iter()
            .copied()
            .filter(|mark| mark.range.start < line.end && line.start < mark.range.end)
            .collect();
        let slice = self.text.get(line.clone()).unwrap_or_default();
        for cell in cells(slice) {
            let grapheme = cell.grapheme;
            let at = line.start + cell.at;
            while let Some(sign) = signs.next_if(|sign| sign.is_due(at, grapheme)) {
                visit(None, sign.text, self.theme.style(sign.role));
            }
            let glyph = Glyph::of(grapheme);
            let mut style = self.style_of(&(at..at + grapheme.len()), &marks);
            if glyph.is_mark {
                style = style.patch(self.theme.style(Role::Escaped));
            }
            visit(Some(at), &glyph.text, style);
        }
        for sign in signs {
            visit(None, sign.text, self.theme.style(sign.role));
        }
    }

    /// Later layers lie over earlier ones: siblings, spans, the span in hand, differences.
    fn style_of(&self, grapheme: &Range<usize>, marks: &[&Mark]) -> Style {
        marks
            .iter()
            .filter(|mark| {
                mark.sign.is_none() && mark.range.start < grapheme.end && grapheme.start < mark.range.end
            })
            .fold(self.theme.style(Role::Text), |style, mark| style.patch(self.theme.style(mark.role)))
    }

    /// Marks that touch `visible`, lowest layer first.
    fn marks_in(&self, visible: &Range<usize>) -> Vec<&'a Mark> {
        let mut marks: Vec<&Mark> = self
            .marks
            .iter()
            .filter(|mark| mark.range.start <= visible.end && mark.range.end >= visible.start)
            .collect();
        marks.sort_by_key(|mark| layer(mark.role));
        marks
    }

    /// The signs that stand inside `line`, in order.
    fn signs(&self, line: &Line, marks: &[&Mark]) -> Vec<Sign<'a>> {
        let mut signs = Vec::new();
        for mark in marks.iter().filter(|mark| !mark.range.is_empty()) {
            let depth = layer(mark.role);
            let (open, close, role) = if let Some((sign, role)) = mark.sign {
                (sign, "", role)
            } else {
                let (open, close) = self.theme.brackets(mark.role);
                (open, close, mark.role)
            };
            // Signs embrace words: blanks at either end of the stretch stay outside.
            let words = self.text.get(mark.range.clone()).unwrap_or_default();
            let start = mark.range.end - words.trim_start().len();
            let end = mark.range.start + words.trim_end().len();
            if start >= end {
                continue;
            }
            if !open.is_empty() && line.contains(&start) {
                signs.push(Sign { at: start, text: open, role, order: (1, depth) });
            }
            if !close.is_empty() && line.start < end && end <= line.end {
                signs.push(Sign { at: end, text: close, role, order: (0, u8::MAX - depth) });
            }
        }
        signs.sort_by_key(|sign| (sign.at, sign.order));
        signs
    }

    // ---- blocks and lines ----------------------------------------------------------------------

    /// The nearest character border at or before `at`.
    fn border(&self, at: usize) -> usize {
        let at = at.min(self.text.len());
        (0..=at).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0)
    }

    /// Where the text is cut near byte `k` × [`BLOCK`]: behind a blank before it, or between graphemes.
    /// The same for whoever asks, so that the same text always breaks in the same places.
    fn cut(&self, k: usize) -> usize {
        let near = self.border(k * BLOCK);
        if near == 0 || near == self.text.len() {
            return near;
        }
        let from = self.border(near - BLOCK / 2);
        let before = self.text.get(from..near).unwrap_or_default();
        // Where a line must end, a sentence does, if one does near.
        let stop =
            before.rmatch_indices(' ').map(|(at, _)| at).find(|at| before[..*at].ends_with(['.', '!', '?']));
        if let Some(stop) = stop {
            return from + stop + 1;
        }
        if let Some(blank) = before.as_bytes().iter().rposition(|byte| matches!(byte, b' ' | b'\n')) {
            return from + blank + 1;
        }
        let tail = self.border(near.saturating_sub(256));
        let last = self.text.get(tail..near).unwrap_or_default().grapheme_indices(true).next_back();
        last.map_or(near, |(offset, _)| tail + offset)
    }

    /// The block that begins at `start`: up to a line feed or a cut.
    fn block_from(&self, start: usize) -> Option<Range<usize>> {
        let k = start / BLOCK;
        let end = [k + 1, k + 2].into_iter().map(|k| self.cut(k)).find(|cut| *cut > start)?;
        let feed = self.text.get(start..end)?.as_bytes().iter().position(|byte| *byte == b'\n');
        Some(start..feed.map_or(end, |feed| start + feed + 1))
    }

    /// The block that holds `at`; the last one when `at` is the end of the text.
    fn block_around(&self, at: usize) -> Option<Range<usize>> {
        let at = self.border(at.min(self.text.len().saturating_sub(1)));
        let k = at / BLOCK;
        let cut = [k + 1, k].into_iter().map(|k| self.cut(k)).find(|cut| *cut <= at)?;
        let feed = self.text.get(cut..at)?.as_bytes().iter().rposition(|byte| *byte == b'\n');
        self.block_from(feed.map_or(cut, |feed| cut + feed + 1))
    }

    fn block_before(&self, start: usize) -> Option<Range<usize>> {
        (start > 0).then(|| self.block_around(self.border(start - 1)))?
    }

    /// The lines of one block.
    fn wrap(&self, block: Range<usize>) -> Rc<[Line]> {
        if let Some(lines) = self.wrapped.borrow().get(&block.start) {
            return Rc::clone(lines);
        }
        let start = block.start;
        let lines: Rc<[Line]> = self.break_lines(block).into();
        self.wrapped.borrow_mut().insert(start, Rc::clone(&lines));
        lines
    }

    /// Breaks one block into lines: where the text layer lets a line end, and inside a word only when
    /// it is longer than a line.
    fn break_lines(&self, block: Range<usize>) -> Vec<Line> {
        let marks = self.marks_in(&block);
        let signs = self.signs(&block, &marks);
        let mut signs = signs.iter().peekable();
        let slice = self.text.get(block.clone()).unwrap_or_default();
        let mut lines = Vec::new();
        let (mut start, mut used) = (block.start, 0_usize);
        // The last place where the line may end, and how much of it is used up to there.
        let mut chance: Option<(usize, usize)> = None;
        let mut before = ' ';
        for cell in cells(slice) {
            let grapheme = cell.grapheme;
            let at = block.start + cell.at;
            let mut width = 0;
            let mut closing = 0;
            while let Some(sign) = signs.next_if(|sign| sign.is_due(at, grapheme)) {
                let sign_width = glyph::width(sign.text);
                width += sign_width;
                if sign.order.0 == 0 {
                    closing += sign_width;
                }
            }
            let glyph = Glyph::of(grapheme);
            let first = grapheme.chars().next().unwrap_or(' ');
            if at > start && breaks_between(before, first) {
                chance = Some((at, used + closing));
            }
            before = grapheme.chars().next_back().unwrap_or(first);
            width += glyph.width;
            // What stands behind this character on the same line still has to fit: closing signs here
            // or inside the cluster, and opening ones inside it that a closing one holds back.
            let behind = at + grapheme.len();
            let trailing: usize = signs
                .clone()
                .take_while(|sign| sign.at < behind || (sign.order.0 == 0 && sign.at == behind))
                .map(|sign| glyph::width(sign.text))
                .sum();
            while !glyph.is_blank && used + width + trailing > self.width && at > start {
                let (cut, cut_used) = match chance {
                    Some((cut, cut_used)) if cut > start => (cut, cut_used),
                    _ => (at, used),
                };
                lines.push(start..cut);
                start = cut;
                used = used.saturating_sub(cut_used);
                chance = None;
            }
            used += width;
            if glyph.is_blank {
                chance = Some((at + grapheme.len(), used));
            }
        }
        if start < block.end || lines.is_empty() {
            lines.push(start..block.end);
        }
        lines
    }
}

/// A sign that is shown at a place of the text without being part of it.
#[derive(Debug)]
struct Sign<'a> {
    at: usize,
    text: &'a str,
    role: Role,
    /// Closing signs before opening ones; outer ones outside.
    order: (u8, u8),
}

impl Sign<'_> {
    /// Whether it stands before `grapheme` at byte `at`. An opening sign inside a cluster goes before it.
    fn is_due(&self, at: usize, grapheme: &str) -> bool {
        self.at <= at || (self.order.0 == 1 && self.at < at + grapheme.len())
    }
}

const fn layer(role: Role) -> u8 {
    match role {
        Role::Muted | Role::Sibling | Role::Closest => 0,
        Role::Supports => 1,
        Role::Contradicts => 2,
        Role::Claim => 3,
        Role::CurrentSupports | Role::CurrentContradicts | Role::CurrentClosest => 4,
        _ => 5,
    }
}

#[cfg(test)]
mod tests;
