//! The log of what was asked of models: kept before anything is made of a reply, found again so that
//! nothing is asked twice, and read by people who want to see why a verdict is what it is.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::records::to_json;
use super::seals::ExchangeSeal;
use super::{Damaged, Fallible, Fault, Store, StoreError, rows};
use crate::domain::event::sha256_hex;
use crate::domain::exchange::{Exchange, Purpose, Tokens};
use crate::domain::ids::{AuditId, ClaimKey, ExchangeKey};

/// An exchange as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptExchange {
    pub key: ExchangeKey,
    pub exchange: Exchange,
    /// The audits that rest on it, as record and number of its run; none while no run was finished with
    /// it. One that was found again belongs to several.
    pub runs: Vec<(AuditId, u32)>,
}

/// Which exchanges are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExchangesOf<'a> {
    #[default]
    Everything,
    /// Those sent for this record or used for an audit of it, also for audits that were never finished.
    Record(&'a AuditId),
    /// Those that the audit rests on in which the claim was found.
    Claim(ClaimKey),
}

/// An answer that was given earlier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierAnswer {
    pub key: ExchangeKey,
    pub status: u16,
    pub raw_reply: String,
    /// What was noteworthy about it.
    pub detail: String,
    /// The reply that it is a repair of.
    pub repaired: Option<EarlierReply>,
}

/// A reply that could not be read and was repaired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierReply {
    pub key: ExchangeKey,
    pub status: u16,
    pub raw_reply: String,
}

/// The reply that this repair mended.
fn mended(connection: &Connection, repair: ExchangeKey) -> Fallible<Option<EarlierReply>> {
    let mut statement = connection.prepare_cached(
        "SELECT x.id, x.status, x.raw_reply FROM exchange x JOIN exchange r ON r.mends = x.id
         WHERE r.id = ?1 AND x.status IS NOT NULL",
    )?;
    let found = statement.query_row([repair.0], |row| {
        Ok(EarlierReply { key: ExchangeKey(row.get(0)?), status: row.get(1)?, raw_reply: row.get(2)? })
    });
    Ok(found.optional()?)
}

/// A number as a column holds it; one that no column can hold is as good as unknown, and stands in the raw
/// reply all the same.
fn number(count: Option<u64>) -> Option<i64> {
    count.and_then(|count| i64::try_from(count).ok())
}

fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    count_opt(row, column).map(Option::unwrap_or_default)
}

fn count_opt(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<u64>> {
    let Some(number) = row.get::<_, Option<i64>>(column)? else { return Ok(None) };
    u64::try_from(number).map(Some).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, number))
}

/// The columns of an exchange as they are written.
pub(super) struct Columns {
    sent_at: String,
    parameters: String,
    latency_us: i64,
    tokens: [Option<i64>; 4],
    cost_micros: Option<i64>,
}

impl Columns {
    fn of(exchange: &Exchange) -> Self {
        let Tokens { input, cached, output, reasoning } = exchange.tokens;
        Self {
            sent_at: exchange.at.to_string(),
            parameters: to_json(&exchange.parameters),
            latency_us: i64::try_from(exchange.latency.as_micros()).unwrap_or(i64::MAX),
            tokens: [input, cached, output, reasoning].map(number),
            cost_micros: number(exchange.cost_micros),
        }
    }

    fn seal<'a>(&'a self, exchange: &'a Exchange) -> ExchangeSeal<'a> {
        ExchangeSeal {
            sent_at: &self.sent_at,
            audit_id: exchange.audit_id.as_ref().map(AuditId::as_str),
            instrument: &exchange.instrument,
            purpose: exchange.purpose.label(),
            mends: exchange.mends.map(|key| key.0),
            part: exchange.part.into(),
            attempt: exchange.attempt.into(),
            judge: &exchange.judge,
            endpoint: &exchange.endpoint,
            prompt_version: &exchange.prompt_version,
            prompt_sha256: &exchange.prompt_sha256,
            question_sha256: &exchange.question_sha256,
            request_sha256: &exchange.request_sha256,
            model_asked: &exchange.model_asked,
            model_answered: exchange.model_answered.as_deref(),
            parameters: &self.parameters,
            status: exchange.status.map(Into::into),
            request_id: exchange.request_id.as_deref(),
            latency_us: self.latency_us,
            tokens: self.tokens,
            cost_micros: self.cost_micros,
            ending: exchange.ending.label(),
            detail: &exchange.detail,
            raw_reply: &exchange.raw_reply,
        }
    }
}

