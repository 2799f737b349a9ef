//! The log of exchanges while it lies over the queue. Nothing is decided there.

use std::sync::Arc;

use crate::domain::time::Timestamp;
use crate::tui::app::{App, Mode};
use crate::tui::command::{Command, Group, Place};
use crate::tui::effect::Effect;
use crate::tui::exchanges::{Entry, ExchangeLog, Reading, Reply};
use crate::tui::keymap::{Key, Meaning};
use crate::tui::screen;
use crate::tui::widget::passage::Scroll;

/// Opens the log of the claim under the cursor.
pub(super) fn open(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let Some(claim) = app.claim.as_ref().map(|claim| claim.key) else {
        super::warn(app, "there is no claim here", now);
        return Vec::new();
    };
    app.run += 1;
    let detail = app.detail().map(Arc::clone);
    let row = app.queue.rows.iter().find(|row| row.key == claim);
    let id = detail.as_ref().map(|detail| &detail.id).or(row.map(|row| &row.id)).cloned();
    let log = ExchangeLog::new(claim, id, detail.as_deref(), app.run);
    let effect = Effect::LoadExchanges { run: app.run, claim, sought: Arc::clone(&log.sought) };
    app.mode = Mode::Exchanges(Box::new(log));
    app.dirty = true;
    vec![effect]
}

fn log(app: &mut App) -> Option<&mut ExchangeLog> {
    match &mut app.mode {
        Mode::Exchanges(log) => Some(log),
        _ => None,
    }
}

/// The list is there: the exchange that matters most is chosen, and its reply asked for.
pub(super) fn entries_came(app: &mut App, run: u64, result: Result<Vec<Entry>, String>) -> Vec<Effect> {
    let Some(log) = log(app).filter(|log| log.asked == run) else { return Vec::new() };
    match result {
        Ok(entries) => {
            log.entries = Reading::Ready(entries);
            choose(app, ExchangeLog::first_choice)
        }
        Err(why) => {
            log.entries = Reading::Error(why);
            app.dirty = true;
            Vec::new()
        }
    }
}

pub(super) fn reply_came(app: &mut App, run: u64, result: Result<Arc<Reply>, String>) {
    if let Some(log) = log(app).filter(|log| log.reply_asked == run) {
        log.reply = result.map_or_else(Reading::Error, Reading::Ready);
        app.dirty = true;
    }
}

pub(super) fn run(app: &mut App, command: Command) -> Vec<Effect> {
    let page = i64::from(app.geometry.exchange.height.max(2)) - 1;
    match command {
        Command::Down => scroll(app, 1),
        Command::Up => scroll(app, -1),
        Command::PageDown => scroll(app, page),
        Command::PageUp => scroll(app, -page),
        Command::FirstLine => scroll_to(app, |_| 0),
        Command::LastLine => scroll_to(app, |length| length),
        Command::NextExchange => return choose(app, |log| log.chosen + 1),
        Command::PreviousExchange => return choose(app, |log| log.chosen.saturating_sub(1)),
        Command::SwitchView => {
            if let Some(log) = log(app) {
                log.view = log.next_view();
                log.scroll = Scroll::Auto;
                app.dirty = true;
            }
        }
        _ => {
            super::close(app);
        }
    }
    Vec::new()
}

/// A key without a meaning here. One that decides in the review is told so, that nobody believes it did.
pub(super) fn other_key(app: &mut App, key: Key, now: Timestamp) {
    let keymap = &app.settings.keymap;
    let decides = match keymap.meaning(Place::Review, &[key]) {
        Meaning::Command(command) => command.row().group == Group::Decide,
        Meaning::Unfinished | Meaning::Nothing => false,
    };
    if decides {
        let closes = keymap.label(Command::Cancel, app.place());
        super::warn(app, format!("nothing is decided here: {closes} goes back to the claim"), now);
    }
}

/// Chooses an exchange and asks for its reply.
fn choose(app: &mut App, which: impl FnOnce(&ExchangeLog) -> usize) -> Vec<Effect> {
    let run = app.run + 1;
    let Some(log) = log(app) else { return Vec::new() };
    let chosen = which(log).min(log.entries().len().saturating_sub(1));
    if chosen == log.chosen && log.reply_asked > 0 {
        return Vec::new();
    }
    log.chosen = chosen;
    log.scroll = Scroll::Auto;
    log.reply_asked = run;
    log.reply = Reading::Loading;
    let effect = match log.entry() {
        Some(Entry::Kept(logged)) => {
            Some(Effect::LoadReply { run, exchange: logged.key, sought: Arc::clone(&log.sought) })
        }
        Some(Entry::Damaged(why)) => {
            log.reply = Reading::Error(why.clone());
            None
        }
        None => None,
    };
    app.run = run;
    app.dirty = true;
    effect.into_iter().collect()
}

fn scroll(app: &mut App, lines: i64) {
    let scrolled = screen::exchanges::scrolled(app, lines);
    if let Some(log) = log(app).filter(|log| log.scroll != scrolled) {
        log.scroll = scrolled;
        app.dirty = true;
    }
}

/// To a byte of the text, which is told its length.
fn scroll_to(app: &mut App, place: impl FnOnce(usize) -> usize) {
    if let Some(log) = log(app)
        && let Some(length) = log.text().map(|marked| marked.text.len())
    {
        log.scroll = Scroll::From(place(length));
        app.dirty = true;
    }
}
