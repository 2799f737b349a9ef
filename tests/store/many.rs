//! Deferring, escalating, and the same decision on many claims at once.

use std::time::Duration;

use juror::domain::decision::HumanVerdict::{Contradicted, Unsupported};
use juror::domain::decision::{Basis, Disposition, HumanVerdict, Request, Ruling};
use juror::domain::event::Act;
use juror::domain::filter::Filter;
use juror::domain::ids::{Annotator, ClaimKey};
use juror::domain::time::Timestamp;
use juror::domain::verdict::NoVerdict;
use juror::domain::word::Known;
use juror::store::{Disposing, PageAt, StoreError};

use crate::fixture::{Desk, actor, at, contradicted, desk, record, without_verdict};

fn with_three() -> (Desk, Vec<ClaimKey>) {
    let mut desk = desk();
    let findings = vec![contradicted("c"), contradicted("d"), without_verdict(NoVerdict::NotChecked)];
    let keys = desk.audited(&record("rx-1"), findings);
    (desk, keys)
}

fn rows(desk: &Desk, who: &str, now: Timestamp) -> Vec<String> {
    let page = desk.store.queue_page(&Annotator::new(who), PageAt::Top, 100, now).unwrap();
    page.into_iter().map(|row| row.id.to_string()).collect()
}

fn found(desk: &Desk, query: &str, now: Timestamp) -> Vec<String> {
    let filter: Filter = query.parse().unwrap();
    let page = desk.store.found_page(&filter, &Annotator::new("ana"), PageAt::Top, 100, now).unwrap();
    assert_eq!(desk.store.found_count(&filter, now).unwrap(), page.len() as u64, "{query}");
    page.into_iter().map(|row| row.id.to_string()).collect()
}

fn refusal<T: std::fmt::Debug>(result: Result<T, StoreError>) -> String {
    match result {
        Err(error @ StoreError::Refused(_)) => error.to_string(),
        other => panic!("not refused: {other:?}"),
    }
}

fn all(keys: &[ClaimKey], request: &Request) -> Vec<(ClaimKey, Request)> {
    keys.iter().map(|key| (*key, request.clone())).collect()
}

fn rule(verdict: HumanVerdict) -> Request {
    Request::Override(Ruling::only(verdict))
}

fn is_sound(desk: &Desk) {
    let report = desk.store.verify().unwrap();
    assert_eq!(report.problems, Vec::<String>::new());
}

#[test]
fn what_is_deferred_leaves_only_the_own_queue_and_comes_back_by_itself() {
    let (mut desk, keys) = with_three();
    let ana = actor("ana");
    let hour = at(3600);
    desk.store.decide(keys[0], &Request::Defer { until: hour }, Basis::default(), &ana, at(1)).unwrap();
    assert_eq!(rows(&desk, "ana", at(2)), ["rx-1#2", "rx-1#3"]);
    assert_eq!(rows(&desk, "ben", at(2)), ["rx-1#1", "rx-1#2", "rx-1#3"], "for others it stays open");
    let counts = desk.store.queue_counts(&ana.annotator, at(2)).unwrap();
    assert_eq!((counts.open, counts.deferred, counts.back_at), (3, 1, Some(hour)));
    assert_eq!(found(&desk, "deferred:*", at(2)), ["rx-1#1"]);
    assert_eq!(found(&desk, "-deferred:ana", at(2)), ["rx-1#2", "rx-1#3"]);
    assert_eq!(found(&desk, "deferred:ben", at(2)), Vec::<String>::new());
    assert_eq!(
        desk.store.claim_detail(keys[0], &ana.annotator, at(2)).unwrap().standing.deferred,
        Some(hour)
    );
    is_sound(&desk);
    // Its time comes: nothing is written.
    assert_eq!(rows(&desk, "ana", hour), ["rx-1#1", "rx-1#2", "rx-1#3"]);
    assert_eq!(found(&desk, "deferred:*", hour), Vec::<String>::new(), "although the file did not change");
    let counts = desk.store.queue_counts(&ana.annotator, hour).unwrap();
    assert_eq!((counts.deferred, counts.back_at), (0, None));
    assert_eq!(desk.store.claim_detail(keys[0], &ana.annotator, hour).unwrap().standing.deferred, None);
    is_sound(&desk);
}

