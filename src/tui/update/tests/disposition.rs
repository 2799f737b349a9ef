use super::session::{Session, audit_id, decided, row};
use crate::domain::decision::{Disposition, HumanVerdict};
use crate::domain::ids::RecordKey;
use crate::tui::app::{AnswerDialog, Mode};
use crate::tui::effect::Effect;
use crate::tui::message::Message;

fn dialog(session: &Session) -> &AnswerDialog {
    match &session.app.mode {
        Mode::Disposition(dialog) => dialog,
        other => panic!("no answer is asked about but {other:?}"),
    }
}

fn dispositions(session: &mut Session) -> Vec<(String, Disposition)> {
    session
        .take()
        .into_iter()
        .filter_map(|effect| match effect {
            Effect::Dispose { audit_id, disposition, .. } => Some((audit_id.to_string(), disposition)),
            _ => None,
        })
        .collect()
}

/// One answer whose only claim was ruled to be `verdict`.
fn finished(verdict: HumanVerdict) -> Session {
    let mut finished = row(11);
    let mut ruling = decided();
    ruling.ruling.verdict = verdict;
    finished.decided = Some(ruling);
    Session::of(vec![finished])
}

#[test]
fn the_answer_that_is_asked_about_is_the_one_that_was_decided_and_is_shown() {
    let mut session = Session::of(vec![row(1), row(11)]);
    session.do_and_save("c");
    assert_eq!(session.here(), Some(11));
    assert!(session.toast().contains("d to release, return or block rx-0"), "{}", session.toast());
    session.press("d");
    let detail = &dialog(&session).detail;
    assert_eq!(detail.record.audit_id, audit_id(1));
    assert_eq!(detail.siblings[0].rulings, [HumanVerdict::Contradicted], "with what was just ruled");
    session.look();
    session.press("b");
    assert_eq!(dispositions(&mut session), [("rx-0".to_owned(), Disposition::Block)]);
    session.send(Message::Disposed {
        record: RecordKey(0),
        audit_id: audit_id(1),
        disposition: Disposition::Block,
        result: Ok(7),
    });
    assert_eq!(session.saved(), "rx-0 blocked");
    session.look();
    session.press("u");
    assert_eq!(session.take().pop(), Some(Effect::Undo(7)), "that one, at once");
    assert!(session.app.to_dispose.is_none());
}

#[test]
fn keys_count_only_once_the_answer_was_visible() {
    for (key, expected) in
        [("l", Disposition::Release), ("t", Disposition::Return), ("b", Disposition::Block)]
    {
        let mut session = finished(HumanVerdict::FullySupported);
        session.press("d");
        session.press(key);
        session.drawn();
        session.after(249);
        session.press(key);
        assert_eq!(dispositions(&mut session), [], "{key}");
        assert!(session.toast().contains("too fast"), "{}", session.toast());
        session.after(1);
        session.press(key);
        assert_eq!(dispositions(&mut session), [("rx-1".to_owned(), expected)]);
    }
}

#[test]
fn a_release_without_full_support_takes_a_second_word() {
    for verdict in [
        HumanVerdict::Contradicted,
        HumanVerdict::Unsupported,
        HumanVerdict::PartiallySupported,
        HumanVerdict::CannotJudge,
    ] {
        let mut session = finished(verdict);
        session.press("d");
        session.look();
        session.press("y");
        assert_eq!(dispositions(&mut session), [], "nothing was asked yet");
        session.press("l");
        session.press("l");
        session.press("y");
        assert_eq!(dispositions(&mut session), [], "the second question has to be seen too");
        assert!(dialog(&session).confirming);
        session.look();
        session.press("l");
        assert_eq!(dispositions(&mut session), [], "the same key again is no second word");
        session.press("y");
        assert_eq!(dispositions(&mut session), [("rx-1".to_owned(), Disposition::Release)]);
    }
}

#[test]
fn the_keys_of_the_question_decide_nothing_else() {
    use crate::tui::command::{Command, Place};
    let session = Session::with(1);
    let keymap = &session.app.settings.keymap;
    let elsewhere: Vec<String> =
        Command::ALL.iter().flat_map(|command| keymap.labels(*command, Place::Review)).collect();
    for command in [Command::Release, Command::ReleaseAnyway] {
        for key in keymap.labels(command, Place::Disposition) {
            assert!(!elsewhere.contains(&key), "{key} means something while a claim is reviewed");
        }
    }
}

