//! What a person began on a claim and has not finished: it survives a crash, and is nobody's decision.

use super::ids::ClaimId;

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
        /// The words of a claim that was being made.
        Claim = "CLAIM",
        /// What was being written about a whole answer, beside its disposition.
        Disposition = "DISPOSITION",
    }
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
