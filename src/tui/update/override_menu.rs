//! The menu that overrides verdict, severity and type.

use crate::domain::blind::Sight;
use crate::domain::decision::{HumanVerdict, Request, Ruling};
use crate::domain::queue::ClaimDetail;
use crate::domain::severity::Stakes;
use crate::domain::time::Timestamp;
use crate::domain::verdict::HallucinationType;
use crate::tui::app::{App, Mode, OverrideField, OverrideMenu};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;

use super::{blind, decide, opposite, overturn, score, spans};

/// Opens the menu with what stands: the person's own ruling, else the judge's.
pub(super) fn open(app: &mut App, detail: &ClaimDetail, stakes: Stakes) {
    let judged = detail.outcome.judged();
    let own = detail.standing.decided.as_ref().map(|decided| decided.ruling.clone());
    let own = own.or_else(|| blind::said(detail, stakes));
    let proposed = || {
        if let Some(score) = judged.and_then(|judged| judged.support).filter(|_| detail.is_pair) {
            return Ruling::scored(score, &detail.outcome, stakes);
        }
        let verdict = judged.map_or(HumanVerdict::CannotJudge, |judged| judged.verdict.into());
        Ruling::proposed(verdict, &detail.outcome, stakes)
    };
    // Where neither the person nor the judge has said anything, nothing is recorded that nobody chose.
    let is_said = own.is_some() || judged.is_some();
    let Ruling { verdict, severity, hallucination_type, score, evidence } = own.unwrap_or_else(proposed);
    app.mode = Mode::Override(OverrideMenu {
        claim: detail.key,
        id: detail.id.clone(),
        field: OverrideField::Verdict,
        verdict,
        is_chosen: is_said && detail.sight != Sight::Hidden,
        severity,
        hallucination_type,
        score,
        evidence,
        proposals: score::proposals(detail, stakes),
    });
    app.dirty = true;
}

pub(super) fn run(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    let Mode::Override(menu) = &mut app.mode else { return Vec::new() };
    match command {
        Command::Accept => {
            if !menu.is_chosen {
                super::warn(app, choose_first(app), now);
                return Vec::new();
            }
            let (ruling, claim, id) = (menu.ruling(), menu.claim, menu.id.clone());
            if decide::ruled_elsewhere(app, claim, command, now)
                || opposite::tells(app, claim, &ruling, command, now)
            {
                return Vec::new();
            }
            // The menu stays until the store has answered: after a refusal nothing is lost.
            let request = Request::Override(ruling);
            if overturn::gives_up(app, &request, command, now) {
                return Vec::new();
            }
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
        other => set(menu, other),
    }
    app.dirty = true;
    Vec::new()
}

/// What is said to who would commit a verdict that they did not choose.
pub(super) fn choose_first(app: &App) -> String {
    let key = |command| app.settings.keymap.label(command, Place::OverrideMenu);
    let [first, last, none] =
        [Command::VerdictFully, Command::VerdictCannotJudge, Command::VerdictNotAClaim].map(key);
    format!("no verdict is chosen yet: first {first} to {last} or {none}")
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
    let of_verdict = |ruling: &&Ruling| ruling.verdict == verdict && ruling.score.is_none();
    if let Some(ruling) = menu.proposals.iter().find(of_verdict).cloned() {
        menu.choose(&ruling);
    }
}

/// What a digit sets: a verdict, or the score of a claim with its source.
pub(super) fn set(menu: &mut OverrideMenu, command: Command) {
    if let Some(score) = score::score_of(command) {
        score::set(menu, score);
    } else if let Some(verdict) = verdict_of(command) {
        set_verdict(menu, verdict);
    }
}

fn step(menu: &mut OverrideMenu, by: isize) {
    match menu.field {
        OverrideField::Verdict => {
            let chosen = menu.proposals.iter().position(|ruling| menu.has_chosen(ruling));
            let next = chosen
                .map_or(0, |at| at.saturating_add_signed(by).min(menu.proposals.len().saturating_sub(1)));
            if let Some(ruling) = menu.proposals.get(next).cloned() {
                menu.choose(&ruling);
            }
        }
        _ if !menu.is_chosen || !menu.verdict.can_be_graded() => {}
        OverrideField::Severity => {
            let chosen = OverrideMenu::SEVERITIES.iter().position(|one| *one == menu.severity).unwrap_or(0);
            let next = chosen.saturating_add_signed(by).min(OverrideMenu::SEVERITIES.len() - 1);
            menu.severity = OverrideMenu::SEVERITIES[next];
        }
        OverrideField::Type => {
            menu.hallucination_type = stepped_or_none(HallucinationType::ALL, menu.hallucination_type, by);
        }
    }
}

/// The choice `by` further in `all`, with "none" before the first; stops at both ends.
fn stepped_or_none<T: Copy + PartialEq>(all: &[T], current: Option<T>, by: isize) -> Option<T> {
    let at =
        current.and_then(|current| all.iter().position(|choice| *choice == current)).map_or(0, |at| at + 1);
    let at = at.saturating_add_signed(by).min(all.len());
    at.checked_sub(1).map(|at| all[at])
}
