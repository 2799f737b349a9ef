//! What people do: decide, note, skip, flag, dispose, undo.

use juror::domain::decision::{Basis, DecisionKind, Disposition, HumanVerdict, ReasonCode, Request, Ruling};
use juror::domain::event::{Act, Seen};
use juror::domain::finding::Finding;
use juror::domain::ids::{Annotator, AuditId, ClaimKey};
use juror::domain::queue::Given;
use juror::domain::record::RiskLevel;
use juror::domain::verdict::{NoVerdict, Severity, Verdict};
use juror::domain::word::{Known, Own, Word};
use juror::store::{Durability, RequeueFilter, Store, StoreError};

use crate::fixture::{
    Desk, TTL, actor, at, claim, contradicted, desk, record, risky, ungrounded, without_verdict,
};

const KNOWING: Basis<'static> = Basis { reason: None, seen: None, against: Known::All, own: Own::Unsaid };

fn with(findings: Vec<Finding>) -> (Desk, Vec<ClaimKey>) {
    let mut desk = desk();
    let keys = desk.audited(&record("rx-1"), findings);
    (desk, keys)
}

fn rule(verdict: HumanVerdict) -> Request {
    Request::Override(Ruling::only(verdict))
}

fn note(text: &str) -> Request {
    Request::Annotate { note: text.into() }
}

fn refusal<T: std::fmt::Debug>(result: Result<T, StoreError>) -> String {
    match result.unwrap_err() {
        StoreError::Refused(sentence) => sentence,
        other => panic!("refused, not {other:?}"),
    }
}

#[test]
fn r13_a_decision_is_in_the_file_before_the_call_returns() {
    let (mut desk, keys) = with(vec![contradicted("c")]);
    let event =
        desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &actor("ana"), at(1)).unwrap();
    let other = Store::open_read_only(&desk.path).unwrap();
    assert_eq!(other.head().unwrap().0, event.seq);
    assert_eq!(other.queue_page(&Annotator::new("ana"), juror::store::PageAt::Top, 9, at(1)).unwrap(), []);
}

#[test]
fn an_event_says_who_what_and_what_was_on_the_screen() {
    let (mut desk, keys) = with(vec![contradicted("c")]);
    let event =
        desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &actor("ana"), at(1)).unwrap();
    assert_eq!((event.seq, event.act, event.subject.as_str()), (1, Act::Confirm, "rx-1#1"));
    assert_eq!((event.annotator.as_str(), event.os_user.as_str(), event.at), ("ana", "user", at(1)));
    assert_eq!(event.old, serde_json::Value::Null);
    assert_eq!(event.new.to_string(), r#"{"verdict":"CONTRADICTED","severity":"CRITICAL"}"#);
    let passages = record("rx-1").passages;
    let seen = juror::domain::event::passages_sha256(
        passages.iter().map(|passage| (passage.passage_id.as_str(), passage.content.as_str())),
    );
    assert_eq!(event.seen.passages_sha256, seen);
    assert_eq!(event.seen.answer_sha256, juror::domain::event::sha256_hex([crate::fixture::ANSWER]));
    assert_eq!(event.seen.verdict_sha256.as_ref().map(String::len), Some(64));
    assert_eq!(desk.events(), [event]);
}

#[test]
fn what_has_no_grounded_verdict_cannot_be_confirmed_only_judged() {
    let (mut desk, keys) = with(vec![ungrounded("u"), without_verdict(NoVerdict::NotChecked)]);
    let ana = actor("ana");
    for key in &keys {
        let sentence = refusal(desk.store.decide(*key, &Request::Confirm, Basis::default(), &ana, at(1)));
        assert!(sentence.contains("judge it yourself"), "{sentence}");
    }
    let same_label = desk
        .store
        .decide(keys[0], &rule(HumanVerdict::PartiallySupported), Basis::default(), &ana, at(1))
        .unwrap();
    assert_eq!(same_label.act, Act::Override, "an ungrounded label is not confirmed by saying the same");
    let judged =
        desk.store.decide(keys[1], &rule(HumanVerdict::CannotJudge), Basis::default(), &ana, at(1)).unwrap();
    assert_eq!(judged.act, Act::Override);
    assert_eq!(desk.open_ids("ana"), Vec::<String>::new());
}

#[test]
fn an_override_that_says_the_same_is_a_confirmation() {
    let (mut desk, keys) = with(vec![contradicted("c")]);
    let ana = actor("ana");
    let same =
        desk.store.decide(keys[0], &rule(HumanVerdict::Contradicted), Basis::default(), &ana, at(1)).unwrap();
    assert_eq!(same.act, Act::Confirm);
    assert_eq!(same.ruling().unwrap().severity, Some(Severity::Critical), "the judge's whole ruling");
    let milder = Request::Override(Ruling {
        severity: Some(Severity::Low),
        ..Ruling::only(HumanVerdict::Contradicted)
    });
    assert_eq!(
        desk.store.decide(keys[0], &milder, Basis::default(), &ana, at(2)).unwrap().act,
        Act::Override
    );
}

