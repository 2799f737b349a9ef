//! Copying to the clipboard of the terminal.

use super::session::Session;
use crate::domain::ids::ClaimKey;
use crate::tui::clipboard::LARGEST;
use crate::tui::effect::{Effect, TerminalEffect};
use crate::tui::message::Message;

/// What was copied since the last call.
fn copied(session: &mut Session) -> Option<String> {
    session.take().into_iter().find_map(|effect| match effect {
        Effect::Terminal(TerminalEffect::Copy(text)) => Some(text),
        _ => None,
    })
}

#[test]
fn a_letter_says_what_is_copied_and_the_screen_says_how_much() {
    let mut session = Session::with(2);
    let detail = session.app.detail().unwrap().clone();
    session.press("y c");
    assert_eq!(copied(&mut session).as_deref(), Some(detail.claim_text.as_str()));
    let count = detail.claim_text.chars().count();
    assert_eq!(session.toast(), format!("copied {count} characters: the claim"));
    session.press("y i");
    assert_eq!(copied(&mut session), Some(detail.id.to_string()));
    session.press("y s");
    let quoted = detail.outcome.judged().unwrap().citations[0].quote.clone();
    assert_eq!(copied(&mut session), Some(quoted));
    assert!(session.requests().is_empty(), "nothing is recorded");
}

#[test]
fn a_whole_record_is_copied_as_it_came() {
    let mut session = Session::with(1);
    session.press("y r");
    let Some(Effect::LoadLine { run, claim: ClaimKey(1) }) = session.take().pop() else {
        panic!("nothing was asked")
    };
    session.send(Message::Line { run, result: Ok("{\"audit_id\":\"a\u{1b}\"}\n".into()) });
    assert_eq!(copied(&mut session).as_deref(), Some("{\"audit_id\":\"a\u{1b}\"}\n"));
    assert_eq!(session.toast(), "copied 18 characters: the record, some of them hidden or line ends");
    session.send(Message::Line { run, result: Err("the row is damaged".into()) });
    assert_eq!(session.toast(), "nothing is copied: the row is damaged");
}

#[test]
fn what_is_too_long_for_a_terminal_or_is_not_there_is_refused_in_a_sentence() {
    let mut session = Session::with(1);
    session.send(Message::Line { run: 1, result: Ok("x".repeat(LARGEST + 1)) });
    assert_eq!(copied(&mut session), None);
    assert!(session.toast().starts_with("not copied: the record has 56,245 bytes"), "{}", session.toast());
    session.send(Message::Line { run: 1, result: Ok("x".repeat(LARGEST)) });
    assert!(copied(&mut session).is_some());
    let mut nothing = Session::with(0);
    nothing.press("y c");
    assert_eq!(nothing.toast(), "there is no claim here");
}
