use super::session::{Session, row};
use crate::domain::ids::ClaimKey;
use crate::tui::app::{EmptyReason, Mode, QueueState};
use crate::tui::effect::Effect;
use crate::tui::found::FilterLine;
use crate::tui::message::Message;

fn line(session: &Session) -> &FilterLine {
    match &session.app.mode {
        Mode::Line(line) => line,
        other => panic!("no line is open but {other:?}"),
    }
}

fn rows(session: &Session) -> Vec<i64> {
    session.app.queue.rows.iter().map(|row| row.key.0).collect()
}

/// Six claims of which the even ones fit whatever is asked.
fn evens() -> Session {
    let mut session = Session::with(6);
    session.fit = vec![2, 4, 6];
    session
}

/// Types a filter and applies it; nothing of it has been read.
fn ask(session: &mut Session, text: &str) {
    session.press("\\");
    session.type_text(text);
    session.press("enter");
}

fn set(session: &mut Session, text: &str) {
    ask(session, text);
    session.find();
    session.look();
}

/// The number of the count that is asked for now.
fn count(session: &mut Session) -> Option<u64> {
    session.take().into_iter().find_map(|effect| match effect {
        Effect::CountFound { run, .. } => Some(run),
        _ => None,
    })
}

#[test]
fn a_filter_is_applied_and_cleared_and_the_claim_in_hand_stays_where_it_fits() {
    let mut session = evens();
    session.press("j");
    assert_eq!(session.here(), Some(2));
    ask(&mut session, "severity>=high");
    assert_eq!(rows(&session).len(), 6, "until the new rows are there the old ones stay");
    let wanted = session.find().unwrap();
    assert_eq!(wanted.filter.unwrap().to_string(), "severity>=high");
    assert!(wanted.must_fit, "the claim in hand is kept only where it fits");
    assert_eq!((session.here(), rows(&session)), (Some(2), vec![2, 4, 6]));
    session.press("esc");
    assert_eq!((session.here(), rows(&session).len()), (Some(2), 6));
    assert_eq!(session.app.found, None);
}

#[test]
fn a_claim_that_does_not_fit_gives_way_to_the_first_that_does() {
    let mut session = evens();
    set(&mut session, "words");
    assert_eq!((session.here(), rows(&session)), (Some(2), vec![2, 4, 6]));
    session.fit.retain(|key| *key != 2);
    session.send(Message::Looked(Ok(true)));
    let wanted = session.find().unwrap();
    assert!(!wanted.must_fit);
    assert_eq!(session.here(), Some(2), "later it stays in hand by its id");
    assert!(rows(&session).contains(&2));
}

#[test]
fn nothing_that_is_typed_or_pasted_into_a_line_is_a_command() {
    let mut session = evens();
    for open in ["\\", "/"] {
        session.press(open);
        session.type_text("cosf12345ujkq?pdrgcnG/");
        session.send(Message::Paste("c\r\n1\tq\n".to_owned()));
        assert_eq!(line(&session).content(), "cosf12345ujkq?pdrgcnG/c 1 q ");
        assert_eq!(session.take(), []);
        session.press("esc");
        assert!(matches!(session.app.mode, Mode::Normal));
    }
    session.send(Message::Paste("\\is:any".to_owned()));
    assert!(matches!(session.app.mode, Mode::Normal) && session.app.found.is_none());
    session.press("\\");
    session.send(Message::Paste("x".repeat(10_000)));
    assert_eq!(line(&session).content().len(), 4096);
}

#[test]
fn an_error_is_told_while_typing_and_nothing_is_applied() {
    let mut session = evens();
    session.press("\\");
    session.type_text("severity>=hg");
    let error = line(&session).error.clone().unwrap().to_string();
    assert!(error.starts_with("at character 11: `hg` is not a severity: use one of low"), "{error}");
    session.press("enter");
    assert_eq!(line(&session).content(), "severity>=hg", "it stays as it was typed");
    assert_eq!((session.take(), session.app.found.clone()), (vec![], None));
    session.press("backspace");
    session.type_text("igh");
    assert_eq!(line(&session).error, None);
    session.press("enter");
    session.find();
    assert_eq!(rows(&session), [2, 4, 6]);
}

#[test]
fn what_was_typed_can_be_had_again() {
    let mut session = evens();
    set(&mut session, "first");
    session.press("\\");
    session.type_text("second");
    session.press("esc");
    assert_eq!(session.app.found.as_ref().unwrap().filter.to_string(), "first", "nothing was changed");
    session.press("\\");
    assert_eq!(line(&session).content(), "first ", "the line begins with what is in force");
    session.press("end");
    session.type_text("third");
    session.press("up");
    assert_eq!(line(&session).content(), "second");
    session.press("up");
    assert_eq!(line(&session).content(), "first");
    session.press("up");
    assert_eq!(line(&session).content(), "first", "there is nothing before");
    session.press("down down");
    assert_eq!(line(&session).content(), "first third", "and what was being typed is still there");
    session.press("esc /");
    session.press("up");
    assert_eq!(line(&session).content(), "first", "searches have a history of their own");
}

