//! Everything derived: where people stand, what is open, the order of the queue, the totals.

use rusqlite::{Connection, OptionalExtension};

use super::{Problems, texts};
use crate::domain::decision::{Flag, Standing};
use crate::domain::event::Event;
use crate::domain::finding::{AuditState, Judged, Outcome};
use crate::domain::ids::{Annotator, AuditId, ClaimId, ClaimKey};
use crate::domain::queue::QueueState;
use crate::domain::record::RiskLevel;
use crate::domain::routing::{Rank, Why};
use crate::domain::time::Timestamp;
use crate::domain::verdict::{NoVerdict, Probability};
use crate::store::{Fallible, blind, detail, projection, rows, shaping, word};

pub(super) fn check(connection: &Connection, problems: &mut Problems) -> Fallible<()> {
    let read = standings(connection, problems);
    problems.part("the decisions", read)?;
    let read = words(connection, problems);
    problems.part("what people say together", read)?;
    let read = dispositions(connection, problems);
    problems.part("the dispositions", read)?;
    let read = to_dispose(connection, problems);
    problems.part("what waits for a disposition", read)?;
    let read = work(connection, problems);
    problems.part("the audits' state", read)?;
    let read = queue(connection, problems);
    problems.part("the queue", read)?;
    let read = totals(connection, problems);
    problems.part("the totals", read)
}

/// Replays everybody's events on every claim.
fn standings(connection: &Connection, problems: &mut Problems) -> Fallible<()> {
    let mut statement = connection.prepare(
        "SELECT claim_id, annotator FROM event WHERE claim_id IS NOT NULL
         UNION SELECT claim_id, annotator FROM decision
         UNION SELECT claim_id, annotator FROM skip
         UNION SELECT claim_id, annotator FROM deferral
         UNION SELECT claim_id, annotator FROM flag
         UNION SELECT claim_id, annotator FROM opinion
         UNION SELECT claim_id, annotator FROM made
         UNION SELECT claim_id, annotator FROM replaced",
    )?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let key = ClaimKey(row.get(0)?);
        let Ok(annotator) = row.get::<_, String>(1) else {
            // Read for what it looks like, it would be nobody's, and nothing would seem to be there.
            let (name, who) = (named(connection, key), texts::shown(row, 1)?);
            problems.note("nobody's work", || {
                format!("claim {name}: something stands there of “{who}”, whose name is no text")
            });
            continue;
        };
        // An event that cannot be read is named by the chain already.
        let Ok(expected) = projection::standing(connection, key, &annotator) else { continue };
        let present = present(connection, key, &annotator);
        if present.as_ref().ok() != Some(&shown(&expected)) {
            let name = named(connection, key);
            problems.note("standing", || {
                format!("claim {name}: what is shown of {annotator}'s work does not follow from the events")
            });
        }
    }
    Ok(())
}

/// Which decision counts on each claim, by the decisions as they stand.
fn words(connection: &Connection, problems: &mut Problems) -> Fallible<()> {
    let mut statement = connection.prepare("SELECT DISTINCT claim_id FROM decision")?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let key = ClaimKey(row.get(0)?);
        // A decision that cannot be read is named above.
        let Ok(expected) = word::expected(connection, key) else { continue };
        let kept = word::kept(connection, key)?;
        if kept != expected.iter().cloned().collect::<Vec<_>>() {
            let name = named(connection, key);
            problems.note("word", || {
                format!("claim {name}: whose decision counts does not follow from the decisions")
            });
        }
    }
    Ok(())
}

/// The claim's id, or its row.
fn named(connection: &Connection, key: ClaimKey) -> String {
    rows::claim(connection, key).map_or_else(|_| format!("row {}", key.0), |claim| claim.id.to_string())
}

/// A person's work on a claim, but for the notes, and for what is kept in no table.
fn shown(standing: &Standing) -> Standing {
    Standing { notes: Vec::new(), saw_the_judge: false, ..standing.clone() }
}

