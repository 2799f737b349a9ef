use proptest::prelude::*;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::*;

const WIDTH: u16 = 40;
const HEIGHT: u16 = 6;

/// A terminal that was told nothing yet but shows something.
fn terminal() -> vt100::Parser {
    let mut terminal =
        vt100::Parser::new(HEIGHT.try_into().expect("rows"), WIDTH.try_into().expect("columns"), 0);
    terminal.process("left by another program ".repeat(10).as_bytes());
    terminal
}

fn colour_of(colour: vt100::Color) -> Color {
    match colour {
        vt100::Color::Default => Color::Reset,
        vt100::Color::Idx(index) => Color::Indexed(index),
        vt100::Color::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
    }
}

/// Every cell of `buffer` shows on `terminal`; signs of which terminals differ are left out, what stands around
/// them is not.
fn assert_shows(terminal: &vt100::Parser, buffer: &Buffer) {
    for y in 0..HEIGHT {
        let row = spots(buffer, y);
        for (x, spot) in row.iter().enumerate().filter(|(_, spot)| spot.width > 0 && spot.is_sure()) {
            let cell = terminal.screen().cell(y, u16::try_from(x).unwrap()).expect("a cell");
            let shown = if cell.contents().is_empty() { " " } else { cell.contents() };
            assert_eq!(shown, spot.symbol, "at {x},{y} of {row:?}");
            assert_eq!(colour_of(cell.bgcolor()), spot.look.bg, "behind {x},{y}");
            if spot.is_blank() {
                assert!(!cell.underline() && !cell.inverse(), "a blank at {x},{y} shows");
                continue;
            }
            assert_eq!(colour_of(cell.fgcolor()), spot.look.fg, "at {x},{y}");
            let modifier = spot.look.modifier;
            assert_eq!(cell.bold(), modifier.contains(Modifier::BOLD), "at {x},{y}");
            assert_eq!(cell.underline(), modifier.contains(Modifier::UNDERLINED), "at {x},{y}");
            assert_eq!(cell.inverse(), modifier.contains(Modifier::REVERSED), "at {x},{y}");
            assert_eq!(cell.italic(), modifier.contains(Modifier::ITALIC), "at {x},{y}");
        }
    }
}

fn styles() -> impl Strategy<Value = Style> {
    let colours = prop_oneof![Just(Color::Reset), (0_u8..=255).prop_map(Color::Indexed)];
    let modifiers = prop_oneof![
        4 => Just(Modifier::empty()),
        2 => Just(Modifier::BOLD),
        1 => Just(Modifier::UNDERLINED),
        1 => Just(Modifier::BOLD | Modifier::REVERSED),
        1 => Just(Modifier::ITALIC),
    ];
    (colours.clone(), colours, modifiers).prop_map(|(fg, bg, modifier)| {
        Style::new()
            .fg(fg)
            .bg(if matches!(bg, Color::Indexed(index) if index > 40) { Color::Reset } else { bg })
            .add_modifier(modifier)
    })
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-e ]{0,50}",
        2 => " {0,40}",
        2 => "[患者は毎日服用a ]{0,20}",
        1 => "[سلام دنیا]{0,20}",
        1 => "(e\u{301}|👩\u{200d}🚒|🙂|❤\u{fe0f}|a| ){0,12}",
    ]
}

prop_compose! {
    fn frames()(
        lines in prop::collection::vec((0..HEIGHT, 0..WIDTH, texts(), styles()), 0..10),
    ) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, WIDTH, HEIGHT));
        for (y, x, text, style) in lines {
            // A sign that is wider than it seems would go over into the next row at the very end of one.
            buffer.set_stringn(x, y, &text, usize::from((WIDTH - x).saturating_sub(4)), style);
        }
        // A border at the end of each row, as a pane has.
        for y in 0..HEIGHT {
            buffer.set_string(WIDTH - 1, y, "│", Style::new().fg(Color::Indexed(241)));
        }
        buffer
    }
}

proptest! {
    #[test]
    fn a_terminal_shows_frame_after_frame_as_it_was_drawn(frames in prop::collection::vec(frames(), 1..5)) {
        let (mut painter, mut terminal) = (Painter::default(), terminal());
        for frame in &frames {
            terminal.process(painter.paint(frame, None).as_bytes());
            assert_shows(&terminal, frame);
        }
    }
}

fn of(lines: &[&str]) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, WIDTH, HEIGHT));
    for (y, line) in (0..).zip(lines) {
        buffer.set_string(0, y, line, Style::new());
    }
    buffer
}

