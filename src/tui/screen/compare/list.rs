//! The list of comparisons: two lines each, what was compared and what came of it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::store::KeptComparison;
use crate::tui::app::App;
use crate::tui::screen::queue::one_line;
use crate::tui::screen::screens;
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
    let title = Phrase::new()
        .say(Role::Title, "Compare")
        .say(Role::Text, format!("  {} kept", count(kept.len() as u64)));
    let panel = screens::panel(app, title, area.width);
    let room = panel.draw(area, buf, theme);
    let height = usize::from(room.height / LINES).max(1);
    let top = (chosen + 1).saturating_sub(height).min(kept.len().saturating_sub(height));
    for (at, one) in kept.iter().enumerate().skip(top).take(height) {
        let y = room.y + LINES * (at - top) as u16;
        let row = Rect { x: room.x - 1, y, width: room.width + 1, height: LINES }.intersection(area);
        draw_one(app, one, at == chosen, row, buf);
    }
    if top > 0 {
        glyph::put(buf, room.right(), room.y, "↑", 1, theme.style(Role::Muted));
    }
    if top + height < kept.len() {
        glyph::put(buf, room.right(), room.bottom().saturating_sub(1), "↓", 1, theme.style(Role::Muted));
    }
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
    let made = one.made_at.to_string();
    let day = made.get(..16).map_or(made.as_str(), |day| day).replace('T', " ");
    let head = Phrase::new()
        .say(Role::Focus, format!("{}  ", one.name))
        .join(verdict(&one.says))
        .say(Role::Muted, format!("  {day}  "))
        .say(Role::Text, format!("{} → {}", one_line(&one.baseline), one_line(&one.candidate)));
    head.draw_over(line(0), buf, theme, over);
    let share =
        |rate: Option<f64>| rate.map_or_else(|| "–".to_owned(), |rate| format!("{:.1} %", rate * 100.0));
    let change =
        one.rate_change.map_or_else(|| "–".to_owned(), |change| format!("{:+.1} points", change * 100.0));
    let rates = format!("  wrong claims {} → {}", share(one.baseline_rate), share(one.candidate_rate));
    let told = Phrase::new()
        .say(Role::Text, rates)
        .dot(Role::Text, change)
        .dot(Role::Muted, format!("{} of {} items", count(one.compared), count(one.items)))
        .dot(Role::Muted, format!("{} {}", one.judge, one_line(&one.model)));
    told.draw(line(1), buf, theme);
}

/// The gate's word, as a sign and a word.
pub(super) fn verdict(says: &str) -> Phrase {
    match says {
        "yes" => Phrase::new().say(Role::Ok, "✓ passed"),
        "no" => Phrase::new().say(Role::Error, "✗ refused"),
        _ => Phrase::new().say(Role::Warning, "? cannot say"),
    }
}
