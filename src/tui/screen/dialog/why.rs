//! Why the claim under the cursor stands where it stands, over the list.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{open, place, title};
use crate::tui::app::App;
use crate::tui::screen::Areas;
use crate::tui::theme::Role;
use crate::tui::why::WhyHere;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::passage::{Mark, Passage, Scroll};
use crate::tui::widget::phrase::Phrase;

/// Rows that it needs in a stacked window, frame included.
pub(super) const ROWS: u16 = 13;

pub(super) fn draw(app: &App, why: &WhyHere, areas: &Areas, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let wide = areas.list.width < areas.body().width;
    let area = place(areas, 30, if wide { areas.list.height } else { areas.list.height.max(ROWS) });
    let before = match why.before {
        Some(0) => Phrase::new().say(Role::Muted, "the first of your queue"),
        Some(1) => Phrase::new().say(Role::Muted, "1 stands before it"),
        Some(before) => Phrase::new().say(Role::Muted, format!("{before} stand before it")),
        None => Phrase::new(),
    };
    let panel = Panel {
        top_left: title("Why here", &why.id),
        bottom_left: before,
        focused: true,
        ..Panel::default()
    };
    let room = open(&panel, area, areas, app, buf);
    let mut y = room.y;
    // Set apart where there is plenty of room.
    let gap = u16::from(wide);
    for factor in &why.factors {
        let text = format!("{}  {}", factor.name, factor.words);
        let marks = [
            Mark::new(0..factor.name.len(), Role::Label),
            Mark::new(factor.name.len()..text.len(), Role::Text),
        ];
        let passage = Passage::new(&text, &marks, theme, room.width);
        let left = room.bottom().saturating_sub(y);
        let height = passage.height(left);
        passage.draw(None, Scroll::Auto, Rect { y, height, ..room }, buf);
        y += height + gap;
    }
}
