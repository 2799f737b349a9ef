//! Decisions: when they may act, what is asked of the store, and what its answer does.
//!
//! A decision acts only on a claim that has been visible long enough, so that a held key never
//! decides what nobody saw. Nothing counts as saved before the store has said so.

use std::sync::Arc;
use std::time::Duration;

use crate::domain::decision::{DecisionKind, HumanVerdict, Request, Ruling};
use crate::domain::event::{Act as EventAct, Event};
use crate::domain::ids::{ClaimId, ClaimKey};
use crate::domain::queue::ClaimDetail;
use crate::domain::time::Timestamp;
use crate::store::Undone;
use crate::tui::app::{Act, App, Detail, LastDecision, Mode, Saved, Selected};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;

use super::deadline::{PAUSE, TOAST};
use super::{answer, disposition, note, queue};

/// Strokes of one key closer together than this come from a key that is held down.
const HELD_KEY: Duration = Duration::from_millis(120);

/// Whether `command` may act on the claim under the cursor now; when not, the screen says why.
pub(super) fn may_decide(app: &mut App, command: Command, now: Timestamp) -> bool {
    if !is_seen(app, command, now) {
        return false;
    }
    if let Some(why) = held_elsewhere(app, now) {
        super::fail(app, why);
        return false;
    }
    true
}

/// Who else has the claim under the cursor in hand.
pub(super) fn held_elsewhere(app: &App, now: Timestamp) -> Option<String> {
    let hold = app.held_by_other(now)?;
    Some(format!("{} has this claim in hand until {}", hold.holder, clock_time(hold.until)))
}

/// Whether the claim under the cursor was visible long enough for `command`.
pub(super) fn is_seen(app: &mut App, command: Command, now: Timestamp) -> bool {
    let least = app.settings.min_visible;
    let is_held_down = !is_new_stroke(app, command, now);
    let Some(claim) = &mut app.claim else {
        super::warn(app, "there is no claim here to decide", now);
        return false;
    };
    // Somebody set the clock back: the time to look begins again.
    claim.visible_since = claim.visible_since.map(|since| since.min(now));
    let is_ready = match &claim.detail {
        Detail::Ready(_) => true,
        Detail::Loading => false,
        Detail::Error(why) => {
            let text = format!("the claim cannot be shown, so it cannot be decided: {why}");
            super::fail(app, text);
            return false;
        }
    };
    let was_visible = least.is_zero() || claim.visible_since.is_some_and(|since| now.since(since) >= least);
    if is_ready && was_visible && !is_held_down {
        // Who goes on without a pause has not yet read what was dropped.
        if app.dropped > 0
            && let Some(toast) = &mut app.toast
        {
            toast.until = Some(now.plus(PAUSE));
        }
        return true;
    }
    let why = if is_held_down {
        "a held key decides once".to_owned()
    } else {
        format!("a claim must be in view for {} ms", least.as_millis())
    };
    super::dropped(app, &why, now);
    false
}

/// Whether this stroke is not the repetition of a held key. Remembers the stroke.
pub(super) fn is_new_stroke(app: &mut App, command: Command, now: Timestamp) -> bool {
    let last = app.last_act.replace(Act { command, at: now });
    app.settings.min_visible.is_zero()
        || last.is_none_or(|last| last.command != command || now.since(last.at) >= HELD_KEY)
}

/// Asks the store to record `request` for the claim under the cursor.
pub(super) fn ask(app: &App, request: Request) -> Vec<Effect> {
    app.detail().map(|detail| effect(app, detail.key, detail.id.clone(), request)).into_iter().collect()
}

/// The effect that asks for `request`, with what is on the screen of the claim.
pub(super) fn effect(app: &App, claim: ClaimKey, id: ClaimId, request: Request) -> Effect {
    let seen = app.detail().filter(|detail| detail.key == claim).map(|detail| detail.seen.clone());
    Effect::Decide { claim, id, request, seen }
}

/// What setting `verdict` with one key asks for.
pub(super) fn request_for(claim: &Selected, detail: &ClaimDetail, verdict: HumanVerdict) -> Request {
    Request::rule(verdict, None, None, &detail.outcome, claim.stakes)
}

