//! Undo and redo: what they would do is said before the first one of a session, then the store is asked.

use crate::domain::decision::DecisionKind;
use crate::domain::event::{Act as EventAct, Event};
use crate::domain::ids::ClaimKey;
use crate::domain::time::Timestamp;
use crate::store::{Redone, Undone};
use crate::tui::app::{App, LastDecision, Saved};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;
use crate::tui::question::Asks;

use super::held::{self, Stroke};
use super::{decide, in_view, question, queue, review};

/// Takes back the latest act, or does again what was taken back. What may reach into an earlier session is shown
/// first.
pub(super) fn ask(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    review::forget_failure(app);
    if !may(app, command, now) {
        return Vec::new();
    }
    let offer = match question::asked(app) {
        Some(Asks::Back { command: asked, event }) if *asked == command => Some(*event),
        _ => None,
    };
    // What was saved last stands on the screen. Before that comes what nobody may have in mind any more.
    let told = match command {
        Command::Redo => app.to_redo,
        _ => app.saved.as_ref().and_then(|saved| saved.event),
    };
    vec![match (command, offer.or(told)) {
        (Command::Redo, Some(event)) => Effect::Redo(event),
        (Command::Redo, None) => Effect::FindRedo,
        (_, Some(event)) => Effect::Undo(event),
        (_, None) => Effect::FindUndo,
    }]
}

/// Whether the key was meant, and what is under the cursor was seen; when not, the screen says why.
fn may(app: &mut App, command: Command, now: Timestamp) -> bool {
    let is_sure = app.strokes.unsure.is_some_and(|unsure| unsure.is_sure);
    if !is_sure && !app.settings.min_visible.is_zero() && held::is_close(app) {
        super::dropped(app, "press again: another key came right before", now);
        return false;
    }
    if app.claim.is_some() {
        return decide::is_seen(app, command, now);
    }
    match held::stroke(app, command, now) {
        Stroke::New => return true,
        Stroke::Unsure => held::wait(app, command, now),
        Stroke::Held => super::dropped(app, decide::A_HELD_KEY, now),
    }
    false
}

/// The store's answer to an undo: says what was taken back, and goes there.
pub(super) fn undone(app: &mut App, result: Result<Box<Undone>, String>, now: Timestamp) -> Vec<Effect> {
    // What the mark of the last save tells of may just have been taken back, or is not what was done last.
    app.saved = None;
    let undone = match result {
        Ok(undone) => undone,
        Err(why) => {
            let key = app.settings.keymap.label(Command::Undo, Place::Review);
            super::fail(app, format!("nothing was undone: {why} · {key} shows what can be taken back"));
            return Vec::new();
        }
    };
    let subject = undone.event.subject.clone();
    app.acted = true;
    app.to_redo = Some(undone.event.seq);
    if matches!(undone.event.act, EventAct::Confirm | EventAct::Override) && undone.standing.is_none() {
        app.pace.again();
    }
    if app.last_decision.as_ref().is_some_and(|last| Some(last.claim) == undone.claim) {
        app.last_decision = None;
    }
    app.to_dispose = None;
    let effects = match undone.claim.filter(|_| undone.event.act == EventAct::AddClaim) {
        Some(claim) => go_on_from(app, claim, now),
        None => show(app, undone.claim, &undone.claims, now),
    };
    let decides = matches!(undone.event.act, EventAct::Confirm | EventAct::Override);
    let now_so = match (&undone.standing, undone.event.act) {
        (Some(decided), _) if decides => {
            format!(", {} {} stands again", decided.kind.label(), decided.ruling.verdict)
        }
        (None, _) if decides && app.settings.blind.is_some() => {
            let key = app.settings.keymap.label(Command::Keep, Place::Review);
            format!(", your blind verdict stands: {key} keeps it")
        }
        (None, _) if decides => ", no decision stands".to_owned(),
        (_, EventAct::Blind) => " · not independent from now on: a third person is asked".to_owned(),
        (_, EventAct::Unskip) => ", it is skipped again".to_owned(),
        (_, EventAct::Unflag) => ", it is flagged again".to_owned(),
        (_, EventAct::Resume) => ", it is deferred again".to_owned(),
        (_, EventAct::Dispose) => match &undone.disposition {
            Some((who, disposition, _)) => format!(", {disposition} of {who} stands"),
            None => ", the answer has no disposition".to_owned(),
        },
        _ => String::new(),
    };
    let more = and_others(undone.others);
    let text = format!("undone on {subject}{more}: {}{now_so}", act_in_words(&undone.event));
    match undone.kept.as_slice() {
        [] => super::tell(app, text, now),
        [why, ..] => super::fail(app, format!("{text}; {} could not be: {why}", undone.kept.len())),
    }
    effects
}

/// How many more acts went the same way at once.
fn and_others(others: u64) -> String {
    match others {
        0 => String::new(),
        others => format!(" and {others} more"),
    }
}

