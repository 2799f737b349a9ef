//! What gates stand on: how each claim of the current audits is ruled, and what is undecided.

use std::collections::HashSet;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use super::export::PRESENT;
use super::{Damaged, Fallible, Store, StoreError, detail, earlier, rows};
use crate::domain::decision::HumanVerdict;
use crate::domain::finding::AuditState;
use crate::domain::ids::{Annotator, ClaimId, ClaimKey};
use crate::domain::queue::EarlierDecision;
use crate::domain::record::RiskLevel;
use crate::domain::routing::is_worse;
use crate::domain::time::Timestamp;
use crate::domain::verdict::{NoVerdict, Score, Severity, Verdict};
use crate::domain::word::worst;

/// How a claim is ruled at present.
#[derive(Debug, Clone, PartialEq)]
pub struct InForce {
    pub id: ClaimId,
    /// `None` where nobody has a verdict: no grounded one of the judge, or a person cannot judge it.
    pub verdict: Option<Verdict>,
    pub severity: Option<Severity>,
    /// Whether what counts is a person's decision; else it is the judge's word.
    pub by_people: bool,
    /// Whether people disagree and nobody settled it: then the worst that they or the judge say counts, and nobody has
    /// decided it.
    pub is_disputed: bool,
    /// Whether it is no claim but the entry of an answer that makes none, which can have no verdict.
    pub is_no_claims: bool,
    /// What people ruled last on the same claim in an earlier audit, when that is worse and nobody has
    /// decided since: never carried over, and never silently given up.
    pub ruled_worse: Option<EarlierDecision>,
}

/// What a judge said of a claim of a current audit, with what it may be grouped by.
#[derive(Debug, Clone, PartialEq)]
pub struct Dated {
    pub id: ClaimId,
    /// When the record came in.
    pub at: Timestamp,
    pub claim_text: String,
    pub state: AuditState,
    pub verdict: Option<Verdict>,
    pub severity: Option<Severity>,
    pub confidence: Option<f64>,
    pub support: Option<Score>,
    /// `near m-1, prompt 3f2a`.
    pub judge: String,
    /// What the record says that its answer was made with: model, prompt, way of retrieval.
    pub model: Option<String>,
    pub prompt: Option<String>,
    pub retrieval: Option<String>,
    /// The source of the evidence that is cited first, else the passage's id; `None` where none is cited.
    pub source: Option<String>,
    /// Whether it is a claim–source pair, which has a score and whose verdict only follows from it.
    pub is_pair: bool,
}

/// A decision that stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingVerdict {
    pub claim: ClaimId,
    pub annotator: Annotator,
    pub verdict: HumanVerdict,
    /// Of a claim–source pair, whose verdict only follows from it; `None` where it cannot be judged.
    pub score: Option<Score>,
    pub is_pair: bool,
    /// Whether it is the one of the claim's that counts: while people disagree, none does.
    pub counts: bool,
}

/// Only claims of answers that came in to be audited: no pair of a claim with a source, which was chosen to be scored,
/// and no claim of a comparison, which was chosen because it is wrong and of an answer that may never have gone out.
const AUDITED: &str = "NOT EXISTS (SELECT 1 FROM run WHERE run.record_id = c.record_id
   AND run.instrument IN ('support', 'comparison'))";

/// Records whose audit is still to come, or came to no end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WithoutAudit {
    pub records: u64,
    /// Those of them that are HIGH or CRITICAL.
    pub at_risk: u64,
}

impl WithoutAudit {
    /// How many there are, in words.
    pub fn sentence(self) -> String {
        match self.records {
            1 => "1 record waits for its audit, and what it says is not counted.".to_owned(),
            many => format!("{many} records wait for their audit, and what they say is not counted."),
        }
    }
}

impl Store {
    /// How many records have no present audit: it is asked for and not made, or was given up.
    pub fn without_audit(&self) -> Result<WithoutAudit, StoreError> {
        self.read(|connection| {
            Ok(connection
                .prepare_cached(
                    "SELECT count(*), count(*) FILTER (WHERE r.risk_level IN ('HIGH', 'CRITICAL'))
                     FROM work w JOIN record r ON r.id = w.record_id WHERE w.state = 'waiting' OR w.run_id IS NULL",
                )?
                .query_row([], |row| {
                    Ok(WithoutAudit { records: row.get::<_, u32>(0)?.into(), at_risk: row.get::<_, u32>(1)?.into() })
                })?)
        })
    }

