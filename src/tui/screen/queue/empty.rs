//! What to say when there is no claim to show: why, and what to do.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::filter::{Filter, JUDGE_NOT_BOT, Review, Test};
use crate::domain::until;
use crate::tui::app::{App, Auditor, EmptyReason, QueueState, ToastKind};
use crate::tui::command::{Command, Place};
use crate::tui::found::Found;
use crate::tui::theme::Role;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::passage::{Mark, Passage, Scroll};
use crate::tui::widget::phrase::Phrase;

/// A line of the message: words that wrap, or a command to type.
enum Line {
    Title(Role, &'static str),
    Words(String),
    Type(&'static str),
    Gap,
}

pub(super) fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let mut panel = Panel { top_left: Phrase::new().say(Role::Title, "Queue"), ..Panel::default() };
    if let Some(toast) = &app.toast {
        let role = match toast.kind {
            ToastKind::Info => Role::Ok,
            ToastKind::Warning => Role::Warning,
            ToastKind::Error => Role::Error,
        };
        // What has to be read to its end has a box of its own where it is longer.
        let boxed = super::to_be_read(app).filter(|_| !super::fits_edge(&toast.text, area.width));
        let said = || Phrase::new().say(role, super::list::one_line(&toast.text));
        panel.bottom_left = boxed.unwrap_or_else(said);
    }
    // What came is news, whether the filter shows it or not.
    panel.top_right = super::list::news(app);
    panel.bottom_right = super::claim::saved_beside(app, &panel.bottom_left, area.width);
    let inside = panel.draw(area, buf, theme);
    let width = inside.width.min(76);
    let lines = lines(app);
    let heights: Vec<u16> = lines
        .iter()
        .map(|line| match line {
            Line::Words(words) => Passage::new(words, &[], theme, width).height(inside.height),
            _ => 1,
        })
        .collect();
    let total: u16 = heights.iter().sum();
    let mut y = inside.y + inside.height.saturating_sub(total) / 3;
    let x = inside.x + (inside.width - width) / 2;
    for (line, height) in lines.iter().zip(heights) {
        let height = height.min(inside.bottom().saturating_sub(y));
        let room = Rect { x, y, width, height };
        match line {
            Line::Title(role, words) => {
                Phrase::new().say(*role, *words).draw(room, buf, theme);
            }
            Line::Words(words) => {
                let marks = [Mark::new(0..words.len(), Role::Text)];
                Passage::new(words, &marks, theme, width).draw(None, Scroll::Auto, room, buf);
            }
            Line::Type(command) => {
                Phrase::new().say(Role::Text, "  ").say(Role::Key, *command).draw(room, buf, theme);
            }
            Line::Gap => {}
        }
        y += height;
    }
}

fn lines(app: &App) -> Vec<Line> {
    let key = |command| app.settings.keymap.label(command, Place::Review);
    let quit = Line::Words(format!("{} quits, {} shows all keys.", key(Command::Quit), key(Command::Help)));
    match &app.queue.state {
        QueueState::Loading | QueueState::Ready if app.found.is_some() => {
            vec![Line::Title(Role::Muted, "Looking for claims that fit…")]
        }
        QueueState::Loading | QueueState::Ready => vec![Line::Title(Role::Muted, "Opening the queue…")],
        QueueState::Error(reason) => vec![
            Line::Title(Role::Error, "The queue could not be read."),
            Line::Gap,
            Line::Words(reason.clone()),
            Line::Gap,
            Line::Words(
                "Nothing that was shown as saved is lost. This window tries again by itself; see also:"
                    .into(),
            ),
            Line::Type("juror verify"),
            Line::Type("juror doctor"),
            Line::Gap,
            quit,
        ],
        QueueState::Empty(EmptyReason::StoreEmpty) => vec![
            Line::Title(Role::Title, "Nothing to review yet: the store is empty."),
            Line::Gap,
            Line::Words(
                "Bring in answers with their evidence from another terminal; they appear here by themselves:"
                    .into(),
            ),
            Line::Type("juror import answers.jsonl"),
            Line::Gap,
            Line::Words("Or look around first, with sample data in a store that is thrown away:".into()),
            Line::Type("juror demo"),
            Line::Gap,
            quit,
        ],
        QueueState::Empty(EmptyReason::NothingFits) => nothing_fits(app),
        QueueState::Empty(EmptyReason::Deferred { count, back_at }) => vec![
            Line::Title(Role::Ok, "✓ Nothing is left but what you deferred."),
            Line::Gap,
            Line::Words(format!(
                "{count} deferred, the first until {}. It comes back by itself. {} shows it now{}.",
                until::shown(*back_at, &app.settings.zone),
                key(Command::Defer),
                // A filter would tell what is hidden.
                match app.settings.blind {
                    Some(_) => String::new(),
                    None => format!(", {} deferred:* all of them", key(Command::Filter)),
                }
            )),
            Line::Gap,
            quit,
        ],
        QueueState::Empty(EmptyReason::JudgedByOthers) => vec![
            Line::Title(Role::Ok, "✓ Nothing is left for you to judge blind."),
            Line::Gap,
            Line::Words(
                "As many others have judged each claim as review.overlap asks for. More of them, or new claims, appear \
                 here by themselves. To settle what people disagree on:"
                    .into(),
            ),
            Line::Type("juror review --open"),
            Line::Gap,
            quit,
        ],
        QueueState::Empty(EmptyReason::AllDone { mine }) if app.answers_waiting > 0 => vec![
            Line::Title(Role::Warning, "No claim is open; answers wait for their disposition."),
            Line::Gap,
            Line::Words(format!(
                "{} to go: {} shows the one that waits longest with its rulings, to be released, returned or blocked. \
                 {mine} decisions are yours.",
                app.answers_waiting,
                key(Command::Dispose)
            )),
            Line::Gap,
            unasked(app),
            Line::Gap,
            Line::Words("A golden set needs none of that. Take the decisions along:".into()),
            Line::Type("juror export --what claims"),
            Line::Gap,
            quit,
        ],
        QueueState::Empty(EmptyReason::AllDone { mine }) if app.settings.blind.is_some() => vec![
            Line::Title(Role::Ok, "✓ All done."),
            Line::Gap,
            Line::Words(format!(
                "You have judged every claim that was yours to judge blind ({mine}). New ones appear here as they are \
                 found. How far people agree, and what is left to settle by somebody who did not judge it:"
            )),
            Line::Gap,
            Line::Type("juror agreement --open"),
            Line::Type("juror review --open"),
            Line::Gap,
            Line::Words(format!(
                "{} takes back your latest verdict. {} quits.",
                key(Command::Undo),
                key(Command::Quit)
            )),
        ],
        QueueState::Empty(EmptyReason::AllDone { mine }) => vec![
            Line::Title(Role::Ok, "✓ All done."),
            Line::Gap,
            Line::Words(match app.counts.set_aside {
                0 => format!(
                    "Every claim that needed a person is decided ({mine} by you). New ones appear here as they are found."
                ),
                some => format!(
                    "Every claim that needs a person is decided ({mine} by you), but for {some} in blocked answers: \
                     {} is:blocked lists them. New ones appear here as they are found.",
                    key(Command::Filter)
                ),
            }),
            Line::Gap,
            unasked(app),
            Line::Gap,
            Line::Words("Take the decisions along, or check that the record is whole:".into()),
            Line::Type("juror export --what decisions"),
            Line::Type("juror verify"),
            Line::Gap,
            Line::Words(format!(
                "{} takes back your latest decision. {} quits.",
                key(Command::Undo),
                key(Command::Quit)
            )),
        ],
        QueueState::Empty(EmptyReason::NotYetAudited { waiting, auditing }) => {
            let key = key(Command::PauseAuditor);
            let (title, words) = match &app.auditor {
                Auditor::Running => (Line::Title(Role::Title, "Audits are under way."), Vec::new()),
                Auditor::Paused => (
                    Line::Title(Role::Warning, "The auditor is paused."),
                    vec![Line::Words(format!("{key} lets it go on.")), Line::Gap],
                ),
                Auditor::Absent => (
                    Line::Title(Role::Title, "Records wait for their audit."),
                    vec![
                        Line::Words("No auditor runs in this window. In another terminal:".into()),
                        Line::Type("juror audit --watch"),
                        Line::Gap,
                    ],
                ),
                Auditor::Halted(reason) => (
                    Line::Title(Role::Error, "Nothing can be audited."),
                    vec![
                        Line::Words(reason.clone()),
                        Line::Words(format!("When that is mended, {key} tries again.")),
                        Line::Gap,
                    ],
                ),
                Auditor::Failed(reason) => (
                    Line::Title(Role::Error, "The auditor stopped."),
                    vec![Line::Words(reason.clone()), Line::Gap],
                ),
            };
            let mut lines = vec![title, Line::Gap];
            lines.extend(words);
            lines.extend([
                Line::Words(format!("{auditing} being audited, {waiting} waiting.")),
                Line::Words(
                    "Claims that need a person appear here as they are found, the dangerous ones first."
                        .into(),
                ),
                Line::Gap,
                quit,
            ]);
            lines
        }
        QueueState::Empty(EmptyReason::NothingRouted { audited }) => vec![
            Line::Title(Role::Ok, "✓ Nothing needs a person."),
            Line::Gap,
            Line::Words(format!(
                "{audited} records were audited and no claim of them goes to people. See every claim with its verdict:"
            )),
            Line::Type("juror export --what claims"),
            Line::Gap,
            quit,
        ],
    }
}

/// How to see what stands on the judge's word: counting it would read every claim.
fn unasked(app: &App) -> Line {
    // A filter would tell what is hidden.
    if app.settings.blind.is_some() {
        return Line::Gap;
    }
    let key = app.settings.keymap.label(Command::Filter, Place::Review);
    Line::Words(format!(
        "{key} is:unrouted lists claims that nobody was asked about: they stand on the judge's word alone."
    ))
}

/// What a search would have found as the id of an answer, or among claims that are not open.
fn beside(app: &App, found: &Found) -> Vec<Line> {
    let Some((beside, (ids, fitting))) =
        found.beside.as_ref().and_then(|beside| Some((beside, beside.counts?)))
    else {
        return Vec::new();
    };
    let key = app.settings.keymap.label(Command::Filter, Place::Review);
    let claims = |count: u64| if count == 1 { "1 claim".to_owned() } else { format!("{count} claims") };
    let mut lines = Vec::new();
    if ids > 0 {
        lines.push(Line::Words(format!(
            "{} of an answer with this id: {key} {} finds them.",
            claims(ids),
            beside.by_id
        )));
    }
    if fitting > 0 {
        lines.push(Line::Words(format!(
            "{} that {} not open, decided or not routed: {key} {} is:any looks there too.",
            claims(fitting),
            if fitting == 1 { "fits is" } else { "fit are" },
            found.filter
        )));
    }
    if !lines.is_empty() {
        lines.push(Line::Gap);
    }
    lines
}

/// What was searched for as a word is a term of a filter: how that is asked for. Ids have a line of their own.
fn meant_as_filter(app: &App, found: &Found) -> Vec<Line> {
    let words = found.filter.search();
    let is_term = |meant: Filter| {
        meant.terms().iter().any(|term| !matches!(term.test, Test::Words(_) | Test::Audit(_)))
    };
    if !words.parse::<Filter>().is_ok_and(is_term) {
        return Vec::new();
    }
    let key = app.settings.keymap.label(Command::Filter, Place::Review);
    let said = format!("A search takes every word as it stands. As a filter: {key} {words}");
    vec![Line::Words(said), Line::Gap]
}

/// No claim fits the filter: what it says, how much is outside, how to get out.
fn nothing_fits(app: &App) -> Vec<Line> {
    let key = |command| app.settings.keymap.label(command, Place::Review);
    let mut lines = vec![Line::Title(Role::Warning, "No claim fits the filter."), Line::Gap];
    if let Some(found) = &app.found {
        lines.push(Line::Words(found.filter.to_string()));
        lines.push(Line::Gap);
        lines.extend(meant_as_filter(app, found));
        lines.extend(beside(app, found));
        // Whoever asks for the bot must not read that it makes no wrong claims.
        if found.filter.terms().iter().any(|term| matches!(term.test, Test::Model(_) | Test::Prompt(_))) {
            lines.extend([Line::Words(format!("{JUDGE_NOT_BOT}.")), Line::Gap]);
        }
        let looked_at = if found.filter.reviews() == [Review::Open] {
            "Only open claims were looked at: is:any looks at decided, blocked and unrouted ones too."
        } else {
            "New claims that fit appear here as they are found."
        };
        lines.push(Line::Words(format!("{} open claims are in the queue. {looked_at}", app.counts.open)));
        lines.push(Line::Gap);
    }
    lines.push(Line::Words(format!(
        "{} clears the filter, {} changes it, {} changes its words.",
        key(Command::ClearFilter),
        key(Command::Filter),
        key(Command::Search)
    )));
    lines
}
