//! Input that cannot be measured: what measures judges and people names it, and never passes.

use serde_json::json;

use crate::world::{World, finish, line};

/// What a command says of a file of that content, and with which code it ends.
fn told(arguments: &[&str], content: &str) -> (i32, String) {
    let world = World::new();
    world.file("input.jsonl", content);
    // A judge that nobody can reach.
    world.file(
        "juror.toml",
        "[judge.away]\nprovider = 'openai'\nmodel = 'm'\nbase_url = 'http://127.0.0.1:9/v1'\nattempts = 3\nrecord_timeout_s = 1\ntimeout_s = 1\n",
    );
    let mut command = world.command(arguments);
    command.env("JUROR_CONFIG", world.path("juror.toml"));
    let run = finish(command.spawn().unwrap());
    (
        run.code.unwrap(),
        format!("{}{}", run.out(), run.stderr).split_whitespace().collect::<Vec<_>>().join(" "),
    )
}

#[track_caller]
fn refused(arguments: &[&str], content: &str, code: i32, sentence: &str) {
    let (ended, said) = told(arguments, content);
    assert!(
        ended == code && said.contains(sentence),
        "{arguments:?}: {ended}, not {code}, {sentence}: {said}"
    );
}

fn pair(claim: &str, source: &str) -> String {
    json!({"claim_id": "c", "claim": claim, "source_id": "s", "source": source}).to_string()
}

#[test]
fn pairs_that_cannot_be_scored() {
    let score = ["score", "input.jsonl"];
    refused(&score, "", 3, "there are no pairs: the files are empty");
    refused(&score, "not JSON", 2, "input.jsonl:1: not JSON");
    refused(&score, r#"{"claim_id":"c","claim":"It is 4 g."}"#, 2, "missing `source_id`");
    refused(&score, &pair("It is 4 g.", " "), 2, "`source` holds nothing that could be scored");
    refused(&score, &pair("…", "It is 4 g."), 2, "`claim` holds nothing that could be scored");
    let twice = [pair("It is 4 g.", "It is 4 g."), pair("It is 8 g.", "It is 4 g.")].join("\n");
    refused(&score, &twice, 2, "input.jsonl:2: the pair `c` and `s` stands twice, first at input.jsonl:1");
    refused(
        &["score", "input.jsonl", "--judge", "away"],
        &pair("It is 4 g.", "It is 4 g."),
        4,
        "could not be scored",
    );
    refused(&["score", "gone.jsonl"], "", 2, "gone.jsonl");
}

#[test]
fn what_cannot_be_asked_again() {
    let stability = ["stability", "input.jsonl"];
    refused(&stability, "", 3, "not enough to say");
    refused(&stability, &pair("It is 4 g.", ""), 2, "`source` holds nothing");
    refused(&stability, r#"{"claim_id":"c"}"#, 2, "input.jsonl:1");
    let (code, said) =
        told(&["stability", "input.jsonl", "--judge", "away"], &pair("It is 4 g.", "It is 4 g."));
    assert!(matches!(code, 3 | 4), "{code}: {said}");
}

#[test]
fn golden_sets_that_measure_nothing() {
    let calibrate = ["calibrate", "input.jsonl"];
    refused(&calibrate, "", 3, "0 of the items have a consensus");
    refused(
        &calibrate,
        &pair("It is 4 g.", "It is 4 g."),
        2,
        "nothing that --instrument faithfulness asks about",
    );
    refused(&calibrate, r#"{"id":"g","claim":"It is 4 g."}"#, 2, "missing `evidence`");
    let golden: Vec<String> = crate::calibrate::golden(60).iter().map(ToString::to_string).collect();
    let twice = [golden.join("\n"), golden[0].clone()].join("\n");
    refused(&calibrate, &twice, 2, "g000 stands there twice");
    refused(&["calibrate", "input.jsonl", "--judge", "away"], &golden.join("\n"), 4, "the judge failed on");
}

#[test]
fn annotations_that_say_nothing_of_agreement() {
    let agreement = ["agreement", "input.jsonl"];
    refused(&agreement, "", 3, "undefined");
    refused(&agreement, r#"{"unit":"u","annotator":"ana","verdict":"CONTRADICTED"}"#, 3, "undefined");
    refused(&agreement, r#"{"unit":"u","annotator":"ana","verdict":"MAYBE"}"#, 2, "input.jsonl:1");
    let twice = "{\"unit\":\"u\",\"annotator\":\"ana\",\"score\":1}\n{\"unit\":\"u\",\"annotator\":\"ana\",\"score\":2}";
    refused(&agreement, twice, 2, "one annotator has one say");
    let mixed = "{\"unit\":\"u\",\"annotator\":\"ana\",\"score\":1}\n{\"unit\":\"u\",\"annotator\":\"bo\",\"verdict\":\"UNSUPPORTED\"}";
    refused(&agreement, mixed, 2, "cannot be compared");
}

#[test]
fn a_store_without_audits_has_not_drifted() {
    let world = World::new();
    assert!(world.run(&["drift"]).ended(2).stderr.contains("no store at"));
    world.file("a.jsonl", line("rx-1", "Take 8 g."));
    world.run(&["import", "a.jsonl"]).ended(0);
    let run = world.run(&["drift"]).ended(3);
    assert!(run.out().contains("Too few claims with a verdict to say: 0 before, 0 after"), "{}", run.out());
}
