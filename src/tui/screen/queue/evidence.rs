//! The passages beside a claim: which are shown, with which spans marked.

use std::ops::Range;

use serde_json::{Map, Value};

use super::difference::Differences;
use crate::domain::blind::Sight;
use crate::domain::queue::{ClaimDetail, Inherited};
use crate::domain::record::Passage;
use crate::domain::verdict::{Citation, MatchLevel, Role as EvidenceRole};
use crate::tui::app::{App, Selected};
use crate::tui::theme::Role;
use crate::tui::widget::passage::Mark;
use crate::tui::widget::phrase::Phrase;

/// A passage as it is to be drawn.
#[derive(Debug)]
pub(super) struct Shown<'a> {
    /// Index into the record's passages.
    pub index: usize,
    pub head: Phrase,
    pub text: &'a str,
    pub marks: Vec<Mark>,
    /// What must be seen of it.
    pub focus: Option<Range<usize>>,
    /// Whether it holds the evidence in hand.
    pub current: bool,
    /// Whether anything cites it.
    pub cited: bool,
    /// Whether it stands below another one.
    pub below: bool,
}

/// The citation in hand.
pub(super) fn current_citation(selected: &Selected) -> Option<&Citation> {
    selected.citations.get(selected.current_stop()?.citation?)
}

/// The passage in hand first, where the eye falls from the answer; then the others in their order.
pub(super) fn passages<'a>(
    selected: &Selected,
    detail: &'a ClaimDetail,
    differences: &Differences,
) -> Vec<Shown<'a>> {
    let stop = selected.current_stop();
    let all = &selected.citations[..];
    let mut passages: Vec<Shown<'_>> = detail
        .record
        .passages
        .iter()
        .enumerate()
        .map(|(index, passage)| {
            let current = stop.and_then(|stop| stop.passage) == Some(index);
            let in_hand = stop.filter(|_| current).and_then(|stop| stop.citation);
            let (mut marks, focus) = marks(passage, all, in_hand, differences);
            let dragged = selected.dragged.as_ref().filter(|dragged| dragged.passage == index);
            marks.extend(dragged.map(|dragged| Mark::new(dragged.words.selection(), Role::Selected)));
            let cited = all.iter().any(|citation| citation.passage_id == passage.passage_id);
            let mut head = Phrase::new();
            if current {
                let role = role(in_hand.and_then(|at| all.get(at)));
                head = position(selected);
                head = if head.is_empty() || role.is_empty() { head } else { head.say(Role::Text, " ") };
                head = head.join(role);
            }
            head = head.dot(Role::Title, passage.passage_id.as_str());
            // What must be seen comes before what may be cut.
            head = match in_hand.and_then(|at| all.get(at)) {
                // How well it was found says nothing for a span that supports nothing.
                Some(citation) if citation.role == EvidenceRole::Closest && citation.span.is_some() => head,
                Some(_) if let Some(who) = &selected.chosen_by => head.dot(
                    Role::Ok,
                    format!("chosen by {}", super::list::short(&super::list::one_line(who.as_str()), 20)),
                ),
                Some(citation) => match &detail.inherited {
                    Some(inherited) => level(head, citation.level).dot(Role::Warning, of_others(inherited)),
                    None => level(head, citation.level),
                },
                None if !cited && detail.sight != Sight::Hidden => head.dot(Role::Muted, "not cited"),
                None => head,
            };
            for word in source(passage) {
                head = head.dot(Role::Muted, word);
            }
            Shown { index, head, text: &passage.content, marks, focus, current, cited, below: false }
        })
        .collect();
    passages.sort_by_key(|shown| !shown.current);
    for shown in passages.iter_mut().skip(1) {
        shown.below = true;
    }
    passages
}

/// For which claims the judge cited it.
fn of_others(inherited: &Inherited) -> String {
    match &inherited.from[..] {
        [one] => format!("cited for {}", super::list::one_line(&one.to_string())),
        many => format!("cited for {} claims", many.len()),
    }
}

