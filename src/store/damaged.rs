//! Rows that cannot be read: told apart from a file that cannot, so that one of them never keeps the
//! others from being read.

use std::fmt;

use rusqlite::Error;
use rusqlite::types::FromSqlError;

use super::Fault;
use crate::domain::ids::ClaimId;

/// A row that juror did not write so, or that was damaged since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damaged {
    /// Which one, as far as it can be told: `claim rx-1#1`, `event 3`.
    pub what: String,
    /// The claim, where it is one.
    pub claim: Option<ClaimId>,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is damaged ({}): see `juror verify`, and put back a backup", self.what, self.reason)
    }
}

/// What is wrong with something that has lost a row.
pub(super) const MISSING: &str = "a part of it is missing";

const NO_TEXT: &str = "a text that is not UTF-8";

impl Fault {
    /// What is wrong with the row that was read; the fault itself when it is not about one row.
    pub(super) fn of_a_row(self) -> Result<String, Self> {
        match self {
            Self::Sqlite(Error::Utf8Error(..)) => Ok(NO_TEXT.to_owned()),
            Self::Sqlite(Error::FromSqlConversionFailure(_, _, reason)) => {
                let is_no_text = matches!(reason.downcast_ref(), Some(FromSqlError::Utf8Error(_)));
                Ok(if is_no_text { NO_TEXT.to_owned() } else { reason.to_string() })
            }
            Self::Sqlite(Error::IntegralValueOutOfRange(_, number)) => {
                Ok(format!("{number}, where no such number can stand"))
            }
            Self::Sqlite(Error::InvalidColumnType(_, column, kind)) => {
                Ok(format!("{column} holds {kind}, which is not its kind"))
            }
            Self::Sqlite(Error::QueryReturnedNoRows) => Ok(MISSING.to_owned()),
            fault => Err(fault),
        }
    }
}
