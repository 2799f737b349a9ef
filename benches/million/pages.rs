//! The other two lists of the same claims: by answers, and in a blind review.

use juror::clock::{Clock, SystemClock};
use juror::domain::ids::{Annotator, ClaimKey};
use juror::domain::queue::{QueueRow, Thread};
use juror::store::{PageAt, Store};

use super::table::Table;
use super::{quantile, timed};

const ROUNDS: usize = 100;
/// Rows of a page, as the screen asks for them.
const ROWS: usize = 50;
/// How many people may judge a claim blind.
const OVERLAP: u8 = 3;

pub(crate) fn measure(table: &mut Table, path: &std::path::Path, clock: SystemClock, me: &Annotator) {
    blind(table, path, clock, me);
    answers(table, path, clock, me);
}

/// Each as often as the page may be asked for; the first time by itself.
fn page(table: &mut Table, what: &str, most: f64, mut read: impl FnMut() -> usize) {
    let (first, found) = timed(&mut read);
    assert!(found > 0, "{what}: nothing is found");
    table.at_most(format!("{what}, first time"), "ms", first, 50.0);
    let mut again: Vec<f64> = (0..ROUNDS).map(|_| timed(&mut read).0).collect();
    table.at_most(format!("{what}, p99"), "ms", quantile(&mut again, 0.99), most);
}

fn blind(table: &mut Table, path: &std::path::Path, clock: SystemClock, me: &Annotator) {
    let store = Store::open_read_only(path).expect("it opens");
    let rows = |at| store.blind_page(me, OVERLAP, at, ROWS, clock.now()).expect("a page");
    page(table, "blind: first page, 50 rows", 8.0, || rows(PageAt::Top).len());
    let mut at = rows(PageAt::Top).last().expect("rows").key;
    for _ in 0..20 {
        at = rows(PageAt::After(at)).last().expect("rows").key;
    }
    page(table, "blind: page inside, 50 rows", 8.0, || rows(PageAt::After(at)).len());
    page(table, "blind: page before it, 50 rows", 8.0, || rows(PageAt::Before(at)).len());
    page(table, "blind: last page, 50 rows", 8.0, || rows(PageAt::Bottom).len());
    page(table, "blind: counts", 8.0, || {
        store.blind_counts(me, OVERLAP, clock.now()).expect("counts");
        1
    });
}

/// Answers with all their claims, as the screen shows them; they are read beside the decisions, not among them.
fn answers(table: &mut Table, path: &std::path::Path, clock: SystemClock, me: &Annotator) {
    let store = Store::open_read_only(path).expect("it opens");
    let rows = |at| -> Vec<(Thread, Vec<QueueRow>)> {
        let threads = store.threads_page(me, at, ROWS, clock.now()).expect("a page");
        let with_claims = |thread: Thread| {
            let claims = store.thread_claims(thread.head.key, me, clock.now()).expect("claims");
            (thread, claims)
        };
        threads.into_iter().map(with_claims).collect()
    };
    let head = |page: &[(Thread, Vec<QueueRow>)]| -> ClaimKey { page.last().expect("answers").0.head.key };
    page(table, "by answers: first page, 50 answers", 50.0, || rows(PageAt::Top).len());
    let mut at = head(&rows(PageAt::Top));
    for _ in 0..20 {
        at = head(&rows(PageAt::After(at)));
    }
    page(table, "by answers: page inside, 50 answers", 50.0, || rows(PageAt::After(at)).len());
    page(table, "by answers: page before it, 50 answers", 50.0, || rows(PageAt::Before(at)).len());
    page(table, "by answers: last page, 50 answers", 50.0, || rows(PageAt::Bottom).len());
    page(table, "by answers: where an answer stands", 8.0, || {
        usize::from(store.thread_head(at, None, me, clock.now()).expect("a place").is_some())
    });
}
