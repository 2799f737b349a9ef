//! Replies that had to be written again, and say something else then.

use super::others::{compared, comparison, passage, rivals, scored, side};
use super::*;
use crate::instrument::comparison::compare;
use crate::instrument::support::score;

/// A judge that writes `before`, and `after` when it is asked to repair that.
fn repairs(before: &Value, after: &Value) -> Told {
    let (before, after) = (before.to_string(), after.to_string());
    // Cut at its end, as replies are that have to be repaired.
    let before = before[..before.len() - 1].to_owned();
    judge(settings(32_000, 4_000), move |_| Ok(format!("{before}{REPAIRED}{after}")))
}

/// Each finding as `claim | state | reason`.
fn reasons(findings: &[Finding]) -> Vec<String> {
    let told = |finding: &Finding| match &finding.outcome {
        Outcome::NotJudged { reason, .. } => reason.clone(),
        _ => String::new(),
    };
    let line = |finding: &Finding| {
        format!("{} | {} | {}", finding.claim_text, finding.outcome.state().label(), told(finding))
    };
    findings.iter().map(line).collect()
}

const CHANGED: &str =
    "the reply had to be repaired, and the repair changed this verdict from CONTRADICTED to UNSUPPORTED";

const DROPPED: &str = "the reply had to be repaired, and the repair dropped this verdict: CONTRADICTED";

fn contradicted(claim: Value) -> Value {
    with(claim, json!({"verdict": "CONTRADICTED"}))
}

#[tokio::test]
async fn a_repair_that_changes_a_verdict_leaves_none_and_the_others_stay() {
    let (one, two) = (claim("c1", 1, "One is 1."), claim("c2", 2, "Two is 2."));
    let told = repairs(
        &reply(&[contradicted(one.clone()), two.clone()], &[]),
        &reply(&[one.clone(), two.clone()], &[]),
    );
    let short = record("One is 1. Two is 2.", &[("p1", DOSE)]);
    let found = findings(&told, &short).await;
    let changed = format!("One is 1. | INCOMPLETE | {CHANGED}");
    assert_eq!(reasons(&found), [changed.as_str(), "Two is 2. | JUDGED | "]);
    assert_eq!(told.heard().len(), 1, "nothing is asked again");
    // What it changes to "no evidence" is one too.
    let useless = with(
        claim("c1", 1, "One is 1."),
        json!({"verdict": "INSUFFICIENT_EVIDENCE", "rationale": "A source is missing."}),
    );
    let told = repairs(&reply(&[contradicted(one), two.clone()], &[]), &reply(&[useless, two], &[]));
    let found = findings(&told, &short).await;
    assert_eq!(reasons(&found)[0], changed.replace("UNSUPPORTED", "INSUFFICIENT_EVIDENCE"));
}

#[tokio::test]
async fn a_claim_that_a_repair_drops_is_not_lost() {
    let (one, two) = (claim("c1", 1, "One is 1."), claim("c2", 1, "and 2"));
    let told = repairs(&reply(&[one.clone(), contradicted(two)], &[]), &reply(&[one], &[]));
    let found = findings(&told, &record("One is 1. and 2", &[("p1", DOSE)])).await;
    assert!(reasons(&found).contains(&format!("and 2 | INCOMPLETE | {DROPPED}")), "{found:?}");
    assert!(found.iter().all(|finding| finding.answer_span.is_some()));
}

#[tokio::test]
async fn a_claim_that_a_repair_drops_is_not_lost_whatever_was_around_it() {
    let (one, two) = (claim("c1", 1, "One is 1."), contradicted(claim("c2", 1, "and 2")));
    let claims = json!([one, two]);
    for before in [
        claims.clone(),
        json!({"result": {"claims": claims, "no_claim": []}}),
        json!({"verdicts": claims, "no_claim": []}),
        json!({"Claims": claims, "no_claim": []}),
    ] {
        let told = repairs(&before, &reply(std::slice::from_ref(&one), &[]));
        let found = findings(&told, &record("One is 1. and 2", &[("p1", DOSE)])).await;
        let lines = reasons(&found);
        assert!(lines.contains(&format!("and 2 | INCOMPLETE | {DROPPED}")), "{before}: {lines:?}");
        assert!(lines.contains(&"One is 1. | JUDGED | ".to_owned()), "{before}: {lines:?}");
    }
    // Of given claims too.
    let mut given = record("One is 1.", &[("p1", DOSE)]);
    given.given_claims = ["a", "b"].map(|text| GivenClaim { claim_id: None, claim_text: text.into() }).into();
    let (one, two) = (given_claim("k1", "a"), contradicted(given_claim("k2", "b")));
    let told = repairs(&json!([one, two]), &reply(&[one], &[]));
    let found = findings(&told, &given).await;
    assert_eq!(reasons(&found), ["a | JUDGED | ".to_owned(), format!("b | INCOMPLETE | {DROPPED}")]);
}

