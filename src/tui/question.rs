//! What is said before it is done, and waits for the same key again: an undo or a redo that may reach far back, a ruling
//! against one that stands, or one that its own evidence contradicts. Plain data, changed only by `update`.

use crate::domain::decision::{HumanVerdict, Request};
use crate::domain::ids::ClaimKey;
use crate::domain::time::Timestamp;

use super::command::Command;

/// What was said first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub asks: Asks,
    /// As it stands on the screen.
    pub text: String,
    /// Until when it stands there.
    pub until: Timestamp,
}

/// What the same key again means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asks {
    /// To take back the act of `event`, or to do it again. Another act is not meant.
    Back { command: Command, event: i64 },
    /// To rule so against other people, whose rulings these events recorded.
    OverOthers { claim: ClaimKey, request: Request, others: Vec<i64> },
    /// To rule so against oneself.
    OverOwn { claim: ClaimKey, request: Request },
    /// To rule in place of what the same person ruled in another window, with that event.
    OverElsewhere { claim: ClaimKey, event: i64, command: Command },
    /// To rule so although all chosen spans say the opposite.
    OverSpans { claim: ClaimKey, verdict: HumanVerdict },
}

impl Asks {
    /// Whether it is about `request` on `claim`, which is known to stand against somebody.
    pub fn is_ruling(&self, claim: ClaimKey, request: &Request) -> bool {
        match self {
            Self::OverOthers { claim: of, request: asked, .. }
            | Self::OverOwn { claim: of, request: asked } => *of == claim && asked == request,
            _ => false,
        }
    }
}
