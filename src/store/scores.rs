//! Claim–source pairs: a pair is a record whose answer is the claim and whose one passage is the source, scored by a
//! run of the instrument `support`. What a person rules on it is a score too.

use rusqlite::{Transaction, params};

use super::audits::FinishedRun;
use super::records::{COURTESY, LONGEST_HOLD, Prepared, insert, present};
use super::rows::{self, ClaimRow};
use super::runs::Keeper;
use super::{Fallible, Imported, LeasedRecord, NewRecord, Store, StoreError, decisions, projection, refused};
use crate::clock::Stopwatch;
use crate::domain::decision::Ruling;
use crate::domain::event::Act;
use crate::domain::finding::{Outcome, RunResult};
use crate::domain::ids::RecordKey;
use crate::domain::routing::{Policy, Why};
use crate::domain::time::Timestamp;
use crate::domain::verdict::Score;

/// A pair with what a judge said of it.
#[derive(Debug, Clone)]
pub struct ScoredPair {
    /// The pair as a record.
    pub new: NewRecord,
    pub result: RunResult,
    pub started: Timestamp,
    pub routed: Routed,
}

/// Whether a scored pair goes to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Routed {
    /// Where the routing policy says so.
    #[default]
    ByPolicy,
    Always,
    Never,
}

/// What became of a scored pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeptScore {
    /// Its score is stored.
    Kept { queued: bool },
    /// The same judge gave the same pair the same score before: that run stands, with what people decided on it.
    Unchanged,
    /// The pair's id is taken by another record, which came from `first_source`.
    Conflict { first_source: String },
}

