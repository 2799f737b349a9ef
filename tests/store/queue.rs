//! Order, pages, counts, news.

use juror::domain::decision::{Basis, HumanVerdict, Request, Ruling};
use juror::domain::ids::{Annotator, ClaimKey};
use juror::domain::queue::{QueueRow, Side};
use juror::domain::record::RiskLevel;
use juror::domain::verdict::{NoVerdict, Severity, Verdict};
use juror::store::{PageAt, StoreError};

use crate::fixture::{
    Desk, actor, at, claim, contradicted, desk, record, risky, ungrounded, without_verdict,
};

fn ids(rows: &[QueueRow]) -> Vec<String> {
    rows.iter().map(|row| row.id.to_string()).collect()
}

fn page(desk: &Desk, who: &str, at_: PageAt, limit: usize) -> Vec<QueueRow> {
    desk.store.queue_page(&Annotator::new(who), at_, limit, at(1)).unwrap()
}

#[test]
fn order_is_severity_verdict_doubt_then_oldest() {
    let mut desk = desk();
    desk.audited(
        &record("a"),
        vec![
            claim("low doubt", Verdict::Contradicted, Some(Severity::High), 0.9),
            claim("high doubt", Verdict::Contradicted, Some(Severity::High), 0.4),
            claim("unsupported", Verdict::Unsupported, Some(Severity::High), 0.2),
            contradicted("critical"),
            ungrounded("ungrounded"),
        ],
    );
    desk.audited(&risky("b", RiskLevel::Critical), vec![without_verdict(NoVerdict::NotChecked)]);
    desk.import(&record("c"));
    desk.audit(vec![contradicted("critical, later")], at(5));
    assert_eq!(desk.open_ids("ana"), ["a#4", "c#1", "b#1", "a#2", "a#1", "a#3", "a#5"]);
    let rows = desk.open_rows("ana");
    assert_eq!(rows[2].severity, Some(Severity::Critical), "stands in from the record's risk");
    assert_eq!((rows[2].verdict, rows[2].confidence), (None, None));
    assert_eq!(rows[6].severity, Some(Severity::Medium), "unknown risk counts as MEDIUM");
}

/// 60 open claims in 12 records of mixed rank, every fourth skipped by ana.
fn mixed() -> (Desk, Vec<ClaimKey>) {
    let mut desk = desk();
    let mut keys = Vec::new();
    for n in 0..12_u32 {
        let findings = (0..5_u32)
            .map(|k| {
                let severity = Severity::ALL[(n * 7 + k * 3) as usize % 4];
                let verdict = if (n + k) % 2 == 0 { Verdict::Contradicted } else { Verdict::Unsupported };
                claim(&format!("claim {n} {k}"), verdict, Some(severity), f64::from((n + k) % 5) / 5.0)
            })
            .collect();
        desk.import(&record(&format!("rx-{n}")));
        keys.extend(desk.audit(findings, at(u64::from(n / 3))));
    }
    for key in keys.iter().step_by(4) {
        desk.store.decide(*key, &Request::Skip(true), Basis::default(), &actor("ana"), at(20)).unwrap();
    }
    (desk, keys)
}

#[test]
fn keyset_pages_show_every_open_claim_once_in_order_both_ways() {
    let (desk, keys) = mixed();
    for who in ["ana", "bo"] {
        let whole = ids(&page(&desk, who, PageAt::Top, 1000));
        assert_eq!(whole.len(), keys.len());
        for size in [1, 7, 59, 60] {
            let mut down = page(&desk, who, PageAt::Top, size);
            while let Some(last) = down.last().map(|row| row.key) {
                let more = page(&desk, who, PageAt::After(last), size);
                if more.is_empty() {
                    break;
                }
                down.extend(more);
            }
            assert_eq!(ids(&down), whole, "{who}, {size} a page");
            let mut up = page(&desk, who, PageAt::Bottom, size);
            assert_eq!(ids(&up), whole[whole.len() - up.len()..], "{who}, the last {size}");
            assert_eq!(up.len(), size.min(whole.len()));
            loop {
                let mut more = page(&desk, who, PageAt::Before(up[0].key), size);
                if more.is_empty() {
                    break;
                }
                more.append(&mut up);
                up = more;
            }
            assert_eq!(ids(&up), whole, "{who} upwards, {size} a page");
        }
    }
}

