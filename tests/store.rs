//! The store through its public door, on real files.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

#[path = "store/audits.rs"]
mod audits;
#[path = "store/blind.rs"]
mod blind;
#[path = "store/blocked.rs"]
mod blocked;
#[path = "store/calibrations.rs"]
mod calibrations;
#[path = "store/comparisons.rs"]
mod comparisons;
#[path = "store/crash.rs"]
mod crash;
#[path = "store/damage.rs"]
mod damage;
#[path = "store/decisions.rs"]
mod decisions;
#[path = "store/dispositions.rs"]
mod dispositions;
#[path = "store/disputes.rs"]
mod disputes;
#[path = "store/drafts.rs"]
mod drafts;
#[path = "store/evidence.rs"]
mod evidence;
#[path = "store/exchanges.rs"]
mod exchanges;
#[path = "store/find.rs"]
mod find;
#[path = "store/fixture.rs"]
mod fixture;
#[path = "store/guards.rs"]
mod guards;
#[path = "store/many.rs"]
mod many;
#[path = "store/opening.rs"]
mod opening;
#[path = "store/queue.rs"]
mod queue;
#[path = "store/records.rs"]
mod records;
#[path = "store/redo.rs"]
mod redo;
#[path = "store/same.rs"]
mod same;
#[path = "store/shaping.rs"]
mod shaping;
#[path = "store/sums.rs"]
mod sums;
#[path = "store/threads.rs"]
mod threads;
#[path = "store/told.rs"]
mod told;
#[path = "store/views.rs"]
mod views;
#[path = "store/windows.rs"]
mod windows;
