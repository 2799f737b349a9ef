//! `juror calibrate --against`: which former calibration a judge is held to, and when that can be said.

use juror::domain::calibration::{Calibration, CalibrationState};
use juror::store::{Durability, Store};
use serde_json::{Value, json};

use crate::calibrate::{golden, lines};
use crate::world::{World, fits};

/// Sixty items; people say of so many of them what the judge does not.
fn disputed(items: usize) -> Vec<Value> {
    let mut all = golden(60);
    for item in all.iter_mut().take(items) {
        for annotation in item["annotations"].as_array_mut().unwrap() {
            annotation["verdict"] = "PARTIALLY_SUPPORTED".into();
        }
    }
    all
}

fn measured(world: &World, against: &str, code: i32) -> Value {
    let arguments = ["calibrate", "golden.jsonl", "--min-kappa", "-1", "--json", "--against", against];
    let json = world.run(&arguments).ended(code).json();
    fits("report", &json);
    fits("calibration", &json["data"]);
    json
}

/// What the gate asks of the former one, and why it says what it says.
fn condition(report: &Value) -> (&str, &str, &str) {
    let condition = &report["gate"]["conditions"][1];
    let of = |name: &str| condition[name].as_str().unwrap();
    (of("asked"), of("says"), of("sentence"))
}

/// Keeps calibration 1 once more: as one by another prompt, with what `change` makes of it.
fn kept(world: &World, prompt: &str, change: impl FnOnce(&mut Calibration, &mut Value)) -> i64 {
    let mut store = Store::open(&world.db(), Durability::Normal).unwrap();
    let mut of = store.calibration(1).unwrap().unwrap();
    let mut report: Value = serde_json::from_str(&of.report).unwrap();
    of.identity.prompt_sha256 = prompt.repeat(16);
    report["data"]["judge"]["prompt_sha256"] = of.identity.prompt_sha256.as_str().into();
    change(&mut of, &mut report);
    report["data"]["state"] = of.state.label().into();
    of.report = report.to_string();
    store.keep_calibration(&of).unwrap()
}

/// That it was right on everything.
fn right(_: &mut Calibration, report: &mut Value) {
    for item in report["data"]["items"].as_array_mut().unwrap() {
        item["judge"] = item["people"].clone();
    }
}

#[test]
fn a_judge_that_got_worse_is_worse_however_often_it_is_measured() {
    let world = World::new();
    world.file("golden.jsonl", lines(&disputed(15)));
    // There is no other one before, and the very judge of now is none.
    for _ in 0..2 {
        let report = measured(&world, "last", 3);
        let (asked, says, why) = condition(&report);
        assert_eq!((asked, says, &report["data"]["change"]), ("--against last", "cannot_say", &Value::Null));
        assert!(why.contains("no calibration of local on golden.jsonl is kept that was made with"), "{why}");
    }
    assert_eq!(kept(&world, "77b1", right), 3);
    for name in ["calibration 4", "calibration 5"] {
        let report = measured(&world, "last", 1);
        let (asked, says, _) = condition(&report);
        assert_eq!((&report["name"], says), (&json!(name), "no"));
        assert!(
            asked.starts_with("--against calibration 3 (local ") && asked.contains("prompt 77b1, "),
            "{asked}"
        );
        assert!(report["sentences"].to_string().contains("made with prompt 77b1, now "), "{report:#}");
        assert_eq!(report["data"]["change"]["worse"], true);
    }
    // What was found worse is no measure for the next one, and neither is what measured nothing or another set.
    let unmeasured = kept(&world, "99aa", |of, report| {
        right(of, report);
        of.state = CalibrationState::NotMeasured;
    });
    kept(&world, "88cc", |of, _| {
        (of.data_name, of.data_sha256) = ("other.jsonl".to_owned(), "cd".repeat(32));
    });
    world.file(".config/juror/config.toml", "[auditor]\ngranularity = 'sentence'\n");
    let report = measured(&world, "last", 1);
    assert!(condition(&report).0.starts_with("--against calibration 3 (local "), "{:?}", condition(&report));
    // By its number it is found, and said to be no measure.
    let report = measured(&world, &unmeasured.to_string(), 3);
    assert!(condition(&report).2.contains("it is NOT_MEASURED"), "{:?}", condition(&report));
    // Whoever accepts the worse one names it.
    let report = measured(&world, "5", 0);
    assert!(report["sentences"].to_string().contains("made with other settings"), "{report:#}");
}

