//! What the *Compare* screen says while there is nothing to show.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::app::App;
use crate::tui::exchanges::Reading;
use crate::tui::screen::queue::words_in;
use crate::tui::screen::screens;
use crate::tui::theme::Role;
use crate::tui::widget::phrase::Phrase;

const HOW: [(&str, &str); 2] = [
    ("both answers in each line:", "juror compare PAIRS.jsonl --db FILE"),
    ("one file for each version:", "juror compare --baseline A.jsonl --candidate B.jsonl --db FILE"),
];

pub(super) fn draw(app: &App, body: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let panel = screens::panel(app, Phrase::new().say(Role::Title, "Compare"), body.width);
    let room = panel.draw(body, buf, theme);
    match &app.screens.compare.kept {
        Reading::Loading => {
            Phrase::new().say(Role::Muted, "reading the comparisons…").draw(room, buf, theme);
        }
        Reading::Error(why) => words_in(why, Role::Error, room, buf, theme),
        Reading::Ready(_) => {
            let say = |role, text: &str| Phrase::new().say(role, text);
            let mut lines = vec![say(Role::Title, "No comparison is kept here."), Phrase::new()];
            lines.push(say(
                Role::Text,
                "Compare two versions, and keep it beside the queue (FILE is this store):",
            ));
            for (what, command) in HOW {
                lines.push(say(Role::Label, what));
                lines.push(say(Role::Key, "  ").say(Role::Key, command));
            }
            lines.push(Phrase::new());
            lines.push(say(Role::Muted, "It appears here by itself; its worst claims go to the queue."));
            for (y, line) in (room.y..room.bottom()).zip(lines) {
                line.draw(Rect { y, height: 1, ..room }, buf, theme);
            }
        }
    }
}
