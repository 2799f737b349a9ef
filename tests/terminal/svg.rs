//! The screen of a terminal as an SVG picture: letters as text on a grid, lines and blocks as shapes, so that they meet
//! whatever font the reader has.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Sizes of a cell in units of the picture.
const CELL: (usize, usize) = (8, 17);
const FONT: usize = 13;
const MARGIN: usize = 12;
const PAPER: &str = "#15171c";
const INK: &str = "#d8dbe0";
/// The sixteen colours that a terminal names.
const NAMED: [&str; 16] = [
    "#1d1f24", "#d75f5f", "#87af5f", "#d7af5f", "#5f87d7", "#b57fc4", "#5fb3b3", "#c8ccd0", "#767c88",
    "#ff7272", "#a6d97a", "#ffd75f", "#82b4ff", "#d79aea", "#84dcdc", "#ffffff",
];

/// How letters look.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Look {
    ink: String,
    is_bold: bool,
    is_underlined: bool,
    is_italic: bool,
}

/// Draws `screen`; `title` is what it is called for those who cannot see it.
pub(crate) fn draw(screen: &vt100::Screen, title: &str) -> String {
    let (rows, columns) = screen.size();
    let (rows, columns) = (rows.get(), columns.get());
    let mut looks = BTreeMap::new();
    let (mut shapes, mut texts) = (String::new(), String::new());
    for row in 0..rows {
        backgrounds(screen, row, columns, &mut shapes);
        for run in runs(screen, row, columns, &mut shapes) {
            let count = looks.len();
            let class = *looks.entry(run.look).or_insert(count);
            let (x, y) = place(run.column, row);
            let _ = write!(
                texts,
                "<text class=\"s{class}\" x=\"{x}\" y=\"{}\" textLength=\"{}\">{}</text>",
                y + FONT,
                run.cells * CELL.0,
                escaped(&run.text),
            );
        }
        texts.push('\n');
    }
    let (width, height) =
        (usize::from(columns) * CELL.0 + 2 * MARGIN, usize::from(rows) * CELL.1 + 2 * MARGIN);
    let mut styles = String::new();
    for (look, class) in &looks {
        let _ = write!(styles, ".s{class}{{fill:{}", look.ink);
        if look.is_bold {
            styles.push_str(";font-weight:bold");
        }
        if look.is_underlined {
            styles.push_str(";text-decoration:underline");
        }
        if look.is_italic {
            styles.push_str(";font-style:italic");
        }
        styles.push('}');
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
         <title>{}</title>\n\
         <style>text{{font:{FONT}px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;\
         white-space:pre;direction:ltr;unicode-bidi:bidi-override}}{styles}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{PAPER}\"/>\n{shapes}\n{texts}</svg>\n",
        escaped(title)
    )
}

/// The upper left corner of a cell.
fn place(column: u16, row: u16) -> (usize, usize) {
    (MARGIN + usize::from(column) * CELL.0, MARGIN + usize::from(row) * CELL.1)
}

