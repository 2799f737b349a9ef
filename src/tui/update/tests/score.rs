//! Claims with their source: the digits give a score.

use std::sync::Arc;

use super::session::Session;
use crate::domain::decision::{HumanVerdict, Request, Ruling};
use crate::domain::finding::Outcome;
use crate::domain::severity::hallucination_type;
use crate::domain::verdict::{Score, Severity, Verdict};
use crate::tui::app::{Detail, Mode};
use crate::tui::command::{Command, Place};

/// The judge gave 2.
fn pair() -> Session {
    let mut session = Session::with(2);
    let claim = session.app.claim.as_mut().unwrap();
    let Detail::Ready(detail) = &mut claim.detail else { panic!("no claim") };
    let detail = Arc::make_mut(detail);
    detail.is_pair = true;
    let Outcome::Judged(judged) = &mut detail.outcome else { panic!("no verdict") };
    (judged.verdict, judged.support) = (Verdict::Unsupported, Score::new(2));
    session
}

fn scored(value: u8, severity: Option<Severity>) -> Request {
    let score = Score::new(value).unwrap();
    let kind = hallucination_type(score.verdict());
    let verdict = HumanVerdict::from(score.verdict());
    Request::Override(Ruling {
        score: Some(score),
        severity,
        hallucination_type: kind,
        ..Ruling::only(verdict)
    })
}

#[test]
fn on_a_claim_with_its_source_a_digit_is_a_score_and_the_judges_own_confirms() {
    let as_judged = |value| match scored(value, Some(Severity::High)) {
        Request::Override(ruling) => Request::Override(Ruling { hallucination_type: None, ..ruling }),
        other => other,
    };
    for (key, request) in [
        ("2", Request::Confirm),
        ("c", Request::Confirm),
        ("1", as_judged(1)),
        ("3", scored(3, Some(Severity::Low))),
        ("4", scored(4, None)),
        ("5", scored(5, None)),
        ("0", Request::Override(Ruling::only(HumanVerdict::NotAClaim))),
    ] {
        let mut session = pair();
        session.press(key);
        assert_eq!(session.requests(), [(1, request)], "{key}");
    }
}

#[test]
fn a_verdict_is_refused_on_a_pair_and_a_score_elsewhere() {
    let mut session = pair();
    session.press(":");
    session.type_text("verdict contradicted");
    session.press("enter");
    assert!(session.requests().is_empty());
    assert!(session.toast().contains("gets a score from 1 to 5"), "{}", session.toast());
    let mut session = Session::with(2);
    session.press(":");
    session.type_text("score 5");
    session.press("enter");
    assert!(session.requests().is_empty());
    assert!(session.toast().contains("this one gets a verdict"), "{}", session.toast());
}

#[test]
fn the_menu_offers_scores_on_a_pair_and_records_the_chosen_one() {
    let mut session = pair();
    session.press("o");
    let Mode::Override(menu) = &session.app.mode else { panic!("no menu") };
    assert_eq!((menu.score, menu.verdict), (Score::new(2), HumanVerdict::Unsupported));
    assert_eq!(menu.proposals.len(), 7);
    session.press("k");
    session.press("enter");
    assert_eq!(session.requests(), [(1, scored(3, Some(Severity::Low)))]);
    let mut session = pair();
    session.press("o 5 enter");
    assert_eq!(session.requests(), [(1, scored(5, None))]);
    let mut session = pair();
    session.press("o j j enter");
    let cannot = Request::Override(Ruling::only(HumanVerdict::CannotJudge));
    assert_eq!(session.requests(), [(1, cannot)], "below the lowest score");
}

#[test]
fn a_key_of_ones_own_for_a_verdict_gives_no_score() {
    let session = pair();
    let keymap = &session.app.settings.keymap;
    assert_eq!(keymap.label(Command::Score1, Place::Score), "1");
    assert_eq!(keymap.label(Command::Score1, Place::Review), "");
}
