//! Answers and evidence that are too long for one question.

use proptest::prelude::*;

use super::*;

/// Evidence far longer than the room, in which one sentence decides.
fn haystack(needle: &str) -> String {
    let filler = |n: usize| format!("Chapter {n} describes the garden, its walls and the flowers there. ");
    let mut text = (0..300).map(filler).collect::<Vec<_>>().concat();
    text.push_str(needle);
    text.push(' ');
    text.extend((300..600).map(filler));
    text
}

fn supported(id: &str, sentence: impl Into<Value>, quote: &str) -> Value {
    with(
        claim(id, sentence, quote),
        json!({
            "verdict": "FULLY_SUPPORTED", "rationale": "It says so.",
            "evidence_citation": [{"passage_id": "p1", "quote": "opens at dawn", "role": "supports"}],
        }),
    )
}

#[tokio::test]
async fn j54_evidence_is_shown_in_windows_until_all_was_shown_or_something_speaks_against() {
    // The words of the claim stand in the needle in no form, so its window comes late.
    let told = judge(settings(9_000, 1_000), |heard| {
        let has_needle = heard.evidence().contains("opens at dawn");
        let id = if heard.section("CLAIMS") == ["(none)"] { "c1" } else { "k1" };
        let claim = if has_needle { supported(id, 1, "The gate") } else { claim(id, 1, "The gate") };
        Ok(reply(&[claim], &[]).to_string())
    });
    let record = record("The gate is unlocked early.", &[("p1", &haystack("It opens at dawn."))]);
    let found = findings(&told, &record).await;
    let [Finding { outcome: Outcome::Judged(judged), answer_span: Some(span), .. }] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(judged.verdict, Verdict::FullySupported);
    assert_eq!(span.of(&record.answer), Some("The gate"));
    assert_eq!(judged.rationale, "It says so.");
    let seen: usize = told.heard().iter().map(|heard| heard.evidence().matches("Chapter ").count()).sum();
    assert_eq!(seen, 600, "what bears it out does not end the search");
    let heard = told.heard();
    assert!(heard.len() > 1 && heard.iter().all(|heard| heard.purpose == Purpose::Ask), "{}", heard.len());
    assert_eq!(heard[1].section("CLAIMS"), ["[k1] The gate"], "asked further as a claim");
    for heard in &heard {
        let length = show::tokens(&heard.system) + show::tokens(&heard.user);
        assert!(length <= 8_000, "{length}");
        assert!(heard.user.contains("The gate is unlocked early."), "the claim is never windowed");
    }
}

#[tokio::test]
async fn j54_what_all_the_evidence_does_not_bear_out_is_unsupported_and_what_was_not_shown_is_not_checked() {
    let script = |heard: &Heard| {
        let id = if heard.section("CLAIMS") == ["(none)"] { "c1" } else { "k1" };
        Ok(reply(&[claim(id, 1, "The gate")], &[]).to_string())
    };
    let content = haystack("It opens at dawn.");
    let short = record("The gate is unlocked early.", &[("p1", &content)]);
    let told = judge(settings(12_000, 1_000), script);
    let found = findings(&told, &short).await;
    let rationale = found[0].outcome.judged().map(|judged| judged.rationale.as_str());
    assert_eq!(
        rationale,
        Some("Nothing is said of it."),
        "all of it was shown in {} windows",
        told.heard().len()
    );
    assert!(told.heard().len() > 1);
    let seen: usize = told.heard().iter().map(|heard| heard.evidence().matches("Chapter ").count()).sum();
    assert_eq!(seen, 600, "each sentence of the evidence was shown once");

    let long = record("The gate is unlocked early.", &[("p1", &content.repeat(6))]);
    let told = judge(settings(9_000, 1_000), script);
    let found = findings(&told, &long).await;
    let Outcome::NotJudged { state: NoVerdict::NotChecked, reason } = &found[0].outcome else {
        panic!("{found:?}")
    };
    let total = content.repeat(6).chars().count();
    assert!(reason.contains(&format!(" of {total} characters of the evidence were shown")), "{reason}");
    assert_eq!(told.heard().len(), MOST_WINDOWS);
}

