//! What others say against this person's word is told until it could be read; what they give up themselves is asked.

use super::session::{Session, row};
use crate::domain::decision::{Disposition, HumanVerdict};
use crate::domain::ids::Annotator;
use crate::domain::overruled::{How, Overruled};
use crate::domain::verdict::Severity;
use crate::tui::app::{Detail, Saved};
use crate::tui::effect::Effect;
use crate::tui::message::Message;

fn released(session: &Session, seq: i64, id: &str) -> Overruled {
    Overruled {
        seq,
        at: session.now,
        by: Annotator::new("ben"),
        subject: id.to_owned(),
        how: How::Disposed { was: Disposition::Block, is: Disposition::Release },
    }
}

fn told(session: &mut Session) -> Vec<i64> {
    let kept = |effect| if let Effect::KeepTold(upto) = effect { Some(upto) } else { None };
    session.take().into_iter().filter_map(kept).collect()
}

#[test]
fn a_word_that_was_set_aside_is_told_until_a_key_that_comes_when_it_was_read() {
    let mut session = Session::with(3);
    session.send(Message::Overruled(Ok((Vec::new(), 4))));
    assert_eq!(told(&mut session), [4]);
    session.app.saved = Some(Saved {
        subject: "n-2".to_owned(),
        event: Some(4),
        what: "blocked".to_owned(),
        ruling: None,
        at: session.now,
    });
    let one = released(&session, 5, "n-2");
    session.send(Message::Overruled(Ok((vec![one], 5))));
    let line = "ben released n-2, which you had blocked · \\ overruled:ana finds it";
    assert_eq!(session.toast(), line);
    assert_eq!(session.saved(), "", "it does not stand any more");
    // A key that was on its way is none that was pressed by who has read it.
    session.drawn();
    session.after(100);
    session.press("j");
    assert_eq!(told(&mut session), Vec::<i64>::new());
    assert_eq!(session.toast(), line);
    session.after(60_000);
    session.send(Message::Tick);
    assert_eq!(session.toast(), line, "it does not go away by itself");
    session.press("j");
    assert_eq!(told(&mut session), [5]);
    assert_ne!(session.toast(), line);
}

/// Else each start would go through all events since their first act.
#[test]
fn a_start_at_which_there_is_nothing_to_tell_is_where_the_next_one_begins() {
    let mut session = Session::with(3);
    session.send(Message::Overruled(Ok((Vec::new(), 1_000))));
    assert_eq!(told(&mut session), [1_000]);
    session.send(Message::Overruled(Ok((Vec::new(), 1_002))));
    assert_eq!(told(&mut session), Vec::<i64>::new(), "what happens meanwhile writes nothing");
}

#[test]
fn what_happened_before_the_session_is_told_at_its_start_by_name_as_far_as_there_is_room() {
    let mut session = Session::with(3);
    let all = ["a-1", "b-2", "c-3", "d-4", "e-5"];
    let all: Vec<_> = (7..).zip(all).map(|(seq, id)| released(&session, seq, id)).collect();
    session.send(Message::Overruled(Ok((all, 20))));
    let text = session.toast();
    assert!(text.starts_with("since you were here: ben released a-1, which you had blocked · "), "{text}");
    assert!(text.contains(" · 2 more · ") && !text.contains("d-4"), "{text}");
    let screen = super::decide::shown(&session);
    assert!(screen.contains("others said otherwise") && screen.contains("finds it"), "{screen}");
}

#[test]
fn a_question_is_not_pushed_away_by_it_and_it_is_told_after_that() {
    let mut session = disputed(HumanVerdict::Contradicted, Some(Severity::Critical));
    session.send(Message::Overruled(Ok((Vec::new(), 4))));
    session.press("1");
    let asked = session.toast().to_owned();
    let one = released(&session, 5, "n-2");
    session.send(Message::Overruled(Ok((vec![one], 5))));
    assert_eq!(session.toast(), asked);
    session.after(29_000);
    session.send(Message::Tick);
    assert_eq!(session.toast(), asked, "it stands while the evidence is read");
    session.press("n");
    session.after(6_000);
    session.send(Message::Tick);
    assert!(session.toast().starts_with("ben released n-2"), "{}", session.toast());
}

/// A claim on which ben disagrees with what the person ruled.
fn disputed(verdict: HumanVerdict, severity: Option<Severity>) -> Session {
    let mut session = Session::of(vec![row(1)]);
    session.look();
    let me = session.app.settings.annotator.clone();
    let mut own = super::session::decided();
    (own.ruling.verdict, own.ruling.severity) = (verdict, severity);
    let mut other = super::session::decided();
    (other.ruling.verdict, other.ruling.severity) = (HumanVerdict::PartiallySupported, None);
    let claim = session.app.claim.as_mut().expect("a claim is in hand");
    let Detail::Ready(detail) = &mut claim.detail else { panic!("it is there") };
    let detail = std::sync::Arc::make_mut(detail);
    detail.standing.decided = Some(own.clone());
    detail.decisions = vec![(me, own), (Annotator::new("ben"), other)];
    detail.counts = None;
    assert!(detail.is_disputed());
    session.take();
    session.look();
    session
}

#[test]
fn in_a_dispute_a_grave_finding_is_not_given_up_by_one_key() {
    use HumanVerdict::{Contradicted, FullySupported, PartiallySupported};
    for (own, severity, key, asks) in [
        (Contradicted, Some(Severity::Critical), "1", true),
        (Contradicted, Some(Severity::High), "2", true),
        (Contradicted, Some(Severity::Critical), "5", true),
        (Contradicted, Some(Severity::Medium), "1", true),
        (PartiallySupported, Some(Severity::Low), "1", true),
        (Contradicted, Some(Severity::Medium), "2", false),
        (FullySupported, None, "3", false),
    ] {
        let mut session = disputed(own, severity);
        session.press(key);
        assert_eq!(session.requests().is_empty(), asks, "{own} {severity:?} {key}: {}", session.toast());
        if asks {
            assert!(session.toast().contains("again gives that up for"), "{}", session.toast());
            session.look();
            session.press(key);
            assert_eq!(session.requests().len(), 1, "{own} {severity:?} {key}: {}", session.toast());
        }
    }
}
