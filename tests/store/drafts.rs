//! What is begun is kept until the act that it was the draft of is recorded, whatever else happens.

use juror::domain::decision::{Basis, HumanVerdict, Request, Ruling};
use juror::domain::draft::{Draft, DraftKind};
use juror::domain::event::Act;
use juror::domain::evidence::ChosenSpan;
use juror::domain::ids::{Annotator, ClaimKey};
use juror::domain::shaping::{NewClaim, Shape};
use juror::domain::verdict::Role;
use juror::store::StoreError;

use crate::fixture::{Desk, actor, at, contradicted, desk, record};

fn draft(claim: ClaimKey, kind: DraftKind, texts: &[&str]) -> Draft {
    Draft { claim, kind, texts: texts.iter().map(|text| (*text).to_owned()).collect() }
}

/// The draft of a note of whoever knows it as one of `texts`.
pub(crate) fn note(claim: ClaimKey, texts: &[&str]) -> Draft {
    draft(claim, DraftKind::Note, texts)
}

fn keep(desk: &mut Desk, draft: &Draft, text: Option<&str>) -> Result<(), StoreError> {
    desk.store.save_draft(draft, &Annotator::new("ana"), text, at(1))
}

fn begun(desk: &Desk, claim: ClaimKey) -> Vec<(DraftKind, String)> {
    desk.detail(claim, "ana").begun
}

#[test]
fn r15_a_draft_survives_until_its_own_note_is_stored() {
    let mut desk = desk();
    let key = desk.audited(&record("rx-1"), vec![contradicted("c")])[0];
    keep(&mut desk, &note(key, &[]), Some("half a th")).unwrap();
    keep(&mut desk, &note(key, &["half a th"]), Some("half a thought")).unwrap();
    desk.store = desk.again();
    assert_eq!(desk.detail(key, "ana").draft.as_deref(), Some("half a thought"));
    assert_eq!(desk.detail(key, "bo").draft, None);
    // Said on the command line, or in another window: it is another note.
    let said = |text: &str| Request::Annotate { note: text.into() };
    desk.store.decide(key, &said("call the pharmacy"), Basis::default(), &actor("ana"), at(2)).unwrap();
    assert_eq!(desk.detail(key, "ana").draft.as_deref(), Some("half a thought"));
    let finished = note(key, &["half a th", "half a thought"]);
    let whole = said("half a thought, whole");
    desk.store.decide_begun(key, &whole, Basis::default(), &finished, &actor("ana"), at(3)).unwrap();
    assert_eq!(desk.detail(key, "ana").draft, None);
    assert_eq!(desk.detail(key, "ana").notes.len(), 2);
}

#[test]
fn what_is_done_elsewhere_leaves_what_was_begun() {
    let mut desk = desk();
    let key = desk.audited(&record("rx-1"), vec![contradicted("c")])[0];
    for kind in [DraftKind::Escalation, DraftKind::Deferral, DraftKind::Evidence] {
        keep(&mut desk, &draft(key, kind, &[]), Some("as it was")).unwrap();
    }
    let record = desk.detail(key, "ana").record;
    let passage = &record.passages[0];
    let evidence = ChosenSpan {
        passage_id: passage.passage_id.clone(),
        start: 0,
        end: 1,
        quote: passage.content.chars().take(1).collect(),
        role: Role::Contradicts,
    };
    let ruling = Ruling { evidence: Some(vec![evidence]), ..Ruling::only(HumanVerdict::Contradicted) };
    let requests = [
        Request::Escalate { note: "look".into(), to: None },
        Request::Defer { until: at(9999) },
        Request::Resume,
        Request::Override(ruling),
    ];
    for request in &requests {
        desk.store.decide(key, request, Basis::default(), &actor("ana"), at(5)).unwrap();
    }
    let many = [(key, Request::Escalate { note: "all of them".into(), to: None })];
    desk.store.decide_many(&many, None, &actor("ana"), at(6)).unwrap();
    assert_eq!(begun(&desk, key).len(), 3);
    assert!(desk.store.verify().unwrap().is_sound());
}

#[test]
fn making_one_claim_leaves_the_words_of_others() {
    let mut desk = desk();
    let keys = desk.audited(&record("rx-1"), vec![contradicted("c"), contradicted("d")]);
    for (key, kind) in [(keys[0], DraftKind::Split), (keys[0], DraftKind::Add), (keys[1], DraftKind::Add)] {
        keep(&mut desk, &draft(key, kind, &[]), Some("some words")).unwrap();
    }
    let add = |desk: &mut Desk, text: &str, finished: Option<&Draft>| {
        let record = desk.detail(keys[0], "ana").record_key;
        let claim = NewClaim { claim_text: text.into(), answer_span: None };
        let (shape, ana) = (Shape::Add { record, claim }, actor("ana"));
        match finished {
            Some(draft) => desk.store.shape_begun(&shape, Basis::default(), draft, &ana, at(3)),
            None => desk.store.shape(&shape, Basis::default(), &ana, at(3)),
        }
        .unwrap()
    };
    add(&mut desk, "from the command line", None);
    assert_eq!([begun(&desk, keys[0]).len(), begun(&desk, keys[1]).len()], [2, 1]);
    let made = add(&mut desk, "some words", Some(&draft(keys[1], DraftKind::Add, &["some words"])));
    assert_eq!(made.events[0].act, Act::AddClaim);
    assert_eq!([begun(&desk, keys[0]).len(), begun(&desk, keys[1]).len()], [2, 0]);
}

#[test]
fn one_window_does_not_write_over_the_words_of_another() {
    let mut desk = desk();
    let key = desk.audited(&record("rx-1"), vec![contradicted("c")])[0];
    keep(&mut desk, &note(key, &[]), Some("by the first window")).unwrap();
    let refused = keep(&mut desk, &note(key, &["older"]), Some("by the second")).unwrap_err();
    assert!(refused.to_string().starts_with("another window of yours keeps other words here"), "{refused}");
    // What it does not know it does not forget either, nor does a note of its own.
    keep(&mut desk, &note(key, &[]), None).unwrap();
    let said = Request::Annotate { note: "by the second".into() };
    let own = note(key, &["by the second"]);
    desk.store.decide_begun(key, &said, Basis::default(), &own, &actor("ana"), at(2)).unwrap();
    assert_eq!(desk.detail(key, "ana").draft.as_deref(), Some("by the first window"));
    // Both say the same: nobody loses a word.
    keep(&mut desk, &note(key, &[]), Some("by the first window")).unwrap();
    keep(&mut desk, &note(key, &["by the first window"]), None).unwrap();
    assert_eq!(desk.detail(key, "ana").draft, None);
    keep(&mut desk, &note(key, &["long gone"]), Some("by the second")).unwrap();
    assert_eq!(desk.detail(key, "ana").draft.as_deref(), Some("by the second"));
}
