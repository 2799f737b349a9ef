//! Every file of labelled data through `juror score`, `juror compare` and `juror calibrate` with the local judge, where
//! the data is; a few rows of each, from all over the file.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::compare::{figure, lines};
use crate::world::{World, fits, labelled_files, labelled_to};

/// Rows of a file that are read at all.
const ROWS: usize = 1_000;
/// Of them what each command sees: few, since the judge is slow without optimization.
const SCORED: usize = 8;
const COMPARED: usize = 18;
const CALIBRATED: usize = 51;
/// Bytes of evidence that a comparison of a file reads about.
const READ: usize = 24_000;
/// Longer evidence is for the benches.
const LONGEST: usize = 1_200;

/// One claim with its evidence, its label where the file has one for it, and which of its words are wrong.
#[derive(Clone)]
struct Claim {
    record: String,
    text: String,
    evidence: Vec<Value>,
    label: Option<String>,
    corrected: Option<String>,
    system: Option<String>,
}

impl Claim {
    fn is_right(&self) -> Option<bool> {
        match self.label.as_deref()? {
            "FULLY_SUPPORTED" => Some(true),
            "CONTRADICTED" | "UNSUPPORTED" => Some(false),
            _ => None,
        }
    }

    fn size(&self) -> usize {
        self.evidence.iter().filter_map(|one| one["content"].as_str()).map(str::len).sum()
    }

    fn source(&self) -> String {
        let texts: Vec<&str> = self.evidence.iter().filter_map(|one| one["content"].as_str()).collect();
        texts.join(" ")
    }
}

/// Without the characters of the spans: what is left once the wrong words are taken out.
fn without(text: &str, spans: &Value) -> Option<String> {
    let spans: Vec<_> = spans.as_array()?.iter().filter_map(ends).collect();
    let kept = |at: usize| !spans.iter().any(|(start, end)| (*start..*end).contains(&at));
    let left: String = text.chars().enumerate().filter(|(at, _)| kept(*at)).map(|(_, one)| one).collect();
    (!spans.is_empty() && left.chars().any(char::is_alphanumeric)).then_some(left)
}

fn ends(span: &Value) -> Option<(usize, usize)> {
    Some((usize::try_from(span["start"].as_u64()?).ok()?, usize::try_from(span["end"].as_u64()?).ok()?))
}

/// The claims of a row: it is one, or an answer in which they are marked.
fn claims(row: &Value) -> Vec<Claim> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if let Some(claim) = text(&row["claim"]) {
        return vec![Claim {
            record: text(&row["id"]).unwrap_or_else(|| row["id"].to_string()),
            corrected: without(&claim, &row["claim_error_spans"]),
            text: claim,
            evidence: row["evidence"].as_array().unwrap().clone(),
            label: text(&row["label"]),
            system: text(&row["model"]),
        }];
    }
    let answer: Vec<char> = row["generated_answer"].as_str().unwrap().chars().collect();
    let marked = row["gold_claims"].as_array().or(row["gold_spans"].as_array()).unwrap();
    let claim = |span: &Value| {
        let (start, end) = ends(span)?;
        Some(Claim {
            record: text(&row["audit_id"])?,
            text: answer.get(start..end)?.iter().collect(),
            evidence: row["evidence_passages"].as_array()?.clone(),
            // Whether it is true of the world is not whether the passages say so.
            label: text(&span["label"]).filter(|label| !label.ends_with("FACTUAL")),
            corrected: None,
            system: None,
        })
    };
    marked.iter().filter_map(claim).filter(|claim| claim.text.chars().any(char::is_alphanumeric)).collect()
}

/// So many of them at most, from all over the list.
fn spread<T: Clone>(all: &[T], most: usize) -> Vec<T> {
    let count = most.min(all.len());
    (0..count).map(|at| all[at * all.len() / count].clone()).collect()
}

/// Calls `run` for each file with its claims, without those whose evidence is long: all of them where it is the file of
/// nasty texts, and the shortest where few are short.
fn each_file(mut run: impl FnMut(&str, &[Value], Vec<Claim>)) {
    for name in labelled_files() {
        let Some(rows) = labelled_to(&name, ROWS) else { continue };
        let mut all: Vec<Claim> = rows.iter().flat_map(claims).collect();
        if !name.contains("nasty") {
            let mut sizes: Vec<usize> = all.iter().map(Claim::size).collect();
            sizes.sort_unstable();
            let most = sizes.get(CALIBRATED).or(sizes.last()).map_or(LONGEST, |size| LONGEST.max(*size));
            all.retain(|claim| claim.size() <= most);
        }
        assert!(!all.is_empty(), "{name} has no claim that this test can read");
        run(&name, &rows, all);
    }
}

