//! Queue, decisions, undo, verification.

use serde_json::Value;

use crate::world::{World, fits, line, risky};

fn three() -> World {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), risky("rx-2", "HIGH")]);
    world
}

#[test]
fn the_queue_lists_the_dangerous_first_with_evidence_in_characters() {
    let world = three();
    let json = world.run(&["queue", "--json"]).ended(0).json();
    fits("queue", &json);
    let ids: Vec<&str> = json.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["rx-2#1", "rx-1#1", "rx-2#3", "rx-1#3", "rx-2#2"]);
    let first = &json[0];
    assert_eq!((&first["verdict"], &first["severity"]), (&"CONTRADICTED".into(), &"CRITICAL".into()));
    let evidence = &first["evidence"][0];
    let passage: Vec<char> = "💊 At most 4 g in 24 hours.".chars().collect();
    let (start, end) =
        (evidence["start"].as_u64().unwrap() as usize, evidence["end"].as_u64().unwrap() as usize);
    assert_eq!(passage[start..end].iter().collect::<String>(), evidence["quote"].as_str().unwrap());
    let last = json.as_array().unwrap().iter().find(|row| row["id"] == "rx-1#3").unwrap();
    assert_eq!((&last["verdict"], &last["state"]), (&Value::Null, &"NOT_CHECKED".into()));
    assert_eq!(world.run(&["queue", "--json", "--limit", "1"]).json().as_array().unwrap().len(), 1);
}

#[test]
fn the_table_is_for_people() {
    let world = three();
    insta::assert_snapshot!(world.run(&["queue"]).ended(0).out());
    let run = world.run(&["queue", "--limit", "1"]).ended(0);
    assert_eq!(run.out().lines().count(), 2);
    assert!(run.stderr.contains("1 of 5 open claims"), "{}", run.stderr);
}

#[test]
fn r28_r44_an_empty_queue_says_why() {
    let world = World::new();
    assert!(world.run(&["queue"]).ended(2).stderr.contains("no store at"));
    world.file("a.jsonl", line("a", "x"));
    world.run(&["import", "a.jsonl"]).ended(0);
    assert!(world.run(&["queue"]).ended(0).out().contains("1 records wait for their audit"));
    assert_eq!(world.run(&["queue", "--json"]).ended(0).out(), "[]\n");
    let claims = world.run(&["export", "--what", "claims"]).ended(0);
    assert!(claims.stderr.contains("nothing to export: 1 records wait"), "{}", claims.stderr);
}

#[test]
fn decisions_are_recorded_under_a_name_and_undone_over_restarts() {
    let world = three();
    let done =
        world.run(&["decide", "rx-1#1", "--confirm", "--reason", "number-wrong", "--json"]).ended(0).json();
    fits("decide", &done);
    assert_eq!(done["events"].as_array().unwrap().len(), 1, "the reason is part of the decision");
    assert_eq!(done["events"][0]["reason"], "NUMBER_WRONG");
    assert_eq!(done["standing"]["review"], "CONFIRMED");
    assert_eq!(done["standing"]["reason"], "NUMBER_WRONG");
    let done = world
        .run(&[
            "decide",
            "rx-1#1",
            "--override",
            "unsupported",
            "--severity",
            "high",
            "--type",
            "fabrication",
            "--disagree",
            "--by",
            "ben",
            "--json",
        ])
        .ended(0)
        .json();
    fits("decide", &done);
    assert_eq!(done["events"][0]["annotator"], "ben");
    assert_ne!(done["events"][0]["os_user"], "ben", "the system's user is stored beside the name");
    assert_eq!(done["standing"]["verdict"], "UNSUPPORTED");
    for act in ["--skip", "--flag"] {
        fits("decide", &world.run(&["decide", "rx-2#1", act, "--json"]).ended(0).json());
    }
    fits("decide", &world.run(&["decide", "rx-2#1", "--note", "see BNF", "--json"]).ended(0).json());
    let undone = world.run(&["decide", "--undo", "--by", "ben", "--json"]).ended(0).json();
    fits("decide", &undone);
    assert_eq!((&undone["undone"]["act"], &undone["standing"]), (&"OVERRIDE".into(), &Value::Null));
    let run = world.run(&["decide", "--undo", "--by", "ben"]).ended(2);
    assert!(run.stderr.contains("nothing to undo"), "{}", run.stderr);
    let report = world.run(&["verify", "--json"]).ended(0).json();
    fits("verify", &report);
    assert_eq!(report["sound"], true);
}

