//! A ruling that stands against other people's, or against one's own by a reflex: told first, and the same line again
//! makes it.

use super::{Desk, told};
use crate::domain::decision::{DecisionKind, Request};
use crate::domain::event::Event;
use crate::domain::ids::ClaimKey;
use crate::domain::queue::ClaimDetail;
use crate::domain::word::Opposed;

/// What the line before asked for, and was told.
pub(super) struct Told {
    claim: ClaimKey,
    request: Request,
    /// The events of the other people's rulings that were told; none where it was the person's own.
    others: Vec<i64>,
}

impl Desk<'_> {
    /// Whether the line before asked for the same, and was told of one's own or other people's rulings.
    fn was_told(&self, claim: ClaimKey, request: &Request) -> Option<&Told> {
        self.told.as_ref().filter(|told| told.claim == claim && told.request == *request)
    }

    /// The events of the other people's rulings that were told.
    pub(super) fn others_told(&self, claim: ClaimKey, request: &Request) -> Vec<i64> {
        self.was_told(claim, request).map_or_else(Vec::new, |told| told.others.clone())
    }

    /// What is said to who confirms where they have ruled otherwise themselves, the first time.
    pub(super) fn confirms_over_own(&mut self, detail: &ClaimDetail, request: &Request) -> Option<String> {
        let own = detail.standing.decided.as_ref()?;
        let is_over = *request == Request::Confirm && own.kind == DecisionKind::Overridden;
        if !is_over || self.was_told(detail.key, request).is_some() {
            return None;
        }
        let judged = detail.outcome.judged()?;
        self.ask_again(detail.key, request, Vec::new());
        Some(format!(
            "you ruled {} yourself; the same line again confirms {} in its place",
            own.ruling.said(),
            judged.verdict
        ))
    }

    /// The store says that others ruled otherwise.
    pub(super) fn opposed(&mut self, claim: ClaimKey, request: &Request, opposed: &Opposed) -> String {
        self.ask_again(claim, request, opposed.events());
        let (said, then) = (opposed.said(), opposed.then.sentence());
        format!("{said}; yours {then}: the same line again records it")
    }

    fn ask_again(&mut self, claim: ClaimKey, request: &Request, others: Vec<i64>) {
        self.telling = Some(Told { claim, request: request.clone(), others });
    }
}

/// That the act was recorded, and in place of what.
pub(super) fn saved(event: &Event) -> String {
    let before =
        event.replaced().map_or_else(String::new, |own| format!(", in place of your {}", own.said()));
    format!("saved: {}{before}", told::act(event))
}
