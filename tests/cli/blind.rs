//! Blind review on the command line: nothing of the judge before a verdict is committed, keep or change afterwards.

use serde_json::Value;

use crate::world::{World, fits, line, risky};

fn two() -> World {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), risky("rx-2", "HIGH")]);
    world
}

#[test]
fn the_blind_queue_tells_nothing_of_the_judge() {
    let world = two();
    let run = world.run(&["queue", "--blind"]).ended(0);
    for word in ["CONTRADICTED", "CRITICAL", "SUPPORTED", "NOT_CHECKED"] {
        assert!(!run.out().contains(word), "{word}: {}", run.out());
    }
    let json = world.run(&["queue", "--blind", "--json"]).ended(0).json();
    fits("queue", &json);
    let rows = json.as_array().unwrap();
    assert_eq!(rows.len(), 5);
    for row in rows {
        assert_eq!(
            (&row["state"], &row["verdict"], &row["severity"]),
            (&"HIDDEN".into(), &Value::Null, &Value::Null)
        );
        assert_eq!((&row["why"], &row["evidence"]), (&Value::Array(vec![]), &Value::Array(vec![])));
    }
    let of = |who: &str| {
        let json = world.run(&["queue", "--blind", "--json", "--by", who]).json();
        json.as_array().unwrap().iter().map(|row| row["id"].to_string()).collect::<Vec<_>>()
    };
    assert_ne!(of("ana"), of("bo"), "everybody has an order of their own");
    let counts = world.run(&["queue", "--counts", "--blind"]).ended(0);
    assert!(counts.out().starts_with("5 open of 5 for you, blind\n"), "{}", counts.out());
}

#[test]
fn a_verdict_is_committed_then_kept_or_changed() {
    let world = two();
    let refused = world.run(&["decide", "rx-1#1", "--blind", "--confirm"]).ended(2);
    assert!(refused.stderr.contains("is hidden from you: commit your own first"), "{}", refused.stderr);
    let done =
        world.run(&["decide", "rx-1#1", "--blind", "--override", "unsupported", "--json"]).ended(0).json();
    fits("decide", &done);
    assert_eq!(done["events"][0]["act"], "BLIND");
    assert_eq!(done["events"][0]["seen"].get("verdict_sha256"), None);
    assert_eq!(done["standing"], Value::Null);
    assert_eq!(done["committed"]["verdict"], "UNSUPPORTED");
    assert_eq!(done["committed"]["judge"]["verdict"], "CONTRADICTED");
    let row = world.run(&["queue", "--blind", "--json"]).json()[0].clone();
    assert_eq!((&row["id"], &row["review"]), (&"rx-1#1".into(), &"COMMITTED".into()));
    let kept = world.run(&["decide", "rx-1#1", "--keep", "--json"]).ended(0).json();
    fits("decide", &kept);
    assert_eq!((&kept["standing"]["review"], &kept["committed"]), (&"OVERRIDDEN".into(), &Value::Null));
    let again = world.run(&["decide", "rx-1#1", "--keep"]).ended(2);
    assert!(again.stderr.contains("kept or changed your verdict on rx-1#1 already"), "{}", again.stderr);
    let told = world.run(&["decide", "rx-2#1", "--blind", "--override", "fully"]).ended(0);
    assert!(
        told.out().contains("the judge says CONTRADICTED") && told.out().contains("--keep keeps yours"),
        "{}",
        told.out()
    );
    world.run(&["decide", "rx-2#1", "--blind", "--override", "contradicted"]).ended(0);
    let none = world.run(&["decide", "rx-2#2", "--keep"]).ended(2);
    assert!(none.stderr.contains("no blind verdict on rx-2#2"), "{}", none.stderr);
    for claim in world.run(&["export", "--what", "claims"]).ended(0).lines() {
        fits("claim", &claim);
        if claim["id"] == "rx-2#1" {
            assert_eq!(claim["blind"][0]["verdict"], "FULLY_SUPPORTED");
            assert_eq!(
                (&claim["blind"][0]["independent"], &claim["human_verdict"]),
                (&true.into(), &"CONTRADICTED".into())
            );
        }
    }
    let events = world.run(&["export", "--what", "decisions"]).ended(0).lines();
    for event in &events {
        fits("event", event);
    }
    assert_eq!(events[3]["old"]["first"]["verdict"], "FULLY_SUPPORTED");
    assert_eq!(events[3]["old"]["shown"]["verdict"], "CONTRADICTED");
    world.run(&["verify"]).ended(0);
}

