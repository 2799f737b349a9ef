//! Evidence that a person names on the command line.

use crate::world::{World, fits, line};

fn one() -> World {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    world
}

#[test]
fn evidence_is_named_by_characters_or_by_words_and_goes_out_with_the_claims() {
    let world = one();
    let spans = ["--span", "p1:10-13:contradicts", "--quote", "p1:contradicts:24 hours"];
    let arguments = [&["decide", "rx-1#1", "--override", "CONTRADICTED"][..], &spans, &["--json"]].concat();
    let done = world.run(&arguments).ended(0).json();
    fits("decide", &done);
    let evidence = &done["standing"]["evidence"];
    assert_eq!(evidence[0]["quote"], "4 g", "characters, though the passage begins with a pill");
    assert_eq!((&evidence[1]["start"], &evidence[1]["end"]), (&17.into(), &25.into()));
    let claims = world.run(&["export", "--what", "claims"]).ended(0).lines();
    fits("claim", &claims[0]);
    assert_eq!(&claims[0]["decisions"][0]["evidence"], evidence);
    assert_eq!(claims[0]["evidence"][0]["quote"], "4 g in 24 hours", "the judge's stays the judge's");
    let events = world.run(&["export", "--what", "decisions"]).ended(0).lines();
    assert_eq!(&events[0]["new"]["evidence"], evidence);
    world.run(&["verify"]).ended(0);
    let said = world.run(&["decide", "rx-1#1", "--override", "UNSUPPORTED", "--no-evidence"]).ended(0);
    assert!(said.out().contains("on no evidence"), "{}", said.out());
}

#[test]
fn evidence_that_does_not_stand_there_is_refused() {
    let world = one();
    for (arguments, why) in [
        (["--override", "CONTRADICTED", "--span", "p1:0-999:supports"], "has 26 characters"),
        (["--override", "CONTRADICTED", "--span", "p1:10:supports"], "PASSAGE_ID:START-END:supports"),
        (
            ["--override", "CONTRADICTED", "--quote", "p1:supports:4  g"],
            "do not stand in p1 letter for letter",
        ),
        (["--override", "CONTRADICTED", "--quote", "p1:supports: "], "PASSAGE_ID:supports:WORDS"),
        (
            ["--override", "CONTRADICTED", "--quote", "p1:supports:o"],
            "more than once, at characters 6 and 21",
        ),
        (["--override", "CONTRADICTED", "--quote", "p7:supports:4 g"], "no passage `p7`: name one of p1"),
        (["--note", "n", "--span", "p1:10-13:supports"], "--override"),
    ] {
        let run = world.run(&[&["decide", "rx-1#1"][..], &arguments].concat()).ended(2);
        assert!(run.stderr.contains(why), "{arguments:?}: {}", run.stderr);
    }
    assert_eq!(world.run(&["export", "--what", "decisions"]).ended(0).out(), "");
}

#[test]
fn what_is_not_a_claim_is_said_so() {
    let world = one();
    let done = world.run(&["decide", "rx-1#1", "--override", "not a claim", "--json"]).ended(0).json();
    fits("decide", &done);
    assert_eq!(done["standing"]["verdict"], "NOT_A_CLAIM");
    let claims = world.run(&["export", "--what", "claims"]).ended(0).lines();
    fits("claim", &claims[0]);
    assert_eq!(claims[0]["human_verdict"], "NOT_A_CLAIM");
    let queue = world.run(&["queue", "--json", "--all"]);
    if queue.code == Some(0) {
        fits("queue", &queue.json());
    }
    world.run(&["decide", "--undo"]).ended(0);
    world.run(&["verify"]).ended(0);
}
