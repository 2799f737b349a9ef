//! The log of exchanges in the store.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::domain::exchange::Exchange;
use crate::domain::ids::ExchangeKey;
use crate::judge::ledger::{Answered, Ledger, LedgerError, Repaired};
use crate::store::{Durability, Store, StoreError};

/// Exchanges committed together, at most, and bytes of replies from which on no further one is added: so
/// that no commit holds the write lock for long.
const MOST: usize = 64;
const BYTES: usize = 1 << 20;

/// Keeps exchanges in a store, over connections of its own. Every exchange is committed when
/// [`Ledger::keep`] returns; a call blocks for the time of one short transaction. Those that come while
/// another one is committed are committed together.
pub struct StoreLedger {
    store: Mutex<Store>,
    waiting: Mutex<Vec<Waiting>>,
}

/// An exchange that is not committed yet.
struct Waiting {
    exchange: Exchange,
    kept: Kept,
}

/// Where the key of an exchange is put once it is committed.
type Kept = Arc<OnceLock<Result<ExchangeKey, LedgerError>>>;

impl StoreLedger {
    /// Opens the store at `path`, creating it when there is none.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let store = Mutex::new(Store::open(path, Durability::Normal)?);
        Ok(Self { store, waiting: Mutex::default() })
    }

    /// Takes some of those that wait, the first ones.
    fn take(&self) -> (Vec<Exchange>, Vec<Kept>) {
        let mut waiting = locked(&self.waiting);
        let mut bytes = 0;
        let more = |waiting: &&Waiting| {
            let is_room = bytes < BYTES;
            bytes += waiting.exchange.raw_reply.len();
            is_room
        };
        let taken = waiting.iter().take(MOST).take_while(more).count();
        waiting.drain(..taken).map(|waiting| (waiting.exchange, waiting.kept)).unzip()
    }
}

/// What another thread broke off in the middle of a commit is rolled back, and what waits is whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn told(error: &StoreError) -> LedgerError {
    LedgerError(error.to_string())
}

impl Ledger for StoreLedger {
    fn answered(&self, question_sha256: &str) -> Result<Option<Answered>, LedgerError> {
        let found = locked(&self.store).answered(question_sha256).map_err(|error| told(&error))?;
        Ok(found.map(|found| Answered {
            key: found.key,
            status: found.status,
            raw_reply: found.raw_reply,
            detail: found.detail,
            repaired: found.repaired.map(|misread| Repaired {
                key: misread.key,
                status: misread.status,
                raw_reply: misread.raw_reply,
            }),
        }))
    }

    fn keep(&self, exchange: &Exchange) -> Result<ExchangeKey, LedgerError> {
        let kept = Arc::new(OnceLock::new());
        locked(&self.waiting).push(Waiting { exchange: exchange.clone(), kept: Arc::clone(&kept) });
        loop {
            // Whoever gets the store commits for all who wait; the others find it done.
            let mut store = locked(&self.store);
            if let Some(kept) = kept.get() {
                return kept.clone();
            }
            let (exchanges, owners) = self.take();
            if owners.is_empty() {
                return Err(LedgerError("the thread that was to keep it broke".to_owned()));
            }
            let each = match store.keep_exchanges(&exchanges) {
                Ok(each) => each.into_iter().map(|one| one.map_err(|error| told(&error))).collect(),
                Err(error) => vec![Err(told(&error)); owners.len()],
            };
            for (owner, one) in owners.iter().zip(each) {
                let _ = owner.set(one);
            }
        }
    }
}
