//! What the hook was told of: of several programs on one store, one tells it of each arrival.
//!
//! The store knows up to which claim somebody was told, and when. What arrives while nobody is there to tell is told
//! by whoever begins next.

mod present;
mod rejected;

use std::collections::HashMap;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};

use super::{Fallible, Store, StoreError, queue, rows};
use crate::domain::ids::{ClaimId, ClaimKey};
use crate::domain::queue::Arrivals;
use crate::domain::time::Timestamp;
use crate::domain::verdict::Severity;

pub use present::{Present, Work};
pub use rejected::RejectedLine;

/// The row of `meta` with the key of the last claim that was told.
const TOLD: &str = "told";
/// The row of `meta` with the time of that, in milliseconds.
const TOLD_AT: &str = "told_at";
/// So many of the arrivals are looked at for whether their claim is known: a call must not read for seconds.
const COMPARED: i64 = 2_000;
/// So many earlier claims with the words of one are looked at.
const CANDIDATES: i64 = 1_000;

/// When somebody is to be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Telling {
    /// Whether a HIGH claim alone is reason enough.
    pub high_too: bool,
    /// The least time between two calls.
    pub pause: Duration,
    /// Ids that are named at most.
    pub most: usize,
}

/// What came of asking whether there is something to tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Untold {
    Nothing,
    /// There is something, but somebody was called less than the pause ago.
    Later(Duration),
    /// It is for whoever asked to tell, and for nobody else.
    Tell(Box<News>),
}

/// What arrived since somebody was told last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    pub critical: u64,
    pub high: u64,
    /// Of all these, how many make a claim whose words an earlier claim of the store has.
    pub repeats: u64,
    /// The first of them, CRITICAL ones before HIGH ones.
    pub first: Vec<NewClaim>,
    /// Open claims of the whole store.
    pub open_critical: u64,
    pub open_high: u64,
}

/// A claim that arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewClaim {
    pub id: ClaimId,
    pub severity: Severity,
    /// The first claim of the store with the same words, where there is an earlier one.
    pub repeat_of: Option<ClaimId>,
}

impl Store {
    /// Lets what arrived before `now` count as known, unless somebody has been told of something already.
    pub fn begin_telling(&mut self, now: Timestamp) -> Result<(), StoreError> {
        self.write_normal(|tx| {
            if told(tx)?.is_none() {
                let last: i64 = tx
                    .prepare_cached("SELECT coalesce(max(claim_id), 0) FROM queue WHERE arrived_ms < ?1")?
                    .query_row([now.millis()], |row| row.get(0))?;
                set(tx, TOLD, last)?;
            }
            Ok(())
        })
    }

    /// What arrived and nobody has told the hook of. Whoever gets it is the one to tell: the same arrivals are given
    /// out once. `last` is for whoever will not ask again: then no pause is kept.
    ///
    /// They are given out before they are told. Who dies in between leaves them untold, which is better than a
    /// second program that calls people again for what they know.
    pub fn take_untold(
        &mut self,
        telling: Telling,
        last: bool,
        now: Timestamp,
    ) -> Result<Untold, StoreError> {
        // Most looks find nothing, and must not keep others from writing.
        let waits = self.read(|connection| Ok(untold(connection, telling)?.is_some()))?;
        if !waits {
            return Ok(Untold::Nothing);
        }
        let mut since = ClaimKey(0);
        let taken = self.write_normal(|tx| {
            let Some((told, arrivals)) = untold(tx, telling)? else {
                return Ok(Err(Duration::ZERO));
            };
            let at: Option<i64> = value(tx, TOLD_AT)?;
            let passed = at.map(|at| now.millis().saturating_sub(at)).and_then(|ms| u64::try_from(ms).ok());
            // A clock that was set back must not silence it for long: what is in the future counts as now.
            let left = at.map_or(Duration::ZERO, |_| {
                telling.pause.saturating_sub(Duration::from_millis(passed.unwrap_or(0)))
            });
            if !last && !left.is_zero() {
                return Ok(Err(left));
            }
            since = told;
            set(tx, TOLD, arrivals.last.0)?;
            set(tx, TOLD_AT, now.millis())?;
            Ok(Ok(arrivals))
        })?;
        Ok(match taken {
            Err(Duration::ZERO) => Untold::Nothing,
            Err(left) => Untold::Later(left),
            Ok(arrivals) => Untold::Tell(Box::new(
                self.read(|connection| news(connection, since, &arrivals, telling.most))?,
            )),
        })
    }
}

