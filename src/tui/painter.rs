//! What is written to a terminal so that it shows a frame: the fewest bytes for what differs from the last one.
//!
//! A person who works over a slow line waits for every byte, so a gap of letters that stand there already is
//! written again where that is shorter than a jump over it, and the blank end of a row is erased in one go.
//! Nothing is ever cleared that is drawn again: no frame flickers, however long it takes to arrive.
//!
//! Terminals do not agree on how wide some signs are. After such a sign the place of the cursor is told and not
//! taken for granted, and the rest of its row is drawn anew, so that borders stay straight.
//!
//! Must not know what is drawn, nor where the bytes go.

use std::fmt::Write as _;

use ratatui::buffer::{Buffer, CellWidth as _};
use ratatui::layout::Position;
use ratatui::style::{Color, Modifier};

/// What shows on a blank: everything else of a style needs a letter.
const ON_BLANKS: Modifier = Modifier::UNDERLINED.union(Modifier::REVERSED).union(Modifier::CROSSED_OUT);
/// What takes fewer bytes than this is simply written.
const WORTH_SHIFTING: usize = 1000;
/// So many rows have to stand one or more rows higher or lower than before.
const FEWEST_SHIFTED: usize = 5;
/// Fewer blanks than this are written out.
const WORTH_ERASING: usize = 6;

/// Knows what the terminal shows.
#[derive(Debug, Default)]
pub(super) struct Painter {
    /// `None` where that is not known: at first, after another program had it, and after a change of size.
    shown: Option<Buffer>,
    /// Where the cursor shows, if it does.
    cursor: Option<Position>,
}

impl Painter {
    /// What the terminal shows is not known any more.
    pub(super) fn forget(&mut self) {
        self.shown = None;
    }

    /// What brings the terminal from the last frame to `next`, with the cursor at `cursor` or hidden.
    pub(super) fn paint(&mut self, next: &Buffer, cursor: Option<Position>) -> String {
        let known = self.shown.as_ref().filter(|shown| shown.area == next.area);
        let is_known = known.is_some();
        let rows: Vec<_> = (0..next.area.height).map(|y| spots(next, y)).collect();
        let before: Option<Vec<_>> =
            known.map(|shown| (0..next.area.height).map(|y| spots(shown, y)).collect());
        let mut text = Writer::default().frame(before.as_deref(), &rows);
        if let Some(before) = before.filter(|_| text.len() > WORTH_SHIFTING)
            && let Some(shift) = Shift::between(&before, &rows)
        {
            let out = Writer { text: shift.sequence(), ..Writer::default() };
            let shifted = out.frame(Some(&shift.of(before)), &rows);
            if shifted.len() < text.len() {
                text = shifted;
            }
        }
        match cursor {
            Some(Position { x, y }) => {
                let _ = write!(text, "\x1b[{};{}H", y + 1, x + 1);
                if self.cursor.is_none() || !is_known {
                    text.push_str("\x1b[?25h");
                }
            }
            None if self.cursor.is_some() || !is_known => text.push_str("\x1b[?25l"),
            None => {}
        }
        self.cursor = cursor;
        match &mut self.shown {
            Some(shown) => shown.clone_from(next),
            None => self.shown = Some(next.clone()),
        }
        text
    }
}

/// The style of one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Look {
    fg: Color,
    bg: Color,
    underline: Color,
    modifier: Modifier,
}

impl Look {
    const PLAIN: Self =
        Self { fg: Color::Reset, bg: Color::Reset, underline: Color::Reset, modifier: Modifier::empty() };
}

/// One cell as a terminal shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Spot<'a> {
    symbol: &'a str,
    /// 0 where the cell before reaches over this one.
    width: usize,
    look: Look,
}

impl Spot<'_> {
    const BLANK: Self = Self { symbol: " ", width: 1, look: Look::PLAIN };

    fn is_blank(&self) -> bool {
        self.symbol == " " && !self.look.modifier.intersects(ON_BLANKS)
    }

    /// Whether every terminal gives it the same width.
    fn is_sure(&self) -> bool {
        let mut letters = self.symbol.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) if letter.is_ascii() => true,
            // A mark without a letter below it counts as one cell here and moves no cursor.
            (Some(letter), None) if usize::from(self.symbol.cell_width()) == self.width => {
                self.width < 2 || is_wide_everywhere(letter)
            }
            _ => self.width == 0,
        }
    }

    /// Whether it can be written with a pen that stands at `pen`.
    fn goes_with(&self, pen: Look) -> bool {
        if self.is_blank() {
            pen.bg == self.look.bg && !pen.modifier.intersects(ON_BLANKS)
        } else {
            pen == self.look
        }
    }
}

