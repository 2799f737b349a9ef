//! The question what is to happen to a whole answer.
//!
//! It is asked beside the answer it is about, and a key counts only once both could be seen.

use std::sync::Arc;

use crate::domain::decision::Disposition;
use crate::domain::draft::DraftKind;
use crate::domain::ids::{AuditId, RecordKey};
use crate::domain::queue::{ClaimDetail, Sibling};
use crate::domain::time::Timestamp;
use crate::tui::app::{AnswerDialog, App, Mode, Saved};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;

use super::{begun, decide, queue, remark};

/// Whether every routed claim of the answer is decided, and nothing was decided about the answer.
pub(super) fn is_due(detail: &ClaimDetail) -> bool {
    detail.disposition.is_none() && detail.open_claims() == 0
}

/// Asks about the answer that the screen offers by name, else about the one under the cursor when its routed claims are
/// decided, else about the one whose last claim was just decided, else about the one that waits longest. Where none
/// waits, what stands about the answer under the cursor can be changed.
pub(super) fn ask(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let here = app.detail().map(Arc::clone);
    // The cursor may have gone on to another answer: the key is for the one that is named.
    let says = |text: &str| app.toast.as_ref().is_some_and(|toast| toast.text.starts_with(text));
    if let Some(detail) = app.to_dispose.clone().filter(|detail| says(&offer(app, detail))) {
        return open_waiting(app, detail);
    }
    let is_next = |detail: &ClaimDetail| {
        let next = next(app, detail.record.audit_id.as_str());
        app.toast.as_ref().is_some_and(|toast| toast.text == next)
    };
    if says(&next(app, "")) && !here.as_deref().is_some_and(is_next) {
        return vec![Effect::FindAnswer];
    }
    // What was decided about the answer under the cursor is shown before any other is asked about.
    let is_given = |detail: &Arc<ClaimDetail>| detail.disposition.is_some() && detail.open_claims() == 0;
    if let Some(detail) = here.clone().filter(is_given) {
        open(app, detail);
        return Vec::new();
    }
    if let Some(detail) = here.filter(|detail| is_due(detail)) {
        let claim = detail.key;
        open(app, detail);
        // It may have been read before others ruled on it.
        return vec![Effect::ReadAnswer(claim)];
    }
    if let Some(detail) = app.to_dispose.clone() {
        return open_waiting(app, detail);
    }
    if app.answers_waiting > 0 {
        return vec![Effect::FindAnswer];
    }
    if let Some(why) = nothing_to_ask(app) {
        super::warn(app, why, now);
    }
    Vec::new()
}

/// Asks why the answer under the cursor is blocked: its claims may be open yet, as what is dangerous is stopped first.
pub(super) fn block_now(app: &mut App, now: Timestamp) -> Vec<Effect> {
    if !decide::is_seen(app, Command::BlockAnswer, now) {
        return Vec::new();
    }
    if let Some(why) = is_blocked(app) {
        super::warn(app, why, now);
        return Vec::new();
    }
    let Some(detail) = app.detail().map(Arc::clone) else { return Vec::new() };
    let claim = detail.key;
    open(app, detail);
    remark::open(app, Disposition::Block, Vec::new(), false);
    // Somebody may have given it another disposition meanwhile.
    vec![Effect::ReadAnswer(claim)]
}

/// Why it is not to be blocked: it is.
pub(super) fn is_blocked(app: &App) -> Option<String> {
    let detail = app.detail()?;
    let given = detail.disposition.as_ref().filter(|given| given.disposition == Disposition::Block)?;
    let is_own = given.annotator == app.settings.annotator;
    let who = if is_own { "you" } else { given.annotator.as_str() };
    Some(format!("{} is blocked already, by {who}", detail.record.audit_id))
}

/// From an answer about which something was decided to the next one that waits.
fn go_on(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let Mode::Disposition(dialog) = &app.mode else { return Vec::new() };
    if dialog.detail.disposition.is_none() {
        let id = dialog.detail.record.audit_id.clone();
        let [release, back, block, key] =
            [Command::Release, Command::Return, Command::Block, Command::Dispose]
                .map(|command| app.settings.keymap.label(command, Place::Disposition));
        let why = format!("{id} comes first: {release}, {back} or {block} decides it, then {key} goes on");
        super::warn(app, why, now);
        return Vec::new();
    }
    if let Some(detail) = app.to_dispose.clone() {
        return open_waiting(app, detail);
    }
    if app.answers_waiting > 0 {
        return vec![Effect::FindAnswer];
    }
    super::warn(app, "no other answer waits", now);
    Vec::new()
}

