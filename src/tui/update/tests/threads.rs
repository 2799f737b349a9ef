//! The list by answers: folding, moving, where decisions lead. Ten claims to an answer: 1 and 2 are of one.

use super::session::{Session, row};
use crate::domain::decision::Request;
use crate::domain::ids::{Annotator, ClaimKey};
use crate::domain::queue::Hold;
use crate::tui::threads::Line;

fn session() -> Session {
    let mut session = Session::of([1, 2, 3, 11, 21, 22].map(row).into());
    session.press("t");
    session.look();
    session
}

fn lines(session: &Session) -> Vec<String> {
    let rows = &session.app.queue.rows;
    let told = |line: &Line| match line {
        Line::Answer(range) => rows[range.start].id.audit_id().to_string(),
        Line::Claim(row) => format!("  {}", rows[*row].key.0),
    };
    session.app.lines().iter().map(told).collect()
}

#[test]
fn answers_begin_folded_and_the_claim_in_hand_stays() {
    let mut session = Session::of([1, 2, 11].map(row).into());
    session.press("j");
    session.press("t");
    assert_eq!(lines(&session), ["rx-0", "rx-1"]);
    assert_eq!((session.here(), session.line()), (Some(2), Some(0)));
    session.press("right");
    assert_eq!(lines(&session), ["rx-0", "  1", "  2", "rx-1"]);
    assert_eq!((session.here(), session.line()), (Some(2), Some(2)));
    session.press("left");
    assert_eq!((session.here(), session.line()), (Some(2), Some(0)));
    session.press("t");
    assert!(!session.app.threads.is_on());
    assert_eq!((session.here(), session.line()), (Some(2), Some(1)));
}

#[test]
fn the_cursor_stops_at_folded_answers_and_at_claims() {
    let mut session = session();
    session.press("j");
    session.press("j");
    assert_eq!(session.here(), Some(21));
    session.press("right");
    session.press("j");
    assert_eq!(session.here(), Some(22));
    session.press("j");
    assert_eq!(session.here(), Some(22), "the last line");
    session.press("K");
    assert_eq!(session.here(), Some(11));
    session.press("J");
    assert_eq!(session.here(), Some(21), "the first claim of the next answer");
    session.press("g g");
    assert_eq!(session.here(), Some(1));
    session.press("G");
    assert_eq!(session.here(), Some(22));
}

#[test]
fn all_are_unfolded_and_folded_with_one_key_and_the_cursor_keeps_its_line() {
    let mut session = session();
    session.press("j");
    session.press("T");
    assert_eq!(lines(&session), ["rx-0", "  1", "  2", "  3", "rx-1", "  11", "rx-2", "  21", "  22"]);
    assert_eq!(session.here(), Some(11));
    session.press("left");
    session.press("T");
    assert_eq!(lines(&session).len(), 9, "one was folded: all are unfolded first");
    session.press("T");
    assert_eq!(lines(&session), ["rx-0", "rx-1", "rx-2"]);
}

#[test]
fn a_decision_leads_through_the_answer_and_then_to_the_next_one() {
    for unfold in [false, true] {
        let mut session = session();
        if unfold {
            session.press("right");
            session.press("j");
            assert_eq!(session.here(), Some(2));
        }
        let mut walked = Vec::new();
        while let Some(here) = session.here() {
            walked.push(here);
            session.look();
            session.do_and_save("c");
        }
        let expected = if unfold { [2, 3, 1, 11, 21, 22] } else { [1, 2, 3, 11, 21, 22] };
        assert_eq!(walked, expected, "unfolded: {unfold}");
    }
}

#[test]
fn what_is_skipped_or_in_other_hands_is_passed_over_in_the_answer() {
    let mut session = Session::of([1, 2, 3, 11].map(row).into());
    session.rows[1].skipped = true;
    session.rows[2].held_by = Some(Hold {
        holder: Annotator::new("ben"),
        until: session.now.plus(std::time::Duration::from_mins(1)),
    });
    session.press("t");
    session.look();
    session.do_and_save("c");
    assert_eq!(session.here(), Some(11));
    session.look();
    session.do_and_save("c");
    assert_eq!(session.here(), Some(2), "what was skipped comes last");
}

#[test]
fn the_row_under_the_cursor_stays_on_its_line_when_answers_come_above() {
    let mut session = Session::of([21, 22, 31].map(row).into());
    session.press("t");
    session.press("right");
    session.press("j");
    session.look();
    let line = session.line();
    assert_eq!(session.here(), Some(22));
    session.rows.splice(0..0, [1, 2, 11].map(row));
    session.send(crate::tui::message::Message::Looked(Ok(true)));
    assert_eq!(session.here(), Some(22));
    let top = session.app.first_shown(session.app.geometry.queue.height.into());
    assert_eq!(top, 0, "the list is shorter than the window: its top is in sight");
    assert_eq!(session.line(), line.map(|line| line + 2), "two folded answers came above");
}

#[test]
fn claims_are_marked_where_they_are_seen() {
    let mut session = session();
    session.press("space");
    assert!(session.app.marks.is_empty());
    assert!(session.toast().contains("is folded: → shows its claims"), "{}", session.toast());
    session.press("right");
    session.look();
    session.press("space");
    session.press("space");
    let marked: Vec<ClaimKey> = session.app.marks.rows.iter().map(|row| row.key).collect();
    assert_eq!(marked, [ClaimKey(1), ClaimKey(2)]);
}

#[test]
fn what_is_not_possible_says_why() {
    let mut flat = Session::with(3);
    for key in ["left", "right", "T"] {
        flat.press(key);
        assert_eq!(flat.toast(), "this is the list of claims: t shows it by answers", "{key}");
    }
    let mut session = session();
    session.press("left");
    assert_eq!(session.toast(), "rx-0 is folded: → unfolds it");
    session.press("right");
    session.press("right");
    assert_eq!(session.toast(), "the answer is unfolded: ← folds it");
    let mut blind = Session::with(3);
    blind.app.settings.blind = Some(2);
    blind.press("t");
    assert!(blind.toast().starts_with("not in a blind review"), "{}", blind.toast());
    assert!(!blind.app.threads.wanted);
}

#[test]
fn undo_brings_a_claim_back_under_its_answer() {
    let mut session = session();
    session.do_and_save("c");
    assert_eq!(session.here(), Some(2));
    let mut decided = row(1);
    decided.decided = None;
    session.rows.insert(0, decided);
    let undone = crate::store::Undone {
        event: super::session::event(1, &Request::Confirm),
        claim: Some(ClaimKey(1)),
        standing: None,
        disposition: None,
        others: 0,
        claims: Vec::new(),
        kept: Vec::new(),
    };
    session.send(crate::tui::message::Message::Undone(Ok(Box::new(undone))));
    assert_eq!(session.here(), Some(1));
    assert_eq!(lines(&session), ["rx-0", "rx-1", "rx-2"]);
    assert!(session.app.threads.is_on());
}
