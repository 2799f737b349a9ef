//! Claims that a person makes on the command line.

use crate::world::{World, fits, line};

fn one() -> World {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g per day and rest. Is that so?")]);
    world
}

fn ids(world: &World) -> Vec<String> {
    let claims = world.run(&["export", "--what", "claims"]).ended(0).lines();
    claims.iter().map(|claim| claim["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_claim_is_split_judged_merged_and_all_of_it_taken_back() {
    let world = one();
    let before = ids(&world);
    let done = world.run(&["claim", "split", "rx-1#1", "--before", "and rest", "--json"]).ended(0).json();
    fits("made", &done);
    assert_eq!(done["made"], serde_json::json!(["rx-1#4", "rx-1#5"]));
    let acts: Vec<&str> =
        done["events"].as_array().unwrap().iter().map(|event| event["act"].as_str().unwrap()).collect();
    assert_eq!(acts, ["SPLIT", "ADD_CLAIM", "ADD_CLAIM"]);
    assert_eq!(ids(&world), ["rx-1#2", "rx-1#3", "rx-1#4", "rx-1#5"], "the original stands no longer");
    let claims = world.run(&["export", "--what", "claims"]).ended(0).lines();
    fits("claim", &claims[2]);
    assert_eq!(
        (&claims[2]["state"], &claims[2]["claim_text"]),
        (&"ADDED".into(), &"Take 8 g per day".into())
    );
    world.run(&["verify"]).ended(0);
    // The report says why it counts fewer claims than the verification.
    let report = world.run(&["report", "--json"]).ended(0).json();
    fits("audit_report", &report["data"]);
    assert_eq!((&report["data"]["claims"], &report["data"]["stand_no_longer"]), (&4.into(), &1.into()));
    assert_eq!(world.run(&["verify", "--json"]).ended(0).json()["claims"], 5);
    assert!(report["sentences"].to_string().contains("1 claim stands no longer (people split"), "{report}");
    let said = world.run(&["decide", "rx-1#1", "--confirm"]).ended(2);
    assert!(said.stderr.contains("was split by"), "{}", said.stderr);
    let said = world.run(&["decide", "rx-1#4", "--confirm"]).ended(2);
    assert!(said.stderr.contains("no verdict to confirm"), "{}", said.stderr);
    world.run(&["decide", "rx-1#4", "--override", "CONTRADICTED"]).ended(0);
    world.run(&["decide", "--undo"]).ended(0);
    world.run(&["claim", "merge", "rx-1#5", "rx-1#4"]).ended(0);
    let claims = world.run(&["export", "--what", "claims"]).ended(0).lines();
    assert_eq!(claims[2]["claim_text"], "Take 8 g per day and rest. Is that so?");
    assert_eq!(ids(&world), ["rx-1#2", "rx-1#3", "rx-1#6"]);
    world.run(&["verify"]).ended(0);
    world.run(&["decide", "--undo"]).ended(0);
    world.run(&["decide", "--undo"]).ended(0);
    assert_eq!(ids(&world), before);
    world.run(&["verify"]).ended(0);
    world.run(&["decide", "--redo"]).ended(0);
    assert_eq!(ids(&world), ["rx-1#2", "rx-1#3", "rx-1#4", "rx-1#5"]);
    world.run(&["verify"]).ended(0);
}

#[test]
fn what_was_said_of_a_claim_that_is_split_stays_in_the_export() {
    let world = one();
    for (who, verdict) in [("ana", "contradicted"), ("ben", "unsupported")] {
        world.run(&["decide", "rx-1#1", "--blind", "--override", verdict, "--by", who]).ended(0);
        world.run(&["decide", "rx-1#1", "--keep", "--by", who]).ended(0);
    }
    let split = ["claim", "split", "rx-1#1", "--before", "and rest", "--by", "ada", "--anyway"];
    world.run(&split).ended(0);
    let rows = world.run(&["export", "--what", "claims"]).ended(0);
    let claims = rows.lines();
    for claim in &claims {
        fits("claim", claim);
    }
    let split = claims.iter().find(|claim| claim["id"] == "rx-1#1").unwrap();
    assert_eq!(split["replaced_by"], serde_json::json!(["rx-1#4", "rx-1#5"]));
    assert_eq!((split["blind"].as_array().unwrap().len(), &split["disputed"]), (2, &true.into()));
    world.file("claims.jsonl", rows.out());
    let units = |arguments: &[&str]| world.run(arguments).json()["data"]["together"]["shared_units"].clone();
    assert_eq!(units(&["agreement", "--json"]), 1);
    assert_eq!(units(&["agreement", "claims.jsonl", "--json"]), 1, "as in the store");
}

#[test]
fn a_missing_claim_is_added_by_its_words_or_its_place() {
    let world = one();
    let done = world.run(&["claim", "add", "rx-1", "--quote", "Is that so?", "--json"]).ended(0).json();
    fits("made", &done);
    world
        .run(&["claim", "add", "rx-1", "--span", "0-8", "--text", "One may take 8 g", "--by", "ben"])
        .ended(0);
    let claims = world.run(&["export", "--what", "claims"]).ended(0).lines();
    let last = claims.last().unwrap();
    assert_eq!((&last["claim_text"], &last["answer_end"]), (&"One may take 8 g".into(), &8.into()));
    assert!(last["rationale"].as_str().unwrap().starts_with("added by ben"), "{last}");
    for (arguments, why) in [
        (&["claim", "add", "rx-1", "--quote", "Is that so?"][..], "says the same"),
        (&["claim", "add", "rx-1", "--quote", "never said"], "does not stand in the answer"),
        (&["claim", "add", "rx-1", "--span", "5-999"], "is no place in the answer"),
        (&["claim", "split", "rx-1#1", "--at", "0"], "no word on one side"),
        (&["claim", "merge", "rx-1#1", "rx-1#1"], "cannot be merged"),
    ] {
        let run = world.run(arguments).ended(2);
        assert!(run.stderr.contains(why), "{arguments:?}: {}", run.stderr);
    }
    world.run(&["verify"]).ended(0);
}

#[test]
fn a_split_stays_while_somebody_elses_decision_rests_on_it() {
    let world = one();
    world.run(&["claim", "split", "rx-1#1", "--before", "and rest"]).ended(0);
    world.run(&["decide", "rx-1#5", "--override", "UNSUPPORTED", "--by", "ben"]).ended(0);
    let run = world.run(&["decide", "--undo"]).ended(2);
    assert!(run.stderr.contains("ben decided rx-1#5 after you"), "{}", run.stderr);
    assert_eq!(ids(&world), ["rx-1#2", "rx-1#3", "rx-1#4", "rx-1#5"], "nothing of it was taken back");
    world.run(&["verify"]).ended(0);
}

#[test]
fn a_claim_that_somebody_changed_behind_its_event_is_found() {
    let world = one();
    world.run(&["claim", "add", "rx-1", "--quote", "Is that so?"]).ended(0);
    let file = rusqlite::Connection::open(world.path("juror.db")).unwrap();
    file.execute_batch("DELETE FROM made").unwrap();
    drop(file);
    let run = world.run(&["verify"]).ended(1);
    assert!(run.stderr.contains("does not follow from"), "{}", run.stderr);
}

#[test]
fn what_others_ruled_on_a_claim_is_set_aside_only_with_anyway_and_the_event_says_whose() {
    let world = one();
    let split = ["claim", "split", "rx-1#1", "--before", "and rest"];
    world.run(&["decide", "rx-1#1", "--override", "UNSUPPORTED", "--by", "ben"]).ended(0);
    let before = ids(&world);
    let said = world.run(&[&split[..], &["--by", "ana"]].concat()).ended(2);
    assert!(said.stderr.contains("ben ruled UNSUPPORTED"), "{}", said.stderr);
    assert!(
        said.stderr.contains("on rx-1#1, which would not count any more: add --anyway"),
        "{}",
        said.stderr
    );
    assert_eq!(ids(&world), before);
    let done = world.run(&[&split[..], &["--anyway", "--by", "ana", "--json"]].concat()).ended(0).json();
    fits("made", &done);
    assert_eq!(done["events"][0]["new"]["against"], serde_json::json!(["ben"]));
    world.run(&["verify"]).ended(0);
    // One's own word is known.
    world.run(&["decide", "rx-1#4", "--override", "CONTRADICTED", "--by", "ana"]).ended(0);
    world.run(&["claim", "merge", "rx-1#4", "rx-1#5", "--by", "ana"]).ended(0);
    world.run(&["decide", "rx-1#6", "--override", "CONTRADICTED", "--by", "ben"]).ended(0);
    let said = world.run(&["claim", "merge", "rx-1#6", "rx-1#2", "--by", "ana", "--anyway"]).ended(0);
    assert!(said.out().contains("what ben ruled there does not count any more"), "{}", said.out());
    world.run(&["verify"]).ended(0);
}
