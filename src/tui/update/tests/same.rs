use super::session::{Session, row};
use crate::tui::app::Mode;
use crate::tui::effect::Effect;
use crate::tui::marks::Together;
use crate::tui::message::Message;

/// Three claims; the first one is the same as two others.
fn group() -> Session {
    let mut session = Session::with(3);
    answer(&mut session, &[1, 7, 8]);
    session
}

fn answer(session: &mut Session, keys: &[i64]) {
    let run = session.app.same.as_ref().expect("it was asked").asked;
    session.send(Message::Same { run, result: Ok(keys.iter().map(|key| row(*key)).collect()) });
}

#[test]
fn the_same_claim_in_many_answers_is_decided_with_its_count_in_view() {
    let mut session = group();
    session.press("*");
    assert!(matches!(session.app.mode, Mode::Many(_)));
    session.press("c");
    session.drawn();
    session.after(300);
    session.press("enter");
    let asked = session.take().into_iter().find_map(|effect| match effect {
        Effect::DecideMany { claims, together } => Some((claims, together)),
        _ => None,
    });
    let (claims, together) = asked.expect("they are decided");
    assert_eq!(
        (claims.iter().map(|key| key.0).collect::<Vec<_>>(), together),
        (vec![1, 7, 8], Together::Confirm)
    );
}

#[test]
fn who_closes_the_question_leaves_nothing_marked() {
    let mut session = group();
    session.press("* esc");
    assert!(matches!(session.app.mode, Mode::Normal) && session.app.marks.is_empty());
    session.press("space");
    session.look();
    session.after(2000);
    session.press("*");
    assert!(session.toast().contains("other claims are marked"), "{}", session.toast());
}

#[test]
fn a_claim_that_stands_alone_is_not_grouped() {
    let mut session = Session::with(3);
    answer(&mut session, &[1]);
    session.press("*");
    assert!(session.toast().contains("no other open answer"), "{}", session.toast());
    assert!(matches!(session.app.mode, Mode::Normal));
}

#[test]
fn who_asks_before_the_answer_is_there_gets_it_when_it_comes() {
    let mut session = Session::with(3);
    session.press("*");
    assert!(session.toast().contains("looking for"), "{}", session.toast());
    answer(&mut session, &[1, 9]);
    assert!(matches!(session.app.mode, Mode::Many(_)));
}

#[test]
fn how_many_have_the_same_claim_is_asked_again_when_the_file_changed() {
    let mut session = group();
    let before = session.app.same.as_ref().map(|same| same.asked);
    // What the window says of the file is what it was read of.
    session.send(Message::Looked(Ok(true)));
    let after = session.app.same.as_ref().map(|same| same.asked);
    assert_ne!(before, after, "others may have decided some of them");
    session.send(Message::Looked(Ok(true)));
    assert_eq!(session.app.same.as_ref().map(|same| same.asked), after, "it has not changed since");
}
