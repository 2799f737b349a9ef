//! What the *Support* screen says while there is nothing to show.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::app::App;
use crate::tui::exchanges::Reading;
use crate::tui::screen::queue::words_in;
use crate::tui::screen::screens;
use crate::tui::theme::Role;
use crate::tui::widget::phrase::Phrase;

pub(super) fn draw(app: &App, body: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let panel = screens::panel(app, Phrase::new().say(Role::Title, "Support"), body.width);
    let room = panel.draw(body, buf, theme);
    match &app.screens.support.read {
        Reading::Loading => {
            Phrase::new().say(Role::Muted, "reading the scores…").draw(room, buf, theme);
        }
        Reading::Error(why) => words_in(why, Role::Error, room, buf, theme),
        Reading::Ready(_) => {
            let say = |role, text: &str| Phrase::new().say(role, text);
            let lines = [
                say(Role::Title, "No pair is scored here."),
                Phrase::new(),
                say(Role::Text, "Score how directly sources bear claims out, and keep it beside the queue"),
                say(Role::Text, "(FILE is this store):"),
                say(Role::Key, "  juror score PAIRS --queue --db FILE"),
                Phrase::new(),
                say(Role::Label, "PAIRS has one pair a line:"),
                say(Role::Key, r#"  {"claim_id":"c1","claim":"…","source_id":"s1","source":"…"}"#),
                Phrase::new(),
                say(Role::Muted, "It appears here by itself; the weak ones go to the queue."),
            ];
            for (y, line) in (room.y..room.bottom()).zip(lines) {
                line.draw(Rect { y, height: 1, ..room }, buf, theme);
            }
        }
    }
}
