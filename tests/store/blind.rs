//! Blind review: what a person sees before and after they commit, whose turn it is, and what is kept of it.

use juror::domain::blind::{OVERLAP, Opinion, Sight};
use juror::domain::decision::{Basis, DecisionKind, Disposition, HumanVerdict, Request, Ruling};
use juror::domain::event::{Act, Seen};
use juror::domain::finding::AuditState;
use juror::domain::ids::{Annotator, ClaimKey};
use juror::domain::queue::ClaimDetail;
use juror::domain::verdict::{NoVerdict, Severity, Verdict};
use juror::domain::word::{Known, Own, Word};
use juror::store::{PageAt, StoreError};

use crate::fixture::{Desk, TTL, actor, at, claim, contradicted, desk, record};

use HumanVerdict::{Contradicted, FullySupported, NotAClaim, Unsupported};

const KNOWING: Basis<'static> = Basis { reason: None, seen: None, against: Known::All, own: Own::Unsaid };

fn blind(verdict: HumanVerdict) -> Request {
    Request::Blind { ruling: Ruling::only(verdict), overlap: OVERLAP }
}

fn rule(verdict: HumanVerdict) -> Request {
    Request::Override(Ruling::only(verdict))
}

/// A store with one answer and these claims, all judged CONTRADICTED.
fn with(claims: usize) -> (Desk, Vec<ClaimKey>) {
    let mut desk = desk();
    let findings = (0..claims).map(|n| contradicted(&format!("claim {n}"))).collect();
    let keys = desk.audited(&record("rx-1"), findings);
    (desk, keys)
}

impl Desk {
    fn blind_ids(&self, who: &str) -> Vec<String> {
        let page = self.store.blind_page(&Annotator::new(who), OVERLAP, PageAt::Top, 1000, at(9)).unwrap();
        page.iter().map(|row| row.id.to_string()).collect()
    }

    fn blindly(&self, key: ClaimKey, who: &str) -> ClaimDetail {
        self.store.blind_detail(key, &Annotator::new(who), OVERLAP, at(9)).unwrap()
    }

    fn acts(&mut self, key: ClaimKey, request: &Request, who: &str, seconds: u64) -> Act {
        let seen = self.blindly(key, who).seen;
        let basis = Basis { seen: Some(&seen), ..Basis::default() };
        self.store.decide(key, request, basis, &actor(who), at(seconds)).unwrap().act
    }

    fn opinion(&self) -> Opinion {
        let mut opinions = self.store.opinions().unwrap();
        assert_eq!(opinions.len(), 1);
        opinions.remove(0)
    }

    fn is_sound(&self) {
        assert_eq!(self.store.verify().unwrap().problems, Vec::<String>::new());
    }
}

fn refusal<T: std::fmt::Debug>(result: Result<T, StoreError>) -> String {
    match result.unwrap_err() {
        StoreError::Refused(sentence) => sentence,
        other => panic!("refused, not {other:?}"),
    }
}

