//! One form for texts that differ only in how they were typed or set: the form in which a quote is
//! compared with its passage. Both sides go through `Folded::new` and nothing else.
//!
//! Alike become: compatibility forms (NFKC), upper and lower case, straight and curly quotation
//! marks, all hyphens and dashes (runs of them too), all white space (runs too; between characters
//! of Chinese and Japanese it goes), Arabic and Persian forms of the same letter, and digits of all
//! three kinds. Gone are characters without width and the lengthening stroke of Arabic.
//! Kept apart is what would change a number: `10⁵` is `10^5` and not 105, `1½` is `1 1/2`.

use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::script::Script;

/// `text` in the form in which quotes are compared, without white space at its ends.
pub fn normalise(text: &str) -> String {
    Folded::new(text).text
}

/// A normalised text that knows where each of its bytes came from.
#[derive(Debug)]
pub(super) struct Folded {
    text: String,
    /// In order; each reaches to the next one's `at`.
    pieces: Vec<Piece>,
}

/// A stretch of the normalised text.
#[derive(Debug, Clone, Copy)]
struct Piece {
    /// Where it begins in the normalised text.
    at: usize,
    /// Where it begins in the source.
    origin: usize,
    /// Bytes of the source that were folded as a whole; 0 when each byte stands for one.
    whole: usize,
}

impl Folded {
    pub(super) fn new(source: &str) -> Self {
        let mut folder = Folder {
            out: Self { text: String::with_capacity(source.len()), pieces: Vec::new() },
            linear_end: None,
            gap: None,
            before: None,
        };
        folder.run(source);
        folder.out
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The source bytes of `start..end`; `None` when one of them cuts what was folded as a whole.
    pub(super) fn source(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        let first = self.piece(start)?;
        let last = self.piece(end.checked_sub(1)?)?;
        let from = match first.whole {
            0 => first.origin + (start - first.at),
            _ if start == first.at => first.origin,
            _ => return None,
        };
        let to = match last.whole {
            0 => last.origin + (end - last.at),
            whole if self.piece_end(last) == end => last.origin + whole,
            _ => return None,
        };
        Some((from, to))
    }

    /// The source bytes of `start..end`, with all of whatever was folded as a whole.
    pub(super) fn source_around(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        let first = self.piece(start)?;
        let last = self.piece(end.checked_sub(1)?)?;
        let start = if first.whole == 0 { start } else { first.at };
        let end = if last.whole == 0 { end } else { self.piece_end(last) };
        self.source(start, end)
    }

    fn piece(&self, at: usize) -> Option<Piece> {
        let after = self.pieces.partition_point(|piece| piece.at <= at);
        self.pieces.get(after.checked_sub(1)?).copied()
    }

    fn piece_end(&self, piece: Piece) -> usize {
        let after = self.pieces.partition_point(|other| other.at <= piece.at);
        self.pieces.get(after).map_or(self.text.len(), |next| next.at)
    }
}

struct Folder {
    out: Folded,
    /// Where in the source the last piece ends, when it stands byte for byte.
    linear_end: Option<usize>,
    /// White space that was read and not yet written.
    gap: Option<(usize, usize)>,
    /// The last character of the source that was not dropped.
    before: Option<char>,
}

impl Folder {
    fn run(&mut self, source: &str) {
        let bytes = source.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let alone = bytes.get(at + 1).is_none_or(u8::is_ascii);
            if alone
                && (byte.is_ascii_alphanumeric()
                    || matches!(byte, b',' | b'.' | b'(' | b')' | b':' | b';' | b'/'))
            {
                self.write_gap(byte.into());
                self.mark(at, 1, true);
                self.out.text.push(byte.to_ascii_lowercase().into());
                self.before = Some(byte.into());
                at += 1;
                continue;
            }
            at = self.unit(source, at);
        }
    }

