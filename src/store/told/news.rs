//! What a call tells: which claims arrived, and which of them say what is known.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use crate::domain::ids::{ClaimId, ClaimKey};
use crate::domain::queue::Arrivals;
use crate::domain::time::Timestamp;
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
    /// Of all these, how many make a claim whose words somebody was told before, or that came in earlier among these.
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
    /// When its record came in.
    pub arrived: Timestamp,
    /// Of a repeat, the other claim with the same words whose record came in first.
    pub repeat_of: Option<ClaimId>,
}

const ARRIVED_TEXTS: &str =
    "SELECT q.claim_id, c.claim_text, r.audit_id, c.n, q.severity_rank, q.arrived_ms, c.record_id
  FROM queue q NOT INDEXED JOIN claim c ON c.id = q.claim_id JOIN record r ON r.id = c.record_id
  WHERE q.claim_id > ?1 AND q.claim_id <= ?2 AND q.open = 1 AND q.severity_rank >= 3
    AND NOT EXISTS (SELECT 1 FROM made m WHERE m.claim_id = q.claim_id)
    AND NOT EXISTS (SELECT 1 FROM run o WHERE o.record_id = c.record_id AND o.instrument = 'comparison')
  ORDER BY q.severity_rank DESC, q.claim_id LIMIT ?3";

/// By the order of the audits: those that somebody was told of come first.
const AUDITED_FIRST: &str = "SELECT c.id, c.claim_text, r.audit_id, c.n, c.record_id
  FROM (SELECT rowid AS id FROM claim_search WHERE claim_search MATCH ?1 ORDER BY rowid LIMIT ?2) s
  CROSS JOIN claim c ON c.id = s.id JOIN record r ON r.id = c.record_id
  WHERE NOT EXISTS (SELECT 1 FROM run o WHERE o.record_id = c.record_id AND o.instrument = 'comparison')";

/// By the order in which records came in: answers mostly have the words of their claims.
const CAME_FIRST: &str = "SELECT c.id, c.claim_text, r.audit_id, c.n, c.record_id
  FROM (SELECT rowid AS id FROM answer_search WHERE answer_search MATCH ?1 ORDER BY rowid LIMIT ?2) s
  CROSS JOIN record r ON r.id = s.id CROSS JOIN claim c ON c.record_id = r.id
  WHERE NOT EXISTS (SELECT 1 FROM run o WHERE o.record_id = r.id AND o.instrument = 'comparison')";

/// Where a claim stands among those with the same words: the number of its record, its own number there, its key.
type Order = (i64, u32, i64);

/// The claims with the words of one.
struct Alike {
    /// In the order in which their records came in, the first two: one of them is not the claim itself.
    first: Vec<(Order, ClaimId)>,
    /// Whether somebody was told of one of them before.
    is_known: bool,
    /// Of those that arrived, the one whose record came in first: that one is new, where none is known.
    new: Option<Order>,
}

/// What `arrivals` are, of which somebody was told up to `since`.
pub(super) fn read(
    connection: &Connection,
    since: ClaimKey,
    arrivals: &Arrivals,
    most: usize,
) -> Fallible<News> {
    let mut statement = connection.prepare_cached(ARRIVED_TEXTS)?;
    let mut found = statement.query(params![since.0, arrivals.last.0, COMPARED])?;
    let mut arrived = Vec::new();
    let mut alike: HashMap<String, Alike> = HashMap::new();
    while let Some(row) = found.next()? {
        let words = rows::text(row, 1)?.split_whitespace().collect::<Vec<_>>().join(" ");
        let claim = NewClaim {
            id: rows::claim_id(row, 2)?,
            severity: if row.get::<_, i64>(4)? == 4 { Severity::Critical } else { Severity::High },
            arrived: rows::millis(row, 5)?,
            repeat_of: None,
        };
        let order: Order = (row.get(6)?, row.get(3)?, row.get(0)?);
        // What has no words repeats nothing.
        if words.contains(char::is_alphanumeric) {
            if !alike.contains_key(&words) {
                alike.insert(words.clone(), Alike::find(connection, &words, since)?);
            }
            if let Some(alike) = alike.get_mut(&words) {
                alike.add(order, &claim.id);
                alike.new = Some(alike.new.map_or(order, |new| new.min(order)));
            }
        }
        arrived.push((words, order, claim));
    }
    let (mut repeats, mut first) = (0, Vec::new());
    for (words, order, claim) in arrived {
        let alike = alike.get(&words).filter(|alike| alike.is_known || alike.new != Some(order));
        repeats += u64::from(alike.is_some());
        if first.len() < most {
            let other = alike.and_then(|alike| alike.first.iter().find(|(other, _)| *other != order));
            first.push(NewClaim { repeat_of: other.map(|(_, id)| id.clone()), ..claim });
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

impl Alike {
    /// The claims with these words, of which somebody was told up to `since`.
    fn find(connection: &Connection, words: &str, since: ClaimKey) -> Fallible<Self> {
        let mut alike = Self { first: Vec::new(), is_known: false, new: None };
        // Nothing in it can be taken for search syntax.
        let phrase = format!("\"{}\"", words.replace(['"', '\0'], " "));
        for sql in [AUDITED_FIRST, CAME_FIRST] {
            let mut statement = connection.prepare_cached(sql)?;
            let mut found = statement.query(params![phrase, CANDIDATES])?;
            while let Some(row) = found.next()? {
                if rows::text(row, 1)?.split_whitespace().eq(words.split(' ')) {
                    let order: Order = (row.get(4)?, row.get(3)?, row.get(0)?);
                    alike.is_known |= order.2 <= since.0;
                    alike.add(order, &rows::claim_id(row, 2)?);
                }
            }
        }
        Ok(alike)
    }

    fn add(&mut self, order: Order, id: &ClaimId) {
        if self.first.iter().all(|(other, _)| *other != order) {
            self.first.push((order, id.clone()));
            self.first.sort_by_key(|(order, _)| *order);
            self.first.truncate(2);
        }
    }
}
