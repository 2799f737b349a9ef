//! Keeps what is being typed or chosen besides notes, as drafts of notes are kept.

use std::sync::Arc;
use std::time::Duration;

use crate::domain::draft::{self, DraftKind};
use crate::domain::filter::Pattern;
use crate::domain::ids::ClaimKey;
use crate::domain::queue::{ClaimDetail, Waiting};
use crate::domain::time::Timestamp;
use crate::tui::app::{App, Detail, ToastKind};
use crate::tui::begun::{self, Begun};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;

use super::deadline::DRAFT;

/// Time between two attempts to store what the store would not take.
const AGAIN: Duration = Duration::from_secs(3);

/// What of this kind the person had begun on the claim of `detail`.
pub(super) fn found(detail: &ClaimDetail, kind: DraftKind) -> Option<&str> {
    detail.begun.iter().find(|(one, _)| *one == kind).map(|(_, text)| text.as_str())
}

/// Something was typed or chosen: it is stored soon.
pub(super) fn touched(app: &mut App, now: Timestamp) {
    let Some((claim, kind)) = begun::open(app) else { return };
    if app.begun.as_ref().is_none_or(|begun| (begun.claim, begun.kind) != (claim, kind)) {
        let stored = app.detail().filter(|detail| detail.key == claim);
        // What is not this window's to write over is not what it is compared with.
        let stored = stored.and_then(|detail| found(detail, kind));
        let stored = stored.filter(|text| app.ours.knows(claim, kind, text)).map(str::to_owned);
        app.begun = Some(Begun { claim, kind, stored, due: None });
    }
    if let Some(begun) = &mut app.begun {
        begun.due.get_or_insert(now.plus(DRAFT));
    }
}

/// Stores it when it is due.
pub(super) fn due(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let is_due = app.begun.as_ref().and_then(|begun| begun.due).is_some_and(|due| due <= now);
    if is_due { keep(app) } else { Vec::new() }
}

/// Stores it now, if it differs from what the store has.
pub(super) fn keep(app: &mut App) -> Vec<Effect> {
    let open = begun::open(app);
    let is_sent = begun::is_sent(app);
    let text = begun::text(app);
    let Some(begun) = app.begun.as_mut().filter(|begun| open == Some((begun.claim, begun.kind))) else {
        return Vec::new();
    };
    begun.due = None;
    if is_sent || text == begun.stored {
        return Vec::new();
    }
    begun.stored.clone_from(&text);
    let (claim, kind) = (begun.claim, begun.kind);
    vec![sending(app, claim, kind, text)]
}

/// Asks the store to keep `text`, over what this window knows to stand there.
pub(super) fn sending(app: &mut App, claim: ClaimKey, kind: DraftKind, text: Option<String>) -> Effect {
    let draft = app.ours.draft(claim, kind);
    if let Some(text) = &text {
        app.ours.add(claim, kind, text);
    }
    Effect::SaveDraft { draft, text }
}

/// It is closed and not recorded: what there is of it is kept, and how to go on is said.
pub(super) fn left(app: &mut App, key: &str, now: Timestamp) -> Vec<Effect> {
    let text = begun::text(app);
    let effects = keep(app);
    app.begun = None;
    for effect in &effects {
        if let Effect::SaveDraft { draft, text } = effect {
            // Opened again at once, it is what is on its way.
            set(app, draft.claim, draft.kind, text.clone());
        }
    }
    if text.is_some() {
        super::tell(app, format!("kept: {key} goes on with it"), now);
    }
    effects
}

/// What the person began in an earlier session and what others escalated to them, and where that is.
pub(super) fn waiting(app: &mut App, result: Result<Waiting, String>) -> Vec<Effect> {
    let Ok(Waiting { drafts, escalated }) = result else { return Vec::new() };
    // An error that still has to be read goes before it.
    let before = app.toast.as_ref().map_or(Some(""), |said| match said.kind {
        ToastKind::Info => Some(said.text.as_str()),
        _ => None,
    });
    let key = app.settings.keymap.label(Command::Filter, Place::Review);
    let me = Pattern { text: app.settings.annotator.as_str().to_owned(), is_prefix: false };
    let mut told = Vec::new();
    // What others ask is shown to nobody who is to judge by themselves.
    if escalated > 0 && app.settings.blind.is_none() {
        let claims =
            if escalated == 1 { "1 claim was".to_owned() } else { format!("{escalated} claims were") };
        told.push(format!("{claims} escalated to you · {key} to:{me} is:open"));
    }
    if !drafts.is_empty() {
        let found = if app.settings.blind.is_some() {
            "`juror review --id` opens one".to_owned()
        } else {
            format!("{key} draft:{me} is:any finds them")
        };
        told.push(format!("{} · {found}", draft::told(&drafts)));
    }
    let Some(before) = before.filter(|_| !told.is_empty()) else { return Vec::new() };
    told.extend((!before.is_empty()).then(|| before.to_owned()));
    // It stays until the next act: whoever comes back does not look at the bottom first.
    super::set_toast(app, told.join(" · "), ToastKind::Warning, None);
    Vec::new()
}

/// It is recorded: the store has forgotten it.
pub(super) fn finished(app: &mut App, claim: ClaimKey, kind: DraftKind) {
    app.begun = app.begun.take().filter(|begun| (begun.claim, begun.kind) != (claim, kind));
    set(app, claim, kind, None);
}

/// The store's answer. What it would not take is tried again while it is open.
pub(super) fn saved(
    app: &mut App,
    (claim, kind): (ClaimKey, DraftKind),
    text: Option<String>,
    result: Result<(), String>,
    now: Timestamp,
) {
    match result {
        Ok(()) => {
            if let Some(text) = &text {
                app.ours.stands(claim, kind, text);
            }
            set(app, claim, kind, text);
        }
        Err(why) => {
            if let Some(begun) = app.begun.as_mut().filter(|begun| (begun.claim, begun.kind) == (claim, kind))
            {
                begun.stored = None;
                begun.due = Some(now.plus(AGAIN));
            }
            super::fail(app, format!("what you began is not stored: {why}"));
        }
    }
}

/// What the claim in hand shows as begun.
fn set(app: &mut App, claim: ClaimKey, kind: DraftKind, text: Option<String>) {
    if let Some(went_on) = app.went_on.as_mut().filter(|went_on| went_on.from.key == claim) {
        let begun = &mut Arc::make_mut(&mut went_on.from).begun;
        begun.retain(|(one, _)| *one != kind);
        begun.extend(text.clone().map(|text| (kind, text)));
    }
    if let Some(selected) = app.claim.as_mut().filter(|selected| selected.key == claim)
        && let Detail::Ready(detail) = &mut selected.detail
    {
        let begun = &mut Arc::make_mut(detail).begun;
        begun.retain(|(one, _)| *one != kind);
        begun.extend(text.map(|text| (kind, text)));
        app.dirty = true;
    }
}
