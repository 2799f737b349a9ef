use super::decide::shown;
use super::session::{START, Session, id, row};
use crate::domain::ids::{Annotator, ClaimKey};
use crate::domain::queue::Flagged;
use crate::domain::severity::Stakes;
use crate::domain::verdict::Severity;
use crate::tui::app::{EvidenceStop, Focus, QueueState};
use crate::tui::effect::{Effect, TerminalEffect};
use crate::tui::message::Message;
use crate::tui::update::update;

#[test]
fn the_first_reading_follows_the_first_frame() {
    let mut session = Session::before_start(vec![row(1)]);
    assert_eq!(session.app.queue.state, QueueState::Loading);
    assert_eq!(session.readings, (0, 0));
    session.send(Message::Started { open: None });
    assert_eq!(session.app.queue.state, QueueState::Ready);
    assert_eq!(session.here(), Some(1));
}

#[test]
fn moving_through_the_list() {
    for (keys, expected) in [
        ("j", 2),
        ("down", 2),
        ("j j k", 2),
        ("j up", 1),
        ("k", 1),
        ("J", 10),
        ("J J", 20),
        ("J J K", 19),
        ("J K", 9),
        ("K", 1),
        ("j j g g", 1),
        ("j j home", 1),
    ] {
        let mut session = Session::with(40);
        session.press(keys);
        assert_eq!(session.here(), Some(expected), "{keys}");
    }
}

#[test]
fn the_end_of_a_long_queue_is_read_by_itself() {
    let mut session = Session::with(300);
    session.press("j");
    // As if only the beginning had been read.
    session.app.queue.rows.truncate(100);
    session.app.queue.at_end = false;
    let (readings, _) = session.readings;
    session.press("G");
    assert_eq!(session.here(), Some(300));
    assert_eq!(session.readings.0, readings + 1);
    let loaded: Vec<_> = session.app.queue.rows.iter().map(|row| row.key.0).collect();
    assert_eq!(loaded, (201..=300).collect::<Vec<_>>(), "the last rows alone");
    assert!(session.app.queue.at_end && !session.app.queue.at_start);
    session.press("g g");
    assert_eq!(session.here(), Some(1));
}

#[test]
fn the_list_stops_at_its_ends() {
    let mut session = Session::with(3);
    session.press("j j j j j");
    assert_eq!(session.here(), Some(3));
    session.press("J");
    assert_eq!(session.here(), Some(3));
    session.press("k k k k k");
    assert_eq!(session.here(), Some(1));
}

#[test]
fn the_cursor_is_always_in_sight() {
    let mut session = Session::with(500);
    let height = usize::from(session.app.geometry.queue.height);
    assert!(height > 5);
    for _ in 0..300 {
        session.press("j");
        assert!(session.line().expect("there is a cursor") < height);
    }
    for _ in 0..100 {
        session.press("k");
        assert!(session.line().is_some());
    }
    session.send(Message::Resize(ratatui::layout::Size::new(60, 15)));
    assert!(session.line().unwrap() < usize::from(session.app.geometry.queue.height));
}

#[test]
fn moving_to_a_claim_reads_that_claim_and_nothing_else() {
    let mut session = Session::with(1000);
    let (queue, detail) = session.readings;
    session.press("j");
    assert_eq!(session.readings, (queue, detail + 1));
}

#[test]
fn answers_that_came_too_late_are_ignored() {
    let mut session = Session::with(3);
    let stale = session.app.claim.as_ref().unwrap().asked;
    session.press("j");
    let detail = session.detail(ClaimKey(1));
    session.send(Message::Detail { run: stale, result: Ok((Box::new(detail), Stakes::default())) });
    assert_eq!(session.app.detail().unwrap().key, ClaimKey(2));
    session.send(Message::Queue { run: 0, result: Err("long ago".to_owned()) });
    assert_eq!(session.app.queue.state, QueueState::Ready);
    assert_eq!(session.toast(), "");
}

#[test]
fn the_page_keys_move_what_has_the_focus() {
    let mut session = Session::with(200);
    assert_eq!(session.app.focus, Focus::Evidence);
    session.press("pgdn");
    assert_eq!(session.here(), Some(1), "the evidence scrolls");
    session.press("tab");
    assert_eq!(session.app.focus, Focus::Queue);
    session.press("pgdn");
    assert!(session.here().unwrap() > 10, "a page of claims");
    session.press("pgup");
    assert_eq!(session.here(), Some(1));
    session.press("tab");
    assert_eq!(session.app.focus, Focus::Answer);
    session.press("tab");
    assert_eq!(session.app.focus, Focus::Evidence);
}

