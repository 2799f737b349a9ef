//! What the *Dashboard* screen holds: how everything stood when it was read last.

use std::sync::Arc;

use crate::domain::time::Timestamp;
use crate::store::{self, Store, StoreError};
use crate::tui::exchanges::Reading;

/// The state of the screen.
#[derive(Debug, Clone)]
pub struct Dashboard {
    pub read: Reading<Arc<store::Dashboard>>,
    /// The first line that is shown.
    pub top: usize,
}

impl Default for Dashboard {
    fn default() -> Self {
        Self { read: Reading::Loading, top: 0 }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Which day is today.
    pub now: Timestamp,
}

pub(super) fn read(store: &Store, question: &Question) -> Result<Arc<store::Dashboard>, StoreError> {
    store.dashboard(question.now).map(Arc::new)
}
