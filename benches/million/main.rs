//! The budgets of speed and size, measured on a store of 1,000,000 claims.
//!
//! `cargo bench --bench million` measures everything, `cargo bench --bench million -- store judge` only
//! the named parts: `store`, `import`, `judge`, `audit`, `review`, `desk`, `compare`, `support`, `verify`. The store is generated once and kept
//! beside the build (`JUROR_BENCH_CLAIMS` sets another size). The screen is measured on the real
//! program in a pseudo-terminal. Prints a table; fails only when a budget is missed more than twofold,
//! because other work on the machine moves the numbers.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a bench prints what it measured")]

mod audit;
mod compare;
mod desk;
mod generate;
mod import;
mod judge;
mod pages;
mod review;
mod store;
mod support;
#[expect(dead_code, reason = "here everything is measured once")]
mod table;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use table::Table;

/// Measures one part and puts the rows into the table.
type Measure = fn(&mut Table);

const PARTS: &[(&str, Measure)] = &[
    ("store", store::measure),
    ("review", review::measure),
    ("desk", desk::measure),
    ("import", import::measure),
    ("judge", judge::measure),
    ("audit", audit::measure),
    ("compare", compare::measure),
    ("support", support::measure),
    ("verify", verify::measure),
];

fn main() -> ExitCode {
    let asked: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    if let Some(unknown) = asked.iter().find(|name| PARTS.iter().all(|(part, _)| part != name)) {
        eprintln!(
            "there is no part `{unknown}`: store, review, desk, import, judge, audit, compare, support, verify"
        );
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

/// Where generated files are kept between runs.
fn kept() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("million");
    std::fs::create_dir_all(&folder).expect("the build folder can be written");
    folder
}

/// The time now, for measuring.
#[expect(clippy::disallowed_methods, reason = "measuring is what a bench is for")]
fn now() -> std::time::Instant {
    std::time::Instant::now()
}

/// How long `work` takes, in milliseconds, and what it gives.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let began = now();
    let result = work();
    (began.elapsed().as_secs_f64() * 1000.0, result)
}

/// The value below which `share` of `samples` lie.
fn quantile(samples: &mut [f64], share: f64) -> f64 {
    samples.sort_by(f64::total_cmp);
    let last = samples.len().saturating_sub(1);
    samples.get(((last as f64) * share).round() as usize).copied().unwrap_or(f64::NAN)
}

/// How much of one core `work` takes, in milliseconds, and what it gives. Unlike the time on the wall it
/// does not grow when others use the machine. `work` must stay on this thread.
fn on_core<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let spent = || {
        let times = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells the time");
        let nanos = times.split_whitespace().next().and_then(|text| text.parse::<f64>().ok());
        nanos.expect("nanoseconds on the processor")
    };
    let before = spent();
    let result = work();
    ((spent() - before) / 1e6, result)
}
