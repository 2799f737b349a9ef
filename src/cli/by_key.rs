//! What a command of the screen records can be taken back, and done without the screen: each names the command that takes
//! it back and the subcommand that does the same, or why there is none.

use clap::Parser;

use super::CommandLine;
use crate::tui::command::{Command, Group};

/// What takes it back, and the subcommand.
type Recorded = (Result<Command, &'static str>, Result<&'static str, &'static str>);

/// `None` for what records nothing.
fn recorded(command: Command) -> Option<Recorded> {
    use Command as C;
    let (undo, other) = (Ok(C::Undo), "it is the last word of what another command opened, which has one");
    Some(match command {
        C::Confirm => (undo, Ok("decide rx-1#1 --confirm")),
        C::Keep => (undo, Ok("decide rx-1#1 --blind --keep")),
        C::Override => (undo, Ok("decide rx-1#1 --override UNSUPPORTED --severity HIGH --type FABRICATION")),
        C::ChooseEvidence => (
            undo,
            Ok("decide rx-1#1 --override CONTRADICTED --span p2:14-31:contradicts --reason NUMBER_WRONG"),
        ),
        C::VerdictFully => (undo, Ok("decide rx-1#1 --override FULLY_SUPPORTED")),
        C::VerdictPartially => (undo, Ok("decide rx-1#1 --override PARTIALLY_SUPPORTED")),
        C::VerdictUnsupported => (undo, Ok("decide rx-1#1 --override UNSUPPORTED")),
        C::VerdictContradicted => (undo, Ok("decide rx-1#1 --override CONTRADICTED")),
        C::VerdictCannotJudge => (undo, Ok("decide rx-1#1 --override CANNOT_JUDGE")),
        C::VerdictNotAClaim => (undo, Ok("decide rx-1#1 --override NOT_A_CLAIM")),
        C::Score1 => (undo, Ok("decide rx-1#1 --score 1")),
        C::Score2 => (undo, Ok("decide rx-1#1 --score 2")),
        C::Score3 => (undo, Ok("decide rx-1#1 --score 3")),
        C::Score4 => (undo, Ok("decide rx-1#1 --score 4")),
        C::Score5 => (undo, Ok("decide rx-1#1 --score 5")),
        C::Reason => (undo, Ok("decide rx-1#1 --give-reason NUMBER_WRONG")),
        C::Repeat => {
            (undo, Err("a line has no decision before it: it names verdict, severity, type and reason"))
        }
        C::Annotate | C::SaveNote => (undo, Ok("decide rx-1#1 --note words")),
        C::Skip => (undo, Ok("decide rx-1#1 --skip")),
        C::Flag => (undo, Ok("decide rx-1#1 --flag")),
        C::Escalate => (undo, Ok("decide rx-1#1 --escalate words --to dr-lee")),
        C::Defer => (undo, Ok("decide rx-1#1 --defer 2h")),
        C::ActOnMarked => (undo, Ok("decide rx-1#1 rx-2#1 --override UNSUPPORTED")),
        C::SameClaim => (undo, Ok("decide rx-1#1 --same --confirm")),
        C::AddClaim => (undo, Ok("claim add rx-1 --quote words")),
        C::SplitClaim => (undo, Ok("claim split rx-1#1 --before words")),
        C::MergeClaims => (undo, Ok("claim merge rx-1#1 rx-1#2")),
        C::Undo => (Ok(C::Redo), Ok("decide --undo")),
        C::Redo => (undo, Ok("decide --redo")),
        C::BlockAnswer | C::Block => (undo, Ok("decide rx-1 --dispose BLOCK --note words")),
        C::Return => (undo, Ok("decide rx-1 rx-2 --dispose RETURN --note words")),
        C::Dispose | C::Release => (undo, Ok("decide rx-1 --dispose RELEASE")),
        C::ReleaseAnyway => (undo, Ok("decide rx-1 --dispose RELEASE --anyway --note words")),
        C::SaveView => (Ok(C::RemoveView), Ok("view save night severity>=high")),
        C::RemoveView => (Ok(C::SaveView), Ok("view remove night")),
        C::LeaveNote => (
            Err("a draft is nobody's word yet: it is opened again, and emptied it is gone"),
            Err("a line is written before it is run"),
        ),
        C::Accept | C::ApplyLine => (undo, Err(other)),
        _ => return None,
    })
}

#[test]
fn each_command_that_records_names_what_takes_it_back_and_its_subcommand_or_why_there_is_none() {
    for command in Command::ALL {
        let row = command.row();
        let only_marks = matches!(command, Command::Mark | Command::MarkRange);
        let records = !row.records.is_empty() || command.concerns_claim() || row.group == Group::Decide;
        let Some((inverse, subcommand)) = recorded(*command) else {
            assert!(!records || only_marks, "what takes {} back, and its subcommand?", row.name);
            continue;
        };
        match inverse {
            Ok(inverse) => assert!(recorded(inverse).is_some(), "{}: {inverse:?} records nothing", row.name),
            Err(why) => assert!(why.len() > 20, "{}", row.name),
        }
        match subcommand {
            Ok(line) => {
                let words = std::iter::once("juror").chain(line.split_whitespace());
                let read = CommandLine::try_parse_from(words).map(|_| ());
                assert!(read.is_ok(), "{}: juror {line}: {}", row.name, read.unwrap_err());
            }
            Err(why) => assert!(why.len() > 20, "{}", row.name),
        }
    }
}
