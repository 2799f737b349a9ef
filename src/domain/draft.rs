//! What a person began on a claim and has not finished: it survives a crash, and is nobody's decision.

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
    }
}