#[test]
fn nothing_of_the_judge_or_of_others_is_read_before_the_person_has_committed() {
    let (mut desk, keys) = with(2);
    let bo = actor("bo");
    let note = Request::Annotate { note: "I think 4 g".into() };
    desk.store.decide(keys[0], &note, Basis::default(), &bo, at(1)).unwrap();
    desk.store.decide(keys[0], &Request::Flag(true), Basis::default(), &bo, at(1)).unwrap();
    desk.store.decide(keys[0], &rule(Unsupported), Basis::default(), &bo, at(2)).unwrap();

    let hidden = desk.blindly(keys[0], "ana");
    assert_eq!(hidden.sight, Sight::Hidden);
    let text = format!("{hidden:?}");
    for word in
        ["8 g, evidence", "Contradicted", "Critical", "4 g in 24 hours\"", "I think", "\"bo\"", "Unsupported"]
    {
        // The evidence itself is there, no quote of it.
        assert!(!text.contains(word), "{word}: {text}");
    }
    assert_eq!((hidden.why.len(), hidden.seen.verdict_sha256.as_ref()), (0, None));
    let rows = desk.store.blind_page(&Annotator::new("ana"), OVERLAP, PageAt::Top, 9, at(9)).unwrap();
    assert_eq!(rows.len(), 2);
    for row in rows {
        assert_eq!((row.sight, row.verdict, row.severity), (Sight::Hidden, None, None));
        assert_eq!((row.state, row.confidence), (AuditState::NoVerdict(NoVerdict::NotChecked), None));
        assert!(!row.flagged, "{row:?}");
    }
    let counts = desk.store.blind_counts(&Annotator::new("ana"), OVERLAP, at(9)).unwrap();
    assert_eq!((counts.routed, counts.open, counts.open_critical, counts.open_high), (2, 2, 0, 0));

    // The judge is shown once a verdict is committed; others when the person has had their last word.
    assert_eq!(desk.acts(keys[0], &blind(FullySupported), "ana", 3), Act::Blind);
    let revealed = desk.blindly(keys[0], "ana");
    assert_eq!(revealed.sight, Sight::Revealed);
    assert_eq!(revealed.outcome.judged().map(|judged| judged.verdict), Some(Verdict::Contradicted));
    assert!(revealed.decisions.is_empty() && revealed.notes.is_empty() && revealed.flags.is_empty());
    assert!(revealed.siblings.iter().all(|sibling| sibling.verdict.is_none()), "nor the other claims");
    desk.acts(keys[0], &rule(FullySupported), "ana", 4);
    let open = desk.blindly(keys[0], "ana");
    assert_eq!((open.sight, open.decisions.len(), open.notes.len()), (Sight::Open, 2, 1));
    desk.is_sound();
}

