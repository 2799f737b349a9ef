//! Numbers and dates of the claim that the evidence does not bear out.

use super::reading::{Reading, shared};
use super::{Difference, DifferenceKind, bound};
use crate::domain::span::Span;
use crate::text::dates::DateRelation;
use crate::text::numbers::{Bound, Number, What};
use crate::text::stem::Stem;

/// Words that make a limit a condition: "stopped when it falls below 45" is not borne out by "below 30".
const WHEN: &[&str] = &["when", "whenever", "if", "unless", "until", "once", "where", "while"];

/// Words that say of what stands before them that it is the number behind them.
const COPULAS: &[&str] = &["is", "are", "was", "were", "be"];

fn surroundings(text: &Reading<'_>, span: Span) -> Vec<Stem> {
    let from = text.token_at(span.start());
    let to = text.token_at(span.end().saturating_sub(1)) + 1;
    text.around(from, to)
}

/// How many of the words around a number the clause around another one has: the number of the same thing
/// stands in the clause with most of them.
fn closeness(text: &Reading<'_>, around: &[Stem], span: Span) -> (u8, u8) {
    let from = text.token_at(span.start());
    let to = text.token_at(span.end().saturating_sub(1)) + 1;
    (shared(around, &text.clause_around(from, to)), shared(around, &text.around(from, to)))
}

/// The content word right before a number: "scored" in "scored 5".
fn lead(text: &Reading<'_>, number: &Number) -> Option<Stem> {
    let from = text.token_at(number.span.start());
    text.tokens().get(..from)?.iter().rev().take(3).find(|token| !token.stop).map(|token| token.stem)
}

fn may_differ(claim: &Reading<'_>, mine: &Number, evidence: &Reading<'_>, theirs: &Number) -> bool {
    mine.is_comparable(theirs)
        || (mine.ordinal == theirs.ordinal
            && matches!(
                (&mine.what, &theirs.what),
                (What::Bare | What::Counted(_), What::Bare | What::Counted(_))
            )
            && lead(evidence, theirs).is_some_and(|word| {
                lead(claim, mine) == Some(word)
                    || (mine.what == What::Bare && theirs.what == What::Bare && says_of(claim, mine, word))
            }))
}

/// Whether the claim says of `word` that it is the number: "the INR of such patients is 2.5".
fn says_of(claim: &Reading<'_>, number: &Number, word: Stem) -> bool {
    let at = claim.token_at(number.span.start());
    let (from, _) = claim.sentence_around(at);
    let follows_copula =
        at.checked_sub(1).is_some_and(|before| COPULAS.contains(&&*claim.tokens()[before].folded));
    follows_copula && claim.tokens()[from..at].iter().any(|token| !token.stop && token.stem == word)
}

/// Whether the number is a limit in a condition.
fn is_threshold(text: &Reading<'_>, number: &Number) -> bool {
    let at = text.token_at(number.span.start());
    let (from, _) = text.sentence_around(at);
    matches!(number.bound, Bound::AtLeast | Bound::AtMost)
        && text.tokens()[from..at].iter().any(|token| WHEN.contains(&&*token.folded))
}

/// Whether the evidence's number bears out the claim's. Two limits of a condition are the same or another condition,
/// and of two limits of a rule the one does not follow from the other: who is told "at least 4 hours" may not wait two.
fn agree(claim: &Reading<'_>, mine: &Number, evidence: &Reading<'_>, theirs: &Number) -> bool {
    let is_another = (mine.low - theirs.low).abs() > 1e-6 * mine.low.abs();
    let are_thresholds = mine.bound == theirs.bound && is_threshold(claim, mine);
    mine.agrees(theirs)
        && !(is_another && (are_thresholds || are_limits_of_a_rule(claim, mine, evidence, theirs)))
}

/// Whether both are limits of what is to be done: doses, intervals, ages.
fn are_limits_of_a_rule(claim: &Reading<'_>, mine: &Number, evidence: &Reading<'_>, theirs: &Number) -> bool {
    let is_limit = |number: &Number| matches!(number.bound, Bound::AtLeast | Bound::AtMost);
    // More than a share or a sum is told of what happened, too.
    let is_measured = |number: &Number| {
        matches!(number.what, What::Unit(dimension) if !matches!(dimension, "percent" | "percentage-point"))
            && !number.is_money()
    };
    let are_limits = is_limit(mine) && mine.bound == theirs.bound;
    let is_amount = is_limit(mine) && theirs.bound == Bound::Exactly && theirs.low >= theirs.high;
    let sets = |text: &Reading<'_>, number: &Number| text.sets_a_rule(text.token_at(number.span.start()));
    is_measured(mine)
        && (are_limits || is_amount)
        && (sets(claim, mine) || (are_limits && sets(evidence, theirs)))
}

