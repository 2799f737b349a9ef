//! `juror report`: the audits of a store in every form.

use serde_json::{Value, json};

use crate::calibrate::{golden, lines};
use crate::world::{World, fits, line, risky};

#[test]
fn audits_are_reported_as_they_are_ruled_at_present() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), risky("rx-2", "HIGH")]);
    let json = world.run(&["report", "--json"]).ended(0).json();
    fits("report", &json);
    fits("audit_report", &json["data"]);
    assert_eq!(json["kind"], "audit");
    assert_eq!(json["provisional"], "3 routed claims of HIGH or CRITICAL records are undecided");
    assert_eq!(json["data"]["by_verdict"]["CONTRADICTED"], 2);
    assert_eq!(json["cases"].as_array().unwrap().len(), 6);
    let text = world.run(&["report"]).ended(0);
    assert!(text.out().contains("PROVISIONAL: 3 routed claims"), "{}", text.out());
    assert!(
        text.out().contains("6 claims of 2 records: 50.0 % of those with a verdict are wrong (2 of 4)"),
        "{}",
        text.out()
    );
    assert!(text.out().lines().all(|line| line.chars().count() <= 80));
    let refused = world.run(&["report", "--require-accepted", "--format", "markdown"]).ended(3);
    assert!(
        refused.out().contains("rx-2#1") && refused.stderr.contains("--require-accepted"),
        "{}",
        refused.out()
    );
    for claim in ["rx-2#1", "rx-2#2", "rx-2#3"] {
        world.run(&["decide", claim, "--override", "FULLY_SUPPORTED"]).ended(0);
    }
    let json = world.run(&["report", "--require-accepted", "--json"]).ended(0).json();
    assert_eq!((&json["provisional"], &json["gate"]["says"]), (&serde_json::Value::Null, &"yes".into()));
    assert_eq!(json["data"]["by_verdict"]["CONTRADICTED"], 1, "people have the last word");
    // One of five is wrong: by claim that would be at most 62 %, but the three of one answer are all alike.
    let parts = json["parts"].as_array().unwrap().iter();
    let mut figures = parts.filter_map(|part| part["shows"]["figures"].as_array()).flatten();
    let wrong = figures.find(|figure| figure["id"] == "wrong").unwrap();
    assert!(wrong["interval"]["high"].as_f64().unwrap() > 0.65, "{wrong}");
    world.run(&["report", "audit", "--list"]).ended(2);
    assert!(world.run(&["report", "comparison"]).ended(2).stderr.contains("no comparison is kept"));
}

#[test]
fn what_was_released_over_peoples_rulings_comes_first_in_every_form() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), line("rx-2", "Take 8 g."), line("rx-3", "Take 8 g.")]);
    for claim in ["rx-1#1", "rx-1#2", "rx-1#3", "rx-2#1", "rx-2#2", "rx-2#3"] {
        let verdict = if claim == "rx-1#2" { "FULLY_SUPPORTED" } else { "CONTRADICTED" };
        world.run(&["decide", claim, "--override", verdict]).ended(0);
    }
    let why = ["--anyway", "--note", "unavoidable"];
    world.run(&[&["decide", "rx-1", "--dispose", "RELEASE"], why.as_slice()].concat()).ended(0);
    world.run(&["decide", "rx-2", "--dispose", "BLOCK", "--note", "never"]).ended(0);
    let json = world.run(&["report", "--json"]).ended(0).json();
    fits("audit_report", &json["data"]);
    assert_eq!(json["sentences"][0], "1 answer was released although people ruled against a claim: rx-1.");
    assert_eq!(json["parts"][0]["title"], "Released although people ruled against a claim");
    let over = &json["data"]["released_over"][0];
    assert_eq!((&over["annotator"], &over["note"]), (&json!("ana"), &json!("unavoidable")));
    assert_eq!(over["over"], json!(["rx-1#1", "rx-1#3"]));
    assert_eq!(json["data"]["without_disposition"], json!({"answers": 1, "ids": ["rx-3"]}));
    let head = json["data"]["head"]["sha256"].as_str().unwrap();
    world.run(&["verify", "--head", head]).ended(0);
    for form in ["text", "markdown", "html"] {
        let told = world.run(&["report", "--format", form]).ended(0).out().replace('\n', " ");
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        let place = |part: &str| told.find(part).unwrap_or_else(|| panic!("{form}: no {part} in {told}"));
        assert!(place("1 answer was released although people ruled") < place("are wrong ("), "{form}");
        assert!(place("unavoidable") < place("wrong (unsupported"), "{form}");
        for part in [
            "Answers without a disposition",
            "ana (8)",
            head,
            "RELEASED: it may be used, by ana",
            "blocked, by ana",
        ] {
            place(part);
        }
    }
}

