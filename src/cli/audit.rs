//! `juror audit`: audits what waits, in the foreground, and is a gate for scripts.

mod dry_run;
mod on_duty;

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::gate::{FailOn, InForceGate};
use super::judges::{Opened, Terms, at_once, faithfulness, open};
use super::meter::{Asked, Meter, Usage};
use super::progress::Progress;
use super::share::Share;
use super::{Context, Exit, Failure, Interrupt, Output, blind};
use crate::auditor::{Activity, AuditNews, Auditor, AuditorSettings, Fate, Rest, fate};
use crate::domain::ids::AuditId;
use crate::domain::tally::Tally;
use crate::domain::time::Timestamp;
use crate::domain::verdict::{Severity, Verdict};
use crate::format::inbox::take_inbox;
use crate::store::{Durability, RecordLeases, RequeueFilter, Store, StoreError};
use on_duty::OnDuty;

/// How long a record is leased. Short, so that what a killed auditor had in hand is soon free.
const LEASE: Duration = Duration::from_secs(15);
/// How long an interrupted audit may take to store what is in hand.
pub(super) const GRACE: Duration = Duration::from_secs(2);
/// How many minutes of an outage are waited for, unless somebody says otherwise.
const PATIENCE_MIN: u32 = 10;
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Audit the records that wait, and fail when the gate says so
#[derive(clap::Args)]
#[command(after_help = "\
Exit codes: 130 when interrupted; 4 while a record of the store could not be
audited, now or in an earlier run, when the judge can audit nothing until
something is mended (a key that is refused, a budget that is spent), also with
--watch, when an outage of its server lasts longer than --patience, and when
--fail-on meets a claim that is damaged, which it names;
1 when --fail-on hits; 3 when claims were audited and none got a verdict, and
when --fail-on does not hit but finds claims in the store that have no verdict
and on which nobody decided, more of them than --min-coverage allows for; an
answer that makes no claim needs none; else 0.

With --fail-on too, what waits is audited first: it is no mere question. Claims
of answers that people blocked or returned count, and are told apart;
--undisposed leaves them out, to ask whether anything bad can still go out.

--fail-on goes by what is in force: a person's standing decision, the latest one
of whomever, replaces the judge's verdict and severity. So an override to
FULLY_SUPPORTED lets the gate pass, and one to CONTRADICTED closes it. Where
people ruled worse on the same claim in an earlier audit than the judge says
now, their word counts until somebody decides on the new claim. Why it
says no stands on standard error, also with --quiet, which leaves the counts
out. While routed claims of HIGH or CRITICAL records are undecided, it says
PROVISIONAL there; the JSON counts them. How the judges of the audits stand
against people (`juror calibrate`) is told with the counts.

The program of review.hook is run for what this audits too, as README's table of
settings says; of several on one store one runs it.

