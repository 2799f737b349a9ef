//! The queue by answers.

use juror::domain::decision::{Basis, Disposition, Request};
use juror::domain::ids::Annotator;
use juror::domain::queue::Thread;
use juror::domain::verdict::{Severity, Verdict};
use juror::store::PageAt;

use crate::fixture::{Desk, actor, at, claim, contradicted, desk, record};

fn threads(desk: &Desk, who: &str) -> Vec<Thread> {
    desk.store.threads_page(&Annotator::new(who), PageAt::Top, 100, at(9)).unwrap()
}

fn told(desk: &Desk, who: &str) -> Vec<String> {
    let threads = threads(desk, who);
    threads.iter().map(|thread| format!("{} {}/{}", thread.head.id, thread.open, thread.decided)).collect()
}

#[test]
fn answers_stand_by_their_worst_open_claim_each_once() {
    let mut desk = desk();
    let low = |text: &str| claim(text, Verdict::PartiallySupported, Some(Severity::Low), 0.5);
    desk.audited(&record("rx-1"), vec![low("a"), low("b")]);
    let second = desk.audited(&record("rx-2"), vec![low("c"), contradicted("d"), contradicted("e")]);
    desk.audited(&record("rx-3"), vec![contradicted("f")]);
    assert_eq!(told(&desk, "ana"), ["rx-2#2 3/0", "rx-3#1 1/0", "rx-1#1 2/0"]);
    let ana = actor("ana");
    for key in &second[1..] {
        desk.store.decide(*key, &Request::Confirm, Basis::default(), &ana, at(1)).unwrap();
    }
    // Equal rank: the older arrival first, and what is decided counts no more for the place.
    assert_eq!(told(&desk, "ana"), ["rx-3#1 1/0", "rx-1#1 2/0", "rx-2#1 1/2"]);
    // What is shown of the answer is its worst, decided or not.
    let worst: Vec<_> = threads(&desk, "ana").into_iter().map(|thread| thread.worst).collect();
    let (critical, low) = (Some(Severity::Critical), Some(Severity::Low));
    assert_eq!(worst, [critical, low, critical]);
    let claims = desk.store.thread_claims(second[0], &Annotator::new("ana"), at(9)).unwrap();
    let ids: Vec<String> = claims.iter().map(|claim| claim.id.to_string()).collect();
    assert_eq!(ids, ["rx-2#1", "rx-2#2", "rx-2#3"], "open ones first");
}

#[test]
fn what_a_person_put_off_moves_their_answers_and_nobody_else_s() {
    let mut desk = desk();
    let first = desk.audited(&record("rx-1"), vec![contradicted("a"), contradicted("b")]);
    desk.audited(&record("rx-2"), vec![contradicted("c")]);
    let ana = actor("ana");
    desk.store.decide(first[0], &Request::Skip(true), Basis::default(), &ana, at(1)).unwrap();
    assert_eq!(told(&desk, "ana"), ["rx-1#2 2/0", "rx-2#1 1/0"], "by the claim that is left");
    desk.store.decide(first[1], &Request::Skip(true), Basis::default(), &ana, at(2)).unwrap();
    assert_eq!(told(&desk, "ana"), ["rx-2#1 1/0", "rx-1#1 2/0"], "all skipped: at the end, once");
    assert_eq!(told(&desk, "bo"), ["rx-1#1 2/0", "rx-2#1 1/0"]);
    for key in &first {
        let later = Request::Defer { until: at(99) };
        desk.store.decide(*key, &later, Basis::default(), &ana, at(3)).unwrap();
    }
    assert_eq!(told(&desk, "ana"), ["rx-2#1 1/0"]);
}

#[test]
fn pages_of_answers_go_on_where_the_last_one_ended() {
    let mut desk = desk();
    for n in 0..12 {
        desk.audited(&record(&format!("rx-{n:02}")), vec![contradicted("a"), contradicted("b")]);
    }
    let who = Annotator::new("ana");
    let all = threads(&desk, "ana");
    assert_eq!(all.len(), 12);
    let next = desk.store.threads_page(&who, PageAt::After(all[4].head.key), 5, at(9)).unwrap();
    assert_eq!(next, all[5..10]);
    let before = desk.store.threads_page(&who, PageAt::Before(all[4].head.key), 3, at(9)).unwrap();
    assert_eq!(before, all[1..4]);
}

