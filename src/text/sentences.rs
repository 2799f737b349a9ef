//! Where the sentences of a text stand. Knows punctuation and layout, not meaning: what is a claim
//! and what is not is for the judge.
//!
//! A stop ends a sentence unless what stands around it says otherwise: an abbreviation, an initial,
//! a number, a small letter after it. Where a stop can be read both ways, the sentence goes on,
//! except before words that mostly begin one.

use std::ops::Range;

use super::abbreviations::{
    AFTER_NAMES, BEFORE_LETTERS, BEFORE_MORE, BEFORE_NUMBERS, GERMAN_MONTHS, STARTERS, TITLES,
};
use super::layout::{blocks, is_rule};
use super::script::{Script, has_word_breaks};
use crate::domain::span::Span;

/// Units that stand before the bar of another one.
const UNITS_OVER: [&str; 16] = [
    "mmol", "mol", "µmol", "μmol", "umol", "nmol", "pmol", "g", "mg", "µg", "μg", "ng", "mEq", "IU", "U",
    "cells",
];

/// How many characters before and after a stop are looked at.
const WORD: usize = 24;

/// The sentences of `text` in order, trimmed of white space, not overlapping. List marks, lines that
/// only draw something and lone punctuation are in none.
pub fn sentences(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    // Where nobody writes capitals, a small letter says nothing of what it begins.
    let is_cased = text.chars().any(char::is_uppercase);
    for block in blocks(text) {
        split(text, block, is_cased, &mut found);
    }
    found
}

fn split(text: &str, block: Range<usize>, is_cased: bool, found: &mut Vec<Span>) {
    let Some(inside) = text.get(..block.end) else { return };
    let mut start = block.start;
    let mut at = block.start;
    while let Some(c) = inside.get(at..).and_then(|rest| rest.chars().next()) {
        let after = at + c.len_utf8();
        if c == '•' && inside[..at].ends_with(char::is_whitespace) {
            push(text, start..at, found);
            start = after;
        } else if let Some(kind) = Stop::of(c) {
            let place = Place { is_cased, ..Place::new(inside, start, at, kind) };
            at = place.end;
            if place.ends_sentence() {
                push(text, start..place.end, found);
                start = place.end;
            }
            continue;
        }
        at = after;
    }
    push(text, start..block.end, found);
}

fn push(text: &str, range: Range<usize>, found: &mut Vec<Span>) {
    let Some(part) = text.get(range.clone()) else { return };
    if part.chars().all(is_rule) {
        return;
    }
    let start = range.start + (part.len() - part.trim_start().len());
    found.extend(Span::new(text, start..start + part.trim().len()));
}

/// What a character does to the sentence before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// `.`: may also belong to an abbreviation or a number.
    Dot,
    /// Several dots: a pause or an end.
    Ellipsis,
    /// `!` or `?`.
    Mark,
    /// A stop that is nothing else: `。`, `؟`, `।`.
    Full,
}

impl Stop {
    fn of(c: char) -> Option<Self> {
        match c {
            '.' => Some(Self::Dot),
            '…' => Some(Self::Ellipsis),
            '!' | '?' | '‼' | '⁇' | '⁈' | '⁉' => Some(Self::Mark),
            '。' | '｡' | '！' | '？' | '؟' | '۔' | '।' | '॥' | '։' | '።' | '။' | '។' | '៕' | '།' | '༎' => {
                Some(Self::Full)
            }
            _ => None,
        }
    }
}

/// A stop and what stands around it.
struct Place<'a> {
    kind: Stop,
    before: &'a str,
    /// Where the sentence would end: after the stops, and the quotation marks, brackets and
    /// references behind them.
    end: usize,
    /// Whether anything stands between the stops and `end`.
    closed: bool,
    /// Whether the text has capitals.
    is_cased: bool,
    /// Whether white space follows.
    spaced: bool,
    /// What follows the white space.
    after: &'a str,
}

impl<'a> Place<'a> {
    fn new(inside: &'a str, start: usize, at: usize, mut kind: Stop) -> Self {
        let mut end = at;
        let mut stops = 0;
        let mut closed = false;
        while let Some(c) = inside[end..].chars().next() {
            if let Some(more) = Stop::of(c) {
                stops += 1;
                match (kind, more) {
                    (Stop::Dot, Stop::Dot) if stops > 1 && !closed => kind = Stop::Ellipsis,
                    (_, Stop::Mark | Stop::Full) => kind = more,
                    _ => {}
                }
                end += c.len_utf8();
            } else if let Some(length) = closing(&inside[end..]) {
                closed = true;
                end += length;
            } else {
                break;
            }
        }
        let rest = &inside[end..];
        let after = rest.trim_start();
        Self {
            kind,
            before: &inside[start..at],
            end,
            closed,
            is_cased: true,
            spaced: after.len() < rest.len(),
            after,
        }
    }

