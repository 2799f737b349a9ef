//! The auditor's own store, asked on a thread that may block, so that a wait for another
//! process's lock never stops the runtime.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinError;

use crate::store::{Durability, Store, StoreError};

/// Why the loop ended without being asked to.
#[derive(Debug, thiserror::Error)]
pub(super) enum DeskError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("a store call broke: {0}")]
    Broken(#[from] JoinError),
}

pub(super) struct Desk {
    store: Arc<Mutex<Store>>,
}

impl Desk {
    pub(super) async fn open(path: &Path) -> Result<Self, DeskError> {
        let path = path.to_owned();
        let store = tokio::task::spawn_blocking(move || Store::open(&path, Durability::Normal)).await??;
        Ok(Self { store: Arc::new(Mutex::new(store)) })
    }

    pub(super) async fn ask<T, F>(&self, question: F) -> Result<T, DeskError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Store) -> Result<T, StoreError> + Send + 'static,
    {
        let store = Arc::clone(&self.store);
        let answer = tokio::task::spawn_blocking(move || {
            question(&mut store.lock().unwrap_or_else(PoisonError::into_inner))
        });
        Ok(answer.await??)
    }
}
