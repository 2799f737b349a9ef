//! A key that is held down decides once, and a text typed where none is expected runs nothing.

use std::time::Duration;

use super::session::{Session, event, row};
use crate::domain::decision::Request;
use crate::domain::ids::ClaimKey;
use crate::store::Undone;
use crate::tui::app::Mode;
use crate::tui::command::Place;
use crate::tui::effect::Effect;
use crate::tui::message::Message;

impl Session {
    /// No other key came: what waited to be told from a key that is held down counts.
    pub(super) fn lets_go(&mut self) {
        for millis in [120, 5] {
            self.after(millis);
            self.send(Message::Tick);
        }
    }
}

/// Goes on by `millis` as the loop does: what is due is done, what the screen asked for is saved, and it is drawn.
fn goes_on(session: &mut Session, millis: u64, done: &mut Vec<i64>) {
    let end = session.now.plus(Duration::from_millis(millis));
    while session.now < end {
        session.after(5);
        session.send(Message::Tick);
        save(session, done);
    }
}

fn save(session: &mut Session, done: &mut Vec<i64>) {
    for (key, request) in session.requests() {
        done.push(key);
        session.store_says_yes(key, request);
    }
    session.drawn();
}

/// Holds `key` down: the keyboard waits `delay` before it repeats it `times` times, every `pace` milliseconds.
fn hold(session: &mut Session, key: &str, delay: u64, (times, pace): (usize, u64)) -> Vec<i64> {
    let mut done = Vec::new();
    session.press(key);
    save(session, &mut done);
    goes_on(session, delay, &mut done);
    for _ in 0..times {
        session.press(key);
        save(session, &mut done);
        goes_on(session, pace, &mut done);
    }
    goes_on(session, 2000, &mut done);
    done
}

#[test]
fn a_key_that_is_held_down_decides_once_however_long_its_keyboard_waits() {
    for (delay, pace) in [(250, 30), (375, 90), (500, 30), (660, 40), (990, 110)] {
        for key in ["c", "3", "s", "."] {
            let mut session = Session::with(100);
            if key == "." {
                session.do_and_save("4");
                session.look();
            }
            let here = session.here();
            let done = hold(&mut session, key, delay, (40, pace));
            assert_eq!(done, here.into_iter().collect::<Vec<_>>(), "{key} after {delay} ms, every {pace} ms");
        }
    }
    let mut session = Session::with(100);
    session.press("c");
    save(&mut session, &mut Vec::new());
    goes_on(&mut session, 500, &mut Vec::new());
    session.press("c");
    session.after(30);
    session.press("c");
    assert_eq!(session.toast(), "2 keys dropped: too fast (a held key decides once)");
}

#[test]
fn a_flag_that_is_held_down_stays_on() {
    let mut session = Session::with(3);
    assert_eq!(hold(&mut session, "f", 500, (20, 30)), [1]);
}

#[test]
fn a_second_stroke_counts_a_moment_later_and_before_any_other_key() {
    let mut done = Vec::new();
    let mut session = Session::with(9);
    session.press("c");
    save(&mut session, &mut done);
    goes_on(&mut session, 400, &mut done);
    session.press("c");
    save(&mut session, &mut done);
    assert_eq!(done, [1], "it may be the first repetition");
    goes_on(&mut session, 130, &mut done);
    assert_eq!(done, [1, 2]);
    assert!(!session.toast().contains("dropped"), "{}", session.toast());
    goes_on(&mut session, 400, &mut done);
    // A key that is held repeats itself, and no other.
    session.press("c a");
    assert_eq!(session.requests(), [(3, Request::Confirm)]);
    assert!(matches!(session.app.mode, Mode::Note(_)));

    // Another claim came under the cursor meanwhile: it was not about that.
    let mut session = Session::with(9);
    session.do_and_save("c");
    session.drawn();
    session.after(400);
    session.press("c");
    session.send(Message::GoTo(Ok(Some(ClaimKey(7)))));
    session.drawn();
    session.lets_go();
    assert_eq!((session.requests(), session.here()), (Vec::new(), Some(7)));
    assert!(session.toast().contains("press again"), "{}", session.toast());
}

#[test]
fn an_undo_that_is_held_down_takes_back_one_act() {
    let mut session = Session::with(5);
    session.do_and_save("c");
    session.look();
    session.press("u");
    let mut taken = session.take().into_iter().filter(|effect| matches!(effect, Effect::Undo(_))).count();
    let undone = Undone {
        event: event(1, &Request::Confirm),
        claim: Some(ClaimKey(1)),
        standing: None,
        disposition: None,
        others: 0,
        claims: Vec::new(),
        kept: Vec::new(),
    };
    session.send(Message::Undone(Ok(Box::new(undone))));
    session.drawn();
    goes_on(&mut session, 500, &mut Vec::new());
    for _ in 0..20 {
        session.press("u");
        session.after(30);
        session.send(Message::Tick);
        taken += session
            .take()
            .into_iter()
            .filter(|effect| matches!(effect, Effect::Undo(_) | Effect::FindUndo))
            .count();
    }
    assert_eq!(taken, 1);
}

