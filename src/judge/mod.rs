//! The only door to a model. A [`Judge`] answers an instrument's question about one record.
//!
//! A judge must not know the store or the screen, and nothing it returns is believed:
//! `instrument` locates every quote again before a verdict counts.
//!
//! [`local`] compares words by itself. A model behind an API is asked in layers, each of which knows only the
//! ones before it: [`wire`] turns a question into an HTTP request and a reply into what was said; [`reading`] turns
//! what was said into a value that fits a schema; [`harness`] asks until there is an answer that fits its schema, or a
//! named state; `model` turns instruments into prompts. [`embeddings`] judges nothing: it asks how alike texts are.

pub mod batch;
mod blot;
pub mod embeddings;
pub mod harness;
pub mod keys;
pub mod ledger;
pub mod local;
pub mod model;
pub mod pace;
pub mod reading;
pub mod settings;
pub mod transport;
pub mod wire;

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde_json::Value;

use crate::domain::comparison::{ComparedClaim, Rivals};
use crate::domain::finding::{Finding, Granularity, JudgeIdentity, NoClaim, Threshold};
use crate::domain::ids::ExchangeKey;
use crate::domain::record::{Passage, Record};
use crate::domain::verdict::{NoVerdict, Probability, Score};
use crate::prompt::PromptId;

/// The settings of the faithfulness instrument.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FaithfulnessSettings {
    /// How finely an answer is cut; given claims are judged as they are.
    pub granularity: Granularity,
    /// How close the evidence must be.
    pub threshold: Threshold,
    /// What else the judge is to go by, in a person's words ("ignore sources before 2023"); empty for nothing.
    pub constraints: String,
}

/// What a judge says of a whole record.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FaithfulnessReply {
    pub findings: Vec<Finding>,
    pub no_claims: Vec<NoClaim>,
    /// What the program has to say of findings, beside the model's rationale: how much of the evidence was shown.
    pub remarks: Vec<Remark>,
    /// The exchanges that it rests on, in order.
    pub exchanges: Vec<ExchangeKey>,
}

/// A sentence that a person should read with a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// Which of the findings: an index.
    pub finding: usize,
    pub text: String,
}

/// What comes of asking for a comparison in one look.
#[derive(Debug, Clone, PartialEq)]
pub enum Compared {
    AtOnce(ComparisonReply),
    /// This judge has no way of its own to do that, or the answers and documents are too long for one look: each answer
    /// is to be judged by itself. With the exchanges that showed it, in order.
    Apart(Vec<ExchangeKey>),
}

/// What a judge says of two answers.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonReply {
    pub baseline: Vec<ComparedClaim>,
    pub candidate: Vec<ComparedClaim>,
    /// The judge's own counts and rates, in the form of the schema without the claims; `None` where it was not asked for
    /// any.
    pub arithmetic: Option<Value>,
    /// The exchanges that it rests on, in order.
    pub exchanges: Vec<ExchangeKey>,
}

/// What a judge says of one claim and one passage.
#[derive(Debug, Clone, PartialEq)]
pub struct SupportReply {
    pub score: Score,
    pub rationale: String,
    /// The passage's words that decide, as the judge quotes them; empty when there are none.
    pub key_evidence: Vec<String>,
    /// What a full support would need; `None` only where nothing is missing.
    pub missing_information: Option<String>,
    /// Probability that the score is right, where the judge gives one.
    pub confidence: Option<Probability>,
    /// What the program has to say of it, beside the model's rationale: how much of the passage was shown.
    pub remark: Option<String>,
    /// The exchanges that it rests on, in order.
    pub exchanges: Vec<ExchangeKey>,
}

/// How far a failure reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// This record has no verdict, and this is its state; others may have one.
    Record(NoVerdict),
    /// Nothing can be judged at the moment: the server cannot be reached, or asks to wait. That may pass by
    /// itself. The record waits on.
    ForNow,
    /// Nothing can be judged until a person mends something, a refused key or a spent budget. The record
    /// waits on.
    Everything,
}

/// The judge could not answer; never a verdict.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the judge `{judge}` failed: {reason}")]
pub struct JudgeFailure {
    pub judge: String,
    pub reach: Reach,
    pub reason: String,
    /// The exchanges that led to it, in order.
    pub exchanges: Vec<ExchangeKey>,
}

impl JudgeFailure {
    /// One record could not be judged, without an exchange with a model.
    pub fn of_record(judge: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            judge: judge.into(),
            reach: Reach::Record(NoVerdict::Failed),
            reason: reason.into(),
            exchanges: Vec::new(),
        }
    }
}

/// An answer that may take its time.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, JudgeFailure>> + Send + 'a>>;

/// Answers about several things, each of which may fail by itself.
pub type EachPending<'a, T> = Pin<Box<dyn Future<Output = Vec<Result<T, JudgeFailure>>> + Send + 'a>>;

/// A model, local or remote.
pub trait Judge: Send + Sync {
    /// Who audits for faithfulness.
    fn identity(&self) -> JudgeIdentity;

    /// Who answers `question`: a judge that asks by prompts has another one for each.
    fn identity_of(&self, _question: PromptId) -> JudgeIdentity {
        self.identity()
    }

    /// Splits the answer into claims (or takes the given ones) and judges each against the passages.
    fn faithfulness<'a>(
        &'a self,
        record: &'a Record,
        settings: &'a FaithfulnessSettings,
    ) -> Pending<'a, FaithfulnessReply>;

    /// Scores how directly `passage` supports `claim`.
    fn support<'a>(&'a self, claim: &'a str, passage: &'a Passage) -> Pending<'a, SupportReply>;

    /// Compares two answers in one look, if it can.
    fn comparison<'a>(
        &'a self,
        _rivals: &'a Rivals,
        _settings: &'a FaithfulnessSettings,
    ) -> Pending<'a, Compared> {
        Box::pin(async { Ok(Compared::Apart(Vec::new())) })
    }

    /// Compares the answers of each of several items, in no more looks than it takes. An answer for each, in their
    /// order: one item that fails costs no other its own.
    fn comparisons<'a>(
        &'a self,
        items: &'a [&'a Rivals],
        settings: &'a FaithfulnessSettings,
    ) -> EachPending<'a, Compared> {
        Box::pin(async move {
            let mut answers = Vec::with_capacity(items.len());
            for rivals in items {
                answers.push(self.comparison(rivals, settings).await);
            }
            answers
        })
    }

    /// Items of a comparison that it takes in one look, at most.
    fn items_at_once(&self) -> usize {
        1
    }

    /// Questions that it sends at once, at most, however many records it is given at the same time: those beyond wait
    /// in it for their turn. `None` when it sees to no bound of its own.
    fn at_once(&self) -> Option<usize> {
        None
    }

    /// How long it sends nothing because the server asked for it; zero while it goes on.
    fn rest(&self) -> Duration {
        Duration::ZERO
    }

    /// Forgets what it took for settled: a key that was refused may be accepted by now, an account topped up. What
    /// a budget spent stays spent.
    fn try_again(&self) {}
}
