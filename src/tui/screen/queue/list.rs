//! The list of claims, most dangerous first. Only the visible rows are built.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::blind::Sight;
use crate::domain::decision::DecisionKind;
use crate::domain::queue::QueueRow;
use crate::tui::app::{App, Focus};
use crate::tui::command::{Command, Place};
use crate::tui::news::News;
use crate::tui::theme::Role;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::phrase::Phrase;
use crate::tui::widget::{badge, glyph};

use super::threads;

pub(in crate::tui::screen) fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let news = news(app);
    let deferred = match app.counts.deferred {
        0 => String::new(),
        count => format!(" ({count} deferred)"),
    };
    let open = format!("{} open{deferred}", app.counts.open);
    // News needs the room in a narrow list; the top line says that this is the queue.
    let title = if let Some(found) = &app.found {
        let shown = found.shown(app.counts.open);
        if news.is_empty() || area.width >= super::super::SIDE_BY_SIDE {
            let view = app.views.current(app.found.as_ref()).map(|at| app.views.list[at].view.name.as_str());
            Phrase::new()
                .say(Role::Title, view.unwrap_or("Filtered"))
                .say(Role::Text, "  ")
                .say(Role::Text, shown)
        } else {
            Phrase::new().say(Role::Title, shown)
        }
    } else if news.is_empty() || area.width >= super::super::SIDE_BY_SIDE {
        let aside = match app.counts.set_aside {
            0 => String::new(),
            some => format!(" · {some} in blocked answers"),
        };
        let all = format!(" of {}{aside}", app.counts.routed);
        Phrase::new()
            .say(Role::Title, if app.threads.is_on() { "Answers  " } else { "Queue  " })
            .say(Role::Text, open)
            .say(Role::Muted, all)
    } else {
        Phrase::new().say(Role::Text, open)
    };
    let panel = Panel {
        top_left: title,
        top_right: news,
        bottom_left: if app.marks.is_empty() { session(app) } else { marked(app) },
        bottom_right: bottom(app),
        focused: app.focus == Focus::Queue,
    };
    let inside = panel.draw(area, buf, theme);
    let selected = app.claim.as_ref().map(|claim| claim.key);
    // What a dialog leaves of the list has fewer lines.
    let top = app.first_shown(inside.height.into());
    // A row begins in the panel's margin: the cursor bar stands there.
    let line = |y| Rect { x: inside.x - 1, y, width: inside.width + 2, height: 1 };
    if app.threads.is_on() {
        for (y, shown) in (inside.y..inside.bottom()).zip(app.lines().iter().skip(top)) {
            threads::draw(app, shown, line(y), buf);
        }
    } else {
        for (y, row) in (inside.y..inside.bottom()).zip(app.queue.rows.iter().skip(top)) {
            draw_row(app, row, selected == Some(row.key), line(y), buf);
        }
    }
    if let Some((x, y)) = (inside.height > 0).then(|| (inside.right(), inside.y)) {
        if top > 0 || !app.queue.at_start {
            glyph::put(buf, x, y, "↑", 1, theme.style(Role::Muted));
        }
        let shown = top + usize::from(inside.height);
        if shown < app.line_count() || !app.queue.at_end {
            glyph::put(buf, x, inside.bottom() - 1, "↓", 1, theme.style(Role::Muted));
        }
    }
}

