//! Rows out.

use std::fmt::Write as _;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::world::{World, fits, line, risky};

fn decided() -> World {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), risky("rx-2", "HIGH")]);
    world.run(&["decide", "rx-1#1", "--confirm", "--reason", "NUMBER_WRONG"]).ended(0);
    // Two disagree, and a third settles it.
    for (who, verdict) in [("cleo", "FULLY_SUPPORTED"), ("ben", "UNSUPPORTED")] {
        world.run(&["decide", "rx-1#1", "--override", verdict, "--disagree", "--by", who]).ended(0);
    }
    world.run(&["decide", "rx-1#1", "--note", "=cmd|' /C calc'!A0"]).ended(0);
    world
}

#[test]
fn r20_r45_claims_hold_the_judges_word_and_the_peoples_apart() {
    let world = decided();
    let run = world.run(&["export", "--what", "claims"]).ended(0);
    let rows = run.lines();
    assert_eq!(rows.len(), 6, "all claims, not only those in the queue");
    for row in &rows {
        fits("claim", row);
    }
    let first = &rows[0];
    assert_eq!((&first["verdict"], &first["human_verdict"]), (&"CONTRADICTED".into(), &"UNSUPPORTED".into()));
    assert_eq!((&first["review"], &first["annotator"]), (&"OVERRIDDEN".into(), &"ben".into()));
    assert_eq!((&first["disputed"], &first["adjudicator"]), (&false.into(), &"ben".into()));
    assert_eq!(first["decisions"].as_array().unwrap().len(), 3, "everybody's decisions");
    assert_eq!(first["notes"][0]["text"], "=cmd|' /C calc'!A0");
    let supported = &rows[1];
    assert_eq!((&supported["review"], &supported["human_verdict"]), (&"UNROUTED".into(), &Value::Null));
    assert_eq!(supported["why"], Value::Array(Vec::new()));
}

#[test]
fn what_people_ruled_on_an_earlier_audit_is_exported_beside_the_new_claim() {
    let world = decided();
    let before = world.run(&["export", "--what", "claims"]).ended(0).lines();
    let ruled = before.iter().find(|row| !row["human_verdict"].is_null()).unwrap();
    assert_eq!(ruled["earlier"], serde_json::json!([]));
    let id = ruled["audit_id"].as_str().unwrap();
    world.audited_again();
    let after = world.run(&["export", "--what", "claims"]).ended(0).lines();
    let same =
        after.iter().find(|row| row["audit_id"] == id && row["claim_text"] == ruled["claim_text"]).unwrap();
    fits("claim", same);
    assert_eq!((&same["review"], &same["human_verdict"]), (&"OPEN".into(), &serde_json::Value::Null));
    assert_eq!(same["earlier"][0]["id"], ruled["id"]);
    let verdicts: Vec<_> = same["earlier"].as_array().unwrap().iter().map(|row| &row["verdict"]).collect();
    assert_eq!(verdicts, ["CONTRADICTED", "FULLY_SUPPORTED", "UNSUPPORTED"], "oldest first");
}

#[test]
fn a_claims_export_is_provisional_until_high_risk_claims_are_decided() {
    let world = decided();
    let run = world.run(&["export", "--what", "claims"]).ended(0);
    assert!(run.stderr.contains("PROVISIONAL: 3 routed claims"), "{}", run.stderr);
    let run = world.run(&["export", "--what", "claims", "--require-accepted", "-o", "new.jsonl"]).ended(3);
    assert!(run.stderr.contains("rx-2#1") && run.stderr.contains("rx-2#3"), "{}", run.stderr);
    assert!(run.out().is_empty() && !world.path("new.jsonl").exists());
    let json = world.run(&["export", "--what", "claims", "--require-accepted", "--json"]).ended(3).json();
    fits("not_accepted", &json);
    assert_eq!(json["provisional"], 3);
    let run = world.run(&["export", "--what", "claims", "--quiet"]).ended(0);
    assert!(run.stderr.contains("PROVISIONAL: 3 routed claims"), "--quiet must not hide it: {}", run.stderr);
    let run = world.run(&["export", "--what", "claims", "-o", "out.jsonl", "--json"]).ended(0);
    fits("export", &run.json());
    assert_eq!((&run.json()["rows"], &run.json()["provisional"]), (&6.into(), &3.into()));
    std::fs::remove_file(world.path("out.jsonl")).unwrap();
    for claim in ["rx-2#1", "rx-2#2", "rx-2#3"] {
        world.run(&["decide", claim, "--override", "CANNOT_JUDGE"]).ended(0);
    }
    let run = world.run(&["export", "--what", "claims", "--require-accepted"]).ended(0);
    assert_eq!(run.stderr, "");
}

