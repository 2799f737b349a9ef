//! The mouse over the review.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::{Position, Rect};

use super::session::Session;
use crate::domain::ids::ClaimKey;
use crate::tui::app::{Focus, Mode};
use crate::tui::message::{Message, MouseAct};

fn in_row(area: Rect, row: u16) -> Position {
    Position { x: area.x + 1, y: area.y + row }
}

fn click(session: &mut Session, at: Position) {
    session.send(Message::Mouse { at, act: MouseAct::Press });
    session.send(Message::Mouse { at, act: MouseAct::Release });
}

fn wheel(session: &mut Session, at: Position, down: bool) {
    session.send(Message::Mouse { at, act: if down { MouseAct::WheelDown } else { MouseAct::WheelUp } });
}

/// Goes from `from` to `to` by way of a cell between, with the button down.
fn draw_over(session: &mut Session, from: Position, to: Position) {
    session.send(Message::Mouse { at: from, act: MouseAct::Press });
    for at in [Position { x: from.x.midpoint(to.x), ..to }, to] {
        session.send(Message::Mouse { at, act: MouseAct::Drag });
    }
    session.send(Message::Mouse { at: to, act: MouseAct::Release });
}

/// Where `words` stand on the screen.
fn place_of(session: &Session, words: &str) -> Position {
    let mut terminal =
        Terminal::new(TestBackend::new(session.app.size.width, session.app.size.height)).unwrap();
    terminal.draw(|frame| crate::tui::screen::view(&session.app, frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |y: u16| -> String { (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect() };
    let found = (0..buffer.area.height).find_map(|y| {
        let row = row(y);
        let at = row.find(words)?;
        Some(Position { x: row[..at].chars().count() as u16, y })
    });
    found.unwrap_or_else(|| panic!("{words:?} is not on the screen"))
}

fn taken(session: &Session) -> &str {
    match &session.app.mode {
        Mode::Spans(editor) => &editor.text()[editor.selection()],
        other => panic!("evidence is chosen, not {other:?}"),
    }
}

/// The cell at the end of the words that begin at `at`.
fn end_of(at: Position, words: &str) -> Position {
    Position { x: at.x + words.len() as u16 - 1, ..at }
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

#[test]
fn words_of_the_evidence_that_are_drawn_over_become_a_span() {
    let mut session = Session::with(3);
    let passage = session.detail(ClaimKey(1)).record.passages[0].content.clone();
    let words: Vec<&str> = passage.split(' ').collect();
    let (first, last) = (place_of(&session, &words[2..4].join(" ")), words[2..4].join(" "));
    draw_over(&mut session, first, end_of(first, &last));
    assert_eq!(taken(&session), last.trim_end_matches('.'));
    // What the mouse took is marked and recorded by keys; drawn backwards it is the same.
    let (first, last) = (place_of(&session, words[1]), place_of(&session, words[2]));
    draw_over(&mut session, end_of(last, words[2]), first);
    assert_eq!(taken(&session), words[1..3].join(" "));
    click(&mut session, first);
    assert_eq!(taken(&session), words[1]);
    session.press("s esc");
    assert!(session.requests().is_empty());
}

#[test]
fn what_is_drawn_over_elsewhere_chooses_nothing() {
    let mut session = Session::with(3);
    let panes = session.app.geometry;
    for (from, to) in [
        (in_row(panes.queue, 0), in_row(panes.evidence, 0)),
        (in_row(panes.answer, 0), in_row(panes.evidence, 0)),
        (Position { x: 0, y: 0 }, in_row(panes.evidence, 0)),
    ] {
        draw_over(&mut session, from, to);
        assert!(matches!(session.app.mode, Mode::Normal), "{from}");
    }
    // A click into the evidence takes the pane in hand and no words.
    click(&mut session, in_row(panes.evidence, 0));
    assert!(matches!(session.app.mode, Mode::Normal));
    assert_eq!(session.app.focus, Focus::Evidence);
}
