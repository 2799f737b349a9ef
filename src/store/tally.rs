//! What gates stand on: how each claim of the current audits is ruled, and what is undecided.

use super::{Store, StoreError, rows};
use crate::domain::decision::HumanVerdict;
use crate::domain::finding::AuditState;
use crate::domain::ids::ClaimId;
use crate::domain::record::RiskLevel;
use crate::domain::verdict::{Severity, Verdict};

/// How a claim is ruled at present.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InForce {
    pub id: ClaimId,
    /// `None` where nobody has a verdict: no grounded one of the judge, or a person cannot judge it.
    pub verdict: Option<Verdict>,
    pub severity: Option<Severity>,
    /// Whether a person's decision stands; the latest one of whomever is in force then, else the judge's.
    pub by_people: bool,
}

impl Store {
    /// Every claim of the current run of every record, as it is ruled at present, in order of import.
    /// Reads all claims: for gates, not for the screen.
    pub fn for_each_in_force<E: From<StoreError>>(
        &self,
        each: impl FnMut(InForce) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut each = each;
        self.stream(|connection, failed| {
            let mut statement = connection.prepare(
                "SELECT r.audit_id, c.n, v.state, v.verdict, v.severity, d.verdict, d.severity
                 FROM work w JOIN record r ON r.id = w.record_id
                 JOIN claim c ON c.record_id = w.record_id AND c.run_id = w.run_id
                 JOIN verdict v ON v.claim_id = c.id
                 LEFT JOIN decision d ON d.claim_id = c.id
                   AND d.seq = (SELECT max(seq) FROM decision WHERE claim_id = c.id)
                 ORDER BY w.record_id, c.n",
            )?;
            let mut found = statement.query([])?;
            while let Some(row) = found.next()? {
                let id = rows::claim_id(row, 0)?;
                let in_force = match rows::parsed_opt::<HumanVerdict>(row, 5)? {
                    Some(human) => InForce {
                        id,
                        verdict: human.as_verdict(),
                        severity: rows::parsed_opt(row, 6)?,
                        by_people: true,
                    },
                    None if rows::state(row, 2)? == AuditState::Judged => InForce {
                        id,
                        verdict: rows::parsed_opt(row, 3)?,
                        severity: rows::parsed_opt(row, 4)?,
                        by_people: false,
                    },
                    None => InForce { id, verdict: None, severity: None, by_people: false },
                };
                if let Err(error) = each(in_force) {
                    *failed = Some(error);
                    break;
                }
            }
            Ok(())
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
