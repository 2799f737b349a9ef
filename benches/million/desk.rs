//! A reviewer who decides 200 claims of the demonstration at the real terminal, and how long the program takes for each
//! of the keys.

#[path = "../../tests/terminal/script.rs"]
mod script;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::quantile;
use super::review::Screen;
use super::table::Table;
use script::{Numbers, Step, claim_on, other_verdict, progress_on, steps};

const DECISIONS: usize = 200;
const SEED: u64 = 0x0DE5_C0DE;
const NOTE: &str = "see the label";
const DEMO: &[&str] = &["farstail", "jnli", "summedits", "scifact", "written", "arriving"];

pub(crate) fn measure(table: &mut Table) {
    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("desk.db");
    fill(&db, folder.path());
    let mut screen = Screen::start(&db);
    screen.until(|screen| progress_on(&screen.text()).is_some());
    screen.settle();
    let mut numbers = Numbers(SEED);
    let (mut millis, mut keys) = (Vec::new(), Vec::new());
    for step in steps(SEED, DECISIONS) {
        let (title, done) = next(&mut screen, &mut numbers);
        let other = other_verdict(&title);
        let before = millis.len();
        match step {
            Step::Confirm => decide(&mut screen, &mut millis, "c", done + 1),
            Step::Override(reason) => {
                decide(&mut screen, &mut millis, other, done + 1);
                millis.push(screen.press(b"r"));
                millis.push(screen.press(reason.to_string().as_bytes()));
                screen.until(|screen| !screen.shows("Reason for"));
            }
            Step::Note => {
                millis.push(screen.press(b"a"));
                screen.until(|screen| screen.shows("Note on"));
                for letter in NOTE.chars() {
                    screen.press(letter.to_string().as_bytes());
                }
                // Nobody has written that before the note has been in view as long as a claim has to be.
                look(&mut screen);
                millis.push(screen.press(b"\x13"));
                screen.until(|screen| !screen.shows("Note on"));
                look(&mut screen);
                decide(&mut screen, &mut millis, "c", done + 1);
            }
            Step::Undo => {
                decide(&mut screen, &mut millis, "c", done + 1);
                look(&mut screen);
                millis.push(screen.press(b"u"));
                screen.until(|screen| progress_on(&screen.text()).is_some_and(|(now, _)| now == done));
                look(&mut screen);
                decide(&mut screen, &mut millis, other, done + 1);
            }
        }
        keys.push((millis.len() - before) as f64);
    }
    screen.quit();
    let sum: f64 = keys.iter().sum();
    table.at_most("200 decisions: keys each, median", "", quantile(&mut keys, 0.5), 1.0);
    table.at_most("200 decisions: keys each, mean", "", sum / DECISIONS as f64, 2.0);
    table.note("200 decisions: key to finished frame, median", "ms", quantile(&mut millis, 0.5));
    table.at_most("200 decisions: key to finished frame, p99", "ms", quantile(&mut millis, 0.99), 16.0);
    table.note("200 decisions: key to finished frame, slowest", "ms", quantile(&mut millis, 1.0));
}

/// The demonstration twice, under ids of their own, audited.
fn fill(db: &Path, folder: &Path) {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo");
    let mut lines = String::new();
    for time in 0..2 {
        for file in DEMO {
            let text = std::fs::read_to_string(demo.join(format!("{file}.jsonl"))).expect("the demo");
            for line in text.lines() {
                let mut record: serde_json::Value = serde_json::from_str(line).expect("a record");
                record["audit_id"] = format!("{}-{time}", record["audit_id"].as_str().expect("an id")).into();
                lines.push_str(&record.to_string());
                lines.push('\n');
            }
        }
    }
    let file = folder.join("demo.jsonl");
    std::fs::write(&file, lines).expect("the file is written");
    let file = file.to_str().expect("a plain path");
    for arguments in [&["import", file][..], &["audit"]] {
        let run = Command::new(env!("CARGO_BIN_EXE_juror"))
            .args(["--db", db.to_str().expect("a plain path")])
            .args(arguments)
            .output()
            .expect("juror runs");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    }
}

/// Waits as long as a claim has to be in view, and some more.
fn look(screen: &mut Screen) {
    let long_enough = super::now() + Duration::from_millis(280);
    while let Some(left) = long_enough.checked_duration_since(super::now()) {
        screen.read(left);
    }
}

/// The next claim when it has been read: the title of its pane, and how many are decided.
fn next(screen: &mut Screen, numbers: &mut Numbers) -> (String, usize) {
    screen.until(|screen| {
        let text = screen.text();
        claim_on(&text).is_some() && text.contains("In queue") && progress_on(&text).is_some()
    });
    look(screen);
    // Not everybody reads at the same pace.
    screen.read(Duration::from_millis(numbers.below(30) as u64));
    let text = screen.text();
    let (_, title) = claim_on(&text).expect("a claim");
    (title, progress_on(&text).map_or(0, |(done, _)| done))
}

fn decide(screen: &mut Screen, millis: &mut Vec<f64>, key: &str, done: usize) {
    millis.push(screen.press(key.as_bytes()));
    screen.until(|screen| progress_on(&screen.text()).is_some_and(|(now, _)| now == done));
}
