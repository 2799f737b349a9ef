//! The queue screen: what is to be judged at the left, the claim in hand with its evidence at the
//! right; stacked in narrow windows.

pub mod claim;
mod compare;
mod difference;
mod empty;
mod evidence;
pub(super) mod list;
mod room;
mod threads;

use ratatui::buffer::Buffer;

pub(super) use claim::{facts, fits_edge, text_goes_on, to_be_read, words_in};
pub(super) use compare::marks_between;
pub(super) use evidence::source;
pub(super) use list::{both_ends, one_line, short};

use super::Areas;
use crate::tui::app::{App, QueueState};

/// Whether there is a reason to show in place of both panes.
pub(in crate::tui::screen) fn is_empty(app: &App) -> bool {
    app.queue.rows.is_empty() || matches!(app.queue.state, QueueState::Error(_))
}

/// Draws both panes, or the reason why there is nothing in them.
pub fn draw(app: &App, areas: &Areas, buf: &mut Buffer) {
    if is_empty(app) {
        empty::draw(app, areas.body(), buf);
    } else {
        if !areas.list.is_empty() {
            list::draw(app, areas.list, buf);
        }
        claim::draw(app, areas.claim, buf);
    }
}