#[test]
fn claims_are_deferred_escalated_counted_and_explained() {
    let world = three();
    let done = world.run(&["decide", "rx-1#1", "--defer", "2h", "--json"]).ended(0).json();
    fits("decide", &done);
    assert!(done["deferred_until"].is_string(), "{done}");
    let queue = |arguments: &[&str]| {
        let rows = world.run(&[&["queue", "--json"], arguments].concat()).ended(0).json();
        fits("queue", &rows);
        let ids: Vec<String> =
            rows.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
        (ids, rows)
    };
    assert!(!queue(&[]).0.contains(&"rx-1#1".to_owned()));
    assert_eq!(queue(&["--filter", "deferred:*"]).0, ["rx-1#1"]);
    assert!(queue(&["--by", "ben"]).0.contains(&"rx-1#1".to_owned()), "for others it stays open");
    let counts = world.run(&["queue", "--counts", "--json"]).ended(0).json();
    fits("queue_counts", &counts);
    assert_eq!(counts["deferred"], 1);
    let said = world.run(&["queue", "--counts"]).ended(0);
    assert!(said.out().contains("1 of them deferred by you, the first until "), "{}", said.out());
    world.run(&["decide", "rx-1#1", "--resume"]).ended(0);
    let escalate = ["decide", "rx-1#1", "--escalate", "is it right?", "--to", "dr-lee", "--json"];
    fits("decide", &world.run(&escalate).ended(0).json());
    let (ids, rows) = queue(&["--filter", "to:dr-lee"]);
    assert_eq!((ids, &rows[0]["flags"][0]["note"]), (vec!["rx-1#1".to_owned()], &"is it right?".into()));
    world.run(&["decide", "rx-1#1", "--confirm", "--by", "ben"]).ended(0);
    world.run(&["decide", "rx-1#1", "--confirm"]).ended(0);
    for filter in ["to:dr-lee", "flag:*"] {
        assert_eq!(queue(&["--filter", filter]).0, ["rx-1#1"], "an escalation outlives decisions");
    }
    let exported = world.run(&["export", "--what", "claims"]).ended(0).lines();
    let escalated = exported.iter().find(|claim| claim["id"] == "rx-1#1").unwrap();
    fits("claim", escalated);
    assert_eq!(escalated["flags"][0]["note"], "is it right?");
    assert_eq!(escalated["flags"][0]["to"], "dr-lee");
    for (arguments, says) in [
        (["--defer", "soon"], "`soon` is no time: use 30m"),
        (["--defer", "2001-01-01"], "still to come"),
        (["--escalate", " "], "the note is empty"),
    ] {
        let run = world.run(&[&["decide", "rx-1#1"], arguments.as_slice()].concat()).ended(2);
        assert!(run.stderr.contains(says), "{}", run.stderr);
    }
    let explained = world.run(&["queue", "--explain", "rx-2#1", "--json"]).ended(0).json();
    fits("queue_explain", &explained);
    assert_eq!(explained["before"], 0);
    let said = world.run(&["queue", "--explain", "rx-2#1"]).ended(0);
    assert!(said.out().contains("rx-2#1: the first of the queue\n  severity "), "{}", said.out());
    world.run(&["queue", "--explain", "rx-9#1"]).ended(2);
    assert_eq!(world.run(&["verify", "--json"]).ended(0).json()["sound"], true);
}

#[test]
fn what_is_recorded_is_said_in_words() {
    let world = three();
    let mut said = String::new();
    for arguments in [
        ["rx-1#1", "--confirm"].as_slice(),
        &["rx-1#1", "--give-reason", "DATE_WRONG"],
        &["rx-1#3", "--override", "CANNOT_JUDGE"],
        &["rx-1#3", "--flag"],
        &["--undo"],
        &["rx-1", "--dispose", "BLOCK"],
    ] {
        said.push_str(world.run(&[["decide"].as_slice(), arguments].concat()).ended(0).out());
    }
    insta::assert_snapshot!(said);
}

/// Not what stood before the act: somebody else may have acted since.
#[test]
fn an_undo_says_what_stands_now() {
    let world = three();
    for id in ["rx-1#1", "rx-1#2", "rx-1#3"] {
        world.run(&["decide", id, "--override", "UNSUPPORTED"]).ended(0);
    }
    world.run(&["decide", "rx-1", "--dispose", "BLOCK"]).ended(0);
    let instead = ["decide", "rx-1", "--dispose", "RETURN", "--by", "ben"];
    let why = world.run(&instead).ended(2).stderr;
    assert!(why.contains("ana gave rx-1 BLOCK at ") && why.contains("--anyway"), "{why}");
    let why = world.run(&[&instead[..], &["--anyway"]].concat()).ended(2).stderr;
    assert!(why.contains("ana gave rx-1 BLOCK: say beside RETURN why"), "{why}");
    world.run(&[&instead[..], &["--anyway", "--note", "the dose is right"]].concat()).ended(0);
    let said = world.run(&["decide", "--undo"]).ended(0);
    assert!(said.out().ends_with("DISPOSE of event 4 taken back; ben: RETURN stands\n"), "{}", said.out());
    let undone = world.run(&["decide", "--undo", "--by", "ben", "--json"]).ended(0).json();
    fits("decide", &undone);
    assert_eq!(undone["disposition"], Value::Null);
    let said = world.run(&["decide", "--undo"]).ended(0);
    assert!(said.out().ends_with("taken back; ana: no decision stands\n"), "{}", said.out());
    let done = world.run(&["decide", "rx-1#3", "--override", "UNSUPPORTED"]).ended(0);
    assert_eq!(done.stderr, "");
    let done = world.run(&["decide", "rx-1", "--dispose", "RETURN", "--json"]).ended(0).json();
    fits("decide", &done);
    assert_eq!(done["disposition"]["disposition"], "RETURN");
}

