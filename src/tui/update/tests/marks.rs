//! Marking, acting on the marked, deferring, escalating, and where the cursor goes by itself.

use std::sync::Arc;

use super::session::{START, Session, decided, event, id, row};
use crate::config::Advance;
use crate::domain::decision::{Disposition, HumanVerdict, Request};
use crate::domain::finding::AuditState;
use crate::domain::ids::ClaimKey;
use crate::domain::queue::Flagged;
use crate::domain::verdict::{NoVerdict, Severity};
use crate::store::Batched;
use crate::tui::app::{Detail, Mode};
use crate::tui::effect::Effect;
use crate::tui::marks::Together;
use crate::tui::message::Message;

pub(super) fn marked(session: &Session) -> Vec<i64> {
    session.app.marks.rows.iter().map(|row| row.key.0).collect()
}

pub(super) fn asked(session: &mut Session) -> Option<(Vec<i64>, Together)> {
    session.take().into_iter().find_map(|effect| match effect {
        Effect::DecideMany { claims, together } => Some((claims.iter().map(|key| key.0).collect(), together)),
        _ => None,
    })
}

#[test]
fn space_marks_and_goes_on_and_again_takes_the_mark_off() {
    let mut session = Session::with(5);
    session.press("space space");
    assert_eq!((marked(&session), session.here()), (vec![1, 2], Some(3)));
    session.press("k space");
    assert_eq!((marked(&session), session.here()), (vec![1], Some(3)));
    session.press("esc");
    assert_eq!((marked(&session).len(), session.toast()), (0, "the marks are off"));
}

#[test]
fn only_a_row_that_was_in_view_can_be_marked() {
    let mut session = Session::with(3);
    // A row that came just now: it has been drawn, and nobody can have read it.
    session.rows.push(row(9));
    session.send(Message::Looked(Ok(true)));
    session.drawn();
    session.after(100);
    session.press("G space");
    assert_eq!(marked(&session), Vec::<i64>::new());
    assert!(session.toast().contains("in view for 250 ms to be marked"), "{}", session.toast());
    session.after(200);
    session.press("space");
    assert_eq!(marked(&session), [9]);
}

#[test]
fn a_range_marks_what_lies_between() {
    let mut session = Session::with(6);
    session.press("j V j j j");
    assert!(session.app.marks.range.is_some());
    session.press("V");
    assert_eq!(marked(&session), [2, 3, 4, 5]);
    assert_eq!(session.toast(), "4 in the range are marked");
    session.press("esc k k V k A");
    assert_eq!(marked(&session), [2, 3], "acting ends the range");
    assert!(matches!(session.app.mode, Mode::Many(_)));
}

#[test]
fn nothing_is_done_to_the_marked_before_it_could_be_read_what() {
    let mut session = Session::with(4);
    session.press("A");
    assert_eq!(session.toast(), "no claim is marked");
    session.rows[1].state = AuditState::NoVerdict(NoVerdict::NotChecked);
    session.rows[2].decided = Some(decided());
    session.send(Message::Looked(Ok(true)));
    session.look();
    session.press("V G V A c");
    let Mode::Many(dialog) = &session.app.mode else { panic!("{:?}", session.app.mode) };
    assert_eq!(dialog.chosen, Some(Together::Confirm));
    session.strike("enter");
    assert_eq!(asked(&mut session), None);
    assert!(session.toast().contains("too fast"), "{}", session.toast());
    session.look();
    session.press("enter enter");
    assert_eq!(
        asked(&mut session),
        Some((vec![1, 4], Together::Confirm)),
        "once, and what is possible of it"
    );
    assert!(session.app.saving.is_some());
}

#[test]
fn what_was_done_to_many_is_said_with_its_undo_and_the_rows_are_gone() {
    let mut session = Session::with(4);
    session.press("space space A 3");
    session.look();
    session.press("enter");
    let (claims, together) = asked(&mut session).unwrap();
    assert_eq!((claims, &together), (vec![1, 2], &Together::Rule(HumanVerdict::Unsupported)));
    session.rows.remove(0);
    let done = Batched {
        events: vec![event(1, &Request::Confirm)],
        refused: vec![(id(2).to_string(), "ben has it".to_owned())],
        unchanged: 0,
    };
    session.send(Message::DecidedMany { together, result: Ok(done) });
    assert!(session.app.marks.is_empty() && matches!(session.app.mode, Mode::Normal));
    assert_eq!(
        session.toast(),
        "1 claim ruled UNSUPPORTED · 1 answer can still go out: A b blocks it · u takes all of it back; 1 could not be, rx-0#3 first: ben has it"
    );
    assert_eq!(session.app.queue.rows.iter().map(|row| row.key.0).collect::<Vec<_>>(), [2, 3, 4]);
    let mut session = Session::with(4);
    session.press("space k");
    let done = Batched { events: vec![event(1, &Request::Confirm)], ..Batched::default() };
    session.rows.remove(0);
    session.send(Message::DecidedMany { together: Together::Confirm, result: Ok(done) });
    assert_eq!(session.here(), Some(2), "the claim under the cursor was among them");
    assert_eq!(session.toast(), "1 claim confirmed · u takes all of it back");
    session.send(Message::DecidedMany { together: Together::Skip, result: Err("the disk is full".into()) });
    assert_eq!(session.toast(), "nothing saved on the marked claims: the disk is full");
}

