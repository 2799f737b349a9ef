//! The question for a reason: one letter, for the decision named in the question.

use crate::domain::decision::{DecisionKind, HumanVerdict, ReasonCode, Request, Ruling};
use crate::domain::ids::{AuditId, ClaimId};
use crate::tui::app::{App, LastDecision, Mode};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;
use crate::tui::marks::Together;

use super::{decide, marks};

/// Asks why. `Err` says why there is nothing to ask.
pub(super) fn ask(app: &mut App) -> Result<(), String> {
    app.mode = Mode::Reason(in_question(app)?);
    app.marks.is_reasoned = is_for_all(app);
    app.dirty = true;
    Ok(())
}

/// Whether a reason would be that of all claims that were ruled on together: nothing was ruled on since, and the claim in
/// hand is none that has a ruling of its own.
fn is_for_all(app: &App) -> bool {
    app.last_decision.is_none()
        && !app.marks.ruled.is_empty()
        && app.detail().is_none_or(|detail| detail.standing.decided.is_none())
}

/// What stands for all of them in the question.
fn of_all(app: &App) -> Option<LastDecision> {
    let claim = *app.marks.ruled.first().filter(|_| is_for_all(app))?;
    Some(LastDecision {
        claim,
        id: ClaimId::new(AuditId::new(marks::counted(app.marks.ruled.len())), 0),
        claim_text: String::new(),
        kind: DecisionKind::Confirmed,
        ruling: Ruling::only(HumanVerdict::CannotJudge),
        reason: None,
    })
}

/// The decision that a reason is for: the one on the claim under the cursor, else the last one. `Err` says why
/// there is none.
pub(super) fn in_question(app: &App) -> Result<LastDecision, String> {
    let here = app.detail().and_then(|detail| {
        detail.standing.decided.as_ref().map(|decided| LastDecision {
            claim: detail.key,
            id: detail.id.clone(),
            claim_text: detail.claim_text.clone(),
            kind: decided.kind,
            ruling: decided.ruling.clone(),
            reason: decided.reason,
        })
    });
    if let Some(detail) = app.detail().filter(|detail| detail.standing.awaits_word()) {
        let key = app.settings.keymap.label(Command::Keep, Place::Review);
        return Err(format!(
            "a reason belongs to your last word on {}: {key} keeps your verdict, then give it",
            detail.id
        ));
    }
    here.or_else(|| app.last_decision.clone()).or_else(|| of_all(app)).ok_or_else(|| {
        let why = if app.acted {
            "no one claim was decided last: go to the claim, then give its reason"
        } else {
            "no decision yet: a reason belongs to a decision of yours"
        };
        why.to_owned()
    })
}

pub(super) fn letter(app: &mut App, letter: char) -> Vec<Effect> {
    let Mode::Reason(decision) = &app.mode else { return Vec::new() };
    let Some(code) = ReasonCode::ALL.iter().copied().find(|code| code.key() == letter) else {
        super::fail(app, format!("`{letter}` is no reason: use one of the letters shown"));
        return Vec::new();
    };
    if std::mem::take(&mut app.marks.is_reasoned) {
        let (claims, together) = (app.marks.ruled.clone(), Together::Asked(Request::GiveReason(code)));
        super::close(app);
        app.toast = None;
        return vec![Effect::DecideMany { claims, together }];
    }
    let effect = decide::effect(app, decision.claim, decision.id.clone(), Request::GiveReason(code));
    super::close(app);
    app.toast = None;
    vec![effect]
}
