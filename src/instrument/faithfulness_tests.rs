//! What the instrument makes of replies, good and bad, of a judge that says what it is told to.

use super::*;
use crate::domain::finding::Judged;
use crate::domain::finding::{JudgeIdentity, NoClaimReason};
use crate::domain::ids::{AuditId, PassageId};
use crate::domain::record::{Passage, RiskLevel};
use crate::domain::verdict::{Citation, HallucinationType, MatchLevel, Probability, Role, Severity};
use crate::judge::local::LocalJudge;
use crate::judge::{Pending, SupportReply};

/// Says what it is told to, once, and fails when it is asked although it should not be.
struct Scripted(Option<FaithfulnessReply>);

impl Judge for Scripted {
    fn identity(&self) -> JudgeIdentity {
        JudgeIdentity {
            judge: "scripted".into(),
            model: "none".into(),
            prompt_version: "1".into(),
            prompt_sha256: String::new(),
            settings: serde_json::Value::Null,
        }
    }

    fn faithfulness<'a>(
        &'a self,
        _record: &'a Record,
        _settings: &'a FaithfulnessSettings,
    ) -> Pending<'a, FaithfulnessReply> {
        Box::pin(
            async move { self.0.clone().ok_or_else(|| JudgeFailure::of_record("scripted", "asked in vain")) },
        )
    }

    fn support<'a>(&'a self, _claim: &'a str, _passage: &'a Passage) -> Pending<'a, SupportReply> {
        Box::pin(async move { Err(JudgeFailure::of_record("scripted", "not a script for this")) })
    }
}

fn record(answer: &str, passages: &[(&str, &str)]) -> Record {
    Record {
        audit_id: AuditId::new("r"),
        answer: answer.into(),
        passages: passages
            .iter()
            .map(|(id, content)| Passage {
                passage_id: PassageId::new(*id),
                content: (*content).into(),
                metadata: serde_json::Map::default(),
            })
            .collect(),
        question: None,
        risk_level: None,
        given_claims: Vec::new(),
        metadata: serde_json::Map::default(),
    }
}

fn cite(passage: &str, quote: &str) -> Citation {
    Citation {
        passage_id: PassageId::new(passage),
        span: None,
        quote: quote.into(),
        role: Role::Supports,
        level: MatchLevel::Exact,
    }
}

/// What a judge says; its citations have the role that its verdict needs.
fn says(claim: &str, verdict: Verdict, mut citations: Vec<Citation>, rationale: &str) -> Finding {
    if verdict == Verdict::Contradicted {
        for citation in &mut citations {
            citation.role = Role::Contradicts;
        }
    }
    Finding {
        claim_text: claim.into(),
        given_id: None,
        answer_span: None,
        outcome: Outcome::Judged(Judged {
            verdict,
            confidence: Probability::clamped(0.9),
            severity: None,
            hallucination_type: None,
            citations,
            rationale: rationale.into(),
            support: None,
        }),
    }
}

async fn checked(record: &Record, findings: Vec<Finding>) -> Vec<Finding> {
    let judge = Scripted(Some(FaithfulnessReply { findings, ..FaithfulnessReply::default() }));
    audit(&judge, record, &FaithfulnessSettings::default()).await.expect("the script answers").findings
}

const DOSE: &str = "The maximum dose is 4 g per day.";

#[tokio::test]
async fn j47_a_quote_that_stands_nowhere_leaves_the_label_ungrounded() {
    let record = record("The dose is 4 g.", &[("p1", DOSE)]);
    for verdict in [Verdict::FullySupported, Verdict::PartiallySupported, Verdict::Contradicted] {
        for citations in [vec![], vec![cite("p1", "Patients should drink water daily.")]] {
            let findings =
                checked(&record, vec![says("The dose is 4 g.", verdict, citations, "It says so.")]).await;
            assert!(matches!(&findings[0].outcome, Outcome::Ungrounded(judged) if judged.verdict == verdict));
        }
    }
    let findings =
        checked(&record, vec![says("The dose is 4 g.", Verdict::Unsupported, vec![], "No.")]).await;
    assert!(matches!(findings[0].outcome, Outcome::Judged(_)));
}

#[tokio::test]
async fn j49_the_match_level_is_found_again_and_never_believed() {
    let record = record("The dose is 4 g.", &[("p1", DOSE)]);
    let level = |findings: &[Finding]| match &findings[0].outcome {
        Outcome::Judged(judged) | Outcome::Ungrounded(judged) => judged.citations[0].level,
        Outcome::NotJudged { .. } => panic!("judged"),
    };
    for (quote, expected) in [
        ("maximum dose is 4 g", MatchLevel::Exact),
        ("MAXIMUM  dose is 4 g", MatchLevel::Normalized),
        ("Elephants swim across wide rivers", MatchLevel::NotFound),
    ] {
        let finding =
            says("The dose is 4 g.", Verdict::FullySupported, vec![cite("p1", quote)], "It says so.");
        assert_eq!(level(&checked(&record, vec![finding]).await), expected, "{quote}");
    }
}

