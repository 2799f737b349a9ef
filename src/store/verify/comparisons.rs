//! Comparisons of versions, and what gates said of them, against their seals.

use rusqlite::{Connection, Row};

use super::{Problems, texts};
use crate::store::Fallible;
use crate::store::seals::{ComparisonSeal, GateSeal};

pub(super) fn check(connection: &Connection, problems: &mut Problems) -> Fallible<()> {
    let mut statement = connection.prepare(
        "SELECT c.id, c.sha256, c.made_at, j.judge, j.model, j.prompt_version, j.prompt_sha256, c.baseline, c.candidate,
           c.data_sha256, c.items, c.compared, c.baseline_rate, c.candidate_rate, c.rate_change, c.claims_sha256, c.sent, c.report
         FROM comparison c LEFT JOIN judge j ON j.id = c.judge_id ORDER BY c.id",
    )?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let name = texts::shown(row, 0)?;
        let read = comparison(row, &name, problems);
        problems.go_on(read, "unreadable comparison", || format!("comparison cmp-{name}"))?;
    }
    let mut statement = connection.prepare(
        "SELECT g.comparison_id, g.n, g.sha256, c.sha256, g.made_at, g.says, g.told,
           (SELECT count(*) FROM comparison_gate e WHERE e.comparison_id = g.comparison_id AND e.n <= g.n)
         FROM comparison_gate g LEFT JOIN comparison c ON c.id = g.comparison_id ORDER BY g.comparison_id, g.n",
    )?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let name = texts::shown(row, 0)?;
        let read = gate(row, &name, problems);
        problems.go_on(read, "unreadable gate", || format!("a gate of comparison cmp-{name}"))?;
    }
    let lost = "SELECT id FROM comparison WHERE NOT EXISTS
      (SELECT 1 FROM comparison_gate WHERE comparison_id = comparison.id)";
    let mut statement = connection.prepare(lost)?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let name = texts::shown(row, 0)?;
        problems.same("lost gate", &false, &true, || {
            format!("comparison cmp-{name}: what its gate said is gone")
        });
    }
    Ok(())
}

fn gate(row: &Row<'_>, name: &str, problems: &mut Problems) -> Fallible<()> {
    let text = |column: usize| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
    let (n, before): (i64, i64) = (row.get(1)?, row.get(7)?);
    let seal = GateSeal { comparison: text(3)?, n, made_at: text(4)?, says: text(5)?, told: text(6)? };
    problems.same("comparison gate", &seal.sha256().as_str(), &text(2)?, || {
        format!("comparison cmp-{name}: what its gate said at run {n} was changed")
    });
    problems.same("earlier gate", &n, &before, || {
        format!("comparison cmp-{name}: what its gate said before run {n} is gone")
    });
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
        claims_sha256: text(15)?,
        sent: text(16)?,
        report: text(17)?,
    };
    problems.same("comparison", &seal.sha256().as_str(), &text(1)?, || {
        format!("comparison cmp-{name}: what it rests on, what came of it, or its report was changed")
    });
    Ok(())
}