pub(super) fn numbers(claim: &Reading<'_>, evidence: &Reading<'_>, found: &mut Vec<Difference>) {
    for mine in claim.numbers() {
        let around = surroundings(claim, mine.span);
        let context = |span: Span| shared(&around, &surroundings(evidence, span));
        let agreeing: Vec<&Number> =
            evidence.numbers().iter().filter(|theirs| agree(claim, mine, evidence, theirs)).collect();
        let differs = |theirs: &Number| {
            may_differ(claim, mine, evidence, theirs)
                && !claim.numbers().iter().any(|other| agree(claim, other, evidence, theirs))
        };
        if let Some(rival) = bound::rival(claim, mine, evidence, &agreeing)
            .or_else(|| bound::nearer(claim, mine, evidence, &agreeing, differs))
        {
            found.push(Difference {
                kind: DifferenceKind::Number,
                claim: Some(mine.span),
                evidence: Some(rival),
                context: context(rival).max(1),
            });
            continue;
        }
        // A year may be written like a count and the other way round.
        let as_year = |year: i32| (mine.low - f64::from(year)).abs() < 0.5;
        if evidence.dates().iter().any(|date| date.year.is_some_and(as_year)) {
            continue;
        }
        let best = evidence
            .numbers()
            .iter()
            .filter(|theirs| may_differ(claim, mine, evidence, theirs))
            .filter(|theirs| !claim.numbers().iter().any(|other| agree(claim, other, evidence, theirs)))
            .map(|theirs| (closeness(evidence, &around, theirs.span), theirs.span))
            .max_by_key(|(close, span)| (*close, std::cmp::Reverse(span.start())))
            .map(|((_, context), span)| (context, span));
        if !agreeing.is_empty() {
            continue;
        }
        let (context, evidence_span) = match best {
            Some((context, span)) if context > 0 || around.is_empty() => (context, Some(span)),
            _ => (0, None),
        };
        found.push(Difference {
            kind: DifferenceKind::Number,
            claim: Some(mine.span),
            evidence: evidence_span,
            context,
        });
    }
}

pub(super) fn dates(claim: &Reading<'_>, evidence: &Reading<'_>, found: &mut Vec<Difference>) {
    for mine in claim.dates() {
        let relation = |theirs: &crate::text::dates::Date| mine.compare(theirs);
        if evidence.dates().iter().any(|theirs| relation(theirs) == DateRelation::Agrees) {
            continue;
        }
        // The year alone may have been read as a number.
        let as_number =
            |number: &Number| mine.year.is_some_and(|year| (number.low - f64::from(year)).abs() < 0.5);
        if mine.month.is_none() && evidence.numbers().iter().any(as_number) {
            continue;
        }
        let vaguer = evidence.dates().iter().any(|theirs| relation(theirs) == DateRelation::Vaguer);
        let around = surroundings(claim, mine.span);
        let best = evidence
            .dates()
            .iter()
            .filter(|theirs| relation(theirs) == DateRelation::Differs)
            .filter(|theirs| !claim.dates().iter().any(|other| other.compare(theirs) == DateRelation::Agrees))
            .map(|theirs| (shared(&around, &surroundings(evidence, theirs.span)), theirs.span))
            .max_by_key(|(context, span)| (*context, std::cmp::Reverse(span.start())));
        let (context, evidence_span) = match best {
            Some((context, span)) if !vaguer && context > 0 => (context, Some(span)),
            _ => (0, None),
        };
        found.push(Difference {
            kind: DifferenceKind::Date,
            claim: Some(mine.span),
            evidence: evidence_span,
            context,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DifferenceKind, differences};

    fn differ(claim: &str, evidence: &str) -> bool {
        differences(claim, evidence).iter().any(|d| d.kind == DifferenceKind::Number && d.is_conflict())
    }

    #[test]
    fn another_limit_of_a_rule_is_another_rule_and_of_a_report_is_none() {
        for (claim, evidence) in [
            ("Leave at least 2 hours between doses.", "Leave at least 4 hours between doses."),
            ("Wait at least 1 week before driving.", "Wait at least 6 weeks before driving."),
            ("You should wait at least 2 hours between doses.", "Wait 4 hours between doses."),
            ("Store the vial at less than 25 °C.", "Store the vial at less than 8 °C."),
            ("Adults must take less than 6 g a day.", "Adults must take less than 4 g a day."),
            ("Drivers must be at least 17 years old.", "Drivers must be at least 21 years old."),
        ] {
            assert!(differ(claim, evidence), "{claim}");
        }
        for (claim, evidence) in [
            ("More than 1,000 people came.", "At least 1,200 people came."),
            ("The storm lasted more than 2 hours.", "The storm lasted more than 3 hours."),
            ("The fund must hold more than 5 % in cash.", "The fund holds more than 7 % in cash."),
            ("Leave at least 4 hours between doses.", "Leave at least four hours between doses."),
        ] {
            assert!(!differ(claim, evidence), "{claim}");
        }
    }
}
