//! `juror agreement`: among people, from files and from the store.

use juror::clock::{Clock, SystemClock};
use juror::domain::blind::OVERLAP;
use juror::domain::decision::{Actor, Basis, HumanVerdict, Request, Ruling};
use juror::domain::ids::Annotator;
use juror::store::{Durability, PageAt, Store};
use serde_json::{Value, json};

use crate::world::{World, fits, line};

fn rating(unit: usize, annotator: &str, verdict: &str) -> String {
    json!({"unit": format!("u{unit:03}"), "annotator": annotator, "verdict": verdict}).to_string()
}

/// What is printed with `--json`, held to both schemas.
fn measured(world: &World, arguments: &[&str], code: i32) -> Value {
    let mut all = vec!["agreement", "--json"];
    all.extend(arguments);
    let json = world.run(&all).ended(code).json();
    fits("report", &json);
    fits("agreement", &json["data"]);
    json["data"].clone()
}

/// Whether a figure is that, but for rounding.
#[track_caller]
fn is(data: &Value, figure: &str, expected: f64) {
    assert!(
        (value(data, figure) - expected).abs() < 5e-6,
        "{figure} is {}, not {expected}",
        value(data, figure)
    );
}

fn value(data: &Value, figure: &str) -> f64 {
    data["together"][figure]["value"].as_f64().unwrap_or_else(|| panic!("{figure}: {data:#}"))
}

/// The four observers of Krippendorff 2011.
fn observers() -> String {
    let said = [
        "1 2 3 3 2 1 4 1 2 * * *",
        "1 2 3 3 2 2 4 1 2 5 * 3",
        "* 3 3 3 2 3 4 2 2 5 1 *",
        "1 2 3 3 2 4 4 1 2 5 1 *",
    ];
    let mut lines = Vec::new();
    for (annotator, said) in ["ana", "bo", "cy", "di"].iter().zip(said) {
        for (unit, score) in said.split(' ').enumerate().filter(|(_, score)| *score != "*") {
            let score: u8 = score.parse().unwrap();
            lines.push(json!({"unit": unit, "annotator": annotator, "score": score}).to_string());
        }
    }
    lines.join("\n")
}

#[test]
fn published_scores_give_the_published_figures() {
    let world = World::new();
    world.file("observers.jsonl", observers());
    let data = measured(&world, &["observers.jsonl", "--units"], 0);
    for (figure, expected) in
        [("alpha", 0.743_421), ("alpha_ordinal", 0.815_388), ("alpha_interval", 0.849_107), ("ac1", 0.775_44)]
    {
        is(&data, figure, expected);
    }
    assert_eq!(
        (&data["together"]["shared_units"], &data["together"]["unshared_units"]),
        (&json!(11), &json!(1))
    );
    assert_eq!(data["pairs"].as_array().unwrap().len(), 6);
    assert_eq!(data["units"][0], json!({"unit": "0", "ratings": {"ana": "1", "bo": "1", "di": "1"}}));
    insta::assert_snapshot!(
        world
            .run(&["agreement", "observers.jsonl"])
            .ended(0)
            .out()
            .lines()
            .filter(|line| !line.contains("juror 0"))
            .collect::<Vec<_>>()
            .join("\n")
    );
}

#[test]
fn r45_what_a_judge_said_is_nobody_s_rating() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), line("rx-2", "Take 8 g.")]);
    let data = measured(&world, &[], 3);
    assert_eq!((&data["annotators"], &data["together"]["shared_units"]), (&json!([]), &json!(0)));
    let run = world.run(&["agreement"]).ended(3);
    assert!(run.out().contains("Nobody has rated anything yet."), "{}", run.out());
}

#[test]
fn r46_without_a_common_unit_there_is_no_figure_and_exit_3() {
    let world = World::new();
    world.file("apart.jsonl", [rating(1, "ana", "UNSUPPORTED"), rating(2, "bo", "UNSUPPORTED")].join("\n"));
    let data = measured(&world, &["apart.jsonl"], 3);
    assert_eq!(data["together"]["alpha"]["value"], Value::Null);
    assert_eq!(data["together"]["alpha"]["undefined_because"], "no unit was rated by two");
    let run = world.run(&["agreement", "apart.jsonl"]).ended(3);
    assert!(run.out().contains("No unit was rated by two: 2 units by one annotator alone."), "{}", run.out());
    assert!(run.out().contains("there is no unit that both rated: ana × bo"), "{}", run.out());
}

