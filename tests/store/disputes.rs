//! Several people on one claim: whose decision counts, and what is asked for first.

use juror::domain::decision::{Basis, Disposition, HumanVerdict, Request, Ruling};
use juror::domain::filter::Filter;
use juror::domain::ids::{Annotator, ClaimKey};
use juror::domain::overruled::Overruled;
use juror::domain::shaping::{NewClaim, Shape};
use juror::domain::verdict::Severity;
use juror::domain::word::{Known, Own, Then, Word};
use juror::store::{PageAt, StoreError};

use crate::fixture::{Desk, actor, at, contradicted, desk, record};

use HumanVerdict::{Contradicted, FullySupported, Unsupported};

const KNOWING: Basis<'static> = Basis { reason: None, seen: None, against: Known::All, own: Own::Unsaid };

fn one() -> (Desk, ClaimKey) {
    let mut desk = desk();
    let key = desk.audited(&record("rx-1"), vec![contradicted("a claim")])[0];
    (desk, key)
}

fn rule(verdict: HumanVerdict) -> Request {
    Request::Override(Ruling::only(verdict))
}

fn worse(verdict: HumanVerdict, severity: Severity) -> Request {
    Request::Override(Ruling { severity: Some(severity), ..Ruling::only(verdict) })
}

impl Desk {
    fn rules(&mut self, key: ClaimKey, request: &Request, who: &str, seconds: u64) {
        self.store.decide(key, request, KNOWING, &actor(who), at(seconds)).unwrap();
        assert_eq!(self.store.verify().unwrap().problems, Vec::<String>::new());
    }

    /// What export, queue, gate and claim say of it, which has to be the same.
    fn told(&self, key: ClaimKey) -> String {
        let export = self.store.claim_export(key).unwrap();
        let (told, counts) = match export.word() {
            Word::Open => ("open".to_owned(), None),
            Word::Disputed => ("disputed".to_owned(), None),
            Word::Of((who, decided)) => (format!("{who} says {}", decided.ruling.verdict), Some(who)),
            Word::Adjudicated((who, decided)) => {
                (format!("{who} settles {}", decided.ruling.verdict), Some(who))
            }
        };
        let detail = self.store.claim_detail(key, &Annotator::new("zoe"), at(99)).unwrap();
        assert_eq!((detail.counts.as_ref(), detail.is_disputed()), (counts, told == "disputed"), "{told}");
        let is_open = !self.open_ids("zoe").is_empty();
        assert_eq!(is_open, counts.is_none(), "the queue: {told}");
        let mut in_force = Vec::new();
        self.store
            .for_each_in_force(|claim| {
                in_force.push(claim.unwrap());
                Ok::<_, StoreError>(())
            })
            .unwrap();
        assert_eq!(in_force[0].is_disputed, told == "disputed", "the gate: {told}");
        told
    }
}

