//! Batches over the wire: many questions handed over at once, answered within a day, in any order. Pure functions.
//!
//! Must not know sockets, the store, or what a reply says: a line that comes back is unwrapped to status and body and
//! then read like any other reply.

mod anthropic;
mod openai;
#[cfg(test)]
mod tests;

use serde_json::Value;

use super::super::settings::{Endpoint, Protocol};
use crate::domain::time::Timestamp;

/// How a server is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
}

/// A call without its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub method: Method,
    pub url: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

/// One question of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Letters, digits and `-`, at most 64.
    pub custom_id: &'a str,
    /// The body of the request that would be sent by itself, as JSON.
    pub body: &'a str,
}

/// How far a batch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It is worked on, or waits to be.
    Working,
    /// Nothing more will come of it: what there is can be fetched.
    Ended,
}

/// A batch as its server describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    pub id: String,
    pub stage: Stage,
    /// The server's own word for how far it is.
    pub status: String,
    /// Questions with a reply of any kind so far, and all questions, where the server says so.
    pub done: Option<u64>,
    pub total: Option<u64>,
    /// What the server has to say of the batch as a whole; empty for nothing.
    pub complaint: String,
    /// The addresses of what came of it.
    pub results: Vec<String>,
    pub created_at: Option<Timestamp>,
    /// The name that this program gave it, where the server keeps one.
    pub tag: Option<String>,
    /// The file with its questions, where there is one.
    pub input_file: Option<String>,
}

/// What came of one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Came {
    /// A reply, good or bad, as if the question had been sent by itself. The body is JSON.
    Reply { status: u16, request_id: Option<String>, body: String },
    /// It was never put to the model.
    Nothing { why: String },
}

/// One line of what came of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Returned {
    pub custom_id: String,
    pub came: Came,
}

/// A page of the list of batches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub batches: Vec<Described>,
    /// After which the next page begins; `None` at the end.
    pub next: Option<String>,
}

/// Whether this protocol has batches that this program can use.
pub fn is_known(protocol: Protocol) -> bool {
    match protocol {
        Protocol::OpenAi | Protocol::Anthropic => true,
        Protocol::Gemini => false,
    }
}

/// The call that hands over the questions as a file, where they go in one; `tag` is its name.
pub fn upload(endpoint: &Endpoint, tag: &str, lines: &[Line<'_>]) -> Option<Call> {
    (endpoint.protocol == Protocol::OpenAi).then(|| openai::upload(endpoint, tag, lines))
}

/// The name of the file that was handed over; `None` when the reply does not say.
pub fn uploaded(body: &str) -> Option<String> {
    name(&parsed(body)?["id"])
}

/// The call that begins a batch: of the file, or of the questions themselves.
pub fn create(endpoint: &Endpoint, tag: &str, file: Option<&str>, lines: &[Line<'_>]) -> Call {
    match file {
        Some(file) => openai::create(endpoint, tag, file),
        None => anthropic::create(endpoint, lines),
    }
}

/// The call that asks how far a batch is.
pub fn look(endpoint: &Endpoint, id: &str) -> Call {
    get(endpoint, &format!("{}/{id}", place(endpoint)), &[])
}

/// The call that lists the latest batches of an account, those after `after`.
pub fn list(endpoint: &Endpoint, after: Option<&str>) -> Call {
    let name = if endpoint.protocol == Protocol::OpenAi { "after" } else { "after_id" };
    let mut query = vec![("limit", "100")];
    query.extend(after.map(|after| (name, after)));
    get(endpoint, place(endpoint), &query)
}

/// What the server says of a batch; `None` when it is nothing of its protocol.
pub fn described(protocol: Protocol, body: &str) -> Option<Described> {
    one(protocol, &parsed(body)?)
}

/// What the server says of its batches; `None` when it is nothing of its protocol.
pub fn listed(protocol: Protocol, body: &str) -> Option<Listed> {
    let body = parsed(body)?;
    let batches: Vec<Described> =
        body["data"].as_array()?.iter().filter_map(|batch| one(protocol, batch)).collect();
    let next = (body["has_more"] == true)
        .then(|| name(&body["last_id"]).or_else(|| batches.last().map(|last| last.id.clone())))
        .flatten();
    Some(Listed { batches, next })
}

/// The call that fetches what came of a batch, from one of [`Described::results`].
pub fn fetch(endpoint: &Endpoint, address: &str) -> Call {
    get(endpoint, address, &[])
}

/// One line of what came; `Err` holds why it says nothing.
pub fn returned(protocol: Protocol, line: &str) -> Result<Returned, String> {
    let line: Value = serde_json::from_str(line).map_err(|error| format!("no JSON: {error}"))?;
    let Some(custom_id) = name(&line["custom_id"]) else { return Err("it names no question".to_owned()) };
    let came = match protocol {
        Protocol::Anthropic => anthropic::came(&line),
        Protocol::OpenAi | Protocol::Gemini => openai::came(&line),
    };
    Ok(Returned { custom_id, came: came? })
}

fn one(protocol: Protocol, batch: &Value) -> Option<Described> {
    match protocol {
        Protocol::Anthropic => anthropic::described(batch),
        Protocol::OpenAi | Protocol::Gemini => openai::described(batch),
    }
}

fn place(endpoint: &Endpoint) -> &'static str {
    if endpoint.protocol == Protocol::OpenAi { "/batches" } else { "/messages/batches" }
}

fn get(endpoint: &Endpoint, path: &str, query: &[(&str, &str)]) -> Call {
    let mut url = super::body::address(&root(endpoint), path);
    for (name, value) in query {
        url.push(if url.contains('?') { '&' } else { '?' });
        url.extend([*name, "=", *value]);
    }
    Call { method: Method::Get, url, headers: endpoint.headers.clone(), body: String::new() }
}

fn post(endpoint: &Endpoint, path: &str, body: String) -> Call {
    let url = super::body::address(&root(endpoint), path);
    Call { method: Method::Post, url, headers: endpoint.headers.clone(), body }
}

/// The address up to the version: `base_url` may name the place of single questions.
fn root(endpoint: &Endpoint) -> String {
    let single = if endpoint.protocol == Protocol::OpenAi { "/chat/completions" } else { "/messages" };
    let mut url = super::body::address(&endpoint.base_url, single);
    if let Some(at) = url.rfind(single) {
        url.replace_range(at..at + single.len(), "");
    }
    url
}

fn parsed(body: &str) -> Option<Value> {
    serde_json::from_str(body).ok()
}

/// A name that is one: servers send empty ones where there is nothing. Only what can stand in an address.
fn name(value: &Value) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    value
        .as_str()
        .filter(|name| !name.is_empty() && name.len() <= 200 && name.chars().all(is_plain))
        .map(str::to_owned)
}
