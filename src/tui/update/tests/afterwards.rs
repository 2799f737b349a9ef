//! What follows a decision: undo, the next claim, reasons, the pace.

use std::time::Duration;

use super::decide::shown;
use super::session::{START, Session, decided, event, id, row};
use crate::domain::decision::{Disposition, HumanVerdict, ReasonCode, Request, Ruling};
use crate::domain::event::{Act, Event};
use crate::domain::ids::{Annotator, ClaimKey};
use crate::domain::queue::Hold;
use crate::store::Undone;
use crate::tui::app::Mode;
use crate::tui::effect::Effect;
use crate::tui::message::Message;

#[test]
fn r39_undo_asks_the_store_and_goes_where_it_took_effect() {
    let mut session = Session::with(3);
    session.do_and_save("c");
    session.look();
    session.press("u");
    assert_eq!(session.take().last(), Some(&Effect::Undo(1)));
    session.rows.insert(0, row(1));
    let mut undo = event(1, &Request::Confirm);
    undo.undoes = Some(1);
    session.send(Message::Undone(Ok(Box::new(Undone {
        event: undo,
        claim: Some(ClaimKey(1)),
        standing: None,
        disposition: None,
        others: 0,
        claims: Vec::new(),
        kept: Vec::new(),
    }))));
    assert_eq!(session.here(), Some(1));
    assert_eq!(session.toast(), format!("undone on {}: confirm CONTRADICTED, no decision stands", id(1)));
    session.press("c");
    assert_eq!(session.requests(), [], "what came back has to be looked at again");
}

#[test]
fn r39_undo_says_when_there_is_nothing_to_undo() {
    let mut session = Session::with(1);
    session.press("u");
    assert_eq!(session.take().last(), Some(&Effect::FindUndo));
    session.send(Message::ToUndo(Ok(None), 0));
    assert_eq!(session.toast(), "there is nothing of yours to undo");
    session.after(500);
    session.press("u");
    session.send(Message::Undone(Err("someone else has adjudicated it".to_owned())));
    assert_eq!(
        session.toast(),
        "nothing was undone: someone else has adjudicated it · u shows what can be taken back"
    );
}

#[test]
fn undo_works_with_an_empty_queue_and_a_held_key_undoes_once() {
    let mut session = Session::of(Vec::new());
    for _ in 0..50 {
        session.press("u");
        session.after(30);
    }
    assert_eq!(session.take().iter().filter(|effect| **effect == Effect::FindUndo).count(), 1);
}

#[test]
fn the_first_undo_of_a_session_shows_what_it_would_take_back() {
    let mut session = Session::with(3);
    let ask = |session: &mut Session| {
        session.press("u");
        assert_eq!(session.take().last(), Some(&Effect::FindUndo));
        session.send(Message::ToUndo(Ok(Some(Box::new(event(3, &Request::Confirm)))), 0));
        assert_eq!(
            session.toast(),
            format!("u again takes back: confirm CONTRADICTED of {}, 2027-01-15 08:00", id(3))
        );
        session.take();
        session.look();
    };
    ask(&mut session);
    session.press("j k");
    session.look();
    ask(&mut session);
    session.after(31_000);
    session.send(Message::Tick);
    ask(&mut session);
    session.press("u");
    assert_eq!(session.take().last(), Some(&Effect::Undo(1)), "only while it is shown");
}

#[test]
fn what_goes_with_it_is_said_before_an_undo() {
    let mut session = Session::with(3);
    session.press("u");
    session.send(Message::ToUndo(Ok(Some(Box::new(event(3, &Request::Confirm)))), 2));
    let said = format!("u again takes back: confirm CONTRADICTED of {} and 2 more, 2027-01-15 08:00", id(3));
    assert_eq!(session.toast(), said);
}

#[test]
fn an_undo_says_what_it_took_back_and_leaves_no_mark() {
    for (request, words) in [
        (Request::Annotate { note: "n".to_owned() }, "note"),
        (Request::Skip(true), "skip"),
        (Request::Flag(true), "flag"),
        (Request::GiveReason(ReasonCode::NumberWrong), "reason NUMBER_WRONG"),
        (Request::Confirm, "confirm CONTRADICTED, no decision stands"),
        (
            Request::Blind { ruling: Ruling::only(HumanVerdict::Contradicted), overlap: 2 },
            "blind CONTRADICTED · not independent from now on: a third person is asked",
        ),
    ] {
        let mut session = Session::with(3);
        session.do_and_save("f");
        session.send(Message::Undone(Ok(Box::new(Undone {
            event: event(1, &request),
            claim: Some(ClaimKey(1)),
            standing: None,
            disposition: None,
            others: 0,
            claims: Vec::new(),
            kept: Vec::new(),
        }))));
        assert_eq!(session.toast(), format!("undone on {}: {words}", id(1)));
        session.after(6000);
        session.send(Message::Tick);
        assert_eq!((session.toast(), session.saved()), ("", String::new()));
    }
}

#[test]
fn r40_the_next_open_claim_is_one_key_away_and_skips_what_others_hold() {
    let mut rows: Vec<_> = (1..=5).map(row).collect();
    rows[1].decided = Some(decided());
    rows[2].held_by = Some(Hold {
        holder: Annotator::new("ben"),
        until: super::session::START.plus(Duration::from_mins(10)),
    });
    let mut session = Session::of(rows);
    session.press("]");
    assert_eq!(session.here(), Some(4));
    session.press("] ]");
    assert_eq!(session.here(), Some(1), "from the end to the beginning");
}

