//! Cuts an answer into claims that can be checked one by one, each a slice of the answer.
//!
//! Every sentence ends up either as claims or as "no claim" with its reason; none is dropped.

use std::sync::LazyLock;

use super::atoms::{LEAST_CONTENT, atoms};
use crate::domain::finding::{Granularity, NoClaim, NoClaimReason};
use crate::domain::span::Span;
use crate::text::lexicon::LEXICON;
use crate::text::sentences::sentences;
use crate::text::tokens::{Token, TokenKind, tokens, tokens_in};

/// Longest courtesy, in words.
const LONGEST_GREETING: usize = 6;
/// Longest list of items that is one claim, in bytes.
const LONGEST_LIST: usize = 600;
/// Longest announcement of a statement with what joins it to the one before, in words.
const LONGEST_FRAME: usize = 10;
/// Longest heading, in words.
const LONGEST_HEADING: usize = 8;

/// What a sentence of an answer became.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Claim(Span),
    NoClaim(NoClaim),
}

impl Piece {
    fn span(&self) -> Span {
        match self {
            Self::Claim(span) => *span,
            Self::NoClaim(entry) => entry.answer_span,
        }
    }
}

/// The smallest claims and the sentences without a claim of a claim that came in. It is a statement, not a page: a
/// line break in it does not end a sentence, unless it is a list.
pub(super) fn split(claim: &str) -> Vec<Piece> {
    let is_page = |line: &str| {
        let line = line.trim();
        line.is_empty()
            || line.ends_with([':', '：'])
            || line.starts_with(['-', '*', '•', '#', '|', '>', '('])
            || line.starts_with(|c: char| c.is_ascii_digit()) && line.contains(['.', ')'])
    };
    let inside = claim.trim();
    if !inside.contains('\n') || inside.lines().any(is_page) {
        return cut(claim, Granularity::Atomic);
    }
    // As many bytes as before, so that the places stay.
    cut(&claim.replace('\n', " "), Granularity::Atomic)
}

/// The claims and the sentences without a claim, in the order of the answer.
pub(super) fn cut(answer: &str, granularity: Granularity) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut line = Line { start: 0, seen: 0 };
    for sentence in sentences(answer) {
        let body = without_marks(answer, sentence);
        let tokens = tokens_in(answer, body.start(), body.end());
        line.advance(answer, body.start());
        if let Some(reason) = no_claim(answer, &line, body, &tokens) {
            pieces.push(Piece::NoClaim(NoClaim { answer_span: sentence, reason }));
            continue;
        }
        let words: Vec<&str> = tokens.iter().take(LONGEST_FRAME).map(|token| &*token.folded).collect();
        let skipped = frame(body.of(answer).unwrap_or(""), &words);
        let tokens = tokens.get(skipped..).unwrap_or(&[]);
        let start =
            if skipped == 0 { body.start() } else { tokens.first().map_or(body.start(), |t| t.span.start()) };
        let said = Span::new(answer, start..body.end()).unwrap_or(body);
        if granularity == Granularity::Sentence {
            pieces.push(Piece::Claim(said));
        } else {
            pieces.extend(atoms(answer, said, tokens).into_iter().map(Piece::Claim));
        }
    }
    with_lists_whole(answer, pieces)
}

/// Words that only announce the statement behind them.
static FRAMES: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    [
        "it is worth noting that",
        "it's worth noting that",
        "it is worth mentioning that",
        "it is important to note that",
        "it's important to note that",
        "it should be noted that",
        "note that",
        "please note that",
        "keep in mind that",
        "please keep in mind that",
        "remember that",
        "be aware that",
        "please be aware that",
    ]
    .iter()
    .map(|frame| tokens(frame).iter().map(|token| token.folded.to_string()).collect())
    .collect()
});

/// How many of the first words only announce the statement behind them: "However, it should be noted that".
fn frame(body: &str, words: &[&str]) -> usize {
    let skipped = connective(body, words);
    let rest = words.get(skipped..).unwrap_or(&[]);
    let is_said =
        |frame: &&Vec<String>| rest.len() > frame.len() && frame.iter().zip(rest).all(|(a, b)| a == b);
    FRAMES.iter().find(is_said).map_or(0, |frame| skipped + frame.len())
}

/// How many of the first words only join the sentence to the one before: "However,".
fn connective(text: &str, words: &[&str]) -> usize {
    const CONNECTIVES: &[&[&str]] = &[
        &["in", "addition"],
        &["in", "summary"],
        &["in", "conclusion"],
        &["in", "short"],
        &["that", "said"],
        &["however"],
        &["additionally"],
        &["also"],
        &["finally"],
        &["lastly"],
        &["overall"],
        &["therefore"],
        &["thus"],
        &["moreover"],
        &["furthermore"],
        &["but"],
        &["and"],
        &["so"],
    ];
    let is_short = text.len() > 4;
    let found = CONNECTIVES.iter().find(|phrase| is_short && words.starts_with(phrase));
    found.map_or(0, |phrase| phrase.len())
}