#[test]
fn a_deferral_can_be_moved_ended_undone_and_is_over_with_a_decision() {
    let (mut desk, keys) = with_three();
    let ana = actor("ana");
    let defer = |desk: &mut Desk, seconds| {
        desk.store.decide(keys[0], &Request::Defer { until: at(seconds) }, Basis::default(), &ana, at(5))
    };
    let until = |desk: &Desk| desk.store.queue_counts(&ana.annotator, at(6)).unwrap().back_at;
    defer(&mut desk, 100).unwrap();
    let event = defer(&mut desk, 200).unwrap();
    assert_eq!((event.act, event.until()), (Act::Defer, Some(at(200))));
    desk.store.undo(&ana, at(6)).unwrap();
    assert_eq!(until(&desk), Some(at(100)), "the earlier time stands again");
    desk.store.redo(&ana, at(6)).unwrap();
    assert_eq!(until(&desk), Some(at(200)));
    desk.store.decide(keys[0], &Request::Resume, Basis::default(), &ana, at(6)).unwrap();
    assert_eq!(until(&desk), None);
    assert!(
        refusal(desk.store.decide(keys[0], &Request::Resume, Basis::default(), &ana, at(6)))
            .contains("not deferred")
    );
    desk.store.undo(&ana, at(6)).unwrap();
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &ana, at(6)).unwrap();
    assert_eq!(until(&desk), None);
    assert!(refusal(defer(&mut desk, 300)).contains("not open"));
    desk.store.undo(&ana, at(6)).unwrap();
    assert_eq!(until(&desk), Some(at(200)), "what stood before the decision");
    assert!(refusal(defer(&mut desk, 5)).contains("still to come"));
    let years = Request::Defer { until: at(0).plus(Duration::from_hours(24 * 400)) };
    assert!(
        refusal(desk.store.decide(keys[0], &years, Basis::default(), &ana, at(6)))
            .contains("more than a year")
    );
    is_sound(&desk);
}

#[test]
fn an_escalation_is_a_flag_with_a_note_and_an_addressee() {
    let (mut desk, keys) = with_three();
    let ana = actor("ana");
    let escalate =
        |note: &str, to: Option<&str>| Request::Escalate { note: note.into(), to: to.map(str::to_owned) };
    let event = desk
        .store
        .decide(keys[0], &escalate("is 8 g ever right?", Some("dr-lee")), Basis::default(), &ana, at(1))
        .unwrap();
    assert_eq!((event.act, &event.new), (Act::Flag, &serde_json::json!({"flagged": true, "to": "dr-lee"})));
    desk.store.decide(keys[1], &Request::Flag(true), Basis::default(), &actor("ben"), at(1)).unwrap();
    let detail = desk.detail(keys[0], "ben");
    let flag = &detail.flags[0];
    assert_eq!((flag.escalated, flag.to.as_deref()), (true, Some("dr-lee")));
    assert_eq!(flag.note.as_deref(), Some("is 8 g ever right?"));
    let marks: Vec<_> = desk.open_rows("ben").iter().map(|row| (row.flagged, row.escalated)).collect();
    assert_eq!(marks, [(true, true), (true, false), (false, false)]);
    for (query, expected) in [
        ("flag:*", &["rx-1#1", "rx-1#2"][..]),
        ("to:*", &["rx-1#1"]),
        ("to:DR-*", &["rx-1#1"]),
        ("to:ward", &[]),
        ("note:ever", &["rx-1#1"]),
    ] {
        assert_eq!(found(&desk, query, at(2)), expected, "{query}");
    }
    desk.store.decide(keys[0], &escalate("please", None), Basis::default(), &ana, at(2)).unwrap();
    assert_eq!(desk.detail(keys[0], "ana").flags[0].to, None);
    desk.store.undo(&ana, at(3)).unwrap();
    assert_eq!(desk.detail(keys[0], "ana").flags[0].to.as_deref(), Some("dr-lee"));
    desk.store.redo(&ana, at(3)).unwrap();
    assert_eq!(desk.detail(keys[0], "ana").flags[0].note.as_deref(), Some("please"));
    desk.store.decide(keys[0], &Request::Flag(false), Basis::default(), &ana, at(4)).unwrap();
    assert_eq!(desk.detail(keys[0], "ana").flags, []);
    for (request, says) in [
        (escalate("  ", None), "the note is empty"),
        (escalate("x", Some(" ")), "the name of whom"),
        (escalate("x", Some("a\nb")), "not one line"),
    ] {
        let why = refusal(desk.store.decide(keys[0], &request, Basis::default(), &ana, at(5)));
        assert!(why.contains(says), "{why}");
    }
    is_sound(&desk);
}

