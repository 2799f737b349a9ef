//! What follows from trouble: try again, later, elsewhere, in another form, or say what state it is.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::exchange::{Came, Used};
use super::{Course, Harness, Question, Text, Unanswered, Why};
use crate::domain::exchange::{Ending, Exchange};
use crate::domain::verdict::NoVerdict;
use crate::judge::harness::budget;
use crate::judge::transport::{Loss, seconds};
use crate::judge::wire::{Manner, Said, Shape, Trouble, TroubleKind};

/// However different the troubles, no question is sent more often.
const MOST_ATTEMPTS: u32 = 10;
/// A reply that was cut is given so many times the room, once.
const MORE_ROOM: u32 = 4;

/// What was tried so far.
#[derive(Default)]
struct Tried {
    /// Failures of the server or the way to it.
    faults: u32,
    /// Refusals because of too many requests.
    limited: u32,
    empty: bool,
    /// Why the reply is cut where it has no more room than the question asks for.
    cut: Option<String>,
    /// The model reasoned and said nothing.
    silent: bool,
}

impl Course<'_> {
    /// Sends `text` until the model has said something whole.
    pub(super) async fn said(&mut self, text: &Text<'_>) -> Result<(Said, Exchange), Unanswered> {
        let mut tried = Tried::default();
        let mut manner = self.manner();
        loop {
            if self.attempts >= MOST_ATTEMPTS {
                return Err(self.failed(format!(
                    "no answer after {} requests{}",
                    self.attempts,
                    self.last_words()
                )));
            }
            match self.exchange(text, manner).await? {
                (Came::Said(said, exchange), _) => {
                    self.harness.answered.store(true, Ordering::Relaxed);
                    if self.max_output > self.question.max_output {
                        self.harness.needs_room.store(true, Ordering::Relaxed);
                    }
                    if let Some(own) = self.own.filter(|_| tried.silent) {
                        self.harness.learn(own);
                    }
                    return Ok((said, *exchange));
                }
                (Came::Lost(loss, exchange), _) => self.lost(loss, *exchange, &mut tried).await?,
                (Came::Trouble(trouble, exchange), used) => {
                    manner = self.trouble(&trouble, *exchange, &used, manner, &mut tried).await?;
                }
            }
        }
    }

    async fn lost(&mut self, loss: Loss, exchange: Exchange, tried: &mut Tried) -> Result<(), Unanswered> {
        let message = exchange.detail.clone();
        let ending = if loss == Loss::TimedOut { Ending::TimedOut } else { Ending::Broken };
        self.keep(exchange, ending, message.clone())?;
        tried.faults += 1;
        if tried.faults >= self.tries() {
            if loss == Loss::Unreachable && !self.harness.heard_since(self.began) {
                let judge = &self.harness.settings.name;
                return Err(self.for_now(format!(
                    "the server cannot be reached: {message}; is it running, and is `base_url` in [judge.{judge}] right?"
                )));
            }
            let slow = if loss == Loss::TimedOut {
                let judge = &self.harness.settings.name;
                format!(
                    "; if the model is slow, raise `timeout_s` in [judge.{judge}], or ask less at once by `concurrency`"
                )
            } else {
                String::new()
            };
            return Err(self.failed(format!("no reply in {} tries: {message}{slow}", tried.faults)));
        }
        self.pause(self.harness.jitter.wait(tried.faults, None)).await
    }

    /// In which manner to go on, or why not to.
    async fn trouble(
        &mut self,
        trouble: &Trouble,
        exchange: Exchange,
        used: &Used,
        manner: Manner,
        tried: &mut Tried,
    ) -> Result<Manner, Unanswered> {
        let message = trouble.message.clone();
        self.keep(exchange, ending(trouble.kind), message.clone())?;
        match trouble.kind {
            TroubleKind::Unsupported(form) => {
                let plainer = match self.own {
                    Some(own) => own.plainer(form),
                    None => self.harness.plainer(manner, form),
                };
                self.own = self.own.and(plainer);
                return plainer.ok_or_else(|| {
                    self.failed(format!("the server takes the question in no form: {message}"))
                });
            }
            TroubleKind::Limited { after } => {
                tried.limited += 1;
                let wait = self.harness.jitter.wait(tried.limited, after);
                self.avoid.until(used.account, Instant::now() + wait);
                let asked = after.filter(|after| *after > self.deadline.remaining());
                if let Some(after) = asked.filter(|_| self.harness.gate.accounts() == 1) {
                    return Err(self.too_long_a_wait(after, &message));
                }
            }
            TroubleKind::Faulty { after } => {
                tried.faults += 1;
                if tried.faults >= self.tries() {
                    return Err(self.failed(format!("the server failed {} times: {message}", tried.faults)));
                }
                let wait = self.harness.jitter.wait(tried.faults, after);
                if let Some(after) = after.filter(|after| *after > self.deadline.remaining()) {
                    return Err(self.too_long_a_wait(after, &message));
                }
                self.pause(wait).await?;
            }
            // The key or the account is set aside by now; the gate knows whether there is another.
            TroubleKind::Denied | TroubleKind::Exhausted => {}
            TroubleKind::Cut => {
                self.more_room(&message)?;
                tried.cut = Some(message);
            }
            // What forces a shape may force blanks; whoever is free of it writes words.
            TroubleKind::Blanks if manner.shape == Shape::Words => {
                return Err(self.ended(Why::Other, NoVerdict::Incomplete, message));
            }
            TroubleKind::Blanks => self.own = Some(manner.in_words()),
            TroubleKind::Silent if tried.silent => match manner.after_silence() {
                Some(next) => self.own = Some(next),
                None => return Err(self.ended(Why::Other, NoVerdict::Empty, message)),
            },
            TroubleKind::Silent => tried.silent = true,
            TroubleKind::Empty if tried.empty => {
                return Err(self.ended(
                    Why::Other,
                    NoVerdict::Empty,
                    format!("the reply is empty, twice: {message}"),
                ));
            }
            TroubleKind::Empty => tried.empty = true,
            TroubleKind::Refused => {
                return Err(self.ended(Why::Other, NoVerdict::Refused, message));
            }
            TroubleKind::TooLong => {
                return Err(self.ended(Why::TooLong, NoVerdict::Failed, message));
            }
            TroubleKind::Absent => {
                let judge = &self.harness.settings.name;
                let asked = self.last.as_ref().map_or("", |last| &last.endpoint);
                return Err(self.everything(format!(
                    "{message}; {asked} was asked: see `base_url`, which ends with the version where there is one \
                     (…/v1), and `model` in [judge.{judge}]"
                )));
            }
            // More room may be more than the model gives: without it the question was taken before, or is now.
            TroubleKind::Rejected if self.max_output > self.question.max_output => {
                self.harness.has_no_more_room.store(true, Ordering::Relaxed);
                let asked = std::mem::replace(&mut self.max_output, self.question.max_output);
                if let Some(cut) = tried.cut.take() {
                    let reason = format!(
                        "the reply was cut at {} tokens: {cut}; {asked} are not to be had: {message}",
                        self.max_output
                    );
                    return Err(self.ended(Why::Cut, NoVerdict::Incomplete, reason));
                }
            }
            TroubleKind::Rejected => {
                return Err(self.failed(format!("the server calls the request wrong: {message}")));
            }
        }
        Ok(self.manner())
    }

    fn manner(&self) -> Manner {
        self.own.unwrap_or_else(|| self.harness.manner())
    }

    /// A reply that was cut is asked for once with more room, as far as the model's context goes.
    fn more_room(&mut self, message: &str) -> Result<(), Unanswered> {
        let larger = larger(self.harness, self.question);
        if larger <= self.max_output {
            let reason = format!("the reply was cut at {} tokens: {message}", self.max_output);
            return Err(self.ended(Why::Cut, NoVerdict::Incomplete, reason));
        }
        self.max_output = larger;
        Ok(())
    }

    fn tries(&self) -> u32 {
        self.harness.settings.attempts.max(3)
    }

    fn too_long_a_wait(&self, wait: Duration, message: &str) -> Unanswered {
        let wait_s = seconds(wait);
        if wait > self.deadline.allowed() {
            let judge = &self.harness.settings.name;
            return self.for_now(format!(
                "the server asks to wait {wait_s} s, longer than a record may take; start again then, or raise \
                 `record_timeout_s` in [judge.{judge}]: {message}"
            ));
        }
        let left = seconds(self.deadline.remaining());
        self.failed(format!(
            "the server asks to wait {wait_s} s, and {left} s are left for this record: {message}"
        ))
    }

    async fn pause(&self, wait: Duration) -> Result<(), Unanswered> {
        if wait > self.deadline.remaining() {
            let after = seconds(wait);
            return Err(self.out_of_time(&format!("the next try, {after} s later, would come too late")));
        }
        sleep(wait).await;
        Ok(())
    }

    fn last_words(&self) -> String {
        self.last
            .as_ref()
            .map(|last| format!("; the last ended {}: {}", last.ending, last.detail))
            .unwrap_or_default()
    }
}

