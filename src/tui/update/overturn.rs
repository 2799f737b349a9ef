//! Rulings that stand against other people's, or against one's own by a reflex: said first, and the same key makes
//! them all the same.

use crate::domain::decision::{Decided, DecisionKind, HumanVerdict, Request, Ruling};
use crate::domain::event::{Act, Event};
use crate::domain::ids::ClaimKey;
use crate::domain::queue::ClaimDetail;
use crate::domain::time::Timestamp;
use crate::domain::verdict::Severity;
use crate::domain::word::{Opposed, Own, Then};
use crate::tui::app::{App, Mode};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;
use crate::tui::keymap::Meaning;
use crate::tui::question::Asks;

use super::{in_view, override_menu, question};

/// The events of other people's rulings against which what is asked for was just told to be.
pub(super) fn told(app: &App, claim: ClaimKey, request: &Request) -> Vec<i64> {
    match question::asked(app) {
        Some(asks @ Asks::OverOthers { others, .. }) if asks.is_ruling(claim, request) => others.clone(),
        _ => Vec::new(),
    }
}

/// Which ruling of the person's own on that claim is on the screen, or was just made here.
pub(super) fn own(app: &App, claim: ClaimKey) -> Own {
    let Some(detail) = app.detail().filter(|detail| detail.key == claim) else { return Own::Unsaid };
    let shown = detail.standing.decided.as_ref().map(|decided| decided.seq);
    let saved = app.saved.as_ref().filter(|saved| saved.subject == detail.id.to_string());
    let made = saved.and_then(|saved| saved.event.filter(|_| saved.ruling.is_some()));
    shown.max(made).map_or(Own::Nothing, Own::Event)
}

/// A confirmation by one key where the person has decided already: what is said of it instead, the first time. It is
/// the key that leads on from a claim that is open, and here it would take back what they ruled.
pub(super) fn confirms_over_own(app: &mut App, now: Timestamp) -> bool {
    let Some(detail) = app.detail().cloned() else { return false };
    let Some(own) = &detail.standing.decided else { return false };
    let Some(judged) = detail.outcome.judged() else { return false };
    if question::asked(app).is_some_and(|asks| asks.is_ruling(detail.key, &Request::Confirm)) {
        return false;
    }
    let key = |command| app.settings.keymap.label(command, Place::Review);
    let ruled = graded(&own.ruling.said(), own.ruling.severity);
    if own.kind == DecisionKind::Confirmed {
        let text = format!(
            "you confirmed {ruled} already: nothing is recorded · {} goes on",
            key(Command::NextOpen)
        );
        super::tell(app, text, now);
        return true;
    }
    let judge = match judged.support.filter(|_| detail.is_pair) {
        Some(score) => format!("{}/5", score.get()),
        None => graded(judged.verdict.label(), judged.severity),
    };
    let text = format!("you ruled {ruled} · {} again confirms {judge} in its place", key(Command::Confirm));
    question::ask(app, Asks::OverOwn { claim: detail.key, request: Request::Confirm }, text, now);
    true
}

/// A ruling by which, in a dispute, the person gives up what they said themselves: their CRITICAL or HIGH, or that it is
/// not supported. Said the first time, as it is before a dispute begins.
pub(super) fn gives_up(app: &mut App, request: &Request, by: Command, now: Timestamp) -> bool {
    let Some(detail) = app.detail().filter(|detail| detail.is_disputed()).cloned() else { return false };
    let Some(own) = &detail.standing.decided else { return false };
    let asked = match request {
        Request::Override(ruling) => Some((ruling.verdict, ruling.severity)),
        Request::Confirm => detail.outcome.judged().map(|judged| (judged.verdict.into(), judged.severity)),
        _ => None,
    };
    let Some((verdict, severity)) = asked else { return false };
    let is_grave = own.ruling.severity >= Some(Severity::High);
    let changes = verdict != own.ruling.verdict;
    let gives_up = changes && (is_grave || verdict == HumanVerdict::FullySupported)
        || is_grave && severity < own.ruling.severity;
    if !gives_up || question::asked(app).is_some_and(|asks| asks.is_ruling(detail.key, request)) {
        return false;
    }
    let (was, is) = (graded(&own.ruling.said(), own.ruling.severity), graded(verdict.label(), severity));
    let key = in_view::key(app, by);
    let text = format!("people disagree, and you ruled {was} · {key} again gives that up for {is}");
    question::ask(app, Asks::OverOwn { claim: detail.key, request: request.clone() }, text, now);
    true
}

