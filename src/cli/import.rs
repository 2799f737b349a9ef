//! `juror import`: records in, with a report of every line that stayed out.

use std::path::PathBuf;

use serde::Serialize;

use super::progress::Progress;
use super::{Context, Exit, Failure, Interrupt};
use crate::duty::{Duty, Task};
use crate::format::check;
use crate::format::import::{Import, News, Problem, Totals};
use crate::format::source::{Input, expand};
use crate::store::told::Work;
use crate::store::{Durability, StoreError};

/// Errors and warnings printed one by one; the rest are counted.
const ERRORS_PRINTED: usize = 20;
const WARNINGS_PRINTED: usize = 5;
/// Problems listed in the JSON summary; the rest are counted.
const LISTED: usize = 10_000;

/// Bring records in from files, folders, gzip or standard input
#[derive(clap::Args)]
#[command(after_help = "\
One JSON object a line:
  {\"audit_id\":\"rx-1\",\"generated_answer\":\"…\",
   \"evidence_passages\":[{\"passage_id\":\"p1\",\"content\":\"…\"}]}
Optional: \"question\", \"risk_level\" (LOW, MEDIUM, HIGH, CRITICAL), \"metadata\",
and \"claims\" [{\"claim_id\",\"claim_text\"}] to be judged as they are. Labelled
claims are read too:
  {\"dataset\":\"d\",\"id\":\"7\",\"claim\":\"…\",
   \"evidence\":[{\"passage_id\":\"p1\",\"content\":\"…\"}]}
Fields that juror does not know are kept. The same record again changes nothing;
the same audit_id with other content is rejected. Good lines go in even when
others are rejected (exit code 2).

Limits: a line of 8 MiB, an audit_id of 200 printable characters, no U+0000 in
a text. Of a folder, the files *.jsonl, *.ndjson and *.json are read, also with
.gz; not its subfolders.

Examples:
  juror import answers.jsonl more/ old.jsonl.gz
  zcat answers.jsonl.gz | juror import -
  juror import --follow /var/log/answers.jsonl")]
pub(super) struct Arguments {
    /// Files, folders, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Check everything first and import nothing when a line is bad
    #[arg(long, conflicts_with = "follow")]
    strict: bool,
    /// Go on reading as the file grows, also when it is rotated or truncated, until Ctrl-C
    #[arg(long)]
    follow: bool,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    let mut inputs = expand(&arguments.files)?;
    for path in inputs.iter().filter_map(Input::path) {
        context.refuse_store_file(path)?;
    }
    if arguments.follow {
        check_followable(&inputs)?;
    } else {
        for input in &inputs {
            input.probe()?;
        }
    }
    // A file that grows has no share that is done.
    let bytes = if arguments.follow { None } else { inputs.iter().map(Input::size).sum() };
    if arguments.strict {
        // Before signals are watched for: until here nothing was begun, so Ctrl-C simply ends it.
        let folder = std::env::temp_dir();
        inputs = inputs.into_iter().map(|input| input.rereadable(&folder)).collect::<Result<_, _>>()?;
    }
    let interrupt = Interrupt::watch()?;
    let stop = || interrupt.is_raised();
    let mut report = Report::new(context, bytes);
    if arguments.strict {
        let store = match report.context.read_store() {
            Ok(store) => Some(store),
            Err(StoreError::Missing(_)) => None,
            // Importing brings it to the present schema; looking first needs that too.
            Err(StoreError::Older { .. }) => Some(report.context.open_store(Durability::Normal)?),
            Err(error) => return Err(error.into()),
        };
        let totals = check(inputs.clone(), store.as_ref(), &mut |news| report.hear(news), &stop)?;
        if interrupt.is_raised() || !totals.is_clean() {
            return report.finish(totals, interrupt.is_raised(), true);
        }
    }
    let clock = std::sync::Arc::clone(&report.context.clock);
    let mut store = report.context.open_or_create(Durability::Normal)?;
    if arguments.follow
        && let Some(path) = inputs.iter().filter_map(Input::path).find(|path| !path.exists())
    {
        report.context.out.note(&format!("juror: {} is not there yet: waiting for it", path.display()));
    }
    let duty = arguments.follow.then(|| follows(report.context));
    let import =
        Import { store: &mut store, clock: &*clock, tell: &mut |news| report.hear(news), stop: &stop };
    let totals = import.run(inputs, arguments.follow);
    if let Some(duty) = duty {
        duty.end();
    }
    report.finish(totals?, interrupt.is_raised(), false)
}

/// Says in the store that a file is followed.
fn follows(context: &Context) -> Duty {
    let (db, clock) = (context.config.db.value.clone(), std::sync::Arc::clone(&context.clock));
    Duty::begin(Task { db, work: Work::Follow, audits: false, hook: None, clock }, drop)
}

fn check_followable(inputs: &[Input]) -> Result<(), Failure> {
    match inputs {
        [one] if one.is_gzip() => Err(Failure::bad_input(format!(
            "{}: a gzip file cannot be followed: import it without --follow",
            one.name()
        ))),
        [_] => Ok(()),
        _ => Err(Failure::bad_input("--follow watches one file: start one `juror import --follow` for each")),
    }
}

/// What is told while it happens and at the end.
struct Report<'a> {
    context: &'a mut Context,
    progress: Progress,
    errors: Listing,
    warnings: Listing,
}

#[derive(Default)]
struct Listing {
    listed: Vec<Problem>,
    left_out: u64,
}

impl Listing {
    fn add(&mut self, problem: Problem) {
        if self.listed.len() < LISTED {
            self.listed.push(problem);
        } else {
            self.left_out += 1;
        }
    }

    fn count(&self) -> usize {
        self.listed.len() + usize::try_from(self.left_out).unwrap_or(usize::MAX)
    }
}

#[derive(Serialize)]
struct Summary<'a> {
    imported: u64,
    unchanged: u64,
    rejected: u64,
    errors: &'a [Problem],
    warnings: &'a [Problem],
    /// Beyond the listed ones.
    errors_left_out: u64,
    warnings_left_out: u64,
}

