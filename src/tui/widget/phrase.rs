//! One line of differently styled words that knows how to fit.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;

use super::glyph::{self, Glyph};
use crate::tui::theme::{Role, Theme};

/// Words with their roles. Text may come from anywhere: it is made safe when it is drawn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Phrase {
    words: Vec<(String, Role)>,
}

impl Phrase {
    pub fn new() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn say(mut self, role: Role, text: impl Into<String>) -> Self {
        let text = text.into();
        if !text.is_empty() {
            self.words.push((text, role));
        }
        self
    }

    /// `text` between middle dots, unless it is the first or is empty.
    #[must_use]
    pub fn dot(self, role: Role, text: impl Into<String>) -> Self {
        let text = text.into();
        if text.is_empty() {
            return self;
        }
        let joined = if self.words.is_empty() { self } else { self.say(Role::Muted, " · ") };
        joined.say(role, text)
    }

    #[must_use]
    pub fn join(mut self, other: Self) -> Self {
        self.words.extend(other.words);
        self
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Cells it takes when nothing is cut.
    pub fn width(&self) -> u16 {
        let cells: usize = self
            .words
            .iter()
            .flat_map(|(text, _)| text.graphemes(true))
            .map(|grapheme| Glyph::of(grapheme).width)
            .sum();
        u16::try_from(cells).unwrap_or(u16::MAX)
    }

    /// Draws it from the left end of `area`, cut with `…` where it does not fit. Returns the cells used.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, theme: &Theme) -> u16 {
        self.draw_over(area, buf, theme, Style::default())
    }

    /// The same with `over` on top of every word's own style.
    pub fn draw_over(&self, area: Rect, buf: &mut Buffer, theme: &Theme, over: Style) -> u16 {
        if area.height == 0 || area.width == 0 {
            return 0;
        }
        let right = area.right();
        let mut x = area.x;
        // Only what can be seen is measured: a claim may be a megabyte.
        let mut glyphs = self
            .words
            .iter()
            .flat_map(|(text, role)| text.graphemes(true).map(move |grapheme| (Glyph::of(grapheme), *role)))
            .flat_map(|(glyph, role)| {
                let cells: Vec<(String, u16)> = glyph
                    .text
                    .graphemes(true)
                    .map(|cell| (cell.to_owned(), glyph::width(cell) as u16))
                    .collect();
                cells.into_iter().map(move |(cell, width)| (cell, width, glyph.is_mark, role))
            })
            .filter(|(_, width, ..)| *width > 0)
            .peekable();
        while let Some((cell, width, is_mark, role)) = glyphs.next() {
            let mut style = theme.style(role);
            if is_mark {
                style = style.patch(theme.style(Role::Escaped));
            }
            style = style.patch(over);
            let is_last = glyphs.peek().is_none();
            // One cell is kept for the ellipsis while there is more to come.
            if x + width > right || (!is_last && x + width == right && glyphs.peek().is_some()) {
                if x < right {
                    glyph::put(buf, x, area.y, "…", 1, style);
                    x += 1;
                }
                break;
            }
            glyph::put(buf, x, area.y, &cell, width, style);
            x += width;
        }
        x - area.x
    }

    /// Draws it against the right end of `area`; nothing where it does not fit whole.
    pub fn draw_right(&self, area: Rect, buf: &mut Buffer, theme: &Theme) -> u16 {
        let width = self.width();
        if width == 0 || width > area.width {
            return 0;
        }
        self.draw(Rect { x: area.right() - width, width, ..area }, buf, theme)
    }
}
