//! The store through its public door, on real files.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

#[path = "store/fixture.rs"]
mod fixture;
#[path = "store/opening.rs"]
mod opening;
#[path = "store/records.rs"]
mod records;
