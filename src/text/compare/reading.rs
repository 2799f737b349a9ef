//! A text read once for comparing: its tokens, dates, numbers, and what stands under a negation.

use std::borrow::Cow;

use crate::domain::span::Span;
use crate::text::dates::{self, Date};
use crate::text::lexicon::LEXICON;
use crate::text::numbers::{self, Number};
use crate::text::stem::Stem;
use crate::text::tokens::{Token, TokenKind, tokens};

/// How many content words behind a negating word it denies.
const SCOPE: usize = 3;
/// How many content words on each side count as the surroundings of a place.
const AROUND: usize = 5;

/// How far a clause is followed in each direction, in tokens.
const MOST_IN_CLAUSE: usize = 30;

/// A negating word and what it denies.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cue {
    /// First token and the one behind the last.
    pub(super) tokens: (usize, usize),
    /// Content tokens in its scope, nearest first.
    pub(super) scope: Vec<usize>,
}

/// A text with everything that comparing needs.
#[derive(Debug, Clone)]
pub struct Reading<'t> {
    pub(super) text: &'t str,
    tokens: Cow<'t, [Token]>,
    dates: Vec<Date>,
    numbers: Vec<Number>,
    pub(super) cues: Vec<Cue>,
    /// For each token whether it stands under an odd number of negations.
    negated: Vec<bool>,
}

impl<'t> Reading<'t> {
    pub fn new(text: &'t str) -> Self {
        Self::read(text, Cow::Owned(tokens(text)))
    }

    /// Reads a part of `text` that was cut into `tokens` before; spans count from the beginning of `text`.
    pub fn of_tokens(text: &'t str, tokens: &'t [Token]) -> Self {
        Self::read(text, Cow::Borrowed(tokens))
    }

    fn read(text: &'t str, tokens: Cow<'t, [Token]>) -> Self {
        let dates = dates::find(text, &tokens);
        let taken: Vec<(usize, usize)> = dates.iter().map(|found| found.tokens).collect();
        let numbers = numbers::numbers(text, &tokens, &taken);
        let cues = cues(text, &tokens);
        let mut negated = vec![false; tokens.len()];
        for index in cues.iter().flat_map(|cue| &cue.scope) {
            negated[*index] = !negated[*index];
        }
        Self {
            text,
            dates: dates.into_iter().map(|found| found.date).collect(),
            numbers,
            cues,
            negated,
            tokens,
        }
    }

