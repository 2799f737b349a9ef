//! Comparisons of two versions: what they rest on, what came of them, what gates said of them, and their reports.

use std::io::Read;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use super::records::to_json;
use super::runs::judge_row;
use super::seals::{ComparisonSeal, GateSeal};
use super::{Fallible, Store, StoreError, refused, rows};
use crate::domain::finding::JudgeIdentity;
use crate::domain::time::Timestamp;

/// What the names of comparisons begin with; the number follows.
const PREFIX: &str = "cmp-";

/// A comparison that is to be kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewComparison<'a> {
    pub judge: &'a JudgeIdentity,
    /// What the two versions are: files, fields or commands.
    pub baseline: &'a str,
    pub candidate: &'a str,
    /// Over all items with documents and answers, whatever their order.
    pub data_sha256: &'a str,
    pub items: u64,
    /// Items that are compared; the others are left out.
    pub compared: u64,
    /// Share of wrong claims, 0 to 1.
    pub baseline_rate: Option<f64>,
    pub candidate_rate: Option<f64>,
    /// Candidate minus baseline: plus means worse.
    pub rate_change: Option<f64>,
    /// Over what the judge said of every claim, whatever the order of the items.
    pub claims_sha256: &'a str,
    /// Items with claims that people must see, each with how many.
    pub sent: &'a [(String, usize)],
    /// What the gate said: `yes`, `no` or `cannot_say`.
    pub says: &'a str,
    /// Those members of the report that another gate changes, as a JSON object.
    pub told: &'a str,
    /// The whole report as JSON.
    pub report: &'a str,
}

/// A comparison as it is kept, without its report.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptComparison {
    /// `cmp-1`.
    pub name: String,
    pub made_at: Timestamp,
    pub judge: String,
    pub model: String,
    pub prompt_version: String,
    pub baseline: String,
    pub candidate: String,
    pub items: u64,
    pub compared: u64,
    pub baseline_rate: Option<f64>,
    pub candidate_rate: Option<f64>,
    pub rate_change: Option<f64>,
    /// What the gate said the last time: `yes`, `no` or `cannot_say`.
    pub says: String,
}

const KEPT: &str = "SELECT c.id, c.made_at, j.judge, j.model, j.prompt_version, c.baseline, c.candidate, c.items, c.compared,
   c.baseline_rate, c.candidate_rate, c.rate_change, g.says
 FROM comparison c JOIN judge j ON j.id = c.judge_id JOIN comparison_gate g ON g.comparison_id = c.id
   AND g.n = (SELECT max(n) FROM comparison_gate WHERE comparison_id = c.id)";

