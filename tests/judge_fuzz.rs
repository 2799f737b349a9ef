//! The judge before texts that came from nowhere good: no panic, every span on character borders and inside its text,
//! every quote what stands there, and limits that are named.
//!
//! `JUROR_FUZZ_SECONDS=600 cargo test --test judge_fuzz` goes on for so many seconds of one core, from new seeds.

use std::time::Duration;

use juror::clock::CoreTime;
use juror::domain::finding::{Granularity, Outcome};
use juror::domain::ids::{AuditId, PassageId};
use juror::domain::record::{GivenClaim, Passage, Record};
use juror::domain::verdict::NoVerdict;
use juror::format::labelled;
use juror::judge::local::LocalJudge;
use juror::judge::{FaithfulnessReply, FaithfulnessSettings};
use juror::text::sentences::sentences;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

/// Pieces that mean something to the judge, between those that mean nothing.
fn piece() -> impl Strategy<Value = String> {
    let meaning = prop::sample::select(vec![
        "The dose is 4 g. ",
        "not ",
        "and the dose was 5 mg; ",
        "if ",
        "$5",
        "12.5 % ",
        "1,300 ",
        "٣٫٥ ",
        "۱۲",
        "五百",
        "１２３",
        "January 5th, 2023 ",
        "2023-13-45 ",
        "99999999999999999999999 ",
        "1e308 ",
        "-0 ",
        "Dr. ",
        "e.g. ",
        "v. ",
        "U.S. ",
        "…",
        "...",
        "?",
        "؟",
        "。",
        "।",
        "“",
        "”",
        "\"",
        "'",
        "(",
        ")",
        "[12]",
        "\n",
        "\r\n",
        "\n\n",
        "\t",
        "- ",
        "1. ",
        "## ",
        "| a | b |\n",
        "more than ",
        "less than ",
        "between 3 and 5 ",
        "half of ",
        "twice ",
        "no ",
        "Yes, ",
        "Please ",
        "I think ",
        "Note that ",
        "A. b. C. ",
        "must not ",
        "landlord ",
        "tenant ",
        "NASA ",
        "McDonald's ",
        "co-operate ",
        "naïve ",
        "İstanbul ",
        "ß",
        "ǆ",
        "ﬃ",
    ]);
    let odd = prop::sample::select(vec![
        "\0",
        "\u{1b}[31m",
        "\u{202e}",
        "\u{200b}",
        "\u{feff}",
        "\u{ad}",
        "e\u{301}\u{301}",
        "👩\u{200d}👩\u{200d}👧",
        "\u{10ffff}",
        "\u{fffd}",
        "\u{1f1e9}\u{1f1ea}",
        "ขนาดยา",
        "ကျွန်ုပ်",
        "ខ្មែរ",
        "བོད།",
        "אבג",
        "한국어",
        "ﷺ",
        "\u{85}",
        "\u{2028}",
        "\u{3000}",
        "\u{e000}",
        "𝟙𝟚",
        "Ⅷ",
        "①",
        "²",
        "½",
    ]);
    prop_oneof![
        4 => meaning.prop_map(str::to_owned),
        2 => odd.prop_map(str::to_owned),
        2 => "[a-zA-Z]{1,12} ",
        1 => "\\PC{0,12}",
        1 => any::<String>(),
    ]
}

fn text(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..most).prop_map(|pieces| pieces.concat())
}

fn record(answer: &str, passages: &[String], given: &[String]) -> Record {
    let passage = |(at, content): (usize, &String)| Passage {
        passage_id: PassageId::new(format!("p{at}")),
        content: content.clone(),
        metadata: serde_json::Map::new(),
    };
    Record {
        audit_id: AuditId::new("fuzz"),
        answer: answer.to_owned(),
        passages: passages.iter().enumerate().map(passage).collect(),
        question: None,
        risk_level: None,
        given_claims: given
            .iter()
            .map(|text| GivenClaim { claim_id: None, claim_text: text.clone() })
            .collect(),
        metadata: serde_json::Map::new(),
    }
}

