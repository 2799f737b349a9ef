//! What models were asked and what they answered, against its seals.

use rusqlite::{Connection, Row};

use super::mark::Rolled;
use super::{Problems, VerifyReport, texts};
use crate::domain::ids::RecordKey;
use crate::store::Fallible;
use crate::store::seals::{ExchangeSeal, RunExchangeSeal};

/// What [`exchange`] reads.
const EXCHANGE: &str =
    "SELECT x.id, x.sha256, x.sent_at, r.audit_id, x.instrument, x.purpose, x.part, x.attempt, x.judge,
   x.endpoint, x.prompt_version, x.prompt_sha256, x.question_sha256, x.request_sha256, x.model_asked,
   x.model_answered, x.parameters, x.status, x.request_id, x.latency_us, x.input_tokens, x.cached_tokens,
   x.output_tokens, x.reasoning_tokens, x.cost_micros, x.ending, x.detail, x.raw_reply, x.mends
 FROM exchange x LEFT JOIN record r ON r.id = x.record_id";

/// The same of the exchanges that audits of one record rest on.
pub(super) fn of_record(connection: &Connection, key: RecordKey, problems: &mut Problems) -> Fallible<()> {
    let mut statement = connection.prepare(&format!(
        "{EXCHANGE} WHERE x.id IN (SELECT e.exchange_id FROM run JOIN run_exchange e ON e.run_id = run.id
           WHERE run.record_id = ?1)"
    ))?;
    let mut found = statement.query([key.0])?;
    while let Some(row) = found.next()? {
        let name = texts::shown(row, 0)?;
        let read = exchange(row, problems);
        problems.go_on(read, "unreadable exchange", || format!("exchange {name}"))?;
    }
    Ok(())
}

pub(super) fn check(
    connection: &Connection,
    report: &mut VerifyReport,
    rolled: &mut Rolled,
    problems: &mut Problems,
) -> Fallible<()> {
    let mut statement = connection.prepare(&format!("{EXCHANGE} ORDER BY x.id"))?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        report.exchanges += 1;
        rolled.exchanges.add(&texts::shown(row, 1)?);
        let name = texts::shown(row, 0)?;
        let read = exchange(row, problems);
        problems.go_on(read, "unreadable exchange", || format!("exchange {name}"))?;
    }
    Ok(())
}

fn exchange(row: &Row<'_>, problems: &mut Problems) -> Fallible<()> {
    let text = |column: usize| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
    let text_opt = |column: usize| row.get_ref(column)?.as_str_or_null().map_err(rusqlite::Error::from);
    let seal = ExchangeSeal {
        sent_at: text(2)?,
        audit_id: text_opt(3)?,
        instrument: text(4)?,
        purpose: text(5)?,
        mends: row.get(28)?,
        part: row.get(6)?,
        attempt: row.get(7)?,
        judge: text(8)?,
        endpoint: text(9)?,
        prompt_version: text(10)?,
        prompt_sha256: text(11)?,
        question_sha256: text(12)?,
        request_sha256: text(13)?,
        model_asked: text(14)?,
        model_answered: text_opt(15)?,
        parameters: text(16)?,
        status: row.get(17)?,
        request_id: text_opt(18)?,
        latency_us: row.get(19)?,
        tokens: [row.get(20)?, row.get(21)?, row.get(22)?, row.get(23)?],
        cost_micros: row.get(24)?,
        ending: text(25)?,
        detail: text(26)?,
        raw_reply: text(27)?,
    };
    problems.same("exchange", &seal.sha256().as_str(), &text(1)?, || {
        let id = row.get::<_, i64>(0).unwrap_or_default();
        match seal.audit_id {
            Some(record) => {
                format!("exchange {id} (record {record}): what was sent or came back was changed")
            }
            None => format!("exchange {id}: what was sent or came back was changed"),
        }
    });
    Ok(())
}

/// The exchanges that a run rests on, as its seal names them.
pub(super) fn of_run(connection: &Connection, run: i64) -> Fallible<Vec<RunExchangeSeal>> {
    let mut statement = connection.prepare_cached(
        "SELECT e.n, coalesce(x.sha256, '') FROM run_exchange e LEFT JOIN exchange x ON x.id = e.exchange_id
         WHERE e.run_id = ?1 ORDER BY e.n",
    )?;
    let exchanges =
        statement.query_map([run], |row| Ok(RunExchangeSeal { n: row.get(0)?, sha256: row.get(1)? }))?;
    Ok(exchanges.collect::<rusqlite::Result<_>>()?)
}