#[test]
fn many_are_decided_at_once_taken_back_at_once_and_done_again_at_once() {
    let (mut desk, keys) = with_three();
    let ana = actor("ana");
    desk.store
        .decide(keys[1], &Request::Annotate { note: "before".into() }, Basis::default(), &ana, at(1))
        .unwrap();
    let done = desk.store.decide_many(&all(&keys, &Request::Confirm), None, &ana, at(2)).unwrap();
    assert_eq!(done.events.iter().map(|event| event.batch).collect::<Vec<_>>(), [Some(2), Some(2)]);
    assert_eq!(done.refused.len(), 1);
    assert!(done.refused[0].1.contains("no verdict to confirm"), "{:?}", done.refused);
    assert_eq!(desk.open_ids("ana"), ["rx-1#3"]);
    let undone = desk.store.undo(&ana, at(3)).unwrap().unwrap();
    assert_eq!((undone.others, undone.event.subject.as_str(), undone.kept.len()), (1, "rx-1#1", 0));
    assert_eq!(desk.open_ids("ana").len(), 3);
    assert_eq!(desk.store.to_undo(&ana.annotator).unwrap().unwrap().act, Act::Annotate, "nothing else");
    let redone = desk.store.redo(&ana, at(4)).unwrap().unwrap();
    assert_eq!((redone.others, redone.event.subject.as_str()), (1, "rx-1#1"));
    assert_eq!(desk.open_ids("ana"), ["rx-1#3"]);
    assert_eq!(desk.store.undo(&ana, at(5)).unwrap().unwrap().others, 1, "what was done again is one again");
    assert_eq!(desk.store.redo(&ana, at(6)).unwrap().unwrap().others, 1);
    is_sound(&desk);
}

#[test]
fn what_somebody_built_on_stays_when_the_rest_is_taken_back() {
    let (mut desk, keys) = with_three();
    let ana = actor("ana");
    desk.store.decide_many(&all(&keys[..2], &Request::Confirm), None, &ana, at(1)).unwrap();
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &actor("ben"), at(2)).unwrap();
    let undone = desk.store.undo(&ana, at(3)).unwrap().unwrap();
    assert_eq!((undone.others, undone.event.subject.as_str()), (0, "rx-1#2"));
    assert!(undone.kept[0].contains("ben decided rx-1#1 after you"), "{:?}", undone.kept);
    assert!(refusal(desk.store.undo(&ana, at(4))).contains("ben decided rx-1#1"));
    is_sound(&desk);
}

#[test]
fn many_are_put_off_and_never_brought_back_by_the_same_key() {
    let (mut desk, keys) = with_three();
    let ana = actor("ana");
    desk.store.decide(keys[0], &Request::Skip(true), Basis::default(), &ana, at(1)).unwrap();
    let done = desk.store.decide_many(&all(&keys, &Request::Skip(true)), None, &ana, at(2)).unwrap();
    assert_eq!((done.events.len(), done.unchanged), (2, 1));
    assert!(desk.open_rows("ana").iter().all(|row| row.skipped));
    let until = Request::Defer { until: at(100) };
    desk.store.decide_many(&all(&keys, &until), None, &ana, at(3)).unwrap();
    assert!(rows(&desk, "ana", at(4)).is_empty());
    assert_eq!(desk.store.undo(&ana, at(5)).unwrap().unwrap().others, 2);
    assert_eq!(rows(&desk, "ana", at(6)).len(), 3);
    is_sound(&desk);
}

#[test]
fn the_latest_decisions_tell_the_pace() {
    let (mut desk, keys) = with_three();
    let ana = actor("ana");
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &ana, at(10)).unwrap();
    desk.store.decide(keys[1], &Request::Skip(true), Basis::default(), &ana, at(15)).unwrap();
    desk.store.decide(keys[1], &Request::Confirm, Basis::default(), &ana, at(30)).unwrap();
    let recent = desk.store.recent_decisions(&ana.annotator, 100).unwrap();
    assert_eq!(recent.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [at(10), at(30)], "oldest first");
    assert_eq!(desk.store.recent_decisions(&ana.annotator, 1).unwrap().len(), 1);
    assert!(desk.store.recent_decisions(&actor("ben").annotator, 9).unwrap().is_empty());
}

#[test]
fn what_was_decided_today_is_counted_by_the_day() {
    let (mut desk, keys) = with_three();
    let ana = actor("ana");
    let today = |desk: &Desk, now| desk.store.queue_counts(&ana.annotator, now).unwrap().decided_today;
    desk.store.decide_many(&all(&keys[..2], &Request::Confirm), None, &ana, at(1)).unwrap();
    assert_eq!((today(&desk, at(2)), today(&desk, at(86_400))), (2, 0));
    desk.store.undo(&ana, at(3)).unwrap();
    assert_eq!(today(&desk, at(4)), 0);
    is_sound(&desk);
}

