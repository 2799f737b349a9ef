//! The only door to SQLite.
//!
//! A [`Store`] owns one writing and one read-only connection to one file. It must not know the
//! terminal or a judge. Time is handed in.
//!
//! | part | what it is for |
//! |---|---|
//! | `open`, `migrate`, `place` | open or create the file, bring it to the present schema, refuse what cannot work |
//! | `records` | import, the inbox, reading a record back |
//! | `audits`, `runs`, `offsets` | leasing records to auditors, storing finished runs |
//! | `exchanges` | what was asked of models and what came back |
//! | `batches` | questions that were handed over together and have not all come back |
//! | `queue`, `pages`, `threads`, `detail`, `weighed` | what a reviewer reads: pages, answers, counts, a claim with all around it, and with what a verdict needs |
//! | `find` | the claims that a filter lets through |
//! | `decisions`, `dispositions`, `projection`, `undo`, `holds`, `drafts`, `erase` | what a reviewer does: events, the state that follows; leases; what is begun; notes taken out |
//! | `events`, `seals`, `seen` | the hash chain, and the hashes of what came in, what judges said and people saw |
//! | `health`, `turn` | quick looks at what may be wrong; who stores in bulk, one after the other |
//! | `word`, `overruled`, `tally`, `damaged` | whose decision counts, and whose does not any more; how every claim is ruled at present, for gates; rows that cannot be read |
//! | `export`, `verify` | everything out again, and the proof that nothing was changed |
//! | `blind` | review without the judge: its order, what is left out, and what people said before and after |
//! | `calibrations`, `rated`, `scores` | how well judges agreed with people, and what that is counted from; claim–source pairs |
//! | `same`, `views`, `story` | the same claim elsewhere; saved filters; everything that is known of one record |
//! | `comparisons`, `support`, `dashboard`, `hours` | two versions of the same answers; all pairs and all work at a glance |
//!
//! The schema, with every table explained, is `schema.sql` at the root of the repository.

mod audits;
mod batches;
mod blind;
mod calibrations;
mod compared;
mod comparisons;
mod damaged;
mod dashboard;
mod decisions;
mod detail;
mod dispositions;
mod done;
mod drafts;
mod earlier;
mod erase;
mod events;
mod exchanges;
mod export;
mod find;
mod health;
mod hints;
mod holds;
mod hours;
mod inherited;
mod migrate;
mod offsets;
mod open;
mod overruled;
mod pages;
mod place;
mod projection;
mod queue;
mod rated;
mod records;
mod redo;
mod rows;
mod runs;
mod same;
mod scores;
mod seals;
mod seen;
mod shaping;
mod story;
mod support;
mod tally;
mod threads;
mod together;
pub mod told;
mod turn;
mod undo;
mod verify;
mod views;
mod weighed;
mod word;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};

use crate::domain::event::Seen;
use crate::domain::ids::{AuditId, ClaimId, RecordKey};
use crate::domain::queue::Hold;
use crate::domain::record::Record;
use crate::domain::shaping::SetAside;
use crate::domain::time::Timestamp;
use crate::domain::word::Opposed;
use turn::Turn;

pub use audits::{FinishedRun, RecordLeases, RequeueFilter};
pub use batches::NewBatch;
pub use calibrations::InUse;
pub use compared::{ComparedRecord, ComparisonStanding, SentClaim};
pub use comparisons::{KeptComparison, NewComparison};
pub use damaged::Damaged;
pub use dashboard::{Backlog, BacklogDay, Dashboard, Failed, Health, JudgeStanding, Measured, PersonsWork};
pub use decisions::Batched;
pub use dispositions::Disposing;
pub use erase::Erased;
pub use exchanges::{EarlierAnswer, EarlierReply, ExchangesOf, KeptExchange};
pub use export::{Chained, ClaimExport, EvidenceExport};
pub use health::InboxRejects;
pub use hours::{Hour, Version};
pub use pages::PageAt;
pub use place::file_system;
pub use rated::{Rated, Whose};
pub use records::ImportPace;
pub use redo::Redone;
pub use scores::{KeptScore, Routed, ScoredPair};
pub use shaping::Shaped;
pub use story::{AuditStory, Story};
pub use support::{Groups, Support, WorstPair};
pub use tally::{Dated, InForce, StandingVerdict, WithoutAudit};
pub use undo::Undone;
pub use verify::{ContentMark, VerifyReport};
pub use weighed::Weighed;