#[test]
fn a_reason_goes_to_the_last_decision_wherever_the_cursor_is() {
    let mut session = Session::with(3);
    session.do_and_save("3");
    session.press("r n");
    assert_eq!(session.requests(), [(1, Request::GiveReason(ReasonCode::NumberWrong))]);
    session.store_says_yes(1, Request::GiveReason(ReasonCode::NumberWrong));
    assert_eq!(session.here(), Some(2), "a reason moves nothing");
    assert_eq!(session.saved(), format!("{} reason NUMBER_WRONG", id(1)));
}

#[test]
fn the_question_for_a_reason_shows_the_claim_that_was_decided() {
    let mut session = Session::with(3);
    session.do_and_save("3");
    session.look();
    session.press("r");
    assert!(matches!(&session.app.mode, Mode::Reason(last) if last.claim_text == "claim 1"));
    let text = shown(&session);
    assert!(text.contains(&format!("Reason for  {} ", id(1))), "{text}");
    assert!(text.contains("claim 1"), "{text}");
    assert!(text.contains(&format!("─ {} · claim 1 of 1", id(2))), "the panel beside names the next claim");
}

#[test]
fn every_reason_has_its_letter_and_another_letter_asks_again() {
    for code in ReasonCode::ALL {
        let mut session = Session::with(3);
        session.do_and_save("3");
        session.press("r");
        session.press(&code.key().to_string());
        assert_eq!(session.requests(), [(1, Request::GiveReason(*code))]);
    }
    let mut session = Session::with(3);
    session.do_and_save("3");
    session.press("r z");
    assert_eq!(session.requests(), []);
    assert!(matches!(session.app.mode, Mode::Reason(_)));
    assert!(session.toast().contains("`z` is no reason"));
    session.press("esc c");
    assert!(matches!(session.app.mode, Mode::Normal));
}

#[test]
fn a_reason_without_a_decision_is_refused() {
    let mut session = Session::with(1);
    session.press("r");
    assert!(matches!(session.app.mode, Mode::Normal));
    assert!(session.toast().contains("no decision yet"), "{}", session.toast());
}

#[test]
fn on_a_decided_claim_the_reason_is_for_that_claim() {
    let mut rows: Vec<_> = (1..=3).map(row).collect();
    rows[0].decided = Some(decided());
    let mut session = Session::of(rows);
    session.press("r w");
    assert_eq!(session.requests(), [(1, Request::GiveReason(ReasonCode::NameWrong))]);
}

#[test]
fn the_pace_is_the_median_of_the_session_and_gives_the_time_left() {
    let mut session = Session::with(10);
    assert_eq!(session.app.time_left(), None);
    for seconds in [10, 20, 600, 30] {
        session.after(seconds * 1000);
        session.do_and_save("c");
        session.drawn();
    }
    assert_eq!(session.app.progress(), (4, 10));
    let left = session.app.time_left().expect("three decisions were made").as_secs();
    assert_eq!(left, 6 * 20, "the pause of ten minutes is no thinking");
}

#[test]
fn an_undo_of_a_disposition_says_what_stands_of_the_answer() {
    for (disposition, words) in [
        (None, "the answer has no disposition"),
        (Some((Annotator::new("ben"), Disposition::Return, START)), "RETURN of ben stands"),
    ] {
        let mut session = Session::with(3);
        let event = Event { act: Act::Dispose, subject: "rx-0".to_owned(), ..event(1, &Request::Confirm) };
        session.send(Message::Undone(Ok(Box::new(Undone {
            event,
            claim: None,
            standing: None,
            disposition,
            others: 0,
            claims: Vec::new(),
            kept: Vec::new(),
        }))));
        assert_eq!(session.toast(), format!("undone on rx-0: disposition, {words}"));
    }
}

#[test]
fn a_second_undo_shows_what_it_would_take_back_elsewhere() {
    let mut session = Session::with(3);
    session.do_and_save("c");
    session.look();
    session.press("u");
    let undone = Undone {
        event: event(1, &Request::Confirm),
        claim: Some(ClaimKey(1)),
        standing: None,
        disposition: None,
        others: 0,
        claims: Vec::new(),
        kept: Vec::new(),
    };
    session.send(Message::Undone(Ok(Box::new(undone))));
    session.look();
    session.take();
    session.press("u");
    assert_eq!(session.take().last(), Some(&Effect::FindUndo));
    session.send(Message::ToUndo(Ok(Some(Box::new(event(2, &Request::Confirm)))), 0));
    assert_eq!(session.take(), [], "only shown");
    assert!(session.toast().contains("u again takes back"), "{}", session.toast());
    session.drawn();
    session.after(500);
    session.press("u");
    session.lets_go();
    assert!(session.take().contains(&Effect::Undo(1)));
}

#[test]
fn a_second_undo_on_the_same_claim_asks_nothing() {
    let mut session = Session::with(3);
    session.app.acted = true;
    session.press("u");
    assert_eq!(session.take().last(), Some(&Effect::FindUndo));
    session.send(Message::ToUndo(Ok(Some(Box::new(event(1, &Request::Confirm)))), 0));
    assert_eq!(session.take(), [Effect::Undo(1)]);
}
