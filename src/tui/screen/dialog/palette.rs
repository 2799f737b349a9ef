//! The command palette: what is typed, the commands it finds, and the chosen one in full.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{open, place};
use crate::tui::app::App;
use crate::tui::command::Place;
use crate::tui::palette::{Palette, PaletteEntry, keys, title};
use crate::tui::screen::Areas;
use crate::tui::screens::ScreenName;
use crate::tui::theme::Role;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::passage::{Mark, Passage, Scroll};
use crate::tui::widget::phrase::Phrase;
use crate::tui::widget::{glyph, text_box};

/// Columns for the key, and for the name behind it.
const KEY: u16 = 7;
const NAME: u16 = 22;
/// Rows for the chosen command in full, in a list of this many rows and more.
const FULL: [(u16, u16); 3] = [(16, 4), (5, 2), (0, 1)];

pub(super) fn draw(app: &App, palette: &Palette, areas: &Areas, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    // Without a list there is nothing beside it that should stay in view.
    let is_alone = app.queue.rows.is_empty() || app.screen() != ScreenName::Queue;
    let area = if is_alone { areas.body() } else { place(areas, 30, areas.list.height) };
    let possible = palette.entries.iter().filter(|entry| entry.hindrance.is_none()).count();
    let panel = Panel {
        top_left: Phrase::new().say(Role::Title, "Commands"),
        bottom_right: vec![Phrase::new().say(Role::Muted, format!("{possible} possible now"))],
        focused: true,
        ..Panel::default()
    };
    let room = open(&panel, area, areas, app, buf);
    let line = Rect { height: room.height.min(1), ..room };
    Phrase::new().say(Role::Key, ">").draw(line, buf, theme);
    let typed = Rect { x: line.x + 2, width: line.width.saturating_sub(2), ..line };
    text_box::draw(&palette.text, typed, buf, theme);

    let full = FULL.iter().find(|(from, _)| room.height >= *from).map_or(1, |(_, rows)| *rows);
    let list = Rect { y: room.y + 1, height: room.height.saturating_sub(1 + full), ..room };
    let chosen = palette.chosen_line();
    // The chosen line stays in sight, and the list filled.
    let height = usize::from(list.height.max(1));
    let top = (chosen + 1).saturating_sub(height).min(palette.entries.len().saturating_sub(height));
    for (y, (at, entry)) in (list.y..list.bottom()).zip(palette.entries.iter().enumerate().skip(top)) {
        let row = Rect { x: list.x - 1, y, width: list.width + 1, height: 1 };
        draw_entry(app, entry, palette.place, at == chosen, row, buf);
    }
    if palette.entries.is_empty() {
        Phrase::new().say(Role::Warning, "no command is found by that").draw(list, buf, theme);
    }
    let muted = theme.style(Role::Muted);
    if top > 0 {
        glyph::put(buf, room.right(), list.y, "↑", 1, muted);
    }
    if top + height < palette.entries.len() {
        glyph::put(buf, room.right(), list.bottom().saturating_sub(1), "↓", 1, muted);
    }
    let below = Rect { y: list.bottom(), height: room.bottom().saturating_sub(list.bottom()), ..room };
    if let Some(entry) = palette.chosen_entry() {
        let (words, role) = match &entry.hindrance {
            Some(why) => (format!("not now: {why}"), Role::Warning),
            None => (entry.command.row().sentence.to_owned(), Role::Text),
        };
        let marks = [Mark::new(0..words.len(), role)];
        Passage::new(&words, &marks, theme, below.width).draw(None, Scroll::Auto, below, buf);
    }
}

fn draw_entry(app: &App, entry: &PaletteEntry, from: Place, chosen: bool, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let key = keys(&app.settings.keymap, entry.command, from).into_iter().next().unwrap_or_default();
    let is_possible = entry.hindrance.is_none();
    let role = |role| if is_possible { role } else { Role::Muted };
    let over = if chosen && is_possible { theme.style(Role::Selected) } else { Style::new() };
    if chosen {
        glyph::put(buf, area.x, area.y, "▌", 1, theme.style(Role::Cursor));
    }
    let at = |x: u16, width: u16| {
        let x = (area.x + 1 + x).min(area.right());
        Rect { x, width: width.min(area.right().saturating_sub(x)), ..area }
    };
    Phrase::new().say(role(Role::Key), key).draw(at(0, KEY - 1), buf, theme);
    let name = Phrase::new().say(role(Role::Text), title(entry.command));
    name.draw_over(at(KEY, NAME - 1), buf, theme, over);
    let words = match &entry.hindrance {
        Some(why) => format!("not now: {why}"),
        None => entry.command.row().sentence.to_owned(),
    };
    Phrase::new().say(Role::Muted, words).draw(at(KEY + NAME, area.width), buf, theme);
}
