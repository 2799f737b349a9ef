//! A person's own keys in place of those that come with the program, checked before the screen opens.

use crossterm::event::{KeyCode, KeyModifiers};

use super::{Binding, Key, Keymap, KeymapError};
use crate::config::OwnKeys;
use crate::tui::command::{Command, Place};

/// Commands that lead out of where the keyboard is: nobody may lock themselves in.
const WAYS_OUT: [Command; 3] = [Command::Cancel, Command::LeaveNote, Command::LeaveLine];

/// Where letters are text, or answer a question.
const TYPED_IN: [Place; 6] =
    [Place::Note, Place::Line, Place::Ask, Place::Words, Place::Palette, Place::Reason];

/// The command that leads out of `place`.
fn way_out(place: Place) -> Option<Command> {
    match place {
        Place::Anywhere => Some(Command::Quit),
        place => WAYS_OUT.into_iter().find(|command| command.row().places.contains(&place)),
    }
}

impl Keymap {
    /// The keys that come with the program, with a person's own in the place of those of the same command.
    ///
    /// # Errors
    /// When one names a place, a command or a key that there is not, when two commands of one place want the same
    /// key, or when nothing would lead out of a place any more. The error names the setting.
    pub fn with_own(own: &[OwnKeys]) -> Result<Self, KeymapError> {
        let mut keymap = Self::shipped()?;
        for keys in own {
            keymap.replace(keys).map_err(|reason| reason.at(&keys.origin))?;
        }
        keymap.refuse_clashes().map_err(|reason| match blamed(own, &reason) {
            Some(keys) => reason.at(&keys.origin),
            None => reason,
        })?;
        for place in Place::ALL {
            let Some(command) = way_out(place) else { continue };
            if !keymap.bindings.iter().any(|known| known.place == place && known.command == command) {
                let reason = KeymapError::NoWayOut { place: place.name(), command: command.row().name };
                let named =
                    own.iter().rfind(|keys| keys.place == place.name() && keys.command == command.row().name);
                return Err(named.map_or(reason.clone(), |keys| reason.at(&keys.origin)));
            }
        }
        Ok(keymap)
    }

    fn replace(&mut self, own: &OwnKeys) -> Result<(), KeymapError> {
        let place = Place::ALL.into_iter().find(|place| place.name() == own.place);
        let place = place.ok_or_else(|| KeymapError::Place(own.place.clone()))?;
        let command = Command::ALL
            .iter()
            .copied()
            .find(|command| command.row().name == own.command && command.row().places.contains(&place))
            .ok_or_else(|| KeymapError::Command { place: place.name(), command: own.command.clone() })?;
        self.bindings.retain(|known| known.place != place || known.command != command);
        for text in &own.keys {
            let keys: Option<Vec<Key>> = text.split(' ').map(Key::parse).collect();
            let keys = keys.ok_or_else(|| KeymapError::Key {
                place: place.name(),
                command: command.row().name,
                key: format!("\"{text}\""),
            })?;
            let is_typed = keys
                .iter()
                .any(|key| matches!(key.code, KeyCode::Char(_)) && key.modifiers == KeyModifiers::NONE);
            if is_typed && (place == Place::Anywhere || TYPED_IN.contains(&place)) {
                let (place, command) = (place.name(), command.row().name);
                return Err(KeymapError::Typed { place, command, key: text.clone() });
            }
            self.bindings.push(Binding { place, keys, command });
        }
        Ok(())
    }
}