/// A judge that says `first` wherever "opens at dawn" is shown, and `verdict` wherever `words` are.
fn in_parts(first: &'static str, words: &'static str, verdict: &'static str, quote: &'static str) -> Told {
    judge(settings(9_000, 1_000), move |heard| {
        let id = if heard.section("CLAIMS") == ["(none)"] { "c1" } else { "k1" };
        let says = |verdict: &str, quote: &str, role: &str| {
            with(
                claim(id, 1, "The gate"),
                json!({
                    "verdict": verdict,
                    "evidence_citation": [{"passage_id": "p1", "quote": quote, "role": role}],
                }),
            )
        };
        let claim = if heard.evidence().contains(words) {
            says(verdict, quote, if verdict == "CONTRADICTED" { "contradicts" } else { "supports" })
        } else if heard.evidence().contains("opens at dawn") {
            says(first, "opens at dawn", "supports")
        } else {
            claim(id, 1, "The gate")
        };
        Ok(reply(&[claim], &[]).to_string())
    })
}

/// Why it is not checked.
fn unchecked(finding: &Finding) -> &str {
    let Outcome::NotJudged { state: NoVerdict::NotChecked, reason } = &finding.outcome else {
        panic!("{finding:?}");
    };
    assert!(reason.starts_with("only ") && reason.contains("the rest may say otherwise"), "{reason}");
    reason
}

#[tokio::test]
async fn j54_a_part_that_is_borne_out_is_asked_further_for_the_rest() {
    // The first window holds the part; the end of the evidence says more about it in other words.
    let content = format!("It opens at dawn. {} Locked all winter.", haystack("Nothing."));
    let gate = record("The gate opens at dawn.", &[("p1", &content)]);
    for (verdict, quote, expected) in [
        ("CONTRADICTED", "Locked all winter", ("JUDGED", Verdict::Contradicted, 2)),
        ("FULLY_SUPPORTED", "Locked all winter", ("JUDGED", Verdict::FullySupported, 2)),
        ("PARTIALLY_SUPPORTED", "Locked all winter", ("JUDGED", Verdict::PartiallySupported, 2)),
        ("UNSUPPORTED", "Locked all winter", ("JUDGED", Verdict::PartiallySupported, 1)),
        // Words that stand nowhere make nothing certain, and ask for a person where they allege a contradiction.
        ("FULLY_SUPPORTED", "never written", ("JUDGED", Verdict::PartiallySupported, 1)),
        ("CONTRADICTED", "never written", ("UNGROUNDED", Verdict::Contradicted, 1)),
    ] {
        let told = in_parts("PARTIALLY_SUPPORTED", "Locked all winter", verdict, quote);
        let found = findings(&told, &gate).await;
        let [finding] = found.as_slice() else { panic!("{found:?}") };
        let judged = finding.outcome.judged().unwrap();
        let got = (finding.outcome.state().label(), judged.verdict, judged.citations.len());
        assert_eq!(got, expected, "{verdict}, {quote}: {judged:?}");
        assert!(told.heard().len() > 1 && told.heard().len() <= MOST_WINDOWS, "{}", told.heard().len());
        assert!(told.heard()[0].evidence().contains("opens at dawn"));
    }
    // What was found of it is named, for a person, when not all can be shown: the rest may say otherwise.
    let long =
        record("The gate opens at dawn.", &[("p1", &format!("It opens at dawn. {}", content.repeat(8)))]);
    let told = in_parts("PARTIALLY_SUPPORTED", "never shown", "CONTRADICTED", "");
    let found = findings(&told, &long).await;
    assert_eq!(told.heard().len(), MOST_WINDOWS);
    let said = "what was shown bears out a part of it (p1: “opens at dawn”)";
    assert!(unchecked(&found[0]).contains(said), "{}", unchecked(&found[0]));
}

#[tokio::test]
async fn j54_support_in_one_window_does_not_hide_a_contradiction_in_another() {
    let content = format!("It opens at dawn. {} Locked all winter.", haystack("Nothing."));
    let gate = record("The gate opens at dawn.", &[("p1", &content)]);
    for (verdict, quote, expected) in [
        ("CONTRADICTED", "Locked all winter", ("JUDGED", Verdict::Contradicted, 2)),
        ("CONTRADICTED", "never written", ("UNGROUNDED", Verdict::Contradicted, 1)),
        ("FULLY_SUPPORTED", "Locked all winter", ("JUDGED", Verdict::FullySupported, 2)),
        ("PARTIALLY_SUPPORTED", "Locked all winter", ("JUDGED", Verdict::FullySupported, 2)),
        ("UNSUPPORTED", "Locked all winter", ("JUDGED", Verdict::FullySupported, 1)),
    ] {
        let told = in_parts("FULLY_SUPPORTED", "Locked all winter", verdict, quote);
        let found = findings(&told, &gate).await;
        let [finding] = found.as_slice() else { panic!("{found:?}") };
        let judged = finding.outcome.judged().unwrap();
        let got = (finding.outcome.state().label(), judged.verdict, judged.citations.len());
        assert_eq!(got, expected, "{verdict}, {quote}: {judged:?}");
    }
    // Support that was found is named, for a person, when not all can be shown: the rest may contradict it.
    let long =
        record("The gate opens at dawn.", &[("p1", &format!("It opens at dawn. {}", content.repeat(8)))]);
    let told = in_parts("FULLY_SUPPORTED", "never shown", "CONTRADICTED", "");
    let found = findings(&told, &long).await;
    assert_eq!(told.heard().len(), MOST_WINDOWS);
    let said = "what was shown bears it out (p1: “opens at dawn”)";
    assert!(unchecked(&found[0]).contains(said), "{}", unchecked(&found[0]));
}

