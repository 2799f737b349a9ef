//! Numbers with what they count: amounts, units, ranges, bounds, ordinals, in digits and in words.

use crate::domain::span::Span;

use super::lexicon::{LEXICON, NumberWord};
use super::script::Script;
use super::stem::{Stem, digit, fold, stem};
use super::tokens::{Token, TokenKind};

/// What a number is a number of.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A measure; the values of the number are in the dimension's base unit.
    Unit(&'static str),
    /// Things: the nouns that stand behind it.
    Counted(Vec<Stem>),
    /// A name rather than an amount: phase 3, section 12.1.
    Label(Stem),
    Bare,
}

/// Whether the number is the amount itself or a limit of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    Exactly,
    About,
    AtLeast,
    AtMost,
}

/// A number in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    /// The digits or words, with the unit.
    pub span: Span,
    pub low: f64,
    /// Equal to `low` but for a range.
    pub high: f64,
    pub bound: Bound,
    pub ordinal: bool,
    pub what: What,
    /// Significant digits as written: `1.50` has three.
    pub digits: u32,
}

impl Number {
    /// Whether both are numbers of the same kind of thing, so that they can differ.
    pub fn is_comparable(&self, other: &Self) -> bool {
        self.ordinal == other.ordinal
            && match (&self.what, &other.what) {
                (What::Unit(mine), What::Unit(theirs)) => mine == theirs,
                (What::Counted(mine), What::Counted(theirs)) => mine.iter().any(|noun| theirs.contains(noun)),
                (What::Label(mine), What::Label(theirs)) => mine == theirs,
                _ => false,
            }
    }

    /// Whether evidence that says `other` bears out a claim that says `self`.
    pub fn agrees(&self, other: &Self) -> bool {
        let kinds_fit = match (&self.what, &other.what) {
            (What::Unit(mine), What::Unit(theirs)) => mine == theirs,
            (What::Label(mine), What::Label(theirs)) => mine == theirs,
            // A percentage or an amount of money is never a plain count.
            (What::Unit(_), _) | (_, What::Unit(_)) => false,
            _ => true,
        };
        kinds_fit && self.ordinal == other.ordinal && self.value_agrees(other)
    }

    fn value_agrees(&self, other: &Self) -> bool {
        match self.bound {
            Bound::AtLeast if !matches!(other.bound, Bound::AtMost) => {
                other.low >= self.low || same(self.low, other.low)
            }
            Bound::AtMost if !matches!(other.bound, Bound::AtLeast) => {
                other.high <= self.high || same(self.high, other.high)
            }
            Bound::About => {
                (self.low - other.low).abs() <= 0.1 * self.low.abs()
                    && (self.high - other.high).abs() <= 0.1 * self.high.abs()
            }
            _ if self.low < self.high => same(self.low, other.low) && same(self.high, other.high),
            _ => {
                let (a, b) = (self.low, other.low);
                same(a, b)
                    || (other.low < other.high && other.low <= a && a <= other.high)
                    || (self.digits >= 2 && self.digits < other.digits && same(a, round_to(b, self.digits)))
                    || (other.digits >= 2 && other.digits < self.digits && same(b, round_to(a, other.digits)))
                    || (other.bound == Bound::About && (a - b).abs() <= 0.1 * b.abs())
            }
        }
    }
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1e-12)
}

/// `value` with so many significant digits.
fn round_to(value: f64, digits: u32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let shift = f64::from(digits) - 1.0 - value.abs().log10().floor();
    let factor = 10_f64.powf(shift);
    (value * factor).round() / factor
}

/// The numbers of `text`, whose tokens are `tokens`. Tokens whose index is in one of `taken` (first, one
/// behind the last) belong to dates and are left out.
pub fn numbers(text: &str, tokens: &[Token], taken: &[(usize, usize)]) -> Vec<Number> {
    let reader = Reader { text, tokens };
    let mut out = Vec::new();
    let mut taken = taken.iter().copied().peekable();
    let mut at = 0;
    while at < tokens.len() {
        while taken.next_if(|(_, end)| *end <= at).is_some() {}
        if let Some((start, end)) = taken.peek()
            && (*start..*end).contains(&at)
        {
            at = *end;
            continue;
        }
        if let Some((number, next)) = reader.number_at(at) {
            out.push(number);
            at = next.max(at + 1);
        } else {
            at += 1;
        }
    }
    out
}

struct Reader<'t> {
    text: &'t str,
    tokens: &'t [Token],
}

