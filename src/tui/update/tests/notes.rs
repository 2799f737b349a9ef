use crossterm::event::KeyCode;

use super::session::{Session, row};
use crate::domain::decision::Request;
use crate::domain::draft::{Draft, DraftKind};
use crate::domain::ids::ClaimKey;
use crate::tui::app::Mode;
use crate::tui::effect::{Effect, TerminalEffect};
use crate::tui::message::{Edited, Message};

fn text(session: &Session) -> String {
    match &session.app.mode {
        Mode::Note(editor) => editor.content(),
        other => panic!("no note is open but {other:?}"),
    }
}

fn wrote(text: &str, trouble: Option<&str>) -> Message {
    Message::Edited(Edited { text: Some(text.to_owned()), trouble: trouble.map(str::to_owned) })
}

fn error(session: &Session) -> Option<&str> {
    match &session.app.mode {
        Mode::Note(editor) => editor.error.as_deref(),
        _ => None,
    }
}

/// The store is asked to keep `text` on the claim 1, over nothing but what is `known`.
fn draft(text: Option<&str>, known: &[&str]) -> Effect {
    let texts = known.iter().map(|text| (*text).to_owned()).collect();
    let draft = Draft { claim: ClaimKey(1), kind: DraftKind::Note, texts };
    Effect::SaveDraft { draft, text: text.map(str::to_owned) }
}

fn draft_saved(text: Option<String>, result: Result<(), String>) -> Message {
    Message::DraftSaved { claim: ClaimKey(1), kind: DraftKind::Note, text, result }
}

#[test]
fn a_note_is_typed_and_saved() {
    for save in ["ctrl-s", "alt-enter", "ctrl-enter"] {
        let mut session = Session::with(2);
        session.press("a");
        session.type_text("dose is 4 g");
        session.press("enter");
        session.type_text("see p2");
        session.press(save);
        let note = "dose is 4 g\nsee p2".to_owned();
        assert_eq!(session.requests(), [(1, Request::Annotate { note: note.clone() })], "{save}");
        assert!(matches!(session.app.mode, Mode::Note(_)), "open until the store has it");
        session.store_says_yes(1, Request::Annotate { note });
        assert!(matches!(session.app.mode, Mode::Normal));
        assert_eq!(session.take(), []);
        assert!(session.saved().ends_with("note"));
        assert_eq!(session.here(), Some(1), "a note moves nothing");
    }
}

#[test]
fn letters_in_a_note_are_text_and_never_commands() {
    let mut session = Session::with(2);
    session.press("a");
    session.type_text("cosf12345ujkq?pdrgcn");
    assert_eq!(text(&session), "cosf12345ujkq?pdrgcn");
    assert_eq!(session.take(), []);
    assert!(!session.app.quitting);
}

#[test]
fn an_empty_note_is_refused() {
    let mut session = Session::with(1);
    session.press("a");
    session.type_text("  ");
    session.press("ctrl-s");
    assert_eq!(session.requests(), []);
    assert_eq!(error(&session), Some("a note needs some text"));
}

#[test]
fn a_note_that_the_store_refused_is_still_there() {
    let mut session = Session::with(1);
    session.press("a");
    session.type_text("important");
    session.press("ctrl-s");
    let request = session.requests().remove(0).1;
    session.store_refuses(1, request, "the disk is full");
    assert_eq!(text(&session), "important");
    assert_eq!(error(&session), Some("not saved: the disk is full"));
    session.press("ctrl-s");
    assert_eq!(session.requests().len(), 1, "it can be tried again");
}

#[test]
fn a_draft_is_stored_half_a_second_after_the_first_change_and_when_leaving() {
    let mut session = Session::with(1);
    session.press("a");
    session.send(Message::Tick);
    session.take();
    session.type_text("dra");
    session.after(499);
    session.send(Message::Tick);
    assert_eq!(session.take(), []);
    session.after(1);
    session.send(Message::Tick);
    assert_eq!(session.take(), [draft(Some("dra"), &[])]);
    session.send(draft_saved(Some("dra".to_owned()), Ok(())));
    session.after(5000);
    session.send(Message::Tick);
    assert_eq!(session.take().iter().filter(|e| matches!(e, Effect::SaveDraft { .. })).count(), 0);
    session.type_text("ft");
    session.press("esc");
    assert_eq!(session.take(), [draft(Some("draft"), &["dra"])], "over what this window wrote");
    assert_eq!(session.toast(), "", "the store has not said so");
    session.send(draft_saved(Some("draft".to_owned()), Ok(())));
    assert_eq!(session.toast(), "the draft is kept");
}

