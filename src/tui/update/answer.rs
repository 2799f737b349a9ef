//! Staying with one answer until its claims are decided, so that it can be given its disposition.

use std::sync::Arc;

use crate::domain::ids::ClaimKey;
use crate::domain::queue::ClaimDetail;
use crate::domain::time::Timestamp;
use crate::tui::app::{App, Staying};
use crate::tui::effect::Effect;

use super::queue;

/// Goes to the next open claim of the answer that was just left, else of the one under the cursor, and
/// stays with that answer.
pub(super) fn stay(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let Some(detail) = app.left.take().or_else(|| app.detail().map(Arc::clone)) else {
        super::warn(app, "there is no claim here", now);
        return Vec::new();
    };
    let Some(next) = next(app, &detail, true, now) else {
        app.staying = None;
        super::tell(app, format!("no other claim of {} is open", detail.record.audit_id), now);
        return Vec::new();
    };
    let here = app.detail().filter(|here| here.record_key != detail.record_key).map(|here| here.key);
    let known = app.staying.filter(|staying| staying.record == detail.record_key);
    let back = here.or_else(|| known.and_then(|staying| staying.back));
    app.staying = Some(Staying { record: detail.record_key, back });
    let mut effects = queue::select(app, next, now);
    effects.extend(queue::load(app));
    effects
}

/// Why there is no answer to stay with.
pub(super) fn nothing_to_stay_with(app: &App, now: Timestamp) -> Option<String> {
    match app.left.as_ref().or_else(|| app.detail()) {
        None => Some("there is no claim here".to_owned()),
        Some(detail) if next(app, detail, true, now).is_none() => {
            Some(format!("no other claim of {} is open", detail.record.audit_id))
        }
        Some(_) => None,
    }
}

/// Where a decision on the claim of `detail` leads when the person stays with its answer: in the end back to
/// where the cursor came from. A skip does not come round to what was skipped before.
pub(super) fn next_to_stay(
    app: &mut App,
    detail: &ClaimDetail,
    comes_round: bool,
    now: Timestamp,
) -> Option<ClaimKey> {
    let staying = app.staying.take().filter(|staying| staying.record == detail.record_key)?;
    if let Some(next) = next(app, detail, comes_round, now) {
        app.staying = Some(staying);
        return Some(next);
    }
    staying.back
}

/// The next open claim of the same answer that nobody else has in hand, in the order of the answer.
fn next(app: &App, detail: &ClaimDetail, comes_round: bool, now: Timestamp) -> Option<ClaimKey> {
    let here = detail.siblings.iter().position(|sibling| sibling.key == detail.key)?;
    let (before, after) = detail.siblings.split_at(here);
    let before = if comes_round { before } else { &[] };
    let is_free = |key: ClaimKey| {
        let row = app.queue.rows.iter().find(|row| row.key == key);
        row.and_then(|row| row.held_by.as_ref()).is_none_or(|hold| hold.until <= now)
    };
    after
        .iter()
        .skip(1)
        .chain(before)
        .find(|sibling| sibling.routed && !sibling.decided && is_free(sibling.key))
        .map(|sibling| sibling.key)
}
