//! The *Support* screen: how the scores of pairs are spread, which sources are weak, and the lowest pairs.

mod empty;
mod groups;
mod pairs;
mod scores;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Areas, SIDE_BY_SIDE, inside};
use crate::tui::app::App;
use crate::tui::command::Command;

/// Keys that do something on this screen, the most important first.
pub(super) const KEYS: &[Command] = &[
    Command::Open,
    Command::Down,
    Command::Up,
    Command::Cancel,
    Command::NextScreen,
    Command::Palette,
    Command::Help,
];

/// Where the parts of the screen lie; those without room are empty.
struct Parts {
    scores: Rect,
    /// The weakest sources, and beside or below them ways of retrieval and models.
    sources: Rect,
    others: Rect,
    pairs: Rect,
}

impl Parts {
    fn of(body: Rect) -> Self {
        let none = Rect { width: 0, height: 0, ..body };
        if body.width >= SIDE_BY_SIDE {
            let width = (body.width * 45 / 100).clamp(50, 76);
            let column = Rect { width, ..body };
            let scores = Rect { height: scores::ROWS + 2, ..column };
            let rest = body.height.saturating_sub(scores.height);
            let others = (rest / 3).clamp(5, 10).min(rest);
            let sources = Rect { y: scores.bottom(), height: rest - others, ..column };
            return Self {
                scores,
                sources,
                others: Rect { y: sources.bottom(), height: others, ..column },
                pairs: Rect { x: body.x + width, width: body.width - width, ..body },
            };
        }
        let is_low = body.height < 20;
        let height = if is_low { scores::LEAST_ROWS } else { scores::ROWS } + 2;
        let scores = Rect { height: height.min(body.height), ..body };
        let sources = Rect { y: scores.bottom(), height: if is_low { 0 } else { 6 }, ..body };
        let used = scores.height + sources.height;
        Self {
            scores,
            sources: if is_low { none } else { sources },
            others: none,
            pairs: Rect { y: body.y + used, height: body.height.saturating_sub(used), ..body },
        }
    }
}

/// Draws it between top line and footer.
pub(super) fn draw(app: &App, body: Rect, buf: &mut Buffer) {
    let read = app.screens.support.read.ready();
    let Some(read) = read.filter(|read| read.support.all.n() + read.support.all.unscored() > 0) else {
        return empty::draw(app, body, buf);
    };
    let parts = Parts::of(body);
    scores::draw(app, &read.support, parts.scores, buf);
    if !parts.sources.is_empty() {
        groups::sources(app, &read.support, parts.sources, buf);
    }
    if !parts.others.is_empty() {
        groups::others(app, &read.support, parts.others, buf);
    }
    pairs::draw(app, parts.pairs, buf);
}

/// Pairs that have room in the list.
pub fn list_height(app: &App) -> usize {
    Areas::of(app.size).map_or(1, |areas| usize::from(inside(Parts::of(areas.body()).pairs).height).max(1))
}