#[test]
fn a_reason_goes_with_every_act() {
    let world = three();
    let reason = ["--reason", "span-wrong"].as_slice();
    for arguments in [
        ["decide", "rx-1#1", "--note", "n"].as_slice(),
        &["decide", "rx-1#1", "--skip"],
        &["decide", "rx-1#1", "--flag"],
        &["decide", "rx-1#1", "--confirm"],
        &["decide", "rx-1#2", "--override", "UNSUPPORTED"],
        &["decide", "rx-1#3", "--override", "UNSUPPORTED"],
        &["decide", "rx-1", "--dispose", "BLOCK"],
        &["decide", "--undo"],
    ] {
        let arguments = [arguments, reason].concat();
        world.run(&arguments).ended(0);
    }
    let events = world.run(&["export", "--what", "decisions"]).ended(0).lines();
    assert_eq!(events.len(), 8);
    for event in &events {
        fits("event", event);
        assert_eq!(event["reason"], "SPAN_WRONG", "{event}");
    }
    world.run(&["decide", "rx-1#1", "--give-reason", "OTHER", "--reason", "OTHER"]).ended(2);
    world.run(&["verify"]).ended(0);
}

#[test]
fn refusals_say_why_and_change_nothing() {
    let world = three();
    for (arguments, reason) in [
        (["decide", "rx-1#3", "--confirm"].as_slice(), "verdict"),
        (&["decide", "rx-9#1", "--confirm"], "no claim `rx-9#1`"),
        (&["decide", "rx-1", "--confirm"], "AUDIT_ID#n"),
        (&["decide", "rx-1#1", "--give-reason", "OTHER"], "decide first"),
        (&["decide", "rx-1#1", "--note", "  "], "note"),
        (&["decide", "rx-1", "--dispose", "RELEASE"], "open"),
        (&["decide", "rx-9", "--dispose", "RELEASE"], "no record `rx-9`"),
        (&["decide", "rx-1#1", "--override", "maybe"], "FULLY_SUPPORTED"),
        (&["decide", "rx-1#1", "--confirm", "--skip"], "cannot be used with"),
        (&["decide", "rx-1#1", "--confirm", "--severity", "LOW"], "--override"),
        (&["decide", "--confirm"], "ID"),
        (&["decide", "rx-1#1", "--confirm", "--by", " "], "annotator"),
    ] {
        let run = world.run(arguments).ended(2);
        assert!(run.stderr.contains(reason), "{arguments:?}: {}", run.stderr);
    }
    assert_eq!(world.run(&["verify", "--json"]).ended(0).json()["events"], 0);
}

#[test]
fn a_claim_that_is_not_there_yet_is_told_from_one_that_never_was() {
    let world = three();
    world.file("new.jsonl", line("new-1", "Take 8 g."));
    world.run(&["import", "new.jsonl"]).ended(0);
    let said = |id: &str| world.run(&["decide", id, "--confirm"]).ended(2).stderr;
    assert!(said("new-1#1").contains("the record `new-1` waits for its audit, run `juror audit`"));
    assert!(said("rx-1#9").contains("the claims of this record are `rx-1#1` to `#3`"), "{}", said("rx-1#9"));
    assert!(said("nowhere#1").contains("no claim `nowhere#1` in this store"));
}

#[test]
fn verify_names_what_was_changed_and_finds_a_noted_head() {
    let world = three();
    world.run(&["decide", "rx-1#1", "--confirm"]).ended(0);
    let head = world.run(&["verify", "--json"]).ended(0).json()["head"].as_str().unwrap().to_owned();
    world.run(&["decide", "rx-2#1", "--confirm"]).ended(0);
    world.run(&["verify", "--head", &head]).ended(0);
    let run = world.run(&["verify", "--head", &"0a".repeat(32)]).ended(1);
    assert!(run.stderr.contains("cut off"), "{}", run.stderr);
    let sql = rusqlite::Connection::open(world.db()).unwrap();
    sql.execute_batch("DROP TRIGGER event_no_update; UPDATE event SET annotator = 'eve' WHERE seq = 1")
        .unwrap();
    let run = world.run(&["verify"]).ended(1);
    assert!(run.stderr.contains("juror: ") && run.stderr.contains('1'), "{}", run.stderr);
    // Standard output alone, as somebody keeps it, does not pass for that of a good run.
    assert!(run.out().starts_with("VERIFICATION FAILED: "), "{}", run.out());
    fits("verify", &world.run(&["verify", "--json"]).ended(1).json());
}

