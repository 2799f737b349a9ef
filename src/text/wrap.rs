//! Breaking a text into lines for the screen. The lines are places in the text as it is stored, so
//! a span of the text can be found on the screen and back.

use unicode_segmentation::UnicodeSegmentation;

use super::sanitize::cell;
use crate::domain::span::Span;

/// One line on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Where the line stands in the source text.
    pub span: Span,
}

/// The lines of `text` when none may be wider than `width` cells.
pub fn wrap(text: &str, width: u16) -> Vec<Line> {
    let most = usize::from(width.max(1));
    let mut lines = Vec::new();
    let (mut start, mut used) = (0, 0);
    for (at, grapheme) in text.grapheme_indices(true) {
        let wide = cell(grapheme).1;
        let hard = matches!(grapheme, "\n" | "\r\n");
        if hard || (used + wide > most && at > start) {
            lines.extend(Span::new(text, start..at).map(|span| Line { span }));
            start = if hard { at + grapheme.len() } else { at };
            used = 0;
        }
        if !hard {
            used += wide;
        }
    }
    lines.extend(Span::new(text, start..text.len()).map(|span| Line { span }));
    lines
}

/// The index of the line that shows byte `byte` of the source text.
pub fn line_of(lines: &[Line], byte: usize) -> usize {
    lines.partition_point(|line| line.span.start() <= byte).saturating_sub(1)
}
