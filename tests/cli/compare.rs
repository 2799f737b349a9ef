//! `juror compare`: a worse candidate does not get through, the same one does, and nothing that went wrong is a pass.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::server::shapes::Shape;
use crate::server::{Reply, Seen, Server};
use crate::world::{World, fits};

/// Two hundred answers about trials, and the same with every fifth made wrong in two of its four sentences: in every
/// other of those a number is made up and a dose doubled, in the rest a term is stretched and a fact denied.
fn planted() -> Vec<Value> {
    const DRUGS: [&str; 5] = ["Paracetamol", "Ibuprofen", "Aspirin", "Naproxen", "Metformin"];
    const CITIES: [&str; 5] = ["Oslo", "Lyon", "Turin", "Porto", "Ghent"];
    (0..200)
        .map(|n: usize| {
            let (drug, city, year) = (DRUGS[n % 5], CITIES[n * 7 % 5], 1990 + n % 30);
            let (patients, months, dose) = (100 + 13 * n, 6 + n % 31, 2 + n % 7);
            let answer = |patients: usize, months: usize, dose: usize, was: &str| {
                format!(
                    "{drug} {was} studied in {city} in {year}. The trial enrolled {patients} patients. The treatment \
                     lasted {months} months. The maximum dose for adults is {dose} g in any 24 hours."
                )
            };
            let baseline = answer(patients, months, dose, "was");
            let candidate = match (n % 5, n % 2) {
                (0, 1) => answer(patients + 4000, months, dose * 2, "was"),
                (0, _) => answer(patients, months + 12, dose, "was not"),
                _ => baseline.clone(),
            };
            json!({
                "id": format!("q{n}"), "question": "What was found?",
                "documents": [format!("{baseline} Side effects were mild and passed within a week.")],
                "baseline": baseline, "candidate": candidate,
            })
        })
        .collect()
}

pub(crate) fn lines(items: &[Value]) -> String {
    items.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

pub(crate) fn item(id: &str, baseline: &str, candidate: &str) -> Value {
    json!({"id": id, "documents": ["Adults take at most 4 g in 24 hours. It lowers a fever."],
        "baseline": baseline, "candidate": candidate})
}

pub(crate) fn figure<'j>(report: &'j Value, id: &str) -> &'j Value {
    let parts = report["parts"].as_array().unwrap();
    let mut figures = parts.iter().filter_map(|part| part["shows"]["figures"].as_array()).flatten();
    figures.find(|figure| figure["id"] == id).unwrap_or_else(|| panic!("no figure {id}"))
}

pub(crate) fn part<'j>(report: &'j Value, title: &str) -> &'j Value {
    let mut parts = report["parts"].as_array().unwrap().iter();
    &parts.find(|part| part["title"] == title).unwrap_or_else(|| panic!("no part {title}"))["shows"]
}