#[test]
fn anyone_can_check_the_exported_chain() {
    let world = decided();
    let run = world.run(&["export", "--what", "decisions"]).ended(0);
    let mut previous = "0".repeat(64);
    let rows = run.lines();
    for row in &rows {
        fits("event", row);
        assert_eq!(row["prev_hash"], previous.as_str());
        let mut canonical = row.as_object().unwrap().clone();
        for added in ["prev_hash", "hash", "note"] {
            canonical.shift_remove(added);
        }
        let text = format!("{previous}\n{}", serde_json::to_string(&canonical).unwrap());
        let mut hash = String::new();
        for byte in Sha256::digest(text) {
            write!(hash, "{byte:02x}").unwrap();
        }
        assert_eq!(row["hash"], hash.as_str());
        previous = hash;
    }
    assert_eq!(rows.len(), 4);
    assert!(run.stderr.contains(&format!("4 events, head {previous}")), "{}", run.stderr);
}

#[test]
fn csv_has_the_same_columns_as_json_and_no_formulas() {
    let world = decided();
    for what in ["claims", "decisions"] {
        let json = world.run(&["export", "--what", what]).lines();
        let run = world.run(&["export", "--what", what, "--format", "csv"]).ended(0);
        let mut reader = csv::Reader::from_reader(run.stdout.as_slice());
        let columns: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        let expected: Vec<String> = json[0].as_object().unwrap().keys().cloned().collect();
        // No act of these was one of many at once; the column is there all the same.
        let without_batch: Vec<String> = columns.iter().filter(|name| *name != "batch").cloned().collect();
        assert_eq!(without_batch, expected);
        assert_eq!(columns.len() - expected.len(), usize::from(what == "decisions"));
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), json.len());
        assert!(rows.iter().flat_map(csv::StringRecord::iter).all(|cell| !cell.starts_with(['=', '@'])));
    }
    let decisions = world.run(&["export", "--what", "decisions", "--format", "csv"]).stdout;
    assert!(String::from_utf8(decisions).unwrap().contains("'=cmd|"), "disarmed, not dropped");
    assert!(
        world.run(&["export", "--what", "records", "--format", "csv"]).ended(2).stderr.contains("JSON Lines")
    );
}

