//! The log of what models were asked: kept, found again, counted, and shown to who asks why.

use std::time::Duration;

use juror::domain::exchange::{Ending, Exchange, Purpose, Tokens};
use juror::domain::finding::RunResult;
use juror::domain::ids::{AuditId, ExchangeKey};
use juror::domain::routing::Policy;
use juror::store::{Damaged, Durability, ExchangesOf, KeptExchange, Store, StoreError};

use crate::fixture::{Desk, START, TTL, at, bare, contradicted, desk, exchange, record, run};
use crate::guards::after;

fn id(name: &str) -> AuditId {
    AuditId::new(name)
}

fn keep(desk: &mut Desk, exchange: &Exchange) -> ExchangeKey {
    desk.store.keep_exchange(exchange).unwrap()
}

fn read(desk: &Desk, which: ExchangesOf<'_>) -> Vec<Result<KeptExchange, Damaged>> {
    let keys = desk.store.exchange_keys(which, None, None).unwrap();
    keys.into_iter().map(|key| desk.store.exchange(key).unwrap()).collect()
}

fn of_record(desk: &Desk, name: &str) -> Vec<KeptExchange> {
    read(desk, ExchangesOf::Record(&id(name))).into_iter().map(Result::unwrap).collect()
}

fn keys(kept: &[KeptExchange]) -> Vec<ExchangeKey> {
    kept.iter().map(|kept| kept.key).collect()
}

