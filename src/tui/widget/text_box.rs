//! The box in which a note is written.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;
use tui_textarea::TextArea;

use super::glyph::{self, Glyph};
use crate::tui::theme::{Role, Theme};

/// Draws the editor into `area`. What was typed or pasted is shown as safely as everything else.
pub fn draw(text: &TextArea<'_>, area: Rect, buf: &mut Buffer, theme: &Theme) {
    if area.is_empty() {
        return;
    }
    text.render(area, buf);
    for y in area.y..area.bottom() {
        for x in area.x..area.right() {
            let Some(cell) = buf.cell_mut((x, y)) else { continue };
            let glyph = Glyph::of(cell.symbol());
            if glyph.is_mark {
                // One cell for one cell: the caret must stay where the editor believes it is.
                let first: String = glyph.text.chars().take(1).collect();
                let sign = if glyph::width(&first) == 1 { first } else { "?".to_owned() };
                cell.set_symbol(&sign).set_style(theme.style(Role::Escaped));
            }
        }
    }
}
