//! Who answers in a rehearsal: what came back in batches, and what was answered before. What neither answers is
//! noted, and nobody is asked.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::domain::batch::{BatchedReply, Item, ItemState};
use crate::domain::verdict::NoVerdict;
use crate::judge::harness::{Batched, Deadline, Harness, Prepared, Unanswered, Why};
use crate::judge::model::{Asked, Asker, Meaning, Reply, Said};
use crate::judge::{JudgeFailure, Reach};
use crate::store::{Store, StoreError};

/// A question that nobody has answered yet.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Missing {
    pub(super) prepared: Prepared,
    /// The last time it travelled in a batch.
    pub(super) last: Option<Item>,
}

/// Shared by the judge that asks and the one who wants to know what it asked.
#[derive(Clone)]
pub(super) struct Rehearsal(Arc<Shared>);

struct Shared {
    harness: Arc<Harness>,
    store: Arc<Mutex<Store>>,
    /// Whether replies that came back are read; otherwise nothing is changed.
    reads: bool,
    asked: Mutex<Record>,
}

/// What the audit of one record has asked so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Record {
    /// Whether any question was answered.
    pub(super) is_answered: bool,
    pub(super) missing: Vec<Missing>,
}

impl Rehearsal {
    pub(super) fn new(harness: Arc<Harness>, store: Arc<Mutex<Store>>, reads: bool) -> Self {
        Self(Arc::new(Shared { harness, store, reads, asked: Mutex::default() }))
    }

    /// What was asked since the last look.
    pub(super) fn asked(&self) -> Record {
        std::mem::take(&mut self.record())
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.0.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.0.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, asked: Asked<'_>, meaning: Meaning<'_>) -> Result<Said, Unanswered> {
        let version = asked.prompt.version();
        let question = asked.question(&version);
        let prepared = self.0.harness.prepare(&question);
        let broken = |error: StoreError| self.unanswered(Reach::Everything, error.to_string());
        let last = self.store().batched(&prepared.question_sha256).map_err(broken)?;
        if let Some(item) = &last
            && let Some(reply) = item.reply.as_ref().filter(|_| self.0.reads)
        {
            if item.request_sha256 == prepared.request_sha256 {
                let batched = batched(item, reply);
                let (exchange, answer) = self.0.harness.batched(&question, &prepared, batched, meaning);
                let key = self.store().settle_item(item, &exchange).map_err(broken)?;
                if let (Some(key), Some(value)) = (key, answer) {
                    self.record().is_answered = true;
                    return Ok(Said { value, exchanges: vec![key], changes: Vec::new() });
                }
            } else {
                let why = "it was sent in another form than this program sends it in now";
                self.store().lose_item(item, why).map_err(broken)?;
            }
        }
        let earlier =
            self.0.harness.earlier(&question, |value: &Value| meaning(value).map(|()| value.clone()))?;
        if let Some(answer) = earlier {
            self.record().is_answered = true;
            return Ok(Said { value: answer.value, exchanges: answer.exchanges, changes: answer.changes });
        }
        // As it is now, after a reply was read.
        let last = match last {
            Some(_) => self.store().batched(&prepared.question_sha256).map_err(broken)?,
            None => None,
        };
        self.record().missing.push(Missing { prepared, last });
        Err(self.unanswered(Reach::Record(NoVerdict::NotChecked), "nobody was asked".to_owned()))
    }

    fn unanswered(&self, reach: Reach, reason: String) -> Unanswered {
        let judge = self.0.harness.settings().name.clone();
        Unanswered { why: Why::Other, failure: JudgeFailure { judge, reach, reason, exchanges: Vec::new() } }
    }
}

fn batched<'a>(item: &'a Item, reply: &'a BatchedReply) -> Batched<'a> {
    Batched {
        name: &item.tag,
        status: reply.status,
        request_id: reply.request_id.as_deref(),
        body: &reply.body,
        sent_at: item.intended_at,
        attempt: item.attempt,
    }
}

impl Missing {
    /// Whether it is under way in a batch.
    pub(super) fn is_under_way(&self) -> bool {
        self.last.as_ref().is_some_and(|item| matches!(item.state, ItemState::Open | ItemState::Returned))
    }
}

impl Asker for Rehearsal {
    fn deadline(&self) -> Deadline {
        Deadline::after(self.0.harness.settings().record_timeout)
    }

    fn ask<'a>(&'a self, asked: Asked<'a>, _: &'a Deadline, meaning: Meaning<'a>) -> Reply<'a> {
        let answer = self.answer(asked, meaning);
        Box::pin(async move { answer })
    }
}
