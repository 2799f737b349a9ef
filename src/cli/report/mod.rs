//! `juror report`: what the store has to say, in the form in which it is to be read.

mod audit;
mod dashboard;
mod list;
mod people;
mod written;

use super::{Context, Exit, Failure, blind};
use crate::domain::calibration::{CalibrationNow, CalibrationState};
use crate::domain::ids::ClaimId;
use crate::report::{Condition, Gate, Report, Says};
use crate::store::{InUse, Store};

pub(super) use people::People;
pub(super) use written::Written;

/// Claims that are named when something is not accepted; the rest are counted.
const NAMED: usize = 10;

/// Write a report of audits, of a comparison or calibration that was kept, or of how the work goes
#[derive(clap::Args)]
#[command(after_help = "\
audit        how the claims of the store are ruled at present, by people's
             decisions or else by the judge (the default); where people
             disagree, DISPUTED: open, and counted as the worst that is said
comparison   the comparison of that NAME, or the last one; --list names all
calibration  the measurement of that number, or the last one of the judge that
             the settings or --judge name, auditing for faithfulness; --list too
dashboard    how the work goes, as the screen of that name shows it: verdicts over
             time, judges against people, backlog, people, audits

A report is PROVISIONAL, and says so, while claims that people must decide are
undecided: of audits those routed of HIGH and CRITICAL records, of a comparison
those that it sent to the queue. So is one of audits while HIGH or CRITICAL
records wait for theirs, or none is made, and one of a judge that failed. With
--require-accepted that is exit code 3.
What people ruled against of the claims that a comparison sent to the queue
(CANNOT_JUDGE too) is told first, and counts for the gate's --max-critical and
--max-high by the worst that anybody says; with --require-accepted such a claim,
or an answer that is blocked or returned, is exit code 1.
How each judge of the audits stands against people is told with it; with
--require-calibrated it is exit code 3 unless all are CALIBRATED.

JUnit has a test case for each claim or item, and for each condition of a gate:
a wrong claim is a failure, one without a verdict is skipped.

Exit codes: 1 when the gate of the comparison is closed; 3 when it cannot say,
with --require-accepted while the report is provisional, or with
--require-calibrated and a judge that is not; else 0.

Examples:
  juror report
  juror report --format junit -o audit.xml
  juror report comparison cmp-2 --format markdown")]
pub(super) struct Arguments {
    /// What to report on
    #[arg(value_enum, default_value_t = What::Audit)]
    what: What,
    /// Which one (default: the last)
    name: Option<String>,
    /// Name the comparisons or calibrations that are kept, the newest first
    #[arg(long, conflicts_with_all = ["name", "format", "output", "require_accepted"])]
    list: bool,
    /// Exit 3 while the report is provisional; of a comparison exit 1 when people ruled against what it sent to them
    #[arg(long)]
    require_accepted: bool,
    /// Exit 3 unless every judge of the audits, as it was then, agrees with people well enough (`juror calibrate`)
    #[arg(long, conflicts_with = "list")]
    require_calibrated: bool,
    #[command(flatten)]
    written: Written,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    Audit,
    Comparison,
    Calibration,
    Dashboard,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    blind::refuse(context, "a report tells what the judge and other people say")?;
    arguments.written.check(context)?;
    let is_audit = arguments.what == What::Audit;
    let is_one = is_audit || arguments.what == What::Dashboard;
    if is_one && (arguments.name.is_some() || arguments.list) {
        let sentence = "of a store that is one report; --list goes with `juror report comparison` and `juror report \
                        calibration`";
        return Err(Failure::bad_input(sentence).into());
    }
    if arguments.require_calibrated && !is_audit {
        let sentence = "--require-calibrated goes with the report of audits, and with `juror compare`";
        return Err(Failure::bad_input(sentence).into());
    }
    let store = context.read_store()?;
    if arguments.list {
        return match arguments.what {
            What::Calibration => list::calibrations(&store.calibrations()?, context),
            What::Audit | What::Dashboard | What::Comparison => {
                list::comparisons(&store.comparisons()?, context)
            }
        };
    }
    let mut people = None;
    let (mut report, undecided) = match arguments.what {
        What::Audit => {
            store.snapshot(|| audit::report(&store, arguments.written.has_cases(context), context))?
        }
        What::Comparison => {
            let (report, said) = store.snapshot(|| comparison(&store, arguments.name.as_deref()))?;
            people = Some(said);
            (report, Vec::new())
        }
        What::Dashboard => (dashboard::report(&store, context)?, Vec::new()),
        What::Calibration => (calibration(&store, arguments.name.as_deref(), context)?, Vec::new()),
    };
    let mut conditions = report.gate.take().map(|gate| gate.conditions).unwrap_or_default();
    if arguments.require_accepted {
        let provisional = report.provisional.as_deref();
        conditions.push(match &people {
            Some(people) => people.accepted(provisional),
            None => accepted(&undecided, provisional),
        });
    }
    if arguments.require_calibrated {
        conditions.push(all_calibrated(&store.judges_in_force()?));
    }
    report.gate = (!conditions.is_empty()).then(|| Gate::of(conditions));
    arguments.written.write(&report, context)?;
    let Some(gate) = &report.gate else { return Ok(Exit::Fine) };
    if gate.says != Says::Yes {
        context.out.error(&gate.sentence());
    }
    Ok(match gate.says {
        Says::Yes => Exit::Fine,
        Says::No => Exit::GateSaysNo,
        Says::CannotSay => Exit::NotEnough,
    })
}

