//! The exchanges of a claim, in the order in which they were sent.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{LINES, SIDE_BY_SIDE};
use crate::domain::exchange::{Exchange, Purpose};
use crate::text::width::pad;
use crate::tui::app::App;
use crate::tui::command::{Command, Place};
use crate::tui::exchanges::advice::Total;
use crate::tui::exchanges::{Entry, ExchangeLog};
use crate::tui::screen::queue::{one_line, text_goes_on};
use crate::tui::theme::Role;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::passage::Shown;
use crate::tui::widget::phrase::Phrase;
use crate::tui::widget::{badge, figure};

/// Cells of the columns.
const ENDING: usize = 13;
const WHAT: usize = 11;
const TOOK: usize = 8;
const TIME: usize = 8;
const TOKENS: usize = 13;
const COST: usize = 9;
const STATUS: usize = 4;

/// A model's name with less room than this says nothing.
const LEAST_NAME: u16 = 8;

pub(super) fn draw(app: &App, log: &ExchangeLog, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let closes = app.settings.keymap.label(Command::Cancel, Place::Exchanges);
    let id = log.id.as_ref().map(|id| one_line(&id.to_string())).unwrap_or_default();
    let count = format!("{} of {}", log.chosen + 1, log.entries().len());
    let panel = Panel {
        top_left: Phrase::new().say(Role::Title, "Exchanges").dot(Role::Text, id),
        top_right: vec![
            Phrase::new().say(Role::Text, count).dot(Role::Key, closes.as_str()).say(Role::Muted, " closes"),
            Phrase::new().say(Role::Key, closes).say(Role::Muted, " closes"),
        ],
        bottom_left: Phrase::new(),
        bottom_right: totals(log),
        focused: false,
    };
    let room = panel.draw(area, buf, theme);
    let is_wide = app.size.width < SIDE_BY_SIDE;
    let lines = if is_wide { 1 } else { LINES };
    let mut rows = room;
    if is_wide && room.height >= 4 {
        columns(room.width).draw(Rect { height: 1, ..room }, buf, theme);
        rows = Rect { y: room.y + 1, height: room.height - 1, ..room };
    }
    let shown = usize::from(rows.height / lines);
    let entries = log.entries();
    let top = log.chosen.saturating_sub(shown / 2).min(entries.len().saturating_sub(shown));
    for (at, (y, entry)) in
        (rows.y..rows.bottom()).step_by(lines.into()).zip(entries.iter().skip(top)).enumerate().take(shown)
    {
        let n = top + at;
        let row = Rect { y, height: 1, ..rows };
        let is_chosen = n == log.chosen;
        let [first, second] = if is_wide {
            [line(n, entry, is_chosen, row.width), Phrase::new()]
        } else {
            two_lines(n, entry, is_chosen, row.width)
        };
        first.draw(row, buf, theme);
        if lines > 1 {
            second.draw(Rect { y: y + 1, ..row }, buf, theme);
        }
    }
    let shown = Shown { above: top > 0, below: top + shown < entries.len(), ..Shown::default() };
    text_goes_on(&shown, rows, buf, theme);
}

/// Bar, number and what it was about: the beginning of every row.
fn begin(n: usize, is_chosen: bool) -> Phrase {
    let role = if is_chosen { Role::Title } else { Role::Muted };
    Phrase::new().say(Role::Cursor, if is_chosen { "▌" } else { " " }).say(role, format!("{:>2} ", n + 1))
}

fn time(exchange: &Exchange) -> String {
    exchange.at.to_string().get(11..19).unwrap_or_default().to_owned()
}

/// `ask 1.2`: purpose, part and attempt.
fn what(exchange: &Exchange) -> String {
    let purpose = match exchange.purpose {
        Purpose::Ask => "ask",
        Purpose::AskAgain => "rest",
        Purpose::Repair => "repair",
        Purpose::Probe => "probe",
    };
    format!("{purpose} {}.{}", exchange.part, exchange.attempt)
}

fn status(exchange: &Exchange) -> String {
    exchange.status.map_or_else(|| "–".to_owned(), |status| status.to_string())
}

/// `1,234→210`; what the server did not say is a question mark.
fn tokens(exchange: &Exchange) -> String {
    let said = |count: Option<u64>| count.map_or_else(|| "?".to_owned(), figure::count);
    format!("{}→{}", said(exchange.tokens.input), said(exchange.tokens.output))
}

fn cost(exchange: &Exchange) -> String {
    exchange.cost_micros.map_or_else(|| "unknown".to_owned(), figure::cost)
}

fn model(exchange: &Exchange) -> String {
    one_line(exchange.model_answered.as_deref().unwrap_or(&exchange.model_asked))
}

/// The columns that a row of `width` cells has room for, behind those that it always has; the most important
/// get room first.
#[expect(clippy::struct_excessive_bools, reason = "independent facts, not a state machine")]
struct Columns {
    took: bool,
    time: bool,
    tokens: bool,
    cost: bool,
    model: bool,
}

