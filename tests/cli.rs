//! The real binary: exit codes, JSON against the shipped schemas, help, hostile input.

#![expect(clippy::unwrap_used, reason = "helpers of tests, where a panic is the answer")]

#[path = "server/mod.rs"]
#[expect(dead_code, reason = "no test needs every fault")]
mod server;
#[path = "cli/world.rs"]
mod world;

#[path = "cli/agreement.rs"]
mod agreement;
#[path = "cli/answers.rs"]
mod answers;
#[path = "cli/blind.rs"]
mod blind;
#[path = "cli/calibrate.rs"]
mod calibrate;
#[path = "cli/calibrate_against.rs"]
mod calibrate_against;
#[path = "cli/calibrate_store.rs"]
mod calibrate_store;
#[path = "cli/claims.rs"]
mod claims;
#[path = "cli/commands.rs"]
mod commands;
#[path = "cli/compare.rs"]
mod compare;
#[path = "cli/compare_data.rs"]
mod compare_data;
#[path = "cli/config.rs"]
mod config;
#[path = "cli/death.rs"]
mod death;
#[path = "cli/drafts.rs"]
mod drafts;
#[path = "cli/drift.rs"]
mod drift;
#[path = "cli/duty.rs"]
mod duty;
#[path = "cli/embeddings.rs"]
mod embeddings;
#[path = "cli/evidence.rs"]
mod evidence;
#[path = "cli/exchanges.rs"]
mod exchanges;
#[path = "cli/export.rs"]
mod export;
#[path = "cli/follow.rs"]
mod follow;
#[path = "cli/full.rs"]
mod full;
#[path = "cli/gate.rs"]
mod gate;
#[path = "cli/hostile.rs"]
mod hostile;
#[path = "cli/import.rs"]
mod import;
#[path = "cli/judge_report.rs"]
mod judge_report;
#[path = "cli/models.rs"]
mod models;
#[path = "cli/night.rs"]
mod night;
#[path = "cli/people.rs"]
mod people;
#[path = "cli/plain.rs"]
mod plain;
#[path = "cli/prompt.rs"]
mod prompt;
#[path = "cli/refused.rs"]
mod refused;
#[path = "cli/release.rs"]
mod release;
#[path = "cli/report.rs"]
mod report;
#[path = "cli/ruled.rs"]
mod ruled;
#[path = "cli/score.rs"]
mod score;
#[path = "cli/shared_data.rs"]
mod shared_data;
#[path = "cli/show.rs"]
mod show;
#[path = "cli/stability.rs"]
mod stability;
#[path = "cli/trail.rs"]
mod trail;
#[path = "cli/tty.rs"]
mod tty;
