//! Records leased to auditors, and what becomes of the runs.

use std::collections::HashSet;
use std::sync::Mutex;

use juror::domain::ids::{Annotator, AuditId};
use juror::domain::record::RiskLevel;
use juror::domain::routing::{Policy, Why};
use juror::domain::verdict::{NoVerdict, Verdict};
use juror::store::{Imported, LeaseLost, RequeueFilter, StoreError};

use crate::fixture::{
    START, TTL, at, claim, contradicted, desk, line_of, record, risky, run, without_verdict,
};

#[test]
fn auditing_goes_by_risk_then_newest() {
    let mut desk = desk();
    for (id, risk) in [
        ("a", None),
        ("b", Some(RiskLevel::Low)),
        ("c", Some(RiskLevel::Critical)),
        ("d", Some(RiskLevel::Medium)),
        ("e", Some(RiskLevel::High)),
    ] {
        desk.import(&juror::domain::record::Record { risk_level: risk, ..record(id) });
    }
    let mut order = Vec::new();
    while let Some(lease) = desk.store.lease_next_record("auditor", START, TTL).unwrap() {
        order.push(lease.record.audit_id.to_string());
    }
    assert_eq!(order, ["c", "e", "d", "a", "b"]);
}

#[test]
fn j65_j68_a_run_is_stored_once_by_who_holds_the_lease() {
    let mut desk = desk();
    desk.import(&record("rx-1"));
    let policy = Policy::default();
    let result = run(vec![contradicted("c")]);
    let lease = desk.store.lease_next_record("one", at(0), TTL).unwrap().unwrap();
    assert_eq!(desk.store.lease_next_record("two", at(1), TTL).unwrap(), None);
    let mut finish =
        |holder: &str, now| desk.store.finish_run(&lease, holder, &result, &policy, at(0), now).unwrap();
    assert_eq!(finish("two", at(1)), Err(LeaseLost), "held by another");
    assert_eq!(finish("one", at(60)), Err(LeaseLost), "ran out");
    assert_eq!(finish("one", at(59)), Ok(()));
    assert_eq!(finish("one", at(59)), Err(LeaseLost), "finished already");
    assert_eq!(desk.open_ids("ana"), ["rx-1#1"]);
}

#[test]
fn a_lease_that_ran_out_goes_to_the_next_and_cannot_be_renewed() {
    let mut desk = desk();
    desk.import(&record("rx-1"));
    let lease = desk.store.lease_next_record("one", at(0), TTL).unwrap().unwrap();
    assert!(desk.store.renew_record(lease.key, "one", at(30), TTL).unwrap());
    assert_eq!(desk.store.lease_next_record("two", at(89), TTL).unwrap(), None, "renewed");
    assert!(
        !desk.store.renew_record(lease.key, "one", at(90), TTL).unwrap(),
        "a suspended computer woke up late"
    );
    assert!(desk.store.lease_next_record("two", at(90), TTL).unwrap().is_some());
    assert!(!desk.store.renew_record(lease.key, "one", at(91), TTL).unwrap());
    assert_eq!(desk.store.release_records("one").unwrap(), 0);
    assert_eq!(desk.store.release_records("two").unwrap(), 1);
    assert!(desk.store.lease_next_record("three", at(91), TTL).unwrap().is_some());
}

#[test]
fn leases_race_without_doubling_or_losing_a_record() {
    const RECORDS: usize = 240;
    let mut desk = desk();
    let lines: Vec<_> = (0..RECORDS).map(|n| line_of(&record(&format!("rx-{n}")))).collect();
    desk.store.import(&lines, START).unwrap();
    let taken = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let (taken, mut store) = (&taken, desk.again());
            scope.spawn(move || {
                let holder = format!("worker {worker}");
                let policy = Policy::default();
                while let Some(lease) = store.lease_next_record(&holder, at(1), TTL).unwrap() {
                    taken.lock().unwrap().push(lease.record.audit_id.clone());
                    let result = run(vec![contradicted("c")]);
                    store.finish_run(&lease, &holder, &result, &policy, at(1), at(2)).unwrap().unwrap();
                }
            });
        }
    });
    let taken = taken.into_inner().unwrap();
    assert_eq!(taken.len(), RECORDS, "none lost, none twice");
    assert_eq!(taken.iter().collect::<HashSet<_>>().len(), RECORDS);
    let counts = desk.store.queue_counts(&Annotator::new("ana"), at(3)).unwrap();
    assert_eq!(
        (counts.audited, counts.waiting, counts.auditing, counts.open),
        (RECORDS as u64, 0, 0, RECORDS as u64)
    );
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn holds_race_without_two_people_on_one_claim() {
    let mut desk = desk();
    let keys = desk.audited(&record("rx-1"), (0..40).map(|n| contradicted(&format!("claim {n}"))).collect());
    let held = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for person in 0..8 {
            let (held, keys, mut store) = (&held, &keys, desk.again());
            scope.spawn(move || {
                let name = Annotator::new(format!("person {person}"));
                for key in keys {
                    match store.hold_claim(*key, &name, at(1), TTL) {
                        Ok(()) => held.lock().unwrap().push(*key),
                        Err(error) => assert!(matches!(error, StoreError::Held { .. }), "{error}"),
                    }
                }
            });
        }
    });
    let mut held = held.into_inner().unwrap();
    held.sort();
    assert_eq!(held, keys, "every claim in exactly one hand");
}

