//! Whether a reply that was written again says something else than before.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde_json::Value;

use super::labels;
use super::tokens::{Token, Tokens};

/// Fields that say what a model decided.
const DECIDING: &[&str] = &["verdict", "status", "score", "support_level"];

/// Fields beside a label that a repair has no business to change either.
const WEIGHING: &[&str] = &["severity", "confidence"];

/// Fields that hold words of a source.
const QUOTING: &[&str] = &["quote", "source_citation", "key_evidence"];

/// The list of numbers of sentences that hold no claim: each of them is decided too.
const NO_CLAIM: &str = "no_claim";

/// A label that could be read before a repair, and is another one after it, or gone; or one that could not be read
/// before.
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
    /// `verdict`, `status`, `score`, `support_level` or `no_claim`.
    pub field: &'static str,
    /// `None` where none could be read.
    pub before: Option<String>,
    /// `None` where it is gone.
    pub after: Option<String>,
}

impl Change {
    /// The claim that it is about, for a person.
    fn name(&self) -> String {
        let name = self.id.as_ref().or(self.words.as_ref());
        name.map_or_else(|| "the reply".into(), |name| format!("claim `{}`", super::shortened(name, 60)))
    }

    /// Why what it changed is no verdict, for a person.
    pub fn reason(&self) -> String {
        let field = self.field;
        let what = match (&self.before, &self.after) {
            (Some(before), Some(after)) => format!("changed this {field} from {before} to {after}"),
            (Some(before), None) => format!("dropped this {field}: {before}"),
            (None, after) => {
                format!(
                    "added this {field}, of which nothing could be read before: {}",
                    or_gone(after.as_ref())
                )
            }
        };
        format!("the reply had to be repaired, and the repair {what}")
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())?;
        let before = self.before.as_deref().unwrap_or("unreadable");
        write!(f, ": {} {before} before the repair, {} after it.", self.field, or_gone(self.after.as_ref()))
    }
}

fn or_gone(label: Option<&String>) -> &str {
    label.map_or("gone", String::as_str)
}

/// Fields by which a claim is known again, the surest first.
const NAMING: &[&str] = &["claim_text", "claim", "answer_quote", "claim_id", "id", NO_CLAIM];

/// How many of [`NAMING`] are words and no numbers.
const WORDS: usize = 3;

/// Claims of the same name that one is looked for among. Of more, none is known again.
const MOST_NAMESAKES: usize = 16;

/// Bytes of the fields that lead to a claim. Longer than any of ours; what lies deeper is not told apart by them.
const LONGEST_PATH: usize = 256;

