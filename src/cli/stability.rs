//! `juror stability`: whether a judge says the same when it is asked the same again.

mod told;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use tokio::sync::Semaphore;

use super::agreement::coefficient;
use super::audit::micros;
use super::judges::{Kept, Opened, Terms, at_once, faithfulness, open};
use super::score::LOOK_EVERY;
use super::score::reading::{Heard, Lines, Parse, Taken};
use super::share::Share;
use super::{Context, Exit, Failure, Interrupt};
use crate::domain::finding::{AuditState, Finding, Outcome};
use crate::domain::verdict::{NoVerdict, Verdict};
use crate::format::source::{Input, expand};
use crate::format::{native, pair};
use crate::instrument::{faithfulness as audit, support};
use crate::judge::{FaithfulnessSettings, Judge, JudgeFailure, Reach};
use crate::store::NewRecord;
use told::{Item, Least, Name, Silence, Sum};

/// Ask a judge the same several times, and measure whether it says the same
#[derive(clap::Args)]
#[command(after_help = "\
The input is pairs, as of `juror score`, or with --instrument faithfulness
records, as of `juror import`. Each is put to the judge --runs times, past the
cache, at its own temperature; or --runs times at each of --temperatures.

Told are, for each item that two runs or more rated: how often two runs agree
(raw agreement), and Krippendorff's alpha, ordinal for scores and nominal for
verdicts; and the items that do not always get the same, those that differ most
first. An alpha is undefined where every rating is the same one: then nothing
shows whether the judge tells items apart. With several temperatures both are
told over all runs, which --min-alpha is held to, and over those at each. A run
that gave no score or verdict is no rating; it is counted. Claims of records are
told apart by their own id, else by their words; where a record says the same
twice, by their order.

A judge that always gives the same agrees with itself. That says nothing about
whether it is right: `juror calibrate` does.

Exit codes: 4 when a run failed on an item; 2 for bad input; 3 when fewer than
--min-items items were rated twice, fewer ratings than --min-coverage were
given, or --min-alpha is asked for and alpha is undefined; 1 when alpha is below
--min-alpha; else 0.

Examples:
  juror stability pairs.jsonl --judge near
  juror stability pairs.jsonl --judge near --runs 3 --temperatures 0,0.7
  juror stability records.jsonl --instrument faithfulness --judge near
  juror stability pairs.jsonl --judge near --min-alpha 0.8 --json")]
pub(super) struct Arguments {
    /// Files or folders of pairs or records, or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// What is asked: support (scores of pairs) or faithfulness (verdicts on records)
    #[arg(long, value_name = "NAME", default_value = "support", value_parser = ["support", "faithfulness"])]
    instrument: String,
    /// How often each item is asked, at each temperature
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=50))]
    runs: u8,
    /// Temperatures from 0 to 2 to ask at, in place of the judge's own
    #[arg(long, value_name = "T,..", value_delimiter = ',', value_parser = temperature)]
    temperatures: Vec<f64>,
    /// Exit 1 when alpha is below this
    #[arg(long, value_name = "A", value_parser = coefficient, allow_negative_numbers = true)]
    min_alpha: Option<f64>,
    /// Exit 3 when fewer items were rated by two runs
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    min_items: u64,
    /// Exit 3 when a smaller share of the ratings was given
    #[arg(long, value_name = "SHARE", default_value = "0.5")]
    min_coverage: Share,
    /// Stop before all this has cost so many US dollars; needs `prices` of the judge
    #[arg(long, value_name = "USD", value_parser = micros)]
    budget: Option<u64>,
}

fn temperature(text: &str) -> Result<f64, String> {
    let value = text.trim().parse::<f64>().ok().filter(|value| (0.0..=2.0).contains(value));
    value.ok_or_else(|| "use numbers from 0 to 2 with a comma between".to_owned())
}

/// Inputs that wait for an earlier one to be told, for each that is in hand.
const AHEAD: usize = 2;

