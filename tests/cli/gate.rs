//! `juror audit` as a gate: exit codes that a repeated run does not wash away.

use std::time::Duration;

use juror::clock::{Clock, SystemClock};
use juror::domain::finding::{Finding, JudgeIdentity, Outcome, RunResult};
use juror::domain::routing::Policy;
use juror::domain::verdict::NoVerdict;
use juror::store::{Durability, Store};
use serde_json::Value;

use crate::world::{World, fits, line, risky};

/// Records whose audit brought one entry without a verdict.
fn without_verdict(state: NoVerdict) -> World {
    let world = World::new();
    world.file("a.jsonl", line("rx-1", "Take 8 g in 24 hours."));
    world.run(&["import", "a.jsonl"]).ended(0);
    let mut store = Store::open(&world.db(), Durability::Normal).unwrap();
    let now = SystemClock.now();
    let lease = store.lease_next_record("test", now, Duration::from_mins(1)).unwrap().unwrap();
    let entry = Finding {
        claim_text: "Take 8 g in 24 hours.".into(),
        given_id: None,
        answer_span: None,
        outcome: Outcome::NotJudged { state, reason: "the judge was away".into() },
    };
    let result = RunResult {
        identity: JudgeIdentity {
            judge: "local".into(),
            model: "test-1".into(),
            prompt_version: "rules-1".into(),
            prompt_sha256: "ab".repeat(32),
            settings: Value::Null,
        },
        instrument: "faithfulness",
        findings: vec![entry],
        no_claims: Vec::new(),
        exchanges: Vec::new(),
    };
    store.finish_run(&lease, "test", &result, &Policy::default(), now, now).unwrap().unwrap();
    world
}

#[test]
fn a_repeated_run_does_not_turn_green_while_a_record_is_failed() {
    let world = without_verdict(NoVerdict::Failed);
    for arguments in [
        ["audit"].as_slice(),
        &["audit", "--quiet"],
        &["audit", "--json"],
        &["audit", "--fail-on", "CRITICAL"],
    ] {
        let run = world.run(arguments).ended(4);
        assert!(run.stderr.contains("1 record of the store could not be audited"), "{}", run.stderr);
    }
    world.run(&["audit", "--again", "rx-1"]).ended(0);
    world.run(&["audit"]).ended(0);
}

/// A gate that allows for one claim in three without a verdict, as each record of this file has one.
fn lenient(fail_on: &str) -> [&str; 5] {
    ["audit", "--fail-on", fail_on, "--min-coverage", "0.6"]
}

#[test]
fn a_gate_is_not_open_while_a_claim_has_no_verdict_and_nobody_decided() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), line("rx-2", "Take 9 g.")]);
    let gate = |code: i32| world.run(&["audit", "--fail-on", "UNSUPPORTED", "--json"]).ended(code);
    let run = gate(3);
    fits("audit", &run.json());
    let judge = &run.json()["gate"]["judges"][0];
    assert_eq!((&judge["judge"], &judge["state"]), (&"local".into(), &"NOT_MEASURED".into()));
    assert_eq!(run.json()["gate"]["without_verdict"], 2);
    let said =
        "--fail-on: 2 claims have no verdict and nobody decided, rx-1#3 first: not enough evidence to say";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    let out = world.run(&["audit", "--fail-on", "UNSUPPORTED"]).ended(3);
    assert!(out.out().ends_with("gate: cannot say yes (2 claims have no verdict)\n"), "{}", out.out());
    world.run(&lenient("UNSUPPORTED")).ended(0);
    world.run(&["audit", "--fail-on", "UNSUPPORTED", "--min-coverage", "0.7"]).ended(3);
    world.run(&["audit", "--fail-on", "CONTRADICTED"]).ended(1);
    world.run(&["decide", "rx-1#3", "--override", "FULLY_SUPPORTED"]).ended(0);
    assert_eq!(gate(3).json()["gate"]["without_verdict"], 1);
    world.run(&["decide", "rx-2#3", "--override", "CANNOT_JUDGE"]).ended(0);
    assert_eq!(gate(0).json()["gate"]["without_verdict"], 0, "somebody looked at it");

    let greeting = without_verdict(NoVerdict::NoClaims);
    let run = greeting.run(&["audit", "--fail-on", "UNSUPPORTED", "--json"]).ended(3);
    assert_eq!(run.json()["gate"]["without_verdict"], 0, "it makes no claim: {}", run.stderr);
    world.run(&["audit", "--min-coverage", "0.5"]).ended(2);
}

