//! Entries to choose from, one a row.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::glyph;
use super::phrase::Phrase;
use crate::tui::theme::{Role, Theme};

/// One entry of a menu.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The key that chooses it, if it has one of its own.
    pub key: String,
    pub words: Phrase,
    pub chosen: bool,
}

/// Draws `entries` in one column. The chosen one has a bar before it, so that it is known without
/// colour, and stands out more while the field has the keys.
pub fn column(entries: &[Entry], focused: bool, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let key_width = entries.iter().map(|entry| glyph::width(&entry.key)).max().unwrap_or(0) as u16;
    // Where not all have room, the chosen one does.
    let last = entries.iter().rposition(|entry| entry.chosen).map_or(0, |at| at + 1);
    let first = last.saturating_sub(area.height.into());
    for (y, entry) in (area.y..area.bottom()).zip(entries.iter().skip(first)) {
        let row = Rect { y, height: 1, ..area };
        let bar = if entry.chosen { "▌" } else { " " };
        glyph::put(buf, row.x, y, bar, 1, theme.style(Role::Cursor));
        let mut x = row.x + 1;
        if key_width > 0 {
            let key = Phrase::new().say(Role::Key, entry.key.as_str());
            key.draw(Rect { x, width: key_width.min(row.right().saturating_sub(x)), ..row }, buf, theme);
            x += key_width + 1;
        }
        let over =
            if entry.chosen && focused { theme.style(Role::Selected) } else { ratatui::style::Style::new() };
        entry.words.draw_over(Rect { x, width: row.right().saturating_sub(x), ..row }, buf, theme, over);
    }
}
