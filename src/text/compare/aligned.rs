//! Claim and evidence laid side by side, word for word: where one repeats the other but for a word or two.

use super::reading::{Reading, is_kin};
use super::{Difference, DifferenceKind};
use crate::text::lexicon::LEXICON;
use crate::text::tokens::{Token, TokenKind};

/// No more words than these are laid side by side.
const MOST_MINE: usize = 120;
const MOST_THEIRS: usize = 400;
/// What a shared content word, a shared stop word, and following on from a shared word count.
const CONTENT: u32 = 4;
const STOP: u32 = 1;
const FOLLOWING: u32 = 2;
/// A differing stretch has no more words than this on either side.
const STRETCH: usize = 2;
/// How far shared words beside a stretch are counted, on each side.
const FLANK: usize = 4;
/// So many shared words must stand beside it.
const LEAST_FLANKS: u8 = 4;

/// The pairs of places that match, in order on both sides.
pub(super) fn align(claim: &Reading<'_>, evidence: &Reading<'_>) -> Vec<(usize, usize)> {
    let mine = claim.tokens().get(..claim.tokens().len().min(MOST_MINE)).unwrap_or(&[]);
    let theirs = evidence.tokens().get(..evidence.tokens().len().min(MOST_THEIRS)).unwrap_or(&[]);
    let width = theirs.len() + 1;
    // Best score up to a pair of places, and how many words in a row match there.
    let mut best = vec![0_u32; (mine.len() + 1) * width];
    let mut row = vec![0_u16; (mine.len() + 1) * width];
    for (i, a) in mine.iter().enumerate() {
        for (j, b) in theirs.iter().enumerate() {
            let here = (i + 1) * width + j + 1;
            let (skip_mine, skip_theirs) = (best[here - width], best[here - 1]);
            let mut top = skip_mine.max(skip_theirs);
            if a.stem == b.stem {
                let before = here - width - 1;
                let worth = if a.stop { STOP } else { CONTENT } + if row[before] > 0 { FOLLOWING } else { 0 };
                if best[before] + worth >= top {
                    top = best[before] + worth;
                    row[here] = row[before] + 1;
                }
            }
            best[here] = top;
        }
    }
    let mut found = Vec::new();
    let (mut i, mut j) = (mine.len(), theirs.len());
    while i > 0 && j > 0 {
        let here = i * width + j;
        if row[here] > 0 {
            found.push((i - 1, j - 1));
            (i, j) = (i - 1, j - 1);
        } else if best[here] == best[here - width] {
            i -= 1;
        } else {
            j -= 1;
        }
    }
    found.reverse();
    found
}

fn says_the_same(mine: &Token, theirs: &Token) -> bool {
    let lists = &LEXICON.thesaurus;
    mine.stem == theirs.stem
        || is_kin(mine, theirs)
        || lists.are_alike(mine.word, theirs.word)
        || lists.are_synonyms(mine.word, theirs.word)
        || lists.is_kind_of(theirs.word, mine.word)
}

/// How many of the `FLANK` words on each side of a stretch of the claim match words beside the stretch of the
/// evidence: (before, behind).
fn flanks(pairs: &[(usize, usize)], at: usize) -> (u8, u8) {
    let count = |rows: &mut dyn Iterator<Item = &(usize, usize)>, from: (usize, usize)| {
        let near =
            |pair: &&(usize, usize)| pair.0.abs_diff(from.0) < FLANK && pair.1.abs_diff(from.1) < FLANK + 1;
        u8::try_from(rows.take(FLANK).take_while(near).count()).unwrap_or(u8::MAX)
    };
    let before = at.checked_sub(1).map_or(0, |last| count(&mut pairs[..at].iter().rev(), pairs[last]));
    let behind = pairs.get(at).map_or(0, |first| count(&mut pairs[at..].iter(), *first));
    (before, behind)
}

