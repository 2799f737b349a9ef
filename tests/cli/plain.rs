//! `juror review --plain` over pipes: what is printed, what decides, and what does not.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Duration;

use crate::world::{Limit, Run, World, finish, line};

fn world() -> World {
    let world = World::new();
    let answer = "Adults take 8 g. It helps. Who knows?";
    world.audited(&[line("rx-1", answer), line("rx-2", &format!("\u{1b}[2J{answer}"))]);
    world
}

/// Types `lines` with no pause, and with none asked for.
fn typed(world: &World, more: &[&str], lines: &str) -> Run {
    let mut command = world.command(&[&["review", "--plain"], more].concat());
    command.env("JUROR_REVIEW_MIN_VISIBLE_MS", "0").env("TERM", "dumb").stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    finish(child)
}

#[test]
fn a_whole_review_goes_line_by_line_without_an_escape_sequence() {
    let world = world();
    let run = typed(&world, &["--id", "rx-1#1"], "c\nr n\na see page 12\nu\nU\n5\n?\nq\n").ended(0);
    let told = run.out();
    assert!(told.bytes().all(|byte| byte == b'\n' || byte >= 0x20), "no control character: {told:?}");
    let mut at = 0;
    for part in [
        "Claim rx-1#1: CONTRADICTED, CRITICAL",
        "Claim text: Adults take 8 g.",
        "In the answer: >>",
        "Evidence 1 of 1, contradicts, EXACT, passage p1: ",
        ">>",
        "Why: ",
        "Asks a person: contradicted",
        "open, 2 of them CRITICAL",
        "saved: CONFIRM rx-1#1: CONTRADICTED",
        // The most dangerous that is left.
        "Claim rx-2#1: CONTRADICTED, CRITICAL",
        "␛[2J",
        "saved: GIVE_REASON rx-1#1",
        "NUMBER_WRONG",
        "saved: ANNOTATE rx-2#1",
        "undone: ANNOTATE rx-2#1",
        "saved: ANNOTATE rx-2#1",
        "saved: OVERRIDE rx-2#1: CANNOT_JUDGE",
        "One command a line:",
        "r n    NUMBER_WRONG",
    ] {
        let found = told[at..].find(part).unwrap_or_else(|| panic!("`{part}` after byte {at} of:\n{told}"));
        at += found + part.len();
    }
    assert!(run.stderr.contains("2 decisions this session"), "{}", run.stderr);
    let events = world.run(&["export", "--what", "decisions"]).ended(0).lines();
    let acts: Vec<&str> = events.iter().map(|event| event["act"].as_str().unwrap()).collect();
    assert_eq!(acts, ["CONFIRM", "GIVE_REASON", "ANNOTATE", "UNDO", "ANNOTATE", "OVERRIDE"]);
    world.run(&["verify"]).ended(0);
}

#[test]
fn an_override_may_name_severity_and_type_and_an_answer_be_disposed_of() {
    let world = world();
    let run = typed(
        &world,
        &["--id", "rx-1#1"],
        "o unsupported low fabrication\ng rx-1#3\n3\ng rx-1#1\nd release\nd block\n",
    );
    let told = run.ended(2);
    assert!(told.out().contains("saved: OVERRIDE rx-1#1: UNSUPPORTED"), "{}", told.out());
    assert!(told.out().contains("All claims of rx-1 are decided"), "{}", told.out());
    assert!(told.out().contains("not done: rx-1#1, rx-1#3 stand against the evidence"), "{}", told.out());
    assert!(told.out().contains("saved: DISPOSE rx-1: BLOCK"), "{}", told.out());
    let claim = &world.run(&["export", "--what", "claims"]).ended(0).lines()[0];
    assert_eq!(
        (&claim["human_severity"], &claim["human_hallucination_type"]),
        (&"LOW".into(), &"FABRICATION".into())
    );
}

