use super::session::{Session, decided, event, row};
use crate::domain::decision::{HumanVerdict, Request};
use crate::domain::ids::Annotator;
use crate::domain::queue::Hold;
use crate::tui::app::Mode;
use crate::tui::command::{Command, Place};
use crate::tui::effect::{Effect, TerminalEffect};
use crate::tui::message::Message;
use crate::tui::palette::Palette;

fn palette(session: &Session) -> &Palette {
    match &session.app.mode {
        Mode::Palette(palette) => palette,
        other => panic!("no palette is open but {other:?}"),
    }
}

fn why_not(session: &Session, command: Command) -> Option<String> {
    let entry = palette(session).entries.iter().find(|entry| entry.command == command);
    entry.unwrap_or_else(|| panic!("{} is not listed", command.row().name)).hindrance.clone()
}

/// Opens the palette, types and presses Enter.
fn choose(session: &mut Session, text: &str) {
    session.press(":");
    session.type_text(text);
    session.press("enter");
}

#[test]
fn every_command_of_the_review_is_listed_with_nothing_typed() {
    let mut session = Session::with(3);
    session.press("ctrl-p");
    let listed: Vec<Command> = palette(&session).entries.iter().map(|entry| entry.command).collect();
    for command in Command::ALL {
        let places = command.row().places;
        let applies =
            places.iter().any(|place| matches!(place, Place::Review | Place::Score | Place::Anywhere));
        assert_eq!(listed.contains(command), applies && *command != Command::Palette, "{command:?}");
    }
    assert_eq!(palette(&session).chosen, Some(Command::Confirm), "the first that is possible");
}

#[test]
fn what_is_chosen_does_what_its_key_does() {
    for (text, key) in
        [("confirm", "c"), ("unsupported", "3"), ("skip", "s"), ("flag", "f"), ("undo", "u"), ("redo", "U")]
    {
        let mut by_key = Session::with(3);
        by_key.press(key);
        let mut chosen = Session::with(3);
        choose(&mut chosen, text);
        assert_eq!(chosen.take(), by_key.take(), "{text}");
        assert!(matches!(chosen.app.mode, Mode::Normal), "{text}");
    }
    let mut session = Session::with(3);
    choose(&mut session, "override");
    assert!(matches!(session.app.mode, Mode::Override(_)));
    let mut session = Session::with(3);
    choose(&mut session, "next claim");
    assert_eq!(session.here(), Some(2));
    let mut session = Session::with(3);
    choose(&mut session, "quit");
    assert!(session.take().contains(&Effect::Terminal(TerminalEffect::Quit)));
}

#[test]
fn a_claim_must_have_been_visible_for_a_decision_from_the_palette_too() {
    let mut session = Session::with(3);
    session.press("j");
    session.drawn();
    session.after(100);
    choose(&mut session, "confirm");
    assert_eq!(session.requests(), []);
    assert!(session.toast().contains("dropped: too fast"), "{}", session.toast());
    session.press(":");
    session.drawn();
    session.after(300);
    session.type_text("confirm");
    session.press("enter");
    assert_eq!(session.requests(), [(2, Request::Confirm)], "it stays in view beside the palette");
}

#[test]
fn a_decision_never_falls_on_a_claim_that_came_while_the_palette_was_open() {
    for text in ["confirm", "contradicted", "override", "annotate", "skip", "flag"] {
        let mut session = Session::with(3);
        session.press("c");
        session.take();
        session.press(":");
        session.type_text(text);
        session.store_says_yes(1, Request::Confirm);
        session.look();
        assert_eq!(
            palette(&session).chosen_entry().map(|entry| entry.hindrance.clone()),
            Some(None),
            "{text}"
        );
        assert_eq!(session.here(), Some(2));
        session.press("enter");
        assert_eq!(session.take(), [], "{text}");
        assert!(matches!(session.app.mode, Mode::Normal), "{text}");
        assert_eq!(session.toast(), "nothing done: another claim is here now than when : was pressed");
        session.do_and_save("c");
        assert_eq!(session.here(), Some(3), "its own key does it");
    }
}

#[test]
fn what_is_not_possible_says_why_and_enter_does_nothing() {
    let mut session = Session::before_start(vec![row(1)]);
    session.without_verdict = true;
    session.send(Message::Started { open: None });
    session.look();
    session.press(":");
    let why = |command| why_not(&session, command).unwrap_or_default();
    assert_eq!(why(Command::Confirm), "there is no verdict to confirm: judge it with 1 to 5");
    assert_eq!(why(Command::Reason), "no decision yet: a reason belongs to a decision of yours");
    assert_eq!(why(Command::NextClaim), "this is the last claim");
    assert_eq!(why(Command::PreviousClaim), "this is the first claim");
    assert_eq!(why(Command::NextOpen), "no other claim is open");
    assert_eq!(why(Command::NewestCritical), "no CRITICAL claim is open");
    assert_eq!(why(Command::ClearFilter), "no filter is set");
    assert_eq!(why(Command::NextEvidence), "there is no other evidence");
    assert_eq!(why(Command::PauseAuditor), "no auditor runs in this window");
    assert_eq!(why(Command::Dispose), "one claim of rx-0 is still open · B blocks it all the same");
    assert_eq!(why(Command::StayWithAnswer), "no other claim of rx-0 is open");
    assert_eq!(why(Command::VerdictContradicted), "");
    assert_eq!(palette(&session).chosen, Some(Command::Override), "what is possible is chosen first");
    session.type_text("confirm");
    session.press("enter");
    assert_eq!(session.take(), []);
    assert!(matches!(session.app.mode, Mode::Palette(_)), "it stays open");
    assert!(session.toast().starts_with("there is no verdict"), "{}", session.toast());
}

