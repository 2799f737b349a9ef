//! Text that is safe to show: nothing that a terminal would obey, and nothing that a reader could
//! not see, gets through. The stored text is never altered; this is for display only.
//!
//! A hidden character becomes a mark: a control picture (`␛`), or its name or code in angle
//! brackets (`⟨RLO⟩`, `⟨U+0085⟩`). Kept are joiners and variation selectors where writing needs
//! them: inside an emoji sequence, and after a letter of a script whose letters join.

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

use super::width::{cells, terminal_width};

/// Cells that a tab takes on the screen, wherever it stands.
const TAB: &str = "    ";

/// Combining marks shown on one base; the rest are counted in a mark: `⟨+37⟩`.
const MOST_MARKS: usize = 4;

/// Characters of an error; it quotes from its input, which may be of any length.
pub const MOST_OF_AN_ERROR: usize = 1000;

/// Characters shown of one grapheme; the longest in real use, an emoji of two people, has ten.
const MOST_CHARS: usize = 16;

/// `text` with every hidden character as a visible mark, for one line of output. Line ends and tabs
/// are marks too. The result holds no control character and no bidi control, and is its own
/// `visible`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    // Up to where `text` is already in `shown`.
    let mut done = 0;
    for cell in cells(text) {
        let drawn = match cell.grapheme {
            "\n" => Cow::Borrowed("␊"),
            "\r\n" => Cow::Borrowed("␍␊"),
            "\t" => Cow::Borrowed("␉"),
            _ => cell.drawn(),
        };
        if drawn != cell.grapheme {
            shown.push_str(&text[done..cell.at]);
            shown.push_str(&drawn);
            done = cell.at + cell.grapheme.len();
        }
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    shown.push_str(&text[done..]);
    Cow::Owned(shown)
}

/// `text` for an error: whole when it has at most [`MOST_OF_AN_ERROR`] characters, else without its
/// middle, because what happened stands at the beginning and what to do at the end.
pub fn shortened(text: &str) -> Cow<'_, str> {
    if text.len() <= MOST_OF_AN_ERROR || text.chars().count() <= MOST_OF_AN_ERROR {
        return Cow::Borrowed(text);
    }
    let kept = MOST_OF_AN_ERROR / 2;
    let head = text.char_indices().nth(kept).map_or(text.len(), |(at, _)| at);
    let tail = text.char_indices().nth_back(kept - 1).map_or(0, |(at, _)| at);
    Cow::Owned(format!("{} … {}", &text[..head], &text[tail..]))
}

/// What to draw on the screen for one grapheme, and how many cells that takes.
///
/// A line end is drawn as one space and a tab as four, so that a text of several lines can stand in
/// one. Everything else that is hidden is drawn as its mark. The width is 0 only for an empty text.
pub fn cell(grapheme: &str) -> (Cow<'_, str>, usize) {
    match grapheme {
        "\n" | "\r\n" => return (Cow::Borrowed(" "), 1),
        "\t" => return (Cow::Borrowed(TAB), TAB.len()),
        _ => {}
    }
    let drawn = draw(grapheme);
    let width = terminal_width(&drawn);
    (drawn, width)
}

/// One grapheme with its hidden characters as marks.
fn draw(grapheme: &str) -> Cow<'_, str> {
    let mut chars = grapheme.chars();
    match (chars.next(), chars.next()) {
        (Some(only), None) if stands_alone(only) => {
            return Cow::Borrowed(grapheme);
        }
        _ if is_flag_with_tags(grapheme) => return Cow::Borrowed(grapheme),
        _ => {}
    }
    let mut pen = Pen::default();
    let mut chars = grapheme.chars().enumerate().peekable();
    while let Some((at, c)) = chars.next() {
        if at == MOST_CHARS {
            pen.more += 1 + chars.count();
            break;
        }
        let next = chars.peek().filter(|(at, _)| *at < MOST_CHARS).map(|&(_, next)| next);
        pen.put(c, next);
    }
    pen.finish();
    if pen.drawn == grapheme { Cow::Borrowed(grapheme) } else { Cow::Owned(pen.drawn) }
}

