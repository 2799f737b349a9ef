//! `juror calibrate`: the local judge against people, kept, and compared with what it was.

use serde_json::{Value, json};

use crate::world::{World, fits, line};

/// Claims whose verdict the local judge gives rightly, by what people say.
fn claim(n: usize, verdict: &str) -> (String, &'static str) {
    match verdict {
        "CONTRADICTED" => (format!("Adults may take {} g of paracetamol per day.", 10 + n), "CONTRADICTED"),
        "UNSUPPORTED" => (format!("Ibuprofen number {n} was first sold in Norway."), "UNSUPPORTED"),
        _ => (format!("Adults may take 4 g of paracetamol per day, says rule {n}."), "FULLY_SUPPORTED"),
    }
}

fn item(n: usize, said: &[&str]) -> Value {
    let (claim, _) = claim(n, ["CONTRADICTED", "UNSUPPORTED", "FULLY_SUPPORTED"][n % 3]);
    let annotations: Vec<Value> = ["ana", "bo", "cy"]
        .iter()
        .zip(said)
        .map(|(annotator, verdict)| json!({"annotator": annotator, "verdict": verdict}))
        .collect();
    json!({
        "id": format!("g{n:03}"), "claim": claim,
        "evidence": [{"passage_id": "p", "content": format!("Adults may take 4 g of paracetamol per day, says rule {n}.")}],
        "annotations": annotations, "metadata": {"retrieval": "bm25-v2"},
    })
}

/// So many items on which both people say what is right.
pub(crate) fn golden(items: usize) -> Vec<Value> {
    (0..items)
        .map(|n| {
            let verdict = ["CONTRADICTED", "UNSUPPORTED", "FULLY_SUPPORTED"][n % 3];
            item(n, &[verdict, verdict])
        })
        .collect()
}

pub(crate) fn lines(items: &[Value]) -> String {
    for item in items {
        fits("golden", item);
    }
    items.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

fn measured(world: &World, arguments: &[&str], code: i32) -> Value {
    let mut all = vec!["calibrate", "--json"];
    all.extend(arguments);
    let json = world.run(&all).ended(code).json();
    fits("report", &json);
    fits("calibration", &json["data"]);
    json
}

const FAITH: &[&str] = &["golden.jsonl", "--instrument", "faithfulness"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    FAITH.iter().chain(more).copied().collect()
}

#[test]
fn a_judge_that_agrees_with_people_is_calibrated_and_kept() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    let mut items = golden(60);
    // A tie, one annotator alone, and no claim.
    items.push(item(61, &["CONTRADICTED", "UNSUPPORTED"]));
    items.push(item(62, &["CONTRADICTED"]));
    items.push(item(63, &["NOT_A_CLAIM", "NOT_A_CLAIM"]));
    world.file("golden.jsonl", lines(&items));
    let report = measured(&world, FAITH, 0);
    let data = &report["data"];
    assert_eq!((&report["name"], &data["state"]), (&json!("calibration 1"), &json!("CALIBRATED")));
    let left_out = &data["golden"]["left_out"];
    let counts =
        ["few", "not_independent", "tied", "no_verdict", "not_asked"].map(|why| left_out[why].as_u64());
    assert_eq!(counts, [Some(1), Some(0), Some(1), Some(1), Some(0)]);
    let of = |at: usize| (left_out["units"][at]["unit"].as_str(), left_out["units"][at]["why"].as_str());
    let named = [of(0), of(1), of(2)].map(|(unit, why)| (unit.unwrap_or_default(), why.unwrap_or_default()));
    assert_eq!(named.map(|(_, why)| why), ["tied", "few", "no_verdict"]);
    let told = world.run(&["calibrate", "golden.jsonl"]).ended(0);
    assert!(named.iter().all(|(unit, _)| told.out().matches(unit).count() >= 2), "{}", told.out());
    assert_eq!((&data["golden"]["items"], &data["golden"]["retrieval"]), (&json!(60), &json!(["bm25-v2"])));
    assert_eq!(data["items"].as_array().unwrap().len(), 60);
    // What people disagree on is no item, and counts in how far they agree.
    assert_eq!(data["people"]["shared_units"], 62);
    assert!(data["people"]["raw"]["value"].as_f64().unwrap() < 1.0, "{data:#}");
    assert!(data["kappa"]["value"].as_f64().unwrap() > 0.9, "{data:#}");
    assert_eq!(data["figures"]["coverage"]["value"], 1.0);
    assert!(data["decomposition_recall"]["undefined_because"].as_str().unwrap().contains("--decomposition"));
    let text = world.run(&with(&["--against", "1"]).into_iter().fold(vec!["calibrate"], |mut all, one| {
        all.push(one);
        all
    }));
    let text = text.ended(0);
    assert!(text.out().contains("CALIBRATED: kappa is"), "{}", text.out());
    assert!(text.out().contains("Against calibration 1 (local"), "{}", text.out());
    assert!(text.out().contains("People among themselves"), "{}", text.out());
    world.run(&["verify"]).ended(0);
}

