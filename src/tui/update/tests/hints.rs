//! The lines for newcomers.

use super::decide::shown;
use super::session::Session;
use crate::tui::effect::Effect;
use crate::tui::message::Message;

/// How far the store was told that the person is.
fn kept(session: &mut Session) -> Option<usize> {
    session.take().into_iter().find_map(|effect| match effect {
        Effect::KeepHints(done) => Some(done),
        _ => None,
    })
}

#[test]
fn a_newcomer_is_told_one_line_until_it_is_done_and_the_store_keeps_that() {
    let mut session = Session::with(3);
    assert!(!shown(&session).contains("agrees with the judge"), "nobody knows yet who is new");
    session.send(Message::Hints(Ok(0)));
    assert!(shown(&session).contains("c agrees with the judge"), "{}", shown(&session));
    session.press("c");
    assert_eq!(kept(&mut session), Some(1));
    assert!(shown(&session).contains("u takes it back"), "{}", shown(&session));
    let mut later = Session::with(3);
    later.send(Message::Hints(Ok(9)));
    later.press("c");
    assert_eq!(kept(&mut later), None);
}

#[test]
fn what_has_the_keyboard_hides_the_line_and_a_failure_shows_none() {
    let mut session = Session::with(3);
    session.send(Message::Hints(Err("the store is busy".into())));
    assert!(!shown(&session).contains("agrees with the judge") && session.toast().is_empty());
}
