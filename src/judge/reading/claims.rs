//! The claims of a reply, as JSON or as a text that should have been JSON: every object in which something is or should
//! be decided, with all that it says. Must not know what is made of it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::labels;
use super::tokens::{Token, Tokens};

/// Fields that say what a model decided.
const DECIDING: &[&str] = &["verdict", "status", "score", "support_level"];

/// The list of numbers of sentences that hold no claim: each of them is decided too.
const NO_CLAIM: &str = "no_claim";

/// Fields by which a claim is known again, the surest first.
pub(super) const NAMING: &[&str] = &["claim_text", "claim", "answer_quote", "claim_id", "id", NO_CLAIM];

/// How many of [`NAMING`] are words and no numbers.
pub(super) const WORDS: usize = 3;

/// Fields without which an object is no claim, though nothing could be read of its label.
const OF_A_CLAIM: &[&str] = &["claim_text", "claim", "answer_quote", "claim_id"];

/// Bytes of the fields that lead to a claim. Longer than any of ours; what lies deeper is not told apart by them.
const LONGEST_PATH: usize = 256;

/// Levels of a text that are told apart. More than any reply has: a hostile one has the rest in its last.
const DEEPEST: usize = 64;

/// One object with something decided in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Decided {
    /// `(field, words)` of [`NAMING`].
    pub(super) names: Vec<(&'static str, String)>,
    /// `(field, label)` of what decides.
    pub(super) labels: Vec<(&'static str, String)>,
    /// Fields of what decides in which no label could be read.
    pub(super) unread: Vec<&'static str>,
    /// `(field, words)` of everything else that says something, in its order, that of its citations included.
    content: Vec<(String, String)>,
    /// The fields that lead to it.
    pub(super) path: String,
    /// The same with the places in lists; empty for a text.
    pub(super) pointer: String,
}

impl Decided {
    pub(super) fn name(&self, field: &str) -> Option<&str> {
        self.names.iter().find(|(found, _)| *found == field).map(|(_, words)| words.as_str())
    }

    pub(super) fn label(&self, field: &str) -> Option<&str> {
        self.labels.iter().find(|(found, _)| *found == field).map(|(_, label)| label.as_str())
    }

    /// What it says beside its labels and ids, by field.
    pub(super) fn said(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut said: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (field, words) in &self.content {
            said.entry(field).or_default().push(words);
        }
        said
    }

    fn is_claim(&self) -> bool {
        !self.labels.is_empty() || self.names.iter().any(|(field, _)| OF_A_CLAIM.contains(field))
    }

    /// Takes what an object under `field` of this one says, if that is no claim of its own. Gives it back else.
    fn absorb(&mut self, field: &str, inner: Self) -> Option<Self> {
        // A label with something beside it: `"verdict": {"verdict": …, "confidence": …}`.
        let is_label = inner.names.is_empty() && DECIDING.iter().any(|name| name.eq_ignore_ascii_case(field));
        if inner.is_claim() && !is_label {
            return Some(inner);
        }
        self.labels.extend(inner.labels);
        self.unread.extend(inner.unread);
        self.content.extend(inner.content);
        None
    }

    /// `field` is written in any case.
    fn note(&mut self, field: &str, scalar: &str) {
        let field = field.to_ascii_lowercase();
        let field = field.as_str();
        let find = |names: &[&'static str]| names.iter().find(|name| **name == field).copied();
        if let Some(field) = find(DECIDING) {
            match labels::decided(field, scalar) {
                Some(label) => self.labels.push((field, label)),
                None => self.unread.push(field),
            }
            return;
        }
        if let Some(field) = find(NAMING) {
            let name = spaced(scalar);
            self.names.extend((!name.is_empty()).then_some((field, name)));
            if !OF_A_CLAIM[..WORDS].contains(&field) {
                return;
            }
        }
        self.content.extend(labels::said(field, scalar).map(|said| (field.to_owned(), spaced(&said))));
    }
}

fn spaced(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `path` and the field below it.
fn below(path: &str, field: &str) -> String {
    if path.len() + field.len() < LONGEST_PATH {
        format!("{path}/{}", field.to_ascii_lowercase())
    } else {
        path.to_owned()
    }
}

/// An entry of a list of sentences without a claim.
fn no_claim(path: &str, pointer: &str, number: &str) -> Option<Decided> {
    let entry = || vec![(NO_CLAIM, number.to_owned())];
    path.ends_with("/no_claim").then(|| Decided {
        names: entry(),
        labels: entry(),
        path: path.to_owned(),
        pointer: pointer.to_owned(),
        ..Decided::default()
    })
}

/// The claims of a value.
pub(super) fn in_value(value: &Value) -> Vec<Decided> {
    let mut found = Vec::new();
    let mut root = Decided::default();
    member(&mut root, "", value, ("", ""), &mut found);
    found
}

/// What stands under `field` of `owner`, or in a list there, at that path and pointer.
fn member(owner: &mut Decided, field: &str, value: &Value, at: (&str, &str), found: &mut Vec<Decided>) {
    let (path, pointer) = at;
    match value {
        Value::String(text) => owner.note(field, text),
        Value::Number(number) => owner.note(field, &number.to_string()),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let pointer = format!("{pointer}/{index}");
                match item.as_number().and_then(|number| no_claim(path, &pointer, &number.to_string())) {
                    Some(entry) => found.push(entry),
                    None => member(owner, field, item, (path, &pointer), found),
                }
            }
        }
        Value::Object(members) => {
            let inner = object(members, path, pointer, found);
            found.extend(owner.absorb(field, inner));
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn object(members: &Map<String, Value>, path: &str, pointer: &str, found: &mut Vec<Decided>) -> Decided {
    let mut own = Decided { path: path.to_owned(), pointer: pointer.to_owned(), ..Decided::default() };
    for (name, value) in members {
        member(&mut own, name, value, (&below(path, name), &format!("{pointer}/{name}")), found);
    }
    own
}

/// An object or list that is open.
#[derive(Default)]
struct Open {
    decided: Decided,
    /// The field under which it was opened.
    field: String,
    key: Option<String>,
    /// What was read and has no place yet: a key, or an item of a list.
    last: Option<String>,
    is_list: bool,
}

impl Open {
    fn scalar(&mut self, words: String, found: &mut Vec<Decided>) {
        if self.is_list {
            self.item(found);
            self.last = Some(words);
        } else if let Some(key) = self.key.take().or_else(|| self.last.take()) {
            self.decided.note(&key, &words);
        } else {
            self.last = Some(words);
        }
    }

    /// Ends an item of a list, or a field.
    fn item(&mut self, found: &mut Vec<Decided>) {
        self.key = None;
        let Some(words) = self.last.take().filter(|_| self.is_list) else { return };
        match no_claim(&self.decided.path, "", &words) {
            Some(entry) => found.push(entry),
            None => self.decided.note(&self.field, &words),
        }
    }
}

/// What is open, the innermost last, and the claims that were closed.
#[derive(Default)]
struct Reader {
    open: Vec<Open>,
    found: Vec<Decided>,
}

impl Reader {
    fn begin(&mut self, is_list: bool) {
        let (path, field) = match self.open.last_mut() {
            None => Default::default(),
            Some(around) => match around.key.take() {
                Some(key) => (below(&around.decided.path, &key), key),
                None => (around.decided.path.clone(), around.field.clone()),
            },
        };
        if self.open.len() < DEEPEST {
            let decided = Decided { path, ..Decided::default() };
            self.open.push(Open { decided, field, is_list, ..Open::default() });
        }
    }

    /// Closes the innermost object or list, and what was forgotten to be closed within.
    fn end(&mut self, is_list: bool) {
        if let Some(at) = self.open.iter().rposition(|frame| frame.is_list == is_list) {
            while self.open.len() > at {
                self.close();
            }
        }
    }

    fn close(&mut self) {
        let Some(mut frame) = self.open.pop() else { return };
        frame.item(&mut self.found);
        match self.open.last_mut() {
            Some(around) if frame.is_list => around.decided.content.extend(frame.decided.content),
            Some(around) => self.found.extend(around.decided.absorb(&frame.field, frame.decided)),
            None if !frame.is_list && frame.decided.is_claim() => self.found.push(frame.decided),
            None => {}
        }
    }

    fn colon(&mut self) {
        let Some(key) = self.open.last_mut().and_then(|frame| frame.last.take()) else { return };
        // A list has no keys: its bracket was forgotten, and what follows is of the object around it.
        if self.open.last().is_some_and(|frame| frame.is_list) {
            self.close();
        }
        if let Some(frame) = self.open.last_mut() {
            frame.key = Some(key);
        }
    }
}

/// The claims of a text that need not be JSON: of every object that it opens, whether or not it closes it.
pub(super) fn in_text(text: &str) -> Vec<Decided> {
    let mut reader = Reader::default();
    for token in Tokens::new(text) {
        match token {
            Token::Open => reader.begin(false),
            Token::List => reader.begin(true),
            Token::Close => reader.end(false),
            Token::EndOfList => reader.end(true),
            Token::Colon => reader.colon(),
            Token::Comma => {
                if let Some(frame) = reader.open.last_mut() {
                    frame.item(&mut reader.found);
                    frame.last = None;
                }
            }
            Token::Scalar(words) => {
                if let Some(frame) = reader.open.last_mut() {
                    frame.scalar(words, &mut reader.found);
                }
            }
        }
    }
    while !reader.open.is_empty() {
        reader.close();
    }
    reader.found
}
