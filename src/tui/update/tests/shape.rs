//! Claims are added, split and merged by keys; the store is asked once, and the cursor goes to what was made.

use std::sync::Arc;

use super::session::{Session, event, id, row};
use crate::domain::decision::{Disposition, HumanVerdict, Request, Ruling};
use crate::domain::event::{Act, Event};
use crate::domain::ids::{Annotator, ClaimKey};
use crate::domain::queue::{ClaimDetail, Given, Sibling};
use crate::domain::shaping::{SetAside, Shape};
use crate::domain::span::Span;
use crate::store::{Shaped, Undone};
use crate::tui::app::{Detail, Mode};
use crate::tui::effect::Effect;
use crate::tui::message::Message;
use crate::tui::shape::ShapeEditor;

fn change(session: &mut Session, change: impl FnOnce(&mut ClaimDetail)) {
    let claim = session.app.claim.as_mut().expect("a claim is in view");
    let Detail::Ready(detail) = &mut claim.detail else { panic!("it was read") };
    change(Arc::make_mut(detail));
}

/// The answer, and claims of it by their words; the first one is in hand.
fn answer(answer: &str, claims: &[&str]) -> Session {
    let mut session = Session::with(3);
    change(&mut session, |detail| {
        Arc::make_mut(&mut detail.record).answer = answer.to_owned();
        let sibling = |(at, words): (usize, &&str)| Sibling {
            key: ClaimKey(at as i64 + 1),
            id: id(at as i64 + 1),
            claim_text: (*words).to_owned(),
            answer_span: answer.find(words).and_then(|at| Span::new(answer, at..at + words.len())),
            ..detail.siblings[0].clone()
        };
        detail.siblings = claims.iter().enumerate().map(sibling).collect();
        if let Some(first) = detail.siblings.first() {
            (detail.claim_text, detail.answer_span) = (first.claim_text.clone(), first.answer_span);
        }
    });
    session
}

fn opened(answer_text: &str, claims: &[&str], key: &str) -> Session {
    let mut session = answer(answer_text, claims);
    session.press(key);
    session.look();
    session
}

fn editor(session: &Session) -> &ShapeEditor {
    match &session.app.mode {
        Mode::Shape(editor) => editor,
        other => panic!("claims are made, not {other:?}"),
    }
}

fn asked(session: &mut Session) -> Shape {
    match &session.take()[..] {
        [Effect::Shape { shape, seen: Some(_), .. }] => shape.clone(),
        other => panic!("one shape, not {other:?}"),
    }
}

/// The same with the events of the rulings over which it is asked for.
fn asked_over(session: &mut Session) -> (Shape, Vec<i64>) {
    match &session.take()[..] {
        [Effect::Shape { shape, over, .. }] => (shape.clone(), over.clone()),
        other => panic!("one shape, not {other:?}"),
    }
}

/// The store says whose rulings on the second claim would not count any more.
fn says_whose(session: &mut Session, shape: &Shape, whose: &[(&str, i64)]) {
    let one = |(who, seq): &(&str, i64)| SetAside {
        claim: id(1),
        annotator: Annotator::new(*who),
        own: false,
        seq: *seq,
        ruling: Some(Ruling::only(HumanVerdict::Unsupported)),
    };
    let rulings = whose.iter().map(one).collect();
    session.send(Message::SetAside { shape: shape.clone(), rulings });
}

fn added(session: &mut Session) -> (String, Option<std::ops::Range<usize>>) {
    match asked(session) {
        Shape::Add { claim, .. } => (claim.claim_text, claim.answer_span.map(Span::range)),
        other => panic!("a new claim, not {other:?}"),
    }
}

fn parts(session: &mut Session) -> [String; 2] {
    match asked(session) {
        Shape::Split { claim: ClaimKey(1), parts } => parts.map(|part| part.claim_text),
        other => panic!("a split, not {other:?}"),
    }
}

fn says_yes(session: &mut Session, shape: Shape, made: &[i64]) {
    for key in made {
        session.rows.push(row(*key));
    }
    let shaped = Shaped {
        events: vec![Event {
            act: Act::AddClaim,
            ..super::session::event(1, &crate::domain::decision::Request::Confirm)
        }],
        made: made.iter().map(|key| (ClaimKey(*key), id(*key))).collect(),
    };
    session.send(Message::Shaped { shape, result: Ok(Box::new(shaped)) });
}

const ANSWER: &str = "Take 8 g per day, and rest. It is safe in pregnancy.";

