//! Where exchanges with models are kept, and found again so that nothing is asked twice.
//!
//! Must not know what keeps them: the store does, for records; memory does, for pairs out of a file.

use crate::domain::exchange::Exchange;
use crate::domain::ids::ExchangeKey;

/// An exchange could not be kept, or not be read. Without a record of it a model is not asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the log of exchanges cannot be used: {0}")]
pub struct LedgerError(pub String);

/// Keeps every exchange from the moment its reply is there.
pub trait Ledger: Send + Sync {
    /// The last VALID exchange of that question ([`Exchange::question_sha256`]), and its raw reply.
    fn answered(&self, question_sha256: &str) -> Result<Option<Answered>, LedgerError>;

    /// Keeps an exchange for good before anything is made of it.
    fn keep(&self, exchange: &Exchange) -> Result<ExchangeKey, LedgerError>;
}

/// A valid exchange that was kept earlier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    pub key: ExchangeKey,
    pub status: u16,
    pub raw_reply: String,
}
