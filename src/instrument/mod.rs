//! The instruments: each asks a judge, checks what it says against the evidence, and returns domain types.
//!
//! Nothing that a judge says counts before it was checked here. This layer must not know which judge
//! answers, nor the store or the screen.

mod check;
pub mod citations;
pub mod comparison;
pub mod faithfulness;
mod grounds;
pub mod severity;
pub mod support;
mod wording;
