//! The course of one question: from the first try to an answer or a named state.

mod exchange;
mod trouble;

use std::fmt::Write as _;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

pub(in crate::judge) use self::trouble::ending;
use super::gate::{Avoid, Shut};
use super::log;
use super::{Answer, Deadline, Harness, Misread, Question, Unanswered, Why};
use crate::domain::exchange::{Ending, Exchange, Purpose};
use crate::domain::ids::ExchangeKey;
use crate::domain::verdict::NoVerdict;
use crate::judge::ledger::LedgerError;
use crate::judge::reading::{self, Change, Schema};
use crate::judge::transport::seconds;
use crate::judge::wire::{Manner, Received, Said};

/// What a repair gets of a reply, in bytes: a fixed size, however long the reply was.
const LONGEST_MISREAD: usize = 32 << 10;
/// Errors that a repair and a reason are told.
const MOST_ERRORS: usize = 10;

/// What is sent: the question itself, or the request to write its reply again.
pub(super) struct Text<'a> {
    pub(super) purpose: Purpose,
    /// The exchange whose reply is to be written again.
    pub(super) mends: Option<ExchangeKey>,
    pub(super) system: &'a str,
    pub(super) user: &'a str,
    pub(super) prompt_version: &'a str,
    pub(super) prompt_sha256: &'a str,
}

impl<'a> Text<'a> {
    pub(super) fn of(question: &Question<'a>) -> Self {
        Self {
            purpose: question.purpose,
            mends: None,
            system: question.system,
            user: question.user,
            prompt_version: question.prompt_version,
            prompt_sha256: question.prompt_sha256,
        }
    }
}

pub(super) struct Course<'a> {
    harness: &'a Harness,
    question: &'a Question<'a>,
    deadline: &'a Deadline,
    question_sha256: String,
    began: Instant,
    exchanges: Vec<ExchangeKey>,
    /// Requests so far, of any purpose.
    attempts: u32,
    /// What the reply may have; larger once it was cut, or others were.
    max_output: u32,
    /// The manner of this question, where the one that is known brings no answer.
    own: Option<Manner>,
    avoid: Avoid,
    /// The last exchange that was kept.
    pub(super) last: Option<Exchange>,
}

/// A value, what it means, and what was lenient in reading it.
pub(super) struct Understood<T> {
    pub(super) meaning: T,
    pub(super) value: Value,
    pub(super) notes: Vec<String>,
}

/// What is wrong with a reply that came whole.
pub(super) struct Misunderstood {
    pub(super) ending: Ending,
    pub(super) errors: Vec<String>,
}

/// `shown` is what the reply is to judge: an answer that stands there already is none of the model's own.
pub(super) fn understood<T>(
    text: &str,
    schema: &Schema,
    shown: &str,
    meaning: impl Fn(&Value) -> Result<T, Vec<String>>,
) -> Result<Understood<T>, Misunderstood> {
    let read = reading::read(text, schema)
        .map_err(|unread| Misunderstood { ending: unread.ending, errors: unread.errors })?;
    if reading::is_repeated(&read.value, shown, schema) {
        let error = "The reply repeats JSON that stands in the text to be judged: that is no judgement.";
        return Err(Misunderstood { ending: Ending::Misshapen, errors: vec![error.to_owned()] });
    }
    match meaning(&read.value) {
        Ok(meaning) => Ok(Understood { meaning, value: read.value, notes: read.notes }),
        Err(errors) => Err(Misunderstood { ending: Ending::Misshapen, errors }),
    }
}

impl<'a> Course<'a> {
    pub(super) fn new(harness: &'a Harness, question: &'a Question<'a>, deadline: &'a Deadline) -> Self {
        let needs_room = harness.needs_room.load(Ordering::Relaxed);
        Self {
            harness,
            question,
            deadline,
            own: None,
            question_sha256: harness.question_sha256(question),
            began: Instant::now(),
            exchanges: Vec::new(),
            attempts: 0,
            max_output: if needs_room { trouble::larger(harness, question) } else { question.max_output },
            avoid: Avoid::default(),
            last: None,
        }
    }

