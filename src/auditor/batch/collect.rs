//! Bringing back what came of a batch: matched by name, noted before it is read.

use std::collections::HashMap;

use super::{BatchFailure, Batcher, Progress};
use crate::domain::batch::{Batch, BatchState, BatchedReply, ItemReturned, ItemState};
use crate::judge::batch::{BatchError, Results};
use crate::judge::wire::batch::{Came, Described, Stage, returned};

/// Replies that are noted in one transaction.
const AT_ONCE: usize = 200;
/// Lines that are named one by one; of more only how many there are.
const MOST_NAMED: usize = 5;

impl Batcher {
    /// Asks how far a batch is, and brings back what came of it once it has ended.
    ///
    /// # Errors
    /// When store or server cannot be used.
    pub async fn poll(&mut self, batch: &Batch) -> Result<Progress, BatchFailure> {
        let (BatchState::Submitted, Some(id)) = (batch.state, &batch.remote_id) else {
            self.look_up(batch).await?;
            return Ok(Progress::Working { status: "looked up".to_owned(), done: None, total: None });
        };
        let now = self.clock.now();
        let described = match self.batches.look(&batch.account, id, now).await {
            Ok(described) => described,
            Err(BatchError::Gone(reason)) => return self.vanished(batch, id, &reason).await,
            Err(error) => return Err(error.into()),
        };
        if described.stage == Stage::Working {
            let Described { status, done, total, .. } = described;
            return Ok(Progress::Working { status, done, total });
        }
        let Results { files, gone } = self.batches.results(&batch.account, &described, now).await?;
        if let Some(why) = gone.first() {
            self.notes.push(format!("what came of the batch {id} is not at the server any more: {why}"));
        }
        self.bring_back(batch, &described, &files)?;
        Ok(Progress::Collected)
    }

    /// The server says that there is no such batch. Only its own list without it makes that certain.
    async fn vanished(&mut self, batch: &Batch, id: &str, reason: &str) -> Result<Progress, BatchFailure> {
        let now = self.clock.now();
        let since = crate::domain::time::Timestamp::from_millis(0);
        let all = self.batches.since(&batch.account, since, now).await?;
        if all.iter().any(|one| one.id == id) {
            return Err(
                BatchError::Unsure(format!("the server does not find the batch {id}: {reason}")).into()
            );
        }
        self.notes.push(format!("the server has no batch {id} any more: {reason}"));
        self.store().batch_collected(batch.key, "the server has no such batch any more", now)?;
        Ok(Progress::Collected)
    }

    fn bring_back(
        &mut self,
        batch: &Batch,
        described: &Described,
        files: &[String],
    ) -> Result<(), BatchFailure> {
        let items = self.store().batch_items(batch.key)?;
        let ours: HashMap<&str, u32> = items.iter().map(|item| (item.custom_id.as_str(), item.n)).collect();
        let protocol = self.harness.settings().endpoint.protocol;
        let mut came: HashMap<u32, Vec<Came>> = HashMap::new();
        let (mut unknown, mut unreadable) = (Vec::new(), Vec::new());
        let lines = files.iter().flat_map(|file| file.lines()).filter(|line| !line.trim().is_empty());
        for (number, line) in (1_usize..).zip(lines) {
            match returned(protocol, line) {
                Ok(one) => match ours.get(one.custom_id.as_str()) {
                    Some(n) => {
                        let each = came.entry(*n).or_default();
                        if !each.contains(&one.came) {
                            each.push(one.came);
                        }
                    }
                    None => unknown.push(one.custom_id),
                },
                Err(why) => unreadable.push(format!("line {number}: {why}")),
            }
        }
        let id = &described.id;
        let twice: Vec<String> = items
            .iter()
            .filter(|item| came.get(&item.n).is_some_and(|each| each.len() > 1))
            .map(|item| item.custom_id.clone())
            .collect();
        self.name(&twice, &format!("in the batch {id}, different replies came under one name; none is used"));
        self.name(
            &unknown,
            &format!(
                "in the batch {id}, replies came under names that nobody asked under; they are not used"
            ),
        );
        self.name(&unreadable, &format!("in the batch {id}, lines say nothing"));
        let returned: Vec<ItemReturned> = items
            .iter()
            .filter(|item| item.state == ItemState::Open)
            .filter_map(|item| {
                let each = came.remove(&item.n)?;
                let several = each.len() > 1;
                let reply = match each.into_iter().next()? {
                    _ if several => Err("different replies came under its name".to_owned()),
                    Came::Reply { status, request_id, body } => Ok(BatchedReply { status, request_id, body }),
                    Came::Nothing { why } => Err(why),
                };
                Some(ItemReturned { n: item.n, reply })
            })
            .collect();
        for part in returned.chunks(AT_ONCE) {
            self.store().batch_returned(batch.key, part)?;
        }
        let status = &described.status;
        let missing = items.iter().filter(|item| item.state == ItemState::Open).count() - returned.len();
        let complaint = &described.complaint;
        let why = if complaint.is_empty() {
            format!("the batch is {status}, and holds no reply to it")
        } else {
            format!("the batch is {status}: {complaint}")
        };
        if missing > 0 {
            self.notes.push(format!(
                "the batch {id} holds no reply to {missing} of its {} questions: {why}",
                items.len()
            ));
        }
        self.store().batch_collected(batch.key, &why, self.clock.now())?;
        Ok(())
    }

    fn name(&mut self, which: &[String], what: &str) {
        if which.is_empty() {
            return;
        }
        let more = which.len().saturating_sub(MOST_NAMED);
        let named: Vec<&str> = which.iter().take(MOST_NAMED).map(String::as_str).collect();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        self.notes.push(format!("{what}: {}{more}", named.join(", ")));
    }
}