/// Why no answer can be given a disposition now.
pub(super) fn nothing_to_ask(app: &App) -> Option<String> {
    let here = app.detail();
    if app.to_dispose.is_some()
        || app.answers_waiting > 0
        || here.is_some_and(|detail| detail.open_claims() == 0)
    {
        return None;
    }
    let block = app.settings.keymap.label(Command::BlockAnswer, Place::Review);
    let block = if block.is_empty() { block } else { format!(" · {block} blocks it all the same") };
    Some(match here.map(|detail| (detail.open_claims(), detail)) {
        Some((1, detail)) => format!("one claim of {} is still open{block}", detail.record.audit_id),
        Some((open, detail)) => format!("{open} claims of {} are still open{block}", detail.record.audit_id),
        None => "no answer waits for a disposition".to_owned(),
    })
}

/// `d to release, return or block rx-7`
pub(super) fn offer(app: &App, detail: &ClaimDetail) -> String {
    let key = app.settings.keymap.label(Command::Dispose, Place::Review);
    format!("{key} to release, return or block {}", detail.record.audit_id)
}

/// `d: next, rx-8`
fn next(app: &App, audit_id: &str) -> String {
    let key = app.settings.keymap.label(Command::Dispose, Place::Review);
    format!("{key}: next, {audit_id}")
}

fn open(app: &mut App, detail: Arc<ClaimDetail>) {
    let dialog = AnswerDialog { detail, confirming: false, unsure: false, remark: None };
    app.mode = Mode::Disposition(Box::new(dialog));
    app.toast = None;
    app.dirty = true;
}

/// The answer whose last claim was decided a while ago: somebody may have given it a disposition since.
fn open_waiting(app: &mut App, detail: Arc<ClaimDetail>) -> Vec<Effect> {
    let claim = detail.key;
    open(app, detail);
    if let Mode::Disposition(dialog) = &mut app.mode {
        dialog.unsure = true;
    }
    vec![Effect::ReadAnswer(claim)]
}

/// The store's answer: the one that waits longest.
pub(super) fn found(
    app: &mut App,
    result: Result<Option<Box<ClaimDetail>>, String>,
    now: Timestamp,
) -> Vec<Effect> {
    match result {
        Ok(Some(detail)) if matches!(app.place(), Place::Review | Place::Disposition) => {
            open(app, Arc::new(*detail));
        }
        Ok(Some(_)) => {}
        Ok(None) => {
            app.answers_waiting = 0;
            super::tell(app, "no answer waits for a disposition", now);
        }
        Err(why) => super::fail(app, why),
    }
    Vec::new()
}

/// The store's answer: how the answer in question stands now. What is new in it has to be seen first.
pub(super) fn read(app: &mut App, result: Result<Box<ClaimDetail>, String>, now: Timestamp) -> Vec<Effect> {
    let detail = match result {
        Ok(detail) => Arc::new(*detail),
        Err(why) => {
            super::fail(app, why);
            return Vec::new();
        }
    };
    let is_it = |known: &ClaimDetail| known.record_key == detail.record_key;
    if app.to_dispose.as_deref().is_some_and(is_it) {
        app.to_dispose = is_due(&detail).then(|| Arc::clone(&detail));
        app.dirty = true;
    }
    let Mode::Disposition(dialog) = &mut app.mode else { return Vec::new() };
    if !is_it(&dialog.detail) {
        return Vec::new();
    }
    // What is asked about because it waits is not asked about when it does not.
    if std::mem::take(&mut dialog.unsure)
        && dialog.remark.is_none()
        && let Some(given) = &detail.disposition
    {
        let who = if given.annotator == app.settings.annotator { "you" } else { given.annotator.as_str() };
        let text = format!("{who} gave {} {} already", detail.record.audit_id, given.disposition);
        super::close(app);
        app.answers_waiting = app.answers_waiting.saturating_sub(1);
        if app.answers_waiting > 0 {
            super::tell(app, text, now);
            return vec![Effect::FindAnswer];
        }
        super::tell(app, format!("no answer waits for a disposition: {text}"), now);
        return vec![Effect::CountAnswers];
    }
    if dialog.detail != detail {
        dialog.confirming = false;
        dialog.detail = detail;
        app.dirty = true;
    }
    Vec::new()
}

/// The store's answer: the name of the one that comes next.
pub(super) fn named(app: &mut App, result: Result<Option<AuditId>, String>, now: Timestamp) -> Vec<Effect> {
    match result {
        Ok(Some(waiting)) if matches!(app.mode, Mode::Normal) => {
            // What is under the cursor is asked about first, unless it is what was just decided about.
            let is_saved =
                |id: &AuditId| app.saved.as_ref().is_some_and(|saved| saved.subject == id.as_str());
            let here = app.detail().map(|detail| (is_due(detail), &detail.record.audit_id));
            let here = here.filter(|(due, id)| *due && !is_saved(id)).map(|(_, id)| id.clone());
            let text = next(app, here.unwrap_or(waiting).as_str());
            super::tell(app, text, now);
        }
        Ok(_) => {}
        Err(why) => super::fail(app, why),
    }
    Vec::new()
}

