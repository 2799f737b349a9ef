//! The words that people leave with what they decide: beside a disposition, and taken out again on record.

use crate::world::{World, fits, line, risky};

/// One answer whose claims are all decided.
fn decided() -> World {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    for claim in ["rx-1#1", "rx-1#3"] {
        world.run(&["decide", claim, "--override", "CONTRADICTED"]).ended(0);
    }
    world
}

#[test]
fn a_disposition_takes_its_reason_along_through_every_export() {
    let world = decided();
    let done =
        world.run(&["decide", "rx-1", "--dispose", "RETURN", "--note", "the dose is 4 g", "--json"]).ended(0);
    fits("decide", &done.json());
    let last = |world: &World| {
        let claims = world.run(&["export", "--what", "claims"]).ended(0).lines();
        fits("claim", &claims[0]);
        claims[0]["disposition"].clone()
    };
    assert_eq!(last(&world)["note"], "the dose is 4 g");
    let events = world.run(&["export", "--what", "decisions"]).ended(0).lines();
    let event = events.last().unwrap();
    assert_eq!((&event["act"], &event["note"]), (&"DISPOSE".into(), &"the dose is 4 g".into()));
    let report = world.run(&["report", "audit"]);
    assert!(report.out().contains("the dose is 4 g"), "{}", report.out());
    let json = world.run(&["report", "audit", "--json"]).json();
    fits("audit_report", &json["data"]);
    assert_eq!(json["data"]["dispositions"][0]["note"], "the dose is 4 g");
    assert!(world.run(&["show", "rx-1"]).ended(0).out().contains("| the dose is 4 g"));
    fits("show", &world.run(&["show", "rx-1", "--json"]).ended(0).json());
    fits("queue_threads", &world.run(&["queue", "--threads", "--json"]).ended(0).json());
    // Taken back, it says nothing; done again, it says the same.
    world.run(&["decide", "rx-1", "--undo"]).ended(0);
    assert!(last(&world).is_null());
    world.run(&["decide", "rx-1", "--redo"]).ended(0);
    assert_eq!(last(&world)["note"], "the dose is 4 g");
    world.run(&["verify"]).ended(0);
}

#[test]
fn a_note_stands_beside_a_verdict_or_a_disposition_and_no_other_act() {
    let world = decided();
    for other in [
        &["rx-1#1", "--note", "x", "--keep"][..],
        &["rx-1#1", "--note", "x", "--skip"],
        &["rx-1", "--dispose", "BLOCK", "--confirm"],
    ] {
        let refused = world.run(&[&["decide"][..], other].concat()).ended(2);
        assert!(refused.stderr.contains("cannot be used with"), "{}", refused.stderr);
    }
    let empty = world.run(&["decide", "rx-1", "--dispose", "BLOCK", "--note", " "]).ended(2);
    assert!(empty.stderr.contains("the note is empty"), "{}", empty.stderr);
    world.run(&["decide", "rx-1", "--dispose", "BLOCK"]).ended(0);
    assert!(world.run(&["export", "--what", "claims"]).ended(0).lines()[0]["disposition"]["note"].is_null());
}

