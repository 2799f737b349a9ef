//! A repair may mend the writing, not the verdict.

use super::*;
use crate::clock::CoreTime;

fn told(before: &str, after: &Value) -> Vec<String> {
    verdicts_changed(before, after).iter().map(ToString::to_string).collect()
}

fn two() -> Value {
    let mut answer = answer();
    let mut second = answer["claims"][0].clone();
    second["claim_id"] = json!("2");
    second["claim_text"] = json!("It is \"safe\".");
    second["verdict"] = json!("FULLY_SUPPORTED");
    answer["claims"].as_array_mut().unwrap().push(second);
    answer
}

#[test]
fn the_same_verdicts_are_no_change_however_broken_the_reply_was() {
    let text = serde_json::to_string_pretty(&two()).unwrap();
    for before in [
        text.clone(),
        text.replace("\"severity\":", "\"severity\""),
        text.replace("CONTRADICTED\"", "contradicted\"").replace("\"FULLY_SUPPORTED\"", "\"Supported\""),
        text.replace("\"verdict\": \"CONTRADICTED\"", "verdict: CONTRADICTED"),
        text[..text.len() - 2].to_owned(),
        format!("<think>it's fine</think> Here: {text}"),
    ] {
        assert_eq!(told(&before, &two()), [""; 0], "{before}");
    }
}

#[test]
fn another_verdict_is_named_with_its_claim() {
    let before = serde_json::to_string_pretty(&two()).unwrap();
    let before = &before[..before.len() - 2];
    let mut after = two();
    after["claims"][0]["verdict"] = json!("FULLY_SUPPORTED");
    let expected = ["claim `1`: verdict CONTRADICTED before the repair, FULLY_SUPPORTED after it."];
    assert_eq!(told(before, &after), expected);
    // Other numbers for the same claims change nothing about that.
    after["claims"][0]["claim_id"] = json!("2");
    after["claims"][1]["claim_id"] = json!("1");
    assert_eq!(told(before, &after), expected);
    after["claims"].as_array_mut().unwrap().remove(0);
    assert_eq!(told(before, &after), ["claim `1`: verdict CONTRADICTED before the repair, gone after it."]);
}

#[test]
fn a_reworded_claim_is_known_by_its_id_and_a_score_without_one_by_its_place() {
    let mut after = two();
    after["claims"][0]["claim_text"] = json!("The dose is eight grams.");
    after["claims"][0]["verdict"] = json!("UNSUPPORTED");
    assert_eq!(told(&two().to_string(), &after).len(), 1);
    let before = r#"{"score": "2", "support_level": "Weakly Related", "rationale": "broken" "#;
    let same = json!({"score": 2, "support_level": "Weakly Related"});
    assert_eq!(told(before, &same), [""; 0]);
    let other = json!({"score": 5, "support_level": "Directly Supports"});
    assert_eq!(
        told(before, &other),
        [
            "the reply: score 2 before the repair, 5 after it.",
            "the reply: support_level Weakly Related before the repair, Directly Supports after it.",
        ]
    );
}

#[test]
fn two_analyses_with_the_same_ids_are_kept_apart() {
    let side = |status: &str| json!({"claims": [{"claim_id": "1", "claim_text": "Same.", "status": status}]});
    let reply = |baseline: &str, candidate: &str| json!({"baseline_analysis": side(baseline), "candidate_analysis": side(candidate)});
    let before = reply("SUPPORTED", "CONTRADICTED").to_string();
    let before = &before[..before.len() - 1];
    assert_eq!(told(before, &reply("SUPPORTED", "CONTRADICTED")), [""; 0]);
    assert_eq!(told(before, &reply("CONTRADICTED", "SUPPORTED")).len(), 2);
}

