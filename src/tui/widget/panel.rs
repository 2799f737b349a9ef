//! A frame with words in its edges, so that marks and news take no row and move nothing.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::glyph;
use super::phrase::Phrase;
use crate::tui::theme::{Role, Theme};

/// A frame and what stands in its edges.
#[derive(Debug, Clone, Default)]
pub struct Panel {
    pub top_left: Phrase,
    /// Alternatives, the fullest first: the first that fits beside the left words is shown.
    pub top_right: Vec<Phrase>,
    pub bottom_left: Phrase,
    pub bottom_right: Vec<Phrase>,
    /// Whether the keys go here.
    pub focused: bool,
}

impl Panel {
    /// Draws the frame; returns the room inside, with one blank column at each side.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, theme: &Theme) -> Rect {
        let area = area.intersection(buf.area);
        if area.width < 2 || area.height < 2 {
            return Rect { width: 0, height: 0, ..area };
        }
        let style = theme.style(if self.focused { Role::BorderFocus } else { Role::Border });
        let (left, right, top, bottom) = (area.x, area.right() - 1, area.y, area.bottom() - 1);
        for x in left..=right {
            glyph::put(buf, x, top, "─", 1, style);
            glyph::put(buf, x, bottom, "─", 1, style);
        }
        for y in top..=bottom {
            glyph::put(buf, left, y, "│", 1, style);
            glyph::put(buf, right, y, "│", 1, style);
        }
        for (x, y, corner) in [(left, top, "┌"), (right, top, "┐"), (left, bottom, "└"), (right, bottom, "┘")]
        {
            glyph::put(buf, x, y, corner, 1, style);
        }
        edge(top, area, &self.top_left, &self.top_right, buf, theme);
        edge(bottom, area, &self.bottom_left, &self.bottom_right, buf, theme);
        Rect {
            x: area.x + 2,
            y: area.y + 1,
            width: area.width.saturating_sub(4),
            height: area.height.saturating_sub(2),
        }
    }
}

fn edge(y: u16, area: Rect, left: &Phrase, right: &[Phrase], buf: &mut Buffer, theme: &Theme) {
    // Corner and one dash stay visible at both ends.
    let room = Rect { x: area.x + 1, y, width: area.width.saturating_sub(2), height: 1 };
    let needs = |phrase: &Phrase| if phrase.is_empty() { 0 } else { phrase.width().saturating_add(3) };
    // What stands at the right is the verdict: the left words give way down to twelve cells.
    let left_least = needs(left).min(15);
    let chosen = right.iter().find(|phrase| needs(phrase) + left_least <= room.width);
    let right_width = chosen.map_or(0, needs);
    if let Some(phrase) = chosen.filter(|phrase| !phrase.is_empty()) {
        let padded = Phrase::new().say(Role::Text, " ").join(phrase.clone()).say(Role::Text, " ");
        padded.draw_right(Rect { width: room.width.saturating_sub(1), ..room }, buf, theme);
    }
    if !left.is_empty() {
        let width = room.width.saturating_sub(right_width);
        if width > 4 {
            let inside = Rect { x: room.x + 1, width: width - 2, ..room };
            let used = left.draw(Rect { x: inside.x + 1, width: inside.width - 1, ..inside }, buf, theme);
            glyph::put(buf, inside.x, y, " ", 1, theme.style(Role::Text));
            if used + 1 < width - 1 {
                glyph::put(buf, inside.x + 1 + used, y, " ", 1, theme.style(Role::Text));
            }
        }
    }
}

/// Blanks everything in `area`, for what lies over other things.
pub fn clear(area: Rect, buf: &mut Buffer) {
    let area = area.intersection(buf.area);
    for y in area.y..area.bottom() {
        // A wide character that is cut by the left edge leaves a blank.
        if let Some(cell) = area.x.checked_sub(1).and_then(|x| buf.cell_mut((x, y)))
            && glyph::width(cell.symbol()) > 1
        {
            cell.set_symbol(" ");
        }
        for x in area.x..area.right() {
            if let Some(cell) = buf.cell_mut((x, y)) {
                cell.reset();
            }
        }
    }
}
