use std::time::Duration;

use super::session::{START, Session};
use crate::tui::effect::Effect;
use crate::tui::message::Message;
use crate::tui::update::deadline;

/// Lets time pass as the loop does: from one deadline to the next.
fn idle(session: &mut Session, duration: Duration) -> (usize, Vec<Effect>) {
    let end = session.now.plus(duration);
    let (mut frames, mut effects) = (0, Vec::new());
    loop {
        let due = deadline::next(&session.app).expect("there is always the next look");
        if due > end {
            return (frames, effects);
        }
        session.now = due.max(session.now);
        session.send(Message::Tick);
        effects.extend(session.take());
        if session.app.dirty {
            frames += 1;
            session.drawn();
        }
    }
}

#[test]
fn idle_is_one_look_a_second() {
    let mut session = Session::with(100);
    idle(&mut session, Duration::from_secs(2));
    session.send(Message::Held { claim: crate::domain::ids::ClaimKey(1), result: Ok(()) });
    let readings = session.readings;
    let (frames, effects) = idle(&mut session, Duration::from_mins(1));
    let looks = effects.iter().filter(|effect| **effect == Effect::Look).count();
    let holds = effects.iter().filter(|effect| matches!(effect, Effect::Hold { .. })).count();
    assert_eq!(frames, 0, "nothing is drawn");
    assert!((59..=61).contains(&looks), "{looks} looks");
    assert_eq!((holds, effects.len()), (0, looks), "and nothing else: nobody is there to hold the claim");
    assert_eq!(session.readings, readings);
}

#[test]
fn idle_with_an_empty_queue_writes_nothing() {
    let mut session = Session::with(0);
    let (frames, effects) = idle(&mut session, Duration::from_secs(30));
    assert_eq!(frames, 0);
    assert!(effects.iter().all(|effect| *effect == Effect::Look), "{effects:?}");
}

#[test]
fn a_message_goes_away_by_itself_with_one_frame() {
    let mut session = Session::with(1);
    session.press("p");
    session.drawn();
    let (frames, _) = idle(&mut session, Duration::from_secs(10));
    assert_eq!((frames, session.toast()), (1, ""));
}

#[test]
fn looks_go_on_when_the_clock_is_set_back() {
    let mut session = Session::with(1);
    session.now = START.plus(Duration::from_hours(2));
    session.send(Message::Tick);
    session.take();
    session.now = START;
    session.send(Message::Tick);
    assert!(session.take().contains(&Effect::Look));
    assert!(deadline::next(&session.app).is_some_and(|due| due <= START.plus(Duration::from_secs(1))));
}

#[test]
fn a_hold_lasts_from_the_last_key_on_and_not_while_a_window_is_open() {
    let mut session = Session::with(3);
    session.send(Message::Tick);
    session.send(Message::Held { claim: crate::domain::ids::ClaimKey(1), result: Ok(()) });
    idle(&mut session, Duration::from_mins(1));
    session.press("n");
    let pressed = session.now;
    let (_, effects) = idle(&mut session, Duration::from_mins(10));
    let held: Vec<_> = effects
        .iter()
        .filter_map(|effect| if let Effect::Hold { since, .. } = effect { Some(*since) } else { None })
        .collect();
    assert_eq!(held, [Some(pressed)], "renewed once, as of that key");
}
