//! What the hook was told of: of several screens on one store, one tells it of each arrival.

use rusqlite::{OptionalExtension, params};

use super::{Store, StoreError, queue};
use crate::domain::ids::ClaimKey;
use crate::domain::queue::Arrivals;

/// The row of `meta` with the key of the last claim that was told.
const TOLD: &str = "told";

impl Store {
    /// What arrived after `since` and nobody has told the hook of, with at most `most` ids; `None` when somebody has.
    /// Whoever gets it is the one to tell: the same arrivals are given out once.
    ///
    /// They are given out before they are told. Who dies in between leaves them untold, which is better than a
    /// second screen that calls people again for what they know.
    pub fn take_untold(&mut self, since: ClaimKey, most: usize) -> Result<Option<Arrivals>, StoreError> {
        self.write_normal(|tx| {
            let told: i64 = tx
                .prepare_cached("SELECT CAST(value AS INTEGER) FROM meta WHERE name = ?1")?
                .query_row([TOLD], |row| row.get(0))
                .optional()?
                .unwrap_or(0);
            let arrivals = queue::arrivals(tx, Some(ClaimKey(told.max(since.0))), most)?;
            if arrivals.critical + arrivals.high == 0 {
                return Ok(None);
            }
            tx.prepare_cached(
                "INSERT INTO meta (name, value) VALUES (?1, ?2)
                 ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            )?
            .execute(params![TOLD, arrivals.last.0.to_string()])?;
            Ok(Some(arrivals))
        })
    }
}
