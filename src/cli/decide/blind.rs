//! Deciding while the judge is hidden, and what is told once a verdict is committed.

use serde::Serialize;

use super::Context;
use crate::domain::blind::Sight;
use crate::domain::decision::{HumanVerdict, Standing};
use crate::domain::event::Seen;
use crate::domain::ids::ClaimKey;
use crate::domain::verdict::{Probability, Severity, Verdict};
use crate::store::{Store, StoreError};

/// A verdict that waits to be kept or changed.
#[derive(Serialize)]
pub(super) struct Committed {
    verdict: HumanVerdict,
    severity: Option<Severity>,
    /// Not where the person had been shown the judge's verdict on the claim before.
    independent: bool,
    #[serde(skip)]
    asks_others: bool,
    judge: Judge,
}

/// What the judge says, now that it may be known.
#[derive(Serialize)]
struct Judge {
    state: &'static str,
    verdict: Option<Verdict>,
    severity: Option<Severity>,
    confidence: Option<Probability>,
    rationale: String,
}

impl Committed {
    /// The same for people.
    pub(super) fn sentence(&self) -> String {
        let judge = &self.judge;
        let says = judge.verdict.map_or(judge.state, Verdict::label);
        let severity = judge.severity.map_or(String::new(), |severity| format!(" {severity}"));
        let sure = judge.confidence.map_or(String::new(), |sure| format!(" ({:.2})", sure.get()));
        let why = if judge.rationale.is_empty() { String::new() } else { format!(": {}", judge.rationale) };
        let known = match (self.independent, self.asks_others) {
            (true, _) => "",
            (false, true) => ", which is not independent: you knew the judge's, and a third person is asked",
            (false, false) => ", which is not independent: you know the judge's from another answer",
        };
        format!(
            "{known}; the judge says {says}{severity}{sure}{why}; --keep keeps yours, --override changes it"
        )
    }
}

/// What can have been seen of a claim whose judge is hidden from the person; `None` where it is not.
pub(super) fn hidden(store: &Store, key: ClaimKey, context: &Context) -> Result<Option<Seen>, StoreError> {
    if !context.config.blind.value {
        return Ok(None);
    }
    let (who, overlap) = (&context.config.annotator.value, context.config.overlap.value);
    let claim = store.blind_detail(key, who, overlap, context.clock.now())?;
    Ok((claim.sight == Sight::Hidden).then_some(claim.seen))
}

/// What waits for the person's last word.
pub(super) fn committed(
    store: &Store,
    key: ClaimKey,
    standing: &Standing,
    context: &Context,
) -> Result<Option<Committed>, StoreError> {
    let Some(blind) = standing.blind.as_ref().filter(|_| standing.awaits_word()) else { return Ok(None) };
    let claim = store.claim_detail(key, &context.config.annotator.value, context.clock.now())?;
    let judged = claim.outcome.judged();
    Ok(Some(Committed {
        verdict: blind.ruling.verdict,
        severity: blind.ruling.severity,
        independent: blind.independent,
        asks_others: !blind.fills,
        judge: Judge {
            state: claim.outcome.state().label(),
            verdict: judged.map(|judged| judged.verdict),
            severity: judged.and_then(|judged| judged.severity),
            confidence: judged.map(|judged| judged.confidence),
            rationale: judged.map_or_else(String::new, |judged| judged.rationale.clone()),
        },
    }))
}
