//! One record, asked for in as many questions as it takes.
//!
//! The answer goes in parts, so that each reply has room; the evidence goes in windows, the best for what is judged
//! first. What nothing speaks against in what was shown is asked about again with what was not, until all was shown:
//! what one part bears out, another may deny. A sentence or claim of which a reply says nothing is asked about again; what is then
//! still missing is INCOMPLETE, and never taken for supported.

use std::collections::{HashSet, VecDeque};
use std::ops::Range;

use super::asker::{Asked, Asker, Said, failed};
use super::evidence::{Evidence, Seen, Stretch, Window};
use super::reply::Reply;
use super::show::{fenced, one_line, or_none, tokens};
use super::{LEAST_ROOM, MOST_AGAIN, MOST_WINDOWS, ModelJudge, SMALLEST_SHARE};
use crate::domain::exchange::Purpose;
use crate::domain::finding::{Finding, Granularity, Judged, Outcome};
use crate::domain::record::{Record, RiskLevel};
use crate::domain::span::Span;
use crate::domain::verdict::NoVerdict;
use crate::judge::harness::{Deadline, Unanswered, Why};
use crate::judge::local::Stated;
use crate::judge::{FaithfulnessReply, FaithfulnessSettings, JudgeFailure, Reach};
use crate::prompt::{Field, Filled, PromptId};
use crate::text::locate::locate;
use crate::text::sentences::sentences;

/// Tokens that a claim takes in a reply, its quotations aside.
const CLAIM: usize = 170;
/// A sentence of more tokens may yield another claim for each so many.
const ATOM: usize = 30;
/// Sentences before a part that are shown so that it can be understood.
const BEFORE: usize = 2;

/// A claim that is judged as it stands.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) text: String,
    pub(super) given_id: Option<String>,
    pub(super) span: Option<Span>,
    /// Whether that is what the judge quotes of the answer; true for a given claim, of which it need not.
    pub(super) is_quoted: bool,
    /// What was said with less evidence in view, which may change with more.
    pub(super) before: Option<Judged>,
}

#[derive(Debug, Clone)]
pub(super) enum Targets {
    /// Sentences of the answer, by index, to be cut into claims.
    Sentences(Vec<usize>),
    Claims(Vec<Target>),
}

impl Targets {
    fn len(&self) -> usize {
        match self {
            Self::Sentences(each) => each.len(),
            Self::Claims(each) => each.len(),
        }
    }

    fn halves(self) -> [Self; 2] {
        match self {
            Self::Sentences(mut each) => {
                let rest = each.split_off(each.len() / 2);
                [Self::Sentences(each), Self::Sentences(rest)]
            }
            Self::Claims(mut each) => {
                let rest = each.split_off(each.len() / 2);
                [Self::Claims(each), Self::Claims(rest)]
            }
        }
    }
}

#[derive(Debug, Clone)]
struct Task {
    targets: Targets,
    seen: Seen,
    /// Windows that were shown for it.
    windows: usize,
}

pub(super) struct Course<'c, A> {
    judge: &'c ModelJudge<A>,
    pub(super) record: &'c Record,
    settings: &'c FaithfulnessSettings,
    deadline: Deadline,
    pub(super) sentences: Vec<Span>,
    pub(super) stated: Stated<'c>,
    pub(super) evidence: Evidence<'c>,
    /// Tokens for targets and evidence together.
    room: usize,
    /// What of it is used, after a server found a question too long.
    share: f64,
    part: u32,
    queue: VecDeque<Task>,
    pub(super) reply: FaithfulnessReply,
    /// Sentences for which the evidence is useless, with what is missing.
    pub(super) insufficient: Vec<(usize, String)>,
    /// Sentences that were said to state nothing, and are asked about once more.
    pub(super) doubted: HashSet<usize>,
    failure: Option<JudgeFailure>,
    is_answered: bool,
}

