//! What a review is started with, and how it may end.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::auditor::AuditorSettings;
use crate::clock::{self, Clock};
use crate::config::{Advance, Hook};
use crate::domain::decision::Actor;
use crate::domain::ids::ClaimId;
use crate::store::StoreError;

use super::app::Settings;
use super::keymap::Keymap;
use super::theme::Theme;

/// Everything that [`run`](super::run) needs.
#[expect(clippy::struct_excessive_bools, reason = "independent settings, not a state machine")]
pub struct ReviewOptions {
    /// The store; created when there is none.
    pub db: PathBuf,
    /// The person at the keyboard.
    pub actor: Actor,
    /// Nobody set that name: it is that of the login.
    pub by_login: bool,
    pub theme: Theme,
    /// Which key means what.
    pub keymap: Keymap,
    /// How long a claim must have been visible before a decision acts on it; zero turns the rule off.
    pub min_visible: Duration,
    /// After which decisions the cursor goes on by itself.
    pub advance: Advance,
    /// Hide the judge and other people until the person has committed a verdict; how many people may judge a claim so.
    pub blind: Option<u8>,
    /// Ring the bell when a CRITICAL claim arrives.
    pub bell: bool,
    /// Notify through the terminal then.
    pub notify: bool,
    /// Take the mouse, which the terminal itself selects text with otherwise.
    pub mouse: bool,
    /// Whom to call when a CRITICAL or HIGH claim arrives.
    pub hook: Option<Hook>,
    /// Why that program cannot be run, where it is known.
    pub hook_trouble: Option<String>,
    /// Audit in the background, so.
    pub auditor: Option<AuditorSettings>,
    /// Why nothing is audited until the person lets the auditor go on; `None` for at once.
    pub hold: Option<String>,
    /// The claim to begin with.
    pub open: Option<ClaimId>,
    /// A throw-away store with sample data.
    pub demo: bool,
    pub clock: Arc<dyn Clock>,
}

impl ReviewOptions {
    pub(super) fn settings(&self) -> Settings {
        Settings {
            annotator: self.actor.annotator.clone(),
            by_login: self.by_login,
            theme: self.theme.clone(),
            min_visible: self.min_visible,
            demo: self.demo,
            bell: self.bell,
            notify: self.notify,
            keymap: self.keymap.clone(),
            zone: clock::zone(),
            advance: self.advance,
            blind: self.blind,
        }
    }
}

/// How a review ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The person quit.
    Quit,
    /// A signal ended it.
    Signal,
    /// The terminal is gone.
    HungUp,
}

/// Why there was no review, or why it broke off.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    #[error(
        "the review needs a terminal that can place text on input and output: without one use `juror review --plain`, in scripts `juror queue` and `juror decide`"
    )]
    NoTerminal,
    #[error("the terminal failed: {0}")]
    Terminal(#[from] io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the store's thread ended unexpectedly: see the log, and `juror verify`")]
    StoreGone,
    #[error("the note on {id} could not be stored: it is kept in {}", path.display())]
    NoteRescued { id: ClaimId, path: PathBuf },
    #[error("the note on {id} could not be stored, nor written to {}: {source}. It said:\n{text}", path.display())]
    NoteLost { id: ClaimId, path: PathBuf, source: io::Error, text: String },
}
