//! What lies over the review records nothing before it could be seen.
//!
//! One guard for the boxes that take an `Enter`; a question that has more to look at than itself has its own besides.
//! Text that is typed into a box is never dropped.

use crate::domain::time::Timestamp;
use crate::tui::app::App;
use crate::tui::command::{Command, Place};

/// A frame was drawn: what lies over the review is in view from now on.
pub(super) fn drawn(app: &mut App, now: Timestamp) {
    let place = app.place();
    let known = app.timers.boxed.filter(|(known, _)| *known == place && !app.geometry.too_small);
    app.timers.boxed = known.or_else(|| (!app.geometry.too_small).then_some((place, now)));
}

/// Something else than `before` has the keyboard: it was not drawn yet.
pub(super) fn left(app: &mut App, before: Place) {
    if app.place() != before {
        app.timers.boxed = None;
    }
}

/// Whether `command` would record what its box says before that was in view for long enough; the screen says so.
pub(super) fn drops(app: &mut App, command: Command, now: Timestamp) -> bool {
    let place = app.place();
    let records = match place {
        Place::OverrideMenu | Place::Spans => command == Command::Accept,
        Place::Ask => command == Command::ApplyLine,
        _ => false,
    };
    let least = app.settings.min_visible;
    if !records || least.is_zero() {
        return false;
    }
    let since = app.timers.boxed.filter(|(drawn, _)| *drawn == place).map(|(_, since)| since.min(now));
    if since.is_some_and(|since| now.since(since) >= least) {
        return false;
    }
    let key = app.settings.keymap.label(command, place);
    super::warn(app, format!("too fast: {key} was dropped, what it records was not yet visible"), now);
    true
}
