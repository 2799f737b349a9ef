//! The queue screen while nothing lies over it.

use std::sync::Arc;

use crate::domain::decision::{Request, Standing};
use crate::domain::time::Timestamp;
use crate::tui::app::{App, Auditor, Focus, Mode, View};
use crate::tui::command::{Command, Group};
use crate::tui::effect::Effect;
use crate::tui::found::LineKind;
use crate::tui::screen;
use crate::tui::widget::passage::Scroll;

use super::{
    answer, ask, blind, copy, decide, disposition, early, exchanges, find, history, marks, note, opposite,
    override_menu, overturn, palette, possible, queue, reason, same, score, screens, shape, spans, story,
    threads, unheard, views, why,
};

pub(super) fn run(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    let looks = matches!(command.row().group, Group::Move | Group::Read);
    let hindrance = if looks { possible::hindrance(app, command, now) } else { None };
    let unkept = blind::unkept(app);
    let effects = carry_out(app, command, now);
    if let Some((claim, text)) = unkept
        && app.claim.as_ref().is_some_and(|here| here.key != claim)
        && command.row().group == Group::Move
    {
        super::warn(app, text, now);
    }
    // A key that does nothing says why.
    if let Some(why) = hindrance.filter(|_| effects.is_empty() && app.toast.is_none()) {
        super::warn(app, why, now);
    }
    effects
}

