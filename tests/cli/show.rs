//! `juror show`: the whole story of a record or a claim.

use crate::world::{World, fits, line};

fn decided() -> World {
    let world = World::new();
    world.audited(&[line("rx-1", "Adults take 8 g.\u{1b}[31m It helps. Who knows?"), line("rx-2", "No.")]);
    world.run(&["decide", "rx-1#1", "--confirm", "--reason", "NUMBER_WRONG"]).ended(0);
    world.run(&["decide", "rx-1#1", "--note", "see BNF\n1  CONFIRM rx-9"]).ended(0);
    world.run(&["decide", "--undo"]).ended(0);
    world
        .run(&["decide", "rx-1#2", "--override", "UNSUPPORTED", "--severity", "HIGH", "--by", "bo"])
        .ended(0);
    world.run(&["decide", "rx-1#3", "--flag"]).ended(0);
    world
}

#[test]
fn a_story_is_told_from_what_came_in_to_what_was_done_last() {
    let world = decided();
    let run = world.run(&["show", "rx-1"]).ended(0);
    let told = run.out();
    let mut at = 0;
    for part in [
        "Record rx-1",
        "came in 20",
        "from audited.jsonl:1",
        "risk unknown",
        "| Adults take 8 g.␛[31m It helps.",
        "passage p1: 26 characters",
        "Audit 1 (the present one)",
        "prompt ",
        "rx-1#1: CONTRADICTED, CRITICAL",
        "contradicts: p1 at ",
        "asks a person: ",
        "stands: CONFIRMED by ana: CONTRADICTED, CRITICAL",
        "NUMBER_WRONG",
        "rx-1#2: FULLY_SUPPORTED",
        "stands: OVERRIDDEN by bo: UNSUPPORTED, HIGH",
        "rx-1#3: NOT_CHECKED",
        "What people did",
        "ana: CONFIRM rx-1#1",
        "ana: ANNOTATE rx-1#1",
        "| see BNF",
        "| 1  CONFIRM rx-9",
        "ana: UNDO rx-1#1, takes back event 2",
        "bo: OVERRIDE rx-1#2: UNSUPPORTED, HIGH",
        "ana: FLAG rx-1#3",
        "Seals",
        "hold: ",
    ] {
        let found = told[at..].find(part).unwrap_or_else(|| panic!("`{part}` after byte {at} of:\n{told}"));
        at += found + part.len();
    }
    assert!(!told.contains('\u{1b}') && !told.contains("rx-2"), "{told}");
    let json = world.run(&["show", "rx-1", "--json"]).ended(0).json();
    fits("show", &json);
    for claim in json["audits"][0]["claims"].as_array().unwrap() {
        fits("claim", claim);
    }
    let events = json["events"].as_array().unwrap();
    assert_eq!(events.len(), 5);
    for event in events {
        fits("event", event);
    }
    assert_eq!(events[1]["note"], "see BNF\n1  CONFIRM rx-9");
}

#[test]
fn the_story_of_a_claim_leaves_the_others_out_and_has_the_same_claim_of_other_audits() {
    let world = decided();
    world.audited_again();
    world.run(&["decide", "rx-1", "--dispose", "BLOCK", "--reason", "OTHER"]);
    let json = world.run(&["show", "rx-1#4", "--json"]).ended(0).json();
    fits("show", &json);
    assert_eq!(json["claim"], "rx-1#4");
    let ids: Vec<&str> = json["audits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|audit| audit["claims"][0]["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["rx-1#1", "rx-1#4"]);
    let acts: Vec<&str> =
        json["events"].as_array().unwrap().iter().map(|event| event["act"].as_str().unwrap()).collect();
    assert_eq!(&acts[..3], ["CONFIRM", "ANNOTATE", "UNDO"], "what was done to #2 and #3 is not told");
    let told = world.run(&["show", "rx-1#4"]).ended(0);
    assert!(
        told.out().starts_with("Claim rx-1#4\n") && told.out().contains("an earlier one"),
        "{}",
        told.out()
    );
    let run = world.run(&["show", "rx-9#1"]).ended(2);
    assert!(run.stderr.contains("no record and no claim `rx-9#1`"), "{}", run.stderr);
}

#[test]
fn a_changed_verdict_shows_as_a_broken_seal() {
    let world = decided();
    let db = rusqlite::Connection::open(world.db()).unwrap();
    db.execute_batch(
        "DROP TRIGGER verdict_no_update;
         UPDATE verdict SET rationale = 'nothing' WHERE claim_id =
           (SELECT claim.id FROM claim JOIN record ON record.id = record_id WHERE audit_id = 'rx-1' AND n = 1)",
    )
    .unwrap();
    drop(db);
    let run = world.run(&["show", "rx-1"]).ended(1);
    assert!(run.out().contains("BROKEN: claim rx-1#1: the claim, its verdict"), "{}", run.out());
    let json = world.run(&["show", "rx-1", "--json"]).ended(1).json();
    fits("show", &json);
    assert_eq!(json["seals"]["hold"], false);
    world.run(&["show", "rx-2"]).ended(0);
}

#[test]
fn a_record_that_waits_says_so() {
    let world = World::new();
    world.file("a.jsonl", line("rx-1", "It helps."));
    world.run(&["import", "a.jsonl"]).ended(0);
    let run = world.run(&["show", "rx-1"]).ended(0);
    assert!(run.out().contains("No audit yet: `juror audit`"), "{}", run.out());
    fits("show", &world.run(&["show", "rx-1", "--json"]).ended(0).json());
}