/// Stretches of a few words that differ between words that match: "parsing of [paragraphs] without".
pub(super) fn replaced(claim: &Reading<'_>, evidence: &Reading<'_>, found: &mut Vec<Difference>) {
    let pairs = align(claim, evidence);
    for at in 0..=pairs.len() {
        let from = at.checked_sub(1).map(|last| pairs[last]);
        let to = pairs.get(at).copied();
        // At the ends of the claim the evidence may go on: there the same number of words is taken.
        let (mine, theirs) = match (from, to) {
            (Some(from), Some(to)) => ((from.0 + 1, to.0), (from.1 + 1, to.1)),
            (None, Some(to)) => ((0, to.0), (to.1.saturating_sub(to.0), to.1)),
            (Some(from), None) => {
                let length = claim.tokens().len() - from.0 - 1;
                let end = (from.1 + 1 + length).min(evidence.tokens().len());
                ((from.0 + 1, claim.tokens().len()), (from.1 + 1, end))
            }
            (None, None) => continue,
        };
        let lengths = (mine.1 - mine.0, theirs.1.saturating_sub(theirs.0));
        if lengths.0 == 0 || lengths.1 == 0 || lengths.0 > STRETCH || lengths.1 > STRETCH {
            continue;
        }
        let (own, other) = (&claim.tokens()[mine.0..mine.1], &evidence.tokens()[theirs.0..theirs.1]);
        // Amounts with their units are compared as what they are.
        let is_amount = |text: &Reading<'_>, token: &Token| {
            text.numbers().iter().any(|number| number.span.contains(token.span))
                || text.dates().iter().any(|date| date.span.contains(token.span))
        };
        let content = |token: &&Token| {
            !token.stop
                && token.kind == TokenKind::Word
                && !is_amount(claim, token)
                && !is_amount(evidence, token)
        };
        let Some(word) =
            own.iter().filter(content).find(|token| !other.iter().any(|o| says_the_same(token, o)))
        else {
            continue;
        };
        let Some(instead) =
            other.iter().filter(content).find(|token| !own.iter().any(|o| says_the_same(o, token)))
        else {
            continue;
        };
        let (before, behind) = flanks(&pairs, at);
        let is_inside = from.is_some() && to.is_some();
        if before + behind < LEAST_FLANKS || (is_inside && before.min(behind) < 2) {
            continue;
        }
        found.push(Difference {
            kind: DifferenceKind::Word,
            claim: Some(word.span),
            evidence: Some(instead.span),
            context: before + behind,
        });
    }
}

/// Content words of the claim that stand between words which follow each other in the evidence.
pub(super) fn inserted(pairs: &[(usize, usize)], claim: &Reading<'_>) -> usize {
    let between = |two: &[(usize, usize)]| {
        let (from, to) = (two[0], two[1]);
        let is_small = (1..=STRETCH).contains(&(to.0 - from.0 - 1));
        is_small && to.1 - from.1 == 1 && claim.tokens()[from.0 + 1..to.0].iter().any(|token| !token.stop)
    };
    pairs.windows(2).filter(|two| between(two)).count()
}

/// How closely a claim repeats a text: the share of its words that are in rows of at least three, and how many
/// words were put in between.
pub fn repetition(claim: &Reading<'_>, evidence: &Reading<'_>) -> (f64, usize) {
    let pairs = align(claim, evidence);
    let mut in_rows = 0;
    let mut length = 0;
    for (at, pair) in pairs.iter().enumerate() {
        let follows = at > 0 && pair.0 == pairs[at - 1].0 + 1 && pair.1 == pairs[at - 1].1 + 1;
        length = if follows { length + 1 } else { 1 };
        in_rows += match length {
            0..=2 => 0,
            3 => 3,
            _ => 1,
        };
    }
    let all = claim.tokens().len().clamp(1, MOST_MINE);
    (f64::from(in_rows) / all as f64, inserted(&pairs, claim))
}
