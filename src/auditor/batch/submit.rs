//! Handing a batch over, and finding out whether it was when nobody knows.

use std::time::Duration;

use super::{BatchFailure, Batcher};
use crate::domain::batch::{Batch, NewItem};
use crate::judge::batch::BatchError;
use crate::judge::harness::Prepared;
use crate::judge::wire::batch::{Described, Line, Stage, returned};
use crate::store::NewBatch;

/// Questions of one batch: far below what providers allow (50,000 and 100,000), so that what comes of one fits into
/// memory and little is lost with one.
const MOST_LINES: usize = 5_000;
/// Bytes of the questions of one batch; providers allow 200 MB and more.
const MOST_BYTES: usize = 32 << 20;
/// How much a provider's clock may be behind this one.
const SKEW: Duration = Duration::from_mins(10);
/// A batch that was begun later than this after its intent is another one.
const LATEST: Duration = Duration::from_hours(1);

/// Questions for one batch.
#[derive(Default)]
pub(super) struct Chunk {
    items: Vec<NewItem>,
    bodies: Vec<String>,
    bytes: usize,
}

impl Chunk {
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether there is no room for this one as well.
    pub(super) fn is_full(&self, question: &Prepared) -> bool {
        !self.is_empty() && (self.items.len() >= MOST_LINES || self.bytes + question.body.len() > MOST_BYTES)
    }

    pub(super) fn add(&mut self, item: NewItem, question: Prepared) {
        self.bytes += question.body.len();
        self.items.push(item);
        self.bodies.push(question.body);
    }
}

impl Batcher {
    /// Notes the batch, hands it over, and notes that it was. Whatever happens between, [`Self::look_up`] finds out.
    pub(super) async fn submit(&mut self, chunk: Chunk) -> Result<(), BatchFailure> {
        let account = self.batches.account()?;
        let tag = format!("juror-{}-{}", self.mark, &uuid::Uuid::new_v4().simple().to_string()[..12]);
        let now = self.clock.now();
        let new = NewBatch {
            tag: &tag,
            judge: self.judge(),
            endpoint: &self.endpoint(),
            account: &account,
            holder: &self.holder,
            now,
        };
        let intended = self.store().intend_batch(new, &chunk.items)?;
        let Some(key) = intended else {
            return Err(BatchFailure::Stopped(
                "another `juror batch` hands over the same questions at this moment: wait until it is done"
                    .to_owned(),
            ));
        };
        let lines: Vec<Line<'_>> = chunk
            .items
            .iter()
            .zip(&chunk.bodies)
            .map(|(item, body)| Line { custom_id: &item.custom_id, body })
            .collect();
        let file = match self.batches.upload(&account, &tag, &lines, now).await {
            Ok(file) => file,
            // A file alone is no batch: nothing is asked and nothing paid.
            Err(error) => {
                self.store().withdraw_batch(key)?;
                return Err(error.into());
            }
        };
        if let Some(file) = &file {
            self.store().batch_uploaded(key, file)?;
        }
        match self.batches.create(&account, &tag, file.as_deref(), &lines, now).await {
            Ok(described) => {
                self.store().batch_submitted(key, &described.id)?;
                Ok(())
            }
            Err(BatchError::Unsure(reason)) => Err(BatchFailure::Stopped(format!(
                "whether the server has the batch {tag} is not known ({reason}): the same command looks it up and goes \
                 on"
            ))),
            Err(error) => {
                self.store().withdraw_batch(key)?;
                Err(error.into())
            }
        }
    }

    /// Whether the server has a batch that was about to be handed over. If not, it is forgotten, and its questions
    /// are handed over anew.
    pub(super) async fn look_up(&mut self, batch: &Batch) -> Result<(), BatchFailure> {
        let now = self.clock.now();
        let since = crate::domain::time::Timestamp::from_millis(
            batch.intended_at.millis() - i64::try_from(SKEW.as_millis()).unwrap_or(0),
        );
        let all = self.batches.since(&batch.account, since, now).await?;
        let is_named = |one: &&Described| {
            one.tag.as_deref() == Some(&batch.tag)
                || (batch.file_id.is_some() && one.input_file == batch.file_id)
        };
        if let Some(found) = all.iter().find(is_named) {
            self.store().batch_submitted(batch.key, &found.id)?;
            return Ok(());
        }
        // Where a server keeps no names, the questions tell, and they show once it has ended.
        let mut unsure = Vec::new();
        for one in all.iter().filter(|one| self.may_be(one, batch)) {
            if one.stage == Stage::Working {
                unsure.push(one.id.clone());
            } else if self.is_ours(one, batch).await? {
                self.store().batch_submitted(batch.key, &one.id)?;
                return Ok(());
            }
        }
        if unsure.is_empty() {
            self.store().withdraw_batch(batch.key)?;
            self.notes.push(format!(
                "the server does not have the batch {}: its questions are handed over anew",
                batch.tag
            ));
        } else {
            self.notes.push(format!(
                "the program ended while it handed over the batch {}: whether it is {} shows when that has ended",
                batch.tag,
                unsure.join(" or ")
            ));
        }
        Ok(())
    }

    /// Whether a batch without a name has as many questions and was begun at the time.
    fn may_be(&self, one: &Described, batch: &Batch) -> bool {
        let is_known = self
            .open_batches()
            .is_ok_and(|open| open.iter().any(|open| open.remote_id.as_deref() == Some(&one.id)));
        one.input_file.is_none()
            && !is_known
            && one.total == Some(batch.questions)
            && one.created_at.is_none_or(|at| at <= batch.intended_at.plus(LATEST))
    }

    async fn is_ours(&self, one: &Described, batch: &Batch) -> Result<bool, BatchFailure> {
        let ours = self.store().batch_items(batch.key)?;
        let results = self.batches.results(&batch.account, one, self.clock.now()).await?;
        let protocol = self.harness.settings().endpoint.protocol;
        let first =
            results.files.iter().flat_map(|file| file.lines()).find_map(|line| returned(protocol, line).ok());
        Ok(first.is_some_and(|first| ours.iter().any(|item| item.custom_id == first.custom_id)))
    }
}