/// Up to which claim somebody was told, and what arrived since, where that is reason enough to call.
fn untold(connection: &Connection, telling: Telling) -> Fallible<Option<(ClaimKey, Arrivals)>> {
    let told = ClaimKey(told(connection)?.unwrap_or(0));
    let arrivals = queue::arrivals(connection, Some(told))?;
    let is_reason = arrivals.critical > 0 || telling.high_too && arrivals.high > 0;
    Ok(is_reason.then_some((told, arrivals)))
}

fn told(connection: &Connection) -> Fallible<Option<i64>> {
    value(connection, TOLD)
}

fn value(connection: &Connection, name: &str) -> Fallible<Option<i64>> {
    Ok(connection
        .prepare_cached("SELECT CAST(value AS INTEGER) FROM meta WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?)
}

fn set(connection: &Connection, name: &str, value: i64) -> Fallible<()> {
    connection
        .prepare_cached(
            "INSERT INTO meta (name, value) VALUES (?1, ?2)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        )?
        .execute(params![name, value.to_string()])?;
    Ok(())
}

const ARRIVED_TEXTS: &str = "SELECT q.claim_id, c.claim_text, r.audit_id, c.n, q.severity_rank
  FROM queue q NOT INDEXED JOIN claim c ON c.id = q.claim_id JOIN record r ON r.id = c.record_id
  WHERE q.claim_id > ?1 AND q.claim_id <= ?2 AND q.open = 1 AND q.severity_rank >= 3
  ORDER BY q.severity_rank DESC, q.claim_id LIMIT ?3";

const EARLIER: &str = "SELECT c.id, c.claim_text, r.audit_id, c.n
  FROM (SELECT rowid AS id FROM claim_search WHERE claim_search MATCH ?1 ORDER BY rowid LIMIT ?2) s
  CROSS JOIN claim c ON c.id = s.id JOIN record r ON r.id = c.record_id";

fn news(connection: &Connection, since: ClaimKey, arrivals: &Arrivals, most: usize) -> Fallible<News> {
    let (mut repeats, mut first) = (0, Vec::new());
    let mut known: HashMap<String, Option<(i64, ClaimId)>> = HashMap::new();
    let mut statement = connection.prepare_cached(ARRIVED_TEXTS)?;
    let mut found = statement.query(params![since.0, arrivals.last.0, COMPARED])?;
    while let Some(row) = found.next()? {
        let (key, text): (i64, String) = (row.get(0)?, rows::text(row, 1)?);
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let earliest = match known.get(&words) {
            Some(earliest) => earliest.clone(),
            None => known.entry(words.clone()).or_insert(earliest(connection, &words)?).clone(),
        };
        let repeat_of = earliest.filter(|(earliest, _)| *earliest < key).map(|(_, id)| id);
        repeats += u64::from(repeat_of.is_some());
        if first.len() < most {
            let severity = if row.get::<_, i64>(4)? == 4 { Severity::Critical } else { Severity::High };
            first.push(NewClaim { id: rows::claim_id(row, 2)?, severity, repeat_of });
        }
    }
    let (open_critical, open_high) = connection
        .prepare_cached("SELECT open_critical, open_high FROM counts")?
        .query_row([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))?;
    Ok(News {
        critical: arrivals.critical,
        high: arrivals.high,
        repeats,
        first,
        open_critical: u64::try_from(open_critical).unwrap_or(0),
        open_high: u64::try_from(open_high).unwrap_or(0),
    })
}

/// The first claim with these words; `None` where there are no words to look for.
fn earliest(connection: &Connection, words: &str) -> Fallible<Option<(i64, ClaimId)>> {
    if !words.contains(char::is_alphanumeric) {
        return Ok(None);
    }
    // Nothing in it can be taken for search syntax.
    let phrase = format!("\"{}\"", words.replace(['"', '\0'], " "));
    let mut statement = connection.prepare_cached(EARLIER)?;
    let mut found = statement.query(params![phrase, CANDIDATES])?;
    while let Some(row) = found.next()? {
        if rows::text(row, 1)?.split_whitespace().eq(words.split(' ')) {
            return Ok(Some((row.get(0)?, rows::claim_id(row, 2)?)));
        }
    }
    Ok(None)
}
