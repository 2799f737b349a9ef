//! The passages of a record cut into sentences and indexed once, and the windows of one to three
//! sentences that speak most of a claim.

use std::collections::HashMap;
use std::ops::Range;

use crate::domain::record::Passage;
use crate::domain::span::Span;
use crate::text::compare::Reading;
use crate::text::sentences::sentences;
use crate::text::stem::Stem;
use crate::text::tokens::{Token, TokenKind, tokens_in};

use super::features::weight;

/// How many sentences are looked at closely for one claim.
const CANDIDATES: usize = 6;
/// What a further sentence in the window must add to the coverage.
const PRICE_OF_A_SENTENCE: f64 = 0.15;
/// A sentence with more words is looked at in parts, each of at least so many words.
const LONG_SENTENCE: usize = 30;
const LEAST_PART: usize = 4;
/// An amount is looked for in no more sentences than this.
const MOST_PLACES: usize = 8;
/// Another row of a table is looked for no farther than this.
const MOST_ROWS: usize = 8;
/// No part has more words than this.
const LONGEST_SENTENCE: usize = 120;

/// A sentence of a passage.
#[derive(Debug, Clone)]
struct Sentence {
    passage: usize,
    span: Span,
    /// Its tokens in the passage's tokens.
    tokens: Range<usize>,
}

/// One passage with its tokens.
pub(super) struct Indexed<'r> {
    pub(super) passage: &'r Passage,
    pub(super) tokens: Vec<Token>,
}

/// All passages of a record, ready for any number of claims.
pub(super) struct Evidence<'r> {
    pub(super) passages: Vec<Indexed<'r>>,
    sentences: Vec<Sentence>,
    /// For each content word the sentences that hold it, in order.
    postings: HashMap<Stem, Vec<u32>>,
}

/// One to three neighbouring sentences of a passage.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Window {
    /// Index of the passage.
    pub(super) passage: usize,
    pub(super) span: Span,
    /// Its tokens in the passage's tokens.
    pub(super) tokens: Range<usize>,
    /// Its sentences among all.
    pub(super) sentences: Range<usize>,
    /// Share of the claim's weight that stands in it, 0 to 1.
    pub(super) coverage: f64,
}

/// A content word of a claim and its weight.
#[derive(Debug, Clone, Copy)]
pub(super) struct Term {
    pub(super) stem: Stem,
    pub(super) weight: f64,
}

/// The distinct content words of a claim.
pub(super) fn terms(tokens: &[Token]) -> Vec<Term> {
    let mut found: Vec<Term> = Vec::new();
    for token in tokens.iter().filter(|token| !token.stop) {
        if !found.iter().any(|term| term.stem == token.stem) {
            found.push(Term { stem: token.stem, weight: weight(token) });
        }
    }
    found
}

/// A long sentence cut at semicolons and line ends, and in any case at [`LONGEST_SENTENCE`]: lists, tables
/// and clauses of contracts.
fn parts(content: &str, tokens: &[Token], all: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = all.start;
    for at in all.start + 1..all.end {
        let length = at - from;
        let gap = content.get(tokens[at - 1].span.end()..tokens[at].span.start()).unwrap_or("");
        let border = all.len() > LONG_SENTENCE
            && length >= LEAST_PART
            && all.end - at >= LEAST_PART
            && gap.contains([';', '；']);
        if border || length >= LONGEST_SENTENCE {
            found.push(from..at);
            from = at;
        }
    }
    if from < all.end {
        found.push(from..all.end);
    }
    found
}

impl<'r> Evidence<'r> {
    pub(super) fn new(passages: &'r [Passage]) -> Self {
        let mut evidence = Self { passages: Vec::new(), sentences: Vec::new(), postings: HashMap::new() };
        for passage in passages {
            evidence.add(passage);
        }
        evidence
    }

    fn add(&mut self, passage: &'r Passage) {
        let index = self.passages.len();
        let content = &passage.content;
        let mut tokens: Vec<Token> = Vec::new();
        for sentence in sentences(content) {
            let first = tokens.len();
            tokens.extend(tokens_in(content, sentence.start(), sentence.end()));
            let mut start = sentence.start();
            for part in parts(content, &tokens, first..tokens.len()) {
                let end = tokens.get(part.end).map_or(sentence.end(), |next| next.span.start());
                let text = content.get(start..end).unwrap_or("");
                if let Some(span) = Span::new(content, start..start + text.trim_end().len()) {
                    self.push(Sentence { passage: index, span, tokens: part.clone() }, &tokens[part]);
                }
                start = end;
            }
        }
        self.passages.push(Indexed { passage, tokens });
    }

