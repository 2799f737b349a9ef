//! The menu that overrides verdict, severity and type.

use crate::domain::decision::{HumanVerdict, Request, Ruling};
use crate::domain::queue::ClaimDetail;
use crate::domain::severity::Stakes;
use crate::domain::time::Timestamp;
use crate::domain::verdict::{HallucinationType, Severity};
use crate::tui::app::{App, Mode, OverrideField, OverrideMenu};
use crate::tui::command::Command;
use crate::tui::effect::Effect;

use super::{decide, spans};

/// Opens the menu with what stands: the person's own ruling, else the judge's.
pub(super) fn open(app: &mut App, detail: &ClaimDetail, stakes: Stakes) {
    let judged = detail.outcome.judged();
    let verdict = judged.map_or(HumanVerdict::CannotJudge, |judged| judged.verdict.into());
    let own = detail.standing.decided.as_ref().map(|decided| decided.ruling.clone());
    let Ruling { verdict, severity, hallucination_type, evidence } =
        own.unwrap_or_else(|| Ruling::proposed(verdict, &detail.outcome, stakes));
    app.mode = Mode::Override(OverrideMenu {
        claim: detail.key,
        id: detail.id.clone(),
        field: OverrideField::Verdict,
        verdict,
        severity,
        hallucination_type,
        evidence,
        proposals: HumanVerdict::ALL
            .iter()
            .map(|verdict| Ruling::proposed(*verdict, &detail.outcome, stakes))
            .collect(),
    });
    app.dirty = true;
}

pub(super) fn run(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    let Mode::Override(menu) = &mut app.mode else { return Vec::new() };
    match command {
        Command::Accept => {
            // The menu stays until the store has answered: after a refusal nothing is lost.
            let request = Request::Override(menu.ruling());
            let (claim, id) = (menu.claim, menu.id.clone());
            return vec![decide::effect(app, claim, id, request)];
        }
        Command::ChooseEvidence => {
            spans::open(app, now);
            return Vec::new();
        }
        Command::Cancel => super::close(app),
        Command::Down => step(menu, 1),
        Command::Up => step(menu, -1),
        Command::NextField => menu.field = next_field(menu.field),
        Command::PreviousField => menu.field = next_field(next_field(menu.field)),
        other => {
            if let Some(verdict) = verdict_of(other) {
                set_verdict(menu, verdict);
            }
        }
    }
    app.dirty = true;
    Vec::new()
}

/// The verdict that a digit sets.
pub(super) fn verdict_of(command: Command) -> Option<HumanVerdict> {
    match command {
        Command::VerdictFully => Some(HumanVerdict::FullySupported),
        Command::VerdictPartially => Some(HumanVerdict::PartiallySupported),
        Command::VerdictUnsupported => Some(HumanVerdict::Unsupported),
        Command::VerdictContradicted => Some(HumanVerdict::Contradicted),
        Command::VerdictCannotJudge => Some(HumanVerdict::CannotJudge),
        Command::VerdictNotAClaim => Some(HumanVerdict::NotAClaim),
        _ => None,
    }
}

fn next_field(field: OverrideField) -> OverrideField {
    match field {
        OverrideField::Verdict => OverrideField::Severity,
        OverrideField::Severity => OverrideField::Type,
        OverrideField::Type => OverrideField::Verdict,
    }
}

/// Severity and type follow the verdict, as with the keys that set it at once.
pub(super) fn set_verdict(menu: &mut OverrideMenu, verdict: HumanVerdict) {
    if let Some(ruling) = menu.proposals.iter().find(|ruling| ruling.verdict == verdict) {
        menu.verdict = verdict;
        menu.severity = ruling.severity;
        menu.hallucination_type = ruling.hallucination_type;
    }
}

fn step(menu: &mut OverrideMenu, by: isize) {
    match menu.field {
        OverrideField::Verdict => {
            let verdict = stepped(HumanVerdict::ALL, Some(menu.verdict), by).unwrap_or(menu.verdict);
            set_verdict(menu, verdict);
        }
        _ if !menu.verdict.can_be_graded() => {}
        OverrideField::Severity => menu.severity = stepped_or_none(Severity::ALL, menu.severity, by),
        OverrideField::Type => {
            menu.hallucination_type = stepped_or_none(HallucinationType::ALL, menu.hallucination_type, by);
        }
    }
}

/// The choice `by` further in `all`; stops at both ends.
fn stepped<T: Copy + PartialEq>(all: &[T], current: Option<T>, by: isize) -> Option<T> {
    let at = all.iter().position(|choice| Some(*choice) == current)?;
    all.get(at.saturating_add_signed(by).min(all.len() - 1)).copied()
}

/// The same with "none" before the first choice.
fn stepped_or_none<T: Copy + PartialEq>(all: &[T], current: Option<T>, by: isize) -> Option<T> {
    let at =
        current.and_then(|current| all.iter().position(|choice| *choice == current)).map_or(0, |at| at + 1);
    let at = at.saturating_add_signed(by).min(all.len());
    at.checked_sub(1).map(|at| all[at])
}
