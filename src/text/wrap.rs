//! Breaking a text into lines for the screen. The lines are places in the text as it is stored, so
//! a span of the text is found on the screen and back; wrapping never alters a text.
//!
//! Lines break at white space, after hyphens and dashes, and between the characters of Chinese and
//! Japanese except before what closes and after what opens; a longer word is broken between
//! graphemes. Widths are those of [`cell`](super::sanitize::cell).

use super::script::Script;
use super::width::cells;
use crate::domain::span::Span;

/// One line on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Where the line stands in the source text; without the white space at which it was broken
    /// and without the line end.
    pub span: Span,
}

/// The lines of `text` when none may be wider than `width` cells, which only a single grapheme may
/// be. A line end in the text ends the line; one at the end of the text opens no empty line. There
/// is always at least one line, and a `width` of 0 counts as 1.
pub fn wrap(text: &str, width: u16) -> Vec<Line> {
    let most = usize::from(width.max(1));
    let mut lines = Lines { text, found: Vec::with_capacity(1 + text.len() / (most + 1)) };
    let mut at = 0;
    while at < text.len() || lines.found.is_empty() {
        let newline = text.as_bytes()[at..].iter().position(|&byte| byte == b'\n').map(|more| at + more);
        let end = newline.unwrap_or(text.len());
        let paragraph =
            text[at..end].strip_suffix('\r').filter(|_| newline.is_some()).unwrap_or(&text[at..end]);
        if paragraph.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            lines.wrap_ascii(at, at + paragraph.len(), most);
        } else {
            lines.wrap_any(at, paragraph, most);
        }
        at = newline.map_or(text.len(), |newline| newline + 1);
    }
    lines.found
}

/// The index of the line that shows byte `byte` of the source text; for white space at which a line
/// was broken, the line before it. 0 when there are no lines.
pub fn line_of(lines: &[Line], byte: usize) -> usize {
    lines.partition_point(|line| line.span.start() <= byte).saturating_sub(1)
}

struct Lines<'a> {
    text: &'a str,
    found: Vec<Line>,
}

impl Lines<'_> {
    fn push(&mut self, start: usize, end: usize) {
        self.found.extend(Span::new(self.text, start..end).map(|span| Line { span }));
    }

    /// A paragraph of printable ASCII: every byte is a cell, so only the bytes around each break
    /// are looked at.
    fn wrap_ascii(&mut self, start: usize, end: usize, most: usize) {
        let bytes = self.text.as_bytes();
        let before_spaces = |from: usize, to: usize| {
            from + bytes[from..to].iter().rposition(|&byte| byte != b' ').map_or(0, |last| last + 1)
        };
        let end = before_spaces(start, end);
        let mut start = start;
        while end - start > most {
            let over = start + most;
            let stop = (start + 1..=over).rev().find(|&at| {
                bytes[at] == b' '
                    || bytes[at - 1] == b' '
                    || breaks_between(bytes[at - 1].into(), bytes[at].into())
            });
            let stop = stop.unwrap_or(over);
            self.push(start, before_spaces(start, stop));
            start = stop + bytes[stop..end].iter().position(|&byte| byte != b' ').unwrap_or(0);
        }
        self.push(start, end);
    }

    /// A paragraph of anything that holds no line end.
    fn wrap_any(&mut self, at: usize, paragraph: &str, most: usize) {
        let mut line = Open { start: at, content_end: at, width: 0, stop: None };
        let (mut before, mut after_space) = (' ', true);
        for cell in cells(paragraph) {
            let (start, end) = (at + cell.at, at + cell.end());
            let mut chars = cell.grapheme.chars();
            let Some(first) = chars.next() else { continue };
            let space = is_space(first) && cell.grapheme.len() == first.len_utf8();
            if space {
                if line.start == start && line.start > at {
                    // White space after a break inside a word is part of the break.
                    line = Open { start: end, content_end: end, width: 0, stop: None };
                } else {
                    line.width += cell.width;
                    line.stop = Some(Stop { end: line.content_end, next: end, width: line.width });
                }
            } else {
                if !after_space && start > line.start && breaks_between(before, first) {
                    line.stop = Some(Stop { end: start, next: start, width: line.width });
                }
                while line.width + cell.width > most && line.start < start {
                    let stop =
                        line.stop.take().unwrap_or(Stop { end: start, next: start, width: line.width });
                    self.push(line.start, stop.end);
                    line.start = stop.next;
                    line.content_end = line.content_end.max(stop.next);
                    line.width -= stop.width;
                }
                line.width += cell.width;
                line.content_end = end;
            }
            before = chars.next_back().filter(|&last| !is_trailing(last)).unwrap_or(first);
            after_space = space;
        }
        self.push(line.start, line.content_end);
    }
}

