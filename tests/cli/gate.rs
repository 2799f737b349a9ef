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
    let lease = store.lease_next_record("test", now, Duration::from_secs(60)).unwrap().unwrap();
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
    let run = world.run(&["audit", "--fail-on", "PARTIALLY_SUPPORTED", "--quiet", "--json"]).ended(0);
    assert!(run.stderr.contains("PROVISIONAL: 3 routed claims of HIGH"), "{}", run.stderr);
    fits("audit", &run.json());
    assert_eq!(run.json()["provisional"], 3);
    let run = world.run(&["audit", "--fail-on", "CRITICAL", "--json"]).ended(1);
    assert!(run.stderr.contains("2 claims are CRITICAL"), "{}", run.stderr);
    for claim in ["rx-2#1", "rx-2#2", "rx-2#3"] {
        world.run(&["decide", claim, "--override", "CANNOT_JUDGE"]).ended(0);
    }
    let run = world.run(&["audit", "--fail-on", "PARTIALLY_SUPPORTED", "--json"]).ended(0);
    assert_eq!((&run.json()["provisional"], run.stderr.as_str()), (&0.into(), ""));
    let json = world.run(&["audit", "--json"]).ended(0).json();
    fits("audit", &json);
    assert_eq!(json["provisional"], Value::Null);
}
