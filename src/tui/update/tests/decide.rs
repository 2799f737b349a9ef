use std::time::Duration;

use super::session::{Session, id, row};
use crate::domain::decision::{HumanVerdict, ReasonCode, Request, Ruling};
use crate::domain::ids::{Annotator, ClaimKey};
use crate::domain::queue::Hold;
use crate::domain::severity::hallucination_type;
use crate::domain::verdict::Severity;
use crate::tui::app::Mode;
use crate::tui::effect::Effect;
use crate::tui::message::Message;

fn override_to(verdict: HumanVerdict, severity: Option<Severity>) -> Request {
    let hallucination_type = verdict.as_verdict().and_then(hallucination_type);
    Request::Override(Ruling { severity, hallucination_type, ..Ruling::only(verdict) })
}

#[test]
fn r35_one_key_decides() {
    for (key, request) in [
        ("c", Request::Confirm),
        ("4", Request::Confirm),
        ("1", override_to(HumanVerdict::FullySupported, None)),
        ("2", override_to(HumanVerdict::PartiallySupported, Some(Severity::Low))),
        ("3", override_to(HumanVerdict::Unsupported, Some(Severity::Medium))),
        ("5", override_to(HumanVerdict::CannotJudge, None)),
        ("s", Request::Skip(true)),
        ("f", Request::Flag(true)),
    ] {
        let mut session = Session::with(3);
        session.press(key);
        assert_eq!(session.requests(), [(1, request)], "{key}");
    }
}

#[test]
fn a_digit_on_a_claim_without_verdict_is_never_a_confirmation() {
    let mut session = Session::before_start(vec![row(1)]);
    session.without_verdict = true;
    session.stakes.can_harm = true;
    session.send(Message::Started { open: None });
    session.look();
    session.press("4");
    assert_eq!(session.requests(), [(1, override_to(HumanVerdict::Contradicted, Some(Severity::Critical)))]);
}

#[test]
fn what_the_store_refuses_is_said_and_the_claim_stays() {
    let mut session = Session::with(2);
    session.press("c");
    session.store_refuses(1, Request::Confirm, "there is no verdict to confirm: judge it with 1 to 5");
    assert_eq!(session.here(), Some(1));
    assert_eq!(
        session.toast(),
        "confirmation of rx-0#2 not saved: there is no verdict to confirm: judge it with 1 to 5"
    );
    assert_eq!(session.saved(), "", "nothing counts as saved");
    session.after(60_000);
    session.send(Message::Tick);
    assert!(!session.toast().is_empty(), "a failure stays until the next act");
}

#[test]
fn r14_the_saved_mark_comes_from_the_store() {
    let mut session = Session::with(2);
    session.press("c");
    assert_eq!(session.saved(), "", "asked for is not saved");
    assert_eq!(session.here(), Some(1), "r13: no moving on before it is written");
    session.store_says_yes(1, Request::Confirm);
    assert_eq!(session.saved(), format!("{} confirmed CONTRADICTED", id(1)));
    assert_eq!(session.here(), Some(2));
}

#[test]
fn r15_there_is_no_queue_of_unsent_decisions() {
    let mut session = Session::with(3);
    session.press("c");
    assert_eq!(session.requests().len(), 1);
    session.store_refuses(1, Request::Confirm, "the disk is full");
    session.look();
    session.send(Message::Tick);
    assert_eq!(session.requests(), [], "a refused decision is not sent again behind the person's back");
    session.press("c");
    assert_eq!(session.requests(), [(1, Request::Confirm)]);
}

#[test]
fn r38_confirm_and_override_both_go_to_the_next_open_claim() {
    for key in ["c", "3"] {
        let mut session = Session::with(3);
        session.do_and_save(key);
        assert_eq!((session.here(), session.line()), (Some(2), Some(0)), "{key}");
        session.look();
        session.do_and_save(key);
        assert_eq!(session.here(), Some(3), "{key}");
    }
}

#[test]
fn after_the_last_claim_of_the_list_the_first_open_one_follows() {
    let mut session = Session::with(3);
    session.press("j j");
    session.look();
    session.do_and_save("c");
    assert_eq!(session.here(), Some(1));
}

#[test]
fn a_decision_on_the_only_claim_leaves_an_empty_queue_with_its_reason() {
    let mut session = Session::with(1);
    session.do_and_save("c");
    assert_eq!(session.here(), None);
    assert_eq!(
        session.app.queue.state,
        crate::tui::app::QueueState::Empty(crate::tui::app::EmptyReason::AllDone { mine: 0 })
    );
    session.look();
    session.press("c");
    assert_eq!(session.requests(), []);
    assert!(session.toast().contains("no claim"), "{}", session.toast());
}

