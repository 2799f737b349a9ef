//! What the hook was told of: of several programs on one store, one tells it of each arrival.
//!
//! The store knows up to which claim somebody was told, and how the calls stand. A call that fails told nobody: what it
//! should have told is told by the next one that goes well, by whichever program. What arrives while nobody is there to
//! tell is told by whoever begins next.

mod calls;
mod news;
mod present;
mod rejected;

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};

use super::{Fallible, Store, StoreError, queue};
use crate::domain::ids::ClaimKey;
use crate::domain::queue::Arrivals;
use crate::domain::time::Timestamp;

pub use calls::{Calls, Failing, Page};
pub use news::{NewClaim, News};
pub use present::{Present, Work};
pub use rejected::RejectedLine;

/// The row of `meta` with the key of the last claim that was told.
const TOLD: &str = "told";
/// The row of `meta` with the time of the last call, in milliseconds.
const TOLD_AT: &str = "told_at";
/// The row of `meta` with who tells at present.
const TELLING: &str = "telling";
/// Beyond the time that a call may take, whoever makes it has so long to say what came of it.
const TO_SAY: Duration = Duration::from_secs(10);

/// When somebody is to be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Telling<'a> {
    /// Who asks.
    pub holder: &'a str,
    /// Whether a HIGH claim alone is reason enough.
    pub high_too: bool,
    /// The least time between two calls.
    pub pause: Duration,
    /// Ids that are named at most.
    pub most: usize,
    /// How long a call may take: so long nobody else calls.
    pub longest: Duration,
}

/// For whom it is asked whether there is something to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// For a program that begins: after a failure it waits no longer than the pause.
    First,
    Again,
    /// For one that will not ask again: it waits for nothing.
    Last,
}

/// What came of asking whether there is something to tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Untold {
    Nothing,
    /// There is something, but somebody was called less than the pause ago, or the last calls failed.
    Later(Duration),
    /// This one tells it at present, and has so long.
    InHand {
        holder: String,
        left: Duration,
    },
    /// It is for whoever asked to tell, and to say what came of it: [`Store::keep_told`] or [`Store::keep_not_told`].
    Tell(Box<News>),
}

/// Who tells at present.
#[derive(Serialize, Deserialize)]
struct InHand {
    holder: String,
    until_ms: i64,
}

impl Store {
    /// Lets what arrived before `now` count as known, unless somebody has been told of something already.
    pub fn begin_telling(&mut self, now: Timestamp) -> Result<(), StoreError> {
        self.write_normal(|tx| {
            if told(tx)?.is_none() {
                let last: Option<i64> = tx
                    .prepare_cached(
                        "SELECT q.claim_id FROM queue q JOIN claim c ON c.id = q.claim_id
                         JOIN run ON run.id = c.run_id WHERE run.finished_at < ?1
                         ORDER BY q.claim_id DESC LIMIT 1",
                    )?
                    .query_row([now.to_string()], |row| row.get(0))
                    .optional()?;
                set(tx, TOLD, last.unwrap_or(0))?;
            }
            Ok(())
        })
    }

    /// What arrived and nobody has told the hook of. Whoever gets it is the one to tell, and nobody else gets it until
    /// they said what came of it, or for as long as a call may take.
    pub fn take_untold(
        &mut self,
        telling: Telling<'_>,
        asks: Asks,
        now: Timestamp,
    ) -> Result<Untold, StoreError> {
        // Most looks find nothing, and must not keep others from writing.
        let waits = self.read(|connection| Ok(untold(connection, telling.high_too)?.is_some()))?;
        if !waits {
            return Ok(Untold::Nothing);
        }
        let mut taken = None;
        let waits = self.write_normal(|tx| {
            let Some((told, arrivals)) = untold(tx, telling.high_too)? else {
                return Ok(Some(Untold::Nothing));
            };
            if let Some(hand) = in_hand(tx)?.filter(|hand| hand.holder != telling.holder) {
                let left = Timestamp::from_millis(hand.until_ms).since(now);
                // However far ahead it stands, when the clock was set back.
                let left = left.min(telling.longest + TO_SAY);
                if !left.is_zero() {
                    return Ok(Some(Untold::InHand { holder: hand.holder, left }));
                }
            }
            let left = left(tx, telling, asks, &arrivals, now)?;
            if !left.is_zero() {
                return Ok(Some(Untold::Later(left)));
            }
            let until = now.plus(telling.longest + TO_SAY);
            let hand = InHand { holder: telling.holder.to_owned(), until_ms: until.millis() };
            calls::write(tx, TELLING, &hand)?;
            set(tx, TOLD_AT, now.millis())?;
            taken = Some((told, arrivals));
            Ok(None)
        })?;
        Ok(match (waits, taken) {
            (None, Some((since, arrivals))) => Untold::Tell(Box::new(
                self.read(|connection| news::read(connection, since, &arrivals, telling.most))?,
            )),
            (waits, _) => waits.unwrap_or(Untold::Nothing),
        })
    }

