//! A question that was refused, as part of the screen's state: plain data, changed only by `update`.

use std::time::Duration;

use crate::domain::time::Timestamp;

/// A question that was not asked, while its answer may be typed already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused {
    /// Until when what is typed is taken for the answer.
    pub until: Timestamp,
    /// Whether the answer is a text and not one letter.
    pub is_text: bool,
    /// Who stops for so long has read the refusal.
    pub pause: Duration,
}