/// Draws the characters of one grapheme, remembering what the next one may lean on.
#[derive(Default)]
struct Pen {
    drawn: String,
    /// The last character that stands by itself.
    base: Option<char>,
    /// The last character as it was drawn.
    last: Option<char>,
    /// Combining marks on `base` so far.
    marks: usize,
    /// Characters left out since `base`.
    more: usize,
}

impl Pen {
    fn put(&mut self, c: char, next: Option<char>) {
        if is_hidden(c) {
            if self.needs(c, next) {
                self.drawn.push(c);
                self.last = Some(c);
            } else {
                self.finish();
                push_mark(&mut self.drawn, c);
                self.rest_on('⟩');
            }
        } else if is_combining_mark(c) && (self.base.is_some() || attaches(c)) {
            if self.base.is_none() {
                self.drawn.push('◌');
                self.rest_on('◌');
            }
            if self.marks == MOST_MARKS {
                self.more += 1;
            } else {
                self.marks += 1;
                self.drawn.push(c);
                self.last = Some(c);
            }
        } else if (is_prepend(c) && !next.is_some_and(stands_alone))
            || (has_no_width(c) && !is_prepend(c) && !self.base.is_some_and(is_hangul))
        {
            // Has nothing to be drawn with.
            self.finish();
            self.drawn.push_str(&code_mark(c));
            self.rest_on('⟩');
        } else {
            self.finish();
            self.drawn.push(c);
            self.rest_on(c);
        }
    }

    fn rest_on(&mut self, base: char) {
        self.base = Some(base);
        self.last = Some(base);
        self.marks = 0;
    }

    /// Writes how many characters were left out.
    fn finish(&mut self) {
        if self.more > 0 {
            // Writing to a string cannot fail.
            let _ = write!(self.drawn, "⟨+{}⟩", self.more);
            self.more = 0;
            self.rest_on('⟩');
        }
    }

    /// Whether the hidden character `c` does its proper work here.
    fn needs(&self, c: char, next: Option<char>) -> bool {
        let (Some(base), Some(last), 0) = (self.base, self.last, self.more) else {
            return false;
        };
        match c {
            '\u{200C}' | '\u{200D}' if matches!(last, '\u{200C}' | '\u{200D}') => false,
            '\u{200C}' => letters_join(base),
            '\u{200D}' => letters_join(base) || (is_symbol(base) && next.is_some_and(is_symbol)),
            '\u{FE00}'..='\u{FE0F}' => last == base && !base.is_ascii_alphabetic() && base != '⟩',
            '\u{180B}'..='\u{180D}' | '\u{180F}' => last == base && ('\u{1820}'..='\u{18AA}').contains(&base),
            '\u{E0100}'..='\u{E01EF}' => {
                last == base
                    && matches!(base, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
            }
            _ => false,
        }
    }
}

/// A letter of a script in which joiners choose between forms: Arabic to Mongolian, and those of
/// India and its neighbours.
fn letters_join(base: char) -> bool {
    base.is_alphabetic()
        && matches!(base,
            '\u{620}'..='\u{8FF}' | '\u{900}'..='\u{DFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
            | '\u{1820}'..='\u{18AA}' | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}')
}

/// What can be part of an emoji sequence.
fn is_symbol(c: char) -> bool {
    c > '\u{A8}' && !matches!(c, '⟩' | '◌') && !c.is_alphanumeric() && !is_hidden(c) && !is_combining_mark(c)
}

/// The flag of a part of a country: a black flag, the region's code in tag characters, an end tag.
fn is_flag_with_tags(grapheme: &str) -> bool {
    let Some(code) = grapheme.strip_prefix('\u{1F3F4}').and_then(|tags| tags.strip_suffix('\u{E007F}'))
    else {
        return false;
    };
    let letters =
        code.chars().filter(|c| matches!(c, '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}')).count();
    (3..=6).contains(&letters) && code.chars().count() == letters
}

/// Number signs and the like that are written before, and drawn around, what follows them.
fn is_prepend(c: char) -> bool {
    c >= '\u{600}'
        && matches!(c,
            '\u{600}'..='\u{605}' | '\u{6DD}' | '\u{70F}' | '\u{890}' | '\u{891}' | '\u{8E2}' | '\u{D4E}'
            | '\u{110BD}' | '\u{110CD}' | '\u{111C2}' | '\u{111C3}' | '\u{113D1}' | '\u{1193F}' | '\u{11941}'
            | '\u{11A84}'..='\u{11A89}' | '\u{11D46}' | '\u{11F02}')
}

/// Such as the vowels and final consonants of Hangul in their spelled-out form, which are drawn into
/// the syllable that an initial consonant opens.
fn has_no_width(c: char) -> bool {
    c.width() == Some(0)
}

/// Whether the combining mark `c` is drawn on what stands before it; a few stand beside it.
fn attaches(c: char) -> bool {
    ['◌', c].iter().collect::<String>().graphemes(true).count() == 1
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11FF}' | '\u{A960}'..='\u{A97F}' | '\u{AC00}'..='\u{D7FB}')
}

