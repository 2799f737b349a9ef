//! Why a command of the review would do nothing now, in the sentence that its key would be answered with.
//!
//! Only what the screen knows: the store may still refuse what seems possible.

use crate::domain::decision::Disposition;
use crate::domain::finding::AuditState;
use crate::domain::time::Timestamp;
use crate::tui::app::{App, Auditor, View};
use crate::tui::command::{Command, Place};
use crate::tui::screens::ScreenName;

use super::{
    STILL_SAVING, answer, ask, blind, copy, decide, disposition, history, marks, queue, reason, review, same,
    score, screens, shape, spans, threads, unheard, views,
};

/// Why `command` is not possible now; `None` when it is, as far as the screen can tell.
pub(super) fn hindrance(app: &App, command: Command, now: Timestamp) -> Option<String> {
    if app.saving.is_some() && (command.records_in(Place::Review) || command.builds_on_saved()) {
        return Some(STILL_SAVING.to_owned());
    }
    if app.screens.shown != ScreenName::Queue {
        return screens::hindrance(app, command);
    }
    if let Some(why) = blind::hindrance(app, command).or_else(|| threads::hindrance(app, command)) {
        return Some(why);
    }
    match command {
        Command::Keep => no_claim(app).or_else(|| decided_elsewhere(app, command, now)),
        Command::Confirm
        | Command::Override
        | Command::VerdictFully
        | Command::VerdictPartially
        | Command::VerdictUnsupported
        | Command::VerdictContradicted
        | Command::VerdictCannotJudge
        | Command::VerdictNotAClaim
        | Command::Score1
        | Command::Score2
        | Command::Score3
        | Command::Score4
        | Command::Score5 => no_claim(app)
            .or_else(|| score::hindrance(app, command))
            .or_else(|| decided_elsewhere(app, command, now)),
        Command::ChooseEvidence => no_claim(app)
            .or_else(|| decided_elsewhere(app, command, now))
            .or_else(|| app.detail()?.record.passages.is_empty().then(|| spans::NO_EVIDENCE.to_owned())),
        Command::AddClaim | Command::SplitClaim | Command::MergeClaims => {
            no_claim(app).or_else(|| shape::hindrance(app, command, now))
        }
        Command::Repeat => no_claim(app)
            .or_else(|| app.last_decision.is_none().then(|| decide::NOTHING_TO_REPEAT.to_owned()))
            .or_else(|| decided_elsewhere(app, command, now)),
        Command::Skip => no_claim(app).or_else(|| decide::held_elsewhere(app, now)).or_else(|| {
            let is_decided = app.detail().is_some_and(|detail| detail.standing.decided.is_some());
            is_decided.then(|| "the claim is decided: there is nothing to skip".to_owned())
        }),
        Command::Defer if ask::is_all_deferred(app) => None,
        Command::Defer => no_claim(app).or_else(|| decide::held_elsewhere(app, now)).or_else(|| {
            let is_decided = app.detail().is_some_and(|detail| detail.standing.decided.is_some());
            is_decided.then(|| ask::NOTHING_TO_DEFER.to_owned())
        }),
        Command::Flag => {
            no_claim(app).or_else(|| decide::held_elsewhere(app, now)).or_else(|| ask::not_by_flag(app))
        }
        Command::Escalate => no_claim(app).or_else(|| decide::held_elsewhere(app, now)),
        Command::ActOnMarked if app.marks.is_empty() && marks::against(app).is_none() => {
            Some(marks::NOTHING_MARKED.to_owned())
        }
        Command::Reason => reason::in_question(app).err(),
        Command::Dispose => disposition::nothing_to_ask(app),
        Command::BlockAnswer => no_claim(app).or_else(|| disposition::is_blocked(app)),
        Command::HistoryBack if !app.trail.has_before(app.claim.as_ref().map(|claim| claim.key)) => {
            Some(history::no_history(true).to_owned())
        }
        Command::HistoryForward if !app.trail.has_after() => Some(history::no_history(false).to_owned()),
        Command::NextOpen if app.trail.position().is_some() => None,
        Command::NextOpen => {
            queue::other_open(app, now).is_none().then(|| "no other claim is open".to_owned())
        }
        Command::StayWithAnswer => answer::nothing_to_stay_with(app, now),
        Command::NewestCritical if app.counts.open_critical == 0 => {
            Some("no CRITICAL claim is open".to_owned())
        }
        Command::NextClaim | Command::NextAnswer | Command::LastClaim if is_at_end(app) => {
            Some("this is the last claim".to_owned())
        }
        Command::PreviousClaim | Command::PreviousAnswer | Command::FirstClaim if is_at_start(app) => {
            Some("this is the first claim".to_owned())
        }
        Command::NextClaim
        | Command::PreviousClaim
        | Command::NextAnswer
        | Command::PreviousAnswer
        | Command::FirstClaim
        | Command::LastClaim
            if app.queue.rows.is_empty() =>
        {
            Some("the list is empty".to_owned())
        }
        Command::ClearFilter if app.view_now() != View::Beside || app.screens.from.is_some() => None,
        Command::ClearFilter if app.found.is_none() && app.marks.is_empty() => {
            Some("no filter is set".to_owned())
        }
        Command::NextView | Command::PreviousView if app.views.list.is_empty() => {
            Some(views::NOT_READ.to_owned())
        }
        Command::SameClaim => no_claim(app).or_else(|| same::hindrance(app)),
        Command::SaveView => views::cannot_save(app),
        Command::RemoveView => views::cannot_remove(app),
        Command::NextEvidence | Command::PreviousEvidence => no_claim(app).or_else(|| evidence(app)),
        Command::Annotate
        | Command::Mark
        | Command::MarkRange
        | Command::WhyHere
        | Command::Maximise
        | Command::Differences
        | Command::Metadata
        | Command::Exchanges
        | Command::Story
        | Command::CopyClaim
        | Command::CopyId
        | Command::CopyRecord
        | Command::ScrollDown
        | Command::ScrollUp
        | Command::PageDown
        | Command::PageUp => no_claim(app),
        Command::CopySpan => {
            no_claim(app).or_else(|| copy::span(app).is_none().then(|| copy::NO_SPAN.to_owned()))
        }
        Command::PauseAuditor if app.auditor == Auditor::Absent => {
            Some("no auditor runs in this window".to_owned())
        }
        _ => None,
    }
}

