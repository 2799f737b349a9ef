//! What has the keyboard has it until the person leaves it, whatever the store, the auditor or other people do meanwhile.

use std::time::Duration;

use super::news::critical;
use super::session::{Session, event, id, row};
use crate::auditor::AuditNews;
use crate::domain::decision::Request;
use crate::domain::draft::DraftKind;
use crate::domain::ids::{Annotator, ClaimKey};
use crate::domain::pace::Pace;
use crate::domain::queue::{Hold, Waiting};
use crate::tui::app::Mode;
use crate::tui::message::{HoldFailure, Message};

/// Keys that open something, with what they open.
const OPEN: [&str; 14] = ["a", "o", "r", "e", "+", "|", "\\", "/", ":", "E", "D", "W", "?", "h"];

fn name(mode: &Mode) -> String {
    let shown = format!("{mode:?}");
    shown.split(['(', ' ', '{']).next().unwrap_or_default().to_owned()
}

/// What comes by itself: news, answers to readings, other people's work, and a decision that was on its way.
fn what_comes(session: &Session) -> Vec<Message> {
    let other = event(2, &Request::Confirm);
    vec![
        Message::Looked(Ok(true)),
        Message::Looked(Err("the disk is gone".to_owned())),
        Message::Tick,
        Message::Drawn,
        Message::Stalled(Duration::from_secs(2)),
        Message::AnswersWaiting(Ok(3)),
        Message::NextAnswer(Ok(None)),
        Message::Pace(Ok(Pace::begun(session.now))),
        Message::Views(Ok(Vec::new())),
        Message::Hints(Ok(0)),
        Message::Waiting(Ok(Waiting { drafts: vec![id(2)], escalated: 1 })),
        Message::Auditor(AuditNews::Paused),
        Message::Auditor(AuditNews::Resumed),
        Message::AuditorHeld("another one runs".to_owned()),
        Message::HookFailed("it ended with 1".to_owned()),
        Message::Held { claim: ClaimKey(1), result: Ok(()) },
        Message::Held {
            claim: ClaimKey(1),
            result: Err(HoldFailure::Other(Hold {
                holder: Annotator::new("ben"),
                until: session.now.plus(Duration::from_mins(1)),
            })),
        },
        Message::DraftSaved { claim: ClaimKey(2), kind: DraftKind::Note, text: None, result: Ok(()) },
        Message::DraftSaved {
            claim: ClaimKey(2),
            kind: DraftKind::Note,
            text: Some("the dose".to_owned()),
            result: Err("the disk is full".to_owned()),
        },
        Message::DraftSaved {
            claim: ClaimKey(2),
            kind: DraftKind::Split,
            text: Some("x".to_owned()),
            result: Err("the disk is full".to_owned()),
        },
        Message::Decided {
            claim: ClaimKey(2),
            id: id(2),
            request: Request::Confirm,
            result: Ok(Box::new(other)),
        },
        Message::Decided {
            claim: ClaimKey(2),
            id: id(2),
            request: Request::Skip(true),
            result: Err("ben has it in hand".to_owned()),
        },
    ]
}

#[test]
fn r39_nothing_that_comes_by_itself_opens_or_closes_what_has_the_keyboard() {
    let mut seen = Vec::new();
    for key in OPEN {
        let mut session = Session::of((1..=5).map(row).collect());
        if key == "r" {
            session.do_and_save("c");
            session.look();
        }
        session.press(key);
        session.look();
        let (mode, place) = (name(&session.app.mode), session.app.place());
        assert_ne!(mode, "Normal", "{key} opens something");
        for message in what_comes(&session) {
            let told = format!("{message:?}");
            session.rows.insert(0, critical(100 + session.rows.len() as i64));
            session.send(message);
            assert_eq!(
                (name(&session.app.mode), session.app.place()),
                (mode.clone(), place),
                "{key}: {told}"
            );
        }
        seen.push(mode);
    }
    seen.sort();
    seen.dedup();
    assert!(seen.len() >= 9, "of many kinds: {seen:?}");
}

#[test]
fn r39_while_nothing_is_open_nothing_opens_by_itself() {
    let mut session = Session::of((1..=5).map(row).collect());
    for message in what_comes(&session) {
        let told = format!("{message:?}");
        session.send(message);
        assert_eq!(name(&session.app.mode), "Normal", "{told}");
    }
}
