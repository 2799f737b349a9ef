//! `juror compare` before a release: what a gate must not let through, and what must not be lost on the way to people.

use serde_json::{Value, json};

use crate::server::shapes::Shape;
use crate::server::{Seen, Server};
use crate::world::{World, fits};

const DOCUMENT: &str = "Adults take at most 4 g in 24 hours. It lowers a fever.";

fn item(id: &str, baseline: &str, candidate: &str) -> Value {
    json!({"id": id, "documents": [DOCUMENT], "baseline": baseline, "candidate": candidate})
}

fn lines(items: &[Value]) -> String {
    items.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

/// Twenty items: in nineteen both sides are right, in one only the candidate says anything, and that is grave.
fn one_says_nothing() -> Vec<Value> {
    let mut items: Vec<Value> = (0..19)
        .map(|n| item(&format!("q{n}"), "Adults take at most 4 g.", "Adults take at most 4 g."))
        .collect();
    items.push(item("silent", "Is that so?", "Adults may take 8 g in 24 hours."));
    items
}

fn figure<'j>(report: &'j Value, id: &str) -> &'j Value {
    let parts = report["parts"].as_array().unwrap();
    let mut figures = parts.iter().filter_map(|part| part["shows"]["figures"].as_array()).flatten();
    &figures.find(|figure| figure["id"] == id).unwrap_or_else(|| panic!("no figure {id}"))["value"]
}

/// What a judge says of both sides in one look: of each claim its text, status, severity and words.
fn said(candidate: &[(&str, &str, Value, &str)]) -> String {
    let side = |claims: &[(&str, &str, Value, &str)]| {
        let claims: Vec<Value> = claims
            .iter()
            .zip(1..)
            .map(|((text, status, severity, quote), sentence)| {
                let kind = if *status == "SUPPORTED" { Value::Null } else { json!("DISTORTION") };
                json!({"claim_id": "x", "sentence": sentence, "claim_text": text, "status": status,
                    "hallucination_type": kind, "source_document": "d1", "source_citation": quote,
                    "severity": severity})
            })
            .collect();
        json!({"total_claims": claims.len(), "supported_claims": 0, "unsupported_claims": 0,
            "contradicted_claims": 0, "out_of_scope_claims": 0, "hallucination_rate": 0.0, "claims": claims,
            "no_claim": []})
    };
    json!({
        "baseline_analysis": side(&[("Adults take at most 4 g.", "SUPPORTED", Value::Null, "Adults take at most 4 g in 24 hours.")]),
        "candidate_analysis": side(candidate),
        "comparison_summary": {"baseline_hallucination_rate": 0.0, "candidate_hallucination_rate": 0.0,
            "rate_change": 0.0, "new_hallucination_types": [], "severity_shift": {"LOW": 0, "MEDIUM": 0, "HIGH": 0,
            "CRITICAL": 0}, "regression_detected": false, "regression_details": ""},
    })
    .to_string()
}

#[test]
fn a_critical_claim_of_an_item_that_is_left_out_closes_the_gate_and_reaches_a_person() {
    let world = World::new();
    world.file("q.jsonl", lines(&one_says_nothing()));
    let run = world.run(&["compare", "q.jsonl", "--json", "--max-critical", "0"]).ended(1);
    let report = run.json();
    fits("report", &report);
    fits("compare", &report["data"]);
    assert!(run.stderr.contains("gate: closed (--max-critical 0)"), "{}", run.stderr);
    let told = report["gate"]["conditions"][1]["sentence"].as_str().unwrap();
    assert_eq!(
        told,
        "1 claim of the candidate is wrong and CRITICAL, 1 of them in items that count in no rate"
    );
    let wrong = &report["data"]["left_out"][0]["candidate_wrong"];
    assert_eq!(
        (wrong[0]["status"].as_str(), wrong[0]["severity"].as_str()),
        (Some("CONTRADICTED"), Some("CRITICAL"))
    );
    let queue = world.run(&["queue", "--json"]).ended(0).json();
    assert_eq!(queue[0]["id"], "cmp-1/silent#1", "{queue}");
    world.run(&["compare", "q.jsonl", "--require-accepted", "--quiet"]).ended(3);
}

