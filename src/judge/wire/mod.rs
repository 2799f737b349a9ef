//! What goes over the wire: for each protocol, a question as an HTTP request, and an HTTP reply as what was said
//! or what was wrong. Pure functions.
//!
//! Must not know sockets, clocks, retries, or what an instrument asks.

mod anthropic;
pub mod batch;
mod body;
pub mod embeddings;
mod gemini;
mod openai;
mod shaped;
#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "the tests build what they hand over in place")]
mod tests;
mod trouble;
mod wait;

use std::time::Duration;

use serde_json::Value;

use super::settings::{Endpoint, Protocol};
use crate::domain::exchange::Tokens;
use crate::domain::time::Timestamp;

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
#[expect(clippy::struct_excessive_bools, reason = "each is found out by itself")]
pub struct Manner {
    pub shape: Shape,
    /// Chat Completions: the limit is called `max_completion_tokens`, not `max_tokens`.
    pub new_limit: bool,
    /// Whether the limit's other name was tried already.
    pub limit_changed: bool,
    /// Whether temperature and seed may be sent.
    pub sampling: bool,
    /// Whether anything may be sent about how much the model reasons.
    pub reasoning: bool,
    /// Whether the model is asked not to reason at all, whatever the settings say: it said nothing after it.
    pub unthinking: bool,
}

impl Manner {
    /// The best that an endpoint of its kind may take.
    pub fn first(endpoint: &Endpoint) -> Self {
        Self {
            shape: Shape::Schema,
            new_limit: endpoint.protocol == Protocol::OpenAi && openai::is_original(&endpoint.base_url),
            limit_changed: false,
            sampling: true,
            reasoning: true,
            unthinking: false,
        }
    }

    /// The next manner for a model that reasons and then says nothing; `None` after the last. Some servers hold the
    /// reasoning to the schema, some pass over the schema where there is no reasoning: the prompt says it instead.
    #[must_use]
    pub fn after_silence(self) -> Option<Self> {
        if self.shape != Shape::Words {
            return Some(self.in_words());
        }
        (self.reasoning && !self.unthinking).then_some(Self { unthinking: true, ..self })
    }

    /// The same, but nothing holds the reply to a shape.
    #[must_use]
    pub fn in_words(self) -> Self {
        Self { shape: Shape::Words, ..self }
    }

    /// One step down where the server cannot take `form`; `None` where there is nothing plainer.
    #[must_use]
    pub fn plainer(self, form: Form) -> Option<Self> {
        match form {
            Form::Shape => match self.shape {
                Shape::Schema => Some(Self { shape: Shape::Object, ..self }),
                Shape::Object => Some(Self { shape: Shape::Words, ..self }),
                Shape::Words => None,
            },
            Form::Limit => (!self.limit_changed).then_some(Self {
                new_limit: !self.new_limit,
                limit_changed: true,
                ..self
            }),
            Form::Sampling => self.sampling.then_some(Self { sampling: false, ..self }),
            Form::Reasoning => self.reasoning.then_some(Self { reasoning: false, unthinking: false, ..self }),
        }
    }
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
    pub about: Box<About>,
}

/// What follows from trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TroubleKind {
    /// The reply ended before it was complete: never read as one.
    Cut,
    /// The same, in a run of blanks: more room would hold more of them.
    Blanks,
    /// The model declined, or a filter stopped it. Asking again brings the same.
    Refused,
    /// Nothing was said. Worth one more try.
    Empty,
    /// The model reasoned, and then nothing was said.
    Silent,
    /// Too many requests for now; wait, this long if the server says so.
    Limited { after: Option<Duration> },
    /// This account is used up: quota, billing, a limit for the day.
    Exhausted,
    /// This key is not accepted, or may not do this.
    Denied,
    /// There is no such address or no such model here. Every further request fails alike until a person mends
    /// the settings.
    Absent,
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
    Reasoning,
}

/// The request that puts `ask` to `endpoint`. It holds no key: whoever sends it adds that.
pub fn request(endpoint: &Endpoint, manner: Manner, ask: &Ask<'_>) -> Request {
    match endpoint.protocol {
        Protocol::OpenAi => openai::request(endpoint, manner, ask),
        Protocol::Anthropic => anthropic::request(endpoint, manner, ask),
        Protocol::Gemini => gemini::request(endpoint, manner, ask),
    }
}

/// What a reply says, or what is wrong with it. `now` turns the moments that servers name into waiting times.
pub fn read(protocol: Protocol, received: Received<'_>, now: Timestamp) -> Result<Said, Trouble> {
    let body = match body::parsed(received.body) {
        Ok(body) if (200..300).contains(&received.status) => body,
        Ok(body) => return Err(trouble::of_status(protocol, received, &body, now)),
        Err(excerpt) => return Err(trouble::of_no_json(protocol, received, &excerpt, now)),
    };
    let about = match protocol {
        Protocol::OpenAi => openai::about(&body, received.headers),
        Protocol::Anthropic => anthropic::about(&body, received.headers),
        Protocol::Gemini => gemini::about(&body, received.headers),
    };
    let said = match protocol {
        Protocol::OpenAi => openai::said(&body),
        Protocol::Anthropic => anthropic::said(&body),
        Protocol::Gemini => gemini::said(&body),
    };
    match said {
        Ok(text) => Ok(Said { text, about }),
        Err(Unsaid::Error) => Err(trouble::under_success(protocol, received, &body, about, now)),
        Err(Unsaid::Ended(kind, message)) => Err(Trouble { kind, message, about: about.into() }),
    }
}

/// Why a reply of a good status holds no text.
#[derive(Debug)]
enum Unsaid {
    /// It is an error all the same, or none of its protocol.
    Error,
    Ended(TroubleKind, String),
}

impl Unsaid {
    fn cut(message: impl Into<String>) -> Self {
        Self::Ended(TroubleKind::Cut, message.into())
    }

    /// The reply reached its limit after `text`.
    fn at_limit(text: &str, reasoned: bool) -> Self {
        if !text.is_empty() && text.trim_end().len() + 200 < text.len() {
            let message = "The reply reached its token limit in a run of blanks.";
            return Self::Ended(TroubleKind::Blanks, message.to_owned());
        }
        Self::cut(if text.trim().is_empty() && reasoned {
            "The model's reasoning used the whole token limit; no answer was begun."
        } else {
            "The reply reached its token limit before it was complete."
        })
    }

    fn refused(message: impl Into<String>) -> Self {
        Self::Ended(TroubleKind::Refused, message.into())
    }

    fn empty(message: impl Into<String>) -> Self {
        Self::Ended(TroubleKind::Empty, message.into())
    }

    /// Nothing was said, with reasoning before it or without.
    fn nothing(reasoned: bool) -> Self {
        if reasoned {
            Self::Ended(TroubleKind::Silent, "The model reasoned and then said nothing.".to_owned())
        } else {
            Self::empty("The reply is empty.")
        }
    }
}
