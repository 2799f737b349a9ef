//! The key that keeps a blind verdict, struck in one movement with the verdict: it waits until the judge could be read, and
//! counts where that adds nothing to what the person said and could mean without seeing it: the verdict, with the severity
//! and the type that it has by the usual table. Where the judge says otherwise or more it has to be struck again.

use std::time::Duration;

use crate::domain::blind::Sight;
use crate::domain::decision::{Request, Ruling};
use crate::domain::finding::Outcome;
use crate::domain::time::Timestamp;
use crate::domain::verdict::NoVerdict;
use crate::tui::app::App;
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;
use crate::tui::strokes::{Committed, Early};

use super::{blind, in_view, unheard};

/// Longer than this no key waits.
const LONGEST: Duration = Duration::from_secs(2);

/// Whether `command` keeps what was committed on the claim in hand and waits until what is shown of it could be read.
pub(super) fn waits(app: &mut App, command: Command, now: Timestamp) -> bool {
    let is_shown = app.detail().is_some_and(|detail| detail.sight == Sight::Revealed);
    command == Command::Keep && is_shown && unseen(app).is_none() && begins(app, now)
}

/// The same while the verdict is on its way, or what it shows.
pub(super) fn waits_for_the_judge(app: &mut App, command: Command, now: Timestamp) -> bool {
    let Some(detail) = app.detail().filter(|detail| detail.sight == Sight::Hidden) else { return false };
    let id = detail.id.to_string();
    let is_just = |committed: &Committed| now.since(committed.at) < LONGEST;
    let just = app.strokes.committed.filter(is_just).map(|committed| committed.claim);
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

/// Keeps the verdict where the judge could be read and adds nothing to it.
pub(super) fn due(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let Some(early) = app.strokes.early else { return Vec::new() };
    let is_here = app.claim.as_ref().is_some_and(|claim| claim.key == early.claim);
    if !is_here || app.place() != Place::Review || now.since(early.at) >= LONGEST {
        return given_up(app, "press again: it came before the judge was shown", now);
    }
    if app.detail().is_none_or(|detail| detail.sight != Sight::Revealed) {
        return Vec::new();
    }
    if let Some(what) = unseen(app) {
        return given_up(app, &format!("press again: {what}"), now);
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

/// What the judge says that the person could not mean before they saw it; `None` where a key that came sooner records
/// nothing but their own word.
fn unseen(app: &App) -> Option<String> {
    let otherwise = || Some("the judge says otherwise".to_owned());
    let own = own(app);
    let (Some(own), Some(Outcome::Judged(judged))) = (own, app.detail().map(|detail| &detail.outcome)) else {
        return otherwise();
    };
    let is_same = match own.score {
        Some(score) => judged.support == Some(score),
        None => own.verdict == judged.verdict.into(),
    };
    if !is_same {
        return otherwise();
    }
    if judged.severity != own.severity {
        let adds = judged.severity.map(|severity| format!("the judge adds {severity}"));
        return adds.or_else(|| Some("the judge gives no severity".to_owned()));
    }
    if judged.hallucination_type != own.hallucination_type {
        let adds = judged.hallucination_type.map(|kind| format!("the judge adds {}", kind.label()));
        return adds.or_else(|| Some("the judge gives no type".to_owned()));
    }
    match blind::kept(app) {
        Some(Request::Override(kept)) if kept != own => otherwise(),
        _ => None,
    }
}

/// What the committed verdict says by itself: what it leaves open is as it was proposed while the judge was hidden.
fn own(app: &App) -> Option<Ruling> {
    let detail = app.detail()?;
    let committed = app.strokes.committed.filter(|committed| committed.claim == detail.key)?;
    let first = &detail.standing.blind.as_ref()?.ruling;
    let hidden = Outcome::NotJudged { state: NoVerdict::NotChecked, reason: String::new() };
    match Request::keep(first, &hidden, committed.stakes?) {
        Request::Override(ruling) => Some(ruling),
        _ => None,
    }
}