#[test]
fn r47_the_numbers_behind_every_figure_are_there() {
    let world = World::new();
    let said = [
        ("FULLY_SUPPORTED", "FULLY_SUPPORTED"),
        ("FULLY_SUPPORTED", "CONTRADICTED"),
        ("CONTRADICTED", "CONTRADICTED"),
    ];
    let lines = said
        .iter()
        .enumerate()
        .flat_map(|(unit, (ana, bo))| [rating(unit, "ana", ana), rating(unit, "bo", bo)])
        .collect::<Vec<_>>();
    world.file("two.jsonl", lines.join("\n"));
    let data = measured(&world, &["two.jsonl"], 0);
    let counts = &data["pairs"][0]["measured"]["counts"];
    assert_eq!((&counts[0][0], &counts[0][3], &counts[3][3]), (&json!(1), &json!(1), &json!(1)));
    let run = world.run(&["agreement", "two.jsonl"]).ended(0);
    assert!(run.out().contains("FULLY_SUPPORTED and CONTRADICTED"), "{}", run.out());
}

#[test]
fn r48_full_agreement_on_one_verdict_is_undefined_beside_the_raw_agreement() {
    let world = World::new();
    let lines: Vec<String> = (0..9)
        .flat_map(|unit| [rating(unit, "ana", "UNSUPPORTED"), rating(unit, "bo", "UNSUPPORTED")])
        .collect();
    world.file("same.jsonl", lines.join("\n"));
    let data = measured(&world, &["same.jsonl"], 0);
    is(&data, "raw", 1.0);
    assert!(data["together"]["alpha"]["undefined_because"].as_str().unwrap().contains("no variation"));
    assert!(
        data["pairs"][0]["measured"]["kappa"]["undefined_because"].as_str().unwrap().contains("no variation")
    );
    measured(&world, &["same.jsonl", "--min-alpha", "0.6"], 3);
}

#[test]
fn scores_are_held_to_an_alpha_for_which_a_near_miss_is_less() {
    let world = World::new();
    let lines: Vec<String> = (0..40)
        .flat_map(|unit| {
            let (one, other) = (1 + unit % 5, if unit % 5 == 4 { 4 } else { 2 + unit % 5 });
            [("ana", one), ("bo", other)].map(|(annotator, score)| {
                json!({"unit": format!("u{unit}"), "annotator": annotator, "score": score}).to_string()
            })
        })
        .collect();
    world.file("near.jsonl", lines.join("\n"));
    let data = measured(&world, &["near.jsonl", "--min-alpha", "0.6"], 0);
    assert!(value(&data, "alpha") < 0.0 && value(&data, "alpha_ordinal") > 0.6, "{data:#}");
    let closed = world.run(&["agreement", "near.jsonl", "--min-alpha", "0.95"]).ended(1);
    assert!(closed.out().contains("ordinal alpha is 0."), "{}", closed.out());
}

#[test]
fn r49_a_prevailing_verdict_is_told_with_all_three_figures() {
    let world = World::new();
    let mut lines = Vec::new();
    for unit in 0..125 {
        let (ana, bo) = match unit {
            0..118 => ("FULLY_SUPPORTED", "FULLY_SUPPORTED"),
            118..123 => ("FULLY_SUPPORTED", "CONTRADICTED"),
            _ => ("CONTRADICTED", "FULLY_SUPPORTED"),
        };
        lines.extend([rating(unit, "ana", ana), rating(unit, "bo", bo)]);
    }
    world.file("rare.jsonl", lines.join("\n"));
    let run = world.run(&["agreement", "rare.jsonl", "--min-alpha", "0.6"]).ended(1);
    assert!(run.out().contains("97 % of the ratings are FULLY_SUPPORTED"), "{}", run.out());
    let data = measured(&world, &["rare.jsonl"], 0);
    assert!(value(&data, "raw") > 0.94 && value(&data, "ac1") > 0.94 && value(&data, "alpha") < 0.0);
}