pub(super) fn draw_row(app: &App, row: &QueueRow, selected: bool, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    if selected {
        glyph::put(buf, area.x, area.y, "▌", 1, theme.style(Role::Cursor));
    }
    let mut margin = margin(row);
    let mark = if app.marks.has(row.key) { "●" } else { "○" };
    if app.marks.has(row.key) || app.marks.range == Some(row.key) {
        // A letter stands close to it, a name does not.
        let gap = if row.held_by.is_some() { " " } else { "" };
        margin = Phrase::new().say(Role::Focus, format!("{mark}{gap}")).join(margin);
    }
    if let Some(count) = app.same.as_ref().and_then(|same| same.count(row.key)) {
        margin = Phrase::new().say(Role::Focus, format!("×{count} ")).join(margin);
    }
    let margin_width = margin.width();
    let (sign, sign_role) = badge::sign_in_force((row.state, row.verdict), &row.rulings);
    // Behind a verdict that a person gave.
    let (by_person, by_role) = if row.rulings.is_empty() { ("", Role::Text) } else { ("*", Role::Title) };
    let done = !row.rulings.is_empty() && !row.disputed;
    let text = match (selected, done || row.skipped || row.deferred.is_some() || row.held_by.is_some()) {
        (true, _) => Role::Focus,
        (false, true) => Role::Muted,
        (false, false) => Role::Text,
    };
    let words = match row.sight {
        Sight::Hidden => Phrase::new(),
        Sight::Open | Sight::Revealed => badge::graded(row.severity, &row.rulings, row.ruled_severity),
    };
    let words = match &row.damage {
        Some(sentence) => words.join(badge::damaged()).say(Role::Text, " ").say(text, one_line(sentence)),
        None => words
            .say(sign_role, sign)
            .say(by_role, by_person)
            .say(Role::Text, " ")
            .say(text, one_line(&row.claim_text)),
    };
    let room = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let gap = if margin_width > 0 { margin_width + 1 } else { 0 };
    words.draw(Rect { width: room.width.saturating_sub(gap), ..room }, buf, theme);
    margin.draw_right(room, buf, theme);
}

/// Who decides here, where others decide in this store too; what they decided in this session, and at which pace.
fn session(app: &App) -> Phrase {
    if app.queue.to_end {
        return Phrase::new().say(Role::Warning, "reading the end…");
    }
    let me = if app.counts.is_shared {
        Phrase::new().say(Role::Text, short(&one_line(app.settings.annotator.as_str()), 20))
    } else {
        Phrase::new()
    };
    if app.pace.session == 0 {
        return me;
    }
    let me = if me.is_empty() { me } else { me.say(Role::Muted, " · ") };
    let words = me.say(Role::Muted, format!("{} this session", app.pace.session));
    match app.pace.each() {
        Some(each) => words.dot(Role::Muted, format!("{} s each", each.as_secs().max(1))),
        None => words,
    }
}

/// How many claims are marked, and what can be done with them.
fn marked(app: &App) -> Phrase {
    if app.marks.is_empty() {
        return Phrase::new();
    }
    let key = |command| app.settings.keymap.label(command, Place::Review);
    let mut words = Phrase::new().say(Role::Focus, format!("● {} marked", app.marks.rows.len()));
    if app.marks.range.is_some() {
        return words.dot(Role::Key, key(Command::MarkRange)).say(Role::Muted, " ends the range");
    }
    words = words.dot(Role::Key, key(Command::ActOnMarked)).say(Role::Muted, " acts on them");
    words
}

/// What people did with the claim, by the letters of the keys that do it.
fn margin(row: &QueueRow) -> Phrase {
    let mut marks = Phrase::new();
    if row.sight == Sight::Revealed {
        marks = marks.say(Role::Warning, "keep?");
    }
    if let Some(hold) = &row.held_by {
        let others = row.blocked
            || row.begun
            || row.flagged
            || row.deferred.is_some()
            || row.skipped
            || row.decided.is_some();
        let gap = if others { " " } else { "" };
        marks = marks.say(Role::Warning, format!("@{}{gap}", short(hold.holder.as_str(), 8)));
    }
    if row.blocked {
        marks = marks.say(Role::Error, "B");
    }
    if row.begun {
        marks = marks.say(Role::Warning, "a");
    }
    if row.flagged {
        marks = marks.say(Role::Warning, if row.escalated { "E" } else { "f" });
    }
    if row.deferred.is_some() {
        marks = marks.say(Role::Muted, "D");
    }
    if row.skipped {
        marks = marks.say(Role::Muted, "s");
    }
    match row.decided.as_ref().map(|decided| decided.kind) {
        Some(DecisionKind::Confirmed) => marks.say(Role::Ok, "c"),
        Some(DecisionKind::Overridden) => marks.say(Role::Ok, "o"),
        None => marks,
    }
}

