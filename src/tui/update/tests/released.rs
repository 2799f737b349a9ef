//! What is released without a look is asked about first, and what somebody disposed of meanwhile is not asked about.

use super::disposition::dispositions;
use super::session::{Session, row};
use crate::domain::decision::Disposition;
use crate::domain::ids::ClaimKey;
use crate::tui::app::Mode;
use crate::tui::effect::Effect;
use crate::tui::message::Message;

#[test]
fn an_answer_that_nobody_looked_at_is_released_by_a_second_key_alone() {
    let unlooked = Session::with(0);
    let mut detail = unlooked.detail(ClaimKey(31));
    detail.siblings[0].routed = false;
    for siblings in [detail.siblings.clone(), Vec::new()] {
        let mut session = Session::with(0);
        session.answers_waiting = 1;
        session.send(Message::Looked(Ok(true)));
        session.press("d");
        let detail = crate::domain::queue::ClaimDetail { siblings, ..detail.clone() };
        session.send(Message::Answer(Ok(Some(Box::new(detail)))));
        session.look();
        let text = super::decide::shown(&session);
        assert!(text.contains("nobody was asked about any claim"), "{text}");
        session.take();
        session.press("l");
        assert_eq!(dispositions(&mut session), []);
        session.look();
        let text = super::decide::shown(&session);
        assert!(text.contains("No person has looked at any claim of this answer"), "{text}");
        session.press("y");
        let sent = session.take().into_iter().find_map(|effect| match effect {
            Effect::Dispose { disposition, unlooked, over, .. } => Some((disposition, unlooked, over.len())),
            _ => None,
        });
        assert_eq!(sent, Some((Disposition::Release, true, 0)));
    }
}

#[test]
fn an_answer_that_somebody_disposed_of_meanwhile_is_not_asked_about_as_one_that_waits() {
    for waiting in [1, 2] {
        let mut session = Session::of(vec![row(1), row(11)]);
        session.do_and_save("c");
        session.answers_waiting = waiting;
        session.send(Message::AnswersWaiting(Ok(waiting)));
        session.take();
        session.press("d");
        assert_eq!(session.take(), [Effect::ReadAnswer(ClaimKey(1))]);
        let mut detail = session.detail(ClaimKey(1));
        detail.siblings[0].decided = true;
        detail.disposition = Some(crate::domain::queue::Given {
            annotator: crate::domain::ids::Annotator::new("ben"),
            disposition: Disposition::Block,
            at: session.now,
            note: None,
            reason: None,
        });
        session.send(Message::AnswerRead(Ok(Box::new(detail))));
        assert!(matches!(session.app.mode, Mode::Normal), "ben's BLOCK is not offered to be changed");
        assert!(session.toast().contains("ben gave rx-0 BLOCK"), "{}", session.toast());
        assert_eq!(session.toast().contains("no answer waits for a disposition"), waiting == 1);
        assert_eq!(session.take().contains(&Effect::FindAnswer), waiting == 2, "another one waits");
        session.look();
        session.press("l");
        session.press("y");
        assert_eq!(dispositions(&mut session), []);
    }
}