    /// The answer of an earlier run, read as if it came now. One that does not fit any more is no answer.
    pub(super) fn earlier<T>(
        &mut self,
        meaning: impl Fn(&Value) -> Result<T, Vec<String>>,
    ) -> Result<Option<Answer<T>>, Unanswered> {
        let earlier = self.harness.ledger.answered(&self.question_sha256);
        let Some(earlier) = earlier.map_err(|error| self.no_ledger(&error))? else { return Ok(None) };
        let received = Received { status: earlier.status, headers: &[], body: &earlier.raw_reply };
        let question = [self.question.system, self.question.user];
        // What a repair was asked is not known any more, and is short.
        let asked = if earlier.repaired.is_none() { question.as_slice() } else { &[] };
        let Ok(said) = log::read(self.harness, received, asked) else { return Ok(None) };
        let Ok(understood) = understood(&said.text, self.question.schema, self.question.user, meaning) else {
            return Ok(None);
        };
        let mut exchanges = vec![earlier.key];
        let mut changes = Vec::new();
        if let Some(misread) = earlier.repaired {
            let received = Received { status: misread.status, headers: &[], body: &misread.raw_reply };
            let Ok(before) = log::read(self.harness, received, &question) else { return Ok(None) };
            if !reading::is_mended(&before.text, &understood.value) {
                return Ok(None);
            }
            changes = reading::changes(&before.text, &understood.value);
            exchanges.insert(0, misread.key);
        }
        let notes = if earlier.detail.is_empty() { understood.notes } else { vec![earlier.detail] };
        Ok(Some(Answer { value: understood.meaning, exchanges, notes, changes, model: said.about.model }))
    }

    /// Asks, and asks once more to have a reply repaired that cannot be read.
    pub(super) async fn answer<T>(
        &mut self,
        text: &Text<'_>,
        meaning: &impl Fn(&Value) -> Result<T, Vec<String>>,
    ) -> Result<Answer<T>, Unanswered> {
        let (said, exchange) = self.said(text).await?;
        let wrong = match understood(&said.text, self.question.schema, self.question.user, meaning) {
            Ok(understood) => return self.valid(understood, Vec::new(), said, exchange),
            Err(wrong) => wrong,
        };
        self.keep(exchange, wrong.ending, told(&wrong.errors))?;
        self.repaired(&said.text, &wrong, meaning).await
    }

    /// One request to write the reply again, never another after it.
    async fn repaired<T>(
        &mut self,
        before: &str,
        wrong: &Misunderstood,
        meaning: &impl Fn(&Value) -> Result<T, Vec<String>>,
    ) -> Result<Answer<T>, Unanswered> {
        let repair = &self.harness.options.repair;
        let errors = &wrong.errors[..wrong.errors.len().min(MOST_ERRORS)];
        let misread = Misread { schema: self.question.schema, reply: cut(before, LONGEST_MISREAD), errors };
        let filled = (repair.write)(&misread).map_err(|why| {
            self.failed(format!("the reply cannot be read ({}), and {why}", told(&wrong.errors)))
        })?;
        let text = Text {
            purpose: Purpose::Repair,
            mends: self.exchanges.last().copied(),
            system: &filled.system,
            user: &filled.user,
            prompt_version: &repair.prompt_version,
            prompt_sha256: &repair.prompt_sha256,
        };
        let (said, exchange) = self.said(&text).await?;
        match understood(&said.text, self.question.schema, self.question.user, meaning) {
            Ok(understood) if !reading::is_mended(before, &understood.value) => {
                let reason = "nothing in the reply could be read as an answer, so what was written in its place is \
                              another answer and no repair";
                self.keep(exchange, Ending::Misshapen, reason.to_owned())?;
                Err(self.failed(format!("{reason}: {}", told(&wrong.errors))))
            }
            Ok(mut understood) => {
                let mut notes = vec![format!("written again by the model: {}", told(&wrong.errors))];
                let changed = reading::changes(before, &understood.value);
                if !changed.is_empty() {
                    let each: Vec<String> = changed.iter().map(Change::to_string).collect();
                    notes.push(format!("FLAGGED, writing it again changed what it says: {}", told(&each)));
                }
                notes.append(&mut understood.notes);
                understood.notes = notes;
                self.valid(understood, changed, said, exchange)
            }
            Err(still) => {
                let errors = told(&still.errors);
                self.keep(exchange, still.ending, errors.clone())?;
                Err(self.failed(format!(
                    "the reply cannot be read, not even after it was written again: {errors}"
                )))
            }
        }
    }