#[test]
fn skipped_claims_come_last_for_who_skipped_them_only() {
    let (mut desk, keys) = mixed();
    let ana = page(&desk, "ana", PageAt::Top, 1000);
    let skipped = ana.iter().skip_while(|row| !row.skipped).count();
    assert_eq!(skipped, keys.len() / 4, "all skipped ones at the end");
    assert!(page(&desk, "bo", PageAt::Top, 1000).iter().all(|row| !row.skipped));
    desk.store.decide(keys[0], &Request::Skip(false), Basis::default(), &actor("ana"), at(30)).unwrap();
    let rows = page(&desk, "ana", PageAt::From(keys[0]), 1);
    assert!(rows[0].key == keys[0] && !rows[0].skipped, "it is back");
}

/// The program is ended and started again; what somebody put off is as they left it, for them alone.
#[test]
fn r19_who_comes_back_after_a_break_finds_every_claim_once_and_what_they_put_off_in_its_place() {
    let (mut desk, keys) = mixed();
    desk.store
        .decide(keys[1], &Request::Defer { until: at(600) }, Basis::default(), &actor("ana"), at(3))
        .unwrap();
    desk.store.decide(keys[2], &Request::Confirm, Basis::default(), &actor("ana"), at(4)).unwrap();
    let (ana, bo) = (page(&desk, "ana", PageAt::Top, 1000), page(&desk, "bo", PageAt::Top, 1000));
    desk.store = desk.again();
    let back = page(&desk, "ana", PageAt::Top, 1000);
    assert_eq!(ids(&back), ids(&ana), "in the same order");
    assert_eq!(ids(&page(&desk, "bo", PageAt::Top, 1000)), ids(&bo));
    let mut once = ids(&back);
    once.sort();
    once.dedup();
    assert_eq!(once.len(), keys.len() - 2, "none twice; the deferred and the decided one are not among them");
    assert_eq!(back.iter().skip_while(|row| !row.skipped).count(), keys.len() / 4, "skipped ones still last");
    // When its time comes the deferred one is back, without anybody doing anything.
    let later = desk.store.queue_page(&Annotator::new("ana"), PageAt::Top, 1000, at(601)).unwrap();
    assert!(later.iter().any(|row| row.key == keys[1]) && !back.iter().any(|row| row.key == keys[1]));
    assert!(!later.iter().any(|row| row.key == keys[2]), "what is decided never comes back");
}

#[test]
fn the_row_under_the_cursor_stays_even_when_it_is_decided() {
    let (mut desk, _) = mixed();
    let rows = page(&desk, "bo", PageAt::Top, 4);
    let cursor = rows[1].key;
    desk.store.decide(cursor, &Request::Confirm, Basis::default(), &actor("bo"), at(2)).unwrap();
    let from = page(&desk, "bo", PageAt::From(cursor), 3);
    assert_eq!(ids(&from), ids(&rows[1..4]));
    assert!(from[0].decided.is_some() && from[1].decided.is_none());
    assert_eq!(ids(&page(&desk, "bo", PageAt::Top, 2)), [rows[0].id.to_string(), rows[2].id.to_string()]);
    assert_eq!(ids(&page(&desk, "bo", PageAt::After(cursor), 1)), [rows[2].id.to_string()]);
}