#[test]
fn evidence_goes_round_through_citations_and_then_the_other_passages() {
    let mut session = Session::before_start(vec![row(1)]);
    session.passages = 3;
    session.send(Message::Started { open: None });
    let stops = &session.app.claim.as_ref().unwrap().stops;
    assert_eq!(
        stops[..],
        [
            EvidenceStop { passage: Some(0), citation: Some(0) },
            EvidenceStop { passage: Some(1), citation: None },
            EvidenceStop { passage: Some(2), citation: None },
        ]
    );
    for (key, expected) in [("n", 1), ("n", 2), ("n", 0), ("N", 2), ("N", 1)] {
        session.press(key);
        assert_eq!(session.app.claim.as_ref().unwrap().stop, expected);
    }
}

#[test]
fn a_record_without_evidence_says_so() {
    let mut session = Session::before_start(vec![row(1)]);
    session.passages = 0;
    session.send(Message::Started { open: None });
    session.press("n");
    assert_eq!(session.toast(), "the record has no evidence");
}

#[test]
fn keys_that_mean_nothing_do_nothing() {
    let mut session = Session::with(3);
    session.drawn();
    for key in ["z", "y x", "t", "enter", "9", "ctrl-x", "alt-c", "ctrl-q", "g x", "g ?"] {
        session.press(key);
        assert_eq!(session.asked.len(), 0, "{key}");
        assert_eq!(session.here(), Some(1), "{key}");
        assert!(session.app.typed.is_empty(), "{key}");
    }
}

#[test]
fn an_unfinished_sequence_is_shown_and_can_be_given_up() {
    let mut session = Session::with(3);
    session.drawn();
    session.press("g");
    assert_eq!(session.app.typed.len(), 1);
    assert!(session.app.dirty);
    session.press("esc");
    assert!(session.app.typed.is_empty());
}

#[test]
fn a_claim_named_at_the_start_is_opened_though_it_is_not_in_the_queue() {
    let mut session = Session::before_start(vec![row(1), row(2)]);
    session.send(Message::Started { open: Some(id(7)) });
    assert_eq!(session.take(), [Effect::Find(id(7))]);
    session.send(Message::GoTo(Ok(Some(ClaimKey(7)))));
    assert_eq!(session.here(), Some(7));
    assert!(session.app.selected_row().is_some(), "its row is shown among the others");
}

#[test]
fn a_wrong_name_at_the_start_is_said_and_the_queue_opens() {
    let mut session = Session::before_start(vec![row(1)]);
    session.send(Message::Started { open: Some(id(7)) });
    session.send(Message::GoTo(Err("no claim `rx-0#8` in this store".to_owned())));
    assert_eq!(session.app.queue.state, QueueState::Ready);
    assert_eq!(session.here(), Some(1));
}

#[test]
fn quitting_gives_back_what_is_held() {
    for keys in ["q", "ctrl-c"] {
        let mut session = Session::with(1);
        session.send(Message::Held { claim: ClaimKey(1), result: Ok(()) });
        session.press(keys);
        assert_eq!(
            session.take(),
            [Effect::Release { except: None }, Effect::Terminal(TerminalEffect::Quit)]
        );
        assert!(session.app.quitting);
    }
}

#[test]
fn suspending_is_possible_everywhere() {
    for open in ["", "o", "a", "?", "d"] {
        let mut session = Session::with(1);
        if !open.is_empty() {
            session.press(open);
        }
        session.take();
        session.press("ctrl-z");
        assert_eq!(session.take(), [Effect::Terminal(TerminalEffect::Suspend)], "{open}");
    }
}

#[test]
fn after_a_suspension_the_claim_has_to_be_looked_at_again() {
    let mut session = Session::with(1);
    session.send(Message::Resumed);
    assert!(session.app.dirty);
    session.press("c");
    assert_eq!(session.requests(), []);
}

#[test]
fn every_key_in_every_mode_at_every_size_is_survived() {
    let keys = ["c", "o", "a", "1", "5", "r", "s", "f", "u", "d", "j", "k", "J", "K", "]", "g", "n", "N"];
    let more =
        ["pgdn", "pgup", "ctrl-d", "ctrl-u", "tab", "p", "?", "esc", "enter", "home", "backtab", "t", "b"];
    let sizes = [(1, 1), (0, 0), (60, 15), (59, 15), (99, 24), (100, 24), (300, 100)];
    for rows in [0, 1, 30] {
        let mut session = Session::with(rows);
        let mut at = 0_usize;
        for round in 0..400_usize {
            at = (at * 31 + round * 7 + 3) % (keys.len() + more.len());
            let key = keys.get(at).or_else(|| more.get(at - keys.len())).expect("in range");
            let (width, height) = sizes[round % sizes.len()];
            session.send(Message::Resize(ratatui::layout::Size::new(width, height)));
            session.press(key);
            for (claim, request) in session.requests() {
                session.store_says_yes(claim, request);
            }
            session.drawn();
            session.after(130);
            session.send(Message::Tick);
        }
    }
}

