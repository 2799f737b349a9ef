//! The *Compare* screen: the comparisons that are kept.

mod empty;
mod list;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Areas, inside};
use crate::tui::app::App;
use crate::tui::command::Command;

/// Keys that do something on this screen, the most important first.
pub(super) const KEYS: &[Command] =
    &[Command::Cancel, Command::Down, Command::Up, Command::NextScreen, Command::Palette, Command::Help];

/// Draws it between top line and footer.
pub(super) fn draw(app: &App, body: Rect, buf: &mut Buffer) {
    if app.screens.compare.kept().is_empty() {
        empty::draw(app, body, buf);
    } else {
        list::draw(app, body, buf);
    }
}

/// Comparisons that have room in the list.
pub fn list_height(app: &App) -> usize {
    Areas::of(app.size).map_or(1, |areas| usize::from(inside(areas.body()).height / list::LINES).max(1))
}
