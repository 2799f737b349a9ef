//! A finished run stored with everything that follows from it: claims, verdicts, citations, the places
//! in the queue.

use rusqlite::{OptionalExtension, Transaction, params};
use serde::Serialize;

use super::offsets::{Place, Texts};
use super::records::to_json;
use super::{Fallible, FinishedRun, LeaseLost};
use crate::domain::event::sha256_hex;
use crate::domain::finding::{Finding, JudgeIdentity, Outcome};
use crate::domain::ids::ClaimId;
use crate::domain::routing::{Policy, Rank, route};
use crate::domain::time::Timestamp;
use crate::domain::verdict::{HallucinationType, NoVerdict, Severity};

/// So many runs of a judge's model and prompt count as new: they are spot-checked more.
const NEW_RUNS: i64 = 3;

/// Stores runs inside one transaction.
pub(super) struct Keeper<'t> {
    tx: &'t Transaction<'t>,
    policy: &'t Policy,
    now: Timestamp,
    finished_at: String,
    secret: String,
    next_run: i64,
    next_claim: i64,
}

impl<'t> Keeper<'t> {
    pub(super) fn new(tx: &'t Transaction<'t>, policy: &'t Policy, now: Timestamp) -> Fallible<Self> {
        let next = |sql| tx.prepare_cached(sql)?.query_row([], |row| row.get::<_, i64>(0));
        Ok(Self {
            tx,
            policy,
            now,
            finished_at: now.to_string(),
            secret: tx
                .prepare_cached("SELECT value FROM meta WHERE name = 'secret'")?
                .query_row([], |row| row.get(0))?,
            next_run: next("SELECT coalesce(max(id), 0) + 1 FROM run")?,
            next_claim: next("SELECT coalesce(max(id), 0) + 1 FROM claim")?,
        })
    }

    pub(super) fn finish(&mut self, run: &FinishedRun<'_>, holder: &str) -> Fallible<Result<(), LeaseLost>> {
        let (key, result) = (run.lease.key, run.result);
        let failed = result
            .findings
            .iter()
            .any(|finding| matches!(finding.outcome, Outcome::NotJudged { state: NoVerdict::Failed, .. }));
        // The foreign key wants the run first; the holder is what decides, so it is asked first.
        let earlier: Option<Option<i64>> = self
            .tx
            .prepare_cached(
                "SELECT run_id FROM work WHERE record_id = ?1 AND leased_by = ?2 AND leased_until_ms > ?3
                   AND state = 'waiting'",
            )?
            .query_row(params![key.0, holder, self.now.millis()], |row| row.get(0))
            .optional()?;
        let Some(earlier) = earlier else { return Ok(Err(LeaseLost)) };
        let run_id = self.next_run;
        self.next_run += 1;
        let judge = self.judge(&result.identity)?;
        let is_new = self.is_new(&result.identity)?;
        self.tx
            .prepare_cached(
                "INSERT INTO run (id, record_id, n, judge_id, instrument, started_at, finished_at)
                 SELECT ?1, ?2, coalesce(max(n), 0) + 1, ?3, ?4, ?5, ?6 FROM run WHERE record_id = ?2",
            )?
            .execute(params![
                run_id,
                key.0,
                judge,
                result.instrument,
                run.started.to_string(),
                self.finished_at
            ])?;
        if let Some(earlier) = earlier {
            self.tx
                .prepare_cached(
                    "UPDATE queue SET current = 0, open = 0 WHERE current = 1 AND claim_id IN
                       (SELECT id FROM claim WHERE record_id = ?1 AND run_id = ?2)",
                )?
                .execute([key.0, earlier])?;
        }
        self.claims(run, run_id, is_new)?;
        self.no_claims(run, run_id)?;
        self.tx
            .prepare_cached(
                "UPDATE work SET state = ?2, run_id = ?3, leased_by = NULL, leased_until_ms = NULL
                 WHERE record_id = ?1",
            )?
            .execute(params![key.0, if failed { "failed" } else { "done" }, run_id])?;
        Ok(Ok(()))
    }

