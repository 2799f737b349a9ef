use super::session::{Session, detail, event, id};
use crate::domain::blind::{Blind, Sight};
use crate::domain::decision::{HumanVerdict, Request, Ruling};
use crate::domain::finding::Outcome;
use crate::domain::ids::ClaimKey;
use crate::domain::queue::ClaimDetail;
use crate::domain::severity::Stakes;
use crate::domain::verdict::NoVerdict;
use crate::tui::app::Mode;
use crate::tui::effect::Effect;
use crate::tui::message::Message;

/// The claim 1 as a blind review reads it before the person has committed.
pub(super) fn hidden() -> ClaimDetail {
    ClaimDetail {
        sight: Sight::Hidden,
        outcome: Outcome::NotJudged { state: NoVerdict::NotChecked, reason: String::new() },
        ..detail(1, 1)
    }
}

/// The same after they committed.
pub(super) fn revealed(verdict: HumanVerdict) -> ClaimDetail {
    let mut detail = detail(1, 1);
    detail.sight = Sight::Revealed;
    let ruling = Ruling::only(verdict);
    detail.standing.blind =
        Some(Blind { ruling, seq: 1, at: super::session::START, independent: true, fills: true });
    detail
}

/// A blind review of three claims, with `detail` in hand and in view for long enough.
pub(super) fn blind(detail: ClaimDetail) -> Session {
    let mut session = Session::with(3);
    session.app.settings.blind = Some(2);
    comes(&mut session, detail);
    session.look();
    session.take();
    session
}

pub(super) fn comes(session: &mut Session, detail: ClaimDetail) {
    let run = session.app.claim.as_ref().expect("a claim is in hand").asked;
    session.send(Message::Detail { run, result: Ok((Box::new(detail), Stakes::default())) });
}

pub(super) fn asked(session: &mut Session) -> Vec<Request> {
    let effects = session.take().into_iter();
    effects
        .filter_map(|effect| match effect {
            Effect::Decide { request, .. } => Some(request),
            _ => None,
        })
        .collect()
}

#[test]
fn a_verdict_on_what_is_hidden_commits_it_and_names_no_severity() {
    let mut session = blind(hidden());
    session.press("4");
    let ruling = Ruling::only(HumanVerdict::Contradicted);
    assert_eq!(asked(&mut session), [Request::Blind { ruling, overlap: 2 }]);
}

#[test]
fn confirm_is_off_and_says_why() {
    let mut session = blind(hidden());
    session.press("c");
    assert_eq!(asked(&mut session), []);
    assert!(session.toast().contains("the judge is hidden until you have committed"), "{}", session.toast());
}

#[test]
fn what_could_tell_of_the_judge_or_of_others_is_off() {
    for keys in ["\\", "/", "*", "g c", "x", "h", "W", "=", ">", "<", "S", ".", "space", "V", "A", "d", "w"] {
        let mut session = blind(hidden());
        session.press(keys);
        assert!(session.toast().contains("blind"), "{keys}: {}", session.toast());
        assert!(matches!(session.app.mode, Mode::Normal), "{keys}");
        assert_eq!(session.take(), [], "{keys}");
    }
}

#[test]
fn after_the_commitment_the_claim_stays_and_has_to_be_looked_at_anew() {
    let mut session = blind(hidden());
    session.press("3");
    let request = asked(&mut session).remove(0);
    session.rows[0].sight = Sight::Revealed;
    session.send(Message::Decided {
        claim: ClaimKey(1),
        id: id(1),
        result: Ok(Box::new(event(1, &request))),
        request,
    });
    assert_eq!(session.app.claim.as_ref().map(|claim| claim.key), Some(ClaimKey(1)));
    assert!(
        session.toast().contains("committed UNSUPPORTED: v keeps it, 1 to 5, 0 change it"),
        "{}",
        session.toast()
    );
    comes(&mut session, revealed(HumanVerdict::Unsupported));
    session.drawn();
    session.take();
    session.press("v");
    assert_eq!(asked(&mut session), [], "nobody can have read it yet");
    session.after(400);
    session.press("v");
    session.lets_go();
    let kept = asked(&mut session);
    assert!(
        matches!(&kept[..], [Request::Override(ruling)] if ruling.verdict == HumanVerdict::Unsupported),
        "{kept:?}"
    );
}

