//! Sums that are kept so that nobody has to count: what judges said by day, what came into the queue by day, the
//! scored pairs and their groups. Each is counted anew from what it comes from.

use rusqlite::{Connection, OptionalExtension};

use super::{Problems, texts};
use crate::store::Fallible;

/// What `judged_day` must hold, counted from every verdict of a judge. A claim that a person made has none.
const JUDGED: &str = "SELECT substr(run.finished_at, 1, 10) AS day, run.judge_id, run.instrument, v.state,
    coalesce(v.verdict, '') AS verdict, coalesce(v.severity, '') AS severity, count(*) AS n
  FROM verdict v JOIN claim c ON c.id = v.claim_id JOIN run ON run.id = c.run_id
  WHERE v.state <> 'ADDED' GROUP BY 1, 2, 3, 4, 5, 6";

/// What `judged_hour` must hold, counted from the current audits of answers.
const BY_HOUR: &str = "SELECT substr(r.imported_at, 1, 13) AS hour,
    substr(coalesce(r.metadata ->> '$.model_version', r.metadata ->> '$.model', ''), 1, 200) AS model,
    substr(coalesce(r.metadata ->> '$.prompt_version', ''), 1, 200) AS prompt,
    CASE v.state WHEN 'JUDGED' THEN coalesce(v.verdict, '') ELSE '' END AS verdict, count(*) AS n
  FROM work w JOIN record r ON r.id = w.record_id JOIN claim c ON c.record_id = r.id AND c.run_id = w.run_id
  JOIN verdict v ON v.claim_id = c.id AND v.state <> 'ADDED'
  JOIN run ON run.id = w.run_id AND run.instrument <> 'support'
  WHERE r.source NOT GLOB 'comparison cmp-*'
  GROUP BY 1, 2, 3, 4";

/// What `pair` must hold.
const PAIRS: &str = "SELECT c.id, v.state, CASE v.state WHEN 'JUDGED' THEN coalesce(v.support, 0) ELSE 0 END,
    CAST(round((1 - coalesce(v.confidence, 0)) * 1000) AS INTEGER),
    (SELECT passage_id FROM passage WHERE record_id = r.id AND n = 1), r.metadata ->> '$.retrieval',
    r.metadata ->> '$.model_version'
  FROM run JOIN work w ON w.run_id = run.id JOIN record r ON r.id = w.record_id
  JOIN claim c ON c.record_id = r.id AND c.run_id = run.id JOIN verdict v ON v.claim_id = c.id
  WHERE run.instrument = 'support'";

/// What `pair_sum` must hold, counted from `pair`.
const GROUPED: &str = "SELECT kind, name, score, count(*) AS n FROM (
    SELECT 'all' AS kind, state AS name, score FROM pair UNION ALL SELECT 'source', source, score FROM pair
    UNION ALL SELECT 'retrieval', retrieval, score FROM pair UNION ALL SELECT 'model', model, score FROM pair)
  WHERE name IS NOT NULL GROUP BY 1, 2, 3";

pub(super) fn check(connection: &Connection, problems: &mut Problems) -> Fallible<()> {
    let wrong = first(
        connection,
        &format!(
            "SELECT day || ', ' || state FROM (
               SELECT day, judge_id, instrument, state, verdict, severity, n FROM judged_day
               UNION ALL SELECT day, judge_id, instrument, state, verdict, severity, -n FROM ({JUDGED}))
             GROUP BY day, judge_id, instrument, state, verdict, severity HAVING sum(n) <> 0 ORDER BY 1 LIMIT 1"
        ),
    )?;
    if let Some(day) = wrong {
        problems.note("judged by day", || {
            format!("what judges said by day does not add up ({day}): it does not follow from the audits")
        });
    }
    let wrong = first(
        connection,
        &format!(
            "SELECT hour FROM (
               SELECT hour, model, prompt, verdict, n FROM judged_hour
               UNION ALL SELECT hour, model, prompt, verdict, -n FROM ({BY_HOUR}))
             GROUP BY hour, model, prompt, verdict HAVING sum(n) <> 0 ORDER BY 1 LIMIT 1"
        ),
    )?;
    if let Some(hour) = wrong {
        problems.note("judged by hour", || {
            format!(
                "what judges said by the hour does not add up ({hour}): it does not follow from the audits"
            )
        });
    }
    let wrong = first(
        connection,
        "SELECT day FROM (
           SELECT day, severity_rank, n FROM arrived_day
           UNION ALL SELECT date(arrived_ms / 1000, 'unixepoch'), judged_rank, -count(*) FROM queue
             WHERE NOT EXISTS (SELECT 1 FROM claim c JOIN record r ON r.id = c.record_id
                               WHERE c.id = queue.claim_id AND r.source GLOB 'comparison cmp-*') GROUP BY 1, 2)
         GROUP BY day, severity_rank HAVING sum(n) <> 0 ORDER BY 1 LIMIT 1",
    )?;
    if let Some(day) = wrong {
        problems.note("arrived by day", || {
            format!(
                "what came into the queue by day does not add up ({day}): it does not follow from the queue"
            )
        });
    }
    let wrong = first(
        connection,
        &format!(
            "SELECT coalesce((SELECT r.audit_id || '#' || c.n FROM claim c JOIN record r ON r.id = c.record_id
                              WHERE c.id = wrong.claim_id), 'of no claim')
             FROM (SELECT * FROM (SELECT * FROM pair EXCEPT {PAIRS})
                   UNION ALL SELECT * FROM ({PAIRS} EXCEPT SELECT * FROM pair)) wrong ORDER BY 1 LIMIT 1"
        ),
    )?;
    if let Some(id) = wrong {
        problems.note("pair", || {
            format!("pair {id}: its score among all pairs does not follow from its audit and its record")
        });
    }
    let wrong = first(
        connection,
        &format!(
            "SELECT kind || ' ' || name FROM (
               SELECT kind, name, score, n FROM pair_sum UNION ALL SELECT kind, name, score, -n FROM ({GROUPED}))
             GROUP BY kind, name, score HAVING sum(n) <> 0 ORDER BY 1 LIMIT 1"
        ),
    )?;
    if let Some(group) = wrong {
        problems.note("pair sum", || format!("the scores of pairs do not add up ({group})"));
    }
    Ok(())
}

/// The name of the first row that a query finds.
fn first(connection: &Connection, sql: &str) -> Fallible<Option<String>> {
    Ok(connection.query_row(sql, [], |row| texts::shown(row, 0)).optional()?)
}
