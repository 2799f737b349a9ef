//! What stands in the edges of the frames: what was saved, what was dropped, what can be done next.

use std::sync::Arc;

use ratatui::layout::Size;

use super::acts::event;
use super::decide::shown;
use super::session::{Session, audit_id, decided, row};
use crate::domain::decision::{HumanVerdict, ReasonCode, Request, Ruling};
use crate::domain::verdict::Severity;
use crate::tui::app::{Detail, Mode};
use crate::tui::message::Message;
use crate::tui::update::decide::what_was_done;

fn at_width(session: &mut Session, width: u16) -> String {
    session.send(Message::Resize(Size::new(width, 40)));
    shown(session)
}

#[test]
fn the_mark_of_a_save_says_the_verdict_at_every_width() {
    for (key, word) in [("3", "UNSUPPORTED"), ("4", "CONTRADICTED"), ("1", "FULLY"), ("5", "CANNOT JUDGE")] {
        let mut session = Session::of(vec![row(1), row(2), row(3), row(21)]);
        session.three_claims = true;
        session.send(Message::Looked(Ok(true)));
        session.do_and_save(key);
        for width in 60..=160 {
            let text = at_width(&mut session, width);
            let (_, behind) = text.split_once("saved ").unwrap_or_else(|| panic!("{key} at {width}"));
            let mark = behind.split('─').next().unwrap_or_default();
            assert!(mark.contains(word), "{key} at {width}: {mark}");
        }
        assert!(at_width(&mut session, 220).contains(" UTC ─"), "where there is room, the time too");
    }
}

#[test]
fn no_hint_beside_the_mark_of_a_save_is_cut() {
    let mut session = Session::of(vec![row(1), row(2), row(3), row(21)]);
    session.three_claims = true;
    session.send(Message::Looked(Ok(true)));
    session.press("j j j");
    session.look();
    session.press("k k k");
    session.look();
    session.app.last_decision = None;
    session.do_and_save("4");
    session.app.left = session.app.detail().cloned();
    let mut with_reason = 0;
    for width in 60..=160 {
        let text = at_width(&mut session, width);
        for (key, whole) in
            [("r reason", "r reason"), (" r + l", " r + letter: reason"), (" w 1", " w 1 more")]
        {
            assert!(!text.contains(key) || text.contains(whole), "{whole} at {width}");
        }
        assert!(!text.contains(" mor…") && !text.contains(" m…") && !text.contains("reaso…"), "at {width}");
        with_reason += usize::from(text.contains("r reason ") || text.contains("r + letter: reason"));
    }
    assert!(with_reason > 90, "the hint stands there at nearly every width: {with_reason}");
}

#[test]
fn keys_dropped_while_a_decision_is_saved_are_counted_beside_what_was_saved() {
    let mut session = Session::with(5);
    session.press("c c c");
    assert_eq!(session.app.dropped, 2);
    let requests = session.requests();
    assert_eq!(requests, [(1, Request::Confirm)]);
    session.store_says_yes(1, Request::Confirm);
    for width in [60, 80, 100, 120, 140] {
        let text = at_width(&mut session, width);
        assert!(text.contains("! 2 keys dropped: too fast"), "at {width}: {text}");
        assert!(text.contains("saved ") && text.contains("CONTRADICTED ─"), "at {width}: {text}");
    }
    session.after(1900);
    session.send(Message::Tick);
    assert!(session.toast().starts_with("2 keys dropped"), "{}", session.toast());
}

#[test]
fn the_severity_that_a_person_set_is_shown_as_such_everywhere() {
    let mut session = Session::with(2);
    let mut ruled = decided();
    ruled.ruling = Ruling { severity: Some(Severity::Critical), ..Ruling::only(HumanVerdict::Contradicted) };
    session.rows[0].decided = Some(ruled.clone());
    session.send(Message::Looked(Ok(true)));
    let mut detail = session.app.detail().cloned().expect("a claim is in hand");
    let changed = Arc::make_mut(&mut detail);
    let me = session.app.settings.annotator.clone();
    (changed.counts, changed.decisions) = (Some(me.clone()), vec![(me, ruled)]);
    changed.siblings[0].ruled_severity = Some(Severity::Critical);
    changed.siblings.push(changed.siblings[0].clone());
    session.app.claim.as_mut().expect("a claim is in hand").detail = Detail::Ready(detail);
    let text = at_width(&mut session, 160);
    assert!(text.contains("✗ CONTRADICTED · ▲ CRITICAL by a person, judge HIGH"), "{text}");
    assert_eq!(text.matches("▲ CRIT*✗").count(), 3, "the row and both lines of the list of claims: {text}");
    for width in [60, 80, 100] {
        let text = at_width(&mut session, width);
        assert!(text.contains("▲ CRITICAL by a person") || text.contains("▲ CRITICAL*"), "at {width}");
        assert!(text.contains("Decided   ✗ CONTRADICTED · ▲ CRITICAL · confirmed by"), "at {width}: {text}");
    }
}

