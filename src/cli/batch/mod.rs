//! `juror batch`: audits what waits over the provider's batches. One command hands over, waits, brings back and audits,
//! and goes on where an earlier one ended.

mod answer;

use std::sync::Arc;
use std::time::Duration;

use self::answer::{Answer, CameBack, HandedOver, Waiting};
use super::audit::{GRACE, auditor_settings, failures, no_verdicts};
use super::judges::{Kept, Terms, faithfulness, harness, options};
use super::meter::Meter;
use super::{Context, Exit, Failure, Interrupt, blind};
use crate::auditor::batch::{BatchFailure, Batcher, Found, Look, Progress};
use crate::auditor::{Activity, AuditNews, Auditor, AuditorSettings, StoreLedger};
use crate::domain::batch::BatchKey;
use crate::domain::ids::RecordKey;
use crate::domain::tally::Tally;
use crate::judge::batch::BatchError;
use crate::judge::settings::ModelSettings;
use crate::judge::wire::batch::is_known;
use crate::store::StoreError;

/// The first wait between two looks at a batch; each is half as long again.
const FIRST: Duration = Duration::from_secs(5);
const LONGEST: Duration = Duration::from_mins(5);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Audit the records that wait over the provider's batches: cheaper, within a day
#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "one for each flag")]
#[command(after_help = "\
For judges of the providers openai and anthropic. The first question about every
record goes into batches, the very one that `juror audit` would ask. What comes
back is read like any other reply and kept as an exchange; records that are
answered are audited without another call. What a batch leaves open is asked by
single calls: a reply to be repaired, a sentence it says nothing of, the next
window of evidence. With --no-live it waits, and goes into the next batch.
Questions that expired or came to nothing are handed over again by the next run.

Every step is noted in the store. Stopped or killed, the same command goes on:
nothing is handed over twice, and nothing that was paid for is lost. Do not
audit the same records by other means meanwhile: they would be paid for twice.

Exit codes: as for `juror audit`: 130 when interrupted; 4 while a record of the
store could not be audited, and when it cannot go on (a refused key, a batch the
server does not take, a store that cannot be written); 3 when claims were
audited and none got a verdict; 2 when the server has no batches.

Examples:
  juror batch --judge cloud --dry-run
  juror batch --judge cloud
  juror batch --judge cloud --once --json")]
pub(super) struct Arguments {
    /// Wait until everything has come back (this is what it does unless told otherwise)
    #[arg(long, conflicts_with = "once")]
    wait: bool,
    /// Look once at each batch, and do not wait: for a timer
    #[arg(long)]
    once: bool,
    /// Hand over so many records at most in this run
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Ask nothing by single calls: what a batch leaves open waits
    #[arg(long)]
    no_live: bool,
    /// Say what would be handed over; change nothing
    #[arg(long, conflicts_with_all = ["wait", "once", "no_live"])]
    dry_run: bool,
    /// Look at the batches every so many seconds (default: after 5, then ever less often, every 5 minutes at last)
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    every: Option<Duration>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| (0.01..=86_400.0).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "use seconds, 0.01 to 86400".to_owned())
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    let db = context.config.db.value.clone();
    if !db.exists() {
        return Err(StoreError::Missing(db).into());
    }
    let model = model(context)?;
    let interrupt = Interrupt::watch()?;
    let options = options(context, Kept::InStore)?;
    let ledger = Arc::new(StoreLedger::open(&db)?);
    let harness = harness(context, model.clone(), ledger, None, false, &options)?;
    let settings = faithfulness(&context.config)?;
    let clock = Arc::clone(&context.clock);
    let batcher = Batcher::open(&db, Arc::new(harness), options, settings, arguments.no_live, clock)
        .map_err(|error| told(error, &model.name))?;
    let (mut auditor, meter) = auditor_settings(context, None, Terms::default())?;
    // Only what is handed to it is audited.
    auditor.take_inbox = |_, _| Ok(());
    let answer =
        Answer { judge: model.name.clone(), model: model.endpoint.model.clone(), ..Answer::default() };
    let has_prices = model.prices.is_some();
    let mut course =
        Course { arguments, batcher, auditor, meter, interrupt, context, answer, model, halted: None };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = runtime.block_on(course.run());
    runtime.shutdown_background();
    let Course { context, answer, meter, interrupt, halted, .. } = course;
    context.out.end_progress();
    done?;
    let tally = answer.audit;
    let usage = meter.filter(|_| !arguments.dry_run && !arguments.no_live).map(|meter| meter.usage());
    if context.out.wants_json() {
        let answer = Answer { asked: usage.map(super::meter::Usage::asked), ..answer };
        let mut json = serde_json::to_value(&answer)?;
        if let Some(audit) = json.get_mut("audit") {
            *audit = blind::veiled(audit.take(), context);
        }
        context.out.json(&json)?;
    } else {
        context.out.text(&answer.in_words(usage, has_prices, context.config.blind.value))?;
    }
    if interrupt.is_raised() {
        let judge = &context.config.judge.value;
        context.out.error(&format!(
            "stopped; what was handed over goes on at the provider, and `juror batch --judge {judge}` goes on here"
        ));
        return Ok(Exit::Interrupted);
    }
    end(context, &tally, halted)
}