#[test]
fn a_decision_needs_a_claim_that_was_visible_for_250_ms() {
    for (visible, acts) in [(0, false), (100, false), (249, false), (250, true), (1000, true)] {
        for key in ["c", "1", "2", "3", "4", "5", "s", "f", "u", "U"] {
            let mut session = Session::with(3);
            session.press("j");
            session.drawn();
            session.after(visible);
            session.take();
            session.press(key);
            let acted = session
                .asked
                .iter()
                .any(|effect| matches!(effect, Effect::Decide { .. } | Effect::FindUndo | Effect::FindRedo));
            assert_eq!(acted, acts, "{key} after {visible} ms");
            assert_eq!(session.toast().contains("dropped: too fast"), !acts, "{key} after {visible} ms");
        }
    }
}

#[test]
fn a_claim_that_was_not_drawn_is_not_visible_however_long_it_is_there() {
    let mut session = Session::with(3);
    session.press("j");
    session.after(10_000);
    session.press("c");
    assert_eq!(session.requests(), []);
}

#[test]
fn a_claim_whose_detail_is_not_there_is_not_visible() {
    let mut session = Session::before_start(vec![row(1)]);
    session.app.claim = Some(crate::tui::app::Selected::new(ClaimKey(1)));
    session.look();
    session.press("c");
    assert_eq!(session.requests(), []);
    assert!(session.toast().contains("too fast"), "{}", session.toast());
}

#[test]
fn a_claim_that_cannot_be_read_cannot_be_decided() {
    let mut session = Session::with(1);
    session.app.run += 1;
    let run = session.app.run;
    let mut claim = crate::tui::app::Selected::new(ClaimKey(1));
    claim.asked = run;
    session.app.claim = Some(claim);
    session.send(Message::Detail { run, result: Err("the disk says no".to_owned()) });
    session.look();
    session.press("c");
    assert_eq!(session.requests(), []);
    assert!(session.toast().contains("the disk says no"), "{}", session.toast());
}

#[test]
fn a_claim_under_the_help_page_or_in_a_tiny_window_is_not_visible() {
    let mut session = Session::with(3);
    session.press("j ?");
    session.look();
    session.press("esc c");
    assert_eq!(session.requests(), [], "it was under the help page");

    let mut session = Session::with(3);
    session.send(Message::Resize(ratatui::layout::Size::new(20, 5)));
    session.look();
    session.press("c");
    assert_eq!(session.requests(), [], "the window shows no claim");
    session.send(Message::Resize(ratatui::layout::Size::new(120, 40)));
    session.drawn();
    session.after(100);
    session.press("1");
    assert_eq!(session.requests(), [], "the time begins again");
    session.after(200);
    session.press("1");
    session.lets_go();
    assert_eq!(session.requests().len(), 1);
}

#[test]
fn time_in_which_nobody_listened_does_not_count() {
    let mut session = Session::with(3);
    session.press("j");
    session.drawn();
    session.after(300);
    session.send(Message::Stalled(Duration::from_millis(290)));
    session.press("c");
    assert_eq!(session.requests(), [], "the key may have been typed 290 ms ago");
    session.after(250);
    session.press("1");
    assert_eq!(session.requests().len(), 1);
}

#[test]
fn a_clock_that_is_set_back_does_not_lock_decisions() {
    let mut session = Session::with(2);
    session.now = super::session::START;
    session.after(1);
    session.press("c");
    assert_eq!(session.requests(), []);
    session.after(260);
    session.press("1");
    assert_eq!(session.requests().len(), 1);
}

/// A key held down repeats every 30 ms; frames are drawn in between.
fn hold(session: &mut Session, key: &str, millis: u64) -> Vec<i64> {
    let mut decided = Vec::new();
    for _ in 0..millis / 30 {
        session.press(key);
        for (claim, request) in session.requests() {
            let claim_on_screen = session.here();
            assert_eq!(claim_on_screen, Some(claim), "only what is under the cursor");
            session.store_says_yes(claim, request);
            decided.push(claim);
        }
        session.drawn();
        session.after(30);
    }
    decided
}

#[test]
fn a_held_key_decides_once() {
    for key in ["c", "3", "s", "f"] {
        let mut session = Session::with(100);
        let decided = hold(&mut session, key, 5000);
        assert_eq!(decided, [1], "{key}");
        assert!(session.toast().contains("dropped: too fast"), "{key}: {}", session.toast());
        session.after(300);
        session.press(key);
        session.lets_go();
        assert_eq!(session.requests().len(), 1, "{key}: let go, the next stroke counts");
    }
}

