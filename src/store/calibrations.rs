//! How well judges agreed with people, each time it was measured; and what that says of a judge as it is now.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::records::to_json;
use super::runs::judge_row;
use super::seals::CalibrationSeal;
use super::{Fallible, Store, StoreError, rows};
use crate::domain::calibration::{Calibration, CalibrationNow, CalibrationState, covers};
use crate::domain::finding::JudgeIdentity;

/// What [`calibration`] reads.
const CALIBRATION: &str =
    "SELECT k.id, k.made_at, k.instrument, j.judge, j.model, j.prompt_version, j.prompt_sha256,
   j.settings, k.data_name, k.data_sha256, k.retrieval, k.state, k.items, k.kappa, k.report, k.asked, k.trusts_labels
 FROM calibration k JOIN judge j ON j.id = k.judge_id";

/// Which measurements count for the instrument ?1. A judge that has no way of its own to compare audits both answers:
/// then it is the same judge with the same prompt and settings for both, and either measurement is of it.
const COUNTS: &str = "(k.instrument = ?1 OR ?1 = 'comparison' AND k.instrument = 'faithfulness')";

impl Store {
    /// Keeps a measurement for ever, and says its number.
    pub fn keep_calibration(&mut self, of: &Calibration) -> Result<i64, StoreError> {
        self.write_full(|tx| {
            let judge = judge_row(tx, &of.identity)?;
            let (made_at, settings) = (of.made_at.to_string(), to_json(&of.identity.settings));
            let count = |items: u64| i64::try_from(items).unwrap_or(i64::MAX);
            let (retrieval, items, asked) = (to_json(&of.retrieval), count(of.items), count(of.asked));
            // SQLite does not tell −0 from 0.
            let kappa = of.kappa.map(|kappa| kappa + 0.0);
            let seal = CalibrationSeal {
                made_at: &made_at,
                instrument: &of.instrument,
                judge: &of.identity.judge,
                model: &of.identity.model,
                prompt_version: &of.identity.prompt_version,
                prompt_sha256: &of.identity.prompt_sha256,
                settings: &settings,
                data_name: &of.data_name,
                data_sha256: &of.data_sha256,
                retrieval: &retrieval,
                state: of.state.label(),
                items,
                asked,
                trusts_labels: of.trusts_labels,
                kappa,
                report: &of.report,
            };
            tx.prepare_cached(
                "INSERT INTO calibration (made_at, instrument, judge_id, data_name, data_sha256, retrieval, state, items,
                   kappa, sha256, report, asked, trusts_labels)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            )?
            .execute(params![
                made_at,
                of.instrument,
                judge,
                of.data_name,
                of.data_sha256,
                retrieval,
                of.state.label(),
                items,
                kappa,
                seal.sha256(),
                of.report,
                asked,
                of.trusts_labels
            ])?;
            Ok(tx.last_insert_rowid())
        })
    }

    /// The measurement of that number.
    pub fn calibration(&self, id: i64) -> Result<Option<Calibration>, StoreError> {
        self.read(|connection| Ok(one(connection, "k.id = ?1", params![id])?.map(|(_, of)| of)))
    }

    /// Every measurement with its number, the newest first, without their reports.
    pub fn calibrations(&self) -> Result<Vec<(i64, Calibration)>, StoreError> {
        self.read(|connection| {
            let sql = format!("{} ORDER BY k.id DESC", CALIBRATION.replacen("k.report", "''", 1));
            let mut statement = connection.prepare_cached(&sql)?;
            let all = statement.query_map([], calibration)?;
            Ok(all.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The latest measurement of a judge of that name by that instrument, as it was then, with its number.
    pub fn latest_calibration(
        &self,
        instrument: &str,
        judge: &str,
    ) -> Result<Option<(i64, Calibration)>, StoreError> {
        self.read(|connection| latest(connection, instrument, judge))
    }

    /// How a judge stands as it is now: by the latest measurement of this very judge, model, prompt and settings. One
    /// with anything else says nothing, but what changed since is told. `retrieval` are the versions by which evidence
    /// is retrieved now: a measurement on items that name others, and not all of these, says nothing either.
    pub fn calibration_now(
        &self,
        instrument: &str,
        identity: &JudgeIdentity,
        retrieval: &BTreeSet<String>,
    ) -> Result<CalibrationNow, StoreError> {
        let settings = to_json(&identity.settings);
        self.read(|connection| {
            let very = one(
                connection,
                &format!(
                    "{COUNTS} AND j.judge = ?2 AND j.model = ?3 AND j.prompt_version = ?4 AND j.prompt_sha256 = ?5
                       AND j.settings = ?6"
                ),
                params![
                    instrument,
                    identity.judge,
                    identity.model,
                    identity.prompt_version,
                    identity.prompt_sha256,
                    settings
                ],
            )?;
            Ok(match very {
                Some((id, of)) => match retrieval.iter().find(|now| !of.covers(now)) {
                    Some(now) => CalibrationNow::retrieved_otherwise(&of, now),
                    None => CalibrationNow::measured(id, &of),
                },
                None => latest(connection, instrument, &identity.judge)?
                    .map_or_else(CalibrationNow::never, |(_, former)| {
                        CalibrationNow::changed(&former, identity)
                    }),
            })
        })
    }

    /// How every judge of the current audits stands, by what it was asked for and by what its records say of how their
    /// evidence was found; the one with most audits first.
    pub fn judges_in_force(&self) -> Result<Vec<InUse>, StoreError> {
        let found = self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT run.instrument, j.judge, j.model, j.prompt_version, j.prompt_sha256, j.settings,
                   CAST(json_extract(r.metadata, '$.retrieval') AS TEXT) AS retrieval, count(*)
                 FROM work w JOIN run ON run.id = w.run_id JOIN judge j ON j.id = run.judge_id
                 JOIN record r ON r.id = w.record_id GROUP BY run.instrument, j.id, retrieval",
            )?;
            let rows = statement.query_map([], |row| {
                let retrieval: Option<String> = row.get(6)?;
                Ok((rows::text(row, 0)?, identity(row, 1)?, retrieval, row.get::<_, u32>(7)?))
            })?;
            Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?)
        })?;
        let mut judges: Vec<(String, JudgeIdentity, BTreeSet<String>, u64)> = Vec::new();
        for (instrument, identity, retrieval, audits) in found {
            let known = judges.iter().position(|one| one.0 == instrument && one.1 == identity);
            let at = known.unwrap_or_else(|| {
                judges.push((instrument, identity, BTreeSet::new(), 0));
                judges.len() - 1
            });
            if let Some(one) = judges.get_mut(at) {
                one.2.extend(retrieval);
                one.3 += u64::from(audits);
            }
        }
        judges.sort_by_key(|one| Reverse(one.3));
        let each = judges.into_iter().map(|(instrument, identity, retrieval, audits)| {
            let now = self.calibration_now(&instrument, &identity, &retrieval)?;
            Ok(InUse { instrument, identity, audits, now })
        });
        each.collect()
    }
}

