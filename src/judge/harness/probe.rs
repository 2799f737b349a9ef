//! A look at what an endpoint can do: one tiny real call.

use std::time::Duration;

use serde_json::Value;

use super::course::{Course, Text};
use super::{Deadline, Harness, Question, Unanswered};
use crate::domain::exchange::{Exchange, Purpose};
use crate::judge::reading::{Schema, SchemaError};
use crate::judge::wire::Manner;

const SCHEMA: &str = r#"{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"],"additionalProperties":false}"#;
const SYSTEM: &str = "You answer with one JSON object and nothing else.";
const USER: &str = r#"How much is 2 + 3? Answer in the form {"sum": NUMBER}."#;
/// Room for a model that thinks first.
const ROOM: u32 = 1024;

/// What was found out.
#[derive(Debug, Clone, PartialEq)]
pub struct Probed {
    /// In which form the server takes requests.
    pub manner: Manner,
    /// The exchange that was answered.
    pub exchange: Exchange,
    /// How many requests it took.
    pub requests: usize,
    /// What was lenient in reading the answer.
    pub notes: Vec<String>,
}

impl Probed {
    /// From sending the request to the whole reply.
    pub fn latency(&self) -> Duration {
        self.exchange.latency
    }
}

impl Harness {
    /// Asks something that any model can answer. Never answered from the ledger, but kept in it.
    pub async fn probe(&self, deadline: &Deadline) -> Result<Probed, Unanswered> {
        let schema = Schema::new("sum", SCHEMA)
            .map_err(|error: SchemaError| Unanswered::everything(self, error.to_string(), &[]))?;
        let question = Question {
            audit_id: None,
            instrument: "probe",
            purpose: Purpose::Probe,
            part: 1,
            system: SYSTEM,
            user: USER,
            prompt_version: "probe-1",
            prompt_sha256: "",
            schema: &schema,
            max_output: ROOM.min(self.settings.max_output),
        };
        let mut course = Course::new(self, &question, deadline);
        let answer =
            course.answer(&Text::of(&question), &|value: &Value| Ok::<_, Vec<String>>(value.clone())).await?;
        let Some(exchange) = course.last.take() else {
            return Err(Unanswered::everything(self, "the call left no trace".to_owned(), &answer.exchanges));
        };
        Ok(Probed { manner: self.manner(), exchange, requests: answer.exchanges.len(), notes: answer.notes })
    }
}
