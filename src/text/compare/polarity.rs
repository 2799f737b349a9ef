//! Yes against no: negation, opposites, and how firmly or widely something is said.

use super::reading::{Cue, Reading, shared};
use super::{Difference, DifferenceKind};
use crate::domain::span::Span;
use crate::text::lexicon::{LEXICON, Modality, Quantifier};
use crate::text::stem::{Stem, stem};

/// The words that a negation bears on most: the first of its scope.
const NEAREST: usize = 2;

/// Places in `text` that say the same as token `at` of `other`.
fn counterparts(text: &Reading<'_>, wanted: Stem) -> Vec<usize> {
    let exact: Vec<usize> = text.places(wanted).collect();
    if !exact.is_empty() {
        return exact;
    }
    let alike = |at: &usize| LEXICON.are_alike(wanted, text.tokens()[*at].stem);
    (0..text.tokens().len()).filter(alike).collect()
}

struct Denial {
    /// First token of cue and anchor, and the one behind the last, on the denying side.
    denied: (usize, usize),
    /// Token on the other side.
    stated: usize,
    context: u8,
}

/// Where `denier` denies what `other` states.
fn denials(denier: &Reading<'_>, other: &Reading<'_>) -> Vec<Denial> {
    let mut found = Vec::new();
    for Cue { tokens: (from, to), scope } in &denier.cues {
        for anchor in scope.iter().take(NEAREST) {
            let places = counterparts(other, denier.tokens()[*anchor].stem);
            if places.is_empty() {
                continue;
            }
            // Negated there too, or stated as well on the denying side: no disagreement.
            let agrees = places.iter().any(|place| other.is_negated(*place) == denier.is_negated(*anchor));
            if !agrees {
                let span = ((*from).min(*anchor), (*to).max(anchor + 1));
                let around = denier.around(span.0, span.1);
                let best = places
                    .iter()
                    .map(|place| (shared(&around, &other.around(*place, place + 1)), *place))
                    .max_by_key(|(context, place)| (*context, std::cmp::Reverse(*place)));
                if let Some((context, stated)) = best {
                    found.push(Denial { denied: span, stated, context });
                }
            }
            // The nearest word that both share decides.
            break;
        }
    }
    found
}

pub(super) fn negation(claim: &Reading<'_>, evidence: &Reading<'_>, found: &mut Vec<Difference>) {
    for denial in denials(claim, evidence) {
        found.push(Difference {
            kind: DifferenceKind::Negation,
            claim: claim.span_of(denial.denied.0, denial.denied.1),
            evidence: evidence.span_of(denial.stated, denial.stated + 1),
            context: denial.context,
        });
    }
    for denial in denials(evidence, claim) {
        found.push(Difference {
            kind: DifferenceKind::Negation,
            claim: claim.span_of(denial.stated, denial.stated + 1),
            evidence: evidence.span_of(denial.denied.0, denial.denied.1),
            context: denial.context,
        });
    }
}

/// `complicated` for `uncomplicated`.
fn without_prefix(folded: &str) -> Option<Stem> {
    ["un", "non", "in", "im", "ir", "dis", "mis"].iter().find_map(|prefix| {
        folded.strip_prefix(prefix).filter(|rest| rest.len() >= 5 && rest.is_ascii()).map(stem)
    })
}

fn are_opposites(a: &crate::text::tokens::Token, b: &crate::text::tokens::Token) -> bool {
    LEXICON.are_opposites(a.stem, b.stem)
        || without_prefix(&a.folded) == Some(b.stem)
        || without_prefix(&b.folded) == Some(a.stem)
}

pub(super) fn opposites(claim: &Reading<'_>, evidence: &Reading<'_>, found: &mut Vec<Difference>) {
    let content = claim.tokens().iter().filter(|token| !token.stop).count();
    for (at, mine) in claim.tokens().iter().enumerate() {
        if evidence.contains(mine.stem) {
            continue;
        }
        let around = claim.around(at, at + 1);
        let context = |place: usize| shared(&around, &evidence.around(place, place + 1));
        let best = evidence
            .tokens()
            .iter()
            .enumerate()
            .filter(|(_, theirs)| !claim.contains(theirs.stem) && are_opposites(mine, theirs))
            .map(|(place, _)| (context(place), place))
            .max_by_key(|(context, place)| (*context, std::cmp::Reverse(*place)));
        let Some((shared_words, place)) = best else { continue };
        let same_side = evidence
            .tokens()
            .iter()
            .enumerate()
            .filter(|(_, theirs)| LEXICON.are_alike(mine.stem, theirs.stem))
            .map(|(place, _)| context(place))
            .max();
        let denied = claim.is_negated(at) != evidence.is_negated(place);
        let near = shared_words > 0 || content <= 2;
        if near && !denied && same_side.is_none_or(|other| other < shared_words) {
            found.push(Difference {
                kind: DifferenceKind::Opposite,
                claim: Some(mine.span),
                evidence: evidence.tokens().get(place).map(|token| token.span),
                context: shared_words,
            });
        }
    }
}

