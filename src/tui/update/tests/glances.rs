//! The *Support* and *Dashboard* screens: what is asked and when, what stays in hand, and the way to the queue.

use std::sync::Arc;

use super::session::{START, Session, id};
use crate::domain::ids::ClaimKey;
use crate::domain::verdict::Score;
use crate::measure::scores::Spread;
use crate::store::{self, WorstPair};
use crate::tui::command::Place;
use crate::tui::effect::Effect;
use crate::tui::message::Message;
use crate::tui::screens::{Question, Reply, ScreenName, support};

/// The question that the screen asked last, with its number.
fn asked(session: &mut Session) -> Option<(u64, Question)> {
    session.take().into_iter().find_map(|effect| match effect {
        Effect::ReadScreen { run, question } => Some((run, question)),
        _ => None,
    })
}

fn around(question: &Question) -> u64 {
    let Question::Support(question) = question else { panic!("{question:?}") };
    question.around
}

/// What the store says around there: pair `n` has the key `n + shift`.
fn told(session: &mut Session, run: u64, around: u64, all: u64, shift: i64) {
    let from = around.saturating_sub(100);
    let pairs = (from..all.min(from + 200)).map(|n| WorstPair {
        key: ClaimKey(n as i64 + shift),
        id: id(n as i64 + shift),
        claim_text: "a claim".into(),
        score: Score::new(1).unwrap(),
        source: "s".into(),
        retrieval: None,
        model: None,
        ruled: None,
        open: Some(true),
    });
    let spread = Spread { counts: [all, 0, 0, 0, 0], ..Spread::default() };
    let support = store::Support { all: spread, ..store::Support::default() };
    let reply = Arc::new(support::Reply { support, from, pairs: pairs.collect() });
    session.send(Message::ScreenRead { run, result: Ok(Reply::Support(reply)) });
}

fn press_all(session: &mut Session, keys: &[&str]) {
    for key in keys {
        session.press(key);
    }
}

fn support(all: u64) -> Session {
    let mut session = Session::with(3);
    press_all(&mut session, &["g", "p"]);
    let (run, question) = asked(&mut session).unwrap();
    told(&mut session, run, around(&question), all, 0);
    session
}

#[test]
fn enter_reviews_the_pair_in_hand_and_esc_would_have_left_the_queue_alone() {
    let mut session = support(40);
    press_all(&mut session, &["j", "j", "enter"]);
    assert_eq!(session.app.place(), Place::Review);
    assert_eq!(session.here(), Some(2), "the claim of the third pair is under the cursor");
    let mut session = support(40);
    let before = session.here();
    press_all(&mut session, &["j", "esc"]);
    assert_eq!((session.app.place(), session.here()), (Place::Review, before));
}

#[test]
fn more_pairs_are_read_before_the_end_of_those_that_are_there() {
    let mut session = support(100_000);
    for _ in 0..40 {
        session.press("j");
    }
    assert_eq!(asked(&mut session), None, "there are enough of them");
    for _ in 0..20 {
        session.press("pgdn");
    }
    let (run, question) = asked(&mut session).unwrap();
    told(&mut session, run, around(&question), 100_000, 0);
    // It went on while that was read: what is in hand now is read at once.
    let at = session.app.screens.support.at;
    if session.app.screens.support.pair(at).is_none() {
        let (run, question) = asked(&mut session).unwrap();
        told(&mut session, run, around(&question), 100_000, 0);
    }
    assert_eq!(session.app.screens.support.pair(at).unwrap().key, ClaimKey(at as i64));
    session.press("G");
    let (run, question) = asked(&mut session).unwrap();
    assert_eq!(around(&question), 99_999);
    told(&mut session, run, 99_999, 100_000, 0);
    session.press("enter");
    assert_eq!(session.here(), Some(99_999));
}

#[test]
fn the_pair_in_hand_stays_in_hand_when_others_come_before_it() {
    let mut session = support(50);
    press_all(&mut session, &["j", "j", "j"]);
    session.after(10_000);
    session.send(Message::Looked(Ok(true)));
    let (run, question) = asked(&mut session).unwrap();
    assert_eq!(around(&question), 3);
    // Two more weak pairs stand before it now.
    told(&mut session, run, 3, 52, -2);
    assert_eq!(session.app.screens.support.at, 5);
    assert_eq!(session.app.screens.support.pair(5).unwrap().key, ClaimKey(3));
}

#[test]
fn sums_are_read_anew_only_when_something_changed_and_not_every_second() {
    let mut session = Session::with(1);
    press_all(&mut session, &["g", "b"]);
    assert_eq!(session.app.screens.shown, ScreenName::Dashboard);
    let tell = |session: &mut Session, run: u64| {
        let read = Ok(Reply::Dashboard(Arc::default()));
        session.send(Message::ScreenRead { run, result: read });
    };
    let (run, question) = asked(&mut session).unwrap();
    assert!(matches!(question, Question::Dashboard(question) if question.now >= START));
    tell(&mut session, run);
    session.app.dirty = false;
    for _ in 0..20 {
        session.after(1000);
        session.send(Message::Looked(Ok(false)));
        assert!(asked(&mut session).is_none());
    }
    assert!(!session.app.dirty, "an idle screen is not drawn");
    let mut reads = 0;
    for _ in 0..12 {
        session.after(1000);
        session.send(Message::Looked(Ok(true)));
        if let Some((run, _)) = asked(&mut session) {
            reads += 1;
            tell(&mut session, run);
        }
    }
    assert!((3..=4).contains(&reads), "{reads} readings in twelve seconds");
    session.after(4000);
    session.send(Message::Looked(Ok(false)));
    assert!(asked(&mut session).is_some(), "the last change is not forgotten");
    session.press("esc");
    session.after(4000);
    session.send(Message::Looked(Ok(true)));
    assert!(asked(&mut session).is_none(), "nobody looks at it");
}

#[test]
fn sums_that_promise_more_than_there_is_are_not_asked_about_for_ever() {
    let mut session = support(40);
    session.after(10_000);
    session.send(Message::Looked(Ok(true)));
    let (run, _) = asked(&mut session).unwrap();
    let spread = Spread { counts: [40, 0, 0, 0, 0], ..Spread::default() };
    let support = store::Support { all: spread, ..store::Support::default() };
    let reply = Arc::new(support::Reply { support, from: 0, pairs: Vec::new() });
    session.send(Message::ScreenRead { run, result: Ok(Reply::Support(reply)) });
    assert!(asked(&mut session).is_none());
    press_all(&mut session, &["enter"]);
    assert_eq!(session.app.place(), Place::Screen, "no pair is in hand");
}

#[test]
fn nothing_to_choose_is_said() {
    let mut session = support(0);
    session.press("enter");
    assert_eq!(session.app.place(), Place::Screen);
    assert!(session.requests().is_empty());
    let mut session = Session::with(1);
    session.app.settings.blind = Some(2);
    for keys in [&["g", "p"], &["g", "b"]] {
        press_all(&mut session, keys);
        assert_eq!(session.app.place(), Place::Review, "hidden in a blind review");
    }
}
