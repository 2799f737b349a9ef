//! Nothing is recorded before what it is about could be read: one guard for the claim, the boxes over it, and what is
//! asked first. A change of what there is to read begins the time anew; text that is typed neither does nor is dropped.

use std::time::Duration;

use crate::domain::ids::ClaimKey;
use crate::domain::time::Timestamp;
use crate::tui::app::{AnswerDialog, App, Mode};
use crate::tui::command::{Command, Place};
use crate::tui::in_view::{Part, Stake};
use crate::tui::marks::ManyDialog;
use crate::tui::screens::ScreenName;
use crate::tui::shape::{ShapeEditor, Work};

use super::{marks, question};

/// A frame was drawn that can be seen from `at` on, which may lie ahead: what stands on it is in view from then on.
pub(super) fn drawn(app: &mut App, at: Timestamp) {
    let is_covered = app.screen() != ScreenName::Queue
        || matches!(app.mode, Mode::Help { .. } | Mode::Exchanges(_) | Mode::Story(_) | Mode::Disposition(_));
    let claim = claim(app).filter(|_| !is_covered);
    let shown = [claim, over(app), question::stake(app)].into_iter().flatten();
    let is_shown = !app.geometry.too_small;
    let shown: Vec<Stake> = shown.filter(|_| is_shown).collect();
    app.in_view.drawn(shown, at);
    marks::drawn(app, at);
}

/// Other things are, or were, on the screen: what is there has to be looked at anew.
pub(super) fn look_anew(app: &mut App) {
    app.in_view.clear();
    app.marks.look_anew();
    app.dirty = true;
}

/// Time in which nobody listened to the keyboard does not count as time to look.
pub(super) fn was_not_listening(app: &mut App, busy: Duration, now: Timestamp) {
    app.in_view.shift(busy, now);
    app.marks.shift(busy, now);
}

/// Since when the claim under the cursor is in view.
pub(super) fn claim_since(app: &App) -> Option<Timestamp> {
    app.in_view.since(&claim(app)?)
}

/// Whether the claim under the cursor was in view for long enough.
pub(super) fn was_claim(app: &App, now: Timestamp) -> bool {
    let least = app.settings.min_visible;
    least.is_zero() || claim(app).is_some_and(|stake| app.in_view.was(&stake, least, now))
}

/// Whether `command` would record what lies over the review says before that was in view for long enough; the screen
/// says so. Of the claim itself more is to be told: see [`super::decide::is_seen`].
pub(super) fn drops(app: &mut App, command: Command, now: Timestamp) -> bool {
    let place = app.place();
    let least = app.settings.min_visible;
    if place == Place::Review || !command.records_in(place) || least.is_zero() {
        return false;
    }
    if over(app).is_none_or(|stake| app.in_view.was(&stake, least, now)) {
        return false;
    }
    let what = match place {
        Place::Disposition => "the answer",
        Place::Many => "what is to be done",
        Place::NewClaim | Place::Split | Place::Merge | Place::Words => "what is to be made",
        Place::Note => "the claim that it is on",
        _ => "what it records",
    };
    super::warn(app, format!("too fast: {} was dropped, {what} was not yet visible", key(app, command)), now);
    true
}

/// The key of `command` where it is struck.
pub(super) fn key(app: &App, command: Command) -> String {
    let label = app.settings.keymap.label(command, app.place());
    if label.is_empty() { app.settings.keymap.label(command, Place::Score) } else { label }
}

/// The claim under the cursor, once it is read.
fn claim(app: &App) -> Option<Stake> {
    let detail = app.detail()?;
    Some(Stake::new(Part::Claim, &(detail.key, &detail.seen, detail.sight)))
}

/// What lies over the review and may be recorded.
fn over(app: &App) -> Option<Stake> {
    let part = Part::Box(app.place());
    let here = |key: ClaimKey| claim(app).filter(|_| app.detail().is_some_and(|detail| detail.key == key));
    Some(match &app.mode {
        Mode::Override(menu) => Stake::new(part, &(menu.claim, here(menu.claim))),
        Mode::Spans(editor) => {
            let claim = editor.menu.claim;
            Stake::new(part, &(claim, here(claim), editor.chosen()))
        }
        Mode::Shape(editor) => Stake::new(part, &made(editor)),
        Mode::Note(editor) => Stake::new(part, &editor.claim),
        Mode::Ask(line) => {
            let many = line.claim.is_none().then(|| marked(app));
            Stake::new(part, &(line.question, line.key(), many))
        }
        Mode::Many(dialog) => Stake::new(part, &(&dialog.chosen, possible(app, dialog))),
        Mode::Disposition(dialog) => Stake::new(part, &given(dialog)),
        _ => return None,
    })
}

/// What would be made, but for words that are typed.
fn made(editor: &ShapeEditor) -> String {
    let place = match &editor.work {
        Work::Add { cursor, .. } => format!("{:?}", cursor.selection()),
        Work::Split { cuts, at } => format!("{:?}", cuts.get(*at).map(|cut| cut.at)),
        Work::Merge { .. } => {
            format!("{:?}", editor.taken().iter().map(|one| (one.key, one.decided)).collect::<Vec<_>>())
        }
    };
    let told = (editor.words.is_some(), editor.warned, &editor.over);
    format!("{:?} {place} {told:?}", editor.detail.key)
}

fn marked(app: &App) -> Vec<ClaimKey> {
    app.marks.rows.iter().map(|row| row.key).collect()
}

/// The marked claims to which it would be done.
fn possible(app: &App, dialog: &ManyDialog) -> Vec<ClaimKey> {
    let Some(together) = &dialog.chosen else { return marked(app) };
    let rows = app.marks.rows.iter();
    rows.filter(|row| app.hindrance(together, row, dialog.at).is_none()).map(|row| row.key).collect()
}

/// What is to be known of an answer before it is given a disposition, and which one is about to be given.
fn given(dialog: &AnswerDialog) -> String {
    let detail = &dialog.detail;
    let about = (detail.record_key, &detail.seen, &detail.siblings, &detail.flags, &detail.notes);
    let disposition = dialog.remark.as_ref().map(|remark| remark.disposition);
    format!("{about:?} {:?} {} {disposition:?}", detail.disposition, dialog.confirming)
}
