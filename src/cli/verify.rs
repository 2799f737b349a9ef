//! `juror verify`: the proof that nothing was changed behind juror's back.

use serde::Serialize;

use super::{Context, Exit};

/// Recompute all hashes, the chain of events and what follows from them
#[derive(clap::Args)]
#[command(after_help = "\
The head hash names the whole history of decisions: note it elsewhere, and a
later run with --head HASH shows whether events were cut off the end. Exit code
1 when something does not hold.")]
pub(super) struct Arguments {
    /// A head hash noted earlier: it must still be in the chain
    #[arg(long, value_name = "HASH")]
    head: Option<String>,
}

#[derive(Serialize)]
struct Report<'a> {
    sound: bool,
    records: u64,
    claims: u64,
    events: u64,
    erased_notes: u64,
    /// The hash of the last event.
    head: &'a str,
    /// What does not hold, the first of each kind.
    problems: &'a [String],
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    let store = context.read_store()?;
    let mut report = store.verify()?;
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
            events: report.events,
            erased_notes: report.erased,
            head: &report.head,
            problems: &report.problems,
        })?;
    } else {
        let erased = match report.erased {
            0 => String::new(),
            n => format!(" ({n} notes erased)"),
        };
        out.text(&format!(
            "{} records, {} claims, {} events{erased}\nhead {}",
            report.records, report.claims, report.events, report.head
        ))?;
        if report.is_sound() {
            out.text("verified: everything is as it was written")?;
        }
        for problem in &report.problems {
            out.error(problem);
        }
    }
    Ok(if report.is_sound() { Exit::Fine } else { Exit::GateSaysNo })
}
