//! The story of a claim over the queue.

use std::sync::Arc;

use super::session::Session;
use crate::domain::ids::ClaimKey;
use crate::tui::app::Mode;
use crate::tui::effect::Effect;
use crate::tui::exchanges::Reading;
use crate::tui::message::Message;
use crate::tui::story::{Line, StoryPage, Top};
use crate::tui::theme::Role;

fn page(session: &Session) -> &StoryPage {
    match &session.app.mode {
        Mode::Story(page) => page,
        other => panic!("{other:?}"),
    }
}

fn line(text: &str) -> Line {
    Line { lead: "  ".into(), text: text.into(), role: Role::Label }
}

/// Presses the key; the store tells these lines.
fn opened(mut session: Session, lines: Vec<Line>) -> Session {
    session.press("h");
    let Some(Effect::LoadStory { run, .. }) = session.take().pop() else { panic!("nothing was asked") };
    session.send(Message::Story { run, result: Ok(lines.into()) });
    session
}

#[test]
fn one_key_tells_the_story_of_the_claim_and_three_go_back_to_it() {
    for close in ["h", "esc", "q"] {
        let mut session = Session::with(3);
        session.press("j");
        session.press("h");
        let Some(Effect::LoadStory { claim, .. }) = session.take().pop() else { panic!("nothing was asked") };
        assert_eq!(claim, ClaimKey(2));
        session.press(close);
        assert!(matches!(session.app.mode, Mode::Normal) && !session.app.quitting, "{close}");
        assert_eq!(session.here(), Some(2));
    }
    let mut session = Session::with(0);
    session.press("h");
    assert!(matches!(session.app.mode, Mode::Normal));
    assert_eq!(session.toast(), "there is no claim here");
}

#[test]
fn it_scrolls_by_rows_and_pages_and_never_past_its_ends() {
    let long = "word ".repeat(200);
    let mut lines: Vec<Line> = (0..60).map(|at| line(&format!("line {at}"))).collect();
    lines.insert(3, line(&long));
    let mut session = opened(Session::with(1), lines);
    session.press("k");
    assert_eq!(page(&session).top, Top::default());
    session.press("j");
    assert_eq!(page(&session).top, Top { line: 1, row: 0 });
    for _ in 0..3 {
        session.press("j");
    }
    assert_eq!(page(&session).top, Top { line: 3, row: 1 }, "a row of the long line");
    session.press("k");
    assert_eq!(page(&session).top, Top { line: 3, row: 0 });
    session.press("G");
    let end = page(&session).top;
    session.press("pgdn");
    assert_eq!(page(&session).top, end);
    let height = usize::from(session.app.geometry.help.height);
    assert_eq!(end, Top { line: 61 - height, row: 0 }, "the last page is full");
    session.press("pgup");
    assert!(page(&session).top < end);
    session.press("home");
    assert_eq!(page(&session).top, Top::default());
}

#[test]
fn what_cannot_be_read_is_said_and_an_answer_that_comes_too_late_is_not_shown() {
    let mut session = Session::with(2);
    session.press("h");
    let Some(Effect::LoadStory { run, .. }) = session.take().pop() else { panic!("nothing was asked") };
    session.send(Message::Story { run: run - 1, result: Ok(Arc::new([line("stale")])) });
    assert_eq!(page(&session).lines, Reading::Loading);
    session.send(Message::Story { run, result: Err("the row is damaged".into()) });
    assert_eq!(page(&session).lines, Reading::Error("the row is damaged".into()));
}

#[test]
fn nothing_is_decided_while_the_story_is_told() {
    let mut session = opened(Session::with(2), vec![line("one")]);
    for key in ["c", "1", "s", "f"] {
        session.press(key);
        assert!(session.take().is_empty(), "{key}");
        assert!(session.toast().starts_with("nothing is decided here"), "{key}: {}", session.toast());
    }
}
