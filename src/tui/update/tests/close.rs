//! The claim gets the whole window and gives it back.

use super::session::{Session, row};
use crate::domain::decision::Request;
use crate::tui::app::{Focus, View};

fn reading() -> Session {
    let mut session = Session::before_start(vec![row(1), row(2)]);
    session.send(crate::tui::message::Message::Started { open: None });
    session.look();
    session
}

#[test]
fn each_key_brings_its_view_and_the_same_key_the_queue() {
    let mut session = reading();
    session.press("O");
    assert_eq!(session.app.view, View::Wide);
    session.press("=");
    assert_eq!(session.app.view, View::Differences, "from one to the other");
    session.press("=");
    assert_eq!(session.app.view, View::Beside);
    session.press("O");
    session.press("esc");
    assert_eq!(session.app.view, View::Beside, "Esc closes it too");
    session.press("i");
    assert!(session.app.metadata);
    session.press("i");
    assert!(!session.app.metadata);
}

#[test]
fn the_hidden_queue_never_has_the_focus_and_a_decision_goes_on_as_ever() {
    let mut session = reading();
    session.app.focus = Focus::Queue;
    session.press("O");
    assert_eq!(session.app.focus, Focus::Evidence);
    session.press("tab");
    assert_eq!(session.app.focus, Focus::Answer);
    session.press("tab");
    assert_eq!(session.app.focus, Focus::Evidence);
    session.look();
    session.press("c");
    assert!(matches!(session.requests().as_slice(), [(_, Request::Confirm)]));
    assert_eq!(session.app.view, View::Wide);
}

#[test]
fn without_a_claim_there_is_nothing_to_make_large() {
    let mut session = Session::before_start(Vec::new());
    session.send(crate::tui::message::Message::Started { open: None });
    for key in ["O", "=", "i"] {
        session.press(key);
        let said = session.app.toast.as_ref().map(|toast| toast.text.as_str());
        assert_eq!(said, Some("there is no claim here"), "{key}");
    }
    assert_eq!(session.app.view, View::Beside);
}

#[test]
fn an_error_on_an_empty_page_is_read_to_its_end_and_nothing_is_drawn_over_it() {
    let mut session = Session::with(1);
    session.do_and_save("c");
    session.look();
    assert_eq!(session.here(), None);
    for (why, is_whole) in
        [("ana did CONFIRM on mag-11#2 since", true), (&"a long reason ".repeat(20), false)]
    {
        session.send(crate::tui::message::Message::Undone(Err(why.to_owned())));
        let text = super::decide::shown(&session);
        let size = session.app.size;
        let (wide, high) = (usize::from(size.width), usize::from(size.height));
        let last: String = text.chars().skip((high - 2) * wide).take(wide).collect();
        assert!(last.starts_with("└─") && !last.contains("this session"), "{text}");
        assert_eq!(last.contains(&format!("nothing was undone: {why}")), is_whole, "{last}");
        assert_eq!(last.contains("not done"), !is_whole, "{last}");
        session.press("/");
        let text = super::decide::shown(&session);
        assert!(text.contains("Search") && !text.contains("this session"), "{text}");
        session.press("esc");
    }
}
