//! `juror compare` with answers that commands make: what they print, how they fail, and what becomes of what they start.

use std::io::Read;
use std::time::Duration;

use serde_json::Value;

use crate::compare::{figure, item, lines, part};
use crate::world::{World, finish, fits};

#[test]
fn answers_are_made_by_a_command_and_what_fails_is_no_empty_answer() {
    let world = World::new();
    let items: Vec<Value> = (0..6).map(|n| item(&format!("q{n}"), "Adults take at most 4 g.", "x")).collect();
    world.file("q.jsonl", lines(&items));
    let made = "printf '{\"answer\":\"Adults take at most 8 g.\"}'";
    let run = world.run(&["compare", "q.jsonl", "--candidate-cmd", made, "--json"]).ended(1);
    assert_eq!(figure(&run.json(), "candidate_rate")["value"], 1.0);
    let asked = "read line; case \"$line\" in *'\"side\":\"candidate\"'*) ;; *) exit 9;; esac; \
                 case \"$line\" in *'\"id\":\"q3\"'*) echo out of memory >&2; exit 3;; esac; \
                 echo '{\"answer\":\"Adults take at most 4 g.\"}'";
    let run = world.run(&["compare", "q.jsonl", "--candidate-cmd", asked, "--json"]).ended(4);
    let report = run.json();
    fits("report", &report);
    let left = part(&report, "Left out")["findings"]["list"].as_array().unwrap();
    let told = "--candidate-cmd ended with exit code 3: out of memory";
    assert_eq!((left.len(), &left[0]["id"], &left[0]["text"]), (1, &"q3".into(), &told.into()));
    assert!(
        run.stderr.contains("1 item could not be compared because something failed; the first, q3"),
        "{}",
        run.stderr
    );
    for (command, why) in [
        ("true", "printed nothing"),
        ("echo 4 g", "not JSON"),
        ("echo '{\"answer\":\" \"}'", "without words"),
        ("exit 1", "exit code 1"),
        ("kill -9 $$", "signal 9"),
        ("no-such-program-anywhere", "exit code 127"),
    ] {
        let run = world.run(&["compare", "q.jsonl", "--baseline-cmd", command]).ended(4);
        assert!(run.stderr.contains(why), "{command}: {}", run.stderr);
        assert!(run.out().contains("Nothing could be compared"), "{}", run.out());
    }
}

#[test]
fn a_late_command_is_killed_with_all_that_it_started() {
    let world = World::new();
    world.file("q.jsonl", item("q", "Adults take at most 4 g.", "x").to_string());
    let alive = world.path("alive");
    // The child outlives the command, holds its output open, and would leave a mark behind.
    let late = format!("(sleep 4; touch {}) & sleep 60", alive.display());
    let since = juror::clock::Stopwatch::start();
    let run = world.run(&["compare", "q.jsonl", "--candidate-cmd", &late, "--cmd-timeout", "1"]).ended(4);
    assert!(run.stderr.contains("did not answer in 1 s and was killed"), "{}", run.stderr);
    let daemon =
        format!("(sleep 4; touch {}) & echo '{{\"answer\":\"Adults take at most 4 g.\"}}'", alive.display());
    world.run(&["compare", "q.jsonl", "--candidate-cmd", &daemon]).ended(0);
    assert!(since.elapsed() < Duration::from_secs(20), "nobody waits for what is left running");

    let mut child = world.command(&["compare", "q.jsonl", "--candidate-cmd", &late]).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(800));
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT)
        .unwrap();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
    std::thread::sleep(Duration::from_secs(5));
    assert!(!alive.exists(), "a process outlived its question");
}

#[test]
fn no_egress_forbids_commands() {
    let world = World::new();
    world.file("q.jsonl", item("q", "It is 4 g.", "It is 4 g.").to_string());
    let run = finish(
        world
            .command(&["compare", "q.jsonl", "--candidate-cmd", "true"])
            .env("JUROR_EGRESS", "none")
            .spawn()
            .unwrap(),
    );
    assert!(run.stderr.contains("`--candidate-cmd` runs a program outside juror"), "{}", run.stderr);
    assert_eq!(run.code, Some(2));
}

#[test]
fn nobody_waits_for_a_process_that_left_the_group_of_its_command() {
    if !std::process::Command::new("setsid").arg("true").status().is_ok_and(|done| done.success()) {
        println!("skipped: there is no setsid here");
        return;
    }
    let world = World::new();
    world.file("q.jsonl", item("q", "Adults take at most 4 g.", "x").to_string());
    let since = juror::clock::Stopwatch::start();
    // It holds the output open for as long as it lives, and is in no group that could be killed.
    let answers = "setsid sleep 30 & echo '{\"answer\":\"Adults take at most 4 g.\"}'";
    let run = world.run(&["compare", "q.jsonl", "--candidate-cmd", answers, "--json"]).ended(0);
    assert_eq!(figure(&run.json(), "candidate_rate")["value"], 0.0);
    let late = "setsid sleep 30 & echo '{\"answer\":'; sleep 30";
    let run = world.run(&["compare", "q.jsonl", "--candidate-cmd", late, "--cmd-timeout", "1"]).ended(4);
    assert!(run.stderr.contains("did not answer in 1 s and was killed"), "{}", run.stderr);
    let fails = "setsid sleep 30 & echo out of memory >&2; exit 3";
    let run = world.run(&["compare", "q.jsonl", "--candidate-cmd", fails]).ended(4);
    assert!(run.stderr.contains("ended with exit code 3: out of memory"), "{}", run.stderr);
    assert!(since.elapsed() < Duration::from_secs(25), "it waited for what left the group");
}
