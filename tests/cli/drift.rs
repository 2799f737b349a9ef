//! `juror drift`: two windows of a store, with and without a planted fall.

use std::time::Duration;

use juror::clock::{Clock, SystemClock};
use juror::domain::finding::{Finding, JudgeIdentity, Judged, Outcome, RunResult};
use juror::domain::routing::Policy;
use juror::domain::span::Span;
use juror::domain::time::Timestamp;
use juror::domain::verdict::{NoVerdict, Probability, Role, Score, Severity, Verdict};
use juror::format::{native, pair};
use juror::store::{Durability, Routed, ScoredPair, Store};
use serde_json::{Value, json};

use crate::world::{World, cited, fits, test_judge};

const DAY: u64 = 86_400;
const PASSAGE: &str = "At most 4 g in 24 hours.";

/// Records that came in one after the other.
#[derive(Clone, Copy)]
struct Batch<'a> {
    name: &'a str,
    days_ago: u64,
    records: usize,
    /// In every record, all right or all wrong.
    claims: usize,
    /// Every so manieth record is contradicted, from the first one on.
    wrong_each: usize,
    severity: Severity,
    model: u64,
    retrieval: &'a str,
    /// The model of the judge.
    judge: &'a str,
    /// Every so manieth record is an answer that makes no claim, from the first one on; 0 is none.
    silent_each: usize,
}

impl<'a> Batch<'a> {
    fn of(name: &'a str, days_ago: u64, records: usize, wrong_each: usize) -> Self {
        let (severity, retrieval, judge) = (Severity::High, "bm25-v2", "test-1");
        Self {
            name,
            days_ago,
            records,
            claims: 1,
            wrong_each,
            severity,
            model: 7,
            retrieval,
            judge,
            silent_each: 0,
        }
    }

    fn at(&self) -> Timestamp {
        Timestamp::from_millis(SystemClock.now().millis() - (self.days_ago * DAY * 1000) as i64)
    }

    fn came_in(self, world: &World) {
        let mut store = Store::open(&world.db(), Durability::Normal).unwrap();
        let now = SystemClock.now();
        let batch: Vec<_> = (0..self.records)
            .map(|n| {
                let line = json!({
                    "audit_id": format!("{}-{n}", self.name), "generated_answer": "At most 4 g.",
                    "evidence_passages": [{"passage_id": "p1", "content": PASSAGE, "metadata": {"source": format!("book {}", n % 2)}}],
                    "metadata": {"retrieval": self.retrieval, "model_version": self.model},
                });
                native::parse(line.to_string().as_bytes(), "test".into()).unwrap().record
            })
            .collect();
        store.import(&batch, self.at()).unwrap();
        let policy = quiet();
        while let Some(lease) = store.lease_next_record("test", now, Duration::from_mins(1)).unwrap() {
            let id = lease.record.audit_id.to_string();
            let n: usize = id.rsplit('-').next().unwrap().parse().unwrap();
            let result = self.audit(n);
            store.finish_run(&lease, "test", &result, &policy, now, now).unwrap().unwrap();
        }
    }

    /// As pairs of a claim and a source, each with its score.
    fn was_scored(self, world: &World) {
        let mut store = Store::open(&world.db(), Durability::Normal).unwrap();
        let scored = |n: usize| {
            let line = json!({"claim_id": format!("{}-{n}", self.name), "claim": "At most 4 g.", "source_id": "p1",
                "source": PASSAGE, "model_version": self.model.to_string()});
            ScoredPair {
                new: pair::parse(line.to_string().as_bytes()).unwrap().record("test".into()),
                result: RunResult { instrument: "support", ..self.audit(n) },
                started: self.at(),
                routed: Routed::Never,
            }
        };
        let pairs: Vec<ScoredPair> = (0..self.records).map(scored).collect();
        store.keep_scores(&pairs, &quiet(), self.at()).unwrap();
    }

