//! What judges say of late, by the hour in which records came in and by what made the answers: since when, and which
//! version of the bot.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::{Fallible, rows};
use crate::domain::tally::Tally;
use crate::domain::verdict::Verdict;

/// An hour in which records came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hour {
    /// Its beginning, UTC: `2026-11-30T22`.
    pub hour: String,
    pub tally: Tally,
}

/// What made answers: a model with a prompt, as the metadata of records names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Empty where records do not say.
    pub model: String,
    pub prompt: String,
    /// The first hour of the time in which one of its records came in.
    pub since: String,
    pub tally: Tally,
}

/// Versions that are told.
const MOST_VERSIONS: usize = 12;

/// The day up to the last hour of which anything was judged.
const OF_LATE: &str = "SELECT hour, model, prompt, nullif(verdict, ''), n FROM judged_hour
  WHERE hour > (SELECT strftime('%Y-%m-%dT%H', max(hour) || ':00', '-24 hours') FROM judged_hour) AND n > 0
  ORDER BY hour";

/// The hours of the last day in which records came in, and what made their answers, that with the most claims first.
pub(super) fn of_late(connection: &Connection) -> Fallible<(Vec<Hour>, Vec<Version>)> {
    let mut statement = connection.prepare_cached(OF_LATE)?;
    let mut found = statement.query([])?;
    let mut hours: Vec<Hour> = Vec::new();
    let mut versions: BTreeMap<(String, String), Version> = BTreeMap::new();
    while let Some(row) = found.next()? {
        let hour = rows::text(row, 0)?;
        let (model, prompt) = (rows::text(row, 1)?, rows::text(row, 2)?);
        let verdict: Option<Verdict> = rows::parsed_opt(row, 3)?;
        let n = u64::try_from(row.get::<_, i64>(4)?).unwrap_or(0);
        let version = versions.entry((model.clone(), prompt.clone())).or_insert_with(|| Version {
            model,
            prompt,
            since: hour.clone(),
            tally: Tally::default(),
        });
        version.tally.add_claims(verdict, None, n);
        if hours.last().is_none_or(|last| last.hour != hour) {
            hours.push(Hour { hour, tally: Tally::default() });
        }
        if let Some(last) = hours.last_mut() {
            last.tally.add_claims(verdict, None, n);
        }
    }
    let mut versions: Vec<Version> = versions.into_values().collect();
    versions.sort_by_key(|version| std::cmp::Reverse(version.tally.claims));
    versions.truncate(MOST_VERSIONS);
    Ok((hours, versions))
}