    fn ends_sentence(&self) -> bool {
        let Some(next) = self.after.chars().next() else { return true };
        if !self.spaced {
            return match self.kind {
                // In Japanese a quoted sentence may be followed by its particle.
                Stop::Full => !(self.closed && matches!(next, 'ぁ'..='ゖ')),
                Stop::Mark | Stop::Dot => {
                    Script::of(next).is_some_and(|script| !has_word_breaks(script))
                        || (self.closed && next.is_uppercase())
                }
                Stop::Ellipsis => false,
            };
        }
        if matches!(next, ',' | ';' | ':' | ')' | ']' | '}' | '%' | '،' | '؛') {
            return false;
        }
        let word = first_word(self.after);
        let first = word.chars().next();
        match self.kind {
            Stop::Full => true,
            Stop::Mark => !(self.is_cased && first.is_some_and(char::is_lowercase)),
            Stop::Ellipsis => first.is_some_and(|c| c.is_alphabetic() && !c.is_lowercase()),
            // In texts cut into words a stop stands alone: "it was sold . the bank".
            Stop::Dot if self.before.ends_with(' ') && !self.closed => true,
            Stop::Dot => {
                if self.is_cased
                    && first.is_some_and(char::is_lowercase)
                    && !word.chars().any(char::is_uppercase)
                {
                    return false;
                }
                !self.dot_belongs_to_the_word(next, word)
            }
        }
    }

    /// Whether the dot is part of what stands before it and the sentence goes on with `word`.
    fn dot_belongs_to_the_word(&self, next: char, word: &str) -> bool {
        let token = last_token(self.before);
        let first = word.chars().next().unwrap_or(next);
        let lower = token.to_lowercase();
        let lower = lower.as_str();
        let begins = STARTERS.contains(&word)
            || (!self.is_cased && STARTERS.iter().any(|starter| starter.eq_ignore_ascii_case(word)));
        let mut letters = token.chars();
        match (letters.next(), letters.next()) {
            (None, _) => return false,
            (Some(only), None) if only.is_alphabetic() => {
                return !self.is_unit(token) && self.is_initial(token, only, first, begins);
            }
            _ => {}
        }
        if token.contains('.')
            && token.split('.').all(|part| part.chars().count() <= 2 && part.chars().all(char::is_alphabetic))
        {
            return match lower {
                "e.g" | "i.e" | "z.b" | "d.h" | "u.a" => true,
                "a.m" | "p.m" => false,
                _ => !begins,
            };
        }
        if token.chars().all(char::is_numeric) {
            // A number that opens the sentence counts an item; a German date has a dot in it.
            return (token.chars().count() <= 3 && self.before.trim_start().len() == token.len())
                || GERMAN_MONTHS.contains(&word);
        }
        // "180 ms." is an amount, "Ms. Smith" a title.
        let is_title = token.starts_with(char::is_uppercase) || !follows_number(self.before, token);
        if (TITLES.contains(&lower) && is_title) || BEFORE_MORE.contains(&lower) {
            return true;
        }
        if BEFORE_NUMBERS.contains(&lower) {
            return first.is_numeric() || word.chars().all(|c| "IVXLC".contains(c));
        }
        if AFTER_NAMES.contains(&lower) {
            return !begins;
        }
        false
    }

    /// Whether the letter before the dot is a unit: "5 L", "2 mmol/L".
    fn is_unit(&self, token: &str) -> bool {
        let earlier = self.before.get(..self.before.len() - token.len()).unwrap_or_default();
        match earlier.strip_suffix('/') {
            Some(over) => {
                let over = last_token(over);
                UNITS_OVER.contains(&over)
            }
            None => {
                matches!(token, "L" | "V" | "W" | "A" | "N" | "K" | "F" | "C")
                    && follows_number(self.before, token)
            }
        }
    }

    /// Whether the single letter `only` before the dot is an initial or stands for a word.
    fn is_initial(&self, token: &str, only: char, first: char, begins: bool) -> bool {
        if only.is_lowercase() {
            // "Roe v. Wade"
            return first.is_numeric() || only == 'v';
        }
        if !only.is_uppercase() {
            return Script::of(only).is_some_and(has_word_breaks);
        }
        if begins {
            return false;
        }
        let earlier = self.before.get(..self.before.len() - token.len()).unwrap_or_default();
        let earlier = last_token(earlier.trim_end()).to_lowercase();
        let is_pronoun = only == 'I' && !earlier.is_empty() && !earlier.ends_with('.');
        !is_pronoun && !BEFORE_LETTERS.contains(&earlier.as_str())
    }
}

