//! Dates in the forms that prose uses, and when two of them disagree.

use crate::domain::span::Span;

use super::lexicon::LEXICON;
use super::stem::digit;
use super::tokens::{Token, TokenKind};

/// A date, as far as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Date {
    pub span: Span,
    pub year: Option<i32>,
    /// 1 to 12.
    pub month: Option<u8>,
    /// 1 to 31.
    pub day: Option<u8>,
    /// `1990s`: `year` is the first of ten.
    pub decade: bool,
}

/// How two dates relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateRelation {
    /// Everything that both say is the same, and the second says all that the first says.
    Agrees,
    /// Nothing differs, but the second says less than the first.
    Vaguer,
    /// A year, month or day that both name differs.
    Differs,
    /// They have no part in common.
    Unrelated,
}

impl Date {
    /// How `other` (evidence) relates to `self` (claim).
    pub fn compare(&self, other: &Self) -> DateRelation {
        if let (Some(mine), Some(theirs)) = (self.year, other.year) {
            let same = match (self.decade, other.decade) {
                (false, false) => mine == theirs,
                _ => mine.div_euclid(10) == theirs.div_euclid(10),
            };
            if !same {
                return DateRelation::Differs;
            }
            if other.decade && !self.decade {
                return DateRelation::Vaguer;
            }
        }
        let parts = [
            (self.year.map(i64::from), other.year.map(i64::from)),
            (self.month.map(i64::from), other.month.map(i64::from)),
            (self.day.map(i64::from), other.day.map(i64::from)),
        ];
        let mut common = false;
        let mut missing = false;
        for (at, (mine, theirs)) in parts.into_iter().enumerate() {
            match (mine, theirs) {
                (Some(a), Some(b)) => {
                    if at > 0 && a != b {
                        return DateRelation::Differs;
                    }
                    common = true;
                }
                (Some(_), None) => missing = true,
                _ => {}
            }
        }
        match (common, missing) {
            (false, _) => DateRelation::Unrelated,
            (true, true) => DateRelation::Vaguer,
            (true, false) => DateRelation::Agrees,
        }
    }
}

/// A date and the indices of the tokens that it is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) date: Date,
    /// First token and the one behind the last.
    pub(super) tokens: (usize, usize),
}

/// The dates of `text`, whose tokens are `tokens`.
pub fn dates(text: &str, tokens: &[Token]) -> Vec<Date> {
    find(text, tokens).into_iter().map(|found| found.date).collect()
}