    fn audit(&self, n: usize) -> RunResult {
        let (verdict, severity, role, support) = if n.is_multiple_of(self.wrong_each) {
            (Verdict::Contradicted, Some(self.severity), Role::Contradicts, 1)
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
        let is_silent = self.silent_each > 0 && n.is_multiple_of(self.silent_each);
        let none = Outcome::NotJudged {
            state: NoVerdict::NoClaims,
            reason: "no claim was found in the answer".into(),
        };
        let finding = Finding {
            claim_text: "At most 4 g.".into(),
            given_id: None,
            answer_span: Span::new("At most 4 g.", 0..12),
            outcome: if is_silent { none } else { Outcome::Judged(judged) },
        };
        RunResult {
            identity: JudgeIdentity { model: self.judge.into(), ..test_judge() },
            instrument: "faithfulness",
            findings: vec![finding; if is_silent { 1 } else { self.claims }],
            no_claims: Vec::new(),
            exchanges: Vec::new(),
        }
    }
}

/// Spot checks are drawn at random: none here.
fn quiet() -> Policy {
    Policy { spot_check: 0.0, spot_check_new: 0.0, ..Policy::default() }
}

fn came_in(world: &World, name: &str, days_ago: u64, records: usize, wrong_each: usize, retrieval: &str) {
    Batch { retrieval, ..Batch::of(name, days_ago, records, wrong_each) }.came_in(world);
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
        "67 claims, this one among them",
        "book 0",
    ] {
        assert!(flowing.contains(words), "{words}: {}", run.out());
    }
    let heard: Value = serde_json::from_slice(&std::fs::read(heard).unwrap()).unwrap();
    assert_eq!((&heard["event"], heard["claims"].as_array().unwrap().len()), (&json!("drift"), 1));
    assert!(heard["moved"][0].as_str().unwrap().starts_with("FALL (all)"), "{heard:#}");
    std::fs::remove_file(world.path("heard.json")).unwrap();
    let report = measured(&world, &["--no-hook", "--config", "juror.toml"], 1);
    assert!(!world.path("heard.json").exists());
    assert_eq!(report["gate"]["says"], "no");
    // It fell by less than is asked.
    measured(&world, &["--max-rise", "0.5"], 1);
}

