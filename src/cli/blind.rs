//! What a blind review keeps from the command line: one place says so.

use serde_json::Value;

use super::{Context, Failure};

/// In place of counts by verdict: of a single claim they are its verdict.
pub(super) const WITHOUT: &str = "  what the judge found is hidden in a blind review";

/// The counts of an audit without what the judge found, where that is hidden.
pub(super) fn veiled(mut counts: Value, context: &Context) -> Value {
    if context.config.blind.value {
        for name in ["by_verdict", "by_severity", "no_verdict"] {
            if let Some(count) = counts.get_mut(name) {
                *count = Value::Null;
            }
        }
    }
    counts
}

/// Refuses what tells something that is hidden where the settings ask for a blind review. `what` begins the sentence:
/// `this report tells what judges and people say`.
pub(super) fn refuse(context: &Context, what: &str) -> Result<(), Failure> {
    if !context.config.blind.value {
        return Ok(());
    }
    Err(Failure::bad_input(format!(
        "{what}, which a blind review hides: --open shows it (review.blind is set)"
    )))
}
