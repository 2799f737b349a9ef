//! Slips that models make, one by one.

use super::*;

fn noted(text: impl ToString, note: &str) {
    let text = text.to_string();
    let read = read_whole(&text);
    assert_eq!(read.value, answer(), "{text}");
    assert!(read.notes.iter().any(|found| found.contains(note)), "{text}\n{:?}", read.notes);
}

#[test]
fn a_plain_answer_is_read_without_a_note() {
    for text in
        [answer().to_string(), format!("\u{feff}\n {}\n", serde_json::to_string_pretty(&answer()).unwrap())]
    {
        assert_eq!(read_whole(text), Read { value: answer(), notes: vec![] });
    }
}

#[test]
fn j01_a_fence_is_passed_over_and_noted() {
    for fence in ["```json\n", "```JSON\n", "```\n", "~~~"] {
        let close = if fence == "~~~" { "~~~" } else { "\n```" };
        let read = read_whole(format!("{fence}{}{close}", answer()));
        assert_eq!(read.value, answer());
        assert_eq!(read.notes.len(), 1, "{:?}", read.notes);
    }
    noted(format!("```json\n{}\n```", answer()), "A code fence round the answer was passed over.");
    noted(
        format!("Here it is:\n```json\n{}\n```\nGood luck!", answer()),
        "Words before and after the answer",
    );
    noted(format!("```json\n{}", answer()), "code fence");
}

#[test]
fn j02_reasoning_is_set_aside_with_all_its_braces() {
    for reasoning in [
        "<think>It has {braces} and \"quotes and [1] and {\"a\": 1} and it's \"odd</think>",
        "<think>\nDraft: {\"claims\": [{\"verdict\": \"SUPPORTED\" … and so on\n</think>\n\n",
        "<THINKING>{ { [ \" </THINKING>",
        "<think>one</think>\n<think>two {\"claims\": [</think>",
        "◁think▷ {\"x\" ◁/think▷",
        "[THINK]hm [/THINK]",
        "<|channel|>analysis<|message|>Need {\"claims\" <|end|><|start|>assistant<|channel|>final<|message|>",
    ] {
        noted(format!("{reasoning}{}", answer()), "reasoning was set aside");
    }
    assert!(unreadable(format!("<think>{}", answer())).contains("reasoning without an end"));
    assert!(unreadable("<think>hm</think>\nI give up.").contains("No JSON object follows the reasoning"));
}

#[test]
fn j03_a_closing_mark_alone_ends_the_reasoning() {
    noted(format!("So it is contradicted, {{I}} think.</think>{}", answer()), "reasoning was set aside");
    noted(format!("a </think> b {{\"claims\": []}} </think>\n{}", answer()), "reasoning was set aside");
    // A mark that an audited text brought along stands in quotes.
    let mut quoting = answer();
    quoting["claims"][0]["rationale"] = json!("It quotes </think> and </thinking>.");
    let read = read_whole(format!("It says </think>{quoting}"));
    assert_eq!(read.value, quoting);
}

#[test]
fn j04_a_draft_is_not_the_answer() {
    let draft = with("verdict", "FULLY_SUPPORTED");
    let answer_twice = format!("{0}\nThat is:\n{0}", answer());
    noted(answer_twice, "Words before the answer were passed over");
    noted(format!("maybe {draft}</think>{}", answer()), "reasoning was set aside");
    assert!(unreadable(format!("{draft}</think>")).contains("No JSON object follows the reasoning"));
    let broken = answer().to_string().replace("\"severity\":", "\"severity\"");
    assert!(unreadable(format!("{draft}\nNo, rather:\n{broken}")).contains("a colon after a field's name"));
    let unfit = with("verdict", "MAYBE");
    assert!(misshapen(format!("{draft}\nNo, rather:\n{unfit}")).contains("\"MAYBE\" was found"));
}

#[test]
fn j05_reasoning_marks_inside_a_string_are_text() {
    for words in ["<think>no</think>", "</think>", "<think>", "```json", "it says \"{\\\"a\\\": 1}\""] {
        let value = with("rationale", words);
        assert_eq!(read_whole(&value), Read { value: value.clone(), notes: vec![] });
        assert_eq!(read_whole(format!("```json\n{value}\n```")).value, value, "{words}");
    }
}