/// An announcement and the short items below it say something only together: "Side effects: / nausea / fever".
fn with_lists_whole(answer: &str, pieces: Vec<Piece>) -> Vec<Piece> {
    let is_item = |piece: &Piece| match piece {
        Piece::NoClaim(entry) => {
            entry.reason == NoClaimReason::Fragment && has_letter(answer, entry.answer_span)
        }
        Piece::Claim(_) => false,
    };
    let announces = |piece: &Piece| match piece {
        Piece::NoClaim(entry) if entry.reason == NoClaimReason::Heading => {
            entry.answer_span.of(answer).is_some_and(|text| text.ends_with([':', '：']))
        }
        _ => false,
    };
    let mut whole: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let Piece::NoClaim(item) = &piece else {
            whole.push(piece);
            continue;
        };
        let joined = match whole.last() {
            Some(head) if is_item(&piece) && announces(head) => head.span().start(),
            Some(Piece::Claim(list)) if is_item(&piece) && list.of(answer).is_some_and(is_list) => {
                list.start()
            }
            _ => usize::MAX,
        };
        match Span::new(answer, joined..item.answer_span.end()) {
            Some(span) if span.len() <= LONGEST_LIST => {
                whole.pop();
                whole.push(Piece::Claim(without_marks(answer, span)));
            }
            _ => whole.push(piece),
        }
    }
    whole
}

/// Whether a claim is an announcement with items below it.
fn is_list(text: &str) -> bool {
    text.lines().next().is_some_and(|first| first.trim_end().ends_with([':', '：'])) && text.contains('\n')
}

fn has_letter(answer: &str, span: Span) -> bool {
    span.of(answer).is_some_and(|text| text.chars().any(char::is_alphabetic))
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
    if is_greeting(answer, body, tokens, &words) {
        return Some(NoClaimReason::Greeting);
    }
    let skipped = connective(text, &words);
    let rest = words.get(skipped..).unwrap_or(&[]);
    let joined = rest.join(" ");
    if LEXICON.opinions.iter().any(|phrase| starts_with_phrase(&joined, text, phrase)) {
        return Some(NoClaimReason::Opinion);
    }
    if LEXICON.instruction_verbs.contains(rest.first().copied().unwrap_or(""))
        && !has_amount(tokens)
        && !is_noun_here(rest)
        && frame(text, &words) == 0
    {
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

/// A courtesy, with nothing said behind it: "Yes, the drug is safe." says something, and so does "No deaths occurred."
fn is_greeting(answer: &str, body: Span, tokens: &[Token], words: &[&str]) -> bool {
    let Some(text) = body.of(answer) else { return false };
    if words.len() > LONGEST_GREETING || has_amount(tokens) {
        return false;
    }
    let joined = words.join(" ");
    LEXICON.greetings.iter().filter(|phrase| starts_with_phrase(&joined, text, phrase)).any(|phrase| {
        if !phrase.is_ascii() {
            return true;
        }
        let length = phrase.split(' ').count();
        let says = words.iter().skip(length).any(|word| LEXICON.finite_verbs.contains(*word));
        let gap = match (tokens.get(length - 1), tokens.get(length)) {
            (Some(last), Some(next)) => answer.get(last.span.end()..next.span.start()).unwrap_or(""),
            _ => return true,
        };
        // "no side effects" is about side effects; after "hello" anything may follow.
        !says && (gap.contains([',', '!', '.', '–', '—', ';']) || !is_determiner(phrase))
    })
}

/// A greeting that may also stand before a noun or an adjective.
fn is_determiner(phrase: &str) -> bool {
    matches!(phrase, "no" | "sure" | "certainly" | "of course" | "welcome" | "ok" | "okay" | "sorry")
}

/// Whether the first word, which could be an instruction, is a noun: "visits of", "contact lenses are safe".
fn is_noun_here(words: &[&str]) -> bool {
    const BEHIND: &[&str] = &[
        "if", "when", "that", "before", "after", "because", "until", "unless", "who", "which", "whether",
        "as", "how", "what",
    ];
    let noun_follows = matches!(words.get(1), Some(&("of" | "with" | "in" | "for" | "is" | "was" | "by")));
    let clause = words.iter().skip(1).take_while(|word| !BEHIND.contains(word));
    noun_follows || clause.into_iter().any(|word| LEXICON.finite_verbs.contains(*word))
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

#[cfg(test)]
#[path = "claims_tests.rs"]
mod tests;
