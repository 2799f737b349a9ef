//! What was on a person's screen when they acted, as hashes, and whether it is what is stored.

use rusqlite::Connection;

use super::{Fallible, refused};
use crate::domain::event::{Event, Seen};
use crate::domain::ids::{ClaimKey, RecordKey};

/// The hashes of what a person sees of a claim, or of a whole answer.
pub(super) fn of(connection: &Connection, record: RecordKey, claim: Option<ClaimKey>) -> Fallible<Seen> {
    let (answer_sha256, passages_sha256) = connection
        .prepare_cached("SELECT answer_sha256, passages_sha256 FROM record WHERE id = ?1")?
        .query_row([record.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let verdict_sha256 = match claim {
        Some(claim) => Some(
            connection
                .prepare_cached("SELECT sha256 FROM verdict WHERE claim_id = ?1")?
                .query_row([claim.0], |row| row.get(0))?,
        ),
        None => None,
    };
    Ok(Seen { answer_sha256, passages_sha256, verdict_sha256 })
}

/// Refuses when what a person saw is not what is stored. The verdict counts where it was shown.
pub(super) fn still_so(stored: &Seen, seen: Option<&Seen>, subject: &impl std::fmt::Display) -> Fallible<()> {
    let Some(seen) = seen else { return Ok(()) };
    let what = if stored.answer_sha256 != seen.answer_sha256 {
        "answer"
    } else if stored.passages_sha256 != seen.passages_sha256 {
        "evidence"
    } else if stored.verdict_sha256.is_some()
        && seen.verdict_sha256.is_some()
        && stored.verdict_sha256 != seen.verdict_sha256
    {
        "verdict"
    } else {
        return Ok(());
    };
    refused(format!(
        "the {what} of {subject} that was shown is not the one that was stored: look again, and run `juror verify`"
    ))
}

/// What was on the screen when an act was taken back: not the verdict where it was hidden when the act was done.
pub(super) fn again(stored: Seen, taken: &Event) -> Seen {
    if taken.seen.verdict_sha256.is_none() { Seen { verdict_sha256: None, ..stored } } else { stored }
}
