//! `juror score`: how directly sources bear out claims, from pairs in a file. Needs no store; one that is there keeps
//! what a model was asked.

mod citations;
mod keep;
pub(super) mod reading;
mod summary;
mod told;

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use tokio::sync::Semaphore;

use super::audit::micros;
use super::judges::{Kept, Opened, Terms, at_once, open};
use super::progress::Progress;
use super::{Context, Exit, Failure, Interrupt, blind};
use crate::config::Origin;
use crate::domain::time::Timestamp;
use crate::domain::verdict::{Citation, NoVerdict};
use crate::format::import::Problem;
use crate::format::pair::{Pair, parse};
use crate::format::source::{Input, expand};
use crate::instrument::support;
use crate::judge::{Judge, Reach};
use crate::prompt::PromptId;
use crate::store::Durability;
use keep::{Keeper, Queue};
use reading::{Heard, Lines};
use told::{Report, Row, Said};

/// Pairs that wait for an earlier one to be told, for each that is in hand.
const AHEAD: usize = 4;
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Score how directly sources support claims, from pairs in a file
#[derive(clap::Args)]
#[command(after_help = "\
One JSON object a line:
  {\"claim_id\":\"c1\",\"claim\":\"…\",\"source_id\":\"s1\",\"source\":\"…\",
   \"source_metadata\":{\"date\":\"2024-02-01\"}, \"answer_id\":\"a1\",
   \"retrieval\":\"bm25-v2\", \"model_version\":\"m-7\", \"risk_level\":\"HIGH\"}
All from source_metadata on may be left out. Each pair gets a score:
  5 Directly Supports      the source says it
  4 Strongly Implies       it follows without more
  3 Partially Supports     a part of it
  2 Weakly Related         the same matter, but not the claim
  1 No Support             or the source says otherwise
It measures support, not truth. A pair that could not be scored has a state and
a reason instead, never a number. Rows come in the order of the pairs.

Below the pairs, or alone with --summary, stand n, mean, median and the shares
of all scores, by source, answer, retrieval strategy and model, and by claim
where one has several sources; and pairs without a score by their reason. They
are grouped by answer_id, retrieval and model_version, in the pair or in its
source_metadata; the claim rx-1042#3 is of the answer rx-1042 also without. A
claim whose best source scores 1 or 2 is named where the answer is strong
otherwise: at most a third of its claims are weak, and the others' best scores
have a mean of 4 or more.

--queue keeps every pair with its score, judge, model and prompt in the store,
which is made where there is none, and sends the weak ones to people: those with
a score up to `queue.low_support` (3) or low confidence, what has no score that
stands, and a spot check of the rest. --queue N sends the N lowest instead, and
what has no score that stands. In the queue a pair is a claim with its source:
keys 1–5 and `juror decide --score` give it a score. The same pair scored again
with the same result changes nothing.

--citations reads records as of `juror import`, whose answers name passages in
brackets, by number or id: [1], [p2], [1, 3], [2-4], in a sentence or behind it.
Each sentence that says something is scored against all that it cites, and each
citation alone and left out, which is one question and two more for each
citation. 4 and 5 bear out fully, 3 partly, where the words that decide are
located. Recall is the share of sentences borne out; precision that of citations
which do their part: by Liu et al. (2023) over everything, by ALCE (Gao et al.
2023) per answer. Citations of no passage bear nothing out.

Without --queue scores are kept nowhere. What a model judge was asked and
answered is kept in the store: the one that is named, with --db, JUROR_DB or the
setting `db`, else the usual one if it is there. Then a run that was killed asks
nothing twice, and `juror exchanges` shows it. Without one nothing is kept.

Exit codes: 4 when a pair or statement is FAILED; 2 when a line is no pair, or
the same pair stands twice; 3 when there is none, or one has no score, or one
that stands on no words of its source (UNGROUNDED); else 0.

Examples:
  juror score pairs.jsonl
  juror score pairs.jsonl --summary --json
  juror score pairs.jsonl --queue
  juror score pairs.jsonl --queue 20
  juror score records.jsonl --citations
  zcat pairs.jsonl.gz | juror score - --json
  juror score pairs.jsonl --judge near --rubric ours.txt")]
pub(super) struct Arguments {
    /// Files or folders of pairs, or - for standard input
    #[arg(required = true, value_name = "PAIRS")]
    pairs: Vec<PathBuf>,
    /// What each score means, in words of your own, in place of the prompt's rubric
    /// (`juror prompt show support`); only a model follows it
    #[arg(long, value_name = "FILE")]
    rubric: Option<PathBuf>,
    /// Stop before this run has cost so many US dollars; needs `prices` of the judge
    #[arg(long, value_name = "USD", value_parser = micros)]
    budget: Option<u64>,
    /// Ask a model judge anew, also what it answered before
    #[arg(long)]
    fresh: bool,
    /// Keep the pairs with their scores in the store, and send the weak ones, or the N lowest, to people
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = keep::BY_POLICY)]
    queue: Option<Queue>,
    /// Tell only what all pairs come to, not the pairs
    #[arg(long)]
    summary: bool,
    /// The files hold records whose answers cite passages: tell how well they cite
    #[arg(long, conflicts_with_all = ["queue", "summary"])]
    citations: bool,
}

