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

/// Marks of one sign to the eye and of many to a machine, and spans that touch each other between them.
#[test]
fn r01_r08_spans_beside_emoji_touch_without_overlap_and_go_out_as_they_were_named() {
    let world = World::new();
    let content = "👩\u{200d}🚒💊4 g💩 in 24 h e\u{301}nd";
    let record = serde_json::json!({
        "audit_id": "rx-1", "generated_answer": "Take 8 g.",
        "evidence_passages": [{"passage_id": "p1", "content": "💊 At most 4 g in 24 hours."},
                              {"passage_id": "p2", "content": content}],
    });
    world.audited(&[record.to_string()]);
    let letters: Vec<char> = content.chars().collect();
    let words = |start: usize, end: usize| letters[start..end].iter().collect::<String>();
    assert_eq!((words(4, 7).as_str(), words(7, 12).as_str()), ("4 g", "💩 in "));
    let spans = [
        "--span",
        "p2:4-7:contradicts",
        "--span",
        "p2:7-12:contradicts",
        "--quote",
        "p2:contradicts:e\u{301}nd",
    ];
    world.run(&[&["decide", "rx-1#1", "--override", "CONTRADICTED"][..], &spans].concat()).ended(0);
    let claims = world.run(&["export", "--what", "claims"]).ended(0).lines();
    let evidence = claims[0]["decisions"][0]["evidence"].as_array().unwrap();
    let place = |span: &serde_json::Value, name: &str| usize::try_from(span[name].as_u64().unwrap()).unwrap();
    for span in evidence {
        assert_eq!(span["quote"], words(place(span, "start"), place(span, "end")));
    }
    let quotes: Vec<&str> = evidence.iter().map(|span| span["quote"].as_str().unwrap()).collect();
    assert_eq!(quotes, ["4 g", "💩 in ", "e\u{301}nd"]);
    let overlap = ["--span", "p2:4-7:contradicts", "--span", "p2:6-12:contradicts"];
    let run =
        world.run(&[&["decide", "rx-1#1", "--override", "CONTRADICTED"][..], &overlap].concat()).ended(2);
    assert!(run.stderr.contains("overlaps"), "{}", run.stderr);
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