/// The line that is being filled.
struct Open {
    start: usize,
    /// End of the last grapheme that is not white space.
    content_end: usize,
    /// Cells from `start` up to here, white space included.
    width: usize,
    /// The last place where the line may be broken.
    stop: Option<Stop>,
}

/// A place where a line may end and the next begin.
struct Stop {
    end: usize,
    next: usize,
    /// Cells from the start of the line to `next`.
    width: usize,
}

/// White space at which a line may be broken.
pub fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{1680}' | '\u{2000}'..='\u{2006}' | '\u{2008}'..='\u{200A}' | '\u{205F}' | '\u{3000}')
}

/// What follows its base within a grapheme without changing how lines break after it.
fn is_trailing(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c) || matches!(c, '\u{200C}' | '\u{200D}')
}

/// Whether a line may be broken between two characters with no white space between them.
pub fn breaks_between(before: char, after: char) -> bool {
    match before {
        '-' | '\u{2010}' => after.is_alphabetic(),
        '\u{2013}' | '\u{2014}' => after.is_alphanumeric(),
        '\u{200B}' => true,
        // Everything that is_cjk knows stands higher.
        _ if before < '\u{3001}' && after < '\u{3001}' => false,
        _ => (is_cjk(before) || is_cjk(after)) && !opens(before) && !closes(after),
    }
}

/// Characters of Chinese and Japanese, which are written without spaces.
fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3001}'..='\u{303F}' | '\u{30FB}' | '\u{30FC}' | '\u{FF01}'..='\u{FF60}')
        || matches!(Script::of(c), Some(Script::Han | Script::Kana))
}

/// What no line may end with.
fn opens(c: char) -> bool {
    matches!(
        c,
        '(' | '['
            | '{'
            | '“'
            | '‘'
            | '«'
            | '「'
            | '『'
            | '【'
            | '〔'
            | '《'
            | '〈'
            | '（'
            | '［'
            | '｛'
            | '￥'
            | '$'
            | '#'
            | '@'
    )
}

