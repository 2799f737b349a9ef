//! Asks a model until there is an answer that fits its schema and means something, or a named state.
//!
//! A reply passes: transport, finish reason, JSON, schema, meaning. Only then is it an answer. Every exchange is
//! kept in the ledger before anything is made of it. Must not know instruments, the store, or how a protocol is
//! written.

pub(super) mod backoff;
mod batched;
mod budget;
mod course;
mod deadline;
mod gate;
mod log;
mod probe;
mod unread;

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use self::backoff::Jitter;
use self::course::{Course, Text};
use self::gate::Gate;
use super::keys::Keys;
use super::ledger::Ledger;
use super::reading::{Change, Schema};
use super::settings::{ModelSettings, Reasoning};
use super::transport::{Transport, TransportError};
use super::wire::{Form, Manner};
use super::{JudgeFailure, Reach};
use crate::clock::Clock;
use crate::domain::exchange::Purpose;
use crate::domain::ids::{AuditId, ExchangeKey};
use crate::domain::verdict::NoVerdict;

pub use self::batched::{Batched, Prepared};
pub use self::budget::{Budget, Estimate, OverBudget, cost, dollars, estimate, highest_estimate};
pub(super) use self::course::ending;
pub use self::deadline::Deadline;
pub use self::probe::Probed;

/// One question to a model, whole: what an instrument wants to know of one record, or of a part of it.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    pub audit_id: Option<&'a AuditId>,
    /// `faithfulness`, `comparison` or `support`.
    pub instrument: &'a str,
    /// [`Purpose::Ask`] or [`Purpose::AskAgain`].
    pub purpose: Purpose,
    /// 1, 2, 3 …
    pub part: u32,
    pub system: &'a str,
    pub user: &'a str,
    pub prompt_version: &'a str,
    pub prompt_sha256: &'a str,
    pub schema: &'a Schema,
    /// Tokens that the reply may have; asked for once more with a multiple of it when it was cut.
    pub max_output: u32,
}

/// An answer that fits its schema and means something.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer<T> {
    pub value: T,
    /// The exchanges that led to it, in order; the last holds the reply.
    pub exchanges: Vec<ExchangeKey>,
    /// What was lenient in reading it, and the mark of a repair that changed what it says.
    pub notes: Vec<String>,
    /// What a repair changed: a claim of which it changed anything has no verdict.
    pub changes: Vec<Change>,
    /// The model that answered, as the server names it; `None` where it does not, and for an earlier reply.
    pub model: Option<String>,
}

/// Why there is no answer, as far as the one who asked can do something about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The question is longer than the model can read: ask with less evidence.
    TooLong,
    /// The reply has no room, even in a larger one: ask for less at once.
    Cut,
    /// Nothing that another question would change.
    Other,
}

/// There is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{failure}")]
pub struct Unanswered {
    pub why: Why,
    pub failure: JudgeFailure,
}

impl From<Unanswered> for JudgeFailure {
    fn from(unanswered: Unanswered) -> Self {
        unanswered.failure
    }
}

/// A reply that could not be read, for the prompt that asks to write it again.
#[derive(Debug, Clone, Copy)]
pub struct Misread<'a> {
    pub schema: &'a Schema,
    /// What the model wrote, cut to a bound.
    pub reply: &'a str,
    pub errors: &'a [String],
}

/// The request to write a reply again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairText {
    pub system: String,
    pub user: String,
}

/// Writes the request for a repair.
pub type WriteRepair = Box<dyn Fn(&Misread<'_>) -> Result<RepairText, String> + Send + Sync>;

/// How a reply that cannot be read is asked for again.
pub struct Repair {
    pub prompt_version: String,
    pub prompt_sha256: String,
    /// `Err` holds why there is no such text.
    pub write: WriteRepair,
}

impl fmt::Debug for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repair").field("prompt_version", &self.prompt_version).finish_non_exhaustive()
    }
}

/// What a harness works with besides the judge's settings.
#[derive(Debug)]
pub struct HarnessOptions {
    /// What all requests may cost together; `None` for any amount.
    pub budget: Option<Arc<Budget>>,
    /// Whether a reply from earlier is passed over.
    pub fresh: bool,
    pub repair: Repair,
    /// Waits between tries are drawn from it. Different in every process, or those who failed together come back
    /// together.
    pub seed: u64,
}

/// A judge cannot be asked as it is set up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    #[error("[judge.{judge}]: {error}")]
    Transport { judge: String, error: TransportError },
    #[error(
        "[judge.{0}] has no `prices`, so that nothing can be kept within a budget: set them, or give no budget"
    )]
    NoPrices(String),
}

/// Asks one model. Shared by all who ask: its pace, its keys and what it learned of the server are one.
pub struct Harness {
    settings: ModelSettings,
    ledger: Arc<dyn Ledger>,
    clock: Arc<dyn Clock>,
    options: HarnessOptions,
    transport: Transport,
    gate: Gate,
    jitter: Jitter,
    /// In which form the server takes requests, as far as it is known.
    manner: Mutex<Manner>,
    /// When the server last answered anything at all.
    heard: Mutex<Option<Instant>>,
    /// Whether it ever answered what was asked.
    answered: AtomicBool,
    /// Whether a reply that was cut came whole with more room: the next one is given it at once.
    needs_room: AtomicBool,
    /// Whether the server called a question wrong that asked for more room: no other asks for more in this run.
    has_no_more_room: AtomicBool,
}

