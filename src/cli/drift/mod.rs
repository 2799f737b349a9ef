//! `juror drift`: whether what comes in lately is still as good as what came in before.

mod gathered;
mod looked;
mod times;
mod told;

use std::time::Duration;

use super::report::Written;
use super::share::Share;
use super::{Context, Exit, Failure, blind};
use crate::clock;
use crate::domain::time::Timestamp;
use crate::domain::until;
use crate::report::Says;
use gathered::{By, Gathered};
use looked::Drift;

/// Whoever waits for the answer must get it.
const LONGEST_HOOK: Duration = Duration::from_secs(10);

/// Tell whether verdicts, severities and scores have shifted, and where
#[derive(clap::Args)]
#[command(after_help = "\
Two windows of the store are compared, by the time at which records came in:
the last --window, and the --baseline before it. --since DATE begins the later
window there, --since 15:05 when it was last so late. What counts is what the
judge says of the claims of the current audits; an answer that makes no claim
counts nowhere. It compares, and does not say whether either window is good:
in an incident that began before both, nothing shifts.

Looked at are all claims together, and by the judge with its prompt, by what
the record's metadata say its answer was made with (\"model_version\",
\"prompt_version\", \"retrieval\"), and by the source of the evidence that is
cited first (a passage's metadata \"source\", else its id). A model, prompt,
retrieval or judge that had fewer than --min-items claims before, or claims of
fewer than --min-answers answers, is held to all claims of that time; one that
has fewer of late is named.

  verdicts    the four verdicts
  absences    whether there is a verdict
  severities  of the claims that are wrong
  grave       the same among all claims with a verdict, of which there are more
  scores      support of these claims, 1 to 5
  pairs       the same of claim-source pairs (`juror score --queue`)
  PSI         population stability index: above 0.1 watch, above 0.25 shift
  p           chi-square: how probable such a difference is by chance; divided
              among all groups that are looked at, so that many groups make no
              alarm of their own
  SHIFT       PSI above 0.25, and p below --level
  FALL        the share of wrong claims (UNSUPPORTED, CONTRADICTED), of those
              without a verdict, of HIGH and CRITICAL ones or of scores of 1
              and 2 rises by more than --max-rise, and p below --level
  BETTER      less of that, PSI above 0.1 and p below --level, by the same
              judges with the same prompts. Where the judge changed it is a
              SHIFT: one that finds less may be blind. Nor is it BETTER where
              one bad class grew (say CRITICAL) or the rest shifted with p
              below 0.05, however many groups there are.

Over time, the tables show verdicts, the shares that are wrong, and wrong with
HIGH or CRITICAL, and mean scores, in eight stretches: of all claims, or with
--by model (judge, prompt, retrieval, source) of each of the ten largest groups.
The JSON form has the twenty largest of every kind.

Claims of one answer hang together: p allows for it by the design effect of the
answers (Rao and Scott), in which the smaller window rules, and each interval by
that of its own window. The JSON form tells it for each measure. The distance of
confidences takes each claim for itself; it makes no alarm.

On a SHIFT or FALL the exit code is 1, the worst pairs of claim and source in
the later window are named, and the hook of `review.hook` is run, which gets
what moved and the ids of these claims as JSON on standard input (--no-hook does
not).

Exit codes: 0, also where what moved is BETTER; 1 on a SHIFT or FALL; 2 usage; 3
when a window has fewer than --min-items claims with a verdict, or scored pairs,
or of fewer than --min-answers answers, or a claim cannot be read. Pairs beside
enough verdicts are left aside, and that is said, where there are none of late,
or too few in both windows.

Examples:
  juror drift
  juror drift --window 1d --baseline 7d --max-rise 0.02
  juror drift --by model
  juror drift --since 2026-11-01 --format markdown -o drift.md")]
pub(super) struct Arguments {
    /// How long the later window is, up to now: 12h, 7d, 4w
    #[arg(long, value_name = "TIME", default_value = "7d", value_parser = duration)]
    window: Duration,
    /// When the later window begins, in place of --window: 2026-11-01, a time with its zone, or 15:05
    #[arg(long, value_name = "DATE", conflicts_with = "window", value_parser = since)]
    since: Option<Since>,
    /// How long the window before it is
    #[arg(long, value_name = "TIME", default_value = "28d", value_parser = duration)]
    baseline: Duration,
    /// How much the share of what is bad may rise: 0.05 are 5 percentage points
    #[arg(long, value_name = "SHARE", default_value = "0.05")]
    max_rise: Share,
    /// How probable a difference may be by chance and count all the same
    #[arg(long, value_name = "P", default_value = "0.01")]
    level: Share,
    /// The fewest claims with a verdict, or scored pairs, that each window, and each group, must have
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    min_items: u64,
    /// The fewest answers that these claims must be of, at most --min-items: those of one answer hang together
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    min_answers: u64,
    /// Whose verdicts, severities and scores the tables over time show: a table for each
    #[arg(long, value_name = "KIND", default_value = "all", value_enum)]
    by: By,
    /// Do not run the hook
    #[arg(long)]
    no_hook: bool,
    #[command(flatten)]
    written: Written,
}

fn duration(text: &str) -> Result<Duration, String> {
    let span = until::span(&text.to_lowercase()).filter(|span| !span.is_zero());
    span.ok_or_else(|| "a time like 12h, 7d or 4w".to_owned())
}

/// When the later window begins.
#[derive(Debug, Clone, Copy)]
enum Since {
    At(Timestamp),
    /// The last time that a clock of the computer's zone showed this.
    Clock(jiff::civil::Time),
}

impl Since {
    fn instant(self, now: Timestamp) -> Option<Timestamp> {
        let time = match self {
            Self::At(at) => return Some(at),
            Self::Clock(time) => time,
        };
        let zone = clock::zone();
        let here = jiff::Timestamp::from_millisecond(now.millis()).ok()?.to_zoned_datetime(zone.clone());
        let on = |day: jiff::civil::Date| {
            let at = day.to_datetime(time).to_zoned_datetime(zone.clone()).ok()?;
            Some(Timestamp::from_millis(at.timestamp().as_millisecond()))
        };
        let today = on(here.date())?;
        if today < now { Some(today) } else { on(here.date().yesterday().ok()?) }
    }
}

fn since(text: &str) -> Result<Since, String> {
    let day = format!("{text}T00:00:00Z");
    let at = text.parse().or_else(|_| day.parse());
    at.map(Since::At).or_else(|_| text.parse().map(Since::Clock)).map_err(|_| {
        "a day like 2026-11-01, 2026-11-01T09:00:00Z, or a time like 15:05 on the computer's clock".to_owned()
    })
}

/// As tables and facts show it.
fn minute(at: Timestamp) -> String {
    at.to_string().chars().take(16).collect::<String>().replace('T', " ")
}

/// From `start` to `middle`, and from there to `end`.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: Timestamp,
    middle: Timestamp,
    end: Timestamp,
}