/// More room than the question asks for, as far as the model's context goes, and unless the server refused it.
pub(super) fn larger(harness: &Harness, question: &Question<'_>) -> u32 {
    if harness.has_no_more_room.load(Ordering::Relaxed) {
        return question.max_output;
    }
    let read = budget::estimate(question.system, question.user, 0, None).input;
    let most = u64::from(harness.settings.context).saturating_sub(read).min(u64::from(u32::MAX)) as u32;
    question.max_output.saturating_mul(MORE_ROOM).min(most).max(question.max_output)
}

pub(in crate::judge) fn ending(kind: TroubleKind) -> Ending {
    match kind {
        TroubleKind::Cut | TroubleKind::Blanks => Ending::Cut,
        TroubleKind::Refused => Ending::Refused,
        TroubleKind::Empty | TroubleKind::Silent => Ending::Empty,
        TroubleKind::Limited { .. } => Ending::Limited,
        TroubleKind::Exhausted => Ending::Exhausted,
        TroubleKind::Denied => Ending::Denied,
        TroubleKind::Unsupported(_) => Ending::Unsupported,
        TroubleKind::TooLong => Ending::TooLong,
        TroubleKind::Faulty { .. } => Ending::Faulty,
        TroubleKind::Absent | TroubleKind::Rejected => Ending::Rejected,
    }
}
