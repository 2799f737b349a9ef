//! From the queue to a comparison, to one of its claims in the queue, and back.

use serde_json::json;

use crate::pty::Bench;

/// Twenty items; the candidate of the first three says another dose.
fn items() -> String {
    let line = |n: usize| {
        let dose = if n < 3 { 8 } else { 4 };
        json!({
            "id": format!("q-{n}"),
            "risk_level": "HIGH",
            "documents": [format!("The maximum dose of substance {n} for adults is 4 g in any 24 hours.")],
            "baseline": format!("The maximum dose of substance {n} for adults is 4 g in any 24 hours."),
            "candidate": format!("The maximum dose of substance {n} for adults is {dose} g in any 24 hours."),
        })
        .to_string()
    };
    (0..20).map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_newly_wrong_claim_is_found_decided_in_the_queue_and_left_again() {
    let bench = Bench::with(2);
    std::fs::write(bench.path("items.jsonl"), items()).unwrap();
    let items = bench.path("items.jsonl");
    let compared = bench.try_run(&["compare", items.to_str().unwrap(), "--max-increase", "0.05"]);
    assert_eq!(compared.status.code(), Some(1), "{}", String::from_utf8_lossy(&compared.stderr));

    let mut screen = bench.review(&[]);
    screen.until("rx-");
    let claim = screen.screen().lines().find(|line| line.contains('▌')).unwrap_or_default().to_owned();
    screen.send("gv");
    screen.until("cmp-1");
    screen.until("closed");
    screen.until("15.0 %");
    screen.until("--max-increase 0.05");
    screen.until("PROVISIONAL");
    // What decides in the queue does nothing here.
    screen.send("c");
    screen.until("nothing is decided here");
    screen.send("\r");
    screen.until("Newly wrong  3");
    screen.until("Candidate  ✗ CONTRADICTED");
    screen.until("in the queue as cmp-1/q-");
    screen.send("j");
    screen.until("2 of 3");
    screen.send("\r");
    screen.until("to Compare");
    screen.until("cmp-1/q-");
    crate::pause(400);
    screen.decide("c", "1/");
    screen.until("saved cmp-1/q-");
    screen.send("\x1b");
    screen.until("Newly wrong  3");
    screen.until("✓ decided, cmp-1/q-");
    screen.send("\x1b");
    screen.until("1 kept");
    screen.send("\x1b");
    screen.gone("1 kept");
    screen.until("Queue");
    assert!(!claim.is_empty());
    screen.send("q");
    assert_eq!(screen.end(), 0);
    screen.assert_restored();
    let decisions = bench.decisions();
    assert_eq!(decisions.len(), 1, "{decisions:?}");
    bench.run(&["verify"]);
}

#[test]
fn an_empty_screen_says_how_to_make_a_comparison_and_it_appears_by_itself() {
    let bench = Bench::with(1);
    let mut screen = bench.review(&[]);
    screen.until("rx-");
    screen.send(")");
    screen.until("No comparison is kept here");
    screen.until("juror compare");
    std::fs::write(bench.path("items.jsonl"), items()).unwrap();
    let items = bench.path("items.jsonl");
    bench.try_run(&["compare", items.to_str().unwrap()]);
    screen.until("cmp-1");
    screen.send("(");
    screen.until("rx-");
    screen.send("q");
    assert_eq!(screen.end(), 0);
}
