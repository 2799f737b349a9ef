//! What stands shown before the same key does it, as part of the screen's state: an undo or a redo, a ruling against
//! one that stands. Plain data, changed only by `update`.

use crate::domain::decision::Request;
use crate::domain::ids::ClaimKey;
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

/// A ruling that would stand against one that is there, and that the same key makes all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overturn {
    pub claim: ClaimKey,
    pub request: Request,
    /// Whether other people's rulings were told; else the person's own.
    pub is_of_others: bool,
    /// Since when it stands shown, and until when.
    pub since: Timestamp,
    pub until: Timestamp,
}

impl Overturn {
    /// Whether it is about `request` on `claim`.
    pub fn is_it(&self, claim: ClaimKey, request: &Request) -> bool {
        self.claim == claim && self.request == *request
    }
}