#[test]
fn a_change_says_where_its_claim_stands_and_what_was_no_label_was_none() {
    let mut after = two();
    after["claims"][1]["verdict"] = json!("UNSUPPORTED");
    let changes = verdicts_changed(&two().to_string(), &after);
    let [change] = changes.as_slice() else { panic!("{changes:?}") };
    assert_eq!(change.place.as_deref(), Some("/claims/1"));
    assert_eq!((change.id.as_deref(), change.words.as_deref()), (Some("2"), Some("It is \"safe\".")));
    assert_eq!(
        change.reason(),
        "the reply had to be repaired, and the repair changed this verdict from FULLY_SUPPORTED to UNSUPPORTED"
    );
    after["claims"].as_array_mut().unwrap().pop();
    let changes = verdicts_changed(&two().to_string(), &after);
    assert_eq!((changes[0].place.as_deref(), changes[0].path.as_str()), (None, "/claims"));
    let unknown = two().to_string().replace("CONTRADICTED", "REFUTED, I THINK");
    assert_eq!(
        told(&unknown, &two()),
        ["claim `1`: verdict unreadable before the repair, CONTRADICTED after it."]
    );
    assert_eq!(told(r#"{"score": 2.0}"#, &json!({"score": 2})), [""; 0]);
    assert_eq!(told(r#"{"score": 9}"#, &json!({"score": 2})).len(), 1);
    let level = json!({"score": 2, "support_level": "Weakly Related"});
    assert_eq!(told(r#"{"score": 2}"#, &level), [""; 0], "one of both is enough");
}

#[test]
fn a_repair_adds_no_verdict() {
    for before in ["", "no labels { [ \" here", "I think both are supported."] {
        let changes = verdicts_changed(before, &two());
        let verdicts = changes.iter().filter(|change| change.field == "verdict");
        assert_eq!(verdicts.count(), 2, "{before}");
        assert!(!is_mended(before, &two()), "{before}");
    }
    let one = answer().to_string();
    let changes = verdicts_changed(&one[..one.len() - 1], &two());
    let [added] = changes.as_slice() else { panic!("{changes:?}") };
    assert_eq!((added.place.as_deref(), &added.before), (Some("/claims/1"), &None));
    assert_eq!(
        added.reason(),
        "the reply had to be repaired, and the repair added this verdict, of which nothing could be read before: \
         FULLY_SUPPORTED"
    );
    assert!(is_mended(&one, &two()));
    // Cut before the verdict of the second.
    let text = two().to_string();
    let cut = &text[..text.rfind("\"FULLY_SUPPORTED").unwrap()];
    let changes = verdicts_changed(cut, &two());
    assert_eq!(changes.iter().filter(|change| change.field == "verdict").count(), 1);
}

#[test]
fn a_repair_declares_no_sentence_to_hold_no_claim() {
    let reply = |numbers: &[u8]| json!({"claims": [], "no_claim": numbers});
    let changes = verdicts_changed(r#"{"claims": [], "no_claim": [1"#, &reply(&[1, 2]));
    let [added] = changes.as_slice() else { panic!("{changes:?}") };
    assert_eq!(added.place.as_deref(), Some("/no_claim/1"));
    assert!(!is_mended("Nothing is claimed.", &reply(&[1])));
    assert!(!is_mended("Nothing is claimed.", &reply(&[])));
    assert!(is_mended(r#"{"claims": [], "no_claim": ["#, &reply(&[])));
}

#[test]
fn changed_quotations_severities_and_confidences_are_told() {
    let before = two().to_string();
    let before = &before[..before.len() - 1];
    assert_eq!(details_changed(before, &two()), [""; 0]);
    let mut after = two();
    after["claims"][0]["severity"] = json!("LOW");
    after["claims"][1]["confidence"] = json!(0.01);
    after["claims"][1]["evidence_citation"] =
        json!([{"passage_id": "p", "quote": "Quite other words.", "role": "supports"}]);
    let told = details_changed(before, &after);
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[0].starts_with("claim `1`: severity ") && told[0].ends_with("LOW after it."), "{told:?}");
    assert!(told[1].contains("confidence") && told[1].ends_with("0.01 after it."), "{told:?}");
    assert_eq!(told[2], "the quotation `Quite other words.` stands only in the repair.");
}

/// A reply of a megabyte is compared as fast as it is read, whatever its claims are called.
#[test]
fn a_reply_of_very_many_claims_is_compared_in_time_that_grows_with_its_length() {
    let named = |name: &dyn Fn(usize) -> String, number: usize| {
        let claims: Vec<Value> =
            (0..number).map(|at| json!({"claim_id": name(at), "verdict": "UNSUPPORTED"})).collect();
        json!({"claims": claims})
    };
    let time = CoreTime::start();
    let numbered = named(&|at| format!("c{at}"), 25_000);
    let broken = |value: &Value| format!("{value} oops");
    assert_eq!(verdicts_changed(&broken(&numbered), &numbered), []);
    assert!(is_mended(&broken(&numbered), &numbered));
    assert_eq!(details_changed(&broken(&numbered), &numbered), Vec::<String>::new());
    // Of so many by one name none is known again: all of them are without a verdict.
    let alike = named(&|_| "c".to_owned(), 25_000);
    let changes = verdicts_changed(&broken(&alike), &alike);
    assert!(changes.iter().any(|change| change.place.is_none()));
    assert!(changes.iter().filter(|change| change.place.is_some()).count() == 25_000);
    // A long name over many claims is not written down for each of them.
    let long = format!("{{\"{}\": [{}]}}", "x".repeat(300_000), "{\"score\": 1},".repeat(40_000));
    assert!(is_mended(&long, &json!({"score": 1})));
    assert!(time.elapsed() < std::time::Duration::from_secs(20), "{:?}", time.elapsed());
}
