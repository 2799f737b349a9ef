//! How often something is done: "three times a day" against "once a day", and "every 12 hours" as another way to say
//! "twice a day".

use super::reading::{Reading, clause_ends, shared};
use super::{Difference, DifferenceKind};
use crate::domain::span::Span;
use crate::text::lexicon::LEXICON;
use crate::text::numbers::What;
use crate::text::tokens::TokenKind;

/// Two rhythms are the same within this share: a month is thirty days.
const TOLERANCE: f64 = 0.03;
const DAY: f64 = 86_400.0;
const HOUR: f64 = 3_600.0;

/// How often something is done.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rhythm {
    /// First token and the one behind the last.
    tokens: (usize, usize),
    /// Seconds from one time to the next.
    period: f64,
    /// An amount and one word, as in "4 g daily": it may be taken in parts.
    may_be_parts: bool,
}

fn word<'r>(text: &'r Reading<'_>, at: usize) -> &'r str {
    text.tokens().get(at).map_or("", |token| &*token.folded)
}

/// Seconds of the unit of time at token `at`: day, hours.
fn unit(text: &Reading<'_>, at: usize) -> Option<f64> {
    let listed = LEXICON.units.get(word(text, at)).filter(|unit| unit.dimension == "time");
    listed.map(|unit| unit.factor).or_else(|| named(text, at))
}

/// Seconds of one word that says how often: daily, weekly.
fn named(text: &Reading<'_>, at: usize) -> Option<f64> {
    LEXICON.rhythms.get(word(text, at)).copied()
}

/// The single value of the number that begins at token `at`, whether it is a time, and the token behind it.
fn number(text: &Reading<'_>, at: usize) -> Option<(f64, bool, usize)> {
    let start = text.tokens().get(at)?.span.start();
    let number = text.numbers().iter().find(|number| number.span.start() == start)?;
    if number.low < number.high || number.ordinal {
        return None;
    }
    let is_time = number.what == What::Unit("time");
    Some((number.low, is_time, text.token_at(number.span.end().saturating_sub(1)) + 1))
}

/// How many times, and the token behind it: "once", "three times".
fn times(text: &Reading<'_>, at: usize) -> Option<(f64, usize)> {
    if let Some(count) = LEXICON.times.get(word(text, at)) {
        return Some((*count, at + 1));
    }
    let (value, is_time, next) = number(text, at)?;
    (!is_time && value >= 1.0 && word(text, next) == "times").then_some((value, next + 1))
}

/// Seconds from "every" at token `at`, and the token behind: every day, every other day, every 8 hours.
fn every(text: &Reading<'_>, at: usize) -> Option<(f64, usize)> {
    if !matches!(word(text, at), "every" | "each") {
        return None;
    }
    if word(text, at + 1) == "other" {
        return unit(text, at + 2).map(|period| (2.0 * period, at + 3));
    }
    match number(text, at + 1) {
        Some((value, true, next)) => Some((value, next)),
        Some(_) => None,
        None => unit(text, at + 1).map(|period| (period, at + 2)),
    }
}

/// Whether one word at `at` says how often, and not of what kind: "is taken daily", but not "the daily paper".
fn stands_alone(text: &Reading<'_>, at: usize) -> bool {
    let tokens = text.tokens();
    let Some(next) = tokens.get(at + 1) else { return true };
    next.stop || next.kind == TokenKind::Number || clause_ends(text.text(), &tokens[at], next)
}

fn rhythm_at(text: &Reading<'_>, at: usize) -> Option<Rhythm> {
    let plain = |period: f64, end: usize| Rhythm { tokens: (at, end), period, may_be_parts: false };
    if let Some((count, next)) = times(text, at) {
        if let Some((period, end)) = every(text, next) {
            return Some(plain(period / count, end));
        }
        let behind = next + usize::from(matches!(word(text, next), "a" | "an" | "per" | "each"));
        let period = if behind == next { named(text, next) } else { unit(text, behind) }?;
        return Some(plain(period / count, behind + 1));
    }
    if let Some((period, end)) = every(text, at) {
        return Some(plain(period, end));
    }
    if let Some((value, false, next)) = number(text, at)
        && word(text, next) == "hourly"
    {
        return Some(plain(value * HOUR, next + 1));
    }
    // "In the morning" and "at night" are no rhythm by themselves.
    let period = named(text, at).filter(|_| word(text, at).ends_with("ly") || word(text, at).len() < 4)?;
    let follows_an_amount = at.checked_sub(1).is_some_and(|before| {
        let span = text.tokens()[before].span;
        text.numbers().iter().any(|number| matches!(number.what, What::Unit(_)) && number.span.contains(span))
    });
    stands_alone(text, at).then_some(Rhythm { tokens: (at, at + 1), period, may_be_parts: follows_an_amount })
}

/// Words before a rhythm that make it a limit.
const LIMITING: &[&str] = &["to", "than", "least", "most", "maximum", "minimum", "over", "about"];