#[test]
fn without_a_store_there_is_no_last_one() {
    let world = World::new();
    world.file("golden.jsonl", lines(&golden(60)));
    let mut command = world.command(&["calibrate", "golden.jsonl", "--against", "last"]);
    let run = crate::world::finish(command.env_remove("JUROR_DB").spawn().unwrap()).ended(3);
    assert!(run.out().contains("kappa is") && run.stderr.contains("kept nowhere"), "{run:?}");
}

/// Records of twelve claims, of which people say of some what the judge does not.
fn records(records: usize) -> Vec<Value> {
    let of_record = |n: usize| {
        let rule = |claim: usize| format!("Rule {n} of part {claim} allows 4 g per day.");
        let each = |claim: usize| {
            let verdict = if claim < 4 + n % 3 { "CONTRADICTED" } else { "FULLY_SUPPORTED" };
            let said = ["ana", "bo"].map(|annotator| json!({"annotator": annotator, "verdict": verdict}));
            json!({"claim_text": rule(claim), "annotations": said})
        };
        json!({
            "audit_id": format!("r{n}"),
            "generated_answer": (0..12).map(rule).collect::<Vec<_>>().join(" "),
            "evidence_passages": [{"passage_id": "p", "content": (0..12).map(rule).collect::<Vec<_>>().join(" ")}],
            "claims": (0..12).map(each).collect::<Vec<_>>(),
        })
    };
    (0..records).map(of_record).collect()
}

/// Writes what the judge said of the golden set, had it been right on everything.
fn perfect(world: &World) {
    let arguments = ["calibrate", "golden.jsonl", "--min-kappa", "-1", "--json", "-o", "perfect.json"];
    world.run(&arguments).ended(0);
    let mut report: Value =
        serde_json::from_slice(&std::fs::read(world.path("perfect.json")).unwrap()).unwrap();
    for item in report["data"]["items"].as_array_mut().unwrap() {
        item["judge"] = item["people"].clone();
    }
    world.file("perfect.json", report.to_string());
}

#[test]
fn claims_of_too_few_records_are_not_said_to_be_no_worse() {
    let world = World::new();
    world.file("golden.jsonl", lines(&records(5)));
    perfect(&world);
    let report = measured(&world, "perfect.json", 3);
    let (_, says, why) = condition(&report);
    assert_eq!(says, "cannot_say");
    assert!(
        why.contains("the 60 items that have a verdict of both are of 5 records, and 6 are needed"),
        "{why}"
    );
    assert_eq!(report["data"]["change"]["worse"], Value::Null);
    world.file("golden.jsonl", lines(&records(6)));
    perfect(&world);
    assert_eq!(condition(&measured(&world, "perfect.json", 1)).1, "no");
}

#[test]
fn a_line_is_a_record_whatever_it_is_called() {
    let world = World::new();
    let mut items = disputed(15);
    for (n, item) in items.iter_mut().enumerate() {
        item["id"] = format!("fever#{}", n + 1).into();
    }
    world.file("golden.jsonl", lines(&items));
    perfect(&world);
    let report = measured(&world, "perfect.json", 1);
    assert_eq!(report["data"]["figures"]["groups"], 60);
    assert_eq!(report["data"]["change"]["measured"]["records"], 60);
}

#[test]
fn items_with_other_words_are_not_the_same_items() {
    let world = World::new();
    world.file("golden.jsonl", lines(&golden(60)));
    perfect(&world);
    let same = measured(&world, "perfect.json", 0);
    assert!(!condition(&same).2.contains("other words") && !condition(&same).2.contains("not those of then"));
    let renamed = |from: usize| {
        let mut items = golden(60);
        let mut others = golden(120).split_off(60);
        for (item, other) in items.iter_mut().zip(&mut others).skip(from) {
            other["id"] = item["id"].clone();
            *item = other.clone();
        }
        lines(&items)
    };
    world.file("golden.jsonl", renamed(55));
    let report = measured(&world, "perfect.json", 0);
    let (_, _, why) = condition(&report);
    assert!(why.contains("; 5 of the items have other words or another consensus"), "{why}");
    assert!(why.contains("the lines of the golden set are not those of then"), "{why}");
    assert_eq!(report["data"]["change"]["measured"]["raw"]["n"], 55);
    world.file("golden.jsonl", renamed(0));
    let report = measured(&world, "perfect.json", 3);
    let (_, says, why) = condition(&report);
    assert_eq!(says, "cannot_say");
    assert!(why.starts_with("0 items have a verdict of both") && why.contains("60 of the items"), "{why}");
}