    fn judge(&self, identity: &JudgeIdentity) -> Fallible<i64> {
        let settings = to_json(&identity.settings);
        let values = params![
            identity.judge,
            identity.model,
            identity.prompt_version,
            identity.prompt_sha256,
            settings
        ];
        let known = self
            .tx
            .prepare_cached(
                "SELECT id FROM judge WHERE judge = ?1 AND model = ?2 AND prompt_version = ?3
                   AND prompt_sha256 = ?4 AND settings = ?5",
            )?
            .query_row(values, |row| row.get(0))
            .optional()?;
        if let Some(known) = known {
            return Ok(known);
        }
        self.tx
            .prepare_cached(
                "INSERT INTO judge (judge, model, prompt_version, prompt_sha256, settings)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(values)?;
        Ok(self.tx.last_insert_rowid())
    }

    fn is_new(&self, identity: &JudgeIdentity) -> Fallible<bool> {
        let runs: i64 = self
            .tx
            .prepare_cached(
                "SELECT count(*) FROM (SELECT 1 FROM judge j JOIN run ON run.judge_id = j.id
                   WHERE j.judge = ?1 AND j.model = ?2 AND j.prompt_version = ?3 LIMIT ?4)",
            )?
            .query_row(params![identity.judge, identity.model, identity.prompt_version, NEW_RUNS], |row| {
                row.get(0)
            })?;
        Ok(runs < NEW_RUNS)
    }

    fn claims(&mut self, run: &FinishedRun<'_>, run_id: i64, is_new: bool) -> Fallible<()> {
        let record = &run.lease.record;
        let mut texts = Texts::new(record);
        let mut n: u32 = self
            .tx
            .prepare_cached("SELECT coalesce(max(n), 0) FROM claim WHERE record_id = ?1")?
            .query_row([run.lease.key.0], |row| row.get(0))?;
        for finding in &run.result.findings {
            n += 1;
            let key = self.next_claim;
            self.next_claim += 1;
            let id = ClaimId::new(record.audit_id.clone(), n);
            let answer = finding.answer_span.map(|span| texts.in_answer(span)).transpose()?;
            self.tx
                .prepare_cached(
                    "INSERT INTO claim (id, record_id, run_id, n, given_id, answer_start, answer_end,
                       answer_start_byte, answer_end_byte, claim_text)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                )?
                .execute(params![
                    key,
                    run.lease.key.0,
                    run_id,
                    n,
                    finding.given_id,
                    answer.map(|place| place.start),
                    answer.map(|place| place.end),
                    answer.map(|place| place.start_byte),
                    answer.map(|place| place.end_byte),
                    finding.claim_text,
                ])?;
            self.verdict(&id, key, finding, answer, &run.result.identity, &mut texts)?;
            let draw = lot(&self.secret, &id);
            let why = route(&finding.outcome, record.risk_level, self.policy, is_new, draw);
            if !why.is_empty() {
                let rank = Rank::of(&finding.outcome, record.risk_level);
                self.tx
                    .prepare_cached(
                        "INSERT INTO queue (claim_id, severity_rank, verdict_rank, doubt, place, arrived_ms, why)
                         VALUES (?1, ?2, ?3, ?4, (4 - ?2) * 100000 + (6 - ?3) * 10000 + 1000 - ?4, ?5, ?6)",
                    )?
                    .execute(params![
                        key,
                        rank.severity,
                        rank.verdict,
                        rank.doubt,
                        self.now.millis(),
                        to_json(&why)
                    ])?;
            }
        }
        Ok(())
    }

    fn verdict(
        &self,
        id: &ClaimId,
        key: i64,
        finding: &Finding,
        answer: Option<Place>,
        identity: &JudgeIdentity,
        texts: &mut Texts<'_>,
    ) -> Fallible<()> {
        let judged = finding.outcome.judged();
        let mut citations = Vec::new();
        for citation in judged.map(|judged| judged.citations.as_slice()).unwrap_or_default() {
            let place =
                citation.span.map(|span| texts.in_passage(citation.passage_id.as_str(), span)).transpose()?;
            citations.push(SeenCitation {
                passage_id: citation.passage_id.as_str().into(),
                place,
                quote: citation.quote.as_str().into(),
                role: citation.role.label().into(),
                level: citation.level.label().into(),
            });
        }
        let claim_id = id.to_string();
        let settings = to_json(&identity.settings);
        let seen = SeenVerdict {
            claim_id: &claim_id,
            claim_text: &finding.claim_text,
            answer,
            judge: &identity.judge,
            model: &identity.model,
            prompt_version: &identity.prompt_version,
            prompt_sha256: &identity.prompt_sha256,
            settings: &settings,
            state: finding.outcome.state().label(),
            verdict: judged.map(|judged| judged.verdict.label()),
            severity: judged.and_then(|judged| judged.severity).map(Severity::label),
            hallucination_type: judged
                .and_then(|judged| judged.hallucination_type)
                .map(HallucinationType::label),
            // SQLite does not tell −0 from 0.
            confidence: judged.map(|judged| judged.confidence.get() + 0.0),
            support: judged.and_then(|judged| judged.support).map(|score| score.get().into()),
            rationale: match &finding.outcome {
                Outcome::NotJudged { reason, .. } => reason,
                Outcome::Judged(judged) | Outcome::Ungrounded(judged) => &judged.rationale,
            },
            citations,
        };
        self.tx
            .prepare_cached(
                "INSERT INTO verdict (claim_id, state, verdict, severity, hallucination_type, confidence,
                   support, rationale, sha256)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![
                key,
                seen.state,
                seen.verdict,
                seen.severity,
                seen.hallucination_type,
                seen.confidence,
                seen.support,
                seen.rationale,
                seen.sha256(),
            ])?;
        let mut statement = self.tx.prepare_cached(
            "INSERT INTO citation (claim_id, n, passage_id, role, match, start, \"end\", start_byte, end_byte, quote)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?;
        for (n, citation) in seen.citations.iter().enumerate() {
            statement.execute(params![
                key,
                n as i64 + 1,
                citation.passage_id,
                citation.role,
                citation.level,
                citation.place.map(|place| place.start),
                citation.place.map(|place| place.end),
                citation.place.map(|place| place.start_byte),
                citation.place.map(|place| place.end_byte),
                citation.quote,
            ])?;
        }
        Ok(())
    }

    fn no_claims(&self, run: &FinishedRun<'_>, run_id: i64) -> Fallible<()> {
        let mut texts = Texts::new(&run.lease.record);
        let mut statement = self.tx.prepare_cached(
            "INSERT INTO no_claim (run_id, n, answer_start, answer_end, answer_start_byte, answer_end_byte, reason)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        for (n, no_claim) in run.result.no_claims.iter().enumerate() {
            let place = texts.in_answer(no_claim.answer_span)?;
            statement.execute(params![
                run_id,
                n as i64 + 1,
                place.start,
                place.end,
                place.start_byte,
                place.end_byte,
                no_claim.reason.label(),
            ])?;
        }
        Ok(())
    }
}