#[test]
fn typing_without_a_pause_still_stores_the_draft() {
    let mut session = Session::with(1);
    session.press("a");
    session.take();
    let mut stored = 0;
    for _ in 0..100 {
        session.press("x");
        session.after(50);
        session.send(Message::Tick);
        stored += session.take().iter().filter(|e| matches!(e, Effect::SaveDraft { .. })).count();
    }
    assert!(stored >= 8, "{stored} drafts in 5 s");
}

#[test]
fn a_draft_comes_back() {
    let mut session = Session::before_start(vec![row(1)]);
    session.draft = Some("first line\nsecond".to_owned());
    session.send(Message::Started { open: None });
    session.press("a");
    assert_eq!(text(&session), "first line\nsecond");
    session.type_text("!");
    assert_eq!(text(&session), "first line\nsecond!", "the cursor stands at the end");
}

#[test]
fn an_emptied_draft_is_forgotten() {
    let mut session = Session::before_start(vec![row(1)]);
    session.draft = Some("x".to_owned());
    session.send(Message::Started { open: None });
    session.take();
    session.press("a backspace esc");
    assert_eq!(session.take(), [draft(None, &["x"])]);
    assert_eq!(session.toast(), "");
}

#[test]
fn a_draft_that_cannot_be_stored_is_said() {
    let mut session = Session::with(1);
    session.press("a x");
    session.send(draft_saved(Some("x".to_owned()), Err("the disk is full".to_owned())));
    assert_eq!(error(&session), Some("the draft is not stored: the disk is full"));
}

#[test]
fn the_end_keeps_the_draft() {
    for end in ["ctrl-c", "ctrl-z"] {
        let mut session = Session::with(1);
        session.press("a x");
        session.take();
        session.press(end);
        assert_eq!(session.take()[0], draft(Some("x"), &[]), "{end}");
    }
    let mut session = Session::with(1);
    session.press("a x");
    session.take();
    session.send(Message::Ending);
    assert_eq!(session.take()[0], draft(Some("x"), &[]));
}

#[test]
fn pasted_text_never_triggers_commands() {
    for open in ["", "o", "r", "d", "?"] {
        let mut session = Session::with(3);
        if open == "r" {
            session.do_and_save("3");
            session.look();
        }
        if !open.is_empty() {
            session.press(open);
        }
        session.look();
        session.take();
        let (here, mode) = (session.here(), session.app.place());
        session.send(Message::Paste("c\rc\r1\r2\rq\r\u{3}\u{1b}".to_owned()));
        assert_eq!(session.take(), [], "{open}");
        assert_eq!((session.here(), session.app.place()), (here, mode), "{open}");
        assert!(session.toast().contains("pasted text is ignored"), "{open}: {}", session.toast());
        assert!(!session.app.quitting);
    }
}

#[test]
fn a_paste_after_an_unfinished_sequence_ends_it() {
    let mut session = Session::with(3);
    session.press("g");
    session.send(Message::Paste("c".to_owned()));
    session.press("c");
    assert_eq!(session.requests(), [(1, Request::Confirm)], "g was given up, c is c");
}

#[test]
fn pasted_line_ends_become_lines_and_never_save() {
    let mut session = Session::with(1);
    session.press("a");
    session.take();
    session.send(Message::Paste("one\rtwo\r\nthree\nfour".to_owned()));
    assert_eq!(text(&session), "one\ntwo\nthree\nfour");
    assert_eq!(session.take(), []);
}

#[test]
fn a_paste_that_the_terminal_does_not_mark_keeps_its_lines_and_never_saves() {
    let mut session = Session::with(1);
    session.press("a");
    session.take();
    session.type_text("one");
    session.press("ctrl-j");
    session.type_text("two");
    session.press("enter");
    session.type_text("three");
    assert_eq!(text(&session), "one\ntwo\nthree");
    assert_eq!(session.take(), []);
}

#[test]
fn hidden_characters_stay_outside_and_that_is_said() {
    let mut session = Session::with(1);
    session.press("a");
    session.send(Message::Paste("a\u{1b}[2Jb\u{0}c\u{202e}d\te é 語 👩‍⚕️".to_owned()));
    assert_eq!(text(&session), "a[2Jbcd\te é 語 👩‍⚕️");
    assert!(session.toast().starts_with("3 unseen characters"), "{}", session.toast());
}

#[test]
fn a_paste_that_is_too_long_is_cut_on_a_character_and_said() {
    let mut session = Session::with(1);
    session.press("a");
    session.send(Message::Paste("語".repeat(100_000)));
    let kept = text(&session);
    assert!(kept.len() <= 64 * 1024 && kept.len() > 64 * 1024 - 3);
    assert!(session.toast().contains("the rest was left out"), "{}", session.toast());
}

