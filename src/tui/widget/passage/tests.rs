//! Lines hold all of a text and fit, and a window shows what matters.

use proptest::prelude::*;

use super::*;
use crate::config::ThemeName;

fn theme() -> Theme {
    Theme::choose(ThemeName::Mono).unwrap()
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ,.\n-]{0,400}",
        "\\PC{0,120}",
        "[日本語。「」 a👩\u{200d}🚒\u{301}\u{202e}\r\n\t]{0,120}",
        "[a-z]{2000,6000}",
        "[a-z ]{3000,9000}",
    ]
}

/// Marks from numbers, on character borders.
fn marks(text: &str, places: &[(usize, usize)]) -> Vec<Mark> {
    let border =
        |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let roles = [Role::Claim, Role::Supports, Role::CurrentContradicts, Role::Difference];
    places
        .iter()
        .zip(roles.iter().cycle())
        .map(|((a, b), role)| Mark::new(border(*a.min(b))..border(*a.max(b)), *role))
        .collect()
}

/// Every byte is on one line, and what a line shows fits into it, but for blanks at its end.
fn lines_hold_and_fit(text: &str, width: u16, places: &[(usize, usize)]) -> Result<(), TestCaseError> {
    let (theme, marks) = (theme(), marks(text, places));
    let passage = Passage::new(text, &marks, &theme, width);
    let shown = passage.window(None, Scroll::Auto, u16::MAX);
    let mut at = 0;
    for line in &shown.lines {
        prop_assert_eq!(line.start, at, "no gap and no overlap");
        at = line.end;
        let all = passage.marks_in(line);
        let signs: usize = passage.signs(line, &all).iter().map(|sign| glyph::width(sign.text)).sum();
        let words = text.get(line.clone()).unwrap().trim_end();
        let cells: usize = words.graphemes(true).map(|grapheme| Glyph::of(grapheme).width).sum();
        let single = words.graphemes(true).count() <= 1;
        prop_assert!(cells + signs <= usize::from(width) || single, "{words:?} takes {}", cells + signs);
    }
    prop_assert_eq!(at, text.len());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn r04_lines_hold_every_byte_once_and_show_every_grapheme(
        text in any_text(),
        width in 8_u16..90,
        places in proptest::collection::vec((0_usize..400, 0_usize..400), 0..5),
    ) {
        lines_hold_and_fit(&text, width, &places)?;
    }

    #[test]
    fn the_same_place_shows_the_same_lines_wherever_one_comes_from(
        text in any_text(),
        width in 8_u16..90,
        from in 0_usize..9000,
        lines in -40_i64..40,
    ) {
        let theme = theme();
        let passage = Passage::new(&text, &[], &theme, width);
        let whole = passage.window(None, Scroll::Auto, u16::MAX).lines;
        let there = passage.scrolled(None, Scroll::From(from), 10, lines);
        for line in passage.window(None, there, 10).lines {
            prop_assert!(whole.contains(&line), "{line:?} is no line of the whole");
        }
    }
}

#[test]
fn r04_a_mark_that_ends_inside_a_cluster_has_room_for_its_sign() {
    let text = "0  ஜAଓ0¡ A ૐ0 aA ￼𐖻𝆌a\u{10eab}";
    for place in 0..=text.len() {
        for width in 8..30 {
            lines_hold_and_fit(text, width, &[(place, 0)]).unwrap();
            lines_hold_and_fit(text, width, &[(place, 0), (place, text.len())]).unwrap();
        }
    }
}

#[test]
fn a_span_longer_than_its_window_is_shown_where_it_differs() {
    let text = (0..100).map(|n| format!("word{n:02} ")).collect::<Vec<_>>().concat();
    let marks = [Mark::new(0..text.len(), Role::CurrentContradicts), Mark::new(560..566, Role::Difference)];
    let theme = theme();
    let shown = Passage::new(&text, &marks, &theme, 24).window(Some(&(0..text.len())), Scroll::Auto, 5);
    let (Some(first), Some(last)) = (shown.lines.first(), shown.lines.last()) else { panic!("no lines") };
    assert!(first.start < 560 && 566 < last.end, "{shown:?}");
    assert!(shown.above && shown.below);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whoever points at a cell points at the text that is drawn there.
    #[test]
    fn a_cell_points_at_the_grapheme_that_is_drawn_in_it(
        text in any_text(),
        width in 8_u16..60,
        places in prop::collection::vec((0_usize..300, 0_usize..300), 0..5),
    ) {
        let (theme, marks) = (theme(), marks(&text, &places));
        let passage = Passage::new(&text, &marks, &theme, width);
        let area = Rect::new(3, 2, width, 6);
        let shown = passage.window(None, Scroll::Auto, area.height);
        for (y, line) in (area.y..area.bottom()).zip(&shown.lines) {
            let drawn = passage.marks_in(line);
            let mut x = area.x;
            let mut cells = Vec::new();
            passage.walk(line, &drawn, |place, glyph, _| {
                let next = x + glyph::width(glyph) as u16;
                cells.extend(place.filter(|_| next <= area.right()).map(|place| (x..next, place)));
                x = next;
            });
            for (columns, place) in cells {
                for x in columns {
                    let found = passage.byte_at(None, Scroll::Auto, area, Position { x, y });
                    prop_assert_eq!(found, Some(place));
                }
            }
        }
        // Wherever it is pointed at, it is at a character of the text.
        for (x, y) in [(0, 0), (200, 0), (0, 200), (200, 200)] {
            let found = passage.byte_at(None, Scroll::Auto, area, Position { x, y });
            prop_assert!(found.is_none_or(|at| text.is_char_boundary(at)));
            prop_assert_eq!(found.is_none(), shown.lines.is_empty());
        }
    }
}

#[test]
fn no_line_of_a_long_text_ends_early_within_a_sentence() {
    let text = "The ward pharmacist reconciles the medicines of every patient within 24 hours of admission. "
        .repeat(300);
    let theme = theme();
    let shown = Passage::new(&text, &[], &theme, 80).window(None, Scroll::Auto, u16::MAX);
    for line in &shown.lines {
        let words = text[line.clone()].trim_end();
        assert!(words.len() > 60 || words.ends_with('.'), "{words:?}");
    }
}
