//! How the store's work goes: what judges said over time, how far they agree with people, what waits, who decided how
//! much, and how the audits get on. Sums that are kept with every change, and few rows: whatever the size of the file.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::civil::Date;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Deserialize;

use super::hours::{self, Hour, Version};
use super::{Fallible, Store, StoreError, rows};
use crate::domain::calibration::CalibrationState;
use crate::domain::finding::AuditState;
use crate::domain::ids::{Annotator, ClaimId};
use crate::domain::period::{MOST_DAYS, MOST_WEEKS, Period, periods};
use crate::domain::tally::Tally;
use crate::domain::time::Timestamp;
use crate::domain::verdict::Verdict;

/// People that are told one by one, those with most decisions of late first.
const MOST_PEOPLE: usize = 20;
/// The same of judges.
const MOST_JUDGES: usize = 20;
/// The pace of the audits is that of this long.
const OF_LATE: Duration = Duration::from_mins(5);
/// Runs that are looked at for it.
const MOST_RUNS: u32 = 2000;

/// Everything at one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dashboard {
    /// What judges said of claims, no claim–source pairs and none that a comparison sent to people, in every audit of the
    /// time, oldest first.
    pub periods: Vec<Period>,
    /// Those that said something of late or were ever measured, the one used last first; at most 20.
    pub judges: Vec<JudgeStanding>,
    /// The hours of the day up to the last one of which anything was judged, by when records came in, oldest first: the
    /// current audits of answers.
    pub hours: Vec<Hour>,
    /// What made the answers of these hours.
    pub versions: Vec<Version>,
    pub backlog: Backlog,
    /// Those who decided something of late, at most 20.
    pub people: Vec<PersonsWork>,
    pub health: Health,
}

/// A judge as it was, with one instrument, and how it stands against people.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeStanding {
    pub instrument: String,
    pub judge: String,
    pub model: String,
    pub prompt_version: String,
    pub prompt_sha256: String,
    /// Claims or pairs that it judged in the last twelve weeks in which anything was judged.
    pub claims: u64,
    /// The last day on which it judged, UTC.
    pub last: Option<Date>,
    /// Its latest measurement; `None` where it was never measured as it is.
    pub measured: Option<Measured>,
}

impl JudgeStanding {
    pub fn state(&self) -> CalibrationState {
        self.measured.as_ref().map_or(CalibrationState::NotMeasured, |measured| measured.state)
    }
}

/// One measurement of a judge against people.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Its number in the store.
    pub id: i64,
    pub at: Timestamp,
    pub state: CalibrationState,
    pub items: u64,
    pub kappa: Option<f64>,
    /// From where to where kappa is, at 95 %.
    pub interval: Option<(f64, f64)>,
    pub data_name: String,
}

/// What waits for people, and how that changed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Backlog {
    /// Open claims by the severity by which they are ranked: none, LOW, MEDIUM, HIGH, CRITICAL.
    pub open: [u64; 5],
    /// Ever routed, of the audits that count.
    pub routed: u64,
    /// The last fourteen days up to today, without a gap, oldest first.
    pub days: Vec<BacklogDay>,
}

impl Backlog {
    pub fn all_open(&self) -> u64 {
        self.open.iter().sum()
    }
}

/// What came into the queue on one day, UTC, and what was decided.
#[derive(Debug, Clone, PartialEq)]
pub struct BacklogDay {
    pub day: Date,
    /// By severity, as [`Backlog::open`]; of all audits, and what people made.
    pub arrived: [u64; 5],
    /// Decisions that stand, of everybody.
    pub decided: u64,
}

/// How many decisions that stand one person made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonsWork {
    pub annotator: Annotator,
    pub today: u64,
    /// On each of the last fourteen days up to today, oldest first.
    pub days: [u64; MOST_DAYS],
    pub ever: u64,
}