impl Span {
    fn of(arguments: &Arguments, now: Timestamp) -> Result<Self, Failure> {
        let back = |from: Timestamp, by: Duration| {
            Timestamp::from_millis(
                from.millis().saturating_sub(i64::try_from(by.as_millis()).unwrap_or(i64::MAX)),
            )
        };
        // What came in at this very moment counts.
        let end = now.plus(Duration::from_millis(1));
        let since = arguments.since.and_then(|since| since.instant(now));
        let middle = since.unwrap_or_else(|| back(end, arguments.window));
        if middle >= end {
            return Err(Failure::bad_input(format!("--since {middle} is still to come")));
        }
        Ok(Self { start: back(middle, arguments.baseline), middle, end })
    }
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    blind::refuse(context, "this tells what the judge says of the claims of the store")?;
    arguments.written.check(context)?;
    let now = context.clock.now();
    let span = Span::of(arguments, now)?;
    let gathered = Gathered::read(&context.read_store()?, span)?;
    let drift = Drift::of(&gathered, arguments);
    let gate = drift.gate();
    let exit = match gate.says {
        Says::Yes => Exit::Fine,
        Says::CannotSay => Exit::NotEnough,
        Says::No => Exit::GateSaysNo,
    };
    arguments.written.write(&drift.report(gate, arguments.by, now), context)?;
    let argv = &context.config.hook.value;
    if exit == Exit::GateSaysNo && !arguments.no_hook && !argv.is_empty() {
        let json = drift.for_hook().to_string();
        if let Err(problem) = crate::duty::call(argv, &json, LONGEST_HOOK) {
            context.out.error(&format!("review.hook: {problem}"));
        }
    }
    Ok(exit)
}
