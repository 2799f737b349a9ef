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
        f.pairs,
        f.missing,
        f.absent_numbers,
        f.absent_names,
        f.absent_directions,
        f.numbers,
        f.dates,
        f.negations,
        f.opposites,
        f.names,
        f.roles,
        f.substitutes,
        f.stronger,
        f.only_claim_negates,
        f.overstated,
        f.unsaid,
        f.is_foreign,
        f.context,
    ]
}

impl Desk<'_> {
    /// How well the best window covers the characters marked as evidence, and its length in bytes.
    fn window_f1(&self, claim: &str, record: &Value) -> Option<(f64, f64)> {
        let gold: Vec<(String, Span)> = record["spans"]
            .as_array()?
            .iter()
            .filter_map(|mark| {
                let id = mark["passage_id"].as_str()?;
                let passage = self.evidence.passages.iter().find(|p| p.passage.passage_id.as_str() == id)?;
                let at = |key: &str| usize::try_from(mark[key].as_u64()?).ok();
                let chars = crate::domain::span::CharSpan { start: at("start")?, end: at("end")? };
                Some((id.to_owned(), Span::from_chars(&passage.passage.content, chars)?))
            })
            .collect();
        if gold.is_empty() {
            return None;
        }
        let reading = Reading::new(claim);
        let look = self.look(&reading, &terms(reading.tokens()))?;
        let own = look.window.span;
        let id = self.evidence.passages[look.window.passage].passage.passage_id.as_str();
        let hit: usize = gold
            .iter()
            .filter(|(other, _)| other == id)
            .map(|(_, span)| span.end().min(own.end()).saturating_sub(span.start().max(own.start())))
            .sum();
        let total: usize = gold.iter().map(|(_, span)| span.len()).sum();
        Some((2.0 * hit as f64 / (total + own.len()) as f64, own.len() as f64))
    }
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
        let mut overlap: Vec<(f64, f64)> = Vec::new();
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
            if let Some(f1) = desk.window_f1(claim, &record) {
                overlap.push(f1);
            }
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
        if !overlap.is_empty() {
            let mean =
                |of: fn(&(f64, f64)) -> f64| overlap.iter().map(of).sum::<f64>() / overlap.len() as f64;
            println!(
                "span F1 by characters {:.3}, mean length {:.0}, n {}",
                mean(|o| o.0),
                mean(|o| o.1),
                overlap.len()
            );
        }
        for ((label, verdict), count) in table {
            println!("{label:20} {verdict:20} {count}");
        }
    }
}

#[test]
#[ignore = "prints how fast the judge is; run by hand, optimised"]
#[expect(clippy::disallowed_methods, reason = "a measurement")]
fn speed() {
    let filler = "The committee met in spring and heard reports on the water supply of the northern towns. ";
    let fact = "The maximum dose of paracetamol for adults is 4 g per day. ";
    for (repeats, claims) in [(10, 4_000), (100, 1_000), (1_000, 200), (11_000, 20)] {
        let content = format!("{}{fact}{}", filler.repeat(repeats / 2), filler.repeat(repeats / 2));
        let passage =
            Passage { passage_id: PassageId::new("p"), content, metadata: serde_json::Map::default() };
        let passages = [passage];
        let begun = std::time::Instant::now();
        for _ in 0..claims {
            // The evidence is read anew for each claim: the worst case, one claim a record.
            let desk = Desk::new(&passages);
            assert!(desk.judge("Adults may take 8 g of paracetamol per day.").is_ok());
        }
        let one_each = begun.elapsed();
        let desk = Desk::new(&passages);
        let begun = std::time::Instant::now();
        for _ in 0..claims {
            assert!(desk.judge("Adults may take 8 g of paracetamol per day.").is_ok());
        }
        let shared = begun.elapsed();
        let rate = |elapsed: std::time::Duration| f64::from(claims) / elapsed.as_secs_f64();
        println!(
            "{:>8} bytes of evidence: {:.0} claims/s with the evidence read each time, {:.0} with it read once",
            passages[0].content.len(),
            rate(one_each),
            rate(shared)
        );
    }
}
