//! Which words of a claim stand in a piece of evidence, letter for letter or nearly.

use std::collections::HashSet;

use crate::domain::span::Span;
use crate::text::compare::{Difference, DifferenceKind, Reading, is_kin};
use crate::text::lexicon::LEXICON;
use crate::text::tokens::Token;

/// Credit for a synonym, an abbreviation, and a word of the same family.
const ALIKE: f64 = 0.9;
const ABBREVIATED: f64 = 0.9;
const KIN: f64 = 0.8;
/// For a word that can mean the same, and for the particular where the claim has the general.
const SYNONYM: f64 = 0.8;
const KIND: f64 = 0.7;

/// For each token of the claim how well the evidence has it, 0 to 1; stop words are 1.
pub(super) fn cover(claim: &Reading<'_>, evidence: &Reading<'_>, differences: &[Difference]) -> Vec<f64> {
    let agreed = agreed_amounts(claim, differences);
    let abbreviated = abbreviated(claim, evidence);
    claim
        .tokens()
        .iter()
        .enumerate()
        .map(|(at, token)| {
            if token.stop || agreed.iter().any(|span| span.contains(token.span)) {
                return 1.0;
            }
            evidence
                .tokens()
                .iter()
                .map(|other| closeness(token, other))
                .fold(if abbreviated.contains(&at) { ABBREVIATED } else { 0.0 }, f64::max)
                .max(if is_spelt_out(token, evidence) { ABBREVIATED } else { 0.0 })
        })
        .collect()
}

/// How nearly two words say the same, 0 to 1.
pub(super) fn closeness(mine: &Token, theirs: &Token) -> f64 {
    if mine.stem == theirs.stem {
        1.0
    } else if LEXICON.thesaurus.are_alike(mine.word, theirs.word) {
        ALIKE
    } else if LEXICON.thesaurus.are_synonyms(mine.word, theirs.word) {
        SYNONYM
    } else if LEXICON.thesaurus.is_kind_of(theirs.word, mine.word) {
        KIND
    } else if is_kin(mine, theirs) {
        KIN
    } else {
        0.0
    }
}

/// Numbers and dates of the claim that the evidence bears out, whatever their spelling.
fn agreed_amounts(claim: &Reading<'_>, differences: &[Difference]) -> Vec<Span> {
    let disputed = |span: Span| {
        differences.iter().any(|difference| {
            matches!(difference.kind, DifferenceKind::Number | DifferenceKind::Date)
                && difference.claim == Some(span)
        })
    };
    let numbers = claim.numbers().iter().map(|number| number.span);
    let dates = claim.dates().iter().map(|date| date.span);
    numbers.chain(dates).filter(|span| !disputed(*span)).collect()
}

/// Tokens of the claim that stand in a run of two to five content words which the evidence abbreviates:
/// homologous recombination, HR.
fn abbreviated(claim: &Reading<'_>, evidence: &Reading<'_>) -> HashSet<usize> {
    let is_short = |token: &&Token| {
        let short = &*token.folded;
        token.capital && (2..=5).contains(&short.len()) && short.bytes().all(|b| b.is_ascii_alphabetic())
    };
    let shorts: HashSet<&str> =
        evidence.tokens().iter().filter(is_short).map(|token| &*token.folded).collect();
    let mut found = HashSet::new();
    if shorts.is_empty() {
        return found;
    }
    let content: Vec<usize> = (0..claim.tokens().len()).filter(|at| !claim.tokens()[*at].stop).collect();
    for length in 2..=5 {
        for run in content.windows(length) {
            let letters: String =
                run.iter().filter_map(|at| claim.tokens()[*at].folded.chars().next()).collect();
            if shorts.contains(letters.as_str()) {
                found.extend(run[0]..=run[length - 1]);
            }
        }
    }
    found
}

/// Whether the evidence has the words whose initials the token is.
fn is_spelt_out(token: &Token, evidence: &Reading<'_>) -> bool {
    let letters: Vec<char> = token.folded.chars().collect();
    if !token.capital || !(2..=5).contains(&letters.len()) || letters.iter().any(|c| !c.is_ascii_alphabetic())
    {
        return false;
    }
    let starts: Vec<char> = evidence
        .tokens()
        .iter()
        .filter(|other| !other.stop)
        .filter_map(|other| other.folded.chars().next())
        .collect();
    starts.windows(letters.len()).any(|window| window == letters)
}
