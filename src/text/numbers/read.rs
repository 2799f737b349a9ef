//! Reads the numbers of a text from its tokens: digits, words, kanji, ranges, units and what is counted.

use super::{Bound, Number, What, currency, same};
use crate::domain::span::Span;
use crate::text::lexicon::{LEXICON, NumberWord};
use crate::text::script::Script;
use crate::text::stem::{Stem, digit, fold, stem};
use crate::text::tokens::{Token, TokenKind};

pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    pub(super) tokens: &'t [Token],
}

/// A value that was read, and the token behind it.
struct Value {
    amount: f64,
    digits: u32,
    ordinal: bool,
    next: usize,
    end: usize,
}

/// What a third one is no number of.
const PARTIES: &[&str] = &["party", "parties"];
/// Words before "over" with a time that make it "more than": "for over 30 minutes".
const LONGER: &[&str] = &[
    "for", "is", "are", "was", "were", "be", "been", "takes", "take", "took", "taking", "lasts", "last",
    "lasted", "of", "after", "in", "with", "by", "to", "than", "lived", "waited", "wait", "worked", "spent",
    "ran", "runs", "and", "or", "just", "well", "aged", "adults", "patients", "people", "those", "children",
    "women", "men", "from", "at", "within", "until", "since", "the", "a", "exists", "existed",
];