#[test]
fn both_verdicts_and_what_was_shown_between_them_are_events() {
    let (mut desk, keys) = with(1);
    desk.acts(keys[0], &blind(FullySupported), "ana", 3);
    assert_eq!(desk.acts(keys[0], &rule(Contradicted), "ana", 8), Act::Confirm, "now as the judge");
    let events = desk.events();
    assert_eq!((events[0].act, events[0].seen.verdict_sha256.as_ref()), (Act::Blind, None));
    assert_eq!(events[0].new.to_string(), r#"{"verdict":"FULLY_SUPPORTED","overlap":2}"#);
    assert_eq!(
        events[1].old.to_string(),
        r#"{"first":{"verdict":"FULLY_SUPPORTED"},"shown":{"state":"JUDGED","verdict":"CONTRADICTED","severity":"CRITICAL"}}"#
    );
    assert!(events[1].seen.verdict_sha256.is_some());
    let opinion = desk.opinion();
    assert_eq!((opinion.annotator.as_str(), opinion.claim.to_string().as_str()), ("ana", "rx-1#1"));
    assert_eq!((opinion.run, opinion.is_current), (1, true));
    assert_eq!(
        (opinion.first.ruling.verdict, opinion.first.at, opinion.first.independent),
        (FullySupported, at(3), true)
    );
    assert_eq!(
        (opinion.shown.grounded(), opinion.shown.severity),
        (Some(Verdict::Contradicted), Some(Severity::Critical))
    );
    let last = opinion.last.clone().unwrap();
    assert_eq!((last.kind, last.ruling.verdict, last.at), (DecisionKind::Confirmed, Contradicted, at(8)));
    assert_eq!((opinion.is_changed(), opinion.went_over()), (Some(true), true));
    desk.is_sound();
}

#[test]
fn a_kept_verdict_is_a_decision_like_any_other() {
    let (mut desk, keys) = with(1);
    desk.acts(keys[0], &blind(Unsupported), "ana", 3);
    assert_eq!(desk.open_ids("bo"), ["rx-1#1"], "a committed verdict is no decision yet");
    assert_eq!(desk.opinion().is_changed(), None);
    assert_eq!(desk.acts(keys[0], &rule(Unsupported), "ana", 4), Act::Override);
    assert_eq!(desk.open_ids("bo"), Vec::<String>::new());
    let opinion = desk.opinion();
    assert_eq!((opinion.is_changed(), opinion.went_over()), (Some(false), false));
    desk.is_sound();
}

#[test]
fn nothing_but_a_blind_verdict_decides_what_is_hidden() {
    let (mut desk, keys) = with(1);
    let seen = desk.blindly(keys[0], "ana").seen;
    let basis = Basis { seen: Some(&seen), ..Basis::default() };
    for request in [Request::Confirm, rule(Contradicted)] {
        let why = refusal(desk.store.decide(keys[0], &request, basis, &actor("ana"), at(1)));
        assert!(why.contains("is hidden from you: commit your own first"), "{why}");
    }
    // What is no decision goes, and does not pretend that the judge was seen.
    for (request, act) in [
        (Request::Skip(true), Act::Skip),
        (Request::Flag(true), Act::Flag),
        (Request::Annotate { note: "hm".into() }, Act::Annotate),
        (Request::Defer { until: at(99) }, Act::Defer),
    ] {
        assert_eq!(desk.acts(keys[0], &request, "ana", 2), act);
    }
    assert!(desk.events().iter().all(|event| event.seen.verdict_sha256.is_none()));
    desk.acts(keys[0], &blind(Contradicted), "ana", 3);
    assert!(desk.opinion().first.independent);
    desk.is_sound();
}

#[test]
fn a_second_blind_verdict_and_one_after_a_decision_are_refused() {
    let (mut desk, keys) = with(2);
    desk.acts(keys[0], &blind(Unsupported), "ana", 1);
    let again = desk.store.decide(keys[0], &blind(Contradicted), Basis::default(), &actor("ana"), at(2));
    let why = refusal(again);
    assert!(
        why.contains("you committed UNSUPPORTED for rx-1#1") && why.contains("keep it or change it"),
        "{why}"
    );
    desk.store.decide(keys[1], &Request::Confirm, Basis::default(), &actor("ana"), at(3)).unwrap();
    let after = desk.store.decide(keys[1], &blind(Contradicted), Basis::default(), &actor("ana"), at(4));
    let why = refusal(after);
    assert!(why.contains("know the judge's verdict"), "{why}");
    let graded = Ruling { severity: Some(Severity::High), ..Ruling::only(FullySupported) };
    let request = Request::Blind { ruling: graded, overlap: 2 };
    let why = refusal(desk.store.decide(keys[0], &request, Basis::default(), &actor("bo"), at(5)));
    assert!(why.contains("leave severity and type out"), "{why}");
}

#[test]
fn r25_a_second_person_has_the_claim_in_their_queue_after_the_first_decided_it() {
    let (mut desk, keys) = with(3);
    desk.acts(keys[0], &blind(Unsupported), "ana", 1);
    desk.acts(keys[0], &rule(Unsupported), "ana", 2);
    assert_eq!((desk.blind_ids("ana").len(), desk.blind_ids("bo").len()), (2, 3));
    desk.acts(keys[0], &blind(Unsupported), "bo", 3);
    // Two may judge it: a third is not asked, and the second is until their last word.
    assert!(!desk.blind_ids("cy").contains(&"rx-1#1".to_owned()));
    assert_eq!(desk.blind_ids("bo")[0], "rx-1#1", "what waits for the last word stands first");
    let why = refusal(desk.store.decide(keys[0], &blind(Unsupported), Basis::default(), &actor("cy"), at(4)));
    assert!(why.contains("rx-1#1 has 2 blind verdicts, as many as review.overlap asks for"), "{why}");
    desk.acts(keys[0], &rule(Unsupported), "bo", 5);
    assert_eq!((desk.blind_ids("bo").len(), desk.blind_ids("cy").len()), (2, 2));
    desk.is_sound();
}

#[test]
fn r26_later_annotators_do_not_see_the_first_ones_answer() {
    let (mut desk, keys) = with(1);
    desk.acts(keys[0], &blind(Unsupported), "ana", 1);
    desk.acts(keys[0], &rule(Unsupported), "ana", 2);
    let seen_by_bo = desk.blindly(keys[0], "bo");
    let text = format!("{seen_by_bo:?}");
    assert!(!text.contains("\"ana\"") && !text.contains("Unsupported"), "{text}");
    assert!(seen_by_bo.siblings.iter().all(|sibling| !sibling.decided));
}

#[test]
fn r28_an_untouched_queue_is_not_done_for_anybody() {
    let (mut desk, keys) = with(2);
    let counts = |desk: &Desk, who: &str| {
        let counts = desk.store.blind_counts(&Annotator::new(who), OVERLAP, at(9)).unwrap();
        (counts.routed, counts.open)
    };
    assert_eq!(counts(&desk, "ana"), (2, 2));
    for key in &keys {
        desk.acts(*key, &blind(Contradicted), "ana", 1);
        desk.acts(*key, &rule(Contradicted), "ana", 2);
    }
    assert_eq!((counts(&desk, "ana"), counts(&desk, "bo")), ((2, 0), (2, 2)));
    assert_eq!((desk.blind_ids("ana").len(), desk.blind_ids("bo").len()), (0, 2));
    for key in &keys {
        desk.acts(*key, &blind(Contradicted), "bo", 3);
    }
    assert_eq!((counts(&desk, "bo"), counts(&desk, "cy")), ((2, 2), (0, 0)));
}

#[test]
fn the_order_is_another_for_everybody_and_says_nothing_of_severity() {
    let mut desk = desk();
    for n in 0..30 {
        let findings =
            vec![contradicted("bad"), claim("so", Verdict::PartiallySupported, Some(Severity::Low), 0.5)];
        desk.audited(&record(&format!("rx-{n:02}")), findings);
    }
    let (ana, bo) = (desk.blind_ids("ana"), desk.blind_ids("bo"));
    assert_eq!((ana.len(), bo.len()), (60, 60));
    assert_ne!(ana, bo);
    assert_eq!(ana, desk.blind_ids("ana"), "the same every time");
    let critical = |ids: &[String]| ids[..30].iter().filter(|id| id.ends_with("#1")).count();
    for ids in [&ana, &bo] {
        assert!((5..=25).contains(&critical(ids)), "{}", critical(ids));
    }
    // Page by page, down and up, it is the same list.
    let who = Annotator::new("ana");
    let mut down = desk.store.blind_page(&who, OVERLAP, PageAt::Top, 7, at(9)).unwrap();
    while let Some(last) = down.last().map(|row| row.key) {
        let next = desk.store.blind_page(&who, OVERLAP, PageAt::After(last), 7, at(9)).unwrap();
        if next.is_empty() {
            break;
        }
        down.extend(next);
    }
    let ids: Vec<String> = down.iter().map(|row| row.id.to_string()).collect();
    assert_eq!(ids, ana);
    let before = desk.store.blind_page(&who, OVERLAP, PageAt::Before(down[40].key), 12, at(9)).unwrap();
    assert_eq!(before, down[28..40]);
    let from = desk.store.blind_page(&who, OVERLAP, PageAt::From(down[40].key), 12, at(9)).unwrap();
    assert_eq!(from, down[40..52]);
    let bottom = desk.store.blind_page(&who, OVERLAP, PageAt::Bottom, 12, at(9)).unwrap();
    assert_eq!(bottom, down[48..]);
}

#[test]
fn skipped_claims_come_last_and_deferred_ones_at_their_time() {
    let (mut desk, _) = with(6);
    let ids = desk.blind_ids("ana");
    let key = |desk: &Desk, id: &str| desk.store.claim_key(&id.parse().unwrap()).unwrap();
    let (first, second) = (key(&desk, &ids[0]), key(&desk, &ids[1]));
    desk.acts(first, &Request::Skip(true), "ana", 1);
    desk.acts(second, &Request::Defer { until: at(50) }, "ana", 1);
    let now = desk.blind_ids("ana");
    assert_eq!((now.len(), now.last()), (5, Some(&ids[0])));
    let who = Annotator::new("ana");
    assert_eq!(desk.store.blind_counts(&who, OVERLAP, at(9)).unwrap().deferred, 1);
    let later = desk.store.blind_page(&who, OVERLAP, PageAt::Top, 9, at(51)).unwrap();
    assert_eq!((later.len(), later[0].id.to_string()), (6, ids[1].clone()));
}

#[test]
fn taking_back_goes_to_the_reveal_and_then_to_the_dark_again() {
    let (mut desk, keys) = with(1);
    let ana = actor("ana");
    desk.acts(keys[0], &blind(Unsupported), "ana", 1);
    desk.acts(keys[0], &rule(Unsupported), "ana", 2);
    let undone = desk.store.undo(&ana, at(3)).unwrap().unwrap();
    assert_eq!((undone.event.act, desk.blindly(keys[0], "ana").sight), (Act::Override, Sight::Revealed));
    assert_eq!(desk.blind_ids("ana"), ["rx-1#1"]);
    let undone = desk.store.undo(&ana, at(4)).unwrap().unwrap();
    assert_eq!((undone.event.act, desk.blindly(keys[0], "ana").sight), (Act::Blind, Sight::Hidden));
    assert_eq!(desk.store.opinions().unwrap(), []);
    desk.is_sound();
    // Done again, both are as they were, and as independent.
    desk.store.redo(&ana, at(5)).unwrap().unwrap();
    assert!(desk.opinion().first.independent);
    assert_eq!(desk.blindly(keys[0], "ana").sight, Sight::Revealed);
    desk.store.redo(&ana, at(6)).unwrap().unwrap();
    assert_eq!(desk.opinion().is_changed(), Some(false));
    desk.is_sound();
    // Committed anew, it is not: the judge had been shown.
    desk.store.undo(&ana, at(7)).unwrap().unwrap();
    desk.store.undo(&ana, at(8)).unwrap().unwrap();
    desk.acts(keys[0], &blind(Contradicted), "ana", 9);
    assert!(!desk.opinion().first.independent);
    desk.is_sound();
}

#[test]
fn who_acted_on_it_with_the_judge_in_sight_is_not_independent() {
    let (mut desk, keys) = with(1);
    let skip = Request::Skip(true);
    desk.store.decide(keys[0], &skip, Basis::default(), &actor("ana"), at(1)).unwrap();
    desk.acts(keys[0], &blind(Contradicted), "ana", 2);
    assert!(!desk.opinion().first.independent);
    desk.is_sound();
}

#[test]
fn people_who_disagree_leave_it_open_until_somebody_settles_it() {
    let (mut desk, keys) = with(1);
    for (who, verdict, when) in [("ana", Contradicted, 1), ("bo", Unsupported, 3)] {
        desk.acts(keys[0], &blind(verdict), who, when);
        desk.acts(keys[0], &rule(verdict), who, when + 1);
    }
    let rows = desk.open_rows("lead");
    assert_eq!((rows.len(), rows[0].disputed), (1, true));
    assert!(desk.detail(keys[0], "lead").is_disputed());
    let record = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    let why =
        refusal(desk.store.dispose(record, Disposition::Return, Basis::default(), &actor("lead"), at(5)));
    assert!(why.contains("1 claim of rx-1 still open"), "{why}");
    desk.is_sound();
    desk.store.decide(keys[0], &rule(Unsupported), KNOWING, &actor("lead"), at(6)).unwrap();
    assert_eq!(desk.open_ids("lead"), Vec::<String>::new());
    desk.is_sound();
    desk.store.undo(&actor("lead"), at(7)).unwrap().unwrap();
    assert_eq!(desk.open_ids("lead").len(), 1);
    // Or one of the two comes round.
    desk.store.decide(keys[0], &rule(Contradicted), Basis::default(), &actor("bo"), at(8)).unwrap();
    assert_eq!(desk.open_ids("lead"), Vec::<String>::new());
    desk.is_sound();
}

#[test]
fn a_disagreement_has_no_verdict_until_somebody_else_settles_it_and_that_stays() {
    let (mut desk, keys) = with(1);
    let word = |desk: &Desk| {
        let export = desk.store.claim_export(keys[0]).unwrap();
        match export.word() {
            Word::Adjudicated((who, decided)) => {
                format!("{} settles {}", who.as_str(), decided.ruling.verdict)
            }
            Word::Of((who, decided)) => format!("{} says {}", who.as_str(), decided.ruling.verdict),
            Word::Disputed => "disputed".to_owned(),
            Word::Open => "open".to_owned(),
        }
    };
    assert_eq!(word(&desk), "open");
    desk.acts(keys[0], &blind(Contradicted), "ana", 1);
    assert_eq!(word(&desk), "open", "not kept yet");
    desk.acts(keys[0], &rule(Contradicted), "ana", 2);
    assert_eq!(word(&desk), "ana says CONTRADICTED");
    let three = Request::Blind { ruling: Ruling::only(Unsupported), overlap: 3 };
    desk.acts(keys[0], &three, "bo", 3);
    desk.acts(keys[0], &rule(Unsupported), "bo", 4);
    assert_eq!(word(&desk), "disputed");
    desk.store.decide(keys[0], &rule(Unsupported), KNOWING, &actor("lead"), at(5)).unwrap();
    assert_eq!(word(&desk), "lead settles UNSUPPORTED");
    let third = Request::Blind { ruling: Ruling::only(NotAClaim), overlap: 3 };
    desk.store.decide(keys[0], &third, Basis::default(), &actor("cy"), at(6)).unwrap();
    desk.store.decide(keys[0], &rule(NotAClaim), Basis::default(), &actor("cy"), at(7)).unwrap();
    assert_eq!(word(&desk), "lead settles UNSUPPORTED");
    assert_eq!(desk.open_ids("lead"), Vec::<String>::new(), "the queue says the same");
    desk.is_sound();
}

#[test]
fn a_blind_word_that_differs_from_an_open_one_puts_it_in_dispute() {
    let (mut desk, keys) = with(1);
    desk.store.decide(keys[0], &rule(Unsupported), Basis::default(), &actor("lead"), at(1)).unwrap();
    desk.acts(keys[0], &blind(Contradicted), "ana", 2);
    desk.acts(keys[0], &rule(Contradicted), "ana", 3);
    assert_eq!(desk.store.claim_export(keys[0]).unwrap().word(), Word::Disputed);
    // The earlier one was no settling of what was not in question then.
    desk.acts(keys[0], &blind(Unsupported), "bo", 4);
    desk.acts(keys[0], &rule(Unsupported), "bo", 5);
    assert_eq!(desk.store.claim_export(keys[0]).unwrap().word(), Word::Disputed);
    assert_eq!(desk.open_ids("lead").len(), 1);
    desk.is_sound();
}

#[test]
fn others_blind_verdicts_stand_in_nobodys_way_back() {
    let (mut desk, keys) = with(1);
    desk.acts(keys[0], &blind(Contradicted), "ana", 1);
    desk.acts(keys[0], &rule(Contradicted), "ana", 2);
    desk.acts(keys[0], &blind(Unsupported), "bo", 3);
    desk.acts(keys[0], &rule(Unsupported), "bo", 4);
    let undone = desk.store.undo(&actor("ana"), at(5)).unwrap().unwrap();
    assert_eq!(undone.event.act, Act::Confirm);
    desk.store.redo(&actor("ana"), at(6)).unwrap().unwrap();
    desk.is_sound();
}

#[test]
fn as_many_may_have_it_in_hand_as_are_still_asked() {
    let (mut desk, keys) = with(1);
    let [ana, bo, cy] = ["ana", "bo", "cy"].map(Annotator::new);
    desk.store.hold_claim_blind(keys[0], &ana, OVERLAP, at(1), TTL).unwrap();
    desk.store.hold_claim_blind(keys[0], &bo, OVERLAP, at(1), TTL).unwrap();
    let held = desk.store.hold_claim_blind(keys[0], &cy, OVERLAP, at(1), TTL).unwrap_err();
    assert!(matches!(held, StoreError::Held { .. }), "{held:?}");
    assert_eq!(desk.blindly(keys[0], "ana").held_by, None);
    assert!(desk.blindly(keys[0], "cy").held_by.is_some());
    // Who has committed has a permit of their own, not two.
    desk.acts(keys[0], &blind(Contradicted), "ana", 2);
    desk.store.hold_claim_blind(keys[0], &ana, OVERLAP, at(3), TTL).unwrap();
    desk.store.hold_claim_blind(keys[0], &bo, OVERLAP, at(3), TTL).unwrap();
    assert!(desk.store.hold_claim_blind(keys[0], &cy, OVERLAP, at(3), TTL).is_err());
}

#[test]
fn verify_names_what_was_done_to_blind_verdicts() {
    for (sql, word) in [
        ("UPDATE opinion SET verdict = 'FULLY_SUPPORTED'", "ana's work"),
        ("UPDATE opinion SET independent = 0", "ana's work"),
        ("DELETE FROM opinion", "ana's work"),
    ] {
        let (mut desk, keys) = with(1);
        desk.acts(keys[0], &blind(Unsupported), "ana", 1);
        desk.is_sound();
        desk.sql().execute_batch(sql).unwrap();
        let problems = desk.store.verify().unwrap().problems;
        assert!(problems.iter().any(|problem| problem.contains(word)), "{sql}: {problems:?}");
    }
    // A decision always names what of the judge was seen.
    let seen = Seen { answer_sha256: String::new(), passages_sha256: String::new(), verdict_sha256: None };
    let (mut desk, keys) = with(1);
    let basis = Basis { seen: Some(&seen), ..Basis::default() };
    assert!(desk.store.decide(keys[0], &blind(Unsupported), basis, &actor("ana"), at(1)).is_err());
}

#[test]
fn a_blind_verdict_done_again_is_one_of_as_many_as_were_wanted() {
    let (mut desk, keys) = with(1);
    desk.acts(keys[0], &blind(Contradicted), "ana", 1);
    desk.store.undo(&actor("ana"), at(2)).unwrap().unwrap();
    for who in ["ben", "cara"] {
        desk.acts(keys[0], &blind(Unsupported), who, 3);
    }
    let why = refusal(desk.store.redo(&actor("ana"), at(4)));
    assert!(why.contains("rx-1#1 has 2 blind verdicts, as many as review.overlap asks for"), "{why}");
    desk.store.undo(&actor("cara"), at(5)).unwrap().unwrap();
    desk.store.redo(&actor("ana"), at(6)).unwrap().unwrap();
    assert_eq!(desk.store.opinions().unwrap().len(), 2);
    desk.is_sound();
}

#[test]
fn what_is_counted_as_not_kept_is_what_comes_first() {
    let (mut desk, keys) = with(2);
    let who = Annotator::new("ana");
    let unkept = |desk: &Desk| desk.store.blind_counts(&who, OVERLAP, at(9)).unwrap().unkept;
    desk.acts(keys[0], &blind(Unsupported), "ana", 1);
    assert_eq!(unkept(&desk), 1);
    let record = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    let block = desk.instead(record, Disposition::Block);
    desk.store.dispose(record, block, Basis::default(), &actor("ben"), at(2)).unwrap();
    assert_eq!((unkept(&desk), desk.blind_ids("ana")), (0, Vec::new()), "nobody can keep it any more");
}
