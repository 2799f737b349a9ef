//! What was measured of judges, against its seals.

use rusqlite::{Connection, Row};

use super::{Problems, texts};
use crate::store::Fallible;
use crate::store::seals::CalibrationSeal;

pub(super) fn check(connection: &Connection, problems: &mut Problems) -> Fallible<()> {
    let mut statement = connection.prepare(
        "SELECT k.id, k.sha256, k.made_at, k.instrument, j.judge, j.model, j.prompt_version, j.prompt_sha256, j.settings,
           k.data_name, k.data_sha256, k.retrieval, k.state, k.items, k.kappa, k.report, k.asked, k.trusts_labels
         FROM calibration k JOIN judge j ON j.id = k.judge_id ORDER BY k.id",
    )?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let name = texts::shown(row, 0)?;
        let read = calibration(row, &name, problems);
        problems.go_on(read, "unreadable calibration", || format!("calibration {name}"))?;
    }
    Ok(())
}

fn calibration(row: &Row<'_>, name: &str, problems: &mut Problems) -> Fallible<()> {
    let text = |column: usize| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
    let seal = CalibrationSeal {
        made_at: text(2)?,
        instrument: text(3)?,
        judge: text(4)?,
        model: text(5)?,
        prompt_version: text(6)?,
        prompt_sha256: text(7)?,
        settings: text(8)?,
        data_name: text(9)?,
        data_sha256: text(10)?,
        retrieval: text(11)?,
        state: text(12)?,
        items: row.get(13)?,
        asked: row.get(16)?,
        trusts_labels: row.get(17)?,
        kappa: row.get(14)?,
        report: text(15)?,
    };
    problems.same("calibration", &seal.sha256().as_str(), &text(1)?, || {
        format!("calibration {name}: what was measured, of which judge or on what was changed")
    });
    Ok(())
}
