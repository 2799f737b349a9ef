//! Filter and search: the line in which they are typed, applying, clearing, counting.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Style;
use tui_textarea::{CursorMove, TextArea};

use crate::domain::filter::{Filter, FilterError, MAX_QUERY, Pattern, Term, Test};
use crate::domain::time::Timestamp;
use crate::text::sanitize::without_unseen;
use crate::tui::app::{App, Mode};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;
use crate::tui::found::{Beside, FilterLine, Found, LineKind};
use crate::tui::message::QueueWindow;
use crate::tui::theme::Role;

use super::{in_view, queue, same, views};

/// Opens the line with what is in force.
pub(super) fn open(app: &mut App, kind: LineKind) {
    let text = app.found.as_ref().map_or_else(String::new, |found| match kind {
        // What is typed next is a word of its own.
        LineKind::Filter => format!("{} ", found.filter).trim_start().to_owned(),
        LineKind::Search => found.filter.search(),
        LineKind::View => String::new(),
    });
    let mut area = line_area(&text);
    if !text.is_empty() {
        // Typing begins anew; an arrow key, Home or End goes on with what stands there.
        area.set_selection_style(app.settings.theme.style(Role::Selected));
        area.select_all();
    }
    let line = FilterLine { kind, text: area, error: None, back: 0, typed: String::new() };
    app.mode = Mode::Line(Box::new(line));
    app.toast = None;
    app.dirty = true;
}

/// One line of text with the caret behind it.
pub(super) fn line_area(text: &str) -> TextArea<'static> {
    let mut area = TextArea::new(vec![text.to_owned()]);
    area.set_cursor_line_style(Style::default());
    area.move_cursor(CursorMove::End);
    area
}

pub(super) fn run(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    let Mode::Line(line) = &mut app.mode else { return Vec::new() };
    app.dirty = true;
    match command {
        Command::Earlier | Command::Later => {
            let known = app.history.of(line.kind);
            let back = if command == Command::Earlier { line.back + 1 } else { line.back.saturating_sub(1) };
            if back > known.len() || back == line.back {
                return Vec::new();
            }
            if line.back == 0 {
                line.typed = line.content();
            }
            line.back = back;
            let text = if back == 0 { line.typed.as_str() } else { known[known.len() - back].as_str() };
            line.text = line_area(text);
            line.error = wrong(line.kind, text);
            Vec::new()
        }
        Command::ApplyLine => apply(app, now),
        _ => {
            // What was typed can be had again.
            app.history.remember(line.kind, &line.content());
            super::close(app);
            Vec::new()
        }
    }
}

fn wrong(kind: LineKind, text: &str) -> Option<FilterError> {
    match kind {
        LineKind::Filter => text.parse::<Filter>().err(),
        LineKind::Search | LineKind::View => None,
    }
}

fn apply(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let Mode::Line(line) = &mut app.mode else { return Vec::new() };
    let text = line.content();
    let filter = match line.kind {
        LineKind::Filter => match text.parse::<Filter>() {
            Ok(filter) => filter,
            Err(error) => {
                line.error = Some(error);
                return Vec::new();
            }
        },
        LineKind::Search => {
            let present = app.found.as_ref().map(|found| found.filter.clone()).unwrap_or_default();
            present.searching(Filter::of_words(&text))
        }
        LineKind::View => return views::save(app, &text, now),
    };
    app.history.remember(line.kind, &text);
    super::close(app);
    if app.found.as_ref().map_or(filter.is_empty(), |found| found.filter == filter) {
        return Vec::new();
    }
    if filter.is_empty() {
        return clear(app, now);
    }
    app.found = Some(Found::new(filter));
    queue::load(app)
}

/// What is marked is no longer; else the whole queue is shown again, around the same claim.
pub(super) fn clear(app: &mut App, now: Timestamp) -> Vec<Effect> {
    if !app.marks.is_empty() {
        app.marks.clear();
        super::tell(app, "the marks are off", now);
        return Vec::new();
    }
    if app.found.take().is_none() {
        let key = app.settings.keymap.label(Command::Help, Place::Review);
        super::tell(app, format!("no filter is set · {key} shows the keys"), now);
        return Vec::new();
    }
    app.news.outside = 0;
    app.dirty = true;
    queue::load(app)
}

/// A key of the text itself.
pub(super) fn input(app: &mut App, event: KeyEvent, now: Timestamp) {
    let Mode::Line(line) = &mut app.mode else { return };
    edit(&mut line.text, event);
    if line.text.lines().len() > 1 {
        line.text = line_area(&line.content());
    }
    changed(app, now);
}

/// A key in a line of text: Ctrl-U clears it, as at a shell's prompt.
pub(super) fn edit(text: &mut TextArea<'_>, event: KeyEvent) {
    let is_move = matches!(event.code, KeyCode::Left | KeyCode::Right | KeyCode::Home | KeyCode::End);
    if is_move && !event.modifiers.contains(KeyModifiers::SHIFT) {
        text.cancel_selection();
    }
    if event.code == KeyCode::Char('u') && event.modifiers == KeyModifiers::CONTROL {
        text.move_cursor(CursorMove::End);
        text.delete_line_by_head();
    } else {
        text.input(event);
    }
}

