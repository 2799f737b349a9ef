//! Evidence is chosen by keys, marked, and recorded with the ruling.

use std::sync::Arc;

use super::session::{Session, event};
use crate::domain::decision::{HumanVerdict, Request, Ruling};
use crate::domain::evidence::ChosenSpan;
use crate::domain::ids::ClaimKey;
use crate::domain::verdict::Role;
use crate::tui::app::{Detail, Mode};
use crate::tui::spans::SpanEditor;

fn editor(session: &Session) -> &SpanEditor {
    match &session.app.mode {
        Mode::Spans(editor) => editor,
        other => panic!("evidence is chosen, not {other:?}"),
    }
}

fn under_cursor(session: &Session) -> &str {
    let editor = editor(session);
    &editor.text()[editor.selection()]
}

fn marked(session: &Session) -> Vec<(&str, Role)> {
    let editor = editor(session);
    let words = |span: &crate::tui::spans::Marked| {
        &editor.detail.record.passages[span.passage].content[span.range.clone()]
    };
    editor.spans.iter().map(|span| (words(span), span.role)).collect()
}

/// One claim whose passages have other words than usual.
fn reading(contents: &[&str]) -> Session {
    let mut session = Session::before_start(vec![super::session::row(1)]);
    session.passages = contents.len();
    session.send(crate::tui::message::Message::Started { open: None });
    session.look();
    let claim = session.app.claim.as_mut().expect("a claim is in view");
    let Detail::Ready(detail) = &mut claim.detail else { panic!("it was read") };
    let detail = Arc::make_mut(detail);
    let record = Arc::make_mut(&mut detail.record);
    for (passage, content) in record.passages.iter_mut().zip(contents) {
        passage.content = (*content).to_owned();
    }
    claim.citations.clear();
    session.press("e");
    session
}

fn chosen(session: &mut Session) -> Vec<(i64, Ruling)> {
    let ruling = |(key, request)| match request {
        Request::Override(ruling) => (key, ruling),
        other => panic!("an override, not {other:?}"),
    };
    session.requests().into_iter().map(ruling).collect()
}

#[test]
fn it_begins_on_the_span_in_hand_with_the_judges_spans_marked() {
    let mut session = Session::with(2);
    session.press("e");
    assert_eq!(under_cursor(&session), "The");
    assert_eq!(marked(&session), [("The maximum", Role::Contradicts)]);
    session.press("enter");
    assert_eq!(session.requests(), []);
    assert_eq!(session.toast(), "nothing is changed: Esc, then c confirms the judge's verdict");
    session.press("esc");
    assert!(matches!(session.app.mode, Mode::Normal));
}

#[test]
fn r35_a_sentence_is_chosen_and_recorded_with_four_keys() {
    let mut session = Session::with(2);
    session.press("e space c enter");
    let recorded = chosen(&mut session);
    let [(1, Ruling { verdict: HumanVerdict::Contradicted, evidence: Some(found), .. })] = &recorded[..]
    else {
        panic!("one ruling with evidence: {recorded:?}")
    };
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].start, found[0].role), (0, Role::Contradicts));
    assert_eq!(found[0].quote, "The maximum dose for adults is 4 g.");
    assert!(matches!(session.app.mode, Mode::Spans(_)), "it stays until the store has answered");
    let request = Request::Override(recorded[0].1.clone());
    session.store_says_yes(1, request);
    assert!(matches!(session.app.mode, Mode::Normal));
    assert_eq!(session.here(), Some(2), "and goes on");
}