#[test]
fn what_was_never_routed_has_no_place_in_the_queue() {
    let mut desk = desk();
    let fine = claim("fine", Verdict::FullySupported, None, 1.0);
    let mut findings = vec![contradicted("c")];
    for _ in 0..40 {
        findings.push(fine.clone());
    }
    for finding in &mut findings {
        if let juror::domain::finding::Outcome::Judged(judged) = &mut finding.outcome {
            judged.support = juror::domain::verdict::Score::new(5);
        }
    }
    let keys = desk.audited(&record("rx-1"), findings);
    let routed: Vec<ClaimKey> = desk.open_rows("ana").iter().map(|row| row.key).collect();
    let unrouted = *keys.iter().find(|key| !routed.contains(key)).expect("most are not spot-checked");
    let error = desk.store.queue_page(&Annotator::new("ana"), PageAt::After(unrouted), 5, at(1)).unwrap_err();
    assert!(matches!(error, StoreError::Refused(_)), "{error}");
    // It can be decided all the same.
    let wrong = Request::Override(Ruling::only(HumanVerdict::Contradicted));
    desk.store.decide(unrouted, &wrong, Basis::default(), &actor("ana"), at(1)).unwrap();
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn counts_follow_every_decision() {
    let (mut desk, _) = mixed();
    let counts = |desk: &Desk| desk.store.queue_counts(&Annotator::new("ana"), at(40)).unwrap();
    let before = counts(&desk);
    assert_eq!((before.routed, before.open), (60, 60));
    let critical = page(&desk, "bo", PageAt::Top, 1)[0].clone();
    assert_eq!(critical.severity, Some(Severity::Critical));
    desk.store.decide(critical.key, &Request::Confirm, Basis::default(), &actor("ana"), at(40)).unwrap();
    let after = counts(&desk);
    assert_eq!((after.routed, after.open, after.decided_by_me), (60, 59, 1));
    assert_eq!((after.open_critical, after.open_high), (before.open_critical - 1, before.open_high));
    desk.store.undo(&actor("ana"), at(41)).unwrap().unwrap();
    assert_eq!(counts(&desk), before);
}

#[test]
fn r28_an_untouched_queue_is_not_all_done() {
    let desk = desk();
    let counts = desk.store.queue_counts(&Annotator::new("ana"), at(0)).unwrap();
    assert_eq!(counts, juror::domain::queue::QueueCounts::default());
    assert_eq!(desk.open_rows("ana"), []);
}

#[test]
fn news_above_the_cursor_is_counted_by_severity() {
    let mut desk = desk();
    let keys =
        desk.audited(&record("a"), vec![claim("cursor", Verdict::Contradicted, Some(Severity::Medium), 0.9)]);
    desk.import(&record("b"));
    let new = desk.audit(
        vec![
            contradicted("one"),
            contradicted("two"),
            claim("three", Verdict::Unsupported, Some(Severity::High), 0.9),
            claim("below", Verdict::Unsupported, Some(Severity::Low), 0.9),
        ],
        at(10),
    );
    let all = (keys[0], keys[0]);
    assert_eq!(desk.store.arrived_beside(Side::Above, keys[0], all).unwrap(), (2, 1));
    let three = (new[1], keys[0]);
    assert_eq!(
        desk.store.arrived_beside(Side::Above, keys[0], three).unwrap(),
        (0, 1),
        "each severity by itself"
    );
    assert_eq!(
        desk.store.arrived_beside(Side::Above, keys[0], (new[3], new[3])).unwrap(),
        (0, 0),
        "not new any more"
    );
    assert_eq!(
        desk.store.arrived_beside(Side::Above, new[0], all).unwrap(),
        (0, 0),
        "none stands above the first"
    );
    assert_eq!(desk.store.arrived_beside(Side::Below, keys[0], all).unwrap(), (0, 0), "all stand above");
    let of_first = desk.store.arrived_beside(Side::Below, new[0], all).unwrap();
    assert_eq!(of_first, (1, 1), "the claim itself is on no side");
    desk.import(&record("c"));
    let late = desk.audit(vec![contradicted("of an auditor whose clock is behind")], at(9));
    assert_eq!(desk.store.arrived_beside(Side::Above, keys[0], (new[3], new[3])).unwrap(), (1, 0));
    assert_eq!(desk.store.arrived(Some(new[3]), 9).unwrap().last, late[0]);
}

#[test]
fn what_arrived_since_the_last_look_is_told_by_ids() {
    let mut desk = desk();
    assert_eq!(desk.store.arrived(None, 9).unwrap().last, ClaimKey(0));
    let old = desk.audited(&record("a"), vec![contradicted("old")]);
    let before = desk.store.arrived(None, 9).unwrap();
    assert_eq!((before.last, before.critical), (old[0], 0), "what was there did not arrive");
    let high = |text: &str| claim(text, Verdict::Unsupported, Some(Severity::High), 0.9);
    let new = desk.audited(&record("b"), vec![high("h"), contradicted("c"), contradicted("d"), high("i")]);
    let arrived = desk.store.arrived(Some(before.last), 3).unwrap();
    assert_eq!((arrived.last, arrived.critical, arrived.high), (new[3], 2, 2));
    let first: Vec<String> = arrived.first.iter().map(|(id, severity)| format!("{id} {severity}")).collect();
    assert_eq!(first, ["b#2 CRITICAL", "b#3 CRITICAL", "b#1 HIGH"]);
    let again = desk.store.arrived(Some(arrived.last), 3).unwrap();
    assert_eq!((again.last, again.critical, again.first.len()), (new[3], 0, 0), "told once");
}

#[test]
fn the_newest_critical_is_the_highest_of_those_that_came_last() {
    let mut desk = desk();
    assert_eq!(desk.store.newest_critical().unwrap(), None);
    desk.audited(&record("a"), vec![contradicted("old")]);
    desk.import(&record("b"));
    let doubtful = |confidence| claim("c", Verdict::Contradicted, Some(Severity::Critical), confidence);
    let keys = desk.audit(
        vec![doubtful(0.9), doubtful(0.3), claim("h", Verdict::Contradicted, Some(Severity::High), 0.1)],
        at(5),
    );
    assert_eq!(desk.store.newest_critical().unwrap(), Some(keys[1]));
    desk.store.decide(keys[1], &Request::Confirm, Basis::default(), &actor("ana"), at(6)).unwrap();
    assert_eq!(desk.store.newest_critical().unwrap(), Some(keys[0]));
}

#[test]
fn claims_are_found_by_the_name_people_type() {
    let mut desk = desk();
    let keys = desk.audited(&record("rx#7"), vec![contradicted("a"), contradicted("b")]);
    assert_eq!(desk.store.claim_key(&"rx#7#2".parse().unwrap()).unwrap(), keys[1]);
    for missing in ["rx#7#3", "rx#1"] {
        let error = desk.store.claim_key(&missing.parse().unwrap()).unwrap_err();
        assert_eq!(error.to_string(), format!("no claim `{missing}` in this store"));
    }
    let detail = desk.detail(keys[1], "ana");
    assert_eq!(detail.id.to_string(), "rx#7#2");
    assert_eq!(detail.outcome, contradicted("b").outcome);
    assert_eq!(*detail.record, record("rx#7"));
    assert_eq!(detail.judge, crate::fixture::identity());
}

#[test]
fn what_only_repeats_a_claim_of_the_queue_is_no_news() {
    let mut desk = desk();
    let mut came = |id: &str, words: &str, at| {
        desk.import(&record(id));
        desk.audit(vec![claim(words, Verdict::Contradicted, Some(Severity::Critical), 0.9)], at)[0]
    };
    let first = came("a", "8 g", at(1));
    let other = came("b", "warfarin", at(2));
    let again = came("c", "8 g", at(3));
    assert_eq!(desk.store.newest_critical().unwrap(), Some(other), "the repeat came last");
    let repeated = |desk: &Desk| desk.store.repeated_beside(Side::Below, first, (first, first)).unwrap();
    assert_eq!(repeated(&desk), (1, 0));
    let arrived = desk.store.arrived(Some(first), 9).unwrap();
    let named: Vec<String> = arrived.first.iter().map(|(id, _)| id.to_string()).collect();
    assert_eq!(
        (arrived.last, arrived.critical, named),
        (again, 1, vec!["b#1".to_owned()]),
        "bell and notification"
    );
    assert!(!desk.store.queue_counts(&Annotator::new("ana"), at(5)).unwrap().is_shared);
    for key in [first, other] {
        desk.store.decide(key, &Request::Confirm, Basis::default(), &actor("ana"), at(6)).unwrap();
    }
    assert_eq!(desk.store.newest_critical().unwrap(), Some(again), "where there is nothing else");
    let is_shared = |who| desk.store.queue_counts(&Annotator::new(who), at(7)).unwrap().is_shared;
    assert_eq!((is_shared("ana"), is_shared("ben")), (false, true), "whose name has to be seen");
}