/// Text from outside as it may stand in a line, and how many unseen characters were left out.
pub(super) fn clean_line(text: &str) -> (String, usize) {
    without_unseen(&text.replace("\r\n", " ").replace(['\r', '\n', '\t'], " "))
}

/// Text from the clipboard goes where the caret is, as one line.
pub(super) fn paste(app: &mut App, text: &str, now: Timestamp) {
    let Mode::Line(line) = &mut app.mode else { return };
    let (clean, dropped) = clean_line(text);
    line.text.insert_str(clean);
    if dropped > 0 {
        super::warn(app, format!("{dropped} unseen characters of the text were left out"), now);
    }
    changed(app, now);
}

fn changed(app: &mut App, now: Timestamp) {
    let Mode::Line(line) = &mut app.mode else { return };
    let mut text = line.content();
    if text.len() > MAX_QUERY {
        text.truncate(text.floor_char_boundary(MAX_QUERY));
        line.text = line_area(&text);
        super::warn(app, format!("a filter has at most {MAX_QUERY} bytes: the rest was left out"), now);
    }
    let Mode::Line(line) = &mut app.mode else { return };
    line.error = wrong(line.kind, &text);
    line.back = 0;
    app.dirty = true;
}

/// The rows of the filter are there. Whether the claim in hand is not among the rows of a new filter.
pub(super) fn window_came(app: &mut App, window: &QueueWindow) -> bool {
    let key = app.claim.as_ref().map(|claim| claim.key);
    (app.news.outside, app.news.repeats) = (window.outside, window.repeats.into());
    let Some(found) = &mut app.found else { return false };
    let was_new = std::mem::take(&mut found.is_new);
    if was_new {
        // What was in view before may be another list: a key that was meant for this one has seen it.
        in_view::look_anew(app);
    }
    let mut rows = window.before.iter().chain(&window.from);
    was_new && key.is_some_and(|key| rows.all(|row| row.key != key))
}

/// Counts what depends on the file anew where it changed; where a new filter found nothing, also what would fit beside it.
pub(super) fn count_again(app: &mut App, version: i64, was_new: bool) -> Vec<Effect> {
    let mut effects: Vec<Effect> = count(app, Some(version)).into_iter().collect();
    effects.extend(same::changed(app, version));
    if was_new && app.queue.rows.is_empty() {
        effects.extend(look_beside(app));
    }
    effects
}

/// Whether a claim itself says what is searched for; others are found by their answer or what was noted on them.
pub(super) fn is_named(app: &App, claim_text: &str) -> bool {
    let Some(found) = &app.found else { return false };
    let (search, text) = (found.filter.search().to_lowercase(), claim_text.to_lowercase());
    let mut words = search.split(|c: char| c.is_whitespace() || c == '"').filter(|word| !word.is_empty());
    !search.is_empty() && words.all(|word| text.contains(word))
}

/// Asks how many claims the words of the filter would find as the id of an answer, and how many fit that are not open.
fn look_beside(app: &mut App) -> Option<Effect> {
    let run = app.run + 1;
    let found = app.found.as_mut()?;
    let words = found.filter.search();
    // Who names the field as in a filter means the same.
    let id = words.trim().trim_start_matches('"').trim_start_matches("id:").trim();
    if id.is_empty() {
        return None;
    }
    app.run = run;
    let is_id = Term::is(Test::Audit(Pattern::beginning(id.trim_matches('"'))));
    let by_id = Filter::of_terms(vec![is_id]).and(Filter::everywhere());
    let anywhere = found.filter.clone().and(Filter::everywhere());
    found.beside = Some(Beside { run, by_id: by_id.clone(), counts: None });
    Some(Effect::CountBeside { run, by_id, anywhere })
}

/// How many claims there are beside those that fit.
pub(super) fn beside_counted(app: &mut App, run: u64, result: Result<(u64, u64), String>) {
    let beside = app.found.as_mut().and_then(|found| found.beside.as_mut());
    let Some(beside) = beside.filter(|beside| beside.run == run) else { return };
    // What cannot be counted is not told.
    beside.counts = result.ok();
    app.dirty = true;
}

/// Counts anew when the file changed since; one count at a time.
pub(super) fn count(app: &mut App, version: Option<i64>) -> Option<Effect> {
    let run = app.run + 1;
    let found = app.found.as_mut()?;
    if found.counting.is_some()
        || (found.version == version && (found.count.is_some() || found.error.is_some()))
    {
        return None;
    }
    app.run = run;
    found.counting = Some(run);
    found.version = version;
    Some(Effect::CountFound { run, filter: found.filter.clone() })
}

/// How many claims fit.
pub(super) fn counted(app: &mut App, run: u64, result: Result<u64, String>) {
    let Some(found) = app.found.as_mut().filter(|found| found.counting == Some(run)) else { return };
    found.counting = None;
    match result {
        Ok(count) => (found.count, found.error) = (Some(count), None),
        Err(why) => (found.count, found.error) = (None, Some(why)),
    }
    app.dirty = true;
}

/// Whether a reading under the filter is under way, which another one would stop.
pub(super) fn is_finding(app: &App) -> bool {
    app.found.is_some() && app.queue.asked.is_some()
}
