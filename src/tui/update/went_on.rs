//! The claim that was just done with, while the cursor went on by itself: what is written next may be meant for it.
//!
//! `r` is about what was decided; a note, a flag and an escalation are about the claim under the cursor. Their boxes show
//! the words of both, and one key takes what is typed from the one to the other.

use crate::domain::draft::DraftKind;
use crate::domain::ids::ClaimKey;
use crate::domain::time::Timestamp;
use crate::tui::app::{App, Mode};
use crate::tui::ask::Question;
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;
use crate::tui::note::WentOn;

use super::deadline::DRAFT;
use super::{ask, begun, note, queue};

/// The claim under the cursor is done with: `next`, or else the next open one, takes its line, and both are remembered.
pub(super) fn advance(app: &mut App, next: Option<ClaimKey>, now: Timestamp) -> Vec<Effect> {
    let from = app.detail().cloned();
    let effects = queue::advance(app, next, now);
    let to = app.claim.as_ref().map(|claim| claim.key);
    app.went_on = from.zip(to).map(|(from, to)| WentOn { from, to });
    effects
}

/// Takes what is being written from the claim that it is about to the other one of the two.
pub(super) fn swap(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let here = match &app.mode {
        Mode::Note(editor) => Some(editor.claim),
        Mode::Ask(line) => line.key().filter(|_| matches!(line.question, Question::Escalate { .. })),
        _ => None,
    };
    let Some(other) = here.and_then(|here| app.went_on.as_ref()?.other(here, app.detail())).cloned() else {
        super::warn(app, "no other claim was just decided: it stays with this one", now);
        return Vec::new();
    };
    let kind = if matches!(app.mode, Mode::Note(_)) { DraftKind::Note } else { DraftKind::Escalation };
    let has_draft = match kind {
        DraftKind::Note => other.draft.is_some() || app.unkept.iter().any(|left| left.claim == other.key),
        kind => begun::found(&other, kind).is_some(),
    };
    if has_draft {
        super::warn(app, format!("a draft waits on {}: go there, it opens with it", other.id), now);
        return Vec::new();
    }
    app.dirty = true;
    app.toast = None;
    match &mut app.mode {
        Mode::Note(editor) => {
            let left = editor.claim;
            let had_draft = !std::mem::take(&mut editor.stored).is_empty();
            (editor.claim, editor.id) = (other.key, other.id.clone());
            editor.claim_text.clone_from(&other.claim_text);
            editor.seen = Some(other.seen.clone());
            editor.due = (!editor.content().is_empty()).then(|| now.plus(DRAFT));
            note::show_draft(app, left, None);
            let gone = had_draft.then(|| begun::sending(app, left, DraftKind::Note, None));
            gone.into_iter().collect()
        }
        Mode::Ask(line) => {
            let again = ask::is_escalated(&other, &app.settings.annotator);
            let left = line.claim.replace((other.key, other.id.clone(), other.seen.clone()));
            line.about = other.id.to_string();
            line.claim_text.clone_from(&other.claim_text);
            line.question = Question::Escalate { again };
            let had_draft = app.begun.as_ref().is_some_and(|begun| begun.stored.is_some());
            let Some((left, ..)) = left else { return Vec::new() };
            begun::finished(app, left, kind);
            let gone = had_draft.then(|| begun::sending(app, left, kind, None));
            gone.into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// What is said of a flag that was set right after the cursor went on by itself.
pub(super) fn flagged(app: &App, claim: ClaimKey) -> Option<String> {
    let went_on = app.went_on.as_ref().filter(|went_on| went_on.to == claim)?;
    let back = app.settings.keymap.label(Command::HistoryBack, Place::Review);
    Some(format!("it is on this claim: {back} goes back to {}, just done with", went_on.from.id))
}