#[test]
fn a_gate_with_no_verdict_to_go_by_says_that_it_cannot_say() {
    let world = without_verdict(NoVerdict::NotChecked);
    let run = world.run(&["audit", "--fail-on", "CONTRADICTED", "--quiet"]).ended(3);
    assert!(run.stderr.contains("nothing in the store has a verdict"), "{}", run.stderr);
    world.run(&["audit"]).ended(0);
    let empty = World::new();
    empty.file("a.jsonl", "");
    empty.run(&["import", "a.jsonl"]).ended(0);
    empty.run(&["audit", "--fail-on", "LOW"]).ended(3);
}

#[test]
fn the_gate_says_what_is_provisional_also_when_quiet() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), risky("rx-2", "HIGH")]);
    let run = world.run(&[&lenient("PARTIALLY_SUPPORTED")[..], &["--quiet", "--json"]].concat()).ended(0);
    assert!(run.stderr.contains("PROVISIONAL: 3 routed claims of HIGH"), "{}", run.stderr);
    fits("audit", &run.json());
    assert_eq!(run.json()["provisional"], 3);
    let run = world.run(&["audit", "--fail-on", "CRITICAL", "--json"]).ended(1);
    assert!(run.stderr.contains("2 claims are CRITICAL"), "{}", run.stderr);
    // Blocked, they wait for nobody, and are not accepted for that.
    world.run(&["decide", "rx-2", "--dispose", "BLOCK"]).ended(0);
    let run = world.run(&[&lenient("PARTIALLY_SUPPORTED")[..], &["--json"]].concat()).ended(0);
    assert_eq!(run.json()["provisional"], 3, "{}", run.stderr);
    let report = world.run(&["report", "audit"]);
    assert!(report.out().contains("PROVISIONAL: 3 routed claims of HIGH"), "{}", report.out());
    world.run(&["decide", "rx-2", "--undo"]).ended(0);
    for claim in ["rx-2#1", "rx-2#2", "rx-2#3"] {
        world.run(&["decide", claim, "--override", "CANNOT_JUDGE"]).ended(0);
    }
    let run = world.run(&[&lenient("PARTIALLY_SUPPORTED")[..], &["--json"]].concat()).ended(0);
    assert_eq!((&run.json()["provisional"], run.stderr.as_str()), (&0.into(), ""));
    let json = world.run(&["audit", "--json"]).ended(0).json();
    fits("audit", &json);
    assert_eq!(json["provisional"], Value::Null);
}

