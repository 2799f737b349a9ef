//! How keys may follow each other in a blind review, and what becomes of a verdict that is left unkept.

use super::blind::{asked, blind, commits, hidden, revealed};
use super::session::{Session, event, id};
use crate::domain::blind::Sight;
use crate::domain::decision::{HumanVerdict, Request, Ruling};
use crate::domain::finding::Outcome;
use crate::domain::ids::{Annotator, ClaimKey};
use crate::domain::queue::Hold;
use crate::domain::severity::Stakes;
use crate::domain::verdict::{HallucinationType, Severity};
use crate::tui::app::Mode;
use crate::tui::message::Message;

/// What the usual table says of a CONTRADICTED claim of no stakes.
const TABLE: (Option<Severity>, Option<HallucinationType>) =
    (Some(Severity::Medium), Some(HallucinationType::Distortion));

/// The person commits `4` on claim 1, where the judge says CONTRADICTED as the table has it, or `1`; `v` comes 100 ms later.
fn verdict_and_keep_at_once(verdict: &str, while_saving: bool) -> Session {
    kept_at_once(verdict, while_saving, TABLE, Stakes::default())
}

/// The same where the judge gives another severity or type, and more is at stake by its citations than was known without.
fn kept_at_once(
    verdict: &str,
    while_saving: bool,
    (severity, kind): (Option<Severity>, Option<HallucinationType>),
    stakes: Stakes,
) -> Session {
    let mut session = blind(hidden());
    session.press(verdict);
    let request = asked(&mut session).remove(0);
    let Request::Blind { ruling, .. } = &request else { panic!("{request:?}") };
    let said = ruling.verdict;
    if while_saving {
        session.after(30);
        session.press("v");
    }
    commits(&mut session, request);
    let mut detail = revealed(said);
    if let Outcome::Judged(judged) = &mut detail.outcome {
        (judged.severity, judged.hallucination_type) = (severity, kind);
    }
    let run = session.app.claim.as_ref().unwrap().asked;
    session.send(Message::Detail { run, result: Ok((Box::new(detail), stakes)) });
    session.drawn();
    session.after(100);
    if !while_saving {
        session.press("v");
    }
    session.send(Message::Tick);
    assert_eq!(asked(&mut session), [], "nobody can have read it yet");
    session
}

#[test]
fn a_key_that_keeps_too_early_counts_once_the_judge_was_in_view_and_says_the_same() {
    for while_saving in [true, false] {
        let mut session = verdict_and_keep_at_once("4", while_saving);
        assert!(!session.toast().contains("dropped"), "{}", session.toast());
        let due = crate::tui::update::deadline::next(&session.app).unwrap();
        assert!(due <= session.now.plus(std::time::Duration::from_millis(150)), "the loop wakes up for it");
        session.after(160);
        session.send(Message::Tick);
        assert_eq!(asked(&mut session), [Request::Confirm], "{while_saving}");
        session.after(300);
        session.send(Message::Tick);
        assert_eq!(asked(&mut session), [], "once");
    }
}

#[test]
fn a_key_that_keeps_too_early_has_to_be_struck_again_where_the_judge_says_otherwise() {
    for while_saving in [true, false] {
        let mut session = verdict_and_keep_at_once("1", while_saving);
        assert!(session.toast().contains("dropped"), "{}", session.toast());
        session.after(3000);
        session.send(Message::Tick);
        assert_eq!(asked(&mut session), [], "{while_saving}");
        session.press("v");
        assert_eq!(asked(&mut session).len(), 1, "said again, it counts");
    }
}

