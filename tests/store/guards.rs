//! What no program may do to the evidence, and what `verify` says when someone did it all the same.

use std::sync::LazyLock;

use juror::domain::decision::{Basis, Disposition, HumanVerdict, ReasonCode, Request, Ruling};
use juror::domain::record::{GivenClaim, Record, RiskLevel};
use juror::domain::shaping::{NewClaim, Shape};
use juror::store::{Disposing, Store, VerifyReport};

use crate::fixture::{Desk, actor, at, bare, claim, contradicted, desk, exchange, record};
use juror::domain::exchange::Ending;
use juror::domain::verdict::Verdict;

/// A store with two audited records, decisions, a note, a skip, an escalation, an undo, a
/// disposition and a deferral.
pub(crate) fn worked_on() -> Desk {
    let mut desk = desk();
    desk.import(&record("rx-1"));
    let asked = [
        bare(exchange(Some("rx-1"), "q-1", Ending::TimedOut)),
        exchange(Some("rx-1"), "q-1", Ending::Valid),
        exchange(None, "q-2", Ending::Valid),
    ]
    .map(|exchange| desk.store.keep_exchange(&exchange).unwrap());
    let first = desk.audit_by(vec![contradicted("one"), contradicted("two")], &asked[..2], at(0));
    let second = desk.audited(
        &record("rx-2"),
        vec![contradicted("three"), claim("four", Verdict::Unsupported, None, 0.5)],
    );
    desk.import(&golden("rx-3"));
    let mut given = contradicted("given");
    given.given_id = Some("g-1".into());
    desk.audit(vec![given], at(0));
    let (ana, bo) = (actor("ana"), actor("bo"));
    let store = &mut desk.store;
    store.decide(first[0], &Request::Confirm, Basis::default(), &ana, at(1)).unwrap();
    store.decide(first[1], &Request::Confirm, Basis::default(), &ana, at(2)).unwrap();
    store
        .decide(first[1], &Request::Annotate { note: "zebra note".into() }, Basis::default(), &ana, at(3))
        .unwrap();
    store.decide(second[0], &Request::Skip(true), Basis::default(), &bo, at(4)).unwrap();
    let escalate = Request::Escalate { note: "look".into(), to: Some("lead".into()) };
    store.decide(second[0], &escalate, Basis::default(), &bo, at(5)).unwrap();
    store.decide(second[1], &Request::Confirm, Basis::default(), &bo, at(6)).unwrap();
    store.undo(&bo, at(7)).unwrap().unwrap();
    let key = store.record_key(&record("rx-1").audit_id).unwrap();
    let over = store.opposed(key).unwrap();
    let release = Disposing { over, ..Disposition::Release.into() };
    let basis = Basis { reason: Some(ReasonCode::Other), ..Basis::default() };
    store.dispose(key, release, basis, &ana, at(8)).unwrap();
    let later = Request::Defer { until: at(86_400) };
    store.decide(second[1], &later, Basis::default(), &bo, at(9)).unwrap();
    desk
}

/// The same, with a blind verdict, a claim that was split, and an answer that waits for its disposition.
fn worked_on_further() -> Desk {
    let mut desk = worked_on();
    let mut given = |id: &str| desk.audited(&record(id), vec![contradicted("one two")])[0];
    let (split, blind, done) = (given("rx-4"), given("rx-5"), given("rx-6"));
    let ana = actor("ana");
    let part = |text: &str| NewClaim { claim_text: text.into(), answer_span: None };
    let shape = Shape::Split { claim: split, parts: [part("one"), part("two")] };
    desk.store.shape(&shape, Basis::default(), &ana, at(10)).unwrap();
    let ruling = Ruling::only(HumanVerdict::Unsupported);
    desk.store.decide(blind, &Request::Blind { ruling, overlap: 2 }, Basis::default(), &ana, at(11)).unwrap();
    desk.store.decide(done, &Request::Confirm, Basis::default(), &ana, at(12)).unwrap();
    desk
}