#[test]
fn the_same_key_again_keeps_and_another_changes() {
    let mut session = blind(revealed(HumanVerdict::Unsupported));
    session.press("3");
    let kept = asked(&mut session);
    assert!(
        matches!(&kept[..], [Request::Override(ruling)] if ruling.verdict == HumanVerdict::Unsupported),
        "{kept:?}"
    );
    let mut session = blind(revealed(HumanVerdict::Unsupported));
    session.press("4");
    assert_eq!(asked(&mut session), [Request::Confirm], "over to the judge");
    let mut session = blind(revealed(HumanVerdict::Contradicted));
    session.press("v");
    assert_eq!(asked(&mut session), [Request::Confirm], "kept, and the judge says the same");
}

#[test]
fn there_is_nothing_to_keep_before_and_in_an_open_review() {
    for mut session in [blind(hidden()), Session::with(1)] {
        session.press("v");
        assert_eq!(asked(&mut session), []);
        assert!(session.toast().contains("no blind verdict here to keep"), "{}", session.toast());
    }
}

#[test]
fn a_kept_verdict_goes_on_without_a_word_about_the_answer() {
    let mut session = blind(revealed(HumanVerdict::Contradicted));
    session.press("v");
    let request = asked(&mut session).remove(0);
    session.rows.remove(0);
    session.send(Message::Decided {
        claim: ClaimKey(1),
        id: id(1),
        result: Ok(Box::new(event(1, &request))),
        request,
    });
    assert_eq!(session.app.claim.as_ref().map(|claim| claim.key), Some(ClaimKey(2)));
    assert!(session.app.to_dispose.is_none() && session.app.left.is_none());
}

#[test]
fn no_views_are_read_in_a_blind_review() {
    let mut session = Session::before_start(vec![super::session::row(1)]);
    session.app.settings.blind = Some(2);
    let effects = crate::tui::update::update(&mut session.app, Message::Started { open: None }, session.now);
    assert!(!effects.contains(&Effect::LoadViews), "{effects:?}");
}

/// The person commits `request` on claim 1, and the judge is shown.
pub(super) fn commits(session: &mut Session, request: Request) {
    session.rows[0].sight = Sight::Revealed;
    session.send(Message::Decided {
        claim: ClaimKey(1),
        id: id(1),
        result: Ok(Box::new(event(1, &request))),
        request,
    });
}

#[test]
fn nothing_is_committed_before_a_verdict_is_chosen() {
    for keys in ["e c enter", "o enter"] {
        let mut session = blind(hidden());
        session.press(keys);
        assert_eq!(asked(&mut session), [], "{keys}");
        assert!(
            session.toast().contains("no verdict is chosen yet: first 1 to 5 or 0"),
            "{}",
            session.toast()
        );
        session.press("4 enter");
        let asked = asked(&mut session);
        assert!(
            matches!(&asked[..], [Request::Blind { ruling, .. }] if ruling.verdict == HumanVerdict::Contradicted),
            "{keys}: {asked:?}"
        );
    }
    let mut session = blind(hidden());
    session.press("o down enter");
    assert!(matches!(&asked(&mut session)[..], [Request::Blind { ruling, .. }]
        if ruling.verdict == HumanVerdict::FullySupported));
}

#[test]
fn spans_chosen_blind_stay_when_the_verdict_is_changed() {
    let mut session = blind(hidden());
    session.press("e s 3 enter");
    let request = asked(&mut session).remove(0);
    let Request::Blind { ruling, .. } = &request else { panic!("{request:?}") };
    let ruling = ruling.clone();
    assert_eq!(ruling.evidence.as_ref().map(Vec::len), Some(1), "{ruling:?}");
    commits(&mut session, request);
    let mut shown = revealed(HumanVerdict::Unsupported);
    if let Some(said) = &mut shown.standing.blind {
        said.ruling = ruling.clone();
    }
    comes(&mut session, shown);
    session.look();
    session.take();
    session.press("2");
    let changed = asked(&mut session).remove(0);
    assert!(
        matches!(&changed, Request::Override(changed) if changed.verdict == HumanVerdict::PartiallySupported
            && changed.evidence == ruling.evidence),
        "{changed:?}"
    );
    commits(&mut session, changed);
    assert!(session.toast().contains("changed; your span stays its evidence"), "{}", session.toast());
}

