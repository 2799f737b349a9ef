//! A key acts on the claim that it was meant for, or on none.

use super::session::{Session, row};
use crate::domain::decision::{ReasonCode, Request};
use crate::domain::ids::ClaimKey;
use crate::tui::app::Mode;
use crate::tui::effect::Effect;
use crate::tui::message::Message;

/// Six claims of which the even ones fit whatever is asked, and a filter that is not read yet.
fn finding() -> Session {
    let mut session = Session::with(6);
    session.fit = vec![2, 4, 6];
    session.press("/");
    session.type_text("placebo");
    session.press("enter");
    session.after(1000);
    session
}

#[test]
fn while_a_filter_is_being_read_no_key_acts_on_the_claim_before() {
    for key in [
        "3", "c", "s", "f", "0", ".", "space", "V", "*", "e", "+", "|", "&", "o", "a", "E", "D", "d", "w",
        "A",
    ] {
        let mut session = finding();
        session.press(key);
        let asked = session.take();
        let reads = |effect: &Effect| matches!(effect, Effect::LoadQueue { .. });
        assert!(asked.iter().all(reads), "{key}: {asked:?}");
        assert!(matches!(session.app.mode, Mode::Normal), "{key} opens nothing");
        assert!(session.app.marks.is_empty(), "{key}");
        assert!(session.toast().contains("the new list is still being read"), "{key}: {}", session.toast());
    }
}

#[test]
fn what_is_typed_behind_a_key_that_had_to_wait_runs_nothing() {
    let mut session = finding();
    session.press("|");
    session.find();
    session.press("s");
    session.after(50);
    session.press("enter");
    assert_eq!(session.requests(), [], "the split was not opened, and `s` skips nothing");
}

#[test]
fn the_first_claim_of_a_new_list_is_looked_at_before_a_key_counts_also_when_it_was_in_hand() {
    let mut session = Session::with(6);
    session.fit = vec![1, 3];
    session.press("/");
    session.type_text("placebo");
    session.press("enter");
    session.find();
    assert_eq!(session.here(), Some(1), "it fits, and stays");
    session.press("3");
    assert_eq!(session.requests(), []);
    session.look();
    session.press("3");
    assert_eq!(session.requests().len(), 1);
}

#[test]
fn a_list_that_could_not_be_read_is_cleared_before_anything_is_decided() {
    let mut session = finding();
    let run = session.app.queue.asked.expect("a reading");
    session.take();
    session.send(Message::Queue { run, result: Err("the disk is gone".to_owned()) });
    session.look();
    session.press("c");
    assert_eq!(session.requests(), []);
    assert!(session.toast().contains("could not be read, Esc"), "{}", session.toast());
    session.press("esc");
    session.look();
    session.press("c");
    assert_eq!(session.requests().len(), 1);
}

#[test]
fn while_a_claim_is_being_looked_for_no_key_acts_on_the_one_before() {
    let mut session = Session::with(3);
    session.press("g c");
    session.after(500);
    session.press("4");
    assert_eq!(session.requests(), []);
    session.send(Message::GoTo(Ok(Some(ClaimKey(3)))));
    session.look();
    session.press("4");
    assert_eq!(session.requests().iter().map(|(claim, _)| *claim).collect::<Vec<_>>(), [3]);
}

#[test]
fn a_reason_behind_a_verdict_that_was_dropped_is_not_given_to_the_claim_before() {
    let mut session = Session::with(3);
    session.do_and_save("c");
    session.drawn();
    session.after(100);
    session.press("4");
    assert!(session.toast().contains("dropped"), "{}", session.toast());
    session.after(900);
    session.press("r");
    assert!(matches!(session.app.mode, Mode::Normal), "there is no reason to ask for");
    let said = session.toast().to_owned();
    assert!(
        said.contains("press 4 again, then its reason") && said.contains("gives a reason to rx-0#2"),
        "{said}"
    );
    session.after(200);
    session.press("n");
    assert_eq!(session.requests(), []);
    session.after(1500);
    session.press("r n");
    assert_eq!(
        session.requests(),
        [(1, Request::GiveReason(ReasonCode::NumberWrong))],
        "said twice, it is meant"
    );
}