/// What can be computed before the lock is taken: the columns, and the seal over them.
pub(super) fn prepared(exchange: &Exchange) -> (Columns, String) {
    let columns = Columns::of(exchange);
    let seal = columns.seal(exchange).sha256();
    (columns, seal)
}

/// The columns that [`exchange`] reads.
const COLUMNS: &str =
    "x.id, x.sent_at, r.audit_id, x.instrument, x.purpose, x.part, x.attempt, x.judge, x.endpoint,
  x.prompt_version, x.prompt_sha256, x.question_sha256, x.request_sha256, x.model_asked, x.model_answered,
  x.parameters, x.status, x.request_id, x.latency_us, x.input_tokens, x.cached_tokens, x.output_tokens,
  x.reasoning_tokens, x.cost_micros, x.ending, x.detail, x.raw_reply, x.mends";

impl Store {
    /// Keeps an exchange, in a transaction of its own; returns when it is committed. With
    /// [`Durability::Normal`](super::Durability::Normal) a power cut may take the last ones: the question is then
    /// asked again. Refused when the record that it names is not here.
    pub fn keep_exchange(&mut self, exchange: &Exchange) -> Result<ExchangeKey, StoreError> {
        self.keep_exchanges(std::slice::from_ref(exchange))?.pop().unwrap_or_else(|| {
            Err(StoreError::Refused("an exchange was to be kept and none was handed over".into()))
        })
    }

    /// Keeps several in one transaction; the answer has one entry each, in order. Only those are refused whose
    /// record is not here.
    pub fn keep_exchanges(
        &mut self,
        exchanges: &[Exchange],
    ) -> Result<Vec<Result<ExchangeKey, StoreError>>, StoreError> {
        let prepared: Vec<(Columns, String)> = exchanges.iter().map(prepared).collect();
        self.write_normal(|tx| {
            let each = exchanges.iter().zip(&prepared);
            each.map(|(exchange, (columns, seal))| insert(tx, exchange, columns, seal)).collect()
        })
    }

    /// The last valid answer to that question ([`Exchange::question_sha256`]). A repair whose first reply is not
    /// there is none.
    pub fn answered(&self, question_sha256: &str) -> Result<Option<EarlierAnswer>, StoreError> {
        self.read(|connection| {
            let found = connection
                .prepare_cached(
                    "SELECT id, status, raw_reply, detail, purpose FROM exchange
                     WHERE question_sha256 = ?1 AND ending = 'VALID' AND status IS NOT NULL ORDER BY id DESC LIMIT 1",
                )?
                .query_row([question_sha256], |row| {
                    let answer = EarlierAnswer {
                        key: ExchangeKey(row.get(0)?),
                        status: row.get(1)?,
                        raw_reply: row.get(2)?,
                        detail: row.get(3)?,
                        repaired: None,
                    };
                    Ok((answer, row.get::<_, String>(4)? == Purpose::Repair.label()))
                })
                .optional()?;
            let Some((answer, true)) = found else { return Ok(found.map(|(answer, _)| answer)) };
            let repaired = mended(connection, answer.key)?;
            Ok(repaired.map(|misread| EarlierAnswer { repaired: Some(misread), ..answer }))
        })
    }

    /// The last `limit` exchanges, or all without one, in order; of one judge where one is named. To be read
    /// one after the other by [`Store::exchange`], because a reply may be long.
    pub fn exchange_keys(
        &self,
        which: ExchangesOf<'_>,
        judge: Option<&str>,
        limit: Option<usize>,
    ) -> Result<Vec<ExchangeKey>, StoreError> {
        self.read(|connection| keys(connection, which, judge, limit))
    }

    /// How many exchanges there are; of one judge where one is named.
    pub fn exchange_count(&self, which: ExchangesOf<'_>, judge: Option<&str>) -> Result<u64, StoreError> {
        self.read(|connection| {
            let (found, row) = found(connection, which)?;
            let sql = format!("SELECT count(*) FROM ({found})");
            Ok(connection.prepare_cached(&sql)?.query_row(params![row, judge], |row| count(row, 0))?)
        })
    }

    /// One exchange.
    pub fn exchange(&self, key: ExchangeKey) -> Result<Result<KeptExchange, Damaged>, StoreError> {
        self.read(|connection| kept(connection, key))
    }