/// Letters of two cells since terminals have had such: those of Chinese, Japanese and Korean.
fn is_wide_everywhere(letter: char) -> bool {
    matches!(letter,
        '\u{3000}'..='\u{303e}' | '\u{3041}'..='\u{33ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{ff01}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}'
        | '\u{20000}'..='\u{3fffd}')
}

/// The cells of row `y`.
fn spots(buffer: &Buffer, y: u16) -> Vec<Spot<'_>> {
    let width = usize::from(buffer.area.width);
    let first = usize::from(y) * width;
    let cells = buffer.content.get(first..first + width).unwrap_or_default();
    let mut spots = Vec::with_capacity(width);
    for cell in cells {
        let x = spots.len();
        // The cell before reached over this one.
        if spots.last().is_some_and(|_| covers(&spots, x)) {
            spots.push(Spot { symbol: "", width: 0, look: Look::PLAIN });
            continue;
        }
        let symbol = Some(cell.symbol()).filter(|symbol| !symbol.is_empty()).unwrap_or(" ");
        let wide = usize::from(symbol.cell_width()).max(1);
        let look =
            Look { fg: cell.fg, bg: cell.bg, underline: cell.underline_color, modifier: cell.modifier };
        let spot = Spot { symbol, width: wide, look };
        spots.push(if x + wide > width {
            Spot { symbol: " ", width: 1, look }
        } else if spot.is_blank() {
            // Its colour and weight do not show.
            Spot { look: Look { bg: cell.bg, ..Look::PLAIN }, ..spot }
        } else {
            spot
        });
    }
    spots
}

/// Whether the last cell with a sign in it reaches over column `x`.
fn covers(spots: &[Spot<'_>], x: usize) -> bool {
    spots.iter().rposition(|spot| spot.width > 0).is_some_and(|owner| owner + spots[owner].width > x)
}

/// Rows that the terminal moves by itself: a list that is scrolled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shift {
    /// First and last of the rows among which something is moved.
    top: usize,
    bottom: usize,
    /// By so many rows, upwards or downwards.
    by: usize,
    is_up: bool,
}

impl Shift {
    /// The shift by which most rows get where they are to stand, as seen at their left part; what stands in other
    /// columns moves along and is drawn anew.
    fn between(before: &[Vec<Spot<'_>>], next: &[Vec<Spot<'_>>]) -> Option<Self> {
        let left = next.first()?.len() / 3;
        let moved: Vec<usize> = (0..next.len()).filter(|&y| before[y][..left] != next[y][..left]).collect();
        let mut best: Option<(usize, Self)> = None;
        for by in 1..=next.len() / 2 {
            for is_up in [true, false] {
                let from = |y: usize| if is_up { y + by } else { y.wrapping_sub(by) };
                let same = |y: usize| before.get(from(y)).is_some_and(|row| row[..left] == next[y][..left]);
                let fitting: Vec<usize> = moved.iter().copied().filter(|&y| same(y)).collect();
                let (Some(first), Some(last)) = (fitting.first(), fitting.last()) else { continue };
                let many = fitting.len();
                if many >= FEWEST_SHIFTED && best.is_none_or(|(most, _)| most < many) {
                    let (top, bottom) = (from(*first).min(*first), from(*last).max(*last));
                    best = Some((many, Self { top, bottom, by, is_up }));
                }
            }
        }
        best.map(|(_, shift)| shift)
    }

    /// What makes the terminal do it: lines are taken out or put in between margins.
    fn sequence(self) -> String {
        let Self { top, bottom, by, is_up } = self;
        let letter = if is_up { 'M' } else { 'L' };
        format!("\x1b[{};{}r\x1b[{}H\x1b[{by}{letter}\x1b[r", top + 1, bottom + 1, top + 1)
    }

