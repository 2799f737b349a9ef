//! Comparisons of versions against their seals.

use rusqlite::{Connection, Row};

use super::{Problems, texts};
use crate::store::Fallible;
use crate::store::seals::ComparisonSeal;

pub(super) fn check(connection: &Connection, problems: &mut Problems) -> Fallible<()> {
    let mut statement = connection.prepare(
        "SELECT c.id, c.sha256, c.made_at, j.judge, j.model, j.prompt_version, j.prompt_sha256, c.baseline, c.candidate,
           c.data_sha256, c.items, c.compared, c.baseline_rate, c.candidate_rate, c.rate_change, c.says, c.report
         FROM comparison c LEFT JOIN judge j ON j.id = c.judge_id ORDER BY c.id",
    )?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let name = texts::shown(row, 0)?;
        let read = comparison(row, &name, problems);
        problems.go_on(read, "unreadable comparison", || format!("comparison cmp-{name}"))?;
    }
    Ok(())
}

fn comparison(row: &Row<'_>, name: &str, problems: &mut Problems) -> Fallible<()> {
    let text = |column: usize| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
    let seal = ComparisonSeal {
        made_at: text(2)?,
        judge: text(3)?,
        model: text(4)?,
        prompt_version: text(5)?,
        prompt_sha256: text(6)?,
        baseline: text(7)?,
        candidate: text(8)?,
        data_sha256: text(9)?,
        items: row.get(10)?,
        compared: row.get(11)?,
        rates: [row.get(12)?, row.get(13)?, row.get(14)?],
        says: text(15)?,
        report: text(16)?,
    };
    problems.same("comparison", &seal.sha256().as_str(), &text(1)?, || {
        format!("comparison cmp-{name}: what it rests on, what came of it, or its report was changed")
    });
    Ok(())
}
