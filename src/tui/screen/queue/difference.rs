//! What the claim and the cited words say differently.

use std::ops::Range;

use crate::domain::span::Span;
use crate::text::compare;

/// Places that differ: in the claim, and in the evidence.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Differences {
    pub claim: Vec<Range<usize>>,
    pub evidence: Vec<Range<usize>>,
}

/// Longer evidence, in bytes, is not compared: nearly everything in it would differ, and a frame has
/// little time.
const MOST: usize = 4096;

/// Compares a claim with cited words.
pub(super) fn between(claim: &str, evidence: &str) -> Differences {
    if claim.len() > MOST || evidence.len() > MOST {
        return Differences::default();
    }
    let found = compare::differences(claim, evidence);
    Differences {
        claim: found.iter().filter_map(|difference| difference.claim).map(Span::range).collect(),
        evidence: found.iter().filter_map(|difference| difference.evidence).map(Span::range).collect(),
    }
}
