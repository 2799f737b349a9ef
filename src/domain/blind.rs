//! Blind review: a person commits their own verdict before they are shown the judge's, and then keeps it or
//! changes it. Both stay, so that it can be told how far a judge pulls people along.

use super::decision::{Decided, HumanVerdict, Ruling};
use super::finding::AuditState;
use super::ids::{Annotator, ClaimId, ClaimKey};
use super::time::Timestamp;
use super::verdict::{Severity, Verdict};

/// How many people may give a claim their blind verdict where the settings do not say.
pub const OVERLAP: u8 = 2;

/// How much a person may see of what others say about a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sight {
    /// Everything: the review is not blind, or the person has had their last word.
    #[default]
    Open,
    /// Neither the judge nor other people: the person has not committed a verdict.
    Hidden,
    /// The judge, not other people: the person has committed a verdict and is asked whether they keep it. What
    /// a change is owed to is known then.
    Revealed,
}

/// A verdict that a person committed before they were shown the judge's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blind {
    pub ruling: Ruling,
    /// Sequence number of the event that committed it.
    pub seq: i64,
    pub at: Timestamp,
    /// Whether the judge's verdict on the claim had not been before the person in any earlier act of theirs: in
    /// an open review, or because they committed a blind verdict and took it back; nor that on the same claim in
    /// another answer.
    pub independent: bool,
    /// Whether it is one of those that `review.overlap` asks for: not where the person had been shown the judge's
    /// verdict on this very claim, so that somebody else is asked. Where they know it from another answer it is: whoever
    /// comes next would know it from there as well.
    pub fills: bool,
}

/// What one person said about one claim, before and after they were shown the judge.
#[derive(Debug, Clone, PartialEq)]
pub struct Opinion {
    pub annotator: Annotator,
    pub key: ClaimKey,
    pub claim: ClaimId,
    /// The audit of the record that the claim is of: 1, 2, 3 …
    pub run: u32,
    /// Whether that is the audit whose claims count now.
    pub is_current: bool,
    /// What the person said without the judge.
    pub first: Blind,
    /// What the person was then shown of the judge.
    pub shown: Shown,
    /// What stands of the person now: kept or changed. `None` while they have not said which.
    pub last: Option<Decided>,
}

/// What a judge said of a claim, in short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown {
    pub state: AuditState,
    /// Also that of an ungrounded verdict.
    pub verdict: Option<Verdict>,
    pub severity: Option<Severity>,
}

impl Shown {
    /// The judge's verdict where it has a grounded one: what people can agree with.
    pub fn grounded(&self) -> Option<Verdict> {
        self.verdict.filter(|_| self.state == AuditState::Judged)
    }
}

impl Opinion {
    /// Whether the person changed their verdict after they were shown the judge's; `None` while they have not
    /// said.
    pub fn is_changed(&self) -> Option<bool> {
        self.last.as_ref().map(|last| last.ruling.verdict != self.first.ruling.verdict)
    }

    /// Whether the person went over to the judge: said otherwise first, and the same as the judge afterwards.
    pub fn went_over(&self) -> bool {
        let judge = self.shown.grounded().map(HumanVerdict::from);
        judge.is_some()
            && judge != Some(self.first.ruling.verdict)
            && self.last.as_ref().map(|last| last.ruling.verdict) == judge
    }
}
