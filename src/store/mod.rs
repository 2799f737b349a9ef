//! The only door to SQLite.
//!
//! A [`Store`] owns one writing and one read-only connection to one file. It must not know the
//! terminal or a judge. Time is handed in.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::domain::decision::{Actor, Decided, Disposition, Request};
use crate::domain::event::Event;
use crate::domain::finding::RunResult;
use crate::domain::ids::{Annotator, AuditId, ClaimId, ClaimKey, RecordKey};
use crate::domain::queue::{ClaimDetail, Hold, QueueCounts, QueueRow};
use crate::domain::record::Record;
use crate::domain::routing::Policy;
use crate::domain::time::Timestamp;

/// How far a commit is on disk when it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Survives a power cut: for people's decisions.
    Full,
    /// Survives a crash of the program; a power cut may take the last commits, never the file: for
    /// imports and audits, which can be repeated.
    Normal,
}

/// A store that did not do what was asked, and why.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("no store at {}: import something first, or try `juror demo`", .0.display())]
    Missing(PathBuf),
    #[error("{} was written by a newer juror (schema {found}, this program knows {known}): update juror", path.display())]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("{} is on a network file system ({kind}), where SQLite's locks cannot be relied on: choose a local path with --db", path.display())]
    NetworkFileSystem { path: PathBuf, kind: String },
    #[error("{}: {source}", path.display())]
    Sqlite { path: PathBuf, source: rusqlite::Error },
    #[error("no claim `{0}` in this store")]
    NoSuchClaim(ClaimId),
    #[error("no record `{0}` in this store")]
    NoSuchRecord(AuditId),
    /// The request is not possible in the present state; the sentence says why.
    #[error("{0}")]
    Refused(String),
    #[error("{} is in hand of {} until {}", claim, hold.holder, hold.until)]
    Held { claim: ClaimId, hold: Hold },
}

/// A record that passed validation, with the line it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRecord {
    pub record: Record,
    /// The line byte for byte, without its line feed.
    pub raw: String,
    /// Where it came from, as people name it: `batch.jsonl:17`.
    pub source: String,
}

/// What became of one record of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Imported {
    New,
    /// The same line is in the store already.
    Unchanged,
    /// The id is taken by other content, which came from `first_source`.
    Conflict {
        first_source: String,
    },
}

/// A record that the auditor holds.
#[derive(Debug, Clone, PartialEq)]
pub struct LeasedRecord {
    pub key: RecordKey,
    pub record: Record,
    pub until: Timestamp,
}

/// The lease ran out or someone else has it: nothing was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the lease was lost before the result was stored")]
pub struct LeaseLost;

/// Which part of the queue to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageAt {
    /// The first rows.
    Top,
    /// Rows after this claim, not included.
    After(ClaimKey),
    /// Rows before this claim, not included, in queue order.
    Before(ClaimKey),
    /// Rows from this claim on, included.
    From(ClaimKey),
}

/// What an undo took back.
#[derive(Debug, Clone, PartialEq)]
pub struct Undone {
    pub event: Event,
    /// The claim concerned, unless it was a whole answer's disposition.
    pub claim: Option<ClaimKey>,
    /// What stands now.
    pub standing: Option<Decided>,
}

/// One open store.
pub struct Store {
    path: PathBuf,
}

impl Store {
    /// Opens the store at `path`, creating it (mode 600) and migrating it as needed.
    pub fn open(_path: &Path, _durability: Durability) -> Result<Self, StoreError> {
        todo!()
    }