    /// The names of the judges that audited what these exchanges would be about; of the local one none came.
    pub fn judges_of(&self, which: ExchangesOf<'_>) -> Result<Vec<String>, StoreError> {
        self.read(|connection| {
            let (condition, row) = match which {
                ExchangesOf::Everything => ("?1 IS NULL", None),
                ExchangesOf::Record(id) => ("run.record_id = ?1", Some(rows::record_key(connection, id)?.0)),
                ExchangesOf::Claim(claim) => ("run.id = ?1", Some(rows::claim(connection, claim)?.run)),
            };
            let mut statement = connection.prepare_cached(&format!(
                "SELECT judge FROM judge WHERE EXISTS (SELECT 1 FROM run WHERE run.judge_id = judge.id AND {condition})
                 GROUP BY judge ORDER BY min(id)"
            ))?;
            let judges = statement.query_map([row], |row| rows::text(row, 0))?;
            Ok(judges.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The judge that was given records of this store last, whatever came of it: the one that audited last, or the one
    /// that was asked since. `None` before any was.
    pub fn judge_in_use(&self) -> Result<Option<String>, StoreError> {
        self.read(|connection| {
            let last = |sql| {
                let found = connection.prepare_cached(sql)?.query_row([], |row| {
                    Ok((rows::text(row, 0)?, rows::text(row, 1)?))
                });
                found.optional()
            };
            let audited = last(
                "SELECT finished_at, judge FROM run JOIN judge ON judge.id = run.judge_id ORDER BY run.id DESC LIMIT 1",
            )?;
            let asked = last(
                "SELECT sent_at, judge FROM exchange WHERE record_id IS NOT NULL AND instrument = 'faithfulness'
                 ORDER BY id DESC LIMIT 1",
            )?;
            Ok(audited.into_iter().chain(asked).max().map(|(_, judge)| judge))
        })
    }

    /// A secret of this store for the fences around audited text in prompts: 64 hex digits, always the same,
    /// and of no use for anything else. Never to be stored, sent or shown.
    pub fn fence_secret(&self) -> Result<String, StoreError> {
        self.read(|connection| {
            let secret: String =
                connection.query_row("SELECT value FROM meta WHERE name = 'secret'", [], |row| row.get(0))?;
            Ok(sha256_hex(["juror fence\n", secret.as_str()]))
        })
    }
}

/// Writes one exchange; the inner error is about this one alone.
pub(super) fn insert(
    tx: &Connection,
    exchange: &Exchange,
    columns: &Columns,
    seal: &str,
) -> Fallible<Result<ExchangeKey, StoreError>> {
    let record = match exchange.audit_id.as_ref().map(|id| rows::record_key(tx, id)).transpose() {
        Ok(record) => record.map(|key| key.0),
        Err(Fault::Store(refused)) => return Ok(Err(refused)),
        Err(fault) => return Err(fault),
    };
    let [input, cached, output, reasoning] = columns.tokens;
    tx.prepare_cached(
        "INSERT INTO exchange (sent_at, record_id, instrument, purpose, part, attempt, judge, endpoint,
           prompt_version, prompt_sha256, question_sha256, request_sha256, model_asked, model_answered,
           parameters, status, request_id, latency_us, input_tokens, cached_tokens, output_tokens,
           reasoning_tokens, cost_micros, ending, detail, sha256, raw_reply, mends)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
           ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28)",
    )?
    .execute(params![
        columns.sent_at,
        record,
        exchange.instrument,
        exchange.purpose.label(),
        exchange.part,
        exchange.attempt,
        exchange.judge,
        exchange.endpoint,
        exchange.prompt_version,
        exchange.prompt_sha256,
        exchange.question_sha256,
        exchange.request_sha256,
        exchange.model_asked,
        exchange.model_answered,
        columns.parameters,
        exchange.status,
        exchange.request_id,
        columns.latency_us,
        input,
        cached,
        output,
        reasoning,
        columns.cost_micros,
        exchange.ending.label(),
        exchange.detail,
        seal,
        exchange.raw_reply,
        exchange.mends.map(|key| key.0),
    ])?;
    Ok(Ok(ExchangeKey(tx.last_insert_rowid())))
}

/// The query for exchanges, as `id` and `place`, of record or run ?1 and of judge ?2; and the row that ?1 is.
fn found(connection: &Connection, which: ExchangesOf<'_>) -> Fallible<(String, Option<i64>)> {
    let (of, row) = match which {
        ExchangesOf::Everything => ("SELECT id, id AS place FROM exchange WHERE ?1 IS NULL", None),
        ExchangesOf::Record(id) => (
            "SELECT id, id AS place FROM exchange WHERE record_id = ?1
             UNION SELECT exchange_id, exchange_id FROM run JOIN run_exchange e ON e.run_id = run.id
             WHERE run.record_id = ?1",
            Some(rows::record_key(connection, id)?.0),
        ),
        ExchangesOf::Claim(claim) => (
            "SELECT exchange_id AS id, n AS place FROM run_exchange WHERE run_id = ?1",
            Some(rows::claim(connection, claim)?.run),
        ),
    };
    let judges = "EXISTS (SELECT 1 FROM exchange x WHERE x.id = found.id AND x.judge = ?2)";
    Ok((format!("SELECT id, place FROM ({of}) found WHERE ?2 IS NULL OR {judges}"), row))
}

/// The keys of exchanges in order; the last ones where there is a limit.
fn keys(
    connection: &Connection,
    which: ExchangesOf<'_>,
    judge: Option<&str>,
    limit: Option<usize>,
) -> Fallible<Vec<ExchangeKey>> {
    let (found, row) = found(connection, which)?;
    let mut statement =
        connection.prepare_cached(&format!("SELECT id FROM ({found}) ORDER BY place DESC LIMIT ?3"))?;
    let limit = limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX));
    let found = statement.query_map(params![row, judge, limit], |row| row.get(0).map(ExchangeKey))?;
    let mut keys: Vec<ExchangeKey> = found.collect::<rusqlite::Result<_>>()?;
    keys.reverse();
    Ok(keys)
}

