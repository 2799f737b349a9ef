use proptest::prelude::*;

use super::*;

fn read(line: &str) -> Result<Parsed, String> {
    parse(line.as_bytes(), "t:1".to_owned())
}

fn reason(line: &str) -> String {
    read(line).expect_err(line)
}

fn with(field: &str) -> String {
    format!(
        r#"{{"audit_id":"a","generated_answer":"x","evidence_passages":[{{"passage_id":"p","content":"y"}}],{field}}}"#
    )
}

#[test]
fn a_full_record_is_read_and_unknown_fields_are_kept() {
    let line = r#"{"audit_id":"rx-1","generated_answer":"An answer.","evidence_passages":[{"passage_id":"p1","content":"Evidence.","metadata":{"source":"BNF"},"score":0.3}],"question":"Q?","risk_level":"high","claims":[{"claim_id":"c1","claim_text":"One."},{"claim":"Two."}],"metadata":{"model_version":"m"},"extra":[1,{"deep":null}]}"#;
    let Parsed { record, warnings } = read(line).unwrap();
    assert_eq!(record.raw, line);
    assert_eq!(record.source, "t:1");
    let record = record.record;
    assert_eq!(record.risk_level, Some(RiskLevel::High));
    assert_eq!(record.question.as_deref(), Some("Q?"));
    assert_eq!(record.given_claims.len(), 2);
    assert_eq!(record.metadata["model_version"], "m");
    assert_eq!(record.passages[0].metadata["source"], "BNF");
    assert_eq!(warnings, Vec::<String>::new());
}