#[test]
fn deciding_again_replaces_and_keeps_the_old_value() {
    let (mut desk, keys) = with(vec![contradicted("c")]);
    let ana = actor("ana");
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &ana, at(1)).unwrap();
    let second = desk
        .store
        .decide(keys[0], &rule(HumanVerdict::FullySupported), Basis::default(), &ana, at(2))
        .unwrap();
    assert_eq!(second.old["verdict"], "CONTRADICTED");
    let standing = desk.detail(keys[0], "ana").standing.decided.unwrap();
    assert_eq!((standing.kind, standing.seq), (DecisionKind::Overridden, 2));
    assert_eq!(desk.store.queue_counts(&Annotator::new("ana"), at(2)).unwrap().decided_by_me, 1);
    assert_eq!(desk.events().len(), 2);
}

#[test]
fn reasons_join_decisions_and_notes_are_never_empty() {
    let (mut desk, keys) = with(vec![contradicted("c")]);
    let ana = actor("ana");
    let reason = Request::GiveReason(ReasonCode::NumberWrong);
    assert_eq!(
        refusal(desk.store.decide(keys[0], &reason, Basis::default(), &ana, at(1))),
        "rx-1#1: decide first, then give the reason"
    );
    assert!(
        refusal(desk.store.decide(keys[0], &note(" \n"), Basis::default(), &ana, at(1))).contains("empty")
    );
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &ana, at(1)).unwrap();
    desk.store.decide(keys[0], &reason, Basis::default(), &ana, at(2)).unwrap();
    let decided = desk.detail(keys[0], "ana").standing.decided.unwrap();
    assert_eq!(decided.reason, Some(ReasonCode::NumberWrong));
    assert_eq!(desk.events()[1].old.to_string(), r#"{"reason":null}"#);
}

#[test]
fn r21_only_a_verdict_completes() {
    let (mut desk, keys) = with(vec![contradicted("c")]);
    let ana = actor("ana");
    for request in [note("hm"), Request::Flag(true), Request::Skip(true)] {
        desk.store.decide(keys[0], &request, Basis::default(), &ana, at(1)).unwrap();
        assert_eq!(desk.open_ids("ana"), ["rx-1#1"], "{request:?}");
    }
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &ana, at(2)).unwrap();
    assert_eq!(desk.open_ids("ana"), Vec::<String>::new());
    assert!(!desk.detail(keys[0], "ana").standing.skipped, "a decision ends the skip");
}

#[test]
fn r20_judge_and_people_are_separate_layers() {
    let (mut desk, keys) = with(vec![contradicted("c"), contradicted("d")]);
    desk.store
        .decide(keys[0], &rule(HumanVerdict::FullySupported), Basis::default(), &actor("ana"), at(1))
        .unwrap();
    desk.store.decide(keys[0], &rule(HumanVerdict::Unsupported), KNOWING, &actor("bo"), at(2)).unwrap();
    let export = desk.store.claim_export(keys[0]).unwrap();
    assert_eq!(export.verdict, Some(Verdict::Contradicted));
    let names: Vec<&str> = export.decisions.iter().map(|(who, _)| who.as_str()).collect();
    assert_eq!(names, ["ana", "bo"]);
    assert_eq!(export.word(), Word::Disputed, "neither goes before the other");
    assert_eq!(desk.store.claim_export(keys[1]).unwrap().word().decision(), None);
}

#[test]
fn r32_all_notes_are_shown_with_who_wrote_them() {
    let (mut desk, keys) = with(vec![contradicted("c")]);
    desk.store.decide(keys[0], &note("first"), Basis::default(), &actor("ana"), at(1)).unwrap();
    desk.store.decide(keys[0], &note("  second\n"), Basis::default(), &actor("bo"), at(2)).unwrap();
    desk.store.decide(keys[0], &note("third"), Basis::default(), &actor("bo"), at(3)).unwrap();
    desk.store.undo(&actor("bo"), at(4)).unwrap().unwrap();
    let notes = desk.detail(keys[0], "cy").notes;
    let shown: Vec<_> = notes.iter().map(|n| (n.annotator.as_str(), n.text.as_deref())).collect();
    assert_eq!(
        shown,
        [("ana", Some("first")), ("bo", Some("  second\n"))],
        "as typed, without the undone one"
    );
    assert_eq!(desk.detail(keys[0], "bo").standing.notes, [2]);
}