#[tokio::test]
async fn j51_a_quote_counts_only_in_the_passage_that_it_names() {
    let record = record("The dose is 4 g.", &[("p1", "Take it with"), ("p2", "water. The dose is 4 g.")]);
    for (passage, quote, grounded) in [
        ("p2", "The dose is 4 g.", true),
        ("p1", "The dose is 4 g.", false),
        ("p1", "Take it with water.", false),
        ("p9", "The dose is 4 g.", false),
    ] {
        let finding =
            says("The dose is 4 g.", Verdict::FullySupported, vec![cite(passage, quote)], "It says so.");
        let findings = checked(&record, vec![finding]).await;
        assert_eq!(matches!(findings[0].outcome, Outcome::Judged(_)), grounded, "{passage} {quote}");
    }
}

#[tokio::test]
async fn a_span_of_the_judge_counts_only_where_its_quote_stands() {
    let twice = "It is 4 g. Again: it is 4 g.";
    let record = record("It is 4 g.", &[("p1", twice)]);
    let at = |range: std::ops::Range<usize>| Citation { span: Span::new(twice, range), ..cite("p1", "4 g") };
    for (citation, start) in [(at(24..27), 24), (at(0..3), 6)] {
        let finding = says("It is 4 g.", Verdict::FullySupported, vec![citation], "It says so.");
        let findings = checked(&record, vec![finding]).await;
        let judged = findings[0].outcome.judged().expect("judged");
        assert_eq!(judged.citations[0].span.map(Span::start), Some(start));
    }
}