fn present(connection: &Connection, key: ClaimKey, annotator: &str) -> Fallible<Standing> {
    let which = rusqlite::params![key.0, annotator];
    let who = Annotator::new(annotator);
    let decided = detail::decisions(connection, key)?.into_iter().find(|(other, _)| *other == who);
    Ok(Standing {
        decided: decided.map(|(_, decided)| decided),
        blind: blind::opinion_of(connection, key, annotator)?,
        saw_the_judge: false,
        skipped: connection
            .prepare_cached("SELECT 1 FROM skip WHERE claim_id = ?1 AND annotator = ?2")?
            .exists(which)?,
        flag: connection
            .prepare_cached("SELECT seq, addressee FROM flag WHERE claim_id = ?1 AND annotator = ?2")?
            .query_row(which, |row| Ok(Flag { seq: row.get(0)?, to: row.get(1)? }))
            .optional()?,
        deferred: connection
            .prepare_cached("SELECT until_ms FROM deferral WHERE claim_id = ?1 AND annotator = ?2")?
            .query_row(which, |row| row.get(0).map(Timestamp::from_millis))
            .optional()?,
        made: shaped(connection, "made", key, annotator)?,
        replaced: shaped(connection, "replaced", key, annotator)?,
        notes: Vec::new(),
    })
}

/// The event by which a person made the claim, or put others in its place.
fn shaped(connection: &Connection, table: &str, key: ClaimKey, annotator: &str) -> Fallible<Option<i64>> {
    Ok(connection
        .prepare_cached(&format!("SELECT seq FROM {table} WHERE claim_id = ?1 AND annotator = ?2"))?
        .query_row(rusqlite::params![key.0, annotator], |row| row.get(0))
        .optional()?)
}

fn dispositions(connection: &Connection, problems: &mut Problems) -> Fallible<()> {
    let mut statement = connection.prepare(
        "SELECT DISTINCT subject FROM event WHERE claim_id IS NULL
         UNION SELECT r.audit_id FROM disposition d JOIN run ON run.id = d.run_id JOIN record r ON r.id = run.record_id",
    )?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let audit_id = AuditId::new(texts::shown(row, 0)?);
        let Ok(mut expected) = projection::standing_dispositions(connection, &audit_id) else { continue };
        // Of one run the last one counts.
        expected.reverse();
        let mut runs = Vec::new();
        expected.retain(|(_, disposed)| {
            !runs.contains(&disposed.run) && {
                runs.push(disposed.run);
                true
            }
        });
        let read = same_dispositions(connection, &audit_id, expected, problems);
        problems.go_on(read, "unreadable disposition", || format!("record {audit_id}: its disposition"))?;
    }
    Ok(())
}

/// Which answers wait for a disposition, counted anew.
fn to_dispose(connection: &Connection, problems: &mut Problems) -> Fallible<()> {
    let waiting = projection::TO_DISPOSE;
    let wrong: Option<String> = connection
        .query_row(
            &format!(
                "SELECT coalesce((SELECT r.audit_id FROM run JOIN record r ON r.id = run.record_id
                                  WHERE run.id = wrong.run_id), 'of no run')
                 FROM (SELECT * FROM ({waiting} EXCEPT SELECT run_id FROM to_dispose)
                       UNION ALL SELECT * FROM (SELECT run_id FROM to_dispose EXCEPT {waiting})) wrong LIMIT 1"
            ),
            [],
            |row| texts::shown(row, 0),
        )
        .optional()?;
    if let Some(audit_id) = wrong {
        problems.note("to dispose", || {
            format!(
                "record {audit_id}: whether it waits for its disposition does not follow from its decisions"
            )
        });
    }
    Ok(())
}

