//! What stands on the screen, and since when: a key acts only on what could be read before it was struck.
//!
//! Part of the screen's state: plain data, changed only by `update`. Must not know what the keys do.

use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use crate::domain::time::Timestamp;

use super::command::Place;

/// What a key acts on: a part of the screen, and all of it that has to have been read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stake {
    pub part: Part,
    /// A hash of what has to have been read. Text that is typed is none of it: who types has it before their eyes.
    content: u64,
}

/// A part of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The claim under the cursor.
    Claim,
    /// What lies over the review and has the keyboard.
    Box(Place),
    /// What was said first, and waits for the same key again.
    Question,
}

impl Stake {
    pub fn new(part: Part, content: &impl Debug) -> Self {
        let mut hasher = DefaultHasher::new();
        format!("{content:?}").hash(&mut hasher);
        Self { part, content: hasher.finish() }
    }
}

/// What stood on the last frame, each with the time since which it stands there.
#[derive(Debug, Clone)]
pub struct InView<T>(Vec<(T, Timestamp)>);

impl<T> Default for InView<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: PartialEq> InView<T> {
    /// A frame with `shown` on it can be seen from `at` on. What stood on the one before keeps its time.
    pub fn drawn(&mut self, shown: impl IntoIterator<Item = T>, at: Timestamp) {
        let before = std::mem::take(&mut self.0);
        let since = |one: &T| {
            let known = before.iter().find(|(known, _)| known == one);
            // Somebody set the clock back: the time to look begins again.
            known.map_or(at, |(_, since)| (*since).min(at))
        };
        self.0 = shown
            .into_iter()
            .map(|one| {
                let since = since(&one);
                (one, since)
            })
            .collect();
    }

    /// Time in which nobody listened to the keyboard is no time to look.
    pub fn shift(&mut self, by: Duration, now: Timestamp) {
        for (_, since) in &mut self.0 {
            *since = since.plus(by).min(now).max(*since);
        }
    }

    /// Other things are, or were, on the screen: all of it has to be looked at anew.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Since when `one` stands there.
    pub fn since(&self, one: &T) -> Option<Timestamp> {
        self.0.iter().find(|(known, _)| known == one).map(|(_, since)| *since)
    }

    /// Whether `one` has stood there for `least`; where that is zero, nothing has to.
    pub fn was(&self, one: &T, least: Duration, now: Timestamp) -> bool {
        least.is_zero() || self.since(one).is_some_and(|since| since <= now && now.since(since) >= least)
    }

    /// All that has stood there for `least`.
    pub fn long(&self, least: Duration, now: Timestamp) -> impl Iterator<Item = &T> {
        self.0.iter().filter(move |(_, since)| now.since(*since) >= least).map(|(one, _)| one)
    }
}