#[test]
fn an_improvement_is_called_better_and_rings_for_nobody() {
    let world = World::new();
    came_in(&world, "old", 20, 200, 2, "bm25-v2");
    came_in(&world, "new", 2, 200, 50, "bm25-v2");
    let heard = world.path("heard.json");
    world.file("juror.toml", format!("[review]\nhook = ['sh', '-c', 'cat > {}']\n", heard.display()));
    let report = measured(&world, &["--config", "juror.toml"], 0);
    assert!(!heard.exists(), "nobody is called for that");
    assert_eq!(condition(&report, "no shift, no fall")["says"], "yes");
    let better = report["data"]["groups"].as_array().unwrap().iter();
    let better = better.filter(|group| group["alarm"] == "BETTER").count();
    assert!(says(&report, &format!("Nothing rings: {better} measures are better. Whether it is good")));
    let gate = condition(&report, "no shift, no fall")["sentence"].as_str().unwrap();
    assert_eq!(gate, format!("of what is looked at, nothing rings; {better} measures are better"));
    assert!(says(&report, "Better (all): wrong claims 50.0 % before, 2.0 % after"), "{report:#}");
    assert!(report["data"]["groups"].as_array().unwrap().iter().any(|group| group["alarm"] == "BETTER"));
    // The other way round it rings, and as many are told as are announced.
    let world = World::new();
    came_in(&world, "old", 20, 200, 50, "bm25-v2");
    came_in(&world, "new", 2, 200, 2, "bm25-v2");
    let report = measured(&world, &["--no-hook"], 1);
    let sentences: Vec<&str> =
        report["sentences"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    assert!(
        sentences[0].contains("measures shifted or fell; the first 5, all in the table:"),
        "{sentences:?}"
    );
    assert_eq!(sentences.iter().filter(|one| one.starts_with("FALL") || one.starts_with("SHIFT")).count(), 5);
}

#[test]
fn a_few_answers_that_are_wrong_throughout_are_no_fall() {
    let world = World::new();
    // 2 of 20 answers, then 5 of 20: 50 wrong claims of 200 after 20 of 200 would be no chance.
    for batch in [Batch::of("old", 20, 20, 10), Batch::of("new", 2, 20, 4)] {
        Batch { claims: 10, ..batch }.came_in(&world);
    }
    let report = measured(&world, &[], 0);
    let group = &report["data"]["groups"][0];
    assert!(group["measured"]["bad_design_effect"].as_f64().unwrap() > 9.0, "{group:#}");
    let alone = World::new();
    came_in(&alone, "old", 20, 200, 10, "bm25-v2");
    came_in(&alone, "new", 2, 200, 4, "bm25-v2");
    measured(&alone, &[], 1);
}

#[test]
fn one_answer_of_many_claims_is_one_answer() {
    let world = World::new();
    Batch::of("old", 20, 200, 10).came_in(&world);
    Batch { claims: 60, ..Batch::of("new", 2, 1, 1) }.came_in(&world);
    let report = measured(&world, &[], 3);
    let told = "Too few answers with claims with a verdict to say: 200 before, 1 after, and 10 are needed";
    assert!(says(&report, told), "{report:#}");
    let verdicts = condition(&report, "--min-items 50, verdicts; --min-answers 10");
    assert_eq!(
        verdicts["sentence"], "200 claims with a verdict before, 60 after, of 200 and 1 answers",
        "{verdicts}"
    );
    // Nor is a new model that gave five answers of twenty claims held to all that was before; it is named.
    Batch::of("more", 2, 200, 10).came_in(&world);
    Batch { claims: 20, model: 8, ..Batch::of("next", 2, 5, 3) }.came_in(&world);
    let report = measured(&world, &[], 0);
    assert!(
        says(&report, "model 8 (claims with a verdict: 0 before, 100 of 5 answers after)."),
        "{report:#}"
    );
    let groups = report["data"]["groups"].as_array().unwrap();
    assert!(groups.iter().all(|group| group["name"] != "8"), "{groups:#?}");
    // One that is asked for with so few counts as few.
    let report = measured(&world, &["--min-answers", "5"], 0);
    let of_8 = report["data"]["groups"].as_array().unwrap().iter().find(|group| group["name"] == "8");
    let of_8 = of_8.unwrap_or_else(|| panic!("{report:#}"));
    assert!(of_8["measured"]["bad_design_effect"].as_f64().unwrap() > 10.0, "{of_8:#}");
    assert_eq!(of_8["answers"][1], 5, "{of_8:#}");
}

#[test]
fn a_judge_that_finds_less_is_a_shift_and_not_better() {
    let world = World::new();
    Batch::of("old", 20, 200, 5).came_in(&world);
    Batch { judge: "test-2", ..Batch::of("new", 2, 200, 100) }.came_in(&world);
    let report = measured(&world, &["--no-hook"], 1);
    let groups = report["data"]["groups"].as_array().unwrap();
    assert!(groups.iter().all(|group| group["alarm"] != "BETTER"), "{groups:#?}");
    assert!(groups.iter().all(|group| group["has_other_judge"] == true), "{groups:#?}");
    let told = "SHIFT (all): wrong claims 20.0 % before, 1.0 % after, PSI 0.610; the judge changed.";
    assert!(says(&report, told), "{report:#}");
    // By the same judge it is better.
    let world = World::new();
    Batch::of("old", 20, 200, 5).came_in(&world);
    Batch::of("new", 2, 200, 100).came_in(&world);
    let report = measured(&world, &[], 0);
    assert!(says(&report, "Better (all): wrong claims 20.0 % before, 1.0 % after, PSI 0.610."), "{report:#}");
}

#[test]
fn what_does_not_ring_and_is_not_as_it_was_is_counted() {
    let world = World::new();
    Batch::of("old", 20, 200, 19).came_in(&world);
    Batch::of("new", 2, 200, 5).came_in(&world);
    let report = measured(&world, &["--max-rise", "0.5"], 0);
    let watched = report["data"]["groups"].as_array().unwrap().iter();
    let watched = watched.filter(|group| group["alarm"] == "WATCH").count();
    assert!(watched > 1, "{report:#}");
    assert!(says(&report, &format!("Nothing rings: {watched} measures are to be watched. ")), "{report:#}");
}

#[test]
fn an_answer_without_a_claim_is_not_one_without_a_verdict() {
    let world = World::new();
    Batch::of("old", 20, 200, 10).came_in(&world);
    Batch { silent_each: 3, ..Batch::of("new", 2, 300, 10) }.came_in(&world);
    let report = measured(&world, &[], 0);
    let absences = report["data"]["groups"].as_array().unwrap().iter();
    let absences = absences.filter(|group| group["measure"] == "absences" && group["by"] == "all");
    let absences: Vec<&Value> = absences.map(|group| &group["counts"]).collect();
    assert_eq!(absences, [&json!({"before": [200, 0], "after": [200, 0]})]);
}

#[test]
fn pairs_that_were_scored_before_do_not_make_the_claims_of_a_model_old() {
    let world = World::new();
    Batch::of("old", 20, 200, 10).came_in(&world);
    Batch { model: 8, ..Batch::of("p-old", 20, 60, 10) }.was_scored(&world);
    Batch::of("new", 2, 300, 10).came_in(&world);
    Batch { model: 8, ..Batch::of("next", 2, 60, 2) }.came_in(&world);
    let report = measured(&world, &[], 1);
    assert!(
        says(&report, "FALL (model 8, new: against all): wrong claims 10.0 % before, 50.0 % after"),
        "{report:#}"
    );
    // And where too few of them came in, it is named, whatever pairs there are.
    let world = World::new();
    Batch::of("old", 20, 200, 10).came_in(&world);
    Batch::of("new", 2, 300, 10).came_in(&world);
    Batch { model: 8, ..Batch::of("p-old", 20, 60, 10) }.was_scored(&world);
    Batch { model: 8, ..Batch::of("p-new", 2, 60, 10) }.was_scored(&world);
    Batch { model: 8, ..Batch::of("next", 2, 30, 2) }.came_in(&world);
    let report = measured(&world, &["--max-rise", "0.2"], 0);
    assert!(says(&report, "model 8 (claims with a verdict: 0 before, 30 after)."), "{report:#}");
}

#[test]
fn verdicts_severities_and_scores_are_told_over_time_of_every_group() {
    let world = World::new();
    Batch::of("old", 20, 60, 6).came_in(&world);
    Batch { severity: Severity::Low, model: 8, ..Batch::of("new", 2, 60, 3) }.came_in(&world);
    Batch { model: 8, ..Batch::of("p", 2, 10, 2) }.was_scored(&world);
    for n in 0..25 {
        let retrieval = format!("way {n}");
        Batch { retrieval: &retrieval, ..Batch::of(&format!("r{n}"), 1, 1, 1) }.came_in(&world);
    }
    let report = measured(&world, &["--min-items", "40", "--no-hook"], 1);
    let over_time = report["data"]["over_time"].as_array().unwrap();
    let of = |by: &str, name: &str, stretch: usize| {
        let group = over_time.iter().find(|group| group["by"] == by && group["name"] == name);
        group.unwrap_or_else(|| panic!("{by} {name}"))["stretches"][stretch].clone()
    };
    assert_eq!(over_time[0]["by"], "all");
    // 35 days in eight stretches: 20 days ago is the fourth, 2 days ago the last.
    let old = of("model", "7", 3);
    assert_eq!(
        old["counts"],
        json!({"verdicts": [50, 0, 0, 10, 0], "severities": [0, 0, 10, 0], "scores": [10, 0, 0, 0, 50],
            "pairs": [0, 0, 0, 0, 0]})
    );
    let near = |value: &Value, to: f64| assert!((value.as_f64().unwrap() - to).abs() < 1e-9, "{value}");
    near(&old["wrong"], 1.0 / 6.0);
    near(&old["grave"], 1.0 / 6.0);
    near(&old["mean_score"], 260.0 / 60.0);
    let new = of("model", "8", 7);
    near(&new["wrong"], 1.0 / 3.0);
    near(&new["grave"], 0.0);
    near(&new["mean_pair_score"], 3.0);
    assert_eq!(of("model", "8", 3)["wrong"], Value::Null, "nothing came in");
    near(&of("source", "book 0", 3)["wrong"], 1.0 / 3.0);
    // Twenty of 26 ways of retrieval: bm25-v2 has the most.
    let ways = over_time.iter().filter(|group| group["by"] == "retrieval");
    let ways: Vec<&Value> = ways.map(|group| &group["name"]).collect();
    assert_eq!((ways.len(), ways[0]), (20, &json!("bm25-v2")));
    assert!(report["data"]["over_time_left_out"].as_u64().unwrap() >= 6, "{report:#}");

    let out = |arguments: &[&str], code: i32| {
        let run = world.run(&[&["drift", "--no-hook", "--min-items", "40"], arguments].concat()).ended(code);
        assert!(run.out().lines().all(|line| line.chars().count() <= 80), "{}", run.out());
        run.out().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let all = out(&[], 1);
    assert!(all.contains("from FULLY PART UNSUP CONTR none wrong HIGH+ score pairs"), "{all}");
    assert!(all.contains(" 50 0 0 10 0 16.7 % 16.7 % 4.33 – "), "{all}");
    let by_model = out(&["--by", "model"], 1);
    for words in ["Over time: model 7", "Over time: model 8", " 40 0 0 20 0 33.3 % 0.0 % 3.67 3.00"] {
        assert!(by_model.contains(words), "{words}: {by_model}");
    }
    let by_way = out(&["--by", "retrieval"], 1);
    assert!(by_way.contains("with the most claims and pairs; 16 more have no table."), "{by_way}");
    assert!(out(&["--by", "prompt"], 1).contains("Over time, by prompt none"));
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
            .contains("claims with a verdict to say: 200 before, 49 after, and 50 are needed")
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
        (["--min-items", "0"], "0 is not in 1.."),
    ] {
        let run = world.run(&["drift", arguments[0], arguments[1]]).ended(2);
        assert!(run.stderr.contains(why), "{why}: {}", run.stderr);
    }
}

/// What the gate says of the condition that begins so.
fn condition<'j>(report: &'j Value, asked: &str) -> &'j Value {
    let conditions = report["gate"]["conditions"].as_array().unwrap();
    let begins = |one: &&Value| one["asked"].as_str().unwrap().starts_with(asked);
    conditions.iter().find(begins).unwrap_or_else(|| panic!("no {asked}: {conditions:#?}"))
}

