//! Names that the evidence does not have, other names in the same spot, and exchanged roles.

use std::collections::HashMap;

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

/// Words that follow each other on both sides, as one: tokens of the claim and of the evidence.
struct Block {
    mine: (usize, usize),
    theirs: (usize, usize),
}

/// The words that claim and `sentence` share, each standing once on both sides, in the claim's order.
fn blocks(claim: &Reading<'_>, evidence: &Reading<'_>, sentence: (usize, usize)) -> Vec<Block> {
    let content = |token: &Token| !token.stop && token.kind == TokenKind::Word;
    let mut places: HashMap<Stem, (usize, usize)> = HashMap::new();
    for (at, token) in evidence.tokens().iter().enumerate().take(sentence.1).skip(sentence.0) {
        let (first, count) = places.entry(token.form).or_insert((at, 0));
        (*first, *count) = (*first, *count + 1);
    }
    let mut own: HashMap<Stem, usize> = HashMap::new();
    for token in claim.tokens() {
        *own.entry(token.form).or_default() += 1;
    }
    let mut found: Vec<Block> = Vec::new();
    for (at, token) in claim.tokens().iter().enumerate().filter(|(_, token)| content(token)) {
        let Some((place, 1)) = places.get(&token.form) else { continue };
        if own.get(&token.form) != Some(&1) {
            continue;
        }
        match found.last_mut() {
            Some(last) if last.mine.1 == at && last.theirs.1 == *place => {
                last.mine.1 += 1;
                last.theirs.1 += 1;
            }
            _ => found.push(Block { mine: (at, at + 1), theirs: (*place, place + 1) }),
        }
    }
    found
}

/// The same words with two of them exchanged around a third: "the tenant pays the landlord".
pub(super) fn roles(claim: &Reading<'_>, evidence: &Reading<'_>, found: &mut Vec<Difference>) {
    let content = claim.tokens().iter().filter(|token| !token.stop).count();
    if !(3..=40).contains(&content) {
        return;
    }
    let mut from = 0;
    while from < evidence.tokens().len() {
        let sentence = evidence.sentence_around(from);
        let to = sentence.1.max(from + 1);
        if let Some(pair) = exchanged(claim, evidence, (from, to), content) {
            for block in pair {
                found.push(Difference {
                    kind: DifferenceKind::Role,
                    claim: claim.span_of(block.mine.0, block.mine.1),
                    evidence: evidence.span_of(block.theirs.0, block.theirs.1),
                    context: 2,
                });
            }
            return;
        }
        from = to;
    }
}

/// The two blocks whose exchange puts all shared words in the same order, when the sentence has nearly all words.
fn exchanged(
    claim: &Reading<'_>,
    evidence: &Reading<'_>,
    sentence: (usize, usize),
    content: usize,
) -> Option<[Block; 2]> {
    let shared = blocks(claim, evidence, sentence);
    let words: usize = shared.iter().map(|block| block.mine.1 - block.mine.0).sum();
    if shared.len() < 3 || words * 10 < content * 7 {
        return None;
    }
    let order: Vec<usize> = shared.iter().map(|block| block.theirs.0).collect();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    let differing: Vec<usize> = (0..order.len()).filter(|at| order[*at] != sorted[*at]).collect();
    let [first, second] = *differing.as_slice() else { return None };
    let whole = (0, claim.tokens().len());
    let in_a_list = |text: &Reading<'_>, a: (usize, usize), b: (usize, usize)| {
        let (low, high) = (a.1.min(b.1), a.0.max(b.0));
        text.tokens().get(low..high).is_some_and(|between| {
            between.iter().any(|token| matches!(&*token.folded, "and" | "or" | "with"))
        })
    };
    let (a, b) = (&shared[first], &shared[second]);
    if second - first < 2
        || is_passive(claim, whole) != is_passive(evidence, sentence)
        || in_a_list(claim, a.mine, b.mine)
        || in_a_list(evidence, a.theirs, b.theirs)
    {
        return None;
    }
    // The claim's first stands where the evidence has its second, and the other way round.
    Some([Block { mine: a.mine, theirs: b.theirs }, Block { mine: b.mine, theirs: a.theirs }])
}

fn is_passive(text: &Reading<'_>, (from, to): (usize, usize)) -> bool {
    text.tokens()[from..to].iter().any(|token| &*token.folded == "by")
}
