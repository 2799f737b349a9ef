//! The lowest pairs: score, claim, source, and what people say.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::domain::verdict::Score;
use crate::store::WorstPair;
use crate::tui::app::App;
use crate::tui::screen::queue::one_line;
use crate::tui::screen::screens;
use crate::tui::theme::Role;
use crate::tui::widget::badge;
use crate::tui::widget::figure::count;
use crate::tui::widget::glyph;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::phrase::Phrase;

/// Cells before the claim: the judge's score, and a person's where one of the rows has it.
const SCORE: u16 = 5;
const RULED: u16 = 4;

pub(super) fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let support = &app.screens.support;
    let (at, pairs) = (support.at, support.pairs());
    let title = Phrase::new()
        .say(Role::Title, "Lowest scores")
        .say(Role::Text, format!("  {} of {}", count(if pairs == 0 { 0 } else { at + 1 }), count(pairs)));
    let chosen = support.pair(at);
    let panel = Panel {
        top_left: title,
        bottom_left: screens::told(app),
        bottom_right: chosen.map(told).unwrap_or_default(),
        focused: true,
        ..Panel::default()
    };
    let room = panel.draw(area, buf, theme);
    if pairs == 0 {
        Phrase::new().say(Role::Muted, "no pair has a score that stands").draw(room, buf, theme);
        return;
    }
    let height = u64::from(room.height).max(1);
    // The one in hand keeps to the middle, but for both ends.
    let top = at.saturating_sub(height / 2).min(pairs.saturating_sub(height));
    let mut shown = (top..top + height).filter_map(|place| support.pair(place));
    let scores = SCORE + if shown.any(|pair| pair.ruled.is_some()) { RULED } else { 0 };
    for y in 0..room.height {
        let place = top + u64::from(y);
        if place >= pairs {
            break;
        }
        let line = Rect { x: room.x - 1, y: room.y + y, width: room.width + 1, height: 1 }.intersection(area);
        match support.pair(place) {
            Some(pair) => row(app, pair, place == at, scores, line, buf),
            None => {
                Phrase::new().say(Role::Muted, " …").draw(line, buf, theme);
            }
        }
    }
    if top > 0 {
        glyph::put(buf, room.right(), room.y, "↑", 1, theme.style(Role::Muted));
    }
    if top + height < pairs {
        glyph::put(buf, room.right(), room.bottom().saturating_sub(1), "↓", 1, theme.style(Role::Muted));
    }
}

fn row(app: &App, pair: &WorstPair, is_chosen: bool, before: u16, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let over = if is_chosen { theme.style(Role::Selected) } else { Style::new() };
    let line = Rect { x: area.x + 1, width: area.width.saturating_sub(1), ..area };
    if is_chosen {
        glyph::put(buf, area.x, area.y, "▌", 1, theme.style(Role::Cursor));
        for x in line.x..line.right() {
            glyph::put(buf, x, line.y, " ", 1, over);
        }
    }
    let ruled = pair.ruled.map_or_else(
        || Phrase::new().say(Role::Text, "    "),
        |ruled| {
            Phrase::new()
                .say(Role::Muted, " →")
                .say(Role::of_verdict(Some(ruled.verdict())), format!(" {}", ruled.get()))
        },
    );
    let scores = sign(pair.score).join(ruled);
    scores.draw_over(Rect { width: before.min(line.width), ..line }, buf, theme, over);
    let source = (line.width / 4).clamp(8, 28);
    let claim = line.width.saturating_sub(before + source + 1);
    let words = Phrase::new().say(Role::Text, one_line(&pair.claim_text));
    words.draw_over(Rect { x: line.x + before, width: claim, ..line }, buf, theme, over);
    let name = Phrase::new().say(Role::Muted, one_line(&pair.source));
    name.draw_over(Rect { x: line.x + before + claim + 1, width: source, ..line }, buf, theme, over);
}

/// `? 1`.
fn sign(score: Score) -> Phrase {
    let verdict = Some(score.verdict());
    Phrase::new().say(Role::of_verdict(verdict), format!("{} {}", badge::symbol(verdict), score.get()))
}

/// What else is known of the pair in hand, the fullest form first.
fn told(pair: &WorstPair) -> Vec<Phrase> {
    let state = match (pair.open, pair.ruled) {
        (_, Some(ruled)) => format!("a person says {}", ruled.get()),
        (Some(true), None) => "open in the queue".to_owned(),
        (Some(false), None) => "decided".to_owned(),
        (None, None) => "not in the queue".to_owned(),
    };
    let state = Phrase::new().say(Role::Text, state);
    let of = [&pair.retrieval, &pair.model];
    let full =
        of.into_iter().flatten().fold(Phrase::new(), |words, name| words.dot(Role::Muted, one_line(name)));
    let full =
        if full.is_empty() { state.clone() } else { full.say(Role::Muted, " · ").join(state.clone()) };
    vec![full, state]
}
