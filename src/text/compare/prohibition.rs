//! What one side permits or asks for and the other forbids: "is suitable for", "do not take".
//!
//! The same act is known by its words, not by its verb: who may not take a thing may not be given it either.

use super::polarity::{condition, is_limited, limits, speaks_of_some};
use super::reading::{Cue, Reading, clause_ends, is_kin};
use super::rules::{begins, forbids_from, is_end, modality, rule, word};
use super::{Difference, DifferenceKind};
use crate::domain::span::Span;
use crate::text::lexicon::{LEXICON, Modality, Rule};
use crate::text::stem::Stem;
use crate::text::tokens::Token;

/// The share of the claim's content words, as numerator and denominator, that a prohibition must have for it to be of
/// the same act.
const MOSTLY: (usize, usize) = (3, 5);
/// With so many of them a conflict is located; with fewer the prohibition is only told.
const SURE: usize = 2;
/// So near behind a denial stands what makes it a limit: "do not take more than".
const BOUNDED_WITHIN: usize = 7;
/// So near before a word of ending stands the duty: "must be taken off".
const DUTY_WITHIN: usize = 4;

/// A longer sentence is a clause of a contract, whose parts forbid what other parts grant.
const LONGEST: usize = 20;

/// Words that begin a condition or a time in which something is forbidden.
const WHEN: &[&str] = &["if", "when", "while", "during", "in"];
/// Words behind which a prohibition by ending holds: "must be removed before".
const HELD_DURING: &[&str] = &["before", "during", "while", "when", "if", "for", "in", "at"];
/// Words of a ban of what is not yet or only for a time: it forbids nothing afterwards.
const FOR_A_TIME: &[&str] = &["before", "until", "within", "for"];
/// Words behind which it is told why something is forbidden.
const REASONS: &[&str] = &["which", "because", "since", "so", "as"];
/// Verbs that only carry what is done: to take, give or use a thing is the same act.
const CARRYING: &[&str] = &[
    "take", "takes", "taking", "taken", "use", "uses", "using", "used", "give", "giving", "given", "have",
    "having",
];
/// Words of a claim that speak of the time behind it.
const AFTERWARDS: &[&str] = &["after", "afterwards", "again", "until", "once"];

/// A place that forbids something.
struct Ban {
    /// First token and the one behind the last.
    tokens: (usize, usize),
    /// Content tokens of what is forbidden.
    words: Vec<usize>,
    sentence: (usize, usize),
    /// What is forbidden is to end something or to leave it out.
    keeps: bool,
    /// It is forbidden by what must end.
    by_ending: bool,
}

/// How far a ban is limited.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Limit {
    /// Not at all, or by what the claim names itself.
    Met,
    /// By a condition of which the claim says nothing.
    Condition,
    /// By an exception, which may be what the claim speaks of.
    Exception,
}

/// The end of the instruction that begins at token `from`: its sentence, or the next instruction.
fn instruction_end(text: &Reading<'_>, from: usize, end: usize) -> usize {
    let goes_over = |at: &usize| {
        let (left, right) = (&text.tokens()[*at - 1], &text.tokens()[*at]);
        matches!(&*right.folded, "but" | "although" | "however" | "whereas")
            || (rule(text, *at) == Some(Rule::Act)
                && (clause_ends(text.text(), left, right) || &*left.folded == "and"))
    };
    (from + 1..end).find(goes_over).unwrap_or(end)
}

/// Where the clause of the ban at token `from` begins: behind the last "but", or at it behind "and".
fn clause_start(text: &Reading<'_>, start: usize, from: usize) -> usize {
    let turns = |at: &usize| matches!(word(text, *at), "but" | "although" | "however" | "whereas");
    if from > start && word(text, from - 1) == "and" {
        return from;
    }
    (start..from).rev().find(turns).map_or(start, |at| at + 1)
}

fn content(text: &Reading<'_>, range: std::ops::Range<usize>) -> impl Iterator<Item = usize> {
    range.filter(|at| !text.tokens()[*at].stop)
}