/// What an undo or a redo would do: said before the first one of a session, which may reach into an earlier
/// one. `others` is how many more acts would go with it.
pub(super) fn found(
    app: &mut App,
    command: Command,
    result: Result<Option<Box<Event>>, String>,
    others: u64,
    now: Timestamp,
) -> Vec<Effect> {
    let (verb, noun) = if command == Command::Redo { ("does again", "redo") } else { ("takes back", "undo") };
    match result {
        // An act of this session on what is before their eyes.
        Ok(Some(event)) if app.acted && is_here(app, &event) => {
            let again = if command == Command::Redo { Effect::Redo } else { Effect::Undo };
            return vec![again(event.seq)];
        }
        Ok(Some(event)) => {
            let key = app.settings.keymap.label(command, Place::Review);
            let at = event.at.to_string();
            let at = at.get(..16).unwrap_or(&at).replace('T', " ");
            let more = and_others(others);
            // The key first: a narrow window cuts the time.
            let text =
                format!("{key} again {verb}: {} of {}{more}, {at}", act_in_words(&event), event.subject);
            super::tell(app, text.clone(), now);
            question::stands(app, Asks::Back { command, event: event.seq }, text, now);
        }
        Ok(None) => super::tell(app, format!("there is nothing of yours to {noun}"), now),
        Err(why) => super::fail(app, why),
    }
    Vec::new()
}

fn is_here(app: &App, event: &Event) -> bool {
    event.act != EventAct::Undo && app.detail().is_some_and(|detail| detail.id.to_string() == event.subject)
}

/// The store's answer to a redo: says what was done again, and goes there.
pub(super) fn redone(app: &mut App, result: Result<Box<Redone>, String>, now: Timestamp) -> Vec<Effect> {
    app.to_redo = None;
    let Redone { event, claim, standing, others, claims, next } = match result {
        Ok(redone) => *redone,
        Err(why) => {
            super::fail(app, format!("nothing was done again: {why}"));
            return Vec::new();
        }
    };
    app.acted = true;
    app.to_redo = next;
    let ruling = event.ruling().filter(|_| matches!(event.act, EventAct::Confirm | EventAct::Override));
    let kind =
        if event.act == EventAct::Confirm { DecisionKind::Confirmed } else { DecisionKind::Overridden };
    app.saved = Some(Saved {
        subject: event.subject.clone(),
        event: Some(event.seq),
        what: decide::what_was_done(&event),
        ruling: ruling.map(|ruling| (kind, ruling)),
        at: now,
    });
    app.to_dispose = None;
    let effects = show(app, claim, &claims, now);
    if let (Some(claim), Some(decided), Ok(id)) = (claim, standing, event.subject.parse()) {
        let row = app.queue.rows.iter().find(|row| row.key == claim);
        let claim_text = row.map_or(String::new(), |row| row.claim_text.clone());
        let (kind, ruling, reason) = (decided.kind, decided.ruling, decided.reason);
        app.last_decision = Some(LastDecision { claim, id, claim_text, kind, ruling, reason });
    }
    let more = and_others(others);
    super::tell(app, format!("done again on {}{more}: {}", event.subject, act_in_words(&event)), now);
    effects
}

/// Goes to the claim of what was taken back or done again, which has to be looked at anew. Of many at once it stays on
/// the one in hand, else it is the one that the person looked at.
fn show(app: &mut App, claim: Option<ClaimKey>, claims: &[ClaimKey], now: Timestamp) -> Vec<Effect> {
    let here = app.claim.as_ref().map(|claim| claim.key).filter(|here| claims.contains(here));
    let claim = here.or_else(|| app.trail.last_of(claims).filter(|_| claims.len() > 1)).or(claim);
    match claim {
        Some(key) if app.claim.as_ref().is_none_or(|claim| claim.key != key) => {
            let mut effects = queue::select(app, key, now);
            effects.extend(queue::load(app));
            effects.push(Effect::CountAnswers);
            effects
        }
        _ => {
            in_view::look_anew(app);
            queue::refresh(app)
        }
    }
}

/// The claim is not there any more: where the cursor is on it, the next open one takes its line.
fn go_on_from(app: &mut App, claim: ClaimKey, now: Timestamp) -> Vec<Effect> {
    if app.claim.as_ref().is_none_or(|here| here.key != claim) {
        return show(app, None, &[], now);
    }
    let mut effects = queue::advance(app, None, now);
    effects.push(Effect::CountAnswers);
    effects
}

/// An act as a noun.
fn act_in_words(event: &Event) -> String {
    let verdict = || event.ruling().map_or("", |ruling| ruling.verdict.label());
    match event.act {
        EventAct::Confirm => format!("confirm {}", verdict()),
        EventAct::Override => format!("override {}", verdict()),
        EventAct::Blind => format!("blind {}", verdict()),
        EventAct::Annotate => "note".to_owned(),
        EventAct::GiveReason => format!("reason {}", event.reason.map_or("", |reason| reason.label())),
        EventAct::AddClaim => "new claim".to_owned(),
        EventAct::Split => "split".to_owned(),
        EventAct::Merge => "merge".to_owned(),
        EventAct::Skip => "skip".to_owned(),
        EventAct::Unskip => "end of the skip".to_owned(),
        EventAct::Flag if event.payload_sha256.is_some() => "escalation".to_owned(),
        EventAct::Flag => "flag".to_owned(),
        EventAct::Defer => "deferral".to_owned(),
        EventAct::Resume => "end of the deferral".to_owned(),
        EventAct::Unflag => "end of the flag".to_owned(),
        EventAct::Dispose => "disposition".to_owned(),
        EventAct::Erase => "erasure of a note".to_owned(),
        EventAct::Undo => "undo".to_owned(),
    }
}