#[test]
fn people_have_the_last_word_at_the_gate() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), line("rx-2", "Take 9 g.")]);
    let gate = |fail_on: &str, code: i32| {
        let json = world.run(&[&lenient(fail_on)[..], &["--json"]].concat()).ended(code).json();
        fits("audit", &json);
        let mut gate = json["gate"].clone();
        gate.as_object_mut().unwrap().remove("judges");
        gate
    };
    let found = |hits: u64, by_judge: u64, by_people: u64, first: &[&str]| {
        serde_json::json!({"fail_on": ["CONTRADICTED", "CRITICAL"], "hits": hits, "by_judge": by_judge,
            "by_people": by_people, "in_dispute": 0, "by_earlier": 0, "first": first, "kept_back": 0, "without_verdict": 2, "damaged": 0})
    };
    let both = "CONTRADICTED,CRITICAL";
    assert_eq!(gate(both, 1), found(2, 2, 0, &["rx-1#1", "rx-2#1"]), "a claim is counted once");
    world.run(&["decide", "rx-1#1", "--override", "FULLY_SUPPORTED"]).ended(0);
    world.run(&["decide", "rx-2#1", "--confirm"]).ended(0);
    assert_eq!(gate(both, 1), found(1, 0, 1, &["rx-2#1"]));
    let said = world.run(&["audit", "--fail-on", both]).ended(1).stderr;
    assert!(
        said.contains("--fail-on CRITICAL: 1 claim is CRITICAL (as people decided); rx-2#1 first"),
        "{said}"
    );
    let mild = ["decide", "rx-2#1", "--override", "PARTIALLY_SUPPORTED", "--severity", "LOW", "--disagree"];
    world.run(&[&mild[..], &["--by", "ben"]].concat()).ended(0);
    assert_eq!(
        gate(both, 1)["first"],
        serde_json::json!(["rx-2#1"]),
        "while they disagree, the worst counts"
    );
    world.run(&[&mild[..], &["--by", "carla"]].concat()).ended(0);
    assert_eq!(gate(both, 0), found(0, 0, 0, &[]), "who settles it counts");
    assert_eq!(gate("LOW", 1)["first"], serde_json::json!(["rx-2#1"]));
    for who in ["carla", "ben"] {
        world.run(&["decide", "--undo", "--by", who]).ended(0);
    }
    assert_eq!(gate(both, 1)["by_people"], 1, "what ben took back does not count");
    world.run(&["decide", "rx-1#2", "--override", "CONTRADICTED"]).ended(0);
    assert_eq!(
        gate("CONTRADICTED", 1)["first"],
        serde_json::json!(["rx-1#2", "rx-2#1"]),
        "people close it too"
    );
    assert_eq!(world.run(&["audit", "--json"]).ended(0).json()["gate"], Value::Null);
}

#[test]
fn a_quiet_gate_says_only_why_it_says_no() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    let run = world.run(&["audit", "-q", "--fail-on", "CONTRADICTED"]).ended(1);
    assert_eq!(run.out(), "");
    assert_eq!(
        run.stderr,
        "juror: --fail-on CONTRADICTED: 1 claim is CONTRADICTED (by the judge's word, undecided); rx-1#1 first\n"
    );
    let run = world.run(&[&lenient("PARTIALLY_SUPPORTED")[..], &["-q"]].concat()).ended(0);
    assert_eq!((run.out(), run.stderr.as_str()), ("", ""));
    assert!(world.run(&["audit", "-q"]).ended(0).out().contains("0 records audited"));
}

#[test]
fn an_audit_tells_of_lines_that_stayed_in_the_inbox() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    let sql = rusqlite::Connection::open(world.db()).unwrap();
    sql.execute_batch("INSERT INTO inbox (line) VALUES ('no record'), ('{}')").unwrap();
    // What was rejected is told as long as it lies there.
    for _ in 0..2 {
        let run = world.run(&["audit", "--json"]).ended(0);
        fits("audit", &run.json());
        assert_eq!(run.json()["inbox_rejected"], 2);
        assert!(run.stderr.contains("2 lines of the table `inbox` stayed out"), "{}", run.stderr);
    }
}

#[test]
fn a_damaged_claim_is_named_by_the_gate_which_never_says_yes_with_one() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), line("rx-2", "Take 9 g.")]);
    let damage = |sql: &str| {
        let sql = format!(
            "DROP TRIGGER IF EXISTS verdict_no_update; DROP TRIGGER IF EXISTS verdict_no_delete;
             PRAGMA ignore_check_constraints = 1; PRAGMA foreign_keys = 0; {sql}"
        );
        rusqlite::Connection::open(world.db()).unwrap().execute_batch(&sql).unwrap();
    };
    damage("UPDATE verdict SET severity = 'BAD' WHERE claim_id = 1");
    // The newest record is audited first: claim 1 is of rx-2. One condition hits beside the damage, the
    // other does not: both end in 4.
    for (fail_on, hits) in [("CONTRADICTED", 1), ("UNSUPPORTED", 0)] {
        let run = world.run(&["audit", "--fail-on", fail_on, "--json"]).ended(4);
        assert!(run.stderr.contains("claim rx-2#1 is damaged (`BAD` is not a severity"), "{}", run.stderr);
        assert!(run.stderr.contains("1 claim could not be read: the gate cannot say yes"), "{}", run.stderr);
        fits("audit", &run.json());
        let gate = &run.json()["gate"];
        assert_eq!((gate["damaged"].as_u64(), gate["hits"].as_u64()), (Some(1), Some(hits)), "{gate}");
    }
    damage("DELETE FROM verdict WHERE claim_id = 1");
    let run = world.run(&["audit", "--fail-on", "UNSUPPORTED"]).ended(4);
    assert!(run.stderr.contains("claim rx-2#1 is damaged (a part of it is missing)"), "{}", run.stderr);
    let claims = world.run(&["export", "--what", "claims"]).ended(4);
    assert_eq!(claims.lines().len(), 6, "the claim without a verdict has its row");
    assert_eq!(claims.lines()[3]["state"], "DAMAGED");
    let run = world.run(&["decide", "rx-2#1", "--confirm"]).ended(4);
    assert!(run.stderr.contains("claim rx-2#1: a part of it is missing"), "{}", run.stderr);
}

