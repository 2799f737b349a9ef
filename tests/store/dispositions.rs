//! Whose word about an answer takes the place of whose.

use juror::domain::decision::{Basis, Disposition, HumanVerdict, ReasonCode, Request, Ruling};
use juror::domain::ids::RecordKey;
use juror::store::{Disposing, StoreError};

use crate::fixture::{Desk, actor, at, contradicted, desk, record};

/// An answer whose only claim is decided.
fn decided() -> (Desk, RecordKey) {
    let mut desk = desk();
    let claim = desk.audited(&record("rx-1"), vec![contradicted("c")])[0];
    let supported = Request::Override(Ruling::only(HumanVerdict::FullySupported));
    desk.store.decide(claim, &supported, Basis::default(), &actor("ana"), at(1)).unwrap();
    let key = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    (desk, key)
}

/// With all that stands known, and these words or none beside it.
fn give(
    desk: &mut Desk,
    key: RecordKey,
    disposition: Disposition,
    who: &str,
    note: Option<&str>,
) -> Result<i64, StoreError> {
    let over = desk.store.opposed(key).unwrap();
    let replaces = desk.store.disposition(key).unwrap();
    let asked = Disposing { disposition, over, note: note.map(str::to_owned), replaces, unlooked: false };
    desk.store.dispose(key, asked, Basis::default(), &actor(who), at(5)).map(|event| event.seq)
}

#[test]
fn another_persons_word_is_set_aside_only_by_who_says_why() {
    use Disposition::{Block, Release, Return};
    for (first, then) in
        [(Block, Release), (Release, Block), (Release, Return), (Block, Return), (Return, Release)]
    {
        let (mut desk, key) = decided();
        give(&mut desk, key, first, "ben", None).unwrap();
        let why = give(&mut desk, key, then, "ana", None).unwrap_err().to_string();
        assert_eq!(
            why,
            format!(
                "ben gave rx-1 {first}: say beside {then} why it takes its place (--note or --reason on the \
                 command line)"
            )
        );
        assert_eq!(desk.store.disposition(key).unwrap().unwrap().disposition, first, "it stands");
        give(&mut desk, key, then, "ana", Some("the dose was read as 8 g")).unwrap();
        let stands = desk.store.disposition(key).unwrap().unwrap();
        assert_eq!((stands.disposition, stands.annotator.as_str()), (then, "ana"));
        assert_eq!(stands.note.as_deref(), Some("the dose was read as 8 g"), "for ben to read");
        // It is taken back and done again with its words.
        desk.store.undo(&actor("ana"), at(6)).unwrap().unwrap();
        desk.store.redo(&actor("ana"), at(7)).unwrap().unwrap();
        let stands = desk.store.disposition(key).unwrap().unwrap();
        assert_eq!(stands.note.as_deref(), Some("the dose was read as 8 g"));
        assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
    }
}

#[test]
fn a_reason_will_do_and_ones_own_word_or_the_same_one_asks_for_none() {
    use Disposition::{Block, Release, Return};
    let (mut desk, key) = decided();
    give(&mut desk, key, Block, "ben", None).unwrap();
    give(&mut desk, key, Return, "ben", None).unwrap();
    give(&mut desk, key, Block, "ben", None).unwrap();
    give(&mut desk, key, Block, "ana", None).unwrap();
    give(&mut desk, key, Release, "ana", None).unwrap();
    let basis = Basis { reason: Some(ReasonCode::NumberWrong), ..Basis::default() };
    let replaces = desk.store.disposition(key).unwrap();
    let asked = Disposing { replaces, ..Block.into() };
    let event = desk.store.dispose(key, asked, basis, &actor("ben"), at(6)).unwrap();
    assert_eq!(event.reason, Some(ReasonCode::NumberWrong));
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn a_release_over_rulings_says_why_and_one_of_what_nobody_looked_at_says_so() {
    let mut desk = desk();
    let claim = desk.audited(&record("rx-1"), vec![contradicted("c")])[0];
    let key = desk.store.record_key(&record("rx-1").audit_id).unwrap();
    desk.store.decide(claim, &Request::Confirm, Basis::default(), &actor("ana"), at(1)).unwrap();
    let why = give(&mut desk, key, Disposition::Release, "ana", None).unwrap_err().to_string();
    assert!(why.starts_with("people ruled against rx-1#1: say beside RELEASE why"), "{why}");
    give(&mut desk, key, Disposition::Release, "ana", Some("no other")).unwrap();

    let mut desk = self::desk();
    desk.import(&record("rx-2"));
    desk.audit(Vec::new(), at(0));
    let key = desk.store.record_key(&record("rx-2").audit_id).unwrap();
    let why = give(&mut desk, key, Disposition::Release, "ana", Some("fine")).unwrap_err().to_string();
    assert!(why.starts_with("no person has looked at any claim of rx-2"), "{why}");
    let asked = Disposing { unlooked: true, ..Disposition::Release.into() };
    let event = desk.store.dispose(key, asked, Basis::default(), &actor("ana"), at(5)).unwrap();
    assert_eq!(event.new["unlooked"], true);
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}
