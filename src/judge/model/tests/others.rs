//! Support and comparison.

use super::*;
use crate::instrument::comparison::compare;
use crate::instrument::support::score;

pub(super) fn passage(content: &str) -> Passage {
    Passage { passage_id: PassageId::new("s1"), content: content.into(), metadata: Map::new() }
}

pub(super) fn scored(score: i64, level: &str, missing: Option<&str>) -> Value {
    json!({
        "key_evidence": ["opens at dawn"], "rationale": "It says so.", "missing_information": missing,
        "score": score, "support_level": level, "confidence": 0.9,
    })
}

#[tokio::test]
async fn a_score_comes_with_its_words() {
    let told = replies(&[scored(4, "Strongly Implies", Some("The hour."))]);
    let support =
        score(&told.judge, "The gate is unlocked early.", &passage("The gate opens at dawn.")).await.unwrap();
    assert_eq!((support.score.get(), support.is_grounded), (4, true));
    assert_eq!(support.identity.prompt_version, "support-1");
    let heard = &told.heard()[0];
    assert_eq!(heard.section("CLAIM"), ["The gate is unlocked early."]);
    assert!(heard.user.contains("PASSAGE [s1]\nThe gate opens at dawn.\n"), "{}", heard.user);
    assert!(heard.system.contains("- 5, Directly Supports"));
}

#[tokio::test]
async fn a_rubric_of_ones_own_is_shown_and_named_with_the_scores() {
    let with = |rubric: Option<&str>| {
        let mut told = replies(&[scored(4, "Strongly Implies", Some("The hour."))]);
        told.judge.rubric = rubric.map(|text| Rubric::new(text.into()));
        told
    };
    let told = with(Some("- 5: as the ward would read it, {{claim}}"));
    let gate = passage("The gate opens at dawn.");
    let support = score(&told.judge, "The gate is unlocked early.", &gate).await.unwrap();
    let heard = &told.heard()[0];
    assert!(heard.system.contains("- 5: as the ward would read it, {{claim}}"), "{}", heard.system);
    assert!(!heard.system.contains("- 5, Directly Supports"));
    let version = |told: &Told| told.judge.identity_of(PromptId::Support).prompt_version;
    assert_eq!(support.identity.prompt_version, version(&told));
    assert!(version(&told).starts_with("support-1+rubric-"), "{}", version(&told));
    assert_ne!(version(&told), version(&with(Some("- 5: else"))));
    assert_eq!(version(&with(None)), "support-1");
    assert_eq!(told.judge.identity().prompt_version, "faithfulness-1");
}

#[tokio::test]
async fn j16_j19_level_and_score_must_agree_and_lie_in_bounds() {
    for (reply, wrong) in [
        (scored(4, "Directly Supports", Some("x")), "a score of 4 is `Strongly Implies`"),
        (scored(0, "No Support / Contradicts", Some("x")), "a whole number from 1 to 5"),
        (scored(6, "Directly Supports", None), "a whole number from 1 to 5"),
        (scored(3, "Partially Supports", None), "which it is for a score of 5 only"),
        (with(scored(5, "Directly Supports", None), json!({"confidence": 1.5})), "between 0 and 1"),
    ] {
        let told = replies(&[reply]);
        let failure =
            score(&told.judge, "The gate is open.", &passage("The gate opens at dawn.")).await.unwrap_err();
        assert!(failure.reason.contains(wrong), "{failure}");
    }
    let told = replies(&[scored(5, "Directly Supports", Some("nothing"))]);
    let support = score(&told.judge, "The gate is open.", &passage("The gate opens at dawn.")).await.unwrap();
    assert_eq!(support.missing_information, None);
}

#[tokio::test]
async fn j54_a_long_passage_is_scored_by_its_best_window() {
    let filler = (0..900)
        .map(|n| format!("Chapter {n} describes the garden and the flowers. "))
        .collect::<Vec<_>>()
        .concat();
    let content = format!("{filler}It opens at dawn. {filler}");
    let script = |heard: &Heard| {
        Ok(if heard.user.contains("opens at dawn") {
            scored(4, "Strongly Implies", Some("The hour."))
        } else {
            with(scored(1, "No Support / Contradicts", Some("All.")), json!({"key_evidence": []}))
        }
        .to_string())
    };
    let told = judge(settings(9_000, 1_000), script);
    let support = score(&told.judge, "The gate is unlocked early.", &passage(&content)).await.unwrap();
    assert_eq!(support.score.get(), 4);
    assert_eq!(support.exchanges.len(), told.heard().len());
    assert!(told.heard().len() > 1);
    let told = judge(settings(4_000, 1_000), script);
    let longer = passage(&format!("{}{content}", filler.repeat(5)));
    let failure = score(&told.judge, "The gate is unlocked early.", &longer).await.unwrap_err();
    assert_eq!(failure.reach, Reach::Record(NoVerdict::NotChecked));
    assert!(failure.reason.contains("characters were shown"), "{failure}");
}

