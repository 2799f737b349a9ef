//! The screens that line 1 names: which one is shown, what each holds, and what the store is asked for it.
//!
//! Plain data, changed only by `update`; [`read`] is what a thread of the store's side does. Whatever screen is shown, the
//! queue stays as it was left. Must not know what a screen looks like.

pub mod compare;
pub mod dashboard;
pub mod support;

use std::sync::Arc;

use crate::domain::time::Timestamp;
use crate::store::{self, Store, StoreError};

use super::app::{App, Mode};
use super::command::Command;

pub use compare::Compare;
pub use dashboard::Dashboard;
pub use support::Support;

/// One of the screens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScreenName {
    #[default]
    Queue,
    Compare,
    Support,
    Dashboard,
}

impl ScreenName {
    /// In the order of line 1.
    pub const ALL: &[Self] = &[Self::Queue, Self::Compare, Self::Support, Self::Dashboard];

    /// As line 1 names it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Queue => "Queue",
            Self::Compare => "Compare",
            Self::Support => "Support",
            Self::Dashboard => "Dashboard",
        }
    }

    /// The way back to it, in two words.
    pub const fn back(self) -> &'static str {
        match self {
            Self::Queue => "to queue",
            Self::Compare => "to Compare",
            Self::Support => "to Support",
            Self::Dashboard => "to Dashboard",
        }
    }

    /// The screen that `command` shows.
    pub const fn shown_by(command: Command) -> Option<Self> {
        match command {
            Command::ShowQueue => Some(Self::Queue),
            Command::ShowCompare => Some(Self::Compare),
            Command::ShowSupport => Some(Self::Support),
            Command::ShowDashboard => Some(Self::Dashboard),
            _ => None,
        }
    }

    /// The screen so many further on line 1, round and round.
    #[must_use]
    pub fn beside(self, by: isize) -> Self {
        let at = Self::ALL.iter().position(|name| *name == self).unwrap_or(0);
        let count = Self::ALL.len();
        Self::ALL[(at + count).saturating_add_signed(by) % count]
    }
}

/// Which screen is shown, and what those beside the queue hold.
#[derive(Debug, Clone, Default)]
pub struct Screens {
    pub shown: ScreenName,
    /// Number of the question that is not answered yet, if any; other answers are stale.
    pub asked: Option<u64>,
    /// The store changed since that was asked: it is asked once more.
    pub is_stale: bool,
    /// When it was asked last.
    pub asked_at: Option<Timestamp>,
    /// The screen from which a claim of the queue was gone to: the way back.
    pub from: Option<ScreenName>,
    pub compare: Compare,
    pub support: Support,
    pub dashboard: Dashboard,
}

impl App {
    /// The screen that has line 2 to the last but one: another than the queue only while nothing of the queue lies over
    /// it.
    pub const fn screen(&self) -> ScreenName {
        match self.mode {
            Mode::Normal | Mode::Palette(_) | Mode::Help { .. } => self.screens.shown,
            _ => ScreenName::Queue,
        }
    }
}

/// What a screen wants to know of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    Compare(compare::Question),
    Support(support::Question),
    Dashboard(dashboard::Question),
}

/// What the store has to say to it.
#[derive(Debug, Clone)]
pub enum Reply {
    Compare(compare::Reply),
    Support(Arc<support::Reply>),
    Dashboard(Arc<store::Dashboard>),
}

/// Reads it. Off the screen's thread: there may be much of it.
pub fn read(store: &Store, question: Question) -> Result<Reply, StoreError> {
    Ok(match question {
        Question::Compare(question) => Reply::Compare(compare::read(store, &question)?),
        Question::Support(question) => Reply::Support(support::read(store, &question)?),
        Question::Dashboard(question) => Reply::Dashboard(dashboard::read(store, &question)?),
    })
}
