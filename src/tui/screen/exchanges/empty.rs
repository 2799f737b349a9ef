//! What to say while the log is read, when it cannot be, and when no model was asked.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::queue::ClaimDetail;
use crate::tui::app::App;
use crate::tui::command::{Command, Place};
use crate::tui::exchanges::{ExchangeLog, Reading};
use crate::tui::screen::queue::{facts, one_line, words_in};
use crate::tui::theme::Role;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::passage::Passage;
use crate::tui::widget::phrase::Phrase;

/// The judge that works by itself.
const LOCAL: &str = "local";

/// Wider lines are hard to read.
const WIDEST: u16 = 76;

pub(super) fn draw(app: &App, log: &ExchangeLog, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let closes = app.settings.keymap.label(Command::Cancel, Place::Exchanges);
    let id = log.id.as_ref().map(|id| one_line(&id.to_string())).unwrap_or_default();
    let panel = Panel {
        top_left: Phrase::new().say(Role::Title, "Exchanges").dot(Role::Text, id),
        top_right: vec![Phrase::new().say(Role::Key, closes.as_str()).say(Role::Muted, " closes")],
        focused: true,
        ..Panel::default()
    };
    let inside = panel.draw(area, buf, theme);
    let width = inside.width.min(WIDEST);
    let paragraphs = paragraphs(app, log);
    let heights: Vec<u16> = paragraphs
        .iter()
        .map(|(_, words)| Passage::new(words, &[], theme, width).height(inside.height).max(1))
        .collect();
    let total: u16 = heights.iter().map(|height| height + 1).sum();
    let x = inside.x + (inside.width - width) / 2;
    let mut y = inside.y + inside.height.saturating_sub(total) / 3;
    for ((role, words), height) in paragraphs.iter().zip(heights) {
        let height = height.min(inside.bottom().saturating_sub(y));
        words_in(words, *role, Rect { x, y, width, height }, buf, theme);
        y = (y + height + 1).min(inside.bottom());
    }
}

fn paragraphs(app: &App, log: &ExchangeLog) -> Vec<(Role, String)> {
    let detail = app.detail().filter(|detail| detail.key == log.claim);
    match &log.entries {
        Reading::Loading => vec![(Role::Muted, "reading the exchanges…".to_owned())],
        Reading::Error(why) => vec![
            (Role::Error, "The exchanges of this claim could not be read.".to_owned()),
            (Role::Text, why.clone()),
            (Role::Text, "The claim is untouched. `juror verify` checks the store.".to_owned()),
        ],
        Reading::Ready(_) => match detail {
            Some(detail) => none(detail),
            None => vec![(Role::Title, "No exchange with a model is kept for this audit.".to_owned())],
        },
    }
}

fn none(detail: &ClaimDetail) -> Vec<(Role, String)> {
    let why = (Role::Text, facts::why(detail));
    if detail.judge.judge == LOCAL {
        let title = "The local judge asked no model: its rationale names what decided.".to_owned();
        return vec![(Role::Title, title), why];
    }
    let judge = &detail.judge.judge;
    vec![
        (Role::Title, "No exchange with a model is kept for this audit.".to_owned()),
        (Role::Text, format!("The judge {} said: {}", one_line(judge), why.1)),
        (
            Role::Muted,
            format!(
                "`juror exchanges --audit-id {}` lists all that was asked for the record.",
                one_line(detail.record.audit_id.as_str())
            ),
        ),
    ]
}
