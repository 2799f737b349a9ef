use super::session::{Session, event, id};
use crate::domain::decision::{HumanVerdict, ReasonCode, Request, Ruling};
use crate::domain::ids::ClaimKey;
use crate::domain::verdict::{HallucinationType, Severity};
use crate::tui::effect::Effect;
use crate::tui::message::Message;

/// The requests with their reasons since the last call.
fn asked(session: &mut Session) -> Vec<(i64, Request, Option<ReasonCode>)> {
    let decide = |effect| match effect {
        Effect::Decide { claim, request, reason, .. } => Some((claim.0, request, reason)),
        _ => None,
    };
    session.take().into_iter().filter_map(decide).collect()
}

fn unsupported() -> Request {
    Request::Override(Ruling {
        severity: Some(Severity::Critical),
        hallucination_type: Some(HallucinationType::Fabrication),
        ..Ruling::only(HumanVerdict::Unsupported)
    })
}

/// Claim 1 was overridden in the menu, with a reason.
fn decided() -> Session {
    let mut session = Session::with(5);
    session.press("3");
    session.take();
    let mut event = event(1, &unsupported());
    event.new = serde_json::json!({"verdict": "UNSUPPORTED", "severity": "CRITICAL", "hallucination_type": "FABRICATION"});
    session.rows.remove(0);
    let (claim, id) = (ClaimKey(1), id(1));
    session.send(Message::Decided { claim, id, request: unsupported(), result: Ok(Box::new(event)) });
    session.press("r n");
    session.take();
    session.store_says_yes(1, Request::GiveReason(ReasonCode::NumberWrong));
    session.look();
    session
}

#[test]
fn the_last_decision_is_repeated_whole_and_said_whole() {
    let mut session = decided();
    assert_eq!(session.here(), Some(2));
    session.press(".");
    let asked = asked(&mut session);
    assert_eq!(asked, [(2, unsupported(), Some(ReasonCode::NumberWrong))]);
    let mut event = event(2, &unsupported());
    event.new = serde_json::json!({"verdict": "UNSUPPORTED", "severity": "CRITICAL", "hallucination_type": "FABRICATION"});
    event.reason = Some(ReasonCode::NumberWrong);
    session.rows.remove(0);
    let (claim, id) = (ClaimKey(2), id(2));
    session.send(Message::Decided { claim, id, request: unsupported(), result: Ok(Box::new(event)) });
    assert_eq!(session.here(), Some(3));
    let last = session.app.last_decision.clone().unwrap();
    assert_eq!((last.claim, last.reason), (ClaimKey(2), Some(ReasonCode::NumberWrong)));
    session.look();
    session.press(".");
    assert_eq!(asked_claims(&mut session), [3], "again and again");
}

fn asked_claims(session: &mut Session) -> Vec<i64> {
    asked(session).into_iter().map(|(claim, ..)| claim).collect()
}

#[test]
fn a_repeated_decision_says_what_it_did() {
    let mut session = decided();
    session.three_claims = true;
    session.press(".");
    session.take();
    session.store_says_yes(2, unsupported());
    assert!(session.toast().starts_with("repeated on rx-0#3: UNSUPPORTED"), "{}", session.toast());
}

#[test]
fn a_repetition_needs_a_claim_that_was_visible_and_acts_once_when_held() {
    let mut session = decided();
    session.press("j");
    session.drawn();
    session.after(100);
    session.press(".");
    assert_eq!(asked_claims(&mut session), [] as [i64; 0]);
    assert!(session.toast().contains("too fast"), "{}", session.toast());
    let mut session = decided();
    let mut done = Vec::new();
    for _ in 0..50 {
        session.press(".");
        for (claim, request, _) in asked(&mut session) {
            session.store_says_yes(claim, request);
            done.push(claim);
        }
        session.drawn();
        session.after(30);
    }
    assert_eq!(done, [2]);
}

#[test]
fn without_a_decision_or_after_it_was_taken_back_nothing_is_repeated() {
    let mut session = Session::with(3);
    session.press(".");
    assert_eq!((session.take(), session.toast()), (vec![], "no decision of this session to repeat"));
    let mut session = decided();
    session.press("u");
    session.take();
    let undone = crate::store::Undone {
        event: event(1, &unsupported()),
        claim: Some(ClaimKey(1)),
        standing: None,
        disposition: None,
        others: 0,
        claims: Vec::new(),
        kept: Vec::new(),
    };
    session.send(Message::Undone(Ok(Box::new(undone))));
    session.look();
    session.press(".");
    assert_eq!(session.take(), []);
}
