//! `juror man`: the manual pages, made from the same table as `--help`.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::CommandFactory;

use super::{CommandLine, Context, Exit, Failure};

/// Print a manual page, or write all of them into a folder
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  juror man | man -l -
  juror man import | man -l -
  juror man --into ~/.local/share/man/man1     afterwards: man juror, man juror-import")]
pub(super) struct Arguments {
    /// The page of one command
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
    /// Write all pages into this folder, which is made where it is missing
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    into: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    let mut program = CommandLine::command();
    // Only then each command knows its whole name and what holds everywhere.
    program.build();
    let is_shown = |command: &&clap::Command| !command.is_hide_set() && command.get_name() != "help";
    let commands: Vec<&clap::Command> = program.get_subcommands().filter(is_shown).collect();
    if let Some(folder) = &arguments.into {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let mut written = 0;
        for command in std::iter::once(&&program).chain(&commands) {
            let page = clap_mangen::Man::new((*command).clone());
            let path = folder.join(page.get_filename());
            page.generate_to(folder).with_context(|| path.display().to_string())?;
            written += 1;
        }
        context.out.text(&format!("{written} pages written to {}", folder.display()))?;
        return Ok(Exit::Fine);
    }
    let command = match &arguments.command {
        None => &program,
        Some(name) => {
            let names = commands.iter().map(|command| command.get_name()).collect::<Vec<_>>().join(", ");
            let found = commands.iter().copied().find(|command| command.get_name() == name);
            found.ok_or_else(|| Failure::bad_input(format!("no command `{name}`: use one of {names}")))?
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    context.out.bytes(&page)?;
    Ok(Exit::Fine)
}
