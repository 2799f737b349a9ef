//! The mouse over the review.

use ratatui::layout::{Position, Rect};

use super::session::Session;
use crate::tui::app::{Focus, Mode};
use crate::tui::message::Message;

fn in_row(area: Rect, row: u16) -> Position {
    Position { x: area.x + 1, y: area.y + row }
}

fn click(session: &mut Session, at: Position) {
    session.send(Message::Click(at));
}

fn wheel(session: &mut Session, at: Position, down: bool) {
    session.send(Message::Wheel { at, down });
}

#[test]
fn a_click_takes_a_row_or_a_pane_in_hand_and_decides_nothing() {
    let mut session = Session::with(5);
    let panes = session.app.geometry;
    click(&mut session, in_row(panes.queue, 3));
    assert_eq!((session.here(), session.app.focus), (Some(4), Focus::Queue));
    click(&mut session, in_row(panes.answer, 0));
    assert_eq!((session.here(), session.app.focus), (Some(4), Focus::Answer));
    click(&mut session, in_row(panes.evidence, 0));
    assert_eq!(session.app.focus, Focus::Evidence);
    // Below the last row, and on the frame, there is nothing.
    click(&mut session, in_row(panes.queue, 7));
    click(&mut session, Position { x: 0, y: 0 });
    assert_eq!(session.here(), Some(4));
    assert!(session.requests().is_empty());
}

#[test]
fn a_claim_that_was_clicked_is_decided_only_once_it_was_seen() {
    let mut session = Session::with(3);
    let second = in_row(session.app.geometry.queue, 1);
    click(&mut session, second);
    session.press("c");
    assert!(session.requests().is_empty());
    assert!(session.toast().contains("dropped"), "{}", session.toast());
}

#[test]
fn the_wheel_moves_what_is_under_it() {
    let mut session = Session::with(5);
    let list = in_row(session.app.geometry.queue, 0);
    wheel(&mut session, list, true);
    wheel(&mut session, list, true);
    wheel(&mut session, list, false);
    assert_eq!(session.here(), Some(2));
    session.press("?");
    wheel(&mut session, list, true);
    assert!(matches!(session.app.mode, Mode::Help { top: 3 }));
    click(&mut session, list);
    assert!(matches!(session.app.mode, Mode::Help { .. }) && session.here() == Some(2));
}
