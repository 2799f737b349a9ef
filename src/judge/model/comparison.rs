//! Two answers in one question. What does not fit in one is left to the instrument, which audits each answer by itself.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::Value;

use super::asker::{Asked, Asker, Said, failed};
use super::evidence::{Evidence, Seen};
use super::show::{fenced, one_line, or_none, tokens};
use super::{LEAST_ROOM, ModelJudge};
use crate::domain::comparison::{ComparedClaim, NO_EVIDENCE, Rivals, Status};
use crate::domain::exchange::Purpose;
use crate::domain::finding::AuditState;
use crate::domain::ids::AuditId;
use crate::domain::record::RiskLevel;
use crate::domain::verdict::{Citation, HallucinationType, MatchLevel, NoVerdict, Role, Severity};
use crate::judge::harness::{Unanswered, Why};
use crate::judge::{ComparisonReply, FaithfulnessSettings, JudgeFailure};
use crate::prompt::{Field, PromptId};
use crate::text::sentences::sentences;

/// Tokens that a claim takes in a reply, its words aside.
const CLAIM: usize = 120;

#[derive(Debug, Deserialize)]
struct Reply {
    baseline_analysis: Side,
    candidate_analysis: Side,
}

#[derive(Debug, Deserialize)]
struct Side {
    claims: Vec<Claim>,
    #[serde(rename = "no_claim")]
    no_claims: Vec<i64>,
}

#[derive(Debug, Deserialize)]
struct Claim {
    sentence: i64,
    #[serde(rename = "claim_text")]
    text: String,
    source_document: Option<String>,
    source_citation: String,
    status: Status,
    hallucination_type: Option<HallucinationType>,
    severity: Option<Severity>,
}

pub(super) async fn compare<A: Asker>(
    judge: &ModelJudge<A>,
    rivals: &Rivals,
    settings: &FaithfulnessSettings,
) -> Result<Option<ComparisonReply>, JudgeFailure> {
    let name = judge.settings.name.as_str();
    let prompt = judge.prompts.get(PromptId::Comparison);
    let sides = [lines(&rivals.baseline), lines(&rivals.candidate)];
    let [baseline, candidate] = [sides[0].join("\n"), sides[1].join("\n")];
    let question = or_none(rivals.question.as_deref().unwrap_or_default());
    let fixed = [
        (Field::Granularity, settings.granularity.label()),
        (Field::Threshold, settings.threshold.label()),
        (Field::Constraints, or_none(&settings.constraints)),
        (Field::RiskLevel, rivals.risk_level.map_or("unknown, which counts as MEDIUM", RiskLevel::label)),
    ];
    let with = |fence: &str, texts: [&str; 4]| {
        let [question, baseline, candidate, documents] = texts;
        let own = [
            (Field::Fence, fence),
            (Field::Question, question),
            (Field::Baseline, baseline),
            (Field::Candidate, candidate),
            (Field::Documents, documents),
        ];
        prompt.fill(&[&fixed[..], &own[..]].concat()).map_err(|error| failed(name, error.to_string()))
    };
    let room = judge.room(&with("FENCE-0000000000000000", ["", "", "", ""])?, PromptId::Comparison)?;
    let length = tokens(&baseline) + tokens(&candidate);
    let claims = sides.iter().map(Vec::len).sum::<usize>() * CLAIM + 2 * length;
    let left = room.checked_sub(length + tokens(question)).filter(|left| *left >= LEAST_ROOM);
    let Some(left) = left else { return Ok(None) };
    if claims > judge.settings.max_output as usize * 3 / 4 {
        return Ok(None);
    }
    let evidence = Evidence::new(&rivals.documents, left);
    let window = evidence.window(&[], &Seen::default(), left);
    if !evidence.is_all(&Seen::default().with(&window)) {
        return Ok(None);
    }
    let stretches = evidence.stretches(&window);
    let mut data = vec![question, &baseline, &candidate];
    data.extend(stretches.iter().flat_map(|stretch| [stretch.line.as_str(), stretch.text]));
    let fence = judge.secret.fence(&data);
    let documents = fenced(&fence, &stretches);
    let filled = with(&fence, [question, or_none(&baseline), or_none(&candidate), or_none(&documents)])?;
    let audit_id = AuditId::new(&*rivals.id);
    let asked = Asked {
        audit_id: Some(&audit_id),
        purpose: Purpose::Ask,
        part: 1,
        prompt,
        filled: &filled,
        schema: &judge.schemas.comparison,
        max_output: judge.settings.max_output,
    };
    let meaning =
        |value: &Value| Reply::deserialize(value).map(|_| ()).map_err(|error| vec![error.to_string()]);
    let said = match judge.asker.ask(asked, &judge.asker.deadline(), &meaning).await {
        Ok(said) => said,
        Err(Unanswered { why: Why::TooLong | Why::Cut, .. }) => return Ok(None),
        Err(Unanswered { failure, .. }) => return Err(failure),
    };
    let reply = Reply::deserialize(&said.value).map_err(|error| failed(name, error.to_string()))?;
    let taken = |side: Side, answer: &str, name: &str, mark: &str| {
        let mut claims = taken(side, answer, mark, &evidence);
        spoil(&mut claims, &said, &format!("/{name}/claims"), mark);
        claims
    };
    Ok(Some(ComparisonReply {
        baseline: taken(reply.baseline_analysis, &rivals.baseline, "baseline_analysis", "b"),
        candidate: taken(reply.candidate_analysis, &rivals.candidate, "candidate_analysis", "c"),
        exchanges: said.exchanges.clone(),
        arithmetic: arithmetic(said.value),
    }))
}

