//! A finished run stored with everything that follows from it: claims, verdicts, citations, the exchanges
//! it rests on, the places in the queue.

use rusqlite::{OptionalExtension, Transaction, params};

use super::audits::FinishedRun;
use super::offsets::{Place, Texts};
use super::records::to_json;
use super::scores::{self, Routed};
use super::seals::{CitationSeal, ClaimSeal, NoClaimSeal, RunExchangeSeal, RunSeal, VerdictSeal};
use super::{Fallible, LeaseLost, earlier, projection, refused, rows};
use crate::domain::event::sha256_hex;
use crate::domain::finding::{Finding, JudgeIdentity, Outcome};
use crate::domain::ids::{ClaimId, ExchangeKey};
use crate::domain::routing::{Policy, Rank, route};
use crate::domain::time::Timestamp;
use crate::domain::verdict::{HallucinationType, NoVerdict, Score, Severity};

/// So many runs of a judge's model and prompt count as new: they are spot-checked more. A run is the
/// audit of one record.
const NEW_RUNS: i64 = 3;

/// Stores a run inside a transaction.
pub(super) struct Keeper<'t> {
    tx: &'t Transaction<'t>,
    policy: &'t Policy,
    now: Timestamp,
    finished_at: String,
    secret: String,
    next_run: i64,
    next_claim: i64,
    routed: Routed,
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
            routed: Routed::ByPolicy,
        })
    }

    /// Who says which claims of the runs that follow go to people.
    pub(super) fn routed(&mut self, routed: Routed) {
        self.routed = routed;
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
        let judge = judge_row(self.tx, &result.identity)?;
        let brought = self.brought(run, run_id)?;
        let n: i64 = self
            .tx
            .prepare_cached("SELECT coalesce(max(n), 0) + 1 FROM run WHERE record_id = ?1")?
            .query_row([key.0], |row| row.get(0))?;
        let started_at = run.started.to_string();
        let seal = brought.seal(run, n, &started_at, &self.finished_at);
        self.tx
            .prepare_cached(
                "INSERT INTO run (id, record_id, n, judge_id, instrument, started_at, finished_at, sha256)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                run_id,
                key.0,
                n,
                judge,
                result.instrument,
                started_at,
                self.finished_at,
                seal
            ])?;
        if let Some(earlier) = earlier {
            self.tx
                .prepare_cached(
                    "UPDATE queue SET current = 0, open = 0 WHERE current = 1 AND claim_id IN
                       (SELECT id FROM claim WHERE record_id = ?1 AND run_id = ?2)",
                )?
                .execute([key.0, earlier])?;
        }
        self.store(run, run_id, &brought)?;
        self.tx
            .prepare_cached(
                "UPDATE work SET state = ?2, run_id = ?3, leased_by = NULL, leased_until_ms = NULL
                 WHERE record_id = ?1",
            )?
            .execute(params![key.0, if failed { "failed" } else { "done" }, run_id])?;
        if earlier.is_some() {
            projection::write_to_dispose(self.tx, key)?;
        }
        Ok(Ok(()))
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

    /// Everything of a run that is to be stored, made ready.
    fn brought<'r>(&self, run: &FinishedRun<'r>, run_id: i64) -> Fallible<Brought<'r>> {
        let (record, identity) = (&run.lease.record, &run.result.identity);
        let is_new = self.is_new(identity)?;
        let mut texts = Texts::new(record);
        let settings = to_json(&identity.settings);
        let mut n: u32 = self
            .tx
            .prepare_cached("SELECT coalesce(max(n), 0) FROM claim WHERE record_id = ?1")?
            .query_row([run.lease.key.0], |row| row.get(0))?;
        let former = earlier::of_record(self.tx, run.lease.key, run_id)?;
        let mut claims = Vec::with_capacity(run.result.findings.len());
        for finding in &run.result.findings {
            n += 1;
            let id = ClaimId::new(record.audit_id.clone(), n);
            let name = id.to_string();
            let seal = VerdictSeal::of(&name, finding, identity, &settings, &mut texts)?;
            let ruled = earlier::concerning(&former, &finding.claim_text, range(finding), |words, place| {
                let present = &run.result.findings;
                Ok(present.iter().any(|other| other.claim_text == words && range(other) == place))
            })?;
            let ruled = ruled.last().map(|last| &last.decided.ruling);
            let draw = lot(&self.secret, &id);
            let why = route(&finding.outcome, record.risk_level, self.policy, is_new, draw, ruled);
            let why = scores::routed(self.routed, why, &finding.outcome);
            claims.push(BroughtClaim {
                finding,
                n,
                sha256: seal.sha256(),
                answer: seal.answer,
                citations: seal.citations,
                rank: Rank::of(&finding.outcome, record.risk_level, &why),
                why: (!why.is_empty()).then(|| to_json(&why)),
            });
        }
        let mut no_claims = Vec::with_capacity(run.result.no_claims.len());
        for no_claim in &run.result.no_claims {
            no_claims.push(NoClaimSeal {
                n: no_claims.len() as i64 + 1,
                answer: texts.in_answer(no_claim.answer_span)?,
                reason: no_claim.reason.label().into(),
            });
        }
        let exchanges = self.exchanges(&run.result.exchanges)?;
        Ok(Brought { claims, no_claims, exchanges, settings })
    }

    /// The exchanges that a run rests on, with their seals.
    fn exchanges(&self, keys: &[ExchangeKey]) -> Fallible<Vec<RunExchangeSeal>> {
        let mut statement = self.tx.prepare_cached("SELECT sha256 FROM exchange WHERE id = ?1")?;
        let mut exchanges = Vec::with_capacity(keys.len());
        for key in keys {
            let Some(sha256) = statement.query_row([key.0], |row| row.get(0)).optional()? else {
                return refused(format!("the audit rests on exchange {}, which is not in this store", key.0));
            };
            exchanges.push(RunExchangeSeal { n: exchanges.len() as i64 + 1, sha256 });
        }
        Ok(exchanges)
    }

    fn store(&mut self, run: &FinishedRun<'_>, run_id: i64, brought: &Brought<'_>) -> Fallible<()> {
        // How old a claim is goes by when its record came in, however long that waited for its audit.
        let arrived: Timestamp = self
            .tx
            .prepare_cached("SELECT imported_at FROM record WHERE id = ?1")?
            .query_row([run.lease.key.0], |row| rows::parsed(row, 0))?;
        for claim in &brought.claims {
            let (finding, key) = (claim.finding, self.next_claim);
            self.next_claim += 1;
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
                    claim.n,
                    finding.given_id,
                    claim.answer.map(|place| place.start),
                    claim.answer.map(|place| place.end),
                    claim.answer.map(|place| place.start_byte),
                    claim.answer.map(|place| place.end_byte),
                    finding.claim_text,
                ])?;
            self.verdict(key, claim)?;
            if let Some(why) = &claim.why {
                self.tx
                    .prepare_cached(
                        "INSERT INTO queue (claim_id, severity_rank, judged_rank, verdict_rank, doubt, place, arrived_ms, why)
                         VALUES (?1, ?2, ?2, ?3, ?4, (4 - ?2) * 100000 + (6 - ?3) * 10000 + 1000 - ?4, ?5, ?6)",
                    )?
                    .execute(params![
                        key,
                        claim.rank.severity,
                        claim.rank.verdict,
                        claim.rank.doubt,
                        arrived.millis(),
                        why
                    ])?;
            }
        }
        let mut statement = self.tx.prepare_cached(
            "INSERT INTO no_claim (run_id, n, answer_start, answer_end, answer_start_byte, answer_end_byte, reason)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        for NoClaimSeal { n, answer, reason } in &brought.no_claims {
            statement.execute(params![
                run_id,
                n,
                answer.start,
                answer.end,
                answer.start_byte,
                answer.end_byte,
                reason
            ])?;
        }
        let mut statement = self
            .tx
            .prepare_cached("INSERT INTO run_exchange (run_id, n, exchange_id) VALUES (?1, ?2, ?3)")?;
        for (key, RunExchangeSeal { n, .. }) in run.result.exchanges.iter().zip(&brought.exchanges) {
            statement.execute(params![run_id, n, key.0])?;
        }
        Ok(())
    }

    fn verdict(&self, key: i64, claim: &BroughtClaim<'_>) -> Fallible<()> {
        let outcome = &claim.finding.outcome;
        let judged = outcome.judged();
        self.tx
            .prepare_cached(
                "INSERT INTO verdict (claim_id, state, verdict, severity, hallucination_type, confidence,
                   support, rationale, sha256)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![
                key,
                outcome.state().label(),
                judged.map(|judged| judged.verdict.label()),
                judged.and_then(|judged| judged.severity).map(Severity::label),
                judged.and_then(|judged| judged.hallucination_type).map(HallucinationType::label),
                judged.map(|judged| judged.confidence.get()),
                judged.and_then(|judged| judged.support).map(Score::get),
                match outcome {
                    Outcome::NotJudged { reason, .. } => reason,
                    Outcome::Judged(judged) | Outcome::Ungrounded(judged) => &judged.rationale,
                },
                claim.sha256,
            ])?;
        let mut statement = self.tx.prepare_cached(
            "INSERT INTO citation (claim_id, n, passage_id, role, match, start, \"end\", start_byte, end_byte, quote)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?;
        for citation in &claim.citations {
            statement.execute(params![
                key,
                citation.n,
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
}

/// What a run brought, with hashes and places in the queue.
struct Brought<'r> {
    claims: Vec<BroughtClaim<'r>>,
    no_claims: Vec<NoClaimSeal>,
    exchanges: Vec<RunExchangeSeal>,
    /// The judge's settings as JSON.
    settings: String,
}

struct BroughtClaim<'r> {
    finding: &'r Finding,
    n: u32,
    answer: Option<Place>,
    citations: Vec<CitationSeal>,
    sha256: String,
    rank: Rank,
    /// Why a person is asked, as JSON; `None` when none is.
    why: Option<String>,
}

fn range(finding: &Finding) -> earlier::Range {
    finding.answer_span.map(|span| (span.start() as i64, span.end() as i64))
}

impl Brought<'_> {
    fn seal(&self, run: &FinishedRun<'_>, n: i64, started_at: &str, finished_at: &str) -> String {
        let identity = &run.result.identity;
        let claims = self.claims.iter().map(|claim| ClaimSeal {
            n: claim.n,
            sha256: claim.sha256.clone(),
            why: claim.why.clone(),
        });
        let seal = RunSeal {
            audit_id: run.lease.record.audit_id.as_str(),
            run: n,
            judge: &identity.judge,
            model: &identity.model,
            prompt_version: &identity.prompt_version,
            prompt_sha256: &identity.prompt_sha256,
            settings: &self.settings,
            instrument: run.result.instrument,
            started_at,
            finished_at,
            claims: claims.collect(),
            no_claims: self.no_claims.clone(),
            exchanges: self.exchanges.clone(),
        };
        seal.sha256()
    }
}