#[tokio::test]
async fn j51_a_rationale_with_alien_numbers_names_or_quotes_is_rejected() {
    let record = record("Adults don't need more than 4 g.", &[("p1", DOSE)]);
    for (rationale, rejected) in [
        ("The passage says 4 g per day.", None),
        ("The passage doesn't say anything else, and the claim doesn't either.", None),
        ("The passage says “maximum dose is 4 g”.", None),
        ("The passage says 12 g per day.", Some("12")),
        ("It was written by Doctor Miller Jones.", Some("Doctor Miller Jones")),
        ("The passage says “never take more than that”.", Some("never take more than that")),
    ] {
        let claim = "Adults don't need more than 4 g.";
        let citations = vec![cite("p1", "The maximum dose is 4 g per day.")];
        let findings =
            checked(&record, vec![says(claim, Verdict::FullySupported, citations, rationale)]).await;
        match (&findings[0].outcome, rejected) {
            (Outcome::Judged(judged), None) => assert_eq!(judged.rationale, rationale),
            (Outcome::Ungrounded(judged), Some(alien)) => {
                assert!(judged.rationale.contains(&format!("“{alien}”")), "{}", judged.rationale);
                assert!(judged.rationale.contains(rationale), "what was said is kept");
            }
            (other, _) => panic!("{rationale}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_missing_severity_comes_from_the_table_and_a_given_one_stays() {
    let mut record = record("The dose is 8 g of paracetamol.", &[("p1", DOSE)]);
    let claim = "The dose is 8 g of paracetamol.";
    let contradicted = says(claim, Verdict::Contradicted, vec![cite("p1", DOSE)], "8 g against 4 g.");
    let severity = |findings: &[Finding]| findings[0].outcome.judged().and_then(|judged| judged.severity);
    assert_eq!(severity(&checked(&record, vec![contradicted.clone()]).await), Some(Severity::Critical));
    let unsupported = says(claim, Verdict::Unsupported, vec![], "Nothing is said of it.");
    let findings = checked(&record, vec![unsupported]).await;
    assert_eq!(severity(&findings), Some(Severity::High), "8 and paracetamol stand in no passage");
    let kind = findings[0].outcome.judged().and_then(|judged| judged.hallucination_type);
    assert_eq!(kind, Some(HallucinationType::Fabrication));
    record.risk_level = Some(RiskLevel::Critical);
    let mut own = contradicted;
    if let Outcome::Judged(judged) = &mut own.outcome {
        judged.severity = Some(Severity::Low);
    }
    assert_eq!(severity(&checked(&record, vec![own]).await), Some(Severity::Low));
    let supported = says(claim, Verdict::FullySupported, vec![cite("p1", DOSE)], "It says so.");
    assert_eq!(severity(&checked(&record, vec![supported]).await), None);
}

fn given(texts: &[(&str, &str)]) -> Vec<GivenClaim> {
    texts
        .iter()
        .map(|(id, text)| GivenClaim { claim_id: Some((*id).into()), claim_text: (*text).into() })
        .collect()
}

#[tokio::test]
async fn given_claims_come_back_each_once_and_in_order() {
    let mut record = record("One is 1. Two is 2. Two is 2.", &[("p1", "One is 1.")]);
    record.given_claims =
        given(&[("a", "One is 1."), ("b", "Two is 2."), ("c", "Two is 2."), ("d", "Three is 3.")]);
    let unsupported = |claim: &str, id: Option<&str>| Finding {
        given_id: id.map(Into::into),
        ..says(claim, Verdict::Unsupported, vec![], "Nothing is said of it.")
    };
    let findings = checked(
        &record,
        vec![
            unsupported("Two is 2.", Some("c")),
            unsupported("Two is 2.", None),
            unsupported("Invented.", Some("z")),
            unsupported("One is 1.", Some("a")),
            unsupported("One is 1.", Some("a")),
            unsupported("One is one.", Some("a")),
        ],
    )
    .await;
    let told: Vec<(Option<&str>, &str)> = findings
        .iter()
        .map(|finding| (finding.given_id.as_deref(), finding.outcome.state().label()))
        .collect();
    assert_eq!(
        told,
        [(Some("a"), "JUDGED"), (Some("b"), "JUDGED"), (Some("c"), "JUDGED"), (Some("d"), "INCOMPLETE")]
    );
}

#[tokio::test]
async fn j31_j46_a_sentence_of_which_nothing_is_said_is_incomplete() {
    let record = record("The dose is 4 g. It is white. Is it safe?", &[("p1", DOSE)]);
    let reply = FaithfulnessReply {
        findings: vec![says("The dose is 4 g.", Verdict::Unsupported, vec![], "No.")],
        no_claims: vec![NoClaim {
            answer_span: Span::new(&record.answer, 30..41).expect("fits"),
            reason: NoClaimReason::Question,
        }],
        ..FaithfulnessReply::default()
    };
    let judge = Scripted(Some(reply));
    let result = audit(&judge, &record, &FaithfulnessSettings::default()).await.expect("answers");
    let told: Vec<(&str, &str)> = result
        .findings
        .iter()
        .map(|finding| (finding.claim_text.as_str(), finding.outcome.state().label()))
        .collect();
    assert_eq!(told, [("The dose is 4 g.", "JUDGED"), ("It is white.", "INCOMPLETE")]);
    let silent = checked(&record, vec![]).await;
    assert!(silent.iter().all(|finding| finding.outcome.state().label() == "INCOMPLETE"), "{silent:?}");
    assert_eq!(silent.len(), 3, "a judge that says nothing has not found that there are no claims");
}

#[tokio::test]
async fn j38_j71_an_answer_without_claims_is_no_claims_and_not_a_rate() {
    for answer in ["Is it safe?", "Hello there! I hope this helps. What else?", ""] {
        let record = record(answer, &[("p1", DOSE)]);
        let result =
            audit(&LocalJudge::new(), &record, &FaithfulnessSettings::default()).await.expect("local");
        let labels: Vec<&str> =
            result.findings.iter().map(|finding| finding.outcome.state().label()).collect();
        assert_eq!(labels, ["NO_CLAIMS"], "{answer}");
    }
}

#[tokio::test]
async fn no_evidence_gives_one_entry_that_says_what_is_missing() {
    let judge = Scripted(None);
    for (passages, missing) in [
        (&[][..], "no evidence passage"),
        (&[("p1", " \n\t")][..], "only evidence passage is empty"),
        (&[("p1", ""), ("p2", "…")][..], "all 2 evidence passages"),
    ] {
        let record = record("The dose is 4 g. It is white.", passages);
        let result =
            audit(&judge, &record, &FaithfulnessSettings::default()).await.expect("the judge is not asked");
        let [Finding { outcome: Outcome::NotJudged { state, reason }, .. }] = result.findings.as_slice()
        else {
            panic!("{:?}", result.findings);
        };
        assert_eq!(*state, NoVerdict::InsufficientEvidence);
        assert!(reason.contains(missing), "{reason}");
    }
    let mut record = record("", &[]);
    record.given_claims = given(&[("a", "One is 1."), ("b", "Two is 2.")]);
    let result =
        audit(&judge, &record, &FaithfulnessSettings::default()).await.expect("the judge is not asked");
    assert_eq!(result.findings.len(), 2, "given claims come back each");
}

#[tokio::test]
async fn j45_the_label_of_a_consistent_and_of_a_hallucinated_claim_differ() {
    let record = record("The dose is 4 g per day. The dose is 9 g per day.", &[("p1", DOSE)]);
    let result = audit(&LocalJudge::new(), &record, &FaithfulnessSettings::default()).await.expect("local");
    let labels: Vec<Option<&str>> =
        result.findings.iter().map(|finding| finding.outcome.judged().map(|j| j.verdict.label())).collect();
    assert_eq!(labels, [Some("FULLY_SUPPORTED"), Some("CONTRADICTED")]);
}

#[tokio::test]
async fn the_local_judge_is_grounded_by_the_same_rules_as_any_other() {
    let record = record(
        "Adults may take 8 g of paracetamol per day. The trial “Nova Prime” enrolled 4,312 patients in 2019.",
        &[
            ("p1", "The maximum dose of paracetamol for adults is 4 g per day."),
            ("p2", "The trial “Nova Prime” enrolled 4,300 patients in 2018."),
        ],
    );
    let result = audit(&LocalJudge::new(), &record, &FaithfulnessSettings::default()).await.expect("local");
    for finding in &result.findings {
        let Outcome::Judged(judged) = &finding.outcome else { panic!("{finding:?}") };
        assert_eq!(judged.verdict, Verdict::Contradicted);
        assert_eq!(judged.severity, Some(Severity::Critical), "{finding:?}");
        assert!(!judged.rationale.contains("rejected"), "{}", judged.rationale);
    }
}

#[tokio::test]
async fn j47_a_quote_in_another_role_bears_no_label() {
    let record = record("The dose is 4 g.", &[("p1", DOSE)]);
    for (verdict, role, is_grounded) in [
        (Verdict::FullySupported, Role::Supports, true),
        (Verdict::FullySupported, Role::Contradicts, false),
        (Verdict::PartiallySupported, Role::Contradicts, false),
        (Verdict::Contradicted, Role::Supports, false),
        (Verdict::Contradicted, Role::Contradicts, true),
    ] {
        let mut finding = says("The dose is 4 g.", verdict, vec![cite("p1", DOSE)], "It says so.");
        if let Outcome::Judged(judged) = &mut finding.outcome {
            judged.citations[0].role = role;
        }
        let found = checked(&record, vec![finding]).await;
        assert_eq!(matches!(found[0].outcome, Outcome::Judged(_)), is_grounded, "{verdict} {role:?}");
    }
}

#[tokio::test]
async fn j47_a_quote_that_says_nothing_bears_no_label() {
    let passage = format!("{DOSE} It is a white tablet. Take 7 a week.");
    let record = record("The maximum dose is 4 g.", &[("p1", &passage), ("p2", "Forbidden.")]);
    for (source, quote, is_grounded) in [
        ("p1", "a", false),
        ("p1", "is", false),
        ("p1", ".", false),
        ("p1", "7", false),
        ("p1", "tablet", false),
        ("p1", "4 g", true),
        ("p1", "dose", true),
        ("p1", "a white tablet", true),
        ("p2", "Forbidden.", true),
    ] {
        let claim = "The maximum dose is 4 g.";
        let finding = says(claim, Verdict::FullySupported, vec![cite(source, quote)], "It says so.");
        let found = checked(&record, vec![finding]).await;
        assert_eq!(matches!(found[0].outcome, Outcome::Judged(_)), is_grounded, "{quote}");
    }
}

#[tokio::test]
async fn of_the_same_claim_judged_twice_the_worst_stays() {
    let mut record = record("The dose is 8 g.", &[("p1", DOSE)]);
    let claim = "The dose is 8 g.";
    let one = says(claim, Verdict::FullySupported, vec![cite("p1", DOSE)], "It says so.");
    let other = says(claim, Verdict::Contradicted, vec![cite("p1", DOSE)], "It says 4 g.");
    for _ in 0..2 {
        for findings in [[one.clone(), other.clone()], [other.clone(), one.clone()]] {
            let found = checked(&record, findings.to_vec()).await;
            let verdicts: Vec<Option<Verdict>> =
                found.iter().map(|finding| finding.outcome.judged().map(|judged| judged.verdict)).collect();
            assert_eq!(verdicts, [Some(Verdict::Contradicted)]);
        }
        record.given_claims = given(&[("a", claim)]);
    }
}

#[test]
fn half_a_sentence_is_as_dangerous_as_the_whole() {
    let answer = "In the trial, 12 of 120 patients in the placebo arm and 30 of 118 in the other arm had it. The ward \
                  has 24 beds.";
    let record = record(answer, &[("p", "It occurred in 30 of 118 in one and in 12 of 120 in the other.")]);
    let of = |claim: &str| {
        let place = answer.find(claim).and_then(|at| Span::new(answer, at..at + claim.len()));
        stakes(Ruled { record: &record, claim, place, citations: &[] }).can_harm
    };
    for half in ["12 of 120 patients in the placebo arm", "30 of 118 in the other arm had it."] {
        assert!(of(half), "{half}");
    }
    assert!(!of("The ward has 24 beds."), "another sentence decides nothing of this one");
}