#[test]
fn many_are_deferred_by_one_line() {
    let mut session = Session::with(4);
    session.press("space space A D");
    session.type_text("2h");
    session.press("enter");
    session.look();
    session.press("enter");
    let until = session.now.plus(std::time::Duration::from_hours(2));
    let Some((claims, Together::Asked(Request::Defer { until: asked }))) = asked(&mut session) else {
        panic!("nothing was asked for")
    };
    assert_eq!(claims, [1, 2]);
    assert!(until.since(asked) < std::time::Duration::from_secs(5), "since it was typed");
    // Back from the line is back to the choice.
    let mut session = Session::with(2);
    session.press("space A D esc");
    assert!(matches!(&session.app.mode, Mode::Many(dialog) if dialog.chosen.is_none()));
}

#[test]
fn a_claim_is_deferred_until_a_time_and_escalated_with_a_note() {
    let mut session = Session::with(3);
    session.press("D");
    session.type_text("soon");
    session.press("enter");
    assert!(session.requests().is_empty());
    let Mode::Ask(line) = &session.app.mode else { panic!("the line stays open") };
    assert!(line.reading.as_ref().unwrap_err().contains("tomorrow 9:00"), "{:?}", line.reading);
    session.press("backspace backspace backspace backspace");
    session.type_text("30m");
    session.press("enter");
    let until = session.now.plus(std::time::Duration::from_mins(30));
    session.press("enter");
    assert_eq!(session.requests(), [(1, Request::Defer { until })], "once");
    session.store_refuses(1, Request::Defer { until }, "the disk is full");
    assert!(matches!(&session.app.mode, Mode::Ask(line) if line.content() == "30m"), "what was typed stays");
    session.press("enter");
    session.take();
    session.rows.remove(0);
    session.store_says_yes(1, Request::Defer { until });
    assert_eq!((session.here(), matches!(session.app.mode, Mode::Normal)), (Some(2), true));
    session.look();
    session.press("E");
    session.type_text("@dr-lee is 8 g right?");
    session.press("enter");
    let request = Request::Escalate { note: "is 8 g right?".into(), to: Some("dr-lee".into()) };
    assert_eq!(session.requests(), [(2, request.clone())]);
    session.store_says_yes(2, request);
    assert_eq!(session.here(), Some(2), "an escalated claim stays to be decided");
}

#[test]
fn what_comes_back_is_read_again_at_its_time() {
    let mut session = Session::with(2);
    session.counts.deferred = 1;
    session.counts.back_at = Some(session.now.plus(std::time::Duration::from_mins(10)));
    session.send(Message::Looked(Ok(true)));
    let before = session.readings.0;
    session.after(9 * 60 * 1000);
    session.send(Message::Tick);
    assert_eq!(session.readings.0, before);
    session.after(61 * 1000);
    session.counts.back_at = None;
    session.send(Message::Tick);
    assert!(session.toast().contains("is back in the queue"), "{}", session.toast());
    session.after(300);
    session.send(Message::Tick);
    assert_eq!(session.readings.0, before + 1);
}

#[test]
fn the_cursor_goes_on_by_itself_only_after_what_was_set() {
    let mut session = Session::with(4);
    session.app.settings.advance = Advance::Confirm;
    session.do_and_save("c");
    assert_eq!(session.here(), Some(2));
    session.look();
    session.do_and_save("1");
    assert_eq!(session.here(), Some(2), "an override waits for its reason");
    session.look();
    session.do_and_save("r n");
    assert_eq!(session.here(), Some(3));
    session.look();
    session.app.settings.advance = Advance::Never;
    session.do_and_save("c");
    assert_eq!(session.here(), Some(3));
    session.look();
    session.press("]");
    assert_eq!(session.here(), Some(4));
}

