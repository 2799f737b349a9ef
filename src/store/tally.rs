//! How the current audits of all records came out, counted.

use super::{Store, StoreError, rows};
use crate::domain::finding::AuditState;
use crate::domain::record::RiskLevel;
use crate::domain::tally::Tally;
use crate::domain::verdict::NoVerdict;

impl Store {
    /// Counts over the current run of every audited record. Reads all claims: for gates and summaries,
    /// not for the screen.
    pub fn current_tally(&self) -> Result<Tally, StoreError> {
        self.read(|connection| {
            let mut tally = Tally::default();
            (tally.audited, tally.failed) = connection.query_row(
                "SELECT count(*), count(*) FILTER (WHERE EXISTS (
                   SELECT 1 FROM claim JOIN verdict ON verdict.claim_id = claim.id
                   WHERE claim.record_id = work.record_id AND claim.run_id = work.run_id AND verdict.state = ?1))
                 FROM work WHERE run_id IS NOT NULL",
                [NoVerdict::Failed.label()],
                |row| Ok((row.get::<_, u32>(0)?.into(), row.get::<_, u32>(1)?.into())),
            )?;
            let mut statement = connection.prepare(
                "SELECT verdict.state, verdict.verdict, verdict.severity, count(*)
                 FROM work
                 JOIN claim ON claim.record_id = work.record_id AND claim.run_id = work.run_id
                 JOIN verdict ON verdict.claim_id = claim.id
                 GROUP BY 1, 2, 3",
            )?;
            let mut groups = statement.query([])?;
            while let Some(row) = groups.next()? {
                let state: String = row.get(0)?;
                let verdict = match AuditState::from_label(&state) {
                    Some(AuditState::Judged) => rows::parsed_opt(row, 1)?,
                    _ => None,
                };
                tally.add_claims(verdict, rows::parsed_opt(row, 2)?, row.get::<_, u32>(3)?.into());
            }
            Ok(tally)
        })
    }

    /// Routed claims of HIGH and CRITICAL records that nobody decided: while there are any, what the
    /// store says is provisional.
    pub fn undecided_at_risk(&self) -> Result<u64, StoreError> {
        self.read(|connection| {
            let undecided: u32 = connection.query_row(
                "SELECT count(*) FROM queue q JOIN claim c ON c.id = q.claim_id JOIN record r ON r.id = c.record_id
                 WHERE q.open = 1 AND r.risk_level IN (?1, ?2)",
                [RiskLevel::High.label(), RiskLevel::Critical.label()],
                |row| row.get(0),
            )?;
            Ok(undecided.into())
        })
    }
}
