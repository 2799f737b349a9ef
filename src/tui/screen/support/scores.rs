//! How scores are spread: a bar, a number and a share for each.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::verdict::Score;
use crate::store::Support;
use crate::tui::app::App;
use crate::tui::screen::screens;
use crate::tui::theme::Role;
use crate::tui::widget::badge;
use crate::tui::widget::bar::bar;
use crate::tui::widget::figure::count;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::phrase::Phrase;

/// One for each score, one for the pairs without, one for people.
pub(super) const ROWS: u16 = 7;
/// Only the scores.
pub(super) const LEAST_ROWS: u16 = 5;

/// Cells of `? 1/5 No Support / Contradicts` and of `? 1/5 No support`.
const WORDS: u16 = 32;
const FEW_WORDS: u16 = 17;
/// Cells of `1,234,567  100.0 %`.
const NUMBERS: u16 = 19;

pub(super) fn draw(app: &App, support: &Support, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let all = &support.all;
    let pairs = all.n() + all.unscored();
    let noun = if pairs == 1 { "pair" } else { "pairs" };
    let mean = all.mean().map_or_else(String::new, |mean| format!("mean {mean:.2}"));
    let title = Phrase::new()
        .say(Role::Title, "Support")
        .say(Role::Text, format!("  {} {noun}", count(pairs)))
        .dot(Role::Text, mean);
    // The list of pairs has the keys.
    let panel =
        Panel { focused: false, bottom_left: Phrase::new(), ..screens::panel(app, title, area.width) };
    let room = panel.draw(area, buf, theme);
    let is_wide = room.width >= 60;
    let words = if is_wide { WORDS } else { FEW_WORDS };
    let bars = room.width.saturating_sub(words + NUMBERS);
    let most = all.counts.iter().copied().max().unwrap_or(0);
    for (y, score) in (room.y..room.bottom()).zip(Score::ALL) {
        let n = all.counts[usize::from(score.get() - 1)];
        let line = Rect { y, height: 1, ..room };
        let name = if is_wide { badge::score(score) } else { badge::score_in_brief(score) };
        name.draw(Rect { width: words, ..line }, buf, theme);
        let role = Role::of_verdict(Some(score.verdict()));
        let drawn = Phrase::new().say(role, bar(n, most, bars));
        drawn.draw(Rect { x: line.x + words, width: bars, ..line }, buf, theme);
        let share = if all.n() == 0 { 0.0 } else { n as f64 * 100.0 / all.n() as f64 };
        let numbers = Phrase::new()
            .say(Role::Text, count(n))
            .say(Role::Muted, format!("  {:>7}", format!("{share:.1} %")));
        numbers.draw_right(line, buf, theme);
    }
    for (y, line) in (room.y + LEAST_ROWS..room.bottom()).zip([without(support), people(support)]) {
        line.draw(Rect { y, height: 1, ..room }, buf, theme);
    }
}

fn without(support: &Support) -> Phrase {
    let mut words = Phrase::new().say(Role::VerdictNone, "○ without a score: ");
    if support.all.without.is_empty() {
        return words.say(Role::Muted, "none");
    }
    for (at, (state, n)) in support.all.without.iter().enumerate() {
        let before = if at == 0 { "" } else { ", " };
        words = words.say(Role::Text, format!("{before}{} {}", count(*n), state.replace('_', " ")));
    }
    words
}

fn people(support: &Support) -> Phrase {
    let words = Phrase::new().say(Role::Label, "people: ");
    let n = support.people.n();
    if n == 0 {
        return words.say(Role::Muted, "nobody has scored one yet");
    }
    let mean = support.people.mean().unwrap_or_default();
    let scores = if n == 1 { "1 score".to_owned() } else { format!("{} scores", count(n)) };
    let words = words.say(Role::Text, format!("{scores}, mean {mean:.2}"));
    match support.agreed {
        (_, 0) => words,
        (same, of) => words.dot(Role::Text, format!("{} of {} as the judge", count(same), count(of))),
    }
}