/// How the audits get on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Health {
    /// Records that nobody has in hand yet.
    pub waiting: u64,
    /// Records in the hands of auditors, of any process.
    pub in_hand: u64,
    /// How many auditors have any.
    pub auditors: u64,
    pub done: u64,
    pub failed: u64,
    /// Records a minute, over the five minutes before the last audit was stored; `None` where that is too few to say.
    pub a_minute: Option<f64>,
    /// When the last audit was stored.
    pub last_stored: Option<Timestamp>,
    /// The latest audit that failed and was not repeated.
    pub last_failure: Option<Failed>,
}

/// An audit that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    pub id: ClaimId,
    pub at: Timestamp,
    pub reason: String,
}

impl Store {
    /// How everything stands at `now`.
    pub fn dashboard(&self, now: Timestamp) -> Result<Dashboard, StoreError> {
        self.read(|connection| {
            let today = day(now);
            let (hours, versions) = hours::of_late(connection)?;
            Ok(Dashboard {
                hours,
                versions,
                periods: periods(&judged(connection)?),
                judges: judges(connection)?,
                backlog: backlog(connection, today)?,
                people: people(connection, today)?,
                health: health(connection, now)?,
            })
        })
    }
}

fn day(at: Timestamp) -> Date {
    at.to_string().get(..10).and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// The first of the last fourteen days up to today.
fn first_of_late(today: Date) -> Date {
    today.saturating_sub(jiff::Span::new().days(MOST_DAYS as i64 - 1))
}

/// Which of the last fourteen days it is; `None` for one before or after them.
fn place_of(day: Date, today: Date) -> Option<usize> {
    let days = (day - first_of_late(today)).get_days();
    usize::try_from(days).ok().filter(|place| *place < MOST_DAYS)
}

/// The first day that counts as of late: twelve weeks back from the last day on which anything was judged.
const SINCE: &str = "(SELECT coalesce(date(max(day), ?1), '') FROM judged_day)";

fn since() -> String {
    format!("-{} days", MOST_WEEKS * 7)
}

fn judged(connection: &Connection) -> Fallible<BTreeMap<Date, Tally>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT day, state, nullif(verdict, ''), nullif(severity, ''), sum(n) FROM judged_day
         WHERE day > {SINCE} AND instrument NOT IN ('support', 'comparison') GROUP BY 1, 2, 3, 4"
    ))?;
    let mut found = statement.query([since()])?;
    let mut days: BTreeMap<Date, Tally> = BTreeMap::new();
    while let Some(row) = found.next()? {
        let is_judged = rows::state(row, 1)? == AuditState::Judged;
        let verdict: Option<Verdict> = rows::parsed_opt(row, 2)?;
        let tally = days.entry(rows::parsed(row, 0)?).or_default();
        tally.add_claims(verdict.filter(|_| is_judged), rows::parsed_opt(row, 3)?, count(row, 4)?);
    }
    Ok(days)
}

fn judges(connection: &Connection) -> Fallible<Vec<JudgeStanding>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT u.instrument, j.judge, j.model, j.prompt_version, j.prompt_sha256, sum(u.n), max(u.day),
           (SELECT max(k.id) FROM calibration k WHERE k.judge_id = u.judge_id AND k.instrument = u.instrument)
         FROM (SELECT judge_id, instrument, n, day FROM judged_day WHERE day > {SINCE}
               UNION ALL SELECT judge_id, instrument, 0, NULL FROM calibration) u
         JOIN judge j ON j.id = u.judge_id
         GROUP BY u.judge_id, u.instrument ORDER BY max(u.day) DESC, u.judge_id DESC, 1 LIMIT ?2"
    ))?;
    let standings = statement.query_map(params![since(), MOST_JUDGES as i64], |row| {
        let standing = JudgeStanding {
            instrument: rows::text(row, 0)?,
            judge: rows::text(row, 1)?,
            model: rows::text(row, 2)?,
            prompt_version: rows::text(row, 3)?,
            prompt_sha256: rows::text(row, 4)?,
            claims: count(row, 5)?,
            last: rows::parsed_opt(row, 6)?,
            measured: None,
        };
        Ok((standing, row.get::<_, Option<i64>>(7)?))
    })?;
    let mut judges = Vec::new();
    for standing in standings {
        let (mut standing, calibration) = standing?;
        standing.measured = calibration.map(|id| measured(connection, id)).transpose()?;
        judges.push(standing);
    }
    Ok(judges)
}

