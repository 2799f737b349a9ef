//! Questions that travel in a batch: how they would be sent, and what is made of a reply that came back that way.

use serde_json::Value;

use super::course::{Course, Text, told, understood};
use super::log::{self, Sent};
use super::{Answer, Deadline, Harness, Question, Unanswered};
use crate::domain::exchange::{Ending, Exchange};
use crate::domain::time::Timestamp;
use crate::judge::transport;
use crate::judge::wire::{self, Ask, Manner, Received, Request};

/// A question as it is sent at first, whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    /// As in [`Exchange::question_sha256`].
    pub question_sha256: String,
    /// As in [`Exchange::request_sha256`].
    pub request_sha256: String,
    /// The body, as JSON.
    pub body: String,
    request: Request,
}

/// A reply that came back in a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batched<'a> {
    /// What people call the batch.
    pub name: &'a str,
    pub status: u16,
    pub request_id: Option<&'a str>,
    pub body: &'a str,
    /// When the batch was begun.
    pub sent_at: Timestamp,
    /// Which time the question travels in a batch: 1, 2, 3 …
    pub attempt: u32,
}

impl Harness {
    /// The question as it is sent to a server of which nothing is known yet.
    pub fn prepare(&self, question: &Question<'_>) -> Prepared {
        let settings = &self.settings;
        let ask = Ask {
            system: question.system,
            user: question.user,
            schema_name: question.schema.name(),
            schema: question.schema.value(),
            max_output: question.max_output,
            temperature: settings.temperature,
            seed: settings.seed,
        };
        let request = wire::request(&settings.endpoint, Manner::first(&settings.endpoint), &ask);
        let body = transport::written(&request.body);
        Prepared {
            question_sha256: self.question_sha256(question),
            request_sha256: log::sha256(&body),
            body,
            request,
        }
    }

    /// The answer of an earlier run, if it still fits.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn earlier<T>(
        &self,
        question: &Question<'_>,
        meaning: impl Fn(&Value) -> Result<T, Vec<String>>,
    ) -> Result<Option<Answer<T>>, Unanswered> {
        Course::new(self, question, &Deadline::after(self.settings.record_timeout)).earlier(meaning)
    }

    /// Reads a reply as if it had come by itself. Neither keeps the exchange nor asks again: whoever remembers
    /// the batch does the one together with the other.
    pub fn batched(
        &self,
        question: &Question<'_>,
        prepared: &Prepared,
        reply: Batched<'_>,
        meaning: impl Fn(&Value) -> Result<(), Vec<String>>,
    ) -> (Exchange, Option<Value>) {
        let now = self.clock.now();
        let sent = Sent {
            at: reply.sent_at,
            attempt: reply.attempt,
            question_sha256: prepared.question_sha256.clone(),
            request_sha256: prepared.request_sha256.clone(),
        };
        let mut exchange = sent.exchange(self, question, &Text::of(question), &prepared.request);
        let body = self.gate.blotted_to_the_end(reply.body.to_owned());
        exchange.status = Some(reply.status);
        exchange.latency = now.since(reply.sent_at);
        let received = Received { status: reply.status, headers: &[], body: &body };
        let (ending, detail, answer) = match log::read(self, received, &[question.system, question.user]) {
            Ok(said) => {
                log::about(self, &mut exchange, &said.about);
                match understood(&said.text, question.schema, question.user, meaning) {
                    Ok(understood) => {
                        let detail = understood.notes.join("; ");
                        (Ending::Valid, detail, Some(understood.value))
                    }
                    Err(wrong) => (wrong.ending, told(&wrong.errors), None),
                }
            }
            Err(trouble) => {
                log::about(self, &mut exchange, &trouble.about);
                (super::course::ending(trouble.kind), trouble.message, None)
            }
        };
        // The list price is not that of a batch.
        exchange.cost_micros = None;
        exchange.request_id =
            exchange.request_id.or_else(|| reply.request_id.map(|id| self.gate.blotted(id.to_owned())));
        exchange.raw_reply = body;
        exchange.ending = ending;
        let origin = format!("came back in the batch {}", reply.name);
        exchange.detail =
            self.gate.blotted(if detail.is_empty() { origin } else { format!("{detail}; {origin}") });
        (exchange, answer)
    }
}
