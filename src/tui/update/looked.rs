//! What another process did: looked for, and what of the screen it makes untrue.

use crate::domain::time::Timestamp;
use crate::tui::app::{App, ToastKind};
use crate::tui::effect::Effect;

use super::{queue, screens};

/// Who decides here, where nobody has said so: all who share the login would share the name. It stays until the
/// next act.
pub(super) fn who(app: &mut App) {
    if app.settings.by_login && !app.settings.demo {
        let me = app.settings.annotator.clone();
        let text =
            format!("you are {me}, by your login: `juror review --by NAME` or `annotator` says who you are");
        super::set_toast(app, text, ToastKind::Info, None);
    }
}

/// Whether another process changed the store.
pub(super) fn came(app: &mut App, result: Result<bool, String>, now: Timestamp) -> Vec<Effect> {
    let has_changed = result == Ok(true);
    let changed = screens::looked(app, has_changed, now);
    let mut effects: Vec<Effect> = queue::looked(app, result, now).into_iter().chain(changed).collect();
    let saved = app.saved.as_ref().filter(|_| has_changed).and_then(|saved| saved.event);
    effects.extend(saved.map(Effect::StillStands));
    if has_changed && app.settings.blind.is_none() && app.overruled.upto.is_some() {
        effects.push(Effect::LoadOverruled(app.overruled.upto));
    }
    effects
}

/// The store's answer: what this window saved was taken back in another.
pub(super) fn taken_back(app: &mut App, event: i64) -> Vec<Effect> {
    if app.saved.as_ref().and_then(|saved| saved.event) == Some(event) {
        app.saved = None;
        app.last_decision = None;
        app.dirty = true;
    }
    Vec::new()
}