#[test]
fn a_draft_that_was_never_saved_is_named_at_the_decision_and_beside_the_claim() {
    let mut session = Session::before_start(vec![row(1), row(2), row(3)]);
    session.three_claims = true;
    session.draft = Some("half a thought".to_owned());
    session.send(Message::Started { open: None });
    session.look();
    for width in [60, 80, 120] {
        let text = at_width(&mut session, width);
        assert!(text.contains("draft, to finish: a opens it half a"), "at {width}: {text}");
    }
    session.do_and_save("c");
    assert_eq!(session.toast(), "a draft on rx-0#2 waits: H a opens it");
    session.look();
    session.do_and_save("c");
    session.look();
    session.do_and_save("c");
    assert_eq!(session.toast(), "d to release, return or block rx-0 · a draft on it waits");
}

#[test]
fn what_a_dialog_leaves_of_the_list_has_a_frame_of_its_own() {
    for keys in ["o", "a", "c r"] {
        let mut session = Session::with(80);
        session.send(Message::Resize(Size::new(140, 42)));
        session.press("j j j j j j j j j j j j");
        session.look();
        if keys == "c r" {
            session.do_and_save("c");
            session.press("r");
        } else {
            session.press(keys);
        }
        let text: Vec<char> = shown(&session).chars().collect();
        let line = |y: usize| text[y * 140..y * 140 + 50].iter().collect::<String>();
        let lines: Vec<String> = (0..42).map(line).collect();
        let tops = lines.iter().filter(|line| line.starts_with('┌')).count();
        let bottoms = lines.iter().filter(|line| line.starts_with('└')).count();
        assert_eq!((tops, bottoms), (2, 2), "{keys}: {}", lines.join("\n"));
        assert!(lines.iter().any(|line| line.starts_with("│▌")), "{keys}: the cursor is in sight");
    }
}

#[test]
fn the_list_of_claims_says_that_there_are_more() {
    let mut session = Session::with(2);
    let mut detail = session.app.detail().cloned().expect("a claim is in hand");
    let changed = Arc::make_mut(&mut detail);
    changed.siblings = vec![changed.siblings[0].clone(); 40];
    for sibling in changed.siblings.iter_mut().skip(1) {
        sibling.key = crate::domain::ids::ClaimKey(99);
    }
    session.app.claim.as_mut().expect("a claim is in hand").detail = Detail::Ready(detail);
    session.send(Message::Resize(Size::new(120, 30)));
    let text: Vec<char> = shown(&session).chars().collect();
    let lines: Vec<String> = text.chunks(120).map(|line| line.iter().collect()).collect();
    let claims: Vec<&String> = lines.iter().skip_while(|line| !line.contains(" Claims ")).collect();
    let last = claims.iter().rev().find(|line| line.contains("■ HIGH")).expect("claims are shown");
    assert!(last.contains("↓"), "{}", lines.join("\n"));
}

/// The cursor may have gone on to another answer that waits.
#[test]
fn the_answer_that_the_line_names_is_asked_about() {
    let mut session = Session::of(vec![row(1), row(11)]);
    session.do_and_save("c");
    assert_eq!(session.here(), Some(11));
    let Detail::Ready(detail) = &mut session.app.claim.as_mut().unwrap().detail else {
        panic!("the next claim is read")
    };
    for sibling in &mut Arc::make_mut(detail).siblings {
        sibling.decided = true;
    }
    assert_eq!(session.app.detail().unwrap().open_claims(), 0, "its claims are all decided too");
    assert!(session.toast().starts_with("d to release, return or block rx-0"), "{}", session.toast());
    session.press("d");
    let Mode::Disposition(dialog) = &session.app.mode else { panic!("it is asked about") };
    assert_eq!(dialog.detail.record.audit_id, audit_id(1));
}

#[test]
fn a_reason_that_takes_the_place_of_another_names_it() {
    let mut event = event(1, &Request::GiveReason(ReasonCode::NumberWrong));
    event.reason = Some(ReasonCode::NumberWrong);
    assert_eq!(what_was_done(&event), "reason NUMBER_WRONG");
    event.old = serde_json::json!({ "reason": ReasonCode::DateWrong });
    assert_eq!(what_was_done(&event), "reason NUMBER_WRONG, was DATE_WRONG");
}
