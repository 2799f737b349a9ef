//! The list of comparisons: two lines each, what came of it and what was compared.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::more;
use crate::report::Unit;
use crate::store::KeptComparison;
use crate::tui::app::App;
use crate::tui::screen::queue::one_line;
use crate::tui::theme::Role;
use crate::tui::widget::figure::count;
use crate::tui::widget::glyph;
use crate::tui::widget::phrase::Phrase;

/// Rows of one comparison.
pub(super) const LINES: u16 = 2;

pub(super) fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let compare = &app.screens.compare;
    let (kept, chosen) = (compare.kept(), compare.line());
    let title = Phrase::new().say(Role::Title, "Compare");
    let title = title.say(Role::Text, format!("  {} kept", count(kept.len() as u64)));
    let room = super::list_panel(app, title).draw(area, buf, theme);
    let height = usize::from(room.height / LINES).max(1);
    let top = (chosen + 1).saturating_sub(height).min(kept.len().saturating_sub(height));
    for (at, one) in kept.iter().enumerate().skip(top).take(height) {
        let y = room.y + LINES * (at - top) as u16;
        let row = Rect { x: room.x - 1, y, width: room.width + 1, height: LINES }.intersection(area);
        draw_one(app, one, at == chosen, row, buf);
    }
    more(top > 0, top + height < kept.len(), room, buf, app);
}

fn draw_one(app: &App, one: &KeptComparison, is_chosen: bool, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let over = if is_chosen { theme.style(Role::Selected) } else { Style::new() };
    if is_chosen {
        for y in area.y..area.bottom() {
            glyph::put(buf, area.x, y, "▌", 1, theme.style(Role::Cursor));
        }
    }
    let line =
        |at: u16| Rect { x: area.x + 1, y: area.y + at, width: area.width.saturating_sub(1), height: 1 };
    let change = one.rate_change.map_or_else(|| "no rates".to_owned(), |change| Unit::Change.shown(change));
    let made = one.made_at.to_string();
    let minute = made.get(..16).unwrap_or(&made).replace('T', " ");
    let head = Phrase::new()
        .say(Role::Focus, format!("{}  ", one.name))
        .join(gate(&one.says))
        .say(Role::Text, format!("  {change}"));
    // As much of the time as there is room for, and no half of it: in full it stands on the right.
    let room = usize::from(line(0).width.saturating_sub(head.width() + 2));
    let told =
        [0..16, 5..16, 5..10].into_iter().filter_map(|part| minute.get(part)).find(|it| it.len() <= room);
    let head = match told {
        Some(told) => head.say(Role::Muted, format!("  {told}")),
        None => head,
    };
    head.draw_over(line(0), buf, theme, over);
    let versions = format!("  {} → {}", one_line(&one.baseline), one_line(&one.candidate));
    Phrase::new().say(Role::Text, versions).draw(line(1), buf, theme);
}

/// The gate's word, with a sign.
pub(super) fn gate(says: &str) -> Phrase {
    match says {
        "yes" => Phrase::new().say(Role::Ok, "✓ open"),
        "no" => Phrase::new().say(Role::Error, "✗ closed"),
        _ => Phrase::new().say(Role::Warning, "? cannot say"),
    }
}