#[tokio::test]
async fn j54_a_window_that_contradicts_outweighs_every_score_and_ends_the_search() {
    let filler = |from: usize| -> String {
        let line = |n| format!("Chapter {n} describes the garden and the gate. ");
        (from..from + 900).map(line).collect::<Vec<_>>().concat()
    };
    let content =
        format!("It is open all day. {}{}Locked after dusk. {}", filler(0), filler(900), filler(1800));
    let claim = "The gate is open at night.";
    let script = |first: Value, last: Value| {
        move |heard: &Heard| {
            let related = with(scored(2, "Weakly Related", Some("All.")), json!({"key_evidence": []}));
            let has = |words: &str| heard.user.contains(words);
            let said = if has("Locked after dusk") {
                last.clone()
            } else if has("open all day") {
                first.clone()
            } else {
                related
            };
            Ok(said.to_string())
        }
    };
    let related = with(scored(2, "Weakly Related", Some("All.")), json!({"key_evidence": []}));
    let full = with(scored(5, "Directly Supports", None), json!({"key_evidence": ["open all day"]}));
    let locked = |said: Value| with(said, json!({"key_evidence": ["Locked after dusk"]}));
    let against = locked(scored(1, "No Support / Contradicts", Some("All.")));
    let told = judge(settings(20_000, 1_000), script(related.clone(), against.clone()));
    let support = score(&told.judge, claim, &passage(&content)).await.unwrap();
    assert_eq!((support.score.get(), support.key_evidence.len()), (1, 1));
    let seen = told.heard().len();
    // Another part that supports does not hide it, and is told.
    for first in
        [with(scored(4, "Strongly Implies", Some("All.")), json!({"key_evidence": ["open all day"]})), full]
    {
        let other = first["score"].clone();
        let told = judge(settings(20_000, 1_000), script(first, against.clone()));
        let support = score(&told.judge, claim, &passage(&content)).await.unwrap();
        assert_eq!((support.score.get(), support.key_evidence[0].quote.as_str()), (1, "Locked after dusk"));
        let remark = format!("It says so. Another part of the passage scored {other}.");
        assert!(support.rationale.starts_with(&remark), "{}", support.rationale);
        assert_eq!(told.heard().len(), seen);
    }
    // Nor does one on words that stand nowhere.
    let invented = with(against.clone(), json!({"key_evidence": ["words that stand nowhere at all"]}));
    let open = with(scored(5, "Directly Supports", None), json!({"key_evidence": ["open all day"]}));
    let told = judge(settings(20_000, 1_000), script(open, invented.clone()));
    let support = score(&told.judge, claim, &passage(&content)).await.unwrap();
    assert_eq!((support.score.get(), support.is_grounded), (5, true));
    let told = judge(settings(20_000, 1_000), move |_| Ok(invented.to_string()));
    let support = score(&told.judge, claim, &passage("Locked after dusk.")).await.unwrap();
    assert_eq!((support.score.get(), support.is_grounded), (1, false));
    // A silent 1 does not outweigh what is related, and what supports does.
    let silent = with(against, json!({"key_evidence": []}));
    let told = judge(settings(20_000, 1_000), script(related.clone(), silent));
    assert_eq!(score(&told.judge, claim, &passage(&content)).await.unwrap().score.get(), 2);
    let told = judge(
        settings(20_000, 1_000),
        script(related, locked(scored(3, "Partially Supports", Some("All.")))),
    );
    assert_eq!(score(&told.judge, claim, &passage(&content)).await.unwrap().score.get(), 3);
    // What was not shown after the most windows is told.
    let told = judge(settings(6_000, 1_000), |_| Ok(scored(5, "Directly Supports", None).to_string()));
    let content = content.repeat(2);
    let support = score(&told.judge, claim, &passage(&content)).await.unwrap();
    assert_eq!(told.heard().len(), MOST_WINDOWS);
    let total = content.chars().count();
    assert!(
        support.rationale.ends_with(&format!(" of {total} characters of the passage in view.")),
        "{support:?}"
    );
}

