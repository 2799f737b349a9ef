//! How near an audit comes to what the server's fixed reply time allows, and how much memory it takes.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::drive::{Job, run};
use super::server::{Server, judge};
use super::table::Table;

const REPLY_TIME: Duration = Duration::from_millis(200);

/// Each figure is taken so often.
const RUNS: usize = 5;

pub(crate) fn measure(table: &mut Table) {
    let load = load();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    table.note(
        "processes that want a core before it begins; more than cores: other work disturbs it",
        "",
        load,
    );
    table.is_disturbed(load > cores as f64);
    let wide: Vec<Measured> = (0..RUNS).map(|_| audit(2000, 64)).collect();
    table.at_most_of(
        "2,000 records, 200 ms a reply, 64 at once: time beside the ideal",
        "×",
        &each(&wide, |run| run.beside_ideal),
        1.05,
    );
    table.at_most_of(
        "the same: resident memory, peak of the process",
        "MB",
        &each(&wide, |run| run.peak_mb),
        64.0,
    );
    let processor = each(&wide, |run| run.processor_ms);
    table.note("the same: processor time for a record", "ms", processor.iter().sum::<f64>() / RUNS as f64);
    let narrow: Vec<Measured> = (0..RUNS).map(|_| audit(200, 16)).collect();
    table.at_least_of(
        "200 records, 200 ms a reply, 16 at once",
        "records/s",
        &each(&narrow, |run| run.per_second),
        70.0,
    );
}

/// How many processes wanted a core in the last minute, as Linux counts them.
fn load() -> f64 {
    let load = std::fs::read_to_string("/proc/loadavg").expect("Linux tells the load");
    load.split(' ').next().and_then(|load| load.parse().ok()).expect("a number")
}

fn each(runs: &[Measured], figure: impl Fn(&Measured) -> f64) -> Vec<f64> {
    runs.iter().map(figure).collect()
}

struct Measured {
    /// From the first reply on; how many times as long as it takes when all places are always taken.
    beside_ideal: f64,
    per_second: f64,
    peak_mb: f64,
    processor_ms: f64,
}

fn audit(records: usize, at_once: usize) -> Measured {
    let arrivals: Arc<Mutex<Vec<Duration>>> = Arc::default();
    let noted = Arc::clone(&arrivals);
    let server = Server::forgetful(move |seen| {
        noted.lock().expect("no panic inside").push(seen.at);
        judge::unsupported(seen).after(REPLY_TIME)
    });
    let done = run(&server, &Job { records, at_once, timeout: Duration::from_secs(10) });
    assert_eq!(done.states.get("JUDGED"), Some(&records), "every record has its verdict: {done:?}");
    assert_eq!(server.count(), records, "each is asked once");
    assert!(server.most_at_once() <= at_once, "{} at once", server.most_at_once());
    let arrivals = arrivals.lock().expect("no panic inside");
    let (first, last) = (arrivals[0] + REPLY_TIME, arrivals[records - 1] + REPLY_TIME);
    let seconds = last.saturating_sub(first).as_secs_f64();
    let ideal = records as f64 * REPLY_TIME.as_secs_f64() / at_once as f64;
    Measured {
        beside_ideal: seconds / ideal,
        per_second: records as f64 / done.seconds,
        peak_mb: done.peak_mb,
        processor_ms: done.processor_seconds * 1000.0 / records as f64,
    }
}