/// A record that no context holds is its own misfortune: it has a state, and the run goes on.
#[tokio::test]
async fn j54_a_record_that_has_no_room_is_not_checked_and_stops_nothing_else() {
    let told = judge(settings(9_000, 1_000), |_| panic!("not to be asked"));
    let mut one = record("The gate is unlocked early.", &[("p1", DOSE)]);
    one.question = Some("How much of it is there? ".repeat(2000));
    let failure = audit(&told.judge, &one, &FaithfulnessSettings::default()).await.unwrap_err();
    assert_eq!(failure.reach, Reach::Record(NoVerdict::NotChecked), "{failure}");
    assert!(failure.reason.contains("the question that was asked leaves no room"), "{failure}");
    let mut rivals = others::rivals("It opens at dawn.", "It opens at noon.", DOSE);
    rivals.question = one.question;
    let compared =
        crate::instrument::comparison::compare(&told.judge, &rivals, &FaithfulnessSettings::default()).await;
    assert_eq!(compared.unwrap_err().reach, Reach::Record(NoVerdict::NotChecked));
    let long = "The gate is unlocked early. ".repeat(2000);
    let scored = crate::instrument::support::score(&told.judge, &long, &others::passage(DOSE)).await;
    assert_eq!(scored.unwrap_err().reach, Reach::Record(NoVerdict::NotChecked));
    // The same question is asked where there is room for it.
    let told = judge(settings(32_000, 1_000), |_| Ok(reply(&[claim("c1", 1, "The gate")], &[]).to_string()));
    one.question = rivals.question;
    assert_eq!(states(&findings(&told, &one).await), [("The gate", "JUDGED")]);
}

#[tokio::test]
async fn useless_windows_are_no_verdict_until_all_was_shown() {
    let useless = with(
        claim("none", Value::Null, ""),
        json!({"verdict": "INSUFFICIENT_EVIDENCE", "rationale": "A source on gates is missing."}),
    );
    let told = judge(settings(9_000, 1_000), move |heard| {
        let has_needle = heard.evidence().contains("opens at dawn");
        let id = if heard.section("CLAIMS") == ["(none)"] { "c1" } else { "k1" };
        let claims = if has_needle { supported(id, 1, "The gate") } else { useless.clone() };
        Ok(reply(&[claims], &[]).to_string())
    });
    let record = record("The gate is unlocked early.", &[("p1", &haystack("It opens at dawn."))]);
    let found = findings(&told, &record).await;
    assert_eq!(states(&found), [("The gate", "JUDGED")]);
    assert!(told.heard().len() > 1);
}

#[tokio::test]
async fn a_long_answer_is_split_by_sentence_and_joined() {
    let answer = (1..=40).map(|n| format!("Fact number {n} is stated here. ")).collect::<Vec<_>>().concat();
    let told = judge(settings(32_000, 2_000), |heard| {
        let scope = heard.user.split_once("To judge: ").unwrap().1.lines().next().unwrap();
        let numbers: Vec<i64> = match scope.split_once("only sentences ") {
            Some((_, rest)) => {
                rest.split_once(';').unwrap().0.split(", ").map(|n| n.parse().unwrap()).collect()
            }
            None => (1..=heard.section("ANSWER").len() as i64).collect(),
        };
        let claims: Vec<Value> =
            numbers.iter().map(|n| claim("c", *n, &format!("Fact number {n}"))).collect();
        Ok(reply(&claims, &[]).to_string())
    });
    let record = record(&answer, &[("p1", DOSE)]);
    let found = findings(&told, &record).await;
    let texts: Vec<String> = found.iter().map(|finding| finding.claim_text.clone()).collect();
    assert_eq!(texts, (1..=40).map(|n| format!("Fact number {n}")).collect::<Vec<_>>());
    let heard = told.heard();
    assert!(heard.len() > 2 && heard.len() < 12, "{}", heard.len());
    let shown = heard[1].section("ANSWER");
    assert!(heard[1].user.contains("the others help to understand them"), "{shown:?}");
}