#[test]
fn an_undo_with_an_id_takes_back_the_latest_act_on_it_or_says_what_comes_first() {
    let world = three();
    world.run(&["decide", "rx-1#1", "--confirm"]).ended(0);
    world.run(&["decide", "rx-2#1", "--confirm"]).ended(0);
    let undone = world.run(&["decide", "rx-1#1", "--undo", "--json"]).ended(0).json();
    assert_eq!(undone["undone"]["subject"], "rx-1#1", "whatever was done elsewhere since");
    world.run(&["decide", "rx-1#1", "--redo"]).ended(0);
    let run = world.run(&["decide", "rx-2#3", "--undo"]).ended(2);
    assert!(run.stderr.contains("nothing to undo: no act of `ana` on rx-2#3 stands"), "{}", run.stderr);
    assert!(world.run(&["decide", "rx-9#1", "--undo"]).ended(2).stderr.contains("no claim `rx-9#1`"));
    assert!(world.run(&["decide", "rx-9", "--undo"]).ended(2).stderr.contains("no record `rx-9`"));
    world.run(&["decide", "rx-2#1", "--undo", "--by", "ben"]).ended(2);
    let undone = world.run(&["decide", "rx-2#1", "--undo", "--json"]).ended(0).json();
    fits("decide", &undone);
    assert_eq!((&undone["subject"], &undone["undone"]["act"]), (&"rx-2#1".into(), &"CONFIRM".into()));
    world.run(&["decide", "rx-1#1", "--undo"]).ended(0);
    for claim in ["rx-1#1", "rx-1#3"] {
        world.run(&["decide", claim, "--override", "CANNOT_JUDGE"]).ended(0);
    }
    world.run(&["decide", "rx-1", "--dispose", "BLOCK"]).ended(0);
    let run = world.run(&["decide", "rx-1#3", "--undo"]).ended(2);
    assert!(run.stderr.contains("DISPOSE on rx-1 later"), "{}", run.stderr);
    world.run(&["decide", "rx-1", "--undo"]).ended(0);
    world.run(&["verify"]).ended(0);
}

#[test]
fn the_queue_is_searched_for_words_and_decided_claims_are_found_too() {
    let world = three();
    world.run(&["decide", "rx-1#1", "--confirm"]).ended(0);
    let json = world.run(&["queue", "--search", "8 g", "--json"]).ended(0).json();
    fits("queue", &json);
    let found: Vec<_> = json
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["id"].as_str().unwrap(), row["review"].as_str().unwrap()))
        .collect();
    assert!(found.contains(&("rx-2#1", "OPEN")) && found.contains(&("rx-1#1", "CONFIRMED")), "{found:?}");
    let table = world.run(&["queue", "--search", "knows", "--limit", "1"]).ended(0);
    assert_eq!(table.out().lines().count(), 2, "{}", table.out());
    assert!(table.stderr.contains("the first 1 of "), "{}", table.stderr);
    for nothing in ["zebra", "\"", "(", "NEAR(", "*", "claim_text:", " ", "\u{1b}[2J"] {
        let run = world.run(&["queue", "--search", nothing]).ended(0);
        assert!(run.out().starts_with("no claim with"), "{nothing:?}: {}", run.out());
        assert_eq!(world.run(&["queue", "--search", nothing, "--json"]).ended(0).out(), "[]\n");
    }
}

#[test]
fn the_queue_is_filtered_by_a_query() {
    let world = three();
    world.run(&["decide", "rx-1#1", "--confirm", "--by", "ben"]).ended(0);
    world.run(&["decide", "rx-2#1", "--note", "see the leaflet"]).ended(0);
    let ids = |arguments: &[&str]| {
        let json = world.run(&[&["queue", "--json"], arguments].concat()).ended(0).json();
        fits("queue", &json);
        let rows = json.as_array().unwrap();
        rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&["--filter", "by:ben"]), ["rx-1#1"]);
    assert_eq!(ids(&["--filter", "note:*"]), ["rx-2#1"]);
    assert_eq!(ids(&["--filter", "-id:rx* by:ben"]), Vec::<String>::new());
    assert_eq!(ids(&["--filter", "id:rx-2 note:leaflet", "--search", "8 g"]), ["rx-2#1"]);
    assert_eq!(ids(&["--filter", "id:rx-2", "--search", "8 zebra"]), Vec::<String>::new());
    assert_eq!(ids(&["--filter", "verdict:contradicted id:rx-1"]), Vec::<String>::new(), "open ones only");
    let none = world.run(&["queue", "--filter", "id:rx-1 by:nobody"]).ended(0);
    assert_eq!(none.out(), "no claim with `id:rx-1 by:nobody`\n");
    let open = world.run(&["queue", "--filter", "verdict:contradicted id:rx-1"]).ended(0);
    assert!(open.out().contains("is:any looks at the decided"), "{}", open.out());
    let wrong = world.run(&["queue", "--filter", "severity>=hgh"]).ended(2);
    for part in ["at character 11", "`hgh` is not a severity", "low, medium, high, critical, none"] {
        assert!(wrong.stderr.contains(part), "{}", wrong.stderr);
    }
}

#[test]
fn a_name_that_cannot_be_told_from_another_is_refused_wherever_it_comes_from() {
    let world = three();
    for name in ["an\u{200b}a", "\u{202e}ana", "ana\u{200d}", "a\u{ad}na", "\u{feff}ana", "an\u{3164}a"] {
        let by = world.run(&["decide", "rx-1#1", "--confirm", "--by", name]).ended(2);
        assert!(by.stderr.contains("flag --by: `annotator`"), "{name:?}: {}", by.stderr);
        let variable = world.command(&["queue"]).env("JUROR_ANNOTATOR", name).spawn().unwrap();
        let run = crate::world::finish(variable).ended(2);
        assert!(run.stderr.contains("JUROR_ANNOTATOR: `annotator`"), "{name:?}: {}", run.stderr);
        world.file("juror.toml", format!("annotator = \"{name}\"\n"));
        let file = world.command(&["--config", "juror.toml", "queue"]).env_remove("JUROR_ANNOTATOR").spawn();
        let run = crate::world::finish(file.unwrap()).ended(2);
        assert!(run.stderr.contains("juror.toml:1: `annotator`"), "{name:?}: {}", run.stderr);
    }
    for name in ["Zoë Müller", "山田太郎", "می\u{200c}خواهم"] {
        world.run(&["decide", "rx-1#1", "--confirm", "--by", name]).ended(0);
    }
}