#[test]
fn lines_out_of_a_pipe_are_obeyed_each_when_its_claim_could_have_been_read() {
    let world = world();
    let run = world.run_with_input(&["review", "--plain", "--id", "rx-1#1"], b"c\n3\nq\n").ended(0);
    assert!(!run.out().contains("dropped"), "{}", run.out());
    let events = world.run(&["export", "--what", "decisions"]).ended(0).lines();
    let acts: Vec<&str> = events.iter().map(|event| event["act"].as_str().unwrap()).collect();
    assert_eq!(acts, ["CONFIRM", "OVERRIDE"]);
    let at =
        |n: usize| -> juror::domain::time::Timestamp { events[n]["at"].as_str().unwrap().parse().unwrap() };
    assert!(
        at(1).since(at(0)) >= Duration::from_millis(250),
        "the second was printed so long before it was decided"
    );
}

#[test]
fn a_line_that_comes_after_the_claim_was_read_decides() {
    let world = world();
    let mut command = world.command(&["review", "--plain"]);
    let mut child = command.env("JUROR_REVIEW_MIN_VISIBLE_MS", "50").stdin(Stdio::piped()).spawn().unwrap();
    let _limit = Limit::of(&child);
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains("decisions of yours stand")));
    std::thread::sleep(Duration::from_millis(80));
    stdin.write_all(b"c\n").unwrap();
    let saved = lines.find(|line| !line.is_empty()).unwrap();
    assert!(saved.starts_with("saved: CONFIRM rx-"), "{saved}");
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn what_is_refused_is_said_and_the_review_goes_on() {
    let world = world();
    let run = typed(&world, &["--id", "rx-1#3"], "c\nbanana\na\ng rx-9#1\n\nf\nD soon\nE ask Dr Lee\nD 2h\n")
        .ended(2);
    for part in [
        "not done: ",
        "`banana` is no command",
        "a note needs its text",
        "no claim `rx-9#1`",
        "saved: FLAG rx-1#3",
        "not deferred: ",
        "saved: DEFER rx-1#3",
    ] {
        assert!(run.out().contains(part), "`{part}` in {}", run.out());
    }
    assert_eq!(run.out().matches("Claim rx-1#3:").count(), 2, "an empty line prints it again: {}", run.out());
    let run = typed(&World::new(), &[], "q\n").ended(2);
    assert!(run.stderr.contains("no store at"), "{}", run.stderr);
    world.run(&["review", "--plain", "--json"]).ended(2);
}

#[test]
fn an_earlier_session_s_act_is_shown_before_it_is_taken_back_and_others_claims_are_left_alone() {
    let world = world();
    world.run(&["decide", "rx-1#1", "--confirm"]).ended(0);
    let run = typed(&world, &[], "u\n").ended(0);
    assert!(
        run.out().contains("u again takes back what you did, not in this session: CONFIRM rx-1#1"),
        "{}",
        run.out()
    );
    let run = typed(&world, &[], "u\nu\n").ended(0);
    assert!(run.out().contains("undone: CONFIRM rx-1#1"), "{}", run.out());
    let run = typed(&world, &[], "U\nq\n").ended(0);
    assert!(
        run.out().contains("U again does once more what you took back, not in this session: CONFIRM rx-1#1"),
        "{}",
        run.out()
    );
    assert!(!run.out().contains("saved:"), "{}", run.out());
    let run = typed(&world, &[], "U\nu\nU\nU\nu\n").ended(2);
    assert!(run.out().contains("nothing to undo"), "the other key takes no offer up: {}", run.out());
    assert_eq!(run.out().matches("saved: CONFIRM rx-1#1").count(), 1, "{}", run.out());
    assert!(run.out().contains("undone: CONFIRM rx-1#1"), "of this session at once: {}", run.out());
    let db = rusqlite::Connection::open(world.db()).unwrap();
    db.execute_batch("INSERT INTO lease (claim_id, holder, hand, until_ms) SELECT claim.id, 'bo', 'h', 9999999999999 FROM claim WHERE n = 1").unwrap();
    drop(db);
    let run = typed(&world, &["--id", "rx-1#1"], "c\n").ended(2);
    assert!(run.out().contains("Cannot be decided: rx-1#1: bo has it in hand"), "{}", run.out());
    assert!(run.out().contains("not done: rx-1#1: bo has it in hand"), "{}", run.out());
}
