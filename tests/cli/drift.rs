//! `juror drift`: two windows of a store, with and without a planted fall.

use std::time::Duration;

use juror::clock::{Clock, SystemClock};
use juror::domain::finding::{Finding, Judged, Outcome, RunResult};
use juror::domain::routing::Policy;
use juror::domain::span::Span;
use juror::domain::time::Timestamp;
use juror::domain::verdict::{Probability, Role, Score, Severity, Verdict};
use juror::format::native;
use juror::store::{Durability, Store};
use serde_json::{Value, json};

use crate::world::{World, cited, fits, test_judge};

const DAY: u64 = 86_400;
const PASSAGE: &str = "At most 4 g in 24 hours.";

/// What came in one after the other, from `days_ago` on: so many records, of which every `wrong_each`th is contradicted.
fn came_in(world: &World, name: &str, days_ago: u64, records: usize, wrong_each: usize, retrieval: &str) {
    of_claims(1, world, name, days_ago, (records, wrong_each), retrieval);
}

/// The same with so many claims in every record, all right or all wrong.
fn of_claims(
    claims: usize,
    world: &World,
    name: &str,
    days_ago: u64,
    (records, wrong_each): (usize, usize),
    retrieval: &str,
) {
    let mut store = Store::open(&world.db(), Durability::Normal).unwrap();
    let now = SystemClock.now();
    let at = Timestamp::from_millis(now.millis() - (days_ago * DAY * 1000) as i64);
    let batch: Vec<_> = (0..records)
        .map(|n| {
            let line = json!({
                "audit_id": format!("{name}-{n}"), "generated_answer": "At most 4 g.",
                "evidence_passages": [{"passage_id": "p1", "content": PASSAGE, "metadata": {"source": format!("book {}", n % 2)}}],
                "metadata": {"retrieval": retrieval, "model_version": 7},
            });
            native::parse(line.to_string().as_bytes(), "test".into()).unwrap().record
        })
        .collect();
    store.import(&batch, at).unwrap();
    let policy = Policy { spot_check: 0.0, spot_check_new: 0.0, ..Policy::default() };
    while let Some(lease) = store.lease_next_record("test", now, Duration::from_mins(1)).unwrap() {
        let id = lease.record.audit_id.to_string();
        let n: usize = id.rsplit('-').next().unwrap().parse().unwrap();
        let result = audit(n.is_multiple_of(wrong_each), n, claims);
        store.finish_run(&lease, "test", &result, &policy, now, now).unwrap().unwrap();
    }
}

fn audit(is_wrong: bool, n: usize, claims: usize) -> RunResult {
    let (verdict, severity, role, support) = if is_wrong {
        (Verdict::Contradicted, Some(Severity::High), Role::Contradicts, 1)
    } else {
        (Verdict::FullySupported, None, Role::Supports, 5)
    };
    let judged = Judged {
        verdict,
        confidence: Probability::clamped(0.6 + (n % 40) as f64 / 100.0),
        severity,
        hallucination_type: None,
        citations: vec![cited(PASSAGE, "At most 4 g ", role)],
        rationale: "so it is".into(),
        support: Score::new(support),
    };
    let finding = Finding {
        claim_text: "At most 4 g.".into(),
        given_id: None,
        answer_span: Span::new("At most 4 g.", 0..12),
        outcome: Outcome::Judged(judged),
    };
    RunResult {
        identity: test_judge(),
        instrument: "faithfulness",
        findings: vec![finding; claims],
        no_claims: Vec::new(),
        exchanges: Vec::new(),
    }
}

fn measured(world: &World, arguments: &[&str], code: i32) -> Value {
    let mut all = vec!["drift", "--json"];
    all.extend(arguments);
    let json = world.run(&all).ended(code).json();
    fits("report", &json);
    fits("drift", &json["data"]);
    json
}

#[test]
fn what_stays_as_it_was_is_no_alarm() {
    let world = World::new();
    came_in(&world, "old", 20, 200, 10, "bm25-v2");
    came_in(&world, "new", 2, 200, 10, "bm25-v2");
    let report = measured(&world, &[], 0);
    assert_eq!(report["gate"]["says"], "yes");
    let groups = report["data"]["groups"].as_array().unwrap();
    assert!(groups.iter().all(|group| group["alarm"] == "STABLE"), "{groups:#?}");
    for by in ["all", "judge", "model", "retrieval", "source"] {
        assert!(groups.iter().any(|group| group["by"] == by), "{by}");
    }
    assert!(report["data"]["confidence"]["p"].as_f64().unwrap() > 0.9);
}

