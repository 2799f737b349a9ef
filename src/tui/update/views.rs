//! Views: going from one to the next, saving and removing one, counting them.

use std::time::Duration;

use crate::domain::time::Timestamp;
use crate::domain::view::{View, own_name};
use crate::tui::app::App;
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;
use crate::tui::found::{Found, LineKind};
use crate::tui::message::Message;
use crate::tui::views::Change;

use super::{find, queue};

/// At least so long after the last count began the next one does, in a file that changes all the time.
const PACE: Duration = Duration::from_millis(500);

/// The store has told which views there are.
pub(super) fn came(app: &mut App, result: Result<Vec<View>, String>, now: Timestamp) -> Vec<Effect> {
    match result {
        Ok(views) => {
            app.views.take(views);
            app.dirty = true;
            begin(app, now)
        }
        Err(why) => {
            super::fail(app, why);
            Vec::new()
        }
    }
}

/// The file may have changed: counts anew when it did, one count at a time.
pub(super) fn count(app: &mut App, version: i64, now: Timestamp) -> Vec<Effect> {
    if app.views.list.is_empty() || app.views.version == Some(version) {
        return Vec::new();
    }
    app.views.version = Some(version);
    app.views.stale = true;
    go_on(app, now)
}

/// Whether the store has recorded what the person did, which the version of the file does not tell.
pub(super) fn is_own_act(message: &Message) -> bool {
    match message {
        Message::Decided { result, .. } => result.is_ok(),
        Message::DecidedMany { result, .. } => result.is_ok(),
        Message::Shaped { result, .. } => result.is_ok(),
        Message::Undone(result) => result.is_ok(),
        Message::Redone(result) => result.is_ok(),
        _ => false,
    }
}

/// Counts anew after the person's own act: no tab may say otherwise than what they just did.
pub(super) fn acted(app: &mut App, now: Timestamp) -> Vec<Effect> {
    app.views.stale = !app.views.list.is_empty();
    go_on(app, now)
}

/// When the count that waits may begin; `None` where none does.
pub(super) fn due(app: &App) -> Option<Timestamp> {
    let since = app.views.since.filter(|_| app.views.stale && app.views.counting.is_none())?;
    Some(since.plus(PACE))
}

/// Begins the count that waits, if its time has come.
pub(super) fn go_on(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let views = &app.views;
    let too_soon = views.since.is_some_and(|since| since <= now && now.since(since) < PACE);
    if !views.stale || views.counting.is_some() || too_soon {
        return Vec::new();
    }
    begin(app, now)
}

fn begin(app: &mut App, now: Timestamp) -> Vec<Effect> {
    app.run += 1;
    let run = app.run;
    app.views.counting = Some(run);
    app.views.since = Some(now);
    app.views.stale = false;
    let tabs = app.views.list.iter_mut().enumerate();
    tabs.map(|(at, tab)| {
        tab.is_pending = true;
        Effect::CountView { run, at, filter: tab.view.filter.clone() }
    })
    .collect()
}

/// How many claims a view has.
pub(super) fn counted(app: &mut App, run: u64, at: usize, result: Result<u64, String>) {
    if app.views.counting != Some(run) {
        return;
    }
    let Some(tab) = app.views.list.get_mut(at) else { return };
    tab.is_pending = false;
    // What cannot be counted is told where the view is looked at.
    let count = result.ok();
    if tab.count != count {
        tab.count = count;
        app.dirty = true;
    }
    if app.views.list.iter().all(|tab| !tab.is_pending) {
        app.views.counting = None;
    }
}

/// To the view beside this one, round and round. A filter that is no view's lies before the first.
pub(super) fn go(app: &mut App, by: isize, now: Timestamp) -> Vec<Effect> {
    let count = app.views.list.len();
    if count == 0 {
        super::tell(app, NOT_READ, now);
        return Vec::new();
    }
    let at = match app.views.current(app.found.as_ref()) {
        Some(at) => (at + count).saturating_add_signed(by) % count,
        None if by > 0 => 0,
        None => count - 1,
    };
    let filter = app.views.list[at].view.filter.clone();
    app.found = (!filter.is_empty()).then(|| Found::new(filter));
    if app.found.is_none() {
        app.news.outside = 0;
    }
    app.toast = None;
    app.dirty = true;
    queue::load(app)
}

pub(super) const NOT_READ: &str = "the views are still being read";

/// Why the filter in force cannot be saved as a view.
pub(super) fn cannot_save(app: &App) -> Option<String> {
    if app.found.is_none() {
        let key = app.settings.keymap.label(Command::Filter, Place::Review);
        return Some(format!("no filter is set: {key} sets one, then it can be saved"));
    }
    let at = app.views.current(app.found.as_ref())?;
    Some(format!("this filter is the view {} already", app.views.list[at].view.name))
}

/// Asks for the name of the filter in force.
pub(super) fn ask_name(app: &mut App, now: Timestamp) {
    match cannot_save(app) {
        Some(why) => super::warn(app, why, now),
        None => find::open(app, LineKind::View),
    }
}

/// The name is there.
pub(super) fn save(app: &mut App, name: &str, now: Timestamp) -> Vec<Effect> {
    let Some(filter) = app.found.as_ref().map(|found| found.filter.clone()) else {
        super::close(app);
        return Vec::new();
    };
    match own_name(name) {
        Ok(name) => {
            super::close(app);
            vec![Effect::ChangeViews(Change::Save { name, filter })]
        }
        Err(why) => {
            super::warn(app, why.to_string(), now);
            Vec::new()
        }
    }
}

/// Why the view that is shown cannot be removed.
pub(super) fn cannot_remove(app: &App) -> Option<String> {
    match app.views.current(app.found.as_ref()) {
        None => Some("this filter is no view: only a view of your own can be removed".to_owned()),
        Some(at) if !app.views.list[at].view.is_own => Some(format!(
            "{} is everybody's: only a view of your own can be removed",
            app.views.list[at].view.name
        )),
        Some(_) => None,
    }
}

/// Removes the view that is shown; its filter stays in force.
pub(super) fn remove(app: &mut App, now: Timestamp) -> Vec<Effect> {
    if let Some(why) = cannot_remove(app) {
        super::warn(app, why, now);
        return Vec::new();
    }
    let Some(at) = app.views.current(app.found.as_ref()) else { return Vec::new() };
    vec![Effect::ChangeViews(Change::Remove { name: app.views.list[at].view.name.clone() })]
}

/// The store has changed a person's own views: what stood under that name before, and which there are now.
pub(super) fn changed(
    app: &mut App,
    change: &Change,
    result: Result<(Option<String>, Vec<View>), String>,
    now: Timestamp,
) -> Vec<Effect> {
    let (before, views) = match result {
        Ok(done) => done,
        Err(why) => {
            super::fail(app, format!("not saved: {why}"));
            return Vec::new();
        }
    };
    app.views.take(views);
    let key = |command| app.settings.keymap.label(command, Place::Review);
    let text = match (change, before) {
        (Change::Save { name, .. }, Some(before)) => format!("saved as {name}, which was {before}"),
        (Change::Save { name, .. }, None) => {
            format!("saved as {name} · {} removes it", key(Command::RemoveView))
        }
        (Change::Remove { name }, _) => {
            format!("{name} is removed, its filter stays · {} saves it again", key(Command::SaveView))
        }
    };
    super::tell(app, text, now);
    begin(app, now)
}
