//! Audits over a provider's batches: what records wait for is handed over together, and what came of it is read like
//! any other reply.
//!
//! The store is the memory: a batch is noted before it is handed over and after, so that whoever comes next goes on
//! where this process ended, hands nothing over twice, and loses nothing that was paid for. What each record needs
//! is found out by a rehearsal of its audit: the same questions, in the same words, with nobody to ask.

mod asker;
mod collect;
mod submit;

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use self::asker::{Missing, Rehearsal};
use self::submit::Chunk;
use super::holder::{self, Fate};
use super::work::free_the_dead;
use crate::clock::Clock;
use crate::domain::batch::{Batch, BatchKey, BatchState, ItemCounts, ItemState, NewItem};
use crate::domain::ids::RecordKey;
use crate::domain::record::Record;
use crate::instrument::faithfulness;
use crate::judge::batch::{BatchError, Batches};
use crate::judge::harness::{Harness, Prepared};
use crate::judge::model::{ModelJudge, ModelOptions};
use crate::judge::transport::{TransportError, bare_address};
use crate::judge::{FaithfulnessSettings, Reach};
use crate::store::{Durability, Store, StoreError};

/// A question that came back so often without an answer does not travel again.
const MOST_ATTEMPTS: u32 = 3;
/// Records that are read from the store at once.
const PAGE: usize = 64;

/// Why the work on batches cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum BatchFailure {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Transport(#[from] TransportError),
    #[error(transparent)]
    Server(#[from] BatchError),
    /// A sentence for a person, who has to do something.
    #[error("{0}")]
    Stopped(String),
}

/// What a look at all waiting records may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Change nothing; say what would be handed over.
    Only,
    /// Read what came back, and hand over what is missing, of so many records at most.
    Submit { most: usize },
    /// Read what came back.
    Read,
}

/// What a look found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Records whose audit needs no call.
    pub ready: Vec<RecordKey>,
    /// Records of which something came back, and that need calls all the same.
    pub wanting: Vec<RecordKey>,
    /// Records that wait for a batch.
    pub under_way: u64,
    /// Records of which something is missing that was not handed over this time.
    pub left: u64,
    /// Records that cannot be read.
    pub damaged: u64,
    /// What was handed over, or would be.
    pub batches: u64,
    pub records: u64,
    pub questions: u64,
    pub bytes: u64,
}

/// How far a batch is, when it was asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    Working {
        status: String,
        done: Option<u64>,
        total: Option<u64>,
    },
    /// Everything that came of it is here.
    Collected,
}

/// Works on the batches of one judge in one store.
pub struct Batcher {
    store: Arc<Mutex<Store>>,
    harness: Arc<Harness>,
    batches: Batches,
    faithfulness: FaithfulnessSettings,
    /// Whether what a batch did not answer waits for another one, not for calls.
    no_calls: bool,
    clock: Arc<dyn Clock>,
    options: ModelOptions,
    holder: String,
    mark: String,
    /// What people should know.
    notes: Vec<String>,
}

impl Batcher {
    /// `harness` is only asked how questions are put and replies read.
    ///
    /// # Errors
    /// When the store cannot be opened or the server not be reached as the settings say.
    pub fn open(
        db: &Path,
        harness: Arc<Harness>,
        options: ModelOptions,
        faithfulness: FaithfulnessSettings,
        no_calls: bool,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, BatchFailure> {
        let store = Store::open(db, Durability::Normal)?;
        let mark = store.batch_mark()?;
        Ok(Self {
            store: Arc::new(Mutex::new(store)),
            batches: Batches::new(harness.settings())?,
            harness,
            faithfulness,
            no_calls,
            clock,
            options,
            holder: holder::new_name(),
            mark,
            notes: Vec::new(),
        })
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn judge(&self) -> &str {
        &self.harness.settings().name
    }

    fn endpoint(&self) -> String {
        bare_address(&self.harness.settings().endpoint.base_url)
    }

    /// What people should know and were not told yet.
    pub fn notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// How the questions ended of batches after `after`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn counts(&self, after: BatchKey) -> Result<ItemCounts, BatchFailure> {
        Ok(self.store().item_counts(self.judge(), after)?)
    }

    /// The batches of which not everything is here.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open_batches(&self) -> Result<Vec<Batch>, BatchFailure> {
        let open = self.store().open_batches(self.judge())?;
        Ok(open)
    }

    /// Goes on with what another process left; where one was about to hand a batch over, looks whether the server
    /// has it. Returns the batches that are open now.
    ///
    /// # Errors
    /// When another process works on them, when the settings name another server now, or when the server cannot be
    /// asked.
    pub async fn take_over(&mut self) -> Result<Vec<Batch>, BatchFailure> {
        let now = self.clock.now();
        free_the_dead(&mut self.store(), &self.holder, now)?;
        for batch in self.open_batches()? {
            if batch.endpoint != self.endpoint() {
                return Err(BatchFailure::Stopped(format!(
                    "the batch {} was handed over to {}, and [judge.{}] names {} now: set `base_url` back until \
                     everything is collected",
                    batch.tag,
                    batch.endpoint,
                    self.judge(),
                    self.endpoint()
                )));
            }
            if batch.holder != self.holder {
                self.take(&batch)?;
            }
            if batch.state == BatchState::Intended {
                self.look_up(&batch).await?;
            }
        }
        self.open_batches()
    }

