//! `juror judge-report` on labelled rows of every kind.

use serde_json::{Value, json};

use crate::world::{World, fits};

fn claim(id: &str, claim: &str, evidence: &str, label: &str) -> String {
    json!({
        "dataset": "d", "id": id, "claim": claim, "label": label, "lang": "en",
        "binary": u8::from(label == "FULLY_SUPPORTED"),
        "evidence": [{"passage_id": "p", "content": evidence}],
        "spans": [{"passage_id": "p", "start": 0, "end": evidence.chars().count()}],
    })
    .to_string()
}

fn doses() -> String {
    let evidence = "The maximum dose of paracetamol for adults is 4 g per day.";
    [
        claim("1", "The maximum dose of paracetamol for adults is 4 g per day.", evidence, "FULLY_SUPPORTED"),
        claim("2", "The maximum dose of paracetamol for adults is 8 g per day.", evidence, "CONTRADICTED"),
        claim("3", "Ibuprofen was first sold in Norway.", evidence, "UNSUPPORTED"),
    ]
    .join("\n")
}

#[test]
fn a_folder_is_measured_file_by_file() {
    let world = World::new();
    world.file("labelled/doses.jsonl", doses());
    world.file("labelled/one_class.jsonl", claim("1", "It rains.", "It rains.", "FULLY_SUPPORTED"));
    let json = world.run(&["judge-report", "labelled", "--worst", "3", "--json"]).ended(0).json();
    fits("judge_report", &json);
    let doses = &json["files"][0];
    assert_eq!(doses["claims"], 3);
    assert_eq!(doses["right_by"], "FINE");
    assert_eq!(doses["labels"], json!({"FULLY_SUPPORTED": 1, "UNSUPPORTED": 1, "CONTRADICTED": 1}));
    for (figure, expected) in [
        ("coverage", 1.0),
        ("balanced_accuracy", 1.0),
        ("auroc", 1.0),
        ("contradicted_precision", 1.0),
        ("contradicted_recall", 1.0),
    ] {
        assert_eq!(doses[figure]["value"], expected, "{figure}");
    }
    let one = &json["files"][1];
    assert_eq!(one["balanced_accuracy"]["value"], Value::Null);
    assert!(one["balanced_accuracy"]["undefined_because"].as_str().unwrap().contains("one class"));
    assert_eq!(one["contradicted_precision"]["undefined_because"], "no row is labelled CONTRADICTED");
    assert!(json["english"]["one_class"][0].as_str().unwrap().ends_with("one_class.jsonl"));
    assert_eq!(json["english"]["balanced_accuracy"]["value"], 1.0, "the mean of the one that has it");
    let table = world.run(&["judge-report", "labelled"]).ended(0);
    assert!(table.out().contains("| doses "), "{}", table.out());
    assert!(table.out().contains("leaves out, since all their claims are of one class: one_class"));
}

#[test]
fn wrong_and_sure_verdicts_are_shown() {
    let world = World::new();
    let line = claim("odd", "The dose is 4 g.", "The dose is 4 g.", "CONTRADICTED");
    world.file("odd.jsonl", format!("{}\n{line}", doses()));
    let run = world.run(&["judge-report", "odd.jsonl", "--worst", "1"]).ended(0);
    assert!(run.out().contains("FULLY_SUPPORTED where the label is CONTRADICTED: The dose is 4 g. (d:odd)"));
}

#[test]
fn what_is_no_labelled_row_is_named_and_the_rest_is_measured() {
    let world = World::new();
    let unlabelled = r#"{"audit_id":"a","generated_answer":"x","evidence_passages":[]}"#;
    world.file("mixed.jsonl", format!("{}\n{unlabelled}\n\nnot JSON\n", doses()));
    let run = world.run(&["judge-report", "mixed.jsonl"]).ended(2);
    assert!(run.stderr.contains("mixed.jsonl:4: no label"), "{}", run.stderr);
    assert!(run.stderr.contains("mixed.jsonl:6: "), "{}", run.stderr);
    assert!(run.out().contains("| mixed                 |      3 |"), "{}", run.out());
}

