//! What becomes of two answers, by a judge that compares and by one that does not.

use serde_json::json;

use super::*;
use crate::domain::finding::JudgeIdentity;
use crate::domain::ids::PassageId;
use crate::domain::record::{Passage, RiskLevel};
use crate::domain::verdict::{HallucinationType, MatchLevel};
use crate::judge::local::LocalJudge;
use crate::judge::{ComparisonReply, FaithfulnessReply, Pending, SupportReply};

const DOSE: &str = "The maximum dose of paracetamol for adults is 4 g per day.";

fn rivals(baseline: &str, candidate: &str, document: &str) -> Rivals {
    Rivals {
        id: "q1".into(),
        question: None,
        documents: vec![Passage {
            passage_id: PassageId::new("d1"),
            content: document.into(),
            metadata: serde_json::Map::new(),
        }],
        baseline: baseline.into(),
        candidate: candidate.into(),
        risk_level: Some(RiskLevel::High),
    }
}

struct Compares(Vec<ComparedClaim>);

impl Judge for Compares {
    fn identity(&self) -> JudgeIdentity {
        LocalJudge::new().identity()
    }

    fn faithfulness<'a>(
        &'a self,
        _: &'a Record,
        _: &'a FaithfulnessSettings,
    ) -> Pending<'a, FaithfulnessReply> {
        Box::pin(async { Err(JudgeFailure::of_record("compares", "not asked")) })
    }

    fn support<'a>(&'a self, _: &'a str, _: &'a Passage) -> Pending<'a, SupportReply> {
        Box::pin(async { Err(JudgeFailure::of_record("compares", "not asked")) })
    }

    fn comparison<'a>(&'a self, _: &'a Rivals, _: &'a FaithfulnessSettings) -> Pending<'a, Compared> {
        Box::pin(async {
            Ok(Compared::AtOnce(ComparisonReply {
                baseline: Vec::new(),
                candidate: self.0.clone(),
                arithmetic: Some(json!({"candidate_analysis": {"total_claims": 9}})),
                exchanges: vec![ExchangeKey(7)],
            }))
        })
    }
}

fn says(status: Status, quote: Option<&str>) -> ComparedClaim {
    ComparedClaim {
        claim_id: "c1".into(),
        claim_text: format!("Adults may take 8 g of paracetamol: {status}."),
        answer_span: None,
        status: Some(status),
        state: AuditState::Judged,
        hallucination_type: None,
        severity: None,
        confidence: None,
        citation: quote.map(|quote| Citation {
            passage_id: PassageId::new("d1"),
            span: None,
            quote: quote.into(),
            role: Role::Supports,
            level: MatchLevel::NotFound,
        }),
        remark: String::new(),
    }
}

#[tokio::test]
async fn j47_a_comparison_counts_only_what_its_quotations_bear_out() {
    let judge = Compares(vec![
        says(Status::Supported, Some("4 g per day")),
        says(Status::Contradicted, Some("never written")),
        says(Status::Unsupported, None),
        says(Status::OutOfScope, None),
    ]);
    let each = Status::ALL.iter().map(|status| format!("Adults may take 8 g of paracetamol: {status}. "));
    let rivals = rivals("One.", &each.collect::<String>(), DOSE);
    let done = compare(&judge, &rivals, &FaithfulnessSettings::default()).await.unwrap();
    let told: Vec<(&str, Option<Severity>, Option<HallucinationType>)> = done
        .candidate
        .claims
        .iter()
        .map(|claim| (claim.state.label(), claim.severity, claim.hallucination_type))
        .collect();
    assert_eq!(
        told,
        [
            ("JUDGED", None, None),
            ("UNGROUNDED", Some(Severity::Critical), Some(HallucinationType::Distortion)),
            ("JUDGED", Some(Severity::High), Some(HallucinationType::Fabrication)),
            ("JUDGED", Some(Severity::Low), None),
        ]
    );
    assert_eq!((done.candidate.judged(), done.candidate.contradicted), (3, 0));
    assert_eq!(done.mismatches[0].field, "candidate_analysis.total_claims");
    assert_eq!(done.exchanges, [ExchangeKey(7)]);
}

