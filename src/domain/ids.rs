//! Names of things: what a person types and reads, and the row keys behind them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

macro_rules! text_id {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_id!(
    /// The caller's own name for one generated answer with its evidence. Unique in a store.
    AuditId
);
text_id!(
    /// Names a passage inside its record.
    PassageId
);
text_id!(
    /// The person who decides: what they call themselves, stored beside the operating system's user.
    Annotator
);

macro_rules! row_key {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);
    };
}

row_key!(
    /// Row of a record in the store.
    RecordKey
);
row_key!(
    /// Row of a claim in the store.
    ClaimKey
);
row_key!(
    /// Row of an exchange with a model in the store, or its place in another ledger.
    ExchangeKey
);

/// The claim name that people read and type: `AUDIT_ID#n`.
///
/// `n` counts from 1 over all runs of the record and is never used twice, so that a name written
/// in a note today still means the same claim after the record was audited again.
///
/// ```
/// use juror::domain::ids::ClaimId;
/// let id: ClaimId = "rx#7#3".parse().unwrap();
/// assert_eq!((id.audit_id().as_str(), id.n()), ("rx#7", 3));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ClaimId {
    audit_id: AuditId,
    n: u32,
}

impl ClaimId {
    pub fn new(audit_id: AuditId, n: u32) -> Self {
        Self { audit_id, n }
    }

    pub fn audit_id(&self) -> &AuditId {
        &self.audit_id
    }

    pub fn n(&self) -> u32 {
        self.n
    }
}

impl fmt::Display for ClaimId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.audit_id, self.n)
    }
}

impl FromStr for ClaimId {
    type Err = ClaimIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || ClaimIdError(text.to_owned());
        let (audit, n) = text.rsplit_once('#').ok_or_else(wrong)?;
        let n = n.parse::<u32>().map_err(|_| wrong())?;
        if audit.is_empty() || n == 0 {
            return Err(wrong());
        }
        Ok(Self::new(AuditId::new(audit), n))
    }
}

impl Serialize for ClaimId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The text is not of the form `AUDIT_ID#n`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a claim id: expected AUDIT_ID#n, for example rx-1042#3")]
pub struct ClaimIdError(String);