/// What no writing anew can mend is asked for again, and no repair is paid for.
#[tokio::test]
async fn j16_a_score_that_contradicts_itself_is_asked_for_again() {
    let gate = passage("The gate opens at dawn.");
    let told = replies(&[
        scored(4, "Directly Supports", Some("x")),
        with(scored(4, "Strongly Implies", Some("x")), json!({"confidence": 80})),
        scored(4, "Strongly Implies", Some("The hour.")),
    ]);
    let support = score(&told.judge, "The gate is unlocked early.", &gate).await.unwrap();
    assert_eq!((support.score.get(), support.exchanges.len()), (4, 3));
    let heard = told.heard();
    let purposes: Vec<(Purpose, u32)> = heard.iter().map(|heard| (heard.purpose, heard.part)).collect();
    assert_eq!(purposes, [(Purpose::Ask, 1), (Purpose::AskAgain, 2), (Purpose::AskAgain, 3)]);
    assert!(heard[1].user.ends_with("must agree.") && heard[1].user != heard[2].user);
    let told = replies(&[scored(4, "Directly Supports", Some("x"))]);
    let failure = score(&told.judge, "The gate is unlocked early.", &gate).await.unwrap_err();
    assert_eq!(failure.reach, Reach::Record(NoVerdict::Incomplete), "{failure}");
    assert_eq!((told.heard().len(), failure.exchanges.len()), (3, 3));
}

pub(super) fn rivals(baseline: &str, candidate: &str, document: &str) -> Rivals {
    Rivals {
        id: "q".into(),
        question: None,
        documents: vec![passage(document)],
        baseline: baseline.into(),
        candidate: candidate.into(),
        risk_level: None,
    }
}

pub(super) fn compared(sentence: i64, status: &str, quote: &str) -> Value {
    json!({
        "claim_id": "x", "sentence": sentence, "claim_text": if sentence == 1 { "It opens." } else { "It is." }, "status": status,
        "hallucination_type": null, "source_document": "s1", "source_citation": quote, "severity": null,
    })
}

pub(super) fn side(claims: &[Value], no_claim: &[i64]) -> Value {
    json!({
        "claims": claims, "no_claim": no_claim, "total_claims": 7, "supported_claims": 0, "unsupported_claims": 0,
        "contradicted_claims": 0, "out_of_scope_claims": 0, "hallucination_rate": null,
    })
}

pub(super) fn comparison(baseline: &Value, candidate: &Value) -> Value {
    json!({
        "baseline_analysis": baseline, "candidate_analysis": candidate,
        "comparison_summary": {
            "baseline_hallucination_rate": null, "candidate_hallucination_rate": null, "rate_change": null,
            "new_hallucination_types": [], "severity_shift": {"LOW": 0, "MEDIUM": 0, "HIGH": 0, "CRITICAL": 0},
            "regression_detected": false, "regression_details": "",
        },
    })
}

#[tokio::test]
async fn j34_a_comparison_counts_itself_and_names_what_the_judge_left_out() {
    let told = replies(&[comparison(
        &side(&[compared(1, "SUPPORTED", "opens at dawn")], &[]),
        &side(
            &[
                compared(1, "CONTRADICTED", "opens at dawn"),
                compared(2, "OUT_OF_SCOPE", "No supporting evidence found."),
            ],
            &[3],
        ),
    )]);
    let rivals = rivals(
        "It opens at dawn.",
        "It opens at noon. Bring a coat. Anything else? It is far.",
        "The gate opens at dawn.",
    );
    let done = compare(&told.judge, &rivals, &FaithfulnessSettings::default()).await.unwrap();
    let states: Vec<(&str, &str)> =
        done.candidate.claims.iter().map(|claim| (claim.claim_text.as_str(), claim.state.label())).collect();
    assert_eq!(states, [("It opens.", "JUDGED"), ("It is.", "JUDGED"), ("It is far.", "INCOMPLETE")]);
    assert_eq!(done.candidate.hallucination_rate(), Some(0.5));
    assert_eq!(done.summary.regression_detected, Some(true));
    assert!(
        done.mismatches.iter().any(|mismatch| mismatch.field == "comparison_summary.regression_detected")
    );
    assert_eq!(done.judge_arithmetic.as_ref().unwrap()["baseline_analysis"]["total_claims"], 7);
    assert!(done.judge_arithmetic.unwrap()["baseline_analysis"].get("claims").is_none());
    assert_eq!(done.exchanges, [ExchangeKey(1)]);
    let heard = &told.heard()[0];
    assert_eq!(heard.section("BASELINE"), ["[1] It opens at dawn."]);
    assert_eq!(heard.section("CANDIDATE").len(), 4);
}

