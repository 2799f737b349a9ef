//! Keys that come in a rush, as a paste does where the terminal does not mark it: they record nothing.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::domain::time::Timestamp;
use crate::tui::app::App;
use crate::tui::command::Command;

/// After the last key of a rush, the next one counts again once it came so much later.
const REST: Duration = Duration::from_millis(300);

/// Keys that came at once are about to be handled.
pub(super) fn begin(app: &mut App, now: Timestamp) {
    app.timers.rushed = Some(now.plus(REST));
}

/// A key came: a rush goes on with it, or is over, as it is with Ctrl and a letter, which no text holds.
pub(super) fn goes_on(app: &mut App, event: KeyEvent, now: Timestamp) {
    let is_typed = event.modifiers.contains(KeyModifiers::CONTROL)
        && !matches!(event.code, KeyCode::Char('i' | 'j' | 'm'));
    let rushed = app.timers.rushed.filter(|until| !is_typed && now < *until);
    app.timers.rushed = rushed.map(|_| now.plus(REST));
}

/// Whether `command` is dropped: what was pasted must not record anything, nor end the review.
pub(super) fn drops(app: &mut App, command: Command, now: Timestamp) -> bool {
    let counts = match command {
        Command::Quit => true,
        // Who is done with a note says so by a key that no text holds.
        Command::SaveNote => false,
        command => command.records_in(app.place()),
    };
    let is_dropped = counts && app.timers.rushed.is_some();
    if is_dropped {
        tell(app, now);
    }
    is_dropped
}

/// Says why a key did nothing.
pub(super) fn tell(app: &mut App, now: Timestamp) {
    super::dropped(app, "they came all at once, as pasted text does", now);
}
