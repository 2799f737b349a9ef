//! Why the claim under the cursor stands where it stands.

use crate::domain::priority;
use crate::domain::time::Timestamp;
use crate::tui::app::{App, Mode};
use crate::tui::why::WhyHere;

pub(super) fn open(app: &mut App, now: Timestamp) {
    let Some(detail) = app.detail() else {
        return super::warn(app, "there is no claim here", now);
    };
    let (id, factors) = (detail.id.to_string(), priority::factors(detail, now));
    // In a list under a filter, or one that is not read from its top, nobody knows how many stand before.
    let is_whole = app.found.is_none() && app.queue.at_start && !app.threads.is_on();
    let before = app.selected_row().filter(|_| is_whole);
    app.mode = Mode::Why(Box::new(WhyHere { id, factors, before }));
    app.dirty = true;
}
