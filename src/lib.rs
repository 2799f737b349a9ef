//! juror: human review of what language models claim.
//!
//! The modules in their one-way order; each may use only what stands above it
//! (`tests/layers.rs` proves it):
//!
//! | module | what it is for |
//! |---|---|
//! | [`domain`] | the nouns as plain data: record, claim, verdict, span, decision, event |
//! | [`clock`] | the only place that reads the time |
//! | [`text`] | sentences, tokens, numbers and dates, finding a quote, width, wrapping, safe display |
//! | [`prompt`] | what model judges are asked: the prompts, checked and filled |
//! | [`measure`] | figures about judges, people and versions: numbers in, numbers out |
//! | [`judge`] | the only door to a model: the trait, and the local judge |
//! | [`instrument`] | faithfulness and support: ask a judge, check what it says, return domain types |
//! | [`store`] | the only door to SQLite |
//! | [`paths`] | where files live |
//! | [`log`] | what is logged, and where to |
//! | [`config`] | the settings and where they came from |
//! | [`auditor`] | the background loop: lease a record, run the instrument, store, announce |
//! | [`duty`] | who audits and who is called: the hook, and who is there for a store |
//! | [`format`](mod@format) | what comes in and what goes out, one file per format |
//! | [`report`] | what there is to say of a measurement, and its forms: text, Markdown, JSON, JUnit |
//! | [`tui`] | the screen: messages in, effects out |
//! | [`cli`] | the subcommands |

pub mod auditor;
pub mod cli;
pub mod clock;
pub mod config;
pub mod domain;
pub mod duty;
pub mod format;
pub mod instrument;
pub mod judge;
pub mod log;
pub mod measure;
pub mod paths;
pub mod prompt;
pub mod report;
pub mod store;
pub mod text;
pub mod tui;