#[test]
fn under_a_blind_setting_no_command_tells_what_is_hidden() {
    let world = two();
    let blind = |arguments: &[&str]| {
        let mut command = world.command(arguments);
        command.env("JUROR_REVIEW_BLIND", "true");
        crate::world::finish(command.spawn().unwrap())
    };
    for arguments in [
        &["show", "rx-1"][..],
        &["show", "rx-1#1", "--json"],
        &["exchanges", "--audit-id", "rx-1"],
        &["queue", "--filter", "severity>=high"],
        &["queue", "--search", "dose"],
        &["queue", "--explain", "rx-1#1"],
        &["queue", "--same", "rx-1#1"],
        &["view"],
        &["view", "list", "--json"],
        &["audit", "--fail-on", "CONTRADICTED"],
        &["decide", "rx-1", "--dispose", "RELEASE"],
        &["decide", "rx-1", "--dispose", "BLOCK", "--anyway"],
        &["claim", "add", "rx-1", "--quote", "8 g"],
        &["claim", "split", "rx-1#1", "--before", "8"],
        &["report"],
        &["report", "audit", "--json"],
        &["drift"],
        &["agreement"],
        &["calibrate"],
        &["score", "-", "--queue"],
    ] {
        let run = blind(arguments).ended(2);
        assert_eq!(run.out(), "", "{arguments:?}");
        assert!(
            run.stderr.contains("blind") || run.stderr.contains("hidden"),
            "{arguments:?}: {}",
            run.stderr
        );
    }
    assert!(!blind(&["queue"]).ended(0).out().contains("CONTRADICTED"));
    let saved = blind(&["view", "save", "bad", "severity>=high"]).ended(0);
    assert!(saved.stderr.contains("once the review is not blind"), "{}", saved.stderr);
    // Skipping tells the store nothing of a look at the judge.
    blind(&["decide", "rx-1#1", "--skip"]).ended(0);
    blind(&["decide", "rx-1#1", "--override", "contradicted"]).ended(0);
    let claims = world.run(&["export", "--what", "claims"]).lines();
    let claim = claims.iter().find(|claim| claim["id"] == "rx-1#1").unwrap();
    assert_eq!(claim["blind"][0]["independent"], true);
    for n in [2, 3] {
        let id = format!("rx-1#{n}");
        blind(&["decide", &id, "--override", "fully"]).ended(0);
        blind(&["decide", &id, "--keep"]).ended(0);
    }
    blind(&["show", "rx-1"]).ended(2);
    blind(&["decide", "rx-1#1", "--keep"]).ended(0);
    assert!(blind(&["show", "rx-1"]).ended(0).out().contains("BLIND rx-1#1: CONTRADICTED"));
}

#[test]
fn a_disagreement_is_exported_as_one_until_it_is_settled() {
    let world = two();
    for (who, verdict) in [("ana", "contradicted"), ("bo", "unsupported")] {
        world.run(&["decide", "rx-1#1", "--blind", "--override", verdict, "--by", who]).ended(0);
        world.run(&["decide", "rx-1#1", "--keep", "--by", who]).ended(0);
    }
    let claim = || {
        let claims = world.run(&["export", "--what", "claims"]).ended(0).lines();
        for claim in &claims {
            fits("claim", claim);
        }
        claims.into_iter().find(|claim| claim["id"] == "rx-1#1").unwrap()
    };
    let disputed = claim();
    assert_eq!((&disputed["disputed"], &disputed["review"]), (&true.into(), &"OPEN".into()));
    for field in ["human_verdict", "human_severity", "human_reason", "annotator", "decided_at", "adjudicator"]
    {
        assert_eq!(disputed[field], Value::Null, "{field}");
    }
    assert_eq!(disputed["decisions"].as_array().map(Vec::len), Some(2));
    world.run(&["decide", "rx-1#1", "--override", "contradicted", "--disagree", "--by", "lead"]).ended(0);
    let settled = claim();
    assert_eq!((&settled["disputed"], &settled["adjudicator"]), (&false.into(), &"lead".into()));
    assert_eq!((&settled["human_verdict"], &settled["annotator"]), (&"CONTRADICTED".into(), &"lead".into()));
    world.run(&["verify"]).ended(0);
}