    /// Folds one unit of the source and returns where the next begins.
    fn unit(&mut self, source: &str, at: usize) -> usize {
        let rest = source.get(at..).unwrap_or_default();
        let Some(c) = rest.chars().next() else { return source.len() };
        let run = |is: fn(char) -> bool| rest.len() - rest.trim_start_matches(is).len();
        if c.is_whitespace() {
            let end = at + run(char::is_whitespace);
            self.gap = Some((self.gap.map_or(at, |(start, _)| start), end));
            return end;
        }
        if is_dropped(c) {
            return at + c.len_utf8();
        }
        if is_dash(c) {
            let length = run(|c| is_dash(c) || is_dropped(c));
            self.write_gap('-');
            self.mark(at, length, length == 1);
            self.out.text.push('-');
            self.before = Some('-');
            return at + length;
        }
        let mut length = c.len_utf8();
        length +=
            rest[length..].chars().take_while(|&next| attaches(next)).map(char::len_utf8).sum::<usize>();
        self.write_gap(c);
        let start = self.out.text.len();
        self.mark(at, length, false);
        self.out.text.push_str(self.between_number_and(c));
        if length == c.len_utf8() {
            self.fold_char(c);
        } else {
            for c in rest[..length].chars().filter(|&c| !is_dropped(c)).nfkc() {
                self.fold_char(c);
            }
        }
        if self.out.text.len() - start == length {
            self.straighten(at, length);
        }
        self.before = Some(c);
        at + length
    }

    fn fold_char(&mut self, c: char) {
        if let Some(same) = same_as(c) {
            self.out.text.push_str(same);
        } else if c.is_ascii() || is_nfkc_quick(std::iter::once(c)) == IsNormalized::Yes {
            self.push_lower(c);
        } else {
            for part in std::iter::once(c).nfkc() {
                match same_as(part) {
                    Some(same) => self.out.text.push_str(same),
                    None if is_dash(part) => self.out.text.push('-'),
                    None if part.is_whitespace() => self.out.text.push(' '),
                    None => self.push_lower(part),
                }
            }
        }
    }

    fn push_lower(&mut self, c: char) {
        if let Some(digit) = digit(c) {
            self.out.text.push(digit);
        } else {
            for lower in c.to_lowercase() {
                self.out.text.push(if lower == 'ς' { 'σ' } else { lower });
            }
        }
    }

    /// What keeps a number and the raised, lowered or broken number `c` behind it apart.
    fn between_number_and(&self, c: char) -> &'static str {
        if self.before.is_none_or(|before| digit(before).is_none()) || self.out.text.ends_with(' ') {
            return "";
        }
        match c {
            '²' | '³' | '¹' | '\u{2070}'..='\u{207B}' => "^",
            '\u{2080}'..='\u{208B}' => "_",
            '¼'..='¾' | '\u{2150}'..='\u{215F}' | '\u{2189}' => " ",
            _ => "",
        }
    }

    /// Begins a piece for source bytes `at..at + length`, or goes on with the last one.
    fn mark(&mut self, at: usize, length: usize, linear: bool) {
        if !linear {
            self.out.pieces.push(Piece { at: self.out.text.len(), origin: at, whole: length });
            self.linear_end = None;
            return;
        }
        if self.linear_end != Some(at) {
            self.out.pieces.push(Piece { at: self.out.text.len(), origin: at, whole: 0 });
        }
        self.linear_end = Some(at + length);
    }

    /// Makes the last piece, which turned out as long as its source, one that stands byte for byte
    /// when it is a single character on both sides.
    fn straighten(&mut self, at: usize, length: usize) {
        let Some(piece) = self.out.pieces.last().copied() else { return };
        if self.out.text[piece.at..].chars().nth(1).is_some() {
            return;
        }
        self.out.pieces.pop();
        let previous = self.out.pieces.last();
        let joins = previous
            .is_some_and(|previous| previous.whole == 0 && previous.origin + (piece.at - previous.at) == at);
        if !joins {
            self.out.pieces.push(Piece { whole: 0, ..piece });
        }
        self.linear_end = Some(at + length);
    }

    /// Writes white space that was read before `next`.
    fn write_gap(&mut self, next: char) {
        let Some((start, end)) = self.gap.take() else { return };
        if self.out.text.is_empty() || (is_spaceless(next) && self.before.is_some_and(is_spaceless)) {
            self.linear_end = None;
            return;
        }
        self.mark(start, end - start, end - start == 1);
        self.out.text.push(' ');
        self.before = Some(' ');
    }
}

/// Characters between which white space means nothing.
fn is_spaceless(c: char) -> bool {
    !c.is_ascii()
        && (matches!(c, '\u{3001}'..='\u{301F}' | '\u{FF01}'..='\u{FF60}')
            || matches!(Script::of(c), Some(Script::Han | Script::Kana)))
}

