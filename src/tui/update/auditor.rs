//! What the auditor in the background says of itself.

use crate::auditor::AuditNews;
use crate::domain::time::Timestamp;
use crate::tui::app::{App, Auditor};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;

use super::deadline;

/// News say no more than that the store is to be looked at again.
pub(super) fn came(app: &mut App, news: AuditNews, now: Timestamp) -> Vec<Effect> {
    // After a crash the loop is started again by itself; what it does then shows that it works.
    let works_again = matches!(app.auditor, Auditor::Failed(_)).then_some(Auditor::Running);
    let state = match news {
        AuditNews::Started { .. }
        | AuditNews::Finished { .. }
        | AuditNews::Failed { .. }
        | AuditNews::Idle => {
            deadline::reload_soon(app, now);
            works_again
        }
        AuditNews::Progress { .. } => works_again,
        AuditNews::Paused => Some(Auditor::Paused),
        AuditNews::Resumed => Some(Auditor::Running),
        AuditNews::Halted { reason, again_in: Some(wait) } => {
            let reason = format!("{reason} · tries again in {} s", wait.as_secs());
            super::warn(app, reason.clone(), now);
            Some(Auditor::Halted(reason))
        }
        AuditNews::Halted { reason, again_in: None } => {
            let key = app.settings.keymap.label(Command::PauseAuditor, Place::Review);
            super::fail(app, format!("{reason} · nothing is audited until that is mended and {key} pressed"));
            Some(Auditor::Halted(reason))
        }
        AuditNews::Crashed { reason } => Some(Auditor::Failed(reason)),
    };
    if let Some(state) = state
        && app.auditor != state
    {
        app.auditor = state;
        app.dirty = true;
    }
    Vec::new()
}

/// The auditor waits for the person's word.
pub(super) fn held(app: &mut App, reason: &str) -> Vec<Effect> {
    app.auditor = Auditor::Paused;
    let key = app.settings.keymap.label(Command::PauseAuditor, Place::Review);
    super::fail(app, format!("{reason} · {key} lets the auditor go on all the same"));
    Vec::new()
}