/// The length of what may close a sentence after its stop: a quotation mark, a bracket, emphasis, or
/// a reference such as `[12]`.
fn closing(rest: &str) -> Option<usize> {
    let c = rest.chars().next()?;
    match c {
        '"' | '\'' | '”' | '’' | '»' | '›' | ')' | ']' | '}' | '）' | '］' | '】' | '」' | '』' | '〉'
        | '》' | '〕' | '｣' | '*' | '_' | '`' | '¹' | '²' | '³' | '⁴' | '⁵' | '⁶' | '⁷' | '⁸' | '⁹' | '⁰' => {
            Some(c.len_utf8())
        }
        '[' => {
            let inner = rest
                .bytes()
                .skip(1)
                .take(12)
                .take_while(|byte| byte.is_ascii_digit() || b", -".contains(byte))
                .count();
            (inner > 0 && rest.as_bytes().get(inner + 1) == Some(&b']')).then_some(inner + 2)
        }
        _ => None,
    }
}

/// Whether a number stands before `token`, the last word of `before`: "180 ms".
fn follows_number(before: &str, token: &str) -> bool {
    let earlier = before.get(..before.len() - token.len()).unwrap_or_default();
    last_token(earlier.trim_end()).ends_with(char::is_numeric)
}

/// The last stretch of `before` without white space and opening marks.
fn last_token(before: &str) -> &str {
    let length: usize = before
        .chars()
        .rev()
        .take(WORD)
        .take_while(|&c| {
            !c.is_whitespace()
                && !matches!(
                    c,
                    '(' | '['
                        | '{'
                        | '"'
                        | '\''
                        | '“'
                        | '‘'
                        | '’'
                        | '/'
                        | '*'
                        | '_'
                        | '-'
                        | '–'
                        | '—'
                        | '，'
                        | '、'
                )
        })
        .map(char::len_utf8)
        .sum();
    &before[before.len() - length..]
}