/// What no line may begin with.
fn closes(c: char) -> bool {
    matches!(c,
        ')' | ']' | '}' | '”' | '’' | '»' | '」' | '』' | '】' | '〕' | '》' | '〉' | '）' | '］' | '｝'
        | '、' | '。' | '，' | '．' | '！' | '？' | '：' | '；' | '・' | '…' | '％' | '々' | '〜' | 'ー'
        | ',' | '.' | '!' | '?' | ':' | ';' | '%' | '"' | '\'' | '-' | '\u{2011}'
        | 'ぁ' | 'ぃ' | 'ぅ' | 'ぇ' | 'ぉ' | 'っ' | 'ゃ' | 'ゅ' | 'ょ' | 'ゎ'
        | 'ァ' | 'ィ' | 'ゥ' | 'ェ' | 'ォ' | 'ッ' | 'ャ' | 'ュ' | 'ョ' | 'ヮ' | 'ヵ' | 'ヶ')
        // A control character is drawn as a mark and a joiner is part of a word.
        || matches!(c, '\u{200D}' | '\u{2060}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::growth;
    use crate::text::sanitize::tests::hostile;
    use crate::text::width::width;

    fn shown(text: &str, width: u16) -> Vec<&str> {
        wrap(text, width).iter().map(|line| line.span.of(text).unwrap()).collect()
    }

    #[test]
    fn lines_break_at_white_space_and_do_not_keep_it() {
        assert_eq!(shown("one two three", 7), ["one two", "three"]);
        assert_eq!(shown("one   two", 3), ["one", "two"]);
        assert_eq!(shown("one two   ", 20), ["one two"]);
        assert_eq!(shown("caf\u{E9}\u{E9} noir  et blanc", 7), ["caféé", "noir", "et", "blanc"]);
        assert_eq!(shown("a\u{A0}b c", 4), ["a\u{A0}b", "c"]);
    }

    #[test]
    fn r10_line_ends_break_and_a_lone_cr_is_a_mark() {
        assert_eq!(shown("a\nb\r\nc\rd", 9), ["a", "b", "c\rd"]);
        assert_eq!(shown("a\n\nb\n", 9), ["a", "", "b"]);
        assert_eq!(shown("", 9), [""]);
        assert_eq!(shown("\n", 9), [""]);
        assert_eq!(shown("  indented\n  twice", 12), ["  indented", "  twice"]);
    }

    #[test]
    fn words_break_after_hyphens_but_numbers_do_not() {
        assert_eq!(shown("beta-blocker", 8), ["beta-", "blocker"]);
        assert_eq!(shown("from 10-20 mg", 7), ["from", "10-20", "mg"]);
        assert_eq!(shown("at -5 degrees", 4), ["at", "-5", "degr", "ees"]);
        assert_eq!(shown("one\u{2014}two", 5), ["one\u{2014}", "two"]);
    }

    #[test]
    fn a_long_word_breaks_between_graphemes() {
        assert_eq!(shown("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(shown("see abcdefgh", 5), ["see", "abcde", "fgh"]);
        assert_eq!(
            shown("👩\u{200D}🚒👩\u{200D}🚒e\u{301}", 2),
            ["👩\u{200D}🚒", "👩\u{200D}🚒", "e\u{301}"]
        );
        assert_eq!(shown("日本", 1), ["日", "本"]);
    }

    #[test]
    fn chinese_and_japanese_break_between_characters_but_not_before_a_stop() {
        assert_eq!(shown("用量は五。次", 8), ["用量は", "五。次"]);
        assert_eq!(shown("「日本」語", 6), ["「日", "本」語"]);
        assert_eq!(shown("용량은 오 밀리그램", 8), ["용량은", "오", "밀리그램"]);
    }

    #[test]
    fn marks_count_with_the_width_they_are_drawn_in() {
        assert_eq!(shown("ab\u{202E}cd", 7), ["ab\u{202E}", "cd"]);
    }

    #[test]
    fn r10_a_place_in_the_text_is_found_on_its_line() {
        let text = "one two  three\n\nfour";
        let lines = wrap(text, 7);
        for (byte, line) in [(0, 0), (6, 0), (8, 0), (9, 1), (13, 1), (14, 1), (15, 2), (16, 3), (99, 3)] {
            assert_eq!(line_of(&lines, byte), line, "byte {byte}");
        }
        assert_eq!(line_of(&[], 5), 0);
    }

    #[test]
    fn r42_a_huge_text_wraps_in_time_that_grows_with_its_length() {
        for unit in ["x", " ", "日", "a\u{301}", "ab ", "\n", "one two\n", "👩\u{200d}🚒"] {
            let times =
                growth::of_four_times_as_much(|times| unit.repeat(times * 6_000), |text| wrap(text, 3));
            assert!(times < growth::QUADRATIC, "{unit:?} took {times:.1} times as long");
            let text = unit.repeat(60_000);
            if unit.contains([' ', '\n']) {
                continue;
            }
            let lines = wrap(&text, 3);
            assert_eq!(lines.last().map(|line| line.span.end()), Some(text.len()));
        }
    }

    proptest! {
        #[test]
        fn r10_every_byte_is_on_one_line_or_is_the_white_space_between(
            text in prop_oneof![hostile(), "[a-c \t\n\r-]{0,40}", "[ab é日。「\n-]{0,40}"],
            most in 0u16..12,
        ) {
            let lines = wrap(&text, most);
            prop_assert!(!lines.is_empty());
            let mut at = 0;
            for (index, line) in lines.iter().enumerate() {
                let between = text.get(at..line.span.start());
                prop_assert!(between.is_some_and(|gap| gap.chars().all(|c| is_space(c) || matches!(c, '\n' | '\r'))), "{between:?}");
                let shown = line.span.of(&text).unwrap();
                prop_assert!(!shown.contains('\n'));
                prop_assert!(width(shown) <= usize::from(most.max(1)) || cells(shown).count() == 1, "{shown:?}");
                prop_assert!(cells(shown).last().is_none_or(|cell| cell.grapheme != " "), "{shown:?}");
                prop_assert!(index == 0 || line.span.start() > lines[index - 1].span.start());
                if !line.span.is_empty() {
                    prop_assert_eq!(line_of(&lines, line.span.start()), index);
                    prop_assert_eq!(line_of(&lines, line.span.end() - 1), index);
                }
                at = line.span.end();
            }
            prop_assert!(text[at..].chars().all(|c| is_space(c) || matches!(c, '\n' | '\r')));
        }

        #[test]
        fn the_fast_path_for_ascii_breaks_where_the_slow_one_does(text in "[a-c1 -]{0,40}", most in 1usize..9) {
            let mut fast = Lines { text: &text, found: Vec::new() };
            fast.wrap_ascii(0, text.len(), most);
            let mut slow = Lines { text: &text, found: Vec::new() };
            slow.wrap_any(0, &text, most);
            prop_assert_eq!(fast.found, slow.found);
        }
    }
}
