//! Drawing a state, reading it back from its cells, and what every screen must hold.

use std::fmt::Write as _;
use std::path::Path;

use juror::config::ThemeName;
use juror::domain::finding::Outcome;
use juror::domain::queue::ClaimDetail;
use juror::tui::app::App;
use juror::tui::screen;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, CellWidth};
use ratatui::style::{Color, Modifier};

use crate::fixture::{review, select};

/// The screen of `app`, drawn at its size.
pub(crate) fn draw(app: &App) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(app.size.width, app.size.height)).unwrap();
    terminal.draw(|frame| screen::view(app, frame)).unwrap();
    terminal.backend().buffer().clone()
}

/// The characters of a screen, without the blanks at the ends of lines.
pub(crate) fn text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut x = 0;
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += symbol.cell_width().max(1);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The screen as a terminal would get it, to look at.
pub(crate) fn ansi(buffer: &Buffer) -> String {
    let color = |color: Color, base: u8| match color {
        Color::Indexed(index) => format!(";{};5;{index}", base + 8),
        Color::Reset => String::new(),
        named => {
            let names = [
                Color::Black,
                Color::Red,
                Color::Green,
                Color::Yellow,
                Color::Blue,
                Color::Magenta,
                Color::Cyan,
                Color::Gray,
                Color::DarkGray,
                Color::LightRed,
                Color::LightGreen,
                Color::LightYellow,
                Color::LightBlue,
                Color::LightMagenta,
                Color::LightCyan,
                Color::White,
            ];
            let index = names.iter().position(|name| *name == named).unwrap();
            format!(";{};5;{index}", base + 8)
        }
    };
    let mut out = String::new();
    for y in 0..buffer.area.height {
        let mut x = 0;
        while x < buffer.area.width {
            let cell = &buffer[(x, y)];
            let mut codes = String::from("0");
            for (modifier, code) in [
                (Modifier::BOLD, 1),
                (Modifier::ITALIC, 3),
                (Modifier::UNDERLINED, 4),
                (Modifier::REVERSED, 7),
            ] {
                if cell.modifier.contains(modifier) {
                    write!(codes, ";{code}").unwrap();
                }
            }
            codes.push_str(&color(cell.fg, 30));
            codes.push_str(&color(cell.bg, 40));
            write!(out, "\x1b[{codes}m{}", cell.symbol()).unwrap();
            x += cell.symbol().cell_width().max(1);
        }
        out.push_str("\x1b[0m\n");
    }
    out
}

/// Compares with the snapshot `name`.
pub(crate) fn snapshot(name: &str, shown: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, shown));
}

/// Compares with the snapshot `name`; with `SCREENS_DIR` set, also leaves the screen in colour there.
pub(crate) fn check(name: &str, app: &App) -> Buffer {
    let buffer = draw(app);
    if let Some(folder) = std::env::var_os("SCREENS_DIR") {
        std::fs::write(Path::new(&folder).join(format!("{name}.ans")), ansi(&buffer)).unwrap();
    }
    snapshot(name, &text(&buffer));
    buffer
}

/// Which cells look alike: a letter for each look, and what the letters mean.
pub(crate) fn looks(buffer: &Buffer) -> String {
    let mut known: Vec<String> = Vec::new();
    let mut map = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        for x in 0..buffer.area.width {
            let cell = &buffer[(x, y)];
            let plain = cell.fg == Color::Reset && cell.bg == Color::Reset && cell.modifier.is_empty();
            if plain {
                line.push('.');
                continue;
            }
            let look = format!("{:?} on {:?} {:?}", cell.fg, cell.bg, cell.modifier);
            let at = known.iter().position(|one| *one == look).unwrap_or_else(|| {
                known.push(look);
                known.len() - 1
            });
            line.push(char::from(b'a' + u8::try_from(at).unwrap()));
        }
        map.push_str(line.trim_end_matches('.'));
        map.push('\n');
    }
    for (at, look) in known.iter().enumerate() {
        writeln!(map, "{}: {look}", char::from(b'a' + u8::try_from(at).unwrap())).unwrap();
    }
    map
}

/// No cell holds what a terminal would obey or what hides or turns text.
pub(crate) fn assert_safe(buffer: &Buffer) {
    for (at, cell) in buffer.content.iter().enumerate() {
        let hostile = |c: char| {
            c.is_control()
                || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
        };
        assert!(
            !cell.symbol().chars().any(hostile),
            "cell {:?} holds {:?}",
            buffer.pos_of(at),
            cell.symbol()
        );
    }
}