#[test]
fn a_ruling_against_somebody_elses_is_told_first_and_puts_the_claim_in_dispute() {
    let (mut desk, key) = one();
    desk.rules(key, &worse(Contradicted, Severity::High), "ben", 1);
    assert_eq!(desk.told(key), "ben says CONTRADICTED");
    let refused = desk.store.decide(key, &rule(FullySupported), Basis::default(), &actor("ana"), at(2));
    let Err(StoreError::Opposed { opposed, .. }) = &refused else { panic!("{refused:?}") };
    assert_eq!((opposed.said().as_str(), opposed.then), ("ben ruled CONTRADICTED HIGH", Then::Disputes));
    let sentence = refused.unwrap_err().to_string();
    assert!(
        sentence.contains("rx-1#1: ben ruled CONTRADICTED HIGH; yours puts the claim in dispute")
            && sentence.contains("--disagree"),
        "{sentence}"
    );
    // The same as theirs is no disagreement; neither is anything else than a ruling.
    desk.store.decide(key, &Request::Flag(true), Basis::default(), &actor("ana"), at(3)).unwrap();
    let event = desk.store.decide(key, &rule(FullySupported), KNOWING, &actor("ana"), at(4)).unwrap();
    assert_eq!(event.against(), ["ben"], "the event says that it was known");
    assert_eq!(desk.told(key), "disputed");
    // Whoever took part can only come round; their own ruling may be taken back.
    desk.store
        .decide(key, &worse(Contradicted, Severity::High), Basis::default(), &actor("ana"), at(5))
        .unwrap();
    assert_eq!(desk.told(key), "ana says CONTRADICTED");
    desk.store.undo(&actor("ana"), at(6)).unwrap().unwrap();
    assert_eq!(desk.told(key), "disputed");
    desk.store.undo(&actor("ana"), at(7)).unwrap().unwrap();
    assert_eq!(desk.told(key), "ben says CONTRADICTED");
    // Done again, it is known still.
    desk.store.redo(&actor("ana"), at(8)).unwrap().unwrap();
    assert_eq!(desk.told(key), "disputed");
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn a_third_person_settles_it_and_those_who_disagreed_cannot_undo_that() {
    let (mut desk, key) = one();
    desk.rules(key, &rule(Contradicted), "ben", 1);
    desk.rules(key, &rule(FullySupported), "ana", 2);
    let record = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    let returned = desk.store.dispose(record, Disposition::Return, Basis::default(), &actor("ana"), at(3));
    assert!(returned.unwrap_err().to_string().contains("1 claim of rx-1 still open"));
    let refused = desk.store.decide(key, &rule(Unsupported), Basis::default(), &actor("carla"), at(3));
    let Err(StoreError::Opposed { opposed, .. }) = refused else { panic!("{refused:?}") };
    let both = "ben ruled CONTRADICTED CRITICAL and ana ruled FULLY_SUPPORTED";
    assert_eq!((opposed.said().as_str(), opposed.then), (both, Then::Settles));
    desk.rules(key, &rule(Unsupported), "carla", 4);
    assert_eq!(desk.told(key), "carla settles UNSUPPORTED");
    for who in ["ben", "ana"] {
        let again = desk.store.decide(key, &rule(HumanVerdict::CannotJudge), KNOWING, &actor(who), at(5));
        let sentence = again.unwrap_err().to_string();
        assert!(sentence.contains("carla settled what people disagreed on in rx-1#1"), "{sentence}");
        assert!(desk.store.undo(&actor(who), at(5)).is_err());
    }
    // Carla may think better of it, without a question, and somebody new may settle it anew.
    desk.store.decide(key, &rule(Contradicted), Basis::default(), &actor("carla"), at(6)).unwrap();
    assert_eq!(desk.told(key), "carla settles CONTRADICTED");
    desk.rules(key, &rule(FullySupported), "dora", 7);
    assert_eq!(desk.told(key), "dora settles FULLY_SUPPORTED");
    desk.store.dispose(record, Disposition::Release, Basis::default(), &actor("dora"), at(8)).unwrap();
}

#[test]
fn a_ruling_is_made_against_those_who_were_told_and_against_nobody_else() {
    let (mut desk, key) = one();
    desk.rules(key, &rule(Contradicted), "ben", 1);
    let told = |desk: &mut Desk, known: &[i64], seconds| {
        let basis = Basis { against: Known::Events(known), ..Basis::default() };
        match desk.store.decide(key, &rule(FullySupported), basis, &actor("ana"), at(seconds)) {
            Err(StoreError::Opposed { opposed, .. }) => Err((opposed.events(), opposed.said(), opposed.then)),
            other => Ok(other.unwrap().against().join(" ")),
        }
    };
    let (ben, said, then) = told(&mut desk, &[], 2).unwrap_err();
    assert_eq!((said.as_str(), then), ("ben ruled CONTRADICTED CRITICAL", Then::Disputes));
    // Cy rules before ana has said it again: now it would settle a dispute, and against cy.
    desk.rules(key, &rule(Unsupported), "cy", 3);
    let (both, said, then) = told(&mut desk, &ben, 4).unwrap_err();
    let all = "ben ruled CONTRADICTED CRITICAL and cy ruled UNSUPPORTED";
    assert_eq!((said.as_str(), then), (all, Then::Settles));
    // And cy takes it back again: it would not settle anything any more.
    desk.store.undo(&actor("cy"), at(5)).unwrap().unwrap();
    let (ben, _, then) = told(&mut desk, &both, 6).unwrap_err();
    assert_eq!(then, Then::Disputes);
    assert_eq!(told(&mut desk, &ben, 7), Ok("ben".to_owned()));
    assert_eq!(desk.told(key), "disputed");
}

#[test]
fn another_severity_alone_is_told_and_counts() {
    let (mut desk, key) = one();
    desk.rules(key, &worse(Contradicted, Severity::Critical), "ben", 1);
    let mild = worse(Contradicted, Severity::Low);
    let refused = desk.store.decide(key, &mild, Basis::default(), &actor("ana"), at(2));
    assert!(
        matches!(&refused, Err(StoreError::Opposed { opposed, .. }) if opposed.then == Then::Counts),
        "{refused:?}"
    );
    desk.rules(key, &mild, "ana", 3);
    assert_eq!(desk.told(key), "ana says CONTRADICTED");
}

#[test]
fn filters_and_rows_go_by_what_people_decided() {
    let mut desk = desk();
    let keys =
        desk.audited(&record("rx-1"), vec![contradicted("one"), contradicted("two"), contradicted("three")]);
    desk.rules(keys[0], &rule(FullySupported), "ben", 1);
    desk.rules(keys[1], &worse(Unsupported, Severity::Medium), "ben", 2);
    let found = |desk: &Desk, query: &str| -> Vec<String> {
        let filter: Filter = query.parse().unwrap();
        let rows = desk.store.found_page(&filter, &Annotator::new("ana"), PageAt::Top, 9, at(9)).unwrap();
        let count = desk.store.found_count(&filter, at(9)).unwrap();
        assert_eq!(rows.len() as u64, count, "{query}");
        rows.iter().map(|row| row.id.to_string()).collect()
    };
    for (query, ids) in [
        ("is:any severity:critical", &["rx-1#3"][..]),
        ("is:any severity:none", &["rx-1#1"]),
        ("is:any severity:medium", &["rx-1#2"]),
        ("is:any severity>=medium", &["rx-1#3", "rx-1#2"]),
        ("is:any -severity:critical", &["rx-1#1", "rx-1#2"]),
        ("is:any verdict:contradicted", &["rx-1#3"]),
        ("is:any verdict:fully_supported", &["rx-1#1"]),
        ("is:any verdict:unsupported", &["rx-1#2"]),
        ("is:any judged:contradicted", &["rx-1#3", "rx-1#1", "rx-1#2"]),
        ("is:any verdict:cannot_judge", &[]),
    ] {
        assert_eq!(found(&desk, query), ids, "{query}");
    }
    // A colleague's row shows what they decided.
    let filter: Filter = "is:decided".parse().unwrap();
    let rows = desk.store.found_page(&filter, &Annotator::new("ana"), PageAt::Top, 9, at(9)).unwrap();
    assert_eq!((&rows[0].rulings[..], rows[0].ruled_severity), (&[FullySupported][..], None));
    assert_eq!((&rows[1].rulings[..], rows[1].ruled_severity), (&[Unsupported][..], Some(Severity::Medium)));
    assert!(rows.iter().all(|row| row.decided.is_none()), "none of it is hers");
    // While people disagree the claim is open, with the worst that is said.
    desk.rules(keys[1], &rule(FullySupported), "ana", 3);
    assert_eq!(found(&desk, "severity:critical"), ["rx-1#2", "rx-1#3"], "the judge says so");
    assert_eq!(found(&desk, "severity:medium"), Vec::<String>::new());
    desk.rules(keys[0], &worse(Contradicted, Severity::Low), "ana", 4);
    assert_eq!(found(&desk, "verdict:contradicted").len(), 3);
    let row = desk.open_rows("zoe").into_iter().find(|row| row.key == keys[0]).unwrap();
    assert_eq!((row.disputed, row.rulings.len(), row.ruled_severity), (true, 2, Some(Severity::Low)));
}

/// What ben is told of, in words.
fn told_to(desk: &Desk, who: &str) -> Vec<String> {
    desk.store.overruled(&Annotator::new(who), None).unwrap().0.iter().map(Overruled::said).collect()
}

fn overruled(desk: &Desk, who: &str) -> Vec<String> {
    let filter: Filter = format!("overruled:{who}").parse().unwrap();
    let page = desk.store.found_page(&filter, &Annotator::new("zoe"), PageAt::Top, 100, at(90)).unwrap();
    page.iter().map(|row| row.id.to_string()).collect()
}

#[test]
fn a_person_is_told_of_every_word_of_theirs_that_others_set_aside() {
    let (mut desk, key) = one();
    desk.rules(key, &worse(Contradicted, Severity::Critical), "ben", 1);
    desk.rules(key, &rule(FullySupported), "ana", 2);
    let dispute =
        "ana ruled FULLY_SUPPORTED on rx-1#1, where you had ruled CONTRADICTED CRITICAL: in dispute";
    assert_eq!(told_to(&desk, "ben"), [dispute]);
    assert_eq!(told_to(&desk, "ana"), Vec::<String>::new(), "who rules against others knows it");
    assert_eq!(overruled(&desk, "ben"), ["rx-1#1"]);
    // Somebody settles it against ana.
    desk.rules(key, &worse(Contradicted, Severity::Critical), "carla", 3);
    assert_eq!(
        told_to(&desk, "ana"),
        ["carla ruled CONTRADICTED CRITICAL on rx-1#1, where you had ruled FULLY_SUPPORTED"]
    );
    assert_eq!(overruled(&desk, "ana"), ["rx-1#1"]);
    // The same verdict with a lighter severity counts in place of a graver one, and is told.
    desk.rules(key, &worse(Contradicted, Severity::Low), "carla", 4);
    assert_eq!(
        told_to(&desk, "ben"),
        ["carla ruled CONTRADICTED LOW on rx-1#1, where you had ruled CONTRADICTED CRITICAL"]
    );
    // What was told is not told again, and stays to be found.
    let (all, upto) = desk.store.overruled(&Annotator::new("ben"), None).unwrap();
    assert_eq!(all.len(), 1);
    desk.store.set_told(&Annotator::new("ben"), upto).unwrap();
    desk.store.set_told(&Annotator::new("ben"), 1).unwrap();
    assert_eq!(told_to(&desk, "ben"), Vec::<String>::new());
    assert_eq!(overruled(&desk, "ben"), ["rx-1#1"]);
}

#[test]
fn a_disposition_that_another_takes_the_place_of_is_told_as_long_as_that_stands() {
    for (was, is, said) in [
        (Disposition::Block, Disposition::Release, "ana released rx-1, which you had blocked"),
        (Disposition::Block, Disposition::Return, "ana returned rx-1, which you had blocked"),
        (Disposition::Release, Disposition::Block, "ana blocked rx-1, which you had released"),
    ] {
        let (mut desk, key) = one();
        desk.rules(key, &rule(FullySupported), "ben", 1);
        let record = desk.store.record_key(&record("rx-1").audit_id).unwrap();
        desk.store.dispose(record, was, Basis::default(), &actor("ben"), at(2)).unwrap();
        let instead = desk.instead(record, is);
        desk.store.dispose(record, instead, Basis::default(), &actor("ana"), at(3)).unwrap();
        assert_eq!(told_to(&desk, "ben"), [said]);
        assert_eq!(overruled(&desk, "ben"), ["rx-1#1"]);
        assert_eq!(told_to(&desk, "zoe"), Vec::<String>::new());
        desk.store.undo(&actor("ana"), at(4)).unwrap().unwrap();
        assert_eq!(told_to(&desk, "ben"), Vec::<String>::new(), "it stands again");
        assert_eq!(overruled(&desk, "ben"), Vec::<String>::new());
    }
}

#[test]
fn a_ruling_on_what_others_split_is_told_with_the_halves_to_find() {
    let mut desk = desk();
    let key = desk.audited(&record("rx-1"), vec![contradicted("one two")])[0];
    desk.rules(key, &rule(Contradicted), "ben", 1);
    let part = |text: &str| NewClaim { claim_text: text.into(), answer_span: None };
    let split = Shape::Split { claim: key, parts: [part("one"), part("two")] };
    desk.store.shape(&split, KNOWING, &actor("ana"), at(2)).unwrap();
    assert_eq!(
        told_to(&desk, "ben"),
        ["ana put others in place of rx-1#1, which you had ruled CONTRADICTED CRITICAL"]
    );
    assert_eq!(overruled(&desk, "ben"), ["rx-1#2", "rx-1#3"]);
}