fn bans(text: &Reading<'_>) -> Vec<Ban> {
    let mut found = Vec::new();
    for cue in &text.cues {
        let Some(from) = forbids_from(text, cue) else { continue };
        let sentence = text.sentence_around(from);
        let end = cue.scope.first().map_or(cue.tokens.1, |anchor| (anchor + 1).max(cue.tokens.1));
        let is_instruction = matches!(word(text, from), "do" | "don't" | "never");
        let words: Vec<usize> = if is_instruction {
            let opening = if WHEN.contains(&word(text, sentence.0)) { sentence.0..from } else { from..from };
            content(text, opening)
                .chain(content(text, cue.tokens.1..instruction_end(text, from, sentence.1)))
                .collect()
        } else {
            content(text, clause_start(text, sentence.0, from)..instruction_end(text, from, sentence.1))
                .collect()
        };
        let keeps = cue.scope.first().is_some_and(|anchor| is_end(text, *anchor));
        found.push(Ban { tokens: (from, end), words, sentence, keeps, by_ending: false });
    }
    for at in 0..text.tokens().len() {
        let is_forbidden = rule(text, at) == Some(Rule::Forbid) && !text.is_negated(at);
        let duty =
            |back: &usize| modality(text, *back) == Some(Modality::Duty) || word(text, *back) == "should";
        let by_ending = is_end(text, at)
            && !text.is_negated(at)
            && ((at.saturating_sub(DUTY_WITHIN)..at).any(|back| duty(&back)) || begins(text, at));
        if !is_forbidden && !by_ending {
            continue;
        }
        let sentence = text.sentence_around(at);
        if by_ending && !(at + 1..sentence.1).any(|behind| HELD_DURING.contains(&word(text, behind))) {
            continue;
        }
        let from = if by_ending { (at.saturating_sub(DUTY_WITHIN)..at).find(duty).unwrap_or(at) } else { at };
        let end = at + 1 + usize::from(by_ending && matches!(word(text, at + 1), "off" | "out"));
        let words = content(text, sentence.0..sentence.1).collect();
        found.push(Ban { tokens: (from, end), words, sentence, keeps: false, by_ending });
    }
    found.retain(|ban| ban.words.len() <= LONGEST);
    found
}

/// What a contract says that something "shall not include" is no rule for whoever reads it, and what "may not" be may
/// only be unlikely.
fn tells_the_reader(text: &Reading<'_>, ban: &Ban) -> bool {
    !matches!(word(text, ban.tokens.0), "shall" | "may")
}

/// Whether the ban is only of too much, too long or too late, and `other` does not speak of that.
fn is_bound(text: &Reading<'_>, ban: &Ban, other: &Reading<'_>) -> bool {
    (ban.tokens.0..ban.sentence.1).take(BOUNDED_WITHIN).any(|at| {
        rule(text, at) == Some(Rule::Bound) && !other.tokens().iter().any(|t| *t.folded == *word(text, at))
    })
}