#[test]
fn a_key_that_keeps_too_early_keeps_no_severity_and_no_type_that_nobody_saw() {
    let (kind, at_stake) = (TABLE.1, Stakes { can_harm: true, ..Stakes::default() });
    let critical = (Some(Severity::Critical), kind);
    for while_saving in [true, false] {
        for (judge, stakes, what) in [
            (critical, Stakes::default(), "the judge adds CRITICAL"),
            // Known by the judge's citations only: nothing of it was on the screen.
            (critical, at_stake, "the judge adds CRITICAL"),
            ((None, kind), Stakes::default(), "the judge gives no severity"),
            (
                (TABLE.0, Some(HallucinationType::Fabrication)),
                Stakes::default(),
                "the judge adds FABRICATION",
            ),
            ((TABLE.0, None), Stakes::default(), "the judge gives no type"),
        ] {
            let mut session = kept_at_once("4", while_saving, judge, stakes);
            let told = format!("press again ({what})");
            assert!(session.toast().contains("dropped"), "{}", session.toast());
            assert!(!while_saving || session.toast().contains(&told), "{told}: {}", session.toast());
            session.after(3000);
            session.send(Message::Tick);
            assert_eq!(asked(&mut session), [], "{what}");
            session.press("v");
            assert_eq!(asked(&mut session), [Request::Confirm], "seen, it counts: {what}");
        }
    }
}

#[test]
fn a_key_that_keeps_too_early_is_given_up_for_the_next_key() {
    let mut session = verdict_and_keep_at_once("4", false);
    session.after(100);
    session.press("2");
    session.after(500);
    session.send(Message::Tick);
    assert_eq!(asked(&mut session), [], "the verdict was for the next claim");
    assert_eq!(session.toast(), "rx-0#2 is not kept yet: v keeps it, 2 again changes it");
}

#[test]
fn a_dropped_verdict_is_forgotten_once_another_key_was_answered() {
    for answered in ["v", "i"] {
        let mut session = blind(hidden());
        session.comes_into_view();
        session.press("4");
        assert!(session.toast().contains("dropped"), "{}", session.toast());
        session.after(600);
        session.press(answered);
        session.after(600);
        session.press("1");
        let ruling = Ruling::only(HumanVerdict::FullySupported);
        assert_eq!(asked(&mut session), [Request::Blind { ruling, overlap: 2 }], "{answered}");
    }
}

#[test]
fn verdicts_and_keeps_in_a_fast_rhythm_are_no_text() {
    let mut session = blind(hidden());
    for key in ["4", "v", "1", "v", "3", "v", "2"] {
        session.after(200);
        session.strike(key);
        assert!(!session.toast().contains("taken for text"), "{key}: {}", session.toast());
    }
    // A text is one all the same, and the screen says what to do.
    let mut session = blind(hidden());
    session.strike("s f u");
    assert!(session.toast().contains("taken for text and not run: pause a moment"), "{}", session.toast());
}

#[test]
fn nobody_is_led_back_to_an_unkept_verdict_on_a_claim_that_somebody_else_has_in_hand() {
    for (is_held, next) in [(true, 3), (false, 1)] {
        let mut session = blind(revealed(HumanVerdict::Contradicted));
        session.after(3000);
        session.press("j");
        assert_eq!(session.here(), Some(2));
        session.look();
        let until = session.now.plus(super::session::HOUR);
        let hold = Hold { holder: Annotator::new("ben"), until };
        for row in [&mut session.rows[0], &mut session.app.queue.rows[0]] {
            row.sight = Sight::Revealed;
            row.held_by = Some(hold.clone()).filter(|_| is_held);
        }
        session.send(Message::Decided {
            claim: ClaimKey(2),
            id: id(2),
            result: Ok(Box::new(event(2, &Request::Confirm))),
            request: Request::Confirm,
        });
        assert_eq!(session.here(), Some(next), "{is_held}");
    }
}

#[test]
fn a_verdict_that_is_not_kept_is_told_on_leaving_and_come_back_to() {
    let mut session = blind(revealed(HumanVerdict::Contradicted));
    session.rows[0].sight = Sight::Revealed;
    session.app.queue.rows[0].sight = Sight::Revealed;
    session.press("D");
    assert!(session.toast().contains("keep or change your verdict now"), "{}", session.toast());
    assert!(matches!(session.app.mode, Mode::Normal));
    session.after(3000);
    session.press("j");
    assert_eq!(session.here(), Some(2));
    assert!(session.toast().contains("rx-0#2 is not kept yet"), "{}", session.toast());
    // Done with the one below, the cursor goes back to it before it goes on.
    session.look();
    session.send(Message::Decided {
        claim: ClaimKey(2),
        id: id(2),
        result: Ok(Box::new(event(2, &Request::Confirm))),
        request: Request::Confirm,
    });
    assert_eq!(session.here(), Some(1));
}
