use super::session::Session;
use crate::domain::decision::Request;
use crate::tui::app::{Detail, Mode};
use crate::tui::effect::Effect;
use crate::tui::marks::Together;

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
const BOXES: [&str; 10] = [
    "B",
    "B n o t e",
    "o 1",
    "e 5",
    "E d o s e",
    "D 2 h",
    "space space A c",
    "space space A 4",
    "space space A b",
    "|",
];

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