/// How far a commit is on disk when it returns. Decisions are always [`Durability::Full`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Survives a power cut.
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
    #[error("{} is not a juror store ({reason}): name another file with --db", path.display())]
    NotAStore { path: PathBuf, reason: String },
    #[error("{} was written by a newer juror (schema {found}, this program knows {known}): update juror", path.display())]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("{} was removed, moved or replaced while it was open: what is saved now would be lost; start juror again, with --db where the file was moved", .0.display())]
    Gone(PathBuf),
    #[error("{} is on a network file system ({kind}), where SQLite's locks cannot be relied on: choose a local path with --db", path.display())]
    NetworkFileSystem { path: PathBuf, kind: String },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{} was written by an older juror (schema {found}, this program knows {known}): open it once with `juror`", path.display())]
    Older { path: PathBuf, found: i64, known: i64 },
    #[error("{}: the disk is full: free some space, or name a file on another disk with --db", .0.display())]
    DiskFull(PathBuf),
    #[error("{} cannot be written (the file, its folder or the file system is read-only for you): change the permissions, or name another file with --db", .0.display())]
    ReadOnly(PathBuf),
    #[error("{} cannot be opened: look whether it and its folder are yours to read and write (to read one on a read-only medium, copy it to a folder of yours first), or name another file with --db", .0.display())]
    CannotOpen(PathBuf),
    #[error("{} is damaged ({source}): keep a copy of it, then put back a backup; `juror export` brings out what can still be read", path.display())]
    Corrupt { path: PathBuf, source: rusqlite::Error },
    #[error("another program has been writing to {} for five seconds and more: try again", .0.display())]
    Busy(PathBuf),
    #[error("{} holds something that juror did not write ({reason}): see `juror verify`", path.display())]
    Damaged { path: PathBuf, reason: String },
    #[error("{}: {source}", path.display())]
    Sqlite { path: PathBuf, source: rusqlite::Error },
    #[error("no claim `{0}` in this store")]
    NoSuchClaim(ClaimId),
    #[error("no record `{0}` in this store")]
    NoSuchRecord(AuditId),
    /// The request is not possible in the present state; the sentence says why.
    #[error("{0}")]
    Refused(String),
    /// Other people ruled otherwise, and the request does not say that the person knows.
    #[error("{claim}: {}; yours {}: add --disagree to rule all the same", opposed.said(), opposed.then.sentence())]
    Opposed { claim: ClaimId, opposed: Opposed },
    /// The same of claims in whose place others are to be put: these words on them would not count any more.
    #[error("{}, which would not count any more: add --anyway to do it all the same", SetAside::said(.0))]
    SetAside(Vec<SetAside>),
    #[error("stopped before it was done")]
    Stopped,
    #[error("{}: {}", claim, hold.said(&crate::clock::zone()))]
    Held { claim: ClaimId, hold: Hold },
}

impl StoreError {
    /// Whether what was to be stored is the matter, not the file or who else uses it: asking again
    /// would bring the same.
    pub fn is_about_content(&self) -> bool {
        match self {
            Self::Refused(_) => true,
            Self::Sqlite { source, .. } => matches!(
                source.sqlite_error_code(),
                Some(
                    rusqlite::ErrorCode::ConstraintViolation
                        | rusqlite::ErrorCode::TypeMismatch
                        | rusqlite::ErrorCode::TooBig
                )
            ),
            _ => false,
        }
    }
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
    /// The same record is in the store already.
    Unchanged,
    /// The id is taken by other content, which came from `first_source`.
    Conflict {
        first_source: String,
    },
}

