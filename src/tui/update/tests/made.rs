//! Rulings on claims that people made: on which evidence they rest is said, and where there is none as well.

use std::sync::Arc;

use super::session::{Session, id};
use crate::domain::decision::{HumanVerdict, Request, Ruling};
use crate::domain::evidence::ChosenSpan;
use crate::domain::finding::Outcome;
use crate::domain::queue::{ClaimDetail, Inherited};
use crate::domain::verdict::{NoVerdict, Role};
use crate::tui::app::Detail;

/// A claim in hand that was split from another, with the judge's citation for that one.
fn split() -> Session {
    let mut session = Session::with(2);
    let own = session.app.settings.annotator.clone();
    let claim = session.app.claim.as_mut().expect("a claim is in view");
    let Detail::Ready(detail) = &mut claim.detail else { panic!("it was read") };
    let detail: &mut ClaimDetail = Arc::make_mut(detail);
    let citations = detail.outcome.judged().expect("judged").citations.clone();
    detail.inherited = Some(Inherited { from: vec![id(8)], citations });
    detail.outcome =
        Outcome::NotJudged { state: NoVerdict::Added, reason: "split from rx-0#9 by ana".to_owned() };
    let detail = detail.clone();
    claim.take_evidence(&detail, &own);
    session
}

fn ruling(session: &mut Session) -> Ruling {
    match session.requests().pop() {
        Some((1, Request::Override(ruling))) => ruling,
        other => panic!("an override, not {other:?}"),
    }
}

#[test]
fn a_ruling_without_a_span_says_so_and_how_to_mark_one() {
    let mut session = split();
    session.press("1");
    let asked = ruling(&mut session);
    assert_eq!(asked.evidence, None, "the store joins what fits");
    session.store_says_yes(1, Request::Override(asked));
    assert_eq!(session.toast(), "rx-0#2: saved without an evidence span, H e marks one");
}

#[test]
fn a_ruling_on_the_span_of_the_parent_names_the_parent() {
    let mut session = split();
    session.press("4");
    let asked = ruling(&mut session);
    let detail = session.app.detail().expect("in view").clone();
    let passage = &detail.record.passages[0];
    let span = detail.inherited.as_ref().and_then(|inherited| inherited.citations[0].span).expect("located");
    let evidence = ChosenSpan::new(passage, span, Role::Contradicts).map(|span| vec![span]);
    session.store_says_yes(1, Request::Override(Ruling { evidence, ..asked }));
    assert_eq!(session.toast(), "rx-0#2: with the span cited for rx-0#9");
}

#[test]
fn what_cannot_be_shown_needs_no_span() {
    for key in ["3", "5", "0"] {
        let mut session = split();
        session.press(key);
        let asked = ruling(&mut session);
        session.store_says_yes(1, Request::Override(asked));
        assert!(!session.toast().contains("evidence span"), "{key}: {}", session.toast());
    }
}

#[test]
fn the_parents_span_is_marked_where_evidence_is_chosen_and_recorded_as_chosen() {
    let mut session = split();
    session.press("e 4 enter");
    let evidence = ruling(&mut session).evidence.expect("what stood marked");
    assert_eq!((evidence[0].quote.as_str(), evidence[0].role), ("The maximum", Role::Contradicts));
}

#[test]
fn spans_of_the_other_kind_alone_are_told_before_any_verdict_is_recorded() {
    for (keys, verdict) in
        [("e 2 enter", HumanVerdict::PartiallySupported), ("e 1 enter", HumanVerdict::FullySupported)]
    {
        let mut session = Session::with(2);
        session.press(keys);
        assert_eq!(session.requests(), [], "{keys}");
        assert_eq!(session.toast(), "your span says the opposite: Enter again records it", "{keys}");
        session.after(300);
        session.press("enter");
        assert_eq!(ruling(&mut session).verdict, verdict);
    }
}
