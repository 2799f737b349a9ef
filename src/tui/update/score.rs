//! Claims with their source: the keys give a score where they give a verdict elsewhere.

use crate::domain::decision::{HumanVerdict, Request, Ruling};
use crate::domain::queue::ClaimDetail;
use crate::domain::severity::Stakes;
use crate::domain::time::Timestamp;
use crate::domain::verdict::Score;
use crate::tui::app::App;
use crate::tui::command::{Command, Place};
use crate::tui::keymap::{Key, Meaning};
use crate::tui::override_menu::OverrideMenu;

/// What `typed` means in `place`; on a claim with its source the keys of a score come first.
pub(super) fn meaning(app: &App, place: Place, typed: &[Key]) -> Meaning {
    let keymap = &app.settings.keymap;
    if app.is_scoring()
        && let Meaning::Command(command) = keymap.meaning(Place::Score, typed)
    {
        return Meaning::Command(command);
    }
    keymap.meaning(place, typed)
}

/// The score that a command sets.
pub(super) fn score_of(command: Command) -> Option<Score> {
    let value = match command {
        Command::Score1 => 1,
        Command::Score2 => 2,
        Command::Score3 => 3,
        Command::Score4 => 4,
        Command::Score5 => 5,
        _ => return None,
    };
    Score::new(value)
}

/// What setting `score` with one key asks for.
pub(super) fn request_for(app: &App, score: Score) -> Request {
    let claim = app.claim.as_ref().and_then(|claim| Some((claim, claim.detail()?)));
    claim.map_or(Request::Confirm, |(claim, detail)| Request::score(score, &detail.outcome, claim.stakes))
}

/// What can be chosen for a claim, each with the severity and type that it stands for.
pub(super) fn proposals(detail: &ClaimDetail, stakes: Stakes) -> Vec<Ruling> {
    let verdict = |verdict: &HumanVerdict| Ruling::proposed(*verdict, &detail.outcome, stakes);
    if !detail.is_pair {
        return HumanVerdict::ALL.iter().map(verdict).collect();
    }
    let scores = Score::ALL.map(|score| Ruling::scored(score, &detail.outcome, stakes));
    let without = [HumanVerdict::CannotJudge, HumanVerdict::NotAClaim];
    scores.into_iter().chain(without.iter().map(verdict)).collect()
}

/// Sets the score in a menu; severity and type follow.
pub(super) fn set(menu: &mut OverrideMenu, score: Score) {
    if let Some(ruling) = menu.proposals.iter().find(|ruling| ruling.score == Some(score)).cloned() {
        menu.choose(&ruling);
    }
}

/// Why `command` does nothing on the claim in hand: pairs get a score, other claims a verdict.
pub(super) fn hindrance(app: &App, command: Command) -> Option<String> {
    let is_pair = app.detail()?.is_pair;
    let is_verdict = matches!(
        command,
        Command::VerdictFully
            | Command::VerdictPartially
            | Command::VerdictUnsupported
            | Command::VerdictContradicted
    );
    match (is_pair, score_of(command)) {
        (true, None) if is_verdict => {
            let keys = Score::ALL.len();
            Some(format!("a claim with its source gets a score from 1 to {keys}, not a verdict"))
        }
        (false, Some(_)) => {
            Some("only a claim with its source gets a score: this one gets a verdict".to_owned())
        }
        _ => None,
    }
}

/// Says so, where `command` does nothing on the claim in hand.
pub(super) fn is_misfit(app: &mut App, command: Command, now: Timestamp) -> bool {
    let why = hindrance(app, command);
    let is_misfit = why.is_some();
    if let Some(why) = why {
        super::warn(app, why, now);
    }
    is_misfit
}
