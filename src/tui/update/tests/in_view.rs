//! What is acted on stands before the eyes, and what is said of it is said to its end.

use super::decide::shown;
use super::session::{Session, event, id, row};
use crate::domain::decision::{Decided, DecisionKind, HumanVerdict, Request, Ruling};
use crate::domain::ids::{Annotator, ClaimKey};
use crate::domain::verdict::Severity;
use crate::domain::word::{Opposed, Then};
use crate::store::Batched;
use crate::tui::app::Mode;
use crate::tui::effect::Effect;
use crate::tui::marks::Together;
use crate::tui::message::Message;

#[test]
fn a_frame_that_is_still_on_its_way_is_no_time_to_look() {
    for key in ["c", "3", "space"] {
        let mut session = Session::with(2);
        session.app.in_view.clear();
        session.app.marks.look_anew();
        let seen = session.now.plus(std::time::Duration::from_millis(300));
        crate::tui::update::update(&mut session.app, Message::Drawn, seen);
        let acts = |session: &mut Session| {
            session.strike(key);
            session.requests().len() + session.app.marks.rows.len()
        };
        session.after(300);
        assert_eq!(acts(&mut session), 0, "{key}: it comes into view only now");
        session.after(249);
        session.app.strokes = crate::tui::strokes::Strokes::default();
        assert_eq!(acts(&mut session), 0, "{key}");
        session.after(1);
        session.app.strokes = crate::tui::strokes::Strokes::default();
        assert_eq!(acts(&mut session), 1, "{key}: {}", session.toast());
    }
}

/// A ruling of somebody else, which the event `seq` recorded.
pub(super) fn ruled(who: &str, ruling: Ruling, seq: i64) -> (Annotator, Decided) {
    let at = super::session::START;
    (Annotator::new(who), Decided { kind: DecisionKind::Overridden, ruling, reason: None, seq, at })
}

fn asked(session: &mut Session) -> Vec<i64> {
    let keys = |effect| match effect {
        Effect::DecideMany { claims, .. } => Some(claims.iter().map(|key| key.0).collect()),
        _ => None,
    };
    session.take().into_iter().find_map(keys).unwrap_or_default()
}

/// Claims 1 and 2 are marked; then a filter leaves `fit` in the list.
fn marked_then_filtered(fit: &[i64]) -> Session {
    let mut session = Session::with(4);
    session.press("space space");
    session.fit = fit.to_vec();
    session.press("/");
    session.type_text("heparin");
    session.press("enter");
    session.find();
    session.look();
    session
}

#[test]
fn a_mark_that_a_filter_hides_is_named_not_acted_on_and_stays() {
    let mut session = marked_then_filtered(&[2, 3]);
    session.press("A");
    assert!(shown(&session).contains("1 not in this list: left out"), "{}", shown(&session));
    session.press("4");
    session.look();
    let screen = shown(&session);
    assert!(
        screen.contains("Rule CONTRADICTED on 1 of 2?") && screen.contains("rx-0#2 not in this list"),
        "{screen}"
    );
    session.press("enter");
    assert_eq!(asked(&mut session), [2]);
    let together = Together::Rule(HumanVerdict::Contradicted);
    let done = Batched { events: vec![event(2, &Request::Confirm)], ..Batched::default() };
    session.send(Message::DecidedMany { together, result: Ok(done) });
    assert_eq!(session.app.marks.rows.iter().map(|row| row.key.0).collect::<Vec<_>>(), [1]);
}

#[test]
fn where_no_marked_claim_is_in_the_list_nothing_is_asked() {
    let mut session = marked_then_filtered(&[3]);
    session.press("A");
    assert!(matches!(session.app.mode, Mode::Normal));
    assert!(session.toast().starts_with("2 claims marked, none of this list"), "{}", session.toast());
}

#[test]
fn what_is_done_to_many_shows_each_with_its_id_and_no_other_claim() {
    let mut session = Session::with(4);
    session.press("space space A");
    for key in ["", "4"] {
        if !key.is_empty() {
            session.press(key);
        }
        let screen = shown(&session);
        assert!(screen.contains("rx-0#2 claim 1") && screen.contains("rx-0#3 claim 2"), "{screen}");
        assert!(!screen.contains("rx-0#4"), "the claim in hand is none of them: {screen}");
    }
    assert!(shown(&session).contains("severity: by what is at stake with each"));
}

#[test]
fn the_severities_of_many_are_told_when_they_are_recorded() {
    let mut session = Session::with(4);
    session.press("space space");
    let ruled = |key, severity: Severity| {
        let request = Request::Override(Ruling::only(HumanVerdict::Contradicted));
        let mut event = event(key, &request);
        event.new["severity"] = serde_json::json!(severity);
        event
    };
    let events = vec![ruled(1, Severity::Critical), ruled(2, Severity::High)];
    let together = Together::Rule(HumanVerdict::Contradicted);
    session.send(Message::DecidedMany { together, result: Ok(Batched { events, ..Batched::default() }) });
    let said = "2 claims ruled CONTRADICTED: 1 CRITICAL, 1 HIGH · 1 answer can still go out: A b blocks it · u takes all of it back";
    assert_eq!(session.toast(), said);
}

