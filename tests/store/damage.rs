//! Bytes that are no text, labels that are none, parts that are gone: `verify` names them and goes on,
//! and everybody else can still be read.

use crate::fixture::at;
use crate::guards::{after, worked_on};

/// One byte that is no UTF-8, in any text of the evidence: named, and everything else is still checked.
#[test]
fn verify_names_a_text_that_is_none_and_goes_on() {
    let cases = [
        ("record", "answer", "id = 1", "record rx-1: its answer is not UTF-8 text"),
        ("record", "raw", "id = 1", "record rx-1: its raw is not UTF-8 text"),
        ("record", "audit_id", "id = 1", "record rx-1\u{FFFD}: its audit id is not UTF-8 text"),
        ("passage", "content", "id = 2", "record rx-1, passage 2: its content is not UTF-8 text"),
        ("judge", "model", "id = 1", ": its model is not UTF-8 text"),
        ("run", "instrument", "id = 1", "record rx-1, audit 1: its instrument is not UTF-8 text"),
        ("claim", "claim_text", "id = 1", "claim rx-1#1: its claim text is not UTF-8 text"),
        ("verdict", "rationale", "claim_id = 1", "claim rx-1#1, verdict: its rationale is not UTF-8 text"),
        ("verdict", "state", "claim_id = 1", "claim rx-1#1, verdict: its state is not UTF-8 text"),
        ("citation", "quote", "claim_id = 1", "claim rx-1#1, citation 1: its quote is not UTF-8 text"),
        ("event", "host", "seq = 3", "event 3: its host is not UTF-8 text"),
        ("event", "hash", "seq = 3", "event 3: its hash is not UTF-8 text"),
        ("event", "annotator", "seq = 3", "event 3: its annotator is not UTF-8 text"),
        ("event", "subject", "seq = 8", "event 8: its subject is not UTF-8 text"),
        ("event_payload", "text", "seq = 3", "event 3, note: its text is not UTF-8 text"),
        ("queue", "why", "claim_id = 1", "claim rx-1#1, place in the queue: its why is not UTF-8 text"),
        ("decision", "annotator", "claim_id = 1", "decision of event 1: its annotator is not UTF-8 text"),
        ("disposition", "annotator", "1", "disposition of event 8: its annotator is not UTF-8 text"),
    ];
    for (table, column, which, expected) in cases {
        let problems = after(&format!(
            "PRAGMA ignore_check_constraints = 1;
             UPDATE {table} SET {column} = CAST(CAST({column} AS BLOB) || x'ff' AS TEXT) WHERE {which};
             UPDATE decided SET n = 7;"
        ));
        assert!(problems.iter().any(|p| p.ends_with(expected)), "{table}.{column}: {problems:?}");
        assert!(
            problems.iter().any(|p| p.ends_with("decisions does not add up")),
            "{table}.{column} ended the verification: {problems:?}"
        );
    }
}

#[test]
fn verify_names_labels_and_numbers_that_are_none_and_goes_on() {
    for sql in [
        "UPDATE record SET risk_level = 'BAD' WHERE id = 1",
        "UPDATE verdict SET state = 'BAD' WHERE claim_id = 1",
        "UPDATE verdict SET severity = 'BAD' WHERE claim_id = 1",
        "UPDATE citation SET role = 'BAD' WHERE claim_id = 1",
        "UPDATE decision SET kind = 'BAD' WHERE claim_id = 1",
        "UPDATE event SET act = 'BAD' WHERE seq = 1",
        "UPDATE queue SET severity_rank = 999 WHERE claim_id = 1",
        "UPDATE queue SET place = 999999 WHERE claim_id = 1",
        "UPDATE claim SET n = -1 WHERE id = 1",
    ] {
        let problems =
            after(&format!("PRAGMA ignore_check_constraints = 1; {sql}; UPDATE decided SET n = 7;"));
        assert!(problems.iter().any(|p| p.contains("rx-1") || p.contains("event 1:")), "{sql}: {problems:?}");
        assert!(problems.iter().any(|p| p.ends_with("decisions does not add up")), "{sql}: {problems:?}");
    }
}