#[test]
fn undo_walks_back_over_restarts_to_the_beginning() {
    let (mut desk, keys) = with(vec![contradicted("c"), contradicted("d")]);
    let ana = actor("ana");
    for (key, request) in [
        (keys[0], Request::Skip(true)),
        (keys[0], Request::Confirm),
        (keys[0], Request::GiveReason(ReasonCode::Other)),
        (keys[1], Request::Flag(true)),
        (keys[1], note("n")),
        (keys[0], rule(HumanVerdict::FullySupported)),
    ] {
        desk.store.decide(key, &request, Basis::default(), &ana, at(1)).unwrap();
    }
    let mut acts = Vec::new();
    loop {
        // Every time as after a restart.
        let mut store = Store::open(&desk.path, Durability::Full).unwrap();
        let told = store.to_undo(&ana.annotator).unwrap();
        let Some(undone) = store.undo(&ana, at(2)).unwrap() else { break };
        assert_eq!(told.as_ref(), Some(&undone.event), "what was told before");
        if undone.event.act == Act::Override {
            let standing = undone.standing.clone().expect("the confirmation stands again");
            assert_eq!((standing.kind, standing.reason), (DecisionKind::Confirmed, Some(ReasonCode::Other)));
        }
        acts.push(undone.event.act);
    }
    assert_eq!(acts, [Act::Override, Act::Annotate, Act::Flag, Act::GiveReason, Act::Confirm, Act::Skip]);
    let detail = desk.detail(keys[0], "ana");
    assert_eq!((detail.standing.decided, detail.standing.skipped), (None, false));
    assert_eq!(desk.open_ids("ana"), ["rx-1#1", "rx-1#2"]);
    assert_eq!(desk.events().len(), 12, "nothing is deleted");
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn every_act_may_have_a_reason_which_is_no_decisions_reason() {
    let (mut desk, keys) = with(vec![contradicted("c")]);
    let ana = actor("ana");
    let why = Basis { reason: Some(ReasonCode::SpanWrong), ..Basis::default() };
    desk.store.decide(keys[0], &note("n"), why, &ana, at(1)).unwrap();
    desk.store.decide(keys[0], &Request::Flag(true), why, &ana, at(2)).unwrap();
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &ana, at(3)).unwrap();
    let record = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    desk.store.dispose(record, Disposition::Block, why, &ana, at(4)).unwrap();
    desk.store.take_back(Some("rx-1"), why.reason, &ana, at(5)).unwrap().unwrap();
    let reasons: Vec<_> = desk.events().iter().map(|event| event.reason).collect();
    assert_eq!(reasons, [why.reason, why.reason, None, why.reason, why.reason]);
    assert_eq!(desk.detail(keys[0], "ana").standing.decided.unwrap().reason, None);
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn undo_reaches_ones_own_acts_only() {
    let (mut desk, keys) = with(vec![contradicted("c"), contradicted("d")]);
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &actor("ana"), at(1)).unwrap();
    desk.store.decide(keys[1], &Request::Confirm, Basis::default(), &actor("bo"), at(2)).unwrap();
    let undone = desk.store.undo(&actor("ana"), at(3)).unwrap().unwrap();
    assert_eq!(undone.claim, Some(keys[0]));
    assert_eq!(desk.store.undo(&actor("ana"), at(4)).unwrap(), None);
    assert_eq!(desk.open_ids("ana"), ["rx-1#1"]);
}

#[test]
fn undo_is_refused_once_someone_built_on_it() {
    let (mut desk, keys) = with(vec![contradicted("c")]);
    let (ana, bo) = (actor("ana"), actor("bo"));
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &ana, at(1)).unwrap();
    desk.store.decide(keys[0], &rule(HumanVerdict::FullySupported), KNOWING, &bo, at(2)).unwrap();
    let sentence = refusal(desk.store.undo(&ana, at(3)));
    assert!(sentence.starts_with("bo decided rx-1#1 after you"), "{sentence}");
    desk.store.undo(&bo, at(4)).unwrap().unwrap();
    assert!(desk.store.undo(&ana, at(5)).unwrap().is_some(), "bo took it back, so ana may");

    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &ana, at(6)).unwrap();
    let record = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    let release = desk.release(record);
    desk.store.dispose(record, release, Basis::default(), &bo, at(7)).unwrap();
    let sentence = refusal(desk.store.undo(&ana, at(8)));
    assert!(sentence.starts_with("bo gave rx-1 RELEASE"), "{sentence}");
}

