//! What is written beside a RETURN or a BLOCK: for whoever is to correct the answer. Quick to leave out: the line is
//! there and Enter gives the disposition, with words or without. Over another person's disposition words are wanted, and
//! beside a RELEASE over people's rulings.

use std::sync::Arc;

use crossterm::event::KeyEvent;
use tui_textarea::WrapMode;

use crate::domain::decision::Disposition;
use crate::domain::draft::DraftKind;
use crate::domain::ids::{Annotator, ClaimId};
use crate::domain::queue::ClaimDetail;
use crate::domain::time::Timestamp;
use crate::tui::app::{App, Mode, Remark};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;

use super::begun;
use super::find::{clean_line, line_area};

/// More characters are no remark any more.
const MOST: usize = 2000;

/// To whom it has to be said why: another person whose word is set aside, or those who ruled against what is released;
/// `None` where words may be left out.
pub(super) fn wanted(
    detail: &ClaimDetail,
    disposition: Disposition,
    over: &[ClaimId],
    me: &Annotator,
) -> Option<String> {
    if let Some(given) = detail.disposition.as_ref().filter(|given| given.is_overruled_by(disposition, me)) {
        return Some(format!("{} gave it {}, and is to read this", given.annotator, given.disposition));
    }
    let claims = match over {
        [] => return None,
        [one] => one.to_string(),
        [first, more @ ..] => format!("{first} and {} more", more.len()),
    };
    Some(format!("people ruled against {claims}, and the report tells why it may be used"))
}

/// Asks for the remark, with what was begun of it; `over` are the claims over which the answer is released.
pub(super) fn open(app: &mut App, disposition: Disposition, over: Vec<ClaimId>, unlooked: bool) {
    let Mode::Disposition(dialog) = &mut app.mode else { return };
    let text = begun::found(&dialog.detail, DraftKind::Disposition).unwrap_or_default();
    if !text.is_empty() {
        app.ours.add(dialog.detail.key, DraftKind::Disposition, text);
    }
    dialog.remark = Some(Remark { disposition, over, unlooked, text: area(text), sent: false });
    app.toast = None;
    app.dirty = true;
}

fn area(text: &str) -> tui_textarea::TextArea<'static> {
    let mut area = line_area(text);
    area.set_wrap_mode(WrapMode::WordOrGlyph);
    area
}

pub(super) fn run(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    let Mode::Disposition(dialog) = &mut app.mode else { return Vec::new() };
    let Some(remark) = dialog.remark.as_ref().filter(|remark| !remark.sent) else { return Vec::new() };
    app.dirty = true;
    let disposition = remark.disposition;
    if command == Command::LeaveLine {
        let again = match disposition {
            Disposition::Block => Command::Block,
            Disposition::Return => Command::Return,
            Disposition::Release => Command::Release,
        };
        let is_early = dialog.detail.open_claims() > 0;
        let key = if is_early {
            app.settings.keymap.label(Command::BlockAnswer, Place::Review)
        } else {
            app.settings.keymap.label(again, Place::Disposition)
        };
        let effects = begun::left(app, &key, now);
        leave(app);
        if is_early {
            // Nothing else can be chosen for it yet.
            let said = app.toast.take();
            super::close(app);
            app.toast = said;
        }
        return effects;
    }
    if command != Command::ApplyLine {
        return Vec::new();
    }
    let (text, over, unlooked) = (remark.content().trim().to_owned(), remark.over.clone(), remark.unlooked);
    let why = wanted(&dialog.detail, disposition, &over, &app.settings.annotator);
    if let Some(why) = why.filter(|_| text.is_empty()) {
        super::warn(app, format!("say why: {why}"), now);
        return Vec::new();
    }
    // Should the store refuse the disposition, the words are there.
    let mut effects = begun::keep(app);
    let Mode::Disposition(dialog) = &mut app.mode else { return effects };
    if let Some(remark) = &mut dialog.remark {
        remark.sent = true;
    }
    let finished = Some(app.ours.draft(dialog.detail.key, DraftKind::Disposition));
    effects.push(Effect::Dispose {
        record: dialog.detail.record_key,
        audit_id: dialog.detail.record.audit_id.clone(),
        disposition,
        over,
        unlooked,
        note: (!text.is_empty()).then_some(text),
        replaces: dialog.detail.disposition.clone(),
        seen: Some(dialog.detail.seen.clone()),
        finished,
    });
    effects
}

/// Back to the choice. What was written is there when the same is chosen again.
fn leave(app: &mut App) {
    let Mode::Disposition(dialog) = &mut app.mode else { return };
    let Some(remark) = dialog.remark.take() else { return };
    let text = Some(remark.content()).filter(|text| !text.trim().is_empty());
    let waiting = app.to_dispose.as_mut().filter(|waiting| waiting.record_key == dialog.detail.record_key);
    for detail in std::iter::once(&mut dialog.detail).chain(waiting) {
        let begun = &mut Arc::make_mut(detail).begun;
        begun.retain(|(kind, _)| *kind != DraftKind::Disposition);
        begun.extend(text.clone().map(|text| (DraftKind::Disposition, text)));
    }
}

/// The store would not have it: what was written stays.
pub(super) fn not_saved(app: &mut App) {
    let Mode::Disposition(dialog) = &mut app.mode else { return };
    if let Some(remark) = &mut dialog.remark {
        remark.sent = false;
        app.dirty = true;
    }
}

/// A key of the text itself.
pub(super) fn input(app: &mut App, event: KeyEvent, now: Timestamp) {
    let Mode::Disposition(dialog) = &mut app.mode else { return };
    let Some(remark) = dialog.remark.as_mut().filter(|remark| !remark.sent) else { return };
    super::find::edit(&mut remark.text, event);
    changed(app, now);
}

/// Text from the clipboard goes where the caret is, as one line.
pub(super) fn paste(app: &mut App, text: &str, now: Timestamp) {
    let Mode::Disposition(dialog) = &mut app.mode else { return };
    let Some(remark) = dialog.remark.as_mut().filter(|remark| !remark.sent) else { return };
    let (clean, dropped) = clean_line(text);
    remark.text.insert_str(clean);
    changed(app, now);
    if dropped > 0 {
        super::warn(app, format!("{dropped} unseen characters of the text were left out"), now);
    }
}

fn changed(app: &mut App, now: Timestamp) {
    let Mode::Disposition(dialog) = &mut app.mode else { return };
    let Some(remark) = &mut dialog.remark else { return };
    app.dirty = true;
    let text = remark.content();
    let cut: String = text.chars().take(MOST).collect();
    if cut.len() < text.len() {
        remark.text = area(&cut);
        super::warn(app, format!("{MOST} characters are kept here: the rest was left out"), now);
    } else if remark.text.lines().len() > 1 {
        remark.text = area(&cut);
    }
}