#[test]
fn every_pair_of_claim_and_source_gets_a_score_or_a_reason() {
    each_file(|name, _, all| {
        let pairs: Vec<Value> = spread(&all, SCORED)
            .iter()
            .enumerate()
            .map(|(n, claim)| {
                json!({"claim_id": format!("c{n}"), "claim": claim.text, "source_id": "s", "source": claim.source()})
            })
            .collect();
        let world = World::new();
        world.file("pairs.jsonl", lines(&pairs));
        let run = world.run(&["score", "pairs.jsonl", "--json"]);
        let json = run.json();
        fits("score", &json);
        let rows = json.as_array().unwrap();
        assert_eq!(rows.len(), pairs.len(), "{name}: {}", run.stderr);
        let (mut is_missing, mut is_failed) = (false, false);
        for (n, row) in rows.iter().enumerate() {
            assert_eq!(row["claim_id"], pairs[n]["claim_id"], "{name}: rows come in the order of the pairs");
            let stands = row["score"].is_u64() && row["grounded"] == true;
            let is_said = row["state"].is_string() && row["reason"].as_str().is_some_and(|it| !it.is_empty());
            assert!(row["score"].is_u64() || is_said, "{name}: {row:#}");
            is_missing |= !stands;
            if row["state"] == "FAILED" {
                let reason = row["reason"].as_str().unwrap();
                let is_known = reason.ends_with("the local judge does not translate")
                    || reason.ends_with("the claim holds no word that could be compared");
                assert!(is_known, "{name}: {row:#}");
                is_failed = true;
            }
            // What is quoted stands there.
            let source: Vec<char> = pairs[n]["source"].as_str().unwrap().chars().collect();
            for quote in row["key_evidence"].as_array().unwrap() {
                let Some((start, end)) = ends(quote) else { continue };
                let found: String = source[start..end].iter().collect();
                assert!(quote["match"] != "EXACT" || quote["quote"] == found.as_str(), "{name}: {quote}");
            }
        }
        let code = if is_failed { 4 } else { 3 * i32::from(is_missing) };
        assert_eq!(run.code, Some(code), "{name}: {}", run.stderr);
    });
}

/// Answers to compare: of two systems that answered the same where the file has them, else corrected and corrupted.
fn items(rows: &[Value], all: &[Claim]) -> (bool, Vec<Value>) {
    let item = |one: &str, other: &str, documents: &[Value]| {
        let documents: Vec<&Value> = documents.iter().map(|one| &one["content"]).collect();
        json!({"documents": documents, "baseline": one, "candidate": other})
    };
    let mut systems: BTreeMap<&str, usize> = BTreeMap::new();
    for name in all.iter().filter_map(|claim| claim.system.as_deref()) {
        *systems.entry(name).or_default() += 1;
    }
    let mut systems: Vec<_> = systems.into_iter().collect();
    systems.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let side = |claim: &Claim| match systems.as_slice() {
        [_, _, ..] => systems.iter().take(2).position(|(name, _)| claim.system.as_deref() == Some(name)),
        _ => claim.is_right().map(usize::from).map(|right| 1 - right),
    };
    // Of the same evidence.
    let mut sides: BTreeMap<String, [Vec<&Claim>; 2]> = BTreeMap::new();
    for claim in all {
        if let Some(side) = side(claim) {
            sides.entry(claim.source()).or_default()[side].push(claim);
        }
    }
    let beside = sides.values().flat_map(|[one, other]| one.iter().zip(other));
    let mut items: Vec<Value> =
        beside.map(|(one, other)| item(&one.text, &other.text, &one.evidence)).collect();
    if systems.len() >= 2 && items.len() >= SCORED {
        return (true, affordable(&items));
    }
    // With the wrong words taken out.
    let marked = all.iter().filter_map(|claim| Some((claim.corrected.as_ref()?, claim)));
    items.extend(marked.map(|(corrected, claim)| item(corrected, &claim.text, &claim.evidence)));
    items.extend(rows.iter().filter_map(|row| {
        let answer = row["generated_answer"].as_str()?;
        let wrong: Vec<&Value> =
            row["gold_spans"].as_array()?.iter().filter(|span| span["label"] == "NOT_FACTUAL").collect();
        Some(item(&without(answer, &json!(wrong))?, answer, row["evidence_passages"].as_array()?))
    }));
    // Of other evidence: both have the evidence of both.
    if items.len() < SCORED {
        let of = |right: bool| all.iter().filter(move |claim| claim.is_right() == Some(right));
        items.extend(of(true).zip(of(false)).map(|(one, other)| {
            item(&one.text, &other.text, &[&one.evidence[..], &other.evidence[..]].concat())
        }));
    }
    (false, affordable(&items))
}

/// Fewer of them where they are long.
fn affordable(items: &[Value]) -> Vec<Value> {
    let read: usize = items.iter().map(|item| item["documents"].to_string().len()).sum();
    spread(items, (READ * items.len() / read.max(1)).clamp(8, COMPARED))
}