#[test]
fn what_is_in_dispute_is_not_accepted_anywhere() {
    let world = World::new();
    world.audited(&[risky("rx-2", "HIGH")]);
    for (who, verdict) in [("ana", "unsupported"), ("bo", "fully")] {
        for n in [1, 2, 3] {
            let id = format!("rx-2#{n}");
            let verdict = if n == 1 { verdict } else { "fully" };
            world.run(&["decide", &id, "--blind", "--override", verdict, "--by", who]).ended(0);
            world.run(&["decide", &id, "--keep", "--by", who]).ended(0);
        }
    }
    let refused = world.run(&["export", "--what", "claims", "--require-accepted", "--json"]).ended(3).json();
    assert_eq!((&refused["provisional"], &refused["undecided"][0]), (&1.into(), &"rx-2#1".into()));
    let export = world.run(&["export", "--what", "claims"]).ended(0);
    assert!(export.stderr.contains("PROVISIONAL: 1 routed claim"), "{}", export.stderr);
    let report = world.run(&["report", "audit", "--require-accepted"]).ended(3);
    assert!(report.out().contains("undecided: rx-2#1"), "{}", report.out());
    // The judge's word is the worst of the three, and nobody has settled it.
    let gate = world.run(&["audit", "--fail-on", "CONTRADICTED", "--json"]).ended(1).json();
    assert_eq!((&gate["provisional"], &gate["gate"]["in_dispute"]), (&1.into(), &1.into()), "{gate}");
    let gate = world.run(&["audit", "--fail-on", "CONTRADICTED"]).ended(1);
    assert!(gate.out().contains("3 claims, 2 by people's decision, 1 in dispute"), "{}", gate.out());
    assert!(gate.stderr.contains("1 claim is CONTRADICTED (in dispute, by the worst"), "{}", gate.stderr);
    let lead = world.run(&["decide", "rx-2#1", "--override", "fully", "--by", "lead"]).ended(2);
    assert!(
        lead.stderr.contains("ana ruled UNSUPPORTED HIGH; yours settles it: add --disagree"),
        "{}",
        lead.stderr
    );
    world.run(&["decide", "rx-2#1", "--override", "fully", "--disagree", "--by", "lead"]).ended(0);
    // Those who disagreed have nothing to say to the word that settled it.
    let late = world.run(&["decide", "rx-2#1", "--override", "contradicted", "--by", "ana"]).ended(2);
    assert!(late.stderr.contains("lead settled what people disagreed on"), "{}", late.stderr);
    world.run(&["export", "--what", "claims", "--require-accepted"]).ended(0);
    world.run(&["report", "audit", "--require-accepted"]).ended(0);
    world.run(&["audit", "--fail-on", "CONTRADICTED"]).ended(0);
}

