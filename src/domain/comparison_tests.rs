//! What is counted, and what is not.

use super::*;
use crate::domain::verdict::NoVerdict;

fn claim(text: &str, status: Status) -> ComparedClaim {
    let wrong = status.is_wrong();
    ComparedClaim {
        claim_id: "x".into(),
        claim_text: text.into(),
        answer_span: None,
        status: Some(status),
        state: AuditState::Judged,
        hallucination_type: wrong.then_some(HallucinationType::Distortion),
        severity: wrong.then_some(Severity::High),
        confidence: None,
        citation: None,
        remark: String::new(),
    }
}

fn near(rate: Option<f64>, expected: f64) -> bool {
    rate.is_some_and(|rate| (rate - expected).abs() < 1e-12)
}

#[test]
fn out_of_scope_stands_below_the_line_only() {
    use Status::{Contradicted, OutOfScope, Supported, Unsupported};
    let analysis = Analysis::of(vec![
        claim("a", Supported),
        claim("b", Unsupported),
        claim("c", Contradicted),
        claim("d", OutOfScope),
    ]);
    assert!(near(analysis.hallucination_rate(), 0.5));
    assert!(near(Analysis::of(vec![claim("d", OutOfScope)]).hallucination_rate(), 0.0));
}

#[test]
fn j34_what_has_no_verdict_or_no_ground_counts_in_no_rate() {
    let ungrounded = ComparedClaim { state: AuditState::Ungrounded, ..claim("b", Status::Contradicted) };
    let left_out = ComparedClaim {
        status: None,
        state: AuditState::NoVerdict(NoVerdict::Incomplete),
        ..claim("c", Status::Supported)
    };
    let analysis = Analysis::of(vec![claim("a", Status::Unsupported), ungrounded, left_out]);
    assert!(near(analysis.hallucination_rate(), 1.0) && near(analysis.coverage(), 1.0 / 3.0));
    let json = analysis.to_json();
    assert_eq!((&json["total_claims"], &json["without_verdict"]), (&json!(3), &json!(2)));
    assert_eq!(json["claims"][1]["status"], "CONTRADICTED", "the label is kept");
}

#[test]
fn what_failed_or_is_hardly_judged_is_left_out_and_says_why() {
    let without = |state| ComparedClaim {
        status: None,
        state: AuditState::NoVerdict(state),
        remark: "no reply".into(),
        ..claim("b", Status::Supported)
    };
    let compared =
        |candidate| Comparison::of(vec![claim("a", Status::Supported)], candidate, None, Vec::new());
    let left = |candidate| compared(candidate).left_out().map(|left| (left.failed, left.reason));
    let wrong = || claim("a", Status::Contradicted);
    assert_eq!(left(vec![wrong()]), None);
    assert_eq!(left(vec![wrong(), without(NoVerdict::Incomplete)]), None, "half of it is enough");
    let failed = left(vec![wrong(), without(NoVerdict::Failed)]);
    assert_eq!(failed, Some((true, "a claim of the candidate could not be judged: no reply".to_owned())));
    let thin =
        ["b", "c"].map(|text| ComparedClaim { claim_text: text.into(), ..without(NoVerdict::Incomplete) });
    let (failed, reason) = left(std::iter::once(wrong()).chain(thin).collect()).unwrap();
    assert!(!failed && reason.starts_with("Only 1 of 3 claims of the candidate"), "{reason}");
    assert_eq!(left(Vec::new()), Some((false, "the candidate makes no claim".to_owned())));
}

#[test]
fn j38_j39_no_claims_give_no_rate_and_no_division() {
    let empty = Analysis::of(Vec::new());
    assert_eq!((empty.hallucination_rate(), empty.coverage()), (None, None));
    let summary = Summary::of(&empty, &Analysis::of(vec![claim("a", Status::Contradicted)]));
    assert_eq!((summary.rate_change, summary.regression_detected), (None, None));
    assert!(summary.regression_details.contains("No claim of the baseline has a verdict"));
    assert_eq!(serde_json::to_value(&summary).unwrap()["baseline_hallucination_rate"], Value::Null);
}

#[test]
fn a_claim_that_is_made_twice_counts_once_and_the_worse_stays() {
    let analysis = Analysis::of(vec![
        claim("The dose is 4 g.", Status::Supported),
        claim("the dose  is 4 g.", Status::Contradicted),
        claim("The dose is 4 g.", Status::Supported),
    ]);
    assert_eq!((analysis.claims.len(), analysis.contradicted), (1, 1));
}

#[test]
fn a_graver_candidate_is_a_regression_at_the_same_rate() {
    let baseline = vec![ComparedClaim { severity: Some(Severity::Low), ..claim("a", Status::Unsupported) }];
    let candidate = vec![ComparedClaim {
        severity: Some(Severity::Critical),
        hallucination_type: Some(HallucinationType::Fabrication),
        ..claim("b", Status::Contradicted)
    }];
    let done = Comparison::of(baseline, candidate, None, Vec::new());
    assert!(near(done.summary.rate_change, 0.0));
    assert_eq!(done.summary.regression_detected, Some(true));
    assert_eq!(done.summary.new_hallucination_types, [HallucinationType::Fabrication]);
    let shift = &done.to_json()["comparison_summary"]["severity_shift"];
    assert_eq!(*shift, json!({"LOW": -1, "MEDIUM": 0, "HIGH": 0, "CRITICAL": 1}));
}

#[test]
fn the_judges_own_arithmetic_is_kept_and_every_mismatch_named() {
    let said = json!({
        "baseline_analysis": {"total_claims": 1, "supported_claims": 1, "hallucination_rate": 0.0},
        "candidate_analysis": {"total_claims": 5, "hallucination_rate": 0.333},
        "comparison_summary": {"rate_change": -0.4, "regression_detected": false, "regression_details": "none"},
    });
    let candidate =
        vec![claim("a", Status::Contradicted), claim("b", Status::Supported), claim("c", Status::Supported)];
    let done = Comparison::of(vec![claim("a", Status::Supported)], candidate, Some(said), Vec::new());
    let fields: Vec<&str> = done.mismatches.iter().map(|mismatch| mismatch.field.as_str()).collect();
    assert_eq!(
        fields,
        [
            "candidate_analysis.total_claims",
            "comparison_summary.rate_change",
            "comparison_summary.regression_detected"
        ]
    );
    assert_eq!(done.to_json()["judge_arithmetic"]["candidate_analysis"]["total_claims"], 5);
    assert_eq!(done.to_json()["candidate_analysis"]["total_claims"], 3);
}

#[test]
fn j34_too_few_verdicts_are_no_comparison() {
    let silent = |text: &str| ComparedClaim {
        status: None,
        state: AuditState::NoVerdict(NoVerdict::Incomplete),
        ..claim(text, Status::Supported)
    };
    let baseline = Analysis::of(vec![claim("a", Status::Contradicted), claim("b", Status::Supported)]);
    let thin = Analysis::of(vec![claim("a", Status::Supported), silent("b"), silent("c")]);
    let summary = Summary::of(&baseline, &thin);
    assert_eq!((summary.rate_change, summary.regression_detected), (None, None));
    assert!(near(summary.baseline_coverage, 1.0) && near(summary.candidate_coverage, 1.0 / 3.0));
    assert!(near(summary.candidate_hallucination_rate, 0.0), "it is told with its coverage");
    assert!(summary.regression_details.starts_with("Only 1 of 3 claims of the candidate"), "{summary:?}");
    let half = Analysis::of(vec![claim("a", Status::Supported), silent("b")]);
    assert_eq!(Summary::of(&baseline, &half).regression_detected, Some(false));
}