#[test]
fn a_search_is_the_filter_with_words() {
    let mut session = evens();
    set(&mut session, "age<2h old -never");
    session.press("/");
    assert_eq!(line(&session).content(), "old");
    for _ in 0..3 {
        session.press("backspace");
    }
    session.type_text("severity:low");
    session.press("enter");
    let found = session.app.found.clone().unwrap();
    assert_eq!(found.filter.to_string(), "age<2h -never \"severity:low\"*", "words are no syntax");
}

#[test]
fn an_empty_line_clears_and_the_same_filter_again_changes_nothing() {
    let mut session = evens();
    set(&mut session, "dose");
    session.take();
    session.press("\\ enter");
    assert_eq!(session.take(), []);
    session.press("/");
    for _ in 0..4 {
        session.press("backspace");
    }
    session.press("enter");
    assert_eq!((rows(&session).len(), session.app.found.clone()), (6, None));
    session.press("esc");
    assert!(session.toast().starts_with("no filter is set"), "{}", session.toast());
}

#[test]
fn counting_is_shown_and_done_anew_only_when_something_changed() {
    let mut session = evens();
    ask(&mut session, "dose");
    let shown = |session: &Session| session.app.found.as_ref().unwrap().shown(session.app.counts.open);
    assert_eq!(shown(&session), "finding…");
    session.find();
    assert_eq!(shown(&session), "counting…");
    let run = count(&mut session).unwrap();
    session.send(Message::FoundCounted { run: run - 1, result: Ok(99) });
    assert_eq!(shown(&session), "counting…", "another count's answer");
    session.send(Message::FoundCounted { run, result: Ok(3) });
    assert_eq!(shown(&session), "3 of 6 shown");
    session.press("j g g");
    session.find();
    assert_eq!(count(&mut session), None, "the file is the same");
    ask(&mut session, " is:any");
    session.find();
    let run = count(&mut session).unwrap();
    session.send(Message::FoundCounted { run, result: Ok(7) });
    assert_eq!(shown(&session), "7 shown", "there are more than the open ones");
}

#[test]
fn news_do_not_stop_a_reading_that_takes_long() {
    let mut session = evens();
    ask(&mut session, "dose");
    let readings = |session: &Session| {
        session.asked.iter().filter(|effect| matches!(effect, Effect::LoadQueue { .. })).count()
    };
    for _ in 0..5 {
        session.send(Message::Looked(Ok(true)));
        session.after(400);
        session.send(Message::Tick);
    }
    assert_eq!(readings(&session), 1);
    session.find();
    session.after(400);
    session.send(Message::Tick);
    assert_eq!(readings(&session), 1, "what was put off is read then");
}

#[test]
fn moving_goes_on_and_deciding_waits_while_a_reading_takes_long() {
    let mut session = evens();
    ask(&mut session, "dose");
    session.press("j");
    assert_eq!(session.here(), Some(2));
    session.look();
    session.do_and_save("c");
    assert_eq!(session.here(), Some(2), "what is decided next is a claim of the new list");
    session.press("esc");
    assert_eq!((session.app.found.clone(), rows(&session).len()), (None, 6), "and it can be called off");
    session.after(1000);
    session.do_and_save("c");
    assert_eq!(session.here(), Some(3));
}

#[test]
fn decided_claims_leave_the_filtered_list_for_the_next_in_it() {
    let mut session = evens();
    set(&mut session, "dose");
    session.do_and_save("c");
    session.find();
    assert_eq!((session.here(), rows(&session)), (Some(4), vec![4, 6]));
}

#[test]
fn an_empty_result_says_so_and_new_ones_come_by_themselves() {
    let mut session = evens();
    session.fit.clear();
    set(&mut session, "nowhere");
    assert_eq!(session.app.queue.state, QueueState::Empty(EmptyReason::NothingFits));
    assert_eq!(session.here(), None);
    session.rows.push(row(7));
    session.fit.push(7);
    session.send(Message::Looked(Ok(true)));
    session.find();
    assert_eq!((session.here(), rows(&session)), (Some(7), vec![7]));
    session.fit.clear();
    set(&mut session, " again");
    session.press("esc");
    assert_eq!((session.here(), rows(&session).len()), (Some(1), 7));
}

#[test]
fn news_outside_the_filter_is_counted_apart() {
    let mut session = evens();
    set(&mut session, "dose");
    session.press("j");
    (session.above, session.outside) = ((2, 0), 2);
    session.send(Message::Looked(Ok(true)));
    session.find();
    assert_eq!((session.app.news.critical, session.app.news.outside), (2, 2));
    session.press("esc");
    assert_eq!((session.app.news.critical, session.app.news.outside), (2, 0));
    assert_eq!(session.app.claim.as_ref().map(|claim| claim.key), Some(ClaimKey(4)));
}

