//! Quick looks for somebody who asks what is wrong: nothing here reads more than a few rows.

use rusqlite::OptionalExtension;

use super::verify::missing_guards;
use super::{Store, StoreError};
use crate::domain::ids::RecordKey;

/// Lines of the inbox that are not records.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InboxRejects {
    /// All of them.
    pub count: u64,
    /// The first ones, as `(id, reason)`.
    pub first: Vec<(i64, String)>,
}

impl Store {
    /// Lines that were put into the inbox and stay there because they are no records; at most `limit`
    /// are listed.
    pub fn inbox_rejects(&self, limit: usize) -> Result<InboxRejects, StoreError> {
        self.read(|connection| {
            let count: u32 = connection
                .prepare_cached("SELECT count(*) FROM inbox WHERE error IS NOT NULL")?
                .query_row([], |row| row.get(0))?;
            let mut statement = connection
                .prepare_cached("SELECT id, error FROM inbox WHERE error IS NOT NULL ORDER BY id LIMIT ?1")?;
            let first = statement.query_map([limit as i64], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(InboxRejects { count: count.into(), first: first.collect::<rusqlite::Result<_>>()? })
        })
    }

    /// The triggers that guard the evidence and are missing, changed or not juror's own, in sentences.
    pub fn missing_guards(&self) -> Result<Vec<String>, StoreError> {
        self.read(missing_guards)
    }

    /// How many claims the audits of a record brought, numbered from 1; `None` before the first audit.
    pub fn claims_of(&self, record: RecordKey) -> Result<Option<u32>, StoreError> {
        self.read(|connection| {
            let audited = connection
                .prepare_cached("SELECT 1 FROM work WHERE record_id = ?1 AND run_id IS NOT NULL")?
                .query_row([record.0], |_| Ok(()))
                .optional()?;
            let claims = connection
                .prepare_cached("SELECT coalesce(max(n), 0) FROM claim WHERE record_id = ?1")?
                .query_row([record.0], |row| row.get(0))?;
            Ok(audited.map(|()| claims))
        })
    }
}
