//! Who audits, who is called, and whether that works.

use std::fs;
use std::process::Child;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::world::{Run, World, finish, line, risky};

/// Every call as a line of this file.
const CALLS: &str = "calls.jsonl";

fn with_hook(more: &str) -> World {
    let world = World::new();
    let calls = world.path(CALLS).display().to_string();
    world.file("page.sh", format!("cat >> {calls}; echo >> {calls}"));
    let script = world.path("page.sh").display().to_string();
    world.file(".config/juror/config.toml", format!("[review]\nhook = ['/bin/sh', '{script}']\n{more}"));
    world
}

fn calls(world: &World) -> Vec<Value> {
    let text = fs::read_to_string(world.path(CALLS)).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn until(what: &str, is: impl Fn() -> bool) {
    for _ in 0..400 {
        if is() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("never: {what}");
}

fn end(child: Child) -> Run {
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    finish(child)
}

#[test]
fn an_audit_calls_for_what_it_audits_and_says_what_is_a_repeat() {
    let world = with_hook("");
    world.file("in.jsonl", [risky("rx-1", "CRITICAL"), risky("rx-2", "CRITICAL")].join("\n"));
    world.run(&["import", "in.jsonl"]).ended(0);
    world.run(&["audit"]).ended(0);
    let calls_ = calls(&world);
    let sum = |field: &str| calls_.iter().map(|call| call[field].as_u64().unwrap()).sum::<u64>();
    assert!(sum("critical") + sum("high") >= 2, "{calls_:?}");
    assert_eq!(sum("new") * 2, sum("critical") + sum("high"), "half of them repeat the others: {calls_:?}");
    let all: Vec<&Value> = calls_.iter().flat_map(|call| call["claims"].as_array().unwrap()).collect();
    let repeats = all.iter().filter(|claim| !claim["repeat_of"].is_null()).count();
    assert_eq!(repeats * 2, all.len(), "{all:?}");
    assert!(calls_.iter().all(|call| call["event"] == "arrived" && !call.to_string().contains("8 g")));
    // Known is known, whoever asks next; --no-hook leaves it to others.
    world.run(&["audit"]).ended(0);
    assert_eq!(calls(&world).len(), calls_.len());
    world.file("more.jsonl", risky("rx-3", "CRITICAL"));
    world.run(&["import", "more.jsonl"]).ended(0);
    world.run(&["audit", "--no-hook"]).ended(0);
    assert_eq!(calls(&world).len(), calls_.len());
    world.run(&["audit"]).ended(0);
    assert_eq!(calls(&world).len(), calls_.len() + 1, "what nobody was told of is told by the next");
}

#[test]
fn only_critical_claims_call_where_nothing_else_is_asked_for() {
    let world = with_hook("hook_on = 'critical'\n");
    world.file("in.jsonl", risky("rx-1", "HIGH"));
    world.run(&["import", "in.jsonl"]).ended(0);
    world.run(&["audit"]).ended(0);
    let counts = world.run(&["queue", "--counts", "--json"]).ended(0).json();
    assert_eq!(
        (&counts["open_critical"], counts["open_high"].as_u64() > Some(0)),
        (&0.into(), true),
        "{counts}"
    );
    assert_eq!(calls(&world), [] as [Value; 0]);
}

#[test]
fn doctor_names_who_audits_and_who_is_called_and_what_is_missing() {
    let world = with_hook("");
    world.file("in.jsonl", line("rx-1", "Take 8 g."));
    world.run(&["import", "in.jsonl"]).ended(0);
    let doctor = || world.run(&["doctor", "--json"]).ended(0).json();
    assert_eq!(doctor()["missing"], "nobody audits, and nobody is called");
    let watch = world.command(&["audit", "--watch"]).spawn().unwrap();
    let follow = world.command(&["import", "--follow", "in.jsonl"]).spawn().unwrap();
    until("both are there", || doctor()["on_duty"].as_array().unwrap().len() == 2);
    let there = doctor();
    assert_eq!(there["missing"], Value::Null);
    let of = |command: &str| {
        there["on_duty"].as_array().unwrap().iter().find(|one| one["command"] == command).unwrap().clone()
    };
    let one = of("juror audit --watch");
    assert_eq!(
        (&one["pid"], &one["audits"], &one["pages"]),
        (&watch.id().into(), &true.into(), &true.into())
    );
    assert_eq!(of("juror import --follow")["audits"], false);
    // Stopped is not there.
    let pid = Pid::from_child(&watch);
    kill_process(pid, Signal::STOP).unwrap();
    until("it is seen to be stopped", || doctor()["missing"] == "nobody audits, and nobody is called");
    kill_process(pid, Signal::CONT).unwrap();
    end(watch).ended(130);
    end(follow).ended(130);
    let gone = doctor();
    assert_eq!(gone["on_duty"], Value::Array(Vec::new()));
    assert_eq!(gone["missing"], "nobody audits, and nobody is called");
}

#[test]
fn doctor_looks_for_the_script_of_the_hook_and_runs_it_when_asked() {
    let world = with_hook("");
    let run = world.run(&["doctor", "--hook-test", "--json"]).ended(0).json();
    assert_eq!(run["hook_test"]["works"], true, "{run}");
    assert_eq!(calls(&world)[0]["event"], "test");
    let doctor = |hook: &str, arguments: &[&str], code| {
        world.file("juror.toml", format!("[review]\nhook = {hook}\n"));
        world.run(&[&["--config", "juror.toml", "doctor"], arguments].concat()).ended(code).out().to_owned()
    };
    let said = doctor("['/bin/sh', '/nonexist.sh']", &[], 0);
    assert!(said.contains("the script `/nonexist.sh`: No such file"), "{said}");
    let said = doctor("['/bin/sh', 'page.sh']", &[], 0);
    assert!(said.contains("a juror that is started elsewhere calls nobody"), "{said}");
    let said = doctor("['/bin/sh', '-c', 'exit 3']", &["--hook-test"], 4);
    assert!(
        said.contains("the hook was run and does not work: `/bin/sh` ended with exit status: 3"),
        "{said}"
    );
}
