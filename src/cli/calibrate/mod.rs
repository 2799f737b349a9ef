//! `juror calibrate`: a judge against the consensus of people on a golden set, kept for whoever relies on the judge.

mod ask;
mod change;
mod exported;
mod former;
mod left_out;
mod stored;
mod told;

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

use super::agreement::coefficient;
use super::annotated;
use super::audit::micros;
use super::judges::{Kept, Opened, Terms, at_once, faithfulness, open};
use super::progress::Progress;
use super::report::Written;
use super::{Context, Exit, Failure, Interrupt, blind};
use crate::config::Origin;
use crate::domain::annotation::Scale;
use crate::domain::calibration::{Calibration, ENOUGH, LEAST_ITEMS};
use crate::domain::event::sha256_hex;
use crate::domain::finding::JudgeIdentity;
use crate::format::annotated::{Subject, Unit};
use crate::instrument::faithfulness;
use crate::judge::{FaithfulnessSettings, Judge};
use crate::measure::annotators::Said;
use crate::prompt::PromptId;
use crate::store::Durability;
use ask::Asker;
use left_out::{LeftOut, said};
use told::Measured;

/// Measure a judge against the consensus of people on a golden set
#[derive(clap::Args)]
#[command(after_help = "\
Without GOLDEN, from the store: what the judge said in its latest audits,
against what people said of the same claims before they were shown it (blind
review), or, if no claim was judged blind, the decisions that stand. Who decides
sees the judge's verdict, so that agreement is higher then; --from chooses. What
was said of the same words at the same place counts for an audit by a new prompt
too: audit again, then `juror calibrate --against last`. The judge is the one
that the settings or --judge name, as it was when it last audited; nothing is
asked.