#[test]
fn a_text_typed_where_nothing_is_open_runs_nothing_after_its_first_letters() {
    for text in ["is made up by two nurses", "fluid is set up", "use 2 ml, undo it"] {
        let mut session = Session::with(5);
        session.app.saved = None;
        let mut acts = 0;
        for letter in text.chars() {
            let key = if letter == ' ' { "space".to_owned() } else { letter.to_string() };
            session.press(&key);
            for effect in session.take() {
                match effect {
                    Effect::Decide { claim, request, .. } => session.store_says_yes(claim.0, request),
                    Effect::Undo(_) | Effect::FindUndo => session.send(Message::ToUndo(Ok(None), 0)),
                    _ => continue,
                }
                acts += 1;
            }
            session.after(140);
        }
        assert!(acts < 3, "{text}: {acts}");
        assert!(matches!(session.app.mode, Mode::Normal), "{text}");
        assert!(session.toast().contains("taken for text and not run"), "{text}: {}", session.toast());
        // Who has read that goes on.
        session.after(500);
        session.press("j");
        session.look();
        session.press("c");
        assert_eq!(session.requests().len(), 1, "{text}");
    }
}

#[test]
fn keys_of_a_review_are_no_text_however_fast() {
    let mut session = Session::with(9);
    for key in ["j", "k", "J", "K", "G", "g", "g", "]", "n", "N", "j", "f"] {
        session.press(key);
        session.drawn();
        session.after(if key == "j" { 300 } else { 90 });
    }
    assert_eq!(session.requests().len(), 1, "{}", session.toast());
}

#[test]
fn a_verdict_and_its_reason_are_no_text_however_fast() {
    let mut session = Session::with(9);
    session.do_and_save("c");
    session.drawn();
    session.after(300);
    session.do_and_save("3");
    session.drawn();
    session.after(40);
    session.press("r");
    assert_eq!(session.app.place(), Place::Reason, "{}", session.toast());
}

#[test]
fn a_slip_that_is_mended_at_once_is_no_text() {
    let mut session = Session::with(9);
    session.do_and_save("c");
    session.drawn();
    session.after(280);
    session.press("u");
    session.after(280);
    session.press("3");
    assert!(!session.toast().contains("taken for text"), "{}", session.toast());
}

#[test]
fn a_stroke_that_waits_is_told_at_once() {
    let mut session = Session::with(9);
    session.do_and_save("c");
    session.drawn();
    session.after(300);
    session.press("c");
    assert_eq!(session.requests(), [], "it may be the first of a held key");
    assert!(session.app.dirty);
}

#[test]
fn undo_right_behind_another_letter_is_not_meant() {
    let mut session = Session::with(3);
    session.do_and_save("c");
    session.look();
    session.press("i");
    session.after(100);
    session.press("u");
    assert!(!session.take().iter().any(|effect| matches!(effect, Effect::Undo(_))));
    assert!(session.toast().contains("press again (another key came right before)"), "{}", session.toast());
    session.after(1000);
    session.press("u");
    assert!(session.take().iter().any(|effect| matches!(effect, Effect::Undo(_))));
}

#[test]
fn text_after_a_new_claim_that_was_refused_runs_nothing() {
    let mut session = Session::of(vec![row(1)]);
    session.do_and_save("c");
    session.look();
    session.take();
    session.press("+");
    assert!(session.toast().contains("no claim"), "{}", session.toast());
    session.press("t u c");
    assert_eq!(session.take(), []);
    assert!(session.toast().ends_with("what followed was not run"), "{}", session.toast());
}

#[test]
fn a_key_without_a_meaning_is_answered_wherever_it_is_pressed() {
    for (keys, place) in [("o", "menu"), ("e", "evidence"), ("space A", "many"), ("?", "help")] {
        let mut session = Session::with(3);
        session.press(keys);
        session.press("Z");
        assert_eq!(session.toast(), "Z does nothing here · Esc closes", "{place}");
    }
}

#[test]
fn strokes_at_a_human_pace_all_count() {
    for pace in [400, 700, 1000, 2000] {
        let mut session = Session::with(20);
        for _ in 0..20 {
            session.press("c");
            session.lets_go();
            for (key, request) in session.requests() {
                session.store_says_yes(key, request);
            }
            session.drawn();
            session.after(pace - 125);
        }
        assert_eq!(session.counts.open, 0, "{pace}");
    }
}
