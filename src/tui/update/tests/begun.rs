//! What is typed or chosen besides notes is kept, comes back, and is forgotten once it is recorded.

use std::time::Duration;

use super::session::{HOUR, Session};
use crate::domain::decision::{Request, Ruling};
use crate::domain::draft::{Draft, DraftKind};
use crate::domain::ids::ClaimKey;
use crate::tui::app::Mode;
use crate::tui::effect::Effect;
use crate::tui::message::Message;
use crate::tui::update::deadline;

/// What the store is asked to keep, once half a second has gone by.
fn kept(session: &mut Session) -> Vec<(DraftKind, Option<String>)> {
    session.after(500);
    session.send(Message::Tick);
    drafts(session)
}

fn drafts(session: &mut Session) -> Vec<(DraftKind, Option<String>)> {
    let draft = |effect| match effect {
        Effect::SaveDraft { draft, text } if draft.claim == ClaimKey(1) => Some((draft.kind, text)),
        _ => None,
    };
    session.take().into_iter().filter_map(draft).collect()
}

/// The store has it, and the program was started anew.
fn started_anew(kind: DraftKind, text: &str) -> Session {
    let mut session = Session::before_start(vec![super::session::row(1), super::session::row(2)]);
    session.begun = vec![(kind, text.to_owned())];
    session.send(Message::Started { open: None });
    session.look();
    session
}

#[test]
fn r15_an_unfinished_escalation_or_deferral_comes_back_after_a_crash() {
    for (key, kind) in [("E", DraftKind::Escalation), ("D", DraftKind::Deferral)] {
        let mut session = Session::with(2);
        session.press(key);
        assert_eq!(kept(&mut session), [], "nothing is typed yet");
        session.type_text("2h");
        assert!(
            deadline::next(&session.app)
                .is_some_and(|next| next <= session.now.plus(Duration::from_millis(500)))
        );
        assert_eq!(kept(&mut session), [(kind, Some("2h".to_owned()))]);
        assert_eq!(kept(&mut session), [], "what the store has is not stored again");
        let mut session = started_anew(kind, "2h");
        session.press(key);
        assert!(matches!(&session.app.mode, Mode::Ask(line) if line.content() == "2h"));
        session.press("backspace backspace");
        assert_eq!(kept(&mut session), [(kind, None)], "an empty line is nothing to keep");
    }
}

#[test]
fn what_is_left_with_esc_is_kept_at_once_and_what_is_recorded_is_forgotten() {
    let mut session = Session::with(2);
    session.press("E");
    session.type_text("8 g");
    session.press("esc");
    assert_eq!(drafts(&mut session), [(DraftKind::Escalation, Some("8 g".to_owned()))]);
    assert_eq!(session.toast(), "kept: E goes on with it");
    session.send(Message::DraftSaved {
        claim: ClaimKey(1),
        kind: DraftKind::Escalation,
        text: Some("8 g".to_owned()),
        result: Ok(()),
    });
    session.look();
    session.press("E");
    session.press("enter");
    let requests = session.requests();
    assert_eq!(requests.len(), 1, "{requests:?}");
    assert_eq!(kept(&mut session), [], "it is on its way: no draft comes after it");
    session.store_says_yes(1, requests[0].1.clone());
    assert_eq!(session.app.detail().map(|detail| detail.begun.len()), Some(0));
    assert_eq!(kept(&mut session), []);
}

#[test]
fn r15_evidence_that_was_being_chosen_comes_back_after_a_crash() {
    let mut session = Session::with(2);
    session.press("e");
    assert_eq!(kept(&mut session), [], "nothing is chosen yet");
    session.press("4 space c");
    let [(DraftKind::Evidence, Some(text))] = &kept(&mut session)[..] else { panic!("the choice is kept") };
    let ruling: Ruling = serde_json::from_str(text).expect("a ruling");
    assert_eq!(ruling.evidence.as_ref().map(Vec::len), Some(1));

    let mut session = started_anew(DraftKind::Evidence, text);
    session.press("e");
    assert_eq!(session.toast(), "what you had begun is back · u takes it off");
    session.press("enter");
    assert_eq!(session.requests(), [(1, Request::Override(ruling))]);

    let mut session = started_anew(DraftKind::Evidence, text);
    session.press("e u");
    assert_eq!(kept(&mut session), [(DraftKind::Evidence, None)], "taken off, it is forgotten");
    let mut session = started_anew(DraftKind::Evidence, "{\"verdict\":");
    session.press("e");
    assert!(matches!(session.app.mode, Mode::Spans(_)), "what cannot be read stands in nobody's way");
}

