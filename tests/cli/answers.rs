//! What holds for every command: help, exit codes, schemas, closed pipes, settings.

use std::fmt::Write as _;
use std::io::Read;

use juror::domain::decision::{HumanVerdict, ReasonCode};
use juror::domain::event::Act;
use juror::domain::finding::AuditState;
use juror::domain::verdict::{HallucinationType, MatchLevel, NoVerdict, Role, Severity, Verdict};
use serde_json::Value;

use crate::world::{World, fits, line};

#[test]
fn help_is_what_it_was_read_to_be() {
    let world = World::new();
    let mut help = String::new();
    for command in [
        "",
        "review",
        "import",
        "audit",
        "batch",
        "score",
        "stability",
        "queue",
        "decide",
        "exchanges",
        "export",
        "verify",
        "demo",
        "prompt",
        "prompt show",
        "doctor",
        "judge-report",
        "completions",
    ] {
        let arguments: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let run = world.run(&arguments).ended(0);
        writeln!(help, "──── juror {command} --help\n{}", run.out()).unwrap();
    }
    // What stands below the options is broken by hand: it must fit a terminal of the usual width.
    for part in help.split("────").filter_map(|part| part.split_once("\nEverywhere:")) {
        let below = part.1.split_once("\n\n").map_or("", |(_, below)| below);
        for line in below.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
    insta::assert_snapshot!(help);
}

#[test]
fn usage_errors_are_one_sentence_and_exit_2() {
    let world = World::new();
    for arguments in [
        ["frobnicate"].as_slice(),
        &["queue", "--frob"],
        &["export"],
        &["import"],
        &["export", "--what", "x"],
    ] {
        let run = world.run(arguments).ended(2);
        assert!(run.stderr.starts_with("juror: ") && run.out().is_empty(), "{}", run.stderr);
    }
    assert!(world.run(&["--version"]).ended(0).out().starts_with("juror "));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let world = World::new();
    let lines: Vec<String> = (0..2000).map(|n| line(&format!("r-{n}"), &"word ".repeat(100))).collect();
    world.file("a.jsonl", lines.join("\n"));
    world.run(&["import", "a.jsonl"]).ended(0);
    let mut child = world.command(&["export", "--what", "records"]).spawn().unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let run = crate::world::finish(child).ended(0);
    assert_eq!(run.stderr, "");
}

#[test]
fn a_closed_pipe_does_not_change_what_a_command_came_to() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    world.file("bad.jsonl", "no record\n");
    let cut = ["verify", "--head", "0123"].as_slice();
    for json in [false, true] {
        for (arguments, code) in [
            (["verify"].as_slice(), 0),
            (cut, 1),
            (&["audit", "--fail-on", "CONTRADICTED"], 1),
            (&["import", "bad.jsonl"], 2),
            (&["decide", "rx-1#99", "--confirm"], 2),
            (&["export", "--what", "claims"], 0),
        ] {
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            let mut command = world.command(arguments);
            command.args(json.then_some("--json")).stdout(writer);
            let run = crate::world::finish(command.spawn().unwrap()).ended(code);
            assert!(!run.stderr.contains("pipe"), "{arguments:?}: {}", run.stderr);
        }
    }
}

#[test]
fn an_exit_code_stands_when_nobody_reads_answer_or_errors() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    let side = |answer: &str| -> String {
        (0..40).map(|n| line(&format!("q-{n}"), answer) + "\n").collect::<Vec<_>>().concat()
    };
    world.file("a.jsonl", side("Take 4 g."));
    world.file("b.jsonl", side("Take 8 g."));
    world.file("bad.jsonl", "no record\n".repeat(200));
    let compare = |candidate: &'static str, more: &[&'static str]| {
        let given = ["compare", "--baseline", "a.jsonl", "--candidate", candidate, "--no-store"];
        given.into_iter().chain(more.iter().copied()).collect::<Vec<_>>()
    };
    for (arguments, code) in [
        (compare("bad.jsonl", &[]), 2),
        (compare("missing.jsonl", &[]), 2),
        (compare("b.jsonl", &["--max-increase", "0"]), 1),
        (compare("b.jsonl", &["--max-increase", "0", "--format", "html"]), 1),
        (compare("b.jsonl", &["--max-increase", "0", "--format", "json"]), 1),
        (compare("a.jsonl", &["--max-increase", "0"]), 0),
        (vec!["score", "bad.jsonl"], 2),
        (vec!["score", "bad.jsonl", "--json"], 2),
        (vec!["calibrate", "bad.jsonl"], 2),
        (vec!["agreement", "bad.jsonl"], 2),
        (vec!["judge-report", "bad.jsonl"], 2),
        (vec!["import", "bad.jsonl"], 2),
        (vec!["audit", "--fail-on", "CONTRADICTED"], 1),
        (vec!["verify", "--head", "0123"], 1),
        (vec!["decide", "rx-1#99", "--confirm"], 2),
        (vec!["nonsense"], 2),
    ] {
        for errors_too in [false, true] {
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            let mut command = world.command(&arguments);
            if errors_too {
                command.stderr(writer.try_clone().unwrap());
            }
            let status = command.stdout(writer).status().unwrap();
            assert_eq!(status.code(), Some(code), "{arguments:?}, errors unread too: {errors_too}");
        }
    }
}