Examples:
  juror audit
  juror audit --watch
  juror audit --fail-on CONTRADICTED,CRITICAL --json
  juror audit --again rx-1042
  juror audit --again-failed
  juror audit --judge cloud --dry-run
  juror audit --judge cloud --budget 5")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Arguments {
    /// Go on and audit what arrives, until interrupted
    #[arg(long)]
    watch: bool,
    /// Exit 1 when a claim has this verdict, or this severity or a worse one, as people decided or else
    /// as the judge found. Looks at the current audit of every record in the store, not only at those
    /// audited now: a repeated run does not pass because there was nothing left to do
    #[arg(long, value_name = "VERDICT|SEVERITY", value_delimiter = ',')]
    fail_on: Vec<FailOn>,
    /// With --fail-on: exit 3 when a smaller share of the claims in the store has a verdict or a person's
    /// decision; 0.95 lets one in twenty go without
    #[arg(long, value_name = "SHARE", requires = "fail_on", default_value = "1")]
    min_coverage: Share,
    /// With --fail-on: leave out the claims of answers that people blocked or returned
    #[arg(long, requires = "fail_on")]
    undisposed: bool,
    /// Audit again: the record with this id, or all records. Decisions stay with the audit they were made on
    #[arg(long, value_name = "AUDIT_ID", num_args = 0..=1)]
    #[expect(clippy::option_option, reason = "this is how clap tells a flag from a flag with a value")]
    again: Option<Option<String>>,
    /// Audit again only what failed, and what a model judge left without a verdict, whole or in part; what
    /// it answered before is not asked anew
    #[arg(long, conflicts_with = "again")]
    again_failed: bool,
    /// Records judged at once (default: the judge's own concurrency, or the setting auditor.concurrency)
    #[arg(long, value_name = "N")]
    concurrency: Option<NonZeroUsize>,
    /// Cut answers into claims by sentence, or further where each half can be checked: sentence, atomic
    /// (default: the setting auditor.granularity)
    #[arg(long, value_name = "HOW")]
    pub(super) granularity: Option<String>,
    /// Say what a model judge would be asked, and what that may cost; ask nothing
    #[arg(long, conflicts_with_all = ["watch", "fail_on", "again", "again_failed"])]
    dry_run: bool,
    /// Stop before this run has cost so many US dollars; needs `prices` of the judge
    #[arg(long, value_name = "USD", value_parser = micros)]
    budget: Option<u64>,
    /// Ask a model judge anew, also what it answered before
    #[arg(long)]
    fresh: bool,
    /// While the server of a model judge cannot be reached, leaves records without an answer or asks to wait:
    /// try one record again, after 30 s, 60 s and so on up to 5 minutes, and give up after this many minutes.
    /// With --watch it never gives up
    #[arg(long, value_name = "MINUTES", default_value_t = PATIENCE_MIN)]
    patience: u32,
    /// Do not run the hook: whoever has one and works with this store next tells it
    #[arg(long)]
    no_hook: bool,
}

/// When an audit ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GoingOn {
    /// Never: it is watched for what arrives.
    Watch,
    /// When nothing waits, or an outage lasts longer than this.
    UntilDone { patience: Duration },
}

impl GoingOn {
    fn gives_up(self, rest: Rest, now: Timestamp) -> bool {
        match self {
            Self::Watch => false,
            Self::UntilDone { patience } => now.since(rest.since) >= patience,
        }
    }
}

impl Arguments {
    fn going_on(&self) -> GoingOn {
        if self.watch {
            return GoingOn::Watch;
        }
        GoingOn::UntilDone { patience: Duration::from_mins(self.patience.into()) }
    }
}

/// Dollars as millionths of one.
pub(super) fn micros(text: &str) -> Result<u64, String> {
    let amount = text.strip_prefix('$').unwrap_or(text).parse::<f64>().ok();
    let amount = amount.filter(|amount| *amount > 0.0 && *amount <= 1e9);
    amount
        .map(|amount| (amount * 1e6).ceil() as u64)
        .ok_or_else(|| "use an amount of US dollars, 5 or 0.25".to_owned())
}

/// What an audit brought.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    #[serde(flatten)]
    pub(super) tally: Tally,
    pub(super) seconds: f64,
    /// Why nothing could be judged any more, before everything was audited.
    #[serde(skip)]
    pub(super) halted: Option<String>,
    /// What a model was asked; `None` where none is.
    #[serde(skip)]
    pub(super) usage: Option<Usage>,
}

