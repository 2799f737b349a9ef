//! The words of rules: what asks, permits, forbids and ends.

use super::polarity::is_prohibited;
use super::reading::{Cue, Reading, clause_ends};
use crate::text::lexicon::{LEXICON, Modality, Rule};

pub(super) fn word<'r>(text: &'r Reading<'_>, at: usize) -> &'r str {
    text.tokens().get(at).map_or("", |token| &*token.folded)
}

pub(super) fn rule(text: &Reading<'_>, at: usize) -> Option<Rule> {
    LEXICON.rules.get(word(text, at)).copied()
}

pub(super) fn modality(text: &Reading<'_>, at: usize) -> Option<Modality> {
    LEXICON.modality.get(word(text, at)).copied()
}

/// Whether a clause begins at token `at`.
pub(super) fn begins(text: &Reading<'_>, at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return true };
    let (from, to) = (&text.tokens()[before], &text.tokens()[at]);
    clause_ends(text.text(), from, to)
        || text.sentence_ends_behind(before)
        || matches!(&*from.folded, "and" | "or" | "please" | "then" | "always")
}

/// Whether the word at `at` is about ending: stop, "taken off".
pub(super) fn is_end(text: &Reading<'_>, at: usize) -> bool {
    let is_off = matches!(
        word(text, at),
        "take" | "taken" | "taking" | "switch" | "switched" | "turn" | "turned" | "leave" | "left"
    ) && matches!(word(text, at + 1), "off" | "out");
    is_off || rule(text, at) == Some(Rule::End)
}

/// Where the prohibition of the negation `cue` begins; `None` when it only denies.
pub(super) fn forbids_from(text: &Reading<'_>, cue: &Cue) -> Option<usize> {
    let at = cue.tokens.0;
    if is_prohibited(text, at) || at.checked_sub(1).is_some_and(|before| word(text, before) == "may") {
        return at.checked_sub(1);
    }
    match word(text, at) {
        "not" => {
            let before = at.checked_sub(1)?;
            if word(text, before) == "do" && begins(text, before) {
                return Some(before);
            }
            // "Is not suitable", "are not allowed".
            let behind = at + 1;
            let permits = matches!(modality(text, behind), Some(Modality::Permission | Modality::Advice))
                || rule(text, behind) == Some(Rule::Permit);
            (permits && matches!(word(text, before), "is" | "are" | "be")).then_some(at)
        }
        "don't" | "never" if begins(text, at) => Some(at),
        "mustn't" | "shouldn't" => Some(at),
        _ => None,
    }
}

/// Whether words without a "not" forbid or end what stands at token `at`: "it is forbidden to cut", "stop smoking".
pub(super) fn is_ruled_out(text: &Reading<'_>, at: usize) -> bool {
    let clause_ends_at =
        |place: usize| clause_ends(text.text(), &text.tokens()[place], &text.tokens()[place + 1]);
    let forbids = |place: usize| {
        let (from, to) = (at.min(place), at.max(place));
        rule(text, place) == Some(Rule::Forbid)
            && !text.is_negated(place)
            && !(from..to).any(|between| clause_ends_at(between) || text.sentence_ends_behind(between))
    };
    let (from, to) = text.sentence_around(at);
    (from..to).any(forbids)
        || at.checked_sub(1).is_some_and(|before| {
            before >= from
                && word(text, at).ends_with("ing")
                && rule(text, before) == Some(Rule::End)
                && !text.is_negated(before)
        })
}

impl Reading<'_> {
    /// Whether the sentence around token `at` says what is to be done or may be done.
    pub(super) fn sets_a_rule(&self, at: usize) -> bool {
        let (from, to) = self.sentence_around(at);
        let is_rule = |place: usize| {
            let rules = match modality(self, place) {
                // "Must have been" guesses.
                Some(Modality::Duty | Modality::Advice) => {
                    (word(self, place + 1), word(self, place + 2)) != ("have", "been")
                }
                // "Can reach" tells what something is able to.
                Some(Modality::Permission) => {
                    word(self, place) != "can" || rule(self, place + 1) == Some(Rule::Act)
                }
                Some(Modality::Hedge) | None => false,
            };
            let asks = rule(self, place) == Some(Rule::Act) && begins(self, place);
            let names_a_limit =
                matches!(word(self, place), "dose" | "doses" | "maximum" | "minimum" | "limit");
            rules || asks || names_a_limit
        };
        let cues = self.cues.iter().filter(|cue| (from..to).contains(&cue.tokens.0));
        (from..to).any(is_rule) || cues.into_iter().any(|cue| forbids_from(self, cue).is_some())
    }
}
