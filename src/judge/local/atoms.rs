//! Cuts a sentence into the parts that can be checked alone: at semicolons and colons, and at "and", "but", "while" or
//! "although" where both sides say something of a subject of their own.
//!
//! English only, by word order and short lists. In doubt the sentence stays whole: a part that lost its subject or its
//! condition would be judged wrongly, a long claim only coarsely.

use crate::domain::span::Span;
use crate::text::lexicon::LEXICON;
use crate::text::tokens::{Token, TokenKind};

/// The least content words that half a sentence needs to stand alone.
pub(super) const LEAST_CONTENT: usize = 2;
/// How many words of a part are looked at to see whether it stands alone.
const LONGEST_CLAUSE: usize = 60;

const JOINTS: &[&str] = &["and", "but", "whereas", "while", "although", "though"];
const PRONOUNS: &[&str] = &[
    "it", "they", "he", "she", "this", "that", "these", "those", "which", "who", "its", "their", "his",
    "her", "them", "such", "there", "both", "neither", "so", "not", "then", "also",
];
/// Words that begin a clause which hangs on another one.
const SUBORDINATORS: &[&str] = &[
    "that", "which", "who", "whom", "whose", "where", "when", "whether", "if", "because", "since", "unless",
    "until", "as", "whenever", "how", "why", "what", "after", "before", "once", "although", "though",
    "while", "provided",
];
/// First words that make the whole sentence depend on what they begin.
const CONDITIONS: &[&str] = &[
    "if", "when", "whenever", "unless", "because", "since", "although", "though", "while", "once", "whether",
    "until",
];
/// Two things that belong together follow.
const PAIRS: &[&str] = &["both", "between", "either", "neither"];
const PLURAL_VERBS: &[&str] = &["are", "were", "have", "do", "aren't", "weren't", "haven't"];
const IRREGULAR_PLURALS: &[&str] = &[
    "people", "children", "men", "women", "data", "police", "media", "mice", "criteria", "staff", "others",
    "most", "some",
];
const DETERMINERS: &[&str] = &[
    "a", "an", "the", "its", "their", "his", "her", "this", "these", "those", "no", "any", "all", "each",
    "every", "some", "one", "our", "your",
];
/// Verb forms beside those of the lexicon that, behind a noun, show a statement.
const VERBS: &[&str] = &[
    "get",
    "gets",
    "give",
    "gives",
    "take",
    "go",
    "goes",
    "went",
    "come",
    "comes",
    "lend",
    "lends",
    "lent",
    "repay",
    "repays",
    "repaid",
    "pay",
    "cost",
    "costs",
    "sell",
    "sells",
    "sold",
    "buy",
    "buys",
    "bought",
    "owe",
    "owes",
    "owed",
    "hold",
    "holds",
    "bear",
    "bears",
    "bore",
    "charge",
    "charges",
    "grant",
    "grants",
    "approve",
    "approves",
    "approved",
    "announced",
    "announces",
    "agreed",
    "agrees",
    "refused",
    "refuses",
    "decided",
    "decides",
    "opposed",
    "opposes",
    "supports",
    "supported",
    "allows",
    "allowed",
    "prevents",
    "prevented",
    "treats",
    "treated",
    "needed",
    "makes",
    "helps",
    "helped",
    "rises",
    "falls",
    "drops",
    "dropped",
    "remains",
    "applies",
    "applied",
    "expires",
    "expired",
    "terminates",
    "terminated",
    "survives",
    "survived",
    "governs",
    "governed",
    "affects",
    "affected",
    "shares",
    "lowers",
    "lowered",
    "raises",
    "raised",
    "improves",
    "improved",
    "differs",
    "differed",
    "varies",
    "varied",
    "suggests",
    "suggested",
    "indicates",
    "indicated",
    "found",
    "finds",
    "measures",
    "measured",
    "employs",
    "employed",
    "operates",
    "operated",
    "happens",
    "happened",
    "belongs",
    "belonged",
    "changed",
    "changes",
    "moved",
    "moves",
    "joined",
    "joins",
    "lasted",
    "lasts",
    "consists",
    "consisted",
    "earned",
    "earns",
    "signed",
    "signs",
    "sued",
    "filed",
    "claims",
    "claimed",
    "argues",
    "argued",
    "reports",
    "reported",
    "saw",
    "sees",
    "met",
    "meets",
    "let",
    "lets",
    "stopped",
    "stops",
    "closed",
    "closes",
    "continued",
    "continues",
    "appears",
    "appeared",
    "exists",
    "existed",
];