#[test]
fn r15_the_words_of_a_claim_that_was_being_made_come_back_after_a_crash() {
    let mut session = Session::with(2);
    session.press("| t");
    session.type_text(" of it");
    let [(DraftKind::Split, Some(text))] = &kept(&mut session)[..] else { panic!("the words are kept") };
    let mut session = started_anew(DraftKind::Split, text);
    session.press("|");
    let Mode::Shape(editor) = &session.app.mode else { panic!("a split") };
    assert_eq!(editor.typed(0).as_deref(), Some("claim of it"));
    assert_eq!(session.toast(), "what you had typed is back · u takes it off");
    session.press("esc +");
    let Mode::Shape(editor) = &session.app.mode else { panic!("a new claim") };
    assert_eq!(editor.typed(0), None, "it was typed for a split");
    assert_eq!(kept(&mut session), [], "the split stays as it was");
    session.press("esc");
    assert_eq!(drafts(&mut session), []);
    session.press("|");
    let Mode::Shape(editor) = &session.app.mode else { panic!("a split") };
    assert_eq!(editor.typed(0).as_deref(), Some("claim of it"));
}

#[test]
fn what_was_typed_for_a_place_that_is_gone_comes_back_all_the_same() {
    let kept_elsewhere = r#"{"place":{"Split":{"at":9999}},"words":["one thing","another"]}"#;
    let mut session = started_anew(DraftKind::Split, kept_elsewhere);
    session.press("|");
    let Mode::Shape(editor) = &session.app.mode else { panic!("a split") };
    assert_eq!([0, 1].map(|at| editor.typed(at)), ["one thing", "another"].map(|word| Some(word.to_owned())));
    // What cannot be read is left where it is.
    let mut session = started_anew(DraftKind::Split, "{");
    session.press("|");
    assert_eq!(kept(&mut session), []);
    session.press("esc");
    assert_eq!(drafts(&mut session), []);
}

#[test]
fn only_the_line_that_was_open_is_finished() {
    let finished = |session: &mut Session| match &session.take()[..] {
        [Effect::Decide { finished, .. }] => finished.clone().map(|draft| (draft.kind, draft.texts)),
        other => panic!("one request, not {other:?}"),
    };
    let mut session = started_anew(DraftKind::Escalation, "8 g?");
    session.press("E enter");
    assert_eq!(finished(&mut session), Some((DraftKind::Escalation, vec!["8 g?".to_owned()])));
    // A verdict by the menu has nothing to do with the evidence that was being chosen.
    let mut session = started_anew(DraftKind::Evidence, "{}");
    session.press("o 1 enter");
    assert_eq!(finished(&mut session), None);
}

#[test]
fn quitting_keeps_it_and_a_store_that_refuses_is_asked_again() {
    let mut session = Session::with(2);
    session.press("D");
    session.type_text("tomorrow");
    session.send(Message::Ending);
    assert_eq!(drafts(&mut session), [(DraftKind::Deferral, Some("tomorrow".to_owned()))]);
    session.send(Message::DraftSaved {
        claim: ClaimKey(1),
        kind: DraftKind::Deferral,
        text: Some("tomorrow".to_owned()),
        result: Err("the disk is full".to_owned()),
    });
    assert_eq!(session.toast(), "what you began is not stored: the disk is full");
    session.now = session.now.plus(HOUR);
    session.send(Message::Tick);
    assert_eq!(drafts(&mut session), [(DraftKind::Deferral, Some("tomorrow".to_owned()))]);
}

#[test]
fn a_note_finishes_its_own_draft_and_no_other() {
    let mut session = Session::before_start(vec![super::session::row(1), super::session::row(2)]);
    session.draft = Some("half".to_owned());
    session.send(Message::Started { open: None });
    session.look();
    session.take();
    session.press("a");
    session.type_text(" a thought");
    session.after(500);
    session.send(Message::Tick);
    let half = |draft: &Draft| draft.texts == ["half"];
    let asked = session.take();
    let is_kept = |effect: &Effect| matches!(effect, Effect::SaveDraft { draft, .. } if half(draft));
    assert!(asked.iter().any(is_kept), "{asked:?}");
    session.press("ctrl-s");
    let finished = |effects: &[Effect]| match effects {
        [Effect::Decide { finished, .. }] => finished.clone().map(|draft| draft.texts),
        other => panic!("one request, not {other:?}"),
    };
    let texts = ["half", "half a thought"].map(str::to_owned);
    assert_eq!(finished(&session.take()), Some(texts.to_vec()), "whichever of them stands there");

    // What another window wrote meanwhile is none of them.
    let mut session = Session::with(2);
    session.press("a");
    session.type_text("mine");
    session.draft = Some("written elsewhere".to_owned());
    session.send(Message::Looked(Ok(true)));
    assert!(matches!(&session.app.mode, Mode::Note(note) if note.content() == "mine"));
    session.take();
    session.press("ctrl-s");
    assert_eq!(finished(&session.take()), Some(Vec::new()));
    // A decision finishes none.
    let mut session = Session::with(2);
    session.press("c");
    assert_eq!(finished(&session.take()), None);
}

#[test]
fn a_note_that_is_opened_again_at_once_has_what_was_just_typed() {
    let mut session = Session::with(2);
    session.press("a");
    session.type_text("typed");
    session.press("esc a");
    let is_back = matches!(&session.app.mode, Mode::Note(note) if note.content() == "typed");
    assert!(is_back, "the store has not answered yet");
}
