//! The queue by answers under a filter: an answer stands where its first claim stands that fits.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::super::pages::{Everything, List, Part};
use super::super::{Fallible, PageAt, Store, StoreError, queue, threads};
use crate::domain::filter::Filter;
use crate::domain::ids::{Annotator, ClaimKey, RecordKey};
use crate::domain::queue::{QueueRow, Thread};
use crate::domain::time::Timestamp;

/// Claims looked at at once for one that is the first of its answer.
const STRIDE: usize = 200;

impl Store {
    /// The claim at which the answer of `key` is met in the list of answers, under `filter` where there is one; `None`
    /// when none of its claims is listed.
    pub fn thread_head(
        &self,
        key: ClaimKey,
        filter: Option<&Filter>,
        annotator: &Annotator,
        now: Timestamp,
    ) -> Result<Option<ClaimKey>, StoreError> {
        self.read(|connection| match filter {
            None => {
                let parts = Part::IN_HAND;
                first(&List { connection, annotator, parts, sieve: &Everything, now }, key)
            }
            Some(filter) => {
                let plan = self.plan(connection, filter, now)?;
                first(&List { connection, annotator, parts: &plan.parts, sieve: &plan, now }, key)
            }
        })
    }

    /// Answers with claims that `filter` lets through, each with those claims, in the order of
    /// [`found_page`](Self::found_page); `at` names first claims.
    pub fn found_threads(
        &self,
        filter: &Filter,
        annotator: &Annotator,
        at: PageAt,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<(Thread, Vec<QueueRow>)>, StoreError> {
        self.read(|connection| {
            let plan = self.plan(connection, filter, now)?;
            let list = List { connection, annotator, parts: &plan.parts, sieve: &plan, now };
            let row = |key: ClaimKey| queue::row(connection, key, annotator, now);
            heads(&list, at, limit)?
                .into_iter()
                .map(|(head, claims)| {
                    let claims = claims.into_iter().map(row).collect::<Fallible<Vec<_>>>()?;
                    Ok((threads::thread(connection, head, annotator, now)?, claims))
                })
                .collect()
        })
    }
}

/// First claims of answers from `at` on, each with all listed claims of its answer.
fn heads(list: &List<'_>, mut at: PageAt, limit: usize) -> Fallible<Vec<(ClaimKey, Vec<ClaimKey>)>> {
    let is_up = matches!(at, PageAt::Before(_) | PageAt::Bottom);
    let mut found = Vec::new();
    // The claims of each answer that was met, until its first one is met: an answer is read once, however many
    // claims it has.
    let mut met: HashMap<RecordKey, Vec<ClaimKey>> = HashMap::new();
    // What is asked for by its name is told also when it fits no more.
    if let PageAt::From(key) = at {
        let mut claims = claims(list, key)?;
        if claims.is_empty() {
            claims.push(key);
        }
        found.push((key, claims));
        at = PageAt::After(key);
    }
    while found.len() < limit {
        let mut keys = list.page(at, STRIDE)?;
        let is_last = keys.len() < STRIDE;
        if is_up {
            keys.reverse();
        }
        let Some(end) = keys.last() else { break };
        at = if is_up { PageAt::Before(*end) } else { PageAt::After(*end) };
        for key in keys {
            let claims = match met.entry(record_of(list, key)?) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(claims(list, key)?),
            };
            if claims.first() == Some(&key) {
                found.push((key, std::mem::take(claims)));
            }
            if found.len() == limit {
                break;
            }
        }
        if is_last {
            break;
        }
    }
    if is_up {
        found.reverse();
    }
    Ok(found)
}

fn record_of(list: &List<'_>, key: ClaimKey) -> Fallible<RecordKey> {
    Ok(list
        .connection
        .prepare_cached("SELECT record_id FROM claim WHERE id = ?1")?
        .query_row([key.0], |row| row.get(0).map(RecordKey))?)
}

fn first(list: &List<'_>, key: ClaimKey) -> Fallible<Option<ClaimKey>> {
    Ok(claims(list, key)?.first().copied())
}

/// The listed claims of the answer that `key` is of, in the order of the list.
fn claims(list: &List<'_>, key: ClaimKey) -> Fallible<Vec<ClaimKey>> {
    let record = record_of(list, key)?;
    let mut statement = list.connection.prepare_cached("SELECT id FROM claim WHERE record_id = ?1")?;
    let all = statement.query_map([record.0], |row| row.get(0))?.collect::<rusqlite::Result<Vec<i64>>>()?;
    let mut keys = Vec::new();
    for part in list.parts {
        let mut places = list.places(*part, &all)?;
        places.sort_unstable();
        keys.extend(places.into_iter().map(|place| ClaimKey(place.2)));
    }
    Ok(keys)
}
