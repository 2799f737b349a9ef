//! Prints what the judge says over labelled files, for reading and for fitting. Runs only when asked:
//!
//! ```sh
//! JUROR_DATA=DIR JUROR_FILES=dev/fm2.dev cargo test --lib measure -- --ignored --nocapture
//! ```
//!
//! With `JUROR_ROWS=FILE` one JSON row a claim is written: file, label, verdict, confidence, features.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;

use serde_json::Value;

use super::*;
use crate::domain::ids::PassageId;

fn data() -> Option<PathBuf> {
    let given = std::env::var_os("JUROR_DATA").map(PathBuf::from);
    given
        .or_else(|| Some(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data")))
        .filter(|dir| dir.is_dir())
}

fn values(f: &Features) -> Vec<f64> {
    vec![
        f.coverage,
        f.completed,
        f.anywhere,
        f.pairs,
        f.missing,
        f.words,
        f.absent_numbers,
        f.absent_names,
        f.numbers,
        f.dates,
        f.negations,
        f.opposites,
        f.names,
        f.roles,
        f.substitutes,
        f.stronger,
        f.only_claim_negates,
        f.only_window_negates,
        f.context,
    ]
}

fn passages(record: &Value) -> Vec<Passage> {
    let texts = record["evidence"].as_array().cloned().unwrap_or_default();
    texts
        .iter()
        .map(|passage| Passage {
            passage_id: PassageId::new(passage["passage_id"].as_str().unwrap_or("p")),
            content: passage["content"].as_str().unwrap_or("").to_owned(),
            metadata: serde_json::Map::default(),
        })
        .collect()
}

#[test]
#[ignore = "reads labelled data and prints; run by hand"]
fn rows() {
    let Some(data) = data() else {
        println!("no labelled data here: set JUROR_DATA");
        return;
    };
    let files = std::env::var("JUROR_FILES").unwrap_or_else(|_| "demo/demo_claims".into());
    let every: usize = std::env::var("JUROR_EVERY").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let show = std::env::var_os("JUROR_SHOW").is_some();
    let mut rows = std::env::var_os("JUROR_ROWS").map(|path| std::fs::File::create(path).unwrap());
    for name in files.split(',') {
        let file = std::fs::File::open(data.join(format!("{name}.jsonl.gz"))).unwrap();
        let mut table: BTreeMap<(String, String), usize> = BTreeMap::new();
        for line in BufReader::new(flate2::read::GzDecoder::new(file)).lines().step_by(every) {
            let record: Value = serde_json::from_str(&line.unwrap()).unwrap();
            let claim = record["claim"].as_str().unwrap_or("");
            let passages = passages(&record);
            let desk = Desk::new(&passages);
            let label = record["label"].as_str().unwrap_or("?").to_owned();
            let (verdict, confidence, rationale, quote) = match desk.judge(claim) {
                Ok(judged) => (
                    judged.verdict.label(),
                    judged.confidence.get(),
                    judged.rationale.clone(),
                    judged.citations.first().map(|citation| citation.quote.clone()).unwrap_or_default(),
                ),
                Err(reason) => ("NOT_CHECKED", 0.0, reason, String::new()),
            };
            *table.entry((label.clone(), verdict.to_owned())).or_default() += 1;
            if show {
                println!(
                    "\n[{label} | {verdict} {confidence:.2}] {claim}\n   why: {rationale}\n   evidence: {quote}"
                );
            }
            if let Some(rows) = rows.as_mut() {
                let counted = desk.counted(claim).map(|f| values(&f));
                let row = serde_json::json!({
                    "file": name, "label": label, "verdict": verdict, "confidence": confidence, "x": counted,
                });
                writeln!(rows, "{row}").unwrap();
            }
        }
        println!("\n== {name}");
        for ((label, verdict), count) in table {
            println!("{label:20} {verdict:20} {count}");
        }
    }
}
