//! No box records before what it says could be read, whatever of it is new and however the key came.

use std::time::Duration;

use super::session::{Session, audit_id};
use crate::domain::decision::{Disposition, Request};
use crate::domain::ids::{Annotator, ClaimKey, RecordKey};
use crate::domain::queue::Given;
use crate::tui::app::{Detail, Mode};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;
use crate::tui::marks::Together;
use crate::tui::message::Message;

/// What was asked to be recorded.
fn recorded(session: &mut Session) -> Vec<Effect> {
    let mut asked = session.take();
    asked.retain(|effect| {
        matches!(
            effect,
            Effect::Decide { .. } | Effect::DecideMany { .. } | Effect::Dispose { .. } | Effect::Shape { .. }
        )
    });
    asked
}

/// The keys that open each box and choose in it what `enter` records.
const BOXES: [&str; 9] =
    ["B", "B n o t e", "o 1", "e 5", "E d o s e", "D 2 h", "space space A c", "space space A 4", "|"];

#[test]
fn no_box_records_before_it_was_in_view_for_a_moment() {
    for keys in BOXES {
        let mut session = Session::with(4);
        session.strike(keys);
        assert!(!matches!(session.app.mode, Mode::Normal), "{keys} opens a box: {}", session.toast());
        session.strike("enter");
        assert_eq!(recorded(&mut session), [], "{keys}: it was not drawn");
        session.drawn();
        session.after(249);
        session.strike("enter");
        assert_eq!(recorded(&mut session), [], "{keys}: nobody has read it");
        assert!(session.toast().contains("too fast"), "{keys}: {}", session.toast());
        session.drawn();
        session.after(1);
        session.strike("enter");
        assert_eq!(recorded(&mut session).len(), 1, "{keys}: {}", session.toast());
    }
}

#[test]
fn a_box_that_comes_after_another_has_to_be_seen_itself() {
    let mut session = Session::with(4);
    session.strike("o 1");
    session.look();
    session.strike("esc B enter");
    assert_eq!(recorded(&mut session), []);
    session.look();
    session.strike("enter");
    assert!(matches!(recorded(&mut session).as_slice(), [Effect::Dispose { .. }]));
    let mut session = Session::with(4);
    session.strike("space space A");
    session.look();
    session.strike("c enter");
    assert_eq!(recorded(&mut session), []);
    session.look();
    session.strike("enter");
    let asked = recorded(&mut session);
    assert!(
        matches!(asked.as_slice(), [Effect::DecideMany { together: Together::Confirm, .. }]),
        "{asked:?}"
    );
}

#[test]
fn what_was_typed_stays_when_the_key_behind_it_was_dropped() {
    let mut session = Session::with(2);
    session.strike("B w r o n g enter");
    let Mode::Disposition(dialog) = &session.app.mode else { panic!("the box is open") };
    assert_eq!(dialog.remark.as_ref().map(crate::tui::app::Remark::content), Some("wrong".to_owned()));
    session.look();
    session.strike("enter");
    let notes: Vec<_> = recorded(&mut session)
        .into_iter()
        .map(|effect| match effect {
            Effect::Dispose { note, .. } => note,
            _ => None,
        })
        .collect();
    assert_eq!(notes, [Some("wrong".to_owned())]);
}

#[test]
fn a_note_on_a_claim_that_is_being_read_is_told_to_wait_and_what_was_saved_is_said() {
    let mut session = Session::with(3);
    session.press("c");
    assert_eq!(session.requests(), [(1, Request::Confirm)]);
    session.store_says_yes(1, Request::Confirm);
    session.app.claim.as_mut().expect("a claim is in hand").detail = Detail::Loading;
    session.strike("a");
    assert!(matches!(session.app.mode, Mode::Normal));
    assert_eq!(session.toast(), "rx-0#2 is saved · not yet: the next claim is being read");
}

#[test]
fn a_key_records_only_where_it_has_a_meaning_and_some_key_records_in_every_box() {
    let mut places: Vec<Place> = Vec::new();
    for command in Command::ALL {
        let row = command.row();
        for place in row.records {
            let live = if row.places == [Place::Score] { Place::Review } else { *place };
            assert!(row.places.contains(place) || live == Place::Review, "{} in {}", row.name, place.name());
            places.push(*place);
        }
    }
    for place in [
        Place::Review,
        Place::OverrideMenu,
        Place::Spans,
        Place::NewClaim,
        Place::Split,
        Place::Merge,
        Place::Words,
        Place::Note,
        Place::Ask,
        Place::Many,
        Place::Disposition,
    ] {
        assert!(places.contains(&place), "{}", place.name());
    }
}

#[test]
fn time_in_which_nobody_listened_or_looked_is_no_time_to_read_a_box() {
    for keys in BOXES {
        let drawn = || {
            let mut session = Session::with(4);
            session.strike(keys);
            session.drawn();
            session.after(300);
            session
        };
        let mut session = drawn();
        session.send(Message::Stalled(Duration::from_millis(240)));
        session.strike("enter");
        assert_eq!(recorded(&mut session), [], "{keys}: struck 240 ms ago");
        session.after(190);
        session.strike("enter");
        assert_eq!(recorded(&mut session).len(), 1, "{keys}: {}", session.toast());
        // In the shell, and on a screen too small to show it, nobody saw it.
        let mut session = drawn();
        session.send(Message::Resumed);
        session.strike("enter");
        assert_eq!(recorded(&mut session), [], "{keys}: back from the shell");
        let mut session = drawn();
        session.app.geometry.too_small = true;
        session.drawn();
        session.app.geometry.too_small = false;
        session.drawn();
        session.strike("enter");
        assert_eq!(recorded(&mut session), [], "{keys}: it was not to be seen");
        session.drawn();
        session.after(250);
        session.strike("enter");
        assert_eq!(recorded(&mut session).len(), 1, "{keys}: {}", session.toast());
    }
}

