//! Pairs put together by source, way of retrieval and model, the weakest first.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::measure::scores::Spread;
use crate::store::{Groups, Support};
use crate::tui::app::App;
use crate::tui::screen::queue::one_line;
use crate::tui::theme::Role;
use crate::tui::widget::bar::bar;
use crate::tui::widget::figure::count;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::phrase::Phrase;

/// Cells of the columns behind the name: pairs, mean, share of weak ones, and a bar of it.
const PAIRS: u16 = 9;
const MEAN: u16 = 6;
const WEAK: u16 = 8;
const BAR: u16 = 9;

pub(super) fn sources(app: &App, support: &Support, area: Rect, buf: &mut Buffer) {
    let groups = &support.sources;
    let number =
        if groups.all == 1 { "1 source".to_owned() } else { format!("{} sources", count(groups.all)) };
    let title = Phrase::new().say(Role::Title, number).say(Role::Text, ", the weakest first");
    let room = Panel { top_left: title, ..Panel::default() }.draw(area, buf, &app.settings.theme);
    table(app, "source", groups, room, buf);
}

pub(super) fn others(app: &App, support: &Support, area: Rect, buf: &mut Buffer) {
    let title = Phrase::new().say(Role::Title, "Ways of retrieval, models");
    let room = Panel { top_left: title, ..Panel::default() }.draw(area, buf, &app.settings.theme);
    let rows = 1 + support.retrievals.worst.len().max(1) as u16;
    let first = Rect { height: rows.min(room.height.saturating_sub(2).max(2)).min(room.height), ..room };
    table(app, "retrieval", &support.retrievals, first, buf);
    let rest = Rect { y: first.bottom(), height: room.height - first.height, ..room };
    table(app, "model", &support.models, rest, buf);
}

fn table(app: &App, name: &str, groups: &Groups, room: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    if room.height == 0 {
        return;
    }
    let columns = Columns::of(room);
    let label = |text: &str| Phrase::new().say(Role::Label, text);
    columns.draw(room.y, &label(name), [&label("pairs"), &label("mean"), &label("1 or 2")], app, buf);
    if groups.worst.is_empty() {
        let line = Rect { y: room.y + 1, height: 1, ..room }.intersection(room);
        Phrase::new().say(Role::Muted, "no pair names one").draw(line, buf, theme);
    }
    for (y, (name, spread)) in (room.y + 1..room.bottom()).zip(&groups.worst) {
        row(&columns, y, name, spread, app, buf);
    }
}

fn row(columns: &Columns, y: u16, name: &str, spread: &Spread, app: &App, buf: &mut Buffer) {
    let say = |text: String| Phrase::new().say(Role::Text, text);
    let dash = || "–".to_owned();
    let mean = spread.mean().map_or_else(dash, |mean| format!("{mean:.2}"));
    let (weak, n) = (spread.weak(), spread.n());
    let share = if n == 0 { dash() } else { format!("{:.0} %", weak as f64 * 100.0 / n as f64) };
    let role = if weak * 2 > n { Role::VerdictUnsupported } else { Role::Text };
    let cells = [&say(count(n + spread.unscored())), &say(mean), &Phrase::new().say(role, share)];
    columns.draw(y, &say(one_line(name)), cells, app, buf);
    if let Some(place) = columns.bar {
        let drawn = Phrase::new().say(role, bar(weak, n.max(1), place.width - 1));
        drawn.draw(Rect { y, x: place.x + 1, width: place.width - 1, ..place }, buf, &app.settings.theme);
    }
}

/// Where the columns of a table lie.
struct Columns {
    name: Rect,
    numbers: [Rect; 3],
    bar: Option<Rect>,
}

impl Columns {
    fn of(room: Rect) -> Self {
        let with_bar = room.width >= 50;
        let numbers = PAIRS + MEAN + WEAK;
        let name = room.width.saturating_sub(numbers + if with_bar { BAR } else { 0 });
        let mut x = room.x + name;
        let mut next = |width: u16| {
            let column = Rect { x, width, height: 1, ..room };
            x += width;
            column
        };
        let numbers = [next(PAIRS), next(MEAN), next(WEAK)];
        let bar = with_bar.then(|| next(BAR));
        Self { name: Rect { width: name.saturating_sub(1), height: 1, ..room }, numbers, bar }
    }

    fn draw(&self, y: u16, name: &Phrase, cells: [&Phrase; 3], app: &App, buf: &mut Buffer) {
        let theme = &app.settings.theme;
        name.draw(Rect { y, ..self.name }, buf, theme);
        for (place, cell) in self.numbers.iter().zip(cells) {
            cell.draw_right(Rect { y, ..*place }, buf, theme);
        }
    }
}
