//! Whether the claims that a person marked in an answer were found.

use serde::Serialize;

use super::Figure;
use crate::domain::span::Span;

/// A claim is found as it was marked when the characters that both hold are at least this share of those that either
/// holds.
pub const LEAST_OVERLAP: f64 = 0.5;
/// A claim that was cut further is found when its parts, each inside it, hold at least this share of it.
pub const LEAST_COVER: f64 = 2.0 / 3.0;

/// What became of the marked claims of some answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Found {
    pub answers: u64,
    /// Claims that a person marked.
    pub marked: u64,
    /// Marked claims that were found as they were marked, or cut further.
    pub found: u64,
    /// Marked claims that were found as they were marked.
    pub alone: u64,
    /// Claims that the judge found in the answers.
    pub produced: u64,
    /// Sentences that the judge declared to hold no claim.
    pub no_claims: u64,
}

impl Found {
    /// Counts one answer: the claims marked in `answer` and those that were produced.
    pub fn add(&mut self, answer: &str, marked: &[Span], produced: &[Span], no_claims: usize) {
        self.answers += 1;
        self.marked += marked.len() as u64;
        self.produced += produced.len() as u64;
        self.no_claims += no_claims as u64;
        for claim in marked {
            let alone = produced.iter().any(|other| overlap(answer, *claim, *other) >= LEAST_OVERLAP);
            self.alone += u64::from(alone);
            self.found += u64::from(alone || cover(answer, *claim, produced) >= LEAST_COVER);
        }
    }

    /// The counts of both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            answers: self.answers + other.answers,
            marked: self.marked + other.marked,
            found: self.found + other.found,
            alone: self.alone + other.alone,
            produced: self.produced + other.produced,
            no_claims: self.no_claims + other.no_claims,
        }
    }

    /// The share of the marked claims that was found.
    pub fn recall(&self) -> Figure {
        Figure::share(self.found, self.marked, "no claim is marked")
    }
}

/// Characters in both over characters in either.
fn overlap(answer: &str, a: Span, b: Span) -> f64 {
    let count = |start: usize, end: usize| answer.get(start..end).map_or(0, |part| part.chars().count());
    let shared = count(a.start().max(b.start()), a.end().min(b.end()));
    let all = count(a.start(), a.end()) + count(b.start(), b.end()) - shared;
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

/// The share of `claim` that stands in the `produced` ones inside it.
fn cover(answer: &str, claim: Span, produced: &[Span]) -> f64 {
    let count = |start: usize, end: usize| answer.get(start..end).map_or(0, |part| part.chars().count());
    let mut parts: Vec<Span> = produced.iter().copied().filter(|part| claim.contains(*part)).collect();
    parts.sort_unstable();
    let (mut covered, mut read_to) = (0, claim.start());
    for part in parts {
        covered += count(part.start().max(read_to), part.end());
        read_to = read_to.max(part.end());
    }
    match count(claim.start(), claim.end()) {
        0 => 0.0,
        all => covered as f64 / all as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = "The dose is 4 g, and the drug is safe. It was sold.";

    fn at(range: std::ops::Range<usize>) -> Span {
        Span::new(ANSWER, range).unwrap()
    }

    fn found(marked: Span, produced: &[Span]) -> (u64, u64) {
        let mut found = Found::default();
        found.add(ANSWER, &[marked], produced, 0);
        (found.found, found.alone)
    }

    #[test]
    fn a_claim_is_found_as_it_is_or_in_parts() {
        let sentence = at(0..38);
        assert_eq!(found(sentence, &[sentence]), (1, 1));
        assert_eq!(found(sentence, &[at(0..15), at(21..37)]), (1, 0), "two halves that can be checked");
        assert_eq!(found(sentence, &[at(0..15)]), (0, 0), "one half is not the claim");
        assert_eq!(found(sentence, &[at(0..51)]), (1, 1), "a little more than the claim");
        assert_eq!(found(at(0..15), &[at(0..51)]), (0, 0), "lost in something longer");
        assert_eq!(found(sentence, &[]), (0, 0));
    }

    #[test]
    fn the_recall_is_over_what_was_marked() {
        let mut all = Found::default();
        assert!(all.recall().undefined_because.is_some());
        all.add(ANSWER, &[at(0..38), at(39..51)], &[at(39..51)], 1);
        assert_eq!(all.recall(), Figure::of(0.5));
        assert_eq!((all.answers, all.produced, all.no_claims), (1, 1, 1));
    }
}
