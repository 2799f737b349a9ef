//! Yes against no: negation, opposites, and how firmly or widely something is said.

use super::reading::{Cue, Reading, clause_ends, is_kin, shared};
use super::{Difference, DifferenceKind};
use crate::domain::span::Span;
use crate::text::lexicon::{LEXICON, Modality, Quantifier};
use crate::text::numbers::What;
use crate::text::stem::{Stem, form};
use crate::text::tokens::Token;

/// How many words a negated noun group may have.
const NEAREST: usize = 2;

/// Places in `text` that say the same as `wanted`.
fn counterparts(text: &Reading<'_>, wanted: &Token) -> Vec<usize> {
    let places = |same: &dyn Fn(&Token) -> bool| -> Vec<usize> {
        text.tokens().iter().enumerate().filter(|(_, token)| same(token)).map(|(at, _)| at).collect()
    };
    let forms = |token: &Token| token.form == wanted.form;
    let exact = places(&forms);
    if !exact.is_empty() {
        return exact;
    }
    let alike = places(&|token| LEXICON.thesaurus.are_alike(wanted.word, token.word));
    if alike.is_empty() { places(&|token| !token.stop && is_kin(wanted, token)) } else { alike }
}

/// Words that permit besides those of the modality list, and words that forbid.
const PERMITTING: &[&str] = &["may", "safe", "safely"];
/// The share of the claim's content words, as numerator and denominator, that a prohibition must have for it to be of
/// the same act.
const MOSTLY: (usize, usize) = (3, 5);
const FORBIDDING: &[&str] =
    &["contraindicated", "avoid", "avoided", "prohibited", "forbidden", "prohibits", "forbids"];

struct Denial {
    /// First token of cue and anchor, and the one behind the last, on the denying side.
    denied: (usize, usize),
    /// Token on the other side.
    stated: usize,
    context: u8,
}

/// How many words of the scope count: a verb is denied alone ("without affecting survival"), a noun with
/// the word before it ("no significant effect").
fn nearest(text: &Reading<'_>, cue: usize) -> usize {
    match &*text.tokens()[cue].folded {
        "no" | "lack" | "lacks" | "lacked" | "lacking" | "absence" => NEAREST,
        _ => 1,
    }
}

/// Words of knowing between a denial and what is denied: "is not known to be allergic".
const HELD: &[&str] = &[
    "known",
    "thought",
    "believed",
    "found",
    "said",
    "reported",
    "considered",
    "expected",
    "shown",
    "deemed",
];

/// The word of the scope that is denied: the first, or behind "no" the noun after an intensifier.
fn anchor(text: &Reading<'_>, cue: &Cue) -> Option<usize> {
    let word = |at: usize| text.tokens().get(at).map_or("", |token| &*token.folded);
    let is_held = |at: &usize| HELD.contains(&word(*at)) && word(*at + 1) == "to";
    cue.scope
        .iter()
        .skip(usize::from(cue.scope.first().is_some_and(is_held)))
        .take(nearest(text, cue.tokens.0))
        .copied()
        .find(|at| !LEXICON.intensifiers.contains(word(*at)))
}

/// Whether the sentence around token `at` denies something before it, or the word behind says that it is
/// not there.
fn is_denied(text: &Reading<'_>, at: usize) -> bool {
    let follows = text.tokens().get(at + 1).is_some_and(|next| LEXICON.absences.contains(&*next.folded));
    let cue_before = text
        .cues
        .iter()
        .any(|cue| cue.tokens.0 < at && (cue.tokens.0..at).all(|place| !text.sentence_ends_behind(place)));
    text.is_negated(at) || follows || cue_before
}

/// Words behind a denied verb that say which part of it is denied: "do not take more than six", "is not given with
/// milk". Without the same words the other side says something else.
const NARROWING: &[&str] = &["more", "less", "fewer", "longer", "with", "without", "unless"];
/// So near behind the denied verb they stand.
const NARROWED_WITHIN: usize = 3;

