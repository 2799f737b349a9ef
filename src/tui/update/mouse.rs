//! The mouse, where the person asked for it: a click takes a row or a pane in hand, the wheel moves what is under it.
//!
//! Nothing is decided by the mouse.

use ratatui::layout::Position;

use crate::domain::time::Timestamp;
use crate::tui::app::{App, Focus, Mode};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;

use super::{queue, review};

/// Lines that one notch of the wheel moves a text.
const NOTCH: i32 = 3;

/// The pane of the review under `at`.
fn pane(app: &App, at: Position) -> Option<Focus> {
    let panes = app.geometry;
    let all = [(panes.queue, Focus::Queue), (panes.answer, Focus::Answer), (panes.evidence, Focus::Evidence)];
    all.into_iter().find(|(area, _)| area.contains(at)).map(|(_, focus)| focus)
}

pub(super) fn click(app: &mut App, at: Position, now: Timestamp) -> Vec<Effect> {
    begin(app);
    if app.place() != Place::Review {
        return Vec::new();
    }
    let Some(focus) = pane(app, at) else { return Vec::new() };
    app.focus = focus;
    app.dirty = true;
    if focus != Focus::Queue {
        return Vec::new();
    }
    let list = app.geometry.queue;
    let row = app.first_shown(list.height.into()) + usize::from(at.y - list.y);
    let row =
        if app.threads.is_on() { app.lines().get(row).map(|line| app.row_of_line(line)) } else { Some(row) };
    match row.and_then(|row| app.queue.rows.get(row)).map(|row| row.key) {
        Some(key) if app.claim.as_ref().map(|claim| claim.key) != Some(key) => queue::select(app, key, now),
        _ => Vec::new(),
    }
}

pub(super) fn wheel(app: &mut App, at: Position, down: bool, now: Timestamp) -> Vec<Effect> {
    begin(app);
    let lines = if down { NOTCH } else { -NOTCH };
    match app.mode {
        Mode::Normal if app.place() == Place::Review => match pane(app, at) {
            Some(Focus::Queue) => return queue::move_by(app, if down { 1 } else { -1 }, now),
            Some(focus) => review::scroll(app, focus, lines),
            None => {}
        },
        Mode::Normal | Mode::Help { .. } | Mode::Exchanges(_) | Mode::Story(_) => {
            let command = if down { Command::Down } else { Command::Up };
            return (0..NOTCH).flat_map(|_| super::run(app, command, now)).collect();
        }
        _ => {}
    }
    Vec::new()
}

/// What a hand on the mouse means for the rest, like a key.
fn begin(app: &mut App) {
    app.queue.touched = true;
    if !app.typed.is_empty() {
        app.typed.clear();
        app.dirty = true;
    }
}
