//! The figures that are computed over many units, each by a budget.
//!
//! `cargo bench --bench measure` prints a table. Each is measured five times and fails when not even the best run keeps
//! its budget: other work on the machine only ever makes a run slower.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

#[path = "../million/table.rs"]
#[expect(dead_code, reason = "the bench needs few of its rows")]
mod table;

use std::process::ExitCode;

use juror::measure::alpha::{Metric, alpha};
use juror::measure::bootstrap::{PairedItem, Resampling, paired_rates};
use juror::measure::ratings::Ratings;
use table::Table;

const RUNS: usize = 5;
const UNITS: usize = 250_000;
const RATERS: usize = 4;
const ITEMS: usize = 10_000;

fn main() -> ExitCode {
    let mut table = Table::default();
    let said = said();
    let agreement = timed(|| {
        let mut ratings = Ratings::new(5);
        for unit in said.chunks(RATERS) {
            ratings.add(unit.iter().copied());
        }
        let found = alpha(&ratings, Metric::Ordinal, &[1.0, 2.0, 3.0, 4.0, 5.0], Resampling::default());
        assert!(found.value().is_some() && found.interval().is_some());
    });
    table.at_most_of("alpha over 1,000,000 ratings, with its interval", "s", &agreement, 1.0);
    let items = items();
    let difference = timed(|| {
        let found = paired_rates(&items, Resampling { resamples: 10_000, seed: 1 });
        assert!(found.change.interval().is_some());
    });
    table.at_most_of("paired bootstrap, 10,000 items, 10,000 times", "s", &difference, 1.0);
    table.print();
    if table.is_broken() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

#[expect(clippy::disallowed_methods, reason = "measuring is what a bench is for")]
fn timed(work: impl Fn()) -> Vec<f64> {
    (0..RUNS)
        .map(|_| {
            let start = std::time::Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .collect()
}

/// A small generator, so that every run measures the same.
fn draw(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % below
}

/// Scores of raters who mostly agree.
fn said() -> Vec<usize> {
    let mut state = 1;
    (0..UNITS)
        .flat_map(|_| {
            let score = draw(&mut state, 5);
            std::array::from_fn::<usize, RATERS, _>(|_| {
                if draw(&mut state, 4) == 0 { draw(&mut state, 5) as usize } else { score as usize }
            })
        })
        .collect()
}

fn items() -> Vec<PairedItem> {
    let mut state = 2;
    (0..ITEMS)
        .map(|_| {
            let claims = 1 + draw(&mut state, 8) as u32;
            PairedItem {
                baseline_wrong: draw(&mut state, u64::from(claims)) as u32,
                baseline_claims: claims,
                candidate_wrong: draw(&mut state, u64::from(claims) + 1) as u32,
                candidate_claims: claims,
            }
        })
        .collect()
}
