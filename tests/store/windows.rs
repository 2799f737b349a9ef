//! One person in two windows: neither undoes what the other shows.

use juror::domain::decision::{Basis, Request};
use juror::domain::event::Act;
use juror::domain::ids::Annotator;
use juror::store::StoreError;

use crate::fixture::{TTL, actor, at, contradicted, desk, record};

#[test]
fn a_mark_is_set_or_taken_off_as_it_was_meant_and_never_turned_round() {
    let mut desk = desk();
    let key = desk.audited(&record("rx-1"), vec![contradicted("c")])[0];
    let (mut other, ana) = (desk.again(), actor("ana"));
    let no_mark = (false, false);
    let marks = |desk: &crate::fixture::Desk| {
        let standing = desk.detail(key, "ana").standing;
        (standing.skipped, standing.flag.is_some())
    };
    for (request, off, mark, stands) in [
        (Request::Skip(true), Request::Skip(false), "skipped", (true, false)),
        (Request::Flag(true), Request::Flag(false), "flagged", (false, true)),
    ] {
        desk.store.decide(key, &request, Basis::default(), &ana, at(1)).unwrap();
        // The other window shows no mark yet, and the same key means the same there.
        let why = other.decide(key, &request, Basis::default(), &ana, at(2)).unwrap_err().to_string();
        assert!(why.starts_with(&format!("rx-1#1 is already {mark} by you")), "{why}");
        assert_eq!(marks(&desk), stands, "the mark stands");
        let many = other.decide_many(&[(key, request)], None, &ana, at(3)).unwrap();
        assert_eq!((many.unchanged, many.events.len()), (1, 0));
        other.decide(key, &off, Basis::default(), &ana, at(4)).unwrap();
        let why = desk.store.decide(key, &off, Basis::default(), &ana, at(5)).unwrap_err().to_string();
        assert!(why.starts_with(&format!("rx-1#1 is no longer {mark} by you")), "{why}");
        assert_eq!(marks(&desk), no_mark);
    }
    let acts: Vec<Act> = desk.events().iter().map(|event| event.act).collect();
    assert_eq!(acts, [Act::Skip, Act::Unskip, Act::Flag, Act::Unflag]);
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn a_window_gives_back_only_what_it_took_itself() {
    let mut desk = desk();
    let keys = desk.audited(&record("rx-1"), vec![contradicted("c"), contradicted("d")]);
    let (mut other, mut bos) = (desk.again(), desk.again());
    let (ana, bo) = (Annotator::new("ana"), Annotator::new("bo"));
    desk.store.hold_claim(keys[0], &ana, at(0), TTL).unwrap();
    // The second window passes by the same claim, goes on to the next one, and is closed.
    other.hold_claim(keys[0], &ana, at(1), TTL).unwrap();
    other.release_claims(Some(keys[1])).unwrap();
    other.hold_claim(keys[1], &ana, at(2), TTL).unwrap();
    let held = |result: Result<(), StoreError>| matches!(result, Err(StoreError::Held { .. }));
    assert!(held(bos.hold_claim(keys[0], &bo, at(3), TTL)), "the first window has it in hand");
    assert!(held(bos.hold_claim(keys[1], &bo, at(3), TTL)));
    other.release_claims(None).unwrap();
    bos.hold_claim(keys[1], &bo, at(4), TTL).unwrap();
    assert!(held(bos.hold_claim(keys[0], &bo, at(4), TTL)));
    let confirm = |desk: &mut crate::fixture::Desk, who| {
        desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &actor(who), at(5))
    };
    assert!(held(confirm(&mut desk, "bo").map(drop)));
    confirm(&mut desk, "ana").unwrap();
    // What is decided is in nobody's hand any more, whichever window it was in.
    bos.hold_claim(keys[0], &bo, at(6), TTL).unwrap();
}

#[test]
fn a_person_in_two_windows_counts_once_among_those_who_judge_blind() {
    let mut desk = desk();
    let key = desk.audited(&record("rx-1"), vec![contradicted("c")])[0];
    let (mut other, mut bos) = (desk.again(), desk.again());
    let [ana, bo, cy] = ["ana", "bo", "cy"].map(Annotator::new);
    desk.store.hold_claim_blind(key, &ana, 2, at(0), TTL).unwrap();
    other.hold_claim_blind(key, &ana, 2, at(1), TTL).unwrap();
    bos.hold_claim_blind(key, &bo, 2, at(2), TTL).unwrap();
    assert!(bos.hold_claim_blind(key, &cy, 2, at(3), TTL).is_err());
}
