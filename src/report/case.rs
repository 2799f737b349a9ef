//! One item or claim as programs that count tests see it.

use serde::{Deserialize, Serialize};

/// An item or a claim, and how it came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// What it belongs to: `comparison`, or the record of a claim.
    pub group: String,
    pub name: String,
    pub ended: Ended,
    /// Why, over several lines where there is more to say; empty where it passed.
    pub text: String,
}

/// How a case came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ended {
    Passed,
    /// It is worse than it may be.
    Failed,
    /// Nothing could be said of it.
    Skipped,
    /// Asking failed.
    Error,
}
