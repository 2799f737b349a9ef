//! One request to a model and what came of it: the raw log that lets anyone see why a verdict is what it is,
//! and why there is none.

use std::time::Duration;

use serde_json::Value;

use super::ids::{AuditId, ExchangeKey};
use super::time::Timestamp;
use super::verdict::labels;

labels! {
    /// Why a request was sent.
    Purpose: "purpose" {
        /// The question itself.
        Ask = "ASK",
        /// What the first reply left out.
        AskAgain = "ASK_AGAIN",
        /// A reply that could not be read, to be written again without changing what it says.
        Repair = "REPAIR",
        /// A look at what the endpoint can do.
        Probe = "PROBE",
    }
}

labels! {
    /// How a request ended. Only `VALID` is an answer.
    Ending: "ending" {
        /// The reply fits the schema and means something.
        Valid = "VALID",
        /// The reply is no JSON.
        Unreadable = "UNREADABLE",
        /// The reply is JSON of another shape, or contradicts itself.
        Misshapen = "MISSHAPEN",
        /// The reply ended before it was complete.
        Cut = "CUT",
        /// The model declined, or a filter stopped it.
        Refused = "REFUSED",
        /// The reply holds nothing.
        Empty = "EMPTY",
        /// Too many requests for now.
        Limited = "LIMITED",
        /// No more requests on this account: quota, billing.
        Exhausted = "EXHAUSTED",
        /// The key is not accepted.
        Denied = "DENIED",
        /// The server cannot do what was asked for in this form; asked again in a plainer one.
        Unsupported = "UNSUPPORTED",
        /// The request is longer than the model can read.
        TooLong = "TOO_LONG",
        /// The server failed.
        Faulty = "FAULTY",
        /// The server calls the request wrong.
        Rejected = "REJECTED",
        /// No reply within the time allowed.
        TimedOut = "TIMED_OUT",
        /// No connection, or one that broke.
        Broken = "BROKEN",
    }
}

/// Tokens as the server counted them; `None` where it did not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tokens {
    /// All that was read, cached or not.
    pub input: Option<u64>,
    /// Of the input, what was read from the provider's cache.
    pub cached: Option<u64>,
    /// All that was written, reasoning included.
    pub output: Option<u64>,
    /// Of the output, what was reasoning.
    pub reasoning: Option<u64>,
}

/// One request and its reply. Never holds a key.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// When it was sent.
    pub at: Timestamp,
    /// The record it concerns; `None` for a pair that belongs to none, and for a probe.
    pub audit_id: Option<AuditId>,
    /// `faithfulness`, `comparison` or `support`.
    pub instrument: String,
    pub purpose: Purpose,
    /// The exchange whose reply it writes again, for a repair.
    pub mends: Option<ExchangeKey>,
    /// Which part of a record that is asked in several: 1, 2, 3 …
    pub part: u32,
    /// Which try of the same question: 1, 2, 3 …
    pub attempt: u32,
    /// The judge's name in the settings.
    pub judge: String,
    /// The address asked, without anything secret.
    pub endpoint: String,
    pub prompt_version: String,
    pub prompt_sha256: String,
    /// SHA-256 (hex) of everything the answer depends on: instrument, prompt, model, parameters, endpoint, input.
    /// All tries of one question share it.
    pub question_sha256: String,
    /// SHA-256 (hex) of the body that was sent.
    pub request_sha256: String,
    pub model_asked: String,
    /// The model that answered, as the server names it.
    pub model_answered: Option<String>,
    /// The parameters that were really sent.
    pub parameters: Value,
    /// HTTP status; `None` when no reply came.
    pub status: Option<u16>,
    /// The server's own name for the request.
    pub request_id: Option<String>,
    /// The body of the reply as it came; what is no UTF-8 is replaced.
    pub raw_reply: String,
    pub latency: Duration,
    pub tokens: Tokens,
    /// Cost in millionths of a US dollar; `None` where the price is unknown.
    pub cost_micros: Option<u64>,
    pub ending: Ending,
    /// What was wrong, or noteworthy, in a sentence; empty when nothing was.
    pub detail: String,
}