#[test]
fn a_run_of_hurried_critical_claims_is_remarked_upon_gently() {
    let mut session = Session::with(9);
    for row in &mut session.rows {
        row.severity = Some(Severity::Critical);
    }
    session.send(Message::Looked(Ok(true)));
    for key in 2..7 {
        session.after(400);
        session.store_says_yes(key, Request::Confirm);
    }
    assert_eq!(session.toast(), "5 CRITICAL claims in under 2 s each: H looks back, there is no hurry");
}

#[test]
fn one_key_says_why_the_claim_stands_where_it_stands() {
    let mut session = Session::with(3);
    session.press("j W");
    let Mode::Why(why) = &session.app.mode else { panic!("{:?}", session.app.mode) };
    assert_eq!(why.before, Some(1));
    assert_eq!(why.id, id(2).to_string());
    assert!(!why.factors.is_empty());
    session.press("W");
    assert!(matches!(session.app.mode, Mode::Normal));
}

#[test]
fn an_escalation_stands_until_it_is_taken_back_by_name() {
    let mut session = Session::with(2);
    session.flags = vec![Flagged {
        annotator: session.app.settings.annotator.clone(),
        at: START,
        to: Some("dr-lee".to_owned()),
        escalated: true,
        note: Some("is it right?".to_owned()),
    }];
    let detail = session.detail(ClaimKey(1));
    session.app.claim.as_mut().expect("a claim is in hand").detail = Detail::Ready(Arc::new(detail));
    session.look();
    session.press("f");
    assert_eq!(session.take(), []);
    assert!(session.toast().contains("you escalated it to dr-lee: E, then "), "{}", session.toast());
    session.press("c");
    session.take();
    session.store_says_yes(1, Request::Confirm);
    assert!(session.toast().contains(" · its escalation stands"), "{}", session.toast());
    session.press("H");
    session.look();
    session.press("E enter");
    assert_eq!((session.take(), session.toast()), (vec![], "the escalation stands as it was"));
    session.press("E ctrl-u");
    session.take();
    session.press("enter");
    let asked = session.take();
    assert!(
        matches!(&asked[..], [Effect::Decide { request: Request::Flag(false), claim: ClaimKey(1), .. }]),
        "{asked:?}"
    );
}

#[test]
fn where_nothing_was_done_no_undo_is_offered_and_none_takes_anything_back_unseen() {
    let mut session = Session::with(4);
    session.do_and_save("c");
    session.look();
    session.press("space space");
    let nothing = Batched {
        events: Vec::new(),
        refused: vec![(id(2).to_string(), "rx-0 has the RELEASE of bo".to_owned())],
        unchanged: 0,
    };
    session.send(Message::DecidedMany { together: Together::Confirm, result: Ok(nothing) });
    assert_eq!(session.toast(), "nothing was done; 1 could not be, rx-0#3 first: rx-0 has the RELEASE of bo");
    assert_eq!(session.saved(), format!("{} confirmed CONTRADICTED", id(1)), "what was saved before is said");
    let mut session = Session::with(4);
    session.press("space space");
    let nothing = Batched { unchanged: 2, ..Batched::default() };
    session.send(Message::DecidedMany { together: Together::Skip, result: Ok(nothing) });
    assert_eq!(session.toast(), "nothing was done, 2 were so already");
    session.look();
    session.take();
    session.press("u");
    assert_eq!(session.take(), [Effect::FindUndo], "what it would take back is shown first");
}

#[test]
fn a_reason_given_after_several_were_decided_goes_to_no_earlier_decision() {
    let mut session = Session::with(5);
    session.do_and_save("3");
    session.look();
    session.press("space space");
    let done = Batched {
        events: vec![event(2, &Request::Confirm), event(3, &Request::Confirm)],
        ..Batched::default()
    };
    session.rows.drain(..2);
    session.send(Message::DecidedMany { together: Together::Confirm, result: Ok(done) });
    session.look();
    session.press("r n");
    let why = Request::GiveReason(crate::domain::decision::ReasonCode::NumberWrong);
    assert_eq!(asked(&mut session), Some((vec![2, 3], Together::Asked(why))), "to these alone");
}

#[test]
fn a_stray_key_turns_the_question_into_no_other_act() {
    let mut session = Session::with(4);
    session.press("space space A E");
    session.type_text("@dr-lee 8 g?");
    session.press("enter");
    session.look();
    for key in ["c", "2", "s", "f", "D", "E", "5"] {
        session.press(key);
        assert!(session.toast().contains("nothing was changed"), "{key}: {}", session.toast());
    }
    session.press("enter");
    let (_, together) = asked(&mut session).unwrap();
    let escalation = Request::Escalate { note: "8 g?".into(), to: Some("dr-lee".into()) };
    assert_eq!(together, Together::Asked(escalation));
}

