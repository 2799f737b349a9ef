//! Cuts an answer into claims that can be checked one by one, each a slice of the answer.
//!
//! Every sentence ends up either as claims or as "no claim" with its reason; none is dropped.

use crate::domain::finding::{Granularity, NoClaim, NoClaimReason};
use crate::domain::span::Span;
use crate::text::lexicon::LEXICON;
use crate::text::sentences::sentences;
use crate::text::tokens::{Token, TokenKind, tokens_in};

/// The least content words that half a sentence needs to stand alone.
const LEAST_CONTENT: usize = 2;
/// Longest courtesy, in words.
const LONGEST_GREETING: usize = 6;
/// Longest heading, in words.
const LONGEST_HEADING: usize = 8;
/// How many words of a part are looked at to see whether it stands alone.
const LONGEST_CLAUSE: usize = 60;

/// What a sentence of an answer became.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Claim(Span),
    NoClaim(NoClaim),
}

/// The smallest claims and the sentences without a claim, in the order of the answer.
pub(super) fn split(answer: &str) -> Vec<Piece> {
    cut(answer, Granularity::Atomic)
}

/// The claims and the sentences without a claim, in the order of the answer.
pub(super) fn cut(answer: &str, granularity: Granularity) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut line = Line { start: 0, seen: 0 };
    for sentence in sentences(answer) {
        let body = without_marks(answer, sentence);
        let tokens = tokens_in(answer, body.start(), body.end());
        line.advance(answer, body.start());
        match no_claim(answer, &line, body, &tokens) {
            Some(reason) => {
                pieces.push(Piece::NoClaim(NoClaim { answer_span: sentence, reason }));
            }
            None if granularity == Granularity::Sentence => pieces.push(Piece::Claim(body)),
            None => pieces.extend(atoms(answer, body, &tokens).into_iter().map(Piece::Claim)),
        }
    }
    pieces
}

/// The line that a sentence stands in, found in one pass over the answer.
struct Line {
    start: usize,
    seen: usize,
}

impl Line {
    fn advance(&mut self, answer: &str, to: usize) {
        if let Some(at) = answer.get(self.seen..to).and_then(|part| part.rfind('\n')) {
            self.start = self.seen + at + 1;
        }
        self.seen = to.max(self.seen);
    }

    /// What stands in the line before `to`.
    fn head<'a>(&self, answer: &'a str, to: usize) -> &'a str {
        answer.get(self.start..to).unwrap_or("")
    }
}

/// The sentence without list marks and emphasis around it.
fn without_marks(answer: &str, sentence: Span) -> Span {
    let Some(text) = sentence.of(answer) else { return sentence };
    let mut body = text;
    loop {
        let trimmed =
            body.trim_start_matches(['-', '*', '•', '·', '–', '>', '#', '|', '‣', '▪', '○']).trim_start();
        let numbered = trimmed.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = trimmed.len() - numbered.len();
        let next = match numbered.strip_prefix(['.', ')']) {
            Some(rest) if (1..=2).contains(&digits) && rest.starts_with(char::is_whitespace) => {
                rest.trim_start()
            }
            _ => trimmed,
        };
        if next.len() == body.len() {
            break;
        }
        body = next;
    }
    let start = sentence.end() - body.len();
    let end = start + body.trim_end_matches(['*', '|', '_']).trim_end().len();
    Span::new(answer, start..end).filter(|span| !span.is_empty()).unwrap_or(sentence)
}

fn no_claim(answer: &str, line: &Line, body: Span, tokens: &[Token]) -> Option<NoClaimReason> {
    let text = body.of(answer)?;
    if text.chars().all(|c| !c.is_alphabetic()) {
        return Some(NoClaimReason::Fragment);
    }
    let bare = text.trim_end_matches(['"', '”', '\'', '’', ')', '*', '」', '。', '.']);
    let asks = text.trim_end_matches(['"', '”', ')', '*', '」']).ends_with(['?', '？', '؟'])
        || bare.ends_with("ですか")
        || bare.ends_with("ますか")
        || bare.ends_with("でしょうか");
    if asks {
        return Some(NoClaimReason::Question);
    }
    let ends = text.trim_end_matches(['*', '"', '”', ')']).ends_with(['.', '!', '。', '！', '۔', '।', '…']);
    let head = line.head(answer, body.start());
    let line_start = head.chars().all(|c| !c.is_alphanumeric());
    let marked = head.trim_start().starts_with('#');
    if marked || (text.ends_with([':', '：']) && tokens.len() <= 4 * LONGEST_HEADING) {
        return Some(NoClaimReason::Heading);
    }
    let words: Vec<&str> = tokens.iter().map(|token| &*token.folded).collect();
    let joined = words.join(" ");
    let begins = |list: &[String]| list.iter().any(|phrase| starts_with_phrase(&joined, text, phrase));
    if words.len() <= LONGEST_GREETING && begins(&LEXICON.greetings) && !has_amount(tokens) {
        return Some(NoClaimReason::Greeting);
    }
    if begins(&LEXICON.opinions) {
        return Some(NoClaimReason::Opinion);
    }
    let first = words.first().copied().unwrap_or("");
    let noun_follows = matches!(words.get(1), Some(&("of" | "with" | "in" | "for" | "is" | "was" | "by")));
    if LEXICON.instruction_verbs.contains(first) && !noun_follows && !has_amount(tokens) {
        return Some(NoClaimReason::Instruction);
    }
    let content = tokens.iter().filter(|token| !token.stop).count();
    let says = words.iter().any(|word| LEXICON.finite_verbs.contains(*word));
    if !ends
        && !says
        && line_start
        && words.len() <= LONGEST_HEADING
        && is_title(tokens)
        && !has_amount(tokens)
    {
        return Some(NoClaimReason::Heading);
    }
    let segmented = tokens.iter().any(|token| token.kind != TokenKind::Bigram);
    let tiny = content < LEAST_CONTENT && segmented && !has_amount(tokens);
    (!tokens.is_empty() && tiny && !(ends && words.len() > 1)).then_some(NoClaimReason::Fragment)
}