#[test]
fn a_critical_claim_among_too_few_with_a_verdict_closes_the_gate() {
    let grave = "Adults may take 8 g.";
    let claims = [
        (grave, "CONTRADICTED", json!("CRITICAL"), "Adults take at most 4 g in 24 hours."),
        ("Adults may take 9 g.", "CONTRADICTED", json!("CRITICAL"), "These words stand nowhere."),
        ("Adults may take 10 g.", "CONTRADICTED", json!("CRITICAL"), "Nor do these words."),
    ];
    let reply = said(&claims);
    let server = Server::start(move |seen: &Seen| Shape::of(seen).said(&reply));
    let world = World::asking(&server);
    let answer = "Adults may take 8 g. Adults may take 9 g. Adults may take 10 g.";
    world.file("q.jsonl", item("q", "Adults take at most 4 g.", answer).to_string());
    let compare =
        ["compare", "q.jsonl", "--judge", "m", "--json", "--min-coverage", "0", "--max-increase", "1"];
    let run = world.run(&[&compare[..], &["--max-critical", "0"]].concat()).ended(1);
    let left = &run.json()["data"]["left_out"][0];
    assert_eq!(left["candidate_wrong"].as_array().map(Vec::len), Some(1), "{left}");
    // The one that is wrong, and the two of which nobody can say it.
    let queue = world.run(&["queue", "--json"]).ended(0).json();
    assert_eq!(queue.as_array().map(Vec::len), Some(3), "{queue}");
}

#[test]
fn what_nobody_could_judge_of_a_high_item_waits_for_a_person() {
    let claims = [
        ("Adults take at most 4 g.", "SUPPORTED", Value::Null, "Adults take at most 4 g in 24 hours."),
        ("It lowers a fever.", "CONTRADICTED", json!("MEDIUM"), "These words stand nowhere."),
    ];
    let reply = said(&claims);
    let server = Server::start(move |seen: &Seen| Shape::of(seen).said(&reply));
    let world = World::asking(&server);
    let mut high = item("q", "Adults take at most 4 g.", "Adults take at most 4 g. It lowers a fever.");
    high["risk_level"] = "HIGH".into();
    world.file("q.jsonl", high.to_string());
    let compare =
        ["compare", "q.jsonl", "--judge", "m", "--min-coverage", "0.5", "--max-critical", "0", "--quiet"];
    world.run(&compare).ended(0);
    let queue = world.run(&["queue", "--json"]).ended(0).json();
    assert_eq!(
        (queue.as_array().map(Vec::len), &queue[0]["state"]),
        (Some(1), &"UNGROUNDED".into()),
        "{queue}"
    );
    world.run(&[&compare[..], &["--require-accepted"]].concat()).ended(3);
    world.run(&["verify"]).ended(0);
}

#[test]
fn the_data_has_one_hash_whatever_came_of_it() {
    let hash = |world: &World, more: &[&str]| {
        let run = world.run(&[&["compare", "q.jsonl", "--json", "--no-store"], more].concat());
        let facts = run.json()["facts"].clone();
        facts.as_array().unwrap().iter().find(|fact| fact["name"] == "data").unwrap()["value"].clone()
    };
    let world = World::new();
    let mut items = one_says_nothing();
    world.file("q.jsonl", lines(&items));
    let first = hash(&world, &[]);
    items.reverse();
    world.file("q.jsonl", lines(&items));
    assert_eq!(hash(&world, &[]), first, "order is not data");
    items[0]["candidate"] = "Adults may take 9 g in 24 hours.".into();
    world.file("q.jsonl", lines(&items));
    assert_ne!(hash(&world, &[]), first, "what is left out is data too");
}

#[test]
fn a_report_of_a_comparison_has_the_gate_that_was_asked_last() {
    let world = World::new();
    world.file("q.jsonl", item("a", "Adults take at most 4 g.", "Adults take at most 8 g.").to_string());
    world.run(&["compare", "q.jsonl", "--quiet", "--max-increase", "1"]).ended(0);
    world.run(&["report", "comparison", "cmp-1"]).ended(0);
    let closed = world.run(&["compare", "q.jsonl", "--max-increase", "0.05"]).ended(1);
    assert!(closed.stderr.contains("kept as cmp-1"), "{}", closed.stderr);
    let again = world.run(&["report", "comparison", "cmp-1"]).ended(1);
    assert!(again.stderr.contains("gate: closed (--max-increase 0.05)"), "{}", again.stderr);
    let list = world.run(&["report", "comparison", "--list", "--json"]).ended(0).json();
    fits("comparison_list", &list);
    assert_eq!((list.as_array().unwrap().len(), &list[0]["gate"]), (1, &"no".into()));
    let report = world.run(&["report", "comparison", "--json"]).ended(1).json();
    fits("report", &report);
    world.run(&["verify"]).ended(0);
}

