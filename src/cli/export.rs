//! `juror export`: records as they came, claims with the people's verdicts, the chain of events.

use std::path::PathBuf;

use serde::Serialize;

use super::output::json_text;
use super::sink::{Place, Sink};
use super::{Context, Exit, Failure, Interrupt, Output};
use crate::domain::ids::{AuditId, ClaimId};
use crate::domain::word::Word;
use crate::format::out::{ClaimRow, CsvRows, EventRow};
use crate::store::{ClaimExport, Damaged, Store};

/// Write records, claims or decisions as JSON Lines or CSV
#[derive(clap::Args)]
#[command(after_help = "\
records    every imported line, byte for byte: `juror import` reads it back
claims     the claims of the current audits: the judge's verdict and evidence,
           and what people decided; in `earlier` what they decided on the same
           claim in an earlier audit, which does not count for this one;
           `review` is OPEN where a person is asked, UNROUTED where nobody is
decisions  the chain of events in order; `hash` is the SHA-256 of `prev_hash`, a
           line feed and the compact JSON of the fields up to `payload_sha256`,
           and of `batch` where the event has one

A claims export is PROVISIONAL while routed claims of HIGH or CRITICAL records
are undecided, or in dispute between people: it says so on
standard error, also with --quiet. With
--require-accepted it then writes nothing, lists them and exits 3. Everything in
an export is of one moment. Rows are JSON Lines, one object a line, also with
--json, which elsewhere prints one value; with -o FILE, --json prints what was
written.

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
    /// To this file instead of standard output; an existing one is replaced when all is written, a device,
    /// FIFO or open file (/dev/stdout, /dev/fd/3) is written into
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
    if let Some(path) = &arguments.output {
        context.refuse_store_file(path)?;
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
    if written.disputed > 0 {
        let (disputed, rows) = (written.disputed, written.rows);
        out.note(&format!("juror: {disputed} of {rows} claims are in dispute, with no verdict of people: `juror agreement --open` names them"));
    }
    if written.unkept > 0 {
        out.note(&format!(
            "juror: {} of {} claims have a blind verdict that is neither kept nor changed: `juror review --blind` of \
             whoever committed it",
            written.unkept, written.rows
        ));
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

/// Whether somebody committed a blind verdict on the claim and has not had their last word.
fn is_unkept(claim: &ClaimExport) -> bool {
    claim.blind.iter().any(|(who, _)| claim.decisions.iter().all(|(other, _)| other != who))
}

/// What to say while `undecided` claims keep a result from being final.
pub(super) fn provisional(undecided: u64) -> String {
    format!("PROVISIONAL: {}", undecided_at_risk(undecided))
}

/// So many claims wait for people.
pub(super) fn undecided_at_risk(undecided: u64) -> String {
    match undecided {
        1 => "1 routed claim of a HIGH or CRITICAL record is undecided".to_owned(),
        _ => format!("{undecided} routed claims of HIGH or CRITICAL records are undecided"),
    }
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
    /// Claims on which people disagree and nobody settled it, and those with a blind verdict that was neither kept nor changed.
    disputed: u64,
    unkept: u64,
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
    let mut csv = CsvRows::of(ClaimRow::COLUMNS);
    store.for_each_claim_and_replaced(|read| {
        written.next(interrupt)?;
        if let Some(id) = undecided_of(&read) {
            written.undecided.push(id);
        }
        if let Ok(claim) = &read {
            written.disputed += u64::from(claim.word() == Word::Disputed);
            written.unkept += u64::from(is_unkept(claim));
        }
        let row = match read {
            Ok(claim) => ClaimRow::from(claim),
            Err(damaged) => {
                written.damaged(&damaged, "written as DAMAGED");
                let id = damaged.claim.clone().unwrap_or_else(|| ClaimId::new(AuditId::new(""), 0));
                ClaimRow::damaged(id, damaged.to_string())
            }
        };
        write_row(&row, format, &mut csv, sink)
    })
}

fn decisions(
    store: &Store,
    format: Format,
    sink: &mut Sink<'_>,
    interrupt: &Interrupt,
    written: &mut Written,
) -> anyhow::Result<()> {
    let mut csv = CsvRows::of(EventRow::COLUMNS);
    store.for_each_event(|read| match read {
        Ok(chained) => {
            written.next(interrupt)?;
            let row = EventRow {
                event: &chained.event,
                prev_hash: &chained.prev_hash,
                hash: &chained.hash,
                note: chained.note.as_deref(),
            };
            write_row(&row, format, &mut csv, sink)
        }
        Err(damaged) => {
            written.damaged(&damaged, LEFT_OUT);
            Ok(())
        }
    })
}

fn write_row(
    row: &impl Serialize,
    format: Format,
    csv: &mut CsvRows,
    sink: &mut Sink<'_>,
) -> anyhow::Result<()> {
    match format {
        Format::Jsonl => sink.write((json_text(row)? + "\n").as_bytes()),
        Format::Csv => sink.write(&csv.row(row)?),
    }
}

const LEFT_OUT: &str = "left out";

/// The claim's id when acceptance waits for it. One that cannot be read is not accepted, whatever it was.
fn undecided_of(read: &Result<ClaimExport, Damaged>) -> Option<String> {
    match read {
        Ok(claim) => claim.is_undecided_at_risk().then(|| claim.id.to_string()),
        Err(damaged) => damaged.claim.as_ref().map(ToString::to_string),
    }
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