    /// How many claims there are, those that stand no longer and those of earlier audits included. Counts them all.
    pub fn claims_kept(&self) -> Result<u64, StoreError> {
        self.read(|connection| {
            let kept: u32 = connection.query_row("SELECT count(*) FROM claim", [], |row| row.get(0))?;
            Ok(kept.into())
        })
    }

    /// Every claim of the current audit of every record (no claim–source pair, and nothing that a comparison sent to
    /// people), as it is ruled at present, in order of import; one that is damaged says so in its place. Reads all claims: for gates, not for the screen.
    pub fn for_each_in_force<E: From<StoreError>>(
        &self,
        each: impl FnMut(Result<InForce, Damaged>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut each = each;
        self.stream(|connection, failed| {
            let mut statement = connection.prepare(&format!(
                "SELECT c.id, r.audit_id, c.n, v.state, v.verdict, v.severity, d.claim_id, d.verdict, d.severity,
                   r.risk_level, w.run_id,
                   EXISTS (SELECT 1 FROM run WHERE run.id = w.run_id AND run.n > 1),
                   EXISTS (SELECT 1 FROM decision o WHERE o.claim_id = c.id)
                 FROM claim c LEFT JOIN record r ON r.id = c.record_id
                 LEFT JOIN work w ON w.record_id = c.record_id LEFT JOIN verdict v ON v.claim_id = c.id
                 LEFT JOIN decision d ON d.claim_id = c.id AND d.counts = 1
                 WHERE {AUDITED} AND {PRESENT}"
            ))?;
            let mut found = statement.query([])?;
            while let Some(row) = found.next()? {
                let read = in_force(connection, row);
                let in_force = rows::sound(connection, ClaimKey(row.get(0)?), read)?;
                if let Err(error) = each(in_force) {
                    *failed = Some(error);
                    break;
                }
            }
            Ok(())
        })
    }

    /// Everybody's decision that stands, on every claim of every audit, claim by claim. Most of these people saw what
    /// the judge and others said before they decided: [`Store::opinions`] has what they said without.
    pub fn standing_verdicts(&self) -> Result<Vec<StandingVerdict>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT r.audit_id, c.n, d.annotator, d.verdict, d.score,
                   EXISTS (SELECT 1 FROM run WHERE run.id = c.run_id AND run.instrument = 'support'), d.counts
                 FROM decision d CROSS JOIN claim c ON c.id = d.claim_id JOIN record r ON r.id = c.record_id
                 ORDER BY d.claim_id, d.annotator",
            )?;
            let found = statement.query_map([], |row| {
                Ok(StandingVerdict {
                    claim: rows::claim_id(row, 0)?,
                    annotator: Annotator::new(row.get::<_, String>(2)?),
                    verdict: rows::parsed(row, 3)?,
                    score: rows::score(row, 4)?,
                    is_pair: row.get(5)?,
                    counts: row.get(6)?,
                })
            })?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The claims that are claim–source pairs and that somebody judged blind.
    pub fn pairs_judged_blind(&self) -> Result<HashSet<ClaimId>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT DISTINCT r.audit_id, c.n FROM opinion o JOIN claim c ON c.id = o.claim_id
                 JOIN run ON run.id = c.run_id AND run.instrument = 'support' JOIN record r ON r.id = c.record_id",
            )?;
            let found = statement.query_map([], |row| rows::claim_id(row, 0))?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// What judges said of every claim of the current audits of records that came in from `from` on and before `to`, in
    /// order of import, without those that comparisons sent to people; one that is damaged says so in its place. Reads
    /// them all: for measuring, not for the screen.
    pub fn for_each_dated<E: From<StoreError>>(
        &self,
        from: Timestamp,
        to: Timestamp,
        each: impl FnMut(Result<Dated, Damaged>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut each = each;
        self.stream(|connection, failed| {
            let mut statement = connection.prepare(
                "SELECT c.id, r.audit_id, c.n, r.imported_at, c.claim_text, v.state, v.verdict, v.severity, v.confidence,
                   v.support, j.judge || ' ' || j.model || ', prompt ' || substr(j.prompt_sha256, 1, 4),
                   json_extract(r.metadata, '$.model_version'), json_extract(r.metadata, '$.prompt_version'),
                   json_extract(r.metadata, '$.retrieval'),
                   (SELECT coalesce(json_extract(p.metadata, '$.source'), p.passage_id) FROM citation i
                    JOIN passage p ON p.record_id = c.record_id AND p.passage_id = i.passage_id
                    WHERE i.claim_id = c.id ORDER BY i.n LIMIT 1),
                   run.instrument = 'support'
                 FROM record r JOIN work w ON w.record_id = r.id JOIN run ON run.id = w.run_id
                 JOIN claim c ON c.record_id = r.id AND c.run_id = w.run_id
                 LEFT JOIN judge j ON j.id = run.judge_id LEFT JOIN verdict v ON v.claim_id = c.id
                 WHERE r.imported_at >= ?1 AND r.imported_at < ?2 AND v.state IS NOT 'ADDED'
                   AND NOT EXISTS (SELECT 1 FROM run o WHERE o.record_id = r.id AND o.instrument = 'comparison')
                 ORDER BY r.id, c.n",
            )?;
            let mut found = statement.query([from.to_string(), to.to_string()])?;
            while let Some(row) = found.next()? {
                let dated = rows::sound(connection, ClaimKey(row.get(0)?), dated(row))?;
                if let Err(error) = each(dated) {
                    *failed = Some(error);
                    break;
                }
            }
            Ok(())
        })
    }

    /// Routed claims of HIGH and CRITICAL records that nobody decided, or on which people disagree, also of answers that are
    /// blocked: while there are any, what the store says is provisional.
    pub fn undecided_at_risk(&self) -> Result<u64, StoreError> {
        self.read(|connection| {
            let undecided: u32 = connection.query_row(
                "SELECT count(*) FROM queue q JOIN claim c ON c.id = q.claim_id JOIN record r ON r.id = c.record_id
                 WHERE q.open <> 0 AND r.risk_level IN (?1, ?2)",
                [RiskLevel::High.label(), RiskLevel::Critical.label()],
                |row| row.get(0),
            )?;
            Ok(undecided.into())
        })
    }
}