#[test]
fn other_wrong_claims_at_the_same_rates_wait_for_people_anew() {
    let quote = "It lowers a fever.";
    let (one, other) = ("It raises a fever.", "It stops a fever.");
    let reply = |wrong: &str| {
        let claim = |text| {
            if text == wrong {
                (text, "CONTRADICTED", json!("CRITICAL"), quote)
            } else {
                (text, "SUPPORTED", Value::Null, quote)
            }
        };
        said(&[claim(one), claim(other)])
    };
    let replies = [reply(one), reply(other)];
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let server = Server::start(move |seen: &Seen| {
        let at = asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Shape::of(seen).said(&replies[at.min(1)])
    });
    let world = World::asking(&server);
    let answer = "It raises a fever. It stops a fever.";
    world.file("q.jsonl", item("q", "Adults take at most 4 g.", answer).to_string());
    let compare = ["compare", "q.jsonl", "--judge", "m", "--max-increase", "1", "--json", "--fresh"];
    let first = world.run(&compare).ended(0).json();
    world.run(&["decide", "cmp-1/q#1", "--confirm"]).ended(0);
    let second = world.run(&[&compare[..], &["--require-accepted"]].concat()).ended(3).json();
    assert_eq!((&first["name"], &second["name"]), (&"cmp-1".into(), &"cmp-2".into()));
    assert_eq!(
        figure(&first, "candidate_rate"),
        figure(&second, "candidate_rate"),
        "the rates do not tell them apart"
    );
    let queue = world.run(&["queue", "--json"]).ended(0).json();
    assert_eq!((&queue[0]["id"], &queue[0]["claim_text"]), (&"cmp-2/q#1".into(), &other.into()), "{queue}");
}

#[test]
fn what_people_rule_against_closes_the_gate_that_the_judge_left_open() {
    let claims = [
        ("Adults may take 8 g.", "CONTRADICTED", json!("HIGH"), "Adults take at most 4 g in 24 hours."),
        ("It lowers a fever.", "SUPPORTED", Value::Null, "It lowers a fever."),
    ];
    let reply = said(&claims);
    let server = Server::start(move |seen: &Seen| Shape::of(seen).said(&reply));
    let world = World::asking(&server);
    let answer = "Adults may take 8 g. It lowers a fever.";
    world.file("q.jsonl", item("q", "Adults take at most 4 g.", answer).to_string());
    let compare = |high: &str| {
        let bounds = ["--max-increase", "1", "--max-critical", "0", "--max-high", high];
        world.run(&[&["compare", "q.jsonl", "--judge", "m", "--json"][..], &bounds].concat())
    };
    let closed = compare("0").ended(1).json();
    let told = &closed["gate"]["conditions"][2];
    assert_eq!(told["asked"], "--max-high 0");
    assert_eq!(told["sentence"], "1 claim of the candidate is wrong and HIGH or CRITICAL");
    let before = compare("1").ended(0).json();
    let report =
        |more: &[&str]| world.run(&[&["report", "comparison", "cmp-1", "--json"][..], more].concat());
    let decide = |more: &[&str]| world.run(&[&["decide", "cmp-1/q#1"][..], more].concat()).ended(0);
    let accepted = ["--require-accepted"];
    report(&accepted).ended(3);

    // By the worst that is said, once, and the same whoever asks.
    decide(&["--override", "CONTRADICTED", "--severity", "CRITICAL"]);
    let after = report(&[]).ended(1).json();
    fits("report", &after);
    let worst = "ruled against 1 claim of the candidate, the worst cmp-1/q#1: CONTRADICTED CRITICAL";
    assert_eq!(after["sentences"][0], format!("People {worst}."));
    let of = |report: &Value, n: usize| report["gate"]["conditions"][n].clone();
    assert_eq!(of(&after, 1)["says"], "no");
    assert_eq!(
        of(&after, 1)["sentence"],
        "0 claims of the candidate are wrong and CRITICAL; people ruled so on 1 more, cmp-1/q#1 first"
    );
    assert_eq!(of(&after, 2), of(&before, 2), "the judge counted it");
    assert_eq!(figure(&after, "candidate_rate"), figure(&before, "candidate_rate"), "rates are the judge's");
    assert_eq!(compare("1").ended(1).json()["gate"], after["gate"]);
    let refused = report(&accepted).ended(1).json();
    assert_eq!(of(&refused, 5)["sentence"], format!("people {worst}"));

    // To say that the judge is right is to say that the claim is wrong.
    world.run(&["decide", "--undo"]).ended(0);
    report(&[]).ended(0);
    decide(&["--confirm"]);
    report(&[]).ended(0);
    report(&accepted).ended(1);
    decide(&["--override", "FULLY_SUPPORTED"]);
    report(&accepted).ended(0);
    // While people disagree.
    let ben = ["--override", "CONTRADICTED", "--severity", "CRITICAL", "--disagree", "--by", "ben"];
    decide(&ben);
    report(&[]).ended(1);
    world.run(&["decide", "--undo", "--by", "ben"]).ended(0);
    report(&accepted).ended(0);
    // What is put in its place counts like it.
    world.run(&["claim", "split", "cmp-1/q#1", "--before", "8 g", "--anyway"]).ended(0);
    report(&accepted).ended(3);
    world.run(&["decide", "cmp-1/q#2", "--override", "FULLY_SUPPORTED"]).ended(0);
    let half = |verdict: &[&str]| world.run(&[&["decide", "cmp-1/q#3", "--override"][..], verdict].concat());
    half(&["CONTRADICTED", "--severity", "CRITICAL"]).ended(0);
    report(&[]).ended(1);
    half(&["FULLY_SUPPORTED"]).ended(0);
    report(&accepted).ended(0);
    world.run(&["decide", "cmp-1/q", "--dispose", "BLOCK"]).ended(0);
    let blocked = report(&accepted).ended(1).json();
    assert_eq!(
        of(&blocked, 5)["sentence"],
        "people blocked or returned 1 answer of the candidate, cmp-1/q first"
    );
    world.run(&["verify"]).ended(0);
}

