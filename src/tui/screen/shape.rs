//! The screen on which a person makes claims: where they come from above, what they become below.
//!
//! It lies over queue and claim, so that the whole answer can be read.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::queue::{both_ends, facts, one_line, text_goes_on, words_in};
use super::{Areas, inside};
use crate::domain::span::Span;
use crate::tui::app::{App, Mode, ToastKind};
use crate::tui::command::Command;
use crate::tui::shape::{Cut, ShapeEditor, Work};
use crate::tui::theme::Role;
use crate::tui::widget::panel::{self, Panel};
use crate::tui::widget::passage::{Mark, Passage, Scroll};
use crate::tui::widget::phrase::Phrase;
use crate::tui::widget::text_box;

/// Wider lines are hard to read.
const LONGEST_LINE: u16 = 110;

/// Cells before the words of a claim that is made.
const LEAD: u16 = 3;

/// What it is made from, the line between, and what it becomes.
struct Rows {
    from: Rect,
    head: Rect,
    made: Vec<Rect>,
}

fn rows(app: &App, editor: &ShapeEditor, room: Rect) -> Rows {
    let count = editor.count() as u16;
    let width = room.width.saturating_sub(2).min(LONGEST_LINE);
    let each = match room.height {
        20.. => 4,
        14.. => 3,
        _ => 2,
    };
    let each = each.min(room.height.saturating_sub(4) / count).max(1);
    let gap = u16::from(room.height >= 12);
    let most = room.height.saturating_sub(each * count + 1 + gap);
    let height =
        |text: &str, marks: &[Mark]| Passage::new(text, marks, &app.settings.theme, width).height(most);
    // What it becomes stands right below, not at the far end of the window.
    let from = match &editor.work {
        Work::Add { .. } => height(&editor.detail.record.answer, &answer_marks(editor)),
        Work::Split { cuts, at } => {
            height(&editor.detail.claim_text, &split_marks(&editor.detail.claim_text, cuts.get(*at)))
        }
        Work::Merge { taken, .. } => taken.len() as u16,
    };
    let from = Rect { height: from.clamp(1, most.max(1)), width, ..room };
    let head = Rect { y: from.bottom() + gap, height: 1, width, ..room };
    let made = (0..count).map(|at| Rect { y: head.bottom() + at * each, height: each, width, ..room });
    Rows { from, head, made: made.map(|row| row.intersection(room)).collect() }
}

/// Draws it over everything between top line and footer.
pub(super) fn draw(app: &App, editor: &ShapeEditor, body: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let detail = &editor.detail;
    let (sign, subject, from, becomes) = match &editor.work {
        Work::Add { .. } => (
            " NEW CLAIM ",
            detail.record.audit_id.to_string(),
            "the words of the answer that make it",
            "It says",
        ),
        Work::Split { .. } => {
            (" SPLIT ", detail.id.to_string(), "where the second claim begins", "It becomes")
        }
        Work::Merge { .. } => {
            (" MERGE ", detail.record.audit_id.to_string(), "the claims that become one", "They become")
        }
    };
    let is_quiet = app.toast.is_none() && editor.made().is_ok() && editor.typed_place() != Some(None);
    let waits = Phrase::new().say(Role::Muted, "it waits for a verdict of its own");
    let bottom_right = if is_quiet { vec![waits] } else { Vec::new() };
    let panel = Panel {
        top_left: Phrase::new()
            .say(Role::Selected, sign)
            .say(Role::Title, format!(" {}", one_line(&subject))),
        top_right: vec![Phrase::new().say(Role::Muted, from)],
        bottom_left: said(app, editor, usize::from(body.width).saturating_sub(62)),
        bottom_right,
        focused: true,
    };
    panel::clear(body, buf);
    let room = panel.draw(body, buf, theme);
    let rows = rows(app, editor, room);
    match &editor.work {
        Work::Add { cursor, scroll } => {
            let marks = answer_marks(editor);
            let answer = Passage::new(&detail.record.answer, &marks, theme, rows.from.width);
            let shown = answer.draw(Some(&cursor.head), *scroll, rows.from, buf);
            text_goes_on(&shown, rows.from, buf, theme);
        }
        Work::Split { cuts, at } => {
            let text = &detail.claim_text;
            let marks = split_marks(text, cuts.get(*at));
            let at = marks[1].range.start;
            let claim = Passage::new(text, &marks, theme, rows.from.width);
            let shown = claim.draw(Some(&(at..at)), Scroll::Auto, rows.from, buf);
            text_goes_on(&shown, rows.from, buf, theme);
        }
        Work::Merge { .. } => list(app, editor, Rect { width: room.width, ..rows.from }, buf),
    }
    let key = app.settings.keymap.label(Command::TypeWords, app.place());
    let head = Phrase::new().say(Role::Label, becomes);
    let head = match (editor.typing, editor.words.is_some()) {
        (None, false) => head.dot(Role::Key, key).say(Role::Muted, " types it in other words"),
        (None, true) => {
            head.dot(Role::Muted, "in your words").dot(Role::Key, key).say(Role::Muted, " goes on")
        }
        (Some(_), _) => head.dot(Role::Muted, "in your words"),
    };
    head.draw(rows.head, buf, theme);
    if let (Some(why), Some(last)) = (&editor.error, rows.made.last()) {
        let below = Rect { y: last.bottom(), height: room.bottom().saturating_sub(last.bottom()), ..*last };
        words_in(why, Role::Error, below, buf, theme);
    }
    let own = editor.own().unwrap_or_default();
    for (at, row) in rows.made.iter().enumerate() {
        if editor.count() > 1 {
            Phrase::new().say(Role::Label, format!("{}", at + 1)).draw(*row, buf, theme);
        }
        let place = Rect { x: row.x + LEAD, width: row.width.saturating_sub(LEAD + 1), ..*row };
        let typed = editor.words.as_ref().and_then(|words| words.get(at));
        match (typed, editor.typing) {
            (Some(words), Some(typing)) if typing == at => text_box::draw(words, place, buf, theme),
            _ => {
                let words = editor.typed(at).or_else(|| own.get(at).map(|claim| claim.claim_text.clone()));
                words_in(&words.unwrap_or_default(), Role::Focus, place, buf, theme);
            }
        }
    }
}

