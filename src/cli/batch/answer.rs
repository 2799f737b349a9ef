//! What `juror batch` says at its end, to people and to programs.

use serde::Serialize;

use super::super::audit::{counted, table};
use super::super::blind;
use super::super::meter::{Asked, Usage};
use crate::domain::batch::{Batch, BatchState, ItemCounts};
use crate::domain::tally::Tally;

/// What one run came to.
#[derive(Debug, Default, Serialize)]
pub(super) struct Answer {
    pub(super) judge: String,
    pub(super) model: String,
    pub(super) dry_run: bool,
    pub(super) handed_over: HandedOver,
    pub(super) came_back: CameBack,
    /// What was audited in this run.
    pub(super) audit: Tally,
    pub(super) waiting: Waiting,
    pub(super) open_batches: Vec<OpenBatch>,
    /// What was asked by single calls; `null` with --no-live.
    pub(super) asked: Option<Asked>,
    /// Batches have prices of their own, which nobody told us.
    pub(super) cost_usd: Option<f64>,
    pub(super) notes: Vec<String>,
    /// Why it could not go on.
    pub(super) stopped: Option<String>,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct HandedOver {
    pub(super) batches: u64,
    pub(super) records: u64,
    pub(super) questions: u64,
    pub(super) bytes: u64,
}

/// How questions ended in this run.
#[derive(Debug, Default, Serialize)]
pub(super) struct CameBack {
    /// With an answer.
    pub(super) answered: u64,
    /// With a reply that is none.
    pub(super) unusable: u64,
    /// Without a reply.
    pub(super) lost: u64,
    /// With a reply to a question that is not asked any more.
    pub(super) unread: u64,
}

/// Records that wait on.
#[derive(Debug, Default, Serialize)]
pub(super) struct Waiting {
    /// For an open batch.
    pub(super) for_batches: u64,
    /// For the next run, which hands over what is missing.
    pub(super) for_next_run: u64,
    /// For single calls, which --no-live forbids.
    pub(super) for_calls: u64,
    /// They cannot be read.
    pub(super) damaged: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct OpenBatch {
    tag: String,
    /// The provider's name for it; `null` while it is not known whether the provider has it.
    id: Option<String>,
    state: &'static str,
    questions: u64,
    since: String,
}

impl From<Batch> for OpenBatch {
    fn from(batch: Batch) -> Self {
        Self {
            tag: batch.tag,
            id: batch.remote_id,
            state: BatchState::label(batch.state),
            questions: batch.questions,
            since: batch.intended_at.to_string(),
        }
    }
}

impl CameBack {
    /// What has changed from one count to the other.
    pub(super) fn between(before: ItemCounts, after: ItemCounts) -> Self {
        Self {
            answered: after.answered.saturating_sub(before.answered),
            unusable: after.unusable.saturating_sub(before.unusable),
            lost: after.lost.saturating_sub(before.lost),
            unread: after.returned,
        }
    }
}

impl Answer {
    pub(super) fn in_words(&self, usage: Option<Usage>, has_prices: bool, is_blind: bool) -> String {
        let HandedOver { batches, records, questions, bytes } = self.handed_over;
        let handed = format!(
            "{} about {} in {}",
            counted(questions, "question"),
            counted(records, "record"),
            if batches == 1 { "1 batch".to_owned() } else { format!("{batches} batches") },
        );
        if self.dry_run {
            return format!(
                "{handed} would be handed over to {}, {bytes} bytes; nothing was sent, and what it costs is unknown: \
                 batches have prices of their own",
                self.model
            );
        }
        let mut lines = Vec::new();
        lines.push(format!("handed over: {handed}"));
        let back = &self.came_back;
        lines.push(format!(
            "came back: {} answered, {} with a reply that is no answer, {} without a reply",
            back.answered, back.unusable, back.lost
        ));
        if back.unread > 0 {
            lines.push(format!(
                "{} kept unread: nobody asks that question any more (other settings, another prompt, or audited since)",
                if back.unread == 1 { "1 reply is".to_owned() } else { format!("{} replies are", back.unread) },
            ));
        }
        lines.push(format!(
            "{} audited: {}",
            counted(self.audit.audited, "record"),
            counted(self.audit.claims, "claim")
        ));
        if self.audit.audited > 0 {
            lines.extend(if is_blind { vec![blind::WITHOUT.to_owned()] } else { table(&self.audit) });
        }
        if let Some(usage) = usage {
            lines.push(format!("by single calls {}", usage.sentence(&self.judge, has_prices)));
        }
        lines.push("cost of the batches unknown: they have prices of their own".to_owned());
        lines.extend(self.waiting.in_words(self.open_batches.len()));
        lines.join("\n")
    }
}

impl Waiting {
    fn in_words(&self, open: usize) -> Vec<String> {
        let mut lines = Vec::new();
        if open > 0 {
            let batches = if open == 1 { "1 batch".to_owned() } else { format!("{open} batches") };
            lines.push(format!(
                "{} for {batches} that the provider works on: the same command goes on",
                waits(self.for_batches)
            ));
        }
        if self.for_next_run > 0 {
            lines.push(format!("{} to be handed over: run the same command again", waits(self.for_next_run)));
        }
        if self.for_calls > 0 {
            lines.push(format!("{} for single calls: run it without --no-live", waits(self.for_calls)));
        }
        if self.damaged > 0 {
            lines.push(format!("{} cannot be read: see `juror verify`", counted(self.damaged, "record")));
        }
        lines
    }
}

fn waits(records: u64) -> String {
    format!("{} {}", counted(records, "record"), if records == 1 { "waits" } else { "wait" })
}
