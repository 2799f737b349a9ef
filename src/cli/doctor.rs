//! `juror doctor`: everything that decides how juror behaves here, and what is wrong with it.

use super::{Context, Exit};

/// Show the store, the settings and the terminal, and what is wrong with them
#[derive(clap::Args)]
pub(super) struct Arguments {}

pub(super) fn run(_: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    for (name, value, origin) in context.config.rows() {
        context.out.text(&format!("{name:<24} {value}  ({origin})"))?;
    }
    Ok(Exit::Fine)
}
