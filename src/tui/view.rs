//! How much of the screen the claim in hand has. Part of the screen's state: plain data, changed only by `update`.

use super::app::{App, Mode};

/// How much of the screen the claim has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// The queue stands beside it.
    #[default]
    Beside,
    /// All of it, with the text that has the focus as large as it goes.
    Wide,
    /// All of it, with claim and evidence side by side and what differs.
    Differences,
}

impl App {
    /// How much of the screen the claim has now: all of it only while nothing lies over it.
    pub fn view_now(&self) -> View {
        match self.mode {
            Mode::Normal if self.claim.is_some() => self.view,
            _ => View::Beside,
        }
    }
}
