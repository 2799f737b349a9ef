//! Text that is safe to show: nothing that a terminal would obey, and nothing that a reader could
//! not see, gets through. The stored text is never altered; this is for display only.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// `text` with every hidden character as a visible mark, for one line of output.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().any(char::is_control) {
        Cow::Owned(text.graphemes(true).map(|g| cell(g).0).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// What to draw for one grapheme, and how many cells that takes.
pub fn cell(grapheme: &str) -> (Cow<'_, str>, usize) {
    if grapheme.chars().any(char::is_control) {
        return (Cow::Borrowed("␛"), 1);
    }
    (Cow::Borrowed(grapheme), grapheme.width())
}
