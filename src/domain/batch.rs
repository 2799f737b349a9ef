//! Questions that were handed over together, to be answered within a day.

use super::ids::RecordKey;
use super::time::Timestamp;
use super::verdict::labels;

labels! {
    /// How far a batch is, as far as this program knows.
    BatchState: "batch state" {
        /// It was about to be handed over: the server may have it or not.
        Intended = "INTENDED",
        /// The server has it.
        Submitted = "SUBMITTED",
        /// Everything that came of it is here.
        Collected = "COLLECTED",
    }
}

labels! {
    /// How far a question of a batch is.
    ItemState: "state of a question" {
        /// Nothing came of it yet.
        Open = "OPEN",
        /// Its reply is here and was not read yet.
        Returned = "RETURNED",
        /// Its reply is an answer.
        Answered = "ANSWERED",
        /// Its reply is none.
        Unusable = "UNUSABLE",
        /// Nothing came of it: it may be asked again.
        Lost = "LOST",
    }
}

/// Batches are numbered by the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BatchKey(pub i64);

/// A batch as it is remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    pub key: BatchKey,
    /// The name that this program gives it, at the provider too where that keeps names.
    pub tag: String,
    pub judge: String,
    /// Where it was handed over, without anything secret.
    pub endpoint: String,
    /// The account that it belongs to; never a key.
    pub account: String,
    pub state: BatchState,
    /// The provider's name for the file with its questions.
    pub file_id: Option<String>,
    /// The provider's name for it.
    pub remote_id: Option<String>,
    /// The process that works on it, or did.
    pub holder: String,
    pub intended_at: Timestamp,
    pub questions: u64,
}

/// A question that is about to travel in a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewItem {
    pub record: RecordKey,
    pub question_sha256: String,
    pub request_sha256: String,
    /// Unique in the store for each question.
    pub custom_id: String,
}

/// A question of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub batch: BatchKey,
    /// 1, 2, 3 … within the batch.
    pub n: u32,
    pub custom_id: String,
    pub request_sha256: String,
    pub state: ItemState,
    pub reply: Option<BatchedReply>,
    /// The batch's name, and when it was begun.
    pub tag: String,
    pub intended_at: Timestamp,
    /// How often the question has travelled, this time included.
    pub attempt: u32,
}

/// What came back of one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchedReply {
    pub status: u16,
    pub request_id: Option<String>,
    pub body: String,
}

/// What is to be noted of one question of a batch that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemReturned {
    pub n: u32,
    /// `Err` says why nothing came of it.
    pub reply: Result<BatchedReply, String>,
}

/// How the questions of batches ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ItemCounts {
    pub open: u64,
    pub returned: u64,
    pub answered: u64,
    pub unusable: u64,
    pub lost: u64,
}
