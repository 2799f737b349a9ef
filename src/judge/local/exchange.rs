//! Whether two parts of a claim would stand better in each other's place: "Norbank acquired Halden" beside evidence in
//! which Halden acquired Norbank.
//!
//! No grammar: the claim is read with the two exchanged, and what that gains in neighbours and order is counted.

use std::collections::HashSet;

use super::features::rarity;
use crate::text::compare::Reading;
use crate::text::stem::Stem;
use crate::text::tokens::TokenKind;

/// From this rarity on a word can name a part.
const PARTICULAR: f64 = 5.0;
/// No more parts than this are exchanged.
const MOST_PARTS: usize = 6;
/// Longer texts are not compared.
const LONGEST_CLAIM: usize = 60;
const LONGEST_WINDOW: usize = 240;
/// Two words are neighbours within so many content words.
const NEAR: usize = 3;

/// How many more neighbours and words in order the window shares with the claim when two of its parts are exchanged;
/// 0 when no exchange gains.
pub(super) fn gain(claim: &Reading<'_>, window: &Reading<'_>) -> f64 {
    let tokens = claim.tokens();
    if tokens.len() > LONGEST_CLAIM || is_passive(claim) != is_passive(window) {
        return 0.0;
    }
    let parts = parts(claim, window);
    if parts.len() < 2 {
        return 0.0;
    }
    let order = Order::of(window);
    let as_it_is: Vec<usize> = (0..tokens.len()).collect();
    let own = order.agreement(claim, &as_it_is);
    let mut best = 0.0_f64;
    for (at, a) in parts.iter().enumerate() {
        for b in &parts[at + 1..] {
            let between = &tokens[a.1..b.0];
            let is_list = between.iter().all(|token| token.stop)
                && between.iter().any(|token| matches!(&*token.folded, "and" | "or" | "with"));
            if between.is_empty() || is_list {
                continue;
            }
            let exchanged: Vec<usize> =
                (0..a.0).chain(b.0..b.1).chain(a.1..b.0).chain(a.0..a.1).chain(b.1..tokens.len()).collect();
            best = best.max(order.agreement(claim, &exchanged) - own);
        }
    }
    best
}

fn is_passive(text: &Reading<'_>) -> bool {
    text.tokens().iter().any(|token| &*token.folded == "by")
}

/// Runs of rare words that the window has too.
fn parts(claim: &Reading<'_>, window: &Reading<'_>) -> Vec<(usize, usize)> {
    let tokens = claim.tokens();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_part = !token.stop
            && token.kind == TokenKind::Word
            && rarity(token) >= PARTICULAR
            && window.contains(token.stem);
        if !is_part {
            continue;
        }
        match found.last_mut() {
            Some(last) if last.1 == at => last.1 = at + 1,
            _ => found.push((at, at + 1)),
        }
    }
    found.truncate(MOST_PARTS);
    found
}

/// What follows what in a window.
struct Order {
    content: Vec<Stem>,
    near: HashSet<(Stem, Stem)>,
    next: HashSet<(Stem, Stem)>,
}

impl Order {
    fn of(window: &Reading<'_>) -> Self {
        let tokens = &window.tokens()[..window.tokens().len().min(LONGEST_WINDOW)];
        let content: Vec<Stem> = tokens.iter().filter(|token| !token.stop).map(|token| token.stem).collect();
        let mut near = HashSet::new();
        for (at, stem) in content.iter().enumerate() {
            near.extend(content.iter().skip(at + 1).take(NEAR).map(|other| (*stem, *other)));
        }
        let next = tokens.windows(2).map(|pair| (pair[0].stem, pair[1].stem)).collect();
        Self { content, near, next }
    }

    fn agreement(&self, claim: &Reading<'_>, order: &[usize]) -> f64 {
        let tokens = claim.tokens();
        let all: Vec<Stem> = order.iter().map(|at| tokens[*at].stem).collect();
        let content: Vec<Stem> =
            order.iter().filter(|at| !tokens[**at].stop).map(|at| tokens[*at].stem).collect();
        let near = content.windows(2).filter(|pair| self.near.contains(&(pair[0], pair[1]))).count();
        let next = all.windows(2).filter(|pair| self.next.contains(&(pair[0], pair[1]))).count();
        (near + next + longest_in_order(&content, &self.content)) as f64
    }
}

fn longest_in_order(mine: &[Stem], theirs: &[Stem]) -> usize {
    let mut row = vec![0_usize; theirs.len() + 1];
    for a in mine {
        let mut before = 0;
        for (at, b) in theirs.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if a == b { before + 1 } else { above.max(row[at]) };
            before = above;
        }
    }
    row.last().copied().unwrap_or(0)
}
