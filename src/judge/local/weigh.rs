//! From what was counted to a verdict: two fitted sums, thresholds, and a few things that no sum may override.
//!
//! A contradiction needs a located conflict, whatever the sums say.

use crate::domain::verdict::Verdict;

use super::features::Features;
use super::weights::Ready;

/// A verdict with the probability that it is right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Weighed {
    pub(crate) verdict: Verdict,
    pub(crate) confidence: f64,
    /// Log odds that the evidence bears the claim out in full, and that it contradicts it.
    pub(crate) support: f64,
    pub(crate) contradiction: f64,
}

/// With so much of its words in the window a claim is judged by what differs, not by what agrees.
const CLOSE: f64 = 0.6;

/// Log odds that a firm conflict adds. Set by hand: the labelled files hold too few doses, prices and prohibitions.
const FIRM: f64 = 2.0;

/// How much more a claim must have whose verb no window has with its subject.
const UNSAID: f64 = 0.25;

/// A claim that would gain so much if two of its parts were exchanged says it of the wrong one.
const EXCHANGED: f64 = 3.0;

/// What no share of agreeing words outweighs.
fn is_withheld(f: &Features) -> bool {
    let amounts = f.numbers + f.dates + f.absent_numbers + f.rival_numbers > 0.0;
    // In other languages a word in the place of another contradicts nothing by itself, but bears nothing out.
    let by_order = f.is_foreign > 0.0 && f.names + f.roles + f.replaced > 0.0;
    let turned = f.negations + f.opposites + f.missing_opposites > 0.0 && f.coverage >= CLOSE;
    // What only the claim denies, says of all of them or says of this one is not in the evidence, however much else is;
    // nor what it says of somebody of whom the evidence only denies something.
    let bare = f.overstated + f.only_claim_negates + f.absent_absolutes + f.of_another + f.denied > 0.0;
    bare || f.forbidden + f.firm > 0.0
        || amounts
        || by_order
        || turned
        || f.roles > 0.0
        || f.exchanged >= EXCHANGED
}

/// The verdict.
pub(crate) fn weigh(f: &Features, by: &Ready) -> Weighed {
    let support = by.support(f);
    let contradiction = by.contradiction(f) + if f.firm > 0.0 { FIRM } else { 0.0 };
    let bar = by.thresholds.full + if f.unsaid > 0.0 { UNSAID } else { 0.0 };
    let verdict = if f.has_conflict() && contradiction >= by.thresholds.contradiction {
        Verdict::Contradicted
    } else if support >= bar && !is_withheld(f) {
        Verdict::FullySupported
    } else if support >= by.thresholds.part && f.coverage > 0.0 {
        Verdict::PartiallySupported
    } else {
        Verdict::Unsupported
    };
    let score = if verdict == Verdict::Contradicted { contradiction } else { support };
    let mut curves = by.confidence;
    Weighed { verdict, confidence: curves.curve(verdict).at(score), support, contradiction }
}