#[test]
fn a_limit_takes_the_first_rows_of_each_file() {
    let world = World::new();
    world.file("doses.jsonl", doses());
    let json = world.run(&["judge-report", "doses.jsonl", "--limit", "2", "--json"]).ended(0).json();
    assert_eq!(json["files"][0]["claims"], 2);
    let none = world.run(&["judge-report", "doses.jsonl", "--limit", "0"]).ended(0);
    assert!(none.out().contains("no labelled row was read"), "{}", none.out());
}

#[test]
fn answers_are_cut_as_finely_as_is_asked() {
    let world = World::new();
    let answer = "The rate is 4 percent and the fee is 2 percent. Is that fair?";
    let line = json!({
        "audit_id": "a", "generated_answer": answer,
        "evidence_passages": [{"passage_id": "p", "content": "The rate is 4 percent."}],
        "gold_claims": [{"start": 0, "end": 21}, {"start": 26, "end": 47}],
    });
    world.file("answers.jsonl", line.to_string());
    let found = |granularity: &str| {
        let run = world.run(&["judge-report", "answers.jsonl", "--granularity", granularity, "--json"]);
        let json = run.ended(0).json();
        fits("judge_report", &json);
        assert_eq!(json["judge"]["settings"]["granularity"], granularity);
        let answers = &json["files"][0]["answers"];
        (
            answers["found"].as_u64().unwrap(),
            answers["produced"].as_u64().unwrap(),
            answers["no_claims"].as_u64(),
        )
    };
    assert_eq!(found("atomic"), (2, 2, Some(1)));
    assert_eq!(found("sentence").1, 1);
    let run = world.run(&["judge-report", "answers.jsonl", "--granularity", "fine"]).ended(2);
    assert!(run.stderr.contains("use \"sentence\" or \"atomic\""), "{}", run.stderr);
}

#[test]
fn the_shipped_sample_is_measured_when_no_file_is_named() {
    let json = World::new().run(&["judge-report", "--json"]).ended(0).json();
    fits("judge_report", &json);
    let files = json["files"].as_array().unwrap();
    assert_eq!(files.len(), 6);
    assert!(files.iter().all(|file| file["rejected"] == 0));
    assert!(files.iter().any(|file| file["answers"]["recall"]["value"].is_number()));
}

#[test]
fn a_record_of_100_mb_is_refused_with_the_limit_named() {
    let world = World::new();
    let evidence = "The dose is 4 g. ".repeat(100 * 1024 * 1024 / 17);
    world.file("huge.jsonl", claim("1", "The dose is 4 g.", &evidence, "FULLY_SUPPORTED"));
    for command in ["import", "judge-report"] {
        let run = world.run(&[command, "huge.jsonl"]).ended(2);
        assert!(run.stderr.contains("huge.jsonl:1: the line has 1048"), "{}", run.stderr);
        assert!(run.stderr.contains("at most 8388608 (8 MiB) are read"), "{}", run.stderr);
    }
}

#[test]
fn files_that_are_nothing_of_the_kind_are_named() {
    let world = World::new();
    world.file("odd/a.jsonl.gz", b"\x1f\x8b\x08garbage");
    world.file("odd/b.jsonl", b"\xff\xfe\x00");
    world.file("odd/c.jsonl", "[1,2]\n\"x\"\n{\"id\":1}\n");
    world.file("odd/d.jsonl", "");
    let run = world.run(&["judge-report", "odd"]).ended(2);
    for place in [
        "a.jsonl.gz: the gzip data",
        "b.jsonl: the file is UTF-16",
        "c.jsonl:1: ",
        "c.jsonl:2: ",
        "c.jsonl:3: ",
    ] {
        assert!(run.stderr.contains(place), "{place}: {}", run.stderr);
    }
    assert!(run.out().contains("no labelled row was read"), "{}", run.out());
    let nowhere = world.run(&["judge-report", "nowhere"]).ended(2);
    assert!(nowhere.stderr.contains("there is no such file"), "{}", nowhere.stderr);
}
