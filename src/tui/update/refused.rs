//! What was typed for a question that was not asked: a letter meant for it must not run as a command.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::domain::time::Timestamp;
use crate::tui::app::{App, Mode};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;
use crate::tui::refused::Refused;

use super::held;

/// Who types a sequence of keys types the next one within this time; who has read the refusal takes longer.
const TOGETHER: Duration = Duration::from_millis(800);

/// Who is to type a filter or a name thinks before the first letter, and between words.
const THINKING: Duration = Duration::from_secs(2);

/// Whether what is typed after `command` is a word rather than one letter; `None` where nothing is.
fn asks_for_text(command: Command) -> Option<bool> {
    match command {
        Command::Reason | Command::Dispose | Command::ActOnMarked | Command::SameClaim => Some(false),
        Command::Annotate
        | Command::AddClaim
        | Command::SplitClaim
        | Command::MergeClaims
        | Command::Filter
        | Command::Search
        | Command::SaveView
        | Command::Escalate
        | Command::BlockAnswer
        | Command::Defer
        // What chooses words and a verdict there would skip, flag and rule here.
        | Command::ChooseEvidence
        | Command::Override => Some(true),
        _ => None,
    }
}

/// Remembers that `command` did not ask what it asks for.
pub(super) fn remember(app: &mut App, command: Command, place: Place, effects: &[Effect], now: Timestamp) {
    let is_refused = place == Place::Review
        && matches!(app.mode, Mode::Normal)
        && effects.is_empty()
        && app.toast.is_some();
    app.timers.refused = asks_for_text(command).filter(|_| is_refused).map(|is_text| {
        // Blind, it cannot have been meant for what is on the screen.
        let is_thought = app.settings.blind.is_some()
            && matches!(command, Command::Filter | Command::Search | Command::SaveView);
        let pause = if is_thought { THINKING } else { TOGETHER };
        Refused { until: now.plus(pause), is_text, pause }
    });
}

/// Whether the key belongs to what was refused, and does nothing.
pub(super) fn swallows(app: &mut App, event: KeyEvent, now: Timestamp) -> bool {
    let Some(refused) = app.timers.refused.take() else { return false };
    let is_letter = matches!(event.code, KeyCode::Char(_))
        && !event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    let is_end = matches!(event.code, KeyCode::Enter | KeyCode::Esc);
    if now >= refused.until || !matches!(app.mode, Mode::Normal) || !(is_letter || refused.is_text && is_end)
    {
        return false;
    }
    if refused.is_text && !is_end {
        app.timers.refused = Some(Refused { until: now.plus(refused.pause), ..refused });
    }
    held::ends(app);
    if let Some(toast) = &mut app.toast
        && !toast.text.ends_with(SWALLOWED)
    {
        toast.text.push_str(SWALLOWED);
        app.dirty = true;
    }
    true
}

const SWALLOWED: &str = " · what followed was not run";