#[test]
fn what_the_palette_calls_impossible_its_key_does_not_do_either() {
    let held =
        Some(Hold { holder: Annotator::new("ben"), until: super::session::START.plus(super::session::HOUR) });
    let mut sessions = vec![Session::with(1), Session::with(3), Session::before_start(Vec::new())];
    let mut undecided = Session::with(1);
    undecided.without_verdict = true;
    sessions.push(undecided);
    let mut other = Session::before_start(vec![row(1), row(2)]);
    other.held_by = held;
    other.send(Message::Started { open: None });
    sessions.push(other);
    let mut done = Session::before_start(vec![row(1)]);
    done.rows[0].decided = Some(decided());
    done.send(Message::Started { open: None });
    sessions.push(done);
    let mut saving = Session::with(3);
    saving.press("c");
    sessions.push(saving);
    let mut checked = 0;
    for (at, session) in sessions.iter_mut().enumerate() {
        session.look();
        session.press(":");
        let entries = palette(session).entries.clone();
        session.press("esc");
        // That nothing is to be skipped on a decided claim, the store says.
        let asks_the_store = |command| session.app.saving.is_none() && command == Command::Skip && at == 5;
        let hindered = entries.iter().filter(|entry| entry.hindrance.is_some());
        // The key of a score means a verdict here.
        let is_score = |command: Command| command.row().places == [Place::Score];
        let hindered: Vec<_> =
            hindered.filter(|entry| !asks_the_store(entry.command) && !is_score(entry.command)).collect();
        for entry in hindered {
            session.take();
            session.look();
            session.app.toast = None;
            let here = session.here();
            let key = session.app.settings.keymap.label(entry.command, Place::Review);
            let keys = key.replace("Ctrl-", "ctrl-").replace("PgDn", "pgdn").replace("PgUp", "pgup");
            session.press(&keys.replace("Esc", "esc").replace("Space", "space"));
            let acted =
                session.take().into_iter().find(|effect| !matches!(effect, Effect::FindNewestCritical));
            assert_eq!(acted, None, "{at}: {key}, {:?}", entry.hindrance);
            // The store looks, and the list is read anew.
            let is_asked = matches!(entry.command, Command::NewestCritical | Command::FirstClaim);
            assert!(is_asked || !session.toast().is_empty(), "{at}: {key} is silent, {:?}", entry.hindrance);
            assert_eq!(session.here(), here, "{at}: {key}");
            assert!(matches!(session.app.mode, Mode::Normal), "{at}: {key}");
            checked += 1;
        }
    }
    assert!(checked > 60, "{checked}");
}

#[test]
fn an_undo_that_was_offered_can_be_taken_from_the_palette() {
    let mut session = Session::with(3);
    choose(&mut session, "undo");
    assert_eq!(session.take(), [Effect::FindUndo], "of an earlier session: first it is shown");
    session.send(Message::ToUndo(Ok(Some(Box::new(event(1, &Request::Confirm)))), 0));
    let offer = session.toast().to_owned();
    session.look();
    session.press(":");
    assert_eq!(session.toast(), offer, "it stays in view");
    session.type_text("undo");
    session.press("enter");
    assert_eq!(session.take(), [Effect::Undo(1)]);
}

#[test]
fn typed_and_pasted_text_only_looks_for_commands() {
    let mut session = Session::with(3);
    session.press(":");
    session.send(Message::Paste("confirm\r\nq\n".to_owned()));
    assert_eq!(palette(&session).content(), "confirm q ");
    session.type_text("c1qu");
    assert_eq!((session.take(), session.here()), (vec![], Some(1)));
    assert!(palette(&session).entries.is_empty());
    session.press("enter");
    assert!(session.toast().contains("no command is found"), "{}", session.toast());
    session.press("esc");
    assert!(matches!(session.app.mode, Mode::Normal));
}

#[test]
fn the_choice_stays_on_its_command_whatever_else_is_found_or_happens() {
    let mut session = Session::with(3);
    session.press(":");
    session.press("down down down down ctrl-n ctrl-p");
    assert_eq!(palette(&session).chosen, Some(Command::Annotate));
    session.rows.clear();
    session.send(Message::Looked(Ok(true)));
    assert_eq!(palette(&session).chosen, Some(Command::Annotate));
    for _ in 0..100 {
        session.press("down");
    }
    let last = palette(&session).entries.last().map(|entry| entry.command);
    assert_eq!(palette(&session).chosen, last, "it stops at the end");
}

#[test]
fn it_is_known_while_it_is_open_that_a_save_has_ended() {
    let mut session = Session::with(3);
    session.press("3");
    let (key, request) = session.requests().remove(0);
    session.press(":");
    assert!(why_not(&session, Command::Undo).unwrap().contains("still being saved"));
    session.store_says_yes(key, request);
    assert_eq!(why_not(&session, Command::Undo), None);
    assert_eq!(
        session.app.last_decision.as_ref().map(|last| last.ruling.verdict),
        Some(HumanVerdict::Unsupported)
    );
}