/// What `juror audit --json` prints.
#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    /// Undecided claims that keep the gate's word from being final; counted for `--fail-on`.
    provisional: Option<u64>,
    /// What `--fail-on` found.
    gate: Option<&'a InForceGate>,
    /// Lines of the inbox that are no records.
    inbox_rejected: u64,
    /// Why nothing could be judged any more.
    halted: Option<&'a str>,
    /// What a model was asked.
    asked: Option<Asked>,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    if context.config.blind.value && !arguments.fail_on.is_empty() {
        return Err(Failure::bad_input(
            "--fail-on names claims by what the judge says, which a blind review hides: leave it out, or \
             take --open",
        )
        .into());
    }
    let db = &context.config.db.value;
    if !arguments.watch && !db.exists() {
        return Err(StoreError::Missing(db.clone()).into());
    }
    if arguments.dry_run {
        return dry_run::run(context);
    }
    let interrupt = Interrupt::watch()?;
    let terms = Terms { budget: arguments.budget, fresh: arguments.fresh, ..Terms::default() };
    let (settings, meter) = auditor_settings(context, arguments.concurrency, terms)?;
    let mut store = context.open_store(Durability::Normal)?;
    if let Some(which) = &arguments.again {
        ask_again(&mut store, which.as_deref())?;
    } else if arguments.again_failed {
        store.requeue_records(RequeueFilter::Failed)?;
    }
    let duty = OnDuty::begin(arguments, context);
    let going_on = arguments.going_on();
    let audited = audit_all(settings, meter.as_deref(), &store, going_on, &interrupt, Some(&duty), context);
    // After the last record, also when it broke off.
    duty.end(&mut context.out);
    let mut summary = audited?;
    summary.usage = meter.map(|meter| meter.usage());
    let gate = store.snapshot(|| {
        InForceGate::look(&store, &arguments.fail_on, arguments.min_coverage, arguments.undisposed)
    })?;
    let inbox_rejected = store.inbox_rejects(0)?.count;
    if context.out.wants_json() {
        let provisional = gate.as_ref().map(InForceGate::undecided);
        let halted = summary.halted.as_deref();
        let asked = summary.usage.map(Usage::asked);
        let gate = gate.as_ref();
        let answer = Answer { summary: &summary, provisional, gate, inbox_rejected, halted, asked };
        context.out.json(&blind::veiled(serde_json::to_value(&answer)?, context))?;
    } else if gate.is_none() || !context.out.is_quiet() {
        let said = match &gate {
            Some(gate) => [summary.in_a_line(), gate.in_force()].join("\n"),
            None => summary.sentences(context.config.blind.value),
        };
        context.out.text(&said)?;
        if let (Some(usage), Some(judge)) = (summary.usage, context.config.model_judge()) {
            let line = usage.sentence(judge.name(), judge.settings().prices.is_some());
            context.out.text(&line)?;
        }
    }
    if interrupt.is_raised() {
        return Ok(Exit::Interrupted);
    }
    if inbox_rejected > 0 {
        context.out.error(&format!(
            "{} of the table `inbox` stayed out: no record; `juror doctor` lists them with the reasons",
            counted(inbox_rejected, "line")
        ));
    }
    let exit = match gate {
        Some(gate) => gate.say(&mut context.out),
        None if context.config.blind.value => Exit::Fine,
        None => no_verdicts(&summary.tally, &mut context.out).unwrap_or(Exit::Fine),
    };
    if let Some(reason) = &summary.halted {
        context.out.error(&format!(
            "{reason}: nothing can be audited until that is mended; the records wait, and the same command goes on \
             with them"
        ));
        return Ok(Exit::RunFailed);
    }
    let failed = store.queue_counts(&context.config.annotator.value, context.clock.now())?.failed;
    Ok(failures(failed, &mut context.out).unwrap_or(exit))
}

/// What it comes to that a run brought no verdict at all, though claims were audited.
pub(super) fn no_verdicts(tally: &Tally, out: &mut Output) -> Option<Exit> {
    (tally.claims > 0 && tally.no_verdict == tally.claims).then(|| {
        out.error("no claim got a verdict; `juror queue` shows why of each");
        Exit::NotEnough
    })
}

/// What it comes to that `failed` records of the store could not be audited.
pub(super) fn failures(failed: u64, out: &mut Output) -> Option<Exit> {
    (failed > 0).then(|| {
        out.error(&format!(
            "{} of the store could not be audited: `juror queue` shows why, `juror audit --again-failed` tries again",
            counted(failed, "record")
        ));
        Exit::RunFailed
    })
}

