//! Comparisons of two versions: what they rest on, what came of them, their reports, and the claims that they sent to
//! the queue.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::runs::judge_row;
use super::seals::ComparisonSeal;
use super::{Fallible, Store, StoreError, refused, rows};
use crate::domain::finding::JudgeIdentity;
use crate::domain::ids::ClaimId;
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
    /// What the gate said: `yes`, `no` or `cannot_say`.
    pub says: &'a str,
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
    pub says: String,
}

const KEPT: &str = "SELECT c.id, c.made_at, j.judge, j.model, j.prompt_version, c.baseline, c.candidate, c.items, c.compared,
   c.baseline_rate, c.candidate_rate, c.rate_change, c.says
 FROM comparison c JOIN judge j ON j.id = c.judge_id";

impl Store {
    /// Keeps a comparison and returns its name. One that came to the same with the same judge on the same data is the
    /// same, whatever its gate is asked: it keeps its name and its first report.
    pub fn keep_comparison(&mut self, new: &NewComparison<'_>, now: Timestamp) -> Result<String, StoreError> {
        self.write_normal(|tx| {
            let judge = judge_row(tx, new.judge)?;
            let known: Option<i64> = tx
                .prepare_cached(
                    "SELECT id FROM comparison WHERE data_sha256 = ?1 AND judge_id = ?2 AND baseline = ?3 AND candidate = ?4
                       AND compared = ?5 AND baseline_rate IS ?6 AND candidate_rate IS ?7
                     ORDER BY id DESC LIMIT 1",
                )?
                .query_row(
                    params![
                        new.data_sha256,
                        judge,
                        new.baseline,
                        new.candidate,
                        number(new.compared),
                        new.baseline_rate,
                        new.candidate_rate
                    ],
                    |row| row.get(0),
                )
                .optional()?;
            if let Some(known) = known {
                return Ok(format!("{PREFIX}{known}"));
            }
            let id: i64 =
                tx.query_row("SELECT coalesce(max(id), 0) + 1 FROM comparison", [], |row| row.get(0))?;
            let made_at = now.to_string();
            let seal = seal(new, &made_at).sha256();
            tx.prepare_cached(
                "INSERT INTO comparison (id, made_at, judge_id, baseline, candidate, data_sha256, items, compared,
                   baseline_rate, candidate_rate, rate_change, says, sha256, report)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
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
                new.says,
                seal,
                new.report
            ])?;
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

    /// The report of the comparison of that name, as JSON.
    ///
    /// # Errors
    /// When there is none.
    pub fn comparison_report(&self, name: &str) -> Result<String, StoreError> {
        self.read(|connection| {
            let id = id_of(connection, name)?;
            Ok(connection.query_row("SELECT report FROM comparison WHERE id = ?1", [id], |row| row.get(0))?)
        })
    }

    /// The claims that the comparison of that name sent to the queue: how many there are, and those that nobody decided.
    pub fn sent_by_comparison(&self, name: &str) -> Result<(u64, Vec<ClaimId>), StoreError> {
        self.read(|connection| {
            id_of(connection, name)?;
            let mut statement = connection.prepare_cached(
                "SELECT r.audit_id, c.n, q.open FROM record r JOIN claim c ON c.record_id = r.id
                 JOIN queue q ON q.claim_id = c.id AND q.current = 1
                 WHERE r.audit_id >= ?1 || '/' AND r.audit_id < ?1 || '0' ORDER BY q.place, q.arrived_ms, c.id",
            )?;
            let mut found = statement.query([name])?;
            let (mut sent, mut open) = (0, Vec::new());
            while let Some(row) = found.next()? {
                sent += 1;
                if row.get(2)? {
                    open.push(rows::claim_id(row, 0)?);
                }
            }
            Ok((sent, open))
        })
    }
}

fn id_of(connection: &Connection, name: &str) -> Fallible<i64> {
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

fn seal<'a>(new: &NewComparison<'a>, made_at: &'a str) -> ComparisonSeal<'a> {
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
        says: new.says,
        report: new.report,
    }
}