impl fmt::Debug for Harness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Harness").field("judge", &self.settings.name).finish_non_exhaustive()
    }
}

impl Harness {
    pub fn new(
        settings: ModelSettings,
        ledger: Arc<dyn Ledger>,
        clock: Arc<dyn Clock>,
        options: HarnessOptions,
    ) -> Result<Self, SetupError> {
        if options.budget.is_some() && settings.prices.is_none() {
            return Err(SetupError::NoPrices(settings.name));
        }
        let transport = match Transport::new(&settings.endpoint, &settings.keys) {
            Ok(transport) => transport,
            Err(error) => return Err(SetupError::Transport { judge: settings.name, error }),
        };
        Ok(Self {
            gate: Gate::new(
                Keys::new(&settings.keys, &settings.endpoint.secret_headers),
                settings.concurrency,
            ),
            jitter: Jitter::new(options.seed),
            manner: Mutex::new(Manner::first(&settings.endpoint)),
            heard: Mutex::new(None),
            answered: AtomicBool::new(false),
            needs_room: AtomicBool::new(false),
            has_no_more_room: AtomicBool::new(false),
            settings,
            ledger,
            clock,
            options,
            transport,
        })
    }

    pub fn settings(&self) -> &ModelSettings {
        &self.settings
    }

    /// The answer to `question`: an earlier one if it still fits, else the model's. `meaning` turns a value that
    /// fits the schema into what was asked for, or says in sentences why it contradicts itself.
    ///
    /// Needs a tokio runtime with I/O and time. May be dropped at any moment; what was in flight is then lost, and
    /// nothing else.
    pub async fn ask<T>(
        &self,
        question: &Question<'_>,
        deadline: &Deadline,
        meaning: impl Fn(&Value) -> Result<T, Vec<String>>,
    ) -> Result<Answer<T>, Unanswered> {
        let mut course = Course::new(self, question, deadline);
        if !self.options.fresh
            && let Some(answer) = course.earlier(&meaning)?
        {
            return Ok(answer);
        }
        course.answer(&Text::of(question), &meaning).await
    }

    /// How long nothing is sent because the server asked for it; zero while it goes on.
    pub fn rest(&self) -> Duration {
        self.gate.rest()
    }

    /// Tries all keys and accounts again, also those that were set aside.
    pub fn try_again(&self) {
        self.gate.revive();
    }

    /// SHA-256 (hex) of everything an answer depends on. The form in which a server takes requests is not part of
    /// it: that is found out anew in every run, and the question is the same.
    fn question_sha256(&self, question: &Question<'_>) -> String {
        let endpoint = &self.settings.endpoint;
        let before_the_schema = json!([
            "juror question 2",
            question.instrument,
            question.prompt_sha256,
            endpoint.protocol.label(),
            // Whole, query included: a hash shows nothing, and deployments may differ in nothing else.
            endpoint.base_url,
            endpoint.headers,
            endpoint.secret_headers.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            endpoint.model,
            endpoint.reasoning.map(Reasoning::label),
            self.settings.temperature,
            self.settings.seed,
            question.max_output,
            question.system,
            question.user,
            question.schema.name(),
        ]);
        // The schema as it stands: to copy it into the list takes longer than all the rest.
        log::sha256(&format!("{before_the_schema}\n{}", question.schema.value()))
    }

    fn manner(&self) -> Manner {
        *self.manner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A plainer manner than `tried`, or `None` when there is none. Many are refused in the same form at once; only
    /// the first takes the step, the others go along.
    fn plainer(&self, tried: Manner, form: Form) -> Option<Manner> {
        let mut known = self.manner.lock().unwrap_or_else(PoisonError::into_inner);
        if *known == tried {
            *known = tried.plainer(form)?;
        }
        Some(*known)
    }

    /// A manner that brought an answer where the one that was known brought none.
    fn learn(&self, manner: Manner) {
        *self.manner.lock().unwrap_or_else(PoisonError::into_inner) = manner;
    }

    fn failure(&self, reach: Reach, reason: String, exchanges: &[ExchangeKey]) -> JudgeFailure {
        JudgeFailure {
            judge: self.settings.name.clone(),
            reach,
            reason: self.gate.blotted(reason),
            exchanges: exchanges.to_vec(),
        }
    }
}

impl Unanswered {
    fn state(
        why: Why,
        state: NoVerdict,
        harness: &Harness,
        reason: String,
        exchanges: &[ExchangeKey],
    ) -> Self {
        Self { why, failure: harness.failure(Reach::Record(state), reason, exchanges) }
    }

    fn everything(harness: &Harness, reason: String, exchanges: &[ExchangeKey]) -> Self {
        Self { why: Why::Other, failure: harness.failure(Reach::Everything, reason, exchanges) }
    }

    fn for_now(harness: &Harness, reason: String, exchanges: &[ExchangeKey]) -> Self {
        Self { why: Why::Other, failure: harness.failure(Reach::ForNow, reason, exchanges) }
    }
}
