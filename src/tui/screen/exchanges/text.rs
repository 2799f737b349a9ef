//! The chosen exchange: its facts, as many as there is room for, and below them its text.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::exchange::{Exchange, Purpose};
use crate::domain::ids::ClaimId;
use crate::tui::app::{App, ToastKind};
use crate::tui::command::{Command, Place};
use crate::tui::exchanges::advice::{meaning, to_do};
use crate::tui::exchanges::{Entry, ExchangeLog, Logged, Reading, View};
use crate::tui::screen::queue::{one_line, text_goes_on, words_in};
use crate::tui::theme::Role;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::passage::Passage;
use crate::tui::widget::phrase::Phrase;
use crate::tui::widget::{badge, figure, glyph};

/// Columns of the words before the facts.
const GUTTER: u16 = 10;

/// From this many rows on, blank rows set the parts off.
const ROOMY: u16 = 16;

/// A fact with the rows that it would like.
struct Fact {
    label: &'static str,
    words: String,
    role: Role,
    rows: u16,
}

pub(super) fn draw(app: &App, log: &ExchangeLog, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let title = title(log);
    let beside = area.width.saturating_sub(title.width() + 8);
    let mut views = views(app, log);
    let shortest = views.pop();
    let panel = Panel {
        top_left: title,
        // How it was asked is read to its end before what else can be shown.
        top_right: views.into_iter().filter(|view| view.width() <= beside).chain(shortest).collect(),
        bottom_left: said(app),
        bottom_right: vec![],
        focused: true,
    };
    let room = panel.draw(area, buf, theme);
    let logged = match log.entry() {
        Some(Entry::Kept(logged)) => logged,
        Some(Entry::Damaged(why)) => {
            badge::damaged().say(Role::Error, ": this exchange cannot be read.").draw(room, buf, theme);
            let below = Rect { y: room.y + 1, height: room.height.saturating_sub(1), ..room };
            words_in(why, Role::Text, below, buf, theme);
            return;
        }
        None => return,
    };
    let mut y = room.y;
    for fact in facts(app, log, logged, room) {
        let label = Rect { y, height: 1, width: GUTTER.min(room.width), ..room };
        Phrase::new().say(Role::Label, fact.label).draw(label, buf, theme);
        let words = Rect {
            x: room.x + GUTTER,
            y,
            width: room.width.saturating_sub(GUTTER),
            height: fact.rows.min(room.bottom().saturating_sub(y)),
        };
        words_in(&fact.words, fact.role, words, buf, theme);
        y += fact.rows;
    }
    let at = text_area(y, room);
    match (&log.reply, log.text()) {
        (_, Some(marked)) if marked.text.is_empty() => {
            Phrase::new().say(Role::Muted, "The reply is empty: not one byte came.").draw(at, buf, theme);
        }
        (_, Some(marked)) => {
            let focus = log.focus().map(|mark| mark.range.clone());
            let passage = Passage::new(&marked.text, &marked.marks, theme, at.width);
            let shown = passage.draw(focus.as_ref(), log.scroll, at, buf);
            text_goes_on(&shown, at, buf, theme);
            if y < at.y {
                rule(room, at.y - 1, buf, app);
            }
        }
        (Reading::Error(why), None) => words_in(why, Role::Error, at, buf, theme),
        (_, None) => {
            Phrase::new().say(Role::Muted, "reading the reply…").draw(at, buf, theme);
        }
    }
}

/// Where the text lies inside the pane.
pub(super) fn area(app: &App, log: &ExchangeLog, room: Rect) -> Rect {
    let Some(Entry::Kept(logged)) = log.entry() else { return room };
    let taken: u16 = facts(app, log, logged, room).iter().map(|fact| fact.rows).sum();
    text_area(room.y + taken, room)
}

fn text_area(below: u16, room: Rect) -> Rect {
    let below = below + u16::from(room.height >= ROOMY);
    Rect { y: below.min(room.bottom()), height: room.bottom().saturating_sub(below), ..room }
}

