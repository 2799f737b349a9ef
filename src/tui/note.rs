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

/// What is being written beside the disposition of an answer.
#[derive(Debug, Clone)]
pub struct Remark {
    pub disposition: Disposition,
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
    /// A note that is open and that the store has neither as a note nor as a draft.
    pub fn unsaved_note(&self) -> Option<(ClaimId, String)> {
        let Mode::Note(editor) = &self.mode else { return None };
        let text = editor.content();
        (text != editor.stored && !text.trim().is_empty()).then(|| (editor.id.clone(), text))
    }
}