#[test]
fn several_spans_by_word_and_stretch_in_several_passages() {
    let mut session = reading(&["Take 4 g a day. Never 8 g.", "Ask a doctor first."]);
    assert_eq!(marked(&session), []);
    session.press("l L s");
    assert_eq!(marked(&session), [("4 g", Role::Supports)]);
    session.press("j v l l c");
    assert_eq!(under_cursor(&session), "Never 8 g.");
    session.press("tab j space s");
    assert_eq!(
        marked(&session),
        [("4 g", Role::Supports), ("Never 8 g.", Role::Contradicts), ("Ask a doctor first.", Role::Supports),]
    );
    session.press("n");
    assert_eq!((editor(&session).passage, under_cursor(&session)), (0, "4 g"), "round and round");
    session.press("n n N");
    assert_eq!(under_cursor(&session), "Never 8 g.");
    session.press("d");
    assert_eq!(marked(&session).len(), 2);
    session.press("d");
    assert_eq!(session.toast(), "no marked span is under the cursor");
    session.press("u");
    assert_eq!(marked(&session).len(), 3, "a removal is taken back");
    session.press("u u u");
    assert_eq!(marked(&session), []);
    session.press("u");
    assert_eq!(session.toast(), "nothing was marked or removed");
}

#[test]
fn r17_a_new_mark_takes_the_place_of_what_it_overlaps_and_that_is_taken_back() {
    let mut session = reading(&["Take 4 g a day. Never 8 g."]);
    session.press("l s L c");
    assert_eq!(marked(&session), [("4 g", Role::Contradicts)]);
    session.press("K s");
    assert_eq!(marked(&session), [("Take 4 g a day.", Role::Supports)]);
    session.press("u");
    assert_eq!(marked(&session), [("4 g", Role::Contradicts)], "what was overwritten is there again");
}

#[test]
fn r05_what_is_chosen_never_cuts_what_a_person_sees_as_one_character() {
    for (text, keys, words) in [
        ("最大4克。最小1克。", "j s", "最小1克。"),
        ("最大4克", "l L s", "大4"),
        ("او نمی‌رود، بله", "l s", "نمی‌رود"),
        ("cafe\u{301} 👩‍👩‍👧 dose", "l h s l s", "👩‍👩‍👧"),
    ] {
        let mut session = reading(&[text]);
        session.press(keys);
        assert_eq!(marked(&session).last(), Some(&(words, Role::Supports)), "{text}");
        session.press("enter");
        assert!(session.toast().contains("the opposite"), "{}", session.toast());
        session.after(300);
        session.press("enter");
        let evidence = chosen(&mut session).remove(0).1.evidence.expect("chosen");
        let last = evidence.last().expect("one");
        let by_chars: String = text.chars().skip(last.start).take(last.end - last.start).collect();
        assert_eq!((by_chars.as_str(), last.quote.as_str()), (words, words));
    }
}

#[test]
fn from_the_menu_and_back_to_it() {
    let mut session = Session::with(2);
    session.press("o 3 e");
    assert_eq!(editor(&session).menu.verdict, HumanVerdict::Unsupported);
    session.press("esc");
    assert!(matches!(&session.app.mode, Mode::Override(menu) if menu.verdict == HumanVerdict::Unsupported));
    session.press("e d 2 enter");
    let recorded = chosen(&mut session);
    assert_eq!(
        (recorded[0].1.verdict, &recorded[0].1.evidence),
        (HumanVerdict::PartiallySupported, &Some(vec![]))
    );
}

#[test]
fn another_verdict_without_another_span_keeps_the_judges_evidence() {
    let mut session = Session::with(2);
    session.press("e 3 enter");
    let recorded = chosen(&mut session);
    assert_eq!((recorded[0].1.verdict, &recorded[0].1.evidence), (HumanVerdict::Unsupported, &None));
}

#[test]
fn esc_lets_go_of_a_stretch_before_it_closes() {
    let mut session = Session::with(2);
    session.press("e v l esc");
    assert_eq!(under_cursor(&session), "maximum");
    session.press("esc");
    assert!(matches!(session.app.mode, Mode::Normal));
}

#[test]
fn what_the_store_refuses_is_still_there() {
    let mut session = Session::with(2);
    session.press("e space c enter");
    let (_, ruling) = chosen(&mut session).remove(0);
    let id = super::session::id(1);
    session.send(crate::tui::message::Message::Decided {
        claim: ClaimKey(1),
        id,
        request: Request::Override(ruling),
        result: Err("the evidence of rx-0#2 was changed".to_owned()),
    });
    assert_eq!(marked(&session).len(), 1);
    assert_eq!(session.toast(), "override of rx-0#2 not saved: the evidence of rx-0#2 was changed");
}

