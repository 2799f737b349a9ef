//! The store by itself: pages, counts, one claim, decisions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use juror::clock::{Clock, SystemClock};
use juror::domain::decision::{Actor, Basis, Request};
use juror::domain::filter::Filter;
use juror::domain::ids::{Annotator, ClaimId};
use juror::domain::view::View;
use juror::store::{Durability, PageAt, Store};

use super::table::Table;
use super::{generate, pages, quantile, timed};

const ROUNDS: usize = 200;
const DECISIONS: usize = 300;

pub(crate) fn measure(table: &mut Table) {
    let path = generate::million();
    let size = std::fs::metadata(&path).map_or(0, |meta| meta.len());
    table.note("size of the store", "MB", size as f64 / 1e6);
    let clock = SystemClock;
    let me = Annotator::new("bench");
    let (millis, store) = timed(|| Store::open(&path, Durability::Full).expect("it opens"));
    table.note("opening the store", "ms", millis);
    let mut store = store;

    let (first, page) = timed(|| store.queue_page(&me, PageAt::Top, 50, clock.now()).expect("a page"));
    table.at_most("first page of the queue, 50 rows", "ms", first, 50.0);
    let middle = {
        let mut at = page.last().expect("rows").key;
        for _ in 0..20 {
            let next = store.queue_page(&me, PageAt::After(at), 50, clock.now()).expect("a page");
            at = next.last().expect("rows").key;
        }
        at
    };
    let mut pages: Vec<f64> = (0..ROUNDS)
        .map(|_| timed(|| store.queue_page(&me, PageAt::After(middle), 50, clock.now()).expect("a page")).0)
        .collect();
    table.at_most("queue page inside, 50 rows, p99", "ms", quantile(&mut pages, 0.99), 8.0);
    let (last, bottom) = timed(|| store.queue_page(&me, PageAt::Bottom, 50, clock.now()).expect("a page"));
    table.at_most("last page of the queue, 50 rows, first read", "ms", last, 50.0);
    let end = bottom.last().expect("rows").key;
    let mut ends: Vec<f64> = (0..ROUNDS)
        .map(|_| timed(|| store.queue_page(&me, PageAt::Bottom, 50, clock.now()).expect("a page")).0)
        .collect();
    table.at_most("last page of the queue, 50 rows, p99", "ms", quantile(&mut ends, 0.99), 8.0);
    let mut before: Vec<f64> = (0..ROUNDS)
        .map(|_| timed(|| store.queue_page(&me, PageAt::Before(end), 50, clock.now()).expect("a page")).0)
        .collect();
    table.at_most("page before the last row, 50 rows, p99", "ms", quantile(&mut before, 0.99), 8.0);
    let mut counts: Vec<f64> =
        (0..ROUNDS).map(|_| timed(|| store.queue_counts(&me, clock.now()).expect("counts")).0).collect();
    table.at_most("counts, p99", "ms", quantile(&mut counts, 0.99), 8.0);

    let mut details: Vec<f64> = page
        .iter()
        .skip(1)
        .map(|row| timed(|| store.claim_detail(row.key, &me, clock.now()).expect("a claim")).0)
        .collect();
    table.at_most("one claim with its record, p99", "ms", quantile(&mut details, 0.99), 8.0);
    let big: ClaimId = format!("{}#1", generate::BIG).parse().expect("a claim id");
    let big = store.claim_key(&big).expect("the big claim");
    let (cold, _) = timed(|| store.claim_detail(big, &me, clock.now()).expect("a claim"));
    table.at_most("1 MB passage with 2,000 spans, first read", "ms", cold, 16.0);

    views(table, &path, clock, &me);
    same_claims(table, &path, clock, &me);
    filters(table, &path, clock, &me);
    pages::measure(table, &path, clock, &me);
    decisions(table, &mut store, clock, &me);
}

/// The counts on the tabs, each as the first question after the start.
fn views(table: &mut Table, path: &std::path::Path, clock: SystemClock, me: &Annotator) {
    for view in View::shipped(me).iter().skip(1) {
        let store = Store::open_read_only(path).expect("it opens");
        let (millis, found) = timed(|| store.found_count(&view.filter, clock.now()).expect("a count"));
        table.at_most(format!("view {}: count ({found})", view.name), "ms", millis, 150.0);
    }
}

