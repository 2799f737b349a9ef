//! What a claim and its evidence hold, to check what a judge says about them.

use std::cell::OnceCell;
use std::collections::HashSet;

use crate::domain::record::Passage;
use crate::domain::span::Span;
use crate::domain::verdict::{Citation, MatchLevel, Role};
use crate::text::compare::Reading;
use crate::text::locate::{Haystack, Located};
use crate::text::stem::Stem;
use crate::text::tokens::{Token, TokenKind, tokens};

/// So many different words that carry a fact may say what a claim says in none of its words.
const ENOUGH_WORDS: usize = 2;

/// What a judge calls a passage before its number.
const COUNTED: [&str; 4] = ["passage", "source", "document", "excerpt"];

/// The passages of one record, prepared on first use.
pub(super) struct Grounds<'r> {
    passages: &'r [Passage],
    haystacks: Vec<OnceCell<Haystack<'r>>>,
    words: OnceCell<HashSet<Stem>>,
}

/// In bytes.
const PIECE: usize = 16 * 1024;

/// `text` in pieces that end between words, so that the tokens of a long one are never all in memory.
fn pieces(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let from = text.ceil_char_boundary(PIECE);
        let end = text[from..].find(char::is_whitespace).map_or(text.len(), |at| from + at);
        let (piece, rest) = text.split_at(end);
        text = rest;
        (!piece.is_empty()).then_some(piece)
    })
}

impl<'r> Grounds<'r> {
    pub(super) fn new(passages: &'r [Passage]) -> Self {
        let haystacks = passages.iter().map(|_| OnceCell::new()).collect();
        Self { passages, haystacks, words: OnceCell::new() }
    }

    fn haystack(&self, index: usize) -> Option<&Haystack<'r>> {
        let passage = self.passages.get(index)?;
        Some(self.haystacks.get(index)?.get_or_init(|| Haystack::new(&passage.content)))
    }

    /// The citations located again, and whether one of them can bear a label about `claim`: `needs` is the role that
    /// it must have, `None` for a label that needs no words. The only way in which any instrument grounds anything.
    pub(super) fn borne(
        &self,
        citations: &[Citation],
        claim: &str,
        needs: Option<Role>,
    ) -> (Vec<Citation>, bool) {
        let located: Vec<Citation> = citations.iter().map(|citation| self.located(citation)).collect();
        let bears = |role: Role| {
            let mut fitting = located.iter().filter(|citation| citation.role == role);
            fitting.any(|citation| self.bears_on(citation, claim))
        };
        let is_borne = needs.is_none_or(bears);
        (located, is_borne)
    }

    /// The citation with its place and match level found again in the passage that it names. The place
    /// that a judge gives counts only when exactly the quote stands there.
    fn located(&self, citation: &Citation) -> Citation {
        let nowhere = Located { span: None, level: MatchLevel::NotFound };
        let index = self.passages.iter().position(|passage| passage.passage_id == citation.passage_id);
        let found = index.map_or(nowhere, |index| {
            let content = &self.passages[index].content;
            match citation.span.filter(|span| is_at(content, *span, &citation.quote)) {
                Some(span) => Located { span: Some(span), level: MatchLevel::Exact },
                None => self.haystack(index).map_or(nowhere, |haystack| haystack.locate(&citation.quote)),
            }
        });
        Citation { span: found.span, level: found.level, ..citation.clone() }
    }

    /// Whether a located citation can decide about `claim`: its words say something that the claim names too, or are
    /// enough to say it in other words, or are the whole passage. A letter or an article that stands somewhere
    /// decides nothing.
    fn bears_on(&self, citation: &Citation, claim: &str) -> bool {
        if !citation.is_grounded() {
            return false;
        }
        let words = content(&citation.quote);
        if words.len() >= ENOUGH_WORDS {
            return true;
        }
        let named = content(claim);
        if words.iter().any(|word| named.contains(word)) {
            return true;
        }
        let passage = self.passages.iter().find(|passage| passage.passage_id == citation.passage_id);
        !words.is_empty() && passage.is_some_and(|passage| passage.content.trim() == citation.quote.trim())
    }

    /// Whether any passage holds the word, in any form.
    pub(super) fn has_word(&self, stem: Stem) -> bool {
        self.words
            .get_or_init(|| {
                let ids = self.passages.iter().map(|passage| passage.passage_id.as_str());
                let texts = self.passages.iter().map(|passage| passage.content.as_str());
                ids.chain(texts).flat_map(pieces).flat_map(tokens).map(|token| token.stem).collect()
            })
            .contains(&stem)
    }

    /// Whether the number at token `at` counts the passages: "passage 1".
    fn is_place(&self, tokens: &[Token], at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let counts = before.is_some_and(|before| COUNTED.contains(&&*before.folded));
        let number = tokens.get(at).and_then(|token| token.folded.parse::<usize>().ok());
        counts && number.is_some_and(|number| (1..=self.passages.len()).contains(&number))
    }

    fn has_quote(&self, quote: &str) -> bool {
        (0..self.passages.len())
            .filter_map(|index| self.haystack(index))
            .any(|haystack| is_close(haystack.locate(quote)))
    }

    /// The first number, date, name or quotation in `rationale` that stands neither in the claim nor in
    /// any passage.
    pub(super) fn alien_in<'t>(&self, rationale: &'t str, claim: &str) -> Option<&'t str> {
        let claim_words: HashSet<Stem> = tokens(claim).iter().map(|token| token.stem).collect();
        let known = |stem: Stem| claim_words.contains(&stem) || self.has_word(stem);
        let reading = Reading::new(rationale);
        let number = reading
            .tokens()
            .iter()
            .enumerate()
            .filter(|(_, token)| token.kind == TokenKind::Number && !known(token.stem))
            .find(|(at, _)| !self.is_place(reading.tokens(), *at))
            .map(|(_, token)| token.span);
        let name = || {
            reading
                .names()
                .into_iter()
                .find(|(_, stems)| !stems.iter().any(|stem| known(*stem)))
                .map(|(span, _)| span)
        };
        let quote = || {
            let in_claim = Haystack::new(claim);
            quotations(rationale).into_iter().find(|span| {
                span.of(rationale)
                    .is_some_and(|quote| !is_close(in_claim.locate(quote)) && !self.has_quote(quote))
            })
        };
        number.or_else(name).or_else(quote).and_then(|span| span.of(rationale))
    }
}

