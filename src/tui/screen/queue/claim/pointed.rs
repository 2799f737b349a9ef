//! Which words of the evidence stand under a place of the screen.

use ratatui::layout::{Position, Rect};

use super::{Body, below_head, lead, plan, ready};
use crate::tui::app::{App, View};
use crate::tui::screen::inside;
use crate::tui::widget::passage::{Passage, Scroll};

/// The passage (an index into the record's) whose text is drawn at `at`, and the byte of it.
///
/// Of the passage `within` the nearest word counts, wherever `at` is.
pub(in crate::tui::screen) fn word_at(
    app: &App,
    area: Rect,
    at: Position,
    within: Option<usize>,
) -> Option<(usize, usize)> {
    let (selected, detail) = ready(app)?;
    if app.view_now() == View::Differences {
        return None;
    }
    let plan = plan(app, selected, detail, inside(area));
    plan.placed.iter().find_map(|(part, rows)| {
        let Body::Passage(shown) = &part.body else { return None };
        let text = below_head(lead(part, shown, *rows));
        match within {
            Some(index) if index != shown.index => return None,
            None if !text.contains(at) => return None,
            _ => {}
        }
        let scroll = if shown.current { selected.evidence } else { Scroll::Auto };
        let passage = Passage::new(shown.text, &shown.marks, &app.settings.theme, text.width);
        Some((shown.index, passage.byte_at(shown.focus.as_ref(), scroll, text, at)?))
    })
}
