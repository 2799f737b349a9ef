//! `juror calibrate` without a file: the judge as the store has it, against what people decided there.

use juror::clock::{Clock, SystemClock};
use juror::domain::blind::OVERLAP;
use juror::domain::calibration::CalibrationState;
use juror::domain::decision::{Actor, Basis, HumanVerdict, Request, Ruling};
use juror::domain::ids::{Annotator, AuditId, ClaimId};
use juror::domain::word::Known;
use juror::store::{Durability, Store};
use serde_json::{Value, json};

use crate::world::{World, fits};

/// What is right of the claim of the record number `n`.
fn right(n: usize) -> HumanVerdict {
    [HumanVerdict::Contradicted, HumanVerdict::Unsupported, HumanVerdict::FullySupported][n % 3]
}

fn record(n: usize, retrieval: &str) -> String {
    let claim = match right(n) {
        HumanVerdict::Contradicted => format!("Adults may take {} g of paracetamol per day.", 10 + n),
        HumanVerdict::Unsupported => format!("Ibuprofen number {n} was first sold in Norway."),
        _ => format!("Adults may take 4 g of paracetamol per day, says rule {n}."),
    };
    json!({
        "audit_id": format!("rx-{n:03}"), "generated_answer": claim, "risk_level": "HIGH",
        "claims": [{"claim_id": "c", "claim_text": claim}], "metadata": {"retrieval": retrieval},
        "evidence_passages": [{"passage_id": "p", "content": format!("Adults may take 4 g of paracetamol per day, says rule {n}.")}],
    })
    .to_string()
}

/// So many records, audited by the local judge, all of them for people to see.
fn audited(items: usize) -> World {
    let world = World::new();
    let lines: Vec<String> = (0..items).map(|n| record(n, "bm25-v2")).collect();
    world.file("records.jsonl", lines.join("\n"));
    world.run(&["import", "records.jsonl"]).ended(0);
    world.run(&["audit"]).ended(0);
    world
}

/// Lets a person say of each claim what `says` gives for its number: before they are shown the judge, or openly.
fn reviewed(world: &World, who: &str, is_blind: bool, says: impl Fn(usize) -> Option<HumanVerdict>) {
    let mut store = Store::open(&world.db(), Durability::Normal).unwrap();
    let annotator = Annotator::new(who);
    let actor =
        Actor { annotator: annotator.clone(), os_user: "u".into(), host: "h".into(), program: "p".into() };
    for n in 0.. {
        let Ok(key) = store.claim_key(&ClaimId::new(AuditId::new(format!("rx-{n:03}")), 1)) else { break };
        let Some(verdict) = says(n) else { continue };
        let open = Request::Override(Ruling::only(verdict));
        let first = Request::Blind { ruling: Ruling::only(verdict), overlap: OVERLAP };
        let requests = if is_blind { vec![first, open] } else { vec![open] };
        for request in requests {
            let now = SystemClock.now();
            let seen = if is_blind {
                store.blind_detail(key, &annotator, OVERLAP, now).unwrap().seen
            } else {
                store.claim_detail(key, &annotator, now).unwrap().seen
            };
            let basis = Basis { seen: Some(&seen), against: Known::All, ..Basis::default() };
            store.decide(key, &request, basis, &actor, now).unwrap();
        }
    }
}

fn measured(world: &World, arguments: &[&str], code: i32) -> Value {
    let mut all = vec!["calibrate", "--json"];
    all.extend(arguments);
    let json = world.run(&all).ended(code).json();
    fits("report", &json);
    fits("calibration", &json["data"]);
    json
}

/// What is said of the units that are left out, where everybody is independent.
fn left_out(units: &[(&str, &str)]) -> Value {
    let count = |why| units.iter().filter(|(_, of)| *of == why).count();
    let each = units.iter().map(|(unit, why)| json!({"unit": unit, "why": why, "not_independent": []}));
    json!({
        "few": count("few"), "not_independent": 0, "tied": count("tied"), "no_verdict": 0, "not_asked": 0,
        "units": each.collect::<Vec<_>>(),
    })
}