/// Line ends become blanks: a row is one line. Only as much as a row can show.
pub(in crate::tui::screen) fn one_line(text: &str) -> String {
    text.trim_start()
        .chars()
        .take(400)
        .map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c })
        .collect()
}

pub(in crate::tui::screen) fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(std::iter::once('…')).collect()
}

/// At most `most` characters of `text`, its beginning and its end: either may be what moves.
pub(in crate::tui::screen) fn both_ends(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let half = most.saturating_sub(3) / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(count - half).collect();
    format!("{} … {}", head.trim_end(), tail.trim_start())
}

/// What came and was not looked at, the longest form first.
pub(super) fn news(app: &App) -> Vec<Phrase> {
    let News { critical, high, critical_below, high_below, outside, .. } = app.news;
    let side = match (critical + high, critical_below + high_below) {
        (0, 0) if app.news.repeats > 0 => {
            return vec![Phrase::new().say(Role::Muted, format!("+{} of the same", app.news.repeats))];
        }
        (0, 0) => return Vec::new(),
        (_, 0) => " above",
        (0, _) => " below",
        _ => " above and below",
    };
    let has_high_above = high > 0;
    let (critical, high) = (critical + critical_below, high + high_below);
    let key = match (critical, has_high_above) {
        (1.., _) => Some(Command::NewestCritical),
        (0, true) => Some(Command::FirstClaim),
        // Nothing goes to them at once: they come as the queue is gone through.
        (0, false) => None,
    };
    let key = key.map(|command| app.settings.keymap.label(command, Place::Review));
    let told = |words: String| {
        let words = Phrase::new().say(Role::News, words);
        match &key {
            Some(key) => words.dot(Role::Key, key.as_str()),
            None => words,
        }
    };
    let count = match (critical, high) {
        (0, high) => format!("■ {high} new HIGH{side}"),
        (critical, 0) => format!("▲ {critical} new CRITICAL{side}"),
        (critical, high) => format!("▲ {critical} new CRITICAL, {high} HIGH{side}"),
    };
    let outside = match outside {
        0 => String::new(),
        some if some == critical + high => ", outside the filter".to_owned(),
        some => format!(", {some} outside the filter"),
    };
    let same = match app.news.repeats {
        0 => String::new(),
        some => format!(" · +{some} of the same"),
    };
    let brief = if critical > 0 { format!("▲ {critical} new") } else { format!("■ {high} new") };
    let severity = if critical > 0 { "CRITICAL" } else { "HIGH" };
    vec![
        told(format!("{count}{outside}{same}")),
        told(format!("{count}{outside}")),
        told(format!("{brief}{}", outside.replace(" the filter", ""))),
        told(format!("{brief} {severity}{side}")),
        told(format!("{brief}{side}")),
        Phrase::new().say(Role::News, brief),
    ]
}

fn bottom(app: &App) -> Vec<Phrase> {
    if app.settings.demo {
        let quit = app.settings.keymap.label(Command::Quit, Place::Review);
        let own = || Phrase::new().say(Role::Text, "juror import FILE");
        return vec![
            Phrase::new()
                .say(Role::Muted, "sample data")
                .dot(Role::Key, quit.as_str())
                .say(Role::Muted, " leaves · your own: ")
                .join(own()),
            Phrase::new()
                .say(Role::Muted, "demo")
                .dot(Role::Key, quit.as_str())
                .say(Role::Muted, " leaves · own data: ")
                .join(own()),
            Phrase::new().say(Role::Muted, "sample data").dot(Role::Key, quit).say(Role::Muted, " leaves"),
        ];
    }
    Vec::new()
}
