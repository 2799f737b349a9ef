//! `juror stability`: the same asked again.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::server::Server;
use crate::server::judge;
use crate::server::shapes::{Shape, prompt};
use crate::world::{World, fits};

fn pairs(world: &World, count: usize) {
    let line = |n: usize| {
        let claim =
            if n.is_multiple_of(2) { "Take 4 g.".to_owned() } else { format!("Item {n} weighs {n} kg.") };
        json!({"claim_id": format!("c{n}"), "claim": claim, "source_id": "s", "source": "Take 4 g."})
            .to_string()
    };
    world.file("pairs.jsonl", (0..count).map(line).collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_local_judge_always_says_the_same_and_that_is_said_so() {
    let world = World::new();
    pairs(&world, 12);
    let run = world.run(&["stability", "pairs.jsonl", "--runs", "3", "--json"]).ended(0);
    let json = run.json();
    fits("stability", &json);
    assert_eq!((&json["raw_agreement"]["value"], &json["alpha"]["value"]), (&json!(1.0), &json!(1.0)));
    assert_eq!((&json["changing_items"], &json["rated_items"]), (&json!(0), &json!(12)));
    let told = world.run(&["stability", "pairs.jsonl"]).ended(0);
    assert!(told.out().contains("No variation"), "{}", told.out());
    // One rating for all: nothing shows whether it tells items apart.
    let same = |n: usize| {
        json!({"claim_id": format!("c{n}"), "claim": "Take 4 g.", "source_id": "s", "source": "Take 4 g."})
            .to_string()
    };
    world.file("same.jsonl", (0..12).map(same).collect::<Vec<_>>().join("\n"));
    let run = world.run(&["stability", "same.jsonl", "--min-alpha", "0.8"]).ended(3);
    assert!(run.stderr.contains("alpha is undefined"), "{}", run.stderr);
    world.run(&["stability", "pairs.jsonl", "--min-items", "13"]).ended(3);
    world.run(&["stability", "pairs.jsonl", "--runs", "1"]).ended(2);
    let run = world.run(&["stability", "pairs.jsonl", "--min-items", "0"]).ended(2);
    assert!(run.stderr.contains("0 is not in 1.."), "{}", run.stderr);
    let run = world.run(&["stability", "pairs.jsonl", "--temperatures", "0,0.7"]).ended(2);
    assert!(run.stderr.contains("the local judge has no temperature"), "{}", run.stderr);
}

#[test]
fn an_item_that_stands_twice_is_a_bad_line_and_counts_once() {
    let world = World::new();
    let pair = |source: &str| {
        json!({"claim_id": "c", "claim": "Take 4 g.", "source_id": "s", "source": source}).to_string()
    };
    world.file("pairs.jsonl", [pair("Take 4 g."), pair("Take 4 g."), pair("Take 8 g.")].join("\n"));
    let run = world.run(&["stability", "pairs.jsonl", "--json", "--min-items", "1"]).ended(2);
    assert_eq!(run.json()["items"], 1);
    for line in [2, 3] {
        let told = format!("pairs.jsonl:{line}: the pair `c` and `s` stands twice, first at pairs.jsonl:1");
        assert!(run.stderr.contains(&told), "{}", run.stderr);
    }
    let record = json!({"audit_id": "a", "generated_answer": "Take 4 g. It helps. Take 4 g.",
        "evidence_passages": [{"passage_id": "p", "content": "Take 4 g."}]});
    world.file("records.jsonl", record.to_string());
    let stability = ["stability", "--instrument", "faithfulness", "--json", "--min-items", "1"];
    let run = world.run(&[&stability[..], &["records.jsonl"]].concat()).ended(0);
    assert_eq!(run.json()["items"], 3, "the same words at two places are two claims");
    world.file("twice.jsonl", format!("{record}\n{record}"));
    let run = world.run(&[&stability[..], &["twice.jsonl"]].concat()).ended(2);
    assert_eq!(run.json()["items"], 3);
    assert!(run.stderr.contains("twice.jsonl:2: the record `a` stands twice"), "{}", run.stderr);
}

#[test]
fn a_judge_that_wavers_is_found_out_past_the_cache_and_fails_the_gate() {
    let asked = AtomicUsize::new(0);
    let server = Server::start(move |seen| {
        let mut reply = judge::reply_to(&prompt(seen));
        // Every other answer is another one.
        if asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
            reply["score"] = json!(2);
            reply["support_level"] = json!("Weakly Related");
        }
        Shape::of(seen).said(&reply.to_string())
    });
    let world = World::new();
    world.file(
        "juror.toml",
        format!("[judge.m]\nprovider = 'openai'\nmodel = 'tiny'\nbase_url = '{}/v1'\nconcurrency = 1\ncontext = 16000\n", server.url()),
    );
    pairs(&world, 12);
    let arguments = ["stability", "pairs.jsonl", "--judge", "m", "--config", "juror.toml"];
    let run =
        world.run(&[&arguments[..], &["--runs", "2", "--temperatures", "0,0.5", "--json"]].concat()).ended(0);
    let json = run.json();
    fits("stability", &json);
    assert_eq!(json["temperatures"], json!([0.0, 0.0, 0.5, 0.5]));
    assert_eq!(server.count(), 48, "every question was sent");
    assert!(json["changing_items"].as_u64().unwrap() >= 10, "{json}");
    assert!(json["raw_agreement"]["value"].as_f64().unwrap() < 0.8, "{json}");
    let run = world.run(&[&arguments[..], &["--runs", "3", "--min-alpha", "0.8"]].concat()).ended(1);
    assert!(run.stderr.contains("below the 0.8 of --min-alpha"), "{}", run.stderr);
    assert!(run.out().contains("do not always get the same"), "{}", run.out());
}

#[test]
fn runs_that_fail_are_no_agreement() {
    let asked = AtomicUsize::new(0);
    let server = Server::start(move |seen| {
        // Three of five fail, and the others agree.
        if asked.fetch_add(1, Ordering::Relaxed) % 5 < 3 {
            return crate::server::Reply::new(400, "no");
        }
        Shape::of(seen).said(&judge::reply_to(&prompt(seen)).to_string())
    });
    let world = World::new();
    world.file(
        "juror.toml",
        format!("[judge.m]\nprovider = 'openai'\nmodel = 'tiny'\nbase_url = '{}/v1'\nconcurrency = 1\ncontext = 16000\n", server.url()),
    );
    pairs(&world, 12);
    let arguments =
        ["stability", "pairs.jsonl", "--judge", "m", "--config", "juror.toml", "--min-alpha", "-1"];
    let run = world.run(&arguments).ended(4);
    assert!(run.stderr.contains("missing; the first"), "{}", run.stderr);
}

/// The judge `m` at that server, one request at a time.
fn judge_of(world: &World, server: &Server) {
    world.file(
        "juror.toml",
        format!("[judge.m]\nprovider = 'openai'\nmodel = 'tiny'\nbase_url = '{}/v1'\nconcurrency = 1\ncontext = 16000\n", server.url()),
    );
}

/// What the item is called that stands in the prompt, `a` or `b` and so on.
fn item_of(prompt: &str) -> String {
    let found = prompt.rsplit_once("Item ").and_then(|(_, rest)| rest.split(' ').next());
    found.expect("the prompt has an item").to_owned()
}

fn letter(n: usize) -> char {
    char::from(b'a' + u8::try_from(n).unwrap())
}

/// How often it was asked about before.
fn before(asked: &Mutex<HashMap<String, usize>>, prompt: &str) -> usize {
    let mut asked = asked.lock().unwrap();
    let times = asked.entry(item_of(prompt)).or_default();
    *times += 1;
    *times - 1
}

#[test]
fn a_run_that_says_nothing_of_a_record_leaves_one_gap_in_each_claim_and_no_more() {
    for fails in [false, true] {
        let asked = Mutex::default();
        let server = Server::start(move |seen| {
            let prompt = prompt(seen);
            let reply = match (before(&asked, &prompt), fails) {
                (0, true) => return crate::server::Reply::new(400, "no"),
                (0, false) => json!({"claims": [], "no_claim": [1, 2]}),
                _ => judge::reply_to(&prompt),
            };
            Shape::of(seen).said(&reply.to_string())
        });
        let world = World::new();
        judge_of(&world, &server);
        let record = |n: usize| {
            json!({"audit_id": format!("a{n}"), "generated_answer": format!("It was red. Item {} is heavy.", letter(n)),
                "evidence_passages": [{"passage_id": "p", "content": "Take 4 g."}]})
            .to_string()
        };
        world.file("records.jsonl", (0..10).map(record).collect::<Vec<_>>().join("\n"));
        let arguments = ["stability", "records.jsonl", "--instrument", "faithfulness", "--judge", "m"];
        let run = world.run(&[&arguments[..], &["--config", "juror.toml", "--runs", "3", "--json"]].concat());
        let json = run.json();
        let counted = ["items", "ratings", "missing", "rated_items"].map(|name| json[name].as_u64().unwrap());
        assert_eq!(counted, [20, 40, 20, 20], "{}", run.stderr);
        assert_eq!(run.code, Some(if fails { 4 } else { 0 }), "{}", run.stderr);
        let told = if fails { "400" } else { "NO_CLAIMS" };
        assert!(run.stderr.contains("20 ratings missing") && run.stderr.contains(told), "{}", run.stderr);
    }
}

#[test]
fn each_temperature_is_told_by_itself_beside_all_together() {
    let asked = Mutex::default();
    let server = Server::start(move |seen| {
        let prompt = prompt(seen);
        let mut reply = judge::reply_to(&prompt);
        let is_hot = seen.json()["temperature"] == json!(0.5);
        // When it is hot, it says otherwise each time.
        let is_other =
            if is_hot { before(&asked, &prompt) % 2 == 1 } else { item_of(&prompt).as_str() < "g" };
        if is_other {
            reply["score"] = json!(2);
            reply["support_level"] = json!("Weakly Related");
        }
        Shape::of(seen).said(&reply.to_string())
    });
    let world = World::new();
    judge_of(&world, &server);
    let line = |n: usize| {
        let claim = format!("Item {} is heavy.", letter(n));
        json!({"claim_id": format!("c{n}"), "claim": claim, "source_id": "s", "source": "Take 4 g."})
            .to_string()
    };
    world.file("pairs.jsonl", (0..12).map(line).collect::<Vec<_>>().join("\n"));
    let arguments = ["stability", "pairs.jsonl", "--judge", "m", "--config", "juror.toml", "--runs", "2"];
    let run = world.run(&[&arguments[..], &["--temperatures", "0,0.5", "--json"]].concat()).ended(0);
    let json = run.json();
    fits("stability", &json);
    let apart = json["by_temperature"].as_array().unwrap();
    let raw = |of: &Value| of["raw_agreement"]["value"].as_f64().unwrap();
    let alpha = |of: &Value| of["alpha"]["value"].as_f64().unwrap();
    assert_eq!((&apart[0]["temperature"], &apart[1]["temperature"]), (&json!(0.0), &json!(0.5)));
    assert_eq!((raw(&apart[0]), alpha(&apart[0]), &apart[0]["rated_items"]), (1.0, 1.0, &json!(12)));
    assert!(raw(&apart[1]).abs() < 1e-9 && alpha(&apart[1]) < 0.0, "{apart:#?}");
    assert!(alpha(&json) > alpha(&apart[1]) && alpha(&json) < 1.0, "{json:#}");
    let told = world.run(&[&arguments[..], &["--temperatures", "0,0.5"]].concat()).ended(0);
    assert!(told.out().contains("at 0 alone:\n  raw agreement   1.000"), "{}", told.out());
    // With one there is nothing to tell apart.
    let one = world.run(&[&arguments[..], &["--temperatures", "0", "--json"]].concat()).ended(0);
    assert_eq!(one.json()["by_temperature"], json!([]));
}
