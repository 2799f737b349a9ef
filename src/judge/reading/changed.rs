//! Whether a reply that was written again says something else than before.

use std::fmt;

use serde_json::Value;

use super::labels;

/// Fields that say what a model decided.
const DECIDING: &[&str] = &["verdict", "status", "score", "support_level"];

/// A label that could be read before a repair, and is another one after it, or gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Where the claim stands in the repaired value, as a JSON pointer; `None` where it is gone.
    pub place: Option<String>,
    /// The fields that led to the claim before: `/baseline_analysis/claims`.
    pub path: String,
    /// The claim's id before, if it had one.
    pub id: Option<String>,
    /// The claim in its own words before, or the words of the answer that it quoted.
    pub words: Option<String>,
    /// `verdict`, `status`, `score` or `support_level`.
    pub field: &'static str,
    pub before: String,
    /// `None` where it is gone.
    pub after: Option<String>,
}

impl Change {
    /// Why what it changed is no verdict, for a person.
    pub fn reason(&self) -> String {
        let before = &self.before;
        match &self.after {
            Some(after) => format!(
                "the reply had to be repaired, and the repair changed this {} from {before} to {after}",
                self.field
            ),
            None => {
                format!("the reply had to be repaired, and the repair dropped this {}: {before}", self.field)
            }
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.id.as_ref().or(self.words.as_ref()) {
            Some(name) => write!(f, "claim `{}`", super::shortened(name, 60))?,
            None => f.write_str("the reply")?,
        }
        let after = self.after.as_deref().unwrap_or("gone");
        write!(f, ": {} {} before the repair, {after} after it.", self.field, self.before)
    }
}

/// Fields by which a claim is known again, the surest first.
const NAMING: &[&str] = &["claim_text", "claim", "answer_quote", "claim_id", "id"];

/// How many of [`NAMING`] are words and no numbers.
const WORDS: usize = 3;

/// One object with something decided in it.
#[derive(Debug, Clone, Default, PartialEq)]
struct Decided {
    /// `(field, words)` of [`NAMING`].
    names: Vec<(&'static str, String)>,
    /// `(field, label)` of [`DECIDING`].
    labels: Vec<(&'static str, String)>,
    /// The fields that lead to it.
    path: String,
    /// The same with the places in lists.
    pointer: String,
}

impl Decided {
    fn name(&self, field: &str) -> Option<&str> {
        self.names.iter().find(|(found, _)| *found == field).map(|(_, words)| words.as_str())
    }

    fn change(&self, place: Option<&str>, label: &(&'static str, String), after: Option<&str>) -> Change {
        Change {
            place: place.map(str::to_owned),
            path: self.path.clone(),
            id: self.name("claim_id").or_else(|| self.name("id")).map(str::to_owned),
            words: NAMING[..WORDS].iter().find_map(|field| self.name(field)).map(str::to_owned),
            field: label.0,
            before: label.1.clone(),
            after: after.map(str::to_owned),
        }
    }
}

/// The labels that could be read in a broken reply and are others, or gone, in the value that it was mended to. What
/// is no label was none before. Claims are known again by their words, else by their ids.
pub fn verdicts_changed(raw_before: &str, after: &Value) -> Vec<Change> {
    let before = in_text(raw_before);
    let mut now = Vec::new();
    in_value(after, "", "", &mut now);
    let mut changes = Vec::new();
    for old in &before {
        let Some(new) = same_claim(old, &before, &now) else {
            changes.extend(old.labels.first().map(|label| old.change(None, label, None)));
            continue;
        };
        for label in &old.labels {
            let later = new.labels.iter().find(|(field, _)| *field == label.0);
            let later = later.map(|(_, label)| label.as_str());
            if later != Some(&label.1) {
                changes.push(old.change(Some(&new.pointer), label, later));
            }
        }
    }
    changes.dedup();
    changes
}

/// The claim of `now` that `old` is. By an id alone it is only one whose words belong to no other of `before`: a
/// repair may number claims anew.
fn same_claim<'a>(old: &Decided, before: &[Decided], now: &'a [Decided]) -> Option<&'a Decided> {
    let is_others = |new: &Decided, field: &str| {
        matches!(field, "claim_id" | "id")
            && NAMING[..WORDS].iter().any(|words| {
                let theirs = new.name(words);
                theirs.is_some()
                    && theirs != old.name(words)
                    && before.iter().any(|other| other.name(words) == theirs)
            })
    };
    if old.names.is_empty() {
        return now.iter().find(|new| new.names.is_empty());
    }
    NAMING.iter().find_map(|field| {
        let name = old.name(field)?;
        let mut same: Vec<&Decided> =
            now.iter().filter(|new| new.name(field) == Some(name) && !is_others(new, field)).collect();
        if same.len() > 1 {
            same.retain(|new| new.path == old.path);
        }
        match same.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    })
}

fn in_value(value: &Value, path: &str, pointer: &str, into: &mut Vec<Decided>) {
    match value {
        Value::Object(members) => {
            let (path, pointer) = (path.to_owned(), pointer.to_owned());
            let mut decided = Decided { path, pointer, ..Decided::default() };
            for (name, value) in members {
                let scalar = match value {
                    Value::String(text) => Some(text.clone()),
                    Value::Number(number) => Some(number.to_string()),
                    _ => None,
                };
                if let Some(scalar) = scalar {
                    decided.note(name, &scalar);
                }
            }
            let (path, pointer) = (decided.path.clone(), decided.pointer.clone());
            if !decided.labels.is_empty() {
                into.push(decided);
            }
            for (name, value) in members {
                in_value(value, &format!("{path}/{name}"), &format!("{pointer}/{name}"), into);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                in_value(item, path, &format!("{pointer}/{at}"), into);
            }
        }
        _ => {}
    }
}

impl Decided {
    fn note(&mut self, field: &str, scalar: &str) {
        let find = |names: &[&'static str]| names.iter().find(|name| **name == field).copied();
        if let Some(field) = find(DECIDING) {
            self.labels.extend(labels::decided(field, scalar).map(|label| (field, label)));
        } else if let Some(field) = find(NAMING) {
            self.names.push((field, scalar.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
    }
}

/// A piece of a text that should have been JSON.
enum Token {
    Open,
    Close,
    List,
    EndOfList,
    Colon,
    Comma,
    Scalar(String),
}

/// An object or list that is open.
#[derive(Default)]
struct Open {
    decided: Decided,
    key: Option<String>,
    last: Option<String>,
    is_list: bool,
}

/// What is decided in a text that need not be JSON: every object that it opens, whether or not it closes it.
fn in_text(text: &str) -> Vec<Decided> {
    let mut open: Vec<Open> = Vec::new();
    let mut found = Vec::new();
    let mut close = |frame: Open| {
        if !frame.decided.labels.is_empty() {
            found.push(frame.decided);
        }
    };
    for token in Tokens(text) {
        match token {
            Token::Open | Token::List => {
                let path = open.last().map_or_else(String::new, |frame| {
                    let key = frame.key.as_deref().filter(|_| !frame.is_list);
                    key.map_or_else(
                        || frame.decided.path.clone(),
                        |key| format!("{}/{key}", frame.decided.path),
                    )
                });
                // Not more levels than any reply has: a hostile one has the rest in its last.
                if open.len() < 64 {
                    let is_list = matches!(token, Token::List);
                    open.push(Open {
                        decided: Decided { path, ..Decided::default() },
                        is_list,
                        ..Open::default()
                    });
                }
            }
            Token::Close | Token::EndOfList => {
                let is_list = matches!(token, Token::EndOfList);
                // A bracket that was forgotten within is closed by the one without.
                if let Some(at) = open.iter().rposition(|frame| frame.is_list == is_list) {
                    open.drain(at..).rev().for_each(&mut close);
                }
            }
            Token::Colon => {
                if let Some(frame) = open.last_mut() {
                    frame.key = frame.last.take();
                }
            }
            Token::Comma => {
                if let Some(frame) = open.last_mut() {
                    (frame.key, frame.last) = (None, None);
                }
            }
            Token::Scalar(words) => {
                if let Some(frame) = open.last_mut() {
                    if let Some(key) = frame.key.take() {
                        frame.decided.note(&key, &words);
                    }
                    frame.last = Some(words);
                }
            }
        }
    }
    open.into_iter().rev().for_each(&mut close);
    found
}

/// The tokens of a text that should have been JSON. Strings may be unclosed and words unquoted.
struct Tokens<'a>(&'a str);

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let rest = self.0.trim_start_matches(|c: char| c.is_whitespace());
        let first = rest.chars().next()?;
        let mark = match first {
            '{' => Some(Token::Open),
            '}' => Some(Token::Close),
            '[' => Some(Token::List),
            ']' => Some(Token::EndOfList),
            ':' => Some(Token::Colon),
            ',' => Some(Token::Comma),
            _ => None,
        };
        if let Some(mark) = mark {
            self.0 = &rest[1..];
            return Some(mark);
        }
        if let '"' | '\'' = first {
            let inside = &rest[1..];
            let mut escaped = false;
            let end = inside.char_indices().find_map(|(at, c)| {
                let ends = c == first && !escaped;
                escaped = c == '\\' && !escaped;
                ends.then_some(at)
            });
            let end = end.unwrap_or(inside.len());
            self.0 = inside.get(end + 1..).unwrap_or_default();
            return Some(Token::Scalar(unescaped(&inside[..end])));
        }
        let end =
            rest.find(['{', '}', '[', ']', ':', ',', '"', '\n']).unwrap_or(rest.len()).max(first.len_utf8());
        self.0 = &rest[end..];
        Some(Token::Scalar(rest[..end].trim().to_owned()))
    }
}

fn unescaped(text: &str) -> String {
    let quoted = format!("\"{text}\"");
    match super::json::whole(&quoted) {
        Ok(super::json::Parsed { value: Value::String(text), .. }) => text,
        _ => text.to_owned(),
    }
}
