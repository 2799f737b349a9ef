//! The story of a claim while it lies over the queue. Nothing is decided there.

use std::sync::Arc;

use crate::domain::time::Timestamp;
use crate::tui::app::{App, Mode};
use crate::tui::command::Command;
use crate::tui::effect::Effect;
use crate::tui::exchanges::Reading;
use crate::tui::screen;
use crate::tui::story::{Line, StoryPage, Top};

/// Opens the story of the claim under the cursor.
pub(super) fn open(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let Some(claim) = app.claim.as_ref().map(|claim| claim.key) else {
        super::warn(app, "there is no claim here", now);
        return Vec::new();
    };
    app.run += 1;
    let row = app.queue.rows.iter().find(|row| row.key == claim);
    let id = app.detail().map(|detail| &detail.id).or(row.map(|row| &row.id)).cloned();
    let page = StoryPage { id, asked: app.run, lines: Reading::Loading, top: Top::default() };
    app.mode = Mode::Story(Box::new(page));
    app.dirty = true;
    vec![Effect::LoadStory { run: app.run, claim }]
}

pub(super) fn came(app: &mut App, run: u64, result: Result<Arc<[Line]>, String>) {
    if let Mode::Story(page) = &mut app.mode
        && page.asked == run
    {
        page.lines = result.map_or_else(Reading::Error, Reading::Ready);
        app.dirty = true;
    }
}

pub(super) fn run(app: &mut App, command: Command) -> Vec<Effect> {
    let page = i64::from(app.geometry.help.height.max(2)) - 1;
    let by = match command {
        Command::Down => 1,
        Command::Up => -1,
        Command::PageDown => page,
        Command::PageUp => -page,
        // More rows than any story has.
        Command::FirstLine => -(1 << 40),
        Command::LastLine => 1 << 40,
        _ => {
            super::close(app);
            return Vec::new();
        }
    };
    let top = screen::story::scrolled(app, by);
    if let Mode::Story(page) = &mut app.mode
        && page.top != top
    {
        page.top = top;
        app.dirty = true;
    }
    Vec::new()
}
