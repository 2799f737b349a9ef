//! What is told, wherever it stands and on whatever way: banner, bell, notification; and what waits from before.

use super::decide::shown;
use super::news::{critical, look_again};
use super::session::Session;
use crate::domain::decision::Request;
use crate::domain::ids::{AuditId, ClaimId, ClaimKey};
use crate::domain::queue::Waiting;
use crate::tui::effect::{Effect, TerminalEffect};
use crate::tui::message::Message;

#[test]
fn news_below_the_cursor_are_told_until_they_are_gone_to_or_passed() {
    let mut session = Session::with(40);
    session.press("k j j");
    session.look();
    let (here, line) = (session.here(), session.line());
    session.rows.push(critical(100));
    session.below = (1, 0);
    look_again(&mut session);
    assert_eq!((session.here(), session.line()), (here, line));
    assert!(shown(&session).contains("▲ 1 new CRITICAL below · g c"), "{}", shown(&session));
    session.above = (2, 1);
    look_again(&mut session);
    assert!(shown(&session).contains("▲ 3 new · g c"), "both sides: {}", shown(&session));
    session.above = (0, 0);
    session.below = (1, 2);
    // A move makes nothing below older.
    session.press("j");
    look_again(&mut session);
    assert_eq!(session.app.news.since_below, (ClaimKey(40), ClaimKey(40)));
    session.send(Message::GoTo(Ok(Some(ClaimKey(100)))));
    assert_eq!(session.app.news.since_below, (ClaimKey(100), ClaimKey(40)), "HIGH ones stay new");
    session.below = (0, 2);
    look_again(&mut session);
    assert!(shown(&session).contains("■ 2 new HIGH below "), "{}", shown(&session));
    session.press("g g");
    assert_eq!(session.app.news.since_below, (ClaimKey(100), ClaimKey(100)), "all is read at the top");
}

#[test]
fn a_hook_that_does_not_run_is_told_once_and_shown_until_it_works() {
    let mut session = Session::with(3);
    session.send(Message::HookFailed("`page`: No such file".to_owned()));
    let said = "the hook calls nobody: `page`: No such file; `juror doctor` says since when";
    assert_eq!(session.toast(), said);
    session.press("j");
    session.send(Message::HookFailed("`page`: No such file".to_owned()));
    assert_ne!(session.toast(), said);
    assert!(shown(&session).contains("✗ hook fails"), "{}", shown(&session));
    session.press("g d");
    assert!(shown(&session).contains("✗ hook fails"), "on every screen: {}", shown(&session));
    session.send(Message::HookWorks);
    assert_eq!(session.toast(), "the hook works again");
    assert!(!shown(&session).contains("hook fails"), "{}", shown(&session));
}

#[test]
fn drafts_of_an_earlier_session_are_told_with_the_way_to_them() {
    let ids = |names: &[&str]| names.iter().map(|name| name.parse().unwrap()).collect::<Vec<ClaimId>>();
    let mut session = Session::with(3);
    session.send(Message::Waiting(Ok(Waiting::default())));
    assert_eq!(session.toast(), "");
    session.send(Message::Waiting(Ok(Waiting { drafts: ids(&["rx-9#1"]), escalated: 0 })));
    assert_eq!(session.toast(), "1 draft: rx-9#1 · \\ draft:ana is:any finds them");
    let mut session = Session::with(3);
    session.send(Message::Waiting(Ok(Waiting {
        drafts: ids(&["a#1", "a#2", "b#1", "c#1", "d#1"]),
        escalated: 0,
    })));
    assert!(session.toast().starts_with("5 drafts: a#1, a#2, b#1 and 2 more · "), "{}", session.toast());
    let mut session = Session::with(3);
    session.send(Message::Waiting(Ok(Waiting { drafts: Vec::new(), escalated: 2 })));
    assert_eq!(session.toast(), "2 claims were escalated to you · \\ to:ana is:open");
    session.send(Message::Waiting(Ok(Waiting { drafts: ids(&["rx-9#1"]), escalated: 1 })));
    assert_eq!(
        session.toast(),
        "2 claims were escalated to you · \\ to:ana is:open",
        "it is still to be read"
    );
}

#[test]
fn bell_and_notification_tell_of_each_arrival_once_by_ids_and_without_text() {
    let mut session = Session::with(3);
    session.press("k");
    look_again(&mut session);
    session.app.settings.bell = true;
    session.app.settings.notify = true;
    session.rows.insert(0, critical(100));
    session.above = (1, 0);
    look_again(&mut session);
    let asked = session.take();
    assert_eq!(asked[0], Effect::Terminal(TerminalEffect::Bell));
    assert_eq!(
        asked[1],
        Effect::Terminal(TerminalEffect::Notify("juror: 1 new CRITICAL: rx-10#1".to_owned()))
    );
    look_again(&mut session);
    assert_eq!(session.take(), [], "the same news again are no news");
}

