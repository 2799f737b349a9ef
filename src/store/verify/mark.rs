//! A mark of everything that came in, was asked of models and was audited up to now: kept elsewhere, it shows a change to any
//! of it, also to what nobody has decided on and with all hashes made anew.
//!
//! Records, runs and exchanges are only ever added, so the mark of an earlier moment can be made again from the
//! first of them.

use std::fmt;
use std::str::FromStr;

use crate::domain::event::{GENESIS, sha256_hex};

/// How many records, runs and exchanges there were, and the hash over their seals in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentMark {
    pub records: u64,
    pub runs: u64,
    pub exchanges: u64,
    hash: String,
}

impl Default for ContentMark {
    fn default() -> Self {
        Rolled::default().mark()
    }
}

impl fmt::Display for ContentMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}.{}", self.records, self.runs, self.exchanges, self.hash)
    }
}

/// The text is no content mark.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a content mark: expected the one that `juror verify` printed, RECORDS.AUDITS.EXCHANGES.HASH"
)]
pub struct NoMark(String);

impl FromStr for ContentMark {
    type Err = NoMark;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || NoMark(text.to_owned());
        let mut parts = text.trim().split('.');
        let (Some(records), Some(runs), Some(exchanges), Some(hash), None) =
            (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(wrong());
        };
        if hash.len() != 64 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        Ok(Self {
            records: records.parse().map_err(|_| wrong())?,
            runs: runs.parse().map_err(|_| wrong())?,
            exchanges: exchanges.parse().map_err(|_| wrong())?,
            hash: hash.to_ascii_lowercase(),
        })
    }
}

/// The hash over the first seals, and what it was at the number that a noted mark names.
#[derive(Debug, Clone)]
pub(super) struct Chain {
    n: u64,
    hash: String,
    wanted: Option<u64>,
    at_wanted: Option<String>,
}

impl Chain {
    fn new(wanted: Option<u64>) -> Self {
        let at_wanted = (wanted == Some(0)).then(|| GENESIS.to_owned());
        Self { n: 0, hash: GENESIS.to_owned(), wanted, at_wanted }
    }

    pub(super) fn add(&mut self, seal: &str) {
        self.n += 1;
        self.hash = sha256_hex([self.hash.as_str(), seal]);
        if self.wanted == Some(self.n) {
            self.at_wanted = Some(self.hash.clone());
        }
    }
}

/// What rolls up while the evidence is read.
#[derive(Debug, Clone)]
pub(super) struct Rolled {
    pub(super) records: Chain,
    pub(super) runs: Chain,
    pub(super) exchanges: Chain,
}

impl Default for Rolled {
    fn default() -> Self {
        Self::against(None)
    }
}

impl Rolled {
    pub(super) fn against(noted: Option<&ContentMark>) -> Self {
        Self {
            records: Chain::new(noted.map(|noted| noted.records)),
            runs: Chain::new(noted.map(|noted| noted.runs)),
            exchanges: Chain::new(noted.map(|noted| noted.exchanges)),
        }
    }

    pub(super) fn mark(&self) -> ContentMark {
        let Self { records, runs, exchanges } = self;
        let hash = sha256_hex([records.hash.as_str(), &runs.hash, &exchanges.hash]);
        ContentMark { records: records.n, runs: runs.n, exchanges: exchanges.n, hash }
    }

    /// Whether the store began as it was when `noted` was noted.
    pub(super) fn began_as(&self, noted: &ContentMark) -> bool {
        match [&self.records, &self.runs, &self.exchanges].map(|chain| &chain.at_wanted) {
            [Some(records), Some(runs), Some(exchanges)] => {
                sha256_hex([records.as_str(), runs, exchanges]) == noted.hash
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_earlier_mark_is_found_again_and_no_other() {
        let mut rolled = Rolled::default();
        assert_eq!(rolled.mark(), ContentMark::default());
        rolled.records.add("a");
        rolled.runs.add("x");
        rolled.exchanges.add("m");
        let noted: ContentMark = rolled.mark().to_string().to_uppercase().parse().unwrap();
        let later = |first: &str, second: &str, third: &str| {
            let mut rolled = Rolled::against(Some(&noted));
            rolled.records.add(first);
            rolled.runs.add(second);
            rolled.exchanges.add(third);
            rolled.records.add("b");
            rolled.began_as(&noted)
        };
        assert!(later("a", "x", "m"));
        assert!(!later("A", "x", "m") && !later("a", "X", "m") && !later("a", "x", "M"));
        assert!(!Rolled::against(Some(&noted)).began_as(&noted), "cut off");
        assert!(Rolled::against(Some(&ContentMark::default())).began_as(&ContentMark::default()));
    }

    #[test]
    fn what_is_no_mark_is_refused() {
        for text in [
            "",
            "1.2",
            "1.2.xyz",
            "1.2.3.4",
            "a.b.c.d",
            &format!("1.0.{GENESIS}"),
            &format!("-1.0.0.{GENESIS}"),
        ] {
            assert!(text.parse::<ContentMark>().is_err(), "{text}");
        }
    }
}