fn ask_again(store: &mut Store, which: Option<&str>) -> Result<(), StoreError> {
    let one = which.map(AuditId::new);
    store.requeue_records(one.as_ref().map_or(RequeueFilter::All, RequeueFilter::One)).map(drop)
}

/// How the auditor works under these settings.
///
/// # Errors
/// When the judge cannot be asked as the settings say.
pub(super) fn auditor_settings(
    context: &Context,
    concurrency: Option<NonZeroUsize>,
    terms: Terms,
) -> anyhow::Result<(AuditorSettings, Option<Arc<Meter>>)> {
    let config = &context.config;
    let faithfulness = faithfulness(config)?;
    let Opened { judge, meter, .. } = open(context, Terms { at_once: concurrency, ..terms })?;
    let settings = AuditorSettings {
        db: config.db.value.clone(),
        faithfulness,
        judge,
        policy: config.policy(),
        concurrency: concurrency.or(NonZeroUsize::new(at_once(config))).unwrap_or(NonZeroUsize::MIN),
        lease: LEASE,
        clock: Arc::clone(&context.clock),
        take_inbox: |store, clock| take_inbox(store, clock).map(drop),
    };
    Ok((settings, meter))
}

/// Audits until nothing waits any more, in nobody's hand either, until it is interrupted, or until nothing can
/// be judged.
pub(super) fn audit_all(
    settings: AuditorSettings,
    meter: Option<&Meter>,
    store: &Store,
    going_on: GoingOn,
    interrupt: &Interrupt,
    duty: Option<&OnDuty>,
    context: &mut Context,
) -> anyhow::Result<Summary> {
    let began = context.clock.now();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = runtime.block_on(work(settings, meter, store, going_on, interrupt, duty, context));
    // A judge that does not come to an end must not keep the program from ending.
    runtime.shutdown_background();
    context.out.end_progress();
    let (tally, halted) = done?;
    Ok(Summary { tally, seconds: context.clock.now().since(began).as_secs_f64(), halted, usage: None })
}

async fn work(
    settings: AuditorSettings,
    meter: Option<&Meter>,
    store: &Store,
    going_on: GoingOn,
    interrupt: &Interrupt,
    duty: Option<&OnDuty>,
    context: &mut Context,
) -> anyhow::Result<(Tally, Option<String>)> {
    let watch = going_on == GoingOn::Watch;
    let me = context.config.annotator.value.clone();
    let counts = |now| store.queue_counts(&me, now);
    let waiting = counts(context.clock.now())?.waiting;
    let mut shown = Progress::of_records("audited", (!watch).then_some(waiting), context.clock.now());
    if !context.out.shows_progress() {
        shown = shown.in_signs();
    }
    let judge = Arc::clone(&settings.judge);
    let (news, mut heard) = tokio::sync::mpsc::channel(64);
    let auditor = Auditor::spawn(settings, news);
    let progress = auditor.progress();
    let mut told = HashSet::new();
    let (mut broken, mut rested) = (None, None);
    while !interrupt.is_raised() && broken.is_none() {
        tokio::time::sleep(LOOK_EVERY).await;
        let seen = progress.borrow().clone();
        let (activity, tally) = (seen.activity, seen.tally);
        let now = context.clock.now();
        let is_idle = watch && activity == Activity::Idle;
        if (!is_idle || context.out.shows_progress())
            && let Some(line) = shown.line(tally.audited, tally.audited, now)
        {
            let mut line = [line, beside(judge.rest(), meter)].concat();
            if watch {
                line = on_duty::with_state(&line, store, counts(now)?.open_critical, now);
            }
            if context.out.shows_progress() {
                context.out.progress(&line);
            } else {
                context.out.note(&format!("juror: {line}"));
            }
        }
        if let Some(duty) = duty {
            duty.say(&mut context.out);
        }
        if let (Some(rest), Some(reason)) = (seen.rest, &seen.halted)
            && rested.replace(rest) != Some(rest)
        {
            context.out.note(&format!("juror: {reason}; tries again in {} s", rest.wait.as_secs()));
        }
        if activity == Activity::Halted && seen.rest.is_none_or(|rest| going_on.gives_up(rest, now)) {
            break;
        }
        if activity == Activity::Idle && !watch {
            let counts = counts(now)?;
            if counts.waiting + counts.auditing == 0 {
                break;
            }
            for lease in store.record_leases(now)? {
                if let Some(sentence) = waits_for(&lease, now)
                    && told.insert(lease.holder)
                {
                    context.out.note(&sentence);
                }
            }
        }
        while let Ok(news) = heard.try_recv() {
            match news {
                AuditNews::Crashed { reason } if watch => {
                    context.out.note(&format!("juror: the audit broke and is started again: {reason}"));
                }
                AuditNews::Crashed { reason } => broken = Some(reason),
                _ => {}
            }
        }
    }
    let halted = progress.borrow().halted.as_deref().map(str::to_owned);
    let tally = auditor.shutdown(GRACE).await;
    match broken {
        Some(reason) => anyhow::bail!("the audit broke: {reason}"),
        None => Ok((tally, halted)),
    }
}