#[test]
fn no_corrupted_side_passes_for_the_better_one() {
    let mut misjudged = Vec::new();
    each_file(|name, rows, all| {
        let (are_systems, mut items) = items(rows, &all);
        assert!(items.len() >= 3, "{name}: {}", items.len());
        for (n, item) in items.iter_mut().enumerate() {
            item["id"] = format!("p{n}").into();
        }
        let world = World::new();
        world.file("items.jsonl", lines(&items));
        let run = world.run(&["compare", "items.jsonl", "--json", "--min-coverage", "0", "--no-store"]);
        let report = run.json();
        fits("report", &report);
        fits("compare", &report["data"]);
        let list = |of: &str| report["data"][of].as_array().unwrap().clone();
        let left_out = list("left_out");
        assert_eq!(list("items").len() + left_out.len(), items.len(), "{name}");
        assert!(
            left_out.iter().all(|one| one["failed"] == false && one["reason"] != ""),
            "{name}: {left_out:#?}"
        );
        let change = &figure(&report, "rate_change")["value"];
        println!("{name}: {} items, {} left out, change {change}", items.len(), left_out.len());
        let change =
            change.as_f64().unwrap_or_else(|| panic!("{name}: nothing could be compared: {left_out:#?}"));
        assert!((-1.0..=1.0).contains(&change), "{name}: {change}");
        let code = i32::from(report["gate"]["says"] == "no");
        assert_eq!((run.code, change > 0.05), (Some(code), code == 1), "{name}: {}", run.stderr);
        // What is wrong of the world may stand in the passages, and fm2 was written so that words tell nothing.
        let is_beyond = name.contains("factcheckgpt_answers") || name.contains("fm2");
        if !are_systems && !is_beyond && change < 0.0 {
            misjudged.push(format!("{name}: {change}"));
        }
    });
    assert!(misjudged.is_empty(), "the corrupted side is told to be the better one: {misjudged:?}");
}

#[test]
fn the_judge_is_measured_on_every_file() {
    each_file(|name, _, all| {
        let mut records: BTreeMap<String, Vec<Claim>> = BTreeMap::new();
        for claim in all.into_iter().filter(|claim| claim.label.is_some()) {
            records.entry(claim.record.clone()).or_default().push(claim);
        }
        let records: Vec<Vec<Claim>> = records.into_values().collect();
        let records = spread(&records, CALIBRATED);
        let rows: Vec<Value> = records
            .iter()
            .enumerate()
            .map(|(n, claims)| {
                let given =
                    claims.iter().map(|claim| json!({"claim_text": claim.text, "label": claim.label}));
                let texts: Vec<&str> = claims.iter().map(|claim| claim.text.as_str()).collect();
                json!({"audit_id": format!("r{n}"), "generated_answer": texts.join(" "),
                    "evidence_passages": claims[0].evidence, "claims": given.collect::<Vec<_>>()})
            })
            .collect();
        let world = World::new();
        world.file("golden.jsonl", lines(&rows));
        let arguments = ["calibrate", "golden.jsonl", "--trust-labels", "--min-kappa", "-1", "--json"];
        let run = world.run(&arguments);
        let count: usize = records.iter().map(Vec::len).sum();
        if count < 50 {
            println!("{name}: {count} labelled claims are too few to measure on");
            assert!(run.stderr.contains("50 are needed"), "{name}: {}", run.stderr);
            assert_eq!(run.code, Some(3), "{name}");
            return;
        }
        let report = run.json();
        fits("report", &report);
        fits("calibration", &report["data"]);
        let data = &report["data"];
        assert_eq!((&data["golden"]["items"], &data["failed"]), (&json!(count), &json!(0)), "{name}");
        let counts =
            data["figures"]["counts"].as_array().unwrap().iter().flat_map(|row| row.as_array().unwrap());
        let judged: u64 = counts.filter_map(Value::as_u64).sum();
        let coverage = &data["figures"]["coverage"];
        assert_eq!(
            coverage["value"].as_f64().map(|it| (it * count as f64).round()),
            Some(judged as f64),
            "{name}"
        );
        let kappa = &data["kappa"];
        println!("{name}: {count} claims, {judged} with a verdict, kappa {}", kappa["value"]);
        match kappa["value"].as_f64() {
            Some(value) => assert!((-1.0..=1.0).contains(&value), "{name}: {kappa}"),
            None => assert!(kappa["undefined_because"].is_string(), "{name}: {kappa}"),
        }
        let is_told = kappa["value"].is_f64() && judged >= 50 && judged as f64 >= 0.8 * count as f64;
        assert_eq!(run.code, Some(if is_told { 0 } else { 3 }), "{name}: {}", run.stderr);
        assert_eq!(data["state"] != "NOT_MEASURED", is_told, "{name}");
    });
}
