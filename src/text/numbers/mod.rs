//! Numbers with what they count: amounts, units, ranges, bounds, ordinals, in digits and in words.

mod currency;
mod read;

use crate::domain::span::Span;
use crate::text::stem::Stem;
use crate::text::tokens::Token;
use read::Reader;

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
    /// Whether it is an amount of money.
    pub fn is_money(&self) -> bool {
        matches!(self.what, What::Unit(dimension) if currency::is_one(dimension))
    }

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
            ("EUR 4,750", 4750.0, "eur"),
            ("EUR 4.90", 4.9, "eur"),
            ("(USD 2 million)", 2e6, "usd"),
            ("Rp 5000", 5000.0, "idr"),
            ("4,750 EUR", 4750.0, "eur"),
            ("200 PLN", 200.0, "pln"),
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
    fn a_third_party_is_no_number() {
        assert!(read("It may be disclosed to third parties, or to a third party.").is_empty());
        assert!(one("the third novel").ordinal);
    }

    #[test]
    fn figures_in_brackets_and_a_shared_unit_belong_to_the_number() {
        let notice = one("not less than three (3) months' notice");
        assert!(same(notice.low, 7_889_238.0) && notice.bound == Bound::AtLeast, "{notice:?}");
        let ages = read("both 55- and 65-year-old people");
        assert_eq!(
            ages.iter().map(|age| age.what.clone()).collect::<Vec<_>>(),
            [What::Unit("time"), What::Unit("time")]
        );
        assert_eq!(read("three (4) months").len(), 2);
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
        assert_eq!(one("less than 4 g").bound, Bound::AtMost);
        assert_eq!(one("up to 4 g").bound, Bound::Exactly);
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
