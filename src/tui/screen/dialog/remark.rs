//! The words beside a disposition, below the answer that they are about.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::decision::Disposition;
use crate::tui::app::{App, Remark};
use crate::tui::command::{Command, Place};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::phrase::Phrase;
use crate::tui::widget::text_box;

/// Rows for the words.
pub(super) const ROWS: u16 = 3;

/// What is asked for, and how to leave it out unless the words are wanted; in the longest form that fits.
pub(super) fn question(app: &App, remark: &Remark, is_wanted: bool, width: u16) -> Vec<Phrase> {
    let (verb, asked) = match remark.disposition {
        Disposition::Block => ("Block", "why must it not be used?"),
        Disposition::Return => ("Return", "what is to be corrected?"),
        Disposition::Release => ("Release", "why may it be used after all?"),
    };
    let key = app.settings.keymap.label(Command::ApplyLine, Place::Ask);
    let head = Phrase::new().say(Role::Title, verb).say(Role::Text, format!(": {asked} "));
    if remark.sent {
        return vec![head.say(Role::Muted, "saving…")];
    }
    let verb = verb.to_lowercase();
    let forms = if is_wanted {
        [format!(" {verb}s it, with your words"), format!(" {verb}s it, with words"), format!(" {verb}s it")]
    } else {
        [
            format!(" {verb}s it, with your words or with none"),
            format!(" {verb}s it, words or none"),
            " or no words".to_owned(),
        ]
    };
    let hints = forms.map(|form| head.clone().say(Role::Key, key.clone()).say(Role::Muted, form));
    let fitting = hints.iter().find(|hint| hint.width() <= width).or(hints.last());
    vec![fitting.cloned().unwrap_or(head)]
}

pub(super) fn draw(remark: &Remark, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let room = Rect { x: area.x + 2, width: area.width.saturating_sub(2).min(110), ..area };
    text_box::draw(&remark.text, room, buf, theme);
}
