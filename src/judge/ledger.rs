//! Where exchanges with models are kept, and found again so that nothing is asked twice.
//!
//! Must not know what keeps them: the store does, for records; memory does, for pairs out of a file.

use std::sync::{Mutex, PoisonError};

use crate::domain::exchange::{Ending, Exchange, Purpose};
use crate::domain::ids::ExchangeKey;

/// An exchange could not be kept, or not be read. Without a record of it a model is not asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the log of exchanges cannot be used: {0}")]
pub struct LedgerError(pub String);

/// Keeps every exchange from the moment its reply is there.
pub trait Ledger: Send + Sync {
    /// The last VALID exchange of that question ([`Exchange::question_sha256`]), and its raw reply. A repair comes
    /// with the reply that it mended; without it, it is no answer.
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
    /// What was noteworthy about it ([`Exchange::detail`]): a mark once made stays when the reply is used again.
    pub detail: String,
    /// The reply that it is a repair of: so that what the repair changed is seen again whenever it is used.
    pub repaired: Option<Repaired>,
}

/// A reply that could not be read, as it was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    pub key: ExchangeKey,
    pub status: u16,
    pub raw_reply: String,
}

/// Keeps exchanges in memory, raw replies included, for as long as it lives.
#[derive(Debug, Default)]
pub struct MemoryLedger {
    kept: Mutex<Vec<Exchange>>,
}

impl MemoryLedger {
    /// All exchanges so far, in order; the key of each is its place, from 0.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Ledger for MemoryLedger {
    fn answered(&self, question_sha256: &str) -> Result<Option<Answered>, LedgerError> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let last = kept.iter().enumerate().rfind(|(_, exchange)| {
            exchange.ending == Ending::Valid && exchange.question_sha256 == question_sha256
        });
        Ok(last.and_then(|(place, exchange)| {
            let repaired = match exchange.purpose {
                Purpose::Repair => Some(mended(&kept, exchange)?),
                _ => None,
            };
            Some(Answered {
                key: ExchangeKey(i64::try_from(place).ok()?),
                status: exchange.status?,
                raw_reply: exchange.raw_reply.clone(),
                detail: exchange.detail.clone(),
                repaired,
            })
        }))
    }

    fn keep(&self, exchange: &Exchange) -> Result<ExchangeKey, LedgerError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let key = i64::try_from(kept.len()).map_err(|_| LedgerError("it is full".to_owned()))?;
        kept.push(exchange.clone());
        Ok(ExchangeKey(key))
    }
}

/// The reply of `kept` that `repair` mended.
fn mended(kept: &[Exchange], repair: &Exchange) -> Option<Repaired> {
    let key = repair.mends?;
    let misread = kept.get(usize::try_from(key.0).ok()?)?;
    Some(Repaired { key, status: misread.status?, raw_reply: misread.raw_reply.clone() })
}
