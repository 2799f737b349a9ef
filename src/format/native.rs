//! One line of JSON Lines in, one record out, or the reason why not.
//!
//! Two forms are read. The batch form has `audit_id`, `generated_answer` and `evidence_passages`; the
//! claim form, in which golden sets are kept, has `id`, `claim` and `evidence`: one answer that is one
//! given claim, named `DATASET:ID` when there is a `dataset`. Fields that are not known stay in the raw
//! line, which is stored as it came.
//!
//! | limit | why |
//! |---|---|
//! | a line: [`MAX_LINE`] bytes | a reader holds one line in memory |
//! | an audit id: [`MAX_ID`] characters | it is typed, printed and compared by people |
//! | a passage or claim id: [`MAX_INNER_ID`] characters | it may be an address |
//! | no U+0000 in a text | the tools around SQLite end a text there |

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::warning::warnings;
use crate::domain::ids::{AuditId, PassageId};
use crate::domain::record::{GivenClaim, Passage, Record, RiskLevel};
use crate::store::NewRecord;
use crate::text::sanitize::first_unseen;

/// The longest line that is read, in bytes. Nobody reviews a longer answer, and one record is one transaction:
/// what it may hold bounds how long a decision waits.
pub const MAX_LINE: usize = 8 * 1024 * 1024;
/// The longest audit id, in characters.
pub const MAX_ID: usize = 200;
/// The longest passage id or claim id, in characters.
pub const MAX_INNER_ID: usize = 2000;

/// A record and what looks odd about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    pub record: NewRecord,
    /// Reasons to look at the input again; the record goes in all the same.
    pub warnings: Vec<String>,
}

