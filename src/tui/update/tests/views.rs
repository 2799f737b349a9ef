use super::session::Session;
use crate::domain::ids::Annotator;
use crate::domain::view::View;
use crate::tui::effect::Effect;
use crate::tui::message::Message;
use crate::tui::views::Change;

fn views(own: &[(&str, &str)]) -> Vec<View> {
    let mut views = View::shipped(&Annotator::new("ana"));
    views.extend(own.iter().map(|(name, query)| View {
        name: (*name).to_owned(),
        filter: query.parse().expect("a filter"),
        is_own: true,
    }));
    views
}

/// Three claims and the views of everybody, with two of an own name.
fn session() -> Session {
    let mut session = Session::with(3);
    session.fit = vec![1, 2];
    session.send(Message::Views(Ok(views(&[("night", "age<12h")]))));
    session
}

/// The counts that are asked for now: the number of the run, and how many.
fn counts(session: &mut Session) -> (Option<u64>, usize) {
    let asked: Vec<u64> = session
        .take()
        .into_iter()
        .filter_map(|effect| match effect {
            Effect::CountView { run, .. } => Some(run),
            _ => None,
        })
        .collect();
    (asked.first().copied(), asked.len())
}

fn filter(session: &Session) -> Option<String> {
    session.app.found.as_ref().map(|found| found.filter.to_string())
}

#[test]
fn one_key_goes_from_view_to_view_round_and_round() {
    let mut session = session();
    session.press(">");
    assert_eq!(filter(&session).as_deref(), Some("severity:critical"));
    session.press("<");
    assert_eq!(filter(&session), None, "all that is open");
    session.press("<");
    assert_eq!(filter(&session).as_deref(), Some("age<12h"), "the person's own view is the last");
    session.press(">");
    assert_eq!(filter(&session), None);
}

#[test]
fn each_view_is_counted_once_and_what_a_run_that_is_over_says_does_not_count() {
    let mut session = session();
    let (run, asked) = counts(&mut session);
    let run = run.expect("a count");
    assert_eq!(asked, 9);
    assert_eq!(session.app.views.list[1].count, None, "not known yet, and shown so");
    session.send(Message::ViewCounted { run: run - 1, at: 1, result: Ok(99) });
    assert_eq!(session.app.views.list[1].count, None);
    for at in 0..9 {
        session.send(Message::ViewCounted { run, at, result: Ok(at as u64) });
    }
    assert_eq!(session.app.views.list[8].count, Some(8));
    assert_eq!(session.app.views.counting, None);
}

#[test]
fn the_filter_in_force_gets_a_name_and_can_lose_it_again() {
    let mut session = session();
    session.press("S");
    assert!(session.toast().contains("no filter is set"), "{}", session.toast());
    session.after(1000);
    session.press(">");
    session.press("S");
    assert!(session.toast().contains("is the view Critical already"), "{}", session.toast());
    session.after(1000);
    session.press("X");
    assert!(session.toast().contains("Critical is everybody's"), "{}", session.toast());
    session.press("\\ end");
    session.type_text(" age<1d");
    session.press("enter");
    session.press("S");
    session.type_text("critical");
    session.press("enter");
    assert!(session.toast().contains("`Critical` is a view that everybody has"), "{}", session.toast());
    session.type_text(" today");
    session.press("enter");
    let filter: crate::domain::filter::Filter = "severity:critical age<1d".parse().expect("a filter");
    let change = Change::Save { name: "critical today".to_owned(), filter };
    assert!(session.take().contains(&Effect::ChangeViews(change.clone())));
    let all = views(&[("critical today", "severity:critical age<1d")]);
    session.send(Message::ViewsChanged { change, result: Ok((None, all)) });
    assert!(session.toast().contains("X removes it"), "{}", session.toast());
    session.press("X");
    let change = Change::Remove { name: "critical today".to_owned() };
    assert!(session.take().contains(&Effect::ChangeViews(change.clone())));
    session.send(Message::ViewsChanged { change, result: Ok((Some(String::new()), views(&[]))) });
    assert!(session.toast().contains("its filter stays · S saves it again"), "{}", session.toast());
    assert!(session.app.found.is_some());
}