/// A record with everything that a record may have.
fn golden(id: &str) -> Record {
    Record {
        risk_level: Some(RiskLevel::Low),
        given_claims: vec![GivenClaim { claim_id: Some("g-1".into()), claim_text: "given".into() }],
        ..record(id)
    }
}

fn report(desk: &Desk) -> VerifyReport {
    desk.store.verify().unwrap()
}

/// What `verify` says after `sql` was done to the file with all triggers out of the way.
pub(crate) fn after(sql: &str) -> Vec<String> {
    static SOUND: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let Desk { store, path, _folder } = worked_on_further();
        // The last one out folds everything into the one file.
        drop(store);
        std::fs::read(path).unwrap()
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("juror.db");
    std::fs::write(&path, &*SOUND).unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "synchronous", "OFF").unwrap();
    let mut statement =
        connection.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").unwrap();
    let triggers: Vec<(String, String)> =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect();
    drop(statement);
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    let drops: Vec<String> = triggers.iter().map(|(name, _)| format!("DROP TRIGGER {name};")).collect();
    let back: Vec<String> = triggers.iter().map(|(_, sql)| format!("{sql};")).collect();
    let (drops, back) = (drops.concat(), back.concat());
    connection.execute_batch(&format!("BEGIN; {drops} {sql}; {back} COMMIT")).unwrap();
    drop(connection);
    Store::open_read_only(&path).unwrap().verify().unwrap().problems
}

#[test]
fn a_store_that_was_worked_on_is_sound() {
    let desk = worked_on();
    let report = report(&desk);
    assert_eq!(report.problems, Vec::<String>::new());
    assert_eq!(
        (report.events, report.records, report.claims, report.exchanges, report.erased),
        (9, 3, 5, 3, 0)
    );
    assert_eq!(report.head, desk.store.head().unwrap().1);
    assert_eq!(report.head.len(), 64);
}

#[test]
fn evidence_cannot_be_updated_deleted_or_replaced() {
    let desk = worked_on();
    // Another program has none of this program's settings.
    let connection = desk.sql();
    for table in [
        "record",
        "passage",
        "judge",
        "run",
        "claim",
        "verdict",
        "citation",
        "no_claim",
        "exchange",
        "run_exchange",
        "event",
    ] {
        let column: String = connection
            .query_row("SELECT name FROM pragma_table_info(?1) ORDER BY cid DESC", [table], |row| row.get(0))
            .unwrap();
        for sql in [
            format!("UPDATE {table} SET \"{column}\" = \"{column}\""),
            format!("UPDATE OR REPLACE {table} SET \"{column}\" = \"{column}\""),
            format!("DELETE FROM {table}"),
            format!("INSERT OR REPLACE INTO {table} SELECT * FROM {table}"),
            format!("REPLACE INTO {table} SELECT * FROM {table}"),
            format!("INSERT INTO {table} SELECT * FROM {table}"),
        ] {
            let error = connection.execute_batch(&sql).expect_err(&sql);
            assert!(
                error.to_string().contains("never") || error.to_string().contains("append-only"),
                "{sql}: {error}"
            );
        }
    }
    let payload = connection.execute_batch("UPDATE event_payload SET text = 'x'").unwrap_err();
    assert!(payload.to_string().contains("only erased"));
    assert_eq!(report(&desk).problems, Vec::<String>::new());
}

#[test]
fn a_record_cannot_be_replaced_under_its_name_alone() {
    let desk = worked_on();
    let sql =
        "INSERT OR REPLACE INTO record SELECT 99, audit_id, risk_level, source, imported_at, raw_sha256,
      answer_sha256, passages_sha256, sha256, question, given_claims, metadata, 'forged', raw FROM record LIMIT 1";
    assert!(desk.sql().execute_batch(sql).unwrap_err().to_string().contains("never replaced"));
}

