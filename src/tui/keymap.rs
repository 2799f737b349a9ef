//! Which key means which command where, and how that is told: footer, help, the README's table.
//!
//! The keys stand in `assets/keymap.toml`; this module reads them and refuses a table in which one
//! key would mean two things in one place. It must not know what a command does.

mod clash;
mod own;

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::config::Origin;
use crate::domain::decision::ReasonCode;

use super::command::{Command, Group, Place};

/// One key with its modifiers. Shift is part of the character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    pub code: KeyCode,
    pub modifiers: KeyModifiers,
}

const NAMED: [(&str, &str, KeyCode); 15] = [
    ("space", "Space", KeyCode::Char(' ')),
    ("enter", "Enter", KeyCode::Enter),
    ("esc", "Esc", KeyCode::Esc),
    ("tab", "Tab", KeyCode::Tab),
    ("backtab", "Shift-Tab", KeyCode::BackTab),
    ("up", "↑", KeyCode::Up),
    ("down", "↓", KeyCode::Down),
    ("left", "←", KeyCode::Left),
    ("right", "→", KeyCode::Right),
    ("home", "Home", KeyCode::Home),
    ("end", "End", KeyCode::End),
    ("pgup", "PgUp", KeyCode::PageUp),
    ("pgdn", "PgDn", KeyCode::PageDown),
    ("backspace", "Backspace", KeyCode::Backspace),
    ("delete", "Delete", KeyCode::Delete),
];

impl Key {
    /// What the terminal reported, in the form in which keys are compared.
    pub fn pressed(event: KeyEvent) -> Self {
        let control = event.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT);
        let code = match event.code {
            KeyCode::Char(letter) if control.contains(KeyModifiers::CONTROL) => {
                KeyCode::Char(letter.to_ascii_lowercase())
            }
            KeyCode::Tab if event.modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
            other => other,
        };
        Self { code, modifiers: control }
    }

    /// Reads `ctrl-d`, `J`, `pgdn`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text;
        loop {
            if let Some(more) = rest.strip_prefix("ctrl-") {
                modifiers |= KeyModifiers::CONTROL;
                rest = more;
            } else if let Some(more) = rest.strip_prefix("alt-") {
                modifiers |= KeyModifiers::ALT;
                rest = more;
            } else {
                break;
            }
        }
        let named = NAMED.iter().find(|(name, _, _)| *name == rest).map(|(_, _, code)| *code);
        let mut letters = rest.chars();
        let code = match (named, letters.next(), letters.next()) {
            (Some(code), _, _) => code,
            (None, Some(letter), None) if !letter.is_control() => KeyCode::Char(letter),
            _ => return None,
        };
        Some(Self { code, modifiers })
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let control = self.modifiers.contains(KeyModifiers::CONTROL);
        if control {
            f.write_str("Ctrl-")?;
        }
        if self.modifiers.contains(KeyModifiers::ALT) {
            f.write_str("Alt-")?;
        }
        match (NAMED.iter().find(|(_, _, code)| *code == self.code), self.code) {
            (Some((_, shown, _)), _) => f.write_str(shown),
            (None, KeyCode::Char(letter)) if control => write!(f, "{}", letter.to_ascii_uppercase()),
            (None, KeyCode::Char(letter)) => write!(f, "{letter}"),
            (None, code) => write!(f, "{code}"),
        }
    }
}

/// Why a key table cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeymapError {
    #[error("the key table cannot be read: {0}")]
    Toml(String),
    #[error("the key table has a place `{}`: use one of {}", .0, Place::ALL.map(Place::name).join(", "))]
    Place(String),
    #[error("the key table gives keys to `{command}` in [{place}], where there is no such command")]
    Command { place: &'static str, command: String },
    #[error("`{key}` of {command} in [{place}] is not a key")]
    Key { place: &'static str, command: &'static str, key: String },
    #[error("in [{place}] the key {keys} means both {first} and {second}")]
    Clash { place: &'static str, keys: String, first: &'static str, second: &'static str },
    #[error(
        "`{command}` in [{place}] would have no key left, and nothing else leads out of there: give it one"
    )]
    NoWayOut { place: &'static str, command: &'static str },
    #[error(
        "{key} for `{command}` in [{place}] would take a key that text is typed with there: use one with ctrl- or alt-, or one with a name"
    )]
    Typed { place: &'static str, command: &'static str, key: String },
    /// A setting of the file is the matter.
    #[error("{origin}: {reason}")]
    Own { origin: String, reason: Box<Self> },
}

