use super::session::{Session, audit_id, decided, row};
use crate::domain::decision::{Disposition, HumanVerdict};
use crate::domain::draft::DraftKind;
use crate::domain::ids::{ClaimKey, RecordKey};
use crate::tui::app::{AnswerDialog, Mode};
use crate::tui::effect::Effect;
use crate::tui::message::Message;
use crate::tui::update::deadline::DRAFT;

fn dialog(session: &Session) -> &AnswerDialog {
    match &session.app.mode {
        Mode::Disposition(dialog) => dialog,
        other => panic!("no answer is asked about but {other:?}"),
    }
}

pub(super) fn dispositions(session: &mut Session) -> Vec<(String, Disposition)> {
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
    session.press("enter");
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
        if expected != Disposition::Release {
            assert_eq!(dispositions(&mut session), [], "{key} offers to say why");
            session.press("enter");
        }
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
        assert_eq!(dispositions(&mut session), [], "the report is to tell why");
        let text = super::decide::shown(&session);
        assert!(text.contains("Release: why may it be used after all?"), "{text}");
        session.press("enter");
        assert_eq!(dispositions(&mut session), []);
        assert!(session.toast().starts_with("say why: people ruled against rx-1#2"), "{}", session.toast());
        session.type_text("the ward has no other");
        session.press("enter");
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
    assert_eq!(session.toast(), "one claim of rx-0 is still open · B blocks it all the same");
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
        let mut waiting = session.detail(crate::domain::ids::ClaimKey(n));
        waiting.siblings[0].rulings = vec![HumanVerdict::FullySupported];
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
        if !names.is_empty() {
            session.type_text("so be it");
            session.press("enter");
        }
        let over = session.take().into_iter().find_map(|effect| match effect {
            Effect::Dispose { over, .. } => Some(over),
            _ => None,
        });
        let over: Vec<String> = over.unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(over, names, "a ruling that came since is none of these");
    }
}

/// What of the answer is asked of the store: the note, and what is kept of it.
fn notes(session: &mut Session) -> (Vec<Option<String>>, Vec<Option<String>>) {
    let (mut given, mut kept) = (Vec::new(), Vec::new());
    for effect in session.take() {
        match effect {
            Effect::Dispose { note, .. } => given.push(note),
            Effect::SaveDraft { draft, text } if draft.kind == DraftKind::Disposition => kept.push(text),
            _ => {}
        }
    }
    (given, kept)
}

fn asked(key: &str) -> Session {
    let mut session = finished(HumanVerdict::Contradicted);
    session.press("d");
    session.look();
    session.press(key);
    session
}

#[test]
fn a_return_and_a_block_take_words_along_or_none() {
    for (key, text, note) in
        [("t", "the dose is 4 g", Some("the dose is 4 g".to_owned())), ("b", "  ", None), ("t", "", None)]
    {
        let mut session = asked(key);
        session.type_text(text);
        session.press("enter");
        session.press("enter");
        assert_eq!(notes(&mut session).0, [note], "{key} `{text}`, once");
    }
}

#[test]
fn letters_in_the_words_are_no_choice_and_what_was_written_is_there_again() {
    let mut session = asked("t");
    session.type_text("let it be");
    session.drawn();
    assert_eq!(dispositions(&mut session), []);
    session.press("esc");
    assert_eq!(notes(&mut session), (Vec::new(), vec![Some("let it be".to_owned())]));
    assert!(session.toast().contains("kept"), "{}", session.toast());
    session.press("b");
    assert_eq!(dispositions(&mut session), [], "the choice has to be seen again");
    session.look();
    session.press("b");
    session.press("enter");
    assert_eq!(notes(&mut session).0, [Some("let it be".to_owned())]);
}

#[test]
fn words_beside_a_disposition_survive_a_crash_and_a_refusal() {
    let mut session = asked("b");
    session.type_text("never");
    session.after(DRAFT.as_millis() as u64 + 1);
    session.send(Message::Tick);
    assert_eq!(notes(&mut session).1, [Some("never".to_owned())]);
    session.press("enter");
    session.take();
    session.send(Message::Disposed {
        record: RecordKey(1),
        audit_id: audit_id(11),
        disposition: Disposition::Block,
        result: Err("1 claim of rx-1 still open".to_owned()),
    });
    assert!(session.toast().contains("still open"), "{}", session.toast());
    session.press("enter");
    assert_eq!(notes(&mut session).0, [Some("never".to_owned())], "what was written stays");
    // A new session finds it.
    let mut session = finished(HumanVerdict::Contradicted);
    let mut detail = session.detail(ClaimKey(11));
    detail.begun = vec![(DraftKind::Disposition, "never".to_owned())];
    session.answers_waiting = 1;
    session.app.to_dispose = Some(std::sync::Arc::new(detail));
    session.app.claim = None;
    session.press("d");
    session.look();
    session.press("b");
    session.press("enter");
    assert_eq!(notes(&mut session).0, [Some("never".to_owned())]);
}

#[test]
fn a_paste_into_the_words_is_one_paragraph() {
    let mut session = asked("t");
    session.send(Message::Paste("one\ntwo".to_owned()));
    session.press("enter");
    assert_eq!(notes(&mut session).0, [Some("one two".to_owned())]);
}