#[test]
fn events_have_no_gap_and_follow_on_each_other() {
    let desk = worked_on();
    let columns = "at, annotator, os_user, host, program, act, subject, claim_id, old, new, reason, undoes,
      answer_sha256, passages_sha256, verdict_sha256, payload_sha256";
    for (seq, previous) in [("10", "hash"), ("9", "prev_hash"), ("8", "hash"), ("NULL", "prev_hash")] {
        let sql = format!(
            "INSERT INTO event (seq, {columns}, prev_hash, hash)
             SELECT {seq}, {columns}, {previous}, 'h' FROM event WHERE seq = 8"
        );
        assert!(desk.sql().execute_batch(&sql).is_err(), "{sql}");
    }
}

#[test]
fn verify_names_a_changed_event() {
    for sql in [
        "UPDATE event SET annotator = 'eve' WHERE seq = 3",
        "UPDATE event SET at = replace(at, '.000Z', '.0004Z') WHERE seq = 3",
        "UPDATE event SET old = ' null' WHERE seq = 3",
        "UPDATE event SET hash = replace(hash, substr(hash, 1, 4), 'ffff') WHERE seq = 3",
    ] {
        let problems = after(sql);
        assert!(
            problems.contains(&"event 3: hash does not match its content".to_owned()),
            "{sql}: {problems:?}"
        );
    }
    let problems = after("UPDATE event SET at = 'yesterday' WHERE seq = 3");
    assert!(problems[0].starts_with("event 3: cannot be read"), "{problems:?}");
}

#[test]
fn r16_verify_names_a_missing_event_and_a_broken_order() {
    let problems = after("DELETE FROM event WHERE seq = 3; DELETE FROM event_payload WHERE seq = 3");
    assert_eq!(problems[0], "event 3: missing (after it comes event 4)");
    assert_eq!(problems[1], "event 4: does not follow on the event before it");
    // Cut off the end: the chain itself is whole, but what it left behind shows.
    let problems = after("DELETE FROM event WHERE seq = 8");
    assert!(problems.iter().any(|p| p.contains("disposition")), "{problems:?}");
}

#[test]
fn verify_names_changed_texts() {
    let cases = [
        (
            "UPDATE record SET answer = replace(answer, '8', '9') WHERE id = 1",
            "record rx-1: the answer was changed",
        ),
        ("UPDATE record SET raw = raw || ' ' WHERE id = 2", "record rx-2: the line it came from was changed"),
        (
            "UPDATE record SET risk_level = 'LOW', question = 'Other?' WHERE id = 1",
            "record rx-1: the question is not the one of the line it came from",
        ),
        (
            "UPDATE passage SET content = replace(content, '4', '8') WHERE record_id = 1",
            "record rx-1: passage p2 was changed",
        ),
        (
            "DELETE FROM passage WHERE record_id = 2 AND n = 2",
            "record rx-2: its passages are not the ones it came with",
        ),
        (
            "UPDATE claim SET claim_text = 'other' WHERE id = 2",
            "claim rx-1#2: the claim, its verdict or its citations were changed",
        ),
        (
            "UPDATE verdict SET confidence = 0.8 WHERE claim_id = 3",
            "claim rx-2#1: the claim, its verdict or its citations were changed",
        ),
        (
            "UPDATE citation SET start = 14 WHERE claim_id = 4",
            "claim rx-2#2: the claim, its verdict or its citations were changed",
        ),
        ("DELETE FROM verdict WHERE claim_id = 4", "claim rx-2#2: its verdict is missing"),
        (
            "UPDATE judge SET model = 'better'",
            "claim rx-1#1: the claim, its verdict or its citations were changed",
        ),
        ("UPDATE event_payload SET text = 'other note'", "event 3: its note was changed"),
    ];
    for (sql, expected) in cases {
        let problems = after(sql);
        assert!(problems.iter().any(|p| p == expected), "{sql}: {problems:?}");
    }
}

