//! Decisions: when they may act, what is asked of the store, and what its answer does.
//!
//! A decision acts only on a claim that has been visible long enough, so that a held key never
//! decides what nobody saw. Nothing counts as saved before the store has said so.

use std::sync::Arc;

use crate::config::Advance;
use crate::domain::decision::{DecisionKind, HumanVerdict, Request, Ruling};
use crate::domain::draft::DraftKind;
use crate::domain::event::{Act as EventAct, Event, Seen};
use crate::domain::ids::{ClaimId, ClaimKey};
use crate::domain::pace::{Band, Pace};
use crate::domain::queue::{ClaimDetail, Flagged};
use crate::domain::time::Timestamp;
use crate::tui::app::{App, Detail, LastDecision, Mode, Saved, Selected};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;
use crate::tui::question::Asks;

use super::held::{self, Stroke};
use super::{
    answer, ask, begun, blind, disposition, early, in_view, made, marks, note, overturn, question, queue,
    unheard, went_on,
};

/// Whether `command` may act on the claim under the cursor now; when not, the screen says why.
pub(super) fn may_decide(app: &mut App, command: Command, now: Timestamp) -> bool {
    if !is_seen(app, command, now) {
        return false;
    }
    if let Some(why) = held_elsewhere(app, now) {
        super::fail(app, why);
        return false;
    }
    let rules = command.records_in(Place::Review) && !matches!(command, Command::Skip | Command::Flag);
    let claim = app.claim.as_ref().map(|claim| claim.key).filter(|_| rules);
    !claim.is_some_and(|claim| ruled_elsewhere(app, claim, command, now))
}

/// What the same person ruled in another window while the claim was in hand here. Said once: the same key again
/// changes it. Whether it was said, so that nothing is to be recorded.
pub(super) fn ruled_elsewhere(app: &mut App, claim: ClaimKey, by: Command, now: Timestamp) -> bool {
    let here = app.claim.as_ref().filter(|here| here.key == claim);
    let Some(decided) = here.and_then(|here| here.elsewhere.as_ref()) else { return false };
    let asks = Asks::OverElsewhere { claim, event: decided.seq, command: by };
    if question::asked(app) == Some(&asks) {
        if let Some(here) = &mut app.claim {
            here.elsewhere = None;
        }
        return false;
    }
    let (ruled, at, key) = (decided.ruling.said(), clock_time(decided.at), in_view::key(app, by));
    let text = format!("you ruled {ruled} at {at}, in another window: {key} again changes it");
    question::ask(app, asks, text, now);
    true
}

/// Who else has the claim under the cursor in hand.
pub(super) fn held_elsewhere(app: &App, now: Timestamp) -> Option<String> {
    let hold = app.held_by_other(now)?;
    let [note, block] = [Command::Annotate, Command::BlockAnswer]
        .map(|command| app.settings.keymap.label(command, Place::Review));
    Some(format!("{} · {note} notes and {block} blocks the answer meanwhile", hold.said(&app.settings.zone)))
}

/// Whether the claim under the cursor was visible long enough for `command`.
pub(super) fn is_seen(app: &mut App, command: Command, now: Timestamp) -> bool {
    if unheard::drops(app, command, now) {
        return false;
    }
    let least = app.settings.min_visible;
    let stroke = held::stroke(app, command, now);
    let Some(claim) = &app.claim else {
        super::warn(app, "there is no claim here to decide", now);
        return false;
    };
    let is_ready = match &claim.detail {
        Detail::Ready(_) => true,
        Detail::Loading => false,
        Detail::Error(why) => {
            let text = format!("the claim cannot be shown, so it cannot be decided: {why}");
            super::fail(app, text);
            return false;
        }
    };
    let was_visible = in_view::was_claim(app, now);
    if is_ready && was_visible && stroke == Stroke::Unsure {
        held::wait(app, command, now);
        return false;
    }
    if is_ready && was_visible && stroke == Stroke::New {
        app.strokes.missed = None;
        // What was saved is worth more now than what was dropped before.
        if std::mem::take(&mut app.dropped) > 0 {
            app.toast = None;
            app.dirty = true;
        }
        return true;
    }
    if is_ready && stroke == Stroke::New && early::waits(app, command, now) {
        return false;
    }
    let why = if stroke == Stroke::Held {
        A_HELD_KEY.to_owned()
    } else {
        format!("press again: a claim must be in view for {} ms", least.as_millis())
    };
    super::dropped(app, &why, now);
    unheard::dropped(app, command, now);
    if stroke != Stroke::Held {
        unheard::missed(app, command, now);
    }
    false
}