/// A slip in a blind verdict: mended after the judge was shown in one claim, taken back in the other.
#[test]
fn a_slip_loses_no_item_without_saying_which_and_how_to_get_it_back() {
    let world = audited(60);
    let says = |verdict: HumanVerdict| verdict.label().to_owned();
    let (first, second) = (says(right(0)), says(right(1)));
    let decide = |arguments: &[&str]| world.run(&[&["decide"][..], arguments].concat()).ended(0);
    decide(&["rx-000#1", "--blind", "--override", "PARTIALLY_SUPPORTED", "--by", "ana"]);
    let back = decide(&["--undo", "--by", "ana"]);
    let warned = "not independent, and a third person is asked";
    assert!(back.out().contains(warned), "{}", back.out());
    let again = decide(&["rx-000#1", "--blind", "--override", &first, "--by", "ana"]);
    assert!(again.out().contains("not independent"), "{}", again.out());
    decide(&["rx-000#1", "--keep", "--by", "ana"]);
    decide(&["rx-001#1", "--blind", "--override", "PARTIALLY_SUPPORTED", "--by", "ana"]);
    decide(&["rx-001#1", "--override", &second, "--by", "ana"]);
    reviewed(&world, "ana", true, |n| (n > 1).then(|| right(n)));
    reviewed(&world, "bo", true, |n| Some(right(n)));
    // Both are named, with the reason, wherever they are missed.
    let golden = |world: &World| measured(world, &[], 0)["data"]["golden"].clone();
    let missed = json!({
        "few": 0, "not_independent": 1, "tied": 1, "no_verdict": 0, "not_asked": 0,
        "units": [
            {"unit": "rx-000#1", "why": "not_independent", "not_independent": ["ana"]},
            {"unit": "rx-001#1", "why": "tied", "not_independent": []},
        ],
    });
    assert_eq!((&golden(&world)["items"], &golden(&world)["left_out"]), (&json!(58), &missed));
    let told = world.run(&["calibrate"]).ended(0);
    for words in
        ["had not seen the judge (rx-000#1)", "no verdict has most annotators (rx-001#1)", "third person"]
    {
        assert!(told.out().replace('\n', " ").contains(words), "{words}: {}", told.out());
    }
    world.file("claims.jsonl", world.run(&["export", "--what", "claims"]).ended(0).stdout);
    let exported = measured(&world, &["claims.jsonl"], 0);
    assert_eq!(exported["data"]["golden"]["left_out"], missed);
    let agreement = world.run(&["agreement", "--json"]).ended(0).json();
    fits("agreement", &agreement["data"]);
    let alone = json!([{"unit": "rx-000#1", "why": "not_independent", "not_independent": ["ana"]}]);
    assert_eq!(agreement["data"]["left_out"], alone);
    let told = world.run(&["agreement"]).ended(0);
    for words in
        ["Units that count in no figure", "ana: not independent", "differ, the last words are the same"]
    {
        assert!(told.out().contains(words), "{words}: {}", told.out());
    }
    let shown = world.run(&["show", "rx-000#1"]).ended(0);
    assert!(shown.out().contains("by ana, not independent: no figure counts it"), "{}", shown.out());
    assert!(!world.run(&["show", "rx-001#1"]).ended(0).out().contains("not independent"));
    // A third person may judge the first; the other is settled by somebody who decides it openly.
    let third = world.run(&["queue", "--blind", "--by", "dora"]).ended(0);
    assert!(third.out().contains("rx-000#1") && !third.out().contains("rx-001#1"), "{}", third.out());
    decide(&["rx-000#1", "--blind", "--override", &first, "--by", "dora"]);
    decide(&["rx-000#1", "--keep", "--by", "dora"]);
    let enough = world.run(&["decide", "rx-000#1", "--blind", "--override", &first, "--by", "eve"]).ended(2);
    assert!(
        enough.stderr.contains("2 blind verdicts") && enough.stderr.contains("--open"),
        "{}",
        enough.stderr
    );
    decide(&["rx-001#1", "--override", &second, "--by", "cy"]);
    assert_eq!((&golden(&world)["items"], &golden(&world)["left_out"]), (&json!(60), &left_out(&[])));
    let rows = world.run(&["export", "--what", "claims"]).ended(0);
    let row = rows.lines().into_iter().find(|row| row["id"] == "rx-001#1").unwrap();
    assert_eq!((&row["adjudicator"], &row["human_verdict"]), (&json!("cy"), &json!(second)));
    world.file("claims.jsonl", rows.stdout);
    assert_eq!(measured(&world, &["claims.jsonl"], 0)["data"]["golden"]["items"], 60);
    world.run(&["verify"]).ended(0);
}

