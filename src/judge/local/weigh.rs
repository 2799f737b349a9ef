//! From what a claim and its window share and where they differ to a verdict.
//!
//! Plain data in, plain data out: [`Features`] are counted, two logistic functions turn them into
//! probabilities, and thresholds turn those into a verdict. A contradiction also needs a located conflict.

use crate::domain::verdict::Verdict;

use super::features::Features;

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
            - 0.5 * f.replaced
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
    let is_replaced = f.is_foreign > 0.0 && f.names + f.roles + f.replaced > 0.0;
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