/// A store on a medium that cannot be written: copied into a folder that is not ours.
#[test]
fn a_store_in_a_read_only_folder_is_read_as_it_stands() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let world = three();
    let shelf = world.path("shelf");
    std::fs::create_dir(&shelf).unwrap();
    let db = shelf.join("juror.db");
    std::fs::copy(world.db(), &db).unwrap();
    let home = world.path("home");
    std::fs::create_dir(&home).unwrap();
    let mode = |path: &std::path::Path, mode| set_permissions(path, Permissions::from_mode(mode)).unwrap();
    mode(&world.path(""), 0o755);
    mode(&home, 0o777);
    mode(&db, 0o444);
    mode(&shelf, 0o555);
    let run = |arguments: &[&str]| {
        let mut command = world.command(arguments);
        command.env("JUROR_DB", &db).env("HOME", &home);
        if rustix::process::geteuid().is_root() {
            // Permissions do not hold root back: somebody else reads it.
            command.uid(65534).gid(65534);
        }
        crate::world::finish(command.spawn().unwrap())
    };
    for arguments in [&["verify"][..], &["queue"], &["export", "--what", "records"]] {
        let read = run(arguments).ended(0);
        assert!(!read.stdout.is_empty(), "{arguments:?}");
        assert!(read.stderr.contains("it is read as it stands"), "{}", read.stderr);
    }
    let refused = run(&["decide", "rx-1#1", "--confirm"]).ended(4);
    assert!(refused.stderr.contains("is read-only for you"), "{}", refused.stderr);
    let refused = run(&["review", "--plain"]).ended(4);
    let works = "`juror queue`, `juror show ID` and `juror export` read it as it is";
    assert!(refused.stderr.contains(works), "{}", refused.stderr);
    // A log beside it may hold what the file does not: then it is not read without it.
    mode(&shelf, 0o755);
    std::fs::write(shelf.join("juror.db-wal"), b"").unwrap();
    mode(&shelf, 0o555);
    let refused = run(&["verify"]).ended(4);
    assert!(refused.stderr.contains("copy it to a folder of yours"), "{}", refused.stderr);
    mode(&shelf, 0o755);
}

/// Hashes can be made anew by whoever can write the file; a mark that is kept elsewhere cannot.
#[test]
fn a_noted_content_mark_shows_changes_to_what_nobody_has_decided_on() {
    let world = three();
    let noted = world.run(&["verify", "--json"]).ended(0).json()["content"].as_str().unwrap().to_owned();
    assert!(noted.starts_with("2.2."), "two records, two audits: {noted}");
    assert!(world.run(&["verify"]).ended(0).out().contains(&format!("content {noted}")));
    world.run(&["decide", "rx-1#1", "--confirm"]).ended(0);
    world.audited(&[line("rx-3", "Take 2 g.")]);
    let later = world.run(&["verify", "--content", &noted, "--json"]).ended(0).json();
    fits("verify", &later);
    assert!(later["content"].as_str().unwrap().starts_with("3.3."), "{later}");
    world.run(&["verify", "--content", "2.2.nonsense"]).ended(2);
    rusqlite::Connection::open(world.db())
        .unwrap()
        .execute_batch(
            "DROP TRIGGER run_no_update; UPDATE run SET sha256 = replace(sha256, substr(sha256, 1, 1), 'z') WHERE id = 1",
        )
        .unwrap();
    let says = |run: crate::world::Run| run.ended(1).stderr.contains("are not the ones of the content mark");
    assert!(says(world.run(&["verify", "--content", &noted])));
    assert!(!says(world.run(&["verify"])), "only a noted mark can tell");
}

#[test]
fn an_override_proposes_the_severity_that_goes_with_its_own_verdict() {
    let world = World::new();
    let claim = r#"{"audit_id":"rx-7","generated_answer":"Adults may take paracetamol with the patient's other drugs.","evidence_passages":[{"passage_id":"p1","content":"Adults may take paracetamol."}]}"#;
    world.file("a.jsonl", claim);
    world.run(&["import", "a.jsonl"]).ended(0);
    world.run(&["audit"]).ended(0);
    let ruled = |verdict: &str| {
        let done = world.run(&["decide", "rx-7#1", "--override", verdict, "--json"]).ended(0).json();
        done["standing"]["severity"].clone()
    };
    assert_eq!(ruled("CONTRADICTED"), "CRITICAL", "a contradicted fact of health");
    world.run(&["audit", "--fail-on", "CRITICAL"]).ended(1);
    assert_ne!(ruled("UNSUPPORTED"), "CRITICAL");
    world.run(&["audit", "--fail-on", "CRITICAL"]).ended(0);
}

