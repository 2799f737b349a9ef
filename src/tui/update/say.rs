//! The line that says what happened, or why nothing did.

use crate::domain::time::Timestamp;
use crate::tui::app::{App, Toast, ToastKind};

use super::{PRESS_AGAIN, deadline};

/// A line that goes away by itself. A count of dropped keys stays in front of it.
pub(super) fn tell(app: &mut App, text: impl Into<String>, now: Timestamp) {
    let text = text.into();
    if app.dropped > 0 {
        let text = format!("{} · {text}", count_dropped(app));
        set_toast(app, text, ToastKind::Warning, Some(now.plus(deadline::PAUSE)));
    } else {
        set_toast(app, text, ToastKind::Info, Some(now.plus(deadline::TOAST)));
    }
}

/// What was said is done with, but for a count of dropped keys: that waits for a pause.
pub(super) fn clear(app: &mut App) {
    if app.dropped == 0 {
        app.toast = None;
    }
}

/// A decision key came too fast.
pub(super) fn dropped(app: &mut App, why: &str, now: Timestamp) {
    app.dropped = app.dropped.saturating_add(1);
    // A narrow frame leaves out what stands in brackets.
    let (again, why) = why.strip_prefix(PRESS_AGAIN).map_or(("", why), |why| (", press again", why));
    let text = format!("{}{again} ({why})", count_dropped(app));
    set_toast(app, text, ToastKind::Warning, Some(now.plus(deadline::PAUSE)));
}

fn count_dropped(app: &App) -> String {
    let keys = if app.dropped == 1 { "key" } else { "keys" };
    format!("{} {keys} dropped: too fast", app.dropped)
}

/// Something was not done, and why.
pub(super) fn warn(app: &mut App, text: impl Into<String>, now: Timestamp) {
    set_toast(app, text.into(), ToastKind::Warning, Some(now.plus(deadline::TOAST)));
}

/// Something failed: stays until the next act.
pub(super) fn fail(app: &mut App, text: impl Into<String>) {
    set_toast(app, text.into(), ToastKind::Error, None);
}

pub(super) fn set_toast(app: &mut App, text: String, kind: ToastKind, until: Option<Timestamp>) {
    app.toast = Some(Toast { text, kind, until });
    app.dirty = true;
}
