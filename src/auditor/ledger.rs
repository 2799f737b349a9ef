//! The log of exchanges in the store.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::domain::exchange::Exchange;
use crate::domain::ids::ExchangeKey;
use crate::judge::ledger::{Answered, Ledger, LedgerError};
use crate::store::{Durability, Store, StoreError};

/// Keeps exchanges in a store, over connections of its own. Every exchange is committed when
/// [`Ledger::keep`] returns; a call blocks for the time of one short transaction.
pub struct StoreLedger {
    store: Mutex<Store>,
}

impl StoreLedger {
    /// Opens the store at `path`, creating it when there is none.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { store: Mutex::new(Store::open(path, Durability::Normal)?) })
    }

    fn store<T>(&self, ask: impl FnOnce(&mut Store) -> Result<T, StoreError>) -> Result<T, LedgerError> {
        // What another thread broke off in the middle is rolled back: the store itself is whole.
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        ask(&mut store).map_err(|error| LedgerError(error.to_string()))
    }
}

impl Ledger for StoreLedger {
    fn answered(&self, question_sha256: &str) -> Result<Option<Answered>, LedgerError> {
        let found = self.store(|store| store.answered(question_sha256))?;
        Ok(found.map(|found| Answered {
            key: found.key,
            status: found.status,
            raw_reply: found.raw_reply,
            detail: found.detail,
        }))
    }

    fn keep(&self, exchange: &Exchange) -> Result<ExchangeKey, LedgerError> {
        self.store(|store| store.keep_exchange(exchange))
    }
}
