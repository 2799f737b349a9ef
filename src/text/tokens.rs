//! Words with their places, in every script that can be cut into comparable pieces.
//!
//! Scripts with spaces give words; Chinese and Japanese give pairs of characters; for scripts that need
//! a dictionary to find words (Thai, Lao, Khmer, Burmese) no token is made.

use crate::domain::span::Span;

use super::lexicon::{LEXICON, NumberWord, WordId};
use super::script::{Script, needs_dictionary};
use super::stem::{Stem, digit, fold, form, stem};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    Word,
    /// Begins with a digit.
    Number,
    /// One or two characters of a script without spaces.
    Bigram,
}

/// A word or a piece of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    pub span: Span,
    pub kind: TokenKind,
    /// Lower case, no accents.
    pub folded: Box<str>,
    pub stem: Stem,
    /// The word up to number and tense: finer than `stem`.
    pub form: Stem,
    /// What the word lists know of it.
    pub word: WordId,
    /// Carries no fact of its own.
    pub stop: bool,
    /// Begins with a capital letter.
    pub capital: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    Han,
    Katakana,
    Hiragana,
    Hangul,
    /// A script whose words only a dictionary can find.
    Unsegmented,
    /// Belongs to the letter before it.
    Mark,
    Other,
}

fn class(c: char) -> Class {
    if c.is_ascii() {
        return if c.is_ascii_alphabetic() {
            Class::Letter
        } else if c.is_ascii_digit() {
            Class::Digit
        } else {
            Class::Other
        };
    }
    match c {
        '\u{200c}' | '\u{200d}' | '\u{00ad}' | '\u{0640}' => Class::Mark,
        '\u{3041}'..='\u{3096}' | '\u{309d}' | '\u{309e}' => Class::Hiragana,
        '\u{30a1}'..='\u{30fa}'
        | '\u{30fc}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{ff66}'..='\u{ff9f}' => Class::Katakana,
        '\u{3005}'
        | '\u{3007}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}' => Class::Han,
        '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}' => Class::Hangul,
        '\u{0e50}'..='\u{0e59}' => Class::Digit,
        c if digit(c).is_some() => Class::Digit,
        c if Script::of(c).is_some_and(needs_dictionary) => Class::Unsegmented,
        c if unicode_normalization::char::is_combining_mark(c) => Class::Mark,
        c if c.is_alphabetic() => Class::Letter,
        _ => Class::Other,
    }
}

/// The tokens of `text`, in order. Numbers keep their separators in the span and lose them in `folded`.
pub fn tokens(text: &str) -> Vec<Token> {
    tokens_in(text, 0, text.len())
}

/// The tokens of `text[start..end]`, with spans that count from the beginning of `text`. Empty when the
/// range does not fit the text.
pub fn tokens_in(text: &str, start: usize, end: usize) -> Vec<Token> {
    let Some(part) = text.get(start..end) else { return Vec::new() };
    let mut scanner = Scanner { text, part, base: start, out: Vec::with_capacity(part.len() / 6) };
    scanner.run();
    quieten(&mut scanner.out);
    scanner.out
}

/// How far behind "I" a word that only says how the speaker knows may stand: "I do not really know".
const BEHIND_I: usize = 4;

/// Words by which a speaker only says how he knows carry no fact: "I'm not sure, but …".
fn quieten(tokens: &mut [Token]) {
    let says_i = |word: &str| matches!(word, "i" | "i'm" | "i've" | "i'd" | "i'll" | "im");
    for at in 0..tokens.len() {
        if says_i(&tokens[at].folded) {
            for token in tokens.iter_mut().skip(at + 1).take(BEHIND_I) {
                token.stop |= LEXICON.idle.contains(&*token.folded);
            }
        }
    }
}

struct Scanner<'t> {
    text: &'t str,
    part: &'t str,
    base: usize,
    out: Vec<Token>,
}