/// A claim's lot for the spot check, uniform in [0, 1): the same whenever it is drawn, and not to be
/// foreseen by who does not know the store's secret.
fn lot(secret: &str, id: &ClaimId) -> f64 {
    let hash = sha256_hex([secret, &id.to_string()]);
    let bits = u64::from_str_radix(&hash[..13], 16).unwrap_or(0);
    bits as f64 / (1_u64 << 52) as f64
}

/// What a person sees of a claim and its verdict: `verdict.sha256` is the SHA-256 of its compact JSON.
#[derive(Debug, Serialize)]
pub(super) struct SeenVerdict<'a> {
    pub(super) claim_id: &'a str,
    pub(super) claim_text: &'a str,
    pub(super) answer: Option<Place>,
    pub(super) judge: &'a str,
    pub(super) model: &'a str,
    pub(super) prompt_version: &'a str,
    pub(super) prompt_sha256: &'a str,
    pub(super) settings: &'a str,
    pub(super) state: &'a str,
    pub(super) verdict: Option<&'a str>,
    pub(super) severity: Option<&'a str>,
    pub(super) hallucination_type: Option<&'a str>,
    pub(super) confidence: Option<f64>,
    pub(super) support: Option<i64>,
    pub(super) rationale: &'a str,
    pub(super) citations: Vec<SeenCitation>,
}

#[derive(Debug, Serialize)]
pub(super) struct SeenCitation {
    pub(super) passage_id: String,
    pub(super) place: Option<Place>,
    pub(super) quote: String,
    pub(super) role: String,
    #[serde(rename = "match")]
    pub(super) level: String,
}

impl SeenVerdict<'_> {
    pub(super) fn sha256(&self) -> String {
        sha256_hex([to_json(self).as_str()])
    }
}