#[test]
fn what_was_begun_is_not_back_after_it_was_committed() {
    let mut session = blind(hidden());
    session.press("e s 3 enter");
    let request = asked(&mut session).remove(0);
    commits(&mut session, request);
    comes(&mut session, revealed(HumanVerdict::Unsupported));
    session.look();
    session.press("e");
    assert!(!session.toast().contains("begun"), "{}", session.toast());
}

#[test]
fn a_verdict_on_words_that_say_the_opposite_is_told_before_it_is_recorded() {
    for keys in ["e s 4 enter", "e c 1 enter"] {
        let mut session = blind(hidden());
        session.press(keys);
        assert_eq!(asked(&mut session), [], "{keys}: told before it is recorded");
        assert_eq!(session.toast(), "your span says the opposite: Enter again records it");
        session.strike("enter");
        assert_eq!(asked(&mut session), [], "a held key has not read it");
        session.press("enter");
        assert_eq!(asked(&mut session).len(), 1, "{keys}");
    }
    // A change after the reveal carries the span along.
    let mut shown = revealed(HumanVerdict::Contradicted);
    let passage = &shown.record.passages[0];
    let span = crate::domain::span::Span::new(&passage.content, 0..3).unwrap();
    let span =
        crate::domain::evidence::ChosenSpan::new(passage, span, crate::domain::verdict::Role::Contradicts);
    if let Some(said) = &mut shown.standing.blind {
        said.ruling.evidence = Some(vec![span.unwrap()]);
    }
    let mut session = blind(shown);
    session.press("1");
    assert_eq!(asked(&mut session), []);
    assert_eq!(session.toast(), "your span says the opposite: 1 again records it, e changes that");
    session.drawn();
    session.after(1500);
    session.press("1");
    assert_eq!(asked(&mut session).len(), 1);
}

#[test]
fn a_dropped_keep_does_not_let_the_verdict_for_the_next_claim_fall_on_this_one() {
    for again in ["1", "v"] {
        let mut session = blind(hidden());
        session.press("1");
        let request = asked(&mut session).remove(0);
        if again == "1" {
            session.after(20);
            session.press(again);
            assert_eq!(asked(&mut session), [], "what was committed is still being saved");
        }
        commits(&mut session, request);
        comes(&mut session, revealed(HumanVerdict::FullySupported));
        session.drawn();
        session.after(150);
        session.press(again);
        assert_eq!(asked(&mut session), [], "nobody can have read it yet");
        session.after(900);
        session.press("4");
        assert_eq!(asked(&mut session), [], "it was for the next claim");
        assert_eq!(session.toast(), "rx-0#2 is not kept yet: v keeps it, 4 again changes it");
        session.after(900);
        let mut changing = session;
        changing.press("4");
        changing.lets_go();
        assert_eq!(asked(&mut changing).len(), 1, "said again, it is for this one");
    }
    let mut session = blind(revealed(HumanVerdict::FullySupported));
    session.comes_into_view();
    session.press("v");
    session.after(900);
    session.press("1");
    session.lets_go();
    assert_eq!(asked(&mut session).len(), 1, "another key that keeps it as well");
}

#[test]
fn evidence_is_begun_at_once_and_recorded_once_the_claim_was_in_view() {
    let mut session = blind(hidden());
    session.comes_into_view();
    session.after(130);
    session.strike("e j s 1 enter");
    assert!(matches!(session.app.mode, Mode::Spans(_)), "none of it skipped or ruled");
    assert_eq!(asked(&mut session), []);
    assert_eq!(session.toast(), "too fast: Enter was dropped, what it records was not yet visible");
    session.press("enter");
    assert_eq!(asked(&mut session).len(), 1);
    // While the claim is still being read, what was meant for the editor is no command either.
    let mut session = blind(hidden());
    session.app.claim.as_mut().unwrap().detail = crate::tui::app::Detail::Loading;
    session.press("e");
    for key in ["j", "s", "1", "enter"] {
        session.after(500);
        session.press(key);
    }
    assert_eq!(session.take(), []);
    assert_eq!(session.here(), Some(1));
}

#[test]
fn what_is_put_off_is_shown_by_the_key_that_puts_off() {
    let mut session = Session::before_start(Vec::new());
    session.app.settings.blind = Some(2);
    session.counts = crate::domain::queue::QueueCounts {
        routed: 1,
        open: 1,
        deferred: 1,
        audited: 1,
        back_at: Some(super::session::START),
        ..Default::default()
    };
    session.send(Message::Started { open: None });
    session.look();
    session.take();
    session.press("D");
    assert_eq!(session.take(), [Effect::FindDeferred]);
}

