//! A blind review line by line: what is read, what may be asked for, and the last word after the judge is shown.
//!
//! What is hidden is left out of what the store reads for it, so that nothing here can print it.

use super::Desk;
use super::asked::Command;
use crate::domain::blind::Sight;
use crate::domain::decision::{HumanVerdict, Request, Ruling};
use crate::domain::ids::{Annotator, ClaimKey};
use crate::domain::queue::{ClaimDetail, QueueCounts, QueueRow};
use crate::domain::severity::Stakes;
use crate::domain::verdict::Score;
use crate::store::{PageAt, StoreError};
use crate::tui::update::deadline::HOLD;

const AFTER: &str = "v keeps yours; a number, or o and a verdict, changes it";

impl Desk<'_> {
    pub(super) fn counts(&self) -> Result<QueueCounts, StoreError> {
        let (who, now) = (self.annotator(), self.now());
        match self.blind {
            Some(overlap) => self.store.blind_counts(&who, overlap, now),
            None => self.store.queue_counts(&who, now),
        }
    }

    pub(super) fn page(&self, at: PageAt, limit: usize) -> Result<Vec<QueueRow>, StoreError> {
        let (who, now) = (self.annotator(), self.now());
        match self.blind {
            Some(overlap) => self.store.blind_page(&who, overlap, at, limit, now),
            None => self.store.queue_page(&who, at, limit, now),
        }
    }

    pub(super) fn detail(&self, key: ClaimKey) -> Result<ClaimDetail, StoreError> {
        let (who, now) = (self.annotator(), self.now());
        match self.blind {
            Some(overlap) => self.store.blind_detail(key, &who, overlap, now),
            None => self.store.claim_detail(key, &who, now),
        }
    }

    /// Takes the claim in hand, or renews that.
    pub(super) fn take(&mut self, key: ClaimKey) -> Result<(), StoreError> {
        let (who, now) = (self.annotator(), self.now());
        match self.blind {
            Some(overlap) => self.store.hold_claim_blind(key, &who, overlap, now, HOLD),
            None => self.store.hold_claim(key, &who, now, HOLD),
        }
    }

    pub(super) fn annotator(&self) -> Annotator {
        self.context.config.annotator.value.clone()
    }

    /// Why `command` is not possible in a blind review, or not yet.
    pub(super) fn hindrance(&self, command: &Command<'_>) -> Option<String> {
        let sight = self.shown.as_ref().map(|shown| shown.detail.sight);
        let is_revealed = sight == Some(Sight::Revealed);
        if matches!(command, Command::Keep) && !is_revealed {
            return Some("there is no blind verdict here to keep or change".to_owned());
        }
        self.blind?;
        match command {
            Command::Confirm if sight == Some(Sight::Hidden) => {
                Some("blind: the judge is hidden until you have committed your own verdict, 1 to 5".to_owned())
            }
            Command::Skip if is_revealed => Some(format!("you have seen the judge: {AFTER}")),
            Command::Dispose(..) => Some(
                "not in a blind review: what becomes of the answer is for those who see all that is said of it".to_owned(),
            ),
            _ => None,
        }
    }
}

/// What keeping the committed verdict asks for; `None` where there is none to keep.
pub(super) fn kept(detail: &ClaimDetail, stakes: Stakes) -> Option<Request> {
    let blind = detail.standing.blind.as_ref().filter(|_| detail.standing.awaits_word())?;
    Some(Request::keep(&blind.ruling, &detail.outcome, stakes))
}

/// What a verdict with nothing else asks for, where the claim is judged blind; `None` where it is not.
pub(super) fn ruled(detail: &ClaimDetail, ruling: &Ruling, stakes: Stakes, overlap: u8) -> Option<Request> {
    match (detail.sight, &detail.standing.blind) {
        (Sight::Hidden, _) => Some(Request::Blind { ruling: ruling.clone(), overlap }),
        (Sight::Revealed, Some(first))
            if *ruling == Ruling::only(first.ruling.verdict)
                || ruling.score.is_some() && ruling.score == first.ruling.score =>
        {
            kept(detail, stakes)
        }
        // The words they chose on the screen stay their evidence.
        (Sight::Revealed, Some(first)) => {
            let evidence = Some(first.ruling.evidence.clone()?);
            let proposed = match ruling.score {
                Some(score) => Ruling::scored(score, &detail.outcome, stakes),
                None => Ruling::proposed(ruling.verdict, &detail.outcome, stakes),
            };
            let severity = ruling.severity.or(proposed.severity);
            let hallucination_type = ruling.hallucination_type.or(proposed.hallucination_type);
            Some(Request::Override(Ruling { severity, hallucination_type, evidence, ..proposed }))
        }
        _ => None,
    }
}

/// A verdict or a score by itself.
pub(super) fn scored(score: Score) -> Ruling {
    Ruling { score: Some(score), ..Ruling::only(HumanVerdict::from(score.verdict())) }
}

/// What to say once a verdict is committed and the judge is shown.
pub(super) fn committed(detail: &ClaimDetail) -> String {
    let judge =
        detail.outcome.judged().map_or(detail.outcome.state().label(), |judged| judged.verdict.label());
    format!("The judge says {judge}: {AFTER}")
}
