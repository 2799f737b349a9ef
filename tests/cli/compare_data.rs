//! `juror compare` over sets of labelled claims, where they are.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::compare::{figure, lines};
use crate::world::{World, fits, labelled};

/// Two claims about the same evidence as the answers to one question, as many as there are; `side` tells which it is.
fn pairs(rows: Vec<Value>, side: impl Fn(&Value) -> Option<usize>) -> Vec<Value> {
    let mut sides: BTreeMap<String, [Vec<Value>; 2]> = BTreeMap::new();
    for row in rows {
        let texts: Vec<&Value> =
            row["evidence"].as_array().unwrap().iter().map(|one| &one["content"]).collect();
        if let Some(side) = side(&row) {
            sides.entry(json!(texts).to_string()).or_default()[side].push(row);
        }
    }
    let both = sides.into_values().flat_map(|[one, other]| one.into_iter().zip(other));
    both.take(60)
        .enumerate()
        .map(|(at, (one, other))| {
            json!({"id": format!("p{at}"), "documents": one["evidence"], "baseline": one["claim"], "candidate": other["claim"]})
        })
        .collect()
}

#[test]
fn corrected_and_corrupted_claims_of_the_labelled_data_are_told_apart() {
    // Small edits of long summaries are beyond the local judge: there only the report itself is looked at.
    for (name, least) in [
        ("train/scifact.train.jsonl.gz", 0.2),
        ("train/fever_pairs.train.jsonl.gz", 0.2),
        ("dev/summedits.dev.jsonl.gz", -0.1),
    ] {
        let Some(rows) = labelled(name) else {
            println!("{name} is not here: nothing to compare");
            continue;
        };
        let items = pairs(rows, |row| match row["label"].as_str() {
            Some("FULLY_SUPPORTED") => Some(0),
            Some("CONTRADICTED" | "UNSUPPORTED") => Some(1),
            _ => None,
        });
        let world = World::new();
        world.file("pairs.jsonl", lines(&items));
        let run = world.run(&["compare", "pairs.jsonl", "--json", "--min-coverage", "0.5"]);
        let json = run.json();
        let (change, p) = (&figure(&json, "rate_change")["value"], &figure(&json, "p")["value"]);
        println!("{name}: {} pairs, change {change}, p {p}", items.len());
        let is_worse = change.as_f64().unwrap() > 0.05;
        assert_eq!(run.code, Some(i32::from(is_worse)), "{}", run.stderr);
        assert!(change.as_f64().unwrap() > least, "{name}: {change}, {p}");
        assert!(
            least < 0.0 || json["data"]["comparison_summary"]["certain"] == true,
            "{name}: {change}, {p}"
        );
    }
}

#[test]
fn two_systems_that_answered_the_same_are_compared() {
    for name in ["dev/q2_wow.dev.jsonl.gz", "dev/begin.dev.jsonl.gz"] {
        let Some(rows) = labelled(name) else {
            println!("{name} is not here: nothing to compare");
            continue;
        };
        let mut count: BTreeMap<String, usize> = BTreeMap::new();
        for row in &rows {
            *count.entry(row["model"].as_str().unwrap().to_owned()).or_default() += 1;
        }
        let mut systems: Vec<_> = count.into_iter().collect();
        systems.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let items =
            pairs(rows, |row| systems.iter().take(2).position(|(name, _)| row["model"] == name.as_str()));
        assert!(items.len() >= 20, "{name}: {}", items.len());
        let world = World::new();
        world.file("systems.jsonl", lines(&items));
        let run = world
            .run(&["compare", "systems.jsonl", "--json", "--max-increase", "1", "--min-coverage", "0.5"])
            .ended(0);
        let json = run.json();
        fits("compare", &json["data"]);
        let compared = json["data"]["items"].as_array().unwrap().len();
        let left_out = json["data"]["left_out"].as_array().unwrap().len();
        assert_eq!(compared + left_out, items.len());
        println!("{name}: {} against {}: {}", systems[1].0, systems[0].0, json["sentences"][0]);
    }
}