/// Whether `denier` denies only a part of what stands at `anchor`, which `other` does not speak of.
fn is_narrowed(denier: &Reading<'_>, anchor: usize, other: &Reading<'_>) -> bool {
    let tokens = denier.tokens();
    let mut last = anchor;
    for at in (anchor + 1..tokens.len()).take(NARROWED_WITHIN) {
        if clause_ends(denier.text, &tokens[last], &tokens[at]) {
            return false;
        }
        if NARROWING.contains(&&*tokens[at].folded) {
            let object = tokens[at + 1..].iter().find(|token| !token.stop);
            return object.is_none_or(|object| !other.contains(object.stem));
        }
        last = at;
    }
    false
}

/// Whether a word is capitalised and the one before it is not.
fn stands_out(text: &Reading<'_>, at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| text.tokens().get(before));
    text.tokens()[at].capital && before.is_some_and(|token| !token.capital)
}

/// Where `denier` denies what `other` states.
fn denials(denier: &Reading<'_>, other: &Reading<'_>) -> Vec<Denial> {
    let mut found = Vec::new();
    let content = |text: &Reading<'_>| text.tokens().iter().filter(|token| !token.stop).count();
    let least = least_context(content(denier).min(content(other)));
    for cue in &denier.cues {
        let Some(anchor) = anchor(denier, cue) else { continue };
        if is_narrowed(denier, anchor, other) {
            continue;
        }
        let wanted = &denier.tokens()[anchor];
        let places = counterparts(other, wanted);
        // A name is not a verb: "the Disclosing Party" against "to disclose".
        let is_name = |place: &usize| stands_out(denier, anchor) != stands_out(other, *place);
        if places.iter().any(|place| is_denied(other, *place) || is_name(place)) {
            continue;
        }
        let span = (cue.tokens.0.min(anchor), cue.tokens.1.max(anchor + 1));
        let around = denier.around(span.0, span.1);
        let best = places
            .iter()
            .map(|place| (shared(&around, &other.around(*place, place + 1)), *place))
            .max_by_key(|(context, place)| (*context, std::cmp::Reverse(*place)));
        if let Some((context, stated)) = best
            && context >= least
        {
            found.push(Denial { denied: span, stated, context });
        }
    }
    found
}

/// Whether a phrase limits what the text says.
fn is_limited(text: &Reading<'_>) -> bool {
    limits(text).next().is_some()
}

/// Where a phrase begins that limits what the text says.
fn limits<'r>(text: &'r Reading<'_>) -> impl Iterator<Item = usize> + 'r {
    let tokens = text.tokens();
    (0..tokens.len()).filter(|at| {
        let at = *at;
        LEXICON.exceptions.iter().any(|phrase| {
            phrase
                .iter()
                .zip(at..)
                .all(|(word, place)| tokens.get(place).is_some_and(|t| *t.folded == **word))
        })
    })
}

/// The words of a condition: those behind "if" or "unless" to the end of the clause; `None` for another limit.
fn condition<'r>(text: &'r Reading<'_>, at: usize) -> Option<(&'r str, Vec<Stem>)> {
    let tokens = text.tokens();
    let word = &*tokens[at].folded;
    if !matches!(word, "if" | "unless") {
        return None;
    }
    let end = (at + 1..tokens.len())
        .find(|place| clause_ends(text.text, &tokens[*place - 1], &tokens[*place]))
        .unwrap_or(tokens.len());
    let content = tokens[at + 1..end].iter().filter(|token| !token.stop);
    Some((word, content.map(|token| token.stem).collect()))
}

/// Whether both say what they say under the same condition: "Stop it if a rash appears", "Do not stop it if a rash
/// appears".
fn are_under_one_condition(claim: &Reading<'_>, evidence: &Reading<'_>) -> bool {
    let mine: Option<Vec<(&str, Vec<Stem>)>> = limits(claim).map(|at| condition(claim, at)).collect();
    let theirs: Option<Vec<(&str, Vec<Stem>)>> = limits(evidence).map(|at| condition(evidence, at)).collect();
    let (Some(mine), Some(theirs)) = (mine, theirs) else { return false };
    let is_in = |one: &(&str, Vec<Stem>), others: &[(&str, Vec<Stem>)]| {
        others.iter().any(|other| other.0 == one.0 && one.1.iter().all(|stem| other.1.contains(stem)))
    };
    !mine.is_empty()
        && mine.iter().all(|one| is_in(one, &theirs))
        && theirs
            .iter()
            .all(|one| mine.iter().any(|own| own.0 == one.0 && own.1.iter().all(|s| one.1.contains(s))))
}

