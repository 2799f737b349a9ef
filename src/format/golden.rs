//! Lines of two versions' answers: one line in, one entry out, or the reason why not.
//!
//! A line may hold everything (`documents`, `baseline`, `candidate`), a question for which answers are still to be
//! made, or one version's `answer`, whose documents may stand in another file. What of it is needed, whoever reads
//! the files says.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::annotated::retrieval;
use super::native::{MAX_ID, MAX_INNER_ID, json_reason, kind, name, no_nul, not_utf8};
use crate::domain::ids::PassageId;
use crate::domain::record::{Passage, RiskLevel};

/// The longest id of an item, in characters: with the name of its comparison before it, it names a record.
pub const MAX_ITEM_ID: usize = MAX_ID - 20;

/// What a line says of one item. Texts that are there have words in them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Entry {
    pub id: String,
    pub question: Option<String>,
    /// `None` when the line has none; a list that is there holds something to compare with.
    pub documents: Option<Vec<Passage>>,
    pub baseline: Option<String>,
    pub candidate: Option<String>,
    /// The answer of a file that holds only one version's.
    pub answer: Option<String>,
    pub risk_level: Option<RiskLevel>,
    /// How the documents were found, where the metadata say so.
    pub retrieval: Option<String>,
}

/// Reads one line, without its line feed. The error is the reason in words.
pub fn parse(line: &[u8]) -> Result<Entry, String> {
    let raw = std::str::from_utf8(line).map_err(|error| not_utf8(line, error))?;
    let fields = match serde_json::from_str::<Value>(raw).map_err(|error| json_reason(&error))? {
        Value::Object(fields) => fields,
        other => {
            return Err(format!("an item is a JSON object on a line of its own, found {}", kind(&other)));
        }
    };
    let id = text(&fields, &["id", "audit_id"])?.ok_or("missing `id` (a text)")?;
    name("id", &id, MAX_ITEM_ID)?;
    let risk_level = match fields.get("risk_level") {
        None | Some(Value::Null) => None,
        Some(Value::String(label)) => {
            Some(label.parse::<RiskLevel>().map_err(|error| format!("`risk_level`: {error}"))?)
        }
        Some(other) => {
            return Err(format!("`risk_level` must be LOW, MEDIUM, HIGH or CRITICAL, found {}", kind(other)));
        }
    };
    let question = text(&fields, &["question"])?;
    if let Some(question) = &question {
        no_nul("`question`", question)?;
    }
    Ok(Entry {
        id,
        question,
        documents: documents(&fields)?,
        baseline: answer(&fields, &["baseline"])?,
        candidate: answer(&fields, &["candidate"])?,
        answer: answer(&fields, &["answer", "generated_answer"])?,
        risk_level,
        retrieval: retrieval(&fields, "metadata"),
    })
}

/// The field under the first of these names that is there.
fn field<'f>(
    fields: &'f Map<String, Value>,
    names: &[&'static str],
) -> Result<Option<(&'static str, &'f Value)>, String> {
    let mut found = names
        .iter()
        .filter_map(|name| fields.get(*name).filter(|value| !value.is_null()).map(|value| (*name, value)));
    match (found.next(), found.next()) {
        (Some((one, _)), Some((other, _))) => {
            Err(format!("`{one}` and `{other}` mean the same: leave one away"))
        }
        (first, _) => Ok(first),
    }
}