/// A judge of current audits.
#[derive(Debug, Clone, PartialEq)]
pub struct InUse {
    /// `faithfulness`, `support` or `comparison`.
    pub instrument: String,
    pub identity: JudgeIdentity,
    /// Records whose current audit it made.
    pub audits: u64,
    pub now: CalibrationNow,
}

/// Five columns from `first`: judge, model, prompt version, prompt hash, settings.
pub(super) fn identity(row: &Row<'_>, first: usize) -> rusqlite::Result<JudgeIdentity> {
    Ok(JudgeIdentity {
        judge: rows::text(row, first)?,
        model: rows::text(row, first + 1)?,
        prompt_version: rows::text(row, first + 2)?,
        prompt_sha256: rows::text(row, first + 3)?,
        settings: rows::json(row, first + 4)?,
    })
}

fn latest(connection: &Connection, instrument: &str, judge: &str) -> Fallible<Option<(i64, Calibration)>> {
    one(connection, &format!("{COUNTS} AND j.judge = ?2"), params![instrument, judge])
}

/// How the judge of the latest audit stands, with evidence that is found as that record says; `None` while no judge was
/// ever measured.
pub(super) fn in_use(connection: &Connection) -> Fallible<Option<CalibrationState>> {
    let found = connection
        .prepare_cached(
            "SELECT k.state, k.retrieval, CAST(json_extract(r.metadata, '$.retrieval') AS TEXT)
             FROM (SELECT * FROM run WHERE EXISTS (SELECT 1 FROM calibration) ORDER BY id DESC LIMIT 1) last
             JOIN record r ON r.id = last.record_id
             LEFT JOIN calibration k ON k.id = (SELECT max(id) FROM calibration
               WHERE judge_id = last.judge_id AND (instrument = last.instrument
                 OR last.instrument = 'comparison' AND instrument = 'faithfulness'))",
        )?
        .query_row([], |row| {
            let state: Option<CalibrationState> = rows::parsed_opt(row, 0)?;
            let (Some(state), Some(now)) = (state, row.get::<_, Option<String>>(2)?) else {
                return Ok(state);
            };
            let measured: Vec<String> = rows::json(row, 1)?;
            Ok(covers(&measured, &now).then_some(state))
        })
        .optional()?;
    Ok(found.map(|state| state.unwrap_or(CalibrationState::NotMeasured)))
}

/// The latest of those that `condition` lets through.
fn one(
    connection: &Connection,
    condition: &str,
    values: &[&dyn rusqlite::ToSql],
) -> Fallible<Option<(i64, Calibration)>> {
    let sql = format!("{CALIBRATION} WHERE {condition} ORDER BY k.id DESC LIMIT 1");
    Ok(connection.prepare_cached(&sql)?.query_row(values, calibration).optional()?)
}

fn calibration(row: &Row<'_>) -> rusqlite::Result<(i64, Calibration)> {
    let of = Calibration {
        made_at: rows::parsed(row, 1)?,
        instrument: rows::text(row, 2)?,
        identity: identity(row, 3)?,
        data_name: rows::text(row, 8)?,
        data_sha256: rows::text(row, 9)?,
        retrieval: rows::json(row, 10)?,
        state: rows::parsed(row, 11)?,
        items: row.get::<_, u32>(12)?.into(),
        kappa: row.get(13)?,
        report: rows::text(row, 14)?,
        asked: row.get::<_, u32>(15)?.into(),
        trusts_labels: row.get(16)?,
    };
    Ok((row.get(0)?, of))
}
