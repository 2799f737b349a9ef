//! What the *Compare* screen holds: the comparisons that are kept.

use crate::store::{KeptComparison, Store, StoreError};
use crate::tui::exchanges::Reading;

/// The state of the screen.
#[derive(Debug, Clone)]
pub struct Compare {
    /// The newest first.
    pub kept: Reading<Vec<KeptComparison>>,
    /// The name of the one in hand; rows may come above it.
    pub chosen: Option<String>,
}

impl Default for Compare {
    fn default() -> Self {
        Self { kept: Reading::Loading, chosen: None }
    }
}

impl Compare {
    pub fn kept(&self) -> &[KeptComparison] {
        self.kept.ready().map_or(&[], Vec::as_slice)
    }

    /// The line of the one in hand.
    pub fn line(&self) -> usize {
        self.kept().iter().position(|kept| Some(&kept.name) == self.chosen.as_ref()).unwrap_or(0)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question;

#[derive(Debug, Clone)]
pub struct Reply {
    pub kept: Vec<KeptComparison>,
}

pub(super) fn read(store: &Store, _: &Question) -> Result<Reply, StoreError> {
    Ok(Reply { kept: store.comparisons()? })
}
