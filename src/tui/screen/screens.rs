//! What the screens beside the queue have in common: their names in the top line, their frame.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::queue::one_line;
use super::{compare, dashboard, support};
use crate::tui::app::{App, ToastKind};
use crate::tui::command::{Command, Place};
use crate::tui::screens::ScreenName;
use crate::tui::theme::Role;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::phrase::Phrase;

/// Draws the screen that is shown in place of the queue.
pub(super) fn draw(app: &App, body: Rect, buf: &mut Buffer) {
    match app.screens.shown {
        ScreenName::Queue => {}
        ScreenName::Compare => compare::draw(app, body, buf),
        ScreenName::Support => support::draw(app, body, buf),
        ScreenName::Dashboard => dashboard::draw(app, body, buf),
    }
}

/// Keys that do something on it, the most important first.
pub(super) fn keys(app: &App) -> &'static [Command] {
    match app.screens.shown {
        ScreenName::Queue => &[],
        ScreenName::Compare => compare::keys(app),
        ScreenName::Support => support::KEYS,
        ScreenName::Dashboard => dashboard::KEYS,
    }
}

/// What `command` does on it, where that is something else than its usual word says.
pub(super) fn word(app: &App, command: Command) -> Option<&'static str> {
    match app.screens.shown {
        ScreenName::Queue | ScreenName::Dashboard => None,
        ScreenName::Compare => compare::word(app, command),
        ScreenName::Support => (command == Command::Open).then_some("review"),
    }
}

/// The names of all screens, without `all` that of the one that is shown, with the keys that lead to the others.
pub(super) fn names(app: &App, all: bool) -> Phrase {
    let shown = app.screens.shown;
    // The others tell what judges say.
    if app.settings.blind.is_some() {
        return Phrase::new().say(Role::Title, shown.title());
    }
    let say = |words: Phrase, name: &ScreenName| {
        let words = if words.is_empty() { words } else { words.say(Role::Text, "  ") };
        words.say(if *name == shown { Role::Title } else { Role::Muted }, name.title())
    };
    let names = ScreenName::ALL.iter().filter(|name| all || **name == shown).fold(Phrase::new(), say);
    let place = if shown == ScreenName::Queue { Place::Review } else { Place::Screen };
    let key = |command| app.settings.keymap.label(command, place);
    let keys = format!(" {}{}", key(Command::PreviousScreen), key(Command::NextScreen));
    names.say(Role::Key, keys.trim_end())
}

/// The frame of a screen, with what happened in its lower edge.
pub(super) fn panel(app: &App, title: Phrase, width: u16) -> Panel {
    let close = app.settings.keymap.label(Command::Cancel, Place::Screen);
    let back = Phrase::new().say(Role::Key, close).say(Role::Muted, " back to the queue");
    Panel {
        top_left: title,
        top_right: if width >= 60 { vec![back] } else { Vec::new() },
        bottom_left: told(app),
        focused: true,
        ..Panel::default()
    }
}

/// What happened, in a line.
pub(in crate::tui::screen) fn told(app: &App) -> Phrase {
    let Some(toast) = &app.toast else { return Phrase::new() };
    let (role, sign) = match toast.kind {
        ToastKind::Info => (Role::News, ""),
        ToastKind::Warning => (Role::Warning, "! "),
        ToastKind::Error => (Role::Error, "✗ "),
    };
    Phrase::new().say(role, format!("{sign}{}", one_line(&toast.text)))
}