fn says(report: &Value, words: &str) -> bool {
    report["sentences"].as_array().unwrap().iter().any(|one| one.as_str().unwrap().contains(words))
}

#[test]
fn scored_pairs_do_not_stand_in_for_claims_nor_claims_for_pairs() {
    let pairs = [Batch::of("p-old", 20, 60, 10), Batch::of("p-new", 2, 60, 10)];
    let world = World::new();
    for batch in pairs {
        batch.was_scored(&world);
    }
    measured(&world, &[], 0);
    Batch::of("old", 20, 200, 10).came_in(&world);
    Batch::of("new", 2, 10, 1).came_in(&world);
    let report = measured(&world, &[], 3);
    assert_eq!(condition(&report, "--min-items 50, verdicts")["says"], "cannot_say", "{report:#}");
    assert_eq!(condition(&report, "--min-items 50, pairs")["says"], "yes", "{report:#}");
    assert!(says(&report, "Too few claims with a verdict to say: 200 before, 10 after"), "{report:#}");

    let claims = [Batch::of("old", 20, 60, 10), Batch::of("new", 2, 60, 10)];
    for (before, after, code, told) in [
        (60, 10, 3, "Too few scored pairs to say: 60 before, 10 after"),
        (10, 60, 3, "Too few scored pairs to say: 10 before, 60 after"),
        (60, 0, 0, "Scored pairs are not looked at: there are 60 before and 0 after."),
        (3, 3, 0, "Scored pairs are not looked at: there are 3 before and 3 after."),
    ] {
        let world = World::new();
        for batch in claims {
            batch.came_in(&world);
        }
        Batch { records: before, ..pairs[0] }.was_scored(&world);
        Batch { records: after, ..pairs[1] }.was_scored(&world);
        let report = measured(&world, &[], code);
        assert!(says(&report, told), "{report:#}");
    }
    // Pairs that score worse ring, and are not thinned by the scores of the claims.
    let world = World::new();
    for batch in claims {
        batch.came_in(&world);
    }
    pairs[0].was_scored(&world);
    Batch { wrong_each: 2, ..pairs[1] }.was_scored(&world);
    let report = measured(&world, &[], 1);
    assert!(says(&report, "FALL (all): pairs that score 1 and 2 10.0 % before, 50.0 % after"), "{report:#}");
}

