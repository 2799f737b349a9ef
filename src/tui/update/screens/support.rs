//! The *Support* screen: going through the lowest pairs, and to one of them in the queue.

use std::sync::Arc;

use crate::domain::time::Timestamp;
use crate::tui::app::App;
use crate::tui::command::Command;
use crate::tui::effect::Effect;
use crate::tui::exchanges::Reading;
use crate::tui::screen;
use crate::tui::screens::support::{Question, Reply};

pub(super) const fn question(app: &App) -> Question {
    Question { around: app.screens.support.at }
}

/// The pair in hand stays in hand where it is still among those that were read; pairs may come before it.
pub(super) fn came(app: &mut App, reply: Arc<Reply>, now: Timestamp) -> Vec<Effect> {
    let support = &mut app.screens.support;
    let here = support.pair(support.at).map(|pair| pair.key);
    if let Some(line) = reply.pairs.iter().position(|pair| Some(pair.key) == here) {
        support.at = reply.from + line as u64;
    }
    support.at = support.at.min(reply.support.all.n().saturating_sub(1));
    support.read = Reading::Ready(reply);
    // It was gone on while this was read.
    if support.is_covered() { super::again(app, now) } else { super::ask(app, now) }
}

/// What was read before stays on the screen: it was true a moment ago.
pub(super) fn failed(app: &mut App, why: String) {
    match app.screens.support.read {
        Reading::Ready(_) => super::super::fail(app, why),
        _ => app.screens.support.read = Reading::Error(why),
    }
}

pub(super) fn run(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    let page = screen::support::list_height(app).max(2) as i64 - 1;
    let by = match command {
        Command::Open => return review(app, now),
        Command::Down => 1,
        Command::Up => -1,
        Command::PageDown => page,
        Command::PageUp => -page,
        Command::FirstLine => i64::MIN,
        Command::LastLine => i64::MAX,
        _ => return Vec::new(),
    };
    let support = &mut app.screens.support;
    let last = support.pairs().saturating_sub(1);
    support.at = support.at.saturating_add_signed(by).min(last);
    app.dirty = true;
    let is_read = app.screens.asked.is_some() || !app.screens.support.wants_more();
    if is_read { Vec::new() } else { super::ask(app, now) }
}

/// Goes to the pair in hand in the queue, also where nobody was asked to look at it.
fn review(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let support = &app.screens.support;
    let Some(key) = support.pair(support.at).map(|pair| pair.key) else { return Vec::new() };
    super::go_to_claim(app, key, now)
}

pub(super) fn hindrance(app: &App, command: Command) -> Option<String> {
    let support = &app.screens.support;
    let acts = super::moves(command) || command == Command::Open;
    (acts && support.pairs() == 0).then(|| "no pair is scored here".to_owned())
}
