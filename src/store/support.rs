//! How far sources bear claims out, over all claim–source pairs as they are scored at present. Read from sums that are
//! kept with every score, so that it costs the same for ten pairs and for a hundred thousand.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row, params};

use super::{Fallible, Store, StoreError, rows};
use crate::domain::finding::AuditState;
use crate::domain::ids::{ClaimId, ClaimKey};
use crate::domain::verdict::Score;
use crate::measure::proportion::wilson;
use crate::measure::scores::Spread;

/// Groups of a kind that are told one by one.
const MOST_GROUPS: usize = 20;

/// Everything but the pairs themselves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Support {
    pub all: Spread,
    /// Scores that people gave these pairs; one of each person for each pair.
    pub people: Spread,
    /// Those of them that are the judge's too, of pairs that have a score of the judge; and of how many.
    pub agreed: (u64, u64),
    pub sources: Groups,
    pub retrievals: Groups,
    pub models: Groups,
}

/// Pairs put together by a name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Groups {
    /// The worst first, at most 20: those of whose pairs at least the largest share scores 1 or 2, by the lower end of
    /// Wilson's interval, so that one weak pair of one weighs less than thirty of forty.
    pub worst: Vec<(String, Spread)>,
    /// How many groups there are.
    pub all: u64,
}

/// One scored pair.
#[derive(Debug, Clone, PartialEq)]
pub struct WorstPair {
    pub key: ClaimKey,
    pub id: ClaimId,
    pub claim_text: String,
    pub score: Score,
    pub source: String,
    pub retrieval: Option<String>,
    pub model: Option<String>,
    /// The score that somebody gave it last.
    pub ruled: Option<Score>,
    /// Whether it waits in the queue; `None` where it was never sent there.
    pub open: Option<bool>,
}

impl Store {
    /// How the scores of all pairs are spread, and where the weak ones come from.
    pub fn support(&self) -> Result<Support, StoreError> {
        self.read(|connection| {
            let (mut people, mut agreed) = (Spread::default(), (0, 0));
            let mut statement = connection.prepare_cached(
                "SELECT d.score, p.score, count(*) FROM decision d CROSS JOIN pair p ON p.claim_id = d.claim_id
                 WHERE d.score IS NOT NULL GROUP BY 1, 2",
            )?;
            let mut found = statement.query([])?;
            while let Some(row) = found.next()? {
                let (ruled, judged, n): (u8, u8, u32) = (row.get(0)?, row.get(1)?, row.get(2)?);
                if let Some(count) = people.counts.get_mut(usize::from(ruled).wrapping_sub(1)) {
                    *count += u64::from(n);
                }
                if judged > 0 {
                    agreed.0 += u64::from(n) * u64::from(judged == ruled);
                    agreed.1 += u64::from(n);
                }
            }
            Ok(Support {
                all: all(connection)?,
                people,
                agreed,
                sources: groups(connection, "source")?,
                retrievals: groups(connection, "retrieval")?,
                models: groups(connection, "model")?,
            })
        })
    }

    /// The lowest scores, the most certain first among equals: `limit` pairs after the first `from`. Pairs without a
    /// score that stands are none of them.
    pub fn worst_pairs(&self, from: u64, limit: usize) -> Result<Vec<WorstPair>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT p.claim_id, r.audit_id, c.n, c.claim_text, p.score, p.source, p.retrieval, p.model,
                   (SELECT d.score FROM decision d WHERE d.claim_id = p.claim_id AND d.counts = 1),
                   (SELECT q.open <> 0 FROM queue q WHERE q.claim_id = p.claim_id)
                 FROM (SELECT * FROM pair WHERE score > 0 ORDER BY score, doubt, claim_id LIMIT ?2 OFFSET ?1) p
                 JOIN claim c ON c.id = p.claim_id JOIN record r ON r.id = c.record_id
                 ORDER BY p.score, p.doubt, p.claim_id",
            )?;
            let from = i64::try_from(from).unwrap_or(i64::MAX);
            let pairs = statement.query_map(params![from, limit as i64], pair)?;
            Ok(pairs.collect::<rusqlite::Result<_>>()?)
        })
    }
}

fn pair(row: &Row<'_>) -> rusqlite::Result<WorstPair> {
    Ok(WorstPair {
        key: ClaimKey(row.get(0)?),
        id: rows::claim_id(row, 1)?,
        claim_text: rows::text(row, 3)?,
        score: rows::a_score(row, 4)?,
        source: rows::text(row, 5)?,
        retrieval: rows::text_opt(row, 6)?,
        model: rows::text_opt(row, 7)?,
        ruled: rows::ruled_score(row, 8)?,
        open: row.get(9)?,
    })
}

/// All pairs, those without a score by their state.
fn all(connection: &Connection) -> Fallible<Spread> {
    let mut all = Spread::default();
    for (state, spread) in sums(connection, "all")? {
        for (count, more) in all.counts.iter_mut().zip(spread.counts) {
            *count += more;
        }
        let label = AuditState::from_label(&state).map_or("NOT_CHECKED", AuditState::label);
        if spread.unscored() > 0 {
            *all.without.entry(label).or_default() += spread.unscored();
        }
    }
    Ok(all)
}

fn groups(connection: &Connection, kind: &str) -> Fallible<Groups> {
    let mut groups: Vec<(f64, String, Spread)> = sums(connection, kind)?
        .into_iter()
        .map(|(name, spread)| {
            let weak = wilson(spread.weak(), spread.n()).interval().map_or(-1.0, |interval| interval.low);
            (weak, name, spread)
        })
        .collect();
    let all = groups.len() as u64;
    groups.sort_by(|(weak, name, spread), (other_weak, other_name, other)| {
        let mean = |spread: &Spread| spread.mean().unwrap_or(f64::MAX);
        other_weak
            .total_cmp(weak)
            .then_with(|| mean(spread).total_cmp(&mean(other)))
            .then_with(|| name.cmp(other_name))
    });
    groups.truncate(MOST_GROUPS);
    Ok(Groups { worst: groups.into_iter().map(|(_, name, spread)| (name, spread)).collect(), all })
}

/// The sums of each group of a kind that has any pair.
fn sums(connection: &Connection, kind: &str) -> Fallible<BTreeMap<String, Spread>> {
    let mut statement = connection
        .prepare_cached("SELECT name, score, n FROM pair_sum WHERE kind = ?1 AND n > 0 ORDER BY name")?;
    let mut found = statement.query([kind])?;
    let mut sums = BTreeMap::new();
    let mut last: Option<(String, Spread)> = None;
    while let Some(row) = found.next()? {
        let (score, n): (u8, u32) = (row.get(1)?, row.get(2)?);
        let name = rows::text(row, 0)?;
        if last.as_ref().is_none_or(|(present, _)| *present != name) {
            sums.extend(last.replace((name, Spread::default())));
        }
        if let Some((_, spread)) = &mut last {
            match spread.counts.get_mut(usize::from(score).wrapping_sub(1)) {
                Some(count) => *count += u64::from(n),
                None => *spread.without.entry("none").or_default() += u64::from(n),
            }
        }
    }
    sums.extend(last);
    Ok(sums)
}