    pub fn text(&self) -> &'t str {
        self.text
    }

    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    pub fn dates(&self) -> &[Date] {
        &self.dates
    }

    pub fn numbers(&self) -> &[Number] {
        &self.numbers
    }

    /// Whether anything that carries a fact is negated.
    pub fn negates(&self) -> bool {
        self.cues.iter().any(|cue| !cue.scope.is_empty())
    }

    /// The places of the words that deny something.
    pub fn denials(&self) -> impl Iterator<Item = usize> {
        self.cues.iter().filter(|cue| !cue.scope.is_empty()).map(|cue| cue.tokens.0)
    }

    /// Whether a sentence or a part of one ends between token `at` and the next.
    pub(super) fn sentence_ends_behind(&self, at: usize) -> bool {
        match (self.tokens.get(at), self.tokens.get(at + 1)) {
            (Some(from), Some(to)) => self
                .text
                .get(from.span.end()..to.span.start())
                .is_some_and(|gap| gap.contains(['.', ';', '!', '?', ':', '\n', '。'])),
            _ => true,
        }
    }

    /// The tokens of the sentence that token `at` stands in: the first and the one behind the last.
    pub fn sentence_around(&self, at: usize) -> (usize, usize) {
        let from = (0..at).rev().find(|place| self.sentence_ends_behind(*place)).map_or(0, |place| place + 1);
        let to = (at..self.tokens.len()).find(|place| self.sentence_ends_behind(*place)).unwrap_or(at) + 1;
        (from, to.min(self.tokens.len()))
    }

    /// The content words of the clause that the tokens `from..to` stand in, without their own.
    pub(super) fn clause_around(&self, from: usize, to: usize) -> Vec<Stem> {
        let ends = |at: usize| match (self.tokens.get(at), self.tokens.get(at + 1)) {
            (Some(left), Some(right)) => clause_ends(self.text, left, right) || &*right.folded == "and",
            _ => true,
        };
        let start = (0..from)
            .rev()
            .take(MOST_IN_CLAUSE)
            .find(|at| ends(*at))
            .map_or(from.saturating_sub(MOST_IN_CLAUSE), |at| at + 1);
        let end = (to.saturating_sub(1)..self.tokens.len())
            .take(MOST_IN_CLAUSE)
            .find(|at| ends(*at))
            .map_or(self.tokens.len().min(to + MOST_IN_CLAUSE), |at| at + 1);
        let head = self.tokens.get(start..from).unwrap_or(&[]);
        let tail = self.tokens.get(to..end).unwrap_or(&[]);
        head.iter().chain(tail).filter(|token| !token.stop).map(|token| token.stem).collect()
    }

    pub(super) fn is_negated(&self, index: usize) -> bool {
        self.negated.get(index).copied().unwrap_or(false)
    }

    /// The places of `stem`.
    pub(super) fn places(&self, stem: Stem) -> impl Iterator<Item = usize> {
        self.tokens.iter().enumerate().filter(move |(_, token)| token.stem == stem).map(|(at, _)| at)
    }

    /// The names in the text: capitalised words that do not only begin a sentence, with their stems.
    pub fn names(&self) -> Vec<(Span, Vec<Stem>)> {
        super::names::runs(self)
            .into_iter()
            .filter_map(|(from, to)| {
                let stems = self.tokens.get(from..to)?.iter().map(|token| token.stem).collect();
                Some((self.span_of(from, to)?, stems))
            })
            .collect()
    }

    pub fn contains(&self, stem: Stem) -> bool {
        self.tokens.iter().any(|token| token.stem == stem)
    }

    /// Whether it has the number or date that `claim` has at `span`.
    pub fn gives(&self, claim: &Self, span: Span) -> bool {
        let number = claim.numbers.iter().filter(|mine| mine.span == span);
        let date = claim.dates.iter().filter(|mine| mine.span == span);
        number.into_iter().any(|mine| self.numbers.iter().any(|theirs| mine.agrees(theirs)))
            || date.into_iter().any(|mine| {
                self.dates.iter().any(|theirs| mine.compare(theirs) == dates::DateRelation::Agrees)
            })
    }

    /// The token that holds the byte `at` or stands behind it.
    pub(super) fn token_at(&self, at: usize) -> usize {
        self.tokens.partition_point(|token| token.span.end() <= at)
    }

    /// From the first token to the last of `from..to`.
    pub(super) fn span_of(&self, from: usize, to: usize) -> Option<Span> {
        let start = self.tokens.get(from)?.span.start();
        let end = self.tokens.get(to.checked_sub(1)?)?.span.end();
        Span::new(self.text, start..end.max(start))
    }

    /// The content words around token `at`, without those in `from..to`.
    pub(super) fn around(&self, from: usize, to: usize) -> Vec<Stem> {
        let content = |token: &&Token| !token.stop;
        let head = self.tokens.get(..from).unwrap_or(&[]);
        let tail = self.tokens.get(to..).unwrap_or(&[]);
        head.iter()
            .rev()
            .filter(content)
            .take(AROUND)
            .chain(tail.iter().filter(content).take(AROUND))
            .map(|token| token.stem)
            .collect()
    }
}

/// Whether two words are spelt alike enough to be forms of one: metabolism and metabolize.
pub fn is_kin(a: &Token, b: &Token) -> bool {
    if a.kind != TokenKind::Word || b.kind != TokenKind::Word {
        return false;
    }
    let common = a.folded.bytes().zip(b.folded.bytes()).take_while(|(x, y)| x == y).count();
    common >= 5 && common * 10 >= 6 * a.folded.len().max(b.folded.len())
}

