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
            instrument: self.prompt.id().instrument(),
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

    /// Whether a repair had to put something in the place of a detail of that object, and changed nothing else of it.
    /// That is asked for again.
    pub(super) fn lacks_details(&self, place: &str) -> bool {
        let changes = self.changes.iter().filter(|change| change.place.as_deref() == Some(place));
        are_details(&changes.collect::<Vec<_>>())
    }

    /// The claims that a repair dropped, wherever in the broken reply they stood: its outer shape may have been another.
    pub(super) fn dropped(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| change.place.is_none() && !change.path.ends_with("/no_claim"))
    }
}

/// Whether the changes, of which there are some, are of nothing but what stands beside the label and the words: how
/// sure the judge is, which role a citation has, and the form of a citation that was its bare words.
pub(super) fn are_details(changes: &[&Change]) -> bool {
    let is_bare = changes
        .iter()
        .any(|change| change.field == CITATIONS && change.before.is_some() && change.after.is_none());
    let is_detail = |change: &&Change| match change.field.as_str() {
        "confidence" | "role" => true,
        CITATIONS => change.after.is_none() && is_bare,
        "quote" | "passage_id" => change.before.is_none() && is_bare,
        _ => false,
    };
    !changes.is_empty() && changes.iter().all(is_detail)
}

/// The field of a claim's citations.
const CITATIONS: &str = "evidence_citation";

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
