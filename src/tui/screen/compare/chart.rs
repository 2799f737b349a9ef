//! Bars of characters, which tell the same without colour: `▒` is the baseline, `█` the candidate, and where a bar ends
//! in `├─●─┤` its value lies between the two ends with 95 % certainty.

use crate::report::{Chart, Figure, Interval, Unit};
use crate::tui::theme::Role;
use crate::tui::widget::phrase::Phrase;

/// What the bars of baseline and candidate are drawn with.
pub(super) const FILLS: [(&str, Role); 2] = [("▒", Role::Muted), ("█", Role::Focus)];

/// Cells of a name, and of a value.
const NAME: usize = 10;
const VALUE: usize = 12;
/// The longest bar.
const LONGEST: usize = 40;
/// Cells of an interval in words: `95 %: 12.5 to 100.0 %`.
const WORDS: usize = 24;

/// Cells that a bar has beside name, value and words.
fn room(width: u16, words: usize) -> usize {
    usize::from(width).saturating_sub(NAME + VALUE + words).min(LONGEST)
}

/// The rates of both versions, one a line, and the change.
pub(super) fn rates(figures: [Option<&Figure>; 3], width: u16) -> Vec<Phrase> {
    let [baseline, candidate, change] = figures;
    let cells = room(width, WORDS);
    let ends = [baseline, candidate].into_iter().flatten().flat_map(|figure| {
        [figure.value, figure.interval.map(|interval| interval.high)].into_iter().flatten()
    });
    let most = ends.fold(0.0, f64::max);
    let mut lines = Vec::new();
    for ((name, figure), (fill, role)) in
        [("baseline", baseline), ("candidate", candidate)].into_iter().zip(FILLS)
    {
        let Some(figure) = figure else { continue };
        let bar = bar(figure, most, cells, fill);
        let line = Phrase::new().say(Role::Label, format!("{name:<NAME$}"));
        let line =
            line.say(Role::Text, format!("{:>9}   ", figure.shown())).say(role, format!("{bar:<cells$}"));
        lines.push(line.say(Role::Muted, format!("  {}", grounds(figure))));
    }
    if let Some(change) = change {
        let role = match change.value {
            Some(more) if more > 0.0 => Role::Warning,
            _ => Role::Text,
        };
        let line = Phrase::new().say(Role::Label, format!("{:<NAME$}", "change"));
        let line = line.say(role, change.shown()).say(Role::Muted, format!("  {}", grounds(change)));
        lines.push(line);
    }
    lines
}

/// The interval, or why there is no number.
fn grounds(figure: &Figure) -> String {
    match (figure.interval, &figure.undefined_because) {
        (Some(Interval { low, high, .. }), _) => format!("95 %: {}", figure.unit.shown_range(low, high)),
        (None, Some(because)) => format!("because {because}"),
        (None, None) => String::new(),
    }
}

/// A bar to the value of `figure`, where `most` is `cells` long.
fn bar(figure: &Figure, most: f64, cells: usize, fill: &str) -> String {
    let Some(value) = figure.value.filter(|_| most > 0.0 && cells > 0) else { return String::new() };
    let at = |value: f64| ((value / most * cells as f64).round() as usize).min(cells - 1);
    let (low, high) = figure.interval.map_or((value, value), |interval| (interval.low, interval.high));
    let (is_below, is_above) = (low < value, high > value);
    let (mut low, mut high, mut value) = (at(low), at(high), at(value));
    // Both ends are told apart from the value where they are apart, though the cells are few.
    if is_above && high == value && cells > 2 {
        if high + 1 < cells {
            high += 1;
        } else {
            value -= 1;
        }
    }
    if is_below && low >= value {
        low = value.saturating_sub(1);
    }
    let cell = |cell: usize| match cell {
        cell if low == high && cell <= value => fill,
        cell if cell == value => "●",
        cell if cell < low => fill,
        cell if cell == low => "├",
        cell if cell == high => "┤",
        _ => "─",
    };
    (0..=high.max(value)).map(cell).collect()
}

/// Bars in pairs: the baseline's above the candidate's, and how much the candidate has more.
pub(super) fn pairs(chart: &Chart, width: u16) -> Vec<Phrase> {
    let cells = room(width, 8).max(1);
    let mut lines = Vec::new();
    for bar in &chart.bars {
        let [before, after] = [0, 1].map(|side| bar.values.get(side).copied().flatten().unwrap_or(0.0));
        let change = match after - before {
            0.0 => String::new(),
            change if change > 0.0 => format!("+{}", Unit::Count.shown(change)),
            change => Unit::Count.shown(change),
        };
        for ((value, name), (fill, role)) in
            [(before, bar.name.clone()), (after, change)].into_iter().zip(FILLS)
        {
            let length = chart.length(value, cells as f64).round() as usize;
            let length = if value > 0.0 { length.max(1) } else { 0 };
            let drawn = fill.repeat(length);
            let gap = if length > 0 { " " } else { "" };
            let line = Phrase::new().say(Role::Label, format!("{name:>NAME$}  "));
            lines.push(line.say(role, drawn).say(Role::Text, format!("{gap}{}", chart.unit.shown(value))));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(value: f64, ends: Option<(f64, f64)>) -> Figure {
        Figure::new("rate", "rate", Unit::Share, Ok::<_, String>(value)).within(ends)
    }

    #[test]
    fn a_bar_ends_at_its_value_and_shows_where_it_may_lie() {
        assert_eq!(bar(&share(0.5, Some((0.25, 0.75))), 1.0, 8, "█"), "██├─●─┤");
        assert_eq!(bar(&share(1.0, Some((0.75, 1.0))), 1.0, 8, "█"), "██████├●");
        assert_eq!(bar(&share(0.93, Some((0.9, 0.97))), 0.97, 8, "▒"), "▒▒▒▒▒├●┤");
        assert_eq!(bar(&share(0.5, Some((0.49, 0.51))), 1.0, 8, "▒"), "▒▒▒├●┤");
        assert_eq!(bar(&share(0.5, None), 1.0, 8, "▒"), "▒▒▒▒▒");
        assert_eq!(bar(&share(0.0, Some((0.0, 0.25))), 1.0, 8, "▒"), "●─┤");
        assert_eq!(bar(&share(0.5, None), 0.0, 8, "▒"), "");
        assert_eq!(bar(&share(0.5, None), 1.0, 0, "▒"), "");
    }
}
