//! The instruments: each asks a judge, checks what it says against the evidence, and returns domain types.

pub mod faithfulness;
