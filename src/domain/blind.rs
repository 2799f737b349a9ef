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

/// What the people say of a claim together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Word<'a> {
    /// Nobody has decided it.
    Open,
    /// The decision that counts.
    Of(&'a (Annotator, Decided)),
    /// People who judged it blind disagreed; this is the decision of somebody who did not, and settles it.
    Adjudicated(&'a (Annotator, Decided)),
    /// People who judged it blind disagree, and nobody has settled it.
    Disputed,
}

impl<'a> Word<'a> {
    /// From the decisions that stand and the blind verdicts, each oldest first.
    ///
    /// A decision of somebody who did not judge the claim blind goes before the blind ones: it settles them when it
    /// was made after two of them were committed, whatever is said blind afterwards.
    pub fn of(decisions: &'a [(Annotator, Decided)], blind: &[(Annotator, Blind)]) -> Self {
        let is_blind =
            |decision: &&(Annotator, Decided)| blind.iter().any(|(annotator, _)| *annotator == decision.0);
        let open = decisions.iter().rfind(|decision| !is_blind(decision));
        let mut own = decisions.iter().filter(is_blind).map(|(_, decided)| decided.ruling.verdict);
        let first = own.next();
        let is_split = own.any(|verdict| Some(verdict) != first);
        let second = blind.get(1).map(|(_, second)| second.seq);
        match open {
            Some(open) if is_split && second.is_some_and(|second| open.1.seq > second) => {
                Self::Adjudicated(open)
            }
            _ if is_split => Self::Disputed,
            open => open.or(decisions.last()).map_or(Self::Open, Self::Of),
        }
    }

    /// The decision that counts, if one does.
    pub const fn decision(self) -> Option<&'a (Annotator, Decided)> {
        match self {
            Self::Of(decision) | Self::Adjudicated(decision) => Some(decision),
            Self::Open | Self::Disputed => None,
        }
    }
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