#[test]
fn the_claim_form_is_one_answer_with_one_given_claim() {
    let line = r#"{"dataset":"fm2","id":"7","claim":"It was.","evidence":[{"passage_id":"s1","content":"It was."}],"label":"X"}"#;
    let record = read(line).unwrap().record.record;
    assert_eq!(record.audit_id.as_str(), "fm2:7");
    assert_eq!((record.answer.as_str(), record.given_claims.len()), ("It was.", 1));
    let without = line.replace(r#""dataset":"fm2","#, "");
    assert_eq!(read(&without).unwrap().record.record.audit_id.as_str(), "7");
}

#[test]
fn each_reason_names_the_field() {
    insta::assert_snapshot!(
        [
            r#"{"generated_answer":"x"}"#,
            r#"{"audit_id":7,"generated_answer":"x","evidence_passages":[]}"#,
            r#"{"audit_id":"a","generated_answer":null,"evidence_passages":[]}"#,
            r#"{"audit_id":"a","generated_answer":"x","evidence_passages":{}}"#,
            r#"{"audit_id":"a","generated_answer":"x","evidence_passages":["text"]}"#,
            r#"{"audit_id":"a","generated_answer":"x","evidence_passages":[{"passage_id":"p"}]}"#,
            r#"{"audit_id":"a","generated_answer":"x","evidence_passages":[{"passage_id":"p","content":3}]}"#,
            r#"{"audit_id":"a","audit_id":"b","generated_answer":"x","evidence_passages":[]}"#,
            &with(r#""risk_level":"severe""#),
            &with(r#""claims":[{"claim_id":"c"}]"#),
            &with(r#""claims":["one"]"#),
            &with(r#""claims":[{"claim_text":" "}]"#),
            &with(r#""claims":[{"claim_id":"c","claim_text":"1"},{"claim_id":"c","claim_text":"2"}]"#),
            &with(r#""metadata":"m""#),
            r#"{"id":"7","claim":"x"}"#,
            r#"{"id":7,"claim":"x","evidence":[]}"#,
            r#"{"text":"something else"}"#,
            "[1,2]",
            "\"text\"",
            "{\"audit_id\":\"a\"",
            "{\"audit_id\":\"a\",}",
            "{\"audit_id\":\"a\u{1}\"}",
            "not json",
            "17,Take 8 g of paracetamol a day.",
        ]
        .map(reason)
        .join("\n"),
        @r#"
        missing `audit_id` (a text) and `evidence_passages` (a list of {"passage_id", "content"})
        `audit_id` must be a text, found a number
        `generated_answer` must be a text, found null
        `evidence_passages` must be a list of {"passage_id", "content"}, found an object
        `evidence_passages[0]` must be an object with `passage_id` and `content`, found a text
        `evidence_passages[0]`: missing `content` (a text)
        `evidence_passages[0]`: `content` must be a text, found a number
        the field `audit_id` stands twice
        `risk_level`: `severe` is not a risk level: use one of LOW, MEDIUM, HIGH, CRITICAL
        `claims[0]`: missing `claim_text` (a text)
        `claims[0]` must be an object with `claim_text`, found a text
        claim 1 is empty
        two claims have the claim_id `c`
        `metadata` must be an object, found a text
        missing `evidence` (a list of {"passage_id", "content"})
        `id` must be a text, found a number
        missing `audit_id` (a text) and `generated_answer` (a text) and `evidence_passages` (a list of {"passage_id", "content"})
        a record is a JSON object on a line of its own, found a list: write one record a line, `jq -c '.[]' FILE`
        a record is a JSON object on a line of its own, found a text
        not JSON: the line ends early (EOF while parsing an object)
        not JSON: column 17: trailing comma
        not JSON: column 15: a control character inside a text must be escaped
        this is not JSON Lines: a record is a JSON object `{…}` on one line, this begins `not json`
        this is not JSON Lines: a record is a JSON object `{…}` on one line, this begins `17,Take 8 g of paracetamol a d…`
        "#
    );
}

#[test]
fn ids_must_be_something_that_people_can_read_and_type() {
    let id = |id: &str| {
        reason(&format!(
            r#"{{"audit_id":{},"generated_answer":"x","evidence_passages":[]}}"#,
            serde_json::to_string(id).unwrap()
        ))
    };
    assert_eq!(id(""), "audit_id is empty");
    assert!(id(" a").contains("begins or ends with a blank"));
    assert!(id("a\u{1b}[2J").contains("U+001B"));
    assert!(id("a\u{202e}b").contains("U+202E"));
    assert!(id("a\u{200b}b").contains("U+200B"));
    assert!(id(&"x".repeat(201)).contains("201 characters, at most 200"));
    assert!(read(r#"{"audit_id":"می‌خواهم 薬-1","generated_answer":"x","evidence_passages":[]}"#).is_ok());
}

#[test]
fn doubled_passage_ids_are_refused() {
    let line = r#"{"audit_id":"a","generated_answer":"x","evidence_passages":[{"passage_id":"p","content":"1"},{"passage_id":"p","content":"2"}]}"#;
    assert!(reason(line).starts_with("two passages have the passage_id `p`"));
}

#[test]
fn j57_half_a_character_is_refused_and_a_whole_pair_is_read() {
    assert!(
        reason(r#"{"audit_id":"a\ud83d","generated_answer":"x","evidence_passages":[]}"#)
            .contains("lone surrogate")
    );
    assert!(reason(&with(r#""question":"\udc00""#)).contains("lone surrogate"));
    let record = read(&with(r#""question":"\ud83d\udca9""#)).unwrap().record.record;
    assert_eq!(record.question.as_deref(), Some("💩"));
}

#[test]
fn nul_and_bytes_that_are_no_text_are_refused_and_located() {
    let nul = r#"{"audit_id":"a","generated_answer":"né\u0000x","evidence_passages":[]}"#;
    assert!(reason(nul).starts_with("the answer contains U+0000 at character 2"));
    assert_eq!(parse(b"{\"a\": \"\xe9\"}", String::new()).unwrap_err(), "not UTF-8: byte 0xE9 at column 8");
}

#[test]
fn hostile_but_legal_text_goes_in_unchanged() {
    let stacks = format!("e{}", "\u{301}".repeat(5000));
    let hostile = format!("\u{1b}[31m \u{202e}abc \r x {} {stacks}", "w".repeat(100_000));
    let line = serde_json::json!({
        "audit_id": "a", "generated_answer": hostile,
        "evidence_passages": [{"passage_id": "p", "content": hostile}],
    })
    .to_string()
        + "\r";
    let parsed = read(&line).unwrap();
    assert_eq!(parsed.record.record.answer, hostile);
    assert_eq!(parsed.record.raw, line, "a trailing CR belongs to the line");
}

#[test]
fn odd_evidence_is_warned_of() {
    let long = "A sentence. ".repeat(41) + "The even"; // 500 characters
    let line = serde_json::json!({
        "audit_id": "a", "generated_answer": "  ",
        "evidence_passages": [
            {"passage_id": "empty", "content": " \n"}, {"passage_id": "whole", "content": "All of it."},
            {"passage_id": "again", "content": "All of it. "}, {"passage_id": "dots", "content": "And so on..."},
            {"passage_id": "marked", "content": "Text [Truncated]"}, {"passage_id": "long", "content": long},
            {"passage_id": "short", "content": "No stop"},
            {"passage_id": "word", "content": "Taken with medi-"},
        ],
    });
    insta::assert_snapshot!(read(&line.to_string()).unwrap().warnings.join("\n"), @r"
    the answer is empty
    passage `empty` is empty
    passage `again` is the same as `whole`
    passage `dots` looks cut off at its end
    passage `marked` looks cut off at its end
    passage `long` looks cut off at its end
    passage `word` looks cut off at its end
    ");
    let none = read(r#"{"audit_id":"a","generated_answer":"x","evidence_passages":[]}"#).unwrap();
    assert_eq!(none.warnings, ["no evidence passages: nothing can be checked"]);
}

#[test]
fn a_passage_without_a_full_stop_is_cut_only_where_machines_cut() {
    let warnings = |content: String| {
        let line = serde_json::json!({
            "audit_id": "a", "generated_answer": "x",
            "evidence_passages": [{"passage_id": "p", "content": content}],
        });
        read(&line.to_string()).unwrap().warnings.len()
    };
    let ends_open = |length: usize| ". ".repeat(length).chars().take(length - 1).collect::<String>() + "e";
    for cut_at in [500, 512, 1000, 1024, 1536, 2000, 2048, 4096, 10_000] {
        assert_eq!(warnings(ends_open(cut_at)), 1, "{cut_at}");
        assert_eq!(warnings(ends_open(cut_at - 1) + "."), 0, "{cut_at}, with a full stop");
        assert_eq!(warnings(ends_open(cut_at + 1)), 0, "{cut_at} + 1");
    }
    assert_eq!(warnings("é".repeat(256)), 1, "512 bytes");
    for whole in ["Write to mike.johnson@aquasonic.com", "JAMA. 2000;283:3211-3216", "Range 5 -", "Fin »"] {
        assert_eq!(warnings(whole.to_owned()), 0, "{whole}");
    }
}

proptest! {
    #[test]
    fn a_line_is_never_changed_and_its_texts_are_what_a_json_parser_reads(
        answer in "[^\0]{0,60}", content in "[^\0]{0,60}", question in proptest::option::of("[^\0]{0,20}"),
        blank in "[ \t\r]{0,3}",
    ) {
        let value = serde_json::json!({
            "audit_id": "a", "generated_answer": answer, "question": question,
            "evidence_passages": [{"passage_id": "p", "content": content}],
        });
        let line = format!("{blank}{value}{blank}");
        let parsed = read(&line).unwrap();
        prop_assert_eq!(&parsed.record.raw, &line);
        prop_assert_eq!(&parsed.record.record.answer, &answer);
        prop_assert_eq!(&parsed.record.record.passages[0].content, &content);
        prop_assert_eq!(&parsed.record.record.question, &question);
    }

    #[test]
    fn any_bytes_are_a_record_or_a_reason(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        if let Err(reason) = parse(&bytes, String::new()) {
            prop_assert!(!reason.is_empty());
        }
    }
}
