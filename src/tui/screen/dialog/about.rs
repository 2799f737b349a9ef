//! The words of the claim that something is written about, above it, and of the one that was decided right before:
//! nobody writes on the wrong one unseen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::ids::ClaimKey;
use crate::text::wrap::wrap;
use crate::tui::app::App;
use crate::tui::command::{Command, Place};
use crate::tui::screen::queue::{one_line, short};
use crate::tui::theme::Role;
use crate::tui::widget::phrase::Phrase;

/// Most rows of the words of a claim.
const MOST: u16 = 3;

/// `text` in at most `most` rows of `width` cells; what is left out ends in `…`.
pub(super) fn rows(text: &str, width: u16, most: u16) -> Vec<String> {
    let text = one_line(text);
    let lines = wrap(&text, width);
    let most = usize::from(most);
    let is_cut = lines.len() > most;
    let shown = lines.iter().take(most).enumerate().map(|(at, line)| {
        let words = line.span.of(&text).unwrap_or_default();
        if is_cut && at + 1 == most {
            let room = usize::from(width.saturating_sub(1));
            format!("{}…", short(words.trim_end(), room).trim_end_matches('…'))
        } else {
            words.to_owned()
        }
    });
    shown.collect()
}

/// Draws what is known of `claim` at the top of `room`, and returns what is left below, at least `least` rows.
pub(super) fn draw(
    app: &App,
    (claim, text): (ClaimKey, &str),
    place: Place,
    (room, least): (Rect, u16),
    buf: &mut Buffer,
) -> Rect {
    let other = app.went_on.as_ref().and_then(|went_on| Some((went_on.other(claim, app.detail())?, went_on)));
    let key = app.settings.keymap.label(Command::OtherClaim, place);
    // What is below makes room for the other claim.
    let mut free = room.height.saturating_sub(least) + u16::from(other.is_some());
    let other = other.filter(|_| free > 1).map(|(other, went_on)| {
        let which = if claim == went_on.to { "not" } else { "on the one just decided, not" };
        let head = format!("{which} {} ", one_line(&other.id.to_string()));
        let tail = format!(" · {key} goes there");
        let words = Phrase::new().say(Role::Text, head.as_str()).width()
            + Phrase::new().say(Role::Text, tail.as_str()).width();
        let left = usize::from(room.width.saturating_sub(words));
        Phrase::new()
            .say(Role::Warning, head)
            .say(Role::Muted, short(&one_line(&other.claim_text), left))
            .say(Role::Muted, " · ")
            .say(Role::Key, key.clone())
            .say(Role::Muted, " goes there")
    });
    free = free.saturating_sub(u16::from(other.is_some()));
    let has_rule = free > 2;
    let mut lines: Vec<Phrase> = rows(text, room.width, MOST.min(free.saturating_sub(u16::from(has_rule))))
        .into_iter()
        .map(|line| Phrase::new().say(Role::Focus, line))
        .collect();
    lines.extend(other);
    if has_rule {
        lines.push(Phrase::new().say(Role::Border, "─".repeat(room.width.into())));
    }
    let used = lines.len() as u16;
    for (y, line) in (room.y..room.bottom()).zip(lines) {
        line.draw(Rect { y, height: 1, ..room }, buf, &app.settings.theme);
    }
    Rect { y: room.y + used, height: room.height.saturating_sub(used), ..room }
}
