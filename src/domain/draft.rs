//! What a person began on a claim and has not finished: it survives a crash, and is nobody's decision.

use super::ids::{ClaimId, ClaimKey};

super::verdict::labels! {
    /// What was begun.
    DraftKind: "kind of draft" {
        /// A note, as it was typed.
        Note = "NOTE",
        /// Evidence that was being chosen, as the ruling that it would have become.
        Evidence = "EVIDENCE",
        /// The line of an escalation.
        Escalation = "ESCALATION",
        /// The line of a deferral.
        Deferral = "DEFERRAL",
        /// The words of a claim that was being added.
        Add = "ADD_CLAIM",
        /// The words of the two claims that one was being split into.
        Split = "SPLIT",
        /// The words of a claim that was being merged from several.
        Merge = "MERGE",
        /// What was being written about a whole answer, beside its disposition.
        Disposition = "DISPOSITION",
    }
}

/// A draft as a window knows it: of this kind, on this claim, and what it may say in the store by what that window
/// found there and asked to be kept since. Where it says anything else, another window of the same person wrote that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    pub claim: ClaimKey,
    pub kind: DraftKind,
    pub texts: Vec<String>,
}

/// How many drafts are named.
const NAMED: usize = 3;

/// `2 drafts: rx-1#2, rx-7#1`.
pub fn told(drafts: &[ClaimId]) -> String {
    let named: Vec<String> = drafts.iter().take(NAMED).map(ToString::to_string).collect();
    let more = match drafts.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let count = if drafts.len() == 1 { "1 draft".to_owned() } else { format!("{} drafts", drafts.len()) };
    format!("{count}: {}{more}", named.join(", "))
}
