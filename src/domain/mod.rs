//! The nouns of the field as plain data: record, passage, claim, verdict, span, decision, event.
//!
//! Everything here can be built, compared and serialised without a file, a clock or a network.
//! This layer must not know SQLite, the terminal, or which judge produced a verdict.

pub mod annotation;
pub mod batch;
pub mod blind;
pub mod calibration;
pub mod comparison;
pub mod decision;
pub mod draft;
pub mod event;
pub mod evidence;
pub mod exchange;
pub mod filter;
pub mod finding;
pub mod ids;
pub mod overruled;
pub mod pace;
pub mod period;
pub mod priority;
pub mod queue;
pub mod record;
pub mod routing;
pub mod severity;
pub mod shaping;
pub mod span;
pub mod tally;
pub mod time;
pub mod until;
pub mod verdict;
pub mod view;
pub mod word;
