//! The screen on which a person chooses evidence: the claim above, one passage with what is marked below.
//!
//! It lies over queue and claim. A long passage has a column beside it that shows where its spans are.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::queue::{both_ends, facts, one_line, short, words_in};
use super::{Areas, inside};
use crate::domain::verdict::Role as EvidenceRole;
use crate::tui::app::{App, Mode, ToastKind};
use crate::tui::spans::SpanEditor;
use crate::tui::theme::Role;
use crate::tui::widget::badge;
use crate::tui::widget::overview;
use crate::tui::widget::panel::{self, Panel};
use crate::tui::widget::passage::{Mark, Passage, Scroll};
use crate::tui::widget::phrase::Phrase;

/// Wider lines are hard to read.
const LONGEST_LINE: u16 = 110;

/// The rows that claim and passage take inside the frame.
struct Rows {
    claim: Rect,
    head: Rect,
    text: Rect,
}

fn rows(room: Rect) -> Rows {
    // The last column inside is for the overview.
    let width = room.width.saturating_sub(2).min(LONGEST_LINE);
    let claim = Rect { width, height: if room.height >= 16 { 2 } else { 1 }.min(room.height), ..room };
    let blank = u16::from(room.height >= 12);
    let head = Rect { y: claim.bottom() + blank, height: 1, width, ..room };
    let y = head.bottom();
    Rows { claim, head, text: Rect { y, height: room.bottom().saturating_sub(y), width, ..room } }
}

/// Draws it over everything between top line and footer.
pub(super) fn draw(app: &App, editor: &SpanEditor, body: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let verdict = if editor.menu.is_chosen {
        facts::with_severity(badge::ruling(&editor.menu.ruling()), editor.menu.severity)
    } else {
        Phrase::new().say(Role::Warning, "no verdict yet")
    };
    let panel = Panel {
        top_left: Phrase::new()
            .say(Role::Selected, " EVIDENCE ")
            .say(Role::Title, format!(" {}", one_line(&editor.menu.id.to_string()))),
        top_right: vec![Phrase::new().say(Role::Muted, "you rule ").join(verdict.clone()), verdict],
        bottom_left: said(app, editor, usize::from(body.width.saturating_sub(marked(editor).width() + 18))),
        bottom_right: vec![marked(editor)],
        focused: true,
    };
    panel::clear(body, buf);
    let room = panel.draw(body, buf, theme);
    let rows = rows(room);
    let label = "Claim  ";
    Phrase::new().say(Role::Label, label).draw(rows.claim, buf, theme);
    let lead = label.len() as u16;
    let words = Rect { x: rows.claim.x + lead, width: rows.claim.width.saturating_sub(lead), ..rows.claim };
    words_in(&editor.detail.claim_text, Role::Focus, words, buf, theme);
    head(editor).draw(rows.head, buf, theme);
    let marks = marks(app, editor);
    let passage = Passage::new(editor.text(), &marks, theme, rows.text.width);
    let shown = passage.draw(Some(&editor.cursor.head), editor.scroll, rows.text, buf);
    if shown.above || shown.below {
        let spans = marks.iter().map(|mark| (mark.range.clone(), mark.role));
        let column = Rect { x: rows.text.right() + 1, width: 1, ..rows.text };
        overview::draw(editor.text().len(), &shown, spans, column, buf, theme);
    }
}

/// Which passage it is, and where in the record.
fn head(editor: &SpanEditor) -> Phrase {
    let count = editor.detail.record.passages.len();
    let head = Phrase::new().say(Role::Label, "Passage");
    let head =
        if count > 1 { head.say(Role::Text, format!(" {}/{count}", editor.passage + 1)) } else { head };
    let Some(passage) = editor.shown() else { return head };
    let mut head = head.dot(Role::Title, one_line(passage.passage_id.as_str()));
    for word in super::queue::source(passage) {
        head = head.dot(Role::Muted, word);
    }
    head
}