/// The parts of a sentence that can be checked alone.
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
        let joins = JOINTS.contains(&&*tokens[at].folded);
        let right = if joins { at + 1 } else { at };
        if !(joins || gap.contains(';') || gap.contains(": ")) || right >= tokens.len() {
            continue;
        }
        let (before, after) = (&tokens[from..at], clause(answer, &tokens[right..]));
        if is_whole(before, from == 0, gap.contains([',', ';', ':'])) && stands_alone(after) {
            cuts.push((closed(answer, tokens, at), opened(answer, tokens, right)));
            from = right;
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

/// The end of the part before the token `at`, with what belongs to its last word: "Ltd.", "5 %)".
fn closed(answer: &str, tokens: &[Token], at: usize) -> usize {
    let end = tokens[at - 1].span.end();
    let gap = answer.get(end..tokens[at].span.start()).unwrap_or("");
    // Behind the last space stands what belongs to the next word.
    let own = gap.rfind(char::is_whitespace).map_or("", |space| &gap[..space]);
    end + own.trim_end_matches([' ', ',', ';', ':', '–', '—', '-', '\n', '\t']).len()
}

/// The start of the part that begins with the token `at`, with what belongs to its first word: "$5", "“no".
fn opened(answer: &str, tokens: &[Token], at: usize) -> usize {
    let start = tokens[at].span.start();
    let gap = answer.get(tokens[at - 1].span.end()..start).unwrap_or("");
    let own = gap.rfind(char::is_whitespace).map_or(gap, |space| gap[space..].trim_start());
    start - own.len()
}

fn trimmed(answer: &str, start: usize, end: usize) -> Option<Span> {
    let part = answer.get(start..end)?;
    let marks = [' ', ',', ';', ':', '\n', '\t'];
    let head = part.len() - part.trim_start_matches(marks).len();
    let tail = part.trim_end_matches(marks).len();
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
                '(' | '[' | '“' | '«' | '„' | '「' | '『' | '（' => self.depth += 1,
                ')' | ']' | '”' | '»' | '」' | '』' | '）' => self.depth = self.depth.saturating_sub(1),
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

fn is_among(token: &Token, list: &[&str]) -> bool {
    list.contains(&&*token.folded)
}

/// Whether the token at `at` says something of what stands before it.
fn is_verb(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    if token.kind != TokenKind::Word || (at > 0 && is_among(&tokens[at - 1], &["to", "a", "an", "the"])) {
        return false;
    }
    if LEXICON.finite_verbs.contains(&*token.folded) || is_among(token, VERBS) {
        return true;
    }
    // "The chairman announced a dividend": behind a noun and before a determiner or a number.
    let ends = token.folded.ends_with("ed") || (token.folded.ends_with('s') && !token.folded.ends_with("ss"));
    let follows = at > 0 && !tokens[at - 1].stop && !tokens[at - 1].folded.ends_with('s');
    let has_object = tokens.get(at + 1).is_some_and(|next| {
        is_among(next, DETERMINERS) || (next.kind == TokenKind::Number && token.folded.ends_with("ed"))
    });
    !token.stop && !token.capital && ends && follows && has_object
}

/// Whether what stands before a joint is a statement that is over there. `first` for the part that begins the
/// sentence, `parted` where a comma or more stands before the joint.
fn is_whole(tokens: &[Token], first: bool, parted: bool) -> bool {
    // What was said long ago no longer hangs on the beginning.
    let tokens = &tokens[tokens.len().saturating_sub(LONGEST_CLAUSE)..];
    let Some(begins) = tokens.first() else { return false };
    if is_among(begins, CONDITIONS) || (!first && is_among(begins, PRONOUNS)) {
        return false;
    }
    let Some(verb) = (1..tokens.len()).find(|at| is_verb(tokens, *at)) else { return false };
    let last = tokens.iter().rposition(|token| is_among(token, SUBORDINATORS));
    let hangs = last.is_some_and(|last| {
        // "… as tomatoes and chilis were": what the subordinate clause speaks of is not yet complete. Behind "that" a
        // reported statement goes on.
        let own_verb = (last + 1..tokens.len()).any(|at| is_verb(tokens, at));
        last > verb && (!own_verb || (is_among(&tokens[last], &["that", "whether", "if"]) && !parted))
    });
    let is_pair = tokens
        .iter()
        .rposition(|token| is_among(token, PAIRS))
        .is_some_and(|pair| pair > verb && !(pair..tokens.len()).any(|at| is_verb(tokens, at)) && !parted);
    let content = tokens.iter().filter(|token| !token.stop).count();
    !hangs && !is_pair && content >= LEAST_CONTENT.min(tokens.len()) && verb + 1 < tokens.len()
}

/// Whether the part has a subject of its own that is no pronoun, then a verb, then something said.
fn stands_alone(tokens: &[Token]) -> bool {
    let Some(first) = tokens.first() else { return false };
    if is_among(first, PRONOUNS) || is_among(first, SUBORDINATORS) || &*first.folded == "to" {
        return false;
    }
    let Some(verb) = (1..tokens.len()).find(|at| is_verb(tokens, *at)) else { return false };
    let subject = &tokens[..verb];
    // "the drug and the device are": the verb speaks of both.
    let is_half = is_among(&tokens[verb], PLURAL_VERBS)
        && subject.iter().rfind(|token| !token.stop).is_some_and(|noun| {
            noun.kind == TokenKind::Word
                && !noun.folded.ends_with('s')
                && !is_among(noun, IRREGULAR_PLURALS)
                && !subject.iter().any(|token| is_among(token, &["and"]))
        });
    let content = tokens.iter().filter(|token| !token.stop).count();
    let is_open = subject.iter().any(|token| is_among(token, SUBORDINATORS));
    !is_half
        && !is_open
        && subject.iter().any(|token| !token.stop)
        && content >= LEAST_CONTENT
        && verb + 1 < tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokens::tokens;

    #[track_caller]
    fn check(marked: &str) {
        let text = marked.replace('|', "");
        let body = Span::new(&text, 0..text.len()).unwrap();
        let found: Vec<&str> =
            atoms(&text, body, &tokens(&text)).into_iter().map(|span| span.of(&text).unwrap()).collect();
        let joints = |part: &str| {
            let part = part.trim_matches([' ', ',', ';', ':']);
            let bare = JOINTS.iter().find_map(|joint| part.strip_prefix(joint)?.strip_prefix(' '));
            bare.unwrap_or(part).to_owned()
        };
        let expected: Vec<String> = marked
            .split('|')
            .enumerate()
            .map(
                |(at, part)| {
                    if at == 0 { part.trim_matches([' ', ',', ';', ':']).to_owned() } else { joints(part) }
                },
            )
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn statements_of_two_subjects_are_two_claims() {
        check("The trial was stopped early |and the sponsor was fined.");
        check(
            "The bank was founded in 1900; |the merger followed in 1950."
                .replace("followed", "was announced")
                .as_str(),
        );
        check("Harbour Bank lends to Kestrel Ltd. |and Kestrel Ltd. repays in 24 instalments.");
        check("Children under 12 kg get 15 mg per kg, |and the dose is rounded to the nearest 5 mg.");
        check(
            "The board, which met on 3 July, approved the dividend |and the chairman announced a share buy-back.",
        );
        check("Mortality fell in the treatment arm |and nausea rose in the placebo arm.");
        check("The landlord pays for large repairs, |while the tenant pays for smaller ones.");
        check(
            "The landlord pays for repairs that cost more than $500, |while the tenant pays for smaller ones.",
        );
        check("The drug is safe, |although the dose must be reduced in children.");
        check("Costs fell by 5 %, |and $5 million was saved (a record).");
        check("It was sold in 1950, |and the factory was closed in 1960.");
        check(
            "There was one female president: |Hillary Clinton served as the 45th President from 2017 to 2021.",
        );
        check(
            "Earth and Mars are planets that can be walked on, |while Neptune and the Sun are gaseous bodies.",
        );
    }

    #[test]
    fn what_would_lose_its_subject_or_its_condition_stays_whole() {
        for whole in [
            "The drug reduces pain and improves sleep.",
            "Pain and fever are common.",
            "If the dose is 4 g and the patient is a child, the dose is too high.",
            "When the gas is hot and the star is large, a nebula is formed.",
            "Sinking sand is a type of wet sand that becomes liquefied and viscous when it is disturbed.",
            "The red sauce existed in 1490 as tomatoes and chilis were already present in the cuisine.",
            "The author argues that this approach is necessary to address the risks and to ensure that they are useful.",
            "The study found that the first drug is safe and the second drug is harmful.",
            "The trial showed that both the drug and the device are safe.",
            "The study shows the drug and the device are safe.",
            "Proteins are necessary for functions in the body, and they are produced by genes.",
            "The bank was sold in 1950, but it was founded in 1900.",
            "He said “the loan was repaid and the bank was closed”.",
            "The maximum dose (4 g per day; the limit is absolute) was approved.",
            "The purpose is to create reusable and shareable configurations that can be managed.",
            "He met the chairman of the bank and the owner of the firm.",
        ] {
            check(whole);
        }
    }
}