#[test]
fn settings_come_from_the_file_and_a_wrong_one_names_its_line() {
    let world = World::new();
    world.file("juror.toml", "annotator = 'from-file'\n[routing]\nspot_check = 0.5\n");
    let doctor = world
        .command(&["--config", "juror.toml", "doctor", "--json"])
        .env_remove("JUROR_ANNOTATOR")
        .env_remove("JUROR_ROUTING_SPOT_CHECK")
        .spawn()
        .unwrap();
    let json = crate::world::finish(doctor).ended(0).json();
    fits("doctor", &json);
    assert_eq!(json["person"]["annotator"], "from-file");
    let origin =
        json["settings"].as_array().unwrap().iter().find(|row| row["name"] == "routing.spot_check").unwrap();
    assert_eq!(origin["origin"], "juror.toml:3");
    world.file("juror.toml", "annotator = 'a'\nthem = 'dark'\n");
    let run = world.run(&["--config", "juror.toml", "doctor"]).ended(2);
    assert!(
        run.stderr.starts_with("juror: juror.toml:2: unknown setting `them`: use one of db, annotator"),
        "{}",
        run.stderr
    );
    let run = world.run(&["--judge", "gpt", "queue"]).ended(2);
    assert!(
        run.stderr.contains("flag --judge") && run.stderr.contains("use `local`.\nTo define one"),
        "{}",
        run.stderr
    );
}

#[test]
fn doctor_looks_and_touches_nothing() {
    let world = World::new();
    let json = world.run(&["doctor", "--json"]).ended(0).json();
    fits("doctor", &json);
    assert_eq!(json["store"]["exists"], false);
    assert!(!world.db().exists());
    world.file("a.jsonl", line("a", "x"));
    world.run(&["import", "a.jsonl"]).ended(0);
    let json = world.run(&["doctor", "--json"]).ended(0).json();
    fits("doctor", &json);
    assert_eq!((&json["store"]["mode"], &json["store"]["counts"]["waiting"]), (&"600".into(), &1.into()));
    let world = World::new();
    world.file("juror.db", "this is no database, but a text that is longer than a header");
    let run = world.run(&["doctor", "--json"]).ended(2);
    assert!(run.json()["problems"][0].as_str().unwrap().contains("juror.db"), "{}", run.out());
    assert!(world.run(&["queue"]).ended(2).stderr.contains("is not a juror store"));
}

#[test]
fn doctor_tells_of_a_missing_guard_and_of_lines_that_stayed_in_the_inbox() {
    let world = World::new();
    world.audited(&[line("a", "x")]);
    let sound = world.run(&["doctor", "--json"]).ended(0).json();
    assert_eq!((&sound["store"]["guards"], &sound["problems"]), (&true.into(), &serde_json::json!([])));
    let sql = rusqlite::Connection::open(world.db()).unwrap();
    sql.execute_batch("INSERT INTO inbox (line) VALUES ('no record'); DROP TRIGGER event_no_update").unwrap();
    world.run(&["audit"]).ended(0);
    let json = world.run(&["doctor", "--json"]).ended(0).json();
    fits("doctor", &json);
    let store = &json["store"];
    assert_eq!((&store["guards"], &store["counts"]["inbox_rejected"]), (&false.into(), &1.into()));
    assert!(store["inbox_rejected"][0]["reason"].as_str().unwrap().contains("begins `no record`"), "{store}");
    let text = world.run(&["doctor"]).ended(0);
    for part in [
        "problem: trigger event_no_update is missing from the schema: ",
        "run `juror verify`",
        "problem: 1 line(s) of the table `inbox`",
        "  inbox 1: this is not JSON Lines",
    ] {
        assert!(text.out().contains(part), "{part}\n{}", text.out());
    }
}

