use super::session::{Session, decided, event, id};
use crate::domain::decision::{HumanVerdict, Request};
use crate::domain::event::Event;
use crate::domain::ids::ClaimKey;
use crate::store::{Redone, Undone};
use crate::tui::effect::Effect;
use crate::tui::message::Message;

fn redone(session: &mut Session, key: i64, request: &Request) {
    let redone = Redone {
        event: event(key, request),
        claim: Some(ClaimKey(key)),
        standing: Some(decided()),
        others: 0,
        claims: Vec::new(),
        next: None,
    };
    session.send(Message::Redone(Ok(Box::new(redone))));
}

/// Claim 1 is confirmed and taken back in this session.
fn taken_back() -> Session {
    let mut session = Session::with(3);
    session.do_and_save("c");
    session.look();
    session.press("u");
    assert_eq!(session.take().pop(), Some(Effect::Undo(1)));
    let event = event(1, &Request::Confirm);
    let undone = Undone {
        event,
        claim: Some(ClaimKey(1)),
        standing: None,
        disposition: None,
        others: 0,
        claims: Vec::new(),
        kept: Vec::new(),
    };
    session.send(Message::Undone(Ok(Box::new(undone))));
    session.look();
    assert_eq!(session.here(), Some(1));
    session
}

#[test]
fn r37_what_was_taken_back_is_done_again_with_one_key() {
    for key in ["U", "ctrl-r"] {
        let mut session = taken_back();
        session.press(key);
        assert_eq!(session.take(), [Effect::Redo(1)], "{key}");
        session.press("c");
        assert_eq!(session.requests(), [], "it is still being saved");
        redone(&mut session, 1, &Request::Confirm);
        assert_eq!(session.here(), Some(1), "it is shown with what stands now");
        assert_eq!(session.saved(), format!("{} confirmed CONTRADICTED", id(1)));
        assert!(
            session.toast().contains("done again on rx-0#2: confirm CONTRADICTED"),
            "{}",
            session.toast()
        );
        let last = session.app.last_decision.clone().unwrap();
        assert_eq!((last.claim, last.ruling.verdict), (ClaimKey(1), HumanVerdict::Contradicted));
        session.press("c");
        assert_eq!(session.requests(), [], "it has to be looked at anew");
    }
}

#[test]
fn the_first_redo_of_a_session_only_shows_what_it_would_do() {
    let mut session = Session::with(3);
    let earlier = |session: &mut Session, found: Option<Event>| {
        session.send(Message::ToRedo(Ok(found.map(Box::new))));
    };
    session.press("U");
    assert_eq!(session.take(), [Effect::FindRedo]);
    earlier(&mut session, Some(event(2, &Request::Confirm)));
    assert!(
        session.toast().starts_with("U again does again: confirm CONTRADICTED of rx-0#3"),
        "{}",
        session.toast()
    );
    session.look();
    session.press("u");
    assert_eq!(session.take(), [Effect::FindUndo], "the other key does not take up the offer");
    session.send(Message::ToUndo(Ok(None), 0));
    session.after(1000);
    session.press("U");
    assert_eq!(session.take(), [Effect::FindRedo]);
    earlier(&mut session, Some(event(2, &Request::Confirm)));
    session.look();
    session.press("U");
    assert_eq!(session.take(), [Effect::Redo(1)]);
    redone(&mut session, 2, &Request::Confirm);
    assert_eq!(session.here(), Some(2), "it goes there");
    let mut session = Session::with(3);
    session.press("U");
    earlier(&mut session, None);
    assert_eq!(session.toast(), "there is nothing of yours to redo");
}

#[test]
fn a_refusal_of_the_store_is_said_and_nothing_changes() {
    let mut session = taken_back();
    session.press("U");
    session.take();
    session.send(Message::Redone(Err("bo decided rx-0#2 after you took your decision back".to_owned())));
    assert!(session.toast().contains("bo decided"), "{}", session.toast());
    assert_eq!((session.here(), session.saved().as_str()), (Some(1), ""));
    session.press("c");
    assert_eq!(session.requests(), [(1, Request::Confirm)], "the claim is open as before");
}