/// Whether the words begin with `phrase`; in scripts without spaces whether the text does.
fn starts_with_phrase(joined: &str, text: &str, phrase: &str) -> bool {
    if phrase.is_ascii() {
        joined.strip_prefix(phrase).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    } else {
        text.starts_with(phrase) || joined.starts_with(phrase)
    }
}

fn has_amount(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| token.kind == TokenKind::Number)
}

fn is_title(tokens: &[Token]) -> bool {
    let content: Vec<&Token> = tokens.iter().filter(|token| !token.stop).collect();
    !content.is_empty() && content.iter().all(|token| token.capital)
}

/// The parts of a sentence that can be checked alone: cut at semicolons, and at "and" or "but" where
/// both sides have their own subject and verb.
pub(super) fn atoms(answer: &str, body: Span, tokens: &[Token]) -> Vec<Span> {
    let mut cuts: Vec<(usize, usize)> = Vec::new();
    let mut from = 0;
    let mut enclosure = Enclosure::default();
    let mut read_to = body.start();
    for at in 1..tokens.len() {
        enclosure.read(answer.get(read_to..tokens[at].span.start()).unwrap_or(""));
        read_to = tokens[at].span.start();
        let Some(gap) = answer.get(tokens[at - 1].span.end()..tokens[at].span.start()) else { continue };
        if enclosure.is_open() {
            continue;
        }
        let joins = matches!(&*tokens[at].folded, "and" | "but" | "whereas" | "while");
        let (left, right) = if gap.contains(';') {
            (&tokens[from..at], &tokens[at..])
        } else if joins {
            (&tokens[from..at], &tokens[at + 1..])
        } else {
            continue;
        };
        if stands_alone(left) && stands_alone(clause(answer, right)) {
            let start = right.first().map_or(body.end(), |token| token.span.start());
            cuts.push((tokens[at - 1].span.end(), start));
            from = if joins { at + 1 } else { at };
        }
    }
    let mut spans = Vec::new();
    let mut start = body.start();
    for (end, next) in cuts {
        spans.extend(trimmed(answer, start, end));
        start = next;
    }
    spans.extend(trimmed(answer, start, body.end()));
    spans
}

fn trimmed(answer: &str, start: usize, end: usize) -> Option<Span> {
    let part = answer.get(start..end)?;
    let head = part.len() - part.trim_start_matches([' ', ',', ';', '\n', '\t']).len();
    let tail = part.trim_end_matches([' ', ',', ';', '\n', '\t']).len();
    Span::new(answer, start + head..start + tail.max(head)).filter(|span| !span.is_empty())
}

/// The brackets and quotation marks that are open at a place.
#[derive(Default)]
struct Enclosure {
    depth: u32,
    quoted: bool,
}

impl Enclosure {
    fn read(&mut self, part: &str) {
        for c in part.chars() {
            match c {
                '(' | '[' | '“' | '«' => self.depth += 1,
                ')' | ']' | '”' | '»' => self.depth = self.depth.saturating_sub(1),
                '"' => self.quoted = !self.quoted,
                _ => {}
            }
        }
    }

    fn is_open(&self) -> bool {
        self.depth > 0 || self.quoted
    }
}

/// The tokens up to the next comma or semicolon, and no more than can be told apart.
fn clause<'t>(answer: &str, tokens: &'t [Token]) -> &'t [Token] {
    let tokens = &tokens[..tokens.len().min(LONGEST_CLAUSE)];
    let end = (1..tokens.len())
        .find(|at| {
            answer
                .get(tokens[at - 1].span.end()..tokens[*at].span.start())
                .is_some_and(|gap| gap.contains([';', ',']))
        })
        .unwrap_or(tokens.len());
    &tokens[..end]
}

/// A subject that is no pronoun, then a verb, then something said.
fn stands_alone(tokens: &[Token]) -> bool {
    let tokens = &tokens[..tokens.len().min(LONGEST_CLAUSE)];
    let first = tokens.first().map_or("", |token| &*token.folded);
    let pronoun =
        matches!(first, "it" | "they" | "he" | "she" | "this" | "that" | "which" | "who" | "its" | "their");
    let verb = tokens.iter().position(|token| LEXICON.finite_verbs.contains(&*token.folded));
    let content = tokens.iter().filter(|token| !token.stop).count();
    let subject = |verb: usize| tokens[..verb].iter().any(|token| !token.stop);
    !pronoun
        && content >= LEAST_CONTENT
        && verb.is_some_and(|verb| verb > 0 && verb + 1 < tokens.len() && subject(verb))
}