impl Reader<'_> {
    fn before(&self, at: usize) -> &str {
        self.tokens.get(at).and_then(|token| self.text.get(..token.span.start())).unwrap_or("")
    }

    fn gap(&self, at: usize) -> Option<&str> {
        let (from, to) = (self.tokens.get(at)?, self.tokens.get(at + 1)?);
        self.text.get(from.span.end()..to.span.start())
    }

    fn rest(&self, end: usize) -> &str {
        self.text.get(end..).unwrap_or("")
    }

    /// The number that begins at token `at`, and the token behind it.
    pub(super) fn number_at(&self, at: usize) -> Option<(Number, usize)> {
        let head = self.before(at);
        let first = self.value_at(at)?;
        if is_marker(head, self.rest(first.end), first.digits) {
            return None;
        }
        let first = self.with_figures(first);
        let start = self.tokens[at].span.start();
        let currency = currency::at_the_end_of(head.trim_end());
        let range = self.range_end(&first);
        let (mut next, mut end) = match &range {
            Some(second) => (second.next, second.end),
            None => (first.next, first.end),
        };
        let mut scale = 1.0;
        if currency.is_some()
            && let Some(factor) = self.word(next, end).and_then(money_scale)
        {
            scale = factor;
            end = self.tokens[next].span.end();
            next += 1;
        }
        let mut factor = 1.0;
        let what = if let Some((_, dimension)) = currency {
            What::Unit(dimension)
        } else if let Some((dimension, unit_factor, unit_next, unit_end)) = self.unit(next, end) {
            factor = unit_factor;
            next = unit_next;
            end = unit_end;
            What::Unit(dimension)
        } else if let Some((dimension, unit_factor)) = self.shared_unit(next, end) {
            factor = unit_factor;
            What::Unit(dimension)
        } else if let Some(label) = self.label(at) {
            What::Label(label)
        } else {
            let nouns = self.nouns(next, end);
            if let Some(counter) = self.counter(end) {
                end += counter.len_utf8();
            }
            if nouns.is_empty() { What::Bare } else { What::Counted(nouns) }
        };
        let from = currency.map_or(start, |(length, _)| head.trim_end().len() - length);
        let span = Span::new(self.text, from..end)?;
        let by = |value: f64| value * scale * factor;
        // "4 to 6 million" scales both.
        let low = by(first.amount);
        let high = range.as_ref().map_or(low, |second| by(second.amount));
        Some((
            Number {
                span,
                low: low.min(high),
                high: low.max(high),
                bound: if what == What::Unit("time") && self.is_stretch(at) {
                    Bound::Exactly
                } else {
                    self.bound(at, next)
                },
                ordinal: first.ordinal,
                what,
                digits: first.digits,
            },
            next,
        ))
    }

    /// `three (3)`: the same again in figures belongs to it.
    fn with_figures(&self, first: Value) -> Value {
        let gap = self.tokens.get(first.next).and_then(|token| self.text.get(first.end..token.span.start()));
        let again = gap.filter(|gap| gap.trim_start() == "(").and_then(|_| self.digits_at(first.next));
        match again {
            Some(again) if same(again.amount, first.amount) && self.rest(again.end).starts_with(')') => {
                Value { next: again.next, end: again.end + 1, ..first }
            }
            _ => first,
        }
    }

    /// The folded word of token `next` when only a space or hyphen stands between it and `end`.
    fn word(&self, next: usize, end: usize) -> Option<&str> {
        let token = self.tokens.get(next)?;
        let gap = self.text.get(end..token.span.start())?;
        let near = gap.chars().all(|c| c == ' ' || c == '\n' || c == '-' || c == '\u{a0}' || c == '\u{202f}');
        (near && gap.len() <= 4).then_some(&*token.folded)
    }

    fn value_at(&self, at: usize) -> Option<Value> {
        let token = self.tokens.get(at)?;
        match token.kind {
            TokenKind::Number => self.digits_at(at),
            TokenKind::Word => self.words_at(at),
            TokenKind::Bigram => self.kanji_at(at),
        }
    }

    fn digits_at(&self, at: usize) -> Option<Value> {
        let token = self.tokens.get(at)?;
        let (mut value, digits) = read_digits(token.span.of(self.text)?)?;
        let mut next = at + 1;
        let mut end = token.span.end();
        let mut ordinal = false;
        if self.gap(at) == Some("") && matches!(self.word(next, end), Some("st" | "nd" | "rd" | "th")) {
            ordinal = true;
            end = self.tokens[next].span.end();
            next += 1;
        }
        while let Some(NumberWord::Scale(factor)) =
            self.word(next, end).and_then(|word| LEXICON.number_words.get(word))
        {
            value *= factor;
            end = self.tokens[next].span.end();
            next += 1;
        }
        if let Some((factor, width)) = east_asian_scale(self.rest(end)) {
            value *= factor;
            end += width;
            while self.tokens.get(next).is_some_and(|token| token.span.end() <= end) {
                next += 1;
            }
        }
        Some(Value { amount: value, digits, ordinal, next, end })
    }

    /// `sixty`, `twenty-five`, `two hundred and fifty thousand`.
    fn words_at(&self, at: usize) -> Option<Value> {
        let mut total = 0.0;
        let mut group = 0.0;
        let mut next = at;
        let mut end = self.tokens.get(at)?.span.start();
        let mut ordinal = false;
        let mut read_any = false;
        while let Some(token) = self.tokens.get(next) {
            if read_any && self.word(next, end).is_none() {
                break;
            }
            match LEXICON.number_words.get(&*token.folded) {
                Some(NumberWord::Value(value)) if !read_any || group == 0.0 || fits_behind(group, *value) => {
                    group += value;
                }
                Some(NumberWord::Ordinal(value)) if !read_any || fits_behind(group, *value) => {
                    group += value;
                    ordinal = true;
                    read_any = true;
                    end = token.span.end();
                    next += 1;
                    break;
                }
                Some(NumberWord::Scale(factor)) if read_any => {
                    if *factor < 1000.0 {
                        group *= factor;
                    } else {
                        total += group * factor;
                        group = 0.0;
                    }
                }
                None if read_any
                    && &*token.folded == "and"
                    && self.tokens.get(next + 1).is_some_and(|after| {
                        matches!(LEXICON.number_words.get(&*after.folded), Some(NumberWord::Value(_)))
                            && (group >= 100.0 && group % 100.0 == 0.0)
                    }) => {}
                _ => break,
            }
            read_any = true;
            end = token.span.end();
            next += 1;
        }
        // A third party is whoever is not the first two; nobody counts it.
        if ordinal && self.word(next, end).is_some_and(|word| PARTIES.contains(&word)) {
            return None;
        }
        let value = total + group;
        let digits = significant(&format!("{value}"));
        read_any.then_some(Value { amount: value, digits, ordinal, next, end })
    }

    /// `三人`, `十二月`: only before a counting word, because the signs are also parts of names.
    fn kanji_at(&self, at: usize) -> Option<Value> {
        let start = self.tokens.get(at)?.span.start();
        let rest = self.rest(start);
        let mut total = 0.0;
        let mut group = 0.0;
        let mut width = 0;
        for c in rest.chars() {
            match kanji_digit(c) {
                Some(KanjiDigit::Value(value)) => group = group * 10.0 + value,
                Some(KanjiDigit::Scale(factor)) => {
                    total += if group == 0.0 { factor } else { group * factor };
                    group = 0.0;
                }
                None => break,
            }
            width += c.len_utf8();
        }
        let counter = rest.get(width..)?.chars().next()?;
        if width == 0 || !COUNTERS.contains(counter) {
            return None;
        }
        let end = start + width;
        let mut next = at;
        while self.tokens.get(next).is_some_and(|token| token.span.start() < end) {
            next += 1;
        }
        let value = total + group;
        Some(Value { amount: value, digits: significant(&format!("{value}")), ordinal: false, next, end })
    }

    fn range_end(&self, first: &Value) -> Option<Value> {
        let token = self.tokens.get(first.next)?;
        let gap = self.text.get(first.end..token.span.start())?;
        let dashed = matches!(gap.trim(), "-" | "–" | "—" | "~" | "〜" | "～" | "‐" | "‑");
        if dashed && token.kind == TokenKind::Number {
            return self.value_at(first.next).filter(|second| second.amount > first.amount);
        }
        if gap.trim().is_empty() && &*token.folded == "to" {
            return self.value_at(first.next + 1).filter(|second| second.amount > first.amount);
        }
        None
    }

    /// Dimension, factor, token behind the unit, end of the unit.
    fn unit(&self, next: usize, end: usize) -> Option<(&'static str, f64, usize, usize)> {
        let rest = self.rest(end);
        let spaces = rest.len() - rest.trim_start_matches([' ', '\n', '\u{a0}', '\u{202f}', '-']).len();
        let tail = &rest[spaces..];
        if spaces <= 4
            && let Some(sign) = tail.chars().next().filter(|c| matches!(c, '%' | '٪' | '％' | '‰'))
        {
            return Some(("percent", 1.0, next, end + spaces + sign.len_utf8()));
        }
        if let Some(degree) = tail.strip_prefix('°') {
            let letter = degree.trim_start().chars().next()?;
            let unit = LEXICON.units.get(&fold(&format!("°{letter}")))?;
            return Some((unit.dimension, unit.factor, next + 1, self.tokens.get(next)?.span.end()));
        }
        let word = self.word(next, end)?;
        let token = self.tokens.get(next)?;
        if word == "percentage" || (word == "per" && self.folded(next + 1) == "cent") {
            let point = self.folded(next + 1).starts_with("point");
            let dimension = if point { "percentage-point" } else { "percent" };
            let last = next + usize::from(point || word == "per");
            return Some((dimension, 1.0, last + 1, self.tokens.get(last)?.span.end()));
        }
        if token.kind != TokenKind::Bigram
            && let Some(unit) = LEXICON.units.get(word)
        {
            return Some((unit.dimension, unit.factor, next + 1, token.span.end()));
        }
        // Without word breaks: the longest unit that stands right behind.
        let ends: Vec<usize> = tail.char_indices().take(7).map(|(offset, c)| offset + c.len_utf8()).collect();
        if token.kind == TokenKind::Bigram || token.span.start() == end {
            for width in ends.into_iter().rev() {
                let candidate = &tail[..width];
                if candidate.is_ascii() {
                    continue;
                }
                if let Some(unit) = LEXICON.units.get(&fold(candidate)) {
                    let unit_end = end + spaces + width;
                    let mut after = next;
                    while self.tokens.get(after).is_some_and(|token| token.span.end() <= unit_end) {
                        after += 1;
                    }
                    return Some((unit.dimension, unit.factor, after, unit_end));
                }
            }
        }
        None
    }

    /// The unit that a number has with the next: "55- and 65-year-old".
    fn shared_unit(&self, next: usize, end: usize) -> Option<(&'static str, f64)> {
        let hangs = self.rest(end).starts_with("- ") && matches!(self.folded(next), "and" | "or" | "to");
        let other = if hangs { self.value_at(next + 1) } else { None }?;
        self.unit(other.next, other.end).map(|(dimension, factor, ..)| (dimension, factor))
    }

    fn folded(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| &token.folded)
    }

    fn label(&self, at: usize) -> Option<Stem> {
        let before = self.tokens.get(at.checked_sub(1)?)?;
        let near = self.gap(at - 1).is_some_and(|gap| gap.chars().all(|c| c == ' ' || c == '.'));
        (near && LEXICON.number_labels.contains(&*before.folded)).then_some(before.stem)
    }

    /// The counting word right behind a number in a script without word breaks.
    fn counter(&self, end: usize) -> Option<char> {
        self.rest(end).chars().next().filter(|c| Script::of(*c) == Some(Script::Han))
    }

    /// The words that are counted: up to three behind the number, before any stop word or punctuation.
    fn nouns(&self, next: usize, end: usize) -> Vec<Stem> {
        let mut nouns = Vec::new();
        let mut from = end;
        // Without word breaks the counting word is the one character behind.
        if let Some(counter) = self.counter(end) {
            return vec![stem(counter.encode_utf8(&mut [0; 4]))];
        }
        for token in self.tokens.iter().skip(next).take(3) {
            let Some(gap) = self.text.get(from..token.span.start()) else { break };
            if token.kind == TokenKind::Bigram
                || !gap.chars().all(|c| c == ' ' || c == '\n' || c == '-' || c == '\u{a0}')
                || token.stop
            {
                break;
            }
            if token.kind == TokenKind::Word {
                nouns.push(token.stem);
            }
            from = token.span.end();
        }
        nouns
    }

    /// "Infused over 30 minutes" takes as long; "lasted over 30 minutes" is longer.
    fn is_stretch(&self, at: usize) -> bool {
        let back = |steps: usize| at.checked_sub(steps).map_or("", |index| self.folded(index));
        back(1) == "over" && !back(2).is_empty() && !LONGER.contains(&back(2))
    }

    fn bound(&self, at: usize, next: usize) -> Bound {
        let back = |steps: usize| at.checked_sub(steps).map_or("", |index| self.folded(index));
        let is_denied = matches!(back(3), "not" | "no");
        match (back(2), back(1)) {
            ("more" | "longer" | "later", "than") if is_denied => Bound::AtMost,
            ("less" | "fewer" | "earlier", "than") if is_denied => Bound::AtLeast,
            ("more" | "greater" | "higher" | "longer" | "older", "than")
            | ("at", "least")
            | (_, "over" | "above" | "exceeding" | "minimum") => Bound::AtLeast,
            ("less" | "fewer" | "lower" | "shorter" | "younger", "than") | (_, "under" | "below") => {
                Bound::AtMost
            }
            // A limit that is granted is an amount of its own: "up to 8 g" is not borne out by 4 g.
            ("at", "most") | ("up", "to") => Bound::Exactly,
            (
                _,
                "about" | "around" | "approximately" | "roughly" | "nearly" | "almost" | "some" | "circa"
                | "約" | "حدود" | "sekitar",
            ) => Bound::About,
            _ => match (self.folded(next), self.folded(next + 1)) {
                ("or", "more") | ("and", "older" | "over" | "above") => Bound::AtLeast,
                ("or", "less" | "fewer") | ("and", "younger" | "under") => Bound::AtMost,
                _ => Bound::Exactly,
            },
        }
    }
}

