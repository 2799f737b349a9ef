//! Text as it is read, searched and shown: sentences and scripts, where a quote stands, how wide a
//! line is, how it wraps, and how hostile characters are made visible.
//!
//! Everything here is a pure function of its text, takes any string without panic, and works in
//! time proportional to its length. This layer must not know records, judges, the store or a
//! terminal.

mod abbreviations;
pub mod compare;
pub mod dates;
pub mod fold;
mod fuzzy;
#[cfg(test)]
pub(crate) mod growth;
mod layout;
pub mod lexicon;
pub mod locate;
pub mod markers;
pub mod numbers;
pub mod sanitize;
pub mod script;
pub mod sentences;
pub mod stem;
pub mod steps;
pub mod tokens;
pub mod width;
pub mod wrap;