#[test]
fn a_claim_that_is_missing_is_added_with_two_keys() {
    let mut session = opened(ANSWER, &["Take 8 g per day, and rest."], "+");
    session.press("enter");
    let (words, place) = added(&mut session);
    assert_eq!(
        (words.as_str(), place),
        ("It is safe in pregnancy.", Some(28..52)),
        "the sentence without a claim"
    );
    session.press("enter");
    assert_eq!(session.take(), [], "what is under way is not asked for twice");
    let shape = editor(&session).shape().expect("sound");
    says_yes(&mut session, shape, &[7]);
    assert!(matches!(session.app.mode, Mode::Normal));
    assert_eq!(session.here(), Some(7));
    assert!(session.toast().ends_with("rx-0#8 waits for a verdict · u takes it back"), "{}", session.toast());
}

#[test]
fn the_words_are_chosen_by_key_or_typed_anew() {
    let mut session = opened(ANSWER, &[ANSWER], "+");
    session.press("g g l L L enter");
    assert_eq!(added(&mut session), ("8 g per".to_owned(), Some(5..12)));
    let mut session = opened(ANSWER, &[ANSWER], "+");
    session.press("g g space t end");
    session.type_text(" please");
    session.press("enter");
    let (words, place) = added(&mut session);
    assert_eq!((words.as_str(), place), ("Take 8 g per day, and rest. please", Some(0..27)));
    session.send(Message::Shaped {
        shape: editor(&session).shape().unwrap(),
        result: Err("no room".to_owned()),
    });
    assert_eq!(
        editor(&session).typed(0).as_deref(),
        Some("Take 8 g per day, and rest. please"),
        "nothing is lost"
    );
    assert_eq!(session.toast(), "new claim not saved: no room");
}

#[test]
fn r05_what_is_added_never_cuts_what_a_person_sees_as_one_character() {
    for (text, keys, words) in [
        ("最大4克。最小1克。", "g g l L enter", "大4"),
        ("cafe\u{301} 👩‍👩‍👧 dose", "g g L enter", "cafe\u{301} 👩‍👩‍👧"),
        ("او نمی‌رود، بله", "g g l enter", "نمی‌رود"),
    ] {
        let mut session = opened(text, &[text], "+");
        session.press(keys);
        assert_eq!(added(&mut session).0, words);
    }
}

#[test]
fn r35_a_claim_is_split_where_two_statements_meet_with_two_keys() {
    let mut session = opened(ANSWER, &["Take 8 g per day, and rest."], "|");
    session.press("enter");
    assert_eq!(parts(&mut session), ["Take 8 g per day", "rest."]);
    let shape = editor(&session).shape().expect("sound");
    says_yes(&mut session, shape, &[8, 9]);
    assert_eq!((session.here(), session.saved().as_str()), (Some(8), "rx-0#9, rx-0#10 split"));
}

#[test]
fn the_cut_goes_by_words_and_both_parts_can_be_typed() {
    let mut session = opened(ANSWER, &["Take 8 g per day, and rest."], "|");
    session.press("h enter");
    assert_eq!(parts(&mut session), ["Take 8 g per", "day, and rest."]);
    let mut session = opened(ANSWER, &["Take 8 g per day, and rest."], "|");
    session.press("t tab home");
    session.type_text("One may ");
    session.press("esc l");
    assert_eq!(session.toast(), "the words were typed anew: u brings the text's own back first");
    session.press("enter");
    assert_eq!(parts(&mut session), ["Take 8 g per day", "One may rest."]);
}

#[test]
fn neighbours_are_merged_and_others_taken_in() {
    let claims = ["Take 8 g per day", "and rest.", "It is safe in pregnancy."];
    let mut session = opened(ANSWER, &claims, "&");
    session.press("enter");
    let Shape::Merge { claims: keys, into } = asked(&mut session) else { panic!("a merge") };
    assert_eq!(
        (keys, into.claim_text.as_str()),
        (vec![ClaimKey(1), ClaimKey(2)], "Take 8 g per day, and rest.")
    );
    let mut session = opened(ANSWER, &claims, "&");
    session.press("space enter");
    assert_eq!(session.toast(), "one claim alone cannot be merged: take another one in");
    session.press("j space enter");
    let Shape::Merge { claims: keys, into } = asked(&mut session) else { panic!("a merge") };
    assert_eq!(keys, [ClaimKey(1), ClaimKey(3)]);
    assert_eq!(into.claim_text, "Take 8 g per day It is safe in pregnancy.");
}

#[test]
fn what_is_marked_is_what_is_merged_and_only_of_one_answer() {
    let claims = ["Take 8 g per day", "and rest.", "It is safe in pregnancy."];
    let mut session = answer(ANSWER, &claims);
    session.app.marks.rows = vec![row(2), row(3)];
    session.press("&");
    session.look();
    session.press("enter");
    let Shape::Merge { claims: keys, .. } = asked(&mut session) else { panic!("a merge") };
    assert_eq!(keys, [ClaimKey(2), ClaimKey(3)]);
    let mut session = answer(ANSWER, &claims);
    session.app.marks.rows = vec![row(2), row(12)];
    session.press("&");
    assert_eq!(
        session.toast(),
        "rx-1#3 is marked and of another answer than rx-0#2: only claims of one answer merge"
    );
}

