//! The key that keeps a blind verdict, struck in one movement with the verdict: it waits until the judge could be read, and
//! counts where the judge says the same. Where the judge says otherwise it has to be struck again.

use std::time::Duration;

use crate::domain::blind::Sight;
use crate::domain::decision::HumanVerdict;
use crate::domain::finding::Outcome;
use crate::domain::queue::ClaimDetail;
use crate::domain::time::Timestamp;
use crate::tui::app::App;
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;
use crate::tui::strokes::Early;

use super::{in_view, unheard};

/// Longer than this no key waits.
const LONGEST: Duration = Duration::from_secs(2);

/// Whether `command` keeps what was committed on the claim in hand and waits until what is shown of it could be read.
pub(super) fn waits(app: &mut App, command: Command, now: Timestamp) -> bool {
    let agrees = app.detail().is_some_and(|detail| detail.sight == Sight::Revealed && agrees(detail));
    command == Command::Keep && agrees && begins(app, now)
}

/// The same while the verdict is on its way, or what it shows.
pub(super) fn waits_for_the_judge(app: &mut App, command: Command, now: Timestamp) -> bool {
    let Some(detail) = app.detail().filter(|detail| detail.sight == Sight::Hidden) else { return false };
    let id = detail.id.to_string();
    let just = app.strokes.committed.filter(|(_, at)| now.since(*at) < LONGEST).map(|(claim, _)| claim);
    let is_committed = app.saving.as_ref() == Some(&id) || just == Some(detail.key);
    command == Command::Keep && is_committed && begins(app, now)
}

fn begins(app: &mut App, now: Timestamp) -> bool {
    let Some(claim) = app.claim.as_ref().filter(|_| app.settings.blind.is_some()) else { return false };
    app.strokes.early = Some(Early { claim: claim.key, at: now });
    app.dirty = true;
    true
}

/// Another key came: whoever struck it takes this claim for done with.
pub(super) fn ends(app: &mut App, now: Timestamp) {
    if app.strokes.early.take().is_some() {
        unheard::dropped(app, Command::Keep, now);
    }
}

/// When it is to be looked at again.
pub(super) fn next(app: &App) -> Option<Timestamp> {
    let early = app.strokes.early?;
    let is_shown = app.detail().is_some_and(|detail| detail.sight == Sight::Revealed) && app.saving.is_none();
    let seen = in_view::claim_since(app).filter(|_| is_shown);
    let latest = early.at.plus(LONGEST);
    Some(seen.map_or(latest, |since| since.plus(app.settings.min_visible).min(latest)))
}

/// Keeps the verdict where the judge says the same and could be read.
pub(super) fn due(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let Some(early) = app.strokes.early else { return Vec::new() };
    let is_here = app.claim.as_ref().is_some_and(|claim| claim.key == early.claim);
    if !is_here || app.place() != Place::Review || now.since(early.at) >= LONGEST {
        return given_up(app, "press again: it came before the judge was shown", now);
    }
    let Some(detail) = app.detail().filter(|detail| detail.sight == Sight::Revealed) else {
        return Vec::new();
    };
    if !agrees(detail) {
        return given_up(app, "press again: the judge says otherwise", now);
    }
    if app.saving.is_some() || !in_view::was_claim(app, now) {
        return Vec::new();
    }
    app.strokes.early = None;
    super::run(app, Command::Keep, now)
}

fn given_up(app: &mut App, why: &str, now: Timestamp) -> Vec<Effect> {
    ends(app, now);
    super::dropped(app, why, now);
    Vec::new()
}

/// Whether what is shown of the judge is what the person said.
fn agrees(detail: &ClaimDetail) -> bool {
    let Some(first) = detail.standing.blind.as_ref().map(|blind| &blind.ruling) else { return false };
    let Outcome::Judged(judged) = &detail.outcome else { return false };
    match first.score {
        Some(score) => judged.support == Some(score),
        None => first.verdict == HumanVerdict::from(judged.verdict),
    }
}