#[test]
fn only_what_differs_is_written() {
    let mut painter = Painter::default();
    let first = painter.paint(&of(&["one row", "another row"]), None);
    assert!(first.contains("one row") && first.contains("another row"));
    assert!(!first.contains("\x1b[2J") && !first.contains("\x1b[J"), "nothing is cleared: {first:?}");
    assert_eq!(painter.paint(&of(&["one row", "another row"]), None), "");
    assert_eq!(painter.paint(&of(&["one row", "another now"]), None), "\x1b[2;9Hn");
}

#[test]
fn short_gaps_are_written_again_and_long_ones_jumped_over() {
    let mut painter = Painter::default();
    painter.paint(&of(&["a same b and the same for a while c"]), None);
    let text = painter.paint(&of(&["A same B and the same for a while C"]), None);
    assert_eq!(text, "\x1b[1HA same B\x1b[26CC".replace(" same ", "\x1b[6C"));
    painter.paint(&of(&["1 2 3"]), None);
    assert_eq!(painter.paint(&of(&["4 5 6"]), None), "\x1b[1H4 5 6");
}

/// Two panes: a list from entry `first` on, with a cursor, and the text of what is under it.
fn panes(first: usize, at: usize, text: &str) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 120, 30));
    for y in 0..28 {
        let number = first + usize::from(y);
        let mark = if number == at { "▌" } else { " " };
        let letter = char::from(b'a' + u8::try_from(number % 26).unwrap());
        let entry = format!("│{mark}{number} {}", String::from(letter).repeat(30));
        let line = format!("{entry:<45}││{:<72}│", text.repeat(9).get(..70).unwrap());
        buffer.set_string(0, y + 1, line, Style::new());
    }
    buffer.set_string(0, 0, "a title", Style::new());
    buffer.set_string(0, 29, "the keys", Style::new());
    buffer
}

#[test]
fn a_list_that_scrolls_is_moved_by_the_terminal() {
    for (from, to, letter) in [(0, 1, "\x1b[1M"), (7, 6, "\x1b[1L"), (3, 15, "\x1b[12M")] {
        let mut painter = Painter::default();
        let mut terminal = vt100::Parser::new(30.try_into().unwrap(), 120.try_into().unwrap(), 0);
        terminal.process(painter.paint(&panes(from, from + 12, "one text "), None).as_bytes());
        let after = panes(to, to + 12, "another, ");
        let text = painter.paint(&after, None);
        assert!(text.contains(letter), "{text:?}");
        // The text of the other pane is written, but hardly anything of the list.
        assert!(text.len() < 28 * 85 + 12 * 48, "{} bytes", text.len());
        terminal.process(text.as_bytes());
        for (y, row) in (0..).zip(terminal.screen().rows(0, 120)) {
            let drawn: String = spots(&after, y).iter().map(|spot| spot.symbol).collect();
            assert_eq!(row, drawn.trim_end(), "row {y}");
        }
    }
}

#[test]
fn what_is_blank_to_the_border_is_erased_and_the_border_drawn_again() {
    let line = |text: &str| format!("{text:<38}│");
    let mut painter = Painter::default();
    painter.paint(&of(&[&line("a long line of some forty letters in all")[..38]]), None);
    let text = painter.paint(&of(&[&line("short")]), None);
    assert!(text.len() < 40 && text.contains("\x1b[K") && text.ends_with('│'), "{text:?}");
}

#[test]
fn after_a_sign_of_doubtful_width_the_rest_of_its_row_is_placed_anew() {
    let mut painter = Painter::default();
    painter.paint(&of(&["x 👩\u{200d}🚒 row │"]), None);
    let text = painter.paint(&of(&["y 👩\u{200d}🚒 row │"]), None);
    assert!(text.contains("\u{1f692}\x1b[1;5H row │"), "{text:?}");
    let sure = painter.paint(&of(&["患者は", "毎日"]), None);
    assert!(sure.contains("患者は"), "letters of two cells everywhere need no jump: {sure:?}");
}

#[test]
fn the_cursor_is_placed_in_each_frame_and_shown_or_hidden_once() {
    let mut painter = Painter::default();
    let at = Some(Position { x: 3, y: 1 });
    assert!(painter.paint(&of(&["a"]), None).ends_with("\x1b[?25l"));
    assert!(painter.paint(&of(&["b"]), at).ends_with("\x1b[2;4H\x1b[?25h"));
    assert!(painter.paint(&of(&["c"]), at).ends_with("\x1b[2;4H"));
    assert!(painter.paint(&of(&["c"]), None).ends_with("\x1b[?25l"));
}

#[test]
fn what_another_program_left_is_drawn_over() {
    let mut painter = Painter::default();
    let (frame, mut terminal) = (of(&["mine", "", "and mine"]), terminal());
    painter.paint(&frame, None);
    painter.forget();
    terminal.process(painter.paint(&frame, None).as_bytes());
    assert_shows(&terminal, &frame);
}