/// What belongs to the character before it.
fn attaches(c: char) -> bool {
    !c.is_ascii()
        && (is_combining_mark(c)
            || matches!(c, '\u{1160}'..='\u{11FF}' | '\u{D7B0}'..='\u{D7FB}' | '\u{FF9E}' | '\u{FF9F}'))
}

fn is_dash(c: char) -> bool {
    matches!(
        c,
        '-' | '\u{2010}'
            ..='\u{2015}'
                | '\u{2043}'
                | '\u{2212}'
                | '\u{FE58}'
                | '\u{FE63}'
                | '\u{FF0D}'
                | '\u{2E3A}'
                | '\u{2E3B}'
    )
}

/// What has no width and no meaning of its own in a comparison.
fn is_dropped(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{640}' | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}' | '\u{E0100}'..='\u{E01EF}')
}

/// The common form of characters that are alike and that NFKC keeps apart or would take apart.
fn same_as(c: char) -> Option<&'static str> {
    Some(match c {
        '‘' | '’' | '‚' | '‛' | '′' | '`' | '´' | 'ʼ' | 'ʹ' | '‹' | '›' | '＇' => "'",
        '“' | '”' | '„' | '‟' | '″' | '«' | '»' | 'ʺ' | '〝' | '〞' | '〟' | '＂' => "\"",
        '\u{2044}' | '\u{2215}' => "/",
        'ß' | 'ẞ' => "ss",
        'ي' => "ی",
        'ك' => "ک",
        '٫' => ".",
        '٬' => ",",
        _ => return None,
    })
}

/// The ASCII digit of the same value.
fn digit(c: char) -> Option<char> {
    let zero = match c {
        '0'..='9' => return Some(c),
        '\u{660}'..='\u{669}' => 0x660,
        '\u{6F0}'..='\u{6F9}' => 0x6F0,
        _ => return None,
    };
    char::from_digit(c as u32 - zero, 10)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::sanitize::tests::hostile;

    #[test]
    fn j48_what_is_only_typed_otherwise_is_the_same() {
        for (one, other) in [
            ("“It’s”", "\"it's\""),
            ("non\u{2011}small \u{2212}5 a \u{2014} b -- c", "non-small -5 a - b - c"),
            ("  two\u{A0}\u{2009} words\u{200B}\r\n", "two words"),
            ("ﬁve Ａ ①", "five a 1"),
            ("e\u{301}t\u{E9}", "été"),
            ("wait… so", "wait... so"),
            ("ΣΊΣΥΦΟΣ", "σίσυφος"),
            ("STRASSE", "Straße"),
            ("كتاب يک می\u{200C}روم ۵", "کتاب یک میروم 5"),
            ("日本\n語 です", "日本語です"),
            ("ガ", "カ\u{3099}"),
            ("\u{1112}\u{1161}\u{11AB}", "한"),
        ] {
            assert_eq!(normalise(one), normalise(other), "{one}");
        }
    }

    #[test]
    fn j49_what_changes_a_number_or_a_letter_is_not_the_same() {
        for (one, other) in [
            ("10⁵", "105"),
            ("10⁻³", "10-3"),
            ("1½", "11/2"),
            ("α-test", "a-test"),
            ("5 mg", "5 µg"),
            ("≥ 5", "> 5"),
        ] {
            assert_ne!(normalise(one), normalise(other), "{one}");
        }
        assert_eq!(normalise("10⁵ 10¹² 1½ CO₂ m²"), "10^5 10^12 1 1/2 co2 m2");
    }

    proptest! {
        #[test]
        fn r04_every_place_leads_back_to_whole_characters(text in hostile()) {
            let folded = Folded::new(&text);
            let borders: Vec<usize> = folded.text().char_indices().map(|(at, _)| at).chain([folded.text().len()]).collect();
            let mut last = 0;
            for pair in borders.windows(2) {
                let (start, end) = folded.source_around(pair[0], pair[1]).unwrap();
                prop_assert!(text.get(start..end).is_some_and(|part| !part.is_empty()), "{start}..{end}");
                prop_assert!(start >= last || folded.source(pair[0], pair[1]).is_none());
                last = start;
            }
        }

        #[test]
        fn a_normalised_text_stays_as_it_is(text in "[a-zA-Z0-9 .,'\"“”‘’–—\u{A0}\u{200B}éÉßق日本…-]{0,30}") {
            let once = normalise(&text);
            prop_assert_eq!(normalise(&once), once);
        }
    }
}