#[test]
fn an_answer_of_an_earlier_session_is_found_again() {
    for mut session in [Session::with(0), Session::with(2)] {
        session.answers_waiting = 20;
        session.send(Message::Looked(Ok(true)));
        session.press("d");
        assert_eq!(session.take(), [Effect::FindAnswer]);
        let waiting = session.detail(crate::domain::ids::ClaimKey(31));
        session.send(Message::Answer(Ok(Some(Box::new(waiting)))));
        assert_eq!(dialog(&session).detail.record.audit_id, audit_id(31));
        session.press("esc");
        assert!(matches!(session.app.mode, Mode::Normal));
    }
    let mut session = Session::with(1);
    session.press("d");
    assert_eq!(session.toast(), "one claim of rx-0 is still open");
    let mut session = Session::with(0);
    session.press("d");
    assert!(session.toast().contains("no answer waits"), "{}", session.toast());
}

#[test]
fn a_disposition_that_is_refused_is_not_saved() {
    let mut session = finished(HumanVerdict::FullySupported);
    session.press("d");
    session.look();
    session.press("l");
    assert_eq!(dispositions(&mut session).len(), 1);
    session.send(Message::Disposed {
        record: RecordKey(1),
        audit_id: audit_id(11),
        disposition: Disposition::Release,
        result: Err("2 routed claims of rx-1 are open".to_owned()),
    });
    assert_eq!(
        (session.toast(), session.saved().as_str()),
        ("RELEASE of rx-1 not saved: 2 routed claims of rx-1 are open", "")
    );
}

#[test]
fn the_next_waiting_answer_is_named_and_takes_no_key_before_it_is_asked_for() {
    let mut session = Session::with(2);
    session.answers_waiting = 2;
    session.send(Message::Looked(Ok(true)));
    for (n, next) in [(31, vec![Effect::NameAnswer]), (41, Vec::new())] {
        session.press("d");
        let waiting = session.detail(crate::domain::ids::ClaimKey(n));
        session.take();
        session.send(Message::Answer(Ok(Some(Box::new(waiting)))));
        session.press("l");
        assert_eq!(dispositions(&mut session), [], "a key for the one before is none for this one");
        session.look();
        session.press("l");
        assert_eq!(dispositions(&mut session), [(audit_id(n).to_string(), Disposition::Release)]);
        session.answers_waiting -= 1;
        session.send(Message::Disposed {
            record: RecordKey(n / 10),
            audit_id: audit_id(n),
            disposition: Disposition::Release,
            result: Ok(7),
        });
        assert_eq!(session.take(), next);
        assert!(matches!(session.app.mode, Mode::Normal));
        session.send(Message::NextAnswer(Ok((!next.is_empty()).then(|| audit_id(41)))));
        session.after(1000);
        session.press("l");
        session.press("y");
        assert_eq!(dispositions(&mut session), [], "the next one was not asked for");
    }
    assert_eq!(session.saved(), format!("{} released", audit_id(41)));
}

#[test]
fn after_the_answer_just_decided_the_claims_go_on() {
    let mut session = Session::of(vec![row(1), row(11)]);
    session.do_and_save("c");
    session.answers_waiting = 5;
    session.send(Message::Looked(Ok(true)));
    session.press("d");
    session.look();
    session.press("l");
    session.take();
    session.send(Message::Disposed {
        record: RecordKey(0),
        audit_id: audit_id(1),
        disposition: Disposition::Release,
        result: Ok(7),
    });
    assert_eq!(session.take(), [Effect::NameAnswer]);
    session.send(Message::NextAnswer(Ok(Some(audit_id(31)))));
    assert_eq!(session.toast(), "d: next, rx-3");
    session.press("d");
    assert_eq!(session.take(), [Effect::FindAnswer], "the others are one key away");
}

#[test]
fn a_release_names_the_claims_over_which_it_was_asked_for() {
    for (verdict, keys, names) in
        [(HumanVerdict::FullySupported, "l", &[][..]), (HumanVerdict::Contradicted, "l y", &["rx-1#2"])]
    {
        let mut session = finished(verdict);
        session.press("d");
        for key in keys.split(' ') {
            session.look();
            session.press(key);
        }
        let over = session.take().into_iter().find_map(|effect| match effect {
            Effect::Dispose { over, .. } => Some(over),
            _ => None,
        });
        let over: Vec<String> = over.unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(over, names, "a ruling that came since is none of these");
    }
}
