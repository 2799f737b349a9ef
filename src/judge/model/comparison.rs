//! Two answers in one question. What does not fit in one is left to the instrument, which audits each answer by itself.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::Value;

use super::asker::{Asked, Asker, Said, failed};
use super::evidence::{Evidence, Seen, Stretch, Window};
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
use crate::judge::local::Stated;
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
pub(super) struct Side {
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

/// Two answers and their documents as a question shows them.
pub(super) struct Laid<'r> {
    pub(super) rivals: &'r Rivals,
    pub(super) question: &'r str,
    /// The sentences of each answer, numbered, one a line.
    pub(super) answers: [String; 2],
    pub(super) evidence: Evidence<'r>,
    window: Window,
    /// Tokens that it takes of a question, and that its claims take of a reply.
    pub(super) input: usize,
    pub(super) output: usize,
}

impl<'r> Laid<'r> {
    /// `None` where answers and documents do not fit together into `room` tokens, or their claims into a reply.
    pub(super) fn of<A>(judge: &ModelJudge<A>, rivals: &'r Rivals, room: usize) -> Option<Self> {
        let sides = [lines(&rivals.baseline), lines(&rivals.candidate)];
        let answers = sides.each_ref().map(|lines| lines.join("\n"));
        let question = or_none(rivals.question.as_deref().unwrap_or_default());
        let length = tokens(&answers[0]) + tokens(&answers[1]);
        let output = sides.iter().map(Vec::len).sum::<usize>() * CLAIM + 2 * length;
        let left = room.checked_sub(length + tokens(question)).filter(|left| *left >= LEAST_ROOM)?;
        if output > most_output(judge) {
            return None;
        }
        let evidence = Evidence::new(&rivals.documents, left);
        let window = evidence.window(&[], &Seen::default(), left);
        if !evidence.is_all(&Seen::default().with(&window)) {
            return None;
        }
        let shown: usize =
            evidence.stretches(&window).iter().map(|one| tokens(&one.line) + tokens(one.text)).sum();
        let input = length + tokens(question) + shown;
        Some(Self { rivals, question, answers, evidence, window, input, output })
    }

    /// The documents, in stretches.
    pub(super) fn stretches(&self) -> Vec<Stretch<'r>> {
        self.evidence.stretches(&self.window)
    }

    /// All of it that was not written here: what a fence must part.
    pub(super) fn data<'d>(&'d self, stretches: &'d [Stretch<'r>]) -> impl Iterator<Item = &'d str> {
        let answers = self.answers.iter().map(String::as_str);
        let documents = stretches.iter().flat_map(|stretch| [stretch.line.as_str(), stretch.text]);
        std::iter::once(self.question).chain(answers).chain(documents)
    }

    /// What is taken of the claims that `said` makes of both answers, at `place` in its value.
    pub(super) fn taken(&self, said: &Said, place: &str, sides: [Side; 2]) -> [Vec<ComparedClaim>; 2] {
        let answers = [(&self.rivals.baseline, SIDES[0], "b"), (&self.rivals.candidate, SIDES[1], "c")];
        let mut taken = sides.into_iter().zip(answers).map(|(side, (answer, name, mark))| {
            let spans = sentences(answer);
            let claims = Vec::new();
            let stated = Stated::new(answer);
            Taking { said, evidence: &self.evidence, answer, stated, spans, place, name, mark, claims }
                .taken(side)
        });
        [taken.next().unwrap_or_default(), taken.next().unwrap_or_default()]
    }
}

/// Tokens that claims may take of a reply: the rest is for what a model adds to them.
pub(super) fn most_output<A>(judge: &ModelJudge<A>) -> usize {
    judge.settings.max_output as usize * 3 / 4
}

pub(super) fn risk(rivals: &Rivals) -> &'static str {
    rivals.risk_level.map_or("unknown, which counts as MEDIUM", RiskLevel::label)
}

pub(super) async fn compare<A: Asker>(
    judge: &ModelJudge<A>,
    rivals: &Rivals,
    settings: &FaithfulnessSettings,
) -> Result<Compared, JudgeFailure> {
    let name = judge.settings.name.as_str();
    let prompt = judge.prompts.get(PromptId::Comparison);
    let fixed = [
        (Field::Granularity, settings.granularity.label()),
        (Field::Threshold, settings.threshold.label()),
        (Field::Constraints, or_none(&settings.constraints)),
        (Field::RiskLevel, risk(rivals)),
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
    let Some(laid) = Laid::of(judge, rivals, room) else { return Ok(Compared::Apart(Vec::new())) };
    let stretches = laid.stretches();
    let fence = judge.secret.fence(&laid.data(&stretches).collect::<Vec<_>>());
    let documents = fenced(&fence, &stretches);
    let [baseline, candidate] = laid.answers.each_ref().map(|lines| or_none(lines));
    let filled = with(&fence, [laid.question, baseline, candidate, or_none(&documents)])?;
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
    let sides = [reply.baseline_analysis, reply.candidate_analysis];
    let [baseline, candidate] = laid.taken(&said, "", sides);
    Ok(Compared::AtOnce(ComparisonReply {
        baseline,
        candidate,
        exchanges: said.exchanges.clone(),
        arithmetic: Some(arithmetic(said.value)),
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
    stated: Stated<'t>,
    spans: Vec<Span>,
    /// Where in the reply the item stands, as a JSON pointer, and the field of it in which this answer stands.
    place: &'t str,
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
            self.take(&format!("{}/{}/claims/{at}", self.place, self.name), &claim, index);
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
            if self.said.change_at(&format!("{}/{}/no_claim/{at}", self.place, self.name)).is_some() {
                continue;
            }
            let Some(index) = self.index(number).filter(|index| spoken.insert(*index)) else { continue };
            let answer = self.answer;
            if let Some(span) = self.spans.get(index).copied()
                && let Some(fact) = stated::fact(answer, &self.stated, span)
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