impl KeymapError {
    /// The same with the setting that brought it about.
    fn at(self, origin: &Origin) -> Self {
        Self::Own { origin: origin.to_string(), reason: Box::new(self) }
    }
}

/// Keys typed one after the other that mean one command in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Binding {
    place: Place,
    keys: Vec<Key>,
    command: Command,
}

impl Binding {
    fn shown(&self) -> String {
        self.keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
    }

    fn is_live_in(&self, place: Place) -> bool {
        self.place == place || self.place == Place::Anywhere
    }
}

/// The keys of every place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    bindings: Vec<Binding>,
}

/// What the keys typed so far mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    Command(Command),
    /// The beginning of a longer sequence.
    Unfinished,
    Nothing,
}

/// A part of the help page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpSection {
    pub title: &'static str,
    /// Keys and what they do.
    pub rows: Vec<(String, String)>,
}

impl Keymap {
    /// The keys that come with the program.
    pub fn shipped() -> Result<Self, KeymapError> {
        Self::parse(include_str!("../../assets/keymap.toml"))
    }

    /// Reads a key table and refuses one with a clash.
    pub fn parse(text: &str) -> Result<Self, KeymapError> {
        let table: toml::Table = text.parse().map_err(|error| KeymapError::Toml(format!("{error}")))?;
        let mut bindings = Vec::new();
        for (place_name, commands) in &table {
            let place = Place::ALL
                .into_iter()
                .find(|place| place.name() == place_name)
                .ok_or_else(|| KeymapError::Place(place_name.clone()))?;
            for (name, keys) in commands.as_table().into_iter().flatten() {
                let command = Command::ALL
                    .iter()
                    .copied()
                    .find(|command| command.row().name == name && command.row().places.contains(&place))
                    .ok_or_else(|| KeymapError::Command { place: place.name(), command: name.clone() })?;
                for keys in keys.as_array().into_iter().flatten() {
                    let wrong = || KeymapError::Key {
                        place: place.name(),
                        command: command.row().name,
                        key: keys.to_string(),
                    };
                    let keys = keys
                        .as_str()
                        .filter(|text| !text.is_empty())
                        .ok_or_else(wrong)?
                        .split(' ')
                        .map(Key::parse)
                        .collect::<Option<Vec<_>>>()
                        .ok_or_else(wrong)?;
                    bindings.push(Binding { place, keys, command });
                }
            }
        }
        let keymap = Self { bindings };
        keymap.refuse_clashes()?;
        Ok(keymap)
    }

    /// What `typed` means in `place`.
    pub fn meaning(&self, place: Place, typed: &[Key]) -> Meaning {
        let mut meaning = Meaning::Nothing;
        for binding in self.bindings.iter().filter(|binding| binding.is_live_in(place)) {
            if binding.keys == typed {
                return Meaning::Command(binding.command);
            }
            if binding.keys.starts_with(typed) {
                meaning = Meaning::Unfinished;
            }
        }
        meaning
    }

