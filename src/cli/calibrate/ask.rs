//! Asks the judge about the golden set, about several items at once.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use tokio::sync::Semaphore;

use super::super::progress::Progress;
use super::super::{Context, Interrupt};
use super::Question;
use crate::domain::comparison::{Analysis, Comparison, Rivals};
use crate::domain::finding::{Finding, Outcome, RunResult};
use crate::domain::record::Record;
use crate::domain::span::Span;
use crate::domain::verdict::{MatchLevel, NoVerdict};
use crate::format::annotated::Subject;
use crate::instrument::{comparison, faithfulness, support};
use crate::judge::{FaithfulnessSettings, Judge, JudgeFailure, Reach};
use crate::measure::decomposition::Found;
use crate::text::locate::Haystack;

const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What the judge says of one unit: the number of the category, and how sure it is.
pub(super) type Verdict = Option<(usize, Option<f64>)>;

/// What it says of one question.
#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    /// One for each unit.
    pub(super) said: Vec<Verdict>,
    /// Why it failed.
    pub(super) failed: Option<String>,
    /// How many of the claims it finds by itself.
    pub(super) found: Option<Found>,
}

#[derive(Clone)]
pub(super) struct Asker {
    judge: Arc<dyn Judge>,
    settings: Arc<FaithfulnessSettings>,
    permits: Arc<Semaphore>,
    at_once: usize,
    /// Whether records are asked about once more, without their claims.
    decomposes: bool,
    /// Why nothing more is asked.
    over: Arc<OnceLock<String>>,
}

impl Asker {
    pub(super) fn new(
        judge: Arc<dyn Judge>,
        settings: FaithfulnessSettings,
        at_once: usize,
        decomposes: bool,
    ) -> Self {
        Self {
            judge,
            settings: Arc::new(settings),
            permits: Arc::new(Semaphore::new(at_once)),
            at_once,
            decomposes,
            over: Arc::default(),
        }
    }

