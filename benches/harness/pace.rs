//! An audit against a server that takes 100 requests a second and refuses the rest.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::drive::{Job, run};
use super::server::shapes::openai;
use super::server::{Reply, Seen, Server, judge};
use super::table::Table;

const RECORDS: usize = 3000;
const AT_ONCE: usize = 64;
const REPLY_TIME: Duration = Duration::from_millis(50);
/// Requests a second.
const RATE: f64 = 100.0;
/// How many may come at once after a rest.
const BURST: f64 = 20.0;

pub(crate) fn measure(table: &mut Table) {
    for (name, says_how_long) in [("says how long to wait", true), ("says nothing more", false)] {
        let refused = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&refused);
        let bucket = Mutex::new(Bucket { tokens: BURST, at: Duration::ZERO });
        let server = Server::forgetful(move |seen| {
            let wait = bucket.lock().expect("no panic inside").take(seen.at);
            reply_to(seen, wait, says_how_long, &counted)
        });
        let done =
            run(&server, &Job { records: RECORDS, at_once: AT_ONCE, timeout: Duration::from_secs(10) });
        assert_eq!(done.states.get("JUDGED"), Some(&RECORDS), "every record has its verdict: {done:?}");
        let refused = refused.load(Ordering::SeqCst) as f64 / server.count() as f64;
        let reached = RECORDS as f64 / done.seconds / RATE;
        table.at_least(
            format!("100 requests a second allowed, the refusal {name}: of that rate"),
            "%",
            reached * 100.0,
            90.0,
        );
        table.at_most("the same: calls refused", "%", refused * 100.0, 5.0);
    }
}

/// Fills at the rate, up to the burst.
struct Bucket {
    tokens: f64,
    at: Duration,
}

impl Bucket {
    /// Takes one token; when there is none, the time until there will be one.
    fn take(&mut self, now: Duration) -> Option<Duration> {
        self.tokens = (self.tokens + now.saturating_sub(self.at).as_secs_f64() * RATE).min(BURST);
        self.at = now;
        if self.tokens >= 1.0 {
            self.tokens -= 1.0;
            return None;
        }
        Some(Duration::from_secs_f64((1.0 - self.tokens) / RATE))
    }
}

fn reply_to(seen: &Seen, wait: Option<Duration>, says_how_long: bool, refused: &AtomicUsize) -> Reply {
    let Some(wait) = wait else { return judge::unsupported(seen).after(REPLY_TIME) };
    refused.fetch_add(1, Ordering::SeqCst);
    let reply =
        openai::error(429, "Rate limit reached for requests", "requests", Some("rate_limit_exceeded"));
    if says_how_long {
        reply.header("retry-after-ms", format!("{:.0}", wait.as_secs_f64() * 1000.0 + 1.0))
    } else {
        reply
    }
}