#[test]
fn what_is_not_possible_says_why() {
    let refused = |claims: &[&str], key: &str, change_it: &dyn Fn(&mut ClaimDetail)| {
        let mut session = answer(ANSWER, claims);
        change(&mut session, change_it);
        session.press(key);
        assert!(matches!(session.app.mode, Mode::Normal), "{key}");
        session.toast().to_owned()
    };
    assert_eq!(refused(&["Take"], "|", &|_| {}), "the claim is one word: there is nothing to cut");
    assert_eq!(refused(&["Take"], "&", &|_| {}), "the answer has no other claim to merge with");
    let block = |detail: &mut ClaimDetail| {
        detail.disposition = Some(Given {
            annotator: Annotator::new("ben"),
            disposition: Disposition::Block,
            at: super::session::START,
            note: None,
            reason: None,
        });
    };
    for key in ["+", "|", "&"] {
        assert_eq!(
            refused(&[ANSWER, "rest"], key, &block),
            "rx-0 has ben's BLOCK: d t gives it RETURN first"
        );
    }
    let gone =
        |detail: &mut ClaimDetail| detail.gone = Some("rx-0#2 was split by ben: decide on rx-0#4".to_owned());
    assert_eq!(refused(&[ANSWER, "rest"], "|", &gone), "rx-0#2 was split by ben: decide on rx-0#4");
    let blank = |detail: &mut ClaimDetail| Arc::make_mut(&mut detail.record).answer = "…".to_owned();
    assert_eq!(refused(&[ANSWER], "+", &blank), "the answer has no words to choose from");
}

#[test]
fn nothing_is_made_that_was_not_yet_to_be_seen_nor_by_a_paste() {
    let mut session = answer(ANSWER, &["Take 8 g per day, and rest."]);
    session.strike("| enter");
    assert_eq!(session.take(), []);
    assert_eq!(session.toast(), "too fast: Enter was dropped, what is to be made was not yet visible");
    session.look();
    session.send(Message::Paste("\r".to_owned()));
    assert_eq!(session.toast(), "pasted text is ignored here: press t to type the claim");
    session.press("t");
    session.send(Message::Paste("one\ntwo\u{202e}".to_owned()));
    assert_eq!(editor(&session).typed(0).as_deref(), Some("Take 8 g per dayone two"));
    assert_eq!(session.take(), []);
    session.press("esc esc");
    assert!(matches!(session.app.mode, Mode::Normal));
}

#[test]
fn what_is_made_is_what_a_frame_showed() {
    let claims = ["Take 8 g per day, and rest.", "It is safe in pregnancy.", ANSWER];
    for (key, moves) in [("|", "h"), ("|", "l"), ("+", "l"), ("+", "L"), ("&", "space"), ("&", "j j space")] {
        let mut session = opened(ANSWER, &claims, key);
        session.strike(moves);
        session.after(20);
        session.strike("enter");
        assert_eq!(session.take(), [], "{key} {moves}");
        assert!(session.toast().contains("too fast"), "{key} {moves}: {}", session.toast());
    }
}

#[test]
fn the_undo_of_an_added_claim_goes_on_to_the_next_one() {
    let mut session = Session::with(3);
    session.press("j");
    session.look();
    assert_eq!(session.here(), Some(2));
    session.rows.retain(|row| row.key != ClaimKey(2));
    let mut undone = Undone {
        event: Event { act: Act::AddClaim, ..event(2, &Request::Confirm) },
        claim: Some(ClaimKey(2)),
        standing: None,
        disposition: None,
        others: 0,
        claims: Vec::new(),
        kept: Vec::new(),
    };
    session.send(Message::Undone(Ok(Box::new(undone.clone()))));
    assert_eq!(session.here(), Some(3));
    assert!(session.toast().contains("new claim"), "{}", session.toast());
    // Elsewhere the cursor stays.
    undone.claim = Some(ClaimKey(9));
    session.send(Message::Undone(Ok(Box::new(undone))));
    assert_eq!(session.here(), Some(3));
}

