//! How the loop comes to a halt when nothing can be judged, and how it goes on.

use super::AuditNews;
use super::desk::{Desk, DeskError};
use super::outage::is_unserved;
use super::work::{Hands, InHand, Shift};
use crate::judge::{JudgeFailure, Reach};

impl Shift {
    /// It is not halted any more.
    pub(super) fn go_on(&self, hands: &mut Hands, says_so: bool) {
        hands.rest = None;
        if hands.halted.take().is_some() && says_so {
            self.announce(AuditNews::Resumed);
        }
    }

    /// The record waits on, as if nobody had had it in hand.
    pub(super) async fn waits_on(&self, desk: &Desk, in_hand: &InHand) -> Result<(), DeskError> {
        let (key, holder) = (in_hand.lease.key, self.holder.clone());
        desk.ask(move |store| store.release_record(key, &holder)).await
    }

    /// Nothing can be judged: no other record is begun, for a while or until somebody mends something.
    pub(super) fn halt(&self, hands: &mut Hands, failure: &JudgeFailure) {
        let is_for_now = failure.reach != Reach::Everything;
        // What was in hand says the same; only what has to be mended is news during a rest.
        if hands.halted.is_some() && (is_for_now || hands.rest.is_none()) {
            return;
        }
        let reason = failure.to_string();
        hands.rest = is_for_now.then(|| hands.weather.rest(self.now()));
        let again_in = hands.rest.map(|rest| rest.wait);
        tracing::error!(reason, ?again_in, "nothing can be judged: the auditor rests");
        hands.halted = Some(reason.as_str().into());
        self.announce(AuditNews::Halted { reason, again_in });
    }

    /// The server answers: what was an outage is over.
    pub(super) fn served(&self, hands: &mut Hands) {
        hands.weather.clears();
        if hands.rest.is_some() {
            self.go_on(hands, true);
        }
    }

    /// Looks at what a record failed of. Many in a row without an answer are an outage, and the auditor rests.
    /// Says whether the record is to wait on: it was in hand when the rest began. One that is tried alone and
    /// fails is stored, or a record that always fails would keep all others waiting.
    pub(super) async fn is_left_alone(
        &self,
        desk: &Desk,
        hands: &mut Hands,
        failure: &JudgeFailure,
    ) -> Result<bool, DeskError> {
        let Some(last) = failure.exchanges.last().copied() else { return Ok(false) };
        let ending = desk.ask(move |store| store.exchange(last)).await.ok().and_then(Result::ok);
        let Some(ending) = ending.map(|kept| kept.exchange.ending) else { return Ok(false) };
        if !is_unserved(ending) {
            self.served(hands);
            return Ok(false);
        }
        let is_resting = hands.rest.is_some();
        if hands.weather.unserved() {
            self.halt(hands, &JudgeFailure { reach: Reach::ForNow, ..failure.clone() });
        }
        Ok(is_resting)
    }
}
