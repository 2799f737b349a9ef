//! From what a claim and its window share and where they differ to a verdict.
//!
//! Plain data in, plain data out: [`Features`] are counted, two logistic functions turn them into
//! probabilities, and thresholds turn those into a verdict. A contradiction also needs a located conflict.

use crate::domain::verdict::Verdict;
use crate::text::compare::{Difference, DifferenceKind, Reading};
use crate::text::lexicon::LEXICON;
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
    /// Share of neighbouring pairs of the claim's content words that are neighbours in the window too.
    pub(super) pairs: f64,
    /// Content words that no passage has and that are not part of a conflict.
    pub(super) missing: f64,
    /// Numbers and dates that the window does not have, and names that no passage has.
    pub(super) absent_numbers: f64,
    pub(super) absent_names: f64,
    /// Words of direction or degree that the window has in no form: rises, fewer.
    pub(super) absent_directions: f64,
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
    /// All where the evidence says most, some or a share of them.
    pub(super) overstated: f64,
    /// What the claim says of its subject no window says of it, 0 or 1.
    pub(super) unsaid: f64,
    /// Only the claim negates something, 0 or 1.
    pub(super) only_claim_negates: f64,
    /// The claim is not in the language of the word lists, 0 or 1.
    pub(super) is_foreign: f64,
    /// The best alignment of a conflict: how many words around it agree.
    pub(super) context: f64,
}

