//! Brings lines into the store: one thread reads and parses, the other stores in small transactions.
//!
//! Must not print: it tells what happens to whoever listens.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::reader::{Item, Next, Place, Reader};
use super::source::Input;
use crate::clock::Clock;
use crate::domain::time::Timestamp;
use crate::store::told::RejectedLine;
use crate::store::{ImportPace, Imported, NewRecord, Store, StoreError};

/// How long the store waits for more lines before it takes what it has.
const PATIENCE: Duration = Duration::from_millis(20);

/// Lines that are held back at most, also when hardly any of them is a record.
const MOST_LINES: usize = 10_000;

/// Something to tell a person about a place in the input.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Problem {
    pub file: String,
    /// `null` where it concerns the file as a whole.
    pub line: Option<u64>,
    pub reason: String,
}

/// What happens during an import.
pub enum News {
    /// A line that did not go in, or a file that was not read to its end.
    Error(Problem),
    /// A record that went in, but looks odd.
    Warning(Problem),
    /// How far it is: records so far, and bytes taken from the inputs.
    Progress { totals: Totals, bytes_read: u64 },
    /// A followed file is read as far as it goes; told once.
    CaughtUp(Totals),
    /// Lines that stayed out as they did when the file was followed before; told once, with the first of them.
    Known(Problem),
    /// Another program holds the store; it is tried until that lets go. Told once for each wait.
    Waiting(StoreError),
}

/// What became of the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    pub imported: u64,
    pub unchanged: u64,
    pub rejected: u64,
    /// Files that were not read to their end.
    pub broken_files: u64,
    /// Reading itself broke: what follows in that file, and the files after it, were not looked at.
    pub reader_broke: bool,
}

impl Totals {
    /// Whether all that there was went in.
    pub fn is_clean(self) -> bool {
        self.rejected == 0 && self.broken_files == 0 && !self.reader_broke
    }
}

/// One import: where to, by which clock, who is told, and when to stop.
pub struct Import<'a> {
    pub store: &'a mut Store,
    pub clock: &'a dyn Clock,
    pub tell: &'a mut dyn FnMut(News),
    /// Asked between batches.
    pub stop: &'a dyn Fn() -> bool,
}

impl Import<'_> {
    /// Reads all `inputs` and stores them in batches, each in one transaction of a few tens of
    /// milliseconds. With `follow`, goes on as the one file grows, until told to stop.
    ///
    /// Killed at any moment, it can be started again: what is in the store already stays unchanged.
    pub fn run(self, inputs: Vec<Input>, follow: bool) -> Result<Totals, StoreError> {
        let read = Arc::new(AtomicU64::new(0));
        let mut reader = Reader::start(inputs, follow, Arc::clone(&read));
        let mut work = Work {
            import: self,
            follow,
            read,
            totals: Totals::default(),
            batch: Batch::default(),
            has_caught_up: false,
            has_told_known: false,
        };
        let mut pace = ImportPace::default();
        while !(work.import.stop)() {
            match reader.next(PATIENCE) {
                Next::Items(items) => {
                    for item in items {
                        work.take(item);
                        if pace.is_full(work.batch.records.len(), work.batch.bytes) {
                            pace.took(work.commit()?);
                        } else if work.batch.lines.len() >= MOST_LINES {
                            work.commit()?;
                        }
                    }
                }
                // What came is stored without waiting for more; so short a batch says nothing of the disk.
                Next::Nothing => {
                    work.commit()?;
                    work.caught_up();
                }
                Next::Broken(problem) => {
                    work.totals.reader_broke = true;
                    (work.import.tell)(News::Error(problem));
                    break;
                }
                Next::End => break,
            }
        }
        work.commit()?;
        Ok(work.totals)
    }
}

/// Records that are to be stored together, and what is to be told of them and of the lines between
/// them, in the order of the lines.
#[derive(Default)]
struct Batch {
    records: Vec<NewRecord>,
    lines: Vec<Line>,
    bytes: usize,
}

/// What a line of a batch is.
enum Line {
    /// The next record of the batch.
    Record {
        place: Place,
        warnings: Vec<String>,
    },
    Bad(Problem),
}