/// Whether something about the claim under the cursor may be begun: that records nothing, so nobody has to have looked at
/// it for long. When not, the screen says why.
pub(super) fn may_begin(app: &mut App, command: Command, now: Timestamp) -> bool {
    let is_ready = app.claim.as_ref().is_some_and(|claim| claim.detail().is_some());
    if !is_ready {
        return is_seen(app, command, now);
    }
    if let Some(why) = held_elsewhere(app, now) {
        super::fail(app, why);
        return false;
    }
    true
}

/// Why the strokes of a key that is held down are dropped.
pub(super) const A_HELD_KEY: &str = "a held key decides once";

/// Asks the store to record `request` for the claim under the cursor.
pub(super) fn ask(app: &App, request: Request) -> Vec<Effect> {
    app.detail().map(|detail| effect(app, detail.key, detail.id.clone(), request)).into_iter().collect()
}

/// What the screen shows of the claim, where it is under the cursor.
pub(super) fn shown(app: &App, claim: ClaimKey) -> Option<Seen> {
    app.detail().filter(|detail| detail.key == claim).map(|detail| detail.seen.clone())
}

/// The effect that asks for `request`, with what is on the screen of the claim.
pub(super) fn effect(app: &App, claim: ClaimKey, id: ClaimId, request: Request) -> Effect {
    effect_seen(app, claim, id, request, shown(app, claim))
}

/// The same with what was on the screen when it was begun.
pub(super) fn effect_seen(
    app: &App,
    claim: ClaimKey,
    id: ClaimId,
    request: Request,
    seen: Option<Seen>,
) -> Effect {
    let request = blind::committing(app, claim, request);
    let against = overturn::told(app, claim, &request);
    let own = overturn::own(app, claim);
    Effect::Decide { claim, id, request, reason: None, seen, finished: None, against, own }
}

/// The same as the end of what was begun as a draft of `kind` on that claim.
pub(super) fn finishing(app: &App, effect: Effect, kind: DraftKind) -> Effect {
    match effect {
        Effect::Decide { claim, id, request, reason, seen, against, own, .. } => {
            let finished = Some(app.ours.draft(claim, kind));
            Effect::Decide { claim, id, request, reason, seen, finished, against, own }
        }
        other => other,
    }
}

/// What of `effects` records something is on its way until the store has answered.
pub(super) fn is_saving(app: &mut App, effects: &[Effect]) {
    for effect in effects {
        let subject = match effect {
            Effect::Decide { id, .. } => id.to_string(),
            Effect::DecideMany { claims, .. } => marks::counted(claims.len()),
            Effect::Dispose { audit_id, .. } | Effect::Shape { audit_id, .. } => audit_id.to_string(),
            Effect::Undo(_) | Effect::FindUndo => "undo".to_owned(),
            Effect::Redo(_) | Effect::FindRedo => "redo".to_owned(),
            _ => continue,
        };
        app.saving = Some(subject);
        // It is answered.
        app.question = None;
        app.dirty = true;
    }
}

/// What setting `verdict` with one key asks for.
pub(super) fn request_for(claim: &Selected, detail: &ClaimDetail, verdict: HumanVerdict) -> Request {
    Request::rule(verdict, None, None, &detail.outcome, claim.stakes)
}

/// Rules on the claim under the cursor as in the last decision, with its reason.
pub(super) fn repeat(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let Some(LastDecision { ruling, reason, .. }) = app.last_decision.clone() else {
        super::warn(app, NOTHING_TO_REPEAT, now);
        return Vec::new();
    };
    if !may_decide(app, Command::Repeat, now) {
        return Vec::new();
    }
    // The evidence was that of another claim.
    let request = Request::Override(Ruling { evidence: None, ..ruling });
    if overturn::gives_up(app, &request, Command::Repeat, now) {
        return Vec::new();
    }
    app.repeating = app.claim.as_ref().map(|claim| claim.key);
    let mut effects = ask(app, request);
    for effect in &mut effects {
        if let Effect::Decide { reason: why, .. } = effect {
            *why = reason;
        }
    }
    effects
}

pub(super) const NOTHING_TO_REPEAT: &str = "no decision of this session to repeat";