/// Every frame is whole: its sides stand in one column from corner to corner.
pub(crate) fn assert_straight(buffer: &Buffer) {
    let mut corners = 0;
    for y in 0..buffer.area.height {
        let mut x = 0;
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            if symbol == "┌" || symbol == "┐" {
                corners += 1;
                let foot = if symbol == "┌" { "└" } else { "┘" };
                let mut down = (y + 1..buffer.area.height).map(|below| buffer[(x, below)].symbol());
                let side = down.find(|symbol| *symbol != "│");
                // A dialog may lie over the lower part.
                let whole = side == Some(foot) || side == Some(symbol) || side == Some("─");
                assert!(whole, "the side below ({x}, {y}) is broken:\n{}", text(buffer));
            }
            x += symbol.cell_width().max(1);
        }
    }
    assert!(corners >= 2, "no frame at all");
}

/// The same state with `change` made to it, its panes laid out anew.
pub(crate) fn with(mut app: App, change: impl FnOnce(&mut App)) -> App {
    change(&mut app);
    app.geometry = screen::geometry(&app);
    app
}

pub(crate) fn hand(app: App, detail: ClaimDetail) -> App {
    with(app, |app| app.claim = Some(select(detail)))
}

pub(crate) const SIZES: [(&str, u16, u16); 2] = [("80x24", 80, 24), ("140x42", 140, 42)];

/// One snapshot of a state in both usual sizes, dark and mono. Where mono shows the same characters only that is
/// said: its looks are those of the theme.
pub(crate) fn four(name: &str, make: impl Fn(ThemeName, u16, u16) -> App) {
    let mut shown = String::new();
    for (size, width, height) in SIZES {
        let mut before = String::new();
        for (theme, word) in [(ThemeName::Dark, "dark"), (ThemeName::Mono, "mono")] {
            let buffer = draw(&make(theme, width, height));
            assert_safe(&buffer);
            assert_straight(&buffer);
            if let Some(folder) = std::env::var_os("SCREENS_DIR") {
                let file = Path::new(&folder).join(format!("{name}-{word}-{size}.ans"));
                std::fs::write(file, ansi(&buffer)).unwrap();
            }
            let characters = text(&buffer);
            if characters == before {
                writeln!(shown, "=== {size} {word}: the same characters").unwrap();
            } else {
                writeln!(shown, "=== {size} {word}\n{characters}").unwrap();
            }
            before = characters;
        }
    }
    snapshot(name, &shown);
}

/// Texts whose characters are wide, joined, combined, turned, or of no width at all.
pub(crate) const STRANGE: &[&str] = &[
    "成人每天最多可服用4克对乙酰氨基酚，并应休息；不得超过8克。",
    "ผู้ใหญ่รับประทานได้ไม่เกิน ๔ กรัม และควรพักผ่อน",
    "بزرگسالان می‌توانند روزانه ۸ گرم مصرف کنند و استراحت کنند.",
    "e\u{301}e\u{301}e\u{301} Z\u{351}\u{36b}a\u{343}l\u{310}g\u{301}o\u{30d} and a\u{308}\u{323} dose",
    "👩‍👩‍👧‍👦 and 🇩🇪🇫🇷 take 👍🏽 8 g; 🏳️‍🌈 rest ❤️ ✈︎",
    "가나다 각\u{1100}\u{1161}\u{11a8} and हिन्दी क्षि நி",
];

pub(crate) fn dark(width: u16, height: u16) -> App {
    review(ThemeName::Dark, width, height)
}
/// The words that look like `role` between its brackets, read from the cells of the claim's panel.
pub(crate) fn words_like(buffer: &Buffer, app: &App, role: juror::tui::theme::Role) -> String {
    let style = app.settings.theme.style(role);
    let mut words = String::new();
    let areas = [app.geometry.answer, app.geometry.evidence];
    for area in areas {
        for y in area.y..area.bottom() {
            let mut x = area.x;
            let mut any = false;
            while x < area.right() {
                let cell = &buffer[(x, y)];
                let fg = style.fg.unwrap_or(Color::Reset);
                if cell.fg == fg
                    && cell.modifier.contains(style.add_modifier)
                    && !style.add_modifier.is_empty()
                {
                    words.push_str(cell.symbol());
                    any = true;
                }
                x += cell.symbol().cell_width().max(1);
            }
            if any && !words.ends_with(' ') {
                words.push(' ');
            }
        }
    }
    words
}
pub(crate) fn outcome(detail: &mut ClaimDetail, change: impl FnOnce(&mut juror::domain::finding::Judged)) {
    if let Outcome::Judged(judged) = &mut detail.outcome {
        change(judged);
    }
}
