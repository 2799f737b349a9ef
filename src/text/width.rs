//! How many terminal cells a text takes when it is shown, and fitting it into a number of cells.
//!
//! A text is measured grapheme by grapheme as [`cell`] draws it, and as the
//! screen's buffer counts it, so that columns and borders stay straight.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::sanitize::cell;

/// One grapheme of a text and the cells that it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell<'a> {
    /// Byte offset in the text.
    pub at: usize,
    /// The grapheme as it stands in the text: not safe to print.
    pub grapheme: &'a str,
    /// Cells on the screen, at least 1.
    pub width: usize,
    /// Known to be drawn as it is.
    plain: bool,
}

impl<'a> Cell<'a> {
    /// What to draw for it.
    pub fn drawn(&self) -> Cow<'a, str> {
        if self.plain { Cow::Borrowed(self.grapheme) } else { cell(self.grapheme).0 }
    }

    /// Byte offset where the next grapheme begins.
    pub fn end(&self) -> usize {
        self.at + self.grapheme.len()
    }
}

/// The graphemes of `text` with their widths, in order.
pub fn cells(text: &str) -> Cells<'_> {
    Cells { text, at: 0 }
}

/// See [`cells`].
#[derive(Debug, Clone)]
pub struct Cells<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Cells<'a> {
    type Item = Cell<'a>;

    fn next(&mut self) -> Option<Cell<'a>> {
        let at = self.at;
        let rest = self.text.get(at..)?;
        let mut chars = rest.chars();
        let first = chars.next()?;
        // Most text is letters that stand for themselves; the segmenter is for the rest.
        let (grapheme, width, plain) = match plain_width(first) {
            Some(width) if chars.as_str().chars().next().is_none_or(|c| plain_width(c).is_some()) => {
                (rest.get(..first.len_utf8())?, width, true)
            }
            _ => {
                let grapheme = rest.graphemes(true).next()?;
                (grapheme, cell(grapheme).1, false)
            }
        };
        self.at += grapheme.len();
        Some(Cell { at, grapheme, width, plain })
    }
}

/// The width of a character that is drawn as it is, and that is a grapheme by itself when another
/// such character or nothing follows it.
fn plain_width(c: char) -> Option<usize> {
    match c {
        ' '..='~'
        | '\u{A1}'..='\u{AC}'
        | '\u{AE}'..='\u{2FF}'
        | '\u{391}'..='\u{3A1}'
        | '\u{3A3}'..='\u{481}'
        | '\u{48A}'..='\u{52F}'
        | '\u{5D0}'..='\u{5EA}'
        | '\u{620}'..='\u{64A}'
        | '\u{660}'..='\u{66F}'
        | '\u{671}'..='\u{6D3}'
        | '\u{6F0}'..='\u{6FF}'
        | '\u{904}'..='\u{939}'
        | '\u{2010}'..='\u{2016}'
        | '\u{2018}'..='\u{2026}' => Some(1),
        '\u{3001}'..='\u{3009}'
        | '\u{3041}'..='\u{3096}'
        | '\u{30A1}'..='\u{30FA}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7A3}'
        | '\u{FF01}'..='\u{FF60}' => Some(2),
        _ => None,
    }
}

/// The cells that the screen's buffer gives to `drawn`, which holds no control character.
///
/// The buffer counts the half-width Japanese voice marks one more than they are wide.
pub(super) fn terminal_width(drawn: &str) -> usize {
    drawn
        .graphemes(true)
        .map(|grapheme| {
            grapheme.width() + grapheme.chars().filter(|c| matches!(c, '\u{FF9E}' | '\u{FF9F}')).count()
        })
        .sum()
}

/// The cells that `text` takes when it is drawn on one line; a line end in it counts as the space
/// that it is drawn as.
pub fn width(text: &str) -> usize {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return text.len();
    }
    cells(text).map(|cell| cell.width).sum()
}

/// `text` as it is drawn on one line, in at most `cells` cells. A text that does not fit is cut
/// between graphemes and ends with `…`. The result is safe to print.
pub fn truncate(text: &str, most: usize) -> Cow<'_, str> {
    let mut used = 0;
    // Where to cut if the text turns out too long: the last place with room for the `…`.
    let mut cut = 0;
    let mut as_it_is = true;
    let mut fits = true;
    for cell in cells(text) {
        if used + cell.width > most {
            fits = false;
            break;
        }
        used += cell.width;
        if used < most {
            cut = cell.end();
        }
        as_it_is &= cell.drawn() == cell.grapheme;
    }
    if fits && as_it_is {
        return Cow::Borrowed(text);
    }
    let mut drawn = String::new();
    for cell in cells(if fits { text } else { &text[..cut] }) {
        drawn.push_str(&cell.drawn());
    }
    if !fits && most > 0 {
        drawn.push('…');
    }
    Cow::Owned(drawn)
}

