use super::*;
use crate::domain::ids::{AuditId, PassageId};

fn passage(id: &str, content: &str) -> Passage {
    Passage { passage_id: PassageId::new(id), content: content.into(), metadata: serde_json::Map::default() }
}

fn record(answer: &str, passages: &[&str]) -> Record {
    Record {
        audit_id: AuditId::new("r"),
        answer: answer.into(),
        passages: (1..).zip(passages).map(|(n, text)| passage(&format!("p{n}"), text)).collect(),
        question: None,
        risk_level: None,
        given_claims: Vec::new(),
        metadata: serde_json::Map::default(),
    }
}

fn reply(answer: &str, passages: &[&str]) -> FaithfulnessReply {
    LocalJudge::new().judge_record(&record(answer, passages), &FaithfulnessSettings::default())
}

fn judged(claim: &str, evidence: &str) -> Judged {
    let finding = reply(claim, &[evidence]).findings.into_iter().next().expect("one claim");
    match finding.outcome {
        Outcome::Judged(judged) => judged,
        other => panic!("{claim}: {other:?}"),
    }
}

#[test]
fn verdicts_in_health_law_and_finance() {
    use Verdict::{Contradicted, FullySupported, Unsupported};
    for (claim, evidence, verdict) in [
        (
            "Adults may take 8 g of paracetamol per day.",
            "The maximum dose of paracetamol for adults is 4 g per day.",
            Contradicted,
        ),
        (
            "Adults may take up to 4 g of paracetamol per day.",
            "Adults may take up to 4 g of paracetamol per day in divided doses.",
            FullySupported,
        ),
        ("The notice period is 60 days.", "The notice period is sixty days from receipt.", FullySupported),
        ("The notice period is 90 days.", "The notice period is sixty days from receipt.", Contradicted),
        ("Revenue rose by 12% in 2023.", "Revenue fell by 12% in 2023.", Contradicted),
        ("The court granted the motion to dismiss.", "The court denied the motion to dismiss.", Contradicted),
        ("Ibuprofen is safe in pregnancy.", "The stadium seats forty thousand people.", Unsupported),
    ] {
        assert_eq!(judged(claim, evidence).verdict, verdict, "{claim}: {:?}", judged(claim, evidence));
    }
}
