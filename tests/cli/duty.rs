//! Who audits, who is called, and whether that works.

use std::fs;
use std::process::Child;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::world::{Run, World, finish, fits, line, risky};

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
    let said = world.run(&["doctor"]).ended(4).out().to_owned();
    assert!(said.contains("problem: 1 record waits and nobody audits it, so nobody is called"), "{said}");
    let doctor = || world.run(&["doctor", "--json"]).json();
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
    assert!(said.contains("the hook was run and does not work: `/bin/sh` ended with exit code 3"), "{said}");
}

/// A hook that fails, saying why, for as long as the file `down` is there.
fn with_failing_hook(more: &str) -> World {
    let world = with_hook(more);
    let (calls, down) = (world.path(CALLS).display().to_string(), world.path("down").display().to_string());
    world.file(
        "page.sh",
        format!("[ -e {down} ] && echo '503 from pager' >&2 && exit 7\ncat >> {calls}; echo >> {calls}"),
    );
    world.file("down", "");
    world
}

fn ids(call: &Value) -> Vec<&str> {
    call["claims"].as_array().unwrap().iter().map(|claim| claim["audit_id"].as_str().unwrap()).collect()
}

#[test]
fn what_a_failing_hook_was_not_told_is_in_the_next_call_that_goes_well() {
    let world = with_failing_hook("");
    world.file("in.jsonl", risky("rx-1", "CRITICAL"));
    world.run(&["import", "in.jsonl"]).ended(0);
    let audit = world.run(&["audit"]).ended(0);
    let why = "`/bin/sh` ended with exit code 7, and said: 503 from pager; nobody was told of ";
    assert!(audit.stderr.contains("the hook failed at 20") && audit.stderr.contains(why), "{}", audit.stderr);
    let again = world.run(&["audit"]).ended(0);
    assert!(again.stderr.contains("the hook failed 2 times in a row since 20"), "{}", again.stderr);
    let json = world.run(&["doctor", "--json"]).ended(4).json();
    fits("doctor", &json);
    // On a slow machine the second audit lasts long enough to try it once more.
    let times = json["calls"]["failing"]["times"].as_u64().unwrap();
    assert!(times >= 2, "{json}");
    let doctor = world.run(&["doctor"]).ended(4);
    let problem = format!("problem: the hook failed {times} times in a row since 20");
    for told in [&problem, why, "called       nobody was called yet"] {
        assert!(doctor.out().contains(told), "{told}: {}", doctor.out());
    }
    assert!(json["calls"]["untold_high"].as_u64().unwrap() > 0, "{json}");
    fs::remove_file(world.path("down")).unwrap();
    world.file("more.jsonl", risky("rx-2", "CRITICAL"));
    world.run(&["import", "more.jsonl"]).ended(0);
    let audit = world.run(&["audit"]).ended(0);
    assert!(audit.stderr.contains("the hook works again: told at 20"), "{}", audit.stderr);
    let calls = calls(&world);
    assert_eq!(calls.len(), 1);
    assert!(ids(&calls[0]).contains(&"rx-1") && ids(&calls[0]).contains(&"rx-2"), "{calls:?}");
    assert_eq!(calls[0]["new"], calls[0]["repeats"], "rx-1 is new, rx-2 repeats it: {calls:?}");
    let doctor = world.run(&["doctor"]).ended(0);
    assert!(doctor.out().contains("called       told at 20"), "{}", doctor.out());
    let log = json["log"].as_str().unwrap();
    let log = fs::read_to_string(log).unwrap();
    assert!(log.contains("503 from pager; not told: ") && log.contains("the hook was told: "), "{log}");
}

#[test]
fn a_watch_tells_that_the_hook_fails_and_tries_it_again_though_nothing_new_arrives() {
    let world = with_failing_hook("hook_pause_s = 0\n");
    world.file("in.jsonl", risky("rx-1", "CRITICAL"));
    world.run(&["import", "in.jsonl"]).ended(0);
    let watch = world.command(&["audit", "--watch"]).spawn().unwrap();
    until("it failed", || {
        world.run(&["doctor", "--json"]).json()["calls"]["failing"]["times"].as_u64() >= Some(1)
    });
    fs::remove_file(world.path("down")).unwrap();
    until("it is told", || !calls(&world).is_empty());
    until("all know it", || world.run(&["doctor", "--json"]).json()["calls"]["failing"].is_null());
    std::thread::sleep(Duration::from_millis(500));
    let watch = end(watch).ended(130);
    let (fails, works) = (watch.stderr.find("the hook failed"), watch.stderr.find("the hook works again"));
    assert!(fails.is_some() && fails < works, "{}", watch.stderr);
    assert_eq!(calls(&world).len(), 1);
}

#[test]
fn a_hook_that_was_killed_or_hung_told_nobody() {
    let world = with_failing_hook("hook_pause_s = 0\n");
    let down = world.path("down").display().to_string();
    let calls_ = world.path(CALLS).display().to_string();
    world
        .file("page.sh", format!("if [ -e {down} ]; then kill -9 $$; fi; cat >> {calls_}; echo >> {calls_}"));
    world.file("in.jsonl", risky("rx-1", "CRITICAL"));
    world.run(&["import", "in.jsonl"]).ended(0);
    let audit = world.run(&["audit"]).ended(0);
    assert!(audit.stderr.contains("was ended by signal 9"), "{}", audit.stderr);
    // The program itself is killed while the hook runs.
    world.file("page.sh", format!("[ -e {down} ] && sleep 100; cat >> {calls_}; echo >> {calls_}"));
    let mut watch = world.command(&["audit", "--watch"]).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    watch.kill().unwrap();
    watch.wait().unwrap();
    fs::remove_file(world.path("down")).unwrap();
    world.run(&["audit"]).ended(0);
    assert_eq!(ids(&calls(&world)[0]).first(), Some(&"rx-1"));
}

#[test]
fn asking_whether_it_is_over_calls_nobody_while_somebody_is_on_duty() {
    let world = with_hook("hook_pause_s = 600\n");
    let watch = world.command(&["audit", "--watch"]).spawn().unwrap();
    let import = |id: &str| {
        world.file("in.jsonl", risky(id, "CRITICAL"));
        world.run(&["import", "in.jsonl"]).ended(0);
    };
    import("rx-1");
    until("the first is told", || calls(&world).len() == 1);
    import("rx-2");
    until("it is audited", || world.run(&["doctor", "--json"]).json()["calls"]["untold_high"] != 0);
    world.run(&["audit", "--fail-on", "HIGH", "--undisposed"]).ended(1);
    assert_eq!(calls(&world).len(), 1, "the watch tells it when the pause is over");
    end(watch).ended(130);
    assert_eq!(calls(&world).len(), 2, "whoever is the last tells what is left");
}