    fn push(&mut self, sentence: Sentence, tokens: &[Token]) {
        let Ok(id) = u32::try_from(self.sentences.len()) else { return };
        self.sentences.push(sentence);
        for token in tokens.iter().filter(|token| !token.stop) {
            let list = self.postings.entry(token.stem).or_default();
            if list.last() != Some(&id) {
                list.push(id);
            }
        }
    }

    /// How many sentences all passages have.
    pub(super) fn len(&self) -> usize {
        self.sentences.len()
    }

    /// Whether any passage holds the word.
    pub(super) fn contains(&self, stem: Stem) -> bool {
        self.postings.contains_key(&stem)
    }

    /// Whether a sentence gives the amount that the claim has at `span`: words and value.
    pub(super) fn gives(&self, claim: &Reading<'_>, span: Span) -> bool {
        let tokens = claim.tokens().iter().filter(|token| span.contains(token.span));
        let places = tokens.filter_map(|token| self.postings.get(&token.stem));
        let Some(fewest) = places.min_by_key(|places| places.len()) else { return false };
        fewest.iter().take(MOST_PLACES).filter_map(|id| self.sentences.get(*id as usize)).any(|sentence| {
            let Some(indexed) = self.passages.get(sentence.passage) else { return false };
            let Some(tokens) = indexed.tokens.get(sentence.tokens.clone()) else { return false };
            Reading::of_tokens(&indexed.passage.content, tokens).gives(claim, span)
        })
    }

    /// The best windows for a claim with these words, best first; none when nothing is shared.
    pub(super) fn windows(&self, terms: &[Term]) -> Vec<Window> {
        let total: f64 = terms.iter().map(|term| term.weight).sum();
        if total <= 0.0 {
            return Vec::new();
        }
        // Rare words find the right sentence; the coverage itself does not depend on the other passages.
        let mut scores: HashMap<u32, f64> = HashMap::new();
        for term in terms {
            let Some(places) = self.postings.get(&term.stem) else { continue };
            let rarity = (1.0 + self.sentences.len() as f64 / places.len() as f64).ln();
            for id in places {
                *scores.entry(*id).or_default() += term.weight * rarity;
            }
        }
        let mut ranked: Vec<(f64, u32)> = scores.into_iter().map(|(id, score)| (score, id)).collect();
        let order = |a: &(f64, u32), b: &(f64, u32)| {
            b.0.total_cmp(&a.0).then_with(|| self.text_of(a.1).cmp(self.text_of(b.1))).then(a.1.cmp(&b.1))
        };
        if ranked.len() > CANDIDATES {
            ranked.select_nth_unstable_by(CANDIDATES - 1, order);
            ranked.truncate(CANDIDATES);
        }
        ranked.sort_by(order);
        let mut windows: Vec<Window> = Vec::new();
        for (_, id) in ranked.into_iter().take(CANDIDATES) {
            if let Some(window) = self.widened(id as usize, terms, total)
                && !windows.iter().any(|other| other.passage == window.passage && other.span == window.span)
            {
                windows.push(window);
            }
        }
        windows.sort_by(|a, b| {
            b.coverage
                .total_cmp(&a.coverage)
                .then_with(|| a.tokens.len().cmp(&b.tokens.len()))
                .then_with(|| self.words_of(a).cmp(self.words_of(b)))
        });
        if let Some(first) = windows.first_mut()
            && let Some(wider) = self.with_the_other_row(first, terms)
        {
            *first = wider;
        }
        windows
    }

    /// The sentences of a window, each as a window of its own.
    pub(super) fn sentences_of(&self, window: &Window) -> Vec<Window> {
        let each = window.sentences.clone().filter_map(|id| Some((id, self.sentences.get(id)?)));
        each.map(|(id, sentence)| Window {
            passage: sentence.passage,
            span: sentence.span,
            tokens: sentence.tokens.clone(),
            sentences: id..id + 1,
            coverage: window.coverage,
        })
        .collect()
    }