#[test]
fn r13_a_batch_overturns_nothing_that_was_ruled_since_it_was_marked() {
    let (mut desk, keys) = with_three();
    let (ana, bo) = (actor("ana"), actor("bo"));
    let unsupported = Request::Override(Ruling::only(HumanVerdict::Unsupported));
    // ana has marked both; meanwhile bo rules on the first, and ana herself on the second in another window.
    desk.store.decide(keys[0], &unsupported, Basis::default(), &bo, at(1)).unwrap();
    desk.store.decide(keys[1], &unsupported, Basis::default(), &ana, at(2)).unwrap();
    for request in [Request::Confirm, Request::Override(Ruling::only(HumanVerdict::FullySupported))] {
        let done = desk.store.decide_many(&all(&keys[..2], &request), None, &ana, at(3)).unwrap();
        assert_eq!(done.events, [], "{request:?}");
        let why: Vec<&str> = done.refused.iter().map(|(_, why)| why.as_str()).collect();
        assert_eq!(
            why,
            [
                "bo ruled UNSUPPORTED already: look at it, and decide it by itself",
                "you ruled UNSUPPORTED already: look at it, and decide it by itself"
            ]
        );
    }
    // By itself it can be: then it was looked at.
    let knowing = Basis { against: Known::All, ..Basis::default() };
    desk.store.decide(keys[0], &Request::Confirm, knowing, &ana, at(4)).unwrap();
    // What overturns nothing is possible for all of them.
    let done = desk.store.decide_many(&all(&keys, &Request::Flag(true)), None, &ana, at(5)).unwrap();
    assert_eq!((done.events.len(), done.refused.len()), (3, 0));
    is_sound(&desk);
}

#[test]
fn an_answer_is_blocked_before_anything_is_decided_and_decided_later() {
    let (mut desk, keys) = with_three();
    let (ana, ben) = (actor("ana"), actor("ben"));
    let key = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &ana, at(1)).unwrap();
    for early in [Disposition::Release, Disposition::Return] {
        let why = refusal(desk.store.dispose(key, early, Basis::default(), &ana, at(2)));
        assert!(why.ends_with("decide them first; only a BLOCK waits for nothing"), "{why}");
    }
    let blocked = desk.store.dispose(key, Disposition::Block, Basis::default(), &ana, at(3)).unwrap();
    assert_eq!((&blocked.new["disposition"], &blocked.new["undecided"]), (&"BLOCK".into(), &2.into()));
    assert_eq!(desk.open_ids("ana"), Vec::<String>::new(), "they wait for nobody");
    desk.store.decide(keys[1], &Request::Confirm, Basis::default(), &ben, at(5)).unwrap();
    desk.store.decide(keys[1], &rule(Unsupported), Basis::default(), &ben, at(6)).unwrap();
    desk.store.undo(&ben, at(7)).unwrap().unwrap();
    // People who disagree then can be brought together.
    desk.store.decide(keys[2], &rule(Unsupported), Basis::default(), &ana, at(8)).unwrap();
    let knowing = Basis { against: Known::All, ..Basis::default() };
    desk.store.decide(keys[2], &rule(Contradicted), knowing, &ben, at(9)).unwrap();
    assert_eq!(found(&desk, "is:blocked", at(9)), ["rx-1#3"]);
    desk.store.decide(keys[2], &rule(Unsupported), knowing, &actor("carla"), at(10)).unwrap();
    assert_eq!((desk.open_ids("ana").len(), desk.store.answers_to_dispose().unwrap()), (0, 0));
    let instead = desk.instead(key, Disposition::Return);
    desk.store.dispose(key, instead, Basis::default(), &ben, at(11)).unwrap();
    is_sound(&desk);
}