impl Store {
    /// Keeps a comparison with what its gate says, and returns its name. One in which the same judge said the same of
    /// the claims of the same data is the same: it keeps its name, and of its report all but what the gate says.
    pub fn keep_comparison(&mut self, new: &NewComparison<'_>, now: Timestamp) -> Result<String, StoreError> {
        self.write_normal(|tx| {
            let judge = judge_row(tx, new.judge)?;
            let made_at = now.to_string();
            let known: Option<(i64, String)> = tx
                .prepare_cached(
                    "SELECT id, sha256 FROM comparison WHERE data_sha256 = ?1 AND judge_id = ?2 AND baseline = ?3
                       AND candidate = ?4 AND claims_sha256 = ?5
                     ORDER BY id DESC LIMIT 1",
                )?
                .query_row(
                    params![new.data_sha256, judge, new.baseline, new.candidate, new.claims_sha256],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            let (id, seal) = match known {
                Some(known) => known,
                None => insert(tx, new, judge, &made_at)?,
            };
            insert_gate(tx, new, id, &seal, &made_at)?;
            Ok(format!("{PREFIX}{id}"))
        })
    }

    /// All comparisons, the newest first.
    pub fn comparisons(&self) -> Result<Vec<KeptComparison>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare(&format!("{KEPT} ORDER BY c.id DESC"))?;
            let kept = statement.query_map([], kept)?;
            Ok(kept.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The report of the comparison of that name, as JSON, with what its gate said the last time.
    ///
    /// # Errors
    /// When there is none.
    pub fn comparison_report(&self, name: &str) -> Result<String, StoreError> {
        self.read(|connection| {
            let id = id_of(connection, name)?;
            Ok(connection.query_row(
                "SELECT CASE WHEN json_valid(c.report) AND json_valid(g.told)
                   THEN json_set(json_patch(c.report, g.told), '$.made_at', g.made_at) ELSE c.report END
                 FROM comparison c JOIN comparison_gate g ON g.comparison_id = c.id
                 WHERE c.id = ?1 ORDER BY g.n DESC LIMIT 1",
                [id],
                |row| row.get(0),
            )?)
        })
    }

    /// Gives the report of the comparison of that name to `read`, as JSON, with those members of it that its gate
    /// changed the last time. What is not read of it is not fetched: it may be tens of megabytes.
    ///
    /// # Errors
    /// When there is none.
    pub fn read_comparison_report<T>(
        &self,
        name: &str,
        read: impl FnOnce(&mut dyn Read, &str) -> T,
    ) -> Result<T, StoreError> {
        self.read(|connection| {
            let id = id_of(connection, name)?;
            let told: String = connection
                .prepare_cached(
                    "SELECT told FROM comparison_gate WHERE comparison_id = ?1 ORDER BY n DESC LIMIT 1",
                )?
                .query_row([id], |row| rows::text(row, 0))?;
            let mut report = connection.blob_open("main", "comparison", "report", id, true)?;
            Ok(read(&mut report, &told))
        })
    }
}

fn insert(
    tx: &Transaction<'_>,
    new: &NewComparison<'_>,
    judge: i64,
    made_at: &str,
) -> Fallible<(i64, String)> {
    let id: i64 = tx.query_row("SELECT coalesce(max(id), 0) + 1 FROM comparison", [], |row| row.get(0))?;
    let sent = to_json(&new.sent);
    let seal = seal(new, &sent, made_at).sha256();
    tx.prepare_cached(
        "INSERT INTO comparison (id, made_at, judge_id, baseline, candidate, data_sha256, items, compared,
           baseline_rate, candidate_rate, rate_change, claims_sha256, sent, sha256, report)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
    )?
    .execute(params![
        id,
        made_at,
        judge,
        new.baseline,
        new.candidate,
        new.data_sha256,
        number(new.items),
        number(new.compared),
        new.baseline_rate,
        new.candidate_rate,
        new.rate_change,
        new.claims_sha256,
        sent,
        seal,
        new.report
    ])?;
    Ok((id, seal))
}

/// Notes what the gate says, unless it said the same the last time.
fn insert_gate(
    tx: &Transaction<'_>,
    new: &NewComparison<'_>,
    id: i64,
    comparison: &str,
    made_at: &str,
) -> Fallible<()> {
    let last: Option<(i64, String)> = tx
        .prepare_cached(
            "SELECT n, told FROM comparison_gate WHERE comparison_id = ?1 ORDER BY n DESC LIMIT 1",
        )?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    if last.as_ref().is_some_and(|(_, told)| told == new.told) {
        return Ok(());
    }
    let n = last.map_or(1, |(n, _)| n + 1);
    let seal = GateSeal { comparison, n, made_at, says: new.says, told: new.told }.sha256();
    tx.prepare_cached(
        "INSERT INTO comparison_gate (comparison_id, n, made_at, says, told, sha256)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![id, n, made_at, new.says, new.told, seal])?;
    Ok(())
}

pub(super) fn id_of(connection: &Connection, name: &str) -> Fallible<i64> {
    let id = name.strip_prefix(PREFIX).and_then(|number| number.parse::<i64>().ok());
    let mut statement = connection.prepare_cached("SELECT id FROM comparison WHERE id = ?1")?;
    match id.map(|id| statement.query_row([id], |row| row.get(0)).optional()).transpose()?.flatten() {
        Some(id) => Ok(id),
        None => refused(format!(
            "there is no comparison `{name}`: `juror report comparison --list` shows them all"
        )),
    }
}

fn kept(row: &Row<'_>) -> rusqlite::Result<KeptComparison> {
    Ok(KeptComparison {
        name: format!("{PREFIX}{}", row.get::<_, i64>(0)?),
        made_at: rows::parsed(row, 1)?,
        judge: rows::text(row, 2)?,
        model: rows::text(row, 3)?,
        prompt_version: rows::text(row, 4)?,
        baseline: rows::text(row, 5)?,
        candidate: rows::text(row, 6)?,
        items: row.get::<_, u32>(7)?.into(),
        compared: row.get::<_, u32>(8)?.into(),
        baseline_rate: row.get(9)?,
        candidate_rate: row.get(10)?,
        rate_change: row.get(11)?,
        says: rows::text(row, 12)?,
    })
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn seal<'a>(new: &NewComparison<'a>, sent: &'a str, made_at: &'a str) -> ComparisonSeal<'a> {
    ComparisonSeal {
        made_at,
        judge: &new.judge.judge,
        model: &new.judge.model,
        prompt_version: &new.judge.prompt_version,
        prompt_sha256: &new.judge.prompt_sha256,
        baseline: new.baseline,
        candidate: new.candidate,
        data_sha256: new.data_sha256,
        items: number(new.items),
        compared: number(new.compared),
        // SQLite does not tell −0 from 0.
        rates: [new.baseline_rate, new.candidate_rate, new.rate_change]
            .map(|rate| rate.map(|rate| rate + 0.0)),
        claims_sha256: new.claims_sha256,
        sent,
        report: new.report,
    }
}