/// One object with something decided in it.
#[derive(Debug, Clone, Default, PartialEq)]
struct Decided {
    /// `(field, words)` of [`NAMING`].
    names: Vec<(&'static str, String)>,
    /// `(field, label)` of [`DECIDING`].
    labels: Vec<(&'static str, String)>,
    /// `(field, words)` of [`WEIGHING`].
    weights: Vec<(&'static str, String)>,
    /// The fields that lead to it.
    path: String,
    /// The same with the places in lists.
    pointer: String,
}

impl Decided {
    fn name(&self, field: &str) -> Option<&str> {
        self.names.iter().find(|(found, _)| *found == field).map(|(_, words)| words.as_str())
    }

    fn label(&self, field: &str) -> Option<&str> {
        self.labels.iter().find(|(found, _)| *found == field).map(|(_, label)| label.as_str())
    }

    /// A change of this claim.
    fn change(&self, field: &'static str) -> Change {
        Change {
            place: None,
            path: self.path.clone(),
            id: self.name("claim_id").or_else(|| self.name("id")).map(str::to_owned),
            words: NAMING[..WORDS].iter().find_map(|field| self.name(field)).map(str::to_owned),
            field,
            before: None,
            after: None,
        }
    }
}

/// What is decided in a broken reply, beside the value that it was mended to.
struct Both {
    before: Vec<Decided>,
    now: Vec<Decided>,
    /// For each of `before` the same claim's place in `now`.
    same: Vec<Option<usize>>,
}

impl Both {
    fn new(raw_before: &str, after: &Value) -> Self {
        let before = in_text(raw_before);
        let mut now = Vec::new();
        in_value(after, "", "", &mut now);
        let same = Namesakes::of(&before, &now).each();
        Self { before, now, same }
    }

    fn pairs(&self) -> impl Iterator<Item = (&Decided, &Decided)> {
        let later = |at: &Option<usize>| at.and_then(|at| self.now.get(at));
        self.before.iter().zip(&self.same).filter_map(move |(old, at)| Some((old, later(at)?)))
    }
}

/// The labels that could be read in a broken reply and are others, or gone, in the value that it was mended to; and
/// those of that value that could not be read before, for a repair mends writing and judges nothing. What is no label
/// was none before. Claims are known again by their words, else by their ids.
pub fn verdicts_changed(raw_before: &str, after: &Value) -> Vec<Change> {
    let both = Both::new(raw_before, after);
    let mut changes = Vec::new();
    for (old, at) in both.before.iter().zip(&both.same) {
        let Some(new) = at.and_then(|at| both.now.get(at)) else {
            let label = old.labels.first();
            changes.extend(
                label.map(|(field, label)| Change { before: Some(label.clone()), ..old.change(field) }),
            );
            continue;
        };
        for (field, label) in &old.labels {
            let later = new.label(field);
            if later != Some(label) {
                changes.push(Change {
                    place: Some(new.pointer.clone()),
                    before: Some(label.clone()),
                    after: later.map(str::to_owned),
                    ..old.change(field)
                });
            }
        }
    }
    let mut earlier: Vec<Vec<&Decided>> = vec![Vec::new(); both.now.len()];
    for (old, at) in both.before.iter().zip(&both.same) {
        if let Some(same) = at.and_then(|at| earlier.get_mut(at)) {
            same.push(old);
        }
    }
    for (new, earlier) in both.now.iter().zip(&earlier) {
        for (field, label) in &new.labels {
            // A score and its level say the same: one of them is enough.
            let twin = match *field {
                "score" => "support_level",
                "support_level" => "score",
                other => other,
            };
            if earlier.iter().all(|old| old.label(field).is_none() && old.label(twin).is_none()) {
                changes.push(Change {
                    place: Some(new.pointer.clone()),
                    after: Some(label.clone()),
                    ..new.change(field)
                });
            }
        }
    }
    changes.dedup();
    changes
}

/// Whether `after` can be the same answer as `raw_before`, written better: something that was decided could be read
/// before, or, where nothing is decided, one of its fields.
pub fn is_mended(raw_before: &str, after: &Value) -> bool {
    let both = Both::new(raw_before, after);
    if !both.before.is_empty() {
        return true;
    }
    let names = |field: &String| {
        Tokens(raw_before).any(|token| matches!(token, Token::Scalar(word) if word == *field))
    };
    both.now.is_empty() && after.as_object().is_some_and(|fields| fields.keys().any(names))
}

/// What else a repair changed, each in a sentence: severity and confidence of a claim, and words quoted that stand in
/// no string of the broken reply.
pub fn details_changed(raw_before: &str, after: &Value) -> Vec<String> {
    let mut told = Vec::new();
    for (old, new) in Both::new(raw_before, after).pairs() {
        let name = new.change("").name();
        for field in WEIGHING {
            let [before, later] = [old, new].map(|claim| {
                claim.weights.iter().find(|(found, _)| found == field).map_or("none", |(_, words)| words)
            });
            if before != later {
                told.push(format!("{name}: {field} {before} before the repair, {later} after it."));
            }
        }
    }
    let strings: HashSet<String> = Tokens(raw_before)
        .filter_map(|token| match token {
            Token::Scalar(words) => Some(spaced(&words)),
            _ => None,
        })
        .collect();
    let mut quotes = Vec::new();
    quoted(after, false, &mut quotes);
    for quote in quotes {
        if !strings.contains(&spaced(quote)) {
            told.push(format!("the quotation `{}` stands only in the repair.", super::shortened(quote, 60)));
        }
    }
    told.dedup();
    super::told(told)
}

/// The words that `value` quotes.
fn quoted<'v>(value: &'v Value, is_quote: bool, into: &mut Vec<&'v str>) {
    match value {
        Value::String(words) if is_quote => into.push(words),
        Value::Array(items) => items.iter().for_each(|item| quoted(item, is_quote, into)),
        Value::Object(members) => {
            for (name, value) in members {
                quoted(value, QUOTING.contains(&name.as_str()), into);
            }
        }
        _ => {}
    }
}

fn spaced(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Who bears which name. A reply may hold tens of thousands of objects, so nobody is looked for among all of them.
struct Namesakes<'d> {
    before: &'d [Decided],
    now: &'d [Decided],
    /// Places in `now` by field and words, no more than [`MOST_NAMESAKES`] and one.
    by_name: HashMap<(&'static str, &'d str), Vec<usize>>,
    /// The first of `now` without a name.
    nameless: Option<usize>,
    /// The names of `before`.
    earlier: HashSet<(&'static str, &'d str)>,
}

impl<'d> Namesakes<'d> {
    fn of(before: &'d [Decided], now: &'d [Decided]) -> Self {
        let mut by_name: HashMap<_, Vec<usize>> = HashMap::new();
        for (at, new) in now.iter().enumerate() {
            for (field, words) in &new.names {
                let namesakes = by_name.entry((*field, words.as_str())).or_default();
                if namesakes.len() <= MOST_NAMESAKES {
                    namesakes.push(at);
                }
            }
        }
        let nameless = now.iter().position(|new| new.names.is_empty());
        let names = before.iter().flat_map(|old| &old.names);
        let earlier = names.map(|(field, words)| (*field, words.as_str())).collect();
        Self { before, now, by_name, nameless, earlier }
    }

    /// For each of `before` the same claim's place in `now`.
    fn each(&self) -> Vec<Option<usize>> {
        self.before.iter().map(|old| self.same_claim(old)).collect()
    }

    /// The claim of `now` that `old` is. By an id alone it is only one whose words belong to no other of `before`: a
    /// repair may number claims anew.
    fn same_claim(&self, old: &Decided) -> Option<usize> {
        if old.names.is_empty() {
            return self.nameless;
        }
        NAMING.iter().find_map(|field| {
            let namesakes = self.by_name.get(&(*field, old.name(field)?))?;
            if namesakes.len() > MOST_NAMESAKES {
                return None;
            }
            let mut same: Vec<usize> =
                namesakes.iter().copied().filter(|at| !self.is_others(old, &self.now[*at], field)).collect();
            if same.len() > 1 {
                same.retain(|at| self.now[*at].path == old.path);
            }
            match same.as_slice() {
                [only] => Some(*only),
                _ => None,
            }
        })
    }

    /// Whether the words of `new`, which has an id in common with `old`, are those of another one before.
    fn is_others(&self, old: &Decided, new: &Decided, field: &str) -> bool {
        matches!(field, "claim_id" | "id")
            && NAMING[..WORDS].iter().any(|words| {
                let theirs = new.name(words);
                theirs != old.name(words)
                    && theirs.is_some_and(|theirs| self.earlier.contains(&(*words, theirs)))
            })
    }
}

/// `path` and the field below it.
fn below(path: &str, field: &str) -> String {
    if path.len() + field.len() < LONGEST_PATH { format!("{path}/{field}") } else { path.to_owned() }
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
                in_value(value, &below(&path, name), &format!("{pointer}/{name}"), into);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                let pointer = format!("{pointer}/{at}");
                if let Value::Number(number) = item {
                    into.extend(no_claim(path, &pointer, &number.to_string()));
                }
                in_value(item, path, &pointer, into);
            }
        }
        _ => {}
    }
}