#[test]
fn verify_names_what_is_gone_beside_the_evidence() {
    for (sql, expected) in [
        ("DELETE FROM meta", "meta: the store's secret or its date is missing"),
        (
            "INSERT INTO answer_search (answer_search) VALUES ('delete-all')",
            "answer_search: the search index",
        ),
        ("INSERT INTO claim_search (claim_search) VALUES ('delete-all')", "claim_search: the search index"),
        ("INSERT INTO note_search (note_search) VALUES ('delete-all')", "note_search: the search index"),
    ] {
        let problems = after(sql);
        assert!(problems.iter().any(|p| p.starts_with(expected)), "{sql}: {problems:?}");
    }
}

#[test]
fn one_damaged_text_does_not_keep_the_rest_from_being_read() {
    let desk = worked_on();
    let sql = desk.sql();
    for (table, column) in [("claim", "claim_text"), ("record", "answer"), ("passage", "content")] {
        sql.execute_batch(&format!(
            "DROP TRIGGER {table}_no_update;
             UPDATE {table} SET {column} = CAST(x'ff41' AS TEXT) WHERE id = (SELECT max(id) FROM {table})"
        ))
        .unwrap();
    }
    let ana = juror::domain::ids::Annotator::new("ana");
    let rows = desk.store.queue_page(&ana, juror::store::PageAt::Top, 10, at(9)).unwrap();
    let damaged: Vec<_> = rows.iter().filter(|row| row.claim_text.starts_with("⟨damaged")).collect();
    assert!(rows.len() > 1 && damaged.len() == 1, "{rows:?}");
    let detail = desk.store.claim_detail(damaged[0].key, &ana, at(9)).unwrap();
    assert_eq!(detail.record.answer, "⟨damaged: run juror verify⟩ \u{FFFD}A");
    assert_eq!(detail.answer_span, None, "no place in a text that is another");
    let mut n = 0;
    desk.store
        .for_each_claim(|_| {
            n += 1;
            Ok::<_, juror::store::StoreError>(())
        })
        .unwrap();
    assert_eq!(n, 5);
}

#[test]
fn verify_goes_on_without_a_table() {
    for table in ["flag", "answer_search", "disposition"] {
        let desk = worked_on();
        desk.sql()
            .execute_batch(&format!(
                "DROP TABLE {table}; DROP TRIGGER event_no_update; UPDATE event SET host = 'x' WHERE seq = 3"
            ))
            .unwrap();
        let problems = desk.store.verify().unwrap().problems;
        assert!(problems.iter().any(|p| p.contains(table)), "{problems:?}");
        let changed = "event 3: hash does not match its content".to_owned();
        assert!(problems.contains(&changed), "{table}: {problems:?}");
    }
}

#[test]
fn a_noted_head_is_found_in_a_chain_with_a_damaged_event() {
    let desk = worked_on();
    let (_, head) = desk.store.head().unwrap();
    desk.sql()
        .execute_batch(
            "DROP TRIGGER event_no_update; UPDATE event SET host = CAST(x'ff' AS TEXT) WHERE seq = 3",
        )
        .unwrap();
    assert!(desk.store.has_head(&head.to_uppercase()).unwrap());
    assert!(desk.store.has_head(juror::domain::event::GENESIS).unwrap());
    assert!(!desk.store.has_head(&head[1..]).unwrap());
}

/// Labels, ids and texts that are none, in one row of each table that the queue and the exports read.
const DAMAGES: &[&str] = &[
    "UPDATE verdict SET verdict = 'BAD' WHERE claim_id = 1",
    "UPDATE verdict SET state = 'BAD' WHERE claim_id = 1",
    "UPDATE verdict SET severity = CAST(x'ff41' AS TEXT) WHERE claim_id = 1",
    "UPDATE claim SET n = -1 WHERE id = 1",
    "UPDATE decision SET kind = 'BAD' WHERE claim_id = 1",
    "DELETE FROM verdict WHERE claim_id = 1",
];