#[tokio::test]
async fn a_claim_that_a_repair_drops_from_neither_side_is_missed_on_both() {
    let full = compared(1, "SUPPORTED", "opens at dawn");
    let gone = with(compared(1, "CONTRADICTED", "opens at dawn"), json!({"claim_text": "It is far."}));
    let (baseline, candidate) = (side(std::slice::from_ref(&full), &[]), side(&[full], &[]));
    let mended = comparison(&baseline, &candidate);
    let mut before = mended.clone();
    before["more"] = json!([gone]);
    let told = repairs(&before, &mended);
    let rivals = rivals("It opens at dawn.", "It opens at dawn.", "The gate opens at dawn.");
    let done = compare(&told.judge, &rivals, &FaithfulnessSettings::default()).await.unwrap();
    for side in [&done.baseline, &done.candidate] {
        let states: Vec<(&str, &str)> =
            side.claims.iter().map(|claim| (claim.claim_text.as_str(), claim.state.label())).collect();
        assert!(states.contains(&("It is far.", "INCOMPLETE")), "{states:?}");
    }
}

#[tokio::test]
async fn what_a_repair_fills_in_beside_the_verdict_is_asked_for_again() {
    let citation = json!([{"passage_id": "p1", "quote": "is 4 g in 24 hours", "role": "contradicts"}]);
    let whole = with(
        contradicted(claim("c1", 1, "The dose is 8 g.")),
        json!({"evidence_citation": citation, "rationale": "It is 4 g."}),
    );
    let without = |field: &str| {
        let mut claim = whole.clone();
        claim.as_object_mut().unwrap().remove(field);
        claim
    };
    let mut no_role = whole.clone();
    no_role["evidence_citation"][0].as_object_mut().unwrap().remove("role");
    let bare = with(whole.clone(), json!({"evidence_citation": ["is 4 g in 24 hours"]}));
    let filled = with(whole.clone(), json!({"confidence": 0}));
    for (before, mended) in [
        (without("confidence"), &filled),
        (with(whole.clone(), json!({"confidence": "high"})), &filled),
        (with(whole.clone(), json!({"confidence": "90%"})), &whole),
        (no_role, &whole),
        (bare, &whole),
    ] {
        let cut = |claim: &Value| {
            let text = reply(std::slice::from_ref(claim), &[]).to_string();
            text[..text.len() - 1].to_owned()
        };
        let first = format!("{}{REPAIRED}{}", cut(&before), reply(std::slice::from_ref(mended), &[]));
        let second = reply(std::slice::from_ref(&whole), &[]).to_string();
        let told = judge(settings(32_000, 4_000), move |heard| {
            Ok(if heard.purpose == Purpose::Ask { first.clone() } else { second.clone() })
        });
        let found = findings(&told, &record("The dose is 8 g.", &[("p1", DOSE)])).await;
        assert_eq!(reasons(&found), ["The dose is 8 g. | JUDGED | "], "{before}");
        assert_eq!(told.heard().len(), 2, "{before}");
        // The same of a claim that was given.
        let mut given = record("The dose is 8 g.", &[("p1", DOSE)]);
        given.given_claims = vec![GivenClaim { claim_id: None, claim_text: "The dose is 8 g.".into() }];
        let as_given = |claim: &Value| with(claim.clone(), json!({"claim_id": "k1", "sentence": null}));
        let first = format!("{}{REPAIRED}{}", cut(&as_given(&before)), reply(&[as_given(mended)], &[]));
        let second = reply(&[as_given(&whole)], &[]).to_string();
        let told = judge(settings(32_000, 4_000), move |heard| {
            Ok(if heard.purpose == Purpose::Ask { first.clone() } else { second.clone() })
        });
        let found = findings(&told, &given).await;
        assert_eq!(reasons(&found), ["The dose is 8 g. | JUDGED | "], "{before}");
        assert_eq!(told.heard().len(), 2, "{before}");
    }
    // A score.
    let full = scored(5, "Directly Supports", None);
    let mut unsure = full.clone();
    unsure.as_object_mut().unwrap().remove("confidence");
    let text = unsure.to_string();
    let first = format!("{}{REPAIRED}{full}", &text[..text.len() - 1]);
    let told = judge(settings(32_000, 4_000), move |heard| {
        Ok(if heard.purpose == Purpose::Ask { first.clone() } else { full.to_string() })
    });
    let gate = "The gate opens at dawn.";
    assert_eq!(score(&told.judge, gate, &passage(gate)).await.unwrap().score.get(), 5);
    assert_eq!(told.heard().len(), 2);
}

