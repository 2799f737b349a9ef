//! What people said of claims before and after they were shown the judge: what agreement and anchoring are counted
//! from.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::super::rows::{self, decided_columns};
use super::super::{Fallible, Store, StoreError};
use crate::domain::blind::{Blind, Opinion, Shown};
use crate::domain::decision::Ruling;
use crate::domain::ids::{Annotator, ClaimKey};

/// The columns that [`blind`] reads.
macro_rules! blind_columns {
    () => {
        "o.verdict, o.severity, o.hallucination_type, o.evidence, o.seq, o.committed_at, o.independent, o.score, o.fills"
    };
}

impl Store {
    /// Every blind verdict that stands, of everybody on every claim of every audit, in the order in which they were
    /// committed: what the person said first, what of the judge they were then shown, and what stands of them now.
    ///
    /// One row a person and claim, so that each person's independent verdicts can be compared with each other's
    /// (`first` of the same `key`), with the judge's (`shown`), and with their own last word (`last`). Who has been
    /// shown the judge's verdict on the claim before is told apart by `first.independent`: leave these out of any
    /// measure of agreement. Verdicts that were taken back are not here. Reads the blind verdicts alone, not all claims.
    pub fn opinions(&self) -> Result<Vec<Opinion>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(concat!(
                "SELECT o.annotator, o.claim_id, r.audit_id, c.n, run.n, coalesce(w.run_id = c.run_id, 0),
                   v.state, v.verdict, v.severity, ",
                blind_columns!(),
                ", ",
                decided_columns!(),
                " FROM opinion o CROSS JOIN claim c ON c.id = o.claim_id JOIN record r ON r.id = c.record_id
                  JOIN run ON run.id = c.run_id JOIN verdict v ON v.claim_id = c.id
                  LEFT JOIN work w ON w.record_id = c.record_id
                  LEFT JOIN decision d ON d.claim_id = o.claim_id AND d.annotator = o.annotator
                  ORDER BY o.seq"
            ))?;
            let opinions = statement.query_map([], opinion)?;
            Ok(opinions.collect::<rusqlite::Result<_>>()?)
        })
    }
}

fn opinion(row: &Row<'_>) -> rusqlite::Result<Opinion> {
    Ok(Opinion {
        annotator: Annotator::new(row.get::<_, String>(0)?),
        key: ClaimKey(row.get(1)?),
        claim: rows::claim_id(row, 2)?,
        run: row.get(4)?,
        is_current: row.get(5)?,
        shown: Shown {
            state: rows::state(row, 6)?,
            verdict: rows::parsed_opt(row, 7)?,
            severity: rows::parsed_opt(row, 8)?,
        },
        first: blind(row, 9)?,
        last: match row.get_ref(18)? {
            rusqlite::types::ValueRef::Null => None,
            _ => Some(rows::decided(row, 18)?),
        },
    })
}

/// Nine columns from `first`: verdict, severity, type, evidence, seq, `committed_at`, independent, score, fills.
fn blind(row: &Row<'_>, first: usize) -> rusqlite::Result<Blind> {
    Ok(Blind {
        ruling: Ruling {
            verdict: rows::parsed(row, first)?,
            severity: rows::parsed_opt(row, first + 1)?,
            hallucination_type: rows::parsed_opt(row, first + 2)?,
            score: rows::ruled_score(row, first + 7)?,
            evidence: match row.get_ref(first + 3)? {
                rusqlite::types::ValueRef::Null => None,
                _ => Some(rows::json(row, first + 3)?),
            },
        },
        seq: row.get(first + 4)?,
        at: rows::parsed(row, first + 5)?,
        independent: row.get(first + 6)?,
        fills: row.get(first + 8)?,
    })
}

/// The blind verdicts on a claim that stand, oldest first.
pub(in crate::store) fn of_claim(
    connection: &Connection,
    claim: ClaimKey,
) -> Fallible<Vec<(Annotator, Blind)>> {
    let mut statement = connection.prepare_cached(concat!(
        "SELECT o.annotator, ",
        blind_columns!(),
        " FROM opinion o WHERE o.claim_id = ?1 ORDER BY o.seq"
    ))?;
    let blind = statement
        .query_map([claim.0], |row| Ok((Annotator::new(row.get::<_, String>(0)?), blind(row, 1)?)))?;
    Ok(blind.collect::<rusqlite::Result<_>>()?)
}

/// The blind verdict of a person on a claim, as it is kept.
pub(in crate::store) fn of(
    connection: &Connection,
    claim: ClaimKey,
    annotator: &str,
) -> Fallible<Option<Blind>> {
    Ok(connection
        .prepare_cached(concat!(
            "SELECT ",
            blind_columns!(),
            " FROM opinion o WHERE o.annotator = ?1 AND o.claim_id = ?2"
        ))?
        .query_row(params![annotator, claim.0], |row| blind(row, 0))
        .optional()?)
}
