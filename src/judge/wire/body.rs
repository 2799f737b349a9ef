//! What the protocols have in common: addresses, headers, text from bodies.

use serde_json::{Map, Value, json};

use super::{About, Request};
use crate::domain::exchange::Tokens;
use crate::judge::settings::Endpoint;
use crate::text::sanitize;

/// Characters of a server's words that people are shown.
const MOST_OF_A_SERVER: usize = 300;

/// `base` and `path` as one address. A query of `base` stays at the end, and a `path` that `base` already ends
/// with is not put there twice.
pub(super) fn address(base: &str, path: &str) -> String {
    let base = base.trim();
    let base = base.split('#').next().unwrap_or_default();
    let (place, query) = base.split_once('?').map_or((base, None), |(place, query)| (place, Some(query)));
    let place = place.trim_end_matches('/');
    let place = place.strip_suffix(path).unwrap_or(place);
    match query {
        Some(query) if !query.is_empty() => format!("{place}{path}?{query}"),
        _ => format!("{place}{path}"),
    }
}

/// The request of `body`, whose every member that is not in `texts` is a parameter. `shape` says in a few words
/// how the reply's shape is asked for.
pub(super) fn request(endpoint: &Endpoint, path: &str, body: Map<String, Value>, texts: &[&str]) -> Request {
    let parameters = body
        .iter()
        .filter(|(name, _)| !texts.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), without_schema(value)))
        .collect();
    Request {
        url: address(&endpoint.base_url, path),
        headers: headers(endpoint),
        body: Value::Object(body),
        parameters: Value::Object(parameters),
    }
}

/// A parameter for the log: a schema in it is named, not repeated.
fn without_schema(value: &Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| {
                let is_schema = matches!(
                    name.as_str(),
                    "schema" | "input_schema" | "responseSchema" | "responseJsonSchema"
                );
                (name.clone(), if is_schema { json!("the schema") } else { without_schema(value) })
            })
            .collect(),
        Value::Array(items) => items.iter().map(without_schema).collect(),
        other => other.clone(),
    }
}

fn headers(endpoint: &Endpoint) -> Vec<(String, String)> {
    let own = [("content-type", "application/json"), ("accept", "application/json")];
    own.iter()
        .filter(|(name, _)| !endpoint.headers.iter().any(|(given, _)| given == name))
        .map(|&(name, value)| (name.to_owned(), value.to_owned()))
        .chain(endpoint.headers.iter().cloned())
        .collect()
}

/// `system` with the wish for JSON and the schema below it, for a server that does not hold a reply to one.
pub(super) fn with_schema(system: &str, schema: &Value) -> String {
    format!(
        "{system}\n\nReply with one JSON object and nothing else: no code fence, no word before or after it. \
         It must fit this JSON Schema; do not repeat the schema itself.\n{schema}"
    )
}

/// The body as JSON, or, where it is none, the beginning of what it is.
pub(super) fn parsed(body: &str) -> Result<Value, String> {
    let body = body.trim_start_matches('\u{feff}').trim();
    serde_json::from_str(body).map_err(|_| excerpt(&prose(body)))
}

/// What a person reads in a page: the words of HTML without its tags, any other text as it is.
fn prose(body: &str) -> String {
    // The beginning is enough: a page may have megabytes.
    let beginning: String = body.chars().take(20 * MOST_OF_A_SERVER).collect();
    if !beginning.starts_with('<') {
        return beginning;
    }
    let mut words = String::new();
    let mut rest = beginning.as_str();
    while let Some(open) = rest.find('<') {
        words.push_str(&rest[..open]);
        words.push(' ');
        let tag = &rest[open..];
        let unread = ["style", "script"].into_iter().find(|name| starts_with_tag(tag, name));
        let end = match unread {
            Some(name) => tag.find(&format!("</{name}")).unwrap_or(tag.len()),
            None => 0,
        };
        rest = tag[end..].find('>').map_or("", |close| &tag[end + close + 1..]);
    }
    words.push_str(rest);
    words
}

fn starts_with_tag(tag: &str, name: &str) -> bool {
    tag.get(1..=name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
}

/// A server's words for people: in one line, nothing hidden in them, not too long.
pub(super) fn excerpt(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.chars().count() + word.chars().count() > MOST_OF_A_SERVER {
            let room = MOST_OF_A_SERVER.saturating_sub(line.chars().count() + 1);
            if !line.is_empty() {
                line.push(' ');
            }
            line.extend(word.chars().take(room));
            line.push('…');
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    sanitize::visible(&line).into_owned()
}

/// The value of a header; names are in lower case.
pub(super) fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.trim())
}

/// What a reply says of itself whatever its protocol.
pub(super) fn about(body: &Value, headers: &[(String, String)], model: &str, id: &str) -> About {
    let said = |name: &str| body[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let request_id = ["x-request-id", "request-id", "apim-request-id", "x-goog-request-id"]
        .into_iter()
        .find_map(|name| header(headers, name))
        .filter(|value| !value.is_empty())
        .map(str::to_owned)
        .or_else(|| said("request_id"))
        .or_else(|| said(id));
    About { model: said(model), request_id, tokens: Tokens::default(), cost_micros: None }
}

/// A count of tokens; a few servers write it as a float.
pub(super) fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        value
            .as_f64()
            .filter(|count| (0.0..1e15).contains(count) && count.fract() == 0.0)
            .map(|count| count as u64)
    })
}

/// The sum of the counts that are there; `None` when none is.
pub(super) fn sum(counts: &[Option<u64>]) -> Option<u64> {
    counts.iter().flatten().copied().reduce(u64::saturating_add)
}

/// The words of a content that is a string or a list of parts, in order, reasoning left out.
pub(super) fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(part).collect(),
        _ => String::new(),
    }
}

fn part(part: &Value) -> Option<&str> {
    if let Value::String(text) = part {
        return Some(text);
    }
    let kind = part["type"].as_str().unwrap_or("text");
    if !matches!(kind, "text" | "output_text") || part["thought"].as_bool() == Some(true) {
        return None;
    }
    part["text"].as_str().or_else(|| part["text"]["value"].as_str())
}
