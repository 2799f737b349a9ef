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
    /// Whether a sentence of `evidence` has the verb and a word of the subject, in this order where the
    /// subject acts. A pronoun at the beginning stands for what was spoken of before.
    pub(super) fn is_said_in(&self, claim: &Reading<'_>, evidence: &Reading<'_>) -> bool {
        let is = |mine: usize, theirs: usize| {
            closeness(&claim.tokens()[mine], &evidence.tokens()[theirs]) >= CLOSE
        };
        (0..evidence.tokens().len()).filter(|place| is(self.verb, *place)).any(|place| {
            let (from, to) = evidence.sentence_around(place);
            let sentence = &evidence.tokens()[from..to];
            let is_passive = sentence.iter().any(|token| &*token.folded == "by");
            let to = if self.is_active && !is_passive { place } else { to };
            let has_pronoun =
                evidence.tokens()[from..to].iter().any(|token| PRONOUNS.contains(&&*token.folded));
            (from > 0 && has_pronoun)
                || (from..to).any(|other| other != place && self.subject.iter().any(|mine| is(*mine, other)))
        })
    }
}
