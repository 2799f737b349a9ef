//! Comparisons of versions: kept for ever, each gate beside the one before, and no claim that people must see lost.

use std::time::Duration;

use juror::domain::decision::{Basis, Request};
use juror::domain::finding::RunResult;
use juror::domain::record::{GivenClaim, Record};
use juror::domain::routing::Policy;
use juror::store::{ComparedRecord, NewComparison};

use crate::fixture::{Desk, TTL, actor, at, contradicted, desk, identity, line_of, record, run};

fn keep(desk: &mut Desk, claims: &str, says: &str, when: u64) -> String {
    let told = format!(r#"{{"gate":{{"says":"{says}"}}}}"#);
    let new = NewComparison {
        judge: &identity(),
        baseline: "a.jsonl",
        candidate: "b.jsonl",
        data_sha256: "ab",
        items: 2,
        compared: 1,
        baseline_rate: Some(0.0),
        candidate_rate: Some(0.5),
        rate_change: Some(0.5),
        claims_sha256: claims,
        sent: &[("q1".to_owned(), 1)],
        says,
        told: &told,
        report: r#"{"title":"b against a","made_at":"then","gate":{"says":"yes"}}"#,
    };
    desk.store.keep_comparison(&new, at(when)).unwrap()
}

/// The one claim of `cmp-1/q1`.
fn sent() -> ComparedRecord {
    let given = GivenClaim { claim_id: Some("c1".into()), claim_text: "8 g".into() };
    let record = Record { given_claims: vec![given], ..record("cmp-1/q1") };
    let mut finding = contradicted("8 g");
    finding.given_id = Some("c1".into());
    let result = RunResult { instrument: "comparison", no_claims: Vec::new(), ..run(vec![finding]) };
    ComparedRecord { new: line_of(&record), result }
}

fn undecided(desk: &Desk) -> (u64, Vec<String>) {
    let sent = desk.store.claims_of_comparison("cmp-1").unwrap();
    let open = sent.iter().filter(|claim| !claim.is_decided).map(|claim| claim.id.to_string());
    (sent.len() as u64, open.collect())
}

#[test]
fn the_last_gate_is_in_force_and_none_before_it_is_lost() {
    let mut desk = desk();
    assert_eq!(keep(&mut desk, "one", "yes", 1), "cmp-1");
    assert_eq!(keep(&mut desk, "one", "no", 2), "cmp-1");
    assert_eq!(keep(&mut desk, "one", "no", 3), "cmp-1");
    assert_eq!(desk.store.comparisons().unwrap()[0].says, "no");
    let report: serde_json::Value =
        serde_json::from_str(&desk.store.comparison_report("cmp-1").unwrap()).unwrap();
    assert_eq!((&report["gate"]["says"], &report["title"]), (&"no".into(), &"b against a".into()));
    assert_eq!(report["made_at"], at(2).to_string(), "when it said so for the first time");
    let gates: i64 =
        desk.sql().query_row("SELECT count(*) FROM comparison_gate", [], |row| row.get(0)).unwrap();
    assert_eq!(gates, 2);
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
    desk.sql()
        .execute_batch(
            "DROP TRIGGER comparison_gate_no_update; DROP TRIGGER comparison_gate_no_delete;
             UPDATE comparison_gate SET says = 'yes' WHERE n = 2; DELETE FROM comparison_gate WHERE n = 1;",
        )
        .unwrap();
    let problems = desk.store.verify().unwrap().problems;
    assert!(
        problems.iter().any(|it| it == "comparison cmp-1: what its gate said at run 2 was changed"),
        "{problems:?}"
    );
    assert!(
        problems.iter().any(|it| it == "comparison cmp-1: what its gate said before run 2 is gone"),
        "{problems:?}"
    );
}

#[test]
fn other_claims_are_another_comparison_whatever_their_rates() {
    let mut desk = desk();
    assert_eq!(keep(&mut desk, "one", "yes", 1), "cmp-1");
    assert_eq!(keep(&mut desk, "other", "yes", 2), "cmp-2");
}

#[test]
fn a_claim_that_was_never_stored_is_undecided() {
    let mut desk = desk();
    keep(&mut desk, "one", "yes", 1);
    // The process was killed before it came to the records.
    assert_eq!(undecided(&desk), (1, vec!["cmp-1/q1#1".to_owned()]));
}

#[test]
fn another_auditor_that_holds_the_record_does_not_take_its_claims_away() {
    let mut desk = desk();
    keep(&mut desk, "one", "yes", 1);
    let sent = sent();
    desk.import(&sent.new.record);
    let lease = desk.store.lease_next_record("watcher", at(2), TTL).unwrap().unwrap();
    desk.store.keep_compared(std::slice::from_ref(&sent), &Policy::default(), at(3)).unwrap();
    assert_eq!(desk.open_ids("ana"), ["cmp-1/q1#1"]);
    assert_eq!(undecided(&desk), (1, vec!["cmp-1/q1#1".to_owned()]));
    let late = desk.store.finish_run(&lease, "watcher", &run(Vec::new()), &Policy::default(), at(2), at(4));
    assert!(late.unwrap().is_err(), "what it says comes too late");
    // Again, nothing is done twice.
    desk.store.keep_compared(std::slice::from_ref(&sent), &Policy::default(), at(5)).unwrap();
    let key = desk.open_rows("ana")[0].key;
    desk.store.decide(key, &Request::Confirm, Basis::default(), &actor("ana"), at(6)).unwrap();
    assert_eq!(undecided(&desk), (1, Vec::new()));
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn a_judge_that_finds_the_claim_right_later_decides_nothing() {
    let mut desk = desk();
    keep(&mut desk, "one", "yes", 1);
    let sent = sent();
    desk.store.keep_compared(std::slice::from_ref(&sent), &Policy::default(), at(2)).unwrap();
    desk.store.requeue_records(juror::store::RequeueFilter::One(&sent.new.record.audit_id)).unwrap();
    let lease = desk.store.lease_next_record("watcher", at(3), Duration::from_mins(1)).unwrap().unwrap();
    let right = crate::fixture::claim("8 g", juror::domain::verdict::Verdict::FullySupported, None, 0.99);
    let never = Policy { low_support: 0, spot_check: 0.0, spot_check_new: 0.0, ..Policy::default() };
    let result = RunResult { no_claims: Vec::new(), ..run(vec![right]) };
    desk.store.finish_run(&lease, "watcher", &result, &never, at(3), at(4)).unwrap().unwrap();
    assert_eq!(desk.open_ids("ana"), Vec::<String>::new());
    assert_eq!(undecided(&desk), (1, vec!["cmp-1/q1#2".to_owned()]));
}

#[test]
fn nothing_of_a_comparison_changed_until_its_gate_its_claims_or_somebody_spoke() {
    let mut desk = desk();
    keep(&mut desk, "one", "yes", 1);
    let sent = sent();
    desk.store.keep_compared(std::slice::from_ref(&sent), &Policy::default(), at(2)).unwrap();
    let before = desk.store.standing_of_comparison("cmp-1").unwrap();
    // What others do is nothing to it: other records, and another comparison with a longer name.
    desk.import(&record("rx-1"));
    desk.import(&record("cmp-10/q1"));
    assert_eq!(desk.store.standing_of_comparison("cmp-1").unwrap(), before);
    keep(&mut desk, "one", "no", 3);
    let gated = desk.store.standing_of_comparison("cmp-1").unwrap();
    assert_ne!(gated.gates, before.gates);
    let key = desk.open_rows("ana")[0].key;
    desk.store.decide(key, &Request::Confirm, Basis::default(), &actor("ana"), at(4)).unwrap();
    assert_ne!(desk.store.standing_of_comparison("cmp-1").unwrap(), gated);
    assert!(desk.store.standing_of_comparison("cmp-7").is_err());
}

#[test]
fn a_name_that_is_taken_is_an_error() {
    let mut desk = desk();
    keep(&mut desk, "one", "yes", 1);
    desk.import(&record("cmp-1/q1"));
    let refused = desk.store.keep_compared(&[sent()], &Policy::default(), at(2)).unwrap_err().to_string();
    assert!(refused.contains("`cmp-1/q1` is another record, which came from batch.jsonl:1"), "{refused}");
}