/// The store says that others ruled otherwise.
pub(super) fn opposed(
    app: &mut App,
    claim: ClaimKey,
    request: Request,
    opposed: &Opposed,
    now: Timestamp,
) -> Vec<Effect> {
    let repeats = app.repeating.take().is_some();
    let command = match (&app.mode, &request) {
        (Mode::Normal, _) if repeats => Command::Repeat,
        (Mode::Normal, Request::Override(ruling)) => command_of(ruling),
        (Mode::Normal, _) => struck(app).unwrap_or(Command::Confirm),
        _ => Command::Accept,
    };
    let key = in_view::key(app, command);
    let then = match opposed.then {
        Then::Disputes => "rules against it, and the claim is in dispute",
        Then::Settles => "settles it",
        Then::Counts => "rules: yours counts then",
    };
    let text = format!("{} · {key} again {then}", opposed.said());
    let others = opposed.events();
    question::ask(app, Asks::OverOthers { claim, request, others }, text, now);
    Vec::new()
}

/// The verdict or score that the last key sets: where it is the judge's, it asks for a confirmation.
fn struck(app: &App) -> Option<Command> {
    let (key, _) = app.strokes.last?;
    match super::score::meaning(app, Place::Review, &[key]) {
        Meaning::Command(command) => (override_menu::verdict_of(command).is_some()
            || super::score::score_of(command).is_some())
        .then_some(command),
        _ => None,
    }
}

/// The command that sets this verdict or score at once.
fn command_of(ruling: &Ruling) -> Command {
    match (ruling.score, ruling.verdict) {
        (Some(score), _) => match score.get() {
            1 => Command::Score1,
            2 => Command::Score2,
            3 => Command::Score3,
            4 => Command::Score4,
            _ => Command::Score5,
        },
        (None, HumanVerdict::FullySupported) => Command::VerdictFully,
        (None, HumanVerdict::PartiallySupported) => Command::VerdictPartially,
        (None, HumanVerdict::Unsupported) => Command::VerdictUnsupported,
        (None, HumanVerdict::Contradicted) => Command::VerdictContradicted,
        (None, HumanVerdict::CannotJudge) => Command::VerdictCannotJudge,
        (None, HumanVerdict::NotAClaim) => Command::VerdictNotAClaim,
    }
}

/// What of the person's own the decision of `event` stands in place of; `None` where it is new.
pub(super) fn replaces(app: &App, event: &Event) -> Option<String> {
    let before = event.replaced().filter(|_| matches!(event.act, Act::Confirm | Act::Override))?;
    let key = app.settings.keymap.label(Command::Undo, Place::Review);
    // What was chosen for the word before is no evidence of this one.
    let had_spans = before.evidence.as_ref().is_some_and(|spans| !spans.is_empty());
    let lost = had_spans && event.ruling().is_some_and(|ruling| ruling.evidence.is_none());
    let spans = if lost { " and the span you chose" } else { "" };
    Some(format!("replaces your {}{spans} · {key} takes it back", graded(&before.said(), before.severity)))
}

fn graded(said: &str, severity: Option<Severity>) -> String {
    severity.map_or_else(|| said.to_owned(), |severity| format!("{said} {severity}"))
}

/// Whether people disagree on the claim of `detail`, which a ruling was put into.
pub(super) fn is_in_dispute(detail: &ClaimDetail) -> bool {
    detail.siblings.iter().any(|sibling| sibling.key == detail.key && !sibling.decided)
}

/// The claim with what `event` decided about it.
pub(super) fn ruled(detail: &ClaimDetail, event: &Event) -> ClaimDetail {
    let mut detail = detail.clone();
    let Some(ruling) = event.ruling() else { return detail };
    let mut others: Vec<&Decided> = Vec::new();
    for (who, decided) in detail.decisions.iter().filter(|(who, _)| who.as_str() != event.annotator) {
        if detail.is_disputed() || detail.counts.as_ref() == Some(who) {
            others.push(decided);
        }
    }
    // Who rules otherwise than one other, or than several that agree, puts it in dispute.
    let first = others.first().map(|decided| decided.ruling.verdict);
    let agree = others.iter().all(|decided| Some(decided.ruling.verdict) == first);
    let in_dispute = agree && first.is_some_and(|verdict| verdict != ruling.verdict) && !detail.is_settled;
    let mut rulings = vec![ruling.verdict];
    let mut severity = ruling.severity;
    if in_dispute {
        rulings.extend(first);
        severity = others.iter().map(|decided| decided.ruling.severity).max().flatten().max(severity);
    }
    if let Some(own) = detail.siblings.iter_mut().find(|sibling| sibling.key == detail.key) {
        (own.decided, own.rulings, own.ruled_severity) = (!in_dispute, rulings, severity);
    }
    detail
}
