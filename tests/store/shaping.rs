//! Claims that people make beside the judge's.

use juror::domain::decision::{Basis, HumanVerdict, Request, Ruling};
use juror::domain::event::Act;
use juror::domain::ids::{Annotator, ClaimKey};
use juror::domain::shaping::{NewClaim, SetAside, Shape};
use juror::domain::verdict::{Severity, Verdict};
use juror::domain::word::{Known, Own};
use juror::store::{RequeueFilter, Shaped, StoreError};

use crate::fixture::{Desk, actor, at, claim, contradicted, desk, record};

fn split(desk: &mut Desk, claim: ClaimKey, who: &str) -> Result<Shaped, StoreError> {
    split_over(desk, claim, who, &[])
}

/// The same by who knows the rulings of these events.
fn split_over(desk: &mut Desk, claim: ClaimKey, who: &str, known: &[i64]) -> Result<Shaped, StoreError> {
    let detail = desk.detail(claim, who);
    let whole = NewClaim { claim_text: "one thing and another".into(), answer_span: detail.answer_span };
    let parts = whole.cut(&detail.record.answer, 10).unwrap();
    let basis = Basis { against: Known::Events(known), ..Basis::default() };
    desk.store.shape(&Shape::Split { claim, parts }, basis, &actor(who), at(5))
}

fn rule(desk: &mut Desk, claim: ClaimKey, verdict: HumanVerdict, who: &str, seconds: u64) -> i64 {
    let basis = Basis { against: Known::All, ..Basis::default() };
    let request = Request::Override(Ruling::only(verdict));
    desk.store.decide(claim, &request, basis, &actor(who), at(seconds)).unwrap().seq
}

/// Whose words would not count any more, as it is said.
fn set_aside<T: std::fmt::Debug>(result: Result<T, StoreError>) -> String {
    match result {
        Err(StoreError::SetAside(rulings)) => SetAside::said(&rulings),
        other => panic!("nobody's ruling was in the way: {other:?}"),
    }
}

