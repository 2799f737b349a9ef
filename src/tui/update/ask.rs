//! The line of a deferral or an escalation: opening, typing, asking the store, its answer.

use crossterm::event::KeyEvent;

use crate::domain::decision::Disposition;
use crate::domain::event::Seen;
use crate::domain::ids::{Annotator, ClaimId, ClaimKey};
use crate::domain::queue::{ClaimDetail, Flagged};
use crate::domain::time::Timestamp;
use crate::tui::app::{App, EmptyReason, Mode, QueueState};
use crate::tui::ask::{AskLine, Question, read};
use crate::tui::begun::kind;
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;
use crate::tui::marks::Together;

use super::find::{clean_line, line_area};
use super::{begun, decide, marks, went_on};

/// More characters are no line any more.
const MOST: usize = 2000;

/// Asks about the claim under the cursor, once it has been in view long enough.
pub(super) fn open(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    if command == Command::Defer && is_all_deferred(app) {
        return vec![Effect::FindDeferred];
    }
    begin(app, command, now);
    Vec::new()
}

/// Whether nothing is left but what the person deferred.
pub(super) fn is_all_deferred(app: &App) -> bool {
    matches!(app.queue.state, QueueState::Empty(EmptyReason::Deferred { .. }))
}

fn begin(app: &mut App, command: Command, now: Timestamp) {
    if !decide::may_decide(app, command, now) {
        return;
    }
    let Some(detail) = app.detail().cloned() else { return };
    if command == Command::Defer && detail.standing.decided.is_some() {
        return super::warn(app, NOTHING_TO_DEFER, now);
    }
    let question = match command {
        Command::Defer => Question::Defer { again: detail.standing.deferred.is_some() },
        _ => Question::Escalate { again: escalated(app).is_some() },
    };
    let begun = begun::found(&detail, kind(question)).map(str::to_owned);
    let text = begun.or_else(|| written(app).filter(|_| command == Command::Escalate)).unwrap_or_default();
    if !text.is_empty() {
        app.ours.add(detail.key, kind(question), &text);
    }
    let claim = (detail.key, detail.id.clone(), detail.seen.clone());
    let about = (detail.id.to_string(), detail.claim_text.clone());
    show(app, question, (Some(claim), &text), about, now);
}

/// Asks about all marked claims; `about` says how many there are.
pub(super) fn open_for_many(app: &mut App, command: Command, about: String, now: Timestamp) {
    let question = if command == Command::Defer {
        Question::Defer { again: false }
    } else {
        Question::Escalate { again: false }
    };
    let note = app.marks.note.clone().filter(|_| command == Command::Escalate).unwrap_or_default();
    show(app, question, (None, &note), (about, String::new()), now);
}

/// Asks why the answers of all marked claims are to be blocked or returned; `about` says how many claims there are.
pub(super) fn why_for_many(app: &mut App, disposition: Disposition, about: String, now: Timestamp) {
    let why = app.marks.why.clone().unwrap_or_default();
    show(app, Question::Why(disposition), (None, &why), (about, String::new()), now);
}

/// The line for it was applied, or left: what was typed is there when it is opened again.
fn why(app: &mut App, disposition: Disposition, is_applied: bool, now: Timestamp) {
    let Mode::Ask(line) = &app.mode else { return };
    let typed = line.content().trim().to_owned();
    let note = (!typed.is_empty()).then_some(typed);
    app.marks.why.clone_from(&note);
    if is_applied {
        marks::choose(app, Together::Dispose { disposition, note }, now);
    } else {
        super::close(app);
        marks::open(app, now);
    }
}

pub(super) const NOTHING_TO_DEFER: &str = "the claim is decided: there is nothing to defer";

/// The person's own escalation of the claim under the cursor.
pub(super) fn escalated(app: &App) -> Option<&Flagged> {
    own_escalation(app.detail()?, &app.settings.annotator)
}

fn own_escalation<'a>(detail: &'a ClaimDetail, me: &Annotator) -> Option<&'a Flagged> {
    detail.flags.iter().find(|flag| flag.escalated && flag.annotator == *me)
}

/// Whether `me` has escalated the claim of `detail`.
pub(super) fn is_escalated(detail: &ClaimDetail, me: &Annotator) -> bool {
    own_escalation(detail, me).is_some()
}

/// That escalation as it was written, unless its words were erased.
fn written(app: &App) -> Option<String> {
    let flag = escalated(app)?;
    let note = flag.note.as_ref()?;
    Some(flag.to.as_ref().map_or_else(|| note.clone(), |to| format!("@{to} {note}")))
}

/// Why `f` does not take the flag off the claim under the cursor: a note to somebody is not taken back by the way.
pub(super) fn not_by_flag(app: &App) -> Option<String> {
    let to = escalated(app)?.to.as_ref().map_or(String::new(), |to| format!(" to {to}"));
    let key = |command, place| app.settings.keymap.label(command, place);
    let (escalate, apply) = (key(Command::Escalate, Place::Review), key(Command::ApplyLine, Place::Ask));
    Some(format!("you escalated it{to}: {escalate}, then {apply} on the emptied line, takes that back"))
}

