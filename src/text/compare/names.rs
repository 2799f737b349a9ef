//! Names that the evidence does not have, and other names in the same spot.

use super::reading::{Reading, clause_ends, is_kin};
use super::{Difference, DifferenceKind};
use crate::text::lexicon::LEXICON;
use crate::text::stem::Stem;
use crate::text::tokens::{Token, TokenKind};

/// Names at the same spot are looked for up to this many words apart from their common neighbour.
const REACH: usize = 3;

/// Runs of capitalised words as (first, one behind the last).
pub(super) fn runs(text: &Reading<'_>) -> Vec<(usize, usize)> {
    let tokens = text.tokens();
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if !is_name(text, at) {
            at += 1;
            continue;
        }
        let from = at;
        at += 1;
        while at < tokens.len() && is_name(text, at) && !clause_ends(text.text, &tokens[at - 1], &tokens[at])
        {
            at += 1;
        }
        found.push((from, at));
    }
    found
}

/// A capitalised content word that is not capitalised only because a sentence begins with it.
fn is_name(text: &Reading<'_>, at: usize) -> bool {
    let tokens = text.tokens();
    let token = &tokens[at];
    if !token.capital || token.stop || token.kind != TokenKind::Word {
        return false;
    }
    !begins_sentence(text, at)
        || has_more_capitals(text, at)
        || tokens.get(at + 1).is_some_and(|next| next.capital && !next.stop)
}

fn begins_sentence(text: &Reading<'_>, at: usize) -> bool {
    let token = &text.tokens()[at];
    let before = at.checked_sub(1).and_then(|before| text.tokens().get(before));
    before.is_none_or(|before| {
        text.text
            .get(before.span.end()..token.span.start())
            .is_some_and(|gap| gap.contains(['.', '!', '?', ':', '\n', '"', '“', '*', '•', '|']))
    })
}

fn has_more_capitals(text: &Reading<'_>, at: usize) -> bool {
    text.tokens()[at]
        .span
        .of(text.text)
        .is_some_and(|word| word.chars().skip(1).any(|c| c.is_uppercase() || c.is_numeric()))
}

/// Runs of words that name something in particular, whatever their capitals: most words of an English text
/// are in the lists, and a name is in none or listed as one. Other languages are read by their capitals.
fn particulars(text: &Reading<'_>) -> Vec<(usize, usize)> {
    let lists = &LEXICON.thesaurus;
    let words = || text.tokens().iter().filter(|token| token.kind == TokenKind::Word);
    let known = words().filter(|token| token.stop || lists.knows(token.word)).count();
    if known * 2 < words().count() {
        return runs(text);
    }
    let tokens = text.tokens();
    let names =
        |at: usize| !tokens[at].stop && tokens[at].kind == TokenKind::Word && lists.is_name(tokens[at].word);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let from = at;
        while at < tokens.len()
            && names(at)
            && (at == from || !clause_ends(text.text, &tokens[at - 1], &tokens[at]))
        {
            at += 1;
        }
        if at > from {
            found.push((from, at));
        } else {
            at += 1;
        }
    }
    found
}

/// Whether the capital letters of `name` begin a row of words of `text`, or the other way round.
fn is_abbreviated(name: &Token, text: &Reading<'_>) -> bool {
    let letters: Vec<char> = name.folded.chars().filter(|c| c.is_alphabetic()).collect();
    if !(2..=6).contains(&letters.len()) {
        return false;
    }
    let initials: Vec<char> = text
        .tokens()
        .iter()
        .filter(|token| !token.stop)
        .filter_map(|token| token.folded.chars().next())
        .collect();
    initials.windows(letters.len()).any(|window| window == letters)
}

/// The words next to a run up to and with the first content word: "directed by".
fn neighbour<'r>(text: &'r Reading<'_>, run: (usize, usize), before: bool) -> Option<Vec<&'r Token>> {
    let tokens = text.tokens();
    let places: Vec<usize> = if before {
        (run.0.saturating_sub(REACH)..run.0).rev().collect()
    } else {
        (run.1..(run.1 + REACH).min(tokens.len())).collect()
    };
    let end = places.iter().position(|at| !tokens[*at].stop)?;
    Some(places[..=end].iter().map(|at| &tokens[*at]).collect())
}

