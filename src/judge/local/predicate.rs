//! What a claim says of its subject, and whether the evidence says it of the same one.
//!
//! English only, by word order and endings: good enough to notice that the verb is missing, not to parse.

use super::cover::closeness;
use crate::text::compare::Reading;
use crate::text::lexicon::LEXICON;
use crate::text::tokens::{Token, TokenKind};

/// Behind an auxiliary the verb follows within so many words.
const REACH: usize = 5;
/// From this closeness on a word of the evidence is the claim's.
const CLOSE: f64 = 0.5;

const COPULAS: &[&str] = &["is", "are", "was", "were", "be", "been", "being"];
const AUXILIARIES: &[&str] = &[
    "is", "are", "was", "were", "has", "have", "had", "does", "did", "do", "can", "could", "may", "might",
    "must", "shall", "will", "would", "should", "cannot",
];
const PRONOUNS: &[&str] = &["it", "they", "he", "she", "this", "these", "those", "such", "we", "both"];

/// Of whom the evidence says what the claim says of its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Said {
    OfTheSubject,
    /// Somebody else does it, and the subject is only spoken of behind: the landlord pays for what the tenant uses.
    OfAnother,
    Nowhere,
}

/// The verb of a claim, or the word behind "is", and the words before it.
pub(super) struct Predicate {
    subject: Vec<usize>,
    verb: usize,
    /// The subject does what the verb says.
    is_active: bool,
}

/// The predicate of the claim's first clause; `None` where word order does not show one.
pub(super) fn of(claim: &Reading<'_>) -> Option<Predicate> {
    let tokens = claim.tokens();
    let content_before = |at: usize| tokens[..at].iter().any(|token| !token.stop);
    let word = |at: usize| &*tokens[at].folded;
    let auxiliary = (1..tokens.len()).find(|at| AUXILIARIES.contains(&word(*at)) && content_before(*at));
    let full = (1..tokens.len()).find(|at| is_full_verb(tokens, *at) && content_before(*at));
    let (border, verb) = match (auxiliary, full) {
        (Some(auxiliary), full) if full.is_none_or(|full| full > auxiliary) => {
            let verb = (auxiliary + 1..(auxiliary + 1 + REACH).min(tokens.len()))
                .find(|at| !tokens[*at].stop && !word(*at).ends_with("ly"))?;
            (auxiliary, verb)
        }
        (_, full) => (full?, full?),
    };
    if tokens[verb].kind != TokenKind::Word || LEXICON.negations.contains(word(verb)) {
        return None;
    }
    let subject = (0..border).filter(|at| !tokens[*at].stop).collect();
    let is_active = !(border..verb).any(|at| COPULAS.contains(&word(at)));
    Some(Predicate { subject, verb, is_active })
}

fn is_full_verb(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    let word = &*token.folded;
    if token.stop || token.capital || token.kind != TokenKind::Word {
        return false;
    }
    if LEXICON.finite_verbs.contains(word) {
        return true;
    }
    let ends = word.len() > 3
        && (word.ends_with("ed")
            || (word.ends_with('s') && !["ss", "us", "is"].iter().any(|e| word.ends_with(e))));
    let goes_on = tokens
        .get(at + 1)
        .is_some_and(|next| (next.stop && &*next.folded != "of") || next.kind == TokenKind::Number);
    ends && goes_on
}

impl Predicate {
    /// Of whom a sentence of `evidence` says it: it has the verb and a word of the subject, in this order where the
    /// subject acts. A pronoun at the beginning stands for what was spoken of before.
    pub(super) fn said_in(&self, claim: &Reading<'_>, evidence: &Reading<'_>) -> Said {
        let is = |mine: usize, theirs: usize| {
            closeness(&claim.tokens()[mine], &evidence.tokens()[theirs]) >= CLOSE
        };
        let is_subject = |other: usize| self.subject.iter().any(|mine| is(*mine, other));
        let said_at = |place: usize| {
            let (from, end) = evidence.sentence_around(place);
            let tokens = evidence.tokens();
            let is_passive = tokens[from..end].iter().any(|token| &*token.folded == "by");
            let acts = self.is_active && !is_passive;
            let to = if acts { place } else { end };
            let has_pronoun = tokens[from..to].iter().any(|token| PRONOUNS.contains(&&*token.folded));
            if (from > 0 && has_pronoun) || (from..to).any(|other| other != place && is_subject(other)) {
                Said::OfTheSubject
            } else if acts
                && tokens[from..place].iter().any(|token| !token.stop)
                && (place + 1..end).any(is_subject)
            {
                Said::OfAnother
            } else {
                Said::Nowhere
            }
        };
        let places = (0..evidence.tokens().len()).filter(|place| is(self.verb, *place));
        places.map(said_at).min().unwrap_or(Said::Nowhere)
    }

    /// Whether a sentence of `evidence` denies something of the claim's subject: "gel does not kill spores".
    pub(super) fn is_denied_in(&self, claim: &Reading<'_>, evidence: &Reading<'_>) -> bool {
        evidence.denials().any(|cue| {
            let (from, _) = evidence.sentence_around(cue);
            let is_subject = |place: usize| {
                self.subject
                    .iter()
                    .any(|mine| closeness(&claim.tokens()[*mine], &evidence.tokens()[place]) >= CLOSE)
            };
            (from..cue).any(is_subject)
        })
    }
}