/// Whether `text` says anything at all.
pub(super) fn has_content(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// The words and numbers of `text` that carry a fact.
fn content(text: &str) -> HashSet<Stem> {
    tokens(text).iter().filter(|token| !token.stop).map(|token| token.stem).collect()
}

fn is_at(content: &str, span: Span, quote: &str) -> bool {
    !quote.is_empty() && span.of(content) == Some(quote)
}

fn is_close(located: Located) -> bool {
    matches!(located.level, MatchLevel::Exact | MatchLevel::Normalized)
}

/// What stands between quotation marks; an apostrophe opens none.
fn quotations(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut open: Option<(char, usize)> = None;
    for (at, c) in text.char_indices() {
        match open {
            Some((closing, start)) if c == closing => {
                found.extend(Span::new(text, start..at).filter(|span| !span.is_empty()));
                open = None;
            }
            Some(_) => {}
            None => {
                let closing = match c {
                    '"' => '"',
                    '“' => '”',
                    '«' => '»',
                    '「' => '」',
                    _ => continue,
                };
                open = Some((closing, at + c.len_utf8()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::PassageId;

    #[test]
    fn the_number_of_a_passage_is_not_alien() {
        let content = "The gate opens at dawn.".to_owned();
        let passages =
            [Passage { passage_id: PassageId::new("s"), content, metadata: serde_json::Map::new() }];
        let grounds = Grounds::new(&passages);
        let alien = |rationale| grounds.alien_in(rationale, "The gate is open.");
        assert_eq!(alien("Passage 1 states that the gate opens."), None);
        assert_eq!(alien("The source 1 states that the gate opens."), None);
        assert_eq!(alien("Passage 2 states that the gate opens."), Some("2"));
        assert_eq!(alien("It opens at 1."), Some("1"));
    }
}
