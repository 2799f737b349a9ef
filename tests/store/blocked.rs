//! What is undecided in a blocked answer waits for nobody; and what in a dispute is worst counts.

use juror::domain::decision::{Basis, Disposition, HumanVerdict, Request, Ruling};
use juror::domain::filter::Filter;
use juror::domain::ids::{Annotator, ClaimKey};
use juror::domain::queue::Side;
use juror::domain::verdict::{Severity, Verdict};
use juror::domain::word::Known;
use juror::store::{PageAt, RequeueFilter};

use crate::fixture::{Desk, START, actor, at, claim, contradicted, desk, record};

/// Two answers, each with a CRITICAL and a MEDIUM claim.
fn two() -> (Desk, Vec<ClaimKey>) {
    let mut desk = desk();
    let mut keys = Vec::new();
    for id in ["rx-1", "rx-2"] {
        let findings = vec![
            claim(&format!("grave {id}"), Verdict::Contradicted, Some(Severity::Critical), 0.9),
            claim(&format!("mild {id}"), Verdict::Unsupported, Some(Severity::Medium), 0.9),
        ];
        keys.extend(desk.audited(&record(id), findings));
    }
    (desk, keys)
}

fn give(desk: &mut Desk, id: &str, disposition: Disposition, seconds: u64) {
    let key = desk.store.record_key(&record(id).audit_id).unwrap();
    let asked =
        if disposition == Disposition::Release { desk.release(key) } else { desk.instead(key, disposition) };
    desk.store.dispose(key, asked, Basis::default(), &actor("ana"), at(seconds)).unwrap();
    is_sound(desk);
}

fn is_sound(desk: &Desk) {
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

fn found(desk: &Desk, query: &str) -> Vec<String> {
    let filter: Filter = query.parse().unwrap();
    let rows = desk.store.found_page(&filter, &Annotator::new("ana"), PageAt::Top, 100, at(50)).unwrap();
    assert_eq!(desk.store.found_count(&filter, at(50)).unwrap(), rows.len() as u64, "{query}");
    rows.into_iter().map(|row| row.id.to_string()).collect()
}

/// Open, CRITICAL, in blocked answers.
fn counts(desk: &Desk) -> (u64, u64, u64) {
    let counts = desk.store.queue_counts(&Annotator::new("ana"), at(50)).unwrap();
    (counts.open, counts.open_critical, counts.set_aside)
}

#[test]
fn what_is_blocked_is_out_of_queue_counts_and_news_until_the_block_is_taken_back() {
    let (mut desk, keys) = two();
    assert_eq!(counts(&desk), (4, 2, 0));
    give(&mut desk, "rx-1", Disposition::Block, 1);
    assert_eq!(counts(&desk), (2, 1, 2));
    assert_eq!(desk.open_ids("ana"), ["rx-2#1", "rx-2#2"]);
    assert_eq!(found(&desk, "severity:critical"), ["rx-2#1"]);
    assert_eq!(found(&desk, "is:blocked"), ["rx-1#1", "rx-1#2"]);
    assert_eq!(found(&desk, "is:blocked severity:critical"), ["rx-1#1"]);
    assert_eq!(found(&desk, "answer:blocked"), ["rx-1#1", "rx-1#2"]);
    assert_eq!(found(&desk, "is:any"), ["rx-2#1", "rx-2#2", "rx-1#1", "rx-1#2"]);
    assert_eq!(desk.store.newest_critical().unwrap(), Some(keys[2]));
    let none = ClaimKey(0);
    assert_eq!(desk.store.arrived_beside(Side::Above, keys[3], (none, none)).unwrap().0, 1);
    assert_eq!(desk.store.arrived(Some(none), 9).unwrap().critical, 1);
    assert_eq!(desk.store.open_before(keys[0]).unwrap(), None);
    assert_eq!(desk.store.dashboard(at(50)).unwrap().backlog.all_open(), 2);
    let threads = desk.store.threads_page(&Annotator::new("ana"), PageAt::Top, 9, at(50)).unwrap();
    assert_eq!(threads.iter().map(|thread| thread.head.key).collect::<Vec<_>>(), [keys[2]]);
    assert!(
        desk.store
            .found_page(&Filter::everywhere(), &Annotator::new("ana"), PageAt::After(keys[0]), 9, at(50))
            .unwrap()
            .iter()
            .all(|row| row.blocked && row.key == keys[1])
    );

    desk.store.undo(&actor("ana"), at(2)).unwrap().unwrap();
    is_sound(&desk);
    assert_eq!(counts(&desk), (4, 2, 0));
    assert_eq!(desk.open_ids("ana").len(), 4);
    desk.store.redo(&actor("ana"), at(3)).unwrap().unwrap();
    is_sound(&desk);
    assert_eq!(counts(&desk), (2, 1, 2));
}

#[test]
fn a_decision_another_disposition_or_another_audit_changes_what_is_set_aside() {
    let (mut desk, keys) = two();
    give(&mut desk, "rx-1", Disposition::Block, 1);
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &actor("ana"), at(2)).unwrap();
    is_sound(&desk);
    assert_eq!((counts(&desk), found(&desk, "is:blocked")), ((2, 1, 1), vec!["rx-1#2".to_owned()]));
    // Nothing but a block stands over what is undecided.
    let key = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    let early = desk.instead(key, Disposition::Return);
    let why = desk.store.dispose(key, early, Basis::default(), &actor("ana"), at(3)).unwrap_err();
    assert!(why.to_string().starts_with("1 claim of rx-1 still open"), "{why}");
    desk.store.decide(keys[1], &Request::Confirm, Basis::default(), &actor("ana"), at(4)).unwrap();
    assert_eq!(counts(&desk), (2, 1, 0));
    assert_eq!(desk.store.answers_to_dispose().unwrap(), 0, "it has its block");
    give(&mut desk, "rx-1", Disposition::Return, 5);
    desk.store.undo(&actor("ana"), at(6)).unwrap().unwrap();
    desk.store.undo(&actor("ana"), at(7)).unwrap().unwrap();
    is_sound(&desk);
    assert_eq!(counts(&desk), (2, 1, 1), "blocked again, and one decision less");
    // Audited anew it is another matter: nobody blocked that.
    desk.store.requeue_records(RequeueFilter::One(&record("rx-1").audit_id)).unwrap();
    desk.audit(vec![contradicted("c")], START);
    is_sound(&desk);
    assert_eq!(counts(&desk).2, 0);
    assert_eq!(desk.open_ids("ana").iter().filter(|id| id.starts_with("rx-1#")).count(), 1);
}

