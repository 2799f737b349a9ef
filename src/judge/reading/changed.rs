//! Whether a reply that was written again says something else than before.
//!
//! A repair may change the form: marks, brackets, the writing of labels and numbers, names of fields, and what says
//! nothing, which may be null or missing. Everything else that a claim says must have been said of it before, in the
//! same fields and the same order; what was not is a [`Change`], and a claim with one has no verdict.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde_json::Value;

use super::claims::{Decided, NAMING, WORDS, in_text, in_value};
use super::labels;
use super::tokens::{Token, Tokens};

/// Characters of what a field said that are told.
const LONGEST_SAID: usize = 60;

/// What a claim said before a repair and does not say after it, or the other way round.
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
    /// `verdict`, `claim_text`, `quote` …
    pub field: String,
    /// `None` where nothing could be read, or nothing was said.
    pub before: Option<String>,
    /// `None` where it is gone.
    pub after: Option<String>,
}

impl Change {
    /// A change of `claim`.
    fn of(claim: &Decided, field: &str) -> Self {
        Self {
            place: None,
            path: claim.path.clone(),
            id: claim.name("claim_id").or_else(|| claim.name("id")).map(str::to_owned),
            words: NAMING[..WORDS].iter().find_map(|field| claim.name(field)).map(str::to_owned),
            field: field.to_owned(),
            before: None,
            after: None,
        }
    }

    /// The claim that it is about, for a person.
    fn name(&self) -> String {
        let name = self.id.as_ref().or(self.words.as_ref());
        name.map_or_else(|| "the reply".into(), |name| format!("claim `{}`", told(name)))
    }

    /// Why what it changed is no verdict, for a person.
    pub fn reason(&self) -> String {
        let field = &self.field;
        let what = match (&self.before, &self.after) {
            (Some(before), Some(after)) => {
                format!("the repair changed this {field} from {} to {}", told(before), told(after))
            }
            (Some(before), None) => format!("the repair dropped this {field}: {}", told(before)),
            (None, Some(after)) => {
                format!(
                    "the repair added this {field}, of which nothing could be read before: {}",
                    told(after)
                )
            }
            (None, None) => format!("its {field} could not be read"),
        };
        format!("the reply had to be repaired, and {what}")
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let before = self.before.as_deref().map_or_else(|| "unreadable".to_owned(), told);
        let after = self.after.as_deref().map_or_else(|| "gone".to_owned(), told);
        write!(f, "{}: {} {before} before the repair, {after} after it.", self.name(), self.field)
    }
}

fn told(said: &str) -> String {
    super::shortened(said, LONGEST_SAID)
}

/// Claims of the same name that one is looked for among. Of more, none is known again.
const MOST_NAMESAKES: usize = 16;

/// What is decided in a broken reply, beside the value that it was mended to.
struct Both {
    before: Vec<Decided>,
    now: Vec<Decided>,
    /// For each of `before` the same claim's place in `now`.
    same: Vec<Option<usize>>,
}

impl Both {
    fn new(raw_before: &str, after: &Value) -> Self {
        let (before, now) = (in_text(raw_before), in_value(after));
        let same = Namesakes::of(&before, &now).each();
        Self { before, now, same }
    }

    /// Whether one of the labels in the value `after` was said of the same claim, under another name.
    fn has_renamed_label(&self, after: &Value) -> bool {
        let mut fields = HashSet::new();
        names_of(after, &mut fields);
        self.before.iter().zip(&self.same).any(|(old, at)| {
            let Some(new) = at.and_then(|at| self.now.get(at)) else { return false };
            new.labels
                .iter()
                .any(|(field, label)| renamed_label(field, &[old], &fields).as_ref() == Some(label))
        })
    }
}

/// What the claims of a value say that was mended from `raw_before`, and did not say there; and the claims that are
/// gone, also those whose label could not be read. Claims are known again by their words, else by their ids.
pub fn changes(raw_before: &str, after: &Value) -> Vec<Change> {
    let both = Both::new(raw_before, after);
    let mut found = Vec::new();
    let mut earlier: Vec<Vec<&Decided>> = vec![Vec::new(); both.now.len()];
    for (old, at) in both.before.iter().zip(&both.same) {
        match at.and_then(|at| earlier.get_mut(at)) {
            Some(same) => same.push(old),
            None => found.push(match old.labels.first() {
                Some((field, label)) => Change { before: Some(label.clone()), ..Change::of(old, field) },
                None => Change::of(old, "label"),
            }),
        }
    }
    let mut fields = HashSet::new();
    names_of(after, &mut fields);
    for (new, earlier) in both.now.iter().zip(&earlier) {
        let at = found.len();
        of_labels(new, earlier, &fields, &mut found);
        // A claim that was written several times counts as it was written last.
        if let Some(last) = earlier.last() {
            of_content(new, last, &fields, &mut found);
        }
        for change in &mut found[at..] {
            change.place = Some(new.pointer.clone());
        }
    }
    found.dedup();
    found
}

