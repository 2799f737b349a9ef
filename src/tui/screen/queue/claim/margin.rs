//! What stands beside a text of which only a part is in view.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::theme::{Role, Theme};
use crate::tui::widget::passage::{self, Mark};
use crate::tui::widget::{glyph, overview};

/// From so many rows on a column beside a longer text says which part of it is in view, and where its spans are.
const OVERVIEW: u16 = 5;

/// Where in the whole text the lines in view and the marks are; in few rows only that it goes on.
pub(super) fn where_in_text(
    text: &str,
    marks: &[Mark],
    shown: &passage::Shown,
    rows: Rect,
    buf: &mut Buffer,
    theme: &Theme,
) {
    if rows.height < OVERVIEW || !(shown.above || shown.below) {
        return text_goes_on(shown, rows, buf, theme);
    }
    let column = Rect { x: rows.right(), width: 1, ..rows };
    let spans = marks.iter().map(|mark| (mark.range.clone(), mark.role));
    overview::draw(text.len(), shown, spans, column, buf, theme);
}

/// Marks in the margin where the text goes on.
pub(in crate::tui::screen) fn text_goes_on(
    shown: &passage::Shown,
    rows: Rect,
    buf: &mut Buffer,
    theme: &Theme,
) {
    if rows.height == 0 {
        return;
    }
    if shown.above {
        glyph::put(buf, rows.right(), rows.y, "↑", 1, theme.style(Role::Muted));
    }
    if shown.below {
        glyph::put(buf, rows.right(), rows.bottom() - 1, "↓", 1, theme.style(Role::Muted));
    }
}
