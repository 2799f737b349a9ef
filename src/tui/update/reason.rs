//! The question for a reason: one letter, for the decision named in the question.

use crate::domain::decision::{ReasonCode, Request};
use crate::tui::app::{App, LastDecision, Mode};
use crate::tui::effect::Effect;

use super::decide;

/// Asks why: about the claim under the cursor when it is decided, else about the last decision.
/// `Err` says why there is nothing to ask.
pub(super) fn ask(app: &mut App) -> Result<(), String> {
    let here = app.detail().and_then(|detail| {
        detail.standing.decided.as_ref().map(|decided| LastDecision {
            claim: detail.key,
            id: detail.id.clone(),
            claim_text: detail.claim_text.clone(),
            kind: decided.kind,
            verdict: decided.ruling.verdict,
        })
    });
    let decision = here
        .or_else(|| app.last_decision.clone())
        .ok_or_else(|| "no decision yet: a reason belongs to a decision of yours".to_owned())?;
    app.mode = Mode::Reason(decision);
    app.dirty = true;
    Ok(())
}

pub(super) fn letter(app: &mut App, letter: char) -> Vec<Effect> {
    let Mode::Reason(decision) = &app.mode else { return Vec::new() };
    let Some(code) = ReasonCode::ALL.iter().copied().find(|code| code.key() == letter) else {
        super::fail(app, format!("`{letter}` is no reason: use one of the letters shown"));
        return Vec::new();
    };
    let effect = decide::effect(app, decision.claim, decision.id.clone(), Request::GiveReason(code));
    super::close(app);
    app.toast = None;
    vec![effect]
}