fn damaged(sql: &str) -> crate::fixture::Desk {
    let desk = worked_on();
    let connection = desk.sql();
    for table in ["verdict", "claim", "event", "record"] {
        connection
            .execute_batch(&format!(
                "DROP TRIGGER {table}_no_update; DROP TRIGGER IF EXISTS {table}_no_delete"
            ))
            .unwrap();
    }
    connection
        .execute_batch(&format!(
            "PRAGMA foreign_keys = 0; PRAGMA ignore_check_constraints = 1;
             UPDATE queue SET open = 1; {sql}"
        ))
        .unwrap();
    desk
}

#[test]
fn a_damaged_claim_is_shown_as_one_among_all_the_others() {
    for sql in DAMAGES {
        let desk = damaged(sql);
        let ana = juror::domain::ids::Annotator::new("ana");
        let rows = desk.store.queue_page(&ana, juror::store::PageAt::Top, 100, at(9)).unwrap();
        let sound = damaged("").open_rows("ana").len();
        assert_eq!(rows.len(), sound, "{sql}");
        let bad: Vec<_> = rows.iter().filter(|row| row.damage.is_some()).collect();
        assert_eq!(bad.len(), 1, "{sql}: {rows:?}");
        let sentence = bad[0].damage.clone().unwrap();
        assert!(sentence.starts_with("claim rx-1#") && sentence.contains("juror verify"), "{sentence}");
        assert!(bad[0].claim_text.starts_with("⟨damaged: run juror verify⟩ "), "{sql}");
        assert_eq!(bad[0].key, juror::domain::ids::ClaimKey(1), "the cursor can stand on it: {sql}");
        // What stands beside it can be opened.
        let other = rows.iter().find(|row| row.damage.is_none()).unwrap();
        desk.store.claim_detail(other.key, &ana, at(9)).unwrap();
    }
}

#[test]
fn a_damaged_sibling_does_not_hide_a_claim() {
    let desk = damaged("UPDATE verdict SET verdict = 'BAD' WHERE claim_id = 1");
    let ana = juror::domain::ids::Annotator::new("ana");
    let key = juror::domain::ids::ClaimKey(2);
    let siblings = desk.store.claim_detail(key, &ana, at(9)).unwrap().siblings;
    let bad: Vec<_> = siblings.iter().filter(|sibling| sibling.claim_text.starts_with('⟨')).collect();
    assert!(siblings.len() > 1 && bad.len() == 1, "{siblings:?}");
}

#[test]
fn exports_name_what_is_damaged_and_go_on() {
    let desk = damaged(
        "UPDATE verdict SET verdict = 'BAD' WHERE claim_id = 1;
         UPDATE event SET act = 'BAD' WHERE seq = 2;
         UPDATE record SET raw = CAST(x'ff41' AS TEXT) WHERE id = 1",
    );
    let mut said = Vec::new();
    let mut sound = [0, 0, 0];
    desk.store
        .for_each_record(|read| {
            match read {
                Ok(_) => sound[0] += 1,
                Err(damaged) => said.push(damaged.to_string()),
            }
            Ok::<_, juror::store::StoreError>(())
        })
        .unwrap();
    desk.store
        .for_each_claim(|read| {
            match read {
                Ok(_) => sound[1] += 1,
                Err(damaged) => said.push(damaged.to_string()),
            }
            Ok::<_, juror::store::StoreError>(())
        })
        .unwrap();
    let mut hashes = Vec::new();
    desk.store
        .for_each_event(|read| {
            match read {
                Ok(chained) => {
                    sound[2] += 1;
                    hashes.push((chained.event.hash(&chained.prev_hash), chained.hash));
                }
                Err(damaged) => said.push(damaged.to_string()),
            }
            Ok::<_, juror::store::StoreError>(())
        })
        .unwrap();
    let events = usize::try_from(desk.store.head().unwrap().0).unwrap();
    assert_eq!(sound[2], events - 1);
    assert!(hashes.iter().all(|(own, stored)| own == stored), "each is still bound to the one before it");
    assert!(sound[0] > 0 && sound[1] > 0, "{sound:?}");
    assert_eq!(
        said,
        [
            "record rx-1 is damaged (a text that is not UTF-8): see `juror verify`, and put back a backup",
            "claim rx-1#1 is damaged (`BAD` is not a verdict: use one of FULLY_SUPPORTED, PARTIALLY_SUPPORTED, \
             UNSUPPORTED, CONTRADICTED): see `juror verify`, and put back a backup",
            "event 2 is damaged (`BAD` is not a kind of event: use one of CONFIRM, OVERRIDE, BLIND, ANNOTATE, \
             GIVE_REASON, SKIP, UNSKIP, FLAG, UNFLAG, DEFER, RESUME, DISPOSE, ADD_CLAIM, SPLIT, MERGE, ERASE, UNDO): see `juror verify`, and put back a backup",
        ]
    );
}