#[test]
fn a_release_against_a_standing_ruling_takes_a_flag() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    world.run(&["decide", "rx-1#1", "--confirm"]).ended(0);
    let release = ["decide", "rx-1", "--dispose", "RELEASE"];
    for verdict in ["PARTIALLY_SUPPORTED", "CANNOT_JUDGE"] {
        world.run(&["decide", "rx-1#3", "--override", verdict]).ended(0);
        let run = world.run(&release).ended(2);
        assert!(run.stderr.contains("rx-1#1, rx-1#3 stand without full support"), "{}", run.stderr);
    }
    world.run(&["decide", "rx-1#3", "--override", "UNSUPPORTED"]).ended(0);
    let run = world.run(&release).ended(2);
    assert!(run.stderr.contains("rx-1#1, rx-1#3 stand against the evidence"), "{}", run.stderr);
    assert!(
        run.stderr.contains("the first: CONTRADICTED") && run.stderr.contains("--anyway"),
        "{}",
        run.stderr
    );
    world.run(&["decide", "rx-1", "--dispose", "BLOCK"]).ended(0);
    let anyway = [release.as_slice(), &["--anyway"]].concat();
    let run = world.run(&anyway).ended(2);
    assert!(
        run.stderr.contains("people ruled against rx-1#1, rx-1#3: say beside RELEASE why"),
        "{}",
        run.stderr
    );
    world.run(&[anyway.as_slice(), &["--note", "no other leaflet"]].concat()).ended(0);
    for claim in world.run(&["export", "--what", "claims"]).ended(0).lines() {
        fits("claim", &claim);
        let disposed = &claim["disposition"];
        assert_eq!((&disposed["value"], &disposed["annotator"]), (&"RELEASE".into(), &"ana".into()));
    }
    world.run(&["decide", "rx-1#1", "--confirm", "--anyway"]).ended(2);
}

#[test]
fn a_verdict_and_a_note_are_one_command() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    let verdict = ["decide", "rx-1#1", "--override", "UNSUPPORTED", "--note"];
    let run = world.run(&[verdict.as_slice(), &["  "]].concat()).ended(2);
    assert!(run.stderr.contains("nothing was recorded"), "{}", run.stderr);
    let done = world.run(&[verdict.as_slice(), &["see BNF 84", "--json"]].concat()).ended(0).json();
    fits("decide", &done);
    let acts: Vec<_> = done["events"].as_array().unwrap().iter().map(|event| event["act"].clone()).collect();
    assert_eq!(acts, ["OVERRIDE", "ANNOTATE"]);
    assert_eq!(done["standing"]["verdict"], "UNSUPPORTED");
    world.run(&["decide", "rx-1#1", "--skip", "--note", "later"]).ended(2);
}

#[test]
fn an_answer_that_nobody_looked_at_is_released_with_a_flag_alone() {
    let world = World::new();
    let line = r#"{"audit_id":"rx-8","generated_answer":"Take 4 g daily.","evidence_passages":[{"passage_id":"p1","content":"Take 4 g daily."}]}"#;
    world.file("a.jsonl", line);
    world.run(&["import", "a.jsonl"]).ended(0);
    world.run(&["audit"]).ended(0);
    let release = ["decide", "rx-8", "--dispose", "RELEASE"];
    let run = world.run(&release).ended(2);
    assert!(run.stderr.contains("no person has looked at any claim of rx-8"), "{}", run.stderr);
    let done = world.run(&[release.as_slice(), &["--anyway", "--json"]].concat()).ended(0).json();
    assert_eq!(done["events"][0]["new"]["unlooked"], true);
    let report = world.run(&["report", "--json"]).ended(0).json();
    fits("audit_report", &report["data"]);
    assert_eq!(report["data"]["released_unlooked"], serde_json::json!(["rx-8"]));
    // It is done again as it was done.
    world.run(&["decide", "rx-8", "--undo"]).ended(0);
    world.run(&["decide", "rx-8", "--redo"]).ended(0);
    world.run(&["verify"]).ended(0);
    // One look is enough.
    world.run(&["decide", "rx-8", "--undo"]).ended(0);
    world.run(&["decide", "rx-8#1", "--confirm"]).ended(0);
    world.run(&release).ended(0);
}

#[test]
fn a_redo_does_again_what_the_last_undo_took_back() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    let run = world.run(&["decide", "--redo"]).ended(2);
    assert!(run.stderr.contains("nothing to redo: no undo of `ana`"), "{}", run.stderr);
    world.run(&["decide", "rx-1#1", "--confirm", "--reason", "NUMBER_WRONG"]).ended(0);
    world.run(&["decide", "--undo"]).ended(0);
    world.run(&["decide", "--redo", "--reason", "OTHER"]).ended(2);
    world.run(&["decide", "nothing#1", "--redo"]).ended(2);
    let redone = world.run(&["decide", "rx-1#1", "--redo", "--json"]).ended(0).json();
    fits("decide", &redone);
    assert_eq!((&redone["events"][0]["undoes"], &redone["undone"]), (&2.into(), &Value::Null));
    assert_eq!(redone["standing"]["reason"], "NUMBER_WRONG");
    world.run(&["decide", "rx-1#1", "--undo"]).ended(0);
    let said = world.run(&["decide", "--redo"]).ended(0);
    let said = String::from_utf8_lossy(&said.stdout);
    assert!(said.contains("rx-1#1: CONFIRM CONTRADICTED recorded as event 5"), "{said}");
    world.run(&["decide", "rx-1#1", "--flag"]).ended(0);
    let run = world.run(&["decide", "--redo"]).ended(2);
    assert!(run.stderr.contains("nothing to redo"), "{}", run.stderr);
    world.run(&["verify"]).ended(0);
    for event in world.run(&["export", "--what", "decisions"]).ended(0).lines() {
        fits("event", &event);
    }
}