#[test]
fn a_frame_that_shows_nothing_new_changes_nothing() {
    let mut session = Session::with(3);
    session.drawn();
    let effects = update(&mut session.app, Message::Drawn, session.now);
    assert!(effects.is_empty() && !session.app.dirty);
}

#[test]
fn a_claim_without_a_verdict_keeps_its_severity_under_the_cursor() {
    let mut rows = vec![row(1), row(2)];
    rows[0].severity = Some(Severity::Medium);
    let mut session = Session::before_start(rows);
    session.without_verdict = true;
    session.send(Message::Started { open: None });
    assert_eq!(
        session.app.queue.rows[0].severity,
        Some(Severity::Medium),
        "the risk of the record stands in"
    );
}

#[test]
fn a_flag_of_anyone_is_a_flag() {
    let mut session = Session::with(2);
    session.flags =
        vec![Flagged { annotator: Annotator::new("ben"), at: START, to: None, escalated: false, note: None }];
    session.press("j");
    assert!(session.app.queue.rows[1].flagged);
}

#[test]
fn the_last_row_the_evidence_and_an_unknown_key() {
    for key in ["G", "end"] {
        let mut session = Session::with(40);
        session.press(key);
        assert_eq!(session.here(), Some(40), "{key}");
        session.press("home");
        assert_eq!(session.here(), Some(1));
        session.app.queue.rows.truncate(10);
        session.app.queue.at_end = false;
        session.press(key);
        assert_eq!(session.here(), Some(40), "{key}: what was not loaded is read first");
    }
    let mut session = Session::with(3);
    session.press("tab enter");
    assert_eq!(session.app.focus, Focus::Evidence);
    session.press("z");
    assert_eq!(session.toast(), "? shows the keys");
}

/// Two answers of three claims, mixed in the queue, as they come up one after the other.
fn two_answers() -> Session {
    let mut session = Session::before_start([1, 11, 2, 12, 3, 13].map(row).to_vec());
    session.three_claims = true;
    session.send(Message::Started { open: None });
    session.look();
    session
}

#[test]
fn an_answer_is_finished_claim_by_claim_when_the_person_stays_with_it() {
    let mut session = two_answers();
    session.do_and_save("c");
    assert_eq!(session.here(), Some(11), "the queue's own order");
    session.press("w");
    assert_eq!(session.here(), Some(2), "back to the answer that was begun");
    session.look();
    session.do_and_save("c");
    assert_eq!(session.here(), Some(3), "and it stays there");
    session.look();
    session.do_and_save("c");
    assert!(session.toast().contains("release, return or block rx-0"), "{}", session.toast());
    assert_eq!((session.here(), session.app.staying), (Some(11), None), "done: the queue's order again");
}

#[test]
fn staying_with_an_answer_ends_where_the_person_goes_elsewhere_or_skips_to_its_end() {
    let mut session = two_answers();
    session.press("w");
    assert_eq!(session.here(), Some(2), "of the answer under the cursor");
    session.press("j");
    session.look();
    session.do_and_save("c");
    assert_eq!((session.here(), session.app.staying), (Some(3), None), "decided on another answer");

    let mut session = two_answers();
    session.press("w w");
    session.look();
    assert_eq!(session.here(), Some(3));
    session.do_and_save("s");
    assert_eq!(session.app.staying, None, "it does not come round to what was skipped");

    let mut session = Session::with(2);
    session.press("w");
    assert_eq!((session.here(), session.toast()), (Some(1), "no other claim of rx-0 is open"));
}

#[test]
fn a_damaged_claim_says_so_in_its_row_and_in_its_place() {
    let sentence = "claim rx-0#3 is damaged (a text that is not UTF-8): see `juror verify`";
    let mut damaged = row(2);
    damaged.state = crate::domain::finding::AuditState::NoVerdict(crate::domain::verdict::NoVerdict::Failed);
    damaged.damage = Some(sentence.to_owned());
    let mut session = Session::of(vec![row(1), damaged]);
    session.app.run += 1;
    let mut claim = crate::tui::app::Selected::new(ClaimKey(2));
    claim.asked = session.app.run;
    session.app.claim = Some(claim);
    let run = session.app.run;
    session.send(Message::Detail { run, result: Err("the data in the store is damaged".to_owned()) });
    let text = shown(&session);
    assert_eq!(text.matches("! DAMAGED").count(), 3, "row, frame and pane: {text}");
    assert!(text.contains("! DAMAGED claim rx-0#3 is") && !text.contains("FAILED"), "{text}");
}