#[test]
fn what_somebody_chose_is_what_is_in_view_afterwards() {
    let mut session = Session::with(2);
    let ruling = Ruling {
        evidence: Some(vec![ChosenSpan {
            passage_id: crate::domain::ids::PassageId::new("p1"),
            start: 31,
            end: 34,
            quote: "4 g".to_owned(),
            role: Role::Contradicts,
        }]),
        ..Ruling::only(HumanVerdict::Contradicted)
    };
    assert_eq!(event(1, &Request::Override(ruling.clone())).seq, event(1, &Request::Confirm).seq);
    let mut decided = super::acts::decided();
    decided.ruling = ruling;
    let claim = session.app.claim.as_mut().expect("a claim is in view");
    let Detail::Ready(detail) = &mut claim.detail else { panic!("it was read") };
    let mut detail = (**detail).clone();
    detail.decisions.push((crate::domain::ids::Annotator::new("ben"), decided));
    let own = crate::domain::ids::Annotator::new("ana");
    claim.take_evidence(&detail, &own);
    assert_eq!(claim.citations.len(), 1);
    assert_eq!(claim.citations[0].span.map(crate::domain::span::Span::range), Some(31..34));
    assert_eq!(claim.chosen_by.as_ref().map(crate::domain::ids::Annotator::as_str), Some("ben"));
}

#[test]
fn a_role_is_given_to_the_whole_span_in_which_the_cursor_stands() {
    let mut session = reading(&["Take 4 g a day. Never 8 g.", "Ask."]);
    session.press("l L s h");
    session.press("l c");
    assert_eq!(marked(&session), [("4 g", Role::Contradicts)], "not a word cut out of it");
    session.press("c");
    assert_eq!(session.toast(), "marked as it is: contradicts");
    session.press("u");
    assert_eq!(marked(&session), [("4 g", Role::Supports)]);
    session.press("j j");
    assert!(session.toast().starts_with("this is the last sentence: "), "{}", session.toast());
    session.press("k k");
    assert!(session.toast().starts_with("this is the first sentence: "), "{}", session.toast());
}

#[test]
fn k_and_j_take_the_first_and_the_last_sentence_as_a_whole() {
    let mut session = reading(&["Take 4 g a day. Never 8 g."]);
    session.press("k");
    assert_eq!(under_cursor(&session), "Take 4 g a day.");
    assert_eq!(session.toast(), "");
    session.press("k");
    assert!(session.toast().starts_with("this is the first sentence"), "{}", session.toast());
    session.press("G j");
    assert_eq!(under_cursor(&session), "Never 8 g.");
    session.press("j");
    assert!(session.toast().starts_with("this is the last sentence"), "{}", session.toast());
    session.press("l");
    assert_eq!(under_cursor(&session), "g", "into the sentence, where no word is beyond it");
    session.press("k k k h");
    assert_eq!(under_cursor(&session), "Take");
}

#[test]
fn evidence_is_begun_where_the_person_has_scrolled_to() {
    let mut session = reading(&["One is here. Two is there."]);
    session.press("esc");
    let at =
        session.app.claim.as_ref().unwrap().detail().unwrap().record.passages[0].content.find("Two").unwrap();
    session.app.claim.as_mut().unwrap().evidence = crate::tui::widget::passage::Scroll::From(at);
    session.press("e");
    assert_eq!(under_cursor(&session), "Two");
}

#[test]
fn a_sentence_within_a_marked_span_is_marked_alone_and_the_rest_stays() {
    let mut session = reading(&["Stop it 5 days before surgery. Patients with a valve need bridging."]);
    session.press("j v k s");
    assert_eq!(
        marked(&session),
        [("Stop it 5 days before surgery. Patients with a valve need bridging.", Role::Supports)]
    );
    session.press("G j c");
    assert_eq!(
        marked(&session),
        [
            ("Stop it 5 days before surgery.", Role::Supports),
            ("Patients with a valve need bridging.", Role::Contradicts)
        ]
    );
    assert_eq!(session.toast(), "", "only what was selected");
    session.press("g g c");
    assert_eq!(marked(&session)[0].1, Role::Contradicts);
    assert_eq!(session.toast(), "all of it contradicts now: j or v first takes a part");
}