#[test]
fn people_of_the_store_measure_its_judge() {
    let world = audited(60);
    let never = world.run(&["calibrate"]).ended(3);
    assert!(
        never.stderr.contains("the decisions of") && never.stderr.contains("0 of the items"),
        "{never:?}"
    );
    reviewed(&world, "ana", true, |n| Some(right(n)));
    let alone = world.run(&["calibrate"]).ended(3);
    assert!(alone.stderr.contains("60 with fewer than two annotators"), "{}", alone.stderr);
    assert!(alone.out().is_empty());
    // bo is wrong about three, so that these are tied, and leaves some.
    reviewed(&world, "bo", true, |n| match n {
        0..3 => Some(HumanVerdict::PartiallySupported),
        _ => Some(right(n)),
    });
    let report = measured(&world, &[], 0);
    let data = &report["data"];
    assert_eq!((&report["name"], &data["state"]), (&json!("calibration 1"), &json!("CALIBRATED")));
    assert_eq!(
        data["golden"]["left_out"],
        left_out(&[("rx-000#1", "tied"), ("rx-001#1", "tied"), ("rx-002#1", "tied")])
    );
    assert_eq!((&data["golden"]["items"], &data["golden"]["retrieval"]), (&json!(57), &json!(["bm25-v2"])));
    assert!(data["golden"]["name"].as_str().unwrap().starts_with("the blind verdicts of "), "{data:#}");
    assert!(report["sentences"].to_string().contains("before they were shown the judge"), "{report:#}");
    assert_eq!(data["people"]["shared_units"], 60);
    let agreed = data["people"]["raw"]["value"].as_f64().unwrap();
    assert!((agreed - 0.95).abs() < 1e-9, "57 of 60, as `juror agreement` has it: {agreed}");
    let measured_there = world.run(&["agreement", "--json"]).ended(0).json();
    assert_eq!(measured_there["data"]["together"]["raw"], data["people"]["raw"]);
    // Whoever settles what they disagree on gives the label, and is not one of those who agree or do not.
    reviewed(&world, "cy", false, |n| (n < 2).then(|| right(n)));
    let settled = measured(&world, &[], 0);
    let data = &settled["data"];
    assert_eq!(data["golden"]["left_out"], left_out(&[("rx-002#1", "tied")]));
    assert_eq!((&data["golden"]["items"], &data["people"]["shared_units"]), (&json!(59), &json!(60)));
    assert_eq!(data["people"]["raw"]["value"].as_f64(), Some(agreed));
    let decided = measured(&world, &["--from", "decisions"], 0);
    assert_eq!(decided["data"]["golden"]["items"], 59);
    // An export of the same moment measures the same.
    let rows = world.run(&["export", "--what", "claims"]).ended(0);
    world.file("claims.jsonl", rows.out());
    let exported = measured(&world, &["claims.jsonl"], 0);
    for name in ["items", "left_out"] {
        assert_eq!(exported["data"]["golden"][name], data["golden"][name], "{name}");
    }
    assert_eq!(exported["data"]["kappa"], data["kappa"]);
    world.run(&["verify"]).ended(0);
    let refused = world.run(&["calibrate", "--instrument", "comparison"]).ended(2);
    assert!(refused.stderr.contains("not on whole answers"), "{}", refused.stderr);
    let other = world.run(&["calibrate", "--instrument", "support"]).ended(3);
    assert!(other.stderr.contains("has judged nothing in this store by support"), "{}", other.stderr);
    assert_eq!(world.run(&["calibrate", "--fresh"]).code, Some(2));
}

#[test]
fn decisions_count_where_nobody_judged_blind_or_when_asked() {
    let world = audited(60);
    // People say otherwise of a third of the claims: the judge agrees too little with them.
    let says = |n: usize| Some(if n % 3 == 2 { HumanVerdict::Unsupported } else { right(n) });
    reviewed(&world, "ana", false, says);
    reviewed(&world, "bo", false, says);
    let report = measured(&world, &[], 1);
    assert_eq!(report["data"]["state"], "BELOW 0.7");
    assert!(report["sentences"].to_string().contains("saw the judge's verdict first"), "{report:#}");
    // Some blind verdicts are not enough, and what would be is said.
    reviewed(&world, "cy", true, |n| (n < 5).then(|| right(n)));
    let few = world.run(&["calibrate"]).ended(3);
    assert!(few.stderr.contains("With --from decisions there are enough"), "{}", few.stderr);
    measured(&world, &["--from", "decisions", "--min-kappa", "0.2"], 0);
}

#[test]
fn what_people_said_measures_the_next_prompt_too() {
    let world = audited(60);
    for who in ["ana", "bo"] {
        reviewed(&world, who, true, |n| Some(right(n)));
    }
    measured(&world, &[], 0);
    let says = |world: &World| {
        let facts = world.run(&["report", "--json"]).ended(0).json()["facts"].to_string();
        facts[facts.find("faithfulness, prompt").unwrap()..].to_owned()
    };
    assert!(says(&world).contains(": CALIBRATED, kappa 1.00 over 60 items"), "{}", says(&world));
    world.run(&["report", "--require-calibrated"]).ended(0);
    // Other settings are another judge, which nobody measured.
    world.run(&["audit", "--again", "--granularity", "sentence"]).ended(0);
    assert!(says(&world).contains("NOT_MEASURED, calibrated with other settings"), "{}", says(&world));
    let gate = world.run(&["report", "--require-calibrated"]).ended(3);
    assert!(gate.out().contains("calibrated with other settings"), "{}", gate.out());
    let again = measured(&world, &["--against", "last"], 0);
    assert_eq!((&again["name"], &again["data"]["change"]["worse"]), (&json!("calibration 2"), &json!(false)));
    assert_eq!(again["data"]["change"]["measured"]["kappa"]["n"], 60, "the same items");
    world.run(&["report", "--require-calibrated"]).ended(0);
}

