//! The help page.

use crate::tui::app::{App, Mode};
use crate::tui::command::Command;
use crate::tui::screen;

pub(super) fn run(app: &mut App, command: Command) {
    let Mode::Help { top } = app.mode else { return };
    let page = usize::from(app.geometry.help.height.max(2)) - 1;
    let last = screen::help::line_count(app).saturating_sub(page);
    let top = match command {
        Command::Down => top + 1,
        Command::Up => top.saturating_sub(1),
        Command::PageDown => top + page,
        Command::PageUp => top.saturating_sub(page),
        _ => return super::close(app),
    };
    app.mode = Mode::Help { top: top.min(last) };
    app.dirty = true;
}
