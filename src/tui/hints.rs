//! What a person is told while they are new here: one line at a time, which goes when it was done or read.
//!
//! How far somebody is, the store keeps by their name. Plain data, changed only by `update`.

use super::command::Command;

/// A line that a newcomer is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lesson {
    /// Commands with what their keys do.
    pub words: &'static [(Command, &'static str)],
    /// It is done once one of these was run.
    pub done_by: &'static [Command],
}

/// The lines in their order.
pub const LESSONS: &[Lesson] = &[
    Lesson {
        words: &[(Command::Confirm, "agrees with the judge"), (Command::Help, "shows the other keys")],
        done_by: &[
            Command::Confirm,
            Command::Override,
            Command::VerdictFully,
            Command::VerdictPartially,
            Command::VerdictUnsupported,
            Command::VerdictContradicted,
            Command::VerdictCannotJudge,
        ],
    },
    Lesson {
        words: &[(Command::Undo, "takes it back"), (Command::Reason, "and a letter: why you decided so")],
        done_by: &[Command::Undo, Command::Reason],
    },
    Lesson {
        words: &[(Command::Palette, "finds any command by its name")],
        done_by: &[Command::Palette, Command::Help],
    },
    Lesson {
        words: &[(Command::WhyHere, "says why a claim is here"), (Command::Story, "its story")],
        done_by: &[Command::WhyHere, Command::Story],
    },
];

/// So many commands are run before a line is taken for read.
pub const PATIENCE: u32 = 12;

/// How far the person is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hints {
    /// How many lessons are behind them; `None` while nobody knows.
    pub done: Option<usize>,
    /// Commands run while the present line was shown.
    pub passed: u32,
}

impl Hints {
    /// The line that is shown, if any.
    pub fn lesson(&self) -> Option<&'static Lesson> {
        LESSONS.get(self.done?)
    }

    /// A command was run: how far the person is now, where that is farther than before.
    pub fn ran(&mut self, command: Command) -> Option<usize> {
        let lesson = self.lesson()?;
        self.passed += 1;
        if !lesson.done_by.contains(&command) && self.passed < PATIENCE {
            return None;
        }
        self.passed = 0;
        self.done = self.done.map(|done| done + 1);
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_when_it_was_done_or_was_there_long_enough_and_none_comes_back() {
        let mut hints = Hints::default();
        assert_eq!((hints.lesson(), hints.ran(Command::Confirm)), (None, None), "nobody knows yet");
        hints.done = Some(0);
        assert_eq!(hints.ran(Command::NextClaim), None);
        assert_eq!(hints.ran(Command::Confirm), Some(1));
        for _ in 1..PATIENCE {
            assert_eq!(hints.ran(Command::NextClaim), None);
        }
        assert_eq!(hints.ran(Command::NextClaim), Some(2));
        assert_eq!(hints.ran(Command::Help), Some(3));
        assert_eq!(hints.ran(Command::Story), Some(4));
        assert_eq!((hints.lesson(), hints.ran(Command::Story)), (None, None));
    }

    #[test]
    fn every_line_can_be_done_by_what_it_names() {
        for lesson in LESSONS {
            assert!(lesson.words.iter().any(|(command, _)| lesson.done_by.contains(command)), "{lesson:?}");
        }
    }
}