#[tokio::test]
async fn a_cut_reply_halves_the_part_and_a_question_too_long_shows_less() {
    let told = judge(settings(32_000, 4_000), |heard| {
        let all = "every sentence";
        if heard.user.contains(all) {
            return Err(refused(Why::Cut, Reach::Record(NoVerdict::Incomplete)));
        }
        Ok(reply(&[claim("c", i64::from(heard.part) - 1, "is")], &[]).to_string())
    });
    let two = record("One is 1. Two is 2.", &[("p1", DOSE)]);
    // The first half is sentence 1 alone, which again is every sentence shown: it is cut for good.
    let found = findings(&told, &two).await;
    assert_eq!(found.iter().map(|f| f.outcome.state().label()).collect::<Vec<_>>(), ["INCOMPLETE", "JUDGED"]);

    let content = haystack("It opens at dawn.");
    let lengths = Arc::new(Mutex::new(Vec::new()));
    let kept = lengths.clone();
    let told = judge(settings(12_000, 1_000), move |heard| {
        if heard.user.len() > 12_000 {
            kept.lock().unwrap().push(heard.user.len());
            return Err(refused(Why::TooLong, Reach::Record(NoVerdict::Failed)));
        }
        let id = if heard.section("CLAIMS") == ["(none)"] { "c1" } else { "k1" };
        Ok(reply(&[supported(id, 1, "The gate")], &[]).to_string())
    });
    let one = record("The gate is unlocked early.", &[("p1", &content)]);
    let found = findings(&told, &one).await;
    assert_eq!(found[0].outcome.judged().map(|judged| judged.verdict), Some(Verdict::FullySupported));
    let lengths = lengths.lock().unwrap().clone();
    assert!(!lengths.is_empty() && lengths.windows(2).all(|pair| pair[1] < pair[0]), "{lengths:?}");
    assert!(told.heard().len() > lengths.len());
}

#[tokio::test]
async fn a_sentence_too_long_for_the_model_is_not_checked_and_never_cut() {
    let answer = format!("One is 1. The {} is long.", "word ".repeat(20_000));
    let told = judge(settings(9_000, 1_000), |_| Ok(reply(&[claim("c1", 1, "One")], &[]).to_string()));
    let found = findings(&told, &record(&answer, &[("p1", DOSE)])).await;
    let labels: Vec<&str> = found.iter().map(|finding| finding.outcome.state().label()).collect();
    assert_eq!(labels, ["JUDGED", "NOT_CHECKED"]);
    assert_eq!(told.heard().len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Whatever a model says or leaves out, every sentence ends with a verdict, a state, or as no claim.
    #[test]
    fn j46_every_sentence_gets_a_status(
        said in proptest::collection::vec((-2i64..9, any::<bool>()), 0..12),
        no_claim in proptest::collection::vec(-2i64..9, 0..8),
    ) {
        let told = replies(&[reply(
            &said
                .iter()
                .map(|(sentence, is_full)| if *is_full {
                    supported("c", *sentence, "is")
                } else {
                    claim("c", *sentence, "is")
                })
                .collect::<Vec<_>>(),
            &no_claim,
        )]);
        let record = record("One is 1. Two is 2. Three is 3. Four is 4.", &[("p1", DOSE)]);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let result = runtime
            .block_on(audit(&told.judge, &record, &FaithfulnessSettings::default()))
            .unwrap();
        let sentences = crate::text::sentences::sentences(&record.answer);
        for (index, sentence) in sentences.iter().enumerate() {
            let in_finding = result.findings.iter().any(|finding| {
                finding.answer_span.is_none_or(|span| sentence.overlaps(span))
            });
            let in_no_claim = result.no_claims.iter().any(|entry| entry.answer_span == *sentence);
            prop_assert!(in_finding || in_no_claim, "sentence {}", index + 1);
            let is_supported = result.findings.iter().any(|finding| {
                finding.answer_span.is_some_and(|span| sentence.overlaps(span))
                    && matches!(&finding.outcome, Outcome::Judged(judged) if judged.verdict == Verdict::FullySupported)
            });
            prop_assert!(!is_supported, "its quotation stands nowhere");
        }
    }
}