#[test]
fn where_the_cursor_was_never_moved_the_sentence_is_marked_and_not_its_first_word() {
    let mut session = reading(&["Reduce the dose. Never 8 g.", "Ask a doctor first. Then rest."]);
    session.press("c");
    assert_eq!(marked(&session), [("Reduce the dose.", Role::Contradicts)]);
    session.press("tab c");
    assert_eq!(marked(&session)[1], ("Ask a doctor first.", Role::Contradicts), "in each passage");
    let mut session = reading(&["Reduce the dose. Never 8 g."]);
    session.press("l h s");
    assert_eq!(marked(&session), [("Reduce", Role::Supports)], "whoever moves it means the word");
}

#[test]
fn what_contradicts_is_asked_about_before_it_is_recorded_as_unsupported() {
    let mut session = reading(&["Take 4 g a day. Never 8 g."]);
    session.press("c 3 enter");
    assert_eq!(chosen(&mut session), []);
    assert_eq!(
        session.toast(),
        "what you marked contradicts the claim: Enter again records UNSUPPORTED, 4 CONTRADICTED"
    );
    session.look();
    session.press("4 enter");
    assert_eq!(chosen(&mut session)[0].1.verdict, HumanVerdict::Contradicted);
}

#[test]
fn what_stands_as_ones_own_is_not_called_the_judges() {
    let mut own = super::session::row(11);
    own.decided = Some(super::acts::decided());
    let mut session = Session::of(vec![own]);
    session.press("e enter");
    assert_eq!(session.requests(), []);
    assert_eq!(session.toast(), "nothing is changed: your CONTRADICTED stands");
}

#[test]
fn a_span_that_contradicts_is_asked_about_beside_one_that_supports() {
    let mut session = reading(&["Take 4 g a day. Never 8 g."]);
    session.press("s j c 1 enter");
    assert_eq!(chosen(&mut session), []);
    assert!(session.toast().contains("one of your spans says the opposite"), "{}", session.toast());
    session.look();
    session.press("enter");
    assert_eq!(chosen(&mut session).len(), 1);
    // What contradicts may stand beside what supports where the verdict is between.
    for (keys, verdict) in
        [("s j c 2 enter", HumanVerdict::PartiallySupported), ("s j c 4 enter", HumanVerdict::Contradicted)]
    {
        let mut session = reading(&["Take 4 g a day. Never 8 g."]);
        session.press(keys);
        assert_eq!(chosen(&mut session).first().map(|(_, ruling)| ruling.verdict), Some(verdict));
    }
    let mut session = reading(&["Take 4 g a day. Never 8 g."]);
    session.press("s 4 enter");
    assert_eq!(chosen(&mut session), [], "a lone one that supports is asked about too");
}

#[test]
fn a_released_answer_says_so_before_a_span_is_chosen_and_a_blocked_one_lets_everything_be_corrected() {
    use crate::domain::decision::Disposition;
    let given = |disposition| {
        let mut session = reading(&["The maximum dose is 4 g."]);
        session.press("esc");
        let claim = session.app.claim.as_mut().expect("a claim is in view");
        let Detail::Ready(detail) = &mut claim.detail else { panic!("it was read") };
        Arc::make_mut(detail).disposition = Some(crate::domain::queue::Given {
            annotator: crate::domain::ids::Annotator::new("ben"),
            disposition,
            at: super::session::START,
            note: None,
            reason: None,
        });
        session
    };
    for key in ["e", "o", "c", "1", "4", "."] {
        let mut session = given(Disposition::Release);
        session.press(key);
        assert!(matches!(session.app.mode, Mode::Normal), "{key}");
        assert_eq!(session.toast(), "rx-0 has ben's RELEASE: d t gives it RETURN first", "{key}");
    }
    let mut session = given(Disposition::Block);
    session.press("e");
    assert_eq!(under_cursor(&session), "The");
}