fn refusal<T: std::fmt::Debug>(result: Result<T, StoreError>) -> String {
    match result {
        Err(error @ (StoreError::Refused(_) | StoreError::Held { .. })) => error.to_string(),
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn the_open_queue_and_the_counts_follow_a_split_and_its_undo() {
    let mut desk = desk();
    let keys = desk.audited(&record("rx-1"), vec![contradicted("c"), contradicted("d")]);
    let before = desk.store.queue_counts(&juror::domain::ids::Annotator::new("ana"), at(9)).unwrap();
    let made = split(&mut desk, keys[0], "ana").unwrap();
    assert_eq!(desk.open_ids("ana").len(), 3);
    assert!(!desk.open_ids("ana").contains(&"rx-1#1".to_owned()));
    let siblings: Vec<String> =
        desk.detail(keys[1], "ana").siblings.iter().map(|sibling| sibling.id.to_string()).collect();
    assert_eq!(siblings.len(), 3, "{siblings:?}");
    assert!(desk.detail(keys[0], "ben").gone.unwrap().contains("split by ana: decide on rx-1#3, rx-1#4"));
    assert!(desk.store.verify().unwrap().is_sound());
    desk.store.undo(&actor("ana"), at(6)).unwrap();
    assert_eq!(desk.store.queue_counts(&juror::domain::ids::Annotator::new("ana"), at(9)).unwrap(), before);
    assert!(
        refusal(desk.store.decide(
            made.made[0].0,
            &Request::Flag(true),
            Basis::default(),
            &actor("ben"),
            at(7)
        ))
        .contains("was taken back")
    );
    assert!(desk.store.verify().unwrap().is_sound());
    let redone = desk.store.redo(&actor("ana"), at(8)).unwrap().unwrap();
    assert_eq!((redone.event.act, redone.others), (Act::Split, 2));
    assert_eq!(redone.claim, Some(made.made[0].0), "what was made, not what it was made of");
    assert_eq!(desk.open_ids("ana").len(), 3);
    assert!(desk.store.verify().unwrap().is_sound());
}

#[test]
fn what_cannot_be_decided_cannot_be_replaced() {
    let mut desk = desk();
    let keys = desk.audited(&record("rx-1"), vec![contradicted("c")]);
    split(&mut desk, keys[0], "ana").unwrap();
    assert!(refusal(split(&mut desk, keys[0], "ben")).contains("was split by ana"));
    let fully = Request::Override(Ruling::only(HumanVerdict::FullySupported));
    let open: Vec<ClaimKey> = desk.open_rows("ana").iter().map(|row| row.key).collect();
    for key in &open {
        desk.store.decide(*key, &fully, Basis::default(), &actor("ana"), at(6)).unwrap();
    }
    let key = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    let release = desk.release(key);
    desk.store.dispose(key, release, Basis::default(), &actor("ana"), at(7)).unwrap();
    assert!(refusal(split(&mut desk, open[0], "ben")).contains("RELEASE of ana"));
    assert!(desk.store.verify().unwrap().is_sound());
}

#[test]
fn another_audit_leaves_them_with_the_one_they_were_made_on() {
    let mut desk = desk();
    let keys = desk.audited(&record("rx-1"), vec![contradicted("c")]);
    let made = split(&mut desk, keys[0], "ana").unwrap();
    let fully = Request::Override(Ruling::only(HumanVerdict::FullySupported));
    desk.store.decide(made.made[0].0, &fully, Basis::default(), &actor("ana"), at(6)).unwrap();
    desk.store.requeue_records(RequeueFilter::All).unwrap();
    let again = desk.audit(vec![contradicted("c")], at(9));
    assert_eq!(desk.open_ids("ana"), ["rx-1#4"]);
    assert_eq!(desk.detail(again[0], "ana").earlier.len(), 1, "the ruling is shown at its place");
    assert!(refusal(split(&mut desk, made.made[1].0, "ana")).contains("earlier audit"));
    assert!(desk.store.verify().unwrap().is_sound());
}

#[test]
fn a_ruling_on_what_was_split_rests_on_the_span_of_its_parent_where_that_says_the_same() {
    let mut desk = desk();
    let keys = desk.audited(&record("rx-1"), vec![contradicted("c")]);
    let cited = desk.detail(keys[0], "ana").outcome.judged().unwrap().citations.clone();
    let made = split(&mut desk, keys[0], "ana").unwrap().made;
    let inherited = desk.detail(made[0].0, "ana").inherited.unwrap();
    assert_eq!(inherited.citations, cited);
    assert_eq!(inherited.from.iter().map(ToString::to_string).collect::<Vec<_>>(), ["rx-1#1"]);
    let rule = |desk: &mut Desk, verdict| {
        let request = Request::Override(Ruling::only(verdict));
        let event = desk.store.decide(made[0].0, &request, Basis::default(), &actor("ana"), at(6)).unwrap();
        event.ruling().unwrap().evidence
    };
    let recorded = rule(&mut desk, HumanVerdict::Contradicted).unwrap();
    assert_eq!(recorded.len(), 1);
    assert_eq!((recorded[0].quote.as_str(), recorded[0].start), (cited[0].quote.as_str(), 15));
    assert_eq!(rule(&mut desk, HumanVerdict::FullySupported), None, "it says the opposite");
    // What a person chooses goes before it, also that there is none.
    let none =
        Request::Override(Ruling { evidence: Some(Vec::new()), ..Ruling::only(HumanVerdict::Contradicted) });
    let event = desk.store.decide(made[0].0, &none, Basis::default(), &actor("ana"), at(7)).unwrap();
    assert_eq!(event.ruling().unwrap().evidence, Some(Vec::new()));
    // Split once more, the judge's claim is still where it comes from.
    let whole = NewClaim { claim_text: "this one and that one".into(), answer_span: None };
    let parts = whole.cut(&desk.detail(made[1].0, "ana").record.answer, 9).unwrap();
    let shape = Shape::Split { claim: made[1].0, parts };
    let again = desk.store.shape(&shape, Basis::default(), &actor("ana"), at(8)).unwrap().made;
    let inherited = desk.detail(again[0].0, "ana").inherited.unwrap();
    assert_eq!(inherited.from.iter().map(ToString::to_string).collect::<Vec<_>>(), ["rx-1#1"]);
    assert_eq!(inherited.citations, cited);
    assert!(desk.store.verify().unwrap().is_sound());
}

#[test]
fn what_was_added_has_no_evidence_of_others() {
    let mut desk = desk();
    desk.audited(&record("rx-1"), vec![contradicted("c")]);
    let record = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    let claim = NewClaim { claim_text: "It helps with pain.".into(), answer_span: None };
    let made =
        desk.store.shape(&Shape::Add { record, claim }, Basis::default(), &actor("ana"), at(5)).unwrap().made;
    assert_eq!(desk.detail(made[0].0, "ana").inherited, None);
}

#[test]
fn a_ruling_is_set_aside_by_a_split_only_by_who_knows_it() {
    let mut desk = desk();
    let keys = desk.audited(&record("rx-1"), vec![contradicted("c"), contradicted("d")]);
    let ben = rule(&mut desk, keys[0], HumanVerdict::Unsupported, "ben", 1);
    assert_eq!(set_aside(split(&mut desk, keys[0], "ana")), "ben ruled UNSUPPORTED on rx-1#1");
    // Carla ruled while ana read that: what ana was told is not what would be lost.
    let carla = rule(&mut desk, keys[0], HumanVerdict::FullySupported, "carla", 2);
    let both = "ben ruled UNSUPPORTED on rx-1#1 and carla ruled FULLY_SUPPORTED on rx-1#1";
    assert_eq!(set_aside(split_over(&mut desk, keys[0], "ana", &[ben])), both);
    desk.store.undo(&actor("carla"), at(3)).unwrap();
    assert_eq!(
        set_aside(split_over(&mut desk, keys[0], "ana", &[ben, carla])),
        "ben ruled UNSUPPORTED on rx-1#1"
    );
    assert_eq!(desk.open_ids("ana"), ["rx-1#2"], "nothing was made");
    let made = split_over(&mut desk, keys[0], "ana", &[ben]).unwrap();
    assert_eq!(made.events[0].against(), ["ben"], "the event says whose ruling it was");
    assert!(made.events[1..].iter().all(|event| event.against().is_empty()));
    // Whoever judges what was made, and releases it, is told.
    let told = desk.detail(made.made[1].0, "dora").outcome;
    let juror::domain::finding::Outcome::NotJudged { reason, .. } = told else { panic!("{told:?}") };
    assert!(reason.starts_with("split from rx-1#1 by ana, after ben ruled UNSUPPORTED"), "{reason}");
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
    // Done again it is known still, unless somebody has ruled anew since.
    desk.store.undo(&actor("ana"), at(6)).unwrap().unwrap();
    let redone = desk.store.redo(&actor("ana"), at(7)).unwrap().unwrap();
    assert_eq!(redone.event.against(), ["ben"]);
    desk.store.undo(&actor("ana"), at(8)).unwrap().unwrap();
    rule(&mut desk, keys[0], HumanVerdict::Contradicted, "ben", 9);
    let again = refusal(desk.store.redo(&actor("ana"), at(10)));
    assert!(
        again.starts_with("ben ruled CONTRADICTED CRITICAL on rx-1#1, which you did not know of"),
        "{again}"
    );
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn a_merge_sets_nobodys_word_aside_unsaid_neither_ones_own_nor_a_blind_one() {
    let mut desk = desk();
    let keys = desk.audited(&record("rx-1"), vec![contradicted("c"), contradicted("d")]);
    let own = rule(&mut desk, keys[0], HumanVerdict::Unsupported, "ana", 1);
    let ruling = Ruling::only(HumanVerdict::FullySupported);
    let blind = Request::Blind { ruling, overlap: 2 };
    let ben = desk.store.decide(keys[1], &blind, Basis::default(), &actor("ben"), at(2)).unwrap().seq;
    let into = NewClaim { claim_text: "one and the other".into(), answer_span: None };
    let shape = Shape::Merge { claims: keys, into };
    let merged = |desk: &mut Desk, known: &[i64]| {
        let basis = Basis { against: Known::Events(known), own: Own::Unsaid, ..Basis::default() };
        desk.store.shape(&shape, basis, &actor("ana"), at(5))
    };
    let told = "you ruled UNSUPPORTED on rx-1#1 and ben judged rx-1#2 blind";
    for known in [&[][..], &[own], &[ben]] {
        assert_eq!(set_aside(merged(&mut desk, known)), told);
    }
    let made = merged(&mut desk, &[ben, own]).unwrap();
    let against: Vec<_> = made.events.iter().map(juror::domain::event::Event::against).collect();
    assert_eq!(against, [&[][..], &["ben"], &[]], "of others, each on its own claim");
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn the_halves_wait_where_the_whole_did_until_they_are_decided() {
    let mut desk = desk();
    let lighter = claim("d", Verdict::Unsupported, Some(Severity::High), 0.9);
    let keys = desk.audited(&record("rx-1"), vec![contradicted("c"), lighter]);
    let ana = Annotator::new("ana");
    let graded = |desk: &Desk| desk.store.queue_counts(&ana, at(9)).unwrap().open_critical;
    let before = graded(&desk);
    let made = split(&mut desk, keys[0], "ana").unwrap();
    let rows = desk.open_rows("ana");
    let first: Vec<_> = rows.iter().take(2).map(|row| (row.id.to_string(), row.severity)).collect();
    assert_eq!(
        first,
        [("rx-1#3".to_owned(), Some(Severity::Critical)), ("rx-1#4".to_owned(), Some(Severity::Critical))],
        "before what is less grave"
    );
    assert_eq!(graded(&desk), before + 1, "two in place of one");
    let why = &desk.detail(made.made[0].0, "ana").why;
    assert!(why.iter().any(|why| why.sentence() == "in place of a CRITICAL claim"), "{why:?}");
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
    // A half of a half, and what they are merged into.
    let part = |text: &str| NewClaim { claim_text: text.into(), answer_span: None };
    let halved = Shape::Split { claim: made.made[0].0, parts: [part("one"), part("thing")] };
    let again = desk.store.shape(&halved, Basis::default(), &actor("ana"), at(6)).unwrap();
    assert_eq!(desk.detail(again.made[1].0, "ana").why.len(), why.len());
    let merge = Shape::Merge { claims: vec![again.made[1].0, keys[1]], into: part("all of it") };
    let merged = desk.store.shape(&merge, Basis::default(), &actor("ana"), at(6)).unwrap();
    let row = desk.open_rows("ana").into_iter().find(|row| row.key == merged.made[0].0).unwrap();
    assert_eq!(row.severity, Some(Severity::Critical));
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
    // Whoever decides says how grave it is.
    rule(&mut desk, merged.made[0].0, HumanVerdict::FullySupported, "ana", 7);
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
    // Nobody lowers it in the file.
    desk.sql()
        .execute_batch(
            "UPDATE queue SET severity_rank = 2, place = place + 200000,
               why = json_remove(why, '$[#-1]') WHERE claim_id = (SELECT max(id) - 1 FROM claim)",
        )
        .unwrap();
    assert!(!desk.store.verify().unwrap().is_sound());
}

#[test]
fn what_people_ruled_on_the_whole_keeps_the_halves_where_it_was() {
    let mut desk = desk();
    let keys =
        desk.audited(&record("rx-1"), vec![claim("c", Verdict::Unsupported, Some(Severity::Low), 0.9)]);
    let grave = Ruling { severity: Some(Severity::Critical), ..Ruling::only(HumanVerdict::Contradicted) };
    let seq = desk
        .store
        .decide(keys[0], &Request::Override(grave), Basis::default(), &actor("ben"), at(1))
        .unwrap()
        .seq;
    split_over(&mut desk, keys[0], "ana", &[seq]).unwrap();
    let severities: Vec<_> = desk.open_rows("ana").iter().map(|row| row.severity).collect();
    assert_eq!(severities, [Some(Severity::Critical); 2]);
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}
