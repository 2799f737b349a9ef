//! An instant as people and SQL read it: UTC, milliseconds, RFC 3339.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Milliseconds since 1970-01-01T00:00:00Z. Written as `2026-11-29T19:39:41.123Z`, which sorts as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Later by `by`; saturates.
    #[must_use]
    pub fn plus(self, by: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX)))
    }

    /// Time from `earlier` to `self`, zero when `earlier` is in fact later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(instant) => write!(f, "{instant:.3}"),
            Err(_) => write!(f, "{}ms", self.0),
        }
    }
}

impl FromStr for Timestamp {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.parse::<jiff::Timestamp>()?.as_millisecond()))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_form_round_trips_and_sorts() {
        let a = Timestamp::from_millis(1_780_000_000_000);
        let b = a.plus(Duration::from_millis(1));
        assert_eq!(a.to_string(), "2026-05-28T20:26:40.000Z");
        assert_eq!(a.to_string().parse::<Timestamp>().unwrap(), a);
        assert!(a.to_string() < b.to_string());
        assert_eq!(b.since(a), Duration::from_millis(1));
        assert_eq!(a.since(b), Duration::ZERO);
    }
}
