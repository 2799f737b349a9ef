//! A repair may mend the writing, not what is said.

use super::*;
use crate::clock::CoreTime;

fn told(before: &str, after: &Value) -> Vec<String> {
    changes(before, after).iter().map(ToString::to_string).collect()
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
    assert_eq!(
        told(&two().to_string(), &after),
        [
            "claim `1`: verdict CONTRADICTED before the repair, UNSUPPORTED after it.",
            "claim `1`: claim_text The dose is 8 g. before the repair, The dose is eight grams. after it.",
        ]
    );
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
    let found = changes(&two().to_string(), &after);
    let [change] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(change.place.as_deref(), Some("/claims/1"));
    assert_eq!((change.id.as_deref(), change.words.as_deref()), (Some("2"), Some("It is \"safe\".")));
    assert_eq!(
        change.reason(),
        "the reply had to be repaired, and the repair changed this verdict from FULLY_SUPPORTED to UNSUPPORTED"
    );
    after["claims"].as_array_mut().unwrap().pop();
    let found = changes(&two().to_string(), &after);
    assert_eq!((found[0].place.as_deref(), found[0].path.as_str()), (None, "/claims"));
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
        let found = changes(before, &two());
        let verdicts = found.iter().filter(|change| change.field == "verdict");
        assert_eq!(verdicts.count(), 2, "{before}");
        assert!(!is_mended(before, &two()), "{before}");
    }
    let one = answer().to_string();
    let found = changes(&one[..one.len() - 1], &two());
    let [added] = found.as_slice() else { panic!("{found:?}") };
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
    let found = changes(cut, &two());
    assert_eq!(found.iter().filter(|change| change.field == "verdict").count(), 1);
}