/// The store's answer to a decision.
pub(super) fn decided(
    app: &mut App,
    claim: ClaimKey,
    id: &ClaimId,
    request: &Request,
    result: Result<Box<Event>, String>,
    now: Timestamp,
) -> Vec<Effect> {
    let event = match result {
        Ok(event) => event,
        Err(why) => {
            let effects = match request {
                Request::Annotate { .. } => note::not_saved(app, claim, &why, now),
                _ => Vec::new(),
            };
            super::fail(app, format!("not saved: {why}"));
            return effects;
        }
    };
    super::clear(app);
    app.dirty = true;
    app.acted = true;
    let kind = match event.act {
        EventAct::Confirm => Some(DecisionKind::Confirmed),
        EventAct::Override => Some(DecisionKind::Overridden),
        _ => None,
    };
    app.saved = Some(Saved {
        subject: id.to_string(),
        what: what_was_done(&event),
        ruling: kind.zip(event.ruling()),
        at: now,
    });
    let is_here = app.claim.as_ref().is_some_and(|selected| selected.key == claim);
    match event.act {
        EventAct::Confirm | EventAct::Override => {
            if matches!(&app.mode, Mode::Override(menu) if menu.claim == claim) {
                super::close(app);
            }
            app.pace.decided(now);
            if let Some((kind, Ruling { verdict, .. })) = kind.zip(event.ruling()) {
                let row = app.queue.rows.iter().find(|row| row.key == claim);
                let claim_text = row.map_or(String::new(), |row| row.claim_text.clone());
                app.last_decision = Some(LastDecision { claim, id: id.clone(), claim_text, kind, verdict });
            }
            let done = app.detail().filter(|detail| detail.key == claim).map(|detail| ruled(detail, &event));
            let next = done.as_ref().and_then(|detail| answer::next_to_stay(app, detail, true, now));
            let mut effects = if is_here { queue::advance(app, next, now) } else { queue::refresh(app) };
            if next.is_none() {
                app.left = done.clone().filter(|detail| detail.open_besides() > 0).map(Arc::new);
            }
            // The note that was begun on it is no note yet, and the cursor is elsewhere now.
            let has_draft = done.as_ref().is_some_and(|detail| detail.draft.is_some());
            if has_draft && is_here {
                let [undo, annotate] = [Command::Undo, Command::Annotate]
                    .map(|command| app.settings.keymap.label(command, Place::Review));
                let text = format!("the draft on {id} is not saved: {undo}, then {annotate} opens it");
                super::warn(app, text, now);
            }
            if let Some(detail) = done.filter(disposition::is_due) {
                let key = app.settings.keymap.label(Command::Dispose, Place::Review);
                // Short: the mark of what was saved stands beside it.
                let draft = if has_draft { " · a draft on it is not saved" } else { "" };
                let text = format!("{key} to release, return or block {}{draft}", detail.record.audit_id);
                app.to_dispose = Some(Arc::new(detail));
                effects.push(Effect::CountAnswers);
                super::tell(app, text, now);
            }
            effects
        }
        EventAct::Skip if is_here => {
            let detail = app.detail().cloned();
            let next = detail.and_then(|detail| answer::next_to_stay(app, &detail, false, now));
            queue::advance(app, next, now)
        }
        EventAct::Annotate => {
            let mut effects = note::saved(app, claim, now);
            effects.extend(queue::refresh(app));
            effects
        }
        _ => queue::refresh(app),
    }
}

/// The claim with what `event` decided about it.
fn ruled(detail: &ClaimDetail, event: &Event) -> ClaimDetail {
    let mut detail = detail.clone();
    if let (Some(own), Some(ruling)) =
        (detail.siblings.iter_mut().find(|sibling| sibling.key == detail.key), event.ruling())
    {
        own.decided = true;
        own.rulings = vec![ruling.verdict];
    }
    detail
}

fn what_was_done(event: &Event) -> String {
    let verdict = || event.ruling().map_or("", |ruling| ruling.verdict.label());
    match event.act {
        EventAct::Confirm => format!("confirmed {}", verdict()),
        EventAct::Override => format!("overridden: {}", verdict()),
        EventAct::Annotate => "note".to_owned(),
        EventAct::GiveReason => format!("reason {}", event.reason.map_or("", |reason| reason.label())),
        EventAct::Skip => "skipped".to_owned(),
        EventAct::Unskip => "no longer skipped".to_owned(),
        EventAct::Flag => "flagged".to_owned(),
        EventAct::Unflag => "no longer flagged".to_owned(),
        EventAct::Dispose => "disposition".to_owned(),
        EventAct::Undo => "undone".to_owned(),
    }
}