#[tokio::test]
async fn a_claim_that_a_repair_adds_has_no_verdict() {
    let (one, two) = (claim("c1", 1, "One is 1."), claim("c2", 2, "Two is 2."));
    let short = record("One is 1. Two is 2. Well.", &[("p1", DOSE)]);
    let told = repairs(&reply(std::slice::from_ref(&one), &[]), &reply(&[one, two], &[3]));
    let found = findings(&told, &short).await;
    let lines = reasons(&found);
    assert_eq!(lines[0], "One is 1. | JUDGED | ");
    assert!(
        lines[1].starts_with("Two is 2. | INCOMPLETE | ") && lines[1].contains("repair added"),
        "{lines:?}"
    );
    assert!(lines[2].starts_with("Well. | INCOMPLETE | "), "{lines:?}");
}

#[tokio::test]
async fn the_same_holds_for_given_claims() {
    let mut record = record("One is 1.", &[("p1", DOSE)]);
    record.given_claims =
        ["a", "b", "c"].map(|text| GivenClaim { claim_id: None, claim_text: text.into() }).into();
    let each = [("k1", "a"), ("k2", "b"), ("k3", "c")].map(|(id, text)| given_claim(id, text));
    let [one, two, three] = each;
    let told = repairs(
        &reply(&[contradicted(one.clone()), contradicted(two), three.clone()], &[]),
        &reply(&[one, three], &[]),
    );
    let found = findings(&told, &record).await;
    let [changed, dropped] =
        [("a", CHANGED), ("b", DROPPED)].map(|(claim, why)| format!("{claim} | INCOMPLETE | {why}"));
    assert_eq!(reasons(&found), [changed.as_str(), &dropped, "c | JUDGED | "]);
}

#[tokio::test]
async fn a_score_that_a_repair_changes_is_none() {
    let told = repairs(&scored(2, "Weakly Related", Some("All.")), &scored(5, "Directly Supports", None));
    let failure =
        score(&told.judge, "The gate is open.", &passage("The gate opens at dawn.")).await.unwrap_err();
    assert_eq!(failure.reach, Reach::Record(NoVerdict::Incomplete));
    assert!(failure.reason.ends_with("changed this score from 2 to 5"), "{failure}");
    assert_eq!(failure.exchanges, [ExchangeKey(1)]);
}

#[tokio::test]
async fn a_status_that_a_repair_changes_counts_in_no_rate() {
    let full = |status: &str| compared(1, status, "opens at dawn");
    let other = compared(2, "UNSUPPORTED", "No supporting evidence found.");
    let other = with(other, json!({"claim_text": "It is far."}));
    let baseline = side(&[full("SUPPORTED")], &[]);
    let told = repairs(
        &comparison(&baseline, &side(&[full("CONTRADICTED"), other], &[])),
        &comparison(&baseline, &side(&[full("SUPPORTED")], &[2])),
    );
    let rivals = rivals("It opens at dawn.", "It opens at noon. It is far.", "The gate opens at dawn.");
    let done = compare(&told.judge, &rivals, &FaithfulnessSettings::default()).await.unwrap();
    let told: Vec<(&str, &str, &str)> = done
        .candidate
        .claims
        .iter()
        .map(|claim| (claim.claim_text.as_str(), claim.state.label(), claim.remark.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (
                "It opens.",
                "INCOMPLETE",
                "the reply had to be repaired, and the repair changed this status from CONTRADICTED to SUPPORTED"
            ),
            (
                "It is far.",
                "INCOMPLETE",
                "the reply had to be repaired, and the repair dropped this status: UNSUPPORTED"
            ),
        ]
    );
    assert_eq!(done.candidate.judged(), 0);
    assert_eq!(done.baseline.claims[0].state, AuditState::Judged);
}