/// A line that another program put into the inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxLine {
    pub id: i64,
    /// As it stands there, text or not; its length in bytes when it is longer than was asked for.
    pub bytes: Result<Vec<u8>, usize>,
}

/// A record that the auditor holds.
#[derive(Debug, Clone, PartialEq)]
pub struct LeasedRecord {
    pub key: RecordKey,
    pub record: Record,
    pub until: Timestamp,
    /// How many auditors had it in hand before and never came back: each was killed, or lost the lease.
    pub lost: u32,
}

impl LeasedRecord {
    /// Whether it may be what killed the auditors that had it in hand. One loss says little: an auditor
    /// has many records in hand, and people kill auditors too.
    pub const fn is_suspect(&self) -> bool {
        self.lost >= 2
    }
}

/// The lease ran out or someone else has it: nothing was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the lease was lost before the result was stored")]
pub struct LeaseLost;

/// One open store.
pub struct Store {
    path: PathBuf,
    durability: Durability,
    reader: Connection,
    /// `None` when opened for reading only. Closed after the reader: the last connection that can
    /// write folds the write-ahead log into the file.
    writer: Option<Connection>,
    /// Its place in the line of those who store in bulk.
    turn: Option<Turn>,
    /// Whether it is read as it stands, because nothing can be written beside it.
    is_frozen: bool,
    /// The hand that takes claims through it: no other open store has its name. Empty where nothing can be taken.
    hand: String,
    /// The file that was opened, as the system knows it.
    file: Option<(u64, u64)>,
    /// The record read last: records never change, and a reviewer goes through the claims of one.
    last_record: RefCell<Option<Shown>>,
    /// Sets of claims that filters asked for.
    sets: RefCell<find::Sets>,
}

/// A record as it was read, with the hashes of what a person sees of it.
#[derive(Clone)]
struct Shown {
    key: RecordKey,
    record: Arc<Record>,
    /// Without a verdict.
    seen: Seen,
}

impl Store {
    /// The schema that this program reads and writes; an open store always has it.
    pub const SCHEMA: i64 = migrate::KNOWN;

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file is read as it stands, because nothing can be written beside it. Then nothing may
    /// change it meanwhile: that would not be noticed.
    pub fn is_frozen(&self) -> bool {
        self.is_frozen
    }

    /// Changes whenever another connection committed; one cheap look. This store's own commits do
    /// not change it.
    pub fn data_version(&self) -> Result<i64, StoreError> {
        let connection = self.writer.as_ref().unwrap_or(&self.reader);
        connection
            .prepare_cached("PRAGMA data_version")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .map_err(|source| self.told(source.into()))
    }

