//! What a verdict of a person's own needs to know of a claim, and no more: its words, what the judge said, and the record.

use std::sync::Arc;

use super::{Damaged, Fallible, Store, StoreError, inherited, rows};
use crate::domain::finding::Outcome;
use crate::domain::ids::{ClaimId, ClaimKey};
use crate::domain::queue::Inherited;
use crate::domain::record::Record;
use crate::domain::span::Span;
use crate::domain::verdict::Citation;

/// A claim as it is weighed.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighed {
    pub id: ClaimId,
    pub record: Arc<Record>,
    pub claim_text: String,
    /// Where it stands in the answer.
    pub answer_span: Option<Span>,
    pub outcome: Outcome,
    /// Evidence of the claims in whose place a person put it.
    pub inherited: Option<Inherited>,
}

impl Weighed {
    /// What is cited for or against it.
    pub fn citations(&self) -> &[Citation] {
        let inherited = || self.inherited.as_ref().map_or(&[][..], |inherited| &inherited.citations);
        self.outcome.judged().map_or_else(inherited, |judged| &judged.citations)
    }
}

impl Store {
    /// Reads each of `claims` as it is weighed; of one that is damaged, why. One record is held at a time.
    pub fn for_each_weighed<E: From<StoreError>>(
        &self,
        claims: &[ClaimKey],
        mut each: impl FnMut(ClaimKey, Result<Weighed, Damaged>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut last = None;
        self.stream(|connection, failed| {
            for key in claims {
                let read = (|| -> Fallible<Weighed> {
                    let claim = rows::claim(connection, *key)?;
                    let record = match last.take() {
                        Some((of, record)) if of == claim.record => record,
                        _ => match rows::record(connection, claim.record)? {
                            Some(record) => Arc::new(record),
                            None => return Err(rusqlite::Error::QueryReturnedNoRows.into()),
                        },
                    };
                    last = Some((claim.record, Arc::clone(&record)));
                    let (claim_text, answer_span) = connection
                        .prepare_cached(
                            "SELECT claim_text, answer_start_byte, answer_end_byte FROM claim WHERE id = ?1",
                        )?
                        .query_row([key.0], |row| {
                            Ok((rows::text(row, 0)?, rows::span(row, 1, &record.answer)?))
                        })?;
                    let outcome = rows::outcome(connection, *key, &record)?;
                    let inherited = inherited::of(connection, &claim, &claim_text, &record)?;
                    Ok(Weighed { id: claim.id, record, claim_text, answer_span, outcome, inherited })
                })();
                if let Err(error) = each(*key, rows::sound(connection, *key, read)?) {
                    *failed = Some(error);
                    break;
                }
            }
            Ok(())
        })
    }
}