#[test]
fn a_blind_review_goes_line_by_line_and_hides_the_judge_until_the_verdict_is_committed() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    let lines = "c\nv\n3\nd release\nv\n4\n2\nq\n";
    let mut command = world.command(&["review", "--plain", "--blind", "--id", "rx-1#1"]);
    command.env("JUROR_REVIEW_MIN_VISIBLE_MS", "0").stdin(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), lines.as_bytes()).unwrap();
    let run = crate::world::finish(child).ended(2);
    let told = run.out();
    let (hidden, shown) =
        told.split_once("saved: BLIND rx-1#1: UNSUPPORTED").unwrap_or_else(|| panic!("{told}"));
    for word in ["CONTRADICTED", "CRITICAL", "claim says 8 g", ">>4 g"] {
        assert!(!hidden.contains(word), "{word}: {hidden}");
    }
    for part in [
        "Claim rx-1#1: the judge is hidden until you commit your verdict",
        "blind: the judge is hidden until you have committed",
        "there is no blind verdict here to keep",
    ] {
        assert!(hidden.contains(part), "{part}: {hidden}");
    }
    let mut at = 0;
    for part in [
        "Claim rx-1#1: CONTRADICTED, CRITICAL",
        "Committed by you before the judge was shown: UNSUPPORTED",
        "The judge says CONTRADICTED: v keeps yours",
        "not in a blind review: what becomes of the answer",
        "saved: OVERRIDE rx-1#1: UNSUPPORTED",
        // The next one is hidden again, and changed after the reveal.
        "the judge is hidden",
        "saved: BLIND rx-1#",
        "saved: ",
    ] {
        let found = shown[at..].find(part).unwrap_or_else(|| panic!("`{part}` after byte {at} of:\n{shown}"));
        at += found + part.len();
    }
    let acts: Vec<String> = world
        .run(&["export", "--what", "decisions"])
        .ended(0)
        .lines()
        .iter()
        .map(|event| event["act"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(acts[..2], ["BLIND", "OVERRIDE"]);
    assert_eq!(acts[2], "BLIND");
    world.run(&["verify"]).ended(0);
}

#[test]
fn a_verdict_on_a_claim_that_is_known_from_another_answer_is_not_independent() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), line("rx-2", "Take 8 g.")]);
    for id in ["rx-1#1", "rx-2#1"] {
        world.run(&["decide", id, "--blind", "--override", "contradicted"]).ended(0);
        world.run(&["decide", id, "--keep"]).ended(0);
    }
    world.run(&["decide", "rx-2#1", "--blind", "--override", "unsupported", "--by", "bo"]).ended(0);
    let claims = world.run(&["export", "--what", "claims"]).ended(0).lines();
    let blind = |id: &str| {
        let claim = claims.iter().find(|claim| claim["id"] == id).unwrap();
        fits("claim", claim);
        let said = claim["blind"].as_array().unwrap();
        said.iter()
            .map(|one| (one["annotator"].as_str().unwrap().to_owned(), one["independent"].as_bool().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(blind("rx-1#1"), [("ana".to_owned(), true)]);
    assert_eq!(blind("rx-2#1"), [("ana".to_owned(), false), ("bo".to_owned(), true)]);
    let events = world.run(&["export", "--what", "decisions"]).ended(0).lines();
    let known: Vec<&Value> =
        events.iter().map(|event| &event["new"]["known_from"]).filter(|one| !one.is_null()).collect();
    assert_eq!(known, ["rx-1#1"]);
    world.run(&["verify"]).ended(0);
}

/// Every subcommand there is, under a blind setting: what it says holds no word of the judge's.
#[test]
fn no_subcommand_says_what_a_blind_review_hides() {
    const WORDS: &[&str] = &[
        "CONTRADICTED",
        "UNSUPPORTED",
        "PARTIALLY_SUPPORTED",
        "FULLY_SUPPORTED",
        "CRITICAL",
        "NOT_CHECKED",
        "UNGROUNDED",
    ];
    // These tell it by what they are for: everything out again, a sample of its own, judges on files that are given,
    // and what is no store's.
    const FREE: &[&str] =
        &["export", "demo", "compare", "stability", "judge-report", "prompt", "completions", "man", "help"];
    let world = two();
    world.run(&["decide", "rx-1#1", "--confirm", "--by", "bo"]).ended(0);
    world.run(&["decide", "rx-2#1", "--note", "CRITICAL, I think", "--by", "bo"]).ended(0);
    let tried: &[&[&str]] = &[
        &["review"],
        &["review", "--plain"],
        &["import", "-"],
        &["audit", "--again", "rx-1"],
        &["audit", "--again", "rx-1", "--json"],
        &["audit", "--dry-run"],
        &["batch"],
        &["score", "-", "--queue"],
        &["report"],
        &["report", "comparison", "--list"],
        &["queue"],
        &["queue", "--json"],
        &["queue", "--counts"],
        &["queue", "--threads"],
        &["view", "list"],
        &["decide", "rx-1#2", "--skip"],
        &["decide", "rx-1", "--dispose", "RELEASE"],
        &["decide", "rx-1#2", "--give-reason", "OTHER"],
        &["decide", "rx-1#2", "--note", "odd"],
        &["decide", "--undo", "--json"],
        &["claim", "add", "rx-1", "--quote", "8 g"],
        &["erase", "1", "--reason", "x"],
        &["erase", "2", "--reason", "x"],
        &["show", "rx-1"],
        &["exchanges"],
        &["verify"],
        &["verify", "--json"],
        &["calibrate"],
        &["agreement"],
        &["drift"],
        &["config"],
        &["doctor"],
        &["doctor", "--json"],
    ];
    for arguments in tried {
        let mut command = world.command(arguments);
        command.env("JUROR_REVIEW_BLIND", "true").stdin(std::process::Stdio::null());
        let run = crate::world::finish(command.spawn().unwrap());
        for word in WORDS {
            let said = [run.out(), &run.stderr].concat();
            // A usage line names what may be asked for.
            let said: String = said.lines().filter(|line| !line.contains("review.blind")).collect();
            assert!(!said.contains(word), "{arguments:?} says {word}: {}{}", run.out(), run.stderr);
        }
    }
    let help = world.run(&["--help"]).ended(0);
    let listed = help.out().split("Commands:").nth(1).unwrap().split("\n\n").next().unwrap();
    for line in listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   ")) {
        let name = line.split_whitespace().next().unwrap();
        assert!(
            FREE.contains(&name) || tried.iter().any(|arguments| arguments[0] == name),
            "`juror {name}` is not tried here"
        );
    }
}

#[test]
fn what_is_put_off_and_what_others_have_judged_is_told_truly() {
    let world = two();
    let rows = world.run(&["queue", "--json", "--by", "ana"]).ended(0).json();
    let ids: Vec<String> =
        rows.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
    for id in &ids {
        world.run(&["decide", id, "--defer", "2h", "--by", "ana"]).ended(0);
    }
    for arguments in [&["queue", "--by", "ana"][..], &["queue", "--blind", "--by", "ana"]] {
        let told = world.run(arguments).ended(0);
        let all = format!("nothing is left but what you deferred: {}", ids.len());
        assert!(told.out().contains(&all), "{}", told.out());
    }
    for who in ["ben", "cleo"] {
        for id in &ids {
            world.run(&["decide", id, "--blind", "--override", "unsupported", "--by", who]).ended(0);
        }
    }
    let third = world.run(&["queue", "--blind", "--by", "drei"]).ended(0);
    assert!(third.out().contains("as many others as review.overlap asks for"), "{}", third.out());
}

#[test]
fn the_same_evidence_under_another_id_is_known() {
    let world = World::new();
    let record = |id: &str, passage: &str| {
        serde_json::json!({
            "audit_id": id, "generated_answer": "Adults may take 8 g per day.", "risk_level": "HIGH",
            "evidence_passages": [{"passage_id": passage, "content": "Adults may take 4 g in 24 hours."}],
        })
        .to_string()
    };
    world.file("two.jsonl", [record("d-1", "p"), record("d-2", "other")].join("\n"));
    world.run(&["import", "two.jsonl"]).ended(0);
    world.run(&["audit"]).ended(0);
    for id in ["d-1#1", "d-2#1"] {
        world.run(&["decide", id, "--blind", "--override", "contradicted", "--by", "ana"]).ended(0);
    }
    let rows = world.run(&["export", "--what", "claims"]).ended(0).lines();
    let said = rows.iter().filter(|row| row["id"].as_str().unwrap().ends_with("#1"));
    let independent: Vec<&Value> = said.map(|row| &row["blind"][0]["independent"]).collect();
    assert_eq!(independent, [&Value::Bool(true), &Value::Bool(false)]);
}

#[test]
fn what_is_unfinished_is_said_where_claims_are_exported() {
    let world = two();
    let quiet = world.run(&["export", "--what", "claims"]).ended(0);
    assert!(
        !quiet.stderr.contains("in dispute") && !quiet.stderr.contains("blind verdict"),
        "{}",
        quiet.stderr
    );
    let judge = |id: &str, verdict: &str, who: &str, keeps: bool| {
        world.run(&["decide", id, "--blind", "--override", verdict, "--by", who]).ended(0);
        if keeps {
            world.run(&["decide", id, "--keep", "--by", who]).ended(0);
        }
    };
    judge("rx-1#1", "contradicted", "ana", true);
    judge("rx-1#1", "unsupported", "bo", true);
    judge("rx-2#1", "contradicted", "ana", false);
    let told = world.run(&["export", "--what", "claims"]).ended(0);
    for words in [
        "1 of 6 claims are in dispute",
        "1 of 6 claims have a blind verdict that is neither kept nor changed",
    ] {
        assert!(told.stderr.contains(words), "{words}: {}", told.stderr);
    }
    let settle = ["decide", "rx-1#1", "--open", "--override", "contradicted", "--disagree", "--by", "cleo"];
    world.run(&settle).ended(0);
    let settled = world.run(&["export", "--what", "claims"]).ended(0);
    assert!(!settled.stderr.contains("in dispute"), "{}", settled.stderr);
}

#[test]
fn what_a_blind_setting_hides_is_shown_by_open() {
    let world = two();
    let run = |arguments: &[&str]| {
        let mut command = world.command(arguments);
        command.env("JUROR_REVIEW_BLIND", "true");
        crate::world::finish(command.spawn().unwrap())
    };
    let refused = run(&["show", "rx-1#1"]).ended(2);
    assert!(refused.stderr.contains("--open"), "{}", refused.stderr);
    assert!(run(&["show", "rx-1#1", "--open"]).ended(0).out().contains("CONTRADICTED"));
    assert!(run(&["queue", "--open"]).ended(0).out().contains("CONTRADICTED"));
    run(&["decide", "rx-1#1", "--open", "--override", "contradicted", "--by", "cleo"]).ended(0);
    run(&["queue", "--open", "--blind"]).ended(2);
}
