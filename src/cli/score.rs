//! `juror score`: how directly sources bear out claims, from pairs in a file. Needs no store; one that is there keeps
//! what a model was asked.

mod reading;
mod told;

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
use super::{Context, Exit, Failure, Interrupt};
use crate::config::Origin;
use crate::domain::verdict::{Citation, NoVerdict};
use crate::format::pair::Pair;
use crate::format::source::{Input, expand};
use crate::instrument::support;
use crate::judge::{Judge, Reach};
use crate::prompt::PromptId;
use reading::{Line, Lines};
use told::{Report, Row, Said};

/// Pairs that wait for an earlier one to be told, for each that is in hand.
const AHEAD: usize = 4;
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Score how directly sources support claims, from pairs in a file
#[derive(clap::Args)]
#[command(after_help = "\
One JSON object a line:
  {\"claim_id\":\"c1\",\"claim\":\"…\",\"source_id\":\"s1\",\"source\":\"…\",
   \"source_metadata\":{\"date\":\"2024-02-01\"}}
source_metadata may be left out. Each pair gets a score:
  5 Directly Supports      the source says it
  4 Strongly Implies       it follows without more
  3 Partially Supports     a part of it
  2 Weakly Related         the same matter, but not the claim
  1 No Support             or the source says otherwise
It measures support, not truth. A pair that could not be scored has a state and
a reason instead, never a number. Rows come in the order of the pairs.

Scores are kept nowhere. What a model judge was asked and answered is kept in
the store: the one that is named, with --db, JUROR_DB or the setting `db`, else
the usual one if it is there. Then a run that was killed asks nothing twice, and
`juror exchanges` shows it. Without one nothing is kept.

Exit codes: 4 when a pair is FAILED; 2 when a line is no pair; 3 when a pair has
no score, or one that stands on no words of its source (UNGROUNDED); else 0.

Examples:
  juror score pairs.jsonl
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
    let inputs = expand(&arguments.pairs)?;
    for input in &inputs {
        input.probe()?;
    }
    let rubric = arguments.rubric.as_deref().map(rubric).transpose()?;
    // No store is made that nobody named; one that is there keeps what is paid for.
    let db = &context.config.db;
    let is_kept = db.origin != Origin::Default || db.value.exists();
    let kept = if is_kept { Kept::InStore } else { Kept::Nowhere };
    let terms = Terms { kept, budget: arguments.budget, fresh: arguments.fresh, rubric, at_once: None };
    let Opened { judge, meter } = open(context, terms)?;
    let at_once = at_once(&context.config);
    let interrupt = Interrupt::watch()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let report = runtime.block_on(score(judge, at_once, inputs, &interrupt, context));
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
    context: &mut Context,
) -> anyhow::Result<Report> {
    let bytes = inputs.iter().map(Input::size).sum();
    let mut shown = Progress::new("scored", bytes, context.clock.now());
    let mut report = Report::new(&judge.identity_of(PromptId::Support), context)?;
    let mut lines = Lines::of(inputs, at_once);
    let asker = Asker { judge, permits: Arc::new(Semaphore::new(at_once)), over: Arc::default() };
    let mut in_hand = FuturesOrdered::new();
    let mut is_read = false;
    while !(interrupt.is_raised() || is_read && in_hand.is_empty()) {
        tokio::select! {
            Some(row) = in_hand.next(), if !in_hand.is_empty() => report.row(&row, context)?,
            line = lines.next(), if !is_read && in_hand.len() < at_once * AHEAD => match line {
                Some(Line::Pair(pair)) => in_hand.push_back(asker.clone().ask(*pair)),
                Some(Line::Bad(problem)) => report.bad(&problem, context),
                None => is_read = true,
            },
            () = tokio::time::sleep(LOOK_EVERY) => {}
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
    fn ask(self, pair: Pair) -> impl Future<Output = Row> {
        let (claim_id, source_id) = (pair.claim_id.clone(), pair.source.passage_id.clone());
        let task = tokio::spawn(async move { self.answer(&pair).await });
        async move {
            let said = task.await.unwrap_or_else(|_| {
                let reason = "the judge broke on this pair; please report it".to_owned();
                Said::Nothing { state: NoVerdict::Failed, reason }
            });
            Row { claim_id, source_id, said }
        }
    }

    async fn answer(&self, pair: &Pair) -> Said {
        let Ok(_permit) = self.permits.acquire().await else {
            return Said::Nothing { state: NoVerdict::NotChecked, reason: "the program ended".to_owned() };
        };
        if let Some(reason) = self.over.get() {
            return Said::Nothing { state: NoVerdict::NotChecked, reason: format!("not asked: {reason}") };
        }
        match support::score(&*self.judge, &pair.claim, &pair.source).await {
            Ok(reply) => {
                let place =
                    |quote: &Citation| quote.span.and_then(|span| span.to_chars(&pair.source.content));
                let places = reply.key_evidence.iter().map(place).collect();
                Said::Score(Box::new(reply), places)
            }
            Err(failure) => match failure.reach {
                Reach::Record(state) => Said::Nothing { state, reason: failure.reason },
                Reach::Everything | Reach::ForNow => {
                    let reason = self.over.get_or_init(|| failure.reason).clone();
                    Said::Nothing { state: NoVerdict::Failed, reason }
                }
            },
        }
    }
}
