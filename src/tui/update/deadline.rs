//! What is due when: the loop sleeps until [`next`] and then sends a tick.

use std::time::Duration;

use crate::domain::queue::Hold;
use crate::domain::time::Timestamp;
use crate::tui::app::{App, Mode};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;

use super::{begun, early, find, held, note, queue, views};

/// How long a line that goes away by itself stays.
pub const TOAST: Duration = Duration::from_secs(5);
/// How long a count of dropped keys stays after the last decision key.
pub(super) const PAUSE: Duration = Duration::from_secs(2);
/// Time between two looks for other processes' commits.
pub(super) const LOOK: Duration = Duration::from_secs(1);
/// Time between two renewals of a hold.
pub(super) const RENEW: Duration = Duration::from_secs(20);
/// How long a hold lasts after the last key.
pub const HOLD: Duration = Hold::LASTS;
/// How long the cursor rests on a claim before it is taken in hand.
pub(super) const TAKE: Duration = Duration::from_millis(250);
/// How long one claim is looked at before it stays in hand whatever arrives.
pub(super) const BEGUN: Duration = Duration::from_secs(3);
/// Least time between two readings of the queue because of news.
pub(super) const RELOAD: Duration = Duration::from_millis(250);
/// How old typed text may become before it is stored as a draft.
pub(super) const DRAFT: Duration = Duration::from_millis(500);

/// When something is due next; `None` is never.
pub fn next(app: &App) -> Option<Timestamp> {
    let draft = match &app.mode {
        Mode::Note(editor) => editor.due,
        _ => None,
    };
    [
        app.toast.as_ref().and_then(|toast| toast.until),
        app.timers.look,
        app.timers.renew,
        app.timers.reload,
        app.counts.back_at,
        views::due(app),
        draft,
        app.begun.as_ref().and_then(|begun| begun.due),
        app.unkept.iter().map(|left| left.due).min(),
        app.strokes.unsure.map(|unsure| unsure.due),
        early::next(app),
    ]
    .into_iter()
    .flatten()
    .min()
}

/// Does what is due at `now`.
pub(super) fn tick(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let mut effects = Vec::new();
    if app.toast.as_ref().and_then(|toast| toast.until).is_some_and(|until| until <= now) {
        app.toast = None;
        app.dropped = 0;
        app.dirty = true;
    }
    // Somebody set the clock back: nothing may wait for the old time to come round again.
    let set_back = app.timers.look.is_some_and(|look| look > now.plus(LOOK));
    if set_back || is_due(app.timers.look, now) {
        app.timers.look = Some(now.plus(LOOK));
        effects.push(Effect::Look);
    }
    if (set_back && app.timers.renew.is_some()) || is_due(app.timers.renew, now) {
        effects.extend(queue::take_in_hand(app, now));
    }
    queue::looked_at_for_a_while(app, now);
    if is_due(app.counts.back_at, now) {
        app.counts.back_at = None;
        app.views.stale = true;
        let key = app.settings.keymap.label(Command::FirstClaim, Place::Review);
        super::tell(
            app,
            format!("a claim that you deferred is back in the queue · {key} shows the first"),
            now,
        );
        reload_soon(app, now);
    }
    if is_due(app.timers.reload, now) {
        app.timers.reload = None;
        if find::is_finding(app) {
            reload_soon(app, now);
        } else {
            effects.extend(queue::load(app));
        }
    }
    effects.extend(held::due(app, now));
    effects.extend(early::due(app, now));
    effects.extend(note::draft_due(app, now));
    effects.extend(begun::due(app, now));
    effects.extend(views::go_on(app, now));
    effects
}

/// The queue is read again soon, however many news come until then.
pub(super) fn reload_soon(app: &mut App, now: Timestamp) {
    app.timers.reload.get_or_insert(now.plus(RELOAD));
}

fn is_due(at: Option<Timestamp>, now: Timestamp) -> bool {
    at.is_some_and(|at| at <= now)
}