#[test]
fn a_view_is_saved_listed_used_and_removed() {
    let world = three();
    let views = world.run(&["view", "--json"]).ended(0).json();
    fits("view", &views);
    assert_eq!((&views[0]["name"], &views[0]["count"]), (&"All open".into(), &5.into()));
    world.run(&["view", "save", "risky ones", "id:rx-2 severity:critical"]).ended(0);
    let own = world.run(&["queue", "--view", "Risky Ones", "--json"]).ended(0).json();
    let found = world.run(&["queue", "--filter", "id:rx-2 severity:critical", "--json"]).ended(0).json();
    assert_eq!(own, found);
    assert!(!own.as_array().unwrap().is_empty());
    let table = world.run(&["view"]).ended(0);
    assert!(table.out().contains("risky ones    ") && table.out().contains("id:rx-2"), "{}", table.out());
    let narrowed =
        world.run(&["queue", "--view", "all open", "--filter", "id:rx-1", "--json"]).ended(0).json();
    assert!(narrowed.as_array().unwrap().iter().all(|row| row["audit_id"] == "rx-1"));
    assert!(world.run(&["view", "remove", "critical"]).ended(2).stderr.contains("those of everybody"));
    world.run(&["view", "remove", "risky ones"]).ended(0);
    assert!(world.run(&["queue", "--view", "risky ones"]).ended(2).stderr.contains("no view"));
}

#[test]
fn the_same_claim_in_other_answers_is_listed() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), line("rx-2", "Take 8 g."), risky("rx-3", "HIGH")]);
    let same = world.run(&["queue", "--same", "rx-2#1", "--json"]).ended(0).json();
    fits("queue", &same);
    let ids: Vec<&str> = same.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["rx-2#1", "rx-1#1"], "the risk of rx-3 is another one");
    assert_eq!(world.run(&["queue", "--same", "rx-2#1"]).ended(0).out().lines().count(), 3);
}

#[test]
fn the_same_claim_or_several_are_decided_at_once_and_taken_back_at_once() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), line("rx-2", "Take 8 g."), risky("rx-3", "HIGH")]);
    let same = world.run(&["decide", "rx-2#1", "--same", "--confirm"]).ended(0);
    assert!(same.out().starts_with("2 claims: 2 CONFIRM "), "{}", same.out());
    assert!(same.out().contains("one `juror decide --undo` takes all of them back"), "{}", same.out());
    let undone = world.run(&["decide", "--undo", "--json"]).ended(0).json();
    fits("decide", &undone);
    assert_eq!((undone["undone"]["act"].as_str(), undone["others"].as_u64()), (Some("CONFIRM"), Some(1)));
    assert_eq!(world.run(&["queue", "--json"]).ended(0).json().as_array().unwrap().len(), 7);
    assert!(world.run(&["decide", "--redo"]).ended(0).out().contains(" and 1 more"));
    world.run(&["decide", "--undo"]).ended(0);

    let ids = [
        "decide",
        "rx-1#1",
        "rx-3#1",
        "rx-1#1",
        "--override",
        "unsupported",
        "--reason",
        "NO_EVIDENCE",
        "--json",
    ];
    let several = world.run(&ids).ended(0).json();
    fits("decide_many", &several);
    assert_eq!((several["claims"].as_u64(), several["events"].as_array().unwrap().len()), (Some(2), 2));
    assert_eq!(several["events"][1]["reason"], "NO_EVIDENCE");
    // What is possible is recorded, the rest is told.
    let some = world.run(&["decide", "rx-2#1", "rx-1#1", "--defer", "2h"]).ended(2);
    assert!(some.out().starts_with("2 claims: 1 DEFER, 1 not possible"), "{}", some.out());
    assert!(some.stderr.contains("rx-1#1"), "{}", some.stderr);
    // Where one is not there, nothing is decided.
    let none = world.run(&["decide", "rx-2#1", "rx-9#1", "--confirm"]).ended(2);
    assert!(none.stderr.contains("rx-9"), "{}", none.stderr);
    for refused in [
        &["decide", "rx-1#1", "rx-2#1", "--undo"][..],
        &["decide", "rx-1#1", "--same", "--skip"],
        &["decide", "rx-1#1", "rx-2#1", "--same", "--confirm"],
        &["decide", "rx-1#1", "--same", "--confirm", "--blind"],
    ] {
        assert!(!world.run(refused).ended(2).stderr.is_empty(), "{refused:?}");
    }
    let events = world.run(&["export", "--what", "decisions"]).ended(0).lines();
    let after: Vec<&str> = events.iter().skip(8).map(|event| event["act"].as_str().unwrap()).collect();
    assert_eq!(after, ["OVERRIDE", "OVERRIDE", "DEFER"]);
    world.run(&["verify"]).ended(0);
}