pub(super) fn negation(claim: &Reading<'_>, evidence: &Reading<'_>, found: &mut Vec<Difference>) {
    let same = are_under_one_condition(claim, evidence);
    if is_limited(claim) && !same {
        return;
    }
    let evidence_is_limited = is_limited(evidence) && !same;
    let denied_by_claim = if evidence_is_limited { Vec::new() } else { denials(claim, evidence) };
    for denial in denied_by_claim {
        found.push(Difference {
            kind: DifferenceKind::Negation,
            claim: claim.span_of(denial.denied.0, denial.denied.1),
            evidence: evidence.span_of(denial.stated, denial.stated + 1),
            context: denial.context,
        });
    }
    if speaks_of_some(claim) {
        return;
    }
    for denial in denials(evidence, claim) {
        if evidence_is_limited && !is_prohibited(evidence, denial.denied.0) {
            continue;
        }
        found.push(Difference {
            kind: DifferenceKind::Negation,
            claim: claim.span_of(denial.stated, denial.stated + 1),
            evidence: evidence.span_of(denial.denied.0, denial.denied.1),
            context: denial.context,
        });
    }
}

/// "May share some information" is not denied by a rule that something must not be shared.
fn speaks_of_some(claim: &Reading<'_>) -> bool {
    claim.tokens().iter().any(|token| LEXICON.quantifiers.get(&*token.folded) == Some(&Quantifier::Some))
}

/// Whether the negation at token `at` follows a word of duty or permission: "must not", "may not".
fn is_prohibited(text: &Reading<'_>, at: usize) -> bool {
    at.checked_sub(1).and_then(|before| text.tokens().get(before)).is_some_and(|token| {
        LEXICON.modality.get(&*token.folded).is_some_and(|class| *class != Modality::Hedge)
    })
}

/// What the claim permits and the evidence forbids, in other words: "can be combined", "must not be given
/// together".
pub(super) fn prohibition(claim: &Reading<'_>, evidence: &Reading<'_>, found: &mut Vec<Difference>) {
    let permits = |token: &Token| {
        LEXICON.modality.get(&*token.folded) == Some(&Modality::Permission)
            || PERMITTING.contains(&&*token.folded)
    };
    let Some(at) = claim.tokens().iter().position(permits) else { return };
    if claim.negates() || is_limited(claim) || speaks_of_some(claim) {
        return;
    }
    let places = forbidden(evidence);
    let content: Vec<Stem> = claim
        .tokens()
        .iter()
        .filter(|token| !token.stop && !permits(token))
        .map(|token| token.stem)
        .collect();
    for (from, to) in places {
        let sentence = evidence.sentence_around(from);
        let words = &evidence.tokens()[sentence.0..sentence.1];
        let shared_words = shared(&content, &words.iter().map(|token| token.stem).collect::<Vec<_>>());
        // The one thing may be forbidden only with the other: all the names of the claim must be there.
        let tells_names = claim.text().chars().any(char::is_lowercase);
        let has_names = !tells_names
            || claim
                .names()
                .iter()
                .all(|(_, stems)| stems.iter().any(|stem| words.iter().any(|token| token.stem == *stem)));
        let is_the_same_act = usize::from(shared_words) * MOSTLY.1 >= content.len() * MOSTLY.0;
        if shared_words >= 2 && is_the_same_act && has_names {
            found.push(Difference {
                kind: DifferenceKind::Negation,
                claim: claim.span_of(at, at + 1),
                evidence: evidence.span_of(from, to),
                context: shared_words,
            });
            return;
        }
    }
}