impl Columns {
    fn of(width: u16) -> Self {
        // Bar, number, ending, status, what.
        let mut used = 4 + ENDING + 1 + STATUS + 1 + WHAT;
        let mut fits = |cells: usize| {
            let does = used + 1 + cells <= usize::from(width);
            used += if does { 1 + cells } else { 0 };
            does
        };
        let (took, time, cost, tokens) = (fits(TOOK), fits(TIME), fits(COST), fits(TOKENS));
        let model = fits(LEAST_NAME.into());
        Self { took, time, tokens, cost, model }
    }
}

/// The names of the columns.
fn columns(width: u16) -> Phrase {
    let shown = Columns::of(width);
    let names = [
        (shown.time, "UTC", TIME),
        (true, "what", WHAT),
        (true, "ended", ENDING),
        (true, "HTTP", STATUS),
        (shown.took, "    took", TOOK),
        (shown.tokens, "tokens in→out", TOKENS),
        (shown.cost, "cost", COST),
        (shown.model, "answered by", 11),
    ];
    let names: Vec<String> = names
        .into_iter()
        .filter(|(is_shown, ..)| *is_shown)
        .map(|(_, name, cells)| pad(name, cells))
        .collect();
    Phrase::new().say(Role::Muted, format!("    {}", names.join(" ").trim_end()))
}

/// One row with its columns.
fn line(n: usize, entry: &Entry, is_chosen: bool, width: u16) -> Phrase {
    let start = begin(n, is_chosen);
    let exchange = match entry {
        Entry::Kept(logged) => &logged.exchange,
        Entry::Damaged(why) => {
            return start.join(badge::damaged()).say(Role::Text, format!(" {}", one_line(why)));
        }
    };
    let shown = Columns::of(width);
    let cell = |text: String, cells: usize| Phrase::new().say(Role::Text, pad(&text, cells));
    let took = figure::took(exchange.latency);
    let columns = [
        (shown.time, Phrase::new().say(Role::Muted, pad(&time(exchange), TIME))),
        (true, cell(what(exchange), WHAT)),
        (true, ending(exchange)),
        (true, cell(status(exchange), STATUS)),
        (shown.took, cell(format!("{took:>TOOK$}"), TOOK)),
        (shown.tokens, cell(tokens(exchange), TOKENS)),
        (shown.cost, cell(cost(exchange), COST)),
        (shown.model, Phrase::new().say(Role::Muted, model(exchange))),
    ];
    let columns = columns.into_iter().filter(|(is_shown, _)| *is_shown).map(|(_, column)| column);
    columns.enumerate().fold(start, |row, (at, column)| {
        let gap = if at > 0 { " " } else { "" };
        row.say(Role::Text, gap).join(column)
    })
}

/// The ending, as wide as its column.
fn ending(exchange: &Exchange) -> Phrase {
    let ending = badge::ending(exchange.ending);
    let gap = ENDING.saturating_sub(ending.width().into());
    ending.say(Role::Text, " ".repeat(gap))
}

/// The same below each other, for a list at the left.
fn two_lines(n: usize, entry: &Entry, is_chosen: bool, width: u16) -> [Phrase; 2] {
    let start = begin(n, is_chosen);
    let indent = || Phrase::new().say(Role::Cursor, if is_chosen { "▌" } else { " " }).say(Role::Text, "   ");
    let exchange = match entry {
        Entry::Kept(logged) => &logged.exchange,
        Entry::Damaged(why) => {
            return [start.join(badge::damaged()), indent().say(Role::Text, one_line(why))];
        }
    };
    let mut first = start
        .join(ending(exchange))
        .say(Role::Text, format!(" {}", pad(&what(exchange), WHAT)))
        .say(Role::Text, format!(" {}", pad(&status(exchange), STATUS)));
    if first.width() + 1 + LEAST_NAME <= width {
        first = first.say(Role::Muted, format!(" {}", model(exchange)));
    }
    let mut second = indent();
    let facts = [
        (Role::Muted, time(exchange)),
        (Role::Text, figure::took(exchange.latency)),
        (Role::Text, cost(exchange)),
        (Role::Text, tokens(exchange)),
    ];
    for (at, (role, fact)) in facts.into_iter().enumerate() {
        let longer = second.clone().say(Role::Muted, if at > 0 { " · " } else { "" }).say(role, fact);
        if longer.width() > width {
            break;
        }
        second = longer;
    }
    [first, second]
}

/// What all of them took, the fullest form first. What is not known is said, not counted as nothing.
fn totals(log: &ExchangeLog) -> Vec<Phrase> {
    let total = Total::of(log.entries());
    let cost = match (total.unknown_cost, total.micros) {
        (0, micros) => figure::cost(micros),
        (unknown, _) if unknown == total.exchanges => "cost unknown".to_owned(),
        (unknown, micros) => format!("{}, {unknown} unknown", figure::cost(micros)),
    };
    let at_least = if total.unknown_tokens > 0 { "at least " } else { "" };
    let tokens = if total.unknown_tokens == total.exchanges {
        "tokens unknown".to_owned()
    } else {
        format!("{at_least}{}→{} tokens", figure::count(total.input), figure::count(total.output))
    };
    let say = |text: String| Phrase::new().say(Role::Muted, text);
    vec![say(format!("{tokens} · {cost}")), say(cost), Phrase::new()]
}