impl<'c, A: Asker> Course<'c, A> {
    pub(super) fn new(
        judge: &'c ModelJudge<A>,
        record: &'c Record,
        settings: &'c FaithfulnessSettings,
    ) -> Result<Self, JudgeFailure> {
        let frame = judge.prompts.get(PromptId::Faithfulness);
        let empty = [
            (Field::Granularity, settings.granularity.label()),
            (Field::Threshold, settings.threshold.label()),
            (Field::Constraints, settings.constraints.as_str()),
            (Field::RiskLevel, "CRITICAL"),
            (Field::Fence, "FENCE-0000000000000000"),
            (Field::Question, ""),
            (Field::Sentences, ""),
            (Field::Scope, ""),
            (Field::Claims, ""),
            (Field::Passages, ""),
        ];
        let filled = frame.fill(&empty).map_err(|error| failed(&judge.settings.name, error.to_string()))?;
        // What the record itself takes is its own matter, and no other record's.
        let question = tokens(record.question.as_deref().unwrap_or_default());
        let room = judge.room(&filled, PromptId::Faithfulness)?.saturating_sub(question);
        if room < 2 * LEAST_ROOM {
            let reason =
                "the question that was asked leaves no room for answer and evidence in the model's context";
            let reach = Reach::Record(NoVerdict::NotChecked);
            return Err(JudgeFailure { reach, ..failed(&judge.settings.name, reason) });
        }
        let mut found = sentences(&record.answer);
        if found.is_empty() {
            found.extend(Span::new(&record.answer, 0..record.answer.len()).filter(|span| !span.is_empty()));
        }
        Ok(Self {
            judge,
            record,
            settings,
            deadline: judge.asker.deadline(),
            sentences: found,
            stated: Stated::new(&record.answer),
            evidence: Evidence::new(&record.passages, room),
            room,
            share: 1.0,
            part: 0,
            queue: VecDeque::new(),
            reply: FaithfulnessReply::default(),
            insufficient: Vec::new(),
            doubted: HashSet::new(),
            failure: None,
            is_answered: false,
        })
    }

    pub(super) async fn run(mut self) -> Result<FaithfulnessReply, JudgeFailure> {
        self.divide();
        while let Some(task) = self.queue.pop_front() {
            self.work(task).await?;
        }
        self.settle_insufficient();
        match self.failure {
            // Nobody said anything: the record as a whole has no verdict.
            Some(mut failure) if !self.is_answered => {
                failure.exchanges = self.reply.exchanges;
                Err(failure)
            }
            _ => Ok(self.reply),
        }
    }

    /// Cuts what is to be judged into parts whose replies have room.
    fn divide(&mut self) {
        let most = self.judge.settings.max_output as usize * 3 / 4;
        let targets: Vec<Targets> = if self.record.given_claims.is_empty() {
            let price = |index: usize| {
                let length = tokens(self.sentence(index));
                let claims = match self.settings.granularity {
                    Granularity::Sentence => 1,
                    Granularity::Atomic => 1 + length / ATOM,
                };
                claims * CLAIM + 2 * length
            };
            let prices: Vec<usize> = (0..self.sentences.len()).map(price).collect();
            grouped(&prices, most).into_iter().map(|part| Targets::Sentences(part.collect())).collect()
        } else {
            let all = &self.record.given_claims;
            let prices: Vec<usize> = all.iter().map(|given| CLAIM + 2 * tokens(&given.claim_text)).collect();
            let target = |index: usize| Target {
                text: all[index].claim_text.clone(),
                given_id: all[index].claim_id.clone(),
                span: locate(&self.record.answer, &all[index].claim_text).span,
                is_quoted: true,
                before: None,
            };
            let part = |part: Range<usize>| Targets::Claims(part.map(target).collect());
            grouped(&prices, most).into_iter().map(part).collect()
        };
        self.queue.extend(targets.into_iter().map(|targets| Task {
            targets,
            seen: Seen::default(),
            windows: 0,
        }));
    }

