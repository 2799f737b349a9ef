//! A verdict that was not heard: the next one may be meant for another claim.
//!
//! Who strikes fast goes on in thought: after a verdict that was dropped, or one that should keep what was committed, the
//! next key is for the next claim, and this one stands there still. So it is dropped once as well, with a word.

use std::time::Duration;

use crate::domain::time::Timestamp;
use crate::tui::app::App;
use crate::tui::command::{Command, Place};
use crate::tui::strokes::Unheard;

use super::{blind, override_menu, score};

/// The key for `command` was dropped. In an open review nobody strikes twice for one claim.
pub(super) fn dropped(app: &mut App, command: Command, now: Timestamp) {
    let is_blind = app.settings.blind.is_some();
    if let Some(claim) = app.claim.as_ref().filter(|_| is_blind && rules(command)) {
        app.strokes.unheard = Some(Unheard { claim: claim.key, command, at: now });
    }
}

/// A key was answered that is no ruling, or one that cannot rule here: what was dropped before it is in nobody's hand any
/// more.
pub(super) fn answered(app: &mut App) {
    app.strokes.unheard = None;
}

/// Whether `command` rules otherwise than the key that was not heard: it is dropped, once.
pub(super) fn drops(app: &mut App, command: Command, now: Timestamp) -> bool {
    if !rules(command) {
        return false;
    }
    let here = app.claim.as_ref().map(|claim| claim.key);
    let counts = |unheard: &Unheard| Some(unheard.claim) == here && now.since(unheard.at) < READ;
    let Some(unheard) = app.strokes.unheard.take().filter(counts) else {
        return false;
    };
    let says = (blind::keeps(app, command), blind::keeps(app, unheard.command));
    if unheard.command == command || says == (true, true) {
        return false;
    }
    let key = |command| app.settings.keymap.label(command, Place::Review);
    let id = app.detail().map_or_else(String::new, |detail| detail.id.to_string());
    let text = match app.detail().and_then(|detail| detail.standing.blind.as_ref()) {
        Some(_) => format!(
            "{id} is not kept yet: {} keeps it, {} again changes it",
            key(Command::Keep),
            key(command)
        ),
        None => format!("the key before was not heard on {id}: {} again, if you mean it", key(command)),
    };
    super::warn(app, text, now);
    true
}

/// Who reads that a key was dropped presses it again within this time.
const READ: Duration = Duration::from_secs(5);

/// The key for `command` was dropped in an open review, where a letter for its reason may follow.
pub(super) fn missed(app: &mut App, command: Command, now: Timestamp) {
    if app.settings.blind.is_none() && rules(command) {
        app.strokes.missed = Some((command, now));
    }
}

/// Whether `command` asks for the reason of a verdict that was dropped: it would be given to the one before. Told once.
pub(super) fn misses(app: &mut App, command: Command, now: Timestamp) -> bool {
    if command != Command::Reason {
        return false;
    }
    let Some((missed, _)) = app.strokes.missed.take().filter(|(_, at)| now.since(*at) < READ) else {
        return false;
    };
    let key = |command| app.settings.keymap.label(command, Place::Review);
    let before = match super::reason::in_question(app) {
        Ok(last) => {
            format!(" · or {} again gives a reason to {}, decided before", key(Command::Reason), last.id)
        }
        Err(_) => String::new(),
    };
    let text = format!("{0} did not count: press {0} again, then its reason{before}", key(missed));
    super::warn(app, text, now);
    true
}

/// Whether the key says what is right of the claim.
pub(super) fn rules(command: Command) -> bool {
    matches!(command, Command::Confirm | Command::Keep | Command::Repeat)
        || override_menu::verdict_of(command).is_some()
        || score::score_of(command).is_some()
}