/// Everything that can happen to a claim is told by the export and by the gate, and nothing vanishes.
#[test]
fn no_damage_makes_a_claim_vanish_from_what_is_counted() {
    let count = |desk: &crate::fixture::Desk| {
        let (mut exported, mut in_force) = (Vec::new(), Vec::new());
        desk.store
            .for_each_claim(|read| {
                exported.push(read.err().map(|damaged| damaged.to_string()));
                Ok::<_, juror::store::StoreError>(())
            })
            .unwrap();
        desk.store
            .for_each_in_force(|read| {
                in_force.push(read.err().map(|damaged| damaged.to_string()));
                Ok::<_, juror::store::StoreError>(())
            })
            .unwrap();
        (exported, in_force)
    };
    let (sound, _) = count(&damaged(""));
    assert!(sound.iter().all(Option::is_none));
    for sql in DAMAGES.iter().chain(&[
        "UPDATE verdict SET verdict = NULL, state = 'JUDGED' WHERE claim_id = 1",
        "UPDATE decision SET verdict = 'BAD' WHERE claim_id = 1",
        "UPDATE decision SET severity = 'BAD' WHERE claim_id = 1",
    ]) {
        let (exported, in_force) = count(&damaged(sql));
        for told in [&exported, &in_force] {
            assert_eq!(told.len(), sound.len(), "{sql}");
            let is_read = sql.contains("SET kind") && told == &in_force;
            assert_eq!(told.iter().flatten().count(), usize::from(!is_read), "{sql}: {told:?}");
        }
        assert!(exported.iter().flatten().all(|told| told.starts_with("claim rx-1#")), "{exported:?}");
    }
    // Without its record or its work nothing is known of any claim of it, but that they are there.
    for sql in ["DELETE FROM work WHERE record_id = 1", "DELETE FROM record WHERE id = 1"] {
        let (exported, in_force) = count(&damaged(sql));
        for told in [exported, in_force] {
            assert_eq!(told.len(), sound.len(), "{sql}");
            assert!(told.iter().flatten().count() > 1, "{sql}: {told:?}");
        }
    }
}

#[test]
fn a_damaged_claim_cannot_be_decided_and_the_refusal_names_it() {
    for (sql, reason) in [
        ("UPDATE verdict SET verdict = 'BAD' WHERE claim_id = 1", "`BAD` is not a verdict"),
        ("DELETE FROM verdict WHERE claim_id = 1", "a part of it is missing"),
        ("DELETE FROM work WHERE record_id = 1", "a part of it is missing"),
    ] {
        let mut desk = damaged(&format!("DELETE FROM disposition; {sql}"));
        let key = juror::domain::ids::ClaimKey(1);
        let before = desk.store.head().unwrap();
        let told = [
            desk.store
                .decide(
                    key,
                    &juror::domain::decision::Request::Confirm,
                    juror::domain::decision::Basis::default(),
                    &crate::fixture::actor("ana"),
                    at(9),
                )
                .unwrap_err()
                .to_string(),
            desk.store
                .claim_detail(key, &juror::domain::ids::Annotator::new("ana"), at(9))
                .unwrap_err()
                .to_string(),
        ];
        for told in told {
            assert!(told.contains("claim rx-1#1: ") && told.contains(reason), "{sql}: {told}");
        }
        assert_eq!(desk.store.head().unwrap(), before);
    }
}
