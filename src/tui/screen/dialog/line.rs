//! The line in which a filter or a search is typed, and what is wrong with it as it stands.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{open, place};
use crate::tui::app::App;
use crate::tui::found::{FilterLine, LineKind};
use crate::tui::screen::Areas;
use crate::tui::theme::Role;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::passage::{Mark, Passage, Scroll};
use crate::tui::widget::phrase::Phrase;
use crate::tui::widget::text_box;

pub(super) fn draw(app: &App, line: &FilterLine, areas: &Areas, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let height =
        if areas.list.width >= super::super::SIDE_BY_SIDE { 7 } else { areas.list.height.clamp(7, 12) };
    let area = place(areas, 30, height);
    let (name, hint) = match line.kind {
        LineKind::Filter => (
            "Filter",
            "severity>=high · verdict:contradicted · age<2h · risk: state: confidence< model: prompt: judge: id: by: \
             flag: note:* reason:* is:any · words · \"a phrase\" · - before what is to be left out",
        ),
        LineKind::Search => (
            "Search",
            "Words in the claim, its answer or a note; quotes keep a phrase together. The filter stays.",
        ),
        LineKind::View => (
            "Save as a view",
            "The filter in force gets a name and a tab; a name that you have already is given to it. Capitals do not count.",
        ),
    };
    let state = match &line.error {
        Some(_) => Phrase::new().say(Role::Error, "✗ cannot be applied"),
        None if line.text.is_selecting() => Phrase::new()
            .say(Role::Muted, "typing replaces it")
            .dot(Role::Key, "← →")
            .say(Role::Muted, " keep it"),
        None => Phrase::new(),
    };
    let panel = Panel {
        top_left: Phrase::new().say(Role::Title, name),
        bottom_left: state,
        focused: true,
        ..Panel::default()
    };
    let room = open(&panel, area, areas, app, buf);
    text_box::draw(&line.text, Rect { height: room.height.min(1), ..room }, buf, theme);
    let below = Rect { y: room.y + 1, height: room.height.saturating_sub(1), ..room };
    if below.is_empty() {
        return;
    }
    let (words, role) = match &line.error {
        Some(error) => (error.to_string(), Role::Error),
        None => (hint.to_owned(), Role::Muted),
    };
    let marks = [Mark::new(0..words.len(), role)];
    Passage::new(&words, &marks, theme, below.width).draw(None, Scroll::Auto, below, buf);
}
