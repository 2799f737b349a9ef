//! The only door to a model. A [`Judge`] answers an instrument's question about one record.
//!
//! A judge must not know the store or the screen, and nothing it returns is believed:
//! `instrument` locates every quote again before a verdict counts.

pub mod local;

use std::future::Future;
use std::pin::Pin;

use crate::domain::finding::{Finding, Granularity, JudgeIdentity, NoClaim};
use crate::domain::record::{Passage, Record};
use crate::domain::verdict::Score;

/// The settings of the faithfulness instrument.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FaithfulnessSettings {
    /// How finely an answer is cut; given claims are judged as they are.
    pub granularity: Granularity,
}

/// What a judge says of a whole record.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FaithfulnessReply {
    pub findings: Vec<Finding>,
    pub no_claims: Vec<NoClaim>,
}

/// What a judge says of one claim and one passage.
#[derive(Debug, Clone, PartialEq)]
pub struct SupportReply {
    pub score: Score,
    pub rationale: String,
}

/// The judge could not answer; never a verdict.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the judge `{judge}` failed: {reason}")]
pub struct JudgeFailure {
    pub judge: String,
    pub reason: String,
}

/// An answer that may take its time.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, JudgeFailure>> + Send + 'a>>;

/// A model, local or remote.
pub trait Judge: Send + Sync {
    fn identity(&self) -> JudgeIdentity;

    /// Splits the answer into claims (or takes the given ones) and judges each against the passages.
    fn faithfulness<'a>(
        &'a self,
        record: &'a Record,
        settings: &'a FaithfulnessSettings,
    ) -> Pending<'a, FaithfulnessReply>;

    /// Scores how directly `passage` supports `claim`.
    fn support<'a>(&'a self, claim: &'a str, passage: &'a Passage) -> Pending<'a, SupportReply>;
}