fn no_claim(app: &App) -> Option<String> {
    app.claim.is_none().then(|| review::NO_CLAIM.to_owned())
}

/// Why no decision can be made on the claim under the cursor.
pub(super) fn decided_elsewhere(app: &App, command: Command, now: Timestamp) -> Option<String> {
    let held = decide::held_elsewhere(app, now);
    if held.is_some() {
        return held;
    }
    let released = released(app);
    if released.is_some() {
        return released;
    }
    if command == Command::Confirm { nothing_to_confirm(app) } else { None }
}

/// Why the judge cannot be agreed with on the claim under the cursor.
pub(super) fn nothing_to_confirm(app: &App) -> Option<String> {
    let key = |command| app.settings.keymap.label(command, Place::Review);
    (app.detail()?.outcome.state() != AuditState::Judged).then(|| {
        let (first, last) = (key(Command::VerdictFully), key(Command::VerdictCannotJudge));
        format!("there is no verdict to confirm: judge it with {first} to {last}")
    })
}

/// Why no claim of the answer under the cursor can be made or replaced: it is released or blocked as it is.
pub(super) fn disposed(app: &App) -> Option<String> {
    given(app, |disposition| disposition != Disposition::Return)
}

/// Why nothing can be ruled anew about the answer under the cursor: it is released as people ruled on it. A BLOCK rests
/// on nobody's ruling.
pub(super) fn released(app: &App) -> Option<String> {
    given(app, |disposition| disposition == Disposition::Release)
}

/// What stands about the answer under the cursor, where it `matters`, and the keys that give it RETURN.
fn given(app: &App, matters: impl Fn(Disposition) -> bool) -> Option<String> {
    let detail = app.detail()?;
    let given = detail.disposition.as_ref().filter(|given| matters(given.disposition))?;
    let is_own = given.annotator == app.settings.annotator;
    let who = if is_own { "your".to_owned() } else { format!("{}'s", given.annotator) };
    let (audit_id, disposition) = (&detail.record.audit_id, given.disposition);
    let key = |command, place| app.settings.keymap.label(command, place);
    let (ask, give) = (key(Command::Dispose, Place::Review), key(Command::Return, Place::Disposition));
    Some(format!("{audit_id} has {who} {disposition}: {ask} {give} gives it RETURN first"))
}

/// Whether `command` rules on what a RELEASE rests on, or opens what rules on it. Nobody judges blind what is released.
pub(super) fn is_against_release(command: Command) -> bool {
    matches!(command, Command::Override | Command::ChooseEvidence)
        || command != Command::Keep && unheard::rules(command)
}

fn evidence(app: &App) -> Option<String> {
    match app.claim.as_ref()?.stops.len() {
        0 => Some("the record has no evidence".to_owned()),
        1 => Some("there is no other evidence".to_owned()),
        _ => None,
    }
}

fn is_at_start(app: &App) -> bool {
    app.queue.at_start && app.selected_row().is_some() && app.stop_at(true) == app.selected_row()
}

fn is_at_end(app: &App) -> bool {
    app.queue.at_end && app.selected_row().is_some() && app.stop_at(false) == app.selected_row()
}
