//! The command palette: what was typed, which commands that finds, and which of them is chosen.
//!
//! Must not know how a command is carried out, nor why one is not possible now.

use tui_textarea::TextArea;

use crate::domain::ids::ClaimKey;

use super::command::{Command, Place};
use super::keymap::Keymap;

/// A command as the palette lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaletteEntry {
    pub command: Command,
    /// Why it is not possible now.
    pub hindrance: Option<String>,
}

/// The open palette.
#[derive(Debug, Clone)]
pub struct Palette {
    /// What is looked for; one line only.
    pub text: TextArea<'static>,
    /// The commands that are found, the best first.
    pub entries: Vec<PaletteEntry>,
    /// Named by itself and not by its line: the list may change under the cursor.
    pub chosen: Option<Command>,
    /// Where it was opened: its commands are found.
    pub place: Place,
    /// The claim that was in view when the palette was opened: only on that one it decides.
    pub claim: Option<ClaimKey>,
}

impl Palette {
    pub fn content(&self) -> String {
        self.text.lines().join(" ")
    }

    /// The line of the chosen command.
    pub fn chosen_line(&self) -> usize {
        self.entries.iter().position(|entry| Some(entry.command) == self.chosen).unwrap_or(0)
    }

    pub fn chosen_entry(&self) -> Option<&PaletteEntry> {
        self.entries.get(self.chosen_line())
    }
}

/// What a command is called where people read it.
pub fn title(command: Command) -> String {
    command.row().name.replace('_', " ")
}

/// The commands of `place` that `query` finds, the best first; all of them where nothing is typed.
///
/// Every word has to be found: as a key, at the beginning of a word of the name, inside the name, at the
/// beginning of a word of the sentence, or as letters of the name in their order.
pub fn find(keymap: &Keymap, query: &str, place: Place) -> Vec<Command> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let mut found: Vec<(usize, Command)> = Command::ALL
        .iter()
        .copied()
        .filter(|command| *command != Command::Palette && is_of(*command, place))
        .filter_map(|command| {
            let keys = keys(keymap, command, place);
            let name = title(command);
            let sentence = command.row().sentence.to_lowercase();
            // A key is found as it was typed: `J` is not `j`.
            let is_key = keys.iter().any(|key| key == query.trim());
            let sum = words
                .iter()
                .map(|word| if is_key { Some(0) } else { distance(word, &name, &sentence) })
                .sum::<Option<usize>>()?;
            Some((sum, command))
        })
        .collect();
    // Stable: what is found equally well stays in the order of help.
    found.sort_by_key(|(distance, _)| *distance);
    found.into_iter().map(|(_, command)| command).collect()
}

fn is_of(command: Command, place: Place) -> bool {
    let is_live = |live: &Place| {
        *live == place || matches!((live, place), (Place::Anywhere, _) | (Place::Score, Place::Review))
    };
    command.row().places.iter().any(is_live)
}

/// The keys of `command` in `place`, or while a claim with its source is in hand there.
pub fn keys(keymap: &Keymap, command: Command, place: Place) -> Vec<String> {
    let of_place = keymap.labels(command, place);
    if of_place.is_empty() { keymap.labels(command, Place::Score) } else { of_place }
}

/// How far `word` is from a command with this name and sentence; `None` where it does not fit at all.
fn distance(word: &str, name: &str, sentence: &str) -> Option<usize> {
    let begins = |text: &str| text.split(|c: char| !c.is_alphanumeric()).any(|part| part.starts_with(word));
    [name.starts_with(word), begins(name), name.contains(word), begins(sentence), is_subsequence(word, name)]
        .into_iter()
        .position(|fits| fits)
        .map(|place| place + 1)
}

fn is_subsequence(letters: &str, text: &str) -> bool {
    let mut text = text.chars();
    letters.chars().all(|letter| text.any(|other| other == letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(query: &str) -> Option<Command> {
        find(&Keymap::shipped().unwrap(), query, Place::Review).first().copied()
    }

    #[test]
    fn a_few_letters_find_a_command_by_name_sentence_or_key() {
        for (query, command) in [
            ("conf", Command::Confirm),
            ("over", Command::Override),
            ("unsup", Command::VerdictUnsupported),
            ("adjudication", Command::Flag),
            ("release", Command::Dispose),
            ("nxt op", Command::NextOpen),
            ("pauseaud", Command::PauseAuditor),
            ("PAUSE", Command::PauseAuditor),
            ("g c", Command::NewestCritical),
            ("J", Command::NextAnswer),
            ("j", Command::NextClaim),
            ("?", Command::Help),
        ] {
            assert_eq!(first(query), Some(command), "{query}");
        }
        assert_eq!(first("xyzzy"), None);
        assert_eq!(first("confirm xyzzy"), None, "every word counts");
    }

    #[test]
    fn nothing_typed_finds_every_command_of_the_review_in_the_order_of_help() {
        let all = find(&Keymap::shipped().unwrap(), " ", Place::Review);
        let expected: Vec<Command> = Command::ALL
            .iter()
            .copied()
            .filter(|command| is_of(*command, Place::Review) && *command != Command::Palette)
            .collect();
        assert_eq!(all, expected);
    }
}
