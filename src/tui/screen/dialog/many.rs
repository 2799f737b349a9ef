//! What is to be done to the marked claims: the choices, then what would happen and what would not.

use std::collections::HashSet;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{open, place, told};
use crate::domain::decision::{Disposition, Request};
use crate::domain::finding::AuditState;
use crate::domain::ids::AuditId;
use crate::domain::queue::QueueRow;
use crate::text::wrap::wrap;
use crate::tui::app::App;
use crate::tui::command::{Command, Place};
use crate::tui::marks::{ManyDialog, Together};
use crate::tui::screen::Areas;
use crate::tui::screen::queue::one_line;
use crate::tui::theme::Role;
use crate::tui::widget::badge;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::phrase::Phrase;

/// Rows that it needs, frame included.
pub(super) const ROWS: u16 = 11;

/// Returns where it lies.
pub(super) fn draw(app: &App, dialog: &ManyDialog, areas: &Areas, buf: &mut Buffer) -> Rect {
    let theme = &app.settings.theme;
    let wide = areas.list.width >= super::super::SIDE_BY_SIDE;
    // Which claims are meant stands there too, as far as there is room.
    let marked = u16::try_from(app.marks.rows.len()).unwrap_or(u16::MAX);
    let wanted = (ROWS + 2).saturating_add(marked.min(12));
    let height = if wide { wanted.min(areas.list.height).max(ROWS) } else { areas.list.height.max(ROWS) };
    let area = place(areas, 30, height);
    let count = app.marks.rows.len();
    let is_same = app.same.as_ref().is_some_and(|same| same.is_marked);
    let title = if is_same {
        format!("The same claim in {count} answers")
    } else if app.marks.are_against {
        format!("{count} ruled against")
    } else {
        format!("{count} marked")
    };
    let panel = Panel {
        top_left: Phrase::new().say(Role::Title, title),
        bottom_left: if dialog.sent { Phrase::new().say(Role::Muted, "saving…") } else { Phrase::new() },
        focused: true,
        ..Panel::default()
    };
    let room = open(&panel, area, areas, app, buf);
    let lines = match &dialog.chosen {
        None => choices(app, room),
        Some(_) => question(app, dialog, room),
    };
    for (y, line) in (room.y..room.bottom()).zip(lines) {
        line.draw(Rect { y, height: 1, ..room }, buf, theme);
    }
    area
}

/// Whether people ruled on it, whoever did, and it is not open again.
fn is_decided(row: &QueueRow) -> bool {
    (row.decided.is_some() || !row.rulings.is_empty()) && !row.disputed
}

fn choices(app: &App, room: Rect) -> Vec<Phrase> {
    let rows = &app.marks.rows;
    let of = |test: fn(&QueueRow) -> bool| rows.iter().filter(|row| test(row)).count();
    let decided = of(is_decided);
    let without = of(|row| !is_decided(row) && row.state != AuditState::Judged);
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
    let out = rows.iter().filter(|row| app.is_out_of_view(row)).count();
    if out > 0 {
        head = head.dot(Role::Warning, format!("{out} not in this list: left out"));
    }
    let key = |command| app.settings.keymap.label(command, Place::Many);
    let line = |command, words: &str| {
        Phrase::new().say(Role::Key, format!(" {:<2} ", key(command))).say(Role::Text, words)
    };
    let verdicts = format!(" {}-{} ", key(Command::VerdictFully), key(Command::VerdictCannotJudge));
    let mut lines = vec![
        head,
        line(Command::Confirm, "confirm the judge's verdicts"),
        Phrase::new().say(Role::Key, verdicts).say(Role::Text, "fully, partially, unsupported,"),
        Phrase::new().say(Role::Text, "     contradicted, cannot judge"),
        line(Command::Skip, "skip: to the end of your queue"),
        line(Command::Defer, "defer until a time"),
        line(Command::Flag, "flag   ")
            .say(Role::Key, key(Command::Escalate))
            .say(Role::Text, "  escalate with a note"),
        line(Command::Block, "block  ")
            .say(Role::Key, key(Command::Return))
            .say(Role::Text, "  return the answers of these"),
    ];
    // At once what it is about: the pane beside need not show any of them.
    let about: Vec<&QueueRow> = rows.iter().filter(|row| !app.is_out_of_view(row)).collect();
    let most = usize::from(room.height).saturating_sub(lines.len());
    let claims = claims(app, &about, room.width, most.min(12));
    lines.splice(1..1, claims);
    lines
}