    pub(super) fn sentence(&self, index: usize) -> &'c str {
        self.sentences.get(index).and_then(|span| span.of(&self.record.answer)).unwrap_or_default()
    }

    /// Asks about one part and one window, and puts what is to be asked further at the front of the queue.
    async fn work(&mut self, task: Task) -> Result<(), JudgeFailure> {
        let body = self.body(&task.targets);
        let room = ((self.room as f64) * self.share) as usize;
        let taken = tokens(&body.sentences) + tokens(&body.claims) + tokens(&body.scope);
        let Some(left) = room.checked_sub(taken).filter(|left| *left >= LEAST_ROOM) else {
            self.too_long(task, "it leaves no room for evidence in the model's context");
            return Ok(());
        };
        let window = self.evidence.window(&self.queries(&task.targets), &task.seen, left);
        let mut open = task.targets;
        let mut again = 0_usize;
        let seen = task.seen.with(&window);
        let windows = task.windows + 1;
        loop {
            let said = match self.ask(&open, &window, again).await {
                Ok(said) => said,
                Err(Unanswered { why: Why::TooLong, failure }) if self.share > SMALLEST_SHARE => {
                    self.note(failure);
                    self.share *= 0.6;
                    self.queue.push_front(Task { targets: open, seen: task.seen, windows: task.windows });
                    return Ok(());
                }
                Err(Unanswered { why: Why::Cut | Why::TooLong, failure }) if open.len() > 1 => {
                    self.note(failure);
                    for half in open.halves().into_iter().rev() {
                        let seen = task.seen.clone();
                        self.queue.push_front(Task { targets: half, seen, windows: task.windows });
                    }
                    return Ok(());
                }
                Err(Unanswered { failure, .. }) => return self.unanswered(&open, failure),
            };
            self.is_answered = true;
            self.reply.exchanges.extend(&said.exchanges);
            let is_all = self.evidence.is_all(&seen);
            let sorted = match &open {
                Targets::Sentences(asked) => self.take_sentences(asked, &said, &seen, is_all),
                Targets::Claims(asked) => self.take_claims(asked, &said, &seen, is_all),
            };
            for further in sorted.further.into_iter().filter(|further| further.len() > 0) {
                if windows < MOST_WINDOWS {
                    self.queue.push_front(Task { targets: further, seen: seen.clone(), windows });
                } else {
                    self.not_shown_further(further, &seen);
                }
            }
            open = sorted.missing;
            if open.len() == 0 {
                return Ok(());
            }
            again += 1;
            if again > MOST_AGAIN {
                let reason = format!("the judge said nothing of it that can count, asked {again} times");
                self.without_verdict(&open, NoVerdict::Incomplete, &reason);
                return Ok(());
            }
        }
    }

    /// "12,000 of 45,000".
    pub(super) fn shown(&self, seen: &Seen) -> String {
        format!("{} of {}", self.evidence.chars_of(seen), self.evidence.chars())
    }

    /// What is judged does not leave room for evidence: it is halved, and what cannot be is not judged.
    fn too_long(&mut self, task: Task, reason: &str) {
        if task.targets.len() > 1 {
            for half in task.targets.halves().into_iter().rev() {
                let (seen, windows) = (task.seen.clone(), task.windows);
                self.queue.push_front(Task { targets: half, seen, windows });
            }
        } else {
            self.without_verdict(&task.targets, NoVerdict::NotChecked, reason);
        }
    }

    fn note(&mut self, failure: JudgeFailure) {
        self.reply.exchanges.extend(failure.exchanges);
    }

    /// A part that has no answer: its targets have that state, the others stay what they are.
    fn unanswered(&mut self, open: &Targets, failure: JudgeFailure) -> Result<(), JudgeFailure> {
        let Reach::Record(state) = failure.reach else {
            let mut exchanges = std::mem::take(&mut self.reply.exchanges);
            exchanges.extend(&failure.exchanges);
            return Err(JudgeFailure { exchanges, ..failure });
        };
        self.reply.exchanges.extend(&failure.exchanges);
        self.without_verdict(open, state, &failure.reason);
        self.failure.get_or_insert(failure);
        Ok(())
    }

    pub(super) fn without_verdict(&mut self, targets: &Targets, state: NoVerdict, reason: &str) {
        let outcome = || Outcome::NotJudged { state, reason: reason.to_owned() };
        match targets {
            Targets::Sentences(each) => {
                for index in each {
                    self.reply.findings.push(Finding {
                        claim_text: self.sentence(*index).to_owned(),
                        given_id: None,
                        answer_span: self.sentences.get(*index).copied(),
                        outcome: outcome(),
                    });
                }
            }
            Targets::Claims(each) => {
                self.reply.findings.extend(each.iter().map(|target| target.finding(outcome())));
            }
        }
    }

    /// Where all sentences of the answer lack evidence, one entry says so; else each says so for itself.
    fn settle_insufficient(&mut self) {
        let missing = std::mem::take(&mut self.insufficient);
        let state = NoVerdict::InsufficientEvidence;
        if let Some((_, reason)) = missing.first().filter(|_| missing.len() == self.sentences.len()) {
            self.reply.findings.push(Finding {
                claim_text: self.record.answer.clone(),
                given_id: None,
                answer_span: None,
                outcome: Outcome::NotJudged { state, reason: reason.clone() },
            });
            return;
        }
        for (index, reason) in missing {
            self.without_verdict(&Targets::Sentences(vec![index]), state, &reason);
        }
    }

    async fn ask(&mut self, targets: &Targets, window: &Window, again: usize) -> Result<Said, Unanswered> {
        let mut body = self.body(targets);
        // The same words would be the same question, of which the partial reply is already known.
        body.scope.push_str(match again {
            0 => "",
            1 => {
                " An earlier reply left these out, or put into `no_claim` what does state something, or judged one twice \
                 and not alike, in other words than its own, or with a confidence that is no probability. Leave none out."
            },
            _ => " Two earlier replies left these out or judged them so that it cannot count. Leave none out.",
        });
        let broken = |reason: String| Unanswered {
            why: Why::Other,
            failure: failed(&self.judge.settings.name, reason),
        };
        let prompt = self.judge.prompts.get(PromptId::Faithfulness);
        let stretches = self.evidence.stretches(window);
        let filled = fill(self.judge, self.record, self.settings, &body, &stretches).map_err(broken)?;
        self.part += 1;
        let asked = Asked {
            audit_id: Some(&self.record.audit_id),
            purpose: if again == 0 { Purpose::Ask } else { Purpose::AskAgain },
            part: self.part,
            prompt,
            filled: &filled,
            schema: &self.judge.schemas.faithfulness,
            max_output: self.judge.settings.max_output,
        };
        // What fits the schema is never repaired: what of it cannot count is asked about again.
        let meaning = |value: &serde_json::Value| Reply::read(value).map(|_| ());
        self.judge.asker.ask(asked, &self.deadline, &meaning).await
    }

    /// The words by which evidence is looked for.
    fn queries<'q>(&'q self, targets: &'q Targets) -> Vec<&'q str> {
        match targets {
            Targets::Sentences(each) => each.iter().map(|index| self.sentence(*index)).collect(),
            Targets::Claims(each) => each.iter().map(|target| target.text.as_str()).collect(),
        }
    }

    fn body(&self, targets: &Targets) -> Body {
        let line = |index: usize| format!("[{}] {}", index + 1, one_line(self.sentence(index)));
        let lines = |range: Range<usize>| range.map(line).collect::<Vec<_>>().join("\n");
        match targets {
            Targets::Sentences(each) => {
                let first = each.first().copied().unwrap_or(0);
                let range = first.saturating_sub(BEFORE)..each.last().map_or(0, |last| last + 1);
                let is_all = range.len() == each.len();
                let numbers: Vec<String> = each.iter().map(|index| (index + 1).to_string()).collect();
                Body {
                    sentences: lines(range),
                    claims: String::new(),
                    scope: if is_all {
                        "every sentence of the ANSWER.".to_owned()
                    } else {
                        let numbers = numbers.join(", ");
                        format!("of the ANSWER only sentences {numbers}; the others help to understand them.")
                    },
                }
            }
            Targets::Claims(each) => {
                let all = lines(0..self.sentences.len());
                let claim =
                    |(at, target): (usize, &Target)| format!("[k{}] {}", at + 1, one_line(&target.text));
                Body {
                    sentences: if tokens(&all) <= self.room / 6 { all } else { "(not shown)".to_owned() },
                    claims: each.iter().enumerate().map(claim).collect::<Vec<_>>().join("\n"),
                    scope: "every claim under CLAIMS; the ANSWER helps to understand them.".to_owned(),
                }
            }
        }
    }
}

