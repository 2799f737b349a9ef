//! Doing again what was taken back.

use juror::domain::decision::{Basis, Disposition, HumanVerdict, ReasonCode, Request, Ruling};
use juror::domain::event::Act;
use juror::domain::ids::{Annotator, ClaimKey};
use juror::store::{Durability, RequeueFilter, Store, StoreError};

use crate::fixture::{Desk, actor, at, contradicted, desk, record};

fn with_two() -> (Desk, Vec<ClaimKey>) {
    let mut desk = desk();
    let keys = desk.audited(&record("rx-1"), vec![contradicted("c"), contradicted("d")]);
    (desk, keys)
}

fn do_(desk: &mut Desk, key: ClaimKey, request: &Request, who: &str, second: u64) {
    desk.store.decide(key, request, Basis::default(), &actor(who), at(second)).unwrap();
}

fn refusal<T: std::fmt::Debug>(result: Result<T, StoreError>) -> String {
    match result {
        Err(error @ (StoreError::Refused(_) | StoreError::Held { .. })) => error.to_string(),
        other => panic!("not refused: {other:?}"),
    }
}

const FULLY: Request = Request::Override(Ruling::only(HumanVerdict::FullySupported));

#[test]
fn r37_redo_walks_forward_over_restarts_to_where_undo_began() {
    let (mut desk, keys) = with_two();
    let ana = actor("ana");
    let why = Basis { reason: Some(ReasonCode::SpanWrong), ..Basis::default() };
    let acts = [
        (keys[0], Request::Skip(true)),
        (keys[0], Request::Skip(false)),
        (keys[0], Request::Confirm),
        (keys[0], Request::GiveReason(ReasonCode::NumberWrong)),
        (keys[1], Request::Flag(true)),
        (keys[1], Request::Annotate { note: "as typed\n".into() }),
    ];
    for (key, request) in &acts {
        do_(&mut desk, *key, request, "ana", 1);
    }
    desk.store.decide(keys[1], &FULLY, why, &ana, at(1)).unwrap();
    let record = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    desk.store.dispose(record, Disposition::Block, why, &ana, at(1)).unwrap();
    let before = desk.events();
    let shown = |desk: &Desk| {
        let details: Vec<_> = keys.iter().map(|key| desk.detail(*key, "ana")).collect();
        let of = |detail: &juror::domain::queue::ClaimDetail| {
            let ruled = detail.standing.decided.as_ref().map(|d| (d.kind, d.ruling.clone(), d.reason));
            let notes: Vec<_> = detail.notes.iter().map(|note| note.text.clone()).collect();
            let disposed = detail.disposition.as_ref().map(|given| given.disposition);
            (ruled, detail.standing.skipped, detail.standing.flag.is_some(), notes, disposed)
        };
        details.iter().map(of).collect::<Vec<_>>()
    };
    let stood = shown(&desk);
    let mut taken = Vec::new();
    while let Some(undone) = desk.store.undo(&ana, at(2)).unwrap() {
        taken.push(undone.event.seq);
    }
    assert_eq!(taken.len(), before.len());
    for event in &before {
        // Every time as after a restart.
        let mut store = Store::open(&desk.path, Durability::Full).unwrap();
        let told = store.to_redo(&ana.annotator).unwrap().unwrap();
        assert_eq!(told.seq, event.seq, "what was taken back last comes first");
        let again = store.redo(&ana, at(3)).unwrap().unwrap().event;
        assert_eq!(
            (again.act, &again.subject, &again.new, again.reason),
            (event.act, &event.subject, &event.new, event.reason)
        );
        let undo = desk.events().into_iter().find(|e| Some(e.seq) == again.undoes).unwrap();
        assert_eq!(
            (undo.act, undo.undoes),
            (Act::Undo, Some(event.seq)),
            "it names the undo that it answers"
        );
    }
    assert_eq!(desk.store.redo(&ana, at(4)).unwrap(), None, "there is no more");
    assert_eq!(shown(&desk), stood);
    assert_eq!(desk.events().len(), 3 * before.len(), "nothing is deleted");
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn an_undo_takes_back_what_was_done_again_and_so_on() {
    let (mut desk, keys) = with_two();
    let ana = actor("ana");
    do_(&mut desk, keys[0], &Request::Confirm, "ana", 1);
    do_(&mut desk, keys[1], &Request::Confirm, "ana", 1);
    for _ in 0..3 {
        for key in [keys[1], keys[0]] {
            assert_eq!(desk.store.undo(&ana, at(2)).unwrap().unwrap().claim, Some(key));
        }
        assert_eq!(desk.open_ids("ana").len(), 2);
        assert_eq!(desk.store.redo(&ana, at(3)).unwrap().unwrap().claim, Some(keys[0]));
        assert_eq!(desk.store.undo(&ana, at(3)).unwrap().unwrap().claim, Some(keys[0]));
        for key in [keys[0], keys[1]] {
            let redone = desk.store.redo(&ana, at(3)).unwrap().unwrap();
            assert_eq!((redone.claim, redone.standing.is_some()), (Some(key), true));
        }
        assert_eq!(desk.open_ids("ana").len(), 0);
    }
    assert_eq!(desk.store.redo(&ana, at(4)).unwrap(), None);
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn after_something_new_nothing_is_done_again() {
    let (mut desk, keys) = with_two();
    let ana = actor("ana");
    assert_eq!(desk.store.redo(&ana, at(1)).unwrap(), None);
    do_(&mut desk, keys[0], &Request::Confirm, "ana", 1);
    assert_eq!(desk.store.redo(&ana, at(1)).unwrap(), None, "nothing was ever taken back");
    desk.store.undo(&ana, at(2)).unwrap();
    do_(&mut desk, keys[1], &Request::Flag(true), "ana", 3);
    assert_eq!(
        refusal(desk.store.redo(&ana, at(4))),
        "nothing to redo: ana did FLAG on rx-1#2 since the last undo (event 3)"
    );
    assert_eq!(desk.open_ids("ana").len(), 2);
    desk.store.undo(&ana, at(5)).unwrap();
    assert_eq!(desk.store.redo(&ana, at(6)).unwrap().unwrap().event.act, Act::Flag);
    refusal(desk.store.redo(&ana, at(7)));
}

#[test]
fn redo_is_ones_own_and_refused_after_someone_else_s_act() {
    let (mut desk, keys) = with_two();
    let (ana, bo) = (actor("ana"), actor("bo"));
    do_(&mut desk, keys[0], &Request::Confirm, "ana", 1);
    desk.store.undo(&ana, at(2)).unwrap();
    assert_eq!(desk.store.redo(&bo, at(3)).unwrap(), None, "the undo of another person");
    do_(&mut desk, keys[0], &FULLY, "bo", 4);
    let sentence = refusal(desk.store.redo(&ana, at(5)));
    assert!(sentence.starts_with("bo decided rx-1#1 on ") && sentence.contains("decide anew"), "{sentence}");
    desk.store.undo(&bo, at(6)).unwrap();
    desk.store.hold_claim(keys[0], &Annotator::new("bo"), at(7), std::time::Duration::from_secs(9)).unwrap();
    assert!(refusal(desk.store.redo(&ana, at(8))).contains("bo"), "in another person's hands");
    assert!(desk.store.redo(&ana, at(60)).unwrap().is_some());
    do_(&mut desk, keys[1], &Request::Confirm, "ana", 61);
    let record = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    let release = desk.release(record);
    desk.store.dispose(record, release, Basis::default(), &ana, at(62)).unwrap();
    desk.store.undo(&ana, at(63)).unwrap();
    desk.store.dispose(record, Disposition::Block, Basis::default(), &bo, at(64)).unwrap();
    let sentence = refusal(desk.store.redo(&ana, at(65)));
    assert!(sentence.starts_with("bo gave rx-1 BLOCK on "), "{sentence}");
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn a_decision_on_an_earlier_audit_is_not_done_again() {
    let (mut desk, keys) = with_two();
    let ana = actor("ana");
    do_(&mut desk, keys[0], &Request::Confirm, "ana", 1);
    desk.store.undo(&ana, at(2)).unwrap();
    desk.store.requeue_records(RequeueFilter::All).unwrap();
    desk.audit(vec![contradicted("c"), contradicted("d")], at(3));
    assert!(refusal(desk.store.redo(&ana, at(3))).contains("belongs to an earlier audit"));
}

#[test]
fn an_erased_note_is_not_written_again() {
    let (mut desk, keys) = with_two();
    let ana = actor("ana");
    do_(&mut desk, keys[0], &Request::Annotate { note: "a name".into() }, "ana", 1);
    desk.store.undo(&ana, at(2)).unwrap();
    desk.store.erase(1, "names a patient", &actor("lead"), at(2)).unwrap();
    assert_eq!(refusal(desk.store.redo(&ana, at(3))), "the note of event 1 is not there any more");
}

#[test]
fn with_a_subject_only_that_is_done_again() {
    let (mut desk, keys) = with_two();
    let ana = actor("ana");
    do_(&mut desk, keys[0], &Request::Confirm, "ana", 1);
    desk.store.undo(&ana, at(2)).unwrap();
    assert_eq!(
        refusal(desk.store.do_again(Some("rx-1#2"), &ana, at(3))),
        "ana took back CONFIRM on rx-1#1 last: do that again first"
    );
    assert!(desk.store.do_again(Some("rx-1#1"), &ana, at(3)).unwrap().is_some());
}

#[test]
fn a_batch_is_done_again_whatever_was_taken_back_before_it() {
    let (mut desk, keys) = with_two();
    let ana = actor("ana");
    do_(&mut desk, keys[0], &Request::Confirm, "ana", 1);
    desk.store.undo(&ana, at(2)).unwrap();
    let all: Vec<_> = keys.iter().map(|key| (*key, Request::Confirm)).collect();
    desk.store.decide_many(&all, None, &ana, at(3)).unwrap();
    desk.store.undo(&ana, at(4)).unwrap();
    let redone = desk.store.redo(&ana, at(5)).unwrap().unwrap();
    assert_eq!(redone.others, 1);
    assert!(keys.iter().all(|key| desk.detail(*key, "ana").standing.decided.is_some()));
    assert!(refusal(desk.store.redo(&ana, at(6))).starts_with("nothing to redo"));
}

#[test]
fn an_undo_or_a_redo_of_a_named_act_does_nothing_else() {
    let (mut desk, keys) = with_two();
    let ana = actor("ana");
    do_(&mut desk, keys[0], &Request::Confirm, "ana", 1);
    // In another window ana does something more.
    do_(&mut desk, keys[1], &Request::Flag(true), "ana", 2);
    let why = refusal(desk.store.undo_of(1, &ana, at(3)));
    assert_eq!(why, "ana did FLAG on rx-1#2 since (event 2)");
    assert_eq!(desk.events().len(), 2);
    desk.store.undo_of(2, &ana, at(4)).unwrap();
    let why = refusal(desk.store.undo_of(2, &ana, at(5)));
    assert!(why.contains("does not stand any more"), "{why}");
    assert!(refusal(desk.store.undo_of(1, &actor("bo"), at(5))).contains("does not stand any more"));
    desk.store.undo_of(1, &ana, at(6)).unwrap();
    let why = refusal(desk.store.redo_of(2, &ana, at(7)));
    assert_eq!(why, "ana took back CONFIRM on rx-1#1 since");
    let redone = desk.store.redo_of(1, &ana, at(8)).unwrap();
    assert_eq!((redone.event.act, redone.next), (Act::Confirm, Some(2)));
    let redone = desk.store.redo_of(2, &ana, at(9)).unwrap();
    assert_eq!((redone.event.act, redone.next), (Act::Flag, None));
    assert!(refusal(desk.store.redo_of(2, &ana, at(10))).starts_with("nothing to redo"));
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn any_act_of_a_batch_names_all_of_it() {
    let (mut desk, keys) = with_two();
    let ana = actor("ana");
    let both = [(keys[0], Request::Confirm), (keys[1], Request::Confirm)];
    for event in [1, 2] {
        let done = desk.store.decide_many(&both, None, &ana, at(1)).unwrap();
        let first = done.events[0].seq;
        let undone = desk.store.undo_of(first + event - 1, &ana, at(2)).unwrap();
        assert_eq!(undone.others, 1);
        assert_eq!(desk.store.redo_of(first + event - 1, &ana, at(3)).unwrap().others, 1);
        desk.store.undo(&ana, at(4)).unwrap();
    }
}

#[test]
fn a_release_is_not_done_again_over_what_was_ruled_since() {
    let (mut desk, keys) = with_two();
    let ana = actor("ana");
    let record = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    let fine = Request::Override(Ruling::only(HumanVerdict::FullySupported));
    do_(&mut desk, keys[0], &fine, "bo", 1);
    do_(&mut desk, keys[1], &Request::Confirm, "ana", 2);
    let release = desk.release(record);
    desk.store.dispose(record, release, Basis::default(), &ana, at(3)).unwrap();
    desk.store.undo(&ana, at(4)).unwrap();
    assert!(desk.store.redo(&ana, at(5)).unwrap().is_some(), "over what it was released before");
    desk.store.undo(&ana, at(6)).unwrap();
    do_(&mut desk, keys[0], &Request::Confirm, "bo", 7);
    let why = refusal(desk.store.redo(&ana, at(8)));
    assert!(why.starts_with("rx-1#1, rx-1#2 stand against the evidence"), "{why}");
}