fn question(app: &App, dialog: &ManyDialog, room: Rect) -> Vec<Phrase> {
    let Some(together) = &dialog.chosen else { return Vec::new() };
    // The time of a hold that ran out meanwhile is left to the store.
    let now = dialog.at;
    let not: Vec<(String, String)> = app
        .marks
        .rows
        .iter()
        .filter_map(|row| Some((row.id.to_string(), app.hindrance(together, row, now)?)))
        .collect();
    let all = app.marks.rows.len();
    let possible = all - not.len();
    let of_answers: HashSet<&AuditId> = app.marks.rows.iter().map(|row| row.id.audit_id()).collect();
    let key = |command| app.settings.keymap.label(command, Place::Many);
    let mut lines =
        vec![if let (Together::Dispose { disposition, .. }, true) = (together, possible == all) {
            let what = if of_answers.len() == 1 {
                "the answer"
            } else {
                &format!("the {} answers", of_answers.len())
            };
            let verb = if *disposition == Disposition::Return { "Return" } else { "Block" };
            Phrase::new().say(Role::Title, format!("{verb} {what} of {}?", claims_of(all)))
        } else if possible == all {
            Phrase::new().say(Role::Title, format!("{} all {all}?", together.verb()))
        } else {
            Phrase::new()
                .say(Role::Title, format!("{} {possible} of {all}?", together.verb()))
                .say(Role::Warning, format!("  {} left out:", not.len()))
        }];
    // What is typed into it, and the keys, have their rows; what it is about comes before what is left out of it.
    let asked = asked(together, room.width);
    let kept = 1 + 2 + asked.len();
    let height = usize::from(room.height);
    let free = height.saturating_sub(kept);
    let for_claims = free.saturating_sub(not.len().min(free / 2));
    let about: Vec<&QueueRow> =
        app.marks.rows.iter().filter(|row| app.hindrance(together, row, now).is_none()).collect();
    let mut claims = claims(app, &about, room.width, for_claims);
    let room = free.saturating_sub(claims.len());
    for (at, (id, why)) in not.iter().enumerate().take(room) {
        if at + 1 == room && not.len() > room {
            lines.push(Phrase::new().say(Role::Muted, format!("  … and {} more", not.len() - at)));
            break;
        }
        lines.push(
            Phrase::new().say(Role::Text, format!("  {} ", one_line(id))).say(Role::Muted, why.clone()),
        );
    }
    lines.append(&mut claims);
    lines.extend(asked);
    lines.push(
        Phrase::new()
            .say(Role::Key, format!(" {} ", key(Command::Accept)))
            .say(Role::Text, "does it; one undo takes all back"),
    );
    lines.push(Phrase::new().say(Role::Key, format!(" {} ", key(Command::Cancel))).say(Role::Text, "back"));
    // Of the same claim only the answer tells one from another.
    if app.same.as_ref().is_some_and(|same| same.is_marked) {
        let left = height.saturating_sub(lines.len() + 1);
        lines.push(Phrase::new());
        lines.extend(answers(&about, left));
    }
    lines
}

fn claims_of(count: usize) -> String {
    if count == 1 { "this claim".to_owned() } else { format!("these {count} claims") }
}

/// What was typed for it: to whom with which note, in as many rows as that takes up to four; until when.
fn asked(together: &Together, width: u16) -> Vec<Phrase> {
    let words = match together {
        Together::Asked(Request::Escalate { note, to }) => {
            let to = to.as_ref().map_or(String::new(), |to| format!("to {to}: "));
            format!("{}{}", one_line(&to), one_line(note))
        }
        Together::Asked(Request::Defer { until }) => {
            let until = until.to_string();
            format!("until {} UTC", until.get(..16).unwrap_or(&until).replace('T', " "))
        }
        Together::Dispose { note: Some(note), .. } => format!("why: {}", one_line(note)),
        _ => return Vec::new(),
    };
    let rows = super::about::rows(&words, width.saturating_sub(1).max(8), 4);
    rows.into_iter().map(|row| Phrase::new().say(Role::Text, format!(" {row}"))).collect()
}

