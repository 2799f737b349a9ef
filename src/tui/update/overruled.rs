//! Others said otherwise than this person had: told by a line that stays until a key that comes when it could be read, and
//! told again at the next start where no such key came.

use std::time::Duration;

use crate::domain::filter::Pattern;
use crate::domain::overruled::{self, Overruled};
use crate::domain::time::Timestamp;
use crate::tui::app::{App, Mode, ToastKind};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;

/// A key that comes sooner belongs to what was done before.
const READ: Duration = Duration::from_millis(1500);

/// The store's answer.
pub(super) fn came(
    app: &mut App,
    result: Result<(Vec<Overruled>, i64), String>,
    now: Timestamp,
) -> Vec<Effect> {
    // A store that cannot say it has other things to say.
    let Ok((all, upto)) = result else { return Vec::new() };
    let begins = app.overruled.upto.is_none();
    let old = app.overruled.upto.replace(upto).unwrap_or(0);
    let new: Vec<Overruled> = all.into_iter().filter(|one| begins || one.seq > old).collect();
    if new.is_empty() {
        // So that the next start does not go through the same events again.
        return if begins { vec![Effect::KeepTold(upto)] } else { Vec::new() };
    }
    // What this window saved does not stand any more.
    if app.saved.as_ref().is_some_and(|saved| new.iter().any(|one| one.subject == saved.subject)) {
        app.saved = None;
    }
    app.overruled.is_of_before |= begins;
    app.overruled.waiting.extend(new);
    app.overruled.shown = None;
    // A line that only went by gives way.
    if app.toast.as_ref().is_some_and(|toast| toast.kind == ToastKind::Info) {
        app.toast = None;
    }
    show(app, now);
    Vec::new()
}

/// Says it where nothing else has to be read first.
pub(super) fn show(app: &mut App, now: Timestamp) {
    let is_free = app.question.is_none() && app.toast.is_none() && matches!(app.mode, Mode::Normal);
    if app.overruled.waiting.is_empty() || !is_free {
        return;
    }
    let text = text(app);
    app.overruled.shown = Some(now);
    super::set_toast(app, text, ToastKind::Warning, None);
}

/// `since you were here: ben released n-2, which you had blocked · \ overruled:ana finds it`
fn text(app: &App) -> String {
    let key = app.settings.keymap.label(Command::Filter, Place::Review);
    let me = Pattern { text: app.settings.annotator.as_str().to_owned(), is_prefix: false };
    let before = if app.overruled.is_of_before { "since you were here: " } else { "" };
    format!("{before}{} · {key} overruled:{me} finds it", overruled::told(&app.overruled.waiting))
}

/// Whether the line stands there.
fn is_shown(app: &App) -> bool {
    app.overruled.shown.is_some() && app.toast.as_ref().is_some_and(|toast| toast.text == text(app))
}

/// A key came: what could be read is told, and not told again.
pub(super) fn key_came(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let since = app.overruled.shown.filter(|_| is_shown(app));
    let Some(upto) = app.overruled.upto.filter(|_| since.is_some_and(|since| now.since(since) >= READ))
    else {
        return Vec::new();
    };
    app.overruled.waiting.clear();
    app.overruled.shown = None;
    app.overruled.is_of_before = false;
    app.toast = None;
    app.dirty = true;
    vec![Effect::KeepTold(upto)]
}