/// Whether the ban is only of a part of what the claim speaks of: "in a sauna" for "in the shower", "milk" for "water".
/// Of words in a row ("crush or chew") one is enough.
fn is_narrower(text: &Reading<'_>, ban: &Ban, claim: &Reading<'_>) -> bool {
    if ban.by_ending {
        return false;
    }
    let tokens = text.tokens();
    let is_afterwards = claim.tokens().iter().any(|token| AFTERWARDS.contains(&&*token.folded));
    if is_afterwards && (ban.tokens.1..ban.sentence.1).any(|at| FOR_A_TIME.contains(&word(text, at))) {
        return true;
    }
    // What stands under a condition is held against the claim by `limit`.
    let limit = limits(text).find(|at| *at >= ban.tokens.0).unwrap_or(ban.sentence.1);
    let ends = |at: &usize| REASONS.contains(&word(text, *at));
    let end = (ban.tokens.0..ban.sentence.1.min(limit)).find(ends).unwrap_or(ban.sentence.1.min(limit));
    let counts = |at: &usize| {
        let is_cue =
            (ban.tokens.0..ban.tokens.1).contains(at) && rule(text, *at).is_some_and(|r| r != Rule::Act);
        *at < end && !is_cue && !CARRYING.contains(&word(text, *at)) && modality(text, *at).is_none()
    };
    let is_named = |at: usize| claim.tokens().iter().any(|mine| says_the_same(mine, &tokens[at]));
    // Who it is forbidden to counts where the claim speaks of somebody itself.
    let own: Vec<usize> = content(claim, 0..claim.tokens().len())
        .filter(|at| rule(claim, *at) != Some(Rule::Permit) && modality(claim, *at).is_none())
        .collect();
    let has_more = common(claim, &own, text, &ban.words) < own.len();
    let from = if has_more { 0 } else { ban.tokens.0 };
    let is_in_a_row = |from: usize, to: usize| {
        let joins = |at: usize| matches!(word(text, at), "and" | "or" | "nor");
        (from + 1..to).all(|at| tokens[at].stop)
            && ((from + 1..to).any(joins)
                || (to == from + 1 && clause_ends(text.text(), &tokens[from], &tokens[to])))
    };
    let is_hyphenated = |from: usize, to: usize| {
        text.text().get(tokens[from].span.end()..tokens[to].span.start()) == Some("-")
    };
    // The last word, whether one of its row is named, and whether a row has begun: "or another anti-inflammatory drug".
    let mut last: Option<(usize, bool, bool)> = None;
    for at in ban.words.iter().copied().filter(|at| *at >= from && counts(at)) {
        let named = is_named(at);
        last = match last {
            Some((before, met, row)) if is_hyphenated(before, at) || (row && at == before + 1) => {
                Some((at, met || named, row))
            }
            Some((before, met, _)) if is_in_a_row(before, at) => Some((at, met || named, true)),
            Some((_, false, _)) => return true,
            _ => Some((at, named, false)),
        };
    }
    last.is_some_and(|(_, met, _)| !met)
}

/// Where the claim permits or asks for something.
fn permission(text: &Reading<'_>) -> Option<usize> {
    let is_one = |at: &usize| {
        let asks = rule(text, *at) == Some(Rule::Act) && begins(text, *at);
        let permits = rule(text, *at) == Some(Rule::Permit)
            || modality(text, *at)
                .is_some_and(|class| class != Modality::Hedge && word(text, *at) != "shall");
        (asks || permits) && !text.is_negated(*at)
    };
    (0..text.tokens().len()).find(is_one)
}

/// Whether the claim itself denies in the clause of token `at`, or in any without one.
fn denies(text: &Reading<'_>, at: Option<usize>) -> bool {
    let clause_of = |cue: &Cue| {
        at.is_none_or(|at| {
            let (from, to) = (at.min(cue.tokens.0), at.max(cue.tokens.0));
            (from..to)
                .all(|place| !clause_ends(text.text(), &text.tokens()[place], &text.tokens()[place + 1]))
        })
    };
    text.cues
        .iter()
        .any(|cue| clause_of(cue) && (!cue.scope.is_empty() || rule(text, cue.tokens.0).is_some()))
        || (0..text.tokens().len()).any(|at| rule(text, at) == Some(Rule::Forbid))
}

fn says_the_same(mine: &Token, theirs: &Token) -> bool {
    mine.stem == theirs.stem || LEXICON.thesaurus.are_alike(mine.word, theirs.word) || is_kin(mine, theirs)
}

/// How many of the tokens `wanted` of `text` stand among the tokens `words` of `other`.
fn common(text: &Reading<'_>, wanted: &[usize], other: &Reading<'_>, words: &[usize]) -> usize {
    let is_there =
        |at: &&usize| words.iter().any(|place| says_the_same(&text.tokens()[**at], &other.tokens()[*place]));
    wanted.iter().filter(is_there).count()
}

fn limit(text: &Reading<'_>, ban: &Ban, claim: &Reading<'_>) -> Limit {
    let of = |at: usize| {
        // "Unless" loosens a rule, and the claim that leaves it out is false.
        if word(text, at) == "unless" && at >= ban.tokens.1 {
            return Limit::Met;
        }
        let Some((_, stems)) = condition(text, at) else { return Limit::Exception };
        let is_named = |stem: &Stem| {
            text.places(*stem)
                .any(|place| claim.tokens().iter().any(|mine| says_the_same(mine, &text.tokens()[place])))
        };
        if stems.iter().all(is_named) { Limit::Met } else { Limit::Condition }
    };
    limits(text)
        .filter(|at| (ban.sentence.0..ban.sentence.1).contains(at))
        .map(of)
        .max()
        .unwrap_or(Limit::Met)
}