/// What it comes to, and why.
fn end(context: &mut Context, tally: &Tally, halted: Option<String>) -> anyhow::Result<Exit> {
    if let Some(reason) = halted {
        context.out.error(&format!("{reason}; the records wait, and the same command goes on with them"));
        return Ok(Exit::RunFailed);
    }
    let store = context.read_store()?;
    let failed = store.queue_counts(&context.config.annotator.value, context.clock.now())?.failed;
    let is_blind = context.config.blind.value;
    let out = &mut context.out;
    Ok(failures(failed, out).or_else(|| no_verdicts(tally, out).filter(|_| !is_blind)).unwrap_or(Exit::Fine))
}

/// The model that is to judge, if batches can be handed over to it.
fn model(context: &Context) -> anyhow::Result<ModelSettings> {
    let Some(model) = context.config.open_model(&super::variable)? else {
        return Err(Failure::bad_input(
            "the local judge needs no batches: `juror audit` is done at once; name a model with --judge NAME",
        )
        .into());
    };
    let protocol = model.endpoint.protocol;
    if !is_known(protocol) {
        return Err(Failure::bad_input(format!(
            "[judge.{}] is of the provider {}, for which juror knows no batches: use `juror audit`",
            model.name,
            protocol.label()
        ))
        .into());
    }
    Ok(model)
}

fn told(error: BatchFailure, judge: &str) -> anyhow::Error {
    match error {
        BatchFailure::Store(error) => error.into(),
        BatchFailure::Server(BatchError::NoBatches(reason)) => Failure::bad_input(format!(
            "the server of [judge.{judge}] has no batches ({reason}): use `juror audit`, or look at `base_url`"
        ))
        .into(),
        BatchFailure::Server(BatchError::Denied(reason)) => {
            let sentence = format!("{reason}; see `keys` or `key_env` in [judge.{judge}]");
            Failure { exit: Exit::RunFailed, sentence }.into()
        }
        other => Failure { exit: Exit::RunFailed, sentence: other.to_string() }.into(),
    }
}

/// One run.
struct Course<'a> {
    arguments: &'a Arguments,
    batcher: Batcher,
    auditor: AuditorSettings,
    meter: Option<Arc<Meter>>,
    interrupt: Interrupt,
    context: &'a mut Context,
    answer: Answer,
    model: ModelSettings,
    /// Why it cannot go on.
    halted: Option<String>,
}

/// It was interrupted, or nothing can be done any more.
struct Over;

type Step<T> = anyhow::Result<Result<T, Over>>;

/// The value of a step; what is over ends the run.
macro_rules! or_over {
    ($step:expr) => {
        match $step? {
            Ok(value) => value,
            Err(Over) => return Ok(()),
        }
    };
}

/// Waits for `work` unless the person wants to stop.
macro_rules! unless_interrupted {
    ($interrupt:expr, $work:expr) => {
        tokio::select! {
            done = $work => Some(done),
            () = raised($interrupt) => None,
        }
    };
}

