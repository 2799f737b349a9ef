//! Who works with the store at present: who audits, who calls people, who brings records in. Whether they still live
//! is not for the store to say.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use crate::domain::time::Timestamp;
use crate::store::{Store, StoreError};

/// What the names of these rows of `meta` begin with.
const PREFIX: &str = "present:";

/// What a program does with the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Work {
    /// The review screen.
    Screen,
    /// `juror audit`, until nothing waits.
    Audit,
    /// `juror audit --watch`.
    Watch,
    /// `juror import --follow`.
    Follow,
}

impl Work {
    /// The command that does it.
    pub const fn command(self) -> &'static str {
        match self {
            Self::Screen => "juror",
            Self::Audit => "juror audit",
            Self::Watch => "juror audit --watch",
            Self::Follow => "juror import --follow",
        }
    }
}

/// A program that works with the store, as it said when it began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Present {
    /// Tells its process apart from all others.
    pub holder: String,
    pub work: Work,
    pub audits: bool,
    /// Whether it runs the hook.
    pub pages: bool,
    pub since_ms: i64,
}

impl Present {
    pub fn since(&self) -> Timestamp {
        Timestamp::from_millis(self.since_ms)
    }
}

impl Store {
    /// Says that this program is there.
    pub fn enter(&mut self, present: &Present) -> Result<(), StoreError> {
        let said = serde_json::to_string(present).unwrap_or_default();
        self.write_normal(|tx| {
            tx.prepare_cached("INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)")?
                .execute(params![format!("{PREFIX}{}", present.holder), said])?;
            Ok(())
        })
    }

    /// Says that these are gone.
    pub fn leave(&mut self, holders: &[&str]) -> Result<(), StoreError> {
        if holders.is_empty() {
            return Ok(());
        }
        self.write_normal(|tx| {
            for holder in holders {
                tx.prepare_cached("DELETE FROM meta WHERE name = ?1")?
                    .execute([format!("{PREFIX}{holder}")])?;
            }
            Ok(())
        })
    }

    /// How many records wait to be audited.
    pub fn waiting(&self) -> Result<u64, StoreError> {
        self.read(|connection| {
            let waiting: i64 =
                connection.prepare_cached("SELECT waiting FROM counts")?.query_row([], |row| row.get(0))?;
            Ok(u64::try_from(waiting).unwrap_or(0))
        })
    }

    /// Everybody who said that they are there and not that they are gone, the first first.
    pub fn present(&self) -> Result<Vec<Present>, StoreError> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT value FROM meta WHERE name >= 'present:' AND name < 'present;'")?;
            let said = statement.query_map([], |row| row.get::<_, String>(0))?;
            // What another version wrote and this one cannot read says nothing.
            let mut all: Vec<Present> =
                said.filter_map(|text| text.ok().and_then(|text| serde_json::from_str(&text).ok())).collect();
            all.sort_by_key(|present| present.since_ms);
            Ok(all)
        })
    }
}