#[test]
fn what_a_person_did_about_answers_since_an_event_is_counted_by_what_they_did() {
    let (mut desk, _) = with_three();
    let (ana, ben) = (actor("ana"), actor("ben"));
    desk.audited(&record("rx-2"), vec![contradicted("c")]);
    desk.audited(&record("rx-3"), vec![contradicted("c")]);
    let keys = ["rx-1", "rx-2", "rx-3"].map(|id| desk.store.record_key(&record(id).audit_id).unwrap());
    let block = |desk: &mut Desk, key, who: &_, time| {
        desk.store.dispose(key, Disposition::Block, Basis::default(), who, at(time)).unwrap()
    };
    block(&mut desk, keys[0], &ana, 1);
    let began = desk.store.head().unwrap().0;
    let did = |desk: &Desk| {
        let answers = desk.store.answers_disposed_since(&ana.annotator, began).unwrap();
        (answers.blocked, answers.returned, answers.released)
    };
    assert_eq!(did(&desk), (0, 0, 0), "what was before is not of this session");
    block(&mut desk, keys[1], &ana, 2);
    block(&mut desk, keys[2], &ben, 3);
    assert_eq!(did(&desk), (1, 0, 0), "nor is another's");
    // An old block gives way to another word while a new one is given: totals would hide it.
    desk.store.undo(&ana, at(4)).unwrap().unwrap();
    assert_eq!(did(&desk), (0, 0, 0), "taken back");
    desk.store.redo(&ana, at(5)).unwrap().unwrap();
    assert_eq!(did(&desk), (1, 0, 0), "and done again");
    let claim = desk.store.claim_key(&"rx-1#1".parse().unwrap()).unwrap();
    desk.store.decide(claim, &rule(Unsupported), Basis::default(), &ben, at(6)).unwrap();
    let instead = desk.instead(keys[0], Disposition::Block);
    desk.store.dispose(keys[0], instead, Basis::default(), &ben, at(7)).unwrap();
    assert_eq!(did(&desk), (1, 0, 0), "what others did of the old ones since takes nothing away");
    let totals = desk.store.answers_disposed(&ana.annotator).unwrap();
    assert_eq!(totals.blocked, 1, "only one stands");
    // A session of ana's that began with one block and ends with one has blocked one.
    is_sound(&desk);
}

#[test]
fn several_answers_are_blocked_at_once_taken_back_at_once_and_done_again_at_once() {
    let (mut desk, keys) = with_three();
    let (ana, ben) = (actor("ana"), actor("ben"));
    for id in ["rx-2", "rx-3", "rx-4"] {
        desk.audited(&record(id), vec![contradicted("c")]);
    }
    let answers: Vec<_> = ["rx-1", "rx-2", "rx-3", "rx-4"]
        .map(|id| desk.store.record_key(&record(id).audit_id).unwrap())
        .into();
    assert_eq!(desk.store.answers_of(&[keys[1], keys[0]]).unwrap(), [answers[0]], "each once");
    desk.store.dispose(answers[1], Disposition::Block, Basis::default(), &ben, at(1)).unwrap();
    let three = desk.store.claim_key(&"rx-3#1".parse().unwrap()).unwrap();
    desk.store.decide(three, &Request::Confirm, Basis::default(), &ben, at(2)).unwrap();
    desk.store.dispose(answers[2], Disposition::Return, Basis::default(), &ben, at(3)).unwrap();
    let asked = Disposing { note: Some("wrong dose".into()), ..Disposition::Block.into() };
    let done = desk.store.dispose_many(&answers, &asked, None, &ana, at(4)).unwrap();
    let subjects: Vec<&str> = done.events.iter().map(|event| event.subject.as_str()).collect();
    assert_eq!((subjects, done.unchanged), (vec!["rx-1", "rx-4"], 1), "ben's block is one");
    assert_eq!(done.refused[0].0, "rx-3");
    assert!(done.refused[0].1.starts_with("ben gave rx-3 RETURN at "), "{}", done.refused[0].1);
    let stands = |desk: &Desk| {
        answers
            .iter()
            .map(|key| desk.store.disposition(*key).unwrap().map(|given| given.disposition))
            .collect()
    };
    let (block, back) = (Some(Disposition::Block), Some(Disposition::Return));
    let all: Vec<Option<Disposition>> = stands(&desk);
    assert_eq!(all, [block, block, back, block]);
    let undone = desk.store.undo(&ana, at(5)).unwrap().unwrap();
    assert_eq!(undone.others, 1);
    let all: Vec<Option<Disposition>> = stands(&desk);
    assert_eq!(all, [None, block, back, None]);
    assert_eq!(desk.store.redo(&ana, at(6)).unwrap().unwrap().others, 1);
    let note = desk.store.disposition(answers[3]).unwrap().unwrap().note;
    assert_eq!(note.as_deref(), Some("wrong dose"));
    assert_eq!(desk.store.undo(&ana, at(7)).unwrap().unwrap().others, 1, "still one");
    is_sound(&desk);
}
