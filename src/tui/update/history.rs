//! Back and forward through the claims that were looked at.

use crate::domain::time::Timestamp;
use crate::tui::app::App;
use crate::tui::effect::Effect;

use super::queue;

/// Back to the claim that was looked at before, or forward again.
pub(super) fn go_in_history(app: &mut App, back: bool, now: Timestamp) -> Vec<Effect> {
    let here = app
        .claim
        .as_ref()
        .map(|claim| (claim.key, claim.detail().is_some_and(|detail| detail.standing.decided.is_none())));
    let found = if back { app.trail.back(here) } else { app.trail.forward() };
    if let Some(key) = found {
        return queue::go(app, key, now);
    }
    super::tell(app, no_history(back), now);
    Vec::new()
}

/// Why there is nothing to go to in the history.
pub(super) const fn no_history(back: bool) -> &'static str {
    if back { "no claim was looked at before this one" } else { "no claim was looked at after this one" }
}
