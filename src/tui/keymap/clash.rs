//! Keys that would mean two things in one place.

use super::{Binding, Keymap, KeymapError};
use crate::tui::command::{Command, Place};

/// Where the keys of a score come before those of the place, on a claim with its source.
const SCORED: [Place; 3] = [Place::Review, Place::OverrideMenu, Place::Spans];

impl Keymap {
    pub(super) fn refuse_clashes(&self) -> Result<(), KeymapError> {
        for place in Place::ALL {
            let live: Vec<&Binding> = self.live_in(place).collect();
            for (at, first) in live.iter().enumerate() {
                refuse(place, first, live[at + 1..].iter().copied())?;
            }
        }
        // A score takes the keys of verdicts, which it stands for, and no other.
        for place in SCORED {
            for score in self.bindings.iter().filter(|binding| binding.place == Place::Score) {
                refuse(place, score, self.live_in(place).filter(|other| !gives_verdict(other.command)))?;
            }
        }
        Ok(())
    }

    fn live_in(&self, place: Place) -> impl Iterator<Item = &Binding> {
        self.bindings.iter().filter(move |binding| binding.is_live_in(place))
    }
}

/// Refuses `one` where any of `others` has the same keys or begins with them, or the other way round.
fn refuse<'a>(
    place: Place,
    one: &Binding,
    mut others: impl Iterator<Item = &'a Binding>,
) -> Result<(), KeymapError> {
    let clashes = |other: &&Binding| other.keys.starts_with(&one.keys) || one.keys.starts_with(&other.keys);
    others.find(clashes).map_or(Ok(()), |other| {
        Err(KeymapError::Clash {
            place: place.name(),
            keys: one.shown(),
            first: one.command.row().name,
            second: other.command.row().name,
        })
    })
}

const fn gives_verdict(command: Command) -> bool {
    matches!(
        command,
        Command::VerdictFully
            | Command::VerdictPartially
            | Command::VerdictUnsupported
            | Command::VerdictContradicted
            | Command::VerdictCannotJudge
            | Command::VerdictNotAClaim
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r36_a_clashing_key_table_is_refused_with_both_names() {
        let two = Keymap::parse("[review]\nconfirm = [\"c\"]\nskip = [\"c\"]").unwrap_err();
        assert_eq!(two.to_string(), "in [review] the key c means both confirm and skip");
        let global = Keymap::parse("[anywhere]\nquit = [\"ctrl-c\"]\n[note]\nsave_note = [\"ctrl-c\"]");
        assert!(matches!(global, Err(KeymapError::Clash { place: "note", .. })), "{global:?}");
        let prefix = Keymap::parse("[review]\nskip = [\"g\"]\nnewest_critical = [\"g c\"]");
        assert!(matches!(prefix, Err(KeymapError::Clash { .. })), "a key cannot begin a longer one");
    }

    #[test]
    fn r36_a_score_takes_no_key_but_that_of_a_verdict() {
        let table = |score: &str, confirm: &str| {
            format!(
                "[score]\nscore_1 = [\"{score}\"]\n[review]\nverdict_fully = [\"1\"]\nconfirm = [\"{confirm}\"]"
            )
        };
        assert!(Keymap::parse(&table("1", "c")).is_ok());
        let taken = Keymap::parse(&table("c", "c")).unwrap_err();
        assert_eq!(taken.to_string(), "in [review] the key c means both score_1 and confirm");
        assert!(Keymap::parse(&table("g", "g c")).is_err(), "a key cannot begin a longer one");
    }
}
