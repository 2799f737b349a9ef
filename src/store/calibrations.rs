//! How well judges agreed with people, each time it was measured; and what that says of a judge as it is now.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::records::to_json;
use super::runs::judge_row;
use super::seals::CalibrationSeal;
use super::{Fallible, Store, StoreError, rows};
use crate::domain::calibration::{Calibration, CalibrationNow, CalibrationState};
use crate::domain::finding::JudgeIdentity;

/// What [`calibration`] reads.
const CALIBRATION: &str =
    "SELECT k.id, k.made_at, k.instrument, j.judge, j.model, j.prompt_version, j.prompt_sha256,
   j.settings, k.data_name, k.data_sha256, k.retrieval, k.state, k.items, k.kappa, k.report
 FROM calibration k JOIN judge j ON j.id = k.judge_id";

impl Store {
    /// Keeps a measurement for ever, and says its number.
    pub fn keep_calibration(&mut self, of: &Calibration) -> Result<i64, StoreError> {
        self.write_full(|tx| {
            let judge = judge_row(tx, &of.identity)?;
            let (made_at, settings) = (of.made_at.to_string(), to_json(&of.identity.settings));
            let (retrieval, items) = (to_json(&of.retrieval), i64::try_from(of.items).unwrap_or(i64::MAX));
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
                kappa,
                report: &of.report,
            };
            tx.prepare_cached(
                "INSERT INTO calibration (made_at, instrument, judge_id, data_name, data_sha256, retrieval, state, items,
                   kappa, sha256, report) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
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
                of.report
            ])?;
            Ok(tx.last_insert_rowid())
        })
    }

    /// The measurement of that number.
    pub fn calibration(&self, id: i64) -> Result<Option<Calibration>, StoreError> {
        self.read(|connection| Ok(one(connection, "k.id = ?1", params![id])?.map(|(_, of)| of)))
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
    /// with anything else says nothing, but what changed since is told. With `retrieval`, the version by which evidence
    /// is retrieved now: a measurement on items that name others says nothing either.
    pub fn calibration_now(
        &self,
        instrument: &str,
        identity: &JudgeIdentity,
        retrieval: Option<&str>,
    ) -> Result<CalibrationNow, StoreError> {
        let settings = to_json(&identity.settings);
        self.read(|connection| {
            let very = one(
                connection,
                "k.instrument = ?1 AND j.judge = ?2 AND j.model = ?3 AND j.prompt_version = ?4
                   AND j.prompt_sha256 = ?5 AND j.settings = ?6",
                params![
                    instrument,
                    identity.judge,
                    identity.model,
                    identity.prompt_version,
                    identity.prompt_sha256,
                    settings
                ],
            )?;
            Ok(match (very, retrieval) {
                (Some((_, of)), Some(now))
                    if !of.retrieval.is_empty() && !of.retrieval.iter().any(|one| one == now) =>
                {
                    CalibrationNow::retrieved_otherwise(&of, now)
                }
                (Some((id, of)), _) => CalibrationNow::measured(id, &of),
                (None, _) => latest(connection, instrument, &identity.judge)?
                    .map_or_else(CalibrationNow::never, |(_, former)| {
                        CalibrationNow::changed(&former, identity)
                    }),
            })
        })
    }
}

fn latest(connection: &Connection, instrument: &str, judge: &str) -> Fallible<Option<(i64, Calibration)>> {
    one(connection, "k.instrument = ?1 AND j.judge = ?2", params![instrument, judge])
}

/// How the judge of the latest audit stands; `None` while no judge was ever measured.
pub(super) fn in_use(connection: &Connection) -> Fallible<Option<CalibrationState>> {
    let found: Option<Option<CalibrationState>> = connection
        .prepare_cached(
            "SELECT (SELECT k.state FROM calibration k WHERE k.judge_id = run.judge_id AND k.instrument = run.instrument
                     ORDER BY k.id DESC LIMIT 1)
             FROM run WHERE EXISTS (SELECT 1 FROM calibration) ORDER BY run.id DESC LIMIT 1",
        )?
        .query_row([], |row| rows::parsed_opt(row, 0))
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
        identity: JudgeIdentity {
            judge: rows::text(row, 3)?,
            model: rows::text(row, 4)?,
            prompt_version: rows::text(row, 5)?,
            prompt_sha256: rows::text(row, 6)?,
            settings: rows::json(row, 7)?,
        },
        data_name: rows::text(row, 8)?,
        data_sha256: rows::text(row, 9)?,
        retrieval: rows::json(row, 10)?,
        state: rows::parsed(row, 11)?,
        items: row.get::<_, u32>(12)?.into(),
        kappa: row.get(13)?,
        report: rows::text(row, 14)?,
    };
    Ok((row.get(0)?, of))
}