/// The first content word behind token `at`, within four tokens.
fn following(text: &Reading<'_>, at: usize) -> Option<(usize, Stem)> {
    text.tokens()
        .iter()
        .enumerate()
        .skip(at + 1)
        .take(4)
        .find(|(_, token)| !token.stop)
        .map(|(place, token)| (place, token.stem))
}

fn classes<T: Copy>(
    text: &Reading<'_>,
    class: impl Fn(&str) -> Option<T>,
) -> Vec<(usize, T, Option<(usize, Stem)>)> {
    text.tokens()
        .iter()
        .enumerate()
        .filter_map(|(at, token)| Some((at, class(&token.folded)?, following(text, at))))
        .collect()
}

/// Where the claim says more, or says it more firmly, than the evidence.
pub(super) fn strength(claim: &Reading<'_>, evidence: &Reading<'_>, found: &mut Vec<Difference>) {
    let quantifier = |word: &str| LEXICON.quantifiers.get(word).copied();
    let mine = classes(claim, quantifier);
    let theirs = classes(evidence, quantifier);
    for (at, class, behind) in &mine {
        let weaker = |other: Quantifier| match class {
            Quantifier::All => matches!(other, Quantifier::Some | Quantifier::Most),
            Quantifier::Most => other == Quantifier::Some,
            Quantifier::Some | Quantifier::Only => false,
        };
        let same_noun = |other: &Option<(usize, Stem)>| match (behind, other) {
            (Some((_, mine)), Some((_, theirs))) => mine == theirs,
            _ => false,
        };
        let counterpart = theirs.iter().find(|(_, other, noun)| weaker(*other) && same_noun(noun));
        if let Some((place, _, _)) = counterpart {
            push_strength(
                DifferenceKind::Quantifier,
                claim.tokens()[*at].span,
                evidence,
                (*place, place + 1),
                found,
            );
        } else if *class == Quantifier::Only && !theirs.iter().any(|(_, other, _)| other == class) {
            found.push(Difference {
                kind: DifferenceKind::Quantifier,
                claim: Some(claim.tokens()[*at].span),
                evidence: None,
                context: 0,
            });
        }
    }
    let modality = |word: &str| LEXICON.modality.get(word).copied();
    let mine = classes(claim, modality);
    for (place, class, behind) in classes(evidence, modality) {
        let Some((verb_place, verb)) = behind else { continue };
        let Some(at) = claim.places(verb).next() else { continue };
        let before: Vec<Modality> = mine
            .iter()
            .filter(|(_, _, own)| own.is_some_and(|(_, own)| own == verb))
            .map(|(_, m, _)| *m)
            .collect();
        let weaker = match class {
            Modality::Hedge => {
                !mine.iter().any(|(_, m, _)| *m == Modality::Hedge) && !before.contains(&Modality::Permission)
            }
            Modality::Advice => before.contains(&Modality::Duty),
            Modality::Permission | Modality::Duty => false,
        } || (matches!(class, Modality::Hedge | Modality::Permission)
            && before.contains(&Modality::Duty));
        if weaker && !claim.is_negated(at) && !evidence.is_negated(verb_place) {
            push_strength(
                DifferenceKind::Modality,
                claim.tokens()[at].span,
                evidence,
                (place, verb_place + 1),
                found,
            );
        }
    }
}

fn push_strength(
    kind: DifferenceKind,
    claim: Span,
    evidence: &Reading<'_>,
    (from, to): (usize, usize),
    found: &mut Vec<Difference>,
) {
    found.push(Difference { kind, claim: Some(claim), evidence: evidence.span_of(from, to), context: 1 });
}