pub(super) fn find(text: &str, tokens: &[Token]) -> Vec<Found> {
    let reader = Reader { text, tokens };
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if let Some(found) = reader.date_at(at) {
            at = found.tokens.1.max(at + 1);
            out.push(found);
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

#[derive(Default, Clone, Copy)]
struct Parts {
    year: Option<i32>,
    month: Option<u8>,
    day: Option<u8>,
    decade: bool,
}

impl Reader<'_> {
    fn date_at(&self, at: usize) -> Option<Found> {
        let token = self.tokens.get(at)?;
        if token.kind != TokenKind::Number && !LEXICON.months.contains_key(&*token.folded) {
            return None;
        }
        self.iso(at)
            .or_else(|| self.east_asian(at))
            .or_else(|| self.day_month(at))
            .or_else(|| self.month_day(at))
            .or_else(|| self.year_alone(at))
    }

    /// The whole number that token `at` is, written with digits only.
    fn integer(&self, at: usize) -> Option<(i32, usize)> {
        let token = self.tokens.get(at).filter(|token| token.kind == TokenKind::Number)?;
        let raw = token.span.of(self.text)?;
        let mut value = 0_i32;
        let mut digits = 0;
        for c in raw.chars() {
            value = value.checked_mul(10)?.checked_add(i32::try_from(digit(c)?).ok()?)?;
            digits += 1;
        }
        Some((value, digits))
    }

    /// What stands between token `at` and the next.
    fn gap(&self, at: usize) -> Option<&str> {
        let (from, to) = (self.tokens.get(at)?, self.tokens.get(at + 1)?);
        self.text.get(from.span.end()..to.span.start())
    }

    fn month(&self, at: usize) -> Option<u8> {
        LEXICON.months.get(&*self.tokens.get(at)?.folded).copied()
    }

    fn day(&self, at: usize) -> Option<u8> {
        self.integer(at).and_then(|(value, digits)| {
            u8::try_from(value).ok().filter(|day| digits <= 2 && (1..=31).contains(day))
        })
    }

    fn year(&self, at: usize) -> Option<i32> {
        self.integer(at)
            .filter(|(value, digits)| *digits == 4 && (1000..2200).contains(value))
            .map(|(value, _)| value)
    }

    fn made(&self, from: usize, to: usize, parts: Parts) -> Option<Found> {
        let start = self.tokens.get(from)?.span.start();
        let mut end = self.tokens.get(to.checked_sub(1)?)?.span.end();
        if let Some(sign) = self.text.get(end..).and_then(|rest| rest.chars().next())
            && matches!(sign, '年' | '月' | '日')
        {
            end += sign.len_utf8();
        }
        let span = Span::new(self.text, start..end)?;
        let Parts { year, month, day, decade } = parts;
        Some(Found { date: Date { span, year, month, day, decade }, tokens: (from, to) })
    }

    /// `2023-01-31`, `2023/1/31`, `31.01.2023`, `31/01/2023`: where day and month cannot be told apart
    /// only the year counts.
    fn iso(&self, at: usize) -> Option<Found> {
        let separator = self.gap(at)?;
        if !matches!(separator, "-" | "/" | ".") || self.gap(at + 1)? != separator {
            return None;
        }
        let (first, second, third) = (self.integer(at)?.0, self.integer(at + 1)?.0, self.integer(at + 2)?.0);
        let month = |value: i32| u8::try_from(value).ok().filter(|month| (1..=12).contains(month));
        let day = |value: i32| u8::try_from(value).ok().filter(|day| (1..=31).contains(day));
        let parts = if self.year(at).is_some() {
            Parts { year: Some(first), month: Some(month(second)?), day: Some(day(third)?), decade: false }
        } else {
            self.year(at + 2)?;
            let (first, second) = (day(first)?, day(second)?);
            let (day, month) = match (first > 12, second > 12) {
                (true, false) => (Some(first), Some(second)),
                (false, true) => (Some(second), Some(first)),
                (false, false) => (None, None),
                (true, true) => return None,
            };
            Parts { year: Some(third), month, day, decade: false }
        };
        self.made(at, at + 3, parts)
    }

    /// `2023年1月31日`, whole or in part.
    fn east_asian(&self, at: usize) -> Option<Found> {
        let mut parts = Parts::default();
        let mut next = at;
        while let Some((value, digits)) = self.integer(next) {
            let sign = self.text.get(self.tokens[next].span.end()..)?.chars().next();
            match sign {
                Some('年') if digits == 4 && parts.year.is_none() => parts.year = Some(value),
                Some('月') if parts.month.is_none() => {
                    parts.month = Some(u8::try_from(value).ok().filter(|m| (1..=12).contains(m))?);
                }
                Some('日') if parts.month.is_some() => {
                    parts.day = Some(u8::try_from(value).ok().filter(|d| (1..=31).contains(d))?);
                }
                _ => break,
            }
            next += 1;
            // The sign itself is a token of its own kind.
            if self.tokens.get(next).is_some_and(|token| token.kind == TokenKind::Bigram) {
                let follows = self.tokens.get(next + 1).is_some_and(|t| t.kind == TokenKind::Number);
                if follows {
                    next += 1;
                } else {
                    break;
                }
            }
        }
        if parts.year.is_none() && parts.month.is_none() {
            return None;
        }
        let last_number = (at..=next.min(self.tokens.len() - 1))
            .rev()
            .find(|index| self.tokens[*index].kind == TokenKind::Number)?;
        self.made(at, last_number + 1, parts)
    }

    /// `31 January 2023`, `31st of January`.
    fn day_month(&self, at: usize) -> Option<Found> {
        let day = self.day(at)?;
        let mut next = at + 1;
        while self
            .tokens
            .get(next)
            .is_some_and(|token| matches!(&*token.folded, "st" | "nd" | "rd" | "th" | "of"))
        {
            next += 1;
        }
        let month = self.month(next)?;
        let year = self.year(next + 1).filter(|_| self.near(next));
        let end = if year.is_some() { next + 2 } else { next + 1 };
        self.made(at, end, Parts { year, month: Some(month), day: Some(day), decade: false })
    }

    /// `January 31, 2023`, `January 31`, `January 2023`.
    fn month_day(&self, at: usize) -> Option<Found> {
        let month = self.month(at)?;
        if !self.near(at) {
            return None;
        }
        if let Some(year) = self.year(at + 1) {
            return self.made(at, at + 2, Parts { year: Some(year), month: Some(month), ..Parts::default() });
        }
        let day = self.day(at + 1)?;
        let mut next = at + 2;
        if self.tokens.get(next).is_some_and(|token| matches!(&*token.folded, "st" | "nd" | "rd" | "th")) {
            next += 1;
        }
        let year = self.year(next).filter(|_| self.near(next - 1));
        let end = if year.is_some() { next + 1 } else { next };
        self.made(at, end, Parts { year, month: Some(month), day: Some(day), decade: false })
    }

    /// Whether only a space, comma or point stands between token `at` and the next.
    fn near(&self, at: usize) -> bool {
        self.gap(at).is_some_and(|gap| {
            gap.len() <= 3 && gap.chars().all(|c| c.is_whitespace() || matches!(c, ',' | '.'))
        })
    }

    /// `in 1995`, `the 1990s`.
    fn year_alone(&self, at: usize) -> Option<Found> {
        let year = self.year(at)?;
        let gap = self.gap(at);
        let next = self.tokens.get(at + 1).filter(|_| gap.is_some_and(|gap| gap.trim().is_empty()));
        if gap == Some("") && next.is_some_and(|token| &*token.folded == "s") {
            return self.made(at, at + 2, Parts { year: Some(year), decade: true, ..Parts::default() });
        }
        let before = at.checked_sub(1).map(|before| &*self.tokens[before].folded);
        let dated = before.is_some_and(|word| {
            matches!(
                word,
                "in" | "since"
                    | "by"
                    | "until"
                    | "till"
                    | "during"
                    | "year"
                    | "before"
                    | "after"
                    | "circa"
                    | "from"
                    | "early"
                    | "late"
                    | "سال"
                    | "tahun"
                    | "pada"
            )
        });
        let counted = next.is_some_and(|token| {
            LEXICON.units.contains_key(&*token.folded)
                || LEXICON.number_words.contains_key(&*token.folded)
                || (!dated && year < 1800)
        });
        let signed = self
            .text
            .get(..self.tokens[at].span.start())
            .and_then(|head| head.chars().next_back())
            .is_some_and(|c| matches!(c, '$' | '€' | '£' | '¥' | '='));
        let percent = self
            .text
            .get(self.tokens[at].span.end()..)
            .is_some_and(|rest| rest.trim_start().starts_with(['%', '٪', '％']));
        let plausible = dated || (1800..2100).contains(&year);
        if counted || signed || percent || !plausible {
            return None;
        }
        self.made(at, at + 1, Parts { year: Some(year), ..Parts::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokens::tokens;

    fn read(text: &str) -> Vec<(Option<i32>, Option<u8>, Option<u8>)> {
        dates(text, &tokens(text)).iter().map(|date| (date.year, date.month, date.day)).collect()
    }

    #[test]
    fn the_common_forms() {
        for (text, expected) in [
            ("on 31 January 2023", (Some(2023), Some(1), Some(31))),
            ("on January 31, 2023", (Some(2023), Some(1), Some(31))),
            ("the 31st of January 2023", (Some(2023), Some(1), Some(31))),
            ("Jan. 2023", (Some(2023), Some(1), None)),
            ("2023-01-31", (Some(2023), Some(1), Some(31))),
            ("31/01/2023", (Some(2023), Some(1), Some(31))),
            ("01/02/2023", (Some(2023), None, None)),
            ("in 1995", (Some(1995), None, None)),
            ("the 1995 film", (Some(1995), None, None)),
            ("2023年1月31日に", (Some(2023), Some(1), Some(31))),
            ("2023年に", (Some(2023), None, None)),
            ("۳۱ ژانویه ۲۰۲۳", (Some(2023), Some(1), Some(31))),
            ("در سال ۱۳۹۵", (Some(1395), None, None)),
            ("5 May", (None, Some(5), Some(5))),
        ] {
            assert_eq!(read(text), [expected], "{text}");
        }
    }

    #[test]
    fn what_is_no_date() {
        for text in ["2000 mg", "1200 patients", "$1999", "1950 %", "8 g", "1,995 people"] {
            assert_eq!(read(text), [], "{text}");
        }
    }

    #[test]
    fn dates_disagree_only_in_what_both_say() {
        let relate = |claim: &str, evidence: &str| {
            dates(claim, &tokens(claim))[0].compare(&dates(evidence, &tokens(evidence))[0])
        };
        assert_eq!(relate("in 1995", "on 3 May 1995"), DateRelation::Agrees);
        assert_eq!(relate("on 3 May 1995", "in 1995"), DateRelation::Vaguer);
        assert_eq!(relate("in 1995", "in 1996"), DateRelation::Differs);
        assert_eq!(relate("on 3 May 1995", "on 4 May 1995"), DateRelation::Differs);
        assert_eq!(relate("in 1995", "in the 1990s"), DateRelation::Vaguer);
        assert_eq!(relate("in the 1990s", "in 1995"), DateRelation::Agrees);
        assert_eq!(relate("5 May", "in 1995"), DateRelation::Unrelated);
    }
}