#[test]
fn r50_missing_ratings_are_for_alpha_and_pairs_are_for_kappa() {
    let world = World::new();
    let lines = [
        rating(1, "ana", "UNSUPPORTED"),
        rating(1, "bo", "UNSUPPORTED"),
        rating(2, "bo", "CONTRADICTED"),
        rating(2, "cy", "CONTRADICTED"),
    ];
    world.file("chain.jsonl", lines.join("\n"));
    let data = measured(&world, &["chain.jsonl"], 0);
    // All three, though no unit has all of them.
    is(&data, "alpha", 1.0);
    let apart = data["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .find(|pair| pair["first"] == "ana" && pair["second"] == "cy");
    assert_eq!(apart.unwrap()["measured"]["kappa"]["value"], Value::Null);
}

#[test]
fn lines_that_cannot_be_used_are_named_and_the_rest_is_measured() {
    let world = World::new();
    let lines = [
        rating(1, "ana", "UNSUPPORTED"),
        "{\"unit\":\"u\"}".to_owned(),
        rating(1, "bo", "UNSUPPORTED"),
        rating(1, "bo", "CONTRADICTED"),
        rating(2, "bo", "MAYBE"),
    ];
    world.file("odd.jsonl", lines.join("\n"));
    let run = world.run(&["agreement", "odd.jsonl"]).ended(2);
    for place in
        ["odd.jsonl:2: missing field `annotator`", "odd.jsonl:4: bo says CONTRADICTED", "odd.jsonl:5: "]
    {
        assert!(run.stderr.contains(place), "{place}: {}", run.stderr);
    }
    world.file("mixed.jsonl", format!("{}\n{}", lines[0], r#"{"unit":"u","annotator":"ana","score":1}"#));
    let mixed = world.run(&["agreement", "mixed.jsonl"]).ended(2);
    assert!(mixed.stderr.contains("some are scores"), "{}", mixed.stderr);
    world.run(&["agreement", "--min-alpha", "7"]).ended(2);
    world.run(&["agreement", "nowhere.jsonl"]).ended(2);
}

#[test]
fn decisions_of_the_store_are_measured_and_said_not_to_be_independent() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), line("rx-2", "Take 8 g.")]);
    for (claim, verdict) in
        [("rx-1#1", "CONTRADICTED"), ("rx-1#3", "UNSUPPORTED"), ("rx-2#1", "CONTRADICTED")]
    {
        world.run(&["decide", claim, "--override", verdict, "--by", "ana"]).ended(0);
        world.run(&["decide", claim, "--override", verdict, "--by", "bo"]).ended(0);
    }
    let run = world.run(&["agreement"]).ended(0);
    assert!(
        run.out().contains("Decisions that stand: people saw the judge's verdict first"),
        "{}",
        run.out()
    );
    let data = measured(&world, &[], 0);
    is(&data, "alpha", 1.0);
    assert_eq!(data["together"]["shared_units"], json!(3));
    // What is exported gives the same.
    world.file("claims.jsonl", world.run(&["export", "--what", "claims"]).ended(0).stdout);
    assert_eq!(measured(&world, &["claims.jsonl"], 0)["together"], data["together"]);
}

#[test]
fn blind_verdicts_are_measured_as_they_were_before_the_judge_was_shown() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), line("rx-2", "Take 9 g."), line("rx-3", "Take 7 g.")]);
    let mut store = Store::open(&world.db(), Durability::Full).unwrap();
    // The judge says CONTRADICTED of the first claim of each. ana says otherwise twice and gives in once.
    for (who, first) in [
        ("ana", [HumanVerdict::Unsupported, HumanVerdict::Unsupported, HumanVerdict::Contradicted]),
        ("bo", [HumanVerdict::Contradicted; 3]),
    ] {
        let actor = Actor {
            annotator: Annotator::new(who),
            os_user: "u".into(),
            host: "h".into(),
            program: "p".into(),
        };
        let page = store.blind_page(&actor.annotator, OVERLAP, PageAt::Top, 99, SystemClock.now()).unwrap();
        let mut claims: Vec<_> = page.iter().filter(|row| row.id.to_string().ends_with("#1")).collect();
        claims.sort_by_key(|row| row.id.to_string());
        for (at, (row, verdict)) in claims.iter().zip(first).enumerate() {
            let last = if at == 0 { HumanVerdict::Contradicted } else { verdict };
            for request in [
                Request::Blind { ruling: Ruling::only(verdict), overlap: OVERLAP },
                Request::Override(Ruling::only(last)),
            ] {
                let now = SystemClock.now();
                let seen = store.blind_detail(row.key, &actor.annotator, OVERLAP, now).unwrap().seen;
                store
                    .decide(row.key, &request, Basis { seen: Some(&seen), ..Basis::default() }, &actor, now)
                    .unwrap();
            }
        }
    }
    drop(store);
    let data = measured(&world, &[], 0);
    is(&data, "raw", 1.0 / 3.0);
    let ana = &data["anchoring"][0];
    assert_eq!(
        (&ana["annotator"], &ana["finished"], &ana["changed"], &ana["differed"], &ana["went_over"]),
        (&json!("ana"), &json!(3), &json!(1), &json!(2), &json!(1))
    );
    assert_eq!(ana["anchoring"]["value"], 0.5);
    assert!(data["anchoring"][1]["anchoring"]["undefined_because"].is_string());
    let decisions = measured(&world, &["--from", "decisions"], 0);
    // With the judge in view people agree more.
    is(&decisions, "raw", 2.0 / 3.0);
}

