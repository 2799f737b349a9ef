//! What holds of every reply.

use proptest::prelude::*;

use super::*;

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~äé药\n\t]{0,30}",
        prop::sample::select(vec![
            "</think>",
            "```",
            "{\"a\":1}",
            "[1, ]",
            "\",}",
            "\\",
            "\u{1f600}",
            "null"
        ])
        .prop_map(str::to_owned),
    ]
}

fn valid() -> impl Strategy<Value = Value> {
    let label =
        prop::sample::select(vec!["FULLY_SUPPORTED", "PARTIALLY_SUPPORTED", "UNSUPPORTED", "CONTRADICTED"]);
    let claim = (words(), words(), label, 1..50_u32, 0..=100_u8).prop_map(
        |(text, rationale, label, sentence, sure)| {
            let mut claim = answer()["claims"][0].clone();
            claim["claim_text"] = format!("x{text}").into();
            claim["rationale"] = rationale.into();
            claim["verdict"] = label.into();
            claim["sentence"] = sentence.into();
            claim["confidence"] = (f64::from(sure) / 100.0).into();
            claim
        },
    );
    (prop::collection::vec(claim, 0..4), prop::collection::vec(1..9_u32, 0..3))
        .prop_map(|(claims, none)| json!({"claims": claims, "no_claim": none}))
}

/// JSON text with a comma before some closing brackets, outside of strings.
fn with_commas(value: &Value) -> String {
    let mut text = String::new();
    let (mut in_string, mut escaped, mut last) = (false, false, ' ');
    for c in value.to_string().chars() {
        if !in_string && matches!(c, ']' | '}') && !matches!(last, '[' | '{') {
            text.push_str(", ");
        }
        if c == '"' && !escaped {
            in_string = !in_string;
        }
        escaped = c == '\\' && !escaped;
        last = c;
        text.push(c);
    }
    text
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in prop_oneof![
        "\\PC{0,200}",
        "[\\[\\]{}\",:0-9a-z\\\\ \n<>/`]{0,200}",
        prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", "\"", ",", ":", "claims", "no_claim", "\\", "\\u", "d83d", "<think>", "</think>",
            "```json", "1", "-", "e", ".", "true", "nul", "\u{7f}", "药", "◁", "◁/think▷",
        ]), 0..80).prop_map(|parts| parts.concat()),
    ]) {
        if let Ok(read) = read(&text, &schema()) {
            prop_assert!(schema().validator().is_valid(&read.value));
        }
        let _ = changes(&text, &answer());
    }

    #[test]
    fn a_part_of_an_answer_is_never_an_answer(value in valid(), share in 0.0..1.0_f64) {
        let text = value.to_string();
        let cut = text.floor_char_boundary((text.len() as f64 * share) as usize);
        prop_assert!(read(&text[..cut], &schema()).is_err());
    }

    #[test]
    fn what_stands_round_an_answer_does_not_change_it(
        value in valid(),
        pretty in any::<bool>(),
        before in prop::sample::select(vec![
            "", "Here you are:\n", "<think>a {\"claims\": [ draft</think>\n", "so it's {done}</think>", "Look [1]: ",
        ]),
        fence in any::<bool>(),
        commas in any::<bool>(),
        after in prop::sample::select(vec!["", "\n\nDone {sic}.", " [1]", "\n</p>"]),
    ) {
        let text = match (commas, pretty) {
            (true, _) => with_commas(&value),
            (false, true) => serde_json::to_string_pretty(&value).unwrap(),
            (false, false) => value.to_string(),
        };
        let text = if fence { format!("```json\n{text}\n```") } else { text };
        let text = format!("{before}{text}{after}");
        let read = read(&text, &schema());
        prop_assert_eq!(read.map(|read| read.value), Ok(value), "{}", text);
    }

    #[test]
    fn the_reader_and_serde_agree_on_what_json_is(text in prop_oneof![
        "[\\[\\]{}\",:0-9eE.+\\- tfn\\\\u]{0,24}",
        valid().prop_map(|value| value.to_string()),
        any::<f64>().prop_map(|number| format!("[{number}, {number:e}]")),
        prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", "\"a\"", "\"b\"", ",", ":", "1", "-0.5e3", "true", "null", "\"\\n\\u00e9\"", " ",
        ]), 0..12).prop_map(|parts| parts.concat()),
    ]) {
        let theirs = serde_json::from_str::<Value>(&text).ok();
        match json::whole(&text) {
            Ok(ours) if ours.notes().next().is_none() => prop_assert_eq!(Some(ours.value), theirs),
            Ok(_) => {}
            // The one thing that we refuse and they take.
            Err(fault) => prop_assert!(theirs.is_none() || matches!(fault.problem, json::Problem::Twice(_))),
        }
    }
}