    /// Begins a writing transaction; waits for other writers up to five seconds.
    fn write(&mut self) -> Fallible<Transaction<'_>> {
        let writer = self
            .writer
            .as_mut()
            .ok_or_else(|| StoreError::Refused("the store was opened for reading only".into()))?;
        Ok(writer.transaction_with_behavior(TransactionBehavior::Immediate)?)
    }

    /// Runs `work` in one writing transaction that is on disk when this returns, whatever the
    /// durability of the rest.
    fn write_full<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> Fallible<T>) -> Result<T, StoreError> {
        let durability = self.durability;
        let line = self.turn.clone();
        let _turn = line.as_ref().map(Turn::wait);
        let result = (|| {
            if durability == Durability::Normal
                && let Some(writer) = &self.writer
            {
                writer.pragma_update(None, "synchronous", "FULL")?;
            }
            self.is_still_there()?;
            let tx = self.write()?;
            let done = work(&tx)?;
            tx.commit()?;
            self.is_still_there()?;
            Ok(done)
        })();
        if durability == Durability::Normal
            && let Some(writer) = &self.writer
        {
            let _ = writer.pragma_update(None, "synchronous", "NORMAL");
        }
        result.map_err(|fault| self.told(fault))
    }

    /// Runs `work` in one writing transaction with the durability the store was opened with.
    fn write_normal<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> Fallible<T>,
    ) -> Result<T, StoreError> {
        let line = self.turn.clone();
        let _turn = line.as_ref().map(Turn::wait);
        let result = (|| {
            self.is_still_there()?;
            let tx = self.write()?;
            let done = work(&tx)?;
            tx.commit()?;
            self.is_still_there()?;
            Ok(done)
        })();
        result.map_err(|fault| self.told(fault))
    }

    /// Runs `work` so that everything it reads from this store comes from one unchanging view of the
    /// file, whatever others write meanwhile.
    pub fn snapshot<T, E: From<StoreError>>(&self, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let told = |fault: rusqlite::Error| E::from(self.told(fault.into()));
        let snapshot = self.reader.unchecked_transaction().map_err(told)?;
        let done = work()?;
        snapshot.commit().map_err(told)?;
        Ok(done)
    }

    /// Runs `work` on one unchanging view of the file; inside [`Store::snapshot`], on that one.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> Fallible<T>) -> Result<T, StoreError> {
        if !self.reader.is_autocommit() {
            return work(&self.reader).map_err(|fault| self.told(fault));
        }
        let result = (|| {
            let snapshot = self.reader.unchecked_transaction()?;
            let found = work(&snapshot)?;
            snapshot.commit()?;
            Ok(found)
        })();
        result.map_err(|fault| self.told(fault))
    }

    /// A file that was removed can be written to as long as it is open, and is gone with the last who has
    /// it open: nothing may be called saved then.
    fn is_still_there(&self) -> Fallible<()> {
        if self.file.is_some() && place::identity(&self.path) != self.file {
            return Err(StoreError::Gone(self.path.clone()).into());
        }
        Ok(())
    }

    fn told(&self, fault: Fault) -> StoreError {
        fault.told(&self.path)
    }
}

/// What can go wrong inside: SQLite's errors get the file's path at the border.
#[derive(Debug)]
enum Fault {
    Sqlite(rusqlite::Error),
    Store(StoreError),
}

impl Fault {
    fn told(self, path: &Path) -> StoreError {
        let fault = match self.of_a_row() {
            Ok(reason) => return StoreError::Damaged { path: path.to_owned(), reason },
            Err(fault) => fault,
        };
        match fault {
            // The memory that all who use the store share is a file beside it, made anew for the first one:
            // without room for it nothing can be read either.
            Self::Sqlite(source) if is_extended(&source, rusqlite::ffi::SQLITE_IOERR_SHMSIZE) => {
                StoreError::DiskFull(path.to_owned())
            }
            Self::Sqlite(source) if is_extended(&source, rusqlite::ffi::SQLITE_IOERR_WRITE) => {
                let source = std::io::Error::other(
                    "writing failed: a quota or the limit of a file's size (`ulimit -f`) is reached, or the disk is \
                     damaged: make room there, or name a file on another disk with --db",
                );
                StoreError::Io { path: path.to_owned(), source }
            }
            Self::Sqlite(source) => match source.sqlite_error_code() {
                Some(ErrorCode::OperationInterrupted) => StoreError::Stopped,
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                    StoreError::Busy(path.to_owned())
                }
                Some(ErrorCode::DiskFull) => StoreError::DiskFull(path.to_owned()),
                Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                    StoreError::ReadOnly(path.to_owned())
                }
                Some(ErrorCode::CannotOpen) => StoreError::CannotOpen(path.to_owned()),
                Some(ErrorCode::DatabaseCorrupt) => StoreError::Corrupt { path: path.to_owned(), source },
                _ => StoreError::Sqlite { path: path.to_owned(), source },
            },
            Self::Store(error) => error,
        }
    }
}

fn is_extended(error: &rusqlite::Error, code: i32) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code == code)
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

type Fallible<T> = Result<T, Fault>;

fn refused<T>(sentence: impl Into<String>) -> Fallible<T> {
    Err(Fault::Store(StoreError::Refused(sentence.into())))
}

#[cfg(test)]
mod tests;