/// Every column of the evidence and of what is derived, each changed by itself: none is left out.
#[test]
fn verify_sees_a_change_to_any_column() {
    // Working state, which proves nothing: who has what in hand, what is being typed, what other
    // programs left, the file's own facts. And the names of rows, which only hold the rest together.
    const FREE: &[&str] = &["work.attempts", "work.leased_by", "work.leased_until_ms", "counts.id"];
    const WORKING: &[&str] = &["lease", "draft", "saved_view", "inbox", "meta"];
    // Nothing of these is in this store: they have tests of their own.
    const EMPTY: &[&str] =
        &["calibration", "comparison", "comparison_gate", "batch", "batch_item", "pair", "pair_sum"];
    let desk = worked_on_further();
    let connection = desk.sql();
    assert_eq!(after("SELECT 1"), Vec::<String>::new(), "what is not changed is sound");
    let mut unseen = Vec::new();
    let mut statement = connection
        .prepare(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
               AND name NOT LIKE '%_search%' ORDER BY name",
        )
        .unwrap();
    let tables: Vec<String> =
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    drop(statement);
    for table in tables.iter().filter(|table| !WORKING.contains(&table.as_str())) {
        let rows: i64 =
            connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap();
        assert_eq!(rows == 0, EMPTY.contains(&table.as_str()), "{table}: this test tries nothing of it");
        if rows == 0 {
            continue;
        }
        let mut statement = connection.prepare("SELECT name, type, pk FROM pragma_table_info(?1)").unwrap();
        let columns: Vec<(String, String, i64)> = statement
            .query_map([table], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        for (column, kind, pk) in &columns {
            let name = format!("{table}.{column}");
            let is_row_name =
                *pk == 1 && columns.iter().filter(|(_, _, pk)| *pk > 0).count() == 1 && kind == "INTEGER";
            if FREE.contains(&name.as_str()) || is_row_name {
                continue;
            }
            let other = match kind.as_str() {
                "TEXT" => format!("coalesce(\"{column}\", '') || 'x'"),
                "INTEGER" => format!("coalesce(\"{column}\", 0) + 7000"),
                _ => format!("coalesce(\"{column}\", 0.5) / 2"),
            };
            // As somebody would who knows the schema: labels stay labels, nothing else stays out.
            let label = match name.as_str() {
                "record.risk_level" => "CASE risk_level WHEN 'LOW' THEN NULL ELSE 'LOW' END",
                "verdict.state" => "CASE state WHEN 'JUDGED' THEN 'UNGROUNDED' ELSE 'JUDGED' END",
                "verdict.verdict" | "decision.verdict" | "opinion.verdict" => {
                    "CASE verdict WHEN 'UNSUPPORTED' THEN 'CONTRADICTED' ELSE 'UNSUPPORTED' END"
                }
                "verdict.severity" | "decision.severity" | "opinion.severity" => {
                    "CASE severity WHEN 'LOW' THEN NULL ELSE 'LOW' END"
                }
                "verdict.hallucination_type"
                | "decision.hallucination_type"
                | "opinion.hallucination_type" => "'DISTORTION'",
                "opinion.independent" => "1 - independent",
                "opinion.fills" => "1 - fills",
                "citation.role" => "'supports'",
                "citation.match" => "'NORMALIZED'",
                "work.state" => "CASE state WHEN 'done' THEN 'failed' ELSE 'done' END",
                "verdict.support" | "queue.severity_rank" | "queue.verdict_rank" => "2",
                "queue.current" | "queue.open" => &format!("1 - \"{column}\""),
                "event.act" => "'FLAG'",
                "event.reason" | "decision.reason" => "'OTHER'",
                "exchange.purpose" => "'REPAIR'",
                "exchange.ending" => "'EMPTY'",
                "exchange.record_id" => "(SELECT max(id) FROM record)",
                "run_exchange.exchange_id" => "(SELECT max(id) FROM exchange)",
                "decision.kind" => "'OVERRIDDEN'",
                "disposition.disposition" => "'BLOCK'",
                _ => &other,
            };
            let row = format!("(SELECT min(rowid) FROM {table})");
            let keys: Vec<&str> =
                columns.iter().filter(|(_, _, pk)| *pk > 0).map(|(name, ..)| name.as_str()).collect();
            let without_rowid = connection
                .query_row("SELECT wr FROM pragma_table_list(?1)", [table], |row| row.get::<_, bool>(0))
                .unwrap();
            let which = if without_rowid {
                let keys = keys.join(", ");
                format!("({keys}) = (SELECT {keys} FROM {table} LIMIT 1)")
            } else {
                format!("rowid = {row}")
            };
            let problems = after(&format!(
                "PRAGMA ignore_check_constraints = 1; UPDATE {table} SET \"{column}\" = {label} WHERE {which};"
            ));
            if problems.is_empty() {
                unseen.push(name);
            }
        }
    }
    assert_eq!(unseen, Vec::<String>::new());
}

const RUN: &str = "record rx-1: audit 1, its judge, its claims, why they are in the queue, its sentences without a claim, or the exchanges it rests on were changed";

#[test]
fn verify_names_what_came_with_a_record_and_its_run() {
    let cases = [
        ("UPDATE record SET metadata = '{}' WHERE id = 1", "record rx-1: its metadata is not the one of the line it came from"),
        ("UPDATE record SET given_claims = '[]' WHERE id = 3", "record rx-3: the list of given claims is not the one of the line it came from"),
        ("UPDATE record SET risk_level = NULL WHERE id = 3", "record rx-3: the risk level is not the one of the line it came from"),
        ("UPDATE record SET question = NULL WHERE id = 1", "record rx-1: the question is not the one of the line it came from"),
        ("UPDATE passage SET metadata = '{}' WHERE record_id = 1", "record rx-1: the evidence is not the one of the line it came from"),
        ("UPDATE passage SET passage_id = 'p9' WHERE id = 1", "record rx-1: its passages are not the ones it came with"),
        ("UPDATE passage SET n = 3 - n + 10 WHERE record_id = 1", "record rx-1: its passages are not the ones it came with"),
        ("UPDATE passage SET n = n + 10 WHERE record_id = 1", "record rx-1: what came with it, or where and when it came from, was changed"),
        ("UPDATE record SET source = 'elsewhere' WHERE id = 1", "record rx-1: what came with it, or where and when it came from, was changed"),
        ("UPDATE queue SET arrived_ms = 7 WHERE claim_id = 1", "claim rx-1#1: when it arrived is not when its record came in"),
        ("UPDATE work SET risk_rank = 4 WHERE record_id = 1", "record rx-1: how far its audit is, or its turn, does not follow from its runs and its risk"),
        ("UPDATE queue SET why = '[]' WHERE claim_id = 1", RUN),
        ("UPDATE no_claim SET reason = 'OPINION'", RUN),
        ("DELETE FROM no_claim", RUN),
        ("UPDATE run SET started_at = finished_at || '' , instrument = 'support' WHERE id = 1", RUN),
        ("UPDATE judge SET settings = '{}'", RUN),
        ("DELETE FROM citation WHERE claim_id = 5; DELETE FROM verdict WHERE claim_id = 5; DELETE FROM queue WHERE claim_id = 5;
          DELETE FROM claim WHERE id = 5", "record rx-3: audit 1, its judge, its claims, why they are in the queue, its sentences without a claim, or the exchanges it rests on were changed"),
        ("UPDATE claim SET given_id = 'g-2' WHERE id = 5", "claim rx-3#1: the claim, its verdict or its citations were changed"),
        ("UPDATE verdict SET support = 5 WHERE claim_id = 1", "claim rx-1#1: the claim, its verdict or its citations were changed"),
    ];
    for (sql, expected) in cases {
        let problems = after(sql);
        assert!(problems.iter().any(|p| p == expected), "{sql}: {problems:?}");
    }
}

#[test]
fn a_line_of_the_claim_form_is_compared_too() {
    let mut desk = desk();
    let mut new = crate::fixture::line_of(&record("d:7"));
    new.record.given_claims = vec![GivenClaim { claim_id: None, claim_text: new.record.answer.clone() }];
    new.raw = serde_json::json!({
        "dataset": "d", "id": "7", "claim": new.record.answer, "evidence": new.record.passages,
        "question": new.record.question, "metadata": new.record.metadata,
    })
    .to_string();
    desk.store.import(&[new], crate::fixture::START).unwrap();
    assert_eq!(report(&desk).problems, Vec::<String>::new());
    desk.sql().execute_batch("DROP TRIGGER record_no_update; UPDATE record SET given_claims = '[]'").unwrap();
    let problems = report(&desk).problems;
    assert!(
        problems.contains(
            &"record d:7: the list of given claims is not the one of the line it came from".to_owned()
        ),
        "{problems:?}"
    );
}

#[test]
fn verify_names_an_answer_whose_hashes_were_changed_with_it() {
    let answer = "forged";
    let hash = juror::domain::event::sha256_hex([answer]);
    let problems =
        after(&format!("UPDATE record SET answer = '{answer}', answer_sha256 = '{hash}' WHERE id = 1"));
    assert!(problems.contains(&"record rx-1: the answer is not the one of the line it came from".to_owned()));
    assert!(
        problems.contains(&"event 1: ana saw another answer of rx-1#1 than the one stored".to_owned()),
        "{problems:?}"
    );
}

#[test]
fn verify_names_a_projection_that_does_not_follow() {
    let cases = [
        (
            "DELETE FROM decision WHERE claim_id = 1",
            "claim rx-1#1: what is shown of ana's work does not follow from the events",
        ),
        (
            "UPDATE decision SET verdict = 'UNSUPPORTED' WHERE claim_id = 2",
            "claim rx-1#2: what is shown of ana's work does not follow from the events",
        ),
        (
            "INSERT INTO flag VALUES (1, 'eve', 1, NULL)",
            "claim rx-1#1: what is shown of eve's work does not follow from the events",
        ),
        ("DELETE FROM skip", "claim rx-2#1: what is shown of bo's work does not follow from the events"),
        (
            "UPDATE disposition SET disposition = 'BLOCK'",
            "record rx-1: its disposition does not follow from the events",
        ),
        (
            "UPDATE queue SET open = 0 WHERE claim_id = 3",
            "claim rx-2#1: whether it is open does not follow from runs, decisions and dispositions",
        ),
        (
            "UPDATE queue SET severity_rank = 3, place = place + 100000 WHERE claim_id = 3",
            "claim rx-2#1: the severity by which it is ranked does not follow from its verdict and what people say",
        ),
        (
            "UPDATE queue SET judged_rank = 3 WHERE claim_id = 3",
            "claim rx-2#1: its place in the queue does not follow from its verdict",
        ),
        (
            "UPDATE queue SET open = 2 WHERE claim_id = 3",
            "claim rx-2#1: whether it is open does not follow from runs, decisions and dispositions",
        ),
        ("DELETE FROM queue WHERE claim_id = 3", "claim rx-2#1: CONTRADICTED, but missing from the queue"),
        (
            "INSERT INTO to_dispose SELECT id FROM run WHERE record_id = 2",
            "record rx-2: whether it waits for its disposition does not follow from its decisions",
        ),
        ("UPDATE counts SET open = open - 1", "the totals do not add up"),
        ("UPDATE decided SET n = 7", "the number of ana's decisions does not add up"),
        (
            "UPDATE work SET run_id = NULL WHERE record_id = 2",
            "record rx-2: how far its audit is, or its turn, does not follow from its runs and its risk",
        ),
    ];
    for (sql, expected) in cases {
        let problems = after(sql);
        assert!(problems.iter().any(|p| p == expected), "{sql}: {problems:?}");
    }
}

#[test]
fn verify_names_a_guard_that_is_gone() {
    let desk = worked_on();
    desk.sql()
        .execute_batch(
            "DROP TRIGGER event_no_update; CREATE TRIGGER mine AFTER INSERT ON event BEGIN SELECT 1; END",
        )
        .unwrap();
    let problems = report(&desk).problems;
    assert_eq!(
        problems,
        [
            "trigger event_no_update is missing from the schema",
            "trigger mine does not belong to a juror store"
        ]
    );
}

#[test]
fn bytes_cannot_move_between_a_note_and_its_salt() {
    const CHANGED: &str = "event 3: its note was changed";
    for sql in [
        "UPDATE event_payload SET salt = salt || 'zebra ', text = 'note'",
        "UPDATE event_payload SET salt = substr(salt, 1, 31), text = substr(salt, 32) || text",
        "UPDATE event_payload SET salt = upper(salt) || ''",
    ] {
        let problems = after(&format!("PRAGMA ignore_check_constraints = 1; {sql}"));
        assert!(problems.iter().any(|p| p == CHANGED), "{sql}: {problems:?}");
    }
    let sql = "INSERT INTO event_payload SELECT 8, salt || 'x', text FROM event_payload";
    let error = worked_on().sql().execute_batch(sql).unwrap_err();
    assert!(error.to_string().contains("CHECK"), "{error}");
}

#[test]
fn a_note_can_be_erased_and_the_chain_stays_whole() {
    let desk = worked_on();
    let error = desk.sql().execute_batch("DELETE FROM event_payload WHERE seq = 3").unwrap_err();
    assert!(error.to_string().contains("juror erase"), "{error}");
    let mut desk = desk;
    let erased = desk.store.erase(3, "names a patient", &actor("lead"), at(9)).unwrap();
    assert_eq!((erased.event.seq, erased.author.as_str(), erased.is_folded), (10, "ana", true));
    let report = report(&desk);
    assert_eq!((report.problems.len(), report.erased), (0, 1), "{:?}", report.problems);
    let zebra = "is:any zebra".parse().unwrap();
    assert_eq!(desk.store.found_count(&zebra, at(9)).unwrap(), 0, "what was erased is not found either");
    let left = "SELECT count(*) FROM note_search_data WHERE instr(block, CAST('zebra' AS BLOB))";
    let left: i64 = desk.sql().query_row(left, [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0, "and its words have left the index");
}

#[test]
fn verify_names_what_the_search_index_holds_wrongly() {
    let as_it_was = "INSERT INTO claim_search (claim_search, rowid, claim_text)
        SELECT 'delete', id, claim_text FROM claim WHERE id = 3;";
    for (sql, row) in [
        (
            format!("{as_it_was} INSERT INTO claim_search (rowid, claim_text) VALUES (3, 'nothing');"),
            "claim rx-2#1: the search index does not hold the words that stand there",
        ),
        (
            "INSERT INTO answer_search (answer_search, rowid, answer) SELECT 'delete', id, answer FROM record
             WHERE id = 2; INSERT INTO answer_search (rowid, answer) SELECT 2, answer || ' zebra' FROM record
             WHERE id = 2;"
                .to_owned(),
            "record rx-2: the search index does not hold",
        ),
        (
            "INSERT INTO note_search (note_search, rowid, text) VALUES ('delete', 3, 'zebra note');
             INSERT INTO note_search (rowid, text) VALUES (3, 'other note');"
                .to_owned(),
            "event 3, note: the search index does not hold",
        ),
        ("DELETE FROM claim_search_data WHERE id > 10".to_owned(), "claim_search"),
        (
            as_it_was.to_owned(),
            "claim_search: the search index does not hold what it should (rows that differ: 1)",
        ),
    ] {
        let desk = worked_on();
        desk.sql().execute_batch(&sql).unwrap();
        let problems = report(&desk).problems;
        assert!(problems.iter().any(|problem| problem.contains(row)), "{sql}: {problems:?}");
    }
    // The sentence says how to mend it, and that does.
    let desk = worked_on();
    desk.sql()
        .execute_batch(&format!(
            "{as_it_was} INSERT INTO claim_search (rowid, claim_text) VALUES (3, 'nothing');"
        ))
        .unwrap();
    assert!(report(&desk).problems[0].contains("INSERT INTO claim_search (claim_search) VALUES ('rebuild')"));
    desk.sql().execute_batch("INSERT INTO claim_search (claim_search) VALUES ('rebuild')").unwrap();
    assert_eq!(desk.again().verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn r11_nothing_of_nobody_takes_a_claim_out_of_the_queue() {
    const HIDE: &str = "UPDATE queue SET current = 0, open = 0 WHERE claim_id = 3;
        INSERT INTO to_dispose SELECT run_id FROM claim WHERE id = 3 AND 0;";
    for (table, values) in [
        ("replaced", "3, CAST(x'ff' AS TEXT), 1"),
        ("made", "3, CAST(x'ff' AS TEXT), 1"),
        (
            "opinion",
            "CAST(x'ff' AS TEXT), 3, 'UNSUPPORTED', NULL, NULL, NULL, 1, 1, '2027-01-01T00:00:00.000Z', NULL, 1",
        ),
        ("skip", "CAST(x'ff' AS TEXT), 3"),
        ("flag", "3, CAST(x'ff' AS TEXT), 1, NULL"),
    ] {
        let problems = after(&format!("{HIDE} INSERT INTO {table} VALUES ({values});"));
        assert!(
            problems
                .iter()
                .any(|problem| problem.contains("whose name is no text") && problem.contains("rx-2#1")),
            "{table}: {problems:?}"
        );
        let is_no_text = |problem: &String| problem.ends_with("annotator is not UTF-8 text");
        assert!(problems.iter().any(is_no_text), "{table}: {problems:?}");
    }
    // Of somebody, it does not follow from an event.
    let problems = after(&format!("{HIDE} INSERT INTO replaced VALUES (3, 'ana', 1);"));
    assert!(problems.iter().any(|problem| problem.contains("ana's work does not follow")), "{problems:?}");
}

#[test]
fn a_disposition_that_was_not_before_the_person_is_not_overruled() {
    let mut desk = desk();
    let keys = desk.audited(&record("rx-1"), vec![contradicted("c")]);
    let (ana, ben) = (actor("ana"), actor("ben"));
    desk.store.decide(keys[0], &Request::Confirm, Basis::default(), &ana, at(1)).unwrap();
    let key = desk.detail(keys[0], "ana").record_key;
    let blocked = Disposing { note: Some("8 g".to_owned()), ..Disposition::Block.into() };
    desk.store.dispose(key, blocked, Basis::default(), &ben, at(2)).unwrap();
    let release = Disposing { replaces: None, ..desk.release(key) };
    for asked in [release.clone(), Disposition::Return.into(), Disposition::Block.into()] {
        let why = desk.store.dispose(key, asked, Basis::default(), &ana, at(3)).unwrap_err().to_string();
        assert!(why.starts_with("ben gave rx-1 BLOCK at ") && why.contains("\u{201c}8 g\u{201d}"), "{why}");
    }
    assert_eq!(desk.events().len(), 2);
    // Who saw it stand may: and a second window of the same person has seen nothing of that.
    let replaces = desk.store.disposition(key).unwrap();
    desk.store.dispose(key, Disposing { replaces, ..release }, Basis::default(), &ana, at(4)).unwrap();
    let why = desk.store.dispose(key, Disposition::Return, Basis::default(), &ana, at(5)).unwrap_err();
    assert!(why.to_string().starts_with("you gave rx-1 RELEASE at "), "{why}");
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}
