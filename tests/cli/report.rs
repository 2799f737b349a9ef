//! `juror report`: the audits of a store in every form.

use crate::world::{World, fits, line, risky};

#[test]
fn audits_are_reported_as_they_are_ruled_at_present() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), risky("rx-2", "HIGH")]);
    let json = world.run(&["report", "--json"]).ended(0).json();
    fits("report", &json);
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
    world.run(&["report", "audit", "--list"]).ended(2);
    assert!(world.run(&["report", "comparison"]).ended(2).stderr.contains("no comparison is kept"));
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
