//! Which of the decisions on a claim counts, kept beside them so that every reading asks the same.
//!
//! The rule is that of [`Word`]; here it is only written down, and read.

use rusqlite::{Connection, Transaction, params};

use super::{Fallible, blind, detail};
use crate::domain::ids::ClaimKey;
use crate::domain::word::Word;

/// Whether decisions stand on the claim `c`, of which none counts.
macro_rules! disputed {
    () => {
        "(EXISTS (SELECT 1 FROM decision d WHERE d.claim_id = c.id)
          AND NOT EXISTS (SELECT 1 FROM decision d WHERE d.claim_id = c.id AND d.counts = 1))"
    };
}
pub(super) use disputed;

pub(super) const DISPUTED: &str = disputed!();

/// What people say of the claim `c`: the verdict that counts, or all verdicts of those who disagree, and the
/// severity of the first, or the most severe of the others; in two columns.
macro_rules! ruled {
    () => {
        "(SELECT group_concat(DISTINCT d.verdict) FROM decision d WHERE d.claim_id = c.id AND (d.counts = 1
            OR NOT EXISTS (SELECT 1 FROM decision x WHERE x.claim_id = c.id AND x.counts = 1))),
         (SELECT d.severity FROM decision d WHERE d.claim_id = c.id AND (d.counts = 1
            OR NOT EXISTS (SELECT 1 FROM decision x WHERE x.claim_id = c.id AND x.counts = 1))
          ORDER BY CASE d.severity WHEN 'CRITICAL' THEN 4 WHEN 'HIGH' THEN 3 WHEN 'MEDIUM' THEN 2 WHEN 'LOW' THEN 1
                   ELSE 0 END DESC LIMIT 1)"
    };
}
pub(super) use ruled;

/// Whose decision counts, by the rule; `None` while nobody has decided, or people disagree.
pub(super) fn expected(connection: &Connection, claim: ClaimKey) -> Fallible<Option<String>> {
    let (decisions, blind) = (detail::decisions(connection, claim)?, blind::of_claim(connection, claim)?);
    Ok(Word::of(&decisions, &blind).decision().map(|(who, _)| who.as_str().to_owned()))
}

/// Whose decision is kept as the one that counts; more than one only in a damaged file.
pub(super) fn kept(connection: &Connection, claim: ClaimKey) -> Fallible<Vec<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT annotator FROM decision WHERE claim_id = ?1 AND counts = 1 ORDER BY annotator",
    )?;
    Ok(statement.query_map([claim.0], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// Writes down whose decision counts.
pub(super) fn write(tx: &Transaction<'_>, claim: ClaimKey) -> Fallible<()> {
    let counts = expected(tx, claim)?;
    tx.prepare_cached(
        "UPDATE decision SET counts = (annotator IS ?2) WHERE claim_id = ?1 AND counts <> (annotator IS ?2)",
    )?
    .execute(params![claim.0, counts])?;
    Ok(())
}