fn carry_out(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    forget_failure(app);
    if early::waits_for_the_judge(app, command, now) {
        return Vec::new();
    }
    if let Some(why) = blind::hindrance(app, command).or_else(|| threads::hindrance(app, command)) {
        super::warn(app, why, now);
        unheard::answered(app);
        return Vec::new();
    }
    // Said before anything is chosen that could not be recorded.
    if let Some(why) = possible::released(app).filter(|_| possible::is_against_release(command)) {
        super::warn(app, why, now);
        return Vec::new();
    }
    if score::is_misfit(app, command, now) {
        return Vec::new();
    }
    if matches!(command, Command::Filter | Command::Search | Command::NextView | Command::PreviousView) {
        // Esc is theirs now.
        app.screens.from = None;
    }
    match command {
        Command::Keep => blind::keep(app, now),
        Command::Score1 | Command::Score2 | Command::Score3 | Command::Score4 | Command::Score5 => {
            match score::score_of(command) {
                Some(score) => decide(app, command, now, |app| {
                    blind::request_for_score(app, score).unwrap_or_else(|| score::request_for(app, score))
                }),
                None => Vec::new(),
            }
        }
        Command::Confirm if possible::nothing_to_confirm(app).is_some() => {
            let why = possible::nothing_to_confirm(app).unwrap_or_default();
            asked(Err(why), app, now)
        }
        Command::Confirm
            if decide::may_decide(app, command, now) && !overturn::confirms_over_own(app, now) =>
        {
            decide::ask(app, Request::Confirm)
        }
        Command::VerdictFully
        | Command::VerdictPartially
        | Command::VerdictUnsupported
        | Command::VerdictContradicted
        | Command::VerdictCannotJudge
        | Command::VerdictNotAClaim => match override_menu::verdict_of(command) {
            Some(verdict) => decide(app, command, now, |app| {
                let claim = app.claim.as_ref().and_then(|claim| Some((claim, claim.detail()?)));
                blind::request_for(app, verdict).unwrap_or_else(|| {
                    claim.map_or(Request::Confirm, |(claim, detail)| {
                        decide::request_for(claim, detail, verdict)
                    })
                })
            }),
            None => Vec::new(),
        },
        Command::Repeat => decide::repeat(app, now),
        Command::Skip => decide(app, command, now, |app| Request::Skip(!shown(app).skipped)),
        Command::Flag => match ask::not_by_flag(app) {
            Some(why) => asked(Err(why), app, now),
            None => decide(app, command, now, |app| Request::Flag(shown(app).flag.is_none())),
        },
        Command::Escalate | Command::Defer => ask::open(app, command, now),
        Command::Mark => marks::toggle(app, now),
        Command::MarkRange => {
            marks::range(app, now);
            Vec::new()
        }
        Command::ActOnMarked => {
            marks::open(app, now);
            Vec::new()
        }
        Command::SameClaim => {
            same::open(app, now);
            Vec::new()
        }
        Command::AddClaim | Command::SplitClaim | Command::MergeClaims => {
            shape::open(app, command, now);
            Vec::new()
        }
        Command::WhyHere => {
            why::open(app, now);
            Vec::new()
        }
        Command::Override => {
            if decide::may_begin(app, command, now)
                && let Some(claim) = &app.claim
                && let (Some(detail), stakes) = (claim.detail().map(Arc::clone), claim.stakes)
            {
                override_menu::open(app, &detail, stakes);
            }
            Vec::new()
        }
        Command::ChooseEvidence => {
            if decide::may_begin(app, command, now) {
                spans::open(app, now);
            }
            Vec::new()
        }
        Command::Annotate => {
            note::open(app, now);
            Vec::new()
        }
        Command::Reason => asked(reason::ask(app), app, now),
        Command::Dispose => disposition::ask(app, now),
        Command::BlockAnswer => disposition::block_now(app, now),
        Command::NextClaim => queue::move_by(app, 1, now),
        Command::PreviousClaim => queue::move_by(app, -1, now),
        Command::NextAnswer => queue::move_to_other_answer(app, true, now),
        Command::PreviousAnswer => queue::move_to_other_answer(app, false, now),
        Command::NextOpen => queue::move_to_next_open(app, now),
        Command::HistoryBack => history::go_in_history(app, true, now),
        Command::HistoryForward => history::go_in_history(app, false, now),
        Command::StayWithAnswer => answer::stay(app, now),
        Command::Threads => threads::switch(app, now),
        Command::Fold | Command::Unfold | Command::FoldAll => {
            threads::fold(app, command);
            Vec::new()
        }
        Command::NewestCritical => {
            app.queue.going = true;
            vec![Effect::FindNewestCritical]
        }
        Command::FirstClaim => queue::go_to_top(app, now),
        Command::LastClaim => queue::go_to_end(app, now),
        Command::Filter => {
            find::open(app, LineKind::Filter);
            Vec::new()
        }
        Command::Search => {
            find::open(app, LineKind::Search);
            Vec::new()
        }
        Command::ClearFilter if app.view_now() != View::Beside => view(app, app.view, now),
        Command::ClearFilter => match app.screens.from {
            Some(from) => screens::show(app, from, now),
            None => find::clear(app, now),
        },
        Command::NextView => views::go(app, 1, now),
        Command::PreviousView => views::go(app, -1, now),
        Command::SaveView => {
            views::ask_name(app, now);
            Vec::new()
        }
        Command::RemoveView => views::remove(app, now),
        Command::NextEvidence => next_evidence(app, 1, now),
        Command::PreviousEvidence => next_evidence(app, -1, now),
        Command::PageDown => page(app, 1, now),
        Command::PageUp => page(app, -1, now),
        Command::ScrollDown => {
            scroll(app, Focus::Evidence, half(app.geometry.evidence.height));
            Vec::new()
        }
        Command::ScrollUp => {
            scroll(app, Focus::Evidence, -half(app.geometry.evidence.height));
            Vec::new()
        }
        Command::SwitchPane => {
            app.focus = match app.focus {
                Focus::Evidence if app.view != View::Beside => Focus::Answer,
                Focus::Evidence => Focus::Queue,
                Focus::Queue => Focus::Answer,
                Focus::Answer => Focus::Evidence,
            };
            app.dirty = true;
            Vec::new()
        }
        Command::FocusEvidence => {
            app.focus = Focus::Evidence;
            app.dirty = true;
            Vec::new()
        }
        Command::Maximise => view(app, View::Wide, now),
        Command::Differences => view(app, View::Differences, now),
        Command::Metadata => {
            match app.claim {
                Some(_) => app.metadata = !app.metadata,
                None => super::warn(app, NO_CLAIM, now),
            }
            app.dirty = true;
            Vec::new()
        }
        Command::Exchanges => exchanges::open(app, now),
        Command::Story => story::open(app, now),
        Command::CopyClaim | Command::CopySpan | Command::CopyId | Command::CopyRecord => {
            copy::run(app, command, now)
        }
        Command::ShowCompare
        | Command::ShowSupport
        | Command::ShowDashboard
        | Command::NextScreen
        | Command::PreviousScreen => {
            screens::target(app, command).map_or_else(Vec::new, |name| screens::show(app, name, now))
        }
        Command::PauseAuditor => pause(app, now),
        Command::Palette => {
            palette::open(app, now);
            Vec::new()
        }
        Command::Help => {
            app.mode = Mode::Help { top: 0 };
            app.dirty = true;
            Vec::new()
        }
        _ => Vec::new(),
    }
}

