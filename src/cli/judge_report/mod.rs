//! `juror judge-report`: how well a judge does on labelled files, beside two floors.

mod ask;
mod table;
mod told;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::judges::{Kept, Opened, Terms, faithfulness, open};
use super::progress::Progress;
use super::{Context, Exit, Interrupt};
use crate::format::labelled::{Labelled, parse};
use crate::format::native::{MAX_LINE, too_long};
use crate::format::source::{Answer, Heard, Input, expand};
use crate::instrument::faithfulness::identity;
use crate::text::sanitize::shortened;
use ask::Bench;
use told::{FileReport, Report};

/// The sample that ships with juror, as file name and lines: one source a file.
const SAMPLE: &[(&str, &str)] = &[
    ("scifact.jsonl", include_str!("../../../assets/labelled/scifact.jsonl")),
    ("fm2.jsonl", include_str!("../../../assets/labelled/fm2.jsonl")),
    ("summedits.jsonl", include_str!("../../../assets/labelled/summedits.jsonl")),
    ("jnli.jsonl", include_str!("../../../assets/labelled/jnli.jsonl")),
    ("farstail.jsonl", include_str!("../../../assets/labelled/farstail.jsonl")),
    ("answers.jsonl", include_str!("../../../assets/labelled/answers.jsonl")),
];

/// Rows in hand at once, and their bytes: what a file holds besides is not in memory.
const BATCH_ROWS: usize = 128;
const BATCH_BYTES: usize = MAX_LINE;
/// Rejected lines printed one by one; the rest are counted.
const ERRORS_PRINTED: usize = 20;