#[test]
fn what_a_ruling_against_others_leads_to_is_read_to_its_end() {
    let mut session = Session::with(3);
    session.app.size = ratatui::layout::Size::new(80, 24);
    session.press("1");
    let Some((claim, request)) = session.requests().pop() else { panic!("no ruling") };
    let ruling = Ruling { severity: Some(Severity::Critical), ..Ruling::only(HumanVerdict::Contradicted) };
    let opposed = Opposed { others: vec![ruled("a-colleague-of-the-ward", ruling, 7)], then: Then::Disputes };
    session.send(Message::Opposed { claim: ClaimKey(claim), request, opposed: Box::new(opposed) });
    let screen = shown(&session);
    assert!(screen.contains("nothing is recorded yet"), "{screen}");
    let end = ["and the claim is in dispute", "claim is in dispute", "is in dispute", "in dispute"];
    assert!(
        end.iter().any(|end| screen.contains(end)) && screen.contains("a-colleague-of-the-ward"),
        "{screen}"
    );
}

#[test]
fn only_those_of_whom_it_was_told_are_ruled_against() {
    let mut session = Session::with(2);
    let strike = |session: &mut Session| {
        session.press("1");
        match &session.take()[..] {
            [Effect::Decide { request, against, .. }] => (request.clone(), against.clone()),
            other => panic!("one ruling, not {other:?}"),
        }
    };
    let (request, against) = strike(&mut session);
    assert!(against.is_empty(), "nobody was told of yet");
    let ruling = Ruling::only(HumanVerdict::Unsupported);
    let told = |session: &mut Session, others: &[(&str, i64)]| {
        let others = others.iter().map(|(who, seq)| ruled(who, ruling.clone(), *seq)).collect();
        let opposed = Box::new(Opposed { others, then: Then::Disputes });
        session.send(Message::Opposed { claim: ClaimKey(1), request: request.clone(), opposed });
        session.look();
    };
    told(&mut session, &[("ben", 7)]);
    assert_eq!(strike(&mut session).1, [7]);
    // Cy ruled meanwhile: the store tells anew, of both.
    told(&mut session, &[("ben", 7), ("cy", 9)]);
    assert!(
        session.toast().starts_with("ben ruled UNSUPPORTED and cy ruled UNSUPPORTED"),
        "{}",
        session.toast()
    );
    assert_eq!(strike(&mut session).1, [7, 9]);
}

#[test]
fn the_warning_of_a_ruling_against_a_colleague_names_the_key_that_was_struck() {
    for key in ["4", "c"] {
        let mut session = Session::with(2);
        session.press(key);
        let (claim, request) = session.requests().pop().expect("asked for");
        assert_eq!(request, Request::Confirm, "the judge said so too");
        let ruling = Ruling::only(HumanVerdict::FullySupported);
        let opposed = Opposed { others: vec![ruled("ben", ruling, 7)], then: Then::Disputes };
        session.send(Message::Opposed { claim: ClaimKey(claim), request, opposed: Box::new(opposed) });
        assert!(session.toast().contains(&format!("{key} again rules against it")), "{}", session.toast());
    }
}

#[test]
fn the_reason_that_a_repetition_gives_comes_first() {
    let mut session = Session::with(4);
    session.do_and_save("4");
    session.press("r n");
    for (key, request) in session.requests() {
        session.store_says_yes(key, request);
    }
    session.look();
    session.press(".");
    let asked = session.take();
    let reason = asked.iter().find_map(|effect| match effect {
        Effect::Decide { reason, .. } => *reason,
        _ => None,
    });
    assert!(reason.is_some(), "{asked:?}");
    let Some(Effect::Decide { claim, id, request, .. }) = asked.into_iter().next() else {
        panic!("no ruling")
    };
    let mut done = event(claim.0, &request);
    done.reason = reason;
    session.send(Message::Decided { claim, id, request, result: Ok(Box::new(done)) });
    assert!(session.toast().contains("reason “a number differs”, CONTRADICTED"), "{}", session.toast());
}

#[test]
fn after_another_act_the_hint_for_a_reason_is_gone() {
    let mut session = Session::with(4);
    session.app.hints.done = Some(usize::MAX);
    session.do_and_save("c");
    session.look();
    session.after(10_000);
    session.send(Message::Tick);
    assert!(shown(&session).contains("reason for rx-0#2"), "{}", shown(&session));
    session.do_and_save("f");
    session.after(10_000);
    session.send(Message::Tick);
    assert!(!shown(&session).contains("reason for rx-0#2"), "{}", shown(&session));
}

#[test]
fn the_cursor_goes_to_what_nobody_escalated_first() {
    let mut rows: Vec<_> = (1..=4).map(row).collect();
    rows[1].flagged = true;
    rows[1].escalated = true;
    let mut session = Session::of(rows);
    session.do_and_save("c");
    assert_eq!(session.here(), Some(3), "{} waits for somebody else", id(2));
    session.look();
    session.do_and_save("c");
    session.look();
    session.do_and_save("c");
    assert_eq!(session.here(), Some(2), "and is not left out");
}
