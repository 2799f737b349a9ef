//! What people ruled on the same claim in earlier audits of its answer.
//!
//! Rulings stay with the audit they were made on. Where a claim comes again, in the same words at the same
//! place of the answer, they are shown beside it; where the answer is cut otherwise now, beside every claim
//! at that place, so that no ruling is lost from sight.

use rusqlite::{Connection, params};

use super::Fallible;
use super::rows::{self, decided_columns};
use crate::domain::ids::{Annotator, ClaimKey, RecordKey};
use crate::domain::queue::EarlierDecision;

/// Where a claim stands in its answer, in bytes; `None` for what speaks of the answer as a whole.
pub(super) type Range = Option<(i64, i64)>;

/// A standing decision on a claim of an earlier audit.
pub(super) struct Former {
    claim_text: String,
    range: Range,
    decision: EarlierDecision,
}

/// Of `former`, what was ruled on the claim with these words at this place; where there is nothing, what was
/// ruled on claims at that place that are gone. `is_there` says whether a claim with other words, at
/// another place, is in the present audit too.
pub(super) fn concerning(
    former: &[Former],
    claim_text: &str,
    range: Range,
    is_there: impl Fn(&str, Range) -> Fallible<bool>,
) -> Fallible<Vec<EarlierDecision>> {
    let same = former.iter().filter(|one| one.range == range && one.claim_text == claim_text);
    let mut found: Vec<_> = same.map(|one| one.decision.clone()).collect();
    if found.is_empty() {
        for one in former.iter().filter(|one| overlap(one.range, range)) {
            if !is_there(&one.claim_text, one.range)? {
                found.push(one.decision.clone());
            }
        }
    }
    Ok(found)
}

fn overlap(one: Range, other: Range) -> bool {
    match (one, other) {
        (Some((start, end)), Some((other_start, other_end))) => start < other_end && other_start < end,
        (None, None) => false,
        _ => true,
    }
}

/// Standing decisions on the claims of all audits of a record before the run `before`, oldest first.
pub(super) fn of_record(connection: &Connection, record: RecordKey, before: i64) -> Fallible<Vec<Former>> {
    let mut statement = connection.prepare_cached(concat!(
        "SELECT r.audit_id, c.n, c.claim_text, c.answer_start_byte, c.answer_end_byte, d.annotator, ",
        decided_columns!(),
        " FROM claim c JOIN record r ON r.id = c.record_id JOIN decision d ON d.claim_id = c.id
         WHERE c.record_id = ?1 AND c.run_id < ?2 ORDER BY d.seq"
    ))?;
    let former = statement.query_map(params![record.0, before], |row| {
        Ok(Former {
            claim_text: rows::text(row, 2)?,
            range: row.get::<_, Option<i64>>(3)?.zip(row.get(4)?),
            decision: EarlierDecision {
                id: rows::claim_id(row, 0)?,
                annotator: Annotator::new(row.get::<_, String>(5)?),
                decided: rows::decided(row, 6)?,
            },
        })
    })?;
    Ok(former.collect::<rusqlite::Result<_>>()?)
}

/// Standing decisions on the same claim of earlier runs, oldest first.
pub(super) fn on(connection: &Connection, key: ClaimKey) -> Fallible<Vec<EarlierDecision>> {
    let (record, run, claim_text, range) = connection
        .prepare_cached(
            "SELECT record_id, run_id, claim_text, answer_start_byte, answer_end_byte FROM claim WHERE id = ?1",
        )?
        .query_row([key.0], |row| {
            let range: Range = row.get::<_, Option<i64>>(3)?.zip(row.get(4)?);
            Ok((RecordKey(row.get(0)?), row.get::<_, i64>(1)?, rows::text(row, 2)?, range))
        })?;
    let former = of_record(connection, record, run)?;
    concerning(&former, &claim_text, range, |words, range| {
        Ok(connection
            .prepare_cached(
                "SELECT 1 FROM claim WHERE record_id = ?1 AND run_id = ?2 AND claim_text = ?3
                   AND answer_start_byte IS ?4 AND answer_end_byte IS ?5",
            )?
            .exists(params![
                record.0,
                run,
                words,
                range.map(|(start, _)| start),
                range.map(|(_, end)| end)
            ])?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::decision::{Decided, DecisionKind, HumanVerdict, Ruling};
    use crate::domain::ids::{AuditId, ClaimId};
    use crate::domain::time::Timestamp;

    fn former(claim_text: &str, range: Range) -> Former {
        Former {
            claim_text: claim_text.to_owned(),
            range,
            decision: EarlierDecision {
                id: ClaimId::new(AuditId::new("rx-1"), 1),
                annotator: Annotator::new("ana"),
                decided: Decided {
                    kind: DecisionKind::Overridden,
                    ruling: Ruling {
                        verdict: HumanVerdict::Contradicted,
                        severity: None,
                        hallucination_type: None,
                        score: None,
                        evidence: None,
                    },
                    reason: None,
                    seq: 1,
                    at: Timestamp::from_millis(0),
                },
            },
        }
    }

    #[test]
    fn a_ruling_follows_its_claim_and_where_that_is_cut_otherwise_its_place() {
        let ruled = [former("Take 8 g", Some((0, 8)))];
        let count = |words: &str, range, comes_again: bool| {
            concerning(&ruled, words, range, |_, _| Ok(comes_again)).unwrap().len()
        };
        assert_eq!(count("Take 8 g", Some((0, 8)), true), 1, "the same claim");
        assert_eq!(count("Take 8 g and rest", Some((0, 17)), false), 1, "the sentence around it");
        assert_eq!(count("Take 8 g and rest", Some((0, 17)), true), 0, "the claim itself is there");
        assert_eq!(count("rest", Some((8, 17)), false), 0, "another place");
        assert_eq!(count("the whole answer", None, false), 1);
    }
}