#[tokio::test]
async fn a_comparison_too_long_for_one_question_audits_each_side() {
    let told = judge(settings(12_000, 1_000), |heard| {
        assert!(heard.user.contains(" ANSWER\n"), "asked for faithfulness");
        let id = if heard.section("CLAIMS") == ["(none)"] { "c1" } else { "k1" };
        Ok(reply(&[claim(id, 1, "It opens")], &[]).to_string())
    });
    let document = (0..600)
        .map(|n| format!("Chapter {n} describes the garden and the flowers. "))
        .collect::<Vec<_>>()
        .concat();
    let rivals = rivals("It opens at dawn.", "It opens at noon.", &document);
    let done = compare(&told.judge, &rivals, &FaithfulnessSettings::default()).await.unwrap();
    assert_eq!((done.baseline.unsupported, done.candidate.unsupported), (1, 1));
    assert_eq!(done.judge_arithmetic, None);
}

/// The candidate's claims as `words | state | why`, and the share of them that has a verdict.
async fn candidate(answer: &str, side_of_it: &Value) -> (Vec<String>, Option<f64>) {
    let told = replies(&[comparison(&side(&[compared(1, "SUPPORTED", "opens at dawn")], &[]), side_of_it)]);
    let rivals = rivals("It opens at dawn.", answer, "The gate opens at dawn.");
    let done = compare(&told.judge, &rivals, &FaithfulnessSettings::default()).await.unwrap();
    let line = |claim: &crate::domain::comparison::ComparedClaim| {
        format!("{} | {} | {}", claim.claim_text, claim.state.label(), claim.remark)
    };
    (done.candidate.claims.iter().map(line).collect(), done.candidate.coverage())
}

#[tokio::test]
async fn j47_a_compared_claim_is_held_to_its_sentence_and_a_sentence_that_is_none_has_no_claim() {
    let gate = |sentence: i64| {
        let claim = compared(sentence, "SUPPORTED", "opens at dawn");
        with(claim, json!({"claim_text": "The gate opens at dawn."}))
    };
    let (claims, coverage) = candidate("It opens at 12 noon.", &side(&[gate(1)], &[])).await;
    assert!(claims[0].starts_with("The gate opens at dawn. | UNGROUNDED | Verdict rejected: "), "{claims:?}");
    assert_eq!(coverage, Some(0.0));
    for sentence in [99, 0, -1] {
        let (claims, coverage) = candidate("It opens at 12 noon.", &side(&[gate(sentence)], &[])).await;
        let why = format!("the judge takes it from sentence {sentence}, which the answer has not");
        assert_eq!(
            claims,
            [
                format!("The gate opens at dawn. | INCOMPLETE | {why}"),
                "It opens at 12 noon. | INCOMPLETE | the judge said nothing of this sentence".to_owned(),
            ]
        );
        assert_eq!(coverage, Some(0.0));
    }
}

#[tokio::test]
async fn j34_a_comparison_silences_no_sentence_that_states_something() {
    let answer = "Adults may take 8 g a day. I hope this helps!";
    let (claims, coverage) = candidate(answer, &side(&[], &[1, 2])).await;
    let why = "the judge says that this states nothing, yet it holds “8 g”";
    assert_eq!(claims, [format!("Adults may take 8 g a day. | INCOMPLETE | {why}")]);
    assert_eq!(coverage, Some(0.0));
}

#[tokio::test]
async fn what_showed_that_a_comparison_is_too_long_is_not_lost() {
    for why in [Why::TooLong, Why::Cut] {
        let script = move |heard: &Heard| {
            if heard.user.contains(" ANSWER\n") {
                Ok(reply(&[claim("c1", 1, "It opens")], &[]).to_string())
            } else {
                Err(refused(why, Reach::Record(NoVerdict::Incomplete)))
            }
        };
        let told = judge(settings(32_000, 4_000), script);
        let rivals = rivals("It opens at dawn.", "It opens at noon.", "The gate opens at dawn.");
        let done = compare(&told.judge, &rivals, &FaithfulnessSettings::default()).await.unwrap();
        assert_eq!(done.exchanges, [ExchangeKey(90), ExchangeKey(2), ExchangeKey(3)]);
        // And neither is any when a side fails.
        let told =
            judge(settings(32_000, 4_000), move |_| Err(refused(why, Reach::Record(NoVerdict::Incomplete))));
        let failure = compare(&told.judge, &rivals, &FaithfulnessSettings::default()).await.unwrap_err();
        assert!(failure.exchanges.len() > 1, "of the comparison and of the side");
    }
}