impl<'a> Report<'a> {
    fn new(context: &'a mut Context, bytes: Option<u64>) -> Self {
        let progress = Progress::new("imported", bytes, context.clock.now());
        Self { context, progress, errors: Listing::default(), warnings: Listing::default() }
    }

    fn hear(&mut self, news: News) {
        let out = &mut self.context.out;
        match news {
            News::Error(problem) => {
                if !out.wants_json() && self.errors.count() < ERRORS_PRINTED {
                    out.error(&sentence(&problem));
                }
                self.errors.add(problem);
            }
            News::Known(problem) => out.note(&format!(
                "juror: lines stay out that stayed out before, {} first: they are counted and not told again; `juror \
                 queue --counts` has their number",
                sentence(&problem)
            )),
            News::Warning(problem) => {
                if !out.wants_json() && self.warnings.count() < WARNINGS_PRINTED {
                    out.note(&format!("juror: warning: {}", sentence(&problem)));
                }
                self.warnings.add(problem);
            }
            News::Waiting(StoreError::Busy(path)) => out.note(&format!(
                "juror: another program has been writing to {} for five seconds and more: waiting for it",
                path.display()
            )),
            News::CaughtUp(totals) => out.note(&format!(
                "juror: read as far as it goes: {} imported, {} unchanged, {} rejected; waiting for more, Ctrl-C ends it",
                totals.imported, totals.unchanged, totals.rejected
            )),
            News::Waiting(error) => out.note(&format!("juror: {error}: waiting")),
            News::Progress { totals, bytes_read } => {
                let done = totals.imported + totals.unchanged;
                if let Some(line) = self.progress.line(done, bytes_read, self.context.clock.now()) {
                    out.progress(&line);
                }
            }
        }
    }

    fn finish(self, totals: Totals, interrupted: bool, only_checked: bool) -> anyhow::Result<Exit> {
        let out = &mut self.context.out;
        out.end_progress();
        if out.wants_json() {
            out.json(&Summary {
                imported: totals.imported,
                unchanged: totals.unchanged,
                rejected: totals.rejected,
                errors: &self.errors.listed,
                warnings: &self.warnings.listed,
                errors_left_out: self.errors.left_out,
                warnings_left_out: self.warnings.left_out,
            })?;
        } else {
            for (listing, printed, what) in
                [(&self.errors, ERRORS_PRINTED, "errors"), (&self.warnings, WARNINGS_PRINTED, "warnings")]
            {
                if listing.count() > printed {
                    let more = listing.count() - printed;
                    out.note(&format!("juror: … and {more} more {what}: --json lists them"));
                }
            }
            let nothing = if only_checked { " (checked only: nothing was imported)" } else { "" };
            out.text(&format!(
                "{} imported, {} unchanged, {} rejected{nothing}",
                totals.imported, totals.unchanged, totals.rejected
            ))?;
        }
        Ok(match (interrupted, totals.is_clean()) {
            (true, _) => Exit::Interrupted,
            _ if totals.reader_broke => Exit::RunFailed,
            (false, true) => Exit::Fine,
            (false, false) => Exit::BadInput,
        })
    }
}

fn sentence(problem: &Problem) -> String {
    match problem.line {
        Some(line) => format!("{}:{line}: {}", problem.file, problem.reason),
        None => format!("{}: {}", problem.file, problem.reason),
    }
}