    fn take(&mut self, batch: &Batch) -> Result<(), BatchFailure> {
        match holder::fate(&batch.holder) {
            Fate::Alive { pid } => {
                return Err(BatchFailure::Stopped(format!(
                    "another `juror batch` (process {pid}) works on the batches of this store: wait until it is done"
                )));
            }
            Fate::Unknown { host } => self.notes.push(format!(
                "the batch {} was handed over on {host}: no other `juror batch` may run on this store there",
                batch.tag
            )),
            Fate::Dead => {}
        }
        let taken = self.store().take_batch(batch.key, &batch.holder, &self.holder)?;
        if taken {
            Ok(())
        } else {
            Err(BatchFailure::Stopped(
                "another `juror batch` has just begun to work on this store: wait until it is done"
                    .to_owned(),
            ))
        }
    }

    /// Goes through all records that wait.
    ///
    /// # Errors
    /// When store or server cannot be used; what was noted stays noted.
    pub async fn look(&mut self, look: Look) -> Result<Found, BatchFailure> {
        let reads = look != Look::Only;
        let rehearsal = Rehearsal::new(Arc::clone(&self.harness), Arc::clone(&self.store), reads);
        let settings = self.harness.settings().clone();
        let judge = ModelJudge::new(rehearsal.clone(), settings, self.options.clone())
            .map_err(|error| BatchFailure::Stopped(error.to_string()))?;
        let most = match look {
            Look::Only => usize::MAX,
            Look::Submit { most } => most,
            Look::Read => 0,
        };
        let (mut found, mut chunk, mut seen) = (Found::default(), Chunk::default(), HashSet::new());
        let mut after = RecordKey(0);
        loop {
            let now = self.clock.now();
            let page = self.store().waiting_records(after, PAGE, now)?;
            let Some((last, _)) = page.last() else { break };
            after = *last;
            for (key, record) in page {
                let Some(record) = record else {
                    found.damaged += 1;
                    continue;
                };
                let asked = self.rehearse(&judge, &rehearsal, &record).await?;
                let Some(new) = self.sort(key, &asked, &mut found)? else { continue };
                if found.records >= most as u64 {
                    found.left += 1;
                    continue;
                }
                found.records += 1;
                for question in new {
                    if !seen.insert(question.question_sha256.clone()) {
                        continue;
                    }
                    if chunk.is_full(&question) {
                        self.hand_over(look, &mut chunk, &mut found).await?;
                    }
                    chunk.add(self.item(key, &question), question);
                }
            }
        }
        self.hand_over(look, &mut chunk, &mut found).await?;
        Ok(found)
    }

    async fn rehearse(
        &self,
        judge: &ModelJudge<Rehearsal>,
        rehearsal: &Rehearsal,
        record: &Record,
    ) -> Result<asker::Record, BatchFailure> {
        match faithfulness::audit(judge, record, &self.faithfulness).await {
            Err(failure) if failure.reach == Reach::Everything => Err(BatchFailure::Stopped(failure.reason)),
            _ => Ok(rehearsal.asked()),
        }
    }

    /// Puts a record where it belongs; what of it is to be handed over.
    fn sort(
        &self,
        key: RecordKey,
        asked: &asker::Record,
        found: &mut Found,
    ) -> Result<Option<Vec<Prepared>>, BatchFailure> {
        let missing = &asked.missing;
        if missing.is_empty() {
            found.ready.push(key);
            return Ok(None);
        }
        // What is asked because of an answer that came back in a batch is a matter for single calls.
        let follows = asked.is_answered && self.store().was_batched(key)?;
        let is_new = |one: &&Missing| match &one.last {
            None => !follows || self.no_calls,
            Some(item) if item.attempt >= MOST_ATTEMPTS => false,
            Some(item) => match item.state {
                ItemState::Lost => true,
                ItemState::Unusable | ItemState::Answered => self.no_calls,
                ItemState::Open | ItemState::Returned => false,
            },
        };
        let new: Vec<_> = missing.iter().filter(is_new).map(|one| one.prepared.clone()).collect();
        if !new.is_empty() {
            return Ok(Some(new));
        }
        if missing.iter().any(Missing::is_under_way) {
            found.under_way += 1;
        } else {
            found.wanting.push(key);
        }
        Ok(None)
    }

    fn item(&self, record: RecordKey, question: &Prepared) -> NewItem {
        NewItem {
            record,
            custom_id: format!("{}-{}-{}", self.mark, record.0, &question.request_sha256[..32]),
            question_sha256: question.question_sha256.clone(),
            request_sha256: question.request_sha256.clone(),
        }
    }

    async fn hand_over(
        &mut self,
        look: Look,
        chunk: &mut Chunk,
        found: &mut Found,
    ) -> Result<(), BatchFailure> {
        let chunk = std::mem::take(chunk);
        if chunk.is_empty() {
            return Ok(());
        }
        found.questions += chunk.len() as u64;
        found.bytes += chunk.bytes() as u64;
        found.batches += 1;
        if look != Look::Only {
            self.submit(chunk).await?;
        }
        Ok(())
    }
}
