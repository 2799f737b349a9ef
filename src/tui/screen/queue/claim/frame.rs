//! The frame around the claim: its name and verdict above, what was saved and what went wrong below.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::facts;
use crate::domain::queue::{ClaimDetail, QueueRow};
use crate::tui::app::{App, Detail, Focus, ToastKind};
use crate::tui::command::{Command, Place};
use crate::tui::screen::queue::list::{one_line, short};
use crate::tui::theme::Role;
use crate::tui::widget::badge;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::phrase::Phrase;

/// Draws the frame; returns the room inside.
pub(super) fn draw(app: &App, area: Rect, buf: &mut Buffer) -> Rect {
    let mut panel = Panel {
        bottom_left: happened(app, area.width),
        focused: app.focus != Focus::Queue,
        ..Panel::default()
    };
    panel.bottom_right = saved_beside(app, &panel.bottom_left, area.width);
    if let Some(selected) = &app.claim {
        let row = app.queue.rows.iter().find(|row| row.key == selected.key);
        match (&selected.detail, row) {
            (Detail::Ready(detail), _) => {
                panel.top_left = name(app, detail);
                panel.top_right = verdict(detail);
            }
            (_, Some(row)) => {
                panel.top_left = Phrase::new().say(Role::Title, one_line(&row.id.to_string()));
                panel.top_right = vec![of_row(row)];
            }
            _ => {}
        }
    }
    panel.draw(area, buf, &app.settings.theme)
}

/// Whether `words` can be read to their end in the edge of a frame that is `width` wide.
pub(in crate::tui::screen) fn fits_edge(words: &str, width: u16) -> bool {
    Phrase::new().say(Role::Error, words).width().saturating_add(8) <= width
}

fn name(app: &App, detail: &ClaimDetail) -> Phrase {
    let stays = app.staying.is_some_and(|staying| staying.record == detail.record_key);
    let id = Phrase::new().say(Role::Title, one_line(&detail.id.to_string()));
    match detail.siblings.iter().position(|sibling| sibling.key == detail.key) {
        Some(at) => id.dot(Role::Text, format!("claim {} of {}", at + 1, detail.siblings.len())),
        None => id,
    }
    .dot(Role::Title, if stays { "staying" } else { "" })
    .dot(Role::Muted, detail.given_id.as_deref().map(|given| short(&one_line(given), 20)).unwrap_or_default())
}

fn verdict(detail: &ClaimDetail) -> Vec<Phrase> {
    let judged = detail.outcome.judged();
    let short = badge::verdict(detail.outcome.state(), judged.map(|judged| judged.verdict));
    let severity = facts::with_severity(short.clone(), facts::severity(detail));
    let full = match judged {
        Some(judged) => severity.clone().dot(Role::Text, format!("{:.2}", judged.confidence.get())),
        None => severity.clone(),
    };
    vec![full, severity, short]
}

fn of_row(row: &QueueRow) -> Phrase {
    if row.damage.is_some() { badge::damaged() } else { badge::verdict(row.state, row.verdict) }
}

/// The latest thing that happened, or the reason that can be given to the last decision.
fn happened(app: &App, width: u16) -> Phrase {
    if let Some(toast) = &app.toast {
        let (role, sign) = match toast.kind {
            ToastKind::Info => (Role::Ok, ""),
            ToastKind::Warning => (Role::Warning, "! "),
            ToastKind::Error => (Role::Error, "✗ "),
        };
        let said = Phrase::new().say(role, format!("{sign}{}", one_line(&toast.text)));
        // A longer error has a box of its own.
        let cut = toast.kind == ToastKind::Error && !fits_edge(&toast.text, width);
        return if cut { Phrase::new().say(role, "✗ not done") } else { said };
    }
    let room =
        saved(app).first().map_or(width, |saved| width.saturating_sub(saved.width())).saturating_sub(8);
    let mut hints = hints(app);
    let shortest = hints.pop().unwrap_or_default();
    hints.into_iter().find(|hint| hint.width() <= room).unwrap_or(shortest)
}

/// What can be done about the last decision, the longest form first.
fn hints(app: &App) -> Vec<Phrase> {
    let Some(last) = &app.last_decision else { return Vec::new() };
    let key = |command| app.settings.keymap.label(command, Place::Review);
    let reason = |words: String| Phrase::new().say(Role::Key, key(Command::Reason)).say(Role::Muted, words);
    let more = |hint: Phrase, names: bool| match &app.left {
        Some(left) => {
            let answer = short(&one_line(left.record.audit_id.as_str()), 20);
            let of = if names { format!(" of {answer}") } else { String::new() };
            hint.dot(Role::Key, key(Command::StayWithAnswer))
                .say(Role::Muted, format!(" {} more{of}", left.open_besides()))
        }
        None => hint,
    };
    let named = || reason(format!(" + letter: reason for {}", short(&one_line(&last.id.to_string()), 24)));
    let plain = || reason(" + letter: reason".to_owned());
    let brief = || reason(" reason".to_owned());
    vec![
        more(named(), true),
        more(named(), false),
        more(plain(), true),
        more(plain(), false),
        more(brief(), false),
    ]
}

/// The mark of the last save for an edge that is `width` wide, with `happened` at its left: a warning is
/// read to its end, news give way to the shortest mark.
pub(in crate::tui::screen) fn saved_beside(app: &App, happened: &Phrase, width: u16) -> Vec<Phrase> {
    let room = width.saturating_sub(happened.width() + 8);
    let is_free = |form: &Phrase| happened.is_empty() || app.toast.is_none() || form.width() <= room;
    let is_news = app.toast.as_ref().is_some_and(|toast| toast.kind == ToastKind::Info);
    let mut marks = saved(app);
    let least = marks.pop().filter(|least| is_news || is_free(least));
    marks.into_iter().filter(is_free).chain(least).collect()
}

/// What the store has on disk.
fn saved(app: &App) -> Vec<Phrase> {
    if let Some(subject) = &app.saving {
        return vec![Phrase::new().say(Role::Warning, format!("saving {}…", short(&one_line(subject), 24)))];
    }
    let Some(saved) = &app.saved else { return Vec::new() };
    let time = facts::time(saved.at);
    let subject = short(&one_line(&saved.subject), 24);
    vec![
        Phrase::new()
            .say(Role::Ok, "✓ saved ")
            .say(Role::Text, format!("{subject} {}", one_line(&saved.what)))
            .dot(Role::Muted, time.clone()),
        Phrase::new().say(Role::Ok, "✓ saved ").say(Role::Text, subject).dot(Role::Muted, time.clone()),
        Phrase::new().say(Role::Ok, "✓ saved ").say(Role::Muted, time),
    ]
}