#[test]
fn no_verdicts_at_all_are_a_fall_and_not_only_too_few() {
    let world = World::new();
    Batch::of("old", 20, 60, 10).came_in(&world);
    Batch::of("new", 2, 60, 10).came_in(&world);
    let sql = rusqlite::Connection::open(world.db()).unwrap();
    sql.execute_batch(
        "PRAGMA foreign_keys = 0; PRAGMA ignore_check_constraints = 1; DROP TRIGGER verdict_no_update;
         UPDATE verdict SET state = 'NOT_CHECKED' WHERE claim_id IN
           (SELECT c.id FROM claim c JOIN record r ON r.id = c.record_id WHERE r.audit_id LIKE 'new-%');",
    )
    .unwrap();
    let report = measured(&world, &[], 1);
    assert!(says(&report, "FALL (all): claims without a verdict 0.0 % before, 100.0 % after"), "{report:#}");
    assert_eq!(condition(&report, "--min-items 50, verdicts")["says"], "cannot_say");
}

#[test]
fn graver_ones_among_few_wrong_claims_ring() {
    let world = World::new();
    Batch { severity: Severity::Low, ..Batch::of("old", 20, 400, 25) }.came_in(&world);
    Batch { severity: Severity::Critical, ..Batch::of("new", 2, 400, 25) }.came_in(&world);
    let report = measured(&world, &[], 1);
    assert!(
        says(&report, "SHIFT (all): wrong claims of HIGH and CRITICAL among all 0.0 % before, 4.0 % after"),
        "{report:#}"
    );
    assert!(
        says(&report, "only among all: there are 16 before and 16 after."),
        "sixteen are too few by themselves: {report:#}"
    );
}

