//! Texts that came from nowhere good.

use proptest::prelude::*;

use super::*;

#[test]
#[expect(clippy::disallowed_methods, reason = "a bound on time")]
fn j54_hostile_texts_take_no_more_than_their_share_of_time() {
    let mega = 1 << 20;
    let texts = [
        "x".repeat(100_000),
        "the dose of the drug and the rate of it was ".repeat(mega / 44),
        "(".repeat(100_000),
        format!("a{}", "\u{0301}".repeat(100_000)),
        "12.5 mg 1,300 7/8 ".repeat(mega / 18),
        "and ".repeat(mega / 4),
        "A. b? ".repeat(mega / 60),
        "AB CD ".repeat(3_000),
    ];
    for text in &texts {
        let begun = std::time::Instant::now();
        let answer = text.get(..text.len().min(LONGEST_ANSWER)).unwrap_or(text);
        let _ = claims::split(answer);
        let evidence = text.get(..text.len().min(MOST_EVIDENCE)).unwrap_or(text);
        let passages = [passage("p", evidence)];
        let desk = Desk::new(&passages);
        for claim in ["The dose of the drug was 12.5 mg and the rate rose.", text] {
            let _ = desk.judge(claim);
        }
        let taken = begun.elapsed();
        let begins: String = text.chars().take(20).collect();
        // Unoptimised and on a busy machine; what is quadratic takes minutes.
        assert!(taken.as_secs() < 40, "{begins}…: {taken:?}");
    }
}

/// Text that came from nowhere good.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "\\PC{0,12}",
        Just("\0".to_owned()),
        Just("\u{1b}[31m".to_owned()),
        Just("e\u{301}\u{301}\u{301}".to_owned()),
        Just("👩‍👩‍👧".to_owned()),
        Just("\u{202e}abc".to_owned()),
        Just("۱۲٫۵ گرم".to_owned()),
        Just("三人が２機".to_owned()),
        Just("not 8 g. ".to_owned()),
        Just("\r".to_owned()),
        Just(" and the dose was 5 mg; ".to_owned()),
        Just("January 99999999999999999999, 2023-13-45 ".to_owned()),
    ];
    proptest::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn hostile_text_never_panics_and_spans_stay_valid(answer in hostile(), first in hostile(), second in hostile()) {
        let record = record(&answer, &[&first, &second]);
        let reply = LocalJudge::new().judge_record(&record, &FaithfulnessSettings::default());
        for finding in &reply.findings {
            let span = finding.answer_span.expect("claims of the answer have a place");
            prop_assert_eq!(span.of(&answer), Some(finding.claim_text.as_str()));
            if let Some(judged) = finding.outcome.judged() {
                for citation in &judged.citations {
                    let content = &record.passage(&citation.passage_id).expect("a passage of the record").content;
                    let words = citation.span.and_then(|span| span.of(content));
                    prop_assert_eq!(words, Some(citation.quote.as_str()));
                }
            }
        }
        for entry in &reply.no_claims {
            prop_assert!(entry.answer_span.of(&answer).is_some());
        }
    }
}

#[test]
fn words_of_100_000_characters_and_stacks_of_marks_are_survived() {
    let word = "x".repeat(100_000);
    let stack = format!("The dose a{} is 4 g.", "\u{0301}".repeat(9_000));
    for (answer, evidence) in
        [(stack.as_str(), word.as_str()), ("The dose is 4 g.", word.as_str()), (word.as_str(), "x")]
    {
        assert_eq!(reply(answer, &[evidence]).findings.len() + reply(answer, &[evidence]).no_claims.len(), 1);
    }
}
