//! The list shows as many rows as it has lines, or all there are: whatever is pressed and whatever comes.

use proptest::prelude::*;
use ratatui::layout::Size;

use super::session::{Session, event, row};
use crate::domain::decision::Request;
use crate::domain::ids::ClaimKey;
use crate::store::Undone;
use crate::tui::effect::Effect;
use crate::tui::message::Message;

/// Lines of the list with a row on them.
fn lines(session: &Session) -> usize {
    let list = session.app.geometry.queue;
    let rows = session.app.queue.rows.len().saturating_sub(session.app.queue.top);
    rows.min(list.height.into())
}

/// The store does what was asked, and the newest decision is the one to take back.
fn answer(session: &mut Session, done: &mut Vec<i64>) {
    for effect in session.take() {
        match effect {
            Effect::Decide {
                claim,
                request: request @ (Request::Confirm | Request::Override { .. }),
                ..
            } => {
                done.push(claim.0);
                session.store_says_yes(claim.0, request);
            }
            Effect::Undo(_) | Effect::FindUndo if !done.is_empty() => {
                let Some(key) = done.pop() else { continue };
                session.rows.push(row(key));
                session.rows.sort_by_key(|row| row.key);
                session.counts.open += 1;
                let undone = Undone {
                    event: event(key, &Request::Confirm),
                    claim: Some(ClaimKey(key)),
                    standing: None,
                    disposition: None,
                    others: 0,
                    claims: Vec::new(),
                    kept: Vec::new(),
                };
                session.send(Message::Undone(Ok(Box::new(undone))));
            }
            _ => {}
        }
    }
}

fn check(session: &Session, after: &str) {
    let list = session.app.geometry.queue;
    let there = session.rows.len().max(session.app.queue.rows.len().min(session.rows.len() + 1));
    assert_eq!(
        lines(session),
        there.min(list.height.into()),
        "after {after}: {} rows in the store, {} loaded, the first shown is {}, {} lines",
        session.rows.len(),
        session.app.queue.rows.len(),
        session.app.queue.top,
        list.height,
    );
    if let Some(row) = session.app.selected_row() {
        let top = session.app.queue.top;
        assert!(
            (top..top + usize::from(list.height)).contains(&row),
            "after {after}: the cursor is out of sight"
        );
    }
}

#[derive(Debug, Clone)]
enum Step {
    Press(&'static str),
    Size(u16, u16),
    /// This claim arrives.
    Comes(i64),
    /// Somebody else decides this many claims from that one on.
    Go(usize, usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => proptest::sample::select(vec![
            "G", "g g", "j", "k", "c", "4", "u", "s", "]", "J", "K", "o", "enter", "esc", "?", "tab", "pgdn",
            "pgup", "w",
        ])
        .prop_map(Step::Press),
        1 => (60_u16..160, 15_u16..60).prop_map(|(width, height)| Step::Size(width, height)),
        2 => (1_i64..400).prop_map(Step::Comes),
        1 => (0_usize..400, 1_usize..60).prop_map(|(from, count)| Step::Go(from, count)),
    ]
}

fn take(session: &mut Session, step: &Step, done: &mut Vec<i64>) {
    session.look();
    match step {
        Step::Press(keys) => session.press(keys),
        Step::Size(width, height) => session.send(Message::Resize(Size::new(*width, *height))),
        Step::Comes(key) => {
            if !session.rows.iter().any(|row| row.key.0 == *key) && !done.contains(key) {
                session.rows.push(row(*key));
                session.rows.sort_by_key(|row| row.key);
                session.counts.open += 1;
            }
            session.send(Message::Looked(Ok(true)));
        }
        Step::Go(from, count) => {
            let from = (*from).min(session.rows.len());
            let to = (from + count).min(session.rows.len());
            session.rows.drain(from..to);
            session.send(Message::Looked(Ok(true)));
        }
    }
    answer(session, done);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn no_line_of_the_list_is_blank_while_there_are_rows_for_it(
        count in 1_i64..300,
        page in 60_usize..120,
        steps in proptest::collection::vec(step(), 1..40),
    ) {
        let mut session = Session::before_start((1..=count).map(row).collect());
        session.page = page;
        session.send(Message::Started { open: None });
        let mut done = Vec::new();
        for step in &steps {
            take(&mut session, step, &mut done);
            check(&session, &format!("{step:?}"));
        }
    }
}

#[test]
fn the_end_of_the_list_is_read_and_shown_from_its_last_line_up() {
    let mut session = Session::before_start((1..=13).map(row).collect());
    session.send(Message::Started { open: None });
    session.look();
    let mut done = Vec::new();
    for keys in ["G", "c", "u"] {
        take(&mut session, &Step::Press(keys), &mut done);
        assert_eq!(
            (lines(&session), session.app.queue.top),
            (session.app.queue.rows.len(), 0),
            "after {keys}"
        );
    }
    assert_eq!(session.here(), Some(13));
}

#[test]
fn rows_that_arrive_above_the_last_one_fill_the_list() {
    let mut session = Session::with(1);
    session.press("G");
    session.rows.extend((2..=120).map(row));
    session.rows.reverse();
    session.send(Message::Looked(Ok(true)));
    assert_eq!(session.here(), Some(1));
    assert_eq!(lines(&session), usize::from(session.app.geometry.queue.height));
}
