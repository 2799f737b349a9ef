//! `juror export`: records as they came, claims with the people's verdicts, the chain of events.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Serialize;

use super::output::{json_text, visible_lines};
use super::{Context, Exit, Failure, Interrupt, Output};
use crate::domain::ids::{AuditId, ClaimId};
use crate::domain::record::RiskLevel;
use crate::format::out::{ClaimRow, CsvRows, EventRow};
use crate::store::{ClaimExport, Damaged, Store};

/// Symbolic links followed from one path, as the kernel has it.
const MOST_LINKS: usize = 40;

/// Write records, claims or decisions as JSON Lines or CSV
#[derive(clap::Args)]
#[command(after_help = "\
records    every imported line, byte for byte: `juror import` reads it back
claims     the claims of the current audits: the judge's verdict and evidence,
           and what people decided; in `earlier` what they decided on the same
           claim in an earlier audit, which does not count for this one
decisions  the chain of events in order; `hash` is the SHA-256 of `prev_hash`, a
           line feed and the compact JSON of the fields up to `payload_sha256`

A claims export is PROVISIONAL while routed claims of HIGH or CRITICAL records
are undecided: it says so on standard error, also with --quiet. With
--require-accepted it then writes nothing, lists them and exits 3. Everything in
an export is of one moment. With -o FILE, --json prints what was written.

A row that is damaged does not end an export: a claim is written with the state
DAMAGED and the reason in `rationale`, a record or an event is left out.
Standard error names the first of them, and the exit code is 4.

CSV puts a ' before a cell that a spreadsheet would run as a formula (one that
begins with = + - @); JSON Lines is exact. On a terminal, control characters are
shown as marks; -o FILE and pipes get the bytes.

Examples:
  juror export --what claims > claims.jsonl
  juror export --what decisions --format csv -o decisions.csv")]
pub(super) struct Arguments {
    /// What to write
    #[arg(long, value_enum)]
    what: What,
    /// How to write it (records: jsonl only)
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    format: Format,
    /// To this file instead of standard output; an existing one is replaced when all is written, a device
    /// or FIFO is written into
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write claims only when everything routed of HIGH and CRITICAL records is decided
    #[arg(long)]
    require_accepted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    Records,
    Claims,
    Decisions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Jsonl,
    Csv,
}

/// What `--require-accepted --json` answers when it refuses.
#[derive(Debug, Serialize, thiserror::Error)]
#[error("not accepted")]
struct NotAccepted {
    /// How many.
    provisional: usize,
    /// Routed claims of HIGH and CRITICAL records that nobody decided.
    undecided: Vec<String>,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    if arguments.what == What::Records && arguments.format == Format::Csv {
        return Err(Failure::bad_input(
            "records go out as they came in, as JSON Lines: leave --format csv out",
        )
        .into());
    }
    if arguments.require_accepted && arguments.what != What::Claims {
        return Err(
            Failure::bad_input("--require-accepted is about claims: use it with --what claims").into()
        );
    }
    let store = context.read_store()?;
    // Before signals are watched for: a FIFO waits for its reader, and Ctrl-C must end that.
    let place = arguments.output.as_deref().map(Place::find).transpose()?;
    let interrupt = Interrupt::watch()?;
    let written = store.snapshot(|| {
        if arguments.require_accepted {
            let undecided = undecided(&store)?;
            if !undecided.is_empty() {
                return Err(NotAccepted { provisional: undecided.len(), undecided }.into());
            }
        }
        write(arguments, place.as_ref(), &store, &interrupt, &mut context.out)
    });
    match written {
        Ok(written) => {
            remark(arguments, &written, &store, context)?;
            Ok(if written.damaged == 0 { Exit::Fine } else { Exit::RunFailed })
        }
        Err(error) if error.is::<Stopped>() => Ok(Exit::Interrupted),
        Err(error) => match error.downcast::<NotAccepted>() {
            Ok(refusal) => refuse(&refusal, &mut context.out),
            Err(error) => Err(error),
        },
    }
}

fn write(
    arguments: &Arguments,
    place: Option<&Place>,
    store: &Store,
    interrupt: &Interrupt,
    out: &mut Output,
) -> anyhow::Result<Written> {
    let mut sink = Sink::open(place, out)?;
    let mut written = Written { head: store.head()?, ..Written::default() };
    match arguments.what {
        What::Records => records(store, &mut sink, interrupt, &mut written),
        What::Claims => claims(store, arguments.format, &mut sink, interrupt, &mut written),
        What::Decisions => decisions(store, arguments.format, &mut sink, interrupt, &mut written),
    }?;
    sink.finish()?;
    Ok(written)
}