/// One of the repetitions.
#[derive(Clone)]
struct Run {
    judge: Arc<dyn Judge>,
    /// `None` for the judge's own.
    temperature: Option<f64>,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    let inputs = expand(&arguments.inputs)?;
    for input in &inputs {
        input.probe()?;
    }
    if !arguments.temperatures.is_empty() && context.config.model_judge().is_none() {
        let why = "the local judge has no temperature: leave --temperatures away, or choose a model with --judge NAME";
        return Err(Failure::bad_input(why).into());
    }
    let points: Vec<Option<f64>> = match arguments.temperatures.as_slice() {
        [] => vec![None],
        some => some.iter().copied().map(Some).collect(),
    };
    if points.len() * usize::from(arguments.runs) < 2 {
        return Err(Failure::bad_input("one run has nothing to agree with: ask for --runs 2 or more").into());
    }
    let is_pairs = arguments.instrument == "support";
    let settings = if is_pairs { FaithfulnessSettings::default() } else { faithfulness(&context.config)? };
    let (mut runs, mut meters) = (Vec::new(), Vec::new());
    for temperature in &points {
        let terms = Terms {
            kept: Kept::Nowhere,
            // Each temperature may spend its share.
            budget: arguments.budget.map(|budget| budget / points.len() as u64),
            fresh: true,
            temperature: *temperature,
            ..Terms::default()
        };
        let Opened { judge, meter, .. } = open(context, terms)?;
        meters.extend(meter);
        for _ in 0..arguments.runs {
            runs.push(Run { judge: Arc::clone(&judge), temperature: *temperature });
        }
    }
    let permits = at_once(&context.config);
    let interrupt = Interrupt::watch()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let asked = Asked { runs, settings, permits: Arc::new(Semaphore::new(permits)), over: Arc::default() };
    let sum = runtime.block_on(ask(asked, is_pairs, permits, inputs, &interrupt, context));
    // A judge that does not come to an end must not keep the program from ending.
    runtime.shutdown_background();
    let sum = sum?;
    for meter in meters {
        if let Some(judge) = context.config.model_judge() {
            let line = meter.usage().sentence(judge.name(), judge.settings().prices.is_some());
            context.out.note(&line);
        }
    }
    let least =
        Least { alpha: arguments.min_alpha, items: arguments.min_items, coverage: arguments.min_coverage };
    sum.tell(least, interrupt.is_raised(), context)
}

/// What is asked of whom.
#[derive(Clone)]
struct Asked {
    runs: Vec<Run>,
    settings: FaithfulnessSettings,
    permits: Arc<Semaphore>,
    /// Why nothing more is asked.
    over: Arc<OnceLock<String>>,
}

/// Ratings of an input by the names of what was rated; or why there is none.
type Found = Vec<(Name, Result<usize, Silence>)>;

