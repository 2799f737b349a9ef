//! `juror exchanges`: what models were asked, for people and for programs.

use std::time::Duration;

use juror::domain::exchange::{Ending, Exchange, Purpose, Tokens};
use juror::domain::ids::AuditId;
use juror::domain::time::Timestamp;
use juror::store::{Durability, Store};
use serde_json::Value;

use crate::world::{World, fits, line};

const HOSTILE: &str = "{\"a\": \"\u{1b}[2J\u{202e}\"}\n2026-11-29 19:39:41  rx-1  200  VALID\u{7}";

fn exchange(id: Option<&str>, ending: Ending) -> Exchange {
    Exchange {
        at: Timestamp::from_millis(1_780_000_000_123),
        audit_id: id.map(AuditId::new),
        mends: None,
        instrument: "faithfulness".into(),
        purpose: Purpose::Repair,
        part: 2,
        attempt: 3,
        judge: "cloud".into(),
        endpoint: "https://api.example.com/v1/chat/completions".into(),
        prompt_version: "faithfulness-3".into(),
        prompt_sha256: "cd".repeat(32),
        question_sha256: "12".repeat(32),
        request_sha256: "ef".repeat(32),
        model_asked: "m-1".into(),
        model_answered: Some("m-1-2026\u{1b}[31m".into()),
        parameters: serde_json::json!({"temperature": 0}),
        status: Some(200),
        request_id: None,
        raw_reply: HOSTILE.into(),
        latency: Duration::from_millis(1230),
        tokens: Tokens { input: Some(900), cached: None, output: Some(120), reasoning: None },
        cost_micros: Some(4200),
        ending,
        detail: "a fence\nwas around it".into(),
    }
}

/// A store with two audited records, and exchanges about the first of them and about none.
fn asked() -> World {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), line("rx-2", "Take 4 g.")]);
    let mut store = Store::open(&world.db(), Durability::Normal).unwrap();
    let unknown = Exchange {
        judge: "other".into(),
        model_answered: None,
        status: None,
        tokens: Tokens::default(),
        cost_micros: None,
        raw_reply: String::new(),
        detail: "connection refused".into(),
        ..exchange(None, Ending::Broken)
    };
    for one in [unknown, exchange(Some("rx-1"), Ending::Misshapen), exchange(Some("rx-1"), Ending::Valid)] {
        store.keep_exchange(&one).unwrap();
    }
    world
}

#[test]
fn people_read_two_lines_an_exchange_and_what_all_came_to() {
    let world = asked();
    insta::assert_snapshot!(world.run(&["exchanges"]).ended(0).out());
    let run = world.run(&["exchanges", "--limit", "1"]).ended(0);
    assert!(run.out().contains("  VALID ") && !run.out().contains("MISSHAPEN"), "{}", run.out());
    assert!(run.stderr.contains("the last 1 of 3 exchanges"), "{}", run.stderr);
    let run = world.run(&["exchanges", "--audit-id", "rx-1"]).ended(0);
    assert!(run.out().ends_with("2 exchanges, 1 VALID, $0.0084 in all\n"), "{}", run.out());
    // Neither name is in the settings.
    let run = world.run(&["exchanges", "--judge", "other"]).ended(0);
    assert!(run.out().ends_with("1 exchange, 0 VALID, cost unknown of 1\n"), "{}", run.out());
    let run = world.run(&["exchanges", "--judge", "nobody"]).ended(0);
    assert_eq!(run.out(), "no exchange of a judge `nobody` here\n");
}

#[test]
fn nothing_of_a_raw_reply_reaches_the_terminal_raw_nor_passes_for_a_line_of_the_table() {
    let world = asked();
    for arguments in [["exchanges", "--raw"], ["exchanges", "--json"]] {
        let run = world.run(&arguments).ended(0);
        let bad = run.out().chars().find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
        assert_eq!(bad, None, "{arguments:?}");
    }
    let run = world.run(&["exchanges", "--raw"]).ended(0);
    assert!(run.out().contains("  | {\"a\": \"␛[2J⟨RLO⟩\"}\n  | 2026-11-29 19:39:41  rx-1"), "{}", run.out());
}

#[test]
fn programs_read_one_array_with_the_raw_replies() {
    let world = asked();
    let json = world.run(&["exchanges", "--json"]).ended(0).json();
    fits("exchanges", &json);
    let all = json.as_array().unwrap();
    assert_eq!(all.len(), 3);
    assert_eq!(
        (&all[0]["cost_micros"], &all[0]["status"], &all[0]["audit_id"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert_eq!(all[2]["raw_reply"], HOSTILE);
    assert_eq!(all[2]["tokens"]["input"], 900);
    let claim = world.run(&["exchanges", "--claim", "rx-2#1", "--json"]).ended(0);
    assert_eq!(claim.out(), "[]\n");
    let schema =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/schemas/exchanges.json"))
            .unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let listed = |field: &str| schema["items"]["properties"][field]["enum"].clone();
    assert_eq!(listed("ending"), serde_json::to_value(Ending::ALL).unwrap());
    assert_eq!(listed("purpose"), serde_json::to_value(Purpose::ALL).unwrap());
}

#[test]
fn an_empty_list_says_that_no_model_was_asked() {
    let world = World::new();
    world.file("a.jsonl", line("rx-1", "Take 8 g."));
    world.run(&["import", "a.jsonl"]).ended(0);
    let run = world.run(&["exchanges"]).ended(0);
    assert_eq!(run.out(), "no exchange: nothing was audited yet, and no model was asked\n");
    world.run(&["audit"]).ended(0);
    for (arguments, subject) in [
        (["exchanges"].as_slice(), "everything here"),
        (&["exchanges", "--audit-id", "rx-1"], "rx-1"),
        (&["exchanges", "--claim", "rx-1#1"], "rx-1#1"),
    ] {
        let run = world.run(arguments).ended(0);
        let expected =
            format!("no exchange: {subject} was audited by the judge local, and no model was asked\n");
        assert_eq!(run.out(), expected);
    }
    for (arguments, sentence) in [
        (["exchanges", "--audit-id", "rx-9"], "no record `rx-9`"),
        (["exchanges", "--claim", "rx-1#9"], "no claim `rx-1#9`"),
        (["exchanges", "--claim", "rx-1"], "is not a claim id"),
    ] {
        assert!(world.run(&arguments).ended(2).stderr.contains(sentence), "{arguments:?}");
    }
}

#[test]
fn a_damaged_exchange_is_named_and_the_others_are_shown() {
    let world = asked();
    let sql = rusqlite::Connection::open(world.db()).unwrap();
    sql.execute_batch("DROP TRIGGER exchange_no_update; UPDATE exchange SET parameters = '{' WHERE id = 2")
        .unwrap();
    for json in [false, true] {
        let mut command = world.command(&["exchanges"]);
        command.args(json.then_some("--json"));
        let run = crate::world::finish(command.spawn().unwrap()).ended(4);
        assert!(run.stderr.contains("exchange 2 is damaged"), "{}", run.stderr);
        if json {
            assert_eq!(run.json().as_array().unwrap().len(), 2);
        }
    }
}
