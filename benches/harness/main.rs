//! Audits by a model judge through the real pieces: store, auditor, harness, and HTTP to a server on loopback.
//!
//! `cargo bench --bench harness` measures everything, `cargo bench --bench harness -- speed faults` only the named
//! parts: `speed`, `faults`, `pace`. The server is in this process and answers by a script; what is measured runs in a
//! child of its own, so that its memory is its own. Prints a table. `speed` is measured five times and fails when not
//! even the best run keeps the budget: other work on the machine only ever makes a run slower. What is measured once,
//! and everything while other work wants more than there is, fails when a budget is missed more than twofold. What must hold at any speed, that no record is lost, doubled or
//! without a state, is asserted.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a bench prints what it measured")]

mod drive;
mod faults;
mod pace;
#[path = "../../tests/server/mod.rs"]
#[expect(dead_code, reason = "the bench needs few of the faults")]
mod server;
mod speed;
#[path = "../million/table.rs"]
mod table;

use std::process::ExitCode;

use table::Table;

/// Measures one part and puts the rows into the table.
type Measure = fn(&mut Table);

const PARTS: &[(&str, Measure)] =
    &[("speed", speed::measure), ("faults", faults::measure), ("pace", pace::measure)];

fn main() -> ExitCode {
    let mut asked: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    if asked.first().is_some_and(|first| first == drive::CHILD) {
        drive::in_the_child(&asked.split_off(1));
        return ExitCode::SUCCESS;
    }
    if let Some(unknown) = asked.iter().find(|name| PARTS.iter().all(|(part, _)| part != name)) {
        eprintln!("there is no part `{unknown}`: speed, faults, pace");
        return ExitCode::from(2);
    }
    let mut table = Table::default();
    for (part, measure) in PARTS {
        if asked.is_empty() || asked.iter().any(|name| name == part) {
            measure(&mut table);
        }
    }
    table.print();
    if table.is_broken() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// The time now, for measuring.
#[expect(clippy::disallowed_methods, reason = "measuring is what a bench is for")]
fn now() -> std::time::Instant {
    std::time::Instant::now()
}