/// The same claim in other answers: many, and none.
fn same_claims(table: &mut Table, path: &std::path::Path, clock: SystemClock, me: &Annotator) {
    for (what, id) in [("in 2,000 answers", generate::SAME_CLAIM), ("in one answer only", "rec-0000007#3")] {
        let store = Store::open_read_only(path).expect("it opens");
        let key = store.claim_key(&id.parse().expect("a claim id")).expect("the claim");
        let (first, same) = timed(|| store.same_claims(key, me, clock.now()).expect("claims"));
        table.at_most(format!("same claim, {what}: first time ({} found)", same.len()), "ms", first, 150.0);
        let mut again: Vec<f64> =
            (0..20).map(|_| timed(|| store.same_claims(key, me, clock.now()).expect("claims")).0).collect();
        table.at_most(format!("same claim, {what}: again, p99"), "ms", quantile(&mut again, 0.99), 150.0);
    }
}

/// Filters of every kind, each on a store of its own, so that nothing is known from the one before.
fn filters(table: &mut Table, path: &std::path::Path, clock: SystemClock, me: &Annotator) {
    for (name, query, may_count) in [
        ("severity and verdict", "severity>=high verdict:contradicted", false),
        ("confidence and age", "confidence<0.7 age<90000h", false),
        ("the model of all", "model:*", false),
        ("a rare word", "zymurgy", false),
        ("a note", "note:*", false),
        ("a decision", "by:*", false),
        ("a common word", "the", true),
        ("a word left out", "-the", true),
        ("an audit id", "id:bench-1*", true),
        ("risk", "risk:critical", true),
        ("everything that was decided or not", "is:any verdict:contradicted", true),
    ] {
        let filter: Filter = query.parse().expect("a filter");
        let store = Store::open_read_only(path).expect("it opens");
        let (first, page) =
            timed(|| store.found_page(&filter, me, PageAt::Top, 200, clock.now()).expect("a page"));
        let (count, found) = timed(|| store.found_count(&filter, clock.now()).expect("a count"));
        let (page_row, count_row) =
            (format!("filter, {name}: first page"), format!("filter, {name}: count ({found})"));
        if may_count {
            // These show that they count, and can be called off.
            table.note(page_row, "ms", first);
            table.note(count_row, "ms", count);
        } else {
            table.at_most(page_row, "ms", first, 150.0);
            table.at_most(count_row, "ms", count, 150.0);
        }
        if let Some(last) = page.last() {
            let next =
                || store.found_page(&filter, me, PageAt::After(last.key), 200, clock.now()).expect("a page");
            table.note(format!("filter, {name}: next page"), "ms", timed(next).0);
        }
    }
    stopping(table, path, clock);
}

/// From the wish to stop to the end of the slowest count.
fn stopping(table: &mut Table, path: &std::path::Path, clock: SystemClock) {
    let mut store = Store::open_read_only(path).expect("it opens");
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    store.stop_when(move || asked.load(Ordering::Relaxed)).expect("it can be stopped");
    let slow: Filter = "-state:failed the is:any".parse().expect("a filter");
    let wish = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(200));
        stop.store(true, Ordering::Relaxed);
        super::now()
    });
    let stopped = store.found_count(&slow, clock.now());
    let ended = super::now();
    let wished = wish.join().expect("a thread");
    if stopped.is_err() {
        let took = ended.saturating_duration_since(wished).as_secs_f64() * 1000.0;
        table.at_most("filter: a count stops after", "ms", took, 20.0);
    }
}

/// Confirms claims and takes it back again, so that the store stays as it was.
fn decisions(table: &mut Table, store: &mut Store, clock: SystemClock, me: &Annotator) {
    let actor = Actor {
        annotator: me.clone(),
        os_user: "bench".into(),
        host: "bench".into(),
        program: "bench".into(),
    };
    let mut decided = Vec::with_capacity(DECISIONS);
    let page = store.queue_page(me, PageAt::Top, DECISIONS * 4, clock.now()).expect("a page");
    let judged = page.iter().filter(|row| row.verdict.is_some() && row.state.label() == "JUDGED");
    for row in judged.take(DECISIONS) {
        decided.push(
            timed(|| {
                store
                    .decide(row.key, &Request::Confirm, Basis::default(), &actor, clock.now())
                    .expect("decided")
            })
            .0,
        );
    }
    let mut undone = Vec::with_capacity(decided.len());
    for _ in 0..decided.len() {
        undone.push(timed(|| store.undo(&actor, clock.now()).expect("undone")).0);
    }
    table.note("decision committed (FULL), median", "ms", quantile(&mut decided, 0.5));
    table.at_most("decision committed (FULL), p99", "ms", quantile(&mut decided, 0.99), 10.0);
    table.at_most("undo committed (FULL), p99", "ms", quantile(&mut undone, 0.99), 10.0);
}
