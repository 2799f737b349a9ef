//! How many terminal cells a text takes when it is shown, and fitting it into a number of cells.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

use super::sanitize::cell;

/// The cells that `text` takes when it is drawn.
pub fn width(text: &str) -> usize {
    text.graphemes(true).map(|grapheme| cell(grapheme).1).sum()
}

/// `text` as it is drawn, cut to at most `cells` cells; a cut text ends with `…`.
pub fn truncate(text: &str, cells: usize) -> Cow<'_, str> {
    if width(text) <= cells {
        return Cow::Borrowed(text);
    }
    let mut drawn = String::new();
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        let (shown, wide) = cell(grapheme);
        if used + wide + 1 > cells {
            break;
        }
        used += wide;
        drawn.push_str(&shown);
    }
    if cells > 0 {
        drawn.push('…');
    }
    Cow::Owned(drawn)
}

/// `text` as it is drawn, cut or filled up with spaces to exactly `cells` cells.
pub fn pad(text: &str, cells: usize) -> String {
    let mut drawn = truncate(text, cells).into_owned();
    drawn.extend(std::iter::repeat_n(' ', cells.saturating_sub(width(&drawn))));
    drawn
}
