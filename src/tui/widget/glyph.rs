//! From a grapheme of any text to something that is safe in a cell, and its width.

use std::borrow::Cow;

use ratatui::buffer::{Buffer, CellWidth};
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;

use crate::text::{sanitize, wrap};

/// One grapheme as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glyph<'a> {
    pub text: Cow<'a, str>,
    /// Cells that `text` takes.
    pub width: usize,
    /// A visible mark that stands for something else.
    pub is_mark: bool,
    /// A line may end behind it, and it need not be shown there.
    pub is_blank: bool,
}

impl<'a> Glyph<'a> {
    /// How `grapheme` is shown. A line end takes no room.
    pub fn of(grapheme: &'a str) -> Self {
        if let [byte @ b' '..=b'~'] = grapheme.as_bytes() {
            return Self { text: Cow::Borrowed(grapheme), width: 1, is_mark: false, is_blank: *byte == b' ' };
        }
        if matches!(grapheme, "\n" | "\r\n") {
            return Self { text: Cow::Borrowed(""), width: 0, is_mark: false, is_blank: true };
        }
        let (text, width) = sanitize::cell(grapheme);
        let is_blank = grapheme.chars().all(wrap::is_space);
        Self { is_mark: text != grapheme && !is_blank, text, width, is_blank }
    }
}

/// Cells that safe `text` takes, counted as the buffer counts them.
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.graphemes(true).map(|grapheme| usize::from(grapheme.cell_width())).sum()
}

/// Puts one safe grapheme into the buffer. A wide one takes its neighbour's cell with it.
pub fn put(buf: &mut Buffer, x: u16, y: u16, grapheme: &str, width: u16, style: Style) {
    if width == 0 {
        return;
    }
    if let Some(cell) = buf.cell_mut((x, y)) {
        cell.reset();
        cell.set_symbol(grapheme).set_style(style);
    }
    for next in x + 1..x + width {
        if let Some(cell) = buf.cell_mut((next, y)) {
            cell.reset();
        }
    }
}
