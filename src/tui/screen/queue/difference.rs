//! What the claim and the cited words say differently.

use std::ops::Range;

use crate::domain::span::Span;
use crate::text::compare::{self, DifferenceKind};

/// Places that differ: in the claim, and in the evidence.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Differences {
    pub claim: Vec<Range<usize>>,
    pub evidence: Vec<Range<usize>>,
}

/// Longer evidence, in bytes, is not compared: nearly everything in it would differ, and a frame has
/// little time.
pub(super) const MOST: usize = 4096;

/// Compares a claim with the words of `passage` at `cited`.
///
/// A place is marked only where the other side says something else there, and where the claim's own word stands
/// nowhere else in the passage: what the passage does say decides nothing.
pub(super) fn between(claim: &str, passage: &str, cited: Span) -> Differences {
    let Some(evidence) = cited.of(passage) else { return Differences::default() };
    if claim.len() > MOST || evidence.len() > MOST {
        return Differences::default();
    }
    let around =
        [passage.get(..cited.start()), passage.get(cited.end()..)].map(|text| near(text.unwrap_or_default()));
    let said_elsewhere = |piece: &str| around.iter().any(|text| stands_in(piece, text));
    let found: Vec<_> = compare::differences(claim, evidence)
        .into_iter()
        .filter_map(|difference| {
            let (mine, theirs) = difference.claim.zip(difference.evidence)?;
            let piece = mine.of(claim)?;
            let is_decided_by_words = matches!(
                difference.kind,
                DifferenceKind::Number | DifferenceKind::Date | DifferenceKind::Name | DifferenceKind::Word
            );
            (!is_decided_by_words || !said_elsewhere(piece)).then(|| (mine.range(), theirs.range()))
        })
        .collect();
    let (claim, evidence) = found.into_iter().unzip();
    Differences { claim, evidence }
}

/// So much of a text, in bytes, is searched for a word of the claim: a passage may be megabytes.
const SEARCHED: usize = 16 * 1024;

fn near(text: &str) -> &str {
    text.get(..text.floor_char_boundary(SEARCHED)).unwrap_or(text)
}

/// Whether `piece` stands in `text` as whole words, in upper or lower case.
fn stands_in(piece: &str, text: &str) -> bool {
    let (piece, text) = (piece.to_lowercase(), text.to_lowercase());
    let goes_on = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    !piece.is_empty()
        && text.match_indices(&piece).any(|(at, found)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let behind = text.get(at + found.len()..).and_then(|behind| behind.chars().next());
            !goes_on(before) && !goes_on(behind) && !is_part_of_a_number(text.get(..at).unwrap_or_default())
        })
}

/// Whether digits and a decimal point stand right before: the `5 mg` of `0.5 mg` is another number.
fn is_part_of_a_number(before: &str) -> bool {
    before.strip_suffix(['.', ',']).is_some_and(|number| number.ends_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked<'t>(claim: &'t str, passage: &'t str, cited: &str) -> Vec<(&'t str, &'t str)> {
        let start = passage.find(cited).expect("the cited words stand in the passage");
        let found =
            between(claim, passage, Span::new(passage, start..start + cited.len()).expect("on borders"));
        let cited = &passage[start..start + cited.len()];
        found
            .claim
            .into_iter()
            .zip(found.evidence)
            .map(|(mine, theirs)| (&claim[mine], &cited[theirs]))
            .collect()
    }

    #[test]
    fn what_decides_is_marked_on_both_sides() {
        let claim = "Adults may take 8 g of paracetamol per day.";
        let passage = "The maximum dose of paracetamol for adults is 4 g per day. Children take less.";
        assert_eq!(
            marked(claim, passage, "The maximum dose of paracetamol for adults is 4 g per day."),
            [("8 g", "4 g")]
        );
        let passage = "Warfarin must not be combined with aspirin. It may be combined with other drugs.";
        let pairs = marked(
            "Warfarin can be combined with aspirin.",
            passage,
            "Warfarin must not be combined with aspirin.",
        );
        assert!(pairs.contains(&("combined", "not be combined")), "{pairs:?}");
    }

    #[test]
    fn what_the_passage_says_elsewhere_or_nowhere_does_not_differ() {
        let passage =
            "02:14 UTC alert fired. The primary was restarted at 03:31 UTC by the engineer on call.";
        let cited = "The primary was restarted at 03:31 UTC by the engineer on call.";
        let claim = "The primary was restarted at 02:14 UTC by the engineer on call.";
        assert_eq!(marked(claim, passage, cited), []);
        assert!(!marked(claim, cited, cited).is_empty(), "where the passage does not say so it differs");
        let claim = "Dr. Hale gave 5 mg of the drug per day.";
        let passage = "The patient got 2 mg of the drug per day.";
        assert!(marked(claim, passage, passage).iter().all(|(mine, _)| !mine.contains("Hale")));
    }

    #[test]
    fn a_number_within_another_is_not_that_number() {
        assert!(stands_in("5 mg", "They gave 5 mg at night"));
        assert!(!stands_in("5 mg", "They gave 15 mg, then 0.5 mg, then 5 mgs"));
    }
}