/// The store's answer to an undo: says what was taken back, and goes there.
pub(super) fn undone(
    app: &mut App,
    result: Result<Option<Box<Undone>>, String>,
    now: Timestamp,
) -> Vec<Effect> {
    let undone = match result {
        Ok(Some(undone)) => undone,
        Ok(None) => {
            super::tell(app, "there is nothing of yours to undo", now);
            return Vec::new();
        }
        Err(why) => {
            super::fail(app, why);
            return Vec::new();
        }
    };
    let subject = undone.event.subject.clone();
    app.acted = true;
    // What the mark of the last save tells of may just have been taken back.
    app.saved = None;
    if app.last_decision.as_ref().is_some_and(|last| Some(last.claim) == undone.claim) {
        app.last_decision = None;
    }
    app.to_dispose = None;
    let mut effects = Vec::new();
    match undone.claim {
        Some(key) if app.claim.as_ref().is_none_or(|claim| claim.key != key) => {
            effects.extend(queue::select(app, key, now));
            effects.extend(queue::load(app));
            effects.push(Effect::CountAnswers);
        }
        _ => {
            queue::look_anew(app);
            effects.extend(queue::refresh(app));
        }
    }
    let decides = matches!(undone.event.act, EventAct::Confirm | EventAct::Override);
    let now_so = match (&undone.standing, undone.event.act) {
        (Some(decided), _) if decides => {
            format!(", {} {} stands again", decided.kind.label(), decided.ruling.verdict)
        }
        (None, _) if decides => ", no decision stands".to_owned(),
        (_, EventAct::Unskip) => ", it is skipped again".to_owned(),
        (_, EventAct::Unflag) => ", it is flagged again".to_owned(),
        (_, EventAct::Dispose) => match &undone.disposition {
            Some((who, disposition, _)) => format!(", {disposition} of {who} stands"),
            None => ", the answer has no disposition".to_owned(),
        },
        _ => String::new(),
    };
    super::tell(app, format!("undone on {subject}: {}{now_so}", act_in_words(&undone.event)), now);
    effects
}

/// What an undo would take back: said before the first one of a session, which may reach into an
/// earlier one.
pub(super) fn undo_found(app: &mut App, result: Result<Option<Box<Event>>, String>, now: Timestamp) {
    match result {
        Ok(Some(event)) => {
            let key = app.settings.keymap.label(Command::Undo, Place::Review);
            let at = event.at.to_string();
            let at = at.get(..16).unwrap_or(&at).replace('T', " ");
            // The key first: a narrow window cuts the time.
            let text = format!("{key} again takes back: {} of {}, {at}", act_in_words(&event), event.subject);
            super::tell(app, text, now);
            app.undo_offered = Some(now.plus(TOAST));
        }
        Ok(None) => super::tell(app, "there is nothing of yours to undo", now),
        Err(why) => super::fail(app, why),
    }
}

/// An act as a noun.
fn act_in_words(event: &Event) -> String {
    let verdict = || event.ruling().map_or("", |ruling| ruling.verdict.label());
    match event.act {
        EventAct::Confirm => format!("confirm {}", verdict()),
        EventAct::Override => format!("override {}", verdict()),
        EventAct::Annotate => "note".to_owned(),
        EventAct::GiveReason => format!("reason {}", event.reason.map_or("", |reason| reason.label())),
        EventAct::Skip => "skip".to_owned(),
        EventAct::Unskip => "end of the skip".to_owned(),
        EventAct::Flag => "flag".to_owned(),
        EventAct::Unflag => "end of the flag".to_owned(),
        EventAct::Dispose => "disposition".to_owned(),
        EventAct::Undo => "undo".to_owned(),
    }
}

/// The time of day, UTC, as it stands in the written form.
fn clock_time(at: Timestamp) -> String {
    at.to_string().get(11..19).map_or_else(|| at.to_string(), |time| format!("{time} UTC"))
}