#[test]
fn evidence_that_is_found_otherwise_asks_for_another_measurement() {
    let world = audited(60);
    for who in ["ana", "bo"] {
        reviewed(&world, who, true, |n| Some(right(n)));
    }
    measured(&world, &[], 0);
    let counted = || {
        let store = Store::open(&world.db(), Durability::Normal).unwrap();
        store.queue_counts(&Annotator::new("ana"), SystemClock.now()).unwrap().calibration
    };
    assert_eq!(counted(), Some(CalibrationState::Calibrated));
    world.file("more.jsonl", record(99, "dense-1"));
    world.run(&["import", "more.jsonl"]).ended(0);
    world.run(&["audit"]).ended(0);
    assert_eq!(counted(), Some(CalibrationState::NotMeasured));
    let report = world.run(&["report", "--require-calibrated", "--json"]).ended(3).json();
    let said = report["data"]["judges"][0]["calibration"]["sentence"].as_str().unwrap();
    assert!(said.contains("calibrated with retrieval bm25-v2, now dense-1"), "{said}");
    // The gate of a release goes by what its items say.
    let item = |retrieval: &str| {
        let text = "Adults may take 4 g of paracetamol per day.";
        json!({"id": "q", "documents": [text], "baseline": text, "candidate": text, "metadata": {"retrieval": retrieval}})
            .to_string()
    };
    world.file("old.jsonl", item("bm25-v2"));
    world.file("new.jsonl", item("dense-1"));
    world.run(&["compare", "old.jsonl", "--require-calibrated"]).ended(0);
    let refused = world.run(&["compare", "new.jsonl", "--require-calibrated"]).ended(3);
    let told = refused.out().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("retrieval bm25-v2, now dense-1"), "{told}");
}

/// Who takes back a blind verdict and gives it anew has seen the judge.
fn not_independent(world: &World, who: &str, claim: &str, verdict: &str) {
    let decide = |arguments: &[&str]| world.run(&[&["decide"][..], arguments].concat()).ended(0);
    decide(&[claim, "--blind", "--override", verdict, "--by", who]);
    decide(&["--undo", "--by", who]);
    decide(&[claim, "--blind", "--override", verdict, "--by", who]);
    decide(&[claim, "--keep", "--by", who]);
}

/// What they say counts in no figure, and no less where somebody who sees the judge settles it.
#[test]
fn what_is_settled_counts_only_where_two_judged_it_independently() {
    let world = audited(60);
    not_independent(&world, "ana", "rx-000#1", "PARTIALLY_SUPPORTED");
    not_independent(&world, "bo", "rx-000#1", "UNSUPPORTED");
    world.run(&["decide", "rx-000#1", "--override", "CONTRADICTED", "--disagree", "--by", "cy"]).ended(0);
    for who in ["ana", "bo"] {
        reviewed(&world, who, true, |n| (n > 0).then(|| right(n)));
    }
    let golden = |code| measured(&world, &[], code)["data"]["golden"].clone();
    let found = golden(0);
    assert_eq!(
        (&found["items"], &found["left_out"]["units"]),
        (
            &json!(59),
            &json!([{"unit": "rx-000#1", "why": "not_independent", "not_independent": ["ana", "bo"]}])
        )
    );
    world.file("claims.jsonl", world.run(&["export", "--what", "claims"]).ended(0).stdout);
    let exported = measured(&world, &["claims.jsonl"], 0);
    assert_eq!(exported["data"]["golden"]["left_out"], found["left_out"]);
    // What is told to do lets it count.
    for who in ["dora", "eve"] {
        world.run(&["decide", "rx-000#1", "--blind", "--override", "CONTRADICTED", "--by", who]).ended(0);
        world.run(&["decide", "rx-000#1", "--keep", "--by", who]).ended(0);
    }
    assert_eq!(golden(0)["items"], 60);
}

/// Decisions are those of people who saw even more.
#[test]
fn blind_verdicts_none_of_which_is_independent_are_not_replaced_by_decisions_unasked() {
    let world = audited(60);
    not_independent(&world, "ana", "rx-000#1", "CONTRADICTED");
    for who in ["ana", "bo"] {
        reviewed(&world, who, false, |n| (n > 0).then(|| right(n)));
    }
    let few = world.run(&["calibrate"]).ended(3);
    assert!(few.stderr.contains("With --from decisions there are enough"), "{}", few.stderr);
    assert!(few.out().is_empty(), "{}", few.out());
    measured(&world, &["--from", "decisions"], 0);
}