#[test]
fn a_repair_declares_no_sentence_to_hold_no_claim() {
    let reply = |numbers: &[u8]| json!({"claims": [], "no_claim": numbers});
    let found = changes(r#"{"claims": [], "no_claim": [1"#, &reply(&[1, 2]));
    let [added] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(added.place.as_deref(), Some("/no_claim/1"));
    assert!(!is_mended("Nothing is claimed.", &reply(&[1])));
    assert!(!is_mended("Nothing is claimed.", &reply(&[])));
    assert!(is_mended(r#"{"claims": [], "no_claim": ["#, &reply(&[])));
}

#[test]
fn whatever_else_a_claim_says_must_have_been_said_before() {
    let before = two().to_string();
    let before = &before[..before.len() - 1];
    assert_eq!(told(before, &two()), [""; 0]);
    let quote = |words: &str| json!([{"passage_id": "p1", "quote": words, "role": "contradicts"}]);
    for (field, value, is_told) in [
        (
            "claim_text",
            json!("The dose is 4 g."),
            "claim_text The dose is 8 g. before the repair, The dose is 4 g. after",
        ),
        ("rationale", json!("It says so."), "rationale The claim says 8 g"),
        ("severity", json!("LOW"), "severity CRITICAL before the repair, LOW after it."),
        ("severity", Value::Null, "severity CRITICAL before the repair, gone after it."),
        (
            "hallucination_type",
            json!("DISTORTION"),
            "hallucination_type unreadable before the repair, DISTORTION after",
        ),
        ("confidence", json!(0.1), "confidence 0.9 before the repair, 0.1 after it."),
        ("sentence", json!(2), "sentence 1 before the repair, 2 after it."),
        (
            "evidence_citation",
            quote("at least 4 g"),
            "quote at most 4 g before the repair, at least 4 g after it.",
        ),
        ("evidence_citation", json!([]), "passage_id p1 before the repair, gone after it."),
        (
            "evidence_citation",
            json!([{"passage_id": "p2", "quote": "at most 4 g", "role": "contradicts"}]),
            "passage_id p1",
        ),
        (
            "evidence_citation",
            json!([{"passage_id": "p1", "quote": "at most 4 g", "role": "supports"}]),
            "role contradicts",
        ),
    ] {
        let mut after = two();
        after["claims"][0][field] = value;
        let found = told(before, &after);
        assert!(found.first().is_some_and(|first| first.contains(is_told)), "{field}: {found:?}");
        assert!(
            found.iter().all(|change| change.starts_with("claim `1`: ")),
            "only of that claim: {found:?}"
        );
    }
    // Words of another claim are not its own.
    let mut after = two();
    after["claims"][0]["evidence_citation"][0]["quote"] = json!("It is \"safe\".");
    assert_eq!(told(before, &after).len(), 1);
}

#[test]
fn what_is_form_may_change() {
    let text = two().to_string();
    for before in [
        // Marks within a string, and marks, brackets and commas that were forgotten.
        text.replace("The claim says 8 g,", "The \"claim\" says 8 g,").replace("\\\"", "\""),
        text.replace("\"contradicts\"}]", "\"contradicts\"}"),
        text.replace("\"severity\":", "\"severity\""),
        text.replace(",\"severity\"", " \"severity\""),
        text.replace("\"severity\":", "severity:"),
        // The writing of labels, numbers and of what says nothing.
        text.replace("\"CRITICAL\"", "\"critical\"").replace("0.9", "\"0.90\""),
        text.replace("\"hallucination_type\":null,", "\"hallucination_type\":\"n/a\","),
        text.replace("\"hallucination_type\":null,", ""),
        // A field by another name, and one more.
        text.replace("evidence_citation", "evidence").replace("\"quote\"", "\"text\""),
        text.replace("\"sentence\":1,", "\"sentence\":1,\"mood\":\"good\","),
        text.replace("\"CRITICAL\"", "\"VERY BAD\""),
    ] {
        let mut after = two();
        if before.contains("\"claim\"") {
            for claim in after["claims"].as_array_mut().unwrap() {
                claim["rationale"] = json!("The \"claim\" says 8 g, the evidence says 4 g.");
            }
        }
        if before.contains("VERY BAD") {
            for claim in after["claims"].as_array_mut().unwrap() {
                claim["severity"] = Value::Null;
            }
        }
        assert_ne!(before, text);
        assert_eq!(told(&before, &after), [""; 0], "{before}");
    }
}

#[test]
fn a_stroke_before_what_needs_none_is_form() {
    let mut after = two();
    after["claims"][0]["rationale"] = json!("The patient's dose_max is 8 g\\alpha, \"or so\".");
    let before = after
        .to_string()
        .replace("patient's dose_max", r"patient\'s dose\_max")
        .replace(r"\\alpha", r"\alpha");
    assert_eq!(told(&before, &after), [""; 0], "{before}");
    // As Python writes it.
    let python = r"{'claims': [{'claim_id': '1', 'claim_text': 'It\'s safe.', 'verdict': 'UNSUPPORTED'}]}";
    let same = json!({"claims": [{"claim_id": "1", "claim_text": "It's safe.", "verdict": "UNSUPPORTED"}]});
    assert_eq!(told(python, &same), [""; 0]);
    let other = json!({"claims": [{"claim_id": "1", "claim_text": "Its safe.", "verdict": "UNSUPPORTED"}]});
    assert_eq!(told(python, &other).len(), 1);
}

#[test]
fn the_kind_of_quotation_marks_is_form() {
    let said =
        |words: &str| json!({"claims": [{"claim_id": "1", "rationale": words, "verdict": "UNSUPPORTED"}]});
    let before = said("It says \"at most 4 g\" there.").to_string();
    assert_eq!(told(&before, &said("It says 'at most 4 g' there.")), [""; 0]);
    assert_eq!(told(&before, &said("It says “at most 4 g” there.")), [""; 0]);
    assert_eq!(told(&before, &said("It says 'at most 8 g' there.")).len(), 1);
    assert_eq!(
        told(&said("It is 5\" long.").to_string(), &said("It is 5' long.")).len(),
        1,
        "inches and feet"
    );
}

#[test]
fn the_name_of_a_label_is_form() {
    let mut whole = answer();
    whole["no_claim"] = json!([]);
    let text = whole.to_string();
    let label = "\"verdict\":\"CONTRADICTED\"";
    for written in [
        "\"Verdict\":\"CONTRADICTED\"",
        "\"label\":\"contradicted\"",
        "\"verdict\":{\"label\":\"CONTRADICTED\"}",
        "\"verdict\":{\"verdict\":\"CONTRADICTED\"}",
        "// the evidence says 4 g, not \"8 g\"\n\"verdict\":\"CONTRADICTED\"",
        "/* so: */ \"verdict\":\"CONTRADICTED\"",
    ] {
        let before = text.replace(label, written);
        assert_ne!(before, text);
        assert!(is_mended(&before, &whole), "{written}");
        assert_eq!(told(&before, &whole), [""; 0], "{written}");
        let mut after = whole.clone();
        after["claims"][0]["verdict"] = json!("UNSUPPORTED");
        assert!(!told(&before, &after).is_empty(), "{written}");
    }
    // Of two that differ none is the label.
    let before = text.replace(label, "\"mine\":\"CONTRADICTED\",\"theirs\":\"UNSUPPORTED\"");
    assert!(!is_mended(&before, &whole));
    assert_eq!(told(&before, &whole).len(), 1);
    // What cannot be read is not read elsewhere.
    let before = text.replace(label, "\"verdict\":\"MAYBE\",\"label\":\"CONTRADICTED\"");
    assert_eq!(told(&before, &whole).len(), 1);
    let camel = text.replace("claim_text", "Claim_Text").replace("rationale", "Rationale");
    assert_eq!(told(&camel, &whole), [""; 0]);
}

#[test]
fn a_claim_whose_label_could_not_be_read_is_not_lost() {
    for label in ["\"MAYBE\"", "\"\"", "null", "7"] {
        let before = two().to_string().replace("\"FULLY_SUPPORTED\"", label);
        let mut after = two();
        after["claims"].as_array_mut().unwrap().pop();
        let found = changes(&before, &after);
        let [gone] = found.as_slice() else { panic!("{label}: {found:?}") };
        assert_eq!((gone.place.as_deref(), gone.path.as_str()), (None, "/claims"));
        assert_eq!((gone.id.as_deref(), gone.words.as_deref()), (Some("2"), Some("It is \"safe\".")));
        assert_eq!(gone.reason(), "the reply had to be repaired, and its label could not be read");
    }
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
    assert_eq!(changes(&broken(&numbered), &numbered), []);
    assert!(is_mended(&broken(&numbered), &numbered));
    // Of so many by one name none is known again: all of them are without a verdict.
    let alike = named(&|_| "c".to_owned(), 25_000);
    let found = changes(&broken(&alike), &alike);
    assert!(found.iter().any(|change| change.place.is_none()));
    assert!(found.iter().filter(|change| change.place.is_some()).count() == 25_000);
    // A long name over many claims is not written down for each of them.
    let long = format!("{{\"{}\": [{}]}}", "x".repeat(300_000), "{\"score\": 1},".repeat(40_000));
    assert!(is_mended(&long, &json!({"score": 1})));
    assert!(time.elapsed() < std::time::Duration::from_secs(20), "{:?}", time.elapsed());
}