    /// What may be typed after `typed` in `place`, with what it then means.
    pub fn following(&self, place: Place, typed: &[Key]) -> Vec<(String, Command)> {
        let live = self.bindings.iter().filter(|binding| binding.is_live_in(place));
        let rest = live.filter_map(|binding| {
            let keys = binding.keys.strip_prefix(typed).filter(|keys| !keys.is_empty())?;
            let shown = keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" ");
            Some((shown, binding.command))
        });
        rest.collect()
    }

    /// Every key of `command` in `place`, as people read it; the place's own keys first.
    pub fn labels(&self, command: Command, place: Place) -> Vec<String> {
        let (own, everywhere): (Vec<&Binding>, Vec<&Binding>) = self
            .bindings
            .iter()
            .filter(|binding| binding.command == command && binding.is_live_in(place))
            .partition(|binding| binding.place == place);
        own.into_iter().chain(everywhere).map(Binding::shown).collect()
    }

    /// The first key of `command` in `place`; empty when it has none.
    pub fn label(&self, command: Command, place: Place) -> String {
        self.labels(command, place).into_iter().next().unwrap_or_default()
    }

    /// The help page: what every key does in each place, and the letters of the reasons.
    pub fn help(&self) -> Vec<HelpSection> {
        let mut sections: Vec<HelpSection> = Group::ALL
            .into_iter()
            .map(|group| HelpSection {
                title: group.title(),
                rows: Command::ALL
                    .iter()
                    .filter(|command| group.lists(**command))
                    .filter_map(|command| {
                        let keys = self.keys_in(*command, group.places());
                        (!keys.is_empty()).then(|| (keys.join(", "), command.row().sentence.to_owned()))
                    })
                    .collect(),
            })
            .collect();
        sections.push(HelpSection {
            title: "Reasons",
            rows: ReasonCode::ALL
                .iter()
                .map(|code| {
                    let keys = format!("{} {}", self.label(Command::Reason, Place::Review), code.key());
                    (keys, format!("{}: {}", code.label(), code.sentence()))
                })
                .collect(),
        });
        sections
    }

    /// The key table of the README, in Markdown.
    pub fn readme_table(&self) -> String {
        let row = |(keys, sentence): (String, String)| {
            let keys: Vec<String> =
                keys.split(", ").map(|key| format!("`{}`", key.replace('|', "\\|"))).collect();
            format!("| {} | {sentence} |", keys.join(" "))
        };
        let section = |section: HelpSection| {
            let head = [format!("| {} | |", section.title), "|---|---|".to_owned()];
            head.into_iter().chain(section.rows.into_iter().map(row)).collect::<Vec<_>>().join("\n")
        };
        self.help().into_iter().map(section).collect::<Vec<_>>().join("\n\n")
    }

    /// The keys that `command` has in any of `places`, each once.
    fn keys_in(&self, command: Command, places: &[Place]) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        for shown in places.iter().flat_map(|place| self.labels(command, *place)) {
            if !keys.contains(&shown) {
                keys.push(shown);
            }
        }
        keys
    }
}