#[test]
fn a_reason_behind_a_verdict_that_was_heard_goes_to_it() {
    let mut session = Session::with(3);
    session.do_and_save("c");
    session.drawn();
    session.after(100);
    session.press("4");
    session.after(1100);
    session.do_and_save("4");
    session.press("r n");
    assert_eq!(session.requests(), [(2, Request::GiveReason(ReasonCode::NumberWrong))]);
}

#[test]
fn a_note_right_after_a_decision_shows_both_claims_and_goes_to_the_other_by_one_key() {
    let mut session = Session::with(3);
    session.do_and_save("c");
    session.look();
    session.press("a");
    session.type_text("the max is 1200 mg");
    let note = |session: &Session| match &session.app.mode {
        Mode::Note(note) => (note.claim.0, note.claim_text.clone(), note.content()),
        other => panic!("{other:?}"),
    };
    assert_eq!(note(&session), (2, "claim 2".to_owned(), "the max is 1200 mg".to_owned()));
    session.press("ctrl-t");
    assert_eq!(note(&session), (1, "claim 1".to_owned(), "the max is 1200 mg".to_owned()));
    session.press("ctrl-t");
    assert_eq!(note(&session).0, 2, "and back");
    session.press("ctrl-t ctrl-s");
    let requests = session.requests();
    assert_eq!(requests, [(1, Request::Annotate { note: "the max is 1200 mg".to_owned() })]);
}

#[test]
fn a_draft_goes_along_and_one_that_waits_there_is_not_written_over() {
    let mut session = Session::with(3);
    session.do_and_save("c");
    session.look();
    session.press("a");
    session.type_text("words");
    session.press("esc a ctrl-t");
    let drafts = |session: &mut Session| -> Vec<(i64, Option<String>)> {
        let draft = |effect| match effect {
            Effect::SaveDraft { draft, text } => Some((draft.claim.0, text)),
            _ => None,
        };
        session.take().into_iter().filter_map(draft).collect()
    };
    assert_eq!(drafts(&mut session), [(2, Some("words".to_owned())), (2, None)]);
    session.press("esc");
    assert_eq!(drafts(&mut session), [(1, Some("words".to_owned()))]);
    session.press("a");
    session.type_text("other");
    session.press("ctrl-t");
    assert!(matches!(&session.app.mode, Mode::Note(note) if note.claim.0 == 2), "it stays");
    assert!(session.toast().contains("a draft waits on rx-0#2"), "{}", session.toast());
}

#[test]
fn an_escalation_goes_to_the_claim_just_decided_by_the_same_key_and_a_flag_says_on_which_it_is() {
    let mut session = Session::with(3);
    session.do_and_save("c");
    session.look();
    session.press("E");
    session.type_text("@lee which dose");
    session.press("ctrl-t enter");
    let [(claim, Request::Escalate { to, .. })] = &session.requests()[..] else { panic!("no escalation") };
    assert_eq!((*claim, to.as_deref()), (1, Some("lee")));
    let mut session = Session::with(3);
    session.do_and_save("c");
    session.look();
    session.do_and_save("f");
    assert!(session.toast().contains("goes back to rx-0#2"), "{}", session.toast());
}

#[test]
fn after_a_move_of_ones_own_no_other_claim_is_offered() {
    let mut session = Session::of((1..=4).map(row).collect());
    session.do_and_save("c");
    session.look();
    session.press("j a ctrl-t");
    assert!(matches!(&session.app.mode, Mode::Note(note) if note.claim.0 == 3));
    assert!(session.toast().contains("no other claim was just decided"), "{}", session.toast());
}
