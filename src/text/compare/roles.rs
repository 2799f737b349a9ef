//! Who does it to whom: two parts of a claim that stand in each other's role in the evidence.
//!
//! English word order and a few small words: from, to, than, by. No grammar beyond that.

use std::collections::HashMap;

use super::reading::Reading;
use super::{Difference, DifferenceKind};
use crate::text::stem::Stem;
use crate::text::tokens::{Token, TokenKind};

/// The small word that tells the role is looked for so many words back.
const REACH: usize = 5;
/// How near to its verb an auxiliary and "by" stand.
const AUXILIARY: usize = 3;
const AGENT: usize = 6;
/// The share of the claim's content words, in tenths, that a sentence must have to be of the same event.
const SAME_EVENT: usize = 6;

const BE: &[&str] = &["is", "are", "was", "were", "be", "been", "being"];
const COMPARING: &[&str] = &["more", "less", "fewer", "better", "worse"];

/// Words that follow each other on both sides, as one: tokens of the claim and of the evidence.
#[derive(Debug, Clone, Copy)]
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
        let pair = exchanged(claim, evidence, (from, to), content)
            .or_else(|| marked_otherwise(claim, evidence, (from, to), content));
        if let Some(pair) = pair {
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

/// By which small word a part is tied to the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    From,
    To,
    Than,
    Bare,
}

/// The mark of the part that begins at token `at`; `None` for a member of a list.
fn mark(text: &Reading<'_>, at: usize) -> Option<Mark> {
    let tokens = text.tokens();
    let word = |place: usize| tokens.get(place).map_or("", |token| &*token.folded);
    for place in (at.saturating_sub(REACH)..at).rev() {
        if text.sentence_ends_behind(place) {
            return Some(Mark::Bare);
        }
        match word(place) {
            "and" | "or" | "between" => return None,
            "to" | "with" if place.checked_sub(1).is_some_and(|before| word(before) == "compared") => {
                return Some(Mark::Than);
            }
            "from" => return Some(Mark::From),
            "to" => return Some(Mark::To),
            "than" => return Some(Mark::Than),
            _ if tokens[place].stop || (tokens[place].capital && tokens[at].capital) => {}
            _ => return Some(Mark::Bare),
        }
    }
    Some(Mark::Bare)
}

/// The comparing words of a stretch.
fn comparing<'r>(text: &'r Reading<'_>, (from, to): (usize, usize)) -> Vec<&'r str> {
    let words = text.tokens()[from..to].iter().map(|token| &*token.folded);
    let mut found: Vec<&str> =
        words.filter(|word| COMPARING.contains(word) || (word.len() >= 5 && word.ends_with("er"))).collect();
    found.sort_unstable();
    found
}

/// Two parts of which each has the other's mark in the sentence, or of which the one that acts is acted on there.
fn marked_otherwise(
    claim: &Reading<'_>,
    evidence: &Reading<'_>,
    sentence: (usize, usize),
    content: usize,
) -> Option<[Block; 2]> {
    let shared = blocks(claim, evidence, sentence);
    let words: usize = shared.iter().map(|block| block.mine.1 - block.mine.0).sum();
    if words * 10 < content * SAME_EVENT || claim.negates() != evidence.negates() {
        return None;
    }
    let marks: Vec<Option<(Mark, Mark)>> = shared
        .iter()
        .map(|block| Some((mark(claim, block.mine.0)?, mark(evidence, block.theirs.0)?)))
        .collect();
    for (first, mine) in marks.iter().enumerate() {
        for (second, theirs) in marks.iter().enumerate().skip(first + 1) {
            let (Some(mine), Some(theirs)) = (mine, theirs) else { continue };
            if mine.0 == theirs.0 || (mine.0, mine.1) != (theirs.1, theirs.0) {
                continue;
            }
            if is_exchange(claim, evidence, sentence, (&shared, first, second), [mine.0, theirs.0]) {
                return Some(crossed(shared[first], shared[second]));
            }
        }
    }
    turned_round(claim, evidence, sentence, &shared)
}

/// Each part of the claim beside the place that the evidence gives the other.
fn crossed(a: Block, b: Block) -> [Block; 2] {
    [Block { mine: a.mine, theirs: b.theirs }, Block { mine: b.mine, theirs: a.theirs }]
}