#[test]
fn j06_a_trailing_comma_is_passed_over_and_text_is_left_alone() {
    let text = answer().to_string().replace("[2]", "[2,\n]").replace("0.9}", "0.9, }");
    noted(text, "2 comma(s) before a closing bracket");
    let value = with("rationale", "a list [1, ] and {\"b\": 1, }");
    let text = value.to_string().replace("[2]", "[2,]");
    assert_eq!(read_whole(text).value, value);
    assert!(unreadable(answer().to_string().replace("[2]", "[2,,]")).contains("a JSON value is wanted"));
    assert!(unreadable(answer().to_string().replace("[2]", "[,]")).contains("a JSON value is wanted"));
}

#[test]
fn j07_nothing_is_unreadable() {
    for text in ["", "  \n", "\u{feff}"] {
        assert_eq!(unreadable(text), "The reply holds no JSON object.");
    }
    assert!(misshapen("null").contains("At the top: an object is wanted, null was found"));
}

#[test]
fn j08_what_follows_the_answer_is_noted_and_not_read() {
    noted(format!("{}\n\nI hope this helps! See [1].", answer()), "Words after the answer");
    noted(format!("{} {{done}} [a]", answer()), "Words after the answer");
    noted(format!("{}{}", answer(), answer()), "Words before the answer");
    noted(format!("```\n{}}}\n]}}\n```", answer()), "Words after the answer");
    // What goes on like an object may be the rest of the true answer.
    let error = unreadable(format!("{} {{\"done\": true}}", answer()));
    assert!(error.contains("nothing after the answer is wanted"), "{error}");
    noted(format!("{{as [asked]}} {} {{sic [x]}}", answer()), "Words before and after the answer");
}

#[test]
fn j09_a_broken_list_is_broken_and_no_part_of_it_is_the_answer() {
    let mut two = answer();
    let claim = two["claims"][0].clone();
    two["claims"].as_array_mut().unwrap().push(claim);
    let text = two.to_string();
    let second = text.rfind("\"claim_id\"").unwrap();
    for cut in [second - 2, second + 5, text.len() - 40, text.len() - 1] {
        unreadable(&text[..cut]);
    }
    let unparted = text.replace("},{\"claim_id\"", "} {\"claim_id\"");
    assert!(unreadable(&unparted).contains("a comma or `]` is wanted"));
    // A whole answer inside another object is not taken out of it.
    unreadable(format!("[{} {}]", answer(), answer()));
    unreadable(format!("{{\"result\": {}, oops", answer()));
    misshapen(format!("{{\"result\": {}}}", answer()));
}

/// What a small model writes that nothing holds to a schema.
#[test]
fn j09_a_list_of_one_answer_is_that_answer_and_of_several_none_is_taken() {
    let note = "A list of one object was read as the object.";
    noted(format!("[{}]", answer()), note);
    noted(format!("```json\n[\n{},\n]\n```", answer()), note);
    noted(format!("Here: [{}] That is all.", answer()), note);
    let read = read_whole(format!("[{}]", with("verdict", "fully supported")));
    assert_eq!(read.value, with("verdict", "FULLY_SUPPORTED"));
    assert_eq!(read.notes.len(), 2, "{:?}", read.notes);

    let (one, other) = (answer(), with("verdict", "FULLY_SUPPORTED"));
    for several in [format!("[{one}, {one}]"), format!("[{one}, {other}]"), format!("[{one}, {{}}]")] {
        assert!(misshapen(&several).contains("an object is wanted, a list of 2 was found"), "{several}");
        assert!(misshapen(format!("Here: {several}")).contains("a list of 2 was found"), "{several}");
    }
    assert!(misshapen(format!("[[{one}]]")).contains("a list of 1 was found"));
    assert!(misshapen("[]").contains("a list of 0 was found"));
    // One that does not fit is told as it stands, and is the last word as one without a list would be.
    let unfit = with("verdict", "MAYBE");
    assert!(misshapen(format!("[{unfit}]")).contains("a list of 1 was found"));
    assert!(misshapen(format!("{one}\nNo, rather:\n[{unfit}]")).contains("a list of 1 was found"));
    assert!(misshapen(format!("[{other}]\nNo, rather:\n{one}")).contains("2 different answers"));
}

