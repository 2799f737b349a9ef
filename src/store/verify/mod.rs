//! The proof that nothing was changed: everything that can be recomputed is, and the first bad row of
//! each kind is named.
//!
//! `schema` looks at the file and its guards, `search` at whether what is searched in holds the texts, `texts` at whether texts are texts, `chain` at people's
//! acts, `evidence` at what came in (with `line`, which reads it again) and what judges said, `exchanges` at
//! what models were asked, `calibrations` at what was measured of judges, `comparisons` at those of two versions,
//! `state` and `sums` at everything that is derived from those; `mark` makes one mark of all that came in, was asked and was
//! audited.

mod calibrations;
mod chain;
mod comparisons;
mod evidence;
mod exchanges;
mod line;
mod mark;
mod schema;
mod search;
mod state;
mod sums;
mod texts;

use rusqlite::{Connection, Error, ErrorCode};

use super::{Fallible, Fault, Store, StoreError};

use crate::domain::ids::{AuditId, RecordKey};

pub use mark::ContentMark;
pub(super) use schema::missing_guards;

use mark::Rolled;

/// What a verification found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VerifyReport {
    /// Events in the chain.
    pub events: u64,
    /// The hash of the last event; 64 zeros when there is none. Kept elsewhere, it shows whether the
    /// end was cut off.
    pub head: String,
    /// Notes whose text was erased; their hash remains in the chain.
    pub erased: u64,
    pub records: u64,
    pub claims: u64,
    /// Exchanges with models.
    pub exchanges: u64,
    /// All records, audits and exchanges up to now in one mark; like the head, to be kept elsewhere.
    pub content: ContentMark,
    /// What is wrong, in sentences, at most one of each kind. Empty: all is as it was written.
    pub problems: Vec<String>,
}

impl VerifyReport {
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Collects the first problem of each kind.
#[derive(Default)]
struct Problems {
    kinds: Vec<&'static str>,
    sentences: Vec<String>,
    /// Only one record is looked at, and `texts` does not name what is not UTF-8.
    is_of_record: bool,
}

impl Problems {
    /// Notes a problem, unless one of its kind was noted before.
    fn note(&mut self, kind: &'static str, sentence: impl FnOnce() -> String) {
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
            self.sentences.push(sentence());
        }
    }

    /// Notes a problem when the two are not the same.
    fn same<T: PartialEq>(&mut self, kind: &'static str, a: &T, b: &T, sentence: impl FnOnce() -> String) {
        if a != b {
            self.note(kind, sentence);
        }
    }

    /// Goes on after a row that cannot be read, and names it; only what concerns the whole file is
    /// given back. `name` tells the row.
    fn go_on(
        &mut self,
        read: Fallible<()>,
        kind: &'static str,
        name: impl FnOnce() -> String,
    ) -> Fallible<()> {
        match read {
            // Named by `texts`, which reads every column.
            Err(Fault::Sqlite(Error::Utf8Error(..))) if !self.is_of_record => Ok(()),
            Ok(()) => Ok(()),
            Err(Fault::Sqlite(
                error @ (Error::FromSqlConversionFailure(..)
                | Error::IntegralValueOutOfRange(..)
                | Error::InvalidColumnType(..)
                | Error::Utf8Error(..)
                | Error::QueryReturnedNoRows),
            )) => {
                self.note(kind, || format!("{}: cannot be read ({error})", name()));
                Ok(())
            }
            Err(Fault::Store(error)) => {
                self.note(kind, || format!("{}: cannot be read ({error})", name()));
                Ok(())
            }
            Err(error @ Fault::Sqlite(_)) => Err(error),
        }
    }

    /// Goes on with the other parts when one came upon damaged pages, or lacks a table or column.
    fn part(&mut self, name: &'static str, read: Fallible<()>) -> Fallible<()> {
        if let Err(Fault::Sqlite(error)) = &read
            && matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::Unknown))
        {
            self.note(name, || format!("{name}: not all can be read, the file is damaged ({error})"));
            return Ok(());
        }
        self.go_on(read, name, || name.to_owned())
    }
}

/// What of one record does not agree with its seals: what came in, its audits with their exchanges, and the
/// events about it, each by itself.
pub(super) fn of_record(connection: &Connection, key: RecordKey, id: &AuditId) -> Fallible<Vec<String>> {
    let mut problems = Problems { is_of_record: true, ..Problems::default() };
    evidence::of_record(connection, key, &mut problems)?;
    let read = exchanges::of_record(connection, key, &mut problems);
    problems.part("the exchanges", read)?;
    let read = chain::of_record(connection, key, id, &mut problems);
    problems.part("the events", read)?;
    Ok(problems.sentences)
}

impl Store {
    /// Recomputes hashes, chain and projections on one unchanging view of the file.
    pub fn verify(&self) -> Result<VerifyReport, StoreError> {
        self.verify_against(None)
    }

    /// The same, and whether the store began as it was when `noted` was noted.
    pub fn verify_against(&self, noted: Option<&ContentMark>) -> Result<VerifyReport, StoreError> {
        let mut report = self.read(|connection| {
            let mut report = VerifyReport::default();
            let mut problems = Problems::default();
            let schema = schema::check(connection, &mut problems);
            problems.part("the schema", schema)?;
            texts::check(connection, &mut problems)?;
            let chain = chain::check(connection, &mut report, &mut problems);
            problems.part("the chain of events", chain)?;
            let mut rolled = Rolled::against(noted);
            evidence::check(connection, &mut report, &mut rolled, &mut problems)?;
            report.content = rolled.mark();
            if let Some(noted) = noted
                && !rolled.began_as(noted)
            {
                problems.note("content", || {
                    format!(
                        "the first {} records, {} audits and {} exchanges are not the ones of the content mark \
                         that was noted: some were changed, replaced or taken away, or it is another store's",
                        noted.records, noted.runs, noted.exchanges
                    )
                });
            }
            let calibrations = calibrations::check(connection, &mut problems);
            problems.part("the calibrations", calibrations)?;
            state::check(connection, &mut problems)?;
            let sums = sums::check(connection, &mut problems);
            problems.part("the sums", sums)?;
            let comparisons = comparisons::check(connection, &mut problems);
            problems.part("the comparisons", comparisons)?;
            let index = schema::index(connection, &mut problems);
            problems.part("the search index", index)?;
            report.problems = problems.sentences;
            Ok(report)
        })?;
        let is_named = |index: &str| report.problems.iter().any(|problem| problem.starts_with(index));
        let compared =
            search::check(&self.path, self.is_frozen, is_named).map_err(|fault| self.told(fault))?;
        report.problems.extend(compared);
        Ok(report)
    }

    /// Compares the search index with the texts that it stands for, which [`Store::verify`] does too; what is wrong, in
    /// sentences. Needs room for a copy of the index where temporary files go.
    pub fn compare_search(&self) -> Result<Vec<String>, StoreError> {
        search::check(&self.path, self.is_frozen, |_| false).map_err(|fault| self.told(fault))
    }
}