fn show(
    app: &mut App,
    question: Question,
    (claim, text): (Option<(ClaimKey, ClaimId, Seen)>, &str),
    (about, claim_text): (String, String),
    now: Timestamp,
) {
    let line = AskLine {
        question,
        claim,
        about,
        claim_text,
        text: line_area(text),
        reading: Ok(String::new()),
        sent: false,
        back: 0,
        typed: String::new(),
    };
    app.mode = Mode::Ask(Box::new(line));
    app.toast = None;
    changed(app, now);
}

pub(super) fn run(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    if command == Command::OtherClaim {
        return went_on::swap(app, now);
    }
    let Mode::Ask(line) = &mut app.mode else { return Vec::new() };
    app.dirty = true;
    if matches!(command, Command::Earlier | Command::Later) {
        recall(app, command, now);
        return Vec::new();
    }
    if matches!(line.question, Question::Escalate { .. }) && !line.sent {
        // Whether it is recorded, left or refused: it can be had again, here and on another claim.
        let text = line.content();
        app.history.remember_escalation(&text);
        if line.claim.is_none() {
            app.marks.note = Some(text);
        }
    }
    if let Question::Why(disposition) = line.question {
        why(app, disposition, command == Command::ApplyLine, now);
        return Vec::new();
    }
    if command != Command::ApplyLine {
        let (is_for_many, question) = (line.claim.is_none(), line.question);
        let command =
            if matches!(question, Question::Escalate { .. }) { Command::Escalate } else { Command::Defer };
        if command == Command::Defer && line.reading.is_err() {
            // A time that cannot be read is nothing to go on with.
            line.text = line_area("");
        }
        let key = app.settings.keymap.label(command, Place::Review);
        let effects = begun::left(app, &key, now);
        super::close(app);
        if is_for_many {
            marks::open(app, now);
        }
        return effects;
    }
    if line.sent {
        return Vec::new();
    }
    let typed = line.content();
    let request = match read(line.question, &line.content(), now, &app.settings.zone) {
        Ok((request, _)) => request,
        Err(why) => {
            line.reading = Err(why);
            return Vec::new();
        }
    };
    if matches!(line.question, Question::Escalate { again: true })
        && written(app).is_some_and(|before| before.trim() == typed.trim())
    {
        super::close(app);
        super::tell(app, "the escalation stands as it was", now);
        return Vec::new();
    }
    let Mode::Ask(line) = &mut app.mode else { return Vec::new() };
    let Some((claim, id, seen)) = line.claim.clone() else {
        marks::choose(app, Together::Asked(request), now);
        return Vec::new();
    };
    line.sent = true;
    let kind = kind(line.question);
    let effect = decide::effect_seen(app, claim, id, request, Some(seen));
    vec![decide::finishing(app, effect, kind)]
}

/// What was typed before into the line of an escalation, or after that.
fn recall(app: &mut App, command: Command, now: Timestamp) {
    let Mode::Ask(line) = &mut app.mode else { return };
    if line.sent || !matches!(line.question, Question::Escalate { .. }) {
        return;
    }
    // What stands there already is not what was before it.
    let here = if line.back == 0 { line.content() } else { line.typed.clone() };
    let known: Vec<&String> =
        app.history.escalations().iter().filter(|known| known.trim() != here.trim()).collect();
    let back = if command == Command::Earlier { line.back + 1 } else { line.back.saturating_sub(1) };
    if back > known.len() || back == line.back {
        return;
    }
    line.text = line_area(if back == 0 { &here } else { known[known.len() - back] });
    (line.back, line.typed) = (back, here);
    changed(app, now);
}

/// A key of the text itself.
pub(super) fn input(app: &mut App, event: KeyEvent, now: Timestamp) {
    let Mode::Ask(line) = &mut app.mode else { return };
    if line.sent {
        return;
    }
    super::find::edit(&mut line.text, event);
    line.back = 0;
    changed(app, now);
}

/// Text from the clipboard goes where the caret is, as one line.
pub(super) fn paste(app: &mut App, text: &str, now: Timestamp) {
    let Mode::Ask(line) = &mut app.mode else { return };
    let (clean, dropped) = clean_line(text);
    line.text.insert_str(clean);
    changed(app, now);
    if dropped > 0 {
        super::warn(app, format!("{dropped} unseen characters of the text were left out"), now);
    }
}

fn changed(app: &mut App, now: Timestamp) {
    let Mode::Ask(line) = &mut app.mode else { return };
    let text = line.content();
    let cut: String = text.chars().take(MOST).collect();
    if line.text.lines().len() > 1 || cut.len() < text.len() {
        line.text = line_area(&cut);
    }
    line.reading = match cut.trim() {
        _ if matches!(line.question, Question::Why(_)) => Ok(String::new()),
        "" => Ok(String::new()),
        typed => read(line.question, typed, now, &app.settings.zone).map(|(_, said)| said),
    };
    app.dirty = true;
}

/// The store has it.
pub(super) fn saved(app: &mut App, claim: ClaimKey) {
    if let Mode::Ask(line) = &app.mode
        && line.key() == Some(claim)
        && line.sent
    {
        let kind = kind(line.question);
        super::close(app);
        begun::finished(app, claim, kind);
    }
}

/// The store refused it: what was typed stays.
pub(super) fn not_saved(app: &mut App, claim: ClaimKey, why: &str) {
    let Mode::Ask(line) = &mut app.mode else { return };
    if line.key() == Some(claim) {
        line.sent = false;
        line.reading = Err(why.to_owned());
        app.dirty = true;
    }
}
