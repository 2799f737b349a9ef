//! `juror review`, and plain `juror`: the queue on the screen.

use std::sync::Arc;

use super::audit::auditor_settings;
use super::{Context, Exit};
use crate::domain::ids::ClaimId;
use crate::tui::theme::Theme;
use crate::tui::{self, Ended, ReviewOptions};

/// Review the queue on the screen, while records are audited in the background (the default)
#[derive(clap::Args, Default)]
#[command(after_help = "\
Examples:
  juror
  juror review --id rx-1042#3")]
pub(super) struct Arguments {
    /// Begin with this claim
    #[arg(long, value_name = "CLAIM")]
    id: Option<ClaimId>,
    #[arg(
        long,
        value_name = "NAME",
        help = "Who decides (also JUROR_ANNOTATOR; default: the operating system's user)"
    )]
    pub(super) by: Option<String>,
}

pub(super) fn run(arguments: Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    show(ReviewOptions { open: arguments.id, ..options(context)? })
}

/// A review under these settings.
pub(super) fn options(context: &Context) -> anyhow::Result<ReviewOptions> {
    let config = &context.config;
    Ok(ReviewOptions {
        db: config.db.value.clone(),
        actor: context.actor(),
        theme: Theme::choose(config.theme.value)?,
        min_visible: config.min_visible.value,
        bell: config.bell.value,
        notify: config.notify.value,
        hook: (!config.hook.value.is_empty()).then(|| config.hook.value.clone()),
        auditor: Some(auditor_settings(context, None)),
        open: None,
        demo: false,
        clock: Arc::clone(&context.clock),
    })
}

/// Runs the screen until the person quits.
pub(super) fn show(options: ReviewOptions) -> anyhow::Result<Exit> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(tui::run(options));
    // A judge that does not come to an end must not keep the program from ending.
    runtime.shutdown_background();
    Ok(match ended? {
        Ended::Quit => Exit::Fine,
        Ended::Signal | Ended::HungUp => Exit::Interrupted,
    })
}