    /// A row of a table with the one that has the same words of the claim and more, or only its other numbers: what an
    /// amount is of is told by the other cells of its row, so both must be seen.
    fn with_the_other_row(&self, window: &Window, terms: &[Term]) -> Option<Window> {
        let content = &self.passages.get(window.passage)?.passage.content;
        let is_row = |id: usize| {
            self.sentences.get(id).is_some_and(|sentence| {
                sentence.passage == window.passage
                    && sentence.span.of(content).is_some_and(|text| text.contains('|'))
            })
        };
        let shared = |id: usize, kind: TokenKind| -> Vec<Stem> {
            let tokens = self.sentences.get(id).and_then(|sentence| {
                self.passages.get(sentence.passage)?.tokens.get(sentence.tokens.clone())
            });
            let is_term =
                |token: &&Token| token.kind == kind && terms.iter().any(|term| term.stem == token.stem);
            tokens.unwrap_or(&[]).iter().filter(is_term).map(|token| token.stem).collect()
        };
        let id = window.sentences.start;
        if window.sentences.len() != 1 || !is_row(id) {
            return None;
        }
        let has_all = |big: &[Stem], small: &[Stem]| small.iter().all(|stem| big.contains(stem));
        let (own, figures) = (shared(id, TokenKind::Word), shared(id, TokenKind::Number));
        let tells_otherwise = |other: usize| {
            let (words, numbers) = (shared(other, TokenKind::Word), shared(other, TokenKind::Number));
            let says_more = has_all(&words, &own) && !has_all(&own, &words);
            let says_less = has_all(&own, &words) && !has_all(&words, &own) && !words.is_empty();
            says_more || (says_less && !has_all(&figures, &numbers) && has_all(&numbers, &figures))
        };
        let below = (id + 1..=id + MOST_ROWS).take_while(|other| is_row(*other));
        let above = (id.saturating_sub(MOST_ROWS)..id).rev().take_while(|other| is_row(*other));
        let other = below.chain(above).find(|other| tells_otherwise(*other))?;
        let (first, last) = (id.min(other), id.max(other));
        let (from, to) = (self.sentences.get(first)?, self.sentences.get(last)?);
        Some(Window {
            passage: window.passage,
            span: Span::new(content, from.span.start()..to.span.end())?,
            tokens: from.tokens.start..to.tokens.end,
            sentences: first..last + 1,
            coverage: window.coverage,
        })
    }

    fn text_of(&self, id: u32) -> &str {
        self.sentences
            .get(id as usize)
            .and_then(|sentence| sentence.span.of(&self.passages.get(sentence.passage)?.passage.content))
            .unwrap_or("")
    }

    /// The text of a window.
    pub(super) fn words_of(&self, window: &Window) -> &str {
        self.passages
            .get(window.passage)
            .and_then(|indexed| window.span.of(&indexed.passage.content))
            .unwrap_or("")
    }

    /// The sentence with those neighbours that are worth their price.
    fn widened(&self, id: usize, terms: &[Term], total: f64) -> Option<Window> {
        let own = self.sentences.get(id)?;
        let is_neighbour = |other: usize| self.sentences.get(other).is_some_and(|s| s.passage == own.passage);
        let before = id.checked_sub(1).filter(|other| is_neighbour(*other)).unwrap_or(id);
        let after = if is_neighbour(id + 1) { id + 1 } else { id };
        let mut best: Option<(f64, Window)> = None;
        for (first, last) in [(id, id), (before, id), (id, after), (before, after)] {
            let (Some(from), Some(to)) = (self.sentences.get(first), self.sentences.get(last)) else {
                continue;
            };
            let tokens = from.tokens.start..to.tokens.end;
            let indexed = self.passages.get(own.passage)?;
            let part = indexed.tokens.get(tokens.clone())?;
            let covered: f64 = terms
                .iter()
                .filter(|term| part.iter().any(|token| token.stem == term.stem))
                .map(|term| term.weight)
                .sum();
            let coverage = covered / total;
            let worth = coverage - PRICE_OF_A_SENTENCE * (last - first) as f64;
            if best.as_ref().is_none_or(|(least, _)| worth > *least + 1e-9) {
                let span = Span::new(&indexed.passage.content, from.span.start()..to.span.end())?;
                best = Some((
                    worth,
                    Window { passage: own.passage, span, tokens, sentences: first..last + 1, coverage },
                ));
            }
        }
        best.map(|(_, window)| window)
    }
}
