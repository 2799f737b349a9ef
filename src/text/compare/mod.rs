//! What differs between a claim and a piece of evidence, located in both.
//!
//! The judge weighs these differences; the screen marks them on both sides. This module must not know
//! verdicts: that something differs is a fact, what follows from it is for the judge.

mod aligned;
mod amounts;
mod bound;
mod forms;
mod names;
mod polarity;
mod prohibition;
mod reading;
mod rhythm;
mod roles;
mod rules;

pub use aligned::repetition;
pub use reading::{Reading, is_kin};

use crate::domain::span::Span;
use crate::text::tokens::TokenKind;

/// In which way claim and evidence differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DifferenceKind {
    Number,
    Date,
    /// One side says it, the other denies it.
    Negation,
    /// One side uses the opposite of the other's word: rose, fell.
    Opposite,
    /// Another person, place or thing in the same spot.
    Name,
    /// The same words with two of them exchanged.
    Role,
    /// Another word between the same neighbours.
    Word,
    /// All against some.
    Quantifier,
    /// Is against may be; must against may.
    Modality,
}

impl DifferenceKind {
    /// Whether a difference of this kind that is located on both sides makes the claim false, and not
    /// only stronger than its evidence.
    pub const fn contradicts(self) -> bool {
        !matches!(self, Self::Quantifier | Self::Modality)
    }

    /// The word for it in a sentence.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Date => "date",
            Self::Negation => "negation",
            Self::Opposite => "opposite",
            Self::Name => "name",
            Self::Role => "role",
            Self::Word => "word",
            Self::Quantifier => "extent",
            Self::Modality => "certainty",
        }
    }
}

/// One difference. A side is `None` where it has nothing that corresponds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Difference {
    pub kind: DifferenceKind,
    /// In the claim's text.
    pub claim: Option<Span>,
    /// In the evidence's text.
    pub evidence: Option<Span>,
    /// How many words around the two places agree: 0 is a weak alignment, 2 and more a good one.
    pub context: u8,
}

impl Difference {
    /// Both sides are located and cannot both be true.
    pub fn is_conflict(&self) -> bool {
        self.kind.contradicts() && self.claim.is_some() && self.evidence.is_some()
    }
}

/// What differs between `claim` and `evidence`, in the order of the claim.
///
/// `evidence` should be the sentences that speak of the claim: over a whole document too much differs.
pub fn differences(claim: &str, evidence: &str) -> Vec<Difference> {
    between(&Reading::new(claim), &Reading::new(evidence))
}

/// The same for texts that were read before.
pub fn between(claim: &Reading<'_>, evidence: &Reading<'_>) -> Vec<Difference> {
    let mut found = Vec::new();
    amounts::numbers(claim, evidence, &mut found);
    amounts::dates(claim, evidence, &mut found);
    rhythm::rhythm(claim, evidence, &mut found);
    polarity::negation(claim, evidence, &mut found);
    if !found.iter().any(|difference| difference.kind == DifferenceKind::Negation) {
        prohibition::prohibition(claim, evidence, &mut found);
    }
    polarity::opposites(claim, evidence, &mut found);
    polarity::strength(claim, evidence, &mut found);
    names::names(claim, evidence, &mut found);
    roles::roles(claim, evidence, &mut found);
    forms::entries(claim, evidence, &mut found);
    if claim.tokens().iter().any(|token| token.kind == TokenKind::Bigram) {
        names::words(claim, evidence, &mut found);
    } else {
        aligned::replaced(claim, evidence, &mut found);
    }
    found.sort_by_key(|difference| {
        (difference.claim.map_or(usize::MAX, Span::start), difference.kind, difference.evidence)
    });
    found.dedup();
    // What differs in a more particular way is told once: an amount, then a name, then a word.
    let told: Vec<(DifferenceKind, Span)> = found.iter().filter_map(|d| Some((d.kind, d.claim?))).collect();
    found.retain(|difference| {
        let is_told = |span: Span| {
            told.iter().any(|(kind, other)| {
                let is_more_particular = match difference.kind {
                    DifferenceKind::Word => *kind != DifferenceKind::Word,
                    DifferenceKind::Name => {
                        matches!(kind, DifferenceKind::Number | DifferenceKind::Date)
                            || (*kind == DifferenceKind::Negation && difference.evidence.is_none())
                    }
                    _ => false,
                };
                is_more_particular && other.overlaps(span)
            })
        };
        difference.claim.is_none_or(|span| !is_told(span))
    });
    found
}