/// `1/3`
fn position(selected: &Selected) -> Phrase {
    match selected.stops.len() {
        0 | 1 => Phrase::new(),
        many => Phrase::new().say(Role::Text, format!("{}/{many}", selected.stop + 1)),
    }
}

fn role(citation: Option<&Citation>) -> Phrase {
    match citation.map(|citation| citation.role) {
        Some(EvidenceRole::Supports) => Phrase::new().say(Role::CurrentSupports, "= supports"),
        Some(EvidenceRole::Contradicts) => Phrase::new().say(Role::CurrentContradicts, "≠ contradicts"),
        Some(EvidenceRole::Closest) => Phrase::new().say(Role::CurrentClosest, "~ closest, not support"),
        None => Phrase::new(),
    }
}

fn level(head: Phrase, level: MatchLevel) -> Phrase {
    match level {
        MatchLevel::Exact => head.dot(Role::Ok, "exact"),
        MatchLevel::Normalized => head.dot(Role::Ok, "same words"),
        MatchLevel::Fuzzy => head.dot(Role::Warning, "close, not exact"),
        MatchLevel::NotFound => head.dot(Role::Error, "quote not found"),
    }
}

/// Source and date, as the record's metadata names them.
pub(in crate::tui::screen) fn source(passage: &Passage) -> Vec<String> {
    ["source", "title", "date"]
        .iter()
        .filter_map(|key| match passage.metadata.get(*key)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
        .filter(|text| !text.is_empty())
        .map(|text| super::list::short(&text, 48))
        .collect()
}

/// All that is said about the passage in hand and about the record, a field a line, while it is asked for. A blind
/// reviewer is told nothing of the record: it may say what made the answer.
pub(super) fn metadata(app: &App, selected: &Selected, detail: &ClaimDetail) -> Option<String> {
    let passage = detail.record.passages.get(selected.current_stop()?.passage?).filter(|_| app.metadata)?;
    let mut lines = Vec::new();
    fields("", &passage.metadata, &mut lines);
    if lines.is_empty() {
        lines.push("the record says nothing about it".to_owned());
    }
    if detail.sight != Sight::Hidden && !detail.record.metadata.is_empty() {
        lines.push("of the whole record:".to_owned());
        fields("", &detail.record.metadata, &mut lines);
    }
    Some(lines.join("\n"))
}

/// A line for each value that holds no others: `retrieval.top_k: 5`.
fn fields(before: &str, all: &Map<String, Value>, lines: &mut Vec<String>) {
    for (name, value) in all {
        match value {
            Value::String(words) => lines.push(format!("{before}{name}: {words}")),
            Value::Object(inner) if !inner.is_empty() => fields(&format!("{before}{name}."), inner, lines),
            Value::Array(values) if !values.is_empty() => {
                let said = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let values: Vec<String> = values.iter().map(said).collect();
                lines.push(format!("{before}{name}: {}", values.join(", ")));
            }
            other => lines.push(format!("{before}{name}: {other}")),
        }
    }
}

fn marks(
    passage: &Passage,
    all: &[Citation],
    in_hand: Option<usize>,
    differences: &Differences,
) -> (Vec<Mark>, Option<Range<usize>>) {
    let mut marks = Vec::new();
    let mut focus = None;
    for (index, citation) in all.iter().enumerate() {
        let Some(span) = citation.span.filter(|_| citation.passage_id == passage.passage_id) else {
            continue;
        };
        let current = in_hand == Some(index);
        marks.push(Mark::new(span.range(), Role::of_evidence(citation.role, current)));
        if current {
            focus = Some(span.range());
            marks.extend(differences.evidence.iter().map(|place| {
                Mark::new(span.start() + place.start..span.start() + place.end, Role::Difference)
            }));
        }
    }
    (marks, focus)
}