fn same_dispositions(
    connection: &Connection,
    audit_id: &AuditId,
    expected: Vec<(Event, projection::Disposed)>,
    problems: &mut Problems,
) -> Fallible<()> {
    let mut stored = connection.prepare_cached(
        "SELECT run.n, d.disposition, d.annotator, d.seq, d.disposed_at FROM record r
             JOIN run ON run.record_id = r.id JOIN disposition d ON d.run_id = run.id WHERE r.audit_id = ?1",
    )?;
    let mut stored: Vec<(i64, String, String, i64, String)> = stored
        .query_map([audit_id.as_str()], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    let mut expected: Vec<_> = expected
        .into_iter()
        .map(|(event, disposed)| {
            let label = disposed.disposition.label().to_owned();
            (disposed.run, label, event.annotator, event.seq, event.at.to_string())
        })
        .collect();
    stored.sort();
    expected.sort();
    problems.same("disposition", &stored, &expected, || {
        format!("record {audit_id}: its disposition does not follow from the events")
    });
    Ok(())
}

fn work(connection: &Connection, problems: &mut Problems) -> Fallible<()> {
    let wrong: Option<String> = connection
        .query_row(
            "SELECT r.audit_id FROM record r LEFT JOIN work w ON w.record_id = r.id
             WHERE w.record_id IS NULL OR w.run_id IS NOT (SELECT max(run.id) FROM run WHERE run.record_id = r.id)
               OR (w.state <> 'waiting' AND w.run_id IS NULL)
               OR (w.state <> 'waiting' AND (w.state = 'failed') IS NOT EXISTS (
                     SELECT 1 FROM claim c JOIN verdict v ON v.claim_id = c.id
                     WHERE c.record_id = r.id AND c.run_id = w.run_id AND v.state = 'FAILED'))
               OR w.risk_rank <> CASE r.risk_level WHEN 'CRITICAL' THEN 4 WHEN 'HIGH' THEN 3 WHEN 'LOW' THEN 1
                                   ELSE 2 END
             LIMIT 1",
            [],
            |row| texts::shown(row, 0),
        )
        .optional()?;
    if let Some(audit_id) = wrong {
        problems.note("work", || {
            format!("record {audit_id}: how far its audit is, or its turn, does not follow from its runs and its risk")
        });
    }
    Ok(())
}

fn queue(connection: &Connection, problems: &mut Problems) -> Fallible<()> {
    let mut statement = connection.prepare(&format!(
        "SELECT r.audit_id, c.n, r.risk_level, v.state, v.verdict, v.severity, v.confidence,
           q.judged_rank, q.verdict_rank, q.doubt, q.current, q.open, {},
           {}, q.arrived_ms, CASE v.state WHEN 'ADDED'
             THEN (SELECT min(e.at) FROM event e WHERE e.claim_id = c.id AND e.act = 'ADD_CLAIM')
             ELSE r.imported_at END, q.place, q.why, run.instrument,
           (SELECT max(pq.judged_rank) FROM made m JOIN event e ON e.seq = m.seq JOIN json_each(e.new, '$.from') f
              JOIN claim pc ON pc.record_id = c.record_id AND f.value = r.audit_id || '#' || pc.n
              JOIN queue pq ON pq.claim_id = pc.id WHERE m.claim_id = c.id),
           q.severity_rank, {}
         FROM claim c JOIN record r ON r.id = c.record_id JOIN work w ON w.record_id = c.record_id
         JOIN verdict v ON v.claim_id = c.id JOIN run ON run.id = c.run_id
         LEFT JOIN queue q ON q.claim_id = c.id ORDER BY c.id",
        projection::IS_CURRENT,
        projection::queue_state(),
        projection::RANK
    ))?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let name = format!("claim {}#{}", texts::shown(row, 0)?, texts::shown(row, 1)?);
        let read = queued(row, problems);
        problems.go_on(read, "unreadable queue", || format!("{name}: its place in the queue"))?;
    }
    Ok(())
}

fn queued(row: &rusqlite::Row<'_>, problems: &mut Problems) -> Fallible<()> {
    let id: ClaimId = rows::claim_id(row, 0)?;
    // What cannot be read is named by the evidence already.
    let Ok((outcome, risk)) = outcome(row) else { return Ok(()) };
    let Some(severity) = row.get::<_, Option<u8>>(7)? else {
        // Of pairs the policy, and who scored them, say how many of the weak ones people look at.
        if row.get::<_, String>(18)? != "support" && must_be_routed(&outcome) {
            problems.note("not routed", || {
                let label = outcome.judged().map_or(outcome.state().label(), |judged| judged.verdict.label());
                format!("claim {id}: {label}, but missing from the queue")
            });
        }
        return Ok(());
    };
    let rank = Rank { severity, verdict: row.get(8)?, doubt: row.get(9)? };
    let Ok(why) = rows::json::<Vec<Why>>(row, 17) else { return Ok(()) };
    if outcome.state() == AuditState::NoVerdict(NoVerdict::Added) {
        let is_floor = |why: &&Why| matches!(why, Why::Replaces { .. });
        let own: Vec<Why> = why.iter().filter(|why| !is_floor(why)).copied().collect();
        let least: u8 = row.get::<_, Option<u8>>(19)?.unwrap_or(0);
        problems.same("why", &(own, rank.severity >= least), &(shaping::why(risk), true), || {
            format!("claim {id}: why it is in the queue does not follow from its record")
        });
    }
    problems.same("rank", &rank, &Rank::of(&outcome, risk, &why), || {
        format!("claim {id}: its place in the queue does not follow from its verdict")
    });
    let (ranked, expected): (i64, i64) = (row.get(20)?, row.get(21)?);
    problems.same("rank", &ranked, &expected, || {
        format!("claim {id}: the severity by which it is ranked does not follow from its verdict and what people say")
    });
    let place =
        (4 - ranked) * 100_000 + (6 - i64::from(rank.verdict)) * 10_000 + 1000 - i64::from(rank.doubt);
    problems.same("rank", &row.get(16)?, &place, || {
        format!("claim {id}: its place in the queue does not follow from its verdict")
    });
    let came_in = rows::parsed::<Timestamp>(row, 15).ok();
    problems.same("arrived", &Some(Timestamp::from_millis(row.get(14)?)), &came_in, || {
        format!("claim {id}: when it arrived is not when its record came in")
    });
    let (current, open): (bool, QueueState) = (row.get(10)?, rows::queue_state(row, 11)?);
    let (is_current, expected): (bool, QueueState) = (row.get(12)?, rows::queue_state(row, 13)?);
    problems.same("open", &(current, open), &(is_current, expected), || {
        format!("claim {id}: whether it is open does not follow from runs, decisions and dispositions")
    });
    Ok(())
}