/// Both sides of the cut.
fn split_marks(text: &str, cut: Option<&Cut>) -> [Mark; 2] {
    let at = cut.map_or(0, |cut| cut.at);
    [Mark::new(0..at, Role::Text), Mark::new(at..text.len(), Role::Selected)]
}

/// The other claims of the answer, and over them what the cursor takes.
fn answer_marks(editor: &ShapeEditor) -> Vec<Mark> {
    let places = editor.detail.siblings.iter().filter_map(|sibling| sibling.answer_span);
    let mut marks: Vec<Mark> = places.map(|span| Mark::new(span.range(), Role::Sibling)).collect();
    if let Work::Add { cursor, .. } = &editor.work {
        let taken = match editor.typed_place() {
            Some(place) => place.map_or(0..0, Span::range),
            None => cursor.selection(),
        };
        if !taken.is_empty() {
            marks.push(Mark::new(taken, Role::Selected));
        }
    }
    marks
}

/// The claims of the answer, those that are taken with a cross.
fn list(app: &App, editor: &ShapeEditor, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let Work::Merge { taken, at } = &editor.work else { return };
    let height = usize::from(area.height);
    let siblings = &editor.detail.siblings;
    let top =
        (*at + 1).saturating_sub(height.saturating_sub(1).max(1)).min(siblings.len().saturating_sub(height));
    for (y, (at_line, sibling)) in (area.y..area.bottom()).zip(siblings.iter().enumerate().skip(top)) {
        let row = Rect { y, height: 1, ..area };
        let left = siblings.len() - at_line;
        if y + 1 == area.bottom() && left > 1 {
            Phrase::new().say(Role::Muted, format!("… and {left} more")).draw(row, buf, theme);
            return;
        }
        let is_taken = taken.get(at_line).copied().unwrap_or_default();
        let bar = if at_line == *at { "▌" } else { " " };
        let mark = if is_taken { "[x] " } else { "[ ] " };
        let role = if is_taken { Role::Focus } else { Role::Muted };
        Phrase::new()
            .say(Role::Cursor, bar)
            .say(role, mark)
            .join(facts::sibling(&editor.detail, at_line, sibling))
            .draw(row, buf, theme);
    }
}

/// What was refused, else what is made.
fn said(app: &App, editor: &ShapeEditor, room: usize) -> Phrase {
    if editor.sent {
        return Phrase::new().say(Role::Warning, "saving…");
    }
    if let Some(toast) = &app.toast {
        let (role, sign) = match toast.kind {
            ToastKind::Info => (Role::Ok, ""),
            ToastKind::Warning => (Role::Warning, "! "),
            ToastKind::Error => (Role::Error, "✗ "),
        };
        return Phrase::new().say(role, format!("{sign}{}", one_line(&toast.text)));
    }
    match (editor.made(), &editor.work) {
        (Err(why), _) => Phrase::new().say(Role::Error, format!("✗ {why}")),
        (Ok(_), Work::Add { .. }) if editor.typed_place() == Some(None) => {
            Phrase::new().say(Role::Warning, "not in the answer: it is of the answer as a whole")
        }
        (Ok(_), Work::Add { cursor, .. }) => {
            let state = match (editor.is_guessed(), cursor.anchor.is_some()) {
                (true, _) => "not word for word in the answer, nearest",
                (false, true) => "stretch",
                (false, false) => "cursor",
            };
            let place = editor.typed_place().flatten().map_or_else(|| cursor.selection(), Span::range);
            let words = editor.detail.record.answer.get(place).unwrap_or_default();
            Phrase::new()
                .say(Role::Muted, format!("{state}: "))
                .say(Role::Text, both_ends(&one_line(words), room.max(20)))
        }
        (Ok(_), Work::Merge { .. }) => {
            Phrase::new().say(Role::Muted, format!("{} claims", editor.taken().len()))
        }
        (Ok(_), Work::Split { .. }) => Phrase::new(),
    }
}

fn with_answer<T>(
    app: &App,
    ask: impl FnOnce(&Passage<'_>, &std::ops::Range<usize>, Scroll, u16) -> Option<T>,
) -> Option<T> {
    let Mode::Shape(editor) = &app.mode else { return None };
    let Work::Add { cursor, scroll } = &editor.work else { return None };
    let area = rows(app, editor, inside(Areas::of(app.size)?.body())).from;
    let marks = answer_marks(editor);
    let answer = Passage::new(&editor.detail.record.answer, &marks, &app.settings.theme, area.width);
    ask(&answer, &cursor.head, *scroll, area.height).filter(|_| area.height > 0)
}

/// From which byte on the answer is shown after a page forward or back; `None` at its end.
pub fn turned(app: &App, forward: bool) -> Option<usize> {
    with_answer(app, |answer, head, scroll, height| {
        let lines = i64::from(height.max(2)) - 1;
        match answer.scrolled(Some(head), scroll, height, if forward { lines } else { -lines }) {
            Scroll::From(top) if scroll != Scroll::From(top) => Some(top),
            _ => None,
        }
    })
}

/// The lines to show so that the cursor is in view.
pub fn following(app: &App) -> Option<Scroll> {
    with_answer(app, |answer, head, scroll, height| Some(answer.following(head, scroll, height)))
}
