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