#[test]
fn a_decision_goes_with_a_merge_only_after_a_second_word() {
    let claims = ["Take 8 g per day", "rest", "It is safe in pregnancy."];
    let mut session = answer(ANSWER, &claims);
    change(&mut session, |detail| detail.siblings[1].decided = true);
    session.press("&");
    assert_eq!(
        editor(&session).taken().iter().map(|one| one.id.n()).collect::<Vec<_>>(),
        [id(1).n(), id(3).n()],
        "a decided one is not taken by itself"
    );
    let Mode::Shape(editor) = &mut session.app.mode else { panic!("it is open") };
    let crate::tui::shape::Work::Merge { taken, .. } = &mut editor.work else { panic!("a merge") };
    taken[1] = true;
    session.look();
    session.press("enter");
    let (shape, over) = asked_over(&mut session);
    assert!(over.is_empty(), "nobody was told of yet");
    says_whose(&mut session, &shape, &[("ben", 7)]);
    assert_eq!(session.toast(), "ben ruled UNSUPPORTED on rx-0#2 · Enter again sets that aside and merges");
    session.strike("enter");
    assert_eq!(session.take(), [], "the question has to be seen too");
    session.look();
    session.press("enter");
    let (shape, over) = asked_over(&mut session);
    assert!(matches!(shape, Shape::Merge { claims, .. } if claims.len() == 3));
    assert_eq!(over, [7]);
}

#[test]
fn a_ruling_goes_with_a_split_only_after_a_second_word_which_is_about_what_was_told() {
    let mut session = opened(ANSWER, &["Take 8 g per day, and rest."], "|");
    session.press("enter");
    let (shape, over) = asked_over(&mut session);
    assert!(over.is_empty());
    says_whose(&mut session, &shape, &[("ben", 7)]);
    let told = "ben ruled UNSUPPORTED on rx-0#2 · Enter again sets that aside and splits";
    assert_eq!((session.toast(), editor(&session).error.as_deref()), (told, Some(told)));
    // Another cut is another question.
    session.press("h l");
    session.look();
    session.press("enter");
    assert!(asked_over(&mut session).1.is_empty());
    says_whose(&mut session, &shape, &[("ben", 7)]);
    session.look();
    session.press("enter");
    assert_eq!(asked_over(&mut session).1, [7]);
    // Somebody ruled while that was read.
    says_whose(&mut session, &shape, &[("ben", 7), ("cy", 9)]);
    assert!(session.toast().contains("cy ruled UNSUPPORTED on rx-0#2 · Enter again sets those aside"));
    session.look();
    session.press("enter");
    assert_eq!(asked_over(&mut session).1, [7, 9]);
}

#[test]
fn typing_begins_with_nothing_where_only_one_word_is_under_the_cursor() {
    let mut session = opened(ANSWER, &[ANSWER], "+");
    session.press("g g t");
    assert_eq!(editor(&session).typed(0).as_deref(), Some(""));
    session.type_text("a slip");
    session.press("ctrl-u");
    assert_eq!(editor(&session).typed(0).as_deref(), Some(""), "the line is cleared");
}

#[test]
fn a_typed_claim_stands_where_the_answer_says_it_and_never_at_the_word_under_the_cursor() {
    let claims = ["Take 8 g per day, and rest.", "It is safe in pregnancy."];
    let typed = |text: &str, before: &str| {
        let mut session = opened(ANSWER, &claims, "+");
        if !before.is_empty() {
            session.press(before);
        }
        session.press("t ctrl-u");
        session.type_text(text);
        session.look();
        session.press("enter");
        session
    };
    let mut session = typed("safe in pregnancy", "");
    assert_eq!(added(&mut session), ("safe in pregnancy".to_owned(), Some(34..51)));
    // Nowhere in the answer: that is said, and asked.
    let mut session = typed("The infusion is made up by two nurses.", "");
    assert_eq!(session.take(), []);
    assert_eq!(session.toast(), "not in the answer: Enter again adds it to the answer as a whole");
    session.look();
    session.press("enter");
    assert_eq!(added(&mut session), ("The infusion is made up by two nurses.".to_owned(), None));
    // Whoever went to a place means it.
    let mut session = typed("No word of it.", "g g space");
    assert_eq!(added(&mut session).1, Some(0..27));
}

#[test]
fn typed_words_stand_where_the_answer_says_most_of_them_and_else_it_is_asked() {
    const CONSENT: &str = "She refused blood products. The patient consented to a left knee replacement under spinal \
                           anaesthesia.";
    let typed = |words: &str| {
        let mut session = opened(CONSENT, &[CONSENT], "+");
        session.press("t");
        session.type_text(words);
        session
    };
    let mut session = typed("She agreed to spinal anaesthesia.");
    assert!(editor(&session).is_guessed());
    session.press("enter");
    let (words, place) = added(&mut session);
    assert_eq!(words, "She agreed to spinal anaesthesia.");
    let place = place.expect("a place");
    assert!(CONSENT[place].starts_with("The patient consented"), "the sentence, not one word of another");
    let mut session = typed("Ward rounds begin at seven.");
    session.press("enter");
    assert_eq!(session.take(), [], "asked first");
    assert!(session.toast().starts_with("not in the answer: "), "{}", session.toast());
}