/// A rubric of more bytes leaves too little room for what is scored.
const LONGEST_RUBRIC: usize = 16 << 10;

/// The words of a rubric.
fn rubric(file: &Path) -> Result<String, Failure> {
    let wrong = |why: String| Failure::bad_input(format!("--rubric {}: {why}", file.display()));
    let mut text = String::new();
    // A pipe is welcome, and none is read without an end.
    File::open(file)
        .and_then(|open| open.take(LONGEST_RUBRIC as u64 + 4).read_to_string(&mut text))
        .map_err(|error| wrong(error.to_string()))?;
    let text = text.trim_start_matches('\u{feff}').trim();
    match text.len() {
        0 => Err(wrong("it is empty; it says in words what each score from 1 to 5 means".to_owned())),
        length if length > LONGEST_RUBRIC => {
            Err(wrong(format!("it has more than the {LONGEST_RUBRIC} bytes that a rubric may have")))
        }
        _ => Ok(text.to_owned()),
    }
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    if arguments.queue.is_some() {
        blind::refuse(context, "--queue tells how the judge scores what people are to score")?;
    }
    let inputs = expand(&arguments.pairs)?;
    for input in &inputs {
        input.probe()?;
    }
    let rubric = arguments.rubric.as_deref().map(rubric).transpose()?;
    // No store is made that nobody named; one that is there keeps what is paid for.
    let db = &context.config.db;
    let is_kept = db.origin != Origin::Default || db.value.exists();
    let kept = if is_kept || arguments.queue.is_some() { Kept::InStore } else { Kept::Nowhere };
    let policy = context.config.policy();
    let keeper = match arguments.queue {
        Some(queue) => Some(Keeper::new(context.open_or_create(Durability::Normal)?, policy, queue)),
        None => None,
    };
    let terms = Terms { kept, budget: arguments.budget, fresh: arguments.fresh, rubric, ..Terms::default() };
    let Opened { judge, meter, .. } = open(context, terms)?;
    let at_once = at_once(&context.config);
    let interrupt = Interrupt::watch()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    if arguments.citations {
        let cited = citations::run(judge, at_once, inputs, &interrupt, context);
        let exit = runtime.block_on(cited);
        runtime.shutdown_background();
        if let (Some(meter), Some(judge)) = (meter, context.config.model_judge()) {
            let line = meter.usage().sentence(judge.name(), judge.settings().prices.is_some());
            context.out.note(&line);
        }
        return exit;
    }
    let report = Report::new(&judge.identity_of(PromptId::Support), keeper, arguments.summary, context)?;
    let report = runtime.block_on(score(judge, at_once, inputs, &interrupt, report, context));
    // A judge that does not come to an end must not keep the program from ending.
    runtime.shutdown_background();
    context.out.end_progress();
    let usage = meter.map(|meter| meter.usage());
    report?.finish(usage, interrupt.is_raised(), context)
}

