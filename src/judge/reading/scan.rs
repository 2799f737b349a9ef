//! The answer among whatever else a model wrote: reasoning, drafts, prose, code fences.
//!
//! Text that was audited may stand in a reply, and may have been written to be taken for the answer. So nothing inside
//! a value is ever a value of its own, not even inside a broken one, and a broken answer is not replaced by an
//! earlier whole one. Of different whole answers none is chosen.

use std::ops::Range;

use serde_json::Value;

use super::fit::{self, Fitted};
use super::json::{self, Fault, Problem};
use super::{Read, Schema, told};

/// Marks between which models reason. The opening one may be missing: chat templates write it into the prompt.
const REASONING: &[(&str, &str)] = &[
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
];

/// Bytes of something like JSON from which on it is taken for a broken answer.
const LIKE_AN_ANSWER: usize = 4096;

#[derive(Debug)]
pub(super) enum NoAnswer {
    /// No whole value that could be meant; why, in a sentence.
    Broken(String),
    /// Answers that fit and say different things; told in a sentence.
    Several(String),
    /// A whole value that does not fit.
    Unfit(Box<Fitted>),
}

/// What was found since the reasoning ended.
#[derive(Debug, Default)]
struct Found {
    fitting: Option<(Range<usize>, Read)>,
    /// The first answer that fits.
    first: Option<Value>,
    /// Answers that fit and say something else than the first.
    others: usize,
    /// An answer that does not fit and that none follows.
    unfit: Option<Fitted>,
    /// The longest value that bears no likeness to an answer, and its length.
    aside: Option<(usize, Value)>,
    /// What is wrong with a broken value that no fitting one follows.
    broken: Option<String>,
}