#[test]
fn a_block_that_came_meanwhile_is_shown_before_it_is_overruled() {
    use crate::domain::queue::Given;
    let mut session = finished(HumanVerdict::FullySupported);
    session.press("d");
    session.look();
    session.press("l");
    let asked = |session: &mut Session| {
        session.take().into_iter().find_map(|effect| match effect {
            Effect::Dispose { replaces, .. } => Some(replaces),
            _ => None,
        })
    };
    assert_eq!(asked(&mut session), Some(None), "none was shown");
    session.send(Message::Disposed {
        record: RecordKey(1),
        audit_id: audit_id(11),
        disposition: Disposition::Release,
        result: Err("ben gave rx-1 BLOCK".to_owned()),
    });
    assert_eq!(session.take(), [Effect::ReadAnswer(ClaimKey(11))]);
    let given = Given {
        annotator: crate::domain::ids::Annotator::new("ben"),
        disposition: Disposition::Block,
        at: session.now,
        note: None,
        reason: None,
    };
    let mut detail = session.detail(ClaimKey(11));
    detail.disposition = Some(given.clone());
    session.send(Message::AnswerRead(Ok(Box::new(detail))));
    assert!(session.toast().contains("ben gave rx-1 BLOCK"), "{}", session.toast());
    session.press("l");
    assert_eq!(asked(&mut session), None, "it has to be looked at");
    session.look();
    session.press("l");
    assert_eq!(asked(&mut session), None, "ben is to be told why");
    let text = super::decide::shown(&session);
    assert!(text.contains("Release: why may it be used after all?"), "{text}");
    assert!(!text.contains("or with none"), "{text}");
    session.press("enter");
    assert_eq!(asked(&mut session), None);
    assert_eq!(session.toast(), "say why: ben gave it BLOCK, and is to read this");
    session.type_text("read as 8 g");
    session.press("enter");
    let sent = session.take().into_iter().find_map(|effect| match effect {
        Effect::Dispose { disposition, note, replaces, .. } => Some((disposition, note, replaces)),
        _ => None,
    });
    assert_eq!(sent, Some((Disposition::Release, Some("read as 8 g".to_owned()), Some(given))));
}

#[test]
fn what_a_release_goes_over_goes_with_the_words_that_it_takes() {
    for (key, disposition) in [("y", Disposition::Release), ("b", Disposition::Block)] {
        let mut session = finished(HumanVerdict::Contradicted);
        let mut detail = session.detail(ClaimKey(11));
        detail.siblings[0].rulings = vec![HumanVerdict::Contradicted];
        detail.disposition = Some(crate::domain::queue::Given {
            annotator: crate::domain::ids::Annotator::new("ben"),
            disposition: if key == "y" { Disposition::Return } else { Disposition::Release },
            at: session.now,
            note: None,
            reason: None,
        });
        session.press("d");
        session.send(Message::AnswerRead(Ok(Box::new(detail))));
        session.look();
        if key == "y" {
            session.press("l");
            session.look();
        }
        session.press(key);
        session.press("enter");
        assert_eq!(dispositions(&mut session), [], "not without words");
        session.type_text("so be it");
        session.press("enter");
        let sent = session.take().into_iter().find_map(|effect| match effect {
            Effect::Dispose { disposition, over, .. } => Some((disposition, over.len())),
            _ => None,
        });
        assert_eq!(sent, Some((disposition, usize::from(key == "y"))));
    }
}

#[test]
fn an_answer_that_was_disposed_of_shows_that_and_the_same_key_goes_on() {
    let mut session = finished(HumanVerdict::FullySupported);
    session.answers_waiting = 2;
    session.send(Message::AnswersWaiting(Ok(2)));
    let claim = session.app.claim.as_mut().expect("a claim is in hand");
    let crate::tui::app::Detail::Ready(detail) = &mut claim.detail else { panic!("it is there") };
    std::sync::Arc::make_mut(detail).disposition = Some(crate::domain::queue::Given {
        annotator: crate::domain::ids::Annotator::new("ben"),
        disposition: Disposition::Return,
        at: super::session::START,
        note: Some("look at the dose".to_owned()),
        reason: None,
    });
    session.press("d");
    assert_eq!(dialog(&session).detail.record.audit_id, audit_id(11), "the one under the cursor");
    let text = super::decide::shown(&session);
    assert!(text.contains("ben gave it RETURN") && text.contains("look at the dose"), "{text}");
    assert!(text.contains("d  goes on to the next answer that waits"), "{text}");
    session.take();
    session.press("d");
    assert_eq!(session.take(), [Effect::FindAnswer]);
    let next = super::session::detail(31, 1);
    session.send(Message::Answer(Ok(Some(Box::new(next)))));
    assert_eq!(dialog(&session).detail.record.audit_id, audit_id(31));
    session.press("d");
    assert_eq!(session.take(), Vec::new());
    assert!(session.toast().contains("comes first: ") && session.toast().ends_with("then d goes on"));
    session.press("y");
    assert!(session.toast().contains("dropped") || session.toast().contains("nothing is released yet"));
}

#[test]
fn an_answer_is_blocked_at_once_while_its_claims_are_open() {
    let mut session = Session::with(2);
    session.look();
    session.press("B");
    assert!(dialog(&session).remark.is_some(), "it asks why");
    assert!(session.take().contains(&Effect::ReadAnswer(ClaimKey(1))), "as it stands now");
    session.type_text("wrong dose");
    session.press("enter");
    let block = session.take().into_iter().find_map(|effect| match effect {
        Effect::Dispose { audit_id, disposition, note, .. } => {
            Some((audit_id.to_string(), disposition, note))
        }
        _ => None,
    });
    assert_eq!(block, Some(("rx-0".to_owned(), Disposition::Block, Some("wrong dose".to_owned()))));

    // Esc leaves nothing to be chosen by the next key.
    let mut session = Session::with(2);
    session.look();
    session.press("B esc");
    assert!(matches!(session.app.mode, Mode::Normal), "{:?}", session.app.mode);
    assert_eq!(dispositions(&mut session), []);
    // Nobody blocks what they have not seen.
    let mut session = Session::before_start(vec![row(1)]);
    session.press("B");
    assert!(!matches!(session.app.mode, Mode::Disposition(_)));
}