#[test]
fn a_planted_fall_rings_names_the_worst_pairs_and_tells_the_hook() {
    let world = World::new();
    came_in(&world, "old", 20, 200, 10, "bm25-v2");
    came_in(&world, "new", 2, 200, 3, "bm25-v2");
    let heard = world.path("heard.json");
    world.file("juror.toml", format!("[review]\nhook = ['sh', '-c', 'cat > {}']\n", heard.display()));
    let run = world.run(&["drift", "--config", "juror.toml"]).ended(1);
    let flowing = run.out().split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "FALL (all): wrong claims 10.0 % before, 33.5 % after",
        "retrieval bm25-v2 verdicts",
        "new-0#1",
        "book 0",
    ] {
        assert!(flowing.contains(words), "{words}: {}", run.out());
    }
    let heard: Value = serde_json::from_slice(&std::fs::read(heard).unwrap()).unwrap();
    assert_eq!((&heard["event"], heard["claims"].as_array().unwrap().len()), (&json!("drift"), 20));
    assert!(heard["moved"][0].as_str().unwrap().starts_with("FALL (all)"), "{heard:#}");
    std::fs::remove_file(world.path("heard.json")).unwrap();
    let report = measured(&world, &["--no-hook", "--config", "juror.toml"], 1);
    assert!(!world.path("heard.json").exists());
    assert_eq!(report["gate"]["says"], "no");
    // It fell by less than is asked.
    measured(&world, &["--max-rise", "0.5"], 1);
}

#[test]
fn a_few_answers_that_are_wrong_throughout_are_no_fall() {
    let world = World::new();
    // 2 of 20 answers, then 5 of 20: 50 wrong claims of 200 after 20 of 200 would be no chance.
    of_claims(10, &world, "old", 20, (20, 10), "bm25-v2");
    of_claims(10, &world, "new", 2, (20, 4), "bm25-v2");
    let report = measured(&world, &[], 0);
    let group = &report["data"]["groups"][0];
    assert!(group["measured"]["bad_design_effect"].as_f64().unwrap() > 9.0, "{group:#}");
    let alone = World::new();
    came_in(&alone, "old", 20, 200, 10, "bm25-v2");
    came_in(&alone, "new", 2, 200, 4, "bm25-v2");
    measured(&alone, &[], 1);
}

#[test]
fn only_the_group_that_fell_is_named() {
    let world = World::new();
    came_in(&world, "a-old", 20, 300, 10, "bm25-v2");
    came_in(&world, "b-old", 20, 100, 10, "dense-1");
    came_in(&world, "a-new", 2, 300, 10, "bm25-v2");
    came_in(&world, "b-new", 2, 100, 2, "dense-1");
    let report = measured(&world, &["--max-rise", "0.2"], 1);
    let groups = report["data"]["groups"].as_array().unwrap();
    let fell: Vec<&str> = groups
        .iter()
        .filter(|group| group["alarm"] == "FALL" && group["measure"] == "verdicts")
        .map(|group| group["name"].as_str().unwrap())
        .collect();
    assert_eq!(fell, ["dense-1"]);
}

#[test]
fn too_little_is_no_answer() {
    let world = World::new();
    came_in(&world, "old", 20, 200, 10, "bm25-v2");
    came_in(&world, "new", 2, 49, 1, "bm25-v2");
    let report = measured(&world, &[], 3);
    assert!(
        report["sentences"][0]
            .as_str()
            .unwrap()
            .contains("200 with a verdict before, 49 after, and 50 are needed")
    );
    measured(&world, &["--min-items", "40"], 1);
    // Everything lies before, or nothing does.
    measured(&world, &["--window", "1d"], 3);
    measured(&world, &["--since", "2000-01-01"], 3);
    for (arguments, why) in [
        (["--window", "soon"], "a time like 12h"),
        (["--since", "yesterday"], "a day like 2026-11-01"),
        (["--since", "2999-01-01"], "still to come"),
        (["--max-rise", "7"], "from 0 to 1"),
    ] {
        let run = world.run(&["drift", arguments[0], arguments[1]]).ended(2);
        assert!(run.stderr.contains(why), "{why}: {}", run.stderr);
    }
}