fn text(fields: &Map<String, Value>, names: &[&'static str]) -> Result<Option<String>, String> {
    match field(fields, names)? {
        None => Ok(None),
        Some((_, Value::String(text))) => Ok(Some(text.clone())),
        Some((name, other)) => Err(format!("`{name}` must be a text, found {}", kind(other))),
    }
}

/// An answer with words in it: one without must not pass for one that says nothing wrong.
fn answer(fields: &Map<String, Value>, names: &[&'static str]) -> Result<Option<String>, String> {
    let Some(answer) = text(fields, names)? else { return Ok(None) };
    let what = format!("`{}`", names.iter().find(|name| fields.contains_key(**name)).unwrap_or(&"answer"));
    no_nul(&what, &answer)?;
    if has_words(&answer) {
        Ok(Some(answer))
    } else {
        Err(format!("{what} is empty: an answer is missing there"))
    }
}

fn has_words(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

fn documents(fields: &Map<String, Value>) -> Result<Option<Vec<Passage>>, String> {
    let (name, items) = match field(fields, &["documents", "evidence_passages"])? {
        None => return Ok(None),
        Some((name, Value::Array(items))) => (name, items),
        Some((name, other)) => {
            return Err(format!(
                "`{name}` must be a list of texts or {{\"passage_id\", \"content\"}}, found {}",
                kind(other)
            ));
        }
    };
    let mut seen = HashSet::with_capacity(items.len());
    let mut documents = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        let document = document(item, at).map_err(|reason| format!("`{name}[{at}]`: {reason}"))?;
        if !seen.insert(document.passage_id.as_str().to_owned()) {
            return Err(format!(
                "two documents have the passage_id `{}`: a citation could mean either",
                document.passage_id.as_str()
            ));
        }
        documents.push(document);
    }
    if documents.iter().any(|document| has_words(&document.content)) {
        return Ok(Some(documents));
    }
    Err(format!("`{name}` holds no words: there is nothing to hold the answers against"))
}

fn document(item: &Value, at: usize) -> Result<Passage, String> {
    let (id, content, metadata) = match item {
        Value::String(content) => (format!("d{}", at + 1), content.clone(), Map::new()),
        Value::Object(fields) => {
            let id = text(fields, &["passage_id", "document_id", "id"])?;
            let content = text(fields, &["content", "text"])?.ok_or("missing `content` (a text)")?;
            let metadata = match fields.get("metadata") {
                None | Some(Value::Null) => Map::new(),
                Some(Value::Object(metadata)) => metadata.clone(),
                Some(other) => return Err(format!("`metadata` must be an object, found {}", kind(other))),
            };
            (id.unwrap_or_else(|| format!("d{}", at + 1)), content, metadata)
        }
        other => return Err(format!("must be a text or an object with `content`, found {}", kind(other))),
    };
    name("passage_id", &id, MAX_INNER_ID)?;
    no_nul("the document", &content)?;
    Ok(Passage { passage_id: PassageId::new(id), content, metadata })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_both_answers() {
        let line = r#"{"id":"q1","question":"How much?","documents":["At most 4 g.",{"passage_id":"p","content":"No more.","metadata":{"date":"2024"}}],"baseline":"4 g.","candidate":"8 g.","reference":"4 g","risk_level":"high","metadata":{"retrieval":"bm25-v2"}}"#;
        let entry = parse(line.as_bytes()).unwrap();
        let documents = entry.documents.unwrap();
        assert_eq!(documents.iter().map(|one| one.passage_id.as_str()).collect::<Vec<_>>(), ["d1", "p"]);
        assert_eq!((entry.baseline.as_deref(), entry.candidate.as_deref()), (Some("4 g."), Some("8 g.")));
        assert_eq!(entry.risk_level, Some(RiskLevel::High));
        assert_eq!(entry.retrieval.as_deref(), Some("bm25-v2"));
    }

    #[test]
    fn a_record_of_the_batch_form_is_one_version_s_answer() {
        let line = r#"{"audit_id":"a","generated_answer":"4 g.","evidence_passages":[{"passage_id":"p","content":"4 g"}]}"#;
        let entry = parse(line.as_bytes()).unwrap();
        assert_eq!((entry.id.as_str(), entry.answer.as_deref()), ("a", Some("4 g.")));
        assert_eq!(parse(br#"{"id":"a","answer":"x"}"#).unwrap().documents, None);
    }

    #[test]
    fn what_cannot_be_compared_says_why() {
        for (line, reason) in [
            (r#"{"baseline":"x"}"#, "missing `id`"),
            (r#"{"id":"a","baseline":" . "}"#, "`baseline` is empty"),
            (r#"{"id":"a","generated_answer":""}"#, "`generated_answer` is empty"),
            (r#"{"id":"a","documents":[]}"#, "holds no words"),
            (r#"{"id":"a","documents":["", " "]}"#, "holds no words"),
            (r#"{"id":"a","documents":"x"}"#, "must be a list"),
            (r#"{"id":"a","documents":[3]}"#, "`documents[0]`: must be a text"),
            (
                r#"{"id":"a","documents":[{"id":"p","content":"x"},{"id":"p","content":"y"}]}"#,
                "two documents",
            ),
            (r#"{"id":"a","answer":"x","generated_answer":"y"}"#, "mean the same"),
            (r#"{"id":"a","risk_level":"much"}"#, "risk level"),
            (r#"{"id":7}"#, "`id` must be a text"),
            (r#"["a"]"#, "found a list"),
            (r#"{"id":"#, "the line ends early"),
        ] {
            let said = parse(line.as_bytes()).unwrap_err();
            assert!(said.contains(reason), "{line}: {said}");
        }
    }
}