    /// The answers, in the order of the questions; fewer when interrupted.
    pub(super) async fn all(
        &self,
        questions: &[Question],
        interrupt: &Interrupt,
        mut progress: Progress,
        context: &mut Context,
    ) -> Vec<Answer> {
        let mut waiting = parts(questions, self.judge.items_at_once());
        let mut in_hand = FuturesOrdered::new();
        let mut answers = Vec::with_capacity(questions.len());
        while answers.len() < questions.len() && !interrupt.is_raised() {
            while in_hand.len() < self.at_once * 4
                && let Some(part) = waiting.next()
            {
                in_hand.push_back(self.clone().ask(part));
            }
            tokio::select! {
                Some(part) = in_hand.next() => answers.extend(part),
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            if let Some(line) = progress.line(answers.len() as u64, 0, context.clock.now()) {
                context.out.progress(&line);
            }
        }
        answers
    }

    /// In a task of its own, so that items are judged on all cores and a panic costs no others.
    fn ask(self, part: &[Question]) -> impl Future<Output = Vec<Answer>> + use<> {
        let subjects: Vec<Subject> = part.iter().map(|question| question.subject.clone()).collect();
        let units: Vec<usize> = part.iter().map(|question| question.units.len()).collect();
        let task = tokio::spawn(async move { self.answer_each(&subjects).await });
        async move {
            let mut answers = task.await.unwrap_or_default();
            answers.resize_with(units.len(), || Answer {
                failed: Some("the judge broke on this item; please report it".to_owned()),
                ..Answer::default()
            });
            for (answer, units) in answers.iter_mut().zip(units) {
                answer.said.resize(units, None);
            }
            answers
        }
    }

    async fn answer_each(&self, subjects: &[Subject]) -> Vec<Answer> {
        let rivals: Vec<&Rivals> = subjects
            .iter()
            .filter_map(|subject| match subject {
                Subject::Rivals(rivals) => Some(&**rivals),
                _ => None,
            })
            .collect();
        if rivals.is_empty() {
            let mut answers = Vec::with_capacity(subjects.len());
            for subject in subjects {
                answers.push(self.answer(subject).await);
            }
            return answers;
        }
        let Ok(_permit) = self.permits.acquire().await else { return Vec::new() };
        if let Some(reason) = self.over.get() {
            let failed = Answer { failed: Some(format!("not asked: {reason}")), ..Answer::default() };
            return vec![failed; subjects.len()];
        }
        let compared = comparison::compare_each(&*self.judge, &rivals, &self.settings).await;
        let each = compared.into_iter();
        each.map(|one| one.map_or_else(|failure| self.failed(failure), |one| of_comparison(&one))).collect()
    }

    async fn answer(&self, subject: &Subject) -> Answer {
        let Ok(_permit) = self.permits.acquire().await else { return Answer::default() };
        if let Some(reason) = self.over.get() {
            return Answer { failed: Some(format!("not asked: {reason}")), ..Answer::default() };
        }
        let answer = match subject {
            Subject::Record(record) => self.of_record(record).await,
            Subject::Pair(pair) => {
                support::score(&*self.judge, &pair.claim, &pair.source).await.map(|reply| {
                    let category = usize::from(reply.score.get()) - 1;
                    let confidence = reply.confidence.map(crate::domain::verdict::Probability::get);
                    Answer {
                        said: vec![reply.is_grounded.then_some((category, confidence))],
                        ..Answer::default()
                    }
                })
            }
            Subject::Rivals(_) | Subject::Judged(_) | Subject::Ratings => Ok(Answer::default()),
        };
        answer.unwrap_or_else(|failure| self.failed(failure))
    }

    async fn of_record(&self, record: &Record) -> Result<Answer, JudgeFailure> {
        let result = faithfulness::audit(&*self.judge, record, &self.settings).await?;
        let failed = result.findings.iter().find_map(|finding| match &finding.outcome {
            Outcome::NotJudged { state: NoVerdict::Failed, reason } => Some(reason.clone()),
            _ => None,
        });
        let marked = if self.decomposes { marked(record) } else { Vec::new() };
        let found = if marked.is_empty() {
            None
        } else {
            let bare = Record { given_claims: Vec::new(), ..record.clone() };
            Some(found(record, &marked, &faithfulness::audit(&*self.judge, &bare, &self.settings).await?))
        };
        Ok(Answer { said: result.findings.iter().map(said).collect(), failed, found })
    }

    /// Nothing more is asked where every question would fail.
    fn failed(&self, failure: JudgeFailure) -> Answer {
        let failed = match failure.reach {
            Reach::Record(NoVerdict::Failed) => Some(failure.reason),
            Reach::Record(_) => None,
            Reach::Everything | Reach::ForNow => Some(self.over.get_or_init(|| failure.reason).clone()),
        };
        Answer { failed, ..Answer::default() }
    }
}

/// Each question by itself, but comparisons as many together as the judge takes at once.
fn parts(questions: &[Question], most: usize) -> impl Iterator<Item = &[Question]> {
    let is_rivals = |question: &Question| matches!(question.subject, Subject::Rivals(_));
    let mut left = questions;
    std::iter::from_fn(move || {
        let rivals = left.iter().take(most).take_while(|question| is_rivals(question)).count();
        let (part, rest) = left.split_at_checked(rivals.max(1))?;
        left = rest;
        Some(part)
    })
}

/// What a comparison leaves out is no verdict here either: the judge is measured as the gate of a release relies on it.
fn of_comparison(compared: &Comparison) -> Answer {
    if let Some(left) = compared.left_out() {
        return Answer { failed: left.failed.then_some(left.reason), ..Answer::default() };
    }
    let is_wrong = |side: &Analysis| Some((usize::from(side.wrong().next().is_some()), None));
    Answer { said: vec![is_wrong(&compared.baseline), is_wrong(&compared.candidate)], ..Answer::default() }
}

/// Only a grounded verdict is one.
fn said(finding: &Finding) -> Verdict {
    match &finding.outcome {
        Outcome::Judged(judged) => Some((judged.verdict as usize, Some(judged.confidence.get()))),
        Outcome::Ungrounded(_) | Outcome::NotJudged { .. } => None,
    }
}

/// Where the given claims stand in the answer, those that do.
fn marked(record: &Record) -> Vec<Span> {
    let answer = Haystack::new(&record.answer);
    let place = |text: &str| {
        let located = answer.locate(text);
        located.span.filter(|_| matches!(located.level, MatchLevel::Exact | MatchLevel::Normalized))
    };
    // An answer that is its one claim is found by whoever finds anything.
    if record.given_claims.len() == 1
        && record.given_claims.iter().all(|claim| claim.claim_text == record.answer)
    {
        return Vec::new();
    }
    record.given_claims.iter().filter_map(|claim| place(&claim.claim_text)).collect()
}

fn found(record: &Record, marked: &[Span], result: &RunResult) -> Found {
    let produced: Vec<Span> = result
        .findings
        .iter()
        .filter(|finding| !matches!(finding.outcome, Outcome::NotJudged { state: NoVerdict::Incomplete, .. }))
        .filter_map(|finding| finding.answer_span)
        .collect();
    let mut found = Found::default();
    found.add(&record.answer, marked, &produced, result.no_claims.len());
    found
}
