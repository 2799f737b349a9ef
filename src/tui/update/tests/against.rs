//! What was ruled against together: its answers can still go out, and the question about them leaves nothing behind.

use super::marks::{asked, marked};
use super::session::{Session, event};
use crate::domain::decision::{Disposition, HumanVerdict, Request, Ruling};
use crate::store::Batched;
use crate::tui::app::Mode;
use crate::tui::marks::Together;
use crate::tui::message::Message;

/// Four claims, of which two were ruled CONTRADICTED together: `A` asks about their answers.
fn ruled_against() -> Session {
    let mut session = Session::with(4);
    session.press("space space A 4");
    session.look();
    session.press("enter");
    let (_, together) = asked(&mut session).unwrap();
    let rule = Request::Override(Ruling::only(HumanVerdict::Contradicted));
    session.rows.drain(..2);
    let events = vec![event(1, &rule), event(2, &rule)];
    session.send(Message::DecidedMany { together, result: Ok(Batched { events, ..Batched::default() }) });
    session.look();
    session
}

#[test]
fn who_leaves_the_question_about_what_was_ruled_against_leaves_nothing_marked() {
    let mut session = ruled_against();
    session.press("A esc");
    assert!(matches!(session.app.mode, Mode::Normal));
    assert!(session.app.marks.is_empty() && !session.app.marks.are_against, "{:?}", marked(&session));
    // What is marked now has to be in the list to be acted on.
    session.press("space");
    assert_eq!(marked(&session), [3]);
    session.fit = vec![4];
    session.press("\\");
    session.type_text("claim");
    session.press("enter");
    session.find();
    session.look();
    session.press("A");
    assert!(session.toast().contains("1 claim marked, none of this list"), "{}", session.toast());
}

#[test]
fn a_group_that_could_not_be_saved_is_not_marked_and_its_words_stay() {
    let mut session = ruled_against();
    session.press("A b");
    session.type_text("dose");
    session.press("enter");
    session.look();
    session.press("enter");
    let (_, together) = asked(&mut session).unwrap();
    session.send(Message::DecidedMany { together, result: Err("the disk is full".to_owned()) });
    assert!(session.app.marks.is_empty() && !session.app.marks.are_against);
    session.look();
    session.press("A b enter");
    let text = super::decide::shown(&session);
    assert!(text.contains("why: dose"), "{text}");
}

#[test]
fn answers_that_were_ruled_against_together_can_be_blocked_at_once() {
    let mut session = ruled_against();
    assert!(
        session.toast().contains("2 claims ruled CONTRADICTED · 1 answer can still go out: A b blocks it"),
        "{}",
        session.toast()
    );
    session.press("A b");
    assert_eq!(marked(&session), [1, 2], "though the list has them no more");
    session.press("enter");
    session.look();
    session.press("enter");
    let together = Together::Dispose { disposition: Disposition::Block, note: None };
    assert_eq!(asked(&mut session), Some((vec![1, 2], together.clone())));
    let mut done = event(5, &Request::Confirm);
    done.subject = "rx-0".to_owned();
    let result = Ok(Batched { events: vec![done], ..Batched::default() });
    session.send(Message::DecidedMany { together, result });
    session.press("esc A");
    assert_eq!(session.toast(), "no claim is marked", "once");
}
