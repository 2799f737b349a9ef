//! The question what is to happen to the whole answer.

use crate::domain::decision::Disposition;
use crate::domain::ids::{AuditId, RecordKey};
use crate::domain::time::Timestamp;
use crate::tui::app::{App, Mode, Saved};
use crate::tui::command::Command;
use crate::tui::effect::Effect;

use super::queue;

/// Asks about the answer under the cursor when its routed claims are decided, else about the one
/// whose last claim was just decided. `Err` says why there is nothing to ask.
pub(super) fn ask(app: &mut App) -> Result<(), String> {
    let here = app.detail().map(|detail| {
        let open = detail.siblings.iter().filter(|sibling| sibling.routed && !sibling.decided).count();
        (detail.record_key, detail.record.audit_id.clone(), open)
    });
    let (record, audit_id) = match (here, app.to_dispose.clone()) {
        (Some((record, audit_id, 0)), _) | (_, Some((record, audit_id))) => (record, audit_id),
        (Some((_, audit_id, 1)), None) => return Err(format!("one claim of {audit_id} is still open")),
        (Some((_, audit_id, open)), None) => {
            return Err(format!("{open} claims of {audit_id} are still open"));
        }
        (None, None) => return Err("there is no answer here".to_owned()),
    };
    app.mode = Mode::Disposition { record, audit_id };
    app.dirty = true;
    Ok(())
}

pub(super) fn run(app: &mut App, command: Command) -> Vec<Effect> {
    let Mode::Disposition { record, audit_id } = &app.mode else { return Vec::new() };
    let disposition = match command {
        Command::Release => Disposition::Release,
        Command::Return => Disposition::Return,
        Command::Block => Disposition::Block,
        _ => {
            super::close(app);
            return Vec::new();
        }
    };
    vec![Effect::Dispose { record: *record, audit_id: audit_id.clone(), disposition }]
}

/// The store's answer.
pub(super) fn disposed(
    app: &mut App,
    record: RecordKey,
    audit_id: &AuditId,
    disposition: Disposition,
    result: Result<(), String>,
    now: Timestamp,
) -> Vec<Effect> {
    if matches!(&app.mode, Mode::Disposition { record: asked, .. } if *asked == record) {
        super::close(app);
    }
    match result {
        Ok(()) => {
            app.toast = None;
            app.saved = Some(Saved { subject: audit_id.to_string(), what: disposition.to_string(), at: now });
            if app.to_dispose.as_ref().is_some_and(|(waiting, _)| *waiting == record) {
                app.to_dispose = None;
            }
            app.dirty = true;
            queue::refresh(app)
        }
        Err(why) => {
            super::fail(app, why);
            Vec::new()
        }
    }
}
