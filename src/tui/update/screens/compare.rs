//! The *Compare* screen.

use std::sync::Arc;

use crate::domain::time::Timestamp;
use crate::tui::app::App;
use crate::tui::command::Command;
use crate::tui::effect::Effect;
use crate::tui::exchanges::Reading;
use crate::tui::screen;
use crate::tui::screens::compare::{Known, NewClaim, Pane, Question, Reply, Sent};

use super::go_to_claim;

pub(super) fn question(app: &App) -> Question {
    let compare = &app.screens.compare;
    let known = compare.told.ready().map(|told| Known(Arc::clone(told)));
    Question { chosen: compare.chosen.clone(), known }
}

pub(super) fn came(app: &mut App, reply: Reply) {
    let compare = &mut app.screens.compare;
    let before = compare.chosen.take();
    let is_there = |name: &String| reply.kept.iter().any(|kept| kept.name == *name);
    compare.chosen = before.clone().filter(is_there).or(reply.kept.first().map(|kept| kept.name.clone()));
    if compare.chosen != before {
        begin(app);
    }
    let compare = &mut app.screens.compare;
    compare.kept = Reading::Ready(reply.kept);
    match reply.told {
        Some(Ok(told)) => {
            let last = told.claims.len().saturating_sub(1);
            if compare.claim > last {
                (compare.claim, compare.claim_top) = (last, 0);
            }
            compare.told = Reading::Ready(told);
        }
        Some(Err(why)) => {
            compare.pane = Pane::Comparisons;
            compare.told = Reading::Error(why);
        }
        None => compare.told = Reading::Loading,
    }
}

/// What was read before stays on the screen: it was true a moment ago.
pub(super) fn failed(app: &mut App, why: String) {
    match app.screens.compare.kept {
        Reading::Ready(_) => super::super::fail(app, why),
        _ => app.screens.compare.kept = Reading::Error(why),
    }
}

/// Another comparison is in hand.
fn begin(app: &mut App) {
    let compare = &mut app.screens.compare;
    compare.told = Reading::Loading;
    compare.pane = Pane::Comparisons;
    (compare.top, compare.claim, compare.claim_top) = (0, 0, 0);
}

pub(super) fn run(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    let effects = match (app.screens.compare.pane, command) {
        (_, Command::SwitchPane) => {
            let other = match app.screens.compare.pane {
                Pane::Comparisons => Pane::Claims,
                Pane::Claims => Pane::Comparisons,
            };
            open(app, other, now);
            Vec::new()
        }
        (Pane::Comparisons, Command::Open) => {
            open(app, Pane::Claims, now);
            Vec::new()
        }
        (Pane::Claims, Command::Open) => return review(app, now),
        (Pane::Claims, Command::PageDown) => scroll_claim(app, 1),
        (Pane::Claims, Command::PageUp) => scroll_claim(app, -1),
        (Pane::Claims, _) => {
            let compare = &mut app.screens.compare;
            let line = moved(compare.claim, compare.claims().len(), 1, command);
            if compare.claim != line {
                (compare.claim, compare.claim_top) = (line, 0);
            }
            Vec::new()
        }
        (Pane::Comparisons, Command::PageDown) => scroll(app, 1),
        (Pane::Comparisons, Command::PageUp) => scroll(app, -1),
        (Pane::Comparisons, _) => {
            let compare = &app.screens.compare;
            let line = moved(compare.line(), compare.kept().len(), 1, command);
            return choose(app, line, now);
        }
    };
    app.dirty = true;
    effects
}

/// Whether Esc stays on this screen: from the claims it goes back to the comparisons.
pub(super) fn closes_pane(app: &mut App) -> bool {
    let compare = &mut app.screens.compare;
    std::mem::take(&mut compare.pane) == Pane::Claims
}

/// The line that `command` goes to, of so many.
fn moved(line: usize, count: usize, page: usize, command: Command) -> usize {
    let page = page.max(2) - 1;
    let line = match command {
        Command::Down => line + 1,
        Command::Up => line.saturating_sub(1),
        Command::PageDown => line + page,
        Command::PageUp => line.saturating_sub(page),
        Command::FirstLine => 0,
        Command::LastLine => count,
        _ => line,
    };
    line.min(count.saturating_sub(1))
}

/// Takes the comparison on that line in hand, and asks for its report.
fn choose(app: &mut App, line: usize, now: Timestamp) -> Vec<Effect> {
    let compare = &mut app.screens.compare;
    let chosen = compare.kept().get(line).map(|kept| kept.name.clone());
    if compare.chosen == chosen {
        return Vec::new();
    }
    compare.chosen = chosen;
    begin(app);
    app.dirty = true;
    super::ask(app, now)
}

fn scroll(app: &mut App, pages: isize) -> Vec<Effect> {
    app.screens.compare.top = scrolled(app.screens.compare.top, pages, screen::compare::report_size(app));
    Vec::new()
}

/// Through what is told of the claim in hand.
fn scroll_claim(app: &mut App, pages: isize) -> Vec<Effect> {
    let size = screen::compare::claim_size(app);
    app.screens.compare.claim_top = scrolled(app.screens.compare.claim_top, pages, size);
    Vec::new()
}

/// Where `top` comes to by so many pages, of which one line stays in view.
fn scrolled(top: usize, pages: isize, (height, lines): (usize, usize)) -> usize {
    let by = (height.max(2) - 1) as isize * pages;
    top.saturating_add_signed(by).min(lines.saturating_sub(height))
}

fn open(app: &mut App, pane: Pane, now: Timestamp) {
    match nothing_to_open(app, pane) {
        Some(why) => super::super::warn(app, why, now),
        None => app.screens.compare.pane = pane,
    }
}

fn nothing_to_open(app: &App, pane: Pane) -> Option<String> {
    let compare = &app.screens.compare;
    if compare.kept().is_empty() {
        return Some("no comparison is kept here".to_owned());
    }
    (pane == Pane::Claims && compare.claims().is_empty()).then(|| match &compare.told {
        Reading::Ready(_) => "no claim of the candidate is newly wrong".to_owned(),
        Reading::Loading => "the report is still being read".to_owned(),
        Reading::Error(_) => "the report cannot be read".to_owned(),
    })
}

/// Goes to the claim in hand where it stands in the queue.
fn review(app: &mut App, now: Timestamp) -> Vec<Effect> {
    match sent(app) {
        Ok(Sent { key, .. }) => {
            let key = *key;
            go_to_claim(app, key, now)
        }
        Err(why) => {
            super::super::warn(app, why, now);
            Vec::new()
        }
    }
}

const NOT_SENT: &str =
    "this claim was not sent to the queue: only what is HIGH or CRITICAL is, or of an item with such a risk";

fn sent(app: &App) -> Result<&Sent, &'static str> {
    let compare = &app.screens.compare;
    let claim: &NewClaim = compare.claims().get(compare.claim).ok_or("there is no claim here")?;
    claim.sent.as_ref().ok_or(NOT_SENT)
}

pub(super) fn hindrance(app: &App, command: Command) -> Option<String> {
    let compare = &app.screens.compare;
    match (compare.pane, command) {
        (Pane::Comparisons, Command::Open | Command::SwitchPane) => nothing_to_open(app, Pane::Claims),
        (Pane::Claims, Command::Open) => sent(app).err().map(str::to_owned),
        (_, command) if super::moves(command) => {
            compare.kept().is_empty().then(|| "the list is empty".to_owned())
        }
        _ => None,
    }
}
