//! The *Dashboard*: how everything stood when it was read last, as lines in one column or two, scrolled together.

mod hours;
mod judged;
mod judges;
mod people;
mod running;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::queue::words_in;
use super::{Areas, SIDE_BY_SIDE, inside, screens};
use crate::domain::tally::Tally;
use crate::report::Unit;
use crate::store::Dashboard;
use crate::tui::app::App;
use crate::tui::command::Command;
use crate::tui::exchanges::Reading;
use crate::tui::theme::Role;
use crate::tui::widget::glyph;
use crate::tui::widget::phrase::Phrase;

/// Keys that do something on this screen, the most important first.
pub(super) const KEYS: &[Command] =
    &[Command::Cancel, Command::Down, Command::Up, Command::NextScreen, Command::Palette, Command::Help];

/// Cells between two columns.
const GAP: u16 = 4;

/// Draws it between top line and footer.
pub(super) fn draw(app: &App, body: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let panel = screens::panel(app, Phrase::new().say(Role::Title, "Dashboard"), body.width);
    let room = panel.draw(body, buf, theme);
    match &app.screens.dashboard.read {
        Reading::Loading => {
            Phrase::new().say(Role::Muted, "adding up…").draw(room, buf, theme);
        }
        Reading::Error(why) => words_in(why, Role::Error, room, buf, theme),
        Reading::Ready(read) => {
            let columns = columns(app, read, room.width);
            let longest = columns.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0);
            let top = app.screens.dashboard.top.min(longest.saturating_sub(usize::from(room.height)));
            for (place, lines) in &columns {
                for (y, line) in (room.y..room.bottom()).zip(lines.iter().skip(top)) {
                    line.draw(Rect { x: room.x + place.x, y, width: place.width, height: 1 }, buf, theme);
                }
            }
            if top > 0 {
                glyph::put(buf, room.right(), room.y, "↑", 1, theme.style(Role::Muted));
            }
            if top + usize::from(room.height) < longest {
                let y = room.bottom().saturating_sub(1);
                glyph::put(buf, room.right(), y, "↓", 1, theme.style(Role::Muted));
            }
        }
    }
}

/// All lines, and in which columns of a room of this width they stand.
fn columns(app: &App, read: &Dashboard, width: u16) -> Vec<(Rect, Vec<Phrase>)> {
    let column = |x: u16, width: u16| Rect { x, y: 0, width, height: 1 };
    if width + 4 < SIDE_BY_SIDE {
        let mut lines = running::lines(app, read, width);
        let parts = [
            judged::lines(app, read, width),
            hours::lines(read, width),
            judges::lines(read, width),
            people::lines(read, width),
        ];
        for more in parts.into_iter().filter(|part| !part.is_empty()) {
            lines.push(Phrase::new());
            lines.extend(more);
        }
        return vec![(column(0, width), lines)];
    }
    let left = (width - GAP) * 55 / 100;
    let right = width - GAP - left;
    let join = |mut first: Vec<Phrase>, second: Vec<Phrase>| {
        if !second.is_empty() {
            first.push(Phrase::new());
            first.extend(second);
        }
        first
    };
    let said = join(judged::lines(app, read, left), hours::lines(read, left));
    vec![
        (column(0, left), join(said, judges::lines(read, left))),
        (column(left + GAP, right), join(running::lines(app, read, right), people::lines(read, right))),
    ]
}

/// Lines that have room.
pub fn height(app: &App) -> usize {
    Areas::of(app.size).map_or(1, |areas| usize::from(inside(areas.body()).height))
}

/// The first line that is shown when the last one is.
pub fn last_top(app: &App) -> usize {
    let (Some(read), Some(areas)) = (app.screens.dashboard.read.ready(), Areas::of(app.size)) else {
        return 0;
    };
    let room = inside(areas.body());
    let longest = columns(app, read, room.width).iter().map(|(_, lines)| lines.len()).max().unwrap_or(0);
    longest.saturating_sub(usize::from(room.height))
}

fn heading(text: &str) -> Phrase {
    Phrase::new().say(Role::Title, text)
}

/// `begin` and then `fields`, apart by ` · `; one that has no room beside them begins a line of its own, two cells in.
fn flowing(begin: Phrase, fields: impl IntoIterator<Item = (Role, String)>, width: u16) -> Vec<Phrase> {
    let (mut lines, mut line) = (Vec::new(), begin);
    for (role, text) in fields {
        let longer = line.clone().dot(role, text.as_str());
        if longer.width() <= width || line.is_empty() {
            line = longer;
        } else {
            lines.push(std::mem::replace(&mut line, Phrase::new().say(Role::Text, "  ").say(role, text)));
        }
    }
    lines.push(line);
    lines
}

/// The share of wrong claims, in eight cells at most: of a thousand, three are not none.
fn share(tally: &Tally) -> String {
    tally.wrong_share().map_or_else(|| "–".to_owned(), |share| Unit::Share.shown(share))
}

/// `text` against the right end of so many cells.
fn right(text: &str, cells: usize) -> String {
    format!("{text:>cells$}")
}

/// At most five cells.
fn brief(number: u64) -> String {
    match number {
        0..=99_999 => number.to_string(),
        100_000..=9_999_999 => format!("{}k", number / 1000),
        number => format!("{}M", number / 1_000_000),
    }
}