#[test]
fn a_model_that_is_new_is_held_to_what_came_in_before() {
    let world = World::new();
    Batch::of("old", 20, 200, 10).came_in(&world);
    Batch::of("new", 2, 400, 10).came_in(&world);
    Batch { model: 8, ..Batch::of("next", 2, 20, 2) }.came_in(&world);
    // Twenty tell nothing, and are named.
    let report = measured(&world, &[], 0);
    let told = "to look at it by itself: model 8 (claims with a verdict: 0 before, 20 after).";
    assert!(says(&report, told), "{report:#}");
    let few =
        json!([{"by": "model", "name": "8", "measure": "verdicts", "units": [0, 20], "answers": [0, 20]}]);
    assert_eq!(report["data"]["too_few"], few);
    // Fifty do, though they move all claims together by less than is asked.
    Batch { model: 8, ..Batch::of("more", 2, 30, 2) }.came_in(&world);
    let report = measured(&world, &[], 1);
    let groups = report["data"]["groups"].as_array().unwrap();
    let fell: Vec<(&str, bool)> = groups
        .iter()
        .filter(|group| group["alarm"] == "FALL" && group["measure"] == "verdicts")
        .map(|group| (group["name"].as_str().unwrap(), group["is_new"].as_bool().unwrap()))
        .collect();
    assert_eq!(fell, [("8", true)]);
    assert!(
        says(&report, "FALL (model 8, new: against all): wrong claims 10.0 % before, 50.0 % after"),
        "{report:#}"
    );
}

#[test]
fn claims_that_cannot_be_read_are_counted_and_no_pass() {
    let world = World::new();
    Batch::of("old", 20, 60, 10).came_in(&world);
    Batch::of("new", 2, 62, 10).came_in(&world);
    measured(&world, &[], 0);
    let sql = rusqlite::Connection::open(world.db()).unwrap();
    let of = |id: &str| {
        format!(
            "claim_id = (SELECT c.id FROM claim c JOIN record r ON r.id = c.record_id WHERE r.audit_id = '{id}')"
        )
    };
    sql.execute_batch(&format!(
        "PRAGMA foreign_keys = 0; PRAGMA ignore_check_constraints = 1;
         DROP TRIGGER verdict_no_update; DROP TRIGGER verdict_no_delete;
         UPDATE verdict SET verdict = 'BAD' WHERE {}; DELETE FROM verdict WHERE {};",
        of("new-1"),
        of("new-2"),
    ))
    .unwrap();
    let report = measured(&world, &[], 3);
    assert_eq!(report["data"]["damaged"], 2);
    let told = condition(&report, "all claims can be read");
    assert_eq!(told["says"], "cannot_say", "{told}");
    assert!(
        told["sentence"]
            .as_str()
            .unwrap()
            .contains("2 claims are damaged and not counted; the first, claim new-1#1"),
        "{told}"
    );
}
