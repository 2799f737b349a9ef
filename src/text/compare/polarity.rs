//! Yes against no: negation, opposites, and how firmly or widely something is said.

use super::prohibition::is_to_be_told;
use super::reading::{Cue, Reading, clause_ends, is_kin, shared};
use super::rules::is_ruled_out;
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
    text.is_negated(at) || follows || cue_before || is_ruled_out(text, at)
}

/// Words behind a denied verb that say which part of it is denied: "is not given with milk". Without the same words the
/// other side says something else.
const NARROWING: &[&str] = &["with", "without", "unless"];
/// Words that say how much of it is denied: "do not take more than six" denies no six.
const BOUNDING: &[&str] = &["more", "less", "fewer", "longer"];
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
        if BOUNDING.contains(&&*tokens[at].folded) {
            return !other.tokens().iter().any(|token| token.folded == tokens[at].folded);
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

/// Whether another sentence of `denier` states what is denied at `anchor`, and speaks more of what `other` says: "may be
/// worn in the shower. Do not wear it in a sauna".
fn is_stated_elsewhere(denier: &Reading<'_>, (cue, anchor): (&Cue, usize), other: &Reading<'_>) -> bool {
    let said = |at: usize| {
        let (from, to) = denier.sentence_around(at);
        let mut seen: Vec<Stem> = Vec::new();
        for token in denier.tokens()[from..to].iter().filter(|token| !token.stop) {
            if other.contains(token.stem) && !seen.contains(&token.stem) {
                seen.push(token.stem);
            }
        }
        ((from, to), seen.len())
    };
    let (own, least) = said(cue.tokens.0);
    let wanted = denier.tokens()[anchor].stem;
    denier
        .places(wanted)
        .filter(|place| !(own.0..own.1).contains(place) && !is_denied(denier, *place))
        .any(|place| said(place).1 > least)
}

/// Where `denier` denies what `other` states.
fn denials(denier: &Reading<'_>, other: &Reading<'_>) -> Vec<Denial> {
    let mut found = Vec::new();
    let content = |text: &Reading<'_>| text.tokens().iter().filter(|token| !token.stop).count();
    let least = least_context(content(denier).min(content(other)));
    for cue in &denier.cues {
        let Some(anchor) = anchor(denier, cue) else { continue };
        // "Never take it daily" says what "take it once a week, never daily" says. What is denied twice is not denied.
        let is_shared = |at: &usize| {
            let stem = denier.tokens()[*at].stem;
            let firsts = other.cues.iter().filter_map(|cue| cue.scope.first());
            denier.is_negated(*at) && firsts.into_iter().any(|place| other.tokens()[*place].stem == stem)
        };
        if is_narrowed(denier, anchor, other) || cue.scope.iter().any(is_shared) {
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
            && !is_stated_elsewhere(denier, (cue, anchor), other)
        {
            found.push(Denial { denied: span, stated, context });
        }
    }
    found
}

/// Whether a phrase limits what the text says.
pub(super) fn is_limited(text: &Reading<'_>) -> bool {
    limits(text).next().is_some()
}

/// Where a phrase begins that limits what the text says.
pub(super) fn limits<'r>(text: &'r Reading<'_>) -> impl Iterator<Item = usize> + 'r {
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
pub(super) fn condition<'r>(text: &'r Reading<'_>, at: usize) -> Option<(&'r str, Vec<Stem>)> {
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
        let told = is_to_be_told(claim, evidence, denial.denied);
        if told == Some(false) {
            continue;
        }
        found.push(Difference {
            kind: DifferenceKind::Negation,
            claim: claim.span_of(denial.stated, denial.stated + 1).filter(|_| told.is_none()),
            evidence: evidence.span_of(denial.denied.0, denial.denied.1),
            context: denial.context,
        });
    }
}

/// "May share some information" is not denied by a rule that something must not be shared.
pub(super) fn speaks_of_some(claim: &Reading<'_>) -> bool {
    claim.tokens().iter().any(|token| LEXICON.quantifiers.get(&*token.folded) == Some(&Quantifier::Some))
}

/// Whether the negation at token `at` follows a word of duty or permission: "must not", "may not".
pub(super) fn is_prohibited(text: &Reading<'_>, at: usize) -> bool {
    at.checked_sub(1).and_then(|before| text.tokens().get(before)).is_some_and(|token| {
        LEXICON.modality.get(&*token.folded).is_some_and(|class| *class != Modality::Hedge)
    })
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
