//! Support: how directly one passage bears out one claim, from 1 to 5. It measures support, not truth.

use super::grounds::Grounds;
use crate::domain::record::Passage;
use crate::judge::{Judge, JudgeFailure, SupportReply};

/// Asks `judge` how directly `passage` supports `claim`.
///
/// # Errors
/// When claim or passage is empty, when the judge fails, or when its rationale names a number, date, name
/// or quotation that stands in neither.
pub async fn score(judge: &dyn Judge, claim: &str, passage: &Passage) -> Result<SupportReply, JudgeFailure> {
    let failure = |reason: String| JudgeFailure::of_record(judge.identity().judge, reason);
    for (what, text) in [("claim", claim), ("passage", passage.content.as_str())] {
        if !text.chars().any(char::is_alphanumeric) {
            return Err(failure(format!("the {what} is empty, so there is nothing to score")));
        }
    }
    let reply = judge.support(claim, passage).await?;
    let grounds = Grounds::new(std::slice::from_ref(passage));
    if let Some(alien) = grounds.alien_in(&reply.rationale, claim) {
        return Err(failure(format!(
            "its rationale names “{alien}”, which stands neither in the claim nor in the passage"
        )));
    }
    Ok(reply)
}
