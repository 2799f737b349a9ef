//! `juror completions SHELL`: what a shell needs to complete juror's words.

use clap::CommandFactory;
use clap_complete::Shell;

use super::{CommandLine, Context, Exit};

/// Print completions for a shell
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  juror completions bash > ~/.local/share/bash-completion/completions/juror"
)]
pub(super) struct Arguments {
    shell: Shell,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut CommandLine::command(), "juror", &mut script);
    context.out.bytes(&script)?;
    Ok(Exit::Fine)
}