/// A claim's lot for the spot check, uniform in [0, 1): the same whenever it is drawn, and not to be
/// foreseen by who does not know the store's secret.
fn lot(secret: &str, id: &ClaimId) -> f64 {
    let hash = sha256_hex([secret, &id.to_string()]);
    let bits = u64::from_str_radix(&hash[..13], 16).unwrap_or(0);
    bits as f64 / (1_u64 << 52) as f64
}

/// The row of a judge as it is; it is made when there is none.
pub(super) fn judge_row(tx: &Transaction<'_>, identity: &JudgeIdentity) -> Fallible<i64> {
    let settings = to_json(&identity.settings);
    let values =
        params![identity.judge, identity.model, identity.prompt_version, identity.prompt_sha256, settings];
    let known = tx
        .prepare_cached(
            "SELECT id FROM judge WHERE judge = ?1 AND model = ?2 AND prompt_version = ?3
               AND prompt_sha256 = ?4 AND settings = ?5",
        )?
        .query_row(values, |row| row.get(0))
        .optional()?;
    if let Some(known) = known {
        return Ok(known);
    }
    tx.prepare_cached(
        "INSERT INTO judge (judge, model, prompt_version, prompt_sha256, settings)
             VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(values)?;
    Ok(tx.last_insert_rowid())
}