#[test]
fn a_return_lets_everybody_take_back_what_they_did() {
    let (mut desk, keys) = with(vec![contradicted("c")]);
    let (ana, bo) = (actor("ana"), actor("bo"));
    let key = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &ana, at(1)).unwrap();
    let release = desk.release(key);
    desk.store.dispose(key, release, Basis::default(), &ana, at(2)).unwrap();
    let instead = desk.instead(key, Disposition::Block);
    desk.store.dispose(key, instead, Basis::default(), &bo, at(3)).unwrap();
    assert!(refusal(desk.store.undo(&ana, at(4))).starts_with("bo gave rx-1 BLOCK after you"));
    let (mut desk, keys) = with(vec![contradicted("c")]);
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &ana, at(1)).unwrap();
    let release = desk.release(key);
    desk.store.dispose(key, release, Basis::default(), &ana, at(2)).unwrap();
    let instead = desk.instead(key, Disposition::Return);
    desk.store.dispose(key, instead, Basis::default(), &bo, at(3)).unwrap();
    let undone = desk.store.undo(&ana, at(4)).unwrap().unwrap();
    assert_eq!(undone.event.act, Act::Dispose);
    // bo's RETURN stood before ana took the RELEASE under it back, and stands after.
    let stands = serde_json::json!({"disposition": "RETURN", "run": 1, "annotator": "bo"});
    let event = desk.events().pop().unwrap();
    assert_eq!((event.old, event.new), (stands.clone(), stands));
    assert_eq!(undone.disposition, Some((bo.annotator.clone(), Disposition::Return, at(3))));
    assert_eq!(desk.store.undo(&ana, at(5)).unwrap().unwrap().event.act, Act::Confirm);
    assert_eq!(desk.open_ids("ana"), ["rx-1#1"]);
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn a_reason_goes_with_the_decision_as_one_event() {
    let (mut desk, keys) = with(vec![contradicted("c")]);
    let ana = actor("ana");
    let why = Basis { reason: Some(ReasonCode::NumberWrong), ..Basis::default() };
    let event = desk.store.decide(keys[0], &Request::Confirm, why, &ana, at(1)).unwrap();
    assert_eq!((event.act, event.reason), (Act::Confirm, Some(ReasonCode::NumberWrong)));
    assert_eq!(desk.events().len(), 1);
    let decided = desk.detail(keys[0], "ana").standing.decided.unwrap();
    assert_eq!(decided.reason, Some(ReasonCode::NumberWrong));
    let given = Request::GiveReason(ReasonCode::Other);
    let sentence = refusal(desk.store.decide(keys[0], &given, why, &ana, at(2)));
    assert_eq!(sentence, "this gives a reason itself: name one only");
    desk.store.undo(&ana, at(2)).unwrap().unwrap();
    assert_eq!(desk.detail(keys[0], "ana").standing.decided, None, "taken back as one");
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn a_decision_names_what_was_shown_and_nothing_else() {
    let (mut desk, keys) = with(vec![contradicted("c"), ungrounded("u"), without_verdict(NoVerdict::Empty)]);
    let ana = actor("ana");
    for key in &keys {
        let seen = desk.detail(*key, "ana").seen;
        let basis = Basis { seen: Some(&seen), ..Basis::default() };
        let event = desk.store.decide(*key, &rule(HumanVerdict::Unsupported), basis, &ana, at(1)).unwrap();
        assert_eq!(event.seen, seen, "hashes of the shown texts are those that are stored");
    }
    let shown = desk.detail(keys[0], "ana").seen;
    for (what, other) in [
        ("answer", Seen { answer_sha256: "0".repeat(64), ..shown.clone() }),
        ("evidence", Seen { passages_sha256: "0".repeat(64), ..shown.clone() }),
        ("verdict", Seen { verdict_sha256: Some("0".repeat(64)), ..shown }),
    ] {
        let basis = Basis { seen: Some(&other), ..Basis::default() };
        let sentence = refusal(desk.store.decide(keys[0], &Request::Confirm, basis, &ana, at(2)));
        assert!(
            sentence.starts_with(&format!("the {what} of rx-1#1 that was shown is not the one")),
            "{sentence}"
        );
        let key = desk.store.record_key(&record("rx-1").audit_id).unwrap();
        let disposed = desk.store.dispose(
            key,
            Disposition::Block,
            Basis { seen: Some(&other), ..Basis::default() },
            &ana,
            at(2),
        );
        assert_eq!(disposed.is_err(), what != "verdict", "an answer has no one verdict");
    }
    assert_eq!(desk.events().len(), 4);
}

#[test]
fn a_text_that_was_changed_in_the_file_is_not_decided_upon() {
    let (mut desk, keys) = with(vec![contradicted("c")]);
    // The hash beside it still says what it was.
    desk.sql()
        .execute_batch(
            "DROP TRIGGER passage_no_update; UPDATE passage SET content = replace(content, '4 g', '9 g');",
        )
        .unwrap();
    let seen = desk.detail(keys[0], "ana").seen;
    let basis = Basis { seen: Some(&seen), ..Basis::default() };
    let sentence = refusal(desk.store.decide(keys[0], &Request::Confirm, basis, &actor("ana"), at(1)));
    assert!(sentence.starts_with("the evidence of rx-1#1 that was shown"), "{sentence}");
}

#[test]
fn an_answer_is_disposed_when_its_claims_are_decided() {
    let (mut desk, keys) = with(vec![contradicted("c")]);
    let (ana, bo) = (actor("ana"), actor("bo"));
    let key = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    let sentence = refusal(desk.store.dispose(key, Disposition::Release, Basis::default(), &ana, at(1)));
    assert_eq!(sentence, "1 claim of rx-1 still open: decide them first; only a BLOCK waits for nothing");
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &ana, at(1)).unwrap();
    let event = desk.store.dispose(key, Disposition::Block, Basis::default(), &ana, at(2)).unwrap();
    assert_eq!((event.subject.as_str(), event.seen.verdict_sha256.clone()), ("rx-1", None));
    assert!(
        refusal(desk.store.dispose(key, Disposition::Block, Basis::default(), &ana, at(3)))
            .contains("already")
    );
    let Given { annotator: who, disposition: what, at: when, .. } =
        desk.detail(keys[0], "bo").disposition.unwrap();
    assert_eq!((who.as_str(), what, when), ("ana", Disposition::Block, at(2)));

    desk.store.decide(keys[0], &note("still possible"), Basis::default(), &bo, at(4)).unwrap();
    let instead = desk.instead(key, Disposition::Return);
    let replaced = desk.store.dispose(key, instead, Basis::default(), &bo, at(5)).unwrap();
    assert_eq!(replaced.old["disposition"], "BLOCK");
    desk.store.decide(keys[0], &rule(HumanVerdict::Unsupported), KNOWING, &bo, at(6)).unwrap();

    desk.store.undo(&bo, at(7)).unwrap().unwrap();
    let undone = desk.store.undo(&bo, at(8)).unwrap().unwrap();
    assert_eq!((undone.event.act, undone.claim), (Act::Dispose, None));
    assert_eq!(undone.disposition, Some((ana.annotator.clone(), Disposition::Block, at(2))));
    let event = desk.events().pop().unwrap();
    assert_eq!(event.old, serde_json::json!({"disposition": "RETURN", "run": 1, "annotator": "bo"}));
    assert_eq!(event.new, serde_json::json!({"disposition": "BLOCK", "run": 1, "annotator": "ana"}));
    assert_eq!(
        desk.detail(keys[0], "bo").disposition.map(|given| given.disposition),
        Some(Disposition::Block)
    );
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn an_answer_that_waits_for_its_audit_has_nothing_to_dispose() {
    let mut desk = desk();
    desk.import(&record("rx-1"));
    let key = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    let sentence =
        refusal(desk.store.dispose(key, Disposition::Release, Basis::default(), &actor("ana"), at(1)));
    assert!(sentence.starts_with("rx-1 waits for its audit"), "{sentence}");
}

#[test]
fn r23_r27_a_held_claim_is_its_holders_to_decide() {
    let (mut desk, keys) = with(vec![contradicted("c")]);
    let (ana, bo) = (Annotator::new("ana"), Annotator::new("bo"));
    desk.store.hold_claim(keys[0], &ana, at(0), TTL).unwrap();
    desk.store.hold_claim(keys[0], &ana, at(10), TTL).expect("one's own hold is renewed");
    let held = desk.store.hold_claim(keys[0], &bo, at(20), TTL).unwrap_err();
    let said = held.to_string();
    assert!(
        said.starts_with("rx-1#1: ana has it in hand, last key at ") && said.contains(": free at "),
        "{said}"
    );
    let held =
        desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &actor("bo"), at(20)).unwrap_err();
    assert!(matches!(held, StoreError::Held { .. }));
    assert_eq!(desk.open_rows("bo")[0].held_by.as_ref().map(|hold| hold.holder.as_str()), Some("ana"));
    assert_eq!(desk.open_rows("ana")[0].held_by, None);
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &actor("ana"), at(20)).unwrap();
}