/// Whether people have decided what they had to, and nothing else makes the report `provisional`.
fn accepted(undecided: &[ClaimId], provisional: Option<&str>) -> Condition {
    let asked = "--require-accepted";
    if let (true, Some(why)) = (undecided.is_empty(), provisional) {
        return Condition::new(asked, Says::CannotSay, why);
    }
    if undecided.is_empty() {
        return Condition::new(asked, Says::Yes, "everything that people must decide is decided");
    }
    let named: Vec<String> = undecided.iter().take(NAMED).map(ToString::to_string).collect();
    let more = match undecided.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let sentence = format!("undecided: {}{more}; decide with `juror review`", named.join(", "));
    Condition::new(asked, Says::CannotSay, sentence)
}

/// Whether the judge was measured against people, as it is now.
pub(super) fn calibrated(now: Option<&CalibrationNow>) -> Condition {
    let asked = "--require-calibrated";
    match now {
        Some(now) if now.state == CalibrationState::Calibrated => {
            Condition::new(asked, Says::Yes, format!("the judge is CALIBRATED: {}", now.sentence))
        }
        Some(now) => {
            Condition::new(asked, Says::CannotSay, format!("the judge is {}: {}", now.state, now.sentence))
        }
        None => {
            let sentence =
                "there is no store that knows how the judge was measured: name one with --db or JUROR_DB";
            Condition::new(asked, Says::CannotSay, sentence)
        }
    }
}

/// The same of every judge whose audits a report tells of; the first one that is not says no more than that.
fn all_calibrated(judges: &[InUse]) -> Condition {
    let short = judges.iter().find(|one| one.now.state != CalibrationState::Calibrated);
    match short.or(judges.first()) {
        Some(one) => {
            let Condition { asked, says, sentence } = calibrated(Some(&one.now));
            let name = audit::named(one);
            Condition::new(asked, says, sentence.replacen("the judge is", &format!("{name} is"), 1))
        }
        None => Condition::new("--require-calibrated", Says::CannotSay, "nothing was audited"),
    }
}

fn comparison(store: &Store, name: Option<&str>) -> anyhow::Result<(Report, People)> {
    let last = || Ok(store.comparisons()?.into_iter().next().map(|last| last.name));
    let name = name.map_or_else(last, |name| anyhow::Ok(Some(name.to_owned())))?;
    let Some(name) = name else {
        let sentence = "no comparison is kept in this store: `juror compare` with --db or JUROR_DB keeps one";
        return Err(Failure::bad_input(sentence).into());
    };
    let mut report: Report = serde_json::from_str(&store.comparison_report(&name)?).map_err(|error| {
        anyhow::anyhow!("the report of {name} cannot be read ({error}): run `juror verify`")
    })?;
    let people = People::of(store, &name)?;
    people.tell(&mut report);
    report.name = Some(name);
    Ok((report, people))
}

fn calibration(store: &Store, number: Option<&str>, context: &Context) -> anyhow::Result<Report> {
    let judge = &context.config.judge.value;
    let found = match number {
        Some(number) => number.parse().map_or(Ok(None), |number| store.calibration(number))?,
        None => store.latest_calibration("faithfulness", judge)?.map(|(_, last)| last),
    };
    let Some(found) = found else {
        let sentence =
            "no such calibration is kept in this store: `juror calibrate` makes one and tells its number";
        return Err(Failure::bad_input(sentence).into());
    };
    serde_json::from_str(&found.report).map_err(|error| {
        anyhow::anyhow!("the report of the calibration cannot be read ({error}): run `juror verify`")
    })
}
