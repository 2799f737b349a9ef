//! Deciding the same claim in many answers at once.

use crate::domain::queue::QueueRow;
use crate::domain::time::Timestamp;
use crate::tui::app::{App, Mode};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;
use crate::tui::marks::ManyDialog;
use crate::tui::same::Same;

use super::decide;

/// Asks the store which answers have the claim under the cursor too.
pub(super) fn look_up(app: &mut App) -> Vec<Effect> {
    let Some(key) = app.detail().map(|detail| detail.key) else { return Vec::new() };
    // That there are others like it is known from what the judge says of them.
    if app.settings.blind.is_some() {
        return Vec::new();
    }
    app.run += 1;
    // What was known of this claim is shown until the answer is there.
    let before = app.same.take().filter(|same| same.claim == key);
    let (rows, wanted, is_marked, version) =
        before.map_or_else(Default::default, |same| (same.rows, same.wanted, same.is_marked, same.version));
    app.same = Some(Same { claim: key, asked: app.run, version, rows, wanted, is_marked });
    vec![Effect::FindSame { run: app.run, claim: key }]
}

/// The file is in another state: others may have decided some of them.
pub(super) fn changed(app: &mut App, version: i64) -> Vec<Effect> {
    let here = app.claim.as_ref().map(|claim| claim.key);
    match app.same.as_mut().filter(|same| Some(same.claim) == here && same.version != Some(version)) {
        Some(same) => {
            same.version = Some(version);
            look_up(app)
        }
        None => Vec::new(),
    }
}

/// The store's answer.
pub(super) fn came(
    app: &mut App,
    run: u64,
    result: Result<Vec<QueueRow>, String>,
    now: Timestamp,
) -> Vec<Effect> {
    let Some(same) = app.same.as_mut().filter(|same| same.asked == run) else { return Vec::new() };
    let was_wanted = std::mem::take(&mut same.wanted);
    match result {
        Ok(rows) => {
            app.dirty |= same.rows != rows;
            same.rows = rows;
            if was_wanted && app.place() == Place::Review {
                ask(app, now);
            }
        }
        Err(why) => super::fail(app, why),
    }
    Vec::new()
}

pub(super) const NO_OTHER: &str =
    "no other open answer has this claim with the same question, evidence and verdict";

/// Why there is nothing to decide at once.
pub(super) fn hindrance(app: &App) -> Option<String> {
    if !app.marks.is_empty() {
        let (act, clear) = (key(app, Command::ActOnMarked), key(app, Command::ClearFilter));
        return Some(format!("other claims are marked: {act} acts on them, {clear} takes the marks off"));
    }
    let here = app.claim.as_ref()?.key;
    let same = app.same.as_ref().filter(|same| same.claim == here)?;
    same.rows.first()?;
    same.count(here).is_none().then(|| NO_OTHER.to_owned())
}

fn key(app: &App, command: Command) -> String {
    app.settings.keymap.label(command, Place::Review)
}

/// Asks what is to be done to all of them; the claim under the cursor was looked at, and stands for the others.
pub(super) fn open(app: &mut App, now: Timestamp) {
    if decide::may_decide(app, Command::SameClaim, now) {
        ask(app, now);
    }
}

fn ask(app: &mut App, now: Timestamp) {
    if let Some(why) = hindrance(app) {
        return super::warn(app, why, now);
    }
    let here = app.claim.as_ref().map(|claim| claim.key);
    let Some(same) = app.same.as_mut().filter(|same| Some(same.claim) == here) else { return };
    if same.rows.is_empty() {
        same.wanted = true;
        return super::tell(app, "looking for the same claim in other answers…", now);
    }
    same.is_marked = true;
    app.marks.rows.clone_from(&same.rows);
    app.mode = Mode::Many(ManyDialog { chosen: None, at: now, sent: false });
    app.dirty = true;
}

/// The question was closed: what only it was about, and nobody marked, is not marked any more.
pub(super) fn left(app: &mut App) {
    let was_group = app.same.as_mut().is_some_and(|same| std::mem::take(&mut same.is_marked));
    if was_group || app.marks.are_against {
        app.marks.clear();
    }
}
