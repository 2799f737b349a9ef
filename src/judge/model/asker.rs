//! Who is asked: a harness in the program, a script in tests.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde_json::Value;

use crate::domain::exchange::Purpose;
use crate::domain::ids::{AuditId, ExchangeKey};
use crate::judge::JudgeFailure;
use crate::judge::harness::{Deadline, Harness, Question, Unanswered};
use crate::judge::reading::{Change, Schema};
use crate::prompt::{Filled, Prompt};

/// One question, ready to be asked.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub audit_id: Option<&'a AuditId>,
    pub purpose: Purpose,
    /// 1, 2, 3 … over all questions about one record.
    pub part: u32,
    pub prompt: &'a Prompt,
    pub filled: &'a Filled,
    pub schema: &'a Schema,
    /// Tokens that the reply may have.
    pub max_output: u32,
}

impl<'a> Asked<'a> {
    /// The same for a harness; `version` is [`Prompt::version`].
    pub fn question<'q>(&'q self, version: &'q str) -> Question<'q>
    where
        'a: 'q,
    {
        Question {
            audit_id: self.audit_id,
            instrument: self.prompt.id().label(),
            purpose: self.purpose,
            part: self.part,
            system: &self.filled.system,
            user: &self.filled.user,
            prompt_version: version,
            prompt_sha256: self.prompt.sha256(),
            schema: self.schema,
            max_output: self.max_output,
        }
    }
}

/// A reply that fits the schema and means something.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Said {
    pub value: Value,
    pub exchanges: Vec<ExchangeKey>,
    /// What a repair changed: a claim of which it changed anything has no verdict.
    pub changes: Vec<Change>,
}

impl Said {
    /// What a repair changed of the object that stands there in the value.
    pub(super) fn change_at(&self, place: &str) -> Option<&Change> {
        self.changes.iter().find(|change| change.place.as_deref() == Some(place))
    }

    /// What a repair dropped from the list at `path`.
    pub(super) fn dropped_from<'s>(&'s self, path: &'s str) -> impl Iterator<Item = &'s Change> {
        self.changes.iter().filter(move |change| change.place.is_none() && change.path == path)
    }
}

/// What comes of a question, in its time.
pub type Reply<'a> = Pin<Box<dyn Future<Output = Result<Said, Unanswered>> + Send + 'a>>;

/// Says in sentences why a value that fits the schema contradicts itself.
pub type Meaning<'a> = &'a (dyn Fn(&Value) -> Result<(), Vec<String>> + Send + Sync);

/// Gets answers out of a model.
pub trait Asker: Send + Sync {
    /// The time that everything about one record may take, from now.
    fn deadline(&self) -> Deadline;

    fn ask<'a>(&'a self, asked: Asked<'a>, deadline: &'a Deadline, meaning: Meaning<'a>) -> Reply<'a>;

    /// Questions that are sent at once, at most; `None` when nothing sees to that.
    fn at_once(&self) -> Option<usize> {
        None
    }

    /// How long nothing is sent because the server asked for it.
    fn rest(&self) -> Duration {
        Duration::ZERO
    }

    /// Forgets which keys were refused.
    fn try_again(&self) {}
}

impl Asker for Harness {
    fn deadline(&self) -> Deadline {
        Deadline::after(self.settings().record_timeout)
    }

    fn ask<'a>(&'a self, asked: Asked<'a>, deadline: &'a Deadline, meaning: Meaning<'a>) -> Reply<'a> {
        Box::pin(async move {
            let version = asked.prompt.version();
            let question = asked.question(&version);
            let answer =
                Self::ask(self, &question, deadline, |value: &Value| meaning(value).map(|()| value.clone()))
                    .await?;
            Ok(Said { value: answer.value, exchanges: answer.exchanges, changes: answer.changes })
        })
    }

    fn at_once(&self) -> Option<usize> {
        Some(self.settings().concurrency)
    }

    fn rest(&self) -> Duration {
        Self::rest(self)
    }

    fn try_again(&self) {
        Self::try_again(self);
    }
}

/// A failure of the record that no exchange led to.
pub(super) fn failed(judge: &str, reason: impl Into<String>) -> JudgeFailure {
    JudgeFailure::of_record(judge, reason)
}