/// Everything that a reply points at stands where it says.
fn places_are_real(record: &Record, reply: &FaithfulnessReply) -> Result<(), TestCaseError> {
    for finding in &reply.findings {
        if let Some(span) = finding.answer_span {
            prop_assert!(span.of(&record.answer).is_some());
            if record.given_claims.is_empty() {
                prop_assert_eq!(span.of(&record.answer), Some(finding.claim_text.as_str()));
            }
        }
        let Some(judged) = finding.outcome.judged() else { continue };
        prop_assert!((0.0..=1.0).contains(&judged.confidence.get()));
        for citation in &judged.citations {
            let passage = record.passage(&citation.passage_id);
            prop_assert!(passage.is_some());
            let there = passage.zip(citation.span).and_then(|(passage, span)| span.of(&passage.content));
            prop_assert_eq!(there, Some(citation.quote.as_str()));
        }
    }
    for entry in &reply.no_claims {
        prop_assert!(entry.answer_span.of(&record.answer).is_some());
    }
    Ok(())
}

/// Every letter of the answer is in a claim, in a sentence without a claim, or in none of the sentences.
fn nothing_is_dropped(record: &Record, reply: &FaithfulnessReply) -> Result<(), TestCaseError> {
    let spoken: Vec<_> = reply
        .findings
        .iter()
        .filter_map(|finding| finding.answer_span)
        .chain(reply.no_claims.iter().map(|entry| entry.answer_span))
        .collect();
    for sentence in sentences(&record.answer) {
        let has_content =
            sentence.of(&record.answer).is_some_and(|text| text.chars().any(char::is_alphanumeric));
        prop_assert!(
            !has_content || spoken.iter().any(|span| span.overlaps(sentence)),
            "{:?} is dropped",
            sentence
        );
    }
    Ok(())
}

fn look(answer: &str, passages: &[String], given: &[String]) -> Result<(), TestCaseError> {
    let judge = LocalJudge::new();
    for granularity in Granularity::ALL {
        let record = record(answer, passages, &[]);
        let reply = judge
            .judge_record(&record, &FaithfulnessSettings { granularity: *granularity, ..Default::default() });
        places_are_real(&record, &reply)?;
        nothing_is_dropped(&record, &reply)?;
    }
    let record = record(answer, passages, given);
    let reply = judge.judge_record(&record, &FaithfulnessSettings::default());
    prop_assert!(given.is_empty() || reply.findings.len() == given.len());
    places_are_real(&record, &reply)?;
    if let (Some(claim), Some(passage)) = (given.first(), record.passages.first()) {
        let _ = judge.score_claim(claim, passage);
    }
    let _ = labelled::parse(answer.as_bytes());
    Ok(())
}

fn run(cases: u32, runner: impl Fn(Config) -> TestRunner) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let cases = (text(12), prop::collection::vec(text(16), 0..4), prop::collection::vec(text(6), 0..3));
    runner(config)
        .run(&cases, |(answer, passages, given)| look(&answer, &passages, &given))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn j54_no_text_makes_the_judge_panic_or_point_beside_it() {
    run(200, |config| TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha)));
    let seconds = std::env::var("JUROR_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let watch = CoreTime::start();
    while watch.elapsed() < Duration::from_secs(seconds) {
        run(1000, TestRunner::new);
    }
}

#[test]
fn what_is_too_long_is_not_checked_and_the_limit_is_named() {
    let hundred = "The dose is 4 g. ".repeat(100_000_000 / 17);
    let judge = LocalJudge::new();
    let reason = |record: &Record| {
        let reply = judge.judge_record(record, &FaithfulnessSettings::default());
        assert_eq!(reply.findings.len(), 1);
        match &reply.findings[0].outcome {
            Outcome::NotJudged { state: NoVerdict::NotChecked, reason } => reason.clone(),
            other => panic!("{other:?}"),
        }
    };
    let claim = "The dose is 4 g.".to_owned();
    let evidence = reason(&record(&claim, std::slice::from_ref(&hundred), &[]));
    assert!(evidence.contains("the evidence is 99999") && evidence.contains("4194304"), "{evidence}");
    let answer = reason(&record(&hundred, std::slice::from_ref(&claim), &[]));
    assert!(answer.contains("the answer is 99999") && answer.contains("1048576"), "{answer}");
    // As long as a line that can come in.
    let longest = hundred.get(..8_000_000).unwrap().to_owned();
    let long_claim = reason(&record("x", std::slice::from_ref(&claim), &[longest]));
    assert!(long_claim.contains("the claim is 8000000") && long_claim.contains("20000"), "{long_claim}");
}