#[cfg(test)]
mod tests {
    use DifferenceKind::{Date, Modality, Name, Negation, Number, Opposite, Quantifier, Role};
    use proptest::prelude::*;

    use super::*;

    /// Kind, words of the claim, words of the evidence.
    fn marked<'t>(claim: &'t str, evidence: &'t str) -> Vec<(DifferenceKind, &'t str, &'t str)> {
        differences(claim, evidence)
            .iter()
            .map(|difference| {
                let words = |span: Option<Span>, text: &'t str| {
                    span.map_or("", |span| span.of(text).expect("spans fit their texts"))
                };
                (difference.kind, words(difference.claim, claim), words(difference.evidence, evidence))
            })
            .collect()
    }

    #[test]
    fn each_kind_is_marked_on_both_sides() {
        for (claim, evidence, expected) in [
            (
                "Adults may take 8 g of paracetamol per day.",
                "The maximum dose of paracetamol for adults is 4 g per day.",
                (Number, "8 g", "4 g"),
            ),
            (
                "The company was founded in 1995.",
                "The company was founded in 1997 in Leeds.",
                (Date, "1995", "1997"),
            ),
            (
                "Warfarin can be combined with aspirin.",
                "Warfarin must not be combined with aspirin.",
                (Negation, "combined", "not be combined"),
            ),
            (
                "The drug does not increase survival.",
                "In this trial the drug was found to increase survival.",
                (Negation, "not increase", "increase"),
            ),
            (
                "Revenue rose in the third quarter.",
                "Revenue fell in the third quarter.",
                (Opposite, "rose", "fell"),
            ),
            (
                "The court granted the motion.",
                "The court denied the motion.",
                (Opposite, "granted", "denied"),
            ),
            (
                "The film was directed by Steven Spielberg.",
                "The film was directed by James Cameron.",
                (Name, "Steven Spielberg", "James Cameron"),
            ),
            (
                "The tenant shall pay the landlord.",
                "The landlord shall pay the tenant.",
                (Role, "tenant", "landlord"),
            ),
            (
                "All patients recovered within a week.",
                "Some patients recovered within a week.",
                (Quantifier, "All", "Some"),
            ),
            ("Coffee causes cancer.", "Coffee may cause cancer.", (Modality, "causes", "may cause")),
        ] {
            assert!(marked(claim, evidence).contains(&expected), "{claim}: {:?}", marked(claim, evidence));
        }
    }

    #[test]
    fn the_same_thing_in_other_words_does_not_differ() {
        for (claim, evidence) in [
            ("The dose is 500 mg.", "The dose is 0.5 g."),
            ("The notice period is sixty days.", "The notice period is 60 days."),
            ("It does not increase risk.", "It did not increase the risk."),
            ("Risk was not increased.", "Risk did not rise."),
            ("Profit did not rise.", "Profit fell."),
            ("It opened on 3 May 1995.", "It opened on May 3, 1995."),
            ("The tenant is paid by the landlord.", "The landlord pays the tenant."),
            ("Mr. Smith leads the team.", "The team is led by John Smith."),
            ("Not only adults are affected.", "Adults are affected, and so are children."),
        ] {
            assert_eq!(marked(claim, evidence), [], "{claim}");
        }
    }

    #[test]
    fn what_differs_is_told_once() {
        let found = marked("Adults may take 8 g of paracetamol.", "The maximum dose is 4 g in 24 hours.");
        let around_the_amount: Vec<_> = found.iter().filter(|(_, words, _)| words.contains('g')).collect();
        assert_eq!(around_the_amount, [&(Number, "8 g", "")], "{found:?}");
    }

    #[test]
    fn a_number_of_something_else_is_missing_and_not_in_conflict() {
        let found = differences("It serves 500 concurrent users.", "It handles 500 requests per second.");
        assert!(found.iter().all(|difference| !difference.is_conflict()), "{found:?}");
    }

    proptest! {
        #[test]
        fn never_panics_and_spans_fit(claim in "\\PC{0,60}", evidence in "\\PC{0,80}") {
            for difference in differences(&claim, &evidence) {
                prop_assert!(difference.claim.is_none_or(|span| span.of(&claim).is_some()));
                prop_assert!(difference.evidence.is_none_or(|span| span.of(&evidence).is_some()));
            }
        }

        #[test]
        fn a_text_does_not_differ_from_itself(text in "[A-Za-z0-9 ,.]{0,80}") {
            prop_assert!(differences(&text, &text).iter().all(|d| !d.is_conflict()), "{}", text);
        }
    }
}
