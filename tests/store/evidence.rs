//! Evidence that a person chooses in place of the judge's, and claims that are none.

use juror::domain::decision::{Basis, DecisionKind, HumanVerdict, Request, Ruling};
use juror::domain::event::Act;
use juror::domain::evidence::ChosenSpan;
use juror::domain::ids::{Annotator, ClaimKey, PassageId};
use juror::domain::verdict::{Role, Severity};
use juror::store::StoreError;

use crate::fixture::{Desk, actor, at, contradicted, desk, record};

fn one() -> (Desk, ClaimKey) {
    let mut desk = desk();
    let keys = desk.audited(&record("rx-1"), vec![contradicted("c")]);
    (desk, keys[0])
}

fn chosen(start: usize, end: usize, quote: &str) -> ChosenSpan {
    ChosenSpan { passage_id: PassageId::new("p2"), start, end, quote: quote.into(), role: Role::Contradicts }
}

fn on(evidence: Vec<ChosenSpan>) -> Request {
    Request::Override(Ruling {
        severity: Some(Severity::Critical),
        evidence: Some(evidence),
        ..Ruling::only(HumanVerdict::Contradicted)
    })
}

fn standing(desk: &Desk, key: ClaimKey) -> Option<(DecisionKind, Option<Vec<ChosenSpan>>)> {
    desk.detail(key, "ana").standing.decided.map(|decided| (decided.kind, decided.ruling.evidence))
}

#[test]
fn r17_what_a_person_chose_stands_is_undone_redone_and_exported() {
    let (mut desk, key) = one();
    let ana = actor("ana");
    let spans = vec![chosen(15, 18, "4 g")];
    let event = desk.store.decide(key, &on(spans.clone()), Basis::default(), &ana, at(1)).unwrap();
    assert_eq!(event.act, Act::Override, "the same verdict on other evidence is not the judge's ruling");
    assert_eq!(
        event.new["evidence"].to_string(),
        r#"[{"passage_id":"p2","start":15,"end":18,"quote":"4 g","role":"contradicts"}]"#
    );
    let stands = Some((DecisionKind::Overridden, Some(spans.clone())));
    assert_eq!(standing(&desk, key), stands);
    assert_eq!(desk.detail(key, "ben").decisions[0].1.ruling.evidence, Some(spans.clone()), "for all to see");
    let mut exported = Vec::new();
    desk.store
        .for_each_claim::<StoreError>(|claim| {
            exported.extend(claim.unwrap().decisions.into_iter().map(|(_, decided)| decided.ruling.evidence));
            Ok(())
        })
        .unwrap();
    assert_eq!(exported, [Some(spans)]);
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());

    desk.store.undo(&ana, at(2)).unwrap().unwrap();
    assert_eq!(standing(&desk, key), None);
    desk.store.redo(&ana, at(3)).unwrap().unwrap();
    assert_eq!(standing(&desk, key), stands);

    desk.store.decide(key, &on(Vec::new()), Basis::default(), &ana, at(4)).unwrap();
    assert_eq!(
        standing(&desk, key),
        Some((DecisionKind::Overridden, Some(Vec::new()))),
        "that there is none"
    );
    desk.store.undo(&ana, at(5)).unwrap().unwrap();
    assert_eq!(standing(&desk, key), stands, "what stood before stands again");
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn r07_r11_places_without_the_quoted_words_and_overlaps_are_refused_and_nothing_is_recorded() {
    let (mut desk, key) = one();
    for (spans, why) in [
        (vec![chosen(15, 18, "8 g")], "does not say what is quoted"),
        (vec![chosen(15, 99, "4 g")], "is no place in the passage, which has 31 characters"),
        (vec![chosen(14, 15, " ")], "holds no words"),
        (vec![chosen(15, 18, "4 g"), chosen(17, 21, "g in")], "overlaps"),
        (vec![ChosenSpan { passage_id: PassageId::new("p9"), ..chosen(0, 3, "The") }], "no passage `p9`"),
        (vec![ChosenSpan { role: Role::Closest, ..chosen(0, 3, "The") }], "supports or contradicts"),
    ] {
        match desk.store.decide(key, &on(spans), Basis::default(), &actor("ana"), at(1)) {
            Err(StoreError::Refused(sentence)) => {
                assert!(sentence.starts_with("rx-1#1: ") && sentence.contains(why), "{sentence}");
            }
            other => panic!("not refused: {other:?}"),
        }
    }
    assert_eq!(desk.events(), []);
}

#[test]
fn evidence_that_was_changed_behind_the_programs_back_is_named() {
    let (mut desk, key) = one();
    desk.store.decide(key, &on(vec![chosen(15, 18, "4 g")]), Basis::default(), &actor("ana"), at(1)).unwrap();
    desk.sql()
        .execute("UPDATE decision SET evidence = replace(evidence, 'contradicts', 'supports')", [])
        .unwrap();
    assert_eq!(
        desk.store.verify().unwrap().problems,
        ["claim rx-1#1: what is shown of ana's work does not follow from the events"]
    );
}

#[test]
fn a_claim_that_is_none_is_decided_without_a_grade_and_comes_back_by_undo() {
    let (mut desk, key) = one();
    let ana = actor("ana");
    let none = Request::Override(Ruling::only(HumanVerdict::NotAClaim));
    desk.store.decide(key, &none, Basis::default(), &ana, at(1)).unwrap();
    let detail = desk.detail(key, "ana");
    assert_eq!(detail.standing.decided.map(|decided| decided.ruling.verdict), Some(HumanVerdict::NotAClaim));
    assert_eq!(
        desk.store.queue_page(&Annotator::new("ana"), juror::store::PageAt::Top, 9, at(2)).unwrap(),
        []
    );
    let graded =
        Request::Override(Ruling { severity: Some(Severity::Low), ..Ruling::only(HumanVerdict::NotAClaim) });
    assert!(desk.store.decide(key, &graded, Basis::default(), &ana, at(2)).is_err());
    desk.store.undo(&ana, at(3)).unwrap().unwrap();
    assert_eq!(
        desk.store.queue_page(&Annotator::new("ana"), juror::store::PageAt::Top, 9, at(4)).unwrap().len(),
        1
    );
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}
