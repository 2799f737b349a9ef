//! What is being typed or chosen besides notes, as the store keeps it until it is finished.
//!
//! Part of the screen's state: plain data, changed only by `update`.

use crate::domain::decision::Ruling;
use crate::domain::draft::DraftKind;
use crate::domain::ids::ClaimKey;
use crate::domain::time::Timestamp;

use super::app::{App, Mode, Remark};
use super::ask::{AskLine, Question};
use super::spans::SpanEditor;

/// What the store has of what is being typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    pub claim: ClaimKey,
    pub kind: DraftKind,
    /// As the store has it; `None` where it has nothing.
    pub stored: Option<String>,
    /// When it is to be stored.
    pub due: Option<Timestamp>,
}

/// The claim and the kind of what is open, where it is kept.
pub fn open(app: &App) -> Option<(ClaimKey, DraftKind)> {
    match &app.mode {
        Mode::Spans(editor) => Some((editor.menu.claim, DraftKind::Evidence)),
        Mode::Ask(line) => Some((line.key()?, kind(line.question))),
        Mode::Shape(editor) => Some((editor.detail.key, DraftKind::Claim)),
        Mode::Disposition(dialog) => {
            dialog.remark.as_ref().map(|_| (dialog.detail.key, DraftKind::Disposition))
        }
        _ => None,
    }
}

pub const fn kind(question: Question) -> DraftKind {
    match question {
        Question::Defer { .. } => DraftKind::Deferral,
        Question::Escalate { .. } => DraftKind::Escalation,
    }
}

/// What is open as it is kept; `None` where there is nothing to keep, or it is on its way to be recorded.
pub fn text(app: &App) -> Option<String> {
    match &app.mode {
        Mode::Spans(editor) => spans(editor),
        Mode::Ask(line) => Some(AskLine::content(line)).filter(|text| !text.trim().is_empty()),
        Mode::Disposition(dialog) => {
            dialog.remark.as_ref().map(Remark::content).filter(|text| !text.trim().is_empty())
        }
        Mode::Shape(editor) => editor.kept(),
        _ => None,
    }
}

/// The ruling that the spans would become.
fn spans(editor: &SpanEditor) -> Option<String> {
    let ruling = Ruling { evidence: Some(editor.chosen()), ..editor.menu.ruling() };
    editor.is_changed().then(|| serde_json::to_string(&ruling).ok())?
}

/// Whether it is on its way to be recorded: what becomes of it the store's answer decides.
pub fn is_sent(app: &App) -> bool {
    match &app.mode {
        Mode::Spans(_) => app.saving.is_some(),
        Mode::Ask(line) => line.sent,
        Mode::Disposition(dialog) => dialog.remark.as_ref().is_some_and(|remark| remark.sent),
        Mode::Shape(editor) => editor.sent,
        _ => false,
    }
}