#[test]
fn counts_tell_waiting_from_under_way_and_from_abandoned() {
    let mut desk = desk();
    for id in ["a", "b", "c"] {
        desk.import(&record(id));
    }
    desk.store.lease_next_record("auditor", at(0), TTL).unwrap().unwrap();
    let counts = |desk: &crate::fixture::Desk, now| {
        let counts = desk.store.queue_counts(&Annotator::new("ana"), now).unwrap();
        (counts.waiting, counts.auditing, counts.audited, counts.failed)
    };
    assert_eq!(counts(&desk, at(1)), (2, 1, 0, 0));
    assert_eq!(counts(&desk, at(60)), (3, 0, 0, 0), "an auditor that was killed audits nothing");
    desk.store.release_records("auditor").unwrap();
    desk.audit(vec![contradicted("c")], at(61));
    desk.audit(vec![without_verdict(NoVerdict::Failed)], at(61));
    assert_eq!(counts(&desk, at(62)), (1, 0, 1, 1));
    assert_eq!(desk.store.requeue_records(RequeueFilter::All).unwrap(), 2);
    assert_eq!(counts(&desk, at(62)), (3, 0, 0, 0));
}

#[test]
fn only_what_may_have_a_verdict_next_time_is_failed() {
    let mut desk = desk();
    let by = |judge: &str, findings| {
        let mut result = run(findings);
        judge.clone_into(&mut result.identity.judge);
        result
    };
    let audits = [
        ("judged", by("cloud", vec![contradicted("c")])),
        ("failed", by("local", vec![without_verdict(NoVerdict::Failed)])),
        ("refused", by("cloud", vec![contradicted("c"), without_verdict(NoVerdict::Refused)])),
        ("cut", by("cloud", vec![without_verdict(NoVerdict::Incomplete)])),
        ("never", by("local", vec![without_verdict(NoVerdict::NotChecked)])),
    ];
    for (id, result) in audits {
        desk.import(&record(id));
        let lease = desk.store.lease_next_record("me", START, TTL).unwrap().unwrap();
        desk.store.finish_run(&lease, "me", &result, &Policy::default(), START, START).unwrap().unwrap();
    }
    desk.import(&record("waits"));
    assert_eq!(desk.store.requeue_records(RequeueFilter::Failed).unwrap(), 3);
    let again = std::iter::from_fn(|| desk.store.lease_next_record("me", START, TTL).unwrap());
    let mut again: Vec<_> = again.map(|lease| lease.record.audit_id.to_string()).collect();
    again.sort();
    assert_eq!(again, ["cut", "failed", "refused", "waits"]);
    assert_eq!(desk.store.requeue_records(RequeueFilter::Failed).unwrap(), 0, "they wait already");
}

#[test]
fn what_was_given_back_and_not_taken_again_cannot_be_finished() {
    let mut desk = desk();
    let lines: Vec<_> = (0..3).map(|n| line_of(&record(&format!("rx-{n}")))).collect();
    desk.store.import(&lines, START).unwrap();
    let lease =
        |desk: &mut crate::fixture::Desk| desk.store.lease_next_record("me", START, TTL).unwrap().unwrap();
    let leases = [lease(&mut desk), lease(&mut desk), lease(&mut desk)];
    let other = desk.store.release_records("me").unwrap();
    assert_eq!(other, 3);
    let again = [lease(&mut desk), lease(&mut desk)];
    assert_eq!(again[0].key, leases[0].key);
    let result = run(vec![contradicted("c")]);
    let stored = leases
        .map(|lease| desk.store.finish_run(&lease, "me", &result, &Policy::default(), START, at(1)).unwrap());
    assert_eq!(stored, [Ok(()), Ok(()), Err(LeaseLost)]);
}