/// Measure the judge on labelled claims, beside two floors that judge nothing
#[derive(clap::Args)]
#[command(after_help = "\
Reads labelled claims, one JSON object a line:
  {\"id\":\"7\",\"claim\":\"…\",\"evidence\":[{\"passage_id\":\"p\",\"content\":\"…\"}],
   \"label\":\"CONTRADICTED\",\"lang\":\"en\",
   \"spans\":[{\"passage_id\":\"p\",\"start\":0,\"end\":25}]}
and answers whose claims are marked (\"gold_claims\" or \"gold_spans\", [{\"start\",
\"end\"}], in the form that `juror import` reads). Offsets count characters.

  verdicts   share of the claims with a verdict
  bal. acc.  balanced accuracy of FULLY_SUPPORTED against all else; a claim
             without a verdict counts as not supported
  AUROC      of the probability of support: the confidence of FULLY_SUPPORTED,
             1 - confidence of another verdict, 0 without a verdict
  contradicted  precision and recall of that verdict, in files with that label
  ECE        expected calibration error of the confidence, 10 bins; in a file
             with two labels a verdict is right when it says supported or not
             rightly, else when it is the label
  span F1    words cited against the words marked, the best of alternatives
  chars      median number of characters cited for a claim
  claims/s   on one core
  words      a floor: share of the claim's content words that stand in the
             evidence, with the best threshold there is for that very file
  sentence   a floor: the sentence with most of the claim's words, as citation

A row that the judge failed at counts in no figure, nor in the floors', and the
report says how many there are: all columns are of the same rows.

A marked claim of an answer is found when a claim of the judge shares at least
half of the characters that either holds, or when claims of the judge that lie
inside it hold two thirds of it.

Exit code 2 when a line is no labelled row, 4 when the judge failed.

Examples:
  juror judge-report
  juror judge-report dev/ --worst 5
  juror judge-report claims.jsonl.gz --limit 200 --json")]
pub(super) struct Arguments {
    /// Files or folders of labelled rows (default: the sample that ships with juror)
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The first rows of each file only
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Show of each file the wrong verdicts that the judge was surest of
    #[arg(long, value_name = "N", default_value_t = 0)]
    worst: usize,
    /// How answers are cut into claims: sentence, atomic (default: the setting auditor.granularity)
    #[arg(long, value_name = "HOW")]
    pub(super) granularity: Option<String>,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    let inputs = expand(&arguments.files)?;
    for input in &inputs {
        input.probe()?;
    }
    let terms = Terms { kept: Kept::Nowhere, ..Terms::default() };
    let Opened { judge, .. } = open(context, terms)?;
    let settings = faithfulness(&context.config)?;
    // The local judge is timed, on every core there is.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let at_once = context.config.model_judge().map_or(cores, |judge| judge.settings().concurrency);
    let interrupt = Interrupt::watch()?;
    let bytes = inputs.iter().map(Input::size).sum::<Option<u64>>().filter(|_| !inputs.is_empty());
    let mut measurement = Measurement {
        bench: Bench::new(&*judge, &settings, at_once)?,
        arguments,
        interrupt: &interrupt,
        progress: Progress::new("judged", bytes, context.clock.now()),
        read: Arc::new(AtomicU64::new(0)),
        done: 0,
        rejected: 0,
        batch: Vec::new(),
        batch_bytes: 0,
        context,
    };
    let mut files = Vec::new();
    if inputs.is_empty() {
        for (name, text) in SAMPLE {
            files.push(measurement.sample(name, text)?);
        }
    }
    for input in &inputs {
        files.push(measurement.file(input)?);
    }
    let rejected = measurement.rejected;
    context.out.end_progress();
    if interrupt.is_raised() {
        return Ok(Exit::Interrupted);
    }
    let report = Report::new(&identity(&*judge, &settings), &files, rejected);
    if context.out.wants_json() {
        context.out.json(&report)?;
    } else {
        context.out.text(&table::text(&report))?;
    }
    if rejected > ERRORS_PRINTED {
        let more = rejected - ERRORS_PRINTED;
        context.out.error(&format!("{more} more lines are no labelled rows"));
    }
    if let Some(reason) = files.iter().find_map(|file| file.failures.first()) {
        context.out.error(reason);
        return Ok(Exit::RunFailed);
    }
    Ok(if rejected > 0 { Exit::BadInput } else { Exit::Fine })
}

/// The files as they are read and judged, a batch at a time.
struct Measurement<'a> {
    bench: Bench<'a>,
    arguments: &'a Arguments,
    interrupt: &'a Interrupt,
    progress: Progress,
    /// Bytes read of all files.
    read: Arc<AtomicU64>,
    /// Rows judged of all files.
    done: u64,
    /// Lines of all files that are no labelled rows.
    rejected: usize,
    batch: Vec<Labelled>,
    batch_bytes: usize,
    context: &'a mut Context,
}

impl Measurement<'_> {
    fn sample(&mut self, name: &str, text: &str) -> anyhow::Result<FileReport> {
        let mut report = FileReport::new(name, self.arguments.worst);
        for (number, line) in (1..).zip(text.lines()) {
            if self.line(&mut report, number, Ok(line.as_bytes()))?.is_break() {
                break;
            }
        }
        self.judge(&mut report)?;
        Ok(report)
    }

    fn file(&mut self, input: &Input) -> anyhow::Result<FileReport> {
        let mut report = FileReport::new(input.name(), self.arguments.worst);
        let mut failed = None;
        let read = Arc::clone(&self.read);
        let ended = input.lines(&read, &mut |heard| match heard {
            Heard::Line(number, line) => self.line(&mut report, number, line).unwrap_or_else(|error| {
                failed = Some(error);
                ControlFlow::Break(())
            }),
            Heard::Pause => ControlFlow::Continue(()),
        });
        if let Some(error) = failed {
            return Err(error);
        }
        if let Err(error) = ended {
            let place = if error.after_line > 0 {
                format!("after line {}: ", error.after_line)
            } else {
                String::new()
            };
            self.reject(&mut report, None, &format!("{place}{}", error.reason));
        }
        self.judge(&mut report)?;
        Ok(report)
    }

    /// Takes one line in, and judges what is in hand when that is enough.
    fn line(
        &mut self,
        report: &mut FileReport,
        number: u64,
        line: Result<&[u8], usize>,
    ) -> anyhow::Result<Answer> {
        if self.interrupt.is_raised() {
            self.batch.clear();
            return Ok(ControlFlow::Break(()));
        }
        let limit = self.arguments.limit.unwrap_or(u64::MAX);
        if report.rows() + self.batch.len() as u64 >= limit {
            return Ok(ControlFlow::Break(()));
        }
        match line {
            Ok(line) if line.trim_ascii().is_empty() => {}
            Ok(line) => match parse(line) {
                Ok(row) => {
                    self.batch.push(row);
                    self.batch_bytes += line.len();
                }
                Err(reason) => self.reject(report, Some(number), &reason),
            },
            Err(length) => self.reject(report, Some(number), &too_long(length)),
        }
        if self.batch.len() >= BATCH_ROWS || self.batch_bytes >= BATCH_BYTES {
            self.judge(report)?;
        }
        Ok(ControlFlow::Continue(()))
    }

    fn judge(&mut self, report: &mut FileReport) -> anyhow::Result<()> {
        self.batch_bytes = 0;
        for judgement in self.bench.judge(&std::mem::take(&mut self.batch))? {
            report.add(judgement);
            self.done += 1;
        }
        let read = self.read.load(Ordering::Relaxed);
        if let Some(line) = self.progress.line(self.done, read, self.context.clock.now()) {
            self.context.out.progress(&line);
        }
        Ok(())
    }

    fn reject(&mut self, report: &mut FileReport, line: Option<u64>, reason: &str) {
        self.rejected += 1;
        report.rejected += 1;
        if self.rejected <= ERRORS_PRINTED {
            let place = line.map_or_else(String::new, |line| format!("{line}:"));
            self.context.out.error(&format!("{}:{place} {}", report.name, shortened(reason)));
        }
    }
}