/// A line between facts and text.
fn rule(room: Rect, y: u16, buf: &mut Buffer, app: &App) {
    for x in room.x..room.right() {
        glyph::put(buf, x, y, "─", 1, app.settings.theme.style(Role::Border));
    }
}

fn title(log: &ExchangeLog) -> Phrase {
    match log.entry() {
        Some(Entry::Kept(logged)) => {
            let exchange = &logged.exchange;
            let purpose = match exchange.purpose {
                Purpose::Ask => "asked",
                Purpose::AskAgain => "asked for the rest",
                Purpose::Repair => "asked to repair",
                Purpose::Probe => "tried",
            };
            Phrase::new()
                .say(Role::Title, format!("{} ", log.chosen + 1))
                .join(badge::ending(exchange.ending))
                .dot(Role::Text, format!("{purpose}, part {}, try {}", exchange.part, exchange.attempt))
        }
        _ => Phrase::new().say(Role::Title, format!("{}", log.chosen + 1)),
    }
}

/// What is looked at, and the key to what comes next.
fn views(app: &App, log: &ExchangeLog) -> Vec<Phrase> {
    if log.entry().and_then(Entry::kept).is_none() {
        return Vec::new();
    }
    let key = app.settings.keymap.label(Command::SwitchView, Place::Exchanges);
    let is_laid_out = log.reply.ready().is_some_and(|reply| reply.readable.is_some());
    let name = |view: View| match view {
        View::Readable if is_laid_out => "reply, laid out",
        View::Readable | View::Raw => "reply, as it came",
        View::Sent => "what was sent",
    };
    let size = log.entry().and_then(Entry::kept).filter(|_| log.view != View::Sent);
    let size = size.map(|logged| bytes(logged.reply_bytes)).unwrap_or_default();
    let size_again = size.clone();
    let here = || Phrase::new().say(Role::Text, name(log.view));
    let next = || Phrase::new().say(Role::Key, key.as_str());
    vec![
        here()
            .dot(Role::Muted, size)
            .say(Role::Muted, " · ")
            .join(next())
            .say(Role::Muted, format!(" {}", name(log.next_view()))),
        here().dot(Role::Muted, size_again).say(Role::Muted, " · ").join(next()),
        here().say(Role::Muted, " · ").join(next()),
        next(),
    ]
}

fn bytes(count: usize) -> String {
    match count {
        1 => "1 byte".to_owned(),
        0..10_000 => format!("{} bytes", figure::count(count as u64)),
        10_000..10_000_000 => format!("{} kB", figure::count(count as u64 / 1_000)),
        _ => format!("{} MB", figure::count(count as u64 / 1_000_000)),
    }
}

/// What happened last, as far as it has to be read here.
fn said(app: &App) -> Phrase {
    let Some(toast) = &app.toast else { return Phrase::new() };
    let (role, sign) = match toast.kind {
        ToastKind::Info => (Role::Ok, ""),
        ToastKind::Warning => (Role::Warning, "! "),
        ToastKind::Error => (Role::Error, "✗ "),
    };
    Phrase::new().say(role, format!("{sign}{}", one_line(&toast.text)))
}

