//! What an undo or a redo would be about, as part of the screen's state: plain data, changed only by `update`.

use crate::domain::time::Timestamp;

use super::command::Command;

/// An act that stands shown, and that the same key takes back, or does again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    pub command: Command,
    /// The event of the act: another one is not meant.
    pub event: i64,
    /// Until when it stands shown.
    pub until: Timestamp,
}