/// What is worth saying beside the rows.
fn remark(
    arguments: &Arguments,
    written: &Written,
    store: &Store,
    context: &mut Context,
) -> anyhow::Result<()> {
    let out = &mut context.out;
    if arguments.output.is_none() && out.stdout_is_terminal() {
        out.note("juror: control characters are shown as marks; -o FILE writes the exact bytes");
    }
    for sentence in &written.said {
        out.error(sentence);
    }
    if written.damaged > FIRST_DAMAGED {
        out.error(&format!("{} damaged rows in all: see `juror verify`", written.damaged));
    }
    if let Some(first) = written.undecided.first() {
        out.error(&format!("{}, {first} first", provisional(written.undecided.len() as u64)));
    }
    if written.rows == 0 && arguments.what != What::Records {
        let counts = store.queue_counts(&context.config.annotator.value, context.clock.now())?;
        let waiting = counts.waiting + counts.auditing;
        let why = match (arguments.what, waiting) {
            (What::Decisions, _) => "nobody has decided anything yet".to_owned(),
            (_, 0) => "no record was imported".to_owned(),
            (_, waiting) => format!("{waiting} records wait for their audit: run `juror audit`"),
        };
        out.note(&format!("juror: nothing to export: {why}"));
    }
    let (events, head) = &written.head;
    if arguments.what == What::Decisions {
        out.note(&format!("juror: {events} events, head {head}"));
    }
    if arguments.output.is_some() && out.wants_json() {
        out.json(&Summary {
            rows: written.rows,
            provisional: written.undecided.len(),
            events: *events,
            head,
        })?;
    }
    Ok(())
}

/// What to say while `undecided` claims keep a result from being final.
pub(super) fn provisional(undecided: u64) -> String {
    let claims = match undecided {
        1 => "1 routed claim of a HIGH or CRITICAL record is undecided".to_owned(),
        _ => format!("{undecided} routed claims of HIGH or CRITICAL records are undecided"),
    };
    format!("PROVISIONAL: {claims}")
}

/// What `-o FILE --json` answers.
#[derive(Serialize)]
struct Summary<'a> {
    rows: u64,
    /// Routed claims of HIGH and CRITICAL records that nobody decided; counted in a claims export.
    provisional: usize,
    /// The chain as it was at the moment of the export.
    events: i64,
    head: &'a str,
}

#[derive(Default)]
struct Written {
    rows: u64,
    /// Events in the chain, and the hash of the last.
    head: (i64, String),
    undecided: Vec<String>,
    /// Rows that cannot be read, and sentences about the first of them.
    damaged: u64,
    said: Vec<String>,
}

/// So many damaged rows are named.
const FIRST_DAMAGED: u64 = 10;

/// The person stopped it.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
struct Stopped;

impl Written {
    /// Says that a row is damaged, and what becomes of it.
    fn damaged(&mut self, row: &Damaged, becomes: &str) {
        self.damaged += 1;
        if self.damaged <= FIRST_DAMAGED {
            self.said.push(format!("{becomes}: {row}"));
        }
    }

    fn next(&mut self, interrupt: &Interrupt) -> Result<(), Stopped> {
        self.rows += 1;
        if interrupt.is_raised() { Err(Stopped) } else { Ok(()) }
    }
}

fn records(
    store: &Store,
    sink: &mut Sink<'_>,
    interrupt: &Interrupt,
    written: &mut Written,
) -> anyhow::Result<()> {
    store.for_each_record(|read| match read {
        Ok(raw) => {
            written.next(interrupt)?;
            sink.write(raw.as_bytes())?;
            sink.write(b"\n")
        }
        Err(damaged) => {
            written.damaged(&damaged, LEFT_OUT);
            Ok(())
        }
    })
}

fn claims(
    store: &Store,
    format: Format,
    sink: &mut Sink<'_>,
    interrupt: &Interrupt,
    written: &mut Written,
) -> anyhow::Result<()> {
    let mut csv = CsvRows::default();
    store.for_each_claim(|read| {
        written.next(interrupt)?;
        if let Some(id) = undecided_of(&read) {
            written.undecided.push(id);
        }
        let row = match read {
            Ok(claim) => ClaimRow::from(claim),
            Err(damaged) => {
                written.damaged(&damaged, "written as DAMAGED");
                let id = damaged.claim.clone().unwrap_or_else(|| ClaimId::new(AuditId::new(""), 0));
                ClaimRow::damaged(id, damaged.to_string())
            }
        };
        sink.row(&row, format, &mut csv)
    })
}

fn decisions(
    store: &Store,
    format: Format,
    sink: &mut Sink<'_>,
    interrupt: &Interrupt,
    written: &mut Written,
) -> anyhow::Result<()> {
    let mut csv = CsvRows::default();
    store.for_each_event(|read| match read {
        Ok(chained) => {
            written.next(interrupt)?;
            let row = EventRow {
                event: &chained.event,
                prev_hash: &chained.prev_hash,
                hash: &chained.hash,
                note: chained.note.as_deref(),
            };
            sink.row(&row, format, &mut csv)
        }
        Err(damaged) => {
            written.damaged(&damaged, LEFT_OUT);
            Ok(())
        }
    })
}

const LEFT_OUT: &str = "left out";