/// The facts that have room in `room`, each with its rows. The text keeps the greater part of it, but what is to
/// be done is always said.
fn facts(app: &App, log: &ExchangeLog, logged: &Logged, room: Rect) -> Vec<Fact> {
    let exchange = &logged.exchange;
    let width = room.width.saturating_sub(GUTTER);
    let mut facts = Vec::new();
    let mut add = |label, words: String, role, most: u16| {
        if !words.is_empty() {
            let rows = Passage::new(&words, &[], &app.settings.theme, width).height(most).max(1);
            facts.push(Fact { label, words, role, rows });
        }
    };
    let ended = if exchange.detail.is_empty() {
        meaning(exchange.ending).to_owned()
    } else {
        format!("{}: {}", meaning(exchange.ending), one_paragraph(&exchange.detail))
    };
    // The most important first: where room is short, the last ones are left out.
    add("Ended", ended, Role::Text, if room.height >= ROOMY { 3 } else { 1 });
    let to_do = to_do(log);
    let least = if to_do.is_some() { 4 } else { 3 };
    add("To do", to_do.unwrap_or_default(), Role::Warning, 3);
    add("Took", took(exchange), Role::Text, 1);
    add("Model", model(exchange), Role::Text, 1);
    add("Asked at", format!("{} {}", short_time(exchange), one_line(&exchange.endpoint)), Role::Text, 1);
    add("Prompt", prompt(exchange), Role::Text, 1);
    add("With", one_line(&exchange.parameters.to_string()), Role::Text, 1);
    add("Names", names(exchange), Role::Muted, 1);
    add("Used by", used_by(log, logged), Role::Muted, 1);
    let mut left = (room.height * 2 / 5).max(least);
    facts.retain_mut(|fact| {
        fact.rows = fact.rows.min(left);
        left -= fact.rows;
        fact.rows > 0
    });
    facts
}

fn one_paragraph(text: &str) -> String {
    one_line(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn short_time(exchange: &Exchange) -> String {
    let at = exchange.at.to_string();
    match (at.get(..10), at.get(11..19)) {
        (Some(day), Some(time)) => format!("{day} {time}Z"),
        _ => at,
    }
}

fn took(exchange: &Exchange) -> String {
    let tokens = exchange.tokens;
    let said = |count: Option<u64>, of: &str| match count {
        Some(count) => format!("{} {of}", figure::count(count)),
        None => format!("unknown {of}"),
    };
    let part = |count: Option<u64>, of: &str| {
        count.map(|count| format!(" ({} {of})", figure::count(count))).unwrap_or_default()
    };
    let cost = exchange.cost_micros.map_or_else(|| "cost unknown".to_owned(), figure::cost);
    format!(
        "{} · {cost} · tokens: {}{}, {}{}",
        figure::took(exchange.latency),
        said(tokens.input, "in"),
        part(tokens.cached, "from cache"),
        said(tokens.output, "out"),
        part(tokens.reasoning, "reasoning"),
    )
}

fn model(exchange: &Exchange) -> String {
    let asked = one_line(&exchange.model_asked);
    match exchange.model_answered.as_deref() {
        Some(answered) if answered == exchange.model_asked => asked,
        Some(answered) => format!("{} answered, {asked} was asked", one_line(answered)),
        None => format!("{asked} was asked; the reply names none"),
    }
}

fn prompt(exchange: &Exchange) -> String {
    let hash = exchange.prompt_sha256.get(..8).unwrap_or(&exchange.prompt_sha256);
    format!("{} · {} {hash}", exchange.instrument, one_line(&exchange.prompt_version))
}

/// What server and log call it.
fn names(exchange: &Exchange) -> String {
    let short = |hash: &str| hash.get(..12).unwrap_or(hash).to_owned();
    let id = exchange.request_id.as_deref().map(|id| format!("request id {} · ", one_line(id)));
    format!(
        "{}question {} · body {}",
        id.unwrap_or_default(),
        short(&exchange.question_sha256),
        short(&exchange.request_sha256)
    )
}

/// Which other audits rest on it: an answer found again is not paid again.
fn used_by(log: &ExchangeLog, logged: &Logged) -> String {
    let here = log.id.as_ref().map(ClaimId::audit_id);
    let is_shared = logged.runs.len() > 1 || logged.runs.iter().any(|(id, _)| Some(id) != here);
    if !is_shared {
        return String::new();
    }
    let runs: Vec<String> =
        logged.runs.iter().map(|(id, n)| format!("{} audit {n}", one_line(id.as_str()))).collect();
    format!("{}; found again, not paid again", runs.join(", "))
}