/// `fields` are the names in the value: a label that stood under another name may have been given its own.
fn of_labels(new: &Decided, earlier: &[&Decided], fields: &HashSet<&str>, found: &mut Vec<Change>) {
    for old in earlier {
        for (field, label) in &old.labels {
            let later = new.label(field);
            if later != Some(label) {
                let (before, after) = (Some(label.clone()), later.map(str::to_owned));
                found.push(Change { before, after, ..Change::of(old, field) });
            }
        }
    }
    for (field, label) in &new.labels {
        // A score and its level say the same: one of them is enough.
        let twin = match *field {
            "score" => "support_level",
            "support_level" => "score",
            other => other,
        };
        if earlier.iter().all(|old| old.label(field).is_none() && old.label(twin).is_none())
            && renamed_label(field, earlier, fields).as_ref() != Some(label)
        {
            found.push(Change { after: Some(label.clone()), ..Change::of(new, field) });
        }
    }
}

/// The one label of `field` that stands under names of no field in the value, where nothing stands under its own. A
/// number may mean anything, so it is none.
fn renamed_label(field: &str, earlier: &[&Decided], fields: &HashSet<&str>) -> Option<String> {
    if field == "score" || earlier.iter().any(|old| old.unread.contains(&field)) {
        return None;
    }
    let said = earlier.iter().flat_map(|old| old.said()).filter(|(name, _)| !fields.contains(name));
    let mut labels = said.flat_map(|(_, words)| words).filter_map(|words| labels::decided(field, words));
    let first = labels.next()?;
    labels.all(|other| other == first).then_some(first)
}

/// Whether two fields say the same, but for the kind of their quotation marks.
fn are_same(was: &[&str], is: &[&str]) -> bool {
    was == is || (was.len() == is.len() && was.iter().zip(is).all(|(was, is)| marked(was) == marked(is)))
}

/// `text` with every quotation mark alike. One right behind a digit may be a unit, feet or inches, and stays.
fn marked(text: &str) -> String {
    let mut before = ' ';
    let alike = |c: char| {
        let is_mark = "\"'`“”„‟‘’‚‛«»‹›".contains(c) && !before.is_ascii_digit();
        before = c;
        if is_mark { '"' } else { c }
    };
    text.chars().map(alike).collect()
}

/// Everything beside the labels, field by field. `fields` are the names in the value: what stood under another name
/// may have been given its own.
fn of_content(new: &Decided, old: &Decided, fields: &HashSet<&str>, found: &mut Vec<Change>) {
    let (before, now) = (old.said(), new.said());
    let mut renamed: Vec<&Vec<&str>> =
        before.iter().filter(|(field, _)| !fields.contains(*field)).map(|(_, said)| said).collect();
    let mut each: Vec<&&str> =
        now.keys().chain(before.keys().filter(|field| fields.contains(*field))).collect();
    each.sort_unstable();
    each.dedup();
    for field in each {
        let (was, is) = (before.get(field), now.get(field));
        if was == is || was.zip(is).is_some_and(|(was, is)| are_same(was, is)) {
            continue;
        }
        let other =
            is.filter(|_| was.is_none()).and_then(|is| renamed.iter().position(|said| are_same(said, is)));
        if let Some(at) = other {
            renamed.swap_remove(at);
            continue;
        }
        let told = |said: Option<&Vec<&str>>| said.map(|said| said.join(" / "));
        found.push(Change { before: told(was), after: told(is), ..Change::of(old, field) });
    }
}

/// The names of all fields in `value`.
fn names_of<'v>(value: &'v Value, into: &mut HashSet<&'v str>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                into.insert(name);
                names_of(value, into);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| names_of(item, into)),
        _ => {}
    }
}

/// Whether `after` can be the same answer as `raw_before`, written better: something that was decided could be read
/// before, or, where nothing is decided, one of its fields.
pub fn is_mended(raw_before: &str, after: &Value) -> bool {
    let both = Both::new(raw_before, after);
    if both.before.iter().any(|old| !old.labels.is_empty()) || both.has_renamed_label(after) {
        return true;
    }
    let names = |field: &String| {
        Tokens::new(raw_before)
            .any(|token| matches!(token, Token::Scalar(word) if word.eq_ignore_ascii_case(field)))
    };
    both.now.is_empty() && after.as_object().is_some_and(|fields| fields.keys().any(names))
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
