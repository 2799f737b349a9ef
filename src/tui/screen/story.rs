//! The story of a claim, over queue and claim: a page that is read from the top.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::inside;
use super::queue::{one_line, words_in};
use crate::tui::app::{App, Mode};
use crate::tui::command::{Command, Place};
use crate::tui::exchanges::Reading;
use crate::tui::screen::Areas;
use crate::tui::story::{Line, StoryPage, Top};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::glyph;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::passage::{Passage, Scroll};
use crate::tui::widget::phrase::Phrase;

/// The story at one width.
struct Layout<'a> {
    lines: &'a [Line],
    theme: &'a Theme,
    width: u16,
}

impl Layout<'_> {
    /// The rows of a line, as bytes of its text; an empty line has one.
    fn rows(&self, line: usize) -> Vec<Range<usize>> {
        let Some(line) = self.lines.get(line) else { return Vec::new() };
        let room = self.width.saturating_sub(lead_width(line)).max(1);
        let rows =
            Passage::new(&line.text, &[], self.theme, room).window(None, Scroll::From(0), u16::MAX).lines;
        if rows.is_empty() { std::iter::once(0..0).collect() } else { rows }
    }

    /// `top` moved by `by` rows, never past the first.
    fn moved(&self, top: Top, by: i64) -> Top {
        let Top { mut line, mut row } = top;
        let mut left = by;
        while left < 0 {
            let step = row.min(usize::try_from(-left).unwrap_or(usize::MAX));
            row -= step;
            left += step as i64;
            if left < 0 {
                if line == 0 {
                    return Top::default();
                }
                line -= 1;
                row = self.rows(line).len();
            }
        }
        while left > 0 && line < self.lines.len() {
            let rows = self.rows(line).len();
            let step = (rows - row.min(rows)).min(usize::try_from(left).unwrap_or(usize::MAX));
            row += step;
            left -= step as i64;
            if row >= rows {
                line += 1;
                row = 0;
            }
        }
        Top { line, row }
    }

    /// The last place at which the page is full; the first one where all of it fits.
    fn last(&self, height: u16) -> Top {
        self.moved(Top { line: self.lines.len(), row: 0 }, -i64::from(height))
    }
}

/// Cells before each row of `line`.
fn lead_width(line: &Line) -> u16 {
    u16::try_from(line.lead.len()).unwrap_or(u16::MAX)
}

/// The top of the page moved by `by` rows, never past the ends.
pub fn scrolled(app: &App, by: i64) -> Top {
    let Mode::Story(page) = &app.mode else { return Top::default() };
    let (Reading::Ready(lines), Some(areas)) = (&page.lines, Areas::of(app.size)) else { return page.top };
    let room = inside(areas.body());
    let layout = Layout { lines, theme: &app.settings.theme, width: room.width };
    layout.moved(page.top, by).min(layout.last(room.height))
}

/// Draws the page over everything between top line and footer.
pub(super) fn draw(app: &App, page: &StoryPage, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let close = app.settings.keymap.label(Command::Cancel, Place::Story);
    let title = Phrase::new().say(Role::Title, "Story");
    let panel = Panel {
        top_left: match &page.id {
            Some(id) => title.say(Role::Text, format!("  {}", one_line(&id.to_string()))),
            None => title,
        },
        top_right: vec![Phrase::new().say(Role::Key, close).say(Role::Muted, " closes")],
        focused: true,
        ..Panel::default()
    };
    let room = panel.draw(area, buf, theme);
    match &page.lines {
        Reading::Loading => {
            Phrase::new().say(Role::Muted, "reading the story…").draw(room, buf, theme);
        }
        Reading::Error(why) => words_in(why, Role::Error, room, buf, theme),
        Reading::Ready(lines) => {
            let layout = Layout { lines, theme, width: room.width };
            // A window that was made larger shows no blank below the end.
            let last = layout.last(room.height);
            draw_lines(&layout, page.top.min(last), last, room, buf);
        }
    }
}

fn draw_lines(layout: &Layout<'_>, top: Top, last: Top, room: Rect, buf: &mut Buffer) {
    let theme = layout.theme;
    let mut y = room.y;
    let mut at = top;
    while y < room.bottom() {
        let Some(line) = layout.lines.get(at.line) else { break };
        for row in layout.rows(at.line).into_iter().skip(at.row) {
            if y >= room.bottom() {
                break;
            }
            let text = line.text.get(row).unwrap_or_default().trim_end();
            let words = Phrase::new().say(Role::Muted, line.lead.as_str()).say(line.role, text);
            words.draw(Rect { y, height: 1, ..room }, buf, theme);
            y += 1;
        }
        at = Top { line: at.line + 1, row: 0 };
    }
    if top > Top::default() {
        glyph::put(buf, room.right(), room.y, "↑", 1, theme.style(Role::Muted));
    }
    if top < last {
        glyph::put(buf, room.right(), room.bottom().saturating_sub(1), "↓", 1, theme.style(Role::Muted));
    }
}
