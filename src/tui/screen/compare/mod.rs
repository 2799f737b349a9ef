//! The *Compare* screen: the comparisons that are kept, and what came of the one in hand.
//!
//! At the left, in narrow windows above, a list; beside it what is told of its line in hand. The list is one of
//! comparisons, or of the claims that are newly wrong in one of them.

mod chart;
mod claims;
mod empty;
mod list;
mod report;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Areas, SIDE_BY_SIDE, inside, screens};
use crate::tui::app::App;
use crate::tui::command::Command;
use crate::tui::screens::compare::Pane;
use crate::tui::theme::Role;
use crate::tui::widget::glyph;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::phrase::Phrase;

/// Keys that do something on this screen, the most important first.
pub(super) fn keys(app: &App) -> &'static [Command] {
    use Command::{Cancel, Down, Help, NextScreen, Open, PageDown, Palette, Up};
    match app.screens.compare.pane {
        _ if app.screens.compare.kept().is_empty() => &[Cancel, NextScreen, Palette, Help],
        Pane::Comparisons => &[Open, Down, Up, PageDown, Cancel, NextScreen, Palette, Help],
        Pane::Claims => &[Open, Down, Up, Cancel, PageDown, NextScreen, Palette, Help],
    }
}

/// What `command` does here, where that is something else than its usual word says.
pub(super) fn word(app: &App, command: Command) -> Option<&'static str> {
    match (app.screens.compare.pane, command) {
        (Pane::Comparisons, Command::Open) => Some("its claims"),
        (Pane::Claims, Command::Open) => Some("review"),
        (Pane::Claims, Command::Cancel) => Some("comparisons"),
        (Pane::Comparisons, Command::Cancel) => Some("queue"),
        (_, Command::PageDown) => Some("more of it"),
        _ => None,
    }
}

/// Where list and text lie, frames included.
fn panes(app: &App, body: Rect) -> (Rect, Rect) {
    if body.width >= SIDE_BY_SIDE {
        let width = (body.width * 36 / 100).clamp(36, 64);
        return (Rect { width, ..body }, Rect { x: body.x + width, width: body.width - width, ..body });
    }
    let (count, lines) = match app.screens.compare.pane {
        Pane::Comparisons => (app.screens.compare.kept().len(), usize::from(list::LINES)),
        Pane::Claims => (app.screens.compare.claims().len(), 1),
    };
    // The text has the greater part; a frame takes two rows.
    let wanted = count.saturating_mul(lines).saturating_add(2).try_into().unwrap_or(u16::MAX);
    let height = wanted.min(body.height * 3 / 10).max(4);
    let below = Rect { y: body.y + height, height: body.height.saturating_sub(height), ..body };
    (Rect { height, ..body }, below)
}

/// Draws it between top line and footer.
pub(super) fn draw(app: &App, body: Rect, buf: &mut Buffer) {
    if app.screens.compare.kept().is_empty() {
        return empty::draw(app, body, buf);
    }
    let (at_list, at_text) = panes(app, body);
    match app.screens.compare.pane {
        Pane::Comparisons => {
            list::draw(app, at_list, buf);
            report::draw(app, at_text, buf);
        }
        Pane::Claims => {
            claims::draw_list(app, at_list, buf);
            claims::draw_one(app, at_text, buf);
        }
    }
}

/// The frame of the list: the keys go there, and in its lower edge stands what happened.
fn list_panel(app: &App, title: Phrase) -> Panel {
    Panel { top_left: title, bottom_left: screens::told(app), focused: true, ..Panel::default() }
}

/// Rows that have room in the text, and those of what is told of the claim in hand.
pub fn claim_size(app: &App) -> (usize, usize) {
    let Some(body) = Areas::of(app.size).map(|areas| areas.body()) else { return (1, 1) };
    let room = inside(panes(app, body).1);
    (usize::from(room.height), claims::rows(app, room))
}

/// Lines that have room in the text, and those of the report.
pub fn report_size(app: &App) -> (usize, usize) {
    let Some(body) = Areas::of(app.size).map(|areas| areas.body()) else { return (1, 1) };
    let room = inside(panes(app, body).1);
    (usize::from(room.height), report::lines(app, room.width).len())
}

/// Signs at the edges of what is longer than its room.
fn more(above: bool, below: bool, room: Rect, buf: &mut Buffer, app: &App) {
    let style = app.settings.theme.style(Role::Muted);
    if above {
        glyph::put(buf, room.right(), room.y, "↑", 1, style);
    }
    if below {
        glyph::put(buf, room.right(), room.bottom().saturating_sub(1), "↓", 1, style);
    }
}