/// The first word of `after`, behind quotation marks, brackets and emphasis.
fn first_word(after: &str) -> &str {
    let after = after.trim_start_matches(|c: char| {
        matches!(c, '"' | '\'' | '“' | '‘' | '„' | '«' | '‹' | '(' | '[' | '{' | '*' | '_' | '¿' | '¡')
    });
    let length: usize =
        after.chars().take(WORD).take_while(|c| c.is_alphanumeric()).map(char::len_utf8).sum();
    &after[..length]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Splits a text in which `|` stands where a sentence ends, and compares.
    fn check(marked: &str) {
        let text = marked.replace('|', "");
        let expected: Vec<&str> = marked.split('|').map(str::trim).collect();
        let found: Vec<&str> = sentences(&text).into_iter().map(|span| span.of(&text).unwrap()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn stops_end_sentences() {
        check("The dose is 5 mg. |It is taken daily! |Is it safe? |Yes.");
        check("One sentence without a stop");
        check("He paused... |Then he left.");
        check("He paused... then left. |\"Stop!\" he said. |She said \"No.\" |They went.");
        check("It works (see above). |(It was tested.) |Then it shipped.[12] |Next one.");
        check("Really?! |Yes.");
        check("It rose to 5%. |3 patients died.");
    }

    #[test]
    fn texts_without_capitals_and_texts_cut_into_words_have_sentences_too() {
        check("the tenant is liable for damage. |the landlord is not. |is it safe? |yes.");
        check("it fell by 5.2 mg. |e.g. dr. smith et al. reported it. |he left.");
        check("It was sold . |the bank remained . |It is 4 g .");
        check("yes they are well behaved . |they are also useful .");
    }

    #[test]
    fn a_unit_behind_a_number_is_no_title() {
        check("The median was 180 ms. |The error rate fell.");
        check("It fell 12 ft. |Nobody was hurt.");
        check("Lactate was above 2 mmol/L. |Noradrenaline is given. |Give 5 L. |Glucose was 3 mg/L. |Stop.");
        check("It was found by J. Smith and 3 R. Virchow pupils.");
        check("They met Ms. Smith and dr. Jones at 12 St. Mary Road. |She left.");
    }

    #[test]
    fn abbreviations_do_not() {
        check("Dr. Smith gave 5 mg. of it to Mrs. Jones. |She improved.");
        check("Some drugs, e.g. aspirin, i.e. ASA, vs. placebo (approx. 3 of 10) help. |Others do not.");
        check("See Fig. 3 and No. 7 in Vol. II for more. |No. |That is wrong.");
        check("Smith et al. (2010) and Jones et al. Nature 5 agree. |The rest do not.");
        check("The U.S. Supreme Court met at 5 p.m. |Judges came from the U.S. |The ruling stands.");
        check("Apple Inc. CEO Tim Cook spoke for Acme Corp. |He left.");
        check("Apples, pears, etc. |Bananas are next.");
        check("Give 3.5 mg at 10.30 via node.js or www.example.com. |Stop then.");
        check("Since Jan. 5 it rose. |It fell in Dec. |Then it rose.");
        check("Es war am 3. Oktober 1990. |Dann kam z.B. die Wahl.");
    }

    #[test]
    fn initials_do_not_but_a_letter_at_the_end_does() {
        check("J. R. R. Tolkien and George W. Bush met. |It was found by J. Smith.");
        check("They take vitamin C. |The rest take none. |It is hepatitis B. |Patients recover.");
        check("It was the German scientist R. Virchow. |She is older than I. |Patients recover.");
    }

    #[test]
    fn small_names_begin_sentences() {
        check("It costs 5 dollars. |iPhone sales fell. |mRNA vaccines work.");
    }

    #[test]
    fn j55_other_scripts_have_other_stops() {
        check("用量は一日五ミリグラムです。|副作用はありません！|安全ですか？|はい。");
        check("彼は「止まれ。」と言った。|そして去った。");
        check("剂量为5毫克。|他说：“很好。”|没有副作用。");
        check("دوز دارو ۵ میلی‌گرم است. |آیا امن است؟ |بله.");
        check("یہ دوا ہے۔ |یہ محفوظ ہے۔");
        check("खुराक पाँच है। |यह सुरक्षित है।");
        check("Доза 5 мг. |Она безопасна.");
        check("د. محمد حضر. |ثم غادر.");
    }

    #[test]
    fn layout_ends_sentences() {
        check(
            "## Findings\n|The dose is\n5 mg daily.\n\n|Side effects:\n|nausea\n".replace("## ", "").as_str(),
        );
        let text =
            "Intro line\n\n- first item. Second part\n- other item\n1. numbered\n• round • inline\n---\n";
        let found: Vec<&str> = sentences(text).into_iter().map(|span| span.of(text).unwrap()).collect();
        assert_eq!(
            found,
            ["Intro line", "first item.", "Second part", "other item", "numbered", "round", "inline"]
        );
    }

    #[test]
    fn r04_line_ends_and_emoji_do_not_shift_anything() {
        let text = "👩\u{200D}🚒 was here.\r\nShe left 💩.\r\n\r\nEnd";
        let found: Vec<&str> = sentences(text).into_iter().map(|span| span.of(text).unwrap()).collect();
        assert_eq!(found, ["👩\u{200D}🚒 was here.", "She left 💩.", "End"]);
    }

    #[test]
    fn hostile_texts_are_split_in_time_that_grows_with_their_length() {
        let long = [
            "x".repeat(100_000),
            ".".repeat(100_000),
            ". ".repeat(100_000),
            "a.".repeat(100_000),
            ".)".repeat(100_000),
            "a. ".repeat(100_000),
            "1. ".repeat(100_000),
            "> ".repeat(100_000),
            "a\n".repeat(100_000),
            format!("a.{}b", " ".repeat(200_000)),
            "\u{301}".repeat(100_000),
            "\0\r".repeat(1000),
        ];
        for text in &long {
            for span in sentences(text) {
                assert!(span.of(text).is_some());
            }
        }
        assert!(sentences("").is_empty() && sentences(" \n\t").is_empty() && sentences("\0\r--").is_empty());
    }

    proptest! {
        #[test]
        fn sentences_hold_every_letter_once_and_in_order(
            text in prop_oneof!["[a-cA-C .!?\n\"…。•-]{0,60}", "\\PC{0,60}", any::<String>()],
        ) {
            let found = sentences(&text);
            let mut end = 0;
            for span in &found {
                prop_assert!(span.start() >= end && !span.is_empty());
                let shown = span.of(&text).unwrap();
                prop_assert_eq!(shown.trim(), shown);
                end = span.end();
            }
            // Numbers and single letters may be the marks of list items.
            let marks = text.contains(|c: char| c.is_numeric() || matches!(c, ')' | '）' | '['));
            for (at, _) in text.char_indices().filter(|(_, c)| c.is_alphabetic() && !marks) {
                prop_assert!(found.iter().any(|span| span.range().contains(&at)), "byte {}", at);
            }
        }
    }
}