#[test]
fn what_is_unknown_stays_unknown_and_is_no_zero() {
    let mut desk = desk();
    desk.import(&record("rx-1"));
    let full = exchange(Some("rx-1"), "q", Ending::Valid);
    let unknown = bare(exchange(Some("rx-1"), "q", Ending::Broken));
    let zero = Exchange {
        tokens: Tokens { input: Some(0), cached: Some(0), output: Some(0), reasoning: Some(0) },
        cost_micros: Some(0),
        latency: Duration::ZERO,
        ..full.clone()
    };
    for one in [&full, &unknown, &zero] {
        keep(&mut desk, one);
    }
    let kept = of_record(&desk, "rx-1");
    assert_eq!(kept.iter().map(|kept| &kept.exchange).collect::<Vec<_>>(), [&full, &unknown, &zero]);
    let null: i64 = desk
        .sql()
        .query_row(
            "SELECT count(*) FROM exchange WHERE cost_micros IS NULL AND input_tokens IS NULL AND status IS NULL",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(null, 1);
}

#[test]
fn a_count_that_no_column_can_hold_is_unknown() {
    let mut desk = desk();
    let boundless = Exchange {
        tokens: Tokens { input: Some(u64::MAX), ..Tokens::default() },
        cost_micros: Some(i64::MAX as u64),
        ..exchange(None, "q", Ending::Valid)
    };
    let key = keep(&mut desk, &boundless);
    let kept = desk.store.exchange(key).unwrap().unwrap().exchange;
    assert_eq!((kept.tokens.input, kept.cost_micros), (None, Some(i64::MAX as u64)));
}

#[test]
fn the_last_valid_answer_to_a_question_is_found_again_and_nothing_else() {
    let mut desk = desk();
    assert_eq!(desk.store.answered("q").unwrap(), None);
    for ending in Ending::ALL.iter().filter(|ending| **ending != Ending::Valid) {
        keep(&mut desk, &exchange(None, "q", *ending));
    }
    assert_eq!(desk.store.answered("q").unwrap(), None, "only a valid reply is an answer");
    keep(&mut desk, &exchange(None, "q", Ending::Valid));
    let last =
        keep(&mut desk, &Exchange { raw_reply: "the last".into(), ..exchange(None, "q", Ending::Valid) });
    keep(&mut desk, &exchange(None, "q", Ending::Faulty));
    let found = desk.again().answered("q").unwrap().expect("answered");
    assert_eq!((found.key, found.status, found.raw_reply.as_str()), (last, 200, "the last"));
    assert_eq!(desk.store.answered("q2").unwrap(), None);
}

#[test]
fn a_repair_is_found_with_the_reply_that_it_mended_though_the_same_was_asked_twice_at_once() {
    let mut desk = desk();
    let repair = |mends| Exchange { purpose: Purpose::Repair, mends, ..exchange(None, "q", Ending::Valid) };
    let misread = |text: &str| Exchange { raw_reply: text.into(), ..exchange(None, "q", Ending::Misshapen) };
    keep(&mut desk, &repair(None));
    assert_eq!(desk.store.answered("q").unwrap(), None, "of what nobody knows, it is none");
    // Two pairs that are alike, of no record, each with a reply that cannot be read.
    let first = keep(&mut desk, &misread("the first"));
    let second = keep(&mut desk, &misread("the second"));
    let repaired =
        |desk: &Desk| desk.store.answered("q").unwrap().and_then(|found| found.repaired).expect("repaired");
    for (key, text) in [(first, "the first"), (second, "the second"), (first, "the first")] {
        keep(&mut desk, &repair(Some(key)));
        let found = repaired(&desk);
        assert_eq!((found.key, found.status, found.raw_reply.as_str()), (key, 200, text));
    }
    let kept = desk.again().exchange(ExchangeKey(4)).unwrap().unwrap();
    assert_eq!(kept.exchange.mends, Some(first));
    keep(&mut desk, &exchange(None, "q", Ending::Valid));
    assert_eq!(desk.store.answered("q").unwrap().expect("answered").repaired, None);
}

#[test]
fn an_audit_is_shown_with_its_exchanges_in_order_and_a_record_with_those_of_audits_never_finished() {
    let mut desk = desk();
    desk.import(&record("rx-1"));
    let broken = keep(&mut desk, &exchange(Some("rx-1"), "q", Ending::Broken));
    let first = keep(&mut desk, &exchange(Some("rx-1"), "q", Ending::Limited));
    let second = keep(&mut desk, &exchange(Some("rx-1"), "q", Ending::Valid));
    // As the judge names them, not as they were kept.
    let claims = desk.audit_by(vec![contradicted("one"), contradicted("two")], &[second, first], at(5));
    for claim in claims {
        let of_claim: Vec<_> =
            read(&desk, ExchangesOf::Claim(claim)).into_iter().map(Result::unwrap).collect();
        assert_eq!(keys(&of_claim), [second, first]);
        assert_eq!(of_claim[0].runs, [(id("rx-1"), 1)]);
    }
    let kept = of_record(&desk, "rx-1");
    assert_eq!(keys(&kept), [broken, first, second]);
    assert_eq!((kept[0].runs.len(), kept[2].runs.len()), (0, 1));

    // Asked again: the same answer serves another audit, and that of another record.
    desk.store.requeue_records(juror::store::RequeueFilter::All).unwrap();
    desk.audit_by(vec![contradicted("one")], &[second], at(6));
    desk.import(&record("rx-2"));
    desk.audit_by(vec![contradicted("one")], &[second], at(7));
    let kept = of_record(&desk, "rx-2");
    assert_eq!(keys(&kept), [second]);
    assert_eq!(kept[0].runs, [(id("rx-1"), 1), (id("rx-1"), 2), (id("rx-2"), 1)]);
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
    let missing = desk.store.exchange_keys(ExchangesOf::Record(&id("rx-9")), None, None).unwrap_err();
    assert!(matches!(missing, StoreError::NoSuchRecord(_)), "{missing}");
}

#[test]
fn the_judge_in_use_is_the_one_that_audited_or_was_asked_last() {
    let mut desk = desk();
    assert_eq!(desk.store.judge_in_use().unwrap(), None);
    desk.import(&record("rx-1"));
    keep(&mut desk, &exchange(Some("rx-1"), "q", Ending::Broken));
    assert_eq!(desk.store.judge_in_use().unwrap().as_deref(), Some("cloud"), "asked, and nothing came of it");
    desk.audit_by(vec![contradicted("one")], &[], at(5));
    assert_eq!(desk.store.judge_in_use().unwrap(), Some(run(Vec::new()).identity.judge));
    keep(&mut desk, &Exchange { at: at(6), ..exchange(Some("rx-1"), "q", Ending::Limited) });
    assert_eq!(desk.store.judge_in_use().unwrap().as_deref(), Some("cloud"));
}

#[test]
fn the_last_of_all_exchanges_or_of_a_judge_come_in_order() {
    let mut desk = desk();
    let mut all = Vec::new();
    for n in 0..6 {
        let judge = if n % 2 == 0 { "cloud" } else { "other" };
        all.push(keep(&mut desk, &Exchange { judge: judge.into(), ..exchange(None, "q", Ending::Valid) }));
    }
    let asked = |judge, limit| desk.store.exchange_keys(ExchangesOf::Everything, judge, limit).unwrap();
    assert_eq!(asked(None, None), all);
    assert_eq!(asked(None, Some(2)), all[4..]);
    assert_eq!(asked(Some("other"), Some(2)), [all[3], all[5]]);
    assert_eq!(asked(Some("nobody"), None), []);
    let count = |judge| desk.store.exchange_count(ExchangesOf::Everything, judge).unwrap();
    assert_eq!((count(None), count(Some("other")), count(Some("nobody"))), (6, 3, 0));
}

#[test]
fn an_exchange_about_a_record_that_is_not_here_is_refused() {
    let mut desk = desk();
    let error = desk.store.keep_exchange(&exchange(Some("rx-1"), "q", Ending::Valid)).unwrap_err();
    assert!(matches!(error, StoreError::NoSuchRecord(_)), "{error}");
}

#[test]
fn an_audit_that_rests_on_an_exchange_of_another_store_is_not_stored() {
    let mut desk = desk();
    desk.import(&record("rx-1"));
    let lease = desk.store.lease_next_record("auditor", START, TTL).unwrap().unwrap();
    let result = RunResult { exchanges: vec![ExchangeKey(7)], ..run(vec![contradicted("one")]) };
    let stored = desk.store.finish_run(&lease, "auditor", &result, &Policy::default(), START, START);
    let error = stored.unwrap_err();
    assert!(error.is_about_content() && error.to_string().contains("exchange 7"), "{error}");
    let runs: i64 = desk.sql().query_row("SELECT count(*) FROM run", [], |row| row.get(0)).unwrap();
    assert_eq!(runs, 0);
}

#[test]
fn j65_a_log_cut_off_by_a_crash_is_whole_up_to_its_last_exchange() {
    let mut desk = desk();
    let long = "reply 💊 ".repeat(100_000);
    for _ in 0..3 {
        keep(&mut desk, &Exchange { raw_reply: long.clone(), ..exchange(None, "q", Ending::Valid) });
    }
    // What a killed process leaves: the file and its log, the last entry cut short.
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("juror.db");
    let wal = |path: &std::path::Path| path.with_extension("db-wal");
    std::fs::copy(&desk.path, &copy).unwrap();
    let log = std::fs::read(wal(&desk.path)).unwrap();
    std::fs::write(wal(&copy), &log[..log.len() - 500_000]).unwrap();
    let mut store = Store::open(&copy, Durability::Normal).unwrap();
    assert_eq!(store.verify().unwrap().problems, Vec::<String>::new());
    let left = store.exchange_keys(ExchangesOf::Everything, None, None).unwrap();
    assert_eq!(left, [ExchangeKey(1), ExchangeKey(2)]);
    assert_eq!(store.exchange(left[1]).unwrap().unwrap().exchange.raw_reply, long);
    store.keep_exchange(&exchange(None, "q", Ending::Valid)).unwrap();
}

#[test]
fn j68_two_writers_of_one_log_never_give_a_key_twice_nor_lose_an_exchange() {
    let desk = desk();
    let path = desk.path.clone();
    let keys: Vec<ExchangeKey> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|n| {
                let path = &path;
                scope.spawn(move || {
                    let mut store = Store::open(path, Durability::Normal).unwrap();
                    let question = format!("q-{n}");
                    (0..50)
                        .map(|_| store.keep_exchange(&exchange(None, &question, Ending::Valid)).unwrap())
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    let mut sorted = keys.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!((keys.len(), sorted.len()), (200, 200));
    assert_eq!(desk.store.exchange_keys(ExchangesOf::Everything, None, None).unwrap(), sorted);
}

#[test]
fn a_reply_of_sixteen_megabytes_is_kept_whole() {
    let mut desk = desk();
    let long = "\u{1}💊\0\u{7f}é".repeat(16 << 17);
    assert!(long.len() > 16 << 20);
    let key = keep(&mut desk, &Exchange { raw_reply: long.clone(), ..exchange(None, "q", Ending::Valid) });
    assert!(desk.again().exchange(key).unwrap().unwrap().exchange.raw_reply == long);
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn a_changed_exchange_is_named() {
    for (sql, expected) in [
        (
            "UPDATE exchange SET raw_reply = replace(raw_reply, '💊', '💉') WHERE id = 2",
            "exchange 2 (record rx-1): what was sent or came back was changed",
        ),
        (
            "UPDATE exchange SET cost_micros = 0 WHERE id = 1",
            "exchange 1 (record rx-1): what was sent or came back was changed",
        ),
        (
            "UPDATE exchange SET detail = '' WHERE id = 3",
            "exchange 3: what was sent or came back was changed",
        ),
        (
            "UPDATE exchange SET raw_reply = CAST(x'ff' AS TEXT) WHERE id = 3",
            "exchange 3: its raw reply is not UTF-8 text",
        ),
        (
            "DELETE FROM run_exchange WHERE n = 2",
            "record rx-1: audit 1, its judge, its claims, why they are in the queue, its sentences without a claim, \
             or the exchanges it rests on were changed",
        ),
    ] {
        let problems = after(sql);
        assert!(problems.iter().any(|problem| problem == expected), "{sql}: {problems:?}");
    }
}

#[test]
fn a_damaged_exchange_keeps_no_other_from_being_read() {
    let mut desk = desk();
    desk.import(&record("rx-1"));
    for _ in 0..3 {
        keep(&mut desk, &exchange(Some("rx-1"), "q", Ending::Valid));
    }
    desk.sql()
        .execute_batch(
            "DROP TRIGGER exchange_no_update; UPDATE exchange SET sent_at = 'yesterday' WHERE id = 2;
             UPDATE exchange SET raw_reply = CAST(x'61ff' AS TEXT) WHERE id = 3",
        )
        .unwrap();
    let read = read(&desk, ExchangesOf::Record(&id("rx-1")));
    assert!(read[0].is_ok());
    assert_eq!(read[1].as_ref().unwrap_err().what, "exchange 2");
    let shown = &read[2].as_ref().unwrap().exchange.raw_reply;
    assert!(shown.contains("damaged") && shown.ends_with("a\u{fffd}"), "{shown}");
}

#[test]
fn the_content_mark_covers_exchanges_that_no_audit_rests_on() {
    let mut desk = desk();
    keep(&mut desk, &exchange(None, "q", Ending::Valid));
    let noted = desk.store.verify().unwrap().content;
    assert_eq!(noted.exchanges, 1);
    keep(&mut desk, &Exchange { purpose: Purpose::Probe, ..exchange(None, "q", Ending::Denied) });
    assert!(desk.store.verify_against(Some(&noted)).unwrap().is_sound(), "what comes later changes nothing");
    // Taken away by somebody who knows the schema.
    desk.sql()
        .execute_batch(
            "CREATE TEMP TABLE guard AS SELECT sql FROM sqlite_master WHERE name = 'exchange_no_delete';
             DROP TRIGGER exchange_no_delete; DELETE FROM exchange WHERE id = 1;
             CREATE TRIGGER exchange_no_delete BEFORE DELETE ON exchange BEGIN SELECT RAISE(ABORT, 'an exchange is never deleted'); END",
        )
        .unwrap();
    let problems = desk.store.verify_against(Some(&noted)).unwrap().problems;
    assert!(problems.len() == 1 && problems[0].contains("and 1 exchanges are not"), "{problems:?}");
}

#[test]
fn no_column_of_the_file_is_there_for_a_key() {
    let desk = desk();
    let sql = desk.sql();
    let mut statement = sql
        .prepare(
            "SELECT m.name || '.' || c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
             WHERE m.type = 'table' ORDER BY 1",
        )
        .unwrap();
    let columns: Vec<String> =
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert!(columns.iter().any(|column| column == "exchange.endpoint"));
    for column in columns {
        for word in ["key", "token_secret", "authorization", "header", "password", "credential"] {
            assert!(!column.contains(word), "{column}");
        }
    }
}

#[test]
fn the_secret_for_fences_is_the_stores_own_and_not_its_lot_secret() {
    let desk = desk();
    let fence = desk.store.fence_secret().unwrap();
    assert_eq!(fence, desk.again().fence_secret().unwrap(), "always the same");
    assert_ne!(fence, crate::fixture::desk().store.fence_secret().unwrap(), "another store has another");
    let lots: String =
        desk.sql().query_row("SELECT value FROM meta WHERE name = 'secret'", [], |row| row.get(0)).unwrap();
    assert!(fence.len() == 64 && fence != lots);
}