#[test]
fn an_answer_tells_its_disposition() {
    let mut desk = desk();
    let keys = desk.audited(&record("rx-1"), vec![contradicted("a")]);
    let ana = actor("ana");
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &ana, at(1)).unwrap();
    let key = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    desk.store.dispose(key, Disposition::Return, Basis::default(), &ana, at(2)).unwrap();
    desk.store.undo(&ana, at(3)).unwrap();
    desk.store.undo(&ana, at(4)).unwrap();
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &ana, at(5)).unwrap();
    desk.store.dispose(key, Disposition::Return, Basis::default(), &actor("bo"), at(6)).unwrap();
    desk.store.undo(&ana, at(7)).unwrap();
    let thread = threads(&desk, "ana").remove(0);
    assert_eq!(
        thread.disposition.map(|given| (given.annotator.to_string(), given.disposition)),
        Some(("bo".into(), Disposition::Return))
    );
}

/// Answers under a filter: the first claim of each that fits, and all that fit.
fn found(desk: &Desk, filter: &str, at_page: PageAt, limit: usize) -> Vec<String> {
    let filter = filter.parse().unwrap();
    let found = desk.store.found_threads(&filter, &Annotator::new("ana"), at_page, limit, at(9)).unwrap();
    found
        .iter()
        .map(|(thread, claims)| {
            let claims: Vec<String> = claims.iter().map(|claim| claim.id.to_string()).collect();
            format!("{} of {}", thread.head.id, claims.join(" "))
        })
        .collect()
}

#[test]
fn a_filter_leaves_of_an_answer_what_fits() {
    let mut desk = desk();
    let low = |text: &str| claim(text, Verdict::PartiallySupported, Some(Severity::Low), 0.5);
    let first = desk.audited(&record("rx-1"), vec![low("dose a"), contradicted("b"), low("dose c")]);
    desk.audited(&record("rx-2"), vec![contradicted("d")]);
    let third = desk.audited(&record("rx-3"), vec![contradicted("dose e"), low("dose f")]);
    assert_eq!(found(&desk, "severity:low", PageAt::Top, 9), ["rx-1#1 of rx-1#1 rx-1#3", "rx-3#2 of rx-3#2"]);
    let dose = ["rx-3#1 of rx-3#1 rx-3#2", "rx-1#1 of rx-1#1 rx-1#3"];
    assert_eq!(found(&desk, "dose", PageAt::Top, 9), dose);
    assert_eq!(found(&desk, "dose", PageAt::Bottom, 9), dose);
    assert_eq!(found(&desk, "dose", PageAt::Top, 1), dose[..1]);
    assert_eq!(found(&desk, "dose", PageAt::From(first[0]), 9), dose[1..]);
    assert_eq!(found(&desk, "dose", PageAt::Before(first[0]), 9), dose[..1]);
    let head = |key, filter: Option<&str>| {
        let filter = filter.map(|filter| filter.parse().unwrap());
        desk.store.thread_head(key, filter.as_ref(), &Annotator::new("ana"), at(9)).unwrap()
    };
    assert_eq!(head(third[1], None), Some(third[0]));
    assert_eq!(head(third[1], Some("severity:low")), Some(third[1]));
    assert_eq!(head(first[2], None), Some(first[1]));
    assert_eq!(head(first[2], Some("nowhere")), None);
}

#[test]
fn an_answer_is_met_at_what_its_person_did_not_put_off() {
    let mut desk = desk();
    let keys = desk.audited(&record("rx-1"), vec![contradicted("a"), contradicted("b")]);
    let (ana, who) = (actor("ana"), Annotator::new("ana"));
    let head = |desk: &Desk| desk.store.thread_head(keys[0], None, &who, at(9)).unwrap();
    assert_eq!(head(&desk), Some(keys[0]));
    desk.store.decide(keys[0], &Request::Skip(true), Basis::default(), &ana, at(1)).unwrap();
    assert_eq!(head(&desk), Some(keys[1]));
    desk.store.decide(keys[1], &Request::Confirm, Basis::default(), &ana, at(2)).unwrap();
    assert_eq!(head(&desk), Some(keys[0]), "skipped, and all that is left");
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &ana, at(3)).unwrap();
    assert_eq!(head(&desk), None, "nothing of it is open");
}
