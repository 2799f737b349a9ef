//! How a report goes out: its form, and where to.

use std::path::PathBuf;

use super::super::output::json_text;
use super::super::sink::{Place, Sink};
use super::super::{Context, Failure};
use crate::config::ThemeName;
use crate::report::text::Paint;
use crate::report::{Report, html, junit, markdown, text};

/// A form in which a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum Format {
    /// For people, in lines of 80 cells
    Text,
    /// For programs
    Json,
    /// For merge requests and wikis
    Markdown,
    /// One page for a browser, with charts; it needs nothing else
    Html,
    /// For build servers: a test case for each condition of the gate, each item and each claim
    Junit,
}

/// In which form, and where to.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Written {
    /// The form of the report (default: text, json with --json)
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write the report into this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Written {
    /// Refuses what cannot be written before anything is asked.
    pub(in crate::cli) fn check(&self, context: &Context) -> Result<(), Failure> {
        if context.out.wants_json() && self.format.is_some_and(|format| format != Format::Json) {
            return Err(Failure::bad_input("--json prints JSON: leave it away, or --format"));
        }
        self.output.as_deref().map_or(Ok(()), |path| context.refuse_store_file(path))
    }

    /// Whether the form tells of each claim by itself.
    pub(in crate::cli) fn has_cases(&self, context: &Context) -> bool {
        match self.format {
            Some(format) => matches!(format, Format::Json | Format::Junit),
            None => context.out.wants_json(),
        }
    }

    pub(in crate::cli) fn write(&self, report: &Report, context: &mut Context) -> anyhow::Result<()> {
        let is_json = context.out.wants_json();
        let format = self.format.unwrap_or(if is_json { Format::Json } else { Format::Text });
        let paints = self.output.is_none()
            && context.out.stdout_is_terminal()
            && context.config.theme.value != ThemeName::Mono;
        let written = match format {
            Format::Text if paints => text::write(report, Paint::Colour),
            Format::Text => text::write(report, Paint::Plain),
            Format::Json => json_text(report)? + "\n",
            Format::Markdown => markdown::write(report),
            Format::Html => html::write(report),
            Format::Junit => junit::write(report),
        };
        if paints {
            return Ok(context.out.bytes(written.as_bytes())?);
        }
        let place = self.output.as_deref().map(Place::find).transpose()?;
        // A gate stands whether or not somebody reads the report to its end.
        if matches!(place, None | Some(Place::Stdout)) {
            return Ok(context.out.page(written.as_bytes())?);
        }
        let mut sink = Sink::open(place.as_ref(), &mut context.out)?;
        sink.write(written.as_bytes())?;
        sink.finish()
    }
}
