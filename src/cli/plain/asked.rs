//! What a line asks for.

use std::str::FromStr;

use crate::domain::decision::{Disposition, HumanVerdict, ReasonCode};
use crate::domain::ids::ClaimId;
use crate::domain::verdict::{HallucinationType, Severity};

/// What a person asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command<'a> {
    /// Print the claim once more.
    Again,
    Confirm,
    /// Keep the verdict that was committed blind.
    Keep,
    Verdict(HumanVerdict),
    /// A digit: a verdict, or the score of a claim with its source.
    Digit(u8),
    Note(&'a str),
    Reason(ReasonCode),
    Skip,
    Flag,
    Escalate(&'a str),
    /// Until a time as people write it.
    Defer(&'a str),
    Undo,
    Redo,
    /// With why, which may be empty.
    Dispose(Disposition, &'a str),
    Next,
    Go(ClaimId),
    /// The whole answer and all evidence.
    Whole,
    Help,
    Quit,
}

/// A command with what an override says besides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asked<'a> {
    pub(super) command: Command<'a>,
    pub(super) severity: Option<Severity>,
    pub(super) hallucination_type: Option<HallucinationType>,
}

impl Asked<'_> {
    /// Whether it makes the store record something.
    pub(super) fn records(&self) -> bool {
        !matches!(
            self.command,
            Command::Again | Command::Next | Command::Go(_) | Command::Whole | Command::Help | Command::Quit
        )
    }
}

pub(super) const HELP: &[&str] = &[
    "One command a line:",
    "  c      confirm the judge's verdict, and go on",
    "  v      keep the verdict that you committed blind, and go on",
    "  1      set FULLY_SUPPORTED; 2 PARTIALLY_SUPPORTED, 3 UNSUPPORTED, 4 CONTRADICTED, 5 CANNOT_JUDGE",
    "         of a claim with its source: the score from 1 to 5",
    "  0      there is nothing to check in it: NOT_A_CLAIM",
    "  o UNSUPPORTED HIGH FABRICATION",
    "         override: a verdict, and as you like a severity and a type",
    "  a TEXT write a note",
    "  s      skip: to the end of your queue; again brings it back",
    "  f      flag for adjudication; again takes the flag off",
    "  E TEXT escalate: flag it with a note of what the matter is",
    "  D 2h   defer: out of your queue until then: 30m, 17:30, tomorrow 9",
    "  u      take back your latest act",
    "  U      do again what your last undo took back",
    "  d RELEASE",
    "         release, RETURN or BLOCK the answer; after it, as you like, why",
    "  ]      next open claim, this one stays open; j does the same",
    "  g ID   go to the claim AUDIT_ID#n",
    "  O      print the whole answer and all evidence; an empty line prints the claim again",
    "  q      quit; what was decided is saved",
    "  r and a letter give your last decision a reason:",
];

/// Reads a line. The error is a sentence for the person.
pub(super) fn read(line: &str) -> Result<Asked<'_>, String> {
    let (word, rest) =
        line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()));
    let plain = |command| Ok(Asked { command, severity: None, hallucination_type: None });
    let alone = |command| {
        if rest.is_empty() {
            plain(command)
        } else {
            Err(format!("`{word}` stands alone on its line: nothing was done"))
        }
    };
    match word {
        "" => plain(Command::Again),
        "c" => alone(Command::Confirm),
        "v" => alone(Command::Keep),
        "1" => alone(Command::Digit(1)),
        "2" => alone(Command::Digit(2)),
        "3" => alone(Command::Digit(3)),
        "4" => alone(Command::Digit(4)),
        "5" => alone(Command::Digit(5)),
        "0" => alone(Command::Verdict(HumanVerdict::NotAClaim)),
        "o" => overridden(rest),
        "a" if rest.is_empty() => Err("a note needs its text on the same line: a TEXT".to_owned()),
        "a" => plain(Command::Note(rest)),
        "r" => plain(Command::Reason(reason(rest)?)),
        "s" => alone(Command::Skip),
        "f" => alone(Command::Flag),
        "E" if rest.is_empty() => Err("say on the same line what the matter is: E TEXT".to_owned()),
        "E" => plain(Command::Escalate(rest)),
        "D" if rest.is_empty() => Err("say until when on the same line: D 2h".to_owned()),
        "D" => plain(Command::Defer(rest)),
        "u" => alone(Command::Undo),
        "U" => alone(Command::Redo),
        "d" => {
            let (given, why) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            plain(Command::Dispose(label(given, "RELEASE, RETURN or BLOCK after d")?, why.trim()))
        }
        "]" | "j" => alone(Command::Next),
        "g" => plain(Command::Go(rest.parse().map_err(|error| format!("{error}"))?)),
        "O" => alone(Command::Whole),
        "?" => alone(Command::Help),
        "q" => alone(Command::Quit),
        _ => Err(format!("`{}` is no command: ? lists them", line.chars().take(60).collect::<String>())),
    }
}

