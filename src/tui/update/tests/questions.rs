//! What is said first is done by the same key again, once it could be read and while it stands there.

use super::in_view::ruled;
use super::session::{Session, decided, event};
use crate::domain::decision::{HumanVerdict, Request, Ruling};
use crate::domain::ids::ClaimKey;
use crate::domain::word::{Opposed, Then};
use crate::tui::effect::Effect;
use crate::tui::message::Message;

/// The same person rules on the claim in hand, in another window.
fn ruled_elsewhere(session: &mut Session) {
    session.rows[0].decided = Some(decided());
    session.send(Message::Looked(Ok(true)));
    session.drawn();
}

/// `key` was struck and asked something. At once and 249 ms after it was drawn it does nothing, then it is heard.
fn is_heard_once_read(session: &mut Session, key: &str, asked: fn(&mut Session) -> usize) {
    let said = session.toast().to_owned();
    assert_eq!(asked(session), 0, "{key}: {said}");
    session.after(1000);
    session.strike(key);
    assert_eq!(asked(session), 0, "{key}: it was not drawn");
    session.drawn();
    session.after(200);
    session.strike(key);
    session.lets_go();
    assert_eq!(asked(session), 0, "{key}: nobody has read it");
    assert!(
        session.toast().starts_with("too fast: ") && session.toast().ends_with(&said),
        "{}",
        session.toast()
    );
    session.drawn();
    session.after(1000);
    session.strike(key);
    session.lets_go();
    assert_eq!(asked(session), 1, "{key}: {}", session.toast());
}

fn rulings(session: &mut Session) -> usize {
    session.requests().len()
}

fn undone(session: &mut Session) -> usize {
    session.take().iter().filter(|effect| matches!(effect, Effect::Undo(_) | Effect::Redo(_))).count()
}

#[test]
fn a_ruling_of_ones_own_in_another_window_is_read_before_a_key_overturns_it() {
    let mut session = Session::with(3);
    ruled_elsewhere(&mut session);
    session.after(1000);
    session.strike("3");
    assert!(session.toast().contains("in another window: 3 again changes it"), "{}", session.toast());
    is_heard_once_read(&mut session, "3", rulings);
    // Another key asks anew.
    let mut session = Session::with(3);
    ruled_elsewhere(&mut session);
    session.after(1000);
    session.strike("3");
    session.look();
    session.strike("1");
    assert_eq!(session.requests(), []);
    assert!(session.toast().contains("1 again changes it"), "{}", session.toast());
}

#[test]
fn in_the_menu_and_the_choice_of_evidence_too() {
    for keys in ["o 3", "e 3"] {
        let mut session = Session::with(3);
        session.strike(keys);
        session.look();
        ruled_elsewhere(&mut session);
        session.after(1000);
        session.strike("enter");
        assert!(session.toast().contains("in another window: Enter again"), "{keys}: {}", session.toast());
        is_heard_once_read(&mut session, "enter", rulings);
    }
}

#[test]
fn what_an_undo_or_a_redo_would_do_is_read_before_it_is_done() {
    for key in ["u", "U"] {
        let mut session = Session::with(3);
        session.strike(key);
        session.take();
        let found = Ok(Some(Box::new(event(3, &Request::Confirm))));
        session.send(if key == "u" { Message::ToUndo(found, 0) } else { Message::ToRedo(found) });
        is_heard_once_read(&mut session, key, undone);
    }
}

#[test]
fn a_ruling_against_others_counts_once_they_were_read_also_where_the_frame_came_late() {
    for key in ["1", "c"] {
        let mut session = Session::with(2);
        session.strike(key);
        let (claim, request) = session.requests().pop().expect("asked for");
        let ruling = Ruling::only(HumanVerdict::Unsupported);
        let opposed = Opposed { others: vec![ruled("ben", ruling, 7)], then: Then::Disputes };
        session.send(Message::Opposed { claim: ClaimKey(claim), request, opposed: Box::new(opposed) });
        is_heard_once_read(&mut session, key, rulings);
    }
}

#[test]
fn ones_own_ruling_is_read_before_the_key_that_leads_on_takes_it_back() {
    let mut rows = vec![super::session::row(1), super::session::row(2)];
    let mut own = decided();
    own.kind = crate::domain::decision::DecisionKind::Overridden;
    rows[0].decided = Some(own);
    let mut session = Session::of(rows);
    session.strike("c");
    assert!(session.toast().contains("c again confirms"), "{}", session.toast());
    is_heard_once_read(&mut session, "c", rulings);
}

#[test]
fn a_question_in_whose_place_something_else_is_said_is_said_again_first() {
    let mut session = Session::with(3);
    ruled_elsewhere(&mut session);
    session.after(1000);
    session.strike("3");
    session.look();
    session.send(Message::HookFailed("it ended with 1".to_owned()));
    session.look();
    session.strike("3");
    assert_eq!(session.requests(), []);
    assert!(session.toast().contains("3 was dropped · you ruled"), "{}", session.toast());
    session.look();
    session.strike("3");
    session.lets_go();
    assert_eq!(session.requests().len(), 1);
}

#[test]
fn spans_of_the_other_kind_against_a_colleague_take_one_word_for_each() {
    let mut session = Session::with(2);
    session.press("e 1 enter");
    assert!(session.toast().contains("says the opposite"), "{}", session.toast());
    session.press("enter");
    let (claim, request) = session.requests().pop().expect("asked for");
    let ruling = Ruling::only(HumanVerdict::Unsupported);
    let opposed = Opposed { others: vec![ruled("ben", ruling, 7)], then: Then::Disputes };
    session.send(Message::Opposed { claim: ClaimKey(claim), request, opposed: Box::new(opposed) });
    session.press("enter");
    let against = session.take().into_iter().find_map(|effect| match effect {
        Effect::Decide { against, .. } => Some(against),
        _ => None,
    });
    assert_eq!(against, Some(vec![7]), "{}", session.toast());
}