#[test]
fn a_reason_and_a_skip_wait_for_the_last_word() {
    let mut session = blind(revealed(HumanVerdict::Unsupported));
    session.press("r a");
    assert!(matches!(session.app.mode, Mode::Normal), "the letter opens no note");
    assert!(session.toast().contains("v keeps your verdict, then give it"), "{}", session.toast());
    assert!(session.toast().ends_with("what followed was not run"), "{}", session.toast());
    session.press("s");
    assert_eq!(asked(&mut session), []);
    assert!(session.toast().contains("keep or change your verdict now"), "{}", session.toast());
}

#[test]
fn a_word_typed_for_a_line_that_is_refused_runs_nothing() {
    let mut session = blind(hidden());
    session.press("/ 4 c a enter");
    assert_eq!(session.take(), []);
    assert!(matches!(session.app.mode, Mode::Normal));
    session.press("4");
    assert_eq!(asked(&mut session).len(), 1, "the line is at its end");
    // Who types slowly is no reviewer who goes on.
    let mut session = blind(hidden());
    session.press("\\");
    for key in ["4", "1", "D", "2"] {
        session.after(1600);
        session.press(key);
        assert_eq!(session.take(), [], "{key}");
    }
    assert!(session.toast().ends_with("what followed was not run"), "{}", session.toast());
    let mut session = blind(hidden());
    session.press("/");
    session.after(2100);
    session.press("4");
    assert_eq!(asked(&mut session).len(), 1, "who has read it goes on");
}

#[test]
fn taking_the_last_word_back_says_that_the_blind_one_stands() {
    let mut session = blind(revealed(HumanVerdict::Contradicted));
    let undone = crate::store::Undone {
        event: event(1, &Request::Confirm),
        claim: Some(ClaimKey(1)),
        standing: None,
        disposition: None,
        others: 0,
        claims: Vec::new(),
        kept: Vec::new(),
    };
    session.send(Message::Undone(Ok(Box::new(undone))));
    assert!(session.toast().contains("your blind verdict stands: v keeps it"), "{}", session.toast());
}

#[test]
fn r39_a_note_opened_while_the_verdict_is_being_saved_stays_open() {
    let mut session = blind(hidden());
    session.press("2 a");
    let request = asked(&mut session).remove(0);
    session.type_text("very ");
    commits(&mut session, request);
    session.after(400);
    session.type_text("vague 4 c");
    let Mode::Note(note) = &session.app.mode else { panic!("{:?}", session.app.mode) };
    assert_eq!(note.content(), "very vague 4 c", "nothing of it was a command");
    assert_eq!(asked(&mut session), []);
}

#[test]
fn a_note_names_what_was_shown_when_it_was_begun() {
    let unseen = || ClaimDetail {
        seen: crate::domain::event::Seen { verdict_sha256: None, ..detail(1, 1).seen },
        ..hidden()
    };
    let mut session = blind(unseen());
    // The skip is on its way; the note is begun; then the cursor goes on.
    session.press("s a");
    let skip = asked(&mut session).remove(0);
    session.store_says_yes(1, skip);
    assert_ne!(session.here(), Some(1));
    session.type_text("odd");
    session.take();
    session.press("ctrl-s");
    let effects = session.take();
    assert!(
        matches!(&effects[..], [Effect::Decide { claim: ClaimKey(1), seen: Some(seen), .. }]
            if seen.verdict_sha256.is_none()),
        "{effects:?}"
    );
}

#[test]
fn evidence_is_chosen_anew_from_ones_own_spans_and_not_from_the_judges() {
    let mut shown = revealed(HumanVerdict::Contradicted);
    let passage = &shown.record.passages[0];
    let span = crate::domain::span::Span::new(&passage.content, 4..7).unwrap();
    let own =
        crate::domain::evidence::ChosenSpan::new(passage, span, crate::domain::verdict::Role::Contradicts);
    let own = own.unwrap();
    if let Some(said) = &mut shown.standing.blind {
        said.ruling.evidence = Some(vec![own.clone()]);
    }
    let mut session = blind(shown);
    session.press("e");
    let crate::tui::app::Mode::Spans(editor) = &session.app.mode else { panic!("evidence is chosen") };
    assert_eq!(editor.chosen(), [own]);
}
