//! The line of a deferral or an escalation, and how what stands there is understood.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tui_textarea::WrapMode;

use super::{about, open, place, title};
use crate::domain::decision::Disposition;
use crate::text::wrap::wrap;
use crate::tui::app::App;
use crate::tui::ask::{AskLine, Question};
use crate::tui::command::Place;
use crate::tui::screen::Areas;
use crate::tui::screen::queue::one_line;
use crate::tui::theme::Role;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::passage::{Mark, Passage, Scroll};
use crate::tui::widget::phrase::Phrase;
use crate::tui::widget::text_box;

/// Returns where it lies.
pub(super) fn draw(app: &App, line: &AskLine, areas: &Areas, buf: &mut Buffer) -> Rect {
    let theme = &app.settings.theme;
    let height =
        if areas.list.width >= super::super::SIDE_BY_SIDE { 7 } else { areas.list.height.clamp(7, 13) };
    let area = place(areas, 30, height);
    let (name, hint) = match line.question {
        Question::Defer { again } => (
            "Defer",
            format!(
                "30m · 2h · 3d · 17:30 · tomorrow 9:00 · mon · 2026-12-24 10:00. It comes back by itself then; for \
                 others it stays open.{}",
                if again { " An empty line brings it back now." } else { "" }
            ),
        ),
        Question::Why(disposition) => (
            if disposition == Disposition::Return { "Return" } else { "Block" },
            "Why? It is kept as the reason of each answer, for whoever is to correct it. An empty line gives none."
                .to_owned(),
        ),
        Question::Escalate { again } => (
            if again { "Escalate anew" } else { "Escalate" },
            format!(
                "{}What is the matter? Begin with @NAME when it is for somebody or some role: @dr-lee is this dose right?",
                if again { "This is how you escalated it; an empty line takes that back. " } else { "" }
            ),
        ),
    };
    let state = match &line.reading {
        _ if line.sent => Phrase::new().say(Role::Muted, "saving…"),
        Err(_) => Phrase::new().say(Role::Error, "✗ not yet"),
        Ok(said) if said.is_empty() => Phrase::new(),
        Ok(said) => Phrase::new().say(Role::Ok, one_line(said)),
    };
    let about = match line.question {
        Question::Why(_) => &format!("the answers of {}", line.about),
        Question::Defer { .. } | Question::Escalate { .. } => &line.about,
    };
    let panel = Panel { top_left: title(name, about), bottom_left: state, focused: true, ..Panel::default() };
    let room = open(&panel, area, areas, app, buf);
    let room = match line.key() {
        Some(claim) => about::draw(app, (claim, &line.claim_text), Place::Ask, (room, 4), buf),
        None => room,
    };
    // All that is typed is read, as far as what is said below leaves room.
    let wanted = u16::try_from(wrap(&line.content(), room.width).len()).unwrap_or(u16::MAX);
    let rows = wanted.min(room.height.saturating_sub(2)).max(1).min(room.height);
    let mut text = line.text.clone();
    text.set_wrap_mode(WrapMode::WordOrGlyph);
    text_box::draw(&text, Rect { height: rows, ..room }, buf, theme);
    let below = Rect { y: room.y + rows, height: room.height.saturating_sub(rows), ..room };
    if below.is_empty() {
        return area;
    }
    let (words, role) = match &line.reading {
        Err(why) => (why.clone(), Role::Error),
        Ok(_) => (hint, Role::Muted),
    };
    let marks = [Mark::new(0..words.len(), role)];
    Passage::new(&words, &marks, theme, below.width).draw(None, Scroll::Auto, below, buf);
    area
}
