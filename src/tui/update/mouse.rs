//! The mouse, where the person asked for it: a click takes a row or a pane in hand, the wheel moves what is under it,
//! and words of the evidence that it is drawn over are taken for a span.
//!
//! Nothing is decided by the mouse.

use ratatui::layout::Position;

use crate::domain::time::Timestamp;
use crate::tui::app::{App, Focus, Mode};
use crate::tui::command::{Command, Place};
use crate::tui::cursor::WordCursor;
use crate::tui::effect::Effect;
use crate::tui::message::MouseAct;
use crate::tui::screen;
use crate::tui::selected::Dragged;

use super::{queue, review, spans};

/// Lines that one notch of the wheel moves a text.
const NOTCH: i32 = 3;

/// What the mouse did at `at`.
pub(super) fn hand(app: &mut App, at: Position, act: MouseAct, now: Timestamp) -> Vec<Effect> {
    app.queue.touched = true;
    if !app.typed.is_empty() {
        app.typed.clear();
        app.dirty = true;
    }
    match act {
        MouseAct::Press => press(app, at, now),
        MouseAct::Drag => drag(app, at),
        MouseAct::Release => release(app, now),
        MouseAct::WheelDown => wheel(app, at, true, now),
        MouseAct::WheelUp => wheel(app, at, false, now),
    }
}

/// The pane of the review under `at`.
fn pane(app: &App, at: Position) -> Option<Focus> {
    let panes = app.geometry;
    let all = [(panes.queue, Focus::Queue), (panes.answer, Focus::Answer), (panes.evidence, Focus::Evidence)];
    all.into_iter().find(|(area, _)| area.contains(at)).map(|(_, focus)| focus)
}

fn press(app: &mut App, at: Position, now: Timestamp) -> Vec<Effect> {
    if let Mode::Spans(_) = app.mode {
        if let Some(place) = screen::spans::byte_at(app, at)
            && let Mode::Spans(editor) = &mut app.mode
        {
            editor.move_cursor(|cursor, text| *cursor = WordCursor::at(text, place));
            spans::follow(app);
            app.dirty = true;
        }
        return Vec::new();
    }
    if app.place() != Place::Review {
        return Vec::new();
    }
    take_hold(app, at);
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

/// The word of the evidence under `at` may become the beginning of a span.
fn take_hold(app: &mut App, at: Position) {
    let place = screen::word_at(app, at, None);
    let Some(claim) = &mut app.claim else { return };
    let passage = |index: usize| Some(&claim.detail()?.record.passages.get(index)?.content);
    let held = place.and_then(|(index, byte)| Some((index, WordCursor::at(passage(index)?, byte))));
    claim.dragged = held.map(|(passage, words)| Dragged { passage, words });
}

fn drag(app: &mut App, at: Position) -> Vec<Effect> {
    match &app.mode {
        Mode::Spans(_) => {
            let place = screen::spans::byte_at(app, at);
            if let (Mode::Spans(editor), Some(place)) = (&mut app.mode, place) {
                editor.move_cursor(|cursor, text| cursor.drag_to(text, place));
                spans::follow(app);
            }
        }
        _ if app.place() == Place::Review => {
            let Some(dragged) = app.claim.as_ref().and_then(|claim| claim.dragged.as_ref()) else {
                return Vec::new();
            };
            let place = screen::word_at(app, at, Some(dragged.passage));
            let Some(claim) = &mut app.claim else { return Vec::new() };
            let detail = claim.detail().cloned();
            if let (Some(dragged), Some(detail), Some((index, byte))) = (&mut claim.dragged, detail, place)
                && let Some(passage) = detail.record.passages.get(index)
            {
                dragged.words.drag_to(&passage.content, byte);
            }
        }
        _ => return Vec::new(),
    }
    app.dirty = true;
    Vec::new()
}

/// Words that were drawn over in the review become the stretch of a span that is being chosen.
fn release(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let Some(dragged) = app.claim.as_mut().and_then(|claim| claim.dragged.take()) else { return Vec::new() };
    app.dirty = true;
    if dragged.words.anchor.is_none() || app.place() != Place::Review {
        return Vec::new();
    }
    let effects = super::run(app, Command::ChooseEvidence, now);
    if let Mode::Spans(editor) = &mut app.mode {
        editor.passage = dragged.passage;
        editor.cursor = dragged.words;
        spans::follow(app);
    }
    effects
}

fn wheel(app: &mut App, at: Position, down: bool, now: Timestamp) -> Vec<Effect> {
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
