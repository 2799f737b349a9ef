//! Claims that a person has marked in the list, to act on them at once.
//!
//! Only a row that has been in view long enough can be marked: nothing is decided about a claim that nobody could
//! have seen. Must not know what is done with the marked.

use std::collections::HashSet;
use std::time::Duration;

use crate::domain::decision::{Disposition, HumanVerdict, Request};
use crate::domain::finding::AuditState;
use crate::domain::ids::ClaimKey;
use crate::domain::queue::QueueRow;
use crate::domain::time::Timestamp;

use super::app::App;
use super::in_view::InView;

/// So many claims can be marked: all of them are recorded in one transaction.
pub const MOST: usize = 500;

#[derive(Debug, Clone, Default)]
pub struct Marks {
    /// In the order in which they were marked, as they stood in the list then.
    pub rows: Vec<QueueRow>,
    /// Where a range begins whose end is still to be chosen.
    pub range: Option<ClaimKey>,
    /// The note of an escalation of all of them that was typed and is not recorded.
    pub note: Option<String>,
    /// Why their answers are to be blocked or returned, as it was typed and is not recorded.
    pub why: Option<String>,
    /// The claims that were ruled on together last: a reason can be given to all of them.
    pub ruled: Vec<ClaimKey>,
    /// What was ruled against together last, where nothing was saved since.
    pub against: Option<Against>,
    /// The marked ones are these: they need not be in the list.
    pub are_against: bool,
    /// The reason that is asked for is for all of these.
    pub is_reasoned: bool,
    /// The rows of the last frame.
    in_view: InView<ClaimKey>,
    /// Rows that were in view long enough and are not any more.
    seen: HashSet<ClaimKey>,
}

impl Marks {
    /// A frame was drawn with the rows of these claims.
    pub fn drawn(&mut self, rows: &[ClaimKey], least: Duration, now: Timestamp) {
        self.seen.extend(self.in_view.long(least, now));
        self.in_view.drawn(rows.iter().copied(), now);
    }

    /// Time in which nobody listened to the keyboard is no time to look.
    pub fn shift(&mut self, by: Duration, now: Timestamp) {
        self.in_view.shift(by, now);
    }

    /// The rows have to be looked at anew; what was seen stays seen.
    pub fn look_anew(&mut self) {
        self.in_view.clear();
    }

    /// Whether the row of `key` has been in view for `least`.
    pub fn was_seen(&self, key: ClaimKey, least: Duration, now: Timestamp) -> bool {
        self.seen.contains(&key) || self.in_view.was(&key, least, now)
    }

    pub fn has(&self, key: ClaimKey) -> bool {
        self.rows.iter().any(|row| row.key == key)
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.range.is_none()
    }

    /// Nothing is marked any more; what was seen stays seen.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.range = None;
        self.note = None;
        self.why = None;
        self.are_against = false;
    }
}

/// Claims that were ruled against together, and whose answers can still go out.
#[derive(Debug, Clone)]
pub struct Against {
    /// The last event of it.
    pub event: i64,
    pub rows: Vec<QueueRow>,
}

impl Against {
    /// How many answers they are of.
    pub fn answers(&self) -> usize {
        self.rows.iter().map(|row| row.id.audit_id()).collect::<HashSet<_>>().len()
    }
}

/// What can be done to all marked claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Together {
    Confirm,
    Rule(HumanVerdict),
    Skip,
    Flag,
    /// This is to happen to the answers that they are of, and why.
    Dispose {
        disposition: Disposition,
        note: Option<String>,
    },
    /// What a line was asked for: a deferral, an escalation.
    Asked(Request),
}

impl Together {
    /// As the beginning of a sentence.
    pub fn verb(&self) -> String {
        match self {
            Self::Confirm => "Confirm".to_owned(),
            Self::Rule(verdict) => format!("Rule {verdict} on"),
            Self::Skip => "Skip".to_owned(),
            Self::Flag => "Flag".to_owned(),
            Self::Dispose { disposition, .. } => {
                let verb = match disposition {
                    Disposition::Release => "Release",
                    Disposition::Return => "Return",
                    Disposition::Block => "Block",
                };
                format!("{verb} the answers of")
            }
            Self::Asked(Request::Escalate { .. }) => "Escalate".to_owned(),
            Self::Asked(Request::GiveReason(_)) => "Give the reason to".to_owned(),
            Self::Asked(_) => "Defer".to_owned(),
        }
    }

    /// Whether a claim stays where it is when this is done to it.
    pub const fn is_flag(&self) -> bool {
        matches!(
            self,
            Self::Flag
                | Self::Dispose { .. }
                | Self::Asked(Request::Escalate { .. } | Request::GiveReason(_))
        )
    }

    const fn decides(&self) -> bool {
        matches!(self, Self::Confirm | Self::Rule(_))
    }

    /// Why it cannot be done to the claim of `row`, as far as the list tells.
    pub fn hindrance(&self, row: &QueueRow, now: Timestamp) -> Option<String> {
        if row.damage.is_some() {
            return Some("it cannot be read".to_owned());
        }
        // What is dangerous is stopped, whoever looks at it and whatever was said of the claim.
        if let Self::Dispose { disposition, .. } = self {
            let is_open = row.decided.is_none() && row.rulings.is_empty() || row.disputed;
            let waits = *disposition != Disposition::Block && is_open;
            return waits.then(|| "it is open: only a block waits for nothing".to_owned());
        }
        if let Some(hold) = row.held_by.as_ref().filter(|hold| hold.until > now) {
            return Some(format!("{} has it in hand", hold.holder));
        }
        if row.disputed && self.decides() {
            return Some("people disagree on it: settle it by itself".to_owned());
        }
        if (row.decided.is_some() || !row.rulings.is_empty()) && !self.is_flag() {
            return Some("it is decided already".to_owned());
        }
        match (self, row.state) {
            (Self::Confirm, AuditState::Judged) => None,
            (Self::Confirm, state) => Some(format!("there is no verdict to confirm ({})", state.label())),
            (Self::Skip, _) if row.skipped => Some("it is skipped already".to_owned()),
            _ => None,
        }
    }
}

impl App {
    /// Why `together` cannot be done to the marked claim of `row`: what the list in view does not hold is not acted on
    /// unseen. The group of the same claim is shown as such.
    pub fn hindrance(&self, together: &Together, row: &QueueRow, now: Timestamp) -> Option<String> {
        if self.is_out_of_view(row) {
            return Some("not in this list: its mark stays".to_owned());
        }
        together.hindrance(row, now)
    }

    /// Whether a marked claim is none of the list that is shown.
    pub fn is_out_of_view(&self, row: &QueueRow) -> bool {
        let is_same = self.same.as_ref().is_some_and(|same| same.is_marked);
        self.found.is_some()
            && !is_same
            && !self.marks.are_against
            && self.queue.rows.iter().all(|shown| shown.key != row.key)
    }
}

/// The question what is to be done to the marked claims.
#[derive(Debug, Clone)]
pub struct ManyDialog {
    /// What was chosen and waits for the last word.
    pub chosen: Option<Together>,
    /// As of when it is asked: a hold that ends later stands in its way.
    pub at: Timestamp,
    /// The store was asked, and has not answered yet.
    pub sent: bool,
}