fn overridden(rest: &str) -> Result<Asked<'_>, String> {
    const ALLOWED: &str = "a verdict after o, as in: o UNSUPPORTED HIGH FABRICATION";
    let mut words = rest.split_whitespace();
    let verdict = label(words.next().unwrap_or_default(), ALLOWED)?;
    let mut asked = Asked { command: Command::Verdict(verdict), severity: None, hallucination_type: None };
    for word in words {
        if let Ok(severity) = word.to_uppercase().parse() {
            asked.severity = Some(severity);
        } else {
            asked.hallucination_type = Some(label(word, "a severity or a type after the verdict")?);
        }
    }
    Ok(asked)
}

/// A letter as after the key `r` of the screen, or the code itself.
fn reason(text: &str) -> Result<ReasonCode, String> {
    let mut letters = text.chars();
    let letter = letters.next().filter(|_| letters.next().is_none());
    match ReasonCode::ALL.iter().find(|reason| Some(reason.key()) == letter) {
        Some(reason) => Ok(*reason),
        None => label(text, "the letter of a reason after r, ? lists them"),
    }
}

fn label<T: FromStr>(text: &str, allowed: &str) -> Result<T, String> {
    text.to_uppercase().parse().map_err(|_| format!("use {allowed}; nothing was done"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::command::{Command as OnScreen, Place};
    use crate::tui::keymap::Keymap;

    /// What a letter means on the screen it means here, where both know it.
    #[test]
    fn a_letter_means_what_it_means_on_the_screen() {
        let keymap = Keymap::shipped().unwrap();
        for (letter, command) in [
            ("c", OnScreen::Confirm),
            ("v", OnScreen::Keep),
            ("1", OnScreen::VerdictFully),
            ("5", OnScreen::VerdictCannotJudge),
            ("0", OnScreen::VerdictNotAClaim),
            ("o", OnScreen::Override),
            ("a", OnScreen::Annotate),
            ("r", OnScreen::Reason),
            ("s", OnScreen::Skip),
            ("f", OnScreen::Flag),
            ("E", OnScreen::Escalate),
            ("D", OnScreen::Defer),
            ("u", OnScreen::Undo),
            ("U", OnScreen::Redo),
            ("d", OnScreen::Dispose),
            ("]", OnScreen::NextOpen),
            ("j", OnScreen::NextClaim),
            ("O", OnScreen::Maximise),
            ("?", OnScreen::Help),
            ("q", OnScreen::Quit),
        ] {
            assert!(keymap.labels(command, Place::Review).iter().any(|key| key == letter), "{letter}");
            assert!(
                read(letter).is_ok() || read(letter).is_err_and(|why| !why.contains("is no command")),
                "{letter}"
            );
        }
        for letter in ["x", "z", "k", "n", "e", "t", "h", "w"] {
            assert!(read(letter).unwrap_err().contains("is no command"), "{letter}");
        }
    }

    #[test]
    fn every_command_of_the_help_is_read() {
        for (line, command) in [
            ("c", Command::Confirm),
            ("4", Command::Digit(4)),
            ("a see BNF, page 12", Command::Note("see BNF, page 12")),
            ("r n", Command::Reason(ReasonCode::NumberWrong)),
            ("r OTHER", Command::Reason(ReasonCode::Other)),
            ("d block", Command::Dispose(Disposition::Block, "")),
            ("d return the dose is 4 g", Command::Dispose(Disposition::Return, "the dose is 4 g")),
            ("", Command::Again),
            ("E is it?", Command::Escalate("is it?")),
            ("D 2h", Command::Defer("2h")),
            ("]", Command::Next),
            ("v", Command::Keep),
            ("0", Command::Verdict(HumanVerdict::NotAClaim)),
        ] {
            assert_eq!(read(line).map(|asked| asked.command), Ok(command), "{line}");
        }
        let asked = read("o unsupported HIGH fabrication").unwrap();
        assert_eq!(asked.command, Command::Verdict(HumanVerdict::Unsupported));
        assert_eq!(asked.severity, Some(Severity::High));
        assert_eq!(asked.hallucination_type, Some(HallucinationType::Fabrication));
    }

    #[test]
    fn what_is_no_command_does_nothing_and_says_so() {
        for line in ["cc", "c yes", "confirm", "o", "o MAYBE", "a", "r ?", "d", "g rx", "6", "E", "x y", "k"]
        {
            assert!(read(line).is_err(), "{line}");
        }
    }
}