#[derive(Deserialize)]
struct BatchForm {
    audit_id: String,
    generated_answer: String,
    evidence_passages: Vec<PassageForm>,
    question: Option<String>,
    risk_level: Option<RiskLevel>,
    claims: Option<Vec<ClaimForm>>,
    metadata: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct ClaimRecordForm {
    dataset: Option<String>,
    id: String,
    claim: String,
    evidence: Vec<PassageForm>,
    question: Option<String>,
    risk_level: Option<RiskLevel>,
    metadata: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct PassageForm {
    passage_id: String,
    content: String,
    metadata: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct ClaimForm {
    claim_id: Option<String>,
    #[serde(alias = "claim")]
    claim_text: String,
}

/// Reads one line, without its line feed; `source` names its place for people: `batch.jsonl:17`.
///
/// The error is the reason in words, for a person who has the line before them.
pub fn parse(line: &[u8], source: String) -> Result<Parsed, String> {
    let raw = std::str::from_utf8(line).map_err(|error| not_utf8(line, error))?;
    let record = match serde_json::from_str::<BatchForm>(raw) {
        Ok(form) => form.into_record(),
        Err(error) => match other_form(raw, &error)? {
            Some(form) => form.into_record(),
            None => return Err(json_reason(&error)),
        },
    };
    check(&record)?;
    let warnings = warnings(&record);
    Ok(Parsed { record: NewRecord { record, raw: raw.to_owned(), source }, warnings })
}

impl BatchForm {
    fn into_record(self) -> Record {
        Record {
            audit_id: AuditId::new(self.audit_id),
            answer: self.generated_answer,
            passages: passages(self.evidence_passages),
            question: self.question,
            risk_level: self.risk_level,
            given_claims: self
                .claims
                .unwrap_or_default()
                .into_iter()
                .map(|claim| GivenClaim { claim_id: claim.claim_id, claim_text: claim.claim_text })
                .collect(),
            metadata: self.metadata.unwrap_or_default(),
        }
    }
}

impl ClaimRecordForm {
    fn into_record(self) -> Record {
        let audit_id = match self.dataset {
            Some(dataset) => format!("{dataset}:{}", self.id),
            None => self.id,
        };
        Record {
            audit_id: AuditId::new(audit_id),
            answer: self.claim.clone(),
            passages: passages(self.evidence),
            question: self.question,
            risk_level: self.risk_level,
            given_claims: vec![GivenClaim { claim_id: None, claim_text: self.claim }],
            metadata: self.metadata.unwrap_or_default(),
        }
    }
}

fn passages(forms: Vec<PassageForm>) -> Vec<Passage> {
    forms
        .into_iter()
        .map(|form| Passage {
            passage_id: PassageId::new(form.passage_id),
            content: form.content,
            metadata: form.metadata.unwrap_or_default(),
        })
        .collect()
}

/// The claim form, if the line has it; else the reason, told in terms of the fields, why the line is
/// not of the batch form. `Ok(None)` when only the parser's own words are left.
fn other_form(raw: &str, error: &serde_json::Error) -> Result<Option<ClaimRecordForm>, String> {
    if !error.is_data() {
        let is_list = raw.trim_start().starts_with('[');
        return if raw.trim_start().starts_with('{') || is_list { Ok(None) } else { Err(no_object(raw)) };
    }
    let value = match serde_json::from_str::<Value>(raw) {
        Ok(value) => value,
        Err(_) if !raw.trim_start().starts_with('{') => return Err(no_object(raw)),
        Err(error) => return Err(json_reason(&error)),
    };
    let fields = match value {
        Value::Object(fields) => fields,
        Value::Array(_) => {
            return Err("a record is a JSON object on a line of its own, found a list: \
                        write one record a line, `jq -c '.[]' FILE`"
                .to_owned());
        }
        other => {
            return Err(format!("a record is a JSON object on a line of its own, found {}", kind(&other)));
        }
    };
    if !fields.contains_key("generated_answer") && fields.contains_key("claim") {
        return match serde_json::from_str::<ClaimRecordForm>(raw) {
            Ok(form) => Ok(Some(form)),
            Err(error) => Err(wrong_field(&fields, CLAIM_FORM).unwrap_or_else(|| json_reason(&error))),
        };
    }
    wrong_field(&fields, BATCH_FORM).map_or(Ok(None), Err)
}

/// What a field must hold.
#[derive(Clone, Copy)]
pub(super) enum Holds {
    Text,
    OptionalText,
    OptionalRisk,
    OptionalObject,
    Passages,
    OptionalClaims,
}

const BATCH_FORM: &[(&str, Holds)] = &[
    ("audit_id", Holds::Text),
    ("generated_answer", Holds::Text),
    ("evidence_passages", Holds::Passages),
    ("question", Holds::OptionalText),
    ("risk_level", Holds::OptionalRisk),
    ("claims", Holds::OptionalClaims),
    ("metadata", Holds::OptionalObject),
];

const CLAIM_FORM: &[(&str, Holds)] = &[
    ("dataset", Holds::OptionalText),
    ("id", Holds::Text),
    ("claim", Holds::Text),
    ("evidence", Holds::Passages),
    ("question", Holds::OptionalText),
    ("risk_level", Holds::OptionalRisk),
    ("metadata", Holds::OptionalObject),
];

const PASSAGE: &[(&str, Holds)] =
    &[("passage_id", Holds::Text), ("content", Holds::Text), ("metadata", Holds::OptionalObject)];

/// The first thing wrong with an object's fields: all that are missing, else the first of a wrong type.
pub(super) fn wrong_field(fields: &Map<String, Value>, form: &[(&str, Holds)]) -> Option<String> {
    let missing: Vec<String> = form
        .iter()
        .filter(|(name, holds)| matches!(holds, Holds::Text | Holds::Passages) && !fields.contains_key(*name))
        .map(|(name, holds)| match holds {
            Holds::Passages => format!("`{name}` (a list of {{\"passage_id\", \"content\"}})"),
            _ => format!("`{name}` (a text)"),
        })
        .collect();
    if !missing.is_empty() {
        return Some(format!("missing {}", missing.join(" and ")));
    }
    form.iter().find_map(|(name, holds)| wrong_value(name, fields.get(*name)?, *holds))
}

fn wrong_value(name: &str, value: &Value, holds: Holds) -> Option<String> {
    let must = |what: &str| Some(format!("`{name}` must be {what}, found {}", kind(value)));
    match (holds, value) {
        (Holds::Text | Holds::OptionalText, Value::String(_))
        | (Holds::OptionalObject, Value::Object(_))
        | (
            Holds::OptionalText | Holds::OptionalRisk | Holds::OptionalObject | Holds::OptionalClaims,
            Value::Null,
        ) => None,
        (Holds::Text | Holds::OptionalText, _) => must("a text"),
        (Holds::OptionalObject, _) => must("an object"),
        (Holds::OptionalRisk, Value::String(text)) => {
            text.parse::<RiskLevel>().err().map(|error| format!("`{name}`: {error}"))
        }
        (Holds::OptionalRisk, _) => must("LOW, MEDIUM, HIGH or CRITICAL"),
        (Holds::Passages, Value::Array(items)) => items
            .iter()
            .enumerate()
            .find_map(|(at, item)| wrong_item(name, at, item, |fields| wrong_field(fields, PASSAGE))),
        (Holds::Passages, _) => must("a list of {\"passage_id\", \"content\"}"),
        (Holds::OptionalClaims, Value::Array(items)) => items.iter().enumerate().find_map(|(at, item)| {
            wrong_item(name, at, item, |fields| {
                let text = if fields.contains_key("claim_text") { "claim_text" } else { "claim" };
                if !fields.contains_key(text) {
                    return Some("missing `claim_text` (a text)".to_owned());
                }
                wrong_field(fields, &[("claim_id", Holds::OptionalText), (text, Holds::Text)])
            })
        }),
        (Holds::OptionalClaims, _) => must("a list of {\"claim_text\"}"),
    }
}

fn wrong_item(
    list: &str,
    at: usize,
    item: &Value,
    wrong: impl Fn(&Map<String, Value>) -> Option<String>,
) -> Option<String> {
    match item {
        Value::Object(fields) => wrong(fields).map(|reason| format!("`{list}[{at}]`: {reason}")),
        other => {
            let field =
                if list == "claims" { " with `claim_text`" } else { " with `passage_id` and `content`" };
            Some(format!("`{list}[{at}]` must be an object{field}, found {}", kind(other)))
        }
    }
}

pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// What must hold of a record whatever form it came in.
fn check(record: &Record) -> Result<(), String> {
    name("audit_id", record.audit_id.as_str(), MAX_ID)?;
    no_nul("the answer", &record.answer)?;
    if let Some(question) = &record.question {
        no_nul("`question`", question)?;
    }
    let mut seen = HashSet::with_capacity(record.passages.len());
    for (at, passage) in record.passages.iter().enumerate() {
        let id = passage.passage_id.as_str();
        name(&format!("passage {}: passage_id", at + 1), id, MAX_INNER_ID)?;
        if !seen.insert(id) {
            return Err(format!("two passages have the passage_id `{id}`: a citation could mean either"));
        }
        no_nul(&format!("passage `{id}`"), &passage.content)?;
    }
    let mut seen = HashSet::with_capacity(record.given_claims.len());
    for (at, claim) in record.given_claims.iter().enumerate() {
        let place = format!("claim {}", at + 1);
        if claim.claim_text.trim().is_empty() {
            return Err(format!("{place} is empty"));
        }
        no_nul(&place, &claim.claim_text)?;
        if let Some(id) = &claim.claim_id {
            name(&format!("{place}: claim_id"), id, MAX_INNER_ID)?;
            if !seen.insert(id) {
                return Err(format!("two claims have the claim_id `{id}`"));
            }
        }
    }
    Ok(())
}

/// A name is something that a person can read, tell from others, and type.
pub(super) fn name(what: &str, name: &str, longest: usize) -> Result<(), String> {
    if name.trim().is_empty() {
        return Err(format!("{what} is empty"));
    }
    if name.trim() != name {
        return Err(format!("{what} `{name}` begins or ends with a blank"));
    }
    let length = name.chars().count();
    if length > longest {
        return Err(format!("{what} has {length} characters, at most {longest} are allowed"));
    }
    match first_unseen(name) {
        Some(c) => Err(format!(
            "{what} contains U+{:04X}, which cannot be seen there or typed: use printable characters",
            c as u32
        )),
        None => Ok(()),
    }
}

pub(super) fn no_nul(what: &str, text: &str) -> Result<(), String> {
    match text.find('\0') {
        Some(at) => {
            let position = text.get(..at).unwrap_or_default().chars().count();
            Err(format!(
                "{what} contains U+0000 at character {position}, where SQLite's tools would end the text: remove it"
            ))
        }
        None => Ok(()),
    }
}

/// What to say of a line over [`MAX_LINE`].
pub fn too_long(length: usize) -> String {
    format!("the line has {length} bytes, at most {MAX_LINE} ({} MiB) are read", MAX_LINE / 1024 / 1024)
}

pub(super) fn not_utf8(line: &[u8], error: std::str::Utf8Error) -> String {
    let at = error.valid_up_to();
    let byte = line.get(at).copied().unwrap_or_default();
    format!("not UTF-8: byte 0x{byte:02X} at column {}", at + 1)
}

/// What to say of a line that does not even begin as a record does.
fn no_object(raw: &str) -> String {
    let begins: String = raw.trim_start().chars().take(30).collect();
    let more = if begins.len() < raw.trim_start().len() { "…" } else { "" };
    format!(
        "this is not JSON Lines: a record is a JSON object `{{…}}` on one line, this begins `{begins}{more}`"
    )
}

/// The JSON parser's complaint in words for the person who has the line before them.
pub(super) fn json_reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let reason = text.rfind(" at line ").and_then(|at| text.get(..at)).unwrap_or(&text);
    let column = error.column();
    if reason.contains("surrogate") || reason.contains("hex escape") {
        return format!(
            "column {column}: a \\u escape stands for half a character (a lone surrogate): the text was cut inside it"
        );
    }
    if reason.contains("control character") {
        return format!("not JSON: column {column}: a control character inside a text must be escaped");
    }
    match error.classify() {
        serde_json::error::Category::Data => match reason.strip_prefix("duplicate field ") {
            Some(field) => format!("the field {field} stands twice"),
            None => reason.to_owned(),
        },
        serde_json::error::Category::Eof => format!("not JSON: the line ends early ({reason})"),
        _ => format!("not JSON: column {column}: {reason}"),
    }
}

#[cfg(test)]
#[path = "native_tests.rs"]
mod tests;
