//! Two answers in one question. What does not fit in one is left to the instrument, which audits each answer by itself.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::Value;

use super::asker::{Asked, Asker, Said, failed};
use super::evidence::{Evidence, Seen};
use super::show::{fenced, one_line, or_none, tokens};
use super::taking::index;
use super::{LEAST_ROOM, ModelJudge, stated};
use crate::domain::comparison::{ComparedClaim, NO_EVIDENCE, Rivals, Status};
use crate::domain::exchange::Purpose;
use crate::domain::finding::AuditState;
use crate::domain::ids::AuditId;
use crate::domain::record::RiskLevel;
use crate::domain::span::Span;
use crate::domain::verdict::{Citation, HallucinationType, MatchLevel, NoVerdict, Role, Severity};
use crate::judge::harness::{Unanswered, Why};
use crate::judge::reading::Change;
use crate::judge::{Compared, ComparisonReply, FaithfulnessSettings, JudgeFailure};
use crate::prompt::{Field, PromptId};
use crate::text::locate::locate;
use crate::text::sentences::sentences;

/// The fields in which the two answers' claims stand.
const SIDES: [&str; 2] = ["baseline_analysis", "candidate_analysis"];

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
) -> Result<Compared, JudgeFailure> {
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
    let Some(left) = left else { return Ok(Compared::Apart(Vec::new())) };
    if claims > judge.settings.max_output as usize * 3 / 4 {
        return Ok(Compared::Apart(Vec::new()));
    }
    let evidence = Evidence::new(&rivals.documents, left);
    let window = evidence.window(&[], &Seen::default(), left);
    if !evidence.is_all(&Seen::default().with(&window)) {
        return Ok(Compared::Apart(Vec::new()));
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
        Err(Unanswered { why: Why::TooLong | Why::Cut, failure }) => {
            return Ok(Compared::Apart(failure.exchanges));
        }
        Err(Unanswered { failure, .. }) => return Err(failure),
    };
    let reply = Reply::deserialize(&said.value).map_err(|error| failed(name, error.to_string()))?;
    let side = |side: Side, answer: &str, name: &str, mark: &'static str| {
        let spans = sentences(answer);
        Taking { said: &said, evidence: &evidence, answer, spans, name, mark, claims: Vec::new() }.taken(side)
    };
    Ok(Compared::AtOnce(ComparisonReply {
        baseline: side(reply.baseline_analysis, &rivals.baseline, SIDES[0], "b"),
        candidate: side(reply.candidate_analysis, &rivals.candidate, SIDES[1], "c"),
        exchanges: said.exchanges.clone(),
        arithmetic: arithmetic(said.value),
    }))
}

fn lines(answer: &str) -> Vec<String> {
    let spans = sentences(answer);
    let texts = spans.iter().filter_map(|span| span.of(answer));
    texts.enumerate().map(|(at, text)| format!("[{}] {}", at + 1, one_line(text))).collect()
}

/// What is taken of one answer: the claims that may count, and what of it has no verdict.
struct Taking<'t> {
    said: &'t Said,
    evidence: &'t Evidence<'t>,
    answer: &'t str,
    spans: Vec<Span>,
    /// The field of the reply in which it stands.
    name: &'t str,
    /// The letter before the numbers of its claims.
    mark: &'static str,
    claims: Vec<ComparedClaim>,
}

