//! What is to be done to the marked claims: the choices, then what would happen and what would not.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{open, place};
use crate::domain::finding::AuditState;
use crate::domain::queue::QueueRow;
use crate::tui::app::App;
use crate::tui::command::{Command, Place};
use crate::tui::marks::ManyDialog;
use crate::tui::screen::Areas;
use crate::tui::screen::queue::one_line;
use crate::tui::theme::Role;
use crate::tui::widget::badge;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::phrase::Phrase;

/// Rows that it needs, frame included.
pub(super) const ROWS: u16 = 11;

pub(super) fn draw(app: &App, dialog: &ManyDialog, areas: &Areas, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let wide = areas.list.width >= super::super::SIDE_BY_SIDE;
    // Which claims are meant stands below the choices, as far as there is room.
    let marked = u16::try_from(app.marks.rows.len()).unwrap_or(u16::MAX);
    let wanted = (ROWS + 2).saturating_add(marked.min(12));
    let height = if wide { wanted.min(areas.list.height).max(ROWS) } else { areas.list.height.max(ROWS) };
    let area = place(areas, 30, height);
    let count = app.marks.rows.len();
    let is_same = app.same.as_ref().is_some_and(|same| same.is_marked);
    let title =
        if is_same { format!("The same claim in {count} answers") } else { format!("{count} marked") };
    let panel = Panel {
        top_left: Phrase::new().say(Role::Title, title),
        bottom_left: if dialog.sent { Phrase::new().say(Role::Muted, "saving…") } else { Phrase::new() },
        focused: true,
        ..Panel::default()
    };
    let room = open(&panel, area, areas, app, buf);
    let lines = match &dialog.chosen {
        None => {
            let mut lines = choices(app);
            let room = usize::from(room.height).saturating_sub(lines.len() + 1);
            lines.push(Phrase::new());
            lines.extend(about(app, app.marks.rows.iter().collect(), room));
            lines
        }
        Some(_) => question(app, dialog, room.height),
    };
    for (y, line) in (room.y..room.bottom()).zip(lines) {
        line.draw(Rect { y, height: 1, ..room }, buf, theme);
    }
}

fn choices(app: &App) -> Vec<Phrase> {
    let rows = &app.marks.rows;
    let of = |test: fn(&QueueRow) -> bool| rows.iter().filter(|row| test(row)).count();
    let decided = of(|row| row.decided.is_some());
    let without = of(|row| row.decided.is_none() && row.state != AuditState::Judged);
    let mut head = Phrase::new().say(Role::Text, format!("{} open", rows.len() - decided));
    if without > 0 {
        head = head.dot(Role::Warning, format!("{without} without a verdict to confirm"));
    }
    if decided > 0 {
        head = head.dot(Role::Muted, format!("{decided} decided"));
    }
    if app.same.as_ref().is_some_and(|same| same.is_marked && same.is_cut()) {
        head = head.dot(Role::Warning, "there may be more: decide these, then look again");
    }
    let key = |command| app.settings.keymap.label(command, Place::Many);
    let line = |command, words: &str| {
        Phrase::new().say(Role::Key, format!(" {:<2} ", key(command))).say(Role::Text, words)
    };
    let verdicts = format!(" {}-{} ", key(Command::VerdictFully), key(Command::VerdictCannotJudge));
    vec![
        head,
        line(Command::Confirm, "confirm the judge's verdicts"),
        Phrase::new().say(Role::Key, verdicts).say(Role::Text, "fully, partially, unsupported,"),
        Phrase::new().say(Role::Text, "     contradicted, cannot judge"),
        line(Command::Skip, "skip: to the end of your queue"),
        line(Command::Defer, "defer until a time"),
        line(Command::Flag, "flag for adjudication"),
        line(Command::Escalate, "escalate with a note"),
    ]
}

fn question(app: &App, dialog: &ManyDialog, height: u16) -> Vec<Phrase> {
    let Some(together) = &dialog.chosen else { return Vec::new() };
    // The time of a hold that ran out meanwhile is left to the store.
    let now = dialog.visible_since.unwrap_or(crate::domain::time::Timestamp::from_millis(0));
    let not: Vec<(String, String)> = app
        .marks
        .rows
        .iter()
        .filter_map(|row| Some((row.id.to_string(), together.hindrance(row, now)?)))
        .collect();
    let all = app.marks.rows.len();
    let possible = all - not.len();
    let key = |command| app.settings.keymap.label(command, Place::Many);
    let mut lines = vec![if possible == all {
        Phrase::new().say(Role::Title, format!("{} all {all}?", together.verb()))
    } else {
        Phrase::new()
            .say(Role::Title, format!("{} {possible} of {all}?", together.verb()))
            .say(Role::Warning, format!("  {} left out:", not.len()))
    }];
    let room = usize::from(height.saturating_sub(3));
    for (at, (id, why)) in not.iter().enumerate() {
        if at + 1 == room && not.len() > room {
            lines.push(Phrase::new().say(Role::Muted, format!("  … and {} more", not.len() - at)));
            break;
        }
        lines.push(
            Phrase::new().say(Role::Text, format!("  {} ", one_line(id))).say(Role::Muted, why.clone()),
        );
    }
    lines.push(
        Phrase::new()
            .say(Role::Key, format!(" {} ", key(Command::Accept)))
            .say(Role::Text, "does it; one undo takes all back"),
    );
    lines.push(Phrase::new().say(Role::Key, format!(" {} ", key(Command::Cancel))).say(Role::Text, "back"));
    // What it is about, as far as there is room. Of the same claim only the answer tells one from another.
    lines.push(Phrase::new());
    let room = usize::from(height).saturating_sub(lines.len());
    let rows = app.marks.rows.iter().filter(|row| together.hindrance(row, now).is_none());
    lines.extend(about(app, rows.collect(), room));
    lines
}

/// The claims that are meant, in at most `room` lines.
fn about(app: &App, rows: Vec<&QueueRow>, room: usize) -> Vec<Phrase> {
    let is_same = app.same.as_ref().is_some_and(|same| same.is_marked);
    let all = rows.len();
    let mut lines = Vec::new();
    for (at, row) in rows.into_iter().enumerate().take(room) {
        if at + 1 == room && all > room {
            lines.push(Phrase::new().say(Role::Muted, format!("… and {} more", all - at)));
            break;
        }
        let (severity, severity_role) = badge::severity(row.severity);
        let (sign, sign_role) = badge::sign(row.state, row.verdict);
        lines.push(Phrase::new().say(severity_role, severity).say(Role::Text, " ").say(sign_role, sign).say(
            Role::Text,
            format!(" {}", one_line(&if is_same { row.id.to_string() } else { row.claim_text.clone() })),
        ));
    }
    lines
}