pub(super) fn counted(app: &mut App, result: Result<u64, String>) -> Vec<Effect> {
    match result {
        Ok(waiting) if app.answers_waiting != waiting => {
            app.answers_waiting = waiting;
            app.dirty = true;
        }
        Ok(_) => {}
        Err(why) => super::fail(app, why),
    }
    Vec::new()
}

pub(super) fn run(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    let Mode::Disposition(dialog) = &mut app.mode else { return Vec::new() };
    if dialog.remark.is_some() {
        return remark::run(app, command, now);
    }
    if command == Command::Dispose {
        return go_on(app, now);
    }
    let disposition = match command {
        Command::Release | Command::ReleaseAnyway => Disposition::Release,
        Command::Return => Disposition::Return,
        Command::Block => Disposition::Block,
        _ => {
            super::close(app);
            return Vec::new();
        }
    };
    let is_unlooked = !dialog.detail.is_looked_at();
    let asks_first = is_unlooked || dialog.detail.siblings.iter().any(Sibling::lacks_support);
    match command {
        Command::Release if asks_first => {
            if dialog.confirming {
                let [anyway, back] = [Command::ReleaseAnyway, Command::Return]
                    .map(|command| app.settings.keymap.label(command, Place::Disposition));
                let text = format!("{anyway} releases it all the same, {back} returns it");
                super::warn(app, text, now);
                return Vec::new();
            }
            dialog.confirming = true;
            app.toast = None;
            app.dirty = true;
            return Vec::new();
        }
        Command::ReleaseAnyway if !dialog.confirming => {
            let key = app.settings.keymap.label(Command::Release, Place::Disposition);
            super::warn(app, format!("nothing is released yet: {key} asks for it"), now);
            return Vec::new();
        }
        Command::Return | Command::Block => {
            remark::open(app, disposition, Vec::new(), false);
            return Vec::new();
        }
        _ => {}
    }
    let record = dialog.detail.record_key;
    let (audit_id, seen) = (dialog.detail.record.audit_id.clone(), Some(dialog.detail.seen.clone()));
    let siblings = dialog.detail.siblings.iter().filter(|_| command == Command::ReleaseAnyway);
    let over: Vec<_> =
        siblings.filter(|sibling| sibling.lacks_support()).map(|sibling| sibling.id.clone()).collect();
    let unlooked = is_unlooked && command == Command::ReleaseAnyway;
    let replaces = dialog.detail.disposition.clone();
    if remark::wanted(&dialog.detail, disposition, &over, &app.settings.annotator).is_some() {
        remark::open(app, disposition, over, unlooked);
        return Vec::new();
    }
    vec![Effect::Dispose {
        record,
        audit_id,
        disposition,
        over,
        unlooked,
        note: None,
        replaces,
        seen,
        finished: None,
    }]
}

/// The store's answer.
pub(super) fn disposed(
    app: &mut App,
    record: RecordKey,
    audit_id: &AuditId,
    disposition: Disposition,
    result: Result<i64, String>,
    now: Timestamp,
) -> Vec<Effect> {
    let open = match &app.mode {
        Mode::Disposition(dialog) if dialog.detail.record_key == record => Some(dialog.detail.key),
        _ => None,
    };
    match open {
        Some(_) if result.is_err() => remark::not_saved(app),
        Some(key) => {
            super::close(app);
            begun::finished(app, key, DraftKind::Disposition);
        }
        None => {}
    }
    match result {
        Ok(event) => {
            // The next one is named and not opened: a key for the answer before must find nothing to act on.
            let has_next = app.answers_waiting > 1;
            app.toast = None;
            app.acted = true;
            app.saved = Some(Saved {
                subject: audit_id.to_string(),
                event: Some(event),
                what: disposition.done().to_owned(),
                ruling: None,
                at: now,
            });
            if app.to_dispose.as_ref().is_some_and(|waiting| waiting.record_key == record) {
                app.to_dispose = None;
            }
            app.dirty = true;
            let mut effects = queue::refresh(app);
            if has_next {
                effects.push(Effect::NameAnswer);
            }
            effects
        }
        Err(why) => {
            super::fail(app, format!("{disposition} of {audit_id} not saved: {why}"));
            open.map(Effect::ReadAnswer).into_iter().collect()
        }
    }
}