#[test]
fn ones_own_reason_and_note_are_not_refused_because_somebody_else_looks_at_the_claim() {
    let (mut desk, keys) = with(vec![contradicted("c")]);
    let ben = actor("ben");
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &ben, at(1)).unwrap();
    desk.store.hold_claim(keys[0], &Annotator::new("ana"), at(2), TTL).unwrap();
    let reason = Request::GiveReason(ReasonCode::NumberWrong);
    desk.store.decide(keys[0], &reason, Basis::default(), &ben, at(3)).unwrap();
    desk.store.decide(keys[0], &note("24 h and 72 h"), Basis::default(), &ben, at(4)).unwrap();
    let again = desk.store.decide(keys[0], &rule(HumanVerdict::Unsupported), Basis::default(), &ben, at(5));
    assert!(matches!(again, Err(StoreError::Held { .. })), "a ruling waits");
}

#[test]
fn r24_every_row_says_who_else_has_it_in_hand() {
    let (mut desk, keys) = with(vec![contradicted("c"), contradicted("d")]);
    desk.store.hold_claim(keys[0], &Annotator::new("ana"), at(0), TTL).unwrap();
    let held = |who: &str| -> Vec<_> {
        let rows = desk.open_rows(who).into_iter();
        rows.filter_map(|row| Some((row.id.to_string(), row.held_by?.holder.as_str().to_owned()))).collect()
    };
    assert_eq!(held("bo"), [("rx-1#1".to_owned(), "ana".to_owned())]);
    assert_eq!(held("ana"), []);
}