#[tokio::test]
async fn a_judge_that_does_not_compare_audits_each_side() {
    let rivals = rivals(
        "Adults may take at most 4 g of paracetamol per day. Anything else?",
        "The maximum dose of paracetamol for adults is 8 g per day.",
        DOSE,
    );
    let done = compare(&LocalJudge::new(), &rivals, &FaithfulnessSettings::default()).await.unwrap();
    assert_eq!(done.candidate.contradicted, 1, "{:?}", done.candidate);
    assert_eq!(done.baseline.contradicted, 0, "{:?}", done.baseline);
    assert_eq!(done.summary.regression_detected, Some(true));
    assert_eq!(done.judge_arithmetic, None);
    assert_eq!(done.candidate.claims[0].claim_id, "c1");
}

#[tokio::test]
async fn j38_no_evidence_or_no_answer_is_no_rate_and_costs_no_question() {
    let judge = Compares(Vec::new());
    for (candidate, document) in [("Two is 2.", ""), ("", DOSE)] {
        let asked = compare(&judge, &rivals("", candidate, document), &FaithfulnessSettings::default()).await;
        let asked = match asked {
            Ok(done) => done,
            Err(failure) => panic!("{failure}"),
        };
        assert_eq!(asked.candidate.hallucination_rate(), None);
        assert_eq!(asked.summary.regression_detected, None);
    }
}

/// Each claim of the candidate as `state | remark`, from a judge that says `claims` of it.
async fn told(candidate: &str, claims: &[ComparedClaim]) -> Vec<String> {
    let judge = Compares(claims.to_vec());
    let rivals = rivals("One.", candidate, "The gate opens at dawn. The fee is 4 EUR.");
    let done = compare(&judge, &rivals, &FaithfulnessSettings::default()).await.unwrap();
    done.candidate.claims.iter().map(|claim| format!("{} | {}", claim.state.label(), claim.remark)).collect()
}

fn of_sentence(text: &str, answer: &str, status: Status, quote: &str) -> ComparedClaim {
    let answer_span = crate::text::sentences::sentences(answer).first().copied();
    let mut claim = says(status, Some(quote));
    if let Some(citation) = claim.citation.as_mut().filter(|_| status == Status::Contradicted) {
        citation.role = Role::Contradicts;
    }
    ComparedClaim { claim_text: text.into(), answer_span, ..claim }
}

#[tokio::test]
async fn j47_a_compared_claim_says_what_its_answer_says_or_does_not_count() {
    for (answer, claim, odd) in [
        ("It opens at 12 noon.", "The gate opens at dawn.", "dawn"),
        ("The fee is 8 EUR.", "The fee is 4 EUR.", "4 EUR"),
        ("The gate does not open at dawn.", "The gate opens at dawn.", "not"),
        ("The gate opens late.", "The gate opens at dawn.", "dawn"),
    ] {
        let quote = if claim.contains("fee") { "The fee is 4 EUR" } else { "opens at dawn" };
        let found = told(answer, &[of_sentence(claim, answer, Status::Supported, quote)]).await;
        assert!(found[0].starts_with("UNGROUNDED | Verdict rejected: "), "{answer}: {found:?}");
        assert!(found[0].contains(odd), "{answer}: {found:?}");
    }
    for (answer, claim) in [
        ("It opens at dawn.", "The gate opens at dawn."),
        ("The gate, which is green, opens at dawn.", "The gate opens at dawn."),
    ] {
        let found = told(answer, &[of_sentence(claim, answer, Status::Supported, "opens at dawn")]).await;
        assert_eq!(found, ["JUDGED | "], "{answer}");
    }
}

#[tokio::test]
async fn j47_a_word_that_says_nothing_bears_no_status() {
    let answer = "The gate opens at dawn.";
    for (status, quote, expected) in [
        (Status::Supported, "The", "UNGROUNDED | "),
        (Status::Contradicted, "is", "UNGROUNDED | "),
        (Status::Supported, "opens at dawn", "JUDGED | "),
        (Status::Unsupported, "The", "JUDGED | "),
    ] {
        let found = told(answer, &[of_sentence(answer, answer, status, quote)]).await;
        assert_eq!(found, [expected], "{status} {quote}");
    }
}