struct Work<'a> {
    import: Import<'a>,
    follow: bool,
    read: Arc<AtomicU64>,
    totals: Totals,
    batch: Batch,
    /// Whether it was told that a followed file is read as far as it goes.
    has_caught_up: bool,
    /// Whether it was told that lines stayed out before.
    has_told_known: bool,
}

impl Work<'_> {
    fn caught_up(&mut self) {
        let Totals { imported, unchanged, rejected, .. } = self.totals;
        if self.follow
            && imported + unchanged + rejected > 0
            && !std::mem::replace(&mut self.has_caught_up, true)
        {
            (self.import.tell)(News::CaughtUp(self.totals));
        }
    }

    fn take(&mut self, item: Item) {
        let line = match item {
            Item::Record { parsed, place } => {
                self.batch.bytes += parsed.record.raw.len();
                self.batch.records.push(parsed.record);
                Line::Record { place, warnings: parsed.warnings }
            }
            Item::Rejected(problem) => {
                self.totals.rejected += 1;
                Line::Bad(problem)
            }
            Item::BrokenFile(problem) => {
                self.totals.broken_files += 1;
                Line::Bad(problem)
            }
        };
        self.batch.lines.push(line);
    }

    /// Stores the batch; the answer is how long that took.
    fn commit(&mut self) -> Result<Duration, StoreError> {
        let batch = std::mem::take(&mut self.batch);
        if batch.lines.is_empty() {
            return Ok(Duration::ZERO);
        }
        let (mut took, mut became) = (Duration::ZERO, Vec::new());
        if !batch.records.is_empty() {
            let begun = self.import.clock.now();
            became = self.store(&batch.records, begun)?;
            took = self.import.clock.now().since(begun);
        }
        let mut became = became.into_iter().zip(&batch.records);
        for line in batch.lines {
            match line {
                Line::Bad(problem) => self.stays_out(problem),
                Line::Record { place, warnings } => {
                    for warning in warnings {
                        (self.import.tell)(News::Warning(place.problem(&warning)));
                    }
                    let Some((became, new)) = became.next() else { continue };
                    self.count(became, new, &place);
                }
            }
        }
        let bytes_read = self.read.load(Ordering::Relaxed);
        (self.import.tell)(News::Progress { totals: self.totals, bytes_read });
        Ok(took)
    }

    /// Stores `records`. Who follows a file waits for a store that another program holds, as for a file that is not
    /// there, until told to stop: what that program does ends some time, and nobody may be there to start this again.
    fn store(&mut self, records: &[NewRecord], begun: Timestamp) -> Result<Vec<Imported>, StoreError> {
        let mut is_told = false;
        loop {
            match self.import.store.import(records, begun) {
                Err(busy @ StoreError::Busy(_)) if self.follow && !(self.import.stop)() => {
                    if !std::mem::replace(&mut is_told, true) {
                        (self.import.tell)(News::Waiting(busy));
                    }
                }
                became => return became,
            }
        }
    }

    fn count(&mut self, became: Imported, new: &NewRecord, place: &Place) {
        match became {
            Imported::New => self.totals.imported += 1,
            Imported::Unchanged => self.totals.unchanged += 1,
            Imported::Conflict { first_source } => {
                self.totals.rejected += 1;
                let reason = conflict(new.record.audit_id.as_str(), &first_source);
                self.stays_out(place.problem(&reason));
            }
        }
    }

    /// Tells of a line that stays out. Of a followed file it is kept as well: nobody may be there to read it now, and
    /// whoever starts again must not take it for new.
    fn stays_out(&mut self, problem: Problem) {
        let Problem { file, line, reason } = problem.clone();
        let kept = RejectedLine { file, line, reason, at_ms: self.import.clock.now().millis() };
        let is_new = !self.follow || self.import.store.keep_rejected(&kept).unwrap_or(true);
        if is_new {
            (self.import.tell)(News::Error(problem));
        } else if !std::mem::replace(&mut self.has_told_known, true) {
            (self.import.tell)(News::Known(problem));
        }
    }
}

/// Two records with one id.
pub(super) fn conflict(audit_id: &str, first_source: &str) -> String {
    format!(
        "the audit_id `{audit_id}` is taken by other content, which came from {first_source}: give this one an id of its own"
    )
}