/// A small model's reply, as it came: no list was meant.
#[test]
fn j19_a_reference_in_brackets_is_no_reply_of_another_shape() {
    let error = unreadable("The evidence is:\n\n[1] A total of 4,312 adults were enrolled.\nClaims: (none)");
    assert_eq!(error, "The reply holds no JSON object.");
    noted(format!("By [1] and [2, 3]: {}", answer()), "Words before the answer were passed over");
}

#[test]
fn j10_a_schema_that_comes_back_is_no_answer() {
    let error = misshapen(schema().value());
    assert_eq!(error, "The reply is the JSON Schema itself. Wanted is an answer that fits it.");
    let mut both = answer();
    both["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    both["$defs"] = json!({"claim": {"type": "object"}});
    noted(both, "the unknown field(s) `$schema`, `$defs` were left out");
}

#[test]
fn j12_brackets_inside_quotes_end_nothing() {
    for words in ["}", "]}]}", "a \\\" } b", "{\"claims\": [], \"no_claim\": []}"] {
        let value = with("rationale", words);
        assert_eq!(read_whole(format!("Sure: {value} there.")).value, value);
    }
}

#[test]
fn j13_a_list_given_as_text_is_opened_and_noted() {
    let mut value = answer();
    value["claims"] = value["claims"].to_string().into();
    noted(&value, "`claims`: a list given as text");
    let whole = Value::from(answer().to_string());
    noted(&whole, "`the reply`: an object given as text");
    value["claims"] = json!("[1, 2");
    assert!(misshapen(&value).contains("At `claims`: a list is wanted, \"[1, 2\" was found"));
}

#[test]
fn j14_text_that_looks_like_something_else_stays_text() {
    for words in ["42", "true", "null", "[]", "{\"a\": 1}", "FULLY-SUPPORTED", ""] {
        let value = with("rationale", words);
        assert_eq!(read_whole(&value), Read { value: value.clone(), notes: vec![] }, "{words}");
    }
}

#[test]
fn j15_a_raw_control_character_in_a_string_is_kept_and_noted() {
    let value = with("rationale", "one\ntwo\tthree");
    let text = value.to_string().replace("\\n", "\n").replace("\\t", "\t");
    let read = read_whole(text);
    assert_eq!(read.value, value);
    assert_eq!(read.notes, ["2 raw control character(s) in strings kept."]);
    let error = unreadable(answer().to_string().replace("8 g, the", "8 g,\" the"));
    assert!(error.contains("a comma or `}` is wanted"), "{error}");
}

#[test]
fn j16_a_number_given_as_text_counts_only_where_it_is_exactly_that() {
    noted(with("sentence", "1"), "`claims[0].sentence`: a number given as text");
    noted(with("sentence", " 1 "), "a number given as text");
    noted(with("confidence", "0.9"), "`claims[0].confidence`: a number given as text");
    noted(with("claim_id", 1), "`claims[0].claim_id`: the number 1 was read as text");
    assert_eq!(read_whole(with("sentence", 1.0)).value["claims"][0]["sentence"].as_u64(), Some(1));
    for wrong in ["4.5", "4/5", "four", "1e0", "0x1", "", "1 or 2", "+1", "01"] {
        let error = misshapen(with("sentence", wrong));
        assert!(error.contains("At `claims[0].sentence`: an integer is wanted"), "{wrong}: {error}");
    }
    assert!(misshapen(with("sentence", 0)).contains("at least 1 is wanted, 0 was found"));
    assert!(misshapen(with("sentence", 1.5)).contains("an integer is wanted, 1.5 was found"));
    assert!(misshapen(with("confidence", 1.01)).contains("at most 1 is wanted, 1.01 was found"));
    assert!(misshapen(with("claim_text", 1.5)).contains("a string is wanted, 1.5 was found"));
}

#[test]
fn j17_a_field_of_another_name_is_missing_and_python_is_no_json() {
    let mut value = answer();
    let rationale = value["claims"][0].as_object_mut().unwrap().shift_remove("rationale").unwrap();
    value["claims"][0]["reason"] = rationale;
    assert!(misshapen(&value).contains("At `claims[0]`: the field `rationale` is missing."));
    assert!(
        unreadable(answer().to_string().replace("null", "None")).contains("a JSON value is wanted, `None")
    );
    unreadable(answer().to_string().replace('"', "'"));
}

#[test]
fn j18_a_label_in_another_writing_is_read_from_a_table() {
    for (field, written, label) in [
        ("verdict", "contradicted", "CONTRADICTED"),
        ("verdict", " Contradicted ", "CONTRADICTED"),
        ("verdict", "refuted", "CONTRADICTED"),
        ("verdict", "supported", "FULLY_SUPPORTED"),
        ("verdict", "partially-supported", "PARTIALLY_SUPPORTED"),
        ("verdict", "Not Supported", "UNSUPPORTED"),
        ("severity", "critical", "CRITICAL"),
        ("hallucination_type", "omission as fact", "OMISSION_AS_FACT"),
    ] {
        let read = read_whole(with(field, written));
        assert_eq!(read.value["claims"][0][field], label, "{written}");
        assert_eq!(read.notes, [format!("`claims[0].{field}`: `{written}` was read as {label}.")]);
    }
    let status =
        r#"{"type":"object","properties":{"status":{"enum":["SUPPORTED","UNSUPPORTED","CONTRADICTED"]}}}"#;
    let status = Schema::new("status", status).unwrap();
    for (written, label) in [("fully supported", "SUPPORTED"), ("Refuted", "CONTRADICTED")] {
        let read = read(&json!({"status": written}).to_string(), &status).unwrap();
        assert_eq!(read.value["status"], label, "each schema has its own table");
    }
    for nothing in ["null", "none", "N/A", ""] {
        let read = read_whole(with("hallucination_type", nothing));
        assert_eq!(read.value["claims"][0]["hallucination_type"], Value::Null, "{nothing}");
    }
    misshapen(with("verdict", Value::Null));
    misshapen(with("verdict", "none"));
    misshapen(with("verdict", -1));
}

#[test]
fn j19_no_number_is_taken_from_prose() {
    let schema = Schema::new(
        "support",
        r#"{"type":"object","properties":{"score":{"type":"integer","minimum":1,"maximum":5}},"required":["score"]}"#,
    )
    .unwrap();
    for text in [
        "On a scale of 1 to 5, I give 2.",
        "Score: 4",
        "4",
        r#"{"score": "between 3 and 4"}"#,
        r#"{"score": "4 of 5"}"#,
        r#"{"score": 7260000000}"#,
        r#"{"score": null}"#,
        r#"{"score": [4]}"#,
        r#"{"score": true}"#,
    ] {
        read(text, &schema).expect_err(text);
    }
    assert_eq!(read(r#"I say {"score": "4"}."#, &schema).unwrap().value, json!({"score": 4}));
}

#[test]
fn j20_a_label_inside_a_sentence_is_none() {
    for words in
        ["not a contradiction", "not contradicted", "CONTRADICTED.", "CONTRADICTED by p1", "UN SUPPORTED"]
    {
        let error = misshapen(with("verdict", words));
        assert!(error.contains("one of \"FULLY_SUPPORTED\""), "{words}: {error}");
    }
}

#[test]
fn j21_two_labels_are_no_label() {
    let draft = with("verdict", "FULLY_SUPPORTED");
    for text in [
        format!("Perhaps {draft}\nNo. The passage says 4 g:\n{}", answer()),
        format!("{}\nor\n{draft}\nor\n{}", answer(), answer()),
        format!("{draft}\nor\n{}\nor\n{}", with("verdict", "MAYBE"), answer()),
    ] {
        assert!(misshapen(text).contains("different answers outside reasoning"));
    }
    misshapen(with("verdict", "SUPPORTED or CONTRADICTED"));
    misshapen(with("verdict", json!(["FULLY_SUPPORTED", "CONTRADICTED"])));
    let twice =
        answer().to_string().replace("\"severity\":", "\"verdict\":\"FULLY_SUPPORTED\",\"severity\":");
    assert!(unreadable(twice).contains("the field `verdict` stands twice with two values"));
    let same = answer().to_string().replace("\"severity\":", "\"verdict\":\"CONTRADICTED\",\"severity\":");
    noted(same, "stand twice with the same value");
}

#[test]
fn j22_what_is_not_finite_is_no_number() {
    for word in ["NaN", "nan", "Infinity", "-Infinity", "inf", "1e999", "-1e999"] {
        let error = unreadable(answer().to_string().replace("0.9", word));
        assert!(error.contains("is not a number that JSON has"), "{word}: {error}");
    }
    for word in ["\"NaN\"", "\"inf\"", "\"1e999\""] {
        misshapen(answer().to_string().replace("0.9", word));
    }
}

#[test]
fn j23_blanks_to_the_end_are_told_as_such() {
    let error = unreadable(format!("{{\"claims\": [{}", "\n ".repeat(50_000)));
    assert!(error.contains("the text ends before the value is complete"), "{error}");
}

#[test]
fn j57_half_a_surrogate_pair_is_replaced_and_noted() {
    let text = answer().to_string().replace("8 g.", "8\\ud83d g\\uDE00\\u0041.");
    let read = read_whole(text);
    assert_eq!(read.value["claims"][0]["claim_text"], "The dose is 8\u{fffd} g\u{fffd}A.");
    assert_eq!(read.notes, ["2 lone half(s) of a surrogate pair replaced."]);
    assert_eq!(read_whole(answer().to_string().replace("8 g.", "\\ud83d\\ude00")).notes, [""; 0]);
}

#[test]
fn null_stands_for_a_field_that_may_be_left_out() {
    assert_eq!(read_whole(with("note", Value::Null)), Read { value: answer(), notes: vec![] });
    let read = read_whole(with("confidence", Value::Null));
    assert_eq!(read.value["claims"][0]["confidence"], Value::Null, "where null is a value it stays");
}

#[test]
fn errors_are_told_by_place_and_not_without_end() {
    let mut value = answer();
    value["claims"] = vec![json!({"verdict": "MAYBE"}); 200].into();
    let unread = unread(&value);
    assert_eq!(unread.errors.len(), MOST_TOLD);
    assert!(unread.errors[0].starts_with("At `claims[0]"), "{:?}", unread.errors);
    assert!(unread.errors[19].starts_with("And "), "{:?}", unread.errors);
    let long = misshapen(with("verdict", "x".repeat(100_000)));
    assert!(long.len() < 1000);
}

#[test]
fn a_schema_that_is_none_is_an_error() {
    for text in ["{", r#"{"type": 7}"#, r#"{"$ref": "https://example.org/elsewhere.json"}"#] {
        let error = Schema::new("broken", text).unwrap_err();
        assert!(error.to_string().starts_with("the schema `broken` cannot be used: "), "{error}");
    }
}

#[test]
fn the_schemas_of_the_instruments_can_be_used() {
    for (name, text) in [
        ("faithfulness", include_str!("../../../../assets/schemas/faithfulness.json")),
        ("comparison", include_str!("../../../../assets/schemas/comparison.json")),
        ("support", include_str!("../../../../assets/schemas/support.json")),
    ] {
        let schema = Schema::new(name, text).unwrap();
        assert_eq!(schema.name(), name);
        read("{}", &schema).expect_err(name);
    }
    let support = Schema::new("support", include_str!("../../../../assets/schemas/support.json")).unwrap();
    let reply = json!({
        "key_evidence": "[\"at most 4 g\"]", "rationale": "r", "missing_information": "null", "score": "1",
        "support_level": "no support/contradicts", "confidence": 1,
    });
    let read = read(&reply.to_string(), &support).unwrap();
    assert_eq!(read.value["support_level"], "No Support / Contradicts");
    assert_eq!(read.value["missing_information"], "null", "text is left as it is");
    assert_eq!((&read.value["score"], &read.value["key_evidence"]), (&json!(1), &json!(["at most 4 g"])));
    assert_eq!(read.notes.len(), 3, "{:?}", read.notes);
}
