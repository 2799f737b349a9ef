//! What lies over the queue while it asks for something: override, note, reason, disposition.
//!
//! A dialog takes the place of the list, never of the claim: answer and evidence stay in view while a
//! person rules on them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::Areas;
use super::queue::{fits_edge, one_line};
use crate::domain::decision::{Disposition, HumanVerdict, ReasonCode};
use crate::domain::ids::AuditId;
use crate::domain::verdict::{HallucinationType, Severity};
use crate::tui::app::{App, LastDecision, Mode, NoteEditor, OverrideField, OverrideMenu, ToastKind};
use crate::tui::command::{Command, Place};
use crate::tui::theme::Role;
use crate::tui::widget::menu::{self, Entry};
use crate::tui::widget::panel::{self, Panel};
use crate::tui::widget::passage::{Mark, Passage, Scroll};
use crate::tui::widget::phrase::Phrase;
use crate::tui::widget::{badge, text_box};

/// Columns of the override menu's three fields, standing side by side.
const FIELDS: [u16; 3] = [20, 14, 18];

/// Rows of the same fields one below the other: three words, fifteen entries, two blanks.
const STACKED_FIELDS: u16 = 20;

/// Rows that the open dialog needs in a window whose panes are stacked, frame included.
pub(super) fn rows_needed(mode: &Mode) -> u16 {
    match mode {
        Mode::Normal | Mode::Help { .. } => 0,
        Mode::Override(_) | Mode::Reason(_) => 8,
        Mode::Note(_) => 7,
        Mode::Disposition { .. } => 6,
    }
}

/// Draws the open dialog, if any, and an error that does not fit in a frame's edge.
pub(super) fn draw(app: &App, areas: &Areas, buf: &mut Buffer) {
    match &app.mode {
        Mode::Normal | Mode::Help { .. } => {}
        Mode::Override(menu) => override_menu(app, menu, areas, buf),
        Mode::Note(note) => note_editor(app, note, areas, buf),
        Mode::Reason(last) => reason(app, last, areas, buf),
        Mode::Disposition { audit_id, .. } => disposition(app, audit_id, areas, buf),
    }
    error(app, areas, buf);
}

/// Over the list where it fits there, else at the bottom.
fn place(areas: &Areas, width: u16, height: u16) -> Rect {
    if areas.list.width >= width && areas.list.height >= height {
        // No stump of the list is left below.
        let height = if areas.list.height - height < 3 { areas.list.height } else { height };
        return Rect { height, ..areas.list };
    }
    let body = areas.body();
    let height = height.min(body.height);
    Rect { y: body.bottom() - height, height, ..body }
}

fn open(panel: &Panel, area: Rect, app: &App, buf: &mut Buffer) -> Rect {
    panel::clear(area, buf);
    panel.draw(area, buf, &app.settings.theme)
}

fn title(verb: &'static str, id: &str) -> Phrase {
    Phrase::new().say(Role::Title, verb).say(Role::Text, format!("  {}", one_line(id)))
}

fn override_menu(app: &App, menu: &OverrideMenu, areas: &Areas, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let stacked = areas.list.width < 60 && areas.list.height >= STACKED_FIELDS + 2;
    let area = if stacked { place(areas, 30, STACKED_FIELDS + 2) } else { place(areas, 60, 8) };
    let panel =
        Panel { top_left: title("Override", &menu.id.to_string()), focused: true, ..Panel::default() };
    let room = open(&panel, area, app, buf);

    let key = |verdict: HumanVerdict| {
        let command = match verdict {
            HumanVerdict::FullySupported => Command::VerdictFully,
            HumanVerdict::PartiallySupported => Command::VerdictPartially,
            HumanVerdict::Unsupported => Command::VerdictUnsupported,
            HumanVerdict::Contradicted => Command::VerdictContradicted,
            HumanVerdict::CannotJudge => Command::VerdictCannotJudge,
        };
        app.settings.keymap.label(command, Place::OverrideMenu)
    };
    let verdicts: Vec<Entry> = HumanVerdict::ALL
        .iter()
        .map(|verdict| Entry {
            key: key(*verdict),
            words: badge::human(*verdict),
            chosen: menu.verdict == *verdict,
        })
        .collect();
    let severities: Vec<Entry> = std::iter::once(None)
        .chain(Severity::ALL.iter().copied().map(Some))
        .map(|severity| Entry {
            key: String::new(),
            words: if severity.is_none() { none() } else { badge::severity_word(severity) },
            chosen: menu.severity == severity,
        })
        .collect();
    let types: Vec<Entry> = std::iter::once(None)
        .chain(HallucinationType::ALL.iter().copied().map(Some))
        .map(|kind| Entry {
            key: String::new(),
            words: kind.map_or_else(none, |kind| {
                Phrase::new().say(Role::Text, kind.label().to_lowercase().replace('_', " "))
            }),
            chosen: menu.hallucination_type == kind,
        })
        .collect();
    let fields = [
        ("Verdict", OverrideField::Verdict, verdicts),
        ("Severity", OverrideField::Severity, severities),
        ("Type", OverrideField::Type, types),
    ];
    let (mut x, mut y) = (room.x, room.y);
    for ((name, field, entries), width) in fields.iter().zip(FIELDS) {
        let focused = menu.field == *field;
        let width = if stacked { room.width } else { width }.min(room.right().saturating_sub(x));
        let rows = room.bottom().saturating_sub(y);
        let head = Rect { x: x + 1, y, width: width.saturating_sub(1), height: rows.min(1) };
        Phrase::new().say(if focused { Role::Title } else { Role::Label }, *name).draw(head, buf, theme);
        let column = Rect { x, y: y + 1, width, height: rows.saturating_sub(1) };
        menu::column(entries, focused, column, buf, theme);
        if stacked {
            y = (y + entries.len() as u16 + 2).min(room.bottom());
        } else {
            x = (x + width + 2).min(room.right());
        }
    }
}

