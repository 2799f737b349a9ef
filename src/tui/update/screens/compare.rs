//! The *Compare* screen.

use crate::tui::app::App;
use crate::tui::command::Command;
use crate::tui::effect::Effect;
use crate::tui::exchanges::Reading;
use crate::tui::screen;
use crate::tui::screens::compare::{Question, Reply};

pub(super) fn question(_: &App) -> Question {
    Question
}

pub(super) fn came(app: &mut App, reply: Reply) {
    let compare = &mut app.screens.compare;
    let is_there = reply.kept.iter().any(|kept| Some(&kept.name) == compare.chosen.as_ref());
    if !is_there {
        compare.chosen = reply.kept.first().map(|kept| kept.name.clone());
    }
    compare.kept = Reading::Ready(reply.kept);
}

/// What was read before stays on the screen: it was true a moment ago.
pub(super) fn failed(app: &mut App, why: String) {
    match app.screens.compare.kept {
        Reading::Ready(_) => super::super::fail(app, why),
        _ => app.screens.compare.kept = Reading::Error(why),
    }
}

pub(super) fn run(app: &mut App, command: Command) -> Vec<Effect> {
    let page = screen::compare::list_height(app).max(2) as isize - 1;
    let by = match command {
        Command::Down => 1,
        Command::Up => -1,
        Command::PageDown => page,
        Command::PageUp => -page,
        Command::FirstLine => isize::MIN,
        Command::LastLine => isize::MAX,
        _ => return Vec::new(),
    };
    let compare = &mut app.screens.compare;
    let last = compare.kept().len().saturating_sub(1);
    let line = compare.line().saturating_add_signed(by).min(last);
    compare.chosen = compare.kept().get(line).map(|kept| kept.name.clone());
    app.dirty = true;
    Vec::new()
}

pub(super) fn hindrance(app: &App, command: Command) -> Option<String> {
    if command == Command::ReviewChosen {
        return Some("a comparison is not opened here: its claims are in the queue".to_owned());
    }
    (super::moves(command) && app.screens.compare.kept().is_empty()).then(|| "the list is empty".to_owned())
}
