//! The command palette: everything, what was found, what is not possible, and nothing.

use juror::config::ThemeName;
use juror::tui::app::{App, EmptyReason, Mode, QueueState};
use juror::tui::command::{Command, Place};
use juror::tui::palette::{Palette, PaletteEntry, find};

use crate::fixture::*;
use crate::look::*;

/// The palette over `app` with `typed` in it; some commands are not possible.
fn palette(app: App, typed: &str, down: usize) -> App {
    with(app, |app| {
        let mut text = tui_textarea::TextArea::from([typed]);
        text.move_cursor(tui_textarea::CursorMove::End);
        text.set_cursor_line_style(ratatui::style::Style::default());
        let hindrance = |command| match command {
            Command::Reason => Some("no decision yet: a reason belongs to a decision of yours".to_owned()),
            Command::ClearFilter => Some("no filter is set".to_owned()),
            Command::Dispose => Some("2 claims of rx-1041 are still open".to_owned()),
            _ => None,
        };
        let entries: Vec<PaletteEntry> = find(&app.settings.keymap, typed, Place::Review)
            .into_iter()
            .map(|command| PaletteEntry { command, hindrance: hindrance(command) })
            .collect();
        let chosen = entries.get(down).map(|entry| entry.command);
        app.mode =
            Mode::Palette(Box::new(Palette { text, entries, chosen, place: Place::Review, claim: None }));
    })
}

#[test]
fn the_palette_lists_every_command_with_key_and_sentence() {
    four("palette", |theme, w, h| palette(review(theme, w, h), "", 0));
    four("palette-down", |theme, w, h| palette(review(theme, w, h), "", 30));
    let smallest = check("palette-60x15", &palette(dark(60, 15), "", 1));
    assert_straight(&smallest);
    for part in ["Override verdict", "8 g", "run"] {
        assert!(text(&smallest).contains(part), "{part}: the chosen one is read in full, the claim in sight");
    }
}

#[test]
fn what_was_typed_finds_and_what_is_not_possible_says_why() {
    four("palette-found", |theme, w, h| palette(review(theme, w, h), "next", 1));
    four("palette-not-now", |theme, w, h| palette(review(theme, w, h), "rea", 0));
    let mono = draw(&palette(review(ThemeName::Mono, 80, 24), "re", 0));
    assert!(text(&mono).contains("not now: "), "what is dim is told in words too");
    four("palette-nothing", |theme, w, h| palette(review(theme, w, h), "xyzzy", 0));
    four("palette-empty-queue", |theme, w, h| {
        palette(
            with(first_frame(theme, w, h), |app| {
                app.queue.state = QueueState::Empty(EmptyReason::AllDone { mine: 12 });
            }),
            "",
            0,
        )
    });
}
