//! From what a claim and its window share and where they differ to a verdict.
//!
//! Plain data in, plain data out: [`Features`] are counted, two logistic functions turn them into
//! probabilities, and thresholds turn those into a verdict. A contradiction also needs a located conflict.

use crate::domain::verdict::Verdict;
use crate::text::compare::{Difference, DifferenceKind, Reading};
use crate::text::stem::Stem;
use crate::text::tokens::Token;

use super::evidence::{Evidence, weight};

/// What was counted for a claim and its best window.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Features {
    /// Share of the claim's weight in the window, 0 to 1.
    pub(super) coverage: f64,
    /// Share of it in the window and the sentences that complete it.
    pub(super) completed: f64,
    /// Share of it anywhere in the evidence.
    pub(super) anywhere: f64,
    /// Share of neighbouring pairs of the claim's content words that are neighbours in the window too.
    pub(super) pairs: f64,
    /// Content words that the window does not have, and all content words.
    pub(super) missing: f64,
    pub(super) words: f64,
    /// Numbers, dates and names that the window does not have.
    pub(super) absent_numbers: f64,
    pub(super) absent_names: f64,
    /// Located conflicts by kind.
    pub(super) numbers: f64,
    pub(super) dates: f64,
    pub(super) negations: f64,
    pub(super) opposites: f64,
    pub(super) names: f64,
    pub(super) roles: f64,
    pub(super) substitutes: f64,
    /// The claim says it more firmly or widely.
    pub(super) stronger: f64,
    /// Only the claim negates something, or only the window does, 0 or 1.
    pub(super) only_claim_negates: f64,
    pub(super) only_window_negates: f64,
    /// The best alignment of a conflict: how many words around it agree.
    pub(super) context: f64,
}

impl Features {
    /// Whether something is located on both sides that cannot both be true.
    pub(super) fn has_conflict(&self) -> bool {
        self.numbers + self.dates + self.negations + self.opposites + self.names + self.roles + self.substitutes
            > 0.0
    }
}

/// A claim beside a window: what is compared.
pub(super) struct Pair<'a> {
    pub(super) claim: &'a Reading<'a>,
    pub(super) window: &'a Reading<'a>,
    /// How well the window has each token of the claim.
    pub(super) cover: &'a [f64],
    /// The same for the window with the sentences that complete it.
    pub(super) completed: &'a [f64],
    pub(super) differences: &'a [Difference],
}

/// Counts.
pub(super) fn features(pair: &Pair<'_>, evidence: &Evidence<'_>) -> Features {
    let content: Vec<(usize, &Token)> =
        pair.claim.tokens().iter().enumerate().filter(|(_, token)| !token.stop).collect();
    let total = content.iter().map(|(_, token)| weight(token)).sum::<f64>().max(f64::MIN_POSITIVE);
    let share = |has: &dyn Fn(usize, &Token) -> f64| {
        content.iter().map(|(at, token)| weight(token) * has(*at, token)).sum::<f64>() / total
    };
    let of = |cover: &[f64], at: usize| cover.get(at).copied().unwrap_or(0.0);
    let conflicts = |kind: DifferenceKind| {
        count(pair.differences.iter().filter(|d| d.is_conflict() && d.kind == kind).count())
    };
    let absent = |kinds: &[DifferenceKind]| {
        count(pair.differences.iter().filter(|d| d.evidence.is_none() && kinds.contains(&d.kind)).count())
    };
    Features {
        coverage: share(&|at, _| of(pair.cover, at)),
        completed: share(&|at, _| of(pair.completed, at)),
        anywhere: share(&|at, token| if evidence.contains(token.stem) { 1.0 } else { of(pair.cover, at) }),
        pairs: pairs(pair.claim, pair.window),
        missing: count(content.iter().filter(|(at, _)| of(pair.cover, *at) < 0.5).count()),
        words: (content.len() as f64).min(40.0),
        absent_numbers: absent(&[DifferenceKind::Number, DifferenceKind::Date]),
        absent_names: absent(&[DifferenceKind::Name]),
        numbers: conflicts(DifferenceKind::Number),
        dates: conflicts(DifferenceKind::Date),
        negations: conflicts(DifferenceKind::Negation),
        opposites: conflicts(DifferenceKind::Opposite),
        names: conflicts(DifferenceKind::Name),
        roles: conflicts(DifferenceKind::Role),
        substitutes: conflicts(DifferenceKind::Word),
        stronger: count(pair.differences.iter().filter(|d| !d.kind.contradicts()).count()),
        only_claim_negates: flag(pair.claim.negates() && !pair.window.negates()),
        only_window_negates: flag(!pair.claim.negates() && pair.window.negates()),
        context: pair
            .differences
            .iter()
            .filter(|d| d.is_conflict())
            .map(|d| f64::from(d.context))
            .fold(0.0, f64::max),
    }
}

fn flag(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

fn count(n: usize) -> f64 {
    (n as f64).min(5.0)
}

/// Share of the claim's neighbouring content words that stand within three words of each other in the window.
fn pairs(claim: &Reading<'_>, window: &Reading<'_>) -> f64 {
    let content = |text: &Reading<'_>| -> Vec<Stem> {
        text.tokens().iter().filter(|token| !token.stop).map(|token| token.stem).collect()
    };
    let (mine, theirs) = (content(claim), content(window));
    if mine.len() < 2 {
        return if mine.iter().all(|stem| theirs.contains(stem)) { 1.0 } else { 0.0 };
    }
    let near = |a: Stem, b: Stem| {
        theirs.iter().enumerate().any(|(at, stem)| {
            *stem == a && theirs.iter().skip(at + 1).take(3).any(|other| *other == b)
        })
    };
    let found = mine.windows(2).filter(|pair| near(pair[0], pair[1])).count();
    found as f64 / (mine.len() - 1) as f64
}

/// A verdict with the probability that it is right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Weighed {
    pub(super) verdict: Verdict,
    pub(super) confidence: f64,
    /// Probability that the evidence bears the claim out in full.
    pub(super) supported: f64,
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Probability that the evidence bears the claim out.
fn probability_of_support(f: &Features) -> f64 {
    logistic(
        -3.2 + 4.0 * f.coverage + 0.8 * f.anywhere + 1.6 * f.pairs
            - 0.25 * f.missing
            - 0.9 * f.absent_numbers
            - 0.8 * f.absent_names
            - 2.2 * f.numbers
            - 2.0 * f.negations
            - 2.0 * f.opposites
            - 1.6 * f.names
            - 1.6 * f.roles
            - 0.6 * f.stronger,
    )
}

/// Probability that a claim with a located conflict is contradicted.
fn probability_of_contradiction(f: &Features) -> f64 {
    logistic(
        -3.6 + 3.2 * f.coverage
            + 0.3 * f.context
            + 1.0 * f.numbers
            + 1.0 * f.negations
            + 1.0 * f.opposites
            + 0.5 * f.names
            + 1.5 * f.roles,
    )
}

/// The verdict.
pub(super) fn weigh(f: &Features) -> Weighed {
    let supported = probability_of_support(f);
    if f.has_conflict() {
        let contradicted = probability_of_contradiction(f);
        if contradicted >= 0.5 {
            return Weighed { verdict: Verdict::Contradicted, confidence: contradicted, supported };
        }
    }
    let (verdict, confidence) = if supported >= 0.6 {
        (Verdict::FullySupported, supported)
    } else if supported >= 0.35 && f.coverage >= 0.5 {
        (Verdict::PartiallySupported, 0.5)
    } else {
        (Verdict::Unsupported, 1.0 - supported)
    };
    Weighed { verdict, confidence, supported }
}