impl Taking<'_> {
    fn taken(mut self, side: Side) -> Vec<ComparedClaim> {
        let mut spoken: HashSet<usize> = HashSet::new();
        for (at, claim) in side.claims.into_iter().enumerate() {
            let index = self.index(claim.sentence);
            spoken.extend(index);
            self.take(&format!("/{}/claims/{at}", self.name), &claim, index);
        }
        let said = self.said;
        // Whose a dropped claim was that stood in neither is not known, so both are without it.
        let leads_to = |path: &str, side: &str| path.split('/').any(|field| field == side);
        let is_ours =
            |path: &str| leads_to(path, self.name) || !SIDES.iter().any(|side| leads_to(path, side));
        let dropped: Vec<&Change> = said.dropped().filter(|change| is_ours(&change.path)).collect();
        for change in dropped {
            let words = change.words.as_deref().unwrap_or_default();
            let stands = |span: &Span| {
                let sentence = span.of(self.answer).unwrap_or_default();
                !words.is_empty() && locate(sentence, words).level != MatchLevel::NotFound
            };
            let index = self.spans.iter().position(stands);
            spoken.extend(index);
            let span = index.and_then(|index| self.spans.get(index)).copied();
            let text = if words.is_empty() { "(a claim without words)" } else { words };
            self.incomplete(text, span, change.reason());
        }
        for (at, number) in side.no_claims.into_iter().enumerate() {
            // What a repair declares to hold no claim, nobody judged.
            if self.said.change_at(&format!("/{}/no_claim/{at}", self.name)).is_some() {
                continue;
            }
            let Some(index) = self.index(number).filter(|index| spoken.insert(*index)) else { continue };
            let answer = self.answer;
            if let Some(span) = self.spans.get(index).copied()
                && let Some(fact) = stated::fact(answer, span)
            {
                self.incomplete(span.of(answer).unwrap_or_default(), Some(span), stated::reason(fact));
            }
        }
        for (at, span) in std::mem::take(&mut self.spans).into_iter().enumerate() {
            let text = span.of(self.answer).unwrap_or_default();
            if !spoken.contains(&at) && text.chars().any(char::is_alphanumeric) {
                self.incomplete(text, Some(span), "the judge said nothing of this sentence".to_owned());
            }
        }
        self.claims
    }

    /// The index of the sentence with that number, where there is one.
    fn index(&self, number: i64) -> Option<usize> {
        index(number).filter(|index| *index < self.spans.len())
    }

    fn take(&mut self, place: &str, claim: &Claim, index: Option<usize>) {
        let Some(span) = index.and_then(|index| self.spans.get(index)).copied() else {
            let reason =
                format!("the judge takes it from sentence {}, which the answer has not", claim.sentence);
            return self.incomplete(&claim.text, None, reason);
        };
        let text = claim.text.trim();
        let text = if text.is_empty() { span.of(self.answer).unwrap_or_default() } else { text };
        if let Some(change) = self.said.change_at(place) {
            return self.incomplete(text, Some(span), change.reason());
        }
        let quote = claim.source_citation.trim();
        let citation = (!quote.is_empty() && quote != NO_EVIDENCE).then(|| Citation {
            passage_id: self.evidence.passage_id(claim.source_document.as_deref().unwrap_or_default()),
            span: None,
            quote: quote.to_owned(),
            role: if claim.status == Status::Contradicted { Role::Contradicts } else { Role::Supports },
            level: MatchLevel::NotFound,
        });
        self.claims.push(ComparedClaim {
            claim_id: self.id(),
            claim_text: text.to_owned(),
            answer_span: Some(span),
            status: Some(claim.status),
            state: AuditState::Judged,
            hallucination_type: claim.hallucination_type,
            severity: claim.severity,
            confidence: None,
            citation,
            remark: String::new(),
        });
    }

    fn id(&self) -> String {
        format!("{}{}", self.mark, self.claims.len() + 1)
    }

    fn incomplete(&mut self, text: &str, answer_span: Option<Span>, remark: String) {
        self.claims.push(ComparedClaim {
            claim_id: self.id(),
            claim_text: text.to_owned(),
            answer_span,
            status: None,
            state: AuditState::NoVerdict(NoVerdict::Incomplete),
            hallucination_type: None,
            severity: None,
            confidence: None,
            citation: None,
            remark,
        });
    }
}

/// The judge's own figures: the reply without the claims.
fn arithmetic(mut reply: Value) -> Value {
    for side in SIDES {
        if let Some(fields) = reply.get_mut(side).and_then(Value::as_object_mut) {
            fields.shift_remove("claims");
            fields.shift_remove("no_claim");
        }
    }
    reply
}