#[test]
fn a_new_judge_is_spot_checked_more_and_the_lots_do_not_change() {
    let mut desk = desk();
    let sure: Vec<_> =
        (0..400).map(|n| claim(&format!("c{n}"), Verdict::FullySupported, None, 0.99)).collect();
    let high_support = |mut findings: Vec<juror::domain::finding::Finding>| {
        for finding in &mut findings {
            if let juror::domain::finding::Outcome::Judged(judged) = &mut finding.outcome {
                judged.support = juror::domain::verdict::Score::new(5);
            }
        }
        findings
    };
    let mut routed = Vec::new();
    for n in 0..5 {
        desk.import(&record(&format!("rx-{n}")));
        desk.audit(high_support(sure.clone()), at(n));
        let open = desk.store.queue_counts(&Annotator::new("ana"), at(9)).unwrap().open;
        routed.push(open - routed.iter().sum::<u64>());
    }
    for (n, share) in routed.iter().enumerate() {
        let expected = if n < 3 { 40..=130 } else { 4..=50 };
        assert!(expected.contains(share), "run {n}: {share} of 400");
    }
    let first = desk.open_rows("ana")[0].key;
    assert_eq!(desk.detail(first, "ana").why, [Why::SpotCheck { share: 0.20 }]);
}

#[test]
fn exports_read_current_runs_and_stop_when_the_reader_fails() {
    let mut desk = desk();
    desk.audited(&record("rx-1"), vec![contradicted("c")]);
    desk.store.requeue_records(RequeueFilter::One(&AuditId::new("rx-1"))).unwrap();
    desk.audit(vec![contradicted("d")], at(1));
    assert_eq!(desk.import(&risky("rx-2", RiskLevel::High)), Imported::New);
    desk.audit(vec![contradicted("e")], at(2));
    let mut ids = Vec::new();
    desk.store
        .for_each_claim::<StoreError>(|claim| {
            ids.push(claim.unwrap().id.to_string());
            Ok(())
        })
        .unwrap();
    assert_eq!(ids, ["rx-1#2", "rx-2#1"]);
    let mut n = 0;
    let stopped = desk.store.for_each_claim::<StoreError>(|_| {
        n += 1;
        Err(StoreError::Refused("the pipe is closed".into()))
    });
    assert_eq!((n, stopped.unwrap_err().to_string().as_str()), (1, "the pipe is closed"));
}

#[test]
fn a_lease_says_how_many_auditors_died_on_the_record() {
    let mut desk = desk();
    desk.import(&record("rx-1"));
    let lost = |desk: &mut crate::fixture::Desk, now| {
        desk.store.lease_next_record("auditor", now, TTL).unwrap().unwrap().lost
    };
    assert_eq!(lost(&mut desk, at(0)), 0);
    desk.store.release_records("auditor").unwrap();
    assert_eq!(lost(&mut desk, at(1)), 0, "giving back is no death");
    assert_eq!(lost(&mut desk, at(100)), 1);
    assert!(desk.store.lease_next_record("auditor", at(200), TTL).unwrap().is_none(), "a suspect");
    let suspect = desk.store.lease_next_suspect("auditor", at(200), TTL).unwrap().unwrap();
    assert_eq!((suspect.lost, suspect.is_suspect()), (2, true));
    desk.store.release_records("auditor").unwrap();
    desk.audit(vec![contradicted("c")], at(201));
    desk.store.requeue_records(RequeueFilter::All).unwrap();
    assert_eq!(lost(&mut desk, at(202)), 0, "asked for anew");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "measures a wait")]
fn auditing_everything_again_leaves_room_for_decisions() {
    let mut desk = desk();
    let keys = desk.audited(&record("rx-0"), (0..20).map(|n| contradicted(&format!("c{n}"))).collect());
    let lines: Vec<_> = (1..4000).map(|n| line_of(&record(&format!("rx-{n}")))).collect();
    desk.store.import(&lines, START).unwrap();
    let connection = desk.sql();
    // As if they were audited; the run is another record's, which is all the same here.
    connection.execute_batch("UPDATE work SET state = 'done', run_id = 1 WHERE state = 'waiting'").unwrap();
    let mut other = desk.again();
    let (mut waits, changed) = std::thread::scope(|scope| {
        let again = scope.spawn(move || other.requeue_records(RequeueFilter::All).unwrap());
        let mut waits = Vec::new();
        for key in &keys {
            let began = std::time::Instant::now();
            let request = juror::domain::decision::Request::Flag(true);
            let basis = juror::domain::decision::Basis::default();
            desk.store.decide(*key, &request, basis, &crate::fixture::actor("ana"), at(1)).unwrap();
            waits.push(began.elapsed());
        }
        (waits, again.join().unwrap())
    });
    assert_eq!(changed, 4000);
    waits.sort();
    // A computer that is busy with other tests may hold up one or two.
    assert!(waits[17] < std::time::Duration::from_millis(200), "{waits:?}");
}