/// The rhythms of a text that are neither denied nor limits.
fn rhythms(text: &Reading<'_>) -> Vec<Rhythm> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.tokens().len() {
        let Some(rhythm) = rhythm_at(text, at) else {
            at += 1;
            continue;
        };
        let (from, to) = rhythm.tokens;
        let is_limit = from.checked_sub(1).is_some_and(|before| LIMITING.contains(&word(text, before)));
        if !is_limit && !(from..to).any(|place| text.is_negated(place)) {
            found.push(rhythm);
        }
        at = to;
    }
    found
}

fn is_same(a: Rhythm, b: Rhythm) -> bool {
    (a.period - b.period).abs() <= TOLERANCE * a.period.max(b.period)
}

/// "4 g daily" in four parts is "1 g every 6 hours": only another day differs from it.
fn may_differ(a: Rhythm, b: Rhythm) -> bool {
    let fits = |one: Rhythm, other: Rhythm| {
        !one.may_be_parts || other.may_be_parts || other.period >= DAY * (1.0 - TOLERANCE)
    };
    !is_same(a, b) && fits(a, b) && fits(b, a)
}

/// Rhythms of the claim that the evidence gives otherwise. A number in one that the evidence has in other words is
/// borne out.
pub(super) fn rhythm(claim: &Reading<'_>, evidence: &Reading<'_>, found: &mut Vec<Difference>) {
    let mine = rhythms(claim);
    if mine.is_empty() {
        return;
    }
    let theirs = rhythms(evidence);
    for one in &mine {
        let Some(span) = claim.span_of(one.tokens.0, one.tokens.1) else { continue };
        let told = |difference: &Difference| {
            difference.kind == DifferenceKind::Number
                && difference.claim.is_some_and(|own| own.overlaps(span))
        };
        if theirs.iter().any(|other| is_same(*one, *other)) {
            found.retain(|difference| !told(difference));
            continue;
        }
        if found.iter().any(|difference| told(difference) && difference.is_conflict()) {
            continue;
        }
        let around = claim.around(one.tokens.0, one.tokens.1);
        let best = theirs
            .iter()
            .filter(|other| may_differ(*one, **other) && !mine.iter().any(|own| is_same(*own, **other)))
            .filter_map(|other| {
                let context = shared(&around, &evidence.around(other.tokens.0, other.tokens.1));
                Some((context, evidence.span_of(other.tokens.0, other.tokens.1)?))
            })
            .max_by_key(|(context, span): &(u8, Span)| (*context, std::cmp::Reverse(span.start())));
        if let Some((context, place)) = best.filter(|(context, _)| *context > 0 || around.is_empty()) {
            found.retain(|difference| !told(difference));
            found.push(Difference {
                kind: DifferenceKind::Number,
                claim: Some(span),
                evidence: Some(place),
                context,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DifferenceKind, differences};

    fn conflicts(claim: &str, evidence: &str) -> Vec<(String, String)> {
        differences(claim, evidence)
            .iter()
            .filter(|d| d.kind == DifferenceKind::Number && d.is_conflict())
            .filter_map(|d| Some((d.claim?.of(claim)?.to_owned(), d.evidence?.of(evidence)?.to_owned())))
            .collect()
    }

    #[test]
    fn another_rhythm_is_told_whole() {
        for (claim, evidence, mine, theirs) in [
            ("It is taken three times a day.", "It is taken once a day.", "three times a day", "once a day"),
            ("It is taken twice a day.", "It is taken once a day.", "twice a day", "once a day"),
            ("Pulse is measured hourly.", "Pulse is measured daily.", "hourly", "daily"),
            ("Take it once daily for pain.", "Take it once weekly for pain.", "once daily", "once weekly"),
            ("It is given every 8 hours.", "It is given once every 24 hours.", "8 hours", "24 hours"),
            ("It is taken every other day.", "It is taken daily.", "every other day", "daily"),
            ("Backups run every day.", "Backups run four times per day.", "every day", "four times per day"),
        ] {
            assert!(
                conflicts(claim, evidence).contains(&(mine.to_owned(), theirs.to_owned())),
                "{claim}: {:?}",
                conflicts(claim, evidence)
            );
        }
    }

    #[test]
    fn the_same_rhythm_in_other_words_is_no_difference() {
        for (claim, evidence) in [
            ("It is taken every 12 hours.", "It is taken twice a day."),
            ("It is taken four times daily.", "It is taken every 6 hours."),
            ("The board meets once a week.", "The board meets weekly."),
            ("It is given 8-hourly.", "It is given three times a day."),
            ("Adults take 4 g daily.", "Adults take 4 g in parts every 6 hours."),
            ("It is taken twice a day.", "It is taken up to four times a day."),
            ("The daily paper comes once a week.", "The daily paper comes once a week."),
            ("It is given weekly.", "It is given weekly, never daily."),
        ] {
            assert_eq!(conflicts(claim, evidence), [], "{claim}");
        }
    }
}