/// How many words stand around both places.
pub(super) fn shared(mine: &[Stem], theirs: &[Stem]) -> u8 {
    let mut seen: Vec<Stem> = Vec::new();
    for stem in mine {
        if theirs.contains(stem) && !seen.contains(stem) {
            seen.push(*stem);
        }
    }
    u8::try_from(seen.len()).unwrap_or(u8::MAX)
}

/// Whether a clause ends between two neighbouring tokens.
pub(super) fn clause_ends(text: &str, from: &Token, to: &Token) -> bool {
    text.get(from.span.end()..to.span.start())
        .is_some_and(|gap| gap.contains([',', ';', ':', '.', '!', '?', '(', ')', '—', '、', '。', '،', '؛']))
        || matches!(&*to.folded, "but" | "although" | "however" | "whereas" | "while")
}

fn cues(text: &str, tokens: &[Token]) -> Vec<Cue> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match cue_at(tokens, at) {
            Some(end) => {
                found.push(Cue { tokens: (at, end), scope: scope(text, tokens, at, end) });
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// The token behind the negating word or phrase at `at`.
fn cue_at(tokens: &[Token], at: usize) -> Option<usize> {
    let token = tokens.get(at)?;
    let word = &*token.folded;
    let next = tokens.get(at + 1).map_or("", |token| &*token.folded);
    let phrase = LEXICON.negation_phrases.iter().find(|phrase| {
        phrase
            .iter()
            .enumerate()
            .all(|(offset, part)| tokens.get(at + offset).is_some_and(|token| *token.folded == **part))
    });
    if let Some(phrase) = phrase {
        return Some(at + phrase.len());
    }
    if LEXICON.negations.contains(word) {
        // "not only", "no more than", "no later than" and "not until" deny nothing.
        let before = at.checked_sub(1).map_or("", |before| &*tokens[before].folded);
        let harmless = match word {
            "not" if before == "or" => true,
            // "not less than three" is a bound, "not more effective than" a denial.
            "not" if tokens.get(at + 2).is_some_and(|token| &*token.folded == "than") => {
                matches!(next, "more" | "less" | "fewer" | "later" | "earlier" | "longer")
            }
            "not" => matches!(next, "only" | "just" | "merely" | "until" | "least"),
            "no" => matches!(next, "more" | "less" | "fewer" | "later" | "earlier" | "doubt" | "1"),
            _ => false,
        };
        return (!harmless).then_some(at + 1);
    }
    let raw = &token.folded;
    let ends = token.kind == TokenKind::Bigram
        && token.stop
        && LEXICON.negated_endings.iter().any(|ending| raw.ends_with(ending.as_str()));
    let starts = !raw.is_ascii()
        && LEXICON
            .negated_starts
            .iter()
            .any(|start| raw.starts_with(start.as_str()) && raw.chars().count() > start.chars().count() + 1);
    (ends || starts).then_some(at + 1)
}

/// The content words that a negation at `from..to` denies: those behind it in its clause; where it
/// follows its verb (Japanese, Persian) or none stand behind it, those before.
fn scope(text: &str, tokens: &[Token], from: usize, to: usize) -> Vec<usize> {
    let follows_verb = tokens.get(from).is_some_and(|token| !token.folded.is_ascii());
    let mut scope = Vec::new();
    if !follows_verb {
        let mut last = to.saturating_sub(1);
        for (index, token) in tokens.iter().enumerate().skip(to) {
            if scope.len() == SCOPE || clause_ends(text, &tokens[last], token) {
                break;
            }
            if !token.stop {
                scope.push(index);
            }
            last = index;
        }
    }
    if scope.is_empty() {
        let mut last = from;
        for index in (0..from).rev() {
            if scope.len() == SCOPE || clause_ends(text, &tokens[index], &tokens[last]) {
                break;
            }
            if !tokens[index].stop {
                scope.push(index);
            }
            last = index;
        }
    }
    scope
}
