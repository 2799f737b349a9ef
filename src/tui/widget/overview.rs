//! One column beside a long text: which part of it is in view, and where its spans are.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::glyph;
use super::passage::Shown;
use crate::tui::theme::{Role, Theme};

/// A span of the text with how it is shown.
pub type Placed = (Range<usize>, Role);

/// Draws the column in `area`, which is one cell wide, for a text of `length` bytes of which `shown` is in view.
/// Where a row stands for several spans, what contradicts is shown, and the span in hand before all others.
pub fn draw(
    length: usize,
    shown: &Shown,
    spans: impl IntoIterator<Item = Placed>,
    area: Rect,
    buf: &mut Buffer,
    theme: &Theme,
) {
    let rows = usize::from(area.height);
    if rows == 0 || length == 0 {
        return;
    }
    let row_of = |at: usize| (at.min(length - 1) * rows / length).min(rows - 1);
    let view = shown.lines.first().zip(shown.lines.last());
    let view = view.map_or(0..=0, |(first, last)| row_of(first.start)..=row_of(last.end.max(1) - 1));
    let mut marks: Vec<Option<(u8, &str, Role)>> = vec![None; rows];
    for (range, role) in spans {
        let Some((weight, sign)) = sign(role) else { continue };
        if let Some(mark) = marks.get_mut(row_of(range.start))
            && mark.is_none_or(|(other, ..)| other < weight)
        {
            *mark = Some((weight, sign, role));
        }
    }
    for (at, (y, mark)) in (area.y..area.bottom()).zip(marks).enumerate() {
        let (sign, role) = match mark {
            Some((_, sign, role)) => (sign, role),
            None if view.contains(&at) => ("┃", Role::BorderFocus),
            None => ("│", Role::Border),
        };
        glyph::put(buf, area.x, y, sign, 1, theme.style(role));
    }
}

/// The sign of a span, and how much it counts among others.
const fn sign(role: Role) -> Option<(u8, &'static str)> {
    match role {
        Role::CurrentContradicts => Some((6, "≠")),
        Role::CurrentSupports => Some((5, "=")),
        Role::CurrentClosest => Some((4, "~")),
        Role::Contradicts => Some((3, "≠")),
        Role::Supports => Some((2, "=")),
        Role::Closest => Some((1, "~")),
        Role::Claim => Some((4, "▐")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ThemeName;

    fn column(length: usize, shown: &Shown, spans: &[Placed]) -> String {
        let theme = Theme::choose(ThemeName::Mono).expect("shipped");
        let area = Rect::new(0, 0, 1, 5);
        let mut buf = Buffer::empty(area);
        draw(length, shown, spans.iter().cloned(), area, &mut buf, &theme);
        (0..5).map(|y| buf[(0, y)].symbol().to_owned()).collect()
    }

    #[test]
    fn the_part_in_view_and_the_places_of_the_spans() {
        let lines = |from: usize, to: usize| Shown { lines: vec![from..from, from..to], ..Shown::default() };
        assert_eq!(column(100, &lines(0, 20), &[]), "┃││││");
        assert_eq!(column(100, &lines(35, 62), &[]), "│┃┃┃│");
        let spans = [(0..3, Role::Supports), (99..100, Role::Contradicts), (50..51, Role::Closest)];
        assert_eq!(column(100, &lines(0, 20), &spans), "=│~│≠");
        let same = [(50..51, Role::Contradicts), (51..52, Role::CurrentSupports), (52..53, Role::Difference)];
        assert_eq!(column(100, &lines(0, 20), &same), "┃│=││", "the span in hand");
        assert_eq!(column(0, &Shown::default(), &[]), "     ");
        assert_eq!(
            column(3, &lines(0, 3), &[(900..901, Role::Supports)]),
            "┃┃┃=│",
            "what lies outside breaks nothing"
        );
    }
}
