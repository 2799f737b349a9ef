//! The views as tabs in the top line: which one is shown, and how many claims each has.

use crate::tui::app::App;
use crate::tui::command::{Command, Place};
use crate::tui::theme::Role;
use crate::tui::views::Tab;
use crate::tui::widget::phrase::Phrase;

/// The widest form of the tabs that fits `room` cells; empty when there are no views yet, when the filter in force
/// is no view's, or when not even the shown one fits.
pub(super) fn fitting(app: &App, room: u16) -> Phrase {
    let Some(at) = app.views.current(app.found.as_ref()) else { return Phrase::new() };
    let tabs = &app.views.list;
    let matters = |tab: &Tab| tab.count != Some(0);
    let all = || row(app, at, 0, |_, _| true);
    let some = || row(app, at, 0, |_, tab| matters(tab));
    // Where room is short, the tabs on the side to which most people go, so far as they fit.
    let window = |last: usize| row(app, at, 1, move |n, _| (at..=last).contains(&n));
    let form = [all(), some()].into_iter().find(|form| form.width() <= room);
    form.or_else(|| (at..tabs.len()).rev().map(window).find(|form| form.width() <= room)).unwrap_or_default()
}

/// Cells that the tabs with claims need; what is only worth knowing gives way to them.
pub(super) fn wanted(app: &App) -> u16 {
    let Some(at) = app.views.current(app.found.as_ref()) else { return 0 };
    row(app, at, 0, |_, tab| tab.count.is_none_or(|count| count > 0)).width()
}

/// The tabs that `shows` lets through, the one at `at` always; with `ends`, the keys that lead to the others.
fn row(app: &App, at: usize, ends: usize, shows: impl Fn(usize, &Tab) -> bool) -> Phrase {
    let key = |command| app.settings.keymap.label(command, Place::Review);
    let mut words = Phrase::new();
    for (n, tab) in app.views.list.iter().enumerate() {
        if n != at && !shows(n, tab) {
            continue;
        }
        words = words.say(Role::Text, if n == at { " [" } else { "  " });
        words = label(app, tab, n == at, words);
        if n == at {
            words = words.say(Role::Text, "]");
        }
    }
    if ends > 0 {
        words = words.say(Role::Key, format!(" {}{}", key(Command::PreviousView), key(Command::NextView)));
    }
    words
}

fn label(app: &App, tab: &Tab, is_shown: bool, words: Phrase) -> Phrase {
    // What is open is known at every moment.
    let count = if tab.view.filter.is_empty() { Some(app.counts.open) } else { tab.count };
    let (name, number) = match (is_shown, count) {
        (true, _) => (Role::Focus, Role::Focus),
        (false, Some(0)) => (Role::Muted, Role::Muted),
        (false, _) => (Role::Muted, Role::Text),
    };
    words.say(name, tab.view.name.as_str()).say(number, format!(" {}", short(count)))
}

/// At most four cells: `…` is not counted yet.
fn short(count: Option<u64>) -> String {
    match count {
        None => "…".to_owned(),
        Some(count @ 0..=9_999) => count.to_string(),
        Some(count @ 10_000..=999_999) => format!("{}k", count / 1000),
        Some(count) => format!("{}M", count / 1_000_000),
    }
}