/// What it is about in the place of the claim in hand, which need not be one of them: every claim with its id and all its
/// words, as far as there is room.
pub(in crate::tui::screen) fn list(app: &App, dialog: &ManyDialog, area: Rect, buf: &mut Buffer) {
    let now = dialog.at;
    let is_left_out = |row: &QueueRow| match &dialog.chosen {
        Some(together) => app.hindrance(together, row, now).is_some(),
        None => app.is_out_of_view(row),
    };
    let rows: Vec<&QueueRow> = app.marks.rows.iter().filter(|row| !is_left_out(row)).collect();
    let head = match &dialog.chosen {
        Some(together) => format!("{} these {}", together.verb(), rows.len()),
        None if app.marks.are_against => format!("These {} were ruled against", rows.len()),
        None => format!("These {} are marked", rows.len()),
    };
    let severities = match &dialog.chosen {
        Some(Together::Rule(verdict)) if verdict.can_be_graded() => {
            "severity: by what is at stake with each, told when it is recorded"
        }
        Some(Together::Confirm) => "severity: as it stands",
        _ => "",
    };
    let panel = Panel {
        top_left: Phrase::new().say(Role::Title, head),
        bottom_left: if app.toast.is_some() { told(app) } else { Phrase::new().say(Role::Muted, severities) },
        ..Panel::default()
    };
    super::panel::clear(area, buf);
    let theme = &app.settings.theme;
    let room = panel.draw(area, buf, theme);
    let mut y = room.y;
    for (at, row) in rows.iter().enumerate() {
        let head = said(row).say(Role::Title, format!(" {}", one_line(&row.id.to_string())));
        let words = super::about::rows(&row.claim_text, room.width.saturating_sub(4).max(8), 8);
        let needed = 1 + words.len() as u16;
        if y + needed > room.bottom() || (y + needed == room.bottom() && at + 1 < rows.len()) {
            let more = Phrase::new().say(Role::Muted, format!("… and {} more", rows.len() - at));
            more.draw(Rect { y, height: u16::from(y < room.bottom()), ..room }, buf, theme);
            return;
        }
        head.draw(Rect { y, height: 1, ..room }, buf, theme);
        for (line, words) in (y + 1..).zip(words) {
            let place = Rect { x: room.x + 4, y: line, width: room.width.saturating_sub(4), height: 1 };
            Phrase::new().say(Role::Text, words).draw(place, buf, theme);
        }
        y += needed;
    }
}

/// Severity and sign in force, as in the list: where people ruled, theirs.
fn said(row: &QueueRow) -> Phrase {
    let (sign, role) = badge::sign_in_force((row.state, row.verdict), &row.rulings);
    let by_person = if row.rulings.is_empty() { "" } else { "*" };
    badge::graded(row.severity, &row.rulings, row.ruled_severity).say(role, sign).say(Role::Title, by_person)
}

/// The words of the claims that it is about, in at most `most` rows: of the same claim all words once, else a row for
/// each.
fn claims(app: &App, rows: &[&QueueRow], width: u16, most: usize) -> Vec<Phrase> {
    let said = |row: &QueueRow, words: String| said(row).say(Role::Text, format!(" {words}"));
    let is_same = app.same.as_ref().is_some_and(|same| same.is_marked);
    let mut lines = Vec::new();
    if let (true, Some(first)) = (is_same, rows.first()) {
        let text = one_line(&first.claim_text);
        let margin = said(first, String::new()).width();
        let wrapped = wrap(&text, width.saturating_sub(margin).max(8));
        for (at, line) in wrapped.iter().enumerate().take(most) {
            let is_cut = at + 1 == most && wrapped.len() > most;
            let words = line.span.of(&text).unwrap_or_default();
            let words = if is_cut { format!("{words}…") } else { words.to_owned() };
            lines.push(if at == 0 {
                said(first, words)
            } else {
                Phrase::new().say(Role::Text, format!("{}{words}", " ".repeat(margin.into())))
            });
        }
        return lines;
    }
    for (at, row) in rows.iter().enumerate().take(most) {
        if at + 1 == most && most > 1 && rows.len() > most {
            lines.push(Phrase::new().say(Role::Muted, format!("… and {} more", rows.len() - at)));
            break;
        }
        lines.push(said(row, format!("{} {}", one_line(&row.id.to_string()), one_line(&row.claim_text))));
    }
    lines
}

/// The ids of the claims that are the same.
fn answers(rows: &[&QueueRow], most: usize) -> Vec<Phrase> {
    let mut lines = Vec::new();
    for (at, row) in rows.iter().enumerate().take(most) {
        if at + 1 == most && rows.len() > most {
            lines.push(Phrase::new().say(Role::Muted, format!("  … and {} more", rows.len() - at)));
            break;
        }
        lines.push(Phrase::new().say(Role::Text, format!("  {}", one_line(&row.id.to_string()))));
    }
    lines
}
