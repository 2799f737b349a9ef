//! The screens beside the queue: going there and back, what is asked for them, and that nothing is decided there.

use std::sync::Arc;

use super::session::{START, Session};
use crate::domain::ids::{AuditId, ClaimId, ClaimKey};
use crate::domain::verdict::Severity;
use crate::report::comparison::NEWLY_WRONG;
use crate::report::{Findings, Found, Kind, Part, Report, Shows};
use crate::store::{KeptComparison, SentClaim};
use crate::tui::app::Mode;
use crate::tui::command::Place;
use crate::tui::effect::Effect;
use crate::tui::exchanges::Reading;
use crate::tui::message::Message;
use crate::tui::screens::compare::{self, Pane, Told};
use crate::tui::screens::{Question, Reply, ScreenName};

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

/// A report with two claims that are newly wrong; the second one waits in the queue as claim 3.
fn report() -> Told {
    report_of("It is green.")
}

/// The same, in which the first claim says that.
fn report_of(first: &str) -> Told {
    let found = |id: &str, text: &str| Found {
        id: id.into(),
        severity: Some(Severity::High),
        label: "UNSUPPORTED".into(),
        text: text.into(),
        details: Vec::new(),
    };
    let findings = Findings {
        none: String::new(),
        total: 2,
        list: vec![found("q-1", first), found("q-2", "It is blue.")],
    };
    let report = Report {
        kind: Kind::Comparison,
        name: None,
        title: String::new(),
        made_at: START,
        program: String::new(),
        provisional: None,
        sentences: Vec::new(),
        gate: None,
        facts: Vec::new(),
        parts: vec![Part::new(NEWLY_WRONG, Shows::Findings(findings))],
        cases: Vec::new(),
        data: serde_json::Value::Null,
    };
    let id = ClaimId::new(AuditId::new("cmp-1/q-2"), 1);
    let stored = Some((ClaimKey(3), "It is blue.".to_owned()));
    let sent = SentClaim {
        item: "q-2".into(),
        id,
        stored,
        is_decided: false,
        rulings: Vec::new(),
        ruled_severity: None,
    };
    Told::of("cmp-1", report, vec![sent])
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
    let told = names.first().map(|_| Ok(Arc::new(report())));
    session.send(Message::ScreenRead { run, result: Ok(Reply::Compare(compare::Reply { kept, told })) });
}

/// The session on the Compare screen with these comparisons.
fn compare(mut session: Session, names: &[u32]) -> Session {
    session.press("g");
    session.press("v");
    let run = asked(&mut session).unwrap();
    told(&mut session, run, names);
    session
}

/// Of the claim in hand, the first row that is shown.
fn top(session: &Session) -> usize {
    session.app.screens.compare.claim_top
}

#[test]
fn a_long_claim_is_scrolled_to_its_end_and_the_next_begins_at_its_beginning() {
    let mut session = Session::with(1);
    session.press("g");
    session.press("v");
    let run = asked(&mut session).unwrap();
    let long = Arc::new(report_of(&"It is green, and so is what stands beside it. ".repeat(200)));
    let reply = compare::Reply { kept: vec![kept(1)], told: Some(Ok(long)) };
    session.send(Message::ScreenRead { run, result: Ok(Reply::Compare(reply)) });
    session.press("enter");
    session.press("pgdn");
    let once = top(&session);
    assert!(once > 5, "{once}");
    for _ in 0..200 {
        session.press("pgdn");
    }
    let end = top(&session);
    session.press("pgdn");
    assert!(end > once && top(&session) == end, "there is an end: {end}");
    session.press("pgup");
    assert_eq!(top(&session), end - once, "back by as much");
    session.press("j");
    assert_eq!((top(&session), session.app.screens.compare.claim), (0, 1));
    session.press("pgdn");
    assert_eq!(top(&session), 0, "a short one has its end in view");
}

#[test]
fn what_is_shown_is_told_to_who_reads_so_that_nothing_is_read_twice() {
    let mut session = compare(Session::with(1), &[1]);
    session.send(Message::Looked(Ok(true)));
    let known = session.take().into_iter().find_map(|effect| match effect {
        Effect::ReadScreen { question: Question::Compare(question), .. } => question.known,
        _ => None,
    });
    let shown = session.app.screens.compare.told.ready().unwrap();
    assert_eq!(known, Some(compare::Known(Arc::clone(shown))));
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
    assert!(matches!(session.app.screens.compare.told, Reading::Loading), "it is another report");
    let run = asked(&mut session).unwrap();
    told(&mut session, run, &[3, 2, 1]);
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
fn a_newly_wrong_claim_is_gone_to_in_the_queue_and_esc_leads_back_to_it() {
    let mut session = Session::with(4);
    session.press("j");
    let before = session.here();
    let mut session = compare(session, &[1]);
    session.press("enter");
    assert_eq!(session.app.screens.compare.pane, Pane::Claims);
    session.press("enter");
    assert!(session.toast().starts_with("this claim was not sent to the queue"), "{}", session.toast());
    assert_eq!(session.app.place(), Place::Screen);
    session.press("j");
    session.press("enter");
    assert_eq!((session.app.place(), session.here()), (Place::Review, Some(3)));
    // It is decided like every other, and the way back stays.
    session.drawn();
    session.after(1000);
    session.press("c");
    assert_eq!(session.requests().len(), 1);
    session.app.saving = None;
    session.press("esc");
    let compare = &session.app.screens.compare;
    assert_eq!(
        (session.app.screens.shown, compare.pane, compare.claim),
        (ScreenName::Compare, Pane::Claims, 1)
    );
    session.press("esc");
    assert_eq!((session.app.screens.compare.pane, session.app.place()), (Pane::Comparisons, Place::Screen));
    session.press("esc");
    assert_eq!(session.app.place(), Place::Review);
    assert_ne!(before, session.here());
    session.press("esc");
    assert_eq!(session.app.place(), Place::Review, "the way back is used up");
}

#[test]
fn a_filter_takes_esc_over_from_the_way_back() {
    let mut session = compare(Session::with(4), &[1]);
    for key in ["enter", "j", "enter", "/", "esc", "esc"] {
        session.press(key);
    }
    assert_eq!(session.app.place(), Place::Review);
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