#[test]
fn the_same_judge_is_worse_where_people_say_otherwise() {
    let world = World::new();
    world.file("golden.jsonl", lines(&golden(60)));
    let before = world.run(&with(&["--json", "-o", "before.json"]).into_iter().fold(
        vec!["calibrate"],
        |mut all, one| {
            all.push(one);
            all
        },
    ));
    before.ended(0);
    // What the judge said before, had it been right on all: it fell on every third item since.
    let mut former: Value =
        serde_json::from_slice(&std::fs::read(world.path("before.json")).unwrap()).unwrap();
    for item in former["data"]["items"].as_array_mut().unwrap() {
        item["judge"] = item["people"].clone();
    }
    world.file("perfect.json", former.to_string());
    for item in former["data"]["items"].as_array_mut().unwrap().iter_mut().step_by(3) {
        item["judge"] = json!(2);
    }
    world.file("poor.json", former.to_string());
    let now = measured(&world, &with(&["--against", "poor.json"]), 0);
    assert_eq!(now["data"]["change"]["worse"], false);
    assert!(now["data"]["change"]["measured"]["kappa"]["value"].as_f64().unwrap() > 0.1, "{now:#}");
    // The other way round: people changed their minds about 20 items, so that the judge is wrong there.
    let mut turned = golden(60);
    for (n, item) in turned.iter_mut().enumerate().filter(|(n, _)| n % 3 == 0) {
        *item = self::item(n, &["UNSUPPORTED", "UNSUPPORTED"]);
    }
    world.file("golden.jsonl", lines(&turned));
    let below = measured(&world, FAITH, 1);
    assert_eq!(below["data"]["state"], "BELOW 0.7");
    assert_eq!(below["gate"]["says"], "no");
    measured(&world, &with(&["--min-kappa", "0.1"]), 0);
    let refused = |arguments: &[&str], sentence: &str| {
        let mut all = vec!["calibrate"];
        all.extend(with(arguments));
        let run = world.run(&all).ended(2);
        assert!(run.stderr.contains(sentence), "{sentence}: {}", run.stderr);
    };
    refused(&["--against", "7"], "no calibration of that number");
    refused(&["--against", "golden.jsonl"], "not a report of `juror calibrate --json`");
}

#[test]
fn too_few_items_are_no_measurement() {
    let world = World::new();
    world.file("golden.jsonl", lines(&golden(49)));
    let mut all = vec!["calibrate"];
    all.extend(FAITH);
    let run = world.run(&all).ended(3);
    assert!(
        run.stderr.contains("49 of the items have a consensus") && run.stderr.contains("50 are needed"),
        "{}",
        run.stderr
    );
    assert!(run.out().is_empty());
    world.file("golden.jsonl", format!("{}\nnot JSON\n{{\"id\":\"x\"}}", lines(&golden(60))));
    let run = world.run(&all).ended(2);
    assert!(
        run.stderr.contains("golden.jsonl:61: not JSON") && run.stderr.contains("golden.jsonl:62: "),
        "{}",
        run.stderr
    );
    world.file("golden.jsonl", [lines(&golden(60)), lines(&golden(1))].join("\n"));
    assert!(world.run(&all).ended(2).stderr.contains("golden.jsonl:61: g000 stands there twice"));
}

