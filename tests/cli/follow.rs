//! A file that grows, is rotated and truncated under the reader.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use juror::store::{Durability, Store};

use crate::world::{Run, World, finish, line};

fn append(path: &Path, text: &str) {
    OpenOptions::new().create(true).append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

fn stored(world: &World) -> Vec<String> {
    let mut ids = Vec::new();
    if let Ok(store) = Store::open(&world.db(), Durability::Normal) {
        store
            .for_each_record(|raw| {
                let value: serde_json::Value = serde_json::from_str(raw.unwrap()).unwrap();
                ids.push(value["audit_id"].as_str().unwrap().to_owned());
                Ok::<_, juror::store::StoreError>(())
            })
            .unwrap();
    }
    ids
}

#[track_caller]
fn wait_for(world: &World, expected: &[&str]) {
    for _ in 0..200 {
        if stored(world) == expected {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(stored(world), expected);
}

fn interrupt(child: Child) -> Run {
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    finish(child)
}

#[test]
fn a_growing_file_is_followed_over_rotation_and_truncation_until_ctrl_c() {
    let world = World::new();
    let log = world.path("log.jsonl");
    let child = world.command(&["import", "--follow", "log.jsonl", "--json"]).spawn().unwrap();
    append(&log, &(line("a", "x") + "\n" + &line("b", "x")));
    wait_for(&world, &["a"]);
    append(&log, "\n");
    wait_for(&world, &["a", "b"]);
    fs::rename(&log, world.path("log.1")).unwrap();
    append(&world.path("log.1"), &(line("late", "x") + "\n"));
    append(&log, &(line("c", "x") + "\n"));
    wait_for(&world, &["a", "b", "late", "c"]);
    fs::write(&log, "").unwrap();
    std::thread::sleep(Duration::from_millis(400));
    append(&log, &(line("d", "x") + "\nbad\n"));
    wait_for(&world, &["a", "b", "late", "c", "d"]);
    let run = interrupt(child).ended(130);
    let json = run.json();
    assert_eq!((&json["imported"], &json["rejected"]), (&5.into(), &1.into()), "{json}");
    assert_eq!(json["errors"][0]["line"], 2, "lines are counted in each file by itself");
}

#[test]
fn a_pipe_that_stays_open_does_not_keep_ctrl_c_waiting() {
    let world = World::new();
    let mut child =
        world.command(&["import", "-", "--json"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all((line("a", "x") + "\n").as_bytes()).unwrap();
    wait_for(&world, &["a"]);
    let run = interrupt(child).ended(130);
    assert_eq!(run.json()["imported"], 1, "what came so far is kept");
    drop(stdin);
}

#[test]
fn following_a_file_that_is_not_there_says_that_it_waits() {
    let world = World::new();
    let child = world.command(&["import", "--follow", "later.jsonl"]).spawn().unwrap();
    // The store is made before that is said, and once it can be read the file may come.
    while world.run(&["queue"]).code != Some(0) {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(200));
    append(&world.path("later.jsonl"), &(line("a", "x") + "\n"));
    wait_for(&world, &["a"]);
    let run = interrupt(child).ended(130);
    assert!(run.stderr.contains("later.jsonl is not there yet: waiting for it"), "{}", run.stderr);
    // Started again, it says that it is at work though nothing is new.
    let child = world.command(&["import", "--follow", "later.jsonl"]).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(800));
    let run = interrupt(child).ended(130);
    let said = "read as far as it goes: 0 imported, 1 unchanged, 0 rejected; waiting for more";
    assert!(run.stderr.contains(said) && !run.stderr.contains(" %"), "{}", run.stderr);
}

#[test]
fn follow_takes_one_plain_file() {
    let world = World::new();
    world.file("a.jsonl.gz", [0x1f, 0x8b, 8, 0]);
    assert!(world.run(&["import", "--follow", "a.jsonl.gz"]).ended(2).stderr.contains("gzip"));
    assert!(world.run(&["import", "--follow", "a", "b"]).ended(2).stderr.contains("one file"));
    world.run(&["import", "--follow", "--strict", "a"]).ended(2);
}

#[test]
fn a_byte_order_mark_and_a_file_cut_and_grown_between_two_looks_are_seen() {
    let world = World::new();
    let log = world.path("log.jsonl");
    fs::write(&log, format!("\u{feff}{}\n", line("a", "x"))).unwrap();
    let child = world.command(&["import", "--follow", "log.jsonl", "--json"]).spawn().unwrap();
    wait_for(&world, &["a"]);
    // The same file, at once longer than before.
    fs::write(&log, format!("\u{feff}{}\n{}\n{}\n", line("b", "x"), line("c", "x"), line("d", "x"))).unwrap();
    wait_for(&world, &["a", "b", "c", "d"]);
    append(&log, &(line("e", "x") + "\n"));
    wait_for(&world, &["a", "b", "c", "d", "e"]);
    let json = interrupt(child).ended(130).json();
    assert_eq!((&json["imported"], &json["rejected"]), (&5.into(), &0.into()), "{json}");
}

#[test]
fn ctrl_c_ends_a_check_that_waits_for_its_input_and_an_audit_that_has_just_begun() {
    let world = World::new();
    let mut child = world
        .interruptible(&["import", "-", "--strict"])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let run = interrupt(child);
    drop(stdin);
    assert_eq!(run.code, None, "ended by the signal itself: {run:?}");
    assert!(!world.db().exists());

    let lines: Vec<String> = (0..400).map(|n| line(&format!("r{n}"), "Take 8 g in 24 hours.")).collect();
    world.file("a.jsonl", lines.join("\n"));
    world.run(&["import", "a.jsonl"]).ended(0);
    world.run(&["audit"]).ended(0);
    let child = world.command(&["audit", "--again", "--json"]).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(150));
    let json = interrupt(child).ended(130).json();
    let again = world.run(&["audit", "--json"]).ended(0).json();
    let done = json["audited"].as_u64().unwrap() + again["audited"].as_u64().unwrap();
    assert_eq!(done, 400, "what was stored stays, the rest is done next time");
    world.run(&["verify"]).ended(0);
}

#[test]
fn following_waits_for_a_store_that_another_program_holds_and_then_goes_on() {
    let world = World::new();
    let log = world.path("log.jsonl");
    append(&log, &(line("a", "x") + "\n"));
    let child = world.command(&["import", "--follow", "log.jsonl", "--json"]).spawn().unwrap();
    wait_for(&world, &["a"]);
    let other = rusqlite::Connection::open(world.db()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    append(&log, &(line("b", "x") + "\n" + &line("c", "x") + "\n"));
    std::thread::sleep(Duration::from_millis(6500));
    other.execute_batch("COMMIT").unwrap();
    wait_for(&world, &["a", "b", "c"]);
    let run = interrupt(child).ended(130);
    assert_eq!(run.stderr.matches("waiting for it").count(), 1, "{}", run.stderr);
    assert_eq!(run.json()["imported"], 3, "nothing is lost, nothing comes twice");
}