fn none() -> Phrase {
    Phrase::new().say(Role::Muted, "– none")
}

fn note_editor(app: &App, note: &NoteEditor, areas: &Areas, buf: &mut Buffer) {
    let height = if areas.list.width >= super::SIDE_BY_SIDE { 7 } else { areas.list.height.clamp(7, 14) };
    let area = place(areas, 30, height);
    let state = match (&note.error, note.saving) {
        (Some(error), _) => Phrase::new().say(Role::Error, format!("✗ not saved: {}", one_line(error))),
        (None, true) => Phrase::new().say(Role::Muted, "saving…"),
        (None, false) if note.content().is_empty() => Phrase::new(),
        (None, false) if note.content() == note.stored => Phrase::new().say(Role::Ok, "draft kept"),
        (None, false) => Phrase::new().say(Role::Muted, "draft"),
    };
    let panel = Panel {
        top_left: title("Note on", &note.id.to_string()),
        bottom_left: state,
        focused: true,
        ..Panel::default()
    };
    let room = open(&panel, area, app, buf);
    text_box::draw(&note.text, room, buf, &app.settings.theme);
}

fn reason(app: &App, last: &LastDecision, areas: &Areas, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let count = ReasonCode::ALL.len() as u16;
    let one_column = areas.list.width < 60 && areas.list.height >= count + 2;
    let area = if one_column { place(areas, 36, count + 2) } else { place(areas, 60, count.div_ceil(2) + 2) };
    let panel = Panel {
        top_left: title("Reason for", &last.id.to_string()),
        top_right: vec![badge::human(last.verdict)],
        focused: true,
        ..Panel::default()
    };
    let room = open(&panel, area, app, buf);
    let entries: Vec<Entry> = ReasonCode::ALL
        .iter()
        .map(|code| Entry {
            key: code.key().to_string(),
            words: Phrase::new().say(Role::Text, code.sentence()),
            chosen: false,
        })
        .collect();
    if one_column {
        let column = Rect { x: room.x.saturating_sub(1), width: room.width + 1, ..room };
        menu::column(&entries, true, column, buf, theme);
    } else {
        let half = room.width / 2;
        for (x, column) in [room.x.saturating_sub(1), room.x + half]
            .into_iter()
            .zip(entries.chunks(entries.len().div_ceil(2)))
        {
            menu::column(column, true, Rect { x, width: half, ..room }, buf, theme);
        }
    }
}

fn disposition(app: &App, audit_id: &AuditId, areas: &Areas, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let area = place(areas, 36, 6);
    let panel = Panel { top_left: title("Answer", audit_id.as_str()), focused: true, ..Panel::default() };
    let room = open(&panel, area, app, buf);
    let head = Phrase::new().say(Role::Text, "All decided. The answer is to be");
    head.draw(Rect { height: room.height.min(1), ..room }, buf, theme);
    let entries: Vec<Entry> = Disposition::ALL
        .iter()
        .map(|disposition| {
            let (command, words) = match disposition {
                Disposition::Release => (Command::Release, "released: may be used"),
                Disposition::Return => (Command::Return, "returned: to be corrected"),
                Disposition::Block => (Command::Block, "blocked: must not be used"),
            };
            Entry {
                key: app.settings.keymap.label(command, Place::Disposition),
                words: Phrase::new().say(Role::Text, words),
                chosen: false,
            }
        })
        .collect();
    let column =
        Rect { x: room.x.saturating_sub(1), y: room.y + 1, height: room.height.saturating_sub(1), ..room };
    menu::column(&entries, true, column, buf, theme);
}

/// An error is read to its end: where the edge is too short for it, it gets a box of its own.
fn error(app: &App, areas: &Areas, buf: &mut Buffer) {
    let Some(toast) = app.toast.as_ref().filter(|toast| toast.kind == ToastKind::Error) else { return };
    let theme = &app.settings.theme;
    if fits_edge(&toast.text, areas.claim.width) && !app.queue.rows.is_empty() {
        return;
    }
    let wide = areas.list.width.clamp(36, 80);
    let marks = [Mark::new(0..toast.text.len(), Role::Text)];
    let height = Passage::new(&toast.text, &marks, theme, wide - 4).height(8) + 2;
    let area = place(areas, wide, height);
    let passage = Passage::new(&toast.text, &marks, theme, area.width.saturating_sub(4));
    let panel =
        Panel { top_left: Phrase::new().say(Role::Error, "✗ not done"), focused: true, ..Panel::default() };
    let room = open(&panel, area, app, buf);
    passage.draw(None, Scroll::Auto, room, buf);
}
