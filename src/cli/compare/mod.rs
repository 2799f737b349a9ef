//! `juror compare`: two versions of the same answers against the same documents, and a gate that keeps a worse one
//! from going out. Needs no store; one that is there keeps what came of it.

mod asking;
mod command;
mod gate;
mod keep;
mod meaning;
mod reading;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use super::audit::{counted, micros};
use super::judges::{Kept, Opened, Terms, at_once, faithfulness, open};
use super::progress::Progress;
use super::share::Share;
use super::{Context, Exit, Failure, Interrupt, PROGRAM};
use crate::config::Origin;
use crate::domain::calibration::CalibrationNow;
use crate::domain::event::sha256_hex;
use crate::domain::finding::JudgeIdentity;
use crate::measure::versions::Versions;
use crate::prompt::PromptId;
use crate::report::comparison::{Compared, Item, LeftOut};
use crate::report::{Fact, Gate, Says};
use asking::{Asked, Asker, Judged, Outcome};
use command::Maker;
use gate::Bounds;
use reading::{Reading, Sources};

pub(super) use gate::severe;

/// Compare two versions of the same answers, and fail when the new one hallucinates more
#[derive(clap::Args)]
#[command(after_help = "\
The answers stand in one file, one JSON object a line:
  {\"id\":\"q1\",\"question\":\"…\",\"documents\":[\"…\"],\"baseline\":\"…\",\"candidate\":\"…\",
   \"risk_level\":\"HIGH\"}
or in two, joined by id, --baseline A --candidate B, each line {\"id\",\"answer\"}
(records as `juror import` reads them will do); the documents stand in one of
them or in --documents FILE, and where they stand twice they are the same. Or
answers are made: --candidate-cmd CMD and --baseline-cmd CMD are run once a
question in place of the side's answer. A document is a text or
{\"passage_id\",\"content\",\"metadata\"}. A line's
\"metadata\":{\"retrieval\":\"bm25-v2\"} says how the documents were found.

CMD is run by `sh -c`, so that pipes and variables work; nothing of the data is
put into it. It gets {\"id\",\"question\",\"documents\",\"side\"} as JSON on standard input
and prints {\"answer\":\"…\"}. What does not end in --cmd-timeout is killed with all
that it started; only what left its process group (setsid) lives on, and is not
waited for. A command that fails is no empty answer: its item is left out by
name, and the run has failed.

A claim is wrong when it is UNSUPPORTED or CONTRADICTED; the rate is of the
claims with a verdict, OUT_OF_SCOPE among them, over all items that both sides
have a rate for. The interval is a paired bootstrap by item, p the exact test of
McNemar on items with a wrong claim. Few items decide little: the report says so.

The gate is closed when the rate rises by more than --max-increase, or the
candidate has more wrong claims that are CRITICAL than --max-critical, or that
are HIGH or CRITICAL than --max-high; those count also in items that count in no
rate, as where the baseline makes no claim. It cannot say when
too few items are compared (--min-items), too few items or claims have a verdict
(--min-coverage), or an item of two files stands in one of them only, unless
--allow-missing; nor when more items have a wrong claim, hardly by chance (p
below 0.05), and the rate does not rise, as where the candidate makes many more
claims.

How alike the answers are is told by their words, and in meaning, by the cosine of
their embeddings, where the settings have a table [embeddings]. No gate goes by it.

Where there is a store (named, or the usual one), the comparison is kept in it,
and the candidate's claims of HIGH or CRITICAL severity or record that are wrong,
or that the judge could not judge, go to the review queue, as records named
cmp-N/ITEM: the report is PROVISIONAL until they are decided, and
--require-accepted makes that exit code 3, and 1 when people ruled against one,
or blocked or returned its answer. For --max-critical and --max-high the worst
counts that people or the judge say of a claim; the rates stay the judge's.
Where the judge says the same again it is the same comparison, with another
gate: `juror report comparison cmp-N` shows the last, as people rule by now.

Exit codes: 130 when interrupted; 4 when a judge or a command failed on an item;
2 when a line is no item, or its documents, an answer or its id do not stand
right; 1 when the gate is closed; 3 when it cannot say; else 0.

Examples:
  juror compare golden.jsonl
  juror compare --baseline v1.jsonl --candidate v2.jsonl --max-critical 0
  juror compare golden.jsonl --candidate-cmd './answer --model new' --json")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Arguments {
    /// Files or folders with both answers in a line, or with the questions; - for standard input
    #[arg(value_name = "ITEMS", required_unless_present = "baseline", conflicts_with_all = ["baseline", "candidate"])]
    items: Vec<PathBuf>,
    /// The present version's answers
    #[arg(long, value_name = "FILE", requires = "candidate")]
    baseline: Option<PathBuf>,
    /// The new version's answers
    #[arg(long, value_name = "FILE", requires = "baseline")]
    candidate: Option<PathBuf>,
    /// The documents of the items of --baseline and --candidate: {"id","documents"} a line
    #[arg(long, value_name = "FILE", requires = "baseline")]
    documents: Option<PathBuf>,
    /// Makes the present version's answers
    #[arg(long, value_name = "CMD", conflicts_with = "baseline")]
    baseline_cmd: Option<String>,
    /// Makes the new version's answers
    #[arg(long, value_name = "CMD", conflicts_with = "candidate")]
    candidate_cmd: Option<String>,
    /// Seconds that a command may take for one answer
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    cmd_timeout: u64,
    /// Commands that run at once
    #[arg(long, value_name = "N", default_value = "4")]
    cmd_at_once: NonZeroUsize,
    /// Exit 1 when the rate of wrong claims rises by more than this: 0.05 are 5 percentage points
    #[arg(long, value_name = "SHARE", default_value = "0.05")]
    max_increase: Share,
    /// Exit 1 when more claims of the candidate than this are wrong and CRITICAL
    #[arg(long, value_name = "N")]
    max_critical: Option<u64>,
    /// Exit 1 when more claims of the candidate than this are wrong and HIGH or CRITICAL
    #[arg(long, value_name = "N")]
    max_high: Option<u64>,
    /// Exit 3 when fewer items are compared
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_items: u64,
    /// Exit 3 when a smaller share of the items is compared, or of either side's claims has a verdict
    #[arg(long, value_name = "SHARE", default_value = "0.9")]
    min_coverage: Share,
    /// Compare what both sides answer, though some items stand on one side only
    #[arg(long, requires = "baseline")]
    allow_missing: bool,
    /// How answers are cut into claims: sentence, atomic (default: the setting auditor.granularity)
    #[arg(long, value_name = "HOW")]
    pub(super) granularity: Option<String>,
    /// Stop before this run has cost so many US dollars; needs `prices` of the judge
    #[arg(long, value_name = "USD", value_parser = micros)]
    budget: Option<u64>,
    /// Ask a model judge anew, also what it answered before
    #[arg(long)]
    fresh: bool,
    /// Exit 3 while claims that this comparison sent to the review queue are undecided; needs a store
    #[arg(long)]
    require_accepted: bool,
    /// Exit 3 unless the judge, as it is now, was measured against people and agrees with them well enough
    /// (`juror calibrate`); needs a store
    #[arg(long)]
    require_calibrated: bool,
    /// Ask no server of embeddings, though the settings name one
    #[arg(long)]
    no_embeddings: bool,
    /// Keep nothing, also where there is a store
    #[arg(long, conflicts_with = "require_accepted")]
    no_store: bool,
    #[command(flatten)]
    written: super::report::Written,
}

impl Arguments {
    fn sources(&self) -> Sources<'_> {
        match (&self.baseline, &self.candidate) {
            (Some(baseline), Some(candidate)) => {
                Sources::Apart { baseline, candidate, documents: self.documents.as_deref() }
            }
            _ => Sources::Together {
                items: &self.items,
                makes: [self.baseline_cmd.is_some(), self.candidate_cmd.is_some()],
            },
        }
    }

    fn bounds(&self) -> Bounds {
        Bounds {
            max_increase: self.max_increase,
            max_critical: self.max_critical,
            max_high: self.max_high,
            min_items: self.min_items,
            min_coverage: self.min_coverage,
        }
    }

    /// What people call the sides.
    fn names(&self) -> [String; 2] {
        let side = |file: Option<&PathBuf>, command: Option<&String>, field: &str| match (file, command) {
            (Some(file), _) => file.display().to_string(),
            (None, Some(command)) => format!("`{command}`"),
            (None, None) => format!(
                "{field} of {}",
                self.items.first().map_or(String::new(), |it| it.display().to_string())
            ),
        };
        [
            side(self.baseline.as_ref(), self.baseline_cmd.as_ref(), "baseline"),
            side(self.candidate.as_ref(), self.candidate_cmd.as_ref(), "candidate"),
        ]
    }
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    for (flag, command) in
        [("--baseline-cmd", &arguments.baseline_cmd), ("--candidate-cmd", &arguments.candidate_cmd)]
    {
        if command.is_some() {
            context.config.may_run(flag)?;
        }
    }
    arguments.written.check(context)?;
    let embeddings = if arguments.no_embeddings { None } else { meaning::settings(context)? };
    let settings = faithfulness(&context.config)?;
    let Reading { items, alone, bad, retrieval } = reading::read(arguments.sources(), context)?;
    if items.is_empty() {
        return Err(nothing(alone.first().map(|one| &one.left_out), bad));
    }
    // No store is made that nobody named; one that is there keeps what is paid for.
    let db = &context.config.db;
    let is_kept = !arguments.no_store && (db.origin != Origin::Default || db.value.exists());
    let kept = if is_kept { Kept::WithoutRecord } else { Kept::Nowhere };
    let terms = Terms { kept, budget: arguments.budget, fresh: arguments.fresh, ..Terms::default() };
    let Opened { judge, meter, budget } = open(context, terms)?;
    // One that is asked for both answers at once is another one than the one that audits them one by one.
    let identity = match context.config.model_judge() {
        Some(_) => judge.identity_of(PromptId::Comparison),
        None => crate::instrument::faithfulness::identity(&*judge, &settings),
    };
    let maker = Maker::new(
        [arguments.baseline_cmd.clone(), arguments.candidate_cmd.clone()],
        Duration::from_secs(arguments.cmd_timeout),
        arguments.cmd_at_once,
    );
    let embeddings = embeddings.map(|server| meaning::server(server, kept, budget, context)).transpose()?;
    let asker = Asker::new(judge, settings, maker, at_once(&context.config));
    let interrupt = Interrupt::watch()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let progress = Progress::of_records("compared", Some(items.len() as u64), context.clock.now());
    let asked = runtime.block_on(asker.compare(items, &interrupt, progress, context));
    context.out.end_progress();
    let (mut scored, mut besides) = (Vec::new(), Vec::new());
    let one_sided = alone.len();
    let (mut left_out, mut digests): (Vec<LeftOut>, Vec<String>) =
        alone.into_iter().map(|one| (one.left_out, one.digest)).unzip();
    for Asked { digest, outcome } in asked {
        digests.push(digest);
        match outcome {
            Outcome::Scored(one) => scored.push(*one),
            Outcome::LeftOut(left, judged) => {
                left_out.push(left);
                besides.extend(judged.map(|one| *one));
            }
        }
    }
    let alike =
        embeddings.as_ref().map(|(server, _)| runtime.block_on(meaning::of(server, &scored, &interrupt)));
    // A judge that does not come to an end must not keep the program from ending.
    runtime.shutdown_background();
    if interrupt.is_raised() {
        return Ok(Exit::Interrupted);
    }
    let [mut items, besides_items] =
        [&scored, &besides].map(|judged| judged.iter().map(Judged::item).collect::<Vec<Item<'_>>>());
    for (item, alike) in items.iter_mut().zip(alike.into_iter().flatten()) {
        item.meaning = Some(alike);
    }
    let versions = Versions::of(scored.iter().map(|one| &one.comparison));
    let [baseline, candidate] = arguments.names();
    let compared = Compared {
        made_at: context.clock.now(),
        program: PROGRAM,
        judge: &identity,
        embeddings: embeddings.as_ref().map(|(server, _)| server.model()),
        baseline: &baseline,
        candidate: &candidate,
        data_sha256: &data_sha256(digests),
        items: &items,
        besides: &besides_items,
        left_out: &left_out,
        versions: &versions,
    };
    // What was asked is paid for: the report is written whatever becomes of the store, and then the run has failed.
    let (calibration, mut lost) = match calibration(&identity, &retrieval, context) {
        Ok(calibration) => (calibration, None),
        Err(error) => (None, Some(error)),
    };
    let mut gate = arguments.bounds().gate(&compared);
    if one_sided > 0 && !arguments.allow_missing {
        gate.conditions.extend(left_out.first().map(|first| gate::one_sided(one_sided, &first.id)));
        gate = Gate::of(gate.conditions);
    }
    if arguments.require_calibrated {
        gate.conditions.push(super::report::calibrated(calibration.as_ref()));
        gate = Gate::of(gate.conditions);
    }
    let mut report = compared.report(Some(gate));
    report
        .facts
        .extend(calibration.map(|now| Fact::new("calibration", format!("{}, {}", now.state, now.sentence))));
    let mut people = None;
    if is_kept {
        let judged: Vec<&Judged> = scored.iter().chain(&besides).collect();
        match keep::keep(&compared, &mut report, &judged, context) {
            Ok(kept) => {
                kept.people.tell(&mut report);
                context.out.note(&kept.sentence());
                report.name = Some(kept.name);
                people = Some(kept.people);
            }
            Err(error) => {
                lost.get_or_insert(error);
            }
        }
    }
    if let Some(error) = &lost {
        let mut conditions = report.gate.take().map(|gate| gate.conditions).unwrap_or_default();
        conditions.push(gate::not_kept(error));
        report.gate = Some(Gate::of(conditions));
        report.provisional =
            Some(format!("it is not kept in the store, and sent nothing to people: {error}"));
    }
    if arguments.require_accepted {
        let mut conditions = report.gate.take().map(|gate| gate.conditions).unwrap_or_default();
        let provisional = report.provisional.as_deref();
        conditions.push(
            people.as_ref().map_or_else(gate::nobody_can_accept, |people: &super::report::People| {
                people.accepted(provisional)
            }),
        );
        report.gate = Some(Gate::of(conditions));
    }
    let says = report.gate.as_ref().map_or(Says::Yes, |gate| gate.says);
    let sentence = report.gate.as_ref().map_or_else(String::new, Gate::sentence);
    arguments.written.write(&report, context)?;
    if let (Some(usage), Some(judge)) = (meter.map(|meter| meter.usage()), context.config.model_judge()) {
        context.out.note(&usage.sentence(judge.name(), judge.settings().prices.is_some()));
    }
    if let Some((server, meter)) = &embeddings {
        context
            .out
            .note(&meter.usage().sentence(&format!("embeddings ({})", server.model()), server.has_prices()));
    }
    let exit = finish(says, &sentence, &left_out, bad, context);
    lost.map_or(Ok(exit), Err)
}

/// How the judge stands as it is now; `None` without a store, which would know.
fn calibration(
    identity: &JudgeIdentity,
    retrieval: &BTreeSet<String>,
    context: &mut Context,
) -> anyhow::Result<Option<CalibrationNow>> {
    if !context.config.db.value.exists() {
        return Ok(None);
    }
    Ok(Some(context.read_store()?.calibration_now("comparison", identity, retrieval)?))
}

/// Says why it is not fine, and how grave that is.
fn finish(says: Says, sentence: &str, left_out: &[LeftOut], bad: u64, context: &mut Context) -> Exit {
    let failed = left_out.iter().filter(|one| one.failed).count() as u64;
    if let Some(first) = left_out.iter().find(|one| one.failed) {
        context.out.error(&format!(
            "{} could not be compared because something failed; the first, {}: {}",
            counted(failed, "item"),
            first.id,
            first.reason
        ));
    }
    if bad > 0 {
        context.out.error(&format!("{}, and what it holds was not compared", lines(bad)));
    }
    if says != Says::Yes {
        context.out.error(sentence);
    }
    match (failed, bad, says) {
        (1.., ..) => Exit::RunFailed,
        (0, 1.., _) => Exit::BadInput,
        (0, 0, Says::No) => Exit::GateSaysNo,
        (0, 0, Says::CannotSay) => Exit::NotEnough,
        (0, 0, Says::Yes) => Exit::Fine,
    }
}

fn lines(count: u64) -> String {
    if count == 1 { "1 line is no item".to_owned() } else { format!("{count} lines are no items") }
}

/// Why nothing is compared.
fn nothing(first: Option<&LeftOut>, bad: u64) -> anyhow::Error {
    let sentence = match (first, bad) {
        (_, 1..) => format!("{}, and there is nothing else to compare", lines(bad)),
        (Some(first), 0) => format!("no item can be compared; the first, {}: {}", first.id, first.reason),
        (None, 0) => "there are no items to compare: the files are empty".to_owned(),
    };
    Failure::bad_input(sentence).into()
}

/// SHA-256 over all items, whatever their order and whatever came of them.
fn data_sha256(mut digests: Vec<String>) -> String {
    digests.sort_unstable();
    sha256_hex(digests.iter().map(String::as_str))
}
