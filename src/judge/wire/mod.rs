//! What goes over the wire: for each protocol, a question as an HTTP request, and an HTTP reply as what was said
//! or what was wrong. Pure functions.
//!
//! Must not know sockets, clocks, retries, or what an instrument asks.

use std::time::Duration;

use serde_json::Value;

use crate::domain::exchange::Tokens;

/// How the shape of a reply is asked for, best first. Servers differ in what they can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    /// The server holds the reply to the schema.
    Schema,
    /// The server holds the reply to being a JSON object.
    Object,
    /// The prompt alone says it.
    Words,
}

/// In which form a server takes a request. Found out once, then remembered for its endpoint and model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Manner {
    pub shape: Shape,
    /// Chat Completions: the limit is called `max_completion_tokens`, not `max_tokens`.
    pub new_limit: bool,
    /// Whether temperature and seed may be sent.
    pub sampling: bool,
}

/// One question, as far as the wire is concerned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ask<'a> {
    pub system: &'a str,
    pub user: &'a str,
    /// The schema's name, of letters, digits, `_` and `-`.
    pub schema_name: &'a str,
    pub schema: &'a Value,
    pub max_output: u32,
    pub temperature: f64,
    pub seed: Option<u64>,
}

/// A request without its key.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub url: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Value,
    /// The parameters among the body, for the log.
    pub parameters: Value,
}

/// A reply as it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Received<'a> {
    pub status: u16,
    /// Names in lower case.
    pub headers: &'a [(String, String)],
    pub body: &'a str,
}

/// What every reply may say of itself, good or bad.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct About {
    pub model: Option<String>,
    pub request_id: Option<String>,
    pub tokens: Tokens,
    /// What the server says it cost, in millionths of a US dollar.
    pub cost_micros: Option<u64>,
}

/// What a model said, whole. Reasoning is set aside.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    pub text: String,
    pub about: About,
}

/// What was wrong with a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Trouble {
    pub kind: TroubleKind,
    /// In a sentence, for people; the server's own words in it are shortened.
    pub message: String,
    pub about: About,
}

/// What follows from trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TroubleKind {
    /// The reply ended before it was complete: never read as one.
    Cut,
    /// The model declined, or a filter stopped it. Asking again brings the same.
    Refused,
    /// Nothing was said. Worth one more try.
    Empty,
    /// Too many requests for now; wait, this long if the server says so.
    Limited { after: Option<Duration> },
    /// This account is used up: quota, billing, a limit for the day.
    Exhausted,
    /// This key is not accepted.
    Denied,
    /// The server cannot take the request in this form.
    Unsupported(Form),
    /// The request is longer than the model can read.
    TooLong,
    /// The server failed, or its reply is none of its protocol; wait and try again.
    Faulty { after: Option<Duration> },
    /// The server calls the request wrong: asking again brings the same.
    Rejected,
}

/// What a server may not be able to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Shape,
    Limit,
    Sampling,
}
