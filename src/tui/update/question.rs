//! What is said first and done by the same key again: it counts only once it could be read.

use std::time::Duration;

use crate::domain::time::Timestamp;
use crate::tui::app::{App, ToastKind};
use crate::tui::command::{Command, Place};
use crate::tui::in_view::{Part, Stake};
use crate::tui::question::{Asks, Question};

/// How long a question stands: whoever reads the evidence meanwhile finds it there.
const ASKED: Duration = Duration::from_secs(30);

/// Warns by `text` that the same key again means what `asks` says. A question before is not asked any more.
pub(super) fn ask(app: &mut App, asks: Asks, text: String, now: Timestamp) {
    super::warn(app, text.clone(), now);
    stands(app, asks, text, now);
}

/// `text` was just said, and the same key again means what `asks` says.
pub(super) fn stands(app: &mut App, asks: Asks, text: String, now: Timestamp) {
    let until = now.plus(ASKED);
    // It stands as long as the question does.
    if let Some(toast) = app.toast.as_mut().filter(|toast| toast.text.ends_with(&text)) {
        toast.until = Some(until);
    }
    app.question = Some(Question { asks, text, until });
}

/// What is asked, if anything is.
pub(super) fn asked(app: &App) -> Option<&Asks> {
    app.question.as_ref().map(|question| &question.asks)
}

/// The question as it stands on the screen; none while something else is said in its place.
pub(super) fn stake(app: &App) -> Option<Stake> {
    let question = app.question.as_ref()?;
    let is_said = app.toast.as_ref().is_some_and(|toast| toast.text.ends_with(&question.text));
    is_said.then(|| Stake::new(Part::Question, &(&question.asks, &question.text)))
}

/// A command comes while a question stands: only what records can answer it, and only when it could be read. Whether
/// the command is dropped.
pub(super) fn drops(app: &mut App, command: Command, now: Timestamp) -> bool {
    let place = app.place();
    let Some(question) = &app.question else { return false };
    // Whoever goes through the palette still has it before their eyes.
    if command == Command::Palette || place == Place::Palette {
        return false;
    }
    if !command.records_in(place) || now >= question.until {
        // It is not asked any more, so it does not stand there any more.
        app.toast.take_if(|toast| toast.text.ends_with(&question.text));
        app.question = None;
        app.dirty = true;
        return false;
    }
    let least = app.settings.min_visible;
    if least.is_zero() || stake(app).is_some_and(|stake| app.in_view.was(&stake, least, now)) {
        return false;
    }
    let key = super::in_view::key(app, command);
    let until = now.plus(ASKED);
    let Some(question) = &mut app.question else { return false };
    question.until = until;
    // What it asks stands behind it: that is what has to be read.
    let text = format!("too fast: {key} was dropped · {}", question.text);
    super::set_toast(app, text, ToastKind::Warning, Some(until));
    true
}