/// Whether `c` shows itself without a neighbour.
fn stands_alone(c: char) -> bool {
    !(is_hidden(c) || is_combining_mark(c) || is_prepend(c) || has_no_width(c))
}

/// The first character of `text` that [`visible`] does not leave as it is; `None` when all can be
/// seen.
pub fn first_unseen(text: &str) -> Option<char> {
    let shown = visible(text);
    let mut shown = shown.chars();
    text.chars().find(|c| shown.next() != Some(*c))
}

/// `text` without the hidden characters that do no work in its writing, and how many those were. Line
/// feeds and tabs stay: this is for text of several lines that a person brings in.
pub fn without_unseen(text: &str) -> (String, usize) {
    let mut kept = String::with_capacity(text.len());
    let mut dropped = 0;
    for grapheme in text.graphemes(true) {
        if matches!(grapheme, "\n" | "\t") || draw(grapheme) == grapheme {
            kept.push_str(grapheme);
        } else {
            let seen = grapheme.chars().filter(|c| *c == '\n' || !is_hidden(*c));
            let before = kept.len();
            kept.extend(seen);
            dropped += grapheme.chars().count() - kept[before..].chars().count();
        }
    }
    (kept, dropped)
}

/// Characters that are obeyed or skipped by a terminal rather than drawn. In the right place, writing
/// needs a few of them: see [`first_unseen`].
pub fn is_hidden(c: char) -> bool {
    match c {
        ' '..='~' => false,
        '\0'..='\u{9F}'
        | '\u{AD}'
        | '\u{34F}'
        | '\u{61C}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{17B4}'
        | '\u{17B5}'
        | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{3164}'
        | '\u{FDD0}'..='\u{FDEF}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}'
        | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}'
        | '\u{13430}'..='\u{1343F}'
        | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}' => true,
        _ => c as u32 & 0xFFFE == 0xFFFE,
    }
}

fn push_mark(drawn: &mut String, c: char) {
    let name = match c {
        '\0'..='\u{1F}' => {
            // The control pictures stand in the order of the controls.
            drawn.extend(char::from_u32(0x2400 + c as u32));
            return;
        }
        '\u{7F}' => {
            drawn.push('␡');
            return;
        }
        '\u{AD}' => "SHY",
        '\u{34F}' => "CGJ",
        '\u{61C}' => "ALM",
        '\u{200B}' => "ZWSP",
        '\u{200C}' => "ZWNJ",
        '\u{200D}' => "ZWJ",
        '\u{200E}' => "LRM",
        '\u{200F}' => "RLM",
        '\u{2028}' => "LS",
        '\u{2029}' => "PS",
        '\u{202A}' => "LRE",
        '\u{202B}' => "RLE",
        '\u{202C}' => "PDF",
        '\u{202D}' => "LRO",
        '\u{202E}' => "RLO",
        '\u{2060}' => "WJ",
        '\u{2066}' => "LRI",
        '\u{2067}' => "RLI",
        '\u{2068}' => "FSI",
        '\u{2069}' => "PDI",
        '\u{FEFF}' => "BOM",
        '\u{FE00}'..='\u{FE0F}' => {
            let _ = write!(drawn, "⟨VS{}⟩", c as u32 - 0xFE00 + 1);
            return;
        }
        _ => {
            drawn.push_str(&code_mark(c));
            return;
        }
    };
    let _ = write!(drawn, "⟨{name}⟩");
}

fn code_mark(c: char) -> String {
    format!("⟨U+{:04X}⟩", c as u32)
}

#[cfg(test)]
#[path = "sanitize_tests.rs"]
pub(super) mod tests;