fn are_synonyms(a: &Token, b: &Token) -> bool {
    LEXICON.thesaurus.are_synonyms(a.word, b.word)
}

fn is_same_lead(mine: &[&Token], theirs: &[&Token]) -> bool {
    mine.len() == theirs.len()
        && mine.iter().zip(theirs).all(|(a, b)| if a.stop { a.folded == b.folded } else { a.stem == b.stem })
}

pub(super) fn names(claim: &Reading<'_>, evidence: &Reading<'_>, found: &mut Vec<Difference>) {
    let theirs = particulars(evidence);
    for (from, to) in particulars(claim) {
        let known = |at: usize| {
            let token = &claim.tokens()[at];
            evidence.contains(token.stem)
                || is_abbreviated(token, evidence)
                || evidence.tokens().iter().any(|other| is_kin(token, other) || are_synonyms(token, other))
        };
        // One known part makes it the same name: "Mr. Smith", "Smith".
        if (from..to).any(known) {
            continue;
        }
        let whole: Vec<Stem> = (from..to).map(|at| claim.tokens()[at].stem).collect();
        let same_spot = theirs.iter().find(|(start, end)| {
            let foreign = (*start..*end).all(|at| {
                let stem = evidence.tokens()[at].stem;
                !claim.contains(stem) && !whole.contains(&stem)
            });
            let shares = |before: bool| match (
                neighbour(claim, (from, to), before),
                neighbour(evidence, (*start, *end), before),
            ) {
                (Some(mine), Some(theirs)) => is_same_lead(&mine, &theirs),
                _ => false,
            };
            foreign && (shares(true) || (from == 0 && shares(false)))
        });
        found.push(Difference {
            kind: DifferenceKind::Name,
            claim: claim.span_of(from, to),
            evidence: same_spot.and_then(|(start, end)| evidence.span_of(*start, *end)),
            context: u8::from(same_spot.is_some()),
        });
    }
}

/// Content tokens, each with the content word before and behind it in its sentence.
fn neighbours(text: &Reading<'_>) -> Vec<(usize, Option<Stem>, Option<Stem>)> {
    let tokens = text.tokens();
    let content: Vec<usize> = (0..tokens.len()).filter(|at| !tokens[*at].stop).collect();
    let joined = |from: usize, to: usize| {
        text.text
            .get(tokens[from].span.end()..tokens[to].span.start())
            .is_some_and(|gap| !gap.contains(['.', '!', '?', ';', '\n', '。']))
    };
    (0..content.len())
        .map(|index| {
            let at = content[index];
            let before = index.checked_sub(1).map(|i| content[i]).filter(|other| joined(*other, at));
            let behind = content.get(index + 1).copied().filter(|other| joined(at, *other));
            (at, before.map(|i| tokens[i].stem), behind.map(|i| tokens[i].stem))
        })
        .collect()
}

/// Another word between the same neighbours, in scripts without spaces, whose signs leave little room for other
/// words of the same meaning.
pub(super) fn words(claim: &Reading<'_>, evidence: &Reading<'_>, found: &mut Vec<Difference>) {
    let theirs = neighbours(evidence);
    for (at, before, behind) in neighbours(claim) {
        let mine = &claim.tokens()[at];
        let known = |token: &Token| {
            token.stem == mine.stem
                || LEXICON.thesaurus.are_alike(token.word, mine.word)
                || LEXICON.thesaurus.are_opposites(token.word, mine.word)
                || are_synonyms(token, mine)
                || LEXICON.thesaurus.is_kind_of(token.word, mine.word)
                || is_kin(token, mine)
        };
        if mine.kind == TokenKind::Number || before.is_none() || evidence.tokens().iter().any(known) {
            continue;
        }
        let spot = theirs.iter().find(|(place, left, right)| {
            let token = &evidence.tokens()[*place];
            *left == before
                && *right == behind
                && token.kind != TokenKind::Number
                && !claim.contains(token.stem)
        });
        if let Some((place, left, right)) = spot {
            found.push(Difference {
                kind: DifferenceKind::Word,
                claim: Some(mine.span),
                evidence: evidence.tokens().get(*place).map(|token| token.span),
                context: u8::from(left.is_some()) + u8::from(right.is_some()),
            });
        }
    }
}