impl Store {
    /// Stores pairs with their scores, each a record and a run; the weak ones go to the queue, by `policy`. The answer
    /// has one entry a pair, in order. Transactions are short, as those of an import.
    ///
    /// # Errors
    /// When the store cannot be written. What was stored before stays.
    pub fn keep_scores(
        &mut self,
        pairs: &[ScoredPair],
        policy: &Policy,
        now: Timestamp,
    ) -> Result<Vec<KeptScore>, StoreError> {
        let prepared: Vec<(Prepared<'_>, String)> = pairs
            .iter()
            .map(|pair| {
                let record = Prepared::of(&pair.new);
                let seal = record.seal(&now.to_string());
                (record, seal)
            })
            .collect();
        let mut kept = Vec::with_capacity(pairs.len());
        while kept.len() < pairs.len() {
            let more = self.write_normal(|tx| {
                let since = Stopwatch::start();
                let mut keeper = Keeper::new(tx, policy, now)?;
                let mut done = Vec::new();
                for at in kept.len()..pairs.len() {
                    let (record, seal) = &prepared[at];
                    done.push(keep(tx, &mut keeper, &pairs[at], record, seal, now)?);
                    if since.elapsed() >= LONGEST_HOLD {
                        break;
                    }
                }
                Ok(done)
            })?;
            kept.extend(more);
            if kept.len() < pairs.len() {
                std::thread::sleep(COURTESY);
            }
        }
        Ok(kept)
    }
}

/// Whoever holds a lease meanwhile: only this transaction.
const HOLDER: &str = "score";

fn keep(
    tx: &Transaction<'_>,
    keeper: &mut Keeper<'_>,
    pair: &ScoredPair,
    prepared: &Prepared<'_>,
    seal: &str,
    now: Timestamp,
) -> Fallible<KeptScore> {
    let audit_id = &pair.new.record.audit_id;
    let key = match present(tx, prepared)? {
        Some(Imported::Conflict { first_source }) => return Ok(KeptScore::Conflict { first_source }),
        Some(_) => rows::record_key(tx, audit_id)?,
        None => {
            let next = |table: &str| {
                tx.prepare_cached(&format!("SELECT coalesce(max(id), 0) + 1 FROM {table}"))?
                    .query_row([], |row| row.get::<_, i64>(0))
            };
            let (id, mut passage) = (next("record")?, next("passage")?);
            insert(tx, prepared, seal, id, &mut passage, &now.to_string())?;
            RecordKey(id)
        }
    };
    if says_the_same(tx, key, &pair.result)? {
        return Ok(KeptScore::Unchanged);
    }
    let until = now.plus(std::time::Duration::from_mins(1));
    tx.prepare_cached(
        "UPDATE work SET state = 'waiting', leased_by = ?2, leased_until_ms = ?3 WHERE record_id = ?1",
    )?
    .execute(params![key.0, HOLDER, until.millis()])?;
    let lease = LeasedRecord { key, record: pair.new.record.clone(), until, lost: 0 };
    let run = FinishedRun { lease: &lease, result: &pair.result, started: pair.started };
    keeper.routed(pair.routed);
    // The lease was taken in this very transaction.
    let _ = keeper.finish(&run, HOLDER)?;
    let queued = tx
        .prepare_cached(
            "SELECT 1 FROM claim c JOIN queue q ON q.claim_id = c.id WHERE c.record_id = ?1 AND q.open = 1",
        )?
        .exists([key.0])?;
    Ok(KeptScore::Kept { queued })
}

/// Whether the pair's present run is by the same judge and says the same: another one would take what people decided
/// out of sight for nothing.
fn says_the_same(tx: &Transaction<'_>, key: RecordKey, result: &RunResult) -> Fallible<bool> {
    let run: Option<i64> = tx
        .prepare_cached("SELECT run_id FROM work WHERE record_id = ?1")?
        .query_row([key.0], |row| row.get(0))?;
    let Some(run) = run else { return Ok(false) };
    if rows::identity(tx, run)? != result.identity {
        return Ok(false);
    }
    let Some(record) = rows::record(tx, key)? else { return Ok(false) };
    let claims: Vec<i64> = tx
        .prepare_cached("SELECT id FROM claim WHERE record_id = ?1 AND run_id = ?2 ORDER BY n")?
        .query_map(params![key.0, run], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    if claims.len() != result.findings.len() {
        return Ok(false);
    }
    for (claim, finding) in claims.into_iter().zip(&result.findings) {
        let claim = crate::domain::ids::ClaimKey(claim);
        if rows::outcome(tx, claim, &record)? != finding.outcome {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Why a claim goes to people, of what the policy says: nothing where it must not, its score where it must.
pub(super) fn routed(routed: Routed, why: Vec<Why>, outcome: &Outcome) -> Vec<Why> {
    let score = outcome.judged().and_then(|judged| judged.support).map(Score::get);
    match (routed, score) {
        (Routed::Never, _) => Vec::new(),
        (Routed::Always, Some(score)) if why.is_empty() => vec![Why::LowSupport { score }],
        _ => why,
    }
}

/// Whether a run scored a pair.
pub(super) fn is_pair(tx: &Transaction<'_>, run: i64) -> Fallible<bool> {
    let sql = "SELECT 1 FROM run WHERE id = ?1 AND instrument = 'support'";
    Ok(tx.prepare_cached(sql)?.exists([run])?)
}

/// What the judge ruled; of a pair with its score.
pub(super) fn judges_ruling(tx: &Transaction<'_>, claim: &ClaimRow) -> Fallible<Option<Ruling>> {
    let ruling = tx
        .prepare_cached(
            "SELECT verdict, severity, hallucination_type, support FROM verdict WHERE claim_id = ?1",
        )?
        .query_row([claim.key.0], |row| projection::judges_ruling(row, 0))?;
    Ok(ruling.map(|ruling| Ruling { score: ruling.score.filter(|_| claim.is_pair), ..ruling }))
}

/// What a ruling of a person comes to beside the judge's: a confirmation where it says the same and rests on no
/// evidence of the person's own, else an override.
///
/// Refused where pairs would be ruled by verdicts or other claims by scores, and on evidence that does not stand there.
pub(super) fn overridden(
    tx: &Transaction<'_>,
    claim: &ClaimRow,
    judged: Option<Ruling>,
    ruling: &Ruling,
) -> Fallible<(Act, Ruling)> {
    if let Some(why) = misfit(claim.is_pair, ruling) {
        return refused(format!("{}: {why}", claim.id));
    }
    // The same verdict with another severity or type: what was not named stays the judge's.
    let same = judged.filter(|judge| (judge.verdict, judge.score) == (ruling.verdict, ruling.score));
    if let Some(judge) = &same
        && ruling.evidence.is_none()
        && ruling.severity.is_none_or(|severity| judge.severity == Some(severity))
        && ruling.hallucination_type.is_none_or(|kind| judge.hallucination_type == Some(kind))
    {
        return Ok((Act::Confirm, judge.clone()));
    }
    if let Some(chosen) = &ruling.evidence {
        decisions::stands_in_record(tx, claim, chosen)?;
    }
    let severity = ruling.severity.or(same.as_ref().and_then(|judge| judge.severity));
    let kind = ruling.hallucination_type.or(same.as_ref().and_then(|judge| judge.hallucination_type));
    Ok((Act::Override, Ruling { severity, hallucination_type: kind, ..ruling.clone() }))
}

/// Why a ruling cannot stand on a claim: pairs are ruled by scores, other claims by verdicts.
pub(super) fn misfit(is_pair: bool, ruling: &Ruling) -> Option<String> {
    match (is_pair, ruling.score) {
        (false, Some(_)) => Some("it has no score to give: it is judged by a verdict".to_owned()),
        (true, None) if ruling.verdict.as_verdict().is_some() => Some(
            "it is a claim with its source, which gets a score: 1 to 5 (--score N), or CANNOT_JUDGE or NOT_A_CLAIM"
                .to_owned(),
        ),
        (true, Some(score)) if ruling.verdict != score.verdict().into() => {
            Some(format!("a score of {} says {}, not {}", score.get(), score.verdict(), ruling.verdict))
        }
        _ => None,
    }
}
