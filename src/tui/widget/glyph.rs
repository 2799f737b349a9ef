//! From a grapheme of any text to something that is safe in a cell, and its width.

use std::borrow::Cow;

use ratatui::buffer::{Buffer, CellWidth};
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;

use crate::text::sanitize;

/// One grapheme as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glyph<'a> {
    pub text: Cow<'a, str>,
    /// Cells that `text` takes.
    pub width: usize,
    /// A visible mark that stands for something else.
    pub is_mark: bool,
    /// A line may end here.
    pub is_blank: bool,
}

/// Combining characters that are shown on one base; a taller stack would grow into other lines.
const STACK: usize = 4;

impl<'a> Glyph<'a> {
    /// How `grapheme` is shown. Line ends take no room; a tab is one blank.
    pub fn of(grapheme: &'a str) -> Self {
        match grapheme {
            "\n" | "\r\n" => return Self::blank(""),
            " " => return Self::blank(" "),
            "\t" => return Self::blank("  "),
            _ => {}
        }
        if grapheme.len() == 1 && grapheme.as_bytes().first().is_some_and(|byte| (0x21..0x7f).contains(byte))
        {
            return Self { text: Cow::Borrowed(grapheme), width: 1, is_mark: false, is_blank: false };
        }
        let (safe, _) = sanitize::cell(grapheme);
        let is_mark = safe != grapheme;
        let mut text = safe;
        if !is_mark && text.chars().count() > STACK + 1 && !text.contains('\u{200d}') {
            text = Cow::Owned(text.chars().take(STACK + 1).collect());
        }
        if !is_mark && width(&text) == 0 {
            text = Cow::Owned(format!("\u{25cc}{text}"));
        }
        let is_blank =
            !is_mark && text.chars().all(char::is_whitespace) && text != "\u{a0}" && text != "\u{202f}";
        Self { width: width(&text), text, is_mark, is_blank }
    }

    fn blank(text: &'static str) -> Self {
        Self { text: Cow::Borrowed(text), width: text.len(), is_mark: false, is_blank: true }
    }
}

/// Cells that `text` takes, counted as the buffer counts them.
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
        cell.set_symbol(grapheme).set_style(style);
    }
    for next in x + 1..x + width {
        if let Some(cell) = buf.cell_mut((next, y)) {
            cell.reset();
        }
    }
}