/// `text` as it is drawn on one line, cut or filled up with spaces to exactly `cells` cells.
pub fn pad(text: &str, cells: usize) -> String {
    let mut drawn = truncate(text, cells).into_owned();
    drawn.extend(std::iter::repeat_n(' ', cells.saturating_sub(width(&drawn))));
    drawn
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;

    /// The column in which the screen's buffer stops after drawing `drawn` on a line of `room` cells.
    fn column_after(drawn: &str, room: u16) -> usize {
        let mut buffer = Buffer::empty(Rect::new(0, 0, room, 1));
        usize::from(buffer.set_stringn(0, 0, drawn, usize::from(room), Style::default()).0)
    }

    #[test]
    fn r02_emoji_and_wide_letters_take_two_cells() {
        for (text, cells) in [
            ("", 0),
            ("abc", 3),
            ("日本", 4),
            ("👩\u{200D}🚒", 2),
            ("👨\u{200D}👩\u{200D}👧\u{200D}👦", 2),
            ("🇯🇵", 2),
            ("e\u{301}", 1),
            ("می\u{200C}روم", 5),
            ("a\nb", 3),
            ("\u{1B}", 1),
            ("\u{202E}", 5),
        ] {
            assert_eq!(width(text), cells, "{text:?}");
        }
    }

    #[test]
    fn a_text_that_does_not_fit_ends_with_an_ellipsis() {
        assert_eq!(truncate("abcdef", 6), "abcdef");
        assert_eq!(truncate("abcdef", 5), "abcd…");
        assert_eq!(truncate("日本語", 6), "日本語");
        assert_eq!(truncate("日本語", 5), "日本…");
        assert_eq!(truncate("日本語", 4), "日…");
        assert_eq!(truncate("one\ntwo", 9), "one two");
        assert_eq!(truncate("a\u{1B}[31m", 3), "a␛…");
        assert_eq!(truncate("abc", 1), "…");
        assert_eq!(truncate("abc", 0), "");
        assert_eq!(truncate("日", 1), "…");
    }

    #[test]
    fn a_padded_text_fills_its_column() {
        assert_eq!(pad("日本", 6), "日本  ");
        assert_eq!(pad("日本語", 4), "日… ");
        assert_eq!(pad("", 2), "  ");
    }

    #[test]
    fn plain_letters_are_what_the_segmenter_and_the_buffer_make_of_them() {
        let plain: Vec<char> = ('\0'..='\u{FFFF}').filter(|&c| plain_width(c).is_some()).collect();
        assert!(plain.len() > 30_000);
        let text: String = plain.iter().collect();
        assert_eq!(text.graphemes(true).count(), plain.len());
        for c in plain {
            let text = c.to_string();
            assert_eq!(
                cell(&text),
                (Cow::Borrowed(text.as_str()), plain_width(c).unwrap_or(0)),
                "{:X}",
                c as u32
            );
        }
    }

    proptest! {
        #[test]
        fn r02_the_screen_draws_as_many_cells_as_are_counted(text in crate::text::sanitize::tests::hostile()) {
            let drawn: String = cells(&text).map(|cell| cell.drawn().into_owned()).collect();
            prop_assert_eq!(column_after(&drawn, 4_000), width(&text));
            prop_assert_eq!(width(&drawn), width(&text));
        }

        #[test]
        fn cells_are_the_graphemes_of_the_text(text in crate::text::sanitize::tests::hostile()) {
            let ours: Vec<(usize, &str)> = cells(&text).map(|cell| (cell.at, cell.grapheme)).collect();
            let theirs: Vec<(usize, &str)> = text.grapheme_indices(true).collect();
            prop_assert_eq!(ours, theirs);
            for cell in cells(&text) {
                prop_assert_eq!(cell.width, super::cell(cell.grapheme).1);
            }
        }

        #[test]
        fn a_truncated_text_fits_and_a_padded_one_fills(
            text in crate::text::sanitize::tests::hostile(),
            most in 0usize..40,
        ) {
            let cut = truncate(&text, most);
            prop_assert!(width(&cut) <= most);
            prop_assert_eq!(crate::text::sanitize::visible(&cut), cut.as_ref());
            if width(&text) <= most {
                prop_assert_eq!(width(&cut), width(&text));
            } else {
                prop_assert!(cut.ends_with('…') || most == 0);
            }
            prop_assert_eq!(column_after(&pad(&text, most), 200), most);
        }
    }
}