async fn score(
    judge: Arc<dyn Judge>,
    at_once: usize,
    inputs: Vec<Input>,
    interrupt: &Interrupt,
    mut report: Report,
    context: &mut Context,
) -> anyhow::Result<Report> {
    let bytes = inputs.iter().map(Input::size).sum();
    let mut shown = Progress::new("scored", bytes, context.clock.now());
    let mut lines = Lines::of(inputs, at_once, |line, place| parse(line).map(|pair| (pair, place)));
    let asker = Asker { judge, permits: Arc::new(Semaphore::new(at_once)), over: Arc::default() };
    let mut in_hand = FuturesOrdered::new();
    let mut is_read = false;
    let mut places: HashMap<(String, String), String> = HashMap::new();
    while !(interrupt.is_raised() || is_read && in_hand.is_empty()) {
        tokio::select! {
            Some(row) = in_hand.next(), if !in_hand.is_empty() => report.row(&row, context)?,
            line = lines.next(), if !is_read && in_hand.len() < at_once * AHEAD => match line {
                Some(Heard::Item(read)) => {
                    let (pair, place) = *read;
                    let ids = (pair.claim_id.clone(), pair.source.passage_id.as_str().to_owned());
                    if let Some(first) = places.get(&ids) {
                        let reason =
                            format!("the pair `{}` and `{}` stands twice, first at {first}", ids.0, ids.1);
                        report.bad(&Problem { file: place, line: None, reason }, context);
                        continue;
                    }
                    places.insert(ids, place.clone());
                    in_hand.push_back(asker.clone().ask(pair, place, context.clock.now()));
                }
                Some(Heard::Bad(problem)) => report.bad(&problem, context),
                None => is_read = true,
            },
            () = tokio::time::sleep(LOOK_EVERY) => report.store(context)?,
        }
        if let Some(line) = shown.line(report.rows(), lines.bytes_read(), context.clock.now()) {
            context.out.progress(&line);
        }
    }
    Ok(report)
}

/// Asks about one pair after the other, as many at once as the judge bears.
#[derive(Clone)]
struct Asker {
    judge: Arc<dyn Judge>,
    permits: Arc<Semaphore>,
    /// Why nothing more is asked.
    over: Arc<OnceLock<String>>,
}

impl Asker {
    /// In a task of its own, so that pairs are judged on all cores and a panic costs one pair.
    fn ask(self, pair: Pair, place: String, started: Timestamp) -> impl Future<Output = Row> {
        let pair = Arc::new(pair);
        let asked = Arc::clone(&pair);
        let task = tokio::spawn(async move { self.answer(&asked).await });
        async move {
            let said = task.await.unwrap_or_else(|_| {
                let reason = "the judge broke on this pair; please report it".to_owned();
                Said::Nothing { state: NoVerdict::Failed, reason, is_about_pair: true }
            });
            Row { pair, place, started, said }
        }
    }

    async fn answer(&self, pair: &Pair) -> Said {
        let nothing = |state, reason| Said::Nothing { state, reason, is_about_pair: false };
        let Ok(_permit) = self.permits.acquire().await else {
            return nothing(NoVerdict::NotChecked, "the program ended".to_owned());
        };
        if let Some(reason) = self.over.get() {
            return nothing(NoVerdict::NotChecked, format!("not asked: {reason}"));
        }
        match support::score(&*self.judge, &pair.claim, &pair.source).await {
            Ok(reply) => {
                let place =
                    |quote: &Citation| quote.span.and_then(|span| span.to_chars(&pair.source.content));
                let places = reply.key_evidence.iter().map(place).collect();
                Said::Score(Box::new(reply), places)
            }
            Err(failure) => match failure.reach {
                Reach::Record(state) => Said::Nothing { state, reason: failure.reason, is_about_pair: true },
                Reach::Everything | Reach::ForNow => {
                    nothing(NoVerdict::Failed, self.over.get_or_init(|| failure.reason).clone())
                }
            },
        }
    }
}