#[test]
fn a_planted_regression_of_ten_points_is_caught() {
    let world = World::new();
    world.file("planted.jsonl", lines(&planted()));
    let run = world.run(&["compare", "planted.jsonl", "--json"]).ended(1);
    let report = run.json();
    fits("report", &report);
    fits("compare", &report["data"]);
    let change = figure(&report, "rate_change");
    let value = change["value"].as_f64().unwrap();
    assert!((0.08..=0.12).contains(&value), "{change}");
    assert!(change["interval"]["low"].as_f64().unwrap() > 0.05, "{change}");
    assert!(figure(&report, "p")["value"].as_f64().unwrap() < 1e-6);
    assert_eq!((&report["gate"]["says"], &report["kind"]), (&"no".into(), &"comparison".into()));
    assert!(run.stderr.contains("gate: closed (--max-increase 0.05)"), "{}", run.stderr);

    let new = part(&report, "Newly wrong claims of the candidate")["findings"]["list"].as_array().unwrap();
    assert!(new.len() >= 70, "{}", new.len());
    assert!(["CRITICAL", "HIGH"].contains(&new[0]["severity"].as_str().unwrap()), "the worst first");
    assert!(
        new[0]["details"][0]["name"] == "baseline" && new[0]["details"][0]["text"] != "says nothing like it"
    );
    assert_eq!(report["data"]["items"].as_array().unwrap().len(), 200);
    // What is kept has no claims that are borne out, and all else.
    let whole = run.stdout.len();
    let kept = world.run(&["report", "comparison", "--json"]);
    let told = kept.json();
    fits("compare", &told["data"]);
    assert!(kept.stdout.len() < whole * 6 / 10, "{} of {whole}", kept.stdout.len());
    assert_eq!(told["data"]["candidate_analysis"], report["data"]["candidate_analysis"]);
    let claims = told["data"]["items"][0]["candidate_analysis"]["claims"].as_array().unwrap();
    assert_eq!(
        (claims.len() as u64, told["data"]["items"][0]["candidate_analysis"]["total_claims"].as_u64()),
        (2, Some(4))
    );
    let lenient = world.run(&["compare", "planted.jsonl", "--max-increase", "0.2", "--quiet"]).ended(0);
    assert!(lenient.out().contains("gate: open"), "{}", lenient.out());
    let critical =
        world.run(&["compare", "planted.jsonl", "--max-increase", "0.2", "--max-critical", "0"]).ended(1);
    assert!(critical.stderr.contains("gate: closed (--max-critical 0)"), "{}", critical.stderr);
}

#[test]
fn the_same_candidate_passes_and_a_better_one_too() {
    let world = World::new();
    let mut items = planted();
    for item in &mut items {
        item["candidate"] = item["baseline"].clone();
    }
    world.file("same.jsonl", lines(&items));
    let same =
        ["compare", "same.jsonl", "--json", "--max-increase", "0", "--max-critical", "0", "--no-store"];
    let run = world.run(&same).ended(0);
    assert!(!world.db().exists(), "no store is made");
    assert_eq!((&figure(&run.json(), "rate_change")["value"], run.stderr.as_str()), (&json!(0.0), ""));
    assert_eq!(run.json()["data"]["comparison_summary"]["certain"], false);
    let swapped: Vec<Value> = planted()
        .into_iter()
        .map(|item| json!({"id": item["id"], "documents": item["documents"], "baseline": item["candidate"], "candidate": item["baseline"]}))
        .collect();
    world.file("better.jsonl", lines(&swapped));
    let better = world.run(&["compare", "better.jsonl", "--max-increase", "0"]).ended(0);
    assert!(better.out().contains("hallucinates less than the baseline"), "{}", better.out());
}

/// Of two hundred items twenty are wrong of the candidate only and ten of the baseline only.
#[test]
fn twenty_against_ten_of_two_hundred_is_told_with_its_p_and_not_sold_as_certain() {
    let world = World::new();
    let (mut items, mut parted) = (planted(), 0);
    for item in items.iter_mut().filter(|item| item["baseline"] != item["candidate"]) {
        let (good, bad) = (item["baseline"].clone(), item["candidate"].clone());
        (item["baseline"], item["candidate"]) = match parted {
            0..20 => (good, bad),
            20..30 => (bad, good),
            _ => (good.clone(), good),
        };
        parted += 1;
    }
    world.file("close.jsonl", lines(&items));
    let compared = ["compare", "close.jsonl", "--max-increase", "0.1", "--no-store"];
    let report = world.run(&[&compared[..], &["--json"]].concat()).ended(0).json();
    let summary = &report["data"]["comparison_summary"];
    let p = figure(&report, "p")["value"].as_f64().unwrap();
    assert!((p - 0.0987).abs() < 5e-5, "{p}");
    assert_eq!(summary["certain"], false, "{summary}");
    let text = world.run(&compared).ended(0).out().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("0.0987"), "{text}");
    assert!(text.contains("that is not certain, chance alone may do it"), "{text}");
}

#[test]
fn one_item_is_told_as_one() {
    let world = World::new();
    world.file("one.jsonl", lines(&[item("q1", "The dose is 4 g a day.", "The dose is 8 g a day.")]));
    let text = world.run(&["compare", "one.jsonl", "--max-increase", "1", "--no-store"]);
    let text = text.out().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Of 1 item, "), "{text}");
}