/// All that a decision says.
fn in_full(event: &Event) -> String {
    let Some(ruling) = event.ruling() else { return String::new() };
    let severity = ruling.severity.map_or(String::new(), |severity| format!(" {severity}"));
    let kind = ruling
        .hallucination_type
        .map_or(String::new(), |kind| format!(", {}", kind.label().to_lowercase().replace('_', " ")));
    // First what is seen nowhere else.
    let reason = event.reason.map_or(String::new(), |reason| format!("reason “{}”, ", reason.sentence()));
    format!("{reason}{}{severity}{kind}", ruling.said())
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
            app.repeating = None;
            let effects = match request {
                Request::Annotate { .. } => note::not_saved(app, claim, &why, now),
                Request::Escalate { .. } | Request::Flag(_) | Request::Defer { .. } | Request::Resume => {
                    ask::not_saved(app, claim, &why);
                    // What stands may not be what is shown: the same key is to mean that.
                    queue::refresh(app)
                }
                Request::Skip(_) => queue::refresh(app),
                _ => Vec::new(),
            };
            super::fail(app, format!("{} of {id} not saved: {why}", asked_for(request)));
            return effects;
        }
    };
    super::clear(app);
    app.dirty = true;
    app.acted = true;
    let repeated = app.repeating.take() == Some(claim);
    let kind = match event.act {
        EventAct::Confirm => Some(DecisionKind::Confirmed),
        EventAct::Override => Some(DecisionKind::Overridden),
        _ => None,
    };
    app.saved = Some(Saved {
        subject: id.to_string(),
        event: Some(event.seq),
        what: what_was_done(&event),
        ruling: kind.zip(event.ruling()),
        at: now,
    });
    let is_here = app.claim.as_ref().is_some_and(|selected| selected.key == claim);
    match event.act {
        EventAct::Confirm | EventAct::Override => {
            close_ruled(app, claim);
            let severity = app.queue.rows.iter().find(|row| row.key == claim).and_then(|row| row.severity);
            let hurried = app.pace.decided(Band::of(severity), now);
            let was_decided =
                |detail: &Arc<ClaimDetail>| detail.key == claim && detail.standing.decided.is_some();
            if app.detail().is_some_and(was_decided) {
                app.pace.again();
            }
            let advances = is_here && goes_on(app, &event);
            if let Some((kind, ruling)) = kind.zip(event.ruling()) {
                let row = app.queue.rows.iter().find(|row| row.key == claim);
                let claim_text = row.map_or(String::new(), |row| row.claim_text.clone());
                app.last_decision = Some(LastDecision {
                    claim,
                    id: id.clone(),
                    claim_text,
                    kind,
                    ruling,
                    reason: event.reason,
                });
            }
            let done = app
                .detail()
                .filter(|detail| detail.key == claim)
                .map(|detail| overturn::ruled(detail, &event));
            let next = done
                .as_ref()
                .filter(|_| advances)
                .and_then(|detail| answer::next_to_stay(app, detail, true, now));
            let mut effects = if advances { went_on::advance(app, next, now) } else { queue::refresh(app) };
            let is_blind = app.settings.blind.is_some();
            if next.is_none() && (advances || !is_here) && !is_blind && !app.threads.is_on() {
                app.left = done.clone().filter(|detail| detail.open_besides() > 0).map(Arc::new);
            }
            // The note that was begun on it is no note yet, and the cursor is elsewhere now.
            let has_draft = done.as_ref().is_some_and(|detail| detail.draft.is_some());
            if has_draft && advances {
                let [back, annotate] = [Command::HistoryBack, Command::Annotate]
                    .map(|command| app.settings.keymap.label(command, Place::Review));
                let text = format!("a draft on {id} waits: {back} {annotate} opens it");
                super::warn(app, text, now);
            }
            if let Some(flag) = done.iter().flat_map(|detail| &detail.flags).find(|flag| flag.escalated) {
                super::tell(app, still_escalated(flag), now);
            }
            if done.as_ref().is_some_and(overturn::is_in_dispute) {
                super::tell(
                    app,
                    format!("people disagree on {id} now, ≠: open until they agree or one settles it"),
                    now,
                );
            }
            if let Some(remark) = blind::remark(done.as_ref(), &event) {
                super::tell(app, format!("{id}: {remark}"), now);
            }
            if repeated {
                super::tell(app, format!("repeated on {id}: {}", in_full(&event)), now);
            }
            let made = done.clone();
            if let Some(detail) = done.filter(|detail| !is_blind && disposition::is_due(detail)) {
                // Short: the mark of what was saved stands beside it.
                let draft = if has_draft {
                    " · a draft on it waits"
                } else if detail.flags.iter().any(|flag| flag.escalated) {
                    " · its escalation stands"
                } else {
                    ""
                };
                let text = format!("{}{draft}", disposition::offer(app, &detail));
                app.to_dispose = Some(Arc::new(detail));
                effects.push(Effect::CountAnswers);
                // Top line and footer name the key as well.
                if !repeated {
                    super::tell(app, text, now);
                }
            }
            made::tell(app, made.as_ref(), &event, now);
            if let Some(text) = overturn::replaces(app, &event) {
                super::tell(app, text, now);
            }
            if hurried {
                let back = app.settings.keymap.label(Command::HistoryBack, Place::Review);
                let (run, most) = (Pace::RUN, Pace::HURRY.as_secs());
                let text = format!(
                    "{run} CRITICAL claims in under {most} s each: {back} looks back, there is no hurry"
                );
                super::tell(app, text, now);
            }
            effects
        }
        EventAct::Blind => blind::committed(app, claim, &event, now),
        EventAct::Defer | EventAct::Skip if is_here => {
            ask::saved(app, claim);
            let detail = app.detail().cloned();
            let next = detail.and_then(|detail| answer::next_to_stay(app, &detail, false, now));
            went_on::advance(app, next, now)
        }
        EventAct::GiveReason => {
            if let Some(last) = app.last_decision.as_mut().filter(|last| last.claim == claim) {
                last.reason = event.reason;
            }
            // The override has what it was waiting for.
            let waited = app.settings.advance == Advance::Confirm
                && is_here
                && app.last_decision.as_ref().is_some_and(|last| last.claim == claim);
            if !waited {
                return queue::refresh(app);
            }
            let detail = app.detail().cloned();
            let next = detail.and_then(|detail| answer::next_to_stay(app, &detail, true, now));
            went_on::advance(app, next, now)
        }
        EventAct::Annotate => {
            let mut effects = note::saved(app, claim, now);
            effects.extend(queue::refresh(app));
            effects
        }
        act => {
            ask::saved(app, claim);
            if let Some(text) = went_on::flagged(app, claim).filter(|_| act == EventAct::Flag) {
                super::tell(app, text, now);
            }
            queue::refresh(app)
        }
    }
}