impl Features {
    /// Whether something is located on both sides that cannot both be true.
    pub(super) fn has_conflict(&self) -> bool {
        // Names, roles and neighbours are read off word order and capitals, which other languages use otherwise.
        let by_order = if self.is_foreign > 0.0 { 0.0 } else { self.names + self.roles + self.substitutes };
        self.numbers + self.dates + self.negations + self.opposites + by_order > 0.0
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
    /// Whether a window says of the subject what the claim says.
    pub(super) is_said: bool,
    pub(super) is_english: bool,
}

/// Counts.
pub(super) fn features(pair: &Pair<'_>, evidence: &Evidence<'_>) -> Features {
    let content: Vec<(usize, &Token)> =
        pair.claim.tokens().iter().enumerate().filter(|(_, token)| !token.stop).collect();
    let total = content.iter().map(|(_, token)| weight(token)).sum::<f64>().max(f64::MIN_POSITIVE);
    let of = |cover: &[f64], at: usize| cover.get(at).copied().unwrap_or(0.0);
    let share =
        |cover: &[f64]| content.iter().map(|(at, token)| weight(token) * of(cover, *at)).sum::<f64>() / total;
    let conflicts = |kind: DifferenceKind| {
        count(pair.differences.iter().filter(|d| d.is_conflict() && d.kind == kind).count())
    };
    let in_conflict = |token: &Token| {
        pair.differences
            .iter()
            .any(|d| d.is_conflict() && d.claim.is_some_and(|span| span.overlaps(token.span)))
    };
    let is_amount = |kind| matches!(kind, DifferenceKind::Number | DifferenceKind::Date);
    Features {
        coverage: share(pair.cover),
        completed: share(pair.completed),
        pairs: pairs(pair.claim, pair.window),
        missing: count(
            content
                .iter()
                .filter(|(at, token)| {
                    of(pair.cover, *at) < 0.5 && !evidence.contains(token.stem) && !in_conflict(token)
                })
                .count(),
        ),
        absent_numbers: count(
            pair.differences.iter().filter(|d| d.evidence.is_none() && is_amount(d.kind)).count(),
        ),
        absent_names: count(
            pair.claim
                .names()
                .iter()
                .filter(|(span, stems)| {
                    pair.differences.iter().any(|d| d.evidence.is_none() && d.claim == Some(*span))
                        && !stems.iter().any(|stem| evidence.contains(*stem))
                })
                .count(),
        ),
        absent_directions: count(
            content
                .iter()
                .filter(|(at, token)| {
                    LEXICON.antonyms.contains_key(&token.form) && of(pair.completed, *at) < 0.5
                })
                .count(),
        ),
        numbers: conflicts(DifferenceKind::Number),
        dates: conflicts(DifferenceKind::Date),
        negations: conflicts(DifferenceKind::Negation),
        opposites: conflicts(DifferenceKind::Opposite),
        names: conflicts(DifferenceKind::Name),
        roles: conflicts(DifferenceKind::Role),
        substitutes: conflicts(DifferenceKind::Word),
        stronger: count(pair.differences.iter().filter(|d| !d.kind.contradicts()).count()),
        only_claim_negates: flag(pair.claim.negates() && !pair.window.negates()),
        is_foreign: flag(!pair.is_english),
        unsaid: flag(!pair.is_said),
        overstated: count(
            pair.differences
                .iter()
                .filter(|d| d.kind == DifferenceKind::Quantifier && d.evidence.is_some())
                .count(),
        ),
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
        theirs
            .iter()
            .enumerate()
            .any(|(at, stem)| *stem == a && theirs.iter().skip(at + 1).take(3).any(|other| *other == b))
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

/// Probability that the evidence bears the claim out. The constants were fitted by logistic regression on
/// labelled claims about science, encyclopaedia articles and dialogue in three languages.
fn probability_of_support(f: &Features) -> f64 {
    logistic(
        -1.65 + 1.4 * f.coverage + 1.2 * f.completed + 0.6 * f.pairs
            - 0.58 * f.absent_numbers
            - 0.4 * f.absent_names
            - 0.4 * f.absent_directions
            - 1.46 * f.numbers
            - 1.71 * f.dates
            - 1.27 * f.negations
            - 1.68 * f.opposites
            - 1.39 * f.names
            - 1.2 * f.roles
            - 0.5 * f.substitutes
            - 0.94 * f.stronger
            - 1.19 * f.only_claim_negates,
    )
}

/// Probability that a claim with a located conflict is contradicted, fitted on the same claims.
fn probability_of_contradiction(f: &Features) -> f64 {
    logistic(
        -0.4 + 0.62 * f.coverage + 0.22 * f.completed + 0.52 * f.pairs
            - 0.2 * f.missing
            - 0.39 * f.absent_numbers
            + 0.74 * f.numbers
            + 1.1 * f.dates
            + 0.3 * f.negations
            + 1.3 * f.opposites
            + 0.8 * f.roles
            + 0.44 * f.only_claim_negates
            + 0.08 * f.context,
    )
}

/// From this probability on the claim is borne out in full.
const FULL: f64 = 0.5;
/// With so much of its words and of their order a claim is borne out though its verb was not found.
const VERBATIM_COVERAGE: f64 = 0.85;
const VERBATIM_PAIRS: f64 = 0.7;
/// From this one on, and with this coverage, it is borne out in part.
const PART: f64 = 0.35;
const PART_COVERAGE: f64 = 0.5;
/// From this one on a located conflict contradicts it.
const CONTRADICTION: f64 = 0.5;
/// How often "in part" is right.
pub(super) const PART_CONFIDENCE: f64 = 0.4;
/// Of the claims that are not borne out, the share that is not contradicted or borne out in part instead.
const PLAINLY_UNSUPPORTED: f64 = 0.85;

/// The verdict.
pub(super) fn weigh(f: &Features) -> Weighed {
    let supported = probability_of_support(f);
    if f.has_conflict() {
        let contradicted = probability_of_contradiction(f);
        if contradicted >= CONTRADICTION {
            return Weighed { verdict: Verdict::Contradicted, confidence: contradicted, supported };
        }
    }
    let is_near_verbatim = f.coverage >= VERBATIM_COVERAGE && f.pairs >= VERBATIM_PAIRS;
    // In other languages a word in the place of another contradicts nothing by itself, but bears nothing out.
    let is_replaced = f.is_foreign > 0.0 && f.names + f.roles + f.substitutes > 0.0;
    let withheld = f.overstated > 0.0 || is_replaced || (f.unsaid > 0.0 && !is_near_verbatim);
    let (verdict, confidence) = if supported >= FULL && !withheld {
        (Verdict::FullySupported, supported)
    } else if supported >= PART && f.coverage >= PART_COVERAGE {
        (Verdict::PartiallySupported, PART_CONFIDENCE)
    } else {
        (Verdict::Unsupported, PLAINLY_UNSUPPORTED * (1.0 - supported.min(FULL)))
    };
    Weighed { verdict, confidence, supported }
}