fn rectangle(shapes: &mut String, (x, y): (usize, usize), (width, height): (usize, usize), fill: &str) {
    let _ =
        write!(shapes, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>");
}

/// Ink and paper of a cell.
fn colours(cell: &vt100::Cell) -> (String, Option<String>) {
    let (ink, paper) = (colour(cell.fgcolor()), colour(cell.bgcolor()));
    if cell.inverse() {
        let ink = ink.unwrap_or_else(|| INK.to_owned());
        return (paper.unwrap_or_else(|| PAPER.to_owned()), Some(ink));
    }
    (ink.unwrap_or_else(|| INK.to_owned()), paper)
}

fn colour(colour: vt100::Color) -> Option<String> {
    match colour {
        vt100::Color::Default => None,
        vt100::Color::Idx(index @ 0..16) => Some(NAMED[usize::from(index)].to_owned()),
        vt100::Color::Idx(index @ 16..232) => {
            let level = |step: u8| [0, 95, 135, 175, 215, 255][usize::from(step % 6)];
            let cube = index - 16;
            Some(format!("#{:02x}{:02x}{:02x}", level(cube / 36), level(cube / 6), level(cube)))
        }
        vt100::Color::Idx(index) => {
            let grey = 8 + 10 * (index - 232);
            Some(format!("#{grey:02x}{grey:02x}{grey:02x}"))
        }
        vt100::Color::Rgb(red, green, blue) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
    }
}

/// What stands behind the letters of a row.
fn backgrounds(screen: &vt100::Screen, row: u16, columns: u16, shapes: &mut String) {
    let paper = |column: u16| {
        let cell = screen.cell(row, column)?;
        // The second half of a wide letter has no style of its own.
        let owner = if cell.is_wide_continuation() { screen.cell(row, column - 1)? } else { cell };
        colours(owner).1
    };
    let mut column = 0;
    while column < columns {
        let Some(fill) = paper(column) else {
            column += 1;
            continue;
        };
        let end = (column..columns).find(|&next| paper(next).as_ref() != Some(&fill)).unwrap_or(columns);
        rectangle(shapes, place(column, row), (usize::from(end - column) * CELL.0, CELL.1), &fill);
        column = end;
    }
}

/// Letters of one look beside each other.
struct Run {
    column: u16,
    cells: usize,
    text: String,
    look: Look,
}

/// The runs of a row; lines and blocks go to the shapes.
fn runs(screen: &vt100::Screen, row: u16, columns: u16, shapes: &mut String) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for column in 0..columns {
        let Some(cell) = screen.cell(row, column).filter(|cell| !cell.is_wide_continuation()) else {
            continue;
        };
        let text = cell.contents();
        let (ink, _) = colours(cell);
        if text.is_empty() || block(text, place(column, row), &ink, shapes) {
            continue;
        }
        let (is_bold, is_underlined, is_italic) = (cell.bold(), cell.underline(), cell.italic());
        if text == " " && !is_underlined {
            continue;
        }
        let cells = if cell.is_wide() { 2 } else { 1 };
        let look = Look { ink, is_bold, is_underlined, is_italic };
        match runs.last_mut() {
            // One blank between two words of a look belongs to both.
            Some(last)
                if last.look == look
                    && cells == 1
                    && last.text.is_ascii() == text.is_ascii()
                    && usize::from(column) - usize::from(last.column) - last.cells <= 1 =>
            {
                let gap = usize::from(column) - usize::from(last.column) - last.cells;
                last.text.push_str(&" ".repeat(gap));
                last.text.push_str(text);
                last.cells += gap + 1;
            }
            _ => runs.push(Run { column, cells, text: text.to_owned(), look }),
        }
    }
    runs
}

/// Draws a sign that is a shape; says whether it was one.
fn block(text: &str, (x, y): (usize, usize), ink: &str, shapes: &mut String) -> bool {
    let (width, height) = CELL;
    let (middle, half) = (x + width / 2, y + height / 2);
    let mut shape = |at, size| rectangle(shapes, at, size, ink);
    match text {
        "─" => shape((x, half), (width, 1)),
        "│" => shape((middle, y), (1, height)),
        "┃" => shape((middle - 1, y), (3, height)),
        "┌" => {
            shape((middle, half), (width / 2, 1));
            shape((middle, half), (1, height - height / 2));
        }
        "┐" => {
            shape((x, half), (width / 2, 1));
            shape((middle, half), (1, height - height / 2));
        }
        "└" => {
            shape((middle, half), (width / 2, 1));
            shape((middle, y), (1, height / 2));
        }
        "┘" => {
            shape((x, half), (width / 2 + 1, 1));
            shape((middle, y), (1, height / 2));
        }
        "▌" => shape((x, y), (width / 2, height)),
        "▐" => shape((middle, y), (width / 2, height)),
        "█" => shape((x, y), (width, height)),
        "░" => shape((x, half - 1), (width, 2)),
        _ => return false,
    }
    true
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[test]
fn a_screen_is_drawn_with_its_letters_colours_lines_and_wide_cells() {
    let mut terminal = vt100::Parser::new(2.try_into().unwrap(), 12.try_into().unwrap(), 0);
    terminal.process("┌─\x1b[1;31ma<b\x1b[m \x1b[4mlink\r\n\x1b[0;7m患者\x1b[m x".as_bytes());
    let picture = draw(terminal.screen(), "what & why");
    assert!(picture.contains("<title>what &amp; why</title>"));
    assert!(picture.contains("textLength=\"24\">a&lt;b</text>"), "{picture}");
    assert!(picture.contains("fill:#d75f5f;font-weight:bold"), "{picture}");
    assert!(picture.contains("text-decoration:underline"), "{picture}");
    assert!(!picture.contains('┌') && picture.contains("<rect"), "lines are shapes");
    // A letter of two cells stands alone, on the colour of the ink.
    assert!(
        picture.contains("textLength=\"16\">患</text>")
            && picture.contains("width=\"32\" height=\"17\" fill=\"#d8dbe0\""),
        "{picture}"
    );
    assert_eq!(picture.matches("<text").count(), 5, "{picture}");
}