    /// The hook was told of `news`, and went well.
    pub fn keep_told(&mut self, holder: &str, news: &News, now: Timestamp) -> Result<(), StoreError> {
        self.write_normal(|tx| {
            set(tx, TOLD, told(tx)?.unwrap_or(0).max(news.last.0))?;
            give_back(tx, holder)?;
            calls::went_well(tx, news, now)
        })
    }

    /// The hook was not told of `news`, or did not go well; `why`. Gives since when it fails.
    pub fn keep_not_told(
        &mut self,
        holder: &str,
        news: &News,
        why: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write_normal(|tx| {
            give_back(tx, holder)?;
            calls::failed(tx, news, why, now)
        })
    }

    /// Whoever held this name is gone, with what they had to tell.
    pub fn tells_no_more(&mut self, holder: &str) -> Result<(), StoreError> {
        self.write_normal(|tx| give_back(tx, holder))
    }

    /// Open CRITICAL and HIGH claims that nobody was told of.
    pub fn untold(&self) -> Result<(u64, u64), StoreError> {
        self.read(|connection| {
            let Some(told) = told(connection)? else { return Ok((0, 0)) };
            let arrivals = queue::arrivals(connection, Some(ClaimKey(told)))?;
            Ok((arrivals.critical, arrivals.high))
        })
    }
}

/// How long it is to be waited yet.
fn left(
    tx: &Transaction<'_>,
    telling: Telling<'_>,
    asks: Asks,
    arrivals: &Arrivals,
    now: Timestamp,
) -> Fallible<Duration> {
    if asks == Asks::Last {
        return Ok(Duration::ZERO);
    }
    // A clock that was set back must not silence it for long: what is in the future counts as now.
    let passed = |at: i64| Duration::from_millis(u64::try_from(now.millis().saturating_sub(at)).unwrap_or(0));
    let failing = calls::read(tx)?.failing;
    if let Some(failing) = failing.filter(|failing| asks == Asks::Again && !failing.has_more(arrivals)) {
        return Ok(failing.rest(telling.pause).saturating_sub(passed(failing.last_ms)));
    }
    let at: Option<i64> = value(tx, TOLD_AT)?;
    Ok(at.map_or(Duration::ZERO, |at| telling.pause.saturating_sub(passed(at))))
}

fn in_hand(connection: &Connection) -> Fallible<Option<InHand>> {
    let said: Option<String> = connection
        .prepare_cached("SELECT value FROM meta WHERE name = ?1")?
        .query_row([TELLING], |row| row.get(0))
        .optional()?;
    Ok(said.and_then(|said| serde_json::from_str(&said).ok()))
}

fn give_back(tx: &Transaction<'_>, holder: &str) -> Fallible<()> {
    if in_hand(tx)?.is_some_and(|hand| hand.holder == holder) {
        tx.prepare_cached("DELETE FROM meta WHERE name = ?1")?.execute([TELLING])?;
    }
    Ok(())
}

/// Up to which claim somebody was told, and what arrived since, where that is reason enough to call.
fn untold(connection: &Connection, high_too: bool) -> Fallible<Option<(ClaimKey, Arrivals)>> {
    let told = ClaimKey(told(connection)?.unwrap_or(0));
    let arrivals = queue::arrivals(connection, Some(told))?;
    let is_reason = arrivals.critical > 0 || high_too && arrivals.high > 0;
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