#[tokio::test]
async fn a_verdict_of_other_words_is_not_given_to_a_claim_by_a_repair() {
    let mut record = record("Adults may take 8 g a day.", &[("p1", DOSE)]);
    record.given_claims =
        vec![GivenClaim { claim_id: None, claim_text: "Adults may take 8 g a day.".into() }];
    let said = |text: &str| {
        let citation = json!([{"passage_id": "p1", "quote": "is 4 g in 24 hours", "role": "supports"}]);
        let fields =
            json!({"verdict": "FULLY_SUPPORTED", "evidence_citation": citation, "rationale": "So it is."});
        with(given_claim("k1", text), fields)
    };
    let told = repairs(
        &reply(&[said("Adults may take 4 g a day.")], &[]),
        &reply(&[said("Adults may take 8 g a day.")], &[]),
    );
    let found = findings(&told, &record).await;
    let lines = reasons(&found);
    assert!(lines[0].starts_with("Adults may take 8 g a day. | INCOMPLETE | "), "{lines:?}");
    assert!(
        lines[0].contains("the repair changed this claim_text from Adults may take 4 g a day."),
        "{lines:?}"
    );
}

#[tokio::test]
async fn a_claim_without_a_label_that_a_repair_leaves_out_is_not_lost() {
    let (one, two) = (claim("c1", 1, "One is 1"), claim("c2", 1, "two is 2"));
    let told =
        repairs(&reply(&[one.clone(), with(two, json!({"verdict": "MAYBE"}))], &[]), &reply(&[one], &[]));
    let found = findings(&told, &record("One is 1 and two is 2.", &[("p1", DOSE)])).await;
    let why = "the reply had to be repaired, and its label could not be read";
    assert_eq!(
        reasons(&found),
        ["One is 1 | JUDGED | ".to_owned(), format!("two is 2 | INCOMPLETE | {why}")]
    );
}

#[tokio::test]
async fn a_quotation_that_stands_only_in_a_repair_is_no_ground() {
    let said = |quote: &str| {
        let citation = json!([{"passage_id": "p1", "quote": quote, "role": "supports"}]);
        let fields =
            json!({"verdict": "FULLY_SUPPORTED", "evidence_citation": citation, "rationale": "So it is."});
        reply(&[with(claim("c1", 1, "The gate opens at dawn."), fields)], &[])
    };
    let told = repairs(&said("never there"), &said("opens at dawn"));
    let gate = "The gate opens at dawn.";
    let found = findings(&told, &record(gate, &[("p1", gate)])).await;
    let lines = reasons(&found);
    assert!(lines[0].ends_with("changed this quote from never there to opens at dawn"), "{lines:?}");
    let other = with(scored(5, "Directly Supports", None), json!({"key_evidence": ["never there"]}));
    let told = repairs(&other, &scored(5, "Directly Supports", None));
    let failure = score(&told.judge, gate, &passage(gate)).await.unwrap_err();
    assert_eq!(failure.reach, Reach::Record(NoVerdict::Incomplete));
    assert!(
        failure.reason.ends_with("changed this key_evidence from never there to opens at dawn"),
        "{failure}"
    );
}

#[tokio::test]
async fn a_repair_silences_no_sentence_of_a_comparison() {
    let baseline = side(&[compared(1, "SUPPORTED", "opens at dawn")], &[]);
    let told = repairs(&comparison(&baseline, &side(&[], &[])), &comparison(&baseline, &side(&[], &[1])));
    let rivals = rivals("It opens at dawn.", "I hope this helps.", "The gate opens at dawn.");
    let done = compare(&told.judge, &rivals, &FaithfulnessSettings::default()).await.unwrap();
    let [claim] = done.candidate.claims.as_slice() else { panic!("{:?}", done.candidate) };
    assert_eq!((claim.claim_text.as_str(), claim.state.label()), ("I hope this helps.", "INCOMPLETE"));
}
