//! The command palette. What is chosen there is carried out as its key would be.

use crossterm::event::KeyEvent;

use crate::domain::time::Timestamp;
use crate::tui::app::{App, Mode};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;
use crate::tui::palette::{Palette, PaletteEntry, find};

use super::find::{clean_line, line_area};
use super::possible::hindrance;

pub(super) fn open(app: &mut App, now: Timestamp) {
    let claim = app.claim.as_ref().map(|claim| claim.key);
    let place = app.place();
    let palette = Palette { text: line_area(""), entries: Vec::new(), chosen: None, place, claim };
    app.mode = Mode::Palette(Box::new(palette));
    // What was asked stays in force, and in view.
    if app.question.is_none() {
        app.toast = None;
    }
    changed(app, now);
}

/// What was typed finds other commands: the best is chosen; with nothing typed, the first that is possible.
fn changed(app: &mut App, now: Timestamp) {
    let Mode::Palette(palette) = &mut app.mode else { return };
    let commands = find(&app.settings.keymap, &palette.content(), palette.place);
    palette.entries = commands.into_iter().map(|command| PaletteEntry { command, hindrance: None }).collect();
    palette.chosen = None;
    refresh(app, now);
    let Mode::Palette(palette) = &mut app.mode else { return };
    // Whoever typed means what fits best, also when it is not possible: another command in its place would
    // surprise.
    let is_typed = !palette.content().trim().is_empty();
    let chosen = palette.entries.iter().find(|entry| is_typed || entry.hindrance.is_none());
    palette.chosen = chosen.map(|entry| entry.command);
    app.dirty = true;
}

/// What is possible may have changed while the palette is open.
pub(super) fn refresh(app: &mut App, now: Timestamp) {
    let Mode::Palette(palette) = &app.mode else { return };
    let hindrances: Vec<Option<String>> =
        palette.entries.iter().map(|entry| hindrance(app, entry.command, now)).collect();
    let Mode::Palette(palette) = &mut app.mode else { return };
    for (entry, hindrance) in palette.entries.iter_mut().zip(hindrances) {
        if entry.hindrance != hindrance {
            entry.hindrance = hindrance;
            app.dirty = true;
        }
    }
}

pub(super) fn run(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    match command {
        Command::RunChosen => return run_chosen(app, now),
        Command::Down => step(app, 1),
        Command::Up => step(app, -1),
        _ => super::close(app),
    }
    app.dirty = true;
    Vec::new()
}

fn step(app: &mut App, by: isize) {
    let Mode::Palette(palette) = &mut app.mode else { return };
    let last = palette.entries.len().saturating_sub(1);
    let line = palette.chosen_line().saturating_add_signed(by).min(last);
    palette.chosen = palette.entries.get(line).map(|entry| entry.command);
}

fn run_chosen(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let Mode::Palette(palette) = &app.mode else { return Vec::new() };
    let Some(PaletteEntry { command, hindrance }) = palette.chosen_entry().cloned() else {
        super::warn(app, "no command is found by that", now);
        return Vec::new();
    };
    if let Some(why) = hindrance {
        super::warn(app, why, now);
        return Vec::new();
    }
    let opened_on = palette.claim;
    super::close(app);
    if command.concerns_claim() && app.claim.as_ref().map(|claim| claim.key) != opened_on {
        let key = app.settings.keymap.label(Command::Palette, Place::Review);
        let text = format!("nothing done: another claim is here now than when {key} was pressed");
        super::warn(app, text, now);
        return Vec::new();
    }
    super::run(app, command, now)
}

/// A key of the text itself.
pub(super) fn input(app: &mut App, event: KeyEvent, now: Timestamp) {
    let Mode::Palette(palette) = &mut app.mode else { return };
    let before = palette.content();
    super::find::edit(&mut palette.text, event);
    if palette.text.lines().len() > 1 {
        palette.text = line_area(&palette.content());
    }
    if palette.content() == before {
        app.dirty = true;
    } else {
        changed(app, now);
    }
}

/// Pasted text is looked for and never carried out.
pub(super) fn paste(app: &mut App, text: &str, now: Timestamp) {
    let Mode::Palette(palette) = &mut app.mode else { return };
    let (clean, _) = clean_line(text);
    palette.text.insert_str(clean.chars().take(MOST).collect::<String>());
    changed(app, now);
}

/// More characters of a paste find nothing.
const MOST: usize = 200;