#[test]
fn labels_stand_for_people_only_when_asked() {
    let world = World::new();
    let labelled: Vec<String> = golden(60)
        .into_iter()
        .enumerate()
        .map(|(n, mut item)| {
            item.as_object_mut().unwrap().remove("annotations");
            item["label"] = ["CONTRADICTED", "UNSUPPORTED", "FULLY_SUPPORTED"][n % 3].into();
            fits("golden", &item);
            item.to_string()
        })
        .collect();
    world.file("golden.jsonl", labelled.join("\n"));
    let mut all = vec!["calibrate"];
    all.extend(FAITH);
    let run = world.run(&all).ended(3);
    assert!(run.stderr.contains("60 with fewer than two annotators"), "{}", run.stderr);
    let trusted = measured(&world, &with(&["--trust-labels"]), 0);
    assert_eq!((&trusted["data"]["people"], &trusted["name"]), (&Value::Null, &json!("calibration 1")));
    assert!(trusted["sentences"].to_string().contains("nothing here tells how many gave them"));
}

#[test]
fn scores_are_held_to_quadratic_weights() {
    let world = World::new();
    let pairs: Vec<Value> = (0..60)
        .map(|n| {
            let (claim, score) = match n % 3 {
                0 => (format!("Rule {n} allows 4 g per day."), 5),
                1 => (format!("Rule {n} allows 9 g per day."), 1),
                _ => ("Ibuprofen was first sold in Norway.".to_owned(), 1),
            };
            json!({"claim_id": format!("c{n}"), "claim": claim, "source_id": "s", "source": format!("Rule {n} allows 4 g per day."),
                "annotations": [{"annotator": "ana", "score": score}, {"annotator": "bo", "score": score}]})
        })
        .collect();
    world.file("pairs.jsonl", lines(&pairs));
    let report = measured(&world, &["pairs.jsonl", "--instrument", "support"], 0);
    let data = &report["data"];
    assert_eq!(data["kappa"], data["figures"]["kappa_quadratic"]);
    assert_eq!((&data["state"], &data["scale"][4]), (&json!("CALIBRATED"), &json!("5")));
    let wrong = world.run(&["calibrate", "pairs.jsonl", "--instrument", "faithfulness"]).ended(2);
    assert!(
        wrong.stderr.contains("pairs.jsonl:1: nothing that --instrument faithfulness asks about"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn two_answers_are_right_or_wrong() {
    let world = World::new();
    let items: Vec<Value> = (0..30)
        .map(|n| {
            let annotation = |annotator| json!({"annotator": annotator, "baseline_wrong": false, "candidate_wrong": true});
            json!({"id": format!("q{n}"), "documents": [format!("Rule {n} allows 4 g per day.")],
                "baseline": format!("Rule {n} allows 4 g per day."), "candidate": format!("Rule {n} allows 9 g per day."),
                "annotations": [annotation("ana"), annotation("bo")]})
        })
        .collect();
    world.file("items.jsonl", lines(&items));
    let report = measured(&world, &["items.jsonl", "--instrument", "comparison"], 0);
    assert_eq!(
        (&report["data"]["golden"]["items"], &report["data"]["scale"]),
        (&json!(60), &json!(["RIGHT", "WRONG"]))
    );
    assert_eq!(report["data"]["state"], "CALIBRATED", "{report:#}");
    assert!(report["data"]["figures"]["kappa_linear"]["undefined_because"].is_string());
}

#[test]
fn how_many_claims_the_judge_finds_by_itself_is_told_when_asked() {
    let world = World::new();
    let records: Vec<Value> = (0..30)
        .map(|n| {
            let said = |verdict: &str| json!([{"annotator": "ana", "verdict": verdict}, {"annotator": "bo", "verdict": verdict}]);
            json!({
                "audit_id": format!("r{n}"),
                "generated_answer": format!("Rule {n} allows 4 g per day. Rule {n} is from 1999."),
                "evidence_passages": [{"passage_id": "p", "content": format!("Rule {n} allows 4 g per day. Rule {n} is from 2004.")}],
                "claims": [
                    {"claim_text": format!("Rule {n} allows 4 g per day."), "annotations": said("FULLY_SUPPORTED")},
                    {"claim_text": format!("Rule {n} is from 1999."), "annotations": said("CONTRADICTED")},
                ],
            })
        })
        .collect();
    world.file("golden.jsonl", lines(&records));
    let report = measured(&world, &with(&["--decomposition"]), 0);
    let recall = &report["data"]["decomposition_recall"];
    assert_eq!((&recall["n"], &recall["value"]), (&json!(60), &json!(1.0)));
}

#[test]
fn what_is_exported_can_be_calibrated_on() {
    let world = World::new();
    let records: Vec<String> = (0..60).map(|n| line(&format!("rx-{n}"), &format!("Take {n} g."))).collect();
    world.audited(&records);
    for n in 0..60 {
        for who in ["ana", "bo"] {
            let verdict = if n % 6 == 0 { "unsupported" } else { "contradicted" };
            let id = format!("rx-{n}#1");
            world.run(&["decide", &id, "--override", verdict, "--by", who]).ended(0);
        }
    }
    world.run(&["export", "--what", "claims", "-o", "claims.jsonl"]).ended(0);
    let report = world.run(&["calibrate", "claims.jsonl", "--json", "--min-kappa", "-1"]).ended(0);
    assert!(report.stderr.contains("kept nowhere"), "{}", report.stderr);
    let (of_export, of_store) =
        (report.json(), world.run(&["calibrate", "--json", "--min-kappa", "-1"]).ended(0).json());
    for figure in ["kappa", "figures", "confusion"] {
        assert_eq!(of_export["data"][figure], of_store["data"][figure], "{figure}");
    }
    assert_eq!(of_export["data"]["golden"]["items"], 60);
    let agreement = world.run(&["agreement", "claims.jsonl", "--json"]).ended(0).json();
    assert!(agreement.to_string().contains("ana"), "{agreement}");
    // Thirty rows that stand there twice are not sixty.
    let rows = String::from_utf8(std::fs::read(world.path("claims.jsonl")).unwrap()).unwrap();
    let half = rows.lines().take(30).collect::<Vec<_>>().join("\n");
    world.file("doubled.jsonl", format!("{half}\n{half}\n"));
    let doubled = world.run(&["calibrate", "doubled.jsonl", "--min-kappa", "-1"]).ended(2);
    assert!(doubled.stderr.contains("doubled.jsonl:31: rx-0#1 stands there twice"), "{}", doubled.stderr);
    let both =
        world.run(&["calibrate", "claims.jsonl", "doubled.jsonl", "--min-kappa", "-1", "--json"]).ended(2);
    assert_eq!(
        (&both.json()["data"]["state"], &both.json()["gate"]["says"]),
        (&json!("NOT_MEASURED"), &json!("cannot_say"))
    );
}

/// What people said of a hundred and twenty claims, on those of every fourth record not the same: ten to a record, or
/// each in a record of its own.
fn said_of_claims(per_record: usize) -> String {
    let records: Vec<Value> = (0..120 / per_record)
        .map(|record| {
            let text = |claim: usize| format!("Rule {} allows 4 g per day.", record * per_record + claim);
            let all = (0..per_record).map(text).collect::<Vec<_>>().join(" ");
            let claims: Vec<Value> = (0..per_record)
                .map(|claim| {
                    let tenth = (record * per_record + claim) / 10;
                    let other = if tenth.is_multiple_of(4) { "UNSUPPORTED" } else { "FULLY_SUPPORTED" };
                    json!({"claim_text": text(claim), "annotations": [
                        {"annotator": "ana", "verdict": "FULLY_SUPPORTED"}, {"annotator": "bo", "verdict": other}]})
                })
                .collect();
            json!({"audit_id": format!("r{record}"), "generated_answer": all,
                "evidence_passages": [{"passage_id": "p", "content": all}], "claims": claims})
        })
        .collect();
    lines(&records)
}

#[test]
fn what_people_agree_on_is_by_record_where_lines_have_several_claims() {
    let world = World::new();
    let width = |per_record: usize| {
        world.file("golden.jsonl", said_of_claims(per_record));
        let arguments = ["calibrate", "golden.jsonl", "--min-kappa", "-1", "--json"];
        let report = world.run(&arguments).json();
        let raw = &report["data"]["people"]["raw"];
        assert_eq!((&raw["value"], &raw["n"]), (&json!(0.75), &json!(120)), "{report:#}");
        raw["interval"]["high"].as_f64().unwrap() - raw["interval"]["low"].as_f64().unwrap()
    };
    let (together, apart) = (width(10), width(1));
    assert!(together > 2.0 * apart, "{together} for {apart}");
}

#[test]
fn an_item_that_a_comparison_leaves_out_is_no_verdict_of_the_judge() {
    let world = World::new();
    let said = ["ana", "bo"]
        .map(|annotator| json!({"annotator": annotator, "baseline_wrong": false, "candidate_wrong": false}));
    // Of the candidate's claims one has a verdict, and the rest is in a script that the judge cannot cut.
    let items: Vec<Value> = (0..30)
        .map(|n| {
            let rule = format!("Rule {n} allows 4 g per day.");
            json!({"id": format!("q{n}"), "documents": [rule], "baseline": rule,
                "candidate": format!("{rule}\n\nทุกคนควรดื่มน้ำ {n}.\n\nทุกคนควรพักผ่อน {n}.\n\nทุกคนควรนอนหลับ {n}."), "annotations": said})
        })
        .collect();
    world.file("items.jsonl", lines(&items));
    let compared = world.run(&["compare", "items.jsonl"]).ended(3);
    assert!(compared.out().contains("of the candidate have a verdict, too few"), "{}", compared.out());
    let report = measured(&world, &["items.jsonl", "--instrument", "comparison", "--min-kappa", "-1"], 3);
    assert_eq!(report["data"]["figures"]["coverage"]["value"], 0.0, "{report:#}");
    assert_eq!(report["data"]["state"], "NOT_MEASURED");
}

#[test]
fn a_judge_that_failed_on_an_item_is_not_measured_however_right_it_is_on_the_rest() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    let good = lines(&golden(60));
    world.file("golden.jsonl", format!("{good}\nno item"));
    let report = measured(&world, FAITH, 2);
    assert_eq!(report["data"]["state"], "NOT_MEASURED");
    let kept = world.run(&["report", "calibration", "--json"]).ended(3).json();
    assert_eq!(kept["data"]["state"], "NOT_MEASURED");
    // Fewer verdicts than what is asked about: the judge has none on texts in a script that it cannot cut.
    let mut items = golden(60);
    for n in 100..120 {
        let mut silent = item(n, &["FULLY_SUPPORTED", "FULLY_SUPPORTED"]);
        silent["claim"] = json!(format!("ทุกคนควรดื่มน้ำ {n}"));
        silent["evidence"] = json!([{"passage_id": "p", "content": format!("ทุกคนควรดื่มน้ำ {n}")}]);
        items.push(silent);
    }
    world.file("golden.jsonl", lines(&items));
    let report = measured(&world, FAITH, 3);
    assert_eq!(report["data"]["state"], "NOT_MEASURED", "{}", report["sentences"]);
    assert!(
        report["gate"]["conditions"][0]["sentence"]
            .as_str()
            .unwrap()
            .contains("of 80 items, and 80 % are needed")
    );
}