fn lines(answer: &str) -> Vec<String> {
    let spans = sentences(answer);
    let texts = spans.iter().filter_map(|span| span.of(answer));
    texts.enumerate().map(|(at, text)| format!("[{}] {}", at + 1, one_line(text))).collect()
}

/// The claims of one answer, and of every sentence that the reply does not speak of that it does not.
fn taken(side: Side, answer: &str, mark: &str, evidence: &Evidence<'_>) -> Vec<ComparedClaim> {
    let spans = sentences(answer);
    let mut spoken: HashSet<i64> = side.no_claims.into_iter().collect();
    let mut claims: Vec<ComparedClaim> = Vec::new();
    for claim in side.claims {
        spoken.insert(claim.sentence);
        let quote = claim.source_citation.trim();
        let citation = (!quote.is_empty() && quote != NO_EVIDENCE).then(|| Citation {
            passage_id: evidence.passage_id(claim.source_document.as_deref().unwrap_or_default()),
            span: None,
            quote: quote.to_owned(),
            role: if claim.status == Status::Contradicted { Role::Contradicts } else { Role::Supports },
            level: MatchLevel::NotFound,
        });
        claims.push(ComparedClaim {
            claim_id: format!("{mark}{}", claims.len() + 1),
            claim_text: claim.text,
            status: Some(claim.status),
            state: AuditState::Judged,
            hallucination_type: claim.hallucination_type,
            severity: claim.severity,
            citation,
            remark: String::new(),
        });
    }
    for (at, span) in spans.iter().enumerate() {
        let text = span.of(answer).unwrap_or_default();
        if !spoken.contains(&(at as i64 + 1)) && text.chars().any(char::is_alphanumeric) {
            let claim_id = format!("{mark}{}", claims.len() + 1);
            claims.push(incomplete(claim_id, text, "the judge said nothing of this sentence".to_owned()));
        }
    }
    claims
}

fn incomplete(claim_id: String, text: &str, remark: String) -> ComparedClaim {
    ComparedClaim {
        claim_id,
        claim_text: text.to_owned(),
        status: None,
        state: AuditState::NoVerdict(NoVerdict::Incomplete),
        hallucination_type: None,
        severity: None,
        citation: None,
        remark,
    }
}

/// Takes the verdict from the claims whose label a repair changed, and adds those that it dropped. `claims` begins
/// with those that stand at `path` in the reply, in their order.
fn spoil(claims: &mut Vec<ComparedClaim>, said: &Said, path: &str, mark: &str) {
    for (at, claim) in claims.iter_mut().enumerate() {
        if let Some(change) = said.change_at(&format!("{path}/{at}")) {
            *claim = incomplete(claim.claim_id.clone(), &claim.claim_text, change.reason());
        }
    }
    for change in said.dropped_from(path) {
        let claim_id = format!("{mark}{}", claims.len() + 1);
        let text = change.words.as_deref().unwrap_or("(a claim without words)");
        claims.push(incomplete(claim_id, text, change.reason()));
    }
}

/// The judge's own figures: the reply without the claims.
fn arithmetic(mut reply: Value) -> Value {
    for side in ["baseline_analysis", "candidate_analysis"] {
        if let Some(fields) = reply.get_mut(side).and_then(Value::as_object_mut) {
            fields.shift_remove("claims");
            fields.shift_remove("no_claim");
        }
    }
    reply
}