/// A value that was read, and the token behind it.
struct Value {
    value: f64,
    digits: u32,
    ordinal: bool,
    next: usize,
    end: usize,
}

const CURRENCIES: &[(&str, &str)] =
    &[("$", "usd"), ("€", "eur"), ("£", "gbp"), ("¥", "jpy"), ("￥", "jpy"), ("₹", "inr")];

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

    fn number_at(&self, at: usize) -> Option<(Number, usize)> {
        let head = self.before(at);
        let first = self.value_at(at)?;
        if is_marker(head, self.rest(first.end), first.digits) {
            return None;
        }
        let start = self.tokens[at].span.start();
        let currency = CURRENCIES.iter().find(|(sign, _)| head.trim_end().ends_with(sign));
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
        } else if let Some(label) = self.label(at) {
            What::Label(label)
        } else {
            let nouns = self.nouns(next, end);
            if nouns.is_empty() { What::Bare } else { What::Counted(nouns) }
        };
        let from = currency.map_or(start, |(sign, _)| head.trim_end().len() - sign.len());
        let span = Span::new(self.text, from..end)?;
        let by = |value: f64| value * scale * factor;
        // "4 to 6 million" scales both.
        let low = by(first.value);
        let high = range.as_ref().map_or(low, |second| by(second.value));
        Some((
            Number {
                span,
                low: low.min(high),
                high: low.max(high),
                bound: self.bound(at, next),
                ordinal: first.ordinal,
                what,
                digits: first.digits,
            },
            next,
        ))
    }

    /// The folded word of token `next` when only a space or hyphen stands between it and `end`.
    fn word(&self, next: usize, end: usize) -> Option<&str> {
        let token = self.tokens.get(next)?;
        let gap = self.text.get(end..token.span.start())?;
        let near = gap.chars().all(|c| c == ' ' || c == '-' || c == '\u{a0}' || c == '\u{202f}');
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
        Some(Value { value, digits, ordinal, next, end })
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
        let value = total + group;
        let digits = significant(&format!("{value}"));
        read_any.then_some(Value { value, digits, ordinal, next, end })
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
        Some(Value { value, digits: significant(&format!("{value}")), ordinal: false, next, end })
    }

    fn range_end(&self, first: &Value) -> Option<Value> {
        let token = self.tokens.get(first.next)?;
        let gap = self.text.get(first.end..token.span.start())?;
        let dashed = matches!(gap.trim(), "-" | "–" | "—" | "~" | "〜" | "～" | "‐" | "‑");
        if dashed && token.kind == TokenKind::Number {
            return self.value_at(first.next).filter(|second| second.value > first.value);
        }
        if gap.trim().is_empty() && &*token.folded == "to" {
            return self.value_at(first.next + 1).filter(|second| second.value > first.value);
        }
        None
    }

    /// Dimension, factor, token behind the unit, end of the unit.
    fn unit(&self, next: usize, end: usize) -> Option<(&'static str, f64, usize, usize)> {
        let rest = self.rest(end);
        let spaces = rest.len() - rest.trim_start_matches([' ', '\u{a0}', '\u{202f}', '-']).len();
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

    fn folded(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| &token.folded)
    }

    fn label(&self, at: usize) -> Option<Stem> {
        let before = self.tokens.get(at.checked_sub(1)?)?;
        let near = self.gap(at - 1).is_some_and(|gap| gap.chars().all(|c| c == ' ' || c == '.'));
        (near && LEXICON.number_labels.contains(&*before.folded)).then_some(before.stem)
    }

    /// The words that are counted: up to three behind the number, before any stop word or punctuation.
    fn nouns(&self, next: usize, end: usize) -> Vec<Stem> {
        let mut nouns = Vec::new();
        let mut from = end;
        // Without word breaks the counting word is the one character behind.
        if let Some(counter) = self.rest(end).chars().next()
            && Script::of(counter) == Some(Script::Han)
        {
            return vec![stem(counter.encode_utf8(&mut [0; 4]))];
        }
        for token in self.tokens.iter().skip(next).take(3) {
            let Some(gap) = self.text.get(from..token.span.start()) else { break };
            if token.kind == TokenKind::Bigram
                || !gap.chars().all(|c| c == ' ' || c == '-' || c == '\u{a0}')
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

    fn bound(&self, at: usize, next: usize) -> Bound {
        let back = |steps: usize| at.checked_sub(steps).map_or("", |index| self.folded(index));
        match (back(2), back(1)) {
            ("more" | "greater" | "higher" | "longer" | "older", "than")
            | ("at", "least")
            | (_, "over" | "above" | "exceeding" | "minimum") => Bound::AtLeast,
            ("less" | "fewer" | "lower" | "shorter" | "younger", "than")
            | ("at", "most")
            | ("up", "to")
            | (_, "under" | "below" | "maximum") => Bound::AtMost,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{dates, tokens::tokens};

    fn read(text: &str) -> Vec<Number> {
        let tokens = tokens(text);
        let taken: Vec<_> = dates::find(text, &tokens).iter().map(|found| found.tokens).collect();
        numbers(text, &tokens, &taken)
    }

    fn one(text: &str) -> Number {
        let all = read(text);
        assert_eq!(all.len(), 1, "{text}: {all:?}");
        all[0].clone()
    }

    #[test]
    fn values_and_units() {
        for (text, value, dimension) in [
            ("8 g", 8.0, "mass"),
            ("8g", 8.0, "mass"),
            ("500 mg", 0.5, "mass"),
            ("0.5-gram dose", 0.5, "mass"),
            ("12.5%", 12.5, "percent"),
            ("12.5 per cent", 12.5, "percent"),
            ("3 percentage points", 3.0, "percentage-point"),
            ("sixty days", 60.0 * 86400.0, "time"),
            ("twenty-five minutes", 1500.0, "time"),
            ("$4.2 billion", 4.2e9, "usd"),
            ("$5m", 5e6, "usd"),
            ("38 °C", 38.0, "temperature"),
            ("۵۰۰ گرم", 500.0, "mass"),
            ("２０円", 20.0, "jpy"),
            ("3歳", 3.0 * 31_556_952.0, "time"),
        ] {
            let number = one(text);
            assert!(same(number.low, value), "{text}: {number:?}");
            assert_eq!(number.what, What::Unit(dimension), "{text}");
        }
    }

    #[test]
    fn amounts_of_things() {
        for (text, value) in [
            ("4,312 patients", 4312.0),
            ("4.2 billion people", 4.2e9),
            ("two hundred and fifty thousand people", 250_000.0),
            ("twelve jurors", 12.0),
            ("三人が", 3.0),
            ("１機の", 1.0),
            ("3万人", 30000.0),
            ("۱۲ نفر", 12.0),
            ("سه نفر", 3.0),
        ] {
            let number = one(text);
            assert!(same(number.low, value), "{text}: {number:?}");
            assert!(matches!(number.what, What::Counted(_)), "{text}: {number:?}");
        }
    }

    #[test]
    fn ranges_bounds_ordinals_and_labels() {
        let range = one("4–6 hours");
        assert!(same(range.low, 4.0 * 3600.0) && same(range.high, 6.0 * 3600.0));
        let range = one("4 to 6 hours");
        assert!(same(range.high, 6.0 * 3600.0));
        assert_eq!(one("more than 1,000 users").bound, Bound::AtLeast);
        assert_eq!(one("up to 4 g").bound, Bound::AtMost);
        assert_eq!(one("about 30 people").bound, Bound::About);
        assert!(one("the 21st president").ordinal);
        assert!(one("the third trial").ordinal);
        assert!(matches!(one("a phase 3 trial").what, What::Label(_)));
    }

    #[test]
    fn what_is_no_number() {
        for text in ["IL-2", "p53", "[12]", "1. Rest", "in 1995", "COVID-19"] {
            assert_eq!(read(text), [], "{text}");
        }
    }

    #[test]
    fn agreement_knows_units_rounding_and_bounds() {
        for (claim, evidence, agrees) in [
            ("500 mg", "0.5 g", true),
            ("8 g", "4 g", false),
            ("sixty days", "60 days", true),
            ("36 months", "3 years", true),
            ("more than 1,000 users", "1,200 users", true),
            ("less than 1,000 users", "1,200 users", false),
            ("about 1,200 users", "1,234 users", true),
            ("66%", "66.2%", true),
            ("66%", "67.2%", false),
            ("1,001 patients", "1,002 patients", false),
            ("5%", "5 patients", false),
            ("3 percentage points", "3%", false),
        ] {
            assert_eq!(one(claim).agrees(&one(evidence)), agrees, "{claim} / {evidence}");
        }
    }

    #[test]
    fn only_numbers_of_the_same_thing_can_differ() {
        assert!(one("500 users").is_comparable(&one("600 users")));
        assert!(!one("500 requests").is_comparable(&one("500 users")));
        assert!(!one("5 mg").is_comparable(&one("5 days")));
    }
}