#[test]
fn calibrations_are_listed_and_told_again() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    let none = world.run(&["report", "calibration"]).ended(2);
    assert!(none.stderr.contains("no such calibration is kept"), "{}", none.stderr);
    assert_eq!(world.run(&["report", "calibration", "--list", "--json"]).ended(0).json(), json!([]));
    world.file("golden.jsonl", lines(&golden(60)));
    world.run(&["calibrate", "golden.jsonl"]).ended(0);
    // People say otherwise of every third item: the judge agrees too little with them.
    let mut turned = golden(60);
    for item in turned.iter_mut().step_by(3) {
        for annotation in item["annotations"].as_array_mut().unwrap() {
            annotation["verdict"] = "UNSUPPORTED".into();
        }
    }
    world.file("turned.jsonl", lines(&turned));
    world.run(&["calibrate", "turned.jsonl"]).ended(1);
    let list = world.run(&["report", "calibration", "--list", "--json"]).ended(0).json();
    fits("calibration_list", &list);
    let told: Vec<_> =
        list.as_array().unwrap().iter().map(|one| (&one["number"], &one["state"], &one["golden"])).collect();
    assert_eq!(
        told,
        [
            (&json!(2), &json!("BELOW 0.7"), &json!("turned.jsonl")),
            (&json!(1), &json!("CALIBRATED"), &json!("golden.jsonl"))
        ]
    );
    let text = world.run(&["report", "calibration", "--list"]).ended(0);
    assert!(
        text.out().lines().count() == 2 && text.out().contains("60 items of golden.jsonl"),
        "{}",
        text.out()
    );
    // The last one, whose gate was closed; and the one before.
    let last = world.run(&["report", "calibration", "--json"]).ended(1).json();
    fits("report", &last);
    fits("calibration", &last["data"]);
    assert_eq!(last["data"]["golden"]["name"], "turned.jsonl");
    let first = world.run(&["report", "calibration", "1"]).ended(0);
    assert!(first.out().contains("CALIBRATED: kappa is"), "{}", first.out());
    for form in ["markdown", "html", "junit"] {
        assert!(
            world
                .run(&["report", "calibration", "1", "--format", form])
                .ended(0)
                .out()
                .contains("golden.jsonl"),
            "{form}"
        );
    }
    for (arguments, why) in [
        (["calibration", "9"], "no such calibration"),
        (["calibration", "best"], "no such calibration"),
        (["calibration", "--require-calibrated"], "goes with the report of audits"),
        (["audit", "--list"], "--list goes with"),
    ] {
        let refused = world.run(&["report", arguments[0], arguments[1]]).ended(2);
        assert!(refused.stderr.contains(why), "{arguments:?}: {}", refused.stderr);
    }
}

#[test]
fn a_build_server_gets_a_test_case_for_each_claim() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g <now>.")]);
    world.run(&["report", "--format", "junit", "-o", "audit.xml"]).ended(0);
    let xml = std::fs::read_to_string(world.path("audit.xml")).unwrap();
    assert!(xml.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""), "{xml}");
    assert!(xml.contains("CONTRADICTED: Take 8 g &lt;now&gt;."), "{xml}");
    assert!(xml.contains("name=\"rx-1#2\"/>"), "{xml}");
    let html = world.run(&["report", "--format", "html"]).ended(0);
    assert!(html.out().contains("Take 8 g &lt;now&gt;.") && !html.out().contains("<now>"));
    let nowhere = World::new();
    assert!(nowhere.run(&["report"]).ended(2).stderr.contains("no store at"));
}

#[test]
fn a_build_server_is_told_that_a_report_is_provisional_and_what_it_rests_on() {
    let world = World::new();
    world.audited(&[risky("rx-1", "HIGH"), risky("gate", "HIGH")]);
    let xml = world.run(&["report", "--format", "junit"]).ended(0).out().to_owned();
    assert_eq!(xml.matches("PROVISIONAL").count(), 1, "{xml}");
    assert_eq!(xml.matches("<properties>").count(), 1, "{xml}");
    assert!(xml.contains("property name=\"calibration\""), "{xml}");
}

