use super::session::{Session, decided, row};
use crate::domain::decision::{HumanVerdict, Request, Ruling};
use crate::tui::effect::Effect;
use crate::tui::message::Message;

fn position(session: &Session) -> Option<(usize, usize)> {
    session.app.trail.position()
}

/// Claims 1 to 3 are confirmed, claim 4 is under the cursor. The store still has all of them.
fn worked() -> Session {
    let mut session = Session::with(9);
    for _ in 0..3 {
        session.do_and_save("c");
        session.look();
    }
    assert_eq!(session.here(), Some(4));
    session
}

#[test]
fn r40_back_opens_what_was_decided_and_forward_returns() {
    let mut session = worked();
    for (key, here, at) in
        [("H", 3, 3), ("ctrl-o", 2, 2), ("H", 1, 1), ("L", 2, 2), ("L", 3, 3), ("L", 4, 4), ("H", 3, 3)]
    {
        session.press(key);
        session.look();
        assert_eq!((session.here(), position(&session)), (Some(here), Some((at, 4))), "{key}");
    }
    session.press("H H H");
    assert_eq!((session.here(), session.toast()), (Some(1), "no claim was looked at before this one"));
    session.press("L L L L");
    assert_eq!((session.here(), session.toast()), (Some(4), "no claim was looked at after this one"));
}

#[test]
fn the_position_in_the_history_is_shown() {
    let mut session = worked();
    assert!(!super::decide::shown(&session).contains("history"));
    session.press("H");
    session.look();
    assert!(super::decide::shown(&session).contains("history 3/4"));
    session.press("j");
    assert_eq!(position(&session), None);
}

#[test]
fn r40_a_decided_claim_is_decided_anew_and_work_goes_on_where_it_was() {
    let mut session = worked();
    session.press("H H");
    session.drawn();
    session.after(100);
    session.press("3");
    assert_eq!(session.requests(), [], "it must have been visible like any other");
    session.after(300);
    session.press("3");
    session.lets_go();
    let (key, request) = session.requests().remove(0);
    assert_eq!(key, 2);
    assert!(matches!(request, Request::Override(Ruling { verdict: HumanVerdict::Unsupported, .. })));
    session.store_says_yes(key, request);
    assert_eq!((session.here(), position(&session)), (Some(4), None));
    session.look();
    session.press("H");
    assert_eq!(session.here(), Some(2), "it was looked at last");
}

#[test]
fn r40_next_open_returns_from_the_history_to_the_first_open_claim_of_the_queue() {
    let mut session = worked();
    session.press("j j");
    session.look();
    session.press("H H");
    session.look();
    assert_eq!(session.here(), Some(3));
    session.press("]");
    assert_eq!((session.here(), position(&session)), (Some(4), None));
    session.look();
    session.press("]");
    assert_eq!(session.here(), Some(5), "else it goes to the next one");
}

#[test]
fn claims_that_were_only_passed_are_not_in_it() {
    let mut session = Session::with(9);
    for _ in 0..5 {
        session.press("j");
        session.drawn();
        session.after(50);
    }
    session.press("H");
    assert_eq!(session.here(), Some(1));
}

#[test]
fn the_first_claim_has_no_history_and_one_that_is_gone_says_so() {
    let mut session = Session::with(3);
    session.press("H");
    assert_eq!((session.here(), session.toast()), (Some(1), "no claim was looked at before this one"));
    session.press("L");
    assert_eq!((session.here(), position(&session)), (Some(1), None));
    let mut session = Session::with(1);
    session.do_and_save("c");
    assert_eq!(session.here(), None);
    session.press("H");
    assert_eq!(session.here(), Some(1), "also from an empty queue");
}

#[test]
fn a_store_that_holds_the_decision_shows_it_in_the_history() {
    let mut session = Session::with(3);
    session.do_and_save("c");
    session.look();
    let mut done = row(1);
    done.decided = Some(decided());
    session.rows.insert(0, done);
    session.press("H");
    session.send(Message::Looked(Ok(true)));
    assert!(session.app.detail().unwrap().standing.decided.is_some());
    session.look();
    session.press("r n");
    let reason = session
        .take()
        .into_iter()
        .any(|effect| matches!(effect, Effect::Decide { claim, .. } if claim.0 == 1));
    assert!(reason, "a reason can be given later");
}