/// Whose setting brought the clash about: the last one of the two commands.
fn blamed<'a>(own: &'a [OwnKeys], reason: &KeymapError) -> Option<&'a OwnKeys> {
    let KeymapError::Clash { place, first, second, .. } = reason else { return None };
    own.iter().rfind(|keys| {
        [*place, Place::Anywhere.name(), Place::Score.name()].contains(&keys.place.as_str())
            && (keys.command == *first || keys.command == *second)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Origin;
    use crate::tui::keymap::Meaning;

    fn own(settings: &[(&str, &str, &[&str])]) -> Vec<OwnKeys> {
        let numbered = settings.iter().enumerate();
        numbered
            .map(|(at, (place, command, keys))| OwnKeys {
                place: (*place).to_owned(),
                command: (*command).to_owned(),
                keys: keys.iter().map(|key| (*key).to_owned()).collect(),
                origin: Origin::File { path: "juror.toml".into(), line: at + 3 },
            })
            .collect()
    }

    fn refused(settings: &[(&str, &str, &[&str])]) -> String {
        Keymap::with_own(&own(settings)).unwrap_err().to_string()
    }

    #[test]
    fn r35_a_person_s_keys_stand_in_the_place_of_the_shipped_ones() {
        let keys = own(&[("review", "confirm", &["ctrl-y", "g y"]), ("review", "pause_auditor", &[])]);
        let keymap = Keymap::with_own(&keys).unwrap();
        let meaning = |text: &str| {
            let keys: Vec<Key> = text.split(' ').filter_map(Key::parse).collect();
            keymap.meaning(Place::Review, &keys)
        };
        assert_eq!(meaning("ctrl-y"), Meaning::Command(Command::Confirm));
        assert_eq!(meaning("g y"), Meaning::Command(Command::Confirm));
        assert_eq!((meaning("c"), meaning("p")), (Meaning::Nothing, Meaning::Nothing));
        assert_eq!(keymap.label(Command::Confirm, Place::Review), "Ctrl-Y");
        // Two commands may change their keys.
        let swapped = own(&[("review", "confirm", &["s"]), ("review", "skip", &["c"])]);
        assert!(Keymap::with_own(&swapped).is_ok());
        assert_eq!(Keymap::with_own(&[]).unwrap(), Keymap::shipped().unwrap());
    }

    #[test]
    fn r36_a_clash_names_both_commands_the_key_and_the_line() {
        let clash = refused(&[("review", "annotate", &["M"]), ("review", "confirm", &["s"])]);
        assert!(clash.starts_with("juror.toml:4: in [review] the key s means both "), "{clash}");
        assert!(clash.contains("confirm") && clash.contains("skip"), "{clash}");
        let clash = refused(&[("review", "confirm", &["g"])]);
        assert!(clash.starts_with("juror.toml:3: ") && clash.contains("confirm"), "{clash}");
        let clash = refused(&[("anywhere", "suspend", &["ctrl-d"])]);
        assert!(clash.starts_with("juror.toml:3: in [review]") && clash.contains("suspend"), "{clash}");
    }

    #[test]
    fn what_is_not_there_is_named_with_its_line_and_nobody_is_locked_in() {
        let wrong = refused(&[("revue", "confirm", &["c"])]);
        assert!(wrong.starts_with("juror.toml:3: ") && wrong.contains("`revue`"), "{wrong}");
        let wrong = refused(&[("review", "conform", &["c"])]);
        assert!(wrong.contains("`conform`"), "{wrong}");
        for key in ["ctrl", "", "cc", "g  c"] {
            assert!(refused(&[("review", "confirm", &[key])]).contains("is not a key"), "{key}");
        }
        for place in Place::ALL.into_iter().filter(|place| !matches!(place, Place::Review | Place::Score)) {
            let out = way_out(place).map(|command| command.row().name).unwrap();
            let locked = refused(&[(place.name(), out, &[])]);
            assert!(locked.starts_with("juror.toml:3: ") && locked.contains(out), "{locked}");
        }
    }

    #[test]
    fn no_key_that_text_is_typed_with_becomes_a_command_there() {
        let typed = refused(&[("note", "save_note", &["s"])]);
        assert!(typed.starts_with("juror.toml:3: s for `save_note` in [note]"), "{typed}");
        for (place, command) in [
            ("anywhere", "suspend"),
            ("palette", "run"),
            ("ask", "apply"),
            ("words", "apply"),
            ("line", "apply"),
            ("reason", "cancel"),
        ] {
            assert!(refused(&[(place, command, &["B"])]).contains("text is typed"), "{place}");
        }
        assert!(
            Keymap::with_own(&own(&[("note", "save_note", &["f2", "alt-s"])])).is_err(),
            "there is no f2"
        );
        assert!(Keymap::with_own(&own(&[("note", "save_note", &["alt-s", "ctrl-w"])])).is_ok());
    }
}