/// The claim's id when acceptance waits for it. One that cannot be read is not accepted, whatever it was.
fn undecided_of(read: &Result<ClaimExport, Damaged>) -> Option<String> {
    match read {
        Ok(claim) => is_undecided(claim).then(|| claim.id.to_string()),
        Err(damaged) => damaged.claim.as_ref().map(ToString::to_string),
    }
}

/// Whether acceptance waits for this claim.
fn is_undecided(claim: &ClaimExport) -> bool {
    claim.risk_level >= Some(RiskLevel::High) && !claim.why.is_empty() && claim.decisions.is_empty()
}

fn undecided(store: &Store) -> anyhow::Result<Vec<String>> {
    let mut ids = Vec::new();
    store.for_each_claim(|read| {
        ids.extend(undecided_of(&read));
        anyhow::Ok(())
    })?;
    Ok(ids)
}

fn refuse(refusal: &NotAccepted, out: &mut Output) -> anyhow::Result<Exit> {
    if out.wants_json() {
        out.json(refusal)?;
    } else {
        out.error(&format!(
            "not accepted: {}; decide with `juror review`:",
            provisional(refusal.undecided.len() as u64)
        ));
        for id in &refusal.undecided {
            out.error(id);
        }
    }
    Ok(Exit::NotEnough)
}

/// What `-o PATH` names.
enum Place {
    /// A regular file, or nothing yet: a new file takes its place when all is written.
    File(PathBuf),
    /// A device, a FIFO or the like, which must stay what it is: it is written into.
    Special(PathBuf, File),
}

impl Place {
    /// Follows symbolic links to what they stand for. Waits for the reader of a FIFO.
    fn find(path: &Path) -> anyhow::Result<Self> {
        let failed = || format!("{} cannot be written", path.display());
        let path = followed(path).with_context(failed)?;
        match std::fs::metadata(&path) {
            Ok(meta) if !meta.is_file() => {
                let file = File::options().write(true).open(&path).with_context(failed)?;
                Ok(Self::Special(path, file))
            }
            // Where nothing can be made, the attempt tells why.
            _ => Ok(Self::File(path)),
        }
    }
}

/// The path that `path` comes to when it is a symbolic link, also to something that is not there yet.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        // What a link of /proc names need not be a path: `/dev/stdout` may stand for a pipe.
        if !path.is_symlink() || path.metadata().is_ok_and(|meta| !meta.is_file()) {
            return Ok(path);
        }
        let target = path.read_link()?;
        path = path.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Where the rows go.
enum Sink<'a> {
    Stdout(&'a mut Output),
    File { writer: io::BufWriter<File>, unfinished: Unfinished, path: &'a Path },
    Special { writer: io::BufWriter<&'a File>, path: &'a Path },
}

/// A file beside its final place, removed unless it is finished.
struct Unfinished(Option<PathBuf>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            let _ = std::fs::remove_file(path);
        }
    }
}

impl<'a> Sink<'a> {
    fn open(place: Option<&'a Place>, out: &'a mut Output) -> anyhow::Result<Self> {
        let path = match place {
            None => return Ok(Self::Stdout(out)),
            Some(Place::Special(path, file)) => {
                return Ok(Self::Special { writer: io::BufWriter::new(file), path });
            }
            Some(Place::File(path)) => path,
        };
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let part = path.with_file_name(name);
        let file = File::create(&part).with_context(|| format!("{} cannot be written", path.display()))?;
        let unfinished = Unfinished(Some(part));
        Ok(Self::File { writer: io::BufWriter::new(file), unfinished, path })
    }

    fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let (written, path) = match self {
            Self::Stdout(out) => return Ok(out.data(bytes)?),
            Self::File { writer, path, .. } => (writer.write_all(bytes), path),
            Self::Special { writer, path } if writer.get_ref().is_terminal() => {
                let shown = visible_lines(&String::from_utf8_lossy(bytes));
                (writer.write_all(shown.as_bytes()), path)
            }
            Self::Special { writer, path } => (writer.write_all(bytes), path),
        };
        written.with_context(|| format!("{} cannot be written", path.display()))
    }

    fn row(&mut self, row: &impl Serialize, format: Format, csv: &mut CsvRows) -> anyhow::Result<()> {
        match format {
            Format::Jsonl => {
                self.write(json_text(row)?.as_bytes())?;
                self.write(b"\n")
            }
            Format::Csv => self.write(&csv.row(row)?),
        }
    }

    fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Stdout(out) => out.flush()?,
            Self::Special { mut writer, path } => {
                writer.flush().with_context(|| format!("{} cannot be written", path.display()))?;
            }
            Self::File { writer, mut unfinished, path } => {
                let failed = || format!("{} cannot be written", path.display());
                writer
                    .into_inner()
                    .map_err(io::IntoInnerError::into_error)
                    .with_context(failed)?
                    .sync_all()?;
                if let Some(part) = unfinished.0.take() {
                    std::fs::rename(part, path).with_context(failed)?;
                }
            }
        }
        Ok(())
    }
}