#[test]
fn nothing_is_accepted_where_nothing_is_audited_or_audits_are_still_to_come() {
    let world = World::new();
    world.file("x.jsonl", line("rx-1", "Take 8 g."));
    world.run(&["import", "x.jsonl"]).ended(0);
    let none = world.run(&["report", "--require-accepted"]).ended(3);
    assert!(
        none.out().contains("nothing is audited") && none.out().contains("1 record waits"),
        "{}",
        none.out()
    );
    world.run(&["audit"]).ended(0);
    world.run(&["report", "--require-accepted"]).ended(0);
    world.file("y.jsonl", risky("rx-2", "CRITICAL"));
    world.run(&["import", "y.jsonl"]).ended(0);
    let waits = world.run(&["report", "--require-accepted", "--json"]).ended(3).json();
    assert_eq!(waits["provisional"], "1 HIGH or CRITICAL record has no audit yet");
    assert_eq!(waits["data"]["without_audit"], serde_json::json!({"records": 1, "at_risk": 1}));
}

#[test]
fn what_a_comparison_sends_to_people_is_no_audit_of_what_comes_in() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 4 g.")]);
    let before = world.run(&["report", "--json"]).ended(0).json();
    world.file(
        "q.jsonl",
        serde_json::json!({"id": "a", "documents": ["Adults take at most 4 g in 24 hours."], "risk_level": "HIGH",
            "baseline": "Adults take at most 4 g.", "candidate": "Adults take at most 8 g."})
        .to_string(),
    );
    world.run(&["compare", "q.jsonl", "--quiet"]).ended(1);
    assert_eq!(world.run(&["queue", "--json"]).ended(0).json()[0]["id"], "cmp-1/a#1");
    let after = world.run(&["report", "--json", "--require-accepted"]).ended(0).json();
    assert_eq!(before["data"]["by_verdict"], after["data"]["by_verdict"]);
    assert!(
        after["sentences"]
            .as_array()
            .unwrap()
            .iter()
            .any(|it| it.as_str().unwrap().starts_with("1 claim is not counted here")),
        "{}",
        after["sentences"]
    );
    // Nor is it for a gate.
    let gate = world.run(&["audit", "--fail-on", "CONTRADICTED"]).ended(1);
    assert!(gate.stderr.contains("1 claim is CONTRADICTED"), "{}", gate.stderr);
    // An auditor that looks at it again makes it none: the record that came in is right by its word.
    let again = world.run(&["audit", "--again", "--fail-on", "CONTRADICTED"]).ended(0);
    assert!(again.out().contains("in force: 1 record"), "{}", again.out());
}

#[test]
fn how_the_work_goes_is_told_as_the_dashboard_shows_it() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), line("rx-2", "Take 8 g.")]);
    world.run(&["decide", "rx-1#1", "--confirm"]).ended(0);
    let json = world.run(&["report", "dashboard", "--json"]).ended(0).json();
    fits("report", &json);
    fits("dashboard", &json["data"]);
    let data = &json["data"];
    assert_eq!((&data["audits"]["done"], &data["people"][0]["today"]), (&json!(2), &json!(1)));
    assert_eq!(data["periods"][0]["said"]["by_verdict"]["CONTRADICTED"], 2);
    let open: u64 = data["backlog"]["open"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
    assert_eq!(data["backlog"]["routed"].as_u64().unwrap(), open + 1);
    assert_eq!(data["hours"][0]["said"]["by_verdict"]["CONTRADICTED"], 2);
    assert_eq!(data["versions"][0]["said"]["claims"], data["hours"][0]["said"]["claims"]);
    let text = world.run(&["report", "dashboard"]).ended(0);
    assert!(text.out().contains("What made these answers"), "{}", text.out());
    assert!(text.out().contains("local, faithfulness  test-1  rules-1 abab"), "{}", text.out());
    assert!(text.out().contains("FULLY  PARTIALLY  UNSUPPORTED  CONTRADICTED  no verdict"), "{}", text.out());
    assert!(
        text.out().contains("Judges against people") && text.out().contains("NOT_MEASURED"),
        "{}",
        text.out()
    );
    assert!(world.run(&["report", "dashboard", "--list"]).ended(2).stderr.contains("one report"));
}
