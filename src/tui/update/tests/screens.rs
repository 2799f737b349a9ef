//! The screens beside the queue: going there and back, what is asked for them, and that nothing is decided there.

use super::session::{START, Session};
use crate::store::KeptComparison;
use crate::tui::app::Mode;
use crate::tui::command::Place;
use crate::tui::effect::Effect;
use crate::tui::exchanges::Reading;
use crate::tui::message::Message;
use crate::tui::screens::{Reply, ScreenName, compare};

fn kept(number: u32) -> KeptComparison {
    KeptComparison {
        name: format!("cmp-{number}"),
        made_at: START,
        judge: "local".into(),
        model: "rules-1".into(),
        prompt_version: "1".into(),
        baseline: "a.jsonl".into(),
        candidate: "b.jsonl".into(),
        items: 200,
        compared: 198,
        baseline_rate: Some(0.1),
        candidate_rate: Some(0.2),
        rate_change: Some(0.1),
        says: "no".into(),
    }
}

/// Number of the question that the screen asked last.
fn asked(session: &mut Session) -> Option<u64> {
    session.take().into_iter().find_map(|effect| match effect {
        Effect::ReadScreen { run, .. } => Some(run),
        _ => None,
    })
}

fn told(session: &mut Session, run: u64, names: &[u32]) {
    let kept = names.iter().map(|number| kept(*number)).collect();
    session.send(Message::ScreenRead { run, result: Ok(Reply::Compare(compare::Reply { kept })) });
}

/// The session on the Compare screen with these comparisons.
fn compare(mut session: Session, names: &[u32]) -> Session {
    session.press("g");
    session.press("v");
    let run = asked(&mut session).unwrap();
    told(&mut session, run, names);
    session
}

#[test]
fn every_way_back_leads_to_the_queue_as_it_was_left() {
    for back in ["esc", "q", "("] {
        let mut session = Session::with(9);
        session.press("j");
        session.press("tab");
        let (here, focus, top) = (session.here(), session.app.focus, session.app.queue.top);
        let mut session = compare(session, &[2, 1]);
        assert_eq!(session.app.place(), Place::Screen);
        // The store changes behind it: the cursor stays on its claim.
        session.rows.remove(0);
        session.look();
        session.press(back);
        assert_eq!(session.app.place(), Place::Review, "{back}");
        assert!(!session.app.quitting);
        assert_eq!((session.here(), session.app.focus), (here, focus));
        assert!(session.app.queue.top <= top);
    }
}

#[test]
fn nothing_is_decided_on_another_screen_nor_right_after_it() {
    let mut session = compare(Session::with(3), &[1]);
    session.after(1000);
    for key in ["c", "1", "4", "o", "s", "f", "u", "U", "d", ".", "A", "a", "r"] {
        session.press(key);
        assert!(session.requests().is_empty() && session.take().is_empty(), "{key}");
        assert!(matches!(session.app.mode, Mode::Normal), "{key}");
    }
    session.press("c");
    assert_eq!(session.toast(), "nothing is decided here: Esc goes back to the claim");
    session.drawn();
    session.after(1000);
    session.press("esc");
    // The claim was not in view while the other screen was.
    session.press("c");
    assert!(session.requests().is_empty());
    session.drawn();
    session.after(1000);
    session.press("c");
    assert_eq!(session.requests().len(), 1);
}

#[test]
fn the_one_in_hand_stays_in_hand_while_others_come() {
    let mut session = compare(Session::with(1), &[3, 2, 1]);
    session.press("j");
    assert_eq!(session.app.screens.compare.chosen.as_deref(), Some("cmp-2"));
    session.send(Message::Looked(Ok(true)));
    let run = asked(&mut session).unwrap();
    // Changed again before the answer: it is asked once more, and only then.
    session.send(Message::Looked(Ok(true)));
    assert_eq!(asked(&mut session), None);
    told(&mut session, run, &[4, 3, 2, 1]);
    assert_eq!(session.app.screens.compare.chosen.as_deref(), Some("cmp-2"));
    let again = asked(&mut session).unwrap();
    told(&mut session, again, &[4, 3, 2, 1]);
    assert_eq!(asked(&mut session), None);
    session.press("G");
    assert_eq!(session.app.screens.compare.line(), 3);
    session.press("j");
    assert_eq!(session.app.screens.compare.line(), 3);
    session.press("g");
    session.press("g");
    assert_eq!(session.app.screens.compare.line(), 0);
}

#[test]
fn an_answer_that_comes_too_late_is_not_taken_and_an_error_is_shown() {
    let mut session = Session::with(1);
    session.press("g");
    session.press("v");
    let run = asked(&mut session).unwrap();
    session.press("esc");
    told(&mut session, run, &[1]);
    assert!(session.app.screens.compare.kept().is_empty());
    session.press(")");
    let run = asked(&mut session).unwrap();
    session.send(Message::ScreenRead { run, result: Err("the file is gone".into()) });
    assert!(matches!(&session.app.screens.compare.kept, Reading::Error(why) if why == "the file is gone"));
    // The queue has no need of it.
    session.press("esc");
    session.send(Message::Looked(Ok(true)));
    assert_eq!(asked(&mut session), None);
}

#[test]
fn the_palette_and_help_of_a_screen_lead_back_to_it() {
    let mut session = compare(Session::with(1), &[1]);
    session.press("?");
    assert!(matches!(session.app.mode, Mode::Help { .. }));
    session.press("esc");
    assert_eq!(session.app.place(), Place::Screen);
    session.press(":");
    session.type_text("confirm");
    let Mode::Palette(palette) = &session.app.mode else { panic!() };
    assert!(palette.entries.is_empty(), "nothing of the queue is found there");
    session.press("esc");
    session.press(":");
    session.type_text("show queue");
    session.press("enter");
    assert_eq!(session.app.place(), Place::Review);
    session.press(":");
    session.type_text("compare");
    session.press("enter");
    assert_eq!(session.app.screens.shown, ScreenName::Compare);
}

#[test]
fn no_other_screen_is_shown_in_a_blind_review() {
    let mut session = Session::with(1);
    session.app.settings.blind = Some(2);
    for keys in [&["g", "v"][..], &[")"], &["("]] {
        for key in keys {
            session.press(key);
        }
        assert_eq!(session.app.place(), Place::Review);
        assert!(session.toast().starts_with("not in a blind review"), "{}", session.toast());
    }
    assert_eq!(asked(&mut session), None);
}