/// List marks ("1." at the head of a line) and reference marks ("[12]") are no numbers of the text.
fn is_marker(head: &str, rest: &str, digits: u32) -> bool {
    let line_start = head.rsplit('\n').next().is_none_or(|line| line.trim().is_empty());
    let closes = rest.chars().next();
    let list = line_start
        && digits <= 2
        && matches!(closes, Some('.' | ')'))
        && rest[1..].chars().next().is_none_or(char::is_whitespace);
    let reference = head.ends_with('[') && closes == Some(']');
    list || reference
}

fn fits_behind(group: f64, value: f64) -> bool {
    (group >= 100.0 && group % 100.0 == 0.0 && value < 100.0)
        || ((20.0..100.0).contains(&group) && group % 10.0 == 0.0 && value < 10.0)
}

fn money_scale(word: &str) -> Option<f64> {
    match word {
        "k" => Some(1e3),
        "m" | "mn" => Some(1e6),
        "b" | "bn" => Some(1e9),
        _ => None,
    }
}

fn significant(written: &str) -> u32 {
    let digits: String = written.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_start_matches('0');
    let count = if written.contains('.') { digits.len() } else { digits.trim_end_matches('0').len() };
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Value and significant digits. `1,200` is a thousand and more, `1,5` is one and a half.
fn read_digits(raw: &str) -> Option<(f64, u32)> {
    let plain: String = raw
        .chars()
        .map(|c| match c {
            '\u{066b}' | '\u{00b7}' => '.',
            '\u{066c}' => ',',
            c => digit(c).and_then(|value| char::from_digit(value, 10)).unwrap_or(c),
        })
        .collect();
    let commas = plain.matches(',').count();
    let points = plain.matches('.').count();
    let behind = |mark: char| plain.rsplit(mark).next().map_or(0, str::len);
    let text = match (commas, points) {
        (1, 0) if behind(',') != 3 => plain.replace(',', "."),
        (_, 0 | 1) => plain.replace(',', ""),
        (0, _) => plain.replace('.', ""),
        (1, _) => plain.replace('.', "").replace(',', "."),
        _ => return None,
    };
    // More digits than a number of the world has: a code, not an amount.
    if text.len() > 18 {
        return None;
    }
    Some((text.parse().ok()?, significant(&text)))
}

enum KanjiDigit {
    Value(f64),
    Scale(f64),
}

fn kanji_digit(c: char) -> Option<KanjiDigit> {
    Some(match c {
        '一' => KanjiDigit::Value(1.0),
        '二' => KanjiDigit::Value(2.0),
        '三' => KanjiDigit::Value(3.0),
        '四' => KanjiDigit::Value(4.0),
        '五' => KanjiDigit::Value(5.0),
        '六' => KanjiDigit::Value(6.0),
        '七' => KanjiDigit::Value(7.0),
        '八' => KanjiDigit::Value(8.0),
        '九' => KanjiDigit::Value(9.0),
        '十' => KanjiDigit::Scale(10.0),
        '百' => KanjiDigit::Scale(100.0),
        '千' => KanjiDigit::Scale(1000.0),
        _ => return None,
    })
}

const COUNTERS: &str = "人個台匹頭本枚機歳才年月日名羽つ階杯冊軒脚足皿両隻艘回度件社倍割点位列軒門色種頁段";

fn east_asian_scale(rest: &str) -> Option<(f64, usize)> {
    let sign = rest.chars().next()?;
    let factor = match sign {
        '百' => 100.0,
        '千' => 1000.0,
        '万' => 1e4,
        '億' => 1e8,
        '兆' => 1e12,
        _ => return None,
    };
    Some((factor, sign.len_utf8()))
}
