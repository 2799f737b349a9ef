//! The *Dashboard* screen.

use std::sync::Arc;

use crate::domain::time::Timestamp;
use crate::store;
use crate::tui::app::App;
use crate::tui::command::Command;
use crate::tui::effect::Effect;
use crate::tui::exchanges::Reading;
use crate::tui::screen;
use crate::tui::screens::dashboard::Question;

pub(super) const fn question(now: Timestamp) -> Question {
    Question { now }
}

pub(super) fn came(app: &mut App, read: Arc<store::Dashboard>) {
    app.screens.dashboard.read = Reading::Ready(read);
    app.screens.dashboard.top = app.screens.dashboard.top.min(screen::dashboard::last_top(app));
}

/// What was read before stays on the screen: it was true a moment ago.
pub(super) fn failed(app: &mut App, why: String) {
    match app.screens.dashboard.read {
        Reading::Ready(_) => super::super::fail(app, why),
        _ => app.screens.dashboard.read = Reading::Error(why),
    }
}

pub(super) fn run(app: &mut App, command: Command) -> Vec<Effect> {
    let page = screen::dashboard::height(app).max(2) as isize - 1;
    let by = match command {
        Command::Down => 1,
        Command::Up => -1,
        Command::PageDown => page,
        Command::PageUp => -page,
        Command::FirstLine => isize::MIN,
        Command::LastLine => isize::MAX,
        _ => return Vec::new(),
    };
    let last = screen::dashboard::last_top(app);
    let dashboard = &mut app.screens.dashboard;
    // The window may have grown since.
    dashboard.top = dashboard.top.min(last).saturating_add_signed(by).min(last);
    app.dirty = true;
    Vec::new()
}

pub(super) fn hindrance(app: &App, command: Command) -> Option<String> {
    if command == Command::Open {
        return Some("there is nothing to choose on this screen".to_owned());
    }
    (super::moves(command) && screen::dashboard::last_top(app) == 0).then(|| "all of it is shown".to_owned())
}
