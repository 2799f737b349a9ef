//! How keys follow each other, as part of the screen's state: plain data, changed only by `update`.
//!
//! It tells a key that is held down from two strokes, and a text that is typed from commands.

use std::time::Duration;

use crate::domain::ids::ClaimKey;
use crate::domain::severity::Stakes;
use crate::domain::time::Timestamp;

use super::command::Command;
use super::keymap::Key;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Strokes {
    /// The last key, and when it came.
    pub last: Option<(Key, Timestamp)>,
    /// When that key came before, where no other came between.
    pub before: Option<Timestamp>,
    /// When another letter came right before it while nothing was open.
    pub other: Option<Timestamp>,
    /// How long after the key before it came.
    pub gap: Option<Duration>,
    /// The letters that came one right after the other while nothing was open to type them into.
    pub letters: Vec<char>,
    /// How many of them were taken for text and not run.
    pub typed: u32,
    /// A deciding key that may be the first repetition of one that is held down.
    pub unsure: Option<Unsure>,
    /// A key that waits until the judge could be read.
    pub early: Option<Early>,
    /// The blind verdict that was committed last: what it shows may still be on its way.
    pub committed: Option<Committed>,
    /// A verdict that was dropped: what is said next may be meant for another claim.
    pub unheard: Option<Unheard>,
    /// A verdict that was dropped in an open review, and when: a reason right behind it is meant for it.
    pub missed: Option<(Command, Timestamp)>,
}

/// A blind verdict was committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Committed {
    pub claim: ClaimKey,
    pub at: Timestamp,
    /// What was at stake as far as it was known without the judge: the severity that their verdict has follows from it.
    pub stakes: Option<Stakes>,
}

/// A key that keeps a blind verdict and came before the judge could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Early {
    pub claim: ClaimKey,
    pub at: Timestamp,
}

/// A key that ruled on a claim and was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unheard {
    pub claim: ClaimKey,
    pub command: Command,
    pub at: Timestamp,
}

/// A stroke that counts unless others follow it at the pace of a key that repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unsure {
    pub command: Command,
    /// The claim that it is about; it is about no other.
    pub claim: Option<ClaimKey>,
    /// Until when it waits.
    pub due: Timestamp,
    /// The keyboard was listened to once more after that time.
    pub listened: bool,
    /// No other followed: it counts.
    pub is_sure: bool,
}
