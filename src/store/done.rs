//! What a person did: their decisions of late, and the answers to which they gave a disposition; and what waits for them
//! by name.

use rusqlite::params;

use super::queue::{count, of_rank};
use super::{Fallible, Store, StoreError, rows};
use crate::domain::decision::Disposition;
use crate::domain::ids::Annotator;
use crate::domain::queue::{Answers, Waiting};
use crate::domain::time::Timestamp;
use crate::domain::verdict::Severity;

/// From rows of a disposition and how many answers have it.
fn counted(found: &mut rusqlite::Rows<'_>) -> Fallible<Answers> {
    let mut answers = Answers::default();
    while let Some(row) = found.next()? {
        let of = match rows::parsed::<Disposition>(row, 0)? {
            Disposition::Release => &mut answers.released,
            Disposition::Return => &mut answers.returned,
            Disposition::Block => &mut answers.blocked,
        };
        *of = count(row, 1)?;
    }
    Ok(answers)
}

impl Store {
    /// The annotator's latest decisions that were made one by one, at most `most`, oldest first: when, and how
    /// severe the claim is ranked. Also those that were taken back since: they took their time.
    pub fn recent_decisions(
        &self,
        annotator: &Annotator,
        most: u32,
    ) -> Result<Vec<(Timestamp, Option<Severity>)>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT e.at, q.severity_rank FROM event e LEFT JOIN queue q ON q.claim_id = e.claim_id
                 WHERE e.annotator = ?1 AND e.act IN ('CONFIRM', 'OVERRIDE') AND e.batch IS NULL
                 ORDER BY e.seq DESC LIMIT ?2",
            )?;
            let found = statement.query_map(params![annotator.as_str(), most], |row| {
                Ok((rows::parsed(row, 0)?, row.get::<_, Option<u8>>(1)?.and_then(of_rank)))
            })?;
            let mut decisions = found.collect::<rusqlite::Result<Vec<_>>>()?;
            decisions.reverse();
            Ok(decisions)
        })
    }

    /// The answers whose disposition, as they were audited last, is the annotator's.
    pub fn answers_disposed(&self, annotator: &Annotator) -> Result<Answers, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT d.disposition, count(*) FROM disposition d JOIN run ON run.id = d.run_id
                 JOIN work w ON w.record_id = run.record_id AND w.run_id = run.id
                 WHERE d.annotator = ?1 GROUP BY d.disposition",
            )?;
            counted(&mut statement.query([annotator.as_str()])?)
        })
    }

    /// The answers to which the annotator gave a disposition after the event `since` that nobody took back: each once,
    /// under the last one, whatever was said of it before and whatever became of it since.
    pub fn answers_disposed_since(&self, annotator: &Annotator, since: i64) -> Result<Answers, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT disposition, count(*) FROM (
                   SELECT e.new ->> '$.disposition' AS disposition, max(e.seq) FROM event e
                   WHERE e.annotator = ?1 AND e.seq > ?2 AND e.act = 'DISPOSE'
                     AND NOT EXISTS (SELECT 1 FROM event u WHERE u.undoes = e.seq AND u.act = 'UNDO')
                   GROUP BY e.subject)
                 GROUP BY disposition",
            )?;
            counted(&mut statement.query(params![annotator.as_str(), since])?)
        })
    }

    /// What waits for the annotator by name.
    pub fn waiting_for(&self, annotator: &Annotator) -> Result<Waiting, StoreError> {
        let drafts = self.drafts_of(annotator)?;
        self.read(|connection| {
            let escalated = connection
                .prepare_cached(
                    "SELECT count(DISTINCT f.claim_id) FROM flag f CROSS JOIN queue q ON q.claim_id = f.claim_id
                     WHERE f.addressee = ?1 AND q.open = 1",
                )?
                .query_row([annotator.as_str()], |row| count(row, 0))?;
            Ok(Waiting { drafts, escalated })
        })
    }
}