/// What was asked for, as a noun.
fn asked_for(request: &Request) -> &'static str {
    match request {
        Request::Confirm => "confirmation",
        Request::Override(_) => "override",
        Request::Blind { .. } => "verdict",
        Request::Annotate { .. } => "note",
        Request::GiveReason(_) => "reason",
        Request::Skip(_) => "skip",
        Request::Flag(_) => "flag",
        Request::Escalate { .. } => "escalation",
        Request::Defer { .. } | Request::Resume => "deferral",
    }
}

/// Closes what the ruling on `claim` was made in. Whatever else was opened meanwhile stays.
pub(super) fn close_ruled(app: &mut App, claim: ClaimKey) {
    let is_open = match &app.mode {
        Mode::Override(menu) => menu.claim == claim,
        Mode::Spans(editor) => editor.menu.claim == claim,
        _ => false,
    };
    if matches!(&app.mode, Mode::Spans(_)) && is_open {
        begun::finished(app, claim, DraftKind::Evidence);
    }
    if is_open {
        super::close(app);
    }
}

/// Whether the cursor goes on by itself after the decision of `event`.
fn goes_on(app: &App, event: &Event) -> bool {
    match app.settings.advance {
        Advance::Always => true,
        Advance::Confirm => event.act == EventAct::Confirm || event.reason.is_some(),
        Advance::Never => false,
    }
}

/// What is said of an escalation when the claim is decided: it goes to somebody, and stands.
fn still_escalated(flag: &Flagged) -> String {
    let to = flag.to.as_ref().map_or(String::new(), |to| format!(" to {to}"));
    format!("the escalation{to} stands: flag:* finds it")
}

pub(super) fn what_was_done(event: &Event) -> String {
    let verdict = || event.ruling().map_or_else(String::new, |ruling| ruling.said());
    match event.act {
        EventAct::Confirm => format!("confirmed {}", verdict()),
        EventAct::Override => format!("overridden: {}", verdict()),
        EventAct::Blind => format!("committed {}", verdict()),
        EventAct::Annotate => "note".to_owned(),
        EventAct::GiveReason => {
            let before = event.replaced_reason().map(|reason| format!(", was {}", reason.label()));
            let reason = event.reason.map_or("", |reason| reason.label());
            format!("reason {reason}{}", before.unwrap_or_default())
        }
        EventAct::Skip => "skipped".to_owned(),
        EventAct::Unskip => "no longer skipped".to_owned(),
        EventAct::Flag if event.payload_sha256.is_some() => "escalated".to_owned(),
        EventAct::Flag => "flagged".to_owned(),
        EventAct::Defer => {
            let until = event.until().map_or(String::new(), |until| {
                let until = until.to_string();
                format!(" until {} UTC", until.get(..16).unwrap_or(&until).replace('T', " "))
            });
            format!("deferred{until}")
        }
        EventAct::Resume => "no longer deferred".to_owned(),
        EventAct::Unflag => "no longer flagged".to_owned(),
        EventAct::Dispose => "disposition".to_owned(),
        EventAct::AddClaim => "new claim".to_owned(),
        EventAct::Split => "split".to_owned(),
        EventAct::Merge => "merged".to_owned(),
        EventAct::Erase => "note erased".to_owned(),
        EventAct::Undo => "undone".to_owned(),
    }
}

/// The time of day, UTC, as it stands in the written form.
fn clock_time(at: Timestamp) -> String {
    at.to_string().get(11..19).map_or_else(|| at.to_string(), |time| format!("{time} UTC"))
}