#[test]
fn a_held_redo_key_acts_once() {
    let mut session = taken_back();
    for _ in 0..20 {
        session.press("U");
        if session.take().contains(&Effect::Redo(1)) {
            redone(&mut session, 1, &Request::Confirm);
        }
        session.drawn();
        session.after(30);
    }
    assert!(session.toast().contains("dropped: too fast"), "{}", session.toast());
}

#[test]
fn undo_and_redo_name_the_act_that_was_shown() {
    let mut session = Session::with(3);
    session.press("c");
    session.take();
    let saved = |key: i64, seq: i64| Event { seq, ..event(key, &Request::Confirm) };
    session.send(Message::Decided {
        claim: ClaimKey(1),
        id: id(1),
        request: Request::Confirm,
        result: Ok(Box::new(saved(1, 41))),
    });
    session.look();
    session.press("u");
    assert_eq!(session.take().pop(), Some(Effect::Undo(41)), "what the mark of the last save tells of");
    // Somebody did something in another window meanwhile: the store refuses, and the next undo shows first.
    session.send(Message::Undone(Err("ana did FLAG on rx-9#1 since (event 42)".to_owned())));
    assert!(session.toast().ends_with("u shows what can be taken back"), "{}", session.toast());
    session.after(1000);
    session.press("u");
    assert_eq!(session.take(), [Effect::FindUndo]);
    session.send(Message::ToUndo(Ok(Some(Box::new(saved(3, 42)))), 0));
    session.look();
    session.press("u");
    assert_eq!(session.take(), [Effect::Undo(42)], "and takes back what it showed");
}

#[test]
fn while_it_is_looked_up_what_an_undo_would_take_back_nothing_is_recorded() {
    for key in ["u", "U"] {
        let mut session = Session::with(3);
        session.press(&format!("{key} c"));
        assert_eq!(session.requests(), [], "{key}");
        session.send(if key == "u" { Message::ToUndo(Ok(None), 0) } else { Message::ToRedo(Ok(None)) });
        session.look();
        session.press("c");
        assert_eq!(session.requests(), [(1, Request::Confirm)], "{key}: it is known now");
    }
}

#[test]
fn a_redo_of_what_is_in_view_redoes_and_never_undoes() {
    let mut session = Session::with(3);
    session.app.acted = true;
    session.press("U");
    assert_eq!(session.take(), [Effect::FindRedo]);
    session.send(Message::ToRedo(Ok(Some(Box::new(event(1, &Request::Confirm))))));
    assert_eq!(session.take(), [Effect::Redo(1)]);
}

#[test]
fn after_an_undo_and_a_redo_of_many_the_cursor_stands_on_one_of_them_and_stays_there() {
    let mut session = Session::with(6);
    session.press("j");
    session.look();
    // Three at once, of which the second was looked at; the cursor went on.
    session.press("j j j");
    session.look();
    let claims = vec![ClaimKey(1), ClaimKey(2), ClaimKey(3)];
    let undone = Undone {
        event: event(1, &Request::Confirm),
        claim: Some(ClaimKey(1)),
        standing: None,
        disposition: None,
        others: 2,
        claims: claims.clone(),
        kept: Vec::new(),
    };
    session.send(Message::Undone(Ok(Box::new(undone))));
    assert_eq!(session.here(), Some(2), "the one that was looked at");
    session.look();
    let redone = Redone {
        event: event(3, &Request::Confirm),
        claim: Some(ClaimKey(3)),
        standing: Some(decided()),
        others: 2,
        claims,
        next: None,
    };
    session.send(Message::Redone(Ok(Box::new(redone))));
    assert_eq!(session.here(), Some(2), "it is one of those that were done again");
}
