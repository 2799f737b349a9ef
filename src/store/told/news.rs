//! What a call tells: which claims arrived, and which of them say what is known.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use crate::domain::ids::{ClaimId, ClaimKey};
use crate::domain::queue::Arrivals;
use crate::domain::verdict::Severity;
use crate::store::{Fallible, rows};

/// So many of the arrivals are looked at for whether their claim is known: a call must not read for seconds.
const COMPARED: i64 = 2_000;
/// So many earlier claims with the words of one are looked at.
const CANDIDATES: i64 = 1_000;

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
    /// Up to which claim this tells.
    pub last: ClaimKey,
}

impl News {
    /// Nothing arrived.
    pub const NONE: Self = Self {
        critical: 0,
        high: 0,
        repeats: 0,
        first: Vec::new(),
        open_critical: 0,
        open_high: 0,
        last: ClaimKey(0),
    };
}

/// A claim that arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewClaim {
    pub id: ClaimId,
    pub severity: Severity,
    /// The first claim of the store with the same words, where there is an earlier one.
    pub repeat_of: Option<ClaimId>,
}

const ARRIVED_TEXTS: &str = "SELECT q.claim_id, c.claim_text, r.audit_id, c.n, q.severity_rank
  FROM queue q NOT INDEXED JOIN claim c ON c.id = q.claim_id JOIN record r ON r.id = c.record_id
  WHERE q.claim_id > ?1 AND q.claim_id <= ?2 AND q.open = 1 AND q.severity_rank >= 3
  ORDER BY q.severity_rank DESC, q.claim_id LIMIT ?3";

const EARLIER: &str = "SELECT c.id, c.claim_text, r.audit_id, c.n
  FROM (SELECT rowid AS id FROM claim_search WHERE claim_search MATCH ?1 ORDER BY rowid LIMIT ?2) s
  CROSS JOIN claim c ON c.id = s.id JOIN record r ON r.id = c.record_id";

/// What `arrivals` are, of which somebody was told up to `since`.
pub(super) fn read(
    connection: &Connection,
    since: ClaimKey,
    arrivals: &Arrivals,
    most: usize,
) -> Fallible<News> {
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
        last: arrivals.last,
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