    /// Opens an existing store for reading only; never creates or migrates.
    pub fn open_read_only(_path: &Path) -> Result<Self, StoreError> {
        todo!()
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Changes whenever another connection committed; one cheap look.
    pub fn data_version(&self) -> Result<i64, StoreError> {
        todo!()
    }

    // ---- records -------------------------------------------------------------------------------

    /// Stores a batch in one transaction; the answer has one entry a record, in order.
    pub fn import(&mut self, _batch: &[NewRecord], _now: Timestamp) -> Result<Vec<Imported>, StoreError> {
        todo!()
    }

    // ---- audits --------------------------------------------------------------------------------

    /// Leases the next unaudited record (highest risk, then newest) to `holder`; one atomic statement.
    pub fn lease_next_record(
        &mut self,
        _holder: &str,
        _now: Timestamp,
        _ttl: Duration,
    ) -> Result<Option<LeasedRecord>, StoreError> {
        todo!()
    }

    /// Extends a lease; `Ok(false)` when it was lost.
    pub fn renew_record(
        &mut self,
        _key: RecordKey,
        _holder: &str,
        _now: Timestamp,
        _ttl: Duration,
    ) -> Result<bool, StoreError> {
        todo!()
    }

    /// Gives back what `holder` has leased and not finished.
    pub fn release_records(&mut self, _holder: &str) -> Result<usize, StoreError> {
        todo!()
    }

    /// Stores a finished run with its claims, verdicts, citations and queue rows in one transaction.
    pub fn finish_run(
        &mut self,
        _lease: &LeasedRecord,
        _holder: &str,
        _result: &RunResult,
        _policy: &Policy,
        _started: Timestamp,
        _now: Timestamp,
    ) -> Result<Result<(), LeaseLost>, StoreError> {
        todo!()
    }

    // ---- queue ---------------------------------------------------------------------------------

    /// Open claims in queue order for `annotator`: rows this person skipped come last.
    pub fn queue_page(
        &self,
        _annotator: &Annotator,
        _at: PageAt,
        _limit: usize,
        _now: Timestamp,
    ) -> Result<Vec<QueueRow>, StoreError> {
        todo!()
    }

    pub fn queue_counts(&self, _annotator: &Annotator) -> Result<QueueCounts, StoreError> {
        todo!()
    }

    pub fn claim_key(&self, _id: &ClaimId) -> Result<ClaimKey, StoreError> {
        todo!()
    }

    pub fn claim_detail(
        &self,
        _key: ClaimKey,
        _annotator: &Annotator,
        _now: Timestamp,
    ) -> Result<ClaimDetail, StoreError> {
        todo!()
    }

    /// How many open claims of CRITICAL and of HIGH arrived after `since` and stand above `key`.
    pub fn arrived_above(&self, _key: ClaimKey, _since: Timestamp) -> Result<(u64, u64), StoreError> {
        todo!()
    }

    // ---- people's work -------------------------------------------------------------------------

    /// Records what `actor` asks for as an event and updates the projection, in one FULL transaction.
    pub fn decide(
        &mut self,
        _claim: ClaimKey,
        _request: &Request,
        _actor: &Actor,
        _now: Timestamp,
    ) -> Result<Event, StoreError> {
        todo!()
    }

    /// Gives the whole answer a disposition; refused while routed claims of it are open.
    pub fn dispose(
        &mut self,
        _record: RecordKey,
        _disposition: Disposition,
        _actor: &Actor,
        _now: Timestamp,
    ) -> Result<Event, StoreError> {
        todo!()
    }

    /// Takes back the actor's own latest act that still stands, over restarts; `None` when there is none.
    pub fn undo(&mut self, _actor: &Actor, _now: Timestamp) -> Result<Option<Undone>, StoreError> {
        todo!()
    }

    /// Takes (or renews) a claim for review; `Err(Held)` when another annotator has it.
    pub fn hold_claim(
        &mut self,
        _claim: ClaimKey,
        _annotator: &Annotator,
        _now: Timestamp,
        _ttl: Duration,
    ) -> Result<(), StoreError> {
        todo!()
    }

    /// Gives back all claims that `annotator` holds, but for `except`.
    pub fn release_claims(
        &mut self,
        _annotator: &Annotator,
        _except: Option<ClaimKey>,
    ) -> Result<(), StoreError> {
        todo!()
    }

    /// Keeps a note that is being typed; `None` forgets it.
    pub fn save_draft(
        &mut self,
        _claim: ClaimKey,
        _annotator: &Annotator,
        _text: Option<&str>,
        _now: Timestamp,
    ) -> Result<(), StoreError> {
        todo!()
    }
}
