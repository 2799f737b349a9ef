//! From files to items: joined by id, each with its documents, and every reason why one is not among them.

use std::collections::hash_map::Entry as Slot;
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::super::Context;
use crate::domain::event::sha256_hex;
use crate::domain::record::{Passage, RiskLevel};
use crate::format::golden::{Entry, parse};
use crate::format::native::too_long;
use crate::format::source::{Heard, Input, SourceError, expand};
use crate::report::comparison::LeftOut;
use crate::text::sanitize::shortened;

/// Bad lines printed one by one; the rest are counted.
const ERRORS_PRINTED: u64 = 20;

/// Where the answers stand.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sources<'a> {
    /// Both in a line; of the sides that are made none.
    Together {
        items: &'a [PathBuf],
        makes: [bool; 2],
    },
    Apart {
        baseline: &'a Path,
        candidate: &'a Path,
        documents: Option<&'a Path>,
    },
}

/// One side of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Side {
    Answer(String),
    /// A command is to make it.
    ToMake,
}

/// An item that can be compared once its answers are there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pairing {
    pub(super) id: String,
    pub(super) question: Option<String>,
    pub(super) documents: Vec<Passage>,
    /// Baseline, candidate.
    pub(super) sides: [Side; 2],
    pub(super) risk_level: Option<RiskLevel>,
}

impl Pairing {
    /// SHA-256 over everything of it.
    pub(super) fn digest(&self) -> String {
        let [baseline, candidate] = self.sides.each_ref().map(|side| match side {
            Side::Answer(text) => text.as_str(),
            Side::ToMake => "",
        });
        let documents = serde_json::to_string(&self.documents).unwrap_or_default();
        let question = self.question.as_deref().unwrap_or_default();
        let risk = self.risk_level.map_or("", RiskLevel::label);
        sha256_hex([&*self.id, question, baseline, candidate, &documents, risk])
    }
}

/// An item that only one side has.
#[derive(Debug)]
pub(super) struct Alone {
    pub(super) left_out: LeftOut,
    /// SHA-256 over what that side says.
    pub(super) digest: String,
}

/// What the files hold.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// In the order of the first file.
    pub(super) items: Vec<Pairing>,
    /// Items that only one side has.
    pub(super) alone: Vec<Alone>,
    /// Lines that are no items.
    pub(super) bad: u64,
    /// How the documents were found, as far as the lines of either side say.
    pub(super) retrieval: BTreeSet<String>,
}

pub(super) fn read(sources: Sources<'_>, context: &mut Context) -> Result<Reading, SourceError> {
    let mut reading = Reading::default();
    match sources {
        Sources::Together { items, makes } => {
            for (place, mut entry) in entries(items, context, &mut reading.bad)? {
                reading.retrieval.extend(entry.retrieval.take());
                match together(entry, makes) {
                    Ok(item) => reading.items.push(item),
                    Err(reason) => complain(&place, &reason, context, &mut reading.bad),
                }
            }
        }
        Sources::Apart { baseline, candidate, documents } => {
            let mut file = |path: &Path| entries(&[path.to_path_buf()], context, &mut reading.bad);
            let (before, after) = (file(baseline)?, file(candidate)?);
            let documents = documents.map(file).transpose()?.unwrap_or_default();
            let documents = shared(documents, context, &mut reading.bad);
            apart(before, after, &documents, context, &mut reading);
        }
    }
    if reading.bad > ERRORS_PRINTED {
        context.out.error(&format!("{} more lines are no items", reading.bad - ERRORS_PRINTED));
    }
    Ok(reading)
}

fn complain(place: &str, reason: &str, context: &mut Context, bad: &mut u64) {
    *bad += 1;
    if *bad <= ERRORS_PRINTED {
        context.out.error(&format!("{place}: {reason}"));
    }
}

/// The good lines of the files, each with its place; no two have the same id.
fn entries(
    paths: &[PathBuf],
    context: &mut Context,
    bad: &mut u64,
) -> Result<Vec<(String, Entry)>, SourceError> {
    let inputs = expand(paths)?;
    for input in &inputs {
        input.probe()?;
    }
    let mut found: Vec<(String, Entry)> = Vec::new();
    let mut places: HashMap<String, String> = HashMap::new();
    for input in &inputs {
        one_file(input, &mut |place, entry| match entry {
            Err(reason) => complain(&place, &shortened(&reason), context, bad),
            Ok(entry) => match places.entry(entry.id.clone()) {
                Slot::Occupied(first) => {
                    let reason = format!("the id `{}` stands twice, first at {}", entry.id, first.get());
                    complain(&place, &reason, context, bad);
                }
                Slot::Vacant(free) => {
                    free.insert(place.clone());
                    found.push((place, entry));
                }
            },
        });
    }
    Ok(found)
}

fn one_file(input: &Input, each: &mut dyn FnMut(String, Result<Entry, String>)) {
    let name = input.name();
    let ended = input.lines(&Arc::new(AtomicU64::new(0)), &mut |heard| {
        match heard {
            Heard::Line(_, Ok(text)) if text.trim_ascii().is_empty() => {}
            Heard::Line(number, Ok(text)) => each(format!("{name}:{number}"), parse(text)),
            Heard::Line(number, Err(length)) => each(format!("{name}:{number}"), Err(too_long(length))),
            Heard::Pause => {}
        }
        ControlFlow::Continue(())
    });
    if let Err(error) = ended {
        let after =
            if error.after_line > 0 { format!("after line {}: ", error.after_line) } else { String::new() };
        each(name.to_string(), Err(format!("{after}{}", error.reason)));
    }
}