#[test]
fn the_note_of_an_escalation_survives_esc_and_can_be_had_again() {
    let line = |session: &Session| match &session.app.mode {
        Mode::Ask(line) => line.content(),
        other => panic!("no line but {other:?}"),
    };
    let mut session = Session::with(4);
    session.press("space space A E");
    session.type_text("@pharma bot");
    session.press("enter esc E");
    assert_eq!(line(&session), "@pharma bot", "out of the question");
    session.type_text("-v42");
    session.press("esc E");
    assert_eq!(line(&session), "@pharma bot-v42", "out of the line");
    session.press("esc esc A E");
    assert_eq!(line(&session), "@pharma bot-v42", "out of the choice, while the same are marked");
    session.press("esc esc esc");
    session.look();
    session.press("E");
    assert_eq!(line(&session), "");
    session.press("up");
    assert_eq!(line(&session), "@pharma bot-v42", "on one claim");
    session.press("up");
    assert_eq!(line(&session), "@pharma bot", "the one before");
    session.press("down down");
    assert_eq!(line(&session), "");
}

#[test]
fn an_escalation_stays_on_its_claim() {
    let mut session = Session::with(3);
    session.press("E");
    session.type_text("@dr-lee 8 g?");
    session.press("enter");
    let request = Request::Escalate { note: "8 g?".into(), to: Some("dr-lee".into()) };
    let mut escalated = event(1, &request);
    escalated.act = crate::domain::event::Act::Flag;
    escalated.payload_sha256 = Some("hash".to_owned());
    let result = Ok(Box::new(escalated));
    session.send(Message::Decided { claim: crate::domain::ids::ClaimKey(1), id: id(1), request, result });
    assert_eq!((session.here(), session.saved().as_str()), (Some(1), "rx-0#2 escalated"));
}

#[test]
fn a_reason_after_a_batch_is_that_of_the_whole_batch() {
    let mut session = Session::with(4);
    session.press("space space A c");
    session.look();
    session.press("enter");
    let (_, together) = asked(&mut session).unwrap();
    session.rows.drain(..2);
    let events = vec![event(1, &Request::Confirm), event(2, &Request::Confirm)];
    session.send(Message::DecidedMany { together, result: Ok(Batched { events, ..Batched::default() }) });
    session.press("r n");
    let why = Request::GiveReason(crate::domain::decision::ReasonCode::NumberWrong);
    assert_eq!(asked(&mut session), Some((vec![1, 2], Together::Asked(why))));
}

#[test]
fn the_answers_of_all_marked_claims_are_blocked_at_once() {
    let mut session = Session::with(4);
    session.rows[1].decided = Some(decided());
    session.send(Message::Looked(Ok(true)));
    session.look();
    session.press("space space A b");
    session.type_text("wrong dose");
    session.press("enter");
    session.look();
    assert_eq!(asked(&mut session), None, "not without the last word");
    let text = super::decide::shown(&session);
    assert!(text.contains("why: wrong dose"), "{text}");
    session.press("enter");
    let block = Together::Dispose { disposition: Disposition::Block, note: Some("wrong dose".to_owned()) };
    assert_eq!(asked(&mut session), Some((vec![1, 2], block.clone())), "decided or not");
    let mut done = event(5, &Request::Confirm);
    done.subject = "rx-0".to_owned();
    let result = Ok(Batched { events: vec![done], unchanged: 1, ..Batched::default() });
    session.send(Message::DecidedMany { together: block, result });
    assert_eq!(
        session.toast(),
        "1 answer blocked, 1 was so already: your words are not kept there · u takes all of it back"
    );
    assert_eq!((marked(&session).len(), session.rows.len()), (0, 4), "what is open stays in the list");
}

#[test]
fn the_answers_of_all_marked_claims_are_returned_at_once_with_a_line_for_why() {
    let mut session = Session::with(4);
    for row in &mut session.rows[..2] {
        row.decided = Some(decided());
    }
    session.send(Message::Looked(Ok(true)));
    session.look();
    session.press("space space space A t");
    session.type_text("the dose is 4 g");
    // What was typed is there again when it was left.
    session.press("esc t enter");
    session.look();
    session.press("enter");
    let returned =
        Together::Dispose { disposition: Disposition::Return, note: Some("the dose is 4 g".to_owned()) };
    assert_eq!(asked(&mut session), Some((vec![1, 2], returned)), "what is open waits");
    // An empty line gives none.
    let mut session = Session::with(2);
    session.look();
    session.press("space A b enter");
    session.look();
    session.press("enter");
    let blocked = Together::Dispose { disposition: Disposition::Block, note: None };
    assert_eq!(asked(&mut session), Some((vec![1], blocked)));
}
