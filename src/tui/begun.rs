//! What is being typed or chosen besides notes, as the store keeps it until it is finished.
//!
//! Part of the screen's state: plain data, changed only by `update`.

use crate::domain::decision::Ruling;
use crate::domain::draft::{Draft, DraftKind};
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

/// What of drafts this window knows: what it found in the store when it opened one, and what it asked to be kept since.
/// Where another text stands there, another window of the same person wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ours(Vec<(ClaimKey, DraftKind, String)>);

impl Ours {
    /// `text` was found there, or is on its way there.
    pub fn add(&mut self, claim: ClaimKey, kind: DraftKind, text: &str) {
        self.0.push((claim, kind, text.to_owned()));
    }

    /// The store has `text`: nothing that came before stands there any more.
    pub fn stands(&mut self, claim: ClaimKey, kind: DraftKind, text: &str) {
        let is_of = |known: &(ClaimKey, DraftKind, String)| (known.0, known.1) == (claim, kind);
        let Some(at) = self.0.iter().position(|known| is_of(known) && known.2 == text) else {
            return self.add(claim, kind, text);
        };
        let mut place = 0..;
        self.0.retain(|known| place.next().is_some_and(|place| place >= at) || !is_of(known));
    }

    pub fn knows(&self, claim: ClaimKey, kind: DraftKind, text: &str) -> bool {
        self.0.iter().any(|known| known.0 == claim && known.1 == kind && known.2 == text)
    }

    /// The draft as it may stand in the store.
    pub fn draft(&self, claim: ClaimKey, kind: DraftKind) -> Draft {
        let known = self.0.iter().filter(|known| (known.0, known.1) == (claim, kind));
        Draft { claim, kind, texts: known.map(|known| known.2.clone()).collect() }
    }
}

/// The claim and the kind of what is open, where it is kept.
pub fn open(app: &App) -> Option<(ClaimKey, DraftKind)> {
    match &app.mode {
        Mode::Spans(editor) => Some((editor.menu.claim, DraftKind::Evidence)),
        Mode::Ask(line) => Some((line.key()?, kind(line.question))),
        Mode::Shape(editor) => Some((editor.detail.key, editor.kind())),
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
        Question::Why(_) => DraftKind::Disposition,
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