#[test]
fn two_files_are_joined_by_id_with_their_shared_documents() {
    let world = World::new();
    let documents = json!(["Adults take at most 4 g in 24 hours."]);
    world.file(
        "a.jsonl",
        lines(&[
            json!({"id": "1", "answer": "Adults take at most 4 g in 24 hours.", "documents": documents}),
            json!({"audit_id": "2", "generated_answer": "Adults take at most 4 g.",
                "evidence_passages": [{"passage_id": "p", "content": "Adults take at most 4 g in 24 hours."}]}),
            json!({"id": "3", "answer": "Adults take at most 4 g.", "documents": documents}),
        ]),
    );
    world.file(
        "b.jsonl",
        lines(&[
            json!({"id": "2", "answer": "Adults take at most 8 g."}),
            json!({"id": "4", "answer": "Adults take at most 4 g."}),
            json!({"id": "1", "answer": "Adults take at most 4 g in 24 hours."}),
        ]),
    );
    let both = ["compare", "--baseline", "a.jsonl", "--candidate", "b.jsonl"];
    let run = world.run(&[&both[..], &["--json"]].concat()).ended(1);
    let report = run.json();
    let left = part(&report, "Left out")["findings"]["list"].as_array().unwrap();
    let left: Vec<_> =
        left.iter().map(|left| (left["id"].as_str().unwrap(), left["text"].as_str().unwrap())).collect();
    assert_eq!(left[0], ("3", "only the baseline answers it, the candidate does not"));
    assert_eq!(left[1].0, "4");
    assert_eq!(figure(&report, "coverage")["value"], 0.5);
    let open = [&both[..], &["--max-increase", "1", "--min-coverage"]].concat();
    let thin = world.run(&[&open[..], &["0.6", "--allow-missing"]].concat()).ended(3);
    assert!(
        thin.stderr.contains("cannot say, there is not enough to go by (--min-coverage 0.6)"),
        "{}",
        thin.stderr
    );
    let missing = world.run(&[&open[..], &["0.5"]].concat()).ended(3);
    assert!(missing.stderr.contains("(both sides answer (or --allow-missing))"), "{}", missing.stderr);
    world.run(&[&open[..], &["0.5", "--allow-missing"]].concat()).ended(0);
    let few = world.run(&[&open[..], &["0.5", "--allow-missing", "--min-items", "3"]].concat()).ended(3);
    assert!(few.out().contains("2 items compared"), "{}", few.out());

    world.file("bare.jsonl", json!({"id": "1", "answer": "Adults take at most 4 g."}).to_string());
    let bare = ["compare", "--baseline", "bare.jsonl", "--candidate", "b.jsonl"];
    let run = world.run(&bare).ended(2);
    assert!(run.stderr.contains("bare.jsonl:1: `1` has no `documents` in either file"), "{}", run.stderr);
    world.file("docs.jsonl", json!({"id": "1", "documents": documents}).to_string());
    let third =
        [&bare[..], &["--documents", "docs.jsonl", "--min-coverage", "0", "--allow-missing"]].concat();
    world.run(&third).ended(0);
    world.file(
        "other.jsonl",
        json!({"id": "1", "answer": "Adults take 4 g.", "documents": ["Other words."]}).to_string(),
    );
    let run = world.run(&["compare", "--baseline", "a.jsonl", "--candidate", "other.jsonl"]).ended(2);
    assert!(run.stderr.contains("`1` has other documents than at other.jsonl:1"), "{}", run.stderr);
    // Nor does --documents win silently over what the lines themselves say.
    let run = world.run(
        &[
            &["compare", "--baseline", "bare.jsonl", "--candidate", "other.jsonl"][..],
            &["--documents", "docs.jsonl"],
        ]
        .concat(),
    );
    let told = "docs.jsonl:1: `1` has other documents than at other.jsonl:1";
    assert!(run.ended(2).stderr.contains(told), "{told}");
    world.file(
        "more.jsonl",
        lines(&[
            json!({"id": "1", "documents": documents}),
            json!({"id": "9", "documents": documents}),
            json!({"id": "8", "question": "none"}),
        ]),
    );
    let run = world.run(&[&bare[..], &["--documents", "more.jsonl"]].concat()).ended(2);
    assert!(
        run.stderr.contains("more.jsonl:3: missing `documents` (a list of texts) of `8`"),
        "{}",
        run.stderr
    );
    let told = "1 line of --documents belongs to no item of either side; the first, more.jsonl:2: `9`";
    assert!(run.stderr.contains(told), "{}", run.stderr);
}