fn kept(connection: &Connection, key: ExchangeKey) -> Fallible<Result<KeptExchange, Damaged>> {
    let read = || -> Fallible<KeptExchange> {
        let exchange = connection
            .prepare_cached(&format!(
                "SELECT {COLUMNS} FROM exchange x LEFT JOIN record r ON r.id = x.record_id WHERE x.id = ?1"
            ))?
            .query_row([key.0], exchange)?;
        let mut statement = connection.prepare_cached(
            "SELECT DISTINCT r.audit_id, run.n FROM run_exchange e JOIN run ON run.id = e.run_id
             JOIN record r ON r.id = run.record_id WHERE e.exchange_id = ?1 ORDER BY run.id",
        )?;
        let runs =
            statement.query_map([key.0], |row| Ok((AuditId::new(rows::text(row, 0)?), row.get(1)?)))?;
        Ok(KeptExchange { key, exchange, runs: runs.collect::<rusqlite::Result<_>>()? })
    };
    match read() {
        Ok(kept) => Ok(Ok(kept)),
        Err(fault) => {
            Ok(Err(Damaged { what: format!("exchange {}", key.0), claim: None, reason: fault.of_a_row()? }))
        }
    }
}

fn exchange(row: &Row<'_>) -> rusqlite::Result<Exchange> {
    Ok(Exchange {
        at: rows::parsed(row, 1)?,
        audit_id: rows::text_opt(row, 2)?.map(AuditId::new),
        instrument: rows::text(row, 3)?,
        purpose: rows::parsed(row, 4)?,
        part: row.get(5)?,
        attempt: row.get(6)?,
        judge: rows::text(row, 7)?,
        endpoint: rows::text(row, 8)?,
        prompt_version: rows::text(row, 9)?,
        prompt_sha256: rows::text(row, 10)?,
        question_sha256: rows::text(row, 11)?,
        request_sha256: rows::text(row, 12)?,
        model_asked: rows::text(row, 13)?,
        model_answered: rows::text_opt(row, 14)?,
        parameters: rows::json(row, 15)?,
        status: row.get(16)?,
        request_id: rows::text_opt(row, 17)?,
        latency: Duration::from_micros(count(row, 18)?),
        tokens: Tokens {
            input: count_opt(row, 19)?,
            cached: count_opt(row, 20)?,
            output: count_opt(row, 21)?,
            reasoning: count_opt(row, 22)?,
        },
        cost_micros: count_opt(row, 23)?,
        ending: rows::parsed(row, 24)?,
        detail: rows::text(row, 25)?,
        raw_reply: rows::text(row, 26)?,
        mends: row.get::<_, Option<i64>>(27)?.map(ExchangeKey),
    })
}