#[test]
fn the_editor_gets_the_text_and_gives_it_back() {
    let mut session = Session::with(1);
    session.press("a");
    session.type_text("short");
    session.take();
    session.press("ctrl-o");
    let asked = session.take();
    assert_eq!(asked[1], Effect::Terminal(TerminalEffect::OpenEditor));
    session.send(wrote("longer\r\ntext\n", None));
    assert_eq!(text(&session), "longer\ntext");
    assert_eq!(session.take(), [draft(Some("longer\ntext"), &["short"])]);
    let trouble = Some("vi could not be started".to_owned());
    session.send(Message::Edited(Edited { text: None, trouble }));
    assert_eq!(text(&session), "longer\ntext");
    assert_eq!((session.toast(), error(&session)), ("vi could not be started: the note is as it was", None));
}

#[test]
fn what_an_editor_wrote_before_it_failed_is_taken_over() {
    let mut session = Session::with(1);
    session.press("a ctrl-o");
    session.take();
    session.send(wrote("written", Some("vi ended with exit status: 1")));
    assert_eq!(text(&session), "written");
    assert_eq!(drafts(&mut session), [Some("written".to_owned())]);
    assert_eq!(session.toast(), "vi ended with exit status: 1: what it wrote is here");
}

#[test]
fn a_note_needs_a_claim() {
    let mut session = Session::with(0);
    session.press("a");
    assert!(matches!(session.app.mode, Mode::Normal));
    assert!(session.toast().contains("no claim"), "{}", session.toast());
}

#[test]
fn news_do_not_disturb_the_writer() {
    let mut session = Session::with(3);
    session.press("a");
    session.type_text("half a thou");
    session.rows.insert(0, row(100));
    session.send(Message::Looked(Ok(true)));
    session.type_text("ght");
    assert_eq!((text(&session).as_str(), session.here()), ("half a thought", Some(1)));
}

#[test]
fn escape_with_a_letter_right_behind_it_closes_and_types_nothing() {
    for letter in ["c", "x", "1", "space"] {
        let mut session = Session::with(2);
        session.press("a");
        session.type_text("half");
        session.press(&format!("alt-{letter}"));
        assert!(matches!(session.app.mode, Mode::Normal), "{letter}");
        assert!(session.toast().contains("dropped"), "{}", session.toast());
        assert_eq!(
            session.take(),
            [draft(Some("half"), &[])],
            "{letter}: nothing is decided and nothing typed"
        );
    }
    let mut session = Session::with(1);
    session.do_and_save("c");
    session.press("r");
    session.press("alt-n");
    assert!(matches!(session.app.mode, Mode::Normal));
    assert_eq!(session.requests(), [], "no reason was given");
}

#[test]
fn a_note_has_its_limit_however_text_comes_in() {
    let full = "x".repeat(64 * 1024);
    let mut session = Session::with(1);
    session.press("a");
    session.send(Message::Paste(full.clone()));
    assert_eq!(session.toast(), "");
    session.type_text("y");
    assert_eq!(text(&session), full);
    assert!(session.toast().contains("64 KiB"), "{}", session.toast());
    session.send(wrote(&format!("a\u{202e}b\r\n{full}\n"), None));
    assert_eq!(text(&session).len(), full.len());
    assert!(text(&session).starts_with("ab\n"));
    assert!(session.toast().contains("64 KiB"), "{}", session.toast());
}

#[test]
fn what_the_store_would_not_keep_stays_in_the_editor_and_is_tried_again() {
    let refused = |session: &mut Session| {
        session.send(draft_saved(Some("typed".to_owned()), Err("busy".to_owned())));
    };
    let mut session = Session::with(2);
    session.press("a");
    session.type_text("typed");
    session.press("esc");
    assert_eq!(session.take(), [draft(Some("typed"), &[])]);
    refused(&mut session);
    assert!(
        matches!(session.app.mode, Mode::Normal),
        "it was left, and does not take the keyboard by itself"
    );
    assert_eq!(session.toast(), "the draft is not stored: busy · tried again; a on rx-0#2 goes on with it");
    session.after(3000);
    session.send(Message::Tick);
    assert!(session.take().contains(&draft(Some("typed"), &["typed"])));
    refused(&mut session);
    session.press("j k a");
    assert_eq!(text(&session), "typed", "it is there");
    session.press("ctrl-c");
    refused(&mut session);
    assert!(!session.app.unsaved_notes().is_empty());
    session.send(Message::StayForNote);
    assert!(!session.app.quitting && session.app.was_kept);
    assert!(session.toast().contains("not left"), "{}", session.toast());
    session.send(draft_saved(Some("typed".to_owned()), Ok(())));
    assert_eq!(session.app.unsaved_notes(), []);
}

