//! What is believed of a reply, and what is not.

use super::*;

fn useless(sentence: impl Into<Value>, quote: &str) -> Value {
    with(
        claim("none", sentence, quote),
        json!({"verdict": "INSUFFICIENT_EVIDENCE", "rationale": "A source is missing."}),
    )
}

#[tokio::test]
async fn j47_a_claim_that_says_something_else_than_its_sentence_has_no_verdict() {
    let supported = |text: &str, quote: &str| {
        let citation = json!([{"passage_id": "p1", "quote": "is 4 g in 24 hours", "role": "supports"}]);
        let fields = json!({
            "claim_text": text, "verdict": "FULLY_SUPPORTED", "evidence_citation": citation,
            "rationale": "It says so.",
        });
        with(claim("c1", 1, quote), fields)
    };
    let record = record("Adults may take 8 g of paracetamol a day.", &[("p1", DOSE)]);
    for quote in ["Adults may take 8 g of paracetamol a day.", "Adults may take 4 g", ""] {
        let told = replies(&[reply(&[supported("Adults may take 4 g of paracetamol a day.", quote)], &[])]);
        let found = findings(&told, &record).await;
        assert_eq!(found[0].outcome.state(), AuditState::Ungrounded, "{quote}: {found:?}");
        let rationale = &found[0].outcome.judged().unwrap().rationale;
        assert!(rationale.contains("the claim says “4 g”, the answer's sentence does not"), "{rationale}");
    }
    let told =
        replies(&[reply(&[supported("An adult may take 8 g of paracetamol a day.", "as one reads")], &[])]);
    let found = findings(&told, &record).await;
    assert_eq!(found[0].outcome.state(), AuditState::Judged, "{found:?}");
    assert_eq!(found[0].answer_span.and_then(|span| span.of(&record.answer)), Some(record.answer.as_str()));
    let rationale = &found[0].outcome.judged().unwrap().rationale;
    assert!(
        rationale.contains("What the judge quotes of the answer does not stand in this sentence"),
        "{rationale}"
    );
}

#[tokio::test]
async fn useless_evidence_is_said_of_one_sentence_or_claim_or_by_the_only_entry_of_all() {
    let record = record("One is 1. Two is 2. Three is 3.", &[("p1", "The canteen is open.")]);
    // Of a sentence that has another claim too, and of one that has none.
    let told = replies(&[
        reply(
            &[claim("c1", 1, "One"), useless(1, "is 1"), with(useless(2, ""), json!({"claim_text": ""}))],
            &[],
        ),
        reply(&[claim("c1", 3, "Three")], &[]),
    ]);
    assert_eq!(
        states(&findings(&told, &record).await),
        [
            ("One", "JUDGED"),
            ("is 1", "INSUFFICIENT_EVIDENCE"),
            ("Two is 2.", "INSUFFICIENT_EVIDENCE"),
            ("Three", "JUDGED"),
        ]
    );
    assert!(told.heard()[1].user.contains("of the ANSWER only sentences 3;"), "{}", told.heard()[1].user);
    // Among others an entry without a sentence says nothing of those that are not mentioned: they are asked about.
    let told = replies(&[
        reply(&[claim("c1", 1, "One"), useless(Value::Null, "")], &[]),
        reply(&[claim("c1", 2, "Two")], &[]),
        reply(&[useless(Value::Null, "")], &[]),
    ]);
    assert_eq!(
        states(&findings(&told, &record).await),
        [("One", "JUDGED"), ("Two", "JUDGED"), ("Three is 3.", "INSUFFICIENT_EVIDENCE")]
    );
}

#[tokio::test]
async fn j37_what_is_said_of_other_words_than_the_given_claim_is_asked_again() {
    let mut record = record("One is 1.", &[("p1", DOSE)]);
    let given = |text: &str| GivenClaim { claim_id: None, claim_text: text.into() };
    record.given_claims = vec![given("- It is 4 g."), given("It is -4 °C.")];
    for (one, two, expected) in [
        ("It is -4 °C.", "It is 4 g.", ["JUDGED", "INCOMPLETE"]),
        ("It is 4 g.", "It is 4 °C.", ["JUDGED", "INCOMPLETE"]),
        ("It is 4 g.", "", ["JUDGED", "INCOMPLETE"]),
        ("it is  4 g", "It is −4 °C.", ["JUDGED", "JUDGED"]),
    ] {
        let told = replies(&[
            reply(&[given_claim("k1", one), given_claim("k2", two)], &[]),
            // Numbered anew, this is said of the first that is still open.
            reply(&[given_claim("k1", two)], &[]),
        ]);
        let found = findings(&told, &record).await;
        let labels: Vec<&str> = found.iter().map(|finding| finding.outcome.state().label()).collect();
        assert_eq!(labels, expected, "{one}, {two}");
        assert_eq!(told.heard().len(), if expected.contains(&"INCOMPLETE") { 3 } else { 1 });
    }
}

#[tokio::test]
async fn j37_a_sign_that_changes_a_given_claim_makes_it_another() {
    for (given, said, is_same) in [
        ("Take ≥ 5 mg.", "Take ≤ 5 mg.", false),
        ("It is 5 ± 1 mg.", "It is 5 1 mg.", false),
        ("It is 5×3.", "It is 5÷3.", false),
        ("A → B", "A ← B", false),
        ("It costs ¥5.", "It costs 5.", false),
        ("It is .5 mg.", "It is 5 mg.", false),
        ("Take ≥ 5 mg.", "Take  ≥5 mg", true),
        ("The “dose” (oral) is 5 mg.", "The \"dose\" [oral] is 5 mg", true),
    ] {
        let mut record = record("One is 1.", &[("p1", DOSE)]);
        record.given_claims = vec![GivenClaim { claim_id: None, claim_text: given.into() }];
        let told = replies(&[reply(&[given_claim("k1", said)], &[])]);
        let found = findings(&told, &record).await;
        let expected = if is_same { AuditState::Judged.label() } else { "INCOMPLETE" };
        assert_eq!(states(&found), [(given, expected)], "{said}");
    }
}

#[tokio::test]
async fn j34_each_round_asks_in_other_words() {
    let told = replies(&[reply(&[], &[])]);
    let found = findings(&told, &record("One is 1.", &[("p1", DOSE)])).await;
    assert_eq!(states(&found), [("One is 1.", "INCOMPLETE")]);
    let asked: Vec<String> = told.heard().into_iter().map(|heard| heard.user).collect();
    assert_eq!(asked.len(), 3);
    assert!(asked[0] != asked[1] && asked[1] != asked[2], "{asked:?}");
}