#[test]
fn a_new_audit_does_not_open_the_gate_that_a_person_closed() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    let gate =
        |code: i32| world.run(&[&lenient("CONTRADICTED,CRITICAL")[..], &["--json"]].concat()).ended(code);
    world.run(&["decide", "rx-1#1", "--override", "FULLY_SUPPORTED"]).ended(0);
    gate(0);
    let ruled = ["decide", "rx-1#2", "--override", "CONTRADICTED", "--severity", "CRITICAL", "--by", "ben"];
    world.run(&ruled).ended(0);
    gate(1);
    world.audited_again();
    world.run(&["decide", "rx-1#4", "--override", "FULLY_SUPPORTED"]).ended(0);

    let run = gate(1);
    fits("audit", &run.json());
    let found = &run.json()["gate"];
    assert_eq!((&found["by_judge"], &found["by_earlier"]), (&0.into(), &1.into()));
    assert_eq!(found["first"], serde_json::json!(["rx-1#5"]));
    let said = "rx-1#5: ben ruled CONTRADICTED CRITICAL on it on 20";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    assert!(run.stderr.contains("when it was rx-1#2, and nobody has decided since"), "{}", run.stderr);
    assert!(run.stderr.contains("(as people decided in an earlier audit); rx-1#5 first"), "{}", run.stderr);

    let queue = world.run(&["queue", "--json"]).ended(0).json();
    fits("queue", &queue);
    let row = queue.as_array().unwrap().iter().find(|row| row["id"] == "rx-1#5").expect("it is routed");
    assert_eq!(row["severity"], "CRITICAL");
    let why =
        serde_json::json!([{"code": "DECIDED_OTHERWISE", "verdict": "CONTRADICTED", "severity": "CRITICAL"}]);
    assert_eq!(row["why"], why);
    world.run(&["verify"]).ended(0);

    world.run(&["decide", "rx-1#5", "--confirm"]).ended(0);
    assert_eq!(gate(0).json()["gate"]["hits"], 0, "somebody decided anew");
    world.run(&["decide", "--undo"]).ended(0);
    gate(1);
}

#[test]
fn the_table_of_a_gate_is_that_of_what_it_goes_by() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    let run = world.run(&["audit", "--fail-on", "CONTRADICTED"]).ended(1);
    let said = |run: &str| run.split_whitespace().collect::<Vec<_>>().join(" ");
    let out = said(run.out());
    assert!(out.starts_with("this run: 0 records audited in"), "{out}");
    assert!(out.contains("in force: 1 record, 3 claims, 0 by people's decision"), "{out}");
    assert!(out.contains("judge of 1 record: local (") && out.contains("NOT_MEASURED, "), "{out}");
    assert!(out.contains("CONTRADICTED 1 no verdict 1"), "{out}");
    assert!(out.ends_with("gate: closed (1 claim)"), "{out}");
    world.run(&["decide", "rx-1#1", "--override", "FULLY_SUPPORTED"]).ended(0);
    let out = said(world.run(&lenient("CONTRADICTED,CRITICAL")).ended(0).out());
    assert!(out.contains("3 claims, 1 by people's decision FULLY_SUPPORTED 2"), "{out}");
    assert!(out.ends_with("gate: open (no claim is CONTRADICTED or CRITICAL)"), "{out}");
}
