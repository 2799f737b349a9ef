//! In which order claims are listed, and pages of that order by keyset: no page costs more for standing
//! further down.
//!
//! A list is made of parts, one after the other; within each, claims stand by severity, verdict, doubt and
//! age. Must not know what a filter says, only how rows are kept or left out.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use super::{Fallible, rows};
use crate::domain::filter::Review;
use crate::domain::ids::{Annotator, ClaimKey};
use crate::domain::queue::QueueState;
use crate::domain::time::Timestamp;

/// Which part of the queue to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageAt {
    /// The first rows.
    Top,
    /// The last rows, in queue order.
    Bottom,
    /// Rows after this claim, not included.
    After(ClaimKey),
    /// Rows before this claim, not included, in queue order.
    Before(ClaimKey),
    /// Rows from this claim on. The claim itself is included even when it is decided by now, so that
    /// a row under the cursor stays.
    From(ClaimKey),
}

/// Where a claim stands within its part.
pub(super) type Place = (i64, i64, i64);

const FIRST: Place = (i64::MIN, i64::MIN, i64::MIN);
const LAST: Place = (i64::MAX, i64::MAX, i64::MAX);

/// `?5`, which is never NULL. Names `?6` too, so that every statement has as many values.
pub(super) const LIMIT: &str = "LIMIT coalesce(?5, ?6)";

/// A part of the list. In its SQL `?1` is who asks, `?6` the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Open, and not put off by whoever asks.
    NotSkipped,
    /// Open, put to the end by whoever asks.
    Skipped,
    /// Open, put off until a time by whoever asks, skipped or not.
    Deferred,
    /// Nobody has decided it, but its whole answer is blocked.
    SetAside,
    /// Somebody's decision stands.
    Decided,
    /// Of a current run, but sent to nobody.
    Unrouted,
}

impl Part {
    /// The open claims that are in hand for whoever asks: what they deferred is not.
    pub(super) const IN_HAND: &[Self] = &[Self::NotSkipped, Self::Skipped];

    /// The parts of a review state in the order in which they are listed.
    pub(super) const fn of(review: Review) -> &'static [Self] {
        match review {
            Review::Open => &[Self::NotSkipped, Self::Skipped, Self::Deferred],
            Review::Blocked => &[Self::SetAside],
            Review::Decided => &[Self::Decided],
            Review::Unrouted => &[Self::Unrouted],
            Review::Any => &[
                Self::NotSkipped,
                Self::Skipped,
                Self::Deferred,
                Self::SetAside,
                Self::Decided,
                Self::Unrouted,
            ],
        }
    }

    /// Whether its claims stand in the table `queue`, as `q`; else they stand in `claim`, as `c`.
    pub(super) const fn is_queued(self) -> bool {
        !matches!(self, Self::Unrouted)
    }

    pub(super) const fn rows(self) -> &'static str {
        match self {
            Self::NotSkipped => {
                "FROM queue q WHERE q.open = 1
                 AND NOT EXISTS (SELECT 1 FROM skip s WHERE s.annotator = ?1 AND s.claim_id = q.claim_id)
                 AND NOT EXISTS (SELECT 1 FROM deferral f
                                 WHERE f.annotator = ?1 AND f.claim_id = q.claim_id AND f.until_ms > ?6)"
            }
            Self::Skipped => {
                "FROM skip s CROSS JOIN queue q ON q.claim_id = s.claim_id WHERE s.annotator = ?1 AND q.open = 1
                 AND NOT EXISTS (SELECT 1 FROM deferral f
                                 WHERE f.annotator = ?1 AND f.claim_id = q.claim_id AND f.until_ms > ?6)"
            }
            Self::Deferred => {
                "FROM deferral f CROSS JOIN queue q ON q.claim_id = f.claim_id
                 WHERE f.annotator = ?1 AND f.until_ms > ?6 AND q.open = 1"
            }
            Self::SetAside => "FROM queue q WHERE q.open = 2",
            Self::Decided => "FROM queue q WHERE q.open = 0 AND q.current = 1",
            Self::Unrouted => {
                "FROM claim c CROSS JOIN work w ON w.record_id = c.record_id AND w.run_id = c.run_id
                 WHERE NOT EXISTS (SELECT 1 FROM queue q WHERE q.claim_id = c.id)"
            }
        }
    }

    /// The columns of a [`Place`].
    pub(super) const fn place(self) -> &'static str {
        if self.is_queued() { "q.place, q.arrived_ms, q.claim_id" } else { "0, 0, c.id" }
    }

    /// One page: `?2` to `?4` are where it begins, `?5` how long it may be.
    pub(super) fn page(self, down: bool, conditions: &str) -> String {
        let (than, way) = if down { (">", "ASC") } else { ("<", "DESC") };
        let (place, rows) = (self.place(), self.rows());
        if self.is_queued() {
            format!(
                "SELECT {place} {rows} AND ({place}) {than} (?2, ?3, ?4){conditions}
                 ORDER BY q.place {way}, q.arrived_ms {way}, q.claim_id {way} {LIMIT}"
            )
        } else {
            format!("SELECT {place} {rows} AND c.id {than} ?4{conditions} ORDER BY c.id {way} {LIMIT}")
        }
    }
}