#[test]
fn a_hold_that_ran_out_does_not_come_back_to_life() {
    let (mut desk, keys) = with(vec![contradicted("c")]);
    let (ana, bo) = (Annotator::new("ana"), Annotator::new("bo"));
    desk.store.hold_claim(keys[0], &ana, at(0), TTL).unwrap();
    desk.store.hold_claim(keys[0], &bo, at(61), TTL).unwrap();
    assert!(desk.store.hold_claim(keys[0], &ana, at(62), TTL).is_err());
    desk.store.release_claims(Some(keys[0])).unwrap();
    assert!(desk.store.hold_claim(keys[0], &ana, at(63), TTL).is_err(), "kept by `except`");
    desk.store.release_claims(None).unwrap();
    desk.store.hold_claim(keys[0], &ana, at(64), TTL).unwrap();
}

#[test]
fn auditing_again_keeps_decisions_with_their_run_and_shows_them_on_the_new_one() {
    let mut desk = desk();
    let old = desk.audited(&risky("rx-1", RiskLevel::High), vec![contradicted("same"), contradicted("gone")]);
    let ana = actor("ana");
    for key in &old {
        desk.store.decide(*key, &Request::Confirm, Basis::default(), &ana, at(1)).unwrap();
    }
    desk.store.decide(old[0], &note("look at p2"), Basis::default(), &ana, at(2)).unwrap();
    let record = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    let release = desk.release(record);
    desk.store.dispose(record, release, Basis::default(), &ana, at(2)).unwrap();
    let id = AuditId::new("rx-1");
    assert_eq!(desk.store.requeue_records(RequeueFilter::One(&id)).unwrap(), 1);
    assert_eq!(desk.store.requeue_records(RequeueFilter::All).unwrap(), 0, "it waits already");
    let new = desk.audit(vec![claim("same", Verdict::Unsupported, None, 0.8), contradicted("new")], at(3));

    assert_eq!(desk.open_ids("ana"), ["rx-1#4", "rx-1#3"], "numbers go on; nothing is carried over");
    let detail = desk.detail(new[0], "ana");
    assert_eq!(detail.standing.decided, None);
    assert_eq!(detail.earlier.len(), 1);
    assert_eq!(
        (detail.earlier[0].id.to_string().as_str(), detail.earlier[0].annotator.as_str()),
        ("rx-1#1", "ana")
    );
    assert_eq!(detail.notes[0].text.as_deref(), Some("look at p2"));
    assert_eq!(detail.disposition, None, "the new run is released anew");
    let at_the_same_place = desk.detail(new[1], "ana").earlier;
    assert_eq!(at_the_same_place.len(), 1);
    assert_eq!(at_the_same_place[0].id.to_string(), "rx-1#2", "what was ruled on a claim that is gone");
    assert_eq!(detail.siblings.len(), 2);

    let sentence = refusal(desk.store.decide(
        old[1],
        &rule(HumanVerdict::FullySupported),
        Basis::default(),
        &ana,
        at(4),
    ));
    assert!(sentence.starts_with("rx-1#2 belongs to an earlier audit"), "{sentence}");
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn a_severity_beside_nothing_wrong_is_refused() {
    let (mut desk, keys) = with(vec![contradicted("c")]);
    for verdict in [HumanVerdict::FullySupported, HumanVerdict::CannotJudge] {
        let severe = Request::Override(Ruling { severity: Some(Severity::High), ..Ruling::only(verdict) });
        let why = refusal(desk.store.decide(keys[0], &severe, Basis::default(), &actor("ana"), at(1)));
        assert!(why.contains("leave severity and type out"), "{why}");
    }
    assert_eq!(desk.events(), []);
    desk.store
        .decide(keys[0], &rule(HumanVerdict::CannotJudge), Basis::default(), &actor("ana"), at(1))
        .unwrap();
}

#[test]
fn an_answer_waits_for_its_disposition_until_it_has_one() {
    let mut desk = desk();
    let first = desk.audited(&record("rx-1"), vec![contradicted("a"), contradicted("b")]);
    let second = desk.audited(&record("rx-2"), vec![contradicted("c")]);
    let ana = Annotator::new("ana");
    let waiting = |desk: &Desk| {
        let oldest = desk.store.answer_to_dispose(&ana, at(9)).unwrap();
        (desk.store.answers_to_dispose().unwrap(), oldest.map(|detail| detail.record.audit_id.to_string()))
    };
    desk.store.decide(first[0], &Request::Confirm, Basis::default(), &actor("ana"), at(1)).unwrap();
    assert_eq!(waiting(&desk), (0, None), "one claim is still open");
    desk.store.decide(second[0], &Request::Confirm, Basis::default(), &actor("ana"), at(2)).unwrap();
    assert_eq!(waiting(&desk), (1, Some("rx-2".to_owned())));
    desk.store
        .decide(first[1], &rule(HumanVerdict::FullySupported), Basis::default(), &actor("ana"), at(3))
        .unwrap();
    assert_eq!(waiting(&desk), (2, Some("rx-1".to_owned())));
    let detail = desk.store.answer_to_dispose(&ana, at(9)).unwrap().unwrap();
    let rulings: Vec<_> = detail.siblings.iter().map(|sibling| sibling.rulings.clone()).collect();
    assert_eq!(rulings, [[HumanVerdict::Contradicted], [HumanVerdict::FullySupported]]);
    desk.store
        .dispose(detail.record_key, Disposition::Return, Basis::default(), &actor("ana"), at(4))
        .unwrap();
    assert_eq!(waiting(&desk), (1, Some("rx-2".to_owned())));
    desk.store.undo(&actor("ana"), at(5)).unwrap();
    assert_eq!(waiting(&desk), (2, Some("rx-1".to_owned())));
    let id = AuditId::new("rx-1");
    desk.store.requeue_records(RequeueFilter::One(&id)).unwrap();
    desk.audit(vec![contradicted("a")], at(6));
    assert_eq!(waiting(&desk), (1, Some("rx-2".to_owned())), "a new run asks anew");
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn the_same_decision_from_a_second_window_is_recorded_once() {
    let mut desk = desk();
    let keys = desk.audited(&record("a"), vec![contradicted("one")]);
    let mut other = desk.again();
    let basis = Basis::default();
    desk.store.decide(keys[0], &Request::Confirm, basis, &actor("ana"), at(1)).unwrap();
    let again = other.decide(keys[0], &Request::Confirm, basis, &actor("ana"), at(2)).unwrap_err();
    assert!(again.to_string().contains("a#1 has this decision of yours already: "), "{again}");
    // Where it was not before them, it is of another window.
    let unseen = Basis { own: Own::Nothing, ..basis };
    let again = other.decide(keys[0], &Request::Confirm, unseen, &actor("ana"), at(2)).unwrap_err();
    assert!(again.to_string().contains("yours already, from another window: "), "{again}");
    // Somebody else's is a decision of their own.
    other.decide(keys[0], &Request::Confirm, basis, &actor("bo"), at(3)).unwrap();
    assert_eq!(desk.events().len(), 2);
}

/// ana decides rx-2#1, then rx-1#1, on which bo has decided since.
fn built_on() -> Desk {
    let (mut desk, keys) = with(vec![contradicted("c")]);
    let other = desk.audited(&record("rx-2"), vec![contradicted("d")]);
    let (ana, bo) = (actor("ana"), actor("bo"));
    desk.store.decide(other[0], &Request::Confirm, Basis::default(), &ana, at(1)).unwrap();
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &ana, at(2)).unwrap();
    desk.store.decide(keys[0], &rule(HumanVerdict::Unsupported), KNOWING, &bo, at(3)).unwrap();
    desk
}

#[test]
fn undo_comes_to_no_dead_end_at_what_somebody_built_on() {
    let ana = actor("ana");
    let mut desk = built_on();
    let why = refusal(desk.store.undo(&ana, at(4)));
    assert!(why.starts_with("bo decided rx-1#1 after you"), "{why}");
    assert!(why.ends_with("before it you did CONFIRM on rx-2#1: name that to take it back"), "{why}");
    let undone = desk.store.take_back(Some("rx-2#1"), None, &ana, at(5)).unwrap().unwrap();
    assert_eq!(undone.event.subject, "rx-2#1");
    // The same by what is shown first.
    let mut desk = built_on();
    let next = desk.store.to_undo(&ana.annotator).unwrap().unwrap();
    assert_eq!(next.subject, "rx-2#1", "what can be taken back, and not what cannot");
    assert!(refusal(desk.store.undo_of(2, &ana, at(6))).starts_with("bo decided rx-1#1 after you"));
    assert_eq!(desk.store.undo_of(next.seq, &ana, at(7)).unwrap().event.subject, "rx-2#1");
    let why = refusal(desk.store.to_undo(&ana.annotator));
    assert!(why.starts_with("bo decided rx-1#1 after you"), "only that is left: {why}");
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn an_undo_with_a_subject_waits_for_what_rests_on_it() {
    let (mut desk, keys) = with(vec![contradicted("c"), contradicted("d")]);
    let ana = actor("ana");
    let both = [(keys[0], Request::Confirm), (keys[1], Request::Confirm)];
    desk.store.decide_many(&both, None, &ana, at(1)).unwrap();
    desk.store.decide(keys[1], &rule(HumanVerdict::Unsupported), Basis::default(), &ana, at(2)).unwrap();
    let key = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    desk.store.dispose(key, Disposition::Block, Basis::default(), &ana, at(3)).unwrap();
    let why = refusal(desk.store.take_back(Some("rx-1#1"), None, &ana, at(4)));
    assert!(
        why.contains("ana did DISPOSE on rx-1 later (event 4), which rests on it: undo that first"),
        "{why}"
    );
    desk.store.take_back(Some("rx-1"), None, &ana, at(5)).unwrap().unwrap();
    let why = refusal(desk.store.take_back(Some("rx-1#1"), None, &ana, at(6)));
    assert!(why.contains("ana did OVERRIDE on rx-1#2 later (event 3)"), "they were one: {why}");
    desk.store.take_back(Some("rx-1#2"), None, &ana, at(7)).unwrap().unwrap();
    assert_eq!(desk.store.take_back(Some("rx-1#1"), None, &ana, at(8)).unwrap().unwrap().others, 1);
}

#[test]
fn nothing_is_released_over_a_ruling_that_nobody_was_told_of() {
    let (mut desk, keys) = with(vec![contradicted("c"), contradicted("d")]);
    let (ana, bo) = (actor("ana"), actor("bo"));
    let key = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    let fine = rule(HumanVerdict::FullySupported);
    for claim in &keys {
        desk.store.decide(*claim, &fine, Basis::default(), &ana, at(1)).unwrap();
    }
    // ana looks at the answer; she rules against a claim of it in another window before she releases it.
    let known = desk.release(key);
    assert_eq!(known.over, []);
    desk.store.decide(keys[1], &rule(HumanVerdict::Contradicted), Basis::default(), &ana, at(2)).unwrap();
    let why = refusal(desk.store.dispose(key, known, Basis::default(), &ana, at(3)));
    assert!(
        why.starts_with("rx-1#2 stands against the evidence by people's ruling (the first: CONTRADICTED)"),
        "{why}"
    );
    let known = desk.release(key);
    let event = desk.store.dispose(key, known, Basis::default(), &ana, at(4)).unwrap();
    assert_eq!(event.new["over"], serde_json::json!(["rx-1#2"]), "the event says over what");
    // Whoever knew of one does not know of the next.
    let instead = desk.instead(key, Disposition::Return);
    desk.store.dispose(key, instead, Basis::default(), &bo, at(5)).unwrap();
    let known = desk.release(key);
    desk.store.decide(keys[0], &rule(HumanVerdict::Unsupported), Basis::default(), &ana, at(6)).unwrap();
    let why = refusal(desk.store.dispose(key, known, Basis::default(), &ana, at(7)));
    assert!(why.starts_with("rx-1#1, rx-1#2 stand against the evidence"), "{why}");
    let instead = desk.instead(key, Disposition::Block);
    desk.store.dispose(key, instead, Basis::default(), &ana, at(8)).unwrap();
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn a_ruling_of_ones_own_from_another_window_is_not_overturned_unseen() {
    let (mut desk, keys) = with(vec![contradicted("c")]);
    let ana = actor("ana");
    let knowing = |own: Own| Basis { own, ..Basis::default() };
    let first = desk
        .store
        .decide(keys[0], &rule(HumanVerdict::Unsupported), knowing(Own::Nothing), &ana, at(1))
        .unwrap();
    // The other window still shows it open.
    let why = refusal(desk.store.decide(keys[0], &Request::Confirm, knowing(Own::Nothing), &ana, at(2)));
    assert!(why.starts_with("you ruled UNSUPPORTED on rx-1#1 at "), "{why}");
    assert!(why.contains("in another window, which was not before you"), "{why}");
    desk.store.decide(keys[0], &note("what is not a ruling"), knowing(Own::Nothing), &ana, at(3)).unwrap();
    desk.store.decide(keys[0], &Request::Confirm, knowing(Own::Event(first.seq)), &ana, at(4)).unwrap();
    let why = refusal(desk.store.decide(
        keys[0],
        &rule(HumanVerdict::Unsupported),
        knowing(Own::Event(first.seq)),
        &ana,
        at(5),
    ));
    assert!(why.starts_with("you ruled CONTRADICTED on rx-1#1"), "{why}");
    // On the command line nothing was shown.
    desk.store.undo(&ana, at(6)).unwrap().unwrap();
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &ana, at(7)).unwrap();
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}