fn measured(connection: &Connection, id: i64) -> Fallible<Measured> {
    Ok(connection
        .prepare_cached(
            "SELECT made_at, state, items, kappa, data_name, report FROM calibration WHERE id = ?1",
        )?
        .query_row([id], |row| {
            let kappa = row.get(3)?;
            Ok(Measured {
                id,
                at: rows::parsed(row, 0)?,
                state: rows::parsed(row, 1)?,
                items: count(row, 2)?,
                kappa,
                interval: kappa.and_then(|kappa| interval(row.get_ref(5).ok()?.as_str().ok()?, kappa)),
                data_name: rows::text(row, 4)?,
            })
        })?)
}

/// The interval around the kappa that a judge is held to, as its report tells it.
fn interval(report: &str, kappa: f64) -> Option<(f64, f64)> {
    #[derive(Deserialize)]
    struct Report {
        #[serde(default)]
        parts: Vec<Part>,
    }
    #[derive(Deserialize)]
    struct Part {
        shows: Shows,
    }
    #[derive(Deserialize)]
    struct Shows {
        #[serde(default)]
        figures: Vec<Figure>,
    }
    #[derive(Deserialize)]
    struct Figure {
        id: String,
        value: Option<f64>,
        interval: Option<Interval>,
    }
    #[derive(Deserialize)]
    struct Interval {
        low: f64,
        high: f64,
    }
    let report: Report = serde_json::from_str(report).ok()?;
    let mut figures = report.parts.into_iter().flat_map(|part| part.shows.figures);
    let is_kappa = |figure: &Figure| {
        figure.id.starts_with("kappa") && figure.value.is_some_and(|value| (value - kappa).abs() < 1e-9)
    };
    let interval = figures.find(is_kappa)?.interval?;
    Some((interval.low, interval.high))
}

fn backlog(connection: &Connection, today: Date) -> Fallible<Backlog> {
    let mut backlog = connection
        .prepare_cached(
            "SELECT open - open_critical - open_high - open_medium - open_low, open_low, open_medium, open_high,
               open_critical, routed FROM counts",
        )?
        .query_row([], |row| {
            let mut open = [0; 5];
            for (column, open) in open.iter_mut().enumerate() {
                *open = count(row, column)?;
            }
            Ok(Backlog { open, routed: count(row, 5)?, days: Vec::new() })
        })?;
    let first = first_of_late(today);
    backlog.days = (0..MOST_DAYS as i64)
        .map(|n| BacklogDay {
            day: first.saturating_add(jiff::Span::new().days(n)),
            arrived: [0; 5],
            decided: 0,
        })
        .collect();
    let mut statement =
        connection.prepare_cached("SELECT day, severity_rank, n FROM arrived_day WHERE day >= ?1")?;
    let mut found = statement.query([first.to_string()])?;
    while let Some(row) = found.next()? {
        let place = place_of(rows::parsed(row, 0)?, today).and_then(|place| backlog.days.get_mut(place));
        let severity = usize::from(row.get::<_, u8>(1)?);
        if let Some(arrived) = place.and_then(|day| day.arrived.get_mut(severity)) {
            *arrived += count(row, 2)?;
        }
    }
    let mut statement =
        connection.prepare_cached("SELECT day, sum(n) FROM decided_day WHERE day >= ?1 GROUP BY day")?;
    let mut found = statement.query([first.to_string()])?;
    while let Some(row) = found.next()? {
        let place = place_of(rows::parsed(row, 0)?, today).and_then(|place| backlog.days.get_mut(place));
        if let Some(day) = place {
            day.decided += count(row, 1)?;
        }
    }
    Ok(backlog)
}

