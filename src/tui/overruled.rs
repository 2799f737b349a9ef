//! What others said otherwise than this person, as far as they were not told of it yet. Plain data, changed only by `update`.

use crate::domain::overruled::Overruled;
use crate::domain::time::Timestamp;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Untold {
    /// What waits to be told, oldest first.
    pub waiting: Vec<Overruled>,
    /// Up to which event it is known; `None` before the first reading.
    pub upto: Option<i64>,
    /// Whether some of it happened before this session.
    pub is_of_before: bool,
    /// Since when the line stands on the screen.
    pub shown: Option<Timestamp>,
}