#[test]
fn what_stands_in_the_line_is_replaced_by_typing_and_kept_by_an_arrow() {
    for (key, text) in [("\\", "words"), ("/", "words")] {
        let mut session = evens();
        set(&mut session, "words");
        session.press(key);
        assert!(line(&session).text.is_selecting(), "{key}");
        session.type_text("n");
        assert_eq!(line(&session).content(), "n", "{key}");
        for keep in ["left", "right", "home", "end"] {
            session.press("esc");
            session.press(key);
            session.press(keep);
            session.type_text("x");
            let kept = line(&session).content();
            assert_eq!(kept.replace('x', "").trim(), text, "{key} {keep}");
            assert!(kept.contains('x'), "{key} {keep}");
        }
        // Applied as it stands, it is the same.
        session.press("esc");
        session.press(key);
        session.press("enter");
        assert_eq!(session.app.found.as_ref().map(|found| found.filter.to_string()).as_deref(), Some(text));
    }
    let mut session = evens();
    session.press("\\");
    assert!(!line(&session).text.is_selecting(), "there is nothing to replace");
}

#[test]
fn a_search_that_finds_nothing_says_what_an_id_or_decided_claims_would_have_found() {
    let mut session = Session::with(6);
    session.press("/");
    session.type_text("chart-10");
    session.press("enter");
    session.find();
    let beside = session.take().into_iter().find_map(|effect| match effect {
        Effect::CountBeside { run, by_id, anywhere } => Some((run, by_id.to_string(), anywhere.to_string())),
        _ => None,
    });
    let (run, by_id, anywhere) = beside.expect("it is asked");
    assert_eq!((by_id.as_str(), anywhere.as_str()), ("id:chart-10* is:any", "chart-10 is:any"));
    let shown = |session: &Session| super::decide::shown(session);
    assert!(!shown(&session).contains("with this id"));
    session.send(Message::BesideCounted { run: run - 1, result: Ok((9, 9)) });
    session.send(Message::BesideCounted { run, result: Ok((3, 1)) });
    let text = shown(&session);
    assert!(
        text.contains("3 claims of an answer with this id: \\ id:chart-10* is:any finds them."),
        "{text}"
    );
    assert!(text.contains("1 claim that fits is not open"), "{text}");
    // Where something fits, and where nothing was searched for, nothing is asked.
    let mut session = evens();
    set(&mut session, "words");
    assert!(!session.take().iter().any(|effect| matches!(effect, Effect::CountBeside { .. })));
    let mut session = Session::with(6);
    set(&mut session, "severity:low");
    assert!(!session.take().iter().any(|effect| matches!(effect, Effect::CountBeside { .. })));
}

#[test]
fn a_filter_that_takes_the_cursor_elsewhere_reads_no_news() {
    for fits in [vec![4, 6], Vec::new()] {
        let mut session = Session::with(6);
        session.below = (13, 2);
        session.send(Message::Looked(Ok(true)));
        let since = session.app.news.since_below;
        session.fit.clone_from(&fits);
        session.press("\\");
        session.type_text("x");
        session.press("enter");
        session.find();
        let news = session.app.news;
        assert_eq!(news.critical + news.critical_below, 13, "{fits:?}");
        assert_eq!((news.since.0, news.since_below.0), (since.0, since.0), "{fits:?}");
    }
}

#[test]
fn an_id_that_is_searched_for_as_a_filter_names_it_is_found_as_an_id() {
    let mut session = Session::with(3);
    session.press("/");
    session.type_text("id:chart-10");
    session.press("enter");
    session.find();
    let beside = session.take().into_iter().find_map(|effect| match effect {
        Effect::CountBeside { by_id, .. } => Some(by_id.to_string()),
        _ => None,
    });
    assert_eq!(beside.as_deref(), Some("id:chart-10* is:any"));
}

#[test]
fn a_filters_word_that_is_searched_for_is_named_as_a_filter() {
    for (typed, hint) in [("to:ana", true), ("by:ben dose", true), ("dose", false), ("id:rx-1", false)] {
        let mut session = Session::with(3);
        session.press("/");
        session.type_text(typed);
        session.press("enter");
        session.find();
        let text = super::decide::shown(&session);
        assert_eq!(text.contains(&format!("As a filter: \\ {typed}")), hint, "{text}");
    }
}

#[test]
fn a_search_goes_to_the_first_claim_that_says_it_itself() {
    for (typed, at) in [("Written consent", 4), ("\"written consent\"", 4), ("answer only", 2)] {
        let mut session = evens();
        session.rows[3].claim_text = "She gave WRITTEN consent.".into();
        session.press("/");
        session.type_text(typed);
        session.press("enter");
        session.find();
        session.look();
        assert_eq!(rows(&session), [2, 4, 6]);
        assert_eq!(session.here(), Some(at), "{typed}");
    }
}