pub(super) fn last_answer(text: &str, schema: &Schema) -> Result<Read, NoAnswer> {
    let mut found = Found::default();
    let mut reasoning_ended = None;
    let mut at = 0;
    if let Some(end) = past_reasoning(text, 0)? {
        at = end;
        reasoning_ended = Some(end);
    }
    while let Some(offset) = text[at..].find(['{', '[', '<', '◁']) {
        at += offset;
        let rest = &text[at..];
        if let Some((_, closing)) = REASONING.iter().find(|(_, closing)| starts_with(rest, closing)) {
            at += closing.len();
            if let Some(end) = past_reasoning(text, at)? {
                at = end;
            }
            reasoning_ended = Some(at);
            found = Found::default();
            continue;
        }
        if !rest.starts_with(['{', '[']) {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        match json::first(text, at) {
            Ok(parsed) => {
                let range = at..parsed.end;
                at = parsed.end;
                found.take(range, parsed, schema);
            }
            Err(fault) => {
                let is_too_deep = fault.problem == Problem::TooDeep;
                if is_too_deep || fault.at - at > LIKE_AN_ANSWER || begins_like_an_answer(rest) {
                    found.broken = Some(fault.told(text));
                    match balanced(rest).filter(|_| !is_too_deep) {
                        Some(length) => at += length,
                        // Where it would end cannot be said, so nothing after it stands by itself.
                        None => break,
                    }
                } else {
                    at += 1;
                }
            }
        }
    }
    found.settle(text, reasoning_ended, schema)
}

impl Found {
    fn take(&mut self, range: Range<usize>, parsed: json::Parsed, schema: &Schema) {
        // A later try at an answer that fails is the answer; what bears no likeness to one is an aside.
        if !fit::is_like_an_answer(&parsed.value, schema) {
            // `[1]` in prose is a reference.
            let has_object = match &parsed.value {
                Value::Array(items) => items.iter().any(Value::is_object),
                _ => true,
            };
            if has_object && self.aside.as_ref().is_none_or(|(longest, _)| *longest <= range.len()) {
                self.aside = Some((range.len(), parsed.value));
            }
            return;
        }
        let mut notes: Vec<String> = parsed.notes().collect();
        let fitted = fit::fitted(parsed.value, schema);
        self.broken = None;
        if !fitted.fits {
            self.fitting = None;
            self.unfit = Some(fitted);
            return;
        }
        notes.extend(fitted.notes);
        self.unfit = None;
        if *self.first.get_or_insert_with(|| fitted.value.clone()) != fitted.value {
            self.others += 1;
        }
        self.fitting = Some((range, Read { value: fitted.value, notes }));
    }

    fn settle(self, text: &str, reasoning_ended: Option<usize>, schema: &Schema) -> Result<Read, NoAnswer> {
        if let Some(broken) = self.broken {
            return Err(NoAnswer::Broken(broken));
        }
        if let Some((range, Read { value, mut notes })) = self.fitting {
            if reasoning_ended.is_some() {
                notes.push("The model's reasoning was set aside.".into());
            }
            let before = &text[reasoning_ended.unwrap_or(0)..range.start];
            let after = &text[range.end..];
            if let Some(length) = residue(after) {
                let fault =
                    Fault { at: range.end + length, problem: Problem::Wanted("nothing after the answer") };
                return Err(NoAnswer::Broken(fault.told(text)));
            }
            if self.others > 0 {
                return Err(NoAnswer::Several(format!(
                    "The reply holds {} different answers outside reasoning; which one is meant cannot be said. Write \
                     one JSON object and nothing else.",
                    self.others + 1
                )));
            }
            notes.extend(aside(before, after));
            return Ok(Read { value, notes: told(notes) });
        }
        let unfit = self.unfit.or_else(|| self.aside.map(|(_, value)| fit::fitted(value, schema)));
        Err(match (unfit, reasoning_ended) {
            (Some(fitted), _) => NoAnswer::Unfit(Box::new(fitted)),
            (None, Some(_)) => NoAnswer::Broken("No JSON object follows the reasoning in the reply.".into()),
            (None, None) => NoAnswer::Broken("The reply holds no JSON object.".into()),
        })
    }
}

/// Where `after` goes on like the inside of an object: a quote with a comma, a colon or a closing bracket behind it.
/// That is what is left of an answer that ended too early, at a quote that the model forgot to escape and that the text
/// it quotes may have brought along with an answer of its own.
fn residue(after: &str) -> Option<usize> {
    after.match_indices('"').map(|(at, _)| at).find(|at| {
        let behind = after[at + 1..].trim_start();
        behind.starts_with([',', ':', '}', ']'])
    })
}

/// What stood round the answer.
fn aside(before: &str, after: &str) -> Option<String> {
    let is_fenced = before.contains("```") || after.contains("```");
    let words = |text: &str| {
        let bare = text.replace("```json", "").replace("```JSON", "").replace("```", "");
        !bare.trim().is_empty()
    };
    let told = match (is_fenced, words(before), words(after)) {
        (false, false, false) => return None,
        (true, false, false) => "A code fence round the answer was passed over.",
        (_, true, false) => "Words before the answer were passed over.",
        (_, false, true) => "Words after the answer were passed over.",
        (_, true, true) => "Words before and after the answer were passed over.",
    };
    Some(told.into())
}

/// The end of the reasoning that is opened at `at`, blanks apart; of several blocks in a row, of the last. An error
/// where it never ends.
fn past_reasoning(text: &str, at: usize) -> Result<Option<usize>, NoAnswer> {
    let mut at = at;
    let mut past = None;
    loop {
        let rest = text[at..].trim_start();
        let Some((opening, closing)) = REASONING.iter().find(|(opening, _)| starts_with(rest, opening))
        else {
            return Ok(past);
        };
        let inside = text.len() - rest.len() + opening.len();
        let Some(length) = find(&text[inside..], closing) else {
            return Err(NoAnswer::Broken(format!(
                "The reply is reasoning without an end: `{closing}` is missing."
            )));
        };
        at = inside + length + closing.len();
        past = Some(at);
    }
}

fn starts_with(text: &str, mark: &str) -> bool {
    text.as_bytes().get(..mark.len()).is_some_and(|found| found.eq_ignore_ascii_case(mark.as_bytes()))
}

fn find(text: &str, mark: &str) -> Option<usize> {
    text.as_bytes().windows(mark.len()).position(|found| found.eq_ignore_ascii_case(mark.as_bytes()))
}

/// Whether `text`, which begins with a bracket, begins as an answer does and not as prose may.
fn begins_like_an_answer(text: &str) -> bool {
    let inside = text[1..].trim_start();
    if text.starts_with('{') { inside.starts_with('"') } else { inside.starts_with(['{', '"']) }
}

/// Bytes to the bracket that closes the first one of `text`, strings passed over.
fn balanced(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' if in_string => {
                bytes.next();
            }
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}
