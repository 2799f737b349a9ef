//! The screens beside the queue: going from one to the other, asking the store for what they show.
//!
//! Nothing is decided there, and whatever happens there, the queue stays as it was left.

mod compare;
mod dashboard;
mod support;

use std::time::Duration;

use crate::domain::ids::ClaimKey;
use crate::domain::time::Timestamp;
use crate::tui::app::{App, Mode};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;
use crate::tui::screens::{Question, Reply, ScreenName};

use super::{palette, queue, review};

/// Shows the screen of that name.
pub(super) fn show(app: &mut App, name: ScreenName, now: Timestamp) -> Vec<Effect> {
    if name == app.screens.shown {
        return Vec::new();
    }
    app.screens.shown = name;
    app.screens.from = None;
    super::clear(app);
    app.dirty = true;
    ask(app, now)
}

/// Goes to a claim of the queue. Esc leads back to the screen that is shown now.
fn go_to_claim(app: &mut App, claim: ClaimKey, now: Timestamp) -> Vec<Effect> {
    let from = app.screens.shown;
    let mut effects = show(app, ScreenName::Queue, now);
    app.screens.from = Some(from);
    app.queue.touched = true;
    effects.extend(queue::select(app, claim, now));
    effects.extend(queue::load(app));
    effects
}

/// The screen that `command` goes to from the one that is shown.
pub(super) fn target(app: &App, command: Command) -> Option<ScreenName> {
    match command {
        // From a claim that another screen led to.
        Command::ClearFilter if app.screens.shown == ScreenName::Queue => app.screens.from,
        Command::NextScreen => Some(app.screens.shown.beside(1)),
        Command::PreviousScreen => Some(app.screens.shown.beside(-1)),
        command => ScreenName::shown_by(command),
    }
}

/// Asks the store for what is shown; the question before is not wanted any more.
fn ask(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let question = match app.screens.shown {
        ScreenName::Queue => {
            app.screens.asked = None;
            app.screens.is_stale = false;
            return Vec::new();
        }
        ScreenName::Compare => Question::Compare(compare::question(app)),
        ScreenName::Support => Question::Support(support::question(app)),
        ScreenName::Dashboard => Question::Dashboard(dashboard::question(now)),
    };
    app.run += 1;
    app.screens.asked = Some(app.run);
    app.screens.asked_at = Some(now);
    app.screens.is_stale = false;
    vec![Effect::ReadScreen { run: app.run, question }]
}

/// Sums change with every audit, and nobody reads them every second.
const REST: Duration = Duration::from_secs(3);

/// The store was looked at: another process, or the auditor, changed it or not.
pub(super) fn looked(app: &mut App, has_changed: bool, now: Timestamp) -> Vec<Effect> {
    app.screens.is_stale |= has_changed && app.screens.shown != ScreenName::Queue;
    again(app, now)
}

/// Asks once more where what is shown is not what is stored. A question that is asked anew before it is answered
/// would never be.
fn again(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let rest = if app.screens.shown == ScreenName::Compare { Duration::ZERO } else { REST };
    let is_due = app.screens.asked_at.is_none_or(|asked| now.since(asked) >= rest);
    if app.screens.is_stale && app.screens.asked.is_none() && is_due { ask(app, now) } else { Vec::new() }
}

/// The store's answer.
pub(super) fn came(app: &mut App, run: u64, result: Result<Reply, String>, now: Timestamp) -> Vec<Effect> {
    if app.screens.asked != Some(run) {
        return Vec::new();
    }
    app.screens.asked = None;
    app.dirty = true;
    match (app.screens.shown, result) {
        (_, Ok(Reply::Compare(reply))) => compare::came(app, reply),
        (_, Ok(Reply::Support(reply))) => return support::came(app, reply, now),
        (_, Ok(Reply::Dashboard(reply))) => dashboard::came(app, reply),
        (ScreenName::Compare, Err(why)) => compare::failed(app, why),
        (ScreenName::Support, Err(why)) => support::failed(app, why),
        (ScreenName::Dashboard, Err(why)) => dashboard::failed(app, why),
        (ScreenName::Queue, Err(_)) => {}
    }
    again(app, now)
}

/// Carries out a command on a screen beside the queue.
pub(super) fn run(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    review::forget_failure(app);
    if let Some(name) = target(app, command) {
        return show(app, name, now);
    }
    match command {
        Command::Cancel if app.screens.shown == ScreenName::Compare && compare::closes_pane(app) => {
            app.dirty = true;
        }
        Command::Cancel => return show(app, ScreenName::Queue, now),
        Command::Palette => palette::open(app, now),
        Command::Help => {
            app.mode = Mode::Help { top: 0 };
            app.dirty = true;
        }
        _ => {
            return match app.screens.shown {
                ScreenName::Queue => Vec::new(),
                ScreenName::Compare => compare::run(app, command, now),
                ScreenName::Support => support::run(app, command, now),
                ScreenName::Dashboard => dashboard::run(app, command),
            };
        }
    }
    Vec::new()
}

/// Why `command` would do nothing on the screen that is shown.
pub(super) fn hindrance(app: &App, command: Command) -> Option<String> {
    match app.screens.shown {
        _ if target(app, command) == Some(app.screens.shown) => Some("this screen is shown".to_owned()),
        ScreenName::Queue => None,
        ScreenName::Compare => compare::hindrance(app, command),
        ScreenName::Support => support::hindrance(app, command),
        ScreenName::Dashboard => dashboard::hindrance(app, command),
    }
}

/// Why `command` cannot show another screen in a blind review.
pub(super) fn hindrance_blind(app: &App, command: Command) -> Option<String> {
    target(app, command).filter(|_| app.settings.blind.is_some())?;
    let first = app.settings.keymap.label(Command::VerdictFully, Place::Review);
    Some(format!(
        "not in a blind review: other screens tell what judges say; {first} and on give your verdict"
    ))
}

/// Whether `command` goes through lines.
fn moves(command: Command) -> bool {
    matches!(
        command,
        Command::Down
            | Command::Up
            | Command::PageDown
            | Command::PageUp
            | Command::FirstLine
            | Command::LastLine
    )
}