fn in_force(connection: &Connection, row: &Row<'_>) -> Fallible<InForce> {
    let id = rows::claim_id(row, 1)?;
    let state = rows::state(row, 3)?;
    if state == AuditState::Judged {
        rows::present(row, 4)?;
    }
    let (verdict, severity) = (rows::parsed_opt(row, 4)?, rows::parsed_opt(row, 5)?);
    rows::parsed_opt::<RiskLevel>(row, 9)?;
    rows::present(row, 10)?;
    let is_no_claims = state == AuditState::NoVerdict(NoVerdict::NoClaims);
    let is_decided = row.get_ref(6)? != ValueRef::Null;
    let judge = if state == AuditState::Judged { (verdict, severity) } else { (None, None) };
    let key = ClaimKey(row.get(0)?);
    let is_disputed = !is_decided && row.get(12)?;
    let ((verdict, severity), by_people) = if is_decided {
        let human: HumanVerdict = rows::parsed(row, 7)?;
        ((human.as_verdict(), rows::parsed_opt(row, 8)?), true)
    } else if is_disputed {
        worst(judge, &detail::decisions(connection, key)?)
    } else {
        (judge, false)
    };
    let is_audited_again: bool = row.get(11)?;
    let is_undecided = !is_decided && !is_disputed;
    let last = if is_undecided && is_audited_again { earlier::on(connection, key)?.pop() } else { None };
    let ruled_worse = last.filter(|last| is_worse(&last.decided.ruling, (verdict, severity)));
    Ok(InForce { id, verdict, severity, by_people, is_disputed, is_no_claims, ruled_worse })
}

fn dated(row: &Row<'_>) -> Fallible<Dated> {
    // Whatever the metadata hold under the name: a number is as good a version as a text.
    let named = |column: usize| -> rusqlite::Result<Option<String>> {
        Ok(match row.get_ref(column)? {
            ValueRef::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
            ValueRef::Integer(number) => Some(number.to_string()),
            ValueRef::Real(number) => Some(number.to_string()),
            ValueRef::Null | ValueRef::Blob(_) => None,
        })
    };
    let state = rows::state(row, 5)?;
    if state == AuditState::Judged {
        rows::present(row, 6)?;
    }
    rows::present(row, 10)?;
    Ok(Dated {
        id: rows::claim_id(row, 1)?,
        at: rows::parsed(row, 3)?,
        claim_text: rows::text(row, 4)?,
        state,
        verdict: rows::parsed_opt(row, 6)?,
        severity: rows::parsed_opt(row, 7)?,
        confidence: row.get(8)?,
        support: rows::score(row, 9)?,
        judge: rows::text(row, 10)?,
        model: named(11)?,
        prompt: named(12)?,
        retrieval: named(13)?,
        source: named(14)?,
        is_pair: row.get(15)?,
    })
}