#[test]
fn a_verdict_in_a_blocked_answer_is_corrected_and_the_block_stands() {
    let (mut desk, keys) = two();
    let (ana, ben) = (actor("ana"), actor("ben"));
    for key in &keys[..2] {
        desk.store.decide(*key, &Request::Confirm, Basis::default(), &ana, at(1)).unwrap();
    }
    give(&mut desk, "rx-1", Disposition::Block, 2);
    let rule = |verdict| Request::Override(Ruling::only(verdict));
    desk.store.decide(keys[0], &rule(HumanVerdict::Unsupported), Basis::default(), &ana, at(3)).unwrap();
    let knowing = Basis { against: Known::All, ..Basis::default() };
    desk.store.decide(keys[0], &rule(HumanVerdict::Contradicted), knowing, &ben, at(4)).unwrap();
    is_sound(&desk);
    let record_key = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    assert_eq!(desk.store.disposition(record_key).unwrap().unwrap().disposition, Disposition::Block);
    assert_eq!(counts(&desk), (2, 1, 1), "in dispute, but it waits for nobody");
    assert_eq!(found(&desk, "is:blocked is:disputed"), ["rx-1#1"]);
    // A release rests on what people ruled: it has to go first.
    for key in &keys[2..] {
        desk.store.decide(*key, &Request::Confirm, Basis::default(), &ana, at(5)).unwrap();
    }
    give(&mut desk, "rx-2", Disposition::Release, 6);
    for (who, says) in [(&ana, "rx-2 has your RELEASE"), (&ben, "rx-2 has the RELEASE of ana")] {
        let why =
            desk.store.decide(keys[2], &rule(HumanVerdict::Unsupported), knowing, who, at(7)).unwrap_err();
        assert!(why.to_string().starts_with(says), "{why}");
    }
}

#[test]
fn a_dispute_counts_and_stands_by_the_worst_that_anybody_says_until_it_is_settled() {
    let mut desk = desk();
    let findings = vec![
        claim("fine", Verdict::FullySupported, None, 0.2),
        claim("mild", Verdict::Unsupported, Some(Severity::Medium), 0.9),
    ];
    let keys = desk.audited(&record("rx-1"), findings);
    let (ana, ben) = (actor("ana"), actor("ben"));
    assert_eq!((desk.open_ids("zoe"), counts(&desk)), (vec!["rx-1#2".into(), "rx-1#1".into()], (2, 0, 0)));
    let grave = Ruling { severity: Some(Severity::Critical), ..Ruling::only(HumanVerdict::Contradicted) };
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &ana, at(1)).unwrap();
    let knowing = Basis { against: Known::All, ..Basis::default() };
    desk.store.decide(keys[0], &Request::Override(grave), knowing, &ben, at(2)).unwrap();
    is_sound(&desk);
    assert_eq!((desk.open_ids("zoe"), counts(&desk)), (vec!["rx-1#1".into(), "rx-1#2".into()], (2, 1, 0)));
    assert_eq!(desk.store.newest_critical().unwrap(), Some(keys[0]));
    for query in ["severity:critical", "is:disputed", "verdict:contradicted", "verdict:fully_supported"] {
        assert_eq!(found(&desk, query), ["rx-1#1"], "{query}");
    }
    assert_eq!(found(&desk, "judged:contradicted"), Vec::<String>::new());
    assert_eq!(found(&desk, "-is:disputed"), ["rx-1#2"]);
    desk.store.decide(keys[0], &Request::Confirm, knowing, &actor("lead"), at(3)).unwrap();
    is_sound(&desk);
    assert_eq!((counts(&desk), found(&desk, "is:disputed")), ((1, 0, 0), Vec::new()));
    desk.store.undo(&actor("lead"), at(4)).unwrap().unwrap();
    assert_eq!(counts(&desk).1, 1);
    desk.store.undo(&ben, at(5)).unwrap().unwrap();
    is_sound(&desk);
    assert_eq!((counts(&desk), desk.open_ids("zoe")), ((1, 0, 0), vec!["rx-1#2".into()]));
}

#[test]
fn the_reason_of_a_disposition_is_found_by_its_words() {
    let (mut desk, _) = two();
    let key = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    let asked = juror::store::Disposing {
        note: Some("p32 incident night 夜間".to_owned()),
        ..Disposition::Block.into()
    };
    desk.store.dispose(key, asked, Basis::default(), &actor("ana"), at(1)).unwrap();
    for query in ["note:incident", "incident", "note:*", "note:\"incident night\"", "note:夜間", "夜間"] {
        assert_eq!(found(&desk, &format!("{query} is:any")), ["rx-1#1", "rx-1#2"], "{query}");
        assert_eq!(found(&desk, &format!("{query} is:open")), Vec::<String>::new(), "{query}");
    }
}