/// The spans of the passage in view, and over them what the cursor takes.
fn marks(app: &App, editor: &SpanEditor) -> Vec<Mark> {
    let here = editor.under_cursor();

    let mut marks = Vec::new();
    for (at, span) in editor.spans.iter().enumerate().filter(|(_, span)| span.passage == editor.passage) {
        let role = Role::of_evidence(span.role, here == Some(at));
        let sign = match span.role {
            EvidenceRole::Contradicts => "≠",
            _ => "=",
        };
        // What it says is read without its colour.
        let (open, _) = app.settings.theme.brackets(role);
        if !open.starts_with(sign) {
            marks.push(Mark { sign: Some((sign, role)), ..Mark::new(span.range.clone(), role) });
        }
        marks.push(Mark::new(span.range.clone(), role));
    }
    let taken = editor.selection();
    if !taken.is_empty() {
        marks.push(Mark::new(taken, Role::Selected));
    }
    marks
}

/// How much is marked, in all passages.
fn marked(editor: &SpanEditor) -> Phrase {
    let count = |role| editor.spans.iter().filter(|span| span.role == role).count();
    let (supports, contradicts) = (count(EvidenceRole::Supports), count(EvidenceRole::Contradicts));
    if supports + contradicts == 0 {
        return Phrase::new().say(Role::Muted, "nothing is marked");
    }
    let mut words = Phrase::new();
    if supports > 0 {
        words = words.dot(Role::Supports, format!("= {supports} supports"));
    }
    if contradicts > 0 {
        words = words.dot(Role::Contradicts, format!("≠ {contradicts} contradicts"));
    }
    words
}

/// What was refused, else what the next mark takes.
fn said(app: &App, editor: &SpanEditor, room: usize) -> Phrase {
    if let Some(subject) = &app.saving {
        return Phrase::new().say(Role::Warning, format!("saving {}…", short(&one_line(subject), 24)));
    }
    if let Some(toast) = &app.toast {
        let (role, sign) = match toast.kind {
            ToastKind::Info => (Role::Ok, ""),
            ToastKind::Warning => (Role::Warning, "! "),
            ToastKind::Error => (Role::Error, "✗ "),
        };
        return Phrase::new().say(role, format!("{sign}{}", one_line(&toast.text)));
    }
    let taken = editor.selection();
    let words = editor.text().get(taken).unwrap_or_default();
    let state = if editor.cursor.anchor.is_some() { "stretch" } else { "cursor" };
    Phrase::new()
        .say(Role::Muted, format!("{state}: "))
        .say(Role::Text, both_ends(&one_line(words), room.max(20)))
}

/// Where the passage's text lies.
pub(super) fn area(app: &App) -> Rect {
    Areas::of(app.size).map_or(Rect::default(), |areas| rows(inside(areas.body())).text)
}

fn with_passage<T>(app: &App, ask: impl FnOnce(&SpanEditor, &Passage<'_>, u16) -> Option<T>) -> Option<T> {
    let Mode::Spans(editor) = &app.mode else { return None };
    let area = area(app);
    let marks = marks(app, editor);
    let passage = Passage::new(editor.text(), &marks, &app.settings.theme, area.width);
    ask(editor, &passage, area.height).filter(|_| area.height > 0)
}

/// From which byte on the text is shown after a page forward or back; `None` at its end.
pub fn turned(app: &App, forward: bool) -> Option<usize> {
    with_passage(app, |editor, passage, height| {
        let lines = i64::from(height.max(2)) - 1;
        let turned = passage.scrolled(
            Some(&editor.cursor.head),
            editor.scroll,
            height,
            if forward { lines } else { -lines },
        );
        match turned {
            Scroll::From(top) if turned != editor.scroll => Some(top),
            _ => None,
        }
    })
}

/// The byte of the passage that is drawn at `at`, or nearest to it.
pub fn byte_at(app: &App, at: Position) -> Option<usize> {
    let area = area(app);
    with_passage(app, |editor, passage, _| {
        passage.byte_at(Some(&editor.cursor.head), editor.scroll, area, at)
    })
}

/// The lines to show so that the cursor is in view.
pub fn following(app: &App) -> Option<Scroll> {
    with_passage(app, |editor, passage, height| {
        let head: &Range<usize> = &editor.cursor.head;
        Some(passage.following(head, editor.scroll, height))
    })
}