#[test]
fn every_row_of_csv_has_each_field_under_its_name_whatever_people_did() {
    let world = World::new();
    world.file("written.jsonl", include_str!("../../assets/demo/written.jsonl"));
    world.run(&["import", "written.jsonl"]).ended(0);
    world.run(&["audit"]).ended(0);
    let claims = world.run(&["export", "--what", "claims"]).ended(0).lines();
    let routed: Vec<&Value> = claims.iter().filter(|row| row["review"] == "OPEN").collect();
    let id = |at: usize| routed[at]["id"].as_str().unwrap();
    // The first event is one of one claim: it must not be what decides the columns.
    let note = world.run(&["decide", id(0), "--note", "a, \"b\"\nc", "--json"]).ended(0).json();
    world.run(&["decide", id(1), id(2), id(3), "--override", "CANNOT_JUDGE", "--reason", "OTHER"]).ended(0);
    world.run(&["decide", "--undo"]).ended(0);
    world.run(&["decide", "--redo"]).ended(0);
    let text = routed[0]["claim_text"].as_str().unwrap();
    let cut = text.find(' ').unwrap() + 1;
    let at = text[..cut].chars().count().to_string();
    let halves = world.run(&["claim", "split", id(0), "--at", &at, "--json"]).ended(0).json();
    let [first, second] = [0, 1].map(|at| halves["made"][at].as_str().unwrap());
    world.run(&["claim", "merge", first, second]).ended(0);
    world.run(&["decide", id(4), "--defer", "2h"]).ended(0);
    world.run(&["decide", id(5), "--escalate", "=look", "--to", "ben"]).ended(0);
    let answer = id(1).split('#').next().unwrap();
    world.run(&["decide", answer, "--dispose", "BLOCK", "--note", "no"]).ended(0);
    let seq = note["events"][0]["seq"].to_string();
    world.run(&["erase", &seq, "--reason", "names a patient"]).ended(0);

    for what in ["claims", "decisions"] {
        let json = world.run(&["export", "--what", what]).ended(0).lines();
        let csv = world.run(&["export", "--what", what, "--format", "csv"]).ended(0);
        // The reader refuses a row that has not as many cells as the first line.
        let mut reader = csv::Reader::from_reader(csv.stdout.as_slice());
        let columns = reader.headers().unwrap().clone();
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), json.len(), "{what}");
        for (row, wanted) in rows.iter().zip(&json) {
            let wanted = wanted.as_object().unwrap();
            assert!(wanted.keys().all(|name| columns.iter().any(|column| column == name)), "{wanted:?}");
            for (name, cell) in columns.iter().zip(row) {
                let said = match wanted.get(name) {
                    None | Some(Value::Null) => String::new(),
                    Some(Value::String(text)) => text.clone(),
                    Some(other) => other.to_string(),
                };
                assert_eq!(cell.strip_prefix('\'').unwrap_or(cell), said, "{name} of {wanted:?}");
            }
        }
        if what == "decisions" {
            assert!(json[0].get("batch").is_none());
            let acts: Vec<&str> = json.iter().filter_map(|row| row["act"].as_str()).collect();
            for act in
                ["OVERRIDE", "UNDO", "SPLIT", "MERGE", "ADD_CLAIM", "DEFER", "FLAG", "DISPOSE", "ERASE"]
            {
                assert!(acts.contains(&act), "{act} in {acts:?}");
            }
            assert!(json.iter().filter(|row| row["batch"].is_i64()).count() > 9);
        }
    }
}

#[test]
fn a_file_is_replaced_when_all_is_written_and_left_alone_when_not() {
    let world = decided();
    world.file("out.jsonl", "old");
    world.run(&["export", "--what", "claims", "-o", "nowhere/out.jsonl"]).ended(4);
    world.run(&["export", "--what", "claims", "-o", "out.jsonl"]).ended(0);
    let text = std::fs::read_to_string(world.path("out.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 6);
    let left: Vec<_> =
        std::fs::read_dir(world.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".part")), "{left:?}");
}

#[test]
fn a_check_and_what_rests_on_it_see_the_same_moment() {
    let world = decided();
    let store = juror::store::Store::open_read_only(&world.db()).unwrap();
    let decisions = || {
        let mut count = 0;
        store.for_each_event(|_| {
            count += 1;
            Ok::<_, juror::store::StoreError>(())
        })?;
        Ok::<_, juror::store::StoreError>((store.head()?.0, count))
    };
    let (before, after) = store
        .snapshot(|| {
            let before = (store.undecided_at_risk()?, decisions()?);
            world.run(&["decide", "rx-2#1", "--confirm"]).ended(0);
            Ok::<_, juror::store::StoreError>((before, (store.undecided_at_risk()?, decisions()?)))
        })
        .unwrap();
    assert_eq!((before, after), ((3, (4, 4)), (3, (4, 4))));
    assert_eq!((store.undecided_at_risk().unwrap(), decisions().unwrap()), (2, (5, 5)));
}

