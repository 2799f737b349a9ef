//! A note that is being written, as part of the screen's state: plain data, changed only by `update`.

use std::sync::Arc;

use tui_textarea::TextArea;

use crate::domain::decision::Disposition;
use crate::domain::event::Seen;
use crate::domain::ids::{ClaimId, ClaimKey};
use crate::domain::queue::ClaimDetail;
use crate::domain::time::Timestamp;

use super::app::{App, Mode};

/// The note and its draft.
#[derive(Debug, Clone)]
pub struct NoteEditor {
    pub claim: ClaimKey,
    pub id: ClaimId,
    /// The words of the claim, which stand above the note.
    pub claim_text: String,
    pub text: TextArea<'static>,
    /// What the store has as the draft.
    pub stored: String,
    /// When the draft is to be stored.
    pub due: Option<Timestamp>,
    /// The note as it was sent to the store, whose answer is not there yet.
    pub sent: Option<String>,
    /// Why the note could not be saved; the text is still here.
    pub error: Option<String>,
    /// What the screen showed of the claim when the note was begun; `None` where it showed another one.
    pub seen: Option<Seen>,
}

/// A note that was left, and that the store would not take as a draft: it is tried again until it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unkept {
    pub claim: ClaimKey,
    pub id: ClaimId,
    pub text: String,
    /// When it is tried again.
    pub due: Timestamp,
}

/// What is being written beside the disposition of an answer.
#[derive(Debug, Clone)]
pub struct Remark {
    pub disposition: Disposition,
    /// The claims over which the answer is released, as the person was told.
    pub over: Vec<ClaimId>,
    /// It is released although nobody decided on any claim of it, as the person was told.
    pub unlooked: bool,
    /// One paragraph.
    pub text: TextArea<'static>,
    /// The store was asked, and has not answered yet.
    pub sent: bool,
}

impl Remark {
    pub fn content(&self) -> String {
        self.text.lines().join(" ")
    }
}

impl NoteEditor {
    pub fn content(&self) -> String {
        self.text.lines().join("\n")
    }
}

/// The claim that was just done with, and the one to which the cursor went on by itself.
#[derive(Debug, Clone)]
pub struct WentOn {
    pub from: Arc<ClaimDetail>,
    pub to: ClaimKey,
}

impl WentOn {
    /// Of the two the one that `claim` is not, where it is known; `here` is the claim under the cursor.
    pub fn other<'a>(
        &'a self,
        claim: ClaimKey,
        here: Option<&'a Arc<ClaimDetail>>,
    ) -> Option<&'a Arc<ClaimDetail>> {
        if claim == self.to {
            return Some(&self.from);
        }
        here.filter(|here| claim == self.from.key && here.key == self.to)
    }
}

impl App {
    /// The notes that the store has neither as notes nor as drafts: the one that is open, and those that were left.
    pub fn unsaved_notes(&self) -> Vec<(ClaimId, String)> {
        let open = match &self.mode {
            Mode::Note(editor) => Some((editor.id.clone(), editor.content()))
                .filter(|(_, text)| *text != editor.stored && !text.trim().is_empty()),
            _ => None,
        };
        open.into_iter().chain(self.unkept.iter().map(|left| (left.id.clone(), left.text.clone()))).collect()
    }
}