async fn raised(interrupt: &Interrupt) {
    while !interrupt.is_raised() {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

impl Course<'_> {
    async fn run(&mut self) -> anyhow::Result<()> {
        if self.arguments.dry_run {
            let found = self.batcher.look(Look::Only).await.map_err(|error| told(error, &self.model.name))?;
            self.answer.dry_run = true;
            self.handed_over(&found);
            self.left(&found);
            return self.close();
        }
        let before = self.batcher.counts(BatchKey(0)).map_err(|error| told(error, &self.model.name))?;
        let worked = self.work().await;
        let after = self.batcher.counts(BatchKey(0)).map_err(|error| told(error, &self.model.name))?;
        self.answer.came_back = CameBack::between(before, after);
        worked.and_then(|()| self.close())
    }

    /// What is open at the end.
    fn close(&mut self) -> anyhow::Result<()> {
        let open = self.batcher.open_batches().map_err(|error| told(error, &self.model.name))?;
        self.answer.open_batches = open.into_iter().map(Into::into).collect();
        self.answer.stopped.clone_from(&self.halted);
        Ok(())
    }

    async fn work(&mut self) -> anyhow::Result<()> {
        let Some(open) = unless_interrupted!(&self.interrupt, self.batcher.take_over()) else {
            return Ok(());
        };
        self.say_notes();
        for batch in open.map_err(|error| told(error, &self.model.name))? {
            let id = batch.remote_id.as_deref().unwrap_or(&batch.tag);
            self.say(&format!("going on with the batch {id} of {} questions", batch.questions));
        }
        let most = self.arguments.limit.unwrap_or(usize::MAX);
        let found = or_over!(self.look(Look::Submit { most }).await);
        self.handed_over(&found);
        if found.batches > 0 {
            let batches = if found.batches == 1 { "batch" } else { "batches" };
            self.say(&format!("handed over {} questions in {} {batches}", found.questions, found.batches));
        }
        or_over!(self.audit(found).await);
        self.collect().await
    }

    /// Looks at the open batches until there is none, or once.
    async fn collect(&mut self) -> anyhow::Result<()> {
        let mut wait = self.arguments.every.unwrap_or(FIRST);
        loop {
            let open = self.batcher.open_batches().map_err(|error| told(error, &self.model.name))?;
            let (mut is_any_here, mut failed) = (false, None);
            for batch in &open {
                let Some(polled) = unless_interrupted!(&self.interrupt, self.batcher.poll(batch)) else {
                    return Ok(());
                };
                self.say_notes();
                let id = batch.remote_id.as_deref().unwrap_or(&batch.tag);
                match polled {
                    Ok(Progress::Collected) => {
                        is_any_here = true;
                        self.say(&format!("the batch {id} is here"));
                    }
                    Ok(Progress::Working { status, done, total }) => {
                        let count = match (done, total) {
                            (Some(done), Some(total)) => format!(", {done} of {total}"),
                            _ => String::new(),
                        };
                        self.context.out.progress(&format!("{} open, {id}: {status}{count}", open.len()));
                    }
                    Err(BatchFailure::Server(BatchError::Unsure(reason) | BatchError::Refused(reason))) => {
                        self.say(&format!("the batch {id} cannot be looked at now: {reason}"));
                        if self.arguments.once {
                            self.halted = Some(format!("the batch {id} cannot be looked at: {reason}"));
                        }
                    }
                    // One that cannot be had does not keep the others from being brought back.
                    Err(error @ BatchFailure::Server(_)) => {
                        self.say(&format!("the batch {id} cannot be looked at: {error}"));
                        failed = Some(error);
                    }
                    Err(error) => return Err(told(error, &self.model.name)),
                }
            }
            if is_any_here {
                let found = or_over!(self.look(Look::Read).await);
                or_over!(self.audit(found).await);
                wait = self.arguments.every.unwrap_or(FIRST);
            }
            if let Some(error) = failed {
                return Err(told(error, &self.model.name));
            }
            let is_done = self.batcher.open_batches().is_ok_and(|open| open.is_empty());
            if is_done || self.arguments.once {
                return Ok(());
            }
            let slept = unless_interrupted!(&self.interrupt, tokio::time::sleep(wait));
            if slept.is_none() {
                return Ok(());
            }
            if self.arguments.every.is_none() {
                wait = (wait * 3 / 2).min(LONGEST);
            }
        }
    }

    /// Goes through the waiting records. A batch that cannot be handed over does not keep the others from being
    /// brought back.
    async fn look(&mut self, look: Look) -> Step<Found> {
        let Some(found) = unless_interrupted!(&self.interrupt, self.batcher.look(look)) else {
            return Ok(Err(Over));
        };
        self.say_notes();
        match found {
            Ok(found) => {
                self.left(&found);
                Ok(Ok(found))
            }
            Err(BatchFailure::Server(error @ (BatchError::Unsure(_) | BatchError::Refused(_)))) => {
                self.stop(format!("a batch could not be handed over: {error}"))
            }
            Err(BatchFailure::Stopped(reason)) => self.stop(reason),
            Err(error) => Err(told(error, &self.model.name)),
        }
    }

    fn stop(&mut self, reason: String) -> Step<Found> {
        let open = self.batcher.open_batches().map_err(|error| told(error, &self.model.name))?;
        if open.is_empty() || self.arguments.once {
            self.halted = Some(reason);
            return Ok(Err(Over));
        }
        self.say(&reason);
        self.halted = Some(reason);
        Ok(Ok(Found::default()))
    }

    /// Audits what is answered, and what only single calls can finish.
    async fn audit(&mut self, found: Found) -> Step<()> {
        let mut records: Vec<RecordKey> = found.ready;
        if !self.arguments.no_live {
            records.extend(found.wanting);
        }
        if records.is_empty() {
            return Ok(Ok(()));
        }
        let (news, mut heard) = tokio::sync::mpsc::channel(64);
        let auditor = Auditor::spawn_for(self.auditor.clone(), news, records);
        let progress = auditor.progress();
        let (mut is_over, mut broken) = (false, None);
        loop {
            while let Ok(news) = heard.try_recv() {
                if let AuditNews::Crashed { reason } = news {
                    broken = Some(reason);
                }
            }
            let activity = progress.borrow().activity;
            match activity {
                // What it had taken is not among its records any more when it is started again: whatever waits is
                // left to the next run.
                activity if broken.is_some() || activity == Activity::Broken => {
                    let reason = broken.map_or(String::new(), |reason| format!(": {reason}"));
                    self.halted = Some(format!("the audit broke{reason}"));
                    is_over = true;
                    break;
                }
                Activity::Idle => break,
                Activity::Halted => {
                    self.halted = progress.borrow().halted.as_deref().map(str::to_owned);
                    is_over = true;
                    break;
                }
                _ if self.interrupt.is_raised() => {
                    is_over = true;
                    break;
                }
                _ => tokio::time::sleep(LOOK_EVERY / 5).await,
            }
        }
        self.answer.audit.add(&auditor.shutdown(GRACE).await);
        Ok(if is_over { Err(Over) } else { Ok(()) })
    }

    fn handed_over(&mut self, found: &Found) {
        self.answer.handed_over = HandedOver {
            batches: found.batches,
            records: found.records,
            questions: found.questions,
            bytes: found.bytes,
        };
    }

    /// What waits after this look.
    fn left(&mut self, found: &Found) {
        self.answer.waiting = Waiting {
            for_batches: found.under_way + if self.arguments.dry_run { 0 } else { found.records },
            for_next_run: found.left,
            for_calls: if self.arguments.no_live { found.wanting.len() as u64 } else { 0 },
            damaged: found.damaged,
        };
    }

    fn say_notes(&mut self) {
        for note in self.batcher.notes() {
            self.context.out.error(&note);
            self.answer.notes.push(note);
        }
    }

    fn say(&mut self, sentence: &str) {
        self.context.out.note(&format!("juror: {sentence}"));
    }
}