/// The key table of the README as it must stand between its markers.
pub fn readme_table() -> Result<String, KeymapError> {
    Ok(Keymap::shipped()?.readme_table())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(code: KeyCode, modifiers: KeyModifiers) -> Key {
        Key::pressed(KeyEvent::new(code, modifiers))
    }

    #[test]
    fn r36_the_shipped_keys_do_not_clash() {
        Keymap::shipped().expect("the shipped key table is sound");
    }

    #[test]
    fn a_wrong_key_table_says_what_is_wrong() {
        for (table, expected) in [
            ("[nowhere]\nquit = [\"q\"]", "nowhere"),
            ("[review]\nexplode = [\"x\"]", "explode"),
            ("[note]\nconfirm = [\"c\"]", "confirm"),
            ("[review]\nquit = [\"hyper-q\"]", "hyper-q"),
            ("[review]\nquit = [\"\"]", "not a key"),
            ("[review", "cannot be read"),
        ] {
            let error = Keymap::parse(table).expect_err(table).to_string();
            assert!(error.contains(expected), "{table:?}: {error}");
        }
    }

    #[test]
    fn every_command_has_a_key_in_every_place_where_it_applies() {
        let keymap = Keymap::shipped().unwrap();
        for command in Command::ALL {
            for place in command.row().places {
                let labels = keymap.labels(*command, *place);
                assert!(!labels.is_empty(), "{} has no key in {}", command.row().name, place.name());
            }
        }
    }

    #[test]
    fn names_and_sentences_are_unique_and_not_empty() {
        let mut names: Vec<&str> = Command::ALL.iter().map(|command| command.row().name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Command::ALL.len());
        for command in Command::ALL {
            let row = command.row();
            assert!(row.sentence.len() > 4 && !row.hint.is_empty(), "{}", row.name);
            assert!(!row.sentence.ends_with('.'), "{}", row.name);
        }
    }

    #[test]
    fn help_names_every_command_and_every_reason() {
        let help = Keymap::shipped().unwrap().help();
        let has = |sentence: &str| help.iter().flat_map(|section| &section.rows).any(|row| row.1 == sentence);
        for command in Command::ALL {
            assert!(has(command.row().sentence), "{}", command.row().name);
        }
        let reasons = help.iter().find(|section| section.title == "Reasons").unwrap();
        assert_eq!(reasons.rows.len(), ReasonCode::ALL.len());
    }

    #[test]
    fn help_says_of_each_place_what_its_keys_do_there() {
        let keymap = Keymap::shipped().unwrap();
        for (group, section) in Group::ALL.into_iter().zip(keymap.help()) {
            for (keys, sentence) in &section.rows {
                let command = *Command::ALL
                    .iter()
                    .find(|command| group.lists(**command) && command.row().sentence == sentence)
                    .unwrap();
                for place in group.places() {
                    let here = keymap.labels(command, *place);
                    let applies = command.row().places.contains(place);
                    for key in keys.split(", ").filter(|_| applies) {
                        assert!(here.iter().any(|label| label == key), "{key} in {}", section.title);
                    }
                }
            }
        }
        let help = keymap.help();
        let keys = |title: &str, sentence: &str| {
            let section = help.iter().find(|section| section.title == title).unwrap();
            section.rows.iter().find(|row| row.1 == sentence).map(|row| row.0.clone())
        };
        let page = Command::PageDown.row().sentence;
        assert_eq!(keys("Read", page).as_deref(), Some("PgDn"));
        assert_eq!(keys("On the help page", page).as_deref(), Some("PgDn, Space"));
        let close = Command::Cancel.row().sentence;
        assert_eq!(keys("In menus and questions", close).as_deref(), Some("Esc"));
        assert_eq!(keys("On the help page", close).as_deref(), Some("Esc, q, ?"));
    }

    #[test]
    fn what_the_terminal_reports_is_what_the_table_says() {
        for (text, code, modifiers) in [
            ("c", KeyCode::Char('c'), KeyModifiers::NONE),
            ("J", KeyCode::Char('J'), KeyModifiers::SHIFT),
            ("ctrl-d", KeyCode::Char('D'), KeyModifiers::CONTROL | KeyModifiers::SHIFT),
            ("backtab", KeyCode::BackTab, KeyModifiers::SHIFT),
            ("backtab", KeyCode::Tab, KeyModifiers::SHIFT),
            ("?", KeyCode::Char('?'), KeyModifiers::SHIFT),
            ("alt-enter", KeyCode::Enter, KeyModifiers::ALT),
            ("-", KeyCode::Char('-'), KeyModifiers::NONE),
            ("ctrl--", KeyCode::Char('-'), KeyModifiers::CONTROL),
        ] {
            assert_eq!(Key::parse(text), Some(press(code, modifiers)), "{text}");
        }
    }

    #[test]
    fn keys_of_a_sequence_are_waited_for() {
        let keymap = Keymap::shipped().unwrap();
        let key = |text| Key::parse(text).unwrap();
        assert_eq!(keymap.meaning(Place::Review, &[key("g")]), Meaning::Unfinished);
        assert_eq!(
            keymap.meaning(Place::Review, &[key("g"), key("c")]),
            Meaning::Command(Command::NewestCritical)
        );
        assert_eq!(keymap.meaning(Place::Review, &[key("g"), key("x")]), Meaning::Nothing);
        assert_eq!(keymap.meaning(Place::Note, &[key("c")]), Meaning::Nothing);
        assert_eq!(keymap.meaning(Place::Note, &[key("ctrl-z")]), Meaning::Command(Command::Suspend));
    }

    #[test]
    fn the_readme_has_the_present_key_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
        let Ok(readme) = std::fs::read_to_string(path) else { return };
        let Some((_, rest)) = readme.split_once("<!-- keys -->\n") else {
            panic!("README.md has no line `<!-- keys -->` before the key table")
        };
        let (shown, _) = rest.split_once("<!-- /keys -->").expect("README.md ends the key table");
        assert_eq!(
            shown.trim(),
            readme_table().unwrap().trim(),
            "the key table of README.md is old: replace it by what stands right"
        );
    }
}