/// Whether every limit of the claim is a condition that the evidence has too.
fn is_under_known_conditions(claim: &Reading<'_>, evidence: &Reading<'_>) -> bool {
    limits(claim).all(|at| {
        condition(claim, at)
            .is_some_and(|(word, stems)| word == "if" && stems.iter().all(|stem| evidence.contains(*stem)))
    })
}

/// Whether another sentence of the evidence says more of the claim, or as much and permits it.
fn is_said_elsewhere(
    claim: &Reading<'_>,
    wanted: &[usize],
    evidence: &Reading<'_>,
    ban: &Ban,
    shared: usize,
) -> bool {
    let mut from = 0;
    while from < evidence.tokens().len() {
        let (start, end) = evidence.sentence_around(from);
        from = end.max(from + 1);
        let is_own = start == ban.sentence.0;
        if !is_own && evidence.denials().any(|cue| (start..end).contains(&cue)) {
            continue;
        }
        let words: Vec<usize> = content(evidence, start..end)
            .filter(|at| !is_own || (!ban.words.contains(at) && !(ban.tokens.0..ban.tokens.1).contains(at)))
            .collect();
        let permits = (start..end).any(|at| {
            rule(evidence, at) == Some(Rule::Permit) || modality(evidence, at) == Some(Modality::Permission)
        });
        let there = common(claim, wanted, evidence, &words);
        if there > shared || (there == shared && permits) {
            return true;
        }
    }
    false
}

/// The one thing may be forbidden only with the other: all the names of the claim must be there.
fn has_names(claim: &Reading<'_>, evidence: &Reading<'_>, ban: &Ban) -> bool {
    let words = &evidence.tokens()[ban.sentence.0..ban.sentence.1];
    let tells_names = claim.text().chars().any(char::is_lowercase);
    !tells_names
        || claim
            .names()
            .iter()
            .all(|(_, stems)| stems.iter().any(|stem| words.iter().any(|token| token.stem == *stem)))
}

/// Where the denial at tokens `denied` of the evidence is a ban of only a part of what the claim speaks of: whether the
/// evidence says nothing else of it, so that the ban is to be told.
pub(super) fn is_to_be_told(
    claim: &Reading<'_>,
    evidence: &Reading<'_>,
    denied: (usize, usize),
) -> Option<bool> {
    let ban = bans(evidence).into_iter().find(|ban| ban.tokens.0 <= denied.0 && denied.0 < ban.tokens.1)?;
    if word(evidence, ban.tokens.0) == "shall" || !is_narrower(evidence, &ban, claim) {
        return None;
    }
    let wanted: Vec<usize> = content(claim, 0..claim.tokens().len()).collect();
    let shared = common(claim, &wanted, evidence, &ban.words);
    Some(!is_said_elsewhere(claim, &wanted, evidence, &ban, shared))
}

/// What the one permits, asks for or states, and the other forbids in other words.
pub(super) fn prohibition(claim: &Reading<'_>, evidence: &Reading<'_>, found: &mut Vec<Difference>) {
    if speaks_of_some(claim) {
        return;
    }
    forbidden_by_evidence(claim, evidence, found);
    permitted_by_evidence(claim, evidence, found);
}