/// Whether two parts with each other's marks have changed roles, and the rest is alike.
fn is_exchange(
    claim: &Reading<'_>,
    evidence: &Reading<'_>,
    sentence: (usize, usize),
    (shared, first, second): (&[Block], usize, usize),
    marks: [Mark; 2],
) -> bool {
    if marks.contains(&Mark::Than) {
        let whole = comparing(claim, (0, claim.tokens().len()));
        return whole == comparing(evidence, sentence) && marks.contains(&Mark::Bare) && !whole.is_empty();
    }
    if !marks.contains(&Mark::Bare) {
        return true;
    }
    // "The tenant pays the deposit to the landlord": the bare one comes first, and what is done stands between.
    let (bare, marked) = if marks[0] == Mark::Bare { (first, second) } else { (second, first) };
    let between = |block: &Block| {
        shared[bare].mine.1 <= block.mine.0
            && block.mine.1 <= shared[marked].mine.0
            && shared[marked].theirs.1 <= block.theirs.0
            && block.theirs.1 <= shared[bare].theirs.0
    };
    let is_plain = !is_passive(claim, (0, claim.tokens().len())) && !is_passive(evidence, sentence);
    is_plain && shared.iter().any(between)
}

/// "A acquired B" against "A was acquired by B": one side is active and the other passive, and who acts is acted on.
fn turned_round(
    claim: &Reading<'_>,
    evidence: &Reading<'_>,
    sentence: (usize, usize),
    shared: &[Block],
) -> Option<[Block; 2]> {
    let whole = (0, claim.tokens().len());
    for verb in shared {
        let mine = agent_from(claim, whole, verb.mine.0);
        let theirs = agent_from(evidence, sentence, verb.theirs.0);
        // The place of "by" on the passive side; the other side must be active.
        let claim_is_passive = match (mine, theirs) {
            (Some(_), None) if !is_passive(evidence, sentence) && !has_be(evidence, verb.theirs.0) => true,
            (None, Some(_)) if !is_passive(claim, whole) && !has_be(claim, verb.mine.0) => false,
            _ => continue,
        };
        let by = mine.or(theirs)?;
        let passive = |block: &Block| if claim_is_passive { block.mine } else { block.theirs };
        let active = |block: &Block| if claim_is_passive { block.theirs } else { block.mine };
        let agent = shared.iter().find(|block| passive(block).0 > by && passive(block).0 <= by + REACH)?;
        // The nearest part on the other side of the verb that acts or is acted on there.
        let is_acted_on = active(agent).0 > active(verb).0;
        let subject = shared
            .iter()
            .filter(|block| active(block).1 <= active(verb).0 && passive(block).0 < by)
            .find(|block| active(block).0 != active(verb).0)?;
        if is_acted_on {
            return Some(crossed(*agent, *subject));
        }
    }
    None
}

fn has_be(text: &Reading<'_>, verb: usize) -> bool {
    text.tokens()[verb.saturating_sub(AUXILIARY)..verb].iter().any(|token| BE.contains(&&*token.folded))
}

/// Where "by" stands behind a verb in the passive.
fn agent_from(text: &Reading<'_>, (_, end): (usize, usize), verb: usize) -> Option<usize> {
    let behind = (verb + 1..end.min(verb + 1 + AGENT)).find(|at| &*text.tokens()[*at].folded == "by")?;
    has_be(text, verb).then_some(behind)
}

#[cfg(test)]
mod tests {
    use super::super::{DifferenceKind, differences};

    fn has_exchange(claim: &str, evidence: &str) -> bool {
        differences(claim, evidence).iter().any(|d| d.kind == DifferenceKind::Role && d.is_conflict())
    }

    #[test]
    fn small_words_tell_who_does_it_to_whom() {
        for (claim, evidence) in [
            (
                "Because of side effects, 30 patients were switched from Apixaban to Warfarin.",
                "Nurses switched 30 patients from Warfarin to Apixaban because of side effects.",
            ),
            (
                "At week 7, pain scores were lower after Cefalexin than after Amoxicillin.",
                "Pain scores after Amoxicillin were lower than after Cefalexin at week 7.",
            ),
            (
                "The landlord shall pay the deposit to the tenant within 14 days.",
                "Within 14 days the tenant shall pay the deposit to the landlord.",
            ),
            ("Norbank was acquired by Halden in May.", "In May, Norbank acquired Halden for cash."),
        ] {
            assert!(has_exchange(claim, evidence), "{claim}");
        }
    }

    #[test]
    fn another_wording_of_the_same_is_no_exchange() {
        for (claim, evidence) in [
            (
                "Because of side effects, 30 patients were switched from Warfarin to Apixaban.",
                "Nurses switched 30 patients from Warfarin to Apixaban because of side effects.",
            ),
            (
                "At week 7, pain scores were lower after Amoxicillin than after Cefalexin.",
                "Pain scores after Cefalexin were higher than after Amoxicillin at week 7.",
            ),
            (
                "The tenant shall pay the deposit to the landlord within 14 days.",
                "Within 14 days the tenant shall pay the deposit to the landlord.",
            ),
            ("Halden was acquired by Norbank in May.", "In May, Norbank acquired Halden for cash."),
            ("Norbank and Halden were acquired by Berg.", "Berg acquired Halden and Norbank."),
        ] {
            assert!(!has_exchange(claim, evidence), "{claim}");
        }
    }
}
