//! The same claim in other answers, as far as it is known for the claim under the cursor.
//!
//! Must not know what makes two claims the same: the store does.

use crate::domain::ids::ClaimKey;
use crate::domain::queue::QueueRow;
use crate::store::Store;

/// What the store was asked about one claim, and what it said.
#[derive(Debug, Clone)]
pub struct Same {
    pub claim: ClaimKey,
    /// Number of the question.
    pub asked: u64,
    /// The state of the file when it was asked for, where that is known.
    pub version: Option<i64>,
    /// The claim and those that are the same, once that is known.
    pub rows: Vec<QueueRow>,
    /// The person asked to decide them and waits for the answer.
    pub wanted: bool,
    /// What is marked is this group, and not what the person marked.
    pub is_marked: bool,
}

impl Same {
    /// How many claims are the same as that of `key`, itself included; `None` when it is the only one.
    pub fn count(&self, key: ClaimKey) -> Option<usize> {
        let is_one = self.rows.len() > 1 && self.rows.iter().any(|row| row.key == key);
        is_one.then_some(self.rows.len())
    }

    /// Whether there may be more than are known.
    pub fn is_cut(&self) -> bool {
        self.rows.len() >= Store::MOST_SAME
    }
}