impl Target {
    pub(super) fn finding(&self, outcome: Outcome) -> Finding {
        let (claim_text, given_id) = (self.text.clone(), self.given_id.clone());
        Finding { claim_text, given_id, answer_span: self.span, outcome }
    }
}

/// What a question says of the answer.
struct Body {
    sentences: String,
    claims: String,
    scope: String,
}

/// The question with everything in it, all data behind a fence that stands in none of it.
fn fill<A>(
    judge: &ModelJudge<A>,
    record: &Record,
    settings: &FaithfulnessSettings,
    body: &Body,
    stretches: &[Stretch<'_>],
) -> Result<Filled, String> {
    let question = or_none(record.question.as_deref().unwrap_or_default());
    let mut data = vec![question, &body.sentences, &body.claims];
    data.extend(stretches.iter().flat_map(|stretch| [stretch.line.as_str(), stretch.text]));
    let fence = judge.secret.fence(&data);
    let passages = fenced(&fence, stretches);
    let filled = judge.prompts.get(PromptId::Faithfulness).fill(&[
        (Field::Granularity, settings.granularity.label()),
        (Field::Threshold, settings.threshold.label()),
        (Field::Constraints, or_none(&settings.constraints)),
        (Field::RiskLevel, risk(record)),
        (Field::Fence, &fence),
        (Field::Question, question),
        (Field::Sentences, or_none(&body.sentences)),
        (Field::Scope, &body.scope),
        (Field::Claims, or_none(&body.claims)),
        (Field::Passages, &passages),
    ]);
    filled.map_err(|error| error.to_string())
}

fn risk(record: &Record) -> &'static str {
    record.risk_level.map_or("unknown, which counts as MEDIUM", RiskLevel::label)
}

/// Neighbouring targets whose `prices` come to at most `most` together; a dearer one stands alone.
fn grouped(prices: &[usize], most: usize) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut left = 0;
    for (index, price) in prices.iter().enumerate() {
        match parts.last_mut() {
            Some(part) if *price <= left => {
                part.end = index + 1;
                left -= price;
            }
            _ => {
                parts.push(index..index + 1);
                left = most.saturating_sub(*price);
            }
        }
    }
    parts
}