fn forbidden_by_evidence(claim: &Reading<'_>, evidence: &Reading<'_>, found: &mut Vec<Difference>) {
    let places = bans(evidence);
    if places.is_empty() {
        return;
    }
    let permission = permission(claim);
    let all = 0..claim.tokens().len();
    let tells_an_effect = all.clone().any(|at| rule(claim, at) == Some(Rule::Effect));
    if tells_an_effect || denies(claim, permission) || !is_under_known_conditions(claim, evidence) {
        return;
    }
    let ends = all.clone().any(|at| is_end(claim, at));
    let is_afterwards = all.clone().any(|at| AFTERWARDS.contains(&word(claim, at)));
    let wanted: Vec<usize> =
        content(claim, all).filter(|at| rule(claim, *at) != Some(Rule::Permit)).collect();
    let mut told: Option<Difference> = None;
    for ban in places.into_iter().filter(|ban| word(evidence, ban.tokens.0) != "may") {
        let shared = common(claim, &wanted, evidence, &ban.words);
        let is_mostly = shared * MOSTLY.1 >= wanted.len() * MOSTLY.0;
        // Who permits must not pass by a prohibition of half of what he says.
        let is_near = is_mostly || (permission.is_some() && shared * 2 >= wanted.len());
        let limit = limit(evidence, &ban, claim);
        if shared == 0
            || !is_near
            || ban.keeps != ends
            || (ban.by_ending && is_afterwards)
            || limit == Limit::Exception
            || is_bound(evidence, &ban, claim)
            || is_said_elsewhere(claim, &wanted, evidence, &ban, shared)
        {
            continue;
        }
        let is_sure = is_mostly
            && shared >= SURE
            && limit == Limit::Met
            && has_names(claim, evidence, &ban)
            && !is_narrower(evidence, &ban, claim);
        let context = u8::try_from(shared).unwrap_or(u8::MAX);
        let place = evidence.span_of(ban.tokens.0, ban.tokens.1);
        let difference = |claim: Option<Span>| Difference {
            kind: DifferenceKind::Negation,
            claim,
            evidence: place,
            context,
        };
        match permission {
            Some(at) if is_sure => {
                found.push(difference(claim.span_of(at, at + 1)));
                return;
            }
            Some(_) => told = told.or(Some(difference(None))),
            None if is_mostly && shared >= SURE && tells_the_reader(evidence, &ban) => {
                told = told.or(Some(difference(None)));
            }
            None => {}
        }
    }
    found.extend(told);
}

/// What the claim forbids and the evidence calls safe.
fn permitted_by_evidence(claim: &Reading<'_>, evidence: &Reading<'_>, found: &mut Vec<Difference>) {
    if is_limited(claim) {
        return;
    }
    let is_one = |ban: &Ban| !ban.keeps && !ban.by_ending && word(claim, ban.tokens.0) != "may";
    for ban in bans(claim).into_iter().filter(is_one) {
        let wanted: Vec<usize> = ban
            .words
            .iter()
            .copied()
            .filter(|at| !(ban.tokens.0..ban.tokens.1).contains(at) || rule(claim, *at).is_none())
            .collect();
        for at in 0..evidence.tokens().len() {
            if rule(evidence, at) != Some(Rule::Permit)
                || word(evidence, at) == "may"
                || evidence.is_negated(at)
            {
                continue;
            }
            let (start, end) = evidence.sentence_around(at);
            let is_plain = !evidence.denials().any(|cue| (start..end).contains(&cue))
                && !limits(evidence).any(|limit| (start..end).contains(&limit))
                && !(start..end).any(|place| rule(evidence, place) == Some(Rule::Forbid));
            let words: Vec<usize> = content(evidence, start..end).collect();
            let shared = common(claim, &wanted, evidence, &words);
            if is_plain && shared >= SURE && shared * MOSTLY.1 >= wanted.len() * MOSTLY.0 {
                found.push(Difference {
                    kind: DifferenceKind::Negation,
                    claim: claim.span_of(ban.tokens.0, ban.tokens.1),
                    evidence: evidence.span_of(at, at + 1),
                    context: u8::try_from(shared).unwrap_or(u8::MAX),
                });
                return;
            }
        }
    }
}

impl Reading<'_> {
    /// Whether the words at `place` forbid what `claim` speaks of, and not only a part of it: "do not", "must not".
    pub fn forbids(&self, place: Span, claim: &Self) -> bool {
        bans(self)
            .iter()
            .filter(|ban| !ban.by_ending && tells_the_reader(self, ban))
            .filter(|ban| self.span_of(ban.tokens.0, ban.tokens.1).is_some_and(|span| span.overlaps(place)))
            .any(|ban| !is_narrower(self, ban, claim))
    }
}

#[cfg(test)]
#[path = "prohibition_tests.rs"]
mod tests;