#[test]
fn a_newer_store_is_refused_in_a_sentence() {
    let world = World::new();
    world.file("a.jsonl", line("a", "x"));
    world.run(&["import", "a.jsonl"]).ended(0);
    rusqlite::Connection::open(world.db()).unwrap().pragma_update(None, "user_version", 999).unwrap();
    for arguments in
        [["queue"].as_slice(), &["import", "a.jsonl"], &["verify"], &["export", "--what", "records"]]
    {
        let run = world.run(arguments).ended(2);
        assert!(run.stderr.contains("written by a newer juror (schema 999"), "{}", run.stderr);
    }
}

#[test]
fn audit_and_demo_answer_in_the_shipped_schemas() {
    let world = World::new();
    world.file("a.jsonl", line("a", "Take 8 g in 24 hours. Does it help?"));
    world.run(&["import", "a.jsonl"]).ended(0);
    let audit = world.run(&["audit", "--json"]).ended(0).json();
    fits("audit", &audit);
    assert_eq!(audit["audited"], 1);
    fits("queue", &world.run(&["queue", "--json"]).ended(0).json());
    for row in world.run(&["export", "--what", "claims"]).ended(0).lines() {
        fits("claim", &row);
    }
    let mut demo = world.run(&["demo", "--json"]).ended(0).json();
    fits("demo", &demo);
    let mut again = world.run(&["demo", "--json"]).ended(0).json();
    for printed in [&mut demo, &mut again] {
        printed["seconds"] = 0.into();
    }
    assert_eq!(demo, again, "the demo prints the same every time");
    assert!(demo["open_critical"].as_u64() > Some(0), "{demo}");
}

#[test]
fn the_screen_needs_a_terminal_and_says_what_to_use_instead() {
    let world = World::new();
    for arguments in [[].as_slice(), &["review"]] {
        let run = world.run(arguments).ended(2);
        assert!(
            run.stderr.contains("needs a terminal") && run.stderr.contains("juror queue"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn completions_are_printed_for_every_shell() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(world.run(&["completions", shell]).ended(0).out().contains("import"), "{shell}");
    }
}

/// Every list of labels in `schema` that shares a label with `labels` is exactly `labels`, in any order,
/// with or without `null`.
fn names_every_label(schema: &Value, labels: &[&str], found: &mut usize) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Array(values)) = fields.get("enum") {
                let mut listed: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
                let mut labels = labels.to_vec();
                listed.sort_unstable();
                labels.sort_unstable();
                *found += usize::from(listed == labels);
            }
            fields.values().for_each(|value| names_every_label(value, labels, found));
        }
        Value::Array(values) => values.iter().for_each(|value| names_every_label(value, labels, found)),
        _ => {}
    }
}

#[test]
fn j45_the_schemas_name_exactly_the_labels_that_the_program_writes() {
    let read = |name: &str| -> Value {
        let path = format!("{}/assets/schemas/{name}.json", env!("CARGO_MANIFEST_DIR"));
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    };
    let states: Vec<&str> = [AuditState::Judged, AuditState::Ungrounded]
        .into_iter()
        .chain(NoVerdict::ALL.iter().copied().map(AuditState::NoVerdict))
        .map(AuditState::label)
        .chain([juror::format::out::DAMAGED])
        .collect();
    macro_rules! labels {
        ($name:ident) => {
            $name::ALL.iter().map(|label| label.label()).collect::<Vec<_>>()
        };
    }
    for (schema, labels) in [
        ("claim", labels!(Verdict)),
        ("claim", labels!(HumanVerdict)),
        ("claim", labels!(Severity)),
        ("claim", labels!(HallucinationType)),
        ("claim", labels!(Role)),
        ("claim", labels!(MatchLevel)),
        ("claim", labels!(ReasonCode)),
        ("claim", states.clone()),
        ("score", labels!(NoVerdict)),
        ("queue", labels!(NoVerdict)),
        // In a blind review what the judge says is HIDDEN.
        ("queue", states.iter().copied().take(states.len() - 1).chain(["HIDDEN", "DAMAGED"]).collect()),
        ("event", labels!(Act)),
        ("decide", labels!(Act)),
    ] {
        let mut found = 0;
        names_every_label(&read(schema), &labels, &mut found);
        assert!(found > 0, "{schema}.json does not list {labels:?}");
    }
}

#[test]
fn doctor_warns_of_a_terminal_that_cannot_show_the_screen() {
    let world = World::new();
    let mut command = world.command(&["doctor", "--json"]);
    command.env("LC_ALL", "C").env("TERM", "vt100");
    let told: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    let problems = told["problems"].to_string();
    assert!(problems.contains("the locale is C") && problems.contains("TERM is `vt100`"), "{problems}");
    let mut command = world.command(&["doctor", "--json"]);
    command.env("LC_ALL", "en_GB.UTF-8").env("TERM", "xterm-256color");
    let told: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    assert_eq!(told["problems"], serde_json::json!([]));
}