/// An item with both answers in its line, but for those that a command makes.
fn together(entry: Entry, makes: [bool; 2]) -> Result<Pairing, String> {
    let documents = entry
        .documents
        .ok_or("missing `documents` (a list of texts): there is nothing to hold the answers against")?;
    let side = |name: &str, answer: Option<String>, is_made: bool| match (answer, is_made) {
        (_, true) => Ok(Side::ToMake),
        (Some(answer), false) => Ok(Side::Answer(answer)),
        (None, false) => {
            Err(format!("missing `{name}` (a text): the answer of that version, or --{name}-cmd to make it"))
        }
    };
    let [makes_baseline, makes_candidate] = makes;
    Ok(Pairing {
        sides: [
            side("baseline", entry.baseline, makes_baseline)?,
            side("candidate", entry.candidate, makes_candidate)?,
        ],
        id: entry.id,
        question: entry.question,
        documents,
        risk_level: entry.risk_level,
    })
}

/// The lines of --documents by their ids, each with its place.
fn shared(
    lines: Vec<(String, Entry)>,
    context: &mut Context,
    bad: &mut u64,
) -> HashMap<String, (String, Entry)> {
    let mut by_id = HashMap::with_capacity(lines.len());
    for (place, entry) in lines {
        if entry.documents.is_some() {
            by_id.insert(entry.id.clone(), (place, entry));
        } else {
            let reason = format!("missing `documents` (a list of texts) of `{}`", entry.id);
            complain(&place, &reason, context, bad);
        }
    }
    by_id
}

/// Joins two files by id.
fn apart(
    before: Vec<(String, Entry)>,
    after: Vec<(String, Entry)>,
    documents: &HashMap<String, (String, Entry)>,
    context: &mut Context,
    reading: &mut Reading,
) {
    let mut unused: BTreeSet<&str> = documents.keys().map(String::as_str).collect();
    let mut after_by_id: HashMap<String, (String, Entry)> = HashMap::with_capacity(after.len());
    let order: Vec<String> = after.iter().map(|(_, entry)| entry.id.clone()).collect();
    after_by_id.extend(after.into_iter().map(|(place, entry)| (entry.id.clone(), (place, entry))));
    for (place, mut entry) in before {
        unused.remove(entry.id.as_str());
        let Some((other_place, mut other)) = after_by_id.remove(&entry.id) else {
            reading.alone.push(alone(&entry, "baseline", "candidate"));
            continue;
        };
        reading.retrieval.extend(entry.retrieval.take());
        reading.retrieval.extend(other.retrieval.take());
        let shared = documents.get(&entry.id);
        reading.retrieval.extend(shared.and_then(|(_, entry)| entry.retrieval.clone()));
        match joined(entry, &place, other, &other_place, shared) {
            Ok(item) => reading.items.push(item),
            Err((place, reason)) => complain(&place, &reason, context, &mut reading.bad),
        }
    }
    for id in &order {
        unused.remove(id.as_str());
    }
    if let Some(first) = unused.first() {
        let (place, _) = &documents[*first];
        let belong = match unused.len() {
            1 => "1 line of --documents belongs".to_owned(),
            many => format!("{many} lines of --documents belong"),
        };
        context.out.note(&format!("{belong} to no item of either side; the first, {place}: `{first}`"));
    }
    let left = order.iter().filter_map(|id| after_by_id.get(id));
    reading.alone.extend(left.map(|(_, entry)| alone(entry, "candidate", "baseline")));
}

fn alone(entry: &Entry, here: &str, missing: &str) -> Alone {
    let documents = serde_json::to_string(&entry.documents).unwrap_or_default();
    let texts = [&entry.question, &entry.answer, &entry.baseline, &entry.candidate];
    let texts = texts.map(|text| text.as_deref().unwrap_or_default());
    let digest = sha256_hex([here, &entry.id, &documents].into_iter().chain(texts));
    let reason = format!("only the {here} answers it, the {missing} does not");
    Alone { left_out: LeftOut { id: entry.id.clone(), failed: false, reason }, digest }
}

/// One item of two lines; the error names the line that is wrong.
fn joined(
    before: Entry,
    place: &str,
    after: Entry,
    other_place: &str,
    shared: Option<&(String, Entry)>,
) -> Result<Pairing, (String, String)> {
    let wrong = |place: &str, reason: String| (place.to_owned(), reason);
    let answer = |entry: &Entry, own: &Option<String>, place: &str| {
        let missing = || wrong(place, format!("missing `answer` (a text) of `{}`", entry.id));
        entry.answer.clone().or_else(|| own.clone()).ok_or_else(missing)
    };
    let sides = [answer(&before, &before.baseline, place)?, answer(&after, &after.candidate, other_place)?];
    let shared = shared.map(|(place, entry)| (place.as_str(), entry.documents.clone()));
    // Wherever the item's documents stand, they are to be the same: nothing says which of others were meant.
    let given = [shared, Some((place, before.documents)), Some((other_place, after.documents))];
    let mut given = given.into_iter().flatten().filter_map(|(place, documents)| Some((place, documents?)));
    let Some((first_place, documents)) = given.next() else {
        let reason = format!(
            "`{}` has no `documents` in either file: put them into one of them, or into --documents FILE",
            before.id
        );
        return Err(wrong(place, reason));
    };
    if let Some((other_place, _)) = given.find(|(_, others)| *others != documents) {
        let reason = format!(
            "`{}` has other documents than at {other_place}: both versions must be held against the same",
            before.id
        );
        return Err(wrong(first_place, reason));
    }
    Ok(Pairing {
        id: before.id,
        question: before.question.or(after.question),
        documents,
        sides: sides.map(Side::Answer),
        risk_level: before.risk_level.max(after.risk_level),
    })
}
