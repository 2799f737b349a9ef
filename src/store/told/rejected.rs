//! Lines of followed files that stayed out: counted where somebody looks later, and told once.

use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};

use super::{set, value};
use crate::domain::time::Timestamp;
use crate::store::{Store, StoreError};

/// What the names of the rows of `meta` begin with, one a line.
const PREFIX: &str = "rejected:";
/// The row that counts them.
const COUNT: &str = "rejections";
/// The row with the last of them.
const LAST: &str = "rejection";
/// So many are known again: a file of rubbish must not fill the store.
const KNOWN: i64 = 10_000;

/// A line that stayed out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RejectedLine {
    pub file: String,
    pub line: Option<u64>,
    pub reason: String,
    pub at_ms: i64,
}

impl RejectedLine {
    pub fn at(&self) -> Timestamp {
        Timestamp::from_millis(self.at_ms)
    }

    pub fn place_and_reason(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}: {}", self.file, self.reason),
            None => format!("{}: {}", self.file, self.reason),
        }
    }
}

impl Store {
    /// Keeps that `line` stayed out. Gives whether that is new: the same line of the same file, for the same reason, is
    /// counted and told once, however often the file is read from its beginning.
    pub fn keep_rejected(&mut self, line: &RejectedLine) -> Result<bool, StoreError> {
        let name = format!("{PREFIX}{}", line.place_and_reason());
        let said = serde_json::to_string(line).unwrap_or_default();
        self.write_normal(|tx| {
            let is_known = tx
                .prepare_cached("SELECT 1 FROM meta WHERE name = ?1")?
                .query_row([&name], |_| Ok(()))
                .optional()?
                .is_some();
            if is_known {
                return Ok(false);
            }
            let count = value(tx, COUNT)?.unwrap_or(0);
            set(tx, COUNT, count + 1)?;
            let mut keep = tx.prepare_cached("INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)")?;
            keep.execute(params![LAST, said])?;
            if count < KNOWN {
                keep.execute(params![name, ""])?;
            }
            Ok(true)
        })
    }

    /// How many lines of followed files stayed out, and the last of them.
    pub fn rejected_lines(&self) -> Result<(u64, Option<RejectedLine>), StoreError> {
        self.read(|connection| {
            let count = value(connection, COUNT)?.unwrap_or(0);
            let last: Option<String> = connection
                .prepare_cached("SELECT value FROM meta WHERE name = ?1")?
                .query_row([LAST], |row| row.get(0))
                .optional()?;
            let last = last.and_then(|said| serde_json::from_str(&said).ok());
            Ok((u64::try_from(count).unwrap_or(0), last))
        })
    }

    /// When the last record came in; those of comparisons did not.
    pub fn last_import(&self) -> Result<Option<Timestamp>, StoreError> {
        self.read(|connection| {
            let at: Option<String> = connection
                .prepare_cached("SELECT imported_at FROM record r
                     WHERE NOT EXISTS (SELECT 1 FROM run o WHERE o.record_id = r.id AND o.instrument = 'comparison')
                     ORDER BY id DESC LIMIT 1")?
                .query_row([], |row| row.get(0))
                .optional()?;
            Ok(at.and_then(|at| at.parse().ok()))
        })
    }
}
