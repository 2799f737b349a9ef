//! The lines of the list by answers.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::decision::Disposition;
use crate::tui::app::App;
use crate::tui::theme::Role;
use crate::tui::threads::Line;
use crate::tui::widget::phrase::Phrase;
use crate::tui::widget::{badge, glyph};

use super::list::{draw_row, one_line};

/// Cells by which claims stand further in than their answer.
const INDENT: u16 = 2;

pub(super) fn draw(app: &App, line: &Line, area: Rect, buf: &mut Buffer) {
    match line {
        Line::Claim(row) => {
            let row = &app.queue.rows[*row];
            let selected = app.claim.as_ref().map(|claim| claim.key) == Some(row.key);
            let (x, width) = (area.x + INDENT, area.width.saturating_sub(INDENT));
            draw_row(app, row, selected, Rect { x, width, ..area }, buf);
            // The cursor bar stands in one column for answers and claims.
            if selected {
                glyph::put(buf, x, area.y, " ", 1, app.settings.theme.style(Role::Text));
                glyph::put(buf, area.x, area.y, "▌", 1, app.settings.theme.style(Role::Cursor));
            }
        }
        Line::Answer(rows) => draw_answer(app, rows.clone(), area, buf),
    }
}

/// `▸ ▲ CRIT rx-1 Adults may take 8 g` and at the right `2 open · 1 done · RETURN`.
fn draw_answer(app: &App, rows: std::ops::Range<usize>, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let claims = &app.queue.rows[rows.clone()];
    let answer = claims[0].id.audit_id();
    let folded = app.threads.is_folded(answer);
    let here = app.selected_row().filter(|row| folded && rows.contains(row));
    if here.is_some() {
        glyph::put(buf, area.x, area.y, "▌", 1, theme.style(Role::Cursor));
    }
    let thread = app.threads.of(answer);
    let worst = thread.map_or(claims[0].severity, |thread| thread.worst);
    let (severity, severity_role) = badge::severity(worst);
    let role = if here.is_some() { Role::Focus } else { Role::Text };
    let mut words = Phrase::new()
        .say(Role::Muted, if folded { "▸ " } else { "▾ " })
        .say(severity_role, severity)
        .say(Role::Text, " ")
        .say(role, one_line(answer.as_str()));
    if folded && let Some(row) = here.or(Some(app.row_of_line(&Line::Answer(rows)))) {
        words = words.say(Role::Muted, "  ").say(Role::Muted, one_line(&app.queue.rows[row].claim_text));
    }
    let margin = margin(app, answer, claims.iter().filter(|row| app.marks.has(row.key)).count());
    let room = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let gap = if margin.is_empty() { 0 } else { margin.width() + 1 };
    words.draw(Rect { width: room.width.saturating_sub(gap), ..room }, buf, theme);
    margin.draw_right(room, buf, theme);
}

fn margin(app: &App, answer: &crate::domain::ids::AuditId, marked: usize) -> Phrase {
    let mut words = Phrase::new();
    if marked > 0 {
        words = words.say(Role::Focus, format!("●{marked} "));
    }
    let Some(thread) = app.threads.of(answer) else { return words };
    words = words.say(Role::Text, format!("{} open", thread.open));
    if thread.decided > 0 {
        words = words.dot(Role::Muted, format!("{} done", thread.decided));
    }
    match thread.disposition.as_ref().map(|given| given.disposition) {
        Some(Disposition::Release) => words.dot(Role::Ok, "released"),
        Some(Disposition::Return) => words.dot(Role::Warning, "returned"),
        Some(Disposition::Block) => words.dot(Role::Error, "blocked"),
        None => words,
    }
}
