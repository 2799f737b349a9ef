//! Why the list is empty.

use crate::tui::app::{App, EmptyReason};

/// Why there is nothing to review.
pub(super) fn reason(app: &App) -> EmptyReason {
    let counts = &app.counts;
    if app.found.is_some() {
        EmptyReason::NothingFits
    } else if app.settings.blind.is_some() && counts.routed == 0 && counts.audited > 0 {
        EmptyReason::JudgedByOthers
    } else if counts.waiting + counts.auditing > 0 {
        EmptyReason::NotYetAudited { waiting: counts.waiting, auditing: counts.auditing }
    } else if let (1.., Some(back_at)) = (counts.deferred, counts.back_at)
        && counts.deferred == counts.open
    {
        EmptyReason::Deferred { count: counts.deferred, back_at }
    } else if counts.routed > 0 {
        EmptyReason::AllDone { mine: counts.decided_by_me }
    } else if counts.audited + counts.failed > 0 {
        EmptyReason::NothingRouted { audited: counts.audited }
    } else {
        EmptyReason::StoreEmpty
    }
}