    /// What the terminal shows then.
    fn of(self, mut rows: Vec<Vec<Spot<'_>>>) -> Vec<Vec<Spot<'_>>> {
        let among = &mut rows[self.top..=self.bottom];
        let by = self.by.min(among.len());
        let blank = if self.is_up {
            among.rotate_left(by);
            among.len() - by..among.len()
        } else {
            among.rotate_right(by);
            0..by
        };
        for row in &mut among[blank] {
            row.fill(Spot::BLANK);
        }
        rows
    }
}

/// What was written so far, and how the terminal stands after it.
#[derive(Debug, Clone)]
struct Writer {
    text: String,
    look: Look,
    /// Column and row, where they are known.
    at: Option<(usize, u16)>,
}

impl Default for Writer {
    fn default() -> Self {
        Self { text: String::new(), look: Look::PLAIN, at: None }
    }
}

impl Writer {
    /// What brings the terminal from the rows `before`, where they are known, to those of `next`.
    fn frame(mut self, before: Option<&[Vec<Spot<'_>>]>, next: &[Vec<Spot<'_>>]) -> String {
        for (y, row) in (0..).zip(next) {
            self.row(y, before.and_then(|before| before.get(usize::from(y))).map(Vec::as_slice), row);
        }
        self.pen(Look::PLAIN);
        self.text
    }