fn must_be_routed(outcome: &Outcome) -> bool {
    use crate::domain::verdict::Verdict::{Contradicted, Unsupported};
    outcome.state() != AuditState::Judged
        || outcome.judged().is_some_and(|judged| matches!(judged.verdict, Contradicted | Unsupported))
}

/// As much of the outcome as rank and routing need.
fn outcome(row: &rusqlite::Row<'_>) -> rusqlite::Result<(Outcome, Option<RiskLevel>)> {
    let state = rows::state(row, 3)?;
    let outcome = if let AuditState::NoVerdict(state) = state {
        Outcome::NotJudged { state, reason: String::new() }
    } else {
        let judged = Judged {
            verdict: rows::parsed(row, 4)?,
            severity: rows::parsed_opt(row, 5)?,
            confidence: Probability::clamped(row.get(6)?),
            hallucination_type: None,
            citations: Vec::new(),
            rationale: String::new(),
            support: None,
        };
        if state == AuditState::Judged { Outcome::Judged(judged) } else { Outcome::Ungrounded(judged) }
    };
    Ok((outcome, rows::parsed_opt(row, 2)?))
}

fn totals(connection: &Connection, problems: &mut Problems) -> Fallible<()> {
    let all = |sql: &str| {
        connection.query_row(sql, [], |row| {
            (0..10).map(|column| row.get::<_, i64>(column)).collect::<rusqlite::Result<Vec<_>>>()
        })
    };
    let kept = all("SELECT routed, open, open_critical, open_high, open_medium, open_low, set_aside,
           waiting, done, failed
         FROM counts")
    .optional()?;
    let counted = all("SELECT * FROM (SELECT coalesce(sum(current), 0), coalesce(sum(open = 1), 0),
                          coalesce(sum(open = 1 AND severity_rank = 4), 0),
                          coalesce(sum(open = 1 AND severity_rank = 3), 0),
                          coalesce(sum(open = 1 AND severity_rank = 2), 0),
                          coalesce(sum(open = 1 AND severity_rank = 1), 0), coalesce(sum(open = 2), 0)
                        FROM queue),
                       (SELECT coalesce(sum(state = 'waiting'), 0), coalesce(sum(state = 'done'), 0),
                          coalesce(sum(state = 'failed'), 0) FROM work)")?;
    problems.same("totals", &kept, &Some(counted), || "the totals do not add up".to_owned());
    let wrong: Option<String> = connection
        .query_row(
            "SELECT annotator FROM (SELECT annotator, NULL AS day, n FROM decided
               UNION ALL SELECT annotator, NULL, -count(*) FROM decision GROUP BY annotator
               UNION ALL SELECT annotator, day, n FROM decided_day
               UNION ALL SELECT annotator, substr(decided_at, 1, 10), -count(*) FROM decision GROUP BY 1, 2)
             GROUP BY annotator, day HAVING sum(n) <> 0 LIMIT 1",
            [],
            |row| texts::shown(row, 0),
        )
        .optional()?;
    if let Some(annotator) = wrong {
        problems.note("decided", || format!("the number of {annotator}'s decisions does not add up"));
    }
    Ok(())
}