/// Where the text forbids something without a condition: "must not be given", "is contraindicated", "avoid".
fn forbidden(text: &Reading<'_>) -> Vec<(usize, usize)> {
    let word = |at: usize| &*text.tokens()[at].folded;
    let by_negation = text.cues.iter().filter(|cue| is_prohibited(text, cue.tokens.0)).map(|cue| {
        let end = cue.scope.first().map_or(cue.tokens.1, |anchor| (anchor + 1).max(cue.tokens.1));
        (cue.tokens.0 - 1, end)
    });
    let by_word = (0..text.tokens().len())
        .filter(|at| FORBIDDING.contains(&word(*at)) && !text.is_negated(*at))
        .map(|at| (at, at + 1));
    let is_limited_there = |(from, to): &(usize, usize)| {
        let (start, end) = text.sentence_around(*from);
        limits(text).any(|at| {
            // "unless" loosens a rule, and the claim that leaves it out is false; "other than" turns it round.
            (start..end).contains(&at) && !(at >= *to && word(at) == "unless")
        })
    };
    by_negation.chain(by_word).filter(|place| !is_limited_there(place)).collect()
}

/// `complicated` for `uncomplicated`.
fn without_prefix(folded: &str) -> Option<Stem> {
    ["un", "non", "in", "im", "ir", "dis", "mis"].iter().find_map(|prefix| {
        folded.strip_prefix(prefix).filter(|rest| rest.len() >= 5 && rest.is_ascii()).map(form)
    })
}

fn are_opposites(a: &Token, b: &Token) -> bool {
    LEXICON.thesaurus.are_opposites(a.word, b.word)
        || without_prefix(&a.folded) == Some(b.form)
        || without_prefix(&b.folded) == Some(a.form)
}

/// How many words around two opposites must agree in a claim with so many content words.
fn least_context(content: usize) -> u8 {
    match content {
        0..=2 => 0,
        3..=4 => 1,
        _ => 2,
    }
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
            .filter(|(place, theirs)| {
                !claim.contains(theirs.stem)
                    && are_opposites(mine, theirs)
                    && claim.is_negated(at) == evidence.is_negated(*place)
            })
            .map(|(place, _)| (context(place), place))
            .max_by_key(|(context, place)| (*context, std::cmp::Reverse(*place)));
        let Some((shared_words, place)) = best else { continue };
        let same_side = evidence
            .tokens()
            .iter()
            .enumerate()
            .filter(|(_, theirs)| LEXICON.thesaurus.are_alike(mine.word, theirs.word))
            .map(|(place, _)| context(place))
            .max();
        let near = shared_words >= least_context(content);
        if near && same_side.is_none_or(|other| other < shared_words) {
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

/// Place of a word of a class, the class, and the content word behind it with its place.
type Classed<T> = (usize, T, Option<(usize, Stem)>);

fn classes<T: Copy>(text: &Reading<'_>, class: impl Fn(&str) -> Option<T>) -> Vec<Classed<T>> {
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
        // "not only" and "not all" limit nothing.
        if at.checked_sub(1).is_some_and(|before| &*claim.tokens()[before].folded == "not") {
            continue;
        }
        let weaker = |other: Quantifier| match class {
            Quantifier::All => matches!(other, Quantifier::Some | Quantifier::Most),
            Quantifier::Most => other == Quantifier::Some,
            Quantifier::Some | Quantifier::Only => false,
        };
        let same_noun = |other: &Option<(usize, Stem)>| match (behind, other) {
            (Some((_, mine)), Some((_, theirs))) => mine == theirs,
            _ => false,
        };
        // "All patients" against "71 % of patients".
        let share = evidence.numbers().iter().find(|number| {
            number.what == What::Unit("percent")
                && number.high < 100.0
                && *class == Quantifier::All
                && behind.is_some_and(|(_, noun)| {
                    let next = evidence.token_at(number.span.end());
                    following(evidence, next).is_some_and(|(_, other)| other == noun)
                        && evidence.tokens().get(next).is_some_and(|token| &*token.folded == "of")
                })
        });
        if let Some(number) = share {
            found.push(Difference {
                kind: DifferenceKind::Quantifier,
                claim: Some(claim.tokens()[*at].span),
                evidence: Some(number.span),
                context: 1,
            });
        }
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