#[test]
fn scores_of_pairs_are_no_verdicts() {
    let world = World::new();
    let pairs: Vec<String> = (0..6)
        .map(|n| {
            serde_json::json!({"claim_id": format!("c{n}"), "claim": format!("The canteen has {n} tables."),
                "source_id": "s", "source": "The canteen is open on weekdays."})
            .to_string()
        })
        .collect();
    world.file("pairs.jsonl", pairs.join("\n"));
    world.run(&["score", "pairs.jsonl", "--queue", "--quiet"]);
    let queue = world.run(&["queue", "--json"]).ended(0).json();
    let ids: Vec<&str> = queue.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    for id in &ids {
        // Both come to UNSUPPORTED.
        world.run(&["decide", id, "--score", "1", "--by", "ana"]).ended(0);
        world.run(&["decide", id, "--score", "2", "--by", "bo", "--disagree"]).ended(0);
    }
    let report = world.run(&["agreement", "--from", "decisions", "--json"]).ended(0).json();
    let parts = report["parts"].as_array().unwrap();
    let mut figures = parts.iter().filter_map(|part| part["shows"]["figures"].as_array()).flatten();
    let raw = figures.find(|figure| figure["id"] == "raw_agreement").unwrap_or_else(|| panic!("{report}"));
    assert_eq!(raw["value"], 0.0, "{raw}");
}

#[test]
fn claims_of_one_record_count_as_one_in_the_intervals() {
    let world = World::new();
    // Ten claims of each of twelve records; on those of every fourth record the two differ throughout.
    let lines = |id: fn(usize, usize) -> String| {
        let each = (0..12).flat_map(|record| (0..10).map(move |claim| (record, claim)));
        let said = each.flat_map(|(record, claim)| {
            let (one, turned) = if record % 2 == 0 {
                ("UNSUPPORTED", "CONTRADICTED")
            } else {
                ("CONTRADICTED", "UNSUPPORTED")
            };
            let other = if record % 4 == 0 { turned } else { one };
            [("ana", one), ("bo", other)].map(|(annotator, verdict)| {
                json!({"unit": id(record, claim), "annotator": annotator, "verdict": verdict}).to_string()
            })
        });
        said.collect::<Vec<_>>().join("\n")
    };
    world.file("together.jsonl", lines(|record, claim| format!("rx-{record}#{claim}")));
    world.file("apart.jsonl", lines(|record, claim| format!("rx-{record}-{claim}")));
    let width = |data: &Value, figure: &str| {
        let interval = &data["together"][figure]["interval"];
        interval["high"].as_f64().unwrap() - interval["low"].as_f64().unwrap()
    };
    let (together, apart) = (measured(&world, &["together.jsonl"], 0), measured(&world, &["apart.jsonl"], 0));
    assert_eq!((&together["records"], &apart["records"]), (&json!(12), &json!(120)));
    for figure in ["raw", "alpha", "ac1", "fleiss"] {
        is(&together, figure, value(&apart, figure));
        assert!(width(&together, figure) > 2.0 * width(&apart, figure), "{figure}: {together:#}");
    }
    let text = world.run(&["agreement", "together.jsonl"]).ended(0);
    assert!(
        text.out().contains("They are of 12 records. Claims of one record hang together"),
        "{}",
        text.out()
    );
    assert!(!world.run(&["agreement", "apart.jsonl"]).ended(0).out().contains("hang together"));
}