#[test]
fn an_export_follows_links_and_leaves_devices_and_fifos_what_they_are() {
    use std::fs;
    use std::os::unix::fs::{FileTypeExt, symlink};
    let world = decided();
    let expected = world.exported_records();
    let export = |to: &str| world.run(&["export", "--what", "records", "-o", to]);

    fs::create_dir(world.path("there")).unwrap();
    world.file("there/old.jsonl", "old");
    symlink("there/old.jsonl", world.path("link")).unwrap();
    symlink("there/new.jsonl", world.path("dangling")).unwrap();
    for (link, file) in [("link", "there/old.jsonl"), ("dangling", "there/new.jsonl")] {
        export(link).ended(0);
        assert!(world.path(link).is_symlink(), "{link}");
        assert_eq!(fs::read(world.path(file)).unwrap(), expected);
    }

    let fifo = world.path("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let reader = std::thread::spawn({
        let fifo = fifo.clone();
        move || fs::read(fifo).unwrap()
    });
    export("fifo").ended(0);
    assert_eq!(reader.join().unwrap(), expected);
    assert!(fs::metadata(&fifo).unwrap().file_type().is_fifo());

    symlink("/dev/full", world.path("full")).unwrap();
    let run = export("full").ended(4);
    assert!(run.stderr.contains("cannot be written") && run.stderr.contains("space"), "{}", run.stderr);
    assert!(world.path("full").is_symlink());
    symlink("round", world.path("round")).unwrap();
    export("round").ended(4);
}

#[test]
fn a_log_that_cannot_be_written_is_not_told_on_the_screen() {
    let world = decided();
    world.file("no-folder", "");
    let mut command = world.command(&["export", "--what", "records", "-o", "nowhere/a.jsonl"]);
    command.env("XDG_STATE_HOME", world.path("no-folder"));
    let run = crate::world::finish(command.spawn().unwrap()).ended(4);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
}

#[test]
fn one_damaged_row_does_not_end_an_export_or_the_queue() {
    let world = decided();
    rusqlite::Connection::open(world.db())
        .unwrap()
        .execute_batch(
            "DROP TRIGGER verdict_no_update; DROP TRIGGER record_no_update; DROP TRIGGER event_no_update;
             PRAGMA ignore_check_constraints = 1;
             UPDATE verdict SET verdict = 'BAD' WHERE claim_id = 1;
             UPDATE record SET raw = CAST(x'ff41' AS TEXT) WHERE audit_id = 'rx-2';
             UPDATE event SET act = 'BAD' WHERE seq = 2",
        )
        .unwrap();
    let queue = world.run(&["queue", "--json"]).ended(0);
    let rows = queue.json();
    fits("queue", &rows);
    let bad: Vec<_> = rows.as_array().unwrap().iter().filter(|row| row["state"] == "DAMAGED").collect();
    assert!(rows.as_array().unwrap().len() > 1 && bad.len() == 1, "{rows}");
    assert!(bad[0]["claim_text"].as_str().unwrap().contains("`BAD` is not a verdict"), "{bad:?}");
    let id = bad[0]["id"].as_str().unwrap();
    for run in [&queue, &world.run(&["queue"]).ended(0)] {
        assert!(run.stderr.contains(&format!("claim {id} is damaged")), "{}", run.stderr);
    }
    let claims = world.run(&["export", "--what", "claims"]).ended(4);
    let rows = claims.lines();
    for row in &rows {
        fits("claim", row);
    }
    assert_eq!(rows.iter().filter(|row| row["state"] == "DAMAGED" && row["id"] == id).count(), 1);
    assert_eq!(rows.len(), 6, "the others are all there");
    assert!(claims.stderr.contains("written as DAMAGED: claim"), "{}", claims.stderr);
    let csv = world.run(&["export", "--what", "claims", "--format", "csv"]).ended(4);
    assert_eq!(csv::Reader::from_reader(csv.stdout.as_slice()).records().count(), 6);
    let refused = world.run(&["export", "--what", "claims", "--require-accepted"]).ended(3);
    assert!(refused.stderr.contains(id), "what cannot be read is not accepted: {}", refused.stderr);
    let records = world.run(&["export", "--what", "records"]).ended(4);
    assert_eq!(records.lines().len(), 1);
    assert!(records.stderr.contains("left out: record rx-2 is damaged"), "{}", records.stderr);
    let events = world.run(&["export", "--what", "decisions", "--quiet"]).ended(4);
    let seqs: Vec<_> = events.lines().iter().map(|row| row["seq"].clone()).collect();
    assert_eq!(seqs, [1, 3, 4]);
    assert!(events.stderr.contains("left out: event 2 is damaged"), "{}", events.stderr);
    world.run(&["verify"]).ended(1);
}

