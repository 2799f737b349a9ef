//! What a person should look at: claims that became worse, items that went wrong.

use serde::{Deserialize, Serialize};

use crate::domain::verdict::Severity;

/// What was found, the worst first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// What is said when there is none.
    pub none: String,
    /// How many there are, those that are not listed included.
    pub total: u64,
    pub list: Vec<Found>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// Where to find it: an item's or a claim's id.
    pub id: String,
    pub severity: Option<Severity>,
    /// What became of it: `CONTRADICTED`.
    pub label: String,
    /// The claim, in its own words.
    pub text: String,
    /// What else there is to know.
    pub details: Vec<Detail>,
}

/// Something to know about a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detail {
    /// What it is: `evidence`.
    pub name: String,
    pub text: String,
}

impl Detail {
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}

impl Found {
    /// Whether no form of a report may leave it away.
    pub fn is_dangerous(&self) -> bool {
        self.severity >= Some(Severity::High)
    }
}

impl Findings {
    /// Those that are told in a form with room for so many: the first ones, and every dangerous one.
    pub fn told(&self, room: usize) -> impl Iterator<Item = &Found> {
        self.list
            .iter()
            .enumerate()
            .filter(move |(at, found)| *at < room || found.is_dangerous())
            .map(|(_, found)| found)
    }

    /// What is said of those that are not told; where findings have no severity there is nothing to say of it.
    pub fn others(&self, more: u64) -> String {
        let grave = if self.list.iter().any(|found| found.severity.is_some()) {
            ", none CRITICAL or HIGH"
        } else {
            ""
        };
        format!("and {more} more{grave}, which the JSON lists")
    }

    /// How many are not listed.
    pub fn unlisted(&self) -> u64 {
        self.total.saturating_sub(self.list.len() as u64)
    }
}
