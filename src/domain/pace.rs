//! How fast a person decides, and so how long the rest will take them.
//!
//! Each person is measured by themselves alone. Must not know what is decided, only when and how severe it was.

use std::time::Duration;

use super::queue::QueueCounts;
use super::time::Timestamp;
use super::verdict::Severity;

/// Claims that take about as long: a CRITICAL one is not read like the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Band {
    Critical,
    High,
    Other,
}

impl Band {
    pub const fn of(severity: Option<Severity>) -> Self {
        match severity {
            Some(Severity::Critical) => Self::Critical,
            Some(Severity::High) => Self::High,
            _ => Self::Other,
        }
    }
}

/// How fast one person decides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pace {
    /// When the last decision was made, or the session began.
    pub last: Option<Timestamp>,
    /// Time taken for each of the latest decisions.
    pub taken: Vec<(Band, Duration)>,
    /// Claims decided in this session.
    pub session: u64,
    /// CRITICAL claims decided one after the other, each in less than [`Pace::HURRY`].
    hurried: u32,
}

impl Pace {
    /// How many of the latest decisions count.
    pub const WINDOW: usize = 200;
    /// A longer pause was no thinking about a claim.
    pub const LONGEST: Duration = Duration::from_mins(5);
    /// Whoever decides a CRITICAL claim in less has hardly read it.
    pub const HURRY: Duration = Duration::from_secs(2);
    /// So many of these in a row are worth a word.
    pub const RUN: u32 = 5;

    /// A session that begins at `now`.
    pub fn begun(now: Timestamp) -> Self {
        Self { last: Some(now), ..Self::default() }
    }

    /// Of decisions made earlier, oldest first.
    pub fn of(decisions: impl IntoIterator<Item = (Timestamp, Option<Severity>)>) -> Self {
        let mut pace = Self::default();
        for (at, severity) in decisions {
            pace.decided(Band::of(severity), at);
        }
        Self { taken: pace.taken, ..Self::default() }
    }

    /// The same session, with what is known of earlier ones.
    pub fn remember(&mut self, earlier: Self) {
        let own = std::mem::replace(&mut self.taken, earlier.taken);
        self.taken.extend(own);
        let over = self.taken.len().saturating_sub(Self::WINDOW);
        self.taken.drain(..over);
    }

    /// Notes a decision made at `now`. Whether a run of CRITICAL claims was just decided in a hurry.
    pub fn decided(&mut self, band: Band, now: Timestamp) -> bool {
        self.session += 1;
        let Some(last) = self.last.replace(now) else { return false };
        let took = now.since(last);
        if took <= Self::LONGEST {
            if self.taken.len() == Self::WINDOW {
                self.taken.remove(0);
            }
            self.taken.push((band, took));
        }
        self.hurried = if band == Band::Critical && took < Self::HURRY { self.hurried + 1 } else { 0 };
        self.hurried == Self::RUN
    }

    /// The latest decision was on a claim that had been decided: there are no more decided claims by it.
    pub fn again(&mut self) {
        self.session = self.session.saturating_sub(1);
    }

    /// Something was done that says nothing about the time that one decision takes: the next begins at `now`.
    pub fn pause(&mut self, now: Timestamp) {
        self.last = Some(now);
    }

    /// The median time of a decision on claims of this band; of all claims, where there are less than three of
    /// it; `None` before three decisions at all.
    pub fn median(&self, band: Band) -> Option<Duration> {
        let own = self.taken.iter().filter(|(of, _)| *of == band).map(|(_, took)| *took).collect();
        middle(own).or_else(|| middle(self.taken.iter().map(|(_, took)| *took).collect()))
    }

    /// The median time of a decision on any claim; `None` before three decisions.
    pub fn each(&self) -> Option<Duration> {
        middle(self.taken.iter().map(|(_, took)| *took).collect())
    }

    /// How long what is open takes at this pace; `None` before three decisions, or when nothing is open.
    pub fn left(&self, counts: &QueueCounts) -> Option<Duration> {
        let other = counts.open.saturating_sub(counts.open_critical + counts.open_high);
        let bands =
            [(Band::Critical, counts.open_critical), (Band::High, counts.open_high), (Band::Other, other)];
        let mut left = Duration::ZERO;
        for (band, open) in bands {
            left = left
                .saturating_add(self.median(band)?.saturating_mul(u32::try_from(open).unwrap_or(u32::MAX)));
        }
        (counts.open > 0).then_some(left)
    }
}

fn middle(mut taken: Vec<Duration>) -> Option<Duration> {
    taken.sort_unstable();
    (taken.len() >= 3).then(|| taken[taken.len() / 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    #[test]
    fn each_severity_has_its_own_median() {
        let mut pace = Pace::begun(at(0));
        let mut now = 0;
        for (band, took) in
            [(Band::Critical, 40), (Band::Critical, 60), (Band::Critical, 50), (Band::Other, 10)]
        {
            now += took;
            assert!(!pace.decided(band, at(now)));
        }
        assert_eq!(pace.median(Band::Critical), Some(Duration::from_secs(50)));
        assert_eq!(pace.median(Band::Other), Some(Duration::from_secs(50)), "one of them says nothing yet");
        let counts = QueueCounts { open: 5, open_critical: 2, ..QueueCounts::default() };
        assert_eq!(pace.left(&counts), Some(Duration::from_secs(250)));
        for _ in 0..2 {
            now += 10;
            pace.decided(Band::Other, at(now));
        }
        assert_eq!(pace.left(&counts), Some(Duration::from_secs(130)));
        assert_eq!(pace.left(&QueueCounts::default()), None);
        assert_eq!(pace.session, 6);
    }

    #[test]
    fn what_is_known_of_earlier_sessions_counts_and_pauses_do_not() {
        let earlier = Pace::of([0, 10, 20, 4000, 4030].map(|second| (at(second), None)));
        assert_eq!((earlier.taken.len(), earlier.session), (3, 0));
        let mut pace = Pace::begun(at(9000));
        pace.remember(earlier);
        assert_eq!(pace.median(Band::High), Some(Duration::from_secs(10)));
    }

    #[test]
    fn a_run_of_hurried_critical_claims_is_noticed_once() {
        let mut pace = Pace::begun(at(0));
        let noticed: Vec<bool> = (1..=8).map(|second| pace.decided(Band::Critical, at(second))).collect();
        assert_eq!(noticed.iter().position(|noticed| *noticed), Some(4));
        assert_eq!(noticed.iter().filter(|noticed| **noticed).count(), 1);
        pace.decided(Band::Critical, at(60));
        assert!((61..65).all(|second| !pace.decided(Band::Critical, at(second))), "a run begins anew");
        assert!(!(0..9).any(|second| pace.decided(Band::High, at(100 + second))));
    }
}
