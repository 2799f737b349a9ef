//! The same claim in many answers: what may be decided at once, and what may not.

use juror::domain::decision::Request;
use juror::domain::ids::Annotator;
use juror::domain::record::{Record, RiskLevel};

use crate::fixture::{Desk, actor, at, contradicted, desk, record, risky, ungrounded};

fn same(desk: &Desk, key: juror::domain::ids::ClaimKey) -> Vec<String> {
    let rows = desk.store.same_claims(key, &Annotator::new("ana"), at(50)).unwrap();
    rows.into_iter().map(|row| row.id.to_string()).collect()
}

/// The record with something changed.
fn other(id: &str, change: impl FnOnce(&mut Record)) -> Record {
    let mut other = record(id);
    change(&mut other);
    other
}

#[test]
fn only_what_differs_in_nothing_is_the_same_claim() {
    let mut desk = desk();
    let text = "Take \"8 g\" a day.";
    let first = desk.audited(&record("rx-1"), vec![contradicted(text), contradicted("Take 9 g a day.")])[0];
    desk.audited(&record("rx-2"), vec![contradicted("Take  \"8 g\"\na day.")]);
    desk.audited(&record("rx-3"), vec![contradicted("Take \"8 g\" a day, or more.")]);
    desk.audited(&record("rx-4"), vec![ungrounded(text)]);
    desk.audited(&risky("rx-5", RiskLevel::Critical), vec![contradicted(text)]);
    let evidence = |record: &mut Record| record.passages[0].content.push_str(" Not for children.");
    desk.audited(&other("rx-6", evidence), vec![contradicted(text)]);
    let question = |record: &mut Record| record.question = Some("For a child?".to_owned());
    desk.audited(&other("rx-7", question), vec![contradicted(text)]);
    desk.audited(&record("rx-8"), vec![contradicted(text)]);
    assert_eq!(same(&desk, first), ["rx-1#1", "rx-2#1", "rx-8#1"]);
}

#[test]
fn the_same_claim_is_decided_at_once_and_one_undo_takes_all_of_it_back() {
    let mut desk = desk();
    let keys: Vec<_> =
        (1..=12).map(|n| desk.audited(&record(&format!("rx-{n}")), vec![contradicted("c")])[0]).collect();
    let rows = desk.store.same_claims(keys[3], &Annotator::new("ana"), at(50)).unwrap();
    assert_eq!((rows.len(), rows[0].key), (12, keys[3]), "the claim itself comes first");
    let requests: Vec<_> = rows.iter().map(|row| (row.key, Request::Confirm)).collect();
    let done = desk.store.decide_many(&requests, None, &actor("ana"), at(60)).unwrap();
    assert_eq!((done.events.len(), desk.open_ids("ana").len()), (12, 0));
    assert_eq!(same(&desk, keys[3]), ["rx-4#1"], "what is decided is not offered again");
    desk.store.undo(&actor("ana"), at(61)).unwrap();
    assert_eq!(desk.open_ids("ana").len(), 12);
}