    /// Writes what differs in a row; `before` is `None` where nobody knows what stands there.
    fn row(&mut self, y: u16, before: Option<&[Spot<'_>]>, next: &[Spot<'_>]) {
        if before.is_some_and(|before| before == next) {
            return;
        }
        let all_sure = |spots: &[Spot<'_>]| spots.iter().all(Spot::is_sure);
        let is_sure = all_sure(next) && before.is_none_or(all_sure);
        // What is erased may be drawn over by a sign that is wider than it seems.
        let erasable = longest_blank(next).filter(|range| is_sure && range.len() >= WORTH_ERASING);
        let written = (before.is_some() || erasable.is_none()).then(|| {
            let mut plain = self.clone();
            plain.spots(y, before, next, is_sure, None);
            plain
        });
        let erased = erasable.map(|range| {
            let mut erased = self.clone();
            erased.spots(y, before, next, is_sure, Some(range.start));
            erased
        });
        let shorter = match (written, erased) {
            (Some(written), Some(erased)) if erased.text.len() < written.text.len() => erased,
            (Some(written), _) => written,
            (None, Some(erased)) => erased,
            (None, None) => return,
        };
        *self = shorter;
    }

    /// The cells of a row, from left to right; at `erase` everything from there on is erased first. `is_sure` says
    /// that every sign is as wide as it seems.
    fn spots(
        &mut self,
        y: u16,
        before: Option<&[Spot<'_>]>,
        next: &[Spot<'_>],
        is_sure: bool,
        erase: Option<usize>,
    ) {
        let mut is_erased = false;
        let mut has_changed = false;
        for (x, spot) in next.iter().enumerate() {
            if erase == Some(x) {
                self.go(x, y, next);
                self.pen(Look::PLAIN);
                self.text.push_str("\x1b[K");
                is_erased = true;
            }
            let shown = if is_erased { Some(&Spot::BLANK) } else { before.and_then(|before| before.get(x)) };
            // Where a sign may be wider than it seems, what follows it may have been drawn over.
            let is_open = has_changed && !is_sure;
            if spot.width == 0 || shown == Some(spot) && !is_open {
                continue;
            }
            has_changed = true;
            self.go(x, y, next);
            self.put(spot);
            let after = x + spot.width;
            // Behind the last column terminals stand in different places.
            self.at = (spot.is_sure() && after < next.len()).then_some((after, y));
        }
    }

    fn put(&mut self, spot: &Spot<'_>) {
        if !spot.goes_with(self.look) {
            self.pen(spot.look);
        }
        self.text.push_str(spot.symbol);
    }

    /// Brings the cursor to column `x` of row `y`, in which `next` is to stand.
    fn go(&mut self, x: usize, y: u16, next: &[Spot<'_>]) {
        if self.at == Some((x, y)) {
            return;
        }
        let jump = match self.at {
            Some((from, row)) if row == y && from < x => {
                let gap = &next[from..x];
                let jump = if gap.len() == 1 { "\x1b[C".to_owned() } else { format!("\x1b[{}C", gap.len()) };
                let can_be_written = gap.iter().all(|spot| spot.is_sure() && spot.goes_with(self.look));
                let bytes: usize = gap.iter().map(|spot| spot.symbol.len()).sum();
                if can_be_written && bytes <= jump.len() {
                    gap.iter().map(|spot| spot.symbol).collect()
                } else {
                    jump
                }
            }
            _ if x == 0 => format!("\x1b[{}H", y + 1),
            _ => format!("\x1b[{};{}H", y + 1, x + 1),
        };
        self.text.push_str(&jump);
        self.at = Some((x, y));
    }

    /// Changes the style of what is written from here on.
    fn pen(&mut self, look: Look) {
        let now = self.look;
        if now == look {
            return;
        }
        self.look = look;
        if look == Look::PLAIN {
            self.text.push_str("\x1b[m");
            return;
        }
        let (whole, parts) = (codes(Look::PLAIN, look), codes(now, look));
        let _ = if whole.len() + 2 < parts.len() {
            write!(self.text, "\x1b[0;{whole}m")
        } else {
            write!(self.text, "\x1b[{parts}m")
        };
    }
}

const MODIFIERS: [(Modifier, u8); 9] = [
    (Modifier::BOLD, 1),
    (Modifier::DIM, 2),
    (Modifier::ITALIC, 3),
    (Modifier::UNDERLINED, 4),
    (Modifier::SLOW_BLINK, 5),
    (Modifier::RAPID_BLINK, 6),
    (Modifier::REVERSED, 7),
    (Modifier::HIDDEN, 8),
    (Modifier::CROSSED_OUT, 9),
];

/// The codes that lead from one style to another.
fn codes(from: Look, to: Look) -> String {
    let mut codes = Vec::new();
    let mut left = from.modifier;
    for (modifier, code) in MODIFIERS {
        if left.contains(modifier) && !to.modifier.contains(modifier) {
            // Bold and dim end together, and so do both ways of blinking.
            let (together, end) = match code {
                1 | 2 => (Modifier::BOLD | Modifier::DIM, 22),
                5 | 6 => (Modifier::SLOW_BLINK | Modifier::RAPID_BLINK, 25),
                code => (modifier, 20 + code),
            };
            left.remove(together);
            codes.push(end.to_string());
        }
    }
    for (modifier, code) in MODIFIERS {
        if to.modifier.contains(modifier) && !left.contains(modifier) {
            codes.push(code.to_string());
        }
    }
    if to.fg != from.fg {
        codes.push(colour(to.fg, 30));
    }
    if to.bg != from.bg {
        codes.push(colour(to.bg, 40));
    }
    if to.underline != from.underline {
        codes.push(underline(to.underline));
    }
    codes.join(";")
}

/// The longest run of blanks without any colour.
fn longest_blank(spots: &[Spot<'_>]) -> Option<std::ops::Range<usize>> {
    let mut longest: Option<std::ops::Range<usize>> = None;
    let mut start = 0;
    for x in 0..=spots.len() {
        if spots.get(x).is_some_and(|spot| *spot == Spot::BLANK) {
            continue;
        }
        if longest.as_ref().is_none_or(|range| range.len() < x - start) {
            longest = Some(start..x);
        }
        start = x + 1;
    }
    longest.filter(|range| !range.is_empty())
}

/// The code of a colour; `base` is 30 for letters and 40 for what is behind them.
fn colour(colour: Color, base: u8) -> String {
    let named = |offset: u8| format!("{}", base + offset);
    match colour {
        Color::Reset => named(9),
        Color::Black => named(0),
        Color::Red => named(1),
        Color::Green => named(2),
        Color::Yellow => named(3),
        Color::Blue => named(4),
        Color::Magenta => named(5),
        Color::Cyan => named(6),
        Color::Gray => named(7),
        Color::DarkGray => named(60),
        Color::LightRed => named(61),
        Color::LightGreen => named(62),
        Color::LightYellow => named(63),
        Color::LightBlue => named(64),
        Color::LightMagenta => named(65),
        Color::LightCyan => named(66),
        Color::White => named(67),
        Color::Indexed(index) => format!("{};5;{index}", base + 8),
        Color::Rgb(red, green, blue) => format!("{};2;{red};{green};{blue}", base + 8),
    }
}

/// The code of the colour of a line under letters; the sixteen named ones go by their number.
fn underline(of: Color) -> String {
    match of {
        Color::Reset => "59".to_owned(),
        Color::Indexed(index) => format!("58;5;{index}"),
        Color::Rgb(red, green, blue) => format!("58;2;{red};{green};{blue}"),
        named => {
            let code: u8 = colour(named, 30).parse().unwrap_or(30);
            format!("58;5;{}", if code >= 90 { code - 90 + 8 } else { code - 30 })
        }
    }
}

#[cfg(test)]
#[path = "painter_tests.rs"]
mod tests;
