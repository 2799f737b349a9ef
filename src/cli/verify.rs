//! `juror verify`: the proof that nothing was changed behind juror's back.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Context, Exit};
use crate::store::ContentMark;

/// Recompute all hashes, the chain of events and what follows from them
#[derive(clap::Args)]
#[command(after_help = "\
The head hash names the whole history of decisions: note it elsewhere, and a
later run with --head HASH shows whether events were cut off the end. The
content mark names everything that came in, was asked of models and was audited:
noted elsewhere, it shows with --content MARK whether any of that was changed
since, even with all hashes made anew. Exit code 1 when something does not hold.

Examples:
  juror verify
  juror verify --head HASH --content MARK")]
pub(super) struct Arguments {
    /// A head hash noted earlier: it must still be in the chain
    #[arg(long, value_name = "HASH")]
    head: Option<String>,
    /// A content mark noted earlier: the store must have begun so
    #[arg(long, value_name = "MARK")]
    content: Option<ContentMark>,
}

#[derive(Serialize)]
struct Report<'a> {
    sound: bool,
    records: u64,
    claims: u64,
    exchanges: u64,
    events: u64,
    erased_notes: u64,
    /// The hash of the last event.
    head: &'a str,
    /// All records, audits and exchanges in one mark.
    content: String,
    /// What does not hold, the first of each kind.
    problems: &'a [String],
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    let store = context.read_store()?;
    let mut report = store.verify_against(arguments.content.as_ref())?;
    if let Some(noted) = arguments.head.as_deref().map(str::trim)
        && !store.has_head(noted)?
    {
        report.problems.push(format!(
            "no event has the hash {noted}: the end of the chain was cut off, or it is another store's"
        ));
    }
    let out = &mut context.out;
    if out.wants_json() {
        out.json(&Report {
            sound: report.is_sound(),
            records: report.records,
            claims: report.claims,
            exchanges: report.exchanges,
            events: report.events,
            erased_notes: report.erased,
            head: &report.head,
            content: report.content.to_string(),
            problems: &report.problems,
        })?;
    } else {
        let erased = match report.erased {
            0 => String::new(),
            n => format!(" ({n} notes erased)"),
        };
        // Whoever keeps only standard output must not take a failed run for a good one.
        if !report.is_sound() {
            out.text(&format!(
                "VERIFICATION FAILED: {}, named on standard error",
                match report.problems.len() {
                    1 => "1 problem".to_owned(),
                    some => format!("{some} problems"),
                }
            ))?;
        }
        out.text(&format!(
            "{} records, {} claims, {} exchanges, {} events{erased}\nhead {}\ncontent {}",
            report.records, report.claims, report.exchanges, report.events, report.head, report.content
        ))?;
        if report.is_sound() {
            out.text("verified: everything is as it was written")?;
        }
        // The latest commits stand there until they are folded in, after a kill until the next ones.
        let log = beside(store.path());
        if log.metadata().is_ok_and(|found| found.len() > 0) {
            out.note(&format!(
                "juror: the latest of it may stand in {} alone: whoever copies the store copies both files",
                log.display()
            ));
        }
        for problem in &report.problems {
            out.error(problem);
        }
    }
    Ok(if report.is_sound() { Exit::Fine } else { Exit::GateSaysNo })
}

/// Where SQLite keeps the latest commits of the store at `path`.
fn beside(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}