#[test]
fn news_are_quiet_unless_asked_for() {
    let mut session = Session::with(3);
    session.above = (2, 5);
    look_again(&mut session);
    assert_eq!(session.take(), []);
    assert_eq!((session.app.news.critical, session.app.news.high), (2, 5));
    assert!(session.app.dirty, "the banner is drawn");
}

#[test]
fn many_arrivals_are_named_by_the_first_and_counted() {
    let mut session = Session::with(3);
    session.app.settings.notify = true;
    for key in 100..130 {
        session.rows.insert(0, critical(key));
    }
    session.rows[0].id = ClaimId::new(AuditId::new(format!("{}\u{1b}]0;x", "long-".repeat(20))), 7);
    look_again(&mut session);
    let asked = session.take();
    let Effect::Terminal(TerminalEffect::Notify(sentence)) = &asked[0] else { panic!("{asked:?}") };
    let begin = "juror: 30 new CRITICAL: …";
    assert!(
        sentence.starts_with(begin) && sentence.contains("]0;x#7, rx-12#9, rx-12#8 and 27 more"),
        "{sentence}"
    );
    assert!(!sentence.contains('\u{1b}') && sentence.len() < 160, "{sentence}");
}

#[test]
fn an_arrival_is_told_whichever_reading_brings_it_and_wherever_the_cursor_is() {
    let ring = Effect::Terminal(TerminalEffect::Bell);
    // With the reading that a move of the cursor makes.
    let mut session = Session::with(400);
    session.app.settings.bell = true;
    session.press("k");
    session.app.queue.at_end = false;
    session.rows.insert(0, critical(500));
    session.above = (1, 0);
    session.press("G");
    assert!(session.take().contains(&ring));
    assert_eq!(session.app.news.critical, 1);
    look_again(&mut session);
    assert!(!session.take().contains(&ring), "once");
    // While there is nothing to review.
    let mut session = Session::with(0);
    session.app.settings.bell = true;
    session.rows.push(critical(500));
    look_again(&mut session);
    assert!(session.take().contains(&ring));
    // What was there from the beginning did not arrive.
    let mut session = Session::before_start(vec![critical(1)]);
    session.app.settings.bell = true;
    session.send(Message::Started { open: None });
    assert!(!session.take().contains(&ring));
}

#[test]
fn what_was_saved_here_and_taken_back_elsewhere_is_saved_no_more() {
    let mut session = Session::with(3);
    session.do_and_save("c");
    let event = session.app.saved.as_ref().and_then(|saved| saved.event).unwrap();
    session.take();
    session.send(Message::Looked(Ok(true)));
    assert!(session.take().contains(&Effect::StillStands(event)));
    session.send(Message::TakenBack(event + 1));
    assert_ne!(session.saved(), "", "another event");
    session.send(Message::TakenBack(event));
    assert_eq!(session.saved(), "");
}

#[test]
fn a_ruling_of_the_same_person_in_another_window_is_not_overturned_by_the_next_key() {
    let mut session = Session::with(3);
    session.rows[0].decided = Some(super::session::decided());
    session.send(Message::Looked(Ok(true)));
    session.press("3");
    assert!(session.requests().is_empty());
    assert!(session.toast().contains("in another window"), "{}", session.toast());
    session.look();
    session.after(1000);
    session.press("3");
    assert_eq!(session.requests().len(), 1, "now they know: {}", session.toast());
}

#[test]
fn the_store_is_told_which_ruling_of_ones_own_was_on_the_screen() {
    use crate::domain::word::Own;
    let mut session = Session::with(3);
    let own = |session: &mut Session, keys: &str| {
        session.press(keys);
        let effects = session.take();
        effects.into_iter().find_map(|effect| match effect {
            Effect::Decide { own, .. } => Some(own),
            _ => None,
        })
    };
    assert_eq!(own(&mut session, "3"), Some(Own::Nothing));
    let mut session = Session::of(vec![super::session::row(1)]);
    session.rows[0].decided = Some(super::session::decided());
    let mut session = Session::of(session.rows);
    let seq = super::session::decided().seq;
    assert_eq!(own(&mut session, "3"), Some(Own::Event(seq)));
}

#[test]
fn a_skip_or_a_flag_is_asked_for_as_it_is_shown() {
    for (key, request) in [("s", Request::Skip(false)), ("f", Request::Flag(false))] {
        let mut session = Session::with(2);
        let claim = session.app.claim.as_mut().expect("a claim is in hand");
        let crate::tui::app::Detail::Ready(detail) = &mut claim.detail else { panic!("it was read") };
        let standing = &mut std::sync::Arc::make_mut(detail).standing;
        standing.skipped = true;
        standing.flag = Some(crate::domain::decision::Flag { seq: 3, to: None });
        session.press(key);
        assert_eq!(session.requests(), [(1, request)]);
    }
}