/// What else a line of progress says: that the server asked to wait, and what was spent.
fn beside(rest: Duration, meter: Option<&Meter>) -> String {
    let asked =
        (rest >= Duration::from_secs(1)).then(|| format!("; the server asks to wait {} s", rest.as_secs()));
    let spent = meter.and_then(|meter| meter.usage().cost_so_far()).map(|cost| format!("; {cost}"));
    [asked, spent].into_iter().flatten().collect()
}

/// What is waited for, and how long; nothing when the auditor is dead, because its records are free in a
/// moment.
fn waits_for(lease: &RecordLeases, now: Timestamp) -> Option<String> {
    let records = counted(lease.records, "record");
    match fate(&lease.holder) {
        Fate::Dead => None,
        Fate::Alive { pid } => Some(format!(
            "{records} in the hand of another auditor (process {pid}): waiting until it is done"
        )),
        Fate::Unknown { host } => Some(format!(
            "{records} in the hand of an auditor that cannot be seen from here (on host {host}): waiting until it \
             is done; if it was killed, {} free in {} s",
            if lease.records == 1 { "it is" } else { "they are" },
            lease.until.since(now).as_secs() + 1,
        )),
    }
}

impl Summary {
    /// The same for people.
    pub(super) fn sentences(&self, is_blind: bool) -> String {
        let tally = &self.tally;
        let mut lines = vec![self.audited()];
        lines.extend(if is_blind { vec![blind::WITHOUT.to_owned()] } else { table(tally) });
        if tally.failed > 0 {
            lines.push(format!("{} could not be audited", counted(tally.failed, "record")));
        }
        lines.join("\n")
    }

    /// The same without its table, beside one of the whole store.
    fn in_a_line(&self) -> String {
        format!("this run: {}", self.audited())
    }

    fn audited(&self) -> String {
        let (records, claims) = (counted(self.tally.audited, "record"), counted(self.tally.claims, "claim"));
        format!("{records} audited in {:.1} s: {claims}", self.seconds)
    }
}

/// How many claims there are of each verdict and severity.
pub(super) fn table(tally: &Tally) -> Vec<String> {
    let line = |label: &str, count: u64| format!("  {label:<20} {count:>8}");
    let verdicts = Verdict::ALL.iter().map(|verdict| line(verdict.label(), tally.of_verdict(*verdict)));
    let mut lines: Vec<String> = verdicts.collect();
    lines.push(line("no verdict", tally.no_verdict));
    let severities = Severity::ALL
        .iter()
        .rev()
        .map(|severity| format!("{severity} {}", tally.by_severity[*severity as usize]))
        .collect::<Vec<_>>();
    lines.push(format!("  severity: {}", severities.join(", ")));
    lines
}

pub(super) fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
