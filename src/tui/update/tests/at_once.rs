//! Keys that came all at once: one text, or each a key.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::session::Session;
use crate::tui::message::Message;

#[test]
fn keys_that_came_at_once_are_one_text_only_where_each_is_a_letter_of_a_note() {
    let key = |code| KeyEvent::new(code, KeyModifiers::NONE);
    let (a, esc) = (key(KeyCode::Char('a')), key(KeyCode::Esc));
    let next = |session: &Session, keys: Vec<KeyEvent>| {
        let mut inbox = std::collections::VecDeque::from([Message::Typed(keys), Message::Tick]);
        std::iter::from_fn(|| crate::tui::desk::next(&mut inbox, &session.app))
            .map(|message| format!("{message:?}"))
            .collect::<Vec<_>>()
    };
    let said =
        |messages: &[Message]| -> Vec<String> { messages.iter().map(|one| format!("{one:?}")).collect() };
    let each = said(&[Message::Key(a), Message::Key(esc), Message::Tick]);
    let mut session = Session::with(1);
    assert_eq!(next(&session, vec![a, esc]), each, "no text is written");
    session.press("a");
    assert_eq!(next(&session, vec![a, a]), said(&[Message::Typed(vec![a, a]), Message::Tick]));
    assert_eq!(
        next(&session, vec![a, esc]),
        each,
        "each at a time of its own, and what it asks for is done before"
    );
}