#[test]
fn a_burst_of_keys_before_the_next_frame_decides_once() {
    let mut session = Session::with(100);
    for _ in 0..64 {
        session.do_and_save("c");
    }
    assert_eq!(session.counts.open, 99);
    for _ in 0..16 {
        session.do_and_save("1");
        session.do_and_save("2");
        session.do_and_save("c");
    }
    assert_eq!(session.counts.open, 99, "other keys do not get round the rule");
}

#[test]
fn dropped_keys_are_counted_until_a_pause() {
    let mut session = Session::with(9);
    for _ in 0..3 {
        session.do_and_save("c");
        session.after(130);
    }
    assert_eq!(session.counts.open, 8);
    session.after(130);
    session.do_and_save("c");
    assert!(session.toast().starts_with("3 keys dropped: too fast"), "{}", session.toast());
    session.drawn();
    session.after(1900);
    session.send(Message::Tick);
    assert!(session.toast().starts_with("3 keys"), "{}", session.toast());
    session.after(200);
    session.send(Message::Tick);
    assert_eq!((session.toast(), session.app.dropped), ("", 0), "a pause");
    session.press("j c");
    assert!(session.toast().starts_with("1 key dropped"), "{}", session.toast());
    session.press("k");
    assert_eq!(session.app.dropped, 1, "another key does not take the word away before it can be read");
}

/// Everything that the screen shows, as text.
pub(super) fn shown(session: &Session) -> String {
    let size = session.app.size;
    let backend = ratatui::backend::TestBackend::new(size.width, size.height);
    let mut terminal = ratatui::Terminal::new(backend).expect("a buffer cannot fail");
    terminal.draw(|frame| crate::tui::screen::view(&session.app, frame)).expect("a buffer cannot fail");
    terminal.backend().buffer().content.iter().map(ratatui::buffer::Cell::symbol).collect()
}

#[test]
fn what_was_saved_stands_beside_the_question_for_a_disposition_and_on_the_empty_queue() {
    for (claims, width) in [(1, 80), (1, 120), (2, 60), (2, 80), (2, 120)] {
        let mut session = Session::with(claims);
        session.send(Message::Resize(ratatui::layout::Size::new(width, 40)));
        session.look();
        session.do_and_save("c");
        let text = shown(&session);
        assert!(text.contains("saved "), "{claims} claims, {width} columns");
        assert!(text.contains("d to release, return or block rx-0"), "{claims} claims, {width} columns");
        session.after(10_000);
        session.send(Message::Tick);
        assert!(shown(&session).contains("✓ saved"), "{claims} claims, {width} columns, later");
    }
}

#[test]
fn the_keys_that_matter_stand_in_the_footer_at_every_width() {
    for width in [60, 72, 80, 100, 140] {
        for waiting in [0, 2] {
            let mut session = Session::with(3);
            session.answers_waiting = waiting;
            session.send(Message::Resize(ratatui::layout::Size::new(width, 24)));
            session.do_and_save("c");
            let text: Vec<char> = shown(&session).chars().collect();
            let footer: String = text[text.len() - usize::from(width)..].iter().collect();
            for key in [" c ", " o ", " a ", " 1-5 verdict ", " u undo ", " ? ", " q quit "] {
                assert!(footer.contains(key), "{key} at {width}: {footer}");
            }
        }
    }
}

#[test]
fn a_low_severity_has_one_dot() {
    let mut low = row(1);
    low.severity = Some(Severity::Low);
    let mut session = Session::of(vec![low]);
    let claim = session.app.claim.as_mut().expect("a claim is in hand");
    let mut detail = session.rows.first().map(|_| super::session::detail(1, 1)).expect("one");
    if let crate::domain::finding::Outcome::Judged(judged) = &mut detail.outcome {
        judged.severity = Some(Severity::Low);
    }
    claim.detail = crate::tui::app::Detail::Ready(std::sync::Arc::new(detail));
    let text = shown(&session);
    assert!(text.contains("CONTRADICTED · LOW · 0.90") && !text.contains("· ·"), "{text}");
}

#[test]
fn the_rule_can_be_turned_off() {
    let mut session = Session::with(5);
    session.app.settings.min_visible = Duration::ZERO;
    for _ in 0..5 {
        session.do_and_save("c");
    }
    assert_eq!(session.counts.open, 0);
}

