//! While another list, or another claim, is on its way, what decides, writes or marks would act on the old claim: it
//! does nothing, and says so.

use crate::domain::time::Timestamp;
use crate::tui::app::App;
use crate::tui::command::{Command, Place};

/// Whether `command` is dropped because the claim under the cursor is not the one that was asked for.
pub(super) fn drops(app: &mut App, command: Command, now: Timestamp) -> bool {
    if !is_about_the_claim(command) {
        return false;
    }
    let Some(why) = hindrance(app) else { return false };
    super::dropped(app, &why, now);
    true
}

/// Why nothing can be done to the claim under the cursor now.
pub(super) fn hindrance(app: &App) -> Option<String> {
    let is_new = app.found.as_ref().is_some_and(|found| found.is_new);
    if is_new && app.queue.asked.is_none() {
        let key = app.settings.keymap.label(Command::ClearFilter, Place::Review);
        return Some(format!("the new list could not be read, {key} shows the whole queue"));
    }
    if is_new {
        return Some(format!("{}the new list is still being read", super::PRESS_AGAIN));
    }
    (app.queue.going || app.queue.to_end)
        .then(|| format!("{}the claim that you asked for is still being read", super::PRESS_AGAIN))
}

/// Whether the command decides, writes, marks, copies or opens something about the claim under the cursor.
pub(super) const fn is_about_the_claim(command: Command) -> bool {
    command.concerns_claim()
        || matches!(
            command,
            Command::Mark
                | Command::MarkRange
                | Command::ActOnMarked
                | Command::Dispose
                | Command::BlockAnswer
                | Command::StayWithAnswer
                | Command::CopyClaim
                | Command::CopySpan
                | Command::CopyId
                | Command::CopyRecord
                | Command::Exchanges
                | Command::Story
                | Command::WhyHere
        )
}
