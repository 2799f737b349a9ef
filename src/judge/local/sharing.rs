//! What a claim and a window share beyond single words: rows of words, their order, and how near they stand.

use std::collections::HashMap;

use super::features::{flag, share};
use crate::text::compare::Reading;
use crate::text::stem::Stem;

/// More tokens of a claim than this are not compared in order.
const LONGEST_ORDERED: usize = 100;

/// What claim and window share beyond single words.
#[derive(Default)]
pub(super) struct Sharing {
    pub(super) pairs: f64,
    pub(super) bigrams: f64,
    pub(super) trigrams: f64,
    pub(super) in_order: f64,
    pub(super) unbroken: f64,
    pub(super) inversions: f64,
    pub(super) density: f64,
    pub(super) nearness: f64,
}

impl Sharing {
    pub(super) fn of(claim: &Reading<'_>, window: &Reading<'_>) -> Self {
        let stems = |text: &Reading<'_>, most: usize| -> Vec<Stem> {
            text.tokens().iter().take(most).map(|token| token.stem).collect()
        };
        let content = |text: &Reading<'_>, most: usize| -> Vec<Stem> {
            text.tokens().iter().filter(|token| !token.stop).take(most).map(|token| token.stem).collect()
        };
        let mine = content(claim, LONGEST_ORDERED);
        let theirs = content(window, 4 * LONGEST_ORDERED);
        let (all_mine, all_theirs) = (stems(claim, LONGEST_ORDERED), stems(window, 6 * LONGEST_ORDERED));
        let mut places: HashMap<Stem, Vec<usize>> = HashMap::new();
        for (at, stem) in theirs.iter().enumerate() {
            places.entry(*stem).or_default().push(at);
        }
        let first: Vec<usize> = {
            let mut seen: Vec<Stem> = Vec::new();
            mine.iter()
                .filter_map(|stem| {
                    let spots = places.get(stem)?;
                    if seen.contains(stem) || spots.len() > 1 {
                        return None;
                    }
                    seen.push(*stem);
                    spots.first().copied()
                })
                .take(40)
                .collect()
        };
        let mut inverted = 0;
        for (index, a) in first.iter().enumerate() {
            inverted += first[index + 1..].iter().filter(|b| *b < a).count();
        }
        let couples = first.len() * first.len().saturating_sub(1) / 2;
        let shared = theirs.iter().filter(|stem| mine.contains(stem)).count();
        Self {
            pairs: pairs(&mine, &theirs),
            bigrams: rows(&all_mine, &all_theirs, 2),
            trigrams: rows(&all_mine, &all_theirs, 3),
            in_order: share(longest_in_order(&mine, &places) as f64, mine.len() as f64),
            unbroken: share(longest_unbroken(&all_mine, &all_theirs) as f64, all_mine.len() as f64),
            inversions: share(inverted as f64, couples as f64),
            density: share(shared as f64, theirs.len() as f64),
            nearness: match (first.iter().min(), first.iter().max()) {
                (Some(low), Some(high)) => share(first.len() as f64, (high - low + 1) as f64),
                _ => 0.0,
            },
        }
    }
}

/// Share of the claim's neighbouring content words that stand within three words of each other in the window.
fn pairs(mine: &[Stem], theirs: &[Stem]) -> f64 {
    if mine.len() < 2 {
        return flag(mine.iter().all(|stem| theirs.contains(stem)));
    }
    let near = |a: Stem, b: Stem| {
        theirs
            .iter()
            .enumerate()
            .any(|(at, stem)| *stem == a && theirs.iter().skip(at + 1).take(3).any(|other| *other == b))
    };
    let found = mine.windows(2).filter(|pair| near(pair[0], pair[1])).count();
    found as f64 / (mine.len() - 1) as f64
}

/// Share of the rows of `length` words that stand in `theirs` too.
fn rows(mine: &[Stem], theirs: &[Stem], length: usize) -> f64 {
    if mine.len() < length {
        return flag(mine.iter().all(|stem| theirs.contains(stem)));
    }
    let known: std::collections::HashSet<&[Stem]> = theirs.windows(length).collect();
    let found = mine.windows(length).filter(|row| known.contains(row)).count();
    found as f64 / (mine.len() + 1 - length) as f64
}

/// Length of the longest row of words of the claim that the window has in the same order.
fn longest_in_order(mine: &[Stem], places: &HashMap<Stem, Vec<usize>>) -> usize {
    // Longest strictly increasing row over the places, each word's places from behind (Hunt and Szymanski).
    let mut ends: Vec<usize> = Vec::new();
    for stem in mine {
        for place in places.get(stem).into_iter().flatten().rev() {
            let at = ends.partition_point(|end| end < place);
            match ends.get_mut(at) {
                Some(end) => *end = *place,
                None => ends.push(*place),
            }
        }
    }
    ends.len()
}

fn longest_unbroken(mine: &[Stem], theirs: &[Stem]) -> usize {
    let mut best = 0;
    let mut row = vec![0_usize; theirs.len() + 1];
    for a in mine {
        for at in (0..theirs.len()).rev() {
            row[at + 1] = if theirs[at] == *a { row[at] + 1 } else { 0 };
            best = best.max(row[at + 1]);
        }
    }
    best
}