#[test]
fn a_claim_in_other_hands_is_refused_with_name_and_time() {
    let mut session = Session::before_start(vec![row(1)]);
    session.held_by = Some(Hold {
        holder: Annotator::new("ben"),
        until: super::session::START.plus(Duration::from_mins(1)),
    });
    session.send(Message::Started { open: None });
    session.look();
    session.press("c");
    assert_eq!(session.requests(), []);
    assert!(session.toast().starts_with("ben has it in hand, last key at "), "{}", session.toast());
    assert!(session.toast().contains(": free at "), "{}", session.toast());
    session.after(60_000);
    session.press("c");
    assert_eq!(session.requests().len(), 1, "the hold ran out");
}

#[test]
fn my_own_hold_is_no_hindrance() {
    let mut session = Session::before_start(vec![row(1)]);
    session.held_by = Some(Hold {
        holder: Annotator::new("ana"),
        until: super::session::START.plus(Duration::from_mins(1)),
    });
    session.send(Message::Started { open: None });
    session.look();
    session.press("c");
    assert_eq!(session.requests().len(), 1);
}

#[test]
fn a_skip_or_a_flag_that_was_refused_can_be_asked_for_again() {
    for (key, request) in [("s", Request::Skip(true)), ("f", Request::Flag(true))] {
        let mut session = Session::with(2);
        session.press(key);
        assert_eq!(session.requests(), [(1, request.clone())]);
        let read = session.readings.1;
        session.store_refuses(1, request.clone(), "busy");
        assert_eq!(session.readings.1, read + 1, "what stands may not be what is shown");
        session.look();
        session.press(key);
        assert_eq!(session.requests(), [(1, request)]);
    }
}

#[test]
fn a_skipped_claim_makes_room_for_the_next() {
    let mut session = Session::with(3);
    session.rows.rotate_left(1);
    session.do_and_save("s");
    assert_eq!(session.here(), Some(2));
    assert_eq!(session.saved(), format!("{} skipped", id(1)));
}

#[test]
fn while_something_is_being_saved_nothing_else_is_recorded_and_that_is_shown() {
    let mut session = Session::with(3);
    session.press("c");
    assert_eq!(session.app.saving, Some(id(1).to_string()));
    session.after(1000);
    for key in ["c", "3", "s", "f", "u"] {
        session.after(500);
        session.press(key);
        assert!(session.toast().contains("still being saved"), "{key}: {}", session.toast());
    }
    assert_eq!(session.requests(), [(1, Request::Confirm)]);
    session.press("j k");
    session.store_says_yes(1, Request::Confirm);
    assert_eq!(session.app.saving, None);
    session.look();
    session.press("c");
    assert_eq!(session.requests(), [(2, Request::Confirm)]);
    session.store_refuses(2, Request::Confirm, "the disk is full");
    assert_eq!(session.app.saving, None);
}

#[test]
fn while_a_decision_is_being_saved_nothing_begins_that_would_be_about_the_one_before() {
    let mut session = Session::of(vec![row(1), row(11), row(12), row(21)]);
    session.do_and_save("c");
    session.look();
    assert_eq!(session.here(), Some(11));
    session.press("3");
    session.after(1000);
    for key in ["r", "d", "o", "w"] {
        session.after(500);
        session.press(key);
        assert!(matches!(session.app.mode, Mode::Normal), "{key} opens nothing");
        assert!(session.toast().contains("still being saved"), "{key}: {}", session.toast());
    }
    assert_eq!((session.here(), session.app.staying), (Some(11), None));
    let requests = session.requests();
    assert_eq!(requests.len(), 1);
    session.store_says_yes(11, requests[0].1.clone());
    session.after(900);
    session.press("r n");
    assert_eq!(session.requests(), [(11, Request::GiveReason(ReasonCode::NumberWrong))]);
}

/// A terminal without marks for pastes sends the text as keys.
#[test]
fn text_that_is_pasted_without_marks_records_nothing() {
    let mut session = Session::with(5);
    session.look();
    session.send(Message::Rushed);
    session.press("c");
    assert_eq!(session.requests(), [], "long visible, and still no answer to it");
    assert!(session.toast().contains("as pasted text does"), "{}", session.toast());
    session.after(200);
    session.press("4 q");
    assert_eq!(session.take(), [], "the rush goes on as long as the keys do");
    session.after(400);
    session.send(Message::Tick);
    session.press("c");
    assert_eq!(session.requests().len(), 1);
    // Nor does a line of one that asks for a time.
    let mut session = Session::with(5);
    session.look();
    session.send(Message::Rushed);
    session.press("D");
    session.type_text("2h");
    session.press("enter");
    assert_eq!(session.requests(), []);
}