    fn valid<T>(
        &mut self,
        understood: Understood<T>,
        changes: Vec<Change>,
        said: Said,
        exchange: Exchange,
    ) -> Result<Answer<T>, Unanswered> {
        self.keep(exchange, Ending::Valid, understood.notes.join("; "))?;
        Ok(Answer {
            value: understood.meaning,
            exchanges: self.exchanges.clone(),
            notes: understood.notes,
            changes,
            model: said.about.model,
        })
    }

    /// Keeps an exchange before anything is made of it.
    fn keep(&mut self, mut exchange: Exchange, ending: Ending, detail: String) -> Result<(), Unanswered> {
        exchange.ending = ending;
        exchange.detail = self.harness.gate.blotted(detail);
        let key = self.harness.ledger.keep(&exchange).map_err(|error| self.no_ledger(&error))?;
        self.exchanges.push(key);
        self.last = Some(exchange);
        Ok(())
    }

    /// Without a record of it nothing is asked, and the next record would fare no better.
    fn no_ledger(&self, error: &LedgerError) -> Unanswered {
        Unanswered::everything(self.harness, error.to_string(), &self.exchanges)
    }

    fn failed(&self, reason: String) -> Unanswered {
        self.ended(Why::Other, NoVerdict::Failed, reason)
    }

    fn ended(&self, why: Why, state: NoVerdict, reason: String) -> Unanswered {
        Unanswered::state(why, state, self.harness, reason, &self.exchanges)
    }

    fn everything(&self, reason: String) -> Unanswered {
        Unanswered::everything(self.harness, reason, &self.exchanges)
    }

    fn for_now(&self, reason: String) -> Unanswered {
        Unanswered::for_now(self.harness, reason, &self.exchanges)
    }

    /// `what` was waited for, or could not be waited for any more.
    fn out_of_time(&self, what: &str) -> Unanswered {
        let allowed = seconds(self.deadline.allowed());
        let queued = self.deadline.queued();
        let queued = if queued < Duration::from_secs(1) {
            String::new()
        } else {
            format!(", {} s in the queue for server and budget not counted", seconds(queued))
        };
        let last = self
            .last
            .as_ref()
            .map(|last| format!("; the last request ended {}: {}", last.ending, last.detail));
        self.failed(format!(
            "no answer within the {allowed} s that a record may take{queued}: {what}{}",
            last.unwrap_or_default()
        ))
    }

    fn shut(&self, shut: Shut) -> Unanswered {
        let judge = &self.harness.settings.name;
        match shut {
            Shut::NoKeys(trouble) => {
                self.everything(format!("{}; see `keys` or `key_env` in [judge.{judge}]", trouble.join("; ")))
            }
            Shut::Rests(rest) => self.for_now(format!(
                "the server asks to wait {} s, longer than a record may take ({} s); start again then, or raise \
                 `record_timeout_s` in [judge.{judge}]",
                seconds(rest),
                seconds(self.deadline.allowed()),
            )),
            Shut::TooLate => self.out_of_time("after the server's last refusal the next try would come too late"),
            Shut::Queue => self.out_of_time(&format!(
                "it stood in the queue for the server; ask less at once, or raise `record_timeout_s` in \
                 [judge.{judge}]"
            )),
        }
    }
}

pub(super) fn told(errors: &[String]) -> String {
    let more = errors.len().saturating_sub(MOST_ERRORS);
    let mut told = errors[..errors.len().min(MOST_ERRORS)].join(" ");
    if more > 0 {
        let _ = write!(told, " And {more} more.");
    }
    told
}

/// The beginning of `text`, no longer than `most` bytes and whole in its letters.
fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}
