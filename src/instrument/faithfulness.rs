//! Faithfulness: an answer and its passages in, claims with verdicts out.

use crate::domain::finding::RunResult;
use crate::domain::record::Record;
use crate::judge::{FaithfulnessSettings, Judge, JudgeFailure};

/// Audits every claim of `record`.
///
/// Whatever the judge says, a label without a grounded citation comes back as ungrounded, a missing
/// severity is filled from the table, and an answer without usable evidence gives one entry
/// INSUFFICIENT_EVIDENCE.
pub async fn audit(
    _judge: &dyn Judge,
    _record: &Record,
    _settings: &FaithfulnessSettings,
) -> Result<RunResult, JudgeFailure> {
    todo!()
}