async fn ask(
    asked: Asked,
    is_pairs: bool,
    at_once: usize,
    inputs: Vec<Input>,
    interrupt: &Interrupt,
    context: &mut Context,
) -> anyhow::Result<Sum> {
    let temperatures = asked.runs.iter().map(|run| run.temperature).collect();
    let identity = asked.runs[0].judge.identity();
    let mut sum = Sum::new(is_pairs, identity, temperatures);
    // A pair is asked about as the record that it is.
    let parse: Parse<NewRecord> = if is_pairs {
        |line, place| pair::parse(line).map(|pair| pair.record(place))
    } else {
        |line, place| native::parse(line, place).map(|parsed| parsed.record)
    };
    let mut lines = Lines::of(inputs, at_once, parse);
    let (mut in_hand, mut taken, mut is_read) = (FuturesOrdered::new(), Taken::default(), false);
    while !(interrupt.is_raised() || is_read && in_hand.is_empty()) {
        tokio::select! {
            Some(items) = in_hand.next(), if !in_hand.is_empty() => {
                let items: Result<Vec<Item>, tokio::task::JoinError> = items;
                for item in items? {
                    sum.add(item);
                }
            }
            line = lines.next(), if !is_read && in_hand.len() < at_once * AHEAD => match line {
                Some(Heard::Item(new)) => {
                    if taken.is_first(named(is_pairs, &new), &new.source, context) {
                        let asked = asked.clone();
                        in_hand.push_back(tokio::spawn(async move { asked.items(is_pairs, &new).await }));
                    }
                }
                Some(Heard::Bad(problem)) => taken.bad(&problem, context),
                None => is_read = true,
            },
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
    sum.bad = taken.finish(context);
    Ok(sum)
}

/// What an input is called: a pair by its two ids, whatever its words are.
fn named(is_pairs: bool, new: &NewRecord) -> String {
    let claim = new.record.given_claims.first().and_then(|claim| claim.claim_id.as_deref());
    match (is_pairs, claim, new.record.passages.first()) {
        (true, Some(claim), Some(passage)) => {
            format!("the pair `{claim}` and `{}`", passage.passage_id.as_str())
        }
        _ => format!("the record `{}`", new.record.audit_id),
    }
}

impl Asked {
    /// Puts one input to all runs at once.
    async fn items(&self, is_pairs: bool, new: &NewRecord) -> Vec<Item> {
        let answers = self.runs.iter().map(|run| async move {
            let Ok(_permit) = self.permits.acquire().await else {
                return Err(Silence::failed("the program ended".to_owned()));
            };
            if let Some(reason) = self.over.get() {
                return Err(Silence::failed(format!("not asked: {reason}")));
            }
            if is_pairs { self.scored(run, new).await } else { self.judged(run, new).await }
        });
        let answers = futures_util::future::join_all(answers).await;
        let (mut items, mut silences) = (Vec::<Item>::new(), Vec::new());
        for (run, answer) in answers.into_iter().enumerate() {
            match answer {
                Ok(found) => {
                    for (name, rating) in found {
                        let item = Item::of(&mut items, &name, self.runs.len());
                        match rating {
                            Ok(rating) => item.rated(run, rating),
                            Err(silence) => item.silent(silence),
                        }
                    }
                }
                Err(silence) => silences.push(silence),
            }
        }
        // A run that said nothing of the input has left a gap in each item that others found; only where none found
        // any the input itself is one.
        if !silences.is_empty() && items.is_empty() {
            Item::of(&mut items, &Name::of(new.record.audit_id.as_str()), self.runs.len());
        }
        if let Some(first) = items.first_mut() {
            for silence in silences {
                first.silent(silence);
            }
        }
        items
    }

    /// What a judge that failed means for this question, and for all that follow.
    fn silence(&self, failure: JudgeFailure) -> Silence {
        match failure.reach {
            Reach::Record(state) => {
                Silence { is_failure: state == NoVerdict::Failed, reason: failure.reason }
            }
            Reach::Everything | Reach::ForNow => {
                Silence::failed(self.over.get_or_init(|| failure.reason).clone())
            }
        }
    }

    async fn scored(&self, run: &Run, new: &NewRecord) -> Result<Found, Silence> {
        let record = &new.record;
        let name = Name::of(record.audit_id.as_str());
        let Some(passage) = record.passages.first() else { return Ok(Vec::new()) };
        let asked = support::score(&*run.judge, &record.answer, passage).await;
        let reply = asked.map_err(|failure| self.silence(failure))?;
        let rating = if reply.is_grounded {
            Ok(usize::from(reply.score.get()) - 1)
        } else {
            Err(Silence { is_failure: false, reason: AuditState::Ungrounded.label().to_owned() })
        };
        Ok(vec![(name, rating)])
    }

    async fn judged(&self, run: &Run, new: &NewRecord) -> Result<Found, Silence> {
        let record = &new.record;
        let asked = audit::audit(&*run.judge, record, &self.settings).await;
        let result = asked.map_err(|failure| self.silence(failure))?;
        // What stands for a whole answer is none of its claims.
        if let [Finding { outcome: Outcome::NotJudged { state: state @ NoVerdict::NoClaims, .. }, .. }] =
            result.findings.as_slice()
        {
            return Err(Silence { is_failure: false, reason: state.label().to_owned() });
        }
        let mut said: HashMap<String, usize> = HashMap::new();
        let named = result.findings.into_iter().map(|finding| {
            let claim = finding.given_id.unwrap_or(finding.claim_text);
            let nth = said.entry(claim.clone()).and_modify(|nth| *nth += 1).or_insert(1);
            let name = Name { words: format!("{}: {claim}", record.audit_id), nth: *nth };
            let rating = match &finding.outcome {
                Outcome::Judged(judged) => {
                    Ok(Verdict::ALL.iter().position(|one| *one == judged.verdict).unwrap_or(0))
                }
                other => Err(Silence {
                    is_failure: other.state() == AuditState::NoVerdict(NoVerdict::Failed),
                    reason: other.state().label().to_owned(),
                }),
            };
            (name, rating)
        });
        Ok(named.collect())
    }
}