pub(super) const NO_CLAIM: &str = "there is no claim here";

/// Gives the claim the whole window in this way, or no longer.
fn view(app: &mut App, view: View, now: Timestamp) -> Vec<Effect> {
    if app.claim.is_none() {
        super::warn(app, NO_CLAIM, now);
        return Vec::new();
    }
    app.view = if app.view == view { View::Beside } else { view };
    if app.view != View::Beside && app.focus == Focus::Queue {
        app.focus = Focus::Evidence;
    }
    app.dirty = true;
    Vec::new()
}

/// What failed was said until the next act, and that is now.
pub(super) fn forget_failure(app: &mut App) {
    if app.toast.as_ref().is_some_and(|toast| toast.until.is_none()) {
        app.toast = None;
        app.dirty = true;
    }
}

/// Where the person stands on the claim under the cursor, as it is shown.
fn shown(app: &App) -> Standing {
    app.detail().map_or_else(Standing::default, |detail| detail.standing.clone())
}

fn decide(
    app: &mut App,
    command: Command,
    now: Timestamp,
    request: impl FnOnce(&App) -> Request,
) -> Vec<Effect> {
    if !decide::may_decide(app, command, now) {
        return Vec::new();
    }
    let request = request(app);
    let claim = app.claim.as_ref().map(|claim| claim.key);
    if let (Some(claim), Request::Override(ruling)) = (claim, &request)
        && opposite::tells(app, claim, ruling, command, now)
    {
        return Vec::new();
    }
    if overturn::gives_up(app, &request, command, now) {
        return Vec::new();
    }
    decide::ask(app, request)
}

fn asked(result: Result<(), String>, app: &mut App, now: Timestamp) -> Vec<Effect> {
    if let Err(why) = result {
        super::warn(app, why, now);
    }
    Vec::new()
}

/// From one piece of evidence to the next, round and round.
fn next_evidence(app: &mut App, by: isize, now: Timestamp) -> Vec<Effect> {
    let Some(claim) = &mut app.claim else { return Vec::new() };
    let count = claim.stops.len();
    if count == 0 {
        super::tell(app, "the record has no evidence", now);
        return Vec::new();
    }
    claim.stop = (claim.stop + count).saturating_add_signed(by) % count;
    claim.evidence = Scroll::Auto;
    app.dirty = true;
    Vec::new()
}

fn page(app: &mut App, direction: i32, now: Timestamp) -> Vec<Effect> {
    match app.focus {
        Focus::Queue => {
            let rows = i32::from(app.geometry.queue.height.max(2)) - 1;
            queue::move_by(app, (rows * direction) as isize, now)
        }
        Focus::Answer => {
            scroll(app, Focus::Answer, direction * whole(app.geometry.answer.height));
            Vec::new()
        }
        Focus::Evidence => {
            scroll(app, Focus::Evidence, direction * whole(app.geometry.evidence.height));
            Vec::new()
        }
    }
}

/// A page less one line, so that the eye finds its place.
fn whole(height: u16) -> i32 {
    i32::from(height.max(2)) - 1
}

fn half(height: u16) -> i32 {
    i32::from(height.max(2)) / 2
}

pub(super) fn scroll(app: &mut App, pane: Focus, lines: i32) {
    let scrolled = screen::scrolled(app, pane, lines.into());
    let Some(claim) = &mut app.claim else { return };
    let place = if pane == Focus::Answer { &mut claim.answer } else { &mut claim.evidence };
    if *place != scrolled {
        *place = scrolled;
        app.dirty = true;
    }
}

fn pause(app: &mut App, now: Timestamp) -> Vec<Effect> {
    match app.auditor {
        Auditor::Absent => {
            super::warn(app, "no auditor runs in this window", now);
            Vec::new()
        }
        Auditor::Running | Auditor::Failed(_) => vec![Effect::PauseAuditor(true)],
        Auditor::Paused | Auditor::Halted(_) => vec![Effect::PauseAuditor(false)],
    }
}