GOLDEN is JSON Lines. Each item has the verdicts of two annotators or more:
  faithfulness  a record with its claims given, each claim with
                \"annotations\":[{\"annotator\":\"ana\",\"verdict\":\"CONTRADICTED\"},…];
                or {\"id\",\"claim\",\"evidence\":[{\"passage_id\",\"content\"}],
                \"annotations\":[…]}, or with \"votes\":[\"CONTRADICTED\",…]
  support       a pair of `juror score` with
                \"annotations\":[{\"annotator\":\"ana\",\"score\":4},…]
  comparison    an item of `juror compare` with
                \"annotations\":[{\"annotator\":\"ana\",\"baseline_wrong\":false,
                \"candidate_wrong\":true},…]: whether each answer holds a claim
                that the documents do not bear out. Where `juror compare` would
                leave the item out, the judge has no verdict on it
Or the rows of `juror export --what claims`, with the judge's verdicts beside
those of people: then nothing is asked, and nothing kept.
The schema is assets/schemas/golden.json. An item counts when more annotators
say one thing than any other, or when somebody settled a disagreement of two or
more who had not seen the judge: then it is what they said. The others are
listed with the reason. At least 50 must count.
--trust-labels takes \"label\" for the consensus where nobody is named: for
published data sets, whose annotators are several but unknown.

The judge is asked about every item, and held to kappa: plain for verdicts and
answers, with quadratic weights for scores.
  NOT_MEASURED  never, on fewer than 50 items, with a verdict on less than 80 %
                of them, with a failure or a line that cannot be used, or not as
                it is now
  BELOW 0.7     it agrees too little with people
  CALIBRATED    kappa is 0.7 or more
The report has all other figures with their intervals, and every item on which
the judge and people differ. Where there is a store it is kept there, with
model, prompt, settings and data set. A judge with another model, prompt or
settings is NOT_MEASURED again, and so is one whose evidence is retrieved in
another way than the golden set says (\"metadata\":{\"retrieval\":\"bm25-v2\"}).

--against tests whether it got worse, on the same items: kappa now less kappa
then, with its interval, and the exact test of McNemar; both must say so. A
judge that certainly has a verdict on fewer of them is worse as well. `last` is
the newest calibration kept of the same judge and golden set that was made with
another model, prompt, settings or retrieval, that is not NOT_MEASURED, and that
was not found worse itself: whoever runs it again is told the same again. A
golden set is the same by its name or by its lines; an item by its name and its
words. It cannot say where there is no such calibration, or where fewer than 50
items, or items of fewer than 6 records, have a verdict of both.

Exit codes: 130 when interrupted; 4 when the judge failed on an item; 2 when a
line cannot be used; 3 when too few items count, the judge has audited nothing,
or --against cannot say; 1 when kappa is below --min-kappa, or the judge is
worse than the former one; else 0.

Examples:
  juror calibrate
  juror calibrate golden.jsonl --instrument faithfulness
  juror calibrate golden.jsonl --judge near --against last
  juror calibrate pairs.jsonl --instrument support --json > before.json
  juror calibrate pairs.jsonl --instrument support --against before.json")]
pub(super) struct Arguments {
    /// Files or folders of items, or - for standard input (default: the store)
    #[arg(value_name = "GOLDEN")]
    golden: Vec<PathBuf>,
    /// What the judge is asked for
    #[arg(long, value_enum, default_value_t = Instrument::Faithfulness)]
    instrument: Instrument,
    /// Which verdicts of the store (default: blind where there are any, else decisions)
    #[arg(long, value_enum, conflicts_with = "golden")]
    from: Option<stored::From>,
    /// Exit 1 when the judge agrees less with people than this
    #[arg(long, value_name = "KAPPA", default_value_t = ENOUGH, allow_negative_numbers = true, value_parser = coefficient)]
    min_kappa: f64,
    /// Exit 1 when it agrees less than here: a number in the store, `last`, or a file that --json wrote
    #[arg(long, value_name = "FORMER")]
    against: Option<String>,
    /// Take `label` for the consensus of annotators who are not named
    #[arg(long, requires = "golden")]
    trust_labels: bool,
    /// Ask once more without the claims, and tell how many of them the judge finds by itself
    #[arg(long, requires = "golden")]
    decomposition: bool,
    /// Stop before this run has cost so many US dollars; needs `prices` of the judge
    #[arg(long, requires = "golden", value_name = "USD", value_parser = micros)]
    budget: Option<u64>,
    /// Ask a model judge anew, also what it answered before
    #[arg(long, requires = "golden")]
    fresh: bool,
    #[command(flatten)]
    written: Written,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Instrument {
    Faithfulness,
    Support,
    Comparison,
}

impl Instrument {
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Faithfulness => "faithfulness",
            Self::Support => "support",
            Self::Comparison => "comparison",
        }
    }

    pub(super) const fn scale(self) -> Scale {
        match self {
            Self::Faithfulness => Scale::Verdicts,
            Self::Support => Scale::Scores,
            Self::Comparison => Scale::Answers,
        }
    }

    /// The judge as it is asked for this.
    pub(super) fn identity(
        self,
        judge: &dyn Judge,
        settings: &FaithfulnessSettings,
        is_model: bool,
    ) -> JudgeIdentity {
        match self {
            Self::Support => judge.identity_of(PromptId::Support),
            Self::Comparison if is_model => judge.identity_of(PromptId::Comparison),
            Self::Faithfulness | Self::Comparison => faithfulness::identity(judge, settings),
        }
    }

    const fn takes(self, subject: &Subject) -> bool {
        matches!(
            (self, subject),
            (Self::Faithfulness, Subject::Record(_))
                | (Self::Support, Subject::Pair(_))
                | (Self::Comparison, Subject::Rivals(_))
        )
    }
}

/// Something to ask the judge about.
struct Question {
    subject: Subject,
    /// The record that its units are of: they hang together.
    record: String,
    /// Each with what most people say; `None` where it counts for nothing.
    units: Vec<(Unit, Option<usize>)>,
}

/// The golden set.
struct Golden {
    questions: Vec<Question>,
    /// What people said of every unit, with its record, also of those that are left out.
    said: Vec<(String, Said)>,
    left_out: LeftOut,
    name: String,
    sha256: String,
    retrieval: Vec<String>,
    source: Source,
    bad: u64,
}

/// Who the people are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// Those that files name; with labels for people where nobody is named.
    Files { trusts_labels: bool },
    /// Those of the store: what to know of their verdicts.
    Store(&'static str),
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    arguments.written.check(context)?;
    if arguments.golden.is_empty() {
        return of_store(arguments, context);
    }
    let lines = annotated::read(&arguments.golden, context)?;
    if exported::is_one(&lines) {
        exported::run(lines, arguments, context)
    } else {
        of_files(lines, arguments, context)
    }
}

/// What the judge said in the store, against what people said there.
fn of_store(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    blind::refuse(context, "this measures what the judge says of the claims of the store")?;
    let stored = stored::read(arguments, context)?;
    let stored::Stored { golden, answers, identity, better } = stored;
    if !golden.is_enough() {
        return Err(golden.too_few(better));
    }
    let former = former::asked(arguments, &golden, &identity, context)?;
    let measured = Measured::of(arguments, &golden, identity, &answers, former);
    tell(&measured, arguments, true, context)?;
    Ok(measured.exit(golden.bad, context))
}

/// What the judge says of the items of files, against what people say there.
fn of_files(lines: annotated::Lines, arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    let settings = faithfulness(&context.config)?;
    let golden = read(lines, arguments, context);
    if !golden.is_enough() {
        return Err(golden.too_few(None));
    }
    // No store is made that nobody named; one that is there keeps what is measured and paid for.
    let db = &context.config.db;
    let is_kept = db.origin != Origin::Default || db.value.exists();
    let kept = if is_kept { Kept::WithoutRecord } else { Kept::Nowhere };
    let terms = Terms { kept, budget: arguments.budget, fresh: arguments.fresh, ..Terms::default() };
    let Opened { judge, meter, .. } = open(context, terms)?;
    let is_model = context.config.model_judge().is_some();
    let identity = arguments.instrument.identity(&*judge, &settings, is_model);
    let former = former::asked(arguments, &golden, &identity, context)?;
    let interrupt = Interrupt::watch()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let asker = Asker::new(judge, settings, at_once(&context.config), arguments.decomposition);
    let progress = Progress::of_records("judged", Some(golden.questions.len() as u64), context.clock.now());
    let answers = runtime.block_on(asker.all(&golden.questions, &interrupt, progress, context));
    // A judge that does not come to an end must not keep the program from ending.
    runtime.shutdown_background();
    context.out.end_progress();
    if interrupt.is_raised() {
        return Ok(Exit::Interrupted);
    }
    let measured = Measured::of(arguments, &golden, identity, &answers, former);
    tell(&measured, arguments, is_kept, context)?;
    if let (Some(usage), Some(judge)) = (meter.map(|meter| meter.usage()), context.config.model_judge()) {
        context.out.note(&usage.sentence(judge.name(), judge.settings().prices.is_some()));
    }
    if !is_kept {
        context.out.note("juror: kept nowhere: there is no store (name one with --db)");
    }
    Ok(measured.exit(golden.bad, context))
}

/// Writes the report, and keeps it.
fn tell(
    measured: &Measured<'_>,
    arguments: &Arguments,
    is_kept: bool,
    context: &mut Context,
) -> anyhow::Result<()> {
    let mut report = measured.report(context.clock.now())?;
    if is_kept {
        let id = keep(measured, &report, context)?;
        report.name = Some(format!("calibration {id}"));
    }
    arguments.written.write(&report, context)
}

fn keep(measured: &Measured<'_>, report: &crate::report::Report, context: &Context) -> anyhow::Result<i64> {
    let golden = measured.golden;
    let calibration = Calibration {
        made_at: report.made_at,
        instrument: measured.instrument.label().to_owned(),
        identity: measured.identity.clone(),
        data_name: golden.name.clone(),
        data_sha256: golden.sha256.clone(),
        retrieval: golden.retrieval.clone(),
        state: measured.state(),
        items: measured.kappa().n(),
        asked: measured.asked(),
        trusts_labels: golden.source == Source::Files { trusts_labels: true },
        kappa: measured.kappa().value(),
        report: super::output::json_text(report)?,
    };
    Ok(context.open_store(Durability::Normal)?.keep_calibration(&calibration)?)
}

fn read(mut lines: annotated::Lines, arguments: &Arguments, context: &mut Context) -> Golden {
    let scale = arguments.instrument.scale();
    let mut golden = Golden {
        questions: Vec::new(),
        said: Vec::new(),
        left_out: LeftOut::default(),
        name: arguments.golden.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "),
        sha256: sha256_hex(lines.raw.iter().flat_map(|line| [line.as_str(), "\n"])),
        retrieval: Vec::new(),
        source: Source::Files { trusts_labels: arguments.trust_labels },
        bad: 0,
    };
    let (mut seen, mut retrieval) = (HashSet::new(), BTreeSet::new());
    for (place, line) in std::mem::take(&mut lines.read) {
        if !arguments.instrument.takes(&line.subject) {
            let why =
                format!("{place}: nothing that --instrument {} asks about", arguments.instrument.label());
            lines.problem(&why, context);
            continue;
        }
        if let Some(twice) = line.units.iter().find(|unit| !seen.insert(unit.id.clone())) {
            lines.problem(&format!("{place}: {} stands there twice", twice.id), context);
            continue;
        }
        retrieval.extend(line.retrieval);
        let judged = |unit: Unit| {
            golden.said.push((line.record.clone(), said(&unit)));
            let consensus = golden.left_out.consensus(&unit, scale, arguments.trust_labels);
            (unit, consensus)
        };
        let units: Vec<_> = line.units.into_iter().map(judged).collect();
        if units.iter().any(|(_, consensus)| consensus.is_some()) {
            golden.questions.push(Question { subject: line.subject, record: line.record, units });
        }
    }
    golden.retrieval = retrieval.into_iter().collect();
    golden.bad = lines.bad;
    golden
}

impl Golden {
    /// Units that count.
    fn items(&self) -> u64 {
        let units = self.questions.iter().flat_map(|question| &question.units);
        units.filter(|(_, consensus)| consensus.is_some()).count() as u64
    }

    /// Whether they are enough for a measurement.
    fn is_enough(&self) -> bool {
        self.items() >= LEAST_ITEMS
    }

    /// Why there is none, and with which flag there would be one.
    fn too_few(&self, better: Option<&str>) -> anyhow::Error {
        let left_out = self.left_out.sentence().map_or_else(String::new, |sentence| format!(" {sentence}"));
        let better = better.map_or_else(String::new, |flag| format!(" With {flag} there are enough."));
        Failure {
            exit: if self.bad > 0 { Exit::BadInput } else { Exit::NotEnough },
            sentence: format!(
                "{}: {} of the items have a consensus of two annotators or more, and {LEAST_ITEMS} are needed: let two \
                 people judge more of them, and a third settle what they disagree on.{left_out}{better}",
                self.name,
                self.items()
            ),
        }
        .into()
    }
}
