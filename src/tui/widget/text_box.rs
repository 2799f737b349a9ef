//! The box in which a note is written.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;
use tui_textarea::{TextArea, WrapMode};
use unicode_segmentation::UnicodeSegmentation;

use super::glyph::{self, Glyph};
use crate::text::wrap::wrap;
use crate::tui::theme::{Role, Theme};

/// Draws the editor into `area`. What was typed or pasted is shown as safely as everything else.
pub fn draw(text: &TextArea<'_>, area: Rect, buf: &mut Buffer, theme: &Theme) {
    if area.is_empty() {
        return;
    }
    if text.wrap_mode() == WrapMode::None {
        return line(text, area, buf, theme);
    }
    // So that it knows where up and down lead.
    text.render(area, &mut Buffer::empty(area));
    let (rows, caret) = laid_out(text, area.width);
    let top = (caret.row + 1).saturating_sub(usize::from(area.height));
    for (y, row) in (area.y..area.bottom()).zip(rows.iter().skip(top)) {
        let mut x = area.x;
        for grapheme in row.graphemes(true) {
            let glyph = Glyph::of(grapheme);
            let role = if glyph.is_mark { Role::Escaped } else { Role::Text };
            for part in glyph.text.graphemes(true) {
                let width = u16::try_from(glyph::width(part)).unwrap_or(1);
                if x + width > area.right() {
                    break;
                }
                glyph::put(buf, x, y, part, width, theme.style(role));
                x += width;
            }
        }
    }
    let at = u16::try_from(caret.column).unwrap_or(u16::MAX).min(area.width - 1);
    let y = area.y + u16::try_from(caret.row - top).unwrap_or(0);
    if let Some(cell) = buf.cell_mut((area.x + at, y)) {
        cell.set_style(text.cursor_style());
    }
}

/// Where the caret stands: a row, and a cell of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Caret {
    row: usize,
    column: usize,
}

/// The rows of the text in `width` cells, broken as everywhere else: behind a blank, which no row begins with.
fn laid_out<'a>(text: &'a TextArea<'_>, width: u16) -> (Vec<&'a str>, Caret) {
    let (line_of_caret, character) = (text.cursor().0, text.cursor().1);
    let (mut rows, mut caret) = (Vec::new(), Caret::default());
    for (n, line) in text.lines().iter().enumerate() {
        let spans: Vec<Range<usize>> = wrap(line, width).iter().map(|row| row.span.range()).collect();
        let byte = line.char_indices().nth(character).map_or(line.len(), |(byte, _)| byte);
        for (k, span) in spans.iter().enumerate() {
            let is_here = spans.get(k + 1).is_none_or(|next| byte < next.start);
            if n == line_of_caret && is_here && (k == 0 || byte >= span.start) {
                let before = line.get(span.start.min(byte)..byte).unwrap_or_default();
                let column = before.graphemes(true).map(|grapheme| Glyph::of(grapheme).width).sum();
                caret = Caret { row: rows.len(), column };
            }
            rows.push(line.get(span.clone()).unwrap_or_default());
        }
    }
    (rows, caret)
}

/// One line, which goes on beyond the edge.
fn line(text: &TextArea<'_>, area: Rect, buf: &mut Buffer, theme: &Theme) {
    text.render(area, buf);
    for y in area.y..area.bottom() {
        for x in area.x..area.right() {
            let Some(cell) = buf.cell_mut((x, y)) else { continue };
            let glyph = Glyph::of(cell.symbol());
            if glyph.is_mark {
                // One cell for one cell: the caret must stay where the editor believes it is.
                let first: String = glyph.text.chars().take(1).collect();
                let sign = if glyph::width(&first) == 1 { first } else { "?".to_owned() };
                cell.set_symbol(&sign).set_style(theme.style(Role::Escaped));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tui_textarea::CursorMove;

    use super::*;

    fn area(text: &str) -> TextArea<'static> {
        let mut area = TextArea::new(text.split('\n').map(str::to_owned).collect());
        area.set_wrap_mode(WrapMode::WordOrGlyph);
        area
    }

    #[test]
    fn no_row_begins_with_the_blank_of_the_break_and_the_caret_goes_along() {
        let mut text = area("I checked with the nurse. The judge should\nknow");
        let (rows, caret) = laid_out(&text, 26);
        assert_eq!(rows, ["I checked with the nurse.", "The judge should", "know"]);
        assert_eq!(caret, Caret::default());
        for (character, expected) in [(25, (0, 25)), (26, (1, 0)), (29, (1, 3)), (42, (1, 16))] {
            text.move_cursor(CursorMove::Jump(0, character));
            let caret = laid_out(&text, 26).1;
            assert_eq!((caret.row, caret.column), expected, "character {character}");
        }
        text.move_cursor(CursorMove::Jump(1, 4));
        assert_eq!(laid_out(&text, 26).1, Caret { row: 2, column: 4 });
    }

    proptest! {
        #[test]
        fn the_caret_is_always_in_the_box(text in "[a-c é日\u{301}\n\u{1b}]{0,60}", width in 1u16..20, moves in 0usize..60) {
            let mut text = area(&text);
            for _ in 0..moves {
                text.move_cursor(CursorMove::Forward);
            }
            let (rows, caret) = laid_out(&text, width);
            prop_assert!(caret.row < rows.len());
        }
    }
}