#[test]
fn a_record_that_has_the_name_already_is_an_error_and_not_a_pass() {
    let world = World::new();
    world.file(
        "taken.jsonl",
        json!({"audit_id": "cmp-1/a", "generated_answer": "It is.", "evidence_passages":
            [{"passage_id": "p", "content": "It is."}]})
        .to_string(),
    );
    world.run(&["import", "taken.jsonl"]).ended(0);
    world.file("q.jsonl", item("a", "Adults take at most 4 g.", "Adults take at most 8 g.").to_string());
    let run = world.run(&["compare", "q.jsonl", "--max-increase", "1", "--json"]);
    assert!(run.stderr.contains("`cmp-1/a` is another record"), "{}", run.stderr);
    assert!(run.code.is_some_and(|code| code > 0), "{:?}", run.code);
    // What was asked and answered is told all the same, and that it does not stand.
    let told = run.json();
    fits("report", &told);
    assert_eq!(*figure(&told, "candidate_rate"), 1.0);
    assert!(told["provisional"].as_str().unwrap().contains("not kept in the store"), "{told:#}");
    assert_eq!(told["gate"]["says"], "cannot_say");
    let report = world.run(&["report", "comparison", "--require-accepted", "--quiet"]).ended(3);
    assert!(report.out().contains("undecided: cmp-1/a#1"), "{}", report.out());
}

#[test]
fn a_measurement_of_the_local_judge_counts_for_its_comparisons() {
    let world = World::new();
    let claims = [
        ("Adults may take 4 g of paracetamol per day, says rule", "FULLY_SUPPORTED"),
        ("Ibuprofen was first sold in Norway, says rule", "UNSUPPORTED"),
        ("Adults may take 9 g of paracetamol per day, says rule", "CONTRADICTED"),
    ];
    let golden: Vec<Value> = (0..60)
        .map(|n| {
            let (claim, verdict) = claims[n % 3];
            json!({"id": format!("g{n}"), "claim": format!("{claim} {n}."), "votes": [verdict, verdict],
                "evidence": [{"passage_id": "p", "content": format!("{} {n}.", claims[0].0)}]})
        })
        .collect();
    world.file("golden.jsonl", lines(&golden));
    let db = world.db();
    let calibrate = ["calibrate", "golden.jsonl", "--db", db.to_str().unwrap(), "--quiet"];
    world.run(&calibrate).ended(0);
    world.file("q.jsonl", item("a", "It lowers a fever.", "It lowers a fever.").to_string());
    world.run(&["compare", "q.jsonl", "--require-calibrated", "--quiet"]).ended(0);
    let report = world.run(&["compare", "q.jsonl", "--json"]).ended(0).json();
    let facts = report["facts"].as_array().unwrap();
    let state = facts.iter().find(|fact| fact["name"] == "calibration").unwrap();
    assert!(state["value"].as_str().unwrap().starts_with("CALIBRATED"), "{state}");
}