/// Which rows of a part are kept.
pub(super) trait Sieve {
    /// SQL behind a part's own conditions, each with `AND` before it, and the values from `?7` on.
    fn conditions(&self, part: Part) -> (String, Vec<Value>);

    /// Whether a claim that fulfils the conditions is kept. `None`: all of them are.
    fn keeps(&self) -> Option<&dyn Fn(i64) -> bool>;

    /// The only claims that can be kept, where they are few.
    fn few(&self) -> Option<&[i64]>;
}

/// Keeps everything.
pub(super) struct Everything;

impl Sieve for Everything {
    fn conditions(&self, _: Part) -> (String, Vec<Value>) {
        (String::new(), Vec::new())
    }

    fn keeps(&self) -> Option<&dyn Fn(i64) -> bool> {
        None
    }

    fn few(&self) -> Option<&[i64]> {
        None
    }
}

/// A list: parts, and what is kept of them.
pub(super) struct List<'a> {
    pub(super) connection: &'a Connection,
    pub(super) annotator: &'a Annotator,
    pub(super) parts: &'a [Part],
    pub(super) sieve: &'a dyn Sieve,
    pub(super) now: Timestamp,
}

impl List<'_> {
    /// Up to `limit` claims at `at`.
    pub(super) fn page(&self, at: PageAt, limit: usize) -> Fallible<Vec<ClaimKey>> {
        match at {
            PageAt::Top => self.down(0, FIRST, limit),
            PageAt::Bottom => self.up(self.parts.len(), LAST, limit),
            PageAt::After(key) => self.seat(key).and_then(|(part, place)| self.down(part, place, limit)),
            PageAt::From(key) => {
                let (part, place) = self.seat(key)?;
                let mut keys = vec![key];
                keys.extend(self.down(part, place, limit.saturating_sub(1))?);
                keys.truncate(limit);
                Ok(keys)
            }
            PageAt::Before(key) => self.seat(key).and_then(|(part, place)| self.up(part + 1, place, limit)),
        }
    }

    /// From `from` in the part `first` on downwards.
    fn down(&self, first: usize, from: Place, limit: usize) -> Fallible<Vec<ClaimKey>> {
        let mut keys = Vec::new();
        for (at, part) in self.parts.iter().enumerate().skip(first) {
            let from = if at == first { from } else { FIRST };
            keys.extend(self.walk(*part, from, true, limit - keys.len())?);
        }
        Ok(keys)
    }

    /// Up from `from` in the last of the parts before `end`; the claims in the order of the list.
    fn up(&self, end: usize, from: Place, limit: usize) -> Fallible<Vec<ClaimKey>> {
        let mut keys = Vec::new();
        for (at, part) in self.parts.iter().enumerate().take(end).rev() {
            let from = if at + 1 == end { from } else { LAST };
            keys.extend(self.walk(*part, from, false, limit - keys.len())?);
        }
        keys.reverse();
        Ok(keys)
    }

    /// Up to `limit` claims of one part, beginning next to `from` and going on down or up.
    fn walk(&self, part: Part, from: Place, down: bool, limit: usize) -> Fallible<Vec<ClaimKey>> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        if let Some(few) = self.sieve.few() {
            let mut places = self.places(part, few)?;
            places.retain(|place| if down { *place > from } else { *place < from });
            places.sort_unstable();
            if !down {
                places.reverse();
            }
            places.truncate(limit);
            return Ok(places.into_iter().map(|place| ClaimKey(place.2)).collect());
        }
        let (conditions, more) = self.sieve.conditions(part);
        let keeps = self.sieve.keeps();
        let most = if keeps.is_some() { -1 } else { i64::try_from(limit).unwrap_or(i64::MAX) };
        let who = self.annotator.as_str().to_owned();
        let mut values: Vec<Value> = vec![
            who.into(),
            from.0.into(),
            from.1.into(),
            from.2.into(),
            most.into(),
            self.now.millis().into(),
        ];
        values.extend(more);
        let sql = part.page(down, &conditions);
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut found = statement.query(params_from_iter(values))?;
        let mut keys = Vec::new();
        while let Some(row) = found.next()? {
            let key: i64 = row.get(2)?;
            if keeps.is_none_or(|keeps| keeps(key)) {
                keys.push(ClaimKey(key));
                if keys.len() == limit {
                    break;
                }
            }
        }
        Ok(keys)
    }

    /// Where those of `keys` stand that are in `part` and kept.
    pub(super) fn places(&self, part: Part, keys: &[i64]) -> Fallible<Vec<Place>> {
        let (conditions, more) = self.sieve.conditions(part);
        let key = if part.is_queued() { "q.claim_id" } else { "c.id" };
        let sql = format!("SELECT {} {} AND {key} = ?4{conditions} {LIMIT}", part.place(), part.rows());
        let mut statement = self.connection.prepare_cached(&sql)?;
        let (who, now) = (self.annotator.as_str().to_owned(), self.now.millis());
        let mut values: Vec<Value> =
            vec![who.into(), Value::Null, Value::Null, Value::Null, 1.into(), now.into()];
        values.extend(more);
        let keeps = self.sieve.keeps();
        let mut places = Vec::new();
        for key in keys.iter().filter(|key| keeps.is_none_or(|keeps| keeps(**key))) {
            values[3] = (*key).into();
            let place = statement
                .query_row(params_from_iter(values.iter()), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                .optional()?;
            places.extend(place);
        }
        Ok(places)
    }

    /// In which of the parts a claim stands, and where. A claim that was decided, deferred or blocked meanwhile keeps
    /// its place in a list of open ones.
    fn seat(&self, key: ClaimKey) -> Fallible<(usize, Place)> {
        let refused = || -> Fallible<(usize, Place)> {
            super::refused(format!("{} is not in the queue", rows::claim(self.connection, key)?.id))
        };
        let queued = self
            .connection
            .prepare_cached(
                "SELECT place, arrived_ms, claim_id, open,
                   EXISTS (SELECT 1 FROM skip WHERE annotator = ?2 AND claim_id = ?1),
                   EXISTS (SELECT 1 FROM deferral WHERE annotator = ?2 AND claim_id = ?1 AND until_ms > ?3)
                 FROM queue WHERE claim_id = ?1",
            )?
            .query_row(params![key.0, self.annotator.as_str(), self.now.millis()], |row| {
                let place: Place = (row.get(0)?, row.get(1)?, row.get(2)?);
                let (skipped, deferred): (bool, bool) = (row.get(4)?, row.get(5)?);
                Ok((place, rows::queue_state(row, 3)?, skipped, deferred))
            })
            .optional()?;
        let (place, own) = match queued {
            Some((place, state, skipped, deferred)) => {
                let is_listed = |part| self.parts.contains(&part);
                let part = if state == QueueState::Closed && is_listed(Part::Decided) {
                    Part::Decided
                } else if state == QueueState::SetAside && is_listed(Part::SetAside) {
                    Part::SetAside
                } else if deferred && is_listed(Part::Deferred) {
                    Part::Deferred
                } else if skipped {
                    Part::Skipped
                } else {
                    Part::NotSkipped
                };
                (place, part)
            }
            None => ((0, 0, key.0), Part::Unrouted),
        };
        match self.parts.iter().position(|part| *part == own) {
            Some(part) => Ok((part, place)),
            None => refused(),
        }
    }
}