/// Whoever settles what others could not sees what was handed over and why, and nothing that is agreed; what one has
/// finished oneself can be taken up again.
#[test]
fn what_was_handed_over_is_seen_alone_with_its_notes_and_own_work_is_taken_up_again() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g. It helps. Who knows?"), line("rx-2", "Take 8 g.")]);
    world.run(&["decide", "rx-1#1", "--confirm"]).ended(0);
    world.run(&["decide", "rx-2#1", "--note", "the guideline does not say"]).ended(0);
    world.run(&["decide", "rx-2#1", "--flag"]).ended(0);
    let rows = world.run(&["queue", "--view", "Flagged", "--json"]).ended(0).json();
    let ids: Vec<&str> = rows.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["rx-2#1"]);
    assert!(world.run(&["show", "rx-2#1"]).ended(0).out().contains("| the guideline does not say"));
    let again = ["decide", "rx-1#1", "--override", "UNSUPPORTED", "--json"];
    assert_eq!(world.run(&again).ended(0).json()["standing"]["verdict"], "UNSUPPORTED");
    let events = world.run(&["export", "--what", "decisions"]).ended(0).lines();
    let acts: Vec<&str> = events.iter().map(|event| event["act"].as_str().unwrap()).collect();
    assert_eq!(acts, ["CONFIRM", "ANNOTATE", "FLAG", "OVERRIDE"], "nothing of before is gone");
    world.run(&["verify"]).ended(0);
}

#[test]
fn answers_are_listed_once_by_their_worst_open_claim() {
    let world = three();
    let json = world.run(&["queue", "--threads", "--json"]).ended(0).json();
    fits("queue_threads", &json);
    let told: Vec<_> = json
        .as_array()
        .unwrap()
        .iter()
        .map(|row| format!("{} {} {}/{}", row["audit_id"], row["severity"], row["open"], row["decided"]))
        .collect();
    assert_eq!(told, [r#""rx-2" "CRITICAL" 3/0"#, r#""rx-1" "CRITICAL" 2/0"#]);
    assert_eq!(json[0]["claims"].as_array().unwrap().len(), 3);
    world.run(&["decide", "rx-2#1", "--confirm"]).ended(0);
    let run = world.run(&["queue", "--threads"]).ended(0);
    let lines: Vec<&str> = run.out().lines().collect();
    assert!(lines[0].starts_with("SEVERITY  OPEN  DECIDED  ANSWER"), "{}", run.out());
    assert!(lines[1].contains("rx-1") && lines[2].contains("rx-2"), "{}", run.out());
    assert_eq!(world.run(&["queue", "--threads", "--limit", "1"]).out().lines().count(), 2);
    world.run(&["queue", "--threads", "--counts"]).ended(2);
}

#[test]
fn several_answers_are_blocked_at_once_before_anything_is_decided() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), line("rx-2", "Take 8 g."), risky("rx-3", "HIGH")]);
    let ids = ["decide", "rx-1", "rx-3", "--dispose", "BLOCK", "--note", "wrong dose"];
    let blocked = world.run(&ids).ended(0);
    assert!(blocked.out().starts_with("2 answers: 2 DISPOSE BLOCK; events "), "{}", blocked.out());
    let again = world.run(&[&ids[..], &["--json"]].concat()).ended(0).json();
    fits("decide_many", &again);
    assert_eq!((&again["answers"], &again["unchanged"]), (&2.into(), &2.into()));
    let claims = world.run(&["queue", "--filter", "answer:blocked", "--json"]).ended(0).json();
    assert_eq!(claims.as_array().unwrap().len(), 6, "they are open still");
    let by = |who: &str| {
        let filter = format!("answer:blocked by:{who}");
        world.run(&["queue", "--filter", &filter, "--json"]).ended(0).json()
    };
    assert_eq!((by("ana"), by("ben")), (claims, serde_json::json!([])), "nothing of them is decided");
    assert!(world.run(&["decide", "--undo"]).ended(0).out().contains(" and 1 more taken back"));
    for (arguments, why) in [
        (["decide", "rx-1", "rx-2", "--dispose", "RELEASE"].as_slice(), "about one ID"),
        (&["decide", "rx-1", "rx-2", "--dispose", "BLOCK", "--anyway"], "about one ID"),
        (&["decide", "rx-1", "--same", "--dispose", "BLOCK"], "name each answer"),
        (
            &["decide", "rx-1", "rx-9", "--dispose", "BLOCK"],
            "no record `rx-9` in this store; nothing was blocked",
        ),
        (
            &["decide", "rx-1", "rx-2#1", "--dispose", "BLOCK"],
            "`rx-2#1` is a claim, and --dispose is for the whole answer: write `rx-2`; nothing was blocked",
        ),
        (&["decide", "rx-1#2", "--dispose", "RETURN"], "write `rx-1`; nothing was returned"),
        (
            &["decide", "rx-9#2", "--dispose", "BLOCK"],
            "no record `rx-9#2` in this store; nothing was blocked",
        ),
        (&["decide", "rx-1", "rx-2", "--dispose", "RETURN"], "only a BLOCK waits for nothing"),
    ] {
        let run = world.run(arguments).ended(2);
        assert!(run.stderr.contains(why), "{arguments:?}: {}", run.stderr);
    }
    world.run(&["verify"]).ended(0);
}