#[test]
fn where_nothing_is_compared_there_is_no_p() {
    let world = World::new();
    world.file("q.jsonl", item("silent", "Is that so?", "Who knows?").to_string());
    let report = world.run(&["compare", "q.jsonl", "--json", "--no-store"]).ended(3).json();
    fits("compare", &report["data"]);
    assert_eq!(report["data"]["comparison_summary"]["p"], Value::Null);
}

#[test]
fn a_build_is_as_red_as_the_gate_is_closed() {
    let world = World::new();
    let mut items: Vec<Value> = (0..10)
        .map(|n| item(&format!("q{n}"), "Adults take at most 8 g.", "Adults take at most 4 g."))
        .collect();
    items.push(item("new", "It lowers a fever.", "Adults take at most 8 g."));
    world.file("q.jsonl", lines(&items));
    let run = world.run(&["compare", "q.jsonl", "--no-store", "--format", "junit"]).ended(0);
    assert!(run.out().contains("failures=\"0\"") && !run.out().contains("<failure"), "{}", run.out());
    let lines = "<system-out>1 claim is newly wrong\nCRITICAL CONTRADICTED: Adults take at most 8 g.";
    assert!(run.out().contains(lines), "{}", run.out());
}

/// A hundred items: of the baseline thirty of a hundred claims are wrong, of the candidate sixty of a thousand, one in
/// each of sixty items.
#[test]
fn a_rate_that_falls_because_more_is_said_opens_no_gate_while_items_get_worse() {
    let world = World::new();
    let items: Vec<Value> = (0..100)
        .map(|n| {
            let dose = |is_wrong: bool| {
                format!("Adults take at most {} g in 24 hours.", if is_wrong { 8 } else { 4 })
            };
            let more: Vec<String> = (1..10)
                .map(|centre| format!("Centre {centre} enrolled {} patients.", 100 * centre + n))
                .collect();
            let more = more.join(" ");
            json!({"id": format!("q{n}"), "documents": [format!("{} {more}", dose(false))],
                "baseline": dose(n < 30), "candidate": format!("{} {more}", dose(n < 60))})
        })
        .collect();
    world.file("more.jsonl", lines(&items));
    let run = world.run(&["compare", "more.jsonl", "--json", "--no-store"]).ended(3);
    let report = run.json();
    assert!(figure(&report, "rate_change").as_f64().unwrap() < -0.2, "{report:#}");
    assert_eq!(report["data"]["comparison_summary"]["items_only_candidate_wrong"], 30);
    assert_eq!(report["data"]["comparison_summary"]["certain"], false);
    let first = report["sentences"][0].as_str().unwrap();
    assert!(first.contains("hallucinates less") && first.contains("point in opposite directions"), "{first}");
    let told = &report["gate"]["conditions"][0];
    assert_eq!(told["says"], "cannot_say", "{told}");
    let words = "but more items have a wrong claim, 60 against 30: hardly by chance";
    assert!(told["sentence"].as_str().unwrap().contains(words), "{told}");
    // The other way round the rate is what closes it.
    let swapped: Vec<Value> = items
        .iter()
        .map(|item| json!({"id": item["id"], "documents": item["documents"], "baseline": item["candidate"], "candidate": item["baseline"]}))
        .collect();
    world.file("less.jsonl", lines(&swapped));
    let run = world.run(&["compare", "less.jsonl", "--json", "--no-store"]).ended(1);
    let told = &run.json()["gate"]["conditions"][0];
    assert!(
        told["sentence"].as_str().unwrap().contains("but fewer items have a wrong claim, 30 against 60"),
        "{told}"
    );
}