impl Scanner<'_> {
    fn run(&mut self) {
        let mut at = 0;
        while let Some(c) = self.part[at..].chars().next() {
            at = match class(c) {
                Class::Letter => self.word(at),
                Class::Digit => self.number(at),
                Class::Han => self.pairs(at, Class::Han),
                Class::Hangul => self.pairs(at, Class::Hangul),
                kana @ (Class::Katakana | Class::Hiragana) => {
                    let end = self.end_of_run(at, kana);
                    self.push(
                        at,
                        end,
                        if kana == Class::Katakana { TokenKind::Word } else { TokenKind::Bigram },
                    );
                    end
                }
                Class::Unsegmented | Class::Mark | Class::Other => at + c.len_utf8(),
            };
        }
    }

    fn end_of_run(&self, at: usize, of: Class) -> usize {
        self.part[at..]
            .char_indices()
            .find(|(_, c)| !matches!(class(*c), Class::Mark) && class(*c) != of)
            .map_or(self.part.len(), |(offset, _)| at + offset)
    }

    fn word(&mut self, start: usize) -> usize {
        let mut end = start;
        let mut letters = 0;
        let mut chars = self.part[start..].char_indices().peekable();
        while let Some((offset, c)) = chars.next() {
            let next = chars.peek().map(|(_, next)| *next);
            let next_class = next.map_or(Class::Other, class);
            let joins = match class(c) {
                Class::Letter => {
                    letters += 1;
                    true
                }
                Class::Digit | Class::Mark => true,
                _ => match c {
                    '\'' | '\u{2019}' => next_class == Class::Letter,
                    '-' | '\u{2010}' | '\u{2011}' => (1..=5).contains(&letters) && next_class == Class::Digit,
                    // U.S., e.g.
                    '.' => {
                        letters == 1 && next_class == Class::Letter && {
                            let mut ahead = self.part[start + offset + 1..].chars();
                            ahead.next();
                            ahead.next().is_none_or(|c| class(c) != Class::Letter)
                        }
                    }
                    _ => false,
                },
            };
            if !joins {
                break;
            }
            if c == '.' {
                letters = 0;
            }
            end = start + offset + c.len_utf8();
        }
        let end = self.contraction(end).unwrap_or(end);
        self.push(start, end, TokenKind::Word);
        end
    }

    /// The end of "don ' t", which some texts write with spaces around the apostrophe, from the end of "don".
    fn contraction(&self, end: usize) -> Option<usize> {
        let rest = self.part.get(end..)?;
        let behind = rest.strip_prefix(" ' ").or_else(|| rest.strip_prefix(" \u{2019} "))?;
        let tail = behind.split(|c: char| !c.is_ascii_alphabetic()).next()?;
        let is_short =
            ["t", "s", "m", "d", "re", "ve", "ll"].iter().any(|one| tail.eq_ignore_ascii_case(one));
        is_short.then(|| end + (rest.len() - behind.len()) + tail.len())
    }

    fn number(&mut self, start: usize) -> usize {
        let mut end = start;
        let mut chars = self.part[start..].char_indices().peekable();
        while let Some((offset, c)) = chars.next() {
            let next_is_digit = chars.peek().is_some_and(|(_, next)| class(*next) == Class::Digit);
            let joins = class(c) == Class::Digit
                || (next_is_digit && matches!(c, '.' | ',' | '\u{066b}' | '\u{066c}' | '\u{00b7}'));
            if !joins {
                break;
            }
            end = start + offset + c.len_utf8();
        }
        while let Some(longer) = self.thousands(start, end) {
            end = longer;
        }
        self.push(start, end, TokenKind::Number);
        end
    }

    /// The end of "23 , 768", which some texts write with spaces around the comma, from the end of "23".
    fn thousands(&self, start: usize, end: usize) -> Option<usize> {
        let head = self.part.get(start..end)?;
        let lead = head.split(',').next()?.trim();
        let rest = self.part.get(end..)?.strip_prefix(" , ")?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let is_group =
            digits == 3 && lead.len() <= 3 && head.bytes().all(|b| b.is_ascii_digit() || b", ".contains(&b));
        is_group.then_some(end + 6)
    }

    /// Pairs of neighbouring characters; a lone character stands for itself.
    fn pairs(&mut self, start: usize, of: Class) -> usize {
        let end = self.end_of_run(start, of);
        let borders: Vec<usize> =
            self.part[start..end].char_indices().map(|(offset, _)| start + offset).collect();
        if borders.len() == 1 {
            self.push(start, end, TokenKind::Bigram);
        }
        for (index, from) in borders.iter().enumerate().take(borders.len() - 1) {
            let to = borders.get(index + 2).copied().unwrap_or(end);
            self.push(*from, to, TokenKind::Bigram);
        }
        end
    }

    fn push(&mut self, start: usize, end: usize, kind: TokenKind) {
        let raw = &self.part[start..end];
        let Some(span) = Span::new(self.text, self.base + start..self.base + end) else { return };
        let mut folded = fold(raw);
        match kind {
            TokenKind::Number => folded.retain(|c| c.is_ascii_digit() || c == '.'),
            TokenKind::Word if raw.contains(' ') => folded.retain(|c| c != ' '),
            TokenKind::Word if raw.contains(['.', '-', '\u{2010}', '\u{2011}']) => {
                folded.retain(|c| !matches!(c, '.' | '-' | '\u{2010}' | '\u{2011}'));
                if folded == "us" {
                    folded.push('a');
                }
            }
            _ => {}
        }
        let stem = match LEXICON.number_words.get(folded.as_str()) {
            Some(NumberWord::Value(value)) => stem(&format!("{value}")),
            _ => stem(&folded),
        };
        let hiragana = kind == TokenKind::Bigram && raw.chars().all(|c| class(c) == Class::Hiragana);
        let form = form(&folded);
        self.out.push(Token {
            span,
            kind,
            stop: hiragana || LEXICON.stop.contains(folded.as_str()),
            capital: raw.chars().next().is_some_and(char::is_uppercase),
            stem,
            form,
            word: LEXICON.thesaurus.id(form),
            folded: folded.into_boxed_str(),
        });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn folded(text: &str) -> Vec<String> {
        tokens(text).iter().map(|token| token.folded.to_string()).collect()
    }

    #[test]
    fn words_numbers_and_names_are_whole() {
        assert_eq!(folded("The U.S. gave 1,200.5 mg."), ["the", "usa", "gave", "1200.5", "mg"]);
        assert_eq!(folded("IL-2 isn't COVID-19 (8g)"), ["il2", "isn't", "covid19", "8", "g"]);
        assert_eq!(folded("well-known p53"), ["well", "known", "p53"]);
        assert_eq!(folded("می‌رود ۱۲ كتاب"), ["میرود", "12", "کتاب"]);
    }

    #[test]
    fn j55_scripts_without_spaces_are_cut_into_pairs() {
        assert_eq!(folded("飛行機が２機"), ["飛行", "行機", "が", "2", "機"]);
        assert_eq!(folded("テーブル"), ["テーブル"]);
        assert!(tokens("が").iter().all(|token| token.stop));
        assert!(tokens("สวัสดีครับ").is_empty());
    }

    #[test]
    fn a_number_word_is_its_number() {
        assert_eq!(tokens("sixty")[0].stem, tokens("60")[0].stem);
    }

    #[test]
    fn a_word_of_100_000_characters_is_one_token() {
        let word = "x".repeat(100_000);
        assert_eq!(tokens(&word).len(), 1);
        let stack = format!("a{}", "\u{0301}".repeat(100_000));
        assert_eq!(folded(&stack), ["a"]);
    }

    proptest! {
        #[test]
        fn spans_stand_in_order_inside_the_text(text in "\\PC{0,60}") {
            let mut last = 0;
            for token in tokens(&text) {
                prop_assert!(token.span.of(&text).is_some_and(|word| !word.is_empty()));
                prop_assert!(token.span.start() >= last);
                last = token.span.start();
            }
        }

        #[test]
        fn case_does_not_matter(text in "[a-zA-Z0-9 .'-]{0,60}") {
            let upper = text.to_ascii_uppercase();
            prop_assert_eq!(folded(&text), folded(&upper));
        }
    }
}
