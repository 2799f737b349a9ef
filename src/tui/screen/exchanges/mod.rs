//! The raw log of a claim: what was asked of a model for its audit, each with the reply as it came.
//!
//! It lies over queue and claim. The list of exchanges stands at the left, or above in narrow windows; the
//! chosen one beside it, its facts over its text.

mod empty;
mod list;
mod text;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::SIDE_BY_SIDE;
use super::inside;
use crate::tui::app::{App, Mode};
use crate::tui::exchanges::{Entry, ExchangeLog, Reading};
use crate::tui::screen::Areas;
use crate::tui::widget::passage::{Passage, Scroll};

/// Lines of an exchange in a list at the left.
const LINES: u16 = 2;

/// Where the two panes lie, frames included.
fn panes(log: &ExchangeLog, body: Rect) -> (Rect, Rect) {
    if body.width >= SIDE_BY_SIDE {
        let width = (body.width * 36 / 100).clamp(36, 64);
        return (Rect { width, ..body }, Rect { x: body.x + width, width: body.width - width, ..body });
    }
    // Frame, names of the columns, and the exchanges; the text has the greater part.
    let wanted = log.entries().len().saturating_add(3).try_into().unwrap_or(u16::MAX);
    let height = wanted.min(body.height * 2 / 5).max(5);
    let below = Rect { y: body.y + height, height: body.height.saturating_sub(height), ..body };
    (Rect { height, ..body }, below)
}

/// Draws the log over everything between top line and footer.
pub(super) fn draw(app: &App, log: &ExchangeLog, body: Rect, buf: &mut Buffer) {
    match &log.entries {
        Reading::Ready(entries) if !entries.is_empty() => {
            let (at_list, at_text) = panes(log, body);
            list::draw(app, log, at_list, buf);
            text::draw(app, log, at_text, buf);
        }
        _ => empty::draw(app, log, body, buf),
    }
}

/// Where the text of the chosen exchange lies.
pub(super) fn text_area(app: &App, log: &ExchangeLog, body: Rect) -> Rect {
    let (_, at_text) = panes(log, body);
    text::area(app, log, inside(at_text))
}

/// The text moved by `lines`, never past its ends.
pub fn scrolled(app: &App, lines: i64) -> Scroll {
    let Mode::Exchanges(log) = &app.mode else { return Scroll::Auto };
    let Some(areas) = Areas::of(app.size) else { return log.scroll };
    let (Some(Entry::Kept(_)), Some(marked)) = (log.entry(), log.text()) else { return log.scroll };
    let room = text_area(app, log, areas.body());
    let focus = log.focus().map(|mark| mark.range.clone());
    Passage::new(&marked.text, &marked.marks, &app.settings.theme, room.width).scrolled(
        focus.as_ref(),
        log.scroll,
        room.height,
        lines,
    )
}
