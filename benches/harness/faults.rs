//! An audit against a server that fails in one call of seven.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::drive::{Job, run};
use super::server::shapes::Shape;
use super::server::{Reply, Seen, Server, judge};
use super::table::Table;

const RECORDS: usize = 10_000;
const AT_ONCE: usize = 64;
const REPLY_TIME: Duration = Duration::from_millis(200);
const TIMEOUT: Duration = Duration::from_secs(1);

pub(crate) fn measure(table: &mut Table) {
    let hangs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&hangs);
    let server = Server::forgetful(move |seen| {
        if lot(seen.number) >= HANG_FROM {
            counted.fetch_add(1, Ordering::SeqCst);
        }
        reply_to(seen)
    });
    let done = run(&server, &Job { records: RECORDS, at_once: AT_ONCE, timeout: TIMEOUT });
    // None lost, none twice: `run` counts one audit for every record, and refuses any other number.
    let states: usize = done.states.values().sum();
    assert_eq!(states, RECORDS, "every record ends in a verdict or a named state: {done:?}");
    let judged = done.states.get("JUDGED").copied().unwrap_or(0);
    let calls = server.count();
    let hangs = hangs.load(Ordering::SeqCst);
    // Nobody could be quicker without fewer calls: every call takes the time of a reply and every hang that of the
    // limit, 64 at a time.
    let busy = (calls - hangs) as f64 * REPLY_TIME.as_secs_f64() + hangs as f64 * TIMEOUT.as_secs_f64();
    let ideal = busy / AT_ONCE as f64;
    let without_faults = RECORDS as f64 * REPLY_TIME.as_secs_f64() / AT_ONCE as f64;
    table.at_most(
        "10,000 records, 14 % of calls fail, 64 at once: time beside that of a server without faults",
        "×",
        done.seconds / without_faults,
        2.0,
    );
    table.note("the same: time beside that which these calls take at least", "×", done.seconds / ideal);
    table.note("the same: calls", "", calls as f64);
    table.note("the same: records with a verdict", "", judged as f64);
    table.note("the same: records in a named state without a verdict", "", (RECORDS - judged) as f64);
    table.note("the same: resident memory, peak of the process", "MB", done.peak_mb);
}

const HANG_FROM: usize = 98;

/// A number below 100 for each call, each as often as any other, in no order that matters.
fn lot(number: usize) -> usize {
    (number.wrapping_mul(0x9E37_79B9) >> 7) % 100
}

fn reply_to(seen: &Seen) -> Reply {
    let shape = Shape::of(seen);
    match lot(seen.number) {
        // No word on how long to wait.
        0..5 => Reply::json(
            429,
            &serde_json::json!({"error": {"message": "slow down", "code": "rate_limit_exceeded"}}),
        ),
        5..10 => shape.faulty(),
        10..12 => judge::unsupported(seen).cut(300),
        HANG_FROM.. => Reply::hang(),
        _ => judge::unsupported(seen),
    }
    .after(REPLY_TIME)
}