#[test]
fn the_rule_switched_off_drops_nothing() {
    for keys in BOXES {
        let mut session = Session::with(4);
        session.app.settings.min_visible = Duration::ZERO;
        session.strike(keys);
        session.strike("enter");
        assert_eq!(recorded(&mut session).len(), 1, "{keys}: {}", session.toast());
    }
}

#[test]
fn letters_do_not_begin_the_time_anew() {
    for keys in ["B", "E", "a", "| t"] {
        let mut session = Session::with(4);
        session.strike(keys);
        session.look();
        for letter in ["d", "o", "s", "e"] {
            session.strike(letter);
            session.drawn();
            session.after(20);
        }
        session.strike(if keys == "a" { "ctrl-s" } else { "enter" });
        assert_eq!(recorded(&mut session).len(), 1, "{keys}: {}", session.toast());
    }
}

/// The block of `ben`, which came while the box was open.
fn given(session: &Session) -> Given {
    Given {
        annotator: Annotator::new("ben"),
        disposition: Disposition::Block,
        at: session.now,
        note: None,
        reason: None,
    }
}

/// What is to be replaced by the dispositions that were asked for.
fn replaced(session: &mut Session) -> Vec<Option<Given>> {
    let replaces = |effect| match effect {
        Effect::Dispose { replaces, .. } => Some(replaces),
        _ => None,
    };
    recorded(session).into_iter().filter_map(replaces).collect()
}

#[test]
fn a_second_enter_gives_no_disposition_in_the_place_of_one_that_was_not_read() {
    // The store refuses, and says what stands meanwhile.
    let mut session = Session::with(2);
    session.strike("B w r o n g");
    session.look();
    session.strike("enter");
    assert_eq!(replaced(&mut session), [None]);
    session.send(Message::Disposed {
        record: RecordKey(0),
        audit_id: audit_id(1),
        disposition: Disposition::Block,
        result: Err("ben gave rx-0 BLOCK".to_owned()),
    });
    let mut detail = session.detail(ClaimKey(1));
    detail.disposition = Some(given(&session));
    session.send(Message::AnswerRead(Ok(Box::new(detail.clone()))));
    session.drawn();
    session.after(150);
    session.strike("enter");
    assert_eq!(replaced(&mut session), [], "the second of a double stroke");
    assert_eq!(session.toast(), "too fast: Enter was dropped, what it records was not yet visible");
    session.after(100);
    session.strike("enter");
    assert_eq!(replaced(&mut session), [detail.disposition]);
    // Or what stands comes late by itself.
    let mut session = Session::with(2);
    session.strike("B");
    session.look();
    let mut detail = session.detail(ClaimKey(1));
    detail.disposition = Some(given(&session));
    session.send(Message::AnswerRead(Ok(Box::new(detail))));
    session.strike("enter");
    assert_eq!(replaced(&mut session), []);
}

#[test]
fn what_is_written_for_another_claim_is_recorded_once_its_name_was_to_be_seen() {
    for (keys, end) in [("a d o s e", "ctrl-s"), ("E d o s e", "enter")] {
        let mut session = Session::with(3);
        session.do_and_save("c");
        session.look();
        session.take();
        session.strike(keys);
        session.look();
        session.strike("ctrl-t");
        session.after(10);
        session.strike(end);
        assert_eq!(session.requests(), [], "{keys}");
        assert!(session.toast().contains("too fast"), "{keys}: {}", session.toast());
        session.press(end);
        let asked: Vec<i64> = session.requests().into_iter().map(|(claim, _)| claim).collect();
        assert_eq!(asked, [1], "{keys}");
    }
}

#[test]
fn evidence_is_recorded_as_a_frame_showed_it() {
    let mut session = Session::with(2);
    session.strike("e 1");
    session.look();
    session.strike("s");
    session.after(20);
    session.strike("enter");
    assert_eq!(recorded(&mut session), []);
    assert!(session.toast().contains("too fast"), "{}", session.toast());
    session.look();
    session.strike("enter");
    assert_eq!(recorded(&mut session).len(), 1, "{}", session.toast());
}

#[test]
fn an_unmarked_paste_records_nothing_beside_a_disposition_however_slowly_it_comes() {
    let mut session = Session::with(2);
    session.send(Message::Rushed);
    for _ in 0..30 {
        for key in ["B", "o", "x", "enter"] {
            session.strike(key);
            session.drawn();
            session.after(20);
        }
    }
    assert_eq!(recorded(&mut session), []);
    assert!(session.toast().contains("all at once"), "{}", session.toast());
    session.look();
    session.strike("enter");
    assert_eq!(recorded(&mut session).len(), 1, "struck by itself it counts");
}