/// Types `text` into a note on the claim 1 and asks for it to be saved, with a draft of it due.
fn sending(text: &str) -> (Session, Request) {
    let mut session = Session::with(2);
    session.press("a");
    session.type_text(text);
    session.take();
    session.press("ctrl-s");
    let request = session.requests().remove(0).1;
    (session, request)
}

fn drafts(session: &mut Session) -> Vec<Option<String>> {
    session
        .take()
        .into_iter()
        .filter_map(|effect| match effect {
            Effect::SaveDraft { text, .. } => Some(text),
            _ => None,
        })
        .collect()
}

#[test]
fn what_is_typed_while_a_note_is_being_saved_stays_as_a_draft_of_another() {
    let (mut session, request) = sending("hello");
    session.type_text(" and more typed");
    session.store_says_yes(1, request);
    assert_eq!(text(&session), "and more typed");
    assert!(session.toast().contains("the note is saved"), "{}", session.toast());
    assert_eq!(drafts(&mut session), [Some("and more typed".to_owned())]);
    session.press("ctrl-s");
    assert_eq!(session.requests(), [(1, Request::Annotate { note: "and more typed".to_owned() })]);

    let (mut session, request) = sending("hello");
    session.press("home");
    session.type_text("oh ");
    session.store_says_yes(1, request);
    assert_eq!(text(&session), "oh hello", "what was changed inside stays whole");
}

#[test]
fn a_note_that_is_saved_slowly_does_not_come_back_as_a_draft() {
    let (mut session, request) = sending("hello");
    session.after(5000);
    session.send(Message::Tick);
    session.type_text("x");
    session.press("backspace");
    session.after(5000);
    session.send(Message::Tick);
    assert_eq!(drafts(&mut session), [], "a draft would be stored after the note");
    let earlier = Some("hel".to_owned());
    session.send(draft_saved(earlier, Ok(())));
    session.store_says_yes(1, request);
    assert!(matches!(session.app.mode, Mode::Normal));
    session.press("a");
    assert_eq!(text(&session), "");
}

#[test]
fn a_note_that_is_being_saved_is_not_left() {
    for key in ["esc", "ctrl-o", "ctrl-s"] {
        let (mut session, request) = sending("hello");
        session.press(key);
        assert_eq!(session.take(), [], "{key}");
        assert!(session.toast().contains("still being saved"), "{key}: {}", session.toast());
        session.store_refuses(1, request, "the disk is full");
        assert_eq!(text(&session), "hello");
        session.after(500);
        session.send(Message::Tick);
        assert_eq!(drafts(&mut session), [Some("hello".to_owned())], "a draft again");
    }
}

#[test]
fn the_end_while_a_note_is_being_saved_loses_nothing() {
    let (mut session, request) = sending("hello");
    session.send(Message::Ending);
    assert_eq!(drafts(&mut session), []);
    session.store_says_yes(1, request);
    assert_eq!(session.app.unsaved_notes(), []);

    let (mut session, request) = sending("hello");
    session.type_text(" more");
    session.send(Message::Ending);
    session.store_says_yes(1, request);
    assert_eq!(drafts(&mut session), [Some("more".to_owned())]);

    let (mut session, request) = sending("hello");
    session.send(Message::Ending);
    session.store_refuses(1, request, "ben has it in hand");
    assert_eq!(drafts(&mut session), [Some("hello".to_owned())]);
}

#[test]
fn hidden_characters_that_were_typed_are_left_out_before_a_note_is_saved() {
    let mut session = Session::with(1);
    session.press("a");
    for letter in "a\u{202e}b\u{200b} 👩\u{200d}⚕\u{fe0f} می\u{200c}شود".chars() {
        session.send(Message::Key(KeyCode::Char(letter).into()));
    }
    session.press("ctrl-s");
    assert_eq!(session.requests(), [], "it is seen first as it will be saved");
    assert!(session.toast().starts_with("2 unseen characters"), "{}", session.toast());
    let kept = "ab 👩\u{200d}⚕\u{fe0f} می\u{200c}شود".to_owned();
    assert_eq!(text(&session), kept);
    session.press("ctrl-s");
    assert_eq!(session.requests(), [(1, Request::Annotate { note: kept })]);
}
