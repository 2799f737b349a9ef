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
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pieces that are dangerous next to each other, and ordinary text.
    pub(in crate::text) fn hostile() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => any::<char>().prop_map(String::from),
            2 => "[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]",
            2 => "[\\p{Mn}\\p{Me}\\p{Mc}]{1,7}",
            2 => "[a-zA-Z0-9 ]{1,3}",
            1 => "[\u{1100}-\u{11FF}]{1,20}",
            1 => "[\u{1F1E6}-\u{1F1FF}\u{1F3FB}-\u{1F3FF}\u{FF9E}\u{FF9F}\u{E33}]{1,3}",
            1 => "[\u{600}-\u{605}\u{D4E}\u{110BD}]{1,3}",
            1 => "[\u{E0020}-\u{E007F}\u{FE00}-\u{FE0F}\u{E0100}-\u{E0110}]{1,3}",
            2 => prop::sample::select(vec![
                "👩🏽\u{200D}❤️\u{200D}💋\u{200D}👨🏽", "👨\u{200D}", "\u{200D}", "می\u{200C}روم", "\u{200C}", "क्\u{200D}ष", "1️⃣",
                "\r\n", "\r", "\t", "日本", "\u{1B}[31m", "\u{202E}", "é", "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
            ]).prop_map(String::from),
        ];
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    fn is_bidi_control(c: char) -> bool {
        matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    }

    #[test]
    fn controls_become_pictures() {
        assert_eq!(visible("a\u{1B}[31mred\0\u{7F}\r"), "a␛[31mred␀␡␍");
        assert_eq!(visible("one\ntwo\r\nthree\tfour"), "one␊two␍␊three␉four");
        assert_eq!(visible("\u{9B}31m\u{85}"), "⟨U+009B⟩31m⟨U+0085⟩");
    }

    #[test]
    fn r03_bidi_controls_are_shown_and_the_words_stay() {
        assert_eq!(visible("user\u{202E}nimda\u{202C}"), "user⟨RLO⟩nimda⟨PDF⟩");
        assert_eq!(visible("\u{2067}سلام\u{2069} Latin \u{200F}"), "⟨RLI⟩سلام⟨PDI⟩ Latin ⟨RLM⟩");
    }

    #[test]
    fn hidden_characters_get_their_names() {
        assert_eq!(visible("a\u{200B}b\u{FEFF}c\u{AD}d\u{2060}e"), "a⟨ZWSP⟩b⟨BOM⟩c⟨SHY⟩d⟨WJ⟩e");
        assert_eq!(visible("a\u{2028}b\u{3164}c"), "a⟨LS⟩b⟨U+3164⟩c");
        assert_eq!(visible("go\u{200D}od a\u{FE0F}"), "go⟨ZWJ⟩od a⟨VS16⟩");
        assert_eq!(visible("hi\u{E0041}\u{E0042}"), "hi⟨U+E0041⟩⟨U+E0042⟩");
        assert_eq!(visible("😀\u{E0100}\u{E0101}"), "😀⟨U+E0100⟩⟨U+E0101⟩");
    }

    #[test]
    fn r01_writing_that_needs_joiners_stays_as_it_is() {
        for text in [
            "👩🏽\u{200D}❤️\u{200D}💋\u{200D}👨🏽",
            "👨\u{200D}👩\u{200D}👧\u{200D}👦",
            "👩\u{200D}🚒",
            "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
            "🇮🇷🇯🇵",
            "1️⃣",
            "☃️",
            "می\u{200C}خواهم",
            "क्\u{200D}ष",
            "ක්\u{200D}\u{DBB}ී",
            "葛\u{E0100}",
            "Z\u{351}\u{36B}",
            "각",
        ] {
            assert!(
                matches!(visible(text), Cow::Borrowed(same) if same == text),
                "{text}: {}",
                visible(text)
            );
        }
    }

    #[test]
    fn combining_stacks_are_cut_and_counted() {
        let stack = format!("a{}b", "\u{301}".repeat(41));
        assert_eq!(visible(&stack), format!("a{}⟨+37⟩b", "\u{301}".repeat(4)));
        assert_eq!(visible("\u{301}a"), "◌\u{301}a");
        let family = "👨\u{200D}".repeat(1000) + "👨";
        assert!(visible(&family).ends_with("⟨+1985⟩"), "{}", visible(&family));
    }

    #[test]
    fn what_has_no_width_alone_is_named() {
        assert_eq!(cell("\u{1161}"), (Cow::Borrowed("⟨U+1161⟩"), 8));
        assert_eq!(cell("\u{605}"), (Cow::Borrowed("⟨U+0605⟩"), 8));
        assert_eq!(cell(""), (Cow::Borrowed(""), 0));
    }

    #[test]
    fn on_the_screen_line_ends_and_tabs_are_spaces() {
        assert_eq!(cell("\n"), (Cow::Borrowed(" "), 1));
        assert_eq!(cell("\r\n"), (Cow::Borrowed(" "), 1));
        assert_eq!(cell("\r"), (Cow::Borrowed("␍"), 1));
        assert_eq!(cell("\t").1, 4);
        assert_eq!(cell("\u{202E}"), (Cow::Borrowed("⟨RLO⟩"), 5));
    }

    #[test]
    fn what_a_person_brings_in_keeps_only_what_can_be_seen_or_is_needed() {
        for (text, clean, dropped) in [
            ("one\n\ttwo", "one\n\ttwo", 0),
            ("a\u{1B}[31mb\u{202E}c\u{200F}\0", "a[31mbc", 4),
            ("می\u{200C}خواهم go\u{200D}od", "می\u{200C}خواهم good", 1),
            ("👩\u{200D}🚒 ☃️ é\u{200B}", "👩\u{200D}🚒 ☃️ é", 1),
        ] {
            assert_eq!(without_unseen(text), (clean.to_owned(), dropped), "{text:?}");
        }
    }

    #[test]
    fn the_list_of_prepended_signs_is_what_the_segmenter_has() {
        for c in ('\u{80}'..='\u{1FFFF}').chain('\u{E0000}'..='\u{E0FFF}') {
            let joined = format!("{c}x");
            assert_eq!(joined.graphemes(true).count() == 1, is_prepend(c), "{:04X}", c as u32);
        }
    }

    proptest! {
        #[test]
        fn nothing_hidden_gets_through(text in hostile()) {
            let shown = visible(&text);
            prop_assert!(!shown.chars().any(|c| c.is_control() || is_bidi_control(c)), "{shown:?}");
            for grapheme in text.graphemes(true) {
                let (drawn, width) = cell(grapheme);
                prop_assert!(!drawn.chars().any(|c| c.is_control() || is_bidi_control(c)), "{drawn:?}");
                prop_assert!(width > 0);
            }
        }

        #[test]
        fn a_visible_text_is_its_own_visible_text(text in hostile()) {
            let once = visible(&text).into_owned();
            prop_assert_eq!(visible(&once), once.as_str());
        }

        #[test]
        fn format_characters_are_seen(c in "\\p{Cf}") {
            let shown = visible(&c);
            prop_assert!(shown.starts_with('⟨') && shown.ends_with('⟩'), "{shown:?}");
        }

        #[test]
        fn printable_latin_text_is_borrowed(text in "[ -~\u{C0}-\u{17F}]{0,20}") {
            prop_assert!(matches!(visible(&text), Cow::Borrowed(_)));
        }
    }
}