/// An entry of a list of sentences without a claim.
fn no_claim(path: &str, pointer: &str, number: &str) -> Option<Decided> {
    let entry = || vec![(NO_CLAIM, number.to_owned())];
    path.ends_with("/no_claim").then(|| Decided {
        names: entry(),
        labels: entry(),
        weights: Vec::new(),
        path: path.to_owned(),
        pointer: pointer.to_owned(),
    })
}

impl Decided {
    fn note(&mut self, field: &str, scalar: &str) {
        let find = |names: &[&'static str]| names.iter().find(|name| **name == field).copied();
        if let Some(field) = find(WEIGHING) {
            let number = scalar.parse::<f64>().ok().map(|number| number.to_string());
            self.weights.push((field, number.unwrap_or_else(|| scalar.trim().to_uppercase())));
        } else if let Some(field) = find(DECIDING) {
            self.labels.extend(labels::decided(field, scalar).map(|label| (field, label)));
        } else if let Some(field) = find(NAMING) {
            self.names.push((field, scalar.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
    }
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
    let mut listed = Vec::new();
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
                    key.map_or_else(|| frame.decided.path.clone(), |key| below(&frame.decided.path, key))
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
                    } else if frame.is_list {
                        listed.extend(no_claim(&frame.decided.path, "", &words));
                    }
                    frame.last = Some(words);
                }
            }
        }
    }
    open.into_iter().rev().for_each(&mut close);
    found.extend(listed);
    found
}
