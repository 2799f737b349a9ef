//! The list by answers: switching to it, folding, moving by its lines, and where a decision leads.

use crate::domain::ids::ClaimKey;
use crate::domain::time::Timestamp;
use crate::tui::app::App;
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;

use super::queue;

/// Why `command` is not possible in the list as it is.
pub(super) fn hindrance(app: &App, command: Command) -> Option<String> {
    let key = |command| app.settings.keymap.label(command, Place::Review);
    match command {
        Command::Threads if app.settings.blind.is_some() => {
            Some("not in a blind review: answers stand by their worst claim, and that is hidden".to_owned())
        }
        Command::Fold | Command::Unfold | Command::FoldAll if !app.threads.is_on() => {
            Some(format!("this is the list of claims: {} shows it by answers", key(Command::Threads)))
        }
        Command::Fold | Command::Unfold if app.claim.is_none() => Some("there is no answer here".to_owned()),
        Command::Fold => {
            let answer = app.folded_here()?;
            Some(format!("{answer} is folded: {} unfolds it", key(Command::Unfold)))
        }
        Command::Unfold if app.folded_here().is_none() => {
            Some(format!("the answer is unfolded: {} folds it", key(Command::Fold)))
        }
        Command::Mark | Command::MarkRange => {
            let answer = app.folded_here()?;
            Some(format!(
                "{answer} is folded: {} shows its claims, which can be marked",
                key(Command::Unfold)
            ))
        }
        _ => None,
    }
}

/// Between the list of claims and the list by answers; the claim in hand stays.
pub(super) fn switch(app: &mut App, now: Timestamp) -> Vec<Effect> {
    app.threads.wanted = !app.threads.wanted;
    let key = |command| app.settings.keymap.label(command, Place::Review);
    let text = if app.threads.wanted {
        let [unfold, fold, all] = [Command::Unfold, Command::Fold, Command::FoldAll].map(key);
        format!(
            "by answers · {unfold} unfolds, {fold} folds, {all} all · {} the claims again",
            key(Command::Threads)
        )
    } else {
        "by claims".to_owned()
    };
    super::tell(app, text, now);
    queue::load(app)
}

/// Folds or unfolds the answer under the cursor, or all.
pub(super) fn fold(app: &mut App, command: Command) {
    let line = app.selected_line().map(|line| line.saturating_sub(app.queue.top));
    if command == Command::FoldAll {
        app.threads.fold_all();
    } else if let Some(row) = app.selected_row() {
        let answer = app.queue.rows[row].id.audit_id().clone();
        app.threads.fold(&answer, command == Command::Fold);
    }
    // All others may have come or gone above: the cursor stays on its line.
    if let (Command::FoldAll, Some(line), Some(now)) = (command, line, app.selected_line()) {
        app.queue.top = now.saturating_sub(line);
    }
    app.dirty = true;
}

/// The claim `lines` further, as far as there are any.
pub(super) fn moved(app: &App, lines: isize) -> Option<ClaimKey> {
    let stops = app.stops();
    let last = stops.len().checked_sub(1)?;
    let row = app.selected_row();
    let here = row.and_then(|row| stops.iter().position(|stop| *stop == row)).unwrap_or(0);
    Some(app.queue.rows[stops[here.saturating_add_signed(lines).min(last)]].key)
}

/// The first claim of the answer after this one, or of the one before.
pub(super) fn other_answer(app: &App, down: bool) -> Option<ClaimKey> {
    let (rows, stops, here) = (&app.queue.rows, app.stops(), app.selected_row()?);
    let answer = |row: usize| rows[row].id.audit_id();
    let differs = |row: &&usize| answer(**row) != answer(here);
    let found = if down {
        stops.iter().filter(|row| **row > here).find(differs).copied()
    } else {
        let before = stops.iter().rev().filter(|row| **row < here).find(differs).copied();
        before.and_then(|before| stops.iter().find(|row| answer(**row) == answer(before)).copied())
    };
    found.map(|row| rows[row].key)
}

/// Where work goes on after what stood at `from`: in the same answer, then in the next ones, then in those before.
pub(super) fn next_open(app: &App, from: usize, now: Timestamp) -> Option<ClaimKey> {
    let rows = &app.queue.rows;
    let from = from.min(rows.len());
    let here = app.claim.as_ref()?.key;
    let id = app.detail().map(|detail| detail.id.audit_id().clone());
    let is_same = |row: &usize| id.as_ref() == Some(rows[*row].id.audit_id());
    let others = || (from..rows.len()).chain(0..from).filter(|row| rows[*row].key != here);
    let found = app.first_open(others().filter(is_same), Some(now));
    found.or_else(|| app.first_open(others(), Some(now))).map(|row| rows[row].key)
}
