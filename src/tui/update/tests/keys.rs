//! How the person at the screen strikes keys.

use crossterm::event::{KeyEvent, KeyModifiers};

use super::session::Session;
use crate::tui::keymap::{Key, Meaning};
use crate::tui::message::Message;

impl Session {
    /// Types keys as they stand in the key table: `c`, `ctrl-s`, `g c`. Before an `enter`, or another key that no text
    /// holds, that records what is open, it is drawn and read.
    pub(super) fn press(&mut self, keys: &str) {
        for key in keys.split(' ') {
            if key.chars().count() > 1 && self.records(key) {
                self.drawn();
                self.after(250);
            }
            self.strike(key);
        }
    }

    fn records(&self, key: &str) -> bool {
        let place = self.app.place();
        match self.app.settings.keymap.meaning(place, &[Key::parse(key).expect("a key")]) {
            Meaning::Command(command) => command.records_in(place),
            Meaning::Unfinished | Meaning::Nothing => false,
        }
    }

    /// The same, faster than anybody reads.
    pub(super) fn strike(&mut self, keys: &str) {
        for key in keys.split(' ') {
            let Key { code, modifiers } = Key::parse(key).unwrap_or_else(|| panic!("{key} is no key"));
            self.send(Message::Key(KeyEvent::new(code, modifiers | KeyModifiers::NONE)));
        }
    }

    pub(super) fn type_text(&mut self, text: &str) {
        for letter in text.chars() {
            self.press(&if letter == ' ' { "space".to_owned() } else { letter.to_string() });
        }
    }

    /// What is there comes into view only now.
    pub(super) fn comes_into_view(&mut self) {
        self.app.in_view.clear();
        self.drawn();
    }
}