fn people(connection: &Connection, today: Date) -> Fallible<Vec<PersonsWork>> {
    let mut statement = connection.prepare_cached(
        "SELECT t.annotator, t.day, t.n, d.n FROM decided_day t JOIN decided d ON d.annotator = t.annotator
         WHERE t.day >= ?1 AND t.n > 0 ORDER BY t.annotator, t.day",
    )?;
    let mut found = statement.query([first_of_late(today).to_string()])?;
    let mut people: Vec<PersonsWork> = Vec::new();
    while let Some(row) = found.next()? {
        let annotator = Annotator::new(rows::text(row, 0)?);
        if people.last().is_none_or(|last| last.annotator != annotator) {
            people.push(PersonsWork { annotator, today: 0, days: [0; MOST_DAYS], ever: count(row, 3)? });
        }
        let place = place_of(rows::parsed(row, 1)?, today);
        if let (Some(person), Some(place)) = (people.last_mut(), place) {
            person.days[place] += count(row, 2)?;
            person.today = person.days[MOST_DAYS - 1];
        }
    }
    people.sort_by_key(|person| std::cmp::Reverse(person.days.iter().sum::<u64>()));
    people.truncate(MOST_PEOPLE);
    Ok(people)
}

fn health(connection: &Connection, now: Timestamp) -> Fallible<Health> {
    let (in_hand, auditors) = connection
        .prepare_cached(
            "SELECT count(*), count(DISTINCT leased_by) FROM work
             WHERE leased_by IS NOT NULL AND leased_until_ms > ?1",
        )?
        .query_row([now.millis()], |row| Ok((count(row, 0)?, count(row, 1)?)))?;
    let (a_minute, last_stored) = pace(connection)?;
    let mut health =
        connection.prepare_cached("SELECT waiting, done, failed FROM counts")?.query_row([], |row| {
            Ok(Health {
                waiting: count(row, 0)?.saturating_sub(in_hand),
                in_hand,
                auditors,
                done: count(row, 1)?,
                failed: count(row, 2)?,
                a_minute,
                last_stored,
                last_failure: None,
            })
        })?;
    health.last_failure = connection
        .prepare_cached(
            "SELECT r.audit_id, c.n, run.finished_at, v.rationale
             FROM (SELECT run_id FROM work WHERE state = 'failed' ORDER BY run_id DESC LIMIT 1) w
             JOIN run ON run.id = w.run_id JOIN record r ON r.id = run.record_id
             JOIN claim c ON c.record_id = r.id AND c.run_id = run.id
             JOIN verdict v ON v.claim_id = c.id AND v.state = 'FAILED' ORDER BY c.n LIMIT 1",
        )?
        .query_row([], |row| {
            Ok(Failed { id: rows::claim_id(row, 0)?, at: rows::parsed(row, 2)?, reason: rows::text(row, 3)? })
        })
        .optional()?;
    Ok(health)
}

/// Records a minute of late, and when the last one was stored. The time on the clock is left out, so that a figure on the
/// screen does not grow old while nothing happens.
fn pace(connection: &Connection) -> Fallible<(Option<f64>, Option<Timestamp>)> {
    let mut statement = connection.prepare_cached("SELECT finished_at FROM run ORDER BY id DESC LIMIT ?1")?;
    let mut found = statement.query([MOST_RUNS])?;
    let (mut runs, mut last, mut earliest) = (0_u32, None, None);
    while let Some(row) = found.next()? {
        let at: Timestamp = rows::parsed(row, 0)?;
        if last.get_or_insert(at).since(at) > OF_LATE {
            break;
        }
        runs += 1;
        earliest = Some(at);
    }
    let over = last.zip(earliest).map_or(0.0, |(last, earliest)| last.since(earliest).as_secs_f64());
    // The one that began the time is not among those that were done in it.
    Ok(((over > 0.0).then(|| f64::from(runs.saturating_sub(1)) * 60.0 / over), last))
}

fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or(0))
}