/// A log that others append to stays that log, whatever name the export has for it.
#[test]
fn an_open_file_is_written_into_and_never_replaced() {
    use std::os::unix::fs::MetadataExt;
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    let expected = world.exported_records();
    let log = world.file("log", "before\n");
    let inode = std::fs::metadata(&log).unwrap().ino();
    let append = || std::fs::File::options().append(true).open(&log).unwrap();
    let mut wanted = b"before\n".to_vec();
    for name in ["/dev/stdout", "/proc/self/fd/1", "/dev/fd/1", "log"] {
        let mut child =
            world.command(&["export", "--what", "records", "-o", name]).stdout(append()).spawn().unwrap();
        assert!(child.wait().unwrap().success(), "{name}");
        wanted.extend(&expected);
        assert_eq!(std::fs::read(&log).unwrap(), wanted, "{name}");
    }
    let mut child = world
        .command(&["export", "--what", "records", "-o", "/dev/stderr"])
        .stderr(append())
        .spawn()
        .unwrap();
    assert!(child.wait().unwrap().success());
    wanted.extend(&expected);
    assert_eq!(std::fs::read(&log).unwrap(), wanted, "another open file");
    assert_eq!(std::fs::metadata(&log).unwrap().ino(), inode, "the same file all the time");
    // Without the log open anywhere, it is a file like any other.
    world.run(&["export", "--what", "records", "-o", "log"]).ended(0);
    assert_eq!(std::fs::read(&log).unwrap(), expected);
}

#[test]
fn the_store_is_neither_read_as_input_nor_written_over() {
    let world = decided();
    std::os::unix::fs::symlink("juror.db", world.path("link.jsonl")).unwrap();
    for arguments in [
        ["export", "--what", "claims", "-o", "juror.db"].as_slice(),
        &["export", "--what", "claims", "-o", "link.jsonl"],
        &["import", "./juror.db"],
        &["import", "--follow", "link.jsonl"],
    ] {
        let run = world.run(arguments).ended(2);
        assert!(run.stderr.contains("is the store itself"), "{arguments:?}: {}", run.stderr);
    }
    world.run(&["verify"]).ended(0);
}

/// An export is read back line by line: what came by SQL must not have more of them.
#[test]
fn what_came_through_the_inbox_is_exported_as_one_line() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    let sql = rusqlite::Connection::open(world.db()).unwrap();
    let pretty = |id: &str| {
        let value: Value = serde_json::from_str(&line(id, "Take 8 g.")).unwrap();
        serde_json::to_string_pretty(&value).unwrap()
    };
    for row in [line("in-1", "Take 8 g.") + "\n", pretty("in-2"), line("in-3", "Take\n8 g.")] {
        sql.execute("INSERT INTO inbox (line) VALUES (?1)", [row]).unwrap();
    }
    world.run(&["audit"]).ended(0);
    let exported = world.exported_records();
    let expected = [line("rx-1", "Take 8 g."), line("in-1", "Take 8 g."), line("in-3", "Take\n8 g.")];
    assert_eq!(String::from_utf8(exported.clone()).unwrap(), expected.join("\n") + "\n");
    let reason: String = sql.query_row("SELECT error FROM inbox", [], |row| row.get(0)).unwrap();
    assert!(reason.contains("a record is one line"), "{reason}");
    world.file("again.jsonl", exported);
    let again = world.run(&["--db", "other.db", "import", "again.jsonl", "--json"]).ended(0).json();
    assert_eq!(again["imported"], 3);
}
