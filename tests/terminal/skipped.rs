//! What was put off is taken up again with the key that put it off.

use super::pause;
use super::pty::{Bench, Link};

fn order(bench: &Bench) -> Vec<String> {
    let rows: serde_json::Value = serde_json::from_str(&bench.run(&["queue", "--json"])).expect("rows");
    let rows = rows.as_array().expect("an array").iter();
    rows.map(|row| row["id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn r37_the_key_that_skips_and_flags_takes_it_back_and_the_row_is_in_its_place_again() {
    let bench = Bench::with(3);
    let before = order(&bench);
    let (first, second) = (before[0].clone(), before[1].clone());
    let mut screen = bench.review(&[]);
    screen.until(&format!("{first} · claim"));
    pause(400);
    // It goes to the end of the queue, and the cursor goes on.
    screen.decide("s", &format!("saved {first} skipped"));
    screen.until(&format!("{second} · claim"));
    let mut skipped = before.clone();
    skipped.rotate_left(1);
    assert_eq!(order(&bench), skipped);
    // Back to it, and the same key.
    screen.send("H");
    screen.until(&format!("{first} · claim"));
    pause(400);
    screen.decide("s", "no longer skipped");
    screen.settle(std::time::Duration::from_millis(300));
    assert_eq!(order(&bench), before, "in its place again");
    // So is a flag.
    screen.send("gg");
    screen.until(&format!("{first} · claim"));
    pause(400);
    screen.decide("f", "flagged for adjudication");
    screen.decide("f", "no longer flagged");
    screen.send("q");
    screen.end();
    let decisions = bench.decisions();
    let acts: Vec<&str> = decisions.iter().filter_map(|line| line["act"].as_str()).collect();
    assert_eq!(acts, ["SKIP", "UNSKIP", "FLAG", "UNFLAG"]);
    assert!(decisions.iter().all(|line| line["subject"] == first.as_str()), "{decisions:?}");
}

#[test]
fn a_flood_of_typed_lines_decides_nothing_that_nobody_saw() {
    let bench = Bench::with(3);
    let arguments = ["review", "--plain"];
    let mut screen = bench.open(Link::Local, (120, 40), env!("CARGO_BIN_EXE_juror"), &arguments, &[]);
    screen.until("Your command");
    pause(400);
    screen.send(&"c\n".repeat(20));
    screen.until("dropped: a line counts when");
    screen.settle(std::time::Duration::from_millis(300));
    screen.send("q\n");
    screen.end();
    assert!(bench.decisions().len() <= 1, "the first of them at most: {:?}", bench.decisions());
}