#[test]
fn what_is_erased_is_gone_and_who_erased_it_stays() {
    let world = World::new();
    world.audited(&[risky("rx-1", "HIGH")]);
    world.run(&["decide", "rx-1#1", "--note", "zebra Smith, born 1970"]).ended(0);
    world.run(&["decide", "rx-1#1", "--undo"]).ended(0);
    world.run(&["decide", "rx-1#1", "--redo"]).ended(0);
    for (arguments, why) in [
        (&["erase", "1", "--reason", " "][..], "say why"),
        (&["erase", "1", "--reason", "names zebra Smith, born 1970"], "holds the note itself"),
        (&["erase", "2", "--reason", "x"], "has no note"),
        (&["erase", "77", "--reason", "x"], "no event 77"),
    ] {
        let refused = world.run(arguments).ended(2);
        assert!(refused.stderr.contains(why), "{arguments:?}: {}", refused.stderr);
    }
    let run = world.run(&["erase", "1", "--reason", "names a patient", "--by", "lead", "--json"]).ended(0);
    let json = run.json();
    fits("erase", &json);
    assert_eq!((&json["author"], &json["recorded_as"]), (&"ana".into(), &4.into()));
    assert_eq!(json["copies"], serde_json::json!([3]), "the same words, written again");
    assert!(run.stderr.contains("event 3"), "{}", run.stderr);
    assert!(world.run(&["erase", "1", "--reason", "x"]).ended(2).stderr.contains("already, by event 4"));
    world.run(&["erase", "3", "--reason", "names a patient", "--by", "lead"]).ended(0);
    let bytes = std::fs::read(world.db()).unwrap();
    assert!(!bytes.windows(5).any(|part| part == b"zebra"), "not even in the free space of the file");
    let wal = world.path("juror.db-wal");
    assert!(std::fs::read(wal).is_ok_and(|log| log.is_empty()) || !world.path("juror.db-wal").exists());
    let verified = world.run(&["verify"]).ended(0);
    assert!(verified.out().contains("(2 notes erased)"), "{}", verified.out());
    let told = world.run(&["show", "rx-1#1"]).ended(0);
    assert!(told.out().contains("lead: ERASE rx-1#1: event 1, why names a patient"), "{}", told.out());
    assert!(told.out().contains("its text was erased"), "{}", told.out());
    let events = world.run(&["export", "--what", "decisions"]).ended(0).lines();
    for event in &events {
        fits("event", event);
    }
    // An erasure is nothing that undo or redo would take for the last act.
    let undo = world.run(&["decide", "--undo", "--by", "lead"]).ended(2);
    assert!(undo.stderr.contains("nothing to undo"), "{}", undo.stderr);
    assert!(world.run(&["decide", "--undo"]).ended(0).out().contains("ANNOTATE"));
    world.run(&["verify"]).ended(0);
}

#[test]
fn a_note_that_is_gone_without_an_erasure_is_a_problem() {
    let world = decided();
    world.run(&["decide", "rx-1#1", "--note", "a colleague's word"]).ended(0);
    let sql = rusqlite::Connection::open(world.db()).unwrap();
    let refused = sql.execute_batch("DELETE FROM event_payload").unwrap_err().to_string();
    assert!(refused.contains("juror erase"), "{refused}");
    let (name, guard): (String, String) = sql
        .query_row("SELECT name, sql FROM sqlite_master WHERE name = 'event_payload_no_delete'", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    sql.execute_batch(&format!("DROP TRIGGER {name}; DELETE FROM event_payload; {guard};")).unwrap();
    drop(sql);
    let verified = world.run(&["verify"]).ended(1);
    assert!(
        verified.stderr.contains("event 3: its note is gone, and no later event says who erased it"),
        "{}",
        verified.stderr
    );
}

/// Whoever settles disagreements is shown what people disagree on, with what each of them wrote, and nothing that they
/// agree on.
#[test]
fn r41_who_settles_disagreements_sees_these_with_everybodys_notes_and_nothing_that_is_agreed() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), line("rx-2", "Take 9 g.")]);
    let blind = |who: &str, claim: &str, verdict: &str| {
        for last in [&["--override", verdict][..], &["--keep"]] {
            let mut command = world.command(&[&["decide", claim, "--blind", "--by", who][..], last].concat());
            command.env("JUROR_REVIEW_OVERLAP", "2");
            crate::world::finish(command.spawn().unwrap()).ended(0);
        }
    };
    for (claim, ana, ben) in
        [("rx-1#1", "UNSUPPORTED", "UNSUPPORTED"), ("rx-2#1", "CONTRADICTED", "FULLY_SUPPORTED")]
    {
        blind("ana", claim, ana);
        blind("ben", claim, ben);
        for who in ["ana", "ben"] {
            let note = format!("{who} on {claim}");
            world.run(&["decide", claim, "--note", &note, "--by", who]).ended(0);
        }
    }
    let disputed = ["queue", "--filter", "is:open by:ana", "--by", "lead", "--json"];
    let ids = |arguments: &[&str]| -> Vec<String> {
        let rows = world.run(arguments).ended(0).json();
        rows.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&disputed), ["rx-2#1"]);
    let open = ids(&["queue", "--by", "lead", "--json"]);
    assert!(open.contains(&"rx-2#1".to_owned()) && !open.contains(&"rx-1#1".to_owned()), "{open:?}");
    let told = world.run(&["show", "rx-2#1"]).ended(0);
    for note in ["| ana on rx-2#1", "| ben on rx-2#1"] {
        assert!(told.out().contains(note), "{note}: {}", told.out());
    }
    // One word of somebody who did not judge it blind settles it.
    world.run(&["decide", "rx-2#1", "--override", "CONTRADICTED", "--by", "lead", "--disagree"]).ended(0);
    assert_eq!(ids(&disputed), Vec::<String>::new());
    world.run(&["verify"]).ended(0);
}
