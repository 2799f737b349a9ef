//! Findings as they are gathered from any number of claims: every dangerous one is kept, and so many of the rest.

use std::cmp::Reverse;

use super::{Findings, Found};
use crate::domain::verdict::{Severity, Verdict};

/// What is kept beside the dangerous ones; the rest are counted.
const MOST: usize = 1000;

/// How bad a finding is.
pub(super) type Rank = (Option<Severity>, Option<Verdict>);

/// Findings, the worst first once they are done.
#[derive(Debug, Clone, Default)]
pub(super) struct Listed {
    dangerous: Vec<(Rank, Found)>,
    rest: Vec<(Rank, Found)>,
    total: u64,
}

impl Listed {
    pub(super) fn add(&mut self, found: Found, rank: Rank) {
        self.total += 1;
        if found.is_dangerous() {
            return self.dangerous.push((rank, found));
        }
        self.rest.push((rank, found));
        if self.rest.len() >= 2 * MOST {
            keep_the_worst(&mut self.rest);
        }
    }

    /// How many there are, those that are not kept included.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    pub(super) fn findings(self, none: &str) -> Findings {
        let Self { mut dangerous, mut rest, total } = self;
        keep_the_worst(&mut rest);
        dangerous.append(&mut rest);
        dangerous.sort_by_key(|(rank, _)| Reverse(*rank));
        Findings {
            none: none.to_owned(),
            total,
            list: dangerous.into_iter().map(|(_, found)| found).collect(),
        }
    }
}

fn keep_the_worst(found: &mut Vec<(Rank, Found)>) {
    found.sort_by_key(|(rank, _)| Reverse(*rank));
    found.truncate(MOST);
}