#[test]
fn bad_input_is_named_and_never_a_pass() {
    let world = World::new();
    let good = item("g", "Adults take at most 4 g.", "Adults take at most 4 g.").to_string();
    let refused = |bad: &str, said: &str| {
        world.file("x.jsonl", format!("{good}\n{bad}\n"));
        let run = world.run(&["compare", "x.jsonl"]).ended(2);
        assert!(run.stderr.contains(&format!("x.jsonl:2: {said}")), "{}", run.stderr);
        assert!(
            run.out().contains("1 items, sha256") || run.out().contains("items, sha256"),
            "{}",
            run.out()
        );
        world.file("y.jsonl", bad);
        if bad != good {
            world.run(&["compare", "y.jsonl"]).ended(2);
        }
    };
    refused(r#"{"id":"a","documents":["x"],"baseline":"It is."}"#, "missing `candidate`");
    refused(r#"{"id":"a","documents":["x"],"candidate":"It is."}"#, "missing `baseline`");
    refused(r#"{"id":"a","documents":["x"],"baseline":"It is.","candidate":""}"#, "`candidate` is empty");
    refused(
        r#"{"id":"a","documents":[],"baseline":"It is.","candidate":"It is."}"#,
        "`documents` holds no words",
    );
    refused(r#"{"id":"a","baseline":"It is.","candidate":"It is."}"#, "missing `documents`");
    refused(&good, "the id `g` stands twice, first at x.jsonl:1");
    refused("no item", "not JSON");

    world.file("empty.jsonl", "");
    let run = world.run(&["compare", "empty.jsonl"]).ended(2);
    assert!(run.stderr.contains("there are no items to compare"), "{}", run.stderr);
    assert!(world.run(&["compare", "nowhere.jsonl"]).ended(2).stderr.contains("there is no such file"));
    world.run(&["compare"]).ended(2);
    world.run(&["compare", "x.jsonl", "--max-increase", "5"]).ended(2);
    world.run(&["compare", "--baseline", "x.jsonl"]).ended(2);
    let silent = item("s", "Is that so?", "Who knows?").to_string();
    world.file("silent.jsonl", silent);
    let run = world.run(&["compare", "silent.jsonl"]).ended(3);
    assert!(run.out().contains("Nothing could be compared"), "{}", run.out());
    assert!(run.out().contains("the baseline makes no claim"), "{}", run.out());
}

fn model_reply(seen: &Seen) -> Reply {
    let claim = |status: &str, quote: &str, severity: Value| {
        json!({"claim_id": "x", "sentence": 1, "claim_text": "Adults take at most 4 g.", "status": status,
            "hallucination_type": null, "source_document": "d1", "source_citation": quote, "severity": severity})
    };
    let side = |claim: Value| {
        json!({"claims": [claim], "no_claim": [], "total_claims": 1, "supported_claims": 1, "unsupported_claims": 0,
            "contradicted_claims": 0, "out_of_scope_claims": 0, "hallucination_rate": 0.0})
    };
    let quote = "Adults take at most 4 g in 24 hours.";
    let reply = json!({
        "baseline_analysis": side(claim("SUPPORTED", quote, Value::Null)),
        "candidate_analysis": side(claim("SUPPORTED", quote, Value::Null)),
        "comparison_summary": {"baseline_hallucination_rate": 0.0, "candidate_hallucination_rate": 0.0,
            "rate_change": 0.0, "new_hallucination_types": [], "severity_shift": {"LOW": 0, "MEDIUM": 0, "HIGH": 0,
            "CRITICAL": 0}, "regression_detected": false, "regression_details": ""},
    });
    Shape::of(seen).said(&reply.to_string())
}

#[test]
fn a_model_compares_both_answers_in_one_look_and_is_asked_nothing_twice() {
    let server = Server::start(model_reply);
    let world = World::asking(&server);
    world.file("q.jsonl", item("q", "Adults take at most 4 g.", "Adults take at most 4 g.").to_string());
    let run = world.run(&["compare", "q.jsonl", "--judge", "m", "--json"]).ended(0);
    assert_eq!(server.count(), 1, "{}", run.stderr);
    assert_eq!(figure(&run.json(), "candidate_rate")["value"], 0.0);
    assert!(
        run.json()["facts"][3]["value"].as_str().unwrap().starts_with("comparison-"),
        "{}",
        run.json()["facts"]
    );
    world.run(&["compare", "q.jsonl", "--judge", "m", "--quiet"]).ended(0);
    assert_eq!(server.count(), 1, "what was paid for is found again");
}

/// What a small model says of several items in one question: 4 g stands there, anything else is wrong.
fn replies_to_all(seen: &Seen, sizes: &Mutex<Vec<usize>>, forgets: bool) -> Reply {
    let prompt = crate::server::shapes::prompt(seen);
    let fence = prompt.lines().rev().find_map(|line| line.strip_suffix(" END")).expect("a fence").to_owned();
    let items: Vec<&str> = prompt.split(&format!("{fence} ITEM ")).skip(1).collect();
    sizes.lock().unwrap().push(items.len());
    let side = |item: &str, name: &str| {
        let answer =
            item.split(&format!("{fence} {name}\n")).nth(1).and_then(|rest| rest.split(&fence).next());
        let is_right = answer.expect("the answer").contains("4 g");
        json!({"no_claim": [], "claims": [{
            "claim_id": "x", "sentence": 1, "claim_text": answer.unwrap().trim().trim_start_matches("[1] "),
            "source_document": "d1", "source_citation": "Adults take at most 4 g in 24 hours.",
            "status": if is_right { "SUPPORTED" } else { "CONTRADICTED" },
            "hallucination_type": if is_right { Value::Null } else { "DISTORTION".into() },
            "severity": if is_right { Value::Null } else { "CRITICAL".into() },
        }]})
    };
    let said = |(at, item): (usize, &&str)| {
        // A small model forgets one of many.
        (!(forgets && items.len() > 1 && at == 1)).then(|| {
            json!({"item": at + 1, "baseline_analysis": side(item, "BASELINE"), "candidate_analysis": side(item, "CANDIDATE")})
        })
    };
    let all: Vec<Value> = items.iter().enumerate().filter_map(said).collect();
    Shape::of(seen).said(&json!({"items": all}).to_string())
}

#[test]
fn a_small_model_is_asked_about_several_items_at_once_and_each_is_told_by_itself() {
    for (most, forgets, asked) in
        [(5, false, &[5, 5, 2][..]), (8, false, &[8, 4]), (10, false, &[10, 2]), (8, true, &[8, 4, 1, 1])]
    {
        let sizes: Arc<Mutex<Vec<usize>>> = Arc::default();
        let heard = Arc::clone(&sizes);
        let server = Server::start(move |seen| replies_to_all(seen, &heard, forgets));
        let world = World::new();
        world.file(
            ".config/juror/config.toml",
            format!(
                "[judge.m]\nprovider = 'openai'\nmodel = 'tiny'\nbase_url = '{}/v1'\ncontext = 64000\nmax_output = 16000\nitems_per_request = {most}\n",
                server.url()
            ),
        );
        let items: Vec<Value> = (0..12)
            .map(|n| {
                let dose = if n % 4 == 3 { 8 } else { 4 };
                let candidate = format!("Adults take at most {dose} g.");
                let mut item = item(&format!("q{n}"), "Adults take at most 4 g.", &candidate);
                item["question"] = format!("What did patient {n} ask?").into();
                item
            })
            .collect();
        world.file("q.jsonl", lines(&items));
        let run = world.run(&["compare", "q.jsonl", "--judge", "m", "--json"]).ended(1);
        let sent = |sizes: &Mutex<Vec<usize>>| {
            let mut sent = sizes.lock().unwrap().clone();
            sent.sort_by_key(|size| std::cmp::Reverse(*size));
            sent
        };
        assert_eq!(sent(&sizes), asked, "{most}: {}", run.stderr);
        let report = run.json();
        fits("compare", &report["data"]);
        assert_eq!(figure(&report, "coverage")["value"], 1.0, "{}", run.stderr);
        assert_eq!(figure(&report, "rate_change")["value"], 0.25);
        let told = report["data"]["items"].as_array().unwrap();
        assert_eq!(told.len(), 12);
        for item in told {
            let n: usize = item["id"].as_str().unwrap()[1..].parse().unwrap();
            let wrong = &item["candidate_analysis"]["contradicted_claims"];
            assert_eq!(wrong, &json!(usize::from(n % 4 == 3)), "{item:#}");
        }
        world.run(&["compare", "q.jsonl", "--judge", "m", "--quiet"]).ended(1);
        assert_eq!(sent(&sizes).len(), asked.len(), "what was paid for is found again");
    }
}

#[test]
fn j43_every_call_failing_is_no_pass() {
    let server = Server::start(|_: &Seen| Reply::new(500, "down"));
    let world = World::asking(&server);
    let items: Vec<Value> =
        (0..3).map(|n| item(&format!("q{n}"), "Adults take 4 g.", "Adults take 4 g.")).collect();
    world.file("q.jsonl", lines(&items));
    let run = world.run(&["compare", "q.jsonl", "--judge", "m", "--json"]).ended(4);
    let report = run.json();
    fits("report", &report);
    assert_eq!(
        (&report["gate"]["says"], figure(&report, "coverage")["value"].as_f64()),
        (&"cannot_say".into(), Some(0.0))
    );
    assert!(run.stderr.contains("3 items could not be compared because something failed"), "{}", run.stderr);
}

#[test]
fn a_report_has_five_forms_and_lets_no_text_through_raw() {
    let world = World::new();
    let hostile = "Adults take at most 8 g\u{1b}[31m <b>now</b>.";
    world.file("q.jsonl", item("q", "Adults take at most 4 g.", hostile).to_string());
    let mut forms = Vec::new();
    for format in ["text", "markdown", "junit", "json", "html"] {
        let run = world.run(&["compare", "q.jsonl", "--format", format]).ended(1);
        assert!(!run.out().contains('\u{1b}'), "{format}: {:?}", run.out());
        forms.push(run.out().to_owned());
    }
    assert!(
        forms[1].starts_with("# candidate of q.jsonl against") && !forms[1].contains("<b>"),
        "{}",
        forms[1]
    );
    assert!(forms[2].contains("<system-out>1 claim is newly wrong"), "{}", forms[2]);
    fits("report", &serde_json::from_str(&forms[3]).unwrap());
    assert!(forms[4].starts_with("<!doctype html>") && !forms[4].contains("<b>"), "{}", forms[4]);
    world.run(&["compare", "q.jsonl", "--format", "junit", "-o", "out.xml", "--quiet"]).ended(1);
    let written = std::fs::read_to_string(world.path("out.xml")).unwrap();
    assert!(written.starts_with("<?xml") && written.ends_with("</testsuites>\n"));
    let run = world.run(&["compare", "q.jsonl", "--json", "--format", "text"]).ended(2);
    assert!(run.stderr.contains("--json prints JSON"), "{}", run.stderr);
}

#[test]
fn with_a_store_it_is_kept_and_what_is_grave_goes_to_the_queue() {
    let world = World::new();
    world.file(
        "q.jsonl",
        lines(&[
            item("a", "Adults take at most 4 g in 24 hours.", "Adults take at most 8 g in 24 hours."),
            item("b", "It lowers a fever.", "It lowers a fever."),
        ]),
    );
    let db = world.db();
    let kept = |more: &[&str]| {
        let compare = ["compare", "q.jsonl", "--max-increase", "1", "--db", db.to_str().unwrap()];
        world.run(&[&compare[..], more].concat())
    };
    // JUROR_DB names the store in these tests: without a file it is made.
    let run = kept(&["--json"]).ended(0);
    let report = run.json();
    fits("report", &report);
    assert_eq!(report["name"], "cmp-1");
    assert_eq!(report["provisional"], "1 of 1 claims that it sent to the review queue are undecided");
    assert!(
        run.stderr.contains("kept as cmp-1: 1 claim for the review queue, 1 undecided"),
        "{}",
        run.stderr
    );
    let queue = world.run(&["queue", "--json"]).ended(0).json();
    assert_eq!((queue.as_array().unwrap().len(), &queue[0]["id"]), (1, &"cmp-1/a#1".into()));
    let again = kept(&["--require-accepted"]).ended(3);
    assert!(again.out().contains("cmp-1/a#1"), "{}", again.out());
    world.run(&["verify"]).ended(0);
    let shown = world.run(&["report", "comparison", "--json"]).ended(0).json();
    assert_eq!((&shown["sentences"], &shown["provisional"]), (&report["sentences"], &report["provisional"]));
    world.run(&["report", "comparison", "cmp-1", "--require-accepted"]).ended(3);
    world.run(&["decide", "cmp-1/a#1", "--confirm"]).ended(0);
    let wrong = kept(&["--require-accepted"]).ended(1);
    assert!(wrong.out().contains("People ruled against 1 claim of the candidate"), "{}", wrong.out());
    world.run(&["decide", "cmp-1/a#1", "--override", "FULLY_SUPPORTED"]).ended(0);
    let accepted = kept(&["--require-accepted", "--json"]).ended(0).json();
    assert_eq!(
        (&accepted["name"], &accepted["provisional"]),
        (&"cmp-1".into(), &Value::Null),
        "it is the same one"
    );
    world.run(&["report", "comparison", "cmp-1", "--require-accepted"]).ended(0);
    let list = world.run(&["report", "comparison", "--list", "--json"]).ended(0).json();
    assert_eq!((list.as_array().unwrap().len(), &list[0]["name"]), (1, &"cmp-1".into()));
    assert!(world.run(&["report", "comparison", "cmp-9"]).ended(2).stderr.contains("no comparison `cmp-9`"));
    let told = kept(&["--no-store", "--json"]).ended(0).json();
    assert_eq!(told["name"], Value::Null);
    let unmeasured = kept(&["--require-calibrated", "--json"]).ended(3).json();
    let conditions = unmeasured["gate"]["conditions"].as_array().unwrap();
    let why = conditions.iter().find(|one| one["asked"] == "--require-calibrated").unwrap();
    assert!(why["sentence"].as_str().unwrap().contains("NOT_MEASURED: never measured"), "{why}");
    assert!(kept(&["--no-store", "--require-accepted"]).ended(2).stderr.contains("--no-store"));
    let sql = rusqlite::Connection::open(&db).unwrap();
    assert!(
        sql.execute("UPDATE comparison SET baseline = 'no'", [])
            .unwrap_err()
            .to_string()
            .contains("never changed")
    );
    sql.execute_batch("DROP TRIGGER comparison_no_update; UPDATE comparison SET rate_change = 0.0;").unwrap();
    drop(sql);
    let verify = world.run(&["verify"]).ended(1);
    let said = format!("{}{}", verify.out(), verify.stderr);
    assert!(
        said.contains("comparison cmp-1: what it rests on, what came of it, or its report was changed"),
        "{said}"
    );
}

#[test]
fn a_comparison_by_a_model_is_kept_with_its_prompt() {
    let server = Server::start(model_reply);
    let world = World::asking(&server);
    let mut risky = item("q", "Adults take at most 4 g.", "Adults take at most 4 g.");
    risky["risk_level"] = "CRITICAL".into();
    world.file("q.jsonl", risky.to_string());
    let run = world.run(&["compare", "q.jsonl", "--judge", "m", "--json"]).ended(0);
    assert_eq!(run.json()["name"], "cmp-1");
    assert_eq!(run.json()["provisional"], Value::Null, "nothing is wrong");
    world.run(&["verify"]).ended(0);
}
